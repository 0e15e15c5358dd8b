/* SPDX-License-Identifier: MIT */
/* Sizes of vectors and of rows in the metric W of the model. */
#include "kkt/measure.h"

#include <math.h>

/* max_i sqrt(w_i) |x_i| over all processes; NaN if an entry is. Collective. */
double ga_measure(const ga_eval *e, const double *x) {
  double largest = 0;
  for (int i = 0; i < e->nv; i++) largest = ga_larger(largest, e->root_metric[i] * fabs(x[i]));
  return ga_team_max(e->team, largest);
}

/* max_i sqrt(w_i) |x_i - y_i| over all processes; NaN if an entry is. Collective. */
double ga_measure_difference(const ga_eval *e, const double *x, const double *y) {
  double largest = 0;
  for (int i = 0; i < e->nv; i++) {
    largest = ga_larger(largest, e->root_metric[i] * fabs(x[i] - y[i]));
  }
  return ga_team_max(e->team, largest);
}

/* max_i sqrt(w_i) size_i over all processes; size (nv numbers) = sizes of the coordinates q.
 * Collective. */
double ga_measure_position(const ga_eval *e, const double *q, double *size) {
  ga_eval_size(e, q, size);
  return ga_measure(e, size);
}

/* sum_j |A_ij|/sqrt(w_j) of row i of the gradient A. */
double ga_measure_reach(const ga_eval *e, const ga_csr *A, int i) {
  double sum = 0;
  for (int k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
    sum += fabs(A->val[k]) / e->root_metric[A->col[k]];
  }
  return sum;
}

/* The same, and at least model.row_reach[n]. */
double ga_measure_row(const ga_eval *e, const ga_csr *A, int i, int n) {
  const double reach = ga_measure_reach(e, A, i);
  return e->model->row_reach ? fmax(reach, e->model->row_reach[n]) : reach;
}

/* sqrt(sum_j A_ij^2/w_j) of row i of the gradient A. */
double ga_measure_length(const ga_eval *e, const ga_csr *A, int i) {
  double sum = 0;
  for (int k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
    sum += A->val[k] * A->val[k] / e->metric[A->col[k]];
  }
  return sqrt(sum);
}
