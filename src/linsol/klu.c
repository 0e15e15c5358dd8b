/* SPDX-License-Identifier: MIT */
/* Sparse LU by SuiteSparse KLU.
 *
 * Factored is R A C, see scaling.h. Our matrices are stored by rows, KLU's by columns: it is given
 * the transpose, analyzes and factors that, and solves with the transposed factors. The ordering is
 * chosen once per pattern. New values are refactored in the old pivot order, which is cheap; a full
 * factorization with new pivots follows when the reciprocal pivot growth has fallen by REPIVOT
 * since the last one, or a pivot vanished. Growth takes a third as long as a refactorization to
 * compute, so it is checked only when the ratio of the extreme pivots has fallen by CHECK.
 *
 * Which ordering fills least depends on the graph of the mechanism. Four are made:
 *
 *   AMD        the graph of A + A^T: chains with few rows in a joint;
 *   BTF        a maximum transversal moves entries to the diagonal, then a block triangular form,
 *              then AMD in each block: driven mechanisms, which have several blocks;
 *   PATTERN    bodies first (ordering.h), partners by the pattern: nets, ball joints;
 *   VALUES     bodies first, partners by the largest entries of the first values: hinges.
 *
 * The first values are factored in all of them; the one of least work is kept (ga_klu_work). */
#include <float.h>
#include <stdint.h>
#include <suitesparse/klu.h>

#include "linsol/ordering.h"
#include "linsol/rank/null_space.h"
#include "linsol/registry.h"

static const double REPIVOT = 1e-3; /* fall of the reciprocal pivot growth */
static const double CHECK = 0.2;    /* fall of the ratio of the extreme pivots */
static const double ALIKE = 1e-3;   /* relative difference of two ways to solve that is rounding */

enum { AMD, BTF, PATTERN, VALUES, ORDERINGS };

typedef struct {
  klu_common common;
  klu_symbolic *ordering[ORDERINGS]; /* BTF: NULL if the structure is singular */
  klu_symbolic *symbolic; /* the one in use, NULL before the first values and after a reset */
  klu_numeric *numeric;
  int n;
  int singular;      /* column of A that depends on the others, -1 if none */
  double growth;     /* reciprocal pivot growth of the last full factorization */
  double best_ratio; /* smallest |pivot| over largest, of the last full factorization */
  double ratio;      /* the same of the factors in use */
  bool by_block;     /* sparse_solve uses solve_block */
  ga_arena arena;
  ga_scaling scale;
  double *val;     /* entries of R A C */
  double *inverse; /* 1/pivot: divisions would take most of the time of a solve */
  ga_null_space_store null;
} klu;

/* The status for a failed call of KLU. */
static ga_status klu_status(const klu *k) {
  return k->common.status == KLU_OUT_OF_MEMORY ? GA_ERR_MEM : GA_ERR_BACKEND;
}

/* Set k->ordering[which] to "bodies first"; val as in ga_ordering_bodies_first. KLU works on the
 * transpose: its columns are the rows of A. False if that fails; k->common.status says why. */
static bool order_bodies_first(klu *k, const ga_csr *A, const ga_linsol_layout *layout,
                               const double *val, int which) {
  ga_arena scratch = {0};
  ga_ordering bodies;
  ga_ordering_init(&bodies, k->n, &scratch);
  klu_free_symbolic(&k->ordering[which], &k->common);
  k->common.status = KLU_OUT_OF_MEMORY;
  k->common.btf = 0;
  if (!scratch.failed && ga_ordering_bodies_first(A, layout, val, &bodies)) {
    k->ordering[which] =
        klu_analyze_given(k->n, A->ptr, A->col, bodies.col, bodies.row, &k->common);
  }
  ga_arena_free(&scratch);
  return k->ordering[which] != NULL;
}

/* Allocate ls->impl and order the pattern of A by AMD, BTF and PATTERN. The first values decide
 * which ordering is used (factor_anew). */
static ga_status sparse_analyze(ga_linsol *ls, const ga_csr *A) {
  klu *k = ga_calloc(1, sizeof *k);
  if (!k) return GA_ERR_MEM;
  ls->impl = k;
  k->n = A->nrow;
  k->singular = -1;
  klu_defaults(&k->common);
  k->common.tol = GA_KLU_TOLERANCE;
  k->common.scale = -1; /* ours is enough */
  ga_scaling_init(&k->scale, k->n, A->ptr[A->nrow], ls->layout, &k->arena);
  k->val = ga_arena_doubles(&k->arena, (size_t)A->ptr[A->nrow]);
  k->inverse = ga_arena_doubles(&k->arena, (size_t)k->n);
  if (k->arena.failed) return GA_ERR_MEM;
  for (int i = AMD; i <= BTF; i++) {
    k->common.btf = i; /* 1: with the block triangular form */
    k->ordering[i] = klu_analyze(k->n, A->ptr, A->col, &k->common);
    /* a structure that is singular is found with its values */
    if (!k->ordering[i] && (i == AMD || k->common.status != KLU_SINGULAR)) return klu_status(k);
  }
  return order_bodies_first(k, A, ls->layout, NULL, PATTERN) ? GA_OK : klu_status(k);
}

/* Number of entries of L, U and the blocks off the diagonal. */
static double entries(const klu_numeric *numeric) {
  return (double)numeric->lnz + (double)numeric->unz + (double)numeric->nzoff;
}

/* Predicted work of a matrix with these factors. */
static double work_of(klu *k, const ga_csr *A, klu_symbolic *symbolic, klu_numeric *numeric) {
  klu_flops(symbolic, numeric, &k->common);
  const ga_ordering_counts counts = {entries(numeric), k->common.flops};
  return ga_linsol_total(ga_klu_work(A, &counts, symbolic->nblocks > 1));
}

/* A factorization of k->val with new pivots, which the caller frees. Without an ordering in use, all
 * are tried, and the one of least work becomes k->symbolic. NULL if KLU fails; k->common.status says
 * why. */
static klu_numeric *factor_anew(klu *k, const ga_csr *A, const ga_linsol_layout *layout) {
  if (k->symbolic) return klu_factor(A->ptr, A->col, k->val, k->symbolic, &k->common);
  if (!order_bodies_first(k, A, layout, k->val, VALUES)) return NULL;
  klu_numeric *best = NULL;
  double least = INFINITY;
  for (int i = 0; i < ORDERINGS; i++) {
    if (!k->ordering[i]) continue;
    klu_numeric *made = klu_factor(A->ptr, A->col, k->val, k->ordering[i], &k->common);
    if (!made) {
      const int status = k->common.status;
      klu_free_numeric(&best, &k->common);
      k->common.status = status;
      k->symbolic = NULL;
      return NULL;
    }
    const double work = work_of(k, A, k->ordering[i], made);
    if (work < least) {
      klu_free_numeric(&best, &k->common);
      best = made;
      least = work;
      k->symbolic = k->ordering[i];
    } else {
      klu_free_numeric(&made, &k->common);
    }
  }
  return best;
}

/* b <- (R A C)^-1 b */
static void solve_scaled(const void *context, double *b) {
  const klu *k = context;
  klu_common common = k->common; /* a solve changes its status only */
  klu_tsolve(k->symbolic, k->numeric, k->n, 1, b, &common);
}

/* ---- solves with the factors of one block ----------------------------------------------------
 *
 * klu_tsolve permutes b, solves, and permutes the result: with R and C these are four passes
 * through b beside the two through the factors. Here everything is done in those two, with the
 * same operations in the same order, but for the divisions by pivots, which are made once for all
 * solves. The factors are read as KLU keeps them: column c of L begins
 * at unit Lip[c] of LUbx[0], first its Llen[c] indices, then, from the next whole unit on, its
 * values; likewise U without its diagonal. block_solve_works checks once per matrix that this is
 * so and that both ways to solve agree; if not, klu_tsolve is used. */

/* x - sum_p value_p X[index_p] over a column of L or U: count indices, then count values */
static inline double reduce(double x, const double *column, int count, const double *X) {
  const int *index = (const int *)(const void *)column;
  const double *value = column + (count + 1) / 2;
  for (int p = 0; p < count; p++) x -= value[p] * X[index[p]];
  return x;
}

/* b <- C F^-1 R b, F = R A C, if F is a single block (k->by_block). Overwrites KLU's work array. */
static void solve_block(const klu *k, double *b) {
  const klu_numeric *f = k->numeric;
  const double *units = f->LUbx[0], *row = k->scale.row, *col = k->scale.col;
  const int *Q = k->symbolic->Q, *P = f->Pnum;
  double *X = f->Xwork;
  for (int c = 0; c < k->n; c++) {
    const int i = Q[c];
    X[c] = reduce(b[i] * row[i], units + f->Uip[c], f->Ulen[c], X) * k->inverse[c];
  }
  for (int c = k->n - 1; c >= 0; c--) {
    const int i = P[c];
    X[c] = reduce(X[c], units + f->Lip[c], f->Llen[c], X);
    b[i] = X[c] * col[i];
  }
}

/* Do the columns of L or U (begins `at`, lengths `length`) lie within the block, with indices from
 * 0 to n - 1? Guards solve_block against another storage format. */
static bool storage_fits(const klu *k, const int *at, const int *length) {
  const double *units = k->numeric->LUbx[0];
  for (int c = 0; c < k->n; c++) {
    if (at[c] < 0 || length[c] < 0 || length[c] >= k->n) return false;
    size_t end = (size_t)at[c] + (size_t)(length[c] + 1) / 2 + (size_t)length[c];
    if (end > k->numeric->LUsize[0]) return false;
    const int *index = (const int *)(const void *)(units + at[c]);
    for (int p = 0; p < length[c]; p++) {
      if (index[p] < 0 || index[p] >= k->n) return false;
    }
  }
  return true;
}

/* Can solve_block be used? One block, storage as described above, and a trial solve that agrees
 * with klu_tsolve, in the units of R A C. Overwrites scale.x and scale.unit. */
static bool block_solve_works(klu *k) {
  double *own = k->scale.x, *theirs = k->scale.unit, apart = 0;
  const klu_numeric *f = k->numeric;
  if (k->symbolic->nblocks != 1 || k->n < 2) return false;
  if (!storage_fits(k, f->Lip, f->Llen) || !storage_fits(k, f->Uip, f->Ulen)) return false;
  for (int i = 0; i < k->n; i++) {
    theirs[i] = 1 + i % 7;
    own[i] = theirs[i] / k->scale.row[i];
  }
  solve_block(k, own);
  if (!klu_tsolve(k->symbolic, k->numeric, k->n, 1, theirs, &k->common)) return false;
  for (int i = 0; i < k->n; i++) {
    apart = ga_larger(apart, fabs(own[i] / k->scale.col[i] - theirs[i]));
  }
  return apart <= ALIKE * ga_max_abs(k->n, theirs);
}

/* Set k->inverse to 1/pivot. Returns smallest |pivot| over largest, 0 if a pivot is zero or not
 * finite. klu_rcond gives the same ratio and takes several times as long. */
static double update_pivots(klu *k) {
  const double *pivot = k->numeric->Udiag;
  double least = ga_min_abs(k->n, pivot), largest = ga_max_abs(k->n, pivot);
  for (int c = 0; c < k->n; c++) k->inverse[c] = 1 / pivot[c];
  return least > 0 && isfinite(largest) ? least / largest : 0;
}

/* Factor k->val with new pivots, replacing k->numeric (NULL if KLU cannot factor it). Sets the
 * pivot growth, ratio and inverse, at the first time by_block, and the cost in ls;
 * GA_RETRY_SINGULAR if a pivot is exactly zero. */
static ga_status full_factor(ga_linsol *ls, const ga_csr *A) {
  klu *k = ls->impl;
  const bool first = !k->symbolic;
  klu_free_numeric(&k->numeric, &k->common);
  k->numeric = factor_anew(k, A, ls->layout);
  ls->repivots++;
  if (!k->numeric) return k->common.status == KLU_SINGULAR ? GA_RETRY_SINGULAR : klu_status(k);
  if (!klu_rgrowth(A->ptr, A->col, k->val, k->symbolic, k->numeric, &k->common)) {
    return klu_status(k);
  }
  k->growth = k->common.rgrowth;
  k->ratio = k->best_ratio = update_pivots(k);
  if (first) k->by_block = block_solve_works(k);
  if (!klu_flops(k->symbolic, k->numeric, &k->common)) return klu_status(k);
  /* flops of both, and two of overhead for every entry of a refactorization */
  double count = entries(k->numeric);
  ls->cost = (ga_linsol_cost){(k->common.flops + 2 * count) / (2 * count), count / ga_csr_nnz(A)};
  return GA_OK;
}

/* Factor k->val in the old pivot order, in place. False if there are no old factors or their pivots
 * are no longer good enough: then full_factor is needed. */
static bool refactor(klu *k, const ga_csr *A) {
  if (!k->numeric) return false;
  if (!klu_refactor(A->ptr, A->col, k->val, k->symbolic, k->numeric, &k->common)) return false;
  k->ratio = update_pivots(k);
  if (k->ratio >= CHECK * k->best_ratio) return true;
  if (!klu_rgrowth(A->ptr, A->col, k->val, k->symbolic, k->numeric, &k->common)) return false;
  return k->common.rgrowth >= REPIVOT * k->growth;
}

/* Times that entries are disturbed: a pivot that is a few roundings may still be zero by chance. */
enum { DISTURBANCES = 3 };

/* A pseudo-random number within +-8 eps; changes the seed *random. */
static double disturbance(uint32_t *random) {
  *random = *random * 1664525u + 1013904223u;
  return 16 * DBL_EPSILON * ((double)*random / 4294967296.0 - 0.5);
}

/* A pivot is exactly zero: find the dependent column and set k->singular. Disturbed entries (in
 * k->val) make the matrix regular, and inverse iteration finds the column. If they do not, the
 * structure is singular and KLU's own answer is used (a column of the transpose, a row of A). No
 * factors are left. */
static void name_dependent(ga_linsol *ls, const ga_csr *A) {
  klu *k = ls->impl;
  uint32_t random = 12345;
  k->singular = k->common.singular_col < k->n ? k->common.singular_col : -1;
  for (int attempt = 0; attempt < DISTURBANCES; attempt++) {
    for (int e = 0; e < A->ptr[A->nrow]; e++) k->val[e] += disturbance(&random);
    if (full_factor(ls, A) != GA_OK) continue;
    k->singular = ga_scaling_dependent(&k->scale, solve_scaled, k);
    break;
  }
  klu_free_numeric(&k->numeric, &k->common);
}

/* Factor A after scaling to R A C: with the old pivots if they are still good, else with new ones.
 * If a pivot is small, inverse iteration decides whether A is singular (k->singular). */
static ga_status factor_in_units(ga_linsol *ls, const ga_csr *A) {
  klu *k = ls->impl;
  k->singular = -1;
  if (!ga_scaling_apply(&k->scale, A, k->val)) return GA_RETRY_NONFINITE;
  if (!refactor(k, A)) {
    ga_status status = full_factor(ls, A);
    if (status == GA_RETRY_SINGULAR) name_dependent(ls, A);
    if (status != GA_OK) return status;
  }
  if (k->ratio > GA_SCALING_SOUND) return GA_OK;
  k->singular = ga_scaling_singular(&k->scale, A, solve_scaled, k, -1);
  return k->singular < 0 ? GA_OK : GA_RETRY_SINGULAR;
}

/* Factor A; GA_RETRY_SINGULAR only if it is singular with new R and C, too. */
static ga_status sparse_factor(ga_linsol *ls, const ga_csr *A) {
  klu *k = ls->impl;
  return ga_scaling_factor(&k->scale, factor_in_units, ls, A);
}

/* X <- F^-1 X or F^-T X, F = R A C; KLU has the factors of F^T */
static bool apply(klu_symbolic *symbolic, klu_numeric *numeric, bool transposed, int nrhs,
                  double *X, klu_common *common) {
  return transposed ? klu_solve(symbolic, numeric, symbolic->n, nrhs, X, common)
                    : klu_tsolve(symbolic, numeric, symbolic->n, nrhs, X, common);
}

/* B <- C F^-1 R B = A^-1 B, or R F^-T C B = A^-T B if transposed, for nrhs columns; F = R A C.
 * GA_ERR_BACKEND if there are no factors. */
static ga_status sparse_solve_many(ga_linsol *ls, bool transposed, int nrhs, double *B) {
  klu *k = ls->impl;
  if (!k->numeric) return GA_ERR_BACKEND;
  const double *from = transposed ? k->scale.col : k->scale.row;
  const double *to = transposed ? k->scale.row : k->scale.col;
  for (int c = 0; c < nrhs; c++) {
    for (int i = 0; i < k->n; i++) B[(size_t)c * (size_t)k->n + (size_t)i] *= from[i];
  }
  if (!apply(k->symbolic, k->numeric, transposed, nrhs, B, &k->common)) return klu_status(k);
  for (int c = 0; c < nrhs; c++) {
    for (int i = 0; i < k->n; i++) B[(size_t)c * (size_t)k->n + (size_t)i] *= to[i];
  }
  return GA_OK;
}

/* b <- A^-1 b; by solve_block if that was found to work. */
static ga_status sparse_solve(ga_linsol *ls, double *b) {
  klu *k = ls->impl;
  if (!k->numeric || !k->by_block) return sparse_solve_many(ls, false, 1, b);
  solve_block(k, b);
  return GA_OK;
}

/* *out: F with all entries disturbed by rounding, and with missing diagonal entries added as such
 * disturbances. So its structure is regular even if that of F is not. Memory from arena. */
static ga_status disturbed_copy(const klu *k, const ga_csr *A, ga_csr *out, ga_arena *arena) {
  uint32_t random = 54321;
  size_t room = (size_t)ga_csr_nnz(A) + (size_t)k->n;
  int at = 0;
  *out = (ga_csr){.nrow = k->n, .ncol = k->n, .ptr = ga_arena_ints(arena, (size_t)k->n + 1)};
  out->col = ga_arena_ints(arena, room);
  out->val = ga_arena_doubles(arena, room);
  if (arena->failed) return GA_ERR_MEM;
  for (int i = 0; i < k->n; i++) {
    bool missing = ga_csr_find(A, i, i) < 0;
    for (int e = A->ptr[i]; e <= A->ptr[i + 1]; e++) {
      bool last = e == A->ptr[i + 1], here = missing && (last || A->col[e] > i);
      if (here) out->col[at] = i, out->val[at++] = disturbance(&random);
      missing = missing && !here;
      if (!last) out->col[at] = A->col[e], out->val[at++] = k->val[e] + disturbance(&random);
    }
    out->ptr[i + 1] = at;
  }
  return GA_OK;
}

/* Three steps of inverse iteration with the given factors: null.right gets an x with F x = O(eps),
 * null.left one with F^T x = O(eps), both of largest entry 1. False if KLU fails. */
static bool inverse_iteration(klu *k, klu_symbolic *symbolic, klu_numeric *numeric) {
  for (int side = 0; side < 2; side++) {
    double *x = side ? k->null.left : k->null.right;
    for (int i = 0; i < k->n; i++) x[i] = ga_scaling_weight(i);
    for (int step = 0; step < 3; step++) {
      if (!apply(symbolic, numeric, side == 1, 1, x, &k->common)) return false;
      double size = ga_max_abs(k->n, x);
      for (int i = 0; i < k->n; i++) x[i] /= size;
    }
  }
  return true;
}

/* One dependency of A into *out (arrays in k->null), by inverse iteration with disturbed values.
 * KLU stops at its first column without a pivot, so the number of dependencies is unknown
 * (out->complete = false). Overwrites k->val, perhaps also R and C. */
static ga_status sparse_null_space(ga_linsol *ls, const ga_csr *A, ga_null_space *out) {
  klu *k = ls->impl;
  ga_arena scratch = {0};
  ga_csr B;
  klu_symbolic *symbolic = NULL;
  klu_numeric *numeric = NULL;
  if (!ga_scaling_apply(&k->scale, A, k->val)) return GA_RETRY_NONFINITE;
  ga_status status = disturbed_copy(k, A, &B, &scratch);
  if (status == GA_OK) status = ga_null_space_room(&k->null, k->n, 1);
  if (status == GA_OK) {
    k->common.btf = 1;
    symbolic = klu_analyze(k->n, B.ptr, B.col, &k->common);
    uint32_t random = 98765;
    for (int attempt = 0; symbolic && !numeric && attempt < DISTURBANCES; attempt++) {
      for (int e = 0; e < ga_csr_nnz(&B) && attempt > 0; e++) B.val[e] += disturbance(&random);
      numeric = klu_factor(B.ptr, B.col, B.val, symbolic, &k->common);
    }
    if (!numeric || !inverse_iteration(k, symbolic, numeric)) status = klu_status(k);
  }
  if (status == GA_OK) {
    ga_null_space_from_bases(&k->null, &k->scale, 1, out);
    out->complete = false;
  }
  klu_free_numeric(&numeric, &k->common);
  klu_free_symbolic(&symbolic, &k->common);
  ga_arena_free(&scratch);
  return status;
}

/* The dependent column that the last factorization found; -1 if none. */
static int sparse_singular_column(const ga_linsol *ls) {
  const klu *k = ls->impl;
  return k->singular;
}

/* Forget scaling, choice of ordering and pivots; orderings by the pattern stay. */
static void sparse_reset(ga_linsol *ls) {
  klu *k = ls->impl;
  k->scale.known = k->by_block = false;
  k->symbolic = NULL;
  ls->cost = (ga_linsol_cost){0};
  klu_free_numeric(&k->numeric, &k->common);
}

/* New scaling and pivots, in the ordering chosen by earlier values. */
static void sparse_repivot(ga_linsol *ls) {
  klu *k = ls->impl;
  k->scale.known = false;
  klu_free_numeric(&k->numeric, &k->common);
}

/* Free ls->impl with everything it holds and set it to NULL; allowed if it is NULL. */
static void sparse_free(ga_linsol *ls) {
  klu *k = ls->impl;
  if (!k) return;
  klu_free_numeric(&k->numeric, &k->common);
  for (int i = 0; i < ORDERINGS; i++) klu_free_symbolic(&k->ordering[i], &k->common);
  ga_null_space_free(&k->null);
  ga_arena_free(&k->arena);
  ga_free(k);
  ls->impl = NULL;
}

/* As sparse_analyze, with pivot tolerance 1e-3. With 0.1, the pivots of a long chain between two
 * supports leave the diagonal one after the other: 400 links fill 100 times more than needed. */
static ga_status loose_analyze(ga_linsol *ls, const ga_csr *A) {
  const ga_status status = sparse_analyze(ls, A);
  if (status == GA_OK) ((klu *)ls->impl)->common.tol = 1e-3;
  return status;
}

#define SPARSE_PHASES                                                                        \
  .factor = sparse_factor, .solve = sparse_solve, .singular_column = sparse_singular_column, \
  .reset = sparse_reset, .free = sparse_free, .solve_many = sparse_solve_many,               \
  .null_space = sparse_null_space, .repivot = sparse_repivot

const ga_linsol_ops ga_linsol_klu_loose = {
    .name = "klu",
    .analyze = loose_analyze,
    SPARSE_PHASES,
};

const ga_linsol_ops ga_linsol_klu = {
    .name = "klu",
    .summary = "sparse LU (SuiteSparse KLU): ordering once, refactorization while pivots are good",
    .analyze = sparse_analyze,
    SPARSE_PHASES,
};
