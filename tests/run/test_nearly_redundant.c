/* SPDX-License-Identifier: MIT */
/* Redundant rows beside rows that are nearly parallel, or far from 1 in size: what is reported
 * balances the forces and obeys the rows that are kept. */
#include "support.h"

enum { MOST_V = 3, MOST_ROWS = 4 };

/* bodies on R, of which linear rows hold the places 1, under constant forces */
typedef struct {
  int nv, rows;
  double m[MOST_V], f[MOST_V], G[MOST_ROWS][MOST_V];
} held;

static int held_mass(void *user, double t, const double *q, ga_csr *M) {
  const held *p = user;
  (void)t, (void)q;
  for (int i = 0; i < p->nv; i++) M->val[i * p->nv + i] = p->m[i];
  return 0;
}
static int held_force(void *user, double t, const double *q, const double *v, double *F) {
  const held *p = user;
  (void)t, (void)q, (void)v;
  for (int i = 0; i < p->nv; i++) F[i] = p->f[i];
  return 0;
}
static int held_rows(void *user, double t, const double *q, double *g) {
  const held *p = user;
  (void)t;
  for (int k = 0; k < p->rows; k++) {
    g[k] = 0;
    for (int i = 0; i < p->nv; i++) g[k] += p->G[k][i] * (q[i] - 1);
  }
  return 0;
}
static int held_jac(void *user, double t, const double *q, ga_csr *G) {
  const held *p = user;
  (void)t, (void)q;
  for (int k = 0; k < p->rows; k++) {
    for (int i = 0; i < p->nv; i++) G->val[k * p->nv + i] = p->G[k][i];
  }
  return 0;
}

/* largest |M v' + G^T lam - F| of a row, relative to its terms */
static double imbalance(const held *p, const ga_state *x) {
  double worst = 0;
  for (int i = 0; i < p->nv; i++) {
    double left = p->m[i] * x->vd[i] - p->f[i], terms = fabs(p->m[i] * x->vd[i]) + fabs(p->f[i]);
    for (int k = 0; k < p->rows; k++) {
      left += p->G[k][i] * x->lam[k];
      terms += fabs(p->G[k][i] * x->lam[k]);
    }
    worst = fmax(worst, fabs(left) / terms);
  }
  return worst;
}

static const ga_model_ops held_ops = {
    .mass = held_mass, .force = held_force, .holonomic = held_rows, .holonomic_jac = held_jac};

/* At rest, by a method and a solver; look is shown the start and three steps. */
static void run_held(const held *p, const char *method, const char *solver,
                     void (*look)(const held *p, const ga_state *x, const char *method)) {
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};
  const double q[MOST_V] = {1, 1, 1}, v[MOST_V] = {0};
  must(ga_space_rn(p->nv, &space), NULL);
  ga_model model = {
      .ops = &held_ops, .space = space, .nlam = p->rows, .user = (void *)p, .scleronomic = true};
  ga_options o = ga_options_default();
  o.method = method;
  o.linsol = solver;
  o.h = 1e-3;
  o.redundant = GA_REDUNDANT_ALLOW;
  if (strcmp(method, "hht") == 0) o.par = ga_params_hht(-0.1, 0);
  must(ga_integrator_new(&model, &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
  for (int step = 0; step < 4; step++) {
    if (step > 0) must(ga_integrator_step(it), ga_integrator_error(it));
    look(p, ga_integrator_state(it), method);
  }
  ga_integrator_free(it);
  ga_space_free(space);
}

static void run_all_ways(const held *p,
                         void (*look)(const held *p, const ga_state *x, const char *method)) {
  static const char *const methods[] = {"stab2", "index3", "soi2", "hht", "index2", "index1"};
  static const char *const solvers[] = {"dense", "klu"};
  for (int k = 0; k < 12; k++) run_held(p, methods[k / 2], solvers[k % 2], look);
}

/* ---- rest ------------------------------------------------------------------------------------ */

/* What is known of v' is the rounding errors of the rows divided by the angle a between rows 0 and
 * 1. This is so without the copy as well. */
static void at_rest(const held *p, const ga_state *x, const char *method) {
  const double a = p->G[0][0], lam0 = 1 / a, allowed = 1e-13 / a;
  for (int i = 0; i < p->nv; i++) {
    if (!(fabs(x->vd[i]) <= allowed)) {
      fail_msg("%s, angle %g, t = %g: v'[%d] = %g", method, a, x->t, i, x->vd[i]);
    }
  }
  if (!(imbalance(p, x) <= allowed)) {
    fail_msg("%s, angle %g, t = %g: forces out of balance by %g of them", method, a, x->t,
             imbalance(p, x));
  }
  const double shared = p->rows == 3 ? x->lam[2] : 0; /* a copy of row 0 shares its force */
  assert_near("the force of row 0", x->lam[0] + shared, lam0, 1e-7);
  assert_near("the force of row 1", x->lam[1], 1 - lam0, 1e-7);
}

/* Bodies 1 and 2 are held by nearly parallel rows, body 3, which is connected with nothing, by one
 * and by its copy. */
static void beside_a_copy(void **state) {
  (void)state;
  for (double a = 1e-2; a > 5e-7; a /= 10) {
    const held p = {3, 4, {1, 1, 1}, {1, 1, 1}, {{a, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}}};
    run_all_ways(&p, at_rest);
  }
}

static void halves(const held *p, const ga_state *x, const char *method) {
  at_rest(p, x, method);
  assert_near("the copy's share", x->lam[2], x->lam[0], 1e-6);
}

/* One of the nearly parallel rows is there twice. Both carry the same, as far as least multipliers
 * can be told from others. */
static void a_copy_of_them(void **state) {
  (void)state;
  for (double a = 1e-2; a > 5e-7; a /= 10) {
    const held p = {2, 3, {1, 1}, {1, 1}, {{a, 1}, {0, 1}, {a, 1}}};
    run_all_ways(&p, a > 5e-6 ? halves : at_rest);
  }
}

/* Masses and rows in other units. */
static void other_units(void **state) {
  (void)state;
  static const held p = {
      2, 3, {1e-3, 2e-3}, {0.015, 0.007}, {{-5e-6, -3}, {0, -2e-3}, {-5e-6, -3}}};
  static const char *const methods[] = {"stab2", "hht"};
  for (int k = 0; k < 2; k++) {
    ga_space *space = NULL;
    ga_integrator *it = NULL;
    const double q[2] = {1, 1}, v[2] = {0, 0};
    must(ga_space_rn(2, &space), NULL);
    ga_model model = {
        .ops = &held_ops, .space = space, .nlam = 3, .user = (void *)&p, .scleronomic = true};
    ga_options o = ga_options_default();
    o.method = methods[k];
    o.h = 1e-3;
    o.redundant = GA_REDUNDANT_ALLOW;
    if (k == 1) o.par = ga_params_hht(-0.1, 0);
    must(ga_integrator_new(&model, &o, &it, NULL), NULL);
    must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
    for (int step = 0; step < 4; step++) {
      if (step > 0) must(ga_integrator_step(it), ga_integrator_error(it));
      const ga_state *x = ga_integrator_state(it);
      assert_true(imbalance(&p, x) <= 1e-12);
      assert_true(fabs(x->vd[0]) <= 1e-6 && fabs(x->vd[1]) <= 1e-6);
      assert_near("row 0 and its copy", x->lam[0] + x->lam[2], -3000, 1e-7);
    }
    ga_integrator_free(it);
    ga_space_free(space);
  }
}

/* ---- rows that count as dependent ------------------------------------------------------------ */

static void balanced(const held *p, const ga_state *x, const char *method) {
  if (!(imbalance(p, x) <= 1e-6)) {
    fail_msg("%s, t = %g: forces out of balance by %g of them", method, x->t, imbalance(p, x));
  }
}

/* One of two rows counts as dependent, but a light body feels which of them carries a large force:
 * the multipliers of the step stand. */
static void hardly_independent(void **state) {
  (void)state;
  const held p = {2, 2, {0.05, 3e4}, {-1e-5, -2.7e8}, {{2.5e-12, 1}, {0, 1}}};
  static const char *const methods[] = {"stab2", "index3"};
  for (int k = 0; k < 2; k++) run_held(&p, methods[k], "auto", balanced);
}

/* ---- small rows ------------------------------------------------------------------------------ */

/* a pendulum of length r whose row is there twice, the second time divided by 10^4 */
typedef struct {
  double r, m;
} twice;
static const double SECOND = 1e-4;

static int twice_mass(void *user, double t, const double *q, ga_csr *M) {
  const twice *p = user;
  (void)t, (void)q;
  M->val[0] = M->val[3] = p->m;
  return 0;
}
static int twice_force(void *user, double t, const double *q, const double *v, double *F) {
  const twice *p = user;
  (void)t, (void)q, (void)v;
  F[0] = 0, F[1] = -9.81 * p->m;
  return 0;
}
static int twice_rows(void *user, double t, const double *q, double *g) {
  const twice *p = user;
  (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - p->r * p->r) / 2;
  g[1] = SECOND * g[0];
  return 0;
}
static int twice_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  for (int i = 0; i < 2; i++) G->val[i] = q[i], G->val[2 + i] = SECOND * q[i];
  return 0;
}

static int twice_drift(void *user, double t, const double *q, const double *v, double *drift) {
  (void)user, (void)t, (void)q;
  drift[0] = v[0] * v[0] + v[1] * v[1];
  drift[1] = SECOND * drift[0];
  return 0;
}

/* Every method runs it, however small the rows are beside the masses: a quarter of a swing, to the
 * speed of the fall. */
static void small_rows(void **state) {
  (void)state;
  static const ga_model_ops ops = {.mass = twice_mass,
                                   .force = twice_force,
                                   .holonomic = twice_rows,
                                   .holonomic_jac = twice_jac,
                                   .holonomic_drift = twice_drift};
  static const char *const methods[] = {"stab2", "index3", "soi2", "hht", "index2", "index1"};
  static const twice sizes[] = {{1e-3, 1}, {1e-2, 1e3}, {1, 1}, {1e-5, 1e3}};
  ga_space *space = NULL;
  must(ga_space_rn(2, &space), NULL);
  for (int k = 0; k < 24; k++) {
    const twice *p = &sizes[k % 4];
    ga_model model = {
        .ops = &ops, .space = space, .nlam = 2, .user = (void *)p, .scleronomic = true};
    ga_options o = ga_options_default();
    o.method = methods[k / 4];
    o.h = 0.01 * sqrt(p->r / 9.81);
    o.redundant = GA_REDUNDANT_ALLOW;
    if (strcmp(o.method, "hht") == 0) o.par = ga_params_hht(-0.05, 0);
    const double q[2] = {0.6 * p->r, -0.8 * p->r}, v[2] = {0, 0};
    ga_integrator *it = NULL;
    must(ga_integrator_new(&model, &o, &it, NULL), NULL);
    must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
    for (int step = 0; step < 100; step++) {
      must(ga_integrator_step(it), ga_integrator_error(it));
    }
    const ga_state *x = ga_integrator_state(it);
    const double speed = (x->v[0] * x->v[0] + x->v[1] * x->v[1]) / 2;
    assert_near(o.method, speed, -9.81 * (x->q[1] - q[1]), 1e-3);
    assert_near("the force of the second row", SECOND * x->lam[1], x->lam[0], 1e-6);
    ga_integrator_free(it);
  }
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beside_a_copy), cmocka_unit_test(a_copy_of_them),
      cmocka_unit_test(other_units),   cmocka_unit_test(hardly_independent),
      cmocka_unit_test(small_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
