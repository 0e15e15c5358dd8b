/* SPDX-License-Identifier: MIT */
/* One step: layout of the system, sites, residual, results. The equations are those of method.h. */
#include "step/rounding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int ga_step_con_size(const ga_step *s, ga_con_kind kind) {
  return kind == GA_ROW_NONHOL ? s->npsi : s->nlam;
}

int ga_step_mult_size(const ga_step *s, ga_block_kind kind) {
  return kind == GA_BLOCK_PSI ? s->npsi : s->nlam;
}

static double *doubles(ga_arena *arena, int n) {
  return ga_arena_doubles(arena, (size_t)n);
}

ga_status ga_step_init(ga_step *s, const ga_method *method, const ga_options *options,
                       ga_eval *eval, ga_stats *stats, ga_arena *arena) {
  const ga_model *model = eval->model;
  *s = (ga_step){.method = method,
                 .options = options,
                 .eval = eval,
                 .stats = stats,
                 .err = eval->err,
                 .nq = eval->nq,
                 .nv = eval->nv,
                 .nlam = eval->nlam,
                 .npsi = eval->npsi,
                 .eta = -1};
  method->coef(&options->par, &s->tab);
  int columns = method->nx * s->nv, rows = columns;
  for (int c = 0; c < method->ncon; c++) {
    s->mult_at[c] = columns;
    s->con_at[c] = rows;
    columns += ga_step_mult_size(s, method->mult[c]);
    rows += ga_step_con_size(s, method->con[c]);
    if (method->mult[c] == GA_BLOCK_ETA && s->nlam > 0) s->eta = c;
  }
  if (rows != columns) {
    return ga_fail(s->err, GA_ERR_ARG, "method '%s' is not square: %d rows, %d unknowns",
                   method->name, rows, columns);
  }
  s->n = rows;
  s->wq0 = doubles(arena, s->nv), s->v10 = doubles(arena, s->nv);
  s->wq = doubles(arena, s->nv);
  s->g = doubles(arena, s->nlam), s->gv = doubles(arena, s->nlam), s->k = doubles(arena, s->npsi);
  s->x = doubles(arena, s->n);
  ga_predictor_init(&s->past, method->nx * s->nv, s->n, arena);
  double rho = ga_params_check(&options->par).rho_inf;
  s->past.rho = rho <= 1 ? rho : 0; /* beyond 1: of explicit methods, with no such errors */
  s->r = doubles(arena, s->n), s->dx = doubles(arena, s->n);
  s->wq_last = doubles(arena, s->nv), s->vh = doubles(arena, s->nv);
  s->history = doubles(arena, s->nv), s->momentum = doubles(arena, s->nv);
  s->zero = doubles(arena, s->nv + s->nlam + s->npsi);
  s->vd1 = doubles(arena, s->nv);
  s->lam1 = doubles(arena, s->nlam), s->psi1 = doubles(arena, s->npsi);
  s->work = doubles(arena, s->nv), s->reaction = doubles(arena, s->nv);
  for (int c = 0; c < method->ncon; c++) s->has_hat |= method->con_hat[c] && s->npsi > 0;
  s->row_size = doubles(arena, method->nx * s->nv);
  s->reaction_size = doubles(arena, s->nv), s->size_q = doubles(arena, s->nv);
  ga_sites_init(s, arena);
  if (s->eta >= 0) ga_csr_init(&s->Gn, s->nlam, s->nv, model->pat_G, arena);
  s->mass_diagonal = ga_arena_ints(arena, (size_t)s->nv);
  s->mass_is_diagonal = true;
  for (int i = 0; i < s->nv && !arena->failed; i++) {
    s->mass_diagonal[i] = ga_csr_find(&s->site->M, i, i);
    s->mass_is_diagonal &= s->mass_diagonal[i] == i && s->site->M.ptr[i + 1] == i + 1;
  }
  bool made = !arena->failed && ga_step_matrix_init(s, arena) == GA_OK;
  if (made) ga_components_init(s, arena);
  if (!made || arena->failed) {
    return ga_fail(s->err, GA_ERR_MEM, "no memory for a step with %d unknowns", s->n);
  }
  ga_status status = ga_linsol_open(&s->ls, options, &s->blocks.A, s->err);
  return status != GA_OK ? status : ga_split_init(s, arena);
}

void ga_step_close(ga_step *s) {
  ga_linsol_close(&s->ls);
  ga_split_close(&s->split);
}

void ga_step_reset(ga_step *s) {
  ga_linsol_reset(&s->ls);
  ga_split_reset(&s->split);
  s->factored = false;
  for (int k = 0; k < GA_SITES; k++) s->site[k].mass_known = false;
  s->G_is_at_n = false;
  s->rate = 0;
  s->pause = 0;
  s->pause_next = 1;
  s->factored_age = 0;
  s->fresh_its = s->last_its = s->gain_age = 0;
  ga_predictor_forget(&s->past);
}

void ga_step_predict(ga_step *s, const ga_memory *mem) {
  const ga_method *method = s->method;
  double *guess = s->past.phi[0];
  memset(guess, 0, (size_t)s->n * sizeof(double));
  for (int j = 0; j < method->nx; j++) {
    double *x = guess + j * s->nv;
    ga_row_part part = method->dyn[j].part;
    const double *whole = method->weighted ? mem->a : mem->vd;
    for (int i = 0; i < s->nv; i++) {
      x[i] = part == GA_PART_APPLIED ? mem->w[i] : whole[i];
      if (part == GA_PART_REACTION) x[i] -= mem->w[i];
    }
  }
  for (int c = 0; c < method->ncon; c++) {
    ga_block_kind kind = method->mult[c];
    if (kind == GA_BLOCK_ETA) continue;
    memcpy(guess + s->mult_at[c], kind == GA_BLOCK_PSI ? mem->psi : mem->lam,
           (size_t)ga_step_mult_size(s, kind) * sizeof(double));
  }
}

/* M at (t_n + shift h, q_n o exp(shift h v_n)) into the new site */
static ga_status predicted_mass(ga_step *s, double shift) {
  ga_site *site = &s->site[GA_SITE_NEW];
  for (int i = 0; i < s->nv; i++) s->wq[i] = shift * s->h * s->v[i];
  ga_space_step(s->eval->model->space, s->q, s->wq, site->q);
  return ga_site_mass(s, site, s->t + shift * s->h, site->q);
}

/* M_alpha a_alpha: evaluated, or what the memory has of the step before */
static ga_status old_momentum(ga_step *s, const double *known) {
  size_t bytes = (size_t)s->nv * sizeof(double);
  if (known) {
    memcpy(s->momentum, known, bytes);
    return GA_OK;
  }
  ga_status status = predicted_mass(s, s->tab.shift_old);
  memset(s->momentum, 0, bytes);
  if (status == GA_OK) ga_csr_mul_add(&s->site->M, 1, s->a, s->momentum);
  return status;
}

/* hm M_alpha a - hf f(t_n, q_n, v_n, lam_n, psi_n), then M_{1+alpha}, which stays for the step */
static ga_status weighted_history(ga_step *s, const ga_memory *mem, const double *momentum) {
  ga_eval *e = s->eval;
  ga_site *site = &s->site[GA_SITE_NEW];
  const ga_point p = {.t = s->t, .q = s->q, .v = s->v, .lam = mem->lam, .psi = mem->psi};
  double *reaction = s->reaction;
  ga_status status = ga_eval_force(e, s->t, s->q, s->v, site->F);
  if (status == GA_OK) status = ga_eval_G(e, s->t, s->q, &site->G);
  if (status == GA_OK) status = ga_eval_H(e, s->t, s->q, s->v, &site->H);
  if (status == GA_OK) status = ga_eval_reaction(e, &p, &site->G, &site->H, reaction);
  if (status == GA_OK) status = old_momentum(s, momentum);
  for (int i = 0; i < s->nv; i++) {
    s->history[i] = s->tab.hf * (reaction[i] - site->F[i]) + s->tab.hm * s->momentum[i];
  }
  return status != GA_OK ? status : predicted_mass(s, s->tab.shift_new);
}

/* w_q and v_1 for x = 0: h v + h^2 (pa a + pw w),  v + h (ra a + rw w); predictor: the last x */
ga_status ga_step_begin(ga_step *s, const ga_memory *mem, const ga_history *past, double h,
                        double t1) {
  const ga_tableau *tab = &s->tab;
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
  ga_predict(&s->past, s->t, t1, s->x);
  ga_status status = ga_sites_begin(s);
  if (status == GA_OK && s->method->weighted) status = weighted_history(s, mem, past->momentum);
  if (status != GA_OK || s->eta < 0) return status;
  if (!s->G_is_at_n) return ga_eval_G(s->eval, s->t, s->q, &s->Gn);
  memcpy(s->Gn.val, s->site->G.val, (size_t)ga_csr_nnz(&s->Gn) * sizeof(double));
  return GA_OK;
}

/* w_q = w_q0 + h^2 (sum_j p_j x_j - G_n^T eta),  q_1 = q_n o exp(w_q),  v_1 = v_10 + h sum_j r_j
 * x_j */
void ga_step_update(ga_step *s) {
  double h = s->h, *v1 = s->site[GA_SITE_NEW].v, *wq = s->wq_last;
  s->wq_last = s->wq;
  s->wq = wq;
  ga_add_scaled(s->nv, h * h * s->tab.p[0], s->x, s->wq0, wq);
  ga_add_scaled(s->nv, h * s->tab.r[0], s->x, s->v10, v1);
  for (int j = 1; j < s->method->nx; j++) {
    ga_axpy(s->nv, h * h * s->tab.p[j], s->x + j * s->nv, wq);
    ga_axpy(s->nv, h * s->tab.r[j], s->x + j * s->nv, v1);
  }
  if (s->has_hat) {
    ga_add_scaled(s->nv, h * s->tab.rh[0], s->x, s->v10, s->vh);
    for (int j = 1; j < s->method->nx; j++) {
      ga_axpy(s->nv, h * s->tab.rh[j], s->x + j * s->nv, s->vh);
    }
  }
  if (s->eta >= 0) ga_csr_mul_t_add(&s->Gn, -h * h, s->x + s->mult_at[s->eta], s->wq);
  ga_sites_move(s);
}

/* the multipliers of a dynamic row; there are none of a kind the row has no block for */
const double *ga_step_multipliers(const ga_step *s, int block) {
  return block == GA_NONE ? s->zero : s->x + s->mult_at[block];
}

/* r = m M x, M diagonal */
static void multiply(int n, double m, const double *restrict M, const double *restrict x,
                     double *restrict r) {
  for (int i = 0; i < n; i++) r[i] = m * (M[i] * x[i]);
}

/* r + phi (reaction - F) + history, and the size of these terms */
static void balance(int n, double phi, const double *restrict F, const double *restrict reaction,
                    const double *restrict history, double *restrict r, double *restrict size) {
  for (int i = 0; i < n; i++) {
    size[i] = fabs(r[i]) + phi * (fabs(F[i]) + fabs(reaction[i])) + fabs(history[i]);
    r[i] += phi * (reaction[i] - F[i]) + history[i];
  }
}

enum { PIECE = 512 }; /* numbers that stay in the nearest cache from one loop to the next */

/* row j: m M x_j - phi (F + R(lam_j, psi_j)) + history, and the size of its terms */
static ga_status dynamic_row(ga_step *s, int j) {
  const ga_dyn_row *row = &s->method->dyn[j];
  const ga_site *site = &s->site[row->site];
  const double *reaction = s->zero, *x = s->x + j * s->nv;
  double *r = s->r + j * s->nv, *size = s->row_size + j * s->nv;
  const double *F = row->part == GA_PART_REACTION ? s->zero : site->F;
  ga_status status = GA_OK;
  if (!s->mass_is_diagonal) {
    memset(r, 0, (size_t)s->nv * sizeof(double));
    ga_csr_mul_add(&site->M, s->tab.m, x, r);
  }
  if (row->part != GA_PART_APPLIED) {
    const ga_point p = {.t = site->t,
                        .q = site->q,
                        .v = site->v,
                        .lam = ga_step_multipliers(s, row->lam),
                        .psi = ga_step_multipliers(s, row->psi)};
    status = ga_eval_reaction(s->eval, &p, &site->G, &site->H, s->reaction);
    reaction = s->reaction;
  }
  for (int at = 0, n; at < s->nv; at += n) {
    n = s->nv - at < PIECE ? s->nv - at : PIECE;
    if (s->mass_is_diagonal) multiply(n, s->tab.m, site->M.val + at, x + at, r + at);
    balance(n, s->tab.phi, F + at, reaction + at, s->history + at, r + at, size + at);
    s->force_size = ga_max_abs_from(s->force_size, n, size + at);
  }
  return status;
}

/* g/h^2, (G v + g_t)/h, G x + drift or k/h */
static ga_status constraint_row(ga_step *s, int c) {
  ga_eval *e = s->eval;
  const ga_site *at = &s->site[GA_SITE_NEW];
  double *r = s->r + s->con_at[c], scale = 1 / s->h;
  const double *from = r;
  ga_con_kind kind = s->method->con[c];
  int size = ga_step_con_size(s, kind);
  ga_status status = GA_OK;
  if (size == 0) return GA_OK;
  switch (kind) {
    case GA_ROW_POS:
      from = s->g;
      scale /= s->h;
      break;
    case GA_ROW_VEL:
      status = ga_eval_hidden(e, at->t, at->q, at->v, &at->G, r);
      break;
    case GA_ROW_ACC:
      status = ga_eval_g_drift(e, at->t, at->q, at->v, r);
      if (status == GA_OK) ga_csr_mul_add(&at->G, 1, s->x + s->method->out_x * s->nv, r);
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
  return status;
}

/* F, M, G, H, g, k at the sites, and all rows */
static ga_status evaluate_rows(ga_step *s) {
  ga_status status = ga_sites_evaluate(s);
  if (status != GA_OK) return status;
  s->force_size = 0;
  for (int j = 0; j < s->method->nx && status == GA_OK; j++) status = dynamic_row(s, j);
  for (int c = 0; c < s->method->ncon && status == GA_OK; c++) status = constraint_row(s, c);
  return status;
}

/* the largest of each group of rows; whether all are finite */
static bool measure_residual(ga_step *s) {
  double all = s->r_size[0] = ga_max_abs(s->method->nx * s->nv, s->r);
  for (int c = 0; c < s->method->ncon; c++) {
    s->r_size[c + 1] = ga_max_abs(ga_step_con_size(s, s->method->con[c]), s->r + s->con_at[c]);
    all += s->r_size[c + 1];
  }
  return isfinite(all);
}

ga_status ga_step_residual(ga_step *s, bool matrix_follows) {
  s->stats->residuals++;
  s->tangents_wanted = matrix_follows;
  s->eval->trusting = true;
  ga_status status = evaluate_rows(s);
  s->eval->trusting = false;
  /* nothing that is not finite gets lost on the way to r: look for it only if r has it */
  if (status != GA_OK || measure_residual(s)) return status;
  status = ga_sites_blame(s);
  if (status == GA_OK) status = evaluate_rows(s); /* a reaction, a drift */
  if (status != GA_OK) return status;
  return ga_fail(s->err, GA_RETRY_NONFINITE, "t = %.9g, h = %.3g: the residual is not finite", s->t,
                 s->h);
}

/* how well the accepted state satisfies the constraints; G, k and mostly g are there from the last
 * residual */
static ga_status constraint_residuals(ga_step *s, double *worst) {
  const ga_site *at = &s->site[GA_SITE_NEW];
  ga_status status = GA_OK;
  if (!ga_step_has_row(s, GA_ROW_POS)) status = ga_eval_g(s->eval, at->t, at->q, s->g);
  if (status == GA_OK) status = ga_eval_hidden(s->eval, at->t, at->q, at->v, &at->G, s->gv);
  worst[0] = ga_max_abs(s->nlam, s->g);
  worst[1] = ga_max_abs(s->nlam, s->gv);
  worst[2] = ga_max_abs(s->npsi, s->k);
  return status;
}

/* before = now, now = next */
static void hand_on(int n, const double *restrict next, double *restrict now,
                    double *restrict before) {
  for (int i = 0; i < n; i++) {
    before[i] = now[i];
    now[i] = next[i];
  }
}

/* the same of a, aa a_n + aw w_n + sum_j ax_j x_j; a_n may be the one in the memory */
static void hand_on_a(const ga_step *s, double *now, double *before) {
  const ga_tableau *tab = &s->tab;
  const double *a = s->a, *w = s->w, *x = s->x;
  for (int i = 0; i < s->nv; i++) {
    double next = tab->aa * a[i] + tab->aw * w[i] + tab->ax[0] * x[i];
    before[i] = now[i];
    now[i] = next;
  }
  for (int j = 1; j < s->method->nx; j++) ga_axpy(s->nv, tab->ax[j], s->x + j * s->nv, now);
}

static void exchange(double **a, double **b) {
  double *kept = *a;
  *a = *b;
  *b = kept;
}

/* a_1, the site, and what is reported, into the memory. Users look at the arrays of their state,
 * which stay where they are; the others change places. */
static void keep_results(ga_step *s, ga_memory *mem, ga_memory *before) {
  const ga_method *method = s->method;
  int nv = s->nv;
  size_t bytes = (size_t)nv * sizeof(double);
  const double *x = s->x + method->out_x * nv;
  const double *lam = s->lam1, *psi = s->psi1;
  if (method->report != GA_REPORT_ALL) {
    lam = ga_step_multipliers(s, method->out_lam);
    psi = ga_step_multipliers(s, method->out_psi);
  }
  exchange(&mem->w, &before->w);
  exchange(&mem->a_used, &before->a_used);
  memcpy(mem->a_used, s->a, bytes);
  hand_on_a(s, mem->a, before->a);
  if (method->weighted) {
    exchange(&mem->momentum, &before->momentum);
    exchange(&mem->momentum_used, &before->momentum_used);
    memcpy(mem->momentum_used, s->momentum, bytes);
    memset(mem->momentum, 0, bytes);
    ga_csr_mul_add(&s->site->M, 1, mem->a, mem->momentum);
  }
  hand_on(s->nq, s->site->q, mem->q, before->q);
  hand_on(nv, s->site->v, mem->v, before->v);
  hand_on(nv, method->report == GA_REPORT_STEP ? x : s->vd1, mem->vd, before->vd);
  memcpy(mem->w, x, bytes);
  hand_on(s->nlam, lam, mem->lam, before->lam);
  hand_on(s->npsi, psi, mem->psi, before->psi);
}

/* constraint residuals into the statistics, results into the memory */
ga_status ga_step_end(ga_step *s, ga_memory *mem, ga_memory *before) {
  double worst[3];
  ga_status status = constraint_residuals(s, worst);
  if (status != GA_OK) return status;
  s->G_is_at_n = true;
  s->stats->max_g = ga_max(s->stats->max_g, worst[0]);
  s->stats->max_gv = ga_max(s->stats->max_gv, worst[1]);
  s->stats->max_k = ga_max(s->stats->max_k, worst[2]);
  ga_memory_copy_numbers(before, mem);
  keep_results(s, mem, before);
  mem->t = s->t1;
  mem->h = s->h;
  mem->fresh = false;
  s->factored_age++;
  return GA_OK;
}

void ga_step_accepted(ga_step *s) {
  ga_predictor_keep(&s->past, s->t, s->t1, s->x);
}

const char *ga_step_row_name(const ga_step *s, int i, char *text, size_t room) {
  static const char *const what[] = {[GA_ROW_POS] = "constraint",
                                     [GA_ROW_VEL] = "hidden velocity constraint of",
                                     [GA_ROW_ACC] = "hidden acceleration constraint of",
                                     [GA_ROW_NONHOL] = "nonholonomic constraint"};
  const ga_model *model = s->eval->model;
  char name[96];
  int nx = s->method->nx;
  if (i < nx * s->nv) {
    ga_name_entry(name, sizeof name, "v", i % s->nv, model->v_names);
    snprintf(text, room, "force balance of %s", name);
    return text;
  }
  int c = s->method->ncon - 1;
  while (c > 0 && i < s->con_at[c]) c--;
  ga_con_kind kind = s->method->con[c];
  bool nonhol = kind == GA_ROW_NONHOL;
  ga_name_entry(name, sizeof name, nonhol ? "k" : "g", i - s->con_at[c],
                nonhol ? model->psi_names : model->lam_names);
  snprintf(text, room, "%s %s", what[kind], name);
  return text;
}

const char *ga_step_unknown_name(const ga_step *s, int i, char *text, size_t room) {
  static const char *const symbol[] = {
      [GA_BLOCK_LAM] = "lam", [GA_BLOCK_PSI] = "psi", [GA_BLOCK_ETA] = "eta"};
  const ga_model *model = s->eval->model;
  if (i < s->method->nx * s->nv) {
    return ga_name_entry(text, room, "v", i % s->nv, model->v_names);
  }
  int c = s->method->ncon - 1;
  while (c > 0 && i < s->mult_at[c]) c--;
  bool psi = s->method->mult[c] == GA_BLOCK_PSI;
  return ga_name_entry(text, room, symbol[s->method->mult[c]], i - s->mult_at[c],
                       psi ? model->psi_names : model->lam_names);
}
