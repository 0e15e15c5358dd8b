/* SPDX-License-Identifier: MIT */
/* A unit mass on a circle of driven radius: a constraint that depends on time, closed solution.
 *
 *     g = (x^2 + y^2 - r(t)^2)/2,   r = 1 + a sin 2t,   a = 0.1,   M = I,   F = 0
 *     r^2 theta' = 1,   lam = theta'^2 - r''/r
 *
 * docs/reference/problems.md. */
#include <math.h>

#include "problems/problem.h"

static const double amplitude = 0.1;

/* r, r', r'' */
typedef struct radius {
  double r, rd, rdd;
} radius;

/* r, r', r'' at time t. */
static radius radius_at(double t) {
  const double a = amplitude;
  return (radius){1 + a * sin(2 * t), 2 * a * cos(2 * t), -4 * a * sin(2 * t)};
}

/* M = I. */
static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  ga_put(M, 0, 0, 1);
  ga_put(M, 1, 1, 1);
  return 0;
}

/* No applied force. */
static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = F[1] = 0;
  return 0;
}

/* g = (x^2 + y^2 - r(t)^2)/2. */
static int holonomic(void *user, double t, const double *q, double *g) {
  (void)user;
  const double r = radius_at(t).r;
  g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - r * r);
  return 0;
}

/* G = (x, y). */
static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  ga_put(G, 0, 0, q[0]);
  ga_put(G, 0, 1, q[1]);
  return 0;
}

/* g_t = -r r' */
static int holonomic_t(void *user, double t, const double *q, double *gt) {
  (void)user, (void)q;
  const radius c = radius_at(t);
  gt[0] = -c.r * c.rd;
  return 0;
}

/* Z = D_q(G v) = v^T. */
static int holonomic_curv(void *user, double t, const double *q, const double *v, ga_csr *Z) {
  (void)user, (void)t, (void)q;
  ga_put(Z, 0, 0, v[0]);
  ga_put(Z, 0, 1, v[1]);
  return 0;
}

/* drift = Z v + g_tt = v^T v - r'^2 - r r''. */
static int holonomic_drift(void *user, double t, const double *q, const double *v, double *drift) {
  (void)user, (void)q;
  const radius c = radius_at(t);
  drift[0] = v[0] * v[0] + v[1] * v[1] - c.rd * c.rd - c.r * c.rdd;
  return 0;
}

/* Kt = D_q(G^T lam) = lam I; Ct = 0 is not written, as matrices arrive zeroed. */
static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)user, (void)t, (void)q, (void)v, (void)x, (void)psi, (void)Ct;
  ga_put(Kt, 0, 0, lam[0]);
  ga_put(Kt, 1, 1, lam[0]);
  return 0;
}

/* Kinetic energy alone. It is not constant: the driven radius does work. */
static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)user, (void)t, (void)q;
  *kin = 0.5 * (v[0] * v[0] + v[1] * v[1]);
  *pot = 0;
  return 0;
}

/* Returns an antiderivative of 1/r^2, the angle theta up to a constant. With w^2 = 1 - a^2,
 *
 *     integral dt/(1 + a sin 2t)^2 = (a cos 2t / (2 r) + p/w) / w^2,   tan p = (tan t + a)/w,
 *
 * where p - t is bounded and is taken by the addition theorem, so that p has no jumps. */
static double angle_primitive(double t) {
  const double a = amplitude, w = sqrt(1 - a * a);
  const double c = cos(t), s = sin(t);
  const double p = t + atan(c * ((1 - w) * s + a * c) / (w * c * c + s * s + a * s * c));
  return (a * cos(2 * t) / (2 * radius_at(t).r) + p / w) / (w * w);
}

/* Closed solution: theta from angle_primitive, theta' = 1/r^2; outputs may be NULL. */
static void exact(const void *user, double t, double *q, double *v, double *vd, double *lam,
                  double *psi) {
  (void)user, (void)psi;
  const radius k = radius_at(t);
  const double theta = angle_primitive(t) - angle_primitive(0);
  const double thetad = 1 / (k.r * k.r);
  const double lambda = thetad * thetad - k.rdd / k.r;
  const double c = cos(theta), s = sin(theta);
  if (q) q[0] = k.r * c, q[1] = k.r * s;
  if (v) v[0] = k.rd * c - k.r * thetad * s, v[1] = k.rd * s + k.r * thetad * c;
  if (vd) vd[0] = -lambda * k.r * c, vd[1] = -lambda * k.r * s;
  if (lam) lam[0] = lambda;
}

static const ga_model_ops ops = {.mass = mass,
                                 .force = force,
                                 .holonomic = holonomic,
                                 .holonomic_jac = holonomic_jac,
                                 .holonomic_t = holonomic_t,
                                 .holonomic_curv = holonomic_curv,
                                 .holonomic_drift = holonomic_drift,
                                 .force_tangents = force_tangents,
                                 .energy = energy};

/* Sets up the problem; the start is the closed solution at t = 0. */
static ga_status build(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  (void)options;
  static const char *const q_names[] = {"x", "y"}, *const v_names[] = {"x_dot", "y_dot"};
  static const char *const lam_names[] = {"lam"};
  const ga_model model = {.ops = &ops,
                          .nlam = 1,
                          .const_mass = true,
                          .q_names = q_names,
                          .v_names = v_names,
                          .lam_names = lam_names};
  const ga_problem_factor factors[] = {{&ga_group_rn, 2}, {NULL, 0}};
  ga_status status = ga_problem_setup(problem, &model, factors, err);
  if (status != GA_OK) return status;
  problem->rho_inf = 0.9, problem->h = 1e-2, problem->t_end = 1;
  exact(NULL, 0, problem->q0, problem->v0, NULL, NULL, NULL);
  return GA_OK;
}

const ga_problem_entry ga_entry_rheonomic = {
    .name = "rheonomic",
    .summary = "unit mass on a circle of driven radius, closed solution",
    .cite = "genalpha, a constraint that depends on time",
    .build = build,
    .exact = exact};
