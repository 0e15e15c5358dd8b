/* SPDX-License-Identifier: MIT */
/* Limits of coordinates, and what the keys of a joint put on its coordinates: springs, dampers,
 * rotors, friction and limits. A limit without a stiffness is hard
 * (ga_mechanism_add_limit). Soft ones: with p, how far the coordinate s is beyond a limit, and p' its
 * rate, the effort that pushes it back is
 *
 *     k p + d,   d = c p', but -k p <= d <= k p
 *
 * and 0 for p <= 0. The damping is never more than the elastic effort, so that the effort begins at 0
 * when the limit is met, whatever the speed is, and a limit never pulls. */
#include <stdio.h>
#include <string.h>

#include "file/reader.h"
#include "genalpha/ga_mechanism_contact.h"
#include "mechanism/joint/relation.h"

/* Target of the fields of a limit. */
typedef struct {
  const char *coordinate;
  ga_given lower, upper, restitution, soft;
  double stiffness, damping;
} limit_input;

#define AT(member) offsetof(limit_input, member)
const ga_field ga_limit_fields[] = {
    {"coordinate", "coordinate", "JOINT.NAME", ga_field_name, AT(coordinate), NULL, true, NULL},
    {"lower", "number", "least value", ga_field_given, AT(lower), NULL, false, "q"},
    {"upper", "number", "largest value", ga_field_given, AT(upper), NULL, false, "q"},
    {"restitution", "number", "of a hard stop: 0 to 1, default 0", ga_field_given, AT(restitution),
     NULL, false, "1"},
    {"stiffness", "number", "of a soft stop, beyond the limit; left out: a hard stop",
     ga_field_given, AT(soft), NULL, false, "J/q^2"},
    {"damping", "number", "of a soft stop; its effort is at most the elastic one", ga_field_number,
     AT(damping), NULL, false, "J s/q^2"},
    {.key = NULL}};
#undef AT

/* A ga_function_fn of s, s' and t; context: the limit_input. The effort is piecewise linear. */
static int limit_effort(void *context, const double *variables, int along, double f[3]) {
  const limit_input *l = context;
  const double s = variables[0], rate = variables[1];
  double by_p, by_rate;
  f[0] = f[1] = f[2] = 0;
  if (l->lower.given) {
    f[0] += ga_push_back(l->stiffness, l->damping, l->lower.value - s, -rate, &by_p, &by_rate);
    f[1] -= along == 0 ? by_p : along == 1 ? by_rate : 0;
  }
  if (l->upper.given) {
    f[0] -= ga_push_back(l->stiffness, l->damping, s - l->upper.value, rate, &by_p, &by_rate);
    f[1] -= along == 0 ? by_p : along == 1 ? by_rate : 0;
  }
  return 0;
}

/* Check a limit that was read from the node, and set its stiffness. */
static bool check_limit(ga_reader *r, const ga_node *node, limit_input *in) {
  if (!in->lower.given && !in->upper.given) {
    return ga_reader_fail(r, node, "a limit needs lower, upper or both");
  }
  if (in->lower.given && in->upper.given && !(in->lower.value < in->upper.value)) {
    return ga_reader_fail(r, node, "lower (%g) is %s upper (%g)", in->lower.value,
                          in->lower.value > in->upper.value ? "above" : "equal to",
                          in->upper.value);
  }
  if (!in->soft.given) {
    return in->damping == 0 || ga_reader_fail(r, node, "damping belongs to a stiffness");
  }
  if (in->restitution.given) {
    return ga_reader_fail(
        r, node, "restitution belongs to a hard limit, stiffness to a soft one; give one of them");
  }
  in->stiffness = in->soft.value;
  if (in->stiffness > 0 && in->damping >= 0) return true;
  return ga_reader_fail(r, node, "stiffness must be positive, damping not negative");
}

/* The force of a limit; it borrows `in`. */
static ga_force limit_force(const char *name, limit_input *in) {
  return (ga_force){.name = name,
                    .type = "torsion",
                    .coordinate = in->coordinate,
                    .free = {.given = true, .value = 0},
                    .law = {.fn = limit_effort, .context = in}};
}

/* A new limit of the file's arena, zero; NULL, with a failure at the node, without memory. */
static limit_input *new_limit(ga_reader *r, const ga_node *node) {
  limit_input *in = ga_arena_take(r->arena, 1, sizeof *in);
  if (in) *in = (limit_input){.coordinate = NULL};
  if (!in) ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  return in;
}

/* Add a hard limit to r->m. */
static bool add_hard(ga_reader *r, const ga_node *node, const char *name, const limit_input *in) {
  const ga_mechanism_limit limit = {name, in->coordinate, in->lower, in->upper,
                                    in->restitution.value};
  ga_error err = {GA_OK, ""};
  return ga_reader_accept(r, node, ga_mechanism_add_limit(r->m, &limit, &err), &err);
}

/* Read an entry of `limits` and add it to r->m, a soft one as an effort on its coordinate. False
 * after a failure, which is recorded in r. */
bool ga_read_limit(ga_reader *r, const char *name, const ga_node *node) {
  limit_input *in = new_limit(r, node);
  ga_error err = {GA_OK, ""};
  if (!in || !ga_read_fields(r, node, ga_limit_fields, in) || !check_limit(r, node, in)) {
    return false;
  }
  if (!in->soft.given) return add_hard(r, node, name, in);
  const ga_force force = limit_force(name, in);
  return ga_reader_accept(r, node, ga_mechanism_add_force(r->m, &force, &err), &err);
}

/* ---- keys of joints -------------------------------------------------------------------------- */

/* Number of coordinates of a type. */
static int count_coordinates(const ga_joint_type *type) {
  int n = 0;
  while (n < GA_COORDINATES_MAX && type->coordinate[n].name) n++;
  return n;
}

/* *item <- what a key of a joint gives for its coordinate k: the node itself if the joint has one
 * coordinate and the node is no map of coordinates, else the entry of that name; NULL: nothing.
 * own_key: a key by which a map is known to be the value itself; NULL: values are no maps. */
static bool pick_coordinate(ga_reader *r, const ga_joint_type *type, int k, const ga_node *node,
                            const char *own_key, const ga_node **item) {
  *item = NULL;
  if (!node) return true;
  const int n = count_coordinates(type);
  const bool named = node->kind == GA_NODE_MAP && !(own_key && ga_node_find(node, own_key));
  if (!named && n != 1) {
    return ga_reader_fail(r, node,
                          n == 0 ? "type '%s' has no coordinate"
                                 : "type '%s' has several coordinates: write {NAME: ..}",
                          type->name);
  }
  *item = named ? ga_node_find(node, type->coordinate[k].name) : node;
  for (const ga_node *other = named ? node->first : NULL; other; other = other->next) {
    int i = 0;
    while (i < n && strcmp(type->coordinate[i].name, other->key->text) != 0) i++;
    if (i < n) continue;
    return ga_reader_fail(r, other->key, "type '%s' has no coordinate '%.40s'", type->name,
                          other->key->text);
  }
  return true;
}

/* *x <- the number of a key for coordinate k of a joint; *given: there is one. */
static bool read_for_coordinate(ga_reader *r, const ga_joint_type *type, int k, const ga_node *node,
                                ga_given *x) {
  const ga_node *item;
  if (!pick_coordinate(r, type, k, node, NULL, &item)) return false;
  x->given = item != NULL;
  return item ? ga_read_number(r, item, &x->value) : true;
}

/* JOINT + between + COORDINATE + after in the file's arena; NULL without memory. */
static const char *joined_name(ga_reader *r, const char *joint, const char *between,
                               const char *coordinate, const char *after) {
  const size_t n = strlen(joint) + strlen(between) + strlen(coordinate) + strlen(after) + 1;
  char *text = ga_arena_take(r->arena, n, 1);
  if (text) snprintf(text, n, "%s%s%s%s", joint, between, coordinate, after);
  return text;
}

/* Append a force to r->joint_forces. */
static bool keep_force(ga_reader *r, const char *joint, const ga_node *node, ga_force force) {
  if (!force.name || !force.coordinate || !GA_GROW(r->joint_forces)) {
    return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  }
  r->joint_forces.item[r->joint_forces.count++] = (ga_joint_force){joint, node, force};
  return true;
}

/* Read the limit of coordinate k, if there is one, and keep its force. */
static bool read_joint_limit(ga_reader *r, const char *joint, const ga_joint_type *type, int k,
                             const ga_node *node, const char *coordinate) {
  const ga_node *item;
  const char *own = "lower"; /* one of the keys by which a limit is known */
  if (node && ga_node_find(node, "upper")) own = "upper";
  if (node && ga_node_find(node, "stiffness")) own = "stiffness";
  if (!pick_coordinate(r, type, k, node, own, &item) || !item) return r->status == GA_OK;
  limit_input *in = new_limit(r, item);
  if (!in) return false;
  in->coordinate = coordinate;
  /* the coordinate is that of the joint: the key is not read */
  if (!ga_read_fields(r, item, ga_limit_fields + 1, in) || !check_limit(r, item, in)) return false;
  const char *name = joined_name(r, joint, "_", type->coordinate[k].name, "_limit");
  if (!in->soft.given) return name ? add_hard(r, item, name, in) : false;
  return keep_force(r, joint, item, limit_force(name, in));
}

/* Target and fields of the friction of a joint. */
#define AT(member) offsetof(ga_force, member)
static const ga_field friction_fields[] = {
    {"friction", "number", NULL, ga_field_number, AT(friction), NULL, true, NULL},
    {"static_friction", "number", NULL, ga_field_number, AT(static_friction), NULL, false, NULL},
    {"speed", "number", NULL, ga_field_number, AT(speed), NULL, true, NULL},
    {.key = NULL}};
#undef AT

/* Read the friction of coordinate k, if there is one, and keep its force. */
static bool read_joint_friction(ga_reader *r, const char *joint, const ga_joint_type *type, int k,
                                const ga_node *node, const char *coordinate) {
  const ga_node *item;
  if (!pick_coordinate(r, type, k, node, "friction", &item) || !item) return r->status == GA_OK;
  ga_force force = {.type = "friction", .coordinate = coordinate};
  if (item->kind != GA_NODE_MAP) {
    return ga_reader_fail(
        r, item,
        "friction is {friction: effort, speed: rate over which its sign changes}; "
        "friction without a speed is not there yet");
  }
  if (!ga_read_fields(r, item, friction_fields, &force)) return false;
  force.name = joined_name(r, joint, "_", type->coordinate[k].name, "_friction");
  return keep_force(r, joint, item, force);
}

/* Read the inertia on coordinate k, if there is one, and put it there. */
static bool read_joint_inertia(ga_reader *r, const ga_joint_type *type, int k, const ga_node *node,
                               const char *coordinate) {
  ga_given inertia = {0};
  ga_error err = {GA_OK, ""};
  if (!node) return true;
  if (!read_for_coordinate(r, type, k, node, &inertia)) return false;
  if (!inertia.given) return true;
  const ga_status status = ga_mechanism_add_inertia(r->m, coordinate, inertia.value, &err);
  return ga_reader_accept(r, node, status, &err);
}

/* Read the keys of a joint that act on its coordinates, and keep their forces, JOINT_COORDINATE
 * and JOINT_COORDINATE_limit, in r->joint_forces. node: the joint. False after a failure. */
bool ga_read_on_coordinates(ga_reader *r, const char *joint, const char *type_name,
                            const ga_node *node, const ga_on_coordinates *on) {
  const ga_joint_type *type = ga_joint_type_named(type_name);
  if (!on->stiffness && !on->damping && !on->free && !on->inertia && !on->friction && !on->limits) {
    return true;
  }
  if (on->free && !on->stiffness) return ga_reader_fail(r, node, "free belongs to a stiffness");
  const int n = count_coordinates(type);
  for (int k = 0; k < (n > 0 ? n : 1); k++) {
    ga_given stiffness = {0}, damping = {0}, free_at = {0};
    if (!read_for_coordinate(r, type, k, on->stiffness, &stiffness) ||
        !read_for_coordinate(r, type, k, on->damping, &damping) ||
        !read_for_coordinate(r, type, k, on->free, &free_at)) {
      return false;
    }
    const char *own = n > 0 ? type->coordinate[k].name : "";
    const char *coordinate = joined_name(r, joint, ".", own, "");
    const ga_force force = {.name = joined_name(r, joint, "_", own, ""),
                            .type = "torsion",
                            .coordinate = coordinate,
                            .stiffness = stiffness.value,
                            .damping = damping.value,
                            .free = free_at};
    if ((stiffness.given || damping.given) && !keep_force(r, joint, node, force)) return false;
    if (!read_joint_inertia(r, type, k, on->inertia, coordinate)) return false;
    if (!read_joint_friction(r, joint, type, k, on->friction, coordinate)) return false;
    if (!read_joint_limit(r, joint, type, k, on->limits, coordinate)) return false;
  }
  return true;
}

/* Add the forces of r->joint_forces to r->m. False after a failure, which is recorded in r. */
bool ga_add_joint_forces(ga_reader *r) {
  for (int i = 0; i < r->joint_forces.count; i++) {
    const ga_joint_force *f = &r->joint_forces.item[i];
    ga_error err = {GA_OK, ""};
    ga_reader_enter(r, "joints");
    ga_reader_enter(r, f->joint);
    const ga_status status = ga_mechanism_add_force(r->m, &f->force, &err);
    if (!ga_reader_accept(r, f->node, status, &err)) return false;
    r->depth -= 2; /* leave the joint and "joints" */
  }
  return true;
}
