/* SPDX-License-Identifier: MIT */
/* Values of benchmarks: what comes out, what is known, by how much they may differ. The argument `print` of a test
 * that uses them writes all of them as a table. */
#ifndef GA_TESTS_CLAIMS_H
#define GA_TESTS_CLAIMS_H

#include <math.h>
#include <string.h>

#include "support.h"

static bool claims_print;
static int claims_wrong;

/* To be called first in main. */
static inline void claims_begin(int argc, char **argv) {
  claims_print = argc > 1 && strcmp(argv[1], "print") == 0;
}

static inline void claim(const char *benchmark, const char *what, double value, double known,
                         double allowed) {
  const double error = fabs(value - known);
  const bool holds = error <= allowed;
  if (claims_print || !holds) {
    print_message("| %s | %s | %.12g | %.1e of %.1e |%s\n", benchmark, what, value, error, allowed,
                  holds ? "" : " WRONG");
  }
  claims_wrong += !holds;
}

/* At the end of each test: fails if a claim since the last call was wrong. */
static inline void claims_end(void) {
  const int wrong = claims_wrong;
  claims_wrong = 0;
  assert_int_equal(wrong, 0);
}

#endif
