/* SPDX-License-Identifier: MIT */
/* A picture of a table, described by data: panels of curves in rows. */
#ifndef TOOL_PICTURE_CHART_H
#define TOOL_PICTURE_CHART_H

#include "output/table.h"

typedef enum chart_style {
  CHART_LINE,
  CHART_MARKS, /* points joined by a line: errors over h */
  CHART_POINTS,
  CHART_DASHED, /* a reference to compare with */
  CHART_BODY    /* a line of a drawing, thick and dark */
} chart_style;

typedef struct chart_curve {
  const char *x, *y; /* names of columns; y NULL ends the list */
  const char *title; /* NULL: the name of y; "": none */
  chart_style style;
} chart_curve;

enum { CHART_SLOPES = 2 };

typedef struct chart_panel {
  const char *title; /* NULL: none */
  const char *xlabel, *ylabel;
  bool log_x, log_y;
  bool equal;                  /* the same scale on both axes */
  double slopes[CHART_SLOPES]; /* guides h^p to compare with: the first below the curves, the second
                                  above; 0: none */
  double x[2], y[2];           /* ranges; both ends the same: automatic */
  double tic;                  /* distance of marks on both axes; 0: automatic */
  const char *names_at[2];     /* columns of the points of names */
  const char *const *names;    /* texts at them, row by row, "" for none; NULL ends the list */
  const chart_curve *curves;   /* NULL ends the list of panels */
} chart_panel;

typedef struct chart {
  const char *title; /* NULL: none */
  const chart_panel *panels;
  int across;       /* panels in a row; 0: one */
  int panel_height; /* 0: the usual */
  int width;        /* 0: the usual */
} chart;

/* Of pictures over time, by `plot` and `run --plot`. */
enum { CHART_TIME_WIDTH = 760, CHART_TIME_HEIGHT = 230 };

/* Size in pixels, and the script of gnuplot for an open picture of that size. */
int chart_width(const chart *c);
int chart_height(const chart *c);
void chart_write(const chart *c, const table *t, FILE *script);

/* Draw into a file, .svg or .png; false after a message. */
bool chart_draw(const chart *c, const table *t, const char *path);

/* A table as of `converge --csv`: h first, and columns NAME_error. Those over h, both logarithmic,
 * with a guide of slope 2; over a tolerance, rtol or atol first, without one. */
bool chart_is_study(const table *t);
bool chart_draw_study(const table *t, const char *title, const char *xlabel, const char *path);

#endif
