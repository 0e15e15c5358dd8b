/* SPDX-License-Identifier: MIT */
/* States kept in memory are the integrator's own, bit by bit: at all steps, at every third, at
 * given times. Memory that is refused ends the run and leaves what was kept. */
#include <stdlib.h>
#include "problems/problems.h"
#include "support.h"

static ga_recorder *observed(const ga_problem *p, const ga_options *o, ga_integrator **it) {
  ga_recorder *record = NULL;
  must(ga_recorder_new(&p->model, &record), NULL);
  *it = started(p, o);
  ga_integrator_observe(*it, ga_recorder_observe, record);
  return record;
}

static void same_row(const ga_model *m, const ga_recorder *record, long i, const ga_state *s) {
  const ga_state row = ga_recorder_state(record, i);
  const size_t nq = (size_t)ga_space_nq(m->space), nv = (size_t)ga_space_nv(m->space);
  assert_true(row.t == s->t);
  assert_memory_equal(row.q, s->q, nq * sizeof(double));
  assert_memory_equal(row.v, s->v, nv * sizeof(double));
  assert_memory_equal(row.vd, s->vd, nv * sizeof(double));
  assert_memory_equal(row.lam, s->lam, (size_t)m->nlam * sizeof(double));
  if (m->npsi) assert_memory_equal(row.psi, s->psi, (size_t)m->npsi * sizeof(double));
}

/* more rows than the first room, so that the arrays grow twice */
static void every_step(void **state) {
  (void)state;
  const char *const names[] = {"heavy-top", "rolling-disk"};
  for (int n = 0; n < 2; n++) {
    ga_problem *p = problem_named(names[n]);
    ga_options o = ga_options_default();
    ga_integrator *it, *again = started(p, &o);
    ga_recorder *record = observed(p, &o, &it);
    must(ga_recorder_add(record, ga_integrator_state(it)), NULL);
    must(ga_integrator_run(it, 0.2), ga_integrator_error(it));
    assert_int_equal(ga_recorder_rows(record), 201);
    for (long i = 0; i <= 200; i++) {
      if (i > 0) must(ga_integrator_step(again), ga_integrator_error(again));
      same_row(&p->model, record, i, ga_integrator_state(again));
    }
    assert_near("h", ga_recorder_state(record, 7).h, 1e-3, 1e-12);
    assert_int_equal(ga_recorder_width(record, GA_STATE_Q), ga_space_nq(p->model.space));
    assert_int_equal(ga_recorder_width(record, GA_STATE_PSI), p->model.npsi);
    ga_integrator_free(it);
    ga_integrator_free(again);
    ga_recorder_free(record);
    ga_problem_free(p);
  }
}

static void every_third(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  ga_integrator *it;
  ga_recorder *record = observed(p, &o, &it);
  assert_int_equal(ga_recorder_every(record, 0), GA_ERR_ARG);
  must(ga_recorder_every(record, 3), NULL);
  must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
  must(ga_integrator_run(it, 0.01), ga_integrator_error(it));
  const double *t = ga_recorder_field(record, GA_STATE_T);
  assert_int_equal(ga_recorder_rows(record), 4);
  for (int i = 0; i < 4; i++) assert_true(fabs(t[i] - 3e-3 * i) < 1e-15);
  /* the last state is kept once */
  must(ga_recorder_add(record, ga_integrator_state(it)), NULL);
  must(ga_recorder_add(record, ga_integrator_state(it)), NULL);
  assert_int_equal(ga_recorder_rows(record), 5);
  same_row(&p->model, record, 4, ga_integrator_state(it));
  ga_integrator_free(it);
  ga_recorder_free(record);
  ga_problem_free(p);
}

/* at t = 0.0025 the dense output between the second and the third step, at 0.004 a step itself */
static void given_times(void **state) {
  (void)state;
  const double times[] = {-1, 0, 0.0025, 0.0025, 0.004, 0.5}, unsorted[] = {1, 0};
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  ga_integrator *it, *again = started(p, &o);
  ga_recorder *record = observed(p, &o, &it);
  assert_int_equal(ga_recorder_times(record, it, unsorted, 2), GA_ERR_ARG);
  must(ga_recorder_times(record, it, times, 6), NULL);
  must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
  must(ga_integrator_run(it, 0.01), ga_integrator_error(it));
  assert_int_equal(ga_recorder_rows(record), 4);
  same_row(&p->model, record, 0, ga_integrator_state(again));
  for (int i = 0; i < 3; i++) must(ga_integrator_step(again), ga_integrator_error(again));
  double q[7], v[6], vd[6], lam[3];
  must(ga_integrator_dense_output(again, 0.0025, q, v, vd, lam, NULL), ga_integrator_error(again));
  const ga_state between = {.t = 0.0025, .q = q, .v = v, .vd = vd, .lam = lam};
  same_row(&p->model, record, 1, &between);
  same_row(&p->model, record, 2, &between);
  must(ga_integrator_step(again), ga_integrator_error(again));
  same_row(&p->model, record, 3, ga_integrator_state(again));
  ga_integrator_free(it);
  ga_integrator_free(again);
  ga_recorder_free(record);
  ga_problem_free(p);
}

static bool refuse;
static void *sometimes(size_t count, size_t size) {
  return refuse ? NULL : calloc(count, size);
}

static void no_memory(void **state) {
  (void)state;
  ga_set_allocator(sometimes, free);
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  ga_integrator *it;
  ga_recorder *record = observed(p, &o, &it);
  must(ga_integrator_step(it),
       ga_integrator_error(it)); /* the solver allocates in the first step */
  must(ga_recorder_reserve(record, 100), NULL);
  refuse = true;
  assert_int_equal(ga_integrator_run(it, 1), GA_STOPPED);
  assert_int_equal(ga_recorder_status(record), GA_ERR_MEM);
  assert_int_equal(ga_recorder_rows(record), 100);
  assert_int_equal(ga_recorder_reserve(record, 1L << 62), GA_ERR_MEM);
  ga_recorder *none = NULL;
  assert_int_equal(ga_recorder_new(&p->model, &none), GA_ERR_MEM);
  refuse = false;
  ga_integrator_free(it);
  ga_recorder_free(record);
  ga_recorder_free(NULL);
  ga_problem_free(p);
  ga_set_allocator(NULL, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_step), cmocka_unit_test(every_third),
                                     cmocka_unit_test(given_times), cmocka_unit_test(no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
