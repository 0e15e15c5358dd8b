/* SPDX-License-Identifier: MIT */
/* The check warns of beams with too few elements for their loads, and of no others: moments and
 * angles by hand, and the elastica of P L^2/EI = 10, whose root moment is 4.45 EI/L. */
#include "beams.h"
#include "mechanism/report/check_beams.h"

/* what was said last */
static char said[600];

static void hear(void *context, ga_log_level level, const char *text) {
  (void)context;
  assert_int_equal(level, GA_LOG_WARNING);
  snprintf(said, sizeof said, "%s", text);
}

/* A beam of length 1 and EI = 1 along x, clamped at the origin. */
struct cantilever {
  int elements;
  double force, moment; /* at the end, along -y and about z */
  double turn;          /* of the reference between neighbouring nodes, rad; 0: straight */
  double scale;         /* unit of length: m is this long */
};

/* Number of warnings of the beams of a cantilever. */
static int warnings_of(const struct cantilever *c) {
  const double L = c->scale, EI = L * L * L; /* in N L^2, N = kg L/s^2 */
  ga_mechanism *m = mechanism_new(NULL);
  ga_beam_node nodes[40], bent[40];
  ga_error err = {0};
  must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){L, 0, 0}, NULL, c->elements, nodes, &err),
       &err);
  if (c->turn > 0) {
    must(ga_beam_arc((double[3]){0, 0, 0}, (double[3]){1, 0, 0}, (double[3]){0, 1, 0},
                     L / (c->turn * c->elements), c->turn * c->elements, NULL, c->elements, bent,
                     &err),
         &err);
  }
  const ga_beam beam = {.name = "arm",
                        .elements = c->elements,
                        .nodes = nodes,
                        .reference = c->turn > 0 ? bent : NULL,
                        .section = {.EA = 1e6 * EI / (L * L),
                                    .GA = {1e6 * EI / (L * L), 1e6 * EI / (L * L)},
                                    .GJ = EI,
                                    .EI = {EI, EI},
                                    .rhoA = 1,
                                    .rhoI = {L * L, L * L, L * L}}};
  must(ga_mechanism_beam(m, &beam, &err), &err);
  ADD(joint, m, .name = "clamp", .type = "fixed", .between = {"ground", "arm.start"});
  ADD(force, m, .name = "push", .type = "force", .body = "arm.end",
      .value = {{.constant = 0}, {.constant = -c->force * EI / (L * L)}});
  ADD(force, m, .name = "turn", .type = "torque", .body = "arm.end",
      .value = {{.constant = 0}, {.constant = 0}, {.constant = c->moment * EI / L}});
  build(m);
  ga_check check;
  said[0] = 0;
  must(ga_mechanism_check(m, 0, m->q0, m->v0, NULL, NULL, &check, &err), &err);
  double weight[300], unit[300];
  int beams = 0;
  ga_mechanism_weights(m, weight, unit);
  const ga_check_place place = {0, m->q0, weight, unit};
  must(ga_check_beams(m, &place, hear, NULL, &beams, &err), &err);
  assert_int_equal(check.warnings, beams); /* nothing else is odd */
  ga_mechanism_free(m);
  return beams;
}

/* A constant moment M bends each of n elements by M L/(n EI). */
static void moments(void **state) {
  (void)state;
  for (int n = 2; n <= 4; n *= 2) {
    const double limit = n * pi_ / 6;
    assert_int_equal(warnings_of(&(struct cantilever){n, 0, 0.95 * limit, 0, 1}), 0);
    assert_int_equal(warnings_of(&(struct cantilever){n, 0, 1.2 * limit, 0, 1}), 1);
    assert_non_null(strstr(said, "Beam 'arm': at rest under the loads of the start"));
    assert_non_null(strstr(said, "by 36 degrees"));
    char words[60];
    snprintf(words, sizeof words, "use %d elements or more", (int)ceil(1.2 * n));
    assert_non_null(strstr(said, words));
  }
}

/* The elastica: h 4.45 rad at the root, whatever the number of elements. In all units. */
static void elastica(void **state) {
  (void)state;
  for (int n = 2; n <= 4; n += 2) {
    assert_int_equal(warnings_of(&(struct cantilever){n, 10, 0, 0, n == 2 ? 1 : 1e-6}), 1);
    assert_non_null(strstr(said, "its element 1"));
    assert_non_null(strstr(said, n == 2 ? "by 128 degrees" : "by 64 degrees"));
    assert_non_null(strstr(said, "use 9 elements"));
  }
  assert_int_equal(warnings_of(&(struct cantilever){9, 10, 0, 0, 1e3}), 0);
  assert_int_equal(warnings_of(&(struct cantilever){4, 0.1, 0, 0, 1}), 0);
}

/* A beam that is straight at the start, and an arc where it has no stress. */
static void reference(void **state) {
  (void)state;
  assert_int_equal(warnings_of(&(struct cantilever){4, 0, 0, 0.6, 1}), 1);
  assert_non_null(strstr(said, "Beam 'arm': at the start"));
  assert_non_null(strstr(said, "by 34 degrees"));
  assert_int_equal(warnings_of(&(struct cantilever){4, 0, 0, 0.5, 1}), 0);
}

/* The number of warnings about waves of angular frequency w of a free beam of length 1 with n elements. */
static int waves_of(const ga_beam_section *section, int n, double w, ga_beam_inertia_kind mass,
                    ga_beam_stiffness stiffness) {
  ga_mechanism *m = mechanism_new(NULL);
  ga_beam_node nodes[40];
  ga_error err = {0};
  must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){1, 0, 0}, NULL, n, nodes, &err), &err);
  const ga_beam beam = {.name = "arm",
                        .elements = n,
                        .nodes = nodes,
                        .section = *section,
                        .mass = mass,
                        .stiffness = stiffness};
  must(ga_mechanism_beam(m, &beam, &err), &err);
  build(m);
  said[0] = 0;
  const int warnings = ga_mechanism_check_waves(m, w / (2 * pi_), hear, NULL);
  ga_mechanism_free(m);
  return warnings;
}

/* Bending: 4 elements a wave, w = k^2 sqrt(EI/rhoA) with k h = pi/2; 16 with lumped masses or constant
 * strains. Torsion and stretching: 16, w = k sqrt(GJ/rhoI_x) or k sqrt(EA/rhoA). The softest counts. */
static void waves(void **state) {
  (void)state;
  const ga_beam_section slender = {
      .EA = 1e8, .GA = {1e8, 1e8}, .GJ = 4e3, .EI = {9, 4}, .rhoA = 2, .rhoI = {1e-5, 1e-5, 1e-5}};
  const double limit = 8 * pi_ / 2, w = limit * limit * sqrt(4.0 / 2);
  const ga_beam_inertia_kind whole = GA_BEAM_CONSISTENT;
  const ga_beam_stiffness best = GA_BEAM_FLEXIBILITY;
  assert_int_equal(waves_of(&slender, 8, 0.98 * w, whole, best), 0);
  assert_int_equal(waves_of(&slender, 8, 1.5 * w, whole, best), 1);
  assert_non_null(strstr(said, "Beam 'arm': at "));
  assert_non_null(strstr(said, "waves of bending have 3.3 elements each"));
  assert_non_null(strstr(said, "use 10 elements or more"));
  assert_int_equal(waves_of(&slender, 10, 1.5 * w, whole, best), 0);
  for (int k = 0; k < 2; k++) {
    const ga_beam_inertia_kind mass = k ? GA_BEAM_LUMPED : whole;
    const ga_beam_stiffness stiffness = k ? best : GA_BEAM_CONSTANT_STRAIN;
    assert_int_equal(waves_of(&slender, 8, 0.98 * w / 16, mass, stiffness), 0);
    assert_int_equal(waves_of(&slender, 8, 1.02 * w / 16, mass, stiffness), 1);
    assert_non_null(strstr(said, "use 9 elements"));
  }
  for (int k = 0; k < 2; k++) {
    ga_beam_section one = slender;
    if (k) one.GJ = 1e-3; /* sqrt(GJ/rhoI) = 10, sqrt(EA/rhoA) = 10 */
    if (!k) one.EA = 200, one.EI[0] = one.EI[1] = 1e6;
    const double own = 8 * pi_ / 8 * 10;
    assert_int_equal(waves_of(&one, 8, 0.98 * own, whole, best), 0);
    assert_int_equal(waves_of(&one, 8, 1.02 * own, whole, best), 1);
    assert_non_null(strstr(said, k ? "waves of torsion have 16 " : "waves of stretching have 16 "));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(moments), cmocka_unit_test(elastica),
                                     cmocka_unit_test(reference), cmocka_unit_test(waves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
