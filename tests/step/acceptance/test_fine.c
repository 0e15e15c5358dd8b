/* SPDX-License-Identifier: MIT */
/* Steps so long and springs so stiff that q_1 is a small difference of large summands: one last
 * digit of v' moves the spring's force by more than it may be out of balance
 * (src/step/acceptance/fine.h). */
#include <float.h>

#include "support.h"

static struct { double stiffness, drag; } spring;

/* two masses of 1 and 3 with a spring between them, both in the same wind */
static int masses(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = 1, M->val[3] = 3;
  return 0;
}
static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t;
  double pull = spring.stiffness * (q[1] - q[0]);
  F[0] = pull - spring.stiffness * q[0] - spring.drag * v[0];
  F[1] = -pull - spring.drag * v[1];
  return 0;
}

typedef struct {
  double balance;   /* largest |M v' - F| in units of the bound, */
  double recursion; /* largest error of v_1 in units of 32 roundings of its summands, */
  double cancelled; /* largest h |v| over |q|: how much smaller q_1 is than its summands */
  double v[2], a[2];
  bool started;
  double gamma;
} watcher;

/* in long double: |M v' - F| <= 1e-8 (|M v'| + |F|) + 100 eps (|K||q| + |C||v|) */
static int watch(void *context, const ga_state *s, const ga_stats *stats) {
  watcher *w = context;
  (void)stats;
  const long double k = spring.stiffness, c = spring.drag, m[2] = {1, 3};
  const long double q0 = s->q[0], q1 = s->q[1];
  const long double F[2] = {k * (q1 - q0) - k * q0 - c * s->v[0], -k * (q1 - q0) - c * s->v[1]};
  const long double size[2] = {k * (2 * fabsl(q0) + fabsl(q1)), k * (fabsl(q0) + fabsl(q1))};
  for (int i = 0; i < 2 && s->h > 0; i++) {
    long double inertia = m[i] * s->vd[i], h = s->h;
    long double bound = 1e-8L * (fabsl(inertia) + fabsl(F[i])) +
                        100 * (long double)DBL_EPSILON * (size[i] + c * fabsl(s->v[i]));
    w->balance = fmax(w->balance, (double)(fabsl(inertia - F[i]) / bound));
    w->cancelled = fmax(w->cancelled, (double)(h * fabsl(s->v[i]) / fabsl(s->q[i])));
    if (!w->started) continue;
    long double moved = h * ((1 - w->gamma) * w->a[i] + w->gamma * s->a[i]);
    long double sum = fabs(w->v[i]) + h * (fabs(w->a[i]) + fabs(s->a[i]) + 2 * fabs(s->vd[i]));
    w->recursion = fmax(w->recursion, (double)(fabsl(s->v[i] - w->v[i] - moved) /
                                               (32 * (long double)DBL_EPSILON * sum)));
  }
  w->started = s->h > 0;
  memcpy(w->v, s->v, sizeof w->v);
  memcpy(w->a, s->a, sizeof w->a);
  return 0;
}

static watcher run(const char *method, double rho, double h) {
  const ga_model_ops ops = {.mass = masses, .force = force};
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_options o = ga_options_default();
  must(ga_space_rn(2, &space), NULL);
  const ga_model model = {.ops = &ops, .space = space, .const_mass = true};
  const double q0[2] = {0.01, -0.02}, v0[2] = {1, -2};
  o.method = method;
  o.h = h;
  o.par = ga_params_rho(rho);
  watcher w = {.gamma = o.par.gamma};
  must(ga_integrator_new(&model, &o, &it, NULL), NULL);
  ga_integrator_observe(it, watch, &w);
  must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
  must(ga_integrator_run(it, 40 * h), ga_integrator_error(it));
  ga_integrator_free(it);
  ga_space_free(space);
  return w;
}

static void test_stiff_springs(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3"};
  double cancelled = 0;
  for (int m = 0; m < 2; m++) {
    for (double rho = 0; rho < 1; rho += 0.3) {
      for (spring.stiffness = 1e6; spring.stiffness < 1e14; spring.stiffness *= 30) {
        for (double h = 1e-3; h < 1; h *= 7) {
          spring.drag = rho == 0.3 ? 1e3 : 0;
          watcher w = run(methods[m], rho, h);
          if (!(w.balance <= 1) || !(w.recursion <= 1)) {
            fail_msg("%s, rho %g, k %g, h %g: out of balance by %.2g bounds, v_1 by %.2g",
                     methods[m], rho, spring.stiffness, h, w.balance, w.recursion);
          }
          cancelled = fmax(cancelled, w.cancelled);
        }
      }
    }
  }
  assert_true(cancelled > 1e4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stiff_springs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
