/* SPDX-License-Identifier: MIT */
/* One mechanism with every type of joint, all their coordinates, a rate and a position drive,
 * couplers, ropes and all kinds of forces: order 2 in q, v, v', lam, psi, on R^3 x SO(3) and on SE(3), and
 * both go to the same motion. */
#include <stdlib.h>

#include "mechanisms.h"

/* Body i hangs on the ground or on the body before it, joint i of the i-th type between them. */
static void add_link(ga_mechanism *m, int i, const ga_joint_type_info *type) {
  char body[16], before[16], joint[16], coordinate[48];
  const double x = i, y = 0.3 * sin(i), z = 0.2 * cos(i), c = cos(0.4 * i), s = sin(0.4 * i);
  snprintf(body, sizeof body, "b%d", i);
  snprintf(before, sizeof before, i % 3 == 0 ? "ground" : "b%d", i - 1);
  snprintf(joint, sizeof joint, "j%d", i);
  ADD(body, m, .name = body, .mass = 1 + 0.1 * i,
      .inertia = {0.3, 0.4 + 0.01 * i, 0.5, 0.05, -0.03}, .com = {0.1, -0.1, 0.05},
      .position = {x + 0.5, y + 0.1, z - 0.2}, .orientation = {0.8, 0.6 * c, 0, 0.6 * s});
  ga_joint j = {.name = joint, .type = type->name, .between = {before, body}};
  if (type->uses & GA_JOINT_RADIUS) {
    j.radius = 0.4;
    j.point = (ga_point)GA_IN_SPACE(x, y, z - 0.6);
    if (type->uses & GA_JOINT_AXIS) j.axis = (ga_point)GA_IN_SPACE(1, 0.5, 0);
  } else if (type->uses & GA_JOINT_LENGTH || strcmp(type->name, "span") == 0) {
    j.at = (ga_point)GA_ON_B(0.1, 0.2, 0.3);
    if (type->uses & GA_JOINT_AXIS) j.axis = (ga_point)GA_IN_SPACE(0, 1, 0.3);
  } else if (type->uses & GA_JOINT_CURVE) {
    /* a curve of the ground through the origin of the body */
    j.between[0] = "ground";
    j.at = (ga_point)GA_ON_A(x + 0.5, y + 0.1, z - 0.2);
    j.curve[0].text = "s + 0.2*s^2";
    j.curve[1].text = "0.5*sin(s)";
    j.curve[2].text = "0.3*s^2";
  } else {
    j.at = (ga_point)GA_IN_SPACE(x, y, z);
    if (type->uses & GA_JOINT_AXIS) j.axis = (ga_point)GA_IN_SPACE(c, s, 0.4);
    if (type->needs & GA_JOINT_X_AXIS) j.x_axis = (ga_point)GA_IN_SPACE(-s, c, 0);
    if (type->uses & GA_JOINT_DIRECTION) j.direction = (ga_point)GA_IN_SPACE(c, 0.3, s);
  }
  ga_error err = {0};
  must(ga_mechanism_add_joint(m, &j, &err), &err);
  for (int k = 0; k < 3 && type->coordinates[k]; k++) {
    snprintf(coordinate, sizeof coordinate, "%s.%s", joint, type->coordinates[k]);
    want(m, coordinate);
  }
}

static ga_mechanism *every_joint(ga_formulation formulation) {
  static const char *const terms[] = {"j6.x", "j6.y", "j5.angle_b"};
  static const double factors[] = {1, 2, 0.3};
  static const double K[36] = {[0] = 90, [7] = 80, [14] = 70, [21] = 9, [28] = 8, [35] = 7};
  static const double C[36] = {[0] = 2, [7] = 2, [14] = 2, [21] = 1, [28] = 1, [35] = 1};
  ga_mechanism *m = mechanism_new(down_z);
  ga_mechanism_set_formulation(m, formulation);
  ga_joint_type_info type;
  for (int i = 0; ga_joint_types(i, &type); i++) add_link(m, i, &type);
  ADD(drive, m, .name = "motor", .coordinate = "j1.angle", .position = {.text = "t^3*sin(4*t)"});
  ADD(drive, m, .name = "feed", .coordinate = "j3.position", .rate = {.text = "2*t^2"});
  ADD(coupler, m, .name = "rack", .count = 3, .coordinates = terms, .coefficients = factors);
  static const char *const lift[] = {"j2.position"}, *const mesh[] = {"j3.angle", "j6.angle"};
  static const double one[] = {1, -2};
  ADD(coupler, m, .name = "cam", .count = 1, .coordinates = lift, .coefficients = one,
      .function = {.text = "0.2*sin(j3.angle) + 0.05*t^2*cos(j3.angle)"});
  ADD(rope, m, .name = "hoist", .count = 3,
      .over = (const ga_rope_point[]){
          {.body = "b9", .at = {0.1, 0, 0.2}},
          {.body = "ground", .at = {8, 3, 4}, .radius = 0.3, .axis = {0.2, 0.3, 1}, .turns = 1},
          {.body = "b10", .at = {0}}});
  ADD(rope, m, .name = "elastic", .count = 3, .stiffness = 5, .damping = 0.1,
      .length = {.text = "4 - 0.1*j13.s - 0.2*sin(3*t)"},
      .over = (const ga_rope_point[]){{.body = "b12", .at = {0.1, 0, 0.2}},
                                      {.body = "ground", .at = {8, 3, 4}},
                                      {.body = "b13", .at = {0}}});
  ADD(force, m, .name = "teeth", .type = "backlash", .nsum = 2, .sum = mesh, .coefficients = one,
      .gap = 0.02, .stiffness = 0.5, .damping = 0.1, .free = GA_VALUE(-5));
  ADD(force, m, .name = "coil", .type = "spring", .between = {"b4", "b11"}, .stiffness = 30,
      .damping = 1, .law = {.text = "0.1*s^3*(1 + sin(t))"}, .at = GA_ON_A(0.1, 0.2, 0.3));
  ADD(force, m, .name = "twist", .type = "torsion", .coordinate = "j5.angle_a", .stiffness = 4,
      .damping = 0.2);
  ADD(force, m, .name = "mount", .type = "bushing", .between = {"b8", "b7"}, .K = K, .C = C);
  ADD(force, m, .name = "jet", .type = "force", .body = "b13", .frame = GA_FORCE_BODY,
      .at = GA_ON_A(0.1, 0, 0.2), .value = {{.text = "3*sin(5*t)"}, {.constant = 1}});
  ADD(force, m, .name = "wind", .type = "torque", .body = "b10", .value = {{.text = "t"}});
  build(m);
  return m;
}

enum { FIELDS = 5, RUNS = 3 };
static const char *const field_name[FIELDS] = {"q", "v", "v'", "lam", "psi"};

/* everything of a state at t_end, and all columns */
typedef struct {
  double *part[FIELDS], *columns;
} snapshot;

static double *copy(const double *x, int n) {
  double *y = calloc((size_t)n + 1, sizeof *y);
  if (n) memcpy(y, x, (size_t)n * sizeof *y);
  return y;
}

static snapshot run(const ga_mechanism *m, double h) {
  const ga_model *model = ga_mechanism_model(m);
  ga_options o = ga_options_default();
  o.par = ga_params_rho(0.8);
  o.h = h;
  ga_integrator *it = mechanism_started(m, &o);
  must(ga_integrator_run(it, 0.4), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  const double *const from[FIELDS] = {s->q, s->v, s->vd, s->lam, s->psi};
  const int nv = ga_space_nv(model->space);
  const int size[FIELDS] = {ga_space_nq(model->space), nv, nv, model->nlam, model->npsi};
  snapshot shot;
  for (int k = 0; k < FIELDS; k++) shot.part[k] = copy(from[k], size[k]);
  shot.columns = calloc((size_t)ga_mechanism_columns(m), sizeof(double));
  assert_int_equal(ga_mechanism_outputs(m, s, shot.columns), GA_OK);
  ga_integrator_free(it);
  return shot;
}

static void drop(snapshot *shot) {
  for (int k = 0; k < FIELDS; k++) free(shot->part[k]);
  free(shot->columns);
}

/* differences of runs with h, h/2, h/4 fall by 4, part by part; columns extrapolated from the last
 * two are returned */
static double *study(ga_formulation formulation) {
  ga_mechanism *m = every_joint(formulation);
  const ga_model *model = ga_mechanism_model(m);
  const int nv = ga_space_nv(model->space), n = ga_mechanism_columns(m);
  const int size[FIELDS] = {0, nv, nv, model->nlam, model->npsi};
  snapshot shot[RUNS];
  for (int i = 0; i < RUNS; i++) shot[i] = run(m, 2e-3 / (1 << i));
  for (int k = 0; k < FIELDS; k++) {
    double e[2];
    for (int i = 0; i < 2; i++) {
      const double *a = shot[i].part[k], *b = shot[i + 1].part[k];
      e[i] = k == 0 ? ga_space_distance(model->space, a, b) : vector_error(size[k], a, b);
    }
    print_message("%-3s %.3e %.3e order %.3f\n", field_name[k], e[0], e[1], slope(e[0], e[1]));
    assert_between(field_name[k], slope(e[0], e[1]), 1.9, 2.1);
  }
  double *limit = calloc((size_t)n, sizeof *limit);
  for (int i = 0; i < n; i++) limit[i] = (4 * shot[2].columns[i] - shot[1].columns[i]) / 3;
  for (int i = 0; i < RUNS; i++) drop(&shot[i]);
  ga_mechanism_free(m);
  return limit;
}

static void order_and_limit(void **state) {
  (void)state;
  double *a = study(GA_FORMULATION_R3SO3), *b = study(GA_FORMULATION_SE3), worst = 0;
  ga_mechanism *m = every_joint(GA_FORMULATION_SE3);
  for (int i = 0; i < ga_mechanism_columns(m); i++) {
    const double d = fabs(a[i] - b[i]) / (1 + fabs(a[i]));
    if (!(d < 1e-7)) fail_msg("%s: %.12g, %.12g", ga_mechanism_column_name(m, i), a[i], b[i]);
    worst = fmax(worst, d);
  }
  print_message("limits differ by %.2e\n", worst);
  free(a);
  free(b);
  ga_mechanism_free(m);
}

/* 17 joints: 44 holonomic rows, 14 coordinates, one of them a parameter without a row, 4 spans of
 * ropes with 2 angles at a sheave, position drive, 2 couplers, a rope; 5 nonholonomic, rate drive */
static void sizes(void **state) {
  (void)state;
  ga_mechanism *m = every_joint(GA_FORMULATION_R3SO3);
  const ga_model *model = ga_mechanism_model(m);
  assert_int_equal(ga_space_nv(model->space), 17 * 6 + 14 + 6);
  assert_int_equal(model->nlam,
                   6 + 5 + 5 + 4 + 3 + 4 + 3 + 3 + 2 + 2 + 1 + 1 + 3 + 1 + 1 + 13 + 6 + 4);
  assert_int_equal(model->npsi, 2 + 2 + 1 + 1);
  assert_int_equal(ga_mechanism_column_index(m, "t"), 0);
  for (int i = 0; i < ga_mechanism_columns(m); i++) {
    assert_int_equal(ga_mechanism_column_index(m, ga_mechanism_column_name(m, i)), i);
  }
  assert_null(ga_mechanism_column_name(m, ga_mechanism_columns(m)));
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(order_and_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
