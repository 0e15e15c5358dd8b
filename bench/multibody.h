/* SPDX-License-Identifier: MIT */
/* What mechanisms.c asks of a peer for mechanisms: simbody/simbody.cpp and mujoco/mujoco.c, or
 * simbody/simbody_none.c and mujoco/mujoco_none.c where the peer is not installed. Both have joint
 * coordinates in a tree. */
#ifndef GA_BENCH_MULTIBODY_H
#define GA_BENCH_MULTIBODY_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_multibody {
  const char *name;
  const char *(*version)(void); /* NULL: not built in; then there are no other functions */

  /* Makes a mechanism ("hinges"); NULL if the peer does not have it, or after a message. */
  void *(*make)(const char *mechanism);
  void (*discard)(void *mechanism); /* NULL is allowed */
  int (*bodies)(const void *mechanism);

  /* Of the mass centres, in the order of genalpha's bodies (mechanisms.c); x and a have three numbers
   * for each body. Positions and accelerations at the start. Nonzero after a message. */
  int (*start)(void *mechanism, double *x, double *a);
  /* A run to t_end: x has the positions at t_end i/n for i = 1 .. n, *seconds the CPU time with the
   * integrator's making and start, without the making of the mechanism. Nonzero if it failed. */
  int (*run)(void *mechanism, double setting, double t_end, int n, double *x, double *seconds);

  /* The ladder of its one setting: first, first factor, first factor^2, .. */
  double first, factor;
  int points;
} bench_multibody;

/* Simbody: RungeKuttaMersonIntegrator, explicit, of order 4, with Simbody's own step size control,
 * projection onto the constraints and interpolation: the one that Simbody's examples take. The
 * setting is its accuracy. */
extern const bench_multibody bench_simbody;

/* MuJoCo: RK4, explicit, of order 4, with equal steps. The setting is the number of steps from one of
 * the n times to the next, to be rounded. Chains of hinges alone. */
extern const bench_multibody bench_mujoco;

#ifdef __cplusplus
}
#endif
#endif
