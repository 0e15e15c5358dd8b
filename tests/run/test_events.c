/* SPDX-License-Identifier: MIT */
/* Events: times against closed solutions, order, direction, ends of runs, restarts after jumps. */
#include "small_models.h"

enum { RECORDS = 4096 };

/* what handlers are told, in order */
typedef struct {
  int n, stop_at; /* stop_at: the handler ends the run at this one, -1: never */
  int event[RECORDS], sign[RECORDS];
  double t[RECORDS], q[RECORDS], v[RECORDS];
} record;

static int note(void *context, int event, int sign, const ga_state *s) {
  record *r = context;
  assert_true(r->n < RECORDS);
  r->event[r->n] = event;
  r->sign[r->n] = sign;
  r->t[r->n] = s->t;
  r->q[r->n] = s->q[0];
  r->v[r->n] = s->v[0];
  return r->n++ == r->stop_at;
}

static double first_q(void *context, const ga_state *s) {
  (void)context;
  return s->q[0];
}

static double first_v(void *context, const ga_state *s) {
  (void)context;
  return s->v[0];
}

static void add(ga_integrator *it, const ga_event *event) {
  must(ga_integrator_add_event(it, event), ga_integrator_error(it));
}

/* passages of the angle through zero with steps of h */
static void passages(const small *s, double phi, double h, double t_end, record *r) {
  const double v = 0;
  ga_options o = ga_options_default();
  o.h = h;
  o.par = ga_params_rho(1);
  *r = (record){.stop_at = -1};
  ga_integrator *it = small_start(s, &o, &phi, &v);
  add(it, &(ga_event){.value = first_q, .handler = note, .context = r});
  must(ga_integrator_run(it, t_end), ga_integrator_error(it));
  assert_int_equal(ga_integrator_stats(it)->events, r->n);
  assert_int_equal(ga_integrator_event(it), -1);
  ga_integrator_free(it);
}

/* The angle passes zero at (2 i + 1) T/4, T from an elliptic integral. The first passage to 1e-10
 * with steps of 1e-5; ten of them with 2e-3 and 1e-3 after the h^2 term, which is the motion's, has
 * been removed: what is left, that of locating included, is below 1e-10 too. */
static void test_pendulum_times(void **state) {
  (void)state;
  static record r, fine;
  small s;
  small_open(&s, 1, angle_force, false);
  const double phi = 2;
  double quarter = pendulum_period(1, phi) / 4;
  passages(&s, phi, 1e-5, 1.1 * quarter, &r);
  assert_int_equal(r.n, 1);
  assert_true(fabs(r.t[0] - quarter) < 1e-10);
  passages(&s, phi, 2e-3, 20 * quarter, &r);
  passages(&s, phi, 1e-3, 20 * quarter, &fine);
  assert_int_equal(r.n, 10);
  assert_int_equal(fine.n, 10);
  for (int i = 0; i < 10; i++) {
    double exact = (2 * i + 1) * quarter, t = (4 * fine.t[i] - r.t[i]) / 3;
    if (!(fabs(t - exact) < 1e-10)) fail_msg("passage %d at %.15g, not %.15g", i, t, exact);
    assert_int_equal(r.sign[i], i % 2 ? 1 : -1);
    assert_true(fabs(r.q[i]) < 1e-13);
  }
  small_close(&s);
}

/* With constraints, every method, steps of 1e-3: times are smooth functions of h, so that one
 * extrapolation gives 1e-8; they converge with order 2 and no worse than the positions. */
static void test_constrained_times(void **state) {
  (void)state;
  small s;
  small_open(&s, 2, fall_force, true);
  const char *const methods[] = {"stab2", "index3", "soi2", "index2"};
  double exact = pendulum_period(sqrt(9.81), acos(-1) / 2) / 4;
  const double q0[] = {1, 0}, v0[] = {0, 0};
  for (int m = 0; m < 4; m++) {
    double t[3];
    for (int l = 0; l < 3; l++) {
      static record r;
      r = (record){.stop_at = 0};
      ga_options o = ga_options_default();
      o.method = methods[m];
      o.h = ldexp(1e-3, -l);
      ga_integrator *it = small_start(&s, &o, q0, v0);
      add(it, &(ga_event){.value = first_q, .handler = note, .context = &r});
      assert_int_equal(ga_integrator_run(it, 10), GA_EVENT);
      t[l] = r.t[0];
      assert_true(ga_integrator_state(it)->t == t[l]);
      ga_integrator_free(it);
    }
    assert_between(methods[m], slope(fabs(t[0] - exact), fabs(t[1] - exact)), 1.9, 2.1);
    double better = (4 * t[2] - t[1]) / 3;
    if (!(fabs(better - exact) < 1e-9)) fail_msg("%s: %.3g", methods[m], better - exact);
  }
  small_close(&s);
}

/* 1000 crossings of an oscillator and its turning points between them, in order of time */
static void test_thousand(void **state) {
  (void)state;
  static record r;
  small s;
  small_open(&s, 1, load_force, false);
  const double q = 1, v = 0, pi = acos(-1);
  for (int automatic = 0; automatic < 2; automatic++) {
    ga_options o = ga_options_default();
    o.h = 0.02;
    o.par = ga_params_rho(1);
    o.rtol = automatic ? 1e-6 : 0;
    r = (record){.stop_at = -1};
    ga_integrator *it = small_start(&s, &o, &q, &v);
    add(it, &(ga_event){.value = first_q, .handler = note, .context = &r});
    add(it, &(ga_event){.value = first_v, .handler = note, .context = &r});
    must(ga_integrator_run(it, 500 * 2 * pi), ga_integrator_error(it));
    /* the frequency is a little less, so the last of the 1000 may be missing */
    assert_in_range(r.n, 1990, 2000);
    for (int i = 0; i < r.n; i++) {
      if (i > 0) assert_true(r.t[i] > r.t[i - 1]);
      assert_int_equal(r.event[i], i % 2);
      assert_int_equal(r.sign[i], i % 4 == 1 || i % 4 == 2 ? 1 : -1);
      assert_near("time", r.t[i], (i + 1) * pi / 2, 1e-4);
      assert_true(fabs(i % 2 ? r.v[i] : r.q[i]) < 1e-10);
    }
    ga_integrator_free(it);
  }
  small_close(&s);
}

typedef struct {
  record *r;
  double level;
} levelled;

static double level_value(void *context, const ga_state *s) {
  const levelled *l = context;
  return s->q[0] - l->level;
}
static double level_slower(void *context, const ga_state *s) {
  return 1e-3 * level_value(context, s);
}
static double level_time(void *context, const ga_state *s) {
  const levelled *l = context;
  return s->t - l->level;
}
static int level_note(void *context, int event, int sign, const ga_state *s) {
  return note(((levelled *)context)->r, event, sign, s);
}

/* Several in one step: in order of time, whatever their numbers; two at the same time are both
 * told, also when one of them ends the run; later ones of that step are not. */
static void test_several(void **state) {
  (void)state;
  static record r;
  small s;
  small_open(&s, 1, fall_force, false);
  const double q = 100, v = 0;
  for (int ends = 0; ends < 2; ends++) {
    r = (record){.stop_at = -1};
    ga_options o = ga_options_default();
    o.h = 1;
    ga_integrator *it = small_start(&s, &o, &q, &v);
    double t2 = sqrt(2 * 2.0 / 9.81), t1 = sqrt(2 * 1.0 / 9.81);
    levelled late = {&r, 97}, same = {&r, 98}, early = {&r, 99}, clock = {&r, (t1 + t2) / 2};
    add(it, &(ga_event){.value = level_value, .handler = level_note, .context = &late});
    add(it, &(ga_event){.value = level_value, .handler = level_note, .context = &same});
    add(it, &(ga_event){
                .value = level_slower, .handler = level_note, .context = &same, .terminal = ends});
    add(it, &(ga_event){.value = level_value, .handler = level_note, .context = &early});
    add(it, &(ga_event){.value = level_time, .handler = level_note, .context = &clock});
    ga_status status = ga_integrator_run(it, 1);
    const int order[] = {3, 4, 1, 2, 0};
    assert_int_equal(status, ends ? GA_EVENT : GA_OK);
    assert_int_equal(r.n, ends ? 4 : 5);
    for (int i = 0; i < r.n; i++) {
      bool pair = order[i] == 1 || order[i] == 2;
      if (pair) {
        assert_true(r.event[i] == 1 || r.event[i] == 2);
      } else {
        assert_int_equal(r.event[i], order[i]);
      }
    }
    assert_int_not_equal(r.event[2], r.event[3]);
    /* free fall is integrated exactly, as is the cubic through it */
    assert_near("first", r.t[0], t1, 1e-14);
    assert_near("clock", r.t[1], (t1 + t2) / 2, 1e-14);
    assert_near("pair", r.t[2], t2, 1e-14);
    assert_near("pair", r.t[3], t2, 1e-14);
    if (ends) {
      assert_int_equal(ga_integrator_event(it), 2);
      assert_near("end", ga_integrator_state(it)->t, t2, 1e-14);
      assert_near("q there", ga_integrator_state(it)->q[0], 98, 1e-14);
      /* it may simply go on: the event is not found again, the later one is */
      must(ga_integrator_run(it, 1), ga_integrator_error(it));
      assert_int_equal(r.n, 5);
      assert_int_equal(r.event[4], 0);
      assert_int_equal(ga_integrator_event(it), -1);
    }
    assert_near("fall", ga_integrator_state(it)->q[0], 100 - 9.81 / 2, 1e-13);
    ga_integrator_free(it);
  }
  small_close(&s);
}

static void test_direction(void **state) {
  (void)state;
  static record r;
  const double pi = acos(-1), q = 0.5, v = 0;
  small s;
  small_open(&s, 1, load_force, false);
  const ga_direction directions[] = {GA_EVENT_ANY, GA_EVENT_RISING, GA_EVENT_FALLING};
  const int expected[] = {10, 5, 5};
  for (int d = 0; d < 3; d++) {
    r = (record){.stop_at = -1};
    ga_options o = ga_options_default();
    o.h = 0.1;
    o.par = ga_params_rho(1);
    ga_integrator *it = small_start(&s, &o, &q, &v);
    add(it,
        &(ga_event){.value = first_q, .handler = note, .context = &r, .direction = directions[d]});
    must(ga_integrator_run(it, 10 * pi), ga_integrator_error(it));
    assert_int_equal(r.n, expected[d]);
    for (int i = 0; i < r.n; i++) {
      if (d > 0) assert_int_equal(r.sign[i], (int)directions[d]);
    }
    ga_integrator_clear_events(it);
    must(ga_integrator_run(it, 20 * pi), ga_integrator_error(it));
    assert_int_equal(r.n, expected[d]);
    ga_integrator_free(it);
  }
  /* tol is kept: located no better than asked, and no worse */
  double t[2];
  for (int k = 0; k < 2; k++) {
    r = (record){.stop_at = -1};
    ga_options o = ga_options_default();
    o.h = 0.1;
    ga_integrator *it = small_start(&s, &o, &q, &v);
    add(it, &(ga_event){.value = first_q, .handler = note, .context = &r, .tol = k * 1e-3});
    must(ga_integrator_run(it, 2), ga_integrator_error(it));
    t[k] = r.t[0];
    ga_integrator_free(it);
  }
  assert_true(fabs(t[0] - t[1]) <= 1e-3);
  small_close(&s);
}

/* A ball that loses a fifth of its speed at each bounce: v_n = 0.8^n v_0, the times are a geometric
 * sum. Free fall is exact, so everything is, but for rounding. */
static void test_bounces(void **state) {
  (void)state;
  small s;
  small_open(&s, 1, fall_force, false);
  for (int automatic = 0; automatic < 2; automatic++) {
    const double q0 = 1, v0 = 0;
    ga_options o = ga_options_default();
    o.h = 0.01;
    o.rtol = automatic ? 1e-6 : 0;
    o.h_max = automatic ? 0.1 : 0; /* the error is zero: steps would grow without end */
    ga_integrator *it = small_start(&s, &o, &q0, &v0);
    add(it, &(ga_event){.value = first_q, .direction = GA_EVENT_FALLING, .terminal = true});
    double t = sqrt(2 / 9.81), speed = 9.81 * t;
    for (int bounce = 0; bounce < 20; bounce++) {
      assert_int_equal(ga_integrator_run(it, 100), GA_EVENT);
      const ga_state *now = ga_integrator_state(it);
      assert_int_equal(ga_integrator_event(it), 0);
      assert_near("time of a bounce", now->t, t, 1e-11);
      assert_near("speed", now->v[0], -speed, 1e-10);
      if (!(fabs(now->q[0]) < 1e-13)) fail_msg("bounce %d: q = %g", bounce, now->q[0]);
      speed *= 0.8;
      t += 2 * speed / 9.81;
      const double up = speed;
      must(ga_integrator_restart(it, NULL, &up), ga_integrator_error(it));
      assert_true(ga_integrator_state(it)->v[0] == speed);
    }
    const ga_stats *stats = ga_integrator_stats(it);
    assert_int_equal(stats->events, 20);
    assert_true(stats->steps > 20);
    ga_integrator_free(it);
  }
  small_close(&s);
}

/* A ball thrown up passes a level just below its highest point twice inside one step: up, and down
 * again, at t = u/g -+ sqrt(2 eps/g). A level above that point is never reached. Free fall is
 * exact, on the dense output, too. */
static double below_level(void *context, const ga_state *s) {
  return s->q[0] - *(const double *)context;
}

typedef struct {
  double level;
  record r;
} level_record;

static double level_of_record(void *context, const ga_state *s) {
  return below_level(&((level_record *)context)->level, s);
}

static int note_level(void *context, int event, int sign, const ga_state *s) {
  return note(&((level_record *)context)->r, event, sign, s);
}

static void test_inside_a_step(void **state) {
  (void)state;
  static level_record l;
  small s;
  small_open(&s, 1, fall_force, false);
  const double u = 3, g = 9.81, q0 = 0, top = u * u / (2 * g), eps[] = {1e-3, 1e-6, 1e-9, -1e-9};
  const ga_direction directions[] = {GA_EVENT_ANY, GA_EVENT_RISING, GA_EVENT_FALLING};
  for (int k = 0; k < 4; k++) {
    for (int d = 0; d < 3; d++) {
      l = (level_record){.level = top - eps[k], .r = {.stop_at = -1}};
      ga_options o = ga_options_default();
      o.h = 0.11;
      ga_integrator *it = small_start(&s, &o, &q0, &u);
      add(it, &(ga_event){.value = level_of_record,
                          .handler = note_level,
                          .context = &l,
                          .direction = directions[d]});
      must(ga_integrator_run(it, 0.55), ga_integrator_error(it));
      assert_int_equal(l.r.n, eps[k] < 0 ? 0 : d == 0 ? 2 : 1);
      for (int i = 0; i < l.r.n; i++) {
        int sign = d == 0 ? (i == 0 ? 1 : -1) : (int)directions[d];
        assert_int_equal(l.r.sign[i], sign);
        /* rounding of q, 1e-16, is seen in the time as 1e-16 over the speed there */
        assert_near("time of a passage", l.r.t[i], u / g - sign * sqrt(2 * eps[k] / g),
                    1e-15 / sqrt(2 * g * eps[k]) + 1e-14);
      }
      ga_integrator_free(it);
    }
  }
  /* a run that ends at the first goes on to the second */
  l = (level_record){.level = top - 1e-3};
  ga_options o = ga_options_default();
  o.h = 0.11;
  ga_integrator *it = small_start(&s, &o, &q0, &u);
  add(it, &(ga_event){.value = level_of_record, .context = &l, .terminal = true});
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ga_integrator_run(it, 0.55), GA_EVENT);
    assert_near("time of a passage", ga_integrator_state(it)->t,
                u / g + (i == 0 ? -1 : 1) * sqrt(2e-3 / g), 1e-12);
  }
  must(ga_integrator_run(it, 0.55), ga_integrator_error(it));
  assert_int_equal(ga_integrator_stats(it)->events, 2);
  ga_integrator_free(it);
  small_close(&s);
}

/* a pendulum whose velocity is reversed, with a loss, at the lowest point: q, v, lam at t = 3 */
static void jumping(const small *s, const char *method, double h, double *end) {
  const double q0[] = {1, 0}, v0[] = {0, 0};
  ga_options o = ga_options_default();
  o.method = method;
  o.h = h;
  ga_integrator *it = small_start(s, &o, q0, v0);
  add(it, &(ga_event){.value = first_q, .terminal = true});
  int jumps = 0;
  ga_status status;
  while ((status = ga_integrator_run(it, 3)) == GA_EVENT) {
    const ga_state *now = ga_integrator_state(it);
    const double v[] = {-0.9 * now->v[0], -0.9 * now->v[1]};
    must(ga_integrator_restart(it, NULL, v), ga_integrator_error(it));
    jumps++;
  }
  must(status, ga_integrator_error(it));
  assert_int_equal(jumps, 3);
  const ga_state *now = ga_integrator_state(it);
  end[0] = now->q[0], end[1] = now->v[0], end[2] = now->lam[0];
  ga_integrator_free(it);
}

/* Order 2 in q, v and lam after three jumps, for methods with and without a hidden constraint. */
static void test_jumps_keep_order(void **state) {
  (void)state;
  small s;
  small_open(&s, 2, fall_force, true);
  const char *const methods[] = {"stab2", "index3", "soi2", "hht"};
  double rough[3], close[3], exact[3];
  jumping(&s, "stab2", 1e-4, rough);
  jumping(&s, "stab2", 5e-5, close);
  for (int k = 0; k < 3; k++) exact[k] = (4 * close[k] - rough[k]) / 3;
  for (int m = 0; m < 4; m++) {
    double coarse[3], fine[3];
    jumping(&s, methods[m], 1e-3, coarse);
    jumping(&s, methods[m], 5e-4, fine);
    for (int k = 0; k < 3; k++) {
      double order = slope(fabs(coarse[k] - exact[k]), fabs(fine[k] - exact[k]));
      assert_between(methods[m], order, 1.9, 2.1);
    }
  }
  small_close(&s);
}

static double not_a_number(void *context, const ga_state *s) {
  (void)context;
  return s->t > 0.05 ? NAN : 1;
}

static void test_refusals(void **state) {
  (void)state;
  small s;
  small_open(&s, 1, load_force, false);
  const double q = 1, v = 0;
  ga_options o = ga_options_default();
  ga_integrator *it = small_start(&s, &o, &q, &v);
  const ga_error *err = ga_integrator_error(it);
  assert_refused(ga_integrator_add_event(it, NULL), err, GA_ERR_ARG, "value", NULL);
  assert_refused(ga_integrator_add_event(it, &(ga_event){0}), err, GA_ERR_ARG, "value", NULL);
  assert_refused(ga_integrator_add_event(it, &(ga_event){.value = first_q, .tol = -1}), err,
                 GA_ERR_ARG, "tol", "-1");
  add(it, &(ga_event){.value = not_a_number});
  assert_refused(ga_integrator_run(it, 1), err, GA_ERR_MODEL, "event 0", "NaN");
  assert_true(ga_integrator_state(it)->t > 0.05);
  const double bad = NAN;
  assert_refused(ga_integrator_restart(it, &bad, NULL), err, GA_ERR_ARG, "finite", NULL);
  ga_integrator_free(it);
  ga_error no = {0};
  must(ga_integrator_new(&s.model, &o, &it, &no), &no);
  err = ga_integrator_error(it);
  assert_refused(ga_integrator_restart(it, &q, &v), err, GA_ERR_ARG, "start", NULL);
  add(it, &(ga_event){.value = first_q}); /* before the start, too */
  must(ga_integrator_start(it, 0, &q, &v), err);
  must(ga_integrator_run(it, 2), err);
  assert_int_equal(ga_integrator_stats(it)->events, 1);
  ga_integrator_free(it);
  small_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum_times),   cmocka_unit_test(test_constrained_times),
      cmocka_unit_test(test_thousand),         cmocka_unit_test(test_several),
      cmocka_unit_test(test_direction),        cmocka_unit_test(test_bounces),
      cmocka_unit_test(test_jumps_keep_order), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_inside_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
