/* SPDX-License-Identifier: MIT */
/* What a mechanism knows of its future (internal to src/mechanism). */
#ifndef GA_SRC_TIME_CORNERS_H
#define GA_SRC_TIME_CORNERS_H

#include "mechanism/mechanism.h"

/* The first corner in time after t, of one element, and of all (a callback). */
ga_corner ga_element_next_corner(const ga_mechanism *m, const ga_element *el, double t);
void ga_mechanism_next_corner(void *user, double t, ga_corner *corner);

/* m->anywhere, and the functions that may change unexpectedly in time, m->timed, at the end of the
 * build, false: no memory; the first such change in a step from t (a callback). */
bool ga_mechanism_prepare_future(ga_mechanism *m);
void ga_mechanism_surprise(void *user, double since, double t, double way, ga_corner *surprise);

#endif
