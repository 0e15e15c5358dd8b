/* SPDX-License-Identifier: MIT */
/* Rows of cut joints that compare two places which the tree moves almost alike: their gradients are small
 * differences, their rounding errors are those of the places (ga_model.row_reach). Newton's iteration must
 * not try to close them better than that, and of several such rows the longest must be kept. */
#include <stdlib.h>

#include "support.h"

/* A slide between two bodies that another joint locks. */
#define LOCKED                                                                                   \
  "genalpha: 1\n"                                                                                \
  "gravity: [0, 0, -9]\n"                                                                        \
  "bodies:\n"                                                                                    \
  "  b0: {mass: 1, inertia: [0.1, 0.12, 0.07], position: [0, 0, 0]}\n"                           \
  "  b1: {mass: 1.9, inertia: [0.13, 0.17, 0.11], position: [0.7, 1.1, 0.3]}\n"                  \
  "joints:\n"                                                                                    \
  "  hinge: {type: revolute, between: [ground, b0], at: [0.3, 0.1, 0.7], axis: [0.3, 0.4, 1]}\n" \
  "  slide: {type: prismatic, between: [b0, b1], at: [0, 0, 0], axis: [0, 0, 1]}\n"

enum { STEPS = 100 };

/* Newton iterations of STEPS steps of h = 1 ms; *force: the column of this name at the end, unless NULL. */
static long iterations_of(const char *text, const char *coordinates, const char *method,
                          const char *column, double *force) {
  const ga_file_options with = {.coordinates = coordinates};
  ga_file *file = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};
  ga_options o = ga_options_default();
  o.h = 1e-3;
  o.method = method;
  o.redundant = GA_REDUNDANT_ALLOW;
  must(ga_file_parse("weak", text, strlen(text), &with, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), &err);
  must(ga_integrator_run(it, STEPS * o.h), ga_integrator_error(it));
  const long iterations = ga_integrator_stats(it)->newton_its;
  if (column) {
    double *values = calloc((size_t)ga_mechanism_columns(m), sizeof *values);
    assert_non_null(values);
    must(ga_mechanism_outputs(m, ga_integrator_state(it), values), &err);
    *force = values[ga_mechanism_column_index(m, column)];
    free(values);
  }
  ga_integrator_free(it);
  ga_file_free(file);
  return iterations;
}

/* A link whose direction leaves the slide by 0.1 to 1e-5 only: it took up to 13 iterations a step. */
static void a_link_across_the_slide(void **state) {
  (void)state;
  static const char *const height[] = {"0.3", "0.39", "0.399", "0.3999", "0.39999"};
  for (int i = 0; i < 5; i++) {
    char text[1200];
    snprintf(text, sizeof text,
             LOCKED
             "  link: {type: distance, between: [b0, b1], "
             "at: {b0: [-0.9, -0.2, %s], b1: [0.3, 0.2, 0.1]}}\n",
             height[i]);
    assert_in_range(iterations_of(text, "joint", "stab2", NULL, NULL), STEPS, STEPS + STEPS / 4);
    assert_in_range(iterations_of(text, "joint", "index3", NULL, NULL), STEPS, 2 * STEPS);
  }
}

/* A cylindrical joint whose axis leaves the slide by 0.4 in one direction and by a thousandth in the other:
 * one of its two rows of places is enough, and it carries the force, about as in absolute coordinates. The
 * other would need a force a thousand times as large. */
static void the_longer_of_two_rows(void **state) {
  (void)state;
  static const char text[] = LOCKED
      "  sleeve: {type: cylindrical, between: [b0, b1], at: [-0.9, -0.2, 0.3], axis: [0.4, 0.001, "
      "1], "
      "x_axis: [1, 0, -0.4]}\n";
  for (int k = 0; k < 2; k++) {
    static const char *const method[] = {"stab2", "index3"}, *const column[] = {"slide.fx",
                                                                                "slide.fy"};
    double joint[2], absolute[2];
    for (int i = 0; i < 2; i++) {
      assert_in_range(iterations_of(text, "joint", method[k], column[i], &joint[i]), STEPS,
                      STEPS + STEPS / 4);
      iterations_of(text, "absolute", method[k], column[i], &absolute[i]);
    }
    assert_true(fabs(joint[0] - absolute[0]) < 0.01 * fabs(absolute[0]));
    assert_true(fabs(joint[1]) < 0.1 * fabs(absolute[0]));
  }
}

/* Joints between bodies that the tree holds together: no freedom is in their rows, which follow. The motion, in
 * bits, and the force of the joint that carries both bodies are those without them; with the tree they share the
 * load between the bodies. */
static void rows_of_no_freedom(void **state) {
  (void)state;
#define WELDED                                                                                   \
  "genalpha: 1\n"                                                                                \
  "gravity: [1, 0, -9]\n"                                                                        \
  "bodies:\n"                                                                                    \
  "  b0: {mass: 1, inertia: [0.1, 0.12, 0.07], position: [0, 0, 0]}\n"                           \
  "  b1: {mass: 1.9, inertia: [0.13, 0.17, 0.11], position: [0.7, 1.1, 0.3]}\n"                  \
  "joints:\n"                                                                                    \
  "  hinge: {type: revolute, between: [ground, b0], at: [0.3, 0.1, 0.7], axis: [0.3, 0.4, 1]}\n" \
  "  weld: {type: fixed, between: [b0, b1], at: [0, 0, 0]}\n"
  static const char *const idle = WELDED
      "  again: {type: fixed, between: [b1, b0], at: [0.2, 0, 1]}\n"
      "  ball: {type: spherical, between: [b0, b1], at: [1, 0, 0]}\n"
      "  rod: {type: distance, between: [b0, b1], at: {b0: [0, 0, 1], b1: [0.1, 0, 0]}}\n"
      "  skate: {type: knife_edge, between: [b0, b1], at: {b1: [0.1, 0, 0]}, direction: {b1: [1, "
      "0, 0]}}\n";
  static const char *const column[] = {"b1.x", "b1.wz", "hinge.fx", "hinge.my"};
  static const char *const method[] = {"stab2", "index3", "soi2"};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 4; i++) {
      double with, without;
      iterations_of(idle, "joint", method[k], column[i], &with);
      iterations_of(WELDED, "joint", method[k], column[i], &without);
      assert_true(fabs(without) > 0.01);
      assert_true(fabs(with - without) <= (i < 2 ? 0 : 1e-12) * fabs(without));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_link_across_the_slide),
                                     cmocka_unit_test(the_longer_of_two_rows),
                                     cmocka_unit_test(rows_of_no_freedom)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
