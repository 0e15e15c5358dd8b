/* SPDX-License-Identifier: MIT */
/* The studies beside the figures of ACB15, in acb15_theory.c. */
#ifndef CLI_REPRODUCE_ACB15_H
#define CLI_REPRODUCE_ACB15_H

#include "reproduce/lab.h"

extern const item acb15_recursion, acb15_sign, acb15_starts, acb15_drift, acb15_cure, acb15_rank,
    acb15_nullspace;

#endif
