/* SPDX-License-Identifier: MIT */
/* The registry of force types: each type accepts the fields of its table and refuses the others. */
#include "genalpha/ga_file.h"
#include "mechanisms.h"

/* how each field is written in a file, in the order of the bits GA_FORCE_HAS_.. */
static const char *const texts[] = {"body: rod",
                                    "between: [ground, rod]",
                                    "coordinate: pin.angle",
                                    "at: {rod: [1, 0, 0]}",
                                    "axis: [0, 0, 1]",
                                    "x_axis: [1, 0, 0]",
                                    "value: [1, t, 0]",
                                    "frame: body",
                                    "stiffness: 1",
                                    "damping: 1",
                                    "length: 1",
                                    "free: 1",
                                    "law: s",
                                    "friction: 1",
                                    "static_friction: 2",
                                    "speed: 0.1",
                                    "sum: {pin.angle: 2}",
                                    "gap: 0.01"};
enum { FIELDS = (int)(sizeof texts / sizeof texts[0]) };

static ga_status read_force(const char *type, unsigned fields, ga_error *err) {
  char text[1000];
  int used = snprintf(text, sizeof text,
                      "genalpha: 1\nbodies:\n"
                      "  rod: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                      "joints:\n"
                      "  pin: {type: revolute, between: [ground, rod], at: [0, 0, 0],"
                      " axis: [0, 0, 1]}\n"
                      "forces:\n  f: {type: %s",
                      type);
  for (int i = 0; i < FIELDS; i++) {
    const bool six = strcmp(type, "bushing") == 0 && (i == 8 || i == 9);
    if (!(fields >> i & 1)) continue;
    const char *field = texts[i];
    if (six) field = i == 8 ? "stiffness: [1, 1, 1, 1, 1, 1]" : "damping: [1, 1, 1, 1, 1, 1]";
    /* a list needs no body to be understood */
    if (i == 3 && (strcmp(type, "torsion") == 0 || strcmp(type, "friction") == 0 ||
                   strcmp(type, "backlash") == 0))
      field = "at: [1, 0, 0]";
    used += snprintf(text + used, sizeof text - (size_t)used, ", %s", field);
  }
  snprintf(text + used, sizeof text - (size_t)used, "}\n");
  ga_file *file = NULL;
  const ga_status status = ga_file_parse("m.yaml", text, strlen(text), NULL, &file, err);
  ga_file_free(file);
  return status;
}

/* all fields that a type uses are accepted together, each other one is refused */
static void fields(void **state) {
  (void)state;
  ga_force_type_info type;
  int count = 0;
  for (int i = 0; ga_force_types(i, &type); i++) {
    ga_error err = {0};
    count++;
    assert_true(*type.summary);
    assert_int_equal(type.needs & ~type.uses, 0);
    must(read_force(type.name, type.uses, &err), &err);
    must(read_force(type.name, type.needs, &err), &err);
    for (int k = 0; k < FIELDS; k++) {
      const unsigned bit = 1u << k;
      if (!(type.uses & bit)) {
        assert_refused(read_force(type.name, type.needs | bit, &err), &err, GA_ERR_FILE, "has no",
                       type.name);
      }
      if (type.needs & bit) {
        assert_refused(read_force(type.name, type.uses & ~bit, &err), &err, GA_ERR_FILE, NULL,
                       NULL);
      }
    }
  }
  assert_true(count >= 5);
  assert_false(ga_force_types(-1, &type));
  assert_false(ga_force_types(count, &type));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fields)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
