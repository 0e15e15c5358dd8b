/* SPDX-License-Identifier: MIT */
/* Elements between bodies in the tree's own solver. The tangents of such an element depend on the motions
 * of its two bodies alone. With X_s = (S_k) of the freedoms on the path of side s, six rows each, and
 * y_s = A_s,0 X_0 + A_s,1 X_1 as in spread.c, it adds
 *
 *     Kt_ik += S_i.y_s(k) + [i, k on side s, i's node above k's] S_i.(S_k x* w_s)
 *
 * for freedoms below the lowest common node. The second term has the form of S_k x* F: w is added to
 * the wrenches F of the bodies. Since w_0 + w_1 = 0 at their common node, and elements feel relative motion
 * alone, so that y_0 + y_1 + V_0 x* w_0 + V_1 x* w_1 = 0 for motions V_s of the sides, the first sum may
 * run over the whole path of each side, and the sum of both terms is zero above the common node. So
 *
 *     A = T + U W^T,   T of tree form, solved in O(n),   U = (X_s^T), six columns a side,
 *     W^T = c y T(w) + b (the same of Ct)
 *     A^-1 b = x - Y z,   x = T^-1 b,   Y = T^-1 U,   (1 + W^T Y) z = W^T x
 *
 * (Woodbury; Golub & Van Loan, Matrix Computations, 2.1.4). Columns of U whose row of W^T is zero are left
 * out. Rows of 1 + W^T Y belong to wrenches; they are compared in the units of energy, times the root of
 * U_i.Y_i. */
#include <math.h>
#include <string.h>

#include "mechanism/build/layout.h"
#include "mechanism/tree/tree.h"

enum { ROWS = 6 }; /* of a side */

/* Numbers behind those of the tree. */
typedef struct {
  double *by_q, *by_v, *W; /* GA_PAIR numbers for each freedom of each element */
  double *Y;               /* rows of nv numbers */
  double *S, *size, *z;    /* of 1 + W^T Y, nr rows of nr numbers; their units; right-hand side */
  double *used, *pivot;    /* is the row of W^T not zero? rows that were exchanged */
} parts;

/* freedoms of all elements, counted as often as they occur */
static size_t count_columns(const ga_tree *tree) {
  if (tree->nbetween == 0) return 0;
  const ga_between *last = &tree->between[tree->nbetween - 1];
  return last->at + (size_t)tree->spread[last->element].n;
}

static parts parts_of(const ga_mechanism *m, double *work) {
  const size_t columns = GA_PAIR * count_columns(m->tree), nr = ROWS * (size_t)m->tree->nside;
  parts p = {.by_q = work};
  p.by_v = p.by_q + columns;
  p.W = p.by_v + columns;
  p.Y = p.W + columns;
  p.S = p.Y + nr * (size_t)m->nv;
  p.size = p.S + nr * nr;
  p.z = p.size + nr;
  p.used = p.z + nr;
  p.pivot = p.used + nr;
  return p;
}

size_t ga_between_room(const ga_mechanism *m) {
  const size_t nr = ROWS * (size_t)m->tree->nside;
  return 3 * GA_PAIR * count_columns(m->tree) + nr * ((size_t)m->nv + nr + 4);
}

/* Evaluate the elements: their columns go to work, their wrenches to the W of nodes. 0, or the code of
 * an element. */
int ga_between_keep(ga_pass *pass, double *work) {
  const ga_mechanism *m = pass->m;
  const ga_tree *tree = m->tree;
  const parts p = parts_of(m, work);
  memset(p.by_q, 0, 2 * GA_PAIR * count_columns(tree) * sizeof(double));
  for (int i = 0; i < tree->nnode; i++) memset(pass->room->node[i].W, 0, 6 * sizeof(double));
  int code = 0;
  for (int j = 0; j < tree->nbetween && code == 0; j++) {
    const ga_element *el = &m->elements.item[tree->between[j].element];
    pass->room->by_q = p.by_q + GA_PAIR * tree->between[j].at;
    pass->room->by_v = p.by_v + GA_PAIR * tree->between[j].at;
    code = el->type->evaluate(pass, el);
  }
  pass->room->by_q = pass->room->by_v = NULL;
  return code;
}

/* Turn the columns by q of a ball's freedoms by T(w). */
static void turn_columns(const double *T, double *column) {
  for (int e = 0; e < GA_PAIR; e++) {
    const double x[3] = {column[e], column[GA_PAIR + e], column[2 * GA_PAIR + e]};
    for (int k = 0; k < 3; k++) {
      column[k * GA_PAIR + e] = T[k] * x[0] + T[3 + k] * x[1] + T[6 + k] * x[2];
    }
  }
}

void ga_between_turn(const ga_mechanism *m, const double *w, double *work) {
  const ga_tree *tree = m->tree;
  const parts p = parts_of(m, work);
  for (int j = 0; j < tree->nbetween; j++) {
    const ga_spread *sp = &tree->spread[tree->between[j].element];
    for (int k = 0; k < sp->n; k++) {
      const ga_node *node = &tree->node[tree->node_of[sp->freedom[k]]];
      double T[9];
      if (node->kind != GA_BALL || sp->freedom[k] != node->v_at) continue;
      ga_so3_tangent_block(w + node->v_at, T, 3);
      turn_columns(T, p.by_q + GA_PAIR * (tree->between[j].at + (size_t)k));
    }
  }
}

/* W^T = c by_q + b by_v */
void ga_between_combine(const ga_mechanism *m, double b, double c, double *work) {
  const ga_tree *tree = m->tree;
  const parts p = parts_of(m, work);
  const size_t n = GA_PAIR * count_columns(tree);
  for (size_t e = 0; e < n; e++) p.W[e] = c * p.by_q[e] + b * p.by_v[e];
  memset(p.used, 0, ROWS * (size_t)tree->nside * sizeof(double));
  for (int j = 0; j < tree->nbetween; j++) {
    const ga_between *own = &tree->between[j];
    const double *W = p.W + GA_PAIR * own->at;
    for (int k = 0; k < tree->spread[own->element].n; k++, W += GA_PAIR) {
      for (int e = 0; e < GA_PAIR; e++) {
        if (W[e] != 0 && own->row[e / ROWS] >= 0) p.used[own->row[e / ROWS] + e % ROWS] = 1;
      }
    }
  }
}

/* Column `row` of Y, zero, to become T^-1 U; NULL: it is not used. */
double *ga_between_column(const ga_mechanism *m, int row, double *work) {
  const parts p = parts_of(m, work);
  double *y = p.Y + (size_t)row * (size_t)m->nv;
  if (p.used[row] == 0) return NULL;
  memset(y, 0, (size_t)m->nv * sizeof *y);
  return y;
}

/* Its U_i.Y_i. */
void ga_between_size(const ga_mechanism *m, int row, double UY, double *work) {
  parts_of(m, work).size[row] = sqrt(fabs(UY));
}

/* z <- V^T x, V one of by_q, by_v, W */
static void multiply_columns(const ga_mechanism *m, const double *V, const double *x, double *z) {
  const ga_tree *tree = m->tree;
  for (int j = 0; j < tree->nbetween; j++) {
    const ga_between *own = &tree->between[j];
    const ga_spread *sp = &tree->spread[own->element];
    const double *column = V + GA_PAIR * own->at;
    double y[GA_PAIR] = {0};
    for (int k = 0; k < sp->n; k++, column += GA_PAIR) {
      const double by = x[sp->freedom[k]];
      for (int e = 0; e < GA_PAIR; e++) y[e] += by * column[e];
    }
    for (int side = 0; side < 2; side++) {
      if (own->row[side] >= 0) memcpy(z + own->row[side], y + ROWS * side, ROWS * sizeof *y);
    }
  }
}

/* S <- its factors, with exchanges of rows; false: it is singular. */
static bool eliminate(int n, const parts *p) {
  double *S = p->S;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(S[i * n + k]) * p->size[i] > fabs(S[best * n + k]) * p->size[best]) best = i;
    }
    p->pivot[k] = best;
    if (!(fabs(S[best * n + k]) > 0) || !isfinite(S[best * n + k])) return false;
    for (int j = 0; j < n && best != k; j++) {
      const double x = S[k * n + j];
      S[k * n + j] = S[best * n + j], S[best * n + j] = x;
    }
    const double size = p->size[k];
    p->size[k] = p->size[best], p->size[best] = size;
    for (int i = k + 1; i < n; i++) {
      const double l = S[i * n + k] /= S[k * n + k];
      for (int j = k + 1; j < n && l != 0; j++) S[i * n + j] -= l * S[k * n + j];
    }
  }
  return true;
}

/* 1 + W^T Y and its factors. False: it is singular. */
bool ga_between_factor(const ga_mechanism *m, double *work) {
  const parts p = parts_of(m, work);
  const int n = ROWS * m->tree->nside;
  for (int j = 0; j < n; j++) {
    if (p.used[j] == 0) {
      memset(p.z, 0, (size_t)n * sizeof(double));
      p.size[j] = 0;
    } else {
      multiply_columns(m, p.W, p.Y + (size_t)j * (size_t)m->nv, p.z);
    }
    for (int i = 0; i < n; i++) p.S[i * n + j] = p.z[i] + (i == j);
  }
  return eliminate(n, &p);
}

/* x <- x - Y z, (1 + W^T Y) z = W^T x */
void ga_between_correct(const ga_mechanism *m, double *work, double *x) {
  const parts p = parts_of(m, work);
  const int n = ROWS * m->tree->nside;
  double *z = p.z;
  multiply_columns(m, p.W, x, z);
  for (int k = 0; k < n; k++) {
    const int other = (int)p.pivot[k];
    const double y = z[other];
    z[other] = z[k], z[k] = y;
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) z[i] -= p.S[i * n + k] * z[k];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) z[i] -= p.S[i * n + k] * z[k];
    z[i] /= p.S[i * n + i];
  }
  for (int i = 0; i < n; i++) {
    if (p.used[i] != 0) ga_axpy(m->nv, -z[i], p.Y + (size_t)i * (size_t)m->nv, x);
  }
}

/* W^T x for these b and c: six numbers a side, wrenches at its node. */
const double *ga_between_wrenches(const ga_mechanism *m, double b, double c, const double *x,
                                  double *work) {
  const parts p = parts_of(m, work);
  const int n = ROWS * m->tree->nside;
  multiply_columns(m, p.by_q, x, p.z);
  multiply_columns(m, p.by_v, x, p.size);
  for (int i = 0; i < n; i++) p.z[i] = c * p.z[i] + b * p.size[i];
  return p.z;
}

/* ---- which elements -------------------------------------------------------------------------- */

/* tree->between <- elements with tangents between bodies; false: one has others, too. *ok: there was
 * memory. */
bool ga_between_list(ga_mechanism *m, bool *ok) {
  ga_tree *tree = m->tree;
  size_t at = 0;
  tree->between = ga_arena_take(&m->arena, (size_t)m->elements.count + 1, sizeof *tree->between);
  *ok = !m->arena.failed;
  for (int i = 0; *ok && i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    const ga_spread *sp = &tree->spread[i];
    if (el->reach) return false;
    if (sp->n == 0) continue;
    if (i >= m->nfree || ga_structure_of(m, el).coordinate_block) return false;
    ga_between *own = &tree->between[tree->nbetween++];
    *own = (ga_between){.element = i, .node = {-1, -1}, .row = {-1, -1}, .at = at};
    at += (size_t)sp->n;
    for (int side = 0; side < 2; side++) {
      if (el->body[side] <= 0) continue;
      own->node[side] = tree->node_of_body[el->body[side]];
      own->row[side] = ROWS * tree->nside++;
    }
  }
  return *ok;
}
