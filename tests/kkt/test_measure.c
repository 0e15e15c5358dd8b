/* SPDX-License-Identifier: MIT */
/* Sizes in the metric W, of vectors, positions and rows: their values, and that a change of the unit
 * of length changes all of one kind by the same factor. */
#include "kkt/measure.h"

#include "genalpha/ga_space.h"
#include "linsol/rank/rank.h"
#include "support.h"

enum { NV = 3 }; /* two lengths, one angle */

/* a mechanism of length l in units u: q = (3 u, -4 u, 0.5), gradients of a distance and of an angle
 */
typedef struct {
  ga_model model;
  ga_eval eval;
  double w[NV], root[NV], q[NV], val[6];
  int ptr[3], col[6];
  ga_csr G;
} example;

static void make(example *x, ga_space *space, double l, double u) {
  const double w[NV] = {1, 1, l * l * u * u}, q[NV] = {3 * u, -4 * u, 0.5};
  const double val[6] = {0.6, -0.8, 2 * u, 1 / u, 0, 3};
  *x = (example){.ptr = {0, 3, 6}, .col = {0, 1, 2, 0, 1, 2}};
  memcpy(x->w, w, sizeof w), memcpy(x->q, q, sizeof q), memcpy(x->val, val, sizeof val);
  for (int i = 0; i < NV; i++) x->root[i] = sqrt(x->w[i]);
  x->model.space = space;
  x->G = (ga_csr){.nrow = 2, .ncol = NV, .ptr = x->ptr, .col = x->col, .val = x->val};
  x->eval = (ga_eval){.model = &x->model, .nv = NV, .metric = x->w, .root_metric = x->root};
}

static void test_values(void **state) {
  (void)state;
  ga_space *space;
  example x;
  double size[NV];
  assert_int_equal(ga_space_rn(NV, &space), GA_OK);
  make(&x, space, 16, 1);
  const double v[NV] = {5, -7, 0.25}, other[NV] = {5, 1, 1}, nan[NV] = {1, NAN, 2};
  assert_true(ga_measure(&x.eval, v) == 7);                    /* 5, 7, 16 * 0.25 */
  assert_true(ga_measure_difference(&x.eval, v, other) == 12); /* 0, 8, 16 * 0.75 */
  assert_true(isnan(ga_measure(&x.eval, nan)));
  assert_true(ga_measure_position(&x.eval, x.q, size) == 8);             /* 3, 4, 16 * 0.5 */
  assert_true(fabs(ga_measure_reach(&x.eval, &x.G, 0) - 1.525) < 1e-15); /* 0.6 + 0.8 + 2/16 */
  assert_true(fabs(ga_measure_length(&x.eval, &x.G, 0) - sqrt(1 + 1.0 / 64)) < 1e-15);
  ga_space_free(space);
}

/* lengths in other units: sizes of vectors and the reach of a distance row change as they must, bit
 * by bit; those of an angle row by the inverse */
static void test_units(void **state) {
  (void)state;
  const double u = 0x1p-20;
  ga_space *space;
  example x, y;
  double size[NV];
  assert_int_equal(ga_space_rn(NV, &space), GA_OK);
  make(&x, space, 16, 1);
  make(&y, space, 16, u);
  assert_true(ga_measure_position(&y.eval, y.q, size) ==
              u * ga_measure_position(&x.eval, x.q, size));
  assert_true(ga_measure_reach(&y.eval, &y.G, 0) == ga_measure_reach(&x.eval, &x.G, 0));
  assert_true(ga_measure_reach(&y.eval, &y.G, 1) == ga_measure_reach(&x.eval, &x.G, 1) / u);
  assert_true(ga_measure_length(&y.eval, &y.G, 1) == ga_measure_length(&x.eval, &x.G, 1) / u);
  ga_space_free(space);
}

/* a coordinate without mass gets one of its own kind: kg or kg m^2 */
static void test_masses(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const double u = k ? 0x1p-20 : 1, w[NV] = {1, 1, 256 * u * u};
    int ptr[NV + 1] = {0, 1, 2, 3}, col[NV] = {0, 1, 2};
    double val[NV] = {8, 0, 512 * u * u}, mass[NV];
    const ga_csr M = {.nrow = NV, .ncol = NV, .ptr = ptr, .col = col, .val = val};
    ga_rank_masses(&M, w, mass);
    assert_true(mass[0] == 8 && mass[1] == 2 && mass[2] == 512 * u * u); /* least: 512/256 kg */
    val[2] = 0;
    ga_rank_masses(&M, w, mass);
    assert_true(mass[1] == 8 && mass[2] == 8 * 256 * u * u);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_units),
                                     cmocka_unit_test(test_masses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
