/* SPDX-License-Identifier: MIT */
/* Cone problem of an island by iterations.
 *
 * Convex (A symmetric and positive semidefinite; De Saxce; Acary, Cadoux): with s = mu |u_T| added to
 * the normal velocities, r minimises r^T A r/2 + r^T (b + s) over the cones |r_T| <= mu r_N.
 * Accelerated projected gradients, restarted where they turn; then s anew from u.
 *
 * Gauss-Seidel (else): block by block r_N <- max(0, r_N - u_N/A_NN), r_T <- r_T - u_T/|A_TT| cut to the
 * disk mu r_N.
 *
 * Both are polished: statuses are read from r, their equations are solved. */
#include <math.h>
#include <string.h>

#include "contact/cone.h"

static const double OPEN = 1e-8;   /* scaled forces below this are none */
static const double EDGE = 1e-7;   /* friction within this fraction of mu N slips */
static const double COARSE = 1e-6; /* misfit of a solution that is not polished */
enum { ROUNDS = 200, GRADIENTS = 4000, SWEEPS = 20000, RELAXED = 4000, POLISH = 200 };

/* Length of the tangential rows of block i in x. */
static double tangential(const ga_island *s, int i, const double *x) {
  const double *t = x + s->at[i] + 1;
  return s->nt[i] == 0 ? 0 : s->nt[i] == 1 ? fabs(t[0]) : hypot(t[0], t[1]);
}

/* Read the statuses from r, u. */
void ga_island_read_statuses(ga_island *s) {
  for (int i = 0; i < s->n; i++) {
    const int at = s->at[i];
    const double rt = tangential(s, i, s->r);
    s->status[i] = s->r[at] <= OPEN                                         ? GA_CONE_OPEN
                   : s->nt[i] == 0 || rt < s->mu[i] * s->r[at] * (1 - EDGE) ? GA_CONE_STICK
                                                                            : GA_CONE_SLIP;
    for (int k = 0; k < s->nt[i]; k++) s->d[i][k] = rt > 0 ? -s->r[at + 1 + k] / rt : 0;
  }
}

/* First with the split of equal compliances; a solution next to r may have another one. */
bool ga_island_polish(ga_island *s) {
  size_t bytes = (size_t)s->m * sizeof(double);
  double *kept = ga_arena_doubles(s->arena, (size_t)s->m);
  if (!kept) return false;
  memcpy(kept, s->r, bytes);
  for (int way = 0; way < 2; way++) {
    ga_island_velocities(s, s->r, s->u);
    ga_island_read_statuses(s);
    if (ga_island_equations(s, way == 0) && ga_island_holds(s, 1e-9, 1e-11)) return true;
    memcpy(s->r, kept, bytes);
  }
  ga_island_velocities(s, s->r, s->u);
  return false;
}

/* Largest misfit of a block. */
double ga_island_misfit(const ga_island *s) {
  double largest = 0;
  for (int i = 0; i < s->n; i++) {
    const int at = s->at[i];
    const double disk = s->mu[i] * fmax(s->r[at], 0);
    largest = fmax(largest, fabs(fmin(s->r[at], s->u[at])));
    double t[2] = {0, 0}, size = 0;
    for (int k = 0; k < s->nt[i]; k++) {
      t[k] = s->r[at + 1 + k] - s->u[at + 1 + k];
      size = hypot(size, t[k]);
    }
    for (int k = 0; k < s->nt[i]; k++) {
      double cut = size > disk ? t[k] * disk / size : t[k];
      largest = fmax(largest, fabs(cut - s->r[at + 1 + k]));
    }
  }
  return largest;
}

/* Project block i of x onto its cone |x_T| <= mu x_N. */
static void project_cone(const ga_island *s, int i, double *x) {
  double *block = x + s->at[i], mu = s->mu[i];
  const double size = tangential(s, i, x);
  if (s->nt[i] == 0) block[0] = fmax(block[0], 0);
  if (s->nt[i] == 0 || size <= mu * block[0]) return;
  if (mu * size <= -block[0]) {
    block[0] = 0;
    for (int k = 0; k < s->nt[i]; k++) block[1 + k] = 0;
    return;
  }
  const double normal = (block[0] + mu * size) / (1 + mu * mu);
  for (int k = 0; k < s->nt[i]; k++) block[1 + k] *= mu * normal / size;
  block[0] = normal;
}

/* A bound of the largest eigenvalue of A by power iteration, enlarged. */
static double largest_eigenvalue(const ga_island *s, double *x, double *y) {
  double value = 0, trace = 0;
  for (int i = 0; i < s->m; i++) {
    x[i] = 1 + 0.1 * (i % 7);
    trace += s->A[i * s->m + i];
  }
  for (int k = 0; k < 30; k++) {
    double size = 0;
    for (int i = 0; i < s->m; i++) {
      y[i] = 0;
      for (int j = 0; j < s->m; j++) y[i] += s->A[i * s->m + j] * x[j];
      size = fmax(size, fabs(y[i]));
    }
    if (size == 0) break;
    value = size;
    for (int i = 0; i < s->m; i++) x[i] = y[i] / size;
  }
  return fmin(1.1 * value, trace);
}

/* Minimise over the cones for the present shifts (m numbers): s->r. Returns the iterations. */
static long gradients(ga_island *s, const double *shift, double L, double *y, double *next,
                      double *u) {
  double theta = 1;
  memcpy(y, s->r, (size_t)s->m * sizeof(double));
  for (long k = 1; k <= GRADIENTS; k++) {
    double moved = 0, turn = 0;
    ga_island_velocities(s, y, u);
    for (int i = 0; i < s->m; i++) next[i] = y[i] - (u[i] + shift[i]) / L;
    for (int i = 0; i < s->n; i++) project_cone(s, i, next);
    const double faster = (1 + sqrt(1 + 4 * theta * theta)) / 2;
    for (int i = 0; i < s->m; i++) {
      turn += (y[i] - next[i]) * (next[i] - s->r[i]);
      moved = fmax(moved, fabs(next[i] - y[i]));
    }
    const double weight = turn > 0 ? 0 : (theta - 1) / faster;
    theta = turn > 0 ? 1 : faster;
    for (int i = 0; i < s->m; i++) {
      y[i] = next[i] + weight * (next[i] - s->r[i]);
      s->r[i] = next[i];
    }
    if (moved <= 1e-12) return k;
  }
  return GRADIENTS;
}

bool ga_island_forces_are_free(ga_island *s) {
  const size_t m = (size_t)s->m;
  double *basis = ga_arena_doubles(s->arena, m * m), *work = ga_arena_doubles(s->arena, m * m);
  int *of = ga_arena_ints(s->arena, m), *which = ga_arena_ints(s->arena, m);
  if (!s->symmetric) return false;
  for (int i = 0; i < s->m && !s->arena->failed; i++) of[i] = i;
  return !s->arena->failed &&
         ga_cone_dependencies(s->A, s->m, s->m, s->m, of, basis, work, which) > 0;
}

/* Of redundant contacts some forces may hold where those of equal compliances do not: with u = 0
 * the convex problem has no shifts, and its solution is all that is asked for. */
bool ga_island_rest(ga_island *s) {
  size_t m = (size_t)s->m;
  double *shift = ga_arena_doubles(s->arena, m), *y = ga_arena_doubles(s->arena, m);
  double *next = ga_arena_doubles(s->arena, m), *u = ga_arena_doubles(s->arena, m);
  if (s->arena->failed) return false;
  const double L = largest_eigenvalue(s, y, next);
  if (!(L > 0)) return false;
  memset(s->r, 0, m * sizeof(double));
  gradients(s, shift, L, y, next, u);
  for (int i = 0; i < s->n; i++) s->status[i] = GA_CONE_STICK;
  return ga_island_equations(s, false) && ga_island_holds(s, 1e-9, 1e-11); /* false: next to r */
}

bool ga_island_convex(ga_island *s, bool *coarse) {
  size_t m = (size_t)s->m;
  double *shift = ga_arena_doubles(s->arena, m), *y = ga_arena_doubles(s->arena, m);
  double *next = ga_arena_doubles(s->arena, m), *u = ga_arena_doubles(s->arena, m);
  if (s->arena->failed) return false;
  const double L = largest_eigenvalue(s, y, next);
  *coarse = false;
  memset(s->r, 0, m * sizeof(double));
  if (!(L > 0)) return false;
  for (int round = 1; round <= ROUNDS; round++) {
    gradients(s, shift, L, y, next, u);
    s->sweeps++;
    ga_island_velocities(s, s->r, s->u);
    double change = 0;
    for (int i = 0; i < s->n; i++) {
      const double now = s->mu[i] * tangential(s, i, s->u);
      change = fmax(change, fabs(now - shift[s->at[i]]));
      shift[s->at[i]] = now;
    }
    if (ga_island_polish(s)) return true;
    if (round > 3 && change <= 1e-12 && ga_island_misfit(s) <= COARSE) {
      *coarse = true;
      return true;
    }
  }
  return false;
}

/* u_i = (A r + b)_i */
static double velocity(const ga_island *s, int i) {
  double sum = s->b[i];
  if (s->large) {
    for (int e = s->S.ptr[i]; e < s->S.ptr[i + 1]; e++) sum += s->S.val[e] * s->r[s->S.col[e]];
  } else {
    for (int j = 0; j < s->m; j++) sum += s->A[i * s->m + j] * s->r[j];
  }
  return sum;
}

static double entry(const ga_island *s, int i, int j) {
  return s->large ? ga_csr_at(&s->S, i, j) : s->A[i * s->m + j];
}

void ga_island_measure(ga_island *s) {
  for (int i = 0; i < s->n; i++) {
    const int at = s->at[i];
    s->stiff[i][0] = entry(s, at, at);
    s->stiff[i][1] = 0;
    for (int k = 1; k <= s->nt[i]; k++) {
      double row = 0;
      for (int l = 1; l <= s->nt[i]; l++) row += fabs(entry(s, at + k, at + l));
      s->stiff[i][1] = fmax(s->stiff[i][1], row);
    }
  }
}

/* One sweep over the blocks; the largest change of r. */
double ga_island_sweep(ga_island *s, double relax) {
  double moved = 0;
  for (int i = 0; i < s->n; i++) {
    const int at = s->at[i], nt = s->nt[i];
    const double normal = s->stiff[i][0], stiff = s->stiff[i][1];
    double old[3];
    for (int k = 0; k <= nt; k++) {
      s->u[at + k] = velocity(s, at + k);
      old[k] = s->r[at + k];
    }
    if (normal > 0) s->r[at] = fmax(0, old[0] - s->u[at] / normal);
    double size = 0;
    for (int k = 1; k <= nt; k++) {
      s->r[at + k] = old[k] - s->u[at + k] / stiff;
      size = hypot(size, s->r[at + k]);
    }
    const double disk = s->mu[i] * s->r[at];
    for (int k = 1; k <= nt && size > disk; k++) s->r[at + k] *= disk / size;
    for (int k = 0; k <= nt; k++) {
      s->r[at + k] = old[k] + relax * (s->r[at + k] - old[k]);
      moved = fmax(moved, fabs(s->r[at + k] - old[k]));
    }
  }
  return moved;
}

bool ga_island_sweeps(ga_island *s, bool *coarse) {
  *coarse = false;
  memset(s->r, 0, (size_t)s->m * sizeof(double));
  ga_island_measure(s);
  for (int k = 1; k <= SWEEPS; k++) {
    const double moved = ga_island_sweep(s, k > RELAXED ? 0.3 : 1);
    s->sweeps++;
    if (!isfinite(moved)) return false;
    const bool still = moved < 1e-10;
    if ((still || k % POLISH == 0) && ga_island_polish(s)) return true;
    if (still) break;
  }
  ga_island_velocities(s, s->r, s->u);
  *coarse = ga_island_misfit(s) <= COARSE;
  return *coarse;
}
