/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
/* A process that fails: all processes end with the same status and one message, and none waits for
 * another. Faults of random kinds on random processes at random calls. */
#include "crew_run.h"
#include "support.h"

/* Memory: the request `refused` of this thread, counted downwards, gets none. */
static _Thread_local long refused = -1;

static void *allocate(size_t count, size_t size) {
  return refused >= 0 && refused-- == 0 ? NULL : calloc(count, size);
}

static unsigned long seed = 12345;

static long random_below(long n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (long)((seed >> 33) % (unsigned long)n);
}

static run_case case_of(int kind) {
  static const char *const methods[] = {"stab2", "index3", "index2", "soi2"};
  run_case c = {.options = ga_options_default(), .t_end = 0.012, .level = NAN};
  c.options.method = methods[kind % 4];
  c.options.h = 2e-3;
  if (kind % 3 == 1) {
    c.options.rtol = 1e-4, c.options.atol = 1e-6;
    c.options.h_min = 1e-5;
  }
  if (kind % 5 == 2) c.level = -1e-4, c.watched = 4;
  return c;
}

static bool reports(const char *text) {
  int process;
  for (const char *at = text; (at = strstr(at, "process ")) != NULL; at++) {
    if (sscanf(at, "process %d failed: ", &process) == 1 && strstr(at, " failed: ")) return true;
  }
  return false;
}

/* the same status everywhere; one text, of one process or of all, which the others pass on */
static void assert_one_message(const crew_party *p, const char *what) {
  const run_result *first = &p->job[0].out;
  int speakers = 0, speaker = 0;
  for (int r = 0; r < p->size; r++) {
    const run_result *out = &p->job[r].out;
    if (out->status != first->status) {
      fail_msg("%s: status %d on process 0, %d on process %d (%s)", what, first->status,
               out->status, r, out->error.text);
    }
    if (!reports(out->error.text)) speakers++, speaker = r;
  }
  if (first->status == GA_OK || first->status == GA_EVENT || p->size == 1) return;
  const char *text = p->job[speaker].out.error.text;
  if (speakers == 0 || text[0] == '\0') fail_msg("%s: nobody says why", what);
  for (int r = 0; r < p->size; r++) {
    const char *other = p->job[r].out.error.text;
    if (speakers == p->size) assert_string_equal(other, text);
    /* the last words of the message are those of the process that failed */
    const char *tail = text + (strlen(text) > 40 ? strlen(text) - 40 : 0);
    if (!strstr(other, tail) && strlen(other) < 500)
      fail_msg("%s: '%s' and '%s'", what, text, other);
  }
  if (speakers != 1 && speakers != p->size) fail_msg("%s: %d processes speak", what, speakers);
}

/* how often each process's model is asked in a run without faults */
static long calls_of(const whole_system *s, int size, const run_case *c) {
  crew_party p;
  party_make(&p, s, size, c);
  party_run(&p);
  long calls = p.job[0].subdomain->calls;
  assert_one_message(&p, "no fault");
  assert_false(p.crew->broken);
  party_free(&p);
  return calls;
}

static void test_faults(void **state) {
  (void)state;
  enum { TRIALS = 300 };
  whole_system systems[] = {whole_chain(7), whole_net(3, 1), whole_net(2, 2)};
  int failed = 0, recovered = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    const whole_system *s = &systems[trial % 3];
    int size = 2 + trial % 3;
    run_case c = case_of(trial);
    long calls = calls_of(s, size, &c);
    crew_party p;
    party_make(&p, s, size, &c);
    subdomain_model *subdomain = p.job[random_below(size)].subdomain;
    subdomain->fault = (subdomain_fault)(1 + random_below(FAULT_SINGULAR));
    subdomain->fault_from = random_below(calls);
    subdomain->fault_to = random_below(2) ? subdomain->fault_from + 1 + random_below(3) : 1000000;
    char what[120];
    snprintf(what, sizeof what, "trial %d: fault %d at call %ld of %ld, %d processes, %s", trial,
             subdomain->fault, subdomain->fault_from, calls, size, c.options.method);
    party_run(&p);
    if (p.crew->broken) fail_msg("%s: %s", what, p.crew->why);
    assert_one_message(&p, what);
    failed += p.job[0].out.status != GA_OK && p.job[0].out.status != GA_EVENT;
    recovered += p.job[0].out.status == GA_OK;
    party_free(&p);
  }
  /* faults are found, and those that pass are survived */
  print_message("%d of %d trials failed, %d went on\n", failed, TRIALS, recovered);
  assert_true(failed > TRIALS / 3 && recovered > TRIALS / 20);
  for (int k = 0; k < 3; k++) whole_system_free(&systems[k]);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* the request of this number gets no memory */
static void run_short(crew_job *job) {
  refused = *(const long *)job->context;
  job->out = run_subdomain(job->subdomain, job->run, &job->crew->team[job->process]);
  refused = -1;
}

static void test_memory(void **state) {
  (void)state;
  whole_system s = whole_chain(5);
  run_case c = case_of(0);
  int refusals = 0;
  ga_set_allocator(allocate, free);
  for (long request = 0; request < 120; request++) {
    crew_party p;
    long never = -1;
    int size = 2 + (int)(request % 2), poor = (int)(request % size);
    party_make(&p, &s, size, &c);
    for (int r = 0; r < size; r++) {
      p.job[r].instead = run_short;
      p.job[r].context = r == poor ? &request : &never;
    }
    party_run(&p);
    if (p.crew->broken) fail_msg("request %ld: %s", request, p.crew->why);
    char what[40];
    snprintf(what, sizeof what, "request %ld", request);
    assert_one_message(&p, what);
    ga_status status = p.job[0].out.status;
    assert_true(status == GA_OK || status == GA_ERR_MEM);
    refusals += status == GA_ERR_MEM;
    party_free(&p);
  }
  ga_set_allocator(NULL, NULL);
  print_message("%d of 120 requests were needed\n", refusals);
  assert_true(refusals > 10);
  whole_system_free(&s);
}

/* ---- observers and events ---------------------------------------------------------------------
 */

typedef struct {
  long stop_at;
  bool nan;
} witness;

static int stop(void *context, const ga_state *s, const ga_stats *stats) {
  const witness *w = context;
  (void)s;
  return stats->steps == w->stop_at;
}

static double value(void *context, const ga_state *s) {
  const witness *w = context;
  return w->nan && s->t > 0.005 ? NAN : 1;
}

static void run_watched_by(crew_job *job) {
  ga_options o = job->run->options;
  ga_integrator *it = NULL;
  int nv = PER * job->subdomain->nbody;
  double *q0 = malloc((size_t)nv * sizeof(double)), *v0 = calloc((size_t)nv, sizeof(double));
  o.team = &job->crew->team[job->process];
  subdomain_take(job->subdomain, job->subdomain->whole->q0, q0);
  job->out.status = ga_integrator_new(&job->subdomain->model, &o, &it, &job->out.error);
  if (job->out.status == GA_OK) {
    ga_integrator_observe(it, stop, job->context);
    ga_integrator_add_event(it, &(ga_event){.value = value, .context = job->context});
    job->out.status = ga_integrator_start(it, 0, q0, v0);
    if (job->out.status == GA_OK) job->out.status = ga_integrator_run(it, 0.02);
    job->out.error = *ga_integrator_error(it);
    job->out.t = ga_integrator_state(it)->t;
  }
  ga_integrator_free(it);
  free(q0);
  free(v0);
}

/* an observer that stops on one process, a value of an event that is NaN on one process */
static void test_witnesses(void **state) {
  (void)state;
  whole_system s = whole_chain(7);
  run_case c = case_of(0);
  for (int nan = 0; nan < 2; nan++) {
    witness calm = {-1, false}, one = {nan ? -1 : 3, nan};
    crew_party p;
    party_make(&p, &s, 3, &c);
    for (int r = 0; r < 3; r++) {
      p.job[r].instead = run_watched_by;
      p.job[r].context = r == 1 ? &one : &calm;
    }
    party_run(&p);
    assert_false(p.crew->broken);
    assert_one_message(&p, nan ? "an event" : "an observer");
    for (int r = 0; r < 3; r++) {
      assert_int_equal(p.job[r].out.status, nan ? GA_ERR_MODEL : GA_STOPPED);
      assert_true(fabs(p.job[r].out.t - 0.006) < 1e-12);
    }
    assert_non_null(strstr(p.job[0].out.error.text, "process 1 failed: "));
    assert_null(strstr(p.job[1].out.error.text, "failed"));
    party_free(&p);
  }
  whole_system_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_faults),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_witnesses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
