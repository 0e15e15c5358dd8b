/* SPDX-License-Identifier: MIT */
/* The equations of a model at a state, in long double: M, F, g, k and their exact derivatives. They
 * are those of formulas.h and rows.h; nothing of the library is used. */
#ifndef GA_CAMPAIGN_BALANCE_H
#define GA_CAMPAIGN_BALANCE_H

#include "model.h"

/* A state in long double. */
typedef struct hard_state {
  long double t, h;
  long double q[HARD_NQ], v[HARD_NV], vd[HARD_NV], a[HARD_NV];
  long double lam[HARD_ROWS], psi[HARD_ROWS];
} hard_state;

hard_state hard_state_of(const hard_model *m, const ga_state *s);

/* All that is known at a state; matrices by rows. G has the rows of G, then those of H. */
typedef struct hard_balance {
  long double M[HARD_NV * HARD_NV];
  long double K[HARD_NV * HARD_NV];      /* D_q(M v' - F + G^T lam + H^T psi) */
  long double C[HARD_NV * HARD_NV];      /* -dF/dv */
  long double G[HARD_ROWS * HARD_NV];    /* G, H */
  long double Z[HARD_ROWS * HARD_NV];    /* D_q(G v), D_q(H v) */
  long double value[HARD_ROWS];          /* g; k of the nonholonomic rows */
  long double rate[HARD_ROWS];           /* G v + g_t; k of the nonholonomic rows */
  long double F[HARD_NV], push[HARD_NV]; /* F; G^T lam + H^T psi */
  long double r[HARD_NV];                /* M v' - F + G^T lam + H^T psi */
  /* what rounding and jumps can do to F: the sum of the magnitudes of its summands, its jump within
   * four roundings of q, v, t, its noise */
  long double size[HARD_NV], jump[HARD_NV], noise[HARD_NV];
  /* sums of the magnitudes of the summands of a constraint row and of its rate */
  long double value_size[HARD_ROWS], rate_size[HARD_ROWS];
} hard_balance;

/* Without inertia K has no derivative of M v'. */
void hard_evaluate(const hard_model *m, const hard_state *s, bool inertia, hard_balance *b);

/* M at q, by rows. */
void hard_mass_at(const hard_model *m, const long double *q, long double *M);

/* to = from o exp(w): sums, and quaternions times exp(w/2). `to` may be `from`. */
void hard_move(const hard_model *m, const long double *from, const long double *w, long double *to);
/* w with to = from o exp(w); of a rotation the one nearest to `near`. */
void hard_log(const hard_model *m, const long double *from, const long double *to,
              const long double *near, long double *w);
/* The 3 x 3 tangent T of exp at a rotation vector w: exp(w + d) = exp(w) o exp(T d + ..). */
void hard_tangent(const long double w[3], long double T[9]);

/* Kinetic and potential energy, of models whose elements are springs and constant forces only. */
long double hard_energy(const hard_model *m, const hard_state *s);

/* Exact derivatives against differences in long double: the largest relative error of an entry of
 * K, C, G and H at (t, q, v). This tests formulas.h and rows.h. */
double hard_derivative_error(const hard_model *m, const hard_state *s);

#endif
