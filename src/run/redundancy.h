/* SPDX-License-Identifier: MIT */
/* Redundant constraints: rank and kept rows (kept_rows.c), singular positions on the way
 * (redundancy.c). */
#ifndef GA_SRC_REDUNDANCY_H
#define GA_SRC_REDUNDANCY_H

#include "linsol/rank/rank.h"
#include "step/memory.h"

typedef struct ga_redundancy {
  bool on;             /* the option redundant is allow, and there are constraints */
  int rank;            /* of the constraint rows; decided at a start, fixed during the run */
  double reference[2]; /* smallest growth since the rows were chosen, measured by one solve and by
                          two; 0: not measured yet */
  long calm;           /* growth is not measured for this many new factorizations */
  bool aged;           /* choose rows anew after the current step */
  bool patient;        /* accept a step that ends near a singular position */
  bool singular;       /* the start is a singular position */
  double *mass;        /* nv: diagonal mass, the metric of the rank decision */
  double *b, *next;    /* work: right-hand side, unknowns of a step; the next disturbance */
  double *q, *v, *d;   /* work: a position beside the start, nq, nv; a direction, nv */
  double *g;           /* work: nlam residuals */
  double *vd, *lam, *psi; /* work: v' and multipliers beside a start; multipliers of kept rows */
  ga_rank found;          /* the dependent rows in the order of the model, for messages */
  ga_rank chosen;         /* the rows left out; kept from the start until its first guess is made */
  double t_found;         /* time of `found` */
  double *q_found;        /* nq: position of `found` */
  struct ga_kept {        /* what a start that fails restores, see ga_redundancy_keep */
    bool soft, singular, *dropped;
    int rank, ndropped;
    double *unit, reference[2];
    long calm;
  } kept;
  ga_rank_way way; /* how rows are analyzed, as the linear solver works: dense, sparse, auto */
} ga_redundancy;

struct ga_integrator;

/* `init` sets `on` and allocates arrays (arena.failed without memory), `close` frees the rest. */
void ga_redundancy_init(struct ga_integrator *it);
void ga_redundancy_close(struct ga_integrator *it);

/* After a state was loaded: find the dependent rows at the accepted state, for messages. */
ga_status ga_redundancy_find_names(struct ga_integrator *it);

/* Rebuild the step with diagonal slots for rows that are left out, if it has none yet. */
ga_status ga_redundancy_make_slots(struct ga_integrator *it);

/* Before a start: remember which rows are left out; after it has failed: leave out the same again. */
void ga_redundancy_keep(struct ga_integrator *it);
void ga_redundancy_restore(struct ga_integrator *it);

/* Decide the rank at a start and which rows are kept, at q, v, which satisfy the constraints: sets
 * rank, singular, found, chosen, dropped rows and units of step.eq, and soft rows of the
 * saddle. */
ga_status ga_redundancy_start(struct ga_integrator *it, double t, const double *q, const double *v);

/* Compute at->vd, lam, psi from at->t, q, v, for steps of at->h. */
ga_status ga_redundancy_acceleration(struct ga_integrator *it, ga_memory *at);

/* Set the guess of the first step, predictor.phi[0], from the accepted state; `chosen` is freed. */
void ga_redundancy_guess(struct ga_integrator *it);

/* Constraint rows of one kind, which a solve disturbs, and their multipliers: n of them, which begin
 * at row `first` of all rows of G and H and at unknowns `rows` and `mult` of the step. */
typedef struct ga_channel {
  int first, rows, mult, n;
  const double *length; /* of each row in the metric of the mass; NULL if redundancy is off */
  const bool *dropped;  /* the row is left out of the steps; NULL: none is */
} ga_channel;
/* Is row i of the channel left out? */
static inline bool ga_channel_leaves_out(const ga_channel *c, int i) {
  return c->dropped && c->dropped[i];
}
/* The rows whose multipliers are reported, one entry for g and one for k if present; returns their
 * number. */
int ga_redundancy_channels(const struct ga_integrator *it, ga_channel out[2]);

/* Choose other rows at the accepted state, as many as before, unless the rank looks smaller there. */
ga_status ga_redundancy_choose_anew(struct ga_integrator *it);
/* Reproducible number in [-1, 1) for entry i of a probe. */
double ga_redundancy_random(unsigned i, unsigned probe);

/* A step begins: set `ahead` and `soften` of step.eq. */
void ga_redundancy_begin(struct ga_integrator *it);
/* Check a step that is solved and not yet accepted. GA_ERR_SINGULAR if a row that was left out is
 * violated: it contradicts the others. GA_RETRY_SINGULAR if the step ends so near to a singular
 * position that its multipliers mean nothing. */
ga_status ga_redundancy_check(struct ga_integrator *it);
/* The step is accepted: report the smallest multipliers (in it->mem), choose rows anew if `aged`;
 * then factors are dropped and the predictor forgets all but its guess. */
ga_status ga_redundancy_accept(struct ga_integrator *it);

#endif
