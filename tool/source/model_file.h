/* SPDX-License-Identifier: MIT */
/* Model files and shared objects as problems. */
#ifndef TOOL_SOURCE_MODEL_FILE_H
#define TOOL_SOURCE_MODEL_FILE_H

#include "args/args.h"

/* Parameters of --set, in order; set[i] points to name[i] and borrows its value. */
enum { SETS_MAX = 64 };
typedef struct file_sets {
  ga_file_set set[SETS_MAX];
  char name[SETS_MAX][64];
  int count;
  const char *coordinates; /* of --coordinates; NULL: those of the file */
  bool divided;            /* the model will be divided among processes */
  bool libraries;          /* --libraries */
} file_sets;
bool file_read_set(const arg_spec *spec, const char *text, void *field);
bool file_read_coordinates(const arg_spec *spec, const char *text, void *field); /* const char * */
#define FILE_COORDINATES_WORDS "absolute|joint|auto"
#define FILE_COORDINATES_HELP                                                             \
  "unknowns of a model file: places of bodies, coordinates of joints, or what is faster " \
  "(default: "                                                                            \
  "what the file says)"

#define FILE_LIBRARIES_HELP \
  "let the section functions of the model file load shared objects, which may do anything"

/* Does the operand name a file rather than a problem? */
bool file_named(const char *operand);

/* Open a model file as a problem. want: an expression of columns that must exist, or NULL.
 * ARGS_GO_ON, or the exit code after a message; the caller closes *problem, NULL before, in any
 * case. */
int file_open(const char *path, const file_sets *sets, const char *want, ga_problem **problem);
/* Open a shared object (shared_object.h) as a problem; returns as file_open. */
int file_open_object(const char *path, const ga_problem_options *options, ga_problem **problem);
/* The model file of a problem; NULL if it does not come from a model file. */
const ga_file *file_of(const ga_problem *problem);
/* Refuse to write over another file that the model consists of, after paths_check (paths.h); file_open
 * does so, too. file NULL: nothing. */
int file_check_parts(const ga_file *file);
/* What --set can replace: the i-th parameter of the file, or behind them an input; false past the
 * end. */
bool file_number_at(const ga_file *file, int i, const char **name, double *value);
/* Close a problem of any kind; NULL is allowed. */
void problem_close(ga_problem *problem);

/* Apply the options of the file's section `run` that the command line did not give. ARGS_GO_ON,
 * or the exit code after a message that names the line. */
int file_apply_options(args *a, const ga_problem *problem);

/* Print the names of all columns, one in a line (`run --columns`). Returns the exit code. */
int file_print_columns(const ga_problem *problem);

#endif
