/* SPDX-License-Identifier: MIT */
/* genalpha plot: columns of a CSV file or of results as curves, in panels one below the other. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "chart.h"
#include "gnuplot.h"
#include "output.h"
#include "results_table.h"

enum { PANELS = 6, CURVES = 16, USUAL_CURVES = GNUPLOT_COLORS, USUAL_PANELS = 4 };

typedef struct settings {
  const char *out, *x, *title;
  int log; /* place in LOGS */
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
        "(`run --out FILE.h5`). Each word after the file names the columns of one panel: 'x,y z'\n"
        "draws x and y, and z below them. Without words the first families of columns are drawn.",
    .specs = specs};

/* a chart with room for its parts */
typedef struct sketch {
  const table *t;
  const char *x;
  bool log_x, log_y;
  chart_panel panel[PANELS + 1];
  chart_curve curve[PANELS][CURVES + 1];
  int panels, curves[PANELS];
} sketch;

static void add_curve(sketch *s, int column, bool new_panel) {
  if (new_panel) s->panels++;
  int p = s->panels - 1, i = s->curves[p]++;
  s->curve[p][i] = (chart_curve){.x = s->x,
                                 .y = s->t->name[column].text,
                                 .style = s->log_x && s->log_y ? CHART_MARKS : CHART_LINE};
  s->panel[p] = (chart_panel){.xlabel = s->x,
                              .ylabel = s->curves[p] == 1 ? s->curve[p][0].y : "",
                              .log_x = s->log_x,
                              .log_y = s->log_y,
                              .curves = s->curve[p]};
}

/* words of a person */

static const char *column_at(const void *list, int i) {
  const table *t = list;
  return i < t->columns ? t->name[i].text : NULL;
}

static int unknown_column(const table *t, const char *typed) {
  return cli_unknown("column", typed, column_at, t);
}

static int add_named(sketch *s, const char *word) {
  bool first = true;
  if (s->panels == PANELS) {
    cli_error("more than %d panels; columns of one panel are joined by commas: x,y", PANELS);
    return CLI_USAGE;
  }
  for (size_t length; *word; word += length + (word[length] == ',')) {
    char name[NAME_MAX_LENGTH];
    length = strcspn(word, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    int column = table_column(s->t, name);
    if (column < 0) return unknown_column(s->t, name);
    if (!first && s->curves[s->panels - 1] == CURVES) {
      cli_error("more than %d curves in a panel", CURVES);
      return CLI_USAGE;
    }
    add_curve(s, column, first);
    first = false;
  }
  return ARGS_GO_ON;
}

static bool related(const table *t, int i, int j) {
  return i >= 0 && j < t->columns && name_family(t->name[i].text, t->name[j].text);
}

/* without relatives beside it */
static bool alone(const table *t, int j) {
  return !related(t, j - 1, j) && !related(t, j, j + 1);
}

/* panels of families, x1 x2 x3, and of neighbours that have none: x, y, z */
static void add_families(sketch *s, int x) {
  const table *t = s->t;
  int last = -1;
  for (int j = 0; j < t->columns; j++) {
    if (j == x) continue;
    bool joins = last >= 0 && (related(t, last, j) || (alone(t, last) && alone(t, j)));
    last = j;
    if (!joins && s->panels == USUAL_PANELS) return;
    if (joins && s->curves[s->panels - 1] == USUAL_CURVES) continue;
    add_curve(s, j, !joins);
  }
}

static int fill(sketch *s, const settings *set, const args *a) {
  int x = set->x ? table_column(s->t, set->x) : 0;
  if (x < 0) return unknown_column(s->t, set->x);
  s->x = s->t->name[x].text;
  s->log_x = set->log == 1 || set->log == 3;
  s->log_y = set->log == 2 || set->log == 3;
  for (int i = 1; i < a->noperands; i++) {
    int code = add_named(s, a->operands[i]);
    if (code != ARGS_GO_ON) return code;
  }
  if (s->panels == 0) add_families(s, x);
  if (s->panels > 0) return ARGS_GO_ON;
  cli_error("'%s' has only one column", a->operand);
  return CLI_USAGE;
}

/* the name of the file with .svg for its ending; false after a message */
static bool default_name(const char *file, size_t size, char *name) {
  size_t length = strlen(file);
  const char *dot = strrchr(file, '.');
  if (dot && dot > file && (strcmp(dot, ".csv") == 0 || results_named(file))) {
    length = (size_t)(dot - file);
  }
  int n = snprintf(name, size, "%.*s.svg", (int)length, file);
  if (n > 0 && (size_t)n < size && strcmp(file, "-") != 0) return true;
  cli_error("--out is missing: the name of the picture");
  return false;
}

/* the columns of a chart, from a file of results; false after a message */
static bool load(const chart *c, ga_results *r, const table *names, table *data) {
  bool *wanted = calloc((size_t)names->columns, sizeof *wanted);
  if (!wanted) {
    cli_error("no memory for the columns");
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

/* t: the table, or the names of the columns of r */
static int draw(const settings *set, const args *a, const table *t, ga_results *r) {
  static sketch s; /* large */
  char name[4096];
  const char *path = set->out ? set->out : name;
  bool good;
  if (!set->out && !default_name(a->operand, sizeof name, name)) return CLI_USAGE;
  if (!r && chart_is_study(t) && a->noperands == 1 && !set->x && !set->log) {
    good = chart_draw_study(t, set->title, path);
  } else {
    s = (sketch){.t = t};
    int code = fill(&s, set, a);
    if (code != ARGS_GO_ON) return code;
    chart c = {.title = set->title, .panels = s.panel, .panel_height = s.panels > 1 ? 220 : 0};
    table data;
    table_init(&data, "");
    good = r ? load(&c, r, t, &data) && chart_draw(&c, &data, path) : chart_draw(&c, t, path);
    table_free(&data);
  }
  if (!good) return CLI_FAILED;
  printf("plot: %s\n", path);
  return CLI_OK;
}

int cmd_plot(int argc, char **argv) {
  settings set = {NULL, NULL, NULL, 0};
  args a = {.command = &command, .settings = &set};
  int code = args_parse(&a, argc, argv);
  if (code != ARGS_GO_ON) return code;
  table t;
  const bool results = results_named(a.operand);
  ga_results *r = results ? results_open(a.operand, &t) : NULL;
  const bool good = results ? r != NULL : table_read(&t, a.operand);
  code = good ? draw(&set, &a, &t, r) : CLI_FAILED;
  table_free(&t);
  ga_results_free(r);
  return code;
}
