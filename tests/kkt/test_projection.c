/* SPDX-License-Identifier: MIT */
/* Projections that fail: constraints that cannot be met, and a linear solver that gives up. The
 * state stays as it was, bit by bit, and the reason is told. What is reported after one that does
 * not. */
#include "genalpha/ga_statics.h"
#include "own_solver.h"
#include "support.h"

/* A point in the plane, masses 1 and 3, on x^2 + 4 y^2 = size; with skate: also moving so that
 * x'^2 + y'^2 = speed, which is nonlinear in the velocity. */
typedef struct {
  double size, speed;
} ellipse;

static int ellipse_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = 1, M->val[3] = 3;
  return 0;
}
static int ellipse_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = 0, F[1] = -9.81;
  return 0;
}
static int damped_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t;
  F[0] = -100 * q[0] - 3 * v[0], F[1] = -9.81 - v[1] * fabs(v[1]);
  return 0;
}
static int ellipse_row(void *user, double t, const double *q, double *g) {
  (void)t;
  g[0] = q[0] * q[0] + 4 * q[1] * q[1] - ((const ellipse *)user)->size;
  return 0;
}
static int ellipse_row_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  G->val[0] = 2 * q[0], G->val[1] = 8 * q[1];
  return 0;
}
static int speed_row(void *user, double t, const double *q, const double *v, double *k) {
  (void)t, (void)q;
  k[0] = v[0] * v[0] + v[1] * v[1] - ((const ellipse *)user)->speed;
  return 0;
}
static const ga_model_ops ellipse_ops = {.mass = ellipse_mass,
                                         .force = ellipse_force,
                                         .holonomic = ellipse_row,
                                         .holonomic_jac = ellipse_row_jac};
static const ga_model_ops speed_ops = {
    .mass = ellipse_mass, .force = ellipse_force, .nonholonomic = speed_row};

typedef struct {
  ellipse data;
  ga_model model;
  ga_space *space;
  own_counts counts;
  ga_options options;
  ga_integrator *it;
} stage;

static void stage_prepare(stage *s, const ga_model_ops *ops, double size, double speed) {
  *s = (stage){.data = {size, speed}, .options = ga_options_default()};
  must(ga_space_rn(2, &s->space), NULL);
  s->model = (ga_model){.ops = ops,
                        .user = &s->data,
                        .space = s->space,
                        .nlam = ops->holonomic != NULL,
                        .npsi = ops->nonholonomic != NULL,
                        .const_mass = true,
                        .scleronomic = true};
  s->options.initial = GA_INITIAL_PROJECT;
  s->options.h = 1e-2;
  s->options.linsol_ops = &own_solver;
  s->options.linsol_context = &s->counts;
}

static void stage_begin(stage *s) {
  ga_error err = {0};
  must(ga_integrator_new(&s->model, &s->options, &s->it, &err), &err);
}

static void stage_open(stage *s, const ga_model_ops *ops, double size, double speed) {
  stage_prepare(s, ops, size, speed);
  stage_begin(s);
}

static void stage_close(stage *s) {
  ga_integrator_free(s->it);
  ga_space_free(s->space);
}

typedef struct {
  double t, number[7];
} picture;

static picture picture_of(const stage *s) {
  const ga_state *now = ga_integrator_state(s->it);
  return (picture){now->t,
                   {now->q[0], now->q[1], now->v[0], now->v[1], now->vd[0], now->vd[1],
                    s->model.nlam ? now->lam[0] : 0}};
}

static void assert_unchanged(const stage *s, const picture *before) {
  picture now = picture_of(s);
  assert_memory_equal(before, &now, sizeof now);
}

/* no point at all, at the start and in a run whose model changed: a message, the state of before */
static void test_no_position(void **state) {
  (void)state;
  const double q0[2] = {0.6, 0.4}, v0[2] = {1.6, -0.6};
  stage s;
  stage_open(&s, &ellipse_ops, -1, 0);
  const ga_error *err = ga_integrator_error(s.it);
  assert_refused(ga_integrator_start(s.it, 0, q0, v0), err, GA_ERR_INITIAL,
                 "no configuration that satisfies the constraints", "start at t = 0");
  assert_refused(ga_integrator_step(s.it), err, GA_ERR_ARG, "start", NULL);
  s.data.size = 1;
  must(ga_integrator_start(s.it, 0, q0, v0), err);
  must(ga_integrator_run(s.it, 0.1), err);
  picture before = picture_of(&s);
  ga_stats stats = *ga_integrator_stats(s.it);
  for (double size = -1e-6; size > -1e7; size *= 100) {
    s.data.size = size;
    double moved = -1;
    assert_refused(ga_integrator_project_position(s.it, &moved), err, GA_ERR_INITIAL,
                   "no configuration that satisfies the constraints", "t = 0.1");
    assert_unchanged(&s, &before);
  }
  assert_int_equal(ga_integrator_stats(s.it)->steps, stats.steps);
  /* and the run goes on where the constraints can be met */
  s.data.size = 1;
  must(ga_integrator_project_position(s.it, NULL), err);
  must(ga_integrator_run(s.it, 0.2), err);
  double g;
  ellipse_row(&s.data, 0.2, ga_integrator_state(s.it)->q, &g);
  assert_true(fabs(g) < 1e-14);
  stage_close(&s);
}

/* Constraints that hold to the rounding of q, 8 eps |q| in each term of G q, need no projection:
 * nothing moves, no matrix is factored. Beyond that they do. */
static void test_already_there(void **state) {
  (void)state;
  const double q0[2] = {0.6, 0.4}, v0[2] = {1.6, -0.6}, eps = 2.220446049250313e-16;
  for (int k = -40; k <= 40; k++) {
    stage s;
    stage_open(&s, &ellipse_ops, 1, 0);
    const ga_error *err = ga_integrator_error(s.it);
    must(ga_integrator_start(s.it, 0, q0, v0), err);
    picture before = picture_of(&s);
    const double *q = ga_integrator_state(s.it)->q;
    double limit = 8 * eps * 0.6 * (2 * 0.6 + 8 * 0.4), g, moved = -1;
    s.data.size = 1 + k * limit / 10;
    ellipse_row(&s.data, 0, q, &g);
    int factored = s.counts.factored;
    must(ga_integrator_project_position(s.it, &moved), err);
    if (fabs(g) <= limit) {
      assert_unchanged(&s, &before);
      assert_true(moved == 0 && s.counts.factored == factored);
    } else {
      assert_true(moved > 0 && s.counts.factored > factored);
      ellipse_row(&s.data, 0, q, &g);
      assert_true(fabs(g) <= 4 * eps);
    }
    stage_close(&s);
  }
}

/* no velocity at all: x'^2 + y'^2 = -1 */
static void test_no_velocity(void **state) {
  (void)state;
  const double q0[2] = {0, 0}, v0[2] = {3, 4};
  stage s;
  stage_open(&s, &speed_ops, 0, -1);
  const ga_error *err = ga_integrator_error(s.it);
  assert_refused(ga_integrator_start(s.it, 0, q0, v0), err, GA_ERR_INITIAL,
                 "no velocity that satisfies the constraints", "start at t = 0");
  s.data.speed = 1;
  must(ga_integrator_start(s.it, 0, q0, v0), err);
  const ga_state *now = ga_integrator_state(s.it);
  assert_near("speed", hypot(now->v[0], now->v[1]), 1, 1e-14);
  stage_close(&s);
}

/* Which call of the solver fails, and with what: all before the last one of a projection that goes
 * well end it, with what the solver said, or the reason if it said that the matrix is singular. */
static void fail_each_call(bool velocity, bool factor, ga_status status) {
  const double q0[2] = {0.6, 0.4}, v0[2] = {1.6, -0.6};
  stage s;
  stage_open(&s, &ellipse_ops, 1, 0);
  const ga_error *err = ga_integrator_error(s.it);
  must(ga_integrator_start(s.it, 0, q0, v0), err);
  must(ga_integrator_run(s.it, 0.1), err);
  s.data.size = 1.5; /* off the constraint by far; and the velocity is not tangential any more */
  if (velocity) must(ga_integrator_project_position(s.it, NULL), err);
  picture before = picture_of(&s);
  int calls = 0;
  for (bool over = false; !over; calls++) {
    assert_in_range(calls, 0, 100);
    s.counts.tried_factor = s.counts.tried_solve = 0;
    *(factor ? &s.counts.factor_from : &s.counts.solve_from) = calls;
    *(factor ? &s.counts.factor_times : &s.counts.solve_times) = 1;
    s.counts.fail_status = status;
    ga_status said = velocity ? ga_integrator_project_velocity(s.it, GA_PROJECT_PLAIN, NULL)
                              : ga_integrator_project_position(s.it, NULL);
    over = (factor ? s.counts.tried_factor : s.counts.tried_solve) <= calls;
    if (over) {
      must(said, err);
      break;
    }
    assert_refused(said, err, status < 0 ? status : GA_ERR_BACKEND, "linear solver failed", NULL);
    assert_unchanged(&s, &before);
  }
  assert_in_range(calls, velocity ? 1 : 4, 60);
  double g;
  const ga_state *now = ga_integrator_state(s.it);
  ellipse_row(&s.data, 0.1, now->q, &g);
  assert_true(fabs(g) < 1e-14);
  if (velocity) assert_true(fabs(2 * now->q[0] * now->v[0] + 8 * now->q[1] * now->v[1]) < 1e-14);
  stage_close(&s);
}

static void test_solver_fails(void **state) {
  (void)state;
  for (int velocity = 0; velocity < 2; velocity++) {
    for (int factor = 0; factor < 2; factor++) {
      fail_each_call(velocity, factor, GA_ERR_BACKEND);
      fail_each_call(velocity, factor, GA_ERR_MEM);
      fail_each_call(velocity, factor, GA_RETRY_NONFINITE);
    }
  }
}

/* A matrix that is singular on the way to the constraints ends the projection. Once they are met,
 * on the way along them to the nearest point, it does not: the first point stands. */
static void test_singular_on_the_way(void **state) {
  (void)state;
  const double q0[2] = {0.6, 0.4}, v0[2] = {1.6, -0.6};
  int refused = 0, stood = 0;
  double nearest[2] = {0};
  for (int call = -1; call < 40; call++) {
    stage s;
    stage_open(&s, &ellipse_ops, 1, 0);
    const ga_error *err = ga_integrator_error(s.it);
    must(ga_integrator_start(s.it, 0, q0, v0), err);
    s.data.size = 1.5;
    picture before = picture_of(&s);
    s.counts.tried_factor = 0;
    s.counts.factor_from = call;
    s.counts.factor_times = call >= 0;
    s.counts.fail_status = GA_RETRY_SINGULAR;
    ga_status status = ga_integrator_project_position(s.it, NULL);
    const double *q = ga_integrator_state(s.it)->q;
    if (call < 0) memcpy(nearest, q, sizeof nearest);
    if (status != GA_OK) {
      assert_refused(status, err, GA_ERR_SINGULAR, "singular", NULL);
      assert_unchanged(&s, &before);
      assert_int_equal(refused++, call); /* the first ones */
    } else {
      double g;
      ellipse_row(&s.data, 0, q, &g);
      assert_true(fabs(g) < 1e-14 && err->code == GA_OK && err->text[0] == '\0');
      bool failed = s.counts.tried_factor > call && call >= 0;
      /* near it, and not it: the shortest steps lead elsewhere */
      double away = vector_error(2, q, nearest);
      if (failed) assert_true(away > 1e-6 && away < 0.1);
      if (!failed) assert_true(away == 0);
      stood += failed;
    }
    stage_close(&s);
  }
  assert_true(refused >= 3 && stood >= 3);
}

/* what is left of M v' - F + G^T lam, relative to the largest of these terms */
static double imbalance(const ga_state *s) {
  double worst = 0, G[2] = {2 * s->q[0], 8 * s->q[1]}, m[2] = {1, 3}, F[2];
  damped_force(NULL, s->t, s->q, s->v, F);
  for (int i = 0; i < 2; i++) {
    double left = m[i] * s->vd[i] - F[i] + G[i] * s->lam[0];
    worst = fmax(worst, fabs(left) / (fabs(m[i] * s->vd[i]) + fabs(F[i]) + fabs(G[i] * s->lam[0])));
  }
  return worst;
}

/* v' and lam after a projection are those of the q and v that it has moved. Where q is not moved
 * nor v, nothing changes. */
static void test_balance(void **state) {
  (void)state;
  static const char *const methods[] = {"index1", "index2", "index3", "stab2", "hht"};
  const double q0[2] = {0.6, 0.4}, v0[2] = {1.6, -0.6};
  ga_model_ops ops = ellipse_ops;
  ops.force = damped_force;
  for (int m = 0; m < 5; m++) {
    for (int every = 1; every < 4; every++) {
      stage s;
      stage_prepare(&s, &ops, 1, 0);
      s.options.method = methods[m];
      if (m == 4) s.options.par = ga_params_hht(-0.1, 0);
      s.options.project_every = every;
      stage_begin(&s);
      const ga_error *err = ga_integrator_error(s.it);
      must(ga_integrator_start(s.it, 0, q0, v0), err);
      for (int n = 1; n <= 30; n++) {
        must(ga_integrator_step(s.it), err);
        if (n % every != 0) continue;
        const ga_state *now = ga_integrator_state(s.it);
        double g, left = imbalance(now);
        ellipse_row(&s.data, 0, now->q, &g);
        assert_true(fabs(g) < 1e-14);
        assert_true(fabs(2 * now->q[0] * now->v[0] + 8 * now->q[1] * now->v[1]) < 1e-13);
        if (!(left < 1e-11)) fail_msg("%s, step %d: imbalance %.2g", methods[m], n, left);
      }
      stage_close(&s);
    }
  }
}

/* ---- units ---------------------------------------------------------------------------------- */

/* A rod on a pin, q = (x, y, phi, psi), in units of length, mass and time; psi = 2 phi has no inertia
 * but a spring. One row of the pin is there twice, in another form, if there are four rows. */
typedef struct {
  double length, mass, time;
  bool twice;
} units;

static int rod_mass(void *user, double t, const double *q, ga_csr *M) {
  const units *u = user;
  (void)t, (void)q;
  M->val[0] = M->val[5] = 1.3 * u->mass;
  M->val[10] = 0.4 * u->mass * u->length * u->length;
  return 0;
}

static int rod_force(void *user, double t, const double *q, const double *v, double *F) {
  const units *u = user;
  const double rate = 1 / (u->time * u->time);
  (void)t, (void)v;
  F[0] = F[2] = 0;
  F[1] = -1.3 * 9.81 * u->mass * u->length * rate;
  F[3] = -5 * u->mass * u->length * u->length * rate * q[3];
  return 0;
}

static int rod_rows(void *user, double t, const double *q, double *g) {
  const units *u = user;
  const double l = 0.7 * u->length;
  (void)t;
  g[0] = q[0] - l * cos(q[2]);
  g[1] = q[1] - l * sin(q[2]);
  g[2] = q[3] - 2 * q[2];
  if (u->twice) g[3] = g[0] + 0.5 * g[1];
  return 0;
}

static int rod_gradients(void *user, double t, const double *q, ga_csr *G) {
  const units *u = user;
  const double l = 0.7 * u->length, c = l * cos(q[2]), s = l * sin(q[2]);
  const double rows[16] = {1, 0, s, 0, 0, 1, -c, 0, 0, 0, -2, 1, 1, 0.5, s - 0.5 * c, 0};
  (void)t;
  memcpy(G->val, rows, (u->twice ? 16 : 12) * sizeof(double));
  return 0;
}

static int rod_drift(void *user, double t, const double *q, const double *v, double *drift) {
  const units *u = user;
  const double l = 0.7 * u->length * v[2] * v[2];
  (void)t;
  drift[0] = l * cos(q[2]);
  drift[1] = l * sin(q[2]);
  drift[2] = 0;
  if (u->twice) drift[3] = drift[0] + 0.5 * drift[1];
  return 0;
}

/* the numbers of a start from values that violate the constraints, and q and v assembled from them,
 * scaled back to units 1 */
static void start_in(const units *u, const char *method, double *out) {
  static const ga_model_ops ops = {.mass = rod_mass,
                                   .force = rod_force,
                                   .holonomic = rod_rows,
                                   .holonomic_jac = rod_gradients,
                                   .holonomic_drift = rod_drift};
  const double L = u->length, T = u->time, force = u->mass * L / (T * T);
  const double metric[4] = {1, 1, 0.49 * L * L, 0.49 * L * L};
  const double q0[4] = {0.7 * L, 0.1 * L, 0.2, 0.3}, v0[4] = {0.1 * L / T, L / T, 2 / T, 3 / T};
  ga_space *space;
  ga_integrator *it;
  ga_error err = {0};
  units own = *u;
  must(ga_space_rn(4, &space), &err);
  const ga_model model = {.ops = &ops,
                          .user = &own,
                          .space = space,
                          .nlam = u->twice ? 4 : 3,
                          .const_mass = true,
                          .scleronomic = true,
                          .metric = metric};
  ga_options o = ga_options_default();
  o.method = method;
  o.h = 0x1p-10 * T;
  o.initial = GA_INITIAL_PROJECT;
  o.redundant = u->twice ? GA_REDUNDANT_ALLOW : GA_REDUNDANT_REFUSE;
  must(ga_integrator_new(&model, &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  for (int i = 0; i < 4; i++) {
    const double unit = i < 2 ? L : 1;
    out[i] = s->q[i] / unit;
    out[4 + i] = s->v[i] / (unit / T);
    out[8 + i] = s->vd[i] / (unit / (T * T));
    out[12 + i] = s->a[i] / (unit / (T * T));
    if (i < model.nlam) out[16 + i] = s->lam[i] / (i == 2 ? force * L : force);
  }
  double q[4], v[4];
  memcpy(q, q0, sizeof q), memcpy(v, v0, sizeof v);
  must(ga_assemble_position(&model, 0, q, NULL, &err), &err);
  must(ga_assemble_velocity(&model, 0, q, v, NULL, &err), &err);
  for (int i = 0; i < 4; i++) out[20 + i] = q[i] / (i < 2 ? L : 1);
  for (int i = 0; i < 4; i++) out[24 + i] = v[i] / ((i < 2 ? L : 1) / T);
  ga_integrator_free(it);
  ga_space_free(space);
}

/* Starts, projections included, and assemblies are the same bit by bit in all units, with redundant
 * rows, too. */
static void test_units(void **state) {
  (void)state;
  static const int exponents[][3] = {
      {20, 0, 0}, {-30, 0, 0}, {0, 26, 0}, {10, -30, 8}, {-8, 4, -10}};
  static const char *const methods[] = {"stab2", "index3"};
  for (int twice = 0; twice < 2; twice++) {
    for (int m = 0; m < 2; m++) {
      double plain[28] = {0}, other[28] = {0};
      start_in(&(units){1, 1, 1, twice}, methods[m], plain);
      assert_true(fabs(plain[0] * plain[0] + plain[1] * plain[1] - 0.49) < 1e-15);
      assert_true(fabs(plain[0] - 0.7) > 1e-4 && fabs(plain[3] - 2 * plain[2]) < 1e-15);
      for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        const int *e = exponents[k];
        const units u = {ldexp(1, e[0]), ldexp(1, e[1]), ldexp(1, e[2]), twice};
        start_in(&u, methods[m], other);
        for (int i = 0; i < 28; i++) {
          if (other[i] != plain[i])
            fail_msg("%s, twice %d, units %d: %d: %.17g, %.17g", methods[m], twice, (int)k, i,
                     plain[i], other[i]);
        }
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_position),
      cmocka_unit_test(test_already_there),
      cmocka_unit_test(test_no_velocity),
      cmocka_unit_test(test_solver_fails),
      cmocka_unit_test(test_singular_on_the_way),
      cmocka_unit_test(test_balance),
      cmocka_unit_test(test_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
