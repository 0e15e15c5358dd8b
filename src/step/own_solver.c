/* SPDX-License-Identifier: MIT */
/* Between the equations of a step and the model's own solver. */
#include "step/own_solver.h"

#include <string.h>

#include "lie/lie.h"
#include "model/present_rows.h"

/* The method has one dynamic row without weights, with all forces at the new site. */
bool ga_own_solver_wanted(const ga_equations *s, const ga_options *options) {
  const ga_dyn_row *row = &s->method->dyn[0];
  if (!ga_own_block_wanted(s->eval, options)) return false;
  if (s->method->nx != 1 || s->method->weighted || s->has_hat) return false;
  return row->site == GA_SITE_NEW && row->forces == GA_FORCES_ALL;
}

/* Column j of the border: add -phi h^2 Kt T G_n^T e_i to b if it is that of eta_i; ga_leading. */
static ga_status add_eta_column(void *user, int j, double *b) {
  ga_own_solver *o = ((ga_own_block *)user)->owner;
  const ga_equations *s = o->eq;
  const ga_csr *Gn = &s->Gn;
  const int i = s->eta >= 0 ? s->nv + j - s->mult_at[s->eta] : -1;
  if (i < 0 || i >= s->nlam || (s->ndropped > 0 && s->dropped[i])) return GA_OK;
  double *y = o->row + s->nv;
  memset(o->row, 0, (size_t)s->nv * sizeof(double));
  for (int e = Gn->ptr[i]; e < Gn->ptr[i + 1]; e++) o->row[Gn->col[e]] = o->now.Gn[e];
  const int code =
      o->block.ops->multiply(s->eval->model->user, o->block.work, 0, 0, o->now.by_eta, o->row, y);
  ga_axpy(s->nv, 1, y, b);
  return ga_own_block_status(code);
}

/* Multipliers that the model's own solver gets: of all rows of its model. */
static int whole_nlam(const ga_equations *s) {
  return s->eval->present ? s->eval->present->whole->nlam : s->nlam;
}

static int whole_npsi(const ga_equations *s) {
  return s->eval->present ? s->eval->present->whole->npsi : s->npsi;
}

/* Numbers in ga_own_point.held. */
static size_t count_held(const ga_equations *s) {
  const size_t vectors =
      (size_t)(s->nq + 3 * s->nv + whole_nlam(s) + whole_npsi(s) + s->eval->inputs.n);
  return vectors + (s->eta >= 0 ? (size_t)ga_csr_nnz(&s->Gn) : 0);
}

/* Allocate held, and set the pointers of *p into it; u and w are NULL where there are none. */
static void allocate_point(ga_own_point *p, const ga_equations *s, ga_arena *arena) {
  double *at = p->held = ga_arena_doubles(arena, count_held(s));
  if (arena->failed) return;
  const double **const vector[] = {&p->at.q,   &p->at.v,   &p->at.x, &p->at.w,
                                   &p->at.lam, &p->at.psi, &p->at.u};
  const int size[] = {s->nq, s->nv, s->nv, s->nv, whole_nlam(s), whole_npsi(s), s->eval->inputs.n};
  for (int i = 0; i < 7; at += size[i++]) *vector[i] = at;
  if (s->eval->inputs.n == 0) p->at.u = NULL;
  if (s->eval->model->space->commutative) p->at.w = NULL;
  p->Gn = at;
}

void ga_own_solver_init(ga_own_solver *o, ga_equations *s, ga_arena *arena) {
  *o = (ga_own_solver){.eq = s, .room = count_held(s)};
  ga_own_block_init(&o->block, s->eval, &o->now.at, arena);
  o->block.owner = o;
  if (s->eta >= 0) o->block.lead.add_column = add_eta_column;
  o->row = ga_arena_doubles(arena, 2 * (size_t)s->nv);
  allocate_point(&o->now, s, arena);
  allocate_point(&o->aside, s, arena);
}

void ga_own_solver_place(ga_own_solver *o, ga_equations *s, const double *x) {
  const ga_site *site = &s->site[GA_SITE_NEW];
  const ga_dyn_row *row = &s->method->dyn[0];
  const double h = s->h, phi = s->tab.phi;
  const double *u = ga_inputs_at(&s->eval->inputs, site->t);
  const double *lam = ga_equations_multipliers(s, x, row->lam);
  const double *psi = ga_equations_multipliers(s, x, row->psi);
  const ga_present_rows *p = s->eval->present;
  if (p) { /* zeros of rows that are left out */
    ga_present_rows_spread(s->nlam, p->lam, lam, p->mult_lam);
    ga_present_rows_spread(s->npsi, p->psi, psi, p->mult_psi);
    lam = p->mult_lam, psi = p->mult_psi;
  }
  const double *const from[] = {site->q, site->v, x, s->wq, lam, psi, u, s->Gn.val};
  const int size[] = {s->nq,
                      s->nv,
                      s->nv,
                      s->nv,
                      whole_nlam(s),
                      whole_npsi(s),
                      s->eval->inputs.n,
                      s->eta >= 0 ? ga_csr_nnz(&s->Gn) : 0};
  double *to = o->now.held;
  for (int i = 0; i < 8; to += size[i++]) {
    if (size[i] > 0) memcpy(to, from[i], (size_t)size[i] * sizeof(double));
  }
  o->now.at.t = site->t;
  o->now.at.a = s->tab.m;
  o->now.at.b = phi * h * s->tab.r[0];
  o->now.at.c = phi * h * h * s->tab.p[0];
  o->now.by_eta = -phi * h * h;
}

/* Copy the numbers of a point; both have arrays of their own. */
static void copy_point(const ga_own_solver *o, const ga_own_point *from, ga_own_point *to) {
  memcpy(to->held, from->held, o->room * sizeof(double));
  to->at.t = from->at.t;
  to->at.a = from->at.a, to->at.b = from->at.b, to->at.c = from->at.c;
  to->by_eta = from->by_eta;
}

void ga_own_solver_save(ga_own_solver *o) {
  copy_point(o, &o->now, &o->aside);
}

void ga_own_solver_load(ga_own_solver *o) {
  copy_point(o, &o->aside, &o->now);
}

void ga_own_solver_multiply(const ga_own_solver *o, double a, double b, const double *x,
                            double *y) {
  const ga_equations *s = o->eq;
  const ga_own_block *block = &o->block;
  if (block->ops->multiply(s->eval->model->user, block->work, a, b, 0, x, o->row) != 0) return;
  ga_axpy(s->nv, 1, o->row, y);
}
