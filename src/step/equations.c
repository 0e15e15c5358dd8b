/* SPDX-License-Identifier: MIT */
/* The equations of a step: layout, constants, residual. */
#include "step/equations.h"

#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "step/own_solver.h"

/* Number of rows of a constraint block: npsi if nonholonomic, else nlam. */
int ga_equations_con_size(const ga_equations *s, ga_con_kind kind) {
  return kind == GA_ROW_NONHOL ? s->npsi : s->nlam;
}

/* Number of unknowns of a multiplier block: npsi for psi, nlam for lam and eta. */
int ga_equations_mult_size(const ga_equations *s, ga_block_kind kind) {
  return kind == GA_BLOCK_PSI ? s->npsi : s->nlam;
}

/* The multipliers of this block in x; zeros if block is GA_NONE. */
const double *ga_equations_multipliers(const ga_equations *s, const double *x, int block) {
  return block == GA_NONE ? s->zero : x + s->mult_at[block];
}

/* Gradient of a constraint at the new site: H if nonholonomic, else G. */
const ga_csr *ga_equations_gradient(const ga_equations *s, ga_con_kind kind) {
  const ga_site *at = &s->site[GA_SITE_NEW];
  return kind == GA_ROW_NONHOL ? &at->H : &at->G;
}

/* Marks of the rows of such a constraint that are left out as redundant; NULL if none is. */
const bool *ga_equations_dropped(const ga_equations *s, ga_con_kind kind) {
  if (s->ndropped == 0) return NULL;
  return kind == GA_ROW_NONHOL ? s->dropped + s->nlam : s->dropped;
}

/* Set the multipliers of rows that are left out to zero in x. */
void ga_equations_clear_dropped(const ga_equations *s, double *x) {
  for (int c = 0; c < s->method->ncon && s->ndropped > 0; c++) {
    const bool *dropped = ga_equations_dropped(s, s->method->con[c]);
    double *mult = x + s->mult_at[c];
    const int size = ga_equations_con_size(s, s->method->con[c]);
    for (int i = 0; i < size; i++) mult[i] = dropped[i] ? 0 : mult[i];
  }
}

/* ---- layout -------------------------------------------------------------------------------- */

/* Set where the blocks of unknowns (mult_at) and rows (con_at) begin, their numbers nx and n, eta
 * (block of eta, -1: none), has_row, has_hat and constrained; they must be zero before. GA_ERR_ARG
 * with a message if the system is not square. */
static ga_status lay_out(ga_equations *s) {
  const ga_method *method = s->method;
  int columns = method->nx * s->nv, rows = columns;
  s->nx = columns;
  s->eta = -1;
  for (int c = 0; c < method->ncon; c++) {
    s->mult_at[c] = columns;
    s->con_at[c] = rows;
    columns += ga_equations_mult_size(s, method->mult[c]);
    rows += ga_equations_con_size(s, method->con[c]);
    s->has_row[method->con[c]] = ga_equations_con_size(s, method->con[c]) > 0;
    if (method->mult[c] == GA_BLOCK_ETA && s->eval->nlam_all > 0) s->eta = c;
    bool nonholonomic = method->con[c] == GA_ROW_NONHOL;
    s->constrained |= (nonholonomic ? s->eval->npsi_all : s->eval->nlam_all) > 0;
    s->has_hat |= method->con_hat[c] && s->npsi > 0;
  }
  s->n = rows;
  if (rows == columns) return GA_OK;
  return ga_fail(s->err, GA_ERR_ARG, "method '%s' is not square: %d rows, %d unknowns",
                 method->name, rows, columns);
}

/* Has A exactly the diagonal entries? (pattern only) */
static bool is_diagonal(const ga_csr *A) {
  for (int i = 0; i < A->nrow; i++) {
    if (A->ptr[i + 1] != i + 1 || A->col[i] != i) return false;
  }
  return true;
}

/* May q_1 = q_n + w_q be computed directly? True on R^n with one x block, no eta and no other
 * sites, where nothing else needs w_q. After ga_sites_init. */
static bool is_straight(const ga_equations *s) {
  const ga_space *space = s->eval->model->space;
  bool straight = s->method->nx == 1 && s->eta < 0;
  straight = straight && space->nfactor == 1 && space->factor[0].group == &ga_group_rn;
  for (int k = GA_SITE_NEW + 1; k < GA_SITES; k++) straight = straight && !s->site[k].used;
  return straight;
}

/* Set *s: lay out the equations of the method for the model and allocate all arrays from the arena;
 * sets eval->one_tangent. may_drop: rows may be left out later. On failure a message in
 * eval->err. */
ga_status ga_equations_init(ga_equations *s, const ga_method *method, const ga_options *options,
                            bool may_drop, ga_eval *eval, ga_arena *arena) {
  *s = (ga_equations){.method = method,
                      .eval = eval,
                      .err = eval->err,
                      .nq = eval->nq,
                      .nv = eval->nv,
                      .nlam = eval->nlam,
                      .npsi = eval->npsi,
                      .contacts = eval->contacts};
  eval->one_tangent = method->nx == 1;
  method->coef(&options->par, &s->tab);
  ga_status status = lay_out(s);
  if (status != GA_OK) return status;
  double **const of_nv[] = {&s->wq0,       &s->v10,      &s->wq,       &s->vh,
                            &s->old_terms, &s->momentum, &s->reaction, &s->scaled_wq};
  for (int i = 0; i < 8; i++) *of_nv[i] = ga_arena_doubles(arena, (size_t)s->nv);
  s->g = ga_arena_doubles(arena, (size_t)s->nlam);
  s->gt = ga_arena_doubles(arena, (size_t)s->nlam);
  s->gv = ga_arena_doubles(arena, (size_t)s->nlam);
  s->k = ga_arena_doubles(arena, (size_t)s->npsi);
  s->zero = ga_arena_doubles(arena, (size_t)s->nv + (size_t)s->nlam + (size_t)s->npsi);
  s->may_drop = may_drop;
  if (options->redundant == GA_REDUNDANT_ALLOW || s->contacts) {
    s->dropped = ga_arena_take(arena, (size_t)(s->nlam + s->npsi), sizeof(bool));
    s->unit = ga_arena_doubles(arena, (size_t)(s->nlam + s->npsi));
  }
  s->own = ga_own_solver_wanted(s, options);
  s->by_product = s->own || (ga_eval_gives_product(eval) && method->nx == 1 && !method->weighted &&
                             method->dyn[0].site == GA_SITE_NEW && !eval->team);
  ga_sites_init(s, arena);
  if (eval->team) {
    s->row_terms = ga_arena_doubles(arena, (size_t)(3 * s->nx));
    s->push = ga_arena_doubles(arena, (size_t)s->nv);
  }
  if (s->eta >= 0) ga_csr_init(&s->Gn, s->nlam, s->nv, eval->model->pat_G, arena);
  if (s->eta >= 0) s->Gn_q = ga_arena_doubles(arena, (size_t)s->nq);
  if (arena->failed) {
    return ga_fail(s->err, GA_ERR_MEM, "no memory for a step with %d unknowns", s->n);
  }
  s->mass_is_diagonal = is_diagonal(&s->site->M) && !s->by_product;
  s->straight = is_straight(s);
  return GA_OK;
}

/* Forget what was evaluated (masses, G_n, differences), so that a run can be repeated exactly. */
void ga_equations_reset(ga_equations *s) {
  for (int k = 0; k < GA_SITES; k++) s->site[k].mass_known = s->site[k].evaluated = false;
  s->Gn_known = false;
  ga_eval_forget(s->eval);
}

/* guess, n numbers, from the memory: x blocks are v' (weighted rows: a), w in a block of applied
 * forces, v' - w in one of reactions; multipliers those of mem; eta = 0. */
void ga_equations_guess(const ga_equations *s, const ga_memory *mem, double *guess) {
  const ga_method *method = s->method;
  memset(guess, 0, (size_t)s->n * sizeof(double));
  for (int j = 0; j < method->nx; j++) {
    double *x = guess + j * s->nv;
    ga_row_forces forces = method->dyn[j].forces;
    const double *whole = method->weighted ? mem->a : mem->vd;
    for (int i = 0; i < s->nv; i++) {
      x[i] = forces == GA_FORCES_APPLIED ? mem->w[i] : whole[i];
      if (forces == GA_FORCES_REACTION) x[i] -= mem->w[i];
    }
  }
  for (int c = 0; c < method->ncon; c++) {
    ga_block_kind kind = method->mult[c];
    if (kind == GA_BLOCK_ETA) continue;
    memcpy(guess + s->mult_at[c], kind == GA_BLOCK_PSI ? mem->psi : mem->lam,
           (size_t)ga_equations_mult_size(s, kind) * sizeof(double));
  }
}

/* ---- the constants of a step ---------------------------------------------------------------- */

/* M at (t_n + shift h, q_n o exp(shift h v_n)) into the new site, whose q changes, unless its M is
 * known to be constant. Overwrites scaled_wq. */
static ga_status evaluate_predicted_mass(ga_equations *s, double shift) {
  ga_site *site = &s->site[GA_SITE_NEW];
  site->evaluated = false;
  for (int i = 0; i < s->nv; i++) s->scaled_wq[i] = shift * s->h * s->v[i];
  ga_space_step(s->eval->model->space, s->q, s->scaled_wq, site->q);
  return ga_site_mass(s, site, s->t + shift * s->h, site->q);
}

/* s->momentum = M_alpha a_alpha, nv numbers: `known` from the step before, or evaluated if NULL,
 * which changes M and q of the new site. */
static ga_status set_old_momentum(ga_equations *s, const double *known) {
  size_t bytes = (size_t)s->nv * sizeof(double);
  if (known) {
    memcpy(s->momentum, known, bytes);
    return GA_OK;
  }
  ga_status status = evaluate_predicted_mass(s, s->tab.shift_old);
  memset(s->momentum, 0, bytes);
  if (status == GA_OK) ga_csr_mul_add(&s->site->M, 1, s->a, s->momentum);
  return status;
}

/* Weighted rows: old_terms = hm M_alpha a - hf f(t_n, q_n, v_n, lam_n, psi_n), f = F + R, of this
 * process. momentum: M_alpha a_alpha, or NULL. Then M_{1+alpha} is evaluated into the new site,
 * where it stays for the step. Overwrites F, G, H, q of that site, reaction and momentum. */
static ga_status compute_old_terms(ga_equations *s, const ga_memory *mem, const double *momentum) {
  ga_eval *e = s->eval;
  ga_site *site = &s->site[GA_SITE_NEW];
  const ga_eval_point p = {.t = s->t, .q = s->q, .v = s->v, .lam = mem->lam, .psi = mem->psi};
  site->evaluated = false;
  const ga_evaluation out = {.F = site->F, .G = &site->G, .H = &site->H};
  ga_status status = ga_eval_all(e, s->t, s->q, s->v, &out);
  if (status == GA_OK) status = ga_eval_reaction(e, &p, &site->G, &site->H, s->reaction);
  if (status == GA_OK) status = set_old_momentum(s, momentum);
  for (int i = 0; i < s->nv; i++) {
    s->old_terms[i] = s->tab.hf * (s->reaction[i] - site->F[i]) + s->tab.hm * s->momentum[i];
  }
  return status != GA_OK ? status : evaluate_predicted_mass(s, s->tab.shift_new);
}

/* s->Gn <- s->Gn W^-1, so that eta acts through the metric of the model. */
static void apply_metric(ga_equations *s) {
  const double *w = s->eval->metric;
  if (!s->eval->model->metric) return;
  for (int e = 0; e < ga_csr_nnz(&s->Gn); e++) s->Gn.val[e] /= w[s->Gn.col[e]];
}

/* s->Gn = G(t_n, q_n) W^-1, copied from the new site if the last step ended there. A G by difference
 * quotients is kept if the step is repeated: rounding would make it differ. s->ahead: G at t_1 and
 * q_n o exp(h v_n) instead, and q of the new site moves there. */
static ga_status set_gradient_at_n(ga_equations *s) {
  ga_site *site = &s->site[GA_SITE_NEW];
  size_t bytes = (size_t)s->nq * sizeof(double);
  if (s->ahead) {
    site->evaluated = s->Gn_known = false;
    for (int i = 0; i < s->nv; i++) s->scaled_wq[i] = s->h * s->v[i];
    ga_space_step(s->eval->model->space, s->q, s->scaled_wq, site->q);
    ga_status status = ga_eval_G(s->eval, s->t1, site->q, &s->Gn);
    apply_metric(s);
    return status;
  }
  if (s->eval->absent & GA_GIVES_G) {
    if (s->Gn_known && s->Gn_t == s->t && memcmp(s->Gn_q, s->q, bytes) == 0) return GA_OK;
    s->Gn_known = true;
    s->Gn_t = s->t;
    memcpy(s->Gn_q, s->q, bytes);
  }
  if (!ga_site_has_gradient_of(s, site, s->t, s->q)) {
    ga_status status = ga_eval_G(s->eval, s->t, s->q, &s->Gn);
    s->Gn_known &= status == GA_OK;
    apply_metric(s);
    return status;
  }
  memcpy(s->Gn.val, site->G.val, (size_t)ga_csr_nnz(&s->Gn) * sizeof(double));
  apply_metric(s);
  return GA_OK;
}

/* Fix the step of size h from mem to t1: old values t, q, v, a, w; w_q and v_1 for x = 0: wq0 = h v
 * + h^2 (pa a + pw w), v10 = v + h (ra a + rw w); G_n if there is an eta; sites that do not move;
 * old terms of weighted rows. The arrays of mem and past must stay. In a team collective. */
ga_status ga_equations_begin(ga_equations *s, const ga_memory *mem, const ga_past *past, double h,
                             double t1) {
  const ga_tableau *tab = &s->tab;
  ga_eval_forget_nearby(s->eval);
  s->t = mem->t;
  s->t1 = t1;
  s->h = h;
  s->q = mem->q;
  s->v = past->v;
  s->a = past->a;
  s->w = past->w;
  const double *v = s->v, *a = s->a, *w = s->w;
  double *restrict wq0 = s->wq0, *restrict v10 = s->v10;
  for (int i = 0; i < s->nv; i++) {
    wq0[i] = h * v[i] + h * h * (tab->pa * a[i] + tab->pw * w[i]);
    v10[i] = v[i] + h * (tab->ra * a[i] + tab->rw * w[i]);
  }
  ga_status status = s->eta >= 0 ? set_gradient_at_n(s) : GA_OK;
  if (status == GA_OK) status = ga_sites_begin(s);
  if (status == GA_OK && s->method->weighted) status = compute_old_terms(s, mem, past->momentum);
  status = ga_team_agree(s->eval->team, status, s->err);
  if (status == GA_OK && s->method->weighted) {
    status = ga_team_sum_shared(s->eval->team, 1, s->old_terms);
  }
  return status;
}

/* size_q, size_v, nv numbers each: sums of the sizes of the summands of q_1 and v_1 that are known
 * when the step begins (those of x and eta are not counted). */
void ga_equations_sizes(const ga_equations *s, double *size_q, double *size_v) {
  const ga_tableau *tab = &s->tab;
  const double h = s->h, *v = s->v, *a = s->a, *w = s->w;
  ga_eval_size(s->eval, s->q, size_q);
  for (int i = 0; i < s->nv; i++) {
    size_q[i] += h * fabs(v[i]) + h * h * (fabs(tab->pa * a[i]) + fabs(tab->pw * w[i]));
    size_v[i] = fabs(v[i]) + h * (fabs(tab->ra * a[i]) + fabs(tab->rw * w[i]));
  }
}

/* ---- the residual --------------------------------------------------------------------------- */

/* r = m M x, m of the tableau, nv numbers. The site must be evaluated. */
static void multiply_mass(const ga_equations *s, const ga_site *site, const double *restrict x,
                          double *restrict r) {
  const double m = s->tab.m;
  const double *M = site->M.val;
  if (!s->by_product && !s->mass_is_diagonal) {
    ga_csr_mul(&site->M, m, x, r);
    return;
  }
  for (int i = 0; i < s->nv; i++) r[i] = m * (s->by_product ? site->Mx[i] : M[i] * x[i]);
}

/* r += phi (reaction - F); terms = |r| + phi (|F| + |reaction|), with r before, n numbers. reaction
 * is -R; phi is the factor of the method's forces. */
static void add_forces(int n, double phi, const double *restrict F, const double *restrict reaction,
                       double *restrict r, double *restrict terms) {
  for (int i = 0; i < n; i++) {
    terms[i] = fabs(r[i]) + phi * (fabs(F[i]) + fabs(reaction[i]));
    r[i] += phi * (reaction[i] - F[i]);
  }
}

/* The same for r = m M x with a diagonal M, in one pass. */
static void residual_diagonal_mass(int n, double m, double phi, const double *restrict M,
                                   const double *restrict x, const double *restrict F,
                                   const double *restrict reaction, double *restrict r,
                                   double *restrict terms) {
  for (int i = 0; i < n; i++) {
    const double Mx = m * (M[i] * x[i]);
    terms[i] = fabs(Mx) + phi * (fabs(F[i]) + fabs(reaction[i]));
    r[i] = Mx + phi * (reaction[i] - F[i]);
  }
}

/* The same as add_forces, with the old terms of weighted rows added to r and their sizes to
 * terms. */
static void add_forces_and_old_terms(int n, double phi, const double *restrict F,
                                     const double *restrict reaction,
                                     const double *restrict old_terms, double *restrict r,
                                     double *restrict terms) {
  for (int i = 0; i < n; i++) {
    terms[i] = fabs(r[i]) + phi * (fabs(F[i]) + fabs(reaction[i])) + fabs(old_terms[i]);
    r[i] += phi * (reaction[i] - F[i]) + old_terms[i];
  }
}

/* out = -R(lam_j, psi_j) of dynamic row `row` at its site, = G^T lam + H^T psi by default. */
static ga_status reaction_of(ga_equations *s, const ga_dyn_row *row, const double *x, double *out) {
  const ga_site *site = &s->site[row->site];
  const ga_eval_point p = {.t = site->t,
                           .q = site->q,
                           .v = site->v,
                           .lam = ga_equations_multipliers(s, x, row->lam),
                           .psi = ga_equations_multipliers(s, x, row->psi)};
  return ga_eval_reaction(s->eval, &p, &site->G, &site->H, out);
}

/* Row j: r = m M x_j - phi (F + R(lam_j, psi_j)) + old terms, and terms, the sum of the sizes of
 * its terms. r and terms point to the beginning of all rows. Overwrites s->reaction. The sites must
 * be evaluated at x. */
static ga_status dynamic_row(ga_equations *s, int j, const double *x, double *r, double *terms) {
  const ga_dyn_row *row = &s->method->dyn[j];
  const ga_site *site = &s->site[row->site];
  const double *reaction = s->zero, *xj = x + j * s->nv;
  const double *F = row->forces == GA_FORCES_REACTION ? s->zero : site->F;
  ga_status status = GA_OK;
  r += j * s->nv, terms += j * s->nv;
  if (row->forces != GA_FORCES_APPLIED) {
    status = reaction_of(s, row, x, s->reaction);
    reaction = s->reaction;
  }
  if (s->mass_is_diagonal && !s->method->weighted) {
    residual_diagonal_mass(s->nv, s->tab.m, s->tab.phi, site->M.val, xj, F, reaction, r, terms);
    return status;
  }
  multiply_mass(s, site, xj, r);
  if (s->method->weighted) {
    add_forces_and_old_terms(s->nv, s->tab.phi, F, reaction, s->old_terms, r, terms);
  } else {
    add_forces(s->nv, s->tab.phi, F, reaction, r, terms);
  }
  return status;
}

/* Row j in a team, first half: m M x_j, F and -R of this process alone, into s->row_terms. */
static ga_status dynamic_summands(ga_equations *s, int j, const double *x) {
  const ga_dyn_row *row = &s->method->dyn[j];
  const ga_site *site = &s->site[row->site];
  size_t nv = (size_t)s->nv;
  double *Mx = s->row_terms + 3 * j * s->nv, *F = Mx + nv, *reaction = F + nv;
  memset(Mx, 0, 3 * nv * sizeof(double));
  ga_csr_mul_add(&site->M, s->tab.m, x + j * s->nv, Mx);
  if (row->forces != GA_FORCES_REACTION) memcpy(F, site->F, nv * sizeof(double));
  return row->forces == GA_FORCES_APPLIED ? GA_OK : reaction_of(s, row, x, reaction);
}

/* Row j in a team, second half, for all j: sum s->row_terms (in place) over the processes and form
 * the nx force rows of r and terms from the sums. Collective. */
static ga_status sum_over_processes(ga_equations *s, double *r, double *terms) {
  int nv = s->nv, nx = s->method->nx;
  ga_status status = ga_team_sum_shared(s->eval->team, 3 * nx, s->row_terms);
  for (int j = 0; j < nx; j++) {
    const double *Mx = s->row_terms + 3 * j * nv;
    memcpy(r + j * nv, Mx, (size_t)nv * sizeof(double));
    add_forces_and_old_terms(nv, s->tab.phi, Mx + nv, Mx + 2 * nv, s->old_terms, r + j * nv,
                             terms + j * nv);
  }
  return status;
}

/* Residual of constraint row c, into its slots of r: g/h^2, (G v + g_t)/h, G x + drift or k/h;
 * zero in rows that are left out. */
static ga_status constraint_row(ga_equations *s, int c, const double *x, double *r) {
  ga_eval *e = s->eval;
  const ga_site *at = &s->site[GA_SITE_NEW];
  double scale = 1 / s->h;
  const double *from = r += s->con_at[c];
  ga_con_kind kind = s->method->con[c];
  int size = ga_equations_con_size(s, kind);
  ga_status status = GA_OK;
  if (size == 0) return GA_OK;
  switch (kind) {
    case GA_ROW_POS:
      from = s->g;
      scale /= s->h;
      break;
    case GA_ROW_VEL:
      ga_site_hidden(s, r);
      break;
    case GA_ROW_ACC:
      status = ga_eval_g_drift(e, at->t, at->q, at->v, r);
      if (status == GA_OK) ga_csr_mul_add(&at->G, 1, x + s->method->out_x * s->nv, r);
      scale = 1;
      break;
    case GA_ROW_NONHOL:
      if (s->method->con_hat[c]) {
        status = ga_eval_k(e, at->t, at->q, s->vh, r);
      } else {
        from = s->k;
      }
      break;
  }
  for (int i = 0; i < size; i++) r[i] = scale * from[i];
  const bool *dropped = ga_equations_dropped(s, kind);
  for (int i = 0; dropped && i < size; i++) r[i] = dropped[i] ? 0 : r[i];
  if (s->contacts) {
    const double *lam = x + s->mult_at[s->method->dyn[0].lam];
    ga_contact_rows_residual(s->contacts, kind != GA_ROW_NONHOL, lam, x + s->mult_at[c], s->k, r);
  }
  return status;
}

/* All rows at x; the sites must have been moved there. In a team dynamic rows are only prepared
 * (s->row_terms), r and terms get them from sum_over_processes. with: NULL or tangents to evaluate
 * in the same pass. */
static ga_status evaluate_rows(ga_equations *s, const double *x, ga_tangents *with, double *r,
                               double *terms) {
  ga_status status = ga_sites_evaluate(s, x, with);
  for (int j = 0; j < s->method->nx && status == GA_OK; j++) {
    status = s->eval->team ? dynamic_summands(s, j, x) : dynamic_row(s, j, x, r, terms);
  }
  for (int c = 0; c < s->method->ncon && status == GA_OK; c++) status = constraint_row(s, c, x, r);
  return status;
}

/* Is the residual of this process finite? Values that are not finite cannot get lost between the
 * callbacks and r, so callbacks are checked only if this is false. In a team s->row_terms stands
 * for the force rows. */
static bool is_finite(const ga_equations *s, const double *r) {
  if (!s->eval->team) return ga_first_nonfinite(s->n, r) < 0;
  return ga_first_nonfinite(3 * s->nx, s->row_terms) < 0 &&
         ga_first_nonfinite(s->n - s->nx, r + s->nx) < 0;
}

/* Find the callback whose result is not finite, by checks and, if need be, another evaluation, and
 * name it in the message; returns GA_RETRY_NONFINITE or the status of that callback. */
static ga_status explain_nonfinite(ga_equations *s, const double *x, double *r, double *terms) {
  ga_status status = ga_sites_blame(s);
  if (status == GA_OK) status = evaluate_rows(s, x, NULL, r, terms); /* a reaction, a drift */
  if (status != GA_OK) return status;
  return ga_fail(s->err, GA_RETRY_NONFINITE, "t = %.9g, h = %.3g: the residual is not finite", s->t,
                 s->h);
}

/* Residual r (n numbers) and terms (nx numbers, sizes of the terms of force rows) at x; the sites
 * move there. shift: NULL or a displacement of w_q and v_1; with: NULL or tangents to evaluate as
 * well. Results of callbacks are first not checked for NaN (`trusting`); if r is not finite, a
 * second evaluation finds the callback to blame. In a team collective. */
ga_status ga_equations_evaluate(ga_equations *s, const double *x, const ga_shift *shift,
                                ga_tangents *with, double *r, double *terms) {
  ga_team *team = s->eval->team;
  s->evaluations++;
  ga_status status = ga_sites_move(s, x, shift);
  s->eval->trusting = true;
  s->eval->near.on = !shift; /* a shift is there to see the rounding of everything */
  if (status == GA_OK) status = evaluate_rows(s, x, with, r, terms);
  s->eval->trusting = s->eval->near.on = false;
  if (status == GA_OK && !is_finite(s, r)) status = explain_nonfinite(s, x, r, terms);
  if (!team) return status;
  status = ga_team_agree(team, status, s->err);
  return status == GA_OK ? sum_over_processes(s, r, terms) : status;
}
