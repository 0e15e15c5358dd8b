/* SPDX-License-Identifier: MIT */
/* Patterns and subsystems of the models, see pattern.h. */
#include "pattern.h"

#include <string.h>

/* A set of at most HARD_NV coordinates. */
typedef struct touched {
  int n, at[HARD_NV];
} touched;

static void touch(touched *t, int from, int count) {
  for (int i = 0; i < count; i++) t->at[t->n++] = from + i;
}

/* The velocities that an element's force depends on or acts on. */
static touched of_element(const hard_model *m, const hard_element *e) {
  touched t = {0};
  if (e->shape == SHAPE_TORSION) {
    touch(&t, m->n_flat + 3 * e->i, 3);
    return t;
  }
  int width = e->shape == SHAPE_PLANE ? 2 : 1;
  touch(&t, e->i, width);
  if (e->j >= 0) touch(&t, e->j, width);
  return t;
}

/* The velocities that a constraint row depends on. */
static touched of_row(const hard_model *m, const hard_row *row) {
  touched t = {0};
  switch (row->kind) {
    case ROW_DISTANCE:
      touch(&t, row->i, 2);
      if (row->j >= 0) touch(&t, row->j, 2);
      break;
    case ROW_BALL:
      touch(&t, row->i + row->k, 1);
      touch(&t, m->n_flat + 3 * row->j, 3);
      break;
    case ROW_SKATE:
      touch(&t, row->i, 1);
      touch(&t, row->j, 1);
      touch(&t, row->k, 1);
      break;
    default:
      touch(&t, row->i, 1);
      if (row->j >= 0) touch(&t, row->j, 1);
  }
  return t;
}

/* used[a * nv + b] = true for all a, b of the set */
static void square(int nv, const touched *t, bool *used) {
  for (int a = 0; a < t->n; a++) {
    for (int b = 0; b < t->n; b++) used[t->at[a] * nv + t->at[b]] = true;
  }
}

static void compress(int rows, int nv, const bool *used, hard_csr *out) {
  int n = 0;
  for (int i = 0; i < rows; i++) {
    out->ptr[i] = n;
    for (int j = 0; j < nv; j++) {
      if (used[i * nv + j]) out->col[n++] = j;
    }
  }
  out->ptr[rows] = n;
  out->as_csr = (ga_csr){.nrow = rows, .ncol = nv, .ptr = out->ptr, .col = out->col};
}

void hard_patterns_of(const hard_model *m, hard_patterns *out) {
  int nv = hard_nv(m);
  bool M[HARD_NV * HARD_NV] = {0}, K[HARD_NV * HARD_NV] = {0}, G[HARD_ROWS * HARD_NV] = {0};
  for (int i = 0; i < nv; i++) M[i * nv + i] = K[i * nv + i] = true;
  for (int n = 0; n < m->n_element; n++) {
    const hard_element *e = &m->element[n];
    touched t = of_element(m, e);
    square(nv, &t, K);
    if (e->shape == SHAPE_COSINE_MASS) square(nv, &t, M);
  }
  for (int n = 0; n < m->n_lam + m->n_psi; n++) {
    touched t = of_row(m, &m->row[n]);
    square(nv, &t, K);
    for (int a = 0; a < t.n; a++) G[n * nv + t.at[a]] = true;
  }
  /* a row of K that touches one angle of a rotation names all three */
  for (int i = 0; i < nv; i++) {
    for (int b = m->n_flat; b < nv; b += 3) {
      bool any = K[i * nv + b] || K[i * nv + b + 1] || K[i * nv + b + 2];
      for (int a = 0; a < 3; a++) K[i * nv + b + a] = any;
    }
  }
  compress(nv, nv, M, &out->M);
  compress(nv, nv, K, &out->K);
  compress(m->n_lam, nv, G, &out->G);
  compress(m->n_psi, nv, G + m->n_lam * nv, &out->H);
}

static void join(int nv, int label[HARD_NV], int a, int b) {
  int old = label[b], new = label[a];
  for (int i = 0; i < nv; i++) {
    if (label[i] == old) label[i] = new;
  }
}

static void join_rows(int nv, const hard_csr *p, bool square_matrix, int label[HARD_NV]) {
  for (int i = 0; i < p->as_csr.nrow; i++) {
    for (int e = p->ptr[i]; e < p->ptr[i + 1]; e++) {
      join(nv, label, square_matrix ? i : p->col[p->ptr[i]], p->col[e]);
    }
  }
}

int hard_subsystems(const hard_model *m, int label[HARD_NV]) {
  int nv = hard_nv(m), count = 0, number[HARD_NV];
  memset(label, 0, sizeof *label * HARD_NV);
  if (!m->patterns) return 1;
  hard_patterns p;
  hard_patterns_of(m, &p);
  for (int i = 0; i < nv; i++) {
    label[i] = i;
    number[i] = -1;
  }
  join_rows(nv, &p.M, true, label);
  join_rows(nv, &p.K, true, label);
  join_rows(nv, &p.G, false, label);
  join_rows(nv, &p.H, false, label);
  for (int i = 0; i < nv; i++) {
    if (number[label[i]] < 0) number[label[i]] = count++;
    label[i] = number[label[i]];
  }
  return count;
}
