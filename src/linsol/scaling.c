/* SPDX-License-Identifier: MIT */
/* Scaling of a matrix to entries near 1 (Ruiz 2001), and singularity in these units. */
#include "linsol/scaling.h"

#include <float.h>
#include <math.h>

enum { PASSES = 5, FITS = 1 << 20 };
/* Limits of the test for singularity: growth |(R A C)^-1 b|/|b| of the first step of inverse
 * iteration, in units of 1/(n eps), and of the second; |sum|/sum|terms| of a row that cancels;
 * relative size below which entries of x are rounding errors. Of 140000 random singular KKT
 * matrices all but 12 are found so, and all with the help of the pivots; of 20000 regular ones
 * none. */
static const double GROWTH = 0.05, GROWTH_AGAIN = 1e6, CANCELLED = 1e-9, NOTHING = 1e-8;

/* Allocate R, C and scratch for n rows and nnz entries; arena->failed is set if memory runs out.
 * The sizes of the layout, if it has them, are borrowed. */
void ga_scaling_init(ga_scaling *scale, int n, int nnz, const ga_linsol_layout *layout,
                     ga_arena *arena) {
  scale->n = n;
  scale->size = layout && !layout->numbering ? layout->size : NULL;
  scale->unit_of = ga_arena_doubles(arena, (size_t)nnz);
  double **const vectors[] = {&scale->row,     &scale->col, &scale->row_max,
                              &scale->col_max, &scale->x,   &scale->unit};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = ga_arena_doubles(arena, (size_t)n);
  }
}

/* Divide *scale by sqrt(max), rounded to a power of two; false if that is 1. If max is zero or not
 * finite, *scale stays. */
static bool rescale(double max, double *scale) {
  int exponent = 0;
  if (max > 0 && max <= DBL_MAX) frexp(max, &exponent);
  const int half = (exponent - (exponent & 1)) / 2; /* the floor, also of negative exponents */
  if (half == 0) return false;
  *scale = ldexp(*scale, -half);
  return true;
}

/* The largest power of two up to max; 1 if max is zero or not finite. */
static double power_of_two(double max) {
  int exponent = 1;
  if (max > 0 && max <= DBL_MAX) frexp(max, &exponent);
  return ldexp(1, exponent - 1);
}

/* The scales of velocities and constraints, with s the size of a velocity and m, one mass, the
 * largest |A_ij|/(s_i s_j) of the velocities:
 *
 *   column of a velocity: 1/s             its row, the balance of forces: 1/(s m)
 *   row of a constraint:  1/largest |A_ij|/s_j; 0 for a row without velocities
 *
 * Overwrites row_max. */
static void scale_velocities(ga_scaling *scale, const ga_csr *A) {
  const double *size = scale->size;
  double mass = 0;
  for (int i = 0; i < scale->n; i++) {
    scale->col[i] = size[i] > 0 ? 1 / power_of_two(size[i]) : 1;
  }
  for (int i = 0; i < scale->n; i++) {
    double largest = 0;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      const int j = A->col[e];
      if (size[j] > 0) largest = fmax(largest, fabs(A->val[e]) * scale->col[j]);
    }
    scale->row_max[i] = largest;
    if (size[i] > 0) mass = fmax(mass, largest * scale->col[i]);
  }
  for (int i = 0; i < scale->n; i++) {
    scale->row[i] = size[i] > 0             ? scale->col[i] / power_of_two(mass)
                    : scale->row_max[i] > 0 ? 1 / power_of_two(scale->row_max[i])
                                            : 0;
  }
}

/* Begin with scales in which R A C does not depend on units: scale_velocities, then for the column
 * of a multiplier 1 over its largest entry in these rows, that of the diagonal left out, so that a
 * symmetric A stays symmetric; at last rows of multipliers alone (friction), 1 over their largest entry.
 * Ones if the sizes are not known. Overwrites row_max and col_max. */
static void begin_scales(ga_scaling *scale, const ga_csr *A) {
  for (int i = 0; i < scale->n; i++) scale->row[i] = scale->col[i] = 1;
  if (!scale->size) return;
  scale_velocities(scale, A);
  for (int j = 0; j < scale->n; j++) scale->col_max[j] = 0;
  for (int i = 0; i < scale->n; i++) scale->row_max[i] = 0; /* the diagonal */
  for (int i = 0; i < scale->n; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      const int j = A->col[e];
      double *largest = i == j ? &scale->row_max[j] : &scale->col_max[j];
      *largest = fmax(*largest, fabs(A->val[e]) * scale->row[i]);
    }
  }
  for (int j = 0; j < scale->n; j++) {
    const double largest = scale->col_max[j] > 0 ? scale->col_max[j] : scale->row_max[j];
    if (!(scale->size[j] > 0)) scale->col[j] = 1 / power_of_two(largest);
  }
  for (int i = 0; i < scale->n; i++) {
    if (scale->row[i] > 0) continue;
    double largest = 0;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      largest = fmax(largest, fabs(A->val[e]) * scale->col[A->col[e]]);
    }
    scale->row[i] = 1 / power_of_two(largest);
  }
}

/* Find R and C (scale->row, scale->col), powers of two, for a finite A. Every pass halves the
 * exponents of the largest entries; a matrix in good units needs one pass. Overwrites row_max and
 * col_max. */
static void find_scales(ga_scaling *scale, const ga_csr *A) {
  int n = scale->n;
  begin_scales(scale, A);
  bool changed = true;
  for (int pass = 0; pass < PASSES && changed; pass++) {
    for (int j = 0; j < n; j++) scale->col_max[j] = 0;
    for (int i = 0; i < n; i++) {
      double row = scale->row[i], row_max = 0;
      for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
        double size = fabs(A->val[e]) * row * scale->col[A->col[e]];
        double *col_max = &scale->col_max[A->col[e]];
        row_max = size > row_max ? size : row_max;
        *col_max = size > *col_max ? size : *col_max;
      }
      scale->row_max[i] = row_max;
    }
    changed = false;
    for (int i = 0; i < n; i++) {
      changed |= rescale(scale->row_max[i], &scale->row[i]);
      changed |= rescale(scale->col_max[i], &scale->col[i]);
    }
  }
}

/* unit_of[e] = R_i C_j, the factor of every entry of A. */
static void set_entry_units(ga_scaling *scale, const ga_csr *A) {
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      scale->unit_of[e] = scale->row[i] * scale->col[A->col[e]];
    }
  }
}

/* to[e] = from[e] unit[e]: the entries of R A C. */
static void multiply(int nnz, const double *restrict unit, const double *restrict from,
                     double *restrict to) {
  for (int e = 0; e < nnz; e++) to[e] = from[e] * unit[e];
}

/* The same, in pieces of the size of the cache, with a check: false if an entry is above FITS or
 * not finite, or if all are below 1/FITS. Then the old R and C do not fit any more. */
static bool multiply_fitting(int nnz, const double *unit, const double *from, double *to) {
  enum { PIECE = 512 };
  bool seen = nnz == 0;
  for (int at = 0, n; at < nnz; at += n) {
    n = nnz - at < PIECE ? nnz - at : PIECE;
    multiply(n, unit + at, from + at, to + at);
    if (ga_any_above(n, to + at, FITS)) return false;
    seen = seen || ga_any_above(n, to + at, 1.0 / FITS);
  }
  return seen;
}

/* val = R A C, nnz numbers, with the old R and C if they still fit (scale->known), else with new
 * ones. False if A is not finite: val is then not to be used. */
bool ga_scaling_apply(ga_scaling *scale, const ga_csr *A, double *val) {
  int nnz = A->ptr[A->nrow];
  if (scale->known && multiply_fitting(nnz, scale->unit_of, A->val, val)) return true;
  if (ga_first_nonfinite(nnz, A->val) >= 0) return false;
  find_scales(scale, A);
  set_entry_units(scale, A);
  multiply(nnz, scale->unit_of, A->val, val);
  scale->known = true;
  return true;
}

/* Returns factor(ls, A), which must call ga_scaling_apply. If A is singular with R and C of earlier
 * values, call it once more with new ones: old ones can make a regular matrix look singular. */
ga_status ga_scaling_factor(ga_scaling *scale, ga_status (*factor)(ga_linsol *ls, const ga_csr *A),
                            ga_linsol *ls, const ga_csr *A) {
  const bool kept = scale->known;
  const ga_status status = factor(ls, A);
  if (status != GA_RETRY_SINGULAR || !kept) return status;
  scale->known = false;
  return factor(ls, A);
}

/* Entry i of a start vector: alternating signs, sizes from 0.5 to 1 by the golden ratio, no two
 * equal. */
double ga_scaling_weight(int i) {
  return (i % 2 ? -0.5 : 0.5) * (1 + fmod(0.6180339887498949 * i, 1));
}

/* scale->x <- (R A C)^-1 b, where b has the size |R A C| unit, entry by entry, with the signs and
 * weights of ga_scaling_weight. solve(context, b) applies the inverse in place. */
static void inverse_step(ga_scaling *scale, const ga_csr *A,
                         void (*solve)(const void *context, double *b), const void *context) {
  for (int i = 0; i < scale->n; i++) {
    double sum = 0;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int j = A->col[e];
      sum += fabs(A->val[e]) * scale->col[j] * scale->unit[j];
    }
    scale->x[i] = ga_scaling_weight(i) * scale->row[i] * sum;
  }
  solve(context, scale->x);
}

/* Index of the largest |x_i/unit_i| in scale->x, or of the first NaN. */
static int largest_entry(const ga_scaling *scale) {
  int at = 0;
  double largest = -1;
  for (int i = 0; i < scale->n; i++) {
    double size = fabs(scale->x[i]) / scale->unit[i];
    if (size <= largest) continue;
    at = i;
    largest = size;
    if (isnan(size)) break;
  }
  return at;
}

/* Does every row of R A C x cancel to CANCELLED of its terms? Entries of x below NOTHING * size,
 * size the largest entry, may be rounding errors and are left out. */
static bool rows_cancel(const ga_scaling *scale, const ga_csr *A, double size) {
  for (int i = 0; i < scale->n; i++) {
    double sum = 0, terms = 0;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int j = A->col[e];
      if (fabs(scale->x[j]) < NOTHING * size) continue;
      double term = A->val[e] * scale->col[j] * scale->x[j];
      sum += term;
      terms += fabs(term);
    }
    if (!(fabs(sum) <= CANCELLED * terms)) return false;
  }
  return true;
}

/* One step of inverse iteration from x_i = ga_scaling_weight(i); returns the index of the largest
 * entry, the column that most likely depends on others. Overwrites scale->x and unit. */
int ga_scaling_dependent(ga_scaling *scale, void (*solve)(const void *context, double *b),
                         const void *context) {
  for (int i = 0; i < scale->n; i++) {
    scale->unit[i] = 1;
    scale->x[i] = ga_scaling_weight(i);
  }
  solve(context, scale->x);
  return largest_entry(scale);
}

/* The column of A that depends on the others, -1 if A is regular: one step of inverse iteration,
 * and if it grows, the two further conditions of scaling.h. solve applies (R A C)^-1 in place.
 * noise: a column whose pivot is only rounding, -1 if none; returned if nothing grows. Overwrites
 * scale->x and unit. */
int ga_scaling_singular(ga_scaling *scale, const ga_csr *A,
                        void (*solve)(const void *context, double *b), const void *context,
                        int noise) {
  int n = scale->n;
  for (int i = 0; i < n; i++) scale->unit[i] = 1;
  inverse_step(scale, A, solve, context);
  int column = largest_entry(scale);
  double size = fabs(scale->x[column]);
  if (size <= GROWTH / (n * DBL_EPSILON)) return noise;
  if (noise >= 0 || !(size <= DBL_MAX) || rows_cancel(scale, A, size)) return column;
  /* |A^-1| |A| >= I: no entry is smaller than it was */
  for (int i = 0; i < n; i++) scale->unit[i] = fmax(fabs(scale->x[i]), 1) / size;
  inverse_step(scale, A, solve, context);
  int again = largest_entry(scale);
  return fabs(scale->x[again]) / scale->unit[again] <= GROWTH_AGAIN ? -1 : column;
}
