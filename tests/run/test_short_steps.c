/* SPDX-License-Identifier: MIT */
/* Times that are very near to each other: runs that end where they are, and steps far below the
 * others, which are carried. */
#include <float.h>

#include "methods.h"
#include "problems/problems.h"
#include "run/integrator.h"
#include "small_models.h"

static const double horizontal[] = {1, 0}, at_rest[] = {0, 0};

/* a pendulum of length 1 released from the horizontal; all derivatives by differences */
static ga_integrator *pendulum(small *s, const ga_options *o) {
  small_open(s, 2, fall_force, true);
  s->model.const_mass = s->model.scleronomic = false;
  return small_start(s, o, horizontal, at_rest);
}

/* lam of the pendulum is -3 g y, from the energy */
static double pendulum_lam(double t) {
  return 3 * 9.81 * sin(rod_angle(t));
}

/* near = 0.05 or 0.1: lam differs from that of a run that went straight there by what the motion
 * changes alone */
static void assert_lam(const ga_integrator *it, double near, double tol) {
  const ga_state *at = ga_integrator_state(it);
  small s;
  ga_options o = *ga_integrator_options(it);
  o.h = 1e-3;
  ga_integrator *straight = pendulum(&s, &o);
  must(ga_integrator_run(straight, near), ga_integrator_error(straight));
  double lam = ga_integrator_state(straight)->lam[0];
  assert_near("lam of the method", lam, pendulum_lam(near), 3e-4);
  lam += pendulum_lam(at->t) - pendulum_lam(near);
  if (!(fabs(at->lam[0] - lam) < tol)) {
    fail_msg("%s: lam = %.10g at t = %.17g, expected %.10g", o.method, at->lam[0], at->t, lam);
  }
  ga_integrator_free(straight);
  small_close(&s);
}

/* The end of a run, and the same time but for a rounding: no step is made, the time is the one
 * asked for, and the run goes on as if nothing had been asked. */
static void test_one_rounding(void **state) {
  (void)state;
  for (int automatic = 0; automatic < 2; automatic++) {
    small s;
    ga_options o = ga_options_default();
    o.rtol = automatic ? 1e-9 : 0;
    o.h_max = INFINITY;
    ga_integrator *it = pendulum(&s, &o);
    must(ga_integrator_run(it, 0.05), ga_integrator_error(it));
    const ga_state *at = ga_integrator_state(it);
    assert_lam(it, 0.05, 1e-6);
    long steps = ga_integrator_stats(it)->steps;
    double lam = at->lam[0], y = at->q[1], t = nextafter(0.05, 9);
    must(ga_integrator_run(it, t), ga_integrator_error(it));
    assert_true(at->t == t && at->lam[0] == lam && at->q[1] == y);
    /* a rounding before it: nothing goes back */
    must(ga_integrator_run(it, nextafter(0.05, 0)), ga_integrator_error(it));
    assert_true(at->t == t && ga_integrator_stats(it)->steps == steps);
    assert_refused(ga_integrator_run(it, 0.05 - 1e-14), ga_integrator_error(it), GA_ERR_ARG,
                   "not before", NULL);
    must(ga_integrator_run(it, 0.1), ga_integrator_error(it));
    assert_true(at->t == 0.1);
    assert_lam(it, 0.1, automatic ? 1e-5 : 1e-6); /* the sizes are not the same */
    if (!automatic) assert_int_equal(ga_integrator_stats(it)->steps, 100);
    ga_integrator_free(it);
    small_close(&s);
  }
}

/* A step of any size after those of 1e-3, asked for as an end or set as a size: q and v move by v
 * and v', lam stays right, and so it does afterwards. */
static void test_any_distance(void **state) {
  (void)state;
  const char *const methods[] = {"stab2", "index3", "soi2", "hht", "index2"};
  for (int m = 0; m < 5; m++) {
    for (int set = 0; set < 2; set++) {
      for (double dt = 1e-8; dt > 3e-17; dt /= 10) {
        small s;
        ga_options o = ga_options_default();
        o.method = methods[m];
        ga_integrator *it = pendulum(&s, &o);
        const ga_state *at = ga_integrator_state(it);
        must(ga_integrator_run(it, 0.05), ga_integrator_error(it));
        double y = at->q[1], v = at->v[1], vd = at->vd[1], t = 0.05 + dt;
        if (set) must(ga_integrator_set_step(it, t - 0.05), NULL);
        must(set ? ga_integrator_step(it) : ga_integrator_run(it, t), ga_integrator_error(it));
        assert_true(at->t == t);
        assert_lam(it, 0.05, 1e-6);
        assert_true(fabs(at->q[1] - y - (t - 0.05) * v) < 1e-15);
        assert_true(fabs(at->v[1] - v - (t - 0.05) * vd) < 1e-15);
        must(ga_integrator_set_step(it, 1e-3), NULL);
        must(ga_integrator_run(it, 0.1), ga_integrator_error(it));
        assert_lam(it, 0.1, 1e-6);
        ga_integrator_free(it);
        small_close(&s);
      }
    }
  }
}

/* every tenth step is followed by one of 1e-10 */
static double with_short(void *context, long n, double t) {
  (void)t;
  return n % 11 == 10 ? 1e-10 : *(const double *)context;
}

/* Order 2 in each variable, right after a short step at the end, for all methods that have it:
 * sizes from a function, and ends of runs. */
static void test_order(void **state) {
  (void)state;
  enum { LEVELS = 3 };
  ga_problem *p = problem_named("rheonomic");
  for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
    for (int ends = 0; ends < 2; ends++) {
      errors e[LEVELS];
      for (int l = 0; l < LEVELS; l++) {
        double h = ldexp(0.01, -l);
        ga_options o = ga_options_default();
        use_method(&o, m);
        o.h = h;
        if (!ends) o.step_size = with_short, o.step_context = &h;
        ga_integrator *it = started(p, &o);
        for (int n = 1; n <= 10; n++) {
          must(ga_integrator_run(it, 0.1 * n), ga_integrator_error(it));
          must(ga_integrator_run(it, 0.1 * n + 1e-10), ga_integrator_error(it));
        }
        truth ref = reference_at(p, 1 + 1e-10);
        e[l] = errors_of(p, ga_integrator_state(it), &ref);
        assert_true(ga_integrator_stats(it)->h_least < 1.001e-10);
        ga_integrator_free(it);
      }
      for (int k = 0; k < ERR_COUNT; k++) {
        if (k == ERR_LAM && rheonomic_lam(m) != LAM_ORDER_2) continue;
        assert_between(method_text(m), slope(e[LEVELS - 2].e[k], e[LEVELS - 1].e[k]), 1.9, 2.3);
      }
    }
  }
  ga_problem_free(p);
}

/* Many short steps in a row: they follow the motion over any distance, the memory does not become
 * old. */
static void test_in_a_row(void **state) {
  (void)state;
  small s;
  small_open(&s, 1, angle_force, false);
  ga_options o = ga_options_default();
  o.h = 1e-2;
  const double q = 1, v = 0;
  ga_integrator *it = small_start(&s, &o, &q, &v);
  must(ga_integrator_run(it, 1), ga_integrator_error(it));
  must(ga_integrator_set_step(it, 1e-8), NULL);
  const ga_state *at = ga_integrator_state(it);
  double q1 = at->q[0], v1 = at->v[0];
  for (int n = 0; n < 20000; n++) must(ga_integrator_step(it), ga_integrator_error(it));
  double dt = at->t - 1, vd = -sin(q1), vdd = -cos(q1) * v1;
  assert_near("time", dt, 2e-4, 1e-10);
  assert_near("v'", at->vd[0], -sin(at->q[0]), 1e-8);
  assert_near("v", at->v[0], v1 + dt * vd + dt * dt / 2 * vdd, 1e-11);
  assert_near("q", at->q[0], q1 + dt * v1 + dt * dt / 2 * vd, 1e-11);
  ga_integrator_free(it);
  small_close(&s);
}

/* Automatic steps to ends that are close to each other: the errors stay those of the tolerance, and
 * the size that was wanted is taken up again. */
static void test_automatic(void **state) {
  (void)state;
  const double distance[] = {1e-15, 1e-12, 1e-10, 1e-8, 1e-6};
  ga_problem *p = problem_named("rheonomic");
  truth ref = reference_at(p, 1);
  ga_options o = ga_options_default();
  o.rtol = 1e-6;
  o.h_max = INFINITY;
  ga_integrator *plain = started(p, &o), *it = started(p, &o);
  must(ga_integrator_run(plain, 1), ga_integrator_error(plain));
  for (int n = 1; n <= 20; n++) {
    for (int k = 0; k < 5; k++) {
      double t = 0.05 * n - distance[4 - k];
      must(ga_integrator_run(it, t), ga_integrator_error(it));
      assert_true(ga_integrator_state(it)->t == t);
    }
  }
  must(ga_integrator_run(it, 1), ga_integrator_error(it));
  errors a = errors_of(p, ga_integrator_state(plain), &ref);
  errors b = errors_of(p, ga_integrator_state(it), &ref);
  for (int k = 0; k < ERR_COUNT; k++) assert_between("error", b.e[k] / a.e[k], 0, 2);
  /* five ends and at most one step cut short at each */
  assert_in_range(ga_integrator_stats(it)->steps, ga_integrator_stats(plain)->steps,
                  ga_integrator_stats(plain)->steps + 20 * 7);
  ga_integrator_free(plain);
  ga_integrator_free(it);
  ga_problem_free(p);
}

/* All is zero at the start, and the first automatic step is as large as one likes: an end before it
 * is not a short step, it is solved. */
static void test_large_guess(void **state) {
  (void)state;
  small s;
  small_open(&s, 1, load_force, false);
  const double zero = 0;
  ga_options o = ga_options_default();
  o.rtol = 1e-4;
  o.h_max = INFINITY;
  ga_integrator *it = small_start(&s, &o, &zero, &zero);
  assert_true(it->h > 1e6);
  must(ga_integrator_run(it, 1), ga_integrator_error(it));
  assert_true(ga_integrator_stats(it)->residuals > 0);
  ga_integrator_free(it);
  small_close(&s);
}

static double tiny_size(void *context, long n, double t) {
  (void)n, (void)t;
  return *(const double *)context;
}

/* A pendulum that turns by 1 rad in 5e-9, far below the size in the options. No step has been made:
 * it is solved, whoever says its size, and be it the end of a run. */
static void test_fast(void **state) {
  (void)state;
  const double fast[] = {0, 2e8};
  double tiny = 5e-9;
  for (int way = 0; way < 4; way++) {
    small s;
    ga_options o = ga_options_default();
    small_open(&s, 2, fall_force, true);
    if (way == 1) o.step_size = tiny_size, o.step_context = &tiny;
    ga_integrator *it = small_start(&s, &o, horizontal, fast);
    const ga_state *at = ga_integrator_state(it);
    if (way == 3 && ga_integrator_step(it) == GA_OK) { /* of 1e-3; a failure is not begun anew */
      must(ga_integrator_start(it, 0, horizontal, fast), ga_integrator_error(it));
    }
    if (way == 0 || way == 3) must(ga_integrator_set_step(it, tiny), NULL);
    for (int n = 1; n < 5; n++) {
      long before = ga_integrator_stats(it)->newton_its;
      must(way == 2 ? ga_integrator_run(it, n * tiny) : ga_integrator_step(it),
           ga_integrator_error(it));
      assert_true(ga_integrator_stats(it)->newton_its > before);
      assert_near("time", at->t, n * tiny, 1e-20);
      assert_near("length", hypot(at->q[0], at->q[1]), 1, 1e-12);
      for (int i = 0; i < 2; i++) {
        double terms = fabs(at->vd[i]) + fabs(at->q[i] * at->lam[0]);
        assert_true(fabs(at->vd[i] + at->q[i] * at->lam[0] + (i ? 9.81 : 0)) < 1e-10 * terms);
      }
    }
    ga_integrator_free(it);
    small_close(&s);
  }
}

/* An end next to the start, of a motion that does not change there, nor at rest: as carried, lam is
 * that of the start. */
static void test_end_at_start(void **state) {
  (void)state;
  const char *const methods[] = {"stab2", "index3", "soi2", "hht", "index2"};
  const double hanging[] = {0, -1};
  for (int m = 0; m < 5; m++) {
    for (int rest = 0; rest < 2; rest++) {
      for (double t = 1e-9; t > 1e-16; t /= 10) {
        small s;
        ga_options o = ga_options_default();
        o.method = methods[m];
        small_open(&s, 2, fall_force, true);
        ga_integrator *it = small_start(&s, &o, rest ? hanging : horizontal, at_rest);
        must(ga_integrator_run(it, t), ga_integrator_error(it));
        double lam = rest ? 9.81 : pendulum_lam(t);
        assert_true(fabs(ga_integrator_state(it)->lam[0] - lam) < 1e-6);
        must(ga_integrator_run(it, 0.05), ga_integrator_error(it));
        lam = rest ? 9.81 : pendulum_lam(0.05);
        assert_near(o.method, ga_integrator_state(it)->lam[0], lam, 3e-4);
        ga_integrator_free(it);
        small_close(&s);
      }
    }
  }
}

typedef struct {
  double at, told;
} alarm_clock;

static double until(void *context, const ga_state *s) {
  return s->t - ((const alarm_clock *)context)->at;
}
static int told(void *context, int event, int sign, const ga_state *s) {
  (void)event, (void)sign;
  ((alarm_clock *)context)->told = s->t;
  return 0;
}

/* Events near the end of a step, inside a short one, and a run that goes on to an end just after
 * the event. Where it ends a run, lam is that of the equations of motion, without the error of the
 * method. */
static void test_events(void **state) {
  (void)state;
  const double at[] = {0.05 - 1e-12, 0.05 - 1e-15, 0.05 + 1e-13, 0.05 + 5e-13, 0.05 + 1e-10};
  for (int terminal = 0; terminal < 2; terminal++) {
    for (int k = 0; k < 5; k++) {
      small s;
      alarm_clock clock = {.at = at[k]};
      ga_options o = ga_options_default();
      ga_integrator *it = pendulum(&s, &o);
      const ga_event event = {
          .value = until, .handler = told, .context = &clock, .terminal = terminal};
      must(ga_integrator_add_event(it, &event), ga_integrator_error(it));
      const double ends[] = {0.05, 0.05 + 1e-12, 0.05 + 1e-9, 0.1};
      for (int e = 0; e < 4; e++) {
        ga_status status = ga_integrator_run(it, ends[e]);
        if (status == GA_EVENT) {
          assert_lam(it, 0.05, 3e-5);
          status = ga_integrator_run(it, ends[e]);
        }
        must(status, ga_integrator_error(it));
        assert_near("end", ga_integrator_state(it)->t, ends[e], 4 * DBL_EPSILON);
        assert_lam(it, e < 3 ? 0.05 : 0.1, terminal ? 3e-5 : 1e-6);
      }
      assert_true(fabs(clock.told - clock.at) <= 4 * DBL_EPSILON);
      assert_int_equal(ga_integrator_stats(it)->events, 1);
      ga_integrator_free(it);
      small_close(&s);
    }
  }
}

/* Dense output inside a short step has the accelerations of its ends, without rounding. */
static void test_dense(void **state) {
  (void)state;
  small s;
  ga_options o = ga_options_default();
  ga_integrator *it = pendulum(&s, &o);
  must(ga_integrator_run(it, 0.05), ga_integrator_error(it));
  must(ga_integrator_run(it, 0.05 + 1e-12), ga_integrator_error(it));
  const ga_state *at = ga_integrator_state(it);
  double q[2], v[2], vd[2], lam;
  must(ga_integrator_dense_output(it, 0.05 + 4e-13, q, v, vd, &lam, NULL), ga_integrator_error(it));
  for (int i = 0; i < 2; i++) {
    assert_true(fabs(q[i] - at->q[i]) < 1e-11 && fabs(v[i] - at->v[i]) < 1e-11);
    assert_true(vd[i] == at->vd[i]);
  }
  assert_near("lam", lam, at->lam[0], 1e-14);
  ga_integrator_free(it);
  small_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_rounding), cmocka_unit_test(test_any_distance),
      cmocka_unit_test(test_order),        cmocka_unit_test(test_in_a_row),
      cmocka_unit_test(test_automatic),    cmocka_unit_test(test_events),
      cmocka_unit_test(test_dense),        cmocka_unit_test(test_large_guess),
      cmocka_unit_test(test_fast),         cmocka_unit_test(test_end_at_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
