/* SPDX-License-Identifier: MIT */
/* What roundings of q_1 and v_1 do to the force rows of a step.
 *
 * q_1 and v_1 are rounded, by dq and dv with |dq| <= eps Q and |dv| <= eps V. So no residual can be
 * made smaller than K dq + C dv, of which the tangents of the model tell:
 *
 *     rows         |r_i| <= eps (|K| Q + |C| V)_i,
 *     increments   dx = A^-1 (K dq + C dv),  about dq/(h^2 p) in stiff directions, where A is nearly
 *                  h^2 p K, and far less in soft ones.
 *
 * Signs of dq and dv are taken at random. A model may be wrong about its tangents. So the bound of a
 * row counts only as far as the force changes as they say, when q_1 and v_1 are moved by SHIFT
 * roundings: by the factor min(1, |r(moved) - r| / |K dq + C dv|). A jump of a force does not enlarge
 * it. In one row of many the summands of K dq + C dv cancel by chance, and the change is all noise: of
 * two probes counts that with the larger |K dq + C dv|. */
#include "step/rounding.h"

#include <math.h>
#include <string.h>

/* Roundings by which q_1 and v_1 are moved to compare forces with tangents: so many that the roundings
 * of the forces do not count. */
static const double SHIFT = 1024;
/* A number of size 1/2 to 1, of either sign, for velocity i in this probe: the same in every run. No
 * two are equal, so that the changes of two coordinates do not cancel. */
static double weight_of(unsigned i, unsigned probe) {
  unsigned bits = (i + 1) * 2654435761u ^ (probe + 1) * 2246822519u;
  bits = (bits ^ bits >> 15) * 2654435761u;
  bits ^= bits >> 13;
  return (bits & 1 ? 0.5 : -0.5) * (1 + bits / 4294967296.0);
}

/* shift_q, shift_v <- times eps Q, V with random weights. A shared velocity has the same weight on
 * all processes. */
static void set_shift(const ga_acceptance *a, unsigned probe, double times) {
  const ga_equations *eq = a->eq;
  const ga_team *team = eq->eval->team;
  for (int i = 0; i < eq->nv; i++) {
    const unsigned number = team ? (unsigned)team->velocity[i] : (unsigned)i;
    a->shift_q[i] = times * DBL_EPSILON * weight_of(number, 2 * probe) * a->size_q[i];
    a->shift_v[i] = times * DBL_EPSILON * weight_of(number, 2 * probe + 1) * a->size_v[i];
  }
}

/* r (n numbers): the residual at x with q_1, v_1 moved by shift_q and shift_v. */
static ga_status evaluate_moved(ga_acceptance *a, const double *x, double *r) {
  const ga_shift shift = {a->shift_q, a->shift_v};
  return ga_equations_evaluate(a->eq, x, &shift, NULL, r, a->probe_terms);
}

void ga_rounding_row_factors(const ga_equations *eq, int j, double *by_q, double *by_v) {
  const ga_site *site = &eq->site[eq->method->dyn[j].site];
  *by_q = eq->tab.phi * site->by_wq;
  *by_v = eq->tab.phi * site->by_v1;
}

/* r (n numbers) <- K shift_q + C shift_v in the force rows of this process */
static void multiply_tangents(const ga_acceptance *a, const ga_factors *f, double *r) {
  const ga_equations *eq = a->eq;
  const ga_tangents *d = &f->matrix.tangents;
  memset(r, 0, (size_t)eq->n * sizeof(double));
  for (int j = 0; j < eq->method->nx; j++) {
    double by_q, by_v;
    ga_rounding_row_factors(eq, j, &by_q, &by_v);
    ga_csr_mul_add(&d->Kt[j], by_q, a->shift_q, r + j * eq->nv);
    ga_csr_mul_add(&d->Ct[j], by_v, a->shift_v, r + j * eq->nv);
  }
}

void ga_rounding_force(const ga_acceptance *a, const ga_factors *f, double *r) {
  set_shift(a, 0, 1);
  multiply_tangents(a, f, r);
}

ga_status ga_rounding_told(const ga_acceptance *a, const ga_factors *f, double *rows) {
  const ga_equations *eq = a->eq;
  const ga_tangents *d = &f->matrix.tangents;
  memset(rows, 0, (size_t)eq->n * sizeof(double));
  for (int j = 0; j < eq->method->nx; j++) {
    double by_q, by_v;
    ga_rounding_row_factors(eq, j, &by_q, &by_v);
    for (int i = 0; i < eq->nv; i++) {
      a->shift_q[i] = GA_ROUND * by_q * a->size_q[i];
      a->shift_v[i] = GA_ROUND * by_v * a->size_v[i];
    }
    ga_csr_add_sizes(&d->Kt[j], false, a->shift_q, rows + j * eq->nv);
    ga_csr_add_sizes(&d->Ct[j], false, a->shift_v, rows + j * eq->nv);
  }
  return ga_team_sum_shared(eq->eval->team, eq->method->nx, rows);
}

ga_status ga_rounding_verify(ga_acceptance *a, const ga_factors *f, const ga_iterate *at,
                             unsigned probe) {
  const ga_equations *eq = a->eq;
  double *told = a->r_down, *moved = a->r_up;
  set_shift(a, probe, SHIFT);
  ga_status status = evaluate_moved(a, at->x, moved);
  multiply_tangents(a, f, told);
  if (status == GA_OK) status = ga_team_sum_shared(eq->eval->team, eq->method->nx, told);
  for (int i = 0; i < eq->nx; i++) {
    const double size = fabs(told[i]), change = fabs(moved[i] - at->r[i]);
    if (probe > 0 && !(size > a->probed[i])) continue;
    a->probed[i] = size;
    a->verified[i] = change < size ? a->measured[i] * (change / size) : a->measured[i];
  }
  return status;
}

/* The rounding of a row is the smaller change of r_i when q_1 and v_1 are moved up and down, so that
 * a jump of a force near x does not count; the larger one of both probes. */
ga_status ga_rounding_measure(ga_acceptance *a, const ga_iterate *at, double *rows) {
  const int n = a->eq->n;
  memset(rows, 0, (size_t)n * sizeof(double));
  for (unsigned probe = 0; probe < GA_PROBES; probe++) {
    set_shift(a, probe, GA_ROUND / DBL_EPSILON);
    ga_status status = evaluate_moved(a, at->x, a->r_up);
    set_shift(a, probe, -GA_ROUND / DBL_EPSILON);
    if (status == GA_OK) status = evaluate_moved(a, at->x, a->r_down);
    if (status != GA_OK) return status;
    for (int i = 0; i < n; i++) {
      const double up = fabs(a->r_up[i] - at->r[i]), down = fabs(a->r_down[i] - at->r[i]);
      rows[i] = ga_max(rows[i], fmin(up, down));
    }
  }
  return GA_OK;
}
