/* SPDX-License-Identifier: MIT */
/* Numbers that a model file names: parameters, in order, and start values of coordinates. Functions
 * that return bool return false after a failure, which is recorded in r. */
#include <stdio.h>
#include <string.h>

#include "file/private.h"

/* The i-th word that cannot be a name of a parameter; NULL past the end. Variables of functions (t,
 * s, s_dot) can, if no function mentions them: see ga_read_function. */
const char *ga_reserved_word(int i) {
  static const char *const reserved[] = {"ground", "energy", "momentum", "angular_momentum", "pi"};
  return i < (int)(sizeof reserved / sizeof reserved[0]) ? reserved[i] : NULL;
}

/* True for letters, digits and _, not beginning with a digit, and no reserved word. */
static bool valid_name(const char *name) {
  const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  if (!*name || strspn(name, letters) != strlen(name) || (*name >= '0' && *name <= '9'))
    return false;
  for (int i = 0; ga_reserved_word(i); i++) {
    if (strcmp(ga_reserved_word(i), name) == 0) return false;
  }
  return true;
}

/* True if the key can be the name of a parameter or of an index; else fails at the key. */
bool ga_valid_name(ga_reader *r, const ga_node *key) {
  if (valid_name(key->text)) return true;
  return ga_reader_fail(
      r, key, "'%.60s' cannot be a name: letters, digits and _, not pi, ground, energy, momentum",
      key->text);
}

/* A copy of the node, with the caller's value (set[0..nset-1], such as --set NAME=VALUE) if there
 * is one for its key; then its line is 0, by which messages know it, and used[i] becomes true. */
ga_node ga_replaced_by_set(const ga_node *node, const ga_file_set *set, int nset, bool *used) {
  ga_node own = *node;
  for (int i = 0; i < nset; i++) {
    if (strcmp(set[i].name, node->key->text) != 0) continue;
    own.kind = GA_NODE_SCALAR;
    own.text = set[i].value;
    own.line = 0;
    if (used) used[i] = true;
  }
  return own;
}

/* Append the entries of `parameters` to r->parameters; each may use those above it. set, nset:
 * values of the caller, which replace those of the file; used[i] becomes true for each that did.
 * r->later is the map meanwhile, so that messages can name parameters further down. */
bool ga_read_part_parameters(ga_reader *r, const ga_node *node, const ga_file_set *set, int nset,
                             bool *used) {
  ga_reader_enter(r, "parameters");
  if (node->kind != GA_NODE_MAP)
    return ga_reader_fail(r, node, "a map {NAME: value} is expected here");
  r->later = node;
  for (const ga_node *item = node->first; item; item = item->next) {
    double value;
    ga_reader_enter(r, item->key->text);
    if (!ga_valid_name(r, item->key)) return false;
    for (int i = 0; i < r->parameters.count; i++) {
      if (strcmp(r->parameters.item[i].name, item->key->text) == 0) {
        return ga_reader_fail(r, item->key, "the parameter stands here twice");
      }
    }
    const ga_node own = ga_replaced_by_set(item, set, nset, used);
    if (!ga_read_number(r, &own, &value)) return false;
    if (!GA_GROW(r->parameters)) return ga_reader_fail(r, item, "no memory");
    r->parameters.item[r->parameters.count++] = (ga_parameter){item->key->text, value};
    ga_reader_leave(r);
  }
  r->later = NULL;
  ga_reader_leave(r);
  return true;
}

/* Name of the i-th parameter, or behind them of an input, NULL past the end (candidates of
 * ga_nearest_in). */
static const char *parameter_name(const void *context, int i) {
  const ga_reader *r = context;
  if (i < r->parameters.count) return r->parameters.item[i].name;
  const ga_node *input = r->inputs && r->inputs->kind == GA_NODE_MAP ? r->inputs->first : NULL;
  for (int k = r->parameters.count; input && k < i; k++) input = input->next;
  return input ? input->key->text : NULL;
}

/* Fail if the caller set a parameter that the file does not have, that is, if a used[i] is
 * false, nor an input. */
static bool check_set_names(ga_reader *r, const ga_file_set *set, int nset, const bool *used) {
  for (int i = 0; i < nset; i++) {
    if (used[i] || (r->inputs && ga_node_find(r->inputs, set[i].name))) continue;
    const char *near = ga_nearest_in(set[i].name, parameter_name, r);
    char all[300] = "";
    size_t at = 0;
    for (int k = 0; parameter_name(r, k) && at < sizeof all - 1; k++) {
      at += (size_t)snprintf(all + at, sizeof all - at, "%s%.60s", k ? ", " : "; it has ",
                             parameter_name(r, k));
    }
    r->status =
        near ? ga_fail(r->err, GA_ERR_FILE, "%s: there is no parameter '%s'; did you mean '%s'?",
                       r->path, set[i].name, near)
             : ga_fail(r->err, GA_ERR_FILE, "%s: there is no parameter '%s'%s", r->path,
                       set[i].name, all);
    return false;
  }
  return true;
}

/* r->parameters <- `parameters` (node NULL: none) with the values of options->set in place of the
 * file's. Fails if one of these is not in the file, or there are more than GA_SET_MAX. */
bool ga_read_parameters(ga_reader *r, const ga_node *node, const ga_file_options *options) {
  bool used[GA_SET_MAX] = {false};
  r->set = options->set, r->nset = options->nset;
  if (options->nset > GA_SET_MAX) {
    r->status =
        ga_fail(r->err, GA_ERR_ARG, "%s: more than %d parameters are set", r->path, GA_SET_MAX);
    return false;
  }
  if (node && !ga_read_part_parameters(r, node, options->set, options->nset, used)) return false;
  return check_set_names(r, options->set, options->nset, used);
}

/* Set start values of coordinates of r->m (or of their rates, with rate) from a map
 * {JOINT.COORDINATE: value}; creates these coordinates. key: name of the map, for messages. */
static bool read_starts(ga_reader *r, const char *key, const ga_node *node, bool rate) {
  ga_reader_enter(r, key);
  if (node->kind != GA_NODE_MAP) {
    return ga_reader_fail(r, node, "a map {JOINT.COORDINATE: value} is expected here");
  }
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *name;
    double x;
    ga_error err = {GA_OK, ""};
    if (!ga_read_name(r, item->key, &name) || !ga_read_number(r, item, &x)) return false;
    const ga_status status = rate ? ga_mechanism_set_rate(r->m, name, x, &err)
                                  : ga_mechanism_set_coordinate(r->m, name, x, &err);
    if (!ga_reader_accept(r, item->key, status, &err)) return false;
  }
  ga_reader_leave(r);
  return true;
}

/* Mark the bodies of r->m in the list `fix`: they keep their position in an assembly. */
static bool read_fixed(ga_reader *r, const ga_node *node) {
  ga_reader_enter(r, "fix");
  if (node->kind != GA_NODE_LIST) {
    return ga_reader_fail(r, node, "a list of bodies is expected here: fix: [BODY, ..]");
  }
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *name;
    ga_error err = {GA_OK, ""};
    if (!ga_read_name(r, item, &name)) return false;
    const ga_status status = ga_mechanism_hold(r->m, name, GA_HOLD_POSITION, &err);
    if (!ga_reader_accept(r, item, status, &err)) return false;
  }
  ga_reader_leave(r);
  return true;
}

/* Set from true or false whether the build of r->m assembles the start values. */
static bool read_assemble(ga_reader *r, const ga_node *node) {
  bool assemble;
  ga_reader_enter(r, "assemble");
  if (!ga_read_flag(r, node, &assemble)) return false;
  ga_mechanism_set_assemble(r->m, assemble);
  ga_reader_leave(r);
  return true;
}

/* initial.coordinates: start values. */
static bool read_coordinates(ga_reader *r, const ga_node *node) {
  return read_starts(r, "coordinates", node, false /* values */);
}

/* initial.rates: start values of rates. */
static bool read_rates(ga_reader *r, const ga_node *node) {
  return read_starts(r, "rates", node, true /* rates */);
}

static const struct {
  const char *key;
  bool (*read)(ga_reader *r, const ga_node *node);
} initial_keys[] = {{"assemble", read_assemble},
                    {"fix", read_fixed},
                    {"coordinates", read_coordinates},
                    {"rates", read_rates}};
enum { NINITIAL = (int)(sizeof initial_keys / sizeof initial_keys[0]) };

/* Read the section `initial` (keys of the table initial_keys) into r->m; after the joints, whose
 * coordinates it names. */
bool ga_read_initial(ga_reader *r, const ga_node *node) {
  ga_reader_enter(r, "initial");
  if (node->kind != GA_NODE_MAP) return ga_reader_fail(r, node, "a map is expected here");
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *key = item->key->text;
    int i = 0;
    while (i < NINITIAL && strcmp(initial_keys[i].key, key) != 0) i++;
    if (i == NINITIAL) {
      return ga_reader_fail(
          r, item->key, "unknown key '%.60s'; known are assemble, fix, coordinates, rates", key);
    }
    if (!initial_keys[i].read(r, item)) return false;
  }
  ga_reader_leave(r);
  return true;
}
