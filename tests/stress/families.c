/* SPDX-License-Identifier: MIT */
/* The random families of models. */
#include "model.h"
void stress_random(stress_model *m, uint64_t seed, int index) {
  stress_friction(m, seed, index);
}
