/* SPDX-License-Identifier: MIT */
/* Model files and shared objects behind the same struct as the library's problems. */
#include "source/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args/paths.h"
#include "args/problem_args.h"
#include "problems/problems.h"
#include "source/shared_object.h"

/* A problem of a model file or a shared object. Its pub.impl is NULL, which distinguishes it from
 * problems of the library: theirs never is. */
typedef struct own_problem {
  ga_problem pub;
  ga_file *file;         /* NULL: it comes from a shared object */
  object_problem object; /* empty: it comes from a model file */
} own_problem;

/* An arg_read for --set NAME=VALUE: append it to the file_sets *field, which borrows VALUE. */
bool file_read_set(const arg_spec *spec, const char *text, void *field) {
  file_sets *sets = field;
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1] || (size_t)(equals - text) >= sizeof sets->name[0]) {
    tool_error("--%s '%s': write NAME=VALUE", spec->key, text);
    return false;
  }
  if (sets->count == SETS_MAX) {
    tool_error("--%s: at most %d parameters", spec->key, SETS_MAX);
    return false;
  }
  char *name = sets->name[sets->count];
  memcpy(name, text, (size_t)(equals - text));
  name[equals - text] = '\0';
  sets->set[sets->count++] = (ga_file_set){name, equals + 1};
  return true;
}

/* An arg_reader: one of the words of the option. */
bool file_read_coordinates(const arg_spec *spec, const char *text, void *field) {
  int which;
  if (!arg_read_word(spec, text, &which)) return false;
  *(const char **)field = text;
  return true;
}

/* Does the operand name a model file or a robot: by its ending, or by a slash in it? */
bool file_named(const char *operand) {
  if (ga_import_named(operand)) return true;
  static const char *const endings[] = {".yaml", ".yml", ".json"};
  const size_t n = strlen(operand);
  for (int i = 0; i < 3; i++) {
    const size_t m = strlen(endings[i]);
    if (n > m && strcmp(operand + n - m, endings[i]) == 0) return true;
  }
  return strchr(operand, '/') != NULL;
}

/* A ga_log_fn for the reader of model files: print the text, a warning as such. */
static void print_line(void *context, ga_log_level level, const char *text) {
  (void)context;
  if (level == GA_LOG_WARNING) {
    tool_error("warning: %s", text);
  } else {
    tool_note("%s (genalpha import says more)", text);
  }
}

/* Refuse to write over the mesh of a look, if it is one. */
static int check_mesh(const ga_body_look *look) {
  const bool file = look->shape == GA_SHAPE_MESH && look->mesh;
  return file ? paths_check_read("a mesh of the model", look->mesh) : ARGS_GO_ON;
}

/* Refuse to write over meshes. */
static int check_meshes(const ga_mechanism *m) {
  ga_body_info b;
  ga_body_look look;
  int code = ARGS_GO_ON;
  for (int i = 0; code == ARGS_GO_ON && ga_mechanism_body_at(m, i, &b); i++) {
    code = check_mesh(&b.look);
    for (int k = 0; code == ARGS_GO_ON && k < b.nmore; k++) code = check_mesh(&b.more_looks[k]);
  }
  for (int i = 0; code == ARGS_GO_ON && ga_mechanism_ground_look(m, i, &look); i++) {
    code = check_mesh(&look);
  }
  return code;
}

/* Refuse to write over a file that the model consists of: other model files, shared objects, tables,
 * meshes, the inputs that its section `run` names. */
int file_check_parts(const ga_file *file) {
  const char *name, *path;
  int code = ARGS_GO_ON, line;
  for (int i = 0; file && code == ARGS_GO_ON && ga_file_option(file, i, &name, &path, &line); i++) {
    if (strcmp(name, "input") == 0) code = paths_check_read("the input of the model", path);
  }
  for (int i = 0; file && code == ARGS_GO_ON && ga_file_part(file, i); i++) {
    code = paths_check_read("a part of the model", ga_file_part(file, i));
  }
  for (int i = 0; file && code == ARGS_GO_ON && ga_file_table(file, i, &name, &path); i++) {
    code = paths_check_read("a table of the model", path);
  }
  return file && code == ARGS_GO_ON ? check_meshes(ga_file_mechanism(file)) : code;
}

/* Read a model file as a problem with default settings: rho_inf 0.9, h 1e-3, t_end 1. sets:
 * parameters replaced by --set. want: columns that must exist, or NULL. path is borrowed.
 * ARGS_GO_ON, or TOOL_FAILED after a message; *problem, which is set only if the file could be
 * read, is closed by the caller in both cases. */
int file_open(const char *path, const file_sets *sets, const char *want, ga_problem **problem) {
  const ga_file_options options = {.set = sets->set,
                                   .nset = sets->count,
                                   .want = want,
                                   .coordinates = sets->coordinates,
                                   .divided = sets->divided,
                                   .libraries = sets->libraries,
                                   .log = print_line};
  own_problem *p = calloc(1, sizeof *p);
  ga_error err = {GA_OK, ""};
  if (!p) {
    tool_error("no memory for '%s'", path);
    return TOOL_FAILED;
  }
  if (ga_file_load(path, &options, &p->file, &err) != GA_OK) {
    tool_error("%s", err.text);
    free(p);
    return TOOL_FAILED;
  }
  const int code = file_check_parts(p->file);
  if (code != ARGS_GO_ON) {
    ga_file_free(p->file);
    free(p);
    return code;
  }
  const ga_mechanism *m = ga_file_mechanism(p->file);
  const ga_model *model = ga_mechanism_model(m);
  const size_t nq = (size_t)ga_space_nq(model->space), nv = (size_t)ga_space_nv(model->space);
  p->pub = (ga_problem){.name = ga_file_name(p->file),
                        .summary = ga_file_description(p->file),
                        .cite = path,
                        .model = *model,
                        .rho_inf = 0.9,
                        .h = 1e-3,
                        .t_end = 1,
                        .q0 = calloc(nq, sizeof(double)),
                        .v0 = calloc(nv, sizeof(double)),
                        .mult0 = calloc((size_t)(model->nlam + model->npsi) + 1, sizeof(double))};
  *problem = &p->pub;
  if (!p->pub.q0 || !p->pub.v0 || !p->pub.mult0) {
    tool_error("no memory for '%s'", path);
    return TOOL_FAILED;
  }
  memcpy(p->pub.q0, ga_mechanism_q0(m), nq * sizeof(double));
  memcpy(p->pub.v0, ga_mechanism_v0(m), nv * sizeof(double));
  return ARGS_GO_ON;
}

/* The i-th parameter of the file, or behind them an input that the mechanism does not set itself;
 * false past the end. */
bool file_number_at(const ga_file *file, int i, const char **name, double *value) {
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(m);
  int left = i;
  if (ga_file_parameter(file, i, name, value)) return true;
  for (int k = 0; ga_file_parameter(file, k, name, value); k++) left--;
  for (int k = 0; k < model->ninput; k++) {
    if (ga_mechanism_input_sampled(m, k) || left-- > 0) continue;
    *name = model->input_names[k];
    *value = model->input[k];
    return true;
  }
  return false;
}

/* Fill in what the problem of a shared object leaves open. impl becomes NULL, which marks problems
 * that do not come from the library (own_problem). */
static void fill_in_defaults(ga_problem *p, const char *path) {
  if (!p->name) p->name = path;
  if (!p->summary) p->summary = "a model of its own";
  if (!p->cite) p->cite = path;
  if (p->rho_inf == 0) p->rho_inf = 0.9;
  if (p->h == 0) p->h = 1e-3;
  if (p->t_end == 0) p->t_end = p->t0 + 1;
  p->impl = NULL;
}

/* Open a shared object as a problem; mult0 is a copy, the rest is borrowed from the object until
 * problem_close, defaults are filled in. ARGS_GO_ON, or TOOL_FAILED after a message; *problem, if
 * it is set, is closed by the caller in both cases. */
int file_open_object(const char *path, const ga_problem_options *options, ga_problem **problem) {
  own_problem *p = calloc(1, sizeof *p);
  if (!p) {
    tool_error("no memory for '%s'", path);
    return TOOL_FAILED;
  }
  int code = object_open(path, options, &p->object);
  if (code != ARGS_GO_ON) {
    free(p);
    return code;
  }
  const ga_problem *made = p->object.made;
  size_t n = (size_t)(made->model.nlam + made->model.npsi);
  p->pub = *made;
  p->pub.mult0 = calloc(n + 1, sizeof(double));
  *problem = &p->pub;
  if (!p->pub.mult0) {
    tool_error("no memory for '%s'", path);
    return TOOL_FAILED;
  }
  if (made->mult0) memcpy(p->pub.mult0, made->mult0, n * sizeof(double));
  fill_in_defaults(&p->pub, path);
  return ARGS_GO_ON;
}

/* The model file behind a problem; NULL for problems of the library and of shared objects. */
const ga_file *file_of(const ga_problem *problem) {
  return problem->impl ? NULL : ((const own_problem *)problem)->file;
}

/* Close any problem, of the library, of a file or of a shared object. NULL is allowed. */
void problem_close(ga_problem *problem) {
  if (!problem || problem->impl) {
    ga_problem_free(problem);
    return;
  }
  own_problem *p = (own_problem *)problem;
  free(problem->mult0);
  if (!p->object.made) {
    free(problem->q0);
    free(problem->v0);
  }
  object_close(&p->object);
  ga_file_free(p->file);
  free(p);
}

/* rho, alpha and params set the same parameters: is key one of them, and one given on the command
 * line? */
static bool is_superseded(const args *a, const char *key) {
  static const char *const params[] = {"rho", "alpha", "params"};
  bool is = false, given = false;
  for (int i = 0; i < 3; i++) {
    is = is || strcmp(params[i], key) == 0;
    given = given || args_given(a, params[i]);
  }
  return is && given;
}

/* The command line says how steps are chosen, and the file says it in another way: the command line
 * counts. An accuracy of the file is for runs only. */
static bool is_other_way(const args *a, const char *key) {
  static const char *const steps[] = {
      "rtol", "atol", "h-seq", "extrapolate", "extrapolate-steps", "extrapolate-multipliers"};
  if (strncmp(key, "accuracy", 8) == 0) {
    if (strcmp(a->command->name, "run") != 0) return true;
    return args_typed(a, "h") || args_typed(a, "rtol") || args_typed(a, "atol") ||
           args_typed(a, "h-seq") || args_typed(a, "extrapolate");
  }
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    if (strcmp(key, steps[i]) == 0) return args_typed(a, "accuracy");
  }
  return false;
}

/* Does the key say what a run writes? Other commands have outputs of their own, some by the same word,
 * and do not take those of the file. */
static bool is_output(const char *key) {
  static const char *const words[] = {"out",      "impacts", "plot",       "view",
                                      "out-page", "final",   "save-state", "checkpoint-every"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strcmp(key, words[i]) == 0) return true;
  }
  return false;
}

/* Is it an option of the library, now or in an earlier version (then args_apply warns)? */
static bool is_library_option(const char *key) {
  for (int i = 0; ga_option_at(i); i++) {
    if (strcmp(ga_option_at(i)->key, key) == 0) return true;
  }
  return ga_option_removed(key) != NULL; /* args_apply warns */
}

/* A tool_word: the i-th method. */
static const char *method_at(const void *list, int i) {
  (void)list;
  return ga_method_name(i);
}

/* Check the method's name while the line of the file is known; the library would find the error
 * only when the run starts. ARGS_GO_ON, or TOOL_USAGE after a message. */
static int check_method(const char *name) {
  for (int i = 0; ga_method_name(i); i++) {
    if (strcmp(ga_method_name(i), name) == 0) return ARGS_GO_ON;
  }
  return tool_unknown("method", name, method_at, NULL);
}

/* Apply the section `run` of the model file to a->settings and a->options where the command line
 * gave nothing; keys are written with _ there. Redundant constraint rows are allowed by default. A
 * command that makes no run takes the options of the library only. ARGS_GO_ON, or the exit code
 * after a message with the line of the file. */
int file_apply_options(args *a, const ga_problem *problem) {
  const ga_file *file = file_of(problem);
  const char *key, *value;
  int line;
  /* unless the file or the command line says otherwise */
  if (file && !args_given(a, "redundant")) args_apply(a, "redundant", "allow");
  for (int i = 0; file && ga_file_option(file, i, &key, &value, &line); i++) {
    char dashed[64];
    snprintf(dashed, sizeof dashed, "%s", key);
    for (char *c = dashed; *c; c++) *c = *c == '_' ? '-' : *c;
    if (is_superseded(a, dashed) || is_other_way(a, dashed)) continue;
    if (a->command->runs_nothing && !is_library_option(dashed)) continue;
    if (strcmp(a->command->name, "converge") == 0 && is_output(dashed)) continue;
    int code = args_apply(a, dashed, value);
    if (code == ARGS_GO_ON && strcmp(dashed, "method") == 0) code = check_method(value);
    if (code == ARGS_GO_ON) continue;
    tool_error("it stands in %s, line %d: run.%s", problem->cite, line, key);
    return code;
  }
  return ARGS_GO_ON;
}

/* Print the names of all columns of a model file, one in a line (`run --columns`). Returns the
 * exit code. */
int file_print_columns(const ga_problem *problem) {
  const ga_file *file = file_of(problem);
  if (!file) {
    tool_error("--columns lists the columns of a model file; '%s' is a problem of the library",
               problem->name);
    return TOOL_USAGE;
  }
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int i = 0; i < ga_mechanism_columns(m); i++) puts(ga_mechanism_column_name(m, i));
  return TOOL_OK;
}
