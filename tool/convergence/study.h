/* SPDX-License-Identifier: MIT */
/* A study of convergence: one problem with h, h/2, h/4, ..., errors and slopes of each level. */
#ifndef TOOL_CONVERGENCE_STUDY_H
#define TOOL_CONVERGENCE_STUDY_H

#include "columns/state_fields.h"
#include "convergence/reference.h"
#include "simulate/solver.h"

/* Errors are taken at the end (max false), or as the largest over all steps with from <= t <= to
 * (max). whole: over the whole run without its start; study_open() then sets from and to. */
typedef struct study_norm {
  bool max, whole;
  double from, to;
} study_norm;

typedef struct study_level {
  double h; /* automatic steps: the tolerance */
  long steps;
  double error[FIELDS];    /* NaN: not known */
  double estimate[FIELDS]; /* of the error at the end, with extrapolation; NaN: not known */
  double slope[FIELDS];    /* log(error of the level before / error) / log(2), or log(10) if
                               tolerances differ; NaN: not known */
} study_level;

enum { STUDY_LEVELS_MAX = 24 };

typedef struct study {
  /* set before study_open() */
  const ga_problem *problem;
  const ga_options *options; /* h is that of the first level */
  double t_end;
  double project_at; /* NaN: never; a step of the first level ends there */
  ga_projection projection;
  extrapolation how;
  int levels;
  study_norm norm;
  int place, of; /* index and number of the studies in one table; of = 0: a single study */

  /* set by study_open() and study_run() */
  reference reference;
  bool automatic;   /* steps; levels are of tolerances tol, tol/10, tol/100, ... */
  int per;          /* steps in a period of --h-seq, else 1 */
  double period;    /* its length, in units of h */
  long steps;       /* periods of the first level */
  long first, last; /* periods of the finest level inside the norm's interval */
  int rows;         /* levels with errors, counted as they are done */
  bool complete;    /* all levels are done */
  bool has[FIELDS];
  study_level level[STUDY_LEVELS_MAX];
  double *ends; /* end states, where the finest level is the reference */
} study;

/* the number that differs between the levels: "h", "rtol" or "atol" */
const char *study_level_title(const study *s);
/* the same for an axis: "h (s)" where the problem has units */
const char *study_axis_title(const study *s);

/* Report wrong names and values of options before anything is computed; returns as study_open. */
int study_check(const study *s);

/* Check the step sizes, find the reference; ARGS_GO_ON or the exit code after a message. */
int study_open(study *s);
void study_close(study *s);

/* Run all levels; row is called for each when its errors are known. TOOL_OK, or the exit code after
 * a message; rows of the levels before the failure have been called. */
typedef void (*study_row)(void *context, const study *s, int i);
int study_run(study *s, study_row row, void *context);

/* The forms of a report: text for people, CSV and JSON with 17 digits; see
 * docs/reference/genalpha.1.in. */
typedef enum study_form { STUDY_TEXT, STUDY_CSV, STUDY_JSON } study_form;
void study_print_row(FILE *to, study_form form, const study *s, int i); /* the first: with head */
void study_print_end(FILE *to, study_form form, const study *s);

#endif
