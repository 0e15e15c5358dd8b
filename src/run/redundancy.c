/* SPDX-License-Identifier: MIT */
/* Steps with redundant constraints.
 *
 * Rank. The rank r of the constraint rows is decided once, at a start. It is the largest rank found
 * there and at a few positions around it. It cannot be decided during a run: at Newton's iterates,
 * which violate the constraints, a redundant row looks independent, and in a singular position an
 * independent row looks redundant. r independent rows are kept. The others are left out of the
 * steps (equations.h); if one of them is violated later, it contradicts the kept ones.
 * Growth. Multipliers that a unit disturbance of the constraints causes have the size 1/sigma^2,
 * where sigma is the smallest singular value of the kept rows. This size is measured by one or two
 * solves with new factors (with every third ones while it stays small). If it has grown by AGED
 * since the rows were chosen, other rows are chosen, with the same r. If it has grown by SINGULAR
 * in spite of that, the position is singular. A step that ends there could leave its branch, so
 * loop.c lets it end elsewhere.
 * Multipliers. The smallest ones that cause the same forces are reported, see saddle.h. */
#include "run/redundancy.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

static const double AGED = 100;     /* The least singular value has fallen to 0.1 of its best. */
static const double SINGULAR = 1e8; /* The least singular value has fallen to 1e-4 of its best. */
static const double SECOND = 10;    /* Growth above this is measured by a second solve. */
/* Residuals relative to sum_j |G_ij| Q/sqrt(w_j), Q the size of q (or v) in the metric W: */
static const double VIOLATED = 1e-9;           /* Above this a row contradicts the others. */
static const double ROUND = 100 * DBL_EPSILON; /* Below this they are rounding errors of q. */
static const double SOFTEN = 1e-10; /* For ga_equations.soften, in a step to a singular position. */
static const double CALM = 3;       /* Growth below this will not be large in the next steps. */
enum { SKIPPED = 2 };

/* Set r->on; allocate lam, psi and, if it is on, the other arrays from it->arena. *r was zeroed,
 * it->step made. */
void ga_redundancy_init(ga_integrator *it) {
  ga_redundancy *r = &it->redundancy;
  r->on = it->options.redundant == GA_REDUNDANT_ALLOW && it->eval.nlam + it->eval.npsi > 0 &&
          it->contacts.n == 0; /* contacts decide on their rows themselves */
  r->lam = ga_arena_doubles(&it->system, (size_t)it->eval.nlam);
  r->psi = ga_arena_doubles(&it->system, (size_t)it->eval.npsi);
  if (!r->on) return;
  r->mass = ga_arena_doubles(&it->system, (size_t)it->eval.nv);
  r->b = ga_arena_doubles(&it->system, (size_t)it->step.eq.n);
  r->next = ga_arena_doubles(&it->system, (size_t)it->eval.nlam + (size_t)it->eval.npsi);
  r->kept.dropped =
      ga_arena_take(&it->system, (size_t)it->eval.nlam + (size_t)it->eval.npsi, sizeof(bool));
  r->kept.unit = ga_arena_doubles(&it->system, (size_t)it->eval.nlam + (size_t)it->eval.npsi);
  r->q = ga_arena_doubles(&it->system, (size_t)it->eval.nq);
  r->v = ga_arena_doubles(&it->system, (size_t)it->eval.nv);
  r->d = ga_arena_doubles(&it->system, (size_t)it->eval.nv);
  r->g = ga_arena_doubles(&it->system, (size_t)it->eval.nlam);
  r->vd = ga_arena_doubles(&it->system, (size_t)it->eval.nv);
  r->q_found = ga_arena_doubles(&it->system, (size_t)it->eval.nq);
  bool dense = strcmp(it->options.linsol, "dense") == 0;
  bool by_size = strcmp(it->options.linsol, "auto") == 0;
  r->way = dense ? GA_RANK_DENSE : by_size ? GA_RANK_AUTO : GA_RANK_SPARSE;
}

/* Free both rank analyses; the arrays belong to the arena. */
void ga_redundancy_close(ga_integrator *it) {
  ga_rank_free(&it->redundancy.found);
  ga_rank_free(&it->redundancy.chosen);
}

/* Rebuild it->step, with slots for rows left out; once, as the arena keeps the old arrays. */
ga_status ga_redundancy_make_slots(ga_integrator *it) {
  ga_equations *eq = &it->step.eq;
  if (eq->may_drop) return GA_OK;
  const ga_equations old = *eq;
  size_t rows = (size_t)eq->nlam + (size_t)eq->npsi;
  long repivots = ga_integrator_repivots(it);
  ga_step_close(&it->step);
  it->step = (ga_step){0};
  ga_status status = ga_step_init(&it->step, it->method, &it->options, it->loose_tol, true,
                                  &it->eval, &it->stats, &it->system);
  if (status != GA_OK) return status;
  it->repivots_base += ga_integrator_repivots(it) - repivots;
  memcpy(eq->dropped, old.dropped, rows * sizeof(bool));
  memcpy(eq->unit, old.unit, rows * sizeof(double));
  eq->ndropped = old.ndropped;
  eq->tab = old.tab;
  return GA_OK;
}

/* Before a step is solved: tell its equations about a singular start and a patient step. */
void ga_redundancy_begin(ga_integrator *it) {
  it->step.eq.ahead = it->mem.first && it->redundancy.singular;
  it->step.eq.soften = it->redundancy.patient ? SOFTEN : 0;
}

/* ---- growth --------------------------------------------------------------------------------- */
/* The rows whose multipliers are reported, one entry for g and one for k if present; returns their
 * number. */
int ga_redundancy_channels(const ga_integrator *it, ga_channel out[2]) {
  const ga_equations *eq = &it->step.eq;
  const ga_method *method = eq->method;
  int found = 0;
  for (int nonhol = 0; nonhol < 2; nonhol++) {
    int mult = nonhol ? method->out_psi : method->out_lam, rows = GA_NONE;
    for (int c = 0; c < method->ncon; c++) {
      if ((method->con[c] == GA_ROW_NONHOL) == (nonhol != 0)) rows = c;
    }
    int n = nonhol ? eq->npsi : eq->nlam, at = nonhol ? eq->nlam : 0;
    if (rows == GA_NONE || mult == GA_NONE || n == 0) continue;
    out[found++] = (ga_channel){.first = at,
                                .rows = eq->con_at[rows],
                                .mult = eq->mult_at[mult],
                                .n = n,
                                .length = eq->unit ? eq->unit + at : NULL,
                                .dropped = eq->ndropped > 0 ? eq->dropped + at : NULL};
  }
  return found;
}

/* b = length_i times a random sign (size = 0), or length_i^2 times the last answer over its size,
 * in the constraint rows that are kept; zero elsewhere. */
static void set_disturbance(ga_integrator *it, const ga_channel *ch, int count, double size) {
  const ga_equations *eq = &it->step.eq;
  double *b = it->redundancy.b, *next = it->redundancy.next;
  for (int k = 0, at = 0; k < count; k++) {
    for (int i = 0; i < ch[k].n; i++, at++) {
      double sign = ga_redundancy_random((unsigned)(ch[k].rows + i), 7) > 0 ? 1 : -1;
      double unit = size > 0 ? ch[k].length[i] * b[ch[k].mult + i] / size : sign;
      next[at] = ga_channel_leaves_out(ch + k, i) ? 0 : ch[k].length[i] * unit;
    }
  }
  memset(b, 0, (size_t)eq->n * sizeof(double));
  for (int k = 0, at = 0; k < count; at += ch[k++].n) {
    memcpy(b + ch[k].rows, next + at, (size_t)ch[k].n * sizeof(double));
  }
}

/* Solve with the disturbance of set_disturbance; *size becomes the largest multiplier of the
 * answer, in units of length. Two calls in a row are two steps of a power iteration. */
static ga_status solve_disturbed(ga_integrator *it, double *size) {
  ga_channel ch[2];
  int count = ga_redundancy_channels(it, ch);
  const double *b = it->redundancy.b;
  set_disturbance(it, ch, count, *size);
  *size = 0;
  ga_status status = ga_factors_solve(&it->step.factors, &it->step.eq, it->redundancy.b);
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < ch[k].n; i++) {
      *size = ga_larger(*size, ch[k].length[i] * fabs(b[ch[k].mult + i]));
    }
  }
  return status;
}

/* *relative: size of the multipliers relative to the smallest one since the rows were chosen, by
 * one solve and, above SECOND, by two. Smaller sizes become the reference. */
static ga_status measure_growth(ga_integrator *it, double *relative) {
  double *reference = it->redundancy.reference, size = 0;
  bool first = reference[0] == 0;
  *relative = 1;
  for (int round = 0; round < 2; round++) {
    ga_status status = solve_disturbed(it, &size);
    if (status != GA_OK || size == 0) return status;
    if (first || size < reference[round]) reference[round] = size;
    *relative = size / reference[round];
    if (!first && *relative <= SECOND) return GA_OK;
  }
  return GA_OK;
}

/* *relative growth (see the head), measured only for new factors (1: not measured). If it is
 * large and the factors are not of the end of this step, they are renewed there and it is
 * measured again. */
static ga_status growth_with_current_factors(ga_integrator *it, double *relative) {
  ga_factors *f = &it->step.factors;
  *relative = 1;
  bool known = it->redundancy.reference[0] > 0;
  if (known && !f->made) return GA_OK;
  if (known && it->redundancy.calm > 0) {
    it->redundancy.calm--;
    return GA_OK;
  }
  ga_status status = measure_growth(it, relative);
  it->redundancy.calm = *relative < CALM ? SKIPPED : 0;
  if (status != GA_OK || *relative <= AGED) return status;
  status = (f->made ? ga_factors_renew : ga_factors_replace)(f, &it->step.eq, it->step.newton.x);
  return status == GA_OK ? measure_growth(it, relative) : status;
}

/* Index of the first dropped row with |g_i| > sum_j |D_ij| size/sqrt(w_j), -1 if none. D: gradients
 * of the n rows from `first` on; size: allowed error of the coordinates or velocities in them, in the metric W. */
static int first_violated(const ga_eval *e, int n, int first, const bool *dropped, const double *g,
                          const ga_csr *D, double size) {
  for (int i = 0; i < n; i++) {
    const bool left_out = dropped[first + i];
    if (left_out && !(fabs(g[i]) <= size * ga_measure_row(e, D, i, first + i))) return i;
  }
  return -1;
}

/* GA_ERR_SINGULAR if a row that was left out is violated at the end of the step. Errors of q up to
 * VIOLATED of its size Q are allowed, errors of v up to VIOLATED of |v| + h |v'|, and rounding
 * errors of q divided by h; and what newton_tol of the accelerations means for q and v. */
static ga_status check_left_out(ga_integrator *it) {
  ga_equations *eq = &it->step.eq;
  ga_eval *e = &it->eval;
  const ga_site *at = &eq->site[GA_SITE_NEW];
  const double *x = it->step.newton.x + it->method->out_x * eq->nv;
  double size = ga_measure_position(e, at->q, it->redundancy.vd), value = 0;
  double step = eq->h * ga_measure(e, x), unsolved = it->options.newton_tol * step;
  double way = VIOLATED * size + eq->h * unsolved;
  double speed = VIOLATED * (ga_measure(e, at->v) + step) + ROUND * size / eq->h + unsolved;
  char name[96];
  int i = -1;
  bool hidden = false;
  if (eq->has_row[GA_ROW_POS]) {
    i = first_violated(e, eq->nlam, 0, eq->dropped, eq->g, &at->G, way);
    if (i >= 0) value = eq->g[i];
  }
  if (i < 0 && eq->has_row[GA_ROW_VEL]) {
    ga_status status = ga_eval_hidden(eq->eval, at->t, at->q, at->v, &at->G, eq->gv);
    if (status != GA_OK) return status;
    i = first_violated(e, eq->nlam, 0, eq->dropped, eq->gv, &at->G, speed);
    hidden = i >= 0;
    if (i >= 0) value = eq->gv[i];
  }
  if (i >= 0) {
    ga_eval_entry_name(name, sizeof name, "g", i, it->model->lam_names);
  } else {
    i = first_violated(e, eq->npsi, eq->nlam, eq->dropped, eq->k, &at->H, speed);
    if (i < 0) return GA_OK;
    value = eq->k[i];
    hidden = true;
    ga_eval_entry_name(name, sizeof name, "k", i, it->model->psi_names);
  }
  return ga_fail(
      &it->error, GA_ERR_SINGULAR,
      "t = %.9g: constraints contradict each other: %s is violated by %.3g%s, although it "
      "followed from the others at the start. Remove it, or make it fit",
      at->t, name, value, hidden ? " in velocities" : "");
}

/* After a step is solved: GA_ERR_SINGULAR, GA_RETRY_SINGULAR as in redundancy.h; sets r->aged. */
ga_status ga_redundancy_check(ga_integrator *it) {
  ga_redundancy *r = &it->redundancy;
  double grown;
  if (!r->on) return GA_OK;
  ga_status status = it->step.eq.ndropped > 0 ? check_left_out(it) : GA_OK;
  if (status == GA_OK) status = growth_with_current_factors(it, &grown);
  if (status != GA_OK) return status;
  if (!(grown <= SINGULAR) && !r->patient) {
    return ga_fail(&it->error, GA_RETRY_SINGULAR,
                   "t = %.9g: the position is singular: constraints that are independent elsewhere "
                   "depend on each other here",
                   it->step.eq.t1);
  }
  r->aged = grown > AGED && it->step.eq.ndropped > 0;
  return GA_OK;
}

/* Make it->mem.lam, psi the smallest multipliers; choose other rows if r->aged. */
ga_status ga_redundancy_accept(ga_integrator *it) {
  ga_redundancy *r = &it->redundancy;
  const ga_site *at = &it->step.eq.site[GA_SITE_NEW];
  if (!r->on || it->step.eq.ndropped == 0) return GA_OK;
  ga_status status = GA_OK;
  if (it->method->report != GA_REPORT_ALL) {
    const ga_csr *M = &at->M;
    if (it->step.eq.by_product) { /* that of the site is of the last Newton matrix */
      status = ga_eval_mass(&it->eval, at->t, at->q, &it->eval.M);
      M = &it->eval.M;
    }
    if (status == GA_OK) {
      status = ga_saddle_least(&it->saddle, M, &at->G, &at->H, it->mem.lam, it->mem.psi);
    }
  }
  if (status == GA_OK && r->aged) status = ga_redundancy_choose_anew(it);
  return status;
}
