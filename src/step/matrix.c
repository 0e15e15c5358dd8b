/* SPDX-License-Identifier: MIT */
/* The Newton matrix of a step, one formula for all rows.
 *
 * With A_q = D_q(row) T(w_q), A_v = D_v(row) and s = 1, 1/h, 1/h^2 the scaling of the row:
 *
 *   d row / d x_j  = [row == j] m M + s h^2 p_j A_q + s h r_j A_v      dynamic rows: s = phi
 *   d row / d eta  = -s h^2 A_q G_n^T
 *   d row / d lam  = phi L^T,  d row / d psi = phi P^T             dynamic rows only; usually G, H
 *
 *   dynamic row:       A_q = Kt T,  A_v = Ct   times by_wq, by_v1 of its site
 *   position row:      A_q = G T,   A_v = 0
 *   velocity row:      A_q = Z T,   A_v = G
 *   acceleration row:  A_q = D_q(G x + drift) T,  A_v = d drift/dv,  and G by x itself
 *   nonholonomic row:  A_q = Y T,   A_v = H
 *
 * In a team the products A_q G_n^T couple constraints of different processes on one body. They
 * are avoided by one more block of unknowns and rows, y = sum_j p_j x_j - G_n^T eta, in which
 * d row / d y = s h^2 A_q replaces all other derivatives by q. The matrix is then a sum over the
 * processes.
 *
 * The last argument of ga_block_matrix_add says whether the block is transposed. */
#include "step/matrix.h"

#include <string.h>

#include "lie/lie.h"

/* Has the matrix the additional unknowns y? (in a team, with an eta) */
static bool has_y(const ga_equations *s) {
  return s->eval->team && s->eta >= 0;
}

/* Register the blocks of one row of blocks that begins at row0, and set *row (site and hat must be
 * set): Aq by q, Av by v (may be NULL), and those by eta or y. There is no block (-1) where the
 * site does not move or the coefficient is zero. May set arena->failed. */
static void add_row(ga_matrix *m, ga_equations *s, ga_row_terms *row, int row0, ga_csr *Aq,
                    const ga_csr *Av, ga_arena *arena) {
  const ga_site *site = row->site;
  row->Aq = Aq;
  for (int j = 0; j < s->method->nx; j++) {
    double r = row->hat ? s->tab.rh[j] : s->tab.r[j];
    bool by_q = site->by_wq > 0 && s->tab.p[j] != 0 && !has_y(s),
         by_v = Av && site->by_v1 > 0 && r != 0;
    row->by_q[j] = by_q ? ga_block_matrix_add(&m->blocks, row0, j * s->nv, Aq, false) : -1;
    row->by_v[j] = by_v ? ga_block_matrix_add(&m->blocks, row0, j * s->nv, Av, false) : -1;
  }
  row->by_eta = row->by_w = -1;
  if (site->by_wq == 0) return;
  if (has_y(s)) row->by_w = ga_block_matrix_add(&m->blocks, row0, s->n, Aq, false);
  row->nturn = ga_space_turns(s->eval->model->space, Aq, NULL);
  row->turn = ga_arena_take(arena, (size_t)row->nturn, sizeof *row->turn);
  if (arena->failed) return;
  ga_space_turns(s->eval->model->space, Aq, row->turn);
  if (s->eta < 0 || has_y(s)) return;
  if (ga_product_init(&row->P, Aq, &s->Gn, arena) != GA_OK) {
    arena->failed = true;
    return;
  }
  row->by_eta = ga_block_matrix_add(&m->blocks, row0, s->mult_at[s->eta], &row->P.P, false);
}

/* Allocate the tangents of dynamic row j and register its blocks: by q and v, mass (these not if the
 * model has its own solver), lam, psi. May set arena->failed. */
static void add_dynamic_row(ga_matrix *m, ga_equations *s, int j, ga_arena *arena) {
  ga_tangents *d = &m->tangents;
  const ga_model *model = s->eval->model;
  const ga_dyn_row *row = &s->method->dyn[j];
  const ga_site *site = &s->site[row->site];
  int row0 = j * s->nv;
  if (!s->own) {
    ga_csr_init(&d->Kt[j], s->nv, s->nv, model->pat_K, arena);
    ga_csr_init(&d->Ct[j], s->nv, s->nv, ga_eval_pattern_C(model), arena);
  }
  bool own = ga_eval_own_reaction(s->eval);
  if (own) {
    ga_csr_init(&d->L[j], s->nlam, s->nv, model->pat_G, arena);
    ga_csr_init(&d->P[j], s->npsi, s->nv, model->pat_H, arena);
  }
  if (row->forces == GA_FORCES_REACTION && !d->K0.ptr) {
    ga_csr_init(&d->K0, s->nv, s->nv, model->pat_K, arena);
    ga_csr_init(&d->C0, s->nv, s->nv, ga_eval_pattern_C(model), arena);
  }
  if (arena->failed) return;
  m->dyn[j].site = site;
  if (!s->own) {
    add_row(m, s, &m->dyn[j], row0, &d->Kt[j], &d->Ct[j], arena);
    m->mass_term[j] = ga_block_matrix_add(&m->blocks, row0, row0, &site->M, false);
    if (!s->by_product && !s->eval->const_mass)
      ga_csr_init(&d->M[j], s->nv, s->nv, &site->M, arena);
  }
  const ga_csr *L = own ? &d->L[j] : &site->G;
  const ga_csr *P = own ? &d->P[j] : &site->H;
  m->lam_term[j] = m->psi_term[j] = -1;
  if (row->lam != GA_NONE) {
    m->lam_term[j] = ga_block_matrix_add(&m->blocks, row0, s->mult_at[row->lam], L, true);
  }
  if (row->psi != GA_NONE) {
    m->psi_term[j] = ga_block_matrix_add(&m->blocks, row0, s->mult_at[row->psi], P, true);
  }
}

/* Allocate the tangents that only constraint row c needs and register its blocks; it is at the new
 * site. May set arena->failed. */
static void add_constraint_row(ga_matrix *m, ga_equations *s, int c, ga_arena *arena) {
  ga_tangents *d = &m->tangents;
  const ga_model *model = s->eval->model;
  ga_row_terms *row = &m->con[c];
  ga_site *site = &s->site[GA_SITE_NEW];
  int row0 = s->con_at[c];
  row->site = site;
  switch (s->method->con[c]) {
    case GA_ROW_POS:
      add_row(m, s, row, row0, model->space->commutative ? &site->G : &d->GT, NULL, arena);
      break;
    case GA_ROW_VEL:
      add_row(m, s, row, row0, &d->Z, &site->G, arena);
      break;
    case GA_ROW_ACC:
      ga_csr_init(&d->acc_q, s->nlam, s->nv, model->pat_G, arena);
      ga_csr_init(&d->acc_v, s->nlam, s->nv, model->pat_G, arena);
      if (arena->failed) return;
      add_row(m, s, row, row0, &d->acc_q, &d->acc_v, arena);
      m->acc_term =
          ga_block_matrix_add(&m->blocks, row0, s->method->out_x * s->nv, &site->G, false);
      break;
    case GA_ROW_NONHOL:
      row->hat = s->method->con_hat[c];
      if (row->hat) {
        ga_csr_init(&d->Hh, s->npsi, s->nv, model->pat_H, arena);
        ga_csr_init(&d->Yh, s->npsi, s->nv, model->pat_H, arena);
        if (arena->failed) return;
      }
      if (s->contacts) ga_csr_init(&d->Hc, s->npsi, s->nv, model->pat_H, arena);
      if (arena->failed) return;
      const ga_csr *H = s->contacts ? &d->Hc : &site->H;
      add_row(m, s, row, row0, row->hat ? &d->Yh : &d->Y, row->hat ? &d->Hh : H, arena);
      break;
  }
}

/* Register diagonal slots (m->unit_term) for rows that are left out; row blocks and multiplier
 * blocks have equal sizes. */
static void add_diagonal_slots(ga_matrix *m, const ga_equations *s, ga_arena *arena) {
  ga_csr_init_identity(&m->E_lam, s->nlam, arena);
  ga_csr_init_identity(&m->E_psi, s->npsi, arena);
  for (int c = 0; c < s->method->ncon && !arena->failed; c++) {
    const ga_csr *E = s->method->con[c] == GA_ROW_NONHOL ? &m->E_psi : &m->E_lam;
    m->unit_term[c] = ga_block_matrix_add(&m->blocks, s->con_at[c], s->mult_at[c], E, false);
    if (!s->contacts) continue;
    if (s->method->con[c] == GA_ROW_NONHOL) {
      m->contact_term[c] = ga_block_matrix_add(
          &m->blocks, s->con_at[c], s->mult_at[s->method->dyn[0].lam], &s->contacts->slip, false);
    } else {
      m->contact_term[c] =
          ga_block_matrix_add(&m->blocks, s->con_at[c], s->mult_at[c], &s->contacts->split, false);
    }
  }
}

/* Rows of contacts in the assembled matrix. */
static void put_contact_rows(ga_matrix *m, const ga_equations *s) {
  for (int c = 0; c < s->method->ncon; c++) {
    if (s->method->con[c] != GA_ROW_NONHOL) {
      ga_contact_rows_put_split(s->contacts, &m->blocks.A, s->con_at[c]);
      continue;
    }
    ga_contact_rows_put_slip(s->contacts, &m->blocks.A, s->con_at[c],
                             s->mult_at[s->method->dyn[0].lam], false);
  }
}

/* H and Y of the rows k: those of slipping contacts get the derivative of their direction. */
static void differentiate_slip(ga_matrix *m, const ga_equations *s, const double *x) {
  ga_tangents *d = &m->tangents;
  const ga_csr *H = &s->site[GA_SITE_NEW].H;
  const double *lam = x + s->mult_at[s->method->dyn[0].lam];
  if (s->npsi == 0) return;
  memcpy(d->Hc.val, H->val, (size_t)ga_csr_nnz(H) * sizeof(double));
  ga_contact_rows_slip_gradient(s->contacts, lam, s->k, s->h, &d->Hc);
  ga_contact_rows_slip_gradient(s->contacts, lam, s->k, s->h, &d->Y);
}

/* Register the rows y - sum_j p_j x_j + G_n^T eta = 0 of a team (head of this file) and enlarge
 * m->n by nv. Their identities are set by the process that owns the velocity. */
static void add_y(ga_matrix *m, const ga_equations *s, ga_arena *arena) {
  ga_csr_init_identity(&m->E_own, s->nv, arena);
  if (arena->failed) return;
  for (int i = 0; i < s->nv; i++) m->E_own.val[i] = s->eval->team->owned[i];
  m->own_term = ga_block_matrix_add(&m->blocks, s->n, s->n, &m->E_own, false);
  for (int j = 0; j < s->method->nx; j++) {
    m->own_by_x[j] = ga_block_matrix_add(&m->blocks, s->n, j * s->nv, &m->E_own, false);
  }
  m->own_by_eta = ga_block_matrix_add(&m->blocks, s->n, s->mult_at[s->eta], &s->Gn, true);
  m->n += s->nv;
}

/* Add the values of the rows for y to the matrix, which must have been cleared. */
static void scatter_y(ga_matrix *m, const ga_equations *s) {
  ga_block_matrix_put(&m->blocks, m->own_term, 1);
  for (int j = 0; j < s->method->nx; j++) {
    ga_block_matrix_put(&m->blocks, m->own_by_x[j], -s->tab.p[j]);
  }
  ga_block_matrix_put(&m->blocks, m->own_by_eta, 1);
}

/* Allocate the tangents, register the blocks of all rows and build the pattern of the matrix in
 * m->blocks.A. *m must be zero before. GA_ERR_MEM without a message. */
ga_status ga_matrix_init(ga_matrix *m, ga_equations *s, ga_arena *arena) {
  ga_tangents *d = &m->tangents;
  const ga_method *method = s->method;
  const ga_model *model = s->eval->model;
  ga_csr_init(&d->Z, s->nlam, s->nv, model->pat_G, arena);
  ga_csr_init(&d->Y, s->npsi, s->nv, model->pat_H, arena);
  if (!model->space->commutative) ga_csr_init(&d->GT, s->nlam, s->nv, model->pat_G, arena);
  m->acc_term = -1;
  m->mass = s->by_product && !s->own ? &s->site[GA_SITE_NEW].M : NULL;
  for (int j = 0; j < method->nx && !arena->failed; j++) add_dynamic_row(m, s, j, arena);
  for (int c = 0; c < method->ncon && !arena->failed; c++) add_constraint_row(m, s, c, arena);
  if (s->may_drop) add_diagonal_slots(m, s, arena);
  m->n = s->n;
  if (has_y(s) && !arena->failed) add_y(m, s, arena);
  ga_status status = arena->failed ? GA_ERR_MEM : ga_block_matrix_build(&m->blocks, m->n, arena);
  if (status == GA_OK && s->may_drop) ga_identity_rows_init(&m->unit, &m->blocks.A, s->nx, arena);
  return status;
}

/* Kt = D_q(M x - F - R), Ct = d/dv(-F - R) of dynamic row j at its site, minus the forces that this
 * row omits; L, P of an own reaction; M where residuals do without it; q_scale and v_scale of the
 * row. Kt, Ct, M are not evaluated again if they came with the residual. Weighted rows: M at a predicted point is constant, so x
 * counts as 0. */
static ga_status dynamic_derivatives(ga_matrix *m, ga_equations *s, const double *x, int j) {
  ga_tangents *d = &m->tangents;
  const ga_dyn_row *row = &s->method->dyn[j];
  const ga_site *site = &s->site[row->site];
  ga_csr *Kt = &d->Kt[j], *Ct = &d->Ct[j];
  ga_status status = GA_OK;
  ga_eval_point p = {.t = site->t,
                     .q = site->q,
                     .v = site->v,
                     .x = s->method->weighted ? s->zero : x + j * s->nv,
                     .lam = ga_equations_multipliers(s, x, row->lam),
                     .psi = ga_equations_multipliers(s, x, row->psi)};
  if (ga_eval_own_reaction(s->eval) && row->forces != GA_FORCES_APPLIED) {
    status = ga_eval_reaction_dmult(s->eval, &p, &d->L[j], &d->P[j]);
  }
  m->dyn[j].q_scale = s->tab.phi * s->h * s->h * site->by_wq;
  m->dyn[j].v_scale = s->tab.phi * s->h * site->by_v1;
  if (status != GA_OK || (site->by_wq == 0 && site->by_v1 == 0) || s->own) return status;
  if (d->of == s->evaluations) return GA_OK; /* they came along with the residual */
  const ga_evaluation out = {.x = p.x,
                             .lam = p.lam,
                             .psi = p.psi,
                             .Kt = Kt,
                             .Ct = Ct,
                             .M = s->mass_of != s->evaluations ? m->mass : NULL};
  status = ga_eval_all(s->eval, p.t, p.q, p.v, &out);
  if (status == GA_OK) s->mass_of = s->evaluations;
  if (status != GA_OK || row->forces != GA_FORCES_REACTION) return status;
  p.x = p.lam = p.psi = s->zero;
  status = ga_eval_tangents(s->eval, &p, &d->K0, &d->C0);
  ga_axpy(ga_csr_nnz(Kt), -1, d->K0.val, Kt->val);
  ga_axpy(ga_csr_nnz(Ct), -1, d->C0.val, Ct->val);
  return status;
}

/* Derivatives of constraint row c by q (and v) into the tangents, and q_scale, v_scale: h^2 and h
 * times 1/h^2, 1/h or 1 of the row. What the residual has evaluated at the same x already (known)
 * is not evaluated again. */
static ga_status constraint_derivatives(ga_matrix *m, ga_equations *s, const double *x, int c) {
  ga_tangents *d = &m->tangents;
  bool known = d->of == s->evaluations;
  ga_row_terms *row = &m->con[c];
  ga_site *at = &s->site[GA_SITE_NEW];
  ga_status status = GA_OK;
  row->q_scale = s->h;
  row->v_scale = 1;
  switch (s->method->con[c]) {
    case GA_ROW_POS:
      row->q_scale = 1;
      if (row->Aq != &at->G) {
        memcpy(d->GT.val, at->G.val, (size_t)ga_csr_nnz(&at->G) * sizeof(double));
      }
      break;
    case GA_ROW_VEL:
      if (!known) status = ga_eval_Z(s->eval, at->t, at->q, at->v, &d->Z);
      break;
    case GA_ROW_ACC:
      row->q_scale = s->h * s->h;
      row->v_scale = s->h;
      status = ga_eval_acceleration_tangents(s->eval, at->t, at->q, at->v,
                                             x + s->method->out_x * s->nv, &d->acc_q, &d->acc_v);
      break;
    case GA_ROW_NONHOL:
      if (known) break;
      if (!row->hat) return ga_eval_Y(s->eval, at->t, at->q, at->v, &d->Y);
      status = ga_eval_Y(s->eval, at->t, at->q, s->vh, &d->Yh);
      if (status == GA_OK) status = ga_eval_H(s->eval, at->t, at->q, s->vh, &d->Hh);
      break;
  }
  return status;
}

/* A_q <- A_q T, P = A_q G_n^T, then add all blocks of the row to the matrix, which must have been
 * cleared. A_q, a tangent or G T, is changed. */
static void scatter_row(ga_matrix *m, const ga_equations *s, ga_row_terms *row) {
  ga_space_turn(row->nturn, row->turn, row->site->T, row->Aq);
  for (int j = 0; j < s->method->nx; j++) {
    if (row->by_q[j] >= 0)
      ga_block_matrix_put(&m->blocks, row->by_q[j], row->q_scale * s->tab.p[j]);
    double r = row->hat ? s->tab.rh[j] : s->tab.r[j];
    if (row->by_v[j] >= 0) ga_block_matrix_put(&m->blocks, row->by_v[j], row->v_scale * r);
  }
  if (row->by_w >= 0) ga_block_matrix_put(&m->blocks, row->by_w, row->q_scale);
  if (row->by_eta < 0) return;
  ga_product_values(&row->P, row->Aq, &s->Gn);
  ga_block_matrix_put(&m->blocks, row->by_eta, -row->q_scale);
}

/* The derivatives of all rows at x into m->tangents, with scales; stops at the first failure. */
static ga_status evaluate_derivatives(ga_matrix *m, ga_equations *s, const double *x) {
  ga_status status = GA_OK;
  for (int j = 0; j < s->method->nx && status == GA_OK; j++) {
    status = dynamic_derivatives(m, s, x, j);
  }
  for (int c = 0; c < s->method->ncon && status == GA_OK; c++) {
    status = constraint_derivatives(m, s, x, c);
  }
  return status;
}

/* most matrices that list_matrices lists */
enum { LIST = 5 * GA_MAX_X + 10 };
/* Fill list with the matrices that hold values; some may be empty. Returns their number. */
static int list_matrices(const ga_matrix *m, const ga_csr *list[LIST]) {
  const ga_tangents *d = &m->tangents;
  const ga_csr *const single[] = {&m->blocks.A, &d->Z,     &d->Y,     &d->Hh, &d->Yh,
                                  &d->GT,       &d->acc_q, &d->acc_v, &d->Hc};
  int n = 0;
  for (int j = 0; j < GA_MAX_X; j++) {
    const ga_csr *const rows[] = {&d->Kt[j], &d->Ct[j], &d->L[j], &d->P[j], &d->M[j]};
    for (int k = 0; k < 5; k++) list[n++] = rows[k];
  }
  for (int k = 0; k < 9; k++) list[n++] = single[k];
  if (m->mass) list[n++] = m->mass;
  return n;
}

/* Number of values; 0 for a matrix that was not allocated. */
static size_t count_values(const ga_csr *A) {
  return A->ptr ? (size_t)ga_csr_nnz(A) : 0;
}

/* Number of values that ga_matrix_save writes. */
size_t ga_matrix_size(const ga_matrix *m) {
  const ga_csr *list[LIST];
  size_t sum = 0;
  for (int n = list_matrices(m, list); n-- > 0;) sum += count_values(list[n]);
  return sum;
}

/* Copy all values of the matrix and its tangents to values, which has room for ga_matrix_size
 * numbers. */
void ga_matrix_save(const ga_matrix *m, double *values) {
  const ga_csr *list[LIST];
  for (int n = list_matrices(m, list); n-- > 0; values += count_values(list[n])) {
    if (list[n]->ptr) memcpy(values, list[n]->val, count_values(list[n]) * sizeof(double));
  }
}

/* Restore what ga_matrix_save has written. */
void ga_matrix_load(ga_matrix *m, const double *values) {
  const ga_csr *list[LIST];
  for (int n = list_matrices(m, list); n-- > 0; values += count_values(list[n])) {
    if (list[n]->ptr) memcpy(list[n]->val, values, count_values(list[n]) * sizeof(double));
  }
}

/* Evaluate all derivatives at x again, now with checks: the status and message of the callback that
 * is not finite, GA_OK if there is none. The tangents are overwritten. */
ga_status ga_matrix_blame(ga_matrix *m, ga_equations *s, const double *x) {
  m->tangents.of = s->mass_of = 0;
  return evaluate_derivatives(m, s, x);
}

/* Put -soften unit_i^2 on the diagonals of the multipliers, and rows and columns of the identity
 * for rows that are left out (see ga_equations). All other blocks must be in the matrix already. */
static void scatter_dropped_rows(ga_matrix *m, const ga_equations *s) {
  const ga_method *method = s->method;
  for (int i = 0; i < s->nlam && s->soften > 0; i++) m->E_lam.val[i] = s->unit[i] * s->unit[i];
  for (int i = 0; i < s->npsi && s->soften > 0; i++) {
    m->E_psi.val[i] = s->unit[s->nlam + i] * s->unit[s->nlam + i];
  }
  for (int c = 0; c < method->ncon; c++) {
    ga_block_matrix_put(&m->blocks, m->unit_term[c], -s->soften);
  }
  for (int c = 0; c < method->ncon && s->ndropped > 0; c++) {
    int size = ga_equations_con_size(s, method->con[c]);
    const bool *dropped = ga_equations_dropped(s, method->con[c]);
    ga_identity_rows_apply_all(&m->unit, &m->blocks.A, s->con_at[c], size, dropped);
  }
}

/* The matrix at x into m->blocks.A: evaluate all derivatives (without checks for NaN), then add
 * block after block. The residual must have been evaluated at x before. The tangents are
 * overwritten (A_q T). On failure the old matrix stays. */
ga_status ga_matrix_assemble(ga_matrix *m, ga_equations *s, const double *x) {
  const ga_method *method = s->method;
  ga_sites_tangents(s);
  s->eval->trusting = true;
  ga_status status = evaluate_derivatives(m, s, x);
  s->eval->trusting = false;
  m->tangents.of = 0; /* A_q will be multiplied by T */
  if (status != GA_OK) return status;
  if (s->contacts) differentiate_slip(m, s, x);
  ga_block_matrix_clear(&m->blocks);
  for (int j = 0; j < method->nx; j++) {
    if (!s->own) {
      scatter_row(m, s, &m->dyn[j]);
      ga_block_matrix_put(&m->blocks, m->mass_term[j], s->tab.m);
      if (m->tangents.M[j].ptr) {
        const ga_csr *M = &m->dyn[j].site->M;
        memcpy(m->tangents.M[j].val, M->val, (size_t)ga_csr_nnz(M) * sizeof(double));
      }
    }
    if (m->lam_term[j] >= 0) ga_block_matrix_put(&m->blocks, m->lam_term[j], s->tab.phi);
    if (m->psi_term[j] >= 0) ga_block_matrix_put(&m->blocks, m->psi_term[j], s->tab.phi);
  }
  for (int c = 0; c < method->ncon; c++) scatter_row(m, s, &m->con[c]);
  if (m->acc_term >= 0) ga_block_matrix_put(&m->blocks, m->acc_term, 1);
  if (has_y(s)) scatter_y(m, s);
  for (int c = 0; s->contacts && c < method->ncon; c++) {
    ga_block_matrix_put(&m->blocks, m->contact_term[c], 0); /* clears these slots */
  }
  if (s->may_drop) scatter_dropped_rows(m, s);
  if (s->contacts) put_contact_rows(m, s);
  return GA_OK;
}
