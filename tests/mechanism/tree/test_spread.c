/* SPDX-License-Identifier: MIT */
/* Rows of joints that close loops, where the tree holds some of what they hold: three of the five rows of the
 * hinge that closes a plane linkage. They are zero but for rounding, which is not zero if the plane is
 * tilted. A four-bar moves, rests and is let go alike in every plane and far away. */
#include "genalpha/ga_helpers.h"
#include "mechanisms.h"

typedef struct {
  double R[9], shift[3];
} placing;

/* The frame of a plane: the first two columns from two directions, Gram-Schmidt. */
static placing place(const double *x, const double *y, const double *shift) {
  placing p;
  double a[3], b[3], c[3], along = 0;
  const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int i = 0; i < 3; i++) a[i] = x[i] / length, along += y[i] * x[i] / length;
  for (int i = 0; i < 3; i++) b[i] = y[i] - along * a[i];
  const double width = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
  for (int i = 0; i < 3; i++) b[i] /= width;
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  for (int i = 0; i < 3; i++) {
    p.R[3 * i] = a[i], p.R[3 * i + 1] = b[i], p.R[3 * i + 2] = c[i], p.shift[i] = shift[i];
  }
  return p;
}

static ga_point at(const placing *p, double x, double y) {
  double s[3];
  for (int i = 0; i < 3; i++) s[i] = p->shift[i] + p->R[3 * i] * x + p->R[3 * i + 1] * y;
  return (ga_point)GA_IN_SPACE(s[0], s[1], s[2]);
}

static ga_mechanism *four_bar(const placing *p, ga_coordinates coordinates) {
  static const double point[4][2] = {{0, 0}, {0.3, 0.8}, {1.9, 1.1}, {1.7, 0}};
  static const char *const body[] = {"ground", "crank", "rod", "rocker", "ground"};
  static const char *const joint[] = {"a", "b", "c", "d"};
  const double down[] = {0.5, -9.81};
  double g[3], x[3], q[4];
  for (int i = 0; i < 3; i++) g[i] = p->R[3 * i] * down[0] + p->R[3 * i + 1] * down[1];
  ga_so3_from_matrix(p->R, q);
  ga_mechanism *m = mechanism_new(g);
  for (int i = 0; i < 3; i++) {
    const ga_point c =
        at(p, (point[i][0] + point[i + 1][0]) / 2, (point[i][1] + point[i + 1][1]) / 2);
    memcpy(x, c.a, sizeof x);
    ADD(body, m, .name = body[i + 1], .mass = 1.3, .inertia = {0.02, 0.05, 0.06},
        .position = {x[0], x[1], x[2]}, .orientation = {q[0], q[1], q[2], q[3]});
  }
  for (int i = 0; i < 4; i++) {
    ADD(joint, m, .name = joint[i], .type = "revolute", .between = {body[i], body[i + 1]},
        .at = at(p, point[i][0], point[i][1]), .axis = GA_IN_SPACE(p->R[2], p->R[5], p->R[8]));
  }
  assert_int_equal(ga_mechanism_set_coordinates(m, coordinates), GA_OK);
  build(m);
  return m;
}

static double kinetic(const ga_mechanism *m, const ga_state *s) {
  return ga_mechanism_output(m, s, ga_mechanism_column_index(m, "energy.kinetic"));
}

/* The kinetic energy after 0.3 s, and the potential energy at rest. */
static void move_and_rest(const ga_mechanism *m, const char *method, double *moving, double *rest) {
  const ga_model *model = ga_mechanism_model(m);
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_options_set(&o, "method", method, &err), &err);
  o.h = 2e-3;
  o.redundant = GA_REDUNDANT_ALLOW;
  must(ga_integrator_new(model, &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  must(ga_integrator_run(it, 0.3), ga_integrator_error(it));
  *moving = kinetic(m, ga_integrator_state(it));
  ga_integrator_free(it);
  double q[64];
  memcpy(q, ga_mechanism_q0(m), (size_t)ga_space_nq(model->space) * sizeof *q);
  must(ga_mechanism_equilibrium(m, 0, q, NULL, &err), &err);
  const double zero[64] = {0};
  const ga_state s = {.q = q, .v = zero, .vd = zero, .lam = zero, .psi = zero};
  *rest = ga_mechanism_output(m, &s, ga_mechanism_column_index(m, "energy.potential"));
}

static void every_plane(void **state) {
  (void)state;
  static const double placings[][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 0},
                                       {1, 2, 0.3, -0.7, 0.4, 1.9, 0, 0, 0},
                                       {-0.2, 0.1, 1, 0.9, 1.3, -0.1, 5, -3, 2},
                                       {0.6, -1.7, 0.2, 0.3, 0.1, 0.9, 400, -30, 7}};
  static const char *const methods[] = {"stab2", "index3"};
  for (int k = 0; k < 2; k++) {
    double moving = 0, rest = 0;
    for (int i = 0; i < 4; i++) {
      const placing p = place(placings[i], placings[i] + 3, placings[i] + 6);
      ga_mechanism *m = four_bar(&p, GA_COORDINATES_JOINT);
      double x, y;
      move_and_rest(m, methods[k], &x, &y);
      double g = 0; /* of the shift */
      for (int j = 0; j < 3; j++) {
        g += 3.9 * p.shift[j] * (p.R[3 * j] * 0.5 + p.R[3 * j + 1] * -9.81);
      }
      y += g;
      if (i == 0) moving = x, rest = y;
      if (!(fabs(x - moving) <= 1e-9 * moving && fabs(y - rest) <= 1e-9 * fabs(rest))) {
        fail_msg("%s, placing %d: %.12g J, not %.12g; %.12g J, not %.12g", methods[k], i, x, moving,
                 y, rest);
      }
      ga_mechanism_free(m);
    }
    assert_true(moving > 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_plane)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
