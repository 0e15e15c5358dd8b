/* SPDX-License-Identifier: MIT */
/* The tree's own solver for a M + b Ct + c Kt T, in O(n), without forming a matrix. Elements act
 * on single freedoms, or between bodies (between.c). With gamma_k = a S_k + b phi_k + c chi_k, delta_k = b omega_k + c
 * omega(psi_k), e_k = c S_k x* F (terms of c times T(w) for balls), and the 6 x 9 matrix A = [I |
 * B] of a body plus what its children hand down, per node from the leaves
 *
 *     g = A (gamma; delta)   u = g + e   s = S^T A   D = S^T g      parent: A_p += A - u D^-1 s
 *     solve up:  y = D^-1 (b - S^T p),  p_p += p + u y;   down: x = y - D^-1 s z_p,  z = z_p + (gamma; delta) x
 *
 * I, B are those of the single body, F the sum over the subtree; springs and rotors on a coordinate add
 * to D. The product with a vector: z down, p = A z + sum of the children's p + e x up, y_k = S_k.p.
 * There are no exchanges: where D vanishes a smaller step is asked for. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "mechanism/tree/tree.h"

enum {
  COLUMNS = 9, /* of the 6 x 9 matrices, which stand column by column */
  WIDTH = 10   /* of vectors of 9: whole pairs, the last one 0 */
};

typedef struct {
  double m, mc[3], J[6], vel[3], N[9]; /* I and B of the body, as in ga_node_state */
  double A[6 * COLUMNS]; /* [I | B] with what children hand down; of the factorization */
  double inverse[9], p[6], z[WIDTH]; /* p, z: of a solution or a product */
} solver_node;

typedef struct {
  double S[6], phi[6], chi[6], psi[3], e[6]; /* chi, omega(psi), S x* F times T */
  double way[WIDTH], u[6], s[WIDTH];         /* (gamma; delta), u, s of the factorization */
  double kt, ct, rotor;                      /* on its own */
  double y;
} solver_freedom;

static solver_node *nodes_of(double *work) {
  return (solver_node *)(void *)work;
}
static solver_freedom *freedoms_of(const ga_tree *tree, double *work) {
  return (solver_freedom *)(void *)(nodes_of(work) + tree->nnode);
}
/* behind them: diagonals of Kt and Ct, nv numbers each */
static double *diagonals_of(const ga_tree *tree, double *work) {
  return (double *)(void *)(freedoms_of(tree, work) + tree->nfreedom);
}

/* and numbers of elements between bodies */
static double *between_of(const ga_mechanism *m, double *work) {
  return diagonals_of(m->tree, work) + 2 * (size_t)m->nv + 1;
}

static size_t solver_room(void *user) {
  const ga_mechanism *m = user;
  const size_t bytes = (size_t)m->tree->nnode * sizeof(solver_node) +
                       (size_t)m->tree->nfreedom * sizeof(solver_freedom);
  return bytes / sizeof(double) + 2 * (size_t)m->nv + 1 + ga_between_room(m);
}

/* ---- factorization -------------------------------------------------------------------------- */

/* A of a node <- [I | B] of its body */
static void body_matrix(solver_node *st) {
  const double *J = st->J, *h = st->mc, *N = st->N, m = st->m;
  const double p[3] = {2 * st->vel[0], 2 * st->vel[1], 2 * st->vel[2]};
  const double columns[COLUMNS][6] = {
      {J[0], J[3], J[4], 0, -h[2], h[1]}, {J[3], J[1], J[5], h[2], 0, -h[0]},
      {J[4], J[5], J[2], -h[1], h[0], 0}, {0, h[2], -h[1], m, 0, 0},
      {-h[2], 0, h[0], 0, m, 0},          {h[1], -h[0], 0, 0, 0, m},
      {N[0], N[3], N[6], 0, -p[2], p[1]}, {N[1], N[4], N[7], p[2], 0, -p[0]},
      {N[2], N[5], N[8], -p[1], p[0], 0}};
  memcpy(st->A, columns, sizeof columns);
}

/* y <- [I | B] z of a body, z = (omega, u; delta) */
static void times_body(const solver_node *st, const double *z, double *restrict y) {
  const double *J = st->J;
  y[0] = J[0] * z[0] + J[3] * z[1] + J[4] * z[2];
  y[1] = J[3] * z[0] + J[1] * z[1] + J[5] * z[2];
  y[2] = J[4] * z[0] + J[5] * z[1] + J[2] * z[2];
  ga_add_cross3(1, st->mc, z + 3, y);
  for (int i = 0; i < 3; i++) y[i] += ga_dot3(st->N + 3 * i, z + 6);
  for (int i = 0; i < 3; i++) y[3 + i] = st->m * z[3 + i];
  ga_add_cross3(-1, st->mc, z, y + 3);
  ga_add_cross3(-2, st->vel, z + 6, y + 3);
}

/* Keep what a node's freedoms have at the point; T: of a ball's rotation, NULL: the identity. */
static void keep_freedoms(const ga_pass *pass, int i, const double *T, solver_freedom *own) {
  const ga_node *node = &pass->m->tree->node[i];
  const ga_freedom_state *f = pass->room->freedom + node->v_at;
  double turn[3][6];
  for (int k = 0; k < node->n; k++) {
    ga_cross_wrench6(f[k].S, pass->room->node[i].F, turn[k]);
    memcpy(own[k].S, f[k].S, sizeof own[k].S);
    memcpy(own[k].phi, f[k].phi, sizeof own[k].phi);
    if (T) continue;
    memcpy(own[k].chi, f[k].chi, sizeof own[k].chi);
    memcpy(own[k].psi, f[k].psi, sizeof own[k].psi);
    memcpy(own[k].e, turn[k], sizeof own[k].e);
  }
  for (int k = 0; T && k < node->n; k++) {
    const double a = T[k], b = T[3 + k], c = T[6 + k];
    for (int e = 0; e < 6; e++) {
      own[k].chi[e] = a * f[0].chi[e] + b * f[1].chi[e] + c * f[2].chi[e];
      own[k].e[e] = a * turn[0][e] + b * turn[1][e] + c * turn[2][e];
    }
    for (int e = 0; e < 3; e++) {
      own[k].psi[e] = a * f[0].psi[e] + b * f[1].psi[e] + c * f[2].psi[e];
    }
  }
}

/* Everything of the point that factors and products need. 0, or the code of an element. */
static int keep_point(ga_pass *pass, const ga_solver_point *p, double *work, double *diagonal) {
  const ga_mechanism *m = pass->m;
  const ga_tree *tree = m->tree;
  solver_node *node = nodes_of(work);
  solver_freedom *freedom = freedoms_of(tree, work);
  const double *kt = diagonals_of(tree, work), *ct = kt + m->nv;
  const bool tangents = p->b != 0 || p->c != 0;
  for (int i = 0; i < tree->nsingle && tangents; i++) {
    const int code = tree->single[i].type->evaluate(pass, &tree->single[i]);
    if (code != 0) return code > 0 ? 1 + tree->single_of[i] : -1 - tree->single_of[i];
  }
  ga_tree_move(pass);
  const bool between = tangents && tree->nbetween > 0;
  if (between) {
    const int code = ga_between_keep(pass, between_of(m, work));
    if (code != 0) return code;
    if (p->w) ga_between_turn(m, p->w, between_of(m, work));
  }
  ga_tree_accelerate(pass, p->x, true);
  ga_tree_sum_wrenches(pass, between);
  ga_tree_changes(pass);
  ga_tree_body_inertias(pass);
  for (int i = 0; i < tree->nnode; i++) {
    const ga_node *own = &tree->node[i];
    double T[9];
    const bool turned = own->kind == GA_BALL && p->w;
    if (turned) ga_so3_tangent_block(p->w + own->v_at, T, 3);
    const ga_node_state *body = &pass->room->node[i];
    node[i].m = body->m;
    memcpy(node[i].mc, body->mc, sizeof body->mc);
    memcpy(node[i].J, body->J, sizeof body->J);
    memcpy(node[i].vel, body->p, sizeof body->p);
    memcpy(node[i].N, body->N, sizeof body->N);
    keep_freedoms(pass, i, turned ? T : NULL, freedom + own->v_at);
  }
  ga_tree_sum_inertias(pass, false);
  for (int k = 0; k < tree->nfreedom; k++) {
    freedom[k].kt = kt[k], freedom[k].ct = ct[k], freedom[k].rotor = 0;
    diagonal[k] = ga_tree_own_inertia(pass, k);
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    if (angle->M_at < 0) continue;
    freedom[angle->v_at].rotor += angle->inertia;
    diagonal[angle->v_at] += angle->inertia;
  }
  return 0;
}

/* (gamma; delta) of a freedom */
static void way_of(const solver_freedom *f, double a, double b, double c, double *restrict way) {
  memset(way, 0, 6 * sizeof *way);
  ga_add6(a, f->S, way);
  ga_add6(b, f->phi, way);
  ga_add6(c, f->chi, way);
  for (int i = 0; i < 3; i++) way[6 + i] = b * f->S[i] + c * f->psi[i];
  way[9] = 0;
}

/* row.x, WIDTH numbers; two sums side by side */
static inline double dot_wide(const double *row, const double *x) {
  double even = 0, odd = 0;
  for (int j = 0; j < WIDTH; j += 2) {
    even += row[j] * x[j];
    odd += row[j + 1] * x[j + 1];
  }
  return even + odd;
}

/* y += c x, WIDTH numbers */
static inline void add_wide(double c, const double *x, double *restrict y) {
  for (int j = 0; j < WIDTH; j++) y[j] += c * x[j];
}

/* X <- inverse of the n x n matrix D, n = 1 or 3; false: it is singular, measured by size */
static bool invert(int n, const double *D, double size, double *X) {
  static const double VANISHES = 1e-14; /* pivots that rounding alone has left */
  if (n == 1) {
    X[0] = 1 / D[0];
    return fabs(D[0]) > VANISHES * size && isfinite(X[0]);
  }
  double c[3][3];
  ga_cross3(D + 3, D + 6, c[0]);
  ga_cross3(D + 6, D, c[1]);
  ga_cross3(D, D + 3, c[2]);
  const double det = ga_dot3(D, c[0]);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) X[3 * i + j] = c[j][i] / det;
  }
  return fabs(det) > VANISHES * size * size * size && isfinite(1 / det);
}

/* g <- A way, in two sums side by side, s <- S^T A, and u = g + c e of a freedom */
static void multiply_freedom(const double *A, double c, solver_freedom *restrict f,
                             double *restrict g) {
  double even[6] = {0}, odd[6] = {0};
  for (int j = 0; j + 1 < COLUMNS; j += 2) {
    ga_add6(f->way[j], A + 6 * j, even);
    ga_add6(f->way[j + 1], A + 6 * j + 6, odd);
  }
  ga_add6(f->way[COLUMNS - 1], A + 6 * (COLUMNS - 1), even);
  for (int j = 0; j < COLUMNS; j++) f->s[j] = ga_dot6(f->S, A + 6 * j);
  f->s[COLUMNS] = 0;
  for (int r = 0; r < 6; r++) g[r] = even[r] + odd[r], f->u[r] = g[r] + c * f->e[r];
}

/* to += A - sum u_k row_k, where row = D^-1 s; n freedoms */
static void hand_down(const double *A, int n, const solver_freedom *f, double row[3][WIDTH],
                      double *restrict to) {
  if (n == 1) { /* most nodes, in one pass */
    for (int j = 0; j < COLUMNS; j++) {
      for (int r = 0; r < 6; r++) to[6 * j + r] += A[6 * j + r] - f->u[r] * row[0][j];
    }
    return;
  }
  for (int j = 0; j < COLUMNS; j++, A += 6, to += 6) {
    double sum[6];
    for (int r = 0; r < 6; r++) sum[r] = to[r] + A[r];
    for (int k = 0; k < n; k++) ga_add6(-row[k][j], f[k].u, sum);
    memcpy(to, sum, sizeof sum);
  }
}

/* One node: u, s, D^-1, and A handed to the parent's. False: D is singular. */
static bool eliminate(const ga_tree *tree, int i, const ga_solver_point *p, double *work) {
  const ga_node *own = &tree->node[i];
  solver_node *node = nodes_of(work), *st = &node[i];
  solver_freedom *f = freedoms_of(tree, work) + own->v_at;
  const int n = own->n;
  double D[9], g[3][6], row[3][WIDTH], size = 0;
  for (int k = 0; k < n; k++) {
    way_of(&f[k], p->a, p->b, p->c, f[k].way);
    multiply_freedom(st->A, p->c, &f[k], g[k]);
  }
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) D[n * k + j] = ga_dot6(f[k].S, g[j]);
    D[n * k + k] += p->a * f[k].rotor + p->b * f[k].ct + p->c * f[k].kt;
    for (int r = 0; r < 6; r++) {
      const double term = fabs(f[k].S[r] * g[k][r]);
      if (term > size) size = term;
    }
  }
  if (n > 0 && !invert(n, D, size, st->inverse)) return false;
  if (own->parent < 0) return true;
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < WIDTH; j++) row[k][j] = st->inverse[n * k] * f[0].s[j];
    for (int l = 1; l < n; l++) add_wide(st->inverse[n * k + l], f[l].s, row[k]);
  }
  hand_down(st->A, n, f, row, node[own->parent].A);
  return true;
}

static void substitute(const ga_mechanism *m, double *work, double *b);

/* U_i.y of row e of a node: what y moves it by */
static double motion_of(const ga_tree *tree, int node, int e, double *work, const double *y) {
  const solver_freedom *freedom = freedoms_of(tree, work);
  double sum = 0;
  for (int i = node; i >= 0; i = tree->node[i].parent) {
    const int first = tree->node[i].v_at;
    for (int k = first; k < first + tree->node[i].n; k++) sum += freedom[k].S[e] * y[k];
  }
  return sum;
}

/* T^-1 U of elements between bodies, whose columns are unit wrenches on the nodes, and their factors. */
static bool factor_between(const ga_mechanism *m, const ga_solver_point *p, double *work) {
  const ga_tree *tree = m->tree;
  double *own = between_of(m, work);
  ga_between_combine(m, p->b, p->c, own);
  for (int j = 0; j < 12 * tree->nbetween; j++) {
    const ga_between *el = &tree->between[j / 12];
    const int side = j / 6 % 2, e = j % 6, i = el->node[side];
    double *y = i < 0 ? NULL : ga_between_column(m, el->row[side] + e, own);
    if (!y) continue;
    for (int k = 0; k < tree->nnode; k++) memset(nodes_of(work)[k].p, 0, 6 * sizeof(double));
    nodes_of(work)[i].p[e] = -1;
    substitute(m, work, y);
    ga_between_size(m, el->row[side] + e, motion_of(tree, i, e, work, y), own);
  }
  return ga_between_factor(m, own);
}

static int solver_factor(void *user, const ga_solver_point *p, double *work, double *diagonal) {
  const ga_mechanism *m = user;
  const ga_tree *tree = m->tree;
  double *kt = diagonals_of(tree, work);
  ga_csr Kt = {.nrow = m->nv, .ncol = m->nv, .val = kt}, Ct = Kt;
  Ct.val = kt + m->nv;
  memset(kt, 0, 2 * (size_t)m->nv * sizeof *kt);
  const ga_evaluation out = {
      .x = p->x, .lam = p->lam, .psi = p->psi, .u = p->u, .Kt = &Kt, .Ct = &Ct};
  ga_pass pass;
  if (!ga_pass_begin(&pass, m, p->t, p->q, p->v, &out)) return GA_PASS_MEMORY;
  const int code = keep_point(&pass, p, work, diagonal);
  ga_pass_end(&pass);
  if (code != 0) return code;
  solver_node *node = nodes_of(work);
  for (int i = 0; i < tree->nnode; i++) body_matrix(&node[i]);
  for (int i = tree->nnode - 1; i >= 0; i--) {
    if (!eliminate(tree, i, p, work)) return 1 + m->elements.count;
  }
  const bool between = tree->nbetween > 0 && (p->b != 0 || p->c != 0);
  diagonals_of(tree, work)[2 * (size_t)m->nv] = between;
  if (between && !factor_between(m, p, work)) return 1 + m->elements.count;
  return 0;
}

/* ---- solution and product ------------------------------------------------------------------- */

/* b <- T^-1 b; p of the nodes: wrenches that are subtracted from b */
static void substitute(const ga_mechanism *m, double *work, double *b) {
  const ga_tree *tree = m->tree;
  solver_node *node = nodes_of(work);
  solver_freedom *freedom = freedoms_of(tree, work);
  for (int i = tree->nnode - 1; i >= 0; i--) {
    const ga_node *own = &tree->node[i];
    solver_freedom *f = freedom + own->v_at;
    const int n = own->n;
    double rest[3];
    for (int k = 0; k < n; k++) rest[k] = b[own->v_at + k] - ga_dot6(f[k].S, node[i].p);
    for (int k = 0; k < n; k++) {
      f[k].y = 0;
      for (int l = 0; l < n; l++) f[k].y += node[i].inverse[n * k + l] * rest[l];
    }
    if (own->parent < 0) continue;
    ga_add6(1, node[i].p, node[own->parent].p);
    for (int k = 0; k < n; k++) ga_add6(f[k].y, f[k].u, node[own->parent].p);
  }
  for (int i = 0; i < tree->nnode; i++) {
    const ga_node *own = &tree->node[i];
    const solver_freedom *f = freedom + own->v_at;
    const int n = own->n;
    double *z = node[i].z, rest[3];
    if (own->parent < 0) {
      memset(z, 0, sizeof node[i].z);
    } else {
      memcpy(z, node[own->parent].z, sizeof node[i].z);
    }
    for (int k = 0; k < n; k++) rest[k] = dot_wide(f[k].s, z);
    for (int k = 0; k < n; k++) {
      double x = f[k].y;
      for (int l = 0; l < n; l++) x -= node[i].inverse[n * k + l] * rest[l];
      b[own->v_at + k] = x;
    }
    for (int k = 0; k < n; k++) add_wide(b[own->v_at + k], f[k].way, z);
  }
}

static bool has_between(const ga_mechanism *m, double *work) {
  return diagonals_of(m->tree, work)[2 * (size_t)m->nv] != 0;
}

static int solver_solve(void *user, double *work, double *b) {
  const ga_mechanism *m = user;
  solver_node *node = nodes_of(work);
  for (int i = 0; i < m->tree->nnode; i++) memset(node[i].p, 0, sizeof node[i].p);
  substitute(m, work, b);
  if (has_between(m, work)) ga_between_correct(m, between_of(m, work), b);
  return 0;
}

static int solver_multiply(void *user, double *work, double a, double b, double c, const double *x,
                           double *y) {
  const ga_mechanism *m = user;
  const ga_tree *tree = m->tree;
  solver_node *node = nodes_of(work);
  solver_freedom *freedom = freedoms_of(tree, work);
  for (int i = 0; i < tree->nnode; i++) {
    const ga_node *own = &tree->node[i];
    double *z = node[i].z, way[WIDTH];
    if (own->parent < 0) {
      memset(z, 0, sizeof node[i].z);
    } else {
      memcpy(z, node[own->parent].z, sizeof node[i].z);
    }
    for (int k = 0; k < own->n; k++) {
      way_of(&freedom[own->v_at + k], a, b, c, way);
      add_wide(x[own->v_at + k], way, z);
    }
    times_body(&node[i], z, node[i].p);
  }
  if ((b != 0 || c != 0) && has_between(m, work)) {
    const double *w = ga_between_wrenches(m, b, c, x, between_of(m, work));
    for (int j = 0; j < 2 * tree->nbetween; j++) {
      const ga_between *own = &tree->between[j / 2];
      if (own->node[j % 2] >= 0) ga_add6(1, w + own->row[j % 2], node[own->node[j % 2]].p);
    }
  }
  for (int i = tree->nnode - 1; i >= 0; i--) {
    const ga_node *own = &tree->node[i];
    const solver_freedom *f = freedom + own->v_at;
    for (int k = 0; k < own->n; k++) {
      const double single = a * f[k].rotor + b * f[k].ct + c * f[k].kt;
      y[own->v_at + k] = ga_dot6(f[k].S, node[i].p) + single * x[own->v_at + k];
    }
    if (own->parent < 0) continue;
    ga_add6(1, node[i].p, node[own->parent].p);
    for (int k = 0; k < own->n; k++) {
      ga_add6(c * x[own->v_at + k], f[k].e, node[own->parent].p);
    }
  }
  return 0;
}

/* The recursion is faster than a full matrix from so many freedoms on; with elements between bodies, if a
 * row of Kt has so many entries and these for each column that is solved for, six a body of such an
 * element and one a row of constraints: instructions of chains with one loop are equal at 24 freedoms. */
enum { LEAST_FREEDOMS = 8 };
static const double ENTRIES_OF_COLUMN = 1.5;
#define SOLVER(from)                                                               \
  {                                                                                \
    .name = "tree", .least = (from), .room = solver_room, .factor = solver_factor, \
    .solve = solver_solve, .multiply = solver_multiply                             \
  }
const ga_model_solver ga_tree_solver = SOLVER(0), ga_tree_solver_if_asked = SOLVER(INT_MAX);

/* Is it faster? Not where forces act between bodies, which may be stiff: of stiff forces the Newton iteration
 * needs the tangents themselves, to know where roundings end it. */
static bool does_pay(const ga_mechanism *m) {
  const ga_tree *tree = m->tree;
  const double columns = 6 * tree->nside + m->nlam + m->npsi;
  for (int j = 0; j < tree->nbetween; j++) {
    const ga_element *el = &m->elements.item[tree->between[j].element];
    if (el->nlam + el->npsi == 0) return false;
  }
  if (m->nv < LEAST_FREEDOMS || tree->nbetween == 0) return m->nv >= LEAST_FREEDOMS;
  return m->K.ptr[m->nv] >= (LEAST_FREEDOMS + ENTRIES_OF_COLUMN * columns) * m->nv;
}

/* Do all elements act on single freedoms, between bodies, or on none? Then tree->single lists the first
 * that have tangents, whose slots are their freedoms, and tree->between the second; tree->pays; false: they
 * do not. *ok: there was memory. */
bool ga_tree_can_solve(ga_mechanism *m, bool *ok) {
  ga_tree *tree = m->tree;
  *ok = true;
  if (m->nv != tree->nfreedom || !ga_between_list(m, ok)) return false;
  tree->single = ga_arena_take(&m->arena, (size_t)m->elements.count + 1, sizeof *tree->single);
  tree->single_of = ga_arena_ints(&m->arena, (size_t)m->elements.count + 1);
  int *at = ga_arena_ints(&m->arena, (size_t)m->elements.count + 1);
  *ok = !m->arena.failed;
  for (int i = 0; *ok && i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    ga_structure s = {0};
    el->type->structure(m, el, &s);
    if (!s.coordinate_block) continue;
    if (el->ncoordinate != 1 || el->nlam + el->npsi > 0) return false;
    at[tree->nsingle] = m->coordinates.item[el->coordinate[0]].v_at;
    tree->single[tree->nsingle] = *el;
    tree->single[tree->nsingle].coordinate_at = &at[tree->nsingle];
    tree->single_of[tree->nsingle++] = i;
  }
  tree->pays = does_pay(m);
  return *ok;
}
