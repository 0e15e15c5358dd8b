/* SPDX-License-Identifier: MIT */
/* The body of a state on disk: one walk over everything that influences later steps, for three
 * purposes: to measure its length, to write it, to read it. */
#ifndef GA_SRC_STATE_WALK_H
#define GA_SRC_STATE_WALK_H

#include "genalpha/ga_partition.h"
#include "run/integrator.h"

/* Format 4 lacks what concerns corners: such a run goes on as if it had begun there. It has no inputs,
 * so that the head differs for models that have some. Formats 4 and 5 lack numbers of automatic steps,
 * 5 only for methods with hidden_free: such runs cannot go on. */
enum { GA_STATE_VERSION = 7, GA_STATE_OLDEST = 4 };

typedef enum { GA_WALK_MEASURE, GA_WALK_WRITE, GA_WALK_READ } ga_walk_mode;

typedef struct ga_state_walk {
  ga_walk_mode mode;
  unsigned char *at; /* next byte of the file in memory; NULL: this process does not write */
  size_t bytes;      /* passed so far */
  const ga_collector *whole; /* NULL: the model is the whole */
  int version;               /* of the format, GA_STATE_VERSION or an older one that can be read */
  bool rows;                 /* the file lists the rows that are left out, */
  size_t rows_at;            /* beginning at this byte of the body */
  ga_status status;          /* of gathering the arrays of all processes */
} ga_state_walk;

/* Number of entries of this kind in the whole model; whole is NULL if this process has all of it. */
long ga_state_whole_size(const ga_integrator *it, const ga_collector *whole, ga_entry kind);
/* The kind of the multipliers of block c. */
ga_entry ga_state_mult_entry(const ga_integrator *it, int c);
/* Transfer n numbers; an array with an entry for each of q, v, lam or psi. */
void ga_state_transfer_doubles(ga_state_walk *w, double *x, int n);
void ga_state_transfer_entries(ga_state_walk *w, const ga_integrator *it, ga_entry kind, double *x);
/* Transfer the body, head excluded. */
void ga_state_walk_body(ga_state_walk *w, ga_integrator *it);

#endif
