/* SPDX-License-Identifier: MIT */
/* Solves of the mass KKT system with soft rows (saddle.h), and their residuals. */
#ifndef GA_SRC_SOFT_ROWS_H
#define GA_SRC_SOFT_ROWS_H

#include "kkt/saddle.h"

/* eps of soft rows. Multipliers that are not unique have a relative error of about
 * eps_machine/eps = 2e-9. A round reduces an error along a singular value sigma by the factor
 * eps/(sigma^2 + eps). */
#define GA_SOFT_ROWS_EPS 1e-7

/* Largest residual of an accepted solution, relative to the terms of the equation. If a kept row at
 * the distance sigma from the others is ignored, its residual is sigma >= GA_RANK_TOL, which is
 * larger. In the system of the kept rows alone rounding may cause a larger residual. */
#define GA_SOFT_ROWS_TOL 1e-10
#define GA_KEPT_ROWS_TOL 1e-6

/* Allocate the arrays of soft solves; arena->failed if there is no memory. */
void ga_soft_rows_init(ga_saddle *s, ga_arena *arena);

/* Solve for the right-hand side s->rhs with the last factors, which are soft; solution in s->sum.
 * least: find the smallest multipliers whose forces are those of the right-hand side, whose
 * constraint rows are zero; GA_RETRY_SINGULAR if there are none. */
ga_status ga_soft_rows_solve(ga_saddle *s, bool least);

/* The largest residual of s->sum, relative to the terms of its equation, of the force balance and
 * of the kept rows; least: of the forces of the multipliers against the right-hand side. */
double ga_soft_rows_residual(ga_saddle *s, bool least);

/* Two steps of iterative refinement of s->sum with the last factors, which may be inexact. */
ga_status ga_soft_rows_refine(ga_saddle *s);

#endif
