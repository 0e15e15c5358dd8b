/* SPDX-License-Identifier: MIT */
/* Model files and shared objects as problems. */
#ifndef TOOL_SOURCE_MODEL_FILE_H
#define TOOL_SOURCE_MODEL_FILE_H

#include "args/args.h"

/* parameters of --set, in order */
enum { SETS_MAX = 64 };
typedef struct file_sets {
  ga_file_set set[SETS_MAX];
  char name[SETS_MAX][64];
  int count;
} file_sets;
bool file_read_set(const arg_spec *spec, const char *text, void *field);

/* Does the operand name a file rather than a problem? */
bool file_named(const char *operand);

/* A file as a problem, and back; NULL for problems of the library. */
int file_open(const char *path, const file_sets *sets, const char *want, ga_problem **problem);
/* A shared object (shared_object.h) as a problem. */
int file_open_object(const char *path, const ga_problem_options *options, ga_problem **problem);
const ga_file *file_of(const ga_problem *problem);
/* any problem */
void problem_close(ga_problem *problem);

/* Options of the file's section `run`, as far as the command line leaves them open. */
int file_apply_options(args *a, const ga_problem *problem);

/* All names, one in a line: what `--columns` prints. */
int file_print_columns(const ga_problem *problem);

#endif
