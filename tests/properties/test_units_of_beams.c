/* SPDX-License-Identifier: MIT */
/* Beams give the same results in other units: bit by bit where lengths, masses and times are multiplied
 * by powers of two, to rounding in millimetres, kilometres, grams and so on. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "units_counts.h"

/* A beam with every field that has units: a curved reference, K, damping, load, velocities of nodes;
 * and one of a tube, on an arc. */
static void test_fields(void **state) {
  (void)state;
  static const char *const text =
      "genalpha: 1\n"
      "gravity: [0, -9.81, 0]\n"
      "beams:\n"
      "  one:\n"
      "    nodes: [{position: [0, 0, 0]}, {position: [0.4, 0, 0], orientation: {rotation_vector: "
      "[0, 0, 0.1]}}, {position: [0.8, 0.1, 0]}]\n"
      "    reference: {line: {from: [0, 0, 0], to: [0.83, 0, 0], elements: 2}, y_axis: [0, 1, 0]}\n"
      "    section: {K: [[90, 5, 1, 0, 0.3, 0.2], [5, 40, 2, 0, 0.1, 0], [1, 2, 50, 0.4, 0, 0], "
      "[0, "
      "0, 0.4, 6, 0, 0.1], [0.3, 0.1, 0, 0, 8, 0], [0.2, 0, 0, 0.1, 0, 9]], rhoA: 1.3, rhoI: [0.3, "
      "0.2, 0.15]}\n"
      "    damping: [1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3]\n"
      "    load: [1, 2, 3]\n"
      "    node_velocities: [[0, 0, 0, 0, 0, 0], [0, 0.1, 0, 0, 0, 0.3], [0.1, 0, 0.2, 0.1, 0, "
      "0]]\n"
      "  two:\n"
      "    arc: {from: [0, 2, 0], tangent: [1, 0, 0], normal: [0, 1, 0], radius: 0.7, angle: 1.2, "
      "elements: 3}\n"
      "    shape: {tube: {outer: 0.03, inner: 0.02}}\n"
      "    material: {E: 1e6, nu: 0.3, density: 900}\n"
      "    shear: [0.5, 0.6]\n"
      "    damping: 1e-3\n"
      "    velocity: [0, 0, 0]\n"
      "    angular_velocity: [0, 0.2, 0]\n"
      "    formulation: r3so3\n"
      "joints:\n"
      "  clamp: {type: fixed, between: [ground, one.start]}\n"
      "  ball: {type: spherical, between: [ground, two.start]}\n";
  struct model model = {.h = 2e-3};
  bool ran;
  snprintf(model.name, sizeof model.name, "beams");
  model.text = strdup(text);
  assert_int_equal(count_differences(&model, 20, &ran) + count_other_numbers(&model, 20), 0);
  assert_true(ran);
  free(model.text);
}

static void test_models(void **state) {
  (void)state;
  static const char *const models[] = {"elastic-pendulum", "flexible-slider-crank",
                                       "flying-beam",      "right-angle",
                                       "spin-up",          "wind-turbine"};
  int differences = 0;
  for (int i = 0; i < (int)(sizeof models / sizeof models[0]); i++) {
    struct model model = read_model(models[i]);
    bool ran;
    differences += count_differences(&model, 6, &ran) + count_other_numbers(&model, 6);
    assert_true(ran);
    free(model.text);
  }
  assert_int_equal(differences, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
