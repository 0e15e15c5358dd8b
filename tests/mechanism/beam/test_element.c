/* SPDX-License-Identifier: MIT */
/* Beams in mechanisms: derivatives of M, F and all rows in the generic suite, at states up to 0.9 pi;
 * momentum, angular momentum, energy, free fall and rigid motions to rounding; what is refused. */
#include "beams.h"
#include "element_settings.h"
#include "mechanism/mechanism.h"

/* Two bodies and two beams of every option with all kinds of joints, forces, sensors and drives. */
static ga_mechanism *crowd(ga_formulation formulation, ga_beam_inertia_kind mass,
                           ga_beam_stiffness stiffness) {
  ga_mechanism *m = bodies_of(&settings[1]);
  ga_beam_node nodes[3], straight[3];
  ga_error err = {0};
  must(ga_beam_arc((double[3]){0, 0, 0}, (double[3]){1, 0.5, 0}, (double[3]){-0.5, 1, 0.3}, 1.5,
                   1.2, NULL, 2, nodes, &err),
       &err);
  must(ga_beam_line((double[3]){1, 1, 1}, (double[3]){2, 1.5, 0}, (double[3]){1, 1, 1}, 2, straight,
                    &err),
       &err);
  ga_beam arc = {.name = "arc",
                 .elements = 2,
                 .nodes = nodes,
                 .section = soft,
                 .stiffness = stiffness,
                 .mass = mass,
                 .formulation = formulation,
                 .damping = {0.1, 0.2, 0.1, 0.3, 0.1, 0.2},
                 .load = {1, -2, 0.5}};
  must(ga_mechanism_beam(m, &arc, &err), &err);
  ga_beam line = {.name = "line", .elements = 2, .nodes = straight, .section = soft};
  must(ga_mechanism_beam(m, &line, &err), &err);
  ADD(joint, m, .name = "weld", .type = "fixed", .between = {"one", "arc.start"});
  ADD(joint, m, .name = "pin", .type = "revolute", .between = {"arc.end", "line.start"},
      .at = GA_IN_SPACE(1, 2, 0), .axis = GA_IN_SPACE(1, 1, 0));
  ADD(joint, m, .name = "ball", .type = "spherical", .between = {"line.end", "two"});
  want(m, "pin.angle");
  ADD(drive, m, .name = "motor", .coordinate = "pin.angle", .rate = {.text = "sin(t)"});
  ADD(force, m, .name = "push", .type = "force", .body = "arc.n1", .at = GA_ON_A(0.1, 0.2, 0.3),
      .value = {{.text = "3*cos(t) + line.end.x"}, {.constant = -2}, {.constant = 1}});
  ADD(force, m, .name = "turn", .type = "torque", .body = "line.n1", .frame = GA_FORCE_BODY,
      .value = {{.constant = 1}, {.text = "t"}, {.constant = 3}});
  ADD(force, m, .name = "spring", .type = "spring", .between = {"arc.n1", "line.n1"},
      .stiffness = 7, .damping = 0.4);
  ADD(sensor, m, .name = "tip", .type = "point", .body = "line.n1", .at = GA_ON_A(0, 0.1, 0));
  return m;
}

/* Derivatives of all that a model gives, and the pattern of M, in the suite of the problems. */
static void derivatives(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    char text[64];
    snprintf(text, sizeof text, "%s, %s, %s", k & 1 ? "r3so3" : "se3",
             k & 2 ? "lumped" : "consistent", k == 2 ? "constant strain" : "flexibility");
    ga_mechanism *m = crowd(k & 1 ? GA_FORMULATION_R3SO3 : GA_FORMULATION_SE3, (k & 2) / 2,
                            k == 2 ? GA_BEAM_CONSTANT_STRAIN : GA_BEAM_FLEXIBILITY);
    check(m, text);
  }
}

/* At states in which each element is bent and turned by up to 0.9 pi. */
static void derivatives_far(void **state) {
  (void)state;
  unsigned seed = 11;
  for (int k = 0; k < 4; k++) {
    ga_mechanism *m = free_beam(k & 1, (k & 2) / 2, 4);
    const ga_model *model = ga_mechanism_model(m);
    for (int trial = 0; trial < 9; trial++) {
      double q[35], v[30];
      bent_state(&seed, 4, 0.1 * (trial + 1), q, v);
      ga_error err = {0};
      must(ga_model_check_derivatives(model, 0.3, q, v, NULL, &err), &err);
    }
    ga_mechanism_free(m);
  }
}

/* R^3 x SO(3) and SE(3): the same forces, energies and columns at the same state. */
static void formulations(void **state) {
  (void)state;
  for (int mass = 0; mass < 2; mass++) {
    double q[35], v[30], w[30], vd[2][30];
    unsigned seed = 5;
    bent_state(&seed, 4, 0.6, q, v);
    for (int k = 0; k < 2; k++) {
      ga_mechanism *m = free_beam(k, mass, 4);
      memcpy(w, v, sizeof w);
      for (int i = 0; k && i < 5; i++) { /* x' = R u */
        ga_quat_rotate(q + 7 * i + 3, v + 6 * i, w + 6 * i);
      }
      acceleration(ga_mechanism_model(m), q, w, vd[k]);
      for (int i = 0; !k && i < 5; i++) { /* x'' = R (u' + Omega x u) */
        double *u = vd[0] + 6 * i;
        ga_add_cross3(1, v + 6 * i + 3, v + 6 * i, u);
        ga_quat_rotate(q + 7 * i + 3, u, u);
      }
      ga_mechanism_free(m);
    }
    double size = ga_max_abs(30, vd[0]);
    for (int i = 0; i < 30; i++) assert_true(fabs(vd[0][i] - vd[1][i]) < 1e-9 * size);
  }
}

/* Derivatives of `count` columns, number `at` on, by the time s at s = 0 of the path q o exp(s v + s^2/2
 * v'), v + s v'. Central differences over s = 0.04, 0.02, .., extrapolated in s^2: what is left is
 * O(s^12) and rounding, some 1e-13. */
static void rates(const ga_mechanism *m, const double *q, const double *v, const double *vd, int at,
                  int count, double *rate) {
  enum { LEVELS = 6, MOST = 8 };
  const ga_space *space = ga_mechanism_model(m)->space;
  double d[LEVELS][MOST], values[2][600];
  assert_true(count <= MOST);
  for (int level = 0; level < LEVELS; level++) {
    const double s = 0.04 / (1 << level);
    for (int side = 0; side < 2; side++) {
      const double h = side ? s : -s;
      double w[30], q1[35], v1[30];
      for (int i = 0; i < 30; i++) w[i] = h * v[i] + 0.5 * h * h * vd[i], v1[i] = v[i] + h * vd[i];
      ga_space_step(space, q, w, q1);
      const ga_state state = {.t = 0, .q = q1, .v = v1, .vd = vd};
      assert_int_equal(ga_mechanism_outputs(m, &state, values[side]), GA_OK);
    }
    for (int i = 0; i < count; i++) d[level][i] = (values[1][at + i] - values[0][at + i]) / (2 * s);
    for (int k = 1; k <= level; k++) { /* d[level - k] <- extrapolated k times */
      for (int i = 0; i < count; i++) {
        double *low = &d[level - k][i];
        *low = d[level - k + 1][i] + (d[level - k + 1][i] - *low) / (exp2(2 * k) - 1);
      }
    }
  }
  memcpy(rate, d[0], (size_t)count * sizeof *rate);
}

/* F and M together conserve momentum, angular momentum and energy: along the flow v' = M^-1 F their
 * columns do not change, to rounding. */
static void invariants(void **state) {
  (void)state;
  unsigned seed = 3;
  for (int k = 0; k < 8; k++) {
    ga_mechanism *m = free_beam(k & 1, (k & 2) / 2, 4);
    const ga_model *model = ga_mechanism_model(m);
    double q[35], v[30], vd[30], F[30], rate[8];
    bent_state(&seed, 4, k < 4 ? 0.3 : 0.7, q, v);
    acceleration(model, q, v, vd);
    assert_int_equal(ga_model_evaluate(model, 0, q, v, &(ga_evaluation){.F = F}), 0);
    /* velocities are about 1, so a force is a power, and a moment about a point 1 m away */
    const double size = ga_max_abs(30, F);
    rates(m, q, v, vd, ga_mechanism_column_index(m, "energy.kinetic"), 1, rate);
    assert_true(fabs(rate[0]) > 1e-3 * size);
    rates(m, q, v, vd, ga_mechanism_column_index(m, "energy.total"), 7, rate);
    const double worst = ga_max_abs(7, rate);
    print_message("rates of energy and momenta: %.1e of the forces, %.3g\n", worst / size, size);
    assert_true(worst < 3e-12 * size);
    ga_mechanism_free(m);
  }
}

/* Elastic forces have no resultant and no moment. */
static void balance(void **state) {
  (void)state;
  unsigned seed = 13;
  ga_mechanism *m = free_beam(false, 0, 4);
  for (int trial = 1; trial < 10; trial++) {
    double q[35], v[30], F[30], sum[6] = {0}, size = 0;
    bent_state(&seed, 4, 0.1 * trial, q, v);
    memset(v, 0, sizeof v);
    assert_int_equal(ga_model_evaluate(ga_mechanism_model(m), 0, q, v, &(ga_evaluation){.F = F}),
                     0);
    for (int i = 0; i < 5; i++) {
      double f[3], moment[3];
      ga_quat_rotate(q + 7 * i + 3, F + 6 * i, f);
      ga_quat_rotate(q + 7 * i + 3, F + 6 * i + 3, moment);
      ga_add_cross3(1, q + 7 * i, f, moment);
      for (int k = 0; k < 3; k++) sum[k] += f[k], sum[3 + k] += moment[k];
      size = fmax(size, ga_max_abs(6, F + 6 * i));
    }
    assert_true(ga_max_abs(6, sum) < 1e-13 * size);
  }
  ga_mechanism_free(m);
}

/* A bent beam in free fall stays as it is, and one that moves with a constant velocity feels nothing:
 * no false moment rhoA w^2 h^2 kappa/6. */
static void free_fall(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    ga_mechanism *m = mechanism_new((double[3]){1, -2, 3});
    ga_beam_node nodes[4];
    ga_error err = {0};
    must(ga_beam_arc((double[3]){0, 0, 0}, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, 1, 2, NULL,
                     3, nodes, &err),
         &err);
    const ga_beam beam = {.name = "arc",
                          .elements = 3,
                          .nodes = nodes,
                          .section = soft,
                          .mass = (ga_beam_inertia_kind)(k / 2),
                          .formulation = k % 2 ? GA_FORMULATION_R3SO3 : GA_FORMULATION_SE3,
                          .velocity = {100, 50, -70}};
    must(ga_mechanism_beam(m, &beam, &err), &err);
    build(m);
    const ga_model *model = ga_mechanism_model(m);
    double vd[24], values[600];
    acceleration(model, ga_mechanism_q0(m), ga_mechanism_v0(m), vd);
    const ga_state s = {.q = ga_mechanism_q0(m), .v = ga_mechanism_v0(m), .vd = vd};
    assert_int_equal(ga_mechanism_outputs(m, &s, values), GA_OK);
    static const char *const column[] = {"arc.start.ax", "arc.start.ay", "arc.n1.az", "arc.end.alx",
                                         "arc.n2.aly",   "arc.end.alz",  "arc.n0.ax"};
    static const double expected[] = {1, -2, 3, 0, 0, 0, 1};
    for (int i = 0; i < 7; i++) {
      const int c = ga_mechanism_column_index(m, column[i]);
      assert_true(c >= 0);
      assert_true(fabs(values[c] - expected[i]) < 1e-11);
      assert_true(fabs(ga_mechanism_output(m, &s, c) - expected[i]) < 1e-11);
    }
    ga_mechanism_free(m);
  }
}

/* A run of a bent beam in free fall: all nodes move by v t + g t^2/2 and do not turn, to rounding. */
static void falling_run(void **state) {
  (void)state;
  static const double v[3] = {3, 5, -7}, g[3] = {1, -2, 3};
  for (int k = 0; k < 8; k++) {
    ga_mechanism *m = mechanism_new(g);
    ga_beam_node nodes[4];
    ga_error err = {0};
    must(ga_beam_arc((double[3]){1, 2, 3}, (double[3]){1, 1, 0}, (double[3]){-1, 1, 2}, 1, 2, NULL,
                     3, nodes, &err),
         &err);
    const ga_beam beam = {.name = "arc",
                          .elements = 3,
                          .nodes = nodes,
                          .section = soft,
                          .mass = (ga_beam_inertia_kind)(k / 2 % 2),
                          .formulation = k % 2 ? GA_FORMULATION_R3SO3 : GA_FORMULATION_SE3,
                          .velocity = {v[0], v[1], v[2]}};
    must(ga_mechanism_beam(m, &beam, &err), &err);
    build(m);
    ga_options o = ga_options_default();
    o.h = 0.01;
    o.method = k / 4 ? "index3" : "stab2";
    ga_integrator *it = mechanism_started(m, &o);
    must(ga_integrator_run(it, 1), ga_integrator_error(it));
    const ga_state *s = ga_integrator_state(it);
    double worst = 0;
    for (int i = 0; i < 4; i++) {
      for (int c = 0; c < 3; c++) {
        const double x = nodes[i].position[c] + v[c] + 0.5 * g[c];
        worst = fmax(worst, fabs(s->q[7 * i + c] - x));
      }
      for (int c = 0; c < 4; c++) {
        worst = fmax(worst, fabs(s->q[7 * i + 3 + c] - ga_mechanism_q0(m)[7 * i + 3 + c]));
      }
    }
    print_message("fall by 5.5 m: %.1e m off\n", worst);
    assert_true(worst < 1e-13);
    ga_integrator_free(it);
    ga_mechanism_free(m);
  }
}

/* A tip force P along x: s1.N = P, and the clamp takes -P. */
static void signs(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(NULL);
  ga_beam_node nodes[3];
  ga_error err = {0};
  must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){2, 0, 0}, NULL, 2, nodes, &err), &err);
  const ga_beam beam = {.name = "arm", .elements = 2, .nodes = nodes, .section = soft};
  must(ga_mechanism_beam(m, &beam, &err), &err);
  ADD(joint, m, .name = "clamp", .type = "fixed", .between = {"ground", "arm.start"});
  ADD(force, m, .name = "pull", .type = "force", .body = "arm.end", .value = {{.constant = 1.5}});
  build(m);
  const ga_model *model = ga_mechanism_model(m);
  double q[21], v[18] = {0}, vd[18] = {0}, lam[6], values[600];
  memcpy(q, ga_mechanism_q0(m), sizeof q);
  ga_equilibrium e = {.lam = lam};
  must(ga_mechanism_equilibrium(m, 0, q, &e, &err), &err);
  assert_true(fabs(q[14] - 2 * (1 + 1.5 / soft.EA)) < 1e-12);
  const ga_state s = {.q = q, .v = v, .vd = vd, .lam = lam};
  assert_int_equal(ga_mechanism_outputs(m, &s, values), GA_OK);
  assert_true(fabs(values[ga_mechanism_column_index(m, "arm.s1.N")] - 1.5) < 1e-9);
  assert_true(fabs(values[ga_mechanism_column_index(m, "clamp.fx")] + 1.5) < 1e-9);
  assert_string_equal(ga_mechanism_column_unit(m, ga_mechanism_column_index(m, "arm.n1.vx")),
                      "m/s");
  assert_string_equal(ga_mechanism_column_unit(m, ga_mechanism_column_index(m, "arm.s2.Mz")),
                      "N m");
  assert_int_equal(model->nlam, 6);
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives),  cmocka_unit_test(derivatives_far),
      cmocka_unit_test(formulations), cmocka_unit_test(invariants),
      cmocka_unit_test(balance),      cmocka_unit_test(free_fall),
      cmocka_unit_test(falling_run),  cmocka_unit_test(signs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
