/* SPDX-License-Identifier: MIT */
/* Life cycle of an integrator, starts, what a user can ask for. */
#include "run/integrator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Allocate the accepted state, the one before it, and the work arrays that need nothing but their
 * sizes, and let it->state point to the accepted state. Sizes are those of all rows, present or not.
 * The caller checks arena.failed. */
static void allocate_arrays(ga_integrator *it) {
  const int nlam = it->eval.nlam, npsi = it->eval.npsi;
  const ga_model *whole = ga_presence_whole(it);
  it->eval.nlam = whole->nlam, it->eval.npsi = whole->npsi;
  ga_memory_carve(&it->mem, &it->eval, &it->arena);
  ga_memory_carve(&it->last.mem, &it->eval, &it->arena);
  ga_start_init(it);
  ga_restart_init(it);
  ga_memory_change_init(it);
  ga_loop_init(it);
  ga_project_init(it);
  ga_dense_output_init(it);
  ga_rest_init(it);
  ga_events_init(it);
  ga_corners_init(it);
  it->state = (ga_state){.q = it->mem.q,
                         .v = it->mem.v,
                         .vd = it->mem.vd,
                         .a = it->mem.a,
                         .lam = it->mem.lam,
                         .psi = it->mem.psi};
  ga_integrator_inputs_init(it);
  it->eval.nlam = nlam, it->eval.npsi = npsi;
}

/* GA_OK if h is positive, finite, and h^2 does not underflow; otherwise GA_ERR_STEP in *err. */
ga_status ga_check_step_size(double h, ga_error *err) {
  if (!(h > 0) || !isfinite(h)) {
    return ga_fail(err, GA_ERR_STEP, "step size h = %g must be positive and finite", h);
  }
  if (h * h >= DBL_MIN) return GA_OK;
  return ga_fail(err, GA_ERR_STEP,
                 "step size h = %g is too small: h^2 underflows; h must be at least %.2g", h,
                 sqrt(DBL_MIN));
}

/* GA_ERR_ARG if the options ask for something that is not possible with several processes. */
static ga_status check_team(const ga_options *o, ga_error *err) {
  if (!o->team) return GA_OK;
  if (o->redundant == GA_REDUNDANT_ALLOW) {
    return ga_fail(err, GA_ERR_ARG,
                   "redundant = allow is not possible in a team: the rank of the constraints would "
                   "have to be found over all ranks; take redundant = refuse");
  }
  return GA_OK;
}

/* GA_ERR_ARG if an accuracy is asked for, which takes several runs. */
static ga_status check_accuracy(const ga_options *o, ga_error *err) {
  if (o->accuracy == 0) return GA_OK;
  return ga_fail(err, GA_ERR_ARG,
                 "accuracy = %g is the error of a whole solution, from several runs: use "
                 "ga_solution_new (ga_accuracy.h); an integrator makes a single run",
                 o->accuracy);
}

/* GA_ERR_ARG on all processes of a team unless their options are equal: each process decides for
 * itself, and all must decide alike. Collective; GA_OK for a single process. */
static ga_status check_same_options(ga_integrator *it) {
  const ga_options *o = &it->options;
  unsigned name = 5381;
  for (const char *at = o->method; *at; at++) name = 33 * name + (unsigned char)*at;
  for (const char *at = o->variant; *at; at++) name = 33 * name + (unsigned char)*at;
  /* some options share a number, for there is room for GA_TEAM_SAME of them */
  const double common[] = {
      o->par.alpha_m,
      o->par.alpha_f,
      o->par.beta,
      o->par.gamma,
      o->par.b,
      name,
      o->h,
      o->h_max,
      o->rtol,
      o->atol,
      (double)o->start + 10 * (double)o->rescale + 100 * (double)o->initial,
      o->newton_tol,
      o->newton_max + 1e-3 * (double)o->mass_at + 1e-4 * (double)o->cut_at_corners,
      o->matrix_every + 1e7 * o->project_every,
      o->h_min,
      ga_eval_own_reaction(&it->eval)};
  if (ga_team_same(it->eval.team, GA_TEAM_SAME, common)) return GA_OK;
  return ga_fail(&it->error, GA_ERR_ARG,
                 "the processes of the team have different options or kinds of models: method, "
                 "parameters, steps, tolerances and an own reaction must be the same on all");
}

/* Unless the user has set newton_tol: 1e-12 with given sizes. With automatic ones a thousandth of
 * rtol, which is not seen beside the error of the step and saves iterations; at most 1e-8, as an
 * error of accelerations moves a stiff spring: with 1e-6 and a spring of 1e10 N/m the vibrations
 * that it makes grow above all else. it->loose_tol: where no force is stiff (acceptance.c) a hundredth
 * of rtol, at most 1e-5. But index3 finds forces from positions, which must be exact. */
static void set_newton_tol(ga_integrator *it) {
  ga_options *o = &it->options;
  const bool automatic = o->rtol > 0 || o->atol > 0, free = o->newton_tol <= 0;
  if (free) o->newton_tol = automatic ? fmax(1e-12, fmin(1e-8, 1e-3 * o->rtol)) : 1e-12;
  const bool loose = free && automatic && !it->method->hidden_free;
  it->loose_tol = loose ? fmax(o->newton_tol, fmin(1e-5, 1e-2 * o->rtol)) : o->newton_tol;
}

/* The checks and allocations that need no communication: options, model, method, plan. Sets
 * it->method, rho_inf, h, step_size.on; on failure the message is in it->error. */
static ga_status check_alone(ga_integrator *it) {
  ga_error *err = &it->error;
  ga_status status = ga_check_step_size(it->options.h, err);
  if (status == GA_OK) status = ga_options_validate(&it->options, err);
  if (status == GA_OK) status = ga_model_validate(it->model, err);
  if (status != GA_OK) return status;
  it->method = ga_method_find(it->options.method, it->options.variant, err);
  if (!it->method) return err->code;
  it->rho_inf = ga_params_check(&it->options.par).rho_inf;
  status = check_team(&it->options, err);
  if (status == GA_OK) status = check_accuracy(&it->options, err);
  if (status == GA_OK) status = ga_check_setting(it->method, it->model, &it->options, err);
  if (status != GA_OK) return status;
  it->h = it->options.h;
  set_newton_tol(it);
  it->step_size.on = it->options.rtol > 0 || it->options.atol > 0;
  return ga_plan_init(it);
}

/* Then those of the model, still without communication. The arrays of the state are made once. */
static ga_status evaluate_alone(ga_integrator *it) {
  const bool first = !it->state.q;
  ga_status status = ga_eval_init(&it->eval, it->model, &it->system, &it->error);
  it->eval.present =
      it->presence.on && !it->presence.all && !it->presence.waiting ? &it->presence.rows : NULL;
  if (status != GA_OK) return status;
  if (first) allocate_arrays(it);
  ga_contacts_init(it);
  if (first) ga_presence_show_to(it);
  if (!it->arena.failed && !it->system.failed) return GA_OK;
  return ga_fail(&it->error, GA_ERR_MEM, "no memory for the state");
}

/* Set up it->predictor. Multipliers are forces, except for eta: h^2 G^T eta is a way, as h^2 x is. If
 * the model has a metric, the unknowns are measured in it; see ga_start_weigh. */
static void init_predictor(ga_integrator *it) {
  const ga_equations *eq = &it->step.eq;
  const ga_method *method = it->method;
  ga_predictor *p = &it->predictor;
  p->blocks = 1 + method->ncon;
  for (int c = 0; c < method->ncon; c++) {
    p->begin[1 + c] = eq->mult_at[c];
    p->force[1 + c] = method->mult[c] != GA_BLOCK_ETA;
  }
  p->begin[p->blocks] = eq->n;
  p->team = it->eval.team;
  p->rho = it->rho_inf <= 1 ? it->rho_inf : 0; /* beyond 1: of explicit methods */
  ga_predictor_init(p, it->model->metric != NULL, &it->system);
  it->restart.line = ga_arena_doubles(&it->system, (size_t)p->n);
  it->restart.x = ga_arena_doubles(&it->system, (size_t)p->n);
  if (p->weight) it->start_work.weight = ga_arena_doubles(&it->system, (size_t)p->n);
}

ga_status ga_integrator_make_system(ga_integrator *it) {
  ga_error *err = &it->error;
  ga_team *team = it->options.team;
  ga_status status = ga_team_agree(team, evaluate_alone(it), err);
  if (status == GA_OK) status = ga_eval_join(&it->eval, team, &it->system);
  if (status == GA_OK) status = check_same_options(it);
  if (status == GA_OK) {
    status = ga_saddle_init(&it->saddle, &it->eval, &it->options, &it->system);
  }
  if (status == GA_OK) {
    /* slots for rows that are left out: with contacts, else see ga_redundancy_make_slots */
    const bool slots = it->contacts.n > 0;
    /* contacts that are near decide by the signs of forces, which must be exact */
    const double loose = slots ? it->options.newton_tol : it->loose_tol;
    status = ga_step_init(&it->step, it->method, &it->options, loose, slots, &it->eval, &it->stats,
                          &it->system);
  }
  if (status != GA_OK) return status;
  ga_redundancy_init(it);
  ga_passages_init(it);
  ga_far_roots_init(it);
  init_predictor(it);
  ga_step_size_init(it);
  ga_projector_init(&it->projector, &it->saddle, &it->system);
  if (it->system.failed || it->arena.failed) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for the state");
  }
  return ga_team_agree(team, status, err);
}

void ga_integrator_close_system(ga_integrator *it) {
  ga_step_close(&it->step);
  ga_redundancy_close(it);
  ga_saddle_close(&it->saddle);
  ga_contacts_free(it);
  ga_arena_free(&it->system);
}

/* Check everything and allocate all members of *it, whose model and options are set. Collective in
 * a team; on failure the message is in it->error and the caller frees it. */
static ga_status set_up(ga_integrator *it) {
  ga_status status = ga_team_agree(it->options.team, check_alone(it), &it->error);
  if (status == GA_OK) status = ga_presence_init(it);
  return status == GA_OK ? ga_integrator_make_system(it) : status;
}

/* Make an integrator. Options are copied, model and team are borrowed. On failure *out is NULL and
 * *err has the message. Collective in a team. */
ga_status ga_integrator_new(const ga_model *model, const ga_options *options, ga_integrator **out,
                            ga_error *err) {
  if (!out) return ga_fail(err, GA_ERR_ARG, "out is NULL");
  *out = NULL;
  ga_team *team = options ? options->team : NULL;
  if (team && team->processes == 1 && !team->linsol) team = NULL;
  if (team && (!team->ops || !team->ops->sum_shared || !team->ops->reduce || !team->linsol)) {
    return ga_fail(err, GA_ERR_ARG, "the team lacks sum_shared, reduce or linsol");
  }
  ga_integrator *it = ga_calloc(1, sizeof *it);
  ga_status status = it ? GA_OK : ga_fail(err, GA_ERR_MEM, "no memory for an integrator");
  status = ga_team_agree(team, status, err);
  if (status != GA_OK) {
    ga_free(it);
    return status;
  }
  it->model = model;
  it->options = options ? *options : ga_options_default();
  it->options.team = team;
  status = set_up(it);
  if (status == GA_OK) {
    *out = it;
    return GA_OK;
  }
  ga_fail(err, status, "%s", it->error.text);
  ga_integrator_free(it);
  return status;
}

void ga_integrator_control_steps(ga_integrator *it, const ga_options *o) {
  ga_options *own = &it->options;
  own->h = it->h = o->h;
  own->h_max = o->h_max;
  own->rtol = o->rtol, own->atol = o->atol;
  own->newton_tol = o->newton_tol;
  own->initial = o->initial, own->initial_tol = o->initial_tol;
  set_newton_tol(it);
  it->step_size.on = own->rtol > 0 || own->atol > 0;
  it->step_size.rough_most = ga_step_size_rough_most(own->rtol);
  ga_acceptance_set_tolerances(&it->step.newton.acceptance, own->newton_tol, it->loose_tol);
}

/* Free the integrator and all it owns, not model and team; NULL is allowed, and one half made. */
void ga_integrator_free(ga_integrator *it) {
  if (!it) return;
  ga_inputs_close(&it->eval.inputs);
  ga_integrator_close_system(it);
  ga_free(it->presence.near.item);
  ga_arena_free(&it->arena);
  ga_free(it->events.item);
  ga_free(it);
}

/* Number of factorizations with new pivots of both linear solvers since they were opened. */
long ga_integrator_repivots(const ga_integrator *it) {
  return ga_factors_repivots(&it->step.factors) + it->saddle.kkt.ls.repivots;
}

/* Set stats.repivots to the number since the start. */
void ga_integrator_count_repivots(ga_integrator *it) {
  it->stats.repivots = ga_integrator_repivots(it) - it->repivots_base;
}

/* Put "start at t = ..:" in front of the message, and remove a "t = ..:" that is in it already. */
static void prefix_start_time(ga_error *err, double t) {
  char at[40];
  const int n = snprintf(at, sizeof at, "t = %.9g: ", t);
  char *again = strstr(err->text, at);
  if (again) memmove(again, again + n, strlen(again + n) + 1);
  ga_error_prefix(err, "start at t = %.9g", t);
}

/* After a start or restart at mem.t: reset the step plan (again: only if it has several fractions,
 * times stay t0 + n h) and the events and call the observer (GA_STOPPED if it says so).
 * Collective. */
static ga_status begin_and_observe(ga_integrator *it, bool again) {
  it->started = true;
  it->input_changed = false;
  it->state.h = 0;
  it->state.t = it->mem.t;
  ga_integrator_inputs_show(it);
  it->last.valid = false;
  /* false: begin with the first fraction of h */
  if (!again || it->sequence.n > 1) ga_plan_rebase(it, false);
  ga_presence_show(it);
  ga_status status = ga_events_begin(it);
  return status == GA_OK ? ga_loop_observe(it) : status;
}

/* Compute a start, forgetting all steps before, then begin_and_observe. If the start fails, the
 * accepted state does not change; the message begins with the time. Collective. */
static ga_status start_and_observe(ga_integrator *it, const ga_beginning *from) {
  ga_eval_set_step(&it->eval, it->h); /* automatic steps find theirs */
  ga_kkt_reset(&it->saddle.kkt);
  long repivots = ga_integrator_repivots(it);
  ga_status status = ga_integrator_inputs_begin(it, from);
  if (status == GA_OK) status = ga_presence_start(it, from->t, from->q, from->v);
  ga_contacts_reset(it, from->again);
  if (status == GA_OK && it->contacts.n > 0) {
    status = ga_contacts_drop_joints(it, from->t, from->q, from->v);
  }
  if (status == GA_OK) status = ga_start_at(it, from);
  it->restart.fresh = !it->step_size.on && !it->saddle.soft;
  bool damp = it->restart.sudden;
  if (status == GA_OK && it->restart.fresh && !damp) {
    status = ga_restart_start_gains(it, it->h, &damp);
  }
  if (status == GA_OK && it->restart.fresh && damp) {
    it->restart.fresh = false;
    status = ga_restart_damp_start(it, it->h, &damp);
  }
  if (status == GA_OK && it->contacts.n > 0) status = ga_contacts_start(it);
  if (status == GA_OK && !from->again) it->repivots_base = repivots;
  ga_integrator_count_repivots(it);
  if (status == GA_OK) ga_corners_begin(it, from->again);
  if (status == GA_OK) return begin_and_observe(it, false);
  prefix_start_time(&it->error, from->t);
  return status;
}

/* GA_ERR_ARG unless t0, q0 and v0 are given and finite. */
static ga_status check_start(ga_integrator *it, double t0, const double *q0, const double *v0) {
  if (!q0 || !v0) return ga_fail(&it->error, GA_ERR_ARG, "q0 or v0 is NULL");
  bool finite = isfinite(t0) && ga_first_nonfinite(it->eval.nq, q0) < 0 &&
                ga_first_nonfinite(it->eval.nv, v0) < 0;
  return finite ? GA_OK : ga_fail(&it->error, GA_ERR_ARG, "t0, q0 or v0 is not finite");
}

/* Start a run at (t0, q0, v0): statistics begin anew, the observer is called. GA_ERR_ARG if a value
 * is missing or not finite; on failure the accepted state does not change. Collective. */
ga_status ga_integrator_start(ga_integrator *it, double t0, const double *q0, const double *v0) {
  ga_error_clear(&it->error);
  ga_status status = ga_team_agree(it->eval.team, check_start(it, t0, q0, v0), &it->error);
  if (status != GA_OK) return status;
  /* with contacts reactions are linear, and need no guess */
  const double *guess = it->presence.on ? NULL : it->options.multiplier_guess;
  if (it->step_size.on) it->h = it->options.h;
  return start_and_observe(it, &(ga_beginning){.t = t0,
                                               .q = q0,
                                               .v = v0,
                                               .lam = guess,
                                               .psi = guess ? guess + it->eval.nlam : NULL,
                                               .start = it->options.start,
                                               .initial = it->options.initial});
}

/* As a start at the accepted time with q, v (NULL: the accepted ones); statistics go on. */
static ga_status start_again(ga_integrator *it, const double *q, const double *v) {
  return start_and_observe(it, &(ga_beginning){.t = it->mem.t,
                                               .q = q ? q : it->mem.q,
                                               .v = v ? v : it->mem.v,
                                               .lam = it->mem.lam,
                                               .psi = it->mem.psi,
                                               .start = it->options.start,
                                               .initial = it->options.initial,
                                               .again = true,
                                               .own = !q && !v});
}

/* Continue at the accepted time with new q or v (NULL: the accepted ones); statistics go on. With a
 * new q, with redundant rows and in a singular position this is a start; else see restart.c. On
 * failure the accepted state does not change. Collective. */
ga_status ga_integrator_restart(ga_integrator *it, const double *q, const double *v) {
  return ga_integrator_restart_after(it, q, v, false);
}

/* The same; inputs: nothing has changed but inputs, on which neither g nor corners depend. */
ga_status ga_integrator_restart_after(ga_integrator *it, const double *q, const double *v,
                                      bool inputs) {
  ga_status status = GA_OK;
  bool done = false;
  const bool known = inputs && it->corners.known && it->corners.next.t > it->mem.t;
  ga_error_clear(&it->error);
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  if ((q && ga_first_nonfinite(it->eval.nq, q) >= 0) ||
      (v && ga_first_nonfinite(it->eval.nv, v) >= 0)) {
    status =
        ga_fail(&it->error, GA_ERR_ARG, "restart at t = %.9g: q or v is not finite", it->mem.t);
  }
  status = ga_team_agree(it->eval.team, status, &it->error);
  if (status != GA_OK) return status;
  if (q || v || it->contacts.n == 0) {
  } else {
    status = ga_contacts_settle(it);
    if (status != GA_OK) return status;
  }
  if (q || it->saddle.soft || it->redundancy.singular || (v && it->contacts.n > 0)) {
    return start_again(it, q, v);
  }
  const bool sound = inputs && it->eval.npsi_all == 0 && it->contacts.n == 0;
  status = ga_restart_here(it, v, sound, &done);
  ga_integrator_count_repivots(it);
  ga_corners_begin(it, true);
  it->corners.known = known;
  if (status == GA_OK) return done ? begin_and_observe(it, true) : start_again(it, q, v);
  prefix_start_time(&it->error, it->mem.t);
  return status;
}

/* Set the function to be called after a start and each accepted step; NULL: none. */
void ga_integrator_observe(ga_integrator *it, ga_observer observer, void *context) {
  it->observer = observer;
  it->observer_context = context;
}

/* The accepted state; the pointer stays valid, the numbers change with every step. */
const ga_state *ga_integrator_state(const ga_integrator *it) {
  return &it->state;
}

/* The statistics since the start; the pointer stays valid, the numbers change with every step. */
const ga_stats *ga_integrator_stats(const ga_integrator *it) {
  return &it->stats;
}

/* Status and message of the last call that failed. */
const ga_error *ga_integrator_error(const ga_integrator *it) {
  return &it->error;
}

/* The options in use: a copy of those given. */
const ga_options *ga_integrator_options(const ga_integrator *it) {
  return &it->options;
}

/* Name of the linear solver of the steps, "" if it has none. */
const char *ga_integrator_linsol(const ga_integrator *it) {
  const ga_linsol_ops *ops = it->step.factors.ls.ops;
  return ops->name ? ops->name : "";
}

/* Why that linear solver was chosen, as text. */
const char *ga_integrator_linsol_why(const ga_integrator *it) {
  return it->step.factors.ls.why;
}

/* The dependent rows found last (ndependent = 0: none); its arrays belong to the integrator and
 * change at the next start. */
ga_dependency ga_integrator_dependency(const ga_integrator *it) {
  const ga_rank *found = &it->redundancy.found;
  int rows = it->eval.nlam + it->eval.npsi;
  return (ga_dependency){.t = it->redundancy.t_found,
                         .q = it->redundancy.q_found,
                         .rows = rows,
                         .rank = rows - found->ndependent,
                         .ndependent = found->ndependent,
                         .dependent = found->dependent,
                         .start = found->start,
                         .from = found->from,
                         .coef = found->coef,
                         .residual = found->residual,
                         .unique = found->unique};
}

/* Write a sentence on the i-th dependent row to text, an array of size room; false if there is no
 * such row. */
bool ga_integrator_dependency_text(const ga_integrator *it, int i, char *text, size_t room) {
  if (it->redundancy.found.ndependent == 0 || room == 0) return false;
  return ga_rank_sentence(&it->redundancy.found, it->eval.nlam, it->model->lam_names,
                          it->model->psi_names, i, text, room);
}
