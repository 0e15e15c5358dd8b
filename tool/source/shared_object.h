/* SPDX-License-Identifier: MIT */
/* Problems of users' own in shared objects (GA_PROBLEM_MODULE in ga_problem.h). */
#ifndef TOOL_SOURCE_SHARED_OBJECT_H
#define TOOL_SOURCE_SHARED_OBJECT_H

#include "tool.h"

typedef struct object_problem {
  void *handle;                    /* of dlopen */
  const ga_problem_module *module; /* in the shared object */
  ga_problem *made;                /* by module->open */
} object_problem;

/* Does the operand name a shared object? */
bool object_named(const char *operand);

/* Opens it and lets it make its problem. ARGS_GO_ON, or an exit code after a message; then o is
 * closed. */
int object_open(const char *path, const ga_problem_options *options, object_problem *o);
void object_close(object_problem *o);

#endif
