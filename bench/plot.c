/* SPDX-License-Identifier: MIT */
/* Points collected by panel and series, drawn by gnuplot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct {
  char panel[32], series[64];
  double x, y;
} point;

static point *points;
static int count, room;

/* Adds a point; points that a logarithmic axis cannot show (x or y <= 0, NaN) are ignored. */
void bench_plot_point(const char *panel, const char *series, double x, double y) {
  if (!(x > 0) || !(y > 0)) return;
  if (count == room) {
    room = room ? 2 * room : 256;
    point *more = realloc(points, (size_t)room * sizeof *more);
    if (!more) exit(1);
    points = more;
  }
  point *p = &points[count++];
  snprintf(p->panel, sizeof p->panel, "%s", panel);
  snprintf(p->series, sizeof p->series, "%s", series);
  p->x = x;
  p->y = y;
}

/* True if no point before i is in the same panel. */
static bool first_of_panel(int i) {
  for (int j = 0; j < i; j++) {
    if (strcmp(points[j].panel, points[i].panel) == 0) return false;
  }
  return true;
}

/* True if the points i and j are in the same panel and series. */
static bool same_series(int i, int j) {
  return strcmp(points[j].panel, points[i].panel) == 0 &&
         strcmp(points[j].series, points[i].series) == 0;
}

/* True if no point before i is in the same series. */
static bool first_of_series(int i) {
  for (int j = 0; j < i; j++) {
    if (same_series(i, j)) return false;
  }
  return true;
}

/* True if another point of the series is at least as good in both x and y and better in one: such
 * points only hide the others. */
static bool dominated(int i) {
  for (int j = 0; j < count; j++) {
    bool better = points[j].x < points[i].x || points[j].y < points[i].y;
    if (same_series(i, j) && better && points[j].x <= points[i].x && points[j].y <= points[i].y) {
      return true;
    }
  }
  return false;
}

static int by_x(const void *a, const void *b) {
  double x = ((const point *)a)->x, y = ((const point *)b)->x;
  return (x > y) - (x < y);
}

/* Line style. The colour shows the code (for genalpha the method), mark and dashes how steps are
 * chosen. */
typedef struct {
  const char *part; /* a word of the series' name */
  const char *color;
  int width, mark, dash; /* 0: not given by this word */
} look;

/* Style of a series, the same in all panels, put together from the words in its name. */
static look style_of(const char *series) {
  static const look parts[] = {
      {"IDA", "#000000", 3, 5, 1},    {"stab2", "#0072b2", 1, 0, 0},
      {"index3", "#d55e00", 1, 0, 0}, {"KLU tuned", "#009e73", 1, 0, 0},
      {"KLU", "#cc79a7", 1, 0, 0},    {"fixed", NULL, 0, 7, 0},
      {"automatic", NULL, 0, 4, 2},   {"extrap. 1", NULL, 0, 1, 0},
      {"extrap. 2", NULL, 0, 2, 0},   {"extrap. 3", NULL, 0, 8, 0},
      {"rho 0.9", NULL, 0, 0, 3},
  };
  look l = {series, NULL, 1, 6, 1};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (!strstr(series, parts[i].part)) continue;
    if (i == 0) return parts[0]; /* the peer has a fixed style */
    if (!l.color && parts[i].color) l.color = parts[i].color, l.width = parts[i].width;
    if (parts[i].mark) l.mark = parts[i].mark;
    if (parts[i].dash) l.dash = parts[i].dash;
  }
  if (!l.color) l.color = "#56b4e9";
  return l;
}

/* Writes a data block for each series of the panel of point `panel`, then the plot command. */
static void write_panel(FILE *file, int panel) {
  bool scaling = strcmp(points[panel].panel, "chain") == 0;
  for (int i = panel; i < count; i++) {
    if (strcmp(points[i].panel, points[panel].panel) != 0 || !first_of_series(i)) continue;
    fprintf(file, "$data%d << end\n", i);
    for (int j = i; j < count; j++) {
      if (!same_series(i, j) || (!scaling && dominated(j))) continue;
      fprintf(file, "%.4g %.4g\n", points[j].x, points[j].y);
    }
    fprintf(file, "end\n");
  }
  /* errors cover many decades: a label for every second one */
  fprintf(file, "set xtics %d\nset title '%s'\nset xlabel '%s'\nset ylabel '%s'\nplot ",
          scaling ? 10 : 100, points[panel].panel, scaling ? "rods" : "error in q",
          scaling ? "microseconds per rod and step" : "CPU time (s)");
  const char *comma = "";
  for (int i = panel; i < count; i++) {
    if (strcmp(points[i].panel, points[panel].panel) != 0 || !first_of_series(i)) continue;
    look l = style_of(points[i].series);
    fprintf(file, "%s$data%d with linespoints lw %d dt %d lc rgb '%s' pt %d ps 0.5 title '%s'",
            comma, i, l.width, l.dash, l.color, l.mark, points[i].series);
    comma = ", ";
  }
  fprintf(file, "\n");
}

/* Writes DIRECTORY/bench.gp and runs gnuplot on it, which writes bench.svg; frees all points. A
 * missing gnuplot is reported only. */
void bench_plot_write(const char *directory) {
  char script[1024], command[1100];
  snprintf(script, sizeof script, "%s/bench.gp", directory);
  FILE *file = count ? fopen(script, "w") : NULL;
  if (!file) return;
  int panels = 0;
  qsort(points, (size_t)count, sizeof *points, by_x);
  for (int i = 0; i < count; i++) panels += first_of_panel(i);
  fprintf(file,
          "set terminal svg size 1300,%d background 'white' font 'sans,12'\n"
          "set output '%s/bench.svg'\nset logscale xy\nset format '10^{%%T}'\nset grid\n"
          "set key outside right top Left reverse\n"
          "set multiplot layout %d,2\n",
          panels > 2 ? 900 : 450, directory, (panels + 1) / 2);
  for (int i = 0; i < count; i++) {
    if (first_of_panel(i)) write_panel(file, i);
  }
  fprintf(file, "unset multiplot\n");
  fclose(file);
  free(points);
  snprintf(command, sizeof command, "gnuplot '%s'", script);
  if (system(command) != 0) {
    printf("\nno plot: gnuplot failed or is missing; its commands are in %s\n", script);
  } else {
    printf("\n%s/bench.svg\n", directory);
  }
}
