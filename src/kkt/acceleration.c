/* SPDX-License-Identifier: MIT */
/* Accelerations and multipliers from the equations of motion. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "kkt/saddle.h"

/* Right-hand side s->rhs = (F, -g drift, -k drift) at p and, if `matrices`, s->M, G, H. In a team
 * these are the terms of this process; the caller sums them. Not collective. If p has
 *   x            of a model that gives products M x into s->defect, and not M
 *   lam or psi   of a model with its own reaction -R into s->predicted, and the derivatives s->L, P if
 *                the model gives them, all in the same pass */
static ga_status evaluate_system(ga_saddle *s, const ga_eval_point *p, bool matrices) {
  ga_eval *e = s->eval;
  const int nv = e->nv;
  ga_evaluation out = {.F = s->rhs, .drift = s->rhs + nv, .k_drift = s->rhs + nv + e->nlam};
  const bool product = p->x && ga_eval_gives_product(e);
  const bool reaction = (p->lam || p->psi) && ga_eval_own_reaction(e);
  if (matrices) out.G = &s->G, out.H = &s->H;
  if (matrices && !product) out.M = &s->M;
  if (product) out.Mx = s->defect, out.x = p->x;
  if (reaction) out.R = s->predicted, out.lam = p->lam, out.psi = p->psi;
  if (reaction && !p->x && (e->given & GA_GIVES_DR)) out.L = &s->L, out.P = &s->P;
  if (s->contacts) out.k = s->k;
  ga_status status = ga_eval_all(e, p->t, p->q, p->v, &out);
  for (int i = nv; i < s->n; i++) s->rhs[i] = -s->rhs[i];
  for (int i = 0; i < nv && reaction; i++) s->predicted[i] = -s->predicted[i];
  if (s->contacts && status == GA_OK) ga_contact_rows_turn(s->contacts, s->k);
  return status;
}

/* Linearise R at s->guess = (lam0, psi0): -R = r0 + L^T (lam - lam0) + P^T (psi - psi0), after
 * evaluate_system there. The constant terms are left in s->predicted, and subtracted from s->rhs. Not
 * collective. */
static ga_status linearise_reaction(ga_saddle *s, const ga_eval_point *p) {
  ga_eval *e = s->eval;
  ga_status status = GA_OK;
  if (!(e->given & GA_GIVES_DR)) status = ga_eval_reaction_dmult(e, p, &s->L, &s->P);
  if (status != GA_OK) return status;
  if (e->nlam > 0) ga_csr_mul_t_add(&s->L, -1, p->lam, s->predicted);
  if (e->npsi > 0) ga_csr_mul_t_add(&s->P, -1, p->psi, s->predicted);
  ga_axpy(e->nv, -1, s->predicted, s->rhs);
  return GA_OK;
}

/* Is -R at s->guess what linearise_reaction has predicted, to rounding? Then the multipliers there
 * are the solution. s->predicted and s->defect are overwritten. Not in a team. */
static bool reaction_is_linear(ga_saddle *s, const ga_eval_point *p) {
  ga_eval *e = s->eval;
  if (e->team || ga_eval_reaction(e, p, &s->G, &s->H, s->defect) != GA_OK) return false;
  double size = 0, apart = 0;
  if (e->nlam > 0) ga_csr_mul_t_add(&s->L, 1, p->lam, s->predicted);
  if (e->npsi > 0) ga_csr_mul_t_add(&s->P, 1, p->psi, s->predicted);
  for (int i = 0; i < e->nv; i++) {
    size = fmax(size, fabs(s->defect[i]) / e->root_metric[i]);
    apart = fmax(apart, fabs(s->defect[i] - s->predicted[i]) / e->root_metric[i]);
  }
  return apart <= 8 * DBL_EPSILON * size;
}

/* Size of the force of multiplier i of x (nlam + npsi numbers): |x_i| times the length of its row in
 * W^-1, in which forces and torques are comparable. */
static double multiplier_size(const ga_saddle *s, int i, double x) {
  int nlam = s->eval->nlam;
  bool holonomic = i < nlam;
  return fabs(x) * ga_measure_length(s->eval, holonomic ? &s->G : &s->H, holonomic ? i : i - nlam);
}

/* v', lam, psi into s->rhs for an own reaction R, by Newton's iteration for the multipliers from
 * s->guess, which is updated. GA_ERR_INITIAL if it does not converge. Collective. */
static ga_status nonlinear_acceleration(ga_saddle *s, double t, const double *q, const double *v) {
  enum { ITERATIONS = 50 };
  ga_eval *e = s->eval;
  int multipliers = e->nlam + e->npsi;
  double last = INFINITY;
  const ga_eval_point p = {.t = t, .q = q, .v = v, .lam = s->guess, .psi = s->guess + e->nlam};
  for (int k = 0; k < ITERATIONS; k++) {
    ga_status status = evaluate_system(s, &p, k == 0); /* matrices: once */
    if (status == GA_OK) status = linearise_reaction(s, &p);
    status = ga_team_agree(e->team, status, e->err);
    if (status == GA_OK) status = ga_team_sum_shared(e->team, 1, s->rhs);
    if (status == GA_OK) status = ga_saddle_factor_rows(s, t, q);
    if (status == GA_OK) status = ga_saddle_solve(s);
    if (status != GA_OK) return status;
    double change = 0, size = 0;
    for (int i = 0; i < multipliers; i++) {
      double new = s->rhs[e->nv + i];
      size = fmax(size, multiplier_size(s, i, new));
      change = fmax(change, multiplier_size(s, i, new - s->guess[i]));
      s->guess[i] = new;
    }
    size = ga_team_max(e->team, size);
    change = ga_team_max(e->team, change);
    /* quadratic convergence ends at rounding */
    if (change <= 1e-15 * size || (change <= 1e-10 * size && change >= 0.5 * last)) return GA_OK;
    if (k == 0 && !s->contacts && reaction_is_linear(s, &p)) return GA_OK;
    last = change;
  }
  return ga_fail(e->err, GA_ERR_INITIAL,
                 "t = %.9g: no multipliers were found that balance the forces; give a guess "
                 "(multiplier_guess)",
                 t);
}

/* vd, lam, psi (the last two may be NULL) from the equations of motion at (t, q, v): one solve, or
 * Newton's iteration from s->guess for an own reaction. Outputs are unchanged on failure; s->M, G,
 * H, rhs and the factors are overwritten. Collective. */
ga_status ga_saddle_acceleration(ga_saddle *s, double t, const double *q, const double *v,
                                 double *vd, double *lam, double *psi) {
  ga_eval *e = s->eval;
  int nv = e->nv, nlam = e->nlam, npsi = e->npsi;
  ga_status status;
  if (ga_eval_own_reaction(e)) {
    status = nonlinear_acceleration(s, t, q, v);
  } else {
    const ga_eval_point p = {.t = t, .q = q, .v = v};
    /* true: with the matrices */
    status = ga_team_agree(e->team, evaluate_system(s, &p, true), e->err);
    if (status == GA_OK) status = ga_team_sum_shared(e->team, 1, s->rhs);
    s->moving = true;
    if (status == GA_OK) status = ga_saddle_factor_rows(s, t, q);
    s->moving = false;
    if (status == GA_OK) status = ga_saddle_solve(s);
  }
  if (status != GA_OK) return status;
  memcpy(vd, s->rhs, (size_t)nv * sizeof(double));
  if (lam && nlam) memcpy(lam, s->rhs + nv, (size_t)nlam * sizeof(double));
  if (psi && npsi) memcpy(psi, s->rhs + nv + nlam, (size_t)npsi * sizeof(double));
  return GA_OK;
}

/* s->rhs = A^-1 (F + R - M v', -(G v' + drift), -(H v' + k drift)) with v' = p->x, lam and psi at p,
 * A as factored last. s->G, H are evaluated at p, the factors stay; s->M, s->defect and s->predicted
 * are work. On failure s->rhs means nothing. Collective. */
ga_status ga_saddle_correction(ga_saddle *s, const ga_eval_point *p) {
  ga_eval *e = s->eval;
  int nv = e->nv;
  ga_status status = evaluate_system(s, p, true); /* true: the matrices */
  const bool own = ga_eval_own_reaction(e), product = ga_eval_gives_product(e);
  if (status == GA_OK && product) ga_axpy(nv, -1, s->defect, s->rhs);
  if (status == GA_OK && !own) status = ga_eval_reaction(e, p, &s->G, &s->H, s->defect);
  if (status == GA_OK) {
    ga_axpy(nv, -1, own ? s->predicted : s->defect, s->rhs);
    if (!product) ga_csr_mul_add(&s->M, -1, p->x, s->rhs);
    ga_csr_mul_add(&s->G, -1, p->x, s->rhs + nv);
    ga_csr_mul_add(&s->H, -1, p->x, s->rhs + nv + e->nlam);
    if (s->contacts)
      ga_contact_rows_slip_defect(s->contacts, p->lam, p->psi, s->rhs + nv + e->nlam);
  }
  status = ga_team_agree(e->team, status, e->err);
  if (status == GA_OK) status = ga_team_sum_shared(e->team, 1, s->rhs);
  return status == GA_OK ? ga_saddle_solve_roughly(s) : status;
}
