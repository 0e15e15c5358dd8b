/* SPDX-License-Identifier: MIT */
/* When a step is solved.
 *
 * Velocities that M, K, C, G or H connect are one subsystem, with one scale: X, its largest
 * acceleration sqrt(w) |x| in the metric W, at least 8 eps Q/h^2, which moves q_1 by its roundings.
 * An iterate x with residual r is accepted if
 *
 *     small      every force row has |r_i| <= tol m_i X / sqrt(w_i) + 8 eps terms_i, and every
 *                constraint row |r_i| <= |D_i| (tol X / sqrt(w) + rounding): no solve is needed;
 *     or solved  the increment dx = -A^-1 r has sqrt(w) |dx| <= (tol + 8 eps) X, and every row is
 *                balanced to 1e-9 of its terms;
 *     or settled the increment is no more than one rounding of q_1 and v_1 makes, as the tangents
 *                tell (rounding.c), and the rows are small but for that;
 *     or rounded the increment was not halved, although the factors are fresh; it is below 1e-9 X
 *                or what roundings explain, 8 eps (Q/h^2 + V/h + F/m); and every row is balanced to
 *                1e-9 of its terms, or to the change that is measured when q_1 and v_1 are moved by
 *                8 roundings.
 *
 * So x, q_1, v_1 and the constraint forces are right to newton_tol, or rounding, of the largest in
 * their subsystem. dx is the error that is left in x, up to the error of A. The rows guard against
 * a wrong A: a tangent that is far too stiff makes dx small while forces are out of balance.
 *
 * Q and V are the sizes of the summands of q_1 and v_1, F and m the largest force and mass. eps
 * becomes the noise of G and H where these are difference quotients. Nothing is remembered from
 * step to step. */
#include "step/acceptance.h"

#include <math.h>
#include <string.h>

#include "step/rounding.h"

/* Rounding errors in a sum: about one per summand; a row of a mechanism has some ten summands. */
static const double ROUND = GA_ROUND;
/* Largest residual of a row, relative to its terms, that A^-1 r may call small: a tenth of the 1e-8
 * that a step promises for its forces, which are sums of several rows. */
static const double SHARE = 1e-9;
/* After an increment of more than this fraction of X, A is another: factors of the guess may be
 * stiffer by powers of ten, and call an increment small that is not. */
static const double MOVED = 0.1;
/* Noise of a quotient g(q + s) - g(q - s) over 2 s: g is rounded like |q|, s grows like |q|^(1/5). */
static const double QUOTIENT = 0.8;
/* An increment of two roundings would not be halved by another one (STALL in newton.c). */
static const double SETTLED = 2;
/* Tolerance of increments beside that: a looser newton_tol would leave vibrations of stiff springs that
 * automatic steps resolve. It is the usual one. */
static const double TIGHT = 1e-12;

ga_status ga_acceptance_init(ga_acceptance *a, ga_equations *eq, double tol, ga_arena *arena) {
  *a = (ga_acceptance){.eq = eq, .tol = tol, .strict = tol, .loose = tol};
  ga_status status = ga_subsystems_init(&a->sub, eq->eval, arena);
  if (status != GA_OK) return status;
  double **const of_sub[] = {&a->largest,  &a->least, &a->change, &a->before, &a->force,
                             &a->by_force, &a->floor, &a->most_q, &a->most_v};
  double **const of_nv[] = {&a->size_q,  &a->size_v,  &a->inertia,  &a->by_x,
                            &a->shift_q, &a->shift_v, &a->per_root, &a->per_metric};
  double **const of_n[] = {&a->level,  &a->measured, &a->r_up,     &a->r_down,
                           &a->probed, &a->reaction, &a->verified, &a->probe_terms};
  for (int i = 0; i < 9; i++) *of_sub[i] = ga_arena_doubles(arena, (size_t)a->sub.count);
  for (int i = 0; i < 8; i++) *of_nv[i] = ga_arena_doubles(arena, (size_t)eq->nv);
  for (int i = 0; i < 8; i++) *of_n[i] = ga_arena_doubles(arena, (size_t)eq->n);
  a->diagonal = ga_arena_ints(arena, (size_t)eq->nv);
  if (arena->failed) status = ga_fail(eq->err, GA_ERR_MEM, "no memory for the acceptance test");
  status = ga_team_agree(eq->eval->team, status, eq->err);
  for (int i = 0; i < eq->nv && status == GA_OK; i++) {
    a->diagonal[i] = ga_csr_find(&eq->site[GA_SITE_NEW].M, i, i);
    a->per_root[i] = 1 / eq->eval->root_metric[i];
    a->per_metric[i] = 1 / eq->eval->metric[i];
  }
  return status;
}

/* ---- scales --------------------------------------------------------------------------------- */

/* number[s] <- the largest of number[s] and of weight_i |x_i| in subsystem s, over `blocks` blocks
 * of x and all processes. */
static void raise_largest(const ga_acceptance *a, int blocks, const double *restrict weight,
                          const double *restrict x, double *restrict number) {
  const int nv = a->eq->nv, *restrict of = a->sub.of;
  for (int b = 0; b < blocks; b++, x += nv) {
    for (int i = 0; i < nv;) { /* neighbours are mostly of one subsystem */
      const int s = of[i];
      double largest = number[s];
      for (; i < nv && of[i] == s; i++) largest = ga_max(largest, weight[i] * fabs(x[i]));
      number[s] = largest;
    }
  }
  ga_subsystems_max(&a->sub, a->eq->eval->team, number);
}

/* The same from zero. */
static void find_largest(const ga_acceptance *a, int blocks, const double *weight, const double *x,
                         double *number) {
  memset(number, 0, (size_t)a->sub.count * sizeof(double));
  raise_largest(a, blocks, weight, x, number);
}

/* X and by_x of this iterate. */
static void measure_scales(ga_acceptance *a, const double *x) {
  const ga_equations *eq = a->eq;
  memcpy(a->largest, a->least, (size_t)a->sub.count * sizeof(double));
  raise_largest(a, eq->method->nx, eq->eval->root_metric, x, a->largest);
  for (int i = 0; i < eq->nv; i++) {
    a->by_x[i] = (a->tol + ROUND) * a->largest[a->sub.of[i]] * a->per_root[i];
  }
}

void ga_acceptance_renew(ga_acceptance *a, const ga_factors *factors) {
  const ga_equations *eq = a->eq;
  a->told = false;
  for (int i = 0; i < eq->nv && eq->own; i++) {
    a->inertia[i] = eq->tab.m * fabs(eq->mass_diagonal[i]);
  }
  ga_acceptance_choose_tolerance(a, factors);
}

/* The equations are evaluated at the guess. Sets Q, V, noise, inertia, the least X and the scales.
 * Every entry of a row of difference quotients has the rounding of the largest: V is then that of
 * the subsystem. */
ga_status ga_acceptance_begin(ga_acceptance *a, const ga_factors *factors, const ga_iterate *at) {
  const ga_equations *eq = a->eq;
  const ga_csr *M = &eq->site[GA_SITE_NEW].M;
  const double *root = eq->eval->root_metric;
  ga_equations_sizes(eq, a->size_q, a->size_v);
  find_largest(a, 1, root, a->size_q, a->least);
  memcpy(a->most_q, a->least, (size_t)a->sub.count * sizeof(double));
  for (int s = 0; s < a->sub.count; s++) a->least[s] *= ROUND / (eq->h * eq->h);
  a->noise = eq->eval->noise_all;
  if (a->noise > DBL_EPSILON) {
    const double size = ga_team_max(eq->eval->team, ga_max_abs(eq->nv, a->size_q));
    a->noise *= size > 1 ? pow(size, QUOTIENT) : 1;
    find_largest(a, 1, root, a->size_v, a->floor);
    for (int i = 0; i < eq->nv; i++) a->size_v[i] = a->floor[a->sub.of[i]] * a->per_root[i];
  }
  if (eq->eval->model->row_reach) find_largest(a, 1, root, a->size_v, a->most_v);
  for (int i = 0; i < eq->nv && !eq->own; i++) {
    a->inertia[i] = a->diagonal[i] >= 0 ? eq->tab.m * fabs(M->val[a->diagonal[i]]) : 0;
  }
  const ga_status status = ga_team_sum_shared(eq->eval->team, 1, a->inertia);
  ga_acceptance_renew(a, factors);
  measure_scales(a, at->x);
  return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Rounding of constraint row i: factor times |D| size, at least factor times reach_i most_s, s its
 * subsystem (model.row_reach; NULL: none). most: the largest sqrt(w) size of each subsystem. */
typedef struct {
  const ga_csr *D;
  const double *size;
  double factor;
  const double *reach, *most;
} row_rounding;

/* The rounding of rows of this kind: Q/h^2 for positions, V/h for velocities. Rows of accelerations
 * have X / sqrt(w), if their drift is a difference quotient also Q + (1 + max V) V; in shift_q. */
static row_rounding rounding_of(const ga_acceptance *a, ga_con_kind kind) {
  const ga_equations *eq = a->eq;
  const double h = eq->h, drift = ga_eval_drift_noise(eq->eval);
  const ga_csr *D = ga_equations_gradient(eq, kind);
  const double *reach = eq->eval->model->row_reach;
  if (reach && kind == GA_ROW_NONHOL) reach += eq->nlam;
  if (kind == GA_ROW_POS) return (row_rounding){D, a->size_q, ROUND / (h * h), reach, a->most_q};
  if (kind != GA_ROW_ACC) return (row_rounding){D, a->size_v, 8 * a->noise / h, reach, a->most_v};
  const double speed = 1 + ga_max_abs(eq->nv, a->size_v);
  for (int k = 0; k < eq->nv; k++) {
    a->shift_q[k] = a->largest[a->sub.of[k]] * a->per_root[k];
    if (drift > DBL_EPSILON) a->shift_q[k] += a->size_q[k] + speed * a->size_v[k];
  }
  return (row_rounding){D, a->shift_q, 8 * drift, reach, a->largest};
}

/* sum_k |D_ik| (by_x_k + factor size_k) of row i, at least its rounding by reach; stops as soon as it is r
 * or more. by_x NULL: 0 */
static double row_bound(const ga_acceptance *a, const row_rounding *k, int i, const double *by_x,
                        double r) {
  const ga_csr *D = k->D;
  double sum = 0;
  for (int e = D->ptr[i]; e < D->ptr[i + 1] && sum < r; e++) {
    const int col = D->col[e];
    sum += fabs(D->val[e]) * ((by_x ? by_x[col] : 0) + k->factor * k->size[col]);
  }
  if (!k->reach || sum >= r || D->ptr[i] == D->ptr[i + 1]) return sum;
  return ga_max(sum, k->factor * k->reach[i] * k->most[a->sub.of[D->col[D->ptr[i]]]]);
}

/* The eta of row i that changes an acceleration by X / sqrt(w): the least X / (sqrt(w_k) |Gn_ik|). eta
 * itself is mostly zero, so that its own size tells nothing: all that is left of it is rounding. */
static double size_of_eta(const ga_acceptance *a, int i) {
  const ga_csr *Gn = &a->eq->Gn;
  double least = INFINITY;
  for (int e = Gn->ptr[i]; e < Gn->ptr[i + 1]; e++) {
    const int k = Gn->col[e];
    least = fmin(least, a->largest[a->sub.of[k]] * a->per_root[k] / fabs(Gn->val[e]));
  }
  return isfinite(least) ? least : 0;
}

/* Bound of row i of block c if a contact has replaced it (contact/rows.h), else -1. share: of its
 * terms, in which each multiplier counts as the largest of all contacts. */
static double contact_bound(const ga_acceptance *a, int c, int i, const double *x, double share) {
  const ga_equations *eq = a->eq;
  const bool holonomic = eq->method->con[c] != GA_ROW_NONHOL;
  if (!eq->contacts || !ga_contact_rows_special(eq->contacts, holonomic, i)) return -1;
  const double *mult = x + eq->mult_at[c], *lam = x + eq->mult_at[eq->method->dyn[0].lam];
  const double least = c == eq->eta ? size_of_eta(a, i) : 0;
  return share * ga_contact_rows_terms(eq->contacts, holonomic, i, mult, lam, least);
}

/* Is every row of this process small? more: added to the bound of each force row; NULL: nothing */
static bool own_rows_are_small(const ga_acceptance *a, const ga_iterate *at, const double *more) {
  const ga_equations *eq = a->eq;
  const double *restrict inertia = a->inertia, *restrict by_x = a->by_x;
  for (int b = 0; b < eq->method->nx; b++) {
    const double *restrict r = at->r + b * eq->nv, *restrict terms = at->terms + b * eq->nv;
    for (int i = 0; i < eq->nv; i++) {
      const double known = inertia[i] * by_x[i] + ROUND * terms[i];
      if (fabs(r[i]) <= known) continue;
      if (!more || !(fabs(r[i]) <= known + more[b * eq->nv + i])) return false;
    }
  }
  for (int c = 0; c < eq->method->ncon; c++) {
    const row_rounding k = rounding_of(a, eq->method->con[c]);
    for (int i = 0; i < k.D->nrow; i++) {
      const double size = fabs(at->r[eq->con_at[c] + i]);
      const double own = contact_bound(a, c, i, at->x, a->tol + ROUND);
      if (!(size <= (own >= 0 ? own : row_bound(a, &k, i, by_x, size)))) return false;
    }
  }
  return true;
}

bool ga_acceptance_is_small(ga_acceptance *a, const ga_iterate *at) {
  measure_scales(a, at->x);
  return !ga_team_any(a->eq->eval->team, !own_rows_are_small(a, at, NULL));
}

/* Closed: within one rounding. Another iteration would only exchange one rounding for another, and
 * long chains would amplify it. */
void ga_acceptance_skip_closed(const ga_acceptance *a, const double *r, double *b) {
  const ga_equations *eq = a->eq;
  for (int c = 0; c < eq->method->ncon; c++) {
    const row_rounding k = rounding_of(a, eq->method->con[c]);
    for (int i = 0, row = eq->con_at[c]; i < k.D->nrow; i++, row++) {
      const bool holonomic = eq->method->con[c] != GA_ROW_NONHOL;
      if (eq->contacts && ga_contact_rows_special(eq->contacts, holonomic, i)) continue;
      if (8 * fabs(r[row]) <= row_bound(a, &k, i, NULL, 8 * fabs(r[row]))) b[row] = 0;
    }
  }
}

/* reaction[i] = |G|^T |lam| + |H|^T |psi| of each force row. */
static void measure_reactions(ga_acceptance *a, const double *x) {
  const ga_equations *eq = a->eq;
  memset(a->reaction, 0, (size_t)eq->nx * sizeof(double));
  for (int b = 0; b < eq->method->nx; b++) {
    const ga_dyn_row *row = &eq->method->dyn[b];
    const ga_csr *const gradient[] = {&eq->site[row->site].G, &eq->site[row->site].H};
    const int block[] = {row->lam, row->psi};
    for (int g = 0; g < 2 && row->forces != GA_FORCES_APPLIED; g++) {
      const ga_csr *D = gradient[g];
      const double *mult = ga_equations_multipliers(eq, x, block[g]);
      for (int i = 0; i < D->nrow; i++) {
        for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
          a->reaction[b * eq->nv + D->col[e]] += fabs(mult[i]) * fabs(D->val[e]);
        }
      }
    }
  }
  ga_team_sum_shared(eq->eval->team, eq->method->nx, a->reaction);
}

/* level[i] of each row. Force rows: share (terms + reactions), m_i (tol + 8 eps) X, and 8 noise F.
 * Without inertia dx does not show a force: 8 noise (terms + reactions) and tol F. Constraint rows:
 * |D| (share X / sqrt(w) + by_x + more / sqrt(w) + rounding); more of each subsystem, or NULL. */
static void set_levels(ga_acceptance *a, const ga_iterate *at, double share, const double *more) {
  const ga_equations *eq = a->eq;
  const double noise = 8 * a->noise, *root = eq->eval->root_metric;
  measure_reactions(a, at->x);
  find_largest(a, eq->method->nx, a->per_root, at->terms, a->force);
  for (int i = 0; i < eq->nx; i++) {
    const int k = i % eq->nv;
    const bool massless = !(a->inertia[k] > 0);
    const double own = at->terms[i] + eq->tab.phi * a->reaction[i];
    a->level[i] = (massless ? noise : share) * own + a->inertia[k] * a->by_x[k] +
                  (massless ? a->tol : noise) * root[k] * a->force[a->sub.of[k]] + GA_UNDERFLOW;
  }
  for (int k = 0; k < eq->nv; k++) {
    const int s = a->sub.of[k];
    a->shift_v[k] = (share * a->largest[s] + (more ? more[s] : 0)) * a->per_root[k] + a->by_x[k];
  }
  for (int c = 0; c < eq->method->ncon; c++) {
    const row_rounding k = rounding_of(a, eq->method->con[c]);
    for (int i = 0; i < k.D->nrow; i++) {
      const double own = contact_bound(a, c, i, at->x, share + ROUND);
      a->level[eq->con_at[c] + i] =
          (own >= 0 ? own : row_bound(a, &k, i, a->shift_v, INFINITY)) + GA_UNDERFLOW;
    }
  }
}

/* Is |r_i| <= level_i + more_i in all rows of all processes? more: n numbers, or NULL. */
static bool within_levels(const ga_acceptance *a, const double *r, const double *more) {
  bool within = true;
  for (int i = 0; i < a->eq->n && within; i++) {
    within = fabs(r[i]) <= a->level[i] + (more ? more[i] : 0);
  }
  return !ga_team_any(a->eq->eval->team, !within);
}

bool ga_acceptance_is_balanced(ga_acceptance *a, const ga_iterate *at) {
  set_levels(a, at, SHARE, NULL);
  return within_levels(a, at->r, NULL);
}

/* newton_tol of the forces and accelerations of the subsystem, and rounding. */
void ga_acceptance_levels(ga_acceptance *a, const ga_iterate *at) {
  const ga_equations *eq = a->eq;
  set_levels(a, at, a->tol, NULL);
  for (int i = 0; i < eq->nx; i++) {
    const int k = i % eq->nv;
    a->level[i] += a->tol * eq->eval->root_metric[k] * a->force[a->sub.of[k]];
  }
}

/* ---- increments ----------------------------------------------------------------------------- */

/* max_s change / ((tol + 8 eps) X + more) over all processes; more NULL: 0. Changes so small that
 * they underflow do not count. */
static double relative_change(const ga_acceptance *a, double tol, const double *change,
                              const double *more) {
  double error = 0;
  for (int s = 0; s < a->sub.count; s++) {
    if (change[s] <= GA_UNDERFLOW) continue;
    const double allowed = (tol + ROUND) * a->largest[s] + (more ? more[s] : 0);
    error = ga_larger(error, change[s] / allowed);
  }
  return ga_team_max(a->eq->eval->team, error);
}

/* change[s] is the largest sqrt(w) |dx| of all x blocks, and sqrt(w) |W^-1 G_n^T d eta|, by which
 * eta moves positions. */
static void measure_increment(ga_acceptance *a, const double *dx, double *change) {
  const ga_equations *eq = a->eq;
  find_largest(a, eq->method->nx, eq->eval->root_metric, dx, change);
  if (eq->eta < 0) return;
  memset(a->shift_v, 0, (size_t)eq->nv * sizeof(double));
  ga_csr_mul_t_add(&eq->Gn, 1, dx + eq->mult_at[eq->eta], a->shift_v);
  ga_team_sum_shared(eq->eval->team, 1, a->shift_v);
  raise_largest(a, 1, eq->eval->root_metric, a->shift_v, change);
}

double ga_acceptance_error(ga_acceptance *a, const double *dx, double *contraction) {
  measure_increment(a, dx, a->change);
  const double error = relative_change(a, a->tol, a->change, NULL);
  *contraction = error / relative_change(a, a->tol, a->before, NULL);
  return error;
}

void ga_acceptance_take(ga_acceptance *a) {
  memcpy(a->before, a->change, (size_t)a->sub.count * sizeof(double));
}

bool ga_acceptance_has_moved(const ga_acceptance *a) {
  bool moved = false;
  for (int s = 0; s < a->sub.count; s++) moved |= a->before[s] > MOVED * a->largest[s];
  return ga_team_any(a->eq->eval->team, moved);
}

/* ---- rounding ------------------------------------------------------------------------------- */

/* floor[s] <- the largest 8 sqrt(w) (eps Q/h^2 + noise V/h) */
static void measure_floor(ga_acceptance *a) {
  const ga_equations *eq = a->eq;
  const double h = eq->h, noise = 8 * a->noise;
  for (int i = 0; i < eq->nv; i++) {
    a->shift_v[i] = ROUND * a->size_q[i] / (h * h) + noise * a->size_v[i] / h;
  }
  find_largest(a, 1, eq->eval->root_metric, a->shift_v, a->floor);
}

/* Does the increment that one rounding makes explain the one measured last, within SETTLED? Where A is
 * stiffer than M, it is at most |K dq + C dv| / m: most models need no solve to see that it does
 * not. */
static ga_status explain_increment(ga_acceptance *a, ga_factors *factors, bool *explained) {
  const ga_equations *eq = a->eq;
  double *force = a->r_up, *bound = a->r_down;
  const double tol = fmin(a->tol, TIGHT);
  ga_rounding_force(a, factors, force);
  ga_status status = ga_team_sum_shared(eq->eval->team, eq->method->nx, force);
  for (int i = 0; i < eq->nx; i++) {
    const int k = i % eq->nv;
    bound[i] = a->inertia[k] > 0 ? SETTLED * force[i] / a->inertia[k] : INFINITY;
  }
  find_largest(a, eq->method->nx, eq->eval->root_metric, bound, a->floor);
  *explained = relative_change(a, tol, a->change, a->floor) <= 1;
  if (status != GA_OK || !*explained) return status;
  status = ga_factors_solve(factors, eq, force);
  measure_increment(a, force, a->floor);
  for (int s = 0; s < a->sub.count; s++) a->floor[s] *= SETTLED;
  *explained = status == GA_OK && relative_change(a, tol, a->change, a->floor) <= 1;
  return status;
}

/* measured <- what the tangents tell about roundings, which all iterates with these factors share */
static ga_status find_told(ga_acceptance *a, const ga_factors *factors) {
  if (a->told) return GA_OK;
  const ga_status status = ga_rounding_told(a, factors, a->measured);
  a->told = status == GA_OK;
  return status;
}

/* Roundings explain the increment, and all rows are small but for what the tangents
 * tell about roundings. */
ga_status ga_acceptance_is_settled(ga_acceptance *a, ga_factors *factors, const ga_iterate *at,
                                   bool *settled) {
  *settled = false;
  measure_floor(a);
  if (relative_change(a, 0, a->change, a->floor) > 1 || a->eq->own) return GA_OK;
  ga_status status = find_told(a, factors);
  if (status != GA_OK) return status;
  if (ga_team_any(a->eq->eval->team, !own_rows_are_small(a, at, a->measured))) return GA_OK;
  return explain_increment(a, factors, settled);
}

/* Is the increment below floor[s] = the largest 8 sqrt(w) (eps Q/h^2 + noise V/h), by_force = 8 eps
 * F/m for forces that cancel as in an equilibrium, and (1e-9 + 8 noise) X for the noise inside
 * callbacks, which no argument shows? */
bool ga_acceptance_may_be_rounding(ga_acceptance *a, const ga_iterate *at) {
  const ga_equations *eq = a->eq;
  const double noise = 8 * a->noise;
  find_largest(a, eq->method->nx, a->per_root, at->terms, a->force);
  find_largest(a, 1, a->per_metric, a->inertia, a->floor);
  for (int s = 0; s < a->sub.count; s++) {
    a->by_force[s] = a->floor[s] > 0 ? ROUND * a->force[s] / a->floor[s] : 0;
  }
  measure_floor(a);
  for (int s = 0; s < a->sub.count; s++) {
    a->floor[s] += (SHARE + noise) * a->largest[s] + a->by_force[s];
  }
  return relative_change(a, a->tol, a->change, a->floor) <= 1;
}

/* Rows are balanced to 1e-9 of their terms, or to what the tangents tell about roundings, as far as
 * these are true, or to the change that is measured. */
ga_status ga_acceptance_is_rounding(ga_acceptance *a, ga_factors *factors, const ga_iterate *at,
                                    bool *accepted, bool *evaluated) {
  ga_status status = GA_OK;
  set_levels(a, at, SHARE, a->by_force);
  *accepted = within_levels(a, at->r, NULL);
  *evaluated = false;
  if (!*accepted && !a->eq->own) {
    status = find_told(a, factors);
    const bool possible = status == GA_OK && within_levels(a, at->r, a->measured);
    for (unsigned k = 0; k < GA_PROBES && possible && status == GA_OK && !*accepted; k++) {
      *evaluated = true;
      status = ga_rounding_verify(a, factors, at, k);
      *accepted = status == GA_OK && within_levels(a, at->r, a->verified);
    }
  }
  if (*accepted || status != GA_OK) return status;
  *evaluated = true;
  a->told = false;
  status = ga_rounding_measure(a, at, a->measured);
  *accepted = status == GA_OK && within_levels(a, at->r, a->measured);
  return status;
}
