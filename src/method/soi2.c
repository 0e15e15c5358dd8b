/* SPDX-License-Identifier: MIT */
/* soi2: the second order extension of generalized-alpha to holonomic and nonholonomic constraints.
 *
 * Jay, Negrut 2008, (14), with alpha = alpha_m - alpha_f:
 *
 *   q_1  = q_0 o exp(h v_0 + h^2/2 ((1 - 2 beta) a_alpha + 2 beta a^))
 *   v^_1 = v_0 + h ((1 - gamma) a_alpha + gamma a^)
 *   v_1  = v_0 + h ((1 - gamma) a_alpha + gamma a)
 *   (1 - alpha_m) M_{1+alpha} a^ + alpha_m M_alpha a_alpha
 *       = (1 - alpha_f) f(t_1,q_1,v_1,lam^,psi^) + alpha_f f(t_0,q_0,v_0,lam_0,psi_0)
 *   the same for a, lam, psi
 *   g(t_1,q_1) = 0,  k(t_1,q_1,v^_1) = 0,  G v_1 + g_t = 0,  k(t_1,q_1,v_1) = 0
 *   M_{1+alpha} = M(t_0 + (1+alpha) h, q_0 o exp((1+alpha) h v_0)),  M_alpha likewise with alpha h,
 *   or the M_{1+alpha} of the step before (option mass-at)
 *
 * The hatted (paper: tilde) quantities and a^ are of first order, belong to the step and are not
 * reported; q, v, a, lam, psi are of order 2. Without holonomic constraints a^ = a. The masses are
 * taken at predicted points, so M x does not depend on the unknowns. */
#include "method/method.h"

const ga_method ga_method_soi2 = {
    .name = "soi2",
    .cite = "Jay, Negrut 2008",
    .summary = "position and velocity constraints, twice the unknowns; weighted residuals",
    .nx = 2,
    .dyn = {{.lam = 0, .psi = 1}, {.lam = 2, .psi = 3}},
    .ncon = 4,
    .con = {GA_ROW_POS, GA_ROW_NONHOL, GA_ROW_VEL, GA_ROW_NONHOL},
    .con_hat = {false, true, false, false},
    .mult = {GA_BLOCK_LAM, GA_BLOCK_PSI, GA_BLOCK_LAM, GA_BLOCK_PSI},
    .out_x = 1,
    .out_lam = 2,
    .out_psi = 3,
    .report = GA_REPORT_VD,
    .weighted = true,
    .coef = ga_coef_weighted,
    .hidden_free = false,
    .best_start = GA_START_SHIFTED,
};
