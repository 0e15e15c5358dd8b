/* SPDX-License-Identifier: MIT */
/* Shared by the tests of files of results: a file with numbers that are known everywhere. */
#ifndef GA_TESTS_RESULTS_FILES_H
#define GA_TESTS_RESULTS_FILES_H

#include <genalpha/ga_results.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

static char directory[] = "results.XXXXXX";
static char path[64];

static inline int set_up(void **state) {
  (void)state;
  if (!mkdtemp(directory)) return 1;
  snprintf(path, sizeof path, "%s/run.h5", directory);
  return 0;
}

static inline int tear_down(void **state) {
  (void)state;
  unlink(path);
  return rmdir(directory);
}

/* the number in a row and column: every bit of it depends on both */
static inline double number(long row, int column) {
  const unsigned long x = (unsigned long)row * 2654435761UL + (unsigned long)column * 40503UL;
  return sin((double)(x % 1000003UL)) * exp(0.001 * (double)(column % 50));
}

static inline void fill_row(long row, int n, double *values) {
  for (int j = 0; j < n; j++) values[j] = number(row, j);
}

enum { WIDE = 40 };

static inline ga_results_writer *create(int n, double flush_seconds, ga_error *err) {
  static ga_results_column column[20000];
  static char name[20000][16];
  for (int j = 0; j < n; j++) {
    snprintf(name[j], sizeof name[j], "c%d", j);
    column[j] = (ga_results_column){name[j], j % 2 ? "m/s" : ""};
  }
  const ga_results_head head = {.column = column,
                                .ncolumn = n,
                                .title = "a run",
                                .model = "genalpha: 1\n",
                                .flush_seconds = flush_seconds};
  ga_results_writer *w = NULL;
  const ga_status status = ga_results_create(path, &head, &w, err);
  assert_int_equal(status, err->code);
  return w;
}

/* opens the file and compares all numbers; the rows it has */
static inline long check_file(int n) {
  ga_error err = {GA_OK, ""};
  ga_results *r = NULL;
  must(ga_results_open(path, &r, &err), &err);
  assert_int_equal(ga_results_columns(r), n);
  const long rows = ga_results_rows(r);
  double *values = malloc((size_t)(rows + 1) * sizeof *values);
  for (int j = 0; j < n; j++) {
    assert_int_equal(ga_results_read_column(r, j, 0, rows, values, &err), GA_OK);
    for (long i = 0; i < rows; i++) {
      if (values[i] != number(i, j)) fail_msg("row %ld, column %d: %g", i, j, values[i]);
    }
  }
  free(values);
  ga_results_free(r);
  return rows;
}

#endif
