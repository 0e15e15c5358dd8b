/* SPDX-License-Identifier: MIT */
/* Random trees of bodies over all types of joints, some of them taken backwards, with elements between
 * branches and joints that close loops; the same mechanism in both coordinates. */
#ifndef GA_TESTS_RANDOM_TREE_H
#define GA_TESTS_RANDOM_TREE_H

#include "mechanisms.h"
#include "model_point.h"

enum { TREE_BODIES = 5 };

typedef struct {
  unsigned seed;
  double far;         /* where it stands */
  bool loop, signals; /* a joint that closes a loop; functions of signals */
  const char *first;  /* type of the first joint; NULL: random */
  const char *closes; /* type of the joint that closes a loop; NULL: point_on_line */
  ga_coordinates coordinates;
} random_tree;

static const char *const tree_types[] = {
    "fixed",  "revolute",    "prismatic", "cylindrical",   "spherical",     "universal",
    "planar", "orientation", "parallel",  "point_on_line", "point_on_plane"};
enum { NTREE_TYPE = (int)(sizeof tree_types / sizeof tree_types[0]) };

static inline double tree_number(unsigned *seed) {
  double x;
  random_vector(seed, 1, 1, &x);
  return x;
}

static inline ga_point tree_place(unsigned *seed, double far) {
  double x[3];
  random_vector(seed, 3, 1, x);
  return (ga_point)GA_IN_SPACE(far + x[0], x[1] - far, x[2]);
}

/* A joint of this type between two bodies; point and axes are given in space, so that they fit. */
static inline void tree_joint(ga_mechanism *m, unsigned *seed, double far, const char *name,
                              const char *type, const char *a, const char *b) {
  ga_joint j = {.name = name, .type = type, .between = {a, b}, .at = tree_place(seed, far)};
  const double x = tree_number(seed), y = tree_number(seed);
  j.axis = (ga_point)GA_IN_SPACE(x, y, 1);
  j.x_axis = (ga_point)GA_IN_SPACE(1, 0, -x);
  ga_error err = {0};
  must(ga_mechanism_add_joint(m, &j, &err), &err);
}

static inline void tree_bodies(ga_mechanism *m, const random_tree *t, unsigned *seed,
                               char names[][16]) {
  for (int i = 0; i < TREE_BODIES; i++) {
    double x[3], turn[3], p[4], angle = 0;
    snprintf(names[i], 16, "b%d", i);
    random_vector(seed, 3, 1.5, x);
    random_vector(seed, 3, 1.2, turn);
    for (int k = 0; k < 3; k++) angle += turn[k] * turn[k];
    angle = sqrt(angle);
    p[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) p[1 + k] = sin(angle / 2) * turn[k] / angle;
    ADD(body, m, .name = names[i], .mass = 1 + 0.3 * i, .com = {0.1, -0.05 * i, 0.07},
        .inertia = {0.3 + 0.1 * i, 0.4, 0.35, 0.02, -0.03, 0.05},
        .position = {t->far + x[0], x[1] - t->far, x[2]}, .orientation = {p[0], p[1], p[2], p[3]});
  }
}

static inline void tree_forces(ga_mechanism *m, const random_tree *t, char names[][16]) {
  ADD(force, m, .name = "spring", .type = "spring",
      .between = {names[TREE_BODIES - 1], names[TREE_BODIES - 2]},
      .at = GA_ON_BOTH(0.3, -0.2, 0.5, 0.1, 0.6, -0.3), .stiffness = 20, .damping = 7);
  ADD(force, m, .name = "stay", .type = "spring", .between = {"ground", names[1]},
      .at = GA_ON_BOTH(t->far + 3, 2 - t->far, 1, 0.1, 0.6, -0.3), .stiffness = 5, .damping = 1);
  ADD(force, m, .name = "push", .type = "force", .body = names[2], .frame = GA_FORCE_BODY,
      .at = {GA_SIDE_A, {0.3, -0.2, 0.5}, {0}},
      .value = {{.constant = 1.5}, {.text = "cos(t)"}, {.constant = 0.7}});
  ADD(force, m, .name = "turn", .type = "torque", .body = names[3],
      .value = {{.constant = 1}, {.text = "t - 2"}, {.constant = 3}});
  if (!t->signals) return;
  ADD(force, m, .name = "law", .type = "force", .body = names[4],
      .at = {GA_SIDE_A, {0.1, 0.2, 0.1}, {0}},
      .value = {{.text = "sin(b1.wx) - b2.y*b4.vx"}, {.constant = 1}, {.text = "0.3*b3.body_vx"}});
}

static inline ga_mechanism *tree_new(const random_tree *t) {
  unsigned seed = t->seed;
  char names[TREE_BODIES][16];
  ga_mechanism *m = mechanism_new((const double[3]){1.5, -2, 3});
  tree_bodies(m, t, &seed, names);
  for (int i = 0; i < TREE_BODIES; i++) {
    char name[16];
    snprintf(name, sizeof name, "j%d", i);
    const double pick = 0.5 + 0.5 * tree_number(&seed), back = tree_number(&seed);
    const double which = 0.5 + 0.5 * tree_number(&seed);
    const int k = (int)(0.999 * pick * NTREE_TYPE), parent = (int)(0.999 * which * (i + 1)) - 1;
    const char *type = i == 0 && t->first ? t->first : tree_types[k];
    const char *from = parent < 0 ? "ground" : names[parent];
    tree_joint(m, &seed, t->far, name, type, back < 0 ? names[i] : from,
               back < 0 ? from : names[i]);
  }
  const char *closes = t->closes ? t->closes : "point_on_line";
  if (t->loop) tree_joint(m, &seed, t->far, "cut", closes, names[4], names[3]);
  tree_forces(m, t, names);
  assert_int_equal(ga_mechanism_set_coordinates(m, t->coordinates), GA_OK);
  return m;
}

#endif
