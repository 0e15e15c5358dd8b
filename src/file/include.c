/* SPDX-License-Identifier: MIT */
/* Trees of files that a model file names: those it includes, and those of its sub-assemblies.
 *
 * What a file includes is read as if it stood in the file, before its own entries: maps are united,
 * lists of `repeat` and `output` joined. Of a parameter, an option of `run` and a key that is not a
 * section, the value of the including file counts; any other name may stand in one file only. */
#include <stdio.h>
#include <string.h>

#include "file/private.h"
#include "genalpha/ga_import.h"

static bool no_memory(ga_reader *r, const ga_node *node) {
  return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
}

/* ---- trees ---------------------------------------------------------------------------------- */

/* *tree <- the tree of the text of this name in the section `files`, or of the file at path. */
static bool parse_tree(ga_reader *r, const ga_node *node, const char *name, const char *path,
                       const ga_node **tree) {
  const ga_node *own = r->files ? ga_node_find(r->files, name) : NULL;
  ga_error err = {GA_OK, ""};
  ga_source source = {path, NULL, 0};
  if (own && own->kind == GA_NODE_SCALAR) {
    source.text = own->text;
    source.length = strlen(own->text);
  } else {
    const ga_status status = ga_read_source(path, r->options, r->arena, &source, &err);
    if (status != GA_OK) return ga_reader_fail(r, node, "%s", err.text);
    if (!ga_import_named(path) && ga_keep_table(r, name, path, &err) != GA_OK) {
      return no_memory(r, node);
    }
  }
  const ga_status status =
      ga_yaml_parse(source.name, source.text, source.length, r->arena, tree, &err);
  if (status != GA_OK && r->status == GA_OK) r->status = ga_fail(r->err, status, "%s", err.text);
  return status == GA_OK;
}

/* Fail: the file at path is being included already. */
static bool fail_cycle(ga_reader *r, const ga_node *node, const char *path) {
  char text[300];
  size_t used = 0;
  int i = 0;
  text[0] = '\0';
  while (i < r->nopen && strcmp(r->open[i], path) != 0) i++;
  for (; i < r->nopen && used < sizeof text; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "%.80s, ", r->open[i]);
  }
  return ga_reader_fail(r, node, "files include each other in a circle: %s%.80s", text, path);
}

/* *tree <- the tree of a file with all that it includes; each file is read once. */
bool ga_read_tree(ga_reader *r, const ga_node *node, const char *name, const ga_node **tree) {
  char path[2048];
  if (!ga_reader_path(r, node->file, name, sizeof path, path)) {
    return ga_reader_fail(r, node, "the path of '%.60s' is too long", name);
  }
  for (int i = 0; i < r->trees.count; i++) {
    *tree = r->trees.item[i].root;
    if (strcmp(r->trees.item[i].path, path) == 0) return true;
  }
  for (int i = 0; i < r->nopen; i++) {
    if (strcmp(r->open[i], path) == 0) return fail_cycle(r, node, path);
  }
  if (r->nopen == GA_INCLUDE_MAX) {
    return ga_reader_fail(r, node, "files include others more than %d deep", GA_INCLUDE_MAX);
  }
  const char *own = ga_reader_text(r, path);
  if (!*own) return no_memory(r, node);
  r->open[r->nopen++] = own;
  if (!parse_tree(r, node, name, own, tree)) return false;
  if (!ga_check_head(r, *tree, true) || !ga_read_includes(r, *tree, tree)) return false;
  r->nopen--;
  if (!GA_GROW(r->trees)) return no_memory(r, node);
  r->trees.item[r->trees.count++] = (ga_file_tree){own, *tree};
  return true;
}

/* ---- union ---------------------------------------------------------------------------------- */

/* A map or list that grows by copies of entries; its nodes are in the arena. */
typedef struct {
  ga_node *node, *last;
} growing;

/* Append a copy of an entry; false without memory. */
static bool append(ga_reader *r, growing *to, const ga_node *entry) {
  ga_node *copy = ga_arena_take(r->arena, 1, sizeof *copy);
  if (!copy) return no_memory(r, entry);
  *copy = *entry;
  copy->next = NULL;
  if (to->last) {
    to->last->next = copy;
  } else {
    to->node->first = copy;
  }
  to->last = copy;
  to->node->count++;
  return true;
}

/* *to <- an empty node like this one. */
static bool begin(ga_reader *r, const ga_node *like, growing *to) {
  *to = (growing){ga_arena_take(r->arena, 1, sizeof *to->node), NULL};
  if (!to->node) return no_memory(r, like);
  *to->node = *like;
  to->node->first = NULL;
  to->node->count = 0;
  return true;
}

/* Does the value of the including file replace another of the same key in this map? */
static bool replaces(const char *map) {
  return strcmp(map, "parameters") == 0 || strcmp(map, "run") == 0 || strcmp(map, "initial") == 0;
}

/* Does the list have this text, as both files may ask for the same column? */
static bool has_text(const ga_node *list, const ga_node *item) {
  for (const ga_node *other = list->first; other; other = other->next) {
    if (item->kind != GA_NODE_SCALAR || other->kind != GA_NODE_SCALAR) continue;
    if (strcmp(other->text, item->text) == 0) return true;
  }
  return false;
}

/* *united <- the entries of `first`, then those of `second` that are not among them; both are maps of a
 * key, or both lists. */
static bool unite(ga_reader *r, const ga_node *first, const ga_node *second,
                  const ga_node **united) {
  growing to;
  if (!begin(r, second, &to)) return false;
  for (const ga_node *item = first->first; item; item = item->next) {
    const ga_node *other =
        second->kind == GA_NODE_MAP && item->key ? ga_node_find(second, item->key->text) : NULL;
    if (other && !replaces(second->key->text)) {
      return ga_reader_fail(r, other->key, "'%.60s' stands in %s:%d, too", item->key->text,
                            item->key->file, item->key->line);
    }
    if (!append(r, &to, other ? other : item)) return false;
  }
  for (const ga_node *item = second->first; item; item = item->next) {
    const bool there = second->kind == GA_NODE_MAP ? ga_node_find(first, item->key->text) != NULL
                                                   : has_text(first, item);
    if (!there && !append(r, &to, item)) return false;
  }
  *united = to.node;
  return true;
}

/* Are the values of this key united? */
static bool is_united(const ga_node *a, const ga_node *b) {
  if (a->kind != b->kind || a->kind == GA_NODE_SCALAR) return false;
  if (a->kind == GA_NODE_MAP) return true;
  return strcmp(a->key->text, "repeat") == 0 || strcmp(a->key->text, "output") == 0;
}

/* *merged <- the map `below` with the keys of `root`, whose values count or are united. */
static bool merge(ga_reader *r, const ga_node *below, const ga_node *root, const ga_node **merged) {
  growing to;
  if (!begin(r, root, &to)) return false;
  for (const ga_node *item = below->first; item; item = item->next) {
    const ga_node *own = ga_node_find(root, item->key->text), *value = own ? own : item;
    if (own && is_united(item, own) && !unite(r, item, own, &value)) return false;
    if (!append(r, &to, value)) return false;
  }
  for (const ga_node *item = root->first; item; item = item->next) {
    if (!ga_node_find(below, item->key->text) && !append(r, &to, item)) return false;
  }
  *merged = to.node;
  return true;
}

/* *merged <- the tree of `root` with what its key `include` names: a file or a list of files. */
bool ga_read_includes(ga_reader *r, const ga_node *root, const ga_node **merged) {
  const ga_node *include = ga_node_find(root, "include"), *below = NULL;
  *merged = root;
  if (!include) return true;
  ga_reader_enter(r, "include");
  if (r->nopen == 0) r->open[r->nopen++] = r->path; /* the model file itself */
  const bool one = include->kind == GA_NODE_SCALAR;
  for (const ga_node *item = one ? include : include->first; item; item = one ? NULL : item->next) {
    const char *name;
    const ga_node *tree;
    if (include->kind == GA_NODE_MAP || item->kind != GA_NODE_SCALAR) {
      return ga_reader_fail(r, item, "a file or a list of files is expected here");
    }
    if (!ga_read_text(r, item, &name) || !ga_read_tree(r, item, name, &tree)) return false;
    if (below && !merge(r, below, tree, &below)) return false;
    if (!below) below = tree;
  }
  ga_reader_leave(r);
  return below ? merge(r, below, root, merged) : true;
}
