/* SPDX-License-Identifier: MIT */
/* Cone problem of an island by active sets.
 *
 * Each block has a status. Its equations are
 *
 *     open   r = 0
 *     stick  u_N = 0, u_T = 0
 *     slip   u_N = 0, r_T + mu r_N u_T/|u_T| = 0
 *
 * and n^T r_N = 0 for each dependency n of the closed normals: contacts of equal, vanishing compliance.
 * Newton's iteration with solutions of least norm solves them. Then all statuses that do not fit are
 * changed at once, until none changes. A list of statuses that comes back ends the attempt. */
#include <math.h>
#include <string.h>

#include "contact/cone.h"

void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, int *jpvt, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

static const double SIGN = 1e-11;  /* of scaled forces and velocities that have the wrong sign */
static const double EQUAL = 1e-9;  /* of equations that hold */
static const double RANK = 1e-10;  /* of A_ii: what is left of a dependent normal */
static const double RCOND = 1e-11; /* of singular values of the equations that are zero */
enum { ITERATIONS = 40, LISTS = 60 };

/* u = A r + b */
void ga_island_velocities(const ga_island *s, const double *r, double *u) {
  if (s->large) {
    memcpy(u, s->b, (size_t)s->m * sizeof(double));
    ga_csr_mul_add(&s->S, 1, r, u);
    return;
  }
  for (int i = 0; i < s->m; i++) {
    double sum = s->b[i];
    const double *row = s->A + (size_t)i * (size_t)s->m;
    for (int j = 0; j < s->m; j++) sum += row[j] * r[j];
    u[i] = sum;
  }
}

/* Cholesky with diagonal pivots; rows that are left with RANK of their diagonal depend on the others.
 * N[p, p] n = -N[p, d] for each dependent row d, p the pivots. */
int ga_cone_dependencies(const double *N, int size, int count, int before, const int *of,
                         double *basis, double *work, int *which) {
  int rank = 0;
  int order[1 + count];
  for (int i = 0; i < count; i++) {
    order[i] = i;
    for (int j = 0; j < count; j++) work[i * count + j] = N[of[i] * size + of[j]];
  }
  double left[1 + count], whole[1 + count]; /* diagonals: what is left, and as they were */
  for (int i = 0; i < count; i++) left[i] = whole[i] = work[i * count + i];
  double *L = basis; /* rows of the factor, in the order of the pivots, until the end */
  memset(L, 0, (size_t)count * (size_t)count * sizeof(double));
  for (; rank < count; rank++) {
    int best = -1;
    for (int i = rank; i < count; i++) { /* the largest fraction left, first of the rows `before` */
      const int a = order[i], c = best < 0 ? a : order[best];
      if (!(left[a] > RANK * whole[a])) continue;
      const bool later = a >= before && c < before, sooner = a < before && c >= before;
      if (best < 0 || sooner || (!later && left[a] * whole[c] > left[c] * whole[a])) best = i;
    }
    if (best < 0) break;
    int p = order[best];
    order[best] = order[rank], order[rank] = p;
    double pivot = sqrt(left[p]);
    L[p * count + rank] = pivot;
    for (int i = rank + 1; i < count; i++) {
      int a = order[i];
      double sum = work[a * count + p];
      for (int k = 0; k < rank; k++) sum -= L[a * count + k] * L[p * count + k];
      L[a * count + rank] = sum / pivot;
      left[a] -= L[a * count + rank] * L[a * count + rank];
    }
  }
  int found = count - rank;
  /* L_p^T x = L_d^T by back substitution: row d is sum x_k row p_k */
  for (int d = 0; d < found; d++) {
    double *x = work + d * count;
    const double *row = L + order[rank + d] * count;
    double full[1 + count];
    for (int k = rank - 1; k >= 0; k--) {
      double sum = row[k];
      for (int j = k + 1; j < rank; j++) sum -= L[order[j] * count + k] * full[j];
      full[k] = sum / L[order[k] * count + k];
    }
    memset(x, 0, (size_t)count * sizeof(double));
    for (int k = 0; k < rank; k++) x[order[k]] = -full[k];
    x[order[rank + d]] = 1;
    which[d] = order[rank + d];
  }
  memcpy(basis, work, (size_t)found * (size_t)count * sizeof(double));
  return found;
}

/* The linear equations of one iteration: rows x m by columns, right-hand side. */
typedef struct {
  int rows, room;
  double *J, *F;
  int *pivots;
  double *work;
  int nwork;
  double *basis, *square; /* dependencies of normals, n x n each */
  int *closed, *which;    /* n: blocks that are closed; that depend on others */
} equations;

/* Entry of J. */
static double *entry(const equations *q, int row, int col) {
  return &q->J[(size_t)col * (size_t)q->room + (size_t)row];
}

/* Equation `row`: u_i = 0. */
static void set_velocity(const ga_island *s, equations *q, int row, int i) {
  for (int j = 0; j < s->m; j++) *entry(q, row, j) = s->A[i * s->m + j];
  q->F[row] = -s->u[i];
}

/* Equations of tangential rows of a slipping block; `held`: along the given direction d. */
static void set_slip(const ga_island *s, equations *q, int block, bool held) {
  const int at = s->at[block], nt = s->nt[block];
  const double *u = s->u + at + 1, mu = s->mu[block], rn = s->r[at];
  double size = nt == 2 ? hypot(u[0], u[1]) : 0, t[2] = {s->d[block][0], s->d[block][1]};
  bool turning = nt == 2 && !held && size > 0;
  for (int k = 0; turning && k < 2; k++) t[k] = u[k] / size;
  for (int k = 0; k < nt; k++) {
    const int row = at + 1 + k;
    *entry(q, row, at) = mu * t[k];
    *entry(q, row, row) += 1;
    for (int j = 0; turning && j < s->m; j++) {
      double along = 0;
      for (int l = 0; l < 2; l++) along += t[l] * s->A[(at + 1 + l) * s->m + j];
      *entry(q, row, j) += mu * rn / size * (s->A[row * s->m + j] - t[k] * along);
    }
    q->F[row] = -(s->r[row] + mu * rn * t[k]);
  }
}

/* All equations at r, u. */
static void set_equations(const ga_island *s, equations *q, int ndependent, int nclosed,
                          bool held) {
  memset(q->J, 0, (size_t)q->room * (size_t)s->m * sizeof(double));
  memset(q->F, 0, (size_t)q->room * sizeof(double));
  for (int i = 0; i < s->n; i++) {
    const int at = s->at[i];
    if (s->status[i] == GA_CONE_OPEN) {
      for (int k = 0; k <= s->nt[i]; k++)
        *entry(q, at + k, at + k) = 1, q->F[at + k] = -s->r[at + k];
      continue;
    }
    set_velocity(s, q, at, at);
    if (s->status[i] == GA_CONE_SLIP) {
      set_slip(s, q, i, held);
    } else {
      for (int k = 1; k <= s->nt[i]; k++) set_velocity(s, q, at + k, at + k);
    }
  }
  q->rows = s->m + ndependent;
  for (int d = 0; d < ndependent; d++) {
    const double *n = q->basis + d * nclosed;
    for (int j = 0; j < nclosed; j++) {
      *entry(q, s->m + d, s->at[q->closed[j]]) = n[j];
      q->F[s->m + d] -= n[j] * s->r[s->at[q->closed[j]]];
    }
  }
}

/* Largest |F|. */
static double size_of(const equations *q) {
  double largest = 0;
  for (int i = 0; i < q->rows; i++) largest = fmax(largest, fabs(q->F[i]));
  return largest;
}

/* Work arrays of the island's equations. */
static bool prepare(ga_island *s, equations *q) {
  q->room = s->m + s->n;
  q->nwork = 8 * q->room + 64 * (s->m + 1) + 4 * s->m;
  size_t m = (size_t)s->m, n = (size_t)s->n;
  q->J = ga_arena_doubles(s->arena, (size_t)q->room * m);
  q->F = ga_arena_doubles(s->arena, (size_t)q->room);
  q->work = ga_arena_doubles(s->arena, (size_t)q->nwork);
  q->basis = ga_arena_doubles(s->arena, n * n);
  q->square = ga_arena_doubles(s->arena, n * n);
  q->pivots = ga_arena_ints(s->arena, m);
  q->closed = ga_arena_ints(s->arena, n);
  q->which = ga_arena_ints(s->arena, n);
  return !s->arena->failed;
}

/* Newton's iteration for the equations of the statuses; the first one with held directions if
 * `begin`; split: with n^T r_N = 0, else next to r. */
static bool iterate(ga_island *s, equations *q, bool begin, bool split) {
  int nclosed = 0;
  bool turning = false;
  for (int i = 0; i < s->n; i++) {
    if (s->status[i] != GA_CONE_OPEN) q->closed[nclosed++] = i;
    turning |= s->status[i] == GA_CONE_SLIP && s->nt[i] == 2;
  }
  int ndependent = 0;
  if (split) {
    ndependent = ga_cone_dependencies(s->normal, s->n, nclosed, nclosed, q->closed, q->basis,
                                      q->square, q->which);
  }
  ga_island_velocities(s, s->r, s->u);
  for (int k = 0; k < ITERATIONS; k++) {
    const int one = 1;
    int rank, info;
    double rcond = RCOND;
    set_equations(s, q, ndependent, nclosed, begin && k == 0);
    if (k > (turning ? 1 : 0) && size_of(q) <= 1e-13) return true;
    memset(q->pivots, 0, (size_t)s->m * sizeof(int));
    dgelsy_(&q->rows, &s->m, &one, q->J, &q->room, q->F, &q->room, q->pivots, &rcond, &rank,
            q->work, &q->nwork, &info);
    double change = 0;
    for (int i = 0; i < s->m; i++) {
      s->r[i] += q->F[i];
      change = fmax(change, fabs(q->F[i]) / fmax(1, fabs(s->r[i])));
      if (!isfinite(s->r[i])) return false;
    }
    ga_island_velocities(s, s->r, s->u);
    if (k > (turning ? 1 : 0) && change <= 1e-14) break;
  }
  set_equations(s, q, ndependent, nclosed, false);
  return size_of(q) <= EQUAL;
}

/* The equations of the present statuses from the present r. */
bool ga_island_equations(ga_island *s, bool split) {
  equations q;
  return prepare(s, &q) && iterate(s, &q, false, split);
}

/* Does block i satisfy its laws? */
static bool block_holds(const ga_island *s, int i, double equal, double sign) {
  const double *r = s->r + s->at[i], *u = s->u + s->at[i];
  const int nt = s->nt[i];
  const double rt = nt == 0 ? 0 : nt == 1 ? fabs(r[1]) : hypot(r[1], r[2]);
  const double ut = nt == 0 ? 0 : nt == 1 ? fabs(u[1]) : hypot(u[1], u[2]);
  const double along = nt == 0 ? 0 : r[1] * u[1] + (nt == 2 ? r[2] * u[2] : 0);
  if (!(r[0] >= -sign && u[0] >= -fmax(sign, equal) && fmin(fabs(r[0]), fabs(u[0])) <= equal)) {
    return false;
  }
  if (r[0] <= equal && rt <= equal) return true;
  if (!(rt <= s->mu[i] * r[0] + fmax(sign, equal * fmax(1, rt)))) return false;
  return ut <= equal || along <= -ut * (s->mu[i] * r[0] - equal * fmax(1, rt));
}

/* Do all blocks? */
bool ga_island_holds(const ga_island *s, double equal, double sign) {
  for (int i = 0; i < s->n; i++) {
    if (!block_holds(s, i, equal, sign)) return false;
  }
  return true;
}

/* Change all statuses that do not fit; true if one has changed. */
bool ga_island_change_statuses(ga_island *s) {
  bool changed = false;
  for (int i = 0; i < s->n; i++) {
    const double *r = s->r + s->at[i], *u = s->u + s->at[i];
    const int nt = s->nt[i], old = s->status[i];
    const double rt = nt == 0 ? 0 : nt == 1 ? fabs(r[1]) : hypot(r[1], r[2]);
    int now = old;
    if (old != GA_CONE_OPEN && r[0] < -SIGN) {
      now = GA_CONE_OPEN;
    } else if (old == GA_CONE_OPEN && u[0] < -SIGN) {
      now = GA_CONE_STICK;
    } else if (old == GA_CONE_STICK && rt > s->mu[i] * r[0] + SIGN && rt > 0) {
      now = GA_CONE_SLIP;
      for (int k = 0; k < nt; k++) s->d[i][k] = -r[1 + k] / rt;
    } else if (old == GA_CONE_SLIP && nt > 0 && r[1] * u[1] + (nt == 2 ? r[2] * u[2] : 0) > SIGN) {
      now = GA_CONE_STICK;
    }
    if (nt == 0 && now == GA_CONE_SLIP) now = GA_CONE_STICK;
    changed |= now != old;
    s->status[i] = now;
  }
  return changed;
}

/* A number for the present list of statuses. */
unsigned long ga_island_list_number(const ga_island *s) {
  unsigned long number = 1469598103934665603ul;
  for (int i = 0; i < s->n; i++) {
    int sign = s->status[i] == GA_CONE_SLIP && s->nt[i] == 1 && s->d[i][0] < 0;
    number = (number ^ (unsigned long)(s->status[i] + 4 * sign + 1)) * 1099511628211ul;
  }
  return number;
}

/* A block alone that sticks, A r = -b, or opens: most islands. By Gauss's elimination with pivots;
 * false if it slips, or A is nearly singular. */
static bool solve_alone(ga_island *s) {
  const int m = s->m;
  double B[3][4];
  if (s->n != 1 || !(s->A[0] > 0)) return false;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) B[i][j] = s->A[i * m + j];
    B[i][m] = -s->b[i];
  }
  for (int c = 0; c < m; c++) {
    int best = c;
    for (int i = c + 1; i < m; i++) best = fabs(B[i][c]) > fabs(B[best][c]) ? i : best;
    if (!(fabs(B[best][c]) > RANK * fabs(s->A[c * m + c]))) return false;
    for (int j = c; j <= m; j++) {
      const double kept = B[c][j];
      B[c][j] = B[best][j], B[best][j] = kept;
    }
    for (int i = 0; i < m; i++) {
      const double by = i == c ? 0 : B[i][c] / B[c][c];
      for (int j = c; j <= m && i != c; j++) B[i][j] -= by * B[c][j];
    }
  }
  for (int i = 0; i < m; i++) s->r[i] = B[i][m] / B[i][i];
  const double rt = m == 1 ? 0 : m == 2 ? fabs(s->r[1]) : hypot(s->r[1], s->r[2]);
  const bool open = s->r[0] < -SIGN;
  if (!open && rt > s->mu[0] * s->r[0]) return false;
  if (open) memset(s->r, 0, (size_t)m * sizeof(double));
  s->status[0] = open ? GA_CONE_OPEN : GA_CONE_STICK;
  ga_island_velocities(s, s->r, s->u);
  s->lists++;
  return ga_island_holds(s, EQUAL, SIGN);
}

/* Active sets: all closed and sticking at first, but for those with statuses of the caller. */
bool ga_island_sets(ga_island *s) {
  equations q;
  unsigned long seen[LISTS];
  if (solve_alone(s)) return true;
  if (!prepare(s, &q)) return false;
  for (int i = 0; i < s->n; i++) { /* a block that no force closes is open, if it may be */
    const int at = s->at[i];
    const bool lifts = s->A[at * s->m + at] <= 0 && s->b[at] >= 0;
    s->status[i] = lifts ? GA_CONE_OPEN : GA_CONE_STICK;
  }
  memset(s->r, 0, (size_t)s->m * sizeof(double));
  for (int list = 0; list < LISTS; list++) {
    seen[list] = ga_island_list_number(s);
    for (int k = 0; k < list; k++) {
      if (seen[k] == seen[list]) return false;
    }
    s->lists++;
    bool solved = iterate(s, &q, true, true);
    if (!ga_island_change_statuses(s)) return solved && ga_island_holds(s, EQUAL, SIGN);
    if (ga_first_nonfinite(s->m, s->r) >= 0) return false;
  }
  return false;
}
