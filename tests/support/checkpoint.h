/* SPDX-License-Identifier: MIT */
/* Shared by the tests of saved states: a folder of their own, files as bytes, comparison by bits.
 */
#ifndef GA_TESTS_CHECKPOINT_H
#define GA_TESTS_CHECKPOINT_H

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "manufactured.h"
#include "methods.h"
#include "problems/problems.h"
#include "separate.h"

static char folder[256]; /* of this run, removed in the end */

/* a path in the folder; the text is valid until the fourth call after this one */
static const char *path_of(const char *name) {
  static char text[4][512];
  static int which;
  which = (which + 1) % 4;
  snprintf(text[which], sizeof text[which], "%s/%s", folder, name);
  return text[which];
}

static inline int make_folder(void **state) {
  (void)state;
  const char *base = getenv("TMPDIR");
  if (!base || !*base) base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  snprintf(folder, sizeof folder, "%.200s/ga_checkpoint_XXXXXX", base);
  return mkdtemp(folder) ? 0 : -1;
}

static inline int files_in_folder(const char *suffix, bool erase) {
  int count = 0;
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    size_t length = strlen(entry->d_name), tail = strlen(suffix);
    if (entry->d_name[0] == '.' || length < tail) continue;
    count += strcmp(entry->d_name + length - tail, suffix) == 0;
    if (erase) remove(path_of(entry->d_name));
  }
  if (dir) closedir(dir);
  return count;
}

static inline int remove_folder(void **state) {
  (void)state;
  files_in_folder("", true);
  return rmdir(folder);
}

/* ---- files as bytes ---------------------------------------------------------------------- */

enum { FILE_MAX = 1 << 16, VERSION_AT = 16, VERSION = 7, OLDEST = 4 };
typedef struct {
  unsigned char byte[FILE_MAX];
  size_t n;
} content;

static inline content read_all(const char *path) {
  static content c;
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  c.n = fread(c.byte, 1, sizeof c.byte, file);
  assert_true(c.n < sizeof c.byte);
  fclose(file);
  return c;
}

static inline void write_all(const char *path, const void *bytes, size_t n) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
}

/* FNV-1a over all but the last 8 bytes, put there */
static inline void renew_checksum(content *c) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < c->n - 8; i++) sum = (sum ^ c->byte[i]) * 1099511628211u;
  memcpy(c->byte + c->n - 8, &sum, sizeof sum);
}

/* ---- what an integrator shows ------------------------------------------------------------ */

typedef struct {
  double number[4 * SUPPORT_MAX + 2 * SUPPORT_MAX + 2];
  int n;
  ga_stats stats;
} view;

static inline view view_of(const ga_integrator *it, const ga_model *model) {
  const ga_state *s = ga_integrator_state(it);
  int nq = ga_space_nq(model->space), nv = ga_space_nv(model->space);
  const double time[2] = {s->t, s->h};
  const struct {
    int n;
    const double *x;
  } fields[] = {{2, time},
                {nq, s->q},
                {nv, s->v},
                {nv, s->vd},
                {nv, s->a},
                {model->nlam, s->lam},
                {model->npsi, s->psi}};
  view w = {.stats = *ga_integrator_stats(it)};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (fields[i].n) memcpy(w.number + w.n, fields[i].x, (size_t)fields[i].n * sizeof(double));
    w.n += fields[i].n;
  }
  return w;
}

static inline void assert_same(const char *what, const view *a, const view *b) {
  assert_int_equal(a->n, b->n);
  for (int i = 0; i < a->n; i++) {
    if (memcmp(&a->number[i], &b->number[i], sizeof(double)) != 0) {
      fail_msg("%s: number %d is %a, not %a", what, i, b->number[i], a->number[i]);
    }
  }
#define SAME_COUNTER(name, text)                                                         \
  if (a->stats.name != b->stats.name) {                                                  \
    fail_msg("%s: stats." #name " is %ld, not %ld", what, b->stats.name, a->stats.name); \
  }
#define SAME_EXTREME(name, text)                                                       \
  if (memcmp(&a->stats.name, &b->stats.name, sizeof(double)) != 0) {                   \
    fail_msg("%s: stats." #name " is %a, not %a", what, b->stats.name, a->stats.name); \
  }
  GA_STAT_LIST(SAME_COUNTER, SAME_EXTREME)
#undef SAME_COUNTER
#undef SAME_EXTREME
}

/* ---- problems, and a force that fails on demand ------------------------------------------ */

static struct {
  ga_model_ops ops;
  int (*force)(void *user, double t, const double *q, const double *v, double *F);
  int calls_left; /* the call that finds 1 here fails; 0: none */
} demand;

static inline int demanding_force(void *user, double t, const double *q, const double *v,
                                  double *F) {
  if (demand.calls_left > 0 && --demand.calls_left == 0) return 1;
  return demand.force(user, t, q, v, F);
}

typedef struct {
  const char *problem;
  int size;
} subject;
static const subject subjects[] = {{"heavy-top", 0}, {"andrews-absolute", 0}, {"chain", 20},
                                   {"rheonomic", 0}, {"rolling-disk", 0},     {"manufactured", 0},
                                   {"reaction", 0}};
enum { SUBJECTS = (int)(sizeof subjects / sizeof subjects[0]) };
static const char *const solvers[] = {"dense", "klu"};

/* nonholonomic, all derivatives by differences, also with a reaction nonlinear in multipliers */
static inline ga_problem *open_manufactured(const char *name, const ga_model_ops *ops) {
  static ga_problem p;
  static double q0[MF_N], v0[MF_N];
  ga_space *space = NULL;
  must(ga_space_rn(MF_N, &space), NULL);
  mf_exact(0, q0, v0, NULL, NULL, NULL);
  p = (ga_problem){.name = name, .q0 = q0, .v0 = v0, .h = 0.01};
  p.model = (ga_model){.ops = ops, .space = space, .nlam = 1, .npsi = 1};
  return &p;
}

static inline ga_problem *open_subject(const subject *s) {
  ga_problem_options size = ga_problem_options_default();
  ga_problem *p = NULL;
  ga_error err = {0};
  size.size = s->size;
  if (strcmp(s->problem, "manufactured") == 0) {
    p = open_manufactured(s->problem, &mf_ops_bare);
  } else if (strcmp(s->problem, "reaction") == 0) {
    p = open_manufactured(s->problem, &mf_ops_reaction_bare);
  } else {
    must(ga_problem_new(s->problem, &size, &p, &err), &err);
  }
  demand.ops = separate_ops(&p->model); /* evaluate would pass it by */
  demand.force = demand.ops.force;
  demand.ops.force = demanding_force;
  demand.calls_left = 0;
  p->model.ops = &demand.ops;
  return p;
}

static inline void close_subject(ga_problem *p) {
  if (p->impl) {
    ga_problem_free(p);
  } else {
    ga_space_free((ga_space *)(uintptr_t)p->model.space);
  }
}

static inline ga_options options_of(const ga_problem *p, const ga_method *method,
                                    const char *solver) {
  ga_options o = ga_options_default();
  use_method(&o, method);
  o.linsol = solver;
  o.par = ga_params_rho(0.8);
  o.h = p->h;
  return o;
}

static inline ga_integrator *fresh(const ga_problem *p, const ga_options *o) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(&p->model, o, &it, &err), &err);
  return it;
}

static inline void advance(ga_integrator *it, double by) {
  must(ga_integrator_run(it, ga_integrator_state(it)->t + by), ga_integrator_error(it));
}

static inline void save(ga_integrator *it, const char *path) {
  must(ga_integrator_save(it, path), ga_integrator_error(it));
}

static inline void load(ga_integrator *it, const char *path) {
  must(ga_integrator_load(it, path), ga_integrator_error(it));
}

/* steps that end between multiples of h, smaller ones, a projection, and a history built anew */
static inline view go_on(ga_integrator *it, const ga_problem *p) {
  advance(it, 12.37 * p->h);
  must(ga_integrator_set_step(it, 0.63 * p->h), ga_integrator_error(it));
  advance(it, 7.21 * p->h);
  must(ga_integrator_project_velocity(it, GA_PROJECT_KEEP_ORDER, NULL), ga_integrator_error(it));
  must(ga_integrator_set_step(it, 2.7 * p->h), ga_integrator_error(it));
  advance(it, 8.5 * p->h);
  return view_of(it, &p->model);
}

#endif
