/* SPDX-License-Identifier: MIT */
/* genalpha plot: columns of a CSV file or of results as curves, in panels one below the other. */
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "args/paths.h"
#include "columns/quantity.h"
#include "output/output.h"
#include "output/results_table.h"
#include "picture/chart.h"
#include "picture/gnuplot.h"

enum { PANELS = 8, CURVES = 16, USUAL_CURVES = GNUPLOT_COLORS };

typedef struct settings {
  const char *out, *x, *title;
  int log; /* index of a word in LOGS */
} settings;

static const char LOGS[] = "none|x|y|xy";

#define FIELD(name) offsetof(settings, name)
static const arg_spec specs[] = {
    {"out", "FILE.svg|FILE.png", "the picture (default: the file's name, ending in .svg)",
     gnuplot_read_name, FIELD(out), 0, 0},
    {"x", "COLUMN", "what the others are drawn over (default: the first column)", arg_read_text,
     FIELD(x), 0, 0},
    {"log", LOGS, "logarithmic axes (default none; for a file of `converge --csv` xy)",
     arg_read_word, FIELD(log), 0, 0},
    {"title", "TEXT", "a title above the picture", arg_read_text, FIELD(title), 0, 0},
    {.key = NULL}};
#undef FIELD

static const arg_command command = {
    .name = "plot",
    .operand = "FILE.csv|FILE.h5 [COLUMNS]",
    .needs_operand = true,
    .many_operands = true,
    .summary =
        "Draw columns of a CSV file, as `run --out` and `converge --csv` write them, or of "
        "results\n"
        "(`run --out FILE.h5`, `sweep`). Each word after the file names the columns of one panel: "
        "'x,y z'\n"
        "draws x and y, and z below them. Without words there is a panel for each quantity, with "
        "its\n"
        "unit.",
    .specs = specs};

/* a chart with room for its panels, curves and labels */
typedef struct sketch {
  const table *t;
  const ga_results *results; /* source of units; NULL: t is a CSV file */
  const char *x;
  bool log_x, log_y;
  bool unitless;
  bool points; /* points instead of lines: the rows are runs of a sweep */
  column_name xlabel, ylabel[PANELS];
  chart_panel panel[PANELS + 1];
  chart_curve curve[PANELS][CURVES + 1];
  int panels, curves[PANELS];
} sketch;

/* Is it the table of a mathematical test problem, whose columns have no units? */
static bool is_unitless(const table *t) {
  const char **names = calloc((size_t)t->columns, sizeof *names);
  if (!names) return false;
  for (int j = 0; j < t->columns; j++) names[j] = t->name[j].text;
  bool none = quantity_unitless(names, t->columns);
  free(names);
  return none;
}

/* The unit of a column, NULL if it is not known. Result files store units. In a CSV file
 * "NAME.rate" beside "NAME.length" is the velocity of a spring, not an angular velocity. */
static const char *unit_of(const sketch *s, int column) {
  const char *name = s->t->name[column].text, *dot = strrchr(name, '.');
  if (s->results) return ga_results_unit(s->results, column);
  if (!dot || strcmp(dot, ".rate") != 0) return NULL;
  char length[NAME_MAX_LENGTH + 8];
  snprintf(length, sizeof length, "%.*s.length", (int)(dot - name), name);
  return table_column(s->t, length) < 0 ? NULL : "m/s";
}

/* What a column measures, and its unit: "angular velocity", "rad/s". */
static quantity quantity_of_column(const sketch *s, int column) {
  const char *name = s->t->name[column].text;
  return s->unitless ? (quantity){name, ""} : quantity_in(name, unit_of(s, column));
}

/* Label panel p after a column was added: the quantity all its curves share, or no label if they
 * differ. */
static void label_panel(sketch *s, int p, int column) {
  quantity q = quantity_of_column(s, column);
  column_name *label = &s->ylabel[p];
  if (s->curves[p] == 1) {
    *label = quantity_label(q);
  } else if (strcmp(label->text, quantity_label(q).text) != 0) {
    label->text[0] = '\0';
  }
}

/* Append a column as a curve to panel p, over s->x, and update the panel's label and axes. The
 * panel must have room for it (CURVES). */
static void add_curve_to_panel(sketch *s, int p, int column) {
  s->curve[p][s->curves[p]++] = (chart_curve){.x = s->x,
                                              .y = s->t->name[column].text,
                                              .style = s->points              ? CHART_POINTS
                                                       : s->log_x && s->log_y ? CHART_MARKS
                                                                              : CHART_LINE};
  label_panel(s, p, column);
  s->panel[p] = (chart_panel){.xlabel = s->xlabel.text,
                              .ylabel = s->ylabel[p].text,
                              .log_x = s->log_x,
                              .log_y = s->log_y,
                              .curves = s->curve[p]};
}

/* Append a column as a curve to a new panel (s->panels grows), or to the last one. There must be
 * room for it. */
static void add_curve(sketch *s, int column, bool new_panel) {
  if (new_panel) s->panels++;
  add_curve_to_panel(s, s->panels - 1, column);
}

/* ---- columns named on the command line ------------------------------------------------------ */

/* A tool_word: the i-th column name of a table. */
static const char *column_at(const void *list, int i) {
  const table *t = list;
  return i < t->columns ? t->name[i].text : NULL;
}

/* Report an unknown column with the nearest name. Returns TOOL_USAGE. */
static int unknown_column(const table *t, const char *typed) {
  return tool_unknown("column", typed, column_at, t);
}

/* Add a panel with the columns that a word of the command line names, "x,y". ARGS_GO_ON, or
 * TOOL_USAGE after a message. */
static int add_named(sketch *s, const char *word) {
  bool first = true;
  if (s->panels == PANELS) {
    tool_error("more than %d panels; columns of one panel are joined by commas: x,y", PANELS);
    return TOOL_USAGE;
  }
  for (size_t length; *word; word += length + (word[length] == ',')) {
    char name[NAME_MAX_LENGTH];
    length = strcspn(word, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    int column = table_column(s->t, name);
    if (column < 0) return unknown_column(s->t, name);
    if (!first && s->curves[s->panels - 1] == CURVES) {
      tool_error("more than %d curves in a panel", CURVES);
      return TOOL_USAGE;
    }
    add_curve(s, column, first);
    first = false;
  }
  return ARGS_GO_ON;
}

/* Should a column join panel p? Yes if both have the same known quantity; a column of unknown
 * quantity joins its family by name, x1 x2 x3. */
static bool belongs_to_panel(const sketch *s, int p, int column) {
  const char *first = s->curve[p][0].y, *name = s->t->name[column].text;
  quantity a = quantity_of_column(s, table_column(s->t, first)), b = quantity_of_column(s, column);
  bool known = strcmp(b.what, name) != 0;
  return known ? quantity_same(a, b) : name_family(first, name);
}

/* Without words on the command line: fill s with one panel for each quantity or family of names
 * (x1, x2, ..). x: the column of the abscissa, which is not drawn. Columns beyond PANELS panels, or
 * USUAL_CURVES curves in a panel, are left out. */
static void add_families(sketch *s, int x) {
  for (int j = 0; j < s->t->columns; j++) {
    int p = 0;
    if (j == x) continue;
    while (p < s->panels && !belongs_to_panel(s, p, j)) p++;
    if (p == PANELS || (p < s->panels && s->curves[p] == USUAL_CURVES)) continue;
    if (p == s->panels) s->panels++;
    add_curve_to_panel(s, p, j);
  }
}

/* Fill s: axes, labels, panels and curves, from the settings and the words after the file's name.
 * s->t and s->results must be set, all else zero. ARGS_GO_ON, or TOOL_USAGE after a message. */
static int plan_chart(sketch *s, const settings *set, const args *a) {
  int x = set->x ? table_column(s->t, set->x) : 0;
  if (x < 0) return unknown_column(s->t, set->x);
  s->x = s->t->name[x].text;
  s->unitless = is_unitless(s->t);
  s->xlabel = quantity_label(quantity_of_column(s, x));
  if (strcmp(s->x, "t") != 0 && strcmp(quantity_of_column(s, x).what, s->x) != 0) {
    quantity q = quantity_of_column(s, x);
    s->xlabel = quantity_label((quantity){s->x, q.unit});
  }
  /* rows of a sweep are separate runs: points, not lines */
  s->points = table_is_sweep(s->t);
  /* the words of LOGS: 1 is x, 2 is y, 3 is xy */
  s->log_x = set->log == 1 || set->log == 3;
  s->log_y = set->log == 2 || set->log == 3;
  for (int i = 1; i < a->noperands; i++) {
    int code = add_named(s, a->operands[i]);
    if (code != ARGS_GO_ON) return code;
  }
  if (s->panels == 0) add_families(s, x);
  if (s->panels > 0) return ARGS_GO_ON;
  tool_error("'%s' has only one column", a->operand);
  return TOOL_USAGE;
}

/* The picture's default name: the data file's, with .svg in place of .csv or .h5. False after a
 * message. */
static bool default_picture_name(const char *file, size_t size, char *name) {
  size_t length = strlen(file);
  const char *dot = strrchr(file, '.');
  if (dot && dot > file && (strcmp(dot, ".csv") == 0 || results_named(file))) {
    length = (size_t)(dot - file);
  }
  int n = snprintf(name, size, "%.*s.svg", (int)length, file);
  if (n > 0 && (size_t)n < size && strcmp(file, "-") != 0) return true;
  tool_error("--out is missing: the name of the picture");
  return false;
}

/* Read the columns that the chart draws from a file of results into `data`, an empty table that the
 * caller frees. names: the columns of the file. False after a message. */
static bool load_chart_columns(const chart *c, ga_results *r, const table *names, table *data) {
  bool *wanted = calloc((size_t)names->columns, sizeof *wanted);
  if (!wanted) {
    tool_error("no memory for the columns");
    return false;
  }
  for (const chart_panel *panel = c->panels; panel->curves; panel++) {
    for (const chart_curve *curve = panel->curves; curve->y; curve++) {
      wanted[table_column(names, curve->x)] = wanted[table_column(names, curve->y)] = true;
    }
  }
  const bool good = results_load(r, names, wanted, data);
  free(wanted);
  return good;
}

/* Draw the picture. t: the table of a CSV file (r NULL), or only the column names of the results
 * r. A table of `converge --csv` gets its own kind of chart. Returns the exit code. */
static int draw_plot(const settings *set, const args *a, const table *t, ga_results *r) {
  static sketch s; /* large */
  char name[4096];
  const char *path = set->out ? set->out : name;
  bool good;
  if (!set->out && !default_picture_name(a->operand, sizeof name, name)) return TOOL_USAGE;
  const path_use use[] = {{"the table", a->operand, NULL, false}, {"--out", path, NULL, true}};
  int code = paths_check(2, use);
  if (code != ARGS_GO_ON) return code;
  if (!r && chart_is_study(t) && a->noperands == 1 && !set->x && !set->log) {
    good = chart_draw_study(t, set->title, t->name[0].text, path);
  } else {
    s = (sketch){.t = t, .results = r};
    code = plan_chart(&s, set, a);
    if (code != ARGS_GO_ON) return code;
    chart c = {.title = set->title,
               .panels = s.panel,
               .panel_height = s.panels > 1 ? CHART_TIME_HEIGHT : 0,
               .width = CHART_TIME_WIDTH};
    table data;
    table_init(&data, "");
    good = r ? load_chart_columns(&c, r, t, &data) && chart_draw(&c, &data, path)
             : chart_draw(&c, t, path);
    table_free(&data);
  }
  if (!good) return TOOL_FAILED;
  printf("plot: %s\n", path);
  return TOOL_OK;
}

/* `genalpha plot`: read a CSV file as a whole, or only the column names of a result file, and
 * draw. Returns the exit code. */
int command_plot(int argc, char **argv) {
  settings set = {NULL, NULL, NULL, 0};
  args a = {.command = &command, .settings = &set};
  int code = args_parse(&a, argc, argv);
  if (code != ARGS_GO_ON) return code;
  table t;
  const bool results = results_named(a.operand);
  ga_results *r = results ? results_open(a.operand, &t) : NULL;
  const bool good = results ? r != NULL : table_read(&t, a.operand);
  code = good ? draw_plot(&set, &a, &t, r) : TOOL_FAILED;
  table_free(&t);
  ga_results_free(r);
  return code;
}
