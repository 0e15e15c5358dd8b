/* SPDX-License-Identifier: MIT */
/* Pendulum with torsion spring and damper in absolute coordinates q = (x, y, theta).
 *
 *     M = diag(m, m, m L^2/3),   F = (0, -m g, -c theta' - k (theta - 3 pi/2))
 *     g = (x - L cos theta, y - L sin theta)
 *
 * Jay and Negrut 2007 (JN07), section 5.2; reference values docs/reference/problems.md. */
#include <math.h>

#include "problems/problem.h"

static const double m = 5, L = 2, k = 3000, c = 100, gravity = 9.81;
static const double theta0 = 1.5 * GA_PI;

/* M = diag(m, m, m L^2/3). */
static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  ga_put(M, 0, 0, m);
  ga_put(M, 1, 1, m);
  ga_put(M, 2, 2, m * L * L / 3);
  return 0;
}

/* Weight on y; spring and damper on theta. */
static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t;
  F[0] = 0;
  F[1] = -m * gravity;
  F[2] = -c * v[2] - k * (q[2] - theta0);
  return 0;
}

/* g = (x - L cos theta, y - L sin theta). */
static int holonomic(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[0] - L * cos(q[2]);
  g[1] = q[1] - L * sin(q[2]);
  return 0;
}

/* G = ((1, 0, L sin theta), (0, 1, -L cos theta)). */
static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  ga_put(G, 0, 0, 1);
  ga_put(G, 1, 1, 1);
  ga_put(G, 0, 2, L * sin(q[2]));
  ga_put(G, 1, 2, -L * cos(q[2]));
  return 0;
}

/* Z = D_q(G v) = L theta' (cos theta, sin theta) in the column of theta. */
static int holonomic_curv(void *user, double t, const double *q, const double *v, ga_csr *Z) {
  (void)user, (void)t;
  ga_put(Z, 0, 2, L * cos(q[2]) * v[2]);
  ga_put(Z, 1, 2, L * sin(q[2]) * v[2]);
  return 0;
}

/* drift = Z v = L theta'^2 (cos theta, sin theta). */
static int holonomic_drift(void *user, double t, const double *q, const double *v, double *drift) {
  (void)user, (void)t;
  drift[0] = L * cos(q[2]) * v[2] * v[2];
  drift[1] = L * sin(q[2]) * v[2] * v[2];
  return 0;
}

/* Kt = D_q(-F + G^T lam) = k + L (cos theta lam1 + sin theta lam2) and Ct = -dF/dv = c, both at
 * (theta, theta). */
static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)user, (void)t, (void)v, (void)x, (void)psi;
  ga_put(Kt, 2, 2, k + L * (cos(q[2]) * lam[0] + sin(q[2]) * lam[1]));
  ga_put(Ct, 2, 2, c);
  return 0;
}

/* Not constant: the damper takes energy out. */
static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)user, (void)t;
  const double turn = q[2] - theta0;
  *kin = 0.5 * m * (v[0] * v[0] + v[1] * v[1] + L * L / 3 * v[2] * v[2]);
  *pot = m * gravity * q[1] + 0.5 * k * turn * turn;
  return 0;
}

static const ga_model_ops ops = {.mass = mass,
                                 .force = force,
                                 .holonomic = holonomic,
                                 .holonomic_jac = holonomic_jac,
                                 .holonomic_curv = holonomic_curv,
                                 .holonomic_drift = holonomic_drift,
                                 .force_tangents = force_tangents,
                                 .energy = energy};

/* Writes all of q and v from theta and theta'. */
static void fill_state(double theta, double thetad, double *q, double *v) {
  q[0] = L * cos(theta), v[0] = -L * sin(theta) * thetad;
  q[1] = L * sin(theta), v[1] = L * cos(theta) * thetad;
  q[2] = theta, v[2] = thetad;
}

/* Sets up the problem: start at theta = 3 pi/2, theta' = 10, references at t = 2 and t = 4. */
static ga_status build(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  (void)options;
  static const char *const q_names[] = {"x", "y", "theta"};
  static const char *const v_names[] = {"x_dot", "y_dot", "theta_dot"};
  static const char *const lam_names[] = {"lam1", "lam2"};
  const ga_model model = {.ops = &ops,
                          .nlam = 2,
                          .const_mass = true,
                          .scleronomic = true,
                          .q_names = q_names,
                          .v_names = v_names,
                          .lam_names = lam_names};
  const ga_problem_factor factors[] = {{&ga_group_rn, 3}, {NULL, 0}};
  ga_status status = ga_problem_setup(problem, &model, factors, err);
  if (status != GA_OK) return status;
  problem->rho_inf = 0.7, problem->h = 1e-3, problem->t_end = 4;
  fill_state(theta0, 10, problem->q0, problem->v0);

  ga_problem_state *at2 = ga_problem_tabulate(problem, 2);
  ga_problem_state *at4 = ga_problem_tabulate(problem, 4);
  if (!at2 || !at4) return GA_ERR_MEM;
  fill_state(4.7277786998835511405, -0.19818443470388096975, at2->q, at2->v);
  at2->lam[0] = 10.45245228152741315;
  at2->lam[1] = -49.28194420930448886;
  fill_state(4.711868115942143374, 0.001202266113864426952, at4->q, at4->v);
  return GA_OK;
}

const ga_problem_entry ga_entry_pendulum_spring = {
    .name = "pendulum-spring",
    .summary = "pendulum with torsion spring and damper, 3 coordinates, 2 constraints",
    .cite = "Jay and Negrut, Electronic Transactions on Numerical Analysis 26 (2007), section 5.2",
    .build = build};
