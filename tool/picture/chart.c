/* SPDX-License-Identifier: MIT */
/* The gnuplot script of a chart: the table as one data block, a plot command for each panel. */
#include "picture/chart.h"

#include <math.h>
#include <string.h>

#include "picture/gnuplot.h"

enum { WIDTH = 520, PANEL_HEIGHT = 310, TITLE_HEIGHT = 36, POINTS_MAX = 4000 };
enum { AROUND = 100, TIC_HEIGHT = 21 }; /* of a panel without its plot, of a mark with its number */
enum { KEY_MARGIN = 120, KEY_LINE = 19, SAMPLE = 66, LETTER = 9 }; /* of the legend above a panel */

/* Number of panels; the list ends with one without curves. */
static int count_panels(const chart *c) {
  int n = 0;
  while (c->panels[n].curves) n++;
  return n;
}

/* Title in the legend; "" if the curve has none there. */
static const char *curve_title(const chart_curve *c) {
  return c->title ? c->title : c->y;
}

/* Number of characters in a UTF-8 text. */
static int letters(const char *text) {
  int n = 0;
  for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
  return n;
}

/* Estimates how many lines beyond the first the legend of a panel of this width (pixels) takes,
 * 0 or more; the picture is made higher by them, so that the plot does not shrink. Curves
 * without a title take no place, guides of slopes ("slope 2", 7 letters) do. */
static int more_key_lines(const chart_panel *p, int width) {
  int entries = 0, longest = 7;
  for (const chart_curve *c = p->curves; c->y; c++) {
    if (!*curve_title(c)) continue;
    entries++;
    if (letters(curve_title(c)) > longest) longest = letters(curve_title(c));
  }
  for (int i = 0; i < CHART_SLOPES; i++) entries += fabs(p->slopes[i]) > 0;
  int across = (width - KEY_MARGIN) / (SAMPLE + LETTER * longest);
  if (across < 1) across = 1;
  return entries > across ? (entries - 1) / across : 0;
}

/* Writes the table as the data block $data of the script; numbers that are not finite become
 * NaN. */
static void write_data(const table *t, FILE *to) {
  fputs("$data << END\n", to);
  for (int i = 0; i < t->rows; i++) {
    for (int j = 0; j < t->columns; j++) {
      double x = table_at(t, i, j);
      if (isfinite(x)) {
        fprintf(to, "%.8g ", x);
      } else {
        fputs("NaN ", to);
      }
    }
    fputc('\n', to);
  }
  fputs("END\n", to);
}

/* Sets the range of an axis ('x' or 'y'); automatic unless range[0] < range[1]. */
static void write_range(FILE *to, char axis, const double range[2]) {
  if (range[0] < range[1]) {
    fprintf(to, "set %crange [%.10g:%.10g]\n", axis, range[0], range[1]);
  } else {
    fprintf(to, "set %crange [*:*]\n", axis);
  }
}

/* Sets range to the least and largest x of all points whose x and y are finite (and x > 0 on a
 * logarithmic axis), widened by a factor 1.3 if x is logarithmic. Without any point it is (inf,
 * -inf), which write_range takes as automatic. */
static void find_x_range(const chart_panel *p, const table *t, double range[2]) {
  range[0] = INFINITY, range[1] = -INFINITY;
  for (const chart_curve *c = p->curves; c->y; c++) {
    int jx = table_column(t, c->x), jy = table_column(t, c->y);
    for (int i = 0; i < t->rows; i++) {
      double x = table_at(t, i, jx);
      if (!isfinite(x) || !isfinite(table_at(t, i, jy)) || (p->log_x && x <= 0)) continue;
      range[0] = fmin(range[0], x);
      range[1] = fmax(range[1], x);
    }
  }
  if (p->log_x) range[0] /= 1.3, range[1] *= 1.3;
}

/* Scale, number format, label and range of an axis; logarithmic axes have numbers such as 1e-3. */
static void write_axis(FILE *to, char axis, bool log, const char *label, const double range[2]) {
  if (log) {
    fprintf(to, "set logscale %c\nset format %c '%%.0te%%T'\n", axis, axis);
  } else {
    fprintf(to, "unset logscale %c\nset format %c '%%g'\n", axis, axis);
  }
  fprintf(to, "set %clabel ", axis);
  gnuplot_quote(to, label ? label : "");
  fputc('\n', to);
  write_range(to, axis, range);
}

/* For the guides of slopes: sets *x to the largest x of the curves and *low, *high to the least
 * and largest y at the right ends, each curve taken at its last positive y (a curve without one
 * counts as NaN, which is ignored). False if no such point is positive. */
static bool right_ends(const chart_panel *p, const table *t, double *x, double *low, double *high) {
  *x = *low = *high = NAN;
  for (const chart_curve *c = p->curves; c->y; c++) {
    int jx = table_column(t, c->x), jy = table_column(t, c->y);
    int best = -1;
    for (int i = 0; i < t->rows; i++) {
      bool known = table_at(t, i, jy) > 0;
      if (known && (best < 0 || table_at(t, i, jx) > table_at(t, best, jx))) best = i;
    }
    *x = fmax(*x, table_at(t, best, jx));
    *low = fmin(*low, table_at(t, best, jy));
    *high = fmax(*high, table_at(t, best, jy));
  }
  return *x > 0 && *low > 0;
}

/* Adds to the plot command a grey guide y (x/x_end)^p for each slope p that is not 0: the first
 * at half the lowest curve, the second at twice the highest, at their right ends. Nothing
 * without a positive point. */
static void write_slopes(const chart_panel *p, const table *t, FILE *to) {
  double x, low, high;
  if (!right_ends(p, t, &x, &low, &high)) return;
  for (int i = 0; i < CHART_SLOPES; i++) {
    double slope = p->slopes[i], y = i == 0 ? low / 2 : high * 2;
    if (fabs(slope) <= 0) continue;
    fprintf(to, ", %.8g*(x/%.8g)**%g with lines dt %d lw 1.5 lc rgb '#888888' title 'slope %g'", y,
            x, slope, i + 2, slope);
  }
}

/* The gnuplot point type of curve i: y, z, a, lambda and psi have those of the papers, others take
 * turns. */
static int mark_of(const chart_curve *c, int i) {
  static const struct {
    const char *title;
    int mark;
  } usual[] = {{"y", 4}, {"z", 6}, {"a", 2}, {"λ", 1}, {"ψ", 3}};
  static const int marks[] = {4, 6, 2, 1, 8, 3, 12};
  for (int k = 0; k < (int)(sizeof usual / sizeof usual[0]); k++) {
    if (strcmp(curve_title(c), usual[k].title) == 0) return usual[k].mark;
  }
  return marks[i % 7];
}

/* Writes the plot element of curve i of its panel: columns, style, colour, title. Of long tables
 * only every n-th row is drawn, so that there are at most POINTS_MAX points. */
static void write_curve(const chart_curve *c, const table *t, int i, FILE *to) {
  static const char *const styles[] = {"lines lw 1.8", "linespoints lw 1.8 ps 0.9", "points ps 0.7",
                                       "lines lw 1.4 dt 2", "lines lw 3"};
  int every = t->rows / POINTS_MAX + 1;
  fprintf(to, "$data using %d:%d every %d with %s", table_column(t, c->x) + 1,
          table_column(t, c->y) + 1, every, styles[c->style]);
  if (c->style == CHART_MARKS || c->style == CHART_POINTS) fprintf(to, " pt %d", mark_of(c, i));
  fprintf(to, " lc rgb '%s'", c->style == CHART_BODY ? "#333333" : gnuplot_color(i));
  if (!*curve_title(c)) {
    fputs(" notitle", to);
  } else {
    fputs(" title ", to);
    gnuplot_quote(to, curve_title(c));
  }
}

/* The distance (1, 2 or 5 times a power of ten) so that an axis of this length (> 0) has at most
 * `most` (> 0) marks. */
static double tic_distance(double length, int most) {
  const double least = length / most, decade = pow(10, floor(log10(least)));
  const double steps[] = {1, 2, 5, 10};
  int k = 0;
  while (k < 3 && steps[k] * decade < least * (1 - 1e-9)) k++;
  return steps[k] * decade;
}

/* Marks of a linear y-axis, at most about `most`, so that their numbers do not touch in a low
 * panel. Automatic if y is logarithmic, both axes have one scale, or all y are the same. */
static void write_ytics(const chart_panel *p, const table *t, int most, FILE *to) {
  double low = INFINITY, high = -INFINITY;
  for (const chart_curve *c = p->curves; c->y; c++) {
    const int j = table_column(t, c->y);
    for (int i = 0; i < t->rows; i++) {
      const double y = table_at(t, i, j);
      if (isfinite(y)) low = fmin(low, y), high = fmax(high, y);
    }
  }
  if (p->y[0] < p->y[1]) low = p->y[0], high = p->y[1];
  if (!p->log_y && !p->equal && high - low > 1e-9 * fmax(fabs(low), fabs(high))) {
    fprintf(to, "set ytics %.10g\n", tic_distance(high - low, most));
  } else {
    fputs("set ytics autofreq\n", to);
  }
}

/* Marks of the x-axis: p->tic if given, for both axes; 1, 2, 5 times powers of ten on a
 * logarithmic axis of less than two decades (range x); else automatic. */
static void write_tics(const chart_panel *p, const double x[2], FILE *to) {
  if (p->tic > 0) {
    fprintf(to, "set xtics %g\nset ytics %g\n", p->tic, p->tic);
  } else if (p->log_x && x[1] / x[0] < 100) {
    const char *between = "";
    fputs("set xtics (", to);
    for (int decade = (int)floor(log10(x[0])); decade <= log10(x[1]); decade++) {
      for (int k = 1; k <= 5; k += k == 1 ? 1 : 3) {
        fprintf(to, "%s%de%d", between, k, decade);
        between = ", ";
      }
    }
    fputs(")\n", to);
  } else {
    fputs("set xtics autofreq\n", to);
  }
}

/* Removes the labels of the panel before, writes those of this one beside their points. */
static void write_names(const chart_panel *p, const table *t, FILE *to) {
  fputs("unset label\n", to);
  if (!p->names) return;
  int jx = table_column(t, p->names_at[0]), jy = table_column(t, p->names_at[1]);
  for (int i = 0; i < t->rows && p->names[i]; i++) {
    double x = table_at(t, i, jx), y = table_at(t, i, jy);
    if (!*p->names[i] || !isfinite(x) || !isfinite(y)) continue;
    fputs("set label ", to);
    gnuplot_quote(to, p->names[i]);
    fprintf(to, " at %.8g,%.8g offset 0.6,0.5 front\n", x, y);
  }
}

/* Writes all settings and the plot command of a panel; height of the panel in pixels. Settings
 * that the panel does not use are reset, because the panel before may have made them. */
static void write_panel(const chart_panel *p, const table *t, int height, FILE *to) {
  fputs("set title ", to);
  gnuplot_quote(to, p->title ? p->title : "");
  fputc('\n', to);
  double x[2] = {p->x[0], p->x[1]};
  if (!(x[0] < x[1])) find_x_range(p, t, x);
  write_axis(to, 'x', p->log_x, p->xlabel, x);
  write_axis(to, 'y', p->log_y, p->ylabel, p->y);
  fputs(p->equal ? "set size ratio -1\n" : "set size noratio\n", to);
  write_ytics(p, t, (height - AROUND) / TIC_HEIGHT, to);
  write_tics(p, x, to);
  write_names(p, t, to);
  fputs("plot ", to);
  int i = 0;
  for (const chart_curve *c = p->curves; c->y; c++) {
    if (i > 0) fputs(", ", to);
    write_curve(c, t, i++, to);
  }
  write_slopes(p, t, to);
  fputc('\n', to);
}

/* Width of the picture in pixels, that of the chart or the usual one. */
int chart_width(const chart *c) {
  return c->width ? c->width : WIDTH;
}

/* Rows of panels, with c->across panels in a row. */
static int panel_rows(const chart *c) {
  int across = c->across ? c->across : 1;
  return (count_panels(c) + across - 1) / across;
}

/* Height in pixels of all rows of panels, each with room for the longest legend, and of the
 * title. */
int chart_height(const chart *c) {
  int height = c->panel_height ? c->panel_height : PANEL_HEIGHT, key = 0;
  for (int i = 0; i < count_panels(c); i++) {
    int lines = more_key_lines(&c->panels[i], chart_width(c)) + (c->panels[i].title != NULL);
    if (lines > key) key = lines;
  }
  return panel_rows(c) * (height + key * KEY_LINE) + (c->title ? TITLE_HEIGHT : 0);
}

/* Writes the data and the plot commands of all panels, as a gnuplot multiplot. The caller has
 * written the terminal's settings (gnuplot_open) and looks at ferror(to). */
void chart_write(const chart *c, const table *t, FILE *to) {
  int across = c->across ? c->across : 1;
  write_data(t, to);
  fputs(
      "set grid lt 1 lw 0.5 lc rgb '#dddddd'\n"
      "set key above Left reverse samplen 2 width 1\n"
      "set tics nomirror\n"
      "set rmargin 3\n",
      to);
  fputs(across == 1 ? "set lmargin 10\n" : "set lmargin 7\nset rmargin 1\n", to);
  fprintf(to, "set multiplot layout %d,%d", panel_rows(c), across);
  if (c->title) {
    fputs(" title ", to);
    gnuplot_quote(to, c->title);
    fputs(" offset 0,0.4", to);
  }
  fputc('\n', to);
  for (int i = 0; i < count_panels(c); i++) {
    write_panel(&c->panels[i], t, c->panel_height ? c->panel_height : PANEL_HEIGHT, to);
  }
  fputs("unset multiplot\n", to);
}

/* Writes the script and runs gnuplot; path ends in .svg or .png. False after a message. */
bool chart_draw(const chart *c, const table *t, const char *path) {
  gnuplot plot;
  if (!gnuplot_open(&plot, path, chart_width(c), chart_height(c))) return false;
  chart_write(c, t, plot.script);
  return gnuplot_close(&plot);
}

/* ---- errors over h -------------------------------------------------------------------------- */

/* Does text end in `ending`, with at least one character before it? */
static bool ends_in(const char *text, const char *ending) {
  size_t n = strlen(text), m = strlen(ending);
  return n > m && strcmp(text + n - m, ending) == 0;
}

/* Is the first column h, and is there a column NAME_error? */
bool chart_is_study(const table *t) {
  bool errors = false;
  for (int j = 0; j < t->columns; j++) errors = errors || ends_in(t->name[j].text, "_error");
  return errors && strcmp(t->name[0].text, "h") == 0;
}

/* Draws all columns NAME_error (the first 12) over the first column, both axes logarithmic, with
 * a guide of slope 2 if that column is h. False after a message. */
bool chart_draw_study(const table *t, const char *title, const char *xlabel, const char *path) {
  enum { CURVES = 12 };
  chart_curve curves[CURVES + 1] = {{.y = NULL}};
  column_name titles[CURVES];
  int n = 0;
  for (int j = 0; j < t->columns && n < CURVES; j++) {
    const char *name = t->name[j].text;
    if (!ends_in(name, "_error")) continue;
    snprintf(titles[n].text, sizeof titles[n].text, "%.*s", (int)(strlen(name) - 6), name);
    curves[n] = (chart_curve){t->name[0].text, name, titles[n].text, CHART_MARKS};
    n++;
  }
  const double slope = strcmp(t->name[0].text, "h") == 0 ? 2 : 0;
  const chart_panel panels[] = {{.xlabel = xlabel,
                                 .ylabel = "largest error",
                                 .log_x = true,
                                 .log_y = true,
                                 .slopes = {slope},
                                 .curves = curves},
                                {.curves = NULL}};
  const chart c = {.title = title, .panels = panels};
  return chart_draw(&c, t, path);
}
