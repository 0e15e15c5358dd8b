/* SPDX-License-Identifier: MIT */
/* Inputs and states of controllers in a model file. Functions return false after a failure, which is
 * recorded in r; then nothing is added. */
#include <string.h>

#include "file/private.h"

const ga_field ga_input_fields[] = {{"value", "number", "value at first", ga_field_number,
                                     offsetof(ga_input, value), NULL, false, NULL},
                                    {.key = NULL}};

/* True unless a parameter has this name: expressions could mean either. */
static bool check_parameters(ga_reader *r, const char *name, const ga_node *node) {
  for (int i = 0; i < r->parameters.count; i++) {
    if (strcmp(r->parameters.item[i].name, name) != 0) continue;
    return ga_reader_fail(r, node->key, "'%s' is a parameter, too: rename one of them", name);
  }
  return true;
}

/* Read an entry of `inputs`, a number or {value: number}, and add it to r->m; a value of the caller
 * (--set) takes the place of the file's. */
bool ga_read_input(ga_reader *r, const char *name, const ga_node *node) {
  ga_input input = {.name = NULL};
  ga_error err = {GA_OK, ""};
  if (!check_parameters(r, name, node)) return false;
  const ga_node own = ga_replaced_by_set(node, r->set, r->nset, NULL);
  node = &own;
  if (node->kind == GA_NODE_SCALAR ? !ga_read_number(r, node, &input.value)
                                   : !ga_read_fields(r, node, ga_input_fields, &input)) {
    return false;
  }
  input.name = name;
  return ga_reader_accept(r, node, ga_mechanism_add_input(r->m, &input, &err), &err);
}

#define AT(member) offsetof(ga_controller_state, member)
const ga_field ga_state_fields[] = {
    {"rate", "function_t", "its time derivative, function of t and signals, itself among them",
     ga_field_of_time, AT(rate), NULL, true, NULL},
    {"start", "number", "value at the start", ga_field_number, AT(start), NULL, false, NULL},
    {"size", "number", "a large value of it, for comparing errors; default: 1", ga_field_number,
     AT(size), NULL, false, NULL},
    {.key = NULL}};
#undef AT

/* Read an entry of `states` and add it to r->m. */
bool ga_read_state(ga_reader *r, const char *name, const ga_node *node) {
  ga_controller_state state = {.name = NULL};
  ga_error err = {GA_OK, ""};
  if (!check_parameters(r, name, node) || !ga_read_fields(r, node, ga_state_fields, &state)) {
    return false;
  }
  state.name = name;
  return ga_reader_accept(r, node, ga_mechanism_add_controller_state(r->m, &state, &err), &err);
}
