/* SPDX-License-Identifier: MIT */
/* How fast the layer of a plain start dies out, for JN08 Theorem 1 and J11 Theorem 6.1. */
#ifndef PAPERS_RATES_H
#define PAPERS_RATES_H

#include "papers/lab.h"

/* r_alpham, r_gamma, r_alphaf of J11 Theorem 6.1 */
typedef struct rates {
  double m, gamma, f;
} rates;
rates rates_of(double rho);

enum { RATES = 3 };
extern const double rates_rho[RATES];

/* Decay per step of a and of the multipliers for the three values of rho, from the difference of a
 * run with plain start and one with shifted start. The differences replace the result's table. */
typedef struct decay {
  double a, mult;
} decay;
bool rates_measure(result *r, const char *problem, const char *method, decay found[RATES]);

/* Claims on one rate: at most the bound of the paper, or else the corrected one (right); and, as an
 * addition, equal to the latter. */
void rates_judge(result *r, double bound, double right, double found, const char *because,
                 const char *what);

extern const chart rates_chart;

#endif
