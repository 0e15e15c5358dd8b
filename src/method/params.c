/* SPDX-License-Identifier: MIT */
/* Parameter sets of the family, the conditions of AB07 section 2.3, and the linear test equation.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "genalpha/ga_options.h"

/* Parameters with beta and gamma that go with alpha = alpha_m - alpha_f, AB07: gamma = 1/2 - alpha
 * (20), beta = (gamma + 1/2)^2/4 = (1 - alpha)^2/4 (24). */
static ga_params with_alphas(double alpha_m, double alpha_f, double b) {
  double alpha = alpha_m - alpha_f;
  return (ga_params){alpha_m, alpha_f, (1 - alpha) * (1 - alpha) / 4, 0.5 - alpha, b};
}

/* The parameters of Chung and Hulbert with spectral radius rho_inf at infinity, b = 0. */
ga_params ga_params_rho(double rho_inf) {
  return with_alphas((2 * rho_inf - 1) / (1 + rho_inf), rho_inf / (1 + rho_inf), 0);
}

/* The parameters of the HHT-alpha method, alpha from -1/3 to 0 (not checked here), and b. */
ga_params ga_params_hht(double alpha, double b) {
  return with_alphas(0, -alpha, b);
}

/* each name with its rule; the trapezoidal rule is Newmark's method with beta 1/4, gamma 1/2 */
static const struct {
  const char *name;
  double alpha_m, alpha_f;
  double rho; /* >= 0: Chung-Hulbert */
} named[] = {
    {"newmark", 0, 0, -1},
    {"trapezoidal", 0, 0, -1},
    {"hht", 0, 0.1, -1},
    {"chung-hulbert", 0, 0, 0.9},
};

enum { NAMED = (int)(sizeof named / sizeof named[0]) };

/* Name of the i-th named parameter set, NULL if there is none. */
const char *ga_params_name(int i) {
  return i >= 0 && i < NAMED ? named[i].name : NULL;
}

/* *out: the parameters of that name; GA_ERR_ARG, and *out unchanged, if there is none. */
ga_status ga_params_named(const char *name, ga_params *out, ga_error *err) {
  for (int i = 0; i < NAMED; i++) {
    if (strcmp(named[i].name, name) != 0) continue;
    *out = named[i].rho >= 0 ? ga_params_rho(named[i].rho)
                             : with_alphas(named[i].alpha_m, named[i].alpha_f, 0);
    return GA_OK;
  }
  return ga_fail(err, GA_ERR_ARG,
                 "params = '%.80s' is neither four numbers alpha_m,alpha_f,beta,gamma nor one of "
                 "newmark, trapezoidal, hht, chung-hulbert",
                 name);
}

/* Largest modulus of the roots of z^3 + a z^2 + b z + c, by Cardano's formula around the mean root.
 * The generalized-alpha polynomials have a threefold root at infinity; coefficients that differ
 * from a cube by rounding only are taken as one, else the root would be uncertain by eps^(1/3). */
static double cubic_radius(double a, double b, double c) {
  const double pi = 3.14159265358979323846;
  double mean = -a / 3;
  double p = b - a * a / 3;
  double q = 2 * a * a * a / 27 - a * b / 3 + c;
  double size = fabs(mean) + sqrt(fabs(b) / 3) + cbrt(fabs(c));
  if (fabs(p) <= 2e-15 * size * size && fabs(q) <= 2e-15 * size * size * size) return fabs(mean);
  double discriminant = q * q / 4 + p * p * p / 27;
  if (discriminant > 0) {
    double u = cbrt(-q / 2 - copysign(sqrt(discriminant), q));
    double v = u != 0 ? -p / (3 * u) : 0;
    double real = fabs(mean + u + v);
    double pair = hypot(mean - (u + v) / 2, sqrt(3.0) / 2 * (u - v));
    return fmax(real, pair);
  }
  double r = sqrt(-p / 3), largest = 0;
  if (r == 0) return fabs(mean);
  double cosine = -q / (2 * r * r * r);
  double phi = acos(fmax(-1, fmin(1, cosine)));
  for (int k = 0; k < 3; k++) {
    largest = fmax(largest, fabs(mean + 2 * r * cos((phi + 2 * pi * k) / 3)));
  }
  return largest;
}

/* Spectral radius for omega h -> infinity: the largest root of sigma(zeta) = sum b'_k zeta^k, AB07
 * (19), (22). INFINITY if beta = 0 or alpha_f = 1, where the polynomial has a lower degree. */
static double radius_at_infinity(const ga_params *p) {
  double f = p->alpha_f, beta = p->beta, gamma = p->gamma;
  double c0 = f * (0.5 + beta - gamma);
  double c1 = (1 - f) * (0.5 + beta - gamma) + f * (0.5 - 2 * beta + gamma);
  double c2 = (1 - f) * (0.5 - 2 * beta + gamma) + f * beta;
  double c3 = (1 - f) * beta;
  if (c3 == 0) return INFINITY;
  return cubic_radius(c2 / c3, c1 / c3, c0 / c3);
}

/* Order, zero-stability and damping at infinity, AB07 (20), (21), (23); text describes each
 * condition that fails and is empty if none does. */
ga_params_report ga_params_check(const ga_params *p) {
  ga_params_report rep = {0};
  double order_gamma = 0.5 + p->alpha_f - p->alpha_m;
  double stable_beta = 0.25 + (p->alpha_f - p->alpha_m) / 2;
  rep.order2 = fabs(p->gamma - order_gamma) <= 1e-12;
  rep.zero_stable = p->alpha_m <= 0.5;
  rep.strict_at_inf = p->alpha_m < p->alpha_f && p->alpha_f < 0.5 && p->beta > stable_beta;
  rep.rho_inf = radius_at_infinity(p);
  size_t at = 0;
  char *text = rep.text;
  const size_t room = sizeof rep.text;
#define ADD(...)                                         \
  if (at < room) {                                       \
    int n = snprintf(text + at, room - at, __VA_ARGS__); \
    at += n > 0 ? (size_t)n : 0;                         \
  }
  if (!rep.order2) {
    ADD("AB07 (20) fails: gamma = %.6g, order 2 needs 1/2 + alpha_f - alpha_m = %.6g. ", p->gamma,
        order_gamma);
  }
  if (!rep.zero_stable) ADD("AB07 (21) fails: alpha_m = %.6g > 1/2, not zero-stable. ", p->alpha_m);
  if (!rep.strict_at_inf) {
    ADD("AB07 (23) fails: alpha_m < alpha_f < 1/2, beta > %.6g; spectral radius at infinity %.6g. ",
        stable_beta, rep.rho_inf);
  }
#undef ADD
  if (at > 0 && at < room) rep.text[at - 1] = '\0';
  return rep;
}

/* Output A[9]: the 3 x 3 matrix, row by row, of one step (q, h v, h^2 a) -> (q1, h v1, h^2 a1) on
 * q'' = -omega^2 q. With W = (omega h)^2, c = 1/(1 - alpha_m) and A = h^2 a in these lines only:
 *   q1 = q + hv + (1/2 - beta) A + beta A1
 *   A1 = c (-(1 - alpha_f) W q1 - alpha_f W q - alpha_m A)
 *   hv1 = hv + (1 - gamma) A + gamma A1
 * solved with D = 1 + beta c (1 - alpha_f) W. In 1/D and W/D nothing cancels or overflows, however
 * stiff. */
void ga_params_amplification(const ga_params *p, double omega_h, double A[9]) {
  double c = 1 / (1 - p->alpha_m), f = p->alpha_f;
  double W = omega_h * omega_h, stiff = p->beta * c * (1 - f);
  double one_D = 1 / (1 + stiff * W), W_D = 1 / (1 / W + stiff);
  double known = 0.5 - p->beta - p->beta * c * p->alpha_m;
  A[0] = one_D - p->beta * c * f * W_D;
  A[1] = one_D;
  A[2] = known * one_D;
  A[6] = -c * W_D;
  A[7] = -c * (1 - f) * W_D;
  A[8] = -c * p->alpha_m - c * (1 - f) * known * W_D;
  const double v[3] = {0, 1, 1 - p->gamma};
  for (int j = 0; j < 3; j++) A[3 + j] = v[j] + p->gamma * A[6 + j];
}

/* Largest modulus of the roots of the characteristic polynomial of the 3 x 3 amplification matrix
 * at omega h. */
double ga_params_spectral_radius(const ga_params *p, double omega_h) {
  double A[9];
  ga_params_amplification(p, omega_h, A);
  double trace = A[0] + A[4] + A[8];
  double minors = A[0] * A[4] - A[1] * A[3] + A[0] * A[8] - A[2] * A[6] + A[4] * A[8] - A[5] * A[7];
  double det = A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
               A[2] * (A[3] * A[7] - A[4] * A[6]);
  return cubic_radius(-trace, minors, -det);
}
