/* SPDX-License-Identifier: MIT */
/* Chains, nets and lattices made of elements, so that a process of a team can have some of them:
 * the built-in problems chain, net and lattice, but by ranges of elements. Public interface only.
 *
 * A body has three coordinates: x, y, z of a point, or x, y, theta of a rod. An element gives a
 * mass and its weight, a constraint or a spring between two bodies, or an edge that keeps the
 * centre of a rod from moving across it. */
#ifndef SUBDOMAIN_MODEL_H
#define SUBDOMAIN_MODEL_H

#include <genalpha/genalpha.h>
#include <math.h>
#include <string.h>

#include "subdomain_systems.h"

static inline int subdomain_rows(element_kind kind) {
  return kind == BAR ? 1 : kind == HOLD ? 3 : kind == JOINT ? 2 : 0;
}

/* what goes wrong in a model, and when */
typedef enum {
  FAULT_NONE,
  FAULT_FATAL, /* a callback fails */
  FAULT_RETRY, /* it wants a smaller step */
  FAULT_NAN_F, /* not finite */
  FAULT_NAN_g,
  FAULT_NAN_G,
  FAULT_NAN_K,
  FAULT_SINGULAR /* rows of G vanish */
} subdomain_fault;

/* the elements of a process, and the bodies they touch */
typedef struct {
  const whole_system *whole;
  int count, nbody;
  const element *list;
  int *body;  /* numbers in the whole, */
  int *local; /* and the other way round, -1 for bodies of others */
  long *velocity;
  int *K_at; /* slots in K of each element's entries, 36 each */
  ga_csr M, K, G, H;
  ga_space *space;
  ga_model model;
  long calls;
  subdomain_fault fault;
  long fault_from, fault_to; /* calls of it */
} subdomain_model;

/* ---- patterns ------------------------------------------------------------------------------- */

static inline void subdomain_csr(ga_csr *A, int nrow, int ncol, int room) {
  *A = (ga_csr){.nrow = nrow, .ncol = ncol};
  A->ptr = calloc((size_t)nrow + 1, sizeof(int));
  A->col = malloc(((size_t)room + 1) * sizeof(int));
}

static inline int subdomain_slot(const ga_csr *A, int i, int j) {
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    if (A->col[e] == j) return e;
  }
  abort();
}

/* pairs of velocities that an element couples in K; returns how many, row then column */
static inline int subdomain_pairs(const subdomain_model *p, const element *e, int pair[][2]) {
  if (e->kind == KNIFE) {
    for (int r = 0; r < 2; r++) {
      pair[r][0] = PER * p->local[e->b] + r;
      pair[r][1] = PER * p->local[e->b] + 2;
    }
    return 2;
  }
  int n = 0, at[2] = {e->a < 0 ? -1 : PER * p->local[e->a], PER * p->local[e->b]};
  for (int u = 0; u < 2; u++) {
    for (int v = 0; v < 2; v++) {
      if (e->kind == JOINT && u == v && at[u] >= 0) {
        pair[n][0] = pair[n][1] = at[u] + 2;
        n++;
      }
      for (int r = 0; r < PER && (e->kind == BAR || e->kind == SPRING); r++) {
        for (int s = 0; s < PER; s++) {
          if (e->kind == BAR && r != s) continue;
          pair[n][0] = at[u] + r, pair[n][1] = at[v] + s;
          n++;
        }
      }
    }
  }
  return n;
}

static inline int subdomain_compare(const void *a, const void *b) {
  const int *x = a, *y = b;
  return x[0] != y[0] ? x[0] - y[0] : x[1] - y[1];
}

static inline void subdomain_pattern_K(subdomain_model *p) {
  int nv = PER * p->nbody, total = 0;
  int(*all)[2] = malloc((36 * (size_t)p->count + 1) * sizeof *all);
  for (int i = 0; i < p->count; i++) total += subdomain_pairs(p, &p->list[i], all + total);
  qsort(all, (size_t)total, sizeof *all, subdomain_compare);
  subdomain_csr(&p->K, nv, nv, total);
  int nnz = 0;
  for (int i = 0; i < total; i++) {
    if (i > 0 && subdomain_compare(all[i], all[i - 1]) == 0) continue;
    p->K.col[nnz++] = all[i][1];
    p->K.ptr[all[i][0] + 1] = nnz;
  }
  for (int i = 0; i < nv; i++) {
    if (p->K.ptr[i + 1] < p->K.ptr[i]) p->K.ptr[i + 1] = p->K.ptr[i];
  }
  p->K_at = malloc((36 * (size_t)p->count + 1) * sizeof(int));
  for (int i = 0; i < p->count; i++) {
    int n = subdomain_pairs(p, &p->list[i], all);
    for (int k = 0; k < n; k++) p->K_at[36 * i + k] = subdomain_slot(&p->K, all[k][0], all[k][1]);
  }
  free(all);
}

/* velocities of a row of an element, in increasing order; which of its bodies comes first */
static inline int subdomain_columns(const subdomain_model *p, const element *e, int row, int *col) {
  int n = 0, first = e->a < 0 ? -1 : PER * p->local[e->a], second = PER * p->local[e->b];
  int low = first < second ? first : second, high = first < second ? second : first;
  if (e->kind == HOLD) {
    col[n++] = second + row;
    return n;
  }
  for (int u = 0; u < 2; u++) {
    int at = u ? high : low;
    if (at < 0) continue;
    for (int r = 0; r < PER; r++) {
      if (e->kind == BAR || r == row || r == 2) col[n++] = at + r;
    }
  }
  return n;
}

static inline int subdomain_pattern_G(subdomain_model *p) {
  int rows = 0, nnz = 0, at = 0;
  for (int i = 0; i < p->count; i++) rows += subdomain_rows(p->list[i].kind);
  subdomain_csr(&p->G, rows, PER * p->nbody, 6 * rows);
  for (int i = 0; i < p->count; i++) {
    for (int r = 0; r < subdomain_rows(p->list[i].kind); r++) {
      nnz += subdomain_columns(p, &p->list[i], r, p->G.col + nnz);
      p->G.ptr[++at] = nnz;
    }
  }
  return rows;
}

/* the columns x, y, theta of the rod, theta for Y alone */
static inline int subdomain_pattern_H(subdomain_model *p) {
  int rows = 0;
  for (int i = 0; i < p->count; i++) rows += p->list[i].kind == KNIFE;
  subdomain_csr(&p->H, rows, PER * p->nbody, PER * rows);
  for (int i = 0, at = 0; i < p->count; i++) {
    if (p->list[i].kind != KNIFE) continue;
    for (int r = 0; r < PER; r++) p->H.col[PER * at + r] = PER * p->local[p->list[i].b] + r;
    at++;
    p->H.ptr[at] = PER * at;
  }
  return rows;
}

/* ---- values --------------------------------------------------------------------------------- */

static inline void subdomain_bar(const subdomain_model *p, const element *e, const double *q,
                                 double d[PER]) {
  for (int r = 0; r < PER; r++) d[r] = q[PER * p->local[e->b] + r] - q[PER * p->local[e->a] + r];
}

static inline double subdomain_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void subdomain_force(const subdomain_model *p, const double *q, double *F) {
  memset(F, 0, (size_t)(PER * p->nbody) * sizeof(double));
  for (int i = 0; i < p->count; i++) {
    const element *e = &p->list[i];
    int b = PER * p->local[e->b];
    if (e->kind == BODY) F[b + p->whole->down] -= 9.81 * p->whole->mass[p->whole->down];
    if (e->kind != SPRING) continue;
    double d[PER];
    subdomain_bar(p, e, q, d);
    double length = sqrt(subdomain_dot(d, d)), pull = 1000 * (length - 1) / length;
    for (int r = 0; r < PER; r++) {
      F[PER * p->local[e->a] + r] += pull * d[r];
      F[b + r] -= pull * d[r];
    }
  }
}

static inline void subdomain_mass(const subdomain_model *p, ga_csr *M) {
  memset(M->val, 0, (size_t)(PER * p->nbody) * sizeof(double));
  for (int i = 0; i < p->count; i++) {
    if (p->list[i].kind != BODY) continue;
    for (int r = 0; r < PER; r++) {
      M->val[PER * p->local[p->list[i].b] + r] = p->whole->mass[r];
    }
  }
}

/* end of rod a, or start of rod b, relative to the rod's centre */
static inline void subdomain_half(const subdomain_model *p, int body, const double *q,
                                  double half[2]) {
  double angle = body < 0 ? 0 : q[PER * p->local[body] + 2];
  half[0] = body < 0 ? 0 : 0.5 * cos(angle);
  half[1] = body < 0 ? 0 : 0.5 * sin(angle);
}

static inline void subdomain_g(const subdomain_model *p, const double *q, double *g) {
  for (int i = 0; i < p->count; i++) {
    const element *e = &p->list[i];
    double d[PER], from[2], to[2];
    if (e->kind == BAR) {
      subdomain_bar(p, e, q, d);
      *g++ = (subdomain_dot(d, d) - 1) / 2;
    }
    for (int r = 0; r < PER && e->kind == HOLD; r++) *g++ = q[PER * p->local[e->b] + r];
    if (e->kind != JOINT) continue;
    subdomain_half(p, e->a, q, from);
    subdomain_half(p, e->b, q, to);
    for (int r = 0; r < 2; r++) {
      double before = e->a < 0 ? 0 : q[PER * p->local[e->a] + r];
      *g++ = q[PER * p->local[e->b] + r] - before - (to[r] + from[r]);
    }
  }
}

static inline double *subdomain_entry(ga_csr *A, int row, int col) {
  return &A->val[subdomain_slot(A, row, col)];
}

/* G, or Z where v is given: its derivative along v */
static inline void subdomain_G(const subdomain_model *p, const double *q, const double *v,
                               ga_csr *G) {
  int row = 0;
  memset(G->val, 0, (size_t)G->ptr[G->nrow] * sizeof(double));
  for (int i = 0; i < p->count; i++) {
    const element *e = &p->list[i];
    int at[2] = {e->a < 0 ? -1 : PER * p->local[e->a], PER * p->local[e->b]};
    if (e->kind == BAR) {
      double d[PER];
      subdomain_bar(p, e, v ? v : q, d);
      for (int r = 0; r < PER; r++) {
        *subdomain_entry(G, row, at[0] + r) = -d[r];
        *subdomain_entry(G, row, at[1] + r) = d[r];
      }
    }
    for (int r = 0; r < PER && e->kind == HOLD; r++) {
      *subdomain_entry(G, row + r, at[1] + r) = v ? 0 : 1;
    }
    for (int u = 0; u < 2 && e->kind == JOINT; u++) {
      double half[2];
      if (at[u] < 0) continue;
      subdomain_half(p, u ? e->b : e->a, q, half);
      double rate = v ? v[at[u] + 2] : 0;
      for (int r = 0; r < 2; r++) {
        if (!v) *subdomain_entry(G, row + r, at[u] + r) = u ? 1 : -1;
        *subdomain_entry(G, row + r, at[u] + 2) = v ? half[r] * rate : r ? -half[0] : half[1];
      }
    }
    row += subdomain_rows(e->kind);
  }
}

static inline void subdomain_drift(const subdomain_model *p, const double *q, const double *v,
                                   double *drift) {
  for (int i = 0; i < p->count; i++) {
    const element *e = &p->list[i];
    double d[PER], half[2];
    if (e->kind == BAR) {
      subdomain_bar(p, e, v, d);
      *drift = subdomain_dot(d, d);
    }
    for (int r = 0; r < subdomain_rows(e->kind) && e->kind != BAR; r++) drift[r] = 0;
    for (int u = 0; u < 2 && e->kind == JOINT; u++) {
      int body = u ? e->b : e->a;
      if (body < 0) continue;
      subdomain_half(p, body, q, half);
      double rate = v[PER * p->local[body] + 2];
      for (int r = 0; r < 2; r++) drift[r] += half[r] * rate * rate;
    }
    drift += subdomain_rows(e->kind);
  }
}

static inline void subdomain_tangent_pair(const element *e, const double d[PER], double lam,
                                          double value[36]) {
  int n = 0;
  double square = subdomain_dot(d, d), across = 1000 * (1 - 1 / sqrt(square));
  double along = (1000 - across) / square;
  for (int u = 0; u < 2; u++) {
    for (int v = 0; v < 2; v++) {
      double sign = u == v ? 1 : -1;
      for (int r = 0; r < PER; r++) {
        for (int s = 0; s < PER; s++) {
          if (e->kind == BAR && r != s) continue;
          double spring = along * d[r] * d[s] + (r == s ? across : 0);
          value[n++] = sign * (e->kind == BAR ? lam : spring);
        }
      }
    }
  }
}

/* k = v_y cos theta - v_x sin theta and what belongs to it, of all edges */
static inline void subdomain_edges(const subdomain_model *p, const double *q, const double *v,
                                   const ga_evaluation *out) {
  for (int i = 0, row = 0; i < p->count; i++) {
    if (p->list[i].kind != KNIFE) continue;
    int at = PER * p->local[p->list[i].b];
    double c = cos(q[at + 2]), s = sin(q[at + 2]), turn = -v[at] * c - v[at + 1] * s;
    if (out->k) out->k[row] = v[at + 1] * c - v[at] * s;
    if (out->k_drift) out->k_drift[row] = turn * v[at + 2];
    if (out->H) {
      double *H = out->H->val + PER * row;
      H[0] = -s, H[1] = c, H[2] = 0;
    }
    if (out->Y) {
      double *Y = out->Y->val + PER * row;
      Y[0] = Y[1] = 0, Y[2] = turn;
    }
    row++;
  }
}

static inline void subdomain_K(const subdomain_model *p, const double *q, const double *lam,
                               const double *psi, ga_csr *K) {
  memset(K->val, 0, (size_t)K->ptr[K->nrow] * sizeof(double));
  for (int i = 0; i < p->count; i++) {
    const element *e = &p->list[i];
    double d[PER], value[36], half[2];
    int pair[36][2], n = subdomain_pairs(p, e, pair), k = 0;
    if (e->kind == BAR || e->kind == SPRING) {
      subdomain_bar(p, e, q, d);
      subdomain_tangent_pair(e, d, e->kind == BAR ? *lam : 0, value);
    }
    for (int u = 0; u < 2 && e->kind == JOINT; u++) {
      int body = u ? e->b : e->a;
      if (body < 0) continue;
      subdomain_half(p, body, q, half);
      value[k++] = half[0] * lam[0] + half[1] * lam[1];
    }
    if (e->kind == KNIFE) {
      double angle = q[PER * p->local[e->b] + 2];
      value[0] = -cos(angle) * *psi;
      value[1] = -sin(angle) * *psi++;
    }
    for (k = 0; k < n; k++) K->val[p->K_at[36 * i + k]] += value[k];
    lam += subdomain_rows(e->kind);
  }
}

static inline void subdomain_spoil(const subdomain_model *p, const ga_evaluation *out) {
  if (p->fault == FAULT_NAN_F && out->F) out->F[0] = NAN;
  if (p->fault == FAULT_NAN_g && out->g && p->G.nrow > 0) out->g[0] = NAN;
  if (p->fault == FAULT_NAN_G && out->G && p->G.nrow > 0) out->G->val[0] = NAN;
  if (p->fault == FAULT_NAN_K && out->Kt && p->K.ptr[p->K.nrow] > 0) out->Kt->val[0] = INFINITY;
  if (p->fault == FAULT_SINGULAR && out->G && p->G.nrow > 0) {
    memset(out->G->val, 0, (size_t)p->G.ptr[1] * sizeof(double));
  }
}

static inline int subdomain_evaluate(void *user, double t, const double *q, const double *v,
                                     const ga_evaluation *out) {
  (void)t;
  subdomain_model *p = user;
  long call = p->calls++;
  bool faulty = call >= p->fault_from && call < p->fault_to;
  if (faulty && p->fault == FAULT_FATAL) return -7;
  if (faulty && p->fault == FAULT_RETRY) return 7;
  if (out->M) subdomain_mass(p, out->M);
  if (out->F) subdomain_force(p, q, out->F);
  if (out->g) subdomain_g(p, q, out->g);
  if (out->G) subdomain_G(p, q, NULL, out->G);
  if (out->Z) subdomain_G(p, q, v, out->Z);
  if (out->drift) subdomain_drift(p, q, v, out->drift);
  if (out->Kt) subdomain_K(p, q, out->lam, out->psi, out->Kt);
  subdomain_edges(p, q, v, out);
  if (faulty) subdomain_spoil(p, out);
  return 0;
}

/* ---- a subdomain ----------------------------------------------------------------------------- */

static const ga_model_ops subdomain_ops = {.evaluate = subdomain_evaluate,
                                           .gives = GA_GIVES_G | GA_GIVES_Z | GA_GIVES_TANGENTS |
                                                    GA_GIVES_DRIFT | GA_GIVES_H | GA_GIVES_Y |
                                                    GA_GIVES_K_DRIFT};

/* Elements of process `process` of `size`; backwards: its bodies in the opposite order. NULL: no
 * memory. */
static inline subdomain_model *subdomain_new(const whole_system *s, int process, int size,
                                             bool backwards) {
  subdomain_model *p = calloc(1, sizeof *p);
  int from = (int)((long)s->count * process / size),
      to = (int)((long)s->count * (process + 1) / size);
  *p = (subdomain_model){.whole = s, .count = to - from, .list = s->list + from};
  p->local = malloc((size_t)s->n * sizeof(int));
  p->body = malloc((size_t)s->n * sizeof(int));
  for (int i = 0; i < s->n; i++) p->local[i] = -1;
  for (int i = 0; i < p->count; i++) {
    if (p->list[i].a >= 0) p->local[p->list[i].a] = 0;
    p->local[p->list[i].b] = 0;
  }
  for (int k = 0; k < s->n; k++) {
    int i = backwards ? s->n - 1 - k : k;
    if (p->local[i] < 0) continue;
    p->body[p->nbody] = i;
    p->local[i] = p->nbody++;
  }
  int nv = PER * p->nbody;
  p->velocity = malloc((size_t)nv * sizeof(long));
  for (int i = 0; i < nv; i++) p->velocity[i] = (long)PER * p->body[i / PER] + i % PER;
  subdomain_csr(&p->M, nv, nv, nv);
  for (int i = 0; i < nv; i++) p->M.col[i] = i, p->M.ptr[i + 1] = i + 1;
  subdomain_pattern_K(p);
  int rows = subdomain_pattern_G(p), edges = subdomain_pattern_H(p);
  ga_space_rn(nv, &p->space);
  p->model = (ga_model){.ops = &subdomain_ops,
                        .user = p,
                        .space = p->space,
                        .nlam = rows,
                        .npsi = edges,
                        .const_mass = true,
                        .scleronomic = true,
                        .pat_M = &p->M,
                        .pat_K = &p->K,
                        .pat_G = &p->G,
                        .pat_H = &p->H};
  return p;
}

static inline void subdomain_free(subdomain_model *p) {
  ga_csr *const all[] = {&p->M, &p->K, &p->G, &p->H};
  for (int k = 0; k < 4; k++) free(all[k]->ptr), free(all[k]->col);
  ga_space_free(p->space);
  free(p->local);
  free(p->body);
  free(p->velocity);
  free(p->K_at);
  free(p);
}

/* the entries of this subdomain of a vector over all bodies */
static inline void subdomain_take(const subdomain_model *p, const double *whole, double *own) {
  for (int i = 0; i < PER * p->nbody; i++) own[i] = whole[p->velocity[i]];
}

#endif
