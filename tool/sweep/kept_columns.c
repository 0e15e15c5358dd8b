/* SPDX-License-Identifier: MIT */
/* The shape of the results of a sweep: which columns are kept, and the index of each number. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "sweep/one_run.h"

static const char *const stat_names[] = {
#define NAME(name, text) #name,
    GA_STAT_LIST(NAME, NAME)
#undef NAME
};
enum { NSTATS = (int)(sizeof stat_names / sizeof stat_names[0]) };

/* Name of count i of the solver, NULL past the end. */
const char *sweep_stat_name(int i) {
  return i < NSTATS ? stat_names[i] : NULL;
}

/* Index in sweep_result.value of the first column at the end. */
int sweep_shape_end(const sweep_shape *s) {
  return s->parameters + (s->accuracy ? SWEEP_FIXED : SWEEP_ERROR);
}

/* Index in sweep_result.value of the first count. */
int sweep_shape_stats(const sweep_shape *s) {
  return sweep_shape_end(s) + s->columns * (s->extremes ? 3 : 1);
}

/* Name of column i, NULL past the end; for tool_unknown. */
static const char *column_at(const void *list, int i) {
  const column_set *r = list;
  return i < r->count ? r->name[i].text : NULL;
}

/* Appends column `at` of r, its name and unit, to the columns kept (s->name, s->unit,
 * s->columns); false after a message. */
static bool keep_column(sweep_shape *s, const column_set *r, int at) {
  const size_t n = (size_t)s->columns + 1;
  column_name *name = realloc(s->name, n * sizeof *name);
  if (name) s->name = name;
  char(*unit)[16] = realloc(s->unit, n * sizeof *unit);
  if (unit) s->unit = unit;
  if (!name || !unit) {
    tool_error("no memory for the columns");
    return false;
  }
  name[s->columns] = r->name[at];
  snprintf(unit[s->columns++], sizeof *unit, "%s", r->unit[at]);
  return true;
}

/* Keeps the columns named in "a,b,c"; t (column 0) is always kept and ignored here. ARGS_GO_ON,
 * or the exit code after a message. */
static int keep_named(sweep_shape *s, const column_set *r, const char *names) {
  while (true) {
    char name[NAME_MAX_LENGTH];
    const size_t length = strcspn(names, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, names);
    const int at = length < sizeof name ? columns_find(r, name) : -1;
    if (length == 0) {
      tool_error("--columns: nothing between two commas, or after the last");
      return TOOL_USAGE;
    }
    if (at < 0) return tool_unknown("column", name, column_at, r);
    if (at > 0 && !keep_column(s, r, at)) return TOOL_FAILED;
    if (!names[length]) return ARGS_GO_ON;
    names += length + 1;
  }
}

/* Sets the columns kept, `chosen`, `parameters` and the number of values; s is zeroed but for
 * extremes, history and want, which must be set before. names NULL: the usual columns.
 * ARGS_GO_ON, or the exit code after a message; sweep_shape_close in any case. */
int sweep_shape_open(sweep_shape *s, const sweep_plan *p, const ga_problem *problem,
                     const char *names) {
  column_set r;
  int code = TOOL_FAILED;
  s->chosen = names != NULL;
  s->parameters = p->count;
  if (columns_open(&r, problem, names ? COLUMNS_ALL : COLUMNS_CHOSEN)) {
    code = names ? keep_named(s, &r, names) : ARGS_GO_ON;
    for (int i = 1; !names && code == ARGS_GO_ON && i < r.count; i++) {
      if (!keep_column(s, &r, i)) code = TOOL_FAILED;
    }
  }
  columns_close(&r);
  s->values = sweep_shape_stats(s) + NSTATS;
  return code;
}

/* Frees all; the struct is empty then. */
void sweep_shape_close(sweep_shape *s) {
  free(s->name);
  free(s->unit);
  free(s->want);
  *s = (sweep_shape){.columns = 0};
}
