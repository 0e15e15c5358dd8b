/* SPDX-License-Identifier: MIT */
/* A file in both coordinates, see coordinates.h.
 *
 * Both runs are of order 2 with other constants: x_abs(h) - x_joint(h) = c h^2 + O(h^3). They meet if, for
 * some h, the largest difference of a column falls by 3.4 to 4.6 from 2h to h or is rounding, and the
 * columns extrapolated from these two differ by less than 1e-6. h is halved until both hold. A limit is met
 * or left at other fractions of a step for each h, so that c varies: three halvings and more may fall by that
 * in the mean.
 *
 * Differences are relative to a size: for lengths 1 m and for angles 1, the size of the mechanisms;
 * for others the largest column of their kind, rates, accelerations, forces with moments, and each other unit
 * by itself. What rounding is: rounding_of, and ten times what the order of the bodies changes in absolute
 * coordinates, where a mechanism is nearly singular. */
#include "coordinates.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion.h"

static const double close_enough = 1e-6;

/* ---- one run -------------------------------------------------------------------------------- */

typedef struct one_run {
  ga_file *file;
  ga_status status;
  bool built;
  int n;
  double *value;
  ga_error err;
} one_run;

static void free_run(one_run *run) {
  free(run->value);
  ga_file_free(run->file);
}

static one_run run_file(const char *name, const char *text, const char *coordinates,
                        const char *method, double h, double span) {
  one_run run = {0};
  ga_file_options with = {.coordinates = coordinates};
  ga_integrator *it = NULL;
  ga_options o = ga_options_default();
  o.method = method;
  o.h = h;
  o.redundant = GA_REDUNDANT_ALLOW;
  run.status = ga_file_parse(name, text, strlen(text), &with, &run.file, &run.err);
  if (run.status != GA_OK) return run;
  run.built = true;
  const ga_mechanism *m = ga_file_mechanism(run.file);
  run.n = ga_mechanism_columns(m);
  run.value = calloc((size_t)run.n + 1, sizeof *run.value);
  run.status = run.value ? ga_integrator_new(ga_mechanism_model(m), &o, &it, &run.err) : GA_ERR_MEM;
  if (run.status != GA_OK) return run;
  run.status = ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m));
  if (run.status == GA_OK) run.status = ga_integrator_run(it, span);
  if (run.status != GA_OK) run.err = *ga_integrator_error(it);
  if (run.status == GA_OK) {
    run.status = ga_mechanism_outputs(m, ga_integrator_state(it), run.value);
  }
  ga_integrator_free(it);
  return run;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* Kinds of columns that share a size. */
typedef enum kind { PLACE, RATE, ACCELERATION, FORCE, OTHER, KINDS } kind;

static kind kind_of(const char *unit) {
  static const struct {
    const char *unit;
    kind kind;
  } known[] = {{"m", PLACE},           {"rad", PLACE},           {"m/s", RATE},
               {"rad/s", RATE},        {"m/s^2", ACCELERATION},  {"rad/s^2", ACCELERATION},
               {"m/s2", ACCELERATION}, {"rad/s2", ACCELERATION}, {"N", FORCE},
               {"N m", FORCE}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(unit, known[i].unit) == 0) return known[i].kind;
  }
  return OTHER;
}

static double size_of(const one_run *run, int column) {
  const ga_mechanism *m = ga_file_mechanism(run->file);
  const char *unit = ga_mechanism_column_unit(m, column);
  const kind own = kind_of(unit);
  double most = 1;
  if (own == PLACE) return 1;
  for (int i = 0; i < run->n; i++) {
    const char *other = ga_mechanism_column_unit(m, i);
    if (own == OTHER ? strcmp(unit, other) == 0 : kind_of(other) == own) {
      most = fmax(most, fabs(run->value[i]));
    }
  }
  return most;
}

/* Rounding of a column, relative to its size: positions Q are closed to 8 eps Q in a step, velocities and
 * accelerations are these over h and beta h^2, and index3 sums them up over the steps to 1/(1 - rho)^2; two
 * runs are compared. */
static double rounding_of(const one_run *run, int column, double h, double size) {
  const ga_mechanism *m = ga_file_mechanism(run->file);
  double place = 1;
  for (int i = 0; i < run->n; i++) {
    if (strcmp(ga_mechanism_column_unit(m, i), "m") == 0) place = fmax(place, fabs(run->value[i]));
  }
  const kind own = kind_of(ga_mechanism_column_unit(m, column));
  const int order = own == PLACE ? 0 : own == RATE ? 1 : 2;
  const double roundings = 2 * 8 / 0.277 / (0.1 * 0.1);
  return 1e-9 + roundings * DBL_EPSILON * place / pow(h, order) / size;
}

/* Is this column a force of a joint? They are not unique where rows follow from others. */
static bool is_reaction(const ga_mechanism *m, int column) {
  static const char *const end[] = {".fx", ".fy", ".fz", ".mx", ".my", ".mz",     ".Fx",
                                    ".Fy", ".Fz", ".Mx", ".My", ".Mz", ".effort", ".tension"};
  const char *name = ga_mechanism_column_name(m, column), *dot = strrchr(name, '.');
  for (size_t i = 0; dot && i < sizeof end / sizeof *end; i++) {
    if (strcmp(dot, end[i]) == 0) return true;
  }
  return false;
}

/* The largest difference of two runs in the columns of each kind, relative to their sizes. */
static void differences_of_kinds(const one_run *a, const one_run *b, bool reactions,
                                 double most[KINDS]) {
  const ga_mechanism *m = ga_file_mechanism(a->file);
  for (int i = 0; i < a->n; i++) {
    const char *name = ga_mechanism_column_name(m, i);
    const int j = ga_mechanism_column_index(ga_file_mechanism(b->file), name);
    if (j < 0 || (!reactions && is_reaction(m, i))) continue;
    const kind own = kind_of(ga_mechanism_column_unit(m, i));
    most[own] = fmax(most[own], fabs(a->value[i] - b->value[j]) / size_of(a, i));
  }
}

/* ---- comparison ----------------------------------------------------------------------------- */

/* Differences of the pair number k, with step size h, and of it extrapolated with the coarser pair. Returns
 * by what the largest has fallen of those columns that are not rounding; 4 if all are. */
static double measure(const one_run *coarse, const one_run *fine, double h, int k,
                      const double noise[KINDS], hard_comparison *c) {
  const ga_mechanism *m = ga_file_mechanism(fine->file);
  double most = 0, most_before = 0;
  for (int i = 0; i < fine->n; i++) {
    if (!c->reactions && is_reaction(m, i)) continue;
    const double size = size_of(fine, i), drawn = noise[kind_of(ga_mechanism_column_unit(m, i))];
    const double least = rounding_of(fine, i, h, size) + 10 * drawn;
    const double d = (fine[0].value[i] - fine[1].value[i]) / size;
    if (!(fabs(d) <= c->apart[k])) {
      c->apart[k] = fabs(d);
      snprintf(c->column[k][0], sizeof c->column[k][0], "%s", ga_mechanism_column_name(m, i));
    }
    if (!coarse) continue;
    const double before = (coarse[0].value[i] - coarse[1].value[i]) / size;
    if (fabs(d) > 10 * least) {
      most = fmax(most, fabs(d));
      most_before = fmax(most_before, fabs(before));
    }
    const double x = fmax(fabs((4 * d - before) / 3) - 2 * least, 0);
    if (x <= c->extrapolated[k]) continue;
    c->extrapolated[k] = x;
    snprintf(c->column[k][1], sizeof c->column[k][1], "%s", ga_mechanism_column_name(m, i));
  }
  return most > 0 ? most_before / most : 4;
}

void hard_print_comparison(const hard_comparison *c) {
  for (int k = 0; k < c->count; k++) {
    printf("    %.2g (%s), extrapolated %.2g (%s)\n", c->apart[k], c->column[k][0],
           c->extrapolated[k], c->column[k][1]);
  }
}

static bool same_names(const one_run *pair) {
  const ga_mechanism *a = ga_file_mechanism(pair[0].file), *b = ga_file_mechanism(pair[1].file);
  for (int i = 0; i < pair[0].n && i < pair[1].n; i++) {
    if (strcmp(ga_mechanism_column_name(a, i), ga_mechanism_column_name(b, i)) != 0) return false;
    if (strcmp(ga_mechanism_column_unit(a, i), ga_mechanism_column_unit(b, i)) != 0) return false;
  }
  return pair[0].n == pair[1].n;
}

/* The runs of a pair that end badly, and what that means. */
static bool both_ran(const one_run *pair, hard_comparison *c) {
  const one_run *bad = pair[0].status != GA_OK ? &pair[0] : &pair[1];
  if (bad->status == GA_OK) return true;
  snprintf(c->text, sizeof c->text, "%s: %.180s", bad == pair ? "absolute" : "joint",
           bad->err.text);
  c->meeting = HARD_ONE_FAILS;
  if (pair[0].status != GA_OK && pair[1].status != GA_OK) c->meeting = HARD_NEITHER;
  if (!pair[0].built || (!pair[1].built && strstr(bad->err.text, "coordinates: joint"))) {
    c->meeting = HARD_REFUSED;
  }
  return false;
}

static bool unique(const ga_mechanism *m) {
  ga_check check;
  const ga_status status =
      ga_mechanism_check(m, 0, ga_mechanism_q0(m), ga_mechanism_v0(m), NULL, NULL, &check, NULL);
  return status == GA_OK && check.redundant == 0;
}

hard_comparison hard_compare_texts(const char *name, const char *text, const char *joint,
                                   const char *method, double h, double span) {
  static const char *const kinds[] = {"absolute", "joint"};
  hard_comparison c = {.meeting = HARD_APART};
  one_run pair[2][2] = {{{0}}};
  for (int k = 0; k < HARD_HALVINGS; k++, h /= 2) {
    one_run *fine = pair[k % 2], *coarse = k > 0 ? pair[1 - k % 2] : NULL;
    for (int i = 0; i < 2; i++) {
      free_run(&fine[i]);
      fine[i] = run_file(name, i ? joint : text, kinds[i], method, h, span);
    }
    if (!both_ran(fine, &c)) break;
    if (k == 0) c.reactions = unique(ga_file_mechanism(fine[0].file));
    if (!same_names(fine)) {
      snprintf(c.text, sizeof c.text, "the columns have other names");
      break;
    }
    double noise[KINDS] = {0};
    char *other = hard_reversed_bodies(text);
    one_run reversed = run_file(name, other, kinds[0], method, h, span);
    if (reversed.status == GA_OK) {
      differences_of_kinds(&fine[0], &reversed, c.reactions, noise);
    }
    free(other);
    free_run(&reversed);
    const double fallen = measure(coarse, fine, h, k, noise, &c);
    c.count = k + 1;
    if (!coarse || !(c.extrapolated[k] <= close_enough)) continue;
    const double mean = pow(c.apart[0] / c.apart[k], 1.0 / k);
    if (!(fallen >= 3.4 && fallen <= 4.6) && !(k >= 3 && mean >= 3.4 && mean <= 4.6)) continue;
    c.meeting = HARD_MEET;
    break;
  }
  for (int i = 0; i < 4; i++) free_run(&pair[i / 2][i % 2]);
  return c;
}

hard_comparison hard_compare_coordinates(const char *name, const char *text, const char *method,
                                         double h, double span) {
  return hard_compare_texts(name, text, text, method, h, span);
}
