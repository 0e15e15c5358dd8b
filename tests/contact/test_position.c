/* SPDX-License-Identifier: MIT */
/* P2: the least motion onto g >= 0 closes what is located and what that closes, and pulls nothing. */
#include <math.h>

#include "genalpha/ga_file.h"
#include "support.h"

/* A rod without weight falls onto two points of it in one step that is not cut: the gaps are -0.01 and
 * -2e-5 at its end. Lifting the first lifts the second by 3.4/4 of it (1/m + a b/J over 1/m + a^2/J). */
static void lifts_without_pulling(void **state) {
  (void)state;
  static const char text[] =
      "genalpha: 1\n"
      "parameters: {phi: asin(0.0998)}\n"
      "bodies: {rod: {kind: planar, mass: 1, inertia: 1/12, orientation: phi,\n"
      "  position: [0, 0.5*sin(phi) + 0.01], velocity: [0, -2]}}\n"
      "contacts: {tip: {between: [ground, rod], points: [[-0.5, 0], [-0.4, 0]]}}\n";
  ga_options o = ga_options_default();
  o.contact = GA_CONTACT_STEP;
  double gap[3];
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_integrator *it = NULL;
  o.h = 0.01;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  must(ga_integrator_run(it, 0.01), ga_integrator_error(it));
  for (int i = 0; i < 2; i++) gap[i] = ga_integrator_contact(it, i).gap;
  const double angle = ga_integrator_state(it)->q[2];
  print_message("gaps %g, %g, angle %g\n", gap[0], gap[1], angle);
  assert_true(fabs(gap[0]) <= 1e-12);
  /* to first order in the motion: the rod turns by -m a w/(J ..) = 6 * 0.01/4 */
  assert_true(fabs(gap[1] - (0.01 * 3.4 / 4 - 2e-5)) <= 1e-4);
  assert_true(fabs(angle - (asin(0.0998) - 0.015)) <= 2e-4);
  ga_integrator_free(it);
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lifts_without_pulling)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
