/* SPDX-License-Identifier: MIT */
/* index3: generalized-alpha applied to the index-3 equations as they stand.
 *
 * Arnold, Brüls 2007, Algorithm 1; on Lie groups Arnold, Cardona, Brüls 2015, (3):
 *
 *   q_{n+1} = q_n o exp(h Dq~),  Dq = v_n + (1/2 - beta) h a_n + beta h a_{n+1}        (3a,b)
 *   v_{n+1} = v_n + (1 - gamma) h a_n + gamma h a_{n+1}                                (3c)
 *   (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v'_{n+1} + alpha_f v'_n        (3d)
 *   M v' = F - G^T lam - H^T psi,  g = 0,  k = 0   at t_{n+1}                          (3e,f)
 *
 * Order 2 in q, v, v', lam, psi for rho_inf < 1 with fixed h (AB07 section 3): the hidden
 * constraint is not enforced and settles at G v + g_t = h^2 G r + O(h^3); a start that puts it
 * there avoids the first-order transient n^2 rho_inf^n h in lam. For rho_inf = 1 errors in lam
 * grow. */
#include "method/method.h"

const ga_method ga_method_index3 = {
    .name = "index3",
    .cite = "Arnold, Brüls 2007; on groups Arnold, Cardona, Brüls 2015",
    .summary = "position constraints only; smallest system, needs rho_inf < 1",
    .nx = 1,
    .dyn = {{.lam = 0, .psi = 1}},
    .ncon = 2,
    .con = {GA_ROW_POS, GA_ROW_NONHOL},
    .mult = {GA_BLOCK_LAM, GA_BLOCK_PSI},
    .out_x = 0,
    .out_lam = 0,
    .out_psi = 1,
    .coef = ga_coef_newmark,
    .hidden_free = true,
    .best_start = GA_START_PERTURBED,
};
