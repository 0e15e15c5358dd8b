/* SPDX-License-Identifier: MIT */
/* Which runs a sweep has: variables, their values in every run, the command line of every run. */
#ifndef TOOL_SWEEP_PLAN_H
#define TOOL_SWEEP_PLAN_H

#include "args/args.h"
#include "columns/state_fields.h"
#include "sweep/random.h"

enum { SWEEP_VARIABLES = 32, SWEEP_RUNS_MAX = 100000000, SWEEP_VALUE_MAX = 128 };

/* A variable has a list of words, a range, or a distribution. */
typedef struct sweep_variable {
  const char *text; /* NAME=.., as it was written; borrowed */
  char name[NAME_MAX_LENGTH];
  bool parameter;  /* of the model file: --set NAME=VALUE; else the option --NAME VALUE */
  bool number;     /* its values are numbers; always so for a parameter */
  long count;      /* of values; 1 for a random variable */
  char **word;     /* a list, NULL: none */
  double from, to; /* a range */
  bool logarithmic;
  char unit[16];  /* behind each number of a range */
  random_law law; /* kind NULL: not random */
} sweep_variable;

typedef struct sweep_plan {
  sweep_variable variable[SWEEP_VARIABLES]; /* in the order of the command line */
  int count;
  int samples; /* 0: not given */
  uint64_t seed;
  bool seeded; /* it was given */
  long runs;
  const char *operand;
  const arg_given *given; /* the options that all runs share, in order */
  int ngiven;
} sweep_plan;

/* Readers of --vary NAME=VALUES, --random NAME=LAW and --seed; the field is a sweep_plan. */
bool sweep_read_vary(const arg_spec *spec, const char *text, void *field);
bool sweep_read_random(const arg_spec *spec, const char *text, void *field);
bool sweep_read_seed(const arg_spec *spec, const char *text, void *field);

/* Count the runs; --samples and --random need each other: ARGS_GO_ON, or TOOL_USAGE after a
 * message.
 */
int sweep_plan_count(sweep_plan *p);
/* What the names mean, parameters of the model file or options of `run`, and whether all values
 * that are written down can be read: ARGS_GO_ON, or TOOL_USAGE after a message. */
int sweep_plan_resolve(sweep_plan *p, const ga_problem *problem);
void sweep_plan_close(sweep_plan *p);

/* The value of a variable in a run, as a text; room for numbers. */
typedef struct sweep_value {
  char text[SWEEP_VALUE_MAX];
} sweep_value;
const char *sweep_plan_value(const sweep_plan *p, int variable, long run, sweep_value *room);
/* The same as a number, NaN if it is none. */
double sweep_plan_number(const sweep_plan *p, int variable, long run);

/* The command line of a run: run OPERAND --key value ... False without memory. */
typedef struct sweep_words {
  char **word;
  int count, room;
} sweep_words;
bool sweep_words_make(sweep_words *w, const sweep_plan *p, long run);
void sweep_words_free(sweep_words *w);

/* All runs as commands of a shell, one in a line. */
int sweep_plan_list(const sweep_plan *p, FILE *to);

#endif
