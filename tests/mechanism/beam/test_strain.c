/* SPDX-License-Identifier: MIT */
/* The beam element alone: published numbers, flexibility, wrenches, tangents of strain and inertia
 * against difference quotients up to 0.9 pi. */
#include "mechanism/beam/beam.h"

#include "element_settings.h"

static void times(const double *H, const double *d, double *out) {
  ga_group_se3.step(1, H, d, out);
}

/* an element with K = diag(..), d0, from the identity to exp(d0) */
static ga_beam_data element(void) {
  static const double K[6] = {100, 40, 50, 7, 8, 9}, d0[6] = {.9, 0, 0, .1, -.2, .3};
  ga_beam_data e = {.h = .9, .mass = 1.3, .J = {.2, .1, .15}, .load = {.3, -.2, .1}};
  memcpy(e.d0, d0, sizeof d0);
  double section[36] = {0};
  for (int i = 0; i < 6; i++) section[7 * i] = K[i];
  assert_true(ga_beam_flexibility(section, d0, e.K));
  for (int i = 0; i < 36; i++) e.K[i] /= e.h;
  return e;
}

/* The line of numbers that two other implementations agree on, to all its digits. */
static void known_element(void **state) {
  (void)state;
  static const double d[6] = {0.681361154,  -0.184570811, 0.361400480,
                              -0.313627552, 0.445997349,  0.379904305};
  static const double fA[6] = {18.65475462, 7.98842317, -19.73200778,
                               3.73007346,  4.39490245, 3.49414052};
  const ga_beam_data e = element();
  double one[7], A[7], B[7], f[12];
  ga_strain s;
  ga_group_se3.identity(1, one);
  times(one, e.d0, B);
  times(one, (double[6]){.1, .2, -.1, .3, -.2, .1}, A);
  times(B, (double[6]){-.05, .1, .2, -.1, .4, .2}, B);
  assert_true(ga_beam_strain(&e, A, B, NULL, &s));
  ga_beam_force(&s, f);
  for (int i = 0; i < 6; i++) {
    assert_true(fabs(s.d[i] - d[i]) < 1e-9);
    assert_true(fabs(f[i] - fA[i]) < 1e-8);
  }
  assert_true(fabs(ga_beam_energy(&e, &s) - 8.0909953095) < 1e-10);
}

/* A straight element: only the shear stiffnesses change. */
static void flexibility(void **state) {
  (void)state;
  const double K[36] = {[0] = 100, [7] = 40, [14] = 50, [21] = 7, [28] = 8, [35] = 9};
  const double h = 0.7, d0[6] = {h, 0, 0, 0, 0, 0};
  double Khat[36];
  assert_true(ga_beam_flexibility(K, d0, Khat));
  const double y = 1 / (1 / K[7] + h * h / (12 * K[35])),
               z = 1 / (1 / K[14] + h * h / (12 * K[28]));
  for (int i = 0; i < 36; i++) {
    const double expected = i == 7 ? y : i == 14 ? z : K[i];
    assert_true(fabs(Khat[i] - expected) < 1e-13 * 100);
  }
  double bad[36];
  memcpy(bad, K, sizeof bad);
  bad[1] = bad[6] = 70; /* 70^2 > 100 40 */
  assert_false(ga_beam_flexibility(bad, d0, Khat));
}

/* Strain force at frames displaced by delta (12) with velocities v. */
static void force_at(const ga_beam_data *e, const double *qa, const double *qb, const double *delta,
                     double (*v)[6], double *f) {
  double A[7], B[7];
  ga_strain s;
  times(qa, delta, A);
  times(qb, delta + 6, B);
  assert_true(ga_beam_strain(e, A, B, (const double(*)[6])v, &s));
  ga_beam_force(&s, f);
}

/* Tangents of strain forces with damping, at random states whose ends are turned by up to 0.9 pi. */
static void strain_tangents(void **state) {
  (void)state;
  unsigned seed = 7;
  for (int trial = 0; trial < 40; trial++) {
    ga_beam_data e = element();
    double d[6], qa[7], qb[7], v[2][6], K[12][12], C[12][12], one[7];
    random_vector(&seed, 6, 1, d);
    const double turn = 3.14159265 * 0.9 * (trial + 1) / 40 / ga_norm3(d + 3);
    for (int i = 3; i < 6; i++) d[i] *= turn;
    random_vector(&seed, 12, 1, v[0]);
    for (int i = 0; i < 36; i++) e.C[i] = 0.1 * e.K[i];
    e.damped = true;
    double start[6];
    random_vector(&seed, 6, 2, start);
    ga_group_se3.identity(1, one);
    times(one, start, qa);
    times(qa, d, qb);
    ga_strain s;
    assert_true(ga_beam_strain(&e, qa, qb, (const double(*)[6])v, &s));
    ga_beam_tangents(&e, &s, (const double(*)[6])v, K, C);
    double size = 0;
    for (int i = 0; i < 144; i++) size = fmax(size, fabs(K[i / 12][i % 12]));
    for (int j = 0; j < 12; j++) {
      const double h = 1e-5;
      double delta[12] = {0}, f1[12], f2[12], w[2][6];
      delta[j] = h;
      force_at(&e, qa, qb, delta, v, f2);
      delta[j] = -h;
      force_at(&e, qa, qb, delta, v, f1);
      for (int i = 0; i < 12; i++) {
        assert_true(fabs((f2[i] - f1[i]) / (2 * h) - K[i][j]) < 3e-8 * size);
      }
      delta[j] = 0;
      memcpy(w, v, sizeof w);
      w[j / 6][j % 6] += 1;
      force_at(&e, qa, qb, delta, w, f2);
      force_at(&e, qa, qb, delta, v, f1);
      for (int i = 0; i < 12; i++) assert_true(fabs(f2[i] - f1[i] - C[i][j]) < 1e-11 * size);
    }
  }
}

/* An element that is turned too far is not evaluated. */
static void too_far(void **state) {
  (void)state;
  const ga_beam_data e = element();
  double one[7], B[7];
  ga_strain s;
  ga_group_se3.identity(1, one);
  times(one, (double[6]){.9, 0, 0, 0, 0.949 * 3.14159265358979, 0}, B);
  assert_true(ga_beam_strain(&e, one, B, NULL, &s));
  times(one, (double[6]){.9, 0, 0, 0, 0.951 * 3.14159265358979, 0}, B);
  assert_false(ga_beam_strain(&e, one, B, NULL, &s));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_element), cmocka_unit_test(flexibility),
                                     cmocka_unit_test(strain_tangents), cmocka_unit_test(too_far)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
