/* SPDX-License-Identifier: MIT */
/* Reads the wanted columns of a file of results, in pieces. */
#include "output/results_table.h"

#include <stdlib.h>

enum { PIECE = 4096 };

/* Report an error and return false. */
static bool fail_with(const char *text) {
  tool_error("%s", text);
  return false;
}

/* Open a result file, to be freed by ga_results_free, and put the names of its columns into a table
 * without rows. NULL after a message, also if the file has no rows; the table is initialised in any
 * case and freed by the caller. */
ga_results *results_open(const char *path, table *names) {
  ga_error err = {GA_OK, ""};
  ga_results *r = NULL;
  table_init(names, "");
  if (ga_results_open(path, &r, &err) != GA_OK) {
    fail_with(err.text);
    return NULL;
  }
  for (int i = 0; i < ga_results_columns(r); i++) table_add_column(names, ga_results_name(r, i));
  if (ga_results_rows(r) > 0 && !names->failed) return r;
  if (names->failed) {
    fail_with("no memory for the table");
  } else {
    tool_error("'%s' has no rows", path);
  }
  ga_results_free(r);
  return NULL;
}

/* Read column `from` of the results and set column `to` of the table to every stride-th number and
 * the last one. False after a message. */
static bool load_column(ga_results *r, int from, long stride, table *t, int to) {
  const long all = ga_results_rows(r);
  double piece[PIECE];
  ga_error err = {GA_OK, ""};
  int row = 0;
  for (long first = 0, count; first < all; first += count) {
    count = all - first < PIECE ? all - first : PIECE;
    if (ga_results_read_column(r, from, first, count, piece, &err) != GA_OK)
      return fail_with(err.text);
    for (long i = 0; i < count; i++) {
      if ((first + i) % stride == 0 || first + i == all - 1) table_set(t, row++, to, piece[i]);
    }
  }
  return true;
}

/* Read the columns marked in wanted (one flag per name) into t, thinned to about RESULTS_ROWS rows:
 * every k-th and the last. t is initialised in any case and freed by the caller. False after a
 * message. */
bool results_load(ga_results *r, const table *names, const bool *wanted, table *t) {
  const long stride = (ga_results_rows(r) + RESULTS_ROWS - 1) / RESULTS_ROWS;
  bool ok = true;
  table_init(t, "");
  for (int i = 0; i < names->columns; i++) {
    if (wanted[i]) table_add_column(t, names->name[i].text);
  }
  for (int i = 0, to = 0; ok && !t->failed && i < names->columns; i++) {
    if (wanted[i]) ok = load_column(r, i, stride, t, to++);
  }
  return t->failed ? fail_with("no memory for the table") : ok;
}
