/* SPDX-License-Identifier: MIT */
/* Two bodies of all kinds, to put elements between them, and the check of their derivatives. */
#ifndef GA_TESTS_ELEMENT_SETTINGS_H
#define GA_TESTS_ELEMENT_SETTINGS_H

#include "mechanisms.h"
#include "model_point.h"

/* Two bodies somewhere, turned and not symmetric, and what kinds they are. */
typedef struct {
  const char *text;
  ga_body_type type[2];
  ga_formulation formulation[2];
  const char *between[2]; /* what elements join */
} setting;

static const setting settings[] = {
    {"r3so3-r3so3", {0}, {GA_FORMULATION_R3SO3, GA_FORMULATION_R3SO3}, {"one", "two"}},
    {"se3-se3", {0}, {GA_FORMULATION_SE3, GA_FORMULATION_SE3}, {"one", "two"}},
    {"se3-r3so3", {0}, {GA_FORMULATION_SE3, GA_FORMULATION_R3SO3}, {"two", "one"}},
    {"ground-r3so3", {0}, {GA_FORMULATION_R3SO3, GA_FORMULATION_R3SO3}, {"ground", "two"}},
    {"se3-ground", {0}, {GA_FORMULATION_SE3, GA_FORMULATION_SE3}, {"one", "ground"}},
    {"planar-planar", {GA_BODY_PLANAR, GA_BODY_PLANAR}, {0}, {"one", "two"}},
    {"ground-planar", {GA_BODY_PLANAR, GA_BODY_PLANAR}, {0}, {"ground", "two"}},
    {"se3-point", {GA_BODY_RIGID, GA_BODY_POINT}, {GA_FORMULATION_SE3}, {"one", "two"}},
    {"point-point", {GA_BODY_POINT, GA_BODY_POINT}, {0}, {"one", "two"}},
};
enum { NSETTING = (int)(sizeof settings / sizeof settings[0]) };

static inline bool is_planar(const setting *s) {
  return s->type[0] == GA_BODY_PLANAR;
}

static inline ga_mechanism *bodies_of(const setting *s) {
  ga_mechanism *m = mechanism_new((const double[3]){1.5, -2, 3});
  for (int i = 0; i < 2; i++) {
    ga_body b = {.name = i ? "two" : "one",
                 .type = s->type[i],
                 .formulation = s->formulation[i],
                 .mass = 1.2 + i,
                 .position = {0.3 + 0.7 * i, -0.4 + i}};
    if (b.type != GA_BODY_POINT) {
      memcpy(b.com, (double[3]){0.1, -0.2 * i}, sizeof b.com);
      b.inertia[2] = 0.8 + i;
    }
    if (b.type == GA_BODY_PLANAR) b.angle = 0.4 - i;
    if (b.type != GA_BODY_PLANAR) b.position[2] = 0.5 - 0.8 * i;
    if (b.type == GA_BODY_RIGID) {
      const double inertia[6] = {0.7 + i, 0.9, 0.8 + i, 0.05, -0.1, 0.2 * i};
      const double p[4] = {0.8, 0.36, -0.48, 0};
      memcpy(b.inertia, inertia, sizeof inertia);
      memcpy(b.orientation, p, sizeof p);
      b.com[2] = 0.15;
    }
    ga_error err = {0};
    must(ga_mechanism_add_body(m, &b, &err), &err);
  }
  return m;
}

/* The model checked as if it were one of the test problems; the mechanism is freed. */
static inline void check(ga_mechanism *m, const char *name) {
  build(m);
  const ga_model *model = ga_mechanism_model(m);
  double q0[NMAX], v0[NMAX];
  memcpy(q0, ga_mechanism_q0(m), (size_t)ga_space_nq(model->space) * sizeof *q0);
  memcpy(v0, ga_mechanism_v0(m), (size_t)ga_space_nv(model->space) * sizeof *v0);
  const ga_problem p = {.name = name, .model = *model, .q0 = q0, .v0 = v0};
  print_message("%s\n", name);
  check_derivatives(&p);
  for (int which = 0; which < NSTATE; which++) {
    const point s = point_state(&p, which);
    ga_error err = {0};
    must(ga_model_check_derivatives(model, s.t, s.q, s.v, NULL, &err), &err);
  }
  ga_mechanism_free(m);
}

#endif
