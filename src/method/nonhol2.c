/* SPDX-License-Identifier: MIT */
/* nonhol2: generalized-alpha for nonholonomic constraints alone.
 *
 * Jay 2011, (2.3), with alpha = alpha_m - alpha_f:
 *
 *   q_1 = q_0 o exp(h v_0 + h^2/2 ((1 - 2 beta) a_alpha + 2 beta a))
 *   v_1 = v_0 + h ((1 - gamma) a_alpha + gamma a)
 *   (1 - alpha_m) M_{1+alpha} a + alpha_m M_alpha a_alpha
 *       = (1 - alpha_f) f(t_1,q_1,v_1,psi) + alpha_f f(t_0,q_0,v_0,psi_0)
 *   k(t_1,q_1,v_1) = 0
 *
 * soi2 without holonomic constraints, where a^ = a: half the unknowns, the same numbers. Order 2 in
 * q, v, a, psi (Theorem 6.1; the layer of a start decays like max(r_am, r_gamma, r_af)^n). */
#include "method/method.h"

/* Set *tab: as of soi2, with the one unknown x_0 = a in place of both a^ and a. */
static void coef(const ga_params *par, ga_tableau *tab) {
  ga_coef_weighted(par, tab);
  tab->r[0] = tab->r[1];
  tab->ax[0] = 1;
}

const ga_method ga_method_nonhol2 = {
    .name = "nonhol2",
    .cite = "Jay 2011",
    .summary = "nonholonomic constraints only; weighted residuals, as soi2 with half the unknowns",
    .nx = 1,
    .dyn = {{.lam = GA_NONE, .psi = 0}},
    .ncon = 1,
    .con = {GA_ROW_NONHOL},
    .mult = {GA_BLOCK_PSI},
    .out_x = 0,
    .out_lam = GA_NONE,
    .out_psi = 0,
    .report = GA_REPORT_VD,
    .weighted = true,
    .coef = coef,
    .hidden_free = false,
    .best_start = GA_START_SHIFTED,
};
