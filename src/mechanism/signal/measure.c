/* SPDX-License-Identifier: MIT */
/* Measures of one body, and the distance of two points. */
#include <string.h>

#include "mechanism/signal/signal.h"

/* ends of the names of a body's components, in the order of ga_measure_body; kinds: which bodies
 * have them (bits: rigid, planar, point) */
enum { RIGID = 1, PLANAR = 2, POINT = 4, PLANE = RIGID | PLANAR | POINT, SPACE = RIGID | POINT };
static const struct {
  const char *end;
  unsigned kinds;
} components[] = {{".x", PLANE},
                  {".y", PLANE},
                  {".z", SPACE},
                  {".e0", RIGID},
                  {".e1", RIGID},
                  {".e2", RIGID},
                  {".e3", RIGID},
                  {".angle", PLANAR},
                  {".vx", PLANE},
                  {".vy", PLANE},
                  {".vz", SPACE},
                  {".wx", RIGID},
                  {".wy", RIGID},
                  {".wz", RIGID},
                  {".rate", PLANAR},
                  {".body_vx", RIGID | PLANAR},
                  {".body_vy", RIGID | PLANAR},
                  {".body_vz", RIGID},
                  {".body_wx", RIGID},
                  {".body_wy", RIGID},
                  {".body_wz", RIGID}};
enum { NCOMPONENT = (int)(sizeof components / sizeof components[0]) };
_Static_assert((int)NCOMPONENT <= (int)GA_MEASURES_MAX, "room for the measures of a body");

/* Number of the component whose name ends like this; -1: bodies of this kind have none. */
int ga_body_measure_named(const ga_body_kind *kind, const char *end) {
  const unsigned bit = kind->planar ? PLANAR : kind->point ? POINT : RIGID;
  for (int i = 0; i < NCOMPONENT && !kind->fixed; i++) {
    if (components[i].kinds & bit && strcmp(components[i].end, end) == 0) return i;
  }
  return -1;
}

/* e0 .. e3 of a unit quaternion p: dp = (0, dphi) p/2, dphi in space axes. */
static void measure_quaternion(const double *p, int n, ga_dual *out) {
  for (int i = 0; i < 4; i++) out[i] = (ga_dual){.n = n, .f = p[i]};
  for (int k = 0; k < 3 && n; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    out[0].d[GA_PA + k] = -0.5 * p[1 + k];
    out[1 + k].d[GA_PA + k] = 0.5 * p[0];
    out[1 + i].d[GA_PA + k] = -0.5 * p[1 + j];
    out[1 + j].d[GA_PA + k] = 0.5 * p[1 + i];
  }
}

/* All components of the body on side A: origin of its frame, orientation, velocities in space and
 * in body axes. */
void ga_measure_body(const ga_measure_point *p, ga_dual *out) {
  const ga_solid *b = p->solid;
  const ga_frame *f = p->frame[0];
  const double origin[3] = {-b->com[0], -b->com[1], -b->com[2]};
  ga_dual x[3], v[3], w[3];
  ga_dual_point(f, 0, p->n, origin, x, v);
  ga_dual_omega(f, 0, p->n, w);
  memcpy(out, x, sizeof x);
  for (int i = 3; i < 8; i++) out[i] = (ga_dual){.n = p->n};
  if (b->kind->turn_phi) measure_quaternion(p->turn, p->n, out + 3);
  if (b->kind->planar) {
    out[7].f = p->turn[0];
    if (p->n) out[7].d[GA_PA + 2] = 1;
  }
  memcpy(out + 8, v, sizeof v);
  memcpy(out + 11, w, sizeof w);
  out[14] = w[2];
  ga_dual_own(f, 0, p->n, v, out + 15);
  ga_dual_own(f, 0, p->n, w, out + 18);
}

/* d, rate <- p_b - p_a of two points and its rate. The difference of the centres comes first, so that
 * d is accurate far from the origin, too. */
void ga_measure_between(const ga_measure_point *p, const double (*s)[3], ga_dual d[3],
                        ga_dual rate[3]) {
  ga_dual centre[2][3], arm[2][3], point[3], v[2][3];
  for (int side = 0; side < 2; side++) {
    ga_dual_centre(p->frame[side], side, p->n, centre[side]);
    ga_dual_fixed(p->frame[side], side, p->n, s[side], arm[side]);
    ga_dual_point(p->frame[side], side, p->n, s[side], point, v[side]);
  }
  for (int i = 0; i < 3; i++) {
    const ga_dual apart = ga_dual_plus(&centre[1][i], -1, &centre[0][i]);
    const ga_dual arms = ga_dual_plus(&arm[1][i], -1, &arm[0][i]);
    d[i] = ga_dual_plus(&apart, 1, &arms);
    rate[i] = ga_dual_plus(&v[1][i], -1, &v[0][i]);
  }
}

/* out[0], [1] <- |d|, d from the point on A to that on B, and its rate d.d'/|d|; at |d| = 0 the rate
 * is |d'|. data: the two points from the centres of mass, body axes. */
void ga_measure_distance(const ga_measure_point *p, ga_dual *out) {
  ga_dual d[3], rate[3];
  ga_measure_between(p, p->data, d, rate);
  out[0] = ga_dual_norm(d);
  if (out[0].f > 0) {
    const ga_dual along = ga_dual_dot(d, rate);
    const double s = 1 / out[0].f;
    out[1] = ga_dual_chain2(&along, &out[0], along.f * s, s, -along.f * s * s);
  } else {
    out[1] = ga_dual_norm(rate);
  }
}
