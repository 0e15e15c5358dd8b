/* SPDX-License-Identifier: MIT */
/* Large sparse systems with weak entries: A = P - N, where P has the strong entries.
 *
 * A Newton matrix of a net couples its masses twice: strongly by the constraints, and weakly by the
 * tangents h^2 K, which are 1e-4 of the masses beside them. With the weak entries the graph of the
 * velocities is that of the net, and the zeros on the diagonal of the constraints spoil its
 * ordering. Without them no two masses are coupled directly, and all masses are eliminated first.
 * In stab2 the weak entries are also those that couple eta with the other equations. Without them
 * the matrix is block triangular, with blocks [[M, G^T], [G, 0]] and G G^T. The factors of P
 * therefore have 3 to 70 times fewer entries than those of A. A x = b is solved by the iteration
 *
 *     x <- x + P^-1 (b - A x).
 *
 * It ends when the residual of every row is at the rounding level of the terms of that row. If it
 * converges too slowly, P is chosen again for the present values, then with more entries. If that
 * does not help, or if P is predicted to take more work than A, A itself is factored: for this matrix
 * and for the next 1, 7, 31, .. PAUSE_MAX matrices, more after each failure. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linsol/strong_entries.h"

/* Entries of R A C below WEAK are weak at first. If the iteration does not contract, the limit is
 * multiplied by MORE, down to WEAK_LEAST. */
static const double WEAK = 0.1, MORE = 0.2, WEAK_LEAST = 1e-3;
/* An iteration must multiply the residual by at most SLOW; else it has failed. */
static const double SLOW = 0.2;
static const double EXACT = 8 * DBL_EPSILON; /* backward error at which the iteration ends */
/* Backward error that is accepted when an iteration was slow. */
static const double ENOUGH = 1e3 * DBL_EPSILON;
/* Terms below FLOOR times the largest unknown count as rounding errors. */
static const double FLOOR = 1e-6;
/* Largest predicted work of P relative to that of A, whose prediction is up to 1.6 times too large. */
static const double GAIN = 0.65;
/* Most iterations of one solution; number of iterations assumed in predictions (2 to 5 measured). */
enum { ITERATIONS = 12, USUAL = 4 };
/* Most matrices factored whole before P is tried again. A trial takes as long as about ten
 * factorizations. */
enum { PAUSE_MAX = 1023 };
enum { DENSE_REPORT = 500 }; /* most rows for which null spaces are found by dense elimination */

typedef struct {
  ga_arena arena;
  int n, nnz;
  ga_csr A;                       /* the pattern given, and a copy of the last values */
  double whole;                   /* predicted work of A, ga_linsol_total */
  const ga_linsol_ops *whole_ops; /* the solver of that prediction */
  bool chosen;                    /* P is chosen */
  bool stale;                     /* P was chosen for earlier values */
  bool automatic;                 /* "auto" has chosen this solver */
  double weak;                    /* entries of R A C below this are weak at present */
  bool iterates;                  /* the last factors are those of P; false: those of A */
  int pause;                      /* number of matrices still to be factored whole */
  int pause_next;                 /* value of pause after the next failure */
  ga_strong_entries strong;       /* P */
  ga_linsol full;                 /* factors of A; opened when needed */
  ga_linsol reporter;             /* finds the null space of A; opened when needed */
  double *r;                      /* n numbers: residual b - A x */
  double *x;                      /* n numbers: solution */
  double *c;                      /* n numbers: correction P^-1 r */
  double *size;                   /* n numbers: |b| + |A| |x| of each row */
  double *trial;                  /* n numbers: right-hand side that tests a new P */
} weak_entries;

/* Allocate ls->impl for the pattern of A and predict the work of factoring A as a whole. No P is
 * chosen yet: that needs values. */
static ga_status weak_entries_analyze(ga_linsol *ls, const ga_csr *A) {
  weak_entries *s = ga_calloc(1, sizeof *s);
  if (!s) return GA_ERR_MEM;
  ls->impl = s;
  s->n = A->nrow;
  s->nnz = ga_csr_nnz(A);
  s->pause_next = 1;
  s->automatic = ls->why[0] != '\0';
  s->A = *A;
  s->A.val = ga_arena_doubles(&s->arena, (size_t)s->nnz);
  double **const vectors[] = {&s->r, &s->x, &s->c, &s->size, &s->trial};
  for (int i = 0; i < 5; i++) *vectors[i] = ga_arena_doubles(&s->arena, (size_t)s->n);
  ga_strong_entries_init(&s->strong, A, ls->layout);
  ga_linsol_prediction of_A;
  if (s->arena.failed || s->strong.arena.failed || !ga_linsol_predict(A, &of_A)) return GA_ERR_MEM;
  ga_linsol_work work;
  s->whole_ops = ga_linsol_fastest(&of_A, &work);
  s->whole = ga_linsol_total(work);
  s->weak = WEAK;
  return GA_OK;
}

/* Instructions of a solution with USUAL iterations: each solves with P, which takes `strong`
 * instructions, and computes the residual b - A x and its size (14 an entry, 50 a row). */
double ga_weak_entries_solve(const ga_csr *A, double strong) {
  return USUAL * (strong + 14.0 * ga_csr_nnz(A) + 50.0 * A->nrow);
}

/* The predicted work of P: a factorization, and a solution by iteration. */
static ga_linsol_work work_of_iterations(const weak_entries *s) {
  const ga_linsol_work P = s->strong.work_of_P;
  return (ga_linsol_work){P.factor, ga_weak_entries_solve(&s->A, P.solve)};
}

/* Choose P for the present values in s->A with the limit s->weak, and open its solvers. Sets
 * ls->why. s->chosen stays false, with GA_OK, if P is not predicted to be faster than A. */
static ga_status choose_strong(ga_linsol *ls) {
  weak_entries *s = ls->impl;
  ls->repivots++;
  s->stale = s->chosen = false;
  ga_status status = ga_strong_entries_choose(&s->strong, &s->A, ls->layout, s->weak);
  if (status != GA_OK) return status;
  const double split = ga_linsol_total(work_of_iterations(s));
  snprintf(ls->why, sizeof ls->why,
           "%s%d rows, %d of %d entries strong, %d block%s, %.2g instructions; whole by %s %.2g",
           s->automatic ? "auto: " : "", s->n, s->strong.entries, s->nnz, s->strong.nblock,
           s->strong.nblock > 1 ? "s" : "", split, s->whole_ops->name, s->whole);
  if (split > GAIN * s->whole) return GA_OK;
  status = ga_strong_entries_open(&s->strong);
  s->chosen = status == GA_OK;
  return status;
}

/* Factor P for the values in s->A; sets the cost in ls. On success later solves iterate with these
 * factors (s->iterates). */
static ga_status factor_strong(ga_linsol *ls) {
  weak_entries *s = ls->impl;
  long before = ga_strong_entries_repivots(&s->strong);
  ga_status status = ga_strong_entries_factor(&s->strong, &s->A);
  ls->repivots += ga_strong_entries_repivots(&s->strong) - before;
  s->iterates = status == GA_OK;
  const ga_linsol_work work = work_of_iterations(s);
  ls->cost.factor = work.factor / work.solve;
  ls->cost.solve = work.solve / (GA_KLU_ENTRY * s->nnz);
  return status;
}

/* Factor A itself by the fastest direct solver, which is opened at the first call; copies its cost
 * and trouble to ls. Later solves use these factors without iteration. */
static ga_status factor_full(ga_linsol *ls) {
  weak_entries *s = ls->impl;
  ga_status status = GA_OK;
  s->iterates = false;
  if (!s->full.ops) {
    s->full.ops = s->whole_ops;
    s->full.layout = ls->layout;
    status = s->full.ops->analyze(&s->full, &s->A);
  }
  long before = s->full.repivots;
  if (status == GA_OK) status = s->full.ops->factor(&s->full, &s->A);
  ls->repivots += s->full.repivots - before;
  ls->cost = s->full.cost;
  memcpy(ls->trouble, s->full.trouble, sizeof ls->trouble);
  return status;
}

/* P has failed: factor A itself, for this matrix and the next s->pause ones; then P is chosen from
 * scratch. After each failure the pause grows: 1, 7, 31, .. PAUSE_MAX. */
static ga_status pause_and_factor_full(ga_linsol *ls) {
  weak_entries *s = ls->impl;
  s->pause = s->pause_next;
  s->pause_next = s->pause_next < PAUSE_MAX ? 4 * s->pause_next + 3 : PAUSE_MAX;
  s->chosen = false;
  s->weak = WEAK;
  ga_strong_entries_close(&s->strong, true);
  return factor_full(ls);
}

/* r = b - A x for the present x, and sizes |b| + |A| |x|; with A^T instead of A if transposed */
static void compute_residual(weak_entries *s, bool transposed, const double *b) {
  for (int i = 0; i < s->n; i++) s->r[i] = b[i], s->size[i] = fabs(b[i]);
  for (int i = 0; i < s->n; i++) {
    double sum = 0, terms = 0;
    for (int e = s->A.ptr[i]; e < s->A.ptr[i + 1]; e++) {
      int j = s->A.col[e];
      double term = s->A.val[e] * s->x[transposed ? i : j];
      if (transposed) s->r[j] -= term, s->size[j] += fabs(term);
      sum += term;
      terms += fabs(term);
    }
    if (!transposed) s->r[i] -= sum, s->size[i] += terms;
  }
}

/* The largest |r_i| (*left) and the largest |r_i|/(|b| + |A| |x|)_i (returned), both in the units
 * of R A C. FLOOR times the largest unknown is added to each denominator: a row whose terms are all
 * smaller than that may consist of rounding errors only. */
static double backward_error(const weak_entries *s, bool transposed, double *left) {
  const double *row = transposed ? s->strong.scale.col : s->strong.scale.row;
  const double *col = transposed ? s->strong.scale.row : s->strong.scale.col;
  double worst = 0, largest = 0;
  *left = 0;
  for (int i = 0; i < s->n; i++) largest = ga_max(largest, fabs(s->x[i]) / col[i]);
  for (int i = 0; i < s->n; i++) {
    double size = s->size[i] * row[i] + FLOOR * largest, r = fabs(s->r[i]) * row[i];
    if (!(r <= *left)) *left = r;
    if (!(r <= worst * size)) worst = r / size;
  }
  return worst;
}

/* Solve A x = b, or A^T x = b, into s->x by x <- x + P^-1 (b - A x), from x = 0. True if the
 * backward error is small enough. False if an iteration leaves more than SLOW of the residual, a
 * solve fails, or ITERATIONS are not enough. Overwrites r, c and size; b stays. */
static bool solve_by_iteration(weak_entries *s, bool transposed, const double *b) {
  double last = INFINITY, left;
  memset(s->x, 0, (size_t)s->n * sizeof(double));
  memcpy(s->r, b, (size_t)s->n * sizeof(double));
  for (int k = 0; k < ITERATIONS; k++) {
    if (ga_strong_entries_solve(&s->strong, transposed, s->r, s->c) != GA_OK) return false;
    ga_axpy(s->n, 1, s->c, s->x);
    compute_residual(s, transposed, b);
    double error = backward_error(s, transposed, &left);
    bool slow = !(left <= SLOW * last);
    if (error <= EXACT || (slow && error <= ENOUGH)) return true;
    if (slow) return false;
    last = left;
  }
  return false;
}

/* The iteration does not contract: choose P again for the present values if it is stale (chosen for
 * earlier values), else with more entries, else factor A. GA_OK: s->iterates says which factors
 * there are. */
static ga_status improve_strong(ga_linsol *ls) {
  weak_entries *s = ls->impl;
  if (!s->stale) s->weak *= MORE;
  if (s->weak >= WEAK_LEAST) {
    ga_status status = choose_strong(ls);
    if (status != GA_OK) return status;
    if (s->chosen && factor_strong(ls) == GA_OK) return GA_OK;
  }
  return pause_and_factor_full(ls);
}

/* Solve with an arbitrary right-hand side right after P is chosen, and improve P until that works
 * or A is factored. This finds an iteration that does not contract, or a dependency that the weak
 * entries hide, before the factors are used. */
static ga_status test_choice(ga_linsol *ls) {
  weak_entries *s = ls->impl;
  ga_status status = GA_OK;
  for (int i = 0; i < s->n; i++) s->trial[i] = ga_scaling_weight(i) / s->strong.scale.row[i];
  while (status == GA_OK && s->iterates && !solve_by_iteration(s, false, s->trial)) {
    status = improve_strong(ls);
  }
  return status;
}

/* Factor new values: P if one is chosen or can be chosen, else A itself. A new P is tested by a
 * trial solve before it is used. A singular A is found by the solver of A, with its status. */
static ga_status weak_entries_factor(ga_linsol *ls, const ga_csr *A) {
  weak_entries *s = ls->impl;
  memcpy(s->A.val, A->val, (size_t)s->nnz * sizeof(double));
  if (s->pause > 0) {
    s->pause--;
    return factor_full(ls);
  }
  s->stale = s->chosen;
  ga_status status = s->chosen ? GA_OK : choose_strong(ls);
  if (status != GA_OK) return status;
  if (!s->chosen) s->pause_next = PAUSE_MAX; /* not faster: other values change that rarely */
  if (!s->chosen || factor_strong(ls) != GA_OK) return pause_and_factor_full(ls);
  return s->stale ? GA_OK : test_choice(ls);
}

/* Overwrite the nrhs columns of B by the solutions. If the iteration fails in between, P is
 * improved or A is factored, and the column is solved again. */
static ga_status weak_entries_solve_many(ga_linsol *ls, bool transposed, int nrhs, double *B) {
  weak_entries *s = ls->impl;
  for (int c = 0; c < nrhs; c++) {
    double *b = B + (size_t)c * (size_t)s->n;
    while (s->iterates && !solve_by_iteration(s, transposed, b)) {
      ga_status status = improve_strong(ls);
      if (status != GA_OK) return status;
    }
    if (s->iterates) {
      memcpy(b, s->x, (size_t)s->n * sizeof(double));
      s->pause_next = 1;
      continue;
    }
    ga_status status = ga_linsol_solve_many(&s->full, transposed, s->n, 1, b);
    if (status != GA_OK) return status;
  }
  return GA_OK;
}

/* b <- A^-1 b. */
static ga_status weak_entries_solve(ga_linsol *ls, double *b) {
  return weak_entries_solve_many(ls, false, 1, b);
}

/* The dependent column that the last factorization of A found; -1 if A was regular or was never
 * factored as a whole. */
static int weak_entries_singular_column(const ga_linsol *ls) {
  const weak_entries *s = ls->impl;
  return s->full.ops ? s->full.ops->singular_column(&s->full) : -1;
}

/* Null space of A into *out by another solver, opened at the first call: dense elimination up to
 * DENSE_REPORT rows, else MUMPS, which also finds all dependencies; without MUMPS by KLU, which
 * finds only one. */
static ga_status weak_entries_null_space(ga_linsol *ls, const ga_csr *A, ga_null_space *out) {
  weak_entries *s = ls->impl;
  ga_status status = GA_OK;
  if (!s->reporter.ops) {
    bool mumps = ga_mumps_available(ls->trouble, sizeof ls->trouble);
    s->reporter.ops = mumps ? &ga_linsol_mumps : &ga_linsol_klu;
    if (s->n <= DENSE_REPORT) s->reporter.ops = &ga_linsol_dense;
    s->reporter.layout = ls->layout;
    status = s->reporter.ops->analyze(&s->reporter, &s->A);
  }
  return status != GA_OK ? status : s->reporter.ops->null_space(&s->reporter, A, out);
}

/* Forget all values and the choice of P, so that the next run gives the same numbers as the
 * first. */
static void weak_entries_reset(ga_linsol *ls) {
  weak_entries *s = ls->impl;
  s->chosen = s->iterates = false;
  s->weak = WEAK;
  s->pause = 0;
  s->pause_next = 1;
  ga_strong_entries_close(&s->strong, true);
  ga_linsol_reset(&s->full);
  ls->cost = (ga_linsol_cost){0};
}

/* Free ls->impl with everything it holds and set it to NULL; allowed if it is NULL. */
static void weak_entries_free(ga_linsol *ls) {
  weak_entries *s = ls->impl;
  if (!s) return;
  ga_strong_entries_free(&s->strong);
  ga_linsol_close(&s->full);
  ga_linsol_close(&s->reporter);
  ga_arena_free(&s->arena);
  ga_free(s);
  ls->impl = NULL;
}

const ga_linsol_ops ga_linsol_weak_entries = {
    .name = "weak-entries",
    .summary = "factors the strong entries, iterates for the weak ones, where that is faster",
    .analyze = weak_entries_analyze,
    .factor = weak_entries_factor,
    .solve = weak_entries_solve,
    .singular_column = weak_entries_singular_column,
    .reset = weak_entries_reset,
    .free = weak_entries_free,
    .solve_many = weak_entries_solve_many,
    .null_space = weak_entries_null_space,
};
