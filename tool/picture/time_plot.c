/* SPDX-License-Identifier: MIT */
/* A thinned time history in memory, and the gnuplot script that draws it. */
#include "picture/time_plot.h"

#include <stdlib.h>
#include <string.h>

#include "columns/quantity.h"
#include "picture/chart.h"
#include "picture/thinned_rows.h"

enum { ROWS = 4096, CURVES = GNUPLOT_COLORS, PANELS = 8 };

/* what is drawn over t together: entries of a part of the state, or columns of a model file */
typedef struct panel {
  char label[NAME_MAX_LENGTH];
  int part; /* -1: named columns */
  int curves, curve[CURVES];
} panel;

/* labels where there are no units */
static const char *const kinds[FIELDS] = {"q", "v", "vd", "lam", "psi"};

struct time_plot {
  const ga_model *model;
  bool unitless;
  named_columns named;
  panel panel[PANELS];
  int panels;
  thinned_rows rows; /* t and all curves */
};

/* ---- what is drawn -------------------------------------------------------------------------- */

/* one more curve, in the panel of its quantity as long as there is room */
static void add_curve(time_plot *h, int part, int i, const char *name, const char *unit) {
  quantity q = quantity_in(name, unit);
  column_name label = quantity_label(q);
  if (h->unitless && part >= 0) snprintf(label.text, sizeof label.text, "%s", kinds[part]);
  int k = 0;
  while (k < h->panels && strcmp(h->panel[k].label, label.text) != 0) k++;
  if (k == PANELS || h->panel[k].curves == CURVES) return;
  panel *p = &h->panel[k];
  if (k == h->panels) {
    memcpy(p->label, label.text, sizeof p->label);
    p->part = part;
    h->panels++;
  }
  if (p->part == part) p->curve[p->curves++] = i;
}

/* positions, velocities and multipliers, rotations and angular velocities among them */
static void choose_parts(time_plot *h) {
  const ga_model *model = h->model;
  h->unitless = quantity_unitless_model(model);
  for (int part = 0; part < FIELDS; part++) {
    for (int i = 0; part != FIELD_VD && i < field_size(model, part); i++) {
      add_curve(h, part, i, field_name(model, part, i).text, NULL);
    }
  }
}

static void choose_named(time_plot *h) {
  for (int i = 0; i < h->named.count; i++) {
    add_curve(h, -1, i, named_name(&h->named, i), named_unit(&h->named, i));
  }
}

/* ---- rows ----------------------------------------------------------------------------------- */

time_plot *time_plot_new(const ga_problem *problem) {
  time_plot *h = calloc(1, sizeof *h);
  if (!h || !named_open(&h->named, problem)) {
    free(h);
    return NULL;
  }
  h->model = &problem->model;
  int width = 1;
  if (h->named.count > 0) {
    choose_named(h);
  } else {
    choose_parts(h);
  }
  for (int k = 0; k < h->panels; k++) width += h->panel[k].curves;
  if (thinned_rows_open(&h->rows, width, ROWS)) return h;
  time_plot_free(h);
  return NULL;
}

void time_plot_free(time_plot *h) {
  if (!h) return;
  named_close(&h->named);
  thinned_rows_close(&h->rows);
  free(h);
}

static const char *curve_name(const time_plot *h, const panel *p, int i, column_name *room) {
  if (p->part < 0) return named_name(&h->named, p->curve[i]);
  *room = field_name(h->model, p->part, p->curve[i]);
  return room->text;
}

void time_plot_add(time_plot *h, const ga_state *state) {
  double *row = thinned_rows_next(&h->rows);
  *row++ = state->t;
  if (h->named.count > 0) named_update(&h->named, state);
  for (int k = 0; k < h->panels; k++) {
    const panel *p = &h->panel[k];
    for (int i = 0; i < p->curves; i++) {
      *row++ = p->part < 0 ? named_value(&h->named, p->curve[i])
                           : field_values(state, p->part)[p->curve[i]];
    }
  }
  thinned_rows_keep(&h->rows);
}

/* ---- the picture ---------------------------------------------------------------------------- */

/* the panels as a chart of a table with the columns t, c1, c2, ... */
typedef struct sketch {
  chart c;
  chart_panel panel[PANELS + 1];
  chart_curve curve[PANELS][CURVES + 1];
  column_name title[PANELS][CURVES], column[PANELS][CURVES];
} sketch;

static void make_sketch(const time_plot *h, const char *title, sketch *s) {
  int column = 0;
  *s = (sketch){.c = {.title = title,
                      .panels = s->panel,
                      .panel_height = CHART_TIME_HEIGHT,
                      .width = CHART_TIME_WIDTH}};
  for (int k = 0; k < h->panels; k++) {
    const panel *p = &h->panel[k];
    for (int i = 0; i < p->curves; i++) {
      const char *name = curve_name(h, p, i, &s->title[k][i]);
      if (p->part < 0) snprintf(s->title[k][i].text, sizeof s->title[k][i].text, "%s", name);
      snprintf(s->column[k][i].text, sizeof s->column[k][i].text, "c%d", ++column);
      s->curve[k][i] = (chart_curve){"t", s->column[k][i].text, s->title[k][i].text, CHART_LINE};
    }
    s->panel[k] = (chart_panel){
        .xlabel = h->unitless ? "t" : "t (s)", .ylabel = p->label, .curves = s->curve[k]};
  }
}

int time_plot_width(const time_plot *h) {
  (void)h;
  return CHART_TIME_WIDTH;
}

int time_plot_height(const time_plot *h) {
  sketch *s = calloc(1, sizeof *s);
  if (!s) return CHART_TIME_HEIGHT * (h->panels + 1);
  make_sketch(h, "", s);
  int height = chart_height(&s->c);
  free(s);
  return height;
}

void time_plot_write(const time_plot *h, const char *title, FILE *to) {
  table t;
  char names[PANELS * CURVES * 8] = "t";
  size_t used = 1;
  sketch *s = calloc(1, sizeof *s);
  if (!s) return;
  make_sketch(h, title, s);
  for (int j = 1; j < h->rows.width; j++) {
    used += (size_t)snprintf(names + used, sizeof names - used, ",c%d", j);
  }
  table_init(&t, names);
  for (int i = 0; i < thinned_rows_count(&h->rows); i++) {
    for (int j = 0; j < h->rows.width; j++) table_set(&t, i, j, thinned_rows_at(&h->rows, i)[j]);
  }
  chart_write(&s->c, &t, to);
  table_free(&t);
  free(s);
}
