/* SPDX-License-Identifier: MIT */
/* Loops over contiguous arrays. */
#include <stdint.h>
#include <string.h>

#include "base/base.h"

void ga_axpy(int n, double c, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] += c * x[i];
}

/* |x| as an integer: doubles without sign order like their bits, NaN above infinity above all
 * numbers; comparing integers takes a fraction of the time. */
static inline uint64_t magnitude(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits & ~(UINT64_C(1) << 63);
}

double ga_max_abs(int n, const double *x) {
  uint64_t first = 0, second = 0;
  int i = 0;
  for (; i + 1 < n; i += 2) {
    uint64_t a = magnitude(x[i]), b = magnitude(x[i + 1]);
    first = a > first ? a : first;
    second = b > second ? b : second;
  }
  if (i < n && magnitude(x[i]) > first) first = magnitude(x[i]);
  first = first > second ? first : second;
  double largest;
  memcpy(&largest, &first, sizeof largest);
  return largest;
}

/* The largest exponent plus one is carried into the sign bit, no other: a sum and an "or" for each
 * number, which compilers do several at a time. */
static inline uint64_t carry(double x) {
  return magnitude(x) + (UINT64_C(1) << 52);
}

int ga_first_nonfinite(int n, const double *x) {
  uint64_t carried = 0;
  for (int i = 0; i < n; i++) carried |= carry(x[i]);
  if (carried >> 63 == 0) return -1;
  int i = 0;
  while (carry(x[i]) >> 63 == 0) i++;
  return i;
}
