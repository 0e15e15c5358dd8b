/* SPDX-License-Identifier: MIT */
/* A slider-crank whose slider has clearance in its guide (Flores, Leine, Glocker 2010), through an
 * infinite series of impacts; a cradle with and without gaps between its balls. */
#include "contact_scenes.h"

/* q: angles of crank, rod and slider; four corners of the slider, contacts in the order (-,-),
 * (+,-), (-,+), (+,+) */
static void slider_crank(const scene *s, point *p) {
  (void)s;
  const double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, half = 0.026;
  const double m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6;
  const double c1 = cos(p->q[0]), s1 = sin(p->q[0]), c2 = cos(p->q[1]), s2 = sin(p->q[1]);
  const double c3 = cos(p->q[2]), s3 = sin(p->q[2]), *w = p->v;
  const double both = (m2 / 2 + m3) * l1 * l2, c12 = c1 * c2 + s1 * s2, s12 = s1 * c2 - c1 * s2;
  p->M[0][0] = J1 + (m1 / 4 + m2 + m3) * l1 * l1;
  p->M[1][1] = J2 + (m2 / 4 + m3) * l2 * l2;
  p->M[2][2] = J3;
  p->M[0][1] = p->M[1][0] = both * c12;
  p->F[0] = -both * s12 * w[1] * w[1] - (m1 / 2 + m2 + m3) * g * l1 * c1;
  p->F[1] = both * s12 * w[0] * w[0] - (m2 / 2 + m3) * g * l2 * c2;
  for (int i = 0; i < 4; i++) {
    const double x = i & 1 ? a : -a, y = i & 2 ? b : -b, up = i & 2 ? -1 : 1;
    const double rx = c3 * x - s3 * y, ry = s3 * x + c3 * y; /* from the centre of the slider */
    p->g[i] = half + up * (l1 * s1 + l2 * s2 + ry);
    p->G[i][0] = up * l1 * c1, p->G[i][1] = up * l2 * c2, p->G[i][2] = up * rx;
    p->drift[i] = -up * (l1 * s1 * w[0] * w[0] + l2 * s2 * w[1] * w[1] + ry * w[2] * w[2]);
    p->H[i][0] = -l1 * s1, p->H[i][1] = -l2 * s2, p->H[i][2] = -ry;
    p->k[i] = p->H[i][0] * w[0] + p->H[i][1] * w[1] + p->H[i][2] * w[2];
    p->k_drift[i] = -(l1 * c1 * w[0] * w[0] + l2 * c2 * w[1] * w[1] + rx * w[2] * w[2]);
  }
}

static scene crank_scene(double t_end) {
  scene s = {.name = "slider-crank",
             .n = 3,
             .nlam = 4,
             .npsi = 4,
             .ncontacts = 4,
             .at = slider_crank,
             .t_end = t_end,
             .h = 1e-5,
             .v0 = {150, -75, 0}};
  static const char *const names[] = {"--", "+-", "-+", "++"};
  for (int i = 0; i < 4; i++) {
    s.contact[i] = (ga_contact){
        .name = names[i], .gap = i, .slip = i, .nslip = 1, .restitution = 0.4, .friction = 0.01};
  }
  return s;
}

static void test_clearance(void **state) {
  (void)state;
  static const double hits[4] = {0.0026925028, 0.0056123632, 0.0074750562, 0.0084217679};
  const scene s = crank_scene(0.0088);
  const ga_options o = scene_options(&s, "stab2", 0.9, 0);
  run r;
  double t[10];
  run_scene(&r, &s, &o);
  const ga_state *x = ga_integrator_state(r.it);
  assert_int_equal(times_of(&r, GA_CONTACT_HIT, -1, t, 10), 4);
  for (int i = 0; i < 4; i++) {
    if (fabs(t[i] - hits[i]) > 1e-8) print_message("hit %.11g, expected %.11g\n", t[i], hits[i]);
    /* 5 x (error of q)/(a rate of 150) and that of v */
    assert_true(fabs(t[i] - hits[i]) <= 1e-8 + 5 * 9.6e-7 / 50);
  }
  print_message("t = 0.0088: %.10g %.10g, rates %.10g %.10g\n", x->q[0], x->q[1], x->v[0], x->v[1]);
  assert_true(fabs(x->q[0] - 0.865712641) <= 1.5 * 9.6e-7);
  assert_true(fabs(x->q[1] + 0.3871083262) <= 1.5 * 9.6e-7);
  assert_true(fabs(x->v[0] - 69.76857781) <= 1.5 * 7.2e-5);
  assert_true(fabs(x->v[1] + 24.38145788) <= 1.5 * 7.2e-5);
  close_run(&r);
}

/* the series of impacts ends near 0.00915: then the slider glides */
static void test_accumulation(void **state) {
  (void)state;
  static const double crank[3] = {0.947978214, 0.947965546, 0.947962378};
  const scene s = crank_scene(0.01);
  double end[3];
  for (int i = 0; i < 3; i++) {
    const ga_options o = scene_options(&s, "stab2", 0.9, 4e-5 / (1 << i));
    run r;
    run_scene(&r, &s, &o);
    end[i] = ga_integrator_state(r.it)->q[0];
    int closed = 0;
    for (int k = 0; k < 4; k++) closed += ga_integrator_contact(r.it, k).state != GA_CONTACT_OPEN;
    print_message("h = %g: crank %.10g, expected %.10g, %d closed\n", o.h, end[i], crank[i],
                  closed);
    assert_int_equal(closed, 2);
    close_run(&r);
  }
  for (int i = 0; i < 3; i++) assert_true(fabs(end[i] - crank[i]) <= 2e-8);
}

/* five balls in a row, the first one comes with velocity 1 */
static void cradle(const scene *s, point *p) {
  for (int i = 0; i < s->n; i++) p->M[i][i] = 1;
  for (int i = 0; i < s->nlam; i++) {
    p->g[i] = p->q[i + 1] - p->q[i] - 0.1;
    p->G[i][i + 1] = 1, p->G[i][i] = -1;
  }
}

static void test_cradle(void **state) {
  (void)state;
  static const char *const names[] = {"12", "23", "34", "45"};
  for (int gaps = 0; gaps < 2; gaps++) {
    scene s = {.name = "cradle",
               .n = 5,
               .nlam = 4,
               .ncontacts = 4,
               .at = cradle,
               .linear = true,
               .t_end = 1,
               .h = 0.01,
               .v0 = {1}};
    for (int i = 0; i < 5; i++) s.q0[i] = (i ? 0.2 : 0) + (0.1 + 0.01 * gaps) * i;
    for (int i = 0; i < 4; i++) {
      s.contact[i] = (ga_contact){.name = names[i], .gap = i, .restitution = 1};
    }
    const ga_options o = scene_options(&s, "stab2", 0.9, 0);
    run r;
    run_scene(&r, &s, &o);
    static const double after[2][5] = {{-0.6, 0.4, 0.4, 0.4, 0.4}, {0, 0, 0, 0, 1}};
    for (int i = 0; i < 5; i++) {
      const double v = ga_integrator_state(r.it)->v[i];
      if (fabs(v - after[gaps][i]) > 1e-9) print_message("ball %d: %g\n", i, v);
      assert_true(fabs(v - after[gaps][i]) <= 1e-9);
    }
    close_run(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_clearance),
                                     cmocka_unit_test(test_accumulation),
                                     cmocka_unit_test(test_cradle)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
