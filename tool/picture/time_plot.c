/* SPDX-License-Identifier: MIT */
/* Columns over time: rows kept in memory while the run goes on, and the gnuplot script of them. */
#include "picture/time_plot.h"

#include <stdlib.h>
#include <string.h>

#include "columns/columns.h"
#include "picture/chart.h"
#include "picture/thinned_rows.h"

enum { ROWS = 4096, CURVES = GNUPLOT_COLORS, PANELS = 8 };

/* curves that are drawn over t together: columns of one quantity and one source */
typedef struct panel {
  char label[NAME_MAX_LENGTH];
  int source; /* of its columns: FIELD_.. or COLUMN_OF_MECHANISM */
  int curves, curve[CURVES];
} panel;

struct time_plot {
  column_set columns;
  double *values; /* of all columns at a state */
  bool unitless;
  panel panel[PANELS];
  int panels;
  thinned_rows rows; /* t and all curves */
};

/* ---- which columns -------------------------------------------------------------------------- */

/* Adds column i to the panel of its quantity, or to a new one (p->panel, p->panels). It is
 * dropped if there are PANELS panels or CURVES curves already, or if the panel has columns of
 * another source. */
static void add_curve(time_plot *p, int i) {
  const int source = p->columns.source[i];
  column_name label = quantity_label(columns_quantity(&p->columns, i));
  if (p->unitless && source >= 0) {
    snprintf(label.text, sizeof label.text, "%s", field_title(source));
  }
  int k = 0;
  while (k < p->panels && strcmp(p->panel[k].label, label.text) != 0) k++;
  if (k == PANELS || p->panel[k].curves == CURVES) return;
  panel *to = &p->panel[k];
  if (k == p->panels) {
    memcpy(to->label, label.text, sizeof to->label);
    to->source = source;
    p->panels++;
  }
  if (to->source == source) to->curve[to->curves++] = i;
}

/* Is a column with this source drawn? Not time, energies and accelerations of a library problem. */
static bool is_drawn(int source) {
  return source != COLUMN_OF_TIME && source != COLUMN_OF_ENERGY && source != FIELD_VD;
}

/* A plot of a problem's chosen columns over time: chooses the curves and allocates the rows;
 * NULL if memory is short. time_plot_free frees it. */
time_plot *time_plot_new(const ga_problem *problem) {
  time_plot *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  bool ok = columns_open(&p->columns, problem, COLUMNS_CHOSEN);
  int width = 1;
  if (ok) {
    p->unitless = !p->columns.mechanism && quantity_unitless_model(&problem->model);
    for (int i = 0; i < p->columns.count; i++) {
      if (is_drawn(p->columns.source[i])) add_curve(p, i);
    }
    for (int k = 0; k < p->panels; k++) width += p->panel[k].curves;
    p->values = calloc((size_t)p->columns.count, sizeof *p->values);
    ok = p->values && thinned_rows_open(&p->rows, width, ROWS);
  }
  if (ok) return p;
  time_plot_free(p);
  return NULL;
}

/* Frees all; NULL is allowed. */
void time_plot_free(time_plot *p) {
  if (!p) return;
  columns_close(&p->columns);
  free(p->values);
  thinned_rows_close(&p->rows);
  free(p);
}

/* Adds t and all curves at this state as a row. */
void time_plot_add(time_plot *p, const ga_state *state) {
  double *row = thinned_rows_next(&p->rows);
  columns_evaluate(&p->columns, state, p->values);
  *row++ = state->t;
  for (int k = 0; k < p->panels; k++) {
    for (int i = 0; i < p->panel[k].curves; i++) *row++ = p->values[p->panel[k].curve[i]];
  }
  thinned_rows_keep(&p->rows);
}

/* ---- the picture ---------------------------------------------------------------------------- */

/* the panels as a chart of a table with the columns t, c1, c2, ... */
typedef struct sketch {
  chart c;
  chart_panel panel[PANELS + 1];
  chart_curve curve[PANELS][CURVES + 1];
  column_name title[PANELS][CURVES], column[PANELS][CURVES];
} sketch;

/* Fills *s with the chart of the plot; its table has the columns t, c1, c2, .. in the order of
 * the panels' curves. The chart points into *s and to title, so *s must not be moved. */
static void make_sketch(const time_plot *p, const char *title, sketch *s) {
  int column = 0;
  *s = (sketch){.c = {.title = title,
                      .panels = s->panel,
                      .panel_height = CHART_TIME_HEIGHT,
                      .width = CHART_TIME_WIDTH}};
  for (int k = 0; k < p->panels; k++) {
    const panel *from = &p->panel[k];
    for (int i = 0; i < from->curves; i++) {
      s->title[k][i] = p->columns.name[from->curve[i]];
      snprintf(s->column[k][i].text, sizeof s->column[k][i].text, "c%d", ++column);
      s->curve[k][i] = (chart_curve){"t", s->column[k][i].text, s->title[k][i].text, CHART_LINE};
    }
    s->panel[k] = (chart_panel){
        .xlabel = p->unitless ? "t" : "t (s)", .ylabel = from->label, .curves = s->curve[k]};
  }
}

/* Height of the picture in pixels, from a chart made for this purpose only; an estimate if
 * memory is short. */
int time_plot_height(const time_plot *p) {
  sketch *s = calloc(1, sizeof *s);
  if (!s) return CHART_TIME_HEIGHT * (p->panels + 1);
  make_sketch(p, "", s);
  int height = chart_height(&s->c);
  free(s);
  return height;
}

/* Writes the gnuplot script of the chart to `to`, with the rows as its table of columns t, c1,
 * c2, ..; nothing if memory is short. */
void time_plot_write(const time_plot *p, const char *title, FILE *to) {
  table t;
  char names[PANELS * CURVES * 8] = "t";
  size_t used = 1;
  sketch *s = calloc(1, sizeof *s);
  if (!s) return;
  make_sketch(p, title, s);
  for (int j = 1; j < p->rows.width; j++) {
    used += (size_t)snprintf(names + used, sizeof names - used, ",c%d", j);
  }
  table_init(&t, names);
  for (int i = 0; i < thinned_rows_count(&p->rows); i++) {
    for (int j = 0; j < p->rows.width; j++) table_set(&t, i, j, thinned_rows_at(&p->rows, i)[j]);
  }
  chart_write(&s->c, &t, to);
  table_free(&t);
  free(s);
}
