/* SPDX-License-Identifier: MIT */
/* Motions with contacts that closed forms give: piecewise parabolas, which steps of any size follow to rounding.
 *
 *     contact_closed_forms print    all values, as a table */
#include "claims.h"
#include "contact_scenes.h"

enum { STEPS = 3, MOST_TIMES = 12 };
static const double steps[STEPS] = {0.1, 0.01, 0.0037}, mu_sphere = 0.2, radius = 0.1;

/* Times of changes to 1e-12 of the spans here (below 2 s), as they are located; positions and velocities likewise. */
static const double EXACT = 1e-12, TIME = 1e-9;

static void start(run *r, const scene *s, double h) {
  const ga_options o = scene_options(s, "stab2", 0.9, h);
  open_run(r, s, &o);
}

static void go_on(run *r, double t) {
  must(ga_integrator_run(r->it, t), ga_integrator_error(r->it));
}

static void claim_times(const run *r, const char *name, int kind, int contact, int n,
                        const double *known) {
  double t[MOST_TIMES];
  const int found = times_of(r, kind, contact, t, MOST_TIMES);
  claim(name, "changes of this kind", found, n, 0);
  for (int i = 0; i < n && i < found; i++) claim(name, "time", t[i], known[i], TIME);
}

/* z = 1 - g t^2/2, then e^n of the first velocity after n hits */
static void test_ball(void **state) {
  (void)state;
  for (int n = 0; n < STEPS; n++) {
    run r;
    double t = sqrt(2 / g), u = sqrt(2 * g), hits[3];
    for (int i = 0; i < 3; i++) hits[i] = t, u *= 0.8, t += 2 * u / g;
    const double last = 2 - hits[2];
    start(&r, &ball_scene, steps[n]);
    go_on(&r, 2);
    const ga_state *s = ga_integrator_state(r.it);
    claim("ball", "z", s->q[0], u * last - g * last * last / 2, EXACT);
    claim("ball", "v", s->v[0], u - g * last, EXACT);
    claim_times(&r, "ball", GA_CONTACT_HIT, 0, 3, hits);
    close_run(&r);
  }
  claims_end();
}

/* Restitution 1/2: the series ends at 3 sqrt(2/g). The last bounce is one whose next flight is shorter than h; the
 * flights that are left out would take 1 + 1/2 + 1/4 .. of that: rest comes at most 2 h before the end. */
static void test_rest(void **state) {
  (void)state;
  run r;
  double t[MOST_TIMES];
  const double h = 0.01, end = 3 * sqrt(2 / g);
  start(&r, &rest_scene, h);
  go_on(&r, 2);
  const ga_contact_state c = ga_integrator_contact(r.it, 0);
  const int n = times_of(&r, GA_CONTACT_HIT, 0, t, MOST_TIMES);
  claim("ball, e = 0.5", "z", ga_integrator_state(r.it)->q[0], 0, EXACT);
  claim("ball, e = 0.5", "N", c.normal, g, 1e-9);
  claim("ball, e = 0.5", "closed", c.state, GA_CONTACT_SLIP, 0);
  claim("ball, e = 0.5", "impacts (at most 9)", n, 5, 4);
  assert_true(n >= 1 && n <= 9);
  claim("ball, e = 0.5", "at rest from", t[n - 1], end - h, h);
  close_run(&r);
  claims_end();
}

/* Up a slope of angle a: t = v/(g (sin a + mu cos a)), v t/2. mu > tan a: it sticks there; else it slides down with
 * g (sin a - mu cos a). */
static void test_incline(void **state) {
  (void)state;
  const scene *const scenes[] = {&up_scene, &down_scene};
  for (int k = 0; k < 2; k++) {
    const double a = scenes[k]->number[0], mu = scenes[k]->contact[0].friction;
    const double top = 2 / (g * (sin(a) + mu * cos(a))), down = g * (sin(a) - mu * cos(a));
    const double late = k ? scenes[k]->t_end - top : 0;
    const char *name = scenes[k]->name;
    for (int n = 0; n < STEPS; n++) {
      run r;
      start(&r, scenes[k], steps[n]);
      go_on(&r, scenes[k]->t_end);
      const ga_state *s = ga_integrator_state(r.it);
      claim(name, "x", s->q[0], top - down * late * late / 2, EXACT);
      claim(name, "v", s->v[0], -down * late, EXACT);
      claim(name, "sticks", ga_integrator_contact(r.it, 0).state == GA_CONTACT_STICK, !k, 0);
      claim_times(&r, name, GA_CONTACT_STOP, 0, 1, &top);
      close_run(&r);
    }
  }
  claims_end();
}

/* A homogeneous sphere that skids: u0 = (vx - r wy, vy + r wx); it rolls from t = (2/7)|u0|/(mu g), with
 * v0 - (2/7) u0. */
static void test_sphere(void **state) {
  (void)state;
  const scene *const scenes[] = {&roll_scene, &turn_scene};
  for (int k = 0; k < 2; k++) {
    const scene *s = scenes[k];
    const double u[2] = {s->v0[0] - radius * s->v0[4], s->v0[1] + radius * s->v0[3]};
    const double roll = 2.0 / 7 * hypot(u[0], u[1]) / (mu_sphere * g);
    for (int n = 0; n < STEPS; n++) {
      run r;
      start(&r, s, steps[n]);
      go_on(&r, s->t_end);
      const ga_state *x = ga_integrator_state(r.it);
      for (int i = 0; i < 2; i++) {
        const double v = s->v0[i] - 2.0 / 7 * u[i];
        claim(s->name, i ? "y" : "x", x->q[i], (s->v0[i] + v) / 2 * roll + v * (s->t_end - roll),
              EXACT);
        claim(s->name, i ? "vy" : "vx", x->v[i], v, EXACT);
        /* it rolls: vx = r wy, vy = -r wx */
        claim(s->name, i ? "wx" : "wy", x->v[4 - i], (i ? -v : v) / radius, 1e-11);
      }
      claim(s->name, "wz", x->v[5], s->v0[5], EXACT);
      claim_times(&r, s->name, GA_CONTACT_STOP, 0, 1, &roll);
      close_run(&r);
    }
  }
  claims_end();
}

/* The sphere falls with slip u = v - r w: the first hit with velocity c gives friction mu (1 + e) c, less than the
 * (2/7) u that ends the slip; the second one grips: u = 0, the others as (2/7) u of what was left. */
static void test_bounce_with_spin(void **state) {
  (void)state;
  const double e = 0.7, c = sqrt(2 * g * 0.5), f = mu_sphere * (1 + e) * c, hit = c / g;
  const double second = hit + 2 * e * c / g, left = 5 - 3.5 * f;
  const double v1 = 1 - f, v2 = v1 - 2.0 / 7 * left, late = 1 - second, up = e * e * c;
  const double hits[2] = {hit, second};
  assert_true(f < 2.0 / 7 * 5 && 2.0 / 7 * left < mu_sphere * (1 + e) * e * c);
  for (int n = 0; n < STEPS; n++) {
    run r;
    start(&r, &spin_scene, steps[n]);
    go_on(&r, 1);
    const ga_state *s = ga_integrator_state(r.it);
    claim(spin_scene.name, "x", s->q[0], hit + v1 * (second - hit) + v2 * late, EXACT);
    claim(spin_scene.name, "z", s->q[2], radius + up * late - g * late * late / 2, EXACT);
    claim(spin_scene.name, "vx = -3/7", s->v[0], -3.0 / 7, EXACT);
    claim(spin_scene.name, "wy = -30/7", s->v[4], -30.0 / 7, 1e-11);
    claim_times(&r, spin_scene.name, GA_CONTACT_HIT, 0, 2, hits);
    close_run(&r);
  }
  claims_end();
}

/* Two balls over a floor: both fall freely between hits, so that their distance changes linearly; at a hit of equal
 * masses their mean velocity stays and the relative one is times -e. */
static void test_two_balls(void **state) {
  (void)state;
  const double e = 0.8, a = 0.05;
  double z[2] = {0.1, 0.3}, v[2] = {0}, t = 0, hits[MOST_TIMES];
  int n = 0;
  for (;;) {
    const double floor = (v[0] + sqrt(v[0] * v[0] + 2 * g * (z[0] - a))) / g;
    const double kiss = v[1] < v[0] ? (z[1] - z[0] - 2 * a) / (v[0] - v[1]) : INFINITY;
    const double dt = fmin(fmin(floor, kiss), two_scene.t_end - t);
    for (int i = 0; i < 2; i++) z[i] += v[i] * dt - g * dt * dt / 2, v[i] -= g * dt;
    t += dt;
    if (t >= two_scene.t_end) break;
    hits[n++] = t;
    if (floor < kiss) {
      z[0] = a, v[0] *= -e;
    } else {
      const double mean = (v[0] + v[1]) / 2, half = e * (v[0] - v[1]) / 2;
      v[0] = mean - half, v[1] = mean + half;
    }
  }
  claim(two_scene.name, "hits of the closed form", n, 7, 0);
  for (int k = 0; k < STEPS; k++) {
    run r;
    ga_options o = scene_options(&two_scene, "stab2", 0.9, steps[k]);
    o.rest_time = 1e-6; /* h = 0.1 is longer than the flights */
    open_run(&r, &two_scene, &o);
    go_on(&r, two_scene.t_end);
    for (int i = 0; i < 2; i++) {
      claim(two_scene.name, "z", ga_integrator_state(r.it)->q[i], z[i], EXACT);
      claim(two_scene.name, "v", ga_integrator_state(r.it)->v[i], v[i], 1e-11);
    }
    claim_times(&r, two_scene.name, GA_CONTACT_HIT, -1, n, hits);
    close_run(&r);
  }
  claims_end();
}

/* Three balls come to rest on each other, with steps that are cut and with others. */
static void test_three_balls(void **state) {
  (void)state;
  for (int uncut = 0; uncut < 2; uncut++) {
    run r;
    ga_options o = scene_options(&three_scene, "stab2", 0.9, 0);
    o.contact = uncut ? GA_CONTACT_STEP : GA_CONTACT_LOCATE;
    open_run(&r, &three_scene, &o);
    go_on(&r, three_scene.t_end);
    for (int i = 0; i < 3; i++) {
      claim(uncut ? "three balls, contact: step" : "three balls", "N",
            ga_integrator_contact(r.it, i).normal, (3 - i) * g, 1e-8);
      claim("three balls", "v", ga_integrator_state(r.it)->v[i], 0, 1e-9);
    }
    close_run(&r);
  }
  claims_end();
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ball),
                                     cmocka_unit_test(test_rest),
                                     cmocka_unit_test(test_incline),
                                     cmocka_unit_test(test_sphere),
                                     cmocka_unit_test(test_bounce_with_spin),
                                     cmocka_unit_test(test_two_balls),
                                     cmocka_unit_test(test_three_balls)};
  claims_begin(argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
