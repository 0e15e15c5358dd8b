/* SPDX-License-Identifier: MIT */
/* Shared by the test programs: built-in problems and their errors, random matrices, failures. */
#ifndef GA_TESTS_SUPPORT_H
#define GA_TESTS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/csr.h"
#include "genalpha/genalpha.h"
#include "problems/problems.h"

enum { SUPPORT_MAX = 192 }; /* coordinates, or unknowns of a step, of the built-in problems */

/* a state to compare with */
typedef struct {
  double t, q[SUPPORT_MAX], v[SUPPORT_MAX], vd[SUPPORT_MAX], lam[SUPPORT_MAX], psi[SUPPORT_MAX];
} truth;

/* errors of one state, max norms; index by the names below */
enum { ERR_Q, ERR_V, ERR_VD, ERR_LAM, ERR_COUNT };
typedef struct {
  double e[ERR_COUNT];
} errors;

static inline void must(ga_status status, const ga_error *err) {
  if (status != GA_OK) fail_msg("%s: %s", ga_status_name(status), err ? err->text : "");
}

static inline ga_problem *problem_named(const char *name) {
  ga_problem *p = NULL;
  ga_error err = {0};
  must(ga_problem_new(name, NULL, &p, &err), &err);
  return p;
}

/* an integrator started at the problem's start values, with its guess of the multipliers unless the
 * options have one */
static inline ga_integrator *started(const ga_problem *p, const ga_options *o) {
  ga_options own = *o;
  if (!own.multiplier_guess) own.multiplier_guess = p->mult0;
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(&p->model, &own, &it, &err), &err);
  must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
  return it;
}

static inline double vector_error(int n, const double *a, const double *b) {
  double error = 0;
  for (int i = 0; i < n; i++) error = fmax(error, fabs(a[i] - b[i]));
  return error;
}

/* The reference at time t. What the tables leave open (v', sometimes lam) follows from q and v by
 * the equations of motion; where both are known they are compared in test_problems.c. */
static inline truth reference_at(const ga_problem *p, double t) {
  truth ref = {.t = t};
  if (!ga_problem_reference(p, t, ref.q, ref.v, ref.vd, ref.lam, ref.psi)) {
    fail_msg("%s has no reference at t = %g", p->name, t);
  }
  ga_options o = ga_options_default();
  o.start = GA_START_PLAIN;
  o.initial_tol = 1e-6;
  o.multiplier_guess = p->mult0;
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(&p->model, &o, &it, &err), &err);
  must(ga_integrator_start(it, t, ref.q, ref.v), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  for (int i = 0; i < ga_space_nv(p->model.space); i++) {
    if (isnan(ref.vd[i])) ref.vd[i] = s->vd[i];
  }
  for (int i = 0; i < p->model.nlam; i++) {
    if (isnan(ref.lam[i])) ref.lam[i] = s->lam[i];
  }
  ga_integrator_free(it);
  return ref;
}

static inline errors errors_of(const ga_problem *p, const ga_state *s, const truth *ref) {
  int nv = ga_space_nv(p->model.space);
  return (errors){{ga_space_distance(p->model.space, s->q, ref->q), vector_error(nv, s->v, ref->v),
                   vector_error(nv, s->vd, ref->vd),
                   vector_error(p->model.nlam, s->lam, ref->lam)}};
}

/* run a problem to the time of the reference and measure */
static inline errors run_errors(const ga_problem *p, const ga_options *o, const truth *ref) {
  ga_integrator *it = started(p, o);
  must(ga_integrator_run(it, ref->t), ga_integrator_error(it));
  assert_true(ga_integrator_state(it)->t == ref->t);
  errors e = errors_of(p, ga_integrator_state(it), ref);
  ga_integrator_free(it);
  return e;
}

static inline double slope(double coarse, double fine) {
  return log2(coarse / fine);
}

/* |value - expected| <= tol |expected|, with a message */
static inline void assert_near(const char *what, double value, double expected, double tol) {
  if (!(fabs(value - expected) <= tol * fabs(expected))) {
    fail_msg("%s: %.10g, expected %.10g (relative tolerance %g)", what, value, expected, tol);
  }
}

static inline void assert_between(const char *what, double value, double low, double high) {
  if (!(value >= low && value <= high)) {
    fail_msg("%s: %.6g is not in [%g, %g]", what, value, low, high);
  }
}

/* uniform in (-1, 1): the splitmix64 generator */
static inline double next_uniform(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1;
}

/* a call failed as it should: status, code in err, and a text that contains both words (or NULL) */
static inline void assert_refused(ga_status status, const ga_error *err, ga_status expected,
                                  const char *word, const char *second) {
  if (status != expected || err->code != expected) {
    fail_msg("%s (err.code %d, '%s'), expected %s", ga_status_name(status), (int)err->code,
             err->text, ga_status_name(expected));
  }
  if (word && !strstr(err->text, word)) fail_msg("'%s' does not say '%s'", err->text, word);
  if (second && !strstr(err->text, second)) fail_msg("'%s' does not say '%s'", err->text, second);
}

/* a matrix as a plain array by rows */
static inline void dense_of(const ga_csr *A, double *full) {
  for (int i = 0; i < A->nrow * A->ncol; i++) full[i] = 0;
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) full[i * A->ncol + A->col[e]] = A->val[e];
  }
}

/* A random matrix: each entry is present with the given probability; every fifth row
 * is empty where that is allowed, and entry (i, keep[i]) is always present if keep is given. */
static inline void random_csr(uint64_t *seed, int nrow, int ncol, double probability,
                              const int *keep, ga_csr *A, ga_arena *arena) {
  size_t room = (size_t)nrow * (size_t)ncol;
  *A = (ga_csr){.nrow = nrow, .ncol = ncol, .ptr = ga_arena_ints(arena, (size_t)nrow + 1)};
  A->col = ga_arena_ints(arena, room);
  A->val = ga_arena_doubles(arena, room);
  assert_false(arena->failed);
  for (int i = 0; i < nrow; i++) {
    int e = A->ptr[i];
    for (int j = 0; j < ncol; j++) {
      bool taken = 0.5 * (next_uniform(seed) + 1) < probability && (keep || i % 5 != 2);
      if (!taken && !(keep && keep[i] == j)) continue;
      A->col[e] = j;
      A->val[e++] = next_uniform(seed);
    }
    A->ptr[i + 1] = e;
  }
}

#endif
