/* SPDX-License-Identifier: MIT */
/* Which Newton tolerance a step gets: a loose one where no force is stiff (docs/internals/step-size.md).
 */
#include <math.h>
#include <string.h>

#include "step/acceptance.h"
#include "step/rounding.h"

/* A force is stiff if its part of the matrix is more than this of the inertia: about h omega > 1. */
static const double STIFF = 0.25;

void ga_acceptance_loosen(ga_acceptance *a, double loose) {
  a->loose = ga_max(loose, a->strict);
}

void ga_acceptance_set_tolerances(ga_acceptance *a, double tol, double loose) {
  a->tol = a->strict = tol;
  ga_acceptance_loosen(a, loose);
}

/* Is a force stiff? Its part of the matrix, phi h^2 p |K_ii| + phi h r |C_ii|, is more than STIFF of m
 * M_ii for a velocity i. Without mass it moves others: M_ii is then that of the lightest one, in the
 * metric W. The tangents that a model's own solver is made of are not known: they count as stiff.
 * shift_q and shift_v are work. Collective. */
static bool is_stiff(ga_acceptance *a, const ga_factors *factors) {
  const ga_equations *eq = a->eq;
  const ga_tangents *d = &factors->matrix.tangents;
  const double h = eq->h;
  const size_t bytes = (size_t)eq->nv * sizeof(double);
  double *all = a->shift_v, *part = a->shift_q;
  double lightest = INFINITY; /* inertia, in the metric W */
  bool stiff = eq->own;
  memset(all, 0, bytes);
  for (int j = 0; j < eq->method->nx && !eq->own; j++) {
    double by_q, by_v;
    ga_rounding_row_factors(eq, j, &by_q, &by_v);
    memset(part, 0, bytes);
    ga_csr_add_diagonal_sizes(&d->Kt[j], part);
    ga_axpy(eq->nv, h * h * fabs(by_q * eq->tab.p[j]), part, all);
    memset(part, 0, bytes);
    ga_csr_add_diagonal_sizes(&d->Ct[j], part);
    ga_axpy(eq->nv, h * fabs(by_v * eq->tab.r[j]), part, all);
  }
  if (ga_team_sum_shared(eq->eval->team, 1, all) != GA_OK) return true;
  for (int i = 0; i < eq->nv; i++) {
    if (a->inertia[i] > 0) lightest = fmin(lightest, a->inertia[i] * a->per_metric[i]);
  }
  lightest = -ga_team_max(eq->eval->team, -lightest);
  for (int i = 0; i < eq->nv && !stiff; i++) {
    const double mass = a->inertia[i] > 0 ? a->inertia[i] : lightest / a->per_metric[i];
    stiff = !(all[i] <= STIFF * mass);
  }
  return ga_team_any(eq->eval->team, stiff);
}

/* Set tol of the present factors: an error of accelerations that a stiff spring makes grows by (h
 * omega)^2 from step to step, and makes vibrations that automatic steps would follow; rows that are
 * left out follow from the others as far as these are solved. Collective. */
void ga_acceptance_choose_tolerance(ga_acceptance *a, const ga_factors *factors) {
  if (!(a->loose > a->strict)) return;
  a->tol = a->eq->ndropped > 0 || is_stiff(a, factors) ? a->strict : a->loose;
}
