/* SPDX-License-Identifier: MIT */
/* Shapes of bodies: what pictures show, and the inertia that follows. Functions that return bool
 * return false after a failure, which is recorded in r. */
#include <string.h>

#include "file/reader.h"

static const double pi = 3.14159265358979323846;

/* The numbers of a shape, in m: edges a of boxes; radius and length of cylinders (along z), spheres
 * (radius only) and rods (along x). What a shape does not have is 0. */
typedef struct {
  double a[3], radius, length;
} measures;

static const ga_field cylinder_fields[] = {
    {"radius", "number", "radius", ga_field_number, offsetof(measures, radius), NULL, true, "m"},
    {"length", "number", "length, along z", ga_field_number, offsetof(measures, length), NULL, true,
     "m"},
    {.key = NULL}};
static const ga_field sphere_fields[] = {
    {"radius", "number", "radius", ga_field_number, offsetof(measures, radius), NULL, true, "m"},
    {.key = NULL}};
static const ga_field rod_fields[] = {{"length", "number", "length, along x", ga_field_number,
                                       offsetof(measures, length), NULL, true, "m"},
                                      {"radius", "number", "radius, default 0", ga_field_number,
                                       offsetof(measures, radius), NULL, false, "m"},
                                      {.key = NULL}};

/* ---- volume, and moments of inertia for mass 1 about the centre ------------------------------ */

/* J[0..2] <- (b^2 + c^2)/12 with the edges b, c across axis i. Returns the volume. */
static double measure_box(const measures *s, double *J) {
  const double *a = s->a;
  for (int i = 0; i < 3; i++) {
    const double b = a[(i + 1) % 3], c = a[(i + 2) % 3];
    J[i] = (b * b + c * c) / 12;
  }
  return a[0] * a[1] * a[2];
}

/* Solid cylinder about `axis` (0 x, 2 z): J[0..2] <- r^2/2 along it, r^2/4 + l^2/12 across. Returns
 * the volume. */
static double measure_round(const measures *s, int axis, double *J) {
  const double r2 = s->radius * s->radius, l2 = s->length * s->length;
  for (int i = 0; i < 3; i++) J[i] = i == axis ? r2 / 2 : r2 / 4 + l2 / 12;
  return pi * r2 * s->length;
}

/* A cylinder along z; J and result as above. */
static double measure_cylinder(const measures *s, double *J) {
  return measure_round(s, 2 /* z */, J);
}

/* A rod along x; J and result as above. */
static double measure_rod(const measures *s, double *J) {
  return measure_round(s, 0 /* x */, J);
}

/* J[0..2] <- 2/5 r^2. Returns the volume. */
static double measure_sphere(const measures *s, double *J) {
  for (int i = 0; i < 3; i++) J[i] = 0.4 * s->radius * s->radius;
  return 4 * pi / 3 * s->radius * s->radius * s->radius;
}

static const struct shape {
  const char *name;
  ga_shape type;
  const ga_field *fields; /* NULL: a list of three lengths */
  double (*measure)(const measures *s, double *J);
} shapes[] = {{"box", GA_SHAPE_BOX, NULL, measure_box},
              {"cylinder", GA_SHAPE_CYLINDER, cylinder_fields, measure_cylinder},
              {"sphere", GA_SHAPE_SPHERE, sphere_fields, measure_sphere},
              {"rod", GA_SHAPE_ROD, rod_fields, measure_rod}};
enum { NSHAPE = (int)(sizeof shapes / sizeof shapes[0]) };

/* Known keys of `shape`, for "did you mean"; NULL past the end. */
static const char *word_of_shape(int i) {
  return i < NSHAPE ? shapes[i].name : i == NSHAPE ? "density" : NULL;
}

/* Known keys of `look`, for "did you mean"; NULL past the end. */
static const char *word_of_look(int i) {
  static const char *const others[] = {"mesh",        "scale", "colour", "position",
                                       "orientation", "hide",  NULL};
  return i < NSHAPE ? shapes[i].name : others[i - NSHAPE];
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Fail unless the n lengths x are positive, or also 0 if `zero` is true. */
static bool check_positive(ga_reader *r, const ga_node *node, int n, const double *x, bool zero) {
  for (int i = 0; i < n; i++) {
    if (x[i] < 0 || (x[i] == 0 && !zero)) {
      return ga_reader_fail(r, node, "%g: a length must be positive", x[i]);
    }
  }
  return true;
}

/* *s (zero on entry) <- the lengths of a shape, checked to be positive; only the radius of a rod
 * may be 0. ga_read_fields overwrites r->between, so it is restored. */
static bool read_measures(ga_reader *r, const struct shape *shape, const ga_node *node,
                          measures *s) {
  if (!shape->fields)
    return ga_read_numbers(r, node, 3, s->a) && check_positive(r, node, 3, s->a, false /* not 0 */);
  const char *const between[2] = {r->between[0], r->between[1]};
  if (!ga_read_fields(r, node, shape->fields, s)) return false;
  memcpy(r->between, between, sizeof between);
  if (!check_positive(r, node, 1, &s->radius, shape->type == GA_SHAPE_ROD)) return false;
  return shape->type == GA_SHAPE_SPHERE || check_positive(r, node, 1, &s->length, false);
}

/* Read one entry box: .., cylinder: .., ..: sets shape and lengths of out->look, volume and J. out
 * has GA_SHAPE_NONE on entry: a second shape fails. look: the entry of a look, not of a shape. */
bool ga_read_shape_entry(ga_reader *r, const ga_node *item, bool look, ga_shape_input *out) {
  const char *key = item->key->text;
  measures s = {{0}, 0, 0};
  int i = 0;
  while (i < NSHAPE && strcmp(shapes[i].name, key) != 0) i++;
  if (i == NSHAPE) {
    const char *near = ga_nearest_word(key, look ? word_of_look : word_of_shape);
    return ga_reader_fail(r, item->key, "unknown shape '%.40s'%s%s%s", key,
                          near   ? "; did you mean '"
                          : look ? "; known are box, cylinder, sphere, rod, mesh"
                                 : "; known are box, cylinder, sphere, rod",
                          near ? near : "", near ? "'?" : "");
  }
  if (out->look.shape != GA_SHAPE_NONE) return ga_reader_fail(r, item->key, "a second shape");
  if (!read_measures(r, &shapes[i], item, &s)) return false;
  out->look.shape = shapes[i].type;
  memcpy(out->look.box, s.a, sizeof s.a);
  out->look.radius = s.radius;
  out->look.length = s.length;
  out->volume = shapes[i].measure(&s, out->J);
  return true;
}

/* *out <- a shape (look) with an optional density in kg/m^3; its volume, and moments of inertia J
 * for mass 1 about its centre. */
bool ga_read_shape(ga_reader *r, const ga_node *node, ga_shape_input *out) {
  *out = (ga_shape_input){.volume = 0};
  if (node->kind != GA_NODE_MAP) {
    return ga_reader_fail(r, node, "a shape is {box: [a, b, c]}, {cylinder}, {sphere} or {rod}");
  }
  for (const ga_node *item = node->first; item; item = item->next) {
    if (strcmp(item->key->text, "density") != 0) {
      if (!ga_read_shape_entry(r, item, false, out)) return false;
      continue;
    }
    out->density.given = true;
    if (!ga_read_number(r, item, &out->density.value)) return false;
    if (!(out->density.value > 0)) {
      return ga_reader_fail(r, item, "density %g must be positive", out->density.value);
    }
  }
  if (out->look.shape != GA_SHAPE_NONE) return true;
  return ga_reader_fail(r, node, "a shape is missing: box, cylinder, sphere or rod");
}
