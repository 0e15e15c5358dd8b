/* SPDX-License-Identifier: MIT */
/* Redundant constraints: the rank at a start, which rows are kept, and guesses for their
 * multipliers. See the head of redundancy.c. */
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

static const double PROBE = 1e-2;    /* Distance of positions around a start, relative to |q|, */
static const double NEARER = 0.0625; /* and how much nearer the next one is if that fails. */
/* Residuals relative to sum_j |G_ij| Q/sqrt(w_j), Q the size of q (or v) in the metric W: */
static const double ON = 1e-11; /* A position is used if they are below this. */
enum { PROBES = 3, DISTANCES = 3 };

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
  ga_rank_masses(&s->M, it->eval.metric, r->mass);
  const ga_rank_rows rows = {.G = &s->G,
                             .H = &s->H,
                             .mass = r->mass,
                             .reach = it->model->row_reach,
                             .metric = it->eval.metric};
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
double ga_redundancy_random(unsigned i, unsigned probe) {
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
    d[i] = ga_redundancy_random((unsigned)i, probe) / sqrt(it->redundancy.mass[i]);
  }
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  ga_csr_mul_add(&s->M, 1, d, s->rhs);
  status = ga_saddle_solve(s);
  memcpy(d, s->rhs, (size_t)it->eval.nv * sizeof(double));
  return status;
}

/* r->q = a position on g = 0 at this distance, in the metric W, from at->q along d; false if there
 * is none: the projection fails, moves it by more than half of the distance, or leaves g != 0. */
static bool move_by(ga_integrator *it, const ga_eval_point *at, const double *d, double distance) {
  ga_redundancy *r = &it->redundancy;
  ga_eval *e = &it->eval;
  double step = distance / ga_measure(e, d);
  for (int i = 0; i < e->nv; i++) r->v[i] = step * d[i];
  ga_space_step(it->model->space, at->q, r->v, r->q);
  bool found = ga_project_position(&it->projector, at->t, r->q, at->v, NULL) == GA_OK;
  ga_csr *G = &it->saddle.G;
  const ga_evaluation out = {.g = r->g, .G = G};
  if (found) found = ga_eval_all(e, at->t, r->q, NULL, &out) == GA_OK;
  ga_error_clear(&it->error);
  if (!found) return false;
  ga_space_diff(it->model->space, at->q, r->q, r->vd);
  if (!(ga_measure_difference(e, r->vd, r->v) <= 0.5 * distance)) return false;
  double size = ON * ga_measure_position(e, r->q, r->vd);
  for (int i = 0; i < e->nlam; i++) {
    if (!(fabs(r->g[i]) <= size * ga_measure_row(e, G, i, i))) return false;
  }
  return true;
}

/* r->q = a position on g = 0 beside at->q along d, as far away as one of DISTANCES allows, PROBE of
 * the size of q at most; false if there is none. */
static bool move_along(ga_integrator *it, const ga_eval_point *at, const double *d) {
  const ga_eval *e = &it->eval;
  double largest = ga_measure(e, d);
  if (!(largest > 0) || !isfinite(largest) || e->nlam == 0) return false;
  double distance = PROBE * ga_measure_position(e, at->q, it->redundancy.vd);
  bool found = false;
  for (int k = 0; k < DISTANCES && distance > 0 && !found; k++, distance *= NEARER) {
    found = move_by(it, at, d, distance);
  }
  return found;
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

/* Copy to r->kept what a start changes: rows left out, their units, rank, growth, soft rows. */
void ga_redundancy_keep(ga_integrator *it) {
  ga_redundancy *r = &it->redundancy;
  const ga_equations *eq = &it->step.eq;
  size_t rows = (size_t)eq->nlam + (size_t)eq->npsi;
  if (!r->on) return;
  r->kept.soft = it->saddle.soft;
  r->kept.singular = r->singular;
  r->kept.rank = r->rank;
  r->kept.calm = r->calm;
  r->kept.ndropped = eq->ndropped;
  memcpy(r->kept.reference, r->reference, sizeof r->reference);
  memcpy(r->kept.dropped, eq->dropped, rows * sizeof(bool));
  memcpy(r->kept.unit, eq->unit, rows * sizeof(double));
}

/* After a start that failed: everything in r->kept as it was before. */
void ga_redundancy_restore(ga_integrator *it) {
  ga_redundancy *r = &it->redundancy;
  ga_equations *eq = &it->step.eq;
  size_t rows = (size_t)eq->nlam + (size_t)eq->npsi;
  if (!r->on) return;
  r->singular = r->kept.singular;
  r->rank = r->kept.rank;
  r->calm = r->kept.calm;
  r->aged = false;
  eq->ndropped = r->kept.ndropped;
  memcpy(r->reference, r->kept.reference, sizeof r->reference);
  memcpy(eq->dropped, r->kept.dropped, rows * sizeof(bool));
  memcpy(eq->unit, r->kept.unit, rows * sizeof(double));
  it->saddle.soft = r->kept.soft;
  it->saddle.dropped = it->saddle.soft ? eq->dropped : NULL;
  ga_rank_free(&r->chosen);
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

/* After a load: set r->found at the accepted state, or clear it if no row is left out. */
ga_status ga_redundancy_find_names(ga_integrator *it) {
  const ga_memory *mem = &it->mem;
  bool dropped = it->redundancy.on && it->step.eq.ndropped > 0;
  set_soft_rows(it);
  ga_rank_free(&it->redundancy.found);
  return dropped ? find_dependent_rows(it, mem->t, mem->q, mem->v) : GA_OK;
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
ga_status ga_redundancy_choose_anew(ga_integrator *it) {
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
