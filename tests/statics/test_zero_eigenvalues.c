/* SPDX-License-Identifier: MIT */
/* Zero eigenvalues are found by ranks: pencils with known Jordan blocks of the eigenvalue zero keep
 * all other eigenvalues, with their vectors, and lose exactly the zeros. */
#include <stdlib.h>

#include "statics/linearization.h"
#include "support.h"

enum { MOST = 24 };

/* X <- X B, B -> random orthogonal-like mixing: a product of random plane rotations from both sides
 * keeps eigenvalues: A <- R A R^-1, M <- R M R^-1 with a random well-conditioned R. */
static void mix(int n, double *A, double *M, uint64_t *seed) {
  for (int pass = 0; pass < 3; pass++) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        if (i == j) continue;
        /* row i += f row j, column j -= f column i: a similarity of both */
        const double f = 0.3 * next_uniform(seed);
        for (int c = 0; c < n; c++) {
          A[c * n + i] += f * A[c * n + j];
          M[c * n + i] += f * M[c * n + j];
        }
        for (int r = 0; r < n; r++) {
          A[j * n + r] -= f * A[i * n + r];
          M[j * n + r] -= f * M[i * n + r];
        }
      }
    }
  }
}

/* |A x - s M x| relative to |A| |x| for the vector in column `c` of p->vectors */
static double residual(const ga_pencil *p, const double *A, const double *M, int c) {
  const int n = p->n;
  const double *x = p->vectors + c * n, *y = p->im[c] != 0 ? x + n : NULL;
  const double re = p->re[c], im = p->im[c];
  double most = 0, size = 0;
  for (int i = 0; i < n; i++) {
    double ax = 0, ay = 0, mx = 0, my = 0;
    for (int j = 0; j < n; j++) {
      ax += A[j * n + i] * x[j], mx += M[j * n + i] * x[j];
      if (y) ay += A[j * n + i] * y[j], my += M[j * n + i] * y[j];
      size = fmax(size, fabs(x[j]) + (y ? fabs(y[j]) : 0));
    }
    most = fmax(most, fabs(ax - (re * mx - im * my)));
    most = fmax(most, fabs(ay - (re * my + im * mx)));
  }
  double norm = 0;
  for (int i = 0; i < n * n; i++) norm = fmax(norm, fabs(A[i]));
  return most / (norm * size);
}

/* Blocks of zero of these sizes (0: end), pairs a +- i b, real values c; M = I or with masses. */
typedef struct {
  int block[5];
  double pair[3][2], real[4];
  bool mass;
  int infinite; /* rows of M that are zero */
} pencil_case;

static void check_case(const pencil_case *k, uint64_t *seed) {
  double A[MOST * MOST] = {0}, M[MOST * MOST] = {0}, A0[MOST * MOST] = {0}, M0[MOST * MOST] = {0},
                  noise[MOST];
  int n = 0, zeros = 0, kernel = 0, others = 0;
  const int size = MOST;
  for (int b = 0; k->block[b]; b++, kernel++) {
    for (int i = 0; i < k->block[b]; i++, n++, zeros++) {
      if (i > 0) A[n * size + n - 1] = 1; /* column n, row n - 1 */
    }
  }
  for (int i = 0; i < 3 && k->pair[i][1] != 0; i++, n += 2, others += 2) {
    A[n * size + n] = A[(n + 1) * size + n + 1] = k->pair[i][0];
    A[n * size + n + 1] = -k->pair[i][1];
    A[(n + 1) * size + n] = k->pair[i][1];
  }
  for (int i = 0; i < 4 && k->real[i] != 0; i++, n++, others++) A[n * size + n] = k->real[i];
  const int finite = n;
  for (int i = 0; i < k->infinite; i++, n++) A[n * size + n] = 1 + i;
  /* compact to n x n; masses: M = diag, and A = M J */
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      const double m = i >= finite ? 0 : k->mass ? 1 + 0.5 * i : 1;
      M0[j * n + i] = i == j ? m : 0;
      A0[j * n + i] = (i >= finite ? 1 : m) * A[j * size + i];
    }
  }
  mix(n, A0, M0, seed);
  memcpy(A, A0, sizeof A), memcpy(M, M0, sizeof M);
  for (int i = 0; i < n; i++) noise[i] = 1e-12;
  ga_arena arena = {0};
  ga_error err = {0};
  ga_pencil p = {.n = n, .A = A, .M = M, .noise = noise, .regular = k->infinite == 0};
  must(ga_pencil_eigenvalues(&p, &arena, &err), &err);
  assert_int_equal(p.zeros, zeros);
  assert_int_equal(p.kernel, kernel);
  assert_int_equal(p.count, others + k->infinite);
  int infinite = 0;
  for (int c = 0; c < p.count; c++) {
    if (!isfinite(p.re[c])) {
      infinite++;
      continue;
    }
    double nearest = INFINITY;
    for (int i = 0; i < 3 && k->pair[i][1] != 0; i++) {
      nearest = fmin(nearest, hypot(p.re[c] - k->pair[i][0], fabs(p.im[c]) - k->pair[i][1]));
    }
    for (int i = 0; i < 4 && k->real[i] != 0; i++) {
      nearest = fmin(nearest, hypot(p.re[c] - k->real[i], p.im[c]));
    }
    assert_true(nearest < 1e-9);
    if (p.im[c] >= 0) assert_true(residual(&p, A0, M0, c) < 1e-10);
    if (p.im[c] > 0) c++;
  }
  assert_int_equal(infinite, k->infinite);
  for (int j = 0; j < p.kernel; j++) { /* A x = 0 */
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int l = 0; l < n; l++) sum += A0[l * n + i] * p.null[j * n + l];
      assert_true(fabs(sum) < 1e-11);
    }
  }
  ga_arena_free(&arena);
}

static void jordan_blocks(void **state) {
  (void)state;
  static const pencil_case cases[] = {
      {{0}, {{-0.1, 3}}, {-1, 2}, false, 0},
      {{1, 0}, {{0, 0}}, {-1, 2, 3}, false, 0},
      {{2, 0}, {{-0.1, 3}, {0, 7}}, {-1}, false, 0},
      {{2, 2, 1, 1, 0}, {{-0.7, 4.4}}, {-0.3, -14}, true, 0},
      {{3, 1, 0}, {{0.2, 1}}, {-1e-3}, true, 0},
      {{4, 2, 0}, {{0, 0}}, {5}, false, 0},
      {{2, 1, 0}, {{-1, 2}}, {-3}, true, 2},
      {{2, 2, 2, 0}, {{0, 0}}, {0}, false, 0},
  };
  uint64_t seed = 11;
  for (int repeat = 0; repeat < 50; repeat++) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_case(&cases[i], &seed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(jordan_blocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
