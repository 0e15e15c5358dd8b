/* SPDX-License-Identifier: MIT */
/* Files of results after a kill, on full and failing disks, beside their writer. */
#define _DEFAULT_SOURCE
#include "results_files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define UNTIL_KILLED (1L << 40)

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
  for (int k = 0; k < 18; k++) {
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

/* In a process of its own: append until a file may not grow any more. 0 if all is as it should be,
 * else the number of the line that found otherwise. `late`: the limit comes after the first rows
 * have been written and is below the size that the file has then, so that HDF5 itself fails. */
static int fill_disk(int n, size_t limit, bool late, int pipe_end) {
  const struct rlimit small = {limit, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
  ga_error err = {GA_OK, ""};
  signal(SIGXFSZ, SIG_IGN);
  if (!late && setrlimit(RLIMIT_FSIZE, &small) != 0) return __LINE__;
  ga_results_writer *w = create(n, late ? 1e9 : 1e-3, &err);
  long safe = 0;
  if (w) {
    double *row = malloc((size_t)n * sizeof *row);
    ga_status status = GA_OK;
    for (long i = 0; status == GA_OK && i < 10000000; i++) {
      fill_row(i, n, row);
      status = ga_results_append(w, row);
      if (late && i == 1500) {
        if (ga_results_flush(w) != GA_OK || setrlimit(RLIMIT_FSIZE, &small) != 0) return __LINE__;
      }
    }
    if (status != GA_ERR_IO || ga_results_append(w, row) != GA_ERR_IO) return __LINE__;
    if (ga_results_flush(w) != GA_ERR_IO) return __LINE__;
    free(row);
    if (!strstr(ga_results_writer_error(w)->text, "run.h5': File too large")) return __LINE__;
    safe = ga_results_written(w);
    if (late && (safe != 1501 || setrlimit(RLIMIT_FSIZE, &none) != 0)) return __LINE__;
    if (ga_results_close(w, &err) != GA_ERR_IO) return __LINE__;
  }
  if (!strstr(err.text, "File too large")) return __LINE__;
  return write(pipe_end, &safe, sizeof safe) == sizeof safe ? 0 : __LINE__;
}

/* the rows that were kept; they are in the file. The process ends as others do, by exit. */
static long disk_filled(int n, size_t limit, bool late) {
  int ends[2], how;
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    const int line = fill_disk(n, limit, late, ends[1]);
    if (line) fprintf(stderr, "line %d\n", line);
    exit(line != 0);
  }
  waitpid(child, &how, 0);
  if (!WIFEXITED(how) || WEXITSTATUS(how) != 0) {
    fail_msg("%d columns, %zu bytes: status %d", n, limit, how);
  }
  long safe = -1;
  assert_int_equal(read(ends[0], &safe, sizeof safe), sizeof safe);
  close(ends[0]);
  close(ends[1]);
  if (safe > 0) assert_int_equal(check_file(n), safe);
  return safe;
}

static void full_disk_keeps_the_rows_flushed(void **state) {
  (void)state;
  long most = 0;
  for (int k = 0; k < 14; k++) {
    const long safe = disk_filled(k % 2 ? 5 : 200, (size_t)(2000 + 61111 * k * (k % 7)), false);
    if (safe > most) most = safe;
  }
  assert_true(most > 1024);
}

/* the disk fails although there was room: HDF5 gives up, the file does not */
static void failing_disk_keeps_the_rows_flushed(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) disk_filled(k % 2 ? 5 : 60, (size_t)(10000 + 20000 * k), true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kill_leaves_the_rows_flushed),
      cmocka_unit_test(reader_beside_the_writer),
      cmocka_unit_test(one_writer_only),
      cmocka_unit_test(full_disk_keeps_the_rows_flushed),
      cmocka_unit_test(failing_disk_keeps_the_rows_flushed),
  };
  if (!ga_results_available()) {
    puts("without HDF5 there is nothing to test");
    return 0;
  }
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
