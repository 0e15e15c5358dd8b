/* SPDX-License-Identifier: MIT */
/* Unknowns finer than a double.
 *
 * q_1 = q_n + w_q(x) and v_1(x) are sums, and are rounded like their summands. Where these are much
 * larger than q_1 itself, and the forces are stiff, one last digit of x or of a summand moves the
 * forces by more than they may be out of balance. So x may be a sum of two numbers: the base, which
 * the sums are made with, and a rest, by which q_1 and v_1 are moved afterwards,
 *
 *     q_1 = (q_n + w_q(base)) + h^2 sum_j p_j rest_j,   v_1 = v_1(base) + h sum_j r_j rest_j,
 *
 * as textbooks of Newmark's method update displacements in each iteration. The equations are
 * solved to the rounding of q_1 then, and q_1 differs from the exact sum by roundings of the
 * summands, as before. Rotations are not smaller than their roundings: they have no rest. */
#ifndef GA_SRC_FINE_H
#define GA_SRC_FINE_H

#include "step/equations.h"

void ga_fine_init(ga_equations *s, ga_arena *arena);
/* x <- x + part dx, part a fraction. If q_1 or v_1 is much smaller than its summands, whose sizes
 * are given for each velocity, increments below some roundings of these go to the rest; all others
 * to the base. */
void ga_fine_add(ga_equations *s, double part, const double *dx, const double *size_q,
                 const double *size_v, double *x);
/* Is x a sum of two numbers, or would it be after that? If not, x + part dx is good enough. */
bool ga_fine_wanted(const ga_equations *s, double part, const double *dx, const double *size_q,
                    const double *size_v, const double *x);
/* Keep base and rest of this iterate; ga_fine_return restores them. */
void ga_fine_keep(ga_equations *s, const double *x);
void ga_fine_return(ga_equations *s);
/* Move q_1, v_1 and v^_1 by the rest. */
void ga_fine_move(ga_equations *s);

#endif
