/* SPDX-License-Identifier: MIT */
/* A thinned time history in memory, and the gnuplot script that draws it. */
#include "history.h"

#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "rows.h"

enum {
  ROWS = 4096,
  CURVES = GNUPLOT_COLORS,
  PANELS = 8,
  WIDTH = 960,
  PANEL_HEIGHT = 200,
  FRAME_HEIGHT = 110
};

/* what is drawn over t together: entries of a part of the state, or columns of a model file */
typedef struct panel {
  char label[NAME_MAX_LENGTH];
  int part; /* -1: named columns */
  int curves, curve[CURVES];
} panel;

struct history {
  const ga_model *model;
  named_columns named;
  panel panel[PANELS];
  int panels;
  thin_rows rows; /* t and all curves */
};

/* ---- parts of the state --------------------------------------------------------------------- */

static const struct {
  int part;
  const char *label;
} kinds[] = {{PART_Q, "position q"},
             {PART_V, "velocity v"},
             {PART_LAM, "multiplier lambda"},
             {PART_PSI, "multiplier psi"}};

/* how many entries of a part to draw: the family of the first, or all before the first family */
static int choose_curves(const ga_model *model, int part) {
  int n = part_size(model, part), count = n;
  bool family = false;
  for (int i = 1; i < n; i++) {
    bool same = name_family(part_name(model, part, i - 1).text, part_name(model, part, i).text);
    if (i == 1) family = same;
    if (same == family) continue;
    count = same ? i - 1 : i;
    break;
  }
  return count < CURVES ? count : CURVES;
}

static void choose_parts(history *h) {
  for (int k = 0; k < 4; k++) {
    panel *p = &h->panel[h->panels];
    p->part = kinds[k].part;
    p->curves = choose_curves(h->model, p->part);
    snprintf(p->label, sizeof p->label, "%s", kinds[k].label);
    for (int i = 0; i < p->curves; i++) p->curve[i] = i;
    h->panels += p->curves > 0;
  }
}

/* ---- columns of a model file ---------------------------------------------------------------- */

static void choose_named(history *h) {
  for (int i = 0; i < h->named.count; i++) {
    const char *what = column_quantity(named_name(&h->named, i));
    int k = 0;
    while (k < h->panels && strcmp(h->panel[k].label, what) != 0) k++;
    if (k == PANELS || h->panel[k].curves == CURVES) continue;
    panel *p = &h->panel[k];
    if (k == h->panels) {
      snprintf(p->label, sizeof p->label, "%s", what);
      p->part = -1;
      h->panels++;
    }
    p->curve[p->curves++] = i;
  }
}

/* ---- rows ----------------------------------------------------------------------------------- */

history *history_new(const ga_problem *problem) {
  history *h = calloc(1, sizeof *h);
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
  if (rows_open(&h->rows, width, ROWS)) return h;
  history_free(h);
  return NULL;
}

void history_free(history *h) {
  if (!h) return;
  named_close(&h->named);
  rows_close(&h->rows);
  free(h);
}

static const char *curve_name(const history *h, const panel *p, int i, column_name *room) {
  if (p->part < 0) return named_name(&h->named, p->curve[i]);
  *room = part_name(h->model, p->part, p->curve[i]);
  return room->text;
}

void history_add(history *h, const ga_state *state) {
  double *row = rows_next(&h->rows);
  *row++ = state->t;
  if (h->named.count > 0) named_update(&h->named, state);
  for (int k = 0; k < h->panels; k++) {
    const panel *p = &h->panel[k];
    for (int i = 0; i < p->curves; i++) {
      *row++ = p->part < 0 ? named_value(&h->named, p->curve[i])
                           : part_values(state, p->part)[p->curve[i]];
    }
  }
  rows_keep(&h->rows);
}

int history_width(const history *h) {
  (void)h;
  return WIDTH;
}

int history_height(const history *h) {
  return FRAME_HEIGHT + PANEL_HEIGHT * h->panels;
}

/* room for the longest name beside the panels, as a part of the width */
static double key_width(const history *h) {
  size_t longest = 0;
  for (int k = 0; k < h->panels; k++) {
    for (int i = 0; i < h->panel[k].curves; i++) {
      column_name room;
      size_t length = strlen(curve_name(h, &h->panel[k], i, &room));
      if (length > longest) longest = length;
    }
  }
  return (70 + 9.0 * (double)longest) / WIDTH;
}

static void write_data(const history *h, FILE *to) {
  fputs("$run << END\n", to);
  for (int i = 0; i < rows_count(&h->rows); i++) {
    for (int j = 0; j < h->rows.width; j++) fprintf(to, "%.8g ", rows_at(&h->rows, i)[j]);
    fputc('\n', to);
  }
  fputs("END\n", to);
}

static void write_panel(const history *h, int k, int column, bool last, FILE *to) {
  const panel *p = &h->panel[k];
  fputs("set ylabel ", to);
  gnuplot_quote(to, p->label);
  fputc('\n', to);
  if (last) fputs("set format x '%g'\nset xlabel 't'\n", to);
  fputs("plot ", to);
  for (int i = 0; i < p->curves; i++) {
    column_name room;
    fprintf(to, "%s$run using 1:%d with lines lw 1.5 lc rgb '%s' title ", i ? ", " : "", column + i,
            gnuplot_color(i));
    gnuplot_quote(to, curve_name(h, p, i, &room));
  }
  fputc('\n', to);
}

void history_write(const history *h, const char *title, FILE *to) {
  int panels = h->panels, column = 2, left = panels;
  double height = history_height(h);
  write_data(h, to);
  fprintf(to, "set multiplot layout %d,1 title ", panels);
  gnuplot_quote(to, title);
  fprintf(to, " margins screen %.4f,%.4f,%.4f,%.4f spacing screen %.4f\n", 100.0 / WIDTH,
          1 - key_width(h), 60 / height, 1 - 45 / height, 18 / height);
  fputs(
      "set key at graph 1.015,1 left top Left reverse samplen 2\n"
      "set grid lt 1 lw 0.5 lc rgb '#dddddd'\n"
      "set offsets graph 0, graph 0, graph 0.06, graph 0.06\n"
      "set format x ''\n"
      "set ytics nomirror\n"
      "set xrange [*:*] noextend\n",
      to);
  for (int k = 0; k < panels; k++) {
    write_panel(h, k, column, --left == 0, to);
    column += h->panel[k].curves;
  }
  fputs("unset multiplot\n", to);
}
