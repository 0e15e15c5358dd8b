/* SPDX-License-Identifier: MIT */
/* The choice of "auto": times predicted from size and pattern.
 *
 * AMD orders the graph of A + A^T and counts entries and operations of an L U with pivots on the
 * diagonal in this order. KLU needs about as many if the diagonal has pivots. A column without a
 * diagonal entry gets one when a neighbour is eliminated. If the ordering puts such a column before
 * all of its neighbours, KLU must take its pivot elsewhere, and that spoils the ordering. In a
 * chain this happens for 2 columns; in nets and lattices for nearly every constraint. MUMPS pairs
 * such columns with others beforehand. */
#include <stdio.h>
#include <suitesparse/amd.h>

#include "base/csr.h"
#include "linsol/registry.h"

/* Number of columns without a diagonal entry that come before all of their neighbours; position and
 * early are scratch of n numbers. */
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

/* Fill *out with predicted times in ns of one factorization and two solves, from AMD's counts;
 * constants are fitted to measured times. False if memory runs out. */
bool ga_linsol_predict(const ga_csr *A, ga_linsol_prediction *out) {
  ga_arena scratch = {0};
  size_t size = (size_t)A->nrow;
  double info[AMD_INFO], n = A->nrow, nnz = ga_csr_nnz(A);
  int *order = ga_arena_ints(&scratch, size), *position = ga_arena_ints(&scratch, size);
  int *early = ga_arena_ints(&scratch, size);
  bool known = !scratch.failed && amd_order(A->nrow, A->ptr, A->col, order, NULL, info) >= AMD_OK;
  if (known) {
    double displaced = count_displaced(A, order, position, early);
    double lu = info[AMD_NMULTSUBS_LU], ldl = info[AMD_NMULTSUBS_LDL];
    double fill = 2 * info[AMD_LNZ] + n;
    double operation = fill < 3000 ? 0.14 : 0.8; /* factors in the nearest cache, or not */
    out->rows = A->nrow;
    out->fill = fill;
    /* plain loops, which pass over zeros; LAPACK */
    out->dense = A->nrow <= GA_DENSE_SMALL ? 30 + 30 * n + 0.5 * n * n + 0.1 * n * fill
                                           : 40 + 2 * n * n + 0.07 * n * n * n;
    out->klu = 84 + 9 * n + 5 * nnz + 0.4 * fill + lu * (operation + displaced / 18);
    out->mumps = 65e3 + 900 * n + 1.8 * ldl;
  }
  ga_arena_free(&scratch);
  return known;
}

/* The solver with the least predicted time among dense, klu and mumps (if its module can be
 * loaded); *time in ns. */
const ga_linsol_ops *ga_linsol_fastest(const ga_linsol_prediction *p, double *time) {
  char trouble[120];
  *time = p->dense;
  /* klu is preferred at equal times, because its solves are faster; never below 10 rows. */
  bool dense = p->rows < 10 || p->dense <= 0.9 * p->klu;
  if (dense && p->dense <= p->mumps) return &ga_linsol_dense;
  bool mumps = p->mumps < p->klu && ga_mumps_available(trouble, sizeof trouble);
  *time = mumps ? p->mumps : p->klu;
  return mumps ? &ga_linsol_mumps : &ga_linsol_klu;
}

/* The choice for linsol = "auto"; NULL if memory runs out. weak-entries is preferred to sparse
 * solvers unless these are fast already; it falls back on them where it does not pay. `why` gets
 * one line of reasons, at most room characters. */
const ga_linsol_ops *ga_linsol_auto(const ga_csr *A, char *why, size_t room) {
  const double MILLI = 1e-6; /* milliseconds in a nanosecond */
  /* ns; about the time to read all entries a few times: weak-entries cannot be faster */
  const double SHORT = 3 * 8.0 * ga_csr_nnz(A);
  ga_linsol_prediction p;
  char trouble[120], mumps[160] = "";
  double time;
  if (!ga_linsol_predict(A, &p)) return NULL;
  const ga_linsol_ops *ops = ga_linsol_fastest(&p, &time);
  if (ops != &ga_linsol_dense) {
    /* MUMPS is loaded only if it would be chosen: loading takes milliseconds */
    bool missed = p.mumps < p.klu && !ga_mumps_available(trouble, sizeof trouble);
    snprintf(mumps, sizeof mumps, ", mumps %.2g ms%s%s", MILLI * p.mumps, missed ? ", but " : "",
             missed ? trouble : "");
  }
  snprintf(why, room, "auto: %d rows, fill %.3g, dense %.2g ms, klu %.2g ms%s", A->nrow, p.fill,
           MILLI * p.dense, MILLI * p.klu, mumps);
  return ops == &ga_linsol_dense || time <= SHORT ? ops : &ga_linsol_weak_entries;
}
