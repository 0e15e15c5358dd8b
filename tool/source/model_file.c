/* SPDX-License-Identifier: MIT */
/* Model files and shared objects behind the same struct as the library's problems. */
#include "source/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args/problem_args.h"
#include "problems/problems.h"
#include "source/shared_object.h"

/* impl of a problem of the library is never NULL */
typedef struct own_problem {
  ga_problem pub;
  ga_file *file;         /* of a model file, */
  object_problem object; /* or of a shared object */
} own_problem;

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

bool file_named(const char *operand) {
  static const char *const endings[] = {".yaml", ".yml", ".json"};
  const size_t n = strlen(operand);
  for (int i = 0; i < 3; i++) {
    const size_t m = strlen(endings[i]);
    if (n > m && strcmp(operand + n - m, endings[i]) == 0) return true;
  }
  return strchr(operand, '/') != NULL;
}

static void warn(void *context, ga_log_level level, const char *text) {
  (void)context, (void)level;
  tool_error("warning: %s", text);
}

int file_open(const char *path, const file_sets *sets, const char *want, ga_problem **problem) {
  const ga_file_options options = {
      .set = sets->set, .nset = sets->count, .want = want, .log = warn};
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

/* settings that the problem of a shared object leaves open */
static void fill_in_usual(ga_problem *p, const char *path) {
  if (!p->name) p->name = path;
  if (!p->summary) p->summary = "a model of its own";
  if (!p->cite) p->cite = path;
  if (p->rho_inf == 0) p->rho_inf = 0.9;
  if (p->h == 0) p->h = 1e-3;
  if (p->t_end == 0) p->t_end = p->t0 + 1;
  p->impl = NULL;
}

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
  fill_in_usual(&p->pub, path);
  return ARGS_GO_ON;
}

const ga_file *file_of(const ga_problem *problem) {
  return problem->impl ? NULL : ((const own_problem *)problem)->file;
}

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

/* rho, alpha and params are one thing: who gives one gives all */
static bool superseded(const args *a, const char *key) {
  static const char *const params[] = {"rho", "alpha", "params"};
  bool is = false, given = false;
  for (int i = 0; i < 3; i++) {
    is = is || strcmp(params[i], key) == 0;
    given = given || args_given(a, params[i]);
  }
  return is && given;
}

static bool of_library(const char *key) {
  for (int i = 0; ga_option_at(i); i++) {
    if (strcmp(ga_option_at(i)->key, key) == 0) return true;
  }
  return ga_option_removed(key) != NULL; /* warns of it */
}

static const char *method_at(const void *list, int i) {
  (void)list;
  return ga_method_name(i);
}

/* The library looks at the name when a run begins; then the line of the file is forgotten. */
static int check_method(const char *name) {
  for (int i = 0; ga_method_name(i); i++) {
    if (strcmp(ga_method_name(i), name) == 0) return ARGS_GO_ON;
  }
  return tool_unknown("method", name, method_at, NULL);
}

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
    if (superseded(a, dashed)) continue;
    if (a->command->runs_nothing && !of_library(dashed)) continue;
    int code = args_apply(a, dashed, value);
    if (code == ARGS_GO_ON && strcmp(dashed, "method") == 0) code = check_method(value);
    if (code == ARGS_GO_ON) continue;
    tool_error("it stands in %s, line %d: run.%s", problem->cite, line, key);
    return code;
  }
  return ARGS_GO_ON;
}

bool named_open(named_columns *n, const ga_problem *problem) {
  const ga_file *file = file_of(problem);
  *n = (named_columns){.count = 0};
  if (!file) return true;
  n->mechanism = ga_file_mechanism(file);
  const int all = ga_mechanism_columns(n->mechanism);
  n->column = calloc((size_t)all + 1, sizeof *n->column);
  n->values = calloc((size_t)all, sizeof *n->values);
  if (!n->column || !n->values) {
    tool_error("no memory for the columns");
    named_close(n);
    return false;
  }
  while (n->count < all && ga_file_output(file, n->count) >= 0) {
    n->column[n->count] = ga_file_output(file, n->count);
    n->count++;
  }
  if (n->count > 0) return true;
  /* without `output`: all usual ones but t, which every row begins with */
  for (int i = 1; i < ga_mechanism_default_columns(n->mechanism); i++) n->column[n->count++] = i;
  return true;
}

/* all usual columns that are not chosen, behind those that are */
bool named_add_rest(named_columns *n) {
  if (n->count == 0) return true;
  const int usual = ga_mechanism_default_columns(n->mechanism), chosen = n->count;
  const int all = ga_mechanism_columns(n->mechanism);
  int *column = realloc(n->column, (size_t)(chosen + usual) * sizeof *column);
  bool *taken = calloc((size_t)all, sizeof *taken);
  if (column) n->column = column;
  for (int i = 0; taken && i < chosen; i++) taken[n->column[i]] = true;
  for (int i = 1; column && taken && i < usual; i++) {
    if (!taken[i]) n->column[n->count++] = i;
  }
  const bool ok = column && taken;
  free(taken);
  return ok;
}

void named_take_all(named_columns *n) {
  const int all = n->mechanism ? ga_mechanism_columns(n->mechanism) : 0;
  n->count = 0;
  for (int i = 1; i < all; i++) n->column[n->count++] = i;
}

void named_close(named_columns *n) {
  free(n->column);
  free(n->values);
  free(n->shared);
  *n = (named_columns){.count = 0};
}

const char *named_name(const named_columns *n, int i) {
  return ga_mechanism_column_name(n->mechanism, n->column[i]);
}

const char *named_unit(const named_columns *n, int i) {
  return ga_mechanism_column_unit(n->mechanism, n->column[i]);
}

unit_text named_unit_behind(const named_columns *n, int i) {
  const char *unit = named_unit(n, i);
  unit_text behind = {""};
  if (*unit && strcmp(unit, "1") != 0) {
    snprintf(behind.text, sizeof behind.text, " %.20s", unit);
  }
  return behind;
}

void named_update(named_columns *n, const ga_state *state) {
  ga_mechanism_outputs(n->mechanism, state, n->values);
}

/* The columns at the place where the dependent rows were found, with multipliers that make no force
 * on any body, and with none: what differs is not unique. */
static void compare_multipliers(named_columns *n, const ga_dependency *all, double *work) {
  const ga_model *model = ga_mechanism_model(n->mechanism);
  const int nv = ga_space_nv(model->space), columns = ga_mechanism_columns(n->mechanism);
  double *null = work, *zero = null + all->rows, *with = zero + nv + all->rows;
  double *without = with + columns, size = 0;
  for (int d = 0; d < all->ndependent; d++) {
    const double part = 1 + 0.618 * (d % 7);
    null[all->dependent[d]] += part;
    for (int k = all->start[d]; k < all->start[d + 1]; k++) {
      null[all->from[k]] -= part * all->coef[k];
    }
  }
  ga_state state = {.t = all->t, .q = all->q, .v = zero, .vd = zero, .a = zero};
  state.lam = null, state.psi = null + model->nlam;
  ga_mechanism_outputs(n->mechanism, &state, with);
  state.lam = zero, state.psi = zero;
  ga_mechanism_outputs(n->mechanism, &state, without);
  for (int i = 0; i < columns; i++) size = fmax(size, fabs(with[i] - without[i]));
  for (int i = 0; i < columns; i++) n->shared[i] = fabs(with[i] - without[i]) > 1e-7 * size;
}

void named_find_unique(named_columns *n, const ga_integrator *it) {
  const ga_dependency all = ga_integrator_dependency(it);
  if (all.ndependent == 0) return;
  const size_t columns = (size_t)ga_mechanism_columns(n->mechanism), rows = (size_t)all.rows;
  const size_t nv = (size_t)ga_space_nv(ga_mechanism_model(n->mechanism)->space);
  double *work = calloc(2 * rows + nv + 2 * columns, sizeof *work);
  n->shared = calloc(columns, sizeof *n->shared);
  if (work && n->shared) compare_multipliers(n, &all, work);
  free(work);
}

bool named_unique(const named_columns *n, int i) {
  return !n->shared || !n->shared[n->column[i]];
}

double named_value(const named_columns *n, int i) {
  return n->values[n->column[i]];
}

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
