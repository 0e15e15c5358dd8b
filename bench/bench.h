/* SPDX-License-Identifier: MIT */
/* The benchmark: genalpha against a peer (SUNDIALS IDA) and against the floor, one plain
 * factorization and solve, all in one program, one thread, process CPU time, least of several
 * repeats. */
#ifndef GA_BENCH_H
#define GA_BENCH_H

#include <genalpha/genalpha.h>
#include <stdio.h>

/* ---- clock and memory, measure.c ---- */

double bench_clock(void); /* process CPU time in seconds */

/* The least time of `repeats` calls of work(context), in seconds; a negative number if work returns
 * nonzero. */
double bench_least(int repeats, int (*work)(void *context), void *context);

void *bench_take(size_t count, size_t size); /* zeroed memory; ends the program if there is none */
double *bench_doubles(int n);
double bench_max_difference(int n, int stride, const double *a, const double *b);
double bench_max_abs(int n, const double *a);

/* Peak memory in bytes of this program run anew with these arguments; -1 if it failed. */
double bench_child_memory(const char *const *arguments);
/* what a child prints at its end for bench_child_memory */
void bench_tell_memory(void);
/* Instructions of the same, counted by callgrind; -1 without valgrind. */
double bench_child_instructions(const char *const *arguments);

/* ---- problems, problems.c ---- */

typedef struct bench_problem {
  char label[32]; /* "chain-1000" */
  ga_problem *p;
  int nq, nv, nlam, size;
  int quaternion;    /* index of a unit quaternion in q and of its Omega in v; 0: no quaternion */
  int first, stride; /* coordinates whose errors count: q[first], q[first + stride], .. */
  double *q_ref, *lam_ref; /* at p->t_end */
} bench_problem;

/* size 0: the problem has no size. The reference of a chain is filled in later. NULL after a
 * message. */
bench_problem *bench_problem_new(const char *name, int size);
void bench_problem_free(bench_problem *b);
double bench_step_size(const bench_problem *b); /* in seconds, for timing bare steps */
double bench_error_q(const bench_problem *b, const double *q);
double bench_error_lam(const bench_problem *b, const double *lam); /* relative */

/* ---- one run to t_end, by any code ---- */

typedef struct bench_run {
  double seconds;
  long steps, iterations, residuals, matrices;
  double error_q, error_lam;
} bench_run;

/* How a code is run; `setting` is the number of steps where steps are fixed, else rtol. q and lam,
 * if not NULL, receive the end state. Nonzero if the run failed. */
typedef struct bench_variant bench_variant;
struct bench_variant {
  const char *code, *steps; /* "genalpha", "fixed" */
  const char *method;
  const char *only; /* names of the problems it is for; NULL: all */
  double rho_inf;   /* 0: the problem's own */
  int levels;       /* extrapolation levels; 0: none */
  ga_extrapolate_steps sequence;
  ga_extrapolate_multipliers multipliers;
  bool by_rtol;      /* `setting` is rtol; else the number of steps */
  double part_atol;  /* atol = part_atol rtol */
  double newton_tol; /* 0: the default */
  int (*run)(const bench_problem *b, const bench_variant *variant, double setting, bench_run *out,
             double *q, double *lam);
};

int bench_genalpha_run(const bench_problem *b, const bench_variant *variant, double setting,
                       bench_run *out, double *q, double *lam);

int bench_extrapolated_run(const bench_problem *b, const bench_variant *variant, double setting,
                           bench_run *out, double *q, double *lam);

/* CPU seconds per step of `steps` steps of size h from the start; negative if it failed. */
double bench_genalpha_steps(const bench_problem *b, const char *method, const char *linsol,
                            double h, long steps, int repeats, ga_stats *stats);

/* ---- the peer, ida.c, or ida_none.c where it is not installed ---- */

const char *bench_ida_version(void); /* NULL: not built in */
int bench_ida_run(const bench_problem *b, const bench_variant *variant, double setting,
                  bench_run *out, double *q, double *lam);
/* Largest relative error of the peer's Jacobian against a difference quotient. */
double bench_ida_jacobian_error(const bench_problem *b);

/* ---- floors, floor.c ---- */

/* Plain-loop LU with row exchanges and one solve of the index-3 matrix of b at its start. */
double bench_floor_dense(const bench_problem *b, double h, int repeats);
/* klu_refactor and klu_solve of the same matrix, with KLU's default settings or without its scaling
 * and block triangular form, which is faster. */
double bench_floor_klu(const bench_problem *b, double h, bool tuned, int repeats);

/* One MUMPS L D L^T factorization and solve of the same matrix, made symmetric, floor_mumps.c; NaN
 * without MUMPS. */
double bench_floor_mumps(const bench_problem *b, double h, int repeats);

/* ---- beams.c: models/NAME.yaml with n elements, in a process of its own; nonzero if it failed ---- */

int bench_beam_steps(const char *name, const char *n, long steps);
/* count times klu_refactor and klu_solve of the matrix of index3 */
int bench_beam_floor(const char *name, const char *n, int count);

/* ---- results, report.c ---- */

/* One row of a table: pairs of a name and a text or number, the end marked by a NULL name. */
typedef struct bench_field {
  const char *name, *text; /* text NULL: number */
  double number;
} bench_field;
#define BENCH_TEXT(n, t) ((bench_field){.name = (n), .text = (t)})
#define BENCH_NUMBER(n, x) ((bench_field){.name = (n), .number = (x)})
#define BENCH_END ((bench_field){.name = NULL})

typedef struct bench_report bench_report;
bench_report *bench_report_open(const char *directory);
/* A row of the table `table`; also printed. The first row of a table prints its head. */
void bench_report_row(bench_report *report, const char *table, const bench_field *fields);
/* A ratio and its target, NaN if it was not measured. */
void bench_report_ratio(bench_report *report, const char *key, double value, double target);
int bench_report_close(bench_report *report);

/* ---- plot.c ---- */

/* A point of a series in a panel of the plot; panels and series appear in the order of their first
 * points. */
void bench_plot_point(const char *panel, const char *series, double x, double y);
/* DIRECTORY/bench.svg by gnuplot, its data and commands in DIRECTORY/bench.gp. */
void bench_plot_write(const char *directory);

/* ---- parts of the benchmark ---- */

void bench_part_steps(bench_report *report);
void bench_part_chain(bench_report *report);
void bench_part_nets(bench_report *report);
void bench_part_solvers(bench_report *report);
void bench_part_precision(bench_report *report);
void bench_part_instructions(bench_report *report);
void bench_part_beams(bench_report *report);
void bench_part_files(bench_report *report);
void bench_part_accuracy(bench_report *report);
void bench_part_accuracy_ida(bench_report *report);
void bench_part_mechanisms(bench_report *report);

#endif
