/* SPDX-License-Identifier: MIT */
/* Dense output and events: the solution between the steps, and where functions of it vanish.
 *
 *     static double height(void *context, const ga_state *s) {
 *       (void)context;
 *       return s->q[1];
 *     }
 *     ...
 *     ga_event ground = {.value = height, .direction = GA_EVENT_FALLING, .terminal = true};
 *     ga_integrator_add_event(it, &ground);
 *     while ((status = ga_integrator_run(it, t_end)) == GA_EVENT) {
 *       v[1] = -0.9 * ga_integrator_state(it)->v[1];
 *       ga_integrator_restart(it, NULL, v);
 *     }
 *
 * The state is that of the event; the run goes on with q as it is and another velocity. */
#ifndef GA_EVENTS_H
#define GA_EVENTS_H

#include <genalpha/ga_integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The solution at a time of the last step, state.t - state.h <= t <= state.t (after a start: at
 * that time only). Outputs may be NULL.
 *   q    q_n o exp(w(t)), w the cubic in the Lie algebra that has the values and velocities of both
 *        ends: error O(h^4) beside that of the ends
 *   v    the cubic with values v and slopes v' of both ends, vd its derivative
 *   lam, psi  linear between the ends: O(h^2), as they are themselves
 * All are continuous from step to step. Constraints hold to O(h^4) between the ends. */
GA_API ga_status ga_integrator_dense_output(ga_integrator *it, double t, double *q, double *v,
                                            double *vd, double *lam, double *psi);

/* A number that depends on the state; the event is where it changes its sign. state->a is NULL
 * between the steps. NaN ends the run with GA_ERR_MODEL. */
typedef double (*ga_event_value)(void *context, const ga_state *state);

/* Told of each event, in order of time: its number, the sign it goes to (+1 rising, -1 falling).
 * Nonzero ends the run there, as if the event were terminal. */
typedef int (*ga_event_handler)(void *context, int event, int sign, const ga_state *state);

typedef enum ga_direction {
  GA_EVENT_ANY = 0,
  GA_EVENT_RISING = 1,  /* from below 0 to 0 or above */
  GA_EVENT_FALLING = -1 /* from above 0 to 0 or below */
} ga_direction;

typedef struct ga_event {
  ga_event_value value;
  ga_event_handler handler; /* NULL: none */
  void *context;            /* of both */
  ga_direction direction;
  bool terminal; /* the run ends there with GA_EVENT */
  double tol;    /* time to which it is located on the dense output; 0: to rounding */
} ga_event;

/* Events are numbered 0, 1, .. as they are added, at any time between steps; copied. A
 * function that has the same sign at both ends of a step and goes through zero and back in between
 * is found, too, by its extremum on the dense output, as long as it has one there: with steps over
 * several oscillations of it h, or h_max, must be smaller.
 *
 * A run that ends at an event leaves the accepted state there: q and v of the dense output,
 * moved onto the constraints (by O(h^4)), v', lam and psi by the equations of motion, the history
 * as at a start. So the run may simply go on, or be restarted with other values, and order 2 is
 * kept. Events at the same time are all told before the run ends; later ones of that step are not.
 */
GA_API ga_status ga_integrator_add_event(ga_integrator *it, const ga_event *event);
GA_API void ga_integrator_clear_events(ga_integrator *it);

/* The terminal event (the first, if there were several) the last run ended at, -1 if none. */
GA_API int ga_integrator_event(const ga_integrator *it);

#ifdef __cplusplus
}
#endif
#endif
