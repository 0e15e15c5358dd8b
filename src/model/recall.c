/* SPDX-License-Identifier: MIT */
/* Evaluations that are remembered. A change of contacts asks again and again for other fields at two or
 * three states. While e->recall.on, all fields of the equations of motion are evaluated together when one
 * of them is asked for at a new state, and copied later; after an impact, where only v is new, those that
 * depend on v. */
#include <string.h>

#include "model/adapter.h"
#include "model/evaluation.h"

void ga_recall_init(ga_eval *e, ga_arena *arena) {
  ga_recall *r = &e->recall;
  const ga_model *model = e->model;
  const size_t nv = (size_t)e->nv, nlam = (size_t)e->nlam, npsi = (size_t)e->npsi;
  *r = (ga_recall){.possible = e->alone && !e->absent && !e->team};
  if (!r->possible) return;
  r->q = ga_arena_doubles(arena, (size_t)e->nq);
  r->v = ga_arena_doubles(arena, nv);
  r->F = ga_arena_doubles(arena, nv);
  double **const of_lam[] = {&r->g, &r->gt, &r->drift}, **const of_psi[] = {&r->k, &r->k_drift};
  for (int i = 0; i < 3; i++) *of_lam[i] = ga_arena_doubles(arena, nlam);
  for (int i = 0; i < 2; i++) *of_psi[i] = ga_arena_doubles(arena, npsi);
  ga_csr_init(&r->M, e->nv, e->nv, model->pat_M, arena);
  ga_csr_init(&r->G, e->nlam, e->nv, model->pat_G, arena);
  ga_csr_init(&r->H, e->npsi, e->nv, model->pat_H, arena);
}

void ga_recall_set(ga_eval *e, bool on) {
  e->recall.on = on && e->recall.possible;
  e->recall.of_q = e->recall.of_v = false;
}

static void put(int n, const double *from, double *to) {
  if (to && n > 0) memcpy(to, from, (size_t)n * sizeof(double));
}

static void put_matrix(const ga_csr *from, ga_csr *to) {
  if (to) put(ga_csr_nnz(from), from->val, to->val);
}

ga_status ga_recall_all(ga_eval *e, double t, const double *q, const double *v,
                        const ga_evaluation *out) {
  ga_recall *r = &e->recall;
  const bool of_v = out->F || out->k || out->H || out->drift || out->k_drift;
  const size_t q_bytes = (size_t)e->nq * sizeof *q, v_bytes = (size_t)e->nv * sizeof *v;
  if (!(r->of_q && t == r->t && memcmp(q, r->q, q_bytes) == 0)) r->of_q = r->of_v = false;
  if (r->of_v && of_v && memcmp(v ? v : e->zero, r->v, v_bytes) != 0) r->of_v = false;
  if (!r->of_q || (of_v && !r->of_v)) {
    ga_evaluation ask = {0};
    if (!r->of_q) ask = (ga_evaluation){.M = &r->M, .G = &r->G, .g = r->g, .gt = r->gt};
    if (v || of_v) {
      ask.F = r->F, ask.k = r->k, ask.H = &r->H;
      ask.drift = r->drift, ask.k_drift = r->k_drift;
      memcpy(r->v, v ? v : e->zero, v_bytes);
    }
    const ga_status status = ga_eval_fields(e, t, q, v, &ask);
    r->of_q = status == GA_OK;
    r->of_v = r->of_q && (v || of_v);
    if (status != GA_OK) return status;
    r->t = t;
    memcpy(r->q, q, q_bytes);
  }
  put_matrix(&r->M, out->M);
  put_matrix(&r->G, out->G);
  put_matrix(&r->H, out->H);
  put(e->nv, r->F, out->F);
  put(e->nlam, r->g, out->g);
  put(e->nlam, r->gt, out->gt);
  put(e->nlam, r->drift, out->drift);
  put(e->npsi, r->k, out->k);
  put(e->npsi, r->k_drift, out->k_drift);
  return GA_OK;
}
