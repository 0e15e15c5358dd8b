/* SPDX-License-Identifier: MIT */
/* A growing array of rows; CSV with quoted names and plain numbers. */
#define _POSIX_C_SOURCE 200809L
#include "output/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/csv.h"

/* Append a column with the first `length` characters of name (cut to the size of column_name). The
 * table must have no rows yet. Without memory: false, t->failed. */
static bool add_column(table *t, const char *name, size_t length) {
  column_name *names = realloc(t->name, (size_t)(t->columns + 1) * sizeof *names);
  if (!names) {
    t->failed = true;
    return false;
  }
  t->name = names;
  snprintf(names[t->columns].text, sizeof names[0].text, "%.*s", (int)length, name);
  t->columns++;
  return true;
}

/* Append a column, before the first row. False without memory, with t->failed set. */
bool table_add_column(table *t, const char *name) {
  return add_column(t, name, strlen(name));
}

/* Make t a table without rows; names: "h,q,v", may be empty. Without memory t->failed is set. Old
 * arrays of t are not freed; table_free in the end. */
void table_init(table *t, const char *names) {
  *t = (table){.columns = 0};
  for (size_t length; *names; names += length + (names[length] == ',')) {
    length = strcspn(names, ",");
    if (!add_column(t, names, length)) return;
  }
}

/* Free the arrays and clear t. */
void table_free(table *t) {
  free(t->name);
  free(t->val);
  *t = (table){.columns = 0};
}

/* Make room for so many rows; false, with t->failed set, without memory. */
static bool reserve_rows(table *t, int rows) {
  if (rows <= t->room) return true;
  int room = t->room ? t->room : 16;
  while (room < rows) room *= 2;
  double *val = realloc(t->val, (size_t)room * (size_t)t->columns * sizeof *val);
  if (!val) {
    t->failed = true;
    return false;
  }
  t->val = val;
  t->room = room;
  return true;
}

/* Where the number of this row and column is stored. */
static double *entry(const table *t, int row, int column) {
  return t->val + (size_t)row * (size_t)t->columns + column;
}

/* Set one number. Missing rows up to it are added (t->rows) and filled with NaN. Does nothing if
 * the column does not exist or memory is short (then t->failed is set). row, column >= 0. */
void table_set(table *t, int row, int column, double x) {
  if (column >= t->columns || !reserve_rows(t, row + 1)) return;
  for (; t->rows <= row; t->rows++) {
    for (int j = 0; j < t->columns; j++) *entry(t, t->rows, j) = NAN;
  }
  *entry(t, row, column) = x;
}

/* One number; NaN outside the table. */
double table_at(const table *t, int row, int column) {
  bool inside = row >= 0 && row < t->rows && column >= 0 && column < t->columns;
  return inside ? *entry(t, row, column) : NAN;
}

/* Number of the column of that name, -1 if there is none. */
int table_column(const table *t, const char *name) {
  for (int j = 0; j < t->columns; j++) {
    if (strcmp(t->name[j].text, name) == 0) return j;
  }
  return -1;
}

/* Is it the table of a sweep: first column "run", and a column "status"? */
bool table_is_sweep(const table *t) {
  return t->columns > 0 && strcmp(t->name[0].text, "run") == 0 && table_column(t, "status") >= 0;
}

/* Write head line and rows as CSV, numbers with 17 digits; NaN is an empty field. False if a write
 * or an earlier allocation of t failed. */
bool table_write(const table *t, FILE *to) {
  for (int j = 0; j < t->columns; j++) {
    if (j) fputc(',', to);
    csv_name(to, t->name[j].text);
  }
  fputc('\n', to);
  for (int i = 0; i < t->rows; i++) {
    for (int j = 0; j < t->columns; j++) {
      double x = table_at(t, i, j);
      if (j) fputc(',', to);
      if (!isnan(x)) fprintf(to, "%.17g", x);
    }
    fputc('\n', to);
  }
  return !t->failed && !ferror(to);
}

/* reading */

/* The next field of a CSV line, which begins at *at, unquoted in place ("" inside quotes is one
 * quote); *at moves behind its comma, or becomes NULL at the end of the line. Returns the field,
 * which lives in the line. */
static char *next_field(char **at) {
  char *from = *at, *to = from, *field = from;
  bool quoted = *from == '"';
  if (quoted) from++;
  for (; *from && (quoted || *from != ','); from++) {
    if (quoted && *from == '"') {
      quoted = from[1] == '"';
      if (!quoted) continue;
      from++;
    }
    *to++ = *from;
  }
  *at = *from == ',' ? from + 1 : NULL;
  *to = '\0';
  return field;
}

/* Cut blanks and tabs at both ends, in place; returns where the field now begins. */
static char *trim(char *field) {
  field += strspn(field, " \t");
  size_t length = strlen(field);
  while (length > 0 && strchr(" \t", field[length - 1])) field[--length] = '\0';
  return field;
}

/* Add a column for each name of the head line, which is changed in place. False without memory,
 * with t->failed set. */
static bool read_head(table *t, char *line) {
  for (char *at = line; at;) {
    char *name = trim(next_field(&at));
    if (!add_column(t, name, strlen(name))) return false;
  }
  return true;
}

/* Append the numbers of a line, which is changed in place, as row t->rows. An empty field becomes
 * NaN; so does a word if t is the table of a sweep, else it is an error. False, with the reason in
 * text (size bytes), if a field is wrong or there are more or fewer fields than columns; the row
 * may then be in t in part. True without memory, but then t->failed is set. */
static bool read_row(table *t, char *line, size_t size, char *text) {
  int row = t->rows, j = 0;
  for (char *at = line; at; j++) {
    char *field = trim(next_field(&at)), *end;
    if (j >= t->columns) {
      snprintf(text, size, "more fields than the %d names of the head line", t->columns);
      return false;
    }
    double x = *field ? strtod(field, &end) : NAN;
    if (*field && *end && table_is_sweep(t)) x = NAN;
    if (*field && *end && !table_is_sweep(t)) {
      snprintf(text, size, "'%.30s' in column '%s' is not a number", field, t->name[j].text);
      return false;
    }
    table_set(t, row, j, x);
  }
  if (j == t->columns) return true;
  snprintf(text, size, "%d fields, the head line has %d", j, t->columns);
  return false;
}

/* Read the head line and all rows of a CSV file into t, which has no columns yet; empty lines are
 * skipped. path: for messages. False after a message, if a line is wrong, reading or memory fails,
 * or there are no rows; t then has the rows before. */
static bool read_lines(table *t, FILE *file, const char *path) {
  char *line = NULL, text[160] = "";
  size_t room = 0;
  long number = 0;
  bool good = true;
  while (good && getline(&line, &room, file) >= 0) {
    line[strcspn(line, "\r\n")] = '\0';
    number++;
    if (!*line) continue;
    good = t->columns == 0 ? read_head(t, line) : read_row(t, line, sizeof text, text);
    if (t->failed) snprintf(text, sizeof text, "no memory for the table");
    good = good && !t->failed;
  }
  free(line);
  if (!good) {
    tool_error("'%s', line %ld: %s", path, number, text);
  } else if (ferror(file)) {
    tool_error("cannot read '%s': %s", path, strerror(errno));
    good = false;
  } else if (t->columns == 0 || t->rows == 0) {
    tool_error("'%s' has no %s", path, t->columns ? "rows" : "head line");
    good = false;
  }
  return good;
}

/* Read a CSV file into t; "-": standard input. False after a message. t is initialised in any case
 * (its old arrays are not freed), so that table_free follows in any case. */
bool table_read(table *t, const char *path) {
  *t = (table){.columns = 0};
  errno = 0;
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
  if (!file) {
    tool_error("cannot read '%s': %s", path, strerror(errno));
    return false;
  }
  bool good = read_lines(t, file, path);
  if (file != stdin) fclose(file);
  return good;
}
