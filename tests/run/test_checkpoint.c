/* SPDX-License-Identifier: MIT */
/* Saving and loading: a loaded run equals, bit by bit, the run that saved and went on. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

/* ---- bit by bit -------------------------------------------------------------------------- */

/* what happens between the start and the save */
typedef void (*preparation)(ga_integrator *it, const ga_problem *p);

static void just_started(ga_integrator *it, const ga_problem *p) {
  (void)it, (void)p;
}

static void between_steps(ga_integrator *it, const ga_problem *p) {
  advance(it, 20.4 * p->h);
}

static void after_set_step(ga_integrator *it, const ga_problem *p) {
  advance(it, 15 * p->h);
  must(ga_integrator_set_step(it, 1.3 * p->h), ga_integrator_error(it));
}

static void after_projection(ga_integrator *it, const ga_problem *p) {
  advance(it, 10 * p->h);
  must(ga_integrator_project_position(it, NULL), ga_integrator_error(it));
  must(ga_integrator_project_velocity(it, GA_PROJECT_PLAIN, NULL), ga_integrator_error(it));
}

/* A start that fails leaves the state, so do steps: at the first evaluation, and twice at the
 * second, the last time after a matrix with new pivots, as the failure before left none. A
 * projection may need the force or not. */
static void after_failures(ga_integrator *it, const ga_problem *p) {
  advance(it, 10 * p->h);
  view before = view_of(it, &p->model);
  demand.calls_left = 1;
  assert_int_equal(ga_integrator_start(it, p->t0, p->q0, p->v0), GA_RETRY_MODEL);
  for (int failure = 1; failure <= 3; failure++) {
    demand.calls_left = failure > 1 ? 2 : 1;
    assert_int_equal(ga_integrator_step(it), GA_RETRY_MODEL);
    view after = view_of(it, &p->model);
    assert_memory_equal(before.number, after.number, sizeof before.number);
    assert_int_equal(after.stats.failed, failure);
  }
  demand.calls_left = 2;
  ga_integrator_project_velocity(it, GA_PROJECT_KEEP_ORDER, NULL);
  demand.calls_left = 0;
}

static void after_another_save(ga_integrator *it, const ga_problem *p) {
  advance(it, 10 * p->h);
  save(it, path_of("other"));
  advance(it, 5 * p->h);
  save(it, path_of("state"));
  content first = read_all(path_of("state"));
  save(it, path_of("state"));
  content second = read_all(path_of("state"));
  assert_int_equal(first.n, second.n);
  assert_memory_equal(first.byte, second.byte, first.n);
}

/* the bytes in memory are those of the file, also at an odd address; a state does not fit into less */
static void check_memory(ga_integrator *it, ga_integrator *other, const char *what,
                         const ga_problem *p) {
  static unsigned char room[1 << 20];
  size_t size = 0, less;
  content file = read_all(path_of("state"));
  must(ga_integrator_load(it, path_of("state")), ga_integrator_error(it));
  must(ga_integrator_save_memory(it, NULL, &size), ga_integrator_error(it));
  assert_int_equal(size, file.n);
  assert_true(size + 1 < sizeof room);
  less = size - 1;
  assert_int_equal(ga_integrator_save_memory(it, room, &less), GA_ERR_ARG);
  assert_int_equal(less, size);
  must(ga_integrator_save_memory(it, room + 1, &size), ga_integrator_error(it));
  assert_memory_equal(room + 1, file.byte, size);
  view expected = go_on(it, p);
  must(ga_integrator_load_memory(other, room + 1, size), ga_integrator_error(other));
  view resumed = go_on(other, p);
  assert_same(what, &expected, &resumed);
}

static void check_resume(const ga_problem *p, const ga_options *o, preparation prepare) {
  char what[96];
  snprintf(what, sizeof what, "%s, %s %s, %s", p->name, o->method, o->variant, o->linsol);
  ga_integrator *it = started(p, o), *other = fresh(p, o);
  prepare(it, p);
  save(it, path_of("state"));
  view saved = view_of(it, &p->model);
  view expected = go_on(it, p);

  load(other, path_of("state")); /* before any start */
  view loaded = view_of(other, &p->model);
  assert_same(what, &saved, &loaded);
  view resumed = go_on(other, p);
  assert_same(what, &expected, &resumed);

  load(it, path_of("state")); /* back, in an integrator with a past */
  resumed = go_on(it, p);
  assert_same(what, &expected, &resumed);
  check_memory(it, other, what, p);
  ga_integrator_free(it);
  ga_integrator_free(other);
  assert_int_equal(files_in_folder(".tmp", false), 0);
}

static void test_resume(void **state) {
  const preparation *prepare = *state;
  for (int s = 0; s < SUBJECTS; s++) {
    ga_problem *p = open_subject(&subjects[s]);
    int count = 0;
    for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL; count++) {
      /* of variants all but the first take one solver, in turn */
      for (int l = 0; l < 2; l++) {
        if (is_variant(m) && l != count % 2) continue;
        ga_options o = options_of(p, m, solvers[l]);
        o.project_every = 8 * (count % 2);
        check_resume(p, &o, *prepare);
      }
    }
    close_subject(p);
  }
  /* the solvers for graphs that are not chains */
  ga_problem *p = open_subject(&(subject){"net", 6});
  for (int l = 2; ga_linsol_name(l); l++) {
    for (int m = 0; m < 2; m++) {
      ga_options o = options_of(p, all_methods[m], ga_linsol_name(l));
      check_resume(p, &o, *prepare);
    }
  }
  close_subject(p);
}

int main(void) {
  static const struct {
    const char *name;
    preparation prepare;
  } all[] = {{"just started", just_started},         {"between steps", between_steps},
             {"after set_step", after_set_step},     {"after projections", after_projection},
             {"after failed steps", after_failures}, {"after another save", after_another_save}};
  enum { COUNT = (int)(sizeof all / sizeof all[0]) };
  struct CMUnitTest tests[COUNT];
  for (int i = 0; i < COUNT; i++) {
    tests[i] = (struct CMUnitTest){.name = all[i].name,
                                   .test_func = test_resume,
                                   .initial_state = (void *)(uintptr_t)&all[i].prepare};
  }
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
