/* SPDX-License-Identifier: MIT */
/* The Newton matrix of a step, one formula for all rows.
 *
 * With A_q = D_q(row) T(w_q), A_v = D_v(row) and s = 1, 1/h, 1/h^2 the scaling of the row:
 *
 *   d row / d x_j  = [row == j] m M + s h^2 p_j A_q + s h r_j A_v      dynamic rows: s = phi
 *   d row / d eta  = -s h^2 A_q G_n^T
 *   d row / d lam  = phi L^T,  d row / d psi = phi P^T             dynamic rows only; usually G, H
 *
 *   dynamic row:       A_q = Kt T,  A_v = Ct
 *   position row:      A_q = G T,   A_v = 0
 *   velocity row:      A_q = Z T,   A_v = G
 *   acceleration row:  A_q = D_q(G x + drift) T,  A_v = d drift/dv,  and G by x itself
 *   nonholonomic row:  A_q = Y T,   A_v = H */
#include <string.h>

#include "lie/lie.h"
#include "step/step.h"

/* places of one row's derivative blocks; row0 its first row */
static void add_row(ga_step *s, ga_row_terms *row, int row0, ga_csr *Aq, const ga_csr *Av,
                    ga_arena *arena) {
  row->Aq = Aq;
  for (int j = 0; j < s->method->nx; j++) {
    row->by_q[j] = ga_kkt_add(&s->kkt, row0, j * s->nv, Aq, false);
    row->by_v[j] = Av ? ga_kkt_add(&s->kkt, row0, j * s->nv, Av, false) : -1;
  }
  row->by_eta = -1;
  if (s->eta < 0) return;
  if (ga_csr_product_t_init(&row->P, Aq, &s->Gn, arena) != GA_OK) {
    arena->failed = true;
    return;
  }
  row->by_eta = ga_kkt_add(&s->kkt, row0, s->mult_at[s->eta], &row->P, false);
}

ga_status ga_step_matrix_init(ga_step *s, ga_arena *arena) {
  const ga_method *method = s->method;
  const ga_model *model = s->eval->model;
  bool flat = model->space->commutative;
  ga_csr_init(&s->Z, s->nlam, s->nv, model->pat_G, arena);
  ga_csr_init(&s->Y, s->npsi, s->nv, model->pat_H, arena);
  s->acc_term = -1;
  if (!flat) ga_csr_init(&s->GT, s->nlam, s->nv, model->pat_G, arena);
  s->T = ga_arena_doubles(arena, (size_t)ga_space_tangent_size(model->space));
  s->work = ga_arena_doubles(arena, (size_t)s->nv);
  for (int j = 0; j < method->nx; j++) {
    ga_csr_init(&s->Kt[j], s->nv, s->nv, model->pat_K, arena);
    ga_csr_init(&s->Ct[j], s->nv, s->nv, model->pat_K, arena);
    if (arena->failed) return GA_ERR_MEM;
    int row0 = j * s->nv;
    add_row(s, &s->dyn[j], row0, &s->Kt[j], &s->Ct[j], arena);
    s->mass_term[j] = ga_kkt_add(&s->kkt, row0, row0, &s->M, false);
    const ga_csr *L = &s->G, *P = &s->H;
    if (model->ops->reaction) {
      ga_csr_init(&s->L[j], s->nlam, s->nv, model->pat_G, arena);
      ga_csr_init(&s->P[j], s->npsi, s->nv, model->pat_H, arena);
      if (arena->failed) return GA_ERR_MEM;
      L = &s->L[j], P = &s->P[j];
    }
    s->lam_term[j] = ga_kkt_add(&s->kkt, row0, s->mult_at[method->dyn[j].lam], L, true);
    s->psi_term[j] = ga_kkt_add(&s->kkt, row0, s->mult_at[method->dyn[j].psi], P, true);
  }
  for (int c = 0; c < method->ncon; c++) {
    ga_row_terms *row = &s->con[c];
    switch (method->con[c]) {
      case GA_ROW_POS:
        add_row(s, row, s->con_at[c], flat ? &s->G : &s->GT, NULL, arena);
        break;
      case GA_ROW_VEL:
        add_row(s, row, s->con_at[c], &s->Z, &s->G, arena);
        break;
      case GA_ROW_ACC:
        ga_csr_init(&s->acc_q, s->nlam, s->nv, model->pat_G, arena);
        ga_csr_init(&s->acc_v, s->nlam, s->nv, model->pat_G, arena);
        if (arena->failed) return GA_ERR_MEM;
        add_row(s, row, s->con_at[c], &s->acc_q, &s->acc_v, arena);
        s->acc_term = ga_kkt_add(&s->kkt, s->con_at[c], method->out_x * s->nv, &s->G, false);
        break;
      case GA_ROW_NONHOL:
        row->hat = method->con_hat[c];
        if (row->hat) {
          ga_csr_init(&s->Hh, s->npsi, s->nv, model->pat_H, arena);
          ga_csr_init(&s->Yh, s->npsi, s->nv, model->pat_H, arena);
          if (arena->failed) return GA_ERR_MEM;
        }
        add_row(s, row, s->con_at[c], row->hat ? &s->Yh : &s->Y, row->hat ? &s->Hh : &s->H, arena);
        break;
    }
  }
  return arena->failed ? GA_ERR_MEM : ga_kkt_build(&s->kkt, s->n, arena);
}

/* Kt, Ct of a dynamic row at the current site */
static ga_status dynamic_derivatives(ga_step *s, int j) {
  const ga_dyn_row *row = &s->method->dyn[j];
  ga_point p = {.t = s->t1,
                .q = s->q1,
                .v = s->v1,
                .x = s->method->weighted ? s->zero : s->x + j * s->nv,
                .lam = s->x + s->mult_at[row->lam],
                .psi = s->x + s->mult_at[row->psi]};
  ga_status status = ga_eval_tangents(s->eval, &p, &s->Kt[j], &s->Ct[j]);
  if (status == GA_OK && s->eval->model->ops->reaction) {
    status = ga_eval_reaction_dmult(s->eval, &p, &s->L[j], &s->P[j]);
  }
  s->dyn[j].q_scale = s->tab.phi * s->h * s->h;
  s->dyn[j].v_scale = s->tab.phi * s->h;
  return status;
}

static ga_status constraint_derivatives(ga_step *s, int c) {
  ga_row_terms *row = &s->con[c];
  ga_status status = GA_OK;
  row->q_scale = s->h;
  row->v_scale = 1;
  switch (s->method->con[c]) {
    case GA_ROW_POS:
      row->q_scale = 1;
      if (row->Aq != &s->G) {
        memcpy(s->GT.val, s->G.val, (size_t)ga_csr_nnz(&s->G) * sizeof(double));
      }
      break;
    case GA_ROW_VEL:
      status = ga_eval_Z(s->eval, s->t1, s->q1, s->v1, &s->Z);
      break;
    case GA_ROW_ACC:
      row->q_scale = s->h * s->h;
      row->v_scale = s->h;
      status = ga_eval_acceleration_tangents(s->eval, s->t1, s->q1, s->v1,
                                             s->x + s->method->out_x * s->nv, &s->acc_q, &s->acc_v);
      break;
    case GA_ROW_NONHOL:
      if (!row->hat) return ga_eval_Y(s->eval, s->t1, s->q1, s->v1, &s->Y);
      status = ga_eval_Y(s->eval, s->t1, s->q1, s->vh, &s->Yh);
      if (status == GA_OK) status = ga_eval_H(s->eval, s->t1, s->q1, s->vh, &s->Hh);
      break;
  }
  return status;
}

/* A_q <- A_q T, P = A_q G_n^T, then everything to its place */
static void scatter_row(ga_step *s, ga_row_terms *row) {
  const ga_space *space = s->eval->model->space;
  if (!space->commutative) ga_space_apply_tangent(space, s->T, row->Aq);
  for (int j = 0; j < s->method->nx; j++) {
    ga_kkt_scatter(&s->kkt, row->by_q[j], row->q_scale * s->tab.p[j]);
    double r = row->hat ? s->tab.rh[j] : s->tab.r[j];
    if (row->by_v[j] >= 0) ga_kkt_scatter(&s->kkt, row->by_v[j], row->v_scale * r);
  }
  if (row->by_eta < 0) return;
  ga_csr_product_t(&row->P, row->Aq, &s->Gn, s->work);
  ga_kkt_scatter(&s->kkt, row->by_eta, -row->q_scale);
}

static ga_status factor(ga_step *s) {
  char name[128];
  s->factored = false;
  s->stats->matrices++;
  if (ga_first_nonfinite(ga_csr_nnz(&s->kkt.A), s->kkt.A.val) >= 0) {
    return ga_fail(s->err, GA_RETRY_SINGULAR, "t = %.9g, h = %.3g: Newton matrix is not finite",
                   s->t, s->h);
  }
  ga_status status = s->ls.ops->factor(&s->ls, &s->kkt.A);
  if (status == GA_RETRY_SINGULAR) {
    int i = s->ls.ops->singular_column ? s->ls.ops->singular_column(&s->ls) : -1;
    return ga_fail(s->err, status,
                   "t = %.9g, h = %.3g: Newton matrix is singular%s%s; a constraint depends on the "
                   "others here, or a velocity has neither mass nor constraint",
                   s->t, s->h, i >= 0 ? " at unknown " : "",
                   i >= 0 ? ga_step_unknown_name(s, i, name, sizeof name) : "");
  }
  if (status != GA_OK) {
    return ga_fail(s->err, status < 0 ? status : GA_ERR_BACKEND,
                   "t = %.9g: linear solver failed to factor the Newton matrix", s->t);
  }
  s->factored = true;
  s->factored_h = s->h;
  s->factored_age = 0;
  return GA_OK;
}

ga_status ga_step_matrix(ga_step *s) {
  const ga_method *method = s->method;
  const ga_space *space = s->eval->model->space;
  ga_status status = GA_OK;
  if (!space->commutative) ga_space_tangent_rows(space, s->wq, s->T);
  for (int j = 0; j < method->nx && status == GA_OK; j++) status = dynamic_derivatives(s, j);
  for (int c = 0; c < method->ncon && status == GA_OK; c++) status = constraint_derivatives(s, c);
  if (status != GA_OK) return status;
  ga_csr_zero(&s->kkt.A);
  for (int j = 0; j < method->nx; j++) {
    scatter_row(s, &s->dyn[j]);
    ga_kkt_scatter(&s->kkt, s->mass_term[j], s->tab.m);
    ga_kkt_scatter(&s->kkt, s->lam_term[j], s->tab.phi);
    ga_kkt_scatter(&s->kkt, s->psi_term[j], s->tab.phi);
  }
  for (int c = 0; c < method->ncon; c++) scatter_row(s, &s->con[c]);
  if (s->acc_term >= 0) ga_kkt_scatter(&s->kkt, s->acc_term, 1);
  return factor(s);
}
