/* SPDX-License-Identifier: MIT */
/* A sphere in a hollow sphere hits, skids, rolls, and begins to slip again at t = 0.85, slowly: there the direction
 * of slip is stiffer than steps of usual size, and turns. Values from an event-driven integration to 1e-12
 * (another program). */
#include "support.h"

static const char text[] =
    "genalpha: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {ball: {mass: 1, inertia: [0.016, 0.016, 0.016], position: [0.1, 0.3, 0.2],\n"
    "  velocity: [0.3, 1, -0.5], angular_velocity: [5, 0, 3]}}\n"
    "contacts: {c: {between: [ground, ball], inside: true, spheres: [1, 0.2], friction: 0.15}}\n";
static const double x_end[3] = {-0.223055448449, -0.689748429701, -0.338368690399};
static const double v_end[6] = {-0.320339574352, -0.462918037068, 1.15480683541,
                                8.25039958238,   -2.53528762665,  1.00472924957};
static const double N_end = 6.21235779;

/* Largest errors at t = 1 of place, velocities and normal force. */
static void run_ball(const char *method, const char *coordinates, double h, double *error) {
  static const char *const names[] = {"ball.x",  "ball.y",  "ball.z",  "ball.vx", "ball.vy",
                                      "ball.vz", "ball.wx", "ball.wy", "ball.wz", "c.n"};
  char whole[700];
  ga_error err = {0};
  ga_file *file = NULL;
  ga_integrator *it = NULL;
  snprintf(whole, sizeof whole, "%scoordinates: %s\n", text, coordinates);
  must(ga_file_parse("ball.yaml", whole, strlen(whole), NULL, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_options o = ga_options_default();
  o.method = method;
  o.h = h;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  must(ga_integrator_run(it, 1), ga_integrator_error(it));
  error[0] = error[1] = error[2] = 0;
  for (int i = 0; i < 10; i++) {
    const int column = ga_mechanism_column_index(m, names[i]), of = i < 3 ? 0 : i < 9 ? 1 : 2;
    assert_true(column >= 0);
    const double known = i < 3 ? x_end[i] : i < 9 ? v_end[i - 3] : N_end;
    const double value = ga_mechanism_output(m, ga_integrator_state(it), column);
    error[of] = fmax(error[of], fabs(value - known));
  }
  ga_integrator_free(it);
  ga_file_free(file);
}

/* Errors fall with h from the first step size on. With d = k/|k| alone they are 5e-4, 4e-2, 6e-3 at h = 0.0025. */
static void the_direction_is_found(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3"}, *const of[] = {"absolute", "joint"};
  for (int k = 0; k < 4; k++) {
    double coarse[3], fine[3];
    run_ball(methods[k / 2], of[k % 2], 0.01, coarse);
    run_ball(methods[k / 2], of[k % 2], 0.0025, fine);
    print_message("%s %s: %.1e %.1e %.1e, %.1e %.1e %.1e\n", methods[k / 2], of[k % 2], coarse[0],
                  coarse[1], coarse[2], fine[0], fine[1], fine[2]);
    for (int i = 0; i < 3; i++) assert_true(fine[i] <= coarse[i] / 8);
    assert_true(coarse[0] < 4e-4 && coarse[1] < 1e-2 && coarse[2] < 1.4e-2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_direction_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
