/* SPDX-License-Identifier: MIT */
/* Lines of CSV files. */
#include "output/csv.h"

#include <string.h>

/* Write a name, in quotes only if it contains a comma, a quote or a line break. */
void csv_name(FILE *to, const char *name) {
  if (!strpbrk(name, ",\"\n")) {
    fputs(name, to);
    return;
  }
  fputc('"', to);
  for (; *name; name++) {
    if (*name == '"') fputc('"', to);
    fputc(*name, to);
  }
  fputc('"', to);
}

/* Write the name of a column in the head line, after a comma unless column is 0. */
void csv_head(FILE *to, int column, const char *name) {
  if (column > 0) fputc(',', to);
  csv_name(to, name);
}

/* Write n numbers with 17 digits as one line. False if it cannot be written. */
bool csv_row(FILE *to, int n, const double *values) {
  return csv_row_texts(to, n, values, 0, NULL);
}

/* Write n numbers with 17 digits and m texts as one line. False if it cannot be written. */
bool csv_row_texts(FILE *to, int n, const double *values, int m, const char *const *text) {
  for (int i = 0; i < n; i++) fprintf(to, i ? ",%.17g" : "%.17g", values[i]);
  for (int i = 0; i < m; i++) csv_head(to, n + i, text[i]);
  return fputc('\n', to) != EOF && !ferror(to);
}
