/* SPDX-License-Identifier: MIT */
/* Model files as problems: opening, named columns, events. */
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

/* The columns to write: those of `output`, or the usual ones; count 0 for other problems. */
typedef struct named_columns {
  const ga_mechanism *mechanism;
  int count;
  int *column;
  double *values; /* all columns of the mechanism */
  bool *shared;   /* all columns: not unique, redundant joints share it; NULL: all are unique */
} named_columns;
bool named_open(named_columns *n, const ga_problem *problem);
bool named_add_rest(named_columns *n); /* the usual ones that `output` leaves out, behind them */
void named_take_all(named_columns *n); /* every column but t, in the order of the mechanism */
void named_close(named_columns *n);
const char *named_name(const named_columns *n, int i);
const char *named_unit(const named_columns *n, int i);
/* " m/s", to be printed behind a value; "" for a pure number */
typedef struct unit_text {
  char text[24];
} unit_text;
unit_text named_unit_behind(const named_columns *n, int i);
void named_update(named_columns *n, const ga_state *state);
double named_value(const named_columns *n, int i);
/* Which columns redundant constraints leave undetermined. */
void named_find_unique(named_columns *n, const ga_integrator *it);
bool named_unique(const named_columns *n, int i);

/* All names, one in a line: what `--columns` prints. */
int file_print_columns(const ga_problem *problem);

#endif
