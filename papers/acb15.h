/* SPDX-License-Identifier: MIT */
/* The studies beside the figures of ACB15, in acb15_theory.c, acb15_studies.c, acb15_claims.c,
 * acb15_rank.c and drawings.c. */
#ifndef PAPERS_ACB15_H
#define PAPERS_ACB15_H

#include "papers/lab.h"

extern const item acb15_recursion, acb15_sign, acb15_starts, acb15_drift, acb15_cure, acb15_rank,
    acb15_nullspace, acb15_stab2, acb15_rheonomic, acb15_star, acb15_index, acb15_lemma1,
    acb15_fig3;

#endif
