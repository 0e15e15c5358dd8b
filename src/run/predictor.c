/* SPDX-License-Identifier: MIT */
/* The first guess of a step's unknowns: the polynomial through those of the last steps.
 *
 * Kept are Krogh's modified divided differences, with s_i = t_n - t_n-i (s_0 = 1),
 *
 *   phi_j = s_1 .. s_j x[t_n .. t_n-j],   phi_0 = x_n,   x_n - x_n-1, .. for equal steps,
 *
 * which give at t_n+1, where s_i becomes s'_i = t_n+1 - t_n+1-i,
 *
 *   x(t_n+1) = sum_j D_j,   D_j = b_j phi_j,   b_0 = 1,   b_j = b_j-1 s'_j / s_j
 *   phi_0 <- x_n+1,   phi_j <- phi_j-1 (new) - D_j-1.
 *
 * D_k+1 estimates the error of order k. Its size is the larger of accelerations and forces,
 * each relative to x, in the metric of the model. The order is raised as long as every D_j is at most FALLS
 * times the one before: on smooth motion to the largest, at jumps and where rounding is all that is
 * left of a difference it stays low, and so does the number of differences that are kept.
 *
 * Errors in the multipliers alternate: by rho_inf a step they are damped, and rounding excites
 * them. Where D_k+1 does not fall, and D_k+2 is larger by more than GROWS, as for e_n = -rho e_n-1,
 * whose differences grow by 1 + 1/rho, the term D_k+1 of the next step is expected to be -rho times
 * the last one. A bad guess costs iterations, never accuracy. */
#include "run/predictor.h"

#include <math.h>
#include <string.h>

static const double FALLS = 0.5, GROWS = 1.5; /* ratios of terms D_j, see above */

/* Allocate the differences phi, and weights (ones) if weighted. The blocks of *p are set, all other
 * members were zeroed; the caller checks arena->failed. */
void ga_predictor_init(ga_predictor *p, bool weighted, ga_arena *arena) {
  p->n = p->begin[p->blocks];
  p->count = 1;
  for (int k = 0; k < GA_PREDICTOR_STEPS; k++) p->phi[k] = ga_arena_doubles(arena, (size_t)p->n);
  if (weighted) p->weight = ga_arena_doubles(arena, (size_t)p->n);
  for (int i = 0; p->weight && i < p->n; i++) p->weight[i] = 1;
}

/* Forget all steps except the latest, phi[0]: the next guess is that one. */
void ga_predictor_forget(ga_predictor *p) {
  p->count = 1;
  p->bent = 0;
}

/* Set the time of the latest step to t, move the earlier ones with it; weights become invalid. */
void ga_predictor_shift(ga_predictor *p, double t) {
  double by = t - p->t[0];
  for (int j = 1; j < p->count; j++) p->t[j] += by;
  p->t[0] = t;
  p->nb = 0;
}

/* b_j, j < count, for a step to t1, in p->b, which is returned; sets nb, b_t1. They are not
 * computed again if the guess of this step used them. */
static double *update_weights(ga_predictor *p, double t1) {
  double *b = p->b;
  if (p->nb >= p->count && p->b_t1 == t1) return b;
  b[0] = 1;
  for (int j = 1; j < p->count; j++) b[j] = b[j - 1] * (t1 - p->t[j - 1]) / (p->t[0] - p->t[j]);
  p->nb = p->count;
  p->b_t1 = t1;
  return b;
}

/* phi <- carry, carry <- carry - b phi (the old one): one order of the update of differences. */
static void replace_difference(int n, double b, double *restrict phi, double *restrict carry) {
  for (int e = 0; e < n; e++) {
    double old = phi[e];
    phi[e] = carry[e];
    carry[e] -= b * old;
  }
}

/* Two orders of replace_difference in one pass: for phi with b[0], then next with b[1]. */
static void replace_two_differences(int n, const double *b, double *restrict phi,
                                    double *restrict next, double *restrict carry) {
  const double b0 = b[0], b1 = b[1];
  for (int e = 0; e < n; e++) {
    double between = carry[e] - b0 * phi[e], old = next[e];
    phi[e] = carry[e];
    next[e] = between;
    carry[e] = between - b1 * old;
  }
}

/* Vectors are gone through in pieces that stay in the nearest cache while all orders are treated.
 */
enum { PIECE = 256 };
/* Differences kept beyond the order in use: the next, and one more to see whether it alternates. */
enum { BEYOND = 2 };

/* Number of entries of the piece that begins at `from`. */
static int piece_size(int from, int to) {
  return to - from < PIECE ? to - from : PIECE;
}

/* max of known >= 0 and all w_i |x_i|, n numbers; w NULL: ones. Four maxima side by side are quick. */
static double largest_weighted(double known, int n, const double *w, const double *x) {
  double m[4] = {known, 0, 0, 0};
  int i = 0;
  if (!w) return ga_max_abs_from(known, n, x);
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; k++) m[k] = ga_max(m[k], w[i + k] * fabs(x[i + k]));
  }
  for (; i < n; i++) m[0] = ga_max(m[0], w[i] * fabs(x[i]));
  return ga_max(ga_max(m[0], m[1]), ga_max(m[2], m[3]));
}

/* Raise p->size of the first `count` differences to those of the unknowns at .. end - 1. */
static void raise_sizes(ga_predictor *p, int count, int at, int end) {
  for (int g = 0; g < p->blocks; g++) {
    int from = p->begin[g] > at ? p->begin[g] : at;
    int to = p->begin[g + 1] < end ? p->begin[g + 1] : end;
    const double *w = p->weight ? p->weight + from : NULL;
    for (int j = 0; j < count && from < to; j++) {
      double *size = &p->size[j][p->force[g]];
      *size = largest_weighted(*size, to - from, w, p->phi[j] + from);
    }
  }
}

/* Update all differences of the unknowns at .. at + n - 1 for the new solution x, and raise the
 * largest sizes of their kinds, which the caller has set to 0. n <= PIECE; b: weights of this
 * step. p->count does not change. */
static void update_piece(ga_predictor *p, const double *b, const double *x, int at, int n) {
  double carry[PIECE];
  int count = p->count, end = at + n;
  memcpy(carry, x + at, (size_t)n * sizeof(double));
  int j = 0;
  for (; j + 1 < count; j += 2)
    replace_two_differences(n, b + j, p->phi[j] + at, p->phi[j + 1] + at, carry);
  if (j < count) replace_difference(n, b[j], p->phi[j] + at, carry);
  if (count < GA_PREDICTOR_STEPS) memcpy(p->phi[count++] + at, carry, (size_t)n * sizeof(double));
  raise_sizes(p, count, at, end);
}

/* Remember x of an accepted step from t to t1: update differences phi, sizes, times and count. At
 * most BEYOND differences above the order in use are kept. Collective in a team. */
void ga_predictor_keep(ga_predictor *p, double t, double t1, const double *x) {
  if (p->count == 1) p->t[0] = t;
  if (p->count > p->order + BEYOND) p->count = p->order + BEYOND; /* and one new */
  const double *b = update_weights(p, t1);
  memset(p->size, 0, sizeof p->size);
  for (int at = 0; at < p->n; at += PIECE) update_piece(p, b, x, at, piece_size(at, p->n));
  /* all processes must choose the same order */
  ga_team_max_all(p->team, 2 * GA_PREDICTOR_STEPS, &p->size[0][0]);
  if (p->count < GA_PREDICTOR_STEPS) p->count++;
  for (int j = p->count - 1; j > 0; j--) p->t[j] = p->t[j - 1];
  p->t[0] = t1;
  p->nb = 0;
}

/* Begin anew: phi[0] are the unknowns at time t, phi[1] their change from t - dt to t, phi[2] the
 * change of that over dt, `count` of them set by the caller. Sets their sizes. Collective in a
 * team. */
void ga_predictor_begin(ga_predictor *p, double t, double dt, int count) {
  p->count = count;
  p->order = count - 1;
  p->bent = count - 2;
  for (int j = 0; j < count; j++) p->t[j] = t - j * dt;
  p->nb = 0;
  memset(p->size, 0, sizeof p->size);
  raise_sizes(p, p->count, 0, p->n);
  ga_team_max_all(p->team, 2 * GA_PREDICTOR_STEPS, &p->size[0][0]);
}

/* phi[2] if the last step ended at t, three steps are known and the accelerations were smooth: their
 * differences fall by FALLS from the first to the second or, where the first is nearly zero, from
 * the second to the third. (A jump in one of the last steps has differences of equal size, or such
 * that grow.) Else NULL. */
const double *ga_predictor_second_difference(const ga_predictor *p, double t) {
  double first = p->size[1][0], second = p->size[2][0], third = p->size[3][0];
  bool smooth = second <= FALLS * first || (p->count > 3 + p->bent && third <= FALLS * second);
  return p->count > 2 && p->t[0] == t && smooth ? p->phi[2] : NULL;
}

/* |D_j| relative to |x|, the larger of accelerations and forces. */
static double term_size(const ga_predictor *p, const double *b, int j) {
  double by_x = b[j] * p->size[j][0], by_m = b[j] * p->size[j][1];
  return ga_max(by_x > 0 ? by_x / p->size[0][0] : 0, by_m > 0 ? by_m / p->size[0][1] : 0);
}

/* The largest order up to which the terms D_j fall by FALLS, from the relative sizes of all of
 * them. *alternates: the terms beyond it grow like those of an error that changes its sign in each
 * step. */
static int choose_order(const ga_predictor *p, const double *b, bool *alternates) {
  double last = 1;
  *alternates = false;
  for (int j = 1; j < p->count; j++) {
    double size = term_size(p, b, j);
    if (!(size <= FALLS * last)) {
      *alternates = j + 1 < p->count && term_size(p, b, j + 1) > GROWS * size;
      return j - 1;
    }
    last = size;
  }
  return p->count - 1;
}

/* x <- x + b_0 phi + b_1 next */
static void add_two(int n, const double *b, const double *restrict phi, const double *restrict next,
                    double *restrict x) {
  const double b0 = b[0], b1 = b[1];
  for (int e = 0; e < n; e++) x[e] = x[e] + b0 * phi[e] + b1 * next[e];
}

/* x = sum_j b_j phi_j, the polynomial extrapolated to t1, of the order chosen here (p->order) and
 * perhaps the alternating term beyond it; false if there is no term but phi_0, then x = phi_0. If t
 * is not the time of the latest step, all but that one are forgotten. */
bool ga_predictor_guess(ga_predictor *p, double t, double t1, double *x) {
  bool alternates;
  if (p->count > 1 && p->t[0] != t) p->count = 1; /* the state is not the one these led to */
  double *b = update_weights(p, t1);
  int terms = p->order = choose_order(p, b, &alternates);
  /* that weight is changed, and no longer valid for the update: nb leaves it out */
  if (alternates) b[++terms] *= -p->rho, p->nb = terms;
  if (terms == 0) {
    memcpy(x, p->phi[0], (size_t)p->n * sizeof(double));
    return false;
  }
  for (int at = 0; at < p->n; at += PIECE) {
    int n = piece_size(at, p->n);
    ga_add_scaled(n, b[1], p->phi[1] + at, p->phi[0] + at, x + at);
    int j = 2;
    for (; j < terms; j += 2) add_two(n, b + j, p->phi[j] + at, p->phi[j + 1] + at, x + at);
    if (j == terms) ga_axpy(n, b[j], p->phi[j] + at, x + at);
  }
  return true;
}
