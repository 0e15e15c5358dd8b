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
    memset(s->work, 0, (size_t)s->nv * sizeof(double));
  }
}

ga_status ga_sites_evaluate(ga_step *s) {
  ga_eval *e = s->eval;
  ga_site *now = &s->site[GA_SITE_NEW];
  ga_status status = GA_OK;
  s->G_is_at_n = false;
  if (!s->method->weighted) status = ga_site_mass(s, now, now->t, now->q);
  if (status == GA_OK) status = ga_eval_force(e, now->t, now->q, now->v, now->F);
  if (status == GA_OK) status = ga_eval_G(e, now->t, now->q, &now->G);
  if (status == GA_OK) status = ga_eval_H(e, now->t, now->q, now->v, &now->H);
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
    memset(s->work, 0, (size_t)s->nv * sizeof(double));
  }
}
