/* SPDX-License-Identifier: MIT */
/* Sheaves of ropes: where a rope touches them, in the start configuration. */
#ifndef GA_SRC_SHEAVE_H
#define GA_SRC_SHEAVE_H

#include "genalpha/ga_rope.h"
#include "mechanism/mechanism.h"

/* A point of a rope, or a sheave (radius not 0), in space at the start. */
typedef struct ga_sheave {
  int body; /* number in the list of bodies */
  double x[3], axis[3];
  double radius; /* signed, see ga_rope.h */
  int turns;
} ga_sheave;

/* The span between two of them. */
typedef struct ga_rope_span {
  double s, radii[2]; /* distance of the centres; D about the axis of the first, of the second */
} ga_rope_span;

/* *at <- point i of a rope. owner begins messages. GA_ERR_ARG for what cannot be a sheave. */
ga_status ga_sheave_at(const ga_mechanism *m, const char *owner, const ga_rope *rope, int i,
                       ga_sheave *at, ga_error *err);
/* *span <- that between points i and i + 1; GA_ERR_ARG where the sheaves overlap, or their axes are not
 * parallel. */
ga_status ga_rope_span_of(const char *owner, const ga_sheave *at, int i, ga_rope_span *span,
                          ga_error *err);
/* *wrap <- the angle of rope on sheave i, between the spans before and after it; GA_ERR_ARG if the rope
 * does not touch it. */
ga_status ga_sheave_wrap(const char *owner, const ga_sheave *at, const ga_rope_span *span, int i,
                         double *wrap, ga_error *err);
/* Length of a span between the sheaves that it touches. */
double ga_rope_span_length(const ga_rope_span *span);

#endif
