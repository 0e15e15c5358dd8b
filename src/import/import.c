/* SPDX-License-Identifier: MIT */
/* From the file of a robot to the text of a model file. */
#include "genalpha/ga_import.h"

#include <string.h>

#include "base/read_file.h"
#include "import/robot.h"

static const long LENGTH_MAX = 50000000; /* bytes: as a model file */
enum { LINES_MAX = 1000 };               /* lines of a report */

struct ga_imported {
  ga_arena arena;
  ga_buffer model;
  const char *line[LINES_MAX];
  ga_log_level level[LINES_MAX];
  int nline;
};

/* Is libexpat built in? */
bool ga_import_available(void) {
  return ga_xml_available();
}

/* Does the path end in .urdf or .xml? */
bool ga_import_named(const char *path) {
  const char *end = strrchr(path, '.');
  return end && (strcmp(end, ".urdf") == 0 || strcmp(end, ".xml") == 0);
}

/* Warn of a joint that starts beyond its stops. */
static bool check_stops(ga_robot *r, const ga_robot_joint *j) {
  const double x = j->value[0];
  if (!r->options->stops || !j->lower.given || j->lower.value > j->upper.value) return true;
  if (x >= j->lower.value && x <= j->upper.value) return true;
  return ga_robot_report(
      r, GA_LOG_WARNING, j->limit,
      "joint '%.60s' starts at %g, outside its limits %g to %g: the stop pushes it", j->name, x,
      j->lower.value, j->upper.value);
}

/* Count what the options leave out: limits and frictions; look at what they take. */
static bool count_unused(ga_robot *r) {
  for (int i = 0; i < r->njoint; i++) {
    const ga_robot_joint *j = &r->joints[i];
    const bool friction = j->friction > 0 && ga_robot_moves(j) &&
                          (r->options->ignore_friction || ga_robot_coordinates(j) != 1);
    if (j->lower.given && !r->options->stops && !ga_robot_unused(r, GA_UNUSED_LIMIT, j->limit)) {
      return false;
    }
    if (friction && !ga_robot_unused(r, GA_UNUSED_FRICTION, j->node)) return false;
    if (!check_stops(r, j)) return false;
    if (j->damping > 0 && ga_robot_moves(j) && ga_robot_coordinates(j) != 1 &&
        !ga_robot_report(r, GA_LOG_WARNING, j->node, "the damping of this type is left out")) {
      return false;
    }
    if (j->type == GA_ROBOT_PLANAR &&
        !ga_robot_note(r, j->node, "x and y of a planar joint follow the axes of the model file")) {
      return false;
    }
  }
  return true;
}

/* The root must be <robot>. */
static bool check_root(ga_robot *r) {
  const char *name = r->root_element->name;
  if (strcmp(name, "robot") == 0) return true;
  if (strcmp(name, "mujoco") == 0 || strcmp(name, "mujocoinclude") == 0) {
    return ga_robot_fail(r, r->root_element, "MJCF is not read yet, URDF (<robot>) is");
  }
  if (strcmp(name, "sdf") == 0) {
    return ga_robot_fail(r, r->root_element, "SDF is not read, URDF (<robot>) is");
  }
  return ga_robot_fail(r, r->root_element, "the outermost element of a robot is <robot>");
}

/* Read, arrange and write the robot; all into out. */
static bool import_robot(ga_robot *r, ga_imported *out) {
  if (!check_root(r) || !ga_robot_read_urdf(r) || !ga_robot_find_tree(r)) return false;
  if (!ga_robot_merge(r) || !ga_robot_set_start(r) || !ga_robot_choose_names(r)) return false;
  if (!count_unused(r)) return false;
  out->nline = ga_robot_report_lines(r, out->line, out->level, LINES_MAX);
  for (int i = 0; i < out->nline; i++) {
    ga_buffer_add(&out->model, i ? "#   %s\n" : "# %s\n", out->line[i]);
  }
  ga_robot_write(r, &out->model);
  if (out->model.failed) return ga_robot_no_memory(r);
  return r->status == GA_OK;
}

/* *out <- the robot in `text`, or in the file at path if that is NULL. */
static ga_status import_from(const char *path, const char *text, size_t length,
                             const ga_import_options *options, ga_imported **out, ga_error *err) {
  const ga_import_options none = {0};
  ga_imported *made = ga_calloc(1, sizeof *made);
  ga_arena work = {NULL, false};
  ga_status status = GA_OK;
  *out = NULL;
  if (!made) return ga_fail(err, GA_ERR_MEM, "%s: no memory", path);
  ga_robot *r = ga_arena_take(&work, 1, sizeof *r);
  if (!r) status = ga_fail(err, GA_ERR_MEM, "%s: no memory", path);
  if (status == GA_OK && !text) {
    char *own;
    status = ga_read_file(path, "the file of a robot", LENGTH_MAX, &work, &own, &length, err);
    text = own;
  }
  if (status == GA_OK) {
    *r = (ga_robot){.path = path, .options = options ? options : &none, .arena = &work, .err = err};
    status = ga_xml_parse(path, text, length, &work, &r->root_element, err);
  }
  if (status == GA_OK) {
    import_robot(r, made);
    status = r->status;
  }
  made->arena = work; /* the lines of the report are in it */
  if (status != GA_OK) {
    ga_imported_free(made);
    return status;
  }
  *out = made;
  return GA_OK;
}

/* Read the robot in a file. */
ga_status ga_import(const char *path, const ga_import_options *options, ga_imported **out,
                    ga_error *err) {
  return import_from(path, NULL, 0, options, out, err);
}

/* Read the robot in a text. */
ga_status ga_import_text(const char *name, const char *text, size_t length,
                         const ga_import_options *options, ga_imported **out, ga_error *err) {
  return import_from(name, text, length, options, out, err);
}

/* Free it; NULL is allowed. */
void ga_imported_free(ga_imported *robot) {
  if (!robot) return;
  ga_buffer_free(&robot->model);
  ga_arena_free(&robot->arena);
  ga_free(robot);
}

/* The text of the model file. */
const char *ga_imported_model(const ga_imported *robot) {
  return robot->model.text;
}

/* The i-th line of the report, NULL past the end. */
const char *ga_imported_report(const ga_imported *robot, int i, ga_log_level *level) {
  if (i < 0 || i >= robot->nline) return NULL;
  if (level) *level = robot->level[i];
  return robot->line[i];
}
