/* SPDX-License-Identifier: MIT */
/* Sections run, output and events of a model file: options, columns, events. Functions return false
 * after a failure, which is recorded in r. To "want" a coordinate is to make it exist before the
 * build: only existing coordinates have columns. */
#include <stdio.h>
#include <string.h>

#include "file/private.h"
#include "mechanism/signal/signal.h"

/* Keys of `run` that are not options of the integrator: those of `genalpha run` that make sense in
 * a model file. */
static const char *const run_keys[][2] = {
    {"t_end", "end of the run"},
    {"every", "write every N-th step"},
    {"out_dt", "write the state at equal distances of time"},
    {"input", "CSV file that the inputs follow"},
    {"interpolate", "inputs between its lines: hold, linear, smooth"},
    {"stop_when", "end the run where an expression of columns begins to hold"},
    {"project_at", "project the velocity onto the hidden constraint at this time"},
    {"project", "kind of that projection: plain, keep-order"},
    {"guess_multipliers", "near which those of the start are sought"},
    {"extrapolate", "K = 1, 2, 3: order 2 + K and error estimates"},
    {"extrapolate_steps", "steps of these runs: halved, harmonic"},
    {"extrapolate_multipliers", "extrapolated, consistent"},
    {"threads", "threads for these runs"},
    {"out", "file of the trajectory"},
    {"impacts", "file of the changes of contacts"},
    {"plot", "picture of the motion"},
    {"view", "make a page that shows the motion"},
    {"out_page", "name of that page"},
    {"final", "print the end state as one JSON object"},
    {"save_state", "file of the end state"},
    {"checkpoint_every", "save it on the way too, in seconds of simulated time"},
    {"from_state", "file of a saved state to go on from"},
    {"petsc", "options of PETSc, under mpirun"}};
enum { NRUN = (int)(sizeof run_keys / sizeof run_keys[0]) };

/* *key <- the i-th key of `run`: options of the integrator, then run_keys; false past the end. */
bool ga_run_key_at(int i, ga_run_key *key) {
  int n = 0;
  while (ga_option_at(n)) n++;
  if (i >= n + NRUN) return false;
  snprintf(key->text, sizeof key->text, "%s", i < n ? ga_option_at(i)->key : run_keys[i - n][0]);
  for (char *c = key->text; *c; c++) *c = *c == '-' ? '_' : *c;
  key->help = i < n ? ga_option_at(i)->help : run_keys[i - n][1];
  return true;
}

/* All keys of `run` as texts, for "did you mean". */
typedef struct run_words {
  ga_run_key key[96];
  int count;
} run_words;

/* The i-th key, NULL past the end (candidates of ga_nearest_in). */
static const char *run_word_at(const void *context, int i) {
  const run_words *all = context;
  return i < all->count ? all->key[i].text : NULL;
}

/* Fail at a key of `run` that is no option, with the nearest one. Keys may be written with - in
 * place of _; options of earlier versions are left to the caller, who warns. */
static bool check_run_key(ga_reader *r, const ga_node *key) {
  run_words all = {.count = 0};
  char text[GA_WORD_ROOM];
  if (ga_option_removed(key->text)) return true;
  snprintf(text, sizeof text, "%s", key->text);
  for (char *c = text; *c; c++) *c = *c == '-' ? '_' : *c;
  while (all.count < 96 && ga_run_key_at(all.count, &all.key[all.count])) {
    if (strcmp(all.key[all.count++].text, text) == 0) return true;
  }
  const char *near = ga_nearest_in(text, run_word_at, &all);
  return ga_reader_fail(r, key, "unknown option '%.60s'%s%s%s", key->text,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Append the options of `run` to file->options as texts, with their lines. Keys must be those of
 * ga_run_key_at; the values of words are not checked here. Values that are expressions of
 * parameters are replaced by their numbers; words stay as they are. */
bool ga_read_run(ga_reader *r, const ga_node *node, ga_file *file) {
  ga_reader_enter(r, "run");
  if (node->kind != GA_NODE_MAP)
    return ga_reader_fail(r, node, "a map {OPTION: value} is expected here");
  for (const ga_node *item = node->first; item; item = item->next) {
    double x;
    char *text = ga_arena_take(&file->arena, 64, 1);
    if (!check_run_key(r, item->key)) return false;
    if (item->kind != GA_NODE_SCALAR || !*item->text)
      return ga_reader_fail(r, item, "a word or a number is expected here");
    if (!text || !GA_GROW(file->options)) return ga_reader_fail(r, item, "no memory");
    run_option *o = &file->options.item[file->options.count++];
    *o = (run_option){item->key->text, item->text, item->key->line};
    /* numbers may be expressions of parameters; words stay words */
    ga_reader quiet = *r; /* a copy, so that a failure is not recorded in r */
    ga_error ignored;
    quiet.err = &ignored;
    if (strspn(item->text, "0123456789.eE+-") != strlen(item->text) &&
        ga_read_number(&quiet, item, &x)) {
      snprintf(text, 64, "%.17g", x);
      o->value = text;
    }
  }
  ga_reader_leave(r);
  return true;
}

/* If a column name is JOINT.COORDINATE or JOINT.COORDINATE_rate, make that coordinate exist,
 * because only existing coordinates have columns. Other names succeed without effect. */
static bool want_column(ga_reader *r, const ga_node *node, const char *name) {
  char joint[GA_WORD_ROOM];
  ga_error err = {GA_OK, ""};
  const char *dot = strchr(name, '.');
  if (!dot || strlen(name) >= sizeof joint) return true;
  snprintf(joint, sizeof joint, "%.*s", (int)(dot - name), name);
  const ga_symbol *s = ga_mechanism_find(r->m, joint);
  if (!s || s->kind != GA_NAMED_JOINT) return true;
  const ga_joint_data *data = r->m->joints.item[s->index].data;
  for (int k = 0; k < GA_COORDINATES_MAX && data->type->coordinate[k].name; k++) {
    const char *own = data->type->coordinate[k].name;
    const size_t n = strlen(own);
    if (strncmp(dot + 1, own, n) != 0 || (dot[1 + n] && strcmp(dot + 1 + n, "_rate") != 0))
      continue;
    snprintf(joint, sizeof joint, "%.*s.%s", (int)(dot - name), name, own);
    return ga_reader_accept(r, node, ga_mechanism_want_coordinate(r->m, joint, &err), &err);
  }
  return true;
}

/* Make the coordinates exist that an expression of columns (text) mentions; before the build. node:
 * where failures are reported. Words that are no coordinates are skipped. */
bool ga_want_words(ga_reader *r, const ga_node *node, const char *text) {
  static const char *const letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.";
  while (*text) {
    const size_t n = strspn(text, letters);
    char word[GA_WORD_ROOM];
    if (n > 0 && n < sizeof word) {
      memcpy(word, text, n);
      word[n] = '\0';
      if (!want_column(r, node, word)) return false;
    }
    text += n > 0 ? n : 1;
  }
  return true;
}

/* Make the coordinates exist that `output` lists; before the build. Other names are checked by
 * ga_take_outputs after it. */
bool ga_want_outputs(ga_reader *r, const ga_node *node) {
  ga_reader_enter(r, "output");
  if (node->kind != GA_NODE_LIST)
    return ga_reader_fail(r, node, "a list of columns is expected here");
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *name;
    if (!ga_read_name(r, item, &name) || !want_column(r, item, name)) return false;
  }
  ga_reader_leave(r);
  return true;
}

/* ---- events --------------------------------------------------------------------------------- */

/* Target of event_fields. */
typedef struct {
  const char *when;
  bool rising, falling, stop;
} event_input;

const ga_field ga_event_fields[] = {{"when", "text", "an expression of columns, zero at the event",
                                     ga_field_text, offsetof(event_input, when), NULL, true, NULL},
                                    {"rising", "flag", "only where it rises", ga_field_flag,
                                     offsetof(event_input, rising), NULL, false, NULL},
                                    {"falling", "flag", "only where it falls", ga_field_flag,
                                     offsetof(event_input, falling), NULL, false, NULL},
                                    {"stop", "flag", "the run ends there", ga_field_flag,
                                     offsetof(event_input, stop), NULL, false, NULL},
                                    {.key = NULL}};

/* Append the entries of `events` to file->events and make the coordinates exist that they mention;
 * before the build. Both rising and falling, or neither: any direction. */
bool ga_read_events(ga_reader *r, const ga_node *node, ga_file *file) {
  ga_reader_enter(r, "events");
  if (node->kind != GA_NODE_MAP)
    return ga_reader_fail(r, node, "a map {NAME: {when: ..}} is expected here");
  for (const ga_node *item = node->first; item; item = item->next) {
    event_input in = {0};
    ga_reader_enter(r, item->key->text);
    if (!ga_read_fields(r, item, ga_event_fields, &in) || !ga_want_words(r, item, in.when))
      return false;
    if (!GA_GROW(file->events)) return ga_reader_fail(r, item, "no memory");
    file->events.item[file->events.count++] = (ga_file_event){item->key->text, in.when,
                                                              in.rising == in.falling ? GA_EVENT_ANY
                                                              : in.rising ? GA_EVENT_RISING
                                                                          : GA_EVENT_FALLING,
                                                              in.stop};
    ga_reader_leave(r);
  }
  ga_reader_leave(r);
  return true;
}

/* Parse the expressions of all events (file->events) once, to report mistakes; nothing is kept.
 * After the build, which names the columns. node: the section `events`. */
bool ga_check_events(ga_reader *r, const ga_node *node, const ga_file *file) {
  ga_reader_enter(r, "events");
  for (int i = 0; i < file->events.count; i++) {
    const ga_file_event *e = &file->events.item[i];
    const ga_node *when = ga_node_find(ga_node_find(node, e->name), "when");
    ga_watch *watch = NULL;
    ga_error err = {GA_OK, ""};
    ga_reader_enter(r, e->name);
    ga_reader_enter(r, "when");
    const ga_status status = ga_watch_new(r->m, e->when, e->direction, e->stop, &watch, &err);
    ga_watch_free(watch);
    if (!ga_reader_accept(r, when, status, &err)) return false;
    r->depth -= 2; /* leave "when" and the name of the event */
  }
  ga_reader_leave(r);
  return true;
}

typedef struct {
  const ga_mechanism *m;
} all_columns;

/* Name of column i, NULL past the end (candidates of ga_nearest_in). */
static const char *column_at(const void *context, int i) {
  return ga_mechanism_column_name(((const all_columns *)context)->m, i);
}

/* Append the column numbers of the names in `output`, a list, to file->output; after the build.
 * Fails with "did you mean" for an unknown column. */
bool ga_take_outputs(ga_reader *r, const ga_node *node, ga_file *file) {
  ga_reader_enter(r, "output");
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *name;
    if (!ga_read_name(r, item, &name)) return false;
    const int i = ga_mechanism_column_index(r->m, name);
    if (i < 0 && ga_mechanism_signal_known(r->m, name)) {
      return ga_reader_fail(r, item,
                            "'%.80s' is for functions, it is no column; make it one by a sensor, "
                            "{type: expression, value: %.80s}",
                            name, name);
    }
    if (i < 0) {
      const all_columns all = {r->m};
      const char *near = ga_nearest_in(name, column_at, &all);
      return ga_reader_fail(r, item, "there is no column '%.80s'%s%s%s", name,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (!GA_GROW(file->output)) return ga_reader_fail(r, item, "no memory");
    file->output.item[file->output.count++] = i;
  }
  ga_reader_leave(r);
  return true;
}
