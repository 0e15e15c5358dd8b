/* SPDX-License-Identifier: MIT */
/* Contacts on problems with known motions: values of an independent integration with all changes
 * located (Runge-Kutta of order 8 to 1e-12). What closed forms give is in test_closed_forms.c.
 *
 *     contact_benchmarks print    all values, as a table */
#include "claims.h"
#include "contact_scenes.h"

/* Known values at the end, [errors of q and v with the h of the scene]; times of changes of some
 * kinds (contact -1: any), in their order. q and v may have 1.5 times the known error; times 5 times
 * that of q and that of v, at least 1e-8. */
enum { TIMES = 7 };
typedef struct {
  int kind, contact, n;
  double t[TIMES];
} times;
typedef struct {
  const scene *scene;
  double err_q, err_v;
  int nq, nv;
  double q[4], v[6];
  times changes[2];
} benchmark;

static const benchmark list[] = {
    {&pendulum_scene,
     1.5e-4,
     1.2e-3,
     2,
     2,
     {0.5642816982, -0.8255823188},
     {0.4307432356, 0.2944110102},
     {{GA_CONTACT_HIT, 0, 2, {0.5347844001, 1.5781090752}}}},
    {&double_scene,
     1.4e-4,
     9.6e-4,
     4,
     4,
     {0.5135931521, -0.8580338421, 1.133293429, -1.642872403},
     {-0.2993805996, -0.179200188, -0.8802008144, -0.6378097234},
     {{GA_CONTACT_HIT, 0, 1, {0.6353812297}}, {GA_CONTACT_HIT, 1, 1, {0.6805015261}}}},
    {&curve_scene,
     4.3e-5,
     1.2e-4,
     2,
     2,
     {-0.15573243, 0.2195791667},
     {-0.5839228283, 0.05013660377},
     {{0}}},
    {&stop_scene,
     6.2e-5,
     1.2e-4, /* that of the curve above */
     2,
     0,
     {0.0030140487, 0.1170472910},
     {0, 0},
     {{GA_CONTACT_STOP, 0, 1, {0.3480090391}}}},
    {&push_scene,
     3.5e-4,
     3.4e-4,
     1,
     1,
     {1.488755011},
     {2.764588265},
     {{GA_CONTACT_SLIDE, 0, 1, {0.1344131410}},
      {GA_CONTACT_STOP, 0, 2, {1.3786827287, 2.3860818093}}}},
    {&jerk_scene,
     2.1e-4,
     3.7e-3,
     1,
     1,
     {1.365972161},
     {0.2891003186},
     {{GA_CONTACT_SLIDE, 0, 4, {0.1962, 1.0984411106, 2.0006822212, 2.9029233318}},
      {GA_CONTACT_STOP, 0, 3, {0.9414811106, 1.8437222212, 2.7459633318}}}},
    {&block_scene,
     3.3e-5,
     3.6e-4,
     3,
     0,
     {0.03329725177, 0.610090316, -0.05501878906},
     {0},
     {{GA_CONTACT_HIT, -1, 2, {0.3649245728, 0.8989828168}}}},
    {&limit_scene,
     7.8e-4,
     1.3e-4,
     1,
     1,
     {0.01759073951},
     {-2.138809069},
     {{GA_CONTACT_HIT, 0, 2, {0.5906992162, 1.8846561504}}}},
    {&driven_scene,
     3.9e-4,
     5.0e-4,
     1,
     1,
     {0.489250351},
     {-0.05752180368},
     {{GA_CONTACT_HIT, 1, 3, {0.6215243517, 1.2550268742, 3.6812475865}},
      {GA_CONTACT_HIT, 0, 3, {1.8666792088, 2.3579461953, 2.6900185496}}}},
    {&woodpecker_scene,
     6.8e-6,
     2.0e-4,
     1,
     1,
     {-0.02068699855},
     {-0.3024639414},
     {{GA_CONTACT_HIT, 2, 2, {0.077877089, 0.0815744563}},
      {GA_CONTACT_HIT, 1, 2, {0.1186741574, 0.1213343822}}}},
    {&rod_scene,
     3.9e-5,
     3.6e-5,
     3,
     0,
     {0.24849883, 0.43387594, 1.0506609},
     {0},
     {{GA_CONTACT_JAM, 0, 1, {0}}}},
};

static void test_values(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof list / sizeof list[0]; n++) {
    const benchmark *b = &list[n];
    const char *name = b->scene->name;
    const double late = fmax(5 * b->err_q + b->err_v, 1e-8);
    run r;
    const ga_options o = scene_options(b->scene, "stab2", 0.9, 0);
    run_scene(&r, b->scene, &o);
    const ga_state *s = ga_integrator_state(r.it);
    for (int i = 0; i < b->nq; i++) claim(name, "q", s->q[i], b->q[i], 1.5 * b->err_q);
    for (int i = 0; i < b->nv; i++) claim(name, "v", s->v[i], b->v[i], 1.5 * b->err_v);
    for (int k = 0; k < 2 && b->changes[k].n; k++) {
      const times *c = &b->changes[k];
      double t[TIMES];
      const int found = times_of(&r, c->kind, c->contact, t, TIMES);
      claim(name, "changes of this kind", found, c->n, 0);
      for (int i = 0; i < c->n && i < found; i++) {
        claim(name, ga_contact_kind_name((ga_contact_kind)c->kind), t[i], c->t[i], late);
      }
    }
    close_run(&r);
  }
  claims_end();
}

/* Where friction holds, it holds. */
static void test_stop(void **state) {
  (void)state;
  run r;
  const ga_options o = scene_options(&stop_scene, "stab2", 0.9, 0);
  run_scene(&r, &stop_scene, &o);
  const double *v = ga_integrator_state(r.it)->v;
  claim(stop_scene.name, "speed at the end", hypot(v[0], v[1]), 0, 1e-15);
  claim(stop_scene.name, "sticks", ga_integrator_contact(r.it, 0).state, GA_CONTACT_STICK, 0);
  close_run(&r);
  claims_end();
}

/* N of a contact at the end, in the limit of small steps: (4 N(h/2) - N(h))/3, errors of order 2
 * taken out; what is left falls by 8 with h/2. */
static double limit_of_force(const scene *s, int contact, double h) {
  double N[2];
  for (int i = 0; i < 2; i++) {
    run r;
    const ga_options o = scene_options(s, "stab2", 0.9, ldexp(h, -i));
    run_scene(&r, s, &o);
    N[i] = ga_integrator_contact(r.it, contact).normal;
    close_run(&r);
  }
  return (4 * N[1] - N[0]) / 3;
}

/* What the pendulum loses: each hit (1 - e^2) v^2/2; v may have its error. */
static void test_energy(void **state) {
  (void)state;
  run r;
  const ga_options o = scene_options(&pendulum_scene, "stab2", 0.9, 0);
  double allowed = 0;
  run_scene(&r, &pendulum_scene, &o);
  for (int i = 0; i < r.nchange; i++) allowed += (1 - 0.64) * fabs(r.change[i].un_before) * 1.2e-3;
  claim(pendulum_scene.name, "energy lost", ga_integrator_contact_stats(r.it).energy_impacts,
        2.662488138, 1.5 * allowed);
  close_run(&r);
  claims_end();
}

/* Each hit of the block leaves 1 - 1.5 sin^2 a = 0.85 of its rate, tan a = 0.2/0.6. The corner that
 * hits comes with 0.4 times the rate before it, the other one leaves with 0.4 times that after it. */
static void test_block(void **state) {
  (void)state;
  const scene *s = &block_scene;
  const ga_options o = scene_options(s, "stab2", 0.9, 0);
  run r;
  run_scene(&r, s, &o);
  int pairs = 0;
  for (int i = 0; i < r.nchange; i++) {
    for (int k = 0; k < r.nchange; k++) {
      const ga_contact_change *hit = &r.change[i], *other = &r.change[k];
      if (hit->t != other->t || hit->contact == other->contact || hit->un_before > -1e-3) continue;
      claim(s->name, "rate after a hit over the rate before", -other->un_after / hit->un_before,
            0.85, 1e-8);
      pairs++;
    }
  }
  claim(s->name, "hits", pairs, 2, 0);
  claim(s->name, "rate", ga_integrator_state(r.it)->v[2], 0.2708583668, 1.5 * 3.6e-4);
  close_run(&r);
  claim(s->name, "N", limit_of_force(s, 1, 1.25e-3), 9.2540824, 1e-6);
  claims_end();
}

/* Painleve's rod: no force fits at the start, an impulse stops its slip; then it sticks. */
static void test_rod(void **state) {
  (void)state;
  const scene *s = &rod_scene;
  const ga_options o = scene_options(s, "stab2", 0.9, 0);
  run r;
  open_run(&r, s, &o);
  claim(s->name, "changes at the start", r.nchange, 1, 0);
  claim(s->name, "normal impulse", r.change[0].impulse_n, 0.7496802, 1e-7);
  claim(s->name, "impulse of friction", r.change[0].impulse_t1, 1.22810036, 1e-7);
  const ga_state *x = ga_integrator_state(r.it);
  claim(s->name, "vx at 0", x->v[0], -0.77189964, 1e-8);
  claim(s->name, "vy at 0", x->v[1], 0.7496802, 1e-7);
  claim(s->name, "rate at 0", x->v[2], 2.15206827, 1e-8);
  claim(s->name, "sticks", ga_integrator_contact(r.it, 0).state, GA_CONTACT_STICK, 0);
  must(ga_integrator_run(r.it, s->t_end), ga_integrator_error(r.it));
  x = ga_integrator_state(r.it);
  claim(s->name, "rate", x->v[2], 0.45304491, 1.5 * 3.6e-5);
  close_run(&r);
  claim(s->name, "N", limit_of_force(s, 0, 1.25e-3), 7.9035955, 1e-6);
  claims_end();
}

/* all changes of the woodpecker, its angle, rate and force at the end */
static void test_woodpecker(void **state) {
  (void)state;
  static const struct {
    int kind, contact;
    double t;
  } changes[] = {{GA_CONTACT_STOP, 1, 0.0216355982}, {GA_CONTACT_SLIDE, 1, 0.0612131159},
                 {GA_CONTACT_LIFT, 1, 0.0670225609}, {GA_CONTACT_HIT, 2, 0.077877089},
                 {GA_CONTACT_HIT, 0, 0.0809879197},  {GA_CONTACT_HIT, 2, 0.0815744563},
                 {GA_CONTACT_LIFT, 2, 0.0834154872}, {GA_CONTACT_HIT, 1, 0.1186741574},
                 {GA_CONTACT_HIT, 1, 0.1213343822}};
  enum { CHANGES = (int)(sizeof changes / sizeof changes[0]) };
  for (int n = 0; n < 2; n++) {
    const double q = n ? 4.3e-7 : 6.8e-6, v = n ? 1.3e-5 : 2e-4; /* errors that are known */
    const ga_options o = scene_options(&woodpecker_scene, "stab2", 0.9, n ? 3.125e-5 : 1.25e-4);
    run r;
    int seen = 0;
    run_scene(&r, &woodpecker_scene, &o);
    for (int i = 0; i < r.nchange && seen < CHANGES; i++) {
      const ga_contact_change *c = &r.change[i];
      if ((int)c->kind != changes[seen].kind || c->contact != changes[seen].contact) continue;
      claim("woodpecker", ga_contact_kind_name(c->kind), c->t, changes[seen].t, 5 * q + v);
      seen++;
    }
    claim("woodpecker", "changes", seen, CHANGES, 0);
    const ga_state *s = ga_integrator_state(r.it);
    claim("woodpecker", "y", s->q[0], -0.02068699855, 1.5 * q);
    claim("woodpecker", "y'", s->v[0], -0.3024639414, 1.5 * v);
    claim("woodpecker", "angle", s->q[2], -0.3103382401, 1.5 * v);
    claim("woodpecker", "rate", s->v[2], -7.888378638, 1.5 * v * 7.9 / 0.3);
    claim("woodpecker", "force", ga_integrator_contact(r.it, 1).normal, 0.29455932, 1.5 * v);
    close_run(&r);
  }
  claims_end();
}

/* A nearly level rod (mass 1, half length a = 1/2, J = 1/12) falls fast; restitution 0, no
 * friction. Its second end touches 1 ms after the first, within rest_time = h, but not by a flight
 * of O(h^2): it must not join. First impact: r = v/(1 + a^2 c^2/J), c = cos(angle), phi' = -a c
 * r/J, y' = r - v. Then the rod turns about the end that slides, (y'^2 + J phi'^2)/2 + g y = E, to
 * phi = 0 with phi'^2 (a^2 + J)/2 = E; there the impulse is a |phi'|. All energy of the start is
 * lost. */
static void test_fast_joining(void **state) {
  (void)state;
  const scene fall = {.name = "rod that falls",
                      .n = 3,
                      .nlam = 2,
                      .ncontacts = 2,
                      .contact = {{.name = "left", .gap = 0}, {.name = "right", .gap = 1}},
                      .at = corners,
                      .t_end = 0.3,
                      .h = 0.008,
                      .q0 = {0, 0.3, 0.004},
                      .v0 = {0, -1, 0},
                      .number = {0.5, 0, 1.0 / 12}};
  const double a = 0.5, J = 1.0 / 12, c = cos(0.004), low = a * sin(0.004);
  const double v = sqrt(1 + 2 * g * (0.3 - low)), first = v / (1 + a * a * c * c / J);
  const double turn = a * c * first / J;
  const double E = (pow(first - v, 2) + J * turn * turn) / 2 + g * low;
  const double impulse = first + a * sqrt(2 * E / (a * a + J));
  for (int halved = 0; halved < 3; halved++) {
    run r;
    double sum = 0, lost = 0;
    const ga_options o = scene_options(&fall, "stab2", 0.9, ldexp(fall.h, -halved));
    run_scene(&r, &fall, &o);
    for (int i = 0; i < r.nchange; i++) {
      sum += r.change[i].impulse_n;
      lost += r.change[i].energy;
    }
    claim("rod that falls", "impulse", sum, impulse, 1e-7);
    claim("rod that falls", "energy", lost, 0.5 + g * 0.3, 2e-7);
    claim("rod that falls", "energy of impacts", ga_integrator_contact_stats(r.it).energy_impacts,
          lost, 1e-12);
    close_run(&r);
  }
  claims_end();
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),      cmocka_unit_test(test_stop),
      cmocka_unit_test(test_energy),      cmocka_unit_test(test_block),
      cmocka_unit_test(test_rod),         cmocka_unit_test(test_woodpecker),
      cmocka_unit_test(test_fast_joining)};
  claims_begin(argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
