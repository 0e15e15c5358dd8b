/* SPDX-License-Identifier: MIT */
/* A model file as a whole: parameters, sections, repetition, run options, output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/reader.h"

typedef struct {
  const char *key, *value;
  int line;
} run_option;

struct ga_file {
  ga_arena arena;
  ga_mechanism *mechanism;
  const char *name, *description;
  GA_LIST(ga_expr *) functions;
  GA_LIST(ga_parameter) parameters;
  GA_LIST(run_option) options;
  GA_LIST(int) output;
};

const ga_section ga_sections[] = {
    {"bodies", "rigid, planar and point bodies", ga_read_body, ga_body_fields},
    {"joints", "joints between bodies", ga_read_joint, ga_joint_fields},
    {"drives", "coordinates given as functions of time", ga_read_drive, ga_drive_fields},
    {"couplers", "linear relations of coordinates", ga_read_coupler, ga_coupler_fields},
    {"forces", "forces, torques, springs, torsions, bushings", ga_read_force, ga_force_fields},
    {"sensors", "further columns", ga_read_sensor, ga_sensor_fields},
    {NULL, NULL, NULL, NULL}};

/* what a file may have besides; in the order in which it is read */
static const char *const other_keys[] = {"genalpha", "name",        "description", "parameters",
                                         "gravity",  "formulation", "repeat",      "initial",
                                         "run",      "output",      "events",      NULL};

/* ---- sections ------------------------------------------------------------------------------- */

bool ga_read_section(ga_reader *r, const ga_section *section, const ga_node *node) {
  ga_reader_enter(r, section->name);
  if (node->kind != GA_NODE_MAP) {
    return ga_reader_fail(r, node, "a map {NAME: {..}, ..} is expected here");
  }
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *name;
    if (!ga_read_name(r, item->key, &name)) return false;
    ga_reader_enter(r, name);
    r->planar = false;
    if (!section->read(r, name, item)) return false;
    ga_reader_leave(r);
  }
  ga_reader_leave(r);
  return true;
}

static const char *section_name(int i) {
  enum { NSECTION = (int)(sizeof ga_sections / sizeof ga_sections[0]) - 1 };
  return i < NSECTION ? ga_sections[i].name : other_keys[i - NSECTION];
}

/* ---- parameters ----------------------------------------------------------------------------- */

static bool valid_name(const char *name) {
  static const char *const reserved[] = {"t", "s", "s_dot"};
  const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  if (!*name || strspn(name, letters) != strlen(name) || (*name >= '0' && *name <= '9'))
    return false;
  for (int i = 0; i < 3; i++) {
    if (strcmp(reserved[i], name) == 0) return false;
  }
  for (int i = 0; ga_expr_word(i); i++) {
    if (strcmp(ga_expr_word(i), name) == 0) return false;
  }
  return true;
}

static bool check_name(ga_reader *r, const ga_node *key) {
  if (valid_name(key->text)) return true;
  return ga_reader_fail(
      r, key, "'%.60s' cannot be a name: letters, digits and _, no word of expressions", key->text);
}

/* a value of the command line stands for that of the file */
static ga_node replaced(const ga_node *node, const ga_file_set *set, int nset, bool *used) {
  ga_node own = *node;
  for (int i = 0; i < nset; i++) {
    if (strcmp(set[i].name, node->key->text) != 0) continue;
    own.kind = GA_NODE_SCALAR;
    own.text = set[i].value;
    used[i] = true;
  }
  return own;
}

static bool read_parameters(ga_reader *r, const ga_node *node, const ga_file_set *set, int nset,
                            bool *used) {
  ga_reader_enter(r, "parameters");
  if (node->kind != GA_NODE_MAP)
    return ga_reader_fail(r, node, "a map {NAME: value} is expected here");
  r->later = node;
  for (const ga_node *item = node->first; item; item = item->next) {
    double value;
    ga_reader_enter(r, item->key->text);
    if (!check_name(r, item->key)) return false;
    for (int i = 0; i < r->parameters.count; i++) {
      if (strcmp(r->parameters.item[i].name, item->key->text) == 0) {
        return ga_reader_fail(r, item->key, "the parameter stands here twice");
      }
    }
    const ga_node own = replaced(item, set, nset, used);
    if (!ga_read_number(r, &own, &value)) return false;
    if (!GA_GROW(r->parameters)) return ga_reader_fail(r, item, "no memory");
    r->parameters.item[r->parameters.count++] = (ga_parameter){item->key->text, value};
    ga_reader_leave(r);
  }
  r->later = NULL;
  ga_reader_leave(r);
  return true;
}

static const char *parameter_name(const void *context, int i) {
  const ga_reader *r = context;
  return i < r->parameters.count ? r->parameters.item[i].name : NULL;
}

static bool check_set(ga_reader *r, const ga_file_set *set, int nset, const bool *used) {
  for (int i = 0; i < nset; i++) {
    if (used[i]) continue;
    const char *near = ga_nearest_in(set[i].name, parameter_name, r);
    r->status =
        near ? ga_fail(r->err, GA_ERR_FILE, "%s: there is no parameter '%s'; did you mean '%s'?",
                       r->path, set[i].name, near)
             : ga_fail(r->err, GA_ERR_FILE, "%s: there is no parameter '%s'", r->path, set[i].name);
    return false;
  }
  return true;
}

/* ---- repetition ----------------------------------------------------------------------------- */

enum { ELEMENTS_MAX = 10000000 };

static bool repeat_bounds(ga_reader *r, const ga_node *node, double *from, double *to) {
  const ga_node *index = ga_node_find(node, "index"), *first = ga_node_find(node, "from"),
                *last = ga_node_find(node, "to");
  if (!index || !first || !last) {
    return ga_reader_fail(r, node, "a repetition needs index, from and to");
  }
  if (index->kind != GA_NODE_SCALAR) return ga_reader_fail(r, index, "a name is expected here");
  ga_node key = *index;
  if (!check_name(r, &key)) return false;
  if (r->nindex == GA_INDEX_MAX)
    return ga_reader_fail(r, node, "repetitions are nested too deeply");
  if (!ga_read_number(r, first, from) || !ga_read_number(r, last, to)) return false;
  if (*from != round(*from) || *to != round(*to)) {
    return ga_reader_fail(r, first, "from %g to %g: whole numbers are expected", *from, *to);
  }
  r->index[r->nindex].name = index->text;
  return true;
}

static bool repeat_once(ga_reader *r, const ga_node *node, const ga_section *section) {
  const ga_node *own = ga_node_find(node, section->name), *inner = ga_node_find(node, "repeat");
  if (own) {
    r->elements += own->count;
    if (r->elements > ELEMENTS_MAX) {
      return ga_reader_fail(r, node, "repetitions make more than %d elements", ELEMENTS_MAX);
    }
    if (!ga_read_section(r, section, own)) return false;
  }
  return inner ? ga_read_repeat(r, inner, section) : true;
}

static bool check_repeat_keys(ga_reader *r, const ga_node *node) {
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *key = item->key->text;
    bool known = strcmp(key, "index") == 0 || strcmp(key, "from") == 0 || strcmp(key, "to") == 0 ||
                 strcmp(key, "repeat") == 0;
    for (const ga_section *s = ga_sections; s->name; s++)
      known = known || strcmp(s->name, key) == 0;
    if (!known) return ga_reader_fail(r, item->key, "unknown key '%.60s' of a repetition", key);
  }
  return true;
}

bool ga_read_repeat(ga_reader *r, const ga_node *list, const ga_section *section) {
  ga_reader_enter(r, "repeat");
  if (list->kind != GA_NODE_LIST) {
    return ga_reader_fail(r, list, "a list [{index, from, to, bodies, ..}] is expected here");
  }
  for (const ga_node *node = list->first; node; node = node->next) {
    double from, to;
    if (node->kind != GA_NODE_MAP) return ga_reader_fail(r, node, "a map is expected here");
    if (!check_repeat_keys(r, node) || !repeat_bounds(r, node, &from, &to)) return false;
    if (to - from >= ELEMENTS_MAX) {
      return ga_reader_fail(r, node, "from %g to %g are too many", from, to);
    }
    const int level = r->nindex++;
    for (double i = from; i <= to; i++) {
      r->index[level].value = i;
      if (!repeat_once(r, node, section)) return false;
    }
    r->nindex = level;
  }
  ga_reader_leave(r);
  return true;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static bool read_head(ga_reader *r, const ga_node *root, ga_file *file) {
  const ga_node *version = ga_node_find(root, "genalpha"), *name = ga_node_find(root, "name");
  const ga_node *text = ga_node_find(root, "description");
  if (!version) {
    return ga_reader_fail(r, root, "'genalpha: 1', the version of the format, is missing");
  }
  if (version->kind != GA_NODE_SCALAR || strcmp(version->text, "1") != 0) {
    return ga_reader_fail(r, version, "genalpha: only version 1 of the format is known");
  }
  for (const ga_node *item = root->first; item; item = item->next) {
    int i = 0;
    while (section_name(i) && strcmp(section_name(i), item->key->text) != 0) i++;
    if (section_name(i)) continue;
    const char *near = ga_nearest_word(item->key->text, section_name);
    return ga_reader_fail(r, item->key, "unknown key '%.60s'%s%s%s", item->key->text,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  if (name && !ga_read_text(r, name, &file->name)) return false;
  return text ? ga_read_text(r, text, &file->description) : true;
}

static bool read_world(ga_reader *r, const ga_node *root) {
  const ga_node *gravity = ga_node_find(root, "gravity"), *form = ga_node_find(root, "formulation");
  double g[3];
  int which;
  ga_reader_enter(r, "gravity");
  if (gravity && !ga_read_numbers(r, gravity, 3, g)) return false;
  if (gravity) ga_mechanism_set_gravity(r->m, g);
  ga_reader_leave(r);
  ga_reader_enter(r, "formulation");
  if (form && !ga_read_word(r, form, "r3so3|se3", &which)) return false;
  if (form) {
    ga_mechanism_set_formulation(r->m, which ? GA_FORMULATION_SE3 : GA_FORMULATION_R3SO3);
  }
  ga_reader_leave(r);
  return true;
}

/* Section by section, each with the repetitions' part of it: bodies before joints, and so on. */
static bool read_sections(ga_reader *r, const ga_node *root) {
  const ga_node *repeat = ga_node_find(root, "repeat");
  for (const ga_section *s = ga_sections; s->name; s++) {
    const ga_node *section = ga_node_find(root, s->name);
    if (section && !ga_read_section(r, s, section)) return false;
    if (repeat && !ga_read_repeat(r, repeat, s)) return false;
  }
  return true;
}

static bool read_run(ga_reader *r, const ga_node *node, ga_file *file) {
  ga_reader_enter(r, "run");
  if (node->kind != GA_NODE_MAP)
    return ga_reader_fail(r, node, "a map {OPTION: value} is expected here");
  for (const ga_node *item = node->first; item; item = item->next) {
    double x;
    char *text = ga_arena_take(&file->arena, 64, 1);
    if (item->kind != GA_NODE_SCALAR)
      return ga_reader_fail(r, item, "a word or a number is expected here");
    if (!text || !GA_GROW(file->options)) return ga_reader_fail(r, item, "no memory");
    run_option *o = &file->options.item[file->options.count++];
    *o = (run_option){item->key->text, item->text, item->key->line};
    /* numbers may be expressions of parameters; words stay words */
    ga_reader quiet = *r;
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

/* Coordinates named by the output begin to exist; other names are looked up after the build. */
static bool want_outputs(ga_reader *r, const ga_node *node) {
  ga_reader_enter(r, "output");
  if (node->kind != GA_NODE_LIST)
    return ga_reader_fail(r, node, "a list of columns is expected here");
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *name;
    char joint[GA_WORD_ROOM];
    ga_error err = {GA_OK, ""};
    if (!ga_read_name(r, item, &name)) return false;
    const char *dot = strchr(name, '.');
    if (!dot || strlen(name) >= sizeof joint) continue;
    snprintf(joint, sizeof joint, "%.*s", (int)(dot - name), name);
    const ga_symbol *s = ga_mechanism_find(r->m, joint);
    if (!s || s->kind != GA_NAMED_JOINT) continue;
    const ga_joint_data *data = r->m->joints.item[s->index].data;
    for (int k = 0; k < GA_COORDINATES_MAX && data->type->coordinate[k].name; k++) {
      const char *own = data->type->coordinate[k].name;
      const size_t n = strlen(own);
      if (strncmp(dot + 1, own, n) != 0 || (dot[1 + n] && strcmp(dot + 1 + n, "_rate") != 0))
        continue;
      snprintf(joint, sizeof joint, "%.*s.%s", (int)(dot - name), name, own);
      if (!ga_reader_accept(r, item, ga_mechanism_want_coordinate(r->m, joint, &err), &err))
        return false;
    }
  }
  ga_reader_leave(r);
  return true;
}

typedef struct {
  const ga_mechanism *m;
} all_columns;

static const char *column_at(const void *context, int i) {
  return ga_mechanism_column_name(((const all_columns *)context)->m, i);
}

static bool take_outputs(ga_reader *r, const ga_node *node, ga_file *file) {
  ga_reader_enter(r, "output");
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *name;
    if (!ga_read_name(r, item, &name)) return false;
    const int i = ga_mechanism_column_index(r->m, name);
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

static bool read_all(ga_reader *r, const ga_node *root, const ga_file_set *set, int nset,
                     ga_file *file) {
  bool used[64] = {false};
  ga_error err = {GA_OK, ""};
  const ga_node *parameters, *run, *output;
  if (root->kind != GA_NODE_MAP)
    return ga_reader_fail(r, root, "a model file is a map {key: value}");
  if (nset > 64) return ga_reader_fail(r, root, "too many parameters are set");
  if (!read_head(r, root, file)) return false;
  parameters = ga_node_find(root, "parameters");
  run = ga_node_find(root, "run");
  output = ga_node_find(root, "output");
  if (parameters && !read_parameters(r, parameters, set, nset, used)) return false;
  if (!check_set(r, set, nset, used)) return false;
  if (!read_world(r, root) || !read_sections(r, root)) return false;
  if (run && !read_run(r, run, file)) return false;
  if (output && !want_outputs(r, output)) return false;
  const ga_status status = ga_mechanism_build(r->m, 0, &err);
  if (status != GA_OK) {
    r->status =
        ga_fail(r->err, status == GA_ERR_ARG ? GA_ERR_FILE : status, "%s: %s", r->path, err.text);
    return false;
  }
  return output ? take_outputs(r, output, file) : true;
}

static ga_status load(const char *path, const char *text, size_t length, const ga_file_set *set,
                      int nset, ga_log_fn log, void *log_context, ga_file **out, ga_error *err) {
  *out = NULL;
  ga_file *file = ga_calloc(1, sizeof *file);
  if (!file) return ga_fail(err, GA_ERR_MEM, "%s: no memory", path);
  const char *slash = strrchr(path, '/');
  char *own = ga_arena_take(&file->arena, strlen(path) + 1, 1);
  file->name = own ? strcpy(own, slash ? slash + 1 : path) : "";
  file->description = "";
  const ga_node *root = NULL;
  ga_status status = text ? ga_yaml_parse(path, text, length, &file->arena, &root, err)
                          : ga_yaml_read(path, &file->arena, &root, err);
  if (status == GA_OK) status = ga_mechanism_new(&file->mechanism);
  if (status == GA_OK) {
    ga_reader r = {.path = path, .err = err, .arena = &file->arena, .m = file->mechanism};
    ga_mechanism_set_log(file->mechanism, log, log_context);
    read_all(&r, root, set, nset, file);
    status = r.status;
    /* lists of the reader stay with the file */
    file->functions.item = r.functions.item, file->functions.count = r.functions.count;
    file->parameters.item = r.parameters.item, file->parameters.count = r.parameters.count;
  }
  if (status != GA_OK) {
    ga_file_free(file);
    return status;
  }
  *out = file;
  return GA_OK;
}

ga_status ga_file_load(const char *path, const ga_file_set *set, int nset, ga_log_fn log,
                       void *log_context, ga_file **out, ga_error *err) {
  return load(path, NULL, 0, set, nset, log, log_context, out, err);
}

ga_status ga_file_parse(const char *name, const char *text, size_t length, const ga_file_set *set,
                        int nset, ga_log_fn log, void *log_context, ga_file **out, ga_error *err) {
  return load(name, text, length, set, nset, log, log_context, out, err);
}

void ga_file_free(ga_file *file) {
  if (!file) return;
  ga_mechanism_free(file->mechanism);
  for (int i = 0; i < file->functions.count; i++) ga_expr_free(file->functions.item[i]);
  ga_free(file->functions.item);
  ga_free(file->parameters.item);
  ga_free(file->options.item);
  ga_free(file->output.item);
  ga_arena_free(&file->arena);
  ga_free(file);
}

const ga_mechanism *ga_file_mechanism(const ga_file *file) {
  return file->mechanism;
}

const char *ga_file_name(const ga_file *file) {
  return file->name;
}

const char *ga_file_description(const ga_file *file) {
  return file->description;
}

bool ga_file_option(const ga_file *file, int i, const char **key, const char **value, int *line) {
  if (i < 0 || i >= file->options.count) return false;
  *key = file->options.item[i].key;
  *value = file->options.item[i].value;
  *line = file->options.item[i].line;
  return true;
}

int ga_file_output(const ga_file *file, int i) {
  return i >= 0 && i < file->output.count ? file->output.item[i] : -1;
}

bool ga_file_parameter(const ga_file *file, int i, const char **name, double *value) {
  if (i < 0 || i >= file->parameters.count) return false;
  *name = file->parameters.item[i].name;
  *value = file->parameters.item[i].value;
  return true;
}
