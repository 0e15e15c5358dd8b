/* SPDX-License-Identifier: MIT */
/* Start values on disk: a run of any method, with any steps and events, starts at them with the
 * same bits as from memory; a damaged file or one of another model is refused. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

static double no_event(void *context, const ga_state *state) {
  (void)context;
  return state->t + 1;
}

/* An integrator with these options, and an event if wanted, before its start. */
static ga_integrator *unstarted(const ga_problem *p, const ga_options *o, bool event) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(&p->model, o, &it, &err), &err);
  const ga_event watched = {.value = no_event};
  if (event) must(ga_integrator_add_event(it, &watched), ga_integrator_error(it));
  return it;
}

static int calls;
static int count_calls(void *context, const ga_state *state, const ga_stats *stats) {
  (void)context, (void)state, (void)stats;
  calls++;
  return 0;
}

static void same_as_from_memory(void **state) {
  (void)state;
  static const char *const problems[] = {"heavy-top", "andrews", "rolling-disk", "chain"};
  for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
    ga_problem *p = problem_named(problems[k]);
    ga_error err = {0};
    must(ga_start_save(path_of("start"), &p->model, 0.25, p->q0, p->v0, &err), &err);
    for (int how = 0; how < 8; how++) {
      ga_options o = ga_options_default();
      o.h = p->h;
      o.multiplier_guess = p->mult0;
      if (how & 1) o.rtol = 1e-3;
      if (how & 4) o.par = ga_params_rho(0.6);
      const bool index3 = how & 4 && p->model.npsi == 0;
      o.method = index3 ? "index3" : p->model.npsi ? "nonhol2" : "stab2";
      ga_integrator *a = unstarted(p, &o, how & 2), *b = unstarted(p, &o, how & 2);
      must(ga_integrator_start(a, 0.25, p->q0, p->v0), ga_integrator_error(a));
      ga_integrator_observe(b, count_calls, NULL);
      calls = 0;
      must(ga_integrator_load(b, path_of("start")), ga_integrator_error(b));
      assert_int_equal(calls, 0); /* as after loading a state */
      view va = view_of(a, &p->model), vb = view_of(b, &p->model);
      assert_same(problems[k], &va, &vb);
      for (int n = 0; n < 5; n++) {
        must(ga_integrator_step(a), ga_integrator_error(a));
        must(ga_integrator_step(b), ga_integrator_error(b));
      }
      assert_int_equal(calls, 5);
      va = view_of(a, &p->model), vb = view_of(b, &p->model);
      assert_same(problems[k], &va, &vb);
      ga_integrator_free(a);
      ga_integrator_free(b);
    }
    ga_problem_free(p);
  }
}

static void refused_files(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top"), *other = problem_named("andrews");
  ga_options o = ga_options_default();
  ga_error err = {0};
  o.h = p->h;
  must(ga_start_save(path_of("start"), &p->model, 0, p->q0, p->v0, &err), &err);
  ga_integrator *it = unstarted(other, &o, false);
  assert_int_equal(ga_integrator_load(it, path_of("start")), GA_ERR_FILE);
  assert_non_null(strstr(ga_integrator_error(it)->text, "is of another model"));
  ga_integrator_free(it);

  it = unstarted(p, &o, false);
  const content whole = read_all(path_of("start"));
  for (size_t i = 8; i < whole.n; i++) { /* every byte counts */
    content bad = whole;
    bad.byte[i] ^= 0x10;
    write_all(path_of("bad"), bad.byte, bad.n);
    assert_int_equal(ga_integrator_load(it, path_of("bad")), GA_ERR_FILE);
  }
  for (size_t n = 8; n < whole.n; n++) {
    write_all(path_of("bad"), whole.byte, n);
    assert_int_equal(ga_integrator_load(it, path_of("bad")), GA_ERR_FILE);
  }
  assert_int_equal(ga_start_save("/nowhere/start", &p->model, 0, p->q0, p->v0, &err), GA_ERR_IO);
  ga_integrator_free(it);
  ga_problem_free(p);
  ga_problem_free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_from_memory),
                                     cmocka_unit_test(refused_files)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
