/* SPDX-License-Identifier: MIT */
/* Status texts and error messages. */
#include "support.h"

/* every status of the list with what its row says */
static const struct {
  ga_status status;
  const char *name, *text;
} statuses[] = {
#define ROW(name, value, text) {(ga_status)(value), #name, text},
    GA_STATUS_LIST(ROW)
#undef ROW
};
enum { STATUSES = sizeof statuses / sizeof *statuses };

static void test_status_texts(void **state) {
  (void)state;
  for (int i = 0; i < STATUSES; i++) {
    const char *name = ga_status_name(statuses[i].status);
    const char *text = ga_status_text(statuses[i].status);
    assert_string_equal(name, statuses[i].name);
    assert_string_equal(text, statuses[i].text);
    assert_true(strlen(name) > 0 && strlen(text) > 0);
    for (int j = 0; j < i; j++) {
      assert_int_not_equal(statuses[i].status, statuses[j].status);
      assert_string_not_equal(name, ga_status_name(statuses[j].status));
      assert_string_not_equal(text, ga_status_text(statuses[j].status));
    }
    /* the sign tells what to do */
    bool recoverable = strncmp(name, "GA_RETRY_", 9) == 0 || statuses[i].status == GA_STOPPED ||
                       statuses[i].status == GA_EVENT;
    bool error = strncmp(name, "GA_ERR_", 7) == 0;
    assert_int_equal(recoverable, statuses[i].status > 0);
    assert_int_equal(error, statuses[i].status < 0);
  }
  assert_int_equal(GA_OK, 0);
  assert_string_equal(ga_status_name((ga_status)77), "unknown status");
  assert_string_equal(ga_status_text((ga_status)-77), "unknown status");
}

static void test_version(void **state) {
  (void)state;
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", GA_VERSION_MAJOR, GA_VERSION_MINOR, GA_VERSION_PATCH);
  assert_string_equal(ga_version(), GA_VERSION);
  assert_string_equal(ga_version(), text);
  assert_non_null(strstr(ga_capabilities(), ga_linsol_name(0)));
}

/* an error followed by bytes nobody may touch */
typedef struct {
  ga_error err;
  char guard[64];
} guarded;

static void assert_guard(const guarded *g) {
  for (size_t i = 0; i < sizeof g->guard; i++) assert_int_equal(g->guard[i], 'x');
  assert_true(strlen(g->err.text) < sizeof g->err.text);
}

static void repeat(char *text, char c, size_t n) {
  memset(text, c, n);
  text[n] = '\0';
}

static void test_fail(void **state) {
  (void)state;
  static char text[2048];
  guarded g = {.err = {0}};
  memset(g.guard, 'x', sizeof g.guard);
  assert_int_equal(ga_fail(NULL, GA_ERR_STEP, "h = %g", 1.5), GA_ERR_STEP);
  assert_int_equal(ga_fail(&g.err, GA_RETRY_MODEL, "h = %g, row %d", 1.5, 7), GA_RETRY_MODEL);
  assert_int_equal(g.err.code, GA_RETRY_MODEL);
  assert_string_equal(g.err.text, "h = 1.5, row 7");
  const size_t room = sizeof g.err.text;
  for (size_t n = room - 3; n < room + 3; n++) {
    repeat(text, 'a', n);
    ga_fail(&g.err, GA_ERR_ARG, "%s", text);
    assert_guard(&g);
    assert_int_equal(strlen(g.err.text), n < room ? n : room - 1);
    assert_memory_equal(g.err.text, text, strlen(g.err.text));
  }
  ga_error_clear(&g.err);
  assert_int_equal(g.err.code, GA_OK);
  assert_string_equal(g.err.text, "");
  ga_error_clear(NULL);
}

static void test_prefix(void **state) {
  (void)state;
  static char prefix[2048], old[512], expected[4096];
  guarded g = {.err = {0}};
  memset(g.guard, 'x', sizeof g.guard);
  ga_fail(&g.err, GA_ERR_MODEL, "callback '%s' failed", "mass");
  ga_error_prefix(&g.err, "start at t = %g", 2.5);
  assert_string_equal(g.err.text, "start at t = 2.5: callback 'mass' failed");
  assert_int_equal(g.err.code, GA_ERR_MODEL);
  ga_error_prefix(NULL, "nothing");
  /* every text is the beginning of "prefix: old", whatever their lengths */
  const size_t lengths[] = {0, 1, 200, 254, 255, 256, 300, 506, 507, 508, 509, 510, 511, 512, 1500};
  const size_t count = sizeof lengths / sizeof *lengths;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < count && lengths[j] < sizeof old; j++) {
      repeat(prefix, 'p', lengths[i]);
      repeat(old, 'o', lengths[j]);
      ga_fail(&g.err, GA_ERR_ARG, "%s", old);
      ga_error_prefix(&g.err, "%s", prefix);
      assert_guard(&g);
      snprintf(expected, sizeof expected, "%s: %s", prefix, old);
      size_t n = strlen(g.err.text), full = strlen(expected);
      assert_memory_equal(g.err.text, expected, n);
      if (full < sizeof g.err.text && lengths[j] > 0) assert_int_equal(n, full);
      /* nothing is dropped that would have fitted, but for a separator with nothing behind it */
      if (full >= sizeof g.err.text) assert_true(n + 3 >= sizeof g.err.text);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_status_texts),
      cmocka_unit_test(test_version),
      cmocka_unit_test(test_fail),
      cmocka_unit_test(test_prefix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
