/* SPDX-License-Identifier: MIT */
/* The theorems and remarks of JN07, in jn07_theory.c and jn07_identities.c, and drawings.c. */
#ifndef PAPERS_JN07_H
#define PAPERS_JN07_H

#include "papers/lab.h"

extern const item jn07_fig55, jn07_theorem41, jn07_theorem43, jn07_theorem44, jn07_theorem45,
    jn07_ode, jn07_identities;

#endif
