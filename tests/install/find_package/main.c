/* SPDX-License-Identifier: MIT */
/* A program outside of genalpha: functions, constant data and the tables of the library. */
#include <genalpha/genalpha.h>
#include <stdio.h>
#include <string.h>

/* the heavy top to t = 0.1, far enough that a wrong library would show */
static int run(void) {
  ga_error err = {GA_OK, ""};
  ga_problem *top = NULL;
  ga_integrator *it = NULL;
  ga_options o = ga_options_default();
  ga_status status = ga_problem_new("heavy-top", NULL, &top, &err);
  if (status == GA_OK) status = ga_integrator_new(&top->model, &o, &it, &err);
  if (status == GA_OK) status = ga_integrator_start(it, top->t0, top->q0, top->v0);
  if (status == GA_OK) status = ga_integrator_run(it, 0.1);
  if (it) err = *ga_integrator_error(it);
  if (status != GA_OK) {
    printf("%s: %s\n", ga_status_name(status), err.text);
  } else {
    const double *x = ga_integrator_state(it)->q;
    double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    printf("x = (%.6f, %.6f, %.6f), |x|^2 = %.6f\n", x[0], x[1], x[2], square);
  }
  ga_integrator_free(it);
  ga_problem_free(top);
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
