/* SPDX-License-Identifier: MIT */
/* Beams of a model file: lines, arcs and nodes, sections, shapes and materials. */
#include <math.h>
#include <string.h>

#include "file/reader.h"
#include "mechanism/beam/beam.h"

/* Target of the fields of a beam; nodes of the tree are read after all keys. NULL: not given. */
typedef struct {
  ga_beam beam;
  const ga_node *line, *arc, *nodes, *reference, *y_axis, *section, *shape, *material, *shear,
      *damping, *node_velocities;
  int stiffness, mass, formulation;
} input;

/* Field reader: keep the node, to be read after all other keys; out: const ga_node *. */
static bool keep_node(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)r, (void)f;
  *(const ga_node **)out = node;
  return true;
}

/* Field reader: a list of two numbers; out: double[2]. */
static bool read_two(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  return ga_read_numbers(r, node, 2, out);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Frames of a line, an arc or nodes, in the file's arena. */
typedef struct {
  int elements;
  ga_beam_node *nodes;
} frames;

typedef struct {
  double from[3], to[3], tangent[3], normal[3];
  double radius, angle, elements;
} curve;
#define AT(member) offsetof(curve, member)
static const ga_field line_fields[] = {
    {"from", "vector3", "start", ga_field_vector, AT(from), NULL, true, "m"},
    {"to", "vector3", "end", ga_field_vector, AT(to), NULL, true, "m"},
    {"elements", "whole", "number of elements", ga_field_number, AT(elements), NULL, true, NULL},
    {.key = NULL}};
static const ga_field arc_fields[] = {
    {"from", "vector3", "start", ga_field_vector, AT(from), NULL, true, "m"},
    {"tangent", "vector3", "there", ga_field_vector, AT(tangent), NULL, true, NULL},
    {"normal", "vector3", "towards the centre", ga_field_vector, AT(normal), NULL, true, NULL},
    {"radius", "number", "", ga_field_number, AT(radius), NULL, true, "m"},
    {"angle", "number", "", ga_field_number, AT(angle), NULL, true, NULL},
    {"elements", "whole", "number of elements", ga_field_number, AT(elements), NULL, true, NULL},
    {.key = NULL}};
#undef AT

/* Memory for the frames of n elements. */
static bool take_frames(ga_reader *r, const ga_node *node, int n, frames *out) {
  out->elements = n;
  out->nodes = ga_arena_take(r->arena, (size_t)n + 1, sizeof *out->nodes);
  if (out->nodes) return true;
  return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
}

/* *n <- a number of elements: whole to 1e-9, at least 1. */
static bool whole_elements(ga_reader *r, const ga_node *node, double x, int *n) {
  const double whole = round(x);
  if (!(fabs(x - whole) <= 1e-9 * fmax(1, fabs(whole))) || fabs(whole) > 1e8) {
    return ga_reader_fail(r, node, "elements is %.12g, not a whole number", x);
  }
  if (whole < 1) return ga_reader_fail(r, node, "a beam needs at least 1 element, not %.0f", whole);
  *n = (int)whole;
  return true;
}

/* *out <- the frames of {from, to, elements} or {from, tangent, normal, radius, angle, elements}. */
static bool read_curve(ga_reader *r, const ga_node *node, bool arc, const double *y_axis,
                       frames *out) {
  curve c = {.radius = 0};
  ga_error err = {GA_OK, ""};
  int n = 0;
  ga_reader_enter(r, arc ? "arc" : "line");
  if (!ga_read_fields(r, node, arc ? arc_fields : line_fields, &c)) return false;
  if (!whole_elements(r, ga_node_find(node, "elements"), c.elements, &n)) return false;
  if (!take_frames(r, node, n, out)) return false;
  const ga_status status =
      arc ? ga_beam_arc(c.from, c.tangent, c.normal, c.radius, c.angle, y_axis, n, out->nodes, &err)
          : ga_beam_line(c.from, c.to, y_axis, n, out->nodes, &err);
  if (!ga_reader_accept(r, node, status, &err)) return false;
  ga_reader_leave(r);
  return true;
}

/* Field reader of an orientation; out: double[4]. */
static bool read_orientation(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  return ga_read_orientation(r, node, out);
}

/* *out <- a list of frames {position, orientation}. */
static bool read_nodes(ga_reader *r, const ga_node *list, frames *out) {
  static const ga_field fields[] = {{"position", "vector3", "", ga_field_vector,
                                     offsetof(ga_beam_node, position), NULL, true, "m"},
                                    {"orientation", "orientation", "", read_orientation,
                                     offsetof(ga_beam_node, orientation), NULL, false, NULL},
                                    {.key = NULL}};
  ga_reader_enter(r, "nodes");
  if (list->kind != GA_NODE_LIST || list->count < 2) {
    return ga_reader_fail(r, list,
                          "a list of at least two frames {position, orientation} is expected here");
  }
  if (!take_frames(r, list, list->count - 1, out)) return false;
  ga_beam_node *node = out->nodes;
  for (const ga_node *item = list->first; item; item = item->next, node++) {
    if (!ga_read_fields(r, item, fields, node)) return false;
  }
  ga_reader_leave(r);
  return true;
}

/* *out <- the frames of exactly one of line, arc, nodes. */
static bool read_frames(ga_reader *r, const ga_node *where, const ga_node *line, const ga_node *arc,
                        const ga_node *nodes, const double *y_axis, frames *out) {
  const int given = (line != NULL) + (arc != NULL) + (nodes != NULL);
  if (given != 1) {
    return ga_reader_fail(r, where, "%s of line, arc, nodes is needed",
                          given == 0 ? "one" : "only one");
  }
  if (nodes) return read_nodes(r, nodes, out);
  return read_curve(r, line ? line : arc, arc != NULL, y_axis, out);
}

/* beam.nodes and elements, beam.reference */
static bool read_shape_of_beam(ga_reader *r, const ga_node *node, input *in) {
  double y[3];
  frames start = {0}, reference = {0};
  ga_reader_enter(r, "y_axis");
  if (in->y_axis && in->nodes) {
    return ga_reader_fail(r, in->y_axis, "nodes have their own axes; y_axis is for line and arc");
  }
  if (in->y_axis && !ga_read_numbers(r, in->y_axis, 3, y)) return false;
  ga_reader_leave(r);
  const double *y_axis = in->y_axis ? y : NULL;
  if (!read_frames(r, node, in->line, in->arc, in->nodes, y_axis, &start)) return false;
  in->beam.elements = start.elements;
  in->beam.nodes = start.nodes;
  if (!in->reference) return true;
  struct {
    const ga_node *line, *arc, *nodes, *y_axis;
  } of = {NULL, NULL, NULL, NULL};
#define AT(member) ((size_t)((const char *)&of.member - (const char *)&of))
  const ga_field fields[] = {{"line", "", "", keep_node, AT(line), NULL, false, NULL},
                             {"arc", "", "", keep_node, AT(arc), NULL, false, NULL},
                             {"nodes", "", "", keep_node, AT(nodes), NULL, false, NULL},
                             {"y_axis", "", "", keep_node, AT(y_axis), NULL, false, NULL},
                             {.key = NULL}};
#undef AT
  ga_reader_enter(r, "reference");
  if (!ga_read_fields(r, in->reference, fields, &of)) return false;
  double own[3];
  if (of.y_axis && !ga_read_numbers(r, of.y_axis, 3, own)) return false;
  const double *reference_y = of.y_axis ? own : y_axis;
  if (!read_frames(r, in->reference, of.line, of.arc, of.nodes, reference_y, &reference)) {
    return false;
  }
  if (reference.elements != start.elements) {
    return ga_reader_fail(r, in->reference, "the reference has %d elements, the beam has %d",
                          reference.elements, start.elements);
  }
  in->beam.reference = reference.nodes;
  ga_reader_leave(r);
  return true;
}

/* ---- sections ------------------------------------------------------------------------------- */

/* Field reader: 6 lists of 6 numbers, kept in the file's arena; out: const double *. */
static bool read_K(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  double *K = ga_arena_doubles(r->arena, 36);
  if (!K) return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  if (node->kind != GA_NODE_LIST || node->count != 6) {
    return ga_reader_fail(r, node, "K is a list of 6 rows of 6 numbers");
  }
  *(const double **)out = K;
  for (const ga_node *row = node->first; row; row = row->next, K += 6) {
    if (!ga_read_numbers(r, row, 6, K)) return false;
  }
  return true;
}

#define AT(member) offsetof(ga_beam_section, member)
static const ga_field section_fields[] = {
    {"EA", "number", "stretching", ga_field_number, AT(EA), NULL, false, "N"},
    {"GA", "vector2", "shear along y, z", read_two, AT(GA), NULL, false, "N"},
    {"GJ", "number", "torsion", ga_field_number, AT(GJ), NULL, false, "N m^2"},
    {"EI", "vector2", "bending about y, z", read_two, AT(EI), NULL, false, "N m^2"},
    {"K", "matrix6", "in place of these", read_K, AT(K), NULL, false, NULL},
    {"rhoA", "number", "mass per length", ga_field_number, AT(rhoA), NULL, true, "kg/m"},
    {"rhoI", "vector3", "rotary inertia per length about x, y, z", ga_field_vector, AT(rhoI), NULL,
     true, "kg m"},
    {.key = NULL}};
#undef AT

/* beam.section from its numbers: K, or all of EA, GA, GJ, EI */
static bool read_section(ga_reader *r, const char *beam, const ga_node *node, ga_beam_section *s) {
  double K[36];
  ga_error err = {GA_OK, ""};
  static const char *const keys[] = {"EA", "GA", "GJ", "EI"};
  ga_reader_enter(r, "section");
  if (!ga_read_fields(r, node, section_fields, s)) return false;
  for (int i = 0; i < 4; i++) {
    const ga_node *found = ga_node_find(node, keys[i]);
    if (found && s->K) {
      return ga_reader_fail(r, found->key, "both K and %s are given", keys[i]);
    }
    if (!found && !s->K) return ga_reader_fail(r, node, "the key '%s' is missing", keys[i]);
  }
  const ga_node *at = s->K ? ga_node_find(node, "K") : node;
  if (!ga_reader_accept(r, at, ga_beam_section_stiffness(beam, s, K, &err), &err)) return false;
  ga_reader_leave(r);
  return true;
}

/* *kind, *a, *b <- a shape {circle: {radius}}, {tube: {outer, inner}} or {rectangle: [b_y, b_z]} */
static bool read_profile(ga_reader *r, const ga_node *node, ga_beam_shape *kind, double *a,
                         double *b) {
  double size[2] = {0, 0};
  static const ga_field radius[] = {{"radius", "positive", "", ga_field_number, 0, NULL, true, "m"},
                                    {.key = NULL}};
  static const ga_field radii[] = {
      {"outer", "positive", "outer radius", ga_field_number, 0, NULL, true, "m"},
      {"inner", "positive", "inner radius", ga_field_number, sizeof(double), NULL, true, "m"},
      {.key = NULL}};
  if (node->kind != GA_NODE_MAP || node->count != 1) {
    return ga_reader_fail(r, node,
                          "a shape is {circle: {radius}}, {tube: {outer, inner}} or {rectangle: "
                          "[b_y, b_z]}");
  }
  const ga_node *item = node->first;
  const char *key = item->key->text;
  bool ok;
  if (strcmp(key, "circle") == 0) {
    *kind = GA_BEAM_CIRCLE;
    ok = ga_read_fields(r, item, radius, size);
  } else if (strcmp(key, "tube") == 0) {
    *kind = GA_BEAM_TUBE;
    ok = ga_read_fields(r, item, radii, size);
  } else if (strcmp(key, "rectangle") == 0) {
    *kind = GA_BEAM_RECTANGLE;
    ok = ga_read_numbers(r, item, 2, size);
  } else {
    return ga_reader_fail(r, item->key, "unknown shape '%.40s'; known are circle, tube, rectangle",
                          key);
  }
  *a = size[0], *b = size[1];
  return ok;
}

/* *out <- {E, nu or G, density} */
static bool read_material(ga_reader *r, const ga_node *node, ga_beam_material *out) {
  struct {
    double E, density;
    ga_given nu, G;
  } m = {.E = 0};
#define AT(member) ((size_t)((const char *)&m.member - (const char *)&m))
  const ga_field fields[] = {
      {"E", "number", "Young's modulus", ga_field_number, AT(E), NULL, true, "N/m^2"},
      {"nu", "number", "Poisson's ratio", ga_field_given, AT(nu), NULL, false, NULL},
      {"G", "number", "shear modulus", ga_field_given, AT(G), NULL, false, "N/m^2"},
      {"density", "number", "", ga_field_number, AT(density), NULL, true, "kg/m^3"},
      {.key = NULL}};
#undef AT
  ga_reader_enter(r, "material");
  if (!ga_read_fields(r, node, fields, &m)) return false;
  if (m.nu.given == m.G.given) {
    return ga_reader_fail(r, node,
                          m.G.given ? "both nu and G are given" : "the key 'nu' or 'G' is missing");
  }
  out->E = m.E;
  out->density = m.density;
  out->G = m.G.given ? m.G.value : m.E / (2 * (1 + m.nu.value));
  ga_reader_leave(r);
  return true;
}

/* beam.section from a shape and a material */
static bool read_shape(ga_reader *r, const ga_node *node, const input *in, ga_beam_section *s) {
  ga_beam_material material = {.E = 0};
  ga_beam_shape kind = GA_BEAM_CIRCLE;
  ga_error err = {GA_OK, ""};
  double a = 0, b = 0;
  ga_reader_enter(r, "shape");
  if (!read_profile(r, in->shape, &kind, &a, &b)) return false;
  ga_reader_leave(r);
  if (!in->material) return ga_reader_fail(r, node, "the key 'material' is missing");
  if (!read_material(r, in->material, &material)) return false;
  ga_reader_enter(r, "shear");
  if (in->shear && !ga_read_numbers(r, in->shear, 2, material.shear)) return false;
  if (in->shear && !(material.shear[0] > 0 && material.shear[1] > 0)) {
    return ga_reader_fail(r, in->shear, "the shear factors must be positive");
  }
  ga_reader_leave(r);
  return ga_reader_accept(r, in->shape, ga_beam_section_of(kind, a, b, &material, s, &err), &err);
}

/* beam.section from `section`, or from `shape` and `material` */
static bool read_any_section(ga_reader *r, const char *name, const ga_node *node, input *in) {
  if (in->section && in->shape) {
    return ga_reader_fail(r, in->shape->key, "both section and shape are given");
  }
  if (!in->section && !in->shape) {
    return ga_reader_fail(r, node, "a section, or a shape with a material, is missing");
  }
  if (in->shape) return read_shape(r, node, in, &in->beam.section);
  if (in->material) {
    return ga_reader_fail(r, in->material->key, "a material goes with a shape, not with a section");
  }
  if (in->shear) {
    return ga_reader_fail(r, in->shear->key, "shear goes with a shape; a section has GA");
  }
  return read_section(r, name, in->section, &in->beam.section);
}

/* ---- the beam ------------------------------------------------------------------------------- */

/* beam.damping: one number, or six */
static bool read_damping(ga_reader *r, const ga_node *node, double *damping) {
  ga_reader_enter(r, "damping");
  if (node->kind == GA_NODE_LIST) {
    if (!ga_read_numbers(r, node, 6, damping)) return false;
  } else {
    if (!ga_read_number(r, node, &damping[0])) return false;
    for (int i = 1; i < 6; i++) damping[i] = damping[0];
  }
  ga_reader_leave(r);
  return true;
}

/* beam.node_velocities: n + 1 lists of 6 numbers; excludes velocity and angular_velocity */
static bool read_node_velocities(ga_reader *r, const ga_node *map, const ga_node *list,
                                 ga_beam *beam) {
  static const char *const others[] = {"velocity", "angular_velocity"};
  ga_reader_enter(r, "node_velocities");
  for (int i = 0; i < 2; i++) {
    if (!ga_node_find(map, others[i])) continue;
    return ga_reader_fail(r, list, "both node_velocities and %s are given", others[i]);
  }
  if (list->kind != GA_NODE_LIST || list->count != beam->elements + 1) {
    return ga_reader_fail(r, list,
                          "a list of %d entries [6 numbers], one per node, is expected here",
                          beam->elements + 1);
  }
  double(*v)[6] = ga_arena_take(r->arena, (size_t)list->count, sizeof *v);
  if (!v) return ga_reader_accept(r, list, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  beam->node_velocities = v[0];
  for (const ga_node *item = list->first; item; item = item->next, v++) {
    if (!ga_read_numbers(r, item, 6, *v)) return false;
  }
  ga_reader_leave(r);
  return true;
}

#define AT(member) offsetof(input, member)
const ga_field ga_beam_fields[] = {
    {"line", "beam_line", "straight: {from, to, elements}", keep_node, AT(line), NULL, false, "m"},
    {"arc", "beam_arc", "of a circle: {from, tangent, normal, radius, angle, elements}", keep_node,
     AT(arc), NULL, false, "m"},
    {"nodes", "beam_nodes", "frames {position, orientation}, x along the tangent", keep_node,
     AT(nodes), NULL, false, "m"},
    {"reference", "beam_reference",
     "where it has no stress: line, arc or nodes; default: the start", keep_node, AT(reference),
     NULL, false, "m"},
    {"y_axis", "vector3", "y of the section at the start; default: a space axis far from the line",
     keep_node, AT(y_axis), NULL, false, "1"},
    {"section", "beam_section", "EA, GA, GJ, EI or K, rhoA, rhoI; or", keep_node, AT(section), NULL,
     false, "N, N m^2, kg/m, kg m"},
    {"shape", "beam_shape", "circle, tube, rectangle, with a material", keep_node, AT(shape), NULL,
     false, "m"},
    {"material", "beam_material", "E, nu or G, density", keep_node, AT(material), NULL, false,
     "N/m^2, kg/m^3"},
    {"shear", "vector2", "shear factors; default: 5/6 rectangle, 0.9 circle, 0.5 tube", keep_node,
     AT(shear), NULL, false, "1"},
    {"damping", "beam_damping", "of strain rates, one or six times", keep_node, AT(damping), NULL,
     false, "s"},
    {"load", "vector3", "dead load per length, space axes", ga_field_vector, AT(beam.load), NULL,
     false, "N/m"},
    {"stiffness", "choice", "of an element", ga_field_choice, AT(stiffness),
     "flexibility|constant_strain", false, NULL},
    {"mass", "choice", "of an element", ga_field_choice, AT(mass), "consistent|lumped", false,
     NULL},
    {"formulation", "choice", "velocities of nodes", ga_field_choice, AT(formulation), "se3|r3so3",
     false, NULL},
    {"velocity", "vector3", "of the start, space axes", ga_field_vector, AT(beam.velocity), NULL,
     false, "m/s"},
    {"angular_velocity", "vector3", "of all nodes, space axes: a rigid motion", ga_field_vector,
     AT(beam.angular_velocity), NULL, false, "rad/s"},
    {"node_velocities", "beam_velocities", "six numbers per node, space axes", keep_node,
     AT(node_velocities), NULL, false, "m/s, rad/s"},
    {.key = NULL}};
#undef AT

/* Read an entry of `beams` and add it to r->m. An assembly leaves velocities that the file gives.
 * False: a failure is recorded in r. */
bool ga_read_beam(ga_reader *r, const char *name, const ga_node *node) {
  input in = {.stiffness = 0};
  ga_error err = {GA_OK, ""};
  r->planar = false;
  if (!ga_read_fields(r, node, ga_beam_fields, &in)) return false;
  if (!read_shape_of_beam(r, node, &in) || !read_any_section(r, name, node, &in)) return false;
  if (in.damping && !read_damping(r, in.damping, in.beam.damping)) return false;
  if (in.node_velocities && !read_node_velocities(r, node, in.node_velocities, &in.beam)) {
    return false;
  }
  in.beam.name = name;
  in.beam.stiffness = in.stiffness ? GA_BEAM_CONSTANT_STRAIN : GA_BEAM_FLEXIBILITY;
  in.beam.mass = in.mass ? GA_BEAM_LUMPED : GA_BEAM_CONSISTENT;
  in.beam.formulation = in.formulation ? GA_FORMULATION_R3SO3 : GA_FORMULATION_SE3;
  const int first = r->m->bodies.count;
  if (!ga_reader_accept(r, node, ga_mechanism_beam(r->m, &in.beam, &err), &err)) return false;
  const unsigned all = GA_HOLD_VELOCITY | GA_HOLD_SPIN;
  const bool moving = r->parts.count > 0 && r->parts.item[r->part].moving;
  const unsigned given = in.node_velocities || moving
                             ? all
                             : (ga_node_find(node, "velocity") ? GA_HOLD_VELOCITY : 0u) |
                                   (ga_node_find(node, "angular_velocity") ? all : 0u);
  for (int i = first; i < r->m->bodies.count; i++) r->m->bodies.item[i].hold |= given;
  return true;
}
