/* SPDX-License-Identifier: MIT */
/* Corners of closed loops: corners.c finds them, sides.c judges them. */
#ifndef GA_SRC_CORNERS_H
#define GA_SRC_CORNERS_H

#include "mechanism/mechanism.h"

typedef struct ga_corners {
  const ga_mechanism *m;
  ga_arena arena;
  ga_frame *frame[2]; /* of each body, before and after */
  bool *sure;         /* of each body: it does not move */
  int *first, *joint; /* of each body: its first joint in the list `joint`; the list */
  int *slot;          /* of both sides of each joint: its position in the list `joint` */
  bool *in_loop;      /* of each joint */
  bool *known;        /* of each joint: its angle or position is held or driven */
  int *seen, *queue;  /* of bodies: the search that came by last; those to visit */
  int search;
  double error; /* standard error of a start value */
  /* the first corner that is not clear */
  const char *name[3];
  double angle[2], doubt;
} ga_corners;

/* Lists and loops; false without memory. */
bool ga_corners_open(ga_corners *s);
/* All corners of all loops, each to ga_corners_judge, until one is not clear. */
void ga_corners_check(ga_corners *s);

/* A corner at `joint` between the edges that lead to joints `before` and `after`: its angles before
 * and after the assembly, and how many variances of a start value the angle has. */
void ga_corners_judge(ga_corners *s, const double angle[2], double doubt, int joint, int before,
                      int after);

#endif
