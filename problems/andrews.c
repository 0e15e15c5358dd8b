/* SPDX-License-Identifier: MIT */
/* Andrews' squeezing mechanism: seven relative angles, three closed loops, mass matrix M(q).
 *
 *     q = (beta, Theta, gamma, Phi, delta, Omega, epsilon)
 *
 * Arnold and Brüls 2007 (AB07), section 5.2; Schiehlen, Multibody Systems Handbook, 1990. Data,
 * formulas and reference values docs/reference/problems.md. Two observations make the code short:
 *
 * Rows. With e(p) = (cos p, sin p) and n(p) = (sin p, -cos p), both of which obey w' = (-w_y, w_x),
 * each pair of rows is a chain of links: g = sum of c w(p) - anchor, p one angle or a sum of two.
 *
 * Inertia. In each of the pairs (outer, inner) = (beta, Theta), (delta, Phi), (epsilon, Omega) the
 * kinetic energy has one term that varies, sigma(inner) (outer'^2 + outer' inner'), where sigma is
 * a cosine or a sine. All of f but the driving moment and the spring follows from it. */
#include <math.h>
#include <string.h>

#include "problems/problem.h"
/* after all others, as its names are short */
#include "problems/andrews.h"

enum { NQ = ANDREWS_NQ, NPAIR = 3, NLAM = 2 * NPAIR };

/* The links: the crank K1 and K2, in all three loops, lead to the point where K2, K3, K4 and K6
 * meet; from there along K3 to B, along K4 and K5 to A, along K6 and K7 to A. */
enum { LINK_1, LINK_2, LINK_3, LINK_4, LINK_5, LINK_6, LINK_7, NLINK };

static const double anchors[NLAM] = {XB, YB, XA, YA, XA, YA};

/* One pair of angles: sigma = a cos(inner) + b sin(inner), and
 * M_ii = inner_inertia, M_oi = inner_inertia + sigma, M_oo = outer_inertia + 2 sigma. One link
 * turns with the outer angle, another one with the sum of both. */
typedef struct coupling {
  int outer, inner;
  int link_outer, link_both;
  double outer_inertia, inner_inertia, a, b;
} coupling;

static const coupling couplings[] = {
    {.outer = BETA,
     .inner = THETA,
     .link_outer = LINK_1,
     .link_both = LINK_2,
     .outer_inertia = M1 * RA * RA + M2 * (RR * RR + DA * DA) + I1 + I2,
     .inner_inertia = M2 * DA * DA + I2,
     .a = -M2 * DA * RR},
    {.outer = DELTA,
     .inner = PHI,
     .link_outer = LINK_5,
     .link_both = LINK_4,
     .outer_inertia = M4 * (ZT * ZT + (E - EA) * (E - EA)) + M5 * (TA * TA + TB * TB) + I4 + I5,
     .inner_inertia = M4 * (E - EA) * (E - EA) + I4,
     .b = M4 * ZT * (E - EA)},
    {.outer = EPSILON,
     .inner = OMEGA,
     .link_outer = LINK_7,
     .link_both = LINK_6,
     .outer_inertia = M6 * (U * U + (ZF - FA) * (ZF - FA)) + M7 * (UA * UA + UB * UB) + I6 + I7,
     .inner_inertia = M6 * (ZF - FA) * (ZF - FA) + I6,
     .b = -M6 * U * (ZF - FA)},
};
enum { NCOUPLING = (int)(sizeof couplings / sizeof couplings[0]) };

/* Patterns: M and K couple the angles of a pair only; a pair of rows of G has beta, Theta and the
 * angles of its own loop. Row i of M has the columns first[i] .., from M_row[i] on in the values.
 */
static const int M_row[NQ + 1] = {0, 2, 4, 5, 7, 9, 11, 13}, first[NQ] = {0, 0, 2, 3, 3, 5, 5};
static const int G_row[NLAM + 1] = {0, 3, 6, 10, 14, 18, 22}, own[NPAIR] = {2, 3, 5};
enum { NNZ_M = 13, NNZ_G = 22 };

/* The entry (i, j) of M, Kt or Ct, which share one pattern; j must be a column of row i. */
static double *entry_M(ga_csr *A, int i, int j) {
  return &A->val[M_row[i] + j - first[i]];
}

/* The entry of G in column j of the first row of pair p; that of the second row is row_size(p)
 * further. */
static double *entry_G(ga_csr *A, int p, int j) {
  return &A->val[G_row[2 * p] + (j < own[0] ? j : j - own[p] + own[0])];
}

/* Entries in each of the two rows of pair p of G: 3, 4, 4. */
static int row_size(int p) {
  return G_row[2 * p + 1] - G_row[2 * p];
}

/* sigma and its derivative; the second derivative is -sigma */
typedef struct inertia {
  double s, s1;
} inertia;

/* cosine and sine of each angle, once; those of a sum of two follow */
typedef struct angles {
  double c[NQ], s[NQ];
} angles;

/* Cosine and sine of all seven angles q. */
static angles angles_at(const double *q) {
  angles at;
  for (int i = 0; i < NQ; i++) at.c[i] = cos(q[i]), at.s[i] = sin(q[i]);
  return at;
}

/* sigma and its derivative by the inner angle, for the pair k. */
static inertia inertia_at(const coupling *k, const angles *at) {
  const double c = at->c[k->inner], s = at->s[k->inner];
  return (inertia){k->a * c + k->b * s, k->b * c - k->a * s};
}

/* w = c e(p) for p = q[i]. */
static inline void along(double c, const angles *at, int i, double w[2]) {
  w[0] = c * at->c[i];
  w[1] = c * at->s[i];
}

/* w = c e(p) for p = q[i] + q[j], by the addition theorems. */
static inline void along_sum(double c, const angles *at, int i, int j, double w[2]) {
  const double c1 = c * at->c[i], s1 = c * at->s[i], c2 = at->c[j], s2 = at->s[j];
  w[0] = c1 * c2 - s1 * s2;
  w[1] = s1 * c2 + c1 * s2;
}

/* Turns w by -90 degrees in place: c e(p) becomes c n(p). */
static inline void turn(double w[2]) {
  const double x = w[0];
  w[0] = w[1];
  w[1] = -x;
}

/* Writes the vector c w(p) of each link at the angles `at`. */
static void link_vectors(const angles *at, double w[NLINK][2]) {
  along(RR, at, BETA, w[LINK_1]);
  along_sum(-D, at, BETA, THETA, w[LINK_2]);
  along(-SS, at, GAMMA, w[LINK_3]);
  along_sum(-E, at, PHI, DELTA, w[LINK_4]);
  along(-ZT, at, DELTA, w[LINK_5]);
  along_sum(-ZF, at, OMEGA, EPSILON, w[LINK_6]);
  along(-U, at, EPSILON, w[LINK_7]);
  turn(w[LINK_3]);
  turn(w[LINK_4]);
  turn(w[LINK_7]);
}

/* Writes the angular velocity p' of each link. */
static void link_rates(const double *v, double rate[NLINK]) {
  rate[LINK_1] = v[BETA];
  rate[LINK_2] = v[BETA] + v[THETA];
  rate[LINK_3] = v[GAMMA];
  rate[LINK_4] = v[PHI] + v[DELTA];
  rate[LINK_5] = v[DELTA];
  rate[LINK_6] = v[OMEGA] + v[EPSILON];
  rate[LINK_7] = v[EPSILON];
}

/* Adds the vectors of the links of each loop to its pair of rows in sum (NLAM numbers). */
static inline void add_loops(double w[NLINK][2], double *sum) {
  for (int k = 0; k < 2; k++) {
    sum[k] = sum[k] + w[LINK_1][k] + w[LINK_2][k] + w[LINK_3][k];
    sum[2 + k] = sum[2 + k] + w[LINK_1][k] + w[LINK_2][k] + w[LINK_4][k] + w[LINK_5][k];
    sum[4 + k] = sum[4 + k] + w[LINK_1][k] + w[LINK_2][k] + w[LINK_6][k] + w[LINK_7][k];
  }
}

/* Writes all values of G or Z: d[n], the derivative of link n by its angle p, goes into the
 * columns of all angles in p (beta, Theta; gamma; Phi, delta; Omega, epsilon), in the order of
 * the pattern. */
static inline void fill_rows(double d[NLINK][2], double *val) {
  for (int k = 0; k < 2; k++) {
    const double by_beta = d[LINK_1][k] + d[LINK_2][k], by_theta = d[LINK_2][k];
    double *first_loop = val + G_row[k], *second = val + G_row[2 + k], *third = val + G_row[4 + k];
    first_loop[0] = second[0] = third[0] = by_beta;
    first_loop[1] = second[1] = third[1] = by_theta;
    first_loop[2] = d[LINK_3][k];
    second[2] = d[LINK_4][k];
    second[3] = d[LINK_4][k] + d[LINK_5][k];
    third[2] = d[LINK_6][k];
    third[3] = d[LINK_6][k] + d[LINK_7][k];
  }
}

/* Writes all values of M(q) from sigma of each pair; gamma is coupled with no other angle. */
static void fill_mass(const inertia *in, ga_csr *M) {
  *entry_M(M, GAMMA, GAMMA) = M3 * (SA * SA + SB * SB) + I3;
  for (int i = 0; i < NCOUPLING; i++) {
    const coupling *k = &couplings[i];
    *entry_M(M, k->outer, k->outer) = k->outer_inertia + 2 * in[i].s;
    *entry_M(M, k->outer, k->inner) = k->inner_inertia + in[i].s;
    *entry_M(M, k->inner, k->outer) = k->inner_inertia + in[i].s;
    *entry_M(M, k->inner, k->inner) = k->inner_inertia;
  }
}

/* The spring from C to the point D of body K3: length and its derivatives by gamma. With
 * d = D - B = sd e(gamma) + sc n(gamma):  L L' = (D - C)^T d',  L L'' = d^T d - (D - C)^T d - L'^2
 */
typedef struct spring {
  double length, d1, d2;
} spring;

/* Length of the spring and its first two derivatives by gamma, see the struct. */
static spring spring_at(const angles *at) {
  const double c = at->c[GAMMA], s = at->s[GAMMA];
  const double d[2] = {SD * c + SC * s, SD * s - SC * c};
  const double r[2] = {XB + d[0] - XC, YB + d[1] - YC};
  const double length = sqrt(r[0] * r[0] + r[1] * r[1]);
  const double d1 = (r[1] * d[0] - r[0] * d[1]) / length;
  const double dd = d[0] * d[0] + d[1] * d[1], rd = r[0] * d[0] + r[1] * d[1];
  return (spring){length, d1, (dd - rd - d1 * d1) / length};
}

/* Writes F: f_outer = -sigma' inner' (inner' + 2 outer'), f_inner = sigma' outer'^2, f_gamma = -c0
 * (L - l0) L', and the driving moment mom on beta. */
static void fill_force(const inertia *in, const spring *sp, const double *v, double *F) {
  F[GAMMA] = -C0 * (sp->length - L0) * sp->d1;
  for (int i = 0; i < NCOUPLING; i++) {
    const coupling *k = &couplings[i];
    const double vo = v[k->outer], vi = v[k->inner];
    F[k->outer] = -in[i].s1 * vi * (vi + 2 * vo);
    F[k->inner] = in[i].s1 * vo * vo;
  }
  F[BETA] += MOM;
}

/* g = sum of the link vectors of each loop - anchor. */
static void fill_constraints(double w[NLINK][2], double *g) {
  for (int i = 0; i < NLAM; i++) g[i] = -anchors[i];
  add_loops(w, g);
}

/* G, from w' = (-w_y, w_x) of each link. */
static void fill_gradient(double w[NLINK][2], ga_csr *G) {
  double d[NLINK][2];
  for (int n = 0; n < NLINK; n++) d[n][0] = -w[n][1], d[n][1] = w[n][0];
  fill_rows(d, G->val);
}

/* Z = D_q(G v), from w'' p' = -w p' of each link. */
static void fill_curvature(double w[NLINK][2], const double *v, ga_csr *Z) {
  double rate[NLINK], d[NLINK][2];
  link_rates(v, rate);
  for (int n = 0; n < NLINK; n++) d[n][0] = -w[n][0] * rate[n], d[n][1] = -w[n][1] * rate[n];
  fill_rows(d, Z->val);
}

/* Writes Kt = D_q(M x - F + G^T lam) and Ct = -dF/dv in the rows and columns of one pair of
 * angles; in: its sigma, x stands for v'. along[n] is -w^T lam of link n (from w'' = -w); it
 * enters for every two angles that the link turns with. Ct(i, i) = 0 is left. */
static inline void coupling_tangents(const coupling *k, const inertia *in, const double *along,
                                     const double *v, const double *x, ga_csr *Kt, ga_csr *Ct) {
  const int o = k->outer, i = k->inner;
  const double s1 = in->s1, s2 = -in->s, both = along[k->link_both];
  *entry_M(Kt, o, o) = along[k->link_outer] + both;
  *entry_M(Kt, o, i) = s1 * (2 * x[o] + x[i]) + s2 * v[i] * (v[i] + 2 * v[o]) + both;
  *entry_M(Kt, i, o) = both;
  *entry_M(Kt, i, i) = s1 * x[o] - s2 * v[o] * v[o] + both;
  *entry_M(Ct, o, o) = 2 * s1 * v[i];
  *entry_M(Ct, o, i) = 2 * s1 * (v[i] + v[o]);
  *entry_M(Ct, i, o) = -2 * s1 * v[o];
}

/* along[n] = -w^T lam of link n, with the lam of all loops that contain the link. */
static void along_links(double w[NLINK][2], const double *lam, double along[NLINK]) {
  for (int n = LINK_1; n <= LINK_2; n++) {
    along[n] = 0;
    for (int p = 0; p < NPAIR; p++) along[n] -= w[n][0] * lam[2 * p] + w[n][1] * lam[2 * p + 1];
  }
  static const int pair_of[NLINK] = {[LINK_4] = 1, [LINK_5] = 1, [LINK_6] = 2, [LINK_7] = 2};
  for (int n = LINK_3; n < NLINK; n++) {
    const double *of = lam + 2 * pair_of[n];
    along[n] = -(w[n][0] * of[0] + w[n][1] * of[1]);
  }
}

/* Writes out->Kt and out->Ct at out->x, out->lam: the three pairs of angles, then gamma with the
 * spring and link 3. Entries that are zero are left, as matrices arrive zeroed. */
static void fill_tangents(const inertia *in, const spring *sp, double w[NLINK][2], const double *v,
                          const ga_evaluation *out) {
  double along[NLINK];
  along_links(w, out->lam, along);
  for (int i = 0; i < NCOUPLING; i++) {
    coupling_tangents(&couplings[i], &in[i], along, v, out->x, out->Kt, out->Ct);
  }
  *entry_M(out->Kt, GAMMA, GAMMA) =
      C0 * (sp->d1 * sp->d1 + (sp->length - L0) * sp->d2) + along[LINK_3];
}

/* drift = Z v = sum of -w p'^2 over the links of each loop. */
static void fill_drift(double w[NLINK][2], const double *v, double *drift) {
  double rate[NLINK], d[NLINK][2];
  link_rates(v, rate);
  for (int n = 0; n < NLINK; n++) {
    for (int k = 0; k < 2; k++) d[n][k] = -w[n][k] * rate[n] * rate[n];
  }
  memset(drift, 0, NLAM * sizeof *drift);
  add_loops(d, drift);
}

/* Writes all fields of `out` that are not NULL, see ga_model.h; shared terms are computed once.
 * v may be NULL if only M, g or G are asked for. Always 0 (no failure). */
static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  (void)user, (void)t;
  const angles at = angles_at(q);
  double w[NLINK][2];
  inertia in[NCOUPLING];
  spring sp = {0};
  if (out->g || out->G || out->Z || out->Kt || out->drift) link_vectors(&at, w);
  if (out->M || out->F || out->Kt) {
    for (int i = 0; i < NCOUPLING; i++) in[i] = inertia_at(&couplings[i], &at);
  }
  if (out->F || out->Kt) sp = spring_at(&at);
  if (out->M) fill_mass(in, out->M);
  if (out->F) fill_force(in, &sp, v, out->F);
  if (out->g) fill_constraints(w, out->g);
  if (out->G) fill_gradient(w, out->G);
  if (out->Z) fill_curvature(w, v, out->Z);
  if (out->Kt) fill_tangents(in, &sp, w, v, out);
  if (out->drift) fill_drift(w, v, out->drift);
  return 0;
}

/* Writes kinetic and potential energy; the constant driving moment is counted as a potential,
 * -mom beta, so that the sum is constant. Always 0. */
static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)user, (void)t;
  const angles at = angles_at(q);
  *kin = 0.5 * (M3 * (SA * SA + SB * SB) + I3) * v[GAMMA] * v[GAMMA];
  for (int i = 0; i < NCOUPLING; i++) {
    const coupling *k = &couplings[i];
    const double vo = v[k->outer], vi = v[k->inner];
    *kin += 0.5 * (k->outer_inertia * vo * vo + k->inner_inertia * vi * (vi + 2 * vo));
    *kin += inertia_at(k, &at).s * vo * (vo + vi);
  }
  const double stretch = spring_at(&at).length - L0;
  *pot = 0.5 * C0 * stretch * stretch - MOM * q[BETA];
  return 0;
}

static const ga_model_ops ops = {
    .evaluate = evaluate,
    .energy = energy,
    .gives = GA_GIVES_G | GA_GIVES_Z | GA_GIVES_TANGENTS | GA_GIVES_DRIFT};

/* Corrects all angles but Theta in place so that g(q) = 0, with four Newton steps for each loop:
 * the first fixes beta and gamma, the second Phi and delta, the third Omega and epsilon, each a
 * 2 x 2 system. q must be near a solution. */
static void solve_constraints(double *q) {
  static const int unknowns[NPAIR][2] = {{BETA, GAMMA}, {PHI, DELTA}, {OMEGA, EPSILON}};
  double g[NLAM], val[NNZ_G];
  ga_csr G = {.nrow = NLAM, .ncol = NQ, .val = val};
  for (int pair = 0; pair < NPAIR; pair++) {
    const int a = unknowns[pair][0], b = unknowns[pair][1];
    for (int step = 0; step < 4; step++) {
      memset(val, 0, sizeof val);
      evaluate(NULL, 0, q, NULL, &(ga_evaluation){.g = g, .G = &G});
      const int row = 2 * pair;
      const double *in_a = entry_G(&G, pair, a), *in_b = entry_G(&G, pair, b);
      const double a0 = in_a[0], b0 = in_b[0], a1 = in_a[row_size(pair)], b1 = in_b[row_size(pair)];
      const double det = a0 * b1 - b0 * a1;
      q[a] -= (b1 * g[row] - b0 * g[row + 1]) / det;
      q[b] -= (a0 * g[row + 1] - a1 * g[row]) / det;
    }
  }
}

/* Writes the tabulated start values (NQ angles, in rad), corrected to satisfy the constraints to
 * rounding. */
void ga_andrews_start(double *q) {
  static const double start[NQ] = {-0.0617138900142764496, 0,
                                   0.455279819163070380,   0.222668390165885885,
                                   0.487364979543842550,   -0.222668390165885885,
                                   1.23054744454982119};
  memcpy(q, start, sizeof start);
  solve_constraints(q);
}

const double ga_andrews_reference_q[NQ] = {
    15.810771195153711,  -15.756371058411844, 0.040822240119645756, -0.53473011634207976,
    0.52440996587995404, 0.53473011634207985, 1.0480807410419379};
const double ga_andrews_reference_v[NQ] = {
    1139.9203022591061,  -1424.3792951775400, 11.032911910619681, 19.293374105033949,
    0.57356991482956294, -19.293374105033942, 0.32317914924915816};

/* Adds the reference solution at t = 0.03 to the problem; GA_ERR_MEM if memory is short. */
static ga_status tabulate(ga_problem *problem) {
  static const double lam[NLAM] = {199.17534810453856, -29.755309974972017, 23.066543611622147,
                                   31.452725275771177, 22.642494786394365,  11.617392352611204};
  ga_problem_state *ref = ga_problem_tabulate(problem, 0.03);
  if (!ref) return GA_ERR_MEM;
  memcpy(ref->q, ga_andrews_reference_q, sizeof ga_andrews_reference_q);
  memcpy(ref->v, ga_andrews_reference_v, sizeof ga_andrews_reference_v);
  memcpy(ref->lam, lam, sizeof lam);
  return GA_OK;
}

/* Allocates and fills the sparsity patterns of M, K and G; false if memory is short. */
static bool fill_patterns(ga_problem *problem) {
  ga_csr *M = ga_problem_take(problem, 1, sizeof *M), *G = ga_problem_take(problem, 1, sizeof *G);
  if (!M || !G || !ga_problem_pattern(problem, NQ, NQ, NNZ_M, M) ||
      !ga_problem_pattern(problem, NLAM, NQ, NNZ_G, G)) {
    return false;
  }
  memcpy(M->ptr, M_row, sizeof M_row);
  memcpy(G->ptr, G_row, sizeof G_row);
  for (int i = 0; i < NQ; i++) {
    for (int e = M_row[i]; e < M_row[i + 1]; e++) M->col[e] = first[i] + e - M_row[i];
  }
  for (int i = 0; i < NLAM; i++) {
    for (int e = G_row[i]; e < G_row[i + 1]; e++) {
      const int slot = e - G_row[i];
      G->col[e] = slot < own[0] ? slot : slot - own[0] + own[i / 2];
    }
  }
  problem->model.pat_M = problem->model.pat_K = M;
  problem->model.pat_G = G;
  return true;
}

/* Sets up the problem: model, patterns, usual settings, start at rest, reference values. */
static ga_status build(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  (void)options;
  static const char *const q_names[] = {"beta",  "Theta", "gamma",  "Phi",
                                        "delta", "Omega", "epsilon"};
  static const char *const v_names[] = {"beta_dot",  "Theta_dot", "gamma_dot",  "Phi_dot",
                                        "delta_dot", "Omega_dot", "epsilon_dot"};
  static const char *const lam_names[] = {"lam1", "lam2", "lam3", "lam4", "lam5", "lam6"};
  const ga_model model = {.ops = &ops,
                          .nlam = NLAM,
                          .scleronomic = true,
                          .q_names = q_names,
                          .v_names = v_names,
                          .lam_names = lam_names};
  const ga_problem_factor factors[] = {{&ga_group_rn, NQ}, {NULL, 0}};
  ga_status status = ga_problem_setup(problem, &model, factors, err);
  if (status != GA_OK) return status;
  if (!fill_patterns(problem)) return GA_ERR_MEM;
  problem->rho_inf = 0.7, problem->h = 3e-4, problem->t_end = 0.03;
  ga_andrews_start(problem->q0);
  return tabulate(problem);
}

const ga_problem_entry ga_entry_andrews = {
    .name = "andrews",
    .summary = "Andrews' squeezing mechanism, 7 angles, 6 constraints, mass matrix M(q)",
    .cite =
        "Schiehlen, Multibody Systems Handbook, 1990; Arnold and Brüls, Multibody System "
        "Dynamics 18 (2007), section 5.2",
    .build = build};
