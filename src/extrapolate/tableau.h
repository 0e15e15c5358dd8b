/* SPDX-License-Identifier: MIT */
/* Extrapolation of states computed with several step sizes, and its error estimates. */
#ifndef GA_SRC_TABLEAU_H
#define GA_SRC_TABLEAU_H

#include "genalpha/ga_extrapolate.h"
#include "genalpha/ga_model.h"

enum { GA_VARIABLES = 5 }; /* q, v, vd, lam, psi */

/* A state as one array: q, v, vd, lam, psi. */
typedef struct ga_layout {
  const ga_space *space;
  int at[GA_VARIABLES + 1]; /* where each begins; the last: the size of all */
} ga_layout;

/* The layout of a model; copy a state into an array; let a state point into an array. */
ga_layout ga_layout_of(const ga_model *model);
void ga_layout_pack(const ga_layout *layout, const ga_state *state, double *x);
void ga_layout_unpack(const ga_layout *layout, const double *x, ga_state *state);

/* Largest difference of two packed states in a variable: 0 q (along the group), 1 v, .. 4 psi. */
double ga_layout_distance(const ga_layout *layout, int variable, const double *a, const double *b);

/* b <- b + (b - a)/f, in q along the group; w: work of nv numbers. */
void ga_layout_extrapolate(const ga_layout *layout, double f, const double *a, double *b,
                           double *w);

enum { GA_TABLEAU_ROWS_MAX = 6 };

/* The last row j of a tableau whose rows have the steps 1/m[0] > 1/m[1] > ... > 1/m[j]. */
typedef struct ga_tableau_row {
  int columns; /* T_{j,0}, ..., T_{j,columns-1} */
  double
      f[GA_TABLEAU_ROWS_MAX]; /* f_{j,k}: T_{j,k} = T_{j,k-1} + (T_{j,k-1} - T_{j-1,k-1})/f_{j,k} */
  double falls[GA_TABLEAU_ROWS_MAX]; /* leading error of T_{j-1,k} over that of T_{j,k} */
} ga_tableau_row;

/* Its coefficients; 1 <= rows <= GA_TABLEAU_ROWS_MAX, falls[k] for k <= rows - 2. */
ga_tableau_row ga_tableau_last_row(int rows, const double *m);

/* Rows of an extrapolator: row 0 has the step 2h, row j + 1 the step h/m_j. */

/* m_0 = 1, m_1, ...: 2^j or j + 1 */
int ga_substeps(ga_extrapolate_steps steps, int j);

/* Coefficients that depend only on the sequence of steps. */
typedef struct ga_divisors {
  int K;
  double f[GA_EXTRAPOLATE_MAX + 1][GA_TABLEAU_ROWS_MAX]; /* f[k][row], row >= k >= 1 */
  double fall;    /* expected factor between the last two differences of column K - 1 */
  double divisor; /* distance of the two results divided by the error of the better one */
} ga_divisors;

/* The coefficients of K columns, 1 <= K <= GA_EXTRAPOLATE_MAX. */
ga_divisors ga_factors_of(ga_extrapolate_steps steps, int K);

/* x[0], ..., x[K+1]: the states of the rows, x[0] NULL if there is none with 2h. They are
 * overwritten; x[K+1] becomes the result, x[K] the one from 2h on. w is work of nv numbers. fall:
 * factor by which the differences in column K - 1 fall, per variable; not set without x[0]. */
void ga_combine(const ga_layout *layout, const ga_divisors *factors, double *const *x, double *w,
                double fall[GA_VARIABLES]);

/* Error of the result from its distance to the one from 2h on (NULL: NaN). */
void ga_combined_errors(const ga_layout *layout, const ga_divisors *factors,
                        const double fall[GA_VARIABLES], const double *with_2h,
                        const double *result, double error[GA_VARIABLES]);

#endif
