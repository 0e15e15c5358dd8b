/* SPDX-License-Identifier: MIT */
/* Small dense algebra and roots of polynomials, for the papers' matrices. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "papers/lab.h"

/* A number evenly distributed in [from, to), by a linear congruential generator; advances *seed. */
double lab_random(uint64_t *seed, double from, double to) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return from + (to - from) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* Gauss-Jordan elimination with row pivots on [A | X], n x n each by rows, in place: A becomes
 * I, X becomes A^-1 X. False if A is singular (a pivot is 0); both are then partly changed. */
static bool eliminate(int n, long double *A, long double *X) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) {
      if (fabsl(A[i * n + k]) > fabsl(A[p * n + k])) p = i;
    }
    long double pivot = A[p * n + k];
    if (!(fabsl(pivot) > 0)) return false;
    for (int j = 0; j < n; j++) {
      long double a = A[p * n + j], x = X[p * n + j];
      A[p * n + j] = A[k * n + j], X[p * n + j] = X[k * n + j];
      A[k * n + j] = a / pivot, X[k * n + j] = x / pivot;
    }
    for (int i = 0; i < n; i++) {
      long double f = A[i * n + k];
      for (int j = 0; i != k && j < n; j++) {
        A[i * n + j] -= f * A[k * n + j];
        X[i * n + j] -= f * X[k * n + j];
      }
    }
  }
  return true;
}

/* Largest column sum of |A|. */
static long double norm1(int n, const long double *A) {
  long double largest = 0;
  for (int j = 0; j < n; j++) {
    long double sum = 0;
    for (int i = 0; i < n; i++) sum += fabsl(A[i * n + j]);
    largest = fmaxl(largest, sum);
  }
  return largest;
}

/* |A|_1 |A^-1|_1; NaN if A is singular or there is no memory. */
long double lab_condition(int n, const long double *A) {
  size_t size = (size_t)n * (size_t)n;
  long double *work = calloc(2 * size, sizeof *work), cond = NAN;
  if (!work) return NAN;
  for (size_t i = 0; i < size; i++) work[i] = A[i];
  for (int i = 0; i < n; i++) work[size + (size_t)(i * n + i)] = 1;
  if (eliminate(n, work, work + size)) cond = norm1(n, A) * norm1(n, work + size);
  free(work);
  return cond;
}

/* C = A B, n x n by rows; C must not overlap A or B. */
void lab_multiply(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += A[i * n + k] * B[k * n + j];
      C[i * n + j] = sum;
    }
  }
}

/* X = A^-1 B, n x n by rows, in long double. False if A is singular or there is no memory. */
bool lab_solve_columns(int n, const double *A, const double *B, double *X) {
  int size = n * n;
  long double *a = calloc(2 * (size_t)size, sizeof *a), *x = a + size;
  if (!a) return false;
  for (int i = 0; i < size; i++) a[i] = A[i], x[i] = B[i];
  bool good = eliminate(n, a, x);
  for (int i = 0; i < size && good; i++) X[i] = (double)x[i];
  free(a);
  return good;
}

/* One Jacobi rotation that makes A[p][q] = 0, p < q; A (symmetric, n x n) and the columns p, q
 * of V are changed in place. */
static void rotate(int n, long double *A, long double *V, int p, int q) {
  long double off = A[p * n + q];
  if (!(fabsl(off) > 0)) return;
  long double theta = (A[q * n + q] - A[p * n + p]) / (2 * off);
  long double t = (theta < 0 ? -1 : 1) / (fabsl(theta) + sqrtl(theta * theta + 1));
  long double c = 1 / sqrtl(t * t + 1), s = t * c;
  for (int k = 0; k < n; k++) {
    long double x = A[k * n + p], y = A[k * n + q];
    A[k * n + p] = c * x - s * y, A[k * n + q] = s * x + c * y;
  }
  for (int k = 0; k < n; k++) {
    long double x = A[p * n + k], y = A[q * n + k], u = V[k * n + p], w = V[k * n + q];
    A[p * n + k] = c * x - s * y, A[q * n + k] = s * x + c * y;
    V[k * n + p] = c * u - s * w, V[k * n + q] = s * u + c * w;
  }
}

/* Eigenvalues of the symmetric A (rising) and eigenvectors as columns of V, by 40 sweeps of Jacobi
 * rotations in long double. The eigenvalues are NaN without memory. */
void lab_eigen(int n, const double *A, double *value, double *V) {
  size_t size = (size_t)n * (size_t)n;
  long double *a = calloc(2 * size, sizeof *a), *v = a + size;
  for (int i = 0; i < n; i++) value[i] = NAN;
  if (!a) return;
  for (size_t i = 0; i < size; i++) a[i] = A[i];
  for (int i = 0; i < n; i++) v[i * n + i] = 1;
  for (int sweep = 0; sweep < 40; sweep++) {
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) rotate(n, a, v, p, q);
    }
  }
  for (int k = 0; k < n; k++) { /* the k-th smallest */
    int at = k;
    for (int j = 0; j < n; j++) {
      int below = 0;
      for (int i = 0; i < n; i++) {
        long double x = a[i * n + i], y = a[j * n + j];
        below += x < y || (!(x > y) && i < j);
      }
      if (below == k) at = j;
    }
    value[k] = (double)a[at * n + at];
    for (int i = 0; i < n; i++) V[i * n + k] = (double)v[i * n + at];
  }
  free(a);
}

/* Number of singular values of A (n x n) above tolerance, as square roots of the eigenvalues of
 * A^T A, so tolerance should be above 1e-8 |A|. -1 without memory. */
int lab_rank(int n, const double *A, double tolerance) {
  size_t size = (size_t)n * (size_t)n;
  double *gram = calloc(2 * size + (size_t)n, sizeof *gram);
  int rank = 0;
  if (!gram) return -1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++) gram[i * n + j] += A[k * n + i] * A[k * n + j];
    }
  }
  double *value = gram + 2 * size;
  lab_eigen(n, gram, value, gram + size);
  for (int i = 0; i < n; i++) rank += value[i] > tolerance * tolerance;
  free(gram);
  return rank;
}

enum { SMALL = 4 };

/* Largest modulus of the roots of c[0] + .. + c[n] z^n (n <= 4, c[n] not 0) by the Weierstrass
 * iteration; roots, if not NULL, receives them as pairs (re, im). */
double lab_largest_root(int n, const double *c, double *roots) {
  double complex z[SMALL];
  double largest = 0;
  for (int i = 0; i < n; i++) z[i] = cpow(0.4 + 0.9 * I, i);
  double change = 1;
  for (int sweep = 0; sweep < 400 && change > 1e-14; sweep++) {
    change = 0;
    for (int i = 0; i < n; i++) {
      double complex value = c[n], others = c[n];
      for (int k = n - 1; k >= 0; k--) value = value * z[i] + c[k];
      for (int j = 0; j < n; j++) others *= j == i ? 1 : z[i] - z[j];
      if (!(cabs(others) > 0)) continue;
      z[i] -= value / others;
      change = fmax(change, cabs(value / others));
    }
  }
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, cabs(z[i]));
    if (roots) roots[2 * i] = creal(z[i]), roots[2 * i + 1] = cimag(z[i]);
  }
  return largest;
}
