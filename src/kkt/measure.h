/* SPDX-License-Identifier: MIT */
/* Sizes in the metric W of the model (ga_model.metric): lengths and angles, and rows of either kind,
 * become comparable. Under a change of units all sizes of one kind change by the same factor. */
#ifndef GA_SRC_MEASURE_H
#define GA_SRC_MEASURE_H

#include "model/evaluation.h"

/* max_i sqrt(w_i) |x_i|, of a change of q, a velocity or an acceleration; NaN if an entry is.
 * Collective: the largest of all processes. */
double ga_measure(const ga_eval *e, const double *x);
/* The same of x - y. */
double ga_measure_difference(const ga_eval *e, const double *x, const double *y);

/* max_i sqrt(w_i) size_i with the sizes of the coordinates q (ga_eval_size), of which rounding
 * errors of positions are fractions. size: nv numbers of work. Collective. */
double ga_measure_position(const ga_eval *e, const double *q, double *size);

/* sum_j |A_ij|/sqrt(w_j): how far row i of a gradient can change if the change of q (or v) has the
 * size 1 in W. `row`: the same of row n of g and then of k, row i of its gradient G or H, and at least
 * the model's row_reach. `length`: sqrt(sum_j A_ij^2/w_j), the length of the row in W^-1. */
double ga_measure_reach(const ga_eval *e, const ga_csr *A, int i);
double ga_measure_row(const ga_eval *e, const ga_csr *A, int i, int n);
double ga_measure_length(const ga_eval *e, const ga_csr *A, int i);

#endif
