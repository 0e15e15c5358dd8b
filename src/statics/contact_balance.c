/* SPDX-License-Identifier: MIT */
/* Forces of closed contacts that fit their cones, and the states that follow.
 *
 * K x = (F, c), K = [[M or W, G^T, H^T], [G, 0, 0], [H, 0, 0]] of the rows that are always on. With
 * the rows J of the closed contacts, A = J K^-1 J^T and b = J x - c_J, the forces r of the contacts
 * solve the cone problem u = A r + b (contact/cone.h), as after a change in a run. Multipliers of
 * least norm are one solution of many where contacts are redundant, and need not fit though another
 * one does. */
#include <math.h>
#include <string.h>

#include "contact/cone.h"
#include "statics/fixed_contacts.h"

typedef struct {
  ga_arena arena;
  int n, m;           /* closed contacts, their rows */
  int *contact, *row; /* n; m: rows of G, then of H */
  int *nt, *status, *island;
  double *mu, *J, *X, *A, *b, *r, *u, *x;
} balance;

/* List the rows of the closed contacts; the slips of those that stick. */
static bool list_rows(const ga_fixed_contacts *f, const ga_static_system *s, balance *p) {
  ga_arena *a = &p->arena;
  for (int i = 0; i < f->n; i++) p->n += f->state[i] != GA_CONTACT_OPEN;
  const size_t n = (size_t)p->n, nv = (size_t)s->nv, most = 3 * n;
  int **const ints[] = {&p->contact, &p->nt, &p->status, &p->island};
  for (int i = 0; i < 4; i++) *ints[i] = ga_arena_ints(a, n);
  p->row = ga_arena_ints(a, most);
  p->mu = ga_arena_doubles(a, n);
  p->J = ga_arena_doubles(a, most * nv);
  p->X = ga_arena_doubles(a, most * nv);
  p->A = ga_arena_doubles(a, most * most);
  double **const rows[] = {&p->b, &p->r, &p->u};
  for (int i = 0; i < 3; i++) *rows[i] = ga_arena_doubles(a, most);
  p->x = ga_arena_doubles(a, (size_t)s->n);
  for (int i = 0, k = 0; i < f->n && !a->failed; i++) {
    const ga_contact *c = &f->whole->contacts[i];
    if (f->state[i] == GA_CONTACT_OPEN) continue;
    p->contact[k] = i;
    p->mu[k] = fmax(c->friction, c->static_friction);
    p->nt[k] = f->state[i] == GA_CONTACT_STICK ? c->nslip : 0;
    p->row[p->m++] = c->gap;
    for (int t = 0; t < p->nt[k]; t++) p->row[p->m++] = s->nlam + c->slip + t;
    k++;
  }
  return !a->failed;
}

/* The gradient of row i of p: its values in G or H, *count of them, and their columns. */
static double *gradient(ga_static_system *s, const balance *p, int i, const int **col, int *count) {
  const int row = p->row[i];
  ga_csr *D = row < s->nlam ? &s->G : &s->H;
  const int at = row < s->nlam ? row : row - s->nlam;
  *count = D->ptr[at + 1] - D->ptr[at];
  *col = D->col + D->ptr[at];
  return D->val + D->ptr[at];
}

/* Move the rows of the contacts from G and H to J, or back. */
static void move_rows(ga_static_system *s, balance *p, bool back) {
  for (int i = 0; i < p->m; i++) {
    const int *col;
    int count;
    double *value = gradient(s, p, i, &col, &count), *J = p->J + (size_t)i * (size_t)s->nv;
    for (int e = 0; e < count; e++) {
      if (back) value[e] = J[col[e]];
      if (!back) J[col[e]] = value[e], value[e] = 0;
    }
  }
  ga_static_system_set_scales(s);
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* s->rhs <- K^-1 (f, c); c: of the rows that are always on */
static ga_status solve(ga_static_system *s, const balance *p, const double *f, const double *c) {
  memcpy(s->rhs, f, (size_t)s->nv * sizeof(double));
  for (int i = s->nv; i < s->n; i++) s->rhs[i] = c ? c[i] : 0;
  for (int i = 0; i < p->m; i++) s->rhs[s->nv + p->row[i]] = 0;
  return ga_static_system_solve(s, 0);
}

/* p->A, b. given: F and c of all rows. */
static ga_status set_problem(ga_static_system *s, balance *p, const double *given) {
  ga_status status = GA_OK;
  for (int i = 0; i <= p->m && status == GA_OK; i++) {
    const size_t at = (size_t)i * (size_t)s->nv;
    status = solve(s, p, i < p->m ? p->J + at : given, i < p->m ? NULL : given);
    if (i < p->m) memcpy(p->X + at, s->rhs, (size_t)s->nv * sizeof(double));
  }
  for (int i = 0; i < p->m && status == GA_OK; i++) {
    const double *J = p->J + (size_t)i * (size_t)s->nv;
    p->b[i] = dot(s->nv, J, s->rhs) - given[s->nv + p->row[i]];
    for (int j = 0; j <= i; j++) {
      p->A[i * p->m + j] = p->A[j * p->m + i] = dot(s->nv, J, p->X + (size_t)j * (size_t)s->nv);
    }
  }
  return status;
}

/* x, lam, psi <- with the forces r of the contacts. */
static ga_status set_forces(ga_static_system *s, balance *p, const double *given, double *x,
                            double *lam, double *psi) {
  memcpy(p->x, given, (size_t)s->n * sizeof(double));
  for (int i = 0; i < p->m; i++) ga_axpy(s->nv, p->r[i], p->J + (size_t)i * (size_t)s->nv, p->x);
  const ga_status status = solve(s, p, p->x, given);
  if (status != GA_OK) return status;
  for (int i = 0; i < p->m; i++) s->rhs[s->nv + p->row[i]] = -p->r[i];
  memcpy(x, s->rhs, (size_t)s->nv * sizeof(double));
  if (s->nlam) memcpy(lam, s->rhs + s->nv, (size_t)s->nlam * sizeof(double));
  if (s->npsi) memcpy(psi, s->rhs + s->nv + s->nlam, (size_t)s->npsi * sizeof(double));
  return GA_OK;
}

ga_status ga_fixed_contacts_balance(ga_fixed_contacts *f, ga_static_system *s,
                                    const ga_static_system_weights *weights, const double *given,
                                    double *x, double *lam, double *psi, bool *changed) {
  balance p = {.n = 0};
  ga_status status = GA_OK;
  *changed = false;
  if (!list_rows(f, s, &p)) {
    status = ga_fail(s->eval.err, GA_ERR_MEM, "no memory for %d contacts", f->n);
  }
  if (status == GA_OK) {
    move_rows(s, &p, false);
    status = ga_static_system_factor(s, weights);
    if (status == GA_OK) status = set_problem(s, &p, given);
    ga_csr A = {0};
    if (status == GA_OK) status = ga_csr_init(&A, p.m, p.m, NULL, &p.arena);
    if (status == GA_OK) memcpy(A.val, p.A, (size_t)(p.m * p.m) * sizeof(double));
    const ga_cone cone = {.n = p.n, .nt = p.nt, .mu = p.mu, .A = &A, .b = p.b, .symmetric = true};
    ga_cone_solution out = {.r = p.r, .u = p.u, .status = p.status, .island = p.island};
    if (status == GA_OK) status = ga_cone_solve(&cone, &out, s->eval.err);
    if (status == GA_OK) status = set_forces(s, &p, given, x, lam, psi);
    move_rows(s, &p, true);
  }
  for (int i = 0; i < p.n && status == GA_OK; i++) {
    int *state = &f->state[p.contact[i]];
    const int now = p.status[i] == GA_CONE_OPEN                   ? GA_CONTACT_OPEN
                    : p.nt[i] > 0 && p.status[i] == GA_CONE_STICK ? GA_CONTACT_STICK
                                                                  : GA_CONTACT_SLIP;
    *changed |= now != *state;
    *state = now;
  }
  ga_arena_free(&p.arena);
  return status;
}
