/* SPDX-License-Identifier: MIT */
/* Models of very many contacts, most of which are far.
 *
 * The rows of the last contacts of such a model wait: they have numbers, and g, k and their drifts are
 * evaluated, but they have no entries in the patterns of G, H and Kt. The model makes another one
 * with the contacts of a list alone, whose rows are complete. */
#ifndef GA_SRC_CROWD_H
#define GA_SRC_CROWD_H

#include "base/base.h"
#include "genalpha/ga_model.h"

/* A contact that may be near. */
typedef struct ga_near_contact {
  int contact;
  double gap;   /* or a lower bound of it */
  double ratio; /* of the gap and of what it may lose while positions move within `room` */
} ga_near_contact;

typedef struct ga_near_list {
  ga_near_contact *item; /* ga_free it */
  int count, room;
} ga_near_list;

typedef struct ga_model_crowd {
  int (*waiting)(void *user); /* how many contacts wait */
  /* The model with the n contacts of the list, in increasing order, and all other rows; it lives in
   * the arena and borrows from the first one. NULL: no memory. */
  const ga_model *(*select)(void *user, int n, const int *contact, ga_arena *arena);
  /* All waiting contacts with ratio <= most, in increasing order, where each position moves by at most
   * room_j (nv numbers), which may be enlarged to a part of the size of the bodies. False: no memory. */
  bool (*near)(void *user, const double *q, double most, double *room, ga_near_list *list);
  /* The gap of contact i and its rate at (q, v). */
  void (*gap)(void *user, int i, const double *q, const double *v, double *gap, double *rate);
} ga_model_crowd;

/* How many of its contacts wait, the last ones. */
static inline int ga_model_waiting(const ga_model *model) {
  const ga_model_crowd *crowd = model->ops->crowd;
  return crowd ? crowd->waiting(model->user) : 0;
}

/* The model with complete rows of all contacts: itself, if none waits. NULL: no memory. */
const ga_model *ga_model_complete(const ga_model *model, ga_arena *arena);

#endif
