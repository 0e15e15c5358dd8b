/* SPDX-License-Identifier: MIT */
/* Robots as texts, and what becomes of them. */
#ifndef GA_TESTS_ROBOTS_H
#define GA_TESTS_ROBOTS_H

#include "support.h"

/* a link with mass 1 and round inertia, a massless one, a joint */
#define LINK(name)     \
  "<link name=\"" name \
  "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>\n"
#define EMPTY(name) "<link name=\"" name "\"/>\n"
#define JOINT(name, type, parent, child, more)                                                   \
  "<joint name=\"" name "\" type=\"" type "\"><parent link=\"" parent "\"/><child link=\"" child \
  "\"/>" more "</joint>\n"
#define ROBOT(text) "<robot name=\"r\">\n" text "</robot>\n"

/* the robot of a text; fails the test if it is refused */
static inline ga_imported *import_text(const char *text, const ga_import_options *options) {
  ga_imported *robot = NULL;
  ga_error err = {0};
  must(ga_import_text("robot.urdf", text, strlen(text), options, &robot, &err), &err);
  return robot;
}

/* its mechanism */
static inline ga_file *mechanism_of(const ga_imported *robot) {
  ga_file *file = NULL;
  ga_error err = {0};
  const char *model = ga_imported_model(robot);
  must(ga_file_parse("robot", model, strlen(model), NULL, &file, &err), &err);
  return file;
}

static inline bool reports(const ga_imported *robot, const char *piece) {
  for (int i = 0; ga_imported_report(robot, i, NULL); i++) {
    if (strstr(ga_imported_report(robot, i, NULL), piece)) return true;
  }
  return false;
}

static inline void has_line(const ga_imported *robot, const char *line) {
  if (!strstr(ga_imported_model(robot), line)) {
    fail_msg("no '%s' in\n%s", line, ga_imported_model(robot));
  }
}

#endif
