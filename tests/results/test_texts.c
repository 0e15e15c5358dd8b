/* SPDX-License-Identifier: MIT */
/* Columns of texts in files of results: what is written is read back, also after a kill. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "results_files.h"

/* HDF5 loses some memory when a file is damaged; the leak sanitizer asks for this name. */
GA_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5";
}

enum { SHORT = 9, LONG = 300 };

/* the text of a row: of any length up to more than there is room for, also none */
static void make_text(long row, int column, char *text) {
  const int length = (int)((row * 37 + column * 11) % (LONG + 40));
  for (int i = 0; i < length; i++) text[i] = (char)('!' + (row + 7 * i + column) % 90);
  text[length] = '\0';
}

static ga_results_writer *create_texts(void) {
  const ga_results_column column[] = {{"run", "1"}, {"x", "m"}};
  const ga_results_text_column text[] = {{"method", SHORT}, {"a/b, Grüße", LONG}};
  const ga_results_head head = {
      .column = column, .ncolumn = 2, .text_column = text, .ntext_column = 2, .flush_seconds = 1e9};
  ga_error err = {GA_OK, ""};
  ga_results_writer *w = NULL;
  must(ga_results_create(path, &head, &w, &err), &err);
  return w;
}

static void append(ga_results_writer *w, long row) {
  char text[2][LONG + 64];
  const double numbers[] = {(double)row, number(row, 1)};
  for (int j = 0; j < 2; j++) make_text(row, j, text[j]);
  const char *const texts[] = {text[0], text[1]};
  must(ga_results_append_texts(w, numbers, texts), ga_results_writer_error(w));
}

/* opens the file and compares everything; the rows it has */
static long check_texts(void) {
  ga_error err = {GA_OK, ""};
  ga_results *r = NULL;
  must(ga_results_open(path, &r, &err), &err);
  const long rows = ga_results_rows(r);
  const int size[] = {SHORT, LONG};
  assert_int_equal(ga_results_text_columns(r), 2);
  assert_string_equal(ga_results_text_name(r, 0), "method");
  assert_string_equal(ga_results_text_name(r, 1), "a/b, Grüße");
  assert_null(ga_results_text_name(r, 2));
  for (int j = 0; j < 2; j++) {
    const size_t bytes = (size_t)size[j] + 1;
    char *texts = malloc((size_t)(rows + 1) * bytes), expected[LONG + 64];
    assert_int_equal(ga_results_text_size(r, j), size[j]);
    must(ga_results_read_texts(r, j, 0, rows, texts, &err), &err);
    for (long i = 0; i < rows; i++) {
      make_text(i, j, expected);
      expected[size[j]] = '\0'; /* longer ones are cut */
      assert_string_equal(texts + (size_t)i * bytes, expected);
    }
    if (rows > 4) {
      must(ga_results_read_texts(r, j, rows - 3, 2, texts, &err), &err);
      make_text(rows - 2, j, expected);
      expected[size[j]] = '\0';
      assert_string_equal(texts + bytes, expected);
    }
    free(texts);
  }
  double *x = malloc((size_t)(rows + 1) * sizeof *x);
  must(ga_results_read_column(r, 1, 0, rows, x, &err), &err);
  for (long i = 0; i < rows; i++) assert_true(x[i] == number(i, 1));
  free(x);
  ga_results_free(r);
  return rows;
}

/* numbers of rows around the size of a chunk, with and without flushes in between */
static void texts_come_back(void **state) {
  (void)state;
  const struct {
    long rows, flush_every;
  } cases[] = {{0, 0}, {1, 1}, {1023, 0}, {1024, 0}, {1025, 0}, {1024, 1024}, {2500, 7}, {100, 1}};
  for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]); k++) {
    ga_results_writer *w = create_texts();
    for (long i = 0; i < cases[k].rows; i++) {
      append(w, i);
      if (cases[k].flush_every == 0 || (i + 1) % cases[k].flush_every != 0) continue;
      must(ga_results_flush(w), ga_results_writer_error(w));
    }
    ga_error err = {GA_OK, ""};
    must(ga_results_close(w, &err), &err);
    assert_int_equal(check_texts(), cases[k].rows);
  }
}

/* A row without texts has empty ones, also where another row stood in the memory before. */
static void none_is_empty(void **state) {
  (void)state;
  ga_results_writer *w = create_texts();
  const double row[] = {1, 2};
  const char *const second[] = {NULL, "b"};
  for (long i = 0; i < 1024; i++) append(w, i);
  must(ga_results_append(w, row), ga_results_writer_error(w));
  must(ga_results_append_texts(w, row, second), ga_results_writer_error(w));
  ga_error err = {GA_OK, ""};
  must(ga_results_close(w, &err), &err);
  ga_results *r = NULL;
  char texts[2][LONG + 1];
  must(ga_results_open(path, &r, &err), &err);
  must(ga_results_read_texts(r, 1, 1024, 2, texts[0], &err), &err);
  assert_string_equal(texts[0], "");
  assert_string_equal(texts[1], "b");
  ga_results_free(r);
}

static void a_killed_writer_leaves_what_it_flushed(void **state) {
  (void)state;
  const long rows[] = {1, 700, 1024, 1500};
  for (int k = 0; k < 4; k++) {
    const pid_t child = fork();
    if (child == 0) {
      ga_results_writer *w = create_texts();
      for (long i = 0; i < rows[k]; i++) append(w, i);
      ga_results_flush(w);
      for (long i = rows[k]; i < rows[k] + 200; i++) append(w, i);
      kill(getpid(), SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_in_range(check_texts(), rows[k], rows[k] + 200);
  }
}

static void wrong_arguments(void **state) {
  (void)state;
  const ga_results_column column[] = {{"t", "s"}};
  const ga_results_text_column bad[] = {{"", 10}, {"a", 0}, {"a", 65536}, {NULL, 10}};
  ga_error err = {GA_OK, ""};
  ga_results_writer *w = NULL;
  for (int i = 0; i < 4; i++) {
    const ga_results_head head = {
        .column = column, .ncolumn = 1, .text_column = &bad[i], .ntext_column = 1};
    assert_int_equal(ga_results_create(path, &head, &w, &err), GA_ERR_ARG);
    assert_non_null(strstr(err.text, "column of texts 0"));
  }
  w = create_texts();
  append(w, 0);
  must(ga_results_close(w, &err), &err);
  ga_results *r = NULL;
  char texts[2 * (LONG + 1)];
  must(ga_results_open(path, &r, &err), &err);
  assert_int_equal(ga_results_read_texts(r, 2, 0, 1, texts, &err), GA_ERR_ARG);
  assert_int_equal(ga_results_read_texts(r, -1, 0, 1, texts, &err), GA_ERR_ARG);
  assert_int_equal(ga_results_read_texts(r, 0, 0, 2, texts, &err), GA_ERR_ARG);
  assert_int_equal(ga_results_read_texts(r, 0, 0, 0, texts, &err), GA_OK);
  ga_results_free(r);
}

static void others_have_none(void **state) {
  (void)state;
  ga_error err = {GA_OK, ""};
  ga_results_writer *w = create(3, 1e9, &err);
  must(ga_results_close(w, &err), &err);
  ga_results *r = NULL;
  must(ga_results_open(path, &r, &err), &err);
  assert_int_equal(ga_results_text_columns(r), 0);
  assert_null(ga_results_text_name(r, 0));
  assert_int_equal(ga_results_text_size(r, 0), 0);
  ga_results_free(r);
}

int main(void) {
  if (!ga_results_available()) return puts("skipped: no HDF5"), 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_come_back), cmocka_unit_test(none_is_empty),
      cmocka_unit_test(a_killed_writer_leaves_what_it_flushed), cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(others_have_none)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
