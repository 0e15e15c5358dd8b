/* SPDX-License-Identifier: MIT */
/* Output of a run: the trajectory as CSV or as a file of results, the end state as JSON. */
#ifndef TOOL_OUTPUT_OUTPUT_H
#define TOOL_OUTPUT_OUTPUT_H

#include <genalpha/ga_results.h>

#include "columns/columns.h"
#include "simulate/events.h"
#include "simulate/solver.h"
#include "source/model_file.h"

/* A trajectory file; every write is checked, the first failure is reported and kept in failed. */
typedef struct trajectory {
  const char *path;           /* borrowed; "-" is standard output */
  FILE *file;                 /* CSV, else NULL */
  ga_results_writer *results; /* HDF5, else NULL */
  /* if not NULL: receives the states instead of a file; false after a message */
  bool (*take)(void *context, const ga_state *state);
  void *take_context;
  bool failed;
  column_set columns;
  double *row; /* their values at a state */
} trajectory;

/* What a file of results says about its run. Borrowed during trajectory_open only. */
typedef struct trajectory_texts {
  const char *model_name; /* the model file, or the problem */
  const char *options;    /* a JSON object */
} trajectory_texts;

/* Does the name of a file ask for results in HDF5: .h5 or .hdf5? */
bool results_named(const char *path);
/* Can files be created in the directory of this path? False after a message: a wrong name is
 * reported before the run. */
bool output_place(const char *path);

/* Each returns false after a message with the file's name and the reason. */
bool trajectory_open(trajectory *out, const char *path, const ga_problem *problem,
                     const trajectory_texts *texts);
bool trajectory_row(trajectory *out, const ga_state *state);
/* statistics: a JSON object for a file of results, or NULL */
bool trajectory_close(trajectory *out, const char *statistics);

/* The whole text of the model file, of a robot what it became, with the CSV files that it reads, to
 * be freed; "" for problems of the library, which have none; NULL after a message. */
char *output_model(const ga_problem *problem);

/* A text made by one of the functions below, to be freed; NULL without memory. */
typedef void (*json_put)(FILE *to, const void *what);
char *json_text(json_put put, const void *what);

/* Pieces of JSON: a number (null if it is not finite) and a string in quotes; further members,
 * with a comma before: an array, and all columns of a model file as "named". */
void json_number(FILE *to, double x);
void json_array(FILE *to, const char *key, int n, const double *x);
void json_columns(FILE *to, const ga_problem *problem, const ga_state *state);
void json_string(FILE *to, const char *text);

/* The object of `run --final`, docs/guide/output.md; the options are those of the run. */
void json_final(FILE *to, const ga_problem *problem, const ga_options *options,
                const solver *at_end, const run_events *events);

/* For a file of results: how the run was made, and how it ended. */
typedef struct json_run {
  const ga_problem *problem;
  const ga_options *options;
  const solver *solver;
  const run_events *events;
  const file_sets *sets;
  double t_end, out_dt;
  int every, exit_code;
} json_run;
void json_options(FILE *to, const void *json_run);
void json_statistics(FILE *to, const void *json_run);

#endif
