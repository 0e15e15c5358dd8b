/* SPDX-License-Identifier: MIT */
/* Robots that others described (URDF) as model files, docs/reference/import.md.
 *
 *     ga_imported *robot;
 *     if (ga_import("arm.urdf", NULL, &robot, &err) != GA_OK) puts(err.text);
 *     if (robot) fputs(ga_imported_model(robot), stdout);  // the text of a model file
 *     ga_imported_free(robot);
 *
 * ga_file_load does the same, with the options that are zero, when the path ends in .urdf or
 * .xml. */
#ifndef GA_IMPORT_H
#define GA_IMPORT_H

#include <genalpha/ga_mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The start of a joint, by its name in the file of the robot. What is not given is 0; one of
 * several coordinates is named JOINT.x. */
typedef struct ga_import_start {
  const char *joint;
  ga_given value, rate;
} ga_import_start;

/* Where package://NAME/.. is. */
typedef struct ga_import_package {
  const char *name, *directory;
} ga_import_package;

/* How a robot becomes a mechanism; zero is fine. */
typedef struct ga_import_options {
  bool floating; /* the root link is free, at the origin and at rest; else it is the ground */
  const ga_import_start *start;
  int nstart;
  bool ignore_friction;       /* else Coulomb friction f is -f tanh(rate/friction_rate) */
  double friction_rate;       /* in rad/s or m/s; 0: 0.01 */
  bool stops;                 /* limits become soft stops; else they are left out */
  double stop_stiffness;      /* 0: the joint's largest effort presses it in by 1 % of its range */
  ga_given gravity[3];        /* default: 0, 0, -9.81 */
  bool strict;                /* what would be left out or warned about is an error */
  bool keep_fixed;            /* links on fixed joints stay bodies; else they are merged */
  bool repair_inertia;        /* negative principal moments of inertia become 0; else an error */
  const char *mesh_directory; /* where relative mesh files are; NULL: beside the robot's file */
  const ga_import_package *package;
  int npackage;
} ga_import_options;

/* A robot as the text of a model file, and what there is to say about it. */
typedef struct ga_imported ga_imported;

/* Is the reader built in (libexpat)? Without it ga_import fails and says so. */
GA_API bool ga_import_available(void);
/* Does this path name a robot: does it end in .urdf or .xml? */
GA_API bool ga_import_named(const char *path);

/* Read a robot. Messages begin with PATH:LINE:COLUMN and the path of the element, such as
 * robot/joint[elbow]/axis. options may be NULL. */
GA_API ga_status ga_import(const char *path, const ga_import_options *options, ga_imported **out,
                           ga_error *err);
/* The same of a text in memory; name stands for the path. */
GA_API ga_status ga_import_text(const char *name, const char *text, size_t length,
                                const ga_import_options *options, ga_imported **out, ga_error *err);
GA_API void ga_imported_free(ga_imported *robot);

/* The text of the model file; owned by robot. */
GA_API const char *ga_imported_model(const ga_imported *robot);
/* The i-th line of the report, what was decided, left out or odd; NULL past the end. level (may be
 * NULL): whether it is a warning. The first line counts bodies and joints. */
GA_API const char *ga_imported_report(const ga_imported *robot, int i, ga_log_level *level);

#ifdef __cplusplus
}
#endif
#endif
