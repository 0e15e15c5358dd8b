/* SPDX-License-Identifier: MIT */
/* Contacts of a model: wrong descriptions are refused with a sentence; words of changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact_scenes.h"
#include "genalpha/genalpha.h"

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = 1;
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = -9.81;
  return 0;
}

static int gap(void *user, double t, const double *q, double *out) {
  (void)user, (void)t;
  out[0] = q[0];
  return 0;
}

static void wrong_contacts_are_refused(void **state) {
  (void)state;
  const struct {
    ga_contact contact;
    const char *text;
  } wrong[] = {
      {{.name = "a", .gap = 1}, "contact 'a': its gap is not a row of g"},
      {{.name = "a", .slip = 0, .nslip = 1}, "contact 'a': its slip velocities are not rows of k"},
      {{.name = "a", .restitution = 1.5}, "contact 'a': restitution must be 0 to 1"},
      {{.name = "a", .friction = 0.5}, "contact 'a': friction needs slip velocities"},
      {{.name = "a", .static_friction = NAN}, "contact 'a': static_friction must be at least"},
      {{.gap = 0}, "contacts[0] has no name"},
  };
  const ga_model_ops ops = {.mass = mass, .force = force, .holonomic = gap};
  ga_space *space = NULL;
  assert_int_equal(ga_space_rn(1, &space), GA_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    ga_model model = {
        .ops = &ops, .space = space, .nlam = 1, .contacts = &wrong[i].contact, .ncontacts = 1};
    ga_error err;
    assert_int_equal(ga_model_validate(&model, &err), GA_ERR_ARG);
    assert_memory_equal(err.text, wrong[i].text, strlen(wrong[i].text));
  }
  const ga_contact twice[] = {{.name = "a"}, {.name = "b"}};
  ga_model model = {.ops = &ops, .space = space, .nlam = 1, .contacts = twice, .ncontacts = 2};
  ga_error err;
  assert_int_equal(ga_model_validate(&model, &err), GA_ERR_ARG);
  assert_string_equal(err.text, "contacts 'a' and 'b' share a row");
  ga_space_free(space);
}

static void kinds_have_words(void **state) {
  (void)state;
  assert_string_equal(ga_contact_kind_name(GA_CONTACT_HIT), "hit");
  assert_string_equal(ga_contact_kind_name(GA_CONTACT_JAM), "jam");
}

/* a run that is saved and resumed in the middle ends with the same bits */
static void resumed_runs_are_equal(void **state) {
  (void)state;
  static const scene *const scenes[] = {&double_scene, &push_scene, &curve_scene, &block_scene,
                                        &woodpecker_scene};
  double lost = 0;
  for (size_t n = 0; n < sizeof scenes / sizeof scenes[0]; n++) {
    const scene *s = scenes[n];
    const ga_options o = scene_options(s, "stab2", 0.9, 0);
    run a, b;
    size_t size;
    open_run(&a, s, &o);
    must(ga_integrator_run(a.it, 0.61 * s->t_end), ga_integrator_error(a.it));
    must(ga_integrator_save_memory(a.it, NULL, &size), ga_integrator_error(a.it));
    void *bytes = malloc(size);
    must(ga_integrator_save_memory(a.it, bytes, &size), ga_integrator_error(a.it));
    open_run(&b, s, &o);
    must(ga_integrator_load_memory(b.it, bytes, size), ga_integrator_error(b.it));
    const ga_state *x = ga_integrator_state(a.it), *y = ga_integrator_state(b.it);
    /* the state that was loaded has the energies, before any step */
    assert_true(x->energy_impacts == y->energy_impacts && x->energy_friction == y->energy_friction);
    lost += fabs(x->energy_impacts) + fabs(x->energy_friction);
    must(ga_integrator_run(a.it, s->t_end), ga_integrator_error(a.it));
    must(ga_integrator_run(b.it, s->t_end), ga_integrator_error(b.it));
    assert_memory_equal(x->q, y->q, (size_t)s->n * sizeof(double));
    assert_memory_equal(x->v, y->v, (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->ncontacts; i++) {
      const ga_contact_state p = ga_integrator_contact(a.it, i), q = ga_integrator_contact(b.it, i);
      assert_int_equal(p.state, q.state);
      assert_true(p.normal == q.normal && p.impulse == q.impulse);
    }
    assert_true(ga_integrator_contact_stats(a.it).changes ==
                ga_integrator_contact_stats(b.it).changes);
    free(bytes);
    close_run(&a);
    close_run(&b);
  }
  assert_true(lost > 0);
}

/* steps that are not cut: order 1, but the same motion; columns come to rest */
static void uncut_steps(void **state) {
  (void)state;
  run r;
  ga_options o = scene_options(&three_scene, "stab2", 0.9, 0);
  o.contact = GA_CONTACT_STEP;
  run_scene(&r, &three_scene, &o);
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(ga_integrator_contact(r.it, i).normal - (3 - i) * 9.81) <= 1e-7);
  }
  close_run(&r);
  o = scene_options(&double_scene, "stab2", 0.9, 2.5e-3);
  o.contact = GA_CONTACT_STEP;
  run_scene(&r, &double_scene, &o);
  const double *q = ga_integrator_state(r.it)->q;
  assert_true(fabs(q[0] - 0.5135931521) < 1e-2 && fabs(q[2] - 1.133293429) < 1e-2);
  close_run(&r);
  o = scene_options(&push_scene, "stab2", 0.9, 2.5e-3);
  o.contact = GA_CONTACT_STEP;
  run_scene(&r, &push_scene, &o);
  assert_true(fabs(ga_integrator_state(r.it)->q[0] - 1.488755011) < 1e-2);
  close_run(&r);
}

static void refuse(const scene *s, const ga_options *o, const char *text) {
  ga_space *space;
  ga_error err;
  ga_integrator *it = NULL;
  must(ga_space_rn(s->n, &space), NULL);
  const ga_model model = {.ops = &scene_ops,
                          .user = (void *)(size_t)s,
                          .space = space,
                          .nlam = s->nlam,
                          .npsi = s->npsi,
                          .contacts = s->contact,
                          .ncontacts = s->ncontacts};
  assert_true(ga_integrator_new(&model, o, &it, &err) != GA_OK);
  assert_non_null(strstr(err.text, text));
  ga_space_free(space);
}

static void settings_are_refused(void **state) {
  (void)state;
  ga_options o = scene_options(&push_scene, "hht", 0.9, 0);
  refuse(&push_scene, &o,
         "method 'hht' has no rows for friction: contact 'floor' has friction 0.4; take stab2, or "
         "friction: 0");
  o = scene_options(&ball_scene, "soi2", 0.9, 0);
  refuse(&ball_scene, &o, "method 'soi2' has no contacts");
  o = scene_options(&ball_scene, "stab2", 0.9, 0);
  o.contact = GA_CONTACT_STEP;
  o.rtol = 1e-4;
  refuse(&ball_scene, &o, "contact = step needs steps of given size");
  ga_error told;
  ga_extrapolator *x = NULL;
  ga_solution *y = NULL;
  const ga_model one = {.contacts = ball_scene.contact, .ncontacts = 1};
  o = scene_options(&ball_scene, "stab2", 0.9, 0);
  assert_int_equal(ga_extrapolator_new(&one, &o, 2, &x, &told), GA_ERR_ARG);
  assert_non_null(strstr(told.text, "extrapolation is not possible with contacts"));
  o.accuracy = 1e-4;
  assert_int_equal(ga_solution_new(&one, &o, &y, &told), GA_ERR_ARG);
  assert_non_null(strstr(told.text, "accuracy is not possible with contacts"));
  /* a gap that is closed at the start */
  scene closed = ball_scene;
  closed.q0[0] = -0.003;
  run r;
  o = scene_options(&closed, "stab2", 0.9, 0);
  ga_error err;
  memset(&r, 0, sizeof r);
  must(ga_space_rn(1, &r.space), NULL);
  r.model = (ga_model){.ops = &linear_ops,
                       .user = &closed,
                       .space = r.space,
                       .nlam = 1,
                       .contacts = closed.contact,
                       .ncontacts = 1};
  must(ga_integrator_new(&r.model, &o, &r.it, &err), &err);
  assert_int_equal(ga_integrator_start(r.it, 0, closed.q0, closed.v0), GA_ERR_INITIAL);
  assert_non_null(
      strstr(ga_integrator_error(r.it)->text, "contact 'floor' starts closed by 0.003"));
  close_run(&r);
}

/* automatic steps: the error is in proportion to rtol */
static void automatic_steps(void **state) {
  (void)state;
  run r;
  ga_options o = scene_options(&pendulum_scene, "stab2", 0.9, 0);
  o.rtol = 1e-5;
  run_scene(&r, &pendulum_scene, &o);
  const ga_state *s = ga_integrator_state(r.it);
  assert_true(fabs(s->q[0] - 0.5642816982) < 1e-4 && fabs(s->v[0] - 0.4307432356) < 1e-3);
  assert_true(ga_integrator_stats(r.it)->steps < 3000);
  close_run(&r);
}

/* the joint of a pendulum twice: with redundant = allow the same motion */
static void twice(const scene *s, point *p) {
  pendulum(s, p);
  p->g[2] = p->g[0], p->drift[2] = p->drift[0];
  for (int k = 0; k < 2; k++) p->G[2][k] = p->G[0][k];
}

static void joints_may_be_redundant(void **state) {
  (void)state;
  scene s = pendulum_scene;
  s.nlam = 3;
  s.at = twice;
  run a, b;
  ga_options o = scene_options(&s, "stab2", 0.9, 0);
  run_scene(&a, &pendulum_scene, &o);
  o.redundant = GA_REDUNDANT_ALLOW;
  run_scene(&b, &s, &o);
  for (int i = 0; i < 2; i++) {
    assert_true(fabs(ga_integrator_state(a.it)->q[i] - ga_integrator_state(b.it)->q[i]) <= 1e-10);
  }
  close_run(&a);
  close_run(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_contacts_are_refused), cmocka_unit_test(kinds_have_words),
      cmocka_unit_test(resumed_runs_are_equal),     cmocka_unit_test(uncut_steps),
      cmocka_unit_test(settings_are_refused),       cmocka_unit_test(automatic_steps),
      cmocka_unit_test(joints_may_be_redundant)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
