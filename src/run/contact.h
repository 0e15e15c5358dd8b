/* SPDX-License-Identifier: MIT */
/* Contacts of a run: states, what is needed at a change (docs/internals/contact.md). */
#ifndef GA_SRC_RUN_CONTACT_H
#define GA_SRC_RUN_CONTACT_H

#include "genalpha/ga_contact.h"

typedef struct ga_contacts {
  int n;                   /* number of contacts; 0: nothing else is set */
  ga_contact_state *state; /* n: states at the accepted time */
  bool *redundant;         /* n: the forces of this contact are not unique */
  int *axes;               /* n: directions of the rows k (ga_evaluation.axes) */
  ga_contact_stats stats;
  ga_contact_observer observer;
  void *observer_context;
} ga_contacts;

#endif
