/* SPDX-License-Identifier: MIT */
/* The theorems of J11 on a single step, in j11_theory.c. */
#ifndef PAPERS_J11_H
#define PAPERS_J11_H

#include "papers/rates.h"

extern const item j11_theorem31, j11_lemma51, j11_theorem52;

#endif
