/* SPDX-License-Identifier: MIT */
/* index1: generalized-alpha applied to the equations with the constraint differentiated twice.
 *
 * Arnold, Cardona, Brüls 2015, section 3, (5): as index3, with the rows g = 0 replaced by
 *
 *   G v' + Z v + G_t v + g_tt = 0,  k = 0   at t_{n+1}
 *
 * Order 2 in q, v, v', lam, psi; positions drift off g = 0 quadratically in t, velocities linearly,
 * both by O(h^2). Projections of position and velocity after each step (option project-every) cure
 * that without loss of order. For comparison; stab2 does better. */
#include "method/method.h"

const ga_method ga_method_index1 = {
    .name = "index1",
    .cite = "Arnold, Cardona, Brüls 2015, section 3",
    .summary = "acceleration constraints only; positions drift quadratically in t (for comparison)",
    .nx = 1,
    .dyn = {{.lam = 0, .psi = 1}},
    .ncon = 2,
    .con = {GA_ROW_ACC, GA_ROW_NONHOL},
    .mult = {GA_BLOCK_LAM, GA_BLOCK_PSI},
    .out_x = 0,
    .out_lam = 0,
    .out_psi = 1,
    .coef = ga_coef_newmark,
    .hidden_free = false,
    .best_start = GA_START_SHIFTED,
};
