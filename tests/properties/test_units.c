/* SPDX-License-Identifier: MIT */
/* The same results in other units. Lengths, masses and times of a model file are multiplied by
 * powers of two with even exponents; the run in the new units, scaled back, must be the run in the
 * old ones, bit by bit: every column after every step. In millimetres, kilometres, grams and so on
 * the results agree to rounding.
 *
 *     properties_units                      the models and some random mechanisms
 *     properties_units random FIRST COUNT   COUNT random mechanisms from number FIRST on
 *     properties_units models STEPS         the models, STEPS steps each
 *     properties_units automatic STEPS      some models with automatic steps
 *     properties_units one NAME METHOD A B C   one model or number of a random mechanism, 2^A 2^B 2^C
 *     properties_units print NUMBER         the text of a random mechanism */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdlib.h>

#include "controlled_model.h"
#include "random_mechanism.h"
#include "units_counts.h"

/* ---- models ----------------------------------------------------------------------------------- */

static const char *const models[] = {
    "andrews",         "bricard",      "cart",         "chain",           "door",
    "double-pendulum", "driven-crank", "four-bar",     "gear-pair",       "gear-train",
    "governor",        "gyroscope",    "heavy-top",    "n-four-bar",      "net",
    "pendulum",        "robot-arm",    "rolling-disk", "slider-crank-3d", "slider-crank-hinged",
    "slider-crank",    "stewart",      "truss",        "universal-shaft", "wishbone"};
enum { NMODEL = (int)(sizeof models / sizeof models[0]) };

/* All models, with this many steps; returns the number of differences. */
static int try_models(int steps) {
  int differences = 0, joint = 0;
  for (int i = 0; i < NMODEL; i++) {
    struct model model = read_model(models[i]);
    bool ran;
    differences += in_both_coordinates(&model, steps, &ran, &joint);
    assert_true(ran);
    free(model.text);
  }
  assert_true(joint >= 15);
  return differences;
}

/* Random mechanism number `number`. */
static struct model random_model(unsigned number) {
  struct model model = {.text = random_mechanism(number), .h = 2e-3};
  snprintf(model.name, sizeof model.name, "random%u", number);
  return model;
}

/* `count` random mechanisms from number `first` on; returns the number of differences. */
static int try_random(unsigned first, unsigned count, int steps) {
  int differences = 0, joint = 0;
  unsigned runs = 0;
  for (unsigned i = first; i < first + count; i++) {
    struct model model = random_model(i);
    bool ran;
    differences += in_both_coordinates(&model, steps, &ran, &joint);
    runs += ran;
    free(model.text);
  }
  printf(
      "%u of %u random mechanisms run, %d in joint coordinates too; %d runs have other bits or "
      "numbers\n",
      runs, count, joint, differences);
  assert_true(10 * runs >= 9 * count);
  assert_true(count < 40 || 4 * (unsigned)joint >= count);
  return differences;
}

static void test_controlled(void **state) {
  (void)state;
  struct model model = {.h = 2e-3};
  bool ran;
  snprintf(model.name, sizeof model.name, "controlled");
  model.text = calloc(1, sizeof controlled);
  assert_non_null(model.text);
  memcpy(model.text, controlled, sizeof controlled);
  assert_int_equal(count_differences(&model, 20, &ran) + count_other_numbers(&model, 20), 0);
  assert_true(ran);
  free(model.text);
}

static void test_models(void **state) {
  (void)state;
  assert_int_equal(try_models(10), 0);
}

/* Automatic steps (atol 0) of some models: sizes scale with the unit of time, so that time and all
 * columns have the same bits after every step. Returns the number of differences. */
static int try_automatic(int steps) {
  static const char *const with[] = {"cart",         "double-pendulum", "driven-crank",
                                     "four-bar",     "governor",        "heavy-top",
                                     "rolling-disk", "slider-crank-3d", "stewart"};
  int differences = 0;
  for (int i = 0; i < (int)(sizeof with / sizeof with[0]); i++) {
    struct model model = read_model(with[i]);
    bool ran;
    model.rtol = 1e-5;
    differences += count_differences(&model, steps, &ran);
    assert_true(ran);
    free(model.text);
  }
  return differences;
}

static void test_automatic(void **state) {
  (void)state;
  assert_int_equal(try_automatic(20), 0);
}

/* Contacts: impacts, stops and rest fall into the same steps. */
static void test_contacts(void **state) {
  (void)state;
  static const char *const with[] = {"rocking-block", "bouncing-balls", "skid", "woodpecker"};
  const struct scales of = powers_of_two((int[]){2, 4, -2});
  for (int i = 0; i < 4; i++) {
    struct model model = read_model(with[i]);
    struct run base = run_in(&model, &metres, "stab2", 300),
               other = run_in(&model, &of, "stab2", 300);
    assert_int_equal(base.rows, 301);
    assert_true(same_bits(with[i], &base, &other, &of));
    free_run(&base);
    free_run(&other);
    free(model.text);
  }
}

static void test_random(void **state) {
  (void)state;
  assert_int_equal(try_random(1, 40, 10), 0);
}

/* A wheel at rest, whose axis a joint holds, beside bodies that move: its true acceleration is zero,
 * and rounding errors are never small relative to themselves. The iterations of the others are
 * enough; it took twenty, down to numbers that underflow, which are not the same in all units. */
static void test_rest(void **state) {
  (void)state;
  struct model model = random_model(73);
  struct run run = run_in(&model, &metres, "stab2", 5);
  assert_int_equal(run.rows, 6);
  assert_true(run.iterations <= 4 * 5);
  free_run(&run);
  free(model.text);
}

/* The unit of every field is known: none is read as a number without one, unless it has none. */
static void test_fields(void **state) {
  (void)state;
  for (const ga_section *s = ga_sections; s->name; s++) {
    for (const ga_field *f = s->fields; f->key; f++) {
      const bool pure = f->words || strcmp(f->form, "orientation") == 0 ||
                        strcmp(f->form, "direction") == 0 || strcmp(f->form, "turns") == 0 ||
                        strcmp(f->form, "name") == 0 || strcmp(f->form, "names") == 0 ||
                        strcmp(f->form, "between") == 0 || strcmp(f->form, "coordinate") == 0 ||
                        strcmp(f->form, "flag") == 0 || strcmp(f->form, "text") == 0 ||
                        strcmp(f->form, "numbers") == 0 || strstr(f->form, "_type");
      if (pure == (f->unit == NULL)) continue;
      fail_msg("%s.%s: a number has a unit, words and directions have none", s->name, f->key);
    }
  }
}

/* A rod on a slider, in metres and in millimetres, with large steps: a position correction without
 * a metric turned it by a million radians in millimetres. */
static void test_slider(void **state) {
  (void)state;
  static const char *const text =
      "genalpha: 1\n"
      "gravity: [0, -9.81, 0]\n"
      "bodies:\n"
      "  slider: {kind: planar, mass: 1, inertia: 1}\n"
      "  rod: {kind: planar, mass: 1, inertia: 1/12, position: [1/2, 0], velocity: [0, 1],\n"
      "        angular_velocity: 2}\n"
      "joints:\n"
      "  guide: {type: prismatic, between: [ground, slider], axis: [1, 0]}\n"
      "  pin: {type: revolute, between: [slider, rod], at: [0, 0]}\n";
  const double h[] = {0.04, 0.01};
  double angle[2];
  for (int k = 0; k < 2; k++) {
    struct model model = {.h = h[k]};
    snprintf(model.name, sizeof model.name, "slider");
    model.text = strdup(text);
    const int steps = (int)round(4 / h[k]);
    assert_int_equal(count_other_numbers(&model, steps), 0);
    struct run mm = run_in(&model, &units[0], "stab2", steps);
    const ga_mechanism *m = ga_file_mechanism(mm.file);
    assert_int_equal(mm.rows, steps + 1);
    const int energy = ga_mechanism_column_index(m, "energy.total");
    const double *last = mm.values + (mm.rows - 1) * mm.columns;
    angle[k] = last[ga_mechanism_column_index(m, "rod.angle")];
    /* relative to m g l of the rod */
    const double drift = (last[energy] - mm.values[energy]) / (9.81 * 1e9);
    assert_true(fabs(drift) < (k == 0 ? 0.05 : 0.005));
    free_run(&mm);
    free(model.text);
  }
  assert_true(fabs(angle[0] - angle[1]) < 0.3);
}

/* One model or random mechanism, method and three exponents: prints the first difference. */
static int try_one(char **argv) {
  const bool number = isdigit((unsigned char)argv[0][0]);
  struct model model = number ? random_model((unsigned)atoi(argv[0])) : read_model(argv[0]);
  const struct scales of = powers_of_two((int[]){atoi(argv[2]), atoi(argv[3]), atoi(argv[4])});
  struct run base = run_in(&model, &metres, argv[1], 10), other = run_in(&model, &of, argv[1], 10);
  const bool same = same_bits(argv[0], &base, &other, &of);
  free_run(&base);
  free_run(&other);
  free(model.text);
  return !same;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "random") == 0) {
    return try_random((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), 40) > 0;
  }
  if (argc == 3 && strcmp(argv[1], "automatic") == 0) return try_automatic(atoi(argv[2])) > 0;
  if (argc == 3 && strcmp(argv[1], "models") == 0) return try_models(atoi(argv[2])) > 0;
  if (argc == 7 && strcmp(argv[1], "one") == 0) return try_one(argv + 2);
  if (argc == 3 && strcmp(argv[1], "print") == 0) {
    char *text = random_mechanism((unsigned)atoi(argv[2]));
    printf("%s", text);
    free(text);
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fields),   cmocka_unit_test(test_controlled),
      cmocka_unit_test(test_models),   cmocka_unit_test(test_automatic),
      cmocka_unit_test(test_contacts), cmocka_unit_test(test_random),
      cmocka_unit_test(test_rest),     cmocka_unit_test(test_slider)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
