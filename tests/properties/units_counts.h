/* SPDX-License-Identifier: MIT */
/* In how many units does a model give other results? Powers of two: other bits; units of people: more
 * than rounding; extremes: no result. */
#ifndef GA_TESTS_UNITS_COUNTS_H
#define GA_TESTS_UNITS_COUNTS_H

#include <float.h>
#include <stdlib.h>

#include "mechanism/beam/beam.h"
#include "random_mechanism.h"
#include "units_runs.h"

/* Exponents of length, mass, time: even, up to 30, 30 and 10. */
enum { NEXPONENT = 8 };
static const int exponents[NEXPONENT][3] = {{-10, 0, 0}, {0, -20, 0}, {0, 0, 6}, {30, 30, 10}};

/* Exponents number e of a model: four that all share, and four that are drawn by its name. */
static inline void choose_exponents(const char *name, int e, int *out) {
  struct chance c = {ga_hash(name) + (uint64_t)e};
  chance_of(&c, 2);
  for (int k = 0; k < 3; k++) {
    const int most = k < 2 ? 15 : 5;
    out[k] = e < 4 ? exponents[e][k] : 2 * (chance_of(&c, 2 * most + 1) - most);
  }
}
static const char *const methods[] = {"stab2", "index3"};

/* 2 to the three powers. */
static inline struct scales powers_of_two(const int *exponent) {
  return (struct scales){ldexp(1, exponent[0]), ldexp(1, exponent[1]), ldexp(1, exponent[2]), 0};
}

/* Number of units in which a model does not give the same bits; *ran: it runs in its own. */
static inline int count_differences(const struct model *model, int steps, bool *ran) {
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
static inline struct kind kind_of(const char *unit) {
  return (struct kind){ilogb(unit_factor(&(struct scales){1, 2, 1, 0}, unit, 1, 1)),
                       ilogb(unit_factor(&(struct scales){1, 1, 2, 0}, unit, 1, 1)),
                       ilogb(unit_factor(&(struct scales){2, 1, 1, 0}, unit, 1, 1))};
}

/* The largest |value| of all columns of a kind, lengths divided out. */
static inline double size_of_kind(const struct run *a, int mass, int time) {
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
static inline double largest_difference(const struct run *a, const struct run *b,
                                        const struct scales *of, int i) {
  const double factor = column_factor(ga_file_mechanism(a->file), i, of);
  double difference = 0;
  for (int k = i; k < a->rows * a->columns; k += a->columns) {
    difference = fmax(difference, fabs(b->values[k] / factor - a->values[k]));
  }
  return difference;
}

/* The largest stiffness of an element of a beam, lengths divided out: force per length. */
static inline double stiffness_of_beams(const ga_mechanism *m) {
  double most = 0;
  for (int i = 0; i < m->others.count; i++) {
    if (m->others.item[i].type != &ga_element_beam) continue;
    const ga_beam_data *e = m->others.item[i].data;
    for (int k = 0; k < 6; k++) {
      most = fmax(most, e->K[7 * k] / (k < 3 ? m->length : pow(m->length, 3)));
    }
  }
  return most;
}

/* What column i may differ by: positions and velocities 1e-9 of the largest of their kind, all else
 * 1e-7 of it, or ten times what one rounding of gravity and of lengths changes (sensitive). To each
 * belongs what roundings of positions Q mean: a step closes positions to 8 eps Q, velocities and
 * accelerations are these over h and beta h^2, index3 sums them up over the steps to 1/(1 - rho)^2,
 * and two runs are compared. Forces: times the ratio of forces and accelerations; and what these
 * roundings stretch and bend the elements of beams by. */
static inline double allowed_difference(const struct run *a, const struct kind *kind, double h,
                                        double sensitive) {
  const ga_mechanism *m = ga_file_mechanism(a->file);
  const bool motion = kind->mass == 0 && kind->time >= -1;
  const double size = size_of_kind(a, kind->mass, kind->time);
  const double mass = kind->mass == 0 ? 1 : size / size_of_kind(a, 0, kind->time);
  const double roundings = 2 * 8 / 0.277 / (0.1 * 0.1), Q = size_of_kind(a, 0, 0);
  const double rounding =
      roundings * DBL_EPSILON * Q * pow(h, kind->time) * (isfinite(mass) ? mass : 0);
  const bool force = kind->mass == 1 && kind->time == -2;
  const double stiff = force ? 2 * 8 * DBL_EPSILON * Q * stiffness_of_beams(m) : 0;
  const double allowed = rounding + stiff + (motion ? 1e-9 : 1e-7) * size;
  return fmax(allowed * pow(m->length, kind->length), motion ? 0 : 10 * sensitive);
}

/* Compare two runs with step size h, b in units `of`. ulp: the first one with another rounding of
 * gravity and lengths. Returns true if they agree. */
static inline bool same_numbers(const char *what, const struct run *a, const struct run *b,
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
static inline int count_refused(const struct model *model, const struct run *base,
                                const char *method, int steps) {
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
static inline int count_other_numbers(const struct model *model, int steps) {
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

/* ---- both coordinates ------------------------------------------------------------------------- */

/* Can the model have these coordinates? Others are a message of the build. */
static inline bool has_coordinates(const struct model *model, const char *coordinates) {
  const ga_file_options with = {.coordinates = coordinates};
  ga_file *file = NULL;
  ga_error err = {0};
  ga_file_parse(model->name, model->text, strlen(model->text), &with, &file, &err);
  ga_file_free(file);
  return strstr(err.text, "coordinates: joint:") == NULL;
}

/* Differences in absolute and, if the model has them, in joint coordinates; *joint is then
 * increased. *ran: it runs in all of them. */
static inline int in_both_coordinates(const struct model *model, int steps, bool *ran, int *joint) {
  static const char *const kinds[] = {"absolute", "joint"};
  struct model with = *model;
  int differences = 0;
  *ran = true;
  for (int k = 0; k < 2; k++) {
    bool ran_so;
    if (!has_coordinates(model, kinds[k])) continue;
    *joint += k;
    with.coordinates = kinds[k];
    snprintf(with.name, sizeof with.name, "%.60s %s", model->name, kinds[k]);
    differences += count_differences(&with, steps, &ran_so) + count_other_numbers(&with, steps);
    *ran &= ran_so;
  }
  return differences;
}

/* ---- models ----------------------------------------------------------------------------------- */

/* The text of a file of models/, with its step size. */
static inline struct model read_model(const char *name) {
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

#endif
