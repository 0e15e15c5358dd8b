/* SPDX-License-Identifier: MIT */
/* ga_mechanism_beam and what makes its description: names, nodes on lines and arcs, sections of
 * shapes, velocities; every mistake is refused with a sentence and leaves the mechanism as it was. */
#include "beams.h"

static ga_beam_node line[4];

static ga_beam plain(void) {
  ga_error err = {0};
  must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){3, 0, 0}, NULL, 3, line, &err), &err);
  return (ga_beam){.name = "arm", .elements = 3, .nodes = line, .section = soft};
}

static void refuse(const ga_beam *beam, const char *text) {
  ga_mechanism *m = mechanism_new(NULL);
  ga_error err = {0};
  assert_refused(ga_mechanism_beam(m, beam, &err), &err, GA_ERR_ARG, "arm", text);
  /* nothing is left behind: the same name can be used */
  const ga_beam good = plain();
  must(ga_mechanism_beam(m, &good, &err), &err);
  assert_int_equal(ga_mechanism_bodies(m), 4);
  ga_mechanism_free(m);
}

static void mistakes(void **state) {
  (void)state;
  ga_beam b = plain();
  b.elements = 0;
  refuse(&b, "at least 1 element");
  b = plain();
  b.section.EI[1] = 0;
  refuse(&b, "EI of the section is 0");
  b = plain();
  b.section.rhoI[0] = -1;
  refuse(&b, "rhoI of the section is -1");
  double K[36] = {0};
  for (int i = 0; i < 6; i++) K[7 * i] = 1;
  b = plain();
  b.section.K = K;
  K[1] = K[6] = 2;
  refuse(&b, "not positive definite");
  K[1] = 0;
  refuse(&b, "not symmetric");
  b = plain();
  memcpy(line[2].position, line[1].position, sizeof line[1].position);
  refuse(&b, "element 2 has zero length");
  b = plain();
  line[2] = (ga_beam_node){{2, 0, 0}, TURN_Z(0.96 * 3.14159265)};
  refuse(&b, "0.95 pi: use more elements");
  b = plain();
  b.damping[2] = -1;
  refuse(&b, "damping -1 is negative");
  b = plain();
  b.load[0] = NAN;
  refuse(&b, "not finite");
  ga_error err = {0};
  ga_beam_node two[2];
  const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0};
  assert_refused(ga_beam_line(o, o, NULL, 1, two, &err), &err, GA_ERR_ARG, "no length", "");
  assert_refused(ga_beam_line(o, x, x, 1, two, &err), &err, GA_ERR_ARG, "y_axis is parallel", "");
  assert_refused(ga_beam_arc(o, x, x, 1, 1, NULL, 1, two, &err), &err, GA_ERR_ARG,
                 "not perpendicular", "");
}

/* A failed request for memory anywhere leaves the mechanism as it was. */
static long requests;
static void *few(size_t count, size_t size) {
  return requests-- > 0 ? calloc(count, size) : NULL;
}

static void without_memory(void **state) {
  (void)state;
  for (long most = 0; most < 40; most++) {
    ga_mechanism *m = mechanism_new(NULL);
    ga_beam_node nodes[101];
    ga_error err = {0};
    must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){3, 0, 0}, NULL, 100, nodes, &err), &err);
    const ga_beam long_one = {.name = "arm", .elements = 100, .nodes = nodes, .section = soft};
    requests = most;
    ga_set_allocator(few, free);
    const ga_status status = ga_mechanism_beam(m, &long_one, &err);
    ga_set_allocator(NULL, NULL);
    if (status != GA_OK) {
      assert_int_equal(status, GA_ERR_MEM);
      assert_int_equal(ga_mechanism_bodies(m), 0);
      must(ga_mechanism_beam(m, &long_one, &err), &err);
    }
    ADD(joint, m, .name = "clamp", .type = "fixed", .between = {"ground", "arm.n57"});
    assert_int_equal(ga_mechanism_bodies(m), 101);
    ga_mechanism_free(m);
    if (status == GA_OK) return;
  }
  fail_msg("40 requests were not enough");
}

/* Names: nodes are bodies, the beam is not; columns of start and end are usual ones. */
static void names(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(NULL);
  ga_error err = {0};
  const ga_beam b = plain();
  must(ga_mechanism_beam(m, &b, &err), &err);
  assert_refused(
      ga_mechanism_add_joint(
          m, &(ga_joint){.name = "j", .type = "fixed", .between = {"ground", "arm"}}, &err),
      &err, GA_ERR_ARG, "'arm' is a beam", "arm.start");
  assert_refused(
      ga_mechanism_add_joint(
          m, &(ga_joint){.name = "j", .type = "fixed", .between = {"ground", "arm.n4"}}, &err),
      &err, GA_ERR_ARG, "no body 'arm.n4'", "");
  assert_refused(ga_mechanism_beam(m, &b, &err), &err, GA_ERR_ARG, "used already", "");
  ADD(joint, m, .name = "ends", .type = "spherical", .between = {"ground", "arm.n0"});
  ADD(sensor, m, .name = "high", .type = "expression", .value = {.text = "arm.n2.x + arm.end.vz"});
  build(m);
  const int usual = ga_mechanism_default_columns(m);
  const int start = ga_mechanism_column_index(m, "arm.start.x"),
            end = ga_mechanism_column_index(m, "arm.end.x"),
            node = ga_mechanism_column_index(m, "arm.n2.x"),
            section = ga_mechanism_column_index(m, "arm.s3.Mz");
  assert_true(start > 0 && start < usual && end > 0 && end < usual);
  assert_true(section > 0 && section < usual && node >= usual);
  assert_true(ga_mechanism_column_index(m, "arm.s4.N") < 0);
  const ga_state s = {
      .q = ga_mechanism_q0(m), .v = ga_mechanism_v0(m), .vd = calloc(24, sizeof(double))};
  assert_near("x", ga_mechanism_output(m, &s, node), 2, 1e-14);
  assert_near("sensor", ga_mechanism_output(m, &s, ga_mechanism_column_index(m, "high")), 2, 1e-14);
  free((void *)s.vd);
  ga_mechanism_free(m);
}

/* Positions and axes on lines and arcs; a rigid motion. */
static void geometry(void **state) {
  (void)state;
  ga_beam_node n[5];
  ga_error err = {0};
  double R[9];
  must(ga_beam_line((double[3]){1, 0, 0}, (double[3]){1, 4, 0}, (double[3]){0, 7, 2}, 4, n, &err),
       &err);
  ga_quat_rotate(n[3].orientation, (double[3]){0, 1, 0}, R);
  assert_near("y", R[2], 1, 1e-15);
  assert_near("position", n[3].position[1], 3, 1e-15);
  must(ga_beam_arc((double[3]){1, 2, 3}, (double[3]){2, 0, 0}, (double[3]){0, 0, 5}, 10, pi_ / 2,
                   NULL, 4, n, &err),
       &err);
  assert_near("x", n[4].position[0], 11, 1e-14);
  assert_near("z", n[4].position[2], 13, 1e-14);
  ga_quat_rotate(n[4].orientation, (double[3]){1, 0, 0}, R);
  assert_near("tangent", R[2], 1, 1e-15);
  ga_quat_rotate(n[4].orientation, (double[3]){0, 1, 0}, R);
  assert_near("normal", R[0], -1, 1e-15);
  ga_mechanism *m = mechanism_new(NULL);
  const ga_beam b = {.name = "arm",
                     .elements = 4,
                     .nodes = n,
                     .section = soft,
                     .velocity = {1, 0, 0},
                     .angular_velocity = {0, 2, 0}};
  must(ga_mechanism_beam(m, &b, &err), &err);
  build(m);
  const ga_state s = {
      .q = ga_mechanism_q0(m), .v = ga_mechanism_v0(m), .vd = calloc(30, sizeof(double))};
  assert_near("vx", ga_mechanism_output(m, &s, ga_mechanism_column_index(m, "arm.end.vx")), 21,
              1e-13);
  assert_near("vz", ga_mechanism_output(m, &s, ga_mechanism_column_index(m, "arm.end.vz")), -20,
              1e-13);
  free((void *)s.vd);
  ga_mechanism_free(m);
}

/* Sections: a square has J = 0.140577 a^4 (Timoshenko, Goodier), a thin strip a b^3/3. */
static void sections(void **state) {
  (void)state;
  const ga_beam_material steel = {.E = 2.6, .G = 1, .density = 3};
  ga_beam_section s;
  ga_error err = {0};
  must(ga_beam_section_of(GA_BEAM_RECTANGLE, 1, 1, &steel, &s, &err), &err);
  assert_near("J", s.GJ, 0.14057701, 1e-7);
  assert_near("GA", s.GA[0], 5.0 / 6, 1e-15);
  must(ga_beam_section_of(GA_BEAM_RECTANGLE, 0.001, 1, &steel, &s, &err), &err);
  assert_near("strip", s.GJ / 1e-9, (1 - 0.630e-3) / 3, 1e-6);
  assert_near("EI_z", s.EI[1] / 1e-9, 2.6 / 12, 1e-12);
  assert_near("rhoI", s.rhoI[0], 3 * (0.001 + 1e-9) / 12, 1e-15);
  must(ga_beam_section_of(GA_BEAM_TUBE, 2, 1, &steel, &s, &err), &err);
  assert_near("EI", s.EI[0], 2.6 * pi_ / 4 * 15, 1e-13);
  assert_near("GJ", s.GJ, pi_ / 2 * 15, 1e-13);
  assert_near("GA", s.GA[1], 0.5 * 3 * pi_, 1e-13);
  must(ga_beam_section_of(GA_BEAM_CIRCLE, 2, 0, &steel, &s, &err), &err);
  assert_near("EA", s.EA, 2.6 * pi_ * 4, 1e-13);
  assert_near("GA", s.GA[1], 0.9 * 4 * pi_, 1e-13);
  assert_refused(ga_beam_section_of(GA_BEAM_TUBE, 1, 2, &steel, &s, &err), &err, GA_ERR_ARG,
                 "inner radius", "");
  assert_refused(ga_beam_section_of(GA_BEAM_CIRCLE, -1, 0, &steel, &s, &err), &err, GA_ERR_ARG,
                 "must be positive", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(mistakes), cmocka_unit_test(without_memory),
                                     cmocka_unit_test(names), cmocka_unit_test(geometry),
                                     cmocka_unit_test(sections)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
