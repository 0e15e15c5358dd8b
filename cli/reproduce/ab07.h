/* SPDX-License-Identifier: MIT */
/* The studies of AB07 sections 2 and 4, in ab07_theory.c and ab07_variable.c. */
#ifndef CLI_REPRODUCE_AB07_H
#define CLI_REPRODUCE_AB07_H

#include "reproduce/lab.h"

extern const item ab07_conditioning, ab07_two_step, ab07_roots, ab07_lemma1, ab07_lemma2,
    ab07_variable;

#endif
