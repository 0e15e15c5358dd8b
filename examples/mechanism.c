/* SPDX-License-Identifier: MIT */
/* A slider-crank by calls: bodies, joints, a motor, a spring, named outputs, an event.
 *
 * A motor turns the crank by 2 pi t^2; the run ends after one turn, where the slider has come back.
 */
#include <genalpha/genalpha.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double r = 0.2, l = 0.5;

/* the crank points along x, the rod lies behind it */
static ga_status describe(ga_mechanism *m, ga_error *err) {
  const ga_body bodies[] = {
      {.name = "crank",
       .type = GA_BODY_PLANAR,
       .mass = 1,
       .inertia = {0, 0, r * r / 12},
       .position = {r / 2}},
      {.name = "rod",
       .type = GA_BODY_PLANAR,
       .mass = 1,
       .inertia = {0, 0, l * l / 12},
       .position = {r + l / 2}},
      {.name = "slider", .type = GA_BODY_PLANAR, .mass = 2, .position = {r + l}}};
  const ga_joint joints[] = {
      {.name = "bearing",
       .type = "revolute",
       .between = {"ground", "crank"},
       .at = GA_IN_SPACE(0, 0, 0)},
      {.name = "pin", .type = "revolute", .between = {"crank", "rod"}, .at = GA_IN_SPACE(r, 0, 0)},
      {.name = "wrist", .type = "revolute", .between = {"rod", "slider"}},
      {.name = "guide",
       .type = "prismatic",
       .between = {"ground", "slider"},
       .axis = GA_IN_SPACE(1, 0, 0)}};
  const ga_drive motor = {
      .name = "motor", .coordinate = "bearing.angle", .position = {.text = "2*pi*t^2"}};
  const ga_force spring = {.name = "spring",
                           .type = "spring",
                           .between = {"ground", "slider"},
                           .at = GA_ON_A(1.5, 0, 0),
                           .stiffness = 50,
                           .damping = 2};
  ga_status status = GA_OK;
  for (int i = 0; i < 3 && status == GA_OK; i++) status = ga_mechanism_add_body(m, &bodies[i], err);
  for (int i = 0; i < 4 && status == GA_OK; i++)
    status = ga_mechanism_add_joint(m, &joints[i], err);
  if (status == GA_OK) status = ga_mechanism_add_drive(m, &motor, err);
  if (status == GA_OK) status = ga_mechanism_add_force(m, &spring, err);
  return status == GA_OK ? ga_mechanism_build(m, 0, err) : status;
}

/* some columns by their names */
static void print_columns(const ga_mechanism *m, const ga_state *state) {
  static const char *const names[] = {"bearing.angle", "slider.x", "motor.effort", "spring.force"};
  double *values = calloc((size_t)ga_mechanism_columns(m), sizeof *values);
  if (values && ga_mechanism_outputs(m, state, values) == GA_OK) {
    printf("t = %.6f\n", state->t);
    for (int i = 0; i < 4; i++) {
      printf("  %-14s %12.6f\n", names[i], values[ga_mechanism_column_index(m, names[i])]);
    }
  }
  free(values);
}

static ga_status simulate(const ga_mechanism *m, ga_error *err) {
  ga_integrator *it = NULL;
  ga_watch *back = NULL;
  const ga_options o = ga_options_default();
  ga_status status = ga_integrator_new(ga_mechanism_model(m), &o, &it, err);
  if (status == GA_OK) {
    status = ga_watch_new(m, "bearing.angle > 2*pi", GA_EVENT_RISING, true, &back, err);
  }
  if (status == GA_OK) {
    const ga_event event = ga_watch_event(back);
    status = ga_integrator_add_event(it, &event);
  }
  if (status == GA_OK) {
    status = ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m));
  }
  if (status == GA_OK) status = ga_integrator_run(it, 10);
  if (status == GA_EVENT) print_columns(m, ga_integrator_state(it));
  if (it && status != GA_EVENT) *err = *ga_integrator_error(it);
  ga_integrator_free(it);
  ga_watch_free(back);
  return status == GA_EVENT ? GA_OK : status;
}

int main(void) {
  ga_mechanism *m = NULL;
  ga_error err = {GA_OK, "no memory"};
  ga_status status = ga_mechanism_new(&m);
  if (status == GA_OK) status = describe(m, &err);
  if (status == GA_OK) status = simulate(m, &err);
  if (status != GA_OK) fprintf(stderr, "%s\n", err.text);
  ga_mechanism_free(m);
  return status != GA_OK;
}
