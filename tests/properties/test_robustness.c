/* SPDX-License-Identifier: MIT */
/* Hard cases that once went wrong: large angles, old matrices, tiny steps, forces that switch. */
#include "methods.h"
#include "problems/problems.h"

/* one or two degrees of freedom with a force of your own */
typedef struct {
  double mass[3];
  void (*force)(double t, const double *q, const double *v, double *F);
  double k; /* a stiffness the force may read through `parameter` */
} plain;

static double parameter;

static int plain_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)t, (void)q;
  const plain *p = user;
  for (int i = 0; i < M->nrow; i++) M->val[i * M->ncol + i] = p->mass[i];
  return 0;
}
static int plain_force(void *user, double t, const double *q, const double *v, double *F) {
  const plain *p = user;
  p->force(t, q, v, F);
  return 0;
}
static const ga_model_ops plain_ops = {.mass = plain_mass, .force = plain_force};

/* final q, v of an unconstrained system of n coordinates */
static void run_plain(plain *p, int n, double h, double t_end, int every, const double *q0,
                      const double *v0, double *q, double *v) {
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_space_rn(n, &space), NULL);
  ga_model model = {.ops = &plain_ops, .user = p, .space = space};
  ga_options o = ga_options_default();
  o.h = h;
  o.matrix_every = every;
  must(ga_integrator_new(&model, &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
  must(ga_integrator_run(it, t_end), ga_integrator_error(it));
  memcpy(q, ga_integrator_state(it)->q, (size_t)n * sizeof(double));
  memcpy(v, ga_integrator_state(it)->v, (size_t)n * sizeof(double));
  ga_integrator_free(it);
  ga_space_free(space);
}

/* a light body hits a wall beside a heavy, very stiff one at rest under load */
static void wall_force(double t, const double *q, const double *v, double *F) {
  (void)t, (void)v;
  F[0] = -parameter * (q[0] - 1);
  F[1] = q[1] < 0 ? -0.1 * q[1] : 0;
}

static void test_contact_beside_stiffness(void **state) {
  (void)state;
  plain p = {.mass = {1e3, 1e-6}, .force = wall_force};
  const double q0[2] = {1, 0.5}, v0[2] = {0, -3};
  for (double K = 1; K <= 1e12; K *= 1e3) {
    double q[2][2], v[2][2];
    parameter = K;
    for (int every = 0; every < 2; every++) {
      run_plain(&p, 2, 0.02, 0.6, every, q0, v0, q[every], v[every]);
    }
    assert_true(fabs(q[0][1] - q[1][1]) < 1e-8 && fabs(v[0][1] - v[1][1]) < 1e-6);
  }
}

/* a spring that vanishes at t = 0.1 beside a large force: increments with the old matrix are tiny
 */
static void vanishing_force(double t, const double *q, const double *v, double *F) {
  (void)v;
  F[0] = 1e4 * cos(t);
  F[1] = (t < 0.1 ? -1e10 * q[1] : 0) + 0.1;
}

static void test_vanishing_stiffness(void **state) {
  (void)state;
  plain p = {.mass = {1, 1}, .force = vanishing_force};
  const double q0[2] = {0, 1e-11}, v0[2] = {0, 0};
  double q[2], v[2];
  run_plain(&p, 2, 1e-3, 0.3, 0, q0, v0, q, v);
  assert_true(fabs(v[1] - 0.1 * 0.2) < 1e-4);
}

/* free flight, then a wall: an acceleration that is exactly zero is no failure */
static void flight_force(double t, const double *q, const double *v, double *F) {
  (void)t, (void)v;
  F[0] = q[0] < 0 ? -1e4 * q[0] : 0;
}

static void test_free_flight(void **state) {
  (void)state;
  plain p = {.mass = {1}, .force = flight_force};
  const double q0 = 0.1, v0 = -1;
  double q, v;
  run_plain(&p, 1, 1e-3, 0.5, 0, &q0, &v0, &q, &v);
  assert_true(fabs(v - 1) < 1e-2); /* comes back */
}

/* growth without bound: an infinite force is a reason to retry, not to give up */
static void exploding_force(double t, const double *q, const double *v, double *F) {
  (void)t, (void)v;
  F[0] = exp(q[0]);
}

static void test_overflow(void **state) {
  (void)state;
  ga_space *space = NULL;
  plain p = {.mass = {1}, .force = exploding_force};
  must(ga_space_rn(1, &space), NULL);
  ga_model model = {.ops = &plain_ops, .user = &p, .space = space};
  ga_options o = ga_options_default();
  o.h = 0.5;
  ga_integrator *it = NULL;
  const double q0 = 2, v0 = 2;
  must(ga_integrator_new(&model, &o, &it, NULL), NULL);
  ga_status status = ga_integrator_start(it, 0, &q0, &v0);
  while (status == GA_OK && ga_integrator_state(it)->t < 5) status = ga_integrator_step(it);
  assert_true(status > 0);
  double t = ga_integrator_state(it)->t;
  must(ga_integrator_set_step(it, 1e-6), NULL);
  must(ga_integrator_step(it), ga_integrator_error(it));
  assert_true(ga_integrator_state(it)->t > t);
  ga_integrator_free(it);
  ga_space_free(space);
}

/* a free rod pinned at the origin, (x, y, theta), with G by differences or given */
static int rod_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[4] = 1, M->val[8] = 1.0 / 12;
  return 0;
}
static int rod_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = F[1] = F[2] = 0;
  return 0;
}
static int rod_holonomic(void *user, double t, const double *q, double *g) {
  const double *offset = user;
  (void)t;
  g[0] = q[0] - *offset - 0.5 * cos(q[2]);
  g[1] = q[1] - 0.5 * sin(q[2]);
  return 0;
}
static int rod_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  G->val[0] = 1, G->val[2] = 0.5 * sin(q[2]);
  G->val[4] = 1, G->val[5] = -0.5 * cos(q[2]);
  return 0;
}

static double rod_speed(bool given, double offset, double theta, double t_end, ga_status *status) {
  ga_space *space = NULL;
  ga_model_ops ops = {.mass = rod_mass, .force = rod_force, .holonomic = rod_holonomic};
  if (given) ops.holonomic_jac = rod_jac;
  must(ga_space_rn(3, &space), NULL);
  ga_model model = {.ops = &ops, .user = &offset, .space = space, .nlam = 2, .const_mass = true};
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  const double q0[3] = {offset + 0.5 * cos(theta), 0.5 * sin(theta), theta};
  const double v0[3] = {-50 * sin(theta), 50 * cos(theta), 100};
  must(ga_integrator_new(&model, &o, &it, NULL), NULL);
  *status = ga_integrator_start(it, 0, q0, v0);
  if (*status == GA_OK) *status = ga_integrator_run(it, t_end);
  double speed = ga_integrator_state(it)->v[2];
  ga_integrator_free(it);
  ga_space_free(space);
  return speed;
}

/* angles of a thousand radians, positions of a kilometre: differences must not grow with them */
static void test_large_coordinates(void **state) {
  (void)state;
  ga_status a, b;
  double given = rod_speed(true, 0, 0, 5, &a), differences = rod_speed(false, 0, 0, 5, &b);
  assert_true(a == GA_OK && b == GA_OK);
  assert_true(fabs(given - differences) < 1e-7 && fabs(given - 100) < 0.02);
  const double far[][2] = {{0, 99.5}, {0, 1e4}, {1000, 0.3}, {1e4, 2}};
  for (int k = 0; k < 4; k++) {
    given = rod_speed(true, far[k][0], far[k][1], 0.1, &a);
    differences = rod_speed(false, far[k][0], far[k][1], 0.1, &b);
    assert_true(a == GA_OK && b == GA_OK);
    assert_true(fabs(given - differences) < 1e-5);
  }
}

/* t_end a little beyond a multiple of h; a large growth of the step */
static void test_tiny_remainder(void **state) {
  (void)state;
  const double remainder[] = {1e-2, 1e-4, 1e-6, 3e-8, 1e-9};
  ga_problem *p = problem_named("rheonomic");
  for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
    for (int k = 0; k < 5; k++) {
      ga_options o = ga_options_default();
      use_method(&o, m);
      o.h = 1e-3;
      ga_integrator *it = started(p, &o);
      double t = 0.1 + remainder[k] * o.h, lam;
      must(ga_integrator_run(it, t), ga_integrator_error(it));
      for (int n = 0; n < 4; n++) {
        const ga_state *s = ga_integrator_state(it);
        ga_problem_reference(p, s->t, NULL, NULL, NULL, &lam, NULL);
        assert_true(fabs(s->lam[0] - lam) < 1e-5);
        must(ga_integrator_step(it), ga_integrator_error(it));
      }
      /* a very small step in between, then the old size again */
      must(ga_integrator_set_step(it, 1e-6), NULL);
      must(ga_integrator_step(it), ga_integrator_error(it));
      must(ga_integrator_set_step(it, 1e-3), NULL);
      for (int n = 0; n < 20; n++) must(ga_integrator_step(it), ga_integrator_error(it));
      ga_problem_reference(p, ga_integrator_state(it)->t, NULL, NULL, NULL, &lam, NULL);
      assert_true(fabs(ga_integrator_state(it)->lam[0] - lam) < 1e-4);
      ga_integrator_free(it);
    }
  }
  ga_problem_free(p);
}

/* times of a million seconds, g_t by differences */
static int late_holonomic(void *user, double t, const double *q, double *g) {
  (void)user;
  double r = 1 + 0.1 * sin(2 * t);
  g[0] = (q[0] * q[0] + q[1] * q[1] - r * r) / 2;
  return 0;
}

static void test_late_start(void **state) {
  (void)state;
  ga_space *space = NULL;
  ga_model_ops ops = plain_ops;
  ops.holonomic = late_holonomic;
  must(ga_space_rn(2, &space), NULL);
  plain p = {.mass = {1, 1}, .force = exploding_force};
  p.force = wall_force;
  parameter = 0;
  ga_model model = {.ops = &ops, .user = &p, .space = space, .nlam = 1};
  const double times[] = {-5, 1e3, 1e6};
  for (int k = 0; k < 3; k++) {
    for (double h = 1e-2; h > 5e-6; h /= 10) {
      ga_options o = ga_options_default();
      ga_integrator *it = NULL;
      double t0 = times[k], r = 1 + 0.1 * sin(2 * t0), rd = 0.2 * cos(2 * t0);
      const double q0[2] = {r, 0}, v0[2] = {rd, 1 / r};
      o.h = h;
      must(ga_integrator_new(&model, &o, &it, NULL), NULL);
      must(ga_integrator_start(it, t0, q0, v0), ga_integrator_error(it));
      /* lam = theta'^2 - r''/r with theta' = 1/r^2 */
      double lam = 1 / (r * r * r * r) + 0.4 * sin(2 * t0) / r;
      assert_true(fabs(ga_integrator_state(it)->lam[0] - lam) < 1e-7);
      for (int n = 0; n < 20; n++) must(ga_integrator_step(it), ga_integrator_error(it));
      ga_integrator_free(it);
    }
  }
  ga_space_free(space);
}

/* a damped pendulum that comes to rest: an entry of G goes through zero, all by differences */
static int swing_force(void *user, double t, const double *q, const double *v, double *F) {
  const double *damping = user;
  (void)t, (void)q;
  F[0] = -*damping * v[0];
  F[1] = -*damping * v[1] - 2 * 9.81;
  return 0;
}
static int swing_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[3] = 2;
  return 0;
}
static int swing_circle(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}
static int swing_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  G->val[0] = q[0], G->val[1] = q[1];
  return 0;
}
static int wrong_curv(void *user, double t, const double *q, const double *v, ga_csr *Z) {
  (void)user, (void)t, (void)q;
  Z->val[0] = -v[0], Z->val[1] = -v[1]; /* the sign is wrong */
  return 0;
}

static void test_coming_to_rest(void **state) {
  (void)state;
  const ga_model_ops ops = {.mass = swing_mass, .force = swing_force, .holonomic = swing_circle};
  ga_space *space = NULL;
  must(ga_space_rn(2, &space), NULL);
  for (double damping = 2; damping <= 8; damping += 6) {
    ga_model model = {.ops = &ops, .user = &damping, .space = space, .nlam = 1};
    const double q0[2] = {0.6, -0.8}, v0[2] = {0, 0};
    for (const ga_method *m = NULL; (m = next_method(m, &model, q0)) != NULL;) {
      ga_options o = ga_options_default();
      ga_integrator *it = NULL;
      use_method(&o, m);
      o.h = 0.02;
      must(ga_integrator_new(&model, &o, &it, NULL), NULL);
      must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
      must(ga_integrator_run(it, 60), ga_integrator_error(it));
      assert_true(fabs(ga_integrator_state(it)->q[0]) < 1e-8);
      ga_integrator_free(it);
    }
  }
  ga_space_free(space);
}

/* a wrong curvature costs iterations, not the solution */
static void test_wrong_curvature(void **state) {
  (void)state;
  ga_model_ops ops = {.mass = swing_mass,
                      .force = swing_force,
                      .holonomic = swing_circle,
                      .holonomic_jac = swing_jac};
  ga_space *space = NULL;
  double damping = 0, lam[2];
  must(ga_space_rn(2, &space), NULL);
  for (int wrong = 0; wrong < 2; wrong++) {
    if (wrong) ops.holonomic_curv = wrong_curv;
    ga_model model = {
        .ops = &ops, .user = &damping, .space = space, .nlam = 1, .scleronomic = true};
    ga_options o = ga_options_default();
    ga_integrator *it = NULL;
    const double q0[2] = {0.6, -0.8}, v0[2] = {4, 3};
    o.h = 0.01;
    must(ga_integrator_new(&model, &o, &it, NULL), NULL);
    must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
    must(ga_integrator_run(it, 0.1), ga_integrator_error(it));
    lam[wrong] = ga_integrator_state(it)->lam[0];
    ga_integrator_free(it);
  }
  assert_near("lam with a wrong Z", lam[1], lam[0], 1e-9);
  ga_space_free(space);
}

/* a light contact beside a heavy mass held by a constraint: its reaction is not the rounding level
 * of others */
static void held_contact(double t, const double *q, const double *v, double *F) {
  (void)t, (void)v;
  double depth = q[1] - 1;
  F[0] = -9.81 * parameter;
  F[1] = 1e-8 * (0.5 - (depth > 0 ? 1e5 * depth * (1 + 20 * depth) : 0));
}
static int held_holonomic(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[0];
  return 0;
}

static void test_contact_beside_reaction(void **state) {
  (void)state;
  ga_model_ops ops = plain_ops;
  ops.holonomic = held_holonomic;
  ga_space *space = NULL;
  must(ga_space_rn(2, &space), NULL);
  for (double W = 1; W <= 1e12; W *= 1e4) {
    plain p = {.mass = {W, 1e-8}, .force = held_contact};
    ga_model model = {.ops = &ops, .user = &p, .space = space, .nlam = 1};
    ga_options o = ga_options_default();
    ga_integrator *it = NULL;
    const double q0[2] = {0, 0.33}, v0[2] = {0, 1};
    parameter = W;
    o.h = 0.02;
    must(ga_integrator_new(&model, &o, &it, NULL), NULL);
    must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
    for (int n = 0; n < 60; n++) must(ga_integrator_step(it), ga_integrator_error(it));
    assert_true(fabs(ga_integrator_state(it)->q[1] + 0.284069645) < 1e-6);
    ga_integrator_free(it);
  }
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contact_beside_stiffness),
      cmocka_unit_test(test_vanishing_stiffness),
      cmocka_unit_test(test_free_flight),
      cmocka_unit_test(test_overflow),
      cmocka_unit_test(test_large_coordinates),
      cmocka_unit_test(test_tiny_remainder),
      cmocka_unit_test(test_late_start),
      cmocka_unit_test(test_coming_to_rest),
      cmocka_unit_test(test_wrong_curvature),
      cmocka_unit_test(test_contact_beside_reaction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
