/* SPDX-License-Identifier: MIT */
/* The list of cases: all problems of the library and all model files of some directories. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automatic.h"
#include "bench/bench.h"
#include "problems/problems.h"

/* Kinds of the velocities of the problems, repeated to nv; all lengths where none are given. */
static const struct {
  const char *label, *kinds;
} kinds_of[] = {
    {"heavy-top", "xxxaaa"},
    {"heavy-top-se3", "xxxaaa"},
    {"slider-crank", "xxxxaaxxxx"},
    {"andrews", "a"},
    {"pendulum-spring", "xxa"},
    {"chain", "xxa"},
    {"rolling-disk", "xxaaa"},
    {"rolling-disk-printed", "xxaaa"},
    {"andrews-absolute", "aaaaaaaxxxxxxxxxxxxxxxxxxxxxxxx"},
};

/* Cases that are not run as the problem or the file says: another span in seconds, a parameter. */
static const struct {
  const char *label;
  double span;
  ga_file_set set;
  const char *reason;
} changes[] = {
    {"bicycle.yaml",
     3.2,
     {"w0", "100"},
     "a push of 100 N, whose corners are common times; "
     "without it the bicycle rides on evenly"},
};

/* All motion is prescribed. */
static const char *const driven[] = {"driven-crank.yaml", "stewart.yaml", "universal-shaft.yaml",
                                     "engine.yaml", "valve-train.yaml"};

typedef struct {
  char label[64], path[1024];
} entry;

struct case_list {
  entry *entries;
  int n, room;
};

static void append(case_list *list, const char *label, const char *path) {
  if (list->n == list->room) {
    list->room = 2 * list->room + 32;
    list->entries = realloc(list->entries, (size_t)list->room * sizeof *list->entries);
    if (!list->entries) abort();
  }
  entry *e = &list->entries[list->n++];
  snprintf(e->label, sizeof e->label, "%s", label);
  snprintf(e->path, sizeof e->path, "%s", path);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(((const entry *)a)->label, ((const entry *)b)->label);
}

/* Appends DIRECTORY/.yaml files, in order of their names; the labels of all directories but the
 * first begin with the directory's name. */
static void append_directory(case_list *list, const char *directory, bool first) {
  DIR *d = opendir(directory);
  if (!d) {
    fprintf(stderr, "automatic_steps: cannot read the directory %s\n", directory);
    return;
  }
  const int begin = list->n;
  const char *base = strrchr(directory, '/');
  base = base && base[1] ? base + 1 : directory;
  for (struct dirent *f; (f = readdir(d));) {
    const size_t length = strlen(f->d_name);
    if (length < 5 || strcmp(f->d_name + length - 5, ".yaml") != 0) continue;
    char path[1024], label[64];
    snprintf(path, sizeof path, "%s/%s", directory, f->d_name);
    snprintf(label, sizeof label, "%s%s%.40s", first ? "" : base, first ? "" : "/", f->d_name);
    append(list, label, path);
  }
  closedir(d);
  if (list->n > begin) {
    qsort(list->entries + begin, (size_t)(list->n - begin), sizeof(entry), compare_names);
  }
}

case_list *case_list_new(const char *const *directories, int ndirectories) {
  case_list *list = bench_take(1, sizeof *list);
  for (int i = 0; ga_problem_name(i); i++) append(list, ga_problem_name(i), "");
  for (int i = 0; i < ndirectories; i++) append_directory(list, directories[i], i == 0);
  return list;
}

void case_list_free(case_list *list) {
  if (list) free(list->entries);
  free(list);
}

int case_list_size(const case_list *list) {
  return list->n;
}

const char *case_list_label(const case_list *list, int i) {
  return list->entries[i].label;
}

/* FNV-1a over size bytes, continued from h. */
static unsigned long long hash_bytes(unsigned long long h, const void *bytes, size_t size) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * 1099511628211ULL;
  return h;
}

static unsigned long long hash_file(unsigned long long h, const char *path) {
  FILE *f = fopen(path, "rb");
  char block[4096];
  for (size_t n; f && (n = fread(block, 1, sizeof block, f)) > 0;) h = hash_bytes(h, block, n);
  if (f) fclose(f);
  return h;
}

/* Applies `run` of the file, with t_end in the span; keys of the tool alone are left out. */
static void apply_file_options(measured_case *c) {
  const char *key, *value;
  int line;
  ga_error err;
  c->options.redundant = GA_REDUNDANT_ALLOW;
  for (int i = 0; ga_file_option(c->file, i, &key, &value, &line); i++) {
    char dashed[64];
    snprintf(dashed, sizeof dashed, "%s", key);
    for (char *p = dashed; *p; p++) *p = *p == '_' ? '-' : *p;
    if (strcmp(dashed, "t-end") == 0)
      c->span = strtod(value, NULL);
    else
      (void)ga_options_set(&c->options, dashed, value, &err);
  }
}

/* A matrix of a pattern of the model, NULL: full. */
static ga_csr matrix_of(const ga_csr *pattern, int nrow, int ncol) {
  ga_csr A = pattern ? *pattern : (ga_csr){nrow, ncol, NULL, NULL, NULL};
  A.val = bench_doubles(pattern ? pattern->ptr[nrow] : nrow * ncol);
  return A;
}

/* Kinds of velocities: of a file by the metric, which is 1 for lengths; of a problem by its list. */
static void set_kinds(measured_case *c) {
  const char *list = "x";
  for (size_t k = 0; k < sizeof kinds_of / sizeof kinds_of[0]; k++) {
    if (strcmp(kinds_of[k].label, c->label) == 0) list = kinds_of[k].kinds;
  }
  const size_t length = strlen(list);
  for (int i = 0; i < c->nv; i++) {
    const double w = c->model->metric ? c->model->metric[i] : 1;
    c->root_metric[i] = sqrt(w);
    c->kind[i] = c->file ? (fabs(w - 1) > 1e-12 ? 'a' : 'x') : list[(size_t)i % length];
  }
}

/* Reads the model and sets start values, span and options; false after a message. */
static bool load(measured_case *c, const entry *e, const ga_file_set *set) {
  ga_error err = {0};
  c->options = ga_options_default();
  if (e->path[0]) {
    const ga_file_options options = {.set = set, .nset = set ? 1 : 0};
    if (ga_file_load(e->path, &options, &c->file, &err) != GA_OK) {
      fprintf(stderr, "automatic_steps: %s\n", err.text);
      return false;
    }
    const ga_mechanism *m = ga_file_mechanism(c->file);
    c->model = ga_mechanism_model(m);
    c->q0 = ga_mechanism_q0(m);
    c->v0 = ga_mechanism_v0(m);
    c->span = 1;
    apply_file_options(c);
  } else {
    if (ga_problem_new(e->label, NULL, &c->problem, &err) != GA_OK) {
      fprintf(stderr, "automatic_steps: %s\n", err.text);
      return false;
    }
    const ga_problem *p = c->problem;
    c->model = &p->model;
    c->q0 = p->q0;
    c->v0 = p->v0;
    c->t0 = p->t0;
    c->span = p->t_end - p->t0;
    c->options.par = ga_params_rho(p->rho_inf);
    c->options.h = p->h;
    c->options.multiplier_guess = p->mult0;
  }
  return true;
}

/* The case of an entry. NULL after a message. */
static measured_case *open_entry(const entry *e, double span_factor) {
  measured_case *c = bench_take(1, sizeof *c);
  snprintf(c->label, sizeof c->label, "%s", e->label);
  const char *name = strrchr(c->label, '/') ? strrchr(c->label, '/') + 1 : c->label;
  int change = (int)(sizeof changes / sizeof changes[0]) - 1;
  while (change >= 0 && strcmp(changes[change].label, name) != 0) change--;
  const bool set = change >= 0 && changes[change].set.name;
  if (!load(c, e, set ? &changes[change].set : NULL)) {
    case_close(c);
    return NULL;
  }
  if (change >= 0) c->span = changes[change].span, c->note = changes[change].reason;
  c->span *= span_factor;
  for (size_t k = 0; k < sizeof driven / sizeof driven[0]; k++) {
    c->driven = c->driven || strcmp(driven[k], name) == 0;
  }
  c->nq = ga_space_nq(c->model->space);
  c->nv = ga_space_nv(c->model->space);
  c->kind = bench_take((size_t)c->nv + 1, 1);
  c->root_metric = bench_doubles(c->nv);
  set_kinds(c);
  c->G = matrix_of(c->model->pat_G, c->model->nlam, c->nv);
  c->H = matrix_of(c->model->pat_H, c->model->npsi, c->nv);
  c->hash = hash_bytes(14695981039346656037ULL, c->label, strlen(c->label));
  c->hash = hash_bytes(c->hash, &c->span, sizeof c->span);
  if (e->path[0]) c->hash = hash_file(c->hash, e->path);
  return c;
}

measured_case *case_open(const case_list *list, int i, double span_factor) {
  return open_entry(&list->entries[i], span_factor);
}

measured_case *case_open_file(const char *path) {
  entry e;
  const char *slash = strrchr(path, '/');
  snprintf(e.label, sizeof e.label, "%s", slash ? slash + 1 : path);
  snprintf(e.path, sizeof e.path, "%s", path);
  return open_entry(&e, 1);
}

void case_close(measured_case *c) {
  if (!c) return;
  free(c->kind);
  free(c->root_metric);
  free(c->G.val);
  free(c->H.val);
  ga_file_free(c->file);
  ga_problem_free(c->problem);
  free(c);
}

/* y += A^T x; A without ptr is full. */
static void add_transposed(const ga_csr *A, const double *x, double *y) {
  for (int i = 0; i < A->nrow; i++) {
    const int begin = A->ptr ? A->ptr[i] : i * A->ncol;
    const int end = A->ptr ? A->ptr[i + 1] : (i + 1) * A->ncol;
    for (int k = begin; k < end; k++) y[A->col ? A->col[k] : k - begin] += A->val[k] * x[i];
  }
}

bool case_forces(measured_case *c, const ga_state *state, double *f) {
  const ga_model *m = c->model;
  const bool own = (ga_model_gives(m) & GA_GIVES_R) != 0;
  ga_evaluation out = {.lam = state->lam, .psi = state->psi};
  if (own) out.R = f;
  if (!own && m->nlam) out.G = &c->G;
  if (!own && m->npsi) out.H = &c->H;
  for (int i = 0; i < c->nv; i++) f[i] = 0;
  if (!own && !m->nlam && !m->npsi) return true;
  if (ga_model_evaluate(m, state->t, state->q, state->v, &out) != 0) return false;
  if (out.G) add_transposed(&c->G, state->lam, f);
  if (out.H) add_transposed(&c->H, state->psi, f);
  for (int i = 0; i < c->nv; i++) f[i] /= c->root_metric[i];
  return true;
}
