/* SPDX-License-Identifier: MIT */
/* Lists of methods and parameters, and the picture of their errors. */
#include "convergence/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "args/problem_args.h"
#include "picture/chart.h"

/* The value of the last --KEY VALUE or --KEY=VALUE in the arguments, NULL if it is not there. */
static char *value_of(int argc, char **argv, const char *key) {
  size_t n = strlen(key);
  char *value = NULL;
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--", 2) != 0 || strncmp(argv[i] + 2, key, n) != 0) continue;
    if (argv[i][n + 2] == '=') value = argv[i] + n + 3;
    if (argv[i][n + 2] == '\0' && i + 1 < argc) value = argv[i + 1];
  }
  return value;
}

/* Cuts the value of the last --key at its commas, in place, so that the option parser sees the
 * first word only; *list gets pointers to all words, none if there is no comma. False after a
 * message. */
bool series_take(int argc, char **argv, const char *key, word_list *list) {
  char *value = value_of(argc, argv, key);
  *list = (word_list){.count = 0};
  if (!value || !strchr(value, ',')) return true;
  for (char *at = value; at;) {
    char *comma = strchr(at, ',');
    if (list->count == LIST_MAX) {
      tool_error("--%s: at most %d of them, separated by commas", key, LIST_MAX);
      return false;
    }
    if (comma) *comma = '\0';
    if (!*at) {
      tool_error("--%s: nothing between two commas, or after the last", key);
      return false;
    }
    list->word[list->count++] = at;
    at = comma ? comma + 1 : NULL;
  }
  return true;
}

/* Fills *s with the options of all combinations of methods and parameters, parameters running
 * faster; an empty list counts as the one value in `options`. ARGS_GO_ON, or TOOL_USAGE after a
 * message. */
int series_make(series *s, const ga_options *options, const word_list *methods,
                const word_list *rhos) {
  int m = methods->count ? methods->count : 1, r = rhos->count ? rhos->count : 1;
  *s = (series){.count = 0};
  if (m * r > SERIES_MAX) {
    tool_error("%d methods times %d parameters: at most %d studies in one table", m, r, SERIES_MAX);
    return TOOL_USAGE;
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < r; j++) {
      ga_options *o = &s->options[s->count++];
      ga_error err;
      *o = *options;
      if (methods->count) o->method = methods->word[i];
      if (rhos->count && ga_options_set(o, "rho", rhos->word[j], &err) != GA_OK) {
        tool_error("--%s", err.text);
        return TOOL_USAGE;
      }
    }
  }
  return ARGS_GO_ON;
}

/* Title of a study: method and rho_inf. */
series_title series_name(const ga_options *o) {
  series_title t;
  snprintf(t.text, sizeof t.text, "%.30s, ρ∞ = %.4g", o->method, ga_params_check(&o->par).rho_inf);
  return t;
}

/* ---- picture -------------------------------------------------------------------------------- */

enum { PANELS = 5 };

/* The picture of `count` studies: a table with the columns h, errors.. of each study, and the chart
 * of it. The strings live here because the chart only borrows them. */
typedef struct picture {
  table t;
  series_title title[SERIES_MAX];
  column_name x[SERIES_MAX], y[PANELS][SERIES_MAX], label[PANELS];
  chart_curve curve[PANELS][SERIES_MAX + 1];
  chart_panel panel[PANELS + 1];
  int panels;
} picture;

/* Names the columns of the table: h0, q0, v0, .., h1, q1, ..: for study k its h, then the fields
 * `shown`, one for each panel. Sets up p->t and the titles of the studies. */
static void name_columns(picture *p, const study *studies, int count, const int *shown) {
  char names[SERIES_MAX * (PANELS + 1) * 16] = "";
  size_t used = 0;
  for (int k = 0; k < count; k++) {
    p->title[k] = series_name(studies[k].options);
    snprintf(p->x[k].text, sizeof p->x[k].text, "h%d", k);
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? "," : "", p->x[k].text);
    for (int j = 0; j < p->panels; j++) {
      column_name *y = &p->y[j][k];
      snprintf(y->text, sizeof y->text, "%s%d", field_title(shown[j]), k);
      used += (size_t)snprintf(names + used, sizeof names - used, ",%s", y->text);
    }
  }
  table_init(&p->t, names);
}

/* Writes h and the errors of all levels of all studies into the table. */
static void fill_table(picture *p, const study *studies, int count, const int *shown) {
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < studies[k].rows; i++) {
      int at = k * (p->panels + 1);
      table_set(&p->t, i, at, studies[k].level[i].h);
      for (int j = 0; j < p->panels; j++) {
        table_set(&p->t, i, at + 1 + j, studies[k].level[i].error[shown[j]]);
      }
    }
  }
}

/* Draws a panel for each field that the first of `count` studies has, a curve for each study;
 * path ends in .svg or .png. False after a message. */
bool series_draw(const study *studies, int count, const char *path) {
  static const int wanted[PANELS] = {FIELD_Q, FIELD_V, FIELD_VD, FIELD_LAM, FIELD_PSI};
  picture *p = calloc(1, sizeof *p);
  int shown[PANELS];
  if (!p) {
    tool_error("no memory for the picture");
    return false;
  }
  for (int j = 0; j < PANELS; j++) {
    if (studies[0].has[wanted[j]]) shown[p->panels++] = wanted[j];
  }
  name_columns(p, studies, count, shown);
  fill_table(p, studies, count, shown);
  for (int j = 0; j < p->panels; j++) {
    for (int k = 0; k < count; k++) {
      p->curve[j][k] = (chart_curve){p->x[k].text, p->y[j][k].text, p->title[k].text, CHART_MARKS};
    }
    snprintf(p->label[j].text, sizeof p->label[j].text, "largest error of %s",
             field_title(shown[j]));
    p->panel[j] = (chart_panel){.xlabel = study_axis_title(&studies[0]),
                                .ylabel = p->label[j].text,
                                .log_x = true,
                                .log_y = true,
                                .slopes = {studies[0].automatic ? 0 : 2},
                                .curves = p->curve[j]};
  }
  const chart c = {.title = studies[0].problem->name, .panels = p->panel};
  bool good = chart_draw(&c, &p->t, path);
  table_free(&p->t);
  free(p);
  return good;
}
