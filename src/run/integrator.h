/* SPDX-License-Identifier: MIT */
/* The integrator's inside, shared by the files of src/run. */
#ifndef GA_SRC_INTEGRATOR_H
#define GA_SRC_INTEGRATOR_H

#include "genalpha/ga_events.h"
#include "kkt/saddle.h"
#include "run/predictor.h"
#include "run/redundancy.h"
#include "run/step_size.h"
#include "step/step.h"

/* Given step sizes h * fraction[0], h * fraction[1], .., repeated; until[i] is the sum of the first
 * i. t_n = t_base + (sum of the fractions since) h, so that rounding does not add up. */
typedef struct ga_sequence {
  int n;
  double *fraction, *until; /* n and n + 1 numbers */
  double t_base;
  long n_base; /* steps since t_base */
  long first;  /* the fraction that was next at t_base */
} ga_sequence;

/* The accepted state before the last step, and all that a step taken back must find again. */
typedef struct ga_backup {
  ga_memory mem;
  ga_stats stats;
  ga_experience experience;
  ga_redundancy redundancy; /* its `calm` and `reference` are given back */
  bool valid;               /* there is a last step, dense output spans it */
} ga_backup;

/* A state of its own, with arrays that may be written. */
typedef struct ga_dense_output {
  double *q, *v, *vd, *lam, *psi;
} ga_dense_output;

/* What is known of a user's event besides its definition. */
typedef struct ga_event_state {
  ga_event event;
  double value;  /* at the accepted state */
  double t_last; /* when it happened last, or the start */
  double t_found;
  int sign;   /* the sign of the value after t_found */
  bool found; /* it happened in the last step, at t_found, and was not told so far */
  bool back;  /* the sign changes back later in the same step, at t_back */
  double t_back;
} ga_event_state;

typedef struct ga_events {
  int n, room, stopped_by;
  ga_event_state *item;
  ga_dense_output at; /* work: the state at an event */
} ga_events;

struct ga_integrator {
  ga_arena arena;
  const ga_model *model;
  const ga_method *method;
  ga_options options;
  ga_error error;
  ga_stats stats;
  ga_eval eval;
  ga_saddle saddle;
  ga_step step;
  ga_redundancy redundancy;
  ga_predictor predictor;
  ga_values values; /* at the end of a step, where they are no unknowns of it */
  ga_memory mem;
  ga_state state; /* what the user sees of mem */
  bool started;
  long repivots_base; /* ls.repivots at the start */
  double h;           /* size of the next steps; automatic steps: of the next one */
  double t_memory;    /* when the memory was made; short steps have carried it on to mem.t */
  ga_sequence sequence;
  ga_step_size step_size;
  ga_backup last;
  ga_events events;
  double rho_inf;    /* of the parameters */
  double growth;     /* mem.growth after the step under way */
  double delta;      /* mem.delta after the step under way */
  double *q, *v, *a; /* work copies: a start or a corrected history, before it is accepted */
  double *vd, *w, *momentum, *lam, *psi;
  double *vdd, *r;     /* v'' and the vector r of the hidden residual h^2 G r */
  double *qs, *vs, *d; /* work of difference quotients and projections */
  double *hidden;      /* nlam */
  ga_observer observer;
  void *observer_context;
};

/* integrator.c: a size that steps may have: positive, finite, and h^2 is a number */
ga_status ga_check_step_size(double h, ga_error *err);

/* Factorizations of both linear solvers so far that chose pivots anew. `count` puts them into the
 * statistics; those of failed steps and of projections are included. */
long ga_integrator_repivots(const ga_integrator *it);
void ga_integrator_count_repivots(ga_integrator *it);

/* start.c: where and how a history begins. */
typedef struct ga_beginning {
  double t;
  const double *q, *v;
  const double *lam, *psi; /* guess of the multipliers */
  ga_start start;
  ga_initial initial;
  bool again; /* statistics go on */
} ga_beginning;

/* Start there. The accepted state changes only if all goes well. */
ga_status ga_start_at(ga_integrator *it, const ga_beginning *from);

/* Make the history for steps of size h at time t from it->q, it->v, it->vd: it->w, it->a and, where
 * the method needs it, a changed it->v. */
ga_status ga_start_memory(ga_integrator *it, ga_start start, double t, double h);

/* Solve the first step of an implicit start together with the a of its past, which is in it->a. */
ga_status ga_start_implicit_step(ga_integrator *it, const ga_past *past, double h, double t1);

/* v'' (and v''', unless it is NULL) at a state by central differences over 2h of the KKT solution
 * along the Taylor polynomial, and it->hidden = h^2 G r,
 * r = (2 (1 - 6 beta - 3 alpha) v'' + [v, v'])/12, for that it->vdd: the residual at which a method
 * that leaves the hidden constraint free settles */
ga_status ga_start_vdd(ga_integrator *it, double t, const double *q, const double *v,
                       const double *vd, double h, double *vdd, double *vddd);
ga_status ga_start_hidden_target(ga_integrator *it, double t, const double *q, const double *v,
                                 const double *vd, double h);

/* q and v, moved onto the constraints, and v', lam, psi of the equations of motion there; lam, psi
 * before: the guess of those of a nonlinear reaction. Neither the accepted state nor earlier calls
 * matter. */
ga_status ga_start_consistent(ga_integrator *it, double t, double *q, double *v, double *vd,
                              double *lam, double *psi);

/* projection.c: change q or v in place. The velocity is moved so that G v + g_t = target (NULL: 0),
 * and, with_k, k = 0 (else H dv = 0). moved: largest change. */
ga_status ga_project_position(ga_integrator *it, double t, double *q, const double *v,
                              double *moved);
ga_status ga_project_velocity(ga_integrator *it, double t, const double *q, double *v,
                              const double *target, bool with_k, double *moved);

/* the multipliers of the accepted state, as the guess of the next mass KKT solution */
void ga_start_guess(ga_integrator *it);

/* memory_change.c: the memory, or where it is corrected for a step of size h, work copies of the
 * integrator */
ga_status ga_memory_correct(ga_integrator *it, double h, ga_past *past);

/* plan.c: the next step on the way to t_end (INFINITY: none), of size h to t1. regular: it is
 * one of the sequence, not one made to meet t_end. */
typedef struct ga_plan {
  double h, t1;
  double whole; /* the size before it was cut to meet t_end */
  bool regular;
} ga_plan;
/* memory_change.c: is the planned step so short that it is carried, not solved? Then q, v and the
 * time of the memory move to t1. */
bool ga_memory_step_too_short(ga_integrator *it, const ga_plan *plan);
void ga_memory_extrapolate(ga_integrator *it, double t1);
/* The accepted state is at t1, which differs from its time by rounding alone. */
void ga_memory_set_time(ga_integrator *it, double t1);

/* times nearer to each other than this are the same but for rounding */
double ga_same_time(double t, double t1);
ga_status ga_plan_init(ga_integrator *it);
ga_status ga_plan_next(ga_integrator *it, double t_end, ga_plan *plan);
/* The planned step is done. meets_end: its time is t_end, not what the sequence says. */
void ga_plan_advance(ga_integrator *it, const ga_plan *plan, bool meets_end);
/* Count t_n from here on. keep_phase: with the fraction that is next, else with the first one. */
void ga_plan_rebase(ga_integrator *it, bool keep_phase);

/* loop.c: solve a step of size h to t1 with this past; tell the observer */
ga_status ga_loop_solve(ga_integrator *it, const ga_past *past, double h, double t1);
ga_status ga_loop_observe(ga_integrator *it);

/* dense_output.c: the state at a time inside the last step; NULL for what is not wanted */
void ga_dense_output_state(const ga_integrator *it, double t, const ga_dense_output *out);

/* events.c: values at a start; what happened in the last step. An event that ends the run leaves
 * the accepted state there and returns GA_EVENT. */
ga_status ga_events_begin(ga_integrator *it);
ga_status ga_events_handle(ga_integrator *it);

#endif
