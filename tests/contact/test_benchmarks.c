/* SPDX-License-Identifier: MIT */
/* Contacts on problems with known motions: exact ones, and values of an independent integration
 * with all changes located (Runge-Kutta of order 8 to 1e-12). */
#include "contact_scenes.h"

/* ---- values --------------------------------------------------------------------------------- */

static void near(const char *what, double value, double expected, double tol) {
  if (!(fabs(value - expected) <= tol)) {
    print_message("%s: %.12g, expected %.12g, error %.2g > %.2g\n", what, value, expected,
                  fabs(value - expected), tol);
  }
  assert_true(fabs(value - expected) <= tol);
}

/* Values of a benchmark at its h: q and v at the end, [errors of q and v], times of changes. */
typedef struct {
  const scene *scene;
  int nq, nv;
  double q[4], v[4], err_q, err_v;
  int kind, ntimes;
  double t[8];
  const char *method;
} values;

static const values list[] = {
    {&ball_scene,
     1,
     1,
     {0.260741728327},
     {-0.165869135836},
     1e-12,
     1e-12,
     GA_CONTACT_HIT,
     3,
     {0.4515236410, 1.1739614666, 1.7519117270},
     "stab2"},
    {&pendulum_scene,
     2,
     2,
     {0.5642816982, -0.8255823188},
     {0.4307432356, 0.2944110102},
     1.5e-4,
     1.2e-3,
     GA_CONTACT_HIT,
     2,
     {0.5347844001, 1.5781090752},
     "stab2"},
    {&double_scene,
     4,
     4,
     {0.5135931521, -0.8580338421, 1.133293429, -1.642872403},
     {-0.2993805996, -0.179200188, -0.8802008144, -0.6378097234},
     1.4e-4,
     9.6e-4,
     GA_CONTACT_HIT,
     2,
     {0.6353812297, 0.6805015261},
     "stab2"},
    {&down_scene,
     1,
     1,
     {-0.362398577095},
     {-1.72404198883},
     1e-12,
     1e-12,
     GA_CONTACT_STOP,
     1,
     {0.2683226552},
     "stab2"},
    {&up_scene,
     1,
     1,
     {0.2511171603},
     {0},
     1e-10,
     1e-12,
     GA_CONTACT_STOP,
     1,
     {0.2511171603},
     "stab2"},
    {&push_scene,
     1,
     1,
     {1.488755011},
     {2.764588265},
     3.5e-4,
     3.4e-4,
     GA_CONTACT_STOP,
     2,
     {1.3786827287, 2.3860818093},
     "stab2"},
    {&jerk_scene,
     1,
     1,
     {1.365972161},
     {0.2891003186},
     2.1e-4,
     3.7e-3,
     GA_CONTACT_SLIDE,
     4,
     {0.1962, 0.1962 + 0.7452811106 + 0.15696, 0.1962 + 2 * (0.7452811106 + 0.15696), 0},
     "stab2"},
    {&curve_scene,
     2,
     2,
     {-0.15573243, 0.2195791667},
     {-0.5839228283, 0.05013660377},
     4.3e-5,
     1.2e-4,
     0,
     0,
     {0},
     "stab2"},
    {&stop_scene,
     2,
     2,
     {0.0030140487, 0.1170472910},
     {0, 0},
     6.2e-5,
     1e-4,
     GA_CONTACT_STOP,
     1,
     {0.3480090391},
     "stab2"},
    {&roll_scene,
     1,
     1,
     {0.9772285673},
     {4.0 / 7},
     1e-10,
     1e-12,
     GA_CONTACT_STOP,
     1,
     {0.7281199942},
     "stab2"},
    {&turn_scene,
     2,
     2,
     {1.320559800, 0.4443918602},
     {4.0 / 7, 0},
     1e-9,
     1e-12,
     GA_CONTACT_STOP,
     1,
     {0.8887837204},
     "stab2"},
    {&spin_scene,
     1,
     0,
     {0.1900871831},
     {0},
     1e-10,
     1e-12,
     GA_CONTACT_HIT,
     2,
     {0.3192754284, 0.7662610282},
     "stab2"},
    {&block_scene,
     3,
     0,
     {0.03329725177, 0.610090316, -0.05501878906},
     {0},
     3.3e-5,
     3.6e-4,
     GA_CONTACT_HIT,
     2,
     {0.3649245728, 0.8989828168},
     "stab2"},
    {&limit_scene,
     1,
     1,
     {0.01759073951},
     {-2.138809069},
     7.8e-4,
     1.3e-4,
     GA_CONTACT_HIT,
     2,
     {0.5906992162, 1.8846561504},
     "stab2"},
    {&driven_scene,
     1,
     1,
     {0.489250351},
     {-0.05752180368},
     3.9e-4,
     5.0e-4,
     GA_CONTACT_HIT,
     6,
     {0.6215243517, 1.2550268742, 1.8666792088, 2.3579461953, 2.6900185496, 3.6812475865},
     "stab2"},
    {&two_scene,
     2,
     0,
     {0.05635020166, 0.1594409265},
     {0},
     1e-10,
     1e-12,
     GA_CONTACT_HIT,
     7,
     {0.1009637555, 0.1570547307, 0.1769275444, 0.1975108228, 0.2497170713, 0.3651072087,
      0.396755169},
     "stab2"},
    {&woodpecker_scene,
     1,
     1,
     {-0.02068699855},
     {-0.3024639414},
     6.8e-6,
     2.0e-4,
     GA_CONTACT_HIT,
     5,
     {0.077877089, 0.0809879197, 0.0815744563, 0.1186741574, 0.1213343822},
     "stab2"},
    {&rod_scene,
     3,
     0,
     {0.24849883, 0.43387594, 1.0506609},
     {0},
     3.9e-5,
     3.6e-5,
     GA_CONTACT_JAM,
     1,
     {0},
     "stab2"},
};

static void test_values(void **state) {
  (void)state;
  int failed = 0;
  for (size_t n = 0; n < sizeof list / sizeof list[0]; n++) {
    const values *x = &list[n];
    run r;
    double t[8];
    const ga_options o = scene_options(x->scene, x->method, 0.9, 0);
    open_run(&r, x->scene, &o);
    ga_status status = ga_integrator_run(r.it, x->scene->t_end);
    if (status != GA_OK) {
      print_message("%s: %s\n", x->scene->name, ga_integrator_error(r.it)->text);
      failed++;
      close_run(&r);
      continue;
    }
    const ga_state *s = ga_integrator_state(r.it);
    double q = 0, v = 0, late = 0;
    for (int i = 0; i < x->nq; i++) q = fmax(q, fabs(s->q[i] - x->q[i]));
    for (int i = 0; i < x->nv; i++) v = fmax(v, fabs(s->v[i] - x->v[i]));
    const int times = x->ntimes ? times_of(&r, x->kind, -1, t, 8) : 0;
    int wanted = x->ntimes;
    while (wanted > 1 && x->t[wanted - 1] == 0) wanted--;
    for (int i = 0; i < wanted && i < times; i++) late = fmax(late, fabs(t[i] - x->t[i]));
    const double allowed = fmax(5 * x->err_q + x->err_v, 1e-8);
    const bool good =
        q <= 1.5 * x->err_q && v <= 1.5 * x->err_v && late <= allowed && times >= wanted;
    if (!good) {
      print_message("%s: q %.2g (%.2g), v %.2g (%.2g), times %.2g (%.2g), %d of %d changes\n",
                    x->scene->name, q, x->err_q, v, x->err_v, late, allowed, times, wanted);
    }
    failed += !good;
    close_run(&r);
  }
  assert_int_equal(failed, 0);
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
      near("woodpecker: time of a change", c->t, changes[seen++].t, 5 * q + v);
    }
    assert_int_equal(seen, CHANGES);
    const ga_state *s = ga_integrator_state(r.it);
    near("woodpecker: angle", s->q[2], -0.3103382401, 1.5 * v);
    near("woodpecker: rate", s->v[2], -7.888378638, 1.5 * v * 7.9 / 0.3);
    near("woodpecker: force", ga_integrator_contact(r.it, 1).normal, 0.29455932, 1.5 * v);
    close_run(&r);
  }
}

/* a ball comes to rest, its weight is on the floor */
static void test_rest(void **state) {
  (void)state;
  run r;
  const ga_options o = scene_options(&rest_scene, "stab2", 0.9, 0);
  run_scene(&r, &rest_scene, &o);
  const ga_contact_state c = ga_integrator_contact(r.it, 0);
  assert_int_equal(c.state, GA_CONTACT_SLIP);
  near("rest: z", c.gap, 0, 1e-12);
  near("rest: N", c.normal, g, 1e-9);
  assert_true(ga_integrator_contact_stats(r.it).impacts <= 9);
  close_run(&r);
  const ga_options p = scene_options(&three_scene, "stab2", 0.9, 0);
  run_scene(&r, &three_scene, &p);
  for (int i = 0; i < 3; i++) {
    near("three balls: N", ga_integrator_contact(r.it, i).normal, (3 - i) * g, 1e-8);
  }
  close_run(&r);
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
    near("rod that falls: impulse", sum, impulse, 1e-7);
    near("rod that falls: energy", lost, 0.5 + g * 0.3, 2e-7);
    near("rod that falls: energy of impacts", ga_integrator_contact_stats(r.it).energy_impacts,
         lost, 1e-12);
    close_run(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),
                                     cmocka_unit_test(test_woodpecker), cmocka_unit_test(test_rest),
                                     cmocka_unit_test(test_fast_joining)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
