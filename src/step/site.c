/* SPDX-License-Identifier: MIT */
/* The places a step's rows are taken at: where they are, what is evaluated there. */
#include <string.h>

#include "lie/lie.h"
#include "step/step.h"

/* t = t_n + c h;  q = q_n o exp(by_wq w_q), or q_n o exp(c h v_n) where by_wq = 0;
 * v = (1 - by_v1) v_n + by_v1 v_1 */
static const struct {
  double c, by_wq, by_v1;
} places[GA_SITES] = {
    [GA_SITE_NEW] = {1, 1, 1},           [GA_SITE_OLD] = {0, 0, 0},
    [GA_SITE_MID] = {0.5, 0.5, 0.5},     [GA_SITE_PREDICTED_MID] = {0.5, 0, 0.5},
    [GA_SITE_PREDICTED_NEW] = {1, 0, 1},
};

void ga_sites_init(ga_step *s, ga_arena *arena) {
  const ga_model *model = s->eval->model;
  s->site[GA_SITE_NEW].used = true;
  for (int j = 0; j < s->method->nx; j++) s->site[s->method->dyn[j].site].used = true;
  for (int k = 0; k < GA_SITES; k++) {
    ga_site *site = &s->site[k];
    if (!site->used) continue;
    site->kind = (ga_site_kind)k;
    site->by_wq = places[k].by_wq;
    site->by_v1 = places[k].by_v1;
    site->q = ga_arena_doubles(arena, (size_t)s->nq);
    site->v = ga_arena_doubles(arena, (size_t)s->nv);
    site->F = ga_arena_doubles(arena, (size_t)s->nv);
    site->T = ga_arena_doubles(arena, (size_t)ga_space_tangent_size(model->space));
    ga_csr_init(&site->M, s->nv, s->nv, model->pat_M, arena);
    ga_csr_init(&site->G, s->nlam, s->nv, model->pat_G, arena);
    ga_csr_init(&site->H, s->npsi, s->nv, model->pat_H, arena);
  }
}

/* M there, once if it is constant */
ga_status ga_site_mass(ga_step *s, ga_site *site, double t, const double *q) {
  if (site->mass_known) return GA_OK;
  ga_status status = ga_eval_mass(s->eval, t, q, &site->M);
  if (status == GA_OK) site->mass_known = s->eval->model->const_mass;
  return status;
}

/* sites that do not move with the unknowns: all of them but v and what depends on it */
ga_status ga_sites_begin(ga_step *s) {
  ga_status status = GA_OK;
  for (int k = 0; k < GA_SITES; k++) {
    ga_site *site = &s->site[k];
    if (!site->used) continue;
    site->t = k == GA_SITE_NEW || k == GA_SITE_PREDICTED_NEW ? s->t1 : s->t + places[k].c * s->h;
    if (site->by_wq > 0) continue;
    for (int i = 0; i < s->nv; i++) s->wq[i] = places[k].c * s->h * s->v[i];
    ga_space_step(s->eval->model->space, s->q, s->wq, site->q);
    memcpy(site->v, s->v, (size_t)s->nv * sizeof(double));
    if (status == GA_OK) status = ga_site_mass(s, site, site->t, site->q);
    if (status == GA_OK) status = ga_eval_G(s->eval, site->t, site->q, &site->G);
    if (status == GA_OK) status = ga_eval_H(s->eval, site->t, site->q, site->v, &site->H);
  }
  return status;
}

/* new q and v of those that do, after w_q and v_1 (in the new site) changed */
void ga_sites_move(ga_step *s) {
  const ga_space *space = s->eval->model->space;
  const double *v1 = s->site[GA_SITE_NEW].v;
  ga_space_step(space, s->q, s->wq, s->site[GA_SITE_NEW].q);
  for (int k = GA_SITE_NEW + 1; k < GA_SITES; k++) {
    ga_site *site = &s->site[k];
    if (!site->used) continue;
    for (int i = 0; i < s->nv && site->by_v1 > 0; i++) {
      site->v[i] = (1 - site->by_v1) * s->v[i] + site->by_v1 * v1[i];
    }
    if (site->by_wq == 0) continue;
    for (int i = 0; i < s->nv; i++) s->work[i] = site->by_wq * s->wq[i];
    ga_space_step(space, s->q, s->work, site->q);
  }
}

/* does the method have constraint rows of this kind, and the model constraints for them? */
bool ga_step_has_row(const ga_step *s, ga_con_kind kind) {
  for (int c = 0; c < s->method->ncon; c++) {
    if (s->method->con[c] == kind && ga_step_con_size(s, kind) > 0) return true;
  }
  return false;
}

/* Tangents along with the residual: only where there is one dynamic row, with all of F + R at the
 * new site. */
static void want_tangents(ga_step *s, ga_evaluation *all) {
  const ga_dyn_row *row = &s->method->dyn[0];
  s->tangents_known = s->tangents_wanted && s->method->nx == 1 && !s->method->weighted &&
                      row->site == GA_SITE_NEW && row->part == GA_PART_WHOLE && !s->has_hat;
  if (!s->tangents_known) return;
  all->x = s->x;
  all->lam = ga_step_multipliers(s, row->lam);
  all->psi = ga_step_multipliers(s, row->psi);
  all->Kt = &s->Kt[0], all->Ct = &s->Ct[0];
  if (ga_step_has_row(s, GA_ROW_VEL)) all->Z = &s->Z;
  if (ga_step_has_row(s, GA_ROW_NONHOL)) all->Y = &s->Y;
}

ga_status ga_sites_evaluate(ga_step *s) {
  ga_eval *e = s->eval;
  ga_site *now = &s->site[GA_SITE_NEW];
  bool mass = !s->method->weighted && !now->mass_known;
  ga_evaluation all = {.F = now->F, .G = &now->G, .H = &now->H, .k = s->k};
  s->G_is_at_n = false;
  if (mass) all.M = &now->M;
  if (ga_step_has_row(s, GA_ROW_POS)) all.g = s->g;
  want_tangents(s, &all);
  ga_status status = ga_eval_all(e, now->t, now->q, now->v, &all);
  if (mass && status == GA_OK) now->mass_known = e->model->const_mass;
  for (int k = GA_SITE_NEW + 1; k < GA_SITES && status == GA_OK; k++) {
    ga_site *site = &s->site[k];
    if (!site->used) continue;
    if (site->by_wq > 0) {
      status = ga_site_mass(s, site, site->t, site->q);
      if (status == GA_OK) status = ga_eval_G(e, site->t, site->q, &site->G);
    }
    if (status == GA_OK && site->by_v1 > 0) {
      status = ga_eval_H(e, site->t, site->q, site->v, &site->H);
    }
  }
  return status;
}

void ga_sites_tangents(ga_step *s) {
  const ga_space *space = s->eval->model->space;
  if (space->commutative) return;
  for (int k = 0; k < GA_SITES; k++) {
    ga_site *site = &s->site[k];
    if (!site->used || site->by_wq == 0) continue;
    for (int i = 0; i < s->nv; i++) s->work[i] = site->by_wq * s->wq[i];
    ga_space_tangent_rows(space, s->work, site->T);
  }
}

ga_status ga_sites_blame(ga_step *s) {
  ga_status status = GA_OK;
  for (int k = 0; k < GA_SITES && status == GA_OK; k++) {
    ga_site *site = &s->site[k];
    if (!site->used) continue;
    ga_evaluation got = {.M = &site->M, .G = &site->G, .H = &site->H};
    if (k == GA_SITE_NEW) {
      got.F = site->F, got.k = s->k;
      if (ga_step_has_row(s, GA_ROW_POS)) got.g = s->g;
    }
    status = ga_eval_blame(s->eval, site->t, &got);
  }
  return status;
}
