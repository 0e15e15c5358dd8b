/* SPDX-License-Identifier: MIT */
/* The members of an integrator and the functions that the files of src/run offer each other. */
#ifndef GA_SRC_INTEGRATOR_H
#define GA_SRC_INTEGRATOR_H

#include "genalpha/ga_events.h"
#include "kkt/projection.h"
#include "run/contact.h"
#include "run/corners.h"
#include "run/passages.h"
#include "run/predictor.h"
#include "run/presence.h"
#include "run/redundancy.h"
#include "run/restart.h"
#include "run/step_size.h"
#include "step/step.h"

/* Given step sizes: h * fraction[0], h * fraction[1], .., h * fraction[n - 1], h * fraction[0], ..
 * Times are computed from t_base, t_n = t_base + h * (sum of the fractions since t_base), so that
 * rounding errors of t do not add up. */
typedef struct ga_sequence {
  int n;
  double *fraction; /* n numbers */
  double *until;    /* n + 1 numbers: until[i] = fraction[0] + .. + fraction[i - 1] */
  double t_base;    /* time that t_n is computed from */
  long n_base;      /* steps made since t_base */
  long first;       /* index of the fraction that was next at t_base */
  double t_rest;    /* end of a step that was cut, or made in pieces; -INFINITY: none was */
} ga_sequence;

/* The accepted state before the last step, and everything that is restored when that step is taken
 * back. */
typedef struct ga_backup {
  ga_memory mem;
  ga_stats stats;
  ga_experience experience;
  ga_redundancy redundancy; /* of it, `calm` and `reference` are restored */
  bool valid;               /* `mem` is the beginning of the last step; dense output uses it */
  bool extrapolated;        /* the last step was too short to be solved: v' was not updated */
} ga_backup;

/* Arrays that dense output writes to; NULL for values that are not wanted. */
typedef struct ga_dense_output {
  double *q, *v, *vd, *lam, *psi;
} ga_dense_output;

/* An event of the user and its state. */
typedef struct ga_event_state {
  ga_event event;
  double value;   /* of event.value at the accepted state */
  double t_last;  /* time at which it happened last; before that, time of the start */
  bool found;     /* it happened in the last step and has not been reported yet */
  double t_found; /* time of that */
  int sign;       /* sign of the value after t_found */
  bool back;      /* the sign changes back later in the same step */
  double t_back;  /* time of that */
} ga_event_state;

typedef struct ga_events {
  int n, room;    /* events, and how many `item` has memory for */
  int stopped_by; /* index of the event that ended the run, -1: none */
  ga_event_state *item;
  ga_dense_output at; /* work: the state at an event */
} ga_events;

/* Work arrays. Each file of src/run has its own, which no other file reads or writes; its `init`
 * takes them from the arena. */

typedef struct ga_start_work { /* start.c */
  ga_memory next;              /* a start before it is accepted */
  double *q, *v;               /* nq, nv: a point of a difference quotient */
  double *d;                   /* nv: the way there, then the acceleration there */
  double *wd;                  /* nv: w', the derivative of the second variable of the method */
  double *r;                   /* nv: vector of the hidden residual h^2 G r */
  double *a, *a_better;        /* nv: a_0 of an implicit start, and the next one */
  double *g, *k;               /* nlam, npsi: residuals of constraints */
  double *weight;              /* of the predictor at this start, if it has any */
  double *own;                 /* nlam: G v + g_t of the accepted velocity */
} ga_start_work;

typedef struct ga_memory_change { /* memory_change.c */
  ga_memory next;                 /* the memory corrected for a new h, or built anew */
  double *q, *v, *d;              /* nq, nv, nv: a Taylor step */
  double *vd, *change, *noise;    /* nv: an acceleration, its change, the rounding of it */
  double *hidden;                 /* nlam: residual of the hidden constraint G v + g_t */
} ga_memory_change;

typedef struct ga_loop_work { /* loop.c */
  ga_values values;      /* v', lam, psi at the end of a step, if they are not unknowns of it */
  double *mass_solution; /* nv: asked for only to see whether M is singular */
} ga_loop_work;

typedef struct ga_far_roots { /* far_roots.c */
  bool refused;            /* the last step that was solved has another solution than two halves */
  ga_memory begin, before; /* the memory at the beginning of the step, and before its second half */
  double *q;               /* nq: the end of two halves */
  double *d, *size;        /* nv: a way between two positions; sizes of coordinates */
  double *x, *last;        /* n: the solution of the step, that of its first half */
} ga_far_roots;

typedef struct ga_project_work { /* project.c */
  double *vdd;                   /* nv: v'' */
  double *target;                /* nlam: residual that the velocities are projected to */
} ga_project_work;

typedef struct ga_dense_work { /* dense_output.c */
  double *w, *bracket, *twice; /* nv: increment of the position, [w, v], [w, [w, v]] */
} ga_dense_work;

struct ga_integrator {
  ga_arena arena;        /* what stays */
  ga_arena system;       /* what is made anew if other contacts are present: sizes, patterns */
  const ga_model *model; /* that of the user, or presence.rows.model */
  const ga_method *method;
  ga_options options;
  ga_error error;
  ga_stats stats;
  ga_eval eval;
  ga_saddle saddle;
  ga_projector projector;
  ga_step step;
  ga_redundancy redundancy;
  ga_passages passages;
  ga_corners corners;
  ga_contacts contacts;
  ga_presence presence;
  ga_predictor predictor;
  ga_memory mem;      /* the accepted state */
  ga_state state;     /* pointers into mem, for the user */
  double *inputs;     /* values of the inputs at state.t, for the user */
  double next_sample; /* when the model sets inputs of its own again; INFINITY: never */
  double *sampled;    /* work of samples.c, one number for each input */
  bool input_changed; /* an input was set, and the next step needs a restart */
  bool started;
  long repivots_base; /* ga_integrator_repivots at the start; statistics count from there */
  double h;           /* size of the next steps; with automatic steps, of the next one */
  double t_memory;    /* time of the last solved step; short steps after it moved mem.t only */
  ga_sequence sequence;
  ga_step_size step_size;
  ga_backup last;
  ga_restart restart;
  ga_events events;
  double rho_inf;   /* spectral radius at infinity of the parameters */
  double loose_tol; /* in place of newton_tol, where no force is stiff */
  double growth;    /* value of mem.growth if the current step is accepted */
  double delta;     /* value of mem.delta if the current step is accepted */
  ga_start_work start_work;
  ga_memory_change memory_change;
  ga_loop_work loop_work;
  ga_far_roots far_roots;
  ga_project_work project_work;
  ga_dense_work dense_work;
  ga_rest_work rest_work;
  ga_observer observer;
  void *observer_context;
};

/* integrator.c: everything whose sizes or patterns follow the rows of it->model: evaluation, mass KKT
 * system, step, contacts, predictor; `close` frees it. */
ga_status ga_integrator_make_system(ga_integrator *it);
void ga_integrator_close_system(ga_integrator *it);

/* integrator.c: GA_ERR_STEP unless h is positive, finite, and h^2 does not underflow. */
ga_status ga_check_step_size(double h, ga_error *err);

/* Number of factorizations with new pivots, of both linear solvers, those of failed steps and of
 * projections included. `count` puts the number since the start into the statistics. */
long ga_integrator_repivots(const ga_integrator *it);
/* From the next start on, steps are as these options say: h, h_max, rtol, atol, Newton's tolerance, what a
 * start checks. All others are those that the integrator was made with. It has no contacts and no team. */
void ga_integrator_control_steps(ga_integrator *it, const ga_options *o);
void ga_integrator_count_repivots(ga_integrator *it);

/* start.c: where and how a run, or its continuation after an event, begins. */
typedef struct ga_beginning {
  double t;
  const double *q, *v;
  const double *lam, *psi; /* guess of the multipliers */
  ga_start start;
  ga_initial initial;
  bool again; /* a continuation: statistics are kept */
  bool own;   /* q and v are the accepted ones: they are not projected, see ga_state_check.free */
} ga_beginning;

/* Constraints to be checked at (t, q, v). */
typedef struct ga_state_check {
  double t;
  const double *q, *v;
  bool best;           /* q and v are the best there are, for the message */
  bool free;           /* leave out the rows that the method does not solve for: its own states
                        * violate them */
  bool evaluated;      /* saddle.G and H are those of this point */
  const double *own_v; /* unless NULL: a velocity of the integrator at this q. If the method leaves
                        * G v + g_t free, v may violate it by twice as much */
  double *hidden;      /* unless NULL: nlam numbers, set to G v + g_t */
} ga_state_check;

/* GA_ERR_INITIAL, with a message that names the row, if a constraint is violated. Collective. */
ga_status ga_start_check(ga_integrator *it, const ga_state_check *check);

/* Allocate the work arrays; the caller checks arena.failed. */
void ga_start_init(ga_integrator *it);

/* Start there. If this fails, the accepted state does not change. */
ga_status ga_start_at(ga_integrator *it, const ga_beginning *from);

/* Compute the memory of the method, mem->w, mem->a and, if start is GA_START_PERTURBED, a changed
 * mem->v, from mem->q, v, vd at the time mem->t for steps of size mem->h. *mem is not the accepted
 * state; `start` is not GA_START_BEST. */
ga_status ga_start_memory(ga_integrator *it, ga_start start, ga_memory *mem);

/* wd = the derivative of w of *mem, a difference quotient over a short way ahead with the acceleration
 * vd. The factors of the saddle are overwritten. */
ga_status ga_start_difference_ahead(ga_integrator *it, const ga_memory *mem, const double *vd,
                                    double *wd);

/* restart.c: `here` continues at the accepted q with the accepted v or another one. *done = false:
 * with automatic sizes, after a jump, it changes nothing and a start is needed. */
void ga_restart_init(ga_integrator *it);
ga_status ga_restart_here(ga_integrator *it, const double *v, bool sound, bool *done);
/* ga_integrator_restart; inputs: nothing has changed but inputs. */
ga_status ga_integrator_restart_after(ga_integrator *it, const double *q, const double *v,
                                      bool inputs);
/* Something jumps at the accepted time: build the memory anew for steps of h, with automatic sizes,
 * too. */
ga_status ga_restart_at_corner(ga_integrator *it, double h);
/* After it, for a step of h: damp the vibrations in a that this h does not resolve. */
ga_status ga_restart_damp(ga_integrator *it, double h);
/* The same without a change of v, where nothing but forces has jumped; old_vd: v' before it. */
ga_status ga_restart_damp_corner(ga_integrator *it, double h, const double *old_vd);
/* After a start beside a corner, or one from which the first step, of h, has no solution: the memory and
 * the guess of this step without the vibrations that h does not resolve. damped: there were some. */
ga_status ga_restart_damp_start(ga_integrator *it, double h, bool *damped);
/* Does the memory of a start bring energy into a step of h, 1e-3 of that of the motion or more, or ask for
 * a state that the model refuses? So it does where vibrations are damped much more than critically: v'' contains
 * their decay, and the first step has a solution, far away. */
ga_status ga_restart_start_gains(ga_integrator *it, double h, bool *gains);
/* The first step after a start has failed with a status > 0: try it again after ga_restart_damp_start, if
 * there are such vibrations; not after a plain start. Returns the status of the step. */
ga_status ga_restart_damped(ga_integrator *it, double h, double t1, ga_status failed);
ga_status ga_restart_resize(ga_integrator *it, double h);
ga_status ga_restart_filter(ga_integrator *it, double size, double *x);
ga_status ga_restart_filter_velocity(ga_integrator *it, double *v, bool *changed);

/* Solve the first step of an implicit start together with its a_n. */
ga_status ga_start_implicit_step(ga_integrator *it, const ga_past *past, double h, double t1);

/* ga_start_vdd: v'' and, unless vddd is NULL, v''' at a state. They are central differences of v'
 * at the times t - h and t + h, along the Taylor polynomial of the motion.
 * ga_start_hidden_target: target = h^2 G r, r = (2 (1 - 6 beta - 3 alpha) v'' + [v, v'])/12. A
 * method that leaves the hidden constraint free tends to this residual. */
ga_status ga_start_vdd(ga_integrator *it, double t, const double *q, const double *v,
                       const double *vd, double h, double *vdd, double *vddd);
ga_status ga_start_hidden_target(ga_integrator *it, double t, const double *q, const double *v,
                                 const double *vd, const double *vdd, double h, double *target);

/* Project q and v onto the constraints and compute v', lam, psi from the equations of motion there.
 * On entry lam, psi are the guess for a reaction that is nonlinear in them. The result does
 * not depend on the accepted state, and on earlier calls only by pivots, unless the caller forgets them
 * (ga_linsol_reset). */
ga_status ga_start_consistent(ga_integrator *it, double t, double *q, double *v, double *vd,
                              double *lam, double *psi);

/* weight: those of the predictor at the point of saddle.G and saddle.H, a number for each unknown:
 * sqrt(w) for accelerations, for multipliers the lengths in W^-1 of their rows. */
void ga_start_weigh(const ga_integrator *it, double *weight);

/* Take the multipliers of the accepted state as the guess for the next mass KKT solution. */
void ga_start_guess(ga_integrator *it);

/* far_roots.c: is the solution of the step of h to t1, just solved, one of the motion?
 * GA_RETRY_NEWTON if not. */
void ga_far_roots_init(ga_integrator *it);
ga_status ga_far_roots_check(ga_integrator *it, double h, double t1);

/* project.c: projections of the accepted state, as calls of the user and after steps. */
void ga_project_init(ga_integrator *it);
/* Project q and v of the accepted state if option project_every says so for this step. */
ga_status ga_project_if_due(ga_integrator *it);

/* memory_change.c: the old values for a step of size h. `past` points to the memory or, if that
 * must be corrected for h, to a corrected copy that the next call overwrites. */
void ga_memory_change_init(ga_integrator *it);
ga_status ga_memory_correct(ga_integrator *it, double h, ga_past *past);

/* plan.c: the next step, of size h to t1. */
typedef struct ga_plan {
  double h, t1;
  double whole; /* its size before it was reduced to meet t_end */
  bool regular; /* it is a step of the sequence, not one reduced to meet t_end */
  double rest;  /* it was cut, or is a piece of a longer way: where that ends; -INFINITY: not so */
} ga_plan;
/* memory_change.c: Is the planned step too short to be solved? Then `extrapolate` moves q, v and
 * the time of the memory to t1 instead. */
bool ga_memory_step_too_short(ga_integrator *it, const ga_plan *plan);
void ga_memory_extrapolate(ga_integrator *it, double t1);
/* Set the time of the accepted state to t1, which differs from it by rounding only. */
void ga_memory_set_time(ga_integrator *it, double t1);

/* inputs.c: `allocate` the array of the user's state. `begin` sets the values at the start of a run.
 * `apply` restarts if an input has jumped; to be called before a step. `stop` is the time where the
 * next step must end at the latest, t_end or a jump. `show` renews the values of the user's state. */
/* samples.c: the inputs that the model sets itself, at a start, and where they are due */
ga_status ga_samples_begin(ga_integrator *it, double t, const double *q, const double *v);
ga_status ga_samples_take(ga_integrator *it);
void ga_integrator_inputs_init(ga_integrator *it);
ga_status ga_integrator_inputs_begin(ga_integrator *it, const ga_beginning *from);
ga_status ga_integrator_inputs_apply(ga_integrator *it);
double ga_integrator_inputs_stop(const ga_integrator *it, double t_end);
void ga_integrator_inputs_show(ga_integrator *it);

/* plan.c: times that differ by less than this are equal up to rounding. */
double ga_same_time(double t, double t1);
ga_status ga_plan_init(ga_integrator *it);
/* The next step towards t_end; INFINITY: no end has to be met. */
ga_status ga_plan_next(ga_integrator *it, double t_end, ga_plan *plan);
/* The planned step has been made. meets_end: it ended at t_end. */
void ga_plan_advance(ga_integrator *it, const ga_plan *plan, bool meets_end);
/* Compute times from the current one on. keep_phase: go on with the next fraction, otherwise with
 * the first one. */
void ga_plan_rebase(ga_integrator *it, bool keep_phase);

/* loop.c: allocate the work arrays; solve a step of size h to t1 with this past; call the observer. */
void ga_loop_init(ga_integrator *it);
ga_status ga_loop_solve(ga_integrator *it, const ga_past *past, double h, double t1);
ga_status ga_loop_observe(ga_integrator *it);
/* Try a step of h to t1; a status > 0: a smaller one may succeed. */
ga_status ga_loop_attempt(ga_integrator *it, double h, double t1);
/* Take the step back that was tried last with success. */
void ga_loop_undo(ga_integrator *it);

/* Compute v' and, unless they are unknowns of the step, lam and psi at the accepted q and v, which
 * were projected. */
ga_status ga_loop_report_again(ga_integrator *it);

/* dense_output.c: the state at a time inside the last step. */
void ga_dense_output_init(ga_integrator *it);
void ga_dense_output_state(const ga_integrator *it, double t, const ga_dense_output *out);

/* events.c: `init` allocates the work arrays. `begin` evaluates all events at a start. `handle`
 * finds and reports those of the last step. If one of them ends the run, it becomes the accepted
 * state and the result is GA_EVENT. */
void ga_events_init(ga_integrator *it);
ga_status ga_events_begin(ga_integrator *it);
ga_status ga_events_handle(ga_integrator *it);
/* A value at a time t inside the last step; where it changes its sign between lo and hi, up to tol. */
typedef ga_status (*ga_value_at)(void *context, double t, double *value);
ga_status ga_events_locate(ga_value_at value, void *context, double tol, double lo, double e_lo,
                           double hi, double e_hi, double *found);

#endif
