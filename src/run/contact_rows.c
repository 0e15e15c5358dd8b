/* SPDX-License-Identifier: MIT */
/* From the states of contacts to rows of the steps: which are on, which depend on others. */
#include <math.h>
#include <string.h>

#include "contact/cone.h"
#include "kkt/measure.h"
#include "run/integrator.h"

static const double EPS_GAP = 1e-9;   /* of the size of positions */
static const double EPS_SPEED = 1e-8; /* of the largest contact velocity so far */
static const double EPS_FORCE = 1e-8; /* of the largest contact force so far */
static const double NOTHING = 1e-6;   /* of the largest coefficient of a dependency: rounding */

double ga_contacts_eps_position(const ga_integrator *it) {
  return EPS_GAP * it->contacts.size;
}

double ga_contacts_eps_gap(const ga_integrator *it, int i) {
  return ga_contacts_eps_position(it) * it->contacts.reach[i];
}

double ga_contacts_eps_speed(const ga_integrator *it, int i) {
  const double by_gap = ga_contacts_eps_gap(it, i) / it->h;
  return fmax(EPS_SPEED * it->contacts.speed * it->contacts.reach[i], by_gap);
}

double ga_contacts_eps_force(const ga_integrator *it, int i) {
  return EPS_FORCE * it->contacts.force / it->contacts.reach[i];
}

void ga_contacts_measure_reach(ga_integrator *it, const ga_csr *G) {
  ga_contacts *c = &it->contacts;
  if (!it->model->metric) return;
  for (int i = 0; i < c->n; i++) {
    const double reach = ga_measure_reach(&it->eval, G, c->rows.contact[i].gap);
    if (reach > 0) c->reach[i] = reach;
  }
}

ga_status ga_contacts_evaluate(ga_integrator *it, double t, const double *q, const double *v) {
  ga_contacts *c = &it->contacts;
  ga_eval *e = &it->eval;
  ga_csr *G = &it->saddle.G;
  const ga_evaluation out = {.g = c->g, .G = G, .k = c->k, .gt = c->gv};
  ga_status status = ga_eval_all(e, t, q, v, &out);
  if (status != GA_OK) return status;
  ga_csr_mul_add(G, 1, v, c->gv);
  ga_contacts_measure_reach(it, G);
  return GA_OK;
}

void ga_contacts_tell_step(ga_integrator *it) {
  ga_equations *eq = &it->step.eq;
  ga_contacts *c = &it->contacts;
  const ga_contact_rows *rows = &c->rows;
  bool same = c->told;
  eq->ndropped = 0;
  for (int i = 0; i < rows->nlam + rows->npsi; i++) {
    const int mode = rows->mode[i];
    eq->dropped[i] = mode == GA_ROW_IS_OFF;
    eq->ndropped += eq->dropped[i];
    same &= mode == c->told_mode[i] && (mode == GA_ROW_IS_OFF || mode == GA_ROW_IS_ON);
  }
  if (c->changing || same) return;
  memcpy(c->told_mode, rows->mode, (size_t)(rows->nlam + rows->npsi));
  c->told = true;
  ga_factors_repivot(&it->step.factors);
}

/* Modes of a contact's rows by its state. */
static void set_modes(ga_contact_rows *rows, int i, int state) {
  const ga_contact *c = &rows->contact[i];
  const ga_row_mode slip = state == GA_CONTACT_STICK                     ? GA_ROW_IS_ON
                           : state == GA_CONTACT_SLIP && c->friction > 0 ? GA_ROW_SLIPS
                                                                         : GA_ROW_IS_OFF;
  rows->mode[c->gap] = state == GA_CONTACT_OPEN ? GA_ROW_IS_OFF : GA_ROW_IS_ON;
  for (int k = 0; k < c->nslip; k++) {
    rows->mode[rows->nlam + c->slip + k] = (unsigned char)slip;
  }
}

/* n^T lam = 0 in place of the gap of the contact with coefficient 1; n: count numbers for the
 * contacts `closed` of p. If the matrix has no slot for one of them, the row is left out. */
static void set_split(ga_integrator *it, const ga_touching *p, int count, const int *closed,
                      const double *n, int dependent) {
  ga_contact_rows *rows = &it->contacts.rows;
  ga_csr *S = &rows->split;
  const int row = rows->contact[p->contact[closed[dependent]]].gap;
  rows->mode[row] = GA_ROW_SPLITS;
  for (int e = S->ptr[row]; e < S->ptr[row + 1]; e++) S->val[e] = 0;
  for (int k = 0; k < count; k++) {
    if (fabs(n[k]) <= NOTHING) continue;
    const int e = ga_csr_find(S, row, rows->contact[p->contact[closed[k]]].gap);
    if (e < 0) {
      rows->mode[row] = GA_ROW_IS_OFF;
      return;
    }
    S->val[e] = n[k];
  }
}

/* Work of find_dependent. */
typedef struct {
  int *island, *block, *of; /* n, m, n */
  int *closed, *rows, *which;
  int *number;              /* m: 0, 1, .. */
  double *N, *basis, *work; /* of the rows of an island, count x count each */
} dependent_work;

static bool open_work(ga_arena *arena, const ga_touching *p, int most, dependent_work *w) {
  const size_t n = (size_t)p->n, m = (size_t)p->m, square = (size_t)most * (size_t)most;
  w->closed = ga_arena_ints(arena, n);
  w->rows = ga_arena_ints(arena, m);
  w->which = ga_arena_ints(arena, m);
  w->number = ga_arena_ints(arena, m);
  w->N = ga_arena_doubles(arena, square);
  w->basis = ga_arena_doubles(arena, square);
  w->work = ga_arena_doubles(arena, square);
  for (int i = 0; i < p->m && !arena->failed; i++) w->number[i] = i;
  return !arena->failed;
}

/* The dependencies of `count` rows of A, of which the first `before` are kept if possible. */
static int dependencies(const ga_touching *p, dependent_work *w, int count, int before) {
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) w->N[i * count + j] = ga_csr_at(&p->A, w->rows[i], w->rows[j]);
  }
  return ga_cone_dependencies(w->N, count, count, before, w->number, w->basis, w->work, w->which);
}

/* Dependencies of the closed normals of one island, then of its sticking rows k. */
static void find_dependent_in(ga_integrator *it, const ga_touching *p, dependent_work *w,
                              int island) {
  ga_contacts *c = &it->contacts;
  int *closed = w->closed, *rows = w->rows, *which = w->which, count = 0, nrows = 0;
  for (int i = 0; i < p->n; i++) {
    if (w->island[i] != island || c->state[p->contact[i]].state == GA_CONTACT_OPEN) continue;
    closed[count++] = i;
    rows[nrows++] = p->at[i];
  }
  const double *basis = w->basis;
  int found = dependencies(p, w, nrows, nrows);
  for (int d = 0; d < found; d++) {
    for (int k = 0; k < count; k++) {
      if (fabs(basis[d * count + k]) > NOTHING) c->redundant[p->contact[closed[k]]] = true;
    }
    set_split(it, p, count, closed, basis + d * count, which[d]);
  }
  const int normals = nrows;
  for (int k = 0; k < count; k++) {
    if (c->state[p->contact[closed[k]]].state != GA_CONTACT_STICK) continue;
    for (int a = 1; a <= p->nt[closed[k]]; a++) rows[nrows++] = p->at[closed[k]] + a;
  }
  if (nrows == normals) return;
  found = dependencies(p, w, nrows, normals);
  for (int d = 0; d < found; d++) {
    if (which[d] >= normals) c->rows.mode[p->row[rows[which[d]]]] = GA_ROW_IS_OFF;
    for (int k = 0; k < nrows; k++) {
      if (fabs(basis[d * nrows + k]) <= NOTHING) continue;
      const int row = p->row[rows[k]], nlam = it->eval.nlam;
      for (int i = 0; i < count; i++) {
        const ga_contact *contact = &c->rows.contact[p->contact[closed[i]]];
        const bool own = row == contact->gap || (row >= nlam + contact->slip &&
                                                 row < nlam + contact->slip + contact->nslip);
        if (own) c->redundant[p->contact[closed[i]]] = true;
      }
    }
  }
}

/* The same of all islands. */
static ga_status find_dependent(ga_integrator *it, const ga_touching *p) {
  ga_contacts *c = &it->contacts;
  ga_arena *arena = &c->of_rows;
  dependent_work w = {.island = ga_arena_ints(arena, (size_t)p->n),
                      .block = ga_arena_ints(arena, (size_t)p->m),
                      .of = ga_arena_ints(arena, (size_t)p->n)};
  int islands = 0, most = 0;
  if (!arena->failed) {
    islands = ga_cone_islands(&p->A, p->n, p->nt, w.island, w.block, w.of);
    memset(w.of, 0, (size_t)p->n * sizeof(int));
    for (int i = 0; i < p->n; i++) {
      if (c->state[p->contact[i]].state != GA_CONTACT_OPEN) w.of[w.island[i]] += 1 + p->nt[i];
    }
    for (int k = 0; k < islands; k++) most = w.of[k] > most ? w.of[k] : most;
  }
  const bool ok = !arena->failed && open_work(arena, p, most, &w);
  for (int k = 0; ok && k < islands; k++) find_dependent_in(it, p, &w, k);
  ga_arena_rewind(arena);
  return ok ? GA_OK : ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
}

ga_status ga_contacts_set_rows(ga_integrator *it, const ga_touching *p) {
  ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    set_modes(&c->rows, i, c->state[i].state);
    c->redundant[i] = false;
  }
  const ga_status status = p && p->n > 0 ? find_dependent(it, p) : GA_OK;
  if (status == GA_OK) ga_contacts_tell_step(it);
  return status;
}

ga_status ga_contacts_drop_joints(ga_integrator *it, double t, const double *q, const double *v) {
  ga_contact_rows *rows = &it->contacts.rows;
  ga_saddle *s = &it->saddle;
  double *mass = it->contacts.vd;
  ga_rank rank = {0};
  const int n = rows->nlam + rows->npsi;
  if (it->options.redundant != GA_REDUNDANT_ALLOW) return GA_OK;
  for (int i = 0; i < n; i++) rows->mode[i] = GA_ROW_IS_ON;
  for (int i = 0; i < rows->n; i++) set_modes(rows, i, GA_CONTACT_OPEN);
  const ga_evaluation out = {.M = &s->M, .G = &s->G, .H = &s->H};
  ga_status status = ga_eval_all(&it->eval, t, q, v, &out);
  if (status != GA_OK) return status;
  for (int i = 0; i < n; i++) { /* rows of contacts are not there */
    ga_csr *D = i < rows->nlam ? &s->G : &s->H;
    const int row = i < rows->nlam ? i : i - rows->nlam;
    for (int e = D->ptr[row]; e < D->ptr[row + 1] && rows->mode[i] == GA_ROW_IS_OFF; e++) {
      D->val[e] = 0;
    }
  }
  ga_rank_masses(&s->M, it->eval.metric, mass);
  const ga_rank_rows of = {.G = &s->G, .H = &s->H, .mass = mass};
  status = ga_rank_analyze(&rank, &of, GA_RANK_AUTO, &it->error);
  for (int i = 0; i < n && status == GA_OK; i++) {
    if (rank.dropped[i]) rows->mode[i] = GA_ROW_IS_OFF;
  }
  ga_rank_free(&rank);
  ga_contacts_tell_step(it);
  return status;
}

int ga_contacts_dropped_joints(const ga_integrator *it) {
  const ga_contact_rows *rows = &it->contacts.rows;
  const bool *dropped = it->step.eq.dropped;
  int count = it->step.eq.ndropped;
  for (int i = 0; i < it->contacts.n; i++) {
    const ga_contact *c = &rows->contact[i];
    count -= dropped[c->gap];
    for (int k = 0; k < c->nslip; k++) count -= dropped[rows->nlam + c->slip + k];
  }
  return count;
}
