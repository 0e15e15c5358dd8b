/* SPDX-License-Identifier: MIT */
/* Families of random models: each function fills masses, parts, rows and start values. */
#ifndef GA_STRESS_FAMILIES_H
#define GA_STRESS_FAMILIES_H

#include "model.h"

#define STRESS_FAMILIES(X) \
  X(springs)               \
  X(spring_pendula)        \
  X(contacts)              \
  X(ball_row)              \
  X(friction)              \
  X(stribeck)              \
  X(discontinuous)         \
  X(scales)                \
  X(shifted)               \
  X(rates)                 \
  X(many_roots)            \
  X(walls)                 \
  X(noisy)                 \
  X(angles)                \
  X(polar)                 \
  X(torsion)               \
  X(pendula)               \
  X(pendula_springs)       \
  X(slider)                \
  X(massless)              \
  X(massless_crank)        \
  X(driven)                \
  X(rough_constraint)      \
  X(top)                   \
  X(skate)

#define STRESS_FAMILY_DECLARE(name) void stress_family_##name(stress_model *m, uint64_t *r);
STRESS_FAMILIES(STRESS_FAMILY_DECLARE)
#undef STRESS_FAMILY_DECLARE

/* shared by the families */
stress_part *stress_spring(stress_model *m, int i, int j, double k, double x0, double c);
stress_part *stress_constant(stress_model *m, int i, double f);
stress_part *stress_sine(stress_model *m, uint64_t *r, int i, double amplitude);
double stress_signed(uint64_t *r, double low, double high); /* log uniform with a random sign */

#endif
