/* SPDX-License-Identifier: MIT */
/* Files of results: what is written is read back; foreign and damaged files, wrong arguments. */
#define _DEFAULT_SOURCE
#include "results_files.h"

#include <sys/stat.h>

/* HDF5 loses some memory when a file is damaged; the leak sanitizer asks for this name. */
GA_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5";
}

/* ---- contents ------------------------------------------------------------------------------- */

static void texts_and_names_come_back(void **state) {
  (void)state;
  const ga_results_column column[] = {
      {"t", "s"}, {"Kurbel/Größe", "N m"}, {"x", NULL},          {"x", "1"},
      {".", "m"}, {"<b>&\"' 🚗", ""},       {"a,\"b\"\nc", "rad"}};
  enum { N = sizeof column / sizeof column[0] };
  char *model = malloc(200001);
  for (int i = 0; i < 200000; i++) model[i] = (char)('a' + i % 23);
  model[200000] = '\0';
  const ga_results_head head = {.column = column,
                                .ncolumn = N,
                                .title = "Grüße",
                                .version = "1.2.3",
                                .model = model,
                                .model_name = "models/x.yaml",
                                .options = NULL};
  ga_error err = {GA_OK, ""};
  ga_results_writer *w;
  ga_results *r;
  assert_int_equal(ga_results_create(path, &head, &w, &err), GA_OK);
  assert_int_equal(ga_results_set_statistics(w, "{\"steps\": 7}"), GA_OK);
  assert_int_equal(ga_results_close(w, &err), GA_OK);

  assert_int_equal(ga_results_open(path, &r, &err), GA_OK);
  assert_int_equal(ga_results_columns(r), N);
  assert_int_equal(ga_results_rows(r), 0);
  assert_false(ga_results_growing(r));
  for (int i = 0; i < N; i++) {
    assert_string_equal(ga_results_name(r, i), column[i].name);
    assert_string_equal(ga_results_unit(r, i), column[i].unit ? column[i].unit : "");
  }
  assert_null(ga_results_name(r, N));
  assert_null(ga_results_unit(r, -1));
  assert_int_equal(ga_results_column_index(r, "x"), 2);
  assert_int_equal(ga_results_column_index(r, "y"), -1);
  const char *const texts[] = {"Grüße", "1.2.3", model, "models/x.yaml", "", "{\"steps\": 7}"};
  for (int k = 0; k < 6; k++) {
    assert_string_equal(ga_results_text(r, (ga_results_text_kind)k), texts[k]);
  }
  ga_results_free(r);
  free(model);
}

static void special_numbers_keep_their_bits(void **state) {
  (void)state;
  const double row[] = {0, -0.0, NAN, INFINITY, -INFINITY, 5e-324, 1.7976931348623157e308, 0.1};
  enum { N = sizeof row / sizeof row[0] };
  ga_error err = {GA_OK, ""};
  ga_results_writer *w = create(N, 0, &err);
  assert_int_equal(ga_results_append(w, row), GA_OK);
  assert_int_equal(ga_results_close(w, &err), GA_OK);
  ga_results *r;
  double back[N];
  assert_int_equal(ga_results_open(path, &r, &err), GA_OK);
  assert_int_equal(ga_results_read_rows(r, 0, 1, back, &err), GA_OK);
  assert_memory_equal(back, row, sizeof row);
  ga_results_free(r);
}

/* numbers of rows around the size of a chunk, with and without flushes in between */
static void rows_come_back(void **state) {
  (void)state;
  const struct {
    int columns;
    long rows, flush_every;
  } cases[] = {{3, 1, 1},      {3, 1023, 0},    {3, 1024, 0}, {3, 1025, 0},    {3, 1024, 1024},
               {3, 5000, 100}, {WIDE, 2500, 7}, {1, 3000, 1}, {5000, 600, 250}};
  for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]); k++) {
    const int n = cases[k].columns;
    ga_error err = {GA_OK, ""};
    ga_results_writer *w = create(n, 1e9, &err);
    double *row = malloc((size_t)n * sizeof *row);
    for (long i = 0; i < cases[k].rows; i++) {
      fill_row(i, n, row);
      must(ga_results_append(w, row), ga_results_writer_error(w));
      if (cases[k].flush_every == 0 || (i + 1) % cases[k].flush_every != 0) continue;
      must(ga_results_flush(w), ga_results_writer_error(w));
      assert_int_equal(ga_results_written(w), i + 1);
    }
    free(row);
    if (ga_results_close(w, &err) != GA_OK) fail_msg("case %d: %s", k, err.text);
    assert_int_equal(check_file(n), cases[k].rows);
  }
}

static void ranges(void **state) {
  (void)state;
  ga_error err = {GA_OK, ""};
  ga_results_writer *w = create(WIDE, 1e9, &err);
  double row[WIDE], *back = malloc(3000 * WIDE * sizeof *back);
  for (long i = 0; i < 3000; i++) {
    fill_row(i, WIDE, row);
    ga_results_append(w, row);
  }
  assert_int_equal(ga_results_close(w, &err), GA_OK);
  ga_results *r;
  assert_int_equal(ga_results_open(path, &r, &err), GA_OK);
  const long from[] = {0, 1000, 2999, 17, 3000}, count[] = {3000, 1500, 1, 0, 0};
  for (int k = 0; k < 5; k++) {
    assert_int_equal(ga_results_read_rows(r, from[k], count[k], back, &err), GA_OK);
    for (long i = 0; i < count[k]; i++) {
      fill_row(from[k] + i, WIDE, row);
      assert_memory_equal(back + i * WIDE, row, sizeof row);
    }
    assert_int_equal(ga_results_read_column(r, 7, from[k], count[k], back, &err), GA_OK);
    for (long i = 0; i < count[k]; i++) assert_true(back[i] == number(from[k] + i, 7));
  }
  assert_int_equal(ga_results_read_rows(r, 2999, 2, back, &err), GA_ERR_ARG);
  assert_string_equal(err.text, "2 rows from row 2999: the file has 3000 rows");
  assert_int_equal(ga_results_read_rows(r, -1, 1, back, &err), GA_ERR_ARG);
  assert_int_equal(ga_results_read_column(r, WIDE, 0, 1, back, &err), GA_ERR_ARG);
  assert_string_equal(err.text, "column 40: the file has 40 columns");
  ga_results_free(r);
  free(back);
}

/* a smooth motion takes less room than its numbers do */
static void files_are_compressed(void **state) {
  (void)state;
  ga_error err = {GA_OK, ""};
  ga_results_writer *w = create(10, 1e9, &err);
  const long rows = 20000;
  for (long i = 0; i < rows; i++) {
    double row[10];
    for (int j = 0; j < 10; j++) row[j] = j < 5 ? 0.001 * (double)i : 1.5;
    ga_results_append(w, row);
  }
  assert_int_equal(ga_results_close(w, &err), GA_OK);
  struct stat file;
  assert_int_equal(stat(path, &file), 0);
  assert_true(file.st_size < rows * 10 * 8 / 2);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void put_file(const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static void refuse(ga_status status, const char *text) {
  ga_error err = {GA_OK, ""};
  ga_results *r;
  assert_int_equal(ga_results_open(path, &r, &err), status);
  assert_null(r);
  if (!strstr(err.text, text)) fail_msg("%s", err.text);
}

static void foreign_files(void **state) {
  (void)state;
  unlink(path);
  refuse(GA_ERR_IO, "cannot read");
  refuse(GA_ERR_IO, "No such file");
  put_file("", 0);
  refuse(GA_ERR_FILE, "is not an HDF5 file");
  put_file("t,x\n0,1\n", 8);
  refuse(GA_ERR_FILE, "is not an HDF5 file");

  /* every length and many single bytes of a good file: a message or the right shape, never a crash
   */
  ga_error err = {GA_OK, ""};
  ga_results_writer *w = create(3, 0, &err);
  double row[3] = {1, 2, 3};
  ga_results_append(w, row);
  assert_int_equal(ga_results_close(w, &err), GA_OK);
  static char good[200000], bad[200000];
  FILE *file = fopen(path, "rb");
  const size_t size = fread(good, 1, sizeof good, file);
  fclose(file);
  assert_in_range(size, 1000, sizeof good - 1);
  for (size_t k = 0; k < 400; k++) {
    ga_results *r;
    memcpy(bad, good, size);
    const bool cut = k % 4 == 0;
    if (!cut) bad[(k * 7919 + 1) % 3000] ^= (char)(1 << k % 8);
    put_file(bad, cut ? size * k / 400 : size);
    if (ga_results_open(path, &r, &err) == GA_OK) {
      assert_false(cut && k > 0);
      assert_in_range(ga_results_columns(r), 1, 3);
      ga_results_free(r);
    } else {
      assert_true(strlen(err.text) > 10);
    }
  }
}

static void wrong_arguments(void **state) {
  (void)state;
  ga_error err = {GA_OK, ""};
  ga_results_writer *w;
  const ga_results_column one[] = {{"t", "s"}, {"", "m"}};
  ga_results_head head = {.column = one, .ncolumn = 0};
  assert_int_equal(ga_results_create(path, &head, &w, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "at least one column"));
  head.ncolumn = 2;
  assert_int_equal(ga_results_create(path, &head, &w, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "column 1 has no name"));
  head.ncolumn = 1;
  head.flush_seconds = NAN;
  assert_int_equal(ga_results_create(path, &head, &w, &err), GA_ERR_ARG);
  head.flush_seconds = 0;
  assert_int_equal(ga_results_create("no/such/directory/x.h5", &head, &w, &err), GA_ERR_IO);
  assert_string_equal(err.text, "cannot write 'no/such/directory/x.h5': No such file or directory");
  assert_int_equal(ga_results_create(directory, &head, &w, &err), GA_ERR_IO);
  assert_non_null(strstr(err.text, "Is a directory"));
  assert_int_equal(ga_results_create(path, &head, &w, NULL), GA_OK);
  static char large[GA_RESULTS_STATISTICS_MAX + 2];
  memset(large, 'x', GA_RESULTS_STATISTICS_MAX + 1);
  assert_int_equal(ga_results_set_statistics(w, large), GA_ERR_ARG);
  large[GA_RESULTS_STATISTICS_MAX] = '\0';
  assert_int_equal(ga_results_set_statistics(w, large), GA_OK);
  assert_int_equal(ga_results_close(w, NULL), GA_OK);
  ga_results *r;
  assert_int_equal(ga_results_open(path, &r, NULL), GA_OK);
  assert_string_equal(ga_results_text(r, GA_RESULTS_STATISTICS), large);
  ga_results_free(r);
  ga_results_free(NULL);
  assert_int_equal(ga_results_close(NULL, NULL), GA_OK);
}

/* all that a build without HDF5 can do is to say so */
static void says_what_is_missing(void **state) {
  (void)state;
  ga_error err = {GA_OK, ""};
  assert_null(create(2, 0, &err));
  assert_int_equal(err.code, GA_ERR_BACKEND);
  assert_non_null(strstr(err.text, "Debian: libhdf5-dev"));
  refuse(GA_ERR_BACKEND, "Debian: libhdf5-dev");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_and_names_come_back),
      cmocka_unit_test(special_numbers_keep_their_bits),
      cmocka_unit_test(rows_come_back),
      cmocka_unit_test(ranges),
      cmocka_unit_test(files_are_compressed),
      cmocka_unit_test(foreign_files),
      cmocka_unit_test(wrong_arguments),
  };
  const struct CMUnitTest without[] = {cmocka_unit_test(says_what_is_missing)};
  return ga_results_available() ? cmocka_run_group_tests(tests, set_up, tear_down)
                                : cmocka_run_group_tests(without, set_up, tear_down);
}
