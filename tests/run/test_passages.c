/* SPDX-License-Identifier: MIT */
/* Passages of singular positions are counted and reported, whatever the step size, the method and
 * the option for redundant rows; positions that are only approached are not. */
#include "redundant_runs.h"

/* messages of a run */
typedef struct {
  int warnings;
  char last[2000];
} journal;

static void note(void *context, ga_log_level level, const char *text) {
  journal *j = context;
  if (level != GA_LOG_WARNING || !strstr(text, "singular position")) return;
  j->warnings++;
  snprintf(j->last, sizeof j->last, "%s", text);
}

static ga_options options_with(const char *method, double h, ga_redundant redundant, journal *j) {
  ga_options o = allowing(method, h);
  o.redundant = redundant;
  *j = (journal){0};
  o.log = note;
  o.log_context = j;
  return o;
}

/* counts the passages of the flat positions: sin(crank0.angle) changes its sign */
typedef struct {
  const ga_mechanism *m;
  ga_integrator *it;
  double sine;
  long passed;
} turns;

static int count_turns(void *context, const ga_state *s, const ga_stats *stats) {
  turns *w = context;
  (void)s;
  (void)stats;
  const double sine = sin(column_of(w->m, w->it, "crank0.angle"));
  w->passed += sine * w->sine < 0;
  w->sine = sine;
  return 0;
}

/* as many passages as sin(angle) has changes of sign, one warning each, at most five */
static void counted(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3"};
  static const ga_redundant redundant[] = {GA_REDUNDANT_ALLOW, GA_REDUNDANT_REFUSE};
  static const char *const numbers[] = {"1", "2", "3"};
  static const struct { double h, t_end; } runs[] = {{1e-2, 3}, {1e-3, 6}, {1e-4, 1.3}};
  for (int n = 0; n < 3; n++) {
    const ga_file_set set = {"N", numbers[n]};
    ga_file *file = model_loaded("n-four-bar", &set, 1);
    const ga_mechanism *m = ga_file_mechanism(file);
    for (int k = 0; k < 12; k++) {
      journal j;
      const ga_options o = options_with(methods[k % 2], runs[k / 4].h, redundant[k / 2 % 2], &j);
      turns w = {m, mechanism_started(m, &o), 1, 0};
      ga_integrator_observe(w.it, count_turns, &w);
      run_to(w.it, runs[k / 4].t_end);
      assert_true(w.passed >= 2);
      assert_int_equal(ga_integrator_stats(w.it)->singular_passages, w.passed);
      assert_int_equal(j.warnings, w.passed < 5 ? w.passed : 5);
      assert_non_null(strstr(j.last, "joint A0"));
      assert_non_null(strstr(j.last, "joint C1"));
      assert_non_null(strstr(j.last, "the energy has changed by"));
      ga_integrator_free(w.it);
    }
    ga_file_free(file);
  }
}

/* Steps of 1e-5 s: the run comes so near that it may fail, but it is reported before. */
static void tiny_steps(void **state) {
  (void)state;
  static const ga_redundant redundant[] = {GA_REDUNDANT_ALLOW, GA_REDUNDANT_REFUSE};
  const ga_file_set set = {"N", "1"};
  ga_file *file = model_loaded("n-four-bar", &set, 1);
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int k = 0; k < 2; k++) {
    journal j;
    const ga_options o = options_with("stab2", 1e-4, redundant[k], &j);
    ga_integrator *it = mechanism_started(m, &o);
    run_to(it, 0.70);
    must(ga_integrator_set_step(it, 1e-5), ga_integrator_error(it));
    assert_int_equal(ga_integrator_stats(it)->singular_passages, 0);
    ga_integrator_run(it, 0.72);
    assert_int_equal(ga_integrator_stats(it)->singular_passages, 1);
    assert_int_equal(j.warnings, 1);
    assert_true(ga_integrator_state(it)->t > 0.7084);
    ga_integrator_free(it);
  }
  ga_file_free(file);
}

/* a parallelogram that is released at an angle below its flat position and swings to and fro */
static const char swing_text[] =
    "genalpha: 1\n"
    "parameters: {phi: -2 deg, x: cos(phi), y: sin(phi), l: 0}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank:   {kind: planar, mass: 1, inertia: 1/12, position: [x/2, y/2], orientation: phi}\n"
    "  rocker:  {kind: planar, mass: 1, inertia: 1/12, position: [1 + x/2, y/2], orientation: "
    "phi}\n"
    "  coupler: {kind: planar, mass: 1, inertia: 1/12, position: [x + 1/2, y]}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, crank], at: [0, 0]}\n"
    "  B: {type: revolute, between: [crank, coupler], at: [x, y]}\n"
    "  C: {type: revolute, between: [coupler, rocker], at: [1 + x, y]}\n"
    "  D: {type: revolute, between: [ground, rocker], at: [1, 0]}\n";

/* It comes near the flat positions, to 2 degrees, and turns there: no passage. */
static void approached(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3"};
  static const double sizes[] = {1e-2, 1e-3};
  ga_file *file = text_parsed(swing_text);
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int k = 0; k < 4; k++) {
    journal j;
    const ga_options o = options_with(methods[k % 2], sizes[k / 2], GA_REDUNDANT_ALLOW, &j);
    ga_integrator *it = mechanism_started(m, &o);
    run_to(it, 10);
    assert_int_equal(ga_integrator_stats(it)->singular_passages, 0);
    assert_int_equal(j.warnings, 0);
    ga_integrator_free(it);
  }
  ga_file_free(file);
}

/* the other models never pass one */
static void regular(void **state) {
  (void)state;
  static const char *const names[] = {"four-bar", "slider-crank", "andrews", "bricard", "governor",
                                      "stewart",  "door",         "truss",   "net",     "chain"};
  for (int i = 0; i < 10; i++) {
    ga_file *file = model_loaded(names[i], NULL, 0);
    const ga_mechanism *m = ga_file_mechanism(file);
    journal j;
    const ga_options o = options_with("stab2", i == 2 ? 1e-4 : 1e-3, GA_REDUNDANT_ALLOW, &j);
    ga_integrator *it = mechanism_started(m, &o);
    run_to(it, i == 2 ? 0.03 : 0.5);
    assert_int_equal(ga_integrator_stats(it)->singular_passages, 0);
    assert_int_equal(j.warnings, 0);
    ga_integrator_free(it);
    ga_file_free(file);
  }
}

/* The watch changes no number of the run, and a step that is taken back is not counted: automatic
 * steps count the same passages. */
static void automatic(void **state) {
  (void)state;
  const ga_file_set set = {"N", "1"};
  ga_file *file = model_loaded("n-four-bar", &set, 1);
  const ga_mechanism *m = ga_file_mechanism(file);
  journal j;
  ga_options o = options_with("stab2", 1e-3, GA_REDUNDANT_ALLOW, &j);
  o.rtol = 1e-5;
  turns w = {m, mechanism_started(m, &o), 1, 0};
  ga_integrator_observe(w.it, count_turns, &w);
  run_to(w.it, 4);
  assert_true(w.passed >= 3);
  assert_int_equal(ga_integrator_stats(w.it)->singular_passages, w.passed);
  ga_integrator_free(w.it);
  ga_file_free(file);
}

/* Steps become tiny at a singular position, and the rounding of forces there looks like an error. Behind
 * it they grow again at once: as many steps as elsewhere, in proportion to rtol^(-1/2). (At 1.1e-6 there
 * were 1.7 million steps of 1e-9 s.) */
static void soon_left(void **state) {
  (void)state;
  static const double rtol[] = {2e-6, 1.2e-6, 1.1e-6, 1e-6, 8e-7};
  const ga_file_set set = {"N", "2"};
  ga_file *file = model_loaded("n-four-bar", &set, 1);
  const ga_mechanism *m = ga_file_mechanism(file);
  double first = 0;
  for (int k = 0; k < 5; k++) {
    journal j;
    ga_options o = options_with("stab2", 1e-3, GA_REDUNDANT_ALLOW, &j);
    o.rtol = rtol[k];
    o.h_max = INFINITY;
    ga_integrator *it = mechanism_started(m, &o);
    run_to(it, 0.8);
    const double steps = (double)ga_integrator_stats(it)->steps * sqrt(rtol[k]);
    assert_int_equal(j.warnings, 1);
    if (k == 0) first = steps;
    if (!(steps < 1.5 * first)) fail_msg("rtol %g: %g steps", rtol[k], steps / sqrt(rtol[k]));
    ga_integrator_free(it);
  }
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counted), cmocka_unit_test(tiny_steps), cmocka_unit_test(approached),
      cmocka_unit_test(regular), cmocka_unit_test(automatic),  cmocka_unit_test(soon_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
