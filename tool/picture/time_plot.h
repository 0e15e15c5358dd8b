/* SPDX-License-Identifier: MIT */
/* The time history a run keeps for its plot: some thousand rows, however long the run. */
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "picture/gnuplot.h"
#include "source/model_file.h"

typedef struct history history;

history *history_new(const ga_problem *problem); /* NULL: no memory */
void history_free(history *h);
void history_add(history *h, const ga_state *state);

/* The size of the picture in pixels. */
int history_width(const history *h);
int history_height(const history *h);
/* Panels for positions, velocities and multipliers over t; of a model file its columns, those of
 * one kind together. */
void history_write(const history *h, const char *title, FILE *script);

#endif
