/* SPDX-License-Identifier: MIT */
/* The equations of one step in long double, as a function of the unknowns around an accepted step,
 * and their root next to it. Nothing of the library is used.
 *
 * With x = v'_1 (soi2: a_1) the formulas of a step are
 *     v_1 = c_v + h s x,     q_1 = q_0 o exp(c_q + h^2 p x - h G_0^T eta),    eta of stab2 only,
 * p = beta (1 - alpha_f)/(1 - alpha_m), s = gamma (1 - alpha_f)/(1 - alpha_m) (soi2: beta, gamma).
 * c_v and c_q are those that lead to the accepted q_1, v_1, x; recursion.h asks whether they follow
 * from the state before. eta is counted from the accepted one, which is in c_q. The rows are
 *     M x - F + G^T lam + H^T psi = 0,   g = 0,   k = 0,   stab2: G v_1 + g_t = 0,
 * soi2, with f = F - G^T lam - H^T psi, and q_1 by a~ in place of a:
 *     (1 - alpha_m) M_{1+alpha} a~ + alpha_m M_alpha a_0 = (1 - alpha_f) f~_1 + alpha_f f_0,
 *     (1 - alpha_m) M_{1+alpha} a  + alpha_m M_alpha a_0 = (1 - alpha_f) f_1  + alpha_f f_0,
 *     g = 0,   G v_1 + g_t = 0,   k = 0 at v_1 and at v~_1 = v_1 + h gamma (a~ - a). */
#ifndef GA_CAMPAIGN_STEP_ROOT_H
#define GA_CAMPAIGN_STEP_ROOT_H

#include "balance.h"
#include "lu.h"

enum { HARD_UNKNOWNS = 2 * HARD_NV + 2 * HARD_ROWS };

/* The parameters of a run by Chung, Hulbert 1993: computed here, not asked for. */
typedef struct hard_parameters {
  long double am, af, gamma, beta;
} hard_parameters;

hard_parameters hard_parameters_of(const hard_model *m);

/* What is compared of a step: accelerations, positions (as increments), velocities, forces of the
 * constraints, nv numbers each. */
enum { HARD_ACCELERATION, HARD_POSITION, HARD_VELOCITY, HARD_FORCE, HARD_KINDS };
typedef long double hard_results[HARD_KINDS][HARD_NV];

typedef struct hard_step {
  const hard_model *model;
  const hard_state *before, *now;
  int nv, nl, np;                      /* velocities, holonomic and nonholonomic rows */
  bool eta, weighted;                  /* stab2 with holonomic rows; soi2 */
  int n, at_pos, at_x, at_lam, at_eta; /* unknowns, and where their blocks begin */
  long double by_q, by_v;              /* h^2 p, h s */
  long double m1;                      /* factor of M x in its row: 1; soi2 (1 - am)/(1 - af) */
  long double W[HARD_NV];              /* q_0^-1 q_1 as an increment */
  long double G0[HARD_ROWS * HARD_NV];
  long double M1[HARD_NV * HARD_NV], old[HARD_NV];   /* soi2: M_{1+alpha}, old terms, */
  long double old_size[HARD_NV], old_noise[HARD_NV]; /* their summands and their noise */
  long double tilde[HARD_NV];                        /* a~ at the accepted q_1 */
  long double q_size[HARD_NV], v_size[HARD_NV];      /* magnitudes of the summands of q_1 and v_1 */
  /* at the unknowns evaluated last */
  hard_balance b;
  long double r[HARD_UNKNOWNS];
  hard_lu lu; /* the derivative of r, or its factors; freed by hard_step_close */
} hard_step;

/* The memory that a step began with, which soi2 has in its rows, and its rounding. */
typedef struct hard_memory {
  long double a[HARD_NV], error[HARD_NV];
} hard_memory;

/* The step from `before` to `now`, from the memory a_0. */
void hard_step_open(hard_step *s, const hard_model *m, const hard_state *before,
                    const hard_state *now, const hard_memory *a_0);
void hard_step_close(hard_step *s);

/* X: the unknowns of the accepted step. */
void hard_step_accepted(const hard_step *s, long double *X);

/* Evaluate r and, if wanted, its derivative at X. False if a force does not exist there. */
bool hard_step_evaluate(hard_step *s, const long double *X, bool derivative);

/* What differs between X and the accepted step. X must be the unknowns evaluated last. */
void hard_step_change(const hard_step *s, const long double *X, const long double *push,
                      hard_results out);

/* To first order, what a change dX of the unknowns does. */
void hard_step_first_order(const hard_step *s, const long double *dX, hard_results out);

/* The column of the derivative of r by q_j (of_q) or by v_j, n numbers. */
void hard_step_column(const hard_step *s, int j, bool of_q, long double *out);

#endif
