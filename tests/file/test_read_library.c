/* SPDX-License-Identifier: MIT */
/* Functions of shared objects: what is refused. tests/install/test_library.sh compiles and calls
 * some. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <unistd.h>

#include "mechanisms.h"

/* The message of a model whose function f comes from this library. */
static const char *refusal(bool allowed, const char *library, const char *more, ga_error *err) {
  char text[3000];
  ga_file *file = NULL;
  snprintf(text, sizeof text,
           "genalpha: 1\nbodies: {ball: {kind: point, mass: 0.5}}\n"
           "functions: {f: {library: \"%s\"%s}}\n"
           "forces: {push: {type: force, body: ball, value: [{function: f}, 0, 0]}}\n",
           library, more);
  const ga_file_options options = {.libraries = allowed};
  assert_int_equal(ga_file_parse("dir/test.yaml", text, strlen(text), &options, &file, err),
                   GA_ERR_FILE);
  assert_null(file);
  return err->text;
}

static void says(const char *text, const char *word) {
  if (!strstr(text, word)) fail_msg("'%s' is not in: %s", word, text);
}

static void messages(void **state) {
  (void)state;
  ga_error err = {0};
  Dl_info info;
  assert_true(dladdr((const void *)getpid, &info) != 0); /* the C library is a shared object */
  says(refusal(false, info.dli_fname, "", &err), "allow it by --libraries");
  says(refusal(false, "none.so", "", &err), "dir/test.yaml:3:");
  says(refusal(true, "none.so", "", &err), "functions.f: there is no file 'dir/none.so'");
  says(refusal(true, info.dli_fname, ", symbol: no_such_function", &err),
       "has no symbol 'no_such_function'");
  says(refusal(true, info.dli_fname, "", &err), "has no symbol 'f'");
  says(refusal(true, "/dev/null", "", &err), "cannot be loaded");
  says(refusal(true, info.dli_fname, ", symbl: g", &err), "did you mean 'symbol'?");
  says(refusal(true, info.dli_fname, ", derivatives: yes", &err), "true|false");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
