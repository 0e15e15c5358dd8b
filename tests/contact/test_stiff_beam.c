/* SPDX-License-Identifier: MIT */
/* A beam that falls with its tip on the floor, and on a hard limit of its hinge. Steps do not
 * resolve its axial vibrations, which impacts excite: a gap may go below zero in a piece and have
 * turned at its end. */
#include <math.h>

#include "support.h"

static const char *const beam =
    "genalpha: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  w:\n"
    "    line: {from: [0, 0, 0.15], to: [1, 0, 0.15], elements: 4}\n"
    "    y_axis: [0, 1, 0]\n"
    "    section: {EA: 1e5, GA: [4e4, 4e4], GJ: 20, EI: [30, 50], rhoA: 1.2,\n"
    "              rhoI: [0.002, 0.001, 0.001]}\n"
    "    damping: 0.001\n"
    "joints:\n"
    "  c: {type: revolute, between: [ground, w.start], at: [0, 0, 0.15], axis: [0, 1, 0]}\n"
    "contacts:\n"
    "  tip: {between: [ground, w.end], sphere: {radius: 0.02}, friction: 0.3}\n"
    "limits:\n"
    "  l: {coordinate: c.angle, lower: -1, upper: 0.02}\n";

typedef struct {
  const ga_integrator *it;
  int contacts, rows;
  double least; /* gap of an open contact */
} watch;

static int look(void *context, const ga_state *state, const ga_stats *stats) {
  watch *w = context;
  (void)state, (void)stats;
  w->rows++;
  for (int i = 0; i < w->contacts; i++) {
    const ga_contact_state c = ga_integrator_contact(w->it, i);
    if (c.state == GA_CONTACT_OPEN) w->least = fmin(w->least, c.gap);
  }
  return 0;
}

/* No accepted state has an open contact whose gap is below zero, up to the tolerance of 1e-9 of the
 * size of positions (1 m), whichever way the gap moves. */
static void test_open_gaps(void **state) {
  (void)state;
  static const double h[] = {0.002, 0.001};
  for (int n = 0; n < 2; n++) {
    ga_error err = {0};
    ga_file *file;
    ga_integrator *it;
    ga_options o = ga_options_default();
    o.h = h[n];
    o.par = ga_params_rho(0.5);
    must(ga_file_parse("beam.yaml", beam, strlen(beam), NULL, &file, &err), &err);
    const ga_mechanism *m = ga_file_mechanism(file);
    const ga_model *model = ga_mechanism_model(m);
    must(ga_integrator_new(model, &o, &it, &err), &err);
    watch w = {.it = it, .contacts = model->ncontacts};
    ga_integrator_observe(it, look, &w);
    must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)),
         ga_integrator_error(it));
    must(ga_integrator_run(it, 0.4), ga_integrator_error(it));
    print_message("h %g: %d rows, least open gap %.2g\n", h[n], w.rows, w.least);
    assert_true(w.least > -1e-8);
    ga_integrator_free(it);
    ga_file_free(file);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_open_gaps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
