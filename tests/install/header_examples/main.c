/* SPDX-License-Identifier: MIT */
/* Runs one example of a public header: with the argument "integrator", `it` is an
 * integrator that has been started with `model`; without it the example makes its own. */
#define GA_EXAMPLE_MAIN
#include "example.h"

#include <string.h>

ga_space *space;
ga_model model;
const double q0[] = {0, 1}, v0[] = {1, 0};
double v[] = {1, 0};
const int nv = 5, nlam = 3;
ga_options options;
ga_integrator *it;
ga_status status;
ga_error err;
const double t_end = 1.5;
ga_mechanism *m;
ga_team *team;
const int process = 0, processes = 1;
ga_linsol ls;
static int row_start[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
static double entries_A[] = {1, 2, 2, 4}, entries_B[] = {1, 2, 2, 5};
static const ga_csr matrix_A = {2, 2, row_start, column, entries_A};
static const ga_csr matrix_B = {2, 2, row_start, column, entries_B};
const ga_csr *const A = &matrix_A, *const B = &matrix_B;
ga_null_space null;

static bool failed;

ga_status checked(ga_status s) {
  failed |= s < 0;
  return s;
}

static int ball_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[3] = 1;
  return 0;
}

static int ball_force(void *user, double t, const double *q, const double *v_now, double *F) {
  (void)user, (void)t, (void)q, (void)v_now;
  F[0] = 0, F[1] = -9.81;
  return 0;
}

static const ga_model_ops ball = {.mass = ball_mass, .force = ball_force};

/* a pendulum of two rods */
static void make_mechanism(void) {
  const char *const names[] = {"ground", "upper", "lower"};
  if (ga_mechanism_new(&m) != GA_OK) return;
  for (int i = 0; i < 2; i++) {
    const ga_body rod = {
        .name = names[i + 1], .mass = 1, .inertia = {0.1, 0.1, 0.1}, .position = {i + 0.5, 0, 0}};
    const ga_joint pin = {.name = i ? "elbow" : "shoulder",
                          .type = "revolute",
                          .between = {names[i], names[i + 1]},
                          .at = GA_IN_SPACE(i, 0, 0),
                          .axis = GA_IN_SPACE(0, 1, 0)};
    ga_mechanism_add_body(m, &rod, &err);
    ga_mechanism_add_joint(m, &pin, &err);
  }
  ga_mechanism_set_coordinates(m, GA_COORDINATES_ABSOLUTE); /* ga_partition.h needs them */
  ga_mechanism_build(m, 0, &err);
}

int main(int argc, char **argv) {
  options = ga_options_default();
  make_mechanism();
  if (ga_space_rn(2, &space) != GA_OK) return 2;
  model = (ga_model){.ops = &ball, .space = space};
  if (ga_linsol_attach(&ls, "dense", A, NULL, &err) != GA_OK) return 2;
  const bool started = argc > 1 && strcmp(argv[1], "integrator") == 0;
  if (started) {
    if (ga_integrator_new(&model, &options, &it, &err) != GA_OK) return 2;
    if (ga_integrator_start(it, 0, q0, v0) != GA_OK) return 2;
  }
  example();
  if (started) {
    printf("t = %g\n", ga_integrator_state(it)->t);
    ga_integrator_free(it);
  }
  if (null.count) printf("%d null pivot(s)\n", null.count);
  ga_linsol_detach(&ls);
  ga_mechanism_free(m);
  ga_space_free(space);
  if (failed) printf("a call failed: %s\n", err.text);
  return failed;
}
