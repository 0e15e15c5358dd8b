/* SPDX-License-Identifier: MIT */
/* The registry of test problems: finding one by name, building, freeing, reference values. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/problem.h"

#define GA_PROBLEM_ADDRESS(id) &ga_entry_##id,
static const ga_problem_entry *const registry[] = {GA_PROBLEM_LIST(GA_PROBLEM_ADDRESS)};
#undef GA_PROBLEM_ADDRESS

enum { NREGISTRY = (int)(sizeof registry / sizeof registry[0]) };

/* The public struct comes with its memory and its references. */
typedef struct problem_impl {
  ga_problem pub;
  ga_arena arena;
  ga_space *space;
  const ga_problem_entry *entry;
  ga_problem_state references[GA_REFERENCES_MAX];
  int nreferences;
} problem_impl;

/* Name of problem i of the registry, NULL past the end. */
const char *ga_problem_name(int i) {
  return i >= 0 && i < NREGISTRY ? registry[i]->name : NULL;
}

/* One-line summary of problem i of the registry, NULL past the end. */
const char *ga_problem_summary(int i) {
  return i >= 0 && i < NREGISTRY ? registry[i]->summary : NULL;
}

/* Size 0 means the default of the problem; omega in rad/s. */
ga_problem_options ga_problem_options_default(void) {
  return (ga_problem_options){.size = 0, .omega = 2 * GA_PI};
}

/* Writes to text (size bytes) the names of the problems that take a setting (GA_TAKES_..; all
 * problems for takes = 0), "none" if there are none; returns text. */
static const char *list_takers(unsigned takes, size_t size, char *text) {
  size_t used = 0;
  snprintf(text, size, "none");
  for (int i = 0; i < NREGISTRY; i++) {
    if ((registry[i]->takes & takes) != takes || used >= size) continue;
    int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", registry[i]->name);
    if (n > 0) used += (size_t)n;
  }
  return text;
}

/* Finds a problem by its name and sets *out; an unknown name is GA_ERR_ARG, with a suggestion in
 * the message, and *out is unchanged. */
static ga_status find_entry(const char *name, const ga_problem_entry **out, ga_error *err) {
  if (!name) return ga_fail(err, GA_ERR_ARG, "the name of the problem is missing");
  for (int i = 0; i < NREGISTRY; i++) {
    if (strcmp(name, registry[i]->name) == 0) {
      *out = registry[i];
      return GA_OK;
    }
  }
  const char *near = ga_nearest_word(name, ga_problem_name);
  if (near) {
    return ga_fail(err, GA_ERR_ARG, "unknown problem '%s'; did you mean '%s'?", name, near);
  }
  char all[320];
  return ga_fail(err, GA_ERR_ARG, "unknown problem '%.64s'; known are: %s", name,
                 list_takers(0, sizeof all, all));
}

/* GA_ERR_ARG if a setting is out of range, or was given (differs from its default) for a problem
 * that does not have it; the message lists the problems that have it. */
static ga_status check_options(const ga_problem_entry *entry, const ga_problem_options *given,
                               ga_error *err) {
  const ga_problem_options usual = ga_problem_options_default();
  char takers[320];
  if (given->size < 0 || (given->size != usual.size && !(entry->takes & GA_TAKES_SIZE))) {
    const char *why = given->size < 0 ? "it must not be negative" : "this problem has no size";
    return ga_fail(err, GA_ERR_ARG, "problem '%s', size %d: %s (problems with a size: %s)",
                   entry->name, given->size, why,
                   list_takers(GA_TAKES_SIZE, sizeof takers, takers));
  }
  bool positive = given->omega > 0 && isfinite(given->omega);
  bool changed = given->omega < usual.omega || given->omega > usual.omega;
  if (!positive || (changed && !(entry->takes & GA_TAKES_OMEGA))) {
    const char *why = positive ? "this problem has no omega" : "it must be positive and finite";
    return ga_fail(err, GA_ERR_ARG, "problem '%s', omega %g: %s (problems with an omega: %s)",
                   entry->name, given->omega, why,
                   list_takers(GA_TAKES_OMEGA, sizeof takers, takers));
  }
  return GA_OK;
}

/* Finds the entry, checks the options (NULL: the usual ones) and builds the problem into *out;
 * ga_problem_free frees it. On failure *out is NULL, err says why, and nothing is left to free. */
ga_status ga_problem_new(const char *name, const ga_problem_options *options, ga_problem **out,
                         ga_error *err) {
  *out = NULL;
  const ga_problem_options usual = ga_problem_options_default();
  if (!options) options = &usual;
  const ga_problem_entry *entry = NULL;
  ga_status status = find_entry(name, &entry, err);
  if (status == GA_OK) status = check_options(entry, options, err);
  if (status != GA_OK) return status;

  problem_impl *impl = ga_calloc(1, sizeof *impl);
  if (!impl) return ga_fail(err, GA_ERR_MEM, "no memory for problem '%s'", name);
  impl->entry = entry;
  impl->pub = (ga_problem){
      .name = entry->name, .summary = entry->summary, .cite = entry->cite, .impl = impl};
  status = entry->build(&impl->pub, options, err);
  if (status == GA_ERR_MEM || impl->arena.failed) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for problem '%s'", name);
  }
  if (status != GA_OK) {
    ga_problem_free(&impl->pub);
    return status;
  }
  *out = &impl->pub;
  return GA_OK;
}

/* Frees the problem and all memory taken from it; NULL is allowed. */
void ga_problem_free(ga_problem *problem) {
  if (!problem) return;
  problem_impl *impl = problem->impl;
  ga_space_free(impl->space);
  ga_arena_free(&impl->arena);
  ga_free(impl);
}

/* Sets problem->model and its space, the product of the factors; allocates q0 (the identity), v0
 * and mult0 (zero), which are freed with the problem. Each build function calls it first, once. */
ga_status ga_problem_setup(ga_problem *problem, const ga_model *model,
                           const ga_problem_factor *factors, ga_error *err) {
  problem_impl *impl = problem->impl;
  ga_status status = ga_space_new(&impl->space);
  for (int i = 0; status == GA_OK && factors[i].group; i++) {
    status = ga_space_add(impl->space, factors[i].group, factors[i].n, NULL, NULL);
  }
  if (status != GA_OK) {
    return ga_fail(err, status, "problem '%s': %s", problem->name, ga_status_text(status));
  }
  problem->model = *model;
  problem->model.space = impl->space;
  problem->q0 = ga_arena_doubles(&impl->arena, (size_t)ga_space_nq(impl->space));
  problem->v0 = ga_arena_doubles(&impl->arena, (size_t)ga_space_nv(impl->space));
  problem->mult0 = ga_arena_doubles(&impl->arena, (size_t)(model->nlam + model->npsi));
  if (impl->arena.failed) return GA_ERR_MEM;
  ga_space_identity(impl->space, problem->q0);
  return GA_OK;
}

/* count elements of `size` bytes, zeroed, freed with the problem; NULL if memory is short. */
void *ga_problem_take(ga_problem *problem, size_t count, size_t size) {
  problem_impl *impl = problem->impl;
  return ga_arena_take(&impl->arena, count, size);
}

/* *A gets its size and zeroed ptr (nrow + 1) and col (nnz), which live as long as the problem;
 * the caller fills them. val stays NULL. False if memory is short. */
bool ga_problem_pattern(ga_problem *problem, int nrow, int ncol, int nnz, ga_csr *A) {
  problem_impl *impl = problem->impl;
  *A = (ga_csr){.nrow = nrow,
                .ncol = ncol,
                .ptr = ga_arena_ints(&impl->arena, (size_t)nrow + 1),
                .col = ga_arena_ints(&impl->arena, (size_t)nnz)};
  return !impl->arena.failed;
}

/* Names of n elements with `per` numbers each: formats[2 k], the number of the element from 1,
 * formats[2 k + 1] for number k. If memory is short they are NULL or incomplete, and
 * ga_problem_new fails. */
const char *const *ga_problem_names(ga_problem *problem, int n, int per,
                                    const char *const *formats) {
  enum { ROOM = 24 };
  const char **names = ga_problem_take(problem, (size_t)(per * n), sizeof *names);
  char *text = ga_problem_take(problem, (size_t)(per * n), ROOM);
  for (int i = 0; names && text && i < per * n; i++, text += ROOM) {
    snprintf(text, ROOM, "%s%d%s", formats[2 * (i % per)], i / per + 1, formats[2 * (i % per) + 1]);
    names[i] = text;
  }
  return names;
}

/* An array of n NaN; NULL if memory is short. */
static double *take_unknown(ga_arena *arena, int n) {
  double *x = ga_arena_doubles(arena, (size_t)n);
  for (int i = 0; x && i < n; i++) x[i] = NAN;
  return x;
}

/* Adds a reference at time t with all values NaN, for the caller to fill in; NULL if memory is
 * short or there are GA_REFERENCES_MAX already. */
ga_problem_state *ga_problem_tabulate(ga_problem *problem, double t) {
  problem_impl *impl = problem->impl;
  if (impl->nreferences == GA_REFERENCES_MAX) return NULL;
  const int nv = ga_space_nv(impl->space);
  ga_problem_state *state = &impl->references[impl->nreferences];
  *state = (ga_problem_state){.t = t,
                              .q = take_unknown(&impl->arena, ga_space_nq(impl->space)),
                              .v = take_unknown(&impl->arena, nv),
                              .vd = take_unknown(&impl->arena, nv),
                              .lam = take_unknown(&impl->arena, problem->model.nlam),
                              .psi = take_unknown(&impl->arena, problem->model.npsi)};
  if (impl->arena.failed) return NULL;
  impl->nreferences++;
  return state;
}

/* Copies n numbers; to may be NULL. */
static void copy_if_wanted(int n, const double *from, double *to) {
  if (to) memcpy(to, from, (size_t)n * sizeof *to);
}

/* Writes the closed solution at t if there is one, else the tabulated state at t, to the outputs
 * that are not NULL (unknown numbers of a table are NaN). False if there is neither; then
 * nothing is written. */
bool ga_problem_reference(const ga_problem *problem, double t, double *q, double *v, double *vd,
                          double *lam, double *psi) {
  const problem_impl *impl = problem->impl;
  if (!impl) return false;
  if (impl->entry->exact) {
    impl->entry->exact(problem->model.user, t, q, v, vd, lam, psi);
    return true;
  }
  /* the last time of a run may miss the tabulated one by a few roundoffs */
  for (int i = 0; i < impl->nreferences; i++) {
    const ga_problem_state *s = &impl->references[i];
    if (fabs(t - s->t) > 64 * DBL_EPSILON * fabs(s->t)) continue;
    copy_if_wanted(ga_space_nq(impl->space), s->q, q);
    copy_if_wanted(ga_space_nv(impl->space), s->v, v);
    copy_if_wanted(ga_space_nv(impl->space), s->vd, vd);
    copy_if_wanted(problem->model.nlam, s->lam, lam);
    copy_if_wanted(problem->model.npsi, s->psi, psi);
    return true;
  }
  return false;
}

/* Time of tabulated reference i, NaN past the end. */
double ga_problem_reference_time(const ga_problem *problem, int i) {
  const problem_impl *impl = problem->impl;
  return impl && i >= 0 && i < impl->nreferences ? impl->references[i].t : (double)NAN;
}
