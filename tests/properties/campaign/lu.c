/* SPDX-License-Identifier: MIT */
/* Linear equations in long double, see lu.h. */
#include "lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool hard_lu_open(hard_lu *lu, int n) {
  size_t size = (size_t)n;
  if (n > lu->room) {
    hard_lu_close(lu);
    lu->A = malloc(sizeof *lu->A * size * size);
    lu->pivot = malloc(sizeof *lu->pivot * size);
    lu->last = malloc(sizeof *lu->last * size);
    lu->row = malloc(sizeof *lu->row * size);
    lu->col = malloc(sizeof *lu->col * size);
    if (!lu->A || !lu->pivot || !lu->last || !lu->row || !lu->col) {
      hard_lu_close(lu);
      return false;
    }
    lu->room = n;
  }
  lu->n = n;
  memset(lu->A, 0, sizeof *lu->A * size * size);
  return true;
}

void hard_lu_close(hard_lu *lu) {
  free(lu->A);
  free(lu->pivot);
  free(lu->last);
  free(lu->row);
  free(lu->col);
  *lu = (hard_lu){0};
}

/* The power of two just above x; 1 for 0. */
static long double power(long double x) {
  int e = 0;
  if (x > 0 && isfinite(x)) frexpl(x, &e);
  return ldexpl(1, e);
}

/* Largest entries of rows and columns near 1, and the ends of the rows. */
static void scale(hard_lu *lu) {
  int n = lu->n;
  for (int j = 0; j < n; j++) lu->col[j] = 0;
  for (int i = 0; i < n; i++) {
    long double most = 0, *a = lu->A + (size_t)i * (size_t)n;
    for (int j = 0; j < n; j++) most = fmaxl(most, fabsl(a[j]));
    lu->row[i] = 1 / power(most);
    for (int j = 0; j < n; j++) lu->col[j] = fmaxl(lu->col[j], fabsl(a[j]) * lu->row[i]);
  }
  for (int j = 0; j < n; j++) lu->col[j] = 1 / power(lu->col[j]);
  for (int i = 0; i < n; i++) {
    long double *a = lu->A + (size_t)i * (size_t)n;
    lu->last[i] = 0;
    for (int j = 0; j < n; j++) {
      a[j] *= lu->row[i] * lu->col[j];
      if (a[j] != 0) lu->last[i] = j + 1;
    }
  }
}

static void exchange(hard_lu *lu, int c, int p) {
  size_t n = (size_t)lu->n;
  long double *a = lu->A + (size_t)c * n, *b = lu->A + (size_t)p * n;
  int last = lu->last[c];
  lu->pivot[c] = p;
  if (c == p) return;
  for (size_t j = 0; j < n; j++) {
    long double x = a[j];
    a[j] = b[j];
    b[j] = x;
  }
  lu->last[c] = lu->last[p];
  lu->last[p] = last;
}

bool hard_lu_factor(hard_lu *lu) {
  size_t n = (size_t)lu->n;
  scale(lu);
  for (int c = 0; c < lu->n; c++) {
    int best = c;
    for (int i = c + 1; i < lu->n; i++) {
      if (fabsl(lu->A[(size_t)i * n + (size_t)c]) > fabsl(lu->A[(size_t)best * n + (size_t)c]))
        best = i;
    }
    exchange(lu, c, best);
    const long double *u = lu->A + (size_t)c * n;
    if (!(fabsl(u[c]) > 0) || !isfinite(u[c])) return false;
    for (int i = c + 1; i < lu->n; i++) {
      long double *a = lu->A + (size_t)i * n;
      if (a[c] == 0) continue;
      a[c] /= u[c];
      for (int j = c + 1; j < lu->last[c]; j++) a[j] -= a[c] * u[j];
      if (lu->last[i] < lu->last[c]) lu->last[i] = lu->last[c];
    }
  }
  return true;
}

void hard_lu_solve(const hard_lu *lu, long double *b) {
  size_t n = (size_t)lu->n;
  for (int i = 0; i < lu->n; i++) b[i] *= lu->row[i];
  for (int c = 0; c < lu->n; c++) {
    long double x = b[lu->pivot[c]];
    b[lu->pivot[c]] = b[c];
    b[c] = x;
  }
  for (int i = 0; i < lu->n; i++) {
    const long double *a = lu->A + (size_t)i * n;
    for (int j = 0; j < i; j++) {
      if (a[j] != 0) b[i] -= a[j] * b[j];
    }
  }
  for (int i = lu->n - 1; i >= 0; i--) {
    const long double *a = lu->A + (size_t)i * n;
    for (int j = i + 1; j < lu->last[i]; j++) b[i] -= a[j] * b[j];
    b[i] /= a[i];
  }
  for (int i = 0; i < lu->n; i++) b[i] *= lu->col[i];
}
