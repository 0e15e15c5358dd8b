/* SPDX-License-Identifier: MIT */
/* Motions of mechanism files and how far two of them are apart; random mechanisms as files. */
#ifndef GA_CAMPAIGN_MOTION_H
#define GA_CAMPAIGN_MOTION_H

#include "model.h"

/* The positions and velocities at the end of a run, with names and units; allocated. */
typedef struct hard_motion {
  int n;
  char (*name)[64], (*unit)[16];
  double *value, span; /* span: the time of the run */
  long solves, steps;
} hard_motion;

/* How a file is run; NULL or 0: as its section `run` says. */
typedef struct hard_motion_options {
  const char *linsol, *method, *coordinates;
  double h;
  int steps; /* at most */
} hard_motion_options;

ga_status hard_motion_of(const char *name, const char *text, const hard_motion_options *o,
                         hard_motion *out, ga_error *err);
void hard_motion_free(hard_motion *m);

/* The largest difference of columns of the same name, relative to the largest column of its unit:
 * lengths, angles, velocities and angular velocities each by themselves. INFINITY if a column is
 * missing. */
double hard_motion_distance(const hard_motion *a, const hard_motion *b);

/* The text with the entries of its section `bodies` in reverse order, allocated; NULL without
 * memory. */
char *hard_reversed_bodies(const char *text);

/* Mechanism number `index` of a seed as a file: a chain in the plane or in space, on a slide or a
 * link without mass in some cases, with springs. gravity: in m/s^2. */
enum { HARD_TEXT = 8192 };
void hard_mechanism_text(uint64_t seed, int index, double gravity, char text[HARD_TEXT]);

/* Whether the solvers `dense`, `klu`, `mumps`, `auto` and the bodies in reverse order give the same
 * motion of random mechanism `index`. */
typedef struct hard_agreement {
  ga_status status;
  char text[160];
  double apart;       /* the largest distance to `dense` */
  double sensitivity; /* the distance when gravity changes by one rounding */
  const char *with;   /* what is farthest apart */
} hard_agreement;
hard_agreement hard_solvers_agree(uint64_t seed, int index);

#endif
