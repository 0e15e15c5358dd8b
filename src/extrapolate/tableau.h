/* SPDX-License-Identifier: MIT */
/* Combining states of several step sizes, and what their differences tell. */
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

ga_layout ga_layout_of(const ga_model *model);
void ga_layout_pack(const ga_layout *layout, const ga_state *state, double *x);
void ga_layout_unpack(const ga_layout *layout, const double *x, ga_state *state);

/* Largest difference in a variable. */
double ga_layout_distance(const ga_layout *layout, int variable, const double *a, const double *b);

/* b <- b + (b - a)/f, in q along the group; w has nv places. */
void ga_layout_extrapolate(const ga_layout *layout, double f, const double *a, double *b,
                           double *w);

/* x[0], ..., x[count-1]: states with falling steps, each half of the one before, count = K + 1, or
 * K + 2 with one of 2h in front. They are overwritten; x[count-1] becomes the result. finest and w
 * are work, of a state and of nv places. error: of the result, NaN without a state of 2h;
 * finest_error: of what x[count-1] was. */
void ga_tableau(const ga_layout *layout, int K, int count, double *const *x, double *finest,
                double *w, double error[GA_VARIABLES], double finest_error[GA_VARIABLES]);

#endif
