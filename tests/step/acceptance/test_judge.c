/* SPDX-License-Identifier: MIT */
/* Models that were made to deceive the acceptance test (src/step/acceptance.c): a constraint
 * that stalls once and then converges, parts that excuse each other, forces that cancel inside a
 * callback. */
#include "support.h"

typedef struct {
  ga_model_ops ops;
  int n, nlam;
  const ga_csr *pat_G;
  double parameter;
  const double *q0, *v0;
  double h, rtol;
} deceit;

/* the run from 0 to t_end; `worst` is the largest number that look writes into its context */
static double run(deceit *d, const char *method, double t_end, ga_observer look, double *q) {
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_options o = ga_options_default();
  double worst = 0;
  must(ga_space_rn(d->n, &space), NULL);
  const ga_model model = {
      .ops = &d->ops, .user = &d->parameter, .space = space, .nlam = d->nlam, .pat_G = d->pat_G};
  o.method = method;
  o.h = d->h;
  o.rtol = d->rtol;
  o.atol = d->rtol / 100;
  o.newton_tol = 1e-12;
  must(ga_integrator_new(&model, &o, &it, NULL), NULL);
  if (look) ga_integrator_observe(it, look, &worst);
  must(ga_integrator_start(it, 0, d->q0, d->v0), ga_integrator_error(it));
  must(ga_integrator_run(it, t_end), ga_integrator_error(it));
  if (q) memcpy(q, ga_integrator_state(it)->q, (size_t)d->n * sizeof(double));
  ga_integrator_free(it);
  ga_space_free(space);
  return worst;
}

static void keep_largest(double *worst, double x) {
  if (!(fabs(x) <= *worst)) *worst = fabs(x);
}

/* ---- Kepler's equation z - 0.9 sin z = x, z without mass: bends so much that iterations stall --
 */

static int kepler_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = 1;
  return 0;
}

static int kepler_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)v;
  F[0] = -4 * q[0];
  F[1] = 0;
  return 0;
}

static int kepler(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[1] - 0.9 * sin(q[1]) - q[0];
  return 0;
}

static int kepler_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  G->val[0] = -1;
  G->val[1] = 1 - 0.9 * cos(q[1]);
  return 0;
}

static int kepler_look(void *context, const ga_state *s, const ga_stats *stats) {
  (void)stats;
  keep_largest(context, s->q[1] - 0.9 * sin(s->q[1]) - s->q[0]);
  return 0;
}

static void test_stall_ends(void **state) {
  (void)state;
  const double q0[] = {0, 0}, v0[] = {1, 10};
  deceit d = {.ops = {.mass = kepler_mass,
                      .force = kepler_force,
                      .holonomic = kepler,
                      .holonomic_jac = kepler_jac},
              .n = 2,
              .nlam = 1,
              .q0 = q0,
              .v0 = v0,
              .h = 0.05};
  const char *const methods[] = {"index3", "stab2"};
  for (int m = 0; m < 2; m++) {
    double open = run(&d, methods[m], 5, kepler_look, NULL);
    assert_true(open < 1e-10);
  }
}

/* ---- x0 = 0 held against a force P; x1 = x2 on a spring of its own; G without a pattern ---------
 */

static int held_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[4] = M->val[8] = 1;
  return 0;
}

static int held_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)t, (void)v;
  F[0] = *(const double *)user;
  F[1] = -100 * sin(q[1]);
  F[2] = 0;
  return 0;
}

static int held(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[0];
  g[1] = q[1] - q[2];
  return 0;
}

static int held_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t, (void)q;
  G->val[0] = G->val[4] = 1;
  G->val[5] = -1;
  return 0;
}

static int held_look(void *context, const ga_state *s, const ga_stats *stats) {
  double spring = 100 * sin(s->q[1]);
  double terms = fabs(s->vd[1]) + fabs(spring) + fabs(s->lam[1]);
  if (stats->steps > 0) keep_largest(context, (s->vd[1] + spring + s->lam[1]) / terms);
  return 0;
}

static void test_strong_force_elsewhere(void **state) {
  (void)state;
  const double q0[] = {0, 1, 1}, v0[] = {0, 0, 0};
  deceit d = {
      .ops = {.mass = held_mass, .force = held_force, .holonomic = held, .holonomic_jac = held_jac},
      .n = 3,
      .nlam = 2,
      .q0 = q0,
      .v0 = v0,
      .h = 0.02};
  double weak[3], strong[3];
  d.parameter = 1;
  assert_true(run(&d, "stab2", 5, held_look, weak) < 1e-9);
  for (double P = 1e6; P < 1e17; P *= 1e5) {
    d.parameter = P;
    assert_true(run(&d, "stab2", 5, held_look, strong) < 1e-9);
    assert_near("as beside a weak force", strong[1], weak[1], 1e-9);
  }
}

/* ---- rows of very different units in parts that do not meet ------------------------------------
 */

static int units_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < 3; i++) M->val[5 * i] = 1;
  return 0;
}

static int units_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)v;
  F[0] = 1000 * cos(t);
  F[1] = F[3] = 0;
  F[2] = -4 * q[2];
  return 0;
}

static int units(void *user, double t, const double *q, double *g) {
  const double S = *(const double *)user;
  (void)t;
  g[0] = S * (q[0] - q[1]);
  g[1] = q[3] - 0.5 * sin(q[3]) - q[2];
  return 0;
}

static int units_jac(void *user, double t, const double *q, ga_csr *G) {
  const double S = *(const double *)user;
  (void)t;
  G->val[0] = S;
  G->val[1] = -S;
  G->val[2] = -1;
  G->val[3] = 1 - 0.5 * cos(q[3]);
  return 0;
}

static int units_look(void *context, const ga_state *s, const ga_stats *stats) {
  (void)stats;
  keep_largest(context, s->q[3] - 0.5 * sin(s->q[3]) - s->q[2]);
  return 0;
}

static void test_units_of_other_rows(void **state) {
  (void)state;
  const double q0[] = {0, 0, 0, 0}, v0[] = {0, 0, 1, 2};
  int ptr[] = {0, 2, 4}, col[] = {0, 1, 2, 3};
  const ga_csr pattern = {.nrow = 2, .ncol = 4, .ptr = ptr, .col = col};
  deceit d = {.ops = {.mass = units_mass,
                      .force = units_force,
                      .holonomic = units,
                      .holonomic_jac = units_jac},
              .n = 4,
              .nlam = 2,
              .pat_G = &pattern,
              .q0 = q0,
              .v0 = v0,
              .h = 0.02};
  const char *const methods[] = {"index3", "stab2", "soi2"};
  for (int m = 0; m < 3; m++) {
    for (d.parameter = 1; d.parameter < 1e13; d.parameter *= 1e6) {
      assert_true(run(&d, methods[m], 5, units_look, NULL) < 1e-11);
    }
  }
}

/* ---- regularised friction against a push: the sum of forces goes to zero inside the callback ---
 */

static int pushed_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = 1;
  return 0;
}

static int pushed_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)t, (void)q;
  F[0] = 0.5 - tanh(v[0] / *(const double *)user);
  return 0;
}

static int pushed_tangents(void *user, double t, const double *q, const double *v, const double *x,
                           const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  const double V = *(const double *)user, c = cosh(v[0] / V);
  (void)t, (void)q, (void)x, (void)lam, (void)psi, (void)Kt;
  Ct->val[0] = 1 / (V * c * c);
  return 0;
}

static void test_terminal_velocity(void **state) {
  (void)state;
  const double q0[] = {0.1}, v0[] = {0};
  deceit d = {
      .ops = {.mass = pushed_mass, .force = pushed_force, .force_tangents = pushed_tangents},
      .n = 1,
      .q0 = q0,
      .v0 = v0,
      .h = 1e-3};
  for (d.parameter = 1e-2; d.parameter > 5e-5; d.parameter /= 10) {
    double q;
    run(&d, "stab2", 0.1, NULL, &q);
    assert_near("way", q, 0.1 + 0.1 * d.parameter * atanh(0.5), 0.1 * d.parameter);
  }
}

/* ---- a light mass on a rod that a heavy one carries: both fall, the light one swings ----------
 */

/* parameter: the heavy mass, and one over the light one */
static int carried_mass(void *user, double t, const double *q, ga_csr *M) {
  const double heavy = *(const double *)user;
  (void)t, (void)q;
  for (int i = 0; i < 4; i++) M->val[5 * i] = i < 2 ? heavy : 1 / heavy;
  return 0;
}

static int carried_force(void *user, double t, const double *q, const double *v, double *F) {
  const double heavy = *(const double *)user;
  (void)t, (void)q;
  F[0] = 0, F[1] = -9.81 * heavy;
  F[2] = -0.3 / heavy * (v[2] - v[0]), F[3] = -9.81 / heavy;
  return 0;
}

static int carried(void *user, double t, const double *q, double *g) {
  const double x = q[2] - q[0], y = q[3] - q[1];
  (void)user, (void)t;
  g[0] = (x * x + y * y - 1) / 2;
  return 0;
}

static int carried_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  for (int i = 0; i < 4; i++) G->val[i] = i < 2 ? q[i] - q[i + 2] : q[i] - q[i - 2];
  return 0;
}

/* The heavy one has all of the energy and all of the force, and must not excuse the other. */
static void test_heavy_beside_light(void **state) {
  (void)state;
  const double q0[] = {0, 0, 1, 0}, v0[] = {1, 0, 1, 5};
  const char *const methods[] = {"stab2", "index3"};
  deceit d = {.ops = {.mass = carried_mass,
                      .force = carried_force,
                      .holonomic = carried,
                      .holonomic_jac = carried_jac},
              .n = 4,
              .nlam = 1,
              .q0 = q0,
              .v0 = v0,
              .h = 1e-2};
  for (int m = 0; m < 2; m++) {
    double first = 0;
    for (d.parameter = 1; d.parameter < 2e9; d.parameter *= 1e3) {
      double q[4];
      run(&d, methods[m], 5, NULL, q);
      double angle = atan2(q[3] - q[1], q[2] - q[0]);
      if (d.parameter == 1) first = angle;
      assert_near("angle", angle, first, 1e-9);
    }
  }
}

/* ---- a stop: where the mass has left it, v' is extrapolated from very short steps to 1e-290 ---
 */

static int stop_force(void *user, double t, const double *q, const double *v, double *F) {
  const double k = *(const double *)user;
  (void)t, (void)v;
  F[0] = q[0] > 0.01 ? -k * (q[0] - 0.01) : 0;
  return 0;
}

static int stop_look(void *context, const ga_state *s, const ga_stats *stats) {
  if (stats->steps > 0 && s->q[0] < 0.01) keep_largest(context, s->vd[0]);
  return 0;
}

/* 1e-290 less a rounding of itself is 1e-306, all of which would be out of balance */
static void test_underflow(void **state) {
  (void)state;
  const double q0[] = {0}, v0[] = {1};
  deceit d = {.ops = {.mass = pushed_mass, .force = stop_force},
              .n = 1,
              .q0 = q0,
              .v0 = v0,
              .h = 1e-4,
              .rtol = 1e-4};
  for (d.parameter = 1e6; d.parameter < 1e9; d.parameter *= 2.7) {
    /* less than 1e-12 of the acceleration that moves q by its roundings in the shortest step */
    assert_true(run(&d, "stab2", 0.02, stop_look, NULL) < 1e-12);
  }
}

/* ---- a load of 1 kg slides down a rail on a node without weight that bears a load of 1 MN ------
 */

static const double SLOPE = 0.5, NODE = 1e-9;

static int rail_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < 4; i++) M->val[5 * i] = i < 2 ? NODE : 1;
  return 0;
}

static int rail_force(void *user, double t, const double *q, const double *v, double *F) {
  const double speed = sqrt(v[2] * v[2] + v[3] * v[3] + 1e-6), drag = 2 * speed * speed * speed;
  (void)user, (void)t;
  F[0] = 1e8 * (1e-2 - q[0]), F[1] = -1e8 * q[1];
  F[2] = -drag * v[2], F[3] = -drag * v[3] - 9.81;
  return 0;
}

/* the node is on a rod of length 1, the load on a straight line through the node */
static int rail(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = hypot(q[0] + 1, q[1]) - 1;
  g[1] = (q[2] - q[0]) * sin(SLOPE) - (q[3] - q[1]) * cos(SLOPE);
  return 0;
}

static int rail_jac(void *user, double t, const double *q, ga_csr *G) {
  const double length = hypot(q[0] + 1, q[1]), s = sin(SLOPE), c = cos(SLOPE);
  const double rows[] = {(q[0] + 1) / length, q[1] / length, 0, 0, -s, c, s, -c};
  (void)user, (void)t;
  for (int i = 0; i < 8; i++) G->val[i] = rows[i];
  return 0;
}

/* along the rail no constraint acts: m v' = F there */
static int rail_look(void *context, const ga_state *s, const ga_stats *stats) {
  double F[4];
  rail_force(NULL, s->t, s->q, s->v, F);
  if (stats->steps > 0) {
    keep_largest(context, (s->vd[2] - F[2]) * cos(SLOPE) + (s->vd[3] - F[3]) * sin(SLOPE));
  }
  return 0;
}

/* The node has all of the force, and per mass far more than all: it must not excuse the load. */
static void test_light_under_load(void **state) {
  (void)state;
  const double q0[] = {0, 0, cos(SLOPE), sin(SLOPE)}, v0[4] = {0};
  const char *const methods[] = {"stab2", "index3"};
  deceit d = {
      .ops = {.mass = rail_mass, .force = rail_force, .holonomic = rail, .holonomic_jac = rail_jac},
      .n = 4,
      .nlam = 2,
      .q0 = q0,
      .v0 = v0,
      .h = 0.1};
  for (int m = 0; m < 2; m++) {
    assert_true(run(&d, methods[m], 10, rail_look, NULL) < 1e-7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stall_ends),          cmocka_unit_test(test_strong_force_elsewhere),
      cmocka_unit_test(test_units_of_other_rows), cmocka_unit_test(test_terminal_velocity),
      cmocka_unit_test(test_underflow),           cmocka_unit_test(test_heavy_beside_light),
      cmocka_unit_test(test_light_under_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
