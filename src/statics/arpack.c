/* SPDX-License-Identifier: MIT */
/* A few modes of a large model at rest, by Lanczos iterations of ARPACK with shift and inversion:
 *
 *     [ K + s M   G^T ] [ y  ]   [ M x ]
 *     [ G        -e D ] [ mu ] = [ 0   ]       y = 1/(omega^2 + s) x for a mode x
 *
 * with a small s > 0, so that directions in which nothing holds the model make nothing singular.
 * Redundant rows are no obstacle: the solution is refined against e = 0. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "statics/linearization.h"

/* number of vectors that the iteration for nev modes keeps */
static int basis_size(int nev) {
  return nev > INT_MAX / 2 - 20 ? INT_MAX : 2 * nev + 20;
}

/* Does the iteration for `room` modes need fewer vectors than the model has velocities? */
bool ga_arpack_fits(int nv, int room) {
  return basis_size(room) < nv;
}

#ifdef GA_HAVE_ARPACK

void dsaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
             int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
             size_t bmat_len, size_t which_len);
void dseupd_(const int *rvec, const char *howmny, int *select, double *d, double *z, const int *ldz,
             const double *sigma, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
             int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
             size_t howmny_len, size_t bmat_len, size_t which_len);

/* The arguments of dsaupd and dseupd, with their names there. v: ncv vectors, then the shapes; d:
 * omega^2; select: mode i is to be reported; found: number of modes in d; shift: s of the head of
 * this file; work: n numbers of scratch. */
typedef struct lanczos {
  ga_static_system s;
  int n, nev, ncv, lworkl, found;
  double shift, *resid, *v, *workd, *workl, *d, *work;
  int *select, iparam[11], ipntr[14];
} lanczos;

/* Opens l->s with the matrices of the linearization, chooses the shift, allocates the arrays of
 * ARPACK (zero) and factors K + s M with the constraints. Sets all members of l (zero before)
 * except found. The caller closes l->s, also on failure. */
static ga_status prepare_lanczos(lanczos *l, const ga_linearization *lin, const ga_modes *modes,
                                 ga_error *err) {
  ga_status status = ga_static_system_open(&l->s, lin->model, /* K and M: */ true, err);
  if (status != GA_OK) return status;
  ga_static_system *s = &l->s;
  const struct {
    const ga_csr *from;
    ga_csr *to;
  } list[] = {{&lin->M, &s->M}, {&lin->K, &s->K}, {&lin->G, &s->G}, {&lin->H, &s->H}};
  for (int k = 0; k < 4; k++) {
    memcpy(list[k].to->val, list[k].from->val, (size_t)ga_csr_nnz(list[k].to) * sizeof(double));
  }
  memcpy(s->W.val, lin->weight, (size_t)s->nv * sizeof(double));
  ga_static_system_set_scales(s);
  double stiff = 0;
  for (int i = 0; i < s->nv; i++) {
    const int e = ga_csr_find(&s->K, i, i);
    if (e >= 0) stiff = fmax(stiff, fabs(s->K.val[e]) / s->W.val[i]);
  }
  l->shift = stiff > 0 ? 1e-6 * stiff : 1;
  l->n = s->nv;
  l->nev = modes->room < l->n - 1 ? modes->room : l->n - 1;
  l->ncv = basis_size(l->nev) < l->n ? basis_size(l->nev) : l->n;
  l->lworkl = l->ncv * (l->ncv + 8);
  l->resid = ga_arena_doubles(&s->arena, (size_t)l->n);
  l->v = ga_arena_doubles(&s->arena, (size_t)l->n * (size_t)l->ncv);
  l->workd = ga_arena_doubles(&s->arena, 3 * (size_t)l->n);
  l->workl = ga_arena_doubles(&s->arena, (size_t)l->lworkl);
  l->d = ga_arena_doubles(&s->arena, (size_t)l->nev + 1);
  l->work = ga_arena_doubles(&s->arena, (size_t)l->n);
  l->select = ga_arena_ints(&s->arena, (size_t)l->ncv);
  if (s->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for %d modes", modes->room);
  const double e = 1e-11 / (l->shift + stiff);
  status = ga_static_system_factor(s, &(ga_static_system_weights){.k = 1, .m = l->shift, .e = e});
  return status > 0 ? GA_ERR_BACKEND : status;
}

/* y = (K + s M)^-1 f on the tangent space of the constraints; n numbers each. Needs the factors of
 * prepare_lanczos; overwrites s->rhs. */
static ga_status apply_inverse(lanczos *l, const double *f, double *y) {
  ga_static_system *s = &l->s;
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  memcpy(s->rhs, f, (size_t)l->n * sizeof(double));
  const ga_status status = ga_static_system_solve(s, 0);
  memcpy(y, s->rhs, (size_t)l->n * sizeof(double));
  return status;
}

/* y = M x */
static void times_mass(const lanczos *l, const double *x, double *y) {
  memset(y, 0, (size_t)l->n * sizeof(double));
  ga_csr_mul_add(&l->s.M, 1, x, y);
}

/* Runs ARPACK (dsaupd, mode 3) until it has converged: it asks again and again for products with M
 * and for solves. Leaves the result in the arrays of l, for extract_modes. The start vector is
 * pseudo-random, the same in each run. GA_ERR_BACKEND if ARPACK fails. */
static ga_status run_lanczos(lanczos *l, ga_error *err) {
  const double tol = 1e-13;
  int ido = 0, info = 1;
  uint64_t random = 1;
  for (int i = 0; i < l->n; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    l->resid[i] = (double)(random >> 11) * 0x1p-53 - 0.5;
  }
  l->iparam[0] = 1;    /* exact shifts */
  l->iparam[2] = 1000; /* most iterations */
  l->iparam[3] = 1;    /* block size, always 1 */
  l->iparam[6] = 3;    /* mode 3: shift and inversion */
  /* ido: what ARPACK asks for; 2: M x, -1: inverse of M x, 1: inverse of a given M x, 99: done */
  while (ido != 99) {
    dsaupd_(&ido, "G", &l->n, "LM", &l->nev, &tol, l->resid, &l->ncv, l->v, &l->n, l->iparam,
            l->ipntr, l->workd, l->workl, &l->lworkl, &info, 1, 2);
    double *x = l->workd + l->ipntr[0] - 1, *y = l->workd + l->ipntr[1] - 1;
    ga_status status = GA_OK;
    if (ido == 2) times_mass(l, x, y);
    if (ido == -1) {
      times_mass(l, x, l->work);
      status = apply_inverse(l, l->work, y);
    }
    if (ido == 1) status = apply_inverse(l, l->workd + l->ipntr[2] - 1, y);
    if (status != GA_OK) return status;
  }
  if (info >= 0 && info != 3) return GA_OK;
  return ga_fail(err, GA_ERR_BACKEND, "ARPACK found no modes (%d)", info);
}

/* omega^2 into l->d, shapes into l->v, one after the other; *count: how many have converged. Needs
 * run_lanczos. GA_ERR_BACKEND if ARPACK fails. */
static ga_status extract_modes(lanczos *l, int *count, ga_error *err) {
  const int yes = 1;
  const double tol = 1e-13, sigma = -l->shift;
  int info = 0;
  dseupd_(&yes, "A", l->select, l->d, l->v, &l->n, &sigma, "G", &l->n, "LM", &l->nev, &tol,
          l->resid, &l->ncv, l->v, &l->n, l->iparam, l->ipntr, l->workd, l->workl, &l->lworkl,
          &info, 1, 1, 2);
  *count = l->iparam[4] < l->nev ? l->iparam[4] : l->nev;
  return info == 0 ? GA_OK : ga_fail(err, GA_ERR_BACKEND, "ARPACK gave no modes (%d)", info);
}

/* Writes ARPACK's mode `from` as mode k: eigenvalue, and the shape in space axes with largest
 * component 1, unless there is no room for shapes (NULL). omega^2 < 0 gives a real, unstable
 * eigenvalue and sets modes->unstable. */
static void write_mode(const lanczos *l, const ga_linearization *lin, int from, ga_modes *modes,
                       int k) {
  const double square = fabs(l->d[from]) <= 1e-7 * l->shift ? 0 : l->d[from];
  modes->re[k] = square < 0 ? sqrt(-square) : 0;
  modes->im[k] = square > 0 ? sqrt(square) : 0;
  if (square < 0) modes->unstable = true;
  if (!modes->shape_re) return;
  const size_t n = (size_t)l->n;
  double *y = modes->shape_re + (size_t)k * n, largest = 0;
  memcpy(y, l->v + (size_t)from * n, n * sizeof(double));
  memset(modes->shape_im + (size_t)k * n, 0, n * sizeof(double));
  ga_linearization_to_space_axes(lin->model->space, lin->q, y);
  for (int i = 0; i < l->n; i++) {
    if (fabs(y[i]) > (1 + 1e-9) * fabs(largest)) largest = y[i];
  }
  for (int i = 0; i < l->n && largest != 0; i++) y[i] /= largest;
}

/* Marks in l->select the genuine modes of the *count in l->d, sets l->found to the old *count and
 * *count to the number of genuine ones. Directions that are
 * forbidden by constraints or have no mass have 1/(omega^2 + s) = 0, in rounding 1e-13 of the
 * largest value 1/s; modes have more than 1e-6 of it. The limit is 1e-10. */
static void leave_out_rounding(lanczos *l, int *count) {
  for (int i = 0; i < *count; i++) {
    l->select[i] = fabs(l->d[i] + l->shift) < 1e10 * l->shift;
  }
  int left = 0;
  for (int i = 0; i < *count; i++) left += l->select[i];
  l->found = *count;
  *count = left;
}

/* Writes the `count` selected modes into `modes`, slowest first, and sets modes->count and all.
 * Clears l->select. Selection sort: there are few. */
static void collect_modes(lanczos *l, const ga_linearization *lin, int count, ga_modes *modes) {
  for (int k = 0; k < count; k++) {
    int best = -1;
    for (int i = 0; i < l->found; i++) {
      if (l->select[i] && (best < 0 || l->d[i] < l->d[best])) best = i;
    }
    l->select[best] = 0;
    write_mode(l, lin, best, modes, k);
  }
  modes->count = modes->all = count;
}

/* Fills `modes` with at most modes->room modes, the slowest ones; modes->freedom is not set. K is
 * taken to be symmetric. GA_ERR_ARG unless the model is at rest and undamped. */
ga_status ga_arpack_modes(const ga_linearization *lin, ga_modes *modes, ga_error *err) {
  lanczos l = {.n = 0};
  int count = 0;
  const double damped = ga_max_abs(ga_csr_nnz(&lin->C), lin->C.val);
  if (lin->moving || damped > 0) {
    return ga_fail(err, GA_ERR_ARG,
                   "a few modes can be found of a model at rest without damping; this one %s",
                   lin->moving ? "moves" : "is damped");
  }
  ga_status status = prepare_lanczos(&l, lin, modes, err);
  if (status == GA_OK) status = run_lanczos(&l, err);
  if (status == GA_OK) status = extract_modes(&l, &count, err);
  if (status == GA_OK) {
    leave_out_rounding(&l, &count);
    collect_modes(&l, lin, count, modes);
  }
  ga_static_system_close(&l.s);
  return status;
}

#else

/* without ARPACK: always GA_ERR_BACKEND with a sentence */
ga_status ga_arpack_modes(const ga_linearization *lin, ga_modes *modes, ga_error *err) {
  (void)lin, (void)modes;
  return ga_fail(err, GA_ERR_BACKEND,
                 "a few modes of a large model need ARPACK, which this build does not have");
}

#endif
