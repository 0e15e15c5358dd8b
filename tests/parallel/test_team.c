/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
/* The kernel in a team: subdomains of a system on several processes against the whole on one. */
#include "crew_run.h"
#include "problems/problems.h"
#include "run/integrator.h"
#include "support.h"

static run_case plain(const char *method, double t_end) {
  run_case c = {.options = ga_options_default(), .t_end = t_end, .level = NAN};
  c.options.method = method;
  return c;
}

static run_result alone(const whole_system *s, const run_case *c) {
  subdomain_model *whole = subdomain_new(s, 0, 1, false);
  run_result out = run_subdomain(whole, c, NULL);
  subdomain_free(whole);
  if (out.status < 0) print_error("%s\n", out.error.text);
  return out;
}

/* bodies of several processes have the same bits there */
static void assert_same_bits(const crew_party *p, int n) {
  double *q = malloc((size_t)n * sizeof(double)), *v = malloc((size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) q[i] = v[i] = NAN;
  for (int r = 0; r < p->size; r++) {
    const crew_job *job = &p->job[r];
    for (int i = 0; i < job->out.nv; i++) {
      long k = job->subdomain->velocity[i];
      assert_true(isnan(q[k]) || memcmp(&q[k], &job->out.q[i], sizeof q[k]) == 0);
      assert_true(isnan(v[k]) || memcmp(&v[k], &job->out.v[i], sizeof v[k]) == 0);
      q[k] = job->out.q[i], v[k] = job->out.v[i];
    }
  }
  free(q);
  free(v);
}

typedef struct {
  double qv, lam;
} limits;

/* runs of 1 to 4 processes agree with that of one without a team; same status, steps, events */
static void assert_agrees(const whole_system *s, const run_case *c, limits allowed) {
  run_result whole = alone(s, c);
  for (int size = 1; size <= 4; size++) {
    crew_party p;
    party_make(&p, s, size, c);
    party_run(&p);
    if (p.crew->broken) fail_msg("%s, %d processes: %s", c->options.method, size, p.crew->why);
    for (int r = 0; r < size; r++) {
      const run_result *out = &p.job[r].out;
      if (out->status != whole.status) fail_msg("process %d: %s", r, out->error.text);
      assert_int_equal(out->stats.steps, whole.stats.steps);
      assert_int_equal(out->stats.rejected, whole.stats.rejected);
      assert_int_equal(out->stats.events, whole.stats.events);
      assert_true(fabs(out->t - whole.t) <= 1e-12);
      subdomain_errors e = run_compare(p.job[r].subdomain, out, &whole, p.lam_before[r]);
      if (!(e.q <= allowed.qv && e.v <= allowed.qv && e.lam <= allowed.lam)) {
        fail_msg("%s, process %d of %d: errors %g in q, %g in v, %g in lam", c->options.method, r,
                 size, e.q, e.v, e.lam);
      }
      assert_true(out->stats.max_g == p.job[0].out.stats.max_g);
      assert_int_equal(out->stats.newton_its, p.job[0].out.stats.newton_its);
    }
    assert_same_bits(&p, PER * s->n);
    party_free(&p);
  }
  run_free(&whole);
}

static const limits strict = {1e-10, 1e-8};
/* index3 divides the rounding of positions by h^2: lam of two runs differs by that */
static const limits loose = {1e-8, 1e-4};

static limits limits_of(const char *method) {
  return strcmp(method, "index3") == 0 ? loose : strict;
}

static void test_methods(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3", "index2", "index1", "soi2", "hht"};
  whole_system s = whole_chain(12);
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    run_case c = plain(methods[m], 0.05);
    assert_agrees(&s, &c, limits_of(methods[m]));
  }
  whole_system_free(&s);
}

/* the systems are the built-in problems: their processes agree with those, too */
static void test_problems(void **state) {
  (void)state;
  static const char *const names[] = {"chain", "net", "lattice"};
  whole_system systems[] = {whole_chain(6), whole_net(3, 1), whole_net(2, 2)};
  static const int sizes[] = {6, 3, 2};
  for (int k = 0; k < 3; k++) {
    ga_problem *problem = NULL;
    ga_error err = {0};
    run_case c = plain("stab2", 0.1);
    ga_problem_options size = ga_problem_options_default();
    size.size = sizes[k];
    must(ga_problem_new(names[k], &size, &problem, &err), &err);
    ga_integrator *it = started(problem, &c.options);
    must(ga_integrator_run(it, c.t_end), ga_integrator_error(it));
    run_result whole = alone(&systems[k], &c);
    assert_true(vector_error(whole.nv, whole.q, ga_integrator_state(it)->q) < 1e-12);
    assert_true(vector_error(whole.nlam, whole.lam, ga_integrator_state(it)->lam) < 1e-9);
    run_free(&whole);
    ga_integrator_free(it);
    ga_problem_free(problem);
    whole_system_free(&systems[k]);
  }
}

/* a nonholonomic constraint that one process alone has */
static void test_edges(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3", "index2", "soi2"};
  whole_system s = whole_edged_chain(9, 3);
  subdomain_model *whole = subdomain_new(&s, 0, 1, false);
  double v[PER * 9];
  ga_error err;
  for (int i = 0; i < PER * 9; i++) v[i] = i % 3 - 1 + 0.1 * i;
  s.q0[11] += 0.3;
  must(ga_model_check_derivatives(&whole->model, 0, s.q0, v, NULL, &err), &err);
  s.q0[11] -= 0.3;
  subdomain_free(whole);
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    run_case c = plain(methods[m], 0.05);
    assert_agrees(&s, &c, limits_of(methods[m]));
  }
  whole_system_free(&s);
}

/* derivatives by differences: each process forms those of its own subdomain */
static void test_differences(void **state) {
  (void)state;
  static const ga_model_ops ops = {.evaluate = subdomain_evaluate};
  whole_system s = whole_chain(6);
  run_case c = plain("stab2", 0.02);
  subdomain_model *model = subdomain_new(&s, 0, 1, false);
  model->model.ops = &ops;
  run_result whole = run_subdomain(model, &c, NULL);
  assert_int_equal(whole.status, GA_OK);
  for (int size = 1; size <= 3; size++) {
    crew_party p;
    party_make(&p, &s, size, &c);
    for (int r = 0; r < size; r++) p.job[r].subdomain->model.ops = &ops;
    party_run(&p);
    assert_false(p.crew->broken);
    for (int r = 0; r < size; r++) {
      const run_result *out = &p.job[r].out;
      if (out->status != GA_OK) fail_msg("process %d: %s", r, out->error.text);
      subdomain_errors e = run_compare(p.job[r].subdomain, out, &whole, p.lam_before[r]);
      assert_int_equal(out->stats.steps, whole.stats.steps);
      if (!(e.q < 1e-10 && e.v < 1e-9 && e.lam < 1e-7)) {
        fail_msg("process %d of %d: errors %g, %g, %g", r, size, e.q, e.v, e.lam);
      }
    }
    party_free(&p);
  }
  run_free(&whole);
  subdomain_free(model);
  whole_system_free(&s);
}

static void test_systems(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3"};
  whole_system systems[] = {whole_chain(60), whole_net(6, 1), whole_net(3, 3)};
  for (int k = 0; k < 3; k++) {
    for (int m = 0; m < 2; m++) {
      run_case c = plain(methods[m], 0.05);
      assert_agrees(&systems[k], &c, limits_of(methods[m]));
    }
    whole_system_free(&systems[k]);
  }
}

/* The factors at hand take part in the estimate of the error, and how long they are kept is a
 * question of their costs, which are those of the solver: each step gets its own. */
static void automatic(run_case *c) {
  c->options.rtol = 1e-4, c->options.atol = 1e-6;
  c->options.matrix_every = 1;
}

static void test_automatic_steps(void **state) {
  (void)state;
  whole_system systems[] = {whole_chain(8), whole_net(4, 1), whole_net(3, 2)};
  for (int k = 0; k < 3; k++) {
    run_case c = plain("stab2", 0.5);
    automatic(&c);
    assert_agrees(&systems[k], &c, strict);
    whole_system_free(&systems[k]);
  }
}

/* one process has the body that an event watches, the others return a constant */
static void test_events(void **state) {
  (void)state;
  whole_system s = whole_chain(8);
  for (int given = 0; given < 2; given++) {
    for (int terminal = 0; terminal < 2; terminal++) {
      run_case c = plain("stab2", 0.3);
      if (!given) automatic(&c);
      c.watched = PER * 2 + 1, c.level = -0.1, c.terminal = terminal;
      run_result whole = alone(&s, &c);
      assert_int_equal(whole.status, terminal ? GA_EVENT : GA_OK);
      assert_int_equal(whole.stats.events, 1);
      run_free(&whole);
      assert_agrees(&s, &c, strict);
    }
  }
  whole_system_free(&s);
}

/* steps of several sizes, projections, a start off the constraints, all starting values */
static void test_options(void **state) {
  (void)state;
  whole_system s = whole_chain(8);
  run_case c = plain("index3", 0.05);
  c.options.h_seq = "1/3,2/3,1";
  c.options.project_every = 7;
  assert_agrees(&s, &c, loose);
  c = plain("index3", 0.02);
  c.options.start = GA_START_IMPLICIT;
  assert_agrees(&s, &c, loose);
  c = plain("soi2", 0.02);
  c.options.start = GA_START_IMPLICIT;
  assert_agrees(&s, &c, strict);
  c = plain("index3", 0.02);
  c.options.start = GA_START_PERTURBED;
  assert_agrees(&s, &c, loose);
  for (int i = 0; i < 8; i++) s.q0[PER * i + 1] += 1e-3 * i * i;
  c = plain("stab2", 0.02);
  c.options.initial = GA_INITIAL_PROJECT;
  assert_agrees(&s, &c, strict);
  whole_system_free(&s);
}

/* ---- a state saved and loaded on every process
 * ------------------------------------------------- */

static void save_and_load(crew_job *job) {
  ga_options o = job->run->options;
  ga_integrator *it[2] = {NULL, NULL};
  int nv = PER * job->subdomain->nbody;
  double *q0 = malloc((size_t)nv * sizeof(double)), *v0 = calloc((size_t)nv, sizeof(double));
  char path[80];
  snprintf(path, sizeof path, "test_team_%d.state", job->process);
  o.team = &job->crew->team[job->process];
  subdomain_take(job->subdomain, job->subdomain->whole->q0, q0);
  ga_status status = GA_OK;
  for (int k = 0; k < 2 && status == GA_OK; k++) {
    status = ga_integrator_new(&job->subdomain->model, &o, &it[k], NULL);
    if (status != GA_OK) break;
    status = k == 0 ? ga_integrator_start(it[k], 0, q0, v0) : ga_integrator_load(it[k], path);
    if (status == GA_OK && k == 0) status = ga_integrator_run(it[k], 0.02);
    if (status == GA_OK && k == 0) status = ga_integrator_save(it[k], path);
    if (status == GA_OK) status = ga_integrator_run(it[k], 0.04);
  }
  bool same =
      status == GA_OK && memcmp(ga_integrator_state(it[0])->q, ga_integrator_state(it[1])->q,
                                (size_t)nv * sizeof(double)) == 0;
  job->out.status = same ? status : GA_ERR_FILE;
  ga_integrator_free(it[0]);
  ga_integrator_free(it[1]);
  remove(path);
  free(q0);
  free(v0);
}

static void test_saved_state(void **state) {
  (void)state;
  whole_system s = whole_chain(9);
  run_case c = plain("stab2", 0);
  for (int given = 1; given >= 0; given--) {
    crew_party p;
    if (!given) automatic(&c);
    party_make(&p, &s, 3, &c);
    for (int r = 0; r < 3; r++) p.job[r].instead = save_and_load;
    party_run(&p);
    assert_false(p.crew->broken);
    for (int r = 0; r < 3; r++) assert_int_equal(p.job[r].out.status, GA_OK);
    party_free(&p);
  }
  whole_system_free(&s);
}

/* ---- connected components ---------------------------------------------------------------------
 */

static void count_spans(crew_job *job) {
  ga_options o = job->run->options;
  ga_integrator *it = NULL;
  o.team = &job->crew->team[job->process];
  job->out.status = ga_integrator_new(&job->subdomain->model, &o, &it, &job->out.error);
  if (job->out.status == GA_OK) job->out.nlam = it->step.newton.acceptance.sub.joint;
  ga_integrator_free(it);
}

/* bodies that constraints or springs connect are one subsystem, over however many processes it
 * goes */
static void test_spans(void **state) {
  (void)state;
  whole_system systems[] = {whole_chain(20), whole_net(5, 1), whole_net(3, 3)};
  /* springs connect the three layers of the lattice */
  static const int expected[][5] = {{0, 0, 1, 1, 1}, {0, 0, 1, 1, 1}, {0, 0, 1, 1, 1}};
  run_case c = plain("stab2", 0);
  for (int k = 0; k < 3; k++) {
    for (int size = 1; size <= 4; size++) {
      crew_party p;
      party_make(&p, &systems[k], size, &c);
      for (int r = 0; r < size; r++) p.job[r].instead = count_spans;
      party_run(&p);
      assert_false(p.crew->broken);
      for (int r = 0; r < size; r++) {
        assert_int_equal(p.job[r].out.status, GA_OK);
        assert_int_equal(p.job[r].out.nlam, expected[k][size]);
      }
      party_free(&p);
    }
    whole_system_free(&systems[k]);
  }
}

/* ---- what is refused ---------------------------------------------------------------------------
 */

/* all processes refuse with the same status, and one of them says this */
static void assert_all_refuse(crew_party *p, ga_status status, const char *text) {
  bool said = false;
  party_run(p);
  if (p->crew->broken) fail_msg("%s: %s", text, p->crew->why);
  for (int r = 0; r < p->size; r++) {
    assert_int_equal(p->job[r].out.status, status);
    said |= strstr(p->job[r].out.error.text, text) != NULL;
  }
  if (!said) fail_msg("'%s' is not in '%s'", text, p->job[0].out.error.text);
  party_free(p);
}

static void test_refusals(void **state) {
  (void)state;
  whole_system s = whole_chain(6);
  run_case c = plain("stab2", 0.01), other = c;
  crew_party p;
  c.options.redundant = GA_REDUNDANT_ALLOW;
  party_make(&p, &s, 2, &c);
  assert_all_refuse(&p, GA_ERR_ARG, "redundant = allow is not possible in a team");
  c = other;
  other.options.h = 2e-3;
  party_make(&p, &s, 2, &c);
  p.job[1].run = &other;
  assert_all_refuse(&p, GA_ERR_ARG, "the processes of the team have different options");
  other = c;
  other.options.h_min = 1e-4, other.options.h_max = 1e-2; /* with the same sum */
  c.options.h_min = 2e-4, c.options.h_max = 1e-2 - 1e-4;
  party_make(&p, &s, 2, &c);
  p.job[1].run = &other;
  assert_all_refuse(&p, GA_ERR_ARG, "the processes of the team have different options");
  c = plain("stab2", 0.01), other = c;
  other.t_end = 0.02;
  party_make(&p, &s, 2, &c);
  p.job[1].run = &other;
  assert_all_refuse(&p, GA_ERR_ARG, "the same end of the run");
  other = c;
  other.level = -1, other.watched = 4; /* an event that the first process does not have */
  party_make(&p, &s, 2, &c);
  p.job[1].run = &other;
  assert_all_refuse(&p, GA_ERR_ARG, "the same number of events");
  party_make(&p, &s, 2, &c);
  p.crew->team[1].nv--;
  assert_all_refuse(&p, GA_ERR_ARG, "the team was made for");
  party_make(&p, &s, 2, &c);
  for (int i = 0; i < p.crew->team[0].nv; i++) p.crew->member[0].owned[i] = false;
  assert_all_refuse(&p, GA_ERR_ARG, "the whole system has 18");
  s.q0[PER * 3 + 1] += 0.01; /* a joint is open */
  party_make(&p, &s, 2, &c);
  assert_all_refuse(&p, GA_ERR_INITIAL, "start values violate the holonomic constraint");
  whole_system_free(&s);
}

static void test_no_extrapolation(void **state) {
  (void)state;
  whole_system s = whole_chain(3);
  run_case c = plain("stab2", 0.01);
  crew_party p;
  ga_extrapolator *x = NULL;
  ga_error err;
  party_make(&p, &s, 1, &c);
  c.options.team = &p.crew->team[0];
  assert_int_equal(ga_extrapolator_new(&p.job[0].subdomain->model, &c.options, 1, &x, &err),
                   GA_ERR_ARG);
  assert_non_null(strstr(err.text, "extrapolation is not possible in a team"));
  static const ga_team_ops nothing = {0};
  ga_integrator *it = NULL;
  p.crew->team[0].ops = &nothing;
  assert_int_equal(ga_integrator_new(&p.job[0].subdomain->model, &c.options, &it, &err),
                   GA_ERR_ARG);
  assert_string_equal(err.text, "the team lacks sum_shared, reduce or linsol");
  party_free(&p);
  whole_system_free(&s);
}

/* no velocity may be without mass on all processes */
static void test_singular(void **state) {
  (void)state;
  whole_system s = whole_chain(6);
  run_case c = plain("stab2", 0.01);
  crew_party p;
  s.mass[2] = 0;
  for (int i = 0; i < s.count; i++) {
    if (s.list[i].kind == JOINT && s.list[i].b == 5) s.list[i] = (element){BODY, 5, 5};
  }
  party_make(&p, &s, 3, &c);
  assert_all_refuse(&p, GA_ERR_SINGULAR, "neither mass nor a constraint");
  whole_system_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_methods),     cmocka_unit_test(test_systems),
      cmocka_unit_test(test_edges),       cmocka_unit_test(test_differences),
      cmocka_unit_test(test_problems),    cmocka_unit_test(test_automatic_steps),
      cmocka_unit_test(test_events),      cmocka_unit_test(test_options),
      cmocka_unit_test(test_saved_state), cmocka_unit_test(test_spans),
      cmocka_unit_test(test_refusals),    cmocka_unit_test(test_no_extrapolation),
      cmocka_unit_test(test_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
