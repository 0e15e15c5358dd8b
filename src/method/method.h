/* SPDX-License-Identifier: MIT */
/* A method is a table: coefficients, dynamic rows, constraint rows, multiplier blocks. The step
 * core (src/step) reads the table and knows no method by name.
 *
 * A step of size h from t_n solves for x_0 .. x_{nx-1} in R^nv and multiplier blocks, everything in
 * acceleration units:
 *
 *   w_q  = h v_n + h^2 [ pa a_n + pw w_n + sum_j p[j] x_j - G(t_n,q_n)^T eta ]
 *   q_1  = q_n o exp(w_q~)
 *   v_1  = v_n + h [ ra a_n + rw w_n + sum_j r[j] x_j ],  v^_1 the same with rh[j]
 *   a_1  = aa a_n + aw w_n + sum_j ax[j] x_j
 *
 *   dynamic row j:    m M x_j - phi (F + R(lam_j, psi_j)) + old terms = 0   all at the row's site
 *   constraint rows:  g/h^2 = 0,  (G v + g_t)/h = 0,  k/h = 0,
 *                     G x + Z v + G_t v + g_tt = 0, x the one reported as v'   at (t_1, q_1, v_1)
 *
 * w_n is the second memory: x of the row that says so, v'_n for most methods. eta is present where
 * a block of that kind is (eta_paper = h eta). Dividing position rows by h^2 and velocity rows by h
 * keeps the Newton matrix O(1) as h -> 0. */
#ifndef GA_SRC_METHOD_H
#define GA_SRC_METHOD_H

#include "genalpha/ga_model.h"
#include "genalpha/ga_options.h"

enum { GA_MAX_X = 4, GA_MAX_CON = 4 };

typedef enum ga_con_kind { GA_ROW_POS, GA_ROW_VEL, GA_ROW_ACC, GA_ROW_NONHOL } ga_con_kind;
typedef enum ga_block_kind { GA_BLOCK_LAM, GA_BLOCK_PSI, GA_BLOCK_ETA } ga_block_kind;

/* Where a dynamic row is taken. */
typedef enum ga_site_kind {
  GA_SITE_NEW,           /* t_1, q_1, v_1 */
  GA_SITE_OLD,           /* t_n, q_n, v_n */
  GA_SITE_MID,           /* t_n + h/2, q_n o exp(w_q/2), (v_n + v_1)/2 */
  GA_SITE_PREDICTED_MID, /* t_n + h/2, q_n o exp(h v_n/2), (v_n + v_1)/2 */
  GA_SITE_PREDICTED_NEW, /* t_1, q_n o exp(h v_n), v_1 */
  GA_SITES
} ga_site_kind;

/* What stands on the right of M x in a dynamic row. */
typedef enum ga_row_forces {
  GA_FORCES_ALL,     /* F + R: x is v', or a */
  GA_FORCES_APPLIED, /* F alone */
  GA_FORCES_REACTION /* R alone */
} ga_row_forces;

enum { GA_NONE = -1 };

/* lam, psi: which multiplier blocks (indices into ga_method.mult) act there, GA_NONE if none */
typedef struct ga_dyn_row {
  int lam, psi;
  ga_row_forces forces;
  ga_site_kind site;
} ga_dyn_row;

typedef struct ga_tableau {
  double pa, pw, p[GA_MAX_X];
  double ra, rw, r[GA_MAX_X];
  double aa, aw, ax[GA_MAX_X];
  double rh[GA_MAX_X];
  /* Weights of mass and force; weights of the old ones, old terms = hm M_old a_n - hf f_n; points
   * where the masses are evaluated: t_n + shift h, q_n o exp(shift h v_n). Usual methods:
   * m = phi = 1, no old terms, M at (t_1, q_1). */
  double m, phi, hm, hf, shift_new, shift_old;
} ga_tableau;

/* Where the values reported at t_1 come from. The mass KKT system is solved at (t_1, q_1, v_1). */
typedef enum ga_report {
  GA_REPORT_STEP, /* v', lam, psi are unknowns of the step */
  GA_REPORT_VD,   /* v' from the mass KKT system, lam and psi from the step */
  GA_REPORT_ALL   /* all three from the mass KKT system */
} ga_report;

/* What the parameter b of the extended HHT methods may be. */
typedef enum ga_b_rule { GA_B_UNUSED, GA_B_NOT_HALF, GA_B_ZERO, GA_B_FREE } ga_b_rule;

typedef struct ga_method {
  const char *name, *variant; /* variant: NULL if there is but one */
  const char *cite, *summary;
  int nx;
  ga_dyn_row dyn[GA_MAX_X];
  int ncon; /* constraint rows and multiplier blocks: the system is square */
  ga_con_kind con[GA_MAX_CON];
  bool con_hat[GA_MAX_CON]; /* nonholonomic rows taken at v^_1 instead of v_1 */
  ga_block_kind mult[GA_MAX_CON];
  int out_x, out_lam, out_psi; /* x block kept as w and, with GA_REPORT_STEP, reported as v';
                                * multiplier blocks reported as lam, psi */
  ga_report report;
  /* Weighted residuals with old terms and masses at predicted points; x is then a_1. */
  bool weighted;
  ga_b_rule b_rule;
  void (*coef)(const ga_params *par, ga_tableau *tab);
  /* The hidden constraint G v + g_t is left free and settles at h^2 G r: the start moves v_0 there,
   * projections may keep it there, a change of h rescales it. */
  bool hidden_free;
  ga_start best_start;
} ga_method;

/* The registry: a new method is a file with its table and a line here; variants of a method are
 * tables with the same name, the first of them the default. The first of all is the default method.
 */
#define GA_METHOD_LIST(X) \
  X(stab2)                \
  X(index3)               \
  X(soi2)                 \
  X(nonhol2)              \
  X(hht)                  \
  X(hht_predicted)        \
  X(hht_mid)              \
  X(hht_mid_predicted)    \
  X(hht_lunk_simeon)      \
  X(hht_index2)           \
  X(index2)               \
  X(index1)

#define GA_METHOD_DECLARE(name) extern const ga_method ga_method_##name;
GA_METHOD_LIST(GA_METHOD_DECLARE)
#undef GA_METHOD_DECLARE

/* The method of that name and variant ("": the first), NULL with a message if there is none. */
const ga_method *ga_method_find(const char *name, const char *variant, ga_error *err);

/* Has the method rows for holonomic, for nonholonomic constraints? */
bool ga_method_holonomic(const ga_method *method);
bool ga_method_nonholonomic(const ga_method *method);

/* Names of the methods (with a variant where it is not the first) that have rows for these kinds of
 * constraints, as a list into text. */
void ga_method_list_able(bool holonomic, bool nonholonomic, char *text, size_t room);

/* Do method, model and options go together (setting.c)? Warnings go to options->log. */
ga_status ga_check_setting(const ga_method *method, const ga_model *model,
                           const ga_options *options, ga_error *err);

/* GA_ERR_ARG if the model has contacts, which `what` ("extrapolation") does not know. */
ga_status ga_refuse_contacts(const ga_model *model, const char *what, ga_error *err);

/* The coefficients shared by the methods of AB07 form, x_0 = v'_1:
 *   (1 - alpha_m) a_1 + alpha_m a_n = (1 - alpha_f) v'_1 + alpha_f w_n  inserted in Newmark's
 * formulas */
void ga_coef_newmark(const ga_params *par, ga_tableau *tab);

/* Those of the weighted form with x_0 = a^, x_1 = a_1 = a. */
void ga_coef_weighted(const ga_params *par, ga_tableau *tab);

#endif
