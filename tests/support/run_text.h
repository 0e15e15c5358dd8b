/* SPDX-License-Identifier: MIT */
/* A model file in a string, run to the end with steps h: its columns there. */
#ifndef GA_TESTS_RUN_TEXT_H
#define GA_TESTS_RUN_TEXT_H

#include <stdarg.h>

#include "genalpha/ga_file.h"
#include "support.h"

/* Runs `text` from 0 to t_end in n steps; the values of the columns named up to NULL go to `values`. */
static inline void run_text(const char *text, int n, double t_end, double *values, ...) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  o.h = t_end / n;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  assert_int_equal(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), GA_OK);
  assert_int_equal(ga_integrator_run(it, t_end), GA_OK);
  va_list names;
  va_start(names, values);
  for (const char *name = va_arg(names, const char *); name; name = va_arg(names, const char *)) {
    const int column = ga_mechanism_column_index(m, name);
    if (column < 0) fail_msg("there is no column %s", name);
    *values++ = ga_mechanism_output(m, ga_integrator_state(it), column);
  }
  va_end(names);
  ga_integrator_free(it);
  ga_file_free(file);
}

static inline void assert_close(const char *what, double value, double expected, double bound) {
  assert_between(what, value, expected - bound, expected + bound);
}

/* The model is refused with this text in the message. */
static inline void refused_text(const char *text, const char *says) {
  ga_file *file = NULL;
  ga_error err = {0};
  const ga_status status = ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err);
  if (status == GA_OK || !strstr(err.text, says)) fail_msg("'%s' is not in '%s'", says, err.text);
  ga_file_free(file);
}

#endif
