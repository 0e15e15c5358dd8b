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
 * Arnold, Cardona and Brüls 2015 (ACB15), appendix, (28); reference values
 * docs/reference/problems.md. The second form follows from m x'' = m gamma + lam with x'' = R (U' +
 * Omega x U). */
#include <string.h>

#include "lie/lie.h"
#include "problems/problem.h"

enum { NQ = 7, NV = 6, NLAM = 3 };

static const double X[3] = {0, 1, 0}, m = 15, gravity[3] = {0, 0, -9.81};
static const double J[3] = {0.234375, 0.46875, 0.234375};

/* Which of the two forms: in SE(3) the velocity of the centre of mass is body-fixed, too. All
 * patterns are full there; in the product they have only what they need, see fill_patterns. */
typedef struct heavy_top {
  bool se3;
  ga_csr M, K, G;
} heavy_top;

/* A 3 x 3 block or a diagonal within a matrix's values: first entry, entries per row. */
typedef struct block {
  int at, ld;
} block;

static const block G_turn[2] = {{1, 4}, {3, 6}};                             /* columns of Omega */
static const block M_diagonal[2][2] = {{{0, 1}, {3, 1}}, {{0, 7}, {21, 7}}}; /* u, Omega */

/* A <- A + s B in the 3 x 3 block b of the values of A (see struct block). */
static void add_block(ga_csr *A, block b, double s, double B[3][3]) {
  double *val = A->val + b.at;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) val[i * b.ld + j] += s * B[i][j];
  }
}

/* A <- A + s B in the rows and columns of Omega of A, which is Kt or Ct. On R^3 x SO(3) the
 * pattern has no row of Omega_2, because that row of B is zero with this X and J. */
static void add_turn(const heavy_top *top, ga_csr *A, double s, double B[3][3]) {
  if (top->se3) {
    add_block(A, (block){21, 6}, s, B);
    return;
  }
  for (int j = 0; j < 3; j++) {
    A->val[j] += s * B[0][j];
    A->val[3 + j] += s * B[2][j];
  }
}

/* A = a~, so that A b = a x b. */
static void skew(const double *a, double A[3][3]) {
  const double rows[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
  memcpy(A, rows, sizeof rows);
}

/* C = A B; C must not be A or B. */
static void product(double A[3][3], double B[3][3], double C[3][3]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) C[i][j] = A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j];
  }
}

/* y = A x; y must not be x. */
static void times(double A[3][3], const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = A[i][0] * x[0] + A[i][1] * x[1] + A[i][2] * x[2];
}

/* y = A^T x; y must not be x. */
static void times_t(double A[3][3], const double *x, double *y) {
  for (int j = 0; j < 3; j++) y[j] = A[0][j] * x[0] + A[1][j] * x[1] + A[2][j] * x[2];
}

/* The rotation matrix R = I + 2 p0 p~ + 2 p~^2 of the unit quaternion p. */
static void rotation(const double *p, double R[3][3]) {
  double a = p[0], b = p[1], c = p[2], d = p[3];
  const double rows[3][3] = {{1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)},
                             {2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)},
                             {2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)}};
  memcpy(R, rows, sizeof rows);
}

/* Jy = J y; J is diagonal. */
static void times_J(const double *y, double *Jy) {
  for (int i = 0; i < 3; i++) Jy[i] = J[i] * y[i];
}

/* M = diag(m I, J); other entries are left, as matrices arrive zeroed. */
static void fill_mass(const heavy_top *top, ga_csr *M) {
  const block *diagonal = M_diagonal[top->se3];
  for (int i = 0; i < 3; i++) {
    M->val[diagonal[0].at + i * diagonal[0].ld] = m;
    M->val[diagonal[1].at + i * diagonal[1].ld] = J[i];
  }
}

/* F = (m gamma, -Omega x J Omega); on SE(3) the first is m R^T gamma - m Omega x U. */
static void fill_force(const heavy_top *top, double R[3][3], const double *v, double *F) {
  const double *Omega = v + 3;
  double g[3], JOmega[3], OmegaU[3] = {0, 0, 0};
  memcpy(g, gravity, sizeof g);
  if (top->se3) {
    times_t(R, gravity, g);
    ga_cross3(Omega, v, OmegaU);
  }
  times_J(Omega, JOmega);
  ga_cross3(JOmega, Omega, F + 3);
  for (int i = 0; i < 3; i++) F[i] = m * (g[i] - OmegaU[i]);
}

/* A <- A - R a~ in the columns of Omega of A (G or Z): the derivative of R a by the rotation. */
static void add_turned(const heavy_top *top, double R[3][3], const double *a, ga_csr *A) {
  double A3[3][3], B[3][3];
  skew(a, A3);
  product(R, A3, B);
  add_block(A, G_turn[top->se3], -1, B);
}

/* G = (-I, -R X~), on SE(3) (-R, -R X~). Adds to entries, which arrive zeroed. */
static void fill_gradient(const heavy_top *top, double R[3][3], ga_csr *G) {
  if (top->se3) {
    add_block(G, (block){0, 6}, -1, R);
  } else {
    for (int i = 0; i < 3; i++) G->val[4 * i] = -1;
  }
  add_turned(top, R, X, G);
}

/* The term of G v that R rotates, G v = R y - (u on R^3 x SO(3)):
 * writes y = Omega x X on R^3 x SO(3), y = Omega x X - U on SE(3). */
static void rotated_term(const heavy_top *top, const double *v, double *y) {
  ga_cross3(v + 3, X, y);
  for (int i = 0; top->se3 && i < 3; i++) y[i] -= v[i];
}

/* Adds the tangents to Kt and Ct. With D_q(R^T y) = (R^T y)~ in the columns of the rotation:
 *
 *   G^T lam = (-lam or -R^T lam, X x R^T lam)     Kt = ((0, 0 or -(R^T lam)~ - m (R^T gamma)~),
 *                                                       (0, X~ (R^T lam)~))
 *   -F = (.. + m Omega x U, Omega x J Omega)      Ct = ((0 or m Omega~, 0 or -m U~),
 *                                                       (0, Omega~ J - (J Omega)~)) */
static void fill_tangents(const heavy_top *top, double R[3][3], const double *v, const double *lam,
                          ga_csr *Kt, ga_csr *Ct) {
  const double *Omega = v + 3;
  double Rlam[3], JOmega[3], X3[3][3], lam3[3][3], A[3][3], B[3][3];
  times_t(R, lam, Rlam);
  times_J(Omega, JOmega);
  skew(X, X3);
  skew(Rlam, lam3);
  product(X3, lam3, A);
  add_turn(top, Kt, 1, A);
  skew(Omega, A);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) B[i][j] = A[i][j] * J[j];
  }
  add_turn(top, Ct, 1, B);
  skew(JOmega, B);
  add_turn(top, Ct, -1, B);
  if (!top->se3) return;

  const block above = {3, 6}, corner = {0, 6};
  double Rgamma[3];
  times_t(R, gravity, Rgamma);
  add_block(Kt, above, -1, lam3);
  skew(Rgamma, B);
  add_block(Kt, above, -m, B);
  add_block(Ct, corner, m, A);
  skew(v, B);
  add_block(Ct, above, -m, B);
}

/* Writes all fields of `out` that are not NULL, see ga_model.h; matrices arrive zeroed. Always 0
 * (no failure). */
static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  (void)t;
  const heavy_top *top = user;
  double R[3][3], y[3];
  rotation(q + 3, R);
  if (out->M) fill_mass(top, out->M);
  if (out->F) fill_force(top, R, v, out->F);
  if (out->g) {
    times(R, X, out->g);
    for (int i = 0; i < 3; i++) out->g[i] -= q[i];
  }
  if (out->G) fill_gradient(top, R, out->G);
  if (out->Z) {
    rotated_term(top, v, y);
    add_turned(top, R, y, out->Z); /* Z = (0, -R y~) */
  }
  if (out->Kt) fill_tangents(top, R, v, out->lam, out->Kt, out->Ct);
  if (out->drift) {
    rotated_term(top, v, y);
    ga_cross3(v + 3, y, out->drift);
    ga_quat_rotate(q + 3, out->drift, out->drift); /* Z v = R (Omega x y) */
  }
  return 0;
}

/* |U| = |u|, so the formula is the same in both forms. */
static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)user, (void)t;
  double JOmega[3];
  times_J(v + 3, JOmega);
  *kin = 0.5 * (m * ga_dot3(v, v) + ga_dot3(v + 3, JOmega));
  *pot = -m * ga_dot3(gravity, q);
  return 0;
}

static const ga_model_ops ops = {
    .evaluate = evaluate,
    .energy = energy,
    .gives = GA_GIVES_G | GA_GIVES_Z | GA_GIVES_TANGENTS | GA_GIVES_DRIFT};

/* Corrects the quaternion p in place: it is tabulated to 13 digits, x, u and Omega to 17. Two
 * Gauss-Newton steps on R X = x and R (Omega x X) = u; with |X| = 1 and y = Omega x X the
 * correction is w = X x R^T x + (X, y x R^T u)/|y|^2 X. */
static void refine_quaternion(const double *x, const double *v, double *p) {
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

/* Converts v = (u, Omega) and v' in place from R^3 x SO(3) to SE(3): U = R^T u, U' = R^T u' -
 * Omega x U; p is the quaternion of R. */
static void to_se3(const double *p, double *v, double *vd) {
  double OmegaU[3];
  ga_quat_unrotate(p, v, v);
  ga_cross3(v + 3, v, OmegaU);
  ga_quat_unrotate(p, vd, vd);
  ga_axpy(3, -1, OmegaU, vd);
}

/* Adds the reference solution at t = 1 to the problem, converted if it is the form on SE(3). */
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
  refine_quaternion(ref->q, ref->v, ref->q + 3);
  if (se3) to_se3(ref->q + 3, ref->v, ref->vd);
  return GA_OK;
}

/* Patterns of the form on R^3 x SO(3), false if memory is short: M is diagonal, K has the rotation
 * alone (see add_turn), row i of G has the columns of u_i and of the rotation. */
static bool fill_patterns(ga_problem *problem, heavy_top *top) {
  if (!ga_problem_pattern(problem, NV, NV, NV, &top->M) ||
      !ga_problem_pattern(problem, NV, NV, 6, &top->K) ||
      !ga_problem_pattern(problem, NLAM, NV, 12, &top->G)) {
    return false;
  }
  ga_csr *const all[] = {&top->M, &top->K, &top->G};
  for (int k = 0; k < 3; k++) {
    for (int i = 0, at = 0; i < all[k]->nrow; i++) {
      bool own = k == 0 || (k == 2 && i < 3), turn = k == 2 || (k == 1 && i >= 3 && i != 4);
      if (own) all[k]->col[at++] = i;
      for (int j = 3; turn && j < NV; j++) all[k]->col[at++] = j;
      all[k]->ptr[i + 1] = at;
    }
  }
  problem->model.pat_M = &top->M, problem->model.pat_K = &top->K, problem->model.pat_G = &top->G;
  return true;
}

/* Sets up either form: model, patterns, usual settings, start values, reference at t = 1 s.
 * Start: x = X, R = I, Omega = (0, 150, -4.61538), u = Omega x X (U = u, as R = I). GA_OK, or
 * the status of what failed. */
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
  if (!se3 && !fill_patterns(problem, top)) return GA_ERR_MEM;
  problem->model.user = top;
  problem->rho_inf = 0.9, problem->h = 1e-3, problem->t_end = 1;
  memcpy(problem->q0, X, sizeof X);
  memcpy(problem->v0 + 3, Omega0, sizeof Omega0);
  ga_cross3(Omega0, X, problem->v0);
  return tabulate(problem, se3);
}

/* The heavy top on R^3 x SO(3); it has no options. */
static ga_status build_product(ga_problem *problem, const ga_problem_options *options,
                               ga_error *err) {
  (void)options;
  return build(problem, false /* not SE(3) */, err);
}

/* The heavy top on SE(3); it has no options. */
static ga_status build_se3(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  (void)options;
  return build(problem, true /* SE(3) */, err);
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
