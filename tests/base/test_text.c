/* SPDX-License-Identifier: MIT */
/* The nearest word: edits, exchanged letters, beginnings, words that are too far. */
#include "support.h"

static const char *const words[] = {"stab2", "index3", "soi2", "generalized", "h", NULL};

static const char *word_at(int i) {
  return words[i];
}

/* the same list from its second word on */
static const char *later_word_at(const void *context, int i) {
  return words[i + *(const int *)context];
}

static void assert_nearest(const char *typed, const char *expected) {
  const char *near = ga_nearest_word(typed, word_at);
  if (!expected) {
    if (near) fail_msg("'%s' is near to '%s'", typed, near);
    return;
  }
  if (!near) fail_msg("nothing is near to '%s'", typed);
  assert_string_equal(near, expected);
}

static void test_nearest(void **state) {
  (void)state;
  assert_nearest("stab2", "stab2");
  assert_nearest("stba2", "stab2");     /* neighbours exchanged */
  assert_nearest("index", "index3");    /* a letter is missing */
  assert_nearest("soii2", "soi2");      /* a letter too many */
  assert_nearest("sio2", "soi2");       /* one edit of four letters */
  assert_nearest("gen", "generalized"); /* a beginning of three letters */
  assert_nearest("so", NULL);           /* of two letters: two edits */
  assert_nearest("x", NULL);            /* any letter is one edit from h */
  assert_nearest("newmark", NULL);
  assert_nearest("", NULL);
}

static void test_context(void **state) {
  (void)state;
  int from = 1;
  assert_null(ga_nearest_in("stba2", later_word_at, &from));
  assert_string_equal(ga_nearest_in("indx3", later_word_at, &from), "index3");
}

/* Words longer than the table are far from everything, and no memory beyond it is touched. */
static void test_long(void **state) {
  (void)state;
  char typed[200];
  memset(typed, 'a', sizeof typed - 1);
  typed[sizeof typed - 1] = '\0';
  assert_null(ga_nearest_in(typed, later_word_at, &(int){0}));
}

static const char *option_at(int i) {
  static const char *const options[] = {
      "method",
      "h",
      "rho",
      "newton-tol",
      "newton-max",
      "dense",
      "a-word-much-longer-than-the-table-of-the-distance-allows-for"};
  return i < (int)(sizeof options / sizeof *options) ? options[i] : NULL;
}

static const char *no_word(int i) {
  (void)i;
  return NULL;
}

static void test_option_words(void **state) {
  (void)state;
  static char longer[300];
  /* equal, one letter wrong, missing, doubled, two exchanged, a beginning */
  assert_string_equal(ga_nearest_word("method", option_at), "method");
  assert_string_equal(ga_nearest_word("mathod", option_at), "method");
  assert_string_equal(ga_nearest_word("metod", option_at), "method");
  assert_string_equal(ga_nearest_word("methhod", option_at), "method");
  assert_string_equal(ga_nearest_word("emthod", option_at), "method");
  assert_string_equal(ga_nearest_word("met", option_at), "method");
  assert_string_equal(ga_nearest_word("newton_max", option_at), "newton-max");
  assert_string_equal(ga_nearest_word("newton-", option_at), "newton-tol");
  assert_string_equal(ga_nearest_word("sense", option_at), "dense");
  assert_string_equal(ga_nearest_word("ro", option_at), "rho");
  assert_string_equal(ga_nearest_word("rhho", option_at), "rho");
  assert_string_equal(ga_nearest_word("rhp", option_at), "rho");
  /* as many changes as a word of its length may have, and one more */
  assert_null(ga_nearest_word("k", option_at)); /* near to every letter */
  assert_null(ga_nearest_word("kk", option_at));
  assert_string_equal(ga_nearest_word("dxxse", option_at), "dense");
  assert_null(ga_nearest_word("dxxxe", option_at));
  assert_string_equal(ga_nearest_word("ensed", option_at), "dense");
  assert_null(ga_nearest_word("esned", option_at));
  assert_string_equal(ga_nearest_word("ewton-mxaa", option_at), "newton-max");
  assert_null(ga_nearest_word("quaternion", option_at));
  assert_null(ga_nearest_word("xyz", option_at));
  assert_null(ga_nearest_word("dense", no_word));
  memset(longer, 'z', sizeof longer - 1);
  assert_null(ga_nearest_word(longer, option_at));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_context),
      cmocka_unit_test(test_long),
      cmocka_unit_test(test_option_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
