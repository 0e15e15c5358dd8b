/* SPDX-License-Identifier: MIT */
/* Contacts give the same results in other units and in any order: bit by bit where lengths, masses and times are
 * multiplied by powers of two, to rounding in millimetres, kilometres, grams and so on, and with bodies and contacts
 * written in reverse order.
 *
 *     properties_units_of_contacts NAME    one of the scenes below */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "units_counts.h"

#define MOST_LINES 8
/* A scene: lines of bodies, of joints, of contacts or limits; steps while its motion is not chaotic. */
static const struct scene {
  const char *name;
  double h;
  int steps;
  const char *bodies[MOST_LINES], *joints, *contacts[MOST_LINES], *limits;
} scenes[] = {
    {.name = "box on its corners",
     .h = 5e-3,
     .steps = 60,
     .bodies = {"box: {mass: 1, shape: {box: [0.2, 0.3, 0.1]}, position: [0, 0, 0.3], velocity: "
                "[0.3, 0, 0], orientation: {rotation_vector: [0.2, 0.1, 0]}, angular_velocity: "
                "[0.1, -0.2, 0.97]}"},
     .contacts = {"floor: {between: [ground, box], box: [0.2, 0.3, 0.1], friction: 0.3, "
                  "restitution: 0.3}"}},
    {.name = "pile of spheres and a box",
     .h = 5e-3,
     .steps = 60,
     .bodies = {"box: {mass: 2, shape: {box: [0.6, 0.6, 0.1]}, position: [0, 0, 0.05]}",
                "a: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0.05, 0, 0.3]}",
                "b: {mass: 0.7, shape: {sphere: {radius: 0.08}}, position: [-0.2, 0.1, 0.35], "
                "velocity: [0.3, 0, 0]}"},
     .contacts = {"f: {between: [ground, box], shape: true, friction: 0.4}",
                  "ba: {between: [box, a], block: [0.6, 0.6, 0.1], sphere: {radius: 0.1}, "
                  "friction: 0.3, restitution: 0.4}",
                  "bb: {between: [box, b], block: [0.6, 0.6, 0.1], sphere: {radius: 0.08}, "
                  "friction: 0.3, restitution: 0.4}",
                  "ab: {between: [a, b], spheres: [0.1, 0.08], friction: 0.2, restitution: 0.5}"}},
    {.name = "clearance, disk and capsule",
     .h = 4e-3,
     .steps = 60,
     .bodies = {"bush: {mass: 3, inertia: [0.1, 0.1, 0.1], position: [3, 0, 1]}",
                "shaft: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [3, 0.005, 1], velocity: "
                "[0.1, 0, 0.2], angular_velocity: [0, 3, 0]}",
                "coin: {mass: 1, inertia: [0.1, 0.2, 0.1], position: [0, 0, 0.6], velocity: [1, 0, "
                "-0.5], orientation: {rotation_vector: [0.2, 0, 0]}}",
                "pill: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [0, 3, 0.4], velocity: [0, "
                "0.5, -1], orientation: {rotation_vector: [1.1, 0.1, 0]}}"},
     .joints = "hold: {type: fixed, between: [ground, bush]}",
     .contacts = {"pin: {between: [bush, shaft], inside: true, spheres: [0.03, 0.01], friction: "
                  "0.1, restitution: 0.4, centres: {bush: [0, 0, 0], shaft: [0, 0, 0]}}",
                  "rim: {between: [ground, coin], disk: {radius: 0.5, axis: [0, 1, 0]}, friction: "
                  "0.3, static_friction: 0.4}",
                  "round: {between: [ground, pill], capsule: {radius: 0.1, from: [0, 0, -0.3], to: "
                  "[0, 0, 0.3]}, friction: 0.2}"}},
    {.name = "limits and soft contacts",
     .h = 4e-3,
     .steps = 100,
     .bodies = {"arm: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 2], velocity: [0, 0, "
                "-0.5], angular_velocity: "
                "[0, 1, 0]}",
                "cart: {mass: 1, inertia: [1, 1, 1], position: [0, 2, 0], velocity: [2, 0, 0]}",
                "ball: {mass: 0.5, shape: {sphere: {radius: 0.2}}, position: [5, 0, 0.3], "
                "velocity: [1, 0, 0]}"},
     .joints = "hinge: {type: revolute, between: [ground, arm], at: [0, 0, 2], axis: [0, 1, 0]}\n"
               "  rail: {type: prismatic, between: [ground, cart], axis: [1, 0, 0]}",
     .contacts = {"soft: {between: [ground, ball], sphere: {radius: 0.2}, stiffness: 5e3, damping: "
                  "10, friction: 0.3, slip_speed: 0.01}"},
     .limits = "knee: {coordinate: hinge.angle, lower: -1, upper: 0.4, restitution: 0.3}\n"
               "  end: {coordinate: rail.position, lower: -0.1, upper: 0.3, restitution: 0.7}"},
};
enum { NSCENE = (int)(sizeof scenes / sizeof scenes[0]) };

static void put_lines(FILE *to, const char *key, const char *const *line, bool backwards) {
  int n = 0;
  while (n < MOST_LINES && line[n]) n++;
  if (n) fprintf(to, "%s:\n", key);
  for (int i = 0; i < n; i++) fprintf(to, "  %s\n", line[backwards ? n - 1 - i : i]);
}

static struct model model_of(const struct scene *s, bool backwards) {
  struct model model = {.h = s->h};
  size_t size;
  snprintf(model.name, sizeof model.name, "%s", s->name);
  FILE *to = open_memstream(&model.text, &size);
  assert_non_null(to);
  fprintf(to, "genalpha: 1\ngravity: [0, 0, -9.81]\n");
  put_lines(to, "bodies", s->bodies, backwards);
  if (s->joints) fprintf(to, "joints:\n  %s\n", s->joints);
  put_lines(to, "contacts", s->contacts, backwards);
  if (s->limits) fprintf(to, "limits:\n  %s\n", s->limits);
  fclose(to);
  return model;
}

static const char *only;

static void test_units(void **state) {
  (void)state;
  int differences = 0;
  for (int i = 0; i < NSCENE; i++) {
    if (only && strcmp(only, scenes[i].name) != 0) continue;
    struct model model = model_of(&scenes[i], false);
    bool ran;
    differences += count_differences(&model, scenes[i].steps, &ran);
    differences += count_other_numbers(&model, scenes[i].steps);
    assert_true(ran);
    free(model.text);
  }
  assert_int_equal(differences, 0);
}

/* Every column by its name: other orders add in other orders, no more. */
static void test_order(void **state) {
  (void)state;
  int differences = 0;
  for (int k = 0; k < NSCENE; k++) {
    if (only && strcmp(only, scenes[k].name) != 0) continue;
    struct model forth = model_of(&scenes[k], false), back = model_of(&scenes[k], true);
    for (int n = 0; n < 2; n++) {
      const double rounded = 1 + DBL_EPSILON;
      struct run a = run_in(&forth, &metres, methods[n], scenes[k].steps);
      struct run b = run_in(&back, &metres, methods[n], scenes[k].steps);
      struct run ulp =
          run_in(&forth, &(struct scales){rounded, 1, 1, rounded}, methods[n], scenes[k].steps);
      assert_int_equal(a.rows, scenes[k].steps + 1);
      assert_int_equal(b.rows, a.rows);
      /* b in the order of a */
      struct run sorted = b;
      sorted.values = calloc((size_t)(b.rows * b.columns), sizeof(double));
      const ga_mechanism *m = ga_file_mechanism(a.file), *other = ga_file_mechanism(b.file);
      assert_int_equal(a.columns, b.columns);
      for (int i = 0; i < a.columns; i++) {
        const int from = ga_mechanism_column_index(other, ga_mechanism_column_name(m, i));
        assert_true(from >= 0);
        for (int row = 0; row < b.rows; row++) {
          sorted.values[row * b.columns + i] = b.values[row * b.columns + from];
        }
      }
      differences += !same_numbers(scenes[k].name, &a, &sorted, &ulp, &metres, scenes[k].h);
      free(sorted.values);
      free_run(&a), free_run(&b), free_run(&ulp);
    }
    free(forth.text), free(back.text);
  }
  assert_int_equal(differences, 0);
}

int main(int argc, char **argv) {
  if (argc > 1) only = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_units), cmocka_unit_test(test_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
