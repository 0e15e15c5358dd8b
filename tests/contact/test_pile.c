/* SPDX-License-Identifier: MIT */
/* Spheres in a box of five planes, steps that are not cut: nothing penetrates, no step gains energy, the
 * floor carries the weight; also where a packing has more contact rows than velocities. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { SIDE = 3, N = SIDE * SIDE * SIDE, WALLS = 5 };
static const double RADIUS = 0.05, MASS = 0.5, G = 9.81;

/* Cells of this size, spheres away from their middles by up to `shake`. */
static ga_file *make_pile(double cell, double shake, double friction) {
  char *text = NULL;
  size_t length;
  uint64_t seed = 11;
  ga_error err;
  ga_file *file;
  FILE *to = open_memstream(&text, &length);
  assert_non_null(to);
  fprintf(to, "genalpha: 1\ngravity: [0, 0, -%g]\nbodies:\n", G);
  for (int i = 0; i < N; i++) {
    const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    fprintf(to, "  s%d: {shape: {sphere: {radius: %g}}, mass: %g, position: [", i, RADIUS, MASS);
    for (int k = 0; k < 3; k++) {
      fprintf(to, "%.17g%s", cell * (at[k] + 0.5) + shake * next_uniform(&seed), k < 2 ? ", " : "");
    }
    fprintf(to, "]}\n");
  }
  fprintf(to, "contacts:\n  all: {friction: %g, all: [", friction);
  for (int i = 0; i < N; i++) fprintf(to, "%ss%d", i ? ", " : "", i);
  fprintf(to, "]}\n");
  for (int i = 0; i < N; i++) {
    for (int w = 0; w < WALLS; w++) { /* the floor first */
      const double far = w == 2 || w == 4 ? SIDE * cell : 0, to_inside = far > 0 ? -1 : 1;
      fprintf(to, "  w%d_%d: {friction: %g, between: [ground, s%d], sphere: {radius: %g}", w, i,
              friction, i, RADIUS);
      fprintf(to, ", plane: {point: [%.17g, %.17g, 0], normal: [%g, %g, %d]}}\n", w < 3 ? far : 0,
              w < 3 ? 0 : far, w == 1 || w == 2 ? to_inside : 0, w > 2 ? to_inside : 0, w == 0);
    }
  }
  fclose(to);
  if (ga_file_parse("pile.yaml", text, length, NULL, &file, &err) != GA_OK)
    fail_msg("%s", err.text);
  free(text);
  return file;
}

static ga_integrator *start(ga_file *file, double h) {
  ga_integrator *it;
  ga_error err;
  ga_options o = ga_options_default();
  const ga_mechanism *m = ga_file_mechanism(file);
  o.h = h;
  o.contact = GA_CONTACT_STEP;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  return it;
}

/* Of all contacts: the least gap, the force of the floor on the spheres, the worst law of friction. */
static void judge(const ga_model *model, const ga_state *s, double *gap, double *floor,
                  double *law) {
  *gap = *floor = *law = 0;
  for (int i = 0; i < model->ncontacts; i++) {
    const ga_contact_state *c = &s->contacts[i];
    if (c->state == GA_CONTACT_OPEN) continue;
    *gap = fmin(*gap, c->gap);
    const double f = hypot(c->friction[0], c->friction[1]);
    *law = fmax(*law, fmax(f - model->contacts[i].friction * c->normal, -c->normal));
    if (i < WALLS * N && i % WALLS == 0) *floor += c->normal;
  }
}

/* They fall, hit each other, the floor and the walls. */
static void falling(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    ga_file *file = make_pile(2.4 * RADIUS, 0.1 * RADIUS, k ? 0.3 : 0);
    const ga_model *model = ga_mechanism_model(ga_file_mechanism(file));
    ga_integrator *it = start(file, 1e-3);
    const ga_state *s = ga_integrator_state(it);
    double before = INFINITY, gap, floor, law, kinetic, potential, deepest = 0, gains = 0;
    const double unit = MASS * G * RADIUS;
    while (s->t < 0.2) {
      must(ga_integrator_step(it), ga_integrator_error(it));
      judge(model, s, &gap, &floor, &law);
      assert_int_equal(model->ops->energy(model->user, s->t, s->q, s->v, &kinetic, &potential), 0);
      deepest = fmin(deepest, gap);
      gains = fmax(gains, kinetic + potential - before);
      before = kinetic + potential;
    }
    print_message("gap %.1e, a step gains %.1e of m g r, %ld changes\n", deepest, gains / unit,
                  ga_integrator_contact_stats(it).changes);
    assert_true(deepest >= -1e-9 * RADIUS);
    assert_true(gains <= 1e-9 * unit);
    assert_true(ga_integrator_contact_stats(it).changes > 50);
    ga_integrator_free(it);
    ga_file_free(file);
  }
}

/* A cube of spheres that touch each other and the walls stands: 27 columns on the floor, with three times
 * as many contact rows as velocities. */
static void standing(void **state) {
  (void)state;
  ga_file *file = make_pile(2 * RADIUS, 0, 0.3);
  const ga_model *model = ga_mechanism_model(ga_file_mechanism(file));
  ga_integrator *it = start(file, 1e-3);
  const ga_state *s = ga_integrator_state(it);
  double gap, floor, law, fastest = 0;
  must(ga_integrator_run(it, 0.05), ga_integrator_error(it));
  judge(model, s, &gap, &floor, &law);
  for (int i = 0; i < 6 * N; i++) fastest = fmax(fastest, fabs(s->v[i]));
  print_message("floor/weight - 1 = %.1e, laws %.1e N, speed %.1e\n", floor / (N * MASS * G) - 1,
                law, fastest);
  assert_true(fabs(floor / (N * MASS * G) - 1) <= 1e-6);
  assert_true(law <= 1e-6 && gap >= -1e-9 * RADIUS);
  assert_true(fastest <= 1e-8);
  ga_integrator_free(it);
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(falling), cmocka_unit_test(standing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
