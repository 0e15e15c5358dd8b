/* SPDX-License-Identifier: MIT */
/* hht: the extension of the HHT-alpha method to holonomic constraints, and its variants.
 *
 * Jay, Negrut 2007, (3.4), with applied f = M^-1 F and reactions R_i = M^-1 R(t_i,q_i,Lam_i):
 *
 *   q_1 = q_0 o exp(h v_0 + h^2/2 ((1 - 2 beta) a_0 + 2 beta a_1) + h^2/2 ((1 - b) R_0 + b R_1))
 *   v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1) + h/2 (R_0 + R_1)
 *   a_1 = (1 + alpha) f(t_1,q_1,v_1) - alpha f(t_0,q_0,v_0)
 *   g(t_1,q_1) = 0,  G v_1 + g_t = 0
 *
 * The reaction is a separate unknown, integrated with its own weights: M^-1 is needed and M must be
 * regular. Lam_0 and Lam_1 belong to the step and are of first order; what is reported is v', lam
 * from the mass KKT system at (t_1, q_1, v_1), of order 2 as q and v are. With parameters other
 * than HHT's the third line is that of generalized-alpha,
 *   (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) f_1 + alpha_f f_0,
 * the family of Lunk and Simeon 2006. Variants:
 *
 *   3.4          as above, b != 1/2
 *   3.5          R_1 at (t_1, q_0 o exp(h v_0)) instead of (t_1, q_1)
 *   mid          b = 0, and R_{1/2} at (t_0 + h/2, q_0 o exp(w_q/2)) for (R_0 + R_1)/2
 *   mid3.5       b = 0, and R_{1/2} at (t_0 + h/2, q_0 o exp(h v_0/2))
 *   lunk-simeon  (1 - b) r(q_0,Lam_0) + b r(q_1,Lam_0) in the position line, any b
 *   index2       nonholonomic constraints: section 6, with
 *                R_{1/2} at (t_0 + h/2, q_0 o exp(h v_0/2), (v_0 + v_1)/2, Psi_{1/2}):
 *                q_1 = .. + h^2/2 R_{1/2},  v_1 = .. + h R_{1/2},  k(t_1,q_1,v_1) = 0
 *
 * Unknowns, all in acceleration units: x_0 = f_1, then one reaction each. */
#include "method/method.h"

/* Set *tab for x_1 = R_0, x_2 = R_1: weights (1 - b)/2 R_0 + b/2 R_1 in the position, (R_0 + R_1)/2
 * in the velocity. */
static void coef_ends(const ga_params *par, ga_tableau *tab) {
  ga_coef_newmark(par, tab);
  tab->p[1] = (1 - par->b) / 2;
  tab->p[2] = par->b / 2;
  tab->r[1] = tab->r[2] = 0.5;
}

/* Set *tab for x_1 = R_0, x_2 = R_{1/2}: weights R_0/2 in the position, R_{1/2} in the velocity. */
static void coef_mid(const ga_params *par, ga_tableau *tab) {
  ga_coef_newmark(par, tab);
  tab->p[1] = 0.5;
  tab->r[2] = 1;
}

/* As coef_ends, but x_3 = r(q_1, Lam_0) replaces R_1 in the position. */
static void coef_lunk_simeon(const ga_params *par, ga_tableau *tab) {
  coef_ends(par, tab);
  tab->p[3] = tab->p[2];
  tab->p[2] = 0;
}

/* Set *tab for x_1 = R_{1/2}: weights R_{1/2}/2 in the position, R_{1/2} in the velocity. */
static void coef_index2(const ga_params *par, ga_tableau *tab) {
  ga_coef_newmark(par, tab);
  tab->p[1] = 0.5;
  tab->r[1] = 1;
}

#define APPLIED \
  { .lam = GA_NONE, .psi = GA_NONE, .forces = GA_FORCES_APPLIED, .site = GA_SITE_NEW }
#define REACTION(block, place) \
  { .lam = (block), .psi = GA_NONE, .forces = GA_FORCES_REACTION, .site = (place) }

/* what all variants with holonomic constraints have in common */
#define HOLONOMIC                                                                                \
  .name = "hht", .cite = "Jay, Negrut 2007",                                                     \
  .summary = "reaction treated apart from applied forces; variants; needs regular M", .ncon = 2, \
  .con = {GA_ROW_POS, GA_ROW_VEL}, .mult = {GA_BLOCK_LAM, GA_BLOCK_LAM}, .out_lam = 1,           \
  .out_psi = GA_NONE, .report = GA_REPORT_ALL, .best_start = GA_START_SHIFTED

const ga_method ga_method_hht = {
    HOLONOMIC,
    .variant = "3.4",
    .nx = 3,
    .dyn = {APPLIED, REACTION(0, GA_SITE_OLD), REACTION(1, GA_SITE_NEW)},
    .b_rule = GA_B_NOT_HALF,
    .coef = coef_ends,
};

const ga_method ga_method_hht_predicted = {
    HOLONOMIC,
    .variant = "3.5",
    .nx = 3,
    .dyn = {APPLIED, REACTION(0, GA_SITE_OLD), REACTION(1, GA_SITE_PREDICTED_NEW)},
    .b_rule = GA_B_NOT_HALF,
    .coef = coef_ends,
};

const ga_method ga_method_hht_mid = {
    HOLONOMIC,
    .variant = "mid",
    .nx = 3,
    .dyn = {APPLIED, REACTION(0, GA_SITE_OLD), REACTION(1, GA_SITE_MID)},
    .b_rule = GA_B_ZERO,
    .coef = coef_mid,
};

const ga_method ga_method_hht_mid_predicted = {
    HOLONOMIC,
    .variant = "mid3.5",
    .nx = 3,
    .dyn = {APPLIED, REACTION(0, GA_SITE_OLD), REACTION(1, GA_SITE_PREDICTED_MID)},
    .b_rule = GA_B_ZERO,
    .coef = coef_mid,
};

const ga_method ga_method_hht_lunk_simeon = {
    HOLONOMIC,
    .variant = "lunk-simeon",
    .nx = 4,
    .dyn = {APPLIED, REACTION(0, GA_SITE_OLD), REACTION(1, GA_SITE_NEW), REACTION(0, GA_SITE_NEW)},
    .b_rule = GA_B_FREE,
    .coef = coef_lunk_simeon,
};

const ga_method ga_method_hht_index2 = {
    .name = "hht",
    .variant = "index2",
    .cite = "Jay, Negrut 2007, section 6",
    .summary = "nonholonomic constraints only; needs regular M",
    .nx = 2,
    .dyn =
        {APPLIED,
         {.lam = GA_NONE, .psi = 0, .forces = GA_FORCES_REACTION, .site = GA_SITE_PREDICTED_MID}},
    .ncon = 1,
    .con = {GA_ROW_NONHOL},
    .mult = {GA_BLOCK_PSI},
    .out_lam = GA_NONE,
    .out_psi = 0,
    .report = GA_REPORT_ALL,
    .coef = coef_index2,
    .best_start = GA_START_SHIFTED,
};
