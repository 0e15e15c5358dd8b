/* SPDX-License-Identifier: MIT */
/* What the kernel says about contacts: reduced restitution, Painleve's impulse, forces that do not
 * fit, steps that are not cut, impacts without a solution. */
#include "contact_scenes.h"
#include "run/integrator.h"

static char said[2000];

static void hear(void *context, ga_log_level level, const char *text) {
  (void)context, (void)level;
  const size_t used = strlen(said);
  snprintf(said + used, sizeof said - used, "%s\n", text);
}

static void expect(const char *text) {
  if (!strstr(said, text)) print_message("expected '%s' in:\n%s", text, said);
  assert_non_null(strstr(said, text));
}

/* a rod that falls on its end, turning, with friction: e = 1 would gain energy */
static void restitution_is_reduced(void **state) {
  (void)state;
  scene s = rod_scene;
  s.contact[0] = (ga_contact){.name = "rod", .nslip = 1, .friction = 0.9, .restitution = 0.9};
  s.q0[1] += 0.001;
  s.t_end = 0.1;
  ga_options o = scene_options(&s, "stab2", 0.9, 0);
  o.log = hear;
  int reduced = 0;
  said[0] = 0;
  for (int k = 0; k < 200 && !reduced; k++) {
    run r;
    s.q0[2] = 0.3 + 0.1 * (k % 12);
    s.q0[0] = 0.5 * cos(s.q0[2]);
    s.q0[1] = 0.5 * sin(s.q0[2]) + 0.001;
    s.v0[0] = -3 + 0.6 * (k / 12 % 10), s.v0[1] = -1, s.v0[2] = k / 120 ? 6 : -6;
    open_run(&r, &s, &o);
    must(ga_integrator_run(r.it, s.t_end), ga_integrator_error(r.it));
    const ga_contact_stats stats = ga_integrator_contact_stats(r.it);
    reduced = (int)stats.reduced;
    /* with gravity's work no energy is gained */
    for (int i = 0; i < r.nchange; i++) assert_true(r.change[i].energy >= -1e-10);
    if (reduced) {
      int less = 0;
      for (int i = 0; i < r.nchange; i++) less += r.change[i].restitution < 0.9;
      assert_true(less > 0);
    }
    close_run(&r);
  }
  assert_true(reduced > 0);
  expect("contact 'rod': t = ");
  expect(": restitution 0.9 with friction 0.9 would gain energy (+");
  expect("for this impact");
}

static void painleve_is_told(void **state) {
  (void)state;
  run r;
  ga_options o = scene_options(&rod_scene, "stab2", 0.9, 0);
  o.log = hear;
  said[0] = 0;
  run_scene(&r, &rod_scene, &o);
  expect("contact 'rod': t = 0: no forces fit (Painlevé); an impulse of 0.75 N s stops its slip");
  close_run(&r);
}

/* a ball that bounces more than 30 times in one step */
static void uncut_steps_are_told(void **state) {
  (void)state;
  run r;
  scene s = ball_scene;
  s.contact[0].restitution = 0.9;
  s.q0[0] = 0.05;
  ga_options o = scene_options(&s, "stab2", 0.9, 2);
  o.log = hear;
  o.rest_time = 1e-9;
  said[0] = 0;
  run_scene(&r, &s, &o);
  expect("contact 'floor': 30 changes between t = 0 and ");
  expect(": that step is not cut; a smaller h would follow them");
  assert_true(ga_integrator_contact_stats(r.it).uncut == 1);
  close_run(&r);
}

/* two contacts that slide and jam each other: no forces */
static void jammed(const scene *s, point *p) {
  static const double G[2][3] = {{1.1, 0, 0.5}, {-1, 1.4, 0.7}};
  static const double H[2][3] = {{-0.5, -0.5, -1.1}, {0, -0.8, -1.6}}, F[3] = {-9.5, -5, -0.5};
  (void)s;
  for (int i = 0; i < 3; i++) p->M[i][i] = 1, p->F[i] = F[i];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 3; k++) {
      p->G[i][k] = G[i][k], p->H[i][k] = H[i][k];
      p->g[i] += G[i][k] * p->q[k], p->k[i] += H[i][k] * p->v[k];
    }
  }
}

static void jammed_contacts_are_named(void **state) {
  (void)state;
  const scene s = {.name = "jammed",
                   .n = 3,
                   .nlam = 2,
                   .npsi = 2,
                   .ncontacts = 2,
                   .contact = {{.name = "a", .gap = 0, .slip = 0, .nslip = 1, .friction = 1.01382},
                               {.name = "b", .gap = 1, .slip = 1, .nslip = 1, .friction = 1.01382}},
                   .at = jammed,
                   .linear = true};
  const ga_options o = scene_options(&s, "stab2", 0.9, 0.01);
  const bool both[2] = {true, true}, none[2] = {false, false};
  const double q[3] = {0, 0, 0};
  double v[3] = {-0.7, -1.27, 1.54}, impulse[6] = {0};
  int states[2];
  run r;
  ga_touching p;
  open_run(&r, &s, &o); /* at rest */
  must(ga_contacts_evaluate(r.it, 0, q, v), ga_integrator_error(r.it));
  must(ga_touching_init(r.it, both, 0, q, v, &p), ga_integrator_error(r.it));
  /* NULL: no impulses in place of forces */
  assert_int_equal(ga_contacts_forces(r.it, &p, 0, q, v, none, none, NULL, impulse, states),
                   GA_ERR_CONTACT);
  ga_touching_free(&p);
  snprintf(said, sizeof said, "%s", ga_integrator_error(r.it)->text);
  expect("contacts 'a', 'b': ");
  expect("no forces fit; reduce friction, or use contact: step");
  close_run(&r);
}

/* no impact of real contacts is left without a solution: A of a problem that has none */
static void unsolved_impacts_are_named(void **state) {
  (void)state;
  run r;
  ga_options o = scene_options(&two_scene, "stab2", 0.9, 0);
  open_run(&r, &two_scene, &o);
  const bool both[2] = {true, true};
  const double q[2] = {0.05, 0.15}, e[2] = {0, 0};
  double v[2] = {-1, -2}, factor;
  bool impact;
  ga_touching p;
  ga_integrator *it = r.it;
  must(ga_contacts_evaluate(it, 0, q, v), ga_integrator_error(it));
  must(ga_touching_init(it, both, 0, q, v, &p), ga_integrator_error(it));
  for (int i = 0; i < 4; i++) { /* every force closes the gaps further */
    p.A.val[i] = p.normal.val[i] = -1;
  }
  assert_int_equal(ga_contacts_impact(it, &p, 0.7, v, NULL, e, &factor, &impact), GA_RETRY_CONTACT);
  snprintf(said, sizeof said, "%s", ga_integrator_error(it)->text);
  expect("contacts 'floor', '2' (one island): no solution of the impact at t = 0.7 after ");
  expect(" sweeps; reduce h, friction, or use contact: step");
  ga_touching_free(&p);
  close_run(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(restitution_is_reduced), cmocka_unit_test(painleve_is_told),
      cmocka_unit_test(uncut_steps_are_told), cmocka_unit_test(jammed_contacts_are_named),
      cmocka_unit_test(unsolved_impacts_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
