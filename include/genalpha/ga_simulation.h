/* SPDX-License-Identifier: MIT */
/* A mechanism that a program steps: inputs are set, steps are made, columns are read by name.
 *
 *     ga_simulation *sim;
 *     ga_options o = ga_options_default();
 *     double angle;
 *     o.h = 1e-3;
 *     if (ga_simulation_new(m, &o, &sim, &err) != GA_OK) puts(err.text);
 *     for (int i = 0; i < 1000; i++) {
 *       ga_simulation_get(sim, "pin.angle", &angle);
 *       ga_simulation_set(sim, "torque", -5 * angle);
 *       ga_simulation_step(sim, 1);
 *     }
 *     ga_simulation_free(sim);
 *
 * A simulation owns an integrator and borrows the mechanism, which any number of them may share; it
 * belongs to one thread at a time. Nothing is allocated after the first step. Failures return a
 * status, and ga_simulation_error has the sentence; the last accepted state is then intact. */
#ifndef GA_SIMULATION_H
#define GA_SIMULATION_H

#include <genalpha/ga_integrator.h>
#include <genalpha/ga_mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ga_simulation ga_simulation;

/* A simulation at the start values of the mechanism, t = 0. options NULL: the defaults. On failure
 * *out is NULL and err tells why. */
GA_API ga_status ga_simulation_new(const ga_mechanism *m, const ga_options *options,
                                   ga_simulation **out, ga_error *err);
GA_API void ga_simulation_free(ga_simulation *sim);

/* Begin anew at (t, q, v), which `reset` returns to, with the inputs of the mechanism's description.
 * After either, everything goes on bit by bit as after the first one. */
GA_API ga_status ga_simulation_start(ga_simulation *sim, double t, const double *q,
                                     const double *v);
GA_API ga_status ga_simulation_reset(ga_simulation *sim);

/* Set an input by its name. A value that changes restarts the motion at the next step, at the cost
 * of one to two steps, and keeps order 2; the same value again costs nothing. Everything else of a
 * mechanism is fixed when it is built. */
GA_API ga_status ga_simulation_set(ga_simulation *sim, const char *input, double value);

/* n accepted steps; steps until t is met exactly. GA_EVENT: a terminal event of the integrator
 * ended it (ga_events.h). */
GA_API ga_status ga_simulation_step(ga_simulation *sim, long n);
GA_API ga_status ga_simulation_run_to(ga_simulation *sim, double t);

/* The value of a column by its name, or by its number (ga_mechanism_column_index), at the present
 * state. After `set`, accelerations and forces are those with the new inputs. */
GA_API ga_status ga_simulation_get(ga_simulation *sim, const char *column, double *value);
GA_API ga_status ga_simulation_column(ga_simulation *sim, int column, double *value);

/* The message of the last call that failed. The integrator, for everything else: state, statistics,
 * events, ga_integrator_save_memory and ga_integrator_load_memory. */
GA_API const ga_error *ga_simulation_error(const ga_simulation *sim);
GA_API ga_integrator *ga_simulation_integrator(ga_simulation *sim);

#ifdef __cplusplus
}
#endif
#endif
