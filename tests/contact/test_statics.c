/* SPDX-License-Identifier: MIT */
/* Contacts at rest: a box on a slope, a ladder, a stack of boxes hold where the closed form says
 * so, and slip beyond. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <math.h>
#include <stdlib.h>

#include "support.h"

static const double G = 9.81;

typedef struct {
  ga_file *file;
  const ga_mechanism *m;
  ga_integrator *it;
} run;

/* Read a model, run it to t_end. */
static void run_text(run *r, char *text, double h, double t_end) {
  ga_error err = {0};
  ga_options o = ga_options_default();
  o.h = h;
  must(ga_file_parse("scene.yaml", text, strlen(text), NULL, &r->file, &err), &err);
  r->m = ga_file_mechanism(r->file);
  must(ga_integrator_new(ga_mechanism_model(r->m), &o, &r->it, &err), &err);
  must(ga_integrator_start(r->it, 0, ga_mechanism_q0(r->m), ga_mechanism_v0(r->m)),
       ga_integrator_error(r->it));
  must(ga_integrator_run(r->it, t_end), ga_integrator_error(r->it));
  free(text);
}

static double value(const run *r, const char *column) {
  const int i = ga_mechanism_column_index(r->m, column);
  assert_true(i >= 0);
  return ga_mechanism_output(r->m, ga_integrator_state(r->it), i);
}

static void close_run(run *r) {
  ga_integrator_free(r->it);
  ga_file_free(r->file);
}

/* A box on a slope of this angle, friction mu: x of its centre along the slope after 1 s. */
static double slide(double angle, double mu) {
  run r;
  size_t size;
  char *text = NULL;
  FILE *to = open_memstream(&text, &size);
  fprintf(to,
          "genalpha: 1\ngravity: [%.17g, 0, %.17g]\nbodies:\n  box: {mass: 2, shape: {box: [0.4, "
          "0.3, 0.1]}, "
          "position: [0, 0, 0.05]}\ncontacts:\n  feet: {between: [ground, box], box: [0.4, 0.3, "
          "0.1], friction: "
          "%g}\n",
          G * sin(angle), -G * cos(angle), mu);
  fclose(to);
  run_text(&r, text, 0.02, 1);
  const double x = value(&r, "box.x");
  close_run(&r);
  return x;
}

static void box_on_a_slope(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double mu = 0.3 + 0.4 * i, edge = atan(mu), above = edge + 1e-3;
    assert_true(fabs(slide(edge - 1e-5, mu)) <= 1e-12);
    const double x = slide(above, mu), exact = G * (sin(above) - mu * cos(above)) / 2;
    if (fabs(x - exact) > 1e-9) print_message("mu %g: %.12g, expected %.12g\n", mu, x, exact);
    assert_true(fabs(x - exact) <= 1e-9);
  }
}

/* A ladder of length 2 at this angle to the floor, with friction there and at the wall: how far its
 * foot moves in 0.2 s. */
static double lean(double angle, double floor, double wall) {
  run r;
  size_t size;
  char *text = NULL;
  FILE *to = open_memstream(&text, &size);
  fprintf(to,
          "genalpha: 1\ngravity: [0, -%g, 0]\nbodies:\n  ladder: {kind: planar, mass: 3, inertia: "
          "1, position: [%.17g, "
          "%.17g], orientation: %.17g}\ncontacts:\n  foot: {between: [ground, ladder], points: "
          "[[-1, 0]], friction: %g}\n"
          "  top: {between: [ground, ladder], plane: {normal: [1, 0]}, points: [[1, 0]], friction: "
          "%g}\n",
          G, cos(angle), sin(angle), 3.14159265358979324 - angle, floor, wall);
  fclose(to);
  run_text(&r, text, 0.005, 0.2);
  const double x = value(&r, "ladder.x") - cos(value(&r, "ladder.angle")) - 2 * cos(angle);
  close_run(&r);
  return x;
}

/* The foot slips below tan = (1 - mu_floor mu_wall)/(2 mu_floor). */
static void ladder(void **state) {
  (void)state;
  static const double friction[4][2] = {{0.4, 0}, {0.4, 0.4}, {0.25, 0.6}, {0.7, 0.1}};
  for (int i = 0; i < 4; i++) {
    const double floor = friction[i][0], wall = friction[i][1];
    const double edge = atan((1 - floor * wall) / (2 * floor));
    const double holds = lean(edge + 1e-3, floor, wall), slips = lean(edge - 1e-3, floor, wall);
    if (!(fabs(holds) <= 1e-11 && slips > 1e-6)) {
      print_message("friction %g, %g: %g above, %g below\n", floor, wall, holds, slips);
    }
    assert_true(fabs(holds) <= 1e-11 && slips > 1e-6);
  }
}

enum { BOXES = 10 };

static void stack_of_boxes(void **state) {
  (void)state;
  run r;
  size_t size;
  char *text = NULL;
  FILE *to = open_memstream(&text, &size);
  fprintf(to, "genalpha: 1\ngravity: [0, 0, -%g]\nbodies:\n", G);
  for (int i = 0; i < BOXES; i++) {
    fprintf(to, "  b%d: {mass: 1, shape: {box: [0.3, 0.2, 0.1]}, position: [%g, 0, %g]}\n", i,
            i % 2 ? 0.02 : 0, 0.05 + 0.1 * i);
  }
  fprintf(to, "contacts:\n");
  for (int i = 0; i < BOXES; i++) {
    char below[16] = "ground";
    if (i) snprintf(below, sizeof below, "b%d", i - 1);
    fprintf(to,
            "  c%d: {between: [%s, b%d], plane: {point: {%s: [0, 0, %g]}, normal: {%s: [0, 0, "
            "1]}}, points: [[-0.15, "
            "-0.1, -0.05], [-0.15, 0.1, -0.05], [0.15, -0.1, -0.05], [0.15, 0.1, -0.05]], "
            "friction: 0.4, restitution: "
            "0.2}\n",
            i, below, i, below, i ? 0.05 : 0.0, below);
  }
  fclose(to);
  run_text(&r, text, 0.01, 10);
  double speed = 0;
  const ga_state *s = ga_integrator_state(r.it);
  for (int i = 0; i < ga_space_nv(ga_mechanism_model(r.m)->space); i++)
    speed = fmax(speed, fabs(s->v[i]));
  for (int i = 0; i < BOXES; i++) {
    char name[16];
    snprintf(name, sizeof name, "c%d.n", i);
    assert_true(fabs(value(&r, name) - (BOXES - i) * G) <= 1e-6);
    snprintf(name, sizeof name, "b%d.z", i);
    assert_true(fabs(value(&r, name) - 0.05 - 0.1 * i) <= 1e-9);
  }
  /* an impact from the height of a box: sqrt(2 G 0.1) = 1.4 m/s */
  print_message("stack: largest velocity %g\n", speed);
  assert_true(speed <= 1e-9 * sqrt(2 * G * 0.1));
  /* gaps that are 0 to rounding are closed from the start */
  assert_int_equal(ga_integrator_contact_stats(r.it).changes, 0);
  close_run(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(box_on_a_slope), cmocka_unit_test(ladder),
                                     cmocka_unit_test(stack_of_boxes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
