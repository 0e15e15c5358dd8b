/* SPDX-License-Identifier: MIT */
/* Large sparse systems with weak entries: A = P - N, where P has the strong entries.
 *
 * A Newton matrix of a net couples its masses twice: strongly by the constraints, and weakly by the
 * tangents h^2 K, which are 1e-4 of the masses beside them. With the weak entries the graph of the
 * velocities is that of the net, whose ordering the zeros of the constraints spoil; without them
 * every mass stands alone and is eliminated first. In stab2 the weak entries are also those that
 * tie eta to the equations of the others: without them the matrix is block triangular, with blocks
 * [[M, G^T], [G, 0]] and G G^T. So P fills 3 to 70 times less. A x = b is solved by sweeps,
 *
 *     x <- x + P^-1 (b - A x),
 *
 * until every row holds up to the rounding of its own terms. Where sweeps gain too little, P is
 * chosen anew for the present values, then with more entries; where that does not help or promises
 * no gain, A itself is factored, for this matrix and some more. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linsol/strong_entries.h"

/* Entries of R A C below WEAK are weak at first. Where sweeps do not contract, the limit is reduced
 * by MORE, down to WEAK_LEAST. */
static const double WEAK = 0.1, MORE = 0.2, WEAK_LEAST = 1e-3;
static const double SLOW = 0.2;              /* a sweep that reduces the residual less has failed */
static const double EXACT = 8 * DBL_EPSILON; /* backward error at which sweeps end */
static const double ENOUGH = 1e3 * DBL_EPSILON; /* backward error accepted if sweeps gain no more */
static const double FLOOR = 1e-6; /* terms below this part of the largest unknown do not count */
static const double GAIN = 0.7;   /* largest predicted time of P relative to that of A */
enum { SWEEPS = 12, USUAL = 4 };  /* sweeps at most; sweeps that predictions count with */
enum { PAUSE_MAX = 63 };          /* matrices factored whole at most before P is tried again */
enum { DENSE_REPORT = 500 };      /* rows up to which null spaces are found by dense elimination */

typedef struct {
  ga_arena arena;
  int n, nnz;
  ga_csr A;                       /* the pattern given, and a copy of the last values */
  double whole;                   /* predicted time for A, in ns */
  const ga_linsol_ops *whole_ops; /* the solver of that prediction */
  bool chosen;                    /* P is chosen */
  bool stale;                     /* P was chosen for earlier values */
  bool automatic;                 /* "auto" has chosen this solver */
  double weak;
  bool by_sweeps; /* the last factors are those of P */
  int pause;      /* matrices still to be factored whole */
  int pause_next; /* how many the next failure costs */
  ga_strong strong;
  ga_linsol full;     /* of A, opened when it is needed */
  ga_linsol reporter; /* of A, for its null space */
  double *r, *x, *c, *size, *trial;
} sweep;

static ga_status sweep_analyze(ga_linsol *ls, const ga_csr *A) {
  sweep *s = ga_calloc(1, sizeof *s);
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
  ga_strong_init(&s->strong, A);
  ga_prediction of_A;
  if (s->arena.failed || s->strong.arena.failed || !ga_linsol_predict(A, &of_A)) return GA_ERR_MEM;
  s->whole_ops = ga_linsol_fastest(&of_A, &s->whole);
  s->weak = WEAK;
  return GA_OK;
}

/* USUAL sweeps in ns: each goes through P's factors and, twice, through A. */
static double time_of_sweeps(const sweep *s) {
  return USUAL * (s->strong.fill + 4 * s->nnz);
}

/* P for the present values; not chosen if it promises no gain */
static ga_status choose(ga_linsol *ls) {
  sweep *s = ls->impl;
  ls->repivots++;
  s->stale = s->chosen = false;
  ga_status status = ga_strong_choose(&s->strong, &s->A, ls->layout, s->weak);
  if (status != GA_OK) return status;
  double parts = s->strong.time + time_of_sweeps(s);
  snprintf(ls->why, sizeof ls->why,
           "%s%d rows, %d of %d entries strong, %d block%s, %.2g ms; whole by %s %.2g ms",
           s->automatic ? "auto: " : "", s->n, s->strong.entries, s->nnz, s->strong.nblock,
           s->strong.nblock > 1 ? "s" : "", 1e-6 * parts, s->whole_ops->name, 1e-6 * s->whole);
  if (parts > GAIN * s->whole) return GA_OK;
  status = ga_strong_open(&s->strong);
  s->chosen = status == GA_OK;
  return status;
}

static ga_status factor_strong(ga_linsol *ls) {
  sweep *s = ls->impl;
  long before = ga_strong_repivots(&s->strong);
  ga_status status = ga_strong_factor(&s->strong, &s->A);
  ls->repivots += ga_strong_repivots(&s->strong) - before;
  s->by_sweeps = status == GA_OK;
  ls->cost.factor = s->strong.time / time_of_sweeps(s);
  ls->cost.solve = time_of_sweeps(s) / s->nnz; /* KLU takes about 1 ns for an entry */
  return status;
}

static ga_status factor_full(ga_linsol *ls) {
  sweep *s = ls->impl;
  ga_status status = GA_OK;
  s->by_sweeps = false;
  if (!s->full.ops) {
    s->full.ops = s->whole_ops;
    status = s->full.ops->analyze(&s->full, &s->A);
  }
  long before = s->full.repivots;
  if (status == GA_OK) status = s->full.ops->factor(&s->full, &s->A);
  ls->repivots += s->full.repivots - before;
  ls->cost = s->full.cost;
  memcpy(ls->trouble, s->full.trouble, sizeof ls->trouble);
  return status;
}

/* no P for this matrix and some more; then everything begins anew */
static ga_status give_up(ga_linsol *ls) {
  sweep *s = ls->impl;
  s->pause = s->pause_next;
  s->pause_next = s->pause_next < PAUSE_MAX ? 2 * s->pause_next + 1 : PAUSE_MAX;
  s->chosen = false;
  s->weak = WEAK;
  ga_strong_close(&s->strong, true);
  return factor_full(ls);
}

/* r = b - A x for the x reached, and sizes |b| + |A| |x|; for the transpose likewise */
static void residual(sweep *s, bool transposed, const double *b) {
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

/* The largest |r_i|, and the largest |r_i|/(|b| + |A| |x|)_i, both in the good units of R A C. What
 * is below FLOOR times the largest unknown there is nothing: a row of such terms may be rounding
 * error as a whole. */
static double backward_error(const sweep *s, bool transposed, double *left) {
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

/* x by sweeps; false if they do not contract */
static bool solve_by_sweeps(sweep *s, bool transposed, const double *b) {
  double last = INFINITY, left;
  memset(s->x, 0, (size_t)s->n * sizeof(double));
  memcpy(s->r, b, (size_t)s->n * sizeof(double));
  for (int k = 0; k < SWEEPS; k++) {
    if (ga_strong_solve(&s->strong, transposed, s->r, s->c) != GA_OK) return false;
    ga_axpy(s->n, 1, s->c, s->x);
    residual(s, transposed, b);
    double error = backward_error(s, transposed, &left);
    bool slow = !(left <= SLOW * last);
    if (error <= EXACT || (slow && error <= ENOUGH)) return true;
    if (slow) return false;
    last = left;
  }
  return false;
}

/* Sweeps do not contract: P may be chosen for values of long ago, or needs more entries. */
static ga_status another_way(ga_linsol *ls) {
  sweep *s = ls->impl;
  if (!s->stale) s->weak *= MORE;
  if (s->weak >= WEAK_LEAST) {
    ga_status status = choose(ls);
    if (status != GA_OK) return status;
    if (s->chosen && factor_strong(ls) == GA_OK) return GA_OK;
  }
  return give_up(ls);
}

/* A new P is tried at once with some right-hand side: what does not contract, or a dependency that
 * weak entries hide, is found before it is relied on. */
static ga_status try_choice(ga_linsol *ls) {
  sweep *s = ls->impl;
  ga_status status = GA_OK;
  for (int i = 0; i < s->n; i++) s->trial[i] = ga_scale_weight(i) / s->strong.scale.row[i];
  while (status == GA_OK && s->by_sweeps && !solve_by_sweeps(s, false, s->trial)) {
    status = another_way(ls);
  }
  return status;
}

static ga_status sweep_factor(ga_linsol *ls, const ga_csr *A) {
  sweep *s = ls->impl;
  memcpy(s->A.val, A->val, (size_t)s->nnz * sizeof(double));
  if (s->pause > 0) {
    s->pause--;
    return factor_full(ls);
  }
  s->stale = s->chosen;
  ga_status status = s->chosen ? GA_OK : choose(ls);
  if (status != GA_OK) return status;
  if (!s->chosen || factor_strong(ls) != GA_OK) return give_up(ls);
  return s->stale ? GA_OK : try_choice(ls);
}

static ga_status sweep_solve_many(ga_linsol *ls, bool transposed, int nrhs, double *B) {
  sweep *s = ls->impl;
  for (int c = 0; c < nrhs; c++) {
    double *b = B + (size_t)c * (size_t)s->n;
    while (s->by_sweeps && !solve_by_sweeps(s, transposed, b)) {
      ga_status status = another_way(ls);
      if (status != GA_OK) return status;
    }
    if (s->by_sweeps) {
      memcpy(b, s->x, (size_t)s->n * sizeof(double));
      s->pause_next = 1;
      continue;
    }
    ga_status status = ga_linsol_solve_many(&s->full, transposed, s->n, 1, b);
    if (status != GA_OK) return status;
  }
  return GA_OK;
}

static ga_status sweep_solve(ga_linsol *ls, double *b) {
  return sweep_solve_many(ls, false, 1, b);
}

static int sweep_singular_column(const ga_linsol *ls) {
  const sweep *s = ls->impl;
  return s->full.ops ? s->full.ops->singular_column(&s->full) : -1;
}

/* By a solver that finds all of it, if there is one for so many rows. */
static ga_status sweep_null_space(ga_linsol *ls, const ga_csr *A, ga_null_space *out) {
  sweep *s = ls->impl;
  ga_status status = GA_OK;
  if (!s->reporter.ops) {
    bool mumps = ga_mumps_available(ls->trouble, sizeof ls->trouble);
    s->reporter.ops = mumps ? &ga_linsol_mumps : &ga_linsol_klu;
    if (s->n <= DENSE_REPORT) s->reporter.ops = &ga_linsol_dense;
    status = s->reporter.ops->analyze(&s->reporter, &s->A);
  }
  return status != GA_OK ? status : s->reporter.ops->null_space(&s->reporter, A, out);
}

static void sweep_reset(ga_linsol *ls) {
  sweep *s = ls->impl;
  s->chosen = s->by_sweeps = false;
  s->weak = WEAK;
  s->pause = 0;
  s->pause_next = 1;
  ga_strong_close(&s->strong, true);
  ga_linsol_reset(&s->full);
  ls->cost = (ga_linsol_cost){0};
}

static void sweep_free(ga_linsol *ls) {
  sweep *s = ls->impl;
  if (!s) return;
  ga_strong_free(&s->strong);
  ga_linsol_close(&s->full);
  ga_linsol_close(&s->reporter);
  ga_arena_free(&s->arena);
  ga_free(s);
  ls->impl = NULL;
}

const ga_linsol_ops ga_linsol_weak_entries = {
    .name = "sweep",
    .summary = "strong entries by one of the others, weak ones by sweeps, where that is faster",
    .analyze = sweep_analyze,
    .factor = sweep_factor,
    .solve = sweep_solve,
    .singular_column = sweep_singular_column,
    .reset = sweep_reset,
    .free = sweep_free,
    .solve_many = sweep_solve_many,
    .null_space = sweep_null_space,
};
