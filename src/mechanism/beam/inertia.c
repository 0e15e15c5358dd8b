/* SPDX-License-Identifier: MIT */
/* Inertia and gravity of a beam element.
 *
 * Consistent: the centre line x(xi) = (1 - xi) x_A + xi x_B - xi (1 - xi)/2 (R_B - R_A) u0, rotary
 * inertia lumped. With b_i = u_i' + w_i x u_i (the acceleration in the axes of node i),
 * c_i = w_i' x u0 + w_i x (w_i x u0), E_ij = R_i^T R_j, s_A = -1, s_B = 1 the left side M v' - F is
 *
 *   force    sum_j (mu_ij E_ij b_j - m/24 s_j E_ij c_j) - m/2 R_i^T g
 *   moment   s_i u0 x [ sum_j (m/120 s_j E_ij c_j - m/24 E_ij b_j) + m/12 R_i^T g ]
 *            + J w_i' + w_i x J w_i
 *
 * mu_ij = m/3 for i = j, else m/6. Lumped: mu_ij = m/2 for i = j, else 0, and 0 in place of m/24,
 * m/120, m/12. It is linear in b_j and c_j, so all derivatives are those of b, c and E:
 *
 *   by theta_j: b -b~, c -c~ (E_ij), and (R_i^T y)~ in theta_i;   by u: b w~;   by w: b -u~,
 *   c -(w x u0)~ - w~ u0~;   by u': b I;   by w': c -u0~.
 *
 * A constant 12 x 12 mass in the axes of the nodes would not be Galilean invariant. */
#include <string.h>

#include "mechanism/beam/beam.h"

/* mu_ii, mu_ij, and what stands for m/24, m/120, m/12 */
typedef struct {
  double same, other, cross, turn, weight;
} coefficients;

static coefficients coefficients_of(const ga_beam_data *e) {
  const double m = e->mass;
  if (e->lumped) return (coefficients){.same = m / 2};
  return (coefficients){m / 3, m / 6, m / 24, m / 120, m / 12};
}

/* b_i and c_i of both nodes */
typedef struct {
  double b[2][3], c[2][3];
} accelerations;

static accelerations accelerations_of(const ga_beam_data *e, const ga_beam_motion *x) {
  accelerations a;
  for (int i = 0; i < 2; i++) {
    const double *w = x->v[i] + 3;
    double wu[3];
    ga_copy3(x->vd[i], a.b[i]);
    ga_add_cross3(1, w, x->v[i], a.b[i]);
    ga_cross3(w, e->d0, wu);
    ga_cross3(w, wu, a.c[i]);
    ga_add_cross3(1, x->vd[i] + 3, e->d0, a.c[i]);
  }
  return a;
}

/* S, w <- R_i^T S_i and R_i^T w of node i, see the head of this file: the force, and what u0 x .. of
 * the moment is taken of */
static void resultants(const ga_beam_data *e, const ga_beam_motion *x, const accelerations *a,
                       int i, double *S, double *w) {
  const coefficients k = coefficients_of(e);
  const double s = i ? 1 : -1, *b = a->b[i], *c = a->c[i], *g = x->g[i];
  for (int n = 0; n < 3; n++) {
    S[n] = k.same * b[n] - s * k.cross * c[n] - 0.5 * e->mass * g[n];
    w[n] = s * k.turn * c[n] - k.cross * b[n] + k.weight * g[n];
  }
  if (e->lumped) return;
  double force[3], moment[3]; /* of the other node, in its axes */
  for (int n = 0; n < 3; n++) {
    force[n] = k.other * a->b[1 - i][n] + s * k.cross * a->c[1 - i][n];
    moment[n] = -s * k.turn * a->c[1 - i][n] - k.cross * a->b[1 - i][n];
  }
  const double *Q = x->Q;
  const int row = i ? 1 : 3, column = i ? 3 : 1; /* E_AB = Q, E_BA = Q^T */
  for (int n = 0; n < 3; n++) {
    for (int m = 0; m < 3; m++) {
      const double E = Q[row * n + column * m];
      S[n] += E * force[m];
      w[n] += E * moment[m];
    }
  }
}

void ga_beam_inertia(const ga_beam_data *e, const ga_beam_motion *x, double *f) {
  const accelerations a = accelerations_of(e, x);
  for (int i = 0; i < 2; i++) {
    const double *omega = x->v[i] + 3;
    double w[3], spin[3];
    resultants(e, x, &a, i, f + 6 * i, w);
    double *moment = f + 6 * i + 3;
    for (int n = 0; n < 3; n++) {
      spin[n] = e->J[n] * omega[n];
      moment[n] = e->J[n] * x->vd[i][3 + n];
    }
    ga_add_cross3(1, omega, spin, moment);
    ga_add_cross3(i ? 1 : -1, e->d0, w, moment);
  }
}

/* Add to the columns `column` .. + 2 of X in the rows of node i what E_ij (db, dc) does there; db, dc: 3
 * x 3 by rows, NULL: zero. */
static void add_block(const ga_beam_data *e, const coefficients *k, const double *E, int i, int j,
                      const double *db, const double *dc, int column, double (*X)[GA_BEAM_NV]) {
  const double mu = i == j ? k->same : k->other, s = j ? 1 : -1, si = i ? 1 : -1;
  double Eb[9] = {0}, Ec[9] = {0};
  if (mu == 0) return;
  if (db) ga_product3(E, db, Eb);
  if (dc) ga_product3(E, dc, Ec);
  for (int c = 0; c < 3; c++) {
    double w[3], m[3];
    for (int r = 0; r < 3; r++) {
      const double b = Eb[3 * r + c], t = s * Ec[3 * r + c];
      X[6 * i + r][column + c] += mu * b - k->cross * t;
      w[r] = k->turn * t - k->cross * b;
    }
    ga_cross3(e->d0, w, m);
    for (int r = 0; r < 3; r++) X[6 * i + 3 + r][column + c] += si * m[r];
  }
}

/* E <- E_ij */
static void relative(const double *Q, int i, int j, double *E) {
  if (i == j) {
    ga_identity3(E);
    return;
  }
  for (int n = 0; n < 9; n++) E[n] = i == 0 ? Q[n] : Q[3 * (n % 3) + n / 3];
}

void ga_beam_mass_matrix(const ga_beam_data *e, const double *Q, double (*M)[GA_BEAM_NV]) {
  const coefficients k = coefficients_of(e);
  double one[9], minus[9];
  memset(M, 0, GA_BEAM_NV * sizeof *M);
  ga_identity3(one);
  ga_skew3(e->d0, minus);
  for (int n = 0; n < 9; n++) minus[n] = -minus[n];
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      double E[9];
      relative(Q, i, j, E);
      add_block(e, &k, E, i, j, one, NULL, 6 * j, M);
      if (!e->lumped) add_block(e, &k, E, i, j, NULL, minus, 6 * j + 3, M);
    }
    for (int n = 0; n < 3; n++) M[6 * i + 3 + n][6 * i + 3 + n] += e->J[n];
  }
}

/* X[row..][column..] += s a~ */
static void add_skew(double s, const double *a, double (*X)[GA_BEAM_NV], int row, int column) {
  double S[9];
  ga_skew3(a, S);
  ga_add_block(X, row, column, s, S);
}

/* The terms of node i alone: (R_i^T S_i)~ and s_i u0~ (R_i^T w)~ in K, w~ J - (J w)~ in C. */
static void add_own_terms(const ga_beam_data *e, const ga_beam_motion *x, const accelerations *a,
                          int i, double (*K)[GA_BEAM_NV], double (*C)[GA_BEAM_NV]) {
  const double *omega = x->v[i] + 3;
  double S[3], w[3], spin[3], X[9];
  resultants(e, x, a, i, S, w);
  add_skew(1, S, K, 6 * i, 6 * i + 3);
  ga_skew_skew3(e->d0, w, X);
  ga_add_block(K, 6 * i + 3, 6 * i + 3, i ? 1 : -1, X);
  for (int n = 0; n < 3; n++) spin[n] = e->J[n] * omega[n];
  add_skew(-1, spin, C, 6 * i + 3, 6 * i + 3);
  ga_skew3(omega, X);
  for (int n = 0; n < 9; n++) C[6 * i + 3 + n / 3][6 * i + 3 + n % 3] += X[n] * e->J[n % 3];
}

void ga_beam_inertia_tangents(const ga_beam_data *e, const ga_beam_motion *x,
                              double (*K)[GA_BEAM_NV], double (*C)[GA_BEAM_NV]) {
  const coefficients k = coefficients_of(e);
  const accelerations a = accelerations_of(e, x);
  for (int j = 0; j < 2; j++) {
    const double *u = x->v[j], *w = u + 3;
    double b[9], c[9], by_u[9], b_w[9], c_w[9], wu[3], S[9];
    ga_skew3(a.b[j], b);
    ga_skew3(a.c[j], c);
    ga_skew3(w, by_u);
    ga_skew3(u, b_w);
    ga_cross3(w, e->d0, wu);
    ga_skew3(wu, c_w);
    ga_skew_skew3(w, e->d0, S);
    for (int n = 0; n < 9; n++) {
      b[n] = -b[n], c[n] = -c[n], b_w[n] = -b_w[n];
      c_w[n] = -c_w[n] - S[n];
    }
    for (int i = 0; i < 2; i++) {
      double E[9];
      relative(x->Q, i, j, E);
      add_block(e, &k, E, i, j, b, c, 6 * j + 3, K);
      add_block(e, &k, E, i, j, by_u, NULL, 6 * j, C);
      add_block(e, &k, E, i, j, b_w, c_w, 6 * j + 3, C);
    }
    add_own_terms(e, x, &a, j, K, C);
  }
}
