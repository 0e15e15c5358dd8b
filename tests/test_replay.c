/* SPDX-License-Identifier: MIT */
/* A step that failed leaves no trace: the run goes on bit by bit like one that never tried it. */
#include "methods.h"
#include "run/integrator.h"
#include "separate.h"

/* A chain of two rods in the plane. Every callback counts its calls; the call of number fail_at
 * asks for a smaller step. */
enum { N = 4, ROWS = 2, STEPS = 40 };
typedef struct {
  long calls, fail_at;
} faults;

static int call(void *user) {
  faults *f = user;
  return ++f->calls == f->fail_at;
}
static int chain_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)t;
  for (int i = 0; i < N; i++) M->val[i * N + i] = 1 + 0.1 * q[i] * q[i];
  return call(user);
}
static int chain_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)t;
  for (int i = 0; i < N; i++) F[i] = (i % 2 ? -9.81 : 0) - v[i] * fabs(v[i]) - q[i] * q[i] * q[i];
  return call(user);
}
static int chain_holonomic(void *user, double t, const double *q, double *g) {
  (void)t;
  double x = q[2] - q[0], y = q[3] - q[1];
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  g[1] = (x * x + y * y - 1) / 2;
  return call(user);
}
static const ga_model_ops chain_ops = {
    .mass = chain_mass, .force = chain_force, .holonomic = chain_holonomic};
static const double q0[N] = {1, 0, 1, 1}, v0[N] = {0, 0, 0, 0};

static ga_integrator *chain_start(const ga_model *model, const ga_options *o) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(model, o, &it, &err), &err);
  must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
  return it;
}

/* all bits of the accepted state after a number of steps */
typedef struct {
  double q[N], v[N], vd[N], a[N], lam[ROWS];
} bits;

static bits bits_of(const ga_integrator *it) {
  const ga_state *s = ga_integrator_state(it);
  bits b;
  memcpy(b.q, s->q, sizeof b.q);
  memcpy(b.v, s->v, sizeof b.v);
  memcpy(b.vd, s->vd, sizeof b.vd);
  memcpy(b.a, s->a, sizeof b.a);
  memcpy(b.lam, s->lam, sizeof b.lam);
  return b;
}

static void assert_same_bits(const char *what, long place, const bits *a, const bits *b) {
  if (memcmp(a, b, sizeof *a) != 0) fail_msg("%s: failure of call %ld left a trace", what, place);
}

/* Fixed steps. One call of a callback fails, in one of several steps, at any place of the step; the
 * step is repeated. */
static void test_failed_once(void **state) {
  (void)state;
  ga_space *space = NULL;
  must(ga_space_rn(N, &space), NULL);
  faults f = {0};
  const ga_model model = {.ops = &chain_ops, .user = &f, .space = space, .nlam = ROWS};
  for (const ga_method *m = NULL; (m = next_method(m, &model, q0)) != NULL;) {
    ga_options o = ga_options_default();
    long began[STEPS + 1];
    use_method(&o, m);
    o.h = 0.01;
    f = (faults){0};
    ga_integrator *it = chain_start(&model, &o);
    for (int n = 0; n < STEPS; n++) {
      began[n] = f.calls;
      must(ga_integrator_step(it), ga_integrator_error(it));
    }
    began[STEPS] = f.calls;
    bits undisturbed = bits_of(it);
    ga_integrator_free(it);
    for (int at = 0; at < STEPS; at += 13) {
      for (long k = began[at] + 1; k <= began[at + 1]; k += 29) {
        f = (faults){.fail_at = k};
        it = chain_start(&model, &o);
        for (int n = 0; n < STEPS; n++) {
          ga_status status = ga_integrator_step(it);
          assert_true((status > 0) == (n == at));
          if (status > 0) must(ga_integrator_step(it), ga_integrator_error(it));
        }
        bits b = bits_of(it);
        assert_same_bits(method_text(m), k, &b, &undisturbed);
        assert_int_equal(ga_integrator_stats(it)->failed, 1);
        ga_integrator_free(it);
      }
    }
  }
  ga_space_free(space);
}

/* ---- automatic steps --------------------------------------------------------------------- */

enum { STEPS_MAX = 1000, NA = 7 };
static double sizes[STEPS_MAX];
static faults injected;
static int (*andrews_force)(void *user, double t, const double *q, const double *v, double *F);

static int faulty_force(void *user, double t, const double *q, const double *v, double *F) {
  int failed = call(&injected);
  return failed ? failed : andrews_force(user, t, q, v, F);
}
static int note(void *context, const ga_state *s, const ga_stats *stats) {
  (void)context;
  assert_true(stats->steps < STEPS_MAX);
  if (stats->steps > 0) sizes[stats->steps - 1] = s->h;
  return 0;
}
static double replay(void *context, long n, double t) {
  (void)t;
  const long *steps = context;
  assert_true(n < *steps);
  return sizes[n];
}

/* A run of automatic steps in which a call fails, and one that is given its accepted sizes: the
 * failure has no effect but the smaller step. */
static void test_failed_automatic(void **state) {
  (void)state;
  const char *const methods[] = {"stab2", "index3", "soi2", "hht"};
  ga_problem *p = problem_named("andrews");
  ga_model_ops ops = separate_ops(&p->model);
  andrews_force = ops.force;
  ops.force = faulty_force;
  p->model.ops = &ops;
  for (int m = 0; m < 4; m++) {
    for (long k = 60; k < 160; k += 20) {
      ga_options o = ga_options_default();
      o.method = methods[m];
      o.matrix_every = 1;
      o.h = p->h;
      o.rtol = 1e-5;
      injected = (faults){.fail_at = k};
      ga_integrator *it = started(p, &o), *again;
      double first = it->mem.h;
      ga_integrator_observe(it, note, NULL);
      must(ga_integrator_run(it, 0.01), ga_integrator_error(it));
      long steps = ga_integrator_stats(it)->steps;
      assert_int_equal(ga_integrator_stats(it)->failed, 1);
      o.rtol = 0;
      o.h = first; /* the history of the start is made for it */
      o.step_size = replay;
      o.step_context = &steps;
      injected = (faults){0};
      again = started(p, &o);
      must(ga_integrator_run(again, 0.01), ga_integrator_error(again));
      assert_int_equal(ga_integrator_stats(again)->steps, steps);
      assert_int_equal(ga_integrator_stats(again)->failed, 0);
      const ga_state *a = ga_integrator_state(it), *b = ga_integrator_state(again);
      assert_memory_equal(a->q, b->q, NA * sizeof(double));
      assert_memory_equal(a->v, b->v, NA * sizeof(double));
      assert_memory_equal(a->a, b->a, NA * sizeof(double));
      assert_memory_equal(a->lam, b->lam, (NA - 1) * sizeof(double));
      ga_integrator_free(it);
      ga_integrator_free(again);
    }
  }
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_failed_once),
      cmocka_unit_test(test_failed_automatic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
