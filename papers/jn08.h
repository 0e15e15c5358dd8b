/* SPDX-License-Identifier: MIT */
/* Section 2 of JN08 and the second half of its Theorem 1, in jn08_theory.c. */
#ifndef PAPERS_JN08_H
#define PAPERS_JN08_H

#include "papers/rates.h"

extern const item jn08_notation, jn08_alpham;

#endif
