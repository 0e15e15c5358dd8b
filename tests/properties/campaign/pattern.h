/* SPDX-License-Identifier: MIT */
/* Which coordinates of a model are coupled: the patterns of M, K, G, H, and the subsystems that
 * they connect. */
#ifndef GA_CAMPAIGN_PATTERN_H
#define GA_CAMPAIGN_PATTERN_H

#include "model.h"

/* A pattern in compressed rows, with room for a full matrix. */
typedef struct hard_csr {
  int ptr[HARD_NV + 1], col[HARD_NV * HARD_NV];
  ga_csr as_csr;
} hard_csr;

/* The patterns of M, of K and C, of G and Z, of H and Y. */
typedef struct hard_patterns {
  hard_csr M, K, G, H;
} hard_patterns;

/* Fill in all patterns of the model. */
void hard_patterns_of(const hard_model *m, hard_patterns *out);

/* label[i]: the number of the subsystem of velocity i, from 0 on; returns how many there are. Of a
 * model without patterns all coordinates are one subsystem. */
int hard_subsystems(const hard_model *m, int label[HARD_NV]);

#endif
