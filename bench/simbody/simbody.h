/* SPDX-License-Identifier: MIT */
/* The second peer, Simbody: joint coordinates in a tree, loops closed by constraints. simbody.cpp
 * has the mechanisms, simbody_none.c stands for it where Simbody is not installed.
 *
 * The integrator is RungeKuttaMersonIntegrator, explicit, of order 4, with Simbody's own step size
 * control, projection onto the constraints and interpolation: the one that Simbody's examples take.
 * Its one setting is the accuracy. */
#ifndef GA_BENCH_SIMBODY_H
#define GA_BENCH_SIMBODY_H

#ifdef __cplusplus
extern "C" {
#endif

/* NULL: not built in. */
const char *bench_simbody_version(void);

typedef struct bench_simbody bench_simbody;

/* "four-bar", "slider-crank", "stewart", "balls", "hinges" or "arm"; NULL for others, or after a
 * message. */
bench_simbody *bench_simbody_new(const char *mechanism);
void bench_simbody_free(bench_simbody *s);

/* Of the mass centres, in the order of the genalpha's bodies (mechanisms.c); x and a have three
 * numbers for each body. */
int bench_simbody_bodies(const bench_simbody *s);
/* Positions and accelerations at the start. Nonzero after a message. */
int bench_simbody_start(bench_simbody *s, double *x, double *a);
/* A run to t_end: x has the positions at t_end i/n for i = 1 .. n, *seconds the CPU time with the
 * integrator's making and start, without the making of the mechanism. Nonzero if it failed. */
int bench_simbody_run(bench_simbody *s, double accuracy, double t_end, int n, double *x,
                      double *seconds, long *steps);

#ifdef __cplusplus
}
#endif
#endif
