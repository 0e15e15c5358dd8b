/* SPDX-License-Identifier: MIT */
/* Equilibrium and modes with contacts: boxes, slopes, stops, limits against closed forms. */
#include "models_all.h"

static ga_file *parsed(const char *text) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err), &err);
  return file;
}

/* value = expected within tol, all numbers being of size 1 */
static void near_to(const char *what, double value, double expected, double tol) {
  if (!(fabs(value - expected) <= tol)) fail_msg("%s: %.12g, not %.12g", what, value, expected);
}

/* An equilibrium of a model file. */
typedef struct rest {
  ga_file *file;
  const ga_mechanism *m;
  double *q, *v, *lam, *psi;
  int *contacts;
  ga_equilibrium e;
} rest;

static ga_status seek(const char *text, rest *r, ga_error *err) {
  r->file = parsed(text);
  r->m = ga_file_mechanism(r->file);
  r->q = calloc((size_t)r->m->nq, sizeof(double));
  r->v = calloc((size_t)r->m->nv, sizeof(double));
  r->lam = calloc((size_t)r->m->nlam + 1, sizeof(double));
  r->psi = calloc((size_t)r->m->npsi + 1, sizeof(double));
  r->contacts = calloc((size_t)r->m->model.ncontacts + 1, sizeof(int));
  r->e = (ga_equilibrium){.lam = r->lam, .psi = r->psi, .contacts = r->contacts};
  memcpy(r->q, r->m->q0, (size_t)r->m->nq * sizeof(double));
  return ga_mechanism_equilibrium(r->m, 0, r->q, &r->e, err);
}

static rest found(const char *text) {
  rest r;
  ga_error err = {0};
  must(seek(text, &r, &err), &err);
  return r;
}

static double column(const rest *r, const char *name) {
  ga_contact_state *contacts = calloc((size_t)r->m->model.ncontacts + 1, sizeof *contacts);
  for (int i = 0; i < r->m->model.ncontacts; i++) contacts[i].state = r->contacts[i];
  const ga_state s = {.q = r->q,
                      .v = r->v,
                      .vd = r->v,
                      .a = r->v,
                      .lam = r->lam,
                      .psi = r->psi,
                      .contacts = contacts};
  const int at = ga_mechanism_column_index(r->m, name);
  assert_true(at >= 0);
  const double value = ga_mechanism_output(r->m, &s, at);
  free(contacts);
  return value;
}

static void end(rest *r) {
  free(r->q), free(r->v), free(r->lam), free(r->psi), free(r->contacts);
  ga_file_free(r->file);
}

/* ---- boxes ---------------------------------------------------------------------------------- */

static const char box_text[] =
    "genalpha: 1\nparameters: {a: %.17g, b: %.17g, mu: %g, h: %g}\n"
    "gravity: [9.81*sin(a), 0, -9.81*cos(a)]\n"
    "bodies: {box: {mass: 1, inertia: [0.01, 0.012, 0.008], position: [0, 0, h],\n"
    "    orientation: {axis: [1, 0.3, 0.2], angle: b}}}\n"
    "contacts:\n"
    "  feet: {between: [ground, box], box: [0.2, 0.3, 0.1], friction: mu}\n"
    "  wall: {between: [ground, box], plane: {point: [1, 0, 0], normal: [-1, 0, 0]},\n"
    "    points: [[0.1, 0.1, 0], [0.1, -0.1, 0]]}\n";

static rest box(double slope, double turn, double friction, double height) {
  char text[1000];
  snprintf(text, sizeof text, box_text, slope, turn, friction, height);
  return found(text);
}

/* A box that is dropped lies flat on one of its faces: its weight, no other force, no gap open
 * below. */
static void dropped_boxes(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++) {
    rest r = box(0, 0.2 + 0.37 * i, i % 2 ? 0.4 : 0, 0.5);
    const double z = column(&r, "box.z");
    assert_true(fabs(z - 0.05) < 1e-9 || fabs(z - 0.1) < 1e-9 || fabs(z - 0.15) < 1e-9);
    near_to("weight", column(&r, "feet.n"), 9.81, 1e-9);
    near_to("gap", column(&r, "feet.gap"), 0, 1e-12);
    near_to("friction", hypot(column(&r, "feet.fx"), column(&r, "feet.fy")), 0, 1e-9);
    assert_int_equal(r.e.closed, 4);
    near_to("state", column(&r, "feet.state"), i % 2 ? 2 : 1, 0);
    /* equal supports; least norm is known to 1e-6 where forces are not unique */
    for (int k = 0; k < r.m->model.ncontacts; k++) {
      const double N = -r.lam[r.m->model.contacts[k].gap];
      near_to("share", N, r.contacts[k] == GA_CONTACT_OPEN ? 0 : 9.81 / 4, 1e-5);
    }
    /* nothing moves it, nothing grows */
    double re[12], im[12];
    ga_modes modes = {.room = 12, .re = re, .im = im};
    ga_error err = {0};
    must(ga_mechanism_modes(r.m, 0, r.q, r.v, false, &modes, &err), &err);
    assert_int_equal(modes.freedom, 3);
    assert_int_equal(modes.count, 3);
    for (int k = 0; k < 3; k++) near_to("free", hypot(re[k], im[k]), 0, 0);
    end(&r);
  }
}

/* It holds on a slope below atan mu = 16.7 degrees, though equal shares of friction would not fit
 * at the upper corners; above it slides to the wall. */
static void slopes(void **state) {
  (void)state;
  const double degree = 0.017453292519943295;
  for (int i = 14; i < 20; i++) {
    const double a = i * degree;
    rest r = box(a, 0, 0.3, 0.05);
    const bool holds = i < 17;
    near_to("x", column(&r, "box.x"), holds ? 0 : 0.9, 1e-9);
    near_to("normal force", column(&r, "feet.n"), 9.81 * cos(a), 1e-9);
    if (holds) {
      near_to("friction", column(&r, "feet.fx"), -9.81 * sin(a), 1e-9);
      assert_int_equal(r.e.closed, 4);
    } else {
      near_to("wall", column(&r, "wall.n") - column(&r, "feet.fx"), 9.81 * sin(a), 1e-9);
      assert_int_equal(r.e.closed, 6);
    }
    /* every contact fits its cone */
    for (int k = 0; k < r.m->model.ncontacts; k++) {
      const ga_contact *c = &r.m->model.contacts[k];
      double f = 0;
      for (int t = c->slip; t < c->slip + c->nslip; t++) f = hypot(f, r.psi[t]);
      assert_true(f <= c->friction * -r.lam[c->gap] + 1e-8);
      assert_true(-r.lam[c->gap] >= -1e-8);
    }
    end(&r);
  }
}

/* ---- frequencies ---------------------------------------------------------------------------- */

/* A bar that hangs on a spring at its left end and leans on a stop at its right end, horizontal: each
 * carries half of the weight. It swings along the stop, w^2 = T/(l m), and turns about it,
 * w^2 = k L^2/(J + m L^2/4). */
static const char bar_text[] =
    "genalpha: 1\ngravity: [0, -9.81, 0]\n"
    "bodies: {bar: {kind: planar, mass: 2, inertia: 0.2, position: [0, %g]}}\n"
    "forces: {left: {type: spring, between: [ground, bar], at: {ground: [-0.5, 1.0981],\n"
    "    bar: [-0.5, 0]}, stiffness: 100, length: 1}}\n"
    "contacts: {stop: {between: [ground, bar], points: [[0.5, 0]]}}\n";

static void leaning_bar(void **state) {
  (void)state;
  char text[1000];
  for (int up = 0; up < 2; up++) { /* touching at the start, or 0.2 above */
    snprintf(text, sizeof text, bar_text, up ? 0.2 : 0);
    rest r = found(text);
    ga_error err = {0};
    near_to("stop", column(&r, "stop.n"), 9.81, 1e-8);
    near_to("y", column(&r, "bar.y"), 0, 1e-9);
    near_to("angle", column(&r, "bar.angle"), 0, 1e-9);
    double re[4], im[4];
    int contacts[1] = {-1};
    ga_modes modes = {.room = 4, .re = re, .im = im, .contacts = contacts};
    must(ga_mechanism_modes(r.m, 0, r.q, r.v, false, &modes, &err), &err);
    assert_int_equal(modes.freedom, 2);
    assert_int_equal(contacts[0], GA_CONTACT_SLIP);
    near_to("swings", im[0], sqrt(9.81 / 1.0981 / 2), 1e-7);
    near_to("turns", im[1], sqrt(100 / (0.2 + 2 * 0.25)), 1e-7);
    end(&r);
  }
}

/* A contact that touches but would pull is open: a weight on a spring, its floor just touching from the
 * side it leaves. */
static void pulled_off(void **state) {
  (void)state;
  rest r = found(
      "genalpha: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {ball: {kind: point, mass: 1, position: [0, 0, 0]}}\n"
      "forces: {up: {type: spring, between: [ground, ball], at: {ground: [0, 0, 3]}, stiffness: "
      "100,"
      " length: 1}}\n"
      "contacts: {floor: {between: [ground, ball]}}\n");
  near_to("z", column(&r, "ball.z"), 2 - 0.0981, 1e-9);
  near_to("no force", column(&r, "floor.n"), 0, 0);
  assert_int_equal(r.e.closed, 0);
  end(&r);
}

/* A pendulum on the stop of its hinge: the stop carries m g l sin(angle). */
static void hinge_on_its_stop(void **state) {
  (void)state;
  rest r = found(
      "genalpha: 1\ngravity: [0, -9.81, 0]\n"
      "bodies: {rod: {kind: planar, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
      "joints: {hinge: {type: revolute, between: [ground, rod], at: [0, 0]}}\n"
      "limits: {stop: {coordinate: hinge.angle, lower: -0.6}}\n"
      "output: [rod.x, rod.y, stop.n, stop.gap]\n");
  near_to("angle", atan2(column(&r, "rod.y"), column(&r, "rod.x")), -0.6, 1e-9);
  near_to("stop", column(&r, "stop.n"), 9.81 * cos(0.6), 1e-8);
  end(&r);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void sliding_states(void **state) {
  (void)state;
  ga_file *file = parsed(
      "genalpha: 1\ngravity: [1, 0, -9.81]\n"
      "bodies: {ball: {kind: point, mass: 1, position: [0, 0, 0]}}\n"
      "contacts: {floor: {between: [ground, ball], friction: 0.05}}\n");
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_linearization *lin = NULL;
  ga_error err = {0};
  const double moving[3] = {1, 0, 0};
  assert_refused(ga_linearization_new(&m->model, 0, m->q0, moving, true, &lin, &err), &err,
                 GA_ERR_INITIAL, "contact 'floor' slides", NULL);
  assert_refused(ga_linearization_new(&m->model, 0, m->q0, m->v0, true, &lin, &err), &err,
                 GA_ERR_INITIAL, "contact 'floor' would slide", NULL);
  ga_file_free(file);
  /* nothing stops it */
  rest r;
  assert_int_equal(seek("genalpha: 1\ngravity: [1, 0, -9.81]\n"
                        "bodies: {ball: {kind: point, mass: 1, position: [0, 0, 0]}}\n"
                        "contacts: {floor: {between: [ground, ball], friction: 0.05}}\n",
                        &r, &err),
                   GA_ERR_INITIAL);
  assert_non_null(strstr(err.text, "no equilibrium"));
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dropped_boxes),     cmocka_unit_test(slopes),
      cmocka_unit_test(leaning_bar),       cmocka_unit_test(pulled_off),
      cmocka_unit_test(hinge_on_its_stop), cmocka_unit_test(sliding_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
