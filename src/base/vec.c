/* SPDX-License-Identifier: MIT */
/* Loops over contiguous arrays. */
#include <stdint.h>
#include <string.h>

#include "base/base.h"

void ga_axpy(int n, double c, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] += c * x[i];
}

void ga_add_scaled(int n, double c, const double *restrict x, const double *restrict y,
                   double *restrict z) {
  for (int i = 0; i < n; i++) z[i] = y[i] + c * x[i];
}

/* |x| as an integer: doubles without sign order like their bits, NaN above infinity above all
 * numbers; comparing integers takes a fraction of the time. */
static inline uint64_t magnitude(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits & ~(UINT64_C(1) << 63);
}

/* the largest of n magnitudes and of one that is known */
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

/* Whether some magnitude is at least that: then, and only then, a sum reaches the sign bit. A sum
 * and an "or" for each number, which compilers do several at a time. */
static inline bool reach(int n, const double *x, uint64_t least) {
  const uint64_t sign = UINT64_C(1) << 63, lift = sign - least;
  uint64_t sums = 0;
  for (int i = 0; i < n; i++) sums |= magnitude(x[i]) + lift;
  return sums >= sign;
}

enum { PIECE = 32, END = 3, LONG = 128 };

/* the same piece by piece, of a size the compiler knows */
static bool reach_anywhere(int n, const double *x, uint64_t least) {
  int at = 0;
  for (; at + PIECE <= n; at += PIECE) {
    if (reach(PIECE, x + at, least)) return true;
  }
  return reach(n - at, x + at, least);
}

/* Long vectors: a piece is gone through number by number only if something in it is larger than all
 * before. So that this is rare where numbers grow from piece to piece, the ends of all come first.
 */
static uint64_t largest_of_long(int n, const double *x, uint64_t largest) {
  int at = 0;
  for (int i = PIECE; i <= n; i += PIECE) largest = largest_of(END, x + i - END, largest);
  for (; at + PIECE <= n; at += PIECE) {
    if (reach(PIECE, x + at, largest + 1)) largest = largest_of(PIECE, x + at, largest);
  }
  return largest_of(n - at, x + at, largest);
}

double ga_max_abs_from(double known, int n, const double *x) {
  uint64_t bits = magnitude(known);
  bits = n < LONG ? largest_of(n, x, bits) : largest_of_long(n, x, bits);
  memcpy(&known, &bits, sizeof known);
  return known;
}

double ga_max_abs(int n, const double *x) {
  return ga_max_abs_from(0, n, x);
}

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

bool ga_any_above(int n, const double *x, double limit) {
  return reach_anywhere(n, x, magnitude(limit) + 1);
}

int ga_first_nonfinite(int n, const double *x) {
  const uint64_t infinite = UINT64_C(0x7ff) << 52;
  if (!reach_anywhere(n, x, infinite)) return -1;
  int i = 0;
  while (magnitude(x[i]) < infinite) i++;
  return i;
}
