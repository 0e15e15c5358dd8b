/* SPDX-License-Identifier: MIT */
/* A program outside of genalpha that writes and reads a file of results. */
#include <genalpha/ga_results.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const ga_results_column column[] = {{"t", "s"}, {"x", "m"}};
  const ga_results_head head = {.column = column, .ncolumn = 2, .title = "outside"};
  const char *path = argc > 1 ? argv[1] : "results.h5";
  ga_results_writer *w = NULL;
  ga_results *r = NULL;
  ga_error err = {GA_OK, ""};
  if (ga_results_create(path, &head, &w, &err) != GA_OK) {
    puts(err.text);
    return ga_results_available();
  }
  for (int i = 0; i < 10; i++) {
    const double row[] = {0.1 * i, 0.01 * i * i};
    ga_results_append(w, row);
  }
  double x[10] = {0};
  if (ga_results_close(w, &err) != GA_OK || ga_results_open(path, &r, &err) != GA_OK ||
      ga_results_read_column(r, ga_results_column_index(r, "x"), 0, 10, x, &err) != GA_OK) {
    puts(err.text);
    return 1;
  }
  printf("%ld rows of %d columns, the last x = %g %s\n", ga_results_rows(r), ga_results_columns(r),
         x[9], ga_results_unit(r, 1));
  ga_results_free(r);
  return 0;
}
