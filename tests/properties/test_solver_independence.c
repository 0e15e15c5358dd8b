/* SPDX-License-Identifier: MIT */
/* Results do not depend on the linear solver or on the order of the bodies: every file of models/, a
 * slider without mass and random mechanisms (tests/properties/campaign/motion.h) move alike with
 * `dense`, `klu`, `mumps`, `auto` and with the bodies in reverse order, in absolute and in joint
 * coordinates. Lengths, angles and their
 * rates agree to 1e-9 of the largest of their kind. The runs are short: where one rounding of
 * gravity changes more than 1e-10, nothing is asked. */
#include <dirent.h>
#include <stdlib.h>

#include "campaign/coordinates.h"
#include "campaign/motion.h"
#include "support.h"

static const double allowed = 1e-9;
enum { STEPS = 200, MECHANISMS = 40, TREES = 20 };

/* Run a file with all solvers and in reverse order, and compare with `dense`. False if it has no such
 * coordinates. */
static bool check_run(const char *name, const char *text, const char *method,
                      const char *coordinates) {
  static const char *const solver[] = {"dense", "klu", "mumps", "auto", "auto"};
  const char *how = method ? method : "its own method";
  hard_motion first = {0};
  for (int run = 0; run < 5; run++) {
    hard_motion_options o = {
        .linsol = solver[run], .method = method, .coordinates = coordinates, .steps = STEPS};
    hard_motion motion;
    ga_error err = {0};
    char *reversed = run == 4 ? hard_reversed_bodies(text) : NULL;
    ga_status status = hard_motion_of(name, reversed ? reversed : text, &o, &motion, &err);
    free(reversed);
    if (status == GA_ERR_BACKEND) continue; /* a module that is not installed */
    if (run == 0 && strstr(err.text, "coordinates: joint:")) return false;
    if (status != GA_OK)
      fail_msg("%s, %s, %s, %s: %s", name, coordinates, how, solver[run], err.text);
    if (run == 0) {
      first = motion;
      assert_true(first.n > 0);
      continue;
    }
    double apart = hard_motion_distance(&first, &motion);
    if (!(apart <= allowed)) {
      fail_msg("%s, %s, %s: dense and %s%s are %.2g apart", name, coordinates, how, solver[run],
               run == 4 ? " with reversed bodies" : "", apart);
    }
    hard_motion_free(&motion);
  }
  hard_motion_free(&first);
  return true;
}

/* The same in both coordinates; the number of those that it has. */
static int check_file(const char *name, const char *text, const char *method) {
  return check_run(name, text, method, "absolute") + check_run(name, text, method, "joint");
}

static char *contents(const char *path) {
  FILE *f = fopen(path, "r");
  char *text = calloc(1, 1 << 20);
  assert_non_null(f);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
  fclose(f);
  return text;
}

static void files_of_models(void **state) {
  (void)state;
  DIR *directory = opendir(GA_MODELS);
  int count = 0, joint = 0;
  assert_non_null(directory);
  for (const struct dirent *entry; (entry = readdir(directory));) {
    char path[512];
    if (!strstr(entry->d_name, ".yaml")) continue;
    snprintf(path, sizeof path, "%s/%s", GA_MODELS, entry->d_name);
    char *text = contents(path);
    joint += check_file(path, text, NULL) > 1;
    free(text);
    count++;
  }
  closedir(directory);
  assert_true(count > 20 && joint > 15);
}

/* A slider without mass on a spring, with a rod hinged to it. */
static const char slider[] =
    "genalpha: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  hlp: {kind: planar, mass: 0, inertia: 0, position: [0.1, 0]}\n"
    "  rod: {kind: planar, mass: 2.0, inertia: 0.3, position: [0.6, 0]}\n"
    "joints:\n"
    "  sl: {type: prismatic, between: [ground, hlp], axis: [1, 0]}\n"
    "  pin: {type: revolute, between: [hlp, rod], at: [0.1, 0]}\n"
    "forces:\n"
    "  sp: {type: spring, between: [ground, hlp], stiffness: 200.0, damping: 2.0, length: 3.1, at: "
    "{ground: [-3.0, 0]}}\n"
    "run: {h: 0.005, t_end: 1}\n";

static void a_slider_without_mass(void **state) {
  (void)state;
  check_file("slider", slider, "stab2");
  check_file("slider", slider, "index3");
}

static void random_mechanisms(void **state) {
  (void)state;
  int sensitive = 0;
  for (int i = 0; i < MECHANISMS; i++) {
    hard_agreement a = hard_solvers_agree(20260, i);
    if (a.status != GA_OK) fail_msg("campaign --mechanisms 500 --only %d: %s", i, a.text);
    sensitive += a.sensitivity > 1e-10;
    if (a.sensitivity <= 1e-10 && !(a.apart <= allowed)) {
      fail_msg("campaign --mechanisms 500 --only %d: %s is %.2g apart", i, a.with, a.apart);
    }
  }
  assert_true(sensitive < MECHANISMS / 8);
}

/* Can it be built? Start values of random loops do not always fit together. */
static bool is_built(const char *text) {
  const ga_file_options joint = {.coordinates = "joint"};
  ga_file *file = NULL;
  const ga_status status = ga_file_parse("tree", text, strlen(text), &joint, &file, NULL);
  ga_file_free(file);
  return status == GA_OK;
}

/* Random trees with loops, drives and controllers, a kilometre away too. */
static void random_trees(void **state) {
  (void)state;
  int joint = 0;
  for (int i = 0; i < TREES; i++) {
    char name[40], *text = hard_coordinates_text(20260, i);
    snprintf(name, sizeof name, "campaign --coordinates 500 --only %d", i);
    joint += is_built(text) && check_run(name, text, i % 2 ? "stab2" : "index3", "joint");
    free(text);
  }
  assert_true(joint > TREES / 2);
}

/* The reverse order is another text of the same bodies, and the distance sees a change. */
static void the_comparison_sees_changes(void **state) {
  (void)state;
  char *reversed = hard_reversed_bodies(slider), other[sizeof slider];
  assert_int_equal(strlen(reversed), strlen(slider));
  assert_true(strstr(reversed, "  rod: {") < strstr(reversed, "  hlp: {"));
  assert_string_equal(strstr(reversed, "joints:"), strstr(slider, "joints:"));
  free(reversed);
  memcpy(other, slider, sizeof slider);
  memcpy(strstr(other, "200.0"), "200.1", 5);
  const hard_motion_options o = {.linsol = "dense", .steps = 100};
  hard_motion a, b;
  ga_error err = {0};
  must(hard_motion_of("a", slider, &o, &a, &err), &err);
  must(hard_motion_of("b", other, &o, &b, &err), &err);
  assert_true(hard_motion_distance(&a, &a) == 0);
  assert_true(hard_motion_distance(&a, &b) > 1e-6);
  hard_motion_free(&a);
  hard_motion_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_comparison_sees_changes),
      cmocka_unit_test(files_of_models),
      cmocka_unit_test(a_slider_without_mass),
      cmocka_unit_test(random_mechanisms),
      cmocka_unit_test(random_trees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
