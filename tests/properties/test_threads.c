/* SPDX-License-Identifier: MIT */
/* Integrators in several threads over one const model; also run under the thread sanitizer. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "methods.h"
#include "problems/problems.h"
#include "separate.h"

enum { THREADS = 2 };

typedef struct {
  const ga_problem *p;
  const ga_method *method;
  const char *solver;
  ga_status status;
  double q[SUPPORT_MAX], lam[SUPPORT_MAX];
} job;

static void *work(void *context) {
  job *j = context;
  const ga_model *model = &j->p->model;
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  use_method(&o, j->method);
  o.linsol = j->solver;
  j->status = ga_integrator_new(model, &o, &it, NULL);
  if (j->status == GA_OK) j->status = ga_integrator_start(it, 0, j->p->q0, j->p->v0);
  if (j->status == GA_OK) j->status = ga_integrator_run(it, 0.1);
  if (j->status == GA_OK) {
    const ga_state *s = ga_integrator_state(it);
    memcpy(j->q, s->q, (size_t)ga_space_nq(model->space) * sizeof(double));
    memcpy(j->lam, s->lam, (size_t)model->nlam * sizeof(double));
  }
  ga_integrator_free(it);
  return NULL;
}

/* the same bits in each thread and without threads */
static void check(const ga_problem *p, const ga_method *method, const char *solver) {
  job jobs[THREADS + 1];
  pthread_t thread[THREADS];
  for (int i = 0; i <= THREADS; i++) {
    memset(&jobs[i], 0, sizeof jobs[i]);
    jobs[i].p = p, jobs[i].method = method, jobs[i].solver = solver;
  }
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
  work(&jobs[THREADS]);
  assert_int_equal(jobs[THREADS].status, GA_OK);
  for (int i = 0; i < THREADS; i++) {
    assert_memory_equal(&jobs[i].status, &jobs[THREADS].status, sizeof jobs[i].status);
    assert_memory_equal(jobs[i].q, jobs[THREADS].q, sizeof jobs[i].q);
    assert_memory_equal(jobs[i].lam, jobs[THREADS].lam, sizeof jobs[i].lam);
  }
}

static void test_threads(void **state) {
  (void)state;
  const char *const problems[] = {"heavy-top", "slider-crank", "chain"};
  for (int k = 0; k < 3; k++) {
    ga_problem *p = problem_named(problems[k]);
    for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
      for (int s = 0; ga_linsol_name(s); s++) check(p, m, ga_linsol_name(s));
    }
    ga_problem_free(p);
  }
}

/* runs side by side: the same bits with any number of threads */
static void test_extrapolation(void **state) {
  (void)state;
  const char *const problems[] = {"heavy-top", "chain"};
  for (int k = 0; k < 4; k++) {
    ga_problem *p = problem_named(problems[k / 2]);
    const ga_model *model = &p->model;
    double q[6][SUPPORT_MAX] = {{0}}, lam[6][SUPPORT_MAX] = {{0}};
    ga_errors error[6] = {{0}};
    for (int n = 0; n < 6; n++) { /* 0: one for each processor */
      ga_options o = ga_options_default();
      ga_extrapolator *x = NULL;
      o.h = 2e-3;
      must(ga_extrapolator_new(model, &o, 3, &x, NULL), NULL);
      ga_extrapolator_set_threads(x, n);
      if (k % 2 == 1) {
        ga_extrapolator_set_steps(x, GA_STEPS_HARMONIC);
        ga_extrapolator_set_multipliers(x, GA_MULTIPLIERS_CONSISTENT);
      }
      must(ga_extrapolator_start(x, 0, p->q0, p->v0), ga_extrapolator_error(x));
      must(ga_extrapolator_run(x, 0.02), ga_extrapolator_error(x));
      const ga_extrapolated *end = ga_extrapolator_state(x);
      memcpy(q[n], end->state.q, (size_t)ga_space_nq(model->space) * sizeof(double));
      memcpy(lam[n], end->state.lam, (size_t)model->nlam * sizeof(double));
      error[n] = end->error;
      ga_extrapolator_free(x);
      assert_memory_equal(q[n], q[0], sizeof q[0]);
      assert_memory_equal(lam[n], lam[0], sizeof lam[0]);
      assert_memory_equal(&error[n], &error[0], sizeof error[0]);
    }
    assert_true(error[0].lam > 0);
    ga_problem_free(p);
  }
}

/* the heavy top, whose force waits, once it may, until a second thread has come */
static struct {
  const ga_model *model;
  pthread_mutex_t lock;
  pthread_cond_t second;
  pthread_t first;
  bool waits;
  int threads;
} meeting = {.lock = PTHREAD_MUTEX_INITIALIZER, .second = PTHREAD_COND_INITIALIZER};

static int meeting_force(void *user, double t, const double *q, const double *v, double *F) {
  pthread_mutex_lock(&meeting.lock);
  if (meeting.waits && meeting.threads == 0) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 20;
    meeting.threads = 1;
    meeting.first = pthread_self();
    while (meeting.threads == 1 &&
           pthread_cond_timedwait(&meeting.second, &meeting.lock, &end) == 0) {
    }
  } else if (meeting.waits && !pthread_equal(pthread_self(), meeting.first)) {
    meeting.threads = 2;
    pthread_cond_signal(&meeting.second);
  }
  pthread_mutex_unlock(&meeting.lock);
  return separate_force(user, t, q, v, F);
}

/* two threads, if they are asked for, are at work at the same time */
static void test_side_by_side(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_model_ops ops = separate_ops(&p->model);
  ga_model model = p->model;
  ga_options o = ga_options_default();
  ga_extrapolator *x = NULL;
  ops.force = meeting_force;
  model.ops = &ops;
  meeting.model = &p->model;
  must(ga_extrapolator_new(&model, &o, 1, &x, NULL), NULL);
  ga_extrapolator_set_threads(x, 2);
  must(ga_extrapolator_start(x, 0, p->q0, p->v0), ga_extrapolator_error(x));
  meeting.waits = true;
  must(ga_extrapolator_run(x, 0.01), ga_extrapolator_error(x));
  assert_int_equal(meeting.threads, 2);
  ga_extrapolator_free(x);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_extrapolation),
                                     cmocka_unit_test(test_side_by_side)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
