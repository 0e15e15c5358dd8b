/* SPDX-License-Identifier: MIT */
/* The choice of "auto": work in instructions, predicted from sizes, patterns and counts. Nothing is
 * timed, so every machine makes the same choice.
 *
 * A matrix is factored once and solved SOLVES times:
 *
 *     work = factor + SOLVES solve.
 *
 * dense, MUMPS: n, the entries of A, and AMD's counts of an L U and an L D L^T of A + A^T.
 *
 * KLU: the entries and operations of its L U, the least of
 *
 *   - BTF: a maximum transversal moves entries to the diagonal, then AMD, as KLU counts them;
 *   - bodies first (ordering.h): every constraint after a velocity that it holds;
 *   - AMD for A + A^T, if it puts at most one row in DISPLACED without diagonal entry before all of
 *     its neighbours: KLU must take the pivots of such rows elsewhere, which spoils the ordering (in
 *     a chain 2 rows, in a net nearly every constraint);
 *   - up to TRIAL_ROWS rows, the counts of factors of random values in the orders of AMD and BTF.
 *     Exchanges and the unsymmetric pattern make the true counts up to four times smaller than those
 *     of A + A^T; for larger systems random values exchange more than those of mechanisms.
 *
 * On 69 Newton matrices of 9 to 1734 rows the predicted work of KLU is 0.84 to 1.63 times what the
 * counts of its factors give. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <suitesparse/amd.h>
#include <suitesparse/klu.h>

#include "base/csr.h"
#include "linsol/registry.h"

/* Solves for each factorization, a typical number: about 2.6 over twenty problems and models. */
static const double SOLVES = 3;
enum { DISPLACED = 50, TRIAL_ROWS = 400 };
/* MUMPS must be predicted to take at most this part of the work of KLU: the counts for large systems
 * are those of A + A^T, and KLU's L U of an unsymmetric pattern takes less. */
static const double MUMPS_GAIN = 0.75;

/* factor + SOLVES solve */
static double total(ga_linsol_work work) {
  return work.factor + SOLVES * work.solve;
}

/* The same, for others. */
double ga_linsol_total(ga_linsol_work work) {
  return total(work);
}

/* Work of KLU for factors with these counts (instructions of klu_refactor and solve_block, fitted to
 * 69 Newton matrices: within 10 %, and 25 % for solves). blocks: the factors are block triangular,
 * and klu_tsolve solves. */
ga_linsol_work ga_klu_work(const ga_csr *A, const ga_ordering_counts *counts, bool blocks) {
  const double n = A->nrow, nnz = ga_csr_nnz(A);
  return (ga_linsol_work){
      .factor = 7000 + 17 * nnz + 15 * counts->entries + 5.5 * counts->operations,
      .solve = (blocks ? 80 : 33) * n + GA_KLU_ENTRY * counts->entries,
  };
}

/* Work of the dense solver: plain loops up to GA_DENSE_SMALL rows, which pass over zeros (fill is
 * AMD's count of entries of L and U), LAPACK above. Within 30 %. */
static ga_linsol_work dense_work(double n, double fill) {
  if (n <= GA_DENSE_SMALL) {
    return (ga_linsol_work){4000 + 300 * n + 17 * n * n + 1.5 * n * fill, 62 * n + 4.7 * n * n};
  }
  return (ga_linsol_work){1e5 + 45 * n * n + 0.22 * n * n * n, 254 * n + n * n};
}

/* Work of MUMPS, from AMD's counts of an L D L^T; within 30 %, solves within a factor 2. */
static ga_linsol_work mumps_work(double n, double nnz, const double *info) {
  return (ga_linsol_work){2.3e5 + 6100 * n + 145 * nnz + 8 * info[AMD_NMULTSUBS_LDL],
                          3.4e5 + 1800 * n + 4 * info[AMD_LNZ]};
}

/* *best <- the smaller work. */
static void keep_smaller(ga_linsol_work *best, ga_linsol_work other) {
  if (total(other) < total(*best)) *best = other;
}

/* Number of columns without a diagonal entry that come before all of their neighbours in this
 * order; position and early are scratch of n numbers. */
static int count_displaced(const ga_csr *A, const int *order, int *position, int *early) {
  int n = A->nrow, displaced = 0;
  for (int i = 0; i < n; i++) {
    position[order[i]] = i;
    early[i] = ga_csr_find(A, i, i) < 0;
  }
  for (int i = 0; i < n; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int j = A->col[e];
      if (i != j) early[position[i] < position[j] ? j : i] = 0;
    }
  }
  for (int i = 0; i < n; i++) displaced += early[i];
  return displaced;
}

/* val = random numbers, sizes from 1/4 to 1, both signs. */
static void random_values(int nnz, double *val) {
  uint32_t random = 12345;
  for (int e = 0; e < nnz; e++) {
    random = random * 1664525u + 1013904223u;
    double u = (double)random / 4294967296.0;
    val[e] = (u < 0.5 ? -1 : 1) * (0.25 + 0.75 * u);
  }
}

/* *work <- the smaller of *work and the work of KLU with factors of these values in the order of
 * `symbolic`. If KLU cannot factor them, *work stays. */
static void try_values(const ga_csr *A, double *val, klu_symbolic *symbolic, klu_common *common,
                       ga_linsol_work *work) {
  klu_numeric *numeric = klu_factor(A->ptr, A->col, val, symbolic, common);
  if (!numeric) return;
  if (klu_flops(symbolic, numeric, common)) {
    const double entries = (double)numeric->lnz + (double)numeric->unz + (double)numeric->nzoff;
    const ga_ordering_counts counts = {entries, common->flops};
    keep_smaller(work, ga_klu_work(A, &counts, symbolic->nblocks > 1));
  }
  klu_free_numeric(&numeric, common);
}

/* *work <- the smaller of *work and the work of KLU in its own orders, AMD and BTF: by KLU's counts
 * for BTF, and for a small matrix by trial. False if memory runs out. */
static bool klu_orders(const ga_csr *A, double *val, ga_linsol_work *work) {
  klu_common common;
  klu_defaults(&common);
  common.tol = GA_KLU_TOLERANCE;
  common.scale = -1;
  const bool small = A->nrow <= TRIAL_ROWS;
  if (small) random_values(ga_csr_nnz(A), val);
  for (int btf = small ? 0 : 1; btf < 2; btf++) {
    common.btf = btf;
    klu_symbolic *symbolic = klu_analyze(A->nrow, A->ptr, A->col, &common);
    if (!symbolic && common.status == KLU_OUT_OF_MEMORY) return false;
    if (!symbolic) continue; /* the structure is singular */
    if (btf) {
      const ga_ordering_counts counts = {symbolic->lnz + symbolic->unz, symbolic->est_flops};
      keep_smaller(work, ga_klu_work(A, &counts, symbolic->nblocks > 1));
    }
    if (small) try_values(A, val, symbolic, &common, work);
    klu_free_symbolic(&symbolic, &common);
  }
  return true;
}

/* Predict the work of all solvers for the pattern of A into *out. False if memory runs out. */
bool ga_linsol_predict(const ga_csr *A, ga_linsol_prediction *out) {
  ga_arena scratch = {0};
  double info[AMD_INFO], n = A->nrow, nnz = ga_csr_nnz(A);
  ga_ordering order;
  ga_ordering_counts bodies;
  ga_ordering_init(&order, A->nrow, &scratch);
  int *amd = ga_arena_ints(&scratch, (size_t)A->nrow);
  double *val = ga_arena_doubles(&scratch, (size_t)nnz);
  bool known = !scratch.failed && amd_order(A->nrow, A->ptr, A->col, amd, NULL, info) >= AMD_OK;
  if (known) {
    const double fill = 2 * info[AMD_LNZ] + n;
    const ga_ordering_counts counts = {fill + n, 2 * info[AMD_NMULTSUBS_LU] + info[AMD_NDIV]};
    out->rows = A->nrow;
    out->dense = dense_work(n, fill);
    out->mumps = mumps_work(n, nnz, info);
    out->klu = (ga_linsol_work){INFINITY, INFINITY};
    if (DISPLACED * count_displaced(A, amd, order.row, order.col) <= A->nrow) {
      out->klu = ga_klu_work(A, &counts, false);
    }
    known = ga_ordering_bodies_first(A, NULL, NULL, &order) &&
            ga_ordering_count(A, &order, &bodies) && klu_orders(A, val, &out->klu);
    if (known) keep_smaller(&out->klu, ga_klu_work(A, &bodies, false));
  }
  ga_arena_free(&scratch);
  return known;
}

/* Is a dense matrix the best of all, whether or not MUMPS is there? Below 10 rows always. */
static bool dense_is_best(const ga_linsol_prediction *p) {
  return p->rows < 10 || (total(p->dense) <= total(p->klu) && total(p->dense) <= total(p->mumps));
}

/* The solver with the least predicted work among dense, klu and mumps (if its module can be
 * loaded); its work in *work. Below 10 rows always dense. */
const ga_linsol_ops *ga_linsol_fastest(const ga_linsol_prediction *p, ga_linsol_work *work) {
  char trouble[120];
  const double dense = total(p->dense), klu = total(p->klu);
  const double mumps = total(p->mumps) / MUMPS_GAIN;
  *work = p->dense;
  if (dense_is_best(p)) return &ga_linsol_dense;
  /* MUMPS is loaded only if it would be chosen: loading takes milliseconds */
  if (mumps < klu && ga_mumps_available(trouble, sizeof trouble)) {
    *work = p->mumps;
    return &ga_linsol_mumps;
  }
  *work = dense <= klu ? p->dense : p->klu;
  return dense <= klu ? &ga_linsol_dense : &ga_linsol_klu;
}

/* The least work of weak-entries that is possible for A: P has no fill, see weak_entries.c. */
static double least_weak_entries(const ga_csr *A) {
  const ga_ordering_counts none = {ga_csr_nnz(A), 0};
  const ga_linsol_work P = ga_klu_work(A, &none, false);
  return P.factor + SOLVES * ga_weak_entries_solve(A, P.solve);
}

/* The choice for linsol = "auto"; NULL if memory runs out. Unless dense matrices are best of all,
 * weak-entries is preferred if it could be faster; it falls back on the others where it does not
 * pay. `why` gets one line of reasons, at most room characters. */
const ga_linsol_ops *ga_linsol_auto(const ga_csr *A, char *why, size_t room) {
  ga_linsol_prediction p;
  ga_linsol_work work;
  char trouble[120], mumps[160] = "";
  if (!ga_linsol_predict(A, &p)) return NULL;
  const ga_linsol_ops *ops = ga_linsol_fastest(&p, &work);
  if (ops != &ga_linsol_dense) {
    bool missed =
        total(p.mumps) < MUMPS_GAIN * total(p.klu) && !ga_mumps_available(trouble, sizeof trouble);
    snprintf(mumps, sizeof mumps, ", mumps %.2g%s%s", total(p.mumps), missed ? ", but " : "",
             missed ? trouble : "");
  }
  snprintf(why, room, "auto: %d rows, instructions of a matrix: dense %.2g, klu %.2g%s", A->nrow,
           total(p.dense), total(p.klu), mumps);
  if (dense_is_best(&p) || total(work) <= least_weak_entries(A)) return ops;
  return &ga_linsol_weak_entries;
}
