/* SPDX-License-Identifier: MIT */
/* The studies of AB07 sections 2 to 4, in ab07_theory.c, ab07_errors.c and ab07_variable.c, and
 * drawings.c. */
#ifndef PAPERS_AB07_H
#define PAPERS_AB07_H

#include "papers/lab.h"

/* Coefficients of (14), (15) and (18), (19). */
typedef struct ab07_coefficients {
  double a[3], u[2], b[3], c[3], b1[4];
} ab07_coefficients;
ab07_coefficients ab07_two_step_of(const ga_params *p);

extern const item ab07_conditioning, ab07_two_step, ab07_roots, ab07_lemma1, ab07_lemma2,
    ab07_variable, ab07_truncation, ab07_lemma3, ab07_newton, ab07_fig1, ab07_fig4;

#endif
