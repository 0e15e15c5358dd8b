/* SPDX-License-Identifier: MIT */
/* Judges accepted steps in long double, without using the library.
 *
 * With r = M v' - F + G^T lam + H^T psi at the accepted t, q, v, v', lam, psi, a force row is
 * balanced if
 *     |r_i| <= 1e-8 terms_i + 100 eps (|Kt| |q| + |Ct| |v|)_i,      eps = 2^-52,
 *     terms = |M| |v'| + |F| + |G|^T |lam| + |H|^T |psi|,
 *     Kt = D_q(M v' - F + G^T lam + H^T psi),   Ct = -dF/dv,        both exact.
 * |F| is the force itself, not the sum of its summands. |q| is 1 for the angles of a rotation.
 *
 * A program whose unknown is v' in double cannot always reach this bound (reach.h), and none can
 * that sees the forces as callbacks round them. q, v and v' are sums (v_n + h a_n + ..) and are
 * rounded as their summands are: where M v' = 0 is all that a row says, v' = 0 is not found exactly
 * after a contact. The forces are sums, too, and may have a jump or noise just there. The
 * attainable bound adds these: 32 roundings of each summand, the jump within one rounding, twice
 * the noise. Three counts follow.
 *     strict  steps above the first bound
 *     wrong   steps above the attainable bound
 *     gross   steps above the attainable bound + 1e-8 of the summands of M v' and F */
#ifndef GA_CAMPAIGN_CHECKER_H
#define GA_CAMPAIGN_CHECKER_H

#include "model.h"

typedef enum hard_fault {
  FAULT_NONE,
  FAULT_FORCE,      /* a force row is not balanced */
  FAULT_POSITION,   /* |g| above 1e-8 |G| |q| */
  FAULT_VELOCITY,   /* |G v + g_t| or |k| above 1e-8 of its terms, of methods that keep it */
  FAULT_RECURSION,  /* v_1, a_1 or q_1 do not follow from the state before */
  FAULT_NOT_FINITE, /* NaN or infinity */
  FAULT_ENERGY,     /* the energy of a model that cannot gain any has grown beyond its limit */
  FAULT_COUNT
} hard_fault;

const char *hard_fault_name(hard_fault fault);

/* A state in long double; |q|, |v| as summands are kept beside it. */
typedef struct hard_state {
  long double t, h;
  long double q[HARD_NQ], v[HARD_NV], vd[HARD_NV], a[HARD_NV];
  long double lam[HARD_ROWS], psi[HARD_ROWS];
} hard_state;

/* One judgement: what is wrong with a state, in which row, and the ratio of error to bound. */
typedef struct hard_verdict {
  hard_fault fault;
  int row;
  double ratio;        /* largest |r_i| over the attainable bound */
  double strict_ratio; /* largest |r_i| over the first bound */
  double gross_ratio;  /* largest |r_i| over the bound of gross errors */
  double error;        /* |r_i| of the first wrong row */
  double imbalance;    /* the same over the terms of that row */
  double position;     /* largest |g_i| / (|G| |q|)_i */
} hard_verdict;

hard_state hard_state_of(const hard_model *m, const ga_state *s);

/* The state by itself. `before` is the accepted state before it, NULL after a start. */
hard_verdict hard_check(const hard_model *m, const hard_state *s, const hard_state *before);

/* Whether v, q and a of a fixed step follow from the state before by the formulas of the method. */
hard_verdict hard_check_recursion(const hard_model *m, const hard_state *s,
                                  const hard_state *before);

/* The parameters of a run by Chung, Hulbert 1993: computed here, not asked for. */
typedef struct hard_parameters {
  long double am, af, gamma, beta;
} hard_parameters;

hard_parameters hard_parameters_of(const hard_model *m);

/* The force rows at a state, without a judgement: r, the first bound, F and the derivatives M, Kt,
 * Ct of r by v', q, v, matrices by rows. */
typedef struct hard_forces {
  long double r[HARD_NV], first[HARD_NV], F[HARD_NV];
  long double M[HARD_NV * HARD_NV], Kt[HARD_NV * HARD_NV], Ct[HARD_NV * HARD_NV];
} hard_forces;

void hard_forces_of(const hard_model *m, const hard_state *s, hard_forces *out);

/* Kinetic and potential energy, of models whose elements are springs and constant forces only. */
long double hard_energy(const hard_model *m, const hard_state *s);

/* Exact derivatives against differences in long double: the largest relative error of an entry of
 * Kt, Ct and G at (t, q, v). This tests formulas.h. */
double hard_derivative_error(const hard_model *m, const hard_state *s);

#endif
