/* SPDX-License-Identifier: MIT */
/* Elementary joints: what joints consist of in a spanning tree. */
#ifndef GA_SRC_ELEMENTARY_H
#define GA_SRC_ELEMENTARY_H

#include <stdbool.h>

/* Elementary joints, of which a joint consists in a spanning tree, from A to B: an axis of the joint
 * frame, the coordinate of the joint that it is (-1: of none). */
typedef enum { GA_NO_FREEDOM, GA_HINGE, GA_SLIDE, GA_BALL, GA_SHIFT } ga_elementary;
typedef struct ga_elementary_joint {
  ga_elementary kind;
  int axis, coordinate;
} ga_elementary_joint;
enum { GA_ELEMENTARY_MAX = 3 };
typedef struct ga_tree_list {
  bool given; /* false: the joint cannot be in a tree */
  int count;
  ga_elementary_joint part[GA_ELEMENTARY_MAX];
} ga_tree_list;

#endif
