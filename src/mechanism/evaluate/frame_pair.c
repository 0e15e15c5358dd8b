/* SPDX-License-Identifier: MIT */
/* The primitives in closed form, see frame_pair.h for what "plain" derivatives are. With e = p_b -
 * x_a, r = R s, and n = a x b:
 *
 *   u = a.b        J = (0, n, 0, -n)                   dn = b~a~ dphi_a - a~b~ dphi_b
 *   u = d_k        J = (-e_k, -r_a x e_k, e_k, r_b x e_k)
 *   u = a.d        J = (-a, a x e, a, r_b x a)         a.d = a.e - const.
 *   u = |d|^2/2l   J = (-c, -r_a x c, c, r_b x c)      c = d/l
 *
 * and Z the derivative of J (x_a', omega_a, x_b', omega_b), x' and omega held. a~ is the matrix of
 * the cross product, a~ y = a x y; r_a, r_b are the arms from the centres of mass to the points,
 * d = p_b - p_a; the 12 numbers of J, Z and f are in the order (x_a, phi_a, x_b, phi_b). */
#include "mechanism/evaluate/frame_pair.h"

#include <string.h>

/* Set t->f, t->A and (if damped) t->B to zero, and t->damped. Without damped, B is left undefined:
 * nothing may read it or add to it. */
void ga_tangent_clear(ga_tangent *t, bool damped) {
  memset(t->f, 0, sizeof t->f);
  memset(t->A, 0, sizeof t->A);
  if (damped) memset(t->B, 0, sizeof t->B);
  t->damped = damped;
}

/* Set a, b, curved, ra, rb, d, e, ed of p, not Ua and Ub; sa, sb: points from the centres of mass,
 * body axes. p keeps the pointers a and b, which must outlive it; curved: rows compute Z, too. The
 * difference of the centres comes first, so that d is accurate far from the origin, too. */
void ga_pair_points(ga_pair *p, bool curved, const ga_frame *a, const ga_frame *b, const double *sa,
                    const double *sb) {
  p->a = a, p->b = b;
  p->curved = curved;
  ga_times3(a->R, sa, p->ra);
  ga_times3(b->R, sb, p->rb);
  for (int i = 0; i < 3; i++) {
    const double apart = b->x[i] - a->x[i];
    p->d[i] = apart + (p->rb[i] - p->ra[i]);
    p->e[i] = apart + p->rb[i];
    p->ed[i] = b->xd[i] - a->xd[i];
  }
  ga_add_cross3(1, b->w, p->rb, p->ed);
}

/* Set Ua = R_a Ea, Ub = R_b Eb, joint axes in space; after ga_pair_points. */
void ga_pair_axes(ga_pair *p, const double *Ea, const double *Eb) {
  ga_product3(p->a->R, Ea, p->Ua);
  ga_product3(p->b->R, Eb, p->Ub);
}

/* rate <- d', the relative velocity of the two points. */
void ga_pair_rate(const ga_pair *p, double *rate) {
  ga_copy3(p->ed, rate);
  ga_add_cross3(-1, p->a->w, p->ra, rate);
}

/* Row a.b, a fixed on A and b on B, both in space axes: *row <- value, J = (0, n, 0, -n) with
 * n = a x b; Z (if curved), with w = omega_a - omega_b, else its phi parts are left as they are:
 * d(w.n) = dphi_a.(a x (b x w)) + dphi_b.(b x (w x a)). */
void ga_row_dot(const ga_pair *p, const double *a, const double *b, ga_row *row) {
  double n[3], w[3], bw[3], wa[3];
  ga_cross3(a, b, n);
  row->value = ga_dot3(a, b);
  for (int i = 0; i < 3; i++) {
    row->J[GA_XA + i] = row->J[GA_XB + i] = row->Z[GA_XA + i] = row->Z[GA_XB + i] = 0;
    row->J[GA_PA + i] = n[i];
    row->J[GA_PB + i] = -n[i];
  }
  if (!p->curved) return;
  ga_plus3(p->a->w, -1, p->b->w, w);
  ga_cross3(b, w, bw);
  ga_cross3(w, a, wa);
  ga_cross3(a, bw, row->Z + GA_PA);
  ga_cross3(b, wa, row->Z + GA_PB);
}

/* Row a.d, a fixed on A, in space axes: *row <- value and J; Z only if curved, else left as it is.
 * G v = a.e' + e.(omega_a x a); with m = omega_a x a, Z is
 *   (-m, a x (e' - omega_a x e), m, r_b x (m + a x omega_b)) */
void ga_row_plane(const ga_pair *p, const double *a, ga_row *row) {
  double m[3], turned[3], by_b[3];
  row->value = ga_dot3(a, p->d);
  for (int i = 0; i < 3; i++) {
    row->J[GA_XA + i] = -a[i];
    row->J[GA_XB + i] = a[i];
  }
  ga_cross3(a, p->e, row->J + GA_PA);
  ga_cross3(p->rb, a, row->J + GA_PB);
  if (!p->curved) return;
  ga_cross3(p->a->w, a, m);
  ga_copy3(p->ed, turned);
  ga_add_cross3(-1, p->a->w, p->e, turned);
  ga_copy3(m, by_b);
  ga_add_cross3(1, a, p->b->w, by_b);
  for (int i = 0; i < 3; i++) {
    row->Z[GA_XA + i] = -m[i];
    row->Z[GA_XB + i] = m[i];
  }
  ga_cross3(a, turned, row->Z + GA_PA);
  ga_cross3(p->rb, by_b, row->Z + GA_PB);
}

/* c += s e_k x r, with the unit vector e_k along axis k. */
static void add_axis_cross(double s, int k, const double *r, double *c) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  c[i] -= s * r[j];
  c[j] += s * r[i];
}

/* Row d_k, component k (0 .. 2) of d: *row <- value, J = (-e, -r_a x e, e, r_b x e) with e = e_k,
 * and Z (only if curved) = (0, -r_a x (e x omega_a), 0, r_b x (e x omega_b)). */
void ga_row_point(const ga_pair *p, int k, ga_row *row) {
  for (int i = 0; i < GA_PAIR; i++) row->J[i] = 0;
  row->value = p->d[k];
  row->J[GA_XA + k] = -1;
  row->J[GA_XB + k] = 1;
  add_axis_cross(1, k, p->ra, row->J + GA_PA);
  add_axis_cross(-1, k, p->rb, row->J + GA_PB);
  if (!p->curved) return;
  double ewa[3] = {0, 0, 0}, ewb[3] = {0, 0, 0};
  for (int i = 0; i < GA_PAIR; i++) row->Z[i] = 0;
  add_axis_cross(1, k, p->a->w, ewa);
  add_axis_cross(1, k, p->b->w, ewb);
  ga_add_cross3(-1, p->ra, ewa, row->Z + GA_PA);
  ga_add_cross3(1, p->rb, ewb, row->Z + GA_PB);
}

/* Row (|d|^2 - l^2)/(2 l), l = length > 0: *row <- value and J; Z only if curved (else its x parts
 * are left as they are): the derivative of G v = d.d'/l, dd' = omega x (dphi x r) at each end. */
void ga_row_distance(const ga_pair *p, double length, ga_row *row) {
  double rate[3], ya[3], yb[3];
  /* |d|^2 - l^2 = (|d| - l)(|d| + l) keeps the digits of a small difference */
  const double size = ga_norm3(p->d), s = 1 / length;
  row->value = (size - length) * (size + length) * s / 2;
  for (int i = 0; i < 3; i++) {
    row->J[GA_XA + i] = -s * p->d[i];
    row->J[GA_XB + i] = s * p->d[i];
    row->J[GA_PA + i] = row->J[GA_PB + i] = row->Z[GA_PA + i] = row->Z[GA_PB + i] = 0;
  }
  ga_add_cross3(-s, p->ra, p->d, row->J + GA_PA);
  ga_add_cross3(s, p->rb, p->d, row->J + GA_PB);
  if (!p->curved) return;
  ga_pair_rate(p, rate);
  ga_copy3(rate, ya);
  ga_copy3(rate, yb);
  ga_add_cross3(1, p->d, p->a->w, ya);
  ga_add_cross3(1, p->d, p->b->w, yb);
  for (int i = 0; i < 3; i++) {
    row->Z[GA_XA + i] = -s * rate[i];
    row->Z[GA_XB + i] = s * rate[i];
  }
  ga_add_cross3(-s, p->ra, ya, row->Z + GA_PA);
  ga_add_cross3(s, p->rb, yb, row->Z + GA_PB);
}

/* first (u, w) and second (uu, uw, ww) partial derivatives of atan2(u, w) */
typedef struct {
  double u, w, uu, uw, ww;
} arc;

/* u^2 + w^2 of cosines u, w, below which their angle is not defined */
static const double NO_ANGLE = 1e-12;

/* *h <- derivatives of atan2(u, w). False near u = w = 0 (u^2 + w^2 <= least) or at NaN, where the
 * angle is not defined; *h is unchanged then. */
static bool arc_derivatives(double u, double w, double least, arc *h) {
  const double r2 = u * u + w * w;
  if (!(r2 > least)) return false;
  *h = (arc){w / r2, -u / r2, -2 * u * w / (r2 * r2), (u * u - w * w) / (r2 * r2), 0};
  h->ww = -h->uu;
  return true;
}

/* *row <- atan2(u, w), its J and (if p->curved) Z, by the chain rule from the rows u and w of
 * ga_row_dot, which depend on rotations only. False where the angle is not defined: *row is
 * unchanged. */
bool ga_row_angle(const ga_row *u, const ga_row *w, const ga_pair *p, ga_row *row) {
  arc h;
  if (!arc_derivatives(u->value, w->value, NO_ANGLE, &h)) return false;
  row->value = atan2(u->value, w->value);
  for (int i = 0; i < GA_PAIR; i++) row->J[i] = h.u * u->J[i] + h.w * w->J[i];
  if (!p->curved) return true;
  double rate[3];
  ga_plus3(p->a->w, -1, p->b->w, rate);
  const double ud = ga_dot3(u->J + GA_PA, rate), wd = ga_dot3(w->J + GA_PA, rate);
  const double by_u = h.uu * ud + h.uw * wd, by_w = h.uw * ud + h.ww * wd;
  for (int i = 0; i < GA_PAIR; i++) {
    row->Z[i] = h.u * u->Z[i] + h.w * w->Z[i] + by_u * u->J[i] + by_w * w->J[i];
  }
  return true;
}

/* t->f += f = (-a, a x e, a, r_b x a), t->A += its derivatives: da = -a~ dphi_a, de = dx_b - dx_a -
 * r_b~ dphi_b. a is in space axes and includes the multiplier; B is not touched. */
void ga_tangent_plane(const ga_pair *p, const double *a, ga_tangent *t) {
  double A[9], X[9];
  ga_plus3(t->f + GA_XA, -1, a, t->f + GA_XA);
  ga_plus3(t->f + GA_XB, 1, a, t->f + GA_XB);
  ga_add_cross3(1, a, p->e, t->f + GA_PA);
  ga_add_cross3(1, p->rb, a, t->f + GA_PB);
  ga_skew3(a, A);
  ga_add_block(t->A, GA_XA, GA_PA, 1, A);
  ga_add_block(t->A, GA_XB, GA_PA, -1, A);
  ga_add_block(t->A, GA_PA, GA_XA, -1, A);
  ga_add_block(t->A, GA_PA, GA_XB, 1, A);
  ga_skew_skew3(p->e, a, X);
  ga_add_block(t->A, GA_PA, GA_PA, 1, X);
  ga_skew_skew3(a, p->rb, X);
  ga_add_block(t->A, GA_PA, GA_PB, -1, X);
  ga_add_block(t->A, GA_PB, GA_PB, 1, X);
  ga_skew_skew3(p->rb, a, X);
  ga_add_block(t->A, GA_PB, GA_PA, -1, X);
}

/* t->A += s times the derivative of f = (0, n, 0, -n), where dn = S dphi_a - S^T dphi_b, S = b~
 * a~. */
static void add_dot(const double *S, double s, ga_tangent *t) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const double by_a = s * S[3 * i + j], by_b = s * S[3 * j + i];
      t->A[GA_PA + i][GA_PA + j] += by_a;
      t->A[GA_PB + i][GA_PA + j] -= by_a;
      t->A[GA_PA + i][GA_PB + j] -= by_b;
      t->A[GA_PB + i][GA_PB + j] += by_b;
    }
  }
}

/* t->f += f = (0, n, 0, -n), t->A += its derivatives; S = sum of lam b~ a~ (3 x 3), n = sum of
 * lam a x b, over rows a.b with multipliers lam. B is not touched. */
void ga_tangent_dot(const double *S, const double *n, ga_tangent *t) {
  ga_plus3(t->f + GA_PA, 1, n, t->f + GA_PA);
  ga_plus3(t->f + GA_PB, -1, n, t->f + GA_PB);
  add_dot(S, 1, t);
}

/* t->A += c J1 J2^T, a 12 x 12 outer product. */
void ga_tangent_outer(double c, const double *J1, const double *J2, ga_tangent *t) {
  for (int i = 0; i < GA_PAIR; i++) {
    const double factor = c * J1[i];
    for (int j = 0; j < GA_PAIR; j++) t->A[i][j] += factor * J2[j];
  }
}

/* t->f += lam J of a row atan2(u, w), t->A += its derivatives; Su, Sw: b~ a~ of the rows u and w,
 * lam: the multiplier. Nothing is added where the angle is not defined. */
void ga_tangent_angle(const ga_row *u, const ga_row *w, const double *Su, const double *Sw,
                      double lam, ga_tangent *t) {
  arc h;
  if (!arc_derivatives(u->value, w->value, NO_ANGLE, &h)) return;
  for (int i = 0; i < GA_PAIR; i++) t->f[i] += lam * (h.u * u->J[i] + h.w * w->J[i]);
  add_dot(Su, lam * h.u, t);
  add_dot(Sw, lam * h.w, t);
  ga_tangent_outer(lam * h.uu, u->J, u->J, t);
  ga_tangent_outer(lam * h.uw, u->J, w->J, t);
  ga_tangent_outer(lam * h.uw, w->J, u->J, t);
  ga_tangent_outer(lam * h.ww, w->J, w->J, t);
}

/* M(., column) += derivative of f = (-phi, -r_a x phi, phi, r_b x phi) if phi changes by X times
 * the 3 variations from `column` on. */
static void add_point_force_rows(const ga_pair *p, const double *X, int column,
                                 double (*M)[GA_PAIR]) {
  double Ra[9], Rb[9], Y[9];
  ga_skew3(p->ra, Ra);
  ga_skew3(p->rb, Rb);
  ga_add_block(M, GA_XA, column, -1, X);
  ga_add_block(M, GA_XB, column, 1, X);
  ga_product3(Ra, X, Y);
  ga_add_block(M, GA_PA, column, -1, Y);
  ga_product3(Rb, X, Y);
  ga_add_block(M, GA_PB, column, 1, Y);
}

/* M += derivative of f = (-phi, -r_a x phi, phi, r_b x phi) where phi changes by X dd, dd = -dx_a +
 * r_a~ dphi_a + dx_b - r_b~ dphi_b. Serves derivatives by d and by d' alike. */
static void add_point_force(const ga_pair *p, const double *X, double (*M)[GA_PAIR]) {
  double Ra[9], Rb[9], Y[9], minus[9];
  ga_skew3(p->ra, Ra);
  ga_skew3(p->rb, Rb);
  for (int i = 0; i < 9; i++) minus[i] = -X[i], Rb[i] = -Rb[i];
  add_point_force_rows(p, minus, GA_XA, M);
  add_point_force_rows(p, X, GA_XB, M);
  ga_product3(X, Ra, Y);
  add_point_force_rows(p, Y, GA_PA, M);
  ga_product3(X, Rb, Y);
  add_point_force_rows(p, Y, GA_PB, M);
}

/* t->f += f of a force phi at p_b and -phi at p_a (space axes), t->A and t->B += its derivatives.
 * by_d, by_rate: 3 x 3 derivatives of phi by d and d', NULL: zero; by_rate needs t->damped. Beside
 * by_d dd, the arms r turn (moments), and d' changes with the rotations dphi of a body by
 * omega x (dphi x r) = -omega~ r~ dphi. */
void ga_tangent_points(const ga_pair *p, const double *phi, const double *by_d,
                       const double *by_rate, ga_tangent *t) {
  double X[9], Y[9];
  ga_plus3(t->f + GA_XA, -1, phi, t->f + GA_XA);
  ga_plus3(t->f + GA_XB, 1, phi, t->f + GA_XB);
  ga_add_cross3(-1, p->ra, phi, t->f + GA_PA);
  ga_add_cross3(1, p->rb, phi, t->f + GA_PB);
  if (by_d) add_point_force(p, by_d, t->A);
  ga_skew_skew3(phi, p->ra, X);
  ga_add_block(t->A, GA_PA, GA_PA, -1, X);
  ga_skew_skew3(phi, p->rb, X);
  ga_add_block(t->A, GA_PB, GA_PB, 1, X);
  if (!by_rate) return;
  add_point_force(p, by_rate, t->B);
  ga_skew_skew3(p->a->w, p->ra, X);
  ga_product3(by_rate, X, Y);
  add_point_force_rows(p, Y, GA_PA, t->A);
  ga_skew_skew3(p->b->w, p->rb, X);
  ga_product3(by_rate, X, Y);
  for (int i = 0; i < 9; i++) Y[i] = -Y[i];
  add_point_force_rows(p, Y, GA_PB, t->A);
}

/* 1e-12 of the lengths, squared */
double ga_pair_meets(const ga_pair *p) {
  const double *xa = p->a->x, *xb = p->b->x;
  return 1e-24 *
         (ga_dot3(xa, xa) + ga_dot3(xb, xb) + ga_dot3(p->ra, p->ra) + ga_dot3(p->rb, p->rb));
}

/* ---- the angle of d -------------------------------------------------------------------------- */

/* *q <- p with A and B exchanged, so that q->d = -d. */
static void mirror(const ga_pair *p, ga_pair *q) {
  q->a = p->b, q->b = p->a;
  q->curved = p->curved;
  memcpy(q->ra, p->rb, sizeof q->ra);
  memcpy(q->rb, p->ra, sizeof q->rb);
  memcpy(q->Ua, p->Ub, sizeof q->Ua);
  memcpy(q->Ub, p->Ua, sizeof q->Ub);
  for (int i = 0; i < 3; i++) {
    q->d[i] = -p->d[i];
    q->e[i] = p->rb[i] - p->d[i];
    q->ed[i] = p->a->xd[i] - p->b->xd[i];
  }
  ga_add_cross3(1, p->a->w, p->ra, q->ed);
}

/* u <- y.d and w <- x.d, axes of A, and *h <- the derivatives of atan2(u, w). False where d is along
 * z. */
static bool bearing_rows(const ga_pair *p, double axis[2][3], ga_row *u, ga_row *w, arc *h) {
  for (int k = 0; k < 2; k++) ga_column3(p->Ua, k, axis[k]);
  ga_row_plane(p, axis[1], u);
  ga_row_plane(p, axis[0], w);
  return arc_derivatives(u->value, w->value, ga_pair_meets(p), h);
}

/* J v of a row */
static double row_rate(const ga_row *row, const ga_pair *p) {
  return ga_dot3(row->J + GA_XA, p->a->xd) + ga_dot3(row->J + GA_PA, p->a->w) +
         ga_dot3(row->J + GA_XB, p->b->xd) + ga_dot3(row->J + GA_PB, p->b->w);
}

/* *row <- the angle of d about z of A (side 0): atan2(u, w), u = y.d, w = x.d, with its J and (if
 * p->curved) Z by the chain rule. As seen from B (side 1) it is the angle of -d' of the exchanged
 * pair: u, w have the other sign, the derivatives of atan2 the same. False where d is along z. */
bool ga_row_bearing(const ga_pair *p, int side, ga_row *row) {
  ga_pair other;
  ga_row u, w;
  arc h;
  double axis[2][3];
  const int half = side ? GA_XB : GA_XA;
  const double sign = side ? -1 : 1;
  if (side) {
    mirror(p, &other);
    p = &other;
  }
  if (!bearing_rows(p, axis, &u, &w, &h)) return false;
  row->value = atan2(sign * u.value, sign * w.value);
  for (int i = 0; i < GA_PAIR; i++) {
    row->J[(i + half) % GA_PAIR] = h.u * u.J[i] + h.w * w.J[i];
  }
  if (!p->curved) return true;
  const double ud = row_rate(&u, p), wd = row_rate(&w, p);
  const double by_u = h.uu * ud + h.uw * wd, by_w = h.uw * ud + h.ww * wd;
  for (int i = 0; i < GA_PAIR; i++) {
    row->Z[(i + half) % GA_PAIR] = h.u * u.Z[i] + h.w * w.Z[i] + by_u * u.J[i] + by_w * w.J[i];
  }
  return true;
}

/* t->f += lam J of the angle of d about z of a side, t->A += its derivatives. Nothing is added where
 * it is not defined. */
void ga_tangent_bearing(const ga_pair *p, int side, double lam, ga_tangent *t) {
  ga_pair other;
  ga_row u, w;
  arc h;
  double axis[2][3], a[3];
  ga_tangent own;
  const int half = side ? GA_XB : GA_XA;
  if (side) {
    mirror(p, &other);
    p = &other;
  }
  if (!bearing_rows(p, axis, &u, &w, &h)) return;
  for (int i = 0; i < 3; i++) a[i] = lam * (h.u * axis[1][i] + h.w * axis[0][i]);
  ga_tangent_clear(&own, /* by velocities: */ false);
  ga_tangent_plane(p, a, &own);
  ga_tangent_outer(lam * h.uu, u.J, u.J, &own);
  ga_tangent_outer(lam * h.uw, u.J, w.J, &own);
  ga_tangent_outer(lam * h.uw, w.J, u.J, &own);
  ga_tangent_outer(lam * h.ww, w.J, w.J, &own);
  for (int i = 0; i < GA_PAIR; i++) {
    const int row = (i + half) % GA_PAIR;
    t->f[row] += own.f[i];
    for (int j = 0; j < GA_PAIR; j++) t->A[row][(j + half) % GA_PAIR] += own.A[i][j];
  }
}
