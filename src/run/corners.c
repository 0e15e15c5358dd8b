/* SPDX-License-Identifier: MIT */
/* Corners of the model in time (ga_corner): nothing is stepped over, and order 2 is kept.
 *
 * A step that ends at a corner ends at the time `before` it, where all functions have their old
 * values. Then time moves to that of the corner, by rounding only, and the memory is built anew for
 * the motion behind it (restart.c); the step size stays. So neither the step before nor the one
 * behind sees both sides. Corners of the fourth derivative of the position and above need no new
 * memory: their error is O(h^3) in v, O(h^2) in lam, for one step.
 *
 * Automatic steps end at every corner. Given steps stay on their grid. A corner that falls on the
 * grid is met as above; one inside a step costs an order of accuracy at a jump of the force: a
 * warning, unless the option cut-at-corners lets the step end there, and the next one at the end of
 * the step that was cut.
 *
 * No position or velocity can jump: if g, G v + g_t or k changes at a corner by more than the start
 * of a run would tolerate, the run ends in front of it. A velocity without mass, the rate of a
 * controller's state, may jump: it is moved onto k = 0 of the time behind the corner. */
#include "run/corners.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

/* The largest automatic step as a fraction of the first run. What comes later and has no corner, a
 * wave or a bump of a smooth function, is not stepped over if it is longer than this. */
static const double LARGEST = 1.0 / 100;

/* The first automatic step behind a corner goes this fraction of the way to the next one, at most: what
 * happens between two corners, and is over at the second, is seen. Not a half, where waves are 0. */
static const double FIRST = 0.4;

static const double NEAREST = 1e-6; /* of a step: no memory is built for less, which is rounding */
static const double END = 1.01;     /* of a given step: surprises at its end are in it */
static const double SLACK = 1e-8; /* of a step: a corner that is so near to its end is at the end */
static const double ROUND = 100 * DBL_EPSILON; /* changes below this, relative to q, are rounding */
static const double JUMP = 1e-8; /* a force that changes by more than this of itself jumps */

/* jumps of a ga_corner */
enum { VELOCITY = 1, FORCE = 2, KINK = 3 };

/* Allocate the work arrays of this file from it->arena; the caller checks arena.failed. */
void ga_corners_init(ga_integrator *it) {
  ga_corners *c = &it->corners;
  const ga_eval *e = &it->eval;
  ga_arena *arena = &it->arena;
  double **const of_v[] = {&c->old_F, &c->new_F, &c->size_q, &c->size_v};
  ga_corner_rows *const rows[] = {&c->old, &c->new};
  ga_memory_carve(&c->left, e, arena);
  for (int i = 0; i < 4; i++) *of_v[i] = ga_arena_doubles(arena, (size_t)e->nv);
  for (int i = 0; i < 2; i++) {
    rows[i]->g = ga_arena_doubles(arena, (size_t)e->nlam);
    rows[i]->gv = ga_arena_doubles(arena, (size_t)e->nlam);
    rows[i]->drift = ga_arena_doubles(arena, (size_t)e->nlam);
    rows[i]->k = ga_arena_doubles(arena, (size_t)e->npsi);
    rows[i]->k_drift = ga_arena_doubles(arena, (size_t)e->npsi);
  }
}

/* Search for the next corner anew; again false: a new run, which warns anew and has no largest step
 * yet. */
void ga_corners_begin(ga_integrator *it, bool again) {
  it->corners.known = it->corners.passed = false;
  it->corners.behind = true;
  if (again) return;
  it->corners.warned = false;
  it->corners.h_largest = 0;
}

/* ---- the largest step -------------------------------------------------------------------- */

/* The largest automatic step; INFINITY: no limit. */
double ga_corners_largest_step(const ga_integrator *it) {
  double own = it->corners.h_largest;
  if (it->options.h_max > 0) return it->options.h_max;
  return own > 0 ? own : INFINITY;
}

/* How long the first run is; INFINITY: it has not begun. */
double ga_corners_span(const ga_integrator *it) {
  return it->corners.h_largest > 0 ? it->corners.h_largest / LARGEST : INFINITY;
}

/* A run to t_end begins. The first one after a start sets the largest automatic step; it->h is
 * limited by it. Collective. */
void ga_corners_limit_step(ga_integrator *it, double t_end) {
  if (!it->step_size.on) return;
  if (it->corners.h_largest == 0) {
    it->corners.h_largest = LARGEST * (t_end - it->mem.t);
    ga_step_size_first_run(it);
  }
  it->h = fmax(fmin(it->h, ga_corners_largest_step(it)), it->options.h_min);
}

/* ---- beside a start ---------------------------------------------------------------------- */

/* Has a force or its derivative a jump between t - h and t + h? *way: from t to the first jump behind
 * it, not at it but for rounding; INFINITY: none is so near. Collective. */
bool ga_corners_beside(const ga_integrator *it, double t, double h, double *way) {
  ga_team *team = it->eval.team;
  double near = 0;
  *way = INFINITY;
  for (double at = t - h;;) {
    const ga_corner c = ga_model_next_corner(it->model, at);
    if (!(c.before < t + h && c.t > at)) break;
    at = c.t;
    if (c.jumps > KINK) continue;
    near = 1;
    if (c.before - t > NEAREST * h) *way = fmin(*way, c.before - t);
  }
  near = ga_team_max(team, near);
  *way = -ga_team_max(team, -*way);
  return near > 0;
}

/* ---- the next corner --------------------------------------------------------------------- */

/* *c <- the first of the corners of all processes. Only the process that has it knows its name.
 * Collective. */
static ga_status join_team(ga_team *team, ga_corner *c) {
  double first = -c->t;
  if (!team) return GA_OK;
  ga_status status = ga_team_max_all(team, 1, &first);
  const bool mine = c->t == -first;
  double least[2] = {mine ? -c->before : -INFINITY, mine ? -(double)c->jumps : -INFINITY};
  if (status == GA_OK && isfinite(first)) status = ga_team_max_all(team, 2, least);
  if (!mine) c->name = c->what = NULL;
  c->t = -first;
  if (isfinite(first)) c->before = -least[0], c->jumps = (int)-least[1];
  return status;
}

/* corners.next <- the first corner after t; the first of all processes in a team. Collective. */
static ga_status find_after(ga_integrator *it, double t) {
  ga_corners *c = &it->corners;
  ga_status status = GA_OK;
  c->next = ga_model_next_corner(it->model, t);
  if (!(c->next.t > t && c->next.before <= c->next.t)) {
    status = ga_fail(&it->error, GA_ERR_MODEL,
                     "t = %.17g: the model's next corner is at %.17g (before: %.17g); it must be "
                     "later",
                     t, c->next.t, c->next.before);
  }
  status = ga_team_agree(it->eval.team, status, &it->error);
  return status == GA_OK ? join_team(it->eval.team, &c->next) : status;
}

/* Find the next corner after the accepted time, unless it is known. Collective. */
static ga_status find_next(ga_integrator *it) {
  if (it->corners.known) return GA_OK;
  const ga_status status = find_after(it, it->mem.t);
  it->corners.known = status == GA_OK;
  return status;
}

/* ---- jumps ------------------------------------------------------------------------------- */

/* GA_ERR_MODEL: row i of a constraint jumps by `by`. what: "position" or "rate". */
static ga_status fail_jump(ga_integrator *it, const ga_corner *c, const char *symbol, int i,
                           const char *const *names, const char *what, double by) {
  char row[96];
  ga_eval_entry_name(row, sizeof row, symbol, i, names);
  return ga_fail(&it->error, GA_ERR_MODEL,
                 "t = %.9g: %s prescribes a %s that jumps there, by %.3g. That needs an infinite "
                 "force; let it change smoothly, as step(t, t0, y0, t1, y1) does",
                 c->t, row, what, fabs(by));
}

/* The constraints of the accepted q and v at time t; saddle.M, G and H are those of it. */
static ga_status rows_at(ga_integrator *it, double t, ga_corner_rows *r) {
  ga_saddle *s = &it->saddle;
  const ga_memory *mem = &it->mem;
  const ga_evaluation out = {.M = &s->M,
                             .g = r->g,
                             .k = r->k,
                             .G = &s->G,
                             .H = &s->H,
                             .drift = r->drift,
                             .k_drift = r->k_drift};
  ga_status status = ga_eval_all(&it->eval, t, mem->q, mem->v, &out);
  return status == GA_OK ? ga_eval_hidden(&it->eval, t, mem->q, mem->v, &s->G, r->gv) : status;
}

/* sum_j |A_ij| |x_j| */
static double row_size(const ga_csr *A, int i, const double *x) {
  double sum = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) sum += fabs(A->val[e]) * fabs(x[A->col[e]]);
  return sum;
}

/* Is there a number other than 0 in row i of A? */
static bool has_row(const ga_csr *A, int i) {
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    if (A->val[e] != 0) return true;
  }
  return false;
}

/* Does row i of H have a velocity that can take a jump: without mass, and in no row of G? */
static bool moves_freely(const ga_saddle *s, int i) {
  for (int e = s->H.ptr[i]; e < s->H.ptr[i + 1]; e++) {
    const int j = s->H.col[e];
    bool held = s->H.val[e] == 0 || has_row(&s->M, j);
    for (int k = 0; k < s->G.ptr[s->G.nrow] && !held; k++) held = s->G.col[k] == j;
    if (!held) return true;
  }
  return false;
}

/* GA_ERR_MODEL if a constraint of this process jumps at the corner c. Allowed is what the check of
 * start values allows (start.c), and the change in a rounding error of the corner's time. *free: a
 * row jumps whose velocity can follow. */
static ga_status check_own_rows(ga_integrator *it, const ga_corner *c, bool *free) {
  const ga_corner_rows *old = &it->corners.old, *new = &it->corners.new;
  const ga_saddle *s = &it->saddle;
  const ga_eval *e = &it->eval;
  const double *v = it->mem.v;
  double tol = it->options.initial_tol, late = ROUND * fabs(c->t);
  double size = ga_measure_position(e, it->mem.q, it->corners.new_F), noise = ROUND * size / it->h;
  ga_status status = rows_at(it, c->before, &it->corners.old);
  if (status == GA_OK) status = rows_at(it, c->t, &it->corners.new);
  for (int i = 0; i < e->nlam && status == GA_OK; i++) {
    const double reach = ga_measure_row(e, &s->G, i, i), speed = row_size(&s->G, i, v);
    const double g = new->g[i] - old->g[i], gv = new->gv[i] - old->gv[i];
    const double drift = fmax(fabs(old->drift[i]), fabs(new->drift[i]));
    if (fabs(g) > fmax(tol, ROUND) * size * reach + late * speed + GA_UNDERFLOW)
      return fail_jump(it, c, "g", i, it->model->lam_names, "position", g);
    if (fabs(gv) > tol * speed + noise * reach + late * drift + GA_UNDERFLOW)
      return fail_jump(it, c, "g", i, it->model->lam_names, "rate", gv);
  }
  for (int i = 0; i < e->npsi && status == GA_OK; i++) {
    const double k = new->k[i] - old->k[i];
    const double drift = fmax(fabs(old->k_drift[i]), fabs(new->k_drift[i]));
    const double allowed =
        tol * row_size(&s->H, i, v) + noise * ga_measure_row(e, &s->H, i, e->nlam + i);
    if (fabs(k) <= allowed + late * drift + GA_UNDERFLOW) continue;
    *free = true;
    if (!moves_freely(s, i)) return fail_jump(it, c, "k", i, it->model->psi_names, "rate", k);
  }
  return status;
}

/* check_own_rows on all processes, if the corner may be one of positions or velocities. */
static ga_status check_constraints(ga_integrator *it, const ga_corner *c, bool *free) {
  *free = false;
  if (c->jumps > VELOCITY) return GA_OK;
  const ga_status own = check_own_rows(it, c, free);
  *free = ga_team_any(it->eval.team, *free);
  return ga_team_agree(it->eval.team, own, &it->error);
}

/* Do forces, or the accelerations that constraints prescribe, jump at the corner, for the accepted q
 * and v? False also if they cannot be evaluated there. Collective. */
static bool forces_jump(ga_integrator *it, const ga_corner *c) {
  ga_corners *w = &it->corners;
  ga_eval *e = &it->eval;
  const ga_memory *mem = &it->mem;
  const ga_error before = it->error;
  double size = ga_measure_position(e, mem->q, w->new_F), largest = 0, change = 0, drift = 0;
  bool jump = false;
  const double *const q = mem->q, *const v = mem->v;
  const bool ok = ga_eval_force(e, c->before, q, v, w->old_F) == GA_OK &&
                  ga_eval_force(e, c->t, q, v, w->new_F) == GA_OK &&
                  rows_at(it, c->before, &w->old) == GA_OK && rows_at(it, c->t, &w->new) == GA_OK;
  it->error = before;
  for (int i = 0; i < e->nv && ok; i++) {
    const double root = e->root_metric[i];
    largest = fmax(largest, fmax(fabs(w->old_F[i]), fabs(w->new_F[i])) / root);
    change = fmax(change, fabs(w->new_F[i] - w->old_F[i]) / root);
  }
  jump = change > JUMP * largest;
  const struct {
    int n;
    const double *old, *new;
  } rows[] = {{e->nlam, w->old.drift, w->new.drift}, {e->npsi, w->old.k_drift, w->new.k_drift}};
  for (int k = 0; k < 2 && ok; k++) {
    for (int i = 0; i < rows[k].n; i++) {
      drift = fmax(fabs(rows[k].old[i]), fabs(rows[k].new[i]));
      change = fabs(rows[k].new[i] - rows[k].old[i]);
      jump = jump || (change > JUMP * drift && change > ROUND * size / (it->h * it->h));
    }
  }
  return ga_team_any(it->eval.team, jump);
}

/* Warn, once in a run, if a force jumps at the corner c, or a velocity without mass (free), inside a
 * step of size h. Of a team, the process that has the force names it. Collective. */
static void warn_about_jump(ga_integrator *it, const ga_corner *c, bool free, double h) {
  char text[400];
  if (it->corners.warned || c->jumps > FORCE || !(free || forces_jump(it, c))) return;
  it->corners.warned = true;
  if (!it->options.log) return;
  snprintf(text, sizeof text,
           "%s%s%.80s%s jumps at t = %.9g, inside a step of h = %.3g, which is then of order 1 "
           "only; option cut-at-corners keeps order 2",
           c->what ? c->what : "a force of the model", c->name ? " '" : "", c->name ? c->name : "",
           c->name ? "'" : "", c->t, h);
  it->options.log(it->options.log_context, GA_LOG_WARNING, text);
}

/* ---- steps ------------------------------------------------------------------------------- */

/* The step size as a measure of time; at rest without a largest step, it->h grows without end. */
static double usual_step(const ga_integrator *it) {
  return fmin(it->h, it->options.h);
}

/* How far the first step behind a corner may go: up to `end`, or a fraction of the way to the next
 * corner. Given steps may reach it. */
static double first_end(const ga_integrator *it, double end) {
  const double way = it->corners.next.before - it->mem.t;
  return fmin(end, it->mem.t + (it->step_size.on ? FIRST : 1) * way);
}

/* Build the memory anew at the accepted time: as at a start where rows are redundant or the position
 * is singular, else by restart.c, with the step size from before, unless the next corner is nearer.
 * Collective. */
static ga_status rebuild_memory(ga_integrator *it) {
  ga_corners *c = &it->corners;
  ga_memory *mem = &it->mem;
  const size_t bytes = (size_t)it->eval.nv * sizeof(double);
  if (!it->saddle.soft && !it->redundancy.singular) {
    const double way = fmin(it->h, first_end(it, INFINITY) - mem->t);
    const double h = fmax(way, NEAREST * usual_step(it));
    const ga_status status = ga_restart_at_corner(it, h);
    if (status != GA_OK || it->step_size.on) return status;
    return ga_restart_damp_corner(it, h, c->left.vd);
  }
  if (it->step_size.on) {
    memcpy(c->size_q, it->step_size.size_q, bytes);
    memcpy(c->size_v, it->step_size.size_v, bytes);
  }
  ga_kkt_reset(&it->saddle.kkt);
  const ga_status status = ga_start_at(it, &(ga_beginning){.t = mem->t,
                                                           .q = mem->q,
                                                           .v = mem->v,
                                                           .lam = mem->lam,
                                                           .psi = mem->psi,
                                                           .start = it->options.start,
                                                           .initial = it->options.initial,
                                                           .again = true,
                                                           .own = true});
  for (int i = 0; i < it->eval.nv && status == GA_OK && it->step_size.on; i++) {
    it->step_size.size_q[i] = fmax(it->step_size.size_q[i], c->size_q[i]);
    it->step_size.size_v[i] = fmax(it->step_size.size_v[i], c->size_v[i]);
  }
  return status;
}

/* Behind a corner: move velocities without mass onto k = 0, then build the memory. corners.left is
 * the state before, whose v comes back on failure. Collective. */
static ga_status rebuild_with_rates(ga_integrator *it) {
  const size_t bytes = (size_t)it->eval.nv * sizeof(double);
  /* NULL, true: onto G v + g_t = 0 and k = 0; NULL: the change is not asked for */
  ga_status status =
      ga_project_velocity(&it->projector, it->mem.t, it->mem.q, it->mem.v, NULL, true, NULL);
  if (status == GA_OK) status = rebuild_memory(it);
  if (status != GA_OK) memcpy(it->mem.v, it->corners.left.v, bytes);
  return status;
}

/* Is the accepted time that of the next corner, up to rounding? */
static bool is_here(const ga_integrator *it) {
  const ga_corner *c = &it->corners.next;
  const double same = ga_same_time(it->mem.t, c->t) + 4 * DBL_EPSILON * usual_step(it);
  return isfinite(c->t) && c->t - it->mem.t <= same;
}

/* *here: all corners that are at the time of corners.next, up to rounding, and not after t_end, as one.
 * corners.next becomes the first one after them. */
static ga_status take_all_here(ga_integrator *it, double t_end, ga_corner *here) {
  ga_corners *c = &it->corners;
  *here = c->next;
  for (;;) {
    const ga_status status = find_after(it, here->t);
    const double same = isfinite(c->next.t) ? ga_same_time(here->t, c->next.t) : 0;
    if (status != GA_OK || !(c->next.t <= fmin(here->t + same, t_end))) return status;
    here->t = c->next.t;
    if (c->next.jumps < here->jumps) here->jumps = c->next.jumps;
  }
}

/* Pass the next corner if the accepted time is there; see corners.h. On failure the accepted state is
 * the one before the corner. */
ga_status ga_corners_pass(ga_integrator *it, double t_end) {
  ga_corners *c = &it->corners;
  ga_corner here;
  bool free;
  for (;;) {
    ga_status status = find_next(it);
    if (status != GA_OK || !(c->next.t <= t_end) || !is_here(it)) return status;
    /* the end of a run need not be passed: what jumps there may be of no interest */
    if (c->next.jumps <= VELOCITY && c->next.t == t_end) return GA_OK;
    const ga_corner first = c->next;
    const double t = it->mem.t;
    status = take_all_here(it, t_end, &here);
    /* given steps do not notice a smooth one */
    if (status == GA_OK && !it->step_size.on && here.jumps > KINK) continue;
    if (status == GA_OK) status = check_constraints(it, &here, &free);
    if (status == GA_OK) {
      ga_memory_copy(&c->left, &it->mem, &it->eval);
      ga_memory_set_time(it, here.t);
      if (here.jumps <= KINK) status = free ? rebuild_with_rates(it) : rebuild_memory(it);
      if (status == GA_OK && it->contacts.n > 0) status = ga_contacts_settle(it);
      c->left.t = it->mem.t;
    }
    if (status != GA_OK) {
      c->next = first;
      ga_memory_set_time(it, t);
      return status;
    }
    c->passed = c->behind = true;
  }
}

/* *c <- what a step of length `way` from the accepted time would pass over (ga_model_ops.surprise); if
 * something jumps there, that is the next corner. Only the process that has it knows its name.
 * Collective. */
static ga_status find_surprise(ga_integrator *it, double way, ga_corner *c) {
  const double t = it->mem.t;
  if (it->corners.behind) it->corners.since = t;
  *c = (ga_corner){.before = INFINITY, .t = INFINITY};
  if (!(way > 0 && isfinite(way))) return GA_OK;
  if (it->model->ops->surprise) {
    it->model->ops->surprise(it->model->user, it->corners.since, t, way, c);
  }
  const ga_status status = join_team(it->eval.team, c);
  if (!(c->before > t)) c->before = c->t = INFINITY;
  if (c->t < it->corners.next.t && c->jumps <= KINK) it->corners.next = *c;
  return status;
}

/* *end: t_end, or the time before the next corner if that comes first; behind a corner see FIRST. */
ga_status ga_corners_end(ga_integrator *it, double t_end, double *end) {
  ga_corner surprise;
  ga_status status = find_next(it);
  *end = fmin(t_end, it->corners.next.before);
  if (it->corners.behind) *end = first_end(it, *end);
  if (status == GA_OK) status = find_surprise(it, fmin(it->h, *end - it->mem.t), &surprise);
  if (status == GA_OK) *end = fmin(*end, surprise.before);
  return status;
}

/* Let the given step of *plan meet its corners, see corners.h. */
ga_status ga_corners_meet(ga_integrator *it, double t_end, ga_plan *plan) {
  ga_corners *c = &it->corners;
  bool free; /* without a cut, the step itself moves such velocities */
  ga_corner surprise;
  ga_status status = find_next(it);
  if (status == GA_OK && c->next.hidden) { /* also at the end of the step */
    status = find_surprise(it, END * plan->h, &surprise);
  }
  while (status == GA_OK) {
    const double slack = SLACK * plan->h + ga_same_time(it->mem.t, plan->t1);
    if (!(isfinite(c->next.t) && c->next.t <= fmin(plan->t1 + slack, t_end))) return GA_OK;
    if (c->next.jumps <= KINK && c->next.t >= plan->t1 - slack) { /* at the end of the step */
      plan->t1 = c->next.before;
      return GA_OK;
    }
    if (c->next.jumps <= KINK && it->options.cut_at_corners == GA_CUT_YES) {
      plan->rest = fmax(plan->rest, plan->t1);
      plan->t1 = c->next.before;
      plan->h = plan->t1 - it->mem.t;
      return GA_OK;
    }
    status = check_constraints(it, &c->next, &free);
    if (status != GA_OK) return status;
    warn_about_jump(it, &c->next, free, plan->h);
    status = find_after(it, c->next.t);
  }
  return status;
}
