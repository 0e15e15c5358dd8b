/* SPDX-License-Identifier: MIT */
/* Cone problem of a large island, with a sparse A.
 *
 * In a pile there are more rows than velocities: A is singular, and forces are not unique. All contacts
 * get the compliance COMPLIANCE of the least A_ii, A + c I in place of A: equal compliances that are
 * too small to be seen make forces unique and the equations of statuses regular.
 *
 * At first all contacts stick. Newton's iteration solves the equations of their statuses,
 *
 *     open   r = 0
 *     stick  u = 0
 *     slip   u_N = 0,  r_T + mu r_N u_T/|u_T| = 0,
 *
 * with a sparse matrix; statuses that do not fit are changed, as in cone_sets.c. If that does not end,
 * Gauss-Seidel sweeps come near to the solution, twice as many each time. Statuses are read from r then,
 * and solved for; else a misfit of COARSE is accepted, or more sweeps follow. */
#include <math.h>
#include <string.h>

#include "contact/cone.h"
#include "linsol/registry.h"

static const double COMPLIANCE = 1e-10;
static const double COARSE = 1e-6; /* misfit of a solution that is not polished */
static const double NEAR = 1e-5;   /* misfit from which Newton's iteration is tried */
enum { FIRST = 20, MOST = 20000, LISTS = 6, ITERATIONS = 8 };

/* The matrix of Newton's iteration, with the pattern of A. */
typedef struct {
  ga_linsol ls;
  bool open;
  ga_csr J;
  double *F, *kept, *next;
} newton;

static bool open_newton(const ga_island *s, newton *w) {
  ga_error err;
  const size_t m = (size_t)s->m;
  w->F = ga_arena_doubles(s->arena, m);
  w->kept = ga_arena_doubles(s->arena, m);
  w->next = ga_arena_doubles(s->arena, m);
  if (s->arena->failed || ga_csr_init(&w->J, s->m, s->m, &s->S, s->arena) != GA_OK) return false;
  w->open = ga_linsol_open_as(&w->ls, &ga_linsol_klu, NULL, &w->J, &err) == GA_OK;
  return w->open;
}

/* Row i of J += factor times row `from` of A, of the same block. Entries that row i has not are zero but
 * for rounding. */
static void add_row(const ga_island *s, newton *w, int i, int from, double factor) {
  const ga_csr *A = &s->S;
  int e = A->ptr[i];
  for (int f = A->ptr[from]; f < A->ptr[from + 1]; f++) {
    while (e < A->ptr[i + 1] && A->col[e] < A->col[f]) e++;
    if (e < A->ptr[i + 1] && A->col[e] == A->col[f]) w->J.val[e] += factor * A->val[f];
  }
}

/* J and F = -residual at r, u. Rows of a block have the same pattern. held: slip along d. */
static double set_equations(const ga_island *s, newton *w, bool held) {
  double size = 0;
  ga_csr_zero(&w->J);
  for (int b = 0; b < s->n; b++) {
    const int at = s->at[b], nt = s->nt[b], status = s->status[b];
    for (int k = 0; k <= nt; k++) {
      const int i = at + k;
      double *diagonal = &w->J.val[ga_csr_find(&w->J, i, i)];
      if (status == GA_CONE_OPEN) {
        *diagonal = 1;
        w->F[i] = -s->r[i];
      } else if (k == 0 || status == GA_CONE_STICK) {
        add_row(s, w, i, i, 1);
        w->F[i] = -s->u[i];
      }
    }
    if (status != GA_CONE_SLIP || nt == 0) continue;
    const double *u = s->u + at + 1, mu = s->mu[b], rn = s->r[at];
    const double speed = nt == 2 ? hypot(u[0], u[1]) : 0;
    const bool turning = nt == 2 && !held && speed > 0;
    double t[2] = {s->d[b][0], s->d[b][1]};
    for (int k = 0; turning && k < 2; k++) t[k] = u[k] / speed;
    for (int k = 0; k < nt; k++) {
      const int i = at + 1 + k;
      if (turning) {
        const double by = mu * fmax(rn, 0) / speed;
        for (int l = 0; l < 2; l++) add_row(s, w, i, at + 1 + l, by * ((k == l) - t[k] * t[l]));
      }
      w->J.val[ga_csr_find(&w->J, i, at)] += mu * t[k];
      w->J.val[ga_csr_find(&w->J, i, i)] += 1;
      w->F[i] = -(s->r[i] + mu * rn * t[k]);
    }
  }
  for (int i = 0; i < s->m; i++) size = fmax(size, fabs(w->F[i]));
  return size;
}

/* Newton's iteration for the present statuses, from r. */
static bool iterate(ga_island *s, newton *w) {
  double before = INFINITY;
  for (int k = 0; k < ITERATIONS; k++) {
    ga_island_velocities(s, s->r, s->u);
    const double size = set_equations(s, w, k == 0);
    if (k > 1 && (size <= 1e-12 || (size <= 1e-10 && size > before / 2))) return true;
    before = size;
    if (w->ls.ops->factor(&w->ls, &w->J) != GA_OK) return false;
    if (w->ls.ops->solve(&w->ls, w->F) != GA_OK) return false;
    if (ga_first_nonfinite(s->m, w->F) >= 0) return false;
    for (int i = 0; i < s->m; i++) s->r[i] += w->F[i];
  }
  ga_island_velocities(s, s->r, s->u);
  return set_equations(s, w, false) <= 1e-9;
}

/* Statuses from r, or stick for all, then their equations and changes; r is as before if that fails. */
static bool polish(ga_island *s, newton *w, bool stick) {
  unsigned long seen[LISTS];
  memcpy(w->kept, s->r, (size_t)s->m * sizeof(double));
  ga_island_velocities(s, s->r, s->u);
  ga_island_read_statuses(s);
  for (int i = 0; i < s->n && stick; i++) s->status[i] = GA_CONE_STICK;
  for (int list = 0; list < LISTS; list++) {
    seen[list] = ga_island_list_number(s);
    bool again = false;
    for (int k = 0; k < list; k++) again |= seen[k] == seen[list];
    if (again) break;
    s->lists++;
    const bool solved = iterate(s, w);
    if (ga_first_nonfinite(s->m, s->r) >= 0) break;
    if (solved && ga_island_holds(s, 1e-9, 1e-11)) return true;
    if (!ga_island_change_statuses(s)) break;
  }
  memcpy(s->r, w->kept, (size_t)s->m * sizeof(double));
  ga_island_velocities(s, s->r, s->u);
  return false;
}

bool ga_island_large(ga_island *s, bool *coarse) {
  newton w = {.open = false};
  bool solved = false;
  *coarse = false;
  for (int i = 0; i < s->m; i++) s->S.val[ga_csr_find(&s->S, i, i)] += COMPLIANCE;
  memset(s->r, 0, (size_t)s->m * sizeof(double));
  if (!open_newton(s, &w)) return false;
  ga_island_measure(s);
  long sweeps = 0;
  solved = polish(s, &w, true);
  for (long next = FIRST; !solved && sweeps < MOST; next *= 2) {
    double moved = 1;
    for (; sweeps < next && moved > 1e-13 && isfinite(moved); sweeps++) {
      moved = ga_island_sweep(s, sweeps > MOST / 4 ? 0.3 : 1);
    }
    if (!isfinite(moved)) break;
    ga_island_velocities(s, s->r, s->u);
    const double misfit = ga_island_misfit(s);
    const bool last = 2 * next >= MOST || moved <= 1e-13;
    solved = (misfit <= NEAR || last) && polish(s, &w, false);
    if (solved) break;
    *coarse = solved = misfit <= COARSE;
    if (*coarse) ga_island_read_statuses(s);
    if (moved <= 1e-13) break;
  }
  s->sweeps += sweeps;
  if (w.open) ga_linsol_close(&w.ls);
  return solved;
}
