/* SPDX-License-Identifier: MIT */
/* Relations of coordinates, e = sum c_k theta_k - equals - f(t, theta): couplers, ropes, backlash. */
#ifndef GA_SRC_RELATION_H
#define GA_SRC_RELATION_H

#include "mechanism/mechanism.h"

/* A relation at a state. Derivatives by the coordinates of the element; second ones only if they were
 * asked for. */
typedef struct ga_relation_point {
  double value, rate; /* e, e' */
  double by_t, drift; /* de/dt; second derivative of e along the motion without theta'' */
  double by[GA_RELATION_MAX], bend[GA_RELATION_MAX]; /* de/dtheta_k, de'/dtheta_k */
  int n;                                             /* variables of f that are coordinates */
  const int *variable;                               /* their numbers among the coordinates */
  double H[GA_USES_MAX * GA_USES_MAX];               /* second derivatives of e by them */
} ga_relation_point;

/* *at <- the relation of el at the state of the pass. second: bend, drift and H are wanted. 0, or the
 * code of the author's function. */
int ga_relation_at(const ga_pass *pass, const ga_element *el, bool second, ga_relation_point *at);

/* One holonomic row e = 0 of an element, with its tangent. 0, or the code of the element. */
int ga_relation_row(ga_pass *pass, const ga_element *el);
/* A force -tau de/dtheta_k on every coordinate: F, and Kt, Ct with the derivatives of tau by e and
 * e'. */
void ga_relation_force(ga_pass *pass, const ga_element *el, const ga_relation_point *at, double tau,
                       double by_e, double by_rate);
/* nonzeros of both */
void ga_relation_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s);
/* -multiplier sum de/dtheta_k theta_k': power that the element delivers */
double ga_relation_power(ga_pass *pass, const ga_element *el, double multiplier);
/* f as function 0 of the element; field: its name in messages */
bool ga_relation_function(ga_pass *pass, const ga_element *el, const char *field, int i,
                          ga_call *call);

/* Columns e, e' and an effort, a function of e and e' alone (its context is the data of el), and
 * GA_POWER, sign times effort times e', as signals; false as ga_element_type.signal. */
bool ga_relation_effort_signal(ga_mechanism *m, const ga_element *el, ga_function_fn effort,
                               double sign, int column, ga_signal *signal);

/* Terms of a relation as an author gives them. */
typedef struct ga_relation_terms {
  int count;
  const char *const *coordinates;
  const double *coefficients;
  const ga_function *function; /* f; NULL or not given: none */
  const char *field;           /* name of f, for messages */
} ga_relation_terms;
/* Fills relation and the coordinates of el, in m's arena. Coordinates are created if necessary; after
 * a failure none of them stays. equals <- the value of the sum at the start if there is no f. */
ga_status ga_relation_describe(ga_mechanism *m, const char *owner, const ga_relation_terms *terms,
                               ga_element *el, ga_relation *relation, ga_error *err);

/* Effort of a one-sided spring and damper at penetration p with rate p', k p + d with d = c p', but
 * |d| <= k p, and 0 for p <= 0: it begins at 0 at any speed and never pulls. *by_p, *by_rate: its
 * derivatives. */
double ga_push_back(double k, double c, double p, double rate, double *by_p, double *by_rate);

/* A function that differs from the constant 0 of an empty description */
static inline bool ga_function_given(const ga_function *f) {
  return f->fn || f->text || f->constant != 0;
}

#endif
