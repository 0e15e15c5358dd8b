/* SPDX-License-Identifier: MIT */
/* Several studies of one problem, by method and by parameter: `converge --method a,b --rho x,y`. */
#ifndef TOOL_CONVERGENCE_SERIES_H
#define TOOL_CONVERGENCE_SERIES_H

#include "convergence/study.h"

enum { SERIES_MAX = 16, LIST_MAX = 8 };

/* Comma-separated words of an option; the text is cut up in place. */
typedef struct word_list {
  int count; /* 0: the option was not given, or has one word only */
  char *word[LIST_MAX];
} word_list;

/* Take the words of "--KEY A,B" or "--KEY=A,B" out of the arguments, which keep the first: the
 * option parser sees "--KEY A". False after a message. */
bool series_take(int argc, char **argv, const char *key, word_list *list);

/* Methods times parameters, the options of each; the first is the one the parser has read. */
typedef struct series {
  int count;
  ga_options options[SERIES_MAX];
} series;

/* TOOL_USAGE after a message if there are too many or a number is none, else ARGS_GO_ON. */
int series_make(series *s, const ga_options *options, const word_list *methods,
                const word_list *rhos);

/* "stab2, ρ∞ = 0.9" */
typedef struct series_title {
  char text[64];
} series_title;
series_title series_name(const ga_options *o);

/* One panel for each of q, v, vd, lam and psi, one curve for each study. */
bool series_draw(const study *studies, int count, const char *path);

#endif
