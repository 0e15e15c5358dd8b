/* SPDX-License-Identifier: MIT */
/* The ten mechanisms against reference values of all their columns: errors of the size of the
 * discretization, falling with order 2, in R^3 x SO(3) and in SE(3). */
#include "mechanism_references.h"
#include "mechanisms.h"

/* quaternions have two signs */
static double difference(const char *name, double value, double reference) {
  const char *dot = strchr(name, '.');
  const bool quaternion = dot && dot[1] == 'e' && dot[2] >= '0' && dot[2] <= '3' && !dot[3];
  return quaternion ? fmin(fabs(value - reference), fabs(value + reference))
                    : fabs(value - reference);
}

typedef struct {
  char name[64];
  double value;
} reference_value;

/* the next pair of a list of references; false at its end */
static bool next_value(const char **list, reference_value *v) {
  int n = 0;
  if (sscanf(*list, " %63s %lf%n", v->name, &v->value, &n) != 2) return false;
  *list += n;
  return true;
}

/* Largest errors relative to 1 + |value|, coarse and fine; how many columns were there. */
static int worst_errors(const ga_mechanism *m, const char *reference, const double *coarse,
                        const double *fine, double worst[2]) {
  int compared = 0;
  for (reference_value v; next_value(&reference, &v);) {
    const int i = ga_mechanism_column_index(m, v.name);
    if (i < 0) continue; /* coordinates that nothing asked for */
    const double size = 1 + fabs(v.value);
    worst[0] = fmax(worst[0], difference(v.name, coarse[i], v.value) / size);
    worst[1] = fmax(worst[1], difference(v.name, fine[i], v.value) / size);
    compared++;
  }
  return compared;
}

/* Every column falls by nearly 4, unless its error is small beside those of others: it may go
 * through zero. */
static void each_falls(const ga_mechanism *m, const char *model, const char *reference,
                       const double *coarse, const double *fine, double worst) {
  for (reference_value v; next_value(&reference, &v);) {
    const int i = ga_mechanism_column_index(m, v.name);
    if (i < 0) continue;
    const double size = 1 + fabs(v.value);
    const double a = difference(v.name, coarse[i], v.value);
    const double b = difference(v.name, fine[i], v.value);
    if (b <= 0.32 * a || b <= (0.01 * worst + 1e-9) * size) continue;
    fail_msg("%s, %s: %.15g and %.15g, reference %.15g (errors %.2e, %.2e)", model, v.name,
             coarse[i], fine[i], v.value, a, b);
  }
}

static void compare(const struct mechanism_entry *e, ga_formulation formulation, int r) {
  ga_mechanism *m = mechanism_built(e, formulation);
  const double t = mechanism_references[r].t;
  const char *reference = mechanism_references[r].values;
  double *coarse = columns_at(m, e->h, t), *fine = columns_at(m, e->h / 2, t);
  double worst[2] = {0, 0};
  const int compared = worst_errors(m, reference, coarse, fine, worst);
  print_message("%-16s %s t = %-4g %3d columns, errors %.2e %.2e, order %.2f\n", e->name,
                formulation == GA_FORMULATION_SE3 ? "se3  " : "r3so3", t, compared, worst[0],
                worst[1], slope(worst[0], worst[1]));
  assert_true(compared >= 6);
  assert_true(worst[0] < 0.1);
  assert_between("order", slope(worst[0], worst[1]), 1.85, 2.15);
  each_falls(m, e->name, reference, coarse, fine, worst[0]);
  free(coarse);
  free(fine);
  ga_mechanism_free(m);
}

static void all(ga_formulation formulation) {
  for (int r = 0; r < NREFERENCE; r++) {
    for (int i = 0; i < NMECHANISM; i++) {
      if (strcmp(mechanism_list[i].name, mechanism_references[r].model) != 0) continue;
      compare(&mechanism_list[i], formulation, r);
    }
  }
}

static void references_r3so3(void **state) {
  (void)state;
  all(GA_FORMULATION_R3SO3);
}

static void references_se3(void **state) {
  (void)state;
  all(GA_FORMULATION_SE3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(references_r3so3),
                                     cmocka_unit_test(references_se3)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
