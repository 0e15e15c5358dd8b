/* SPDX-License-Identifier: MIT */
/* A disk that rolls on a plane without sliding: two nonholonomic constraints, M(q).
 *
 * y: point of contact (y1, y2), tilt y3 from the upright, heading y4 and spin y5; z = y'. With
 * c3 = cos y3, s3 = sin y3, c4 = cos y4, s4 = sin y4 and D = m r^2 - I1 + I2
 *
 *     M = ( m           0           -mr c3 s4   -mr s3 c4    0     )
 *         ( 0           m            mr c3 c4   -mr s3 s4    0     )
 *         (-mr c3 s4    mr c3 c4     mr^2 + I1   0           0     )
 *         (-mr s3 c4   -mr s3 s4     0           I1 + D s3^2 I2 s3 )
 *         ( 0           0            0           I2 s3       I2    )
 *     F1 = mr (-(z3^2 + z4^2) s3 s4 + 2 z3 z4 c3 c4)
 *     F2 = mr ( (z3^2 + z4^2) s3 c4 + 2 z3 z4 c3 s4)
 *     F3 = D z4^2 s3 c3 + I2 z4 z5 c3 + mgr s3
 *     F4 = -2 D z3 z4 s3 c3 - I2 z3 z5 c3
 *     F5 = -I2 z3 z4 c3
 *     k  = (z1 - r c4 z5, z2 - r s4 z5)
 *
 * Jay 2011 (J11), section 7.2, (7.2), where terms of F3 and F4 that cancel are printed too. The
 * printed F4 lacks -I2 z3 z5 c3, which the printed Lagrangian has: without it the energy drifts.
 * "rolling-disk" has the term, "rolling-disk-printed" has not. Reference values
 * docs/reference/problems.md. */
#include <math.h>
#include <string.h>

#include "problems/problem.h"

enum { NQ = 5, NPSI = 2 };

static const double m = 2, r = 1, I1 = 2, I2 = 2, gravity = 10;
static const double mr = 2, D = 2; /* m r, m r^2 - I1 + I2 */

/* I2 in F4, or 0 as printed */
typedef struct rolling_disk {
  double I2_F4;
} rolling_disk;

/* cosines and sines of y3 and y4 */
typedef struct turn {
  double c3, s3, c4, s4;
} turn;

/* Cosines and sines at the position q. */
static turn turn_of(const double *q) {
  return (turn){.c3 = cos(q[2]), .s3 = sin(q[2]), .c4 = cos(q[3]), .s4 = sin(q[3])};
}

/* A(i, j) = A(j, i) = value. */
static void put_symmetric(ga_csr *A, int i, int j, double value) {
  ga_put(A, i, j, value);
  ga_put(A, j, i, value);
}

/* M(q) of the head of the file. */
static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t;
  const turn a = turn_of(q);
  ga_put(M, 0, 0, m);
  ga_put(M, 1, 1, m);
  ga_put(M, 2, 2, mr * r + I1);
  ga_put(M, 3, 3, I1 + D * a.s3 * a.s3);
  ga_put(M, 4, 4, I2);
  put_symmetric(M, 0, 2, -mr * a.c3 * a.s4);
  put_symmetric(M, 0, 3, -mr * a.s3 * a.c4);
  put_symmetric(M, 1, 2, mr * a.c3 * a.c4);
  put_symmetric(M, 1, 3, -mr * a.s3 * a.s4);
  put_symmetric(M, 3, 4, I2 * a.s3);
  return 0;
}

/* F of the head of the file, J11 (7.2) without the multipliers; F4 with or without the missing
 * term. */
static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)t;
  const rolling_disk *disk = user;
  const turn a = turn_of(q);
  const double squares = v[2] * v[2] + v[3] * v[3], product = v[2] * v[3];
  F[0] = mr * (-squares * a.s3 * a.s4 + 2 * product * a.c3 * a.c4);
  F[1] = mr * (squares * a.s3 * a.c4 + 2 * product * a.c3 * a.s4);
  F[2] = (D * v[3] * a.s3 + I2 * v[4]) * v[3] * a.c3 + mr * gravity * a.s3;
  F[3] = -(2 * D * v[3] * a.s3 + disk->I2_F4 * v[4]) * v[2] * a.c3;
  F[4] = -I2 * product * a.c3;
  return 0;
}

/* k = 0: the point of contact moves with the velocity r z5 along the heading; J11 (7.2). */
static int nonholonomic(void *user, double t, const double *q, const double *v, double *k) {
  (void)user, (void)t;
  k[0] = v[0] - r * cos(q[3]) * v[4];
  k[1] = v[1] - r * sin(q[3]) * v[4];
  return 0;
}

/* H = dk/dv; constant but for -r (c4, s4) in the column of z5. */
static int nonholonomic_jac(void *user, double t, const double *q, const double *v, ga_csr *H) {
  (void)user, (void)t, (void)v;
  ga_put(H, 0, 0, 1);
  ga_put(H, 1, 1, 1);
  ga_put(H, 0, 4, -r * cos(q[3]));
  ga_put(H, 1, 4, -r * sin(q[3]));
  return 0;
}

/* Y = D_q k = r z5 (s4, -c4) in the column of y4. */
static int nonholonomic_dq(void *user, double t, const double *q, const double *v, ga_csr *Y) {
  (void)user, (void)t;
  ga_put(Y, 0, 3, r * sin(q[3]) * v[4]);
  ga_put(Y, 1, 3, -r * cos(q[3]) * v[4]);
  return 0;
}

/* drift = Y v, so that k' = H v' + drift. */
static int nonholonomic_drift(void *user, double t, const double *q, const double *v,
                              double *drift) {
  (void)user, (void)t;
  drift[0] = r * sin(q[3]) * v[4] * v[3];
  drift[1] = -r * cos(q[3]) * v[4] * v[3];
  return 0;
}

/* Writes Kt = D_q(M x - F + H^T psi), which has entries in the columns of y3 and y4 only: the
 * derivatives of the entries of M times x, minus those of F, and r (s4 psi1 - c4 psi2) in row 5.
 * x stands for z'. Kt arrives zeroed. */
static void put_stiffness(const rolling_disk *disk, const turn *a, const double *v, const double *x,
                          const double *psi, ga_csr *Kt) {
  const double c3 = a->c3, s3 = a->s3, c4 = a->c4, s4 = a->s4;
  const double squares = v[2] * v[2] + v[3] * v[3], product = v[2] * v[3];
  const double cos_2y3 = c3 * c3 - s3 * s3;
  /* rows 1, 2 are mr times (-s4, c4) along + (-c4, -s4) across */
  const double along = c3 * x[2] - s3 * squares, across = s3 * x[3] + 2 * c3 * product;
  const double along3 = -s3 * x[2] - c3 * squares, across3 = c3 * x[3] - 2 * s3 * product;
  ga_put(Kt, 0, 2, mr * (-s4 * along3 - c4 * across3));
  ga_put(Kt, 1, 2, mr * (c4 * along3 - s4 * across3));
  ga_put(Kt, 0, 3, mr * (-c4 * along + s4 * across));
  ga_put(Kt, 1, 3, mr * (-s4 * along - c4 * across));

  const double side = -s4 * x[0] + c4 * x[1], ahead = c4 * x[0] + s4 * x[1];
  ga_put(Kt, 2, 2,
         -mr * s3 * side - D * v[3] * v[3] * cos_2y3 + I2 * v[3] * v[4] * s3 - mr * gravity * c3);
  ga_put(Kt, 2, 3, -mr * c3 * ahead);
  ga_put(Kt, 3, 2,
         -mr * c3 * ahead + 2 * D * s3 * c3 * x[3] + I2 * c3 * x[4] + 2 * D * product * cos_2y3 -
             disk->I2_F4 * v[2] * v[4] * s3);
  ga_put(Kt, 3, 3, -mr * s3 * side);
  ga_put(Kt, 4, 2, I2 * (c3 * x[3] - product * s3));
  ga_put(Kt, 4, 3, r * (s4 * psi[0] - c4 * psi[1]));
}

/* Writes Ct = -dF/dv; H does not depend on v. Ct arrives zeroed. */
static void put_damping(const rolling_disk *disk, const turn *a, const double *v, ga_csr *Ct) {
  const double c3 = a->c3, s3 = a->s3, c4 = a->c4, s4 = a->s4;
  ga_put(Ct, 0, 2, 2 * mr * (s3 * s4 * v[2] - c3 * c4 * v[3]));
  ga_put(Ct, 0, 3, 2 * mr * (s3 * s4 * v[3] - c3 * c4 * v[2]));
  ga_put(Ct, 1, 2, -2 * mr * (s3 * c4 * v[2] + c3 * s4 * v[3]));
  ga_put(Ct, 1, 3, -2 * mr * (s3 * c4 * v[3] + c3 * s4 * v[2]));
  ga_put(Ct, 2, 3, -c3 * (2 * D * s3 * v[3] + I2 * v[4]));
  ga_put(Ct, 2, 4, -c3 * I2 * v[3]);
  ga_put(Ct, 3, 2, c3 * (2 * D * s3 * v[3] + disk->I2_F4 * v[4]));
  ga_put(Ct, 3, 3, c3 * 2 * D * s3 * v[2]);
  ga_put(Ct, 3, 4, c3 * disk->I2_F4 * v[2]);
  ga_put(Ct, 4, 2, I2 * c3 * v[3]);
  ga_put(Ct, 4, 3, I2 * c3 * v[2]);
}

/* The tangents that a model gives: Kt = D_q(M x + H^T psi - F) for given accelerations x, and
 * Ct = -D_v F. Writes Kt and Ct, which arrive zeroed; user: the data of the disk. */
static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)t, (void)lam;
  const turn a = turn_of(q);
  put_stiffness(user, &a, v, x, psi, Kt);
  put_damping(user, &a, v, Ct);
  return 0;
}

/* T and U of J11, section 7.2; the sum is constant with the corrected F4 only. The mass centre is
 * at (y1 - r s3 s4, y2 + r s3 c4, r c3). */
static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)user, (void)t;
  const turn a = turn_of(q);
  const double x1 = v[0] - r * (a.c3 * a.s4 * v[2] + a.s3 * a.c4 * v[3]);
  const double x2 = v[1] + r * (a.c3 * a.c4 * v[2] - a.s3 * a.s4 * v[3]);
  const double x3 = -r * a.s3 * v[2], spin = v[4] + v[3] * a.s3;
  const double tilt = v[2] * v[2] + v[3] * v[3] * a.c3 * a.c3;
  *kin = 0.5 * (m * (x1 * x1 + x2 * x2 + x3 * x3) + I1 * tilt + I2 * spin * spin);
  *pot = mr * gravity * a.c3;
  return 0;
}

static const ga_model_ops ops = {.mass = mass,
                                 .force = force,
                                 .nonholonomic = nonholonomic,
                                 .nonholonomic_jac = nonholonomic_jac,
                                 .nonholonomic_dq = nonholonomic_dq,
                                 .nonholonomic_drift = nonholonomic_drift,
                                 .force_tangents = force_tangents,
                                 .energy = energy};

/* q, v, v', psi at t = 10 */
typedef struct end_values {
  double q[NQ], v[NQ], vd[NQ], psi[NPSI];
} end_values;

static const end_values corrected_end = {
    {1.0244860151485977, 0.020159250165670941, 4.4432599497832271, 0.10041279922498083,
     1.9253402666804326},
    {0.081540795808843052, 0.0082153692530912638, -3.4948111101134110, 0.050708691475780786,
     0.081953606834013559},
    {0.023025056862109608, 0.0064966115861420617, -4.8196846808277892, 0.0076163008407713321,
     0.023560323916737946},
    {2.7448568956347377, -25.980101069052383}};

static const end_values printed_end = {
    {1.1333788890244373, -0.083548650058537258, 4.4443391428276113, -0.15989746659405443,
     2.0378653311632869},
    {0.11004468134474511, -0.017747374414165841, -3.4931896655987044, -0.011268545160036730,
     0.11146659226361539},
    {-0.0053461870927547749, -0.00041009387049830387, -4.8214299500217626, -0.010418501152078991,
     -0.0052126951561661992},
    {-4.1641986683424168, -25.750364161455700}};

/* Adds the reference solution at t = 10 to the problem; GA_ERR_MEM if memory is short. */
static ga_status tabulate(ga_problem *problem, const end_values *end) {
  ga_problem_state *ref = ga_problem_tabulate(problem, 10);
  if (!ref) return GA_ERR_MEM;
  memcpy(ref->q, end->q, sizeof end->q);
  memcpy(ref->v, end->v, sizeof end->v);
  memcpy(ref->vd, end->vd, sizeof end->vd);
  memcpy(ref->psi, end->psi, sizeof end->psi);
  return GA_OK;
}

/* Sets up the problem with the corrected F4, or with F4 as printed. */
static ga_status build(ga_problem *problem, bool corrected, ga_error *err) {
  static const char *const q_names[] = {"x", "y", "tilt", "heading", "spin"};
  static const char *const v_names[] = {"x_dot", "y_dot", "tilt_dot", "heading_dot", "spin_dot"};
  static const char *const psi_names[] = {"psi1", "psi2"};
  static const double q0[NQ] = {0.1, 0, 0.3, 0, 1}, v0[NQ] = {0.1, 0, 0.02, -0.02, 0.1};
  const ga_model model = {.ops = &ops,
                          .npsi = NPSI,
                          .scleronomic = true,
                          .q_names = q_names,
                          .v_names = v_names,
                          .psi_names = psi_names};
  const ga_problem_factor factors[] = {{&ga_group_rn, NQ}, {NULL, 0}};
  ga_status status = ga_problem_setup(problem, &model, factors, err);
  if (status != GA_OK) return status;
  rolling_disk *disk = ga_problem_take(problem, 1, sizeof *disk);
  if (!disk) return GA_ERR_MEM;
  disk->I2_F4 = corrected ? I2 : 0;
  problem->model.user = disk;
  problem->rho_inf = 0.2, problem->h = 2.5e-3, problem->t_end = 10;
  memcpy(problem->q0, q0, sizeof q0);
  memcpy(problem->v0, v0, sizeof v0);
  return tabulate(problem, corrected ? &corrected_end : &printed_end);
}

/* "rolling-disk": F4 with the missing term; it has no options. */
static ga_status build_corrected(ga_problem *problem, const ga_problem_options *options,
                                 ga_error *err) {
  (void)options;
  return build(problem, true /* corrected */, err);
}

/* "rolling-disk-printed": F4 as printed; it has no options. */
static ga_status build_printed(ga_problem *problem, const ga_problem_options *options,
                               ga_error *err) {
  (void)options;
  return build(problem, false /* as printed */, err);
}

static const char cite[] =
    "Jay, Convergence of the generalized-alpha method for constrained systems in mechanics with "
    "nonholonomic constraints, 2011, section 7.2";

const ga_problem_entry ga_entry_rolling_disk = {
    .name = "rolling-disk",
    .summary = "rolling disk, 5 coordinates, 2 nonholonomic constraints, mass matrix M(q)",
    .cite = cite,
    .build = build_corrected};

const ga_problem_entry ga_entry_rolling_disk_printed = {
    .name = "rolling-disk-printed",
    .summary = "rolling disk with the force as printed, which lacks a term: the energy drifts",
    .cite = cite,
    .build = build_printed};
