/* SPDX-License-Identifier: MIT */
/* CSV files: separators, quotes, comments, units in the head; messages with line and column. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/expr.h"
#include "genalpha/ga_csv.h"
#include "support.h"

static ga_csv *parse(const char *text) {
  ga_csv *csv = NULL;
  ga_error err = {0};
  must(ga_csv_parse("f.csv", text, strlen(text), &csv, &err), &err);
  return csv;
}

/* the same table in several forms */
static void test_forms(void **state) {
  (void)state;
  static const char *const texts[] = {
      "x,y,note\n0,1,a\n0.5,2e0,b\n2,-3,c\n", "x;y;note\n0;1;a\n0.5;2;b\n2;-3;c",
      "# first\n\nx\ty\tnote\r\n0\t1\ta\r\n  # inside\n0.5\t2\t\n2\t-3\tc, d\r\n\n",
      "\xef\xbb\xbf\"x\" , \"y\",\"a, \"\"b\"\"\"\n 0 , 1 ,\"1;2\"\n\"0.5\",2,\n2,-3,\n",
      "x [m],y (N), note\n0,1\n0.5,2,\n2,-3,1,2,3\n"};
  const double x[] = {0, 0.5, 2}, y[] = {1, 2, -3};
  for (int i = 0; i < 5; i++) {
    ga_csv *csv = parse(texts[i]);
    ga_error err = {0};
    double values[3];
    assert_int_equal(ga_csv_rows(csv), 3);
    assert_int_equal(ga_csv_column(csv, "y", &err), 1);
    must(ga_csv_numbers(csv, ga_csv_column(csv, "x", &err), true, values, &err), &err);
    assert_memory_equal(values, x, sizeof x);
    must(ga_csv_numbers(csv, 1, false, values, &err), &err);
    assert_memory_equal(values, y, sizeof y);
    assert_null(ga_csv_name(csv, 3));
    assert_string_equal(ga_csv_name(csv, 2), i == 3 ? "a, \"b\"" : "note");
    ga_csv_free(csv);
  }
}

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *column, *says;
  } bad[] = {
      {"", "x", "f.csv: the file is empty"},
      {"# only\n\n", "x", "f.csv: the file is empty"},
      {"x,\"y\n0,1\n", "x", "f.csv:1:3: a quote \" does not end"},
      {"x,y\n0,1\n# c\n1,two\n", "y", "f.csv:4:3: 'two' in column 'y' is not a finite number"},
      {"x,y\n0,1\n1\n", "y", "f.csv:3:2: a number of column 'y' is missing"},
      {"x,y\n0,1\n1, ,\n", "y", "f.csv:3:4: a number of column 'y' is missing"},
      {"x,y\n0,nan\n", "y", "not a finite number"},
      {"x;y\n0;1\n1;2,5\n", "y", "f.csv:3:3: '2,5' in column 'y' is not a finite number; write it"},
      {"x,y\n0,1\n1,1\n", "y",
       "f.csv:3:3: column 'y' must rise from line to line, but 1 follows 1"},
      {"time,y\n0,1\n", "tine", "there is no column 'tine'; did you mean 'time'?"},
      {"time,y\n0,1\n", "qqqqqq", "there is no column 'qqqqqq'; it has 'time', 'y'"},
      {"y [m],y (N)\n0,1\n", "y", "there are 2 columns 'y'"},
  };
  for (int i = 0; i < (int)(sizeof bad / sizeof bad[0]); i++) {
    ga_csv *csv = NULL;
    ga_error err = {0};
    double values[8];
    ga_status status = ga_csv_parse("f.csv", bad[i].text, strlen(bad[i].text), &csv, &err);
    const int column = csv ? ga_csv_column(csv, bad[i].column, &err) : -1;
    if (column >= 0) status = ga_csv_numbers(csv, column, true, values, &err);
    if (csv && column < 0) status = err.code;
    if (!strstr(err.text, bad[i].says)) print_error("%d: %s\n", i, err.text);
    assert_non_null(strstr(err.text, bad[i].says));
    assert_int_equal(status, GA_ERR_FILE);
    ga_csv_free(csv);
  }
  ga_csv *csv = NULL;
  ga_error err = {0};
  assert_int_equal(ga_csv_load("no/such/file.csv", &csv, &err), GA_ERR_IO);
  assert_null(csv);
  assert_non_null(strstr(err.text, "'no/such/file.csv' cannot be read"));
}

/* a long file, read from the disk in several pieces, as a table of an expression */
static void test_table(void **state) {
  (void)state;
  char path[] = "ga_csv_XXXXXX", text[200];
  const int number = mkstemp(path);
  FILE *file = fdopen(number, "w");
  fprintf(file, "k,square,x\n");
  for (int i = 0; i <= 20000; i++) fprintf(file, "%d,%.17g,%.17g\n", i, 1e-4 * i * i, 0.01 * i);
  fclose(file);
  ga_expr *expr = NULL;
  ga_error err = {0};
  snprintf(text, sizeof text, "table(2, \"%s\", 'square', \"x\", linear)", path);
  must(ga_expr_parse(text, NULL, &expr, NULL, &err), &err);
  assert_near("square", ga_expr_value(expr, NULL), 4, 1e-12);
  ga_expr_free(expr);
  snprintf(text, sizeof text, "table(150.25, '%s', 'x', hold)", path);
  must(ga_expr_parse(text, NULL, &expr, NULL, &err), &err);
  assert_near("hold", ga_expr_value(expr, NULL), 1.5, 1e-15);
  ga_expr_free(expr);
  static const char *const bad[] = {"table(1, \"%s\")", "table(1, \"%s\", x)",
                                    "table(1, \"%s\", \"x\", quadratic)", "table(1, \"%s, 2)",
                                    "table(1, \"%s\", \"x\", \"y\")"};
  for (int i = 0; i < 5; i++) {
    snprintf(text, sizeof text, bad[i], path);
    assert_int_equal(ga_expr_parse(text, NULL, &expr, NULL, &err), GA_ERR_ARG);
    assert_null(expr);
  }
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
