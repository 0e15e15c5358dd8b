/* SPDX-License-Identifier: MIT */
/* The plot of a run over time: some thousand rows of its columns, however long the run is. */
#ifndef TOOL_PICTURE_TIME_PLOT_H
#define TOOL_PICTURE_TIME_PLOT_H

#include "picture/gnuplot.h"

typedef struct time_plot time_plot;

time_plot *time_plot_new(const ga_problem *problem); /* NULL: no memory */
void time_plot_free(time_plot *p);
void time_plot_add(time_plot *p, const ga_state *state);

/* Height of the picture in pixels; its width is CHART_TIME_WIDTH. */
int time_plot_height(const time_plot *p);
/* Panels over t: positions, velocities and multipliers of a library problem, the columns of a model
 * file; those of one quantity share a panel. */
void time_plot_write(const time_plot *p, const char *title, FILE *script);

#endif
