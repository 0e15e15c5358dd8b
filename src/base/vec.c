/* SPDX-License-Identifier: MIT */
/* Loops over contiguous arrays. */
#include <stdint.h>
#include <string.h>

#include "base/base.h"

/* y += c x; the arrays must not overlap */
void ga_axpy(int n, double c, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] += c * x[i];
}

/* z = y + c x; the arrays must not overlap */
void ga_add_scaled(int n, double c, const double *restrict x, const double *restrict y,
                   double *restrict z) {
  for (int i = 0; i < n; i++) z[i] = y[i] + c * x[i];
}

/* |x| as an integer: doubles without sign are ordered like their bits, with infinity above all
 * numbers and NaN above infinity. Integer comparisons take a fraction of the time. */
static inline uint64_t magnitude(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits & ~(UINT64_C(1) << 63);
}

/* the largest of n magnitudes and `first` */
static inline uint64_t largest_of(int n, const double *x, uint64_t first) {
  uint64_t second = 0;
  int i = 0;
  for (; i + 1 < n; i += 2) {
    uint64_t a = magnitude(x[i]), b = magnitude(x[i + 1]);
    first = a > first ? a : first;
    second = b > second ? b : second;
  }
  if (i < n && magnitude(x[i]) > first) first = magnitude(x[i]);
  return first > second ? first : second;
}

/* Is some magnitude >= least? Adding 2^63 - least sets the sign bit exactly then. One sum and one
 * "or" per number, which compilers vectorize. */
static inline bool any_at_least(int n, const double *x, uint64_t least) {
  const uint64_t sign = UINT64_C(1) << 63, lift = sign - least;
  uint64_t sums = 0;
  for (int i = 0; i < n; i++) sums |= magnitude(x[i]) + lift;
  return sums >= sign;
}

/* numbers of a piece, those at its end that are looked at first, least length of a long vector */
enum { PIECE = 32, END = 3, LONG = 128 };

/* any_at_least in pieces of a size that the compiler knows, with an early exit */
static bool any_at_least_long(int n, const double *x, uint64_t least) {
  int at = 0;
  for (; at + PIECE <= n; at += PIECE) {
    if (any_at_least(PIECE, x + at, least)) return true;
  }
  return any_at_least(n - at, x + at, least);
}

/* The largest of n magnitudes and `largest`, for long vectors: a piece is searched number by number
 * only if it contains a larger one. The ends of all pieces come first, so that this is rare where
 * numbers grow from piece to piece. */
static uint64_t largest_of_long(int n, const double *x, uint64_t largest) {
  int at = 0;
  for (int i = PIECE; i <= n; i += PIECE) largest = largest_of(END, x + i - END, largest);
  for (; at + PIECE <= n; at += PIECE) {
    if (any_at_least(PIECE, x + at, largest + 1)) largest = largest_of(PIECE, x + at, largest);
  }
  return largest_of(n - at, x + at, largest);
}

/* max of known >= 0 and all |x_i|, NaN if any is NaN */
double ga_max_abs_from(double known, int n, const double *x) {
  uint64_t bits = magnitude(known);
  bits = n < LONG ? largest_of(n, x, bits) : largest_of_long(n, x, bits);
  memcpy(&known, &bits, sizeof known);
  return known;
}

/* largest |x_i|, NaN if any is NaN */
double ga_max_abs(int n, const double *x) {
  return ga_max_abs_from(0, n, x);
}

/* least |x_i|; NaN is ignored, infinite if there is no number */
double ga_min_abs(int n, const double *x) {
  uint64_t first = magnitude(INFINITY), second = first;
  double least;
  int i = 0;
  for (; i + 1 < n; i += 2) {
    uint64_t a = magnitude(x[i]), b = magnitude(x[i + 1]);
    first = a < first ? a : first;
    second = b < second ? b : second;
  }
  if (i < n && magnitude(x[i]) < first) first = magnitude(x[i]);
  first = first < second ? first : second;
  memcpy(&least, &first, sizeof least);
  return least;
}

/* Is some |x_i| > limit >= 0, or NaN? limit must be a number. */
bool ga_any_above(int n, const double *x, double limit) {
  return any_at_least_long(n, x, magnitude(limit) + 1);
}

/* index of the first x_i that is infinite or NaN, -1 if all are finite */
int ga_first_nonfinite(int n, const double *x) {
  const uint64_t infinite = UINT64_C(0x7ff) << 52;
  if (!any_at_least_long(n, x, infinite)) return -1;
  int i = 0;
  while (magnitude(x[i]) < infinite) i++;
  return i;
}
