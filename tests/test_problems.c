/* SPDX-License-Identifier: MIT */
/* The test problems: derivatives, start values, references, equations of motion, energy. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the headers above */
#include <cmocka.h>

#include "base/base.h"
#include "genalpha/ga_problem.h"

enum { NMAX = 10, NSTATE = 3, NKKT = 2 * NMAX };

/* a matrix with the full pattern */
typedef struct full {
  ga_csr a;
  int ptr[NMAX + 1], col[NMAX * NMAX];
  double val[NMAX * NMAX];
} full;

static ga_csr *full_init(full *f, int nrow, int ncol) {
  assert_true(nrow <= NMAX && ncol <= NMAX);
  for (int i = 0; i <= nrow; i++) f->ptr[i] = i * ncol;
  for (int i = 0; i < nrow * ncol; i++) f->col[i] = i % ncol;
  memset(f->val, 0, sizeof f->val);
  f->a = (ga_csr){.nrow = nrow, .ncol = ncol, .ptr = f->ptr, .col = f->col, .val = f->val};
  return &f->a;
}

/* Everything a model may be evaluated at. */
typedef struct point {
  const ga_problem *problem;
  const ga_model *model;
  int nq, nv, nlam;
  double t, q[NMAX], v[NMAX], x[NMAX], lam[NMAX];
} point;

static point point_start(const ga_problem *p) {
  point s = {.problem = p, .model = &p->model, .t = p->t0, .nlam = p->model.nlam};
  s.nq = ga_space_nq(p->model.space);
  s.nv = ga_space_nv(p->model.space);
  assert_true(s.nq <= NMAX && s.nlam <= NMAX);
  memcpy(s.q, p->q0, (size_t)s.nq * sizeof *s.q);
  memcpy(s.v, p->v0, (size_t)s.nv * sizeof *s.v);
  return s;
}

/* uniform in (-size, size), the same in every run */
static void random_vector(unsigned *seed, int n, double size, double *x) {
  for (int i = 0; i < n; i++) {
    *seed = *seed * 1664525u + 1013904223u;
    x[i] = size * ((*seed >> 8) / 8388608.0 - 1);
  }
}

static double speed(const point *s) {
  return 1 + ga_max_abs(s->nv, s->v);
}

/* State 0 is the start; the others have a random configuration near it and random velocities. */
static point point_state(const ga_problem *p, int which) {
  point s = point_start(p);
  if (which == 0) return s;
  unsigned seed = 977u * (unsigned)which;
  double w[NMAX];
  random_vector(&seed, s.nv, 0.5, w);
  ga_space_step(s.model->space, s.q, w, s.q);
  random_vector(&seed, s.nv, speed(&s), s.v);
  s.t = 0.3 * which;
  return s;
}

static ga_problem *problem_open(const char *name) {
  ga_problem *p = NULL;
  assert_int_equal(ga_problem_new(name, NULL, &p, NULL), GA_OK);
  return p;
}

static void for_each(void (*check)(const ga_problem *p)) {
  for (int i = 0; ga_problem_name(i); i++) {
    ga_problem *p = problem_open(ga_problem_name(i));
    check(p);
    ga_problem_free(p);
  }
}

/* ---- evaluations ------------------------------------------------------------------------- */

/* a callback at the point s must succeed */
#define CALL(op, ...) \
  assert_int_equal(s->model->ops->op(s->model->user, s->t, s->q, __VA_ARGS__), 0)

static void eval_g(const point *s, double *f) {
  CALL(holonomic, f);
}

static void eval_jac(const point *s, full *G) {
  full_init(G, s->nlam, s->nv);
  if (s->nlam > 0) CALL(holonomic_jac, &G->a);
}

static void eval_gt(const point *s, double *f) {
  memset(f, 0, NMAX * sizeof *f);
  if (s->nlam > 0 && !s->model->scleronomic) CALL(holonomic_t, f);
}

/* G v + g_t */
static void eval_hidden(const point *s, double *f) {
  full G;
  eval_jac(s, &G);
  eval_gt(s, f);
  for (int i = 0; i < s->nlam; i++) {
    for (int j = 0; j < s->nv; j++) f[i] += G.val[i * s->nv + j] * s->v[j];
  }
}

/* M x - F + G^T lam */
static void eval_dynamics(const point *s, double *f) {
  full M, G;
  CALL(mass, full_init(&M, s->nv, s->nv));
  eval_jac(s, &G);
  CALL(force, s->v, f);
  for (int i = 0; i < s->nv; i++) {
    f[i] = -f[i];
    for (int j = 0; j < s->nv; j++) f[i] += M.val[i * s->nv + j] * s->x[j];
    for (int j = 0; j < s->nlam; j++) f[i] += G.val[j * s->nv + i] * s->lam[j];
  }
}

static void eval_energy(const point *s, double *e) {
  double kin, pot;
  CALL(energy, s->v, &kin, &pot);
  *e = kin + pot;
}

/* (q, v) of a closed solution, nq = nv <= NMAX/2 */
static void eval_closed(const point *s, double *qv) {
  assert_true(ga_problem_reference(s->problem, s->t, qv, qv + s->nv, NULL, NULL, NULL));
}

/* ---- difference quotients ---------------------------------------------------------------- */

typedef void (*vector_fn)(const point *s, double *f);
typedef void (*move_fn)(const point *s, int j, double step, point *moved);

static void move_q(const point *s, int j, double step, point *moved) {
  double w[NMAX] = {0};
  w[j] = step;
  ga_space_step(s->model->space, s->q, w, moved->q);
}

static void move_v(const point *s, int j, double step, point *moved) {
  moved->v[j] = s->v[j] + step * speed(s);
}

static void move_t(const point *s, int j, double step, point *moved) {
  (void)j;
  moved->t = s->t + step;
}

/* along the motion q' = v, v' = x */
static void move_flow(const point *s, int j, double step, point *moved) {
  (void)j;
  double w[NMAX] = {0}, dt = step / speed(s);
  ga_axpy(s->nv, dt, s->v, w);
  ga_space_step(s->model->space, s->q, w, moved->q);
  ga_axpy(s->nv, dt, s->x, moved->v);
  moved->t = s->t + dt;
}

/* Compare given (nrow x ncol by rows) with a five-point quotient of fn; scale is what a unit step
 * of move means. The allowance grows with the row of the matrix and the rounding of fn. */
static void check_matrix(const point *s, const char *what, vector_fn fn, move_fn move, double scale,
                         int nrow, int ncol, const double *given) {
  static const double weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12}, at[4] = {-2, -1, 1, 2};
  const double step = 1e-3;
  double quotient[NMAX * NMAX] = {0}, size[NMAX] = {0};
  for (int j = 0; j < ncol; j++) {
    for (int k = 0; k < 4; k++) {
      point moved = *s;
      double f[NMAX];
      move(s, j, at[k] * step, &moved);
      fn(&moved, f);
      for (int i = 0; i < nrow; i++) {
        quotient[i * ncol + j] += weight[k] / (step * scale) * f[i];
        size[i] = fmax(size[i], fabs(f[i]));
      }
    }
  }
  const double largest = ga_max_abs(nrow, size);
  for (int i = 0; i < nrow; i++) {
    double allowed = 1e-9 * ga_max_abs(ncol, given + i * ncol);
    allowed += (1e-11 * size[i] + 2e-12 * largest + 1e-14 * speed(s)) / scale;
    for (int j = 0; j < ncol; j++) {
      double error = fabs(given[i * ncol + j] - quotient[i * ncol + j]);
      if (error <= allowed) continue;
      fail_msg("%s(%d,%d): given %.12g, quotient %.12g", what, i, j, given[i * ncol + j],
               quotient[i * ncol + j]);
    }
  }
}

static void check_holonomic(const point *s) {
  full A;
  double f[NMAX];
  eval_jac(s, &A);
  check_matrix(s, "G", eval_g, move_q, 1, s->nlam, s->nv, A.val);
  eval_gt(s, f);
  check_matrix(s, "g_t", eval_g, move_t, 1, s->nlam, 1, f);
  CALL(holonomic_curv, s->v, full_init(&A, s->nlam, s->nv));
  check_matrix(s, "Z", eval_hidden, move_q, 1, s->nlam, s->nv, A.val);
  CALL(holonomic_drift, s->v, f);
  check_matrix(s, "drift", eval_hidden, move_flow, 1 / speed(s), s->nlam, 1, f);
}

static void check_tangents(const point *s) {
  full Kt, Ct;
  const int n = s->nv;
  CALL(force_tangents, s->v, s->x, s->lam, NULL, full_init(&Kt, n, n), full_init(&Ct, n, n));
  check_matrix(s, "Kt", eval_dynamics, move_q, 1, n, n, Kt.val);
  check_matrix(s, "Ct", eval_dynamics, move_v, speed(s), n, n, Ct.val);
}

/* The tangents once with v, x and lam each alone, so that no part hides behind a larger one, and
 * once with all of them. */
static void check_derivatives(const ga_problem *p) {
  for (int which = 0; which < NSTATE; which++) {
    const point s = point_state(p, which);
    if (s.nlam > 0) check_holonomic(&s);
    for (int parts = 0; parts < 8; parts++) {
      point r = s;
      unsigned seed = 4711u + (unsigned)which;
      if (!(parts & 1)) memset(r.v, 0, sizeof r.v);
      if (parts & 2) random_vector(&seed, r.nv, 3, r.x);
      if (parts & 4) random_vector(&seed, r.nlam, 5, r.lam);
      check_tangents(&r);
    }
  }
}

static void check_by_library(const ga_problem *p) {
  for (int which = 0; which < NSTATE; which++) {
    const point s = point_state(p, which);
    ga_error err = {0};
    ga_status status = ga_model_check_derivatives(s.model, s.t, s.q, s.v, NULL, &err);
    if (status != GA_OK) fail_msg("%s: %s", p->name, err.text);
  }
}

/* ---- consistency and equations of motion ------------------------------------------------- */

static void assert_constraints(const point *s) {
  double f[NMAX] = {0};
  if (s->nlam == 0) return;
  eval_g(s, f);
  assert_true(ga_max_abs(s->nlam, f) <= 1e-14);
  eval_hidden(s, f);
  assert_true(ga_max_abs(s->nlam, f) <= 1e-14 * speed(s));
}

static void check_start(const ga_problem *p) {
  const point s = point_start(p);
  assert_constraints(&s);
  assert_int_equal(ga_model_validate(s.model, NULL), GA_OK);
  assert_true(s.model->q_names && s.model->v_names && (s.model->lam_names || s.nlam == 0));
  assert_true(p->rho_inf > 0 && p->rho_inf < 1 && p->h > 0 && p->t_end > p->t0);
}

/* Gauss-Jordan with row exchanges on the n x (n + 1) system A. */
static void gauss(int n, double A[NKKT][NKKT + 1], double *x) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
    assert_true(fabs(A[best][k]) > 0);
    double row[NKKT + 1];
    memcpy(row, A[best], sizeof row);
    memcpy(A[best], A[k], sizeof row);
    for (int j = 0; j <= n; j++) A[k][j] = row[j] / row[k];
    for (int i = 0; i < n; i++) {
      if (i != k) ga_axpy(n + 1, -A[i][k], A[k], A[i]);
    }
  }
  for (int i = 0; i < n; i++) x[i] = A[i][n];
}

/* [[M, G^T], [G, 0]] (y, mu) = (a, b), M the identity where it is NULL; y may be a */
static void solve_kkt(const point *s, const full *M, const double *a, const double *b, double *y,
                      double *mu) {
  const int nv = s->nv, n = s->nv + s->nlam;
  double A[NKKT][NKKT + 1] = {{0}}, x[NKKT];
  full G;
  eval_jac(s, &G);
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) A[i][j] = M ? M->val[i * nv + j] : i == j;
    for (int j = 0; j < s->nlam; j++) A[i][nv + j] = A[nv + j][i] = G.val[j * nv + i];
    A[i][n] = a[i];
  }
  for (int j = 0; j < s->nlam; j++) A[nv + j][n] = b[j];
  gauss(n, A, x);
  memcpy(y, x, (size_t)nv * sizeof *y);
  memcpy(mu, x + nv, (size_t)s->nlam * sizeof *mu);
}

/* v' and lam from M v' + G^T lam = F, G v' = -drift, into s->x and s->lam */
static void accelerate(point *s) {
  full M;
  double F[NMAX], drift[NMAX] = {0};
  CALL(mass, full_init(&M, s->nv, s->nv));
  CALL(force, s->v, F);
  if (s->nlam > 0) CALL(holonomic_drift, s->v, drift);
  for (int i = 0; i < s->nlam; i++) drift[i] = -drift[i];
  solve_kkt(s, &M, F, drift, s->x, s->lam);
}

static void assert_close(const char *what, int n, const double *a, const double *b, double tol) {
  const double size = fmax(1, ga_max_abs(n, b));
  for (int i = 0; i < n; i++) {
    if (fabs(a[i] - b[i]) <= tol * size) continue;
    fail_msg("%s %d: %.17g against %.17g, relative %.1e", what, i, a[i], b[i],
             fabs(a[i] - b[i]) / size);
  }
}

/* The equations of motion at a reference: what is tabulated against the solution of the KKT system,
 * relative to the largest entry. */
static void check_reference(const ga_problem *p, double t) {
  const double tol = 1e-12;
  point s = point_start(p);
  double vd[NMAX], lam[NMAX];
  s.t = t;
  assert_true(ga_problem_reference(p, t, s.q, s.v, vd, lam, NULL));
  assert_constraints(&s);
  accelerate(&s);
  if (s.nlam > 0 && isfinite(lam[0])) assert_close(p->name, s.nlam, s.lam, lam, tol);
  if (!isfinite(vd[0])) return;
  assert_close(p->name, s.nv, s.x, vd, tol);
  /* the tabulated values themselves; the terms are of the size of lam */
  double f[NMAX];
  memcpy(s.x, vd, sizeof vd);
  memcpy(s.lam, lam, sizeof lam);
  eval_dynamics(&s, f);
  assert_true(ga_max_abs(s.nv, f) <= tol * (1 + ga_max_abs(s.nlam, s.lam)));
}

static void check_references(const ga_problem *p) {
  const bool closed = ga_problem_reference(p, 0.123, NULL, NULL, NULL, NULL, NULL);
  assert_true(closed || ga_problem_reference_time(p, 0) > 0);
  for (int i = 0; closed && i < 5; i++) check_reference(p, 0.77 * i * i);
  for (int i = 0; !isnan(ga_problem_reference_time(p, i)); i++) {
    check_reference(p, ga_problem_reference_time(p, i));
  }
}

/* Both forms of the heavy top: one motion, one multiplier. */
static void test_heavy_top_forms(void **state) {
  (void)state;
  ga_problem *a = problem_open("heavy-top"), *b = problem_open("heavy-top-se3");
  point sa = point_start(a), sb = point_start(b);
  assert_true(ga_problem_reference(a, 1, sa.q, sa.v, NULL, NULL, NULL));
  assert_true(ga_problem_reference(b, 1, sb.q, sb.v, NULL, NULL, NULL));
  accelerate(&sa);
  accelerate(&sb);
  assert_close("q", 7, sb.q, sa.q, 1e-15);
  assert_close("lam", 3, sb.lam, sa.lam, 1e-14);
  assert_close("Omega'", 3, sb.x + 3, sa.x + 3, 1e-14);
  /* the quaternion moved by no more than the digits it was given with */
  const double p[4] = {0.7329439806797, -0.2782857193376, 0.5318246113342, -0.3201761427362};
  for (int i = 0; i < 4; i++) assert_true(fabs(sa.q[3 + i] - p[i]) < 1e-13);
  ga_problem_free(a);
  ga_problem_free(b);
}

static void check_energy(const ga_problem *p) {
  if (strcmp(p->name, "pendulum-spring") == 0 || strcmp(p->name, "rheonomic") == 0) return;
  point s = point_start(p);
  double start, end, t = ga_problem_reference_time(p, 0);
  eval_energy(&s, &start);
  assert_true(ga_problem_reference(p, isnan(t) ? p->t_end : t, s.q, s.v, NULL, NULL, NULL));
  eval_energy(&s, &end);
  assert_close(p->name, 1, &end, &start, 1e-12);
}

/* At any state with G v + g_t = 0 the acceleration of the KKT system changes the energy by
 * lam^T g_t, the work of the drive, and by the damper of pendulum-spring alone. */
static void check_power(const ga_problem *p) {
  for (int which = 1; which < NSTATE; which++) {
    point s = point_state(p, which);
    double gt[NMAX], mu[NMAX], power = 0;
    eval_gt(&s, gt);
    for (int i = 0; i < s.nlam; i++) gt[i] = -gt[i];
    solve_kkt(&s, NULL, s.v, gt, s.v, mu);
    accelerate(&s);
    for (int i = 0; i < s.nlam; i++) power -= s.lam[i] * gt[i];
    if (strcmp(p->name, "pendulum-spring") == 0) power -= 100 * s.v[2] * s.v[2];
    check_matrix(&s, "power", eval_energy, move_flow, 1 / speed(&s), 1, 1, &power);
  }
}

/* In a closed solution v is the derivative of q and v' that of v: beside the equations of motion,
 * which check_reference tests, this makes it the solution through the start values. */
static void check_closed(const ga_problem *p) {
  static const double times[] = {0, 0.7, 1.57, 1.58, 4.71, 12.3};
  point s = point_start(p);
  double x[NMAX];
  if (!ga_problem_reference(p, p->t0, s.q, s.v, NULL, NULL, NULL)) return;
  assert_true(isnan(ga_problem_reference_time(p, 0)));
  assert_close(p->name, s.nq, s.q, p->q0, 1e-15);
  assert_close(p->name, s.nv, s.v, p->v0, 1e-15);
  for (int i = 0; i < 6; i++) {
    s.t = times[i];
    assert_true(ga_problem_reference(p, s.t, NULL, x, x + s.nv, NULL, NULL));
    check_matrix(&s, p->name, eval_closed, move_t, 1, 2 * s.nv, 1, x);
  }
}

/* the values of docs/problems.md */
static void test_rheonomic(void **state) {
  (void)state;
  ga_problem *p = problem_open("rheonomic");
  double q[2], lam;
  assert_true(ga_problem_reference(p, 1, q, NULL, NULL, &lam, NULL));
  assert_true(fabs(atan2(q[1], q[0]) - 0.87432384375) < 5e-12);
  assert_true(fabs(lam - 1.03941602567) < 5e-12);
  ga_problem_free(p);
}

static void assert_refused(const char *name, const ga_problem_options *options, const char *part) {
  ga_problem *p = (ga_problem *)&p;
  ga_error err = {0};
  assert_int_equal(ga_problem_new(name, options, &p, &err), GA_ERR_ARG);
  assert_null(p);
  if (!strstr(err.text, part)) fail_msg("'%s' not in '%s'", part, err.text);
}

static void test_registry(void **state) {
  (void)state;
  int n = 0;
  for (; ga_problem_name(n); n++) assert_non_null(ga_problem_summary(n));
  assert_true(n >= 7);
  assert_true(!ga_problem_name(-1) && !ga_problem_summary(n) && !ga_problem_summary(-1));
  ga_problem_free(NULL);

  assert_refused("heavy-tip", NULL, "did you mean 'heavy-top'?");
  assert_refused("zzzzzzzzzz", NULL, "andrews");
  assert_refused(NULL, NULL, "missing");
  ga_problem_options o = ga_problem_options_default();
  o.size = 5;
  assert_refused("andrews", &o, "size");
  o.size = -1;
  assert_refused("andrews", &o, "negative");
  const double wrong[] = {0, -1, NAN, INFINITY};
  o.size = 0;
  for (int i = 0; i < 4; i++) {
    o.omega = wrong[i];
    assert_refused("oscillator", &o, "problems with an omega: oscillator");
  }
  o.omega = 3;
  assert_refused("andrews", &o, "problems with an omega: oscillator");

  ga_problem *p = NULL;
  double q, v;
  assert_int_equal(ga_problem_new("oscillator", &o, &p, NULL), GA_OK);
  assert_true(ga_problem_reference(p, 0.5, &q, &v, NULL, NULL, NULL));
  assert_true(fabs(q - cos(1.5)) < 1e-15 && fabs(v + 3 * sin(1.5)) < 1e-15);
  ga_problem_free(p);
}

/* tests that run a check for every problem of the registry */
#define FOR_EACH(name)                    \
  static void test_##name(void **state) { \
    (void)state;                          \
    for_each(check_##name);               \
  }
FOR_EACH(derivatives)
FOR_EACH(by_library)
FOR_EACH(start)
FOR_EACH(references)
FOR_EACH(energy)
FOR_EACH(power)
FOR_EACH(closed)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_registry),   cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_by_library), cmocka_unit_test(test_start),
      cmocka_unit_test(test_references), cmocka_unit_test(test_energy),
      cmocka_unit_test(test_power),      cmocka_unit_test(test_heavy_top_forms),
      cmocka_unit_test(test_closed),     cmocka_unit_test(test_rheonomic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
