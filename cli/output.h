/* SPDX-License-Identifier: MIT */
/* What a run leaves: the trajectory as CSV, the end state as JSON. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "model_file.h"
#include "solver.h"

/* A trajectory file; every write is checked, the first failure is reported and kept in failed. */
typedef struct csv {
  FILE *file;       /* NULL: not open */
  const char *path; /* borrowed; "-" is standard output */
  bool failed;
  named_columns named; /* of a model file */
} csv;

/* Each returns false after a message with the file's name and the reason. */
bool csv_open(csv *out, const char *path, const ga_problem *problem);
bool csv_row(csv *out, const ga_model *model, const ga_state *state);
bool csv_close(csv *out);

/* Parts of JSON objects: a number (null if it is not finite); members behind others: an array, all
 * columns of a model file as "named"; a text in quotes. */
void json_number(FILE *to, double x);
void json_array(FILE *to, const char *key, int n, const double *x);
void json_columns(FILE *to, const ga_file *file, const ga_state *state);
void json_text(FILE *to, const char *text);

/* The object of `run --final`. */
void json_final(FILE *to, const ga_problem *problem, const solver *at_end);

#endif
