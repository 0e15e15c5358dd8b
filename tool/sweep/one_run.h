/* SPDX-License-Identifier: MIT */
/* One run of a sweep: from the number of the run to the numbers that are kept. */
#ifndef TOOL_SWEEP_ONE_RUN_H
#define TOOL_SWEEP_ONE_RUN_H

#include "columns/columns.h"
#include "sweep/plan.h"

/* How a run ended; the values of the column `status`. */
typedef enum sweep_status {
  SWEEP_COMPLETE, /* at t-end */
  SWEEP_EVENT,    /* at an event */
  SWEEP_FAILED,   /* the message says why */
  SWEEP_MISSING   /* it has not been made */
} sweep_status;

/* What is kept of every run. Its numbers stand in this order: the values of all variables of the
 * plan, where and after how many steps the run ended, the columns at the end, their extremes (least
 * and largest value, column by column), the counts of the run. */
typedef struct sweep_shape {
  int parameters; /* variables of the plan */
  int columns;
  column_name *name; /* of the columns */
  char (*unit)[16];
  bool chosen;   /* the columns are those of --columns */
  bool accuracy; /* runs may have an accuracy: keep the estimated error, too */
  bool extremes; /* keep the extremes, too */
  bool history;  /* keep rows of the columns over time, too */
  char *want;    /* --columns and --stop-when, for the reader of model files; NULL: none */
  int values;    /* how many numbers there are */
} sweep_shape;

/* The columns of --columns, or the usual ones of the problem (names NULL). ARGS_GO_ON, or the exit
 * code after a message; sweep_shape_close in any case. */
int sweep_shape_open(sweep_shape *s, const sweep_plan *p, const ga_problem *problem,
                     const char *names);
void sweep_shape_close(sweep_shape *s);
/* Behind the variables: the time at the end, the number of steps and, with an accuracy, the estimated
 * error. */
enum { SWEEP_T, SWEEP_STEPS, SWEEP_ERROR, SWEEP_FIXED };
/* The positions of the first column at the end and of the first count. */
int sweep_shape_end(const sweep_shape *s);
int sweep_shape_stats(const sweep_shape *s);
/* The name of count i, NULL past the end. */
const char *sweep_stat_name(int i);

enum { SWEEP_MESSAGE = 400 };

typedef struct sweep_result {
  long run;
  sweep_status status;
  char message[SWEEP_MESSAGE]; /* all messages of the run; usually "" */
  double *value;               /* shape.values of them */
  double *row;                 /* rows x (1 + columns): t and the columns */
  long rows, room;
  double seconds; /* wall-clock time of the run */
} sweep_result;

bool sweep_result_open(sweep_result *r, const sweep_shape *s); /* false without memory */
void sweep_result_close(sweep_result *r);

/* Make run number r->run. False if it was interrupted: there is no result. */
bool sweep_run(const sweep_plan *p, const sweep_shape *s, sweep_result *r);

#endif
