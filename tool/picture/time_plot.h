/* SPDX-License-Identifier: MIT */
/* The time history a run keeps for its plot: some thousand rows, however long the run. */
#ifndef TOOL_PICTURE_TIME_PLOT_H
#define TOOL_PICTURE_TIME_PLOT_H

#include "picture/gnuplot.h"
#include "source/model_file.h"

typedef struct time_plot time_plot;

time_plot *time_plot_new(const ga_problem *problem); /* NULL: no memory */
void time_plot_free(time_plot *h);
void time_plot_add(time_plot *h, const ga_state *state);

/* The size of the picture in pixels. */
int time_plot_width(const time_plot *h);
int time_plot_height(const time_plot *h);
/* Panels for positions, velocities and multipliers over t; of a model file its columns, those of
 * one kind together. */
void time_plot_write(const time_plot *h, const char *title, FILE *script);

#endif
