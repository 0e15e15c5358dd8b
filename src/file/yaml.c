/* SPDX-License-Identifier: MIT */
/* Builds a tree from the events of libyaml. The input is not trusted: depth and number of nodes
 * are limited; anchors, aliases and further documents are errors. */
#include "file/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* limits: depth of nesting, number of nodes, keys of a map that are compared one by one; nodes, and
 * bytes of text, that are taken from the arena at once */
enum { DEPTH_MAX = 64, NODES_AT_ONCE = 256, NODES_MAX = 8000000, KEYS_CHECKED = 64 };
enum { TEXT_AT_ONCE = 1 << 14 };

/* One reading of a document. status and err keep the first failure; path begins messages. */
typedef struct {
  const char *path;
  yaml_parser_t parser;
  ga_arena *arena;
  ga_error *err;
  ga_status status;
  ga_node *block; /* nodes not used yet */
  int left;
  long nodes;
  char *text; /* room for short texts: an arena aligns every request */
  size_t text_left;
} reader;

/* Record the first failure, with line and column counted from 1. Returns r->status. */
static ga_status fail_at(reader *r, int line, int column, const char *text) {
  if (r->status == GA_OK) {
    r->status = ga_fail(r->err, GA_ERR_FILE, "%s:%d:%d: %s", r->path, line, column, text);
  }
  return r->status;
}

/* fail_at a mark of libyaml, which counts from 0. Returns r->status. */
static ga_status fail_mark(reader *r, yaml_mark_t mark, const char *text) {
  return fail_at(r, (int)mark.line + 1, (int)mark.column + 1, text);
}

/* *event <- the next event of libyaml, deleted by the caller; false: a failure is recorded. */
static bool next_event(reader *r, yaml_event_t *event) {
  if (yaml_parser_parse(&r->parser, event)) return true;
  const yaml_parser_t *p = &r->parser;
  char text[300];
  snprintf(text, sizeof text, "this is not YAML: %s%s%s", p->problem ? p->problem : "",
           p->context ? ", " : "", p->context ? p->context : "");
  if (p->problem && strstr(p->problem, "cannot start any token")) {
    snprintf(text, sizeof text,
             "this is not YAML: a tab, @ or ` cannot stand here; indent by blanks");
  }
  /* libyaml has no problem_mark for invalid bytes, only the mark reached so far */
  if (p->error == YAML_READER_ERROR) {
    snprintf(text, sizeof text, "this is not YAML: %s at byte %lu",
             p->problem ? p->problem : "bad character", (unsigned long)p->problem_offset);
    fail_at(r, (int)p->mark.line + 1, (int)p->mark.column + 1, text);
  } else if (p->error == YAML_MEMORY_ERROR) {
    r->status = ga_fail(r->err, GA_ERR_MEM, "%s: no memory", r->path);
  } else {
    fail_mark(r, p->problem_mark, text);
  }
  return false;
}

/* A node, zero but for kind and position, from a block of many; NULL: a failure is recorded. */
static ga_node *new_node(reader *r, ga_node_kind kind, yaml_mark_t mark) {
  if (++r->nodes > NODES_MAX) {
    fail_mark(r, mark, "the file has too many entries; chains and grids are written with 'repeat'");
    return NULL;
  }
  if (r->left == 0) {
    r->block = ga_arena_take(r->arena, NODES_AT_ONCE, sizeof *r->block);
    r->left = r->block ? NODES_AT_ONCE : 0;
    if (!r->block) {
      r->status = ga_fail(r->err, GA_ERR_MEM, "%s: no memory", r->path);
      return NULL;
    }
  }
  ga_node *node = r->block++;
  r->left--;
  node->kind = kind;
  node->file = r->path;
  node->line = (int)mark.line + 1;
  node->column = (int)mark.column + 1;
  return node;
}

/* A scalar node with a copy of the event's text (the arena is zeroed: it ends with a zero byte).
 * NULL: a failure is recorded; a text with a zero byte inside records one, too, but returns a
 * node. */
static ga_node *new_scalar(reader *r, const yaml_event_t *event) {
  ga_node *node = new_node(r, GA_NODE_SCALAR, event->start_mark);
  if (!node) return NULL;
  const size_t n = event->data.scalar.length;
  const char *value = (const char *)event->data.scalar.value;
  if (r->text_left < n + 1) {
    const size_t room = n + 1 > TEXT_AT_ONCE ? n + 1 : TEXT_AT_ONCE;
    r->text = ga_arena_take(r->arena, room, 1);
    r->text_left = r->text ? room : 0;
    if (!r->text) {
      r->status = ga_fail(r->err, GA_ERR_MEM, "%s: no memory", r->path);
      return NULL;
    }
  }
  char *text = r->text;
  r->text += n + 1;
  r->text_left -= n + 1;
  if (strlen(value) != n) fail_mark(r, event->start_mark, "the text has a zero byte inside");
  memcpy(text, value, n);
  node->text = text;
  node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  return node;
}

static ga_node *parse_value(reader *r, yaml_event_t *event, int depth);

/* Record a failure at a key that the item `same` has already; NULL: none has. */
static void fail_twice(reader *r, const ga_node *key, const ga_node *same) {
  char text[200];
  if (!same) return;
  snprintf(text, sizeof text, "the key '%.60s' stands here twice; it was given in line %d",
           key->text, same->key->line);
  fail_at(r, key->line, key->column, text);
}

/* Order of two items by the texts of their keys, then by lines and columns; for qsort. */
static int compare_keys(const void *a, const void *b) {
  const ga_node *x = (*(const ga_node *const *)a)->key, *y = (*(const ga_node *const *)b)->key;
  const int order = strcmp(x->text, y->text);
  if (order != 0) return order;
  return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                            : (x->column > y->column) - (x->column < y->column);
}

/* Fail if a key of a long map stands there twice: the keys are sorted once. */
static void check_all_unique(reader *r, const ga_node *map) {
  const ga_node **list = ga_arena_take(r->arena, (size_t)map->count, sizeof *list);
  if (!list) {
    r->status = ga_fail(r->err, GA_ERR_MEM, "%s: no memory", r->path);
    return;
  }
  long n = 0;
  for (const ga_node *item = map->first; item; item = item->next) list[n++] = item;
  qsort(list, (size_t)n, sizeof *list, compare_keys);
  for (long i = 1; i < n && r->status == GA_OK; i++) {
    if (strcmp(list[i - 1]->key->text, list[i]->key->text) == 0) {
      fail_twice(r, list[i]->key, list[i - 1]);
    }
  }
}

/* A map whose start event (at mark) has been read, up to its end event; NULL on failure. The first
 * KEYS_CHECKED keys are compared with all before them, those of longer maps once more at the end.
 * depth: of nesting, 1 at the root. */
static ga_node *parse_map(reader *r, yaml_mark_t mark, int depth) {
  ga_node *map = new_node(r, GA_NODE_MAP, mark), *last = NULL;
  while (map && r->status == GA_OK) {
    yaml_event_t event;
    if (!next_event(r, &event)) break;
    if (event.type == YAML_MAPPING_END_EVENT) {
      yaml_event_delete(&event);
      if (map->count > KEYS_CHECKED) check_all_unique(r, map);
      return r->status == GA_OK ? map : NULL;
    }
    if (event.type != YAML_SCALAR_EVENT) {
      fail_mark(r, event.start_mark, "a key must be a plain word");
      yaml_event_delete(&event);
      break;
    }
    const ga_node *key = new_scalar(r, &event);
    yaml_event_delete(&event);
    if (!key || r->status != GA_OK || !next_event(r, &event)) break;
    if (map->count < KEYS_CHECKED) fail_twice(r, key, ga_node_find(map, key->text));
    ga_node *item = parse_value(r, &event, depth + 1);
    if (!item) break;
    item->key = key;
    if (last) {
      last->next = item;
    } else {
      map->first = item;
    }
    last = item;
    map->count++;
  }
  return NULL;
}

/* A list whose start event (at mark) has been read, up to its end event; NULL on failure. */
static ga_node *parse_list(reader *r, yaml_mark_t mark, int depth) {
  ga_node *list = new_node(r, GA_NODE_LIST, mark), *last = NULL;
  while (list && r->status == GA_OK) {
    yaml_event_t event;
    if (!next_event(r, &event)) break;
    if (event.type == YAML_SEQUENCE_END_EVENT) {
      yaml_event_delete(&event);
      return list;
    }
    ga_node *item = parse_value(r, &event, depth + 1);
    if (!item) break;
    if (last) {
      last->next = item;
    } else {
      list->first = item;
    }
    last = item;
    list->count++;
  }
  return NULL;
}

/* The tree that begins with this event, which is deleted here, at this depth of nesting; NULL on
 * failure (recorded in r). */
static ga_node *parse_value(reader *r, yaml_event_t *event, int depth) {
  const yaml_mark_t mark = event->start_mark;
  const yaml_event_type_t type = event->type;
  ga_node *node = NULL;
  const unsigned char *anchor =
      type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
      : type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
      : type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
                                          : NULL;
  if (anchor || type == YAML_ALIAS_EVENT) {
    fail_mark(r, mark, "anchors (&) and aliases (*) are not used in model files; see 'repeat'");
  } else if (depth > DEPTH_MAX) {
    fail_mark(r, mark, "nested too deeply");
  } else if (type == YAML_SCALAR_EVENT) {
    node = new_scalar(r, event);
  }
  yaml_event_delete(event);
  if (r->status != GA_OK) return NULL;
  if (type == YAML_SEQUENCE_START_EVENT) return parse_list(r, mark, depth);
  if (type == YAML_MAPPING_START_EVENT) return parse_map(r, mark, depth);
  return node;
}

/* The root of the only document of the stream; NULL on failure (r->status). */
static const ga_node *parse_document(reader *r) {
  const ga_node *root = NULL;
  for (bool done = false; !done && r->status == GA_OK;) {
    yaml_event_t event;
    if (!next_event(r, &event)) break;
    const yaml_event_type_t type = event.type;
    if (type == YAML_DOCUMENT_START_EVENT && root) {
      fail_mark(r, event.start_mark, "a second document begins here; a model file has one");
    }
    if (type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_START_EVENT ||
        type == YAML_DOCUMENT_END_EVENT || type == YAML_STREAM_END_EVENT) {
      yaml_event_delete(&event);
      done = type == YAML_STREAM_END_EVENT;
    } else {
      root = parse_value(r, &event, 1 /* depth */);
    }
  }
  if (r->status == GA_OK && !root) fail_at(r, 1, 1, "the file is empty");
  return r->status == GA_OK ? root : NULL;
}

/* *root <- the tree of a text of `length` bytes in UTF-8, in the arena, text copied; NULL on
 * failure. name: path for messages. */
ga_status ga_yaml_parse(const char *name, const char *text, size_t length, ga_arena *arena,
                        const ga_node **root, ga_error *err) {
  reader r = {.path = name, .arena = arena, .err = err};
  *root = NULL;
  if (!yaml_parser_initialize(&r.parser)) return ga_fail(err, GA_ERR_MEM, "%s: no memory", name);
  yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
  *root = parse_document(&r);
  yaml_parser_delete(&r.parser);
  return r.status;
}

/* Value of a key in a map, NULL if the map lacks it or the node is no map. Linear search. */
const ga_node *ga_node_find(const ga_node *map, const char *key) {
  for (const ga_node *n = map->first; n; n = n->next) {
    if (n->key && strcmp(n->key->text, key) == 0) return n;
  }
  return NULL;
}
