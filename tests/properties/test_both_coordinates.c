/* SPDX-License-Identifier: MIT */
/* The same columns in absolute and in joint coordinates, in the limit h -> 0: every file of models/ that
 * has both, and random mechanisms (tests/properties/campaign/random_trees.c; `make campaign` takes 500), with
 * stab2 and index3. How they are compared: tests/properties/campaign/coordinates.c. */
#include <dirent.h>
#include <stdlib.h>

#include "campaign/coordinates.h"
#include "support.h"

enum { MECHANISMS = 16, STEPS = 40 };
static const char *const methods[] = {"stab2", "index3"};

static char *contents(const char *path) {
  FILE *f = fopen(path, "r");
  char *text = calloc(1, 1 << 16);
  assert_non_null(f);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
  fclose(f);
  return text;
}

static bool is_robot(const char *name) {
  const size_t length = strlen(name);
  return length > 5 && strcmp(name + length - 5, ".urdf") == 0;
}

/* The model file that a robot becomes, with 0.4 sin k and 0.5 cos k of joint k = 1, 2, .. in the order of
 * its coordinates, so that it moves. */
static char *robot_contents(const char *path) {
  ga_imported *made = NULL;
  ga_error err = {0};
  ga_import_start start[40];
  char name[40][40], *text = calloc(1, 1 << 16);
  int n = 0;
  assert_non_null(text);
  must(ga_import(path, NULL, &made, &err), &err);
  const char *model = ga_imported_model(made), *at = strstr(model, "\noutput: [");
  assert_non_null(at);
  for (at += strlen("\noutput: ["); n < 40 && sscanf(at, "%39[^.].", name[n]) == 1; n++) {
    if (strcmp(name[n], "energy") == 0) break;
    char mimics[60];
    snprintf(mimics, sizeof mimics, "mimic_%s:", name[n]);
    at = strchr(at, ' ') + 1;
    if (strstr(model, mimics)) n--;
  }
  for (int k = 0; k < n; k++) {
    const double c = strstr(name[k], "grip") ? 0.05 : 1;
    start[k] =
        (ga_import_start){name[k], {c * 0.4 * sin(k + 1), true}, {c * 0.5 * cos(k + 1), true}};
  }
  ga_imported_free(made);
  const ga_import_options with = {.start = start, .nstart = n};
  must(ga_import(path, &with, &made, &err), &err);
  snprintf(text, 1 << 16, "%s", ga_imported_model(made));
  ga_imported_free(made);
  return text;
}

/* The step size of a file. */
static double own_step(const char *path) {
  ga_file *file = NULL;
  ga_error err = {0};
  const char *key, *value;
  double h = 1e-3;
  int line;
  must(ga_file_load(path, NULL, &file, &err), &err);
  for (int i = 0; ga_file_option(file, i, &key, &value, &line); i++) {
    if (strcmp(key, "h") == 0) h = strtod(value, NULL);
  }
  ga_file_free(file);
  return h;
}

static void files_of_models(void **state) {
  (void)state;
  DIR *directory = opendir(GA_MODELS);
  int met = 0, apart = 0;
  assert_non_null(directory);
  for (const struct dirent *entry; (entry = readdir(directory));) {
    char path[512];
    const bool robot = is_robot(entry->d_name);
    if (!robot && !strstr(entry->d_name, ".yaml")) continue;
    snprintf(path, sizeof path, "%s/%s", GA_MODELS, entry->d_name);
    char *text = robot ? robot_contents(path) : contents(path);
    const double h = own_step(path);
    for (int k = 0; k < 2; k++) {
      const hard_comparison c = hard_compare_coordinates(path, text, methods[k], h, STEPS * h);
      met += c.meeting == HARD_MEET;
      if (c.meeting == HARD_MEET || (c.meeting == HARD_REFUSED && !robot)) continue;
      printf("%s, %s: %s\n", entry->d_name, methods[k], c.text);
      hard_print_comparison(&c);
      apart++;
    }
    free(text);
  }
  closedir(directory);
  assert_int_equal(apart, 0);
  assert_true(met >= 52);
}

static void random_mechanisms(void **state) {
  (void)state;
  int met = 0, reactions = 0;
  for (int i = 0; i < MECHANISMS; i++) {
    char *text = hard_coordinates_text(20260, i);
    for (int k = 0; k < 2; k++) {
      const hard_comparison c =
          hard_compare_coordinates("random", text, methods[k], 4e-3, STEPS * 4e-3);
      met += c.meeting == HARD_MEET;
      reactions += c.meeting == HARD_MEET && c.reactions;
      if (c.meeting == HARD_MEET || c.meeting == HARD_REFUSED) continue;
      hard_print_comparison(&c);
      fail_msg("campaign --coordinates 500 --only %d, %s: %s", i, methods[k], c.text);
    }
    free(text);
  }
  assert_true(met >= 24 && reactions >= 24);
}

/* Other mechanisms do not meet: gravity is larger by a thousandth in one of them. */
static void the_comparison_sees_changes(void **state) {
  (void)state;
  static const char text[] =
      "{genalpha: 1, gravity: [0, 0, -9.81], bodies: {b: {mass: 1, inertia: [1, 1, 1]}}, joints: "
      "{j: {type: revolute, between: [ground, b], at: [-1, 0, 0], axis: [0, 1, 0]}}, forces: "
      "{s: {type: torsion, coordinate: j.angle, stiffness: 20}}}";
  char other[sizeof text];
  memcpy(other, text, sizeof text);
  hard_comparison c = hard_compare_coordinates("a", text, "stab2", 4e-3, 0.16);
  assert_int_equal(c.meeting, HARD_MEET);
  assert_true(c.reactions && c.apart[0] > 1e-9);
  memcpy(strstr(other, "-9.81"), "-9.82", 5);
  c = hard_compare_texts("a", text, other, "stab2", 4e-3, 0.16);
  assert_int_equal(c.meeting, HARD_APART);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_of_models),
                                     cmocka_unit_test(random_mechanisms),
                                     cmocka_unit_test(the_comparison_sees_changes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
