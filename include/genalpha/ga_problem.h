/* SPDX-License-Identifier: MIT */
/* The test problems of the papers, by name, with start values, usual settings and references. */
#ifndef GA_PROBLEM_H
#define GA_PROBLEM_H

#include <genalpha/ga_model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Settings of problems that have any; ga_problem_options_default gives each problem's usual ones.
 */
typedef struct ga_problem_options {
  int size;     /* number of elements, for problems of variable size; 0: the problem's default */
  double omega; /* angular frequency of "oscillator" */
} ga_problem_options;

GA_API ga_problem_options ga_problem_options_default(void);

/* A problem owns its model and arrays; ga_problem_free releases all. Constant after creation. */
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

/* Names and one-line summaries of all problems; NULL past the end. */
GA_API const char *ga_problem_name(int i);
GA_API const char *ga_problem_summary(int i);

/* options may be NULL. GA_ERR_ARG for an unknown name or a setting the problem does not have. */
GA_API ga_status ga_problem_new(const char *name, const ga_problem_options *options,
                                ga_problem **out, ga_error *err);
GA_API void ga_problem_free(ga_problem *problem);

/* Exact or reference solution at time t: writes q and v, and vd, lam, psi as far as they are known
 * independently, NaN elsewhere; any output may be NULL. False if no reference is known at t.
 * ga_problem_reference_time gives the i-th time with a tabulated reference, NaN past the end;
 * problems with a closed solution know every t. */
GA_API bool ga_problem_reference(const ga_problem *problem, double t, double *q, double *v,
                                 double *vd, double *lam, double *psi);
GA_API double ga_problem_reference_time(const ga_problem *problem, int i);

#ifdef __cplusplus
}
#endif
#endif
