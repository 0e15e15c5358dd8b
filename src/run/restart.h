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
  double *x;      /* unknowns of a step: work of the filter of a */
  /* The unknowns at line_t + line_h on the line through those of the last restart, at line_t, and
   * their rate; known: there was a restart. What the step from there missed, the next one does. */
  double *line, line_t, line_h;
  bool line_known;
  bool sudden; /* a force jumps at the start, or within h of it */
  bool fresh;  /* no step has been made since the start, whose memory may be damped */
} ga_restart;

#endif
