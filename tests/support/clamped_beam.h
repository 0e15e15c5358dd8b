/* SPDX-License-Identifier: MIT */
/* A clamped beam at rest under dead loads, for tests. */
#ifndef GA_TESTS_CLAMPED_BEAM_H
#define GA_TESTS_CLAMPED_BEAM_H

#include <genalpha/ga_beam.h>

#include "mechanisms.h"

enum { CLAMPED_ELEMENTS_MOST = 64 };

/* EA = GA = 1e6, all others 1 */
#define UNIT_SECTION                                                                   \
  {                                                                                    \
    .EA = 1e6, .GA = {1e6, 1e6}, .GJ = 1, .EI = {1, 1}, .rhoA = 1, .rhoI = { 1, 1, 1 } \
  }

/* A clamped beam with a dead force and torque at its tip. */
typedef struct {
  int n; /* elements, at most CLAMPED_ELEMENTS_MOST */
  ga_beam_section section;
  ga_beam_stiffness stiffness;
  bool bend; /* the bend of 45 degrees, radius 100; else a line of length 1 along x */
  double force[3], torque[3], gravity[3];
  double load[3]; /* per length */
  double damping; /* of all strain rates, s */
  bool curved;    /* without stress it is an arc of radius 1 from the same start, normal y */
} clamped;

static inline ga_mechanism *clamped_beam(const clamped *c) {
  static const double o[3], ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0};
  ga_mechanism *m = mechanism_new(c->gravity);
  ga_beam_node nodes[CLAMPED_ELEMENTS_MOST + 1], reference[CLAMPED_ELEMENTS_MOST + 1];
  ga_error err = {0};
  assert_true(c->n <= CLAMPED_ELEMENTS_MOST);
  must(c->bend ? ga_beam_arc(o, ex, ey, 100, pi_ / 4, NULL, c->n, nodes, &err)
               : ga_beam_line(o, ex, ey, c->n, nodes, &err),
       &err);
  if (c->curved) must(ga_beam_arc(o, ex, ey, 1, 1, NULL, c->n, reference, &err), &err);
  const ga_beam beam = {
      .name = "arm",
      .elements = c->n,
      .nodes = nodes,
      .reference = c->curved ? reference : NULL,
      .section = c->section,
      .load = {c->load[0], c->load[1], c->load[2]},
      .damping = {c->damping, c->damping, c->damping, c->damping, c->damping, c->damping},
      .stiffness = c->stiffness};
  must(ga_mechanism_beam(m, &beam, &err), &err);
  ADD(joint, m, .name = "clamp", .type = "fixed", .between = {"ground", "arm.start"});
  ADD(force, m, .name = "f", .type = "force", .body = "arm.end",
      .value = {{.constant = c->force[0]}, {.constant = c->force[1]}, {.constant = c->force[2]}});
  ADD(force, m, .name = "m", .type = "torque", .body = "arm.end",
      .value = {
          {.constant = c->torque[0]}, {.constant = c->torque[1]}, {.constant = c->torque[2]}});
  build(m);
  return m;
}

/* x (3) <- the tip at rest; the number of negative eigenvalues of the tangent */
static inline int tip_at_rest(const clamped *c, double *x) {
  ga_mechanism *m = clamped_beam(c);
  double q[7 * (CLAMPED_ELEMENTS_MOST + 1)];
  memcpy(q, ga_mechanism_q0(m), 7 * ((size_t)c->n + 1) * sizeof *q);
  ga_equilibrium e = {0};
  ga_error err = {0};
  must(ga_mechanism_equilibrium(m, 0, q, &e, &err), &err);
  memcpy(x, q + 7 * c->n, 3 * sizeof *x);
  ga_mechanism_free(m);
  return e.negative;
}

/* hertz <- the three lowest frequencies of the beam as it stands at the start */
static inline void lowest_frequencies(const clamped *c, double *hertz) {
  enum { ROOM = 6 * (CLAMPED_ELEMENTS_MOST + 1) };
  ga_mechanism *m = clamped_beam(c);
  double re[ROOM], im[ROOM];
  ga_modes modes = {.room = ROOM, .re = re, .im = im};
  ga_error err = {0};
  must(ga_mechanism_modes(m, 0, ga_mechanism_q0(m), ga_mechanism_v0(m), false, &modes, &err), &err);
  for (int i = 0; i < 3; i++) hertz[i] = im[i] / (2 * pi_);
  ga_mechanism_free(m);
}

/* fails unless x = (a, b, c) to tol times the largest of them */
static inline void near3(const char *what, const double *x, double a, double b, double c,
                         double tol) {
  const double expected[3] = {a, b, c};
  const double size = fmax(fabs(a), fmax(fabs(b), fabs(c)));
  for (int i = 0; i < 3; i++) {
    print_message("%s, component %d: %.1e of the largest\n", what, i,
                  fabs(x[i] - expected[i]) / size);
    if (fabs(x[i] - expected[i]) <= tol * size) continue;
    fail_msg("%s: component %d is %.12g, expected %.12g", what, i, x[i], expected[i]);
  }
}

#endif
