/* SPDX-License-Identifier: MIT */
/* No wrong step is accepted: hard models (tests/stress) in small number, judged by a checker that
 * uses nothing of src/. `make campaign` is the large version; its options repeat a single run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "stress/run.h"

static const uint64_t seed = 20260; /* that of the campaign */

/* Run a model; a wrong accepted step fails the test with the words that repeat it. */
static stress_outcome judged(const char *what, int index, const stress_model *m) {
  stress_outcome o = stress_run(m);
  if (o.wrong > 0 || o.wrong_start) {
    char text[256];
    stress_describe(m, text, sizeof text);
    fail_msg(
        "campaign --%s --seed %llu --only %d: %s: %ld wrong steps, first at t = %.10g: %s, "
        "row %d, |r| = %.2g, %.2g of its terms",
        what, (unsigned long long)seed, index, text, o.wrong, o.t_wrong,
        stress_fault_name(o.worst.fault), o.worst.row, o.worst.error, o.worst.imbalance);
  }
  return o;
}

static stress_model model;

static void a_mass_between_stops(void **state) {
  (void)state;
  for (int i = 0; stress_grid(&model, i); i += 7) judged("grid", i, &model);
}

static void regularised_friction(void **state) {
  (void)state;
  for (int i = 0; i < 50; i++) {
    stress_friction(&model, seed, i);
    judged("friction 1000", i, &model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mass_between_stops),
      cmocka_unit_test(regularised_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
