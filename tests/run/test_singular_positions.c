/* SPDX-License-Identifier: MIT */
/* Singular positions: N parallel four-bars, whose bars all come to lie on one line. A step that
 * would end there ends beside it, the branch and the order are kept; so they are by a start there.
 */
#include "redundant_runs.h"

/* how far the cranks are from parallel */
static double spread(const ga_mechanism *m, const ga_integrator *it, int n) {
  const double first = column_of(m, it, "crank0.angle");
  double largest = 0;
  for (int i = 1; i <= n; i++) {
    char name[32];
    snprintf(name, sizeof name, "crank%d.angle", i);
    largest = fmax(largest, fabs(column_of(m, it, name) - first));
  }
  return largest;
}

/* when the cranks lie flat for the first time, in a run with 200 steps until then */
static double time_of_singular(const ga_mechanism *m, const char *method) {
  double t = 0.715;
  for (int round = 0; round < 4; round++) {
    /* from some steps before, by the motion there: the run itself cannot look at the position */
    ga_options o = allowing(method, t / 200);
    ga_integrator *it = mechanism_started(m, &o);
    run_to(it, 195 * o.h);
    while (column_of(m, it, "crank0.angle") > 0) {
      const double angle = column_of(m, it, "crank0.angle"), rate = column_of(m, it, "crank0.rate");
      const double al = column_of(m, it, "crank0.al"), left = -angle / rate;
      if (left < 2 * o.h) {
        const double dt = left - al * left * left / (2 * rate);
        t = ga_integrator_state(it)->t + dt;
        break;
      }
      must(ga_integrator_step(it), ga_integrator_error(it));
    }
    ga_integrator_free(it);
  }
  return t;
}

/* steps that end at the position but for dt */
static void landing(void **state) {
  (void)state;
  ga_file *file = model_loaded("n-four-bar", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  static const char *const methods[] = {"stab2", "index3"};
  for (int k = 0; k < 2; k++) {
    const double t = time_of_singular(m, methods[k]);
    double over = 0, angle[2];
    static const double off[] = {3e-4, 1e-5, -3e-6, 1e-7, -1e-8, 0};
    for (int i = 0; i < 6; i++) {
      ga_options o = allowing(methods[k], (t + off[i]) / 200);
      ga_integrator *it = mechanism_started(m, &o);
      const double before = column_of(m, it, "energy.total");
      run_to(it, 2.8);
      over += (double)ga_integrator_stats(it)->singular;
      assert_true(spread(m, it, 2) < 1e-10);
      assert_true(fabs(column_of(m, it, "energy.total") - before) < 0.03);
      angle[i > 0] = column_of(m, it, "crank0.angle");
      assert_true(fabs(angle[i > 0] - angle[0]) < 3e-3);
      ga_integrator_free(it);
    }
    assert_true(over >= 3);
  }
  ga_file_free(file);
}

/* without the option, a step there fails and says so */
static void refused(void **state) {
  (void)state;
  ga_file *file = model_loaded("n-four-bar", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_options o = allowing("stab2", time_of_singular(m, "stab2") / 200);
  o.redundant = GA_REDUNDANT_REFUSE;
  ga_integrator *it = mechanism_started(m, &o);
  assert_int_equal(ga_integrator_run(it, 2.8), GA_RETRY_SINGULAR);
  assert_non_null(strstr(ga_integrator_error(it)->text, "singular"));
  ga_integrator_free(it);
  ga_file_free(file);
}

/* a run that is to end there: where that fails, the end is named as the reason, not the step */
static void ending(void **state) {
  (void)state;
  ga_file *file = model_loaded("n-four-bar", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  const double t = time_of_singular(m, "index3");
  const ga_options o = allowing("index3", t / 200);
  ga_integrator *it = mechanism_started(m, &o);
  assert_int_equal(ga_integrator_run(it, t), GA_RETRY_SINGULAR);
  assert_non_null(strstr(ga_integrator_error(it)->text, "is to end in a singular position"));
  assert_non_null(strstr(ga_integrator_error(it)->text, "end it a little later or earlier"));
  assert_near("t", ga_integrator_state(it)->t, t - o.h, 1e-12);
  /* and the advice is good */
  run_to(it, t + 0.3 * o.h);
  assert_true(spread(m, it, 2) < 1e-10);
  assert_true(column_of(m, it, "crank0.angle") < 0);
  ga_integrator_free(it);
  ga_file_free(file);
}

/* Counts the steps that end at a multiple of h. */
struct grid {
  double h;
  long met;
};

static int watch_grid(void *context, const ga_state *state, const ga_stats *stats) {
  struct grid *grid = context;
  (void)stats;
  grid->met += fabs(state->t / grid->h - round(state->t / grid->h)) < 1e-9;
  return 0;
}

/* Steps that are too large fail here and there, away from singular positions. Shorter ones are made
 * up for by steps that are not longer than h: each of them costs one step more, and at most one time
 * of the grid is missed. A step of 2.1 h, which made up for two, ended this run at t = 4.1. */
static void made_up(void **state) {
  (void)state;
  static const double fractions[] = {1, 0.5};
  for (int n = 1; n <= 2; n++) {
    ga_file *file = model_loaded_in("absolute", "double-pendulum", NULL, 0);
    ga_options o = allowing("stab2", 0.05);
    o.h_fractions = fractions;
    o.h_fractions_n = n;
    ga_integrator *it = mechanism_started(ga_file_mechanism(file), &o);
    struct grid grid = {n == 1 ? 0.05 : 0.075, 0}; /* a period of the sequence */
    const long periods = n == 1 ? 100 : 66;
    ga_integrator_observe(it, watch_grid, &grid);
    run_to(it, (double)periods * grid.h);
    const ga_stats *stats = ga_integrator_stats(it);
    assert_true(stats->singular > 0); /* some steps were shortened */
    assert_true(stats->h_largest <= o.h * (1 + 1e-8));
    assert_true(stats->steps <= n * periods + stats->singular);
    assert_true(grid.met >= periods - stats->singular);
    ga_integrator_free(it);
    ga_file_free(file);
  }
}

/* 10 s through all singular positions, energy within 0.1 J */
static void ten_seconds(void **state) {
  (void)state;
  static const ga_file_set sets[] = {{"N", "2"}, {"N", "40"}};
  for (int k = 0; k < 2; k++) {
    ga_file *file = model_loaded("n-four-bar", &sets[k], 1);
    const ga_mechanism *m = ga_file_mechanism(file);
    ga_options o = allowing("stab2", 1e-3);
    ga_integrator *it = mechanism_started(m, &o);
    const double before = column_of(m, it, "energy.total");
    run_to(it, 10);
    assert_true(fabs(column_of(m, it, "energy.total") - before) < 0.1);
    assert_true(column_of(m, it, "crank0.angle") < -25); /* turn after turn */
    assert_true(spread(m, it, k ? 40 : 2) < 1e-9);
    assert_int_equal(ga_integrator_stats(it)->dependent, 0);
    ga_integrator_free(it);
    ga_file_free(file);
  }
}

static const char flat_text[] =
    "genalpha: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "repeat:\n"
    "  - index: i\n"
    "    from: 0\n"
    "    to: 3\n"
    "    bodies: {\"crank{i}\": {kind: planar, mass: 1, inertia: 1/12, position: [i + 1/2, 0],\n"
    "             velocity: [0, 1], angular_velocity: 2}}\n"
    "    joints: {\"A{i}\": {type: revolute, between: [ground, \"crank{i}\"], at: [i, 0]}}\n"
    "  - index: i\n"
    "    from: 1\n"
    "    to: 3\n"
    "    bodies: {\"coupler{i}\": {kind: planar, mass: 1, inertia: 1/12, position: [i + 1/2, 0],\n"
    "             velocity: [0, 2]}}\n"
    "    joints: {\"B{i}\": {type: revolute, between: [\"crank{i-1}\", \"coupler{i}\"], at: [i, "
    "0]},\n"
    "             \"C{i}\": {type: revolute, between: [\"coupler{i}\", \"crank{i}\"], at: [i + 1, "
    "0]}}\n";

/* A start with all bars flat, moving: the rank is that of the places around it, and the errors at
 * t = 1 are those of order 2. One angle describes the motion: the kinetic energy is
 * (4/6 + 3/2) w^2, of cranks and couplers, the potential one 9.81 (4/2 + 3) sin(phi). */
static void flat_start(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3"};
  ga_file *file = text_parsed(flat_text);
  const ga_mechanism *m = ga_file_mechanism(file);
  /* phi'' = -c cos phi by a fine Runge-Kutta scheme */
  const double c = 9.81 * (2 + 3) / (4.0 / 3 + 3);
  double phi = 0, w = 2, dt = 1e-4;
  for (int i = 0; i < 10000; i++) {
    double k1 = -c * cos(phi), p2 = phi + dt / 2 * w, w2 = w + dt / 2 * k1;
    double k2 = -c * cos(p2), p3 = phi + dt / 2 * w2, w3 = w + dt / 2 * k2;
    double k3 = -c * cos(p3), p4 = phi + dt * w3, w4 = w + dt * k3, k4 = -c * cos(p4);
    phi += dt / 6 * (w + 2 * w2 + 2 * w3 + w4);
    w += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  for (int k = 0; k < 2; k++) {
    double error[3], rate[3];
    for (int i = 0; i < 3; i++) {
      ga_options o = allowing(methods[k], 4e-3 / (1 << i));
      ga_integrator *it = mechanism_started(m, &o);
      assert_true(fabs(column_of(m, it, "crank1.al") + c) < 0.1 * o.h * 1e3);
      run_to(it, 1);
      assert_true(spread(m, it, 3) < 1e-10);
      error[i] = fabs(column_of(m, it, "crank2.angle") - phi);
      rate[i] = fabs(column_of(m, it, "crank2.rate") - w);
      ga_integrator_free(it);
    }
    for (int i = 0; i < 2; i++) {
      assert_true(error[i] / error[i + 1] > 3.7 && error[i] / error[i + 1] < 4.3);
      assert_true(rate[i] / rate[i + 1] > 3.7 && rate[i] / rate[i + 1] < 4.3);
    }
  }
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(landing), cmocka_unit_test(refused),     cmocka_unit_test(ending),
      cmocka_unit_test(made_up), cmocka_unit_test(ten_seconds), cmocka_unit_test(flat_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
