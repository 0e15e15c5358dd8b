/* SPDX-License-Identifier: MIT */
/* The acceptance of an iterate, by backward error.
 *
 * An iterate is accepted if, row by row, it solves equations whose own terms are changed by at most
 * newton_tol or by rounding:
 *
 *     |r_i| <= newton_tol terms_i + rounding_i
 *
 *     row               terms                    rounding, in units of ROUND eps
 *     force             |m M x|, phi |F|, |R|    terms, |M||x|, |G|^T|lam|, |K| Q + |C| V
 *     position g/h^2    |G| |x|                  |G| Q / h^2
 *     velocity /h       |G| |x|                  (|G| V + |Z| Q) / h
 *     acceleration      |G| |x|                  |G| (Q + |x| + V^2)
 *
 * The three components of a vector on SO(3) or SE(3) have the terms of the largest of them, since
 * the choice of axes is arbitrary. Q and V are the sizes of the summands that q_1 and v_1 were made
 * of, component by component, not of their sums; eps is that of a difference quotient where G, H or
 * the drift is one. The residual judged is that of the iterate itself. There is no memory from step
 * to step.
 *
 * Tangents K, C, Z are the model's word only. They excuse at most the part SHARE of a row's terms.
 * More is excused by measurement alone: the residual is evaluated with q and v moved by one
 * rounding each, with random signs, once up and once down, and the smaller of the two changes of a
 * row counts, so that a jump of a force near the iterate is not taken for rounding. This is done
 * where tangents claim that rounding explains a residual, and where it is a rounding of the largest
 * force of all: terms may cancel inside a callback.
 *
 * Constants inside a callback, such as (x + 1) - (y + 1), have roundings that no argument shows. If
 * fresh matrices no longer improve any row (the iteration has stalled), a force may be out of
 * balance by SHARE, and a constraint open by OPEN of what the accelerations move. */
#include "step/judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"

/* Roundings in a sum: each summand brings about one, a row of a mechanism has some ten. */
static const double ROUND = 8;
/* The imbalance of forces that unproved rounding excuses: what no discretization error is below. */
static const double SHARE = 1e-9;
/* The opening of a constraint that a stalled iteration may leave, against h^2 |G||x|. */
static const double OPEN = 1e-4;
/* Forces are not told apart below this part of what the row's mass times the largest acceleration
 * is: in a long chain the motion of the far end is smaller than any rounding. */
static const double SLIGHT = 1e-4;
/* Of the accelerations that the roundings of the constraints cause, what a force may add. */
static const double PART = 0.25;
/* Products of smaller numbers underflow. */
static const double TINY = DBL_MIN / DBL_EPSILON;

void ga_judge_init(ga_judge *j, ga_equations *eq, ga_factors *factors, double tol,
                   ga_arena *arena) {
  *j = (ga_judge){.eq = eq, .factors = factors, .tol = tol};
  double **const of_nv[] = {&j->size_q, &j->size_v, &j->reaction, &j->shift_q, &j->shift_v};
  double **const of_n[] = {&j->noise, &j->r_up, &j->r_down, &j->shake};
  for (int i = 0; i < 5; i++) *of_nv[i] = ga_arena_doubles(arena, (size_t)eq->nv);
  for (int i = 0; i < 4; i++) *of_n[i] = ga_arena_doubles(arena, (size_t)eq->n);
  j->terms = ga_arena_doubles(arena, (size_t)eq->nx);
  if (eq->method->nx > 1) j->size_x = ga_arena_doubles(arena, (size_t)eq->nv);
  j->vector = ga_arena_ints(arena, (size_t)eq->nv);
  j->vector_end = ga_arena_ints(arena, (size_t)eq->nv);
  if (!arena->failed) ga_space_vectors(eq->eval->model->space, j->vector, j->vector_end);
}

void ga_judge_begin(ga_judge *j) {
  ga_equations_sizes(j->eq, j->size_q, j->size_v);
  j->probes = 0;
  ga_judge_move(j);
}

void ga_judge_move(ga_judge *j) {
  j->measured = j->shaken = false;
}

/* ---- sums over rows ------------------------------------------------------------------------- */

/* sum_k |A_ik| |x_k|, with |x_k| = 1 if x is NULL */
static double row_sum(const ga_csr *A, int i, const double *x) {
  double sum = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    sum += fabs(A->val[e]) * (x ? fabs(x[A->col[e]]) : 1);
  }
  return sum;
}

/* sum += |A|^T |mult| */
static void add_column_sums(const ga_csr *A, const double *mult, double *sum) {
  for (int i = 0; i < A->nrow; i++) {
    double size = fabs(mult[i]);
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) sum[A->col[e]] += fabs(A->val[e]) * size;
  }
}

/* Sums of the magnitudes of what the multipliers contribute to dynamic row b. */
static void sum_reactions(ga_judge *j, const ga_iterate *at, int b) {
  const ga_equations *eq = j->eq;
  const ga_dyn_row *row = &eq->method->dyn[b];
  const ga_site *site = &eq->site[row->site];
  if (j->reaction_of == b) return;
  j->reaction_of = b;
  memset(j->reaction, 0, (size_t)eq->nv * sizeof(double));
  if (row->part == GA_PART_APPLIED) return;
  add_column_sums(&site->G, ga_equations_multipliers(eq, at->x, row->lam), j->reaction);
  add_column_sums(&site->H, ga_equations_multipliers(eq, at->x, row->psi), j->reaction);
}

/* the terms of dynamic row i, or of the vector it is part of */
static double vector_terms(const ga_judge *j, const ga_iterate *at, int i) {
  int nv = j->eq->nv, k = i % nv, row0 = i - k;
  double largest = 0;
  for (int e = j->vector[k]; e < j->vector_end[k]; e++) {
    largest = ga_max(largest, at->terms[row0 + e]);
  }
  return largest;
}

/* what is the same for all rows of an iterate */
static void prepare(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  j->reaction_of = -1;
  j->largest = ga_max_abs(eq->nx, at->terms);
  j->largest_x = ga_max_abs(eq->nx, at->x);
  for (int i = 0; j->size_x && i < eq->nv; i++) {
    double largest = 0; /* over the blocks */
    for (int b = 0; b < eq->method->nx; b++) {
      largest = ga_max(largest, fabs(at->x[b * eq->nv + i]));
    }
    j->size_x[i] = largest;
  }
}

/* ---- what is allowed ------------------------------------------------------------------------ */

/* of one row */
typedef struct {
  double tolerated; /* newton_tol times its terms */
  double proved;    /* and the roundings that need no further proof */
  double claimed;   /* and all that would be rounding if tangents are right */
  double most;      /* and SHARE of the terms: no claim excuses more */
} allowance;

static allowance sum_up(const ga_judge *j, int i, double tolerated, double rounding, double claim,
                        double terms) {
  double noise = j->measured ? ROUND * j->noise[i] : 0, allowed = tolerated + rounding;
  return (allowance){.tolerated = tolerated,
                     .proved = allowed + ga_max(noise, fmin(claim, SHARE * terms)),
                     .claimed = allowed + claim,
                     .most = allowed + SHARE * terms};
}

static allowance force_allowance(ga_judge *j, const ga_iterate *at, int i, ga_look look) {
  const ga_equations *eq = j->eq;
  int b = i / eq->nv, k = i % eq->nv;
  const ga_csr *M = &eq->site[eq->method->dyn[b].site].M;
  const ga_tangents *d = &j->factors->matrix.tangents;
  double level = ROUND * DBL_EPSILON, phi = eq->tab.phi, m = eq->tab.m;
  double terms = vector_terms(j, at, i), tolerated = j->tol * terms;
  if (look == GA_LOOK_ROUGHLY) return (allowance){tolerated, tolerated, tolerated, tolerated};
  sum_reactions(j, at, b);
  double reaction = phi * j->reaction[k], mass = m * row_sum(M, k, at->x + b * eq->nv);
  double rough = ROUND * ga_eval_jacobian_noise(eq->eval);
  double rounding = level * (terms + mass) + rough * reaction;
  double by_q = row_sum(&d->Kt[b], k, j->size_q), by_v = row_sum(&d->Ct[b], k, j->size_v);
  double claim = level * phi * (by_q + by_v);
  terms += reaction;
  if (look == GA_LOOK_STALLED) claim = ga_max(claim, SHARE * terms);
  double inertia = m * row_sum(M, k, NULL) * j->largest_x;
  double most = SHARE * ga_max(terms, SLIGHT * inertia);
  if (j->shaken) rounding += fmin(PART * m * row_sum(M, k, j->shake + b * eq->nv), most);
  allowance a = sum_up(j, i, tolerated, rounding, claim, terms);
  a.claimed = ga_max(a.claimed, level * j->largest);
  a.most = ga_max(a.most, tolerated + rounding + most);
  return a;
}

/* |D| times the sizes of accelerations, positions and velocities, of row i of a gradient D */
typedef struct {
  double x, q, v;
} row_sizes;

static row_sizes sizes_of(const ga_judge *j, const ga_iterate *at, const ga_csr *D, int i) {
  const double *x = j->size_x ? j->size_x : at->x;
  row_sizes size = {0};
  for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
    double entry = fabs(D->val[e]);
    int k = D->col[e];
    size.x += entry * fabs(x[k]);
    size.q += entry * j->size_q[k];
    size.v += entry * j->size_v[k];
  }
  return size;
}

/* one rounding of a constraint row; its gradient is part of the equations, not a claim */
static double constraint_rounding(const ga_judge *j, ga_con_kind kind, row_sizes size) {
  const ga_equations *eq = j->eq;
  if (kind == GA_ROW_POS) return DBL_EPSILON * size.q / (eq->h * eq->h);
  if (kind != GA_ROW_ACC) return ga_eval_jacobian_noise(eq->eval) * size.v / eq->h;
  double speed = ga_max_abs(eq->nv, j->size_v);
  return ga_eval_drift_noise(eq->eval) * (size.q + size.x + size.v * speed);
}

static allowance constraint_allowance(ga_judge *j, const ga_iterate *at, int c, int i,
                                      ga_look look) {
  const ga_equations *eq = j->eq;
  ga_con_kind kind = eq->method->con[c];
  row_sizes size = sizes_of(j, at, ga_equations_gradient(eq, kind), i);
  double rounding = ROUND * constraint_rounding(j, kind, size), claim = 0;
  if (look != GA_LOOK_ROUGHLY && (kind == GA_ROW_VEL || kind == GA_ROW_NONHOL)) {
    const ga_tangents *d = &j->factors->matrix.tangents;
    const ga_csr *by_q = kind == GA_ROW_VEL ? &d->Z : &d->Y;
    claim = ROUND * DBL_EPSILON * row_sum(by_q, i, j->size_q) / eq->h;
  }
  if (look == GA_LOOK_STALLED) rounding = ga_max(rounding, OPEN * size.x);
  return sum_up(j, eq->con_at[c] + i, j->tol * size.x, rounding, claim, size.x + size.v / eq->h);
}

/* ---- the verdict ---------------------------------------------------------------------------- */

static void weigh(ga_verdict *v, int i, double r, allowance a) {
  v->rounding |= r > a.tolerated;
  if (r <= a.proved + TINY) return;
  v->accepted = false;
  v->doubtful &= r <= a.claimed;
  v->forces &= r <= a.most;
  double excess = r / a.proved; /* infinite where nothing is allowed */
  if (excess <= v->excess) return;
  v->excess = excess;
  v->row = i;
}

ga_verdict ga_judge_look(ga_judge *j, const ga_iterate *at, ga_look look) {
  const ga_equations *eq = j->eq;
  ga_verdict v = {.accepted = true, .doubtful = true, .forces = true};
  const double *r = at->r;
  prepare(j, at);
  for (int i = 0; i < eq->nx; i++) {
    if (fabs(r[i]) <= j->tol * at->terms[i]) continue;
    weigh(&v, i, fabs(r[i]), force_allowance(j, at, i, look));
  }
  bool balanced = v.accepted;
  for (int c = 0; c < eq->method->ncon; c++) {
    int rows = ga_equations_con_size(eq, eq->method->con[c]);
    for (int k = 0; k < rows; k++) {
      int i = eq->con_at[c] + k;
      v.accepted = true;
      weigh(&v, i, fabs(r[i]), constraint_allowance(j, at, c, k, look));
      v.forces &= v.accepted;
      balanced &= v.accepted;
    }
  }
  v.accepted = balanced;
  return v;
}

void ga_judge_allowed(ga_judge *j, const ga_iterate *at, double *allowed) {
  const ga_equations *eq = j->eq;
  prepare(j, at);
  for (int i = 0; i < eq->nx; i++) {
    allowed[i] = force_allowance(j, at, i, GA_LOOK_CLOSELY).proved;
  }
  for (int c = 0; c < eq->method->ncon; c++) {
    int rows = ga_equations_con_size(eq, eq->method->con[c]);
    for (int k = 0; k < rows; k++) {
      allowed[eq->con_at[c] + k] = constraint_allowance(j, at, c, k, GA_LOOK_CLOSELY).proved;
    }
  }
}

void ga_judge_skip_closed(ga_judge *j, const ga_iterate *at, double *b) {
  const ga_equations *eq = j->eq;
  for (int c = 0; c < eq->method->ncon; c++) {
    int rows = ga_equations_con_size(eq, eq->method->con[c]);
    for (int k = 0; k < rows; k++) {
      int i = eq->con_at[c] + k;
      allowance a = constraint_allowance(j, at, c, k, GA_LOOK_CLOSELY);
      if (fabs(at->r[i]) <= a.proved) b[i] = 0;
    }
  }
}

/* ---- measurement of roundings ---------------------------------------------------------------- */

/* one of two signs, by a hash of i and of the number of the probe */
static double sign_of(unsigned i, unsigned probe) {
  unsigned bits = (i + 1) * 2654435761u ^ (probe + 1) * 2246822519u;
  bits ^= bits >> 15;
  bits *= 2654435761u;
  return bits >> 31 ? 1 : -1;
}

/* A s = (0, one rounding of each constraint): how far the constraints' roundings move the unknowns
 */
ga_status ga_judge_shake(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  prepare(j, at);
  memset(j->shake, 0, (size_t)eq->nx * sizeof(double));
  for (int c = 0; c < eq->method->ncon; c++) {
    ga_con_kind kind = eq->method->con[c];
    const ga_csr *D = ga_equations_gradient(eq, kind);
    for (int k = 0; k < D->nrow; k++) {
      int i = eq->con_at[c] + k;
      j->shake[i] = sign_of((unsigned)i, 0) * constraint_rounding(j, kind, sizes_of(j, at, D, k));
    }
  }
  ga_status status = ga_factors_solve(j->factors, eq, j->shake);
  j->shaken = status == GA_OK;
  return status;
}

static ga_status probe(ga_judge *j, const ga_iterate *at, double side, double *r) {
  const ga_equations *eq = j->eq;
  double step = side * DBL_EPSILON;
  for (int i = 0; i < eq->nv; i++) {
    j->shift_q[i] = step * sign_of((unsigned)i, 2 * j->probes) * j->size_q[i];
    j->shift_v[i] = step * sign_of((unsigned)i, 2 * j->probes + 1) * j->size_v[i];
  }
  return ga_equations_evaluate(j->eq, at->x, &(ga_shift){j->shift_q, j->shift_v}, NULL, r,
                               j->terms);
}

ga_status ga_judge_measure(ga_judge *j, const ga_iterate *at) {
  ga_status status = probe(j, at, 1, j->r_up);
  if (status == GA_OK) status = probe(j, at, -1, j->r_down);
  if (status != GA_OK) return status;
  for (int i = 0; i < j->eq->n; i++) {
    double change = fmin(fabs(j->r_up[i] - at->r[i]), fabs(j->r_down[i] - at->r[i]));
    j->noise[i] = j->measured ? ga_max(j->noise[i], change) : change;
  }
  j->measured = true;
  j->probes++;
  return GA_OK;
}
