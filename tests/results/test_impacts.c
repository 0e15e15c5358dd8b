/* SPDX-License-Identifier: MIT */
/* Changes of contacts in files of results: what is written is read back, also after a kill. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "results_files.h"

/* HDF5 loses some memory when a file is damaged; the leak sanitizer asks for this name. */
GA_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5";
}

enum { SIZE = 6 };

static ga_results_impact make_impact(long i, char name[32]) {
  static const char *const kinds[] = {"hit", "stop", "slide", "lift", "jam"};
  snprintf(name, 32, "c%ld", i * 977 % 2000000);
  const double x = number(i, 1);
  return (ga_results_impact){x, kinds[i % 5], name, -x, 2 * x, x / 3, x + 1, x - 1, 7 * x};
}

static ga_results_writer *create_impacts(int size) {
  const ga_results_column column[] = {{"t", "s"}};
  const ga_results_head head = {
      .column = column, .ncolumn = 1, .contact_size = size, .flush_seconds = 1e9};
  ga_error err = {GA_OK, ""};
  ga_results_writer *w = NULL;
  must(ga_results_create(path, &head, &w, &err), &err);
  return w;
}

static void append(ga_results_writer *w, long i) {
  char name[32];
  const ga_results_impact one = make_impact(i, name);
  must(ga_results_append_impact(w, &one), ga_results_writer_error(w));
}

/* opens the file and compares everything; the records it has */
static long check_impacts(void) {
  ga_error err = {GA_OK, ""};
  ga_results *r = NULL;
  must(ga_results_open(path, &r, &err), &err);
  const long all = ga_results_impacts(r);
  ga_results_impact *found = malloc((size_t)(all + 1) * sizeof *found);
  must(ga_results_read_impacts(r, 0, all, found, &err), &err);
  for (long i = 0; i < all; i++) {
    char name[32];
    const ga_results_impact one = make_impact(i, name);
    name[SIZE] = '\0'; /* longer ones are cut */
    assert_string_equal(found[i].kind, one.kind);
    assert_string_equal(found[i].contact, name);
    assert_true(found[i].t == one.t && found[i].un_before == one.un_before);
    assert_true(found[i].un_after == one.un_after && found[i].impulse_n == one.impulse_n);
    assert_true(found[i].impulse_t1 == one.impulse_t1 && found[i].impulse_t2 == one.impulse_t2);
    assert_true(found[i].energy == one.energy);
  }
  if (all > 4) {
    char name[32];
    must(ga_results_read_impacts(r, all - 3, 2, found, &err), &err);
    assert_true(found[1].t == make_impact(all - 2, name).t);
  }
  assert_int_equal(ga_results_read_impacts(r, all, 1, found, &err), GA_ERR_ARG);
  assert_int_equal(ga_results_read_impacts(r, -1, 1, found, &err), GA_ERR_ARG);
  free(found);
  ga_results_free(r);
  return all;
}

static void impacts_come_back(void **state) {
  (void)state;
  const long counts[] = {0, 1, 255, 256, 257, 2000};
  const double row = 1;
  for (int k = 0; k < 12; k++) {
    ga_results_writer *w = create_impacts(SIZE);
    for (long i = 0; i < counts[k / 2]; i++) {
      append(w, i);
      if (k % 2 == 0 || i % 37 != 0) continue;
      must(ga_results_append(w, &row), ga_results_writer_error(w));
      must(ga_results_flush(w), ga_results_writer_error(w));
    }
    ga_error err = {GA_OK, ""};
    must(ga_results_close(w, &err), &err);
    assert_int_equal(check_impacts(), counts[k / 2]);
  }
}

static void a_killed_writer_leaves_what_it_flushed(void **state) {
  (void)state;
  const long counts[] = {1, 200, 256, 700};
  for (int k = 0; k < 4; k++) {
    const pid_t child = fork();
    if (child == 0) {
      const double row = 1;
      ga_results_writer *w = create_impacts(SIZE);
      for (long i = 0; i < counts[k]; i++) append(w, i);
      ga_results_append(w, &row);
      ga_results_flush(w);
      for (long i = counts[k]; i < counts[k] + 300; i++) append(w, i);
      kill(getpid(), SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_in_range(check_impacts(), counts[k], counts[k] + 300);
  }
}

/* A reader sees what a living writer has flushed, after a refresh. */
static void they_grow(void **state) {
  (void)state;
  ga_error err = {GA_OK, ""};
  ga_results *r = NULL;
  const double row = 1;
  ga_results_writer *w = create_impacts(SIZE);
  must(ga_results_flush(w), ga_results_writer_error(w));
  must(ga_results_open(path, &r, &err), &err);
  assert_int_equal(ga_results_impacts(r), 0);
  for (long n = 1; n <= 1000; n *= 10) {
    for (long i = n / 10; i < n; i++) append(w, i);
    must(ga_results_append(w, &row), ga_results_writer_error(w));
    must(ga_results_flush(w), ga_results_writer_error(w));
    must(ga_results_refresh(r, &err), &err);
    assert_int_equal(ga_results_impacts(r), n);
    ga_results_impact last;
    char name[32];
    must(ga_results_read_impacts(r, n - 1, 1, &last, &err), &err);
    assert_true(last.t == make_impact(n - 1, name).t);
  }
  ga_results_free(r);
  must(ga_results_close(w, &err), &err);
}

static void wrong_arguments(void **state) {
  (void)state;
  const ga_results_column column[] = {{"t", "s"}};
  const int bad[] = {-1, 65536};
  ga_error err = {GA_OK, ""};
  ga_results_writer *w = NULL;
  for (int i = 0; i < 2; i++) {
    const ga_results_head head = {.column = column, .ncolumn = 1, .contact_size = bad[i]};
    assert_int_equal(ga_results_create(path, &head, &w, &err), GA_ERR_ARG);
    assert_non_null(strstr(err.text, "contact_size"));
  }
  w = create_impacts(0);
  char name[32];
  const ga_results_impact one = make_impact(0, name);
  assert_int_equal(ga_results_append_impact(w, &one), GA_ERR_ARG);
  assert_int_equal(ga_results_close(w, &err), GA_ERR_ARG);
  ga_results *r = NULL;
  must(ga_results_open(path, &r, &err), &err);
  assert_int_equal(ga_results_impacts(r), 0);
  ga_results_free(r);
}

int main(void) {
  if (!ga_results_available()) return puts("skipped: no HDF5"), 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impacts_come_back), cmocka_unit_test(a_killed_writer_leaves_what_it_flushed),
      cmocka_unit_test(they_grow), cmocka_unit_test(wrong_arguments)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
