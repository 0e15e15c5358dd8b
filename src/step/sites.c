/* SPDX-License-Identifier: MIT */
/* The sites, points at which the rows of a step are evaluated (ga_site in equations.h). */
#include <string.h>

#include "lie/lie.h"
#include "step/equations.h"

static const struct {
  double c, by_wq, by_v1;
} places[GA_SITES] = {
    [GA_SITE_NEW] = {1, 1, 1},           [GA_SITE_OLD] = {0, 0, 0},
    [GA_SITE_MID] = {0.5, 0.5, 0.5},     [GA_SITE_PREDICTED_MID] = {0.5, 0, 0.5},
    [GA_SITE_PREDICTED_NEW] = {1, 0, 1},
};

/* Mark the sites that the method uses and allocate their arrays from arena; the caller checks
 * arena->failed. */
void ga_sites_init(ga_equations *s, ga_arena *arena) {
  const ga_model *model = s->eval->model;
  s->site[GA_SITE_NEW].used = true;
  for (int j = 0; j < s->method->nx; j++) s->site[s->method->dyn[j].site].used = true;
  for (int k = 0; k < GA_SITES; k++) {
    ga_site *site = &s->site[k];
    if (!site->used) continue;
    site->c = places[k].c;
    site->by_wq = places[k].by_wq;
    site->by_v1 = places[k].by_v1;
    site->q = ga_arena_doubles(arena, (size_t)s->nq);
    site->v = ga_arena_doubles(arena, (size_t)s->nv);
    site->F = ga_arena_doubles(arena, (size_t)s->nv);
    site->T = ga_arena_doubles(arena, (size_t)ga_space_tangent_size(model->space));
    if (s->by_product) site->Mx = ga_arena_doubles(arena, (size_t)s->nv);
    ga_csr_init(&site->M, s->nv, s->nv, model->pat_M, arena);
    ga_csr_init(&site->G, s->nlam, s->nv, model->pat_G, arena);
    ga_csr_init(&site->H, s->npsi, s->nv, model->pat_H, arena);
  }
}

/* Were G, H and F of this site evaluated at exactly this t and q? */
bool ga_site_has_gradient_of(const ga_equations *s, const ga_site *site, double t,
                             const double *q) {
  return site->evaluated && site->t == t && memcmp(site->q, q, (size_t)s->nq * sizeof(double)) == 0;
}

/* site->M = M(t, q), unless it is known to be constant. */
ga_status ga_site_mass(ga_equations *s, ga_site *site, double t, const double *q) {
  if (site->mass_known) return GA_OK;
  ga_status status = ga_eval_mass(s->eval, t, q, &site->M);
  if (status == GA_OK) site->mass_known = s->eval->const_mass;
  return status;
}

/* Evaluate M and G of a site if its q has moved (M not if it is known to be constant), H if its v
 * has moved, at site->t, q, v. F is evaluated at the new site only (evaluate_new). */
static ga_status evaluate_site(ga_equations *s, ga_site *site, bool moved_q, bool moved_v) {
  bool mass = moved_q && !site->mass_known;
  const ga_evaluation out = {
      .M = mass ? &site->M : NULL, .G = moved_q ? &site->G : NULL, .H = moved_v ? &site->H : NULL};
  ga_status status = ga_eval_all(s->eval, site->t, site->q, site->v, &out);
  if (mass && status == GA_OK) site->mass_known = s->eval->const_mass;
  return status;
}

/* q = q_n o exp(fraction of), where `of` is w_q or v_n. Overwrites scaled_wq. */
static void place_site(ga_equations *s, double fraction, const double *of, double *q) {
  for (int i = 0; i < s->nv; i++) s->scaled_wq[i] = fraction * of[i];
  ga_space_step(s->eval->model->space, s->q, s->scaled_wq, q);
}

/* A step begins: set t of all sites, and place and evaluate those whose q does not depend on the
 * unknowns (M, G, H at q_n o exp(c h v_n), v_n). s->t, t1, h, q, v must be set. */
ga_status ga_sites_begin(ga_equations *s) {
  ga_status status = GA_OK;
  for (int k = 0; k < GA_SITES && status == GA_OK; k++) {
    ga_site *site = &s->site[k];
    if (!site->used) continue;
    site->evaluated = false;
    site->t = site->c == 1 ? s->t1 : s->t + site->c * s->h;
    if (site->by_wq > 0) continue;
    place_site(s, site->c * s->h, s->v, site->q);
    memcpy(site->v, s->v, (size_t)s->nv * sizeof(double));
    status = evaluate_site(s, site, true, true);
  }
  return status;
}

/* Move q of the new site, and q, v of all other sites that depend on them, after w_q and v_1 (v of
 * the new site) have changed; none counts as evaluated any more. */
static void update_sites(ga_equations *s) {
  const double *v1 = s->site[GA_SITE_NEW].v;
  s->site[GA_SITE_NEW].evaluated = false;
  ga_space_step(s->eval->model->space, s->q, s->wq, s->site[GA_SITE_NEW].q);
  for (int k = GA_SITE_NEW + 1; k < GA_SITES; k++) {
    ga_site *site = &s->site[k];
    if (!site->used) continue;
    site->evaluated = false;
    for (int i = 0; i < s->nv && site->by_v1 > 0; i++) {
      site->v[i] = (1 - site->by_v1) * s->v[i] + site->by_v1 * v1[i];
    }
    if (site->by_wq > 0) place_site(s, site->by_wq, s->wq, site->q);
  }
}

/* wq = wq0 + by_q x and v1 = v10 + by_v x, in one pass over x */
static void move_both(int n, double by_q, double by_v, const double *restrict x,
                      const double *restrict wq0, const double *restrict v10, double *restrict wq,
                      double *restrict v1) {
  for (int i = 0; i < n; i++) {
    wq[i] = wq0[i] + by_q * x[i];
    v1[i] = v10[i] + by_v * x[i];
  }
}

/* The same if q_1 = q_n + w_q: q_1 is computed directly, w_q is not. */
static void move_straight(int n, double by_q, double by_v, const double *restrict x,
                          const double *restrict q, const double *restrict wq0,
                          const double *restrict v10, double *restrict q1, double *restrict v1) {
  for (int i = 0; i < n; i++) {
    q1[i] = q[i] + (wq0[i] + by_q * x[i]);
    v1[i] = v10[i] + by_v * x[i];
  }
}

/* v^_1 = v_10 + h sum_j rh_j x_j */
static void move_hat(const ga_equations *s, const double *x) {
  const double h = s->h, *by = s->tab.rh;
  ga_add_scaled(s->nv, h * by[0], x, s->v10, s->vh);
  for (int j = 1; j < s->method->nx; j++) ga_axpy(s->nv, h * by[j], x + j * s->nv, s->vh);
}

/* w_q -= h^2 G_n^T eta; in a team the constraints of all processes move a shared body, s->push is
 * overwritten, and the call is collective. */
static ga_status move_by_eta(ga_equations *s, const double *eta) {
  double h = s->h;
  if (!s->eval->team) {
    ga_csr_mul_t_add(&s->Gn, -h * h, eta, s->wq);
    return GA_OK;
  }
  memset(s->push, 0, (size_t)s->nv * sizeof(double));
  ga_csr_mul_t_add(&s->Gn, 1, eta, s->push);
  ga_status status = ga_team_sum_shared(s->eval->team, 1, s->push);
  ga_axpy(s->nv, -h * h, s->push, s->wq);
  return status;
}

/* Set w_q = w_q0 + h^2 (sum_j p_j x_j - G_n^T eta), q_1 = q_n o exp(w_q), v_1 = v_10 + h sum_j r_j
 * x_j, v^_1 the same with rh; then all sites. x: the x blocks; eta, shift: NULL if there is none.
 * Without shift, where s->straight holds, w_q is not computed. */
static ga_status move_new_site(ga_equations *s, const double *x, const double *eta,
                               const ga_shift *shift) {
  const double h = s->h, *p = s->tab.p, *r = s->tab.r;
  ga_site *now = &s->site[GA_SITE_NEW];
  double *v1 = now->v;
  ga_status status = GA_OK;
  if (s->straight && !shift) {
    now->evaluated = false;
    move_straight(s->nv, h * h * p[0], h * r[0], x, s->q, s->wq0, s->v10, now->q, v1);
    if (s->has_hat) move_hat(s, x);
    return GA_OK;
  }
  move_both(s->nv, h * h * p[0], h * r[0], x, s->wq0, s->v10, s->wq, v1);
  for (int j = 1; j < s->method->nx; j++) {
    ga_axpy(s->nv, h * h * p[j], x + j * s->nv, s->wq);
    ga_axpy(s->nv, h * r[j], x + j * s->nv, v1);
  }
  if (s->has_hat) move_hat(s, x);
  if (eta) status = move_by_eta(s, eta);
  if (shift) {
    ga_axpy(s->nv, 1, shift->wq, s->wq);
    ga_axpy(s->nv, 1, shift->v1, v1);
    if (s->has_hat) ga_axpy(s->nv, 1, shift->v1, s->vh);
  }
  update_sites(s);
  return status;
}

/* Move all sites to the unknowns x, displaced by shift (NULL: not); nothing is evaluated. In a team
 * with eta collective. */
ga_status ga_sites_move(ga_equations *s, const double *x, const ga_shift *shift) {
  const double *eta = s->eta >= 0 ? x + s->mult_at[s->eta] : NULL;
  return move_new_site(s, x, eta, shift);
}

/* Add Kt, Ct (unless the model has its own solver), Z, Y of `with` (NULL: none) to the fields of *all, to get tangents in the same pass
 * as the residual, and mark them as of this evaluation (with->of). Only if there is one dynamic
 * row, with all of F + R at the new site; else nothing is done. */
static void want_tangents(ga_equations *s, const double *x, ga_tangents *with, ga_evaluation *all) {
  const ga_dyn_row *row = &s->method->dyn[0];
  bool possible = s->method->nx == 1 && !s->method->weighted && row->site == GA_SITE_NEW &&
                  row->forces == GA_FORCES_ALL && !s->has_hat;
  if (!with || !possible) return;
  with->of = s->evaluations;
  all->x = x;
  all->lam = ga_equations_multipliers(s, x, row->lam);
  all->psi = ga_equations_multipliers(s, x, row->psi);
  if (!s->own) all->Kt = &with->Kt[0], all->Ct = &with->Ct[0];
  if (s->has_row[GA_ROW_VEL]) all->Z = &with->Z;
  if (s->has_row[GA_ROW_NONHOL]) all->Y = &with->Y;
}

/* Evaluate everything that the rows need at the new site: F, G, H, M if it varies, and s->k, g, gt;
 * with: see want_tangents. If the model gives M x, M is evaluated with tangents only, and not at all
 * for the model's own solver. */
static ga_status evaluate_new(ga_equations *s, const double *x, ga_tangents *with) {
  ga_site *now = &s->site[GA_SITE_NEW];
  bool mass = !s->method->weighted && !now->mass_known && (with || !s->by_product) && !s->own;
  ga_evaluation all = {.F = now->F, .G = &now->G, .H = &now->H, .k = s->k};
  if (mass) all.M = &now->M;
  if (s->by_product) all.Mx = now->Mx, all.x = x;
  if (s->has_row[GA_ROW_POS]) all.g = s->g;
  if (!s->eval->model->scleronomic && s->has_row[GA_ROW_VEL]) all.gt = s->gt;
  want_tangents(s, x, with, &all);
  ga_status status = ga_eval_all(s->eval, now->t, now->q, now->v, &all);
  if (status != GA_OK) return status;
  if (mass) now->mass_known = s->eval->const_mass, s->mass_of = s->evaluations;
  now->evaluated = true;
  return GA_OK;
}

/* Evaluate all sites where they are now (after ga_sites_move); with: NULL or tangents to get in the
 * same pass. On failure some sites are not evaluated. */
ga_status ga_sites_evaluate(ga_equations *s, const double *x, ga_tangents *with) {
  ga_status status = evaluate_new(s, x, with);
  for (int k = GA_SITE_NEW + 1; k < GA_SITES && status == GA_OK; k++) {
    ga_site *site = &s->site[k];
    if (!site->used) continue;
    status = evaluate_site(s, site, site->by_wq > 0, site->by_v1 > 0);
    site->evaluated = status == GA_OK;
  }
  return status;
}

/* gv = G v + g_t at the new site, nlam numbers; G and, unless the model is scleronomic, s->gt must
 * be evaluated. */
void ga_site_hidden(const ga_equations *s, double *gv) {
  const ga_site *at = &s->site[GA_SITE_NEW];
  if (s->eval->model->scleronomic) {
    ga_csr_mul(&at->G, 1, at->v, gv);
    return;
  }
  memcpy(gv, s->gt, (size_t)s->nlam * sizeof(double));
  ga_csr_mul_add(&at->G, 1, at->v, gv);
}

/* Set T of each site that moves with w_q: the tangent of exp there. Nothing to do on R^n.
 * Overwrites scaled_wq. */
void ga_sites_tangents(ga_equations *s) {
  const ga_space *space = s->eval->model->space;
  if (space->commutative) return;
  for (int k = 0; k < GA_SITES; k++) {
    ga_site *site = &s->site[k];
    if (!site->used || site->by_wq == 0) continue;
    for (int i = 0; i < s->nv; i++) s->scaled_wq[i] = site->by_wq * s->wq[i];
    ga_space_tangent_rows(space, s->scaled_wq, site->T);
  }
}

/* Check what the sites hold for NaN and infinities, without evaluating: GA_OK, or
 * GA_RETRY_NONFINITE with a message that names the callback. */
ga_status ga_sites_blame(ga_equations *s) {
  ga_status status = GA_OK;
  for (int k = 0; k < GA_SITES && status == GA_OK; k++) {
    ga_site *site = &s->site[k];
    if (!site->used) continue;
    ga_evaluation got = {.M = &site->M, .G = &site->G, .H = &site->H};
    if (k == GA_SITE_NEW) {
      got.F = site->F, got.k = s->k, got.Mx = site->Mx;
      if (s->has_row[GA_ROW_POS]) got.g = s->g;
      if (s->has_row[GA_ROW_VEL]) got.gt = s->gt;
    }
    status = ga_eval_blame(s->eval, site->t, site->q, site->v, &got);
  }
  return status;
}
