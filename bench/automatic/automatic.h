/* SPDX-License-Identifier: MIT */
/* Automatic steps measured: does the error follow rtol, and what do they cost beside fixed steps?
 *
 * Every problem of the library and every model file is run with automatic steps for a list of
 * rtol, and with fixed steps of the same method. The errors of q, v and of the constraint forces
 * are taken at common times against a reference, in units that do not depend on those of the model:
 *
 *     q, v     |e_i| / max_t |x_i|, rotations 1, at least 1e-3 of the largest component of its kind
 *              (lengths and angles apart); the largest over components and times
 *     forces   f = G^T lam + H^T psi (-R where a model has its own), which are unique where
 *              multipliers are not; f_i/sqrt(w_i), w the metric of the model, over the largest */
#ifndef GA_BENCH_AUTOMATIC_H
#define GA_BENCH_AUTOMATIC_H

#include <genalpha/genalpha.h>

/* ---- cases.c: what is run ---- */

typedef struct measured_case {
  char label[64]; /* "andrews", "andrews.yaml", "DIRECTORY/andrews.yaml" */
  struct ga_problem *problem;
  ga_file *file;
  const ga_model *model;
  const double *q0, *v0;
  double t0, span;    /* in seconds */
  const char *note;   /* what was changed, and why; NULL: nothing */
  bool driven;        /* all motion is prescribed: q and v are known, forces count */
  ga_options options; /* of the problem or the file; method and step sizes are replaced */
  int nq, nv;
  char *kind;              /* nv: 'x' a length, 'a' an angle */
  double *root_metric;     /* nv: sqrt(w) */
  ga_csr G, H;             /* scratch */
  unsigned long long hash; /* of all that the reference depends on */
} measured_case;

/* The next case of the list: the problems, then the files of `directory`, which may be NULL. A
 * case whose model cannot be made is skipped after a message. */
typedef struct case_list case_list;
case_list *case_list_new(const char *const *directories, int ndirectories);
void case_list_free(case_list *list);
int case_list_size(const case_list *list);
const char *case_list_label(const case_list *list, int i);
/* NULL after a message. */
measured_case *case_open(const case_list *list, int i, double span_factor);
measured_case *case_open_file(const char *path);
void case_close(measured_case *c);
/* Constraint forces of a state, nv numbers, relative to sqrt(w); false if the model refuses. */
bool case_forces(measured_case *c, const ga_state *state, double *f);

/* ---- runs.c: a run and its errors ---- */

/* States at common times t0 + span i/n, i = 0 .. n; rows of nq, nv and nv numbers. */
typedef struct trajectory {
  int n;
  double *q, *v, *f;
} trajectory;

trajectory trajectory_new(const measured_case *c, int n);
void trajectory_free(trajectory *x);
void trajectory_copy(const measured_case *c, const trajectory *from, trajectory *to);
double common_time(const measured_case *c, int n, int i);
/* Copies a state into row i; false if its forces cannot be had. */
bool trajectory_put(measured_case *c, trajectory *x, int i, const ga_state *state);

/* Errors of q, v and the constraint forces; NaN where there are none. */
enum { OF_Q, OF_V, OF_F, VARIABLES };
typedef struct errors {
  double of[VARIABLES];
} errors;
errors trajectory_errors(const measured_case *c, const trajectory *x, const trajectory *reference);

typedef struct run_result {
  bool good;
  double setting; /* rtol, or the number of fixed steps */
  errors error;
  double seconds; /* CPU time, the least of several runs */
  ga_stats stats;
  char message[240]; /* of a failure */
} run_result;

/* What a run costs in evaluations of the residual. A matrix with its factorization counts as
 * WORK_MATRIX of them, a solve as WORK_SOLVE: a rough choice. The solves of the error estimate are
 * not in it. */
#define WORK_MATRIX 3.0
#define WORK_SOLVE 0.5
double run_work(const run_result *r);

typedef struct run_settings {
  const char *method;
  double h_max; /* of automatic steps, as a fraction of the span */
  int times;    /* number of common times */
  int repeats;  /* at most, of runs below 50 ms */
} run_settings;

/* rtol > 0: automatic steps; else `steps` fixed ones, a multiple of s->times. */
run_result run_case(measured_case *c, const run_settings *s, double rtol, long steps,
                    const trajectory *reference);

/* ---- reference.c ---- */

/* The reference at n common times, from the file in `directory` if it is there, else computed and
 * kept there; its own errors in *accuracy. False after a message. */
bool reference_get(measured_case *c, const char *directory, int n, trajectory *x, errors *accuracy);

/* The directory "automatic-references" beside this program into path, made if it is not there. */
const char *reference_directory(char *path, size_t room);

#endif
