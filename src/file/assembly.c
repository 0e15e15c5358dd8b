/* SPDX-License-Identifier: MIT */
/* Sub-assemblies: a model file, or a template of the file itself, with parameters of its own, placed
 * in space or in the frame of a body. Names get the prefix NAME_ of the assembly; assemblies may
 * contain others. All parts of a model are found first; then the sections are read one after the
 * other, each of all parts, so that bodies exist before joints.
 *
 * A part sees its own parameters and names only. Of a file that is a part, the sections, `repeat`,
 * `parameters`, `initial`, `templates` and `include` count; the rest is for running it alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/private.h"

enum { PARTS_MAX = 100000, DEPTH_MAX = 32 };

/* Target of the fields of an assembly. */
typedef struct {
  const ga_node *file, *template, *parameters, *position, *orientation;
  const ga_node *velocity, *angular_velocity;
  const char *in;
} assembly_input;

/* Field reader: keep the node. */
static bool keep_node(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)r, (void)f;
  *(const ga_node **)out = node;
  return true;
}

#define AT(member) offsetof(assembly_input, member)
const ga_field ga_assembly_fields[] = {
    {"file", "text", "model file or robot (.urdf) that it is, relative to this file", keep_node,
     AT(file), NULL, false, NULL},
    {"template", "name", "or an entry of templates, of this file or of one around it", keep_node,
     AT(template), NULL, false, NULL},
    {"parameters", "numbers", "values in place of those of the file or template", keep_node,
     AT(parameters), NULL, false, NULL},
    {"position", "vector", "origin of its frame", keep_node, AT(position), NULL, false, "m"},
    {"orientation", "orientation", "axes of its frame; a number: an angle about z", keep_node,
     AT(orientation), NULL, false, NULL},
    {"velocity", "vector", "of its origin at the start", keep_node, AT(velocity), NULL, false,
     "m/s"},
    {"angular_velocity", "angular_velocity", "of all of it at the start", keep_node,
     AT(angular_velocity), NULL, false, "rad/s"},
    {"in", "name", "position and orientation are relative to this body", ga_field_name, AT(in),
     NULL, false, NULL},
    {.key = NULL}};
#undef AT

/* ---- parts that are read -------------------------------------------------------------------- */

/* The name with the prefix of the part that is read. */
const char *ga_full_name(const ga_reader *r, const char *name, char *full, size_t room) {
  if (!r->prefix || strcmp(name, "ground") == 0 || strcmp(name, "t") == 0) return name;
  snprintf(full, room, "%s%s", r->prefix, name);
  return full;
}

/* Append the words of part i to the position in messages: assemblies.car.assemblies.wheel */
static void enter_words(ga_reader *r, int i) {
  if (i <= 0) return;
  enter_words(r, r->parts.item[i].parent);
  ga_reader_enter(r, "assemblies");
  ga_reader_enter(r, r->parts.item[i].name);
}

/* Exchange the reader's parameters with those of the part; the root and the prefix are the part's. */
static void exchange(ga_reader *r, ga_part *part) {
  const ga_parameter_list parameters = r->parameters;
  r->parameters = part->parameters;
  part->parameters = parameters;
}

/* Part i becomes the one that is read. */
void ga_enter_part(ga_reader *r, int i) {
  ga_part *part = &r->parts.item[i];
  if (i > 0) exchange(r, part);
  r->part = i;
  r->root = part->root;
  r->prefix = i > 0 ? part->prefix : NULL;
  r->depth = 0;
  enter_words(r, i);
}

/* The model file itself becomes the one that is read. */
void ga_leave_part(ga_reader *r) {
  if (r->part > 0) exchange(r, &r->parts.item[r->part]);
  r->part = 0;
  r->root = r->parts.item[0].root;
  r->prefix = NULL;
  r->depth = 0;
}

/* base <- the placement `own` in the frame (x, p); the velocities of that frame move it along. */
static void compose(const ga_placement *frame, const ga_placement *own, ga_placement *base) {
  double R[9], arm[3], turned[3];
  ga_rotation3(frame->orientation, R);
  ga_times3(R, own->position, arm);
  ga_plus3(frame->position, 1, arm, base->position);
  ga_quat_mul(frame->orientation, own->orientation, base->orientation);
  ga_times3(R, own->velocity, turned);
  ga_plus3(frame->velocity, 1, turned, base->velocity);
  ga_add_cross3(1, frame->angular_velocity, arm, base->velocity);
  ga_times3(R, own->angular_velocity, turned);
  ga_plus3(frame->angular_velocity, 1, turned, base->angular_velocity);
}

/* *frame <- that of the body `in` at the start; its motion is not included. */
static bool frame_of_body(ga_reader *r, const ga_part *part, ga_placement *frame) {
  const ga_symbol *s = ga_mechanism_find(r->m, part->in);
  if (!s || s->kind != GA_NAMED_BODY) {
    return ga_reader_fail(r, ga_node_find(part->entry, "in"), "there is no body '%s' above",
                          part->in);
  }
  const ga_solid *b = &r->m->bodies.item[s->index];
  double arm[3];
  ga_times3(b->R0, b->com, arm);
  ga_plus3(b->x0, -1, arm, frame->position);
  memcpy(frame->orientation, b->p0, sizeof frame->orientation);
  if (!b->kind->planar) return true;
  frame->orientation[0] = cos(b->angle0 / 2), frame->orientation[3] = sin(b->angle0 / 2);
  frame->orientation[1] = frame->orientation[2] = 0;
  return true;
}

/* Let the mechanism place what the part adds; first: find the place, of bodies that are there. */
bool ga_place_part(ga_reader *r, bool first) {
  ga_part *part = &r->parts.item[r->part];
  ga_error err = {GA_OK, ""};
  if (part->parent >= 0 && first) {
    const ga_part *parent = &r->parts.item[part->parent];
    ga_placement frame = parent->base;
    if (part->in && strcmp(part->in, "ground") != 0 && !frame_of_body(r, part, &frame))
      return false;
    compose(&frame, &part->place, &part->base);
    part->placed = parent->placed || part->placed || part->in;
    part->moving = parent->moving || part->moving;
  }
  const ga_status status = ga_mechanism_place(r->m, part->placed ? &part->base : NULL, &err);
  return ga_reader_accept(r, part->entry ? part->entry : r->root, status, &err);
}

/* ---- finding them --------------------------------------------------------------------------- */

/* x <- a list of two or three numbers */
static bool read_place_vector(ga_reader *r, const char *key, const ga_node *node, double *x) {
  if (!node) return true;
  ga_reader_enter(r, key);
  r->planar = node->kind == GA_NODE_LIST && node->count == 2;
  if (!ga_read_vector(r, node, x)) return false;
  ga_reader_leave(r);
  return true;
}

/* part->place <- position, orientation and velocities of the entry. */
static bool read_place(ga_reader *r, const assembly_input *in, ga_part *part) {
  ga_placement *p = &part->place;
  const ga_node *turn = in->orientation, *spin = in->angular_velocity;
  double angle = 0;
  p->orientation[0] = 1;
  if (!read_place_vector(r, "position", in->position, p->position)) return false;
  if (!read_place_vector(r, "velocity", in->velocity, p->velocity)) return false;
  ga_reader_enter(r, "orientation");
  if (turn && turn->kind == GA_NODE_SCALAR) {
    if (!ga_read_number(r, turn, &angle)) return false;
    p->orientation[0] = cos(angle / 2), p->orientation[3] = sin(angle / 2);
  } else if (turn && !ga_read_orientation(r, turn, p->orientation)) {
    return false;
  }
  ga_reader_leave(r);
  ga_reader_enter(r, "angular_velocity");
  if (spin && spin->kind == GA_NODE_SCALAR) {
    if (!ga_read_number(r, spin, &p->angular_velocity[2])) return false;
  } else if (spin && !ga_read_numbers(r, spin, 3, p->angular_velocity)) {
    return false;
  }
  ga_reader_leave(r);
  part->in = in->in;
  part->moving = in->velocity || spin;
  part->placed = in->position || turn || part->moving;
  return true;
}

/* *root <- the tree of the file or template. */
static bool find_root(ga_reader *r, const ga_node *node, const assembly_input *in,
                      const ga_node **root) {
  const char *name;
  if (!in->file == !in->template) {
    return ga_reader_fail(r, node, "an assembly needs either a file or a template");
  }
  ga_reader_enter(r, in->file ? "file" : "template");
  if (!ga_read_text(r, in->file ? in->file : in->template, &name)) return false;
  if (in->file && !ga_read_tree(r, in->file, name, root)) return false;
  for (int i = r->part; in->template && i >= 0; i = r->parts.item[i].parent) {
    const ga_node *templates = ga_node_find(r->parts.item[i].root, "templates");
    *root = templates && templates->kind == GA_NODE_MAP ? ga_node_find(templates, name) : NULL;
    if (*root) break;
  }
  if (!*root) return ga_reader_fail(r, in->template, "there is no template '%.60s'", name);
  ga_reader_leave(r);
  return in->file ? true : ga_check_head(r, *root, false);
}

/* Fail if the part would contain itself, or is too deep. */
static bool check_circle(ga_reader *r, const ga_node *node, const ga_node *root) {
  int depth = 0;
  for (int i = r->part; i >= 0; i = r->parts.item[i].parent, depth++) {
    if (r->parts.item[i].root != root) continue;
    return ga_reader_fail(r, node, "the assembly contains itself: %s:%d", root->file, root->line);
  }
  if (depth > DEPTH_MAX) {
    return ga_reader_fail(r, node, "assemblies are nested more than %d deep", DEPTH_MAX);
  }
  if (r->parts.count < PARTS_MAX) return true;
  return ga_reader_fail(r, node, "there are more than %d assemblies", PARTS_MAX);
}

/* set[0 .. *n - 1] <- the entry's parameters, evaluated where it stands, as texts in the arena. */
static bool read_set(ga_reader *r, const ga_node *map, ga_file_set *set, int *n) {
  *n = 0;
  if (!map) return true;
  ga_reader_enter(r, "parameters");
  if (map->kind != GA_NODE_MAP || map->count > GA_SET_MAX) {
    return ga_reader_fail(r, map, "a map {NAME: value} of at most %d is expected here", GA_SET_MAX);
  }
  for (const ga_node *item = map->first; item; item = item->next) {
    double x;
    char text[40];
    if (!ga_read_number(r, item, &x)) return false;
    snprintf(text, sizeof text, "%.17g", x);
    set[(*n)++] = (ga_file_set){item->key->text, ga_reader_text(r, text)};
  }
  ga_reader_leave(r);
  return true;
}

/* Read the parameters of the part that is entered; fail for a value that it has no parameter for. */
static bool read_parameters(ga_reader *r, const ga_node *given, const ga_file_set *set, int n) {
  const ga_node *own = ga_node_find(r->root, "parameters");
  bool used[GA_SET_MAX] = {false};
  if (own && !ga_read_part_parameters(r, own, set, n, used)) return false;
  int i = 0;
  for (const ga_node *item = given ? given->first : NULL; item; item = item->next, i++) {
    if (used[i]) continue;
    return ga_reader_fail(r, item->key, "the assembly has no parameter '%.60s'", item->key->text);
  }
  return true;
}

static const ga_section *assembly_section(void) {
  const ga_section *s = ga_sections;
  while (s->read != ga_read_assembly) s++;
  return s;
}

/* Find the assemblies of the part that is entered. */
static bool find_parts(ga_reader *r) {
  const ga_node *own = ga_node_find(r->root, "assemblies");
  const ga_node *repeat = ga_node_find(r->root, "repeat");
  if (own && !ga_read_section(r, assembly_section(), own)) return false;
  return repeat ? ga_read_repeat(r, repeat, assembly_section()) : true;
}

/* Read an entry of `assemblies`: add the part, and those that it contains. */
bool ga_read_assembly(ga_reader *r, const char *name, const ga_node *node) {
  assembly_input in = {.file = NULL};
  ga_file_set set[GA_SET_MAX];
  int nset;
  const ga_node *root = NULL;
  ga_part part = {.parent = r->part, .entry = node};
  if (!ga_read_fields(r, node, ga_assembly_fields, &in)) return false;
  if (!find_root(r, node, &in, &root) || !check_circle(r, node, root)) return false;
  if (!read_place(r, &in, &part) || !read_set(r, in.parameters, set, &nset)) return false;
  char prefix[GA_WORD_ROOM + 2];
  snprintf(prefix, sizeof prefix, "%s_", name);
  part.name = node->key->text;
  if (strchr(part.name, '{')) part.name = name;
  part.prefix = ga_reader_text(r, prefix);
  part.root = root;
  if (!GA_GROW(r->parts)) {
    return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  }
  const int i = r->parts.count++, before = r->part, depth = r->depth, nindex = r->nindex;
  ga_parameter index[GA_INDEX_MAX];
  char where[GA_WHERE_MAX][64];
  memcpy(index, r->index, sizeof index);
  memcpy(where, r->where, sizeof where);
  r->parts.item[i] = part;
  if (before > 0) exchange(r, &r->parts.item[before]);
  r->nindex = 0; /* the part sees no index of a repetition around it */
  ga_enter_part(r, i);
  if (!read_parameters(r, in.parameters, set, nset) || !find_parts(r)) return false;
  ga_leave_part(r);
  ga_enter_part(r, before);
  memcpy(r->index, index, sizeof index);
  memcpy(r->where, where, sizeof where);
  r->nindex = nindex;
  r->depth = depth;
  return true;
}

/* All parts, the model file first. */
bool ga_read_parts(ga_reader *r) {
  if (!GA_GROW(r->parts)) {
    return ga_reader_accept(r, r->root, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  }
  ga_part *whole = &r->parts.item[r->parts.count++];
  *whole = (ga_part){.name = "", .prefix = "", .parent = -1, .root = r->root};
  whole->base.orientation[0] = 1;
  return find_parts(r);
}
