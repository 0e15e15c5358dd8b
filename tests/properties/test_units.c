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
#include <float.h>
#include <stdlib.h>

#include "controlled_model.h"
#include "random_mechanism.h"
#include "units_runs.h"

/* Exponents of length, mass, time: even, up to 30, 30 and 10. */
enum { NEXPONENT = 8 };
static const int exponents[NEXPONENT][3] = {{-10, 0, 0}, {0, -20, 0}, {0, 0, 6}, {30, 30, 10}};

/* Exponents number e of a model: four that all share, and four that are drawn by its name. */
static void choose_exponents(const char *name, int e, int *out) {
  struct chance c = {ga_hash(name) + (uint64_t)e};
  chance_of(&c, 2);
  for (int k = 0; k < 3; k++) {
    const int most = k < 2 ? 15 : 5;
    out[k] = e < 4 ? exponents[e][k] : 2 * (chance_of(&c, 2 * most + 1) - most);
  }
}
static const char *const methods[] = {"stab2", "index3"};

/* 2 to the three powers. */
static struct scales powers_of_two(const int *exponent) {
  return (struct scales){ldexp(1, exponent[0]), ldexp(1, exponent[1]), ldexp(1, exponent[2]), 0};
}

/* Number of units in which a model does not give the same bits; *ran: it runs in its own. */
static int count_differences(const struct model *model, int steps, bool *ran) {
  int differences = 0;
  *ran = true;
  for (int k = 0; k < 2; k++) {
    struct run base = run_in(model, &metres, methods[k], steps);
    if (base.error[0]) *ran = false;
    if (base.error[0]) printf("%s %s: %s\n", model->name, methods[k], base.error);
    for (int e = 0; e < NEXPONENT; e++) {
      char what[200];
      int power[3];
      choose_exponents(model->name, e, power);
      const struct scales of = powers_of_two(power);
      struct run other = run_in(model, &of, methods[k], steps);
      snprintf(what, sizeof what, "%s %s 2^(%d %d %d)", model->name, methods[k], power[0], power[1],
               power[2]);
      differences += !same_bits(what, &base, &other, &of);
      free_run(&other);
    }
    free_run(&base);
  }
  return differences;
}

/* ---- units of people -------------------------------------------------------------------------- */

/* One metre, kilogram, second in: mm and g; mm and mg; um and mg; km and t; km and g. */
static const struct scales units[] = {
    {1e3, 1e3, 1, 0}, {1e3, 1e6, 1, 0}, {1e6, 1e6, 1, 0}, {1e-3, 1e-3, 1, 0}, {1e-3, 1e3, 1, 0}};
enum { NUNIT = (int)(sizeof units / sizeof units[0]) };
/* Small and large mechanisms: 1 um and 1 mg, 10 um and 1 ug, 1000 km and 1e12 kg and 1000 s in place
 * of a metre, kilogram, second. */
static const struct scales extremes[] = {
    {1e-6, 1e-6, 1, 0}, {1e-5, 1e-9, 1, 0}, {1e6, 1e12, 1e3, 0}};
enum { NEXTREME = (int)(sizeof extremes / sizeof extremes[0]) };

/* A kind of columns: those with the same powers of mass and time in their units. Lengths are
 * divided out by the length of the mechanism, so that positions and angles, forces and moments
 * share a size. */
struct kind {
  int mass, time, length; /* powers in the unit */
};

/* The powers in a unit. */
static struct kind kind_of(const char *unit) {
  return (struct kind){ilogb(unit_factor(&(struct scales){1, 2, 1, 0}, unit, 1, 1)),
                       ilogb(unit_factor(&(struct scales){1, 1, 2, 0}, unit, 1, 1)),
                       ilogb(unit_factor(&(struct scales){2, 1, 1, 0}, unit, 1, 1))};
}

/* The largest |value| of all columns of a kind, lengths divided out. */
static double size_of_kind(const struct run *a, int mass, int time) {
  const ga_mechanism *m = ga_file_mechanism(a->file);
  double size = 0;
  for (int i = 0; i < a->columns; i++) {
    const char *unit = ga_mechanism_column_unit(m, i);
    if (!unit[0]) continue;
    const struct kind kind = kind_of(unit);
    if (kind.mass != mass || kind.time != time) continue;
    for (int row = 0; row < a->rows; row++) {
      const double x = fabs(a->values[row * a->columns + i]);
      size = fmax(size, x / pow(m->length, kind.length));
    }
  }
  return size;
}

/* The largest difference of column i in two runs; b is in units `of`. */
static double largest_difference(const struct run *a, const struct run *b, const struct scales *of,
                                 int i) {
  const double factor = column_factor(ga_file_mechanism(a->file), i, of);
  double difference = 0;
  for (int k = i; k < a->rows * a->columns; k += a->columns) {
    difference = fmax(difference, fabs(b->values[k] / factor - a->values[k]));
  }
  return difference;
}

/* What column i may differ by: positions and velocities 1e-9 of the largest of their kind, all else
 * 1e-7 of it, or ten times what one rounding of gravity and of lengths changes (sensitive). To each
 * belongs what roundings of positions Q mean: a step closes positions to 8 eps Q, velocities and
 * accelerations are these over h and beta h^2, index3 sums them up over the steps to 1/(1 - rho)^2,
 * and two runs are compared. Forces: times the ratio of forces and accelerations. */
static double allowed_difference(const struct run *a, const struct kind *kind, double h,
                                 double sensitive) {
  const bool motion = kind->mass == 0 && kind->time >= -1;
  const double size = size_of_kind(a, kind->mass, kind->time);
  const double mass = kind->mass == 0 ? 1 : size / size_of_kind(a, 0, kind->time);
  const double roundings = 2 * 8 / 0.277 / (0.1 * 0.1), Q = size_of_kind(a, 0, 0);
  const double rounding =
      roundings * DBL_EPSILON * Q * pow(h, kind->time) * (isfinite(mass) ? mass : 0);
  const double allowed = rounding + (motion ? 1e-9 : 1e-7) * size;
  return fmax(allowed * pow(ga_file_mechanism(a->file)->length, kind->length),
              motion ? 0 : 10 * sensitive);
}

/* Compare two runs with step size h, b in units `of`. ulp: the first one with another rounding of
 * gravity and lengths. Returns true if they agree. */
static bool same_numbers(const char *what, const struct run *a, const struct run *b,
                         const struct run *ulp, const struct scales *of, double h) {
  if (a->rows != b->rows) {
    printf("%s: %d rows against %d: '%s'\n", what, b->rows, a->rows, b->error);
    return false;
  }
  const ga_mechanism *m = ga_file_mechanism(a->file);
  for (int i = 0; i < a->columns; i++) {
    const char *unit = ga_mechanism_column_unit(m, i);
    if (!unit[0] || strcmp(unit, "s") == 0) continue;
    const struct kind kind = kind_of(unit);
    const double sensitive = largest_difference(a, ulp, &metres, i);
    const double difference = largest_difference(a, b, of, i);
    const double allowed = allowed_difference(a, &kind, h, sensitive);
    if (difference <= allowed) continue;
    printf("%s: %s differs by %.1e, allowed is %.1e; one rounding of the data changes %.1e\n", what,
           ga_mechanism_column_name(m, i), difference, allowed, sensitive);
    return false;
  }
  return true;
}

/* Number of extremes in which the model does not run as far as `base`. */
static int count_refused(const struct model *model, const struct run *base, const char *method,
                         int steps) {
  int refused = 0;
  for (int e = 0; e < NEXTREME; e++) {
    struct run other = run_in(model, &extremes[e], method, steps);
    if (other.rows < base->rows) {
      printf("%s %s is refused in units (%g %g %g): %s\n", model->name, method, extremes[e].length,
             extremes[e].mass, extremes[e].time, other.error);
    }
    refused += other.rows < base->rows;
    free_run(&other);
  }
  return refused;
}

/* Number of units of people in which a model gives other numbers, or is refused. */
static int count_other_numbers(const struct model *model, int steps) {
  int differences = 0;
  for (int k = 0; k < 2; k++) {
    struct run base = run_in(model, &metres, methods[k], steps);
    const double rounded = 1 + DBL_EPSILON;
    struct run ulp = run_in(model, &(struct scales){rounded, 1, 1, rounded}, methods[k], steps);
    for (int e = 0; e < NUNIT && !base.error[0] && ulp.rows == base.rows; e++) {
      char what[200];
      struct run other = run_in(model, &units[e], methods[k], steps);
      snprintf(what, sizeof what, "%s %s in units (%g %g %g)", model->name, methods[k],
               units[e].length, units[e].mass, units[e].time);
      differences += !same_numbers(what, &base, &other, &ulp, &units[e], model->h);
      free_run(&other);
    }
    differences += count_refused(model, &base, methods[k], steps);
    free_run(&ulp);
    free_run(&base);
  }
  return differences;
}

/* ---- models ----------------------------------------------------------------------------------- */

static const char *const models[] = {
    "andrews",         "bricard",      "cart",         "chain",           "door",
    "double-pendulum", "driven-crank", "four-bar",     "gear-pair",       "gear-train",
    "governor",        "gyroscope",    "heavy-top",    "n-four-bar",      "net",
    "pendulum",        "robot-arm",    "rolling-disk", "slider-crank-3d", "slider-crank-hinged",
    "slider-crank",    "stewart",      "truss",        "universal-shaft", "wishbone"};
enum { NMODEL = (int)(sizeof models / sizeof models[0]) };

/* The text of a file of models/, with its step size. */
static struct model read_model(const char *name) {
  struct model model = {.h = 1e-3};
  char path[300];
  ga_file *file = NULL;
  ga_error err = {0};
  const char *key, *value;
  int line;
  snprintf(model.name, sizeof model.name, "%s", name);
  snprintf(path, sizeof path, "%s/%s.yaml", GA_MODELS, name);
  must(ga_file_load(path, NULL, &file, &err), &err);
  for (int i = 0; ga_file_option(file, i, &key, &value, &line); i++) {
    if (strcmp(key, "h") == 0) model.h = strtod(value, NULL);
  }
  ga_file_free(file);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  model.text = calloc(1, 1 << 16);
  assert_non_null(model.text);
  assert_true(fread(model.text, 1, (1 << 16) - 1, in) > 0);
  fclose(in);
  return model;
}

/* All models, with this many steps; returns the number of differences. */
static int try_models(int steps) {
  int differences = 0;
  for (int i = 0; i < NMODEL; i++) {
    struct model model = read_model(models[i]);
    bool ran;
    differences += count_differences(&model, steps, &ran) + count_other_numbers(&model, steps);
    assert_true(ran);
    free(model.text);
  }
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
  int bits = 0, numbers = 0;
  unsigned runs = 0;
  for (unsigned i = first; i < first + count; i++) {
    struct model model = random_model(i);
    bool ran;
    bits += count_differences(&model, steps, &ran);
    numbers += count_other_numbers(&model, steps);
    runs += ran;
    free(model.text);
  }
  printf("%u of %u random mechanisms run; %d runs have other bits, %d other numbers\n", runs, count,
         bits, numbers);
  assert_true(10 * runs >= 9 * count);
  return bits + numbers;
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
  static const char *const with[] = {"rocking-block", "bouncing-balls", "skid"};
  const struct scales of = powers_of_two((int[]){2, 4, -2});
  for (int i = 0; i < 3; i++) {
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
