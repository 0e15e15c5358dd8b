/* SPDX-License-Identifier: MIT */
/* The acceptance of an iterate, by backward error.
 *
 * An iterate is accepted if, row by row, it solves equations whose own terms are changed by at most
 * newton_tol or by rounding:
 *
 *     |r_i| <= newton_tol terms_i + rounding_i
 *
 *     row               terms                    rounding, in units of ROUND eps
 *     force             |m M x|, phi |F|, |R|,   terms, |M||x|, |G|^T|lam|, |H|^T|psi|,
 *                       |old terms|                and claimed: |K||q_1| + |C||v_1|
 *     position g/h^2    |G| |x|                  |G| Q / h^2
 *     velocity /h       |G| |x|                  |G| V / h, and claimed: |Z| Q / h
 *     nonholonomic k/h  |H| |x|                  |H| V / h, and claimed: |Y| Q / h
 *     acceleration      |G| |x|                  |G| (Q + |x| + (1 + max V) V)
 *
 * The three components of a vector on SO(3) or SE(3) are rounded like the largest of them. Q and V
 * are the sizes of the summands that q_1 and v_1 were made of, component by component, not of their
 * sums; eps is that of a difference quotient where G, H or the drift is one. The residual judged is
 * that of the iterate itself. Nothing is learned from step to step, but the tangents are those of
 * the matrix that was made last.
 *
 * Tangents K, C, Z come from the model and are not verified. They excuse at most the fraction SHARE
 * of a row's terms. More is excused by measurement alone: the residual is evaluated with q_1 and
 * v_1 moved by ROUND roundings, with random signs, once up and once down. The smaller of the two
 * changes of a row counts, so that a jump of a force near the iterate is not taken for rounding.
 * This is done if tangents claim that rounding explains a residual, and if it is below a rounding
 * of the largest force of all: terms may cancel inside a callback.
 *
 * Constants inside a callback, such as (x + 1) - (y + 1), have roundings that no argument shows. If
 * fresh matrices no longer improve any row (the iteration has stalled), a row may be out of balance
 * by SHARE of its terms, to which |G| Q/h^2 and |G| V/h then belong, and a position constraint by
 * no more than OPEN of what the accelerations move.
 *
 * Three more allowances depend on other rows: roundings of the constraints change the accelerations
 * (ga_judge_shake), forces can be negligible (ga_allow_faint), and constraints share one rounding
 * of the liveliest motion in their subsystem (ga_allow_motion). A subsystem ("part" in names) is a
 * set of velocities that constraints connect. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "step/acceptance/allow.h"

static const double ROUND = GA_ROUND;
static const double TINY = GA_UNDERFLOW;

/* Set *j to zero but for eq, factors and tol (newton_tol), allocate all arrays from the arena and
 * find the subsystems by the patterns of G and H; the caller checks arena->failed. */
void ga_judge_init(ga_judge *j, ga_equations *eq, ga_factors *factors, double tol,
                   ga_arena *arena) {
  *j = (ga_judge){.eq = eq, .factors = factors, .tol = tol};
  double **const of_nv[] = {&j->size_q,    &j->size_v,  &j->size_x,   &j->bound,   &j->pace,
                            &j->strongest, &j->root,    &j->shift_q,  &j->shift_v, &j->liveliest,
                            &j->fastest,   &j->hardest, &j->greatest, &j->now_q,   &j->now_v};
  double **const of_n[] = {&j->rounding, &j->noise, &j->r_up, &j->r_down, &j->shake};
  for (size_t i = 0; i < sizeof of_nv / sizeof of_nv[0]; i++)
    *of_nv[i] = ga_arena_doubles(arena, (size_t)eq->nv);
  for (int i = 0; i < 5; i++) *of_n[i] = ga_arena_doubles(arena, (size_t)eq->n);
  j->terms = ga_arena_doubles(arena, (size_t)eq->nx);
  j->vector = ga_arena_ints(arena, (size_t)eq->nv);
  j->vector_end = ga_arena_ints(arena, (size_t)eq->nv);
  j->part = ga_arena_ints(arena, (size_t)eq->nv);
  j->first = ga_arena_ints(arena, (size_t)eq->nv);
  ga_columns_init(&j->G_columns, &eq->site->G, arena);
  ga_columns_init(&j->H_columns, &eq->site->H, arena);
  j->const_mass = eq->eval->const_mass;
  for (int c = 0; c < eq->method->ncon; c++) j->has_speed |= eq->method->con[c] == GA_ROW_ACC;
  if (arena->failed) return;
  ga_space_vectors(eq->eval->model->space, j->vector, j->vector_end);
  const ga_model *model = eq->eval->model;
  bool named = (eq->nlam == 0 || model->pat_G) && (eq->npsi == 0 || model->pat_H);
  j->by_value = !named;
  ga_judge_find_parts(j, false);
}

/* An iteration begins: no probes so far, and all that belongs to an iterate is forgotten. Sets
 * size_q and size_v; in a team collective if the method has acceleration rows. */
void ga_judge_begin(ga_judge *j) {
  j->eta_counted = true;
  j->probes = 0;
  ga_judge_move(j);
}

/* Set size_q, size_v: sizes of the summands of q_1 and v_1 (without eta), for each velocity; and
 * speed, 1 + the largest size_v, for acceleration rows (collective then). */
static void measure_sizes(ga_judge *j) {
  ga_equations_sizes(j->eq, j->size_q, j->size_v);
  if (j->has_speed) {
    j->speed = 1 + ga_team_max(j->eq->eval->team, ga_max_abs(j->eq->nv, j->size_v));
  }
}

/* Set pace = size_v + eps size_q/h for each velocity. In a stalled iteration velocities below one
 * rounding of q per step count as zero. */
static void measure_pace(ga_judge *j) {
  const double rounding = DBL_EPSILON / j->eq->h;
  for (int i = 0; i < j->eq->nv; i++) j->pace[i] = j->size_v[i] + rounding * j->size_q[i];
}

/* The iterate has moved: forget what was measured at the last one (noise, shake, strongest forces,
 * parts, now_q, now_v), and take eta out of size_q if it was counted. */
void ga_judge_move(ga_judge *j) {
  if (j->eta_counted) measure_sizes(j);
  j->measured = j->shaken = j->prepared = j->parts_known = j->eta_counted = false;
  j->now_known = false;
}

/* ---- the verdict ---------------------------------------------------------------------------- */

/* Update the verdict for row i with residual |r| = r and allowance a: accepted, doubtful, shakable
 * become false where r is above proved, claimed, shakable; excess and row become those of the
 * largest r/proved. */
static void weigh(ga_verdict *v, int i, double r, ga_allowance a) {
  if (r <= a.proved + TINY) return;
  v->accepted = false;
  v->doubtful &= r <= a.claimed;
  v->shakable &= r <= a.shakable;
  double excess = r / a.proved; /* infinite where nothing is allowed */
  if (excess <= v->excess) return;
  v->excess = excess;
  v->row = i;
}

/* Row i of constraint c, residual size r, is above the simple bound of ga_judge_constraints: judge
 * it with the full allowance, into *v. ga_judge_measure_motion must have been called for this kind
 * of row. */
static void weigh_constraint(ga_judge *j, const ga_row_rounding *k, int c, int i, double r,
                             ga_look look, ga_verdict *v) {
  const ga_equations *eq = j->eq;
  ga_allowance a = ga_allow_constraint(j, c, i, ga_allow_sizes(j, k, i), look);
  a.proved = ga_max(a.proved, ga_allow_motion(j, k->D, i));
  weigh(v, eq->con_at[c] + i, r, a);
}

/* Add the constraint rows of this process to *v, which begins as accepted, doubtful, shakable. Most
 * rows are accepted by one bound, |D| (newton_tol |x| + roundings); others are judged one by one,
 * in a rough look by that bound alone. Sets size_x, liveliest and fastest. In a team j->suspects
 * must be set. */
void ga_judge_constraints(ga_judge *j, const ga_iterate *at, ga_look look, ga_verdict *v) {
  const ga_equations *eq = j->eq;
  ga_allow_accelerations(j, at);
  for (int c = 0; c < eq->method->ncon; c++) {
    const ga_row_rounding k = ga_allow_rounding(j, eq->method->con[c], look);
    const ga_bound bound = {j->tol, ROUND * k.factor, j->size_x, k.size};
    const double *r = at->r + eq->con_at[c];
    bool roughly = look == GA_LOOK_ROUGHLY && !(k.speed > 0) && !k.quotient;
    bool measured = j->suspects[c] && !roughly; /* in a team all processes measure or none */
    if (measured) ga_judge_measure_motion(j, eq->method->con[c]);
    for (int i = 0; i < k.D->nrow; i++) {
      double size = fabs(r[i]);
      if (ga_allow_within(k.D, i, &bound, size)) continue;
      if (roughly) {
        weigh(v, eq->con_at[c] + i, size,
              (ga_allowance){.proved = ga_allow_row_bound(k.D, i, &bound)});
      } else {
        if (!measured) ga_judge_measure_motion(j, eq->method->con[c]);
        measured = true;
        weigh_constraint(j, &k, c, i, size, look, v);
      }
    }
  }
}

/* Is some row of this process above newton_tol times its terms, so that rounding was needed to
 * accept it? For the iterate judged last: size_x must be set. */
static bool above_tol(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  for (int i = 0; i < eq->nx; i++) {
    if (fabs(at->r[i]) > j->tol * at->terms[i]) return true;
  }
  const ga_bound bound = {j->tol, 0, j->size_x, j->size_x};
  for (int c = 0; c < eq->method->ncon; c++) {
    const ga_csr *D = ga_equations_gradient(eq, eq->method->con[c]);
    const double *r = at->r + eq->con_at[c];
    for (int i = 0; i < D->nrow; i++) {
      if (!ga_allow_within(D, i, &bound, fabs(r[i]))) return true;
    }
  }
  return false;
}

/* Is some row of any process above newton_tol times its terms? Of the iterate judged last. In a
 * team collective. */
bool ga_judge_rounding(ga_judge *j, const ga_iterate *at) {
  return ga_team_any(j->eq->eval->team, above_tol(j, at));
}

/* Add the force rows of this process to *v. Most rows are accepted by (newton_tol + roundings)
 * terms; only the others cost more. May prepare the judge (ga_allow_prepare); in a team that and
 * ga_allow_sum_forces must have been done before. */
void ga_judge_forces(ga_judge *j, const ga_iterate *at, ga_look look, ga_verdict *v) {
  const int nx = j->eq->nx, nv = j->eq->nv;
  const double level = j->tol + ROUND * DBL_EPSILON, *r = at->r, *terms = at->terms;
  for (int i = 0; i < nx; i++) {
    double size = fabs(r[i]);
    if (size <= level * terms[i]) continue;
    if (!j->prepared) ga_allow_prepare(j, terms);
    const double faint = ga_allow_faint(j, i % nv, terms[i]);
    if (size <= level * terms[i] + faint) continue;
    weigh(v, i, size, ga_allow_force(j, at, i, size, faint, look));
  }
}

/* The verdict on an iterate: constraint rows, then force rows. If a constraint is refused, all are
 * judged again with eta counted in the size of q (not in a rough look). In a team collective, and
 * the verdict is that of all processes. */
ga_verdict ga_judge_look(ga_judge *j, const ga_iterate *at, ga_look look) {
  if (look == GA_LOOK_STALLED) measure_pace(j);
  if (j->eq->eval->team) return ga_judge_look_together(j, at, look);
  ga_verdict v = {.accepted = true, .doubtful = true, .shakable = true};
  ga_judge_constraints(j, at, look, &v);
  if (!v.accepted && look != GA_LOOK_ROUGHLY && j->eq->eta >= 0 && !j->eta_counted) {
    ga_allow_count_eta(j, at);
    v = (ga_verdict){.accepted = true, .doubtful = true, .shakable = true};
    ga_judge_constraints(j, at, look, &v);
  }
  ga_judge_forces(j, at, look, &v);
  return v;
}

/* The verdict on the force rows alone, of an iterate whose constraints were found closed before. In
 * a team collective. */
ga_verdict ga_judge_look_again(ga_judge *j, const ga_iterate *at, ga_look look) {
  ga_verdict v = {.accepted = true, .doubtful = true, .shakable = true};
  if (j->eq->eval->team) return ga_judge_forces_together(j, at, look, v);
  ga_judge_forces(j, at, look, &v);
  return v;
}

/* allowed[i], n numbers: the largest residual allowed in row i of this iterate, as proved. Sets
 * size_x and prepares the judge. In a team collective. */
void ga_judge_allowed(ga_judge *j, const ga_iterate *at, double *allowed) {
  const ga_equations *eq = j->eq;
  ga_allow_accelerations(j, at);
  ga_allow_prepare(j, at->terms);
  if (eq->eval->team) ga_allow_sum_forces(j, at, GA_LOOK_CLOSELY);
  for (int i = 0; i < eq->nx; i++) {
    const double faint = ga_allow_faint(j, i % eq->nv, at->terms[i]);
    allowed[i] = ga_allow_force(j, at, i, INFINITY, faint, GA_LOOK_CLOSELY).proved;
  }
  for (int c = 0; c < eq->method->ncon; c++) {
    const ga_row_rounding k = ga_allow_rounding(j, eq->method->con[c], GA_LOOK_CLOSELY);
    ga_judge_measure_motion(j, eq->method->con[c]);
    for (int i = 0; i < k.D->nrow; i++) {
      const ga_row_sizes size = ga_allow_sizes(j, &k, i);
      ga_allowance a = ga_allow_constraint(j, c, i, size, GA_LOOK_CLOSELY);
      allowed[eq->con_at[c] + i] = ga_max(a.proved, ga_allow_motion(j, k.D, i));
    }
  }
}

/* j->rounding[i] of each constraint row: one rounding (table at the head of this file). Sets size_x
 * if there are acceleration rows. */
void ga_judge_roundings(ga_judge *j, const ga_iterate *at) {
  const ga_equations *eq = j->eq;
  if (j->has_speed) ga_allow_accelerations(j, at);
  for (int c = 0; c < eq->method->ncon; c++) {
    const ga_row_rounding k = ga_allow_rounding(j, eq->method->con[c], GA_LOOK_CLOSELY);
    double *rounding = j->rounding + eq->con_at[c];
    for (int i = 0; i < k.D->nrow; i++) {
      rounding[i] = k.factor * ga_allow_row_sum(k.D, i, k.size);
      if (k.speed > 0) rounding[i] = ga_allow_sizes(j, &k, i).rounding;
    }
  }
}

/* b[row] = 0 for constraint rows whose residual at->r is within one rounding; b, n numbers, is a
 * copy of the residual or its negative. Other rows of b stay. */
void ga_judge_skip_closed(ga_judge *j, const ga_iterate *at, double *b) {
  const ga_equations *eq = j->eq;
  if (j->has_speed) ga_judge_roundings(j, at);
  for (int c = 0; c < eq->method->ncon; c++) {
    const ga_row_rounding k = ga_allow_rounding(j, eq->method->con[c], GA_LOOK_CLOSELY);
    for (int i = 0, row = eq->con_at[c]; i < k.D->nrow; i++, row++) {
      const double r = fabs(at->r[row]);
      const bool closed = k.speed > 0 ? r <= j->rounding[row] : ga_allow_closed(&k, i, r);
      if (closed) b[row] = 0;
    }
  }
}
