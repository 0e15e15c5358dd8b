/* SPDX-License-Identifier: MIT */
/* Beams in motion: order 2 in q, v, v' and lam with fixed, revolute and spherical joints and with a
 * closed loop, with stab2 and index3, on SE(3) and on R^3 x SO(3). */
#include "beams.h"

/* Two beams, joined to each other and to the ground by joints of one type; type NULL: clamped and
 * hinged, and closed to a loop by a rod on two balls. */
static ga_mechanism *two_beams(const char *type, ga_formulation formulation) {
  static const ga_beam_section section = {
      .EA = 400, .GA = {200, 200}, .GJ = 5, .EI = {6, 6}, .rhoA = 1, .rhoI = {0.02, 0.01, 0.01}};
  ga_mechanism *m = mechanism_new((double[3]){0, -3, 1});
  ga_beam_node one[3], two[3];
  ga_error err = {0};
  must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){1, 0, 0}, NULL, 2, one, &err), &err);
  must(ga_beam_line((double[3]){1, 0, 0}, (double[3]){1, 1, 0}, NULL, 2, two, &err), &err);
  ga_beam b = {.name = "one",
               .elements = 2,
               .nodes = one,
               .section = section,
               .formulation = formulation,
               .damping = {0.01, 0.01, 0.01, 0.01, 0.01, 0.01}};
  must(ga_mechanism_beam(m, &b, &err), &err);
  b.name = "two", b.nodes = two;
  must(ga_mechanism_beam(m, &b, &err), &err);
  ADD(joint, m, .name = "root", .type = type ? type : "fixed", .between = {"ground", "one.start"},
      .axis = GA_IN_SPACE(0.2, 0.3, 1));
  ADD(joint, m, .name = "middle", .type = type ? type : "revolute",
      .between = {"one.end", "two.start"}, .axis = GA_IN_SPACE(0, 0.3, 1));
  if (!type) {
    ADD(body, m, .name = "rod", .mass = 1, .inertia = {0.1, 0.1, 0.1}, .position = {1.5, 1, 0});
    ADD(joint, m, .name = "ball", .type = "spherical", .between = {"two.end", "rod"},
        .at = GA_IN_SPACE(1, 1, 0));
    ADD(joint, m, .name = "end", .type = "spherical", .between = {"ground", "rod"},
        .at = GA_IN_SPACE(2, 1, 0));
  }
  build(m);
  return m;
}

enum { FIELDS = 4, RUNS = 3 };

/* x[0..3] <- q, v, v', lam at t = 0.5; count: how many numbers each has */
static void run(const ga_mechanism *m, const char *method, double h, double (*x)[60], int *count) {
  ga_options o = ga_options_default();
  const ga_model *model = ga_mechanism_model(m);
  o.h = h;
  o.method = method;
  ga_integrator *it = mechanism_started(m, &o);
  must(ga_integrator_run(it, 0.5), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  const double *const field[FIELDS] = {s->q, s->v, s->vd, s->lam};
  count[0] = ga_space_nq(model->space);
  count[1] = count[2] = ga_space_nv(model->space);
  count[3] = model->nlam;
  for (int f = 0; f < FIELDS; f++) {
    assert_true(count[f] > 0 && count[f] <= 60);
    memcpy(x[f], field[f], (size_t)count[f] * sizeof(double));
  }
  ga_integrator_free(it);
}

/* h, h/2 and h/4: errors of order 2 differ by factors of 4. The next terms, of h, are below 5 % of
 * a factor two. */
static void order(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3"}, *const types[] = {"fixed", "revolute",
                                                                              "spherical", NULL};
  for (int k = 0; k < 16; k++) {
    const char *method = methods[k / 2 % 2], *type = types[k / 4];
    ga_mechanism *m = two_beams(type, k & 1 ? GA_FORMULATION_R3SO3 : GA_FORMULATION_SE3);
    double x[RUNS][FIELDS][60];
    int count[FIELDS];
    for (int i = 0; i < RUNS; i++) run(m, method, 1e-3 / (1 << i), x[i], count);
    for (int f = 0; f < FIELDS; f++) {
      double apart[2] = {0};
      for (int i = 0; i < 2; i++) {
        for (int c = 0; c < count[f]; c++) {
          apart[i] = fmax(apart[i], fabs(x[i + 1][f][c] - x[i][f][c]));
        }
      }
      const double seen = log2(apart[0] / apart[1]);
      print_message("%s, %s, %s, field %d: %.3g %.3g, order %.3f\n", type ? type : "loop", method,
                    k & 1 ? "R^3 x SO(3)" : "SE(3)", f, apart[0], apart[1], seen);
      assert_true(seen > 1.95 && seen < 2.05);
    }
    ga_mechanism_free(m);
  }
}

/* Newton iterations a step of a beam of 10 m with n elements in space, clamped, pulled, or both free
 * and pulled, from rest at h = 1e-3; *roundoff: steps accepted as rounding */
static double iterations(int n, bool clamped, const char *pull, long *roundoff) {
  static const ga_beam_section section = {.EA = 2.8e7,
                                          .GA = {1e7, 1e7},
                                          .GJ = 1.4e4,
                                          .EI = {1.4e4, 1.4e4},
                                          .rhoA = 1.2,
                                          .rhoI = {1.2e-3, 6e-4, 6e-4}};
  ga_mechanism *m = mechanism_new((double[3]){0, 0, 0});
  ga_beam_node *nodes = calloc((size_t)n + 1, sizeof *nodes);
  ga_error err = {0};
  must(ga_beam_line((double[3]){6, 0, 1}, (double[3]){0, 8, 1}, NULL, n, nodes, &err), &err);
  const ga_beam b = {.name = "arm", .elements = n, .nodes = nodes, .section = section};
  must(ga_mechanism_beam(m, &b, &err), &err);
  if (clamped) {
    ADD(joint, m, .name = "clamp", .type = "fixed", .between = {"ground", "arm.start"});
  }
  ADD(force, m, .name = "pull", .type = "force", .body = "arm.end",
      .value = {{.text = pull}, {.text = "0"}, {.text = pull}});
  build(m);
  ga_options o = ga_options_default();
  o.h = 1e-3;
  o.par = ga_params_rho(0.8);
  ga_integrator *it = mechanism_started(m, &o);
  must(ga_integrator_run(it, 0.02), ga_integrator_error(it));
  const ga_stats *stats = ga_integrator_stats(it);
  const double mean = (double)stats->newton_its / (double)stats->steps;
  *roundoff = stats->roundoff;
  print_message("%d elements%s: %.2f iterations a step, %ld by rounding, %ld matrices\n", n,
                clamped ? ", clamped" : "", mean, stats->roundoff, stats->matrices);
  ga_integrator_free(it);
  ga_mechanism_free(m);
  free(nodes);
  return mean;
}

/* The stiffness of an element against stretching, EA/h, is 3e9 N/m with 1000 elements: a rounding of
 * positions of 10 m changes its force by 6e-6 N. No iteration tries to make residuals smaller. */
static void many_elements(void **state) {
  (void)state;
  for (int n = 10; n <= 1000; n *= 10) {
    long roundoff;
    assert_true(iterations(n, true, "1000*t^2", &roundoff) <= 2);
    assert_true(iterations(n, false, "1000*t^2", &roundoff) <= 2);
    if (n == 1000) assert_true(roundoff >= 19);
  }
}

/* A beam of n elements along x, L = 1, with this section and joint at its start. */
static ga_mechanism *straight(int n, const ga_beam_section *section, const char *joint,
                              const double *gravity) {
  ga_mechanism *m = mechanism_new(gravity);
  ga_beam_node nodes[9];
  ga_error err = {0};
  must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){1, 0, 0}, NULL, n, nodes, &err), &err);
  const ga_beam b = {.name = "arm", .elements = n, .nodes = nodes, .section = *section};
  must(ga_mechanism_beam(m, &b, &err), &err);
  ADD(joint, m, .name = "root", .type = joint, .between = {"ground", "arm.start"},
      .axis = GA_IN_SPACE(0, 0, 1));
  return m;
}

/* A torque rolls a beam up. One element cannot follow beyond 0.95 pi: the step is refused in words, the
 * state stays that of the last step. Four elements can. */
static void turned_too_far(void **state) {
  (void)state;
  static const ga_beam_section section = {
      .EA = 100, .GA = {100, 100}, .GJ = 1, .EI = {1, 1}, .rhoA = 1, .rhoI = {0.1, 0.1, 0.1}};
  for (int n = 1; n <= 4; n += 3) {
    ga_mechanism *m = straight(n, &section, "fixed", NULL);
    ADD(force, m, .name = "roll", .type = "torque", .body = "arm.end",
        .value = {{.text = "0"}, {.text = "0"}, {.text = "4*t"}});
    build(m);
    ga_options o = ga_options_default();
    o.h = 1e-2;
    o.par = ga_params_rho(0.5);
    ga_integrator *it = mechanism_started(m, &o);
    const ga_status status = ga_integrator_run(it, 1.2);
    const ga_state *s = ga_integrator_state(it);
    if (n == 1) {
      const char *text = ga_integrator_error(it)->text;
      print_message("status %d at t = %g: %s\n", (int)status, s->t, text);
      assert_true(status > 0 && s->t > 0.5 && s->t < 1.2);
      assert_non_null(strstr(text, "'arm.s1'"));
      assert_non_null(strstr(text, "use more elements"));
      assert_true(fabs(2 * atan2(s->q[13], s->q[10])) < 0.951 * pi_); /* of the end node */
    } else {
      assert_int_equal(status, GA_OK);
    }
    ga_integrator_free(it);
    ga_mechanism_free(m);
  }
}

/* A thin beam, EA L^2/EI = 1e10, falls about a pin from rest: it keeps its energy, and its tip
 * follows a rigid rod of the same mass, phi'' = -(3 g/2 L) cos(phi), as far as it bends, by some g
 * rho L^4/EI. */
static void thin(void **state) {
  (void)state;
  static const ga_beam_section section = {.EA = 1e12,
                                          .GA = {5e11, 5e11},
                                          .GJ = 100,
                                          .EI = {100, 100},
                                          .rhoA = 1,
                                          .rhoI = {2e-10, 1e-10, 1e-10}};
  ga_mechanism *m = straight(8, &section, "revolute", (double[3]){0, -1, 0});
  build(m);
  ga_options o = ga_options_default();
  o.h = 1e-3;
  o.par = ga_params_rho(0.8);
  ga_integrator *it = mechanism_started(m, &o);
  must(ga_integrator_run(it, 0.3), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  double phi = 0, w = 0, kin, pot; /* the rod by Stoermer-Verlet */
  for (int k = 0; k < 30000; k++) {
    w -= 0.5e-5 * 1.5 * cos(phi);
    phi += 1e-5 * w;
    w -= 0.5e-5 * 1.5 * cos(phi);
  }
  const ga_model *model = ga_mechanism_model(m);
  assert_int_equal(model->ops->energy(model->user, s->t, s->q, s->v, &kin, &pot), 0);
  print_message("energy %.2e of %.3g, tip %.2e from that of a rod\n", kin + pot, kin,
                s->q[57] - sin(phi));
  assert_true(fabs(kin + pot) < 1e-6 * kin);
  assert_true(fabs(s->q[57] - sin(phi)) < 1e-3);
  ga_integrator_free(it);
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(order), cmocka_unit_test(many_elements),
                                     cmocka_unit_test(turned_too_far), cmocka_unit_test(thin)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
