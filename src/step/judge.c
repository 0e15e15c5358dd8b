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
 * The three components of a vector on SO(3) or SE(3) are rounded like the largest of them. Q and V
 * are the sizes of the summands that q_1 and v_1 were made of, component by component, not of their
 * sums; eps is that of a difference quotient where G, H or the drift is one. The residual judged is
 * that of the iterate itself. There is no memory from step to step.
 *
 * Tangents K, C, Z are the model's word only. They excuse at most the part SHARE of a row's terms.
 * More is excused by measurement alone: the residual is evaluated with q and v moved by ROUND
 * roundings, with random signs, once up and once down, and the smaller of the two changes of a row
 * counts, so that a jump of a force near the iterate is not taken for rounding. This is done
 * where tangents claim that rounding explains a residual, and where it is a rounding of the largest
 * force of all: terms may cancel inside a callback.
 *
 * Constants inside a callback, such as (x + 1) - (y + 1), have roundings that no argument shows. If
 * fresh matrices no longer improve any row (the iteration has stalled), a force or a velocity row
 * may be out of balance by SHARE of its terms, and a position constraint open by OPEN of what the
 * accelerations move.
 *
 * Three more allowances look beyond the row: roundings of the constraints shake the accelerations
 * (ga_judge_shake), forces can be too faint to count (faint_force), and constraints share one
 * rounding of the liveliest motion in their part of the system (motion_rounding). */
#include "step/judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"

static const double ROUND = GA_ROUND;
/* The imbalance that roundings may excuse which are not measured, as a part of a row's terms. */
static const double SHARE = 1e-9;
/* The opening of a position constraint that a stalled iteration may leave, against h^2 |G||x|. */
static const double OPEN = 1e-4;
/* In a part that constraints connect, forces are not told apart below this of the strongest: in a
 * long chain the motion of the far end is smaller than any rounding. */
static const double FAINT = 1e-14;
/* Of the accelerations that the roundings of the constraints cause, what a force may add. */
static const double PART = 0.25;
static const double TINY = GA_UNDERFLOW;

void ga_judge_init(ga_judge *j, ga_equations *eq, ga_factors *factors, double tol,
                   ga_arena *arena) {
  *j = (ga_judge){.eq = eq, .factors = factors, .tol = tol};
  double **const of_nv[] = {&j->size_q,    &j->size_v, &j->size_x,  &j->bound,   &j->pace,
                            &j->strongest, &j->root,   &j->shift_q, &j->shift_v, &j->liveliest};
  double **const of_n[] = {&j->rounding, &j->noise, &j->r_up, &j->r_down, &j->shake};
  for (int i = 0; i < 10; i++) *of_nv[i] = ga_arena_doubles(arena, (size_t)eq->nv);
  for (int i = 0; i < 5; i++) *of_n[i] = ga_arena_doubles(arena, (size_t)eq->n);
  j->terms = ga_arena_doubles(arena, (size_t)eq->nx);
  j->vector = ga_arena_ints(arena, (size_t)eq->nv);
  j->vector_end = ga_arena_ints(arena, (size_t)eq->nv);
  j->part = ga_arena_ints(arena, (size_t)eq->nv);
  ga_columns_init(&j->G_columns, &eq->site->G, arena);
  ga_columns_init(&j->H_columns, &eq->site->H, arena);
  if (arena->failed) return;
  ga_space_vectors(eq->eval->model->space, j->vector, j->vector_end);
  const ga_model *model = eq->eval->model;
  bool named = (eq->nlam == 0 || model->pat_G) && (eq->npsi == 0 || model->pat_H);
  j->by_value = !named && ga_eval_jacobian_noise(eq->eval) <= DBL_EPSILON;
  ga_judge_find_parts(j, false);
}

void ga_judge_begin(ga_judge *j) {
  j->eta_counted = true;
  j->probes = 0;
  ga_judge_move(j);
}

/* What is slower than a rounding of q in a step is at rest; this counts where the iteration has
 * stalled. */
static void measure_sizes(ga_judge *j) {
  const double h = j->eq->h;
  ga_equations_sizes(j->eq, j->size_q, j->size_v);
  for (int i = 0; i < j->eq->nv; i++) {
    j->pace[i] = j->size_v[i] + DBL_EPSILON * j->size_q[i] / h;
  }
}

void ga_judge_move(ga_judge *j) {
  if (j->eta_counted) measure_sizes(j);
  j->measured = j->shaken = j->prepared = j->parts_known = j->eta_counted = false;
}

/* ---- constraint rows ------------------------------------------------------------------------ */

/* the sizes of accelerations: |x|, or the largest of its blocks */
static void measure_accelerations(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  for (int i = 0; i < eq->nv; i++) j->size_x[i] = fabs(at->x[i]);
  for (int b = 1; b < eq->method->nx; b++) {
    const double *x = at->x + b * eq->nv;
    for (int i = 0; i < eq->nv; i++) j->size_x[i] = ga_max(j->size_x[i], fabs(x[i]));
  }
}

/* h^2 |G_n|^T |eta| is a summand of q_1 as well. It matters only where all others are tiny, and so
 * it is left out until a constraint is refused. */
static void count_eta(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  const ga_csr *G = &eq->Gn;
  const double *eta = at->x + eq->mult_at[eq->eta];
  for (int i = 0; i < G->nrow; i++) {
    double size = eq->h * eq->h * fabs(eta[i]);
    for (int e = G->ptr[i]; e < G->ptr[i + 1]; e++) j->size_q[G->col[e]] += size * fabs(G->val[e]);
  }
  j->eta_counted = true;
}

/* One rounding of G and H relative to their size. Difference quotients have larger ones, which
 * count once as long as the iteration goes on, and like other roundings when it has stalled. */
static double gradient_rounding(const ga_judge *j, ga_look look) {
  double noise = ga_eval_jacobian_noise(j->eq->eval);
  return look == GA_LOOK_STALLED ? noise : ga_max(noise / ROUND, DBL_EPSILON);
}

/* One rounding of a constraint row is factor |D| size, D its gradient, which is part of the
 * equations and no claim. Rows of accelerations have a further term. */
typedef struct {
  const ga_csr *D;
  const double *size;
  double factor;
  double speed;  /* of acceleration rows: factor |D| (|x| + speed V) besides; else 0 */
  bool quotient; /* D is a difference quotient: each entry is rounded like the largest of its row */
} row_rounding;

static row_rounding rounding_of(const ga_judge *j, ga_con_kind kind, ga_look look) {
  const ga_equations *eq = j->eq;
  double noise = gradient_rounding(j, look);
  row_rounding out = {.D = ga_equations_gradient(eq, kind), .size = j->size_v};
  if (look == GA_LOOK_STALLED) out.size = j->pace;
  out.factor = noise / eq->h;
  out.quotient = look == GA_LOOK_STALLED && noise > DBL_EPSILON;
  if (kind == GA_ROW_POS) {
    out.size = j->size_q;
    out.factor = DBL_EPSILON / (eq->h * eq->h);
    out.quotient = false;
  } else if (kind == GA_ROW_ACC) {
    out.size = j->size_q;
    out.factor = ga_eval_drift_noise(eq->eval);
    out.speed = 1 + ga_max_abs(eq->nv, j->size_v);
  }
  return out;
}

/* the part that a row acts on: that of its first entry that is not zero */
static int part_of_row(const ga_judge *j, const ga_csr *D, int i) {
  int e = D->ptr[i], end = D->ptr[i + 1];
  while (e + 1 < end && D->val[e] == 0) e++;
  return e < end ? j->part[D->col[e]] : 0;
}

/* |D| times the sizes of accelerations, and one rounding, of row i */
static void row_sizes(const ga_judge *j, const row_rounding *k, int i, double *by_x,
                      double *rounding) {
  const ga_csr *D = k->D;
  double x = 0, sum = 0, fast = 0, largest = 0;
  for (int e = D->ptr[i]; k->quotient && e < D->ptr[i + 1]; e++) {
    largest = ga_max(largest, fabs(D->val[e]));
  }
  for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
    double entry = fabs(D->val[e]);
    int col = D->col[e];
    x += entry * j->size_x[col];
    if (k->quotient && entry > 0) entry = largest;
    sum += entry * k->size[col];
    if (k->speed > 0) fast += entry * (j->size_x[col] + k->speed * j->size_v[col]);
  }
  *by_x = x;
  *rounding = k->factor * (sum + fast);
}

/* sum_k |A_ik| x_k for x >= 0 */
static double row_sum(const ga_csr *A, int i, const double *x) {
  double sum = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) sum += fabs(A->val[e]) * x[A->col[e]];
  return sum;
}

/* What is allowed in a row: proved; with what tangents claim; with all that shaken constraints may
 * excuse. */
typedef struct {
  double proved, claimed, shakable;
} allowance;

/* claims count up to the part SHARE of the terms without proof, measured roundings in full */
static allowance with_claim(const ga_judge *j, int i, double allowed, double claim, double terms) {
  double noise = j->measured ? j->noise[i] : 0;
  return (allowance){.proved = allowed + ga_max(noise, fmin(claim, SHARE * terms)),
                     .claimed = allowed + claim};
}

/* One rounding of the liveliest motion in its part, turned into the direction of row i: in a plane
 * motion in space the terms across the plane are nothing but the rounding of others. */
static double motion_rounding(const ga_judge *j, const ga_csr *D, int i) {
  double square = 0;
  for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
    double root = j->root[D->col[e]], entry = root > 0 ? D->val[e] / root : 0;
    square += entry * entry;
  }
  return DBL_EPSILON * sqrt(square) * j->liveliest[part_of_row(j, D, i)];
}

/* all that may be said for row i of constraint rows c, by_x and rounding as above */
static allowance constraint_allowance(const ga_judge *j, int c, int i, double by_x, double rounding,
                                      ga_look look) {
  const ga_equations *eq = j->eq;
  ga_con_kind kind = eq->method->con[c];
  double allowed = j->tol * by_x + ROUND * rounding, claim = 0;
  if (kind == GA_ROW_VEL || kind == GA_ROW_NONHOL) {
    const ga_tangents *d = &j->factors->matrix.tangents;
    const ga_csr *by_q = kind == GA_ROW_VEL ? &d->Z : &d->Y;
    claim = ROUND * DBL_EPSILON * row_sum(by_q, i, j->size_q) / eq->h;
  }
  double terms = by_x + rounding / DBL_EPSILON;
  if (look == GA_LOOK_STALLED) {
    allowed = ga_max(allowed, kind == GA_ROW_POS ? OPEN * by_x : SHARE * terms);
  }
  return with_claim(j, eq->con_at[c] + i, allowed, claim, terms);
}

/* ---- force rows ----------------------------------------------------------------------------- */

/* sum_i |D_ik| |mult_i|. The entries of a gradient that is a difference quotient are rounded
 * against the largest of their row. */
static double column_sum(const ga_csr *D, const ga_columns *columns, int k, const double *mult,
                         bool quotient) {
  double sum = 0;
  for (int c = columns->ptr[k]; c < columns->ptr[k + 1]; c++) {
    int i = columns->row[c];
    double entry = fabs(D->val[columns->entry[c]]);
    for (int e = D->ptr[i]; quotient && entry > 0 && e < D->ptr[i + 1]; e++) {
      entry = ga_max(entry, fabs(D->val[e]));
    }
    sum += entry * fabs(mult[i]);
  }
  return sum;
}

/* |G|^T |lam| + |H|^T |psi| of velocity k in block b */
static double reaction_size(const ga_judge *j, const ga_iterate *at, int b, int k, ga_look look) {
  const ga_equations *eq = j->eq;
  const ga_dyn_row *row = &eq->method->dyn[b];
  const ga_site *site = &eq->site[row->site];
  bool quotient = ga_eval_jacobian_noise(eq->eval) > DBL_EPSILON && look == GA_LOOK_STALLED;
  if (row->part == GA_PART_APPLIED) return 0;
  const double *lam = ga_equations_multipliers(eq, at->x, row->lam);
  const double *psi = ga_equations_multipliers(eq, at->x, row->psi);
  return column_sum(&site->G, &j->G_columns, k, lam, quotient) +
         column_sum(&site->H, &j->H_columns, k, psi, quotient);
}

/* the largest terms of the vector that dynamic row i is part of */
static double vector_terms(const ga_judge *j, const ga_iterate *at, int i) {
  int k = i % j->eq->nv, row0 = i - k;
  double largest = 0;
  for (int e = j->vector[k]; e < j->vector_end[k]; e++) {
    largest = ga_max(largest, at->terms[row0 + e]);
  }
  return largest;
}

/* The strongest force in each part of the system, and of all. Forces are compared as F/sqrt(m),
 * whose units are the same for angular ones. */
static void prepare_forces(ga_judge *j, const double *terms) {
  const ga_equations *eq = j->eq;
  const int nv = eq->nv;
  double all = 0;
  ga_judge_know_parts(j);
  memset(j->strongest, 0, (size_t)nv * sizeof(double));
  for (int i = 0, k = 0; i < eq->nx; i++, k = k + 1 < nv ? k + 1 : 0) {
    double *strongest = &j->strongest[j->part[k]], root = j->root[k];
    all = ga_max(all, terms[i]);
    /* a velocity without mass has no size to be compared by */
    if (root > 0 && terms[i] > *strongest * root) *strongest = terms[i] / root;
  }
  j->largest = all;
  j->prepared = true;
}

static bool has_entry(const ga_csr *D, const ga_columns *columns, int k) {
  for (int c = columns->ptr[k]; c < columns->ptr[k + 1]; c++) {
    if (D->val[columns->entry[c]] != 0) return true;
  }
  return false;
}

/* What is too faint to count for velocity k: FAINT of the strongest force in its part, where a
 * constraint moves with k, and elsewhere the rounding of a rounding. */
static double faint_force(const ga_judge *j, int k) {
  const ga_site *site = &j->eq->site[GA_SITE_NEW];
  const double level = ROUND * DBL_EPSILON;
  if (!(j->root[k] > 0)) return level * level * j->largest;
  bool moved = has_entry(&site->G, &j->G_columns, k) || has_entry(&site->H, &j->H_columns, k);
  return (moved ? FAINT : level * level) * j->root[k] * j->strongest[j->part[k]];
}

/* What is allowed in dynamic row i, as far as it takes to allow r: the later parts cost more. */
static allowance force_allowance(ga_judge *j, const ga_iterate *at, int i, double r, ga_look look) {
  const ga_equations *eq = j->eq;
  int b = i / eq->nv, k = i % eq->nv;
  const ga_csr *M = &eq->site[eq->method->dyn[b].site].M;
  const double *x = at->x + b * eq->nv, *shake = j->shake + b * eq->nv;
  const double level = ROUND * DBL_EPSILON, phi = eq->tab.phi;
  double by_x = 0, by_shake = 0, terms = at->terms[i];
  for (int e = M->ptr[k]; e < M->ptr[k + 1]; e++) {
    double entry = eq->tab.m * fabs(M->val[e]);
    by_x += entry * fabs(x[M->col[e]]);
    if (j->shaken) by_shake += entry * fabs(shake[M->col[e]]);
  }
  double allowed = j->tol * terms + level * (vector_terms(j, at, i) + by_x) + faint_force(j, k);
  if (j->shaken) allowed += fmin(PART * by_shake, SHARE * terms);
  allowance rough = {.proved = allowed, .shakable = allowed + SHARE * terms};
  if (r <= allowed || look == GA_LOOK_ROUGHLY) return rough;
  double reaction = phi * reaction_size(j, at, b, k, look);
  allowed += ROUND * gradient_rounding(j, look) * reaction;
  terms += reaction;
  const ga_tangents *d = &j->factors->matrix.tangents;
  double claim =
      level * phi * (row_sum(&d->Kt[b], k, j->size_q) + row_sum(&d->Ct[b], k, j->size_v));
  if (look == GA_LOOK_STALLED) claim = ga_max(claim, SHARE * terms);
  allowance out = with_claim(j, i, allowed, claim, terms);
  out.claimed = ga_max(out.claimed, level * j->largest);
  out.shakable = rough.shakable;
  return out;
}

/* ---- the verdict ---------------------------------------------------------------------------- */

static void weigh(ga_verdict *v, int i, double r, allowance a) {
  if (r <= a.proved + TINY) return;
  v->accepted = false;
  v->doubtful &= r <= a.claimed;
  v->shakable &= r <= a.shakable;
  double excess = r / a.proved; /* infinite where nothing is allowed */
  if (excess <= v->excess) return;
  v->excess = excess;
  v->row = i;
}

/* A row is above the simple sum of look_at_constraints: all that may be said for it. */
static void weigh_constraint(ga_judge *j, const row_rounding *k, int c, int i, double r,
                             ga_look look, ga_verdict *v) {
  const ga_equations *eq = j->eq;
  double by_x, rounding;
  row_sizes(j, k, i, &by_x, &rounding);
  allowance a = constraint_allowance(j, c, i, by_x, rounding, look);
  a.proved = ga_max(a.proved, motion_rounding(j, k->D, i));
  weigh(v, eq->con_at[c] + i, r, a);
}

/* Most rows are accepted by one sum, |D| (newton_tol |x| + roundings). */
static void look_at_constraints(ga_judge *j, const ga_iterate *at, ga_look look, ga_verdict *v) {
  const ga_equations *eq = j->eq;
  measure_accelerations(j, at);
  for (int c = 0; c < eq->method->ncon; c++) {
    const row_rounding k = rounding_of(j, eq->method->con[c], look);
    const double *r = at->r + eq->con_at[c], factor = ROUND * k.factor;
    double *bound = j->bound;
    bool measured = false;
    bool roughly = look == GA_LOOK_ROUGHLY && !(k.speed > 0) && !k.quotient;
    for (int i = 0; i < eq->nv; i++) bound[i] = j->tol * j->size_x[i] + factor * k.size[i];
    for (int i = 0; i < k.D->nrow; i++) {
      double size = fabs(r[i]), allowed = row_sum(k.D, i, bound);
      if (size <= allowed) continue;
      if (roughly) {
        weigh(v, eq->con_at[c] + i, size, (allowance){.proved = allowed});
      } else {
        if (!measured) ga_judge_measure_motion(j, eq->method->con[c]);
        measured = true;
        weigh_constraint(j, &k, c, i, size, look, v);
      }
    }
  }
}

bool ga_judge_rounding(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  for (int i = 0; i < eq->nx; i++) {
    if (fabs(at->r[i]) > j->tol * at->terms[i]) return true;
  }
  measure_accelerations(j, at);
  for (int c = 0; c < eq->method->ncon; c++) {
    const ga_csr *D = ga_equations_gradient(eq, eq->method->con[c]);
    const double *r = at->r + eq->con_at[c];
    for (int i = 0; i < D->nrow; i++) {
      if (fabs(r[i]) > j->tol * row_sum(D, i, j->size_x)) return true;
    }
  }
  return false;
}

static void look_at_forces(ga_judge *j, const ga_iterate *at, ga_look look, ga_verdict *v) {
  const int nx = j->eq->nx, nv = j->eq->nv;
  const double level = j->tol + ROUND * DBL_EPSILON, *r = at->r, *terms = at->terms;
  for (int i = 0; i < nx; i++) {
    double size = fabs(r[i]);
    if (size <= level * terms[i]) continue;
    if (!j->prepared) prepare_forces(j, terms);
    if (size <= level * terms[i] + faint_force(j, i % nv)) continue;
    weigh(v, i, size, force_allowance(j, at, i, size, look));
  }
}

ga_verdict ga_judge_look(ga_judge *j, const ga_iterate *at, ga_look look) {
  ga_verdict v = {.accepted = true, .doubtful = true, .shakable = true};
  look_at_constraints(j, at, look, &v);
  if (!v.accepted && look != GA_LOOK_ROUGHLY && j->eq->eta >= 0 && !j->eta_counted) {
    count_eta(j, at);
    v = (ga_verdict){.accepted = true, .doubtful = true, .shakable = true};
    look_at_constraints(j, at, look, &v);
  }
  v.closed = v.accepted;
  look_at_forces(j, at, look, &v);
  return v;
}

ga_verdict ga_judge_look_again(ga_judge *j, const ga_iterate *at, ga_look look) {
  ga_verdict v = {.accepted = true, .doubtful = true, .shakable = true, .closed = true};
  look_at_forces(j, at, look, &v);
  return v;
}

void ga_judge_allowed(ga_judge *j, const ga_iterate *at, double *allowed) {
  const ga_equations *eq = j->eq;
  measure_accelerations(j, at);
  prepare_forces(j, at->terms);
  for (int i = 0; i < eq->nx; i++) {
    allowed[i] = force_allowance(j, at, i, INFINITY, GA_LOOK_CLOSELY).proved;
  }
  for (int c = 0; c < eq->method->ncon; c++) {
    const row_rounding k = rounding_of(j, eq->method->con[c], GA_LOOK_CLOSELY);
    ga_judge_measure_motion(j, eq->method->con[c]);
    for (int i = 0; i < k.D->nrow; i++) {
      double by_x, rounding;
      row_sizes(j, &k, i, &by_x, &rounding);
      allowance a = constraint_allowance(j, c, i, by_x, rounding, GA_LOOK_CLOSELY);
      allowed[eq->con_at[c] + i] = ga_max(a.proved, motion_rounding(j, k.D, i));
    }
  }
}

void ga_judge_roundings(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  measure_accelerations(j, at);
  for (int c = 0; c < eq->method->ncon; c++) {
    const row_rounding k = rounding_of(j, eq->method->con[c], GA_LOOK_CLOSELY);
    double *rounding = j->rounding + eq->con_at[c], by_x;
    for (int i = 0; i < k.D->nrow; i++) {
      rounding[i] = k.factor * row_sum(k.D, i, k.size);
      if (k.speed > 0) row_sizes(j, &k, i, &by_x, &rounding[i]);
    }
  }
}

void ga_judge_skip_closed(ga_judge *j, const ga_iterate *at, double *b) {
  const ga_equations *eq = j->eq;
  ga_judge_roundings(j, at);
  for (int i = eq->nx; i < eq->n; i++) {
    if (fabs(at->r[i]) <= j->rounding[i]) b[i] = 0;
  }
}
