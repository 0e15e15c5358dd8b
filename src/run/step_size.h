/* SPDX-License-Identifier: MIT */
/* Automatic step sizes: estimate of the local error, controller, first step. */
#ifndef GA_SRC_STEP_SIZE_H
#define GA_SRC_STEP_SIZE_H

#include "genalpha/ga_integrator.h"
#include "method/method.h"
#include "step/memory.h"

/* The error, relative to what is allowed, that the controller aims at: rejected steps are rare, and
 * smaller steps would cost more than they save. (0.5: three to five times as many rejections.) */
#define GA_STEP_AIM 0.3
/* Smaller errors count as this one. */
#define GA_STEP_LEAST 1e-4

/* Errors of q, of v and of forces. */
enum { GA_ERROR_Q, GA_ERROR_V, GA_ERROR_F, GA_ERRORS };

/* A full estimate, relative to what is allowed: the errors, and the norms before the filter that they
 * were found from; of forces, e of v over h, which they are proportional to. */
typedef struct ga_full_estimate {
  bool known;
  double raw[GA_ERRORS], err[GA_ERRORS];
} ga_full_estimate;

/* All members except work arrays influence later steps and are part of a saved state. */
typedef struct ga_step_size {
  bool on;
  double err_last; /* error estimate of the last accepted step / allowed error; 0: none */
  double t_vdd;
  double *vdd;               /* v'' at t_vdd, a first difference of v' */
  double *vd;                /* v' at the accepted state that differences are taken of */
  double *size_q, *size_v;   /* largest |q_i| (rotations: 1), |v_i| since the start; nv each */
  double *force;             /* nv: largest |M||v'| + |G|^T|lam| + |H|^T|psi| since the start */
  double acceleration;       /* largest |v'| since the start, in the metric W */
  double t_start;            /* the time of the start */
  long rough, rough_allowed; /* rough estimates since the last full one; how many may be */
  ga_full_estimate full;     /* the last full one, on which rough ones are based */
  double force_err, force_h; /* error of forces that was looked at last (0: none), h of its step */
  double *by_q, *by_v; /* nv: 1 over the error of q and v that a step may have, and 1 over that */
  double *by_f;        /* of forces, times the options' weights; of the last full estimate */
  long rough_most;     /* rough estimates allowed in a row; constant */
  double *rest_q, *rest_v;   /* initial size_q, size_v, at a start from rest */
  double *vdd_start;         /* v'' at a start that is not accepted yet */
  double *vdd_try;           /* work: v'' at a start, over a size that is tried */
  double *e, *e_v;           /* work: local errors of q and v */
  double *tol_q, *tol_v;     /* work: 1 over the tolerance of q and v, times the options' weights */
  double *once;              /* work: an error filtered once */
  double *df;                /* work: an error of forces */
  double *stiff_q, *stiff_v; /* work: what the second filter has taken from the errors */
  double *vdd_new;           /* work: v'' of the last step, or the derivative of v'' at a start */
  double *vd_new;            /* work: the same at the end of the last step */
  double *residual;          /* work: nlam, of the hidden constraint */
  double *now_q, *now_v;     /* work: sizes with those of the last step, of a full estimate */
  double *force_now;         /* work: forces with those of the last step */
  double *force_least;       /* work: forces that errors are relative to */
  double *bracket;           /* work: [v, v']; W^-1 G_n^T eta of a filter; forces of differences */
  double *noise; /* work: possible rounding error of each entry of v', see rounding_noise.c */
  double rings; /* of vibrations that h does not resolve, in the full estimate just made; 0: none */
  bool suspect; /* the step just estimated began with hardly any motion */
  double *filtered; /* right side and solution of the filter, as many as unknowns; */
  double *first;    /* the solution of the first one for velocities */
} ga_step_size;

/* Allocate all arrays; the caller checks arena.failed. The equations of the step must be set up. */
void ga_step_size_init(ga_integrator *it);

/* At a start with t, q, v, vd of *at: the first step size at->h, which is a guess before. Writes
 * work arrays, vdd_start, rest_q, rest_v and the step of eval, but no other member. */
ga_status ga_step_size_start(ga_integrator *it, ga_memory *at);
/* That start has been accepted: set vdd, t_vdd, err_last, size_q, size_v. */
void ga_step_size_begin(ga_integrator *it);
/* The first run from that start begins, with a known end: sizes of a motion from rest are those that
 * it has up to there. Collective. */
void ga_step_size_first_run(ga_integrator *it);
/* The motion goes on at the accepted state with another v', which changes by `change` over dt. */
void ga_step_size_restart(ga_integrator *it, const double *change, double dt);

/* 2 (1 - 6 beta - 3 alpha), alpha = alpha_m - alpha_f: the weight of v'' in the local error of q,
 * and in the residual of a hidden constraint that is left free. */
double ga_step_size_q_factor(const ga_params *par);

/* error_estimate.c: the weight of the derivative of v'' in the local error of v; how many rough
 * estimates may follow a full one. */
double ga_step_size_v_factor(const ga_params *par);
long ga_step_size_rough_most(double rtol);

/* error_weights.c: the norm of an error e of values of size x, relative to what a step may have; the
 * accepted state included in the sizes; sizes, and all weights, at the end of a step. */
double ga_step_size_norm(const ga_integrator *it, const double *e, const double *x,
                         const double *weight);
void ga_step_size_grow(ga_integrator *it);
void ga_error_weights_sizes(ga_integrator *it);
ga_status ga_error_weights_set(ga_integrator *it);

/* error_filter.c: remove from the error e of q (position) or v what constraints forbid and what is
 * stiff; step_size.filtered is the solution of the linear system. `forces`: the error df of forces
 * that goes with such a solution for velocities (NULL: none), and with the error e of v. `sum`: of
 * by[j] over the rows of the method that carry the error. */
ga_status ga_error_filter(ga_integrator *it, bool position, double *e);
ga_status ga_error_filter_forces(ga_integrator *it, const double *filtered, const double *e,
                                 double *df);
ga_status ga_error_filter_residual(ga_integrator *it, const double *gv, double *dv);
double ga_error_filter_sum(const ga_method *method, const double *by);
/* Vibrations are removed from accelerations, or an error e of v, and nothing that is normal to the
 * constraints; x: n numbers of work. */
ga_status ga_filter_vibrations(ga_integrator *it, double *x, double *e);

/* hidden_error.c: methods that leave the hidden constraint free. `begin`: vd_new at the end of the
 * step; `forces` adds the error of constraint forces to df, ringing or the rest; `velocity`: that of
 * v into dv; `noise`: of v', in the metric W. */
ga_status ga_hidden_error_begin(ga_integrator *it);
double ga_hidden_error_noise(ga_integrator *it);
void ga_hidden_error_forces(ga_integrator *it, bool ringing, double *df);
ga_status ga_hidden_error_velocity(ga_integrator *it, double *dv);

/* *err: error of the step from it->last to it->mem, divided by the error allowed. */
ga_status ga_step_size_error(ga_integrator *it, double *err);

/* Next size into it->h: after a step of size h with error err (wanted: the size planned at first,
 * h is less if a time was to be met; again: after others were taken back); after one that was taken
 * back; after one that failed to converge. */
void ga_step_size_accept(ga_integrator *it, double err, double h, double wanted, bool again);
void ga_step_size_reject(ga_integrator *it, double err, double h);
void ga_step_size_fail(ga_integrator *it, double h);

/* rounding_noise.c: a state that does not move. */
typedef struct ga_rest {
  double t;
  const double *q, *v, *vd;
} ga_rest;

typedef struct ga_rest_work {
  double *q, *v, *d;      /* nq, nv, nv: a state beside the one at rest, and the way there */
  double *vd, *lam, *psi; /* v', lam, psi of the state itself */
  double *later, *moved;  /* nv: v' of the state at a later time, and after it has moved */
  double *mass, *noise;   /* nv: diagonal of M; rounding of v' */
} ga_rest_work;

/* Allocate the work arrays; the caller checks arena.failed. */
void ga_rest_init(ga_integrator *it);

/* Estimate how large a rounding error of v' may be at (t, q, v), entry by entry, into noise (nv
 * numbers); zeros if it cannot be computed. Returns the largest. The caller sets saddle.guess, from
 * which the multipliers of an own reaction are iterated. */
double ga_rest_rounding(ga_integrator *it, double t, const double *q, const double *v,
                        double *noise);
/* `clean` sets to zero all of the n entries of x with |x_i| <= times noise_i. `calm`: is every
 * entry of v' within its noise? */
void ga_rest_clean(int n, const double *noise, double times, double *x);
bool ga_rest_calm(const ga_integrator *it, const double *noise, const double *vd);
/* May rounding count as an error of the step of size h just made? */
bool ga_rest_suspect(ga_integrator *it, double h);
/* Returns the time T in which forces on the resting state s develop; h is a guess of it. size_q and
 * size_v are raised to the size of the motion in that time. 0 if v' at t is not small compared with
 * v' later: then s is not at rest. noise: of v' at s. */
double ga_rest_sizes(ga_integrator *it, const ga_rest *s, const double *noise, double h,
                     double *size_q, double *size_v);

#endif
