/* SPDX-License-Identifier: MIT */
/* index2: generalized-alpha applied to the equations with the constraint differentiated once.
 *
 * Arnold, Cardona, Brüls 2015, section 3: as index3, with the rows g = 0 replaced by
 *
 *   G v + g_t = 0,  k = 0   at t_{n+1}
 *
 * Order 2 in q, v, v', lam, psi; the positions drift off g = 0 linearly in t, by O(h^2).
 * Projections of position and velocity after each step (option project-every) cure that without
 * loss of order. For comparison; stab2 does better at little more cost. */
#include "method/method.h"

const ga_method ga_method_index2 = {
    .name = "index2",
    .cite = "Arnold, Cardona, Brüls 2015, section 3",
    .summary = "velocity constraints only; positions drift linearly in t (for comparison)",
    .nx = 1,
    .dyn = {{.lam = 0, .psi = 1}},
    .ncon = 2,
    .con = {GA_ROW_VEL, GA_ROW_NONHOL},
    .mult = {GA_BLOCK_LAM, GA_BLOCK_PSI},
    .out_x = 0,
    .out_lam = 0,
    .out_psi = 1,
    .coef = ga_coef_newmark,
    .hidden_free = false,
    .best_start = GA_START_SHIFTED,
};
