/* SPDX-License-Identifier: MIT */
/* A method is a table: coefficients, constraint rows, multiplier blocks. The step core (src/step)
 * reads the table and knows no method by name.
 *
 * A step of size h from t_n solves for x_0 .. x_{nx-1} in R^nv and multiplier blocks, everything in
 * acceleration units:
 *
 *   w_q  = h v_n + h^2 [ pa a_n + pw w_n + sum_j p[j] x_j - G(t_n,q_n)^T eta ]
 *   q_1  = q_n o exp(w_q~)
 *   v_1  = v_n + h [ ra a_n + rw w_n + sum_j r[j] x_j ],  v^_1 the same with rh[j]
 *   a_1  = aa a_n + aw w_n + sum_j ax[j] x_j
 *
 *   dynamic row j:    m M x_j - phi (F + R(lam_j, psi_j)) + history = 0   F, R at (t_1, q_1, v_1)
 *   constraint rows:  g/h^2 = 0,  (G v + g_t)/h = 0,  k/h = 0,
 *                     G x + Z v + G_t v + g_tt = 0, x the one reported as v'   at (t_1, q_1, v_1)
 *
 * w_n is the second memory, v'_n; eta is present where a block of that kind is (eta_paper = h eta).
 * Dividing position rows by h^2 and velocity rows by h keeps the Newton matrix O(1) as h -> 0. */
#ifndef GA_SRC_METHOD_H
#define GA_SRC_METHOD_H

#include "genalpha/ga_options.h"

enum { GA_MAX_X = 2, GA_MAX_CON = 4 };

typedef enum ga_con_kind { GA_ROW_POS, GA_ROW_VEL, GA_ROW_ACC, GA_ROW_NONHOL } ga_con_kind;
typedef enum ga_block_kind { GA_BLOCK_LAM, GA_BLOCK_PSI, GA_BLOCK_ETA } ga_block_kind;

/* which multiplier blocks (indices into ga_method.mult) act in a dynamic row */
typedef struct ga_dyn_row {
  int lam, psi;
} ga_dyn_row;

typedef struct ga_tableau {
  double pa, pw, p[GA_MAX_X];
  double ra, rw, r[GA_MAX_X];
  double aa, aw, ax[GA_MAX_X];
  double rh[GA_MAX_X];
  /* weights of mass and force; of the old ones in the history: hm M_old a_n - hf f_n; and where the
   * masses are taken: t_n + shift h, q_n o exp(shift h v_n). Usual methods: m = phi = 1, no
   * history, M at (t_1, q_1). */
  double m, phi, hm, hf, shift_new, shift_old;
} ga_tableau;

typedef struct ga_method {
  const char *name, *cite, *summary;
  int nx;
  ga_dyn_row dyn[GA_MAX_X];
  int ncon; /* constraint rows and multiplier blocks: the system is square */
  ga_con_kind con[GA_MAX_CON];
  bool con_hat[GA_MAX_CON]; /* nonholonomic rows taken at v^_1 instead of v_1 */
  ga_block_kind mult[GA_MAX_CON];
  int out_x, out_lam, out_psi; /* x block reported as v', multiplier blocks reported as lam, psi */
  /* Weighted residuals with a history and masses at predicted points; x is then a_1, and v' at t_1
   * comes from the mass KKT system. */
  bool weighted;
  void (*coef)(const ga_params *par, ga_tableau *tab);
  /* The hidden constraint G v + g_t is left free and settles at h^2 G r: the start moves v_0 there,
   * projections may keep it there, a change of h rescales it. */
  bool hidden_free;
  ga_start best_start;
} ga_method;

/* The registry: a new method is a file with its table and a line here. The first is the default. */
#define GA_METHOD_LIST(X) \
  X(stab2)                \
  X(index3)               \
  X(soi2)                 \
  X(index2)               \
  X(index1)

#define GA_METHOD_DECLARE(name) extern const ga_method ga_method_##name;
GA_METHOD_LIST(GA_METHOD_DECLARE)
#undef GA_METHOD_DECLARE

/* The method of that name, NULL with a message if there is none. */
const ga_method *ga_method_find(const char *name, ga_error *err);

/* The coefficients shared by the methods of AB07 form, x_0 = v'_1:
 *   (1 - alpha_m) a_1 + alpha_m a_n = (1 - alpha_f) v'_1 + alpha_f w_n  inserted in Newmark's
 * formulas */
void ga_coef_newmark(const ga_params *par, ga_tableau *tab);

/* Those of the weighted form with x_0 = a^, x_1 = a_1 = a. */
void ga_coef_weighted(const ga_params *par, ga_tableau *tab);

#endif
