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

#include <math.h>
#include <string.h>

#include "run/integrator.h"

static const double AGED = 100;      /* The least singular value has fallen to 0.1 of its best. */
static const double SINGULAR = 1e8;  /* The least singular value has fallen to 1e-4 of its best. */
static const double SECOND = 10;     /* Growth above this is measured by a second solve. */
static const double PROBE = 1e-2;    /* Distance of positions around a start, relative to |q|. */
static const double ON = 1e-11;      /* A position is used if |g| relative to |q| is below this. */
static const double VIOLATED = 1e-9; /* Relative residual at which a row contradicts the others. */
static const double SOFTEN = 1e-10; /* For ga_equations.soften, in a step to a singular position. */
static const double CALM = 3;       /* Growth below this will not be large in the next steps. */
enum { PROBES = 3, SKIPPED = 2 };

/* Set r->on; allocate lam, psi and, if it is on, the other arrays from it->arena. *r was zeroed,
 * it->step made. */
void ga_redundancy_init(ga_integrator *it) {
  ga_redundancy *r = &it->redundancy;
  r->on = it->options.redundant == GA_REDUNDANT_ALLOW && it->eval.nlam + it->eval.npsi > 0;
  r->lam = ga_arena_doubles(&it->arena, (size_t)it->eval.nlam);
  r->psi = ga_arena_doubles(&it->arena, (size_t)it->eval.npsi);
  if (!r->on) return;
  r->mass = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  r->b = ga_arena_doubles(&it->arena, (size_t)it->step.eq.n);
  r->next = ga_arena_doubles(&it->arena, (size_t)it->eval.nlam + (size_t)it->eval.npsi);
  r->q = ga_arena_doubles(&it->arena, (size_t)it->eval.nq);
  r->v = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  r->d = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  r->g = ga_arena_doubles(&it->arena, (size_t)it->eval.nlam);
  r->vd = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  r->q_found = ga_arena_doubles(&it->arena, (size_t)it->eval.nq);
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
  ga_status status =
      ga_step_init(&it->step, it->method, &it->options, true, &it->eval, &it->stats, &it->arena);
  if (status != GA_OK) return status;
  it->repivots_base += ga_integrator_repivots(it) - repivots;
  memcpy(eq->dropped, old.dropped, rows * sizeof(bool));
  memcpy(eq->unit, old.unit, rows * sizeof(double));
  eq->ndropped = old.ndropped;
  eq->tab = old.tab;
  return GA_OK;
}

/* ---- rank ------------------------------------------------------------------------------------ */
/* Evaluate M, G, H at (t, q, v) into the matrices of the saddle, set r->mass and analyze the rows;
 * the caller frees *rank, also after a failure. */
static ga_status analyze_rows(ga_integrator *it, double t, const double *q, const double *v,
                              ga_rank_way way, ga_rank *rank) {
  ga_saddle *s = &it->saddle;
  ga_redundancy *r = &it->redundancy;
  ga_status status = ga_eval_mass(&it->eval, t, q, &s->M);
  if (status == GA_OK) status = ga_eval_G(&it->eval, t, q, &s->G);
  if (status == GA_OK) status = ga_eval_H(&it->eval, t, q, v, &s->H);
  *rank = (ga_rank){0};
  if (status != GA_OK) return status;
  ga_rank_masses(&s->M, r->mass);
  const ga_rank_rows rows = {.G = &s->G, .H = &s->H, .mass = r->mass};
  return ga_rank_analyze(rank, &rows, way, &it->error);
}

/* Find the dependent rows at (t, q, v) in the order of the model, into r->found, for messages. */
static ga_status find_dependent_rows(ga_integrator *it, double t, const double *q,
                                     const double *v) {
  ga_redundancy *r = &it->redundancy;
  ga_rank_free(&r->found);
  r->t_found = t;
  memcpy(r->q_found, q, (size_t)it->eval.nq * sizeof(double));
  return analyze_rows(it, t, q, v, GA_RANK_SPARSE, &r->found);
}

/* eq.unit: sqrt(sum_j D_ij^2/m_j), the length of each row of G and H in the metric of the mass. */
static void measure_lengths(ga_integrator *it) {
  const ga_csr *const gradients[] = {&it->saddle.G, &it->saddle.H};
  double *length = it->step.eq.unit;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < gradients[k]->nrow; i++) {
      double sum = 0;
      for (int e = gradients[k]->ptr[i]; e < gradients[k]->ptr[i + 1]; e++) {
        double entry = gradients[k]->val[e];
        sum += entry * entry / it->redundancy.mass[gradients[k]->col[e]];
      }
      *length++ = sum > 0 ? sqrt(sum) : 1;
    }
  }
}

/* Leave out these rows from now on, measure growth anew. G, H, mass: of the last analyze_rows. */
static void set_dropped_rows(ga_integrator *it, const ga_rank *rank) {
  ga_equations *eq = &it->step.eq;
  memcpy(eq->dropped, rank->dropped, (size_t)rank->rows * sizeof(bool));
  eq->ndropped = rank->ndependent;
  it->redundancy.reference[0] = it->redundancy.reference[1] = 0;
  it->redundancy.aged = false;
  it->redundancy.calm = 0;
  measure_lengths(it);
}

/* Reproducible number in [-1, 1) for entry i of a probe. */
static double random_number(unsigned i, unsigned probe) {
  unsigned bits = (i + 1) * 2654435761u ^ (probe + 1) * 2246822519u;
  bits ^= bits >> 15;
  bits *= 2654435761u;
  return (double)bits / 2147483648.0 - 1;
}

/* d: a direction that the constraints allow at *at, the nearest to a random one in the M-norm. */
static ga_status random_direction(ga_integrator *it, const ga_eval_point *at, unsigned probe,
                                  double *d) {
  ga_saddle *s = &it->saddle;
  ga_status status = ga_saddle_factor(s, at->t, at->q, at->v);
  if (status != GA_OK) return status;
  for (int i = 0; i < it->eval.nv; i++) {
    d[i] = random_number((unsigned)i, probe) / sqrt(it->redundancy.mass[i]);
  }
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  ga_csr_mul_add(&s->M, 1, d, s->rhs);
  status = ga_saddle_solve(s);
  memcpy(d, s->rhs, (size_t)it->eval.nv * sizeof(double));
  return status;
}

/* r->q = a position on g = 0 at the distance PROBE from at->q along d; false if there is none. */
static bool move_along(ga_integrator *it, const ga_eval_point *at, const double *d) {
  ga_redundancy *r = &it->redundancy;
  int nv = it->eval.nv, nlam = it->eval.nlam;
  double largest = ga_max_abs(nv, d), size, moved = 0;
  if (!(largest > 0) || !isfinite(largest)) return false;
  ga_space_size(it->model->space, at->q, r->v);
  size = fmin(1, ga_max_abs(nv, r->v));
  if (size == 0) size = 1;
  double step = PROBE * size / largest;
  for (int i = 0; i < nv; i++) r->v[i] = step * d[i];
  ga_space_step(it->model->space, at->q, r->v, r->q);
  bool found = ga_project_position(&it->projector, at->t, r->q, at->v, &moved) == GA_OK && nlam > 0;
  if (found) found = ga_eval_g(&it->eval, at->t, r->q, r->g) == GA_OK;
  ga_error_clear(&it->error);
  return found && moved <= 0.5 * PROBE * size &&
         ga_max_abs(nlam, r->g) <= ON * (1 + ga_max_abs(it->eval.nq, r->q));
}

/* Analyze the rows at r->q, v; if their rank is larger than that of *best, replace *best. */
static ga_status take_larger_rank(ga_integrator *it, double t, const double *v, ga_rank *best) {
  ga_rank other;
  ga_status status = analyze_rows(it, t, it->redundancy.q, v, it->redundancy.way, &other);
  if (status == GA_OK && other.rank > best->rank) {
    ga_rank keep = *best;
    *best = other;
    other = keep;
    set_dropped_rows(it, best);
    status = find_dependent_rows(it, t, it->redundancy.q, v);
  }
  ga_rank_free(&other);
  return status;
}

/* Analyze PROBES positions near *at; *best is replaced by one of larger rank. */
static ga_status check_nearby_positions(ga_integrator *it, const ga_eval_point *at, ga_rank *best) {
  double *d = it->redundancy.d;
  ga_status status = GA_OK;
  for (int probe = 0; probe < PROBES && status == GA_OK; probe++) {
    memcpy(d, at->v, (size_t)it->eval.nv * sizeof(double));
    bool still = ga_max_abs(it->eval.nv, d) == 0;
    if (probe > 0 || still) status = random_direction(it, at, (unsigned)probe, d);
    if (status == GA_OK && move_along(it, at, d)) status = take_larger_rank(it, at->t, at->v, best);
  }
  return status;
}

/* Switch soft rows of the mass KKT system on or off; tell it which rows are left out. */
static void set_soft_rows(ga_integrator *it) {
  ga_equations *eq = &it->step.eq;
  it->saddle.soft = it->redundancy.on && (eq->ndropped > 0 || it->redundancy.singular);
  it->saddle.dropped = it->saddle.soft ? eq->dropped : NULL;
}

/* Decide rank and kept rows at (t, q, v): sets r->rank, singular, chosen, found, eq.dropped. */
ga_status ga_redundancy_start(ga_integrator *it, double t, const double *q, const double *v) {
  ga_redundancy *r = &it->redundancy;
  ga_rank best;
  r->singular = false;
  if (!r->on) return GA_OK;
  ga_rank_free(&r->found);
  ga_status status = analyze_rows(it, t, q, v, r->way, &best);
  int at_start = best.rank;
  if (status == GA_OK) set_dropped_rows(it, &best);
  if (status == GA_OK && best.ndependent > 0) {
    status = find_dependent_rows(it, t, q, v);
    const ga_eval_point at = {.t = t, .q = q, .v = v};
    if (status == GA_OK) status = check_nearby_positions(it, &at, &best);
  }
  r->rank = best.rank;
  r->singular = best.rank > at_start;
  ga_rank_free(&r->chosen);
  r->chosen = best;
  if (status == GA_OK && it->step.eq.ndropped > 0) status = ga_redundancy_make_slots(it);
  set_soft_rows(it);
  return status;
}

/* Set at->vd, lam, psi at the start *at; in a singular position the means of those at t - h and
 * t + h, h = at->h. */
ga_status ga_redundancy_acceleration(ga_integrator *it, ga_memory *at) {
  ga_redundancy *r = &it->redundancy;
  int nv = it->eval.nv, nlam = it->eval.nlam, npsi = it->eval.npsi;
  if (!r->singular) {
    return ga_saddle_acceleration(&it->saddle, at->t, at->q, at->v, at->vd, at->lam, at->psi);
  }
  memset(at->vd, 0, (size_t)nv * sizeof(double));
  memset(at->lam, 0, (size_t)nlam * sizeof(double));
  memset(at->psi, 0, (size_t)npsi * sizeof(double));
  for (int side = -1; side < 2; side += 2) {
    double t = at->t + side * at->h;
    for (int i = 0; i < nv; i++) r->d[i] = side * at->h * at->v[i];
    ga_space_step(it->model->space, at->q, r->d, r->q);
    memcpy(r->v, at->v, (size_t)nv * sizeof(double));
    ga_status status = ga_project_position(&it->projector, t, r->q, at->v, NULL);
    if (status == GA_OK)
      status = ga_project_velocity(&it->projector, t, r->q, r->v, NULL, true, NULL);
    if (status == GA_OK) {
      status = ga_saddle_acceleration(&it->saddle, t, r->q, r->v, r->vd, r->lam, r->psi);
    }
    if (status != GA_OK) return status;
    ga_axpy(nv, 0.5, r->vd, at->vd);
    ga_axpy(nlam, 0.5, r->lam, at->lam);
    ga_axpy(npsi, 0.5, r->psi, at->psi);
  }
  return GA_OK;
}

/* Before a step is solved: tell its equations about a singular start and a patient step. */
void ga_redundancy_begin(ga_integrator *it) {
  it->step.eq.ahead = it->mem.first && it->redundancy.singular;
  it->step.eq.soften = it->redundancy.patient ? SOFTEN : 0;
}

/* After a load: set r->found at the accepted state, or clear it if no row is left out. */
ga_status ga_redundancy_find_names(ga_integrator *it) {
  const ga_memory *mem = &it->mem;
  bool dropped = it->redundancy.on && it->step.eq.ndropped > 0;
  set_soft_rows(it);
  ga_rank_free(&it->redundancy.found);
  return dropped ? find_dependent_rows(it, mem->t, mem->q, mem->v) : GA_OK;
}

/* ---- growth --------------------------------------------------------------------------------- */
/* Constraint rows of one kind, which are disturbed, and their multipliers: n of them, which begin
 * at unknowns `rows` and `mult` of the step; length: of each row, see measure_lengths. */
typedef struct {
  int rows, mult, n;
  const double *length;
  const bool *dropped;
} channel;

/* The rows whose multipliers are reported, one entry for g and one for k if present; returns their
 * number. */
static int list_channels(const ga_integrator *it, channel out[2]) {
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
    out[found++] =
        (channel){eq->con_at[rows], eq->mult_at[mult], n, eq->unit + at, eq->dropped + at};
  }
  return found;
}

/* b = length_i times a random sign (size = 0), or length_i^2 times the last answer over its size,
 * in the constraint rows that are kept; zero elsewhere. */
static void set_disturbance(ga_integrator *it, const channel *ch, int count, double size) {
  const ga_equations *eq = &it->step.eq;
  double *b = it->redundancy.b, *next = it->redundancy.next;
  for (int k = 0, at = 0; k < count; k++) {
    for (int i = 0; i < ch[k].n; i++, at++) {
      double sign = random_number((unsigned)(ch[k].rows + i), 7) > 0 ? 1 : -1;
      double unit = size > 0 ? ch[k].length[i] * b[ch[k].mult + i] / size : sign;
      next[at] = ch[k].dropped[i] ? 0 : ch[k].length[i] * unit;
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
  channel ch[2];
  int count = list_channels(it, ch);
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

/* Index of the first dropped row with |g_i| > VIOLATED |D_i| size, -1 if none. D: gradients of the
 * n rows; size: scale of the coordinates or velocities in them. */
static int first_violated(int n, const bool *dropped, const double *g, const ga_csr *D,
                          double size) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    if (!dropped[i]) continue;
    for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) sum += fabs(D->val[e]);
    if (!(fabs(g[i]) <= VIOLATED * sum * size)) return i;
  }
  return -1;
}

/* GA_ERR_SINGULAR if a row that was left out is violated at the end of the step. */
static ga_status check_left_out(ga_integrator *it) {
  ga_equations *eq = &it->step.eq;
  const ga_site *at = &eq->site[GA_SITE_NEW];
  double size = 1 + ga_max_abs(eq->nq, at->q), speed = 1 + ga_max_abs(eq->nv, at->v), value = 0;
  char name[96];
  int i = -1;
  bool hidden = false;
  if (eq->has_row[GA_ROW_POS]) {
    i = first_violated(eq->nlam, eq->dropped, eq->g, &at->G, size);
    if (i >= 0) value = eq->g[i];
  }
  if (i < 0 && eq->has_row[GA_ROW_VEL]) {
    ga_status status = ga_eval_hidden(eq->eval, at->t, at->q, at->v, &at->G, eq->gv);
    if (status != GA_OK) return status;
    i = first_violated(eq->nlam, eq->dropped, eq->gv, &at->G, size + speed);
    hidden = i >= 0;
    if (i >= 0) value = eq->gv[i];
  }
  if (i >= 0) {
    ga_eval_entry_name(name, sizeof name, "g", i, it->model->lam_names);
  } else {
    i = first_violated(eq->npsi, eq->dropped + eq->nlam, eq->k, &at->H, size + speed);
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

/* Move the multipliers of dropped rows to those that they follow from: the force is the same. */
static void fold_multipliers(const ga_rank *rank, double *lam, int nlam, double *psi) {
  for (int d = 0; d < rank->ndependent; d++) {
    int row = rank->dependent[d];
    double *from = row < nlam ? lam + row : psi + row - nlam;
    for (int k = rank->start[d]; k < rank->start[d + 1]; k++) {
      int to = rank->from[k];
      *(to < nlam ? lam + to : psi + to - nlam) += rank->coef[k] * *from;
    }
    *from = 0;
  }
}

/* predictor.phi[0] = guess of the next step: the accepted state, all reactions on the kept rows. */
static void guess_kept(ga_integrator *it, const ga_rank *rank) {
  ga_memory guess = it->mem;
  double *lam = it->redundancy.lam, *psi = it->redundancy.psi;
  memcpy(lam, guess.lam, (size_t)it->eval.nlam * sizeof(double));
  memcpy(psi, guess.psi, (size_t)it->eval.npsi * sizeof(double));
  fold_multipliers(rank, lam, it->eval.nlam, psi);
  guess.lam = lam, guess.psi = psi;
  ga_predictor_forget(&it->predictor);
  ga_equations_guess(&it->step.eq, &guess, it->predictor.phi[0]);
  ga_equations_clear_dropped(&it->step.eq, it->predictor.phi[0]);
}

/* Put the guess of the first step after a start into predictor.phi[0]; frees r->chosen. */
void ga_redundancy_guess(ga_integrator *it) {
  guess_kept(it, &it->redundancy.chosen);
  ga_rank_free(&it->redundancy.chosen);
}

/* Choose other rows at the accepted state, as many as before. Not if the position is nearly
 * singular, where the rank looks smaller. */
static ga_status choose_anew(ga_integrator *it) {
  ga_redundancy *r = &it->redundancy;
  const ga_memory *mem = &it->mem;
  ga_rank rank;
  r->aged = false;
  ga_status status = analyze_rows(it, mem->t, mem->q, mem->v, r->way, &rank);
  bool other = status == GA_OK && rank.rank == r->rank &&
               memcmp(rank.dropped, it->step.eq.dropped, (size_t)rank.rows * sizeof(bool)) != 0;
  if (other) {
    set_dropped_rows(it, &rank);
    ga_factors_reset(&it->step.factors);
    guess_kept(it, &rank);
    it->stats.chosen++;
  }
  ga_rank_free(&rank);
  return status;
}

/* Make it->mem.lam, psi the smallest multipliers; choose other rows if r->aged. */
ga_status ga_redundancy_accept(ga_integrator *it) {
  ga_redundancy *r = &it->redundancy;
  const ga_site *at = &it->step.eq.site[GA_SITE_NEW];
  if (!r->on || it->step.eq.ndropped == 0) return GA_OK;
  ga_status status = GA_OK;
  if (it->method->report != GA_REPORT_ALL) {
    status = ga_saddle_least(&it->saddle, &at->M, &at->G, &at->H, it->mem.lam, it->mem.psi);
  }
  if (status == GA_OK && r->aged) status = choose_anew(it);
  return status;
}
