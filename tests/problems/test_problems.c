/* SPDX-License-Identifier: MIT */
/* The test problems: derivatives, start values, references, equations of motion, energy. */
#include "lie/lie.h"
#include "model_point.h"
#include "problems/problems.h"

/* size 0: the usual one */
static ga_problem *problem_sized(const char *name, int size) {
  ga_problem_options o = ga_problem_options_default();
  ga_problem *p = NULL;
  o.size = size;
  assert_int_equal(ga_problem_new(name, &o, &p, NULL), GA_OK);
  return p;
}

static ga_problem *problem_open(const char *name) {
  return problem_sized(name, 0);
}

/* beside the usual size of every problem */
static const struct {
  const char *name;
  int size;
} more_sizes[] = {{"chain", 1}, {"chain", 3}, {"chain", 5}, {"net", 2}};
enum { NMORE = (int)(sizeof more_sizes / sizeof more_sizes[0]) };

static void check_one(ga_problem *p, void (*check)(const ga_problem *p)) {
  check(p);
  ga_problem_free(p);
}

static void for_each(void (*check)(const ga_problem *p)) {
  for (int i = 0; ga_problem_name(i); i++) check_one(problem_open(ga_problem_name(i)), check);
  for (int i = 0; i < NMORE; i++) {
    check_one(problem_sized(more_sizes[i].name, more_sizes[i].size), check);
  }
}

/* (q, v) of a closed solution, nq = nv <= NMAX/2 */
static void eval_closed(const point *s, double *qv) {
  assert_true(ga_problem_reference(s->problem, s->t, qv, qv + s->nv, NULL, NULL, NULL));
}

/* Does row i list, beside column j, another of the same rotation, and that not zero? A row has to
 * list all columns of a rotation it touches. */
static bool in_a_rotation(const ga_space *space, const full *A, int i, int j) {
  const ga_csr *B = &A->a;
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f];
    int nv = factor->group->nv, from = factor->v_at;
    if (factor->group->commutative || j < from || j >= from + factor->n * nv) continue;
    from = j - (j - from) % nv;
    for (int e = B->ptr[i]; e < B->ptr[i + 1]; e++) {
      if (B->col[e] >= from && B->col[e] < from + nv && A->entry[e] != 0) return true;
    }
  }
  return false;
}

static void assert_no_zero(const ga_problem *p, const char *what, const ga_csr *pattern,
                           const full *A) {
  for (int i = 0; pattern && i < pattern->nrow; i++) {
    for (int e = pattern->ptr[i]; e < pattern->ptr[i + 1]; e++) {
      if (A->entry[e] != 0 || in_a_rotation(p->model.space, A, i, pattern->col[e])) continue;
      fail_msg("%s: entry %d of the pattern of %s is zero", p->name, e, what);
    }
  }
}

/* A pattern that a problem gives has no entry too many. check_derivatives finds one too few. */
static void check_patterns(const ga_problem *p) {
  point s = point_state(p, 1);
  unsigned seed = 4711u;
  full M, G, H, Kt, Ct;
  random_vector(&seed, s.nlam, 5, s.lam);
  random_vector(&seed, s.npsi, 5, s.psi);
  eval_mass(&s, &M);
  eval_jac(&s, &G);
  eval_nonholonomic_jac(&s, &H);
  eval_tangents(&s, &Kt, &Ct);
  assert_no_zero(p, "M", s.model->pat_M, &M);
  assert_no_zero(p, "G", s.model->pat_G, &G);
  assert_no_zero(p, "H", s.model->pat_H, &H);
  assert_no_zero(p, "K", s.model->pat_K, &Kt);
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
  if (s->npsi > 0) eval_k(s, f);
  assert_true(ga_max_abs(s->npsi, f) <= 1e-14 * speed(s));
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
  assert_true(s.model->psi_names || s.npsi == 0);
  assert_true(p->rho_inf > 0 && p->rho_inf < 1 && p->h > 0 && p->t_end > p->t0);
  for (int i = 0; i < s.nlam + s.npsi; i++) {
    assert_true(ga_model_gives(s.model) & GA_GIVES_R ? fabs(p->mult0[i]) > 0 : p->mult0[i] == 0);
  }
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

/* [[M, C^T], [C, 0]] (y, mu) = (a, b), C the rows of G, then those of H, M the identity where it is
 * NULL; y may be a */
static void solve_kkt(const point *s, const full *M, const double *a, const double *b, double *y,
                      double *mu) {
  const int nv = s->nv, rows = s->nlam + s->npsi, n = nv + rows;
  double A[NKKT][NKKT + 1] = {{0}}, x[NKKT];
  full G, H;
  eval_jac(s, &G);
  eval_nonholonomic_jac(s, &H);
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) A[i][j] = M ? M->val[i * nv + j] : i == j;
    for (int j = 0; j < rows; j++) {
      const double *row = j < s->nlam ? G.val + j * nv : H.val + (j - s->nlam) * nv;
      A[i][nv + j] = A[nv + j][i] = row[i];
    }
    A[i][n] = a[i];
  }
  for (int j = 0; j < rows; j++) A[nv + j][n] = b[j];
  gauss(n, A, x);
  memcpy(y, x, (size_t)nv * sizeof *y);
  memcpy(mu, x + nv, (size_t)rows * sizeof *mu);
}

/* v', lam and psi from M v' + G^T lam + H^T psi = F, G v' = -drift, H v' = -drift of k, into s->x,
 * s->lam and s->psi */
static void accelerate(point *s) {
  full M;
  double F[NMAX], drift[NKKT] = {0}, mu[NKKT];
  eval_mass(s, &M);
  CALL(.F = F);
  if (s->nlam > 0) CALL(.drift = drift);
  if (s->npsi > 0) CALL(.k_drift = drift + s->nlam);
  for (int i = 0; i < s->nlam + s->npsi; i++) drift[i] = -drift[i];
  solve_kkt(s, &M, F, drift, s->x, mu);
  memcpy(s->lam, mu, (size_t)s->nlam * sizeof *mu);
  memcpy(s->psi, mu + s->nlam, (size_t)s->npsi * sizeof *mu);
}

static void assert_close(const char *what, int n, const double *a, const double *b, double tol) {
  const double size = fmax(1, ga_max_abs(n, b));
  for (int i = 0; i < n; i++) {
    if (fabs(a[i] - b[i]) <= tol * size) continue;
    fail_msg("%s %d: %.17g against %.17g, relative %.1e", what, i, a[i], b[i],
             fabs(a[i] - b[i]) / size);
  }
}

/* what is known at a reference against the solution of the KKT system, for the usual R */
static void check_acceleration(point s, const double *vd, const double *lam, const double *psi,
                               double tol) {
  const char *name = s.problem->name;
  accelerate(&s);
  if (s.nlam > 0 && isfinite(lam[0])) assert_close(name, s.nlam, s.lam, lam, tol);
  if (s.npsi > 0 && isfinite(psi[0])) assert_close(name, s.npsi, s.psi, psi, tol);
  if (isfinite(vd[0])) assert_close(name, s.nv, s.x, vd, tol);
}

/* The constraints and the equations of motion at a reference, relative to the largest entry. */
static void check_reference(const ga_problem *p, double t) {
  const double tol = 1e-12;
  point s = point_start(p);
  double vd[NMAX], lam[NMAX] = {0}, psi[NMAX] = {0};
  s.t = t;
  assert_true(ga_problem_reference(p, t, s.q, s.v, vd, lam, psi));
  assert_constraints(&s);
  if (!(ga_model_gives(s.model) & GA_GIVES_R)) check_acceleration(s, vd, lam, psi, tol);
  if (!isfinite(vd[0])) return;
  /* the tabulated values themselves; the terms are of the size of the multipliers */
  double f[NMAX];
  memcpy(s.x, vd, sizeof vd);
  memcpy(s.lam, lam, sizeof lam);
  memcpy(s.psi, psi, sizeof psi);
  eval_dynamics(&s, f);
  const double size = 1 + ga_max_abs(s.nlam, s.lam) + ga_max_abs(s.npsi, s.psi);
  assert_true(ga_max_abs(s.nv, f) <= tol * size);
}

/* problems of any size have no tabulated reference */
static bool has_reference(const ga_problem *p) {
  return strcmp(p->name, "chain") != 0 && strcmp(p->name, "net") != 0 &&
         strcmp(p->name, "lattice") != 0;
}

static void check_references(const ga_problem *p) {
  const bool closed = ga_problem_reference(p, 0.123, NULL, NULL, NULL, NULL, NULL);
  assert_int_equal(closed || ga_problem_reference_time(p, 0) > 0, has_reference(p));
  /* the problems with a reaction of their own grow like e^3t */
  const double unit = ga_model_gives(&p->model) & GA_GIVES_R ? 0.125 : 0.77;
  for (int i = 0; closed && i < 5; i++) check_reference(p, unit * i * i);
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

/* Relative angles and absolute coordinates: one motion. */
static void test_andrews_forms(void **state) {
  (void)state;
  ga_problem *a = problem_open("andrews"), *b = problem_open("andrews-absolute");
  for (int at = 0; at < 2; at++) {
    point sa = point_start(a), sb = point_start(b);
    if (at) {
      assert_true(ga_problem_reference(a, 0.03, sa.q, sa.v, NULL, NULL, NULL));
      assert_true(ga_problem_reference(b, 0.03, sb.q, sb.v, NULL, NULL, NULL));
    }
    double ea, eb;
    eval_energy(&sa, &ea);
    eval_energy(&sb, &eb);
    assert_close("energy", 1, &eb, &ea, 1e-14);
    accelerate(&sa);
    accelerate(&sb);
    /* beta + Theta, Phi + delta, Omega + epsilon */
    const double *x = sa.x;
    const double p[7] = {x[0], x[0] + x[1], x[2], x[3] + x[4], x[4], x[5] + x[6], x[6]};
    assert_close("angles''", 7, sb.x, p, 1e-12);
  }
  ga_problem_free(a);
  ga_problem_free(b);
}

/* What no motion shows: the order of the rows, by the coordinate x of the point each pair is solved
 * for, and the places of the mass centres 3, 5, 7 on bodies that turn about a fixed point. */
static void test_andrews_rows(void **state) {
  (void)state;
  static const int points[15] = {21, 7, 9, 23, 11, 23, 29, 15, 25, 13, 23, 19, 27, 17, 23};
  ga_problem *b = problem_open("andrews-absolute");
  point s = point_start(b);
  full G;
  eval_jac(&s, &G);
  for (int n = 0; n < 15; n++) {
    assert_true(G.val[2 * n * s.nv + points[n]] == 1);
    assert_true(G.val[(2 * n + 1) * s.nv + points[n] + 1] == 1);
  }
  assert_true(ga_problem_reference(b, 0.03, s.q, s.v, NULL, NULL, NULL));
  const double c3 = cos(s.q[2]), s3 = sin(s.q[2]), c5 = cos(s.q[4]), s5 = sin(s.q[4]);
  const double c7 = cos(s.q[6]), s7 = sin(s.q[6]), xa = -0.06934, ya = -0.00227;
  const double centre3[2] = {-0.03635 + 0.01043 * c3 + 0.01874 * s3,
                             0.03273 + 0.01043 * s3 - 0.01874 * c3};
  const double centre5[2] = {xa + 0.02308 * c5 - 0.00916 * s5, ya + 0.02308 * s5 + 0.00916 * c5};
  const double centre7[2] = {xa - 0.00449 * c7 + 0.01228 * s7, ya - 0.00449 * s7 - 0.01228 * c7};
  assert_close("centre 3", 2, s.q + 11, centre3, 1e-15);
  assert_close("centre 5", 2, s.q + 15, centre5, 1e-15);
  assert_close("centre 7", 2, s.q + 19, centre7, 1e-15);
  ga_problem_free(b);
}

static void check_energy(const ga_problem *p) {
  const bool changing = strcmp(p->name, "pendulum-spring") == 0 ||
                        strcmp(p->name, "rheonomic") == 0 ||
                        strcmp(p->name, "rolling-disk-printed") == 0;
  if (changing || !has_reference(p) || !p->model.ops->energy) return;
  point s = point_start(p);
  double start, end, t = ga_problem_reference_time(p, 0);
  eval_energy(&s, &start);
  assert_true(ga_problem_reference(p, isnan(t) ? p->t_end : t, s.q, s.v, NULL, NULL, NULL));
  eval_energy(&s, &end);
  assert_close(p->name, 1, &end, &start, 1e-12);
}

/* Work that is part of the problem: the damper of pendulum-spring, and what the term missing in the
 * printed force of the rolling disk, -I2 z3 z5 cos y3 in the row of z4, would take. */
static double outside_power(const point *s) {
  if (strcmp(s->problem->name, "pendulum-spring") == 0) return -100 * s->v[2] * s->v[2];
  if (strcmp(s->problem->name, "rolling-disk-printed") != 0) return 0;
  return 2 * s->v[2] * s->v[3] * s->v[4] * cos(s->q[2]);
}

/* At any state with G v + g_t = 0 and k = H v = 0 the acceleration of the KKT system changes the
 * energy by lam^T g_t, the work of the drive, and by outside_power alone. */
static void check_power(const ga_problem *p) {
  if (!p->model.ops->energy) return;
  for (int which = 1; which < NSTATE; which++) {
    point s = point_state(p, which);
    double gt[NKKT] = {0}, mu[NKKT];
    eval_gt(&s, gt);
    for (int i = 0; i < s.nlam; i++) gt[i] = -gt[i];
    solve_kkt(&s, NULL, s.v, gt, s.v, mu);
    accelerate(&s);
    double power = outside_power(&s);
    for (int i = 0; i < s.nlam; i++) power -= s.lam[i] * gt[i];
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

/* The energies of docs/reference/problems.md: the correction keeps it, the printed force does not.
 */
static void test_rolling_disk(void **state) {
  (void)state;
  static const char *const names[] = {"rolling-disk", "rolling-disk-printed"};
  static const double end[] = {19.127965, 19.132814};
  for (int i = 0; i < 2; i++) {
    ga_problem *p = problem_open(names[i]);
    point s = point_start(p);
    double e;
    eval_energy(&s, &e);
    assert_true(fabs(e - 19.127965) < 5e-7);
    assert_true(ga_problem_reference(p, 10, s.q, s.v, NULL, NULL, NULL));
    eval_energy(&s, &e);
    assert_true(fabs(e - end[i]) < 5e-7);
    ga_problem_free(p);
  }
}

/* the values of docs/reference/problems.md */
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
  assert_true(n >= 14);
  assert_true(!ga_problem_name(-1) && !ga_problem_summary(n) && !ga_problem_summary(-1));
  ga_problem_free(NULL);

  assert_refused("heavy-tip", NULL, "did you mean 'heavy-top'?");
  assert_refused("zzzzzzzzzz", NULL, "andrews");
  assert_refused(NULL, NULL, "missing");
  ga_problem_options o = ga_problem_options_default();
  o.size = 5;
  assert_refused("andrews", &o, "problems with a size: chain, net, lattice");
  o.size = 1000001;
  assert_refused("chain", &o, "size 1000001: 1 to 1000000");
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
FOR_EACH(patterns)
FOR_EACH(by_library)
FOR_EACH(start)
FOR_EACH(references)
FOR_EACH(energy)
FOR_EACH(power)
FOR_EACH(closed)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_registry),        cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_patterns),        cmocka_unit_test(test_by_library),
      cmocka_unit_test(test_start),           cmocka_unit_test(test_references),
      cmocka_unit_test(test_energy),          cmocka_unit_test(test_power),
      cmocka_unit_test(test_heavy_top_forms), cmocka_unit_test(test_andrews_forms),
      cmocka_unit_test(test_andrews_rows),    cmocka_unit_test(test_closed),
      cmocka_unit_test(test_rheonomic),       cmocka_unit_test(test_rolling_disk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
