/* SPDX-License-Identifier: MIT */
/* The filter of error estimates for automatic steps (error_estimate.c,
 * docs/internals/step-size.md).
 *
 * Errors that the constraints forbid, or that the method damps as stiff, must not count
 * as errors of q and v. So A (x, mu) = (m M e, d) is solved with the step's own factored matrix,
 *
 *   e_q <- (sum_j p_j x_j - W^-1 G_n^T eta)/C,   d = 0 in position rows; in velocity rows 0, but
 *                                                r G e_q of a method with an eta
 *   e_v <- sum_j r_j x_j/C,                      d = 0
 *
 * C the sum of p_j or r_j. A method with an eta removes the component of e_q normal to the
 * constraints along W^-1 G_n^T, and leaves the velocities to lam; so does the filter. (With d = 0
 * in velocity rows it would remove that component in the metric of M: on the heavy top this makes
 * the estimate 30 times too small.) The filter divides the component of a vibration of frequency
 * omega by 1 + c (h omega)^2. */
#include <string.h>

#include "run/integrator.h"
#include "run/step_size.h"

/* Has the method a constraint row of this kind? */
static bool has_row(const ga_method *method, ga_con_kind kind) {
  for (int c = 0; c < method->ncon; c++) {
    if (method->con[c] == kind) return true;
  }
  return false;
}

/* Does this kind of constraint exclude an error of the position (position = false: of the
 * velocity) in its direction? Positions are bound by g, if the method has its rows; velocities
 * by G v and k. Where an eta binds the positions, velocity rows are not about them. */
static bool forbids_error(const ga_equations *s, ga_con_kind kind, bool position) {
  const ga_method *method = s->method;
  if (kind == GA_ROW_NONHOL) return !position;
  if (kind == GA_ROW_VEL && position && s->eta >= 0) return false;
  return has_row(method, GA_ROW_POS) || (!position && has_row(method, GA_ROW_VEL));
}

/* Is x_j an acceleration, or the applied component of one? Then row j gets the error e as a
 * right-hand side. */
static bool row_carries_error(const ga_method *method, int j) {
  return method->dyn[j].forces != GA_FORCES_REACTION;
}

/* Sum of by[j] over the rows j that carry the error. */
double ga_error_filter_sum(const ga_method *method, const double *by) {
  double sum = 0;
  for (int j = 0; j < method->nx; j++) sum += row_carries_error(method, j) ? by[j] : 0;
  return sum;
}

/* A row that a contact has replaced, of friction or of shared forces, is about multipliers: its
 * right-hand side in a filter is 0. rhs: that of the rows of kind c. */
static void clear_replaced_rows(const ga_equations *s, int c, double *rhs) {
  const ga_con_kind kind = s->method->con[c];
  const int rows = s->contacts ? ga_equations_con_size(s, kind) : 0;
  for (int i = 0; i < rows; i++) {
    if (ga_contact_rows_special(s->contacts, kind != GA_ROW_NONHOL, i)) rhs[i] = 0;
  }
}

/* Right-hand side of constraint row c for a vector e that the row does not forbid: gradient times
 * e, times the sum of the coefficients p, r or rh (method.h) of x in that row. Added to `filtered`
 * at the place of row c. */
static void add_constraint_rhs(const ga_equations *s, int c, const double *e, double *filtered) {
  const ga_method *method = s->method;
  ga_con_kind kind = method->con[c];
  const double *by = kind == GA_ROW_POS ? s->tab.p : method->con_hat[c] ? s->tab.rh : s->tab.r;
  double factor = kind == GA_ROW_ACC ? 1 : ga_error_filter_sum(method, by);
  double *rhs = filtered + s->con_at[c];
  ga_csr_mul_add(ga_equations_gradient(s, kind), factor, e, rhs);
  clear_replaced_rows(s, c, rhs);
}

/* x (n numbers) = (m M e, 0): the right-hand side of a filter for the error e, of this process. M is that
 * of the matrix: factors are kept while M goes on, and with another M the filter would take from e, or add
 * to it, what is no constraint and not stiff. */
static void set_mass_rhs(const ga_integrator *it, const double *e, double *x) {
  const ga_equations *s = &it->step.eq;
  const ga_tangents *d = &it->step.factors.matrix.tangents;
  const ga_method *method = s->method;
  memset(x, 0, (size_t)s->n * sizeof(double));
  for (int j = 0; j < method->nx; j++) {
    if (!row_carries_error(method, j)) continue;
    if (s->own) {
      ga_own_solver_multiply(&it->step.factors.own, s->tab.m, 0, e, x);
    } else {
      const ga_csr *M = d->M[j].ptr ? &d->M[j] : &s->site[method->dyn[j].site].M;
      ga_csr_mul_add(M, s->tab.m, e, x + j * s->nv);
    }
  }
}

/* x <- A^-1 x, x given as parts of all processes. A is the Newton matrix as factored last. */
static ga_status solve_filter(ga_integrator *it, double *x) {
  const ga_equations *s = &it->step.eq;
  const ga_status status = ga_team_sum_shared(it->eval.team, s->method->nx, x);
  return status == GA_OK ? ga_factors_solve(&it->step.factors, s, x) : status;
}

/* e = sum_j c_j x_j/C. */
static void take_weighted(const ga_equations *s, const double *c, const double *x, double *e) {
  const double sum = ga_error_filter_sum(s->method, c);
  memset(e, 0, (size_t)s->nv * sizeof(double));
  for (int j = 0; j < s->method->nx; j++) ga_axpy(s->nv, c[j] / sum, x + j * s->nv, e);
}

/* e <- sum_j c_j x_j / C, for positions of a method with an eta minus W^-1 G_n^T eta / C, from
 * A (x, mu) = (m M e, d), see the head of this file. A is the Newton matrix as factored last. e is
 * unchanged if C = 0 or on failure; step_size.filtered is work. Collective. */
ga_status ga_error_filter(ga_integrator *it, bool position, double *e) {
  const ga_equations *s = &it->step.eq;
  double *filtered = it->step_size.filtered;
  const ga_method *method = s->method;
  const double *c = position ? s->tab.p : s->tab.r;
  double sum = ga_error_filter_sum(method, c);
  if (sum == 0) return GA_OK;
  set_mass_rhs(it, e, filtered);
  for (int k = 0; k < method->ncon; k++) {
    if (!forbids_error(s, method->con[k], position)) add_constraint_rhs(s, k, e, filtered);
  }
  ga_status status = solve_filter(it, filtered);
  double *push = it->step_size.bracket; /* W^-1 G_n^T eta, of this process, then of all */
  bool pushed = position && s->eta >= 0 && it->eval.nlam_all > 0;
  if (status == GA_OK && pushed) {
    memset(push, 0, (size_t)s->nv * sizeof(double));
    ga_csr_mul_t_add(&s->Gn, 1, filtered + s->mult_at[s->eta], push);
    status = ga_team_sum_shared(it->eval.team, 1, push);
  }
  if (status != GA_OK) {
    ga_error_prefix(&it->error, "error estimate");
    return status;
  }
  take_weighted(s, c, filtered, e);
  if (pushed) ga_axpy(s->nv, -1 / sum, push, e);
  return GA_OK;
}

/* e <- sum_j r_j x_j/C from A (x, mu) = (m M e, C G e): what the rows of constraints ask for stays, and
 * a vibration of frequency omega is divided by 1 + c (h omega)^2. A is the Newton matrix as factored
 * last, x (n numbers) is work. Collective. */
ga_status ga_filter_vibrations(ga_integrator *it, double *x, double *e) {
  const ga_equations *s = &it->step.eq;
  set_mass_rhs(it, e, x);
  for (int c = 0; c < s->method->ncon; c++) add_constraint_rhs(s, c, e, x);
  const ga_status status = solve_filter(it, x);
  if (status == GA_OK) take_weighted(s, s->tab.r, x, e);
  return status;
}

/* dv (nv numbers) = sum_j p_j x_j/C: the velocity with G dv = gv in the rows of positions, from
 * A (x, mu) = (0, C gv). For methods whose velocities have no rows. Collective. */
ga_status ga_error_filter_residual(ga_integrator *it, const double *gv, double *dv) {
  const ga_equations *s = &it->step.eq;
  const ga_method *method = s->method;
  double *x = it->step_size.filtered, sum = ga_error_filter_sum(method, s->tab.p);
  memset(x, 0, (size_t)s->n * sizeof(double));
  memset(dv, 0, (size_t)s->nv * sizeof(double));
  for (int k = 0; k < method->ncon; k++) {
    if (method->con[k] != GA_ROW_POS) continue;
    ga_axpy(s->nlam, sum, gv, x + s->con_at[k]);
    clear_replaced_rows(s, k, x + s->con_at[k]);
  }
  ga_status status = ga_factors_solve(&it->step.factors, s, x);
  if (status != GA_OK) return status;
  for (int j = 0; j < method->nx; j++) ga_axpy(s->nv, s->tab.p[j] / sum, x + j * s->nv, dv);
  return GA_OK;
}

/* df (nv numbers) = sum_j r_j phi (G^T mu_j + H^T nu_j)/(C m h), the forces that the constraints
 * took in a filter of velocities with the solution `filtered` (NULL: none), plus C e. Rows and
 * coefficients are those of the filter. Collective. */
ga_status ga_error_filter_forces(ga_integrator *it, const double *filtered, const double *e,
                                 double *df) {
  const ga_equations *s = &it->step.eq;
  const ga_method *method = s->method;
  const ga_tangents *d = &it->step.factors.matrix.tangents;
  double sum = ga_error_filter_sum(method, s->tab.r);
  bool own = ga_eval_own_reaction(&it->eval);
  memset(df, 0, (size_t)s->nv * sizeof(double));
  if (sum == 0) return GA_OK;
  for (int j = 0; j < method->nx; j++) {
    const ga_dyn_row *row = &method->dyn[j];
    const ga_site *site = &s->site[row->site];
    double factor = s->tab.r[j] * s->tab.phi / (sum * s->tab.m * it->mem.h);
    if (filtered && row->lam != GA_NONE) {
      ga_csr_mul_t_add(own ? &d->L[j] : &site->G, factor, filtered + s->mult_at[row->lam], df);
    }
    if (filtered && row->psi != GA_NONE) {
      ga_csr_mul_t_add(own ? &d->P[j] : &site->H, factor, filtered + s->mult_at[row->psi], df);
    }
    if (!row_carries_error(method, j)) continue;
    if (s->own) {
      ga_own_solver_multiply(&it->step.factors.own, 0, s->tab.r[j] / sum, e, df);
    } else {
      ga_csr_mul_add(&d->Ct[j], s->tab.r[j] / sum, e, df);
    }
  }
  return ga_team_sum_shared(it->eval.team, 1, df);
}
