/* SPDX-License-Identifier: MIT */
/* Corners of a model in time: steps end there, order 2 is kept in q, v, v' and lam, jumps inside given
 * steps are told, jumps of constraints are refused, saved states go on with the same bits. */
#include <math.h>
#include <unistd.h>

#include "support.h"

/* A pendulum of length r(t) about the origin, on which a force in x is switched:
 *   g = (x^2 + y^2 - r^2)/2,  r = 1 + `winch` (t - 0.6)^2/2 behind t = 0.6 (r'' jumps) */
typedef struct {
  double winch;    /* r'' behind 0.6 */
  double position; /* jump of r at 0.6 */
  double rate;     /* jump of r' at 0.6 */
  double fixed;    /* the force, if it is not switched by time; NAN: it is */
} setting;

static const double switches[] = {0.313, 0.517, 0.6, 0.777};
enum { SWITCHES = 4 };

static double force_at(const setting *s, double t) {
  if (!isnan(s->fixed)) return s->fixed;
  return t < 0.313 ? 0 : t < 0.517 ? 30 : t < 0.777 ? -20 : 5;
}

/* r, r', r'' */
static void radius(const setting *s, double t, double r[3]) {
  const double d = t - 0.6;
  const bool on = t >= 0.6;
  r[0] = 1 + (on ? s->position + s->rate * d + s->winch * d * d / 2 : 0);
  r[1] = on ? s->rate + s->winch * d : 0;
  r[2] = on ? s->winch : 0;
}

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[3] = 2;
  return 0;
}
static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)q;
  F[0] = force_at(user, t) - 0.3 * v[0];
  F[1] = -2 * 9.81 - 0.3 * v[1];
  return 0;
}
static int rod(void *user, double t, const double *q, double *g) {
  double r[3];
  radius(user, t, r);
  g[0] = (q[0] * q[0] + q[1] * q[1] - r[0] * r[0]) / 2;
  return 0;
}
static int rod_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  G->val[0] = q[0], G->val[1] = q[1];
  return 0;
}
static int rod_t(void *user, double t, const double *q, double *gt) {
  double r[3];
  (void)q;
  radius(user, t, r);
  gt[0] = -r[0] * r[1];
  return 0;
}
static int rod_drift(void *user, double t, const double *q, const double *v, double *drift) {
  double r[3];
  (void)q;
  radius(user, t, r);
  drift[0] = v[0] * v[0] + v[1] * v[1] - r[1] * r[1] - r[0] * r[2];
  return 0;
}

static const ga_model_ops ops = {.mass = mass,
                                 .force = force,
                                 .holonomic = rod,
                                 .holonomic_jac = rod_jac,
                                 .holonomic_t = rod_t,
                                 .holonomic_drift = rod_drift};

typedef struct {
  ga_space *plane;
  setting s;
  ga_model model;
  ga_integrator *it;
  int warnings;
  char text[600];
} subject;

static void count_warning(void *context, ga_log_level level, const char *text) {
  subject *x = context;
  if (level != GA_LOG_WARNING) return;
  x->warnings++;
  snprintf(x->text, sizeof x->text, "%s", text);
}

/* A pendulum with corners, started with these options. */
static void begin(subject *x, setting s, ga_options o) {
  const double q0[] = {0.6, -0.8}, v0[] = {0, 0};
  ga_error err = {0};
  *x = (subject){.s = s};
  assert_int_equal(ga_space_rn(2, &x->plane), GA_OK);
  x->model = (ga_model){.ops = &ops,
                        .user = &x->s,
                        .space = x->plane,
                        .nlam = 1,
                        .corners = switches,
                        .ncorners = SWITCHES};
  o.log = count_warning, o.log_context = x;
  must(ga_integrator_new(&x->model, &o, &x->it, &err), &err);
  must(ga_integrator_start(x->it, 0, q0, v0), ga_integrator_error(x->it));
}

static void end(subject *x) {
  ga_integrator_free(x->it);
  ga_space_free(x->plane);
}

/* q, v, v', lam at t = 1 */
typedef struct {
  double x[7];
} result;

static result result_of(const ga_integrator *it) {
  const ga_state *s = ga_integrator_state(it);
  return (result){{s->q[0], s->q[1], s->v[0], s->v[1], s->vd[0], s->vd[1], s->lam[0]}};
}

/* errors of q, v, v', lam */
static void errors_to(const result *a, const result *b, double e[4]) {
  static const int of[7] = {0, 0, 1, 1, 2, 2, 3};
  for (int i = 0; i < 4; i++) e[i] = 0;
  for (int i = 0; i < 7; i++) e[of[i]] = fmax(e[of[i]], fabs(a->x[i] - b->x[i]));
}

static const setting switched = {.winch = 4, .fixed = NAN};

/* The motion without corners: each piece is a run of its own, whose force the program sets. */
static result reference(double t) {
  subject x;
  ga_options o = ga_options_default();
  o.h = 2e-5;
  begin(&x, switched, o);
  x.model.ncorners = 0; /* before the first step: nothing is known of them */
  x.s.fixed = 0;
  for (int i = 0; i <= SWITCHES; i++) {
    const double to = i < SWITCHES ? fmin(switches[i], t) : t;
    if (i == 3) x.s.winch = 4;
    if (i < 3) x.s.winch = 0;
    if (to > ga_integrator_state(x.it)->t)
      must(ga_integrator_run(x.it, to), ga_integrator_error(x.it));
    if (to >= t) break;
    x.s.fixed = force_at(&switched, to);
    if (to >= 0.6) x.s.winch = 4;
    must(ga_integrator_restart(x.it, NULL, NULL), ga_integrator_error(x.it));
  }
  const result r = result_of(x.it);
  end(&x);
  return r;
}

static const char *const methods[] = {"stab2", "index3", "soi2"};

/* Steps of h, h/2, h/4 that are cut at corners: errors at the end and shortly behind a jump fall
 * with order 2 in every variable. Without the option the order is 1, and that is said once. */
static void order_with_given_steps(void **state) {
  (void)state;
  static const double times[] = {0.53, 1};
  for (int m = 0; m < 3; m++) {
    for (int k = 0; k < 2; k++) {
      const result exact = reference(times[k]);
      double e[2][4], plain[2][4];
      for (int level = 0; level < 2; level++) {
        subject x;
        ga_options o = ga_options_default();
        o.method = methods[m];
        o.h = 1.0 / 430 / (level == 0 ? 1 : 4);
        o.cut_at_corners = GA_CUT_YES;
        begin(&x, switched, o);
        must(ga_integrator_run(x.it, times[k]), ga_integrator_error(x.it));
        result r = result_of(x.it);
        errors_to(&r, &exact, e[level]);
        assert_int_equal(x.warnings, 0);
        end(&x);
        o.cut_at_corners = GA_CUT_NO;
        begin(&x, switched, o);
        must(ga_integrator_run(x.it, times[k]), ga_integrator_error(x.it));
        r = result_of(x.it);
        errors_to(&r, &exact, plain[level]);
        assert_int_equal(x.warnings, 1);
        assert_non_null(strstr(x.text, "t = 0.313"));
        assert_non_null(strstr(x.text, "cut-at-corners"));
        end(&x);
      }
      static const char *const names[] = {"q", "v", "v'", "lam"};
      for (int i = 0; i < 4; i++) {
        char what[80];
        snprintf(what, sizeof what, "order of %s, %s, t = %g", names[i], methods[m], times[k]);
        assert_between(what, slope(e[0][i], e[1][i]) / 2, 1.8, 2.9);
        assert_true(plain[0][i] > 5 * e[0][i]);
      }
    }
  }
}

/* On the grid a jump is met without the option: no warning, order 2. */
static void order_on_the_grid(void **state) {
  (void)state;
  const result exact = reference(1);
  double e[2][4];
  for (int level = 0; level < 2; level++) {
    subject x;
    ga_options o = ga_options_default();
    o.h = 1e-3 / (level == 0 ? 1 : 4); /* all switches are multiples of 1e-3 */
    begin(&x, switched, o);
    must(ga_integrator_run(x.it, 1), ga_integrator_error(x.it));
    assert_int_equal(ga_integrator_stats(x.it)->steps, 1000 * (level == 0 ? 1 : 4));
    assert_int_equal(x.warnings, 0);
    const result r = result_of(x.it);
    errors_to(&r, &exact, e[level]);
    end(&x);
  }
  for (int i = 0; i < 4; i++) assert_between("order", slope(e[0][i], e[1][i]) / 2, 1.8, 2.4);
}

/* times of the observed states */
typedef struct {
  int n;
  double t[40000];
} times;

static int note_time(void *context, const ga_state *s, const ga_stats *stats) {
  times *x = context;
  (void)stats;
  if (x->n < 40000) x->t[x->n++] = s->t;
  return 0;
}

static bool has_time(const times *x, double t) {
  for (int i = 0; i < x->n; i++) {
    if (x->t[i] == t) return true;
  }
  return false;
}

/* A cut step and its rest: all times of the grid are there, and the corners besides. */
static void grid_goes_on(void **state) {
  (void)state;
  subject x;
  times seen = {0};
  ga_options o = ga_options_default();
  o.h = 1.0 / 64;
  o.cut_at_corners = GA_CUT_YES;
  begin(&x, switched, o);
  ga_integrator_observe(x.it, note_time, &seen);
  must(ga_integrator_run(x.it, 1), ga_integrator_error(x.it));
  for (int i = 1; i <= 64; i++) assert_true(has_time(&seen, i / 64.0));
  for (int i = 0; i < SWITCHES; i++) assert_true(has_time(&seen, switches[i]));
  assert_int_equal(seen.n, 64 + SWITCHES);
  end(&x);
}

/* Automatic steps end at every corner; the error falls with the tolerance in every variable, and
 * steps are as large as before behind a corner: few are rejected. */
static void automatic_steps(void **state) {
  (void)state;
  const result exact = reference(1);
  double last[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  for (double rtol = 1e-3; rtol > 5e-7; rtol /= 10) {
    subject x;
    static times seen;
    seen.n = 0;
    double e[4];
    ga_options o = ga_options_default();
    o.rtol = rtol;
    begin(&x, switched, o);
    ga_integrator_observe(x.it, note_time, &seen);
    must(ga_integrator_run(x.it, 1), ga_integrator_error(x.it));
    for (int i = 0; i < SWITCHES; i++) assert_true(has_time(&seen, switches[i]));
    const result r = result_of(x.it);
    errors_to(&r, &exact, e);
    for (int i = 0; i < 4; i++) { /* that of q passes through zero */
      assert_true(i == 0 || e[i] < 0.7 * last[i]);
      last[i] = e[i];
    }
    assert_true(ga_integrator_stats(x.it)->rejected <= 6 * SWITCHES);
    end(&x);
  }
  assert_true(last[0] < 1e-6 && last[1] < 1e-5 && last[2] < 1e-4 && last[3] < 1e-4);
}

/* At rest without a largest step, h grows beyond all bounds; a force that is switched on later is met
 * all the same. x'' + 100 x = 50 from t = 5 to 5.02. */
static int one(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = 1;
  return 0;
}
static int late(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)v;
  F[0] = (t >= 5 && t < 5.02 ? 50 : 0) - 100 * q[0];
  return 0;
}

static void rest_without_largest_step(void **state) {
  (void)state;
  static const double at[] = {5, 5.02}, zero[] = {0};
  const ga_model_ops own = {.mass = one, .force = late};
  const double exact = 0.5 * (cos(9.8) - cos(10));
  ga_error err = {0};
  ga_space *line;
  assert_int_equal(ga_space_rn(1, &line), GA_OK);
  const ga_model model = {.ops = &own, .space = line, .corners = at, .ncorners = 2};
  for (int single = 0; single < 2; single++) {
    ga_options o = ga_options_default();
    ga_integrator *it = NULL;
    o.rtol = 1e-6;
    o.h_max = INFINITY;
    must(ga_integrator_new(&model, &o, &it, &err), &err);
    must(ga_integrator_start(it, 0, zero, zero), ga_integrator_error(it));
    while (single && ga_integrator_state(it)->t < 5.5)
      must(ga_integrator_step(it), ga_integrator_error(it));
    must(ga_integrator_run(it, 6), ga_integrator_error(it));
    assert_near("x", ga_integrator_state(it)->q[0], exact, 1e-3);
    ga_integrator_free(it);
  }
  ga_space_free(line);
}

/* In the step that ends at a corner, dense output has the motion before it. */
static void dense_output_before_a_corner(void **state) {
  (void)state;
  subject x;
  double v[2], vd[2];
  ga_options o = ga_options_default();
  o.h = 1e-3;
  begin(&x, switched, o);
  must(ga_integrator_run(x.it, 0.312), ga_integrator_error(x.it));
  must(ga_integrator_step(x.it), ga_integrator_error(x.it));
  const ga_state *s = ga_integrator_state(x.it);
  assert_true(s->t == 0.313);
  const double behind = s->vd[0];
  must(ga_integrator_dense_output(x.it, 0.313 - 1e-6, NULL, v, vd, NULL, NULL),
       ga_integrator_error(x.it));
  assert_true(fabs(behind - vd[0]) > 5); /* 30 N on 2 kg, in part along the rod */
  assert_near("v before the corner", v[0], s->v[0] - 1e-6 * vd[0], 1e-9);
  end(&x);
}

/* A run that is saved at a corner, next to it, or in the rest of a cut step: it and the run that
 * loads the state go on with the same bits. */
static void saved_states(void **state) {
  (void)state;
  static const double at[] = {0.3125, 0.313 - 1e-12, 0.313, 0.3131, 0.517, 0.6, 0.6 + 1e-13};
  const char *const path = "corners.state";
  for (int kind = 0; kind < 3; kind++) {
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
      subject x, y;
      ga_options o = ga_options_default();
      o.h = 1.0 / 64;
      o.rtol = kind == 2 ? 1e-4 : 0;
      o.cut_at_corners = kind == 1 ? GA_CUT_YES : GA_CUT_NO;
      begin(&x, switched, o);
      must(ga_integrator_run(x.it, at[i]), ga_integrator_error(x.it));
      must(ga_integrator_save(x.it, path), ga_integrator_error(x.it));
      begin(&y, switched, o);
      must(ga_integrator_load(y.it, path), ga_integrator_error(y.it));
      for (double t = 0.7; t < 1.5; t += 0.5) {
        must(ga_integrator_run(x.it, t), ga_integrator_error(x.it));
        must(ga_integrator_run(y.it, t), ga_integrator_error(y.it));
        const result a = result_of(x.it), b = result_of(y.it);
        assert_memory_equal(&a, &b, sizeof a);
      }
      assert_int_equal(ga_integrator_stats(x.it)->steps, ga_integrator_stats(y.it)->steps);
      end(&x);
      end(&y);
    }
  }
  unlink(path);
}

/* Positions and velocities that a constraint lets jump are refused, with the time; the state before
 * is kept. A jump of the second derivative is a motion (the tests above). */
static void jumping_constraints(void **state) {
  (void)state;
  for (int kind = 0; kind < 6; kind++) {
    subject x;
    ga_options o = ga_options_default();
    setting s = switched;
    if (kind % 2 == 0) s.position = 0.1;
    if (kind % 2 == 1) s.rate = 0.5;
    o.h = 1.0 / 64;
    o.rtol = kind / 2 == 0 ? 1e-3 : 0;
    o.cut_at_corners = kind / 2 == 1 ? GA_CUT_YES : GA_CUT_NO;
    begin(&x, s, o);
    x.model.ops = &ops;
    /* a list says nothing of what jumps: the constraint is compared all the same */
    assert_int_equal(ga_integrator_run(x.it, 1), GA_ERR_MODEL);
    const char *text = ga_integrator_error(x.it)->text;
    assert_non_null(strstr(text, "t = 0.6"));
    assert_non_null(strstr(text, kind % 2 == 0 ? "position" : "rate"));
    assert_true(ga_integrator_state(x.it)->t <= 0.6);
    end(&x);
  }
}

/* The largest automatic step: 1/100 of the first run, kept by a saved state, none for single steps,
 * the user's where he gives one. */
static void largest_step(void **state) {
  (void)state;
  const char *const path = "corners.state";
  ga_options o = ga_options_default();
  subject x, y;
  o.rtol = 1e-1;
  begin(&x, (setting){.fixed = 0}, o);
  must(ga_integrator_run(x.it, 0.2), ga_integrator_error(x.it));
  assert_near("largest step", ga_integrator_stats(x.it)->h_largest, 0.002, 1e-9);
  must(ga_integrator_save(x.it, path), ga_integrator_error(x.it));
  begin(&y, (setting){.fixed = 0}, o);
  must(ga_integrator_load(y.it, path), ga_integrator_error(y.it));
  must(ga_integrator_run(y.it, 1), ga_integrator_error(y.it));
  assert_near("largest step", ga_integrator_stats(y.it)->h_largest, 0.002, 1e-9);
  end(&y);
  end(&x);
  unlink(path);
  begin(&x, (setting){.fixed = 0}, o);
  while (ga_integrator_state(x.it)->t < 1)
    must(ga_integrator_step(x.it), ga_integrator_error(x.it));
  assert_true(ga_integrator_stats(x.it)->h_largest > 0.02);
  end(&x);
  o.h_max = INFINITY;
  begin(&x, (setting){.fixed = 0}, o);
  must(ga_integrator_run(x.it, 1), ga_integrator_error(x.it));
  assert_true(ga_integrator_stats(x.it)->h_largest > 0.02);
  end(&x);
  ga_error err = {0};
  must(ga_options_set(&o, "h-max", "inf", &err), &err);
  must(ga_options_set(&o, "cut-at-corners", "yes", &err), &err);
  must(ga_options_validate(&o, &err), &err);
}

/* Lists that do not increase, and corners of a callback that do not come later, are refused. */
static double told;
static void tell(void *user, double t, ga_corner *c) {
  (void)user, (void)t;
  c->before = c->t = told;
}

static void wrong_corners(void **state) {
  (void)state;
  static const double back[] = {1, 0.5};
  subject x;
  ga_error err = {0};
  begin(&x, switched, ga_options_default());
  x.model.corners = back, x.model.ncorners = 2;
  assert_int_equal(ga_model_validate(&x.model, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "corners[1]"));
  ga_model_ops own = ops;
  own.next_corner = tell;
  x.model.ops = &own;
  told = -1;
  assert_int_equal(ga_integrator_run(x.it, 1), GA_ERR_MODEL);
  assert_non_null(strstr(ga_integrator_error(x.it)->text, "next corner"));
  end(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(order_with_given_steps),
                                     cmocka_unit_test(order_on_the_grid),
                                     cmocka_unit_test(grid_goes_on),
                                     cmocka_unit_test(automatic_steps),
                                     cmocka_unit_test(rest_without_largest_step),
                                     cmocka_unit_test(dense_output_before_a_corner),
                                     cmocka_unit_test(saved_states),
                                     cmocka_unit_test(jumping_constraints),
                                     cmocka_unit_test(largest_step),
                                     cmocka_unit_test(wrong_corners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
