/* SPDX-License-Identifier: MIT */
/* Extrapolation over the step size: order 2 + K, and how large the errors are.
 *
 * With steps of one size and a smooth start the error of every variable is a series in the powers
 * of h, x(h) = x + c2 h^2 + c3 h^3 + ... Runs with h = h_0 > h_1 > ... > h_K determine its first K
 * terms; with h_j = h/2^j
 *
 *     T_{j,0} = x(h_j),   T_{j,k} = T_{j,k-1} + (T_{j,k-1} - T_{j-1,k-1})/(2^(k+1) - 1)
 *
 * and other divisors for other sequences. T_{K,K} has order 2 + K. Configurations are combined
 * along the group, q_b o exp(log(q_a^-1 q_b)/f). One more run, with 2h, tells how T_{K,K} itself
 * depends on h, and hence its error.
 *
 *     ga_extrapolator *x = NULL;
 *     if (ga_extrapolator_new(&model, &options, 2, &x, &err) == GA_OK &&
 *         ga_extrapolator_start(x, 0.0, q0, v0) == GA_OK &&
 *         ga_extrapolator_run(x, 1.0) == GA_OK) {
 *       const ga_extrapolated *end = ga_extrapolator_state(x);
 *       printf("q = %g, error about %g\n", end->state.q[0], end->error.q);
 *     }
 *     ga_extrapolator_free(x);
 *
 * The runs are independent and go side by side, in threads; the result does not depend on how many.
 * Model callbacks are called from several threads at once, observers and log from the caller's. */
#ifndef GA_EXTRAPOLATE_H
#define GA_EXTRAPOLATE_H

#include <genalpha/ga_integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GA_EXTRAPOLATE_MAX = 3 }; /* largest K */

/* The steps of the runs.
 *   halved    h, h/2, h/4, h/8: the default
 *   harmonic  h, h/2, h/3, h/4: the same orders with fewer steps, 6 for 7 (K = 2) or 10 for 15
 *             (K = 3), and somewhat larger errors from the same h */
typedef enum ga_extrapolate_steps { GA_STEPS_HALVED, GA_STEPS_HARMONIC } ga_extrapolate_steps;

/* What v', lam, psi of the extrapolated state are.
 *   extrapolated  as q and v: the default
 *   consistent    q and v are put back onto the constraints, the nearest place in the M-norm, and
 *                 v', lam, psi are those of the equations of motion there. They are then as good as
 *                 q and v, where the errors of the methods themselves in lam can be larger by
 *                 orders of magnitude. It costs some ten factorizations of the mass KKT matrix, two
 *                 times that where there is an estimate: at each step h with an observer, else at
 *                 the end. */
typedef enum ga_extrapolate_multipliers {
  GA_MULTIPLIERS_EXTRAPOLATED,
  GA_MULTIPLIERS_CONSISTENT
} ga_extrapolate_multipliers;

/* One number for each variable, the largest over its components; q as by ga_space_distance. */
typedef struct ga_errors {
  double q, v, vd, lam, psi; /* of the parts of a state, as ga_state has them */
} ga_errors;

/* The extrapolated state and what is known about it. */
typedef struct ga_extrapolated {
  ga_state state;   /* h is options.h; a, which belongs to one step size, is NULL */
  long steps;       /* of size h since the start */
  ga_errors error;  /* of state, estimated: NaN after an odd number of steps, where the run with 2h
                       is not, and if that run has failed. Rounding is not in it. */
  ga_errors finest; /* of the run with h_K alone, estimated by its distance from state */
} ga_extrapolated;

/* Called after the start and after each step of size h, in order; nonzero stops the run with
 * GA_STOPPED. */
typedef int (*ga_extrapolator_observer)(void *context, const ga_extrapolated *now);

typedef struct ga_extrapolator ga_extrapolator;

/* K = 1, 2, 3; options.h is the largest step. What ga_integrator_new says of model, options and err
 * holds here too. start = plain is no smooth start, it costs the orders until its transient has
 * died out: it is warned of through options.log. */
GA_API ga_status ga_extrapolator_new(const ga_model *model, const ga_options *options, int K,
                                     ga_extrapolator **out, ga_error *err);
GA_API void ga_extrapolator_free(ga_extrapolator *x);

/* How many threads, the caller's included; 0, the default: one for each processor. */
GA_API void ga_extrapolator_set_threads(ga_extrapolator *x, int threads);

/* Settings of the next start. */
GA_API void ga_extrapolator_set_steps(ga_extrapolator *x, ga_extrapolate_steps steps);
GA_API void ga_extrapolator_set_multipliers(ga_extrapolator *x,
                                            ga_extrapolate_multipliers multipliers);

/* Begin, or begin anew. */
GA_API ga_status ga_extrapolator_start(ga_extrapolator *x, double t0, const double *q0,
                                       const double *v0);

/* On to t_end, a whole number of steps h away. After GA_STOPPED it may be called again; a failure,
 * told with the step size of the run that failed, is final until the next start, and the last state
 * stays. A run with 2h that fails is warned of and costs the estimates only; it is spared on the
 * way to an odd number of steps without an observer. Where consistent multipliers are wanted and
 * cannot be had, as the constraints depend on each other or no configuration near satisfies them,
 * that is a failure, too. */
GA_API ga_status ga_extrapolator_run(ga_extrapolator *x, double t_end);

GA_API void ga_extrapolator_observe(ga_extrapolator *x, ga_extrapolator_observer observer,
                                    void *context);

/* Never NULL; the arrays change with the next step. stats: sums and extremes over all runs. */
GA_API const ga_extrapolated *ga_extrapolator_state(const ga_extrapolator *x);
GA_API const ga_stats *ga_extrapolator_stats(const ga_extrapolator *x);
GA_API const ga_error *ga_extrapolator_error(const ga_extrapolator *x);

#ifdef __cplusplus
}
#endif
#endif
