/* SPDX-License-Identifier: MIT */
/* A model file in a string, run to the end with steps h: its columns there. */
#ifndef GA_TESTS_RUN_TEXT_H
#define GA_TESTS_RUN_TEXT_H

#include <stdarg.h>

#include "genalpha/ga_file.h"
#include "support.h"

/* Runs `text` from 0 to t_end in n steps with these options; the values of the columns named up to NULL
 * go to `values`. */
static inline void run_text_list(const char *text, ga_options o, int n, double t_end,
                                 double *values, va_list names) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_integrator *it = NULL;
  o.h = t_end / n;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  assert_int_equal(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), GA_OK);
  assert_int_equal(ga_integrator_run(it, t_end), GA_OK);
  for (const char *name = va_arg(names, const char *); name; name = va_arg(names, const char *)) {
    const int column = ga_mechanism_column_index(m, name);
    if (column < 0) fail_msg("there is no column %s", name);
    *values++ = ga_mechanism_output(m, ga_integrator_state(it), column);
  }
  ga_integrator_free(it);
  ga_file_free(file);
}

/* the same with the default options */
static inline void run_text(const char *text, int n, double t_end, double *values, ...) {
  va_list names;
  va_start(names, values);
  run_text_list(text, ga_options_default(), n, t_end, values, names);
  va_end(names);
}

/* the same with a method */
static inline void run_text_by(const char *method, const char *text, int n, double t_end,
                               double *values, ...) {
  ga_options o = ga_options_default();
  va_list names;
  o.method = method;
  va_start(names, values);
  run_text_list(text, o, n, t_end, values, names);
  va_end(names);
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
