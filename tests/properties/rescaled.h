/* SPDX-License-Identifier: MIT */
/* A model file in other units: every number of the file is multiplied by the factor of its unit,
 * arguments of functions are divided by theirs. The units come from the tables of fields
 * (src/file/reader.h), so a new field cannot be forgotten. Factors that are powers of two are
 * exact: the text then describes the same mechanism, bit by bit. */
#ifndef GA_TEST_RESCALED_H
#define GA_TEST_RESCALED_H

#include <ctype.h>

#include "file/reader.h"
#include "support.h"

/* One metre, kilogram, second in the new units; gravity: a further factor of it, 0: none. */
struct scales {
  double length, mass, time;
  double gravity;
};

/* Factor of a unit such as "kg m^2", "N m/rad", "J s/q^2": products of words with whole powers;
 * those after a bar divide. q: factor of the word q, sum: of the word sum. */
static inline double unit_factor(const struct scales *of, const char *unit, double q, double sum) {
  const double newton = of->mass * of->length / (of->time * of->time);
  const struct {
    const char *word;
    double factor;
  } words[] = {{"m", of->length},
               {"kg", of->mass},
               {"s", of->time},
               {"N", newton},
               {"J", newton * of->length},
               {"W", newton * of->length / of->time},
               {"rad", 1},
               {"1", 1},
               {"q", q},
               {"sum", sum}};
  enum { NWORD = (int)(sizeof words / sizeof words[0]) };
  double factor = 1;
  bool divide = false;
  while (*unit) {
    const size_t n = strcspn(unit, " /^");
    int i = 0, power = 1;
    while (i < NWORD && !(strlen(words[i].word) == n && strncmp(words[i].word, unit, n) == 0)) i++;
    if (i == NWORD) fail_msg("unknown unit in '%s'", unit);
    unit += n;
    if (*unit == '^') power = unit[1] - '0', unit += 2;
    for (int k = 0; k < power; k++) {
      factor = divide ? factor / words[i].factor : factor * words[i].factor;
    }
    if (*unit == '/') divide = true;
    if (*unit) unit++;
  }
  return factor;
}

/* Text that is being written. */
struct rescaler {
  FILE *to;
  struct scales of;
  double q, sum; /* units of the coordinate and of the sum of the entry that is being written */
  const ga_mechanism *m; /* in the old units: units of signals */
};

/* Factor of a signal in a function, by the unit of its column; velocities in body axes are no
 * columns. 0: the word is no signal. Expressions, states and inputs keep their numbers. */
static inline double signal_factor(const struct rescaler *r, const char *name) {
  if (strstr(name, ".body_v")) return r->of.length / r->of.time;
  if (strstr(name, ".body_w")) return 1 / r->of.time;
  const int column = ga_mechanism_column_index(r->m, name);
  if (column < 0) return 0;
  const char *unit = ga_mechanism_column_unit(r->m, column);
  return unit_factor(&r->of, *unit ? unit : "1", 1, 1);
}

/* Print a text in double quotes. */
static inline void put_quoted(FILE *to, const char *text) {
  fputc('"', to);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', to);
    fputc(*text, to);
  }
  fputc('"', to);
}

/* Print a node without a change. */
static inline void put_node(FILE *to, const ga_node *node) {
  if (node->kind == GA_NODE_SCALAR) {
    put_quoted(to, node->text);
    return;
  }
  const bool map = node->kind == GA_NODE_MAP;
  fputc(map ? '{' : '[', to);
  for (const ga_node *item = node->first; item; item = item->next) {
    if (map) put_quoted(to, item->key->text), fputs(": ", to);
    put_node(to, item);
    if (item->next) fputs(", ", to);
  }
  fputc(map ? '}' : ']', to);
}

/* Print (expression)*factor, with every variable t, s, s_dot replaced by (t*a) and so on. */
static inline void put_scaled(const struct rescaler *r, const char *text, double factor) {
  const double time = 1 / r->of.time, s = 1 / r->q;
  fputs("\"(", r->to);
  while (*text) {
    if (isdigit((unsigned char)*text) || *text == '.') { /* a number, 1e3 among them */
      char *end;
      strtod(text, &end);
      fprintf(r->to, "%.*s", (int)(end - text), text);
      text = end;
    } else if (isalpha((unsigned char)*text) || *text == '_') {
      size_t n = 0;
      while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.') n++;
      char word[100];
      snprintf(word, sizeof word, "%.*s", (int)n, text);
      const double signal = signal_factor(r, word);
      const double by = n == 1 && *text == 't'                     ? time
                        : n == 1 && *text == 's'                   ? s
                        : n == 5 && strncmp(text, "s_dot", 5) == 0 ? s / time
                        : signal > 0                               ? 1 / signal
                                                                   : 0;
      if (by > 0) {
        fprintf(r->to, "(%.*s*%.17g)", (int)n, text, by);
      } else {
        fprintf(r->to, "%.*s", (int)n, text);
      }
      text += n;
    } else {
      fputc(*text++, r->to);
    }
  }
  fprintf(r->to, ")*%.17g\"", factor);
}

/* Print a node whose numbers all have the same factor. */
static inline void put_numbers(const struct rescaler *r, const ga_node *node, double factor) {
  if (node->kind == GA_NODE_SCALAR) {
    put_scaled(r, node->text, factor);
    return;
  }
  const bool map = node->kind == GA_NODE_MAP;
  fputc(map ? '{' : '[', r->to);
  for (const ga_node *item = node->first; item; item = item->next) {
    if (map) put_quoted(r->to, item->key->text), fputs(": ", r->to);
    put_numbers(r, item, factor);
    if (item->next) fputs(", ", r->to);
  }
  fputc(map ? '}' : ']', r->to);
}

/* Factor of a coordinate JOINT.NAME: names of angles begin with "angle". */
static inline double coordinate_factor(const struct rescaler *r, const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && strncmp(dot + 1, "angle", 5) == 0 ? 1 : r->of.length;
}

/* Print a map of coordinates; each number has the factor of its coordinate, or divided by it. */
static inline void put_coordinates(const struct rescaler *r, const ga_node *map, const char *unit) {
  fputc('{', r->to);
  for (const ga_node *item = map->first; item; item = item->next) {
    put_quoted(r->to, item->key->text), fputs(": ", r->to);
    put_numbers(r, item, unit_factor(&r->of, unit, coordinate_factor(r, item->key->text), r->sum));
    if (item->next) fputs(", ", r->to);
  }
  fputc('}', r->to);
}

/* Print the stiffness or damping of a bushing, J/(q_i q_j), given by its unit J../q^2. */
static inline void put_matrix(const struct rescaler *r, const ga_node *list, const char *unit) {
  const double q[6] = {r->of.length, r->of.length, r->of.length, 1, 1, 1};
  int i = 0;
  fputc('[', r->to);
  for (const ga_node *row = list->first; row; row = row->next, i++) {
    if (row->kind == GA_NODE_SCALAR) {
      put_numbers(r, row, unit_factor(&r->of, unit, q[i], 1));
    } else {
      int j = 0;
      fputc('[', r->to);
      for (const ga_node *item = row->first; item; item = item->next, j++) {
        put_numbers(r, item, unit_factor(&r->of, unit, 1, 1) / (q[i] * q[j]));
        if (item->next) fputs(", ", r->to);
      }
      fputc(']', r->to);
    }
    if (row->next) fputs(", ", r->to);
  }
  fputc(']', r->to);
}

/* Print a shape or look: lengths, a density in kg/m^3, a colour. */
static inline void put_shape(const struct rescaler *r, const ga_node *map) {
  fputc('{', r->to);
  for (const ga_node *item = map->first; item; item = item->next) {
    put_quoted(r->to, item->key->text), fputs(": ", r->to);
    if (strcmp(item->key->text, "colour") == 0) {
      put_node(r->to, item);
    } else if (strcmp(item->key->text, "density") == 0) {
      put_numbers(r, item, unit_factor(&r->of, "kg/m^3", 1, 1));
    } else {
      put_numbers(r, item, r->of.length);
    }
    if (item->next) fputs(", ", r->to);
  }
  fputc('}', r->to);
}

/* Print a map of keys with units of their own: a limit or the friction of a joint. */
static inline void put_keys(const struct rescaler *r, const ga_node *map, double q) {
  static const struct {
    const char *key, *unit;
  } keys[] = {{"lower", "q"},         {"upper", "q"},      {"stiffness", "J/q^2"},
              {"damping", "J s/q^2"}, {"friction", "J/q"}, {"static_friction", "J/q"},
              {"speed", "q/s"},       {"coulomb", "1"},    {"static_coulomb", "1"},
              {"radius", "m"}};
  if (ga_node_find(map, "coulomb")) q = r->of.length; /* its speed is that of a surface */
  fputc('{', r->to);
  for (const ga_node *item = map->first; item; item = item->next) {
    int i = 0;
    while (strcmp(keys[i].key, item->key->text) != 0) i++;
    put_quoted(r->to, item->key->text), fputs(": ", r->to);
    put_numbers(r, item, unit_factor(&r->of, keys[i].unit, q, 1));
    if (item->next) fputs(", ", r->to);
  }
  fputc('}', r->to);
}

/* Print what a joint has on its coordinates: for the only one, or {COORDINATE: ..}. */
static inline void put_on_coordinates(const struct rescaler *r, const ga_node *entry,
                                      const ga_field *f, const ga_node *node) {
  const ga_joint_type *type = ga_joint_type_named(ga_node_find(entry, "type")->text);
  const bool keys = strcmp(f->form, "each_coordinate") != 0;
  const double first = type->coordinate[0].angle ? 1 : r->of.length;
  if (node->kind == GA_NODE_SCALAR) {
    put_numbers(r, node, unit_factor(&r->of, f->unit, first, 1));
  } else if (keys && (ga_node_find(node, "stiffness") || ga_node_find(node, "friction") ||
                      ga_node_find(node, "coulomb"))) {
    put_keys(r, node, first);
  } else {
    fputc('{', r->to);
    for (const ga_node *item = node->first; item; item = item->next) {
      const double q = strncmp(item->key->text, "angle", 5) == 0 ? 1 : r->of.length;
      put_quoted(r->to, item->key->text), fputs(": ", r->to);
      if (keys) {
        put_keys(r, item, q);
      } else {
        put_numbers(r, item, unit_factor(&r->of, f->unit, q, 1));
      }
      if (item->next) fputs(", ", r->to);
    }
    fputc('}', r->to);
  }
}

/* Units of the keys inside the fields of a beam; "": a direction, an angle, a number of elements.
 * Shapes, a reference and nodes nest. K: q is a length for the rows N Qy Qz, 1 for Mx My Mz. */
static const struct {
  const char *key, *unit;
} beam_keys[] = {{"from", "m"},       {"to", "m"},      {"tangent", ""},  {"normal", ""},
                 {"radius", "m"},     {"angle", ""},    {"elements", ""}, {"position", "m"},
                 {"orientation", ""}, {"y_axis", ""},   {"outer", "m"},   {"inner", "m"},
                 {"rectangle", "m"},  {"EA", "N"},      {"GA", "N"},      {"GJ", "N m^2"},
                 {"EI", "N m^2"},     {"K", "J m/q^2"}, {"rhoA", "kg/m"}, {"rhoI", "kg m"},
                 {"E", "N/m^2"},      {"nu", ""},       {"G", "N/m^2"},   {"density", "kg/m^3"}};
enum { NBEAM_KEY = (int)(sizeof beam_keys / sizeof beam_keys[0]) };

/* Print a field of a beam that holds keys with units of their own, at any depth. */
static inline void put_beam_keys(const struct rescaler *r, const ga_node *node) {
  const bool map = node->kind == GA_NODE_MAP;
  if (node->kind == GA_NODE_SCALAR) fail_msg("'%s' of a beam has no key with a unit", node->text);
  fputc(map ? '{' : '[', r->to);
  for (const ga_node *item = node->first; item; item = item->next) {
    int i = map ? 0 : NBEAM_KEY;
    while (i < NBEAM_KEY && strcmp(beam_keys[i].key, item->key->text) != 0) i++;
    if (map) put_quoted(r->to, item->key->text), fputs(": ", r->to);
    if (i == NBEAM_KEY) {
      put_beam_keys(r, item);
    } else if (strcmp(beam_keys[i].key, "K") == 0) {
      put_matrix(r, item, beam_keys[i].unit);
    } else if (beam_keys[i].unit[0]) {
      put_numbers(r, item, unit_factor(&r->of, beam_keys[i].unit, 1, 1));
    } else {
      put_node(r->to, item);
    }
    if (item->next) fputs(", ", r->to);
  }
  fputc(map ? '}' : ']', r->to);
}

/* Print velocities of nodes: lists of three velocities and three angular ones. */
static inline void put_node_velocities(const struct rescaler *r, const ga_node *list) {
  fputc('[', r->to);
  for (const ga_node *node = list->first; node; node = node->next) {
    int k = 0;
    fputc('[', r->to);
    for (const ga_node *item = node->first; item; item = item->next, k++) {
      put_numbers(r, item, unit_factor(&r->of, k < 3 ? "m/s" : "rad/s", 1, 1));
      if (item->next) fputs(", ", r->to);
    }
    fputs(node->next ? "], " : "]", r->to);
  }
  fputc(']', r->to);
}

/* Print a field of a beam; false: its numbers have one unit, as elsewhere. */
static inline bool put_beam_field(const struct rescaler *r, const ga_field *f,
                                  const ga_node *node) {
  static const char *const nested[] = {"beam_line",      "beam_arc",     "beam_nodes",
                                       "beam_reference", "beam_section", "beam_shape",
                                       "beam_material"};
  for (int i = 0; i < (int)(sizeof nested / sizeof nested[0]); i++) {
    if (strcmp(f->form, nested[i]) == 0) return put_beam_keys(r, node), true;
  }
  if (strcmp(f->form, "beam_velocities") != 0) return false;
  return put_node_velocities(r, node), true;
}

/* Print the value of one field of an entry. */
static inline void put_field(const struct rescaler *r, const ga_node *entry, const ga_field *f,
                             const ga_node *node) {
  const ga_node *type = ga_node_find(entry, "type");
  const bool on = strcmp(f->form, "each_coordinate") == 0 || strcmp(f->form, "joint_limits") == 0 ||
                  strcmp(f->form, "joint_friction") == 0;
  if (!f->unit && strcmp(f->form, "function_t") == 0) {
    put_numbers(r, node, 1); /* a function whose value has no unit that is known */
  } else if (!f->unit) {
    put_node(r->to, node);
  } else if (on) {
    put_on_coordinates(r, entry, f, node);
  } else if (strcmp(f->form, "shape") == 0 || strcmp(f->form, "look") == 0) {
    put_shape(r, node);
  } else if (put_beam_field(r, f, node)) {
    return;
  } else if (strcmp(f->form, "sum") == 0) {
    put_coordinates(r, node, f->unit);
  } else if (strcmp(f->form, "stiffness") == 0 && node->kind == GA_NODE_LIST) {
    put_matrix(r, node, f->unit);
  } else if (strcmp(f->unit, "N or N m") == 0) {
    const bool torque = type && strcmp(type->text, "torque") == 0;
    put_numbers(r, node, unit_factor(&r->of, torque ? "J" : "N", 1, 1));
  } else {
    put_numbers(r, node, unit_factor(&r->of, f->unit, r->q, r->sum));
  }
}

/* Set the units of the coordinate and of the sum of an entry: a sum in which a position stands is a
 * length. */
static inline void set_entry_units(struct rescaler *r, const ga_node *entry) {
  const ga_node *coordinate = ga_node_find(entry, "coordinate"), *sum = ga_node_find(entry, "sum");
  r->q = coordinate ? coordinate_factor(r, coordinate->text) : r->of.length;
  r->sum = 1;
  for (const ga_node *item = sum ? sum->first : NULL; item; item = item->next) {
    const double q = coordinate_factor(r, item->key->text);
    if (q != 1) r->sum = q;
  }
}

/* Print the entries of a section. */
static inline void put_entries(struct rescaler *r, const ga_section *section, const ga_node *map) {
  fputc('{', r->to);
  for (const ga_node *entry = map->first; entry; entry = entry->next) {
    put_quoted(r->to, entry->key->text), fputs(": ", r->to);
    if (entry->kind == GA_NODE_SCALAR) { /* an input */
      put_node(r->to, entry);
      if (entry->next) fputs(",\n  ", r->to);
      continue;
    }
    fputc('{', r->to);
    set_entry_units(r, entry);
    for (const ga_node *item = entry->first; item; item = item->next) {
      const ga_field *f = section->fields;
      while (f->key && strcmp(f->key, item->key->text) != 0) f++;
      assert_non_null(f->key);
      put_quoted(r->to, f->key), fputs(": ", r->to);
      put_field(r, entry, f, item);
      if (item->next) fputs(", ", r->to);
    }
    fputs(entry->next ? "},\n  " : "}", r->to);
  }
  fputc('}', r->to);
}

/* The section of this name, NULL if it is not one of elements. */
static inline const ga_section *section_named(const char *name) {
  for (const ga_section *s = ga_sections; s->name; s++) {
    if (strcmp(s->name, name) == 0) return s;
  }
  return NULL;
}

/* Print sections, and those in repetitions, nested or not. */
static inline void put_map(struct rescaler *r, const ga_node *map);
static inline void put_value(struct rescaler *r, const ga_node *item) {
  const char *key = item->key->text;
  const ga_section *section = section_named(key);
  if (section) {
    put_entries(r, section, item);
  } else if (strcmp(key, "repeat") == 0) {
    fputc('[', r->to);
    for (const ga_node *part = item->first; part; part = part->next) {
      put_map(r, part);
      if (part->next) fputs(",\n  ", r->to);
    }
    fputc(']', r->to);
  } else if (strcmp(key, "gravity") == 0) {
    const double more = r->of.gravity > 0 ? r->of.gravity : 1;
    put_numbers(r, item, more * unit_factor(&r->of, "m/s^2", 1, 1));
  } else if (strcmp(key, "initial") == 0) {
    fputc('{', r->to);
    for (const ga_node *part = item->first; part; part = part->next) {
      put_quoted(r->to, part->key->text), fputs(": ", r->to);
      if (strcmp(part->key->text, "coordinates") == 0) {
        put_coordinates(r, part, "q");
      } else if (strcmp(part->key->text, "rates") == 0) {
        put_coordinates(r, part, "q/s");
      } else {
        put_node(r->to, part);
      }
      if (part->next) fputs(", ", r->to);
    }
    fputc('}', r->to);
  } else {
    put_node(r->to, item);
  }
}
static inline void put_map(struct rescaler *r, const ga_node *map) {
  bool first = true;
  fputc('{', r->to);
  for (const ga_node *item = map->first; item; item = item->next) {
    const char *key = item->key->text;
    /* options of the run are the caller's; expressions of events have no unit that is known */
    if (strcmp(key, "run") == 0 || strcmp(key, "events") == 0) continue;
    if (!first) fputs(",\n", r->to);
    first = false;
    put_quoted(r->to, key), fputs(": ", r->to);
    put_value(r, item);
  }
  fputc('}', r->to);
}

/* The text of a model file in other units; to be freed. */
static inline char *rescaled(const char *text, const struct scales *of) {
  ga_arena arena = {0};
  const ga_node *root = NULL;
  ga_error err = {0};
  char *out = NULL;
  size_t size = 0;
  must(ga_yaml_parse("model", text, strlen(text), &arena, &root, &err), &err);
  ga_file *file = NULL;
  must(ga_file_parse("model", text, strlen(text), NULL, &file, &err), &err);
  struct rescaler r = {open_memstream(&out, &size), *of, 1, 1, ga_file_mechanism(file)};
  assert_non_null(r.to);
  put_map(&r, root);
  fclose(r.to);
  ga_file_free(file);
  ga_arena_free(&arena);
  return out;
}

#endif
