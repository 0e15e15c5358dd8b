/* SPDX-License-Identifier: MIT */
/* Passages of singular positions, seen and reported (passages.c). */
#ifndef GA_SRC_PASSAGES_H
#define GA_SRC_PASSAGES_H

#include <stdbool.h>

/* What is known of the constraints of one coupled subsystem (in a team: of all). */
typedef struct ga_passage_group {
  bool known; /* there are directions u and y, and the numbers below are set */
  bool close; /* reported since |sigma| has been below NEAR; not again for being close */
  bool
      announced; /* reported because |sigma| fell below CLOSE; a change of sign is the same passage */
  double sigma;    /* u^T G y, with a sign */
  double best;     /* the largest |sigma| so far */
  double u_u, u_o; /* work: |u|^2 of the new u, and its product with the old one */
  double z_z, z_o; /* work: the same of G^T u and y */
  double now;      /* work: sigma at the end of the step */
} ga_passage_group;

typedef struct ga_passages {
  int count;               /* groups; 0: there is nothing to watch */
  ga_passage_group *group; /* count */
  const int *of_v;         /* nv: the group of each velocity; NULL: all are in group 0 */
  int *of_row;             /* nlam + npsi: the group of each row of G, then of H */
  double *length;          /* nlam + npsi: length of each row in W^-1 when the watch began */
  double *u, *next;        /* nlam + npsi: the direction of rows, of length 1 in each group */
  double *y, *z;           /* nv: the direction of velocities, in units of sqrt(w) */
  double *b;               /* n: right-hand side, unknowns of a step */
  bool begun;              /* length, u, y are set */
  int left_out;            /* rows of a model with contacts that were left out at the last step */
  double path;             /* motion since the last look, relative to the size of q */
  int patience;            /* times PACE: motion until the next look */
  int made;                /* steps that made factors since then */
} ga_passages;

struct ga_integrator;

/* Allocate the arrays; the caller checks arena.failed. */
void ga_passages_init(struct ga_integrator *it);
/* A new start: forget all directions. */
void ga_passages_reset(struct ga_integrator *it);
/* A step is accepted, it->mem is its end, it->last.mem its beginning: look whether it has passed a
 * singular position; count it in stats.singular_passages and write a warning to the log.
 * Collective. */
void ga_passages_watch(struct ga_integrator *it);

#endif
