/* SPDX-License-Identifier: MIT */
/* The problem of contacts that touch: its rows, the accelerations b of the contacts without their
 * forces. The matrix A is in contact_coupling.c. */
#include <math.h>
#include <string.h>

#include "run/integrator.h"

/* Take the rows of all contacts out of the saddle; `put_back` restores the modes kept. */
static void take_out(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  ga_contact_rows *rows = &c->rows;
  memcpy(c->mode, rows->mode, (size_t)(rows->nlam + rows->npsi));
  for (int i = 0; i < c->n; i++) {
    const ga_contact *contact = &rows->contact[i];
    rows->mode[contact->gap] = GA_ROW_IS_OFF;
    for (int k = 0; k < contact->nslip; k++) {
      rows->mode[rows->nlam + contact->slip + k] = GA_ROW_IS_OFF;
    }
  }
}

static void put_back(ga_integrator *it) {
  ga_contact_rows *rows = &it->contacts.rows;
  memcpy(rows->mode, it->contacts.mode, (size_t)(rows->nlam + rows->npsi));
}

/* List the marked contacts and their rows, and allocate. */
static ga_status list_rows(ga_integrator *it, const bool *mark, ga_touching *p) {
  const ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    if (mark[i]) p->n++;
  }
  const size_t n = (size_t)p->n;
  p->contact = ga_arena_ints(p->arena, n);
  p->nt = ga_arena_ints(p->arena, n);
  p->at = ga_arena_ints(p->arena, n);
  p->status = ga_arena_ints(p->arena, n);
  p->island = ga_arena_ints(p->arena, n);
  p->row = ga_arena_ints(p->arena, 3 * n);
  for (int i = 0, k = 0; i < c->n && !p->arena->failed; i++) {
    const ga_contact *contact = &c->rows.contact[i];
    if (!mark[i]) continue;
    p->contact[k] = i;
    p->nt[k] = contact->friction > 0 ? contact->nslip : 0;
    p->at[k] = p->m;
    p->row[p->m++] = contact->gap;
    for (int a = 0; a < p->nt[k]; a++) p->row[p->m++] = it->eval.nlam + contact->slip + a;
    k++;
  }
  const size_t m = (size_t)p->m;
  p->b = ga_arena_doubles(p->arena, m);
  p->u = ga_arena_doubles(p->arena, m);
  p->r = ga_arena_doubles(p->arena, m);
  if (!p->arena->failed) return GA_OK;
  return ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
}

ga_status ga_touching_init(ga_integrator *it, const bool *mark, double t, const double *q,
                           const double *v, ga_touching *p) {
  *p = (ga_touching){.arena = &it->contacts.of_problem};
  ga_status status = list_rows(it, mark, p);
  if (status != GA_OK) return status;
  take_out(it);
  status = ga_saddle_factor(&it->saddle, t, q, v);
  if (status == GA_OK) status = ga_touching_couple(it, p);
  put_back(it);
  return status;
}

void ga_touching_free(ga_touching *p) {
  if (p->arena) ga_arena_rewind(p->arena);
}

void ga_touching_velocities(const ga_integrator *it, const ga_touching *p, double *u) {
  const ga_contacts *c = &it->contacts;
  const int nlam = it->eval.nlam;
  for (int i = 0; i < p->m; i++) {
    u[i] = p->row[i] < nlam ? c->gv[p->row[i]] : c->k[p->row[i] - nlam];
  }
}

/* The factors of ga_touching_init are still there. */
ga_status ga_touching_accelerations(ga_integrator *it, double t, const double *q, const double *v,
                                    ga_touching *p) {
  ga_saddle *s = &it->saddle;
  ga_contacts *c = &it->contacts;
  const int nv = it->eval.nv, nlam = it->eval.nlam;
  take_out(it);
  const ga_evaluation out = {.F = s->rhs, .drift = c->drift, .k_drift = c->drift + nlam};
  ga_status status = ga_eval_all(&it->eval, t, q, v, &out);
  for (int i = nv; i < s->n; i++) s->rhs[i] = -c->drift[i - nv];
  if (status == GA_OK) status = ga_saddle_solve(s);
  put_back(it);
  for (int i = 0; i < p->m && status == GA_OK; i++) {
    p->b[i] = ga_touching_row_times(it, p->row[i], s->rhs) + c->drift[p->row[i]];
  }
  return status;
}

void ga_touching_apply(const ga_touching *p, const double *r, double *v) {
  ga_csr_mul_t_add(&p->X, 1, r, v);
}
