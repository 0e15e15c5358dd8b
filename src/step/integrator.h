/* SPDX-License-Identifier: MIT */
/* The integrator's inside, shared by the files of src/step. */
#ifndef GA_SRC_INTEGRATOR_H
#define GA_SRC_INTEGRATOR_H

#include "step/saddle.h"
#include "step/step.h"

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
  ga_memory mem;
  ga_state state; /* what the user sees of mem */
  bool started;
  long repivots_base; /* ls.repivots at the start */
  double h;           /* size of the next steps */
  double t_base;      /* t_n = t_base + n_base h, so that rounding does not add up */
  long n_base;
  double delta;      /* mem.delta after the step under way */
  double *q, *v, *a; /* work copies: a start or a corrected history, before it is accepted */
  double *vd, *w, *momentum, *lam, *psi;
  double *vdd, *r;     /* v'' and the vector r of the hidden residual h^2 G r */
  double *qs, *vs, *d; /* work of difference quotients and projections */
  double *hidden;      /* nlam */
  ga_observer observer;
  void *observer_context;
};

/* full factorizations of both linear solvers so far */
long ga_integrator_repivots(const ga_integrator *it);

/* initial.c: history at (t0, q0, v0) by the option start; accepted only if all went well */
ga_status ga_initial_start(ga_integrator *it, double t0, const double *q0, const double *v0);

/* it->w, it->a, and it->v where the method needs it, from it->q, it->v, it->vd at time t, for steps
 * of h */
ga_status ga_initial_history(ga_integrator *it, ga_start start, double t, double h);

/* the first step of an implicit start, solved together with it->a */
ga_status ga_initial_implicit(ga_integrator *it, double h, double t1);

/* v'' at a state by the central difference over 2h of the KKT solution along the Taylor polynomial,
 * and it->hidden = h^2 G r, r = (2 (1 - 6 beta - 3 alpha) v'' + [v, v'])/12, for that it->vdd: the
 * residual at which a method that leaves the hidden constraint free settles */
ga_status ga_initial_vdd(ga_integrator *it, double t, const double *q, const double *v,
                         const double *vd, double h, double *vdd);
ga_status ga_hidden_target(ga_integrator *it, double t, const double *q, const double *v,
                           const double *vd, double h);

/* project.c: change q or v in place. The velocity is moved so that G v + g_t = target (NULL: 0),
 * and, with_k, k = 0 (else H dv = 0). moved: largest change. */
ga_status ga_project_position(ga_integrator *it, double t, double *q, const double *v,
                              double *moved);
ga_status ga_project_velocity(ga_integrator *it, double t, const double *q, double *v,
                              const double *target, bool with_k, double *moved);

/* the multipliers of the accepted state, as the guess of the next mass KKT solution */
void ga_initial_guess(ga_integrator *it);

/* history.c: the memory corrected for a step of size h, in work copies of the integrator */
ga_status ga_history_correct(ga_integrator *it, double h, ga_history *past);

#endif
