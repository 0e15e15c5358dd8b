/* SPDX-License-Identifier: MIT */
/* Models on which an estimate may lie: each result is as accurate as it says, or says that it is
 * not. The reference is Runge's and Kutta's method of order 4 with many steps. */
#include "dishonest_models.h"
#include "support.h"

enum { EIGHTHS = 8, ROOM = 8 };

static int unit_mass(void *user, double t, const double *q, ga_csr *M) {
  const dishonest *d = user;
  (void)t, (void)q;
  for (int i = 0; i < d->n; i++) M->val[i * d->n + i] = 1;
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  ((const dishonest *)user)->force(t, q, v, F);
  return 0;
}

/* (q, v) at the eighths of the time by `steps` steps, a multiple of 8. */
static void reference(const dishonest *d, long steps, double out[EIGHTHS + 1][ROOM]) {
  int n = d->n;
  double y[ROOM] = {0}, k[4][ROOM], z[ROOM], h = d->t_end / (double)steps;
  for (int i = 0; i < n; i++) y[i] = d->q0[i], y[n + i] = d->v0[i];
  memcpy(out[0], y, sizeof y);
  for (long s = 0; s < steps; s++) {
    for (int j = 0; j < 4; j++) {
      double c = j == 0 ? 0 : j == 3 ? 1 : 0.5;
      for (int i = 0; i < 2 * n; i++) z[i] = y[i] + (j > 0 ? c * h * k[j - 1][i] : 0);
      for (int i = 0; i < n; i++) k[j][i] = z[n + i];
      d->force(h * ((double)s + c), z, z + n, k[j] + n);
    }
    for (int i = 0; i < 2 * n; i++) {
      y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    if ((s + 1) % (steps / EIGHTHS) == 0) memcpy(out[(s + 1) * EIGHTHS / steps], y, sizeof y);
  }
}

/* Largest distance at the eighths, each component relative to its largest value over all nodes, at
 * least 1e-3 of the largest of its kind. */
static double distance(const dishonest *d, const double size[ROOM], double a[EIGHTHS + 1][ROOM],
                       double b[EIGHTHS + 1][ROOM]) {
  double largest = 0;
  for (int k = 0; k <= EIGHTHS; k++) {
    for (int i = 0; i < 2 * d->n; i++) {
      largest = ga_larger(largest, fabs(a[k][i] - b[k][i]) / size[i]);
    }
  }
  return largest;
}

/* The solution at the eighths, and the largest values. */
static void sample(ga_solution *s, const dishonest *d, double out[EIGHTHS + 1][ROOM],
                   double size[ROOM]) {
  int n = d->n;
  memset(size, 0, ROOM * sizeof *size);
  for (long i = 0; i < ga_solution_nodes(s); i++) {
    ga_state at = ga_solution_node(s, i);
    for (int k = 0; k < n; k++) {
      size[k] = fmax(size[k], fabs(at.q[k])), size[n + k] = fmax(size[n + k], fabs(at.v[k]));
    }
  }
  double q = ga_max_abs(n, size), v = ga_max_abs(n, size + n);
  for (int k = 0; k < n; k++) {
    size[k] = fmax(size[k], 1e-3 * q);
    size[n + k] = fmax(fmax(size[n + k], 1e-3 * v), 1e-9 * q / d->t_end);
  }
  for (int k = 0; k <= EIGHTHS; k++) {
    ga_state at = ga_solution_at(s, d->t_end * k / EIGHTHS);
    memcpy(out[k], at.q, (size_t)n * sizeof(double));
    memcpy(out[k] + n, at.v, (size_t)n * sizeof(double));
  }
}

/* One model with one accuracy: reached and true to 5 A, or not reached, or failed with a message. */
static ga_verdict try(const dishonest *d, double A, double fine[EIGHTHS + 1][ROOM],
                      double coarse[EIGHTHS + 1][ROOM]) {
  static const ga_model_ops ops = {.mass = unit_mass, .force = force};
  ga_space *space = NULL;
  must(ga_space_rn(d->n, &space), NULL);
  dishonest own = *d;
  ga_model model = {.ops = &ops, .user = &own, .space = space, .const_mass = true};
  ga_options o = ga_options_default();
  ga_solution *s = NULL;
  ga_error err = {0};
  o.accuracy = A;
  o.accuracy_steps = 3e4;
  must(ga_solution_new(&model, &o, &s, &err), &err);
  ga_status status = ga_solution_solve(s, 0, d->q0, d->v0, d->t_end);
  const ga_accuracy *a = ga_solution_accuracy(s);
  ga_verdict verdict = a->verdict;
  if (status != GA_OK) {
    assert_int_equal(verdict, GA_VERDICT_NONE);
    assert_true(strlen(ga_solution_error(s)->text) > 20);
  } else {
    double x[EIGHTHS + 1][ROOM], size[ROOM];
    sample(s, d, x, size);
    double error = distance(d, size, x, fine), unsure = distance(d, size, coarse, fine);
    assert_true((verdict == GA_VERDICT_REACHED) == (a->error <= A));
    assert_true((strstr(a->text, "NOT reached") == NULL) == (verdict == GA_VERDICT_REACHED));
    if (verdict == GA_VERDICT_REACHED && !(error <= 5 * A + 3 * unsure)) {
      fail_msg("%s, A = %g: %g; %s", d->name, A, error, a->text);
    }
  }
  ga_solution_free(s);
  ga_space_free(space);
  return verdict;
}

static void test_dishonest_models(void **state) {
  (void)state;
  assert_true(DISHONEST_MODELS >= 40);
  int reached = 0, kinks = 0;
  for (int m = 0; m < DISHONEST_MODELS; m++) {
    const dishonest *d = &dishonest_models[m];
    double fine[EIGHTHS + 1][ROOM], coarse[EIGHTHS + 1][ROOM];
    reference(d, 1L << 18, fine);
    reference(d, 1L << 17, coarse);
    static const double accuracies[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-12};
    for (int k = 0; k < 5; k++) {
      ga_verdict verdict = try(d, accuracies[k], fine, coarse);
      reached += verdict == GA_VERDICT_REACHED;
      kinks += verdict == GA_VERDICT_KINK;
    }
  }
  /* it must also say yes, and know a kink */
  assert_true(reached > 40 && kinks > 10);
}

/* The time of a kink is found: a force that switches on at t = pi. */
static void test_time_of_kink(void **state) {
  (void)state;
  for (int m = 0; m < DISHONEST_MODELS; m++) {
    const dishonest *d = &dishonest_models[m];
    if (strcmp(d->name, "switch_at_pi") != 0) continue;
    static const ga_model_ops ops = {.mass = unit_mass, .force = force};
    ga_space *space = NULL;
    must(ga_space_rn(1, &space), NULL);
    dishonest own = *d;
    ga_model model = {.ops = &ops, .user = &own, .space = space, .const_mass = true};
    ga_options o = ga_options_default();
    ga_solution *s = NULL;
    o.accuracy = 1e-9;
    must(ga_solution_new(&model, &o, &s, NULL), NULL);
    must(ga_solution_solve(s, 0, d->q0, d->v0, d->t_end), ga_solution_error(s));
    const ga_accuracy *a = ga_solution_accuracy(s);
    if (a->verdict != GA_VERDICT_KINK || !(fabs(a->t_kink - 3.14159) < 0.3)) {
      fail_msg("%s", a->text);
    }
    ga_solution_free(s);
    ga_space_free(space);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dishonest_models),
      cmocka_unit_test(test_time_of_kink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
