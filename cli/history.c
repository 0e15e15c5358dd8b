/* SPDX-License-Identifier: MIT */
/* A thinned time history in memory, and the gnuplot script that draws it. */
#include "history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

enum {
  ROWS = 4096,
  CURVES = GNUPLOT_COLORS,
  PANELS = 4,
  WIDTH = 960,
  PANEL_HEIGHT = 200,
  FRAME_HEIGHT = 110
};

static const struct {
  int part;
  const char *label;
} kinds[PANELS] = {
    {PART_Q, "position q"},
    {PART_V, "velocity v"},
    {PART_LAM, "multiplier lambda"},
    {PART_PSI, "multiplier psi"},
};

struct history {
  const ga_model *model;
  int curves[PANELS]; /* the first entries of each part, 0: no panel */
  int width;          /* numbers in a row: t and all curves */
  long seen, stride;  /* every stride-th state is kept */
  int count;
  bool pending; /* row [count] holds the newest state, not kept so far */
  double *rows; /* (ROWS + 1) x width */
};

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

history *history_new(const ga_model *model) {
  history *h = calloc(1, sizeof *h);
  if (!h) return NULL;
  h->model = model;
  h->stride = 1;
  h->width = 1;
  for (int k = 0; k < PANELS; k++) {
    h->curves[k] = choose_curves(model, kinds[k].part);
    h->width += h->curves[k];
  }
  h->rows = calloc((size_t)(ROWS + 1) * (size_t)h->width, sizeof *h->rows);
  if (!h->rows) {
    free(h);
    return NULL;
  }
  return h;
}

void history_free(history *h) {
  if (!h) return;
  free(h->rows);
  free(h);
}

static double *row_at(const history *h, int i) {
  return h->rows + (size_t)i * (size_t)h->width;
}

void history_add(history *h, const ga_state *state) {
  double *row = row_at(h, h->count);
  *row++ = state->t;
  for (int k = 0; k < PANELS; k++) {
    const double *x = part_values(state, kinds[k].part);
    for (int i = 0; i < h->curves[k]; i++) *row++ = x[i];
  }
  h->pending = h->seen++ % h->stride != 0;
  if (h->pending) return;
  h->count++;
  if (h->count < ROWS) return;
  /* full: drop every second row, the newest stays pending, keep half as many from now on */
  for (int i = 1; 2 * i < ROWS; i++) {
    memcpy(row_at(h, i), row_at(h, 2 * i), (size_t)h->width * sizeof *h->rows);
  }
  memcpy(row_at(h, ROWS / 2), row_at(h, ROWS - 1), (size_t)h->width * sizeof *h->rows);
  h->count = ROWS / 2;
  h->pending = true;
  h->stride *= 2;
}

static int count_panels(const history *h) {
  int panels = 0;
  for (int k = 0; k < PANELS; k++) panels += h->curves[k] > 0;
  return panels;
}

int history_width(const history *h) {
  (void)h;
  return WIDTH;
}

int history_height(const history *h) {
  return FRAME_HEIGHT + PANEL_HEIGHT * count_panels(h);
}

/* room for the longest name beside the panels, as a part of the width */
static double key_width(const history *h) {
  size_t longest = 0;
  for (int k = 0; k < PANELS; k++) {
    for (int i = 0; i < h->curves[k]; i++) {
      size_t length = strlen(part_name(h->model, kinds[k].part, i).text);
      if (length > longest) longest = length;
    }
  }
  return (70 + 9.0 * (double)longest) / WIDTH;
}

static void write_data(const history *h, FILE *to) {
  int rows = h->count + h->pending;
  fputs("$run << END\n", to);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < h->width; j++) fprintf(to, "%.8g ", row_at(h, i)[j]);
    fputc('\n', to);
  }
  fputs("END\n", to);
}

static void write_panel(const history *h, int k, int column, bool last, FILE *to) {
  fprintf(to, "set ylabel '%s'\n", kinds[k].label);
  if (last) fputs("set format x '%g'\nset xlabel 't'\n", to);
  fputs("plot ", to);
  for (int i = 0; i < h->curves[k]; i++) {
    fprintf(to, "%s$run using 1:%d with lines lw 1.5 lc rgb '%s' title ", i ? ", " : "", column + i,
            gnuplot_color(i));
    gnuplot_quote(to, part_name(h->model, kinds[k].part, i).text);
  }
  fputc('\n', to);
}

void history_write(const history *h, const char *title, FILE *to) {
  int panels = count_panels(h), column = 2, left = panels;
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
  for (int k = 0; k < PANELS; k++) {
    if (h->curves[k] == 0) continue;
    write_panel(h, k, column, --left == 0, to);
    column += h->curves[k];
  }
  fputs("unset multiplot\n", to);
}
