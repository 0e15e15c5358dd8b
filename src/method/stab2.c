/* SPDX-License-Identifier: MIT */
/* stab2: generalized-alpha applied to the stabilized index-2 equations.
 *
 * Arnold, Brüls, Cardona 2015 (Numer. Math. 129), after Gear, Gupta, Leimkuhler: as index3, with
 *
 *   Dq = v_n - G(t_n,q_n)^T eta + (1/2 - beta) h a_n + beta h a_{n+1}
 *   g = 0,  G v + g_t = 0,  k = 0   at t_{n+1}
 *
 * eta (nlam entries) belongs to the step, is no state, and is O(h^2). Position and velocity both
 * satisfy their constraints, so lam has no transient from consistent start values and the order is
 * 2 in q, v, v', lam, psi, for rho_inf = 1 too. */
#include "method/method.h"

const ga_method ga_method_stab2 = {
    .name = "stab2",
    .cite = "Arnold, Brüls, Cardona 2015",
    .summary = "position and velocity constraints (stabilized index 2); the default",
    .nx = 1,
    .dyn = {{.lam = 0, .psi = 2}},
    .ncon = 3,
    .con = {GA_ROW_POS, GA_ROW_VEL, GA_ROW_NONHOL},
    .mult = {GA_BLOCK_LAM, GA_BLOCK_ETA, GA_BLOCK_PSI},
    .out_x = 0,
    .out_lam = 0,
    .out_psi = 2,
    .coef = ga_coef_newmark,
    .hidden_free = false,
    .best_start = GA_START_SHIFTED,
};
