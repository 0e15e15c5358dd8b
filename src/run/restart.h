/* SPDX-License-Identifier: MIT */
/* Private: the work arrays of a restart (restart.c). */
#ifndef GA_SRC_RESTART_H
#define GA_SRC_RESTART_H

#include "step/memory.h"

typedef struct ga_restart {
  ga_memory next; /* the state and memory after the jump, before they are accepted */
  ga_memory rate; /* of it vd, w, a, lam, psi: their change over the time GA_RESTART_DT h */
  double *q, *v;  /* nq, nv: the point a little later, on the Taylor polynomial of the motion */
  double *d;      /* nv: work */
  double *hidden; /* nlam: G v + g_t */
} ga_restart;

#endif
