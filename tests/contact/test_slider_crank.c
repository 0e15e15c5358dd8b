/* SPDX-License-Identifier: MIT */
/* A slider-crank whose slider has clearance in its guide (Flores, Leine, Glocker 2010), through an
 * infinite series of impacts; a cradle with and without gaps between its balls.
 *
 *     contact_slider_crank print    all values, as a table */
#include "claims.h"
#include "contact_scenes.h"

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
    /* 5 times the error of q, 9.6e-7 with rates of 50 or more */
    claim("clearance", "hit", t[i], hits[i], 5 * 9.6e-7 / 50);
  }
  claim("clearance", "crank", x->q[0], 0.865712641, 1.5 * 9.6e-7);
  claim("clearance", "rod", x->q[1], -0.3871083262, 1.5 * 9.6e-7);
  claim("clearance", "rate of the crank", x->v[0], 69.76857781, 1.5 * 7.2e-5);
  claim("clearance", "rate of the rod", x->v[1], -24.38145788, 1.5 * 7.2e-5);
  close_run(&r);
  claims_end();
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
    claim("clearance, gliding", "corners closed", closed, 2, 0);
    claim("clearance, gliding", "crank", end[i], crank[i], 1e-8);
    close_run(&r);
  }
  claim("clearance, gliding", "order", log2((end[0] - end[1]) / (end[1] - end[2])), 2, 0.1);
  claims_end();
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
      claim("cradle", gaps ? "v, gaps" : "v, no gaps", ga_integrator_state(r.it)->v[i],
            after[gaps][i], 1e-12);
    }
    close_run(&r);
  }
  claims_end();
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_clearance),
                                     cmocka_unit_test(test_accumulation),
                                     cmocka_unit_test(test_cradle)};
  claims_begin(argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
