/* SPDX-License-Identifier: MIT */
/* The strain of a beam element, its force and exact tangents.
 *
 *   d = log(H_A^-1 H_B) = (u, w),  dd = P (delta_A, delta_B),  P = [-T^-1(-d), T^-1(d)]
 *   U = (d - d0)^T K^ (d - d0)/(2h),  sigma = (K^ (d - d0) + C^ d')/h,  f = P^T sigma, F gets -f
 *   D f = P^T (K^ P + C^ D(P v))/h + [Gamma(-d; sigma); Gamma(d; sigma)] P,   df/dv = P^T C^ P/h
 *   Gamma(d; n, m) = [0 g(n); g(n) chi + g(m)],   D(P v) = (Lambda(-d; v_A) + Lambda(d; v_B)) P,
 *   Lambda(d; y) = d(T^-1(d) y)/dd = [A1(y_w)  A1(y_u) + chi(y_w); 0  A1(y_w)],  A1(y) = -g(y) at -w
 *
 * with g, chi of src/lie/inverse_tangent.c. The strain is constant along the helicoid H_A exp(xi d).
 * Source: Sonneville, Cardona, Bruls (2014), see there. */
#include <string.h>

#include "mechanism/beam/beam.h"

const double GA_BEAM_TURN_MOST = 0.95 * 3.14159265358979323846;

/* s->P <- P at d = (u, w); T^-1(-d) = [A^T A'^T; 0 A^T] */
static void set_P(ga_strain *s) {
  double A[9], A1[9];
  ga_so3_inverse_tangent(&s->log, s->d + 3, A);
  ga_so3_inverse_tangent_slope(&s->log, s->d + 3, s->d, A1);
  memset(s->P, 0, sizeof s->P);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      s->P[i][j] = s->P[3 + i][3 + j] = -A[3 * j + i];
      s->P[i][3 + j] = -A1[3 * j + i];
      s->P[i][6 + j] = s->P[3 + i][9 + j] = A[3 * i + j];
      s->P[i][9 + j] = A1[3 * i + j];
    }
  }
}

/* Set all of *s: d, P and sigma, at the frames qa, qb = (x, p). */
bool ga_beam_strain(const ga_beam_data *e, const double *qa, const double *qb, const double (*v)[6],
                    ga_strain *s) {
  ga_group_se3.diff(1, qa, qb, s->d);
  if (!(ga_dot3(s->d + 3, s->d + 3) < GA_BEAM_TURN_MOST * GA_BEAM_TURN_MOST)) return false;
  ga_log_coefficients_at(s->d + 3, &s->log);
  set_P(s);
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += e->K[6 * i + k] * (s->d[k] - e->d0[k]);
    s->sigma[i] = sum;
  }
  if (!v || !e->damped) return true;
  double rate[6] = {0}; /* d' = P v */
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) rate[i] += s->P[i][k] * v[0][k] + s->P[i][6 + k] * v[1][k];
  }
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) s->sigma[i] += e->C[6 * i + k] * rate[k];
  }
  return true;
}

void ga_beam_force(const ga_strain *s, double *f) {
  for (int k = 0; k < GA_BEAM_NV; k++) {
    f[k] = 0;
    for (int i = 0; i < 6; i++) f[k] += s->P[i][k] * s->sigma[i];
  }
}

double ga_beam_energy(const ga_beam_data *e, const ga_strain *s) {
  double sum = 0;
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      sum += 0.5 * (s->d[i] - e->d0[i]) * e->K[6 * i + k] * (s->d[k] - e->d0[k]);
    }
  }
  return sum;
}

/* Y (6 x 12) <- X P with a 6 x 6 matrix X */
static void times_P(const double (*X)[6], const ga_strain *s, double (*Y)[GA_BEAM_NV]) {
  for (int i = 0; i < 6; i++) {
    memset(Y[i], 0, sizeof Y[i]);
    for (int k = 0; k < 6; k++) {
      const double x = X[i][k];
      for (int j = 0; j < GA_BEAM_NV; j++) Y[i][j] += x * s->P[k][j];
    }
  }
}

/* Z (12 x 12) += P^T Y */
static void add_Pt(const ga_strain *s, const double (*Y)[GA_BEAM_NV], double (*Z)[GA_BEAM_NV]) {
  for (int r = 0; r < GA_BEAM_NV; r++) {
    for (int i = 0; i < 6; i++) {
      const double p = s->P[i][r];
      for (int j = 0; j < GA_BEAM_NV; j++) Z[r][j] += p * Y[i][j];
    }
  }
}

/* Put the sum of s1 n~/2 and s2 E(n) into the 3 x 3 block of X at (row, column), or add it. */
static void put_gradient(const ga_strain *s, const double *n, double s1, double s2, double (*X)[6],
                         int row, int column) {
  double E[9], S[9];
  ga_so3_gradient_odd(&s->log, s->d + 3, n, E);
  ga_skew3(n, S);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      X[row + i][column + j] += 0.5 * s1 * S[3 * i + j] + s2 * E[3 * i + j];
    }
  }
}

/* X[3..5][column..] or X[0..2][..] += c chi(n) */
static void put_curvature(const ga_strain *s, const double *n, double c, double (*X)[6], int row) {
  double chi[9];
  ga_so3_curvature(&s->log, s->d + 3, n, s->d, chi);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) X[row + i][3 + j] += c * chi[3 * i + j];
  }
}

/* Z += [Gamma(-d; sigma); Gamma(d; sigma)] P; E and chi change their sign with d */
static void add_geometric(const ga_strain *s, double (*Z)[GA_BEAM_NV]) {
  for (int side = 0; side < 2; side++) {
    const double sign = side ? 1 : -1;
    double gamma[6][6] = {{0}}, Y[6][GA_BEAM_NV];
    put_gradient(s, s->sigma, 1, sign, gamma, 0, 3);
    for (int i = 0; i < 3; i++) memcpy(gamma[3 + i], gamma[i] + 3, 3 * sizeof(double));
    put_gradient(s, s->sigma + 3, 1, sign, gamma, 3, 3);
    put_curvature(s, s->sigma, sign, gamma, 3);
    times_P((const double(*)[6])gamma, s, Y);
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < GA_BEAM_NV; j++) Z[6 * side + i][j] += Y[i][j];
    }
  }
}

/* X (6 x 6) += C (Lambda(-d; v_A) + Lambda(d; v_B)). With the sum y and the difference z = v_B - v_A
 * the blocks are E(z) - y~/2, and chi of z_w. */
static void add_rate_slope(const ga_beam_data *e, const ga_strain *s, const double (*v)[6],
                           double (*X)[6]) {
  double lambda[6][6] = {{0}}, y[6], z[6], minus[6];
  for (int k = 0; k < 6; k++) y[k] = v[0][k] + v[1][k], z[k] = v[1][k] - v[0][k];
  for (int k = 0; k < 6; k++) minus[k] = -y[k];
  put_gradient(s, z + 3, 0, 1, lambda, 0, 0);
  put_gradient(s, minus + 3, 1, 0, lambda, 0, 0);
  for (int i = 0; i < 3; i++) memcpy(lambda[3 + i] + 3, lambda[i], 3 * sizeof(double));
  put_gradient(s, z, 0, 1, lambda, 0, 3);
  put_gradient(s, minus, 1, 0, lambda, 0, 3);
  put_curvature(s, z + 3, 1, lambda, 0);
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      for (int j = 0; j < 6; j++) X[i][j] += e->C[6 * i + k] * lambda[k][j];
    }
  }
}

void ga_beam_tangents(const ga_beam_data *e, const ga_strain *s, const double (*v)[6],
                      double (*K)[GA_BEAM_NV], double (*C)[GA_BEAM_NV]) {
  double X[6][6], Y[6][GA_BEAM_NV];
  memset(K, 0, GA_BEAM_NV * sizeof *K);
  memset(C, 0, GA_BEAM_NV * sizeof *C);
  memcpy(X, e->K, sizeof X);
  if (e->damped) add_rate_slope(e, s, v, X);
  times_P((const double(*)[6])X, s, Y);
  add_Pt(s, (const double(*)[GA_BEAM_NV])Y, K);
  add_geometric(s, K);
  if (!e->damped) return;
  memcpy(X, e->C, sizeof X);
  times_P((const double(*)[6])X, s, Y);
  add_Pt(s, (const double(*)[GA_BEAM_NV])Y, C);
}

/* ---- sections ------------------------------------------------------------------------------- */

/* H <- exp(c d), a frame (x, p) */
static void exponential(double c, const double *d, double *H) {
  double identity[7], w[6];
  for (int k = 0; k < 6; k++) w[k] = c * d[k];
  ga_group_se3.identity(1, identity);
  ga_group_se3.step(1, identity, w, H);
}

/* y <- Ad(H)^T (n, m) = (R^T n, R^T (m - x x n)) */
static void coadjoint(const double *H, const double *w, double *y) {
  double m[3];
  ga_copy3(w + 3, m);
  ga_add_cross3(-1, H, w, m);
  ga_quat_unrotate(H + 3, w, y);
  ga_quat_unrotate(H + 3, m, y + 3);
}

/* w = Ad(exp(-d/2))^T T^-T(d) sigma; T^-T(d) sigma is the force f on B */
void ga_beam_section_wrench(const ga_strain *s, double *w) {
  double f[GA_BEAM_NV], H[7];
  ga_beam_force(s, f);
  exponential(-0.5, s->d, H);
  coadjoint(H, f + 6, w);
}

/* A <- A^-1 by Cholesky's factors L L^T */
bool ga_invert_spd6(double *A) {
  double L[6][6] = {{0}}, X[6][6] = {{0}};
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = A[6 * i + j];
      for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      if (i == j && !(sum > 1e-14 * A[7 * i])) return false;
      L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
    }
  }
  for (int j = 0; j < 6; j++) { /* X = L^-1 */
    for (int i = j; i < 6; i++) {
      double sum = i == j;
      for (int k = j; k < i; k++) sum -= L[i][k] * X[k][j];
      X[i][j] = sum / L[i][i];
    }
  }
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      A[6 * i + j] = 0;
      for (int k = i > j ? i : j; k < 6; k++) A[6 * i + j] += X[k][i] * X[k][j];
    }
  }
  return true;
}

/* K^ = (integral of X^T K^-1 X over xi in (0, 1))^-1, X = Ad(exp(-(1 - xi) d0))^T T^-T(d0): the wrench
 * at xi that a unit of sigma causes; by Gauss' rule with 6 points. */
bool ga_beam_flexibility(const double *K, const double *d0, double *Khat) {
  static const double at[3] = {0.2386191860831969, 0.6612093864662645, 0.9324695142031521};
  static const double weight[3] = {0.4679139345726910, 0.3607615730481386, 0.1713244923791704};
  double soft[36], sum[36] = {0};
  ga_strain s = {.log = {0}};
  memcpy(soft, K, sizeof soft);
  if (!ga_invert_spd6(soft)) return false;
  memcpy(s.d, d0, sizeof s.d);
  ga_log_coefficients_at(d0 + 3, &s.log);
  set_P(&s);
  for (int point = 0; point < 6; point++) {
    const double xi = 0.5 + (point < 3 ? 0.5 : -0.5) * at[point % 3], w = 0.5 * weight[point % 3];
    double H[7], X[6][6]; /* column k of the matrix X above is X[k] here */
    exponential(xi - 1, d0, H);
    for (int k = 0; k < 6; k++) coadjoint(H, s.P[k] + 6, X[k]);
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 6; j++) {
        for (int k = 0; k < 36; k++) {
          sum[6 * i + j] += w * X[i][k / 6] * soft[k] * X[j][k % 6];
        }
      }
    }
  }
  for (int i = 0; i < 36; i++) Khat[i] = 0.5 * (sum[i] + sum[6 * (i % 6) + i / 6]);
  return ga_invert_spd6(Khat);
}
