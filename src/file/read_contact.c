/* SPDX-License-Identifier: MIT */
/* Contacts of a model file: the surfaces of both bodies as keys, made into points, spheres, disks.
 * Functions that return bool return false after a failure, which is recorded in r. */
#include <string.h>

#include "file/reader.h"
#include "genalpha/ga_mechanism_contact.h"

/* A plane, a round surface, a capsule, as their keys give them. */
typedef struct {
  ga_point point, normal;
} plane_input;
typedef struct {
  double radius, centre[3], from[3], to[3];
  ga_axis axis;
} round_input;

/* Target of the fields of a contact; nodes, NULL: not given. */
typedef struct {
  ga_mechanism_contact contact;
  const ga_node *plane, *sphere, *circle, *disk, *box, *capsule, *points, *shape, *spheres,
      *circles, *block, *all;
  bool inside;
  ga_given restitution, static_friction, stiffness, slip_speed;
} contact_input;

#define AT(member) offsetof(contact_input, member)

/* Field readers: keep the node; true or false. */
static bool keep(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)r, (void)f;
  *(const ga_node **)out = node;
  return true;
}
static bool read_flag(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  return ga_read_flag(r, node, out);
}

const ga_field ga_contact_fields[] = {
    {"between", "between", "bodies A and B", ga_field_between, AT(contact.between), NULL, false,
     NULL},
    {"all", "names", "in place of between: bodies whose shapes (spheres, boxes) meet each other",
     keep, AT(all), NULL, false, NULL},
    {"plane", "plane", "of A: {point, normal}, normal towards B; default: z of space, A's origin",
     keep, AT(plane), NULL, false, "m"},
    {"sphere", "ball", "of B: {radius, centre}", keep, AT(sphere), NULL, false, "m"},
    {"circle", "ball", "of B, planar bodies: {radius, centre}", keep, AT(circle), NULL, false, "m"},
    {"disk", "disk", "of B, its rim: {radius, centre, axis}", keep, AT(disk), NULL, false, "m"},
    {"box", "edges", "corners of a box of B about its centre of mass: edges along its axes", keep,
     AT(box), NULL, false, "m"},
    {"capsule", "capsule", "of B: {radius, from, to}", keep, AT(capsule), NULL, false, "m"},
    {"points", "vectors", "of B, in its frame", keep, AT(points), NULL, false, "m"},
    {"shape", "flag", "true: the shape of B", keep, AT(shape), NULL, false, NULL},
    {"spheres", "two_numbers", "radii of two spheres, of A and B", keep, AT(spheres), NULL, false,
     "m"},
    {"circles", "two_numbers", "the same of planar bodies", keep, AT(circles), NULL, false, "m"},
    {"centres", "centres", "of spheres or circles, in the frames of the bodies: {A: [], B: []}",
     ga_field_point, AT(contact.centres), NULL, false, "m"},
    {"inside", "flag", "the sphere of B is inside that of A", read_flag, AT(inside), NULL, false,
     NULL},
    {"block", "edges", "of A, with a sphere of B: a box about A's centre of mass", keep, AT(block),
     NULL, false, "m"},
    {"restitution", "number", "velocity after an impact over that before: 0 (default) to 1",
     ga_field_given, AT(restitution), NULL, false, "1"},
    {"friction", "number", "Coulomb's coefficient, default 0", ga_field_number,
     AT(contact.friction), NULL, false, "1"},
    {"static_friction", "number", "the same at rest, default: friction", ga_field_given,
     AT(static_friction), NULL, false, "1"},
    {"stiffness", "number", "of a soft contact, a force in place of a restitution", ga_field_given,
     AT(stiffness), NULL, false, "N/m"},
    {"damping", "number", "of a soft contact", ga_field_number, AT(contact.damping), NULL, false,
     "N s/m"},
    {"slip_speed", "number", "of a soft contact: friction grows up to this speed; default 1e-3",
     ga_field_given, AT(slip_speed), NULL, false, "m/s"},
    {.key = NULL}};
#undef AT

static const ga_field plane_fields[] = {
    {"point", "point", "", ga_field_point, offsetof(plane_input, point), NULL, false, "m"},
    {"normal", "direction", "", ga_field_point, offsetof(plane_input, normal), NULL, false, NULL},
    {.key = NULL}};
#define ROUND(key, form, read, required) \
  { #key, form, "", read, offsetof(round_input, key), NULL, required, NULL }
static const ga_field ball_fields[] = {ROUND(radius, "number", ga_field_number, true),
                                       ROUND(centre, "vector", ga_field_vector, false),
                                       {.key = NULL}};
static const ga_field disk_fields[] = {ROUND(radius, "number", ga_field_number, true),
                                       ROUND(centre, "vector", ga_field_vector, false),
                                       ROUND(axis, "direction", ga_field_point, true),
                                       {.key = NULL}};
static const ga_field capsule_fields[] = {ROUND(radius, "number", ga_field_number, true),
                                          ROUND(from, "vector", ga_field_vector, true),
                                          ROUND(to, "vector", ga_field_vector, true),
                                          {.key = NULL}};

/* The body of side B, which exists. */
static const ga_solid *body_b(const ga_reader *r) {
  const ga_symbol *s = ga_mechanism_find(r->m, r->between[1]);
  return &r->m->bodies.item[s ? s->index : 0];
}

/* Give the contact n points of the file's arena, zero; NULL without memory. */
static double (*new_points(ga_reader *r, const ga_node *node, contact_input *in, int n))[3] {
  double(*points)[3] = ga_arena_take(r->arena, (size_t)n, sizeof *points);
  if (!points) ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  in->contact.npoints = n;
  in->contact.points = points ? points[0] : NULL;
  return points;
}

/* Corners of a box with these edges about `centre` of the body frame: z slowest, then x, then y. R:
 * its axes, NULL: those of the body. */
static bool set_corners(ga_reader *r, const ga_node *node, const double *edge, const double *centre,
                        const double *R, contact_input *in) {
  double(*points)[3] = new_points(r, node, in, 8);
  for (int i = 0; points && i < 8; i++) {
    const double p[3] = {(i & 2 ? 0.5 : -0.5) * edge[0], (i & 1 ? 0.5 : -0.5) * edge[1],
                         (i & 4 ? 0.5 : -0.5) * edge[2]};
    if (R) {
      ga_times3(R, p, points[i]);
    } else {
      ga_copy3(p, points[i]);
    }
    ga_plus3(points[i], 1, centre, points[i]);
  }
  return points != NULL;
}

/* Spheres of a radius about one or two points of the body frame. */
static bool set_balls(ga_reader *r, const ga_node *node, double radius, const double *first,
                      const double *second, contact_input *in) {
  double(*points)[3] = new_points(r, node, in, second ? 2 : 1);
  if (!points) return false;
  ga_copy3(first, points[0]);
  if (second) ga_copy3(second, points[1]);
  in->contact.radius = radius;
  return true;
}

/* The shape of B itself. */
static bool set_own_shape(ga_reader *r, const ga_node *node, contact_input *in) {
  const ga_solid *b = body_b(r);
  const ga_body_look *look = &b->look;
  double centre[3], R[9], end[2][3];
  ga_copy3(b->com, centre);
  ga_identity3(R);
  if (look->has_pose) {
    const double *p = look->orientation;
    ga_copy3(look->position, centre);
    if (p[0] != 0 || p[1] != 0 || p[2] != 0 || p[3] != 0) ga_rotation3(p, R);
  }
  if (look->shape == GA_SHAPE_BOX) return set_corners(r, node, look->box, centre, R, in);
  if (look->shape == GA_SHAPE_SPHERE) return set_balls(r, node, look->radius, centre, NULL, in);
  if (look->shape != GA_SHAPE_ROD) {
    return ga_reader_fail(r, node, "'%s' has no shape that contacts know: box, sphere, rod",
                          b->name);
  }
  for (int i = 0; i < 3; i++) {
    end[0][i] = centre[i] - R[3 * i] * look->length / 2;
    end[1][i] = centre[i] + R[3 * i] * look->length / 2;
  }
  return set_balls(r, node, look->radius, end[0], end[1], in);
}

/* A list of points. */
static bool read_points(ga_reader *r, const ga_node *node, contact_input *in) {
  if (node->kind != GA_NODE_LIST || node->count == 0) {
    return ga_reader_fail(r, node, "a list of points [[x, y, z], ..] is expected here");
  }
  double(*points)[3] = new_points(r, node, in, node->count);
  int i = 0;
  for (const ga_node *item = node->first; points && item; item = item->next) {
    if (!ga_read_vector(r, item, points[i++])) return false;
  }
  return points != NULL;
}

/* Two radii, of A and B. */
static bool read_two(ga_reader *r, const ga_node *node, contact_input *in) {
  double radius[2];
  if (!ga_read_numbers(r, node, 2, radius)) return false;
  for (int i = 0; i < 2; i++) {
    if (!(radius[i] >= 0)) return ga_reader_fail(r, node, "radius %g must be positive", radius[i]);
  }
  if (radius[0] == 0 && radius[1] == 0) {
    return ga_reader_fail(r, node, "one of the radii must be positive");
  }
  in->contact.surfaces = in->inside ? GA_SURFACES_INSIDE : GA_SURFACES_SPHERES;
  in->contact.radius_a = radius[0];
  in->contact.radius = radius[1];
  return true;
}

/* The round surfaces of B: sphere, circle, disk, capsule. */
static bool read_round(ga_reader *r, contact_input *in) {
  const ga_node *ball = in->sphere ? in->sphere : in->circle;
  const ga_node *node = ball ? ball : in->disk ? in->disk : in->capsule;
  const ga_field *fields = ball ? ball_fields : in->disk ? disk_fields : capsule_fields;
  round_input own = {.radius = 0};
  if (!ga_read_inner_fields(r, node, fields, &own)) return false;
  if (!(own.radius > 0)) return ga_reader_fail(r, node, "radius %g must be positive", own.radius);
  if (in->capsule && memcmp(own.from, own.to, sizeof own.from) == 0) {
    return ga_reader_fail(r, node, "both ends of the capsule are one point; take a sphere");
  }
  if (in->capsule) return set_balls(r, node, own.radius, own.from, own.to, in);
  if (ball && !in->block) return set_balls(r, node, own.radius, own.centre, NULL, in);
  in->contact.radius = own.radius;
  in->contact.centres.kind = GA_SIDE_B;
  ga_copy3(own.centre, in->contact.centres.b);
  if (!ball) {
    in->contact.surfaces = GA_SURFACES_DISK;
    in->contact.axis = own.axis;
  }
  return true;
}

/* Which surface of B (or of both) is given: exactly one. *first <- its node. */
static bool check_surfaces(ga_reader *r, const ga_node *node, const contact_input *in,
                           const ga_node **first) {
  const ga_node *const all[] = {in->sphere, in->circle,  in->disk,  in->capsule, in->box,
                                in->points, in->spheres, in->shape, in->circles};
  int n = 0;
  *first = NULL;
  for (int i = 0; i < (int)(sizeof all / sizeof all[0]); i++) {
    if (!all[i]) continue;
    if (n++ == 0) *first = all[i];
  }
  if (n > 1) {
    return ga_reader_fail(
        r, node,
        "one surface of B is expected: sphere, circle, disk, box, capsule, points, "
        "shape, or spheres, circles of both; several contacts have several names");
  }
  const bool both = in->spheres || in->circles;
  const ga_node *flat = in->circle ? in->circle : in->circles;
  if (flat && !body_b(r)->kind->planar) {
    return ga_reader_fail(r, flat, "'%s' moves in space; take %s", r->between[1],
                          both ? "spheres" : "sphere");
  }
  if (in->plane && (both || in->block)) {
    return ga_reader_fail(r, in->plane, "a plane of A goes with one surface of B, not with %s",
                          both ? "spheres or circles of both" : "a block");
  }
  if (in->block && !in->sphere) {
    return ga_reader_fail(r, in->block, "a block of A goes with a sphere of B");
  }
  if (in->inside && !both) {
    return ga_reader_fail(r, node, "inside belongs to spheres or circles of both bodies");
  }
  if (in->contact.centres.kind != GA_NOT_GIVEN && !both) {
    return ga_reader_fail(r, node,
                          "centres belong to spheres or circles of both bodies; a sphere, "
                          "circle or disk of B has a centre");
  }
  if (n == 1) return true;
  if (body_b(r)->kind->point) return true; /* its only point */
  return ga_reader_fail(r, node,
                        "a surface of '%s' is missing: sphere, circle, disk, box, capsule, points, "
                        "or shape: true",
                        r->between[1]);
}

/* Read the surfaces of both bodies. */
static bool read_surfaces(ga_reader *r, const ga_node *node, contact_input *in) {
  const ga_node *first;
  plane_input plane = {.point = {.kind = GA_NOT_GIVEN}};
  double edge[3];
  bool own;
  if (!check_surfaces(r, node, in, &first)) return false;
  ga_reader_enter(r, "plane");
  if (in->plane && !ga_read_inner_fields(r, in->plane, plane_fields, &plane)) return false;
  ga_reader_leave(r);
  in->contact.point = plane.point;
  in->contact.normal = plane.normal;
  if (in->block) {
    if (!ga_read_numbers(r, in->block, 3, in->contact.block)) return false;
    in->contact.surfaces = GA_SURFACES_BLOCK;
  }
  if (!first) return true;
  ga_reader_enter(r, first->key->text);
  if (in->points) {
    if (!read_points(r, first, in)) return false;
  } else if (in->box) {
    if (!ga_read_numbers(r, first, 3, edge)) return false;
    if (!(edge[0] > 0 && edge[1] > 0 && edge[2] > 0)) {
      return ga_reader_fail(r, first, "edges must be positive");
    }
    if (!set_corners(r, first, edge, body_b(r)->com, NULL, in)) return false;
  } else if (in->shape) {
    if (!ga_read_flag(r, first, &own)) return false;
    if (!own) return ga_reader_fail(r, first, "shape: true, or another surface");
    if (!set_own_shape(r, first, in)) return false;
  } else if (!(in->spheres || in->circles ? read_two(r, first, in) : read_round(r, in))) {
    return false;
  }
  ga_reader_leave(r);
  return true;
}

/* Check what the description cannot tell from zero: which laws are given. */
static bool check_given(ga_reader *r, const ga_node *node, contact_input *in) {
  ga_mechanism_contact *c = &in->contact;
  if (in->stiffness.given && in->restitution.given) {
    return ga_reader_fail(
        r, node,
        "restitution belongs to a hard contact, stiffness to a soft one; give one "
        "of them");
  }
  if (in->stiffness.given && !(in->stiffness.value > 0)) {
    return ga_reader_fail(r, node, "stiffness %g must be positive", in->stiffness.value);
  }
  if (in->slip_speed.given && !(in->slip_speed.value > 0)) {
    return ga_reader_fail(r, node, "slip_speed %g must be positive", in->slip_speed.value);
  }
  if (in->static_friction.given && c->friction == 0) {
    return ga_reader_fail(r, node, "static_friction %g needs a friction above 0",
                          in->static_friction.value);
  }
  if (in->static_friction.given && !(in->static_friction.value >= c->friction)) {
    return ga_reader_fail(r, node, "static_friction %g is less than friction %g",
                          in->static_friction.value, c->friction);
  }
  c->restitution = in->restitution.value;
  c->static_friction = in->static_friction.value;
  c->stiffness = in->stiffness.value;
  c->slip_speed = in->slip_speed.value;
  return true;
}

/* The bodies of `all`. No surfaces beside it. */
static bool read_all(ga_reader *r, const ga_node *node, contact_input *in) {
  const ga_node *list = in->all;
  const ga_node *const surfaces[] = {in->plane,   in->sphere,  in->circle, in->disk,
                                     in->box,     in->capsule, in->points, in->shape,
                                     in->spheres, in->circles, in->block};
  if (list->kind != GA_NODE_LIST || list->count < 2) {
    return ga_reader_fail(r, list, "a list of bodies [a, b, ..] is expected here");
  }
  bool other = in->contact.between[0] || in->inside || in->contact.centres.kind != GA_NOT_GIVEN;
  for (int i = 0; i < (int)(sizeof surfaces / sizeof surfaces[0]); i++)
    other |= surfaces[i] != NULL;
  if (other) {
    return ga_reader_fail(r, node,
                          "all takes the shapes of its bodies: between and surfaces do not stand "
                          "beside it");
  }
  const char **names = ga_arena_take(r->arena, (size_t)list->count, sizeof *names);
  if (!names) return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  int n = 0;
  for (const ga_node *item = list->first; item; item = item->next) {
    if (!ga_read_name(r, item, &names[n++])) return false;
  }
  in->contact.all = names;
  in->contact.nall = n;
  return true;
}

/* Read an entry of `contacts` and add it to r->m. */
bool ga_read_contact(ga_reader *r, const char *name, const ga_node *node) {
  contact_input in = {.plane = NULL};
  ga_error err = {GA_OK, ""};
  if (!ga_read_fields(r, node, ga_contact_fields, &in)) return false;
  if (!in.all && !in.contact.between[0]) {
    return ga_reader_fail(r, node, "the key 'between' is missing, or 'all'");
  }
  if (!check_given(r, node, &in)) return false;
  if (!(in.all ? read_all(r, node, &in) : read_surfaces(r, node, &in))) return false;
  in.contact.name = name;
  return ga_reader_accept(r, node, ga_mechanism_add_contact(r->m, &in.contact, &err), &err);
}
