/* SPDX-License-Identifier: MIT */
/* The nearest word of a list, for messages that propose what was meant. */
#include "support.h"

static const char *word_at(int i) {
  static const char *const words[] = {
      "method",
      "h",
      "rho",
      "newton-tol",
      "newton-max",
      "dense",
      "a-word-much-longer-than-the-table-of-the-distance-allows-for"};
  return i < (int)(sizeof words / sizeof *words) ? words[i] : NULL;
}

static const char *no_word(int i) {
  (void)i;
  return NULL;
}

static void test_nearest_word(void **state) {
  (void)state;
  static char longer[300];
  /* equal, one letter wrong, missing, doubled, two exchanged, a beginning */
  assert_string_equal(ga_nearest_word("method", word_at), "method");
  assert_string_equal(ga_nearest_word("mathod", word_at), "method");
  assert_string_equal(ga_nearest_word("metod", word_at), "method");
  assert_string_equal(ga_nearest_word("methhod", word_at), "method");
  assert_string_equal(ga_nearest_word("emthod", word_at), "method");
  assert_string_equal(ga_nearest_word("met", word_at), "method");
  assert_string_equal(ga_nearest_word("newton_max", word_at), "newton-max");
  assert_string_equal(ga_nearest_word("newton-", word_at), "newton-tol");
  assert_string_equal(ga_nearest_word("sense", word_at), "dense");
  assert_string_equal(ga_nearest_word("ro", word_at), "rho");
  assert_string_equal(ga_nearest_word("rhho", word_at), "rho");
  assert_string_equal(ga_nearest_word("rhp", word_at), "rho");
  /* as many changes as a word of its length may have, and one more */
  assert_null(ga_nearest_word("k", word_at)); /* near to every letter */
  assert_null(ga_nearest_word("kk", word_at));
  assert_string_equal(ga_nearest_word("dxxse", word_at), "dense");
  assert_null(ga_nearest_word("dxxxe", word_at));
  assert_string_equal(ga_nearest_word("ensed", word_at), "dense");
  assert_null(ga_nearest_word("esned", word_at));
  assert_string_equal(ga_nearest_word("ewton-mxaa", word_at), "newton-max");
  assert_null(ga_nearest_word("quaternion", word_at));
  assert_null(ga_nearest_word("xyz", word_at));
  assert_null(ga_nearest_word("dense", no_word));
  memset(longer, 'z', sizeof longer - 1);
  assert_null(ga_nearest_word(longer, word_at));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest_word)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
