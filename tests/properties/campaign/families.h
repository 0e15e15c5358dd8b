/* SPDX-License-Identifier: MIT */
/* Families of random models: each function fills masses, elements, rows and start values. */
#ifndef GA_CAMPAIGN_FAMILIES_H
#define GA_CAMPAIGN_FAMILIES_H

#include "model.h"

#define HARD_FAMILIES(X) \
  X(springs)             \
  X(spring_pendula)      \
  X(contacts)            \
  X(ball_row)            \
  X(friction)            \
  X(stribeck)            \
  X(discontinuous)       \
  X(scales)              \
  X(shifted)             \
  X(rates)               \
  X(many_roots)          \
  X(walls)               \
  X(noisy)               \
  X(angles)              \
  X(polar)               \
  X(torsion)             \
  X(pendula)             \
  X(pendula_springs)     \
  X(slider)              \
  X(massless)            \
  X(massless_crank)      \
  X(driven)              \
  X(rough_constraint)    \
  X(top)                 \
  X(skate)

#define HARD_FAMILY_DECLARE(name) void hard_family_##name(hard_model *m, uint64_t *r);
HARD_FAMILIES(HARD_FAMILY_DECLARE)
#undef HARD_FAMILY_DECLARE

/* shared by the families */
hard_element *hard_spring(hard_model *m, int i, int j, double k, double x0, double c);
hard_element *hard_constant(hard_model *m, int i, double f);
hard_element *hard_sine(hard_model *m, uint64_t *r, int i, double amplitude);
double hard_signed(uint64_t *r, double low, double high); /* log uniform with a random sign */

#endif
