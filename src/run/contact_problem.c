/* SPDX-License-Identifier: MIT */
/* The matrix A = J K^-1 J^T of contacts, K the mass KKT matrix of the rows that are always on, and the
 * accelerations b of the contacts without their forces. */
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

/* The row of the saddle's G or H with this number, as a gradient and its row there. */
static const ga_csr *gradient_of(const ga_integrator *it, int row, int *at) {
  const int nlam = it->eval.nlam;
  *at = row < nlam ? row : row - nlam;
  return row < nlam ? &it->saddle.G : &it->saddle.H;
}

/* sum_j J_ij x_j of row `row`. */
static double row_times(const ga_integrator *it, int row, const double *x) {
  int at;
  const ga_csr *D = gradient_of(it, row, &at);
  double sum = 0;
  for (int e = D->ptr[at]; e < D->ptr[at + 1]; e++) sum += D->val[e] * x[D->col[e]];
  return sum;
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
  p->normal = ga_arena_doubles(p->arena, n * n);
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
  p->X = ga_arena_doubles(p->arena, m * (size_t)it->eval.nv);
  p->A = ga_arena_doubles(p->arena, m * m);
  p->b = ga_arena_doubles(p->arena, m);
  p->u = ga_arena_doubles(p->arena, m);
  p->r = ga_arena_doubles(p->arena, m);
  if (!p->arena->failed) return GA_OK;
  return ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
}

ga_status ga_touching_init(ga_integrator *it, const bool *mark, double t, const double *q,
                           const double *v, ga_touching *p) {
  ga_saddle *s = &it->saddle;
  const int nv = it->eval.nv;
  *p = (ga_touching){.arena = &it->contacts.of_problem};
  ga_status status = list_rows(it, mark, p);
  if (status != GA_OK) return status;
  take_out(it);
  status = ga_saddle_factor(s, t, q, v);
  for (int i = 0; i < p->m && status == GA_OK; i++) {
    int at;
    const ga_csr *D = gradient_of(it, p->row[i], &at);
    memset(s->rhs, 0, (size_t)s->n * sizeof(double));
    for (int e = D->ptr[at]; e < D->ptr[at + 1]; e++) s->rhs[D->col[e]] = D->val[e];
    status = ga_saddle_solve(s);
    memcpy(p->X + (size_t)i * (size_t)nv, s->rhs, (size_t)nv * sizeof(double));
  }
  put_back(it);
  for (int i = 0; i < p->m && status == GA_OK; i++) {
    for (int j = 0; j < p->m; j++) {
      p->A[i * p->m + j] = row_times(it, p->row[i], p->X + (size_t)j * (size_t)nv);
    }
  }
  for (int i = 0; i < p->m; i++) { /* exactly symmetric */
    for (int j = 0; j < i; j++) {
      const double mean = (p->A[i * p->m + j] + p->A[j * p->m + i]) / 2;
      p->A[i * p->m + j] = p->A[j * p->m + i] = mean;
    }
  }
  for (int i = 0; i < p->n && status == GA_OK; i++) {
    for (int j = 0; j < p->n; j++) p->normal[i * p->n + j] = p->A[p->at[i] * p->m + p->at[j]];
  }
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
    p->b[i] = row_times(it, p->row[i], s->rhs) + c->drift[p->row[i]];
  }
  return status;
}

void ga_touching_apply(const ga_integrator *it, const ga_touching *p, const double *r, double *v) {
  for (int i = 0; i < p->m; i++) {
    ga_axpy(it->eval.nv, r[i], p->X + (size_t)i * (size_t)it->eval.nv, v);
  }
}
