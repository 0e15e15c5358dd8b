/* SPDX-License-Identifier: MIT */
/* Andrews' squeezing mechanism in absolute coordinates: M constant, diagonal, of rank 21.
 *
 *     q[0..6]    absolute angles p = (beta, beta+Theta, gamma, Phi+delta, delta, Omega+epsilon,
 *                epsilon) of the bodies K1 .. K7
 *     q[7..20]   (x, y) of the mass centres c1 .. c7
 *     q[21..30]  (x, y) of massless points: J1 (K1-K2), P (K2-K3-K4-K6), H (K4-K5), G (K6-K7),
 *                D (end of the spring on K3)
 *     M = diag(I1 .. I7, m1, m1, .., m7, m7, 0, .., 0)
 *     F: the moment mom on p1, the spring force -c0 (1 - l0/r) (D - C) on D, r = |D - C|
 *     g: 15 pairs of rows, point - base - w(p) = 0, base a fixed or another point,
 *        w(p) = a e(p) + b n(p),   e(p) = (cos p, sin p),   n(p) = (sin p, -cos p)
 *
 * As e and n do, w obeys w' = (-w_y, w_x) and w'' = -w. The motion is that of the problem andrews,
 * from whose start and reference the values here are computed. Arnold and Brüls 2007 (AB07),
 * section 5.2; data docs/reference/problems.md. */
#include <math.h>
#include <string.h>

#include "problems/problem.h"
/* after all others, as its names are short */
#include "problems/andrews.h"

/* indices in q; for a point the index of its x */
enum { P1, P2, P3, P4, P5, P6, P7, NANGLE };
enum { AT_C1 = NANGLE, AT_C2 = 9, AT_C3 = 11, AT_C4 = 13, AT_C5 = 15, AT_C6 = 17, AT_C7 = 19 };
enum { AT_J1 = 21, AT_P = 23, AT_H = 25, AT_G = 27, AT_D = 29, NQ = 31 };
enum { NMASS = AT_J1, NPAIR = 15, NLAM = 2 * NPAIR };

/* fixed points, as bases: the origin, A, B */
enum { ORIGIN = -3, FIXED_A, FIXED_B };
static const double fixed[3][2] = {{0, 0}, {XA, YA}, {XB, YB}};

static const double inertia[NMASS] = {I1, I2, I3, I4, I5, I6, I7, M1, M1, M2, M2,
                                      M3, M3, M4, M4, M5, M5, M6, M6, M7, M7};

/* A pair of rows: point - base - a e(p) - b n(p) = 0. A base comes before its first use. */
typedef struct pair {
  int point, base, angle;
  double a, b;
} pair;

static const pair pairs[NPAIR] = {
    {AT_J1, ORIGIN, P1, RR, 0},   {AT_C1, ORIGIN, P1, RA, 0},    {AT_C2, AT_J1, P2, -DA, 0},
    {AT_P, AT_J1, P2, -D, 0},     {AT_C3, FIXED_B, P3, SB, SA},  {AT_P, FIXED_B, P3, 0, SS},
    {AT_D, FIXED_B, P3, SD, SC},  {AT_C5, FIXED_A, P5, TA, -TB}, {AT_H, FIXED_A, P5, ZT, 0},
    {AT_C4, AT_H, P4, 0, E - EA}, {AT_P, AT_H, P4, 0, E},        {AT_C7, FIXED_A, P7, -UB, UA},
    {AT_G, FIXED_A, P7, 0, U},    {AT_C6, AT_G, P6, ZF - FA, 0}, {AT_P, AT_G, P6, ZF, 0},
};

/* w(p) = a e(p) + b n(p) of a pair of rows, at the angle q[r->angle]. */
static void arm(const pair *r, const double *q, double w[2]) {
  const double c = cos(q[r->angle]), s = sin(q[r->angle]);
  w[0] = r->a * c + r->b * s;
  w[1] = r->a * s - r->b * c;
}

/* The base point (x, y) of a pair of rows: a fixed point, or a pointer into q for a moving one. */
static const double *base_of(const pair *r, const double *q) {
  return r->base < 0 ? fixed[r->base - ORIGIN] : q + r->base;
}

/* The constant diagonal M; the massless points have no entries. */
static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  memcpy(M->val, inertia, sizeof inertia);
  return 0;
}

/* The spring from C to D: r = D - C, its length, and the tension c0 (1 - l0/length) per length. */
typedef struct spring {
  double r[2], length, tension;
} spring;

/* The spring at the position q, see the struct. */
static spring spring_at(const double *q) {
  const double r[2] = {q[AT_D] - XC, q[AT_D + 1] - YC};
  const double length = hypot(r[0], r[1]);
  return (spring){{r[0], r[1]}, length, C0 * (1 - L0 / length)};
}

/* Driving moment on p1, spring force on the massless point D; no gravity. */
static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)v;
  const spring sp = spring_at(q);
  memset(F, 0, NQ * sizeof *F);
  F[P1] = MOM;
  F[AT_D] = -sp.tension * sp.r[0];
  F[AT_D + 1] = -sp.tension * sp.r[1];
  return 0;
}

/* g = point - base - w(p), 15 pairs of rows. */
static int holonomic(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  for (int n = 0; n < NPAIR; n++) {
    const pair *r = &pairs[n];
    const double *base = base_of(r, q);
    double w[2];
    arm(r, q, w);
    for (int k = 0; k < 2; k++) g[2 * n + k] = q[r->point + k] - base[k] - w[k];
  }
  return 0;
}

/* Writes G: 1 at the point, -1 at a moving base, -w' = (w_y, -w_x) at the angle. */
static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  for (int n = 0; n < NPAIR; n++) {
    const pair *r = &pairs[n];
    double w[2];
    arm(r, q, w);
    *ga_find(G, 2 * n, r->angle) = w[1];
    *ga_find(G, 2 * n + 1, r->angle) = -w[0];
    for (int k = 0; k < 2; k++) {
      *ga_find(G, 2 * n + k, r->point + k) = 1;
      if (r->base >= 0) *ga_find(G, 2 * n + k, r->base + k) = -1;
    }
  }
  return 0;
}

/* Z = D_q(G v): -w'' p' = w p' in the column of the angle. */
static int holonomic_curv(void *user, double t, const double *q, const double *v, ga_csr *Z) {
  (void)user, (void)t;
  for (int n = 0; n < NPAIR; n++) {
    const pair *r = &pairs[n];
    double w[2];
    arm(r, q, w);
    for (int k = 0; k < 2; k++) *ga_find(Z, 2 * n + k, r->angle) = w[k] * v[r->angle];
  }
  return 0;
}

/* drift = Z v = w p'^2. */
static int holonomic_drift(void *user, double t, const double *q, const double *v, double *drift) {
  (void)user, (void)t;
  for (int n = 0; n < NPAIR; n++) {
    const pair *r = &pairs[n];
    double w[2];
    arm(r, q, w);
    for (int k = 0; k < 2; k++) drift[2 * n + k] = w[k] * v[r->angle] * v[r->angle];
  }
  return 0;
}

/* Kt = D_q(-F + G^T lam): w^T lam at (p, p) from each pair of rows, c0 ((1 - l0/s) I + l0/s^3 r
 * r^T), s = |r|, at the end of the spring. Ct = 0 is not written, as matrices arrive zeroed. */
static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)user, (void)t, (void)v, (void)x, (void)psi, (void)Ct;
  for (int n = 0; n < NPAIR; n++) {
    const pair *r = &pairs[n];
    double w[2];
    arm(r, q, w);
    *ga_find(Kt, r->angle, r->angle) += w[0] * lam[2 * n] + w[1] * lam[2 * n + 1];
  }
  const spring sp = spring_at(q);
  const double along = C0 * L0 / (sp.length * sp.length * sp.length);
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      *ga_find(Kt, AT_D + i, AT_D + j) = along * sp.r[i] * sp.r[j] + (i == j ? sp.tension : 0);
    }
  }
  return 0;
}

/* The constant driving moment is counted as a potential, -mom p1, so that the sum is constant. */
static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)user, (void)t;
  const double stretch = spring_at(q).length - L0;
  *kin = 0;
  for (int i = 0; i < NMASS; i++) *kin += 0.5 * inertia[i] * v[i] * v[i];
  *pot = 0.5 * C0 * stretch * stretch - MOM * q[P1];
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

/* Writes the seven absolute angles p from the relative ones; linear, so also for velocities. */
static void absolute_angles(const double *relative, double *p) {
  p[P1] = relative[BETA];
  p[P2] = relative[BETA] + relative[THETA];
  p[P3] = relative[GAMMA];
  p[P4] = relative[PHI] + relative[DELTA];
  p[P5] = relative[DELTA];
  p[P6] = relative[OMEGA] + relative[EPSILON];
  p[P7] = relative[EPSILON];
}

/* Writes all of q and v (NQ numbers each) from the seven relative angles and their rates. Points
 * follow in the order of `pairs`: point = base + w, point' = base' + w' p'. */
static void fill_state(const double *angles, const double *rates, double *q, double *v) {
  absolute_angles(angles, q);
  absolute_angles(rates, v);
  for (int n = 0; n < NPAIR; n++) {
    const pair *r = &pairs[n];
    const double *base = base_of(r, q), rate = v[r->angle];
    double w[2];
    arm(r, q, w);
    const double turn[2] = {-w[1] * rate, w[0] * rate};
    for (int k = 0; k < 2; k++) {
      q[r->point + k] = base[k] + w[k];
      v[r->point + k] = (r->base < 0 ? 0 : v[r->base + k]) + turn[k];
    }
  }
}

/* patterns: M without the massless points; K at the angles and the end of the spring; G */
typedef struct patterns {
  ga_csr M, K, G;
} patterns;

/* Allocates and fills the patterns of M (diagonal without the massless points), K (diagonal of
 * the angles, 2 x 2 at the spring's end) and G (columns rising); false if memory is short. */
static bool fill_patterns(ga_problem *problem, patterns *p) {
  if (!ga_problem_pattern(problem, NQ, NQ, NMASS, &p->M) ||
      !ga_problem_pattern(problem, NQ, NQ, NANGLE + 4, &p->K) ||
      !ga_problem_pattern(problem, NLAM, NQ, 3 * NLAM, &p->G)) {
    return false;
  }
  int at_M = 0, at_K = 0, at_G = 0;
  for (int i = 0; i < NQ; i++) {
    if (i < NMASS) p->M.col[at_M++] = i;
    if (i < NANGLE) p->K.col[at_K++] = i;
    for (int j = AT_D; j < NQ && i >= AT_D; j++) p->K.col[at_K++] = j;
    p->M.ptr[i + 1] = at_M;
    p->K.ptr[i + 1] = at_K;
  }
  for (int row = 0; row < NLAM; row++) {
    const pair *r = &pairs[row / 2];
    for (int j = 0; j < NQ; j++) {
      const bool moving = r->base >= 0 && j == r->base + row % 2;
      if (j == r->angle || moving || j == r->point + row % 2) p->G.col[at_G++] = j;
    }
    p->G.ptr[row + 1] = at_G;
  }
  return true;
}

static const char *const q_names[NQ] = {"p1",  "p2",  "p3",  "p4",  "p5",  "p6",   "p7",   "x1",
                                        "y1",  "x2",  "y2",  "x3",  "y3",  "x4",   "y4",   "x5",
                                        "y5",  "x6",  "y6",  "x7",  "y7",  "x_J1", "y_J1", "x_P",
                                        "y_P", "x_H", "y_H", "x_G", "y_G", "x_D",  "y_D"};
static const char *const v_names[NQ] = {
    "p1_dot",  "p2_dot",  "p3_dot",  "p4_dot",  "p5_dot",  "p6_dot",   "p7_dot",   "x1_dot",
    "y1_dot",  "x2_dot",  "y2_dot",  "x3_dot",  "y3_dot",  "x4_dot",   "y4_dot",   "x5_dot",
    "y5_dot",  "x6_dot",  "y6_dot",  "x7_dot",  "y7_dot",  "x_J1_dot", "y_J1_dot", "x_P_dot",
    "y_P_dot", "x_H_dot", "y_H_dot", "x_G_dot", "y_G_dot", "x_D_dot",  "y_D_dot"};
static const char *const lam_names[NLAM] = {
    "lam1",  "lam2",  "lam3",  "lam4",  "lam5",  "lam6",  "lam7",  "lam8",  "lam9",  "lam10",
    "lam11", "lam12", "lam13", "lam14", "lam15", "lam16", "lam17", "lam18", "lam19", "lam20",
    "lam21", "lam22", "lam23", "lam24", "lam25", "lam26", "lam27", "lam28", "lam29", "lam30"};

/* Sets up the problem: model, patterns, usual settings; start (at rest) and reference at t =
 * 0.03 s are those of the problem andrews, converted. */
static ga_status build(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  (void)options;
  static const double rest[ANDREWS_NQ] = {0};
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
  patterns *p = ga_problem_take(problem, 1, sizeof *p);
  if (!p || !fill_patterns(problem, p)) return GA_ERR_MEM;
  problem->model.pat_M = &p->M, problem->model.pat_K = &p->K, problem->model.pat_G = &p->G;
  problem->rho_inf = 0.7, problem->h = 3e-4, problem->t_end = 0.03;
  double start[ANDREWS_NQ];
  ga_andrews_start(start);
  fill_state(start, rest, problem->q0, problem->v0);
  ga_problem_state *ref = ga_problem_tabulate(problem, 0.03);
  if (!ref) return GA_ERR_MEM;
  fill_state(ga_andrews_reference_q, ga_andrews_reference_v, ref->q, ref->v);
  return GA_OK;
}

const ga_problem_entry ga_entry_andrews_absolute = {
    .name = "andrews-absolute",
    .summary = "Andrews' mechanism, 31 absolute coordinates, 30 constraints, M of rank 21",
    .cite =
        "Schiehlen, Multibody Systems Handbook, 1990; Arnold and Brüls, Multibody System "
        "Dynamics 18 (2007), section 5.2",
    .build = build};
