/* SPDX-License-Identifier: MIT */
/* Random mechanisms that have joint coordinates, as files; see coordinates.h. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinates.h"

enum { BODIES = 8, COORDINATES = 3 * (BODIES + 1) };

typedef struct tree {
  uint64_t seed, *r;
  double at[BODIES][3], far;
  int nbody, njoint, freedoms;
  bool loops;
  char coordinate[COORDINATES][24]; /* of joints in the tree, not yet driven */
  int ncoordinate;
  FILE *bodies, *joints, *drives, *couplers, *controllers, *forces;
} tree;

static void say_vector(FILE *to, uint64_t *r, double size) {
  fprintf(to, "[%.4f, ", hard_uniform(r, -size, size));
  fprintf(to, "%.4f, ", hard_uniform(r, -size, size));
  fprintf(to, "%.4f]", hard_uniform(r, -size, size));
}

static const char *body_name(int i, char name[16]) {
  snprintf(name, 16, i < 0 ? "ground" : "b%d", i);
  return name;
}

/* turns: with an angular velocity, which its joint must leave free */
static void say_body(tree *t, bool turns) {
  const int i = t->nbody++;
  double *x = t->at[i];
  const double mass = hard_log_uniform(t->r, 0.3, 3), J = mass * hard_uniform(t->r, 0.03, 0.15);
  for (int k = 0; k < 3; k++) x[k] = hard_uniform(t->r, -1, 1);
  fprintf(t->bodies, "  b%d: {mass: %.4f, inertia: [%.5f, %.5f, %.5f], ", i, mass, J, 1.3 * J,
          0.8 * J);
  fprintf(t->bodies, "position: [%.4f, %.4f, %.4f], orientation: {rotation_vector: ", t->far + x[0],
          x[1] - t->far, x[2]);
  say_vector(t->bodies, t->r, 2);
  fprintf(t->bodies, "}, com: ");
  say_vector(t->bodies, t->r, 0.1);
  if (turns) {
    fprintf(t->bodies, ", angular_velocity: ");
    say_vector(t->bodies, t->r, 2);
  }
  fprintf(t->bodies, "}\n");
}

/* Keys of a joint with one coordinate: spring, damper, rotor, smooth friction, a soft limit that the
 * joint has passed by so much that it stays beyond it. */
static void say_keys(tree *t) {
  FILE *to = t->joints;
  switch (hard_pick(t->r, 6)) {
    case 0:
      fprintf(to, ", stiffness: %.4f, damping: 0.1", hard_uniform(t->r, 1, 30));
      break;
    case 1:
      fprintf(to, ", inertia: %.4f", hard_uniform(t->r, 0.01, 0.4));
      break;
    case 2:
      fprintf(to, ", friction: {friction: 0.4, static_friction: 0.5, speed: 1.5}");
      break;
    case 3:
      fprintf(to, ", limits: {lower: 0.7, upper: 9, stiffness: %.4f, damping: 0.2}",
              hard_uniform(t->r, 1, 20));
      break;
    default:
      break;
  }
}

/* A joint between bodies a and b, -1: the ground, whose point and axes are given in space. Its coordinates
 * are noted if it is in the tree. */
static void say_joint(tree *t, const char *type, int a, int b, bool in_tree) {
  const int j = t->njoint++;
  char na[16], nb[16];
  if (hard_pick(t->r, 2)) {
    const int c = a;
    a = b;
    b = c;
  }
  const double *x = t->at[b < 0 ? a : b];
  fprintf(t->joints, "  j%d: {type: %s, between: [%s, %s]", j, type, body_name(a, na),
          body_name(b, nb));
  if (strcmp(type, "distance") == 0) {
    fprintf(t->joints, ", at: {");
    for (int k = 0; k < 2; k++) {
      const int i = k ? b : a;
      double y[3] = {hard_uniform(t->r, -0.3, 0.3), hard_uniform(t->r, -0.3, 0.3), 0.2};
      if (i < 0) y[0] += t->far, y[1] -= t->far;
      fprintf(t->joints, "%s: [%.4f, %.4f, %.4f]%s", body_name(i, na), y[0], y[1], y[2],
              k ? "}" : ", ");
    }
    fprintf(t->joints, "}\n");
    return;
  }
  fprintf(t->joints, ", at: [%.4f, ", t->far + x[0] + hard_uniform(t->r, -0.4, 0.4));
  fprintf(t->joints, "%.4f, ", x[1] - t->far + hard_uniform(t->r, -0.4, 0.4));
  fprintf(t->joints, "%.4f]", x[2] + hard_uniform(t->r, -0.4, 0.4));
  const double u = hard_uniform(t->r, -1, 1), v = hard_uniform(t->r, -1, 1);
  fprintf(t->joints, ", axis: [%.4f, %.4f, 1], x_axis: [1, 0, %.4f]", u, v, -u);
  ga_joint_type_info info;
  for (int i = 0; in_tree && ga_joint_types(i, &info); i++) {
    if (strcmp(info.name, type) != 0) continue;
    for (int k = 0; k < 3 && info.coordinates[k]; k++) {
      snprintf(t->coordinate[t->ncoordinate++], 24, "j%d.%s", j, info.coordinates[k]);
    }
    if (info.coordinates[0] && !info.coordinates[1]) say_keys(t);
  }
  fprintf(t->joints, "}\n");
}

static const struct {
  const char *type;
  int freedoms;
  bool turns; /* about any axis */
} types[] = {{"revolute", 1, false},    {"revolute", 1, false},     {"prismatic", 1, false},
             {"cylindrical", 2, false}, {"spherical", 3, true},     {"universal", 2, false},
             {"planar", 3, false},      {"orientation", 3, false},  {"parallel", 4, false},
             {"fixed", 0, false},       {"point_on_line", 4, true}, {"point_on_plane", 5, true}};
/* what closes a loop: no more rows than leave the mechanism two freedoms */
static const struct {
  const char *type;
  int rows;
} closing[] = {{"distance", 1},  {"point_on_plane", 1}, {"point_on_line", 2},
               {"spherical", 3}, {"universal", 4},      {"cylindrical", 4}};
enum {
  TYPES = (int)(sizeof types / sizeof *types),
  CLOSING = (int)(sizeof closing / sizeof *closing)
};

static void say_tree(tree *t) {
  const int wanted = 1 + hard_pick(t->r, BODIES);
  int loops = hard_pick(t->r, 3);
  t->loops = loops > 0;
  while (t->nbody < wanted) {
    const int parent = hard_pick(t->r, t->nbody + 1) - 1, type = hard_pick(t->r, TYPES);
    const bool free = hard_pick(t->r, 10) == 0;
    say_body(t, !t->loops && (free || types[type].turns));
    if (free) { /* but for a spring */
      t->freedoms += 6;
      continue;
    }
    say_joint(t, types[type].type, parent, t->nbody - 1, true);
    t->freedoms += types[type].freedoms;
  }
  for (; loops > 0 && t->nbody > 1; loops--) {
    const int a = hard_pick(t->r, t->nbody), b = hard_pick(t->r, t->nbody + 1) - 1;
    const int type = hard_pick(t->r, CLOSING);
    if (a == b || t->freedoms < closing[type].rows + 2) continue;
    say_joint(t, closing[type].type, a, b, false);
    t->freedoms -= closing[type].rows;
  }
}

static void say_force(tree *t, int n) {
  char na[16], nb[16];
  const int i = hard_pick(t->r, t->nbody), other = hard_pick(t->r, t->nbody + 1) - 1;
  const double f = t->far;
  switch (i == other ? 2 : hard_pick(t->r, 4)) {
    case 0:
      fprintf(t->forces, "  f%d: {type: spring, between: [%s, %s], at: {%s: ", n,
              body_name(other, na), body_name(i, nb), na);
      if (other < 0) {
        fprintf(t->forces, "[%.4f, %.4f, 2.5]", f + 0.3, 0.4 - f);
      } else {
        say_vector(t->forces, t->r, 0.5);
      }
      fprintf(t->forces, ", %s: ", nb);
      say_vector(t->forces, t->r, 0.2);
      fprintf(t->forces, "}, stiffness: %.4f, damping: %.4f", hard_uniform(t->r, 1, 80),
              hard_uniform(t->r, 0, 3));
      if (hard_pick(t->r, 2)) {
        fprintf(t->forces, ", law: \"%.4f*(s - 1)^3 + 0.2*s_dot^2*exp(-s)\"",
                hard_uniform(t->r, 1, 9));
      }
      break;
    case 1:
      fprintf(
          t->forces,
          "  f%d: {type: bushing, between: [%s, %s], at: [%.4f, %.4f, 0.3], stiffness: [40, 50, "
          "%.4f, 5, 6, 7], damping: [1, 1, 2, 0.1, 0.2, 0.1]",
          n, body_name(other, na), body_name(i, nb), f + 0.1, 0.2 - f, hard_uniform(t->r, 20, 60));
      break;
    case 2:
      fprintf(t->forces, "  f%d: {type: %s, body: %s, value: [\"0.3*t + b0.vx\", %.4f, ", n,
              hard_pick(t->r, 2) ? "torque" : "force", body_name(i, nb), hard_uniform(t->r, -2, 2));
      fprintf(t->forces, "\"sin(5*t + 0.1) - 0.2*%s.wz*b0.wy\"]%s", nb,
              hard_pick(t->r, 2) ? ", frame: body" : "");
      break;
    default:
      if (t->ncoordinate == 0) {
        fprintf(t->forces, "  f%d: {type: force, body: %s, value: [0.1, 0.2, 0]", n,
                body_name(i, nb));
        break;
      }
      fprintf(t->forces, "  f%d: {type: torsion, coordinate: %s, stiffness: %.4f, damping: 0.13", n,
              t->coordinate[hard_pick(t->r, t->ncoordinate)], hard_uniform(t->r, 1, 30));
      fprintf(t->forces, ", law: \"-0.4*s^3 - 0.1*s_dot*cos(s) + 0.1*b0.y\"");
  }
  fprintf(t->forces, "}\n");
}

/* A drive, a coupler, or a controller of a coordinate. */
static void say_control(tree *t) {
  if (t->ncoordinate == 0) return;
  switch (hard_pick(t->r, 6)) {
    case 0:
      if (t->freedoms < 3) return;
      fprintf(t->drives, "  d0: {coordinate: %s, %s}\n", t->coordinate[--t->ncoordinate],
              hard_pick(t->r, 2) ? "position: \"0.2*(1 - cos(3*t))\""
                                 : "rate: \"0.5*sin(2*t) + 0.1*b0.z\"");
      break;
    case 1:
      if (t->freedoms < 3 || t->ncoordinate < 2) return;
      t->ncoordinate--;
      fprintf(t->couplers, "  c0: {sum: {%s: 1, %s: %.4f}}\n", t->coordinate[t->ncoordinate],
              t->coordinate[0], hard_uniform(t->r, -2, 2));
      break;
    case 2:
      fprintf(t->controllers,
              "  pid: {type: pid, target: \"0.2*sin(3*t)\", input: %s, kp: 5, ki: 2, kd: 0.4, "
              "filter: 50 ms}\n",
              t->coordinate[0]);
      fprintf(t->forces, "  motor: {type: torsion, coordinate: %s, law: pid}\n", t->coordinate[0]);
      break;
    default:
      break;
  }
}

char *hard_coordinates_text(uint64_t seed, int index) {
  enum { SECTIONS = 6 };
  static const char *const name[SECTIONS] = {"bodies",   "joints",      "drives",
                                             "couplers", "controllers", "forces"};
  tree t = {.seed = seed + 0x9e3779b97f4a7c15u * (uint64_t)(index + 1)};
  FILE **to[SECTIONS] = {&t.bodies, &t.joints, &t.drives, &t.couplers, &t.controllers, &t.forces};
  char *section[SECTIONS] = {NULL}, *text = NULL;
  size_t size[SECTIONS], whole;
  t.r = &t.seed;
  t.far = index % 8 == 7 ? 1000 : 0;
  for (int i = 0; i < SECTIONS; i++) {
    *to[i] = open_memstream(&section[i], &size[i]);
    if (!*to[i]) return NULL; /* a test program that ends */
  }
  say_tree(&t);
  for (int n = hard_pick(t.r, 4); n > 0; n--) say_force(&t, n);
  say_control(&t);
  FILE *all = open_memstream(&text, &whole);
  if (!all) return NULL;
  fprintf(all, "genalpha: 1\ngravity: [1.5, -2, -9]\ninitial: {assemble: true, rates: {");
  /* the last coordinate may be driven or coupled; loops leave two freedoms */
  const int given = t.loops ? (t.ncoordinate > 0) : t.ncoordinate;
  for (int i = 0; i < given; i++) {
    fprintf(all, "%s%s: %.4f", i ? ", " : "", t.coordinate[i], hard_uniform(t.r, -2, 2));
  }
  fprintf(all, "}}\n");
  for (int i = 0; i < SECTIONS; i++) {
    fclose(*to[i]);
    if (size[i] > 0) fprintf(all, "%s:\n%s", name[i], section[i]);
    free(section[i]);
  }
  fclose(all);
  return text;
}
