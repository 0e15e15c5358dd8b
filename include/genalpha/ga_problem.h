/* SPDX-License-Identifier: MIT */
/* A problem: a model with start values and usual settings. A shared object that exports one is run
 * by the tool like the test problems of the papers (problems/problems.h), which are problems, too.
 */
#ifndef GA_PROBLEM_H
#define GA_PROBLEM_H

#include <genalpha/ga_model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Settings of problems that have any. */
typedef struct ga_problem_options {
  int size;     /* number of elements, for problems of variable size; 0: the problem's default */
  double omega; /* angular frequency of "oscillator" */
} ga_problem_options;

/* Constant after creation; who made it releases it. */
typedef struct ga_problem {
  const char *name, *summary, *cite;
  ga_model model;
  double t0;
  double *q0, *v0;          /* consistent start values */
  double *mult0;            /* nlam + npsi numbers near the multipliers at the start, for
                               ga_options.multiplier_guess; zeros where no guess is needed */
  double rho_inf, h, t_end; /* as in the paper */
  void *impl;               /* NULL in a problem of one's own, which has no references */
} ga_problem;

/* Problems of one's own in a shared object model.so, which the tool runs like its own by
 * "genalpha run ./model.so". One of its source files ends with GA_PROBLEM_MODULE(open, close):
 * open makes a problem, which close releases; options has what --size and --omega say. Needed are
 * model, q0 and v0. Zeros elsewhere mean: no names, h = 1e-3, t_end = 1, rho_inf = 0.9, no guess of
 * multipliers. The object needs no library: the tool has all functions of the interface. */
typedef struct ga_problem_module {
  const char *version; /* GA_VERSION of the headers it was compiled with */
  ga_status (*open)(const ga_problem_options *options, ga_problem **out, ga_error *err);
  void (*close)(ga_problem *problem);
} ga_problem_module;

#define GA_PROBLEM_SYMBOL "ga_exported_problem"
#define GA_PROBLEM_MODULE(open, close)                                                       \
  __attribute__((visibility("default"))) extern const ga_problem_module ga_exported_problem; \
  const ga_problem_module ga_exported_problem = {GA_VERSION, open, close};

#ifdef __cplusplus
}
#endif
#endif
