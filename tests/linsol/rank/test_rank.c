/* SPDX-License-Identifier: MIT */
/* Rank analysis: dependent rows are found, proved by their combinations, and named, by QR and by
 * elimination alike; a long chain of loops is analysed in linear work. */
#include "linsol/rank/rank.h"

#include "support.h"

static uint32_t state_of_random = 1;

static double uniform(void) {
  state_of_random = state_of_random * 1664525u + 1013904223u;
  return (double)(state_of_random >> 8) / 8388608.0 - 1;
}

static int below(int n) {
  return (int)((uniform() + 1) / 2 * n) % n;
}

enum { MOST = 60 };

/* rows in a full array, with the place of their entries kept by the pattern */
typedef struct {
  int m, n, independent;
  double full[MOST * MOST];
  double mass[MOST];
} rows_made;

/* `independent` random sparse rows, then combinations of two or three of them, in mixed order and
 * with lengths from 1e-4 to 1e4 */
static void make_rows(rows_made *r) {
  r->n = 6 + below(MOST - 6);
  r->independent = 1 + below(r->n - 1);
  r->m = r->independent + below(MOST - r->independent);
  memset(r->full, 0, sizeof r->full);
  for (int j = 0; j < r->n; j++) r->mass[j] = pow(10, 2 * uniform());
  for (int i = 0; i < r->independent; i++) {
    for (int k = 0; k < 4; k++) r->full[i * r->n + below(r->n)] = uniform();
    r->full[i * r->n + i] += 2; /* by its diagonal the block is regular */
  }
  for (int i = r->independent; i < r->m; i++) {
    for (int k = 0; k < 3; k++) {
      int of = below(r->independent);
      double c = uniform();
      for (int j = 0; j < r->n; j++) r->full[i * r->n + j] += c * r->full[of * r->n + j];
    }
  }
  for (int i = 0; i < r->m; i++) {
    int other = below(r->m);
    double length = pow(10, 4 * uniform());
    for (int j = 0; j < r->n; j++) {
      double keep = r->full[i * r->n + j];
      r->full[i * r->n + j] = r->full[other * r->n + j];
      r->full[other * r->n + j] = keep;
    }
    for (int j = 0; j < r->n; j++) r->full[i * r->n + j] *= length;
  }
}

/* rows from .. to as a sparse matrix */
static ga_csr sparse_rows(const rows_made *r, int from, int to, ga_arena *arena) {
  ga_csr A;
  must(ga_csr_init(&A, to - from, r->n, NULL, arena), NULL);
  memcpy(A.val, r->full + from * r->n, (size_t)((to - from) * r->n) * sizeof(double));
  return A;
}

/* every dependent row is the combination that the result says, entry by entry */
static void assert_proved(const ga_rank *rank, const rows_made *r) {
  for (int d = 0; d < rank->ndependent; d++) {
    double sum[MOST] = {0}, terms = 0;
    const double *row = r->full + rank->dependent[d] * r->n;
    for (int k = rank->start[d]; k < rank->start[d + 1]; k++) {
      assert_false(rank->dropped[rank->from[k]]);
      assert_false(rank->unique[rank->from[k]]);
      for (int j = 0; j < r->n; j++) {
        double term = rank->coef[k] * r->full[rank->from[k] * r->n + j];
        sum[j] += term;
        terms = fmax(terms, fabs(term));
      }
    }
    for (int j = 0; j < r->n; j++) assert_true(fabs(sum[j] - row[j]) <= 1e-7 * terms);
    assert_true(rank->dropped[rank->dependent[d]] && !rank->unique[rank->dependent[d]]);
    assert_true(rank->residual[d] <= GA_RANK_TOL);
  }
}

static void random_rows(void **state) {
  (void)state;
  static rows_made r;
  for (int trial = 0; trial < 400; trial++) {
    make_rows(&r);
    ga_arena arena = {0};
    int nlam = below(r.m + 1);
    ga_csr G = sparse_rows(&r, 0, nlam, &arena), H = sparse_rows(&r, nlam, r.m, &arena);
    for (int way = GA_RANK_AUTO; way <= GA_RANK_SPARSE; way++) {
      ga_rank rank;
      ga_error err = {0};
      const ga_rank_rows rows = {.G = &G, .H = &H, .mass = r.mass};
      must(ga_rank_analyze(&rank, &rows, (ga_rank_way)way, &err), &err);
      assert_int_equal(rank.rank, r.independent);
      assert_int_equal(rank.ndependent, r.m - r.independent);
      assert_true(rank.least > GA_RANK_TOL && rank.least <= 1 + 1e-12);
      assert_proved(&rank, &r);
      ga_rank_free(&rank);
    }
    ga_arena_free(&arena);
  }
}

/* A row at the distance `away` from the span of two others. */
static int rank_of_three(double away, ga_rank_way way) {
  double val[9] = {1, 2, 0, 0, 1, 0, 2, 3, away};
  int ptr[] = {0, 3, 6, 9}, col[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  ga_csr G = {.nrow = 3, .ncol = 3, .ptr = ptr, .col = col, .val = val};
  ga_rank rank;
  ga_error err = {0};
  must(ga_rank_analyze(&rank, &(ga_rank_rows){.G = &G}, way, &err), &err);
  int found = rank.rank;
  ga_rank_free(&rank);
  return found;
}

/* Squares of 1e-7 are lost in the scalar products; the residual tells the row apart all the same.
 */
static void nearly_dependent(void **state) {
  (void)state;
  for (int way = GA_RANK_AUTO; way <= GA_RANK_SPARSE; way++) {
    assert_int_equal(rank_of_three(1e-6, (ga_rank_way)way), 3);
    assert_int_equal(rank_of_three(2e-7, (ga_rank_way)way), 3);
    assert_int_equal(rank_of_three(1e-9, (ga_rank_way)way), 2);
    assert_int_equal(rank_of_three(0, (ga_rank_way)way), 2);
  }
}

/* A row of rounding errors is a direction like any other, unless its reach tells that it could be larger. */
static void rounding_errors(void **state) {
  (void)state;
  double val[] = {1, 0, 0, 3e-17}, reach[] = {1, 1}, metric[] = {1, 1};
  int ptr[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
  ga_csr G = {.nrow = 2, .ncol = 2, .ptr = ptr, .col = col, .val = val};
  for (int way = GA_RANK_AUTO; way <= GA_RANK_SPARSE; way++) {
    for (int known = 0; known < 3; known++) {
      ga_rank_rows rows = {.G = &G, .reach = known ? reach : NULL, .metric = metric};
      ga_rank rank;
      ga_error err = {0};
      reach[1] = known == 2 ? 1e-12 : 1;
      must(ga_rank_analyze(&rank, &rows, (ga_rank_way)way, &err), &err);
      assert_int_equal(rank.rank, known == 1 ? 1 : 2);
      ga_rank_free(&rank);
    }
  }
}

/* Of two rows of one direction QR keeps the one of the larger weight, with any order and any lengths; the
 * combination of the other is one of the rows as they are. */
static void weights(void **state) {
  (void)state;
  const double metric[] = {1, 1};
  for (int heavy = 0; heavy < 2; heavy++) {
    double val[] = {3, 4, 30, 40}, reach[] = {700, 7000};
    int ptr[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
    const ga_csr G = {.nrow = 2, .ncol = 2, .ptr = ptr, .col = col, .val = val};
    reach[heavy] /= 90;
    const ga_rank_rows rows = {.G = &G, .reach = reach, .metric = metric};
    ga_rank rank;
    ga_error err = {0};
    must(ga_rank_analyze(&rank, &rows, GA_RANK_DENSE, &err), &err);
    assert_int_equal(rank.rank, 1);
    assert_int_equal(rank.dependent[0], 1 - heavy);
    assert_int_equal(rank.from[0], heavy);
    assert_true(fabs(rank.coef[0] * (heavy ? 10 : 0.1) - 1) < 1e-14);
    assert_true(rank.residual[0] < 1e-14 && fabs(rank.least - 1) < 1e-14);
    ga_rank_free(&rank);
  }
}

static void zero_and_infinite(void **state) {
  (void)state;
  double val[] = {0, 0, 1, 3};
  int ptr[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
  ga_csr G = {.nrow = 2, .ncol = 2, .ptr = ptr, .col = col, .val = val};
  static const char *const names[] = {"flat", "steep"};
  for (int way = GA_RANK_AUTO; way <= GA_RANK_SPARSE; way++) {
    ga_rank rank;
    ga_error err = {0};
    char text[200];
    val[0] = 0;
    must(ga_rank_analyze(&rank, &(ga_rank_rows){.G = &G}, (ga_rank_way)way, &err), &err);
    assert_int_equal(rank.rank, 1);
    assert_int_equal(rank.dependent[0], 0);
    assert_true(rank.unique[1]);
    assert_true(ga_rank_sentence(&rank, 2, names, NULL, 0, text, sizeof text));
    assert_string_equal(text, "'flat' follows from nothing: its gradient is zero");
    assert_false(ga_rank_sentence(&rank, 2, names, NULL, 1, text, sizeof text));
    ga_rank_free(&rank);
    val[0] = NAN;
    assert_int_equal(ga_rank_analyze(&rank, &(ga_rank_rows){.G = &G}, (ga_rank_way)way, &err),
                     GA_ERR_ARG);
    ga_rank_free(&rank);
  }
}

static void sentences(void **state) {
  (void)state;
  /* hinge_1 holds x, y; hinge_2 says both again, the second scaled; drive says x + y */
  double val[] = {1, 1, 1, -2, 1, 1};
  int ptr[] = {0, 1, 2, 3, 4, 6}, col[] = {0, 1, 0, 1, 0, 1};
  ga_csr G = {.nrow = 5, .ncol = 2, .ptr = ptr, .col = col, .val = val};
  static const char *const names[] = {"joint hinge_1, row 1", "joint hinge_1, row 2",
                                      "joint hinge_2, row 1", "joint hinge_2, row 2",
                                      "drive motor"};
  ga_rank rank;
  ga_error err = {0};
  char text[200];
  must(ga_rank_analyze(&rank, &(ga_rank_rows){.G = &G}, GA_RANK_SPARSE, &err), &err);
  assert_int_equal(rank.rank, 2);
  assert_true(ga_rank_sentence(&rank, 5, names, NULL, 0, text, sizeof text));
  assert_string_equal(text, "joint 'hinge_2': 2 of its 2 rows follow from 'hinge_1'");
  assert_true(ga_rank_sentence(&rank, 5, names, NULL, 1, text, sizeof text));
  assert_string_equal(text, "drive 'motor' follows from 'hinge_1'");
  assert_false(ga_rank_sentence(&rank, 5, names, NULL, 2, text, sizeof text));
  assert_true(ga_rank_sentence(&rank, 5, NULL, NULL, 2, text, sizeof text));
  assert_string_equal(text, "g[4] follows from g[0], g[1]");
  ga_rank_free(&rank);
}

/* A chain of n cells: each has 3 rows that couple its 3 unknowns with those of the cell before, and
 * a fourth, the sum of its first three and of the first of the cell before. The entries of its
 * combinations are 1 and, since all rows before are kept, nothing else. */
static void long_chain(void **state) {
  (void)state;
  enum { CELLS = 4000, M = 4 * CELLS, N = 3 * CELLS };
  static int ptr[M + 1], col[18 * CELLS];
  static double val[18 * CELLS];
  state_of_random = 7;
  int at = 0;
  for (int c = 0; c < CELLS; c++) {
    double sum[9] = {0}; /* columns of the cells c - 2, c - 1, c */
    for (int i = 0; i < 3; i++) {
      for (int j = c > 0 ? -1 : 0; j < 1; j++) {
        double entry = j == 0 ? 1 + uniform() / 4 : uniform();
        int column = j == 0 ? 3 * c + i : 3 * (c - 1) + i;
        col[at] = column;
        val[at++] = entry;
        sum[6 + column - 3 * c] += entry;
      }
      ptr[4 * c + i + 1] = at;
    }
    if (c > 0) {
      for (int e = ptr[4 * c - 4]; e < ptr[4 * c - 3]; e++) sum[6 + col[e] - 3 * c] += val[e];
    }
    for (int k = 0; k < 9; k++) {
      int column = 3 * c - 6 + k;
      if (column < 0 || sum[k] == 0) continue;
      col[at] = column;
      val[at++] = sum[k];
    }
    ptr[4 * c + 4] = at;
  }
  ga_csr G = {.nrow = M, .ncol = N, .ptr = ptr, .col = col, .val = val};
  ga_rank rank;
  ga_error err = {0};
  must(ga_rank_analyze(&rank, &(ga_rank_rows){.G = &G}, GA_RANK_AUTO, &err), &err);
  assert_int_equal(rank.rank, N);
  for (int d = 0; d < CELLS; d++) {
    assert_int_equal(rank.dependent[d], 4 * d + 3);
    assert_int_equal(rank.start[d + 1] - rank.start[d], d > 0 ? 4 : 3);
    for (int k = rank.start[d]; k < rank.start[d + 1]; k++) {
      assert_true(fabs(rank.coef[k] - 1) < 1e-8);
    }
  }
  ga_rank_free(&rank);
}

/* Differences of three unknowns in G, the unknowns themselves in H: rows of H follow, those of G
 * stay. By lengths alone QR would take two rows of H and leave out one of G. */
static void holonomic_rows_stay(void **state) {
  (void)state;
  rows_made r = {.m = 5, .n = 3, .full = {1, -1, 0, 0, 1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const ga_rank_way ways[] = {GA_RANK_DENSE, GA_RANK_SPARSE, GA_RANK_AUTO};
  ga_arena arena = {0};
  const ga_csr G = sparse_rows(&r, 0, 2, &arena), H = sparse_rows(&r, 2, 5, &arena);
  for (int w = 0; w < 3; w++) {
    ga_rank rank;
    ga_error err = {0};
    must(ga_rank_analyze(&rank, &(ga_rank_rows){.G = &G, .H = &H}, ways[w], &err), &err);
    assert_int_equal(rank.rank, 3);
    assert_true(rank.dependent[0] >= 2 && rank.dependent[1] >= 2);
    assert_proved(&rank, &r);
    ga_rank_free(&rank);
  }
  ga_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_rows),         cmocka_unit_test(nearly_dependent),
      cmocka_unit_test(zero_and_infinite),   cmocka_unit_test(rounding_errors),
      cmocka_unit_test(sentences),           cmocka_unit_test(long_chain),
      cmocka_unit_test(holonomic_rows_stay), cmocka_unit_test(weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
