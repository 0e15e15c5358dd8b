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
 * D_k+1 estimates the error of order k. The order is raised as long as every D_j is at most FALLS
 * times the one before: on smooth motion to the largest, at jumps and where rounding is all that is
 * left of a difference it stays low. A bad guess costs iterations, never accuracy. */
#include "step/predict.h"

#include <math.h>
#include <string.h>

static const double FALLS = 0.5;

void ga_predictor_init(ga_predictor *p, int nx, int n, ga_arena *arena) {
  p->nx = nx;
  p->n = n;
  p->count = 1;
  for (int k = 0; k < GA_PREDICT; k++) p->phi[k] = ga_arena_doubles(arena, (size_t)n);
  p->carry = ga_arena_doubles(arena, (size_t)n);
}

void ga_predictor_forget(ga_predictor *p) {
  p->count = 1;
}

/* b_j for a step to t1 */
static void weights(const ga_predictor *p, double t1, double *b) {
  b[0] = 1;
  for (int j = 1; j < p->count; j++) b[j] = b[j - 1] * (t1 - p->t[j - 1]) / (p->t[0] - p->t[j]);
}

/* phi <- carry, carry <- carry - b phi (the old one) */
static void exchange(int n, double b, double *restrict phi, double *restrict carry) {
  for (int e = 0; e < n; e++) {
    double old = phi[e];
    phi[e] = carry[e];
    carry[e] -= b * old;
  }
}

void ga_predictor_keep(ga_predictor *p, double t, double t1, const double *x) {
  double b[GA_PREDICT];
  if (p->count == 1) p->t[0] = t;
  weights(p, t1, b);
  memcpy(p->carry, x, (size_t)p->n * sizeof(double));
  for (int j = 0; j < p->count; j++) exchange(p->n, b[j], p->phi[j], p->carry);
  if (p->count < GA_PREDICT) {
    memcpy(p->phi[p->count], p->carry, (size_t)p->n * sizeof(double));
    p->count++;
  }
  for (int j = p->count - 1; j > 0; j--) p->t[j] = p->t[j - 1];
  p->t[0] = t1;
}

void ga_predict(ga_predictor *p, double t, double t1, double *x) {
  double b[GA_PREDICT], last = 1;
  memcpy(x, p->phi[0], (size_t)p->n * sizeof(double));
  p->order = 0;
  if (p->count > 1 && p->t[0] != t) p->count = 1; /* the state is not the one these led to */
  if (p->count == 1) return;
  weights(p, t1, b);
  double size_x = ga_max_abs(p->nx, x), size_m = ga_max_abs(p->n - p->nx, x + p->nx);
  for (int j = 1; j < p->count; j++) {
    double by_x = b[j] * ga_max_abs(p->nx, p->phi[j]);
    double by_m = b[j] * ga_max_abs(p->n - p->nx, p->phi[j] + p->nx);
    double size = ga_max(by_x > 0 ? by_x / size_x : 0, by_m > 0 ? by_m / size_m : 0);
    if (!(size <= FALLS * last)) return;
    last = size;
    p->order = j;
    ga_axpy(p->n, b[j], p->phi[j], x);
  }
}
