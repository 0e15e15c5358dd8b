/* SPDX-License-Identifier: MIT */
/* Life cycle of an integrator and the loop over steps. */
#include "step/integrator.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void carve(ga_integrator *it) {
  size_t nq = (size_t)it->eval.nq, nv = (size_t)it->eval.nv;
  size_t nlam = (size_t)it->eval.nlam, npsi = (size_t)it->eval.npsi;
  ga_arena *arena = &it->arena;
  double **const q_size[] = {&it->mem.q, &it->q, &it->qs};
  double **const v_size[] = {&it->mem.v,
                             &it->mem.vd,
                             &it->mem.a,
                             &it->v,
                             &it->a,
                             &it->vd,
                             &it->vdd,
                             &it->r,
                             &it->vs,
                             &it->d,
                             &it->mem.w,
                             &it->mem.a_used,
                             &it->mem.momentum,
                             &it->mem.momentum_used,
                             &it->w,
                             &it->momentum};
  double **const lam_size[] = {&it->mem.lam, &it->lam, &it->hidden};
  double **const psi_size[] = {&it->mem.psi, &it->psi};
  for (size_t i = 0; i < sizeof q_size / sizeof *q_size; i++) {
    *q_size[i] = ga_arena_doubles(arena, nq);
  }
  for (size_t i = 0; i < sizeof v_size / sizeof *v_size; i++) {
    *v_size[i] = ga_arena_doubles(arena, nv);
  }
  for (size_t i = 0; i < sizeof lam_size / sizeof *lam_size; i++) {
    *lam_size[i] = ga_arena_doubles(arena, nlam);
  }
  for (size_t i = 0; i < sizeof psi_size / sizeof *psi_size; i++) {
    *psi_size[i] = ga_arena_doubles(arena, npsi);
  }
  it->state = (ga_state){.q = it->mem.q,
                         .v = it->mem.v,
                         .vd = it->mem.vd,
                         .a = it->mem.a,
                         .lam = it->mem.lam,
                         .psi = it->mem.psi};
}

static ga_status set_up(ga_integrator *it) {
  ga_error *err = &it->error;
  double h = it->options.h;
  if (!(h > 0) || !isfinite(h)) {
    return ga_fail(err, GA_ERR_STEP, "step size h = %g must be positive and finite", h);
  }
  ga_status status = ga_options_validate(&it->options, err);
  if (status == GA_OK) status = ga_model_validate(it->model, err);
  if (status != GA_OK) return status;
  it->method = ga_method_find(it->options.method, it->options.variant, err);
  if (!it->method) return err->code;
  status = ga_check_setting(it->method, it->model, &it->options, err);
  if (status == GA_OK) status = ga_eval_init(&it->eval, it->model, &it->arena, err);
  if (status != GA_OK) return status;
  it->h = it->options.h;
  carve(it);
  if (it->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for the state");
  status = ga_saddle_init(&it->saddle, &it->eval, &it->options, &it->arena);
  if (status != GA_OK) return status;
  return ga_step_init(&it->step, it->method, &it->options, &it->eval, &it->stats, &it->arena);
}

ga_status ga_integrator_new(const ga_model *model, const ga_options *options, ga_integrator **out,
                            ga_error *err) {
  if (!out) return ga_fail(err, GA_ERR_ARG, "out is NULL");
  *out = NULL;
  ga_integrator *it = ga_calloc(1, sizeof *it);
  if (!it) return ga_fail(err, GA_ERR_MEM, "no memory for an integrator");
  it->model = model;
  it->options = options ? *options : ga_options_default();
  ga_status status = set_up(it);
  if (status == GA_OK) {
    *out = it;
    return GA_OK;
  }
  ga_fail(err, status, "%s", it->error.text);
  ga_integrator_free(it);
  return status;
}

void ga_integrator_free(ga_integrator *it) {
  if (!it) return;
  ga_step_close(&it->step);
  ga_saddle_close(&it->saddle);
  ga_arena_free(&it->arena);
  ga_free(it);
}

static int observe(ga_integrator *it) {
  it->state.t = it->mem.t;
  return it->observer ? it->observer(it->observer_context, &it->state, &it->stats) : 0;
}

long ga_integrator_repivots(const ga_integrator *it) {
  return it->step.ls.repivots + ga_split_repivots(&it->step.split) + it->saddle.ls.repivots;
}

/* also those of steps that failed and of projections */
static void count_repivots(ga_integrator *it) {
  it->stats.repivots = ga_integrator_repivots(it) - it->repivots_base;
}

/* Counting of t_n starts here. */
static void rebase(ga_integrator *it) {
  it->t_base = it->mem.t;
  it->n_base = 0;
}

ga_status ga_integrator_start(ga_integrator *it, double t0, const double *q0, const double *v0) {
  ga_error_clear(&it->error);
  if (!q0 || !v0) return ga_fail(&it->error, GA_ERR_ARG, "q0 or v0 is NULL");
  bool finite = isfinite(t0) && ga_first_nonfinite(it->eval.nq, q0) < 0 &&
                ga_first_nonfinite(it->eval.nv, v0) < 0;
  if (!finite) return ga_fail(&it->error, GA_ERR_ARG, "t0, q0 or v0 is not finite");
  ga_eval_set_step(&it->eval, it->h);
  ga_linsol_reset(&it->saddle.ls);
  long repivots = ga_integrator_repivots(it);
  ga_status status = ga_initial_start(it, t0, q0, v0);
  if (status == GA_OK) it->repivots_base = repivots;
  count_repivots(it);
  if (status != GA_OK) {
    ga_error_prefix(&it->error, "start at t = %.9g", t0);
    return status;
  }
  it->started = true;
  it->state.h = 0;
  rebase(it);
  if (observe(it) != 0) return ga_fail(&it->error, GA_STOPPED, "stopped by the observer");
  return GA_OK;
}

/* What is reported and no unknown of the step: from the equations of motion at its end. */
static ga_status report(ga_integrator *it) {
  ga_step *s = &it->step;
  const ga_method *method = it->method;
  const ga_site *end = &s->site[GA_SITE_NEW];
  if (method->report == GA_REPORT_STEP) return GA_OK;
  memcpy(it->saddle.guess, ga_step_multipliers(s, method->out_lam),
         (size_t)s->nlam * sizeof(double));
  memcpy(it->saddle.guess + s->nlam, ga_step_multipliers(s, method->out_psi),
         (size_t)s->npsi * sizeof(double));
  return ga_saddle_acceleration(&it->saddle, end->t, end->q, end->v, s->vd1, s->lam1, s->psi1);
}

/* the history corrected for h, then the step's equations solved */
static ga_status solve_step(ga_integrator *it, double h, double t1) {
  ga_history past;
  ga_status status = ga_history_correct(it, h, &past);
  if (status != GA_OK) return status;
  if (it->mem.fresh && it->options.start == GA_START_IMPLICIT) {
    return ga_initial_implicit(it, h, t1);
  }
  status = ga_step_begin(&it->step, &it->mem, &past, h, t1);
  return status != GA_OK ? status : ga_newton(&it->step);
}

/* one step of size h to t1; the memory changes only if all of it succeeds */
static ga_status advance(ga_integrator *it, double h, double t1) {
  ga_error_clear(&it->error);
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  if (!(t1 > it->mem.t) || h * h < DBL_MIN) {
    return ga_fail(&it->error, GA_ERR_STEP, "t = %.17g: a step of %g is too small", it->mem.t, h);
  }
  /* where t is so large that its rounding matters, the step is what t1 - t says */
  if (fabs(t1 - it->mem.t - h) > 1e-9 * h) h = t1 - it->mem.t;
  ga_status status = solve_step(it, h, t1);
  if (status == GA_OK) status = report(it);
  if (status == GA_OK) status = ga_step_end(&it->step, &it->mem);
  count_repivots(it);
  if (status != GA_OK) {
    it->stats.failed++;
    ga_step_reset(&it->step);
    return status;
  }
  it->mem.delta = it->delta;
  it->stats.steps++;
  it->n_base++;
  it->state.h = h;
  return GA_OK;
}

/* what follows an accepted step: projections if the options ask for them, then the observer */
static ga_status conclude(ga_integrator *it, ga_status status) {
  int every = it->options.project_every;
  if (status == GA_OK && every > 0 && it->stats.steps % every == 0) {
    status = ga_integrator_project_position(it, NULL);
    if (status == GA_OK) status = ga_integrator_project_velocity(it, GA_PROJECT_PLAIN, NULL);
  }
  if (status != GA_OK) return status;
  if (observe(it) == 0) return GA_OK;
  return ga_fail(&it->error, GA_STOPPED, "t = %.9g: stopped by the observer", it->mem.t);
}

/* t_{n+1} as a multiple of h from where h was set */
static double next_time(const ga_integrator *it) {
  return it->t_base + (double)(it->n_base + 1) * it->h;
}

ga_status ga_integrator_step(ga_integrator *it) {
  return conclude(it, advance(it, it->h, next_time(it)));
}

ga_status ga_integrator_run(ga_integrator *it, double t_end) {
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  if (!isfinite(t_end) || t_end < it->mem.t) {
    return ga_fail(&it->error, GA_ERR_ARG, "t_end = %g must be finite and not before t = %g", t_end,
                   it->mem.t);
  }
  double slack = 1e-8 * it->h + 4 * DBL_EPSILON * fabs(t_end);
  while (it->mem.t < t_end) {
    double t1 = next_time(it);
    ga_status status;
    double left = t_end - it->mem.t;
    if (left >= 2 * it->h - slack) {
      status = advance(it, it->h, t1);
    } else if (left > it->h + slack) {
      /* not a multiple of h: the last two steps share what is left, so that neither is tiny */
      status = advance(it, left / 2, it->mem.t + left / 2);
      if (status == GA_OK) rebase(it);
    } else {
      /* the last step: a full one that ends at t_end but for rounding, or a shorter one */
      status = advance(it, fabs(left - it->h) <= slack ? it->h : left, t_end);
      if (status == GA_OK) rebase(it);
    }
    status = conclude(it, status);
    if (status != GA_OK) return status;
  }
  return GA_OK;
}

ga_status ga_integrator_set_step(ga_integrator *it, double h) {
  if (!(h > 0) || !isfinite(h)) {
    return ga_fail(&it->error, GA_ERR_STEP, "step size h = %g must be positive and finite", h);
  }
  it->h = h;
  ga_eval_set_step(&it->eval, h);
  if (it->started) rebase(it);
  return GA_OK;
}

ga_status ga_integrator_project_position(ga_integrator *it, double *moved) {
  ga_error_clear(&it->error);
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  memcpy(it->q, it->mem.q, (size_t)it->eval.nq * sizeof(double));
  ga_status status = ga_project_position(it, it->mem.t, it->q, it->mem.v, moved);
  count_repivots(it);
  if (status != GA_OK) return status;
  memcpy(it->mem.q, it->q, (size_t)it->eval.nq * sizeof(double));
  it->step.G_is_at_n = false;
  return GA_OK;
}

/* keep-order: onto G v + g_t = h^2 G r, where a method that leaves it free would be */
ga_status ga_integrator_project_velocity(ga_integrator *it, ga_projection kind, double *moved) {
  ga_error_clear(&it->error);
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  const ga_memory *mem = &it->mem;
  const double *target = NULL;
  ga_status status = GA_OK;
  int nv = it->eval.nv, nlam = it->eval.nlam;
  if (kind == GA_PROJECT_KEEP_ORDER && it->method->hidden_free && nlam > 0) {
    ga_initial_guess(it);
    status = ga_initial_vdd(it, mem->t, mem->q, mem->v, mem->vd, mem->h, it->vdd);
    if (status == GA_OK) status = ga_hidden_target(it, mem->t, mem->q, mem->v, mem->vd, mem->h);
    target = it->hidden;
  }
  memcpy(it->v, mem->v, (size_t)nv * sizeof(double));
  if (status == GA_OK) {
    status = ga_project_velocity(it, mem->t, mem->q, it->v, target, false, moved);
  }
  count_repivots(it);
  if (status == GA_OK) memcpy(it->mem.v, it->v, (size_t)nv * sizeof(double));
  return status;
}

void ga_integrator_observe(ga_integrator *it, ga_observer observer, void *context) {
  it->observer = observer;
  it->observer_context = context;
}

const ga_state *ga_integrator_state(const ga_integrator *it) {
  return &it->state;
}
const ga_stats *ga_integrator_stats(const ga_integrator *it) {
  return &it->stats;
}
const ga_error *ga_integrator_error(const ga_integrator *it) {
  return &it->error;
}
const ga_options *ga_integrator_options(const ga_integrator *it) {
  return &it->options;
}
