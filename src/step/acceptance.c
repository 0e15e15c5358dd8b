/* SPDX-License-Identifier: MIT */
/* When a step is solved.
 *
 * Velocities that M, K, C, G or H connect are one subsystem, with one scale: X, its largest
 * acceleration sqrt(w) |x| in the metric W, at least 8 eps Q/h^2, which one step from rest needs to
 * move q_1 by its roundings. An iterate x with residual r is accepted if
 *
 *     small      every force row has |r_i| <= tol m_i X / sqrt(w_i) + 8 eps terms_i, and every
 *                constraint row |r_i| <= |D_i| (tol X / sqrt(w) + rounding): no solve is needed;
 *     or solved  the increment dx = -A^-1 r has sqrt(w) |dx| <= (tol + 8 eps) X, and every
 *                row is balanced to 5e-9 of its terms;
 *     or rounded the increment was not halved, it is below what roundings of q_1 and v_1 explain,
 *                8 eps (Q/h^2 + V/h), and every row is balanced to 5e-9 of its terms, or to the
 *                change that is measured when q_1 and v_1 are moved by 8 roundings.
 *
 * So x, q_1, v_1 and the constraint forces are right to newton_tol, or rounding, of the largest in
 * their subsystem. dx is the error that is left in x, up to the error of A. The rows guard against
 * a wrong A: a tangent that is far too stiff makes dx small while forces are out of balance.
 *
 * Q and V are the sizes of the summands of q_1 and v_1. eps becomes the relative noise of G and H
 * where these are difference quotients. Nothing is remembered from step to step. */
#include "step/acceptance.h"

#include <math.h>
#include <string.h>

#include "lie/lie.h"

/* Rounding errors in a sum: about one per summand; a row of a mechanism has some ten summands. */
static const double ROUND = 8 * DBL_EPSILON;
/* Largest residual of a row, relative to its terms, that A^-1 r may call small: half of the 1e-8
 * that a step promises. */
static const double SHARE = 5e-9;
/* After an increment of more than this fraction of X the factors are renewed: those of the guess may
 * be stiffer by powers of ten, and call an increment small that is not. */
static const double MOVED = 0.1;
/* Probes of the rounding, each with other signs: a change that is small by chance in one of them is
 * not in the other. */
enum { PROBES = 2 };

/* Set the members of *a, allocate its arrays from arena, find the subsystems. In a team
 * collective. */
ga_status ga_acceptance_init(ga_acceptance *a, ga_equations *eq, ga_factors *factors, double tol,
                             ga_arena *arena) {
  *a = (ga_acceptance){.eq = eq, .factors = factors, .tol = tol};
  ga_status status = ga_subsystems_init(&a->sub, eq->eval, arena);
  if (status != GA_OK) return status;
  double **const of_sub[] = {&a->largest, &a->least, &a->allowed, &a->change,  &a->before,
                             &a->force,   &a->mass,  &a->floor,   &a->by_force};
  double **const of_nv[] = {&a->size_q,  &a->size_v,  &a->by_x,
                            &a->inertia, &a->shift_q, &a->shift_v};
  double **const of_n[] = {&a->level, &a->claim, &a->r_up, &a->r_down};
  for (int i = 0; i < 9; i++) *of_sub[i] = ga_arena_doubles(arena, (size_t)a->sub.count);
  for (int i = 0; i < 6; i++) *of_nv[i] = ga_arena_doubles(arena, (size_t)eq->nv);
  for (int i = 0; i < 4; i++) *of_n[i] = ga_arena_doubles(arena, (size_t)eq->n);
  a->reaction = ga_arena_doubles(arena, (size_t)eq->nx);
  a->probe_terms = ga_arena_doubles(arena, (size_t)eq->nx);
  a->diagonal = ga_arena_ints(arena, (size_t)eq->nv);
  if (arena->failed) status = ga_fail(eq->err, GA_ERR_MEM, "no memory for the acceptance test");
  status = ga_team_agree(eq->eval->team, status, eq->err);
  for (int i = 0; i < eq->nv && status == GA_OK; i++) {
    a->diagonal[i] = ga_csr_find(&eq->site[GA_SITE_NEW].M, i, i);
  }
  return status;
}

/* ---- scales of the subsystems --------------------------------------------------------------- */

/* number[s] <- the largest of number[s] and of all weight_i |x_i|, i in subsystem s; nv numbers. */
static void raise_largest(const ga_acceptance *a, const double *restrict weight,
                          const double *restrict x, double *restrict number) {
  const int nv = a->eq->nv, *restrict of = a->sub.of;
  for (int i = 0; i < nv;) { /* neighbours are mostly of one subsystem */
    const int s = of[i];
    double largest = number[s];
    for (; i < nv && of[i] == s; i++) largest = ga_max(largest, weight[i] * fabs(x[i]));
    number[s] = largest;
  }
}

/* number[s] <- the largest of all |x_i| / weight_i, i in subsystem s; nv numbers. */
static void raise_largest_quotient(const ga_acceptance *a, const double *weight, const double *x,
                                   double *number) {
  for (int i = 0; i < a->eq->nv; i++) {
    double *largest = &number[a->sub.of[i]];
    *largest = ga_max(*largest, fabs(x[i]) / weight[i]);
  }
}

/* number <- 0 for all subsystems */
static void clear(const ga_acceptance *a, double *number) {
  memset(number, 0, (size_t)a->sub.count * sizeof(double));
}

/* The scales of this iterate: largest[s] = X, allowed[s] and, for each velocity, by_x. In a team
 * collective. */
static void measure_scales(ga_acceptance *a, const double *x) {
  const ga_equations *eq = a->eq;
  const double *root = eq->eval->root_metric;
  memcpy(a->largest, a->least, (size_t)a->sub.count * sizeof(double));
  for (int b = 0; b < eq->method->nx; b++) raise_largest(a, root, x + b * eq->nv, a->largest);
  ga_subsystems_max(&a->sub, eq->eval->team, a->largest);
  for (int s = 0; s < a->sub.count; s++) a->allowed[s] = (a->tol + ROUND) * a->largest[s];
  for (int i = 0; i < eq->nv; i++) a->by_x[i] = a->allowed[a->sub.of[i]] / root[i];
}

/* The iteration begins; the equations are evaluated at the guess. Sets size_q, size_v, noise, the
 * inertia m M_ii of each velocity, the least scales and the scales of the guess. Where G is a difference
 * quotient, g is rounded like |G| |q|, the steps of the quotient grow like |q|^(1/5) only, and
 * every entry of a row has the rounding of the largest: V is then that of the subsystem. In a team
 * collective. */
ga_status ga_acceptance_begin(ga_acceptance *a, const ga_iterate *at) {
  const ga_equations *eq = a->eq;
  const ga_csr *M = &eq->site[GA_SITE_NEW].M;
  const double *root = eq->eval->root_metric;
  ga_equations_sizes(eq, a->size_q, a->size_v);
  clear(a, a->least);
  raise_largest(a, root, a->size_q, a->least);
  for (int s = 0; s < a->sub.count; s++) a->least[s] *= ROUND / (eq->h * eq->h);
  a->noise = eq->eval->noise_all;
  if (a->noise > DBL_EPSILON) {
    const double size = ga_team_max(eq->eval->team, ga_max_abs(eq->nv, a->size_q));
    a->noise *= size > 1 ? pow(size, 0.8) : 1;
    clear(a, a->floor);
    raise_largest(a, root, a->size_v, a->floor);
    for (int i = 0; i < eq->nv; i++) a->size_v[i] = a->floor[a->sub.of[i]] / root[i];
  }
  for (int i = 0; i < eq->nv; i++) {
    a->inertia[i] = a->diagonal[i] >= 0 ? eq->tab.m * fabs(M->val[a->diagonal[i]]) : 0;
  }
  ga_status status = ga_team_sum_shared(eq->eval->team, 1, a->inertia);
  measure_scales(a, at->x);
  return status;
}

/* ---- constraint rows ------------------------------------------------------------------------ */

/* Rounding of a constraint row: factor |D| size. */
typedef struct {
  const ga_csr *D;
  const double *size;
  double factor;
} row_rounding;

/* The rounding of rows of this kind. Position rows have Q/h^2, rows of velocities V/h. Those of
 * accelerations have X / sqrt(w) and, if their drift is a difference quotient, Q + (1 + max V) V;
 * into a->shift_q. */
static row_rounding rounding_of(const ga_acceptance *a, ga_con_kind kind) {
  const ga_equations *eq = a->eq;
  const double h = eq->h, noise = 8 * a->noise;
  const ga_csr *D = ga_equations_gradient(eq, kind);
  if (kind == GA_ROW_POS) return (row_rounding){D, a->size_q, ROUND / (h * h)};
  if (kind != GA_ROW_ACC) return (row_rounding){D, a->size_v, noise / h};
  const double drift = ga_eval_drift_noise(eq->eval);
  const bool quotient = drift > DBL_EPSILON;
  const double speed = 1 + ga_max_abs(eq->nv, a->size_v);
  for (int k = 0; k < eq->nv; k++) {
    a->shift_q[k] = a->largest[a->sub.of[k]] / eq->eval->root_metric[k];
    if (quotient) a->shift_q[k] += a->size_q[k] + speed * a->size_v[k];
  }
  return (row_rounding){D, a->shift_q, 8 * drift};
}

/* sum_k |D_ik| (by_x_k + factor size_k) of row i; stops as soon as it is r or more. by_x NULL: 0 */
static double row_bound(const row_rounding *k, int i, const double *by_x, double r) {
  const ga_csr *D = k->D;
  double sum = 0;
  for (int e = D->ptr[i]; e < D->ptr[i + 1] && sum < r; e++) {
    const int col = D->col[e];
    sum += fabs(D->val[e]) * ((by_x ? by_x[col] : 0) + k->factor * k->size[col]);
  }
  return sum;
}

/* Is every constraint row within |D| (by_x + rounding)? Rows of this process. */
static bool constraints_are_small(const ga_acceptance *a, const double *r) {
  const ga_equations *eq = a->eq;
  for (int c = 0; c < eq->method->ncon; c++) {
    const row_rounding k = rounding_of(a, eq->method->con[c]);
    for (int i = 0; i < k.D->nrow; i++) {
      const double size = fabs(r[eq->con_at[c] + i]);
      if (!(size <= row_bound(&k, i, a->by_x, size))) return false;
    }
  }
  return true;
}

/* b[row] = 0 for constraint rows with |r| <= rounding: another iteration would only exchange one
 * rounding for another, and long chains would amplify it. */
void ga_acceptance_skip_closed(const ga_acceptance *a, const double *r, double *b) {
  const ga_equations *eq = a->eq;
  for (int c = 0; c < eq->method->ncon; c++) {
    const row_rounding k = rounding_of(a, eq->method->con[c]);
    for (int i = 0, row = eq->con_at[c]; i < k.D->nrow; i++, row++) {
      if (8 * fabs(r[row]) <= row_bound(&k, i, NULL, 8 * fabs(r[row]))) b[row] = 0;
    }
  }
}

/* ---- the test ------------------------------------------------------------------------------- */

/* The test "small" of the head of this file. Sets the scales of this iterate. In a team
 * collective. */
bool ga_acceptance_is_small(ga_acceptance *a, const ga_iterate *at) {
  const ga_equations *eq = a->eq;
  measure_scales(a, at->x);
  bool small = true;
  for (int b = 0; b < eq->method->nx && small; b++) {
    const double *restrict r = at->r + b * eq->nv, *restrict terms = at->terms + b * eq->nv;
    const double *restrict inertia = a->inertia, *restrict by_x = a->by_x;
    for (int i = 0; i < eq->nv; i++) {
      if (fabs(r[i]) <= inertia[i] * by_x[i] + ROUND * terms[i]) continue;
      small = false;
      break;
    }
  }
  small = small && constraints_are_small(a, at->r);
  return !ga_team_any(eq->eval->team, !small);
}

/* change[s] = the largest sqrt(w) |dx| over all x blocks, and sqrt(w) |W^-1 G_n^T d eta|, by which
 * eta moves positions. Overwrites a->reaction. Collective. */
static void measure_change(ga_acceptance *a, const double *dx) {
  const ga_equations *eq = a->eq;
  const double *root = eq->eval->root_metric;
  clear(a, a->change);
  for (int b = 0; b < eq->method->nx; b++) raise_largest(a, root, dx + b * eq->nv, a->change);
  if (eq->eta >= 0) {
    memset(a->reaction, 0, (size_t)eq->nv * sizeof(double));
    ga_csr_mul_t_add(&eq->Gn, 1, dx + eq->mult_at[eq->eta], a->reaction);
    ga_team_sum_shared(eq->eval->team, 1, a->reaction);
    raise_largest(a, root, a->reaction, a->change);
  }
  ga_subsystems_max(&a->sub, eq->eval->team, a->change);
}

/* max_s change / (allowed + more) over all processes: the size of an increment relative to what is
 * allowed; more NULL: 0. Changes so small that they underflow do not count. */
static double relative_change(const ga_acceptance *a, const double *change, const double *more) {
  double error = 0;
  for (int s = 0; s < a->sub.count; s++) {
    if (change[s] <= GA_UNDERFLOW) continue;
    error = ga_larger(error, change[s] / (a->allowed[s] + (more ? more[s] : 0)));
  }
  return ga_team_max(a->eq->eval->team, error);
}

/* The size of dx relative to what the test "solved" allows. dx: of ga_factors_solve at the iterate
 * whose scales were measured last. In a team collective. */
double ga_acceptance_error(ga_acceptance *a, const double *dx, double *contraction) {
  measure_change(a, dx);
  const double error = relative_change(a, a->change, NULL);
  *contraction = error / relative_change(a, a->before, NULL);
  return error;
}

/* Was the last increment larger than MOVED X in some subsystem? */
bool ga_acceptance_has_moved(const ga_acceptance *a) {
  bool moved = false;
  for (int s = 0; s < a->sub.count; s++) moved |= a->before[s] > MOVED * a->largest[s];
  return ga_team_any(a->eq->eval->team, moved);
}

/* before <- change */
void ga_acceptance_take(ga_acceptance *a) {
  memcpy(a->before, a->change, (size_t)a->sub.count * sizeof(double));
}

/* force[s] = F, the largest |terms| / sqrt(w) of each subsystem. Collective. */
static void measure_forces(ga_acceptance *a, const double *terms) {
  const ga_equations *eq = a->eq;
  clear(a, a->force);
  for (int b = 0; b < eq->method->nx; b++) {
    raise_largest_quotient(a, eq->eval->root_metric, terms + b * eq->nv, a->force);
  }
  ga_subsystems_max(&a->sub, eq->eval->team, a->force);
}

/* a->reaction[i] = |G|^T |lam| + |H|^T |psi| of each force row. In a team collective. */
static void measure_reactions(ga_acceptance *a, const double *x) {
  const ga_equations *eq = a->eq;
  memset(a->reaction, 0, (size_t)eq->nx * sizeof(double));
  for (int b = 0; b < eq->method->nx; b++) {
    const ga_dyn_row *row = &eq->method->dyn[b];
    if (row->forces == GA_FORCES_APPLIED) continue;
    const ga_site *site = &eq->site[row->site];
    const double *const mult[] = {ga_equations_multipliers(eq, x, row->lam),
                                  ga_equations_multipliers(eq, x, row->psi)};
    const ga_csr *const gradient[] = {&site->G, &site->H};
    double *sum = a->reaction + b * eq->nv;
    for (int g = 0; g < 2; g++) {
      const ga_csr *D = gradient[g];
      for (int i = 0; i < D->nrow; i++) {
        const double size = fabs(mult[g][i]);
        for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
          sum[D->col[e]] += size * fabs(D->val[e]);
        }
      }
    }
  }
  ga_team_sum_shared(eq->eval->team, eq->method->nx, a->reaction);
}

/* level[i] of each row: force rows share (terms + reactions), inertia by_x, and the rounding of the
 * largest force, without inertia newton_tol of that force; constraint rows |D| (share X / sqrt(w) +
 * by_x + more / sqrt(w) + rounding), more of each subsystem or NULL. Sets force[s], overwrites
 * shift_v. In a team collective. */
static void set_levels(ga_acceptance *a, const ga_iterate *at, double share, const double *more) {
  const ga_equations *eq = a->eq;
  const double phi = eq->tab.phi, *root = eq->eval->root_metric;
  measure_reactions(a, at->x);
  measure_forces(a, at->terms);
  for (int i = 0; i < eq->nx; i++) {
    const int k = i % eq->nv;
    const bool massless = !(a->inertia[k] > 0); /* dx does not show its force */
    const double part = massless ? a->tol : 8 * a->noise;
    a->level[i] = (massless ? 8 * a->noise : share) * (at->terms[i] + phi * a->reaction[i]) +
                  a->inertia[k] * a->by_x[k] + part * root[k] * a->force[a->sub.of[k]] +
                  GA_UNDERFLOW;
  }
  for (int k = 0; k < eq->nv; k++) {
    const int s = a->sub.of[k];
    a->shift_v[k] = (share * a->largest[s] + (more ? more[s] : 0)) / root[k] + a->by_x[k];
  }
  for (int c = 0; c < eq->method->ncon; c++) {
    const row_rounding k = rounding_of(a, eq->method->con[c]);
    for (int i = 0; i < k.D->nrow; i++) {
      a->level[eq->con_at[c] + i] = row_bound(&k, i, a->shift_v, INFINITY) + GA_UNDERFLOW;
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

/* Is every row balanced, up to 5e-9 of its terms? After ga_acceptance_error at this iterate. In a
 * team collective. */
bool ga_acceptance_is_balanced(ga_acceptance *a, const ga_iterate *at) {
  set_levels(a, at, SHARE, NULL);
  return within_levels(a, at->r, NULL);
}

/* Sets a->level: newton_tol of the forces and accelerations of the subsystem, and rounding. In a
 * team collective. */
void ga_acceptance_levels(ga_acceptance *a, const ga_iterate *at) {
  const ga_equations *eq = a->eq;
  set_levels(a, at, a->tol, NULL);
  for (int i = 0; i < eq->nx; i++) {
    const int k = i % eq->nv;
    a->level[i] += a->tol * eq->eval->root_metric[k] * a->force[a->sub.of[k]];
  }
}

/* ---- rounding ------------------------------------------------------------------------------- */

/* A number of size 1/2 to 1, of either sign, for velocity i in this probe: the same in every run. No
 * two are equal, so that the changes of two coordinates do not cancel. */
static double weight_of(unsigned i, unsigned probe) {
  unsigned bits = (i + 1) * 2654435761u ^ (probe + 1) * 2246822519u;
  bits = (bits ^ bits >> 15) * 2654435761u;
  bits ^= bits >> 13;
  return (bits & 1 ? 0.5 : -0.5) * (1 + bits / 4294967296.0);
}

/* r (n numbers): the residual at x with q_1, v_1 moved by 8 roundings of Q and V; side 1 or -1. A
 * shared velocity is moved alike on all processes. The sites are then those of the moved point. */
static ga_status evaluate_moved(ga_acceptance *a, const double *x, unsigned probe, double side,
                                double *r) {
  ga_equations *eq = a->eq;
  const ga_team *team = eq->eval->team;
  for (int i = 0; i < eq->nv; i++) {
    const unsigned number = team ? (unsigned)team->velocity[i] : (unsigned)i;
    a->shift_q[i] = side * ROUND * weight_of(number, 2 * probe) * a->size_q[i];
    a->shift_v[i] = side * ROUND * weight_of(number, 2 * probe + 1) * a->size_v[i];
  }
  const ga_shift shift = {a->shift_q, a->shift_v};
  return ga_equations_evaluate(eq, x, &shift, NULL, r, a->probe_terms);
}

/* a->claim[i] <- the measured rounding of row i: the smaller change of r_i when q_1 and v_1 are
 * moved up and down, so that a jump of a force near x does not count; the largest over all
 * probes. */
static ga_status measure_rounding(ga_acceptance *a, const ga_iterate *at) {
  const int n = a->eq->n;
  memset(a->claim, 0, (size_t)n * sizeof(double));
  for (unsigned probe = 0; probe < PROBES; probe++) {
    ga_status status = evaluate_moved(a, at->x, probe, 1, a->r_up);
    if (status == GA_OK) status = evaluate_moved(a, at->x, probe, -1, a->r_down);
    if (status != GA_OK) return status;
    for (int i = 0; i < n; i++) {
      const double up = fabs(a->r_up[i] - at->r[i]), down = fabs(a->r_down[i] - at->r[i]);
      a->claim[i] = ga_max(a->claim[i], fmin(up, down));
    }
  }
  return GA_OK;
}

/* by_force[s] = 8 eps F/m, F and m the largest force and mass: rounding of forces that cancel, as in
 * an equilibrium. floor[s] = the largest sqrt(w) 8 (eps Q/h^2 + noise V/h), by_force, and 8 noise X.
 * If factors made in this step no longer reduce dx, the noise inside the callbacks, which no
 * argument shows, is what is left: up to SHARE X. Collective. */
static void measure_floor(ga_acceptance *a, const double *terms) {
  const ga_equations *eq = a->eq;
  const double h = eq->h, *root = eq->eval->root_metric, noise = 8 * a->noise;
  measure_forces(a, terms);
  clear(a, a->mass);
  clear(a, a->floor);
  raise_largest_quotient(a, eq->eval->metric, a->inertia, a->mass);
  for (int i = 0; i < eq->nv; i++) {
    const double by_q = ROUND * a->size_q[i] / (h * h), by_v = noise * a->size_v[i] / h;
    a->floor[a->sub.of[i]] = ga_max(a->floor[a->sub.of[i]], root[i] * (by_q + by_v));
  }
  ga_subsystems_max(&a->sub, eq->eval->team, a->mass);
  ga_subsystems_max(&a->sub, eq->eval->team, a->floor);
  for (int s = 0; s < a->sub.count; s++) {
    a->by_force[s] = a->mass[s] > 0 ? ROUND * a->force[s] / a->mass[s] : 0;
    a->floor[s] += (SHARE + noise) * a->largest[s] + a->by_force[s];
  }
}

/* The first half of the test "rounded" of the head of this file, after ga_acceptance_error at this
 * iterate: is the increment below the floor? In a team collective. */
bool ga_acceptance_may_be_rounding(ga_acceptance *a, const ga_iterate *at) {
  measure_floor(a, at->terms);
  return relative_change(a, a->change, a->floor) <= 1;
}

/* The second half: are all rows balanced, up to measured rounding? In a team collective. */
ga_status ga_acceptance_is_rounding(ga_acceptance *a, const ga_iterate *at, bool *accepted,
                                    bool *evaluated) {
  set_levels(a, at, SHARE, a->by_force);
  *accepted = within_levels(a, at->r, NULL);
  *evaluated = !*accepted;
  if (*accepted) return GA_OK;
  ga_status status = measure_rounding(a, at);
  if (status == GA_OK) *accepted = within_levels(a, at->r, a->claim);
  return status;
}
