/* SPDX-License-Identifier: MIT */
/* Configurations near the start of a mechanism, where forces may be stiffer, and where kinks of
 * forces are not. */
#ifndef GA_SRC_BESIDE_START_H
#define GA_SRC_BESIDE_START_H

#include "mechanism/mechanism.h"

/* A state, and the unit of each velocity: the size of a large change. All borrowed. */
typedef struct ga_beside_start {
  const ga_mechanism *m;
  double t;
  const double *q, *v, *unit;
} ga_beside_start;

/* *fastest <- the largest frequency (rad/s) of configurations moved by 1e-4 and 1e-2 of their units,
 * *moved: by how much. Both 0 if no force is a function of the author. GA_OK or GA_ERR_MEM. */
ga_status ga_beside_start_fastest(const ga_beside_start *n, double *fastest, double *moved);

/* Do all derivatives agree with difference quotients in four configurations moved by `size` of the
 * units, or, with size 0, at q itself? err says which do not. */
bool ga_beside_start_derivatives(const ga_beside_start *n, double size, ga_error *err);

/* Do they agree at q (*smooth), or beside it, where a kink of a force is not? own: which do not at q. */
bool ga_beside_start_agree(const ga_beside_start *n, bool *smooth, ga_error *own);

#endif
