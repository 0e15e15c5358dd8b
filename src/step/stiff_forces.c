/* SPDX-License-Identifier: MIT */
/* Which Newton tolerance a step gets: a loose one where no force is stiff (docs/internals/step-size.md).
 */
#include <math.h>

#include "step/acceptance.h"
#include "step/rounding.h"

/* A force is stiff if its part of the matrix is more than this of the inertia: about h omega > 1. */
static const double STIFF = 0.25;

/* Find the slots of the diagonals of these tangents. Collective. */
ga_status ga_acceptance_find_diagonals(ga_acceptance *a, const ga_factors *factors,
                                       ga_arena *arena) {
  const ga_equations *eq = a->eq;
  const ga_tangents *d = &factors->matrix.tangents;
  if (eq->own) return GA_OK;
  for (int j = 0; j < eq->method->nx; j++) {
    a->slot_K[j] = ga_arena_ints(arena, (size_t)eq->nv);
    a->slot_C[j] = ga_arena_ints(arena, (size_t)eq->nv);
    for (int i = 0; i < eq->nv && !arena->failed; i++) {
      a->slot_K[j][i] = ga_csr_find(&d->Kt[j], i, i);
      a->slot_C[j][i] = ga_csr_find(&d->Ct[j], i, i);
    }
  }
  const ga_status status = arena->failed ? ga_fail(eq->err, GA_ERR_MEM, "no memory") : GA_OK;
  return ga_team_agree(eq->eval->team, status, eq->err);
}

/* |A_ii|, at this slot; -1: none. */
static double diagonal_size(const ga_csr *A, int slot) {
  return slot >= 0 ? fabs(A->val[slot]) : 0;
}

void ga_acceptance_set_tolerances(ga_acceptance *a, double tol, double loose) {
  a->tol = a->strict = tol;
  a->loose = ga_max(loose, tol);
}

/* Is a force stiff? Its part of the matrix, phi h^2 p |K_ii| + phi h r |C_ii|, is more than STIFF of m
 * M_ii for a velocity i. Without mass it moves others: M_ii is then that of the lightest one, in the
 * metric W. The tangents that a model's own solver is made of are not known: they count as stiff.
 * shift_v is work. Collective. */
static bool is_stiff(ga_acceptance *a, const ga_factors *factors) {
  const ga_equations *eq = a->eq;
  const ga_tangents *d = &factors->matrix.tangents;
  const double h = eq->h;
  double *all = a->shift_v;
  double lightest = INFINITY; /* inertia, in the metric W */
  bool stiff = eq->own, massless = false;
  for (int j = 0; j < eq->method->nx && !eq->own; j++) {
    double by_q, by_v;
    ga_rounding_row_factors(eq, j, &by_q, &by_v);
    by_q = h * h * fabs(by_q * eq->tab.p[j]);
    by_v = h * fabs(by_v * eq->tab.r[j]);
    for (int i = 0; i < eq->nv; i++) {
      const double of_K = by_q * diagonal_size(&d->Kt[j], a->slot_K[j][i]);
      all[i] = (j > 0 ? all[i] : 0) + of_K + by_v * diagonal_size(&d->Ct[j], a->slot_C[j][i]);
    }
  }
  if (stiff || ga_team_sum_shared(eq->eval->team, 1, all) != GA_OK) return true;
  for (int i = 0; i < eq->nv && !stiff; i++) {
    massless = massless || !(a->inertia[i] > 0);
    stiff = a->inertia[i] > 0 && !(all[i] <= STIFF * a->inertia[i]);
  }
  const double found = ga_team_max(eq->eval->team, stiff ? 2 : massless ? 1 : 0);
  if (found != 1) return found > 1;
  for (int i = 0; i < eq->nv; i++) {
    if (a->inertia[i] > 0) lightest = fmin(lightest, a->inertia[i] * a->per_metric[i]);
  }
  lightest = -ga_team_max(eq->eval->team, -lightest);
  for (int i = 0; i < eq->nv && !stiff; i++) {
    stiff = !(a->inertia[i] > 0) && !(all[i] <= STIFF * lightest / a->per_metric[i]);
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
