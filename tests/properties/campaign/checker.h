/* SPDX-License-Identifier: MIT */
/* Judges accepted steps in long double, without any part of the library.
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
#ifndef GA_STRESS_CHECKER_H
#define GA_STRESS_CHECKER_H

#include "model.h"

typedef enum stress_fault {
  FAULT_NONE,
  FAULT_FORCE,      /* a force row is not balanced */
  FAULT_POSITION,   /* |g| above 1e-8 |G| |q| */
  FAULT_VELOCITY,   /* |G v + g_t| or |k| above 1e-8 of its terms, of methods that keep it */
  FAULT_RECURSION,  /* v_1, a_1 or q_1 do not follow from the state before */
  FAULT_NOT_FINITE, /* NaN or infinity */
  FAULT_ENERGY,     /* the energy of a model that cannot gain any has grown beyond its limit */
  FAULT_COUNT
} stress_fault;

const char *stress_fault_name(stress_fault fault);

/* A state in long double; |q|, |v| as summands are kept beside it. */
typedef struct stress_state {
  long double t, h;
  long double q[STRESS_NQ], v[STRESS_NV], vd[STRESS_NV], a[STRESS_NV];
  long double lam[STRESS_ROWS], psi[STRESS_ROWS];
} stress_state;

/* One judgement: what is wrong with a state, in which row, and the ratio of error to bound. */
typedef struct stress_verdict {
  stress_fault fault;
  int row;
  double ratio;        /* largest |r_i| over the attainable bound */
  double strict_ratio; /* largest |r_i| over the first bound */
  double gross_ratio;  /* largest |r_i| over the bound of gross errors */
  double error;        /* |r_i| of the first wrong row */
  double imbalance;    /* the same over the terms of that row */
  double position;     /* largest |g_i| / (|G| |q|)_i */
} stress_verdict;

stress_state stress_state_of(const stress_model *m, const ga_state *s);

/* The state by itself. `before` is the accepted state before it, NULL after a start. */
stress_verdict stress_check(const stress_model *m, const stress_state *s,
                            const stress_state *before);

/* Whether v, q and a of a fixed step follow from the state before by the formulas of the method. */
stress_verdict stress_check_recursion(const stress_model *m, const stress_state *s,
                                      const stress_state *before);

/* The parameters of a run by Chung, Hulbert 1993: computed here, not asked for. */
typedef struct stress_parameters {
  long double am, af, gamma, beta;
} stress_parameters;

stress_parameters stress_parameters_of(const stress_model *m);

/* The force rows at a state, without a judgement: r, the first bound, F and the derivatives M, Kt,
 * Ct of r by v', q, v, matrices by rows. */
typedef struct stress_forces {
  long double r[STRESS_NV], first[STRESS_NV], F[STRESS_NV];
  long double M[STRESS_NV * STRESS_NV], Kt[STRESS_NV * STRESS_NV], Ct[STRESS_NV * STRESS_NV];
} stress_forces;

void stress_forces_of(const stress_model *m, const stress_state *s, stress_forces *out);

/* Kinetic and potential energy, of models whose parts are springs and constant forces only. */
long double stress_energy(const stress_model *m, const stress_state *s);

/* Exact derivatives against differences in long double: the largest relative error of an entry of
 * Kt, Ct and G at (t, q, v). This tests formulas.h. */
double stress_derivative_error(const stress_model *m, const stress_state *s);

#endif
