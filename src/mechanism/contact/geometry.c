/* SPDX-License-Identifier: MIT */
/* Gaps, normals and contact points of pairs of surfaces (geometry.h). */
#include "mechanism/contact/geometry.h"

#include <string.h>

/* The contact c = -r m, m = (n - nu a)/sigma, nu = n.a, and
 * dc = -(r/sigma)(I - m m^T)(dn - nu da - a dnu),  dnu = a.dn + n.da. */
bool ga_disk_contact(const double *n, const double *a, double r, double flat, double *sigma,
                     ga_moving *c) {
  double across[3], m[3], by_n[9], by_a[9];
  ga_moving dn, da;
  const double nu = ga_dot3(n, a);
  /* |n x a| keeps its digits where nu is near 1 */
  ga_cross3(n, a, across);
  *sigma = ga_norm3(across);
  if (!(*sigma > flat)) return false;
  for (int i = 0; i < 3; i++) m[i] = (n[i] - nu * a[i]) / *sigma;
  const double s = -r / *sigma;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const double P = (i == j) - m[i] * m[j];
      /* (I - m m^T) a = a */
      by_n[3 * i + j] = s * (P - a[i] * a[j]);
      by_a[3 * i + j] = s * (-nu * P - a[i] * n[j]);
    }
  }
  ga_moving_on(0, n, &dn);
  ga_moving_on(1, a, &da);
  memset(c, 0, sizeof *c);
  ga_moving_add(1, by_n, &dn, c);
  ga_moving_add(1, by_a, &da, c);
  for (int i = 0; i < 3; i++) c->t[i] = -r * m[i];
  return true;
}

/* dn <- X D, X a 3 x 3 matrix, D 3 x 12. */
static void times(const double *X, double (*D)[GA_PAIR], double (*dn)[GA_PAIR]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < GA_PAIR; j++) {
      dn[i][j] = X[3 * i] * D[0][j] + X[3 * i + 1] * D[1][j] + X[3 * i + 2] * D[2][j];
    }
  }
}

/* Sets t_1, t_2 of *at from the normal t[0] and its derivative. */
static void set_tangents(const ga_contact_shape *s, ga_touch_point *at) {
  const ga_moving *n = &at->t[0];
  if (s->planar) { /* t = n x e_z */
    static const double turn[9] = {0, 1, 0, -1, 0, 0, 0, 0, 0};
    memset(&at->t[1], 0, 2 * sizeof at->t[1]);
    ga_moving_add(1, turn, n, &at->t[1]);
    return;
  }
  double U[9], a[3], b[3], Q[9], seen[3][GA_PAIR];
  ga_moving own;
  ga_product3(at->pair.Ua, s->turn, U);
  ga_column3(U, 2, a);
  ga_moving_on(0, n->t, &own); /* n as seen from A: dn - dphi_a x n */
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < GA_PAIR; j++) seen[i][j] = n->D[i][j] - own.D[i][j];
  }
  static const double FAR = 0.2; /* 1 + a.n: about 143 degrees from a */
  const bool other = 1 + ga_dot3(a, n->t) < FAR;
  for (int i = 0; other && i < 3; i++) a[i] = -a[i];
  for (int k = 1; k < 3; k++) {
    double t[3], turned[3][GA_PAIR];
    ga_column3(U, k - 1, b);
    for (int i = 0; other && k == 2 && i < 3; i++) b[i] = -b[i];
    const double w = 1 / (1 + ga_dot3(a, n->t)), bn = ga_dot3(b, n->t) * w;
    /* dt = dphi_a x t - (a + n)(w b - w bn a).(dn - dphi_a x n) - bn (dn - dphi_a x n) */
    for (int i = 0; i < 3; i++) {
      t[i] = b[i] - bn * (a[i] + n->t[i]);
      for (int j = 0; j < 3; j++) {
        Q[3 * i + j] = -(a[i] + n->t[i]) * w * (b[j] - bn * a[j]) - bn * (i == j);
      }
    }
    ga_moving_on(0, t, &at->t[k]);
    times(Q, seen, turned);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < GA_PAIR; j++) at->t[k].D[i][j] += turned[i][j];
    }
  }
}

/* Two spheres: n = sign d/|d|, dn = sign (I - n n^T)/|d| dd. In the middle of a hollow sphere every
 * direction is as good: the gap is open there. */
static void spheres_at(const ga_contact_shape *s, ga_touch_point *at) {
  const double sign = s->kind == GA_SURFACES_INSIDE ? -1 : 1, *d = at->pair.d;
  const double size = ga_norm3(d);
  ga_moving *n = &at->t[0];
  at->g = s->kind == GA_SURFACES_INSIDE ? s->radius[0] - s->radius[1] - size
                                        : size - s->radius[0] - s->radius[1];
  memset(n, 0, sizeof *n);
  static const double MIDDLE = 1e-12; /* of the radii */
  if (!(size > MIDDLE * (s->radius[0] + s->radius[1]))) {
    double a[3];
    ga_column3(s->turn, 2, a);
    ga_times3(at->pair.Ua, a, n->t);
    return;
  }
  double D[3][GA_PAIR], X[9];
  for (int i = 0; i < 3; i++) n->t[i] = sign * d[i] / size;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) X[3 * i + j] = sign * ((i == j) - n->t[i] * n->t[j]) / size;
  }
  ga_moving_apart(&at->pair, D);
  times(X, D, n->D);
}

/* own, X <- unit normal and its derivative by z in the axes of a box with half edges `half`, at the
 * point z from its centre; returns the distance from the box, negative inside, where the nearest face
 * counts. */
static double box_normal(const double *half, const double *z, double *own, double *X) {
  double w[3], size = 0;
  int outside = 0, face = 0;
  for (int i = 0; i < 3; i++) {
    const double beyond = fabs(z[i]) - half[i];
    w[i] = beyond > 0 ? copysign(beyond, z[i]) : 0;
    outside += beyond > 0;
    if (beyond > fabs(z[face]) - half[face]) face = i;
  }
  memset(X, 0, 9 * sizeof *X);
  ga_zero3(own);
  if (outside < 2) { /* a face: the normal does not turn */
    own[face] = copysign(1, z[face]);
    return fabs(z[face]) - half[face];
  }
  size = ga_norm3(w);
  for (int i = 0; i < 3; i++) own[i] = w[i] / size;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      X[3 * i + j] = ((i == j && w[i] != 0) - own[i] * own[j]) / size;
    }
  }
  return size;
}

/* A box on A and a sphere on B. z = U_a^T d; n = U_a own(z); dz = U_a^T (dd - dphi_a x d), so that
 * dn = dphi_a x n + U_a X U_a^T (dd + d~ dphi_a). */
static void block_at(const ga_contact_shape *s, ga_touch_point *at) {
  double z[3], own[3], X[9], UX[9], S[9], n[3], D[3][GA_PAIR], turned[3][GA_PAIR];
  const double *U = at->pair.Ua;
  ga_times_t3(U, at->pair.d, z);
  at->g = box_normal(s->half, z, own, X) - s->radius[1];
  ga_times3(U, own, n);
  ga_moving_on(0, n, &at->t[0]);
  ga_moving_apart(&at->pair, D);
  ga_skew3(at->pair.d, S);
  ga_add_block(D, 0, GA_PA, 1, S);
  ga_product3(U, X, UX);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) X[3 * i + j] = ga_dot3(UX + 3 * i, U + 3 * j);
  }
  times(X, D, turned);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < GA_PAIR; j++) at->t[0].D[i][j] += turned[i][j];
  }
}

/* By balls about both: |d|, and the sizes r_a or the half diagonal of the box, and r_b. */
bool ga_contact_far(const ga_contact_shape *s, const ga_frame *a, const ga_frame *b, double *gap) {
  double pa[3], pb[3], d[3];
  ga_times3(a->R, s->side[0].s, pa);
  ga_times3(b->R, s->side[1].s, pb);
  ga_plus3(pa, 1, a->x, pa);
  ga_plus3(pb, 1, b->x, pb);
  ga_plus3(pb, -1, pa, d);
  const double size =
      s->radius[1] + (s->kind == GA_SURFACES_BLOCK ? ga_norm3(s->half) : s->radius[0]);
  *gap = size;
  return ga_dot3(d, d) > 4 * size * size;
}

/* Sets *at for the two frames; false where a disk lies flat. */
bool ga_contact_at(const ga_contact_shape *s, const ga_frame *a, const ga_frame *b,
                   ga_touch_point *at) {
  const bool plane = s->kind == GA_SURFACES_PLANE || s->kind == GA_SURFACES_DISK;
  ga_pair *p = &at->pair;
  ga_pair_points(p, true, a, b, s->side[0].s, s->side[1].s);
  ga_pair_axes(p, s->side[0].E, s->side[1].E);
  if (!plane) {
    if (s->kind == GA_SURFACES_BLOCK) {
      block_at(s, at);
    } else {
      spheres_at(s, at);
    }
    set_tangents(s, at);
  }
  for (int i = 0; plane && i < 3; i++) {
    double axis[3];
    ga_column3(p->Ua, i == 0 ? 2 : i - 1, axis);
    ga_moving_on(0, axis, &at->t[i]);
  }
  if (plane) at->g = ga_dot3(at->t[0].t, p->d) - s->radius[1];
  if (s->kind == GA_SURFACES_DISK) {
    static const double FLAT = 1e-3; /* rad: nearer to flat the contact runs around the rim */
    double axis[3], sigma;
    ga_column3(p->Ub, 2, axis);
    if (!ga_disk_contact(at->t[0].t, axis, s->radius[1], FLAT, &sigma, &at->c)) return false;
    at->g += s->radius[1] * (1 - sigma);
    return true;
  }
  memset(&at->c, 0, sizeof at->c);
  if (s->radius[1] > 0) ga_moving_add(-s->radius[1], NULL, &at->t[0], &at->c);
  return true;
}

/* *row <- row i: the gap (0), the slips along t_1 (1) and t_2 (2). */
void ga_contact_row(const ga_touch_point *at, int i, ga_row *row) {
  ga_touch_row(&at->pair, &at->c, &at->t[i], row);
  if (i == 0) row->value = at->g;
}
