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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_context),
      cmocka_unit_test(test_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
