/* SPDX-License-Identifier: MIT */
/* Projections onto the constraints, by solves with the mass KKT matrix. */
#ifndef GA_SRC_PROJECTION_H
#define GA_SRC_PROJECTION_H

#include "kkt/saddle.h"

/* The system that projections solve, and their work arrays. */
typedef struct ga_projector {
  ga_saddle *saddle; /* borrowed; its matrices, right-hand side and factors are overwritten */
  double *q, *v;     /* nq, nv: the projected position, the projected velocity */
  double *d, *d_on;  /* nv: way to the projected position; way to the first point with g = 0 */
  double *size;      /* nv: sizes of coordinates */
  double *g;         /* nlam: residuals of positions */
  double *T;         /* tangent of exp at d */
  bool
      near_enough; /* any point with g = 0 nearby serves, its distance is second-order in d from the
                        least one */
} ga_projector;

/* Allocate the work arrays; arena->failed if there is no memory. */
void ga_projector_init(ga_projector *p, ga_saddle *saddle, ga_arena *arena);

/* Project q or v in place; unchanged on failure. The velocity then satisfies G v + g_t = target
 * (NULL: 0); with_k: and k = 0, otherwise H dv = 0. moved (may be NULL): largest change of an
 * entry. Messages go to the ga_error of the saddle's evaluation. Collective. */
ga_status ga_project_position(ga_projector *p, double t, double *q, const double *v, double *moved);
ga_status ga_project_velocity(ga_projector *p, double t, const double *q, double *v,
                              const double *target, bool with_k, double *moved);

#endif
