/* SPDX-License-Identifier: MIT */
/* A growing array of rows; CSV with quoted names and plain numbers. */
#define _POSIX_C_SOURCE 200809L
#include "output/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/csv.h"

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

bool table_add_column(table *t, const char *name) {
  return add_column(t, name, strlen(name));
}

void table_init(table *t, const char *names) {
  *t = (table){.columns = 0};
  for (size_t length; *names; names += length + (names[length] == ',')) {
    length = strcspn(names, ",");
    if (!add_column(t, names, length)) return;
  }
}

void table_free(table *t) {
  free(t->name);
  free(t->val);
  *t = (table){.columns = 0};
}

static bool reserve(table *t, int rows) {
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

static double *entry(const table *t, int row, int column) {
  return t->val + (size_t)row * (size_t)t->columns + column;
}

void table_set(table *t, int row, int column, double x) {
  if (column >= t->columns || !reserve(t, row + 1)) return;
  for (; t->rows <= row; t->rows++) {
    for (int j = 0; j < t->columns; j++) *entry(t, t->rows, j) = NAN;
  }
  *entry(t, row, column) = x;
}

double table_at(const table *t, int row, int column) {
  bool inside = row >= 0 && row < t->rows && column >= 0 && column < t->columns;
  return inside ? *entry(t, row, column) : NAN;
}

int table_column(const table *t, const char *name) {
  for (int j = 0; j < t->columns; j++) {
    if (strcmp(t->name[j].text, name) == 0) return j;
  }
  return -1;
}

bool table_is_sweep(const table *t) {
  return t->columns > 0 && strcmp(t->name[0].text, "run") == 0 && table_column(t, "status") >= 0;
}

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

/* the next field of a line, quotes removed in place; *at moves behind the comma, NULL at the end */
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

static char *trimmed(char *field) {
  field += strspn(field, " \t");
  size_t length = strlen(field);
  while (length > 0 && strchr(" \t", field[length - 1])) field[--length] = '\0';
  return field;
}

static bool read_head(table *t, char *line) {
  for (char *at = line; at;) {
    char *name = trimmed(next_field(&at));
    if (!add_column(t, name, strlen(name))) return false;
  }
  return true;
}

/* true, or false with what is wrong in text */
static bool read_row(table *t, char *line, size_t size, char *text) {
  int row = t->rows, j = 0;
  for (char *at = line; at; j++) {
    char *field = trimmed(next_field(&at)), *end;
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
