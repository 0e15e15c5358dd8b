/* SPDX-License-Identifier: MIT */
/* The end of a solved step: constraint residuals, the new memory; and names for messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/equations.h"

/* The largest |x_i| of rows that are on. */
static double largest_on(int n, const unsigned char *mode, const double *x) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    if (mode[i] == GA_ROW_IS_ON) largest = ga_larger(largest, fabs(x[i]));
  }
  return largest;
}

/* worst = largest |g|, |G v + g_t|, |k| at the end of the step over all processes. What the last
 * evaluation did not compute is evaluated here, into s->g and s->gt; s->gv is overwritten. In a
 * team collective. */
static ga_status constraint_residuals(ga_equations *s, double worst[3]) {
  const ga_site *at = &s->site[GA_SITE_NEW];
  ga_evaluation out = {0};
  bool position = s->has_row[GA_ROW_POS], velocity = s->has_row[GA_ROW_VEL];
  if (!position) out.g = s->g;
  if (!velocity && !s->eval->model->scleronomic) out.gt = s->gt;
  ga_status status = GA_OK;
  if (s->nlam > 0 && (out.g || out.gt)) status = ga_eval_all(s->eval, at->t, at->q, at->v, &out);
  if (status == GA_OK && s->nlam > 0) ga_site_hidden(s, s->gv);
  if (s->contacts) {
    worst[0] = largest_on(s->nlam, s->contacts->mode, s->g);
    worst[1] = largest_on(s->nlam, s->contacts->mode, s->gv);
    worst[2] = largest_on(s->npsi, s->contacts->mode + s->nlam, s->k);
  } else {
    worst[0] = ga_max_abs(s->nlam, s->g);
    worst[1] = ga_max_abs(s->nlam, s->gv);
    worst[2] = ga_max_abs(s->npsi, s->k);
  }
  status = ga_team_agree(s->eval->team, status, s->err);
  return status == GA_OK ? ga_team_max_all(s->eval->team, 3, worst) : status;
}

/* before = now, now = next; n numbers. */
static void store_and_keep_old(int n, const double *restrict next, double *restrict now,
                               double *restrict before) {
  for (int i = 0; i < n; i++) {
    before[i] = now[i];
    now[i] = next[i];
  }
}

/* before = now, now = a_1 = aa a_n + aw w_n + sum_j ax_j x_j (coefficients of the tableau), nv
 * numbers. a_n, s->a, may be the array `now` itself. */
static void store_a_and_keep_old(const ga_equations *s, const double *x, double *now,
                                 double *before) {
  const ga_tableau *tab = &s->tab;
  const double *a = s->a, *w = s->w;
  for (int i = 0; i < s->nv; i++) {
    double next = tab->aa * a[i] + tab->aw * w[i] + tab->ax[0] * x[i];
    before[i] = now[i];
    now[i] = next;
  }
  for (int j = 1; j < s->method->nx; j++) ga_axpy(s->nv, tab->ax[j], x + j * s->nv, now);
}

/* Exchange two pointers to arrays. */
static void swap_arrays(double **a, double **b) {
  double *kept = *a;
  *a = *b;
  *b = kept;
}

/* before <- mem, mem <- the results of the step at x (all arrays; t, h and first are left to the
 * caller). values: reported vd, lam, psi of methods that do not report their own. The user's state
 * points to q, v, vd, a, lam, psi of mem, so these are copied; the other arrays are swapped. */
static void keep_results(ga_equations *s, const double *x, const ga_values *values, ga_memory *mem,
                         ga_memory *before) {
  const ga_method *method = s->method;
  const ga_site *end = &s->site[GA_SITE_NEW];
  int nv = s->nv;
  size_t bytes = (size_t)nv * sizeof(double);
  const double *out = x + method->out_x * nv;
  const double *lam = values->lam, *psi = values->psi;
  if (method->report != GA_REPORT_ALL) {
    lam = ga_equations_multipliers(s, x, method->out_lam);
    psi = ga_equations_multipliers(s, x, method->out_psi);
  }
  swap_arrays(&mem->w, &before->w);
  swap_arrays(&mem->a_used, &before->a_used);
  memcpy(mem->a_used, s->a, bytes);
  store_a_and_keep_old(s, x, mem->a, before->a);
  if (method->weighted) {
    swap_arrays(&mem->momentum, &before->momentum);
    swap_arrays(&mem->momentum_used, &before->momentum_used);
    memcpy(mem->momentum_used, s->momentum, bytes);
    memset(mem->momentum, 0, bytes);
    ga_csr_mul_add(&end->M, 1, mem->a, mem->momentum);
  }
  store_and_keep_old(s->nq, end->q, mem->q, before->q);
  store_and_keep_old(nv, end->v, mem->v, before->v);
  store_and_keep_old(nv, method->report == GA_REPORT_STEP ? out : values->vd, mem->vd, before->vd);
  memcpy(mem->w, out, bytes);
  store_and_keep_old(s->nlam, lam, mem->lam, before->lam);
  store_and_keep_old(s->npsi, psi, mem->psi, before->psi);
}

/* Accept the step: before <- mem, mem <- results at x, t1, h; worst[3]: largest |g|, |G v + g_t|,
 * |k|. The last evaluation must have been at x. On failure both memories are unchanged. In a team
 * collective. */
ga_status ga_equations_end(ga_equations *s, const double *x, const ga_values *values,
                           ga_memory *mem, ga_memory *before, double worst[3]) {
  ga_status status = constraint_residuals(s, worst);
  if (status != GA_OK) return status;
  ga_memory_copy_numbers(before, mem);
  keep_results(s, x, values, mem, before);
  mem->t = s->t1;
  mem->h = s->h;
  mem->first = false;
  return GA_OK;
}

/* Name of row i for messages, such as "force balance of v[2]", in text; returns text. */
const char *ga_equations_row_name(const ga_equations *s, int i, char *text, size_t room) {
  static const char *const what[] = {[GA_ROW_POS] = "constraint",
                                     [GA_ROW_VEL] = "hidden velocity constraint of",
                                     [GA_ROW_ACC] = "hidden acceleration constraint of",
                                     [GA_ROW_NONHOL] = "nonholonomic constraint"};
  const ga_model *model = s->eval->model;
  char name[96];
  if (i < s->nx) {
    ga_eval_entry_name(name, sizeof name, "v", i % s->nv, model->v_names);
    snprintf(text, room, "force balance of %s", name);
    return text;
  }
  int c = s->method->ncon - 1;
  while (c > 0 && i < s->con_at[c]) c--;
  ga_con_kind kind = s->method->con[c];
  bool nonhol = kind == GA_ROW_NONHOL;
  ga_eval_entry_name(name, sizeof name, nonhol ? "k" : "g", i - s->con_at[c],
                     nonhol ? model->psi_names : model->lam_names);
  snprintf(text, room, "%s %s", what[kind], name);
  return text;
}

/* Name of unknown i for messages, such as "lam[0]", in text; returns text. */
const char *ga_equations_unknown_name(const ga_equations *s, int i, char *text, size_t room) {
  static const char *const symbol[] = {
      [GA_BLOCK_LAM] = "lam", [GA_BLOCK_PSI] = "psi", [GA_BLOCK_ETA] = "eta"};
  const ga_model *model = s->eval->model;
  if (i < s->nx) return ga_eval_entry_name(text, room, "v", i % s->nv, model->v_names);
  int c = s->method->ncon - 1;
  while (c > 0 && i < s->mult_at[c]) c--;
  bool psi = s->method->mult[c] == GA_BLOCK_PSI;
  return ga_eval_entry_name(text, room, symbol[s->method->mult[c]], i - s->mult_at[c],
                            psi ? model->psi_names : model->lam_names);
}
