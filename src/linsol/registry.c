/* SPDX-License-Identifier: MIT */
/* The list of built-in linear solvers and the choice among them. */
#include "linsol/registry.h"

#include <stdio.h>
#include <string.h>

#include "base/team.h"
#include "genalpha/genalpha.h"

static const ga_linsol_ops *const registry[] = {
    &ga_linsol_dense,
    &ga_linsol_klu,
#ifdef GA_HAVE_MUMPS
    &ga_linsol_mumps,
#endif
    &ga_linsol_weak_entries,
};

enum { COUNT = (int)(sizeof registry / sizeof registry[0]) };

/* Public: name of the i-th built-in solver, NULL past the last. */
const char *ga_linsol_name(int i) {
  return i >= 0 && i < COUNT ? registry[i]->name : NULL;
}
/* Public: a line about the i-th built-in solver, NULL past the last. */
const char *ga_linsol_summary(int i) {
  return i >= 0 && i < COUNT ? registry[i]->summary : NULL;
}

/* Public: a line that lists the linear solvers built in. */
const char *ga_capabilities(void) {
#ifdef GA_HAVE_MUMPS
  return "linear solvers: dense (own LU, LAPACK), klu (SuiteSparse), mumps (module)";
#else
  return "linear solvers: dense (own LU, LAPACK), klu (SuiteSparse)";
#endif
}

/* GA_OK if a user's solver has the four functions without which nothing can be solved, else
 * GA_ERR_ARG with a message. */
static ga_status check_ops(const ga_linsol_ops *ops, ga_error *err) {
  if (ops->analyze && ops->factor && ops->solve && ops->free) return GA_OK;
  return ga_fail(err, GA_ERR_ARG, "linsol_ops '%s' lacks analyze, factor, solve or free",
                 ops->name ? ops->name : "without name");
}

/* Old names of solvers, which still work. */
static const struct { const char *old, *name; } aliases[] = {{"sweep", "weak-entries"}};

/* The built-in solver of this name, old names included; NULL if unknown. */
static const ga_linsol_ops *find_solver(const char *name) {
  for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
    if (strcmp(aliases[i].old, name) == 0) name = aliases[i].name;
  }
  for (int i = 0; i < COUNT; i++) {
    if (strcmp(registry[i]->name, name) == 0) return registry[i];
  }
  return NULL;
}

/* Is this the name of the model's own solver? */
bool ga_linsol_is_own(const char *name) {
  return strcmp(name, "own") == 0 || strcmp(name, "tree") == 0;
}

/* Is this "auto", the model's own solver or the name of a built-in solver? */
bool ga_linsol_known(const char *name) {
  return strcmp(name, "auto") == 0 || ga_linsol_is_own(name) || find_solver(name);
}

/* GA_ERR_BACKEND with a message for an unknown solver: the nearest known name, and all known
 * names. */
static ga_status fail_unknown_name(const char *name, ga_error *err) {
  const char *near = ga_nearest_word(name, ga_linsol_name);
  char known[80] = "auto";
  for (int i = 0; i < COUNT; i++) {
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, ", %s", registry[i]->name);
  }
  return ga_fail(err, GA_ERR_BACKEND, "unknown linear solver '%s'%s%s%s (known: %s)%s", name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known,
                 strcmp(name, "mumps") == 0 ? "; the library was built without MUMPS" : "");
}

/* Set ls->ops (and ls->context for a team, ls->why for "auto"): a team's own solver, the user's
 * functions, the choice of "auto", or a built-in solver by name, in this order. ls->layout must be
 * set. On failure a message in err. */
static ga_status choose_solver(ga_linsol *ls, const ga_options *options, const ga_csr *A,
                               ga_error *err) {
  ls->ops = options->linsol_ops;
  if (ls->layout && ls->layout->numbering) { /* a matrix of a team: the team's own solver */
    ls->ops = options->team->linsol;
    ls->context = options->team->linsol_context;
  }
  if (ls->ops) return check_ops(ls->ops, err);
  if (strcmp(options->linsol, "auto") == 0 || ga_linsol_is_own(options->linsol)) {
    ls->ops = ga_linsol_auto(A, ls->why, sizeof ls->why);
    if (ls->ops) return GA_OK;
    return ga_fail(err, GA_ERR_MEM, "no memory to choose a linear solver for %d rows", A->nrow);
  }
  ls->ops = find_solver(options->linsol);
  return ls->ops ? GA_OK : fail_unknown_name(options->linsol, err);
}

/* Choose a solver as ga_linsol_open does, without opening it, into *out; on failure a message in
 * err, and *out is not to be used. */
ga_status ga_linsol_choose(const ga_options *options, const ga_csr *A, const ga_linsol_ops **out,
                           ga_error *err) {
  ga_linsol ls = {0};
  ga_status status = choose_solver(&ls, options, A, err);
  *out = ls.ops;
  return status;
}

/* Choose a solver and analyze the pattern of A, without a layout. On failure ls needs no close. */
ga_status ga_linsol_open(ga_linsol *ls, const ga_options *options, const ga_csr *A, ga_error *err) {
  return ga_linsol_open_layout(ls, options, A, NULL, err);
}

/* Analyze the pattern of A by ls->ops; on failure close ls, with a message in err. Collective in a
 * team (NULL: none). */
static ga_status analyze_pattern(ga_linsol *ls, const ga_csr *A, ga_team *team, ga_error *err) {
  ga_status status = ls->ops->analyze(ls, A);
  if (status == GA_OK) return GA_OK;
  char trouble[sizeof ls->trouble];
  memcpy(trouble, ls->trouble, sizeof trouble);
  ga_linsol_close(ls);
  if (status == GA_ERR_MEM) {
    ga_fail(err, status, "no memory for a linear system of %d rows", A->nrow);
  } else {
    status = ga_fail(err, GA_ERR_BACKEND, "linear solver could not analyze a system of %d rows%s%s",
                     A->nrow, trouble[0] ? ": " : "", trouble);
  }
  return ga_team_tell(team, status, trouble[0] != '\0', err);
}

/* Choose a solver and analyze the pattern of A; see registry.h. On failure ls needs no close. With
 * a team, all processes return the same status. */
ga_status ga_linsol_open_layout(ga_linsol *ls, const ga_options *options, const ga_csr *A,
                                const ga_linsol_layout *layout, ga_error *err) {
  *ls = (ga_linsol){.context = options->linsol_context, .layout = layout};
  ga_status status = choose_solver(ls, options, A, err);
  ga_team *team = layout && layout->numbering ? options->team : NULL;
  status = ga_team_agree(team, status, err);
  if (status != GA_OK) {
    ls->ops = NULL; /* nothing to close: it may be a user's that lacks free */
    return status;
  }
  return analyze_pattern(ls, A, team, err);
}

/* Open a solver that is not chosen by the options. */
ga_status ga_linsol_open_as(ga_linsol *ls, const ga_linsol_ops *ops, void *context, const ga_csr *A,
                            ga_error *err) {
  *ls = (ga_linsol){.ops = ops, .context = context};
  return analyze_pattern(ls, A, NULL, err);
}

/* Public: open a solver by name (NULL: "auto") for a pattern; layout may be NULL and must outlive
 * ls. */
ga_status ga_linsol_attach(ga_linsol *ls, const char *name, const ga_csr *A,
                           const ga_linsol_layout *layout, ga_error *err) {
  ga_options options = ga_options_default();
  if (name) options.linsol = name;
  return ga_linsol_open_layout(ls, &options, A, layout, err);
}

/* Public: free a solver of ga_linsol_attach; *ls is zero afterwards. */
void ga_linsol_detach(ga_linsol *ls) {
  ga_linsol_close(ls);
}

/* Solve A X = B or A^T X = B; B has nrhs columns of n numbers, overwritten by X. GA_ERR_BACKEND if
 * the solver has no transposed solves. */
ga_status ga_linsol_solve_many(ga_linsol *ls, bool transposed, int n, int nrhs, double *B) {
  if (ls->ops->solve_many) return ls->ops->solve_many(ls, transposed, nrhs, B);
  if (transposed) {
    snprintf(ls->trouble, sizeof ls->trouble, "solver '%s' has no transposed solves",
             ls->ops->name ? ls->ops->name : "without name");
    return GA_ERR_BACKEND;
  }
  ga_status status = GA_OK;
  for (int c = 0; c < nrhs && status == GA_OK; c++) {
    status = ls->ops->solve(ls, B + (size_t)c * (size_t)n);
  }
  return status;
}

/* Forget all values, if the solver has such a function. */
void ga_linsol_reset(ga_linsol *ls) {
  if (ls->ops && ls->ops->reset) ls->ops->reset(ls);
}

/* New pivots and scaling in the next factor; a solver that cannot keep its ordering forgets all. */
void ga_linsol_repivot(ga_linsol *ls) {
  if (ls->ops && ls->ops->repivot) {
    ls->ops->repivot(ls);
  } else {
    ga_linsol_reset(ls);
  }
}

/* Free the solver; *ls is zero afterwards. Allowed if it is not open. */
void ga_linsol_close(ga_linsol *ls) {
  if (ls->ops) ls->ops->free(ls);
  *ls = (ga_linsol){0};
}
