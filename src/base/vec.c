/* SPDX-License-Identifier: MIT */
/* Loops over contiguous arrays. */
#include <math.h>

#include "base/base.h"

void ga_axpy(int n, double c, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] += c * x[i];
}

double ga_max_abs(int n, const double *x) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double size = fabs(x[i]);
    if (isnan(size)) return size;
    if (size > largest) largest = size;
  }
  return largest;
}

int ga_first_nonfinite(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * 0.0;
  if (sum == 0) return -1;
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) return i;
  }
  return -1;
}
