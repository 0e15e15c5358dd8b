/* SPDX-License-Identifier: MIT */
/* One step of two methods on the papers' own test problems, written down from the papers
 * without the library, in long double: for theorems on a single step from values that are free
 * to choose. */
#ifndef PAPERS_DIRECT_H
#define PAPERS_DIRECT_H

#include "papers/lab.h"

enum { DIRECT_DIM = 2 };

/* State at the beginning or the end of a step. mult: for the extended HHT method Lambda_0 and
 * Lambda_1 of the step that led here; for the nonholonomic method psi_n, and 0. */
typedef struct direct_state {
  long double t, y[DIRECT_DIM], z[DIRECT_DIM], a[DIRECT_DIM], mult[DIRECT_DIM];
} direct_state;

/* Extended HHT method, JN07 (3.4), first test problem of its section 5; Newton iteration from the
 * guess of both multipliers. False if it does not converge. */
bool direct_hht(const ga_params *par, long double h, const long double guess[DIRECT_DIM],
                const direct_state *from, direct_state *to);
/* The same problem by the partitioned Runge-Kutta method of the two-stage Lobatto IIIA and IIIB
 * coefficients, from its Butcher arrays; guess of the multipliers of both stages. */
bool direct_lobatto(long double h, const long double guess[DIRECT_DIM], const direct_state *from,
                    direct_state *to);
/* Method J11 (2.3) on its test problem (7.1), M_alpha evaluated; guess of (a, psi). */
bool direct_nonholonomic(const ga_params *par, long double h,
                         const long double guess[DIRECT_DIM + 1], const direct_state *from,
                         direct_state *to);

/* The exact solution at t, with a = v'(t + shift); for HHT a is the applied term f alone. */
direct_state direct_exact_hht(long double t, long double shift);
direct_state direct_exact_nonholonomic(long double t, long double shift);

/* Determinant of the scaled equations of one step from the exact solution at t = 0 with respect to
 * (Lambda_0, Lambda_1), or to (a, psi). */
long double direct_det_hht(const ga_params *par, long double h);
long double direct_det_nonholonomic(const ga_params *par, long double h);

/* The projector P along the multipliers' forces onto the free directions, by rows. */
void direct_projector_hht(const direct_state *x, long double P[DIRECT_DIM * DIRECT_DIM]);
void direct_projector_nonholonomic(const direct_state *x, long double P[DIRECT_DIM * DIRECT_DIM]);

/* Moved along the constraint: y1 by dy and z1 by dz (HHT), or y by (dy, dy) and z1 by dz
 * (nonholonomic); the rest follows from the constraints. */
void direct_move_hht(direct_state *x, long double dy, long double dz);
void direct_move_nonholonomic(direct_state *x, long double dy, long double dz);

#endif
