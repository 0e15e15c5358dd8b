/* SPDX-License-Identifier: MIT */
/* Warnings of beams with too few elements; a part of ga_mechanism_check. */
#ifndef GA_SRC_CHECK_BEAMS_H
#define GA_SRC_CHECK_BEAMS_H

#include "mechanism/mechanism.h"

/* Where a mechanism is checked: time, configuration; weights and units as in ga_assembly. */
typedef struct ga_check_place {
  double t;
  const double *q, *weight, *unit;
} ga_check_place;

/* Warn of beams whose elements are turned too far at this place, or at the equilibrium that is
 * found from there. *warnings <- how many. Fails only without memory. */
ga_status ga_check_beams(const ga_mechanism *m, const ga_check_place *at, ga_log_fn say,
                         void *context, int *warnings, ga_error *err);

#endif
