/* SPDX-License-Identifier: MIT */
/* Random mechanisms as texts of model files, in metres, kilograms and seconds: one to six bodies,
 * in space or in the plane, in a tree of joints of all types; some loops are closed by rods, some
 * bodies roll, some are points, some joints hold a helper without mass; springs, bushings,
 * torsions, laws, drives and forces act on them. The start fits all joints and is at rest, unless
 * the first body rolls: then the other velocities are assembled. */
#ifndef GA_TEST_RANDOM_MECHANISM_H
#define GA_TEST_RANDOM_MECHANISM_H

#include <stdlib.h>

#include "support.h"

enum { RANDOM_BODIES = 8 };

struct chance {
  uint64_t state;
};

/* A number in [low, high), four decimal digits: not a power of two, not a full mantissa. */
static inline double chance_in(struct chance *c, double low, double high) {
  c->state = c->state * 6364136223846793005u + 1442695040888963407u;
  const double x = (double)(c->state >> 40) / 16777216.0;
  return round((low + (high - low) * x) * 1e4) / 1e4;
}

/* A whole number in 0 .. n-1. */
static inline int chance_of(struct chance *c, int n) {
  c->state = c->state * 6364136223846793005u + 1442695040888963407u;
  return (int)((c->state >> 33) % (uint64_t)n);
}

/* What is written so far; text of each section. */
struct random_mechanism {
  struct chance c;
  bool planar, rolls;
  int nbody;
  char kind[RANDOM_BODIES]; /* b: has axes, p: point */
  double at[RANDOM_BODIES][3];
  FILE *bodies, *joints, *drives, *forces, *couplers;
  int njoint, nforce, nposition, ndrive;
  char coordinate[4 * RANDOM_BODIES][40]; /* of joints, not yet driven */
  int ncoordinate;
};

/* A vector in the box low .. high, "[x, y, z]" or "[x, y]". */
static inline const char *random_vector(struct random_mechanism *r, double low, double high,
                                        char *text) {
  const double x = chance_in(&r->c, low, high), y = chance_in(&r->c, low, high);
  const double z = chance_in(&r->c, low, high);
  if (r->planar) {
    sprintf(text, "[%.17g, %.17g]", x, y);
  } else {
    sprintf(text, "[%.17g, %.17g, %.17g]", x, y, z);
  }
  return text;
}

/* Name of body i; -1: the ground. */
static inline const char *body_name(int i, char *text) {
  if (i < 0) return "ground";
  sprintf(text, "b%d", i);
  return text;
}

/* One more body at a random place. massless: a helper. Returns its number. */
static inline int random_body(struct random_mechanism *r, bool massless, bool point) {
  const int i = r->nbody++;
  char com[80], at[80];
  double *x = r->at[i];
  for (int k = 0; k < 3; k++) x[k] = r->planar && k == 2 ? 0 : chance_in(&r->c, -1, 1);
  if (r->planar) {
    sprintf(at, "[%.17g, %.17g]", x[0], x[1]);
  } else {
    sprintf(at, "[%.17g, %.17g, %.17g]", x[0], x[1], x[2]);
  }
  const double mass = massless ? 0 : chance_in(&r->c, 0.1, 3);
  r->kind[i] = point ? 'p' : 'b';
  fprintf(r->bodies, "  b%d: {mass: %.17g, position: %s", i, mass, at);
  if (point) {
    fprintf(r->bodies, ", kind: point}\n");
    return i;
  }
  const double J = massless ? 0 : mass * chance_in(&r->c, 0.02, 0.1);
  if (r->planar) {
    fprintf(r->bodies, ", kind: planar, inertia: %.17g, orientation: %.17g", J,
            chance_in(&r->c, -3, 3));
  } else {
    fprintf(r->bodies, ", inertia: [%.17g, %.17g, %.17g], orientation: {rotation_vector: %s}", J,
            J * 1.25, J * 0.75, random_vector(r, -2, 2, at));
    if (chance_of(&r->c, 4) == 0) fprintf(r->bodies, ", formulation: se3");
  }
  if (!massless && chance_of(&r->c, 3) == 0) {
    fprintf(r->bodies, ", com: %s", random_vector(r, -0.1, 0.1, com));
  }
  fprintf(r->bodies, "}\n");
  return i;
}

/* A joint of a type from body a to b, with its coordinates noted. */
static inline void random_joint(struct random_mechanism *r, const char *type, int a, int b) {
  char na[16], nb[16], text[80];
  const int j = r->njoint++;
  fprintf(r->joints, "  j%d: {type: %s, between: [%s, %s]", j, type, body_name(a, na),
          body_name(b, nb));
  if (strcmp(type, "distance") == 0) {
    char other[80];
    if (a >= 0 && r->kind[a] == 'p')
      strcpy(text, r->planar ? "[0, 0]" : "[0, 0, 0]");
    else
      random_vector(r, -0.3, 0.3, text);
    if (r->kind[b] == 'p')
      strcpy(other, r->planar ? "[0, 0]" : "[0, 0, 0]");
    else
      random_vector(r, -0.3, 0.3, other);
    fprintf(r->joints, ", at: {%s: %s, %s: %s}}\n", body_name(a, na), text, body_name(b, nb),
            other);
    return;
  }
  const double *x = r->at[b];
  const double d = r->kind[b] == 'p' ? 0 : chance_in(&r->c, -0.3, 0.3);
  if (r->planar) {
    fprintf(r->joints, ", at: [%.17g, %.17g]", x[0] + d, x[1] - d / 2);
  } else {
    fprintf(r->joints, ", at: [%.17g, %.17g, %.17g]", x[0] + d, x[1] - d / 2, x[2] + d / 4);
  }
  if (strcmp(type, "universal") == 0) {
    fprintf(r->joints, ", axis: [0, 0, 1], x_axis: [0.6, 0.8, 0]");
  } else if (strcmp(type, "spherical") != 0 && strcmp(type, "orientation") != 0 &&
             strcmp(type, "fixed") != 0 && !(r->planar && strcmp(type, "revolute") == 0)) {
    fprintf(r->joints, ", axis: %s", random_vector(r, 0.1, 1, text));
  }
  fprintf(r->joints, "}\n");
  ga_joint_type_info info;
  for (int i = 0; ga_joint_types(i, &info); i++) {
    if (strcmp(info.name, type) != 0) continue;
    for (int k = 0; k < 3 && info.coordinates[k]; k++) {
      sprintf(r->coordinate[r->ncoordinate++], "j%d.%s", j, info.coordinates[k]);
    }
  }
}

/* A body that rolls on the floor; it turns at the start and moves as it must. */
static inline void random_roller(struct random_mechanism *r) {
  const double radius = chance_in(&r->c, 0.2, 0.6), spin = chance_in(&r->c, 1, 5);
  const bool disk = chance_of(&r->c, 2);
  r->rolls = true;
  const int i = r->nbody++;
  r->kind[i] = 'b';
  r->at[i][2] = radius;
  fprintf(r->bodies,
          "  b%d: {mass: 1.3, inertia: [0.05, 0.08, 0.05], position: [0, 0, %.17g], velocity: "
          "[%.17g, 0, 0], angular_velocity: [0, %.17g, 0]}\n",
          i, radius, radius * spin, spin);
  fprintf(r->joints, "  j%d: {type: %s, between: [ground, b%d], radius: %.17g%s}\n", r->njoint++,
          disk ? "rolling_disk" : "rolling_sphere", i, radius,
          disk ? ", axis: {b0: [0, 1, 0]}" : "");
}

/* A spring, bushing, force or torque, of any type. */
static inline void random_force(struct random_mechanism *r) {
  char a[16], b[16], x[80], y[80];
  const int i = chance_of(&r->c, r->nbody), n = r->nforce++;
  int other = chance_of(&r->c, r->nbody + 1) - 1;
  if (other == i) other = -1;
  const bool points = r->kind[i] == 'p' || (other >= 0 && r->kind[other] == 'p');
  switch (points ? 0 : chance_of(&r->c, 4)) {
    case 0:
      fprintf(r->forces, "  f%d: {type: spring, between: [%s, %s]", n, body_name(other, a),
              body_name(i, b));
      if (!points) {
        fprintf(r->forces, ", at: {%s: %s, %s: %s}", body_name(other, a),
                random_vector(r, -0.5, 0.5, x), body_name(i, b), random_vector(r, -0.2, 0.2, y));
      }
      fprintf(r->forces, ", stiffness: %.17g, damping: %.17g", chance_in(&r->c, 1, 300),
              chance_in(&r->c, 0, 3));
      if (chance_of(&r->c, 2)) {
        fprintf(r->forces, ", law: \"%.17g*(s - 0.3)^3 + 0.2*s_dot*abs(s_dot)*exp(-s)\"",
                chance_in(&r->c, 1, 9));
      }
      break;
    case 1:
      fprintf(r->forces, "  f%d: {type: %s, body: %s, value: [", n,
              chance_of(&r->c, 2) ? "torque" : "force", body_name(i, b));
      fprintf(r->forces, "%s, %s, \"%.17g*sin(5*t + 0.1)\"]", r->planar ? "0" : "\"0.3*t^2\"", "0",
              chance_in(&r->c, 0.1, 2));
      if (chance_of(&r->c, 2)) fprintf(r->forces, ", frame: body");
      break;
    case 2:
      if (r->planar) {
        fprintf(r->forces, "  f%d: {type: torque, body: %s, value: [0, 0, 0.7]", n,
                body_name(i, b));
        break;
      }
      fprintf(
          r->forces,
          "  f%d: {type: bushing, between: [%s, %s], at: [0.1, 0.2, 0.3], stiffness: [100, 150, "
          "%.17g, 5, 6, 7], damping: [1, 1, 2, 0.1, 0.2, 0.1]",
          n, body_name(other, a), body_name(i, b), chance_in(&r->c, 50, 200));
      break;
    default:
      if (r->ncoordinate == 0) {
        fprintf(r->forces, "  f%d: {type: force, body: %s, value: [0.1, 0.2, 0]", n,
                body_name(i, b));
        break;
      }
      fprintf(r->forces, "  f%d: {type: torsion, coordinate: %s, stiffness: %.17g, damping: 0.13",
              n, r->coordinate[chance_of(&r->c, r->ncoordinate)], chance_in(&r->c, 1, 30));
      if (chance_of(&r->c, 2)) fprintf(r->forces, ", law: \"-0.4*s^3 - 0.1*s_dot*cos(s)\"");
  }
  fprintf(r->forces, "}\n");
}

/* Bodies and joints of a tree, some with a helper without mass, some closed to loops by rods. */
static inline void random_tree(struct random_mechanism *r) {
  static const char *const space[] = {
      "revolute", "revolute", "spherical",   "universal", "prismatic",     "cylindrical",
      "fixed",    "planar",   "orientation", "parallel",  "point_on_line", "point_on_plane"};
  static const char *const plane[] = {"revolute", "revolute", "prismatic", "point_on_line"};
  const int wanted = 1 + chance_of(&r->c, 5);
  if (!r->planar && chance_of(&r->c, 5) == 0) random_roller(r);
  while (r->nbody < wanted) {
    int a = chance_of(&r->c, r->nbody + 1) - 1;
    while (a >= 0 && r->kind[a] == 'p') a--;
    if (!r->planar && chance_of(&r->c, 6) == 0) {
      random_joint(r, "distance", a, random_body(r, false, true));
      continue;
    }
    if (chance_of(&r->c, 6) == 0) { /* the helper slides or turns, the body turns on it */
      const int helper = random_body(r, true, false), b = random_body(r, false, false);
      random_joint(r, chance_of(&r->c, 2) ? "prismatic" : "revolute", a, helper);
      random_joint(r, "revolute", helper, b);
      continue;
    }
    random_joint(r, r->planar ? plane[chance_of(&r->c, 4)] : space[chance_of(&r->c, 12)], a,
                 random_body(r, false, false));
  }
  if (r->nbody > 1 && chance_of(&r->c, 3) == 0) random_joint(r, "distance", -1, r->nbody - 1);
}

/* A drive or a coupler of coordinates that are free. */
static inline void random_drive(struct random_mechanism *r) {
  if (r->ncoordinate == 0 || chance_of(&r->c, 3) > 0) return;
  const char *c = r->coordinate[--r->ncoordinate];
  if (chance_of(&r->c, 2) || r->ncoordinate == 0) {
    fprintf(r->drives, "  d0: {coordinate: %s, %s}\n", c,
            chance_of(&r->c, 2) ? "position: \"0.2*(1 - cos(3*t))\"" : "rate: \"0.5*sin(2*t)\"");
  } else {
    fprintf(r->couplers, "  c0: {sum: {%s: 1, %s: 0.35}}\n", c, r->coordinate[0]);
  }
}

/* The text of random mechanism number `seed`; to be freed. */
static inline char *random_mechanism(unsigned seed) {
  struct random_mechanism r = {.c = {seed * 2654435761u + 12345u}};
  char *part[5] = {NULL}, *text = NULL;
  size_t size[6];
  FILE **to[5] = {&r.bodies, &r.joints, &r.drives, &r.couplers, &r.forces};
  static const char *const name[5] = {"bodies", "joints", "drives", "couplers", "forces"};
  for (int i = 0; i < 5; i++) *to[i] = open_memstream(&part[i], &size[i]);
  for (int i = 0; i < 5; i++) chance_of(&r.c, 2);
  r.planar = chance_of(&r.c, 3) == 0;
  random_tree(&r);
  for (int n = chance_of(&r.c, 4); n > 0; n--) random_force(&r);
  random_drive(&r);
  FILE *all = open_memstream(&text, &size[5]);
  fprintf(all, "genalpha: 1\ngravity: [%s]\n", r.planar ? "0, -9.81, 0" : "0.3, 0, -9.81");
  if (r.rolls) fprintf(all, "initial: {assemble: true}\n");
  for (int i = 0; i < 5; i++) {
    fclose(*to[i]);
    if (size[i] > 0) fprintf(all, "%s:\n%s", name[i], part[i]);
    free(part[i]);
  }
  fclose(all);
  return text;
}

#endif
