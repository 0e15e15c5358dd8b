/* SPDX-License-Identifier: MIT */
/* Is an iterate the solution? One test, by backward error, row by row (judge.c). */
#ifndef GA_SRC_JUDGE_H
#define GA_SRC_JUDGE_H

#include <float.h>

#include "step/factors.h"

/* Rounding errors in a sum: about one per summand; a row of a mechanism has some ten summands. */
enum { GA_ROUND = 8 };
/* Smaller numbers count as zero: products with them are not normal numbers. */
#define GA_UNDERFLOW (DBL_MIN / DBL_EPSILON)
/* Vectors of ga_judge.sums. */
enum { GA_JUDGE_SUMS = 6 };

/* How closely to check. */
typedef enum ga_look {
  GA_LOOK_ROUGHLY, /* for the excess of a guess, which is not accepted anyway */
  GA_LOOK_CLOSELY,
  GA_LOOK_STALLED /* fresh matrices do not improve any row: the noise inside callbacks counts */
} ga_look;

/* Judge of one step at a time; its measurements are forgotten when the next step begins. A "part"
 * is a subsystem: velocities that constraints connect. Arrays of parts are indexed by the first
 * velocity of a part. */
typedef struct ga_judge {
  ga_equations *eq;
  ga_factors *factors;
  double tol;              /* newton_tol */
  double *size_q, *size_v; /* of the summands of q_1 and v_1, for each velocity */
  double *pace;            /* size_v and a rounding of q in a step, for velocity constraints */
  double *now_q, *now_v;   /* sizes of q_1 and v_1 themselves, which fine.h solves for, */
  bool now_known;          /* at the iterate in hand */
  bool eta_counted;        /* size_q includes what eta adds at the iterate in hand */
  double *size_x;          /* largest |x_j| of each velocity, over the blocks */
  double *liveliest;       /* of the row kind in hand: largest sqrt(m) (|x| + V/h) in each part, */
  double *fastest;         /* largest |x| + V/h there, */
  double *bound;           /* in a team: work of nv numbers */
  int *part;               /* of each velocity: first velocity of its part */
  int nparts, *first;      /* those first velocities */
  bool by_value;           /* no patterns are given: parts are found from nonzero values */
  bool parts_known;        /* `part` and `root` belong to the iterate in hand */
  double *root;            /* sqrt of the mass of each velocity, */
  bool roots_known;        /* if it is constant and known */
  double *strongest;       /* largest force over sqrt(m) in each part, */
  double *hardest;         /* over m, */
  double *greatest;        /* and as it is */
  bool prepared;           /* these belong to the iterate in hand */
  int *vector;             /* first velocity of the vector that a velocity is part of, */
  int *vector_end;         /* and the one after its last; on R^n each stands for itself */
  double largest;          /* term of all force rows, at the iterate in hand */
  ga_columns G_columns, H_columns;
  double *rounding;          /* n: one rounding of each constraint row */
  bool shaken;               /* `shake` belongs to the iterate in hand */
  double *shake;             /* n: change of the unknowns by one rounding of every constraint */
  bool measured;             /* `noise` belongs to the iterate in hand */
  double *noise;             /* change of each row by GA_ROUND roundings of q and v */
  double *shift_q, *shift_v; /* such roundings, */
  double *r_up, *r_down;     /* and the residuals there */
  double *terms;             /* of these residuals; not used */
  unsigned probes;           /* measurements so far: each takes other signs */
  bool const_mass;           /* M is constant, on all processes */
  bool has_speed;            /* there are rows of accelerations: */
  double speed;              /* 1 + the largest size of a velocity */
  /* In a team (judge_team.c): parts that several processes have are numbered; `span` has the number
   * of a part, -1 if it is of this process alone. `sums` over the processes in the rows of shared
   * velocities. `suspects`: constraint rows that some process has to check closely. */
  int nspan, *span;
  double *span_max;
  double *sums;
  bool suspects[GA_MAX_CON];
} ga_judge;

/* An iterate: the unknowns, the residual there and the terms of its dynamic rows. */
typedef struct ga_iterate {
  const double *x, *r, *terms;
} ga_iterate;

typedef struct ga_verdict {
  bool accepted;
  bool doubtful; /* refused, but the tangents say that rounding explains it: measure the rounding */
  bool shakable; /* if refused, only in force rows and by no more than a shake may excuse */
  double excess; /* largest |r_i| relative to what is allowed, and its row */
  int row;
  bool elsewhere; /* the row is one of another process */
} ga_verdict;

void ga_judge_init(ga_judge *j, ga_equations *eq, ga_factors *factors, double tol, ga_arena *arena);
/* An iteration begins. */
void ga_judge_begin(ga_judge *j);
/* The iterate has moved: forget what was measured at the last one. */
void ga_judge_move(ga_judge *j);
/* The verdict on all rows of an iterate. */
ga_verdict ga_judge_look(ga_judge *j, const ga_iterate *at, ga_look look);
/* The same for an iterate whose constraints were found closed before. */
ga_verdict ga_judge_look_again(ga_judge *j, const ga_iterate *at, ga_look look);
/* Is some row above newton_tol times its terms? Of an accepted iterate: did it take roundings? */
bool ga_judge_rounding(ga_judge *j, const ga_iterate *at);
/* allowed[i]: largest residual allowed in row i, to compare residuals of other iterates. */
void ga_judge_allowed(ga_judge *j, const ga_iterate *at, double *allowed);
/* Set to zero those constraint rows of b, a copy of the residual, that are within one rounding. */
void ga_judge_skip_closed(ga_judge *j, const ga_iterate *at, double *b);
/* One rounding of each constraint row, into `rounding`. */
void ga_judge_roundings(ga_judge *j, const ga_iterate *at);

/* The rows of constraints and of forces, added to a verdict. */
void ga_judge_constraints(ga_judge *j, const ga_iterate *at, ga_look look, ga_verdict *v);
void ga_judge_forces(ga_judge *j, const ga_iterate *at, ga_look look, ga_verdict *v);

/* judge_team.c, all collective: number the shared parts at the beginning; the verdict of all
 * processes; maxima over the processes of the numbers of each part, and of *more (may be NULL). */
ga_status ga_judge_join(ga_judge *j, ga_arena *arena);
ga_verdict ga_judge_look_together(ga_judge *j, const ga_iterate *at, ga_look look);
ga_verdict ga_judge_forces_together(ga_judge *j, const ga_iterate *at, ga_look look, ga_verdict v);
void ga_judge_share_parts(ga_judge *j, double *of_part, double *more);

/* measure.c */
/* The parts of the system that constraints connect, into `part`: by all entries of their patterns,
 * or by those that are not zero. */
void ga_judge_find_parts(ga_judge *j, bool by_value);
/* Parts and masses, as far as they change from iterate to iterate. */
void ga_judge_know_parts(ga_judge *j);
/* Set the numbers of all parts to zero; those of a part are kept at its first velocity. */
void ga_judge_clear_parts(const ga_judge *j, double *of_part);
/* The liveliest motion in each part, max sqrt(m) (|x| + V/h), lengths in the metric of the kinetic
 * energy, the same for angles and distances; and the fastest one, max |x| + V/h. Without V for
 * positions. */
void ga_judge_measure_motion(ga_judge *j, ga_con_kind kind);
/* Compute `shake`: how far roundings of the constraints move the unknowns. */
ga_status ga_judge_shake(ga_judge *j, const ga_iterate *at);
/* Evaluate the residual some roundings of q and v away, on both sides. The equations are then
 * evaluated elsewhere than at x. */
ga_status ga_judge_measure(ga_judge *j, const ga_iterate *at);
/* The sizes whose roundings force rows may claim or show: those of q_1 and v_1. */
typedef struct ga_motion_sizes {
  const double *q, *v;
} ga_motion_sizes;
ga_motion_sizes ga_judge_motion_sizes(ga_judge *j);

#endif
