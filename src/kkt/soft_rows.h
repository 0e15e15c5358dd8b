/* SPDX-License-Identifier: MIT */
/* Solves of the mass KKT system with soft rows (saddle.h), and what they leave. */
#ifndef GA_SRC_SOFT_ROWS_H
#define GA_SRC_SOFT_ROWS_H

#include "kkt/saddle.h"

/* eps of soft rows: a solve loses eps_machine/eps of the digits of multipliers that are not unique,
 * and a round leaves eps/(sigma^2 + eps) of an error along a singular value sigma */
#define GA_SOFT_ROWS_EPS 1e-7

/* What may be left of an equation of a solution that is handed on, relative to its terms. A kept
 * row at the distance sigma from the others that is not obeyed leaves sigma, which is at least
 * GA_RANK_TOL. Of the kept rows by themselves more may be left by rounding. */
#define GA_SOFT_ROWS_TOL 1e-10
#define GA_KEPT_ROWS_TOL 1e-6

/* The arrays for it; arena->failed tells. */
void ga_soft_rows_init(ga_saddle *s, ga_arena *arena);

/* s->sum <- the solution for s->rhs with the last factors, which are soft, as far as rounds bring
 * it. least: the constraint rows of the right side are zero and w will be; the forces of the
 * multipliers are to be those of the right side, GA_RETRY_SINGULAR if they are not. */
ga_status ga_soft_rows_solve(ga_saddle *s, bool least);

/* The largest residual of s->sum, relative to the terms of its equation: of the balance of forces
 * and of the rows that are kept; least: of the forces of the multipliers against the right side. */
double ga_soft_rows_residual(ga_saddle *s, bool least);

/* s->sum <- s->sum + what the last factors, any that come near, make of its residual, twice. */
ga_status ga_soft_rows_refine(ga_saddle *s);

#endif
