/* SPDX-License-Identifier: MIT */
/* Difference quotients of functions that bend: the step is reduced for the column, or the group of
 * columns, that needs it, and for no other. */
#include "model/evaluation.h"

#include <float.h>

#include "support.h"

enum { N = 5 };

/* f_i = slope_i x_i, and sin(fast x_j)/10 for the one that bends: x = q for g, v for k */
static struct {
  int bent; /* -1: none */
  double fast;
  long calls;
} shape;

static const double steep[N] = {2, -0.5, 30, 1, -7};

static double part(int i, double x) {
  return i == shape.bent ? sin(shape.fast * x) / 10 : steep[i] * x;
}
static double part_derivative(int i, double x) {
  return i == shape.bent ? shape.fast * cos(shape.fast * x) / 10 : steep[i];
}

static int no_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < N; i++) M->val[i * N + i] = 1;
  return 0;
}
static int no_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  memset(F, 0, N * sizeof *F);
  return 0;
}

/* each row one column: all columns are moved together */
static int apart_g(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  shape.calls++;
  for (int i = 0; i < N; i++) g[i] = part(i, q[i]);
  return 0;
}
static int apart_k(void *user, double t, const double *q, const double *v, double *k) {
  (void)q;
  return apart_g(user, t, v, k);
}
/* one row of all columns: each is moved alone */
static int sum_g(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  shape.calls++;
  g[0] = 0;
  for (int i = 0; i < N; i++) g[0] += part(i, q[i]);
  return 0;
}
static int sum_k(void *user, double t, const double *q, const double *v, double *k) {
  (void)q;
  return sum_g(user, t, v, k);
}

static const ga_model_ops models[2][2] = {
    {{.mass = no_mass, .force = no_force, .holonomic = apart_g},
     {.mass = no_mass, .force = no_force, .holonomic = sum_g}},
    {{.mass = no_mass, .force = no_force, .nonholonomic = apart_k},
     {.mass = no_mass, .force = no_force, .nonholonomic = sum_k}}};

/* G or H at x into val, one entry for each column; returns the evaluations it took */
static long derive(const ga_model_ops *ops, bool velocity, bool sum, const double *x, double *val) {
  int ptr[N + 1], col[N], rows = sum ? 1 : N;
  double none[N], zeros[N] = {0};
  for (int i = 0; i <= N; i++) ptr[i] = i;
  for (int i = 0; i < N; i++) col[i] = i;
  const ga_csr diagonal = {.nrow = N, .ncol = N, .ptr = ptr, .col = col, .val = none};
  const ga_csr *pattern = sum ? NULL : &diagonal;
  ga_space *space = NULL;
  ga_arena arena = {0};
  ga_error err = {0};
  ga_eval e = {.model = NULL};
  ga_csr A;
  must(ga_space_rn(N, &space), NULL);
  ga_model model = {.ops = ops,
                    .space = space,
                    .nlam = velocity ? 0 : rows,
                    .npsi = velocity ? rows : 0,
                    .pat_G = pattern,
                    .pat_H = pattern,
                    .const_mass = true,
                    .scleronomic = true};
  must(ga_eval_init(&e, &model, &arena, &err), &err);
  assert_int_equal(ga_csr_init(&A, rows, N, pattern, &arena), GA_OK);
  shape.calls = 0;
  must(velocity ? ga_eval_H(&e, 0, zeros, x, &A) : ga_eval_G(&e, 0, x, &A), &err);
  memcpy(val, A.val, N * sizeof *val);
  ga_arena_free(&arena);
  ga_space_free(space);
  return shape.calls;
}

/* Four evaluations for a group, of one column or of all; four more for each reduction by 8, of the
 * group that bends alone. fast d with d = 7.4e-4 is what decides: reduced until the bend, (fast
 * d)^2/2, is 1e-5. */
static void test_one_column(void **state) {
  (void)state;
  static const struct {
    double fast;
    int reductions;
  } cases[] = {{1, 0}, {5.9, 0}, {6.2, 1}, {47, 1}, {49.5, 2}, {300, 2}, {1000, 3}};
  const double x[N] = {0.3, -0.2, 0.1, 0.25, -0.4};
  for (int k = 0; k < 4; k++) {
    bool velocity = k % 2, sum = k / 2;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
      shape.fast = cases[c].fast;
      for (shape.bent = -1; shape.bent < N; shape.bent++) {
        double val[N];
        long calls = derive(&models[velocity][sum], velocity, sum, x, val);
        int reductions = shape.bent < 0 ? 0 : cases[c].reductions;
        char what[96];
        snprintf(what, sizeof what, "%s, %s, column %d of sin(%g x)", velocity ? "H" : "G",
                 sum ? "one by one" : "together", shape.bent, shape.fast);
        if (calls != 4 * ((sum ? N : 1) + reductions)) fail_msg("%s: %ld calls", what, calls);
        for (int i = 0; i < N; i++) {
          /* d^4 f^(5)/30 of the quotient, and the rounding of values of size 3 */
          bool bent = i == shape.bent;
          double d = 7.4e-4 / pow(8, bent || !sum ? reductions : 0), e = bent ? shape.fast * d : 0;
          double allowed = pow(e, 4) / 30 * shape.fast / 10 + 6 * DBL_EPSILON / d;
          double error = fabs(val[i] - part_derivative(i, x[i]));
          if (!(error <= allowed)) fail_msg("%s: entry %d off by %g", what, i, error);
        }
      }
    }
  }
}

/* a constant so large that its rounding looks like a bend: one reduction is tried, and the step
 * before it taken */
static double constant;
static int far_g(void *user, double t, const double *q, double *g) {
  apart_g(user, t, q, g);
  for (int i = 0; i < N; i++) g[i] += constant;
  return 0;
}

static void test_rounding_is_no_bend(void **state) {
  (void)state;
  const double x[N] = {0.3, -0.2, 0.1, 0.25, -0.4};
  shape.bent = -1;
  for (constant = 1e3; constant < 2e12; constant *= 10) {
    double val[N], largest = 0;
    long calls = derive(&(ga_model_ops){.mass = no_mass, .force = no_force, .holonomic = far_g},
                        false, false, x, val);
    for (int i = 0; i < N; i++) largest = fmax(largest, fabs(val[i] - steep[i]));
    assert_true(largest <= DBL_EPSILON * constant / 7.4e-4);
    assert_in_range(calls, 4, constant < 1e6 ? 4 : 8);
    if (constant > 1e9) assert_int_equal(calls, 8);
  }
}

/* A row of q_0^2/2 + q_1: where its lowest point makes the quotient of q_0 zero, that is still told
 * apart from a column that the row does not have; at points near to each other as well. */
static int valley(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[0] * q[0] / 2 + q[1];
  return 0;
}

static void test_zero_means_constant(void **state) {
  (void)state;
  static const double at[] = {0, 1e-9, -1e-9, 0, 1e-7, 0, 0.3, 0};
  const ga_model_ops ops = {.mass = no_mass, .force = no_force, .holonomic = valley};
  ga_space *space = NULL;
  ga_arena arena = {0};
  ga_error err = {0};
  ga_eval e = {.model = NULL};
  ga_csr G;
  must(ga_space_rn(N, &space), NULL);
  ga_model model = {.ops = &ops, .space = space, .nlam = 1, .const_mass = true};
  must(ga_eval_init(&e, &model, &arena, &err), &err);
  assert_int_equal(ga_csr_init(&G, 1, N, NULL, &arena), GA_OK);
  for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
    const double q[N] = {at[k]};
    must(ga_eval_G(&e, 0, q, &G), &err);
    assert_true(G.val[0] != 0 && fabs(G.val[0] - q[0]) <= 1e-12);
    assert_true(fabs(G.val[1] - 1) <= 1e-12);
    for (int i = 2; i < N; i++) assert_true(G.val[i] == 0);
  }
  ga_arena_free(&arena);
  ga_space_free(space);
}

/* ---- differences in time ----------------------------------------------------------------- */

/* g = q_0 - sin(rate t)/10, and the times it was asked at, relative to t0 */
static struct {
  double rate, t0, at[64];
  int calls;
} drive;

static int driven_g(void *user, double t, const double *q, double *g) {
  (void)user;
  if (drive.calls < 64) drive.at[drive.calls++] = t - drive.t0;
  g[0] = q[0] - sin(drive.rate * t) / 10;
  return 0;
}
static int driven_G(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t, (void)q;
  G->val[0] = 1;
  return 0;
}

/* the steps taken, by their sizes d: +d, -d, +2d, -2d for each */
static int steps_taken(double *d) {
  int n = 0;
  for (int i = 0; i + 3 < drive.calls; i += 4) {
    d[n] = drive.at[i];
    assert_true(drive.at[i + 1] == -d[n] && drive.at[i + 2] == 2 * d[n]);
    assert_true(drive.at[i + 3] == -2 * d[n]);
    n++;
  }
  assert_int_equal(drive.calls, 4 * n);
  return n;
}

/* Powers of two, so that t + d is exact: the one below 7.4e-4, or below 10 h if that is less, but
 * not below 7.4e-4/8^5, nor below 256 roundings of t. Reduced by 8 while (rate d)^2/2 > 1e-5. */
static void test_time_steps(void **state) {
  (void)state;
  static const struct {
    double t, h, rate, d;
    int reductions;
  } cases[] = {
      {0.3, 1, 1, 0x1p-11, 0},    {0.3, 1, 9, 0x1p-11, 0},     {0.3, 1, 9.4, 0x1p-11, 1},
      {0.3, 1, 70, 0x1p-11, 1},   {0.3, 1, 80, 0x1p-11, 2},    {0.3, 1e-5, 1, 0x1p-14, 0},
      {0.3, 1e-6, 1, 0x1p-17, 0}, {0x1p30, 1, 0, 0x1p-11, 0},  {0x1p40, 1, 0, 0x1p-4, 0},
      {0.3, 1e-9, 1, 0x1p-26, 0}, {0.3, 1e-20, 1, 0x1p-26, 0}, {0.3, 1e-20, 1e6, 0x1p-26, 1},
  };
  ga_space *space = NULL;
  must(ga_space_rn(N, &space), NULL);
  const ga_model_ops ops = {
      .mass = no_mass, .force = no_force, .holonomic = driven_g, .holonomic_jac = driven_G};
  ga_model model = {.ops = &ops, .space = space, .nlam = 1, .const_mass = true};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    ga_arena arena = {0};
    ga_error err = {0};
    ga_eval e = {.model = NULL};
    must(ga_eval_init(&e, &model, &arena, &err), &err);
    ga_eval_set_step(&e, cases[c].h);
    drive.t0 = cases[c].t;
    drive.rate = cases[c].rate;
    drive.calls = 0;
    double q[N] = {0}, gt, d[16];
    must(ga_eval_gt(&e, drive.t0, q, &gt), &err);
    int n = steps_taken(d);
    assert_int_equal(n, 1 + cases[c].reductions);
    for (int i = 0; i < n; i++) assert_true(d[i] == ldexp(cases[c].d, -3 * i));
    double last = drive.rate * d[n - 1];
    double allowed = drive.rate / 10 * pow(last, 4) / 30 + 0.2 * DBL_EPSILON / d[n - 1];
    assert_true(fabs(gt + drive.rate / 10 * cos(drive.rate * drive.t0)) <= allowed);
    ga_arena_free(&arena);
  }
  ga_space_free(space);
}

/* ---- rows with units of their own -------------------------------------------------------- */

/* g_r = unit_r (incline_r q_0 - sin(fast_r (q_0 + t))/10) of the rows first to first + count - 1 */
enum { UNITS = 6 };
static const double unit[UNITS] = {1, 0x1p40, 0x1p-40, 0x1p20, 1, 0x1p100};
static const double incline[UNITS] = {1, 1, 0.3, 0, 0, 2};
static const double quick[UNITS] = {1, 0.5, 40, 300, 700, 10};
static struct { int first, count; } company;

static int united_g(void *user, double t, const double *q, double *g) {
  (void)user;
  for (int i = 0; i < company.count; i++) {
    int r = company.first + i;
    g[i] = unit[r] * (incline[r] * q[0] - sin(quick[r] * (q[0] + t)) / 10);
  }
  return 0;
}

/* d/dq_0, d/dt and the second derivative along the motion of the rows chosen */
static void derive_rows(int first, int count, double *G_0, double *gt, double *drift) {
  const ga_model_ops ops = {.mass = no_mass, .force = no_force, .holonomic = united_g};
  const double q[N] = {0.3}, v[N] = {0.7};
  ga_space *space = NULL;
  ga_arena arena = {0};
  ga_error err = {0};
  ga_eval e = {.model = NULL};
  ga_csr G;
  company.first = first;
  company.count = count;
  must(ga_space_rn(N, &space), NULL);
  ga_model model = {.ops = &ops, .space = space, .nlam = count, .const_mass = true};
  must(ga_eval_init(&e, &model, &arena, &err), &err);
  assert_int_equal(ga_csr_init(&G, count, N, NULL, &arena), GA_OK);
  must(ga_eval_G(&e, 0.2, q, &G), &err);
  must(ga_eval_gt(&e, 0.2, q, gt), &err);
  must(ga_eval_g_drift(&e, 0.2, q, v, drift), &err);
  for (int i = 0; i < count; i++) G_0[i] = G.val[i * N];
  ga_arena_free(&arena);
  ga_space_free(space);
}

/* Each row has the quotients that it has alone, to the last bit, and they are right. */
static void test_rows_by_themselves(void **state) {
  (void)state;
  double G[UNITS], gt[UNITS], drift[UNITS], alone[3];
  derive_rows(0, UNITS, G, gt, drift);
  for (int r = 0; r < UNITS; r++) {
    derive_rows(r, 1, &alone[0], &alone[1], &alone[2]);
    assert_true(G[r] == alone[0] && gt[r] == alone[1] && drift[r] == alone[2]);
    double w = quick[r], wave = unit[r] * w * cos(w * 0.5) / 10;
    double twice = unit[r] * 1.7 * 1.7 * w * w * sin(w * 0.5) / 10;
    assert_true(fabs(G[r] - (unit[r] * incline[r] - wave)) <= 3e-12 * w * unit[r]);
    assert_true(fabs(gt[r] + wave) <= 3e-12 * w * unit[r]);
    assert_true(fabs(drift[r] - twice) <= 1e-4 * fabs(twice) + 1e-9 * unit[r]);
  }
}

/* ---- waves shorter than the steps -------------------------------------------------------- */

/* sin(fast x)/10 with fast d = 2 to 700: at first no difference looks like a derivative */
static void test_short_waves(void **state) {
  (void)state;
  const double x[N] = {0.3, -0.2, 0.1, 0.25, -0.4};
  for (int k = 0; k < 4; k++) {
    bool velocity = k % 2, sum = k / 2;
    for (shape.fast = 3000; shape.fast < 1e6; shape.fast *= 1.09) {
      for (shape.bent = 0; shape.bent < N; shape.bent++) {
        double val[N];
        derive(&models[velocity][sum], velocity, sum, x, val);
        for (int i = 0; i < N; i++) {
          double size = i == shape.bent ? shape.fast / 10 : fabs(steep[i]), allowed = 1e-7 * size;
          double error = fabs(val[i] - part_derivative(i, x[i]));
          if (!(error <= allowed)) fail_msg("sin(%g x), entry %d: %g", shape.fast, i, error);
        }
      }
    }
  }
}

/* g_t of sin(rate t)/10 with 10 to 40 steps h in a period, so that d is up to a period */
static void test_short_waves_in_time(void **state) {
  (void)state;
  const ga_model_ops ops = {
      .mass = no_mass, .force = no_force, .holonomic = driven_g, .holonomic_jac = driven_G};
  ga_space *space = NULL;
  ga_arena arena = {0};
  ga_error err = {0};
  ga_eval e = {.model = NULL};
  must(ga_space_rn(N, &space), NULL);
  ga_model model = {.ops = &ops, .space = space, .nlam = 1, .const_mass = true};
  must(ga_eval_init(&e, &model, &arena, &err), &err);
  for (int k = 0; k < 400; k++) {
    double q[N] = {0}, t = 0.01 * k, gt;
    drive.rate = 500 * pow(1.015, k);
    ga_eval_set_step(&e, 2 * acos(-1) / drive.rate / (10 + k % 31));
    must(ga_eval_gt(&e, t, q, &gt), &err);
    /* the phase is rounded by eps rate t */
    double allowed = drive.rate / 10 * (1e-9 + 1e3 * DBL_EPSILON * drive.rate * t);
    double error = fabs(gt + drive.rate / 10 * cos(drive.rate * t));
    if (!(error <= allowed)) fail_msg("rate %g, t = %g: %g", drive.rate, t, error);
  }
  ga_arena_free(&arena);
  ga_space_free(space);
}

/* A faint wave on a slope, 1e-2 of the derivative. If D1 and D2 differ by 1e-5 or less it remains
 * unseen. */
static int rippled_g(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  for (int i = 0; i < N; i++) g[i] = q[i] + 1e-2 / shape.fast * sin(shape.fast * q[i]);
  return 0;
}

static void test_ripples(void **state) {
  (void)state;
  const double x[N] = {0.3, -0.2, 0.1, 0.25, -0.4};
  const ga_model_ops ops = {.mass = no_mass, .force = no_force, .holonomic = rippled_g};
  for (shape.fast = 3000; shape.fast < 3e4; shape.fast *= 1.01) {
    double val[N];
    double phase = 7.4e-4 * shape.fast; /* and the part of the wave that D1 and D2 differ by */
    double seen = fabs(sin(phase) / phase - sin(2 * phase) / (2 * phase));
    if (seen < 0.01) continue;
    derive(&ops, false, false, x, val);
    for (int i = 0; i < N; i++) {
      double error = fabs(val[i] - 1 - 1e-2 * cos(shape.fast * x[i]));
      if (!(error <= 2e-5 / seen)) fail_msg("%g, entry %d: %g", shape.fast, i, error);
    }
  }
}

/* Values that are rounded like a number which is not seen in them: 2 q_i, and no change at all but
 * its rounding. No step finds more than the longest, whose rounding is that of `constant` over d.
 */
static int hidden_size_g(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  for (int i = 0; i < N; i++) {
    volatile double large = constant * cos(q[i]), sum = large * large;
    large = constant * sin(q[i]);
    sum += large * large;
    g[i] = (i % 2 ? 2 * q[i] : 0) + (sum - constant * constant);
  }
  return 0;
}

static void test_rounding_keeps_the_step(void **state) {
  (void)state;
  const ga_model_ops ops = {.mass = no_mass, .force = no_force, .holonomic = hidden_size_g};
  for (constant = 1; constant < 2e4; constant *= 10) {
    double largest = 0;
    for (int k = 0; k < 4000; k++) {
      double x[N], val[N];
      for (int i = 0; i < N; i++) x[i] = sin(1 + 17.3 * k + 5.1 * i);
      derive(&ops, false, false, x, val);
      for (int i = 0; i < N; i++) largest = fmax(largest, fabs(val[i] - (i % 2 ? 2 : 0)));
    }
    /* some roundings, and one reduction by chance */
    assert_true(largest <= 8 * 4 * DBL_EPSILON * constant * constant / 7.4e-4);
  }
}

/* ---- what is said of their rounding ------------------------------------------------------ */

static int some_H(void *user, double t, const double *q, const double *v, ga_csr *H) {
  (void)user, (void)t, (void)q, (void)v, (void)H;
  return 0;
}
static int some_vector(void *user, double t, const double *q, double *out) {
  (void)user, (void)t, (void)q, (void)out;
  return 0;
}
static int some_drift(void *user, double t, const double *q, const double *v, double *out) {
  (void)user, (void)t, (void)q, (void)v, (void)out;
  return 0;
}

/* G and H have the rounding of quotients if one that exists is not given. g'' has that of a first
 * difference where G is given, and g_t if there is one; else that of a second. */
static void test_noise(void **state) {
  (void)state;
  const double first = DBL_EPSILON / 7.4e-4, second = 16 * DBL_EPSILON / (2.5e-3 * 2.5e-3);
  for (int bits = 0; bits < 128; bits++) {
    bool lam = bits & 1, psi = bits & 2, G = bits & 4, H = bits & 8, gt = bits & 16;
    bool drift = bits & 32, scleronomic = bits & 64;
    const ga_model_ops ops = {.holonomic_jac = G ? driven_G : NULL,
                              .nonholonomic_jac = H ? some_H : NULL,
                              .holonomic_t = gt ? some_vector : NULL,
                              .holonomic_drift = drift ? some_drift : NULL};
    const ga_model model = {.ops = &ops, .scleronomic = scleronomic};
    ga_eval e = {.model = &model, .nlam = lam, .npsi = psi};
    ga_eval_sources(&e, true);
    bool given = (G || !lam) && (H || !psi);
    assert_near("noise of G, H", ga_eval_jacobian_noise(&e), given ? DBL_EPSILON : first, 1e-15);
    double expected = drift || !lam ? DBL_EPSILON : G && (gt || scleronomic) ? first : second;
    assert_near("noise of g''", ga_eval_drift_noise(&e), expected, 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_column),
      cmocka_unit_test(test_rounding_is_no_bend),
      cmocka_unit_test(test_zero_means_constant),
      cmocka_unit_test(test_time_steps),
      cmocka_unit_test(test_rows_by_themselves),
      cmocka_unit_test(test_short_waves),
      cmocka_unit_test(test_short_waves_in_time),
      cmocka_unit_test(test_ripples),
      cmocka_unit_test(test_rounding_keeps_the_step),
      cmocka_unit_test(test_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
