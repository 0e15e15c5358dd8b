/* SPDX-License-Identifier: MIT */
/* Ropes over sheaves and drums against closed forms and equations of motion of their own: Atwood's
 * machine, its swinging form, a pendulum whose string winds on a cylinder, a hook on a sheave, a winch;
 * arcs beyond half a turn; what is refused. */
#include "genalpha/ga_drawable.h"
#include "run_text.h"

#define HEAD "genalpha: 1\ngravity: [0, 0, -9.81]\n"
static const double g = 9.81, pi_ = 3.14159265358979323846;

/* Masses below the sides of a sheave: a = g (m2 - m1)/(m1 + m2), tension 2 m1 m2 g/(m1 + m2), half a
 * turn of rope on the sheave. index3 keeps the vertical to rounding. stab2 moves positions back to the
 * constraints along G^T without regard to masses, the angle of the span too, so that x has an error of
 * order 2. */
static void atwood(void **state) {
  (void)state;
  static const char text[] = HEAD
      "bodies:\n"
      "  one: {kind: point, mass: 1, position: [-0.2, 0, -1]}\n"
      "  two: {kind: point, mass: 2, position: [0.2, 0, -1]}\n"
      "ropes: {rope: {over: [one, {ground: [0, 0, 0], radius: 0.2, axis: [0, 1, 0]}, two]}}\n";
  double x[6], error[2];
  run_text_by("index3", text, 50, 0.5, x, "two.z", "two.az", "rope.tension", "rope.length",
              "rope.wrap", "two.x", NULL);
  assert_close("z", x[0], -1 - g / 3 * 0.125, 1e-12);
  assert_close("az", x[1], -g / 3, 1e-9);
  assert_close("tension", x[2], 4 * g / 3, 1e-8);
  assert_close("length", x[3], 2 + 0.2 * pi_, 1e-12);
  assert_close("wrap", x[4], pi_, 1e-12);
  assert_close("x", x[5], 0.2, 1e-12);
  for (int i = 0; i < 2; i++) {
    run_text(text, 50 << i, 0.5, x, "two.x", "two.az", NULL);
    error[i] = fabs(x[0] - 0.2);
    assert_close("az", x[1], -g / 3, 1e-8);
  }
  print_message("stab2: errors of x %.3e %.3e\n", error[0], error[1]);
  assert_between("order 2", error[0] / error[1], 3.8, 4.2);
}

/* ---- equations of motion in the plane of a sheave of radius R ----------------------------------- */

/* A mass m hangs from the right side of a sheave on a span of length r = s + R theta at the angle theta
 * from the vertical; its velocity is s' along the span and r theta' across. A mass M on the left side
 * hangs vertically and rises with s (M < 0: the rope is fixed, s' = 0):
 *
 *   r theta'' + 2 s' theta' + R theta'^2 + g sin theta = 0
 *   (m + M) s'' = m r theta'^2 + m g cos theta - M g
 *
 * y = theta, s, theta', s'. */
typedef struct swinging {
  double m, M, R;
} swinging;

static void swing_rates(const swinging *c, const double *y, double *f) {
  const double r = y[1] + c->R * y[0], w = y[2];
  f[0] = y[2];
  f[1] = y[3];
  f[2] = -(2 * y[3] * w + c->R * w * w + g * sin(y[0])) / r;
  f[3] = c->M < 0 ? 0 : (c->m * r * w * w + c->m * g * cos(y[0]) - c->M * g) / (c->m + c->M);
}

/* n steps of the classical Runge-Kutta method to t_end */
static void swing(const swinging *c, double t_end, int n, double *y) {
  const double h = t_end / n;
  for (int i = 0; i < n; i++) {
    double k[4][4], z[4];
    swing_rates(c, y, k[0]);
    for (int stage = 1; stage < 4; stage++) {
      for (int j = 0; j < 4; j++) z[j] = y[j] + (stage == 3 ? h : h / 2) * k[stage - 1][j];
      swing_rates(c, z, k[stage]);
    }
    for (int j = 0; j < 4; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
  }
}

/* The mass on the right: its place, and the tension of its rope. */
static void swing_place(const swinging *c, const double *y, double *x) {
  double f[4];
  const double r = y[1] + c->R * y[0], sine = sin(y[0]), cosine = cos(y[0]);
  swing_rates(c, y, f);
  x[0] = c->R * cosine + r * sine;
  x[1] = c->R * sine - r * cosine;
  x[2] = c->m * (g * cosine + r * y[2] * y[2] - f[3]);
}

/* Runs with n and 2 n steps have errors of order 2 in x, z and the tension, and their extrapolated
 * values agree with the equations of motion. */
static void compare(const char *text, const swinging *c, const double *start, int n, double t_end,
                    const double *bound) {
  double y[4], exact[3], x[2][3];
  memcpy(y, start, sizeof y);
  swing(c, t_end, 20000, y);
  swing_place(c, y, exact);
  for (int i = 0; i < 2; i++) {
    run_text(text, n << i, t_end, x[i], "m.x", "m.z", "rope.tension", NULL);
  }
  for (int k = 0; k < 3; k++) {
    const double error[2] = {fabs(x[0][k] - exact[k]), fabs(x[1][k] - exact[k])};
    const double left = (4 * x[1][k] - x[0][k]) / 3 - exact[k];
    print_message("%d: %.12g, errors %.3e %.3e, extrapolated %.3e\n", k, exact[k], error[0],
                  error[1], left);
    assert_between("order 2", error[0] / error[1], 3.7, 4.3);
    assert_close("extrapolated", left, 0, bound[k]);
  }
}

/* The string winds on a fixed cylinder: the involute pendulum, r = 1 + R theta. */
static void involute(void **state) {
  (void)state;
  const swinging c = {.m = 2, .M = -1, .R = 0.3};
  compare(HEAD
          "bodies: {m: {kind: point, mass: 2, position: [0.3, 0, -1], velocity: [2, 0, 0]}}\n"
          "ropes: {rope: {over: [{ground: [0, 0, 0], radius: 0.3, axis: [0, 1, 0]}, m]}}\n",
          &c, (const double[4]){0, 1, 2, 0}, 1000, 2, (const double[3]){1e-9, 1e-9, 1e-7});
}

/* Atwood's machine whose one mass swings: the tangent point moves to and fro on the sheave. */
static void swinging_atwood(void **state) {
  (void)state;
  const swinging c = {.m = 1, .M = 1.2, .R = 0.25};
  compare(HEAD
          "bodies:\n"
          "  left: {kind: point, mass: 1.2, position: [-0.25, 0, -3]}\n"
          "  m: {kind: point, mass: 1, position: [0.25, 0, -1], velocity: [1.5, 0, 0]}\n"
          "ropes: {rope: {over: [left, {ground: [0, 0, 0], radius: 0.25, axis: [0, 1, 0]}, m]}}\n",
          &c, (const double[4]){0, 1, 1.5, 0}, 1000, 1.5, (const double[3]){1e-9, 1e-9, 1e-7});
}

/* ---- hooks, drums ------------------------------------------------------------------------------- */

/* A hook M hangs on a sheave in a loop, over a second sheave to a counterweight m: with the tension T
 * m (g + 2 a) = T, M (g - a) = 2 T. The rope turns neither the hook nor the second body. */
static void hook(void **state) {
  (void)state;
  const double M = 5, m = 1, a = (M - 2 * m) * g / (M + 4 * m);
  double x[6];
  run_text_by("index3",
              HEAD
              "bodies:\n"
              "  hook: {mass: 5, inertia: [0.1, 0.1, 0.1], position: [0, 0, -2]}\n"
              "  top: {mass: 3, inertia: [0.2, 0.1, 0.2], position: [0.3, 0, 0]}\n"
              "  weight: {kind: point, mass: 1, position: [0.5, 0, -1]}\n"
              "joints: {bearing: {type: revolute, between: [ground, top], axis: [0, 1, 0]}}\n"
              "ropes: {rope: {over: [{ground: [-0.1, 0, 0]}, {hook: [0, 0, 0], radius: -0.1, axis: "
              "[0, 1, 0]},\n"
              "  {top: [0, 0, 0], radius: 0.2, axis: [0, 1, 0]}, weight]}}\n",
              40, 0.4, x, "hook.z", "hook.az", "rope.tension", "hook.wy", "top.wy", "rope.length",
              NULL);
  assert_close("z", x[0], -2 - a / 2 * 0.16, 1e-11);
  assert_close("az", x[1], -a, 1e-8);
  assert_close("tension", x[2], m * (g + 2 * a), 1e-8);
  assert_close("hook turns", x[3], 0, 1e-10);
  assert_close("sheave turns", x[4], 0, 1e-10);
  assert_close("length", x[5], 5 + 0.3 * pi_, 1e-11);
}

/* The same in the plane, with bodies `planar`: a drum pays out rope, a = m g/(m + J/r^2). Three turns
 * and more come off it. */
static void drum(void **state) {
  (void)state;
  const double a = 5 * g / (5 + 0.1 / 0.04);
  double x[4];
  run_text_by("index3",
              "genalpha: 1\ngravity: [0, -9.81, 0]\n"
              "bodies:\n"
              "  drum: {kind: planar, mass: 3, inertia: 0.1}\n"
              "  load: {kind: planar, mass: 5, inertia: 1, position: [0.2, -1]}\n"
              "joints: {bearing: {type: revolute, between: [ground, drum]}}\n"
              "ropes: {rope: {over: [{drum: [0, 0], radius: -0.2}, load]}}\n",
              100, 1.2, x, "load.vy", "drum.angle", "rope.tension", "rope.length", NULL);
  assert_close("vy", x[0], -a * 1.2, 1e-10);
  assert_close("angle", x[1], -a / 2 * 1.44 / 0.2, 1e-9);
  assert_true(x[1] < -6 * pi_);
  assert_close("tension", x[2], 5 * (g - a), 1e-8);
  assert_close("length", x[3], 1, 1e-11);
}

/* A crossed belt, up on the left of a sheave, under a second one and up on its right: the line between
 * them is sqrt(1.2^2 - 0.8^2) long and falls by beta = asin(0.8/1.2). Its length at the start for no, one
 * and two full turns, and with an axis of the opposite sense. */
static void turns(void **state) {
  (void)state;
  const double beta = asin(0.8 / 1.2), line = sqrt(1.44 - 0.64), lie = pi_ / 2 + beta;
  char text[600];
  double x[1];
  for (int n = 0; n < 3; n++) {
    for (int sign = -1; sign < 2; sign += 2) {
      snprintf(text, sizeof text,
               HEAD
               "bodies: {m: {kind: point, mass: 1, position: [1.5, 0, 1.4]}}\n"
               "ropes: {rope: {over: [{ground: [-0.5, 0, -1]},\n"
               "  {ground: [0, 0, 0], radius: 0.5, axis: [0, 1, 0], turns: %d},\n"
               "  {ground: [1.2, 0, 0], radius: %g, axis: [0, %d, 0]}, m]}}\n",
               n, -0.3 * sign, sign);
      run_text(text, 1, 1e-3, x, "rope.length", NULL);
      assert_close("length", x[0], 1 + 0.5 * (lie + 2 * pi_ * n) + line + 0.3 * lie + 1.4, 1e-12);
    }
  }
}

/* ---- refusals, pictures ------------------------------------------------------------------------- */

#define ONE HEAD "bodies: {one: {kind: point, mass: 1, position: [0.2, 0, -1]}}\n"
#define OVER(text) ONE "ropes: {r: {over: [" text "]}}\n"
static void refused(void **state) {
  (void)state;
  refused_text(
      HEAD
      "bodies: {one: {kind: point, mass: 1, position: [1, 0, 0.5]}}\n"
      "ropes: {r: {over: [{ground: [-1, 0, 0.5]}, {ground: [0, 0, 0], radius: 0.2, axis: [0, 1, "
      "0]}, one]}}\n",
      "the rope does not touch the sheave at point 2: it would lie on -");
  refused_text(OVER("{ground: [-1, 0, 0]}, {ground: [0, 0, 0], radius: 0.2}, one"),
               "the sheave at point 2 needs an axis");
  refused_text(OVER("{ground: [-1, 0, 0]}, {ground: [0, 0, 0], axis: [0, 1, 0]}, one"),
               "point 2 has an axis, but no radius");
  refused_text(OVER("{ground: [-1, 0, 0]}, {ground: [0, 0, 0], radius: 0, axis: [0, 1, 0]}, one"),
               "the radius of a sheave is not 0");
  refused_text(OVER("{ground: [0, 0, 0], radius: 0.2, axis: [0, 1, 0], turns: 1}, one"),
               "point 1 is an end of the rope");
  refused_text(OVER("{ground: [0, 0, 1]}, {ground: [0, 0, 0], radius: 0.2, axis: [0, 1, 0], turns: "
                    "1.5}, one"),
               "turns are a whole number that is not negative");
  refused_text(
      OVER("{ground: [-0.1, 0, 0]}, {ground: [0, 0, 0], radius: 0.2, axis: [0, 1, 0]}, one"),
      "points 1 and 2 are 0.1 m apart, their sheaves need more than 0.2 m");
  refused_text(OVER("{ground: [0, 0, 1]}, {ground: [0, 0, 0], radius: 0.2, axis: [0, 0, 1]}, one"),
               "the rope runs along the axis of the sheave at point 2");
  refused_text(
      OVER("{ground: [2, 0, 0], radius: 0.1, axis: [1, 0, 0]}, {ground: [0, 0, 0], radius: 0.2, "
           "axis: [0, 1, 0]}, one"),
      "the axes of the sheaves at points 1 and 2 are 90 degrees apart");
  refused_text(OVER("{ground: [0, 0, 1], one: [0, 0, 0]}, one"),
               "a sheave has radius, axis and turns");
  refused_text(
      "genalpha: 1\nbodies: {b: {kind: planar, mass: 1, inertia: 1, position: [1, 1]}}\n"
      "ropes: {r: {over: [{ground: [0, 0], radius: 0.2, axis: [0, 1]}, b]}}\n",
      "a sheave of planar bodies turns about z");
}

/* Pictures get radius, axis and turns; on the ground in the frame of the description. */
static void drawn(void **state) {
  (void)state;
  ga_file *file = NULL;
  ga_error err = {0};
  ga_line line;
  const char *text = OVER(
      "{ground: [-0.2, 0, -1]}, {ground: [0, 0, 0], radius: 0.2, axis: [0, 1, 0], "
      "turns: 2}, one");
  must(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err), &err);
  assert_true(ga_mechanism_line(ga_file_mechanism(file), 0, &line));
  assert_true(line.point[0].radius == 0 && line.point[1].radius == 0.2);
  assert_true(line.point[1].axis[1] == 1 && line.point[1].turns == 2 && line.point[2].body == 0);
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(atwood),  cmocka_unit_test(involute), cmocka_unit_test(swinging_atwood),
      cmocka_unit_test(hook),    cmocka_unit_test(drum),     cmocka_unit_test(turns),
      cmocka_unit_test(refused), cmocka_unit_test(drawn)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
