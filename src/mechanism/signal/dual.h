/* SPDX-License-Identifier: MIT */
/* Numbers with their derivatives by two frames: f and d = df by (dx_a, dphi_a, dx_b, dphi_b, dx_a',
 * domega_a, dx_b', domega_b). Measures of bodies and sensors are written once, with these numbers:
 * value and derivatives come from the same formula. A variation of R is dR = dphi~ R, so that a
 * vector r fixed on a body changes by dphi x r. n = 0: no derivatives are wanted, d is not used. */
#ifndef GA_SRC_DUAL_H
#define GA_SRC_DUAL_H

#include <math.h>

#include "mechanism/evaluate/frame_pair.h"

enum { GA_DUAL_RATES = GA_PAIR, GA_DUAL = 2 * GA_PAIR }; /* where derivatives by x' begin; all */

typedef struct ga_dual {
  int n; /* GA_DUAL or 0 */
  double f, d[GA_DUAL];
} ga_dual;

/* h(x) with the value h and the derivative h1 */
static inline ga_dual ga_dual_chain(const ga_dual *x, double h, double h1) {
  ga_dual r = {.n = x->n, .f = h};
  for (int i = 0; i < x->n; i++) r.d[i] = h1 * x->d[i];
  return r;
}

/* h(x, y) with the value h and the derivatives hx, hy */
static inline ga_dual ga_dual_chain2(const ga_dual *x, const ga_dual *y, double h, double hx,
                                     double hy) {
  ga_dual r = {.n = x->n, .f = h};
  for (int i = 0; i < x->n; i++) r.d[i] = hx * x->d[i] + hy * y->d[i];
  return r;
}

/* x + s y */
static inline ga_dual ga_dual_plus(const ga_dual *x, double s, const ga_dual *y) {
  return ga_dual_chain2(x, y, x->f + s * y->f, 1, s);
}

static inline ga_dual ga_dual_times(const ga_dual *x, const ga_dual *y) {
  return ga_dual_chain2(x, y, x->f * y->f, y->f, x->f);
}

/* x.y of vectors */
static inline ga_dual ga_dual_dot(const ga_dual x[3], const ga_dual y[3]) {
  ga_dual r = ga_dual_times(&x[0], &y[0]);
  for (int i = 1; i < 3; i++) {
    const ga_dual term = ga_dual_times(&x[i], &y[i]);
    r = ga_dual_plus(&r, 1, &term);
  }
  return r;
}

/* c = x cross y */
static inline void ga_dual_cross(const ga_dual x[3], const ga_dual y[3], ga_dual c[3]) {
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const ga_dual p = ga_dual_times(&x[i], &y[j]), m = ga_dual_times(&x[j], &y[i]);
    c[k] = ga_dual_plus(&p, -1, &m);
  }
}

/* |x|; derivatives are 0 where it vanishes */
static inline ga_dual ga_dual_norm(const ga_dual x[3]) {
  const ga_dual square = ga_dual_dot(x, x);
  const double size = sqrt(square.f);
  return ga_dual_chain(&square, size, size > 0 ? 0.5 / size : 0);
}

/* atan2(y, x); derivatives are 0 where both vanish */
static inline ga_dual ga_dual_atan2(const ga_dual *y, const ga_dual *x) {
  const double r2 = x->f * x->f + y->f * y->f, s = r2 > 0 ? 1 / r2 : 0;
  return ga_dual_chain2(y, x, atan2(y->f, x->f), s * x->f, -s * y->f);
}

/* out = three numbers that are variations themselves, from column `at` on */
static inline void ga_dual_plain(const double *value, int n, int at, ga_dual out[3]) {
  for (int i = 0; i < 3; i++) {
    out[i] = (ga_dual){.n = n, .f = value[i]};
    if (n) out[i].d[at + i] = 1;
  }
}

/* Centre of mass, its velocity and omega of side 0 (A) or 1 (B). */
static inline void ga_dual_centre(const ga_frame *f, int side, int n, ga_dual x[3]) {
  ga_dual_plain(f->x, n, side ? GA_XB : GA_XA, x);
}
static inline void ga_dual_speed(const ga_frame *f, int side, int n, ga_dual xd[3]) {
  ga_dual_plain(f->xd, n, GA_DUAL_RATES + (side ? GA_XB : GA_XA), xd);
}
static inline void ga_dual_omega(const ga_frame *f, int side, int n, ga_dual w[3]) {
  ga_dual_plain(f->w, n, GA_DUAL_RATES + (side ? GA_PB : GA_PA), w);
}

/* r = R s, s fixed on the body: dr = dphi x r */
static inline void ga_dual_fixed(const ga_frame *f, int side, int n, const double *s,
                                 ga_dual r[3]) {
  double value[3];
  const int phi = side ? GA_PB : GA_PA;
  ga_times3(f->R, s, value);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    r[i] = (ga_dual){.n = n, .f = value[i]};
    if (!n) continue;
    r[i].d[phi + j] = value[k];
    r[i].d[phi + k] = -value[j];
  }
}

/* Position p = x + R s and velocity x' + omega x R s of a point of a body. */
static inline void ga_dual_point(const ga_frame *f, int side, int n, const double *s, ga_dual p[3],
                                 ga_dual v[3]) {
  ga_dual x[3], r[3], w[3], wr[3];
  ga_dual_fixed(f, side, n, s, r);
  ga_dual_centre(f, side, n, x);
  for (int i = 0; i < 3; i++) p[i] = ga_dual_plus(&x[i], 1, &r[i]);
  ga_dual_speed(f, side, n, x);
  ga_dual_omega(f, side, n, w);
  ga_dual_cross(w, r, wr);
  for (int i = 0; i < 3; i++) v[i] = ga_dual_plus(&x[i], 1, &wr[i]);
}

/* R^T y: components of y in the axes of a body */
static inline void ga_dual_own(const ga_frame *f, int side, int n, const ga_dual y[3],
                               ga_dual own[3]) {
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    ga_dual axis[3];
    ga_dual_fixed(f, side, n, e, axis);
    own[i] = ga_dual_dot(axis, y);
  }
}

#endif
