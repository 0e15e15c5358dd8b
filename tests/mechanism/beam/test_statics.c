/* SPDX-License-Identifier: MIT */
/* Beams at rest: benchmarks with the digits that other implementations have at equal numbers of
 * elements, order 4 in space, buckling, frequencies, a run from a loaded equilibrium. */
#include "clamped_beam.h"

static void benchmarks(void **state) {
  (void)state;
  double x[3];
  const double EI = 1e7 / 12;
  clamped bend = {
      .n = 8,
      .bend = true,
      .section =
          {.EA = 1e7, .GA = {5e6, 5e6}, .GJ = EI, .EI = {EI, EI}, .rhoA = 1, .rhoI = {1, 1, 1}},
      .force = {0, 0, 600}};
  assert_int_equal(tip_at_rest(&bend, x), 0);
  near3("bend", x, 47.150743943, 15.684627117, 53.475224406, 1e-9);
  bend.stiffness = GA_BEAM_CONSTANT_STRAIN;
  tip_at_rest(&bend, x);
  near3("bend, constant strain", x, 47.23184843, 15.71111880, 53.33318262, 1e-9);
  const clamped elastica = {.n = 4, .section = UNIT_SECTION, .force = {0, -10, 0}};
  assert_int_equal(tip_at_rest(&elastica, x), 0);
  near3("elastica", x, 0.44522337776, -0.81086588370, 0, 1e-9);
  const clamped weight = {.n = 4, .section = UNIT_SECTION, .gravity = {0, -20, 0}};
  assert_int_equal(tip_at_rest(&weight, x), 0);
  near3("own weight", x, 0.44622721672, -0.83034008106, 0, 1e-9);
  const clamped load = {.n = 4, .section = UNIT_SECTION, .load = {0, -20, 0}};
  assert_int_equal(tip_at_rest(&load, x), 0);
  near3("the same as a load", x, 0.44622721672, -0.83034008106, 0, 1e-9);
}

/* A straight start whose stress-free shape is an arc of radius 1, angle 1: at rest it is that arc, and
 * a torque EI/R straightens it. */
static void curved_reference(void **state) {
  (void)state;
  double x[3];
  clamped c = {
      .n = 3,
      .section = {.EA = 1e3, .GA = {1e3, 1e3}, .GJ = 1, .EI = {1, 1}, .rhoA = 1, .rhoI = {1, 1, 1}},
      .curved = true};
  tip_at_rest(&c, x);
  near3("arc", x, sin(1), 1 - cos(1), 0, 1e-12);
  c.torque[2] = -1;
  tip_at_rest(&c, x);
  near3("straightened", x, 1, 0, 0, 1e-12);
}

/* Kelvin-Voigt damping beta is C = beta K: a mode of frequency w is damped by beta w/2. */
static void damping(void **state) {
  (void)state;
  const double beta = 0.02;
  clamped c = {.n = 3,
               .section = {.EA = 1e3,
                           .GA = {500, 400},
                           .GJ = 1,
                           .EI = {1, 2},
                           .rhoA = 1,
                           .rhoI = {0.02, 0.01, 0.01}}};
  double w[2][24], decay[24];
  int n[2];
  for (int k = 0; k < 2; k++) {
    c.damping = k ? beta : 0;
    ga_mechanism *m = clamped_beam(&c);
    double re[50], im[50];
    ga_modes modes = {.room = 50, .re = re, .im = im};
    ga_error err = {0};
    must(ga_mechanism_modes(m, 0, ga_mechanism_q0(m), ga_mechanism_v0(m), false, &modes, &err),
         &err);
    n[k] = 0;
    for (int i = 0; i < modes.count && n[k] < 6; i++) {
      if (!(im[i] > 0)) continue;
      w[k][n[k]] = hypot(re[i], im[i]);
      decay[n[k]++] = -re[i];
    }
    ga_mechanism_free(m);
  }
  assert_true(n[0] == 6 && n[1] == 6);
  for (int i = 0; i < 6; i++) {
    assert_near("frequency", w[1][i], w[0][i], 1e-9);
    assert_near("decay", decay[i], 0.5 * beta * w[0][i] * w[0][i], 1e-8);
  }
}

/* An end moment 2 pi EI/L closes a circle with any number of elements from 3 on. */
static void roll_up(void **state) {
  (void)state;
  for (int n = 3; n < 9; n += 5) {
    double x[3];
    const clamped c = {
        .n = n,
        .section =
            {.EA = 1e3, .GA = {1e3, 1e3}, .GJ = 1, .EI = {1, 1}, .rhoA = 1, .rhoI = {1, 1, 1}},
        .torque = {0, 0, 2 * pi_}};
    tip_at_rest(&c, x);
    for (int i = 0; i < 3; i++) assert_true(fabs(x[i]) < 1e-13);
  }
}

/* Order 4 in space of the elastica and of the bend, and order 2 of the published element. */
static void order_in_space(void **state) {
  (void)state;
  static const ga_beam_section bent = {.EA = 1e7,
                                       .GA = {5e6, 5e6},
                                       .GJ = 1e7 / 12,
                                       .EI = {1e7 / 12, 1e7 / 12},
                                       .rhoA = 1,
                                       .rhoI = {1, 1, 1}};
  static const double limit[2][3] = {{0.44500440225, -0.81061902488, 0},
                                     {47.15043857, 15.68480053, 53.47485879}};
  for (int k = 0; k < 4; k++) {
    const bool bend = k / 2;
    double error[3] = {0};
    for (int i = 0; i < 3; i++) {
      double x[3];
      clamped c = {.n = 4 << i,
                   .section = UNIT_SECTION,
                   .stiffness = k % 2 ? GA_BEAM_CONSTANT_STRAIN : GA_BEAM_FLEXIBILITY,
                   .force = {0, -10, 0}};
      if (bend) c.section = bent, c.bend = true, c.force[1] = 0, c.force[2] = 600;
      tip_at_rest(&c, x);
      for (int d = 0; d < 3; d++) error[i] = hypot(error[i], x[d] - limit[bend][d]);
    }
    const double order = log2(error[1] / error[2]);
    assert_true(fabs(order - (k % 2 ? 2 : 4)) < 0.2);
    assert_true(k % 2 || error[0] < (bend ? 1e-2 : 4e-4));
  }
}

/* Thin beams, EA L^2/EI to 1e10: the tip tends to that of an inextensible beam, by a term of EI/EA. Before
 * equilibria judged steps by corrections of the configuration, these ended anywhere on the way. */
static void thin(void **state) {
  (void)state;
  double limit[3] = {0};
  for (double EA = 1e10; EA > 1e6; EA /= 10) {
    double x[3];
    clamped c = {.n = 8, .section = UNIT_SECTION, .force = {0, -10, 0}};
    c.section.EA = c.section.GA[0] = c.section.GA[1] = EA;
    assert_int_equal(tip_at_rest(&c, x), 0);
    if (EA == 1e10) memcpy(limit, x, sizeof limit);
    print_message("EA L^2/EI = %.0e: %.1e from the limit\n", EA,
                  hypot(x[0] - limit[0], x[1] - limit[1]));
    assert_true(hypot(x[0] - limit[0], x[1] - limit[1]) < 1e-8 + 10 / EA);
  }
  near3("inextensible, 8 elements", limit, 0.4450185719, -0.8106202838, 0, 1e-8);
}

/* Lateral buckling: one eigenvalue becomes negative between these loads (4.0433730 with 8 elements). */
static void buckling(void **state) {
  (void)state;
  for (int above = 0; above < 2; above++) {
    double x[3];
    const clamped c = {
        .n = 8,
        .section =
            {.EA = 1e8, .GA = {1e8, 1e8}, .GJ = 1, .EI = {1, 1e6}, .rhoA = 1, .rhoI = {1, 1, 1}},
        .force = {0, above ? -4.0433740 : -4.0433720, 0}};
    assert_int_equal(tip_at_rest(&c, x), above);
  }
}

static void frequencies(void **state) {
  (void)state;
  static const double hertz[] = {16.70673490, 33.38188293, 104.8937814};
  const clamped c = {.n = 4,
                     .section = {.EA = 1.68e8,
                                 .GA = {53846153.846, 53846153.846},
                                 .GJ = 5918.769230769,
                                 .EI = {5600, 22400},
                                 .rhoA = 6.28,
                                 .rhoI = {1.0466667e-3, 2.0933333e-4, 8.3733333e-4}}};
  double f[3];
  lowest_frequencies(&c, f);
  for (int i = 0; i < 3; i++) assert_near("frequency", f[i], hertz[i], 1e-9);
}

/* A run from a loaded equilibrium, whose reference is not its start, stays there. */
static void run_from_rest(void **state) {
  (void)state;
  const clamped c = {
      .n = 4,
      .section =
          {.EA = 1e3, .GA = {1e3, 1e3}, .GJ = 1, .EI = {1, 1}, .rhoA = 1, .rhoI = {.01, .01, .01}},
      .force = {0, -3, 1},
      .torque = {0, 0.2, 0},
      .curved = true};
  ga_mechanism *m = clamped_beam(&c);
  const ga_model *model = ga_mechanism_model(m);
  double q[35], v[30] = {0};
  ga_error err = {0};
  memcpy(q, ga_mechanism_q0(m), sizeof q);
  must(ga_mechanism_equilibrium(m, 0, q, NULL, &err), &err);
  ga_options o = ga_options_default();
  o.h = 0.01;
  ga_integrator *it = NULL;
  must(ga_integrator_new(model, &o, &it, &err), &err);
  assert_int_equal(ga_integrator_start(it, 0, q, v), GA_OK);
  assert_int_equal(ga_integrator_run(it, 1), GA_OK);
  for (int i = 0; i < 35; i++) assert_true(fabs(ga_integrator_state(it)->q[i] - q[i]) < 1e-9);
  ga_integrator_free(it);
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(benchmarks),       cmocka_unit_test(thin),
      cmocka_unit_test(curved_reference), cmocka_unit_test(damping),
      cmocka_unit_test(roll_up),          cmocka_unit_test(order_in_space),
      cmocka_unit_test(buckling),         cmocka_unit_test(frequencies),
      cmocka_unit_test(run_from_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
