/* SPDX-License-Identifier: MIT */
/* From names to signals: columns of bodies, joints, forces and sensors, states and inputs. Signals of
 * a function are found when everything has been added; definitions in a circle are refused. */
#include <stdio.h>
#include <string.h>

#include "mechanism/signal/signal.h"

enum { WORD = 200 };

/* What a name stands for: the owner before the '.' or before an end like "_rate", and the rest. */
typedef struct {
  const ga_symbol *symbol; /* NULL: unknown */
  const char *end;         /* ".x", "_rate", "" */
} reference;

/* Find the owner of a name: all before the first '.' (of a node of a beam: before the second one),
 * the whole, or all before "_rate". */
static reference find_owner(const ga_mechanism *m, const char *name) {
  char word[WORD];
  const char *dot = strchr(name, '.');
  const size_t n = dot ? (size_t)(dot - name) : strlen(name);
  if (n >= sizeof word) return (reference){NULL, ""};
  snprintf(word, sizeof word, "%.*s", (int)n, name);
  const ga_symbol *s = ga_mechanism_find(m, word);
  const char *second = s && s->kind == GA_NAMED_BEAM && dot ? strchr(dot + 1, '.') : NULL;
  if (second && (size_t)(second - name) < sizeof word) { /* a node: BEAM.NODE.x */
    snprintf(word, sizeof word, "%.*s", (int)(second - name), name);
    return (reference){ga_mechanism_find(m, word), second};
  }
  if (s || dot) return (reference){s, name + n};
  static const char rate[] = "_rate";
  const size_t cut = n > strlen(rate) ? n - strlen(rate) : 0;
  if (cut == 0 || strcmp(name + cut, rate) != 0) return (reference){NULL, ""};
  word[cut] = '\0';
  return (reference){ga_mechanism_find(m, word), name + cut};
}

/* Number of the column of an element whose name ends like this, -1: none. */
static int column_named(const ga_element_type *type, const char *end) {
  for (int i = 0; i < type->ncolumn + type->nextra; i++) {
    if (strcmp(type->columns[i].end, end) == 0) return i;
  }
  return -1;
}

/* Which coordinate of a joint an end ".angle", ".angle_rate" names, -1: none; *rate: its rate. */
static int coordinate_named(const ga_joint_data *data, const char *end, bool *rate) {
  for (int k = 0; k < GA_COORDINATES_MAX && data->type->coordinate[k].name; k++) {
    const char *own = data->type->coordinate[k].name;
    const size_t n = strlen(own);
    if (end[0] != '.' || strncmp(end + 1, own, n) != 0) continue;
    *rate = strcmp(end + 1 + n, "_rate") == 0;
    if (*rate || !end[1 + n]) return k;
  }
  return -1;
}

static const ga_element *element_of(const ga_mechanism *m, const ga_symbol *s) {
  return s->kind == GA_NAMED_SENSOR ? &m->sensors.item[s->index] : &m->others.item[s->index];
}

/* Is there something of this name? Whether functions can use it, ga_mechanism_signal_named says. */
bool ga_mechanism_signal_known(const ga_mechanism *m, const char *name) {
  const reference r = find_owner(m, name);
  bool rate;
  if (strcmp(name, "t") == 0) return true;
  if (!r.symbol) return false;
  switch (r.symbol->kind) {
    case GA_NAMED_BODY:
      return ga_body_measure_named(m->bodies.item[r.symbol->index].kind, r.end) >= 0;
    case GA_NAMED_JOINT:
      return coordinate_named(m->joints.item[r.symbol->index].data, r.end, &rate) >= 0 ||
             column_named(m->joints.item[r.symbol->index].type, r.end) >= 0;
    case GA_NAMED_OTHER:
    case GA_NAMED_SENSOR:
      return column_named(element_of(m, r.symbol)->type, r.end) >= 0;
    case GA_NAMED_STATE:
    case GA_NAMED_INPUT:
      return !*r.end;
    default:
      return false;
  }
}

/* Candidates for "did you mean": all names that are known, "" for others; NULL past the end. */
static const char *owner_name(const void *context, int i) {
  const ga_mechanism *m = context;
  if (i >= m->symbols.room) return NULL;
  const ga_symbol *s = &m->symbols.item[i];
  return s->name && s->kind != GA_NO_NAME ? s->name : "";
}

/* Fail: there is nothing of this name. */
static ga_status fail_unknown(const ga_mechanism *m, const char *owner, const char *name,
                              const reference *r, ga_error *err) {
  if (r->symbol && r->symbol->kind != GA_NAMED_PARAMETER) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: unknown name '%s': '%s' has no '%s' that a function can use", owner, name,
                   r->symbol->name, *r->end == '.' ? r->end + 1 : r->end);
  }
  for (int i = 0; i < m->others.count; i++) { /* names with a point, as arm.s1 of beams */
    const char *of = m->others.item[i].name;
    const size_t length = strlen(of);
    if (!strchr(of, '.') || strncmp(name, of, length) != 0 || name[length] != '.') continue;
    return ga_fail(err, GA_ERR_ARG,
                   "%s: unknown name '%s': '%s' has no '%s' that a function can use", owner, name,
                   of, name + length + 1);
  }
  char word[WORD];
  snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "."), name);
  const char *near = ga_nearest_in(word, owner_name, m);
  if (near && *near) {
    return ga_fail(err, GA_ERR_ARG, "%s: unknown name '%s'; did you mean '%s%s'?", owner, name,
                   near, name + strlen(word));
  }
  return ga_fail(err, GA_ERR_ARG, "%s: unknown name '%s'", owner, name);
}

/* *signal <- a coordinate of a joint, which is made to exist, or its rate. */
static ga_status joint_signal(ga_mechanism *m, const char *owner, const char *name,
                              const reference *r, ga_signal *signal, ga_error *err) {
  const ga_element *joint = &m->joints.item[r->symbol->index];
  char full[WORD];
  bool rate = false;
  const int k = coordinate_named(joint->data, r->end, &rate);
  if (k < 0 && column_named(joint->type, r->end) >= 0) {
    return ga_fail(
        err, GA_ERR_ARG,
        "%s: '%s' is a force of a constraint, which functions cannot use: it follows from "
        "the forces that they give",
        owner, name);
  }
  if (k < 0) return fail_unknown(m, owner, name, r, err);
  const ga_joint_data *data = joint->data;
  snprintf(full, sizeof full, "%s.%s", joint->name, data->type->coordinate[k].name);
  signal->kind = rate ? GA_SIGNAL_RATE : GA_SIGNAL_COORDINATE;
  return ga_mechanism_coordinate_named(m, owner, full, &signal->coordinate, err);
}

/* *signal <- a column of a force, drive, coupler or sensor. */
static ga_status element_signal(ga_mechanism *m, const char *owner, const char *name,
                                const reference *r, ga_signal *signal, ga_error *err) {
  const ga_element el = *element_of(m, r->symbol); /* a copy: lists may grow */
  const int column = column_named(el.type, r->end);
  if (column < 0) return fail_unknown(m, owner, name, r, err);
  if (el.type->signal && el.type->signal(m, &el, column, signal)) return GA_OK;
  const char *why =
      el.nlam + el.npsi > 0 ? "a force of a constraint, which follows from the forces "
                              "that functions give"
      : r->symbol->kind == GA_NAMED_SENSOR
          ? "an acceleration, or a force or power of a constraint, which follow from the forces "
            "that functions give, or a power without derivatives"
          : "a column without derivatives";
  return ga_fail(err, GA_ERR_ARG, "%s: functions cannot use '%s', %s", owner, name, why);
}

/* *number <- a new signal of m that this name stands for. */
ga_status ga_mechanism_signal_named(ga_mechanism *m, const char *owner, const char *name,
                                    int *number, ga_error *err) {
  const reference r = find_owner(m, name);
  ga_signal signal = {.kind = GA_SIGNAL_TIME};
  ga_status status = GA_OK;
  if (strcmp(name, "t") != 0) {
    if (!r.symbol) return fail_unknown(m, owner, name, &r, err);
    switch (r.symbol->kind) {
      case GA_NAMED_BODY:
        signal = (ga_signal){
            .kind = GA_SIGNAL_MEASURE, .body = {r.symbol->index, 0}, .measure = ga_measure_body};
        signal.component = ga_body_measure_named(m->bodies.item[r.symbol->index].kind, r.end);
        if (signal.component < 0) status = fail_unknown(m, owner, name, &r, err);
        break;
      case GA_NAMED_JOINT:
        status = joint_signal(m, owner, name, &r, &signal, err);
        break;
      case GA_NAMED_OTHER:
      case GA_NAMED_SENSOR:
        status = element_signal(m, owner, name, &r, &signal, err);
        break;
      case GA_NAMED_STATE:
      case GA_NAMED_INPUT:
        signal = (ga_signal){
            .kind = r.symbol->kind == GA_NAMED_INPUT ? GA_SIGNAL_INPUT : GA_SIGNAL_COORDINATE,
            .coordinate = r.symbol->index};
        if (*r.end) status = fail_unknown(m, owner, name, &r, err);
        break;
      default:
        status = fail_unknown(m, owner, name, &r, err);
    }
  }
  if (status != GA_OK) return status;
  *number = ga_mechanism_add_signal(m, &signal);
  return *number >= 0 ? GA_OK : ga_fail(err, GA_ERR_MEM, "no memory for '%s'", name);
}

/* ---- all functions -------------------------------------------------------------------------- */

/* Find the signals of one function. */
static ga_status resolve_uses(ga_mechanism *m, ga_uses *u, ga_error *err) {
  if (u->signal) return GA_OK;
  char owner[WORD];
  snprintf(owner, sizeof owner, "%.120s: %.40s", u->owner, u->field);
  int *signal = ga_arena_ints(&m->arena, (size_t)u->count);
  if (!signal) return ga_fail(err, GA_ERR_MEM, "no memory for %s", u->owner);
  for (int i = 0; i < u->count; i++) {
    const ga_status status = ga_mechanism_signal_named(m, owner, u->name[i], &signal[i], err);
    if (status != GA_OK) return status;
  }
  u->signal = signal;
  return GA_OK;
}

/* The functions on the way from one to its signals, for the message about a circle. */
typedef struct path {
  const ga_uses *uses;
  const struct path *before;
} path;

enum { OPEN = 1, DONE = 2 };

/* Fail with the names of the circle that ends where it began, at `uses`. */
static ga_status fail_circle(const path *last, const ga_uses *uses, const ga_uses **failed,
                             ga_error *err) {
  char text[300] = "";
  size_t used = 0;
  for (const path *p = last; p && used < sizeof text; p = p->before) {
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.80s", used ? ", " : "",
                             p->uses->owner);
    if (p->uses == uses) break;
  }
  if (failed) *failed = uses;
  return ga_fail(err, GA_ERR_ARG, "definitions in a circle: each of %s needs the value of another",
                 text);
}

static ga_status find_circle(const ga_mechanism *m, ga_uses *uses, const path *before,
                             const ga_uses **failed, ga_error *err);

/* Follow a signal to the functions that it needs. */
static ga_status follow_signal(const ga_mechanism *m, int signal, const path *way,
                               const ga_uses **failed, ga_error *err) {
  const ga_signal *s = &m->signals.item[signal];
  for (int i = 0; s->kind == GA_SIGNAL_SUM && i < s->nterm; i++) {
    ga_status status = follow_signal(m, s->term[i].x, way, failed, err);
    const int y = s->term[i].y;
    if (status == GA_OK && y >= 0) status = follow_signal(m, y, way, failed, err);
    if (status != GA_OK) return status;
  }
  if (s->kind != GA_SIGNAL_FUNCTION || !s->law->uses) return GA_OK;
  return find_circle(m, (ga_uses *)s->law->uses, way, failed, err);
}

/* GA_ERR_ARG if the function needs its own value. */
static ga_status find_circle(const ga_mechanism *m, ga_uses *uses, const path *before,
                             const ga_uses **failed, ga_error *err) {
  const path way = {uses, before};
  if (uses->mark == DONE) return GA_OK;
  if (uses->mark == OPEN) return fail_circle(before, uses, failed, err);
  uses->mark = OPEN;
  ga_status status = GA_OK;
  for (int i = 0; i < uses->count && status == GA_OK; i++) {
    status = follow_signal(m, uses->signal[i], &way, failed, err);
  }
  uses->mark = DONE;
  return status;
}

/* Find the signals of all functions of m, and refuse definitions in a circle. */
ga_status ga_mechanism_resolve(ga_mechanism *m, const ga_uses **failed, ga_error *err) {
  ga_status status = GA_OK;
  for (int i = 0; i < m->uses.count && status == GA_OK; i++) {
    status = resolve_uses(m, m->uses.item[i], err);
    if (status != GA_OK && failed) *failed = m->uses.item[i];
  }
  for (int i = 0; i < m->uses.count && status == GA_OK; i++) {
    status = find_circle(m, m->uses.item[i], NULL, failed, err);
  }
  return status;
}
