/* SPDX-License-Identifier: MIT */
/* T^-1 of SO(3) and of SE(3), and how they vary: what elements need whose forces come from a
 * logarithm. With e = s6(|w|^2), eta = s7, zeta = s8,
 *
 *   A(w)    = I + w~/2 + e w~^2                                    T^-1 of SO(3), A(-w) = A(w)^T
 *   A'(u,w) = u~/2 + e (w~ u~ + u~ w~) + eta (w.u) w~^2            its derivative along u
 *   T^-1(u, w) = [A A'; 0 A]                                       of SE(3), T^-1(-d) = [A^T A'^T; 0 A^T]
 *   g(n)    = d(A^T n)/dw = n~/2 + E(n),
 *   E(n)    = e (w n^T + (w.n) I - 2 n w^T) + eta (w~^2 n) w^T     odd in w
 *   chi     = d(g(n) u)/dw                                         even in w
 *
 * Source: V. Sonneville, A. Cardona, O. Bruls, Geometrically exact beam finite element formulated on
 * the special Euclidean group SE(3), CMAME 268 (2014), 451-474. */
#include <string.h>

#include "lie/lie.h"

/* *c <- e, eta and zeta at w */
void ga_log_coefficients_at(const double *w, ga_log_coefficients *c) {
  const double x = ga_dot3(w, w);
  *c = (ga_log_coefficients){ga_s6(x), ga_s7(x), ga_s8(x)};
}

/* A <- A(w), 3 x 3 by rows */
void ga_so3_inverse_tangent(const ga_log_coefficients *c, const double *w, double *A) {
  const double x = ga_dot3(w, w);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) A[3 * i + j] = c->e * w[i] * w[j];
    A[4 * i] += 1 - c->e * x;
  }
  A[1] -= 0.5 * w[2], A[2] += 0.5 * w[1], A[3] += 0.5 * w[2];
  A[5] -= 0.5 * w[0], A[6] -= 0.5 * w[1], A[7] += 0.5 * w[0];
}

/* A1 <- A'(u, w); w~ u~ + u~ w~ = u w^T + w u^T - 2 (w.u) I, w~^2 = w w^T - |w|^2 I */
void ga_so3_inverse_tangent_slope(const ga_log_coefficients *c, const double *w, const double *u,
                                  double *A1) {
  const double x = ga_dot3(w, w), wu = ga_dot3(w, u), k = c->eta * wu;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      A1[3 * i + j] = c->e * (u[i] * w[j] + w[i] * u[j]) + k * w[i] * w[j];
    }
    A1[4 * i] -= 2 * c->e * wu + k * x;
  }
  A1[1] -= 0.5 * u[2], A1[2] += 0.5 * u[1], A1[3] += 0.5 * u[2];
  A1[5] -= 0.5 * u[0], A1[6] -= 0.5 * u[1], A1[7] += 0.5 * u[0];
}

/* E <- E(n) */
void ga_so3_gradient_odd(const ga_log_coefficients *c, const double *w, const double *n,
                         double *E) {
  const double x = ga_dot3(w, w), wn = ga_dot3(w, n);
  for (int i = 0; i < 3; i++) {
    const double z = c->eta * (w[i] * wn - x * n[i]); /* eta w~^2 n */
    for (int j = 0; j < 3; j++) {
      E[3 * i + j] = c->e * (w[i] * n[j] - 2 * n[i] * w[j]) + z * w[j];
    }
    E[4 * i] += c->e * wn;
  }
}

/* g <- g(n) */
void ga_so3_gradient(const ga_log_coefficients *c, const double *w, const double *n, double *g) {
  ga_so3_gradient_odd(c, w, n, g);
  g[1] -= 0.5 * n[2], g[2] += 0.5 * n[1], g[3] += 0.5 * n[2];
  g[5] -= 0.5 * n[0], g[6] -= 0.5 * n[1], g[7] += 0.5 * n[0];
}

/* chi <- d(g(n) u)/dw
 *   = e ((n.u) I + u n^T - 2 n u^T) + eta ((n.u) w + (w.n) u - 2 (w.u) n) w^T
 *     + eta (w.u) ((w.n) I + w n^T - 2 n w^T) + eta (w~^2 n) u^T + zeta (w.u) (w~^2 n) w^T */
void ga_so3_curvature(const ga_log_coefficients *c, const double *w, const double *n,
                      const double *u, double *chi) {
  const double x = ga_dot3(w, w), wn = ga_dot3(w, n), wu = ga_dot3(w, u), nu = ga_dot3(n, u);
  for (int i = 0; i < 3; i++) {
    const double z = w[i] * wn - x * n[i];
    const double by_w = c->eta * (nu * w[i] + wn * u[i] - 4 * wu * n[i]) + c->zeta * wu * z;
    for (int j = 0; j < 3; j++) {
      chi[3 * i + j] = c->e * (u[i] * n[j] - 2 * n[i] * u[j]) + by_w * w[j] +
                       c->eta * (wu * w[i] * n[j] + z * u[j]);
    }
    chi[4 * i] += c->e * nu + c->eta * wu * wn;
  }
}
