/* SPDX-License-Identifier: MIT */
/* Results do not depend on the order of contacts; events of the user at the time of a change are
 * told, and change nothing. */
#include "contact_scenes.h"

static void order_does_not_matter(void **state) {
  (void)state;
  static const scene *const scenes[] = {&double_scene, &block_scene, &two_scene, &three_scene,
                                        &woodpecker_scene};
  for (size_t n = 0; n < sizeof scenes / sizeof scenes[0]; n++) {
    scene turned = *scenes[n];
    const ga_options o = scene_options(&turned, "stab2", 0.9, 0);
    run a, b;
    for (int i = 0; i < turned.ncontacts; i++) {
      turned.contact[i] = scenes[n]->contact[turned.ncontacts - 1 - i];
    }
    run_scene(&a, scenes[n], &o);
    run_scene(&b, &turned, &o);
    const ga_state *x = ga_integrator_state(a.it), *y = ga_integrator_state(b.it);
    for (int i = 0; i < turned.n; i++) {
      const double apart = fabs(x->q[i] - y->q[i]) + fabs(x->v[i] - y->v[i]);
      if (apart > 1e-9) print_message("%s: %g apart\n", turned.name, apart);
      assert_true(apart <= 1e-9 * (1 + fabs(x->v[i])));
    }
    assert_int_equal(a.nchange, b.nchange);
    close_run(&a);
    close_run(&b);
  }
}

/* height of the ball: zero where it hits */
static double height(void *context, const ga_state *s) {
  (void)context;
  return s->q[0];
}

static int told;
static double told_at[40];

static int note(void *context, int event, int sign, const ga_state *s) {
  (void)context, (void)event, (void)sign;
  if (told < 40) told_at[told++] = s->t;
  return 0;
}

static void events_at_a_change(void **state) {
  (void)state;
  const ga_options o = scene_options(&ball_scene, "stab2", 0.9, 0);
  const ga_event event = {.value = height, .handler = note, .direction = GA_EVENT_FALLING};
  run a, b;
  double t[20];
  told = 0;
  run_scene(&a, &ball_scene, &o);
  open_run(&b, &ball_scene, &o);
  must(ga_integrator_add_event(b.it, &event), ga_integrator_error(b.it));
  must(ga_integrator_run(b.it, ball_scene.t_end), ga_integrator_error(b.it));
  assert_int_equal(a.nchange, b.nchange);
  assert_true(fabs(ga_integrator_state(a.it)->q[0] - ga_integrator_state(b.it)->q[0]) <= 1e-12);
  const int hits = times_of(&b, GA_CONTACT_HIT, 0, t, 20);
  assert_int_equal(told, hits);
  for (int i = 0; i < told; i++) {
    double nearest = INFINITY;
    for (int k = 0; k < hits; k++) nearest = fmin(nearest, fabs(told_at[i] - t[k]));
    assert_true(nearest <= 1e-9);
  }
  close_run(&a);
  close_run(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(order_does_not_matter),
                                     cmocka_unit_test(events_at_a_change)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
