/* SPDX-License-Identifier: MIT */
/* A solution of given accuracy: its pieces of time, its runs, the tableau over its nodes. */
#ifndef GA_SRC_SOLUTION_H
#define GA_SRC_SOLUTION_H

#include "base/base.h"
#include "extrapolate/tableau.h"
#include "genalpha/ga_accuracy.h"
#include "run/integrator.h"

enum {
  GA_COLUMNS = 5,      /* K = 0, .., 4: orders 2 to 6 */
  GA_THREADS_MAX = 4,  /* runs side by side */
  GA_RUNS_LISTED = 128 /* runs that a sequence can have: the steps double with every second one */
};

/* The motion is smooth within a piece of time. It has `steps` steps in the coarsest run, of equal
 * size, hence steps + 1 nodes; `first` is the number of its first node. Each run begins
 * anew there. Up to the time `before` the model has the values of this piece; it differs from `to` by
 * rounding. */
typedef struct ga_piece {
  double from, to, before;
  long steps, first;
} ga_piece;

/* One run: m times the steps of the coarsest in each piece. */
typedef struct ga_run {
  const struct ga_solution *of;
  int m;
  double *x; /* its states at all nodes */
  ga_status status;
  ga_error error;
  ga_stats stats;
} ga_run;

/* Row of the tableau: T_{j,0}, .., T_{j,4} at all nodes. */
typedef struct ga_row {
  double *x[GA_COLUMNS];
} ga_row;

/* What is known after a run. */
typedef struct ga_estimate {
  double divisor; /* distance of T_{j,K} and T_{j-1,K} over the estimated error */
  double vd,
      lam;       /* of v' and of the constraint forces, estimated; NaN: not asked for, or not yet */
  double forces; /* the largest of these; NaN: not known */
  int K;         /* order K + 2 */
  double error[2]; /* of q and v, estimated */
  double largest;  /* of both */
  double fall;     /* differences between runs of m and 2 m steps, over those of 2 m and 4 m; 4 for
                        a smooth motion; NaN: too few runs */
  double dist[GA_COLUMNS]; /* T_{j,K} from T_{j-1,K}, of q and v */
  double largest_apart;    /* of the last two runs, over q, v and the nodes */
  bool regular;            /* differences fall as those of a smooth motion */
} ga_estimate;

/* v in an interval between two nodes, as a polynomial in Newton's form. */
typedef struct ga_between {
  long node;     /* the interval begins there; -1: none */
  int points;    /* each node of the window counts twice */
  double at[12]; /* where they are, in intervals from the node */
  double *coef;  /* points x nv: divided differences */
  double *miss;  /* nv: what is left to the next node, as an increment of q */
  double *q;     /* nq: work */
  double *work;  /* 9 nv */
  double *kept;  /* 15 nv: another polynomial, and values of v inside the interval */
} ga_between;

struct ga_solution {
  const ga_model *model;
  ga_options options;
  int threads;
  int (*stop)(void *context);
  void *stop_context;
  ga_error error;
  ga_stats stats;
  ga_accuracy accuracy;

  ga_layout layout;    /* of q and v alone */
  int size;            /* numbers of such a state */
  double *root_metric; /* nv: sqrt(w) */
  ga_arena arena;      /* lives as long as the solution */
  /* one for each thread, made when it is needed; a start forgets what was before. The first one also
   * solves the equations of motion at single states */
  ga_integrator *runner[GA_THREADS_MAX];
  bool at_nodes; /* it does so now */

  double t0, t_end;
  const double *q0, *v0; /* borrowed during a solve */

  /* memory of one solve */
  ga_arena work;
  ga_piece *piece;
  int pieces;
  long nodes, steps; /* of the coarsest run */
  ga_row row[2];     /* the last row, and the one before */
  double *before;    /* column 0 two rows before */
  double *spare[GA_THREADS_MAX + 1];
  int rows; /* since the last run that failed; row j has m_of[j] */
  double m_of[GA_RUNS_LISTED];
  ga_estimate made[GA_RUNS_LISTED]; /* after row j */
  double *apart;                    /* per node: distance of the last run from the one before */
  double *twice[3]; /* per node: distance of the last run from that of half its steps; then those
                          of the two rows before */
  double *size_q, *size_v; /* nv: what errors are relative to */
  double *w, *v;           /* nv: work */
  double *pilot_end;       /* q, v at the end of the pilot; NULL: it failed */
  double pilot_steps;      /* equal steps that are as good as those of the pilot */
  double passed_over; /* a time at which all runs miss something that begins there; NaN: none */
  int K;              /* column of the result */

  /* the states of the solution, made when they are asked for (nodes.c, between.c) */
  ga_layout whole;    /* q, v, vd, lam, psi */
  double *state;      /* nodes x whole, and one more for a time between them */
  bool *ready;        /* nodes: its state is there */
  ga_between between; /* the polynomial of an interval */

  /* events.c */
  ga_event *event;
  int events, event_room;
  int stopped_by; /* -1: none */
  double t_stop;  /* the end of the solution: t_end, or the time of a terminal event */
  long shown;     /* nodes up to there */
};

/* pieces.c: run the pilot, and cut the time from t0 to t_end into pieces with their steps. If it
 * meets a terminal event, t_end becomes a time shortly after. */
ga_status ga_solution_pilot(ga_solution *s, bool with_events);
/* Run a pilot of this tolerance to s->t_end for its end alone, which goes to s->pilot_end. */
ga_status ga_solution_second_pilot(ga_solution *s, double rtol);

/* runs.c: the options of its integrators. */
ga_options ga_solution_run_options(const ga_solution *s);
/* Make `count` runs, side by side. */
void ga_solution_runs(ga_solution *s, ga_run *runs, int count);
/* m of the i-th run: 1, 2, 3, 4, 6, 8, 12, 16, .. */
int ga_solution_substeps(int i);
/* Add counters and join extremes. */
void ga_stats_add(ga_stats *sum, const ga_stats *of);

/* estimate.c: append the states x of a run with m as a row, and estimate the errors; x becomes that
 * of the solution, and another array that is free is returned. */
double *ga_solution_add_row(ga_solution *s, int m, double *x);
double ga_solution_fall_scale(const ga_solution *s);
/* Distance of two states, relative to the sizes; of[0] that of q, of[1] that of v. */
void ga_solution_distance(ga_solution *s, const double *a, const double *b, double of[2]);
/* The node's state in column K of the last row (which = 0) or of the one before (1). */
double *ga_solution_column(const ga_solution *s, int which, int K, long node);

/* seen.c: a time at which a run of m times the coarsest steps passes over something; NaN: nowhere. */
double ga_solution_passed_over(const ga_solution *s, double m);

/* verdict.c: growth of the differences between runs over the time. */
double ga_solution_growth(const ga_solution *s);
/* fill verdict, text and what belongs to them of s->accuracy. */
void ga_solution_judge(ga_solution *s, ga_verdict verdict);

/* nodes.c: times and whole states. */
const ga_piece *ga_solution_piece(const ga_solution *s, long node);
double ga_solution_time(const ga_solution *s, long node);
/* The same as an argument of the model: at the end of a piece a time before the corner. */
double ga_solution_model_time(const ga_solution *s, long node);
ga_status ga_solution_prepare_states(ga_solution *s);
void ga_solution_leave_nodes(ga_solution *s);
/* The whole state at t from q and v, into x: put onto the constraints, v', lam, psi by the equations
 * of motion; NaN if these fail. */
ga_status ga_solution_complete(ga_solution *s, double t, const double *q, const double *v,
                               double *x);
/* Largest distance of v' and of the constraint forces between the last two rows in column K,
 * relative to the largest values. */
ga_status ga_solution_force_distance(ga_solution *s, int K, double *vd, double *lam);

/* between.c: allocate its arrays. */
void ga_between_init(ga_solution *s);
/* About the largest error between the nodes above `least`, relative to the sizes; *t: where. NaN: not
 * known. */
double ga_solution_miss(ga_solution *s, double least, double *t);

/* events.c: find the events of the solution. GA_EVENT if one ends it; then t_stop and shown are
 * set. */
ga_status ga_solution_find_events(ga_solution *s);

#endif
