/* SPDX-License-Identifier: MIT */
/* Random linear structures, see structure.h. */
#include "structure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS = 18, BLOCK = 3 };

typedef struct grid {
  int size[3];
} grid;

static int node(const grid *g, int i, int j, int l) {
  return (i * g->size[1] + j) * g->size[2] + l;
}

static int nodes(const grid *g) {
  return g->size[0] * g->size[1] * g->size[2];
}

/* Room for a matrix in compressed rows; NULL pointers without memory. */
static ga_csr matrix(int rows, int cols, int entries) {
  ga_csr A = {.nrow = rows, .ncol = cols};
  A.ptr = calloc((size_t)rows + 1, sizeof(int));
  A.col = calloc((size_t)entries + 1, sizeof(int));
  A.val = calloc((size_t)entries + 1, sizeof(double));
  return A;
}

/* The directions of the springs: 3 edges and 6 diagonals of faces, each with its opposite. */
static const int direction[9][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1},  {1, 1, 0}, {1, 0, 1},
                                    {0, 1, 1}, {1, -1, 0}, {1, 0, -1}, {0, 1, -1}};

/* The neighbour of node (i, j, l) in direction d, 0 .. 17; -1 if there is none. */
static int neighbour(const grid *g, const int at[3], int d) {
  int sign = d < 9 ? 1 : -1, to[3];
  for (int a = 0; a < 3; a++) {
    to[a] = at[a] + sign * direction[d % 9][a];
    if (to[a] < 0 || to[a] >= g->size[a]) return -1;
  }
  return node(g, to[0], to[1], to[2]);
}

/* The entry of k e e^T for the direction d: 1 or 1/2 for the components it has. */
static double stiffness(int d, int u, int v) {
  const int *e = direction[d % 9];
  return e[u] * e[v] / (double)(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

/* The three rows of K of one node, appended: its own block first, then the neighbours'. */
static void add_node(const grid *g, const int at[3], double k, double ground, ga_csr *K) {
  int own = node(g, at[0], at[1], at[2]);
  for (int u = 0; u < BLOCK; u++) {
    int row = BLOCK * own + u, e = K->ptr[row];
    for (int v = 0; v < BLOCK; v++) {
      K->col[e + v] = BLOCK * own + v;
      K->val[e + v] = u == v ? ground : 0;
    }
    for (int d = 0, next = e + BLOCK; d < NEIGHBOURS; d++) {
      int other = neighbour(g, at, d);
      if (other < 0) continue;
      for (int v = 0; v < BLOCK; v++, next++) {
        K->val[e + v] += k * stiffness(d, u, v);
        K->col[next] = BLOCK * other + v;
        K->val[next] = -k * stiffness(d, u, v);
      }
      K->ptr[row + 1] = next;
    }
  }
}

/* Columns of a row in rising order, as patterns have them. */
static void sort_row(ga_csr *A, int i) {
  for (int a = A->ptr[i] + 1; a < A->ptr[i + 1]; a++) {
    int col = A->col[a], b = a;
    double val = A->val[a];
    for (; b > A->ptr[i] && A->col[b - 1] > col; b--) {
      A->col[b] = A->col[b - 1];
      A->val[b] = A->val[b - 1];
    }
    A->col[b] = col;
    A->val[b] = val;
  }
}

/* K; where nothing else holds the structure, springs to the ground at the nodes i = 0. */
static void assemble(hard_structure *s, const grid *g, double k, bool grounded) {
  int at[3];
  for (at[0] = 0; at[0] < g->size[0]; at[0]++) {
    for (at[1] = 0; at[1] < g->size[1]; at[1]++) {
      for (at[2] = 0; at[2] < g->size[2]; at[2]++) {
        add_node(g, at, k, grounded && at[0] == 0 ? k : 0, &s->K);
      }
    }
  }
  for (int i = 0; i < s->n; i++) sort_row(&s->K, i);
}

static void add_row(hard_structure *s, double scale, int count, const int *col, const double *val) {
  int e = s->B.ptr[s->nc];
  for (int i = 0; i < count; i++, e++) {
    s->B.col[e] = col[i];
    s->B.val[e] = scale * val[i];
  }
  s->B.ptr[++s->nc] = e;
  s->B.nrow = s->nc;
}

/* Clamp three nodes, or all with i = 0; then rods along the first axis between the nodes i = 1 and
 * i = 2 of some lines. */
static void constrain(hard_structure *s, const grid *g, uint64_t *r) {
  bool face = hard_pick(r, 2), rods = hard_pick(r, 2);
  double scale = hard_pick(r, 2) ? 1 : hard_log_uniform(r, 1e-3, 1e3);
  int clamped = face ? BLOCK * g->size[1] * g->size[2] : 9;
  for (int i = 0; i < clamped; i++) add_row(s, scale, 1, &i, (const double[]){1});
  for (int j = 0; rods && j < g->size[1]; j++) {
    int l = hard_pick(r, g->size[2]);
    const int col[2] = {BLOCK * node(g, 1, j, l), BLOCK * node(g, 2, j, l)};
    add_row(s, scale, 2, col, (const double[]){1, -1});
  }
}

/* Most are small: sides of 3 to 5, some of up to 8 points. */
static grid draw_grid(uint64_t *r) {
  grid g;
  int most = hard_pick(r, 12) == 0 ? 6 : hard_pick(r, 4) == 0 ? 3 : 2;
  for (int a = 0; a < 3; a++) g.size[a] = 3 + hard_pick(r, most);
  return g;
}

static void settings(hard_structure *s, uint64_t *r) {
  static const char *const solver[4] = {"dense", "klu", "mumps", "auto"};
  static const char *const method[5] = {"stab2", "stab2", "index3", "index3", "soi2"};
  s->linsol = solver[hard_pick(r, 4)];
  s->method = method[hard_pick(r, 5)];
  s->h = hard_log_uniform(r, 1e-6, 1e-2);
  s->rho = hard_uniform(r, 0, 0.95);
  s->steps = 5 + hard_pick(r, 10);
  bool automatic = hard_pick(r, 4) == 0 && s->n <= 400 && strcmp(s->method, "soi2") != 0;
  s->rtol = automatic ? hard_log_uniform(r, 1e-8, 1e-3) : 0;
  if (s->n > 400 && strcmp(s->method, "soi2") == 0) s->method = "stab2";
}

/* Forces, masses, damping and a start at rest or with a speed of the free nodes. */
static void load(hard_structure *s, uint64_t *r, double k) {
  double mass = hard_log_uniform(r, 1e-2, 1e2),
         speed = hard_pick(r, 3) ? 0 : hard_log_uniform(r, 1e-3, 1);
  s->damping = hard_pick(r, 3) ? 0 : hard_log_uniform(r, 1e-3, 1) * sqrt(mass / k);
  for (int i = 0; i < s->n; i++) {
    s->mass[i] = mass * hard_uniform(r, 0.5, 2);
    s->v0[i] = speed * hard_uniform(r, -1, 1);
  }
  s->f[s->n - 1] = hard_log_uniform(r, 1e-3, 1e3);
  for (int e = 0; e < s->B.ptr[s->nc]; e++) s->v0[s->B.col[e]] = 0;
}

bool hard_structure_make(hard_structure *s, uint64_t seed, int index) {
  uint64_t state = seed + 0x9fb21c651e98df25u * (uint64_t)(index + 1), *r = &state;
  grid g = draw_grid(r);
  double k = hard_log_uniform(r, 1e2, 1e12);
  bool constrained = hard_pick(r, 4) != 0;
  *s = (hard_structure){.n = BLOCK * nodes(&g)};
  size_t n = (size_t)s->n;
  s->mass = calloc(n, sizeof(double));
  s->f = calloc(n, sizeof(double));
  s->q0 = calloc(n, sizeof(double));
  s->v0 = calloc(n, sizeof(double));
  s->K = matrix(s->n, s->n, s->n * BLOCK * (NEIGHBOURS + 1));
  s->M = matrix(s->n, s->n, s->n);
  s->B = matrix(s->n, s->n, 2 * s->n);
  if (!s->mass || !s->f || !s->q0 || !s->v0 || !s->K.ptr || !s->K.col || !s->K.val || !s->M.ptr ||
      !s->M.col || !s->M.val || !s->B.ptr || !s->B.col || !s->B.val) {
    hard_structure_free(s);
    return false;
  }
  settings(s, r);
  for (int i = 0; i < s->n; i++) s->M.ptr[i + 1] = (s->M.col[i] = i) + 1;
  assemble(s, &g, k, !constrained);
  if (constrained) constrain(s, &g, r);
  s->B.nrow = s->nc;
  load(s, r, k);
  snprintf(s->name, sizeof s->name, "%d x %d x %d, %d rows, k %.3g", g.size[0], g.size[1],
           g.size[2], s->nc, k);
  return true;
}

static void free_matrix(ga_csr *A) {
  free(A->ptr);
  free(A->col);
  free(A->val);
}

void hard_structure_free(hard_structure *s) {
  free_matrix(&s->K);
  free_matrix(&s->M);
  free_matrix(&s->B);
  free(s->mass);
  free(s->f);
  free(s->q0);
  free(s->v0);
  *s = (hard_structure){0};
}
