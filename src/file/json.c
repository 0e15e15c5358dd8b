/* SPDX-License-Identifier: MIT */
/* The tree of a model file as JSON, for programs that have no reader of YAML. */
#include <stdio.h>

#include "file/private.h"

/* Print a text in quotes, with the escapes of JSON. */
static void put_text(FILE *to, const char *text) {
  fputc('"', to);
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      fprintf(to, "\\%c", c);
    } else if (c < 0x20) {
      fprintf(to, "\\u%04x", c);
    } else {
      fputc(c, to);
    }
  }
  fputc('"', to);
}

/* Print a tree as JSON; all scalars are strings. The YAML reader limits the depth of the
 * recursion. */
static void put_node(FILE *to, const ga_node *node) {
  if (node->kind == GA_NODE_SCALAR) {
    put_text(to, node->text);
    return;
  }
  const bool map = node->kind == GA_NODE_MAP;
  fputc(map ? '{' : '[', to);
  for (const ga_node *item = node->first; item; item = item->next) {
    if (item != node->first) fputs(", ", to);
    if (map) {
      put_text(to, item->key->text);
      fputs(": ", to);
    }
    put_node(to, item);
  }
  fputc(map ? '}' : ']', to);
}

/* Print the model file at path, or what a robot becomes, as JSON to `to`; it is not checked to be a
 * valid model. On failure nothing is printed. Errors of writing are not noticed. */
ga_status ga_file_json(const char *path, FILE *to, ga_error *err) {
  ga_arena arena = {NULL, false};
  const ga_node *root = NULL;
  ga_source source;
  ga_status status = ga_read_source(path, NULL, &arena, &source, err);
  if (status == GA_OK) {
    status = ga_yaml_parse(source.name, source.text, source.length, &arena, &root, err);
  }
  if (status == GA_OK) put_node(to, root);
  ga_arena_free(&arena);
  return status;
}
