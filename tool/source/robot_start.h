/* SPDX-License-Identifier: MIT */
/* Start values of a robot's joints: options --coordinate, --rate and --start of `import`. */
#ifndef TOOL_SOURCE_ROBOT_START_H
#define TOOL_SOURCE_ROBOT_START_H

#include "args/args.h"

/* Begins as all zero; names are owned. */
typedef struct robot_start {
  ga_import_start *list;
  char **name;
  int count, room;
  const char *file; /* the last --start; NULL: none */
} robot_start;

/* arg_reads; field: a robot_start */
bool robot_read_value(const arg_spec *spec, const char *text, void *field); /* JOINT=X */
bool robot_read_rate(const arg_spec *spec, const char *text, void *field);  /* JOINT=X */
bool robot_read_file(const arg_spec *spec, const char *path, void *field);  /* joint,value,rate */
void robot_start_close(robot_start *start);

#endif
