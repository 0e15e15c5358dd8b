/* SPDX-License-Identifier: MIT */
/* 1000 random impacts of boxes, flat and tall, that fall on its four corners (12 rows, rank 6), friction to 1.2, restitution
 * to 1: all are solved, the laws hold, and none gains energy. Only velocities and impulses are looked at, with M, J
 * and the laws written here again. */
#include "contact_box.h"

enum { CORNERS = 4, IMPACTS = 1000 };
/* Of the velocities, about 5 m/s; for problems that are solved to 1e-6 only. */
static const double LAW = 1e-8, COARSE = 1e-5;

/* u <- rates of gap, slips along x and y of corner i at the velocity v; the box is flat: J by hand. */
static void corner_velocity(const double *half, int i, const double *v, double *u) {
  const double c[3] = {i & 2 ? half[0] : -half[0], i & 1 ? half[1] : -half[1], -half[2]};
  u[0] = v[2] + v[3] * c[1] - v[4] * c[0];
  u[1] = v[0] + v[4] * c[2] - v[5] * c[1];
  u[2] = v[1] + v[5] * c[0] - v[3] * c[2];
}

static double inertia(const double *half, int k) { /* of v_k */
  if (k < 3) return 1;
  const double a = half[(k + 1) % 3], b = half[(k + 2) % 3];
  return (a * a + b * b) / 3;
}

static double kinetic(const double *half, const double *v) {
  double sum = 0;
  for (int k = 0; k < NV; k++) sum += inertia(half, k) * v[k] * v[k] / 2;
  return sum;
}

/* v <- M^-1 J^T r of all corners */
static void momentum(const double *half, double r[CORNERS][3], double *v) {
  memset(v, 0, NV * sizeof *v);
  for (int i = 0; i < CORNERS; i++) {
    for (int k = 0; k < NV; k++) {
      double e[NV] = {0}, u[3];
      e[k] = 1;
      corner_velocity(half, i, e, u);
      v[k] += (u[0] * r[i][0] + u[1] * r[i][1] + u[2] * r[i][2]) / inertia(half, k);
    }
  }
}

/* The worst of all laws, 0: they hold. f: by how much restitution was reduced in this impact. */
static double broken(const double *half, const double *before, const double *after,
                     double r[CORNERS][3], double mu, double e, double f) {
  double worst = 0, moved[NV];
  momentum(half, r, moved);
  for (int k = 0; k < NV; k++) worst = fmax(worst, fabs(after[k] - before[k] - moved[k]));
  for (int i = 0; i < CORNERS; i++) {
    double u[3], w[3];
    corner_velocity(half, i, before, u);
    corner_velocity(half, i, after, w);
    const double left = w[0] + f * e * fmin(u[0], 0); /* >= 0, 0 where it is pushed */
    const double slip = hypot(w[1], w[2]), rt = hypot(r[i][1], r[i][2]);
    worst = fmax(worst, fmax(-left, -r[i][0]));
    worst = fmax(worst, fmin(left, r[i][0]));
    worst = fmax(worst, rt - mu * r[i][0]);
    if (slip <= 1e-6) continue;
    for (int k = 1; k < 3; k++) worst = fmax(worst, fabs(r[i][k] + mu * r[i][0] * w[k] / slip));
  }
  return worst;
}

static void random_impacts(void **state) {
  (void)state;
  uint64_t seed = 2024;
  int solved = 0, reduced = 0, coarse = 0, wrong = 0;
  for (int n = 0; n < IMPACTS; n++) {
    double v[NV], r[CORNERS][3] = {{0}}, f = 1;
    const double e = 0.5 + 0.5 * next_uniform(&seed), mu = 0.6 * (1 + next_uniform(&seed));
    box x = {.corners = CORNERS, .mu = mu, .e = e};
    run b;
    for (int k = 0; k < 3; k++) v[k] = 2 * next_uniform(&seed), v[3 + k] = 10 * next_uniform(&seed);
    v[2] -= 2.5;
    for (int k = 0; k < 3; k++) x.half[k] = 0.2 + 0.15 * next_uniform(&seed);
    const double flat[7] = {0, 0, x.half[2], 1, 0, 0, 0};
    /* no gravity, and a step so small that no bounce rests */
    open_box(&b, &x, 1e-6, flat, v);
    const double *after = ga_integrator_state(b.it)->v;
    for (int i = 0; i < b.nfirst; i++) {
      const ga_contact_change *c = &b.first[i];
      r[c->contact][0] += c->impulse_n;
      r[c->contact][1] += c->impulse_t1;
      r[c->contact][2] += c->impulse_t2;
      if (e > 0) f = c->restitution / e;
    }
    const ga_contact_stats stats = ga_integrator_contact_stats(b.it);
    const double law = broken(x.half, v, after, r, mu, e, f);
    const bool gains = kinetic(x.half, after) > kinetic(x.half, v) * (1 + 1e-9);
    solved += b.nfirst > 0;
    reduced += stats.reduced > 0;
    coarse += stats.coarse > 0;
    wrong += law > (stats.coarse ? COARSE : LAW) || gains;
    if (law > (stats.coarse ? COARSE : LAW) || gains) {
      print_message("impact %d: law %g, energy %g to %g, mu %g, e %g times %g\n", n, law,
                    kinetic(x.half, v), kinetic(x.half, after), mu, e, f);
    }
    close_box(&b);
  }
  print_message("%d solved, %d with less restitution, %d to 1e-6 only\n", solved, reduced, coarse);
  assert_int_equal(solved, IMPACTS);
  assert_int_equal(wrong, 0);
  assert_true(reduced > 0 && coarse <= IMPACTS / 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_impacts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
