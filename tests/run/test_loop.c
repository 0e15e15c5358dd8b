/* SPDX-License-Identifier: MIT */
/* A step that failed leaves no trace: the run goes on bit by bit like one that never tried it. */
#include "methods.h"
#include "problems/problems.h"
#include "run/integrator.h"
#include "separate.h"

/* A chain of rods in the plane, from the origin on; the last end may have a nonholonomic
 * constraint. The mass depends on q, so that M, G and the forces change from iterate to iterate.
 * Every callback counts its calls; the call of number fail_at asks for a smaller step. */
enum { RODS_MAX = 4, N_MAX = 2 * RODS_MAX, STEPS = 16 };
typedef struct {
  int rods;
  long calls, fail_at;
} faults;

static int call(faults *f) {
  return ++f->calls == f->fail_at;
}
static int chain_mass(void *user, double t, const double *q, ga_csr *M) {
  faults *f = user;
  int n = 2 * f->rods;
  (void)t;
  for (int i = 0; i < n; i++) M->val[i * n + i] = 1 + 0.1 * q[i] * q[i];
  return call(f);
}
static int chain_force(void *user, double t, const double *q, const double *v, double *F) {
  faults *f = user;
  (void)t;
  for (int i = 0; i < 2 * f->rods; i++) {
    F[i] = (i % 2 ? -9.81 : 0) - v[i] * fabs(v[i]) - q[i] * q[i] * q[i];
  }
  return call(f);
}
/* x of a point minus that of the one before, for the coordinate i */
static double along(const double *x, int i) {
  return i < 2 ? x[i] : x[i] - x[i - 2];
}
static int chain_holonomic(void *user, double t, const double *q, double *g) {
  faults *f = user;
  (void)t;
  for (int r = 0; r < f->rods; r++) {
    double x = along(q, 2 * r), y = along(q, 2 * r + 1);
    g[r] = (x * x + y * y - 1) / 2;
  }
  return call(f);
}
/* D_q g, and D_q(G v), which is the same of v */
static void put_rods(int rods, const double *x, ga_csr *A) {
  int n = 2 * rods;
  for (int r = 0; r < rods; r++) {
    for (int i = 2 * r; i < 2 * r + 2; i++) {
      A->val[r * n + i] = along(x, i);
      if (r > 0) A->val[r * n + i - 2] = -along(x, i);
    }
  }
}
static int chain_jac(void *user, double t, const double *q, ga_csr *G) {
  faults *f = user;
  (void)t;
  put_rods(f->rods, q, G);
  return call(f);
}
static int chain_curv(void *user, double t, const double *q, const double *v, ga_csr *Z) {
  faults *f = user;
  (void)t, (void)q;
  put_rods(f->rods, v, Z);
  return call(f);
}
static int chain_drift(void *user, double t, const double *q, const double *v, double *drift) {
  faults *f = user;
  (void)t, (void)q;
  for (int r = 0; r < f->rods; r++) {
    double x = along(v, 2 * r), y = along(v, 2 * r + 1);
    drift[r] = x * x + y * y;
  }
  return call(f);
}
/* the last end rises with a slope that depends on its place */
static int end_nonholonomic(void *user, double t, const double *q, const double *v, double *k) {
  faults *f = user;
  int x = 2 * f->rods - 2;
  (void)t;
  k[0] = v[x + 1] - 0.3 * sin(q[x]) * v[x];
  return call(f);
}
static int end_jac(void *user, double t, const double *q, const double *v, ga_csr *H) {
  faults *f = user;
  int x = 2 * f->rods - 2;
  (void)t, (void)v;
  H->val[x] = -0.3 * sin(q[x]);
  H->val[x + 1] = 1;
  return call(f);
}
static int end_drift(void *user, double t, const double *q, const double *v, double *drift) {
  faults *f = user;
  int x = 2 * f->rods - 2;
  (void)t;
  drift[0] = -0.3 * cos(q[x]) * v[x] * v[x];
  return call(f);
}
static const ga_model_ops bare_ops = {.mass = chain_mass,
                                      .force = chain_force,
                                      .holonomic = chain_holonomic,
                                      .nonholonomic = end_nonholonomic};
static const ga_model_ops given_ops = {.mass = chain_mass,
                                       .force = chain_force,
                                       .holonomic = chain_holonomic,
                                       .holonomic_jac = chain_jac,
                                       .holonomic_curv = chain_curv,
                                       .holonomic_drift = chain_drift,
                                       .nonholonomic = end_nonholonomic,
                                       .nonholonomic_jac = end_jac,
                                       .nonholonomic_drift = end_drift};
static const double q0[N_MAX] = {1, 0, 1, 1, 2, 1, 2, 2}, v0[N_MAX] = {0};

static ga_integrator *chain_start(const ga_model *model, const ga_options *o) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(model, o, &it, &err), &err);
  must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
  return it;
}

/* all bits of the accepted state after a number of steps; what a model has not stays zero */
typedef struct {
  double t, h, q[N_MAX], v[N_MAX], vd[N_MAX], a[N_MAX], lam[RODS_MAX], psi[1];
} bits;

static bits bits_of(const ga_integrator *it) {
  const ga_state *s = ga_integrator_state(it);
  size_t of_n = (size_t)it->eval.nv * sizeof(double);
  bits b = {.t = s->t, .h = s->h};
  memcpy(b.q, s->q, of_n);
  memcpy(b.v, s->v, of_n);
  memcpy(b.vd, s->vd, of_n);
  memcpy(b.a, s->a, of_n);
  memcpy(b.lam, s->lam, (size_t)it->eval.nlam * sizeof(double));
  memcpy(b.psi, s->psi, (size_t)it->eval.npsi * sizeof(double));
  return b;
}

/* ---- fixed steps --------------------------------------------------------------------------- */

/* one way to compute the steps */
typedef struct {
  const char *name;
  const ga_model_ops *ops;
  int rods, npsi;
  const char *linsol;
  double h;
  int stride;        /* of the calls that fail; every failing step begins with another one */
  int project_every; /* 0: no projections */
} setting;

/* One call of a callback fails, in one of several steps, at any place of the step; the step is
 * repeated. Returns how many steps began with factors of an earlier one. */
static long fail_once(const setting *way, const ga_model *model, const ga_method *m) {
  static const int failing[] = {0, 1, 4, 11};
  faults *f = model->user;
  ga_options o = ga_options_default();
  long began[STEPS + 1];
  use_method(&o, m);
  o.h = way->h;
  o.linsol = way->linsol;
  o.project_every = way->project_every;
  *f = (faults){.rods = way->rods};
  ga_integrator *it = chain_start(model, &o);
  for (int n = 0; n < STEPS; n++) {
    began[n] = f->calls;
    must(ga_integrator_step(it), ga_integrator_error(it));
  }
  began[STEPS] = f->calls;
  bits undisturbed = bits_of(it);
  long reused = ga_integrator_stats(it)->steps - ga_integrator_stats(it)->matrices;
  ga_integrator_free(it);
  for (int i = 0; i < 4; i++) {
    int at = failing[i];
    for (long k = began[at] + 1 + i; k <= began[at + 1]; k += way->stride) {
      *f = (faults){.rods = way->rods, .fail_at = k};
      it = chain_start(model, &o);
      for (int n = 0; n < STEPS; n++) {
        bits before = bits_of(it);
        ga_status status = ga_integrator_step(it);
        if ((status > 0) != (n == at)) fail_msg("%s, %s: step %d", way->name, method_text(m), n);
        if (status == GA_OK) continue;
        bits now = bits_of(it);
        if (memcmp(&before, &now, sizeof now) != 0 || ga_integrator_stats(it)->steps != n) {
          fail_msg("%s, %s: failure of call %ld of step %d changed the state", way->name,
                   method_text(m), k - began[at], at);
        }
        must(ga_integrator_step(it), ga_integrator_error(it));
      }
      bits b = bits_of(it);
      if (memcmp(&b, &undisturbed, sizeof b) != 0) {
        fail_msg("%s, %s: failure of call %ld of step %d left a trace", way->name, method_text(m),
                 k - began[at], at);
      }
      assert_int_equal(ga_integrator_stats(it)->failed, 1);
      ga_integrator_free(it);
    }
  }
  return reused;
}

static long fail_all_methods(const setting *way) {
  ga_space *space = NULL;
  must(ga_space_rn(2 * way->rods, &space), NULL);
  faults f = {.rods = way->rods};
  ga_model_ops ops = *way->ops;
  if (way->npsi == 0) ops.nonholonomic = NULL, ops.nonholonomic_jac = NULL;
  if (way->npsi == 0) ops.nonholonomic_drift = NULL;
  const ga_model model = {
      .ops = &ops, .user = &f, .space = space, .nlam = way->rods, .npsi = way->npsi};
  long reused = 0;
  for (const ga_method *m = NULL; (m = next_method(m, &model, q0)) != NULL;) {
    reused += fail_once(way, &model, m);
  }
  ga_space_free(space);
  return reused;
}

static const setting settings[] = {
    {"differences", &bare_ops, 2, 0, "dense", 0.01, 3, 0},
    {"differences, klu", &bare_ops, 2, 0, "klu", 0.01, 11, 0},
    {"differences, nonholonomic", &bare_ops, 2, 1, "dense", 0.01, 11, 0},
    {"given", &given_ops, 2, 1, "dense", 0.01, 3, 0},
    {"given, klu", &given_ops, 2, 1, "klu", 0.01, 5, 0},
    {"kept", &given_ops, 4, 0, "klu", 0.001, 5, 0},
    {"kept, dense", &given_ops, 4, 0, "dense", 0.001, 3, 0},
    {"kept, nonholonomic", &given_ops, 4, 1, "klu", 0.001, 5, 0},
    {"projected", &given_ops, 2, 1, "dense", 0.01, 2, 1},
    {"projected, klu", &given_ops, 4, 0, "klu", 0.01, 7, 2},
    {"projected, differences", &bare_ops, 2, 0, "dense", 0.01, 13, 1},
    {"kept, differences", &bare_ops, 3, 0, "dense", 0.001, 13, 0},
};

static void test_failed_once(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    long reused = fail_all_methods(&settings[i]);
    if (settings[i].h < 0.01) assert_true(reused > 0);
  }
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

/* A run of automatic steps in which a call of any callback fails, and one that is given its
 * accepted sizes: the failure has no effect but the smaller step. Matrices are renewed in each step,
 * as automatic sizes keep them longer than given ones. */
static void fail_automatic(const ga_model *model, const ga_method *m, const char *linsol, long k) {
  faults *f = model->user;
  ga_options o = ga_options_default();
  use_method(&o, m);
  o.linsol = linsol;
  o.h = 0.01;
  o.rtol = 1e-3;
  o.newton_tol = 1e-12;
  o.matrix_every = 1;
  *f = (faults){.rods = model->nlam};
  ga_integrator *it = chain_start(model, &o), *again;
  double first = it->mem.h;
  f->calls = 0;
  f->fail_at = k;
  ga_integrator_observe(it, note, NULL);
  must(ga_integrator_run(it, 0.15), ga_integrator_error(it));
  long steps = ga_integrator_stats(it)->steps;
  /* a look at the motion to come, after a rejected step from rest, may fail without a step */
  assert_true(ga_integrator_stats(it)->failed <= 1);
  o.rtol = 0;
  o.h = first;
  o.step_size = replay;
  o.step_context = &steps;
  *f = (faults){.rods = model->nlam};
  again = chain_start(model, &o);
  must(ga_integrator_run(again, 0.15), ga_integrator_error(again));
  assert_int_equal(ga_integrator_stats(again)->steps, steps);
  bits a = bits_of(it), b = bits_of(again);
  if (memcmp(&a, &b, sizeof a) != 0) {
    fail_msg("automatic, %s, %s: failure of call %ld left a trace", linsol, method_text(m), k);
  }
  ga_integrator_free(it);
  ga_integrator_free(again);
}

static void test_failed_chain(void **state) {
  (void)state;
  static const char *const solvers[] = {"dense", "klu"};
  ga_space *space = NULL;
  must(ga_space_rn(4, &space), NULL);
  faults f = {.rods = 2};
  const ga_model model = {.ops = &given_ops, .user = &f, .space = space, .nlam = 2, .npsi = 1};
  for (const ga_method *m = NULL; (m = next_method(m, &model, q0)) != NULL;) {
    for (long k = 3; k < 2000; k += 47) fail_automatic(&model, m, solvers[k % 2], k);
  }
  ga_space_free(space);
}

/* The same of a mechanism with a stiff spring, by its force alone. */
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
      o.newton_tol = 1e-12;
      o.h = p->h;
      o.rtol = 1e-4;
      injected = (faults){.fail_at = k};
      ga_integrator *it = started(p, &o), *again;
      double first = it->mem.h;
      ga_integrator_observe(it, note, NULL);
      must(ga_integrator_run(it, 0.01), ga_integrator_error(it));
      long steps = ga_integrator_stats(it)->steps;
      /* a call of the error estimate may fail without a step */
      assert_true(ga_integrator_stats(it)->failed <= 1);
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
      cmocka_unit_test(test_failed_chain),
      cmocka_unit_test(test_failed_automatic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
