/* SPDX-License-Identifier: MIT */
/* Runs of linear structures, every accepted step judged in long double, see structure.h.
 *
 * The equations of step_root.h are linear here. With the residual r at the accepted step, the root
 * differs from it by -A^-1 r, exactly; the unknowns are
 *     stab2  x, lam, eta     M x + (K q_1 + c K v_1 - f) + B^T lam = 0,   B q_1 = 0,   B v_1 = 0
 *     index3 x, lam          the same without eta and without B v_1 = 0
 *     soi2   a~, a, lam~, lam, with the weighted rows of step_root.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "step_root.h"
#include "structure.h"

static const long double eps = 0x1p-52L, forward_tol = 1e-8L, roundings = 8;
enum { PATTERNS_OF_SIGNS = 8 };

typedef struct watcher {
  const hard_structure *s;
  hard_structure_outcome *out;
  bool eta, weighted, any;
  int N, at_x, at_lam, at_eta;
  long double h, by_q, by_v, m1, am, af; /* the step for which A is factored */
  hard_lu lu;
  long double *old, *r, *b;                        /* the rows */
  long double *q, *v, *vd, *a, *lam;               /* the accepted state */
  long double *q0, *v00, *vd0, *a0, *lam0, *tilde; /* the state before; a~ */
  long double *q_size, *v_size, *force;
  uint64_t random;
} watcher;

/* ---- callbacks ---------------------------------------------------------------------------- */

static int mass(void *user, double t, const double *q, ga_csr *M) {
  const hard_structure *s = user;
  (void)t, (void)q;
  memcpy(M->val, s->mass, sizeof(double) * (size_t)s->n);
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  const hard_structure *s = user;
  (void)t;
  for (int i = 0; i < s->n; i++) {
    F[i] = s->f[i];
    for (int e = s->K.ptr[i]; e < s->K.ptr[i + 1]; e++) {
      F[i] -= s->K.val[e] * (q[s->K.col[e]] + s->damping * v[s->K.col[e]]);
    }
  }
  return 0;
}

static int holonomic(void *user, double t, const double *q, double *g) {
  const hard_structure *s = user;
  (void)t;
  for (int i = 0; i < s->nc; i++) {
    g[i] = 0;
    for (int e = s->B.ptr[i]; e < s->B.ptr[i + 1]; e++) g[i] += s->B.val[e] * q[s->B.col[e]];
  }
  return 0;
}

static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  const hard_structure *s = user;
  (void)t, (void)q;
  memcpy(G->val, s->B.val, sizeof(double) * (size_t)s->B.ptr[s->nc]);
  return 0;
}

static int tangents(void *user, double t, const double *q, const double *v, const double *x,
                    const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  const hard_structure *s = user;
  (void)t, (void)q, (void)v, (void)x, (void)lam, (void)psi;
  for (int e = 0; e < s->K.ptr[s->n]; e++) {
    Kt->val[e] = s->K.val[e];
    Ct->val[e] = s->damping * s->K.val[e];
  }
  return 0;
}

/* ---- the equations ------------------------------------------------------------------------ */

/* y += by A x; with sizes: the sum of the magnitudes */
static void add_product(const ga_csr *A, long double by, const long double *x, bool sizes,
                        long double *y) {
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      long double term = by * A->val[e] * x[A->col[e]];
      y[i] += sizes ? fabsl(term) : term;
    }
  }
}

static void add_transposed(const ga_csr *A, long double by, const long double *x, long double *y) {
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) y[A->col[e]] += by * A->val[e] * x[i];
  }
}

/* y = K q + c K v - f */
static void elastic(const watcher *w, const long double *q, const long double *v, long double *y) {
  const hard_structure *s = w->s;
  for (int i = 0; i < s->n; i++) y[i] = -s->f[i];
  add_product(&s->K, 1, q, false, y);
  add_product(&s->K, s->damping, v, false, y);
}

static long double *at(const watcher *w, int row, int col) {
  return w->lu.A + (size_t)row * (size_t)w->N + col;
}

/* A += by A_s in the block at (row, col); its transpose if `turned` */
static void put(watcher *w, int row, int col, long double by, const ga_csr *A, bool turned) {
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int j = A->col[e];
      *(turned ? at(w, row + j, col + i) : at(w, row + i, col + j)) += by * A->val[e];
    }
  }
}

/* The factors of A for steps of h. */
static bool factor(watcher *w, long double h) {
  const hard_structure *s = w->s;
  int n = s->n, nc = s->nc, second = w->at_x, g = w->weighted ? 2 * n : n;
  hard_model rho = {.rho = s->rho};
  hard_parameters p = hard_parameters_of(&rho);
  long double unit = w->weighted ? 1 : (1 - p.af) / (1 - p.am);
  w->h = h;
  w->am = p.am;
  w->af = p.af;
  w->by_q = h * h * p.beta * unit;
  w->by_v = h * p.gamma * unit;
  w->m1 = w->weighted ? (1 - p.am) / (1 - p.af) : 1;
  if (!hard_lu_open(&w->lu, w->N)) return false;
  for (int block = 0; block < (w->weighted ? 2 : 1); block++) {
    int row = block * n;
    for (int i = 0; i < n; i++) *at(w, row + i, block * n + i) += w->m1 * s->mass[i];
    put(w, row, 0, w->by_q, &s->K, false);
    put(w, row, second, w->by_v * s->damping, &s->K, false);
    put(w, row, w->at_lam - (w->weighted && block == 0 ? nc : 0), 1, &s->B, true);
  }
  put(w, g, 0, w->by_q, &s->B, false);
  if (w->weighted || w->eta) put(w, g + nc, second, w->by_v, &s->B, false);
  for (int k = 0; w->eta && k < nc; k++) { /* -h K B^T and -h B B^T, column by column */
    long double *column = w->b;
    memset(column, 0, sizeof *column * (size_t)n);
    for (int e = s->B.ptr[k]; e < s->B.ptr[k + 1]; e++) column[s->B.col[e]] = -h * s->B.val[e];
    memset(w->r, 0, sizeof *w->r * (size_t)(n + nc));
    add_product(&s->K, 1, column, false, w->r);
    add_product(&s->B, 1, column, false, w->r + n);
    for (int i = 0; i < n + nc; i++) *at(w, i, w->at_eta + k) += w->r[i];
  }
  return hard_lu_factor(&w->lu);
}

/* soi2: (alpha_m M a_0 - alpha_f f_0)/(1 - alpha_f) and a~ of the accepted q_1 */
static void old_terms(watcher *w) {
  const hard_structure *s = w->s;
  hard_model rho = {.rho = s->rho};
  hard_parameters p = hard_parameters_of(&rho);
  elastic(w, w->q0, w->v00, w->old);
  add_transposed(&s->B, 1, w->lam0, w->old);
  for (int i = 0; i < s->n; i++) {
    w->old[i] = (p.am * s->mass[i] * w->a0[i] + p.af * w->old[i]) / (1 - p.af);
    w->tilde[i] = w->q[i] - w->q0[i] - w->h * w->v00[i];
    w->tilde[i] = (w->tilde[i] - w->h * w->h * (0.5L - p.beta) * w->a0[i]) / w->by_q;
  }
}

/* r at the accepted step; lam~ counts from lam */
static void residual(watcher *w) {
  const hard_structure *s = w->s;
  int n = s->n, g = w->weighted ? 2 * n : n;
  memset(w->r, 0, sizeof *w->r * (size_t)w->N);
  elastic(w, w->q, w->v, w->r);
  memcpy(w->force, w->r, sizeof *w->r * (size_t)n);
  add_transposed(&s->B, 1, w->lam, w->r);
  for (int i = 0; i < n && w->weighted; i++) {
    w->r[n + i] = w->r[i] + w->old[i] + w->m1 * s->mass[i] * w->a[i];
    w->r[i] += w->old[i] + w->m1 * s->mass[i] * w->tilde[i];
  }
  for (int i = 0; i < n && !w->weighted; i++) w->r[i] += s->mass[i] * w->vd[i];
  add_product(&s->B, 1, w->q, false, w->r + g);
  if (w->weighted || w->eta) add_product(&s->B, 1, w->v, false, w->r + g + s->nc);
}

/* ---- judgement ---------------------------------------------------------------------------- */

enum { KINDS = 4 };

/* The largest changes of x, q_1, v_1 and B^T lam that the change dX of the unknowns makes; the
 * entries of q_size that are exceeded by none of them count as moved. dX is lost. */
static void changes(watcher *w, long double *dX, long double most[KINDS]) {
  const hard_structure *s = w->s;
  long double *push = calloc((size_t)s->n, sizeof *push), *dq = calloc((size_t)s->n, sizeof *dq);
  if (push && dq) {
    add_transposed(&s->B, 1, dX + w->at_lam, push);
    if (w->eta) add_transposed(&s->B, -w->h, dX + w->at_eta, dq);
    for (int i = 0; i < s->n; i++) {
      most[0] = fmaxl(most[0], fabsl(dX[w->at_x + i]));
      most[1] = fmaxl(most[1], fabsl(dq[i] + w->by_q * dX[i]));
      most[2] = fmaxl(most[2], fabsl(w->by_v * dX[w->at_x + i]));
      most[3] = fmaxl(most[3], fabsl(push[i]));
    }
  } else {
    most[0] = INFINITY;
  }
  free(push);
  free(dq);
}

static long double sign(watcher *w) {
  return hard_pick(&w->random, 2) ? 1 : -1;
}

/* b = what eight roundings of q_1 and v_1 and of the callbacks' sums do to r, with random signs;
 * soi2: those of f_0, too. */
static void shake(watcher *w, long double *dq, long double *dv, long double *size) {
  const hard_structure *s = w->s;
  int n = s->n, g = w->weighted ? 2 * n : n;
  for (int i = 0; i < n; i++) {
    dq[i] = sign(w) * roundings * eps * w->q_size[i];
    dv[i] = sign(w) * roundings * eps * w->v_size[i];
    size[i] = fabsl((long double)s->f[i]);
  }
  memset(w->b, 0, sizeof *w->b * (size_t)w->N);
  add_product(&s->K, 1, dq, false, w->b);
  add_product(&s->K, s->damping, dv, false, w->b);
  add_product(&s->K, 1, w->q, true, size);
  add_product(&s->K, s->damping, w->v, true, size);
  for (int i = 0; i < n; i++) w->b[i] += sign(w) * roundings * eps * size[i];
  for (int i = 0; i < n && w->weighted; i++) {
    w->b[i] += sign(w) * roundings * eps * size[i] * w->af / (1 - w->af);
    w->b[n + i] = w->b[i];
  }
  add_product(&s->B, 1, dq, false, w->b + g);
  if (w->weighted || w->eta) add_product(&s->B, 1, dv, false, w->b + g + s->nc);
}

/* The largest changes of the root by roundings; each is a measured one. */
static void attainable(watcher *w, long double most[KINDS]) {
  size_t n = (size_t)w->s->n;
  long double *dq = malloc(sizeof *dq * n), *dv = malloc(sizeof *dv * n);
  long double *size = malloc(sizeof *size * n);
  for (int k = 0; k < PATTERNS_OF_SIGNS && dq && dv && size; k++) {
    shake(w, dq, dv, size);
    hard_lu_solve(&w->lu, w->b);
    changes(w, w->b, most);
  }
  for (int i = 0; i < w->s->n; i++) {
    most[1] = fmaxl(most[1], roundings * eps * w->q_size[i]);
    most[2] = fmaxl(most[2], roundings * eps * w->v_size[i]);
  }
  free(dq);
  free(dv);
  free(size);
}

static void find_scales(watcher *w, long double scale[KINDS]) {
  const hard_structure *s = w->s;
  memset(w->b, 0, sizeof *w->b * (size_t)s->n);
  add_transposed(&s->B, 1, w->lam, w->b);
  for (int i = 0; i < s->n; i++) {
    long double x = w->weighted ? w->a[i] : w->vd[i];
    long double a = fabsl(w->a[i]) + fabsl(w->a0[i]) + fabsl(w->vd[i]) + fabsl(w->vd0[i]);
    w->q_size[i] = fabsl(w->q[i]) + fabsl(w->q0[i]) + w->h * fabsl(w->v00[i]) + w->h * w->h * a / 2;
    w->v_size[i] = fabsl(w->v[i]) + fabsl(w->v00[i]) + w->h * a;
    scale[0] = fmaxl(scale[0], fabsl(x));
    scale[1] = fmaxl(scale[1], w->q_size[i]);
    scale[2] = fmaxl(scale[2], w->v_size[i]);
    scale[3] =
        fmaxl(scale[3], fmaxl(s->mass[i] * fabsl(x), fmaxl(fabsl(w->force[i]), fabsl(w->b[i]))));
  }
}

static void judge(watcher *w, double t) {
  static const char *const name[KINDS] = {"acceleration", "position", "velocity", "force"};
  long double scale[KINDS] = {0}, error[KINDS] = {0}, rounding[KINDS] = {0}, worst = 0;
  hard_structure_outcome *out = w->out;
  if (w->weighted) old_terms(w);
  residual(w);
  hard_lu_solve(&w->lu, w->r);
  changes(w, w->r, error);
  find_scales(w, scale);
  for (int pass = 0; pass < 2; pass++) {
    int kind = 0;
    worst = 0;
    for (int k = 0; k < KINDS; k++) {
      long double ratio = error[k] / (forward_tol * scale[k] + rounding[k] + 0x1p-511L);
      if (ratio <= worst) continue;
      worst = ratio;
      kind = k;
    }
    if (worst <= 1) {
      out->rounded += pass;
      return;
    }
    if (pass == 0) attainable(w, rounding);
    if (pass == 0 || out->wrong++ > 0) continue;
    out->what = name[kind];
    out->t_wrong = t;
    out->relative = (double)(error[kind] / scale[kind]);
    out->ratio = (double)worst;
  }
}

/* ---- runs --------------------------------------------------------------------------------- */

static void widen(int n, const double *from, long double *to, long double *before) {
  for (int i = 0; i < n; i++) {
    before[i] = to[i];
    to[i] = from[i];
  }
}

static int watch(void *context, const ga_state *state, const ga_stats *stats) {
  watcher *w = context;
  int n = w->s->n;
  widen(n, state->q, w->q, w->q0);
  widen(n, state->v, w->v, w->v00);
  widen(n, state->vd, w->vd, w->vd0);
  widen(n, state->a, w->a, w->a0);
  widen(w->s->nc, state->lam, w->lam, w->lam0);
  w->out->steps = stats->steps;
  w->out->solves = stats->newton_its;
  w->out->tries = stats->steps + stats->rejected + stats->failed;
  if (state->h == 0) return 0;
  if (!w->any || state->h != w->h) w->any = factor(w, state->h);
  if (w->any) judge(w, state->t);
  if (!w->any) w->out->wrong++;
  return stats->steps >= 40;
}

static bool open_watcher(watcher *w) {
  const hard_structure *s = w->s;
  int n = s->n, nc = s->nc;
  w->weighted = strcmp(s->method, "soi2") == 0;
  w->eta = strcmp(s->method, "stab2") == 0 && nc > 0;
  w->at_x = w->weighted ? n : 0;
  w->at_lam = w->weighted ? 2 * n + nc : n;
  w->at_eta = w->at_lam + nc;
  w->N = w->at_eta + (w->eta ? nc : 0);
  long double **const arrays[] = {&w->old,    &w->q,      &w->v,     &w->vd, &w->a,    &w->lam,
                                  &w->q0,     &w->v00,    &w->vd0,   &w->a0, &w->lam0, &w->tilde,
                                  &w->q_size, &w->v_size, &w->force, &w->r,  &w->b};
  bool ok = true;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    *arrays[k] = calloc((size_t)(w->N + n), sizeof **arrays[k]);
    ok = ok && *arrays[k];
  }
  return ok;
}

static void close_watcher(watcher *w) {
  long double *const arrays[] = {w->old,    w->q,      w->v,     w->vd, w->a,    w->lam,
                                 w->q0,     w->v00,    w->vd0,   w->a0, w->lam0, w->tilde,
                                 w->q_size, w->v_size, w->force, w->r,  w->b};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  hard_lu_close(&w->lu);
}

static ga_status integrate(const ga_model *model, const hard_structure *s, const char *linsol,
                           watcher *w, ga_error *error) {
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  o.method = s->method;
  o.par = ga_params_rho(s->rho);
  o.h = s->h;
  o.rtol = o.atol = s->rtol;
  o.newton_tol = 1e-12;
  o.matrix_every = s->rtol > 0; /* one iteration needs the matrix of the present h */
  o.linsol = linsol ? linsol : s->linsol;
  o.initial = GA_INITIAL_PROJECT;
  ga_status status = ga_integrator_new(model, &o, &it, error);
  if (status != GA_OK) return status;
  ga_integrator_observe(it, watch, w);
  status = ga_integrator_start(it, 0, s->q0, s->v0);
  if (status == GA_OK) status = ga_integrator_run(it, s->steps * s->h);
  if (status != GA_OK) *error = *ga_integrator_error(it);
  snprintf(w->out->linsol, sizeof w->out->linsol, "%s", ga_integrator_linsol(it));
  ga_integrator_free(it);
  return status == GA_STOPPED ? GA_OK : status;
}

hard_structure_outcome hard_structure_run(const hard_structure *s, const char *linsol) {
  hard_structure_outcome out = {.what = ""};
  ga_error error = {0};
  ga_space *space = NULL;
  const ga_model_ops ops = {.mass = mass,
                            .force = force,
                            .holonomic = s->nc > 0 ? holonomic : NULL,
                            .holonomic_jac = s->nc > 0 ? holonomic_jac : NULL,
                            .force_tangents = tangents};
  ga_model model = {.ops = &ops, .user = (void *)(uintptr_t)s, .nlam = s->nc};
  watcher w = {.s = s, .out = &out, .random = 1};
  model.const_mass = model.scleronomic = true;
  model.pat_M = &s->M;
  model.pat_K = &s->K;
  if (s->nc > 0) model.pat_G = &s->B;
  out.status = ga_space_rn(s->n, &space);
  model.space = space;
  if (out.status == GA_OK && !open_watcher(&w)) out.status = GA_ERR_MEM;
  if (out.status == GA_OK) out.status = integrate(&model, s, linsol, &w, &error);
  if (out.status == GA_ERR_BACKEND) { /* a module that is not installed */
    error = (ga_error){0};
    out.status = integrate(&model, s, "auto", &w, &error);
  }
  snprintf(out.text, sizeof out.text, "%.159s", error.text);
  close_watcher(&w);
  ga_space_free(space);
  return out;
}

bool hard_structure_passed(const hard_structure_outcome *o) {
  return o->status == GA_OK && o->wrong == 0;
}

bool hard_structure_one_iteration(const hard_structure *s, const hard_structure_outcome *o) {
  return strcmp(s->method, "soi2") == 0 || o->solves <= o->tries;
}
