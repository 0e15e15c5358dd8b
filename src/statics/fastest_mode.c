/* SPDX-License-Identifier: MIT */
/* The fastest motion about a state of a large model, by Arnoldi's iteration.
 *
 * The linearization of linearization.c about the given state, with rotations varied in space axes,
 * for eta = P y and u = P y':
 *
 *     [ M   G^T   H^T ] [ P y'' ]     [ M (S u - Omega~ u + S' eta) + C (u + S eta) + K eta ]
 *     [ G   -e D   0  ] [ dlam  ] = - [ 0                                                   ]
 *     [ H    0   -e D ] [ dpsi  ]     [ H S u + Y u                                         ]
 *
 * This is a linear system of first order in (eta, u). One application of it is one solve with
 * existing factors. A few applications span a Krylov space in which the eigenvalues of largest
 * modulus are found to a few digits, without a basis of the tangent space of the constraints. eta
 * is multiplied by a frequency sigma, so that eta and u of a vibration have the same size. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "lie/lie.h"
#include "statics/linearization.h"

enum { STEPS = 40 }; /* most vectors of the Krylov space */

typedef struct arnoldi {
  ga_static_system s; /* M, C, K, G, H and the factors of the matrix above */
  const ga_space *space;
  const double *v; /* velocities of the state, borrowed */
  ga_csr Y;        /* derivative of H v by the configuration */
  int n, steps;    /* velocities; vectors that are sought */
  double sigma;    /* factor of eta in the vectors, rad/s */
  double size;     /* length of the largest vector A x */
  double slow;     /* lower frequencies are rounding errors of zero */
  /* v' and multipliers at the state; scratch: see add_motion */
  double *vd, *lam, *psi, *eta, *dv, *Su, *extra;
  double *basis; /* steps + 1 vectors (sigma eta, u) in units of the masses, one after the other */
  double *hessenberg; /* by columns */
} arnoldi;

/* allocates all arrays of a, for a->n and a->steps, in the arena of a->s; false without memory */
static bool allocate_arrays(arnoldi *a) {
  ga_arena *arena = &a->s.arena;
  const size_t n = (size_t)a->n, steps = (size_t)a->steps;
  a->vd = ga_arena_doubles(arena, n);
  a->lam = ga_arena_doubles(arena, (size_t)a->s.nlam + 1);
  a->psi = ga_arena_doubles(arena, (size_t)a->s.npsi + 1);
  a->eta = ga_arena_doubles(arena, n);
  a->dv = ga_arena_doubles(arena, n);
  a->Su = ga_arena_doubles(arena, n);
  a->extra = ga_arena_doubles(arena, n);
  a->basis = ga_arena_doubles(arena, 2 * n * (steps + 1));
  a->hessenberg = ga_arena_doubles(arena, (steps + 1) * (steps + 1));
  ga_csr_init(&a->Y, a->s.npsi, a->n, a->s.model->pat_H, arena);
  return !arena->failed;
}

/* sqrt(x^T W x) */
static double mass_norm(const arnoldi *a, const double *x) {
  double sum = 0;
  for (int i = 0; i < a->n; i++) sum += a->s.W.val[i] * x[i] * x[i];
  return sqrt(sum);
}

/* Sets a->slow, the frequency below which an eigenvalue is a rounding error. |F/m| over the size of
 * the bodies is a squared frequency, such as g/l of a pendulum; rounding errors look like 1e-8 of
 * its root, a->slow is 1e-6 of it. Needs W; overwrites eta and dv. */
static ga_status set_slow(arnoldi *a, double t, const double *q) {
  double *F = a->eta, *unit = a->dv;
  const ga_status status = ga_eval_force(&a->s.eval, t, q, a->v, F);
  for (int i = 0; i < a->n; i++) F[i] /= a->s.W.val[i];
  ga_static_system_units(a->s.model, q, NULL, unit);
  a->slow = 1e-6 * sqrt(mass_norm(a, F) / mass_norm(a, unit));
  return status;
}

/* Sets W, M, C, K, G, H, Y, v', lam, psi and slow at the state (t, q, a->v), and the factors of the
 * saddle-point matrix of M, G, H. */
static ga_status evaluate_matrices(arnoldi *a, double t, const double *q) {
  ga_static_system *s = &a->s;
  ga_status status = ga_static_system_set_weights(s, t, q, NULL);
  if (status == GA_OK) status = set_slow(a, t, q);
  if (status == GA_OK) status = ga_eval_Y(&s->eval, t, q, a->v, &a->Y);
  if (status == GA_OK) status = ga_static_system_accelerate(s, t, q, a->v, a->vd, a->lam, a->psi);
  if (status != GA_OK) return status;
  const ga_eval_point at = {t, q, a->v, a->vd, a->lam, a->psi};
  return ga_eval_tangents(&s->eval, &at, &s->K, &s->C);
}

/* Adds the terms of one rotation, at v[at], to dv = u + S eta, S u and extra = S u - Omega~ u + S'
 * eta, three numbers at `at` each. S: see the head of linearization.c. shift: where the rotation's
 * displacement begins in v (SE(3)), whose entries get their terms, too; -1: none. */
static void add_motion_of(arnoldi *a, const double *eta, const double *u, int at, int shift) {
  const double *Omega = a->v + at;
  double turned[3];
  ga_cross3(Omega, u + at, turned);
  ga_axpy(3, -1, turned, a->extra + at);
  if (shift < 0) return;
  const double *speed = a->v + shift;
  double term[3];
  ga_cross3(speed, eta + at, term);
  ga_axpy(3, 1, term, a->dv + shift);
  ga_cross3(speed, u + at, a->Su + shift);
  ga_axpy(3, 1, a->Su + shift, a->extra + shift);
  ga_cross3(Omega, u + shift, term);
  ga_axpy(3, -1, term, a->extra + shift);
  ga_cross3(a->vd + shift, eta + at, term);
  ga_axpy(3, 1, term, a->extra + shift);
  ga_cross3(Omega, eta + at, turned);
  ga_cross3(speed, turned, term);
  ga_axpy(3, -1, term, a->extra + shift);
}

/* Sets dv = u + S eta, Su = S u and extra = S u - Omega~ u + S' eta of a (n numbers each), for all
 * rotations. Needs a->v and a->vd. */
static void add_motion(arnoldi *a, const double *eta, const double *u) {
  const size_t bytes = (size_t)a->n * sizeof(double);
  memset(a->Su, 0, bytes);
  memset(a->extra, 0, bytes);
  memcpy(a->dv, u, bytes);
  for (int f = 0; f < a->space->nfactor; f++) {
    const ga_factor *factor = &a->space->factor[f];
    for (int i = 0; i < factor->n; i++) {
      const int at = factor->v_at + i * factor->group->nv;
      /* the rotation's place, that of its displacement */
      if (factor->group == &ga_group_so3) add_motion_of(a, eta, u, at, -1);
      if (factor->group == &ga_group_se3) add_motion_of(a, eta, u, at + 3, at);
    }
  }
}

/* s->rhs = (P y'', dlam, dpsi) for eta and u; needs the matrices and factors. Overwrites dv, Su and
 * extra of a. */
static ga_status solve_acceleration(arnoldi *a, const double *eta, const double *u) {
  ga_static_system *s = &a->s;
  double *rhs = s->rhs;
  memset(rhs, 0, (size_t)s->n * sizeof(double));
  add_motion(a, eta, u);
  ga_csr_mul_add(&s->M, -1, a->extra, rhs);
  ga_csr_mul_add(&s->C, -1, a->dv, rhs);
  ga_csr_mul_add(&s->K, -1, eta, rhs);
  if (s->npsi) {
    ga_csr_mul_add(&s->H, -1, a->Su, rhs + a->n + s->nlam);
    ga_csr_mul_add(&a->Y, -1, u, rhs + a->n + s->nlam);
  }
  return ga_static_system_solve(s, 0);
}

/* x = pseudo-random vector (n numbers) with G x = 0, H x = 0; *seed is advanced. Needs the factors;
 * overwrites s->rhs. */
static ga_status random_vector(arnoldi *a, uint64_t *seed, double *x) {
  ga_static_system *s = &a->s;
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  for (int i = 0; i < a->n; i++) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    s->rhs[i] = ((double)(*seed >> 11) * 0x1p-53 - 0.5) * sqrt(s->W.val[i]);
  }
  const ga_status status = ga_static_system_solve(s, 0);
  memcpy(x, s->rhs, (size_t)a->n * sizeof(double));
  return status;
}

/* Sets the first vector (eta, u) of the basis, and sigma = the frequency at which a random
 * displacement oscillates. The vector is in plain units: span_space applies the factor sqrt(W).
 * Needs the factors and slow; overwrites a->eta. */
static ga_status choose_first_vector(arnoldi *a) {
  uint64_t seed = 1;
  double *x = a->basis;
  ga_status status = random_vector(a, &seed, x);
  if (status == GA_OK) status = random_vector(a, &seed, x + a->n);
  if (status != GA_OK) return status;
  memcpy(a->eta, x, (size_t)a->n * sizeof(double));
  memset(x, 0, (size_t)a->n * sizeof(double));
  status = solve_acceleration(a, a->eta, x);
  memcpy(x, a->eta, (size_t)a->n * sizeof(double));
  const double stiff = mass_norm(a, a->s.rhs), size = mass_norm(a, x);
  a->sigma = fmax(size > 0 ? sqrt(stiff / size) : 0, a->slow);
  if (!(a->sigma > 0)) a->sigma = 1;
  return status;
}

/* y = A x, where A is the system of first order and x, y = (sigma eta, u), 2 n numbers, times
 * sqrt(W). Overwrites a->eta and what solve_acceleration does. */
static ga_status apply_system(arnoldi *a, const double *x, double *y) {
  const double *W = a->s.W.val;
  const int n = a->n;
  for (int i = 0; i < n; i++) {
    a->eta[i] = x[i] / (a->sigma * sqrt(W[i]));
    y[i] = x[n + i] / sqrt(W[i]);
  }
  const ga_status status = solve_acceleration(a, a->eta, y);
  for (int i = 0; i < n; i++) {
    y[i] = a->sigma * x[n + i];
    y[n + i] = a->s.rhs[i] * sqrt(W[i]);
  }
  return status;
}

/* x.y */
static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Makes y (2 n numbers) orthogonal to the first `count` vectors of the basis, which are orthonormal
 * (twice, because of rounding), and of length 1; adds the projections to column count - 1 of the
 * Hessenberg matrix (zero before) and updates a->size. Returns the length that was left; 0, and y
 * not scaled, if only rounding errors were left. */
static double orthogonalize(arnoldi *a, int count, double *y) {
  const int n = 2 * a->n, columns = a->steps + 1;
  a->size = fmax(a->size, sqrt(dot(n, y, y)));
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < count; k++) {
      const double *b = a->basis + (size_t)k * (size_t)n, projection = dot(n, b, y);
      ga_axpy(n, -projection, b, y);
      a->hessenberg[(count - 1) * columns + k] += projection;
    }
  }
  const double left = sqrt(dot(n, y, y));
  if (!(left > 1e-11 * a->size)) return 0;
  for (int i = 0; i < n; i++) y[i] /= left;
  return left;
}

/* Arnoldi's iteration: fills basis and hessenberg (zero before), beginning with the vector of
 * choose_first_vector, which is scaled; *count: the dimension of the Krylov space, 0 if that vector
 * is zero */
static ga_status span_space(arnoldi *a, int *count) {
  const int n = 2 * a->n, columns = a->steps + 1;
  double *x = a->basis;
  for (int i = 0; i < n; i++) x[i] *= sqrt(a->s.W.val[i % a->n]);
  const double size = sqrt(dot(n, x, x));
  *count = 0;
  if (!(size > 0)) return GA_OK;
  for (int i = 0; i < n; i++) x[i] /= size;
  for (int k = 1; k <= a->steps; k++, x += n) {
    const ga_status status = apply_system(a, x, x + n);
    if (status != GA_OK) return status;
    const double left = orthogonalize(a, k, x + n);
    *count = k;
    if (left == 0) break;
    a->hessenberg[(k - 1) * columns + k] = left;
  }
  return GA_OK;
}

/* *fastest = largest modulus of the eigenvalues of the Hessenberg matrix (count x count), 0 if
 * it is only a rounding error. Takes scratch from the arena of a->s. */
static ga_status largest_eigenvalue(arnoldi *a, int count, double *fastest, ga_error *err) {
  ga_arena *arena = &a->s.arena;
  const size_t n = (size_t)count;
  double *A = ga_arena_doubles(arena, n * n + 1), *vectors = ga_arena_doubles(arena, n * n + 1);
  double *re = ga_arena_doubles(arena, n + 1), *im = ga_arena_doubles(arena, n + 1);
  if (arena->failed) return ga_fail(err, GA_ERR_MEM, "no memory for frequencies");
  for (size_t j = 0; j < n; j++) {
    memcpy(A + j * n, a->hessenberg + j * (size_t)(a->steps + 1), n * sizeof(double));
  }
  *fastest = 0;
  if (count == 0) return GA_OK;
  const ga_status status = ga_lapack_eigen_general(count, A, NULL, re, im, vectors, arena, err);
  for (int i = 0; status == GA_OK && i < count; i++) *fastest = fmax(*fastest, hypot(re[i], im[i]));
  if (*fastest < fmax(a->slow, 1e-6 * a->sigma)) *fastest = 0;
  return status;
}

/* *fastest = largest modulus (rad/s) of the eigenvalues of the model linearized at (t, q, v), to a
 * few digits; 0 if nothing moves; not set on failure */
ga_status ga_fastest_mode(const ga_model *model, double t, const double *q, const double *v,
                          double *fastest, ga_error *err) {
  arnoldi a = {.space = model->space, .v = v};
  int count = 0;
  ga_status status = ga_static_system_open(&a.s, model, /* K and M: */ true, err);
  if (status == GA_OK) {
    a.n = a.s.nv;
    a.steps = 2 * a.n < STEPS ? 2 * a.n : STEPS;
    if (!allocate_arrays(&a)) status = ga_fail(err, GA_ERR_MEM, "no memory for frequencies");
  }
  if (status == GA_OK) status = evaluate_matrices(&a, t, q);
  if (status == GA_OK) status = choose_first_vector(&a);
  if (status == GA_OK) status = span_space(&a, &count);
  if (status == GA_OK) status = largest_eigenvalue(&a, count, fastest, err);
  ga_static_system_close(&a.s);
  return status;
}
