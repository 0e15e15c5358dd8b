/* SPDX-License-Identifier: MIT */
/* Scaling: diagonal R and C of powers of two that bring the largest entry of every row and column
 * of R A C near 1 (Ruiz 2001), as in the solvers of the library. The largest entry of a row is that
 * of the contributions A_p of all processes. R and C are kept while the largest entry of R A C is
 * between 1/FITS and FITS. */
#include <float.h>
#include <math.h>

#include "private.h"

enum { PASSES = 5 };                /* at most, to find R and C */
static const double FITS = 1 << 20; /* see the head of this file */

/* Set s->unit_of, the factor of every entry, from s->row (R) and s->unit (C). */
static void scale_entries(ga_petsc_solver *s) {
  for (int i = 0; i < s->n; i++) {
    double row = s->row[s->partner[i]];
    for (int e = s->ptr[i]; e < s->ptr[i + 1]; e++) s->unit_of[e] = row * s->unit[s->col[e]];
  }
}

/* s->value = R A_p C from the entries `value` of A_p; s->unit_of must be set. Returns the largest
 * |entry| of all processes, infinity if one is not finite. Collective. */
static double multiply(ga_petsc_solver *s, const double *value) {
  double largest = 0, sum = 0;
  for (int e = 0; e < s->nnz; e++) {
    double entry = value[e] * s->unit_of[e], size = fabs(entry);
    s->value[e] = entry;
    sum += 0 * entry; /* NaN, if the entry is not finite */
    largest = size > largest ? size : largest;
  }
  if (!(sum == 0)) largest = INFINITY;
  ga_petsc_largest(s, 1, &largest);
  return largest;
}

/* Divide *scale by sqrt(max), rounded to a power of two. False, with *scale unchanged, if that is 1
 * or max is zero or not finite. */
static bool rescale(double max, double *scale) {
  int exponent = 0;
  if (max > 0 && max <= DBL_MAX) frexp(max, &exponent);
  if (exponent / 2 == 0) return false;
  *scale = ldexp(*scale, -exponent / 2);
  return true;
}

/* One pass over s->row and s->unit halves the exponents of the largest entries of rows and columns.
 * row_max and col_max are scratch, n numbers each. *changed: 0 if all were near 1 on all processes,
 * else 1. Collective. */
static PetscErrorCode rescale_all(ga_petsc_solver *s, const double *value, double *row_max,
                                  double *col_max, double *changed) {
  for (int j = 0; j < s->n; j++) row_max[j] = col_max[j] = 0;
  for (int i = 0; i < s->n; i++) {
    int p = s->partner[i];
    for (int e = s->ptr[i]; e < s->ptr[i + 1]; e++) {
      int j = s->col[e];
      double size = fabs(value[e]) * s->row[p] * s->unit[j];
      row_max[p] = fmax(row_max[p], size);
      col_max[j] = fmax(col_max[j], size);
    }
  }
  GA_TRY(ga_petsc_max_shared(s, row_max));
  GA_TRY(ga_petsc_max_shared(s, col_max));
  bool any = false;
  for (int j = 0; j < s->n; j++) {
    any |= rescale(row_max[j], &s->row[j]);
    any |= rescale(col_max[j], &s->unit[j]);
  }
  *changed = any;
  ga_petsc_largest(s, 1, changed);
  return 0;
}

/* Find R and C (s->row, s->unit) for these entries of A_p, which must be finite, starting from 1:
 * until nothing changes, at most PASSES passes. Collective. */
static PetscErrorCode find_scales(ga_petsc_solver *s, const double *value) {
  double *row_max, *col_max, changed = 1;
  GA_TRY(PetscMalloc2((size_t)s->n, &row_max, (size_t)s->n, &col_max));
  for (int j = 0; j < s->n; j++) s->row[j] = s->unit[j] = 1;
  for (int k = 0; k < PASSES && changed > 0; k++) {
    GA_TRY(rescale_all(s, value, row_max, col_max, &changed));
  }
  return PetscFree2(row_max, col_max);
}

/* s->value = R A_p C, with the old R and C if they fit, else with new ones (s->row, s->unit,
 * s->unit_of, s->scaled). *not_finite: an entry of A on any process is not finite; then s->value
 * is not usable. Collective. */
PetscErrorCode ga_petsc_units(ga_petsc_solver *s, const double *value, bool *not_finite) {
  *not_finite = false;
  if (s->scaled) {
    double largest = multiply(s, value);
    if (largest <= FITS && largest >= 1 / FITS) return 0;
  }
  double finite = 0; /* 1: an entry is not finite */
  for (int e = 0; e < s->nnz; e++) finite = isfinite(value[e]) ? finite : 1;
  ga_petsc_largest(s, 1, &finite);
  *not_finite = finite > 0;
  if (*not_finite) return 0;
  GA_TRY(find_scales(s, value));
  scale_entries(s);
  (void)multiply(s, value);
  s->scaled = true;
  return 0;
}
