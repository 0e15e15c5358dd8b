/* SPDX-License-Identifier: MIT */
/* Soft rows: rounds of the proximal iteration, made quick by conjugate residuals.
 *
 * Let P be the factored matrix, with -eps D in the lower right block. A plain round adds P^-1 r of
 * the residual r = (f, c). It balances the forces, f = 0, and reduces the component of c along the
 * k-th singular vector of G, in the units of the motion, by the factor eps/(sigma_k^2 + eps). If
 * sigma_k^2 is below eps, this is nearly 1.
 *
 * In a quick round z = (w, mu) = P^-1 (0, c) is a direction only: it changes no force, and c by
 * y = G w. As a map of c to y this is symmetric in the scalar product (a, b) = a^T D^-1 b, with
 * eigenvalues sigma_k^2/(sigma_k^2 + eps) between 0 and 1. Conjugate residuals, z made orthogonal
 * to the last direction in y, c made smallest along it, need a round for each sigma_k^2 below eps
 * and a few more. The component of c that contradicts other rows has y = 0 and does not change.
 *
 * A direction that changes no row is a rounding error, or belongs to a row so near to the others
 * that rounding hides it. A plain step along it does no harm; a long one would put rounding noise
 * into the multipliers. */
#include "kkt/soft_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double LEAST = 1e-12;   /* relative residual of the forces of smallest multipliers */
static const double ROUNDED = 1e-12; /* below this, rounds end if a residual does not halve */
static const double LONGEST = 1e4;   /* longest step: sigma = 3e-6 with errors of 1e-9 in z */
static const double GAIN = 1e-6;     /* least squared cosine of r and y; below, it is noise */
/* Terms below this fraction of the largest ones, in the units of the motion, count as that large:
 * they contain rounding errors of the larger ones. */
static const double NEGLIGIBLE = 1e-3;
/* Velocities are sums of forces over masses: this fraction of them counts as terms of a row. */
static const double SPREAD = 1e-4;
/* most rounds of a solve; rounds without progress that are tolerated above rounding level */
enum { ROUNDS = 24, PATIENCE = 3 };

/* Allocate mass, unit, way and gain of *s from the arena; s->n and s->eval are set. */
void ga_soft_rows_init(ga_saddle *s, ga_arena *arena) {
  size_t n = (size_t)s->n, rows = (size_t)(s->n - s->eval->nv);
  s->mass = ga_arena_doubles(arena, (size_t)s->eval->nv);
  s->unit = ga_arena_doubles(arena, rows);
  for (int k = 0; k < 2; k++) {
    s->way[k] = ga_arena_doubles(arena, n);
    s->gain[k] = ga_arena_doubles(arena, rows);
  }
}

/* ---- residuals ------------------------------------------------------------------------------- */

/* End of the entries of row i of s->kkt.blocks.A; of a constraint row without its last entry, the soft
 * diagonal (columns are sorted, so the diagonal is last). */
static inline int row_end(const ga_saddle *s, int i) {
  return s->kkt.blocks.A.ptr[i + 1] - (i >= s->eval->nv);
}

/* Residual of equation i of the system without soft rows for x = s->sum and right side s->rhs;
 * output *size: sum of the sizes of its terms, right side included. least: without the terms M w, w
 * the velocities in x. */
static inline double row_residual(const ga_saddle *s, int i, bool least, double *size) {
  const int *col = s->kkt.blocks.A.col;
  const double *val = s->kkt.blocks.A.val, *x = s->sum;
  int e = s->kkt.blocks.A.ptr[i], end = row_end(s, i);
  double left = s->rhs[i], sum = fabs(left);
  while (least && e < end && col[e] < s->eval->nv) e++;
  for (; e < end; e++) {
    double term = val[e] * x[col[e]];
    left -= term;
    sum += fabs(term);
  }
  *size = sum;
  return left;
}

/* Unit of equation i: sqrt(m_i) for forces, sqrt(D_i) for constraints. Residuals in these units
 * can be compared. */
static double unit_of(const ga_saddle *s, int i) {
  int nv = s->eval->nv;
  return sqrt(i < nv ? s->mass[i] : s->unit[i - nv] / GA_SOFT_ROWS_EPS);
}

/* s->defect: residuals of all equations for s->sum. left[0], left[1]: the largest of the forces and
 * of the constraints, each relative to the largest terms of its kind; NaN if one is. */
static void compute_residuals(ga_saddle *s, double left[2]) {
  double terms[2] = {0, 0};
  left[0] = left[1] = 0;
  for (int i = 0; i < s->n; i++) {
    bool row = i >= s->eval->nv;
    double size, unit = unit_of(s, i);
    s->defect[i] = row_residual(s, i, false, &size); /* false: with M w */
    left[row] = ga_larger(left[row], fabs(s->defect[i]) / unit);
    terms[row] = ga_max(terms[row], size / unit);
  }
  for (int k = 0; k < 2; k++) left[k] = left[k] > 0 ? left[k] / terms[k] : left[k];
}

/* sum_j |G_ij| sizes_j/mass_j of constraint i: how far rounding errors of forces of these sizes
 * reach it. */
static double row_terms(const ga_saddle *s, int i, const double *sizes) {
  const ga_csr *A = &s->kkt.blocks.A;
  double sum = 0;
  for (int e = A->ptr[i]; e < row_end(s, i); e++) {
    sum += fabs(A->val[e]) * sizes[A->col[e]] / s->mass[A->col[e]];
  }
  return sum;
}

/* max_i |r_i| / (size of the terms of equation i + NEGLIGIBLE of the largest terms of its kind) for
 * s->sum; rows that are left out do not count. least: the force equations alone, without M w.
 * s->defect and s->way[0] are overwritten. */
double ga_soft_rows_residual(ga_saddle *s, bool least) {
  int nv = s->eval->nv, equations = least ? nv : s->n;
  double *left = s->defect, *sizes = s->way[0], largest[2] = {0, 0}, fault = 0;
  for (int i = 0; i < equations; i++) {
    bool row = i >= nv;
    left[i] = row_residual(s, i, least, &sizes[i]);
    if (row) sizes[i] += SPREAD * row_terms(s, i, sizes);
    largest[row] = ga_larger(largest[row], sizes[i] / unit_of(s, i));
  }
  for (int i = 0; i < equations; i++) {
    bool row = i >= nv;
    if (left[i] == 0 || (row && s->dropped && s->dropped[i - nv])) continue;
    double allowed = sizes[i] + NEGLIGIBLE * largest[row] * unit_of(s, i);
    fault = ga_larger(fault, fabs(left[i]) / allowed);
  }
  return fault;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* (a, b) = sum_i a_i b_i / unit_i over the constraint rows; a, b have nlam + npsi numbers. */
static double scalar_product(const ga_saddle *s, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < s->n - s->eval->nv; i++) sum += a[i] / s->unit[i] * b[i];
  return sum;
}

/* y = G w (and H w), by which velocities w (the first nv numbers) change the rows; y has nlam +
 * npsi numbers. */
static void change_of_rows(const ga_saddle *s, const double *w, double *y) {
  const ga_csr *A = &s->kkt.blocks.A;
  int nv = s->eval->nv;
  for (int i = nv; i < s->n; i++) {
    double sum = 0;
    for (int e = A->ptr[i]; e < row_end(s, i); e++) sum += A->val[e] * w[A->col[e]];
    y[i - nv] = sum;
  }
}

/* Exchange the two pointers. */
static void swap_arrays(double *pair[2]) {
  double *keep = pair[0];
  pair[0] = pair[1];
  pair[1] = keep;
}

/* s->sum += P^-1 s->defect with the last factors P; s->defect, the residuals, is overwritten. */
static ga_status plain_round(ga_saddle *s) {
  ga_status status = s->kkt.ls.ops->solve(&s->kkt.ls, s->defect);
  if (status == GA_OK) ga_axpy(s->n, 1, s->defect, s->sum);
  return status;
}

/* One step of conjugate residuals on the constraint residuals in s->defect (head of this file);
 * s->sum is updated. Before: *square = (y, y) of the last direction z = way[1], y = gain[1], 0:
 * there is none. After: the same for the new direction; 0 if it was noise, when a plain step is
 * made. */
static ga_status quick_round(ga_saddle *s, double *square) {
  int n = s->n, nv = s->eval->nv, rows = n - nv;
  double *z = s->way[0], *y = s->gain[0], *c = s->defect + nv;
  memset(z, 0, (size_t)nv * sizeof(double));
  memcpy(z + nv, c, (size_t)rows * sizeof(double));
  ga_status status = s->kkt.ls.ops->solve(&s->kkt.ls, z);
  if (status != GA_OK) return status;
  change_of_rows(s, z, y);
  double along = *square > 0 ? scalar_product(s, y, s->gain[1]) / *square : 0;
  ga_axpy(n, -along, s->way[1], z);
  ga_axpy(rows, -along, s->gain[1], y);
  double yy = scalar_product(s, y, y), cy = scalar_product(s, c, y), step = cy / yy;
  bool gains = cy * cy > GAIN * yy * scalar_product(s, c, c) && fabs(step) <= LONGEST;
  if (!gains) {
    ga_axpy(n, along, s->way[1], z);
    step = 1;
  }
  ga_axpy(n, step, z, s->sum);
  swap_arrays(s->way);
  swap_arrays(s->gain);
  *square = gains ? yy : 0;
  return GA_OK;
}

/* s->sum = solution for s->rhs. Rounds end when the residual does not halve: at rounding level, or
 * with rows that contradict each other. Quick rounds may stagnate PATIENCE times above rounding
 * level if their directions are not noise; more rounds would only add to the multipliers of
 * contradictory rows. least: see soft_rows.h. s->defect, way, gain are work; not in a team. */
ga_status ga_soft_rows_solve(ga_saddle *s, bool least) {
  double last = INFINITY, left[2] = {1, 0}, square = 0;
  memset(s->sum, 0, (size_t)s->n * sizeof(double));
  memcpy(s->defect, s->rhs, (size_t)s->n * sizeof(double));
  for (int round = 0, slow = 0; round < ROUNDS; round++) {
    bool plain = !(left[0] < left[1]);
    if (plain) square = 0;
    ga_status status = plain ? plain_round(s) : quick_round(s, &square);
    if (status != GA_OK) return status;
    /* the first round leaves eps at least */
    if (least && round > 0 && ga_soft_rows_residual(s, true) <= LEAST) return GA_OK;
    compute_residuals(s, left);
    double larger = ga_larger(left[0], left[1]);
    if (larger <= 4 * DBL_EPSILON || !(larger <= DBL_MAX)) break;
    slow = larger < 0.5 * last ? 0 : slow + 1;
    bool hopeful = larger > ROUNDED && (plain || square > 0);
    if (slow > (hopeful ? PATIENCE : 0)) break;
    last = fmin(last, larger);
  }
  if (least && !(ga_soft_rows_residual(s, true) <= GA_SOFT_ROWS_TOL)) return GA_RETRY_SINGULAR;
  return GA_OK;
}

/* Two plain rounds on s->sum with the last factors; s->defect is overwritten. */
ga_status ga_soft_rows_refine(ga_saddle *s) {
  double left[2];
  ga_status status = GA_OK;
  for (int round = 0; round < 2 && status == GA_OK; round++) {
    compute_residuals(s, left);
    status = plain_round(s);
  }
  return status;
}
