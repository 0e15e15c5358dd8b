/* SPDX-License-Identifier: MIT */
/* Names of a mechanism: hash table of bodies, elements, parameters; expressions that use them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/mechanism.h"
#include "mechanism/signal/signal.h"

/* Array with room for one more item of `size` bytes: `item` itself, or a copy of twice the size
 * plus 8 (item is freed). *room <- the number of items that fit. Without memory item is returned
 * and *room stays equal to count, by which GA_GROW knows. */
void *ga_grown(void *item, int count, int *room, size_t size) {
  if (count < *room) return item;
  const int more = 2 * *room + 8;
  void *block = ga_calloc((size_t)more, size);
  if (!block) return item;
  if (count) memcpy(block, item, (size_t)count * size);
  ga_free(item);
  *room = more;
  return block;
}

/* A copy of text followed by more (may be NULL), in m's memory until m is freed; NULL: no memory.
 * Copies are packed in blocks (m->text, m->text_left), because the arena aligns every request. */
const char *ga_mechanism_text(ga_mechanism *m, const char *text, const char *more) {
  enum { PACK = 1 << 14 };
  const size_t n = strlen(text), n2 = more ? strlen(more) : 0, all = n + n2 + 1;
  if (m->text_left < all) {
    const size_t room = all > PACK ? all : PACK;
    m->text = ga_arena_take(&m->arena, room, 1);
    m->text_left = m->text ? room : 0;
    if (!m->text) return NULL;
  }
  char *copy = m->text;
  memcpy(copy, text, n);
  if (n2) memcpy(copy + n, more, n2);
  copy[n + n2] = '\0';
  m->text += all;
  m->text_left -= all;
  return copy;
}

/* FNV-1a hash of a text. */
unsigned ga_hash(const char *text) {
  unsigned h = 2166136261u;
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
  return h;
}

/* ---- the table ------------------------------------------------------------------------------ */

/* Slot of a name in the hash table, or the free slot where it belongs. The table must have slots;
 * their number is a power of two and at most half are used. */
static ga_symbol *symbol_slot(const ga_mechanism *m, const char *name) {
  const unsigned mask = (unsigned)m->symbols.room - 1;
  unsigned i = ga_hash(name) & mask;
  while (m->symbols.item[i].name && strcmp(m->symbols.item[i].name, name) != 0) i = (i + 1) & mask;
  return &m->symbols.item[i];
}

/* The symbol of this name, or NULL; it may move when the next name is defined. */
const ga_symbol *ga_mechanism_find(const ga_mechanism *m, const char *name) {
  if (m->symbols.room == 0) return NULL;
  const ga_symbol *s = symbol_slot(m, name);
  return s->name ? s : NULL;
}

/* Double the hash table if one more name would fill more than half. False: no memory, and the table
 * is unchanged. */
static bool grow_table(ga_mechanism *m) {
  if (2 * (m->nsymbol + 1) <= m->symbols.room) return true;
  ga_symbol *old = m->symbols.item;
  const int before = m->symbols.room, room = before ? 2 * before : 64;
  ga_symbol *item = ga_calloc((size_t)room, sizeof *item);
  if (!item) return false;
  m->symbols.item = item;
  m->symbols.room = room;
  for (int i = 0; i < before; i++) {
    if (old[i].name) *symbol_slot(m, old[i].name) = old[i];
  }
  ga_free(old);
  return true;
}

/* Enter a name, which must be new, into the table, as a copy in m's memory. index: number in the
 * list of its kind (bodies, joints); value: of a parameter; else 0. Fails only without memory: the
 * table is unchanged then. */
ga_status ga_mechanism_define(ga_mechanism *m, const char *name, ga_named kind, int index,
                              double value, ga_error *err) {
  const char *copy = ga_mechanism_text(m, name, NULL);
  if (!copy || !grow_table(m)) return ga_fail(err, GA_ERR_MEM, "no memory for '%s'", name);
  *symbol_slot(m, copy) = (ga_symbol){copy, kind, index, value};
  m->nsymbol++;
  return GA_OK;
}

/* Take a name, which is there, out of the table. Names that were moved on because its slot was taken
 * move back. */
void ga_mechanism_undefine(ga_mechanism *m, const char *name) {
  const unsigned mask = (unsigned)m->symbols.room - 1;
  ga_symbol *item = m->symbols.item;
  unsigned hole = (unsigned)(symbol_slot(m, name) - item);
  for (unsigned i = (hole + 1) & mask; item[i].name; i = (i + 1) & mask) {
    const unsigned wanted = ga_hash(item[i].name) & mask;
    if (((i - wanted) & mask) < ((i - hole) & mask)) continue; /* it belongs behind the hole */
    item[hole] = item[i];
    hole = i;
  }
  item[hole] = (ga_symbol){.name = NULL};
  m->nsymbol--;
}

/* ---- which names are allowed ---------------------------------------------------------------- */

/* True for letters, digits and _, not beginning with a digit, at least one character. */
static bool is_name(const char *name) {
  if (!isalpha((unsigned char)name[0]) && name[0] != '_') return false;
  for (; *name; name++) {
    if (!isalnum((unsigned char)*name) && *name != '_') return false;
  }
  return true;
}

/* Meaning of a word that would be ambiguous as the name of a `what` ("body", "sensor", ..), or NULL
 * if it may be used. Columns of bodies and elements are NAME.x, but a sensor may be a column by its
 * name alone, and a parameter stands alone in expressions, where check_ambiguous knows variables. Functions are known by the parenthesis
 * behind them, units by the number before them. */
static const char *reserved_for(const char *what, const char *name) {
  static const struct {
    const char *word, *meaning, *kind; /* kind: only for these; NULL: for all */
  } words[] = {{"ground", "the body that does not move", NULL},
               {"energy", "the columns energy.*", NULL},
               {"momentum", "the columns momentum.*", NULL},
               {"angular_momentum", "the columns angular_momentum.*", NULL},
               {"t", "the time in expressions", "sensor"},
               {"s", "a length or coordinate in laws", "sensor"},
               {"s_dot", "a rate in laws", "sensor"},
               {"pi", "a constant in expressions", "sensor"},
               {"e", "a constant in expressions", "sensor"},
               {"t", "the time in expressions", "state"},
               {"s", "a length or coordinate in laws", "state"},
               {"s_dot", "a rate in laws", "state"},
               {"pi", "a constant in expressions", "state"},
               {"e", "a constant in expressions", "state"},
               {"t", "the time in expressions", "input"},
               {"s", "a length or coordinate in laws", "input"},
               {"s_dot", "a rate in laws", "input"},
               {"pi", "a constant in expressions", "input"},
               {"e", "a constant in expressions", "input"},
               {"pi", "a constant in expressions", "parameter"}};
  for (int i = 0; i < (int)(sizeof words / sizeof words[0]); i++) {
    if (words[i].kind && strcmp(words[i].kind, what) != 0) continue;
    if (strcmp(words[i].word, name) == 0) return words[i].meaning;
  }
  return NULL;
}

/* GA_ERR_ARG unless something can be added under this name: m is not built, the name is well
 * formed, not reserved and not in use. Nothing is changed. `what` ("body", ..) is for messages. */
ga_status ga_mechanism_claim(ga_mechanism *m, const char *what, const char *name, ga_error *err) {
  if (m->built)
    return ga_fail(err, GA_ERR_ARG, "the mechanism has been built: nothing can be added");
  if (!name || !*name) return ga_fail(err, GA_ERR_ARG, "a %s needs a name", what);
  if (!is_name(name)) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s '%s': a name has letters, digits and _, and does not begin with a digit",
                   what, name);
  }
  const char *meaning = reserved_for(what, name);
  if (meaning) {
    return ga_fail(err, GA_ERR_ARG, "%s '%s': the name is reserved, it means %s; choose another",
                   what, name, meaning);
  }
  if (ga_mechanism_find(m, name)) {
    return ga_fail(err, GA_ERR_ARG, "%s '%s': the name is used already", what, name);
  }
  return GA_OK;
}

/* ---- finding what others refer to ----------------------------------------------------------- */

typedef struct {
  const ga_mechanism *m;
  ga_named kind;
} candidates;

/* Candidate for ga_nearest_in: name of the i-th slot, "" if it has another kind, NULL past the end.
 * No word is similar to "". */
static const char *symbol_name(const void *context, int i) {
  const candidates *c = context;
  if (i >= c->m->symbols.room) return NULL;
  const ga_symbol *s = &c->m->symbols.item[i];
  return s->name && s->kind == c->kind ? s->name : "";
}

/* The most similar name of this kind, for "did you mean"; NULL: none is similar. */
static const char *nearest_symbol(const ga_mechanism *m, const char *name, ga_named kind) {
  const candidates c = {m, kind};
  const char *near = ga_nearest_in(name, symbol_name, &c);
  return near && *near ? near : NULL;
}

/* Fail (GA_ERR_ARG) with "owner: there is no body 'x'; did you mean 'y'?"; what: "body" or "joint",
 * kind: among which names y is sought. */
static ga_status fail_unknown(const ga_mechanism *m, const char *owner, const char *what,
                              const char *name, ga_named kind, ga_error *err) {
  const char *near = nearest_symbol(m, name, kind);
  if (near) {
    return ga_fail(err, GA_ERR_ARG, "%s: there is no %s '%s'; did you mean '%s'?", owner, what,
                   name, near);
  }
  return ga_fail(err, GA_ERR_ARG, "%s: there is no %s '%s'", owner, what, name);
}

/* *index <- number of the body, 0 for "ground"; fails (GA_ERR_ARG) if there is none of this name or
 * it is NULL. owner begins messages. */
ga_status ga_mechanism_body_named(const ga_mechanism *m, const char *owner, const char *name,
                                  int *index, ga_error *err) {
  if (!name) return ga_fail(err, GA_ERR_ARG, "%s: a body is missing", owner);
  *index = 0;
  if (strcmp(name, "ground") == 0) return GA_OK;
  const ga_symbol *s = ga_mechanism_find(m, name);
  if (s && s->kind == GA_NAMED_BEAM) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: '%s' is a beam; name one of its nodes: %s.start, %s.end, %s.n1, ..", owner,
                   name, name, name, name);
  }
  if (!s || s->kind != GA_NAMED_BODY)
    return fail_unknown(m, owner, "body", name, GA_NAMED_BODY, err);
  *index = s->index;
  return GA_OK;
}

/* Add coordinate number `which` of joint number `joint` to m->coordinates, with start value and
 * rate from the bodies. full: "JOINT.NAME"; owner: who asked for it. *index and the joint's list <-
 * its number. Fails where the angle is not defined at the start; nothing is added then. */
static ga_status create_coordinate(ga_mechanism *m, const char *owner, const char *full, int joint,
                                   int which, int *index, ga_error *err) {
  ga_joint_data *data = (ga_joint_data *)m->joints.item[joint].data;
  ga_angle angle = {.joint = joint, .which = which};
  if (!ga_coordinate_start(m, &m->joints.item[joint], which, &angle.start, &angle.start_rate)) {
    return ga_fail(err, GA_ERR_ARG, "%s: '%s' is not defined in the initial configuration", owner,
                   full);
  }
  angle.name = ga_mechanism_text(m, full, NULL);
  angle.rate = ga_mechanism_text(m, full, "_rate");
  angle.asked_by = ga_mechanism_text(m, owner, NULL);
  if (!angle.name || !angle.rate || !angle.asked_by || !GA_GROW(m->coordinates)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for '%s'", full);
  }
  *index = data->coordinate[which] = m->coordinates.count;
  m->coordinates.item[m->coordinates.count++] = angle;
  return GA_OK;
}

/* *index <- number of the coordinate "JOINT.NAME" in m->coordinates, where it is created if it does
 * not exist yet. Fails for an unknown joint or coordinate; owner begins messages. */
ga_status ga_mechanism_coordinate_named(ga_mechanism *m, const char *owner, const char *name,
                                        int *index, ga_error *err) {
  char joint[128];
  const char *dot = name ? strchr(name, '.') : NULL;
  if (!dot || (size_t)(dot - name) >= sizeof joint) {
    return ga_fail(err, GA_ERR_ARG, "%s: a coordinate is written JOINT.NAME, not '%s'", owner,
                   name ? name : "");
  }
  memcpy(joint, name, (size_t)(dot - name));
  joint[dot - name] = '\0';
  const ga_symbol *s = ga_mechanism_find(m, joint);
  if (!s || s->kind != GA_NAMED_JOINT) {
    return fail_unknown(m, owner, "joint", joint, GA_NAMED_JOINT, err);
  }
  const ga_joint_data *data = m->joints.item[s->index].data;
  const ga_coordinate_spec *spec = data->type->coordinate;
  for (int k = 0; k < GA_COORDINATES_MAX && spec[k].name; k++) {
    if (strcmp(spec[k].name, dot + 1) != 0) continue;
    *index = data->coordinate[k];
    return *index >= 0 ? GA_OK : create_coordinate(m, owner, name, s->index, k, index, err);
  }
  if (!spec[0].name) {
    return ga_fail(err, GA_ERR_ARG, "%s: joint '%s' (%s) has no coordinates", owner, joint,
                   data->type->name);
  }
  return ga_fail(
      err, GA_ERR_ARG, "%s: joint '%s' (%s) has no coordinate '%s', but '%s'%s%s%s%s%s%s", owner,
      joint, data->type->name, dot + 1, spec[0].name, spec[1].name ? ", '" : "",
      spec[1].name ? spec[1].name : "", spec[1].name ? "'" : "", spec[2].name ? ", '" : "",
      spec[2].name ? spec[2].name : "", spec[2].name ? "'" : "");
}

/* Remove all coordinates but the first `count`, and their numbers from the joints: undoes what a
 * failed call created. Nothing may refer to them yet. */
void ga_mechanism_forget_coordinates(ga_mechanism *m, int count) {
  while (m->coordinates.count > count) {
    const ga_angle *angle = &m->coordinates.item[--m->coordinates.count];
    if (angle->joint < 0) continue;
    ga_joint_data *data = (ga_joint_data *)m->joints.item[angle->joint].data;
    data->coordinate[angle->which] = -1;
  }
}

/* ---- functions ------------------------------------------------------------------------------ */

typedef struct {
  const ga_mechanism *m;
  const ga_variable *variables;
  ga_used_names *used; /* signals that the expression mentions */
} scope;

/* Number of a signal among the names of a function, where it is entered if it is new (copy: in m's
 * memory); -1: there are too many. */
int ga_used_name(ga_used_names *used, const char *name, const char *copy) {
  for (int i = 0; i < used->count; i++) {
    if (strcmp(used->name[i], name) == 0) return i;
  }
  if (used->count == GA_USES_MAX || !copy) return -1;
  used->name[used->count] = copy;
  return used->count++;
}

/* Names in expressions (ga_scope): a variable of the function, the number of a parameter, or a
 * signal. */
static ga_name lookup_name(const void *context, const char *name) {
  const scope *sc = context;
  int own = 0;
  for (; sc->variables[own].name; own++) {
    if (strcmp(sc->variables[own].name, name) == 0) return (ga_name){GA_NAME_VARIABLE, 0, own};
  }
  const ga_symbol *s = ga_mechanism_find(sc->m, name);
  if (s && s->kind == GA_NAMED_PARAMETER) return (ga_name){GA_NAME_NUMBER, s->value, 0};
  if (!ga_mechanism_signal_known(sc->m, name)) return (ga_name){GA_NAME_UNKNOWN, 0, 0};
  const char *copy = ga_mechanism_text((ga_mechanism *)sc->m, name, NULL);
  const int i = ga_used_name(sc->used, name, copy);
  return i < 0 ? (ga_name){GA_NAME_UNKNOWN, 0, 0} : (ga_name){GA_NAME_VARIABLE, 0, own + i};
}

/* The most similar parameter, for "did you mean" (ga_scope). */
static const char *nearest_parameter(const void *context, const char *name) {
  return nearest_symbol(((const scope *)context)->m, name, GA_NAMED_PARAMETER);
}

/* law->uses <- the names of signals, as copies in m; they are found by ga_mechanism_resolve. */
static ga_status keep_uses(ga_mechanism *m, const char *owner, const char *field,
                           const char *const *name, int count, ga_law *law, ga_error *err) {
  if (count == 0) return GA_OK;
  if (count < 0 || count > GA_USES_MAX) {
    return ga_fail(err, GA_ERR_ARG, "%s: %s uses %d signals, at most %d are possible", owner, field,
                   count, GA_USES_MAX);
  }
  ga_uses *uses = ga_arena_take(&m->arena, 1, sizeof *uses);
  const char **copy = ga_arena_take(&m->arena, (size_t)count, sizeof *copy);
  if (m->arena.failed || !GA_GROW(m->uses)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  }
  *uses = (ga_uses){.count = count,
                    .name = copy,
                    .source = name,
                    .owner = ga_mechanism_text(m, owner, NULL),
                    .field = ga_mechanism_text(m, field, NULL)};
  for (int i = 0; i < count; i++) copy[i] = ga_mechanism_text(m, name[i] ? name[i] : "", NULL);
  if (m->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  m->uses.item[m->uses.count++] = uses;
  law->uses = uses;
  return GA_OK;
}

/* GA_ERR_ARG if the expression mentions a variable of its own that is also a parameter: the author
 * may mean either. */
static ga_status check_ambiguous(const ga_mechanism *m, const char *owner, const char *field,
                                 const ga_variable *variables, const ga_expr *expr, ga_error *err) {
  for (int i = 0; variables[i].name; i++) {
    const ga_symbol *s = ga_mechanism_find(m, variables[i].name);
    if (!s || s->kind != GA_NAMED_PARAMETER || !ga_expr_mentions(expr, i)) continue;
    return ga_fail(err, GA_ERR_ARG,
                   "%s: %s: '%s' is a variable of this function, and a parameter: rename the "
                   "parameter",
                   owner, field, s->name);
  }
  return GA_OK;
}

/* *law <- a function of the author: C function, expression or constant, the first that is given. An
 * expression of `variables` (a list that ends with a NULL name), parameters and signals is parsed
 * here and owned by m. Fails for a mistake in it or a constant that is not finite; owner and field
 * begin messages. */
ga_status ga_mechanism_law(ga_mechanism *m, const char *owner, const char *field,
                           const ga_function *function, const ga_variable *variables, ga_law *law,
                           ga_error *err) {
  *law = (ga_law){.constant = function->constant,
                  .fn = function->fn,
                  .context = function->context,
                  .next_corner = function->next_corner,
                  .surprise = function->surprise,
                  .along = function->along};
  if (function->fn) {
    return keep_uses(m, owner, field, function->uses, function->nuses, law, err);
  }
  if (!function->text) {
    law->zero = function->constant == 0;
    return ga_finite(1, &function->constant)
               ? GA_OK
               : ga_fail(err, GA_ERR_ARG, "%s: %s is not a finite number", owner, field);
  }
  ga_used_names used = {.count = 0};
  const scope names = {m, variables, &used};
  const ga_scope sc = {.lookup = lookup_name, .nearest = nearest_parameter, .context = &names};
  if (!GA_GROW(m->texts)) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  ga_status status = ga_expr_parse(function->text, &sc, &law->expr, NULL, err);
  if (status != GA_OK) {
    ga_error_prefix(err, "%s: %s", owner, field);
    return status;
  }
  m->texts.item[m->texts.count++] = law->expr;
  status = check_ambiguous(m, owner, field, variables, law->expr, err);
  if (status != GA_OK) return status;
  return keep_uses(m, owner, field, used.name, used.count, law, err);
}

/* Define a number that expressions parsed later can use by its name. Fails after the build, for a
 * name that cannot be used (ga_mechanism_claim), or if the value is not finite. */
ga_status ga_mechanism_set_parameter(ga_mechanism *m, const char *name, double value,
                                     ga_error *err) {
  ga_status status = ga_mechanism_claim(m, "parameter", name, err);
  if (status != GA_OK) return status;
  if (!ga_finite(1, &value)) {
    return ga_fail(err, GA_ERR_ARG, "parameter '%s' is not a finite number", name);
  }
  return ga_mechanism_define(m, name, GA_NAMED_PARAMETER, 0, value, err);
}
