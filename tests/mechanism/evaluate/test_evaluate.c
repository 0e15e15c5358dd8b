/* SPDX-License-Identifier: MIT */
/* Messages about functions that are not finite: they name the element, the field and the values of
 * its variables. */
#include "genalpha/ga_file.h"
#include "mechanisms.h"

/* a pendulum that falls, with one more line */
static ga_status pendulum(const char *line, const char *coordinates, ga_file **file,
                          ga_error *err) {
  char text[800];
  const ga_file_options options = {.coordinates = coordinates};
  snprintf(text, sizeof text,
           "genalpha: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
           "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
           "joints:\n"
           "  pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}\n"
           "%s\n",
           line);
  return ga_file_parse("m.yaml", text, strlen(text), &options, file, err);
}

/* the message of the build or of the run */
static void run_pendulum(const char *line, char *message, size_t room) {
  ga_error err = {0};
  ga_file *file = NULL;
  if (pendulum(line, NULL, &file, &err) != GA_OK) {
    snprintf(message, room, "%s", err.text);
    return;
  }
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_options o = ga_options_default();
  o.h = 1e-3;
  ga_integrator *it = NULL;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  ga_status status = ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m));
  if (status == GA_OK) status = ga_integrator_run(it, 1);
  if (status == GA_OK) fail_msg("%s: no message", line);
  snprintf(message, room, "%s", ga_integrator_error(it)->text);
  ga_integrator_free(it);
  ga_file_free(file);
}

static void nonfinite(void **state) {
  (void)state;
  static const struct {
    const char *line, *first, *second;
  } list[] = {
      {"forces: {band: {type: torsion, coordinate: pin.angle, law: \"-sqrt(0.5 - s)\"}}",
       "torsion 'band': its law is not a number at s = 0.50", "s_dot = 3.4"},
      {"forces: {band: {type: spring, between: [ground, rod], at: {ground: [0, 0, 1]},"
       " law: \"log(1.3 - s)\"}}",
       "spring 'band': its law is not a number at s = 1.30", ", t = 0.2"},
      {"forces: {push: {type: force, body: rod, value: [0, 0, \"log(0.2 - t)\"]}}",
       "force 'push': its value is", "at t = 0.2"},
      {"forces: {push: {type: torque, body: rod, value: [\"1/t\", 0, 0]}}",
       "torque 'push': its value is infinite at t = 0", ""},
      {"drives: {motor: {coordinate: pin.angle, position: \"log(t)\"}}",
       "at the start: drive 'motor': its position is infinite at t = 0", ""},
      {"drives: {motor: {coordinate: pin.angle, position: \"t^1.5\"}}",
       "drive 'motor': the second derivative of its position by t is infinite at t = 0", ""},
      {"drives: {motor: {coordinate: pin.angle, rate: \"1/t\"}}",
       "at the start: drive 'motor': its rate is infinite at t = 0", ""}};
  for (int i = 0; i < (int)(sizeof list / sizeof list[0]); i++) {
    char message[512];
    run_pendulum(list[i].line, message, sizeof message);
    if (!strstr(message, list[i].first) || !strstr(message, list[i].second)) {
      fail_msg("'%s' does not say '%s' and '%s'", message, list[i].first, list[i].second);
    }
    if (strstr(message, "callback")) fail_msg("'%s' is not for an author of models", message);
  }
}

/* the law is 0 at the start, but its slope is not finite there */
static void derivatives(void **state) {
  (void)state;
  ga_error err = {0};
  ga_file *file = NULL;
  char text[200], small[12];
  must(pendulum("forces: {band: {type: torsion, coordinate: pin.angle, law: \"sqrt(s)\"}}",
                "absolute", &file, &err),
       &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(m);
  double q[8], v[7];
  memcpy(q, ga_mechanism_q0(m), sizeof q);
  memcpy(v, ga_mechanism_v0(m), sizeof v);
  assert_string_equal(
      model->ops->explain_nonfinite(model->user, 0.5, q, v, NULL, text, sizeof text),
      "torsion 'band': the first derivative of its law by s is infinite at s = 0, s_dot = 0, "
      "t = 0.5");
  assert_string_equal(
      model->ops->explain_nonfinite(model->user, 0.5, q, v, NULL, small, sizeof small),
      "torsion 'ba");
  /* a state that is not finite is not the fault of the law */
  q[7] = NAN;
  assert_string_equal(model->ops->explain_nonfinite(model->user, 0, q, v, NULL, text, sizeof text),
                      "");
  q[7] = 1;
  assert_string_equal(model->ops->explain_nonfinite(model->user, 0, q, v, NULL, text, sizeof text),
                      "");
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nonfinite), cmocka_unit_test(derivatives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
