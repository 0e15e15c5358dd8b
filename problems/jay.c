/* SPDX-License-Identifier: MIT */
/* Three test problems of Jay and Negrut with one closed solution, nonlinear in the multipliers.
 *
 *     y = (e^t, e^-2t),   z = y',   mu = e^-t
 *
 * jay-nonholonomic: Jay 2011, (7.1); mu is psi_1
 *
 *     ( y1            y2 - e^-2t ) z' = ( e^t (y1 z2 + 2 y2 z1) + e^2t y1 psi_1              )
 *     ( sin(y1 - e^t) y1 y2      )      ( e^-t (y2 z2/2 - 2 y1 z1 y2 z2 + y2 psi_1^2)        )
 *     0 = k = z1^2 z2 + 6 y1 y2 z1 - 4
 *
 * jay-negrut-hht: Jay, Negrut 2007, section 5.1; mu is lam_1
 *
 *     z' = ( y1 z2 + 2 y2 z1 + e^t y1 lam_1 , y2 z2/2 - 2 y1 z1 y2 z2 + y2 lam_1^2 )
 *     0 = g = y1^2 y2 - 1
 *
 * jay-negrut-soi2: Jay, Negrut 2008, section 8; mu is lam_1, and psi_1 = e^t; the mass matrix of
 * jay-nonholonomic
 *
 *     M z' = ( e^t (y1 z2 + 2 y2 z1) + e^2t y1 lam_1 - y1 z2 psi_1 - 2                            )
 *            ( e^-t (y2 z2/2 - 2 y1 z1 y2 z2 + y2 lam_1^2) - y1 y2 z1 psi_1^3 + e^3t              )
 *     0 = g = y1^2 y2 - 1,   0 = k = y1 z1 z2 + 2
 *
 * The printed equations hold for the printed solutions. With q = y, v = z all three are
 *
 *     F = ( s1 (y1 z2 + 2 y2 z1) - [2] , s2 y2 z2 (1/2 - 2 y1 z1) + [e^3t] )
 *     R = ( s1 e^t y1 mu - [y1 z2 psi] , s2 y2 mu^2 - [y1 y2 z1 psi^3]     )
 *
 * with s = (e^t, e^-t), for jay-negrut-hht s = (1, 1), the terms in brackets in jay-negrut-soi2
 * only. docs/reference/problems.md. */
#include <math.h>

#include "problems/problem.h"

typedef enum jay_kind { NONHOLONOMIC, HHT, SOI2 } jay_kind;

/* Which of the three problems; user is model.user. */
static jay_kind kind_of(const void *user) {
  return *(const jay_kind *)user;
}

/* s1, s2 */
typedef struct scales {
  double s1, s2;
} scales;

/* The factors s1, s2 at time t, see the head of the file. */
static scales scales_at(jay_kind kind, double t) {
  return kind == HHT ? (scales){1, 1} : (scales){exp(t), exp(-t)};
}

/* the multiplier mu, and psi_1 of the terms in brackets, 0 where there are none */
typedef struct multipliers {
  double mu, psi;
} multipliers;

/* mu, and psi_1 of the terms in brackets (0 where there are none), from the multipliers. */
static multipliers multipliers_of(jay_kind kind, const double *lam, const double *psi) {
  if (kind == NONHOLONOMIC) return (multipliers){psi[0], 0};
  return (multipliers){lam[0], kind == SOI2 ? psi[0] : 0};
}

/* M = I, for jay-negrut-hht. */
static int mass_unit(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  ga_put(M, 0, 0, 1);
  ga_put(M, 1, 1, 1);
  return 0;
}

/* M(t, y) of the other two; not symmetric. */
static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user;
  ga_put(M, 0, 0, q[0]);
  ga_put(M, 0, 1, q[1] - exp(-2 * t));
  ga_put(M, 1, 0, sin(q[0] - exp(t)));
  ga_put(M, 1, 1, q[0] * q[1]);
  return 0;
}

/* F of the head of the file. */
static int force(void *user, double t, const double *q, const double *v, double *F) {
  const jay_kind kind = kind_of(user);
  const scales c = scales_at(kind, t);
  F[0] = c.s1 * (q[0] * v[1] + 2 * q[1] * v[0]);
  F[1] = c.s2 * q[1] * v[1] * (0.5 - 2 * q[0] * v[0]);
  if (kind == SOI2) F[0] -= 2, F[1] += exp(3 * t);
  return 0;
}

/* R of the head of the file: nonlinear in mu and psi, in place of -G^T lam - H^T psi. */
static int reaction(void *user, double t, const double *q, const double *v, const double *lam,
                    const double *psi, double *R) {
  const jay_kind kind = kind_of(user);
  const scales c = scales_at(kind, t);
  const multipliers m = multipliers_of(kind, lam, psi);
  R[0] = c.s1 * exp(t) * q[0] * m.mu - q[0] * v[1] * m.psi;
  R[1] = c.s2 * q[1] * m.mu * m.mu - q[0] * q[1] * v[0] * m.psi * m.psi * m.psi;
  return 0;
}

/* Writes L = -dR/dlam and P = -dR/dpsi, a row for each multiplier. The row of mu (in P for
 * jay-nonholonomic, else in L) is -(s1 e^t y1, 2 s2 y2 mu); in jay-negrut-soi2 P is (y1 z2, 3 y1
 * y2 z1 psi^2). */
static int reaction_dmult(void *user, double t, const double *q, const double *v, const double *lam,
                          const double *psi, ga_csr *L, ga_csr *P) {
  const jay_kind kind = kind_of(user);
  const scales c = scales_at(kind, t);
  const multipliers m = multipliers_of(kind, lam, psi);
  ga_csr *dmu = kind == NONHOLONOMIC ? P : L;
  ga_put(dmu, 0, 0, -c.s1 * exp(t) * q[0]);
  ga_put(dmu, 0, 1, -2 * c.s2 * q[1] * m.mu);
  if (kind != SOI2) return 0;
  ga_put(P, 0, 0, q[0] * v[1]);
  ga_put(P, 0, 1, 3 * q[0] * q[1] * v[0] * m.psi * m.psi);
  return 0;
}

/* Kt <- Kt + D_q(M x) for the mass matrix of mass(); M = I does not contribute. */
static void add_mass_tangent(double t, const double *q, const double *x, ga_csr *Kt) {
  ga_accumulate(Kt, 0, 0, x[0]);
  ga_accumulate(Kt, 0, 1, x[1]);
  ga_accumulate(Kt, 1, 0, cos(q[0] - exp(t)) * x[0] + q[1] * x[1]);
  ga_accumulate(Kt, 1, 1, q[0] * x[1]);
}

/* Adds Kt = D_q(M x - F - R) to the zeroed Kt and writes Ct = d/dv(-F - R), entry by entry from
 * the formulas at the head of this file; x stands for z'. */
static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  const jay_kind kind = kind_of(user);
  const scales c = scales_at(kind, t);
  const multipliers m = multipliers_of(kind, lam, psi);
  const double cube = m.psi * m.psi * m.psi;
  if (kind != HHT) add_mass_tangent(t, q, x, Kt);
  ga_accumulate(Kt, 0, 0, -c.s1 * (v[1] + exp(t) * m.mu) + v[1] * m.psi);
  ga_accumulate(Kt, 0, 1, -2 * c.s1 * v[0]);
  ga_accumulate(Kt, 1, 0, 2 * c.s2 * q[1] * v[0] * v[1] + q[1] * v[0] * cube);
  ga_accumulate(Kt, 1, 1,
                -c.s2 * (v[1] * (0.5 - 2 * q[0] * v[0]) + m.mu * m.mu) + q[0] * v[0] * cube);
  ga_put(Ct, 0, 0, -2 * c.s1 * q[1]);
  ga_put(Ct, 0, 1, -c.s1 * q[0] + q[0] * m.psi);
  ga_put(Ct, 1, 0, 2 * c.s2 * q[0] * q[1] * v[1] + q[0] * q[1] * cube);
  ga_put(Ct, 1, 1, -c.s2 * q[1] * (0.5 - 2 * q[0] * v[0]));
  return 0;
}

/* ---- g = y1^2 y2 - 1 --------------------------------------------------------------------- */

/* g = y1^2 y2 - 1, for jay-negrut-hht and jay-negrut-soi2. */
static int holonomic(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[0] * q[0] * q[1] - 1;
  return 0;
}

/* G = (2 y1 y2, y1^2). */
static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  ga_put(G, 0, 0, 2 * q[0] * q[1]);
  ga_put(G, 0, 1, q[0] * q[0]);
  return 0;
}

/* Z = D_q(G v) = (2 y2 z1 + 2 y1 z2, 2 y1 z1). */
static int holonomic_curv(void *user, double t, const double *q, const double *v, ga_csr *Z) {
  (void)user, (void)t;
  ga_put(Z, 0, 0, 2 * (q[1] * v[0] + q[0] * v[1]));
  ga_put(Z, 0, 1, 2 * q[0] * v[0]);
  return 0;
}

/* drift = Z v, so that g'' = G v' + drift. */
static int holonomic_drift(void *user, double t, const double *q, const double *v, double *drift) {
  (void)user, (void)t;
  drift[0] = 2 * v[0] * (q[1] * v[0] + 2 * q[0] * v[1]);
  return 0;
}

/* ---- k of jay-nonholonomic, z1^2 z2 + 6 y1 y2 z1 - 4 ------------------------------------- */

/* k = z1^2 z2 + 6 y1 y2 z1 - 4, for jay-nonholonomic. */
static int nonholonomic(void *user, double t, const double *q, const double *v, double *k) {
  (void)user, (void)t;
  k[0] = v[0] * v[0] * v[1] + 6 * q[0] * q[1] * v[0] - 4;
  return 0;
}

/* H = dk/dz = (2 z1 z2 + 6 y1 y2, z1^2). */
static int nonholonomic_jac(void *user, double t, const double *q, const double *v, ga_csr *H) {
  (void)user, (void)t;
  ga_put(H, 0, 0, 2 * v[0] * v[1] + 6 * q[0] * q[1]);
  ga_put(H, 0, 1, v[0] * v[0]);
  return 0;
}

/* Y = dk/dy = (6 y2 z1, 6 y1 z1). */
static int nonholonomic_dq(void *user, double t, const double *q, const double *v, ga_csr *Y) {
  (void)user, (void)t;
  ga_put(Y, 0, 0, 6 * q[1] * v[0]);
  ga_put(Y, 0, 1, 6 * q[0] * v[0]);
  return 0;
}

/* drift = Y v, so that k' = H v' + drift. */
static int nonholonomic_drift(void *user, double t, const double *q, const double *v,
                              double *drift) {
  (void)user, (void)t;
  drift[0] = 6 * v[0] * (q[1] * v[0] + q[0] * v[1]);
  return 0;
}

/* ---- k of jay-negrut-soi2, y1 z1 z2 + 2 -------------------------------------------------- */

/* k = y1 z1 z2 + 2, for jay-negrut-soi2. */
static int soi2_nonholonomic(void *user, double t, const double *q, const double *v, double *k) {
  (void)user, (void)t;
  k[0] = q[0] * v[0] * v[1] + 2;
  return 0;
}

/* H = dk/dz = (y1 z2, y1 z1). */
static int soi2_nonholonomic_jac(void *user, double t, const double *q, const double *v,
                                 ga_csr *H) {
  (void)user, (void)t;
  ga_put(H, 0, 0, q[0] * v[1]);
  ga_put(H, 0, 1, q[0] * v[0]);
  return 0;
}

/* Y = dk/dy = (z1 z2, 0). */
static int soi2_nonholonomic_dq(void *user, double t, const double *q, const double *v, ga_csr *Y) {
  (void)user, (void)t, (void)q;
  ga_put(Y, 0, 0, v[0] * v[1]);
  return 0;
}

/* drift = Y v = z1^2 z2. */
static int soi2_nonholonomic_drift(void *user, double t, const double *q, const double *v,
                                   double *drift) {
  (void)user, (void)t, (void)q;
  drift[0] = v[0] * v[0] * v[1];
  return 0;
}

/* ---- the three problems ------------------------------------------------------------------ */

/* Closed solution at time t; outputs that are NULL, or that the problem does not have, are left
 * out. */
static void exact(const void *user, double t, double *q, double *v, double *vd, double *lam,
                  double *psi) {
  const jay_kind kind = kind_of(user);
  const double e = exp(t), e2 = exp(-2 * t), mu = exp(-t);
  if (q) q[0] = e, q[1] = e2;
  if (v) v[0] = e, v[1] = -2 * e2;
  if (vd) vd[0] = e, vd[1] = 4 * e2;
  if (lam && kind != NONHOLONOMIC) lam[0] = mu;
  if (psi && kind != HHT) psi[0] = kind == SOI2 ? e : mu;
}

static const ga_model_ops nonholonomic_ops = {.mass = mass,
                                              .force = force,
                                              .nonholonomic = nonholonomic,
                                              .nonholonomic_jac = nonholonomic_jac,
                                              .nonholonomic_dq = nonholonomic_dq,
                                              .nonholonomic_drift = nonholonomic_drift,
                                              .force_tangents = force_tangents,
                                              .reaction = reaction,
                                              .reaction_dmult = reaction_dmult};

static const ga_model_ops hht_ops = {.mass = mass_unit,
                                     .force = force,
                                     .holonomic = holonomic,
                                     .holonomic_jac = holonomic_jac,
                                     .holonomic_curv = holonomic_curv,
                                     .holonomic_drift = holonomic_drift,
                                     .force_tangents = force_tangents,
                                     .reaction = reaction,
                                     .reaction_dmult = reaction_dmult};

static const ga_model_ops soi2_ops = {.mass = mass,
                                      .force = force,
                                      .holonomic = holonomic,
                                      .nonholonomic = soi2_nonholonomic,
                                      .holonomic_jac = holonomic_jac,
                                      .holonomic_curv = holonomic_curv,
                                      .holonomic_drift = holonomic_drift,
                                      .nonholonomic_jac = soi2_nonholonomic_jac,
                                      .nonholonomic_dq = soi2_nonholonomic_dq,
                                      .nonholonomic_drift = soi2_nonholonomic_drift,
                                      .force_tangents = force_tangents,
                                      .reaction = reaction,
                                      .reaction_dmult = reaction_dmult};

/* Sets up one of the three. The start multipliers are on the branch of the closed solution: psi =
 * -3 (jay-nonholonomic) or lam = -3 (jay-negrut-hht) fits the start values, too. */
static ga_status build(ga_problem *problem, jay_kind kind, const ga_model_ops *ops, ga_error *err) {
  static const char *const q_names[] = {"y1", "y2"}, *const v_names[] = {"z1", "z2"};
  static const char *const lam_names[] = {"lam"}, *const psi_names[] = {"psi"};
  jay_kind *user = ga_problem_take(problem, 1, sizeof *user);
  if (!user) return GA_ERR_MEM;
  *user = kind;
  const ga_model model = {.ops = ops,
                          .user = user,
                          .nlam = kind == NONHOLONOMIC ? 0 : 1,
                          .npsi = kind == HHT ? 0 : 1,
                          .const_mass = kind == HHT,
                          .scleronomic = true,
                          .q_names = q_names,
                          .v_names = v_names,
                          .lam_names = lam_names,
                          .psi_names = psi_names};
  const ga_problem_factor factors[] = {{&ga_group_rn, 2}, {NULL, 0}};
  ga_status status = ga_problem_setup(problem, &model, factors, err);
  if (status != GA_OK) return status;
  problem->rho_inf = 0.2, problem->h = 1e-2, problem->t_end = 1;
  exact(user, 0, problem->q0, problem->v0, NULL, problem->mult0, problem->mult0 + model.nlam);
  return GA_OK;
}

/* jay-nonholonomic; it has no options. */
static ga_status build_nonholonomic(ga_problem *problem, const ga_problem_options *options,
                                    ga_error *err) {
  (void)options;
  return build(problem, NONHOLONOMIC, &nonholonomic_ops, err);
}

/* rho_inf = 0.74: the paper's HHT parameter alpha = -0.15 has the radius (1 + alpha)/(1 - alpha) =
 * 0.739. */
static ga_status build_hht(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  (void)options;
  ga_status status = build(problem, HHT, &hht_ops, err);
  problem->rho_inf = 0.74;
  return status;
}

/* jay-negrut-soi2; it has no options. */
static ga_status build_soi2(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  (void)options;
  return build(problem, SOI2, &soi2_ops, err);
}

const ga_problem_entry ga_entry_jay_nonholonomic = {
    .name = "jay-nonholonomic",
    .summary = "nonholonomic, nonlinear in the multiplier, closed solution",
    .cite = "Jay 2011, section 7, (7.1)",
    .build = build_nonholonomic,
    .exact = exact};

const ga_problem_entry ga_entry_jay_negrut_hht = {
    .name = "jay-negrut-hht",
    .summary = "holonomic, nonlinear in the multiplier, closed solution",
    .cite = "Jay, Negrut 2007, section 5.1",
    .build = build_hht,
    .exact = exact};

const ga_problem_entry ga_entry_jay_negrut_soi2 = {
    .name = "jay-negrut-soi2",
    .summary = "both kinds of constraints, nonlinear in the multipliers, closed solution",
    .cite = "Jay, Negrut 2008, section 8",
    .build = build_soi2,
    .exact = exact};
