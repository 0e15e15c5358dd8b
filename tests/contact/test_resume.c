/* SPDX-License-Identifier: MIT */
/* Runs with contacts that are saved and resumed: bit by bit those that saved and went on, with fixed and
 * automatic steps, cut and not cut, from any time. */
#include <stdlib.h>

#include "genalpha/ga_file.h"
#include "support.h"

typedef struct {
  ga_file *file;
  ga_integrator *it;
} run;

static void begin(run *r, const char *model, const ga_options *o) {
  ga_error err = {0};
  char path[500];
  snprintf(path, sizeof path, "%s/%s.yaml", GA_MODELS, model);
  must(ga_file_load(path, NULL, &r->file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(r->file);
  must(ga_integrator_new(ga_mechanism_model(m), o, &r->it, &err), &err);
  must(ga_integrator_start(r->it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)),
       ga_integrator_error(r->it));
}

static void go(run *r, double t) {
  must(ga_integrator_run(r->it, t), ga_integrator_error(r->it));
}

/* The bytes of the state, to be freed. */
static char *save(run *r, size_t *size) {
  must(ga_integrator_save_memory(r->it, NULL, size), ga_integrator_error(r->it));
  char *bytes = malloc(*size);
  must(ga_integrator_save_memory(r->it, bytes, size), ga_integrator_error(r->it));
  return bytes;
}

static void compare(const char *model, const ga_options *o, double at, double t_end) {
  run on = {0}, resumed = {0};
  size_t size, size_on, size_resumed;
  begin(&on, model, o);
  begin(&resumed, model, o);
  go(&on, at);
  char *state = save(&on, &size);
  go(&on, t_end);
  must(ga_integrator_load_memory(resumed.it, state, size), ga_integrator_error(resumed.it));
  go(&resumed, t_end);
  char *end_on = save(&on, &size_on), *end_resumed = save(&resumed, &size_resumed);
  assert_int_equal(size_on, size_resumed);
  if (memcmp(end_on, end_resumed, size_on) != 0) print_message("%s, saved at %g\n", model, at);
  assert_memory_equal(end_on, end_resumed, size_on);
  assert_true(ga_integrator_contact_stats(on.it).changes > 0);
  free(state), free(end_on), free(end_resumed);
  ga_integrator_free(on.it), ga_integrator_free(resumed.it);
  ga_file_free(on.file), ga_file_free(resumed.file);
}

static void resumed_runs(void **state) {
  (void)state;
  static const struct {
    const char *model;
    double h, t_end;
  } cases[] = {{"rocking-block", 0.01, 1.2},
               {"bouncing-balls", 5e-3, 0.45},
               {"skid", 0.01, 0.9},
               {"woodpecker", 2e-4, 0.3}};
  for (int i = 0; i < 4; i++) {
    ga_options o = ga_options_default();
    o.h = cases[i].h;
    for (int k = 0; k < 3; k++) {
      if (k == 1) o.rtol = 1e-5;
      if (k == 2) o.rtol = 0, o.contact = GA_CONTACT_STEP;
      for (int part = 1; part < 8; part++) {
        compare(cases[i].model, &o, part * cases[i].t_end / 8, cases[i].t_end);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(resumed_runs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
