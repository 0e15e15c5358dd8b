/* SPDX-License-Identifier: MIT */
/* The saddle-point system of assembly, equilibrium and modes. */
#include "kkt/static_system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "linsol/rank/rank.h"

/* Allocates matrices (W and D unit, the others zero) and vectors of s in its arena, which records
 * failure. nv, nlam, npsi, n and model must be set. with_tangents: K and C, too. */
static void allocate_matrices(ga_static_system *s, bool with_tangents) {
  const ga_model *model = s->model;
  ga_arena *arena = &s->arena;
  ga_csr_init_identity(&s->W, s->nv, arena);
  ga_csr_init(&s->G, s->nlam, s->nv, model->pat_G, arena);
  ga_csr_init(&s->H, s->npsi, s->nv, model->pat_H, arena);
  ga_csr_init_identity(&s->D, s->nlam + s->npsi, arena);
  ga_csr_init(&s->M, s->nv, s->nv, model->pat_M, arena);
  s->rhs = ga_arena_doubles(arena, (size_t)s->n);
  s->defect = ga_arena_doubles(arena, (size_t)s->n);
  s->sum = ga_arena_doubles(arena, (size_t)s->n);
  s->T = ga_arena_doubles(arena, (size_t)ga_space_tangent_size(model->space));
  if (!with_tangents) return;
  ga_csr_init(&s->K, s->nv, s->nv, model->pat_K, arena);
  ga_csr_init(&s->C, s->nv, s->nv, model->pat_K, arena);
}

/* Fills s for a model: evaluation, matrices, block matrix and linear solver. with_tangents: the
 * matrix contains K and M. err receives messages of later calls, too. Close s also on failure. */
ga_status ga_static_system_open(ga_static_system *s, const ga_model *model, bool with_tangents,
                                ga_error *err) {
  *s = (ga_static_system){.model = model, .nlam = model->nlam, .npsi = model->npsi};
  ga_status status = ga_model_validate(model, err);
  if (status == GA_OK) status = ga_eval_init(&s->eval, model, &s->arena, err);
  if (status != GA_OK) return status;
  s->nv = s->eval.nv;
  s->n = s->nv + s->nlam + s->npsi;
  allocate_matrices(s, with_tangents);
  if (s->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for a system of %d rows", s->n);
  const ga_kkt_blocks blocks = {.W = &s->W,
                                .K = with_tangents ? &s->K : NULL,
                                .M = with_tangents ? &s->M : NULL,
                                .G = &s->G,
                                .H = &s->H,
                                .E = &s->D};
  const ga_options options = ga_options_default();
  return ga_kkt_init(&s->kkt, &s->eval, &blocks, &options, true, &s->arena); /* true: loose */
}

/* frees everything in s; also after a failed open */
void ga_static_system_close(ga_static_system *s) {
  ga_kkt_close(&s->kkt);
  ga_arena_free(&s->arena);
}

/* Assembles the matrix with weights c and factors it (s->kkt). If the solver finds it
 * singular, e is increased up to 1e6 times. GA_RETRY_SINGULAR if that does not help; there are no
 * factors then. */
ga_status ga_static_system_factor(ga_static_system *s, const ga_static_system_weights *c) {
  ga_static_system_weights own = *c;
  ga_status status = GA_RETRY_SINGULAR;
  /* a solver may find dependent rows singular although e is not zero: more of it helps */
  for (int tries = 0; tries < 3 && status == GA_RETRY_SINGULAR; tries++, own.e *= 1e3) {
    const ga_kkt_weights signed_e = {.w = own.w, .k = own.k, .m = own.m, .e = -own.e};
    ga_kkt_assemble(&s->kkt, &signed_e);
    status = ga_kkt_factor(&s->kkt);
  }
  if (status == GA_OK) return GA_OK;
  if (status == GA_RETRY_SINGULAR) {
    return ga_fail(s->eval.err, status, "a system of %d rows is singular", s->n);
  }
  return ga_fail(s->eval.err, status < 0 ? status : GA_ERR_BACKEND,
                 "linear solver failed on a system of %d rows", s->n);
}

/* The largest |A_ii|/W_i of the matrix: it makes sqrt(W_i) x_i, times this, and sqrt(D_i) mu_i numbers
 * of one unit. */
static double largest_pull(const ga_static_system *s) {
  const ga_csr *A = &s->kkt.blocks.A;
  double largest = 0;
  for (int i = 0; i < s->nv; i++) {
    const int e = ga_csr_find(A, i, i);
    if (e >= 0) largest = fmax(largest, fabs(A->val[e]) / s->W.val[i]);
  }
  return largest;
}

/* Size of a vector of unknowns: the largest pull sqrt(W_i) |x_i| and sqrt(D_i) |mu_i|; NaN if one
 * is. pull: see largest_pull. */
static double size_of(const ga_static_system *s, double pull, const double *x) {
  double size = 0;
  for (int i = 0; i < s->n; i++) {
    const double unit = i < s->nv ? pull * sqrt(s->W.val[i]) : sqrt(s->D.val[i - s->nv]);
    size = ga_larger(size, unit * fabs(x[i]));
  }
  return size;
}

/* s->rhs <- solution, refined at most 4 times for the matrix with e_exact instead of the e of the
 * factors, which must exist. Overwrites s->sum and s->defect. GA_RETRY_SINGULAR if it is not
 * finite; then s->rhs is unchanged. */
ga_status ga_static_system_solve(ga_static_system *s, double e_exact) {
  enum { REFINEMENTS = 4 };
  const size_t bytes = (size_t)s->n * sizeof(double);
  /* the matrix as it stands has -e D; what it lacks of -e_exact D is added to the defect */
  const int rows = s->nlam + s->npsi;
  const double pull = largest_pull(s);
  double before = INFINITY;
  memset(s->sum, 0, bytes);
  memcpy(s->defect, s->rhs, bytes);
  for (int k = 0; k <= REFINEMENTS; k++) {
    const ga_status status = s->kkt.ls.ops->solve(&s->kkt.ls, s->defect);
    const double change = size_of(s, pull, s->defect);
    if (status != GA_OK || !isfinite(change)) {
      return ga_fail(s->eval.err, status < 0 ? status : GA_RETRY_SINGULAR,
                     "a system of %d rows has no finite solution", s->n);
    }
    if (k > 0 && change > 0.5 * before) break;
    ga_axpy(s->n, 1, s->defect, s->sum);
    if (change <= 4 * DBL_EPSILON * size_of(s, pull, s->sum)) break;
    before = change;
    memcpy(s->defect, s->rhs, bytes);
    ga_csr_mul_add(&s->kkt.blocks.A, -1, s->sum, s->defect);
    for (int i = 0; i < rows; i++) {
      const double e = -s->kkt.blocks.A.val[s->kkt.blocks.term[s->kkt.E].map[i]];
      s->defect[s->nv + i] += (e_exact * s->D.val[i] - e) * s->sum[s->nv + i];
    }
  }
  memcpy(s->rhs, s->sum, bytes);
  return GA_OK;
}

/* sets the columns of held velocities in G and H to zero; hold: nv flags, or NULL */
void ga_static_system_hold(ga_static_system *s, const bool *hold) {
  ga_csr *const rows[] = {&s->G, &s->H};
  for (int k = 0; hold && k < 2; k++) {
    for (int e = 0; e < ga_csr_nnz(rows[k]); e++) {
      if (hold[rows[k]->col[e]]) rows[k]->val[e] = 0;
    }
  }
}

/* W = weight (nv positive numbers) or, if that is NULL, the diagonal of M at (t, q), which s->M is
 * set to; a zero mass is replaced as in ga_rank_masses. */
ga_status ga_static_system_set_weights(ga_static_system *s, double t, const double *q,
                                       const double *weight) {
  if (weight) {
    memcpy(s->W.val, weight, (size_t)s->nv * sizeof(double));
    return GA_OK;
  }
  const ga_status status = ga_eval_mass(&s->eval, t, q, &s->M);
  if (status != GA_OK) return status;
  ga_rank_masses(&s->M, s->eval.metric, s->W.val);
  return GA_OK;
}

/* D_i = sum of G_ij^2/W_j over the rows of G, then of H, see ga_kkt_row_scales. Needs W, G, H. */
void ga_static_system_set_scales(ga_static_system *s) {
  ga_kkt_row_scales(&s->G, &s->H, s->W.val, s->D.val);
}

/* unit (nv numbers) = given or, if that is NULL, 1 for rotations of SO(3) and SE(3), and Q/sqrt(w_i)
 * for all other coordinates: Q is the largest sqrt(w_i) |q_i| of these, w the metric. If that is 0,
 * Q is the largest sqrt(w_i). */
void ga_static_system_units(const ga_model *model, const double *q, const double *given,
                            double *unit) {
  const int nv = ga_space_nv(model->space);
  const double *w = model->metric;
  if (given) {
    memcpy(unit, given, (size_t)nv * sizeof(double));
    return;
  }
  double Q = 0;
  ga_space_size(model->space, q, unit);
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1 && !(Q > 0)) Q = w ? sqrt(ga_max_abs(nv, w)) : 1;
    for (int f = 0; f < model->space->nfactor; f++) {
      const ga_factor *factor = &model->space->factor[f];
      const int width = factor->group->nv;
      for (int i = 0; i < factor->n * width; i++) {
        if (factor->group == &ga_group_so3 || (factor->group == &ga_group_se3 && i % width > 2)) {
          continue;
        }
        const int at = factor->v_at + i;
        const double root = w ? sqrt(w[at]) : 1;
        if (pass == 0) Q = fmax(Q, root * unit[at]);
        if (pass == 1) unit[at] = Q / root;
      }
    }
  }
}

/* reach of row i: sum over j of |A_ij| unit_j, its change if all velocities change by one unit */
double ga_static_system_reach(const ga_csr *A, int i, const double *unit) {
  double size = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) size += fabs(A->val[e]) * unit[A->col[e]];
  return size;
}

/* lam, psi of least norm with G^T lam + H^T psi nearest to f; rest (may be NULL) = f - G^T lam -
 * H^T psi, nv numbers. Uses the present G, H, W, D; factors the matrix and overwrites s->rhs. On
 * failure no result is written. */
ga_status ga_static_system_multipliers(ga_static_system *s, const double *f, double *lam,
                                       double *psi, double *rest) {
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  memcpy(s->rhs, f, (size_t)s->nv * sizeof(double));
  ga_status status = ga_static_system_factor(s, &(ga_static_system_weights){.w = 1, .e = 1e-10});
  if (status == GA_OK) status = ga_static_system_solve(s, 0);
  if (status != GA_OK) return status;
  if (s->nlam) memcpy(lam, s->rhs + s->nv, (size_t)s->nlam * sizeof(double));
  if (s->npsi) memcpy(psi, s->rhs + s->nv + s->nlam, (size_t)s->npsi * sizeof(double));
  if (!rest) return GA_OK;
  memcpy(rest, f, (size_t)s->nv * sizeof(double));
  if (s->nlam) ga_csr_mul_t_add(&s->G, -1, lam, rest);
  if (s->npsi) ga_csr_mul_t_add(&s->H, -1, psi, rest);
  return GA_OK;
}
