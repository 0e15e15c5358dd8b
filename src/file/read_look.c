/* SPDX-License-Identifier: MIT */
/* Looks of bodies and of the ground: what pictures show, nothing more. Functions that return bool
 * return false after a failure, which is recorded in r. */
#include <stdlib.h>
#include <string.h>

#include "file/private.h"

/* ---- colours --------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  int value;
} colours[] = {{"red", 0xd1495b},    {"orange", 0xe07a1f}, {"yellow", 0xe8b83a},
               {"green", 0x3a9d5d},  {"teal", 0x1f9e9e},   {"blue", 0x3b76c4},
               {"purple", 0x8458b3}, {"pink", 0xd977a8},   {"brown", 0x8a5a3b},
               {"black", 0x222222},  {"grey", 0x8c929a},   {"white", 0xf2f2f2}};
enum { NCOLOUR = (int)(sizeof colours / sizeof colours[0]) };

/* Names of colours, for "did you mean"; NULL past the end. */
static const char *word_of_colour(int i) {
  return i < NCOLOUR ? colours[i].name : NULL;
}

/* Set look->colour (0xrrggbb) and look->coloured (true) from a word or "#rrggbb". */
static bool read_colour(ga_reader *r, const ga_node *node, ga_body_look *look) {
  const char *text;
  if (!ga_read_text(r, node, &text)) return false;
  look->coloured = true;
  if (text[0] == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6) {
    look->colour = (int)strtol(text + 1, NULL, 16);
    return true;
  }
  for (int i = 0; i < NCOLOUR; i++) {
    look->colour = colours[i].value;
    if (strcmp(colours[i].name, text) == 0) return true;
  }
  const char *near = ga_nearest_word(text, word_of_colour);
  return ga_reader_fail(
      r, node, "unknown colour '%.40s'%s%s%s", text,
      near ? "; did you mean '"
           : "; write \"#rrggbb\" (in quotes) or red, orange, yellow, green, teal, "
             "blue, purple, pink, brown, black, grey, white",
      near ? near : "", near ? "'?" : "");
}

/* ---- one look -------------------------------------------------------------------------------- */

/* Read the pose of a look: position and orientation in the body frame, each with its default. */
static bool read_pose(ga_reader *r, const ga_node *item, ga_body_look *look) {
  look->has_pose = true;
  if (strcmp(item->key->text, "position") == 0) return ga_read_vector(r, item, look->position);
  double angle;
  if (!r->planar) return ga_read_orientation(r, item, look->orientation);
  if (!ga_read_number(r, item, &angle)) return false;
  ga_quat_exp((const double[3]){0, 0, angle}, look->orientation);
  return true;
}

/* Read the file of a mesh: a path that is not absolute begins at the model file. Addresses,
 * package://NAME/FILE, stay as they are. */
static bool read_mesh(ga_reader *r, const ga_node *item, ga_body_look *look) {
  const char *name;
  char path[4096];
  if (look->shape != GA_SHAPE_NONE) return ga_reader_fail(r, item->key, "a second shape");
  if (!ga_read_text(r, item, &name)) return false;
  if (!*name) return ga_reader_fail(r, item, "a mesh is the name of a file, FILE.stl or FILE.obj");
  const bool address = strstr(name, "://") != NULL;
  if (!address && !ga_reader_path(r, item->file, name, sizeof path, path)) {
    return ga_reader_fail(r, item, "the path of '%.60s' is too long", name);
  }
  const char *whole = address ? name : path;
  char *own = ga_arena_take(r->arena, strlen(whole) + 1, 1);
  if (!own) return ga_reader_accept(r, item, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  look->shape = GA_SHAPE_MESH;
  look->mesh = strcpy(own, whole);
  return true;
}

/* Read the scale of a mesh: one number, or one for each axis; a negative one mirrors. */
static bool read_scale(ga_reader *r, const ga_node *item, double scale[3]) {
  const bool list = item->kind == GA_NODE_LIST;
  if (!(list ? ga_read_numbers(r, item, 3, scale) : ga_read_number(r, item, scale))) return false;
  if (!list) scale[1] = scale[2] = scale[0];
  for (int i = 0; i < 3; i++) {
    if (scale[i] == 0) return ga_reader_fail(r, item, "a scale must not be 0");
  }
  return true;
}

/* Read one entry of a look. */
static bool read_entry(ga_reader *r, const ga_node *item, ga_shape_input *own) {
  const char *key = item->key->text;
  if (strcmp(key, "colour") == 0) return read_colour(r, item, &own->look);
  if (strcmp(key, "hide") == 0) return ga_read_flag(r, item, &own->look.hide);
  if (strcmp(key, "mesh") == 0) return read_mesh(r, item, &own->look);
  if (strcmp(key, "scale") == 0) return read_scale(r, item, own->look.scale);
  const bool pose = strcmp(key, "position") == 0 || strcmp(key, "orientation") == 0;
  return pose ? read_pose(r, item, &own->look) : ga_read_shape_entry(r, item, true, own);
}

/* Update *look from a shape, a colour, or both, a pose, and whether it is drawn. Without a shape it
 * keeps the one that is there; a shape replaces all of *look. Unchanged on failure. */
static bool read_look(ga_reader *r, const ga_node *node, ga_body_look *look) {
  ga_shape_input own = {.volume = 0};
  if (node->kind != GA_NODE_MAP || node->count == 0) {
    return ga_reader_fail(r, node,
                          "a look is a shape, a colour, or both: {sphere: {radius: 0.1}, colour: "
                          "red}");
  }
  for (const ga_node *item = node->first; item; item = item->next) {
    if (!read_entry(r, item, &own)) return false;
  }
  if (own.look.shape != GA_SHAPE_MESH && own.look.scale[0] != 0) {
    return ga_reader_fail(r, node, "a scale belongs to a mesh");
  }
  if (own.look.shape != GA_SHAPE_NONE) {
    *look = own.look;
    return true;
  }
  if (own.look.has_pose) return ga_reader_fail(r, node, "a position belongs to a shape");
  if (own.look.coloured) look->colour = own.look.colour;
  look->coloured = look->coloured || own.look.coloured;
  look->hide = own.look.hide;
  return true;
}

/* ---- several --------------------------------------------------------------------------------- */

/* *looks <- the looks of a list from `node` on, n of them, in the file's arena; NULL if n is 0. Each
 * must have a shape. */
static bool read_list(ga_reader *r, const ga_node *node, int n, ga_body_look **looks) {
  *looks = n > 0 ? ga_arena_take(r->arena, (size_t)n, sizeof **looks) : NULL;
  if (n > 0 && !*looks) {
    return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  }
  for (int i = 0; i < n; i++, node = node->next) {
    if (!read_look(r, node, &(*looks)[i])) return false;
    if ((*looks)[i].shape == GA_SHAPE_NONE) return ga_reader_fail(r, node, "a shape is missing");
  }
  return true;
}

/* Set body->look and body->more_looks from one look or a list of them. */
bool ga_read_looks(ga_reader *r, const ga_node *node, ga_body *body) {
  if (node->kind != GA_NODE_LIST) return read_look(r, node, &body->look);
  if (node->count == 0) return ga_reader_fail(r, node, "a list of looks has one or more");
  ga_body_look *more;
  if (!read_look(r, node->first, &body->look)) return false;
  if (!read_list(r, node->first->next, node->count - 1, &more)) return false;
  body->more_looks = more;
  body->nmore = node->count - 1;
  return true;
}

/* Read the key `ground`: {look: ..}, one or a list. */
bool ga_read_ground(ga_reader *r, const ga_node *node) {
  const ga_node *look = node->kind == GA_NODE_MAP ? ga_node_find(node, "look") : NULL;
  ga_body_look *looks;
  ga_error err = {GA_OK, ""};
  ga_reader_enter(r, "ground");
  if (!look || node->count != 1) {
    return ga_reader_fail(r, node, "the ground has {look: ..} and nothing else");
  }
  ga_reader_enter(r, "look");
  r->planar = false;
  const bool list = look->kind == GA_NODE_LIST;
  const int n = list ? look->count : 1;
  if (!read_list(r, list ? look->first : look, n, &looks)) return false;
  const ga_status status = ga_mechanism_set_ground_looks(r->m, n, looks, &err);
  if (!ga_reader_accept(r, look, status, &err)) return false;
  ga_reader_leave(r);
  ga_reader_leave(r);
  return true;
}
