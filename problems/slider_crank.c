/* SPDX-License-Identifier: MIT */
/* Slider-crank mechanism with a mass on a spring, massless hinge coordinates, singular M.
 *
 *     q = (x1, y1, x2, y2, theta1, theta2, x3, x4, x5, y5),   e(theta) = (cos theta, sin theta)
 *     M = diag(m1, m1, m2, m2, J1, J2, m3, m4, 0, 0),   J = m l^2/12
 *     F: torque T on theta1, spring k (x4 - x3) between bodies 3 and 4
 *     g: (x1,y1) - l1/2 e(theta1)             (x5,y5) - (x1,y1) - l1/2 e(theta1)
 *        (x2,y2) - (x5,y5) - l2/2 e(theta2)   (x3,0)  - (x2,y2) - l2/2 e(theta2)
 *
 * Arnold and Brüls 2007 (AB07), section 5.1; constraints and inertias docs/reference/problems.md.
 */
#include <math.h>
#include <string.h>

#include "problems/problem.h"

#define L1 0.3
#define L2 0.6
#define M1 0.36
#define M2 0.15
#define M3 0.1
#define M4 0.7
#define STIFFNESS 1000.0
#define TORQUE 1.0

enum { X1, Y1, X2, Y2, TH1, TH2, X3, X4, X5, Y5, NQ };
enum { NPAIR = 4, NLAM = 2 * NPAIR, NONE = -1 };

static const double inertia[NQ] = {[X1] = M1,
                                   [Y1] = M1,
                                   [X2] = M2,
                                   [Y2] = M2,
                                   [X3] = M3,
                                   [X4] = M4,
                                   [TH1] = M1 * L1 * L1 / 12,
                                   [TH2] = M2 * L2 * L2 / 12};

/* A pair of rows: end - start - length e(theta) = 0; coordinates that are fixed at 0 are NONE. */
typedef struct rod_half {
  int end[2], start[2], theta;
  double length;
} rod_half;

static const rod_half halves[NPAIR] = {
    {{X1, Y1}, {NONE, NONE}, TH1, L1 / 2},
    {{X5, Y5}, {X1, Y1}, TH1, L1 / 2},
    {{X2, Y2}, {X5, Y5}, TH2, L2 / 2},
    {{X3, NONE}, {X2, Y2}, TH2, L2 / 2},
};

/* The constant diagonal M; zero for the hinge (x5, y5). */
static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < NQ; i++) ga_put(M, i, i, inertia[i]);
  return 0;
}

/* Torque on the crank, spring between the slider (x3) and the mass (x4); no gravity. */
static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)v;
  memset(F, 0, NQ * sizeof *F);
  F[TH1] = TORQUE;
  F[X3] = STIFFNESS * (q[X4] - q[X3]);
  F[X4] = -F[X3];
  return 0;
}

/* Coordinate i of q, or 0 if it is fixed (NONE). */
static double coordinate(const double *q, int i) {
  return i == NONE ? 0 : q[i];
}

/* g = end - start - length e(theta) for each half of a rod. */
static int holonomic(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  for (int p = 0; p < NPAIR; p++) {
    const rod_half *r = &halves[p];
    const double e[2] = {cos(q[r->theta]), sin(q[r->theta])};
    for (int i = 0; i < 2; i++) {
      g[2 * p + i] = coordinate(q, r->end[i]) - coordinate(q, r->start[i]) - r->length * e[i];
    }
  }
  return 0;
}

/* G: 1 at the end, -1 at the start, -length e' at theta, e' = (-sin theta, cos theta). */
static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  for (int p = 0; p < NPAIR; p++) {
    const rod_half *r = &halves[p];
    const double ed[2] = {-sin(q[r->theta]), cos(q[r->theta])};
    for (int i = 0; i < 2; i++) {
      if (r->end[i] != NONE) ga_put(G, 2 * p + i, r->end[i], 1);
      if (r->start[i] != NONE) ga_put(G, 2 * p + i, r->start[i], -1);
      ga_put(G, 2 * p + i, r->theta, -r->length * ed[i]);
    }
  }
  return 0;
}

/* Z = D_q(G v) = length theta' e(theta) in the column of theta. */
static int holonomic_curv(void *user, double t, const double *q, const double *v, ga_csr *Z) {
  (void)user, (void)t;
  for (int p = 0; p < NPAIR; p++) {
    const rod_half *r = &halves[p];
    const double c = r->length * v[r->theta];
    ga_put(Z, 2 * p, r->theta, c * cos(q[r->theta]));
    ga_put(Z, 2 * p + 1, r->theta, c * sin(q[r->theta]));
  }
  return 0;
}

/* drift = Z v = length theta'^2 e(theta). */
static int holonomic_drift(void *user, double t, const double *q, const double *v, double *drift) {
  (void)user, (void)t;
  for (int p = 0; p < NPAIR; p++) {
    const rod_half *r = &halves[p];
    const double c = r->length * v[r->theta] * v[r->theta];
    drift[2 * p] = c * cos(q[r->theta]);
    drift[2 * p + 1] = c * sin(q[r->theta]);
  }
  return 0;
}

/* Kt = D_q(-F + G^T lam): the spring, and length e(theta)^T lam from the rows of each half; Ct = 0
 * is not written, as matrices arrive zeroed. */
static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)user, (void)t, (void)v, (void)x, (void)psi, (void)Ct;
  ga_put(Kt, X3, X3, STIFFNESS);
  ga_put(Kt, X4, X4, STIFFNESS);
  ga_put(Kt, X3, X4, -STIFFNESS);
  ga_put(Kt, X4, X3, -STIFFNESS);
  for (int p = 0; p < NPAIR; p++) {
    const rod_half *r = &halves[p];
    const double along = cos(q[r->theta]) * lam[2 * p] + sin(q[r->theta]) * lam[2 * p + 1];
    ga_accumulate(Kt, r->theta, r->theta, r->length * along);
  }
  return 0;
}

/* The constant torque is counted as a potential, -T theta1, so that the sum is constant. */
static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)user, (void)t;
  const double stretch = q[X4] - q[X3];
  *kin = 0;
  for (int i = 0; i < NQ; i++) *kin += 0.5 * inertia[i] * v[i] * v[i];
  *pot = 0.5 * STIFFNESS * stretch * stretch - TORQUE * q[TH1];
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

/* Writes q and v, except x4 and its velocity, from theta1 and theta1' on the branch |theta2| <
 * pi/2; the slider stays at height 0: l1 sin theta1 + l2 sin theta2 = 0. */
static void fill_state(double theta1, double theta1d, double *q, double *v) {
  q[TH1] = theta1, v[TH1] = theta1d;
  q[TH2] = -asin(L1 * sin(theta1) / L2);
  v[TH2] = -L1 * cos(theta1) * theta1d / (L2 * cos(q[TH2]));
  const double c1 = L1 * cos(theta1), s1 = L1 * sin(theta1);
  const double c2 = L2 * cos(q[TH2]), s2 = L2 * sin(q[TH2]);
  q[X1] = c1 / 2, v[X1] = -s1 / 2 * v[TH1];
  q[Y1] = s1 / 2, v[Y1] = c1 / 2 * v[TH1];
  q[X5] = c1, v[X5] = -s1 * v[TH1];
  q[Y5] = s1, v[Y5] = c1 * v[TH1];
  q[X2] = c1 + c2 / 2, v[X2] = v[X5] - s2 / 2 * v[TH2];
  q[Y2] = s1 + s2 / 2, v[Y2] = v[Y5] + c2 / 2 * v[TH2];
  q[X3] = c1 + c2, v[X3] = v[X5] - s2 * v[TH2];
}

/* Adds the reference solution at t = 1 to the problem; GA_ERR_MEM if memory is short. */
static ga_status tabulate(ga_problem *problem) {
  static const double lam[NLAM] = {15.241767546562826,  -0.46464319117740270, -14.689908142031467,
                                   11.023471125013735,  -14.689908142031467,  11.023471125013735,
                                   -42.186028186051712, 15.810185423426709};
  ga_problem_state *ref = ga_problem_tabulate(problem, 1);
  if (!ref) return GA_ERR_MEM;
  fill_state(7.4146249855387590, -6.5752346865749722, ref->q, ref->v);
  ref->q[X4] = 0.60044313728400457;
  ref->v[X4] = -2.9819389858273890;
  memcpy(ref->lam, lam, sizeof lam);
  return GA_OK;
}

/* Sets up the problem: start at rest with theta1 = pi/2 and the spring relaxed. */
static ga_status build(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  (void)options;
  static const char *const q_names[] = {"x1",     "y1", "x2", "y2", "theta1",
                                        "theta2", "x3", "x4", "x5", "y5"};
  static const char *const v_names[] = {"x1_dot",     "y1_dot", "x2_dot", "y2_dot", "theta1_dot",
                                        "theta2_dot", "x3_dot", "x4_dot", "x5_dot", "y5_dot"};
  static const char *const lam_names[] = {"lam1", "lam2", "lam3", "lam4",
                                          "lam5", "lam6", "lam7", "lam8"};
  const ga_model model = {.ops = &ops,
                          .nlam = NLAM,
                          .const_mass = true,
                          .scleronomic = true,
                          .q_names = q_names,
                          .v_names = v_names,
                          .lam_names = lam_names};
  const ga_problem_factor factors[] = {{&ga_group_rn, NQ}, {NULL, 0}};
  ga_status status = ga_problem_setup(problem, &model, factors, err);
  if (status != GA_OK) return status;
  problem->rho_inf = 0.7, problem->h = 5e-3, problem->t_end = 1;
  fill_state(GA_PI / 2, 0, problem->q0, problem->v0);
  problem->q0[X4] = problem->q0[X3];
  return tabulate(problem);
}

const ga_problem_entry ga_entry_slider_crank = {
    .name = "slider-crank",
    .summary = "slider-crank mechanism, 10 coordinates, 8 constraints, singular mass matrix",
    .cite = "Arnold and Brüls, Multibody System Dynamics 18 (2007), section 5.1",
    .build = build};
