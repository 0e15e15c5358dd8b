/* SPDX-License-Identifier: MIT */
/* A program outside of genalpha: functions, constant data and the tables of the library. */
#include <genalpha/genalpha.h>
#include <stdio.h>
#include <string.h>

/* a heavy top, held at its tip, to t = 0.1: far enough that a wrong library would show */
static ga_status top(ga_mechanism *m, ga_error *err) {
  const ga_body rotor = {.name = "rotor",
                         .mass = 15,
                         .inertia = {0.234375, 0.46875, 0.234375},
                         .position = {0, 1, 0},
                         .angular_velocity = {0, 150, -4.61538}};
  const ga_joint tip = {.name = "tip",
                        .type = "spherical",
                        .between = {"ground", "rotor"},
                        .at = GA_IN_SPACE(0, 0, 0)};
  ga_status status = ga_mechanism_set_gravity(m, (double[3]){0, 0, -9.81});
  if (status == GA_OK) status = ga_mechanism_add_body(m, &rotor, err);
  if (status == GA_OK) status = ga_mechanism_add_joint(m, &tip, err);
  if (status == GA_OK) status = ga_mechanism_set_assemble(m, true);
  if (status == GA_OK) status = ga_mechanism_set_coordinates(m, GA_COORDINATES_ABSOLUTE);
  return status == GA_OK ? ga_mechanism_build(m, 0, err) : status;
}

static int run(void) {
  ga_error err = {GA_OK, ""};
  ga_mechanism *m = NULL;
  ga_integrator *it = NULL;
  ga_options o = ga_options_default();
  ga_status status = ga_mechanism_new(&m);
  if (status == GA_OK) status = top(m, &err);
  if (status == GA_OK) status = ga_integrator_new(ga_mechanism_model(m), &o, &it, &err);
  if (status == GA_OK) status = ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m));
  if (status == GA_OK) status = ga_integrator_run(it, 0.1);
  if (it && status != GA_OK) err = *ga_integrator_error(it);
  if (status != GA_OK) {
    printf("%s: %s\n", ga_status_name(status), err.text);
  } else {
    const double *x = ga_integrator_state(it)->q;
    double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    printf("x = (%.6f, %.6f, %.6f), |x|^2 = %.6f\n", x[0], x[1], x[2], square);
  }
  ga_integrator_free(it);
  ga_mechanism_free(m);
  return status != GA_OK;
}

int main(void) {
  if (strcmp(ga_version(), GA_VERSION) != 0 || strcmp(ga_version(), PACKAGE_VERSION) != 0) {
    printf("library %s, header %s, package %s\n", ga_version(), GA_VERSION, PACKAGE_VERSION);
    return 1;
  }
  ga_space *space;
  if (ga_space_new(&space) != GA_OK) return 1;
  ga_status status = ga_space_add(space, &ga_group_so3, 2, NULL, NULL);
  int nq = ga_space_nq(space);
  ga_space_free(space);
  return status != GA_OK || nq != 8 || run() != 0;
}
