/* SPDX-License-Identifier: MIT */
/* A model file as JSON: texts as they stand in the file, lists, maps, what JSON must escape. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>
#include "support.h"

static void as_json(void **state) {
  (void)state;
  char name[] = "file_json_XXXXXX", *json = NULL;
  size_t length = 0;
  const int fd = mkstemp(name);
  FILE *file = fdopen(fd, "w");
  fputs(
      "genalpha: 1\nname: \"a \\\"b\\\" \\\\ \\t é\"\nempty: {}\nbodies:\n  b: {mass: 010, "
      "position: [x*2, -1, 'if(a, b)']}\n",
      file);
  fclose(file);
  FILE *to = open_memstream(&json, &length);
  ga_error err = {0};
  must(ga_file_json(name, to, &err), &err);
  fclose(to);
  assert_string_equal(json,
                      "{\"genalpha\": \"1\", \"name\": \"a \\\"b\\\" \\\\ \\u0009 é\", "
                      "\"empty\": {}, \"bodies\": {\"b\": {\"mass\": \"010\", \"position\": "
                      "[\"x*2\", \"-1\", \"if(a, b)\"]}}}");
  free(json);
  unlink(name);
}

static void refused(void **state) {
  (void)state;
  ga_error err = {0};
  assert_refused(ga_file_json("no/such.yaml", stdout, &err), &err, GA_ERR_IO, "no/such.yaml",
                 "cannot be read");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_json), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
