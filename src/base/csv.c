/* SPDX-License-Identifier: MIT */
/* Columns of numbers from a CSV file. The text is kept; a column is read when it is asked for. */
#include "genalpha/ga_csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { FIELD_ROOM = 120 };

/* A line that is neither empty nor a comment: where it begins in the text, and its number. */
typedef struct {
  size_t at;
  int line;
} csv_row;

struct ga_csv {
  char *path, *text; /* the text ends with a zero; line ends are zeros, too */
  char separator;
  int columns, rows;
  char (*name)[FIELD_ROOM]; /* as they stand in the head */
  char (*bare)[FIELD_ROOM]; /* without units */
  csv_row *row;             /* the head first, then `rows` of them */
};

/* A field of a line: the text without spaces and quotes around it, and where it begins. */
typedef struct {
  char text[FIELD_ROOM];
  int column; /* counted from 1 */
  bool open;  /* a quote does not end */
} csv_field;

/* *field <- the field that begins at *at in a line; *at <- the beginning of the next one, NULL after
 * the last. Two quotes inside quotes stand for one; what is longer than FIELD_ROOM is cut. */
static void next_field(const char *line, char separator, const char **at, csv_field *field) {
  const char *c = *at;
  size_t n = 0;
  while (*c == ' ' || (*c == '\t' && separator != '\t')) c++;
  *field = (csv_field){.column = (int)(c - line) + 1};
  if (*c == '"') {
    for (c++; *c && (*c != '"' || c[1] == '"'); c++) {
      c += *c == '"';
      if (n + 1 < FIELD_ROOM) field->text[n++] = *c;
    }
    field->open = *c == '\0';
    if (*c) c++;
    while (*c && *c != separator) c++;
  } else {
    for (; *c && *c != separator; c++) {
      if (n + 1 < FIELD_ROOM) field->text[n++] = *c;
    }
    while (n > 0 && (field->text[n - 1] == ' ' || field->text[n - 1] == '\t')) n--;
  }
  field->text[n] = '\0';
  *at = *c ? c + 1 : NULL;
}

/* Number of lines of the text. */
static size_t count_lines(const char *text, size_t length) {
  size_t n = 1;
  for (size_t i = 0; i < length; i++) n += text[i] == '\n';
  return n;
}

/* Split the text into lines, and list those that are neither empty nor comments. */
static void list_rows(ga_csv *csv, size_t length) {
  int line = 1, n = 0;
  size_t at = 0;
  if (length >= 3 && memcmp(csv->text, "\xef\xbb\xbf", 3) == 0) at = 3; /* byte order mark */
  while (at < length) {
    size_t end = at;
    while (end < length && csv->text[end] != '\n') end++;
    csv->text[end] = '\0';
    if (end > at && csv->text[end - 1] == '\r') csv->text[end - 1] = '\0';
    const char *first = csv->text + at + strspn(csv->text + at, " \t");
    if (*first && *first != '#') csv->row[n++] = (csv_row){at, line};
    at = end + 1;
    line++;
  }
  csv->rows = n - 1;
}

/* The separator of a head: the first of tab, semicolon, comma that stands outside of quotes. */
static char find_separator(const char *head) {
  static const char candidates[] = "\t;,";
  for (int k = 0; k < 3; k++) {
    bool quoted = false;
    for (const char *c = head; *c; c++) {
      if (*c == '"') quoted = !quoted;
      if (*c == candidates[k] && !quoted) return candidates[k];
    }
  }
  return ',';
}

/* Read the names of the head. */
static ga_status read_names(ga_csv *csv, ga_error *err) {
  const char *head = csv->text + csv->row[0].at, *at = head;
  csv_field field;
  csv->separator = find_separator(head);
  for (csv->columns = 0; at; csv->columns++) next_field(head, csv->separator, &at, &field);
  csv->name = ga_calloc((size_t)csv->columns, sizeof *csv->name);
  csv->bare = ga_calloc((size_t)csv->columns, sizeof *csv->bare);
  if (!csv->name || !csv->bare) return ga_fail(err, GA_ERR_MEM, "%s: no memory", csv->path);
  at = head;
  for (int i = 0; i < csv->columns; i++) {
    next_field(head, csv->separator, &at, &field);
    memcpy(csv->name[i], field.text, sizeof field.text);
    size_t n = strcspn(field.text, "[(");
    while (n > 0 && field.text[n - 1] == ' ') n--;
    memcpy(csv->bare[i], field.text, n);
    if (field.open) {
      return ga_fail(err, GA_ERR_FILE, "%s:%d:%d: a quote \" does not end", csv->path,
                     csv->row[0].line, field.column);
    }
  }
  return GA_OK;
}

/* *out <- the table in `text`, which becomes a part of it, freed also on failure. */
static ga_status take_text(const char *name, char *text, size_t length, ga_csv **out,
                           ga_error *err) {
  ga_csv *csv = ga_calloc(1, sizeof *csv);
  *out = NULL;
  if (!csv) {
    ga_free(text);
    return ga_fail(err, GA_ERR_MEM, "%s: no memory", name);
  }
  csv->text = text;
  csv->path = ga_calloc(strlen(name) + 1, 1);
  csv->row = ga_calloc(count_lines(text, length) + 1, sizeof *csv->row);
  ga_status status = GA_OK;
  if (!csv->path || !csv->row) {
    status = ga_fail(err, GA_ERR_MEM, "%s: no memory", name);
  } else {
    strcpy(csv->path, name);
    list_rows(csv, length);
    status = csv->rows < 0 ? ga_fail(err, GA_ERR_FILE,
                                     "%s: the file is empty; its first line has "
                                     "the names of the columns",
                                     name)
                           : read_names(csv, err);
  }
  if (status == GA_OK) {
    *out = csv;
  } else {
    ga_csv_free(csv);
  }
  return status;
}

/* *out <- the table in a text; name stands for the path. */
ga_status ga_csv_parse(const char *name, const char *text, size_t length, ga_csv **out,
                       ga_error *err) {
  char *copy = ga_calloc(length + 1, 1);
  *out = NULL;
  if (!copy) return ga_fail(err, GA_ERR_MEM, "%s: no memory", name);
  memcpy(copy, text, length);
  return take_text(name, copy, length, out, err);
}

/* *text <- the whole file with a zero behind it, *length bytes. */
static ga_status read_whole(const char *path, char **text, size_t *length, ga_error *err) {
  FILE *file = fopen(path, "rb");
  size_t room = 1 << 16, n = 0;
  bool ok = file != NULL, memory = true;
  *text = NULL;
  while (ok) {
    char *more = ga_calloc(room + 1, 1);
    memory = more != NULL;
    if (!memory) break;
    if (n) memcpy(more, *text, n);
    ga_free(*text);
    *text = more;
    n += fread(more + n, 1, room - n, file);
    ok = !ferror(file);
    if (n < room) break;
    room *= 2;
  }
  const int reason = errno;
  if (file) fclose(file);
  *length = n;
  if (ok && memory) return GA_OK;
  ga_free(*text);
  *text = NULL;
  if (!memory) return ga_fail(err, GA_ERR_MEM, "%s: no memory", path);
  return ga_fail(err, GA_ERR_IO, "the file '%s' cannot be read: %s", path, strerror(reason));
}

/* *out <- the table in the file at path. */
ga_status ga_csv_load(const char *path, ga_csv **out, ga_error *err) {
  char *text;
  size_t length;
  *out = NULL;
  const ga_status status = read_whole(path, &text, &length, err);
  return status == GA_OK ? take_text(path, text, length, out, err) : status;
}

/* Free the table; NULL is allowed. */
void ga_csv_free(ga_csv *csv) {
  if (!csv) return;
  ga_free(csv->path);
  ga_free(csv->text);
  ga_free(csv->name);
  ga_free(csv->bare);
  ga_free(csv->row);
  ga_free(csv);
}

/* Number of rows, without the head. */
int ga_csv_rows(const ga_csv *csv) {
  return csv->rows;
}

/* Name of a column, NULL past the end. */
const char *ga_csv_name(const ga_csv *csv, int column) {
  return column >= 0 && column < csv->columns ? csv->name[column] : NULL;
}

/* The i-th name without its unit (candidates of ga_nearest_in). */
static const char *candidate(const void *context, int i) {
  const ga_csv *csv = context;
  return i < csv->columns ? csv->bare[i] : NULL;
}

/* The column of this name, -1 and a message: there is none, or there are two. */
int ga_csv_column(const ga_csv *csv, const char *name, ga_error *err) {
  int found = -1, count = 0;
  for (int i = 0; i < csv->columns; i++) {
    if (strcmp(csv->name[i], name) == 0) return i;
    if (*name && strcmp(csv->bare[i], name) == 0) found = i, count++;
  }
  if (count == 1) return found;
  if (count > 1) {
    ga_fail(err, GA_ERR_FILE, "%s: there are %d columns '%.60s'; name one with its unit", csv->path,
            count, name);
    return -1;
  }
  const char *near = ga_nearest_in(name, candidate, csv);
  char all[240] = "";
  size_t at = 0;
  for (int i = 0; i < csv->columns && at < sizeof all - 1; i++) {
    at += (size_t)snprintf(all + at, sizeof all - at, "%s'%.40s'", i ? ", " : "", csv->name[i]);
  }
  if (near) {
    ga_fail(err, GA_ERR_FILE, "%s: there is no column '%.60s'; did you mean '%s'?", csv->path, name,
            near);
  } else {
    ga_fail(err, GA_ERR_FILE, "%s: there is no column '%.60s'; it has %s", csv->path, name, all);
  }
  return -1;
}

/* *value <- the number in a field; GA_ERR_FILE with line and column. */
static ga_status read_number(const ga_csv *csv, int line, const csv_field *field, int column,
                             double *value, ga_error *err) {
  char *end = NULL;
  *value = strtod(field->text, &end);
  if (end != field->text && *end == '\0' && isfinite(*value)) return GA_OK;
  const char *name = csv->name[column];
  if (!*field->text) {
    return ga_fail(err, GA_ERR_FILE, "%s:%d:%d: a number of column '%.60s' is missing", csv->path,
                   line, field->column, name);
  }
  const bool comma = csv->separator != ',' && strchr(field->text, ',');
  return ga_fail(err, GA_ERR_FILE, "%s:%d:%d: '%.60s' in column '%.60s' is not a finite number%s",
                 csv->path, line, field->column, field->text, name,
                 comma ? "; write it with a decimal point" : "");
}

/* values <- a column, a number for each row. */
ga_status ga_csv_numbers(const ga_csv *csv, int column, bool rising, double *values,
                         ga_error *err) {
  if (column < 0 || column >= csv->columns) {
    return ga_fail(err, GA_ERR_ARG, "%s: there is no column %d", csv->path, column);
  }
  for (int i = 0; i < csv->rows; i++) {
    const csv_row *row = &csv->row[i + 1];
    const char *line = csv->text + row->at, *at = line;
    csv_field field = {.column = (int)strlen(line) + 1};
    for (int k = 0; k <= column; k++) {
      if (at) {
        next_field(line, csv->separator, &at, &field);
      } else {
        field = (csv_field){.column = (int)strlen(line) + 1};
      }
    }
    const ga_status status = read_number(csv, row->line, &field, column, &values[i], err);
    if (status != GA_OK) return status;
    if (rising && i > 0 && values[i] <= values[i - 1]) {
      return ga_fail(err, GA_ERR_FILE,
                     "%s:%d:%d: column '%.60s' must rise from line to line, but %.9g follows %.9g",
                     csv->path, row->line, field.column, csv->name[column], values[i],
                     values[i - 1]);
    }
  }
  return GA_OK;
}
