/* SPDX-License-Identifier: MIT */
/* Coupled subsystems: what the patterns of M, K, C, G and H connect, each by itself. */
#include "step/subsystems.h"

#include "support.h"

static int nothing(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  memset(F, 0, 6 * sizeof(double));
  return 0;
}
static int no_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q, (void)M;
  return 0;
}
static int no_row(void *user, double t, const double *q, double *g) {
  (void)user, (void)t, (void)q;
  g[0] = 0;
  return 0;
}
static int no_speed(void *user, double t, const double *q, const double *v, double *k) {
  (void)user, (void)t, (void)q, (void)v;
  k[0] = 0;
  return 0;
}

/* The subsystems of six velocities whose M, K, C, G, H couple the pairs (i, k) that are given; -1:
 * the pattern is left out. of: six numbers. Returns how many there are. */
static int subsystems_of(const int pair[5][2], int *of) {
  static const ga_model_ops ops = {
      .mass = no_mass, .force = nothing, .holonomic = no_row, .nonholonomic = no_speed};
  int ptr[5][7] = {{0}}, col[5][2];
  ga_csr pattern[5];
  const ga_csr *use[5];
  for (int p = 0; p < 5; p++) {
    const int row = p < 3 ? pair[p][0] : 0, rows = p < 3 ? 6 : 1;
    for (int i = 0; i < rows; i++) ptr[p][i + 1] = ptr[p][i] + (i == row ? 2 : 0);
    col[p][0] = pair[p][0] < pair[p][1] ? pair[p][0] : pair[p][1];
    col[p][1] = pair[p][0] + pair[p][1] - col[p][0];
    pattern[p] = (ga_csr){.nrow = rows, .ncol = 6, .ptr = ptr[p], .col = col[p]};
    use[p] = pair[p][0] < 0 ? NULL : &pattern[p];
  }
  ga_space *space = NULL;
  must(ga_space_rn(6, &space), NULL);
  const ga_model model = {.ops = &ops,
                          .space = space,
                          .nlam = 1,
                          .npsi = 1,
                          .pat_M = use[0],
                          .pat_K = use[1],
                          .pat_C = use[2],
                          .pat_G = use[3],
                          .pat_H = use[4],
                          .scleronomic = true};
  ga_arena arena = {0};
  ga_error err = {0};
  ga_eval eval;
  ga_subsystems s;
  must(ga_eval_init(&eval, &model, &arena, &err), &err);
  must(ga_subsystems_init(&s, &eval, &arena), &err);
  memcpy(of, s.of, 6 * sizeof(int));
  assert_int_equal(s.joint, 0);
  ga_arena_free(&arena);
  ga_space_free(space);
  return s.count;
}

/* All five couple 0 and 1, but one of them, which couples 3 and 5. */
static void each_pattern_connects(void **state) {
  (void)state;
  for (int p = 0; p < 5; p++) {
    int pair[5][2], of[6];
    for (int i = 0; i < 5; i++) pair[i][0] = i == p ? 5 : 0, pair[i][1] = i == p ? 3 : 1;
    assert_int_equal(subsystems_of(pair, of), 4);
    const int expected[] = {0, 0, 1, 2, 3, 2};
    assert_memory_equal(of, expected, sizeof expected);
  }
}

/* 4-2, 2-5, 5-0: one subsystem by three matrices. */
static void connections_add_up(void **state) {
  (void)state;
  const int pair[5][2] = {{4, 2}, {2, 5}, {0, 5}, {1, 1}, {3, 3}};
  const int expected[] = {0, 1, 0, 2, 0, 0};
  int of[6];
  assert_int_equal(subsystems_of(pair, of), 3);
  assert_memory_equal(of, expected, sizeof expected);
}

/* A matrix without a pattern is full. */
static void a_full_matrix_connects_all(void **state) {
  (void)state;
  for (int p = 0; p < 5; p++) {
    int pair[5][2], of[6];
    for (int i = 0; i < 5; i++) pair[i][0] = i == p ? -1 : 0, pair[i][1] = 1;
    /* without a pattern of its own C has that of K */
    assert_int_equal(subsystems_of(pair, of), p == 2 ? 5 : 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_pattern_connects),
                                     cmocka_unit_test(connections_add_up),
                                     cmocka_unit_test(a_full_matrix_connects_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
