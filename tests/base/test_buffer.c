/* SPDX-License-Identifier: MIT */
/* Texts that grow: every number comes back bit by bit, and a failure of memory is kept. */
#include "base/buffer.h"

#include <stdlib.h>

#include "support.h"

static void pieces(void **state) {
  (void)state;
  ga_buffer b = {.text = NULL};
  char expected[4020] = "";
  for (int i = 0; i < 1000; i++) {
    ga_buffer_add(&b, "%03d,", i);
    snprintf(expected + 4 * i, 16, "%03d,", i);
  }
  assert_string_equal(b.text, expected);
  assert_int_equal(b.length, 4000);
  ga_buffer_free(&b);
  ga_buffer_append(&b, "abc", 2);
  ga_buffer_numbers(&b, 3, (const double[]){1, -0.5, 1e-5});
  assert_string_equal(b.text, "ab[1, -0.5, 1e-05]");
  ga_buffer_free(&b);
}

/* as few digits as give the number back */
static void numbers(void **state) {
  (void)state;
  static const struct {
    double x;
    const char *text;
  } list[] = {{0.1, "0.1"},     {0.1 + 0.2, "0.30000000000000004"},
              {1e22, "1e+22"},  {1.0 / 3, "0.3333333333333333"},
              {-9.81, "-9.81"}, {5e-324, "4.94065645841247e-324"},
              {1e300, "1e+300"}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    ga_buffer b = {.text = NULL};
    ga_buffer_number(&b, list[i].x);
    assert_string_equal(b.text, list[i].text);
    assert_true(strtod(b.text, NULL) == list[i].x);
    ga_buffer_free(&b);
  }
}

static void *no_memory(size_t count, size_t size) {
  (void)count, (void)size;
  return NULL;
}

static void without_memory(void **state) {
  (void)state;
  ga_buffer b = {.text = NULL};
  ga_set_allocator(no_memory, free);
  ga_buffer_add(&b, "x");
  ga_buffer_number(&b, 1);
  ga_set_allocator(NULL, NULL);
  assert_true(b.failed);
  assert_null(b.text);
  ga_buffer_add(&b, "y"); /* what comes later is dropped */
  assert_null(b.text);
  ga_buffer_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pieces), cmocka_unit_test(numbers),
                                     cmocka_unit_test(without_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
