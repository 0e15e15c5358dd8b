/* SPDX-License-Identifier: MIT */
/* Robots of other authors against reference values of other programs. The directory GA_ROBOTS (in
 * the environment), or shared/robots beside the sources, has the files and reference.json: for each one the counts, start values, the
 * accelerations of the joints at the start, and values and rates at a later time. Accelerations must
 * agree to 1e-10 of the largest one, the end to 1e-6 of the largest rate. Without a directory the
 * test is skipped: the files are not ours. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "base/read_file.h"
#include "file/yaml.h"
#include "mechanism/mechanism.h"
#include "support.h"

enum { JOINTS = 200 };

static double number(const ga_node *map, const char *key) {
  const ga_node *node = ga_node_find(map, key);
  if (!node) fail_msg("reference.json lacks %s", key);
  return strtod(node->text, NULL);
}

static const char *text(const ga_node *map, const char *key) {
  const ga_node *node = ga_node_find(map, key);
  return node && node->kind == GA_NODE_SCALAR ? node->text : "";
}

/* the coordinate of a joint of the robot */
static const ga_angle *coordinate(const ga_mechanism *m, const char *joint) {
  static const char *const ends[] = {".angle", ".position"};
  char name[200];
  for (int k = 0; k < 2; k++) {
    snprintf(name, sizeof name, "%s%s", joint, ends[k]);
    for (char *c = name; *c; c++) {
      if (c < name + strlen(joint) && strchr("-./ ", *c)) *c = '_';
    }
    for (int i = 0; i < m->coordinates.count; i++) {
      if (strcmp(m->coordinates.item[i].name, name) == 0) return &m->coordinates.item[i];
    }
  }
  fail_msg("no coordinate of %s", joint);
  return NULL;
}

/* the model file of a robot, with the start values of the reference */
static ga_file *load(const char *path, const ga_node *robot) {
  ga_import_start start[JOINTS];
  const ga_node *given = ga_node_find(robot, "start");
  ga_error err = {0};
  ga_imported *made;
  ga_file *file;
  int n = 0;
  for (const ga_node *j = given->first; j; j = j->next) {
    start[n++] = (ga_import_start){j->key->text,
                                   {strtod(j->first->text, NULL), true},
                                   {strtod(j->first->next->text, NULL), true}};
  }
  const ga_import_options options = {.start = start,
                                     .nstart = n,
                                     .ignore_friction = true,
                                     .floating = strcmp(text(robot, "base"), "floating") == 0};
  must(ga_import(path, &options, &made, &err), &err);
  char counts[300];
  snprintf(counts, sizeof counts, "%s: %g bodies, %g joints", text(robot, "file"),
           number(robot, "bodies"), number(robot, "joints"));
  const char *line = ga_imported_report(made, 0, NULL);
  if (strncmp(line, counts, strlen(counts)) != 0) fail_msg("'%s', not '%s'", line, counts);
  snprintf(counts, sizeof counts, "; %g degrees of freedom", number(robot, "freedom"));
  if (!strstr(line, counts)) fail_msg("'%s', not '%s'", line, counts);
  const char *model = ga_imported_model(made);
  must(ga_file_parse(path, model, strlen(model), NULL, &file, &err), &err);
  ga_imported_free(made);
  return file;
}

/* largest difference of accelerations, relative to the largest one */
static double acceleration_error(const ga_mechanism *m, const ga_node *robot, const ga_state *s) {
  double error = 0, largest = 0;
  for (const ga_node *j = ga_node_find(robot, "acceleration")->first; j; j = j->next) {
    const double expected = strtod(j->text, NULL);
    error = fmax(error, fabs(s->vd[coordinate(m, j->key->text)->v_at] - expected));
    largest = fmax(largest, fabs(expected));
  }
  return error / largest;
}

/* largest difference of values and rates at the end, relative to the largest rate */
static double end_error(const ga_mechanism *m, const ga_node *robot, const ga_state *s) {
  double error = 0, largest = 0;
  for (const ga_node *j = ga_node_find(robot, "end")->first; j; j = j->next) {
    const ga_angle *c = coordinate(m, j->key->text);
    const double value = strtod(j->first->text, NULL), rate = strtod(j->first->next->text, NULL);
    error = fmax(error, fmax(fabs(s->q[c->q_at] - value), fabs(s->v[c->v_at] - rate)));
    largest = fmax(largest, fabs(rate));
  }
  return error / largest;
}

static void check_robot(const char *directory, const ga_node *robot) {
  char path[500];
  ga_error err = {0};
  ga_integrator *it;
  snprintf(path, sizeof path, "%s/%s", directory, text(robot, "file"));
  ga_file *file = load(path, robot);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_options o = ga_options_default();
  o.h = 2.5e-4;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  const double at_start = acceleration_error(m, robot, ga_integrator_state(it));
  double *columns = calloc((size_t)ga_mechanism_columns(m), sizeof *columns);
  ga_mechanism_outputs(m, ga_integrator_state(it), columns);
  const double kinetic = columns[ga_mechanism_column_index(m, "energy.kinetic")];
  free(columns);
  must(ga_integrator_run(it, number(robot, "t")), ga_integrator_error(it));
  const double at_end = end_error(m, robot, ga_integrator_state(it));
  print_message("%-20s accelerations to %.1e, the end to %.1e, kinetic energy to %.1e\n",
                text(robot, "file"), at_start, at_end,
                fabs(kinetic / number(robot, "kinetic") - 1));
  assert_true(at_start <= 1e-10);
  assert_true(fabs(kinetic / number(robot, "kinetic") - 1) <= 1e-10);
  /* the light fingers of one hand turn by many radians: its own bound */
  assert_true(at_end <= (strcmp(text(robot, "file"), "inspire_right.urdf") == 0 ? 2e-5 : 1e-6));
  ga_integrator_free(it);
  ga_file_free(file);
}

static void robots_of_others(void **state) {
  (void)state;
  const char *directory = getenv("GA_ROBOTS");
  char path[500], *content;
  size_t length;
  ga_arena arena = {NULL, false};
  ga_error err = {0};
  const ga_node *list;
  if (!directory) directory = GA_MODELS "/../../shared/robots";
  snprintf(path, sizeof path, "%s/reference.json", directory);
  if (access(path, R_OK) != 0 || !ga_import_available()) skip();
  must(ga_read_file(path, "a reference", 10000000, &arena, &content, &length, &err), &err);
  must(ga_yaml_parse(path, content, length, &arena, &list, &err), &err);
  for (const ga_node *robot = list->first; robot; robot = robot->next)
    check_robot(directory, robot);
  ga_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(robots_of_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
