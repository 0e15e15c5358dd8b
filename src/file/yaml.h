/* SPDX-License-Identifier: MIT */
/* A YAML document as a tree of scalars, lists and maps, each with its line and column in the file.
 * All scalars are text; the reader decides which are numbers or flags. */
#ifndef GA_SRC_YAML_H
#define GA_SRC_YAML_H

#include "base/base.h"

typedef enum { GA_NODE_SCALAR, GA_NODE_LIST, GA_NODE_MAP } ga_node_kind;

typedef struct ga_node ga_node;
struct ga_node {
  ga_node_kind kind;
  int line, column;            /* counted from 1 */
  const char *file;            /* as in messages */
  const char *text;            /* of a scalar */
  bool quoted;                 /* its text begins one column later */
  const ga_node *key;          /* of a value in a map: the key, a scalar */
  const ga_node *first, *next; /* entries of a list, values of a map; the next one beside it */
  int count;
};

/* Read a text of `length` bytes. It must have one document, keys that are scalars and unique in
 * their map (the first 64 keys are checked), no anchors or aliases; depth is limited (yaml.c).
 * Messages begin with "NAME:LINE:COLUMN: ". The tree is in the arena. */
ga_status ga_yaml_parse(const char *name, const char *text, size_t length, ga_arena *arena,
                        const ga_node **root, ga_error *err);

/* the value of a key, NULL if the map lacks it */
const ga_node *ga_node_find(const ga_node *map, const char *key);

#endif
