/* SPDX-License-Identifier: MIT */
/* Files of results: what is written is read back, after a kill, on a full disk, beside the writer.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <genalpha/ga_results.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static char directory[] = "results.XXXXXX";
static char path[64];

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(directory)) return 1;
  snprintf(path, sizeof path, "%s/run.h5", directory);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(path);
  return rmdir(directory);
}

/* the number in a row and column: every bit of it depends on both */
static double number(long row, int column) {
  const unsigned long x = (unsigned long)row * 2654435761UL + (unsigned long)column * 40503UL;
  return sin((double)(x % 1000003UL)) * exp(0.001 * (double)(column % 50));
}

static void fill_row(long row, int n, double *values) {
  for (int j = 0; j < n; j++) values[j] = number(row, j);
}

enum { WIDE = 40 };
#define UNTIL_KILLED (1L << 40)

static ga_results_writer *create(int n, double flush_seconds, ga_error *err) {
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
static long check_file(int n) {
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

static void pause_for(double seconds) {
  const struct timespec t = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
  nanosleep(&t, NULL);
}

/* ---- a writer in another process ------------------------------------------------------------ */

/* appends rows until it is killed or there are `rows`, and tells through the pipe how many are safe
 */
static void write_rows(int n, long rows, double flush_seconds, int pipe_end) {
  ga_error err = {GA_OK, ""};
  ga_results_writer *w = create(n, flush_seconds, &err);
  double *row = malloc((size_t)n * sizeof *row);
  long told = 0;
  for (long i = 0; i < rows; i++) {
    fill_row(i, n, row);
    if (ga_results_append(w, row) != GA_OK) _exit(1);
    if (rows < UNTIL_KILLED && i % 10 == 0) pause_for(1e-4);
    if (ga_results_written(w) == told) continue;
    told = ga_results_written(w);
    if (write(pipe_end, &told, sizeof told) != sizeof told) _exit(2);
  }
  ga_results_set_statistics(w, "{}");
  _exit(ga_results_close(w, &err) == GA_OK ? 0 : 3);
}

static pid_t start_writer(int n, long rows, double flush_seconds, int *pipe_end) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(stdout);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    close(ends[0]);
    write_rows(n, rows, flush_seconds, ends[1]);
  }
  close(ends[1]);
  *pipe_end = ends[0];
  return child;
}

/* kill -9 at some moment: all rows that were told to be safe are there, and are right */
static void kill_leaves_the_rows_flushed(void **state) {
  (void)state;
  for (int k = 0; k < 30; k++) {
    const int n = k % 3 == 0 ? 3 : k % 3 == 1 ? WIDE : 700;
    int pipe_end;
    const pid_t child = start_writer(n, UNTIL_KILLED, k % 2 ? 1e-3 : 1e-6, &pipe_end);
    long told = 0, last;
    /* until the first rows are safe, and some time more */
    assert_int_equal(read(pipe_end, &told, sizeof told), sizeof told);
    fcntl(pipe_end, F_SETFL, O_NONBLOCK);
    for (int wait = 0; wait <= k; wait++) {
      pause_for(0.0013);
      while (read(pipe_end, &last, sizeof last) == sizeof last) told = last;
    }
    kill(child, SIGKILL);
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFSIGNALED(how));
    while (read(pipe_end, &last, sizeof last) == sizeof last) told = last;
    close(pipe_end);

    const long rows = check_file(n);
    assert_in_range(rows, told, UNTIL_KILLED);
    assert_true(told > 0);
    /* it is an ordinary file from now on, with as many rows as before */
    assert_int_equal(check_file(n), rows);
  }
}

/* the rows that have come since a reader looked last, compared; how many there are now */
static long look_again(ga_results *r, int n, long seen, double *rows) {
  ga_error err = {GA_OK, ""};
  must(ga_results_refresh(r, &err), &err);
  const long now = ga_results_rows(r);
  assert_true(now >= seen);
  must(ga_results_read_rows(r, seen, now - seen, rows, &err), &err);
  for (long i = 0; i < (now - seen) * n; i++) {
    assert_true(rows[i] == number(seen + i / n, (int)(i % n)));
  }
  return now;
}

/* a reader finds more and more rows, and in the end all of them, the statistics, and no writer */
static void reader_beside_the_writer(void **state) {
  (void)state;
  enum { N = 5 };
  const long all = 20000;
  int pipe_end, how, grown = 0;
  long told;
  const pid_t child = start_writer(N, all, 1e-4, &pipe_end);
  assert_int_equal(read(pipe_end, &told, sizeof told), sizeof told);
  ga_error err = {GA_OK, ""};
  ga_results *r = NULL;
  must(ga_results_open(path, &r, &err), &err);
  assert_true(ga_results_growing(r));
  assert_string_equal(ga_results_text(r, GA_RESULTS_STATISTICS), "");
  double *rows = malloc((size_t)all * N * sizeof *rows);
  long seen = 0;
  while (ga_results_growing(r)) {
    const long now = look_again(r, N, seen, rows);
    grown += now > seen;
    seen = now;
  }
  assert_int_equal(seen, all);
  assert_string_equal(ga_results_text(r, GA_RESULTS_STATISTICS), "{}");
  assert_true(grown > 5);
  close(pipe_end);
  ga_results_free(r);
  free(rows);
  waitpid(child, &how, 0);
  assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
  assert_int_equal(check_file(N), all);
}

static void one_writer_only(void **state) {
  (void)state;
  int pipe_end, how;
  long told;
  const pid_t child = start_writer(2, UNTIL_KILLED, 1e-4, &pipe_end);
  assert_int_equal(read(pipe_end, &told, sizeof told), sizeof told);
  ga_error err = {GA_OK, ""};
  assert_null(create(2, 0, &err));
  assert_int_equal(err.code, GA_ERR_IO);
  assert_non_null(strstr(err.text, "another program is writing or reading it"));
  kill(child, SIGKILL);
  waitpid(child, &how, 0);
  close(pipe_end);
  assert_true(check_file(2) >= told);
}

/* ---- failures ------------------------------------------------------------------------------- */

/* In a process of its own: append until a file may not grow any more. 0 if all is as it should be;
 * else the number of the line that found otherwise. */
static int fill_disk(int n, size_t limit, double flush_seconds, int pipe_end) {
  const struct rlimit small = {limit, limit};
  ga_error err = {GA_OK, ""};
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &small) != 0) return __LINE__;
  ga_results_writer *w = create(n, flush_seconds, &err);
  long safe = 0;
  if (w) {
    double *row = malloc((size_t)n * sizeof *row);
    ga_status status = GA_OK;
    long i = 0;
    for (; status == GA_OK && i < 10000000; i++) {
      fill_row(i, n, row);
      status = ga_results_append(w, row);
    }
    if (status != GA_ERR_IO || ga_results_append(w, row) != GA_ERR_IO) return __LINE__;
    if (ga_results_flush(w) != GA_ERR_IO) return __LINE__;
    free(row);
    if (!strstr(ga_results_writer_error(w)->text, "run.h5': File too large")) return __LINE__;
    safe = ga_results_written(w);
    if (ga_results_close(w, &err) != GA_ERR_IO) return __LINE__;
  }
  if (!strstr(err.text, "File too large")) return __LINE__;
  return write(pipe_end, &safe, sizeof safe) == sizeof safe ? 0 : __LINE__;
}

static void full_disk_keeps_the_rows_flushed(void **state) {
  (void)state;
  long most = 0;
  for (int k = 0; k < 24; k++) {
    const int n = k % 2 ? 5 : 200;
    const size_t limit = (size_t)(20000 + 61111 * k * (k % 5));
    int ends[2], how;
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(fill_disk(n, limit, k % 3 ? 1e-3 : 1e-6, ends[1]) != 0);
    waitpid(child, &how, 0);
    if (!WIFEXITED(how) || WEXITSTATUS(how) != 0) fail_msg("case %d: %d", k, how);
    long safe = -1;
    assert_int_equal(read(ends[0], &safe, sizeof safe), sizeof safe);
    close(ends[0]);
    close(ends[1]);
    if (safe > 0) assert_int_equal(check_file(n), safe);
    if (safe > most) most = safe;
  }
  assert_true(most > 1024);
}

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
      cmocka_unit_test(kill_leaves_the_rows_flushed),
      cmocka_unit_test(reader_beside_the_writer),
      cmocka_unit_test(one_writer_only),
      cmocka_unit_test(full_disk_keeps_the_rows_flushed),
      cmocka_unit_test(foreign_files),
      cmocka_unit_test(wrong_arguments),
  };
  const struct CMUnitTest without[] = {cmocka_unit_test(says_what_is_missing)};
  if (getenv("CMOCKA_TEST_FILTER")) cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER"));
  return ga_results_available() ? cmocka_run_group_tests(tests, set_up, tear_down)
                                : cmocka_run_group_tests(without, set_up, tear_down);
}
