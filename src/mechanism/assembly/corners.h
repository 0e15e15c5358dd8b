/* SPDX-License-Identifier: MIT */
/* Corners of closed loops: corners.c finds them, sides.c judges them. */
#ifndef GA_SRC_CORNERS_H
#define GA_SRC_CORNERS_H

#include "mechanism/mechanism.h"

typedef struct ga_corners {
  const ga_mechanism *m;
  ga_arena arena;
  ga_frame *frame[2]; /* of each body, before and after the assembly */
  bool *sure;         /* of each body: it is the ground or held, so it does not move */
  int *first, *joint; /* of each body: its first joint in the list `joint`; the list */
  int *slot;          /* of both sides of each joint: its position in the list `joint` */
  bool *in_loop;      /* of each joint: it belongs to a closed loop */
  bool *known;        /* of each joint: its angle or position is held or driven */
  int *seen, *queue;  /* of bodies: the search that came by last; those to visit */
  int search;         /* number of searches so far: the mark of the present one in `seen` */
  double error;       /* standard error of a start value */
  /* the first corner that is not clear (name[0] is NULL until then): its joint and the two joints
   * its edges lead to, its angles before and after, the standard error of its angle; rad */
  const char *name[3];
  double angle[2], doubt;
} ga_corners;

/* Makes lists and finds loops. s->m must be set, what it fills zero; false without memory. */
bool ga_corners_open(ga_corners *s);
/* Passes all corners of all loops to ga_corners_judge, until one is not clear (s->name[0] set). */
void ga_corners_check(ga_corners *s);

/* A corner at `joint` between the edges that lead to joints `before` and `after`: its angles before
 * and after the assembly (rad), and doubt, the variance of the angle in units of s->error^2. Sets
 * name, angle and doubt of s if the corner is the first that is not clear. */
void ga_corners_judge(ga_corners *s, const double angle[2], double doubt, int joint, int before,
                      int after);

#endif
