/* SPDX-License-Identifier: MIT */
/* Lines of CSV files. */
#include "output/csv.h"

#include <string.h>

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

void csv_head(FILE *to, int column, const char *name) {
  if (column > 0) fputc(',', to);
  csv_name(to, name);
}

bool csv_row(FILE *to, int n, const double *values) {
  return csv_row_texts(to, n, values, 0, NULL);
}

bool csv_row_texts(FILE *to, int n, const double *values, int m, const char *const *text) {
  for (int i = 0; i < n; i++) fprintf(to, i ? ",%.17g" : "%.17g", values[i]);
  for (int i = 0; i < m; i++) csv_head(to, n + i, text[i]);
  return fputc('\n', to) != EOF && !ferror(to);
}
