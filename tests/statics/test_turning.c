/* SPDX-License-Identifier: MIT */
/* Frequencies of structures that turn steadily, in axes that turn with them, against closed forms and
 * published values; what is no steady rotation is refused. */
#include <genalpha/ga_beam.h>

#include "mechanisms.h"

enum { MOST = 300 };

/* frequencies in rad/s, the slowest first; their number. status: what the linearization must return */
static int vibrations(const ga_mechanism *m, double t, const double *q, const double *v,
                      ga_status status, double *omega, ga_error *err) {
  double re[MOST], im[MOST];
  ga_modes modes = {.room = MOST, .re = re, .im = im};
  const ga_status found = ga_mechanism_modes(m, t, q, v, false, &modes, err);
  if (found != status) fail_msg("status %d: %s", (int)found, err->text);
  if (status != GA_OK) return 0;
  assert_true(modes.turning && !modes.unstable);
  int n = 0;
  for (int i = 0; i < modes.count; i++) {
    if (im[i] > 0) omega[n++] = im[i];
  }
  return n;
}

/* A pendulum of length l on a shaft that turns about the vertical with w. It stands at cos(theta) =
 * g/(w^2 l) and swings with w sin(theta). With a free shaft of inertia I, its momentum L about the
 * axis stays, and omega^2 = V''/(m l^2), V = L^2/(2 (I + m l^2 sin^2)) - m g l cos. */
static ga_mechanism *pendulum_on_shaft(ga_formulation formulation, ga_coordinates coordinates,
                                       bool driven, double theta) {
  const double w = 5, l = 0.8, tiny = 1e-9;
  ga_mechanism *m = mechanism_new((double[3]){0, 0, -9.81});
  assert_int_equal(ga_mechanism_set_coordinates(m, coordinates), GA_OK);
  assert_int_equal(ga_mechanism_set_formulation(m, formulation), GA_OK);
  ADD(body, m, .name = "shaft", .mass = 1, .inertia = {0.2, 0.3, 0.4},
      .angular_velocity = {0, 0, w});
  ADD(body, m, .name = "bob", .mass = 2, .inertia = {tiny, tiny, tiny},
      .position = {l * sin(theta), 0, -l * cos(theta)}, .velocity = {0, w * l * sin(theta), 0},
      .angular_velocity = {0, 0, w});
  ADD(joint, m, .name = "bearing", .type = "revolute", .between = {"ground", "shaft"},
      .axis = GA_IN_SPACE(0, 0, 1));
  ADD(joint, m, .name = "pin", .type = "revolute", .between = {"shaft", "bob"},
      .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(0, 1, 0));
  if (driven) {
    ADD(drive, m, .name = "motor", .coordinate = "bearing.angle", .position = {.text = "5*t"});
  }
  build(m);
  return m;
}

static void pendulum(void **state) {
  (void)state;
  const double w = 5, l = 0.8, g = 9.81, theta = acos(g / (w * w * l)), s = sin(theta);
  const double I = 0.4, r = 2 * l * l, J = I + r * s * s, L = J * w;
  /* J' = r sin 2 theta, J'' = 2 r cos 2 theta; V'' = L^2 (J'^2/J^3 - J''/(2 J^2)) + m g l cos */
  const double J1 = r * sin(2 * theta), J2 = 2 * r * cos(2 * theta);
  const double V2 = L * L * (J1 * J1 / (J * J * J) - J2 / (2 * J * J)) + 2 * g * l * cos(theta);
  for (int k = 0; k < 8; k++) {
    const bool joint = k / 4, driven = k & 2;
    ga_mechanism *m =
        pendulum_on_shaft(k & 1 ? GA_FORMULATION_SE3 : GA_FORMULATION_R3SO3,
                          joint ? GA_COORDINATES_JOINT : GA_COORDINATES_ABSOLUTE, driven, theta);
    double re[20], im[20], omega = 0;
    ga_error err = {0};
    ga_modes modes = {.room = 20, .re = re, .im = im};
    must(ga_mechanism_modes(m, 0, ga_mechanism_q0(m), ga_mechanism_v0(m), false, &modes, &err),
         &err);
    assert_true(modes.turning == !joint); /* angles of joints are those seen from the bodies */
    for (int i = 0; i < modes.count; i++) {
      if (im[i] > 0) omega = im[i];
      assert_true(fabs(re[i]) < 1e-4); /* of a free shaft a double zero, the root of rounding */
    }
    assert_near("frequency", omega, driven ? w * s : sqrt(V2 / r), 1e-8);
    ga_mechanism_free(m);
  }
}

/* Away from that angle it is no steady rotation. */
static void unsteady(void **state) {
  (void)state;
  ga_error err = {0};
  double none[1];
  ga_mechanism *m = pendulum_on_shaft(GA_FORMULATION_R3SO3, GA_COORDINATES_ABSOLUTE, true, 1);
  vibrations(m, 0, ga_mechanism_q0(m), ga_mechanism_v0(m), GA_ERR_INITIAL, none, &err);
  assert_non_null(strstr(err.text, "off that of a steady rotation"));
  ga_mechanism_free(m);
}

/* A blade of length 1 on a hub that turns with w, EI_y = 1 across the plane of rotation. damping: of
 * all strain rates */
static ga_mechanism *blade(double w, double EI_z, double damping) {
  enum { N = 16 };
  ga_mechanism *m = mechanism_new(NULL);
  ga_beam_node nodes[N + 1];
  ga_error err = {0};
  char turn[40];
  must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, N, nodes,
                    &err),
       &err);
  const ga_beam beam = {.name = "arm",
                        .elements = N,
                        .nodes = nodes,
                        .section = {.EA = 1e7,
                                    .GA = {1e7, 1e7},
                                    .GJ = 100,
                                    .EI = {1, EI_z},
                                    .rhoA = 1,
                                    .rhoI = {2e-7, 1e-7, 1e-7}},
                        .damping = {damping, damping, damping, damping, damping, damping},
                        .angular_velocity = {0, 0, w}};
  must(ga_mechanism_beam(m, &beam, &err), &err);
  ADD(body, m, .name = "hub", .mass = 1, .inertia = {1, 1, 1}, .angular_velocity = {0, 0, w});
  ADD(joint, m, .name = "bearing", .type = "revolute", .between = {"ground", "hub"},
      .axis = GA_IN_SPACE(0, 0, 1));
  ADD(joint, m, .name = "root", .type = "fixed", .between = {"hub", "arm.start"});
  snprintf(turn, sizeof turn, "%.17g*t", w);
  ADD(drive, m, .name = "motor", .coordinate = "bearing.angle", .position = {.text = turn});
  build(m);
  return m;
}

/* Wright, Smith, Thresher, Wang (1982), hub radius 0, slender beams: across the plane of rotation, with
 * EI = rhoA = L = 1. In the plane, with the same EI, omega^2 is less by w^2, exactly. Before the
 * modes the blade comes to rest in turning axes, by damping, as it is longer there. */
static void turning_blade(void **state) {
  (void)state;
  static const double published[][3] = {
      {1, 3.6816, 22.181}, {4, 5.5850, 24.273}, {12, 13.1702, 37.603}};
  for (int k = 0; k < 3; k++) {
    const double w = published[k][0];
    ga_mechanism *damped = blade(w, 1, 0.1), *m = blade(w, 1, 0);
    ga_options o = ga_options_default();
    ga_error err = {0};
    double omega[MOST];
    o.h = 0.01;
    o.par = ga_params_rho(0.5);
    ga_integrator *it = mechanism_started(damped, &o);
    must(ga_integrator_run(it, 20), ga_integrator_error(it));
    const ga_state *s = ga_integrator_state(it);
    assert_true(vibrations(m, s->t, s->q, s->v, GA_OK, omega, &err) > 4);
    print_message("w = %g: %.6f %.6f %.6f %.6f\n", w, omega[0], omega[1], omega[2], omega[3]);
    assert_near("in the plane", omega[0] * omega[0] + w * w, omega[1] * omega[1], 1e-5);
    assert_near("across, first", omega[1], published[k][1], 1e-4);
    assert_near("across, second", omega[3], published[k][2], 1e-4);
    /* before it has its length it is no steady rotation */
    vibrations(m, 0, ga_mechanism_q0(m), ga_mechanism_v0(m), GA_ERR_INITIAL, omega, &err);
    ga_integrator_free(it);
    ga_mechanism_free(damped);
    ga_mechanism_free(m);
  }
}

/* A disk at the end of a light shaft that is clamped in a turning bearing (Stodola). In r = y + i z and
 * its slope p, with the stiffness K of a cantilever:
 *   m r'' + k11 r + k12 p = 0,   I p'' - i J w p' + k21 r + k22 p = 0
 * whose frequencies s, r ~ exp(i s t), are roots of (k11 - m s^2)(k22 - I s^2 + J w s) = k12^2, two
 * forwards and two backwards. They are seen from space: the shaft is the same from all sides, though
 * the rows of its joints turn. */
static void whirl(void **state) {
  (void)state;
  const double mass = 2, I = 0.05, J = 0.09, EI = 100;
  const double k11 = 12 * EI, k12 = -6 * EI, k22 = 4 * EI;
  for (int k = 0; k < 3; k++) {
    const double w = k == 0 ? 20 : k == 1 ? 100 : 400;
    ga_mechanism *m = mechanism_new(NULL);
    ga_beam_node nodes[9];
    ga_error err = {0};
    must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){1, 0, 0}, NULL, 8, nodes, &err), &err);
    const ga_beam shaft = {.name = "shaft",
                           .elements = 8,
                           .nodes = nodes,
                           .section = {.EA = 1e7,
                                       .GA = {1e7, 1e7},
                                       .GJ = 100,
                                       .EI = {EI, EI},
                                       .rhoA = 1e-4,
                                       .rhoI = {2e-8, 1e-8, 1e-8}},
                           .angular_velocity = {w, 0, 0}};
    must(ga_mechanism_beam(m, &shaft, &err), &err);
    ADD(body, m, .name = "disk", .mass = mass, .inertia = {J, I, I}, .position = {1, 0, 0},
        .angular_velocity = {w, 0, 0});
    ADD(joint, m, .name = "bearing", .type = "revolute", .between = {"ground", "shaft.start"},
        .axis = GA_IN_SPACE(1, 0, 0));
    ADD(joint, m, .name = "seat", .type = "fixed", .between = {"shaft.end", "disk"});
    build(m);
    double re[MOST], im[MOST];
    ga_modes modes = {.room = MOST, .re = re, .im = im};
    must(ga_mechanism_modes(m, 0, ga_mechanism_q0(m), ga_mechanism_v0(m), false, &modes, &err),
         &err);
    assert_false(modes.turning);
    int whirls = 0;
    for (int i = 0; i < modes.count && whirls < 4; i++) {
      if (!(im[i] > 0) || fabs(im[i] - sqrt(100 / J)) < 1e-3) continue; /* torsion */
      double nearest = INFINITY; /* Newton's iteration from there, forwards and backwards */
      for (int side = -1; side < 2; side += 2) {
        double s = side * im[i];
        for (int it = 0; it < 5; it++) {
          const double a = k11 - mass * s * s, b = k22 - I * s * s + J * w * s;
          s -= (a * b - k12 * k12) / (-2 * mass * s * b + a * (J * w - 2 * I * s));
        }
        nearest = fmin(nearest, fabs(fabs(s) / im[i] - 1));
      }
      print_message("w = %g: %.6f, %.1e off\n", w, im[i], nearest);
      assert_true(nearest < 1e-4); /* the mass of the shaft is left out */
      whirls++;
    }
    assert_int_equal(whirls, 4);
    ga_mechanism_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pendulum), cmocka_unit_test(unsteady),
                                     cmocka_unit_test(turning_blade), cmocka_unit_test(whirl)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
