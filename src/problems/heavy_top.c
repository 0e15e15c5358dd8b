/* SPDX-License-Identifier: MIT */
/* The heavy top, a body that turns about a fixed point, on R^3 x SO(3) and on SE(3).
 *
 *     q = (x, quaternion of R),   Omega body-fixed,   M = diag(m I, J)
 *     g = -x + R X,   lam the same in both
 *
 *     R^3 x SO(3)   v = (u, Omega), u = x'     G = (-I, -R X~)   F = (m gamma, -Omega x J Omega)
 *     SE(3)         v = (U, Omega), U = R^T x' G = (-R, -R X~)
 *                   F = (m R^T gamma - m Omega x U, -Omega x J Omega)
 *
 * Arnold, Cardona and Brüls 2015 (ACB15), appendix, (28); reference values docs/problems.md.
 * The second form follows from m x'' = m gamma + lam with x'' = R (U' + Omega x U). */
#include <string.h>

#include "lie/lie.h"
#include "problems/problem.h"

enum { NQ = 7, NV = 6, NLAM = 3 };

static const double X[3] = {0, 1, 0}, m = 15, gravity[3] = {0, 0, -9.81};
static const double J[3] = {0.234375, 0.46875, 0.234375};
static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* Which of the two forms: in SE(3) the velocity of the centre of mass is body-fixed, too. */
typedef struct heavy_top {
  bool se3;
} heavy_top;

/* A(row .. row+2, col) += s y */
static void add_column(ga_csr *A, int row, int col, double s, const double *y) {
  for (int i = 0; i < 3; i++) ga_accumulate(A, row + i, col, s * y[i]);
}

/* A(row .. row+2, col .. col+2) += s a~ */
static void add_skew(ga_csr *A, int row, int col, double s, const double *a) {
  for (int j = 0; j < 3; j++) {
    double y[3];
    ga_cross3(a, unit[j], y);
    add_column(A, row, col + j, s, y);
  }
}

/* A(0 .. 2, 3 .. 5) = -R a~, the derivative of R a by the rotation */
static void put_turned_skew(ga_csr *A, const double *p, const double *a) {
  for (int j = 0; j < 3; j++) {
    double y[3];
    ga_cross3(a, unit[j], y);
    ga_quat_rotate(p, y, y);
    add_column(A, 0, 3 + j, -1, y);
  }
}

static void times_J(const double *y, double *Jy) {
  for (int i = 0; i < 3; i++) Jy[i] = J[i] * y[i];
}

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < 3; i++) {
    ga_put(M, i, i, m);
    ga_put(M, 3 + i, 3 + i, J[i]);
  }
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)t;
  const heavy_top *top = user;
  const double *Omega = v + 3;
  double g[3], JOmega[3], OmegaU[3] = {0, 0, 0};
  memcpy(g, gravity, sizeof g);
  if (top->se3) {
    ga_quat_unrotate(q + 3, gravity, g);
    ga_cross3(Omega, v, OmegaU);
  }
  times_J(Omega, JOmega);
  ga_cross3(JOmega, Omega, F + 3);
  for (int i = 0; i < 3; i++) F[i] = m * (g[i] - OmegaU[i]);
  return 0;
}

static int holonomic(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  ga_quat_rotate(q + 3, X, g);
  for (int i = 0; i < 3; i++) g[i] -= q[i];
  return 0;
}

static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)t;
  const heavy_top *top = user;
  for (int j = 0; j < 3; j++) {
    double y[3];
    memcpy(y, unit[j], sizeof y);
    if (top->se3) ga_quat_rotate(q + 3, y, y);
    add_column(G, 0, j, -1, y);
  }
  put_turned_skew(G, q + 3, X);
  return 0;
}

/* The part of G v that R turns, G v = R y - (u on R^3 x SO(3)):
 * y = Omega x X on R^3 x SO(3), y = Omega x X - U on SE(3). */
static void turned_part(const heavy_top *top, const double *v, double *y) {
  ga_cross3(v + 3, X, y);
  for (int i = 0; top->se3 && i < 3; i++) y[i] -= v[i];
}

/* Z = (0, -R y~) */
static int holonomic_curv(void *user, double t, const double *q, const double *v, ga_csr *Z) {
  (void)t;
  double y[3];
  turned_part(user, v, y);
  put_turned_skew(Z, q + 3, y);
  return 0;
}

/* Z v = R (Omega x y) */
static int holonomic_drift(void *user, double t, const double *q, const double *v, double *drift) {
  (void)t;
  double y[3];
  turned_part(user, v, y);
  ga_cross3(v + 3, y, drift);
  ga_quat_rotate(q + 3, drift, drift);
  return 0;
}

/* With D_q(R^T y) = (R^T y)~ in the columns of the rotation:
 *
 *   G^T lam = (-lam or -R^T lam, X x R^T lam)     Kt = ((0, 0 or -(R^T lam)~ - m (R^T gamma)~),
 *                                                       (0, X~ (R^T lam)~))
 *   -F = (.. + m Omega x U, Omega x J Omega)      Ct = ((0 or m Omega~, 0 or -m U~),
 *                                                       (0, Omega~ J - (J Omega)~)) */
static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)t, (void)x, (void)psi;
  const heavy_top *top = user;
  const double *Omega = v + 3;
  double Rlam[3], JOmega[3];
  ga_quat_unrotate(q + 3, lam, Rlam);
  times_J(Omega, JOmega);
  for (int j = 0; j < 3; j++) {
    double y[3], z[3];
    ga_cross3(Rlam, unit[j], y);
    ga_cross3(X, y, z);
    add_column(Kt, 3, 3 + j, 1, z);
    ga_cross3(Omega, unit[j], y);
    add_column(Ct, 3, 3 + j, J[j], y);
  }
  add_skew(Ct, 3, 3, -1, JOmega);
  if (!top->se3) return 0;

  double Rgamma[3];
  ga_quat_unrotate(q + 3, gravity, Rgamma);
  add_skew(Kt, 0, 3, -1, Rlam);
  add_skew(Kt, 0, 3, -m, Rgamma);
  add_skew(Ct, 0, 0, m, Omega);
  add_skew(Ct, 0, 3, -m, v);
  return 0;
}

static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)user, (void)t;
  double JOmega[3];
  times_J(v + 3, JOmega);
  *kin = 0.5 * (m * ga_dot3(v, v) + ga_dot3(v + 3, JOmega));
  *pot = -m * ga_dot3(gravity, q);
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

/* The quaternion is tabulated to 13 digits, x, u and Omega to 17. Two Gauss-Newton steps on
 * R X = x and R (Omega x X) = u, orthogonal vectors, give it their accuracy: with |X| = 1 and
 * y = Omega x X the correction is w = X x R^T x + (X, y x R^T u)/|y|^2 X. */
static void sharpen(const double *x, const double *v, double *p) {
  double y[3];
  ga_cross3(v + 3, X, y);
  ga_quat_clean(p);
  for (int step = 0; step < 2; step++) {
    double Rx[3], Ru[3], turn[3], w[3], dp[4];
    ga_quat_unrotate(p, x, Rx);
    ga_quat_unrotate(p, v, Ru);
    ga_cross3(X, Rx, w);
    ga_cross3(y, Ru, turn);
    ga_axpy(3, ga_dot3(X, turn) / ga_dot3(y, y), X, w);
    ga_quat_exp(w, dp);
    ga_quat_mul(p, dp, p);
  }
  ga_quat_clean(p);
}

/* From R^3 x SO(3) to SE(3): U = R^T u, U' = R^T u' - Omega x U. */
static void to_se3(const double *p, double *v, double *vd) {
  double OmegaU[3];
  ga_quat_unrotate(p, v, v);
  ga_cross3(v + 3, v, OmegaU);
  ga_quat_unrotate(p, vd, vd);
  ga_axpy(3, -1, OmegaU, vd);
}

static ga_status tabulate(ga_problem *problem, bool se3) {
  static const double q[NQ] = {0.17334396409838604, 0.64008859207056872, -0.74849079113358137,
                               0.7329439806797,     -0.2782857193376,    0.5318246113342,
                               -0.3201761427362};
  static const double v[NV] = {
      0.57082530342548695, -4.5887282963349523, -3.7919551547100418, -0.82207810168270458, 150,
      -5.9232913481173363};
  static const double vd[NV] = {
      -34.506715965126670, -26.456206765970280, 17.161661677525648, 858.45630893318214, 0,
      -125.32642338950314};
  static const double lam[NLAM] = {-517.60073947690005, -396.84310148955420, 404.57492516288473};
  ga_problem_state *ref = ga_problem_tabulate(problem, 1);
  if (!ref) return GA_ERR_MEM;
  memcpy(ref->q, q, sizeof q);
  memcpy(ref->v, v, sizeof v);
  memcpy(ref->vd, vd, sizeof vd);
  memcpy(ref->lam, lam, sizeof lam);
  sharpen(ref->q, ref->v, ref->q + 3);
  if (se3) to_se3(ref->q + 3, ref->v, ref->vd);
  return GA_OK;
}

/* x = X, R = I, Omega = (0, 150, -4.61538), and u = Omega x X in either form */
static ga_status build(ga_problem *problem, bool se3, ga_error *err) {
  static const char *const q_names[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
  static const char *const v_names[][NV] = {{"u1", "u2", "u3", "Omega1", "Omega2", "Omega3"},
                                            {"U1", "U2", "U3", "Omega1", "Omega2", "Omega3"}};
  static const char *const lam_names[] = {"lam1", "lam2", "lam3"};
  static const double Omega0[3] = {0, 150, -4.61538};
  static const ga_problem_factor product[] = {{&ga_group_rn, 3}, {&ga_group_so3, 1}, {NULL, 0}};
  static const ga_problem_factor single[] = {{&ga_group_se3, 1}, {NULL, 0}};
  const ga_model model = {.ops = &ops,
                          .nlam = NLAM,
                          .const_mass = true,
                          .scleronomic = true,
                          .q_names = q_names,
                          .v_names = v_names[se3],
                          .lam_names = lam_names};
  ga_status status = ga_problem_setup(problem, &model, se3 ? single : product, err);
  if (status != GA_OK) return status;
  heavy_top *top = ga_problem_take(problem, 1, sizeof *top);
  if (!top) return GA_ERR_MEM;
  top->se3 = se3;
  problem->model.user = top;
  problem->rho_inf = 0.9, problem->h = 1e-3, problem->t_end = 1;
  memcpy(problem->q0, X, sizeof X);
  memcpy(problem->v0 + 3, Omega0, sizeof Omega0);
  ga_cross3(Omega0, X, problem->v0);
  return tabulate(problem, se3);
}

static ga_status build_product(ga_problem *problem, const ga_problem_options *options,
                               ga_error *err) {
  (void)options;
  return build(problem, false, err);
}

static ga_status build_se3(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  (void)options;
  return build(problem, true, err);
}

const ga_problem_entry ga_entry_heavy_top = {
    .name = "heavy-top",
    .summary = "heavy top on R^3 x SO(3), 6 velocities, 3 constraints",
    .cite =
        "Arnold, Cardona and Brüls, Order reduction in time integration caused by velocity "
        "projection, 2015, appendix",
    .build = build_product};

const ga_problem_entry ga_entry_heavy_top_se3 = {
    .name = "heavy-top-se3",
    .summary = "heavy top on SE(3), body-fixed velocities, 3 constraints",
    .cite =
        "Arnold, Cardona and Brüls, Order reduction in time integration caused by velocity "
        "projection, 2015, appendix, rewritten for SE(3)",
    .build = build_se3};
