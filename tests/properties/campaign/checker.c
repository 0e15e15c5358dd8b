/* SPDX-License-Identifier: MIT */
/* The checker of accepted steps, see checker.h. */
#include "checker.h"

#include <math.h>
#include <string.h>

#include "pattern.h"

static const long double eps = 0x1p-52L;
static const long double forward_tol = 1e-8L;   /* the promise, relative to a subsystem's scale */
static const long double roundings = 8;         /* of q_1, v_1 and results of callbacks */
static const long double quotient_tol = 1e-7L;  /* of G^T lam where G is a difference quotient, */
static const long double quotient_step = 7e-4L; /* eps^(1/5), a usual step for it */
static const long double assignments = 4096;    /* roundings allowed in v_1, a_1, q_1 as sums */
enum { ITERATIONS = 40 };

const char *hard_fault_name(hard_fault fault) {
  static const char *const name[FAULT_COUNT] = {"none",  "acceleration", "position",   "velocity",
                                                "force", "recursion",    "not finite", "energy"};
  return name[fault];
}

static bool all_finite(int n, const long double *x) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

static bool state_finite(const hard_model *m, const hard_state *s) {
  int nv = hard_nv(m);
  return all_finite(hard_nq(m), s->q) && all_finite(nv, s->v) && all_finite(nv, s->vd) &&
         all_finite(nv, s->a) && all_finite(m->n_lam, s->lam) && all_finite(m->n_psi, s->psi);
}

/* ---- scales ------------------------------------------------------------------------------- */

typedef struct scales {
  int label[HARD_NV], count;
  long double of[HARD_KINDS][HARD_NV]; /* by kind and subsystem */
} scales;

static void raise_to(long double *most, long double x) {
  if (!(fabsl(x) <= *most)) *most = fabsl(x);
}

/* The scales of the subsystems, from the root or the step that s was evaluated at last; change:
 * from the accepted step to that. */
static void find_scales(const hard_step *s, hard_results change, scales *out) {
  const long double h = s->now->h;
  *out = (scales){0};
  out->count = hard_subsystems(s->model, out->label);
  for (int i = 0; i < s->nv; i++) {
    int l = out->label[i];
    long double x = (s->weighted ? s->now->a[i] : s->now->vd[i]) + change[HARD_ACCELERATION][i];
    raise_to(&out->of[HARD_ACCELERATION][l], x);
    /* an acceleration that moves q_1 by its roundings in this step, its velocity and its force */
    const long double least = roundings * eps * s->q_size[i] / (h * h);
    raise_to(&out->of[HARD_ACCELERATION][l], least);
    raise_to(&out->of[HARD_VELOCITY][l], h * least);
    raise_to(&out->of[HARD_FORCE][l], s->b.M[i * s->nv + i] * least);
    raise_to(&out->of[HARD_POSITION][l], s->q_size[i]);
    raise_to(&out->of[HARD_VELOCITY][l], s->v_size[i]);
    raise_to(&out->of[HARD_FORCE][l], s->b.F[i]);
    raise_to(&out->of[HARD_FORCE][l], s->b.push[i]);
    raise_to(&out->of[HARD_FORCE][l], s->b.r[i] + s->b.F[i] - s->b.push[i]);
  }
}

/* The largest component of each kind in each subsystem. */
static void largest(const scales *z, int nv, hard_results x, long double out[HARD_KINDS][HARD_NV]) {
  memset(out, 0, sizeof(long double[HARD_KINDS][HARD_NV]));
  for (int kind = 0; kind < HARD_KINDS; kind++) {
    for (int i = 0; i < nv; i++) raise_to(&out[kind][z->label[i]], x[kind][i]);
  }
}

/* The largest ratio of a result to its subsystem's scale. */
static long double size_of(const scales *z, int nv, hard_results x) {
  long double most = 0;
  for (int kind = 0; kind < HARD_KINDS; kind++) {
    for (int i = 0; i < nv; i++) {
      if (x[kind][i] != 0) raise_to(&most, x[kind][i] / z->of[kind][z->label[i]]);
    }
  }
  return most;
}

/* ---- the root ----------------------------------------------------------------------------- */

/* dX = -A^-1 r at X; false if there is none */
static bool newton_step(hard_step *s, const long double *X, long double *dX) {
  if (!hard_step_evaluate(s, X, true) || !hard_lu_factor(&s->lu)) return false;
  for (int i = 0; i < s->n; i++) dX[i] = -s->r[i];
  hard_lu_solve(&s->lu, dX);
  return all_finite(s->n, dX);
}

/* Newton's iteration in long double from the accepted step to the root X next to it. It ends when
 * it changes nothing above 1e-14 of the scales, or does not get better any more. left: the change
 * that one more iteration would make. s is evaluated and factored at X. False if it breaks down. */
static bool find_root(hard_step *s, const scales *z, long double *X, hard_results left) {
  long double last = INFINITY, dX[HARD_UNKNOWNS];
  int worse = 0;
  hard_step_accepted(s, X);
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    hard_results change;
    if (!newton_step(s, X, dX)) return false;
    hard_step_first_order(s, dX, change);
    long double size = size_of(z, s->nv, change);
    for (int i = 0; i < s->n; i++) X[i] += dX[i];
    if (size <= 1e-14L) break;
    worse += !(size <= last / 2);
    if (worse > 3) break;
    last = size;
  }
  if (!newton_step(s, X, dX)) return false;
  hard_step_first_order(s, dX, left);
  return true;
}

/* ---- attainable rounding ------------------------------------------------------------------ */

/* The rounding of row n of G, if that is a difference quotient: four of g. */
static long double row_blur(const hard_step *s, int n) {
  return s->model->give_jacobian ? 0 : 4 * eps / quotient_step * s->b.value_size[n];
}

/* What the callbacks may do to each row of r: rounding, noise, jumps, errors of quotients. */
static void row_noise(const hard_step *s, long double *out) {
  const hard_balance *b = &s->b;
  int nv = s->nv, nl = s->nl, rows = nl + s->np, row = 0;
  for (int half = 0; half < (s->weighted ? 2 : 1); half++) {
    for (int i = 0; i < nv; i++, row++) {
      out[row] = roundings * eps * b->size[i] + 2 * b->noise[i] + b->jump[i];
      if (s->weighted) out[row] += roundings * eps * s->old_size[i] + s->old_noise[i];
      for (int n = 0; n < rows; n++) {
        long double multiplier = n < nl ? s->now->lam[n] : s->now->psi[n - nl];
        long double force = fabsl(b->G[n * nv + i] * multiplier);
        out[row] += roundings * eps * force;
        if (s->model->give_jacobian || force == 0) continue;
        out[row] += quotient_tol * force + fabsl(multiplier) * row_blur(s, n);
      }
    }
  }
  for (int n = 0; n < rows; n++) {
    out[row++] = roundings * eps * (n < nl ? b->value_size[n] : b->rate_size[n]);
  }
  for (int n = 0; n < nl && (s->eta || s->weighted); n++, row++) {
    out[row] = roundings * eps * b->rate_size[n];
    if (s->model->give_jacobian) continue;
    out[row] += quotient_tol * b->rate_size[n];
    for (int j = 0; j < nv; j++) {
      if (b->G[n * nv + j] != 0) out[row] += row_blur(s, n) * fabsl(s->now->v[j]);
    }
  }
  for (int n = nl; n < rows && s->weighted; n++) out[row++] = roundings * eps * b->rate_size[n];
}

static void add_change(hard_step *s, long double *b, long double by, hard_results sum) {
  hard_results change;
  hard_lu_solve(&s->lu, b);
  hard_step_first_order(s, b, change);
  for (int kind = 0; kind < HARD_KINDS; kind++) {
    for (int i = 0; i < s->nv; i++) sum[kind][i] += by * fabsl(change[kind][i]);
  }
}

/* The change of the root by 8 roundings of q_1 and v_1 and by the noise of the callbacks, worst
 * signs. s has been evaluated and factored. A move of q_1 itself is a change of the result, too. */
static void attainable(hard_step *s, hard_results sum) {
  long double b[HARD_UNKNOWNS], noise[HARD_UNKNOWNS];
  memset(sum, 0, sizeof(hard_results));
  for (int j = 0; j < s->nv; j++) {
    hard_step_column(s, j, true, b);
    add_change(s, b, roundings * eps * s->q_size[j], sum);
    hard_step_column(s, j, false, b);
    add_change(s, b, roundings * eps * s->v_size[j], sum);
    sum[HARD_POSITION][j] += roundings * eps * s->q_size[j];
    sum[HARD_VELOCITY][j] += roundings * eps * s->v_size[j];
  }
  row_noise(s, noise);
  for (int row = 0; row < s->n; row++) {
    if (noise[row] == 0) continue;
    memset(b, 0, sizeof b);
    b[row] = 1;
    add_change(s, b, noise[row], sum);
  }
}

/* ---- judgement ---------------------------------------------------------------------------- */

/* Compare the errors with 1e-8 S + R; R is left out if it is NULL. */
static void judge(const hard_step *s, const scales *z, hard_results error, hard_results rounding,
                  hard_verdict *out) {
  long double most[HARD_KINDS][HARD_NV], allowed[HARD_KINDS][HARD_NV] = {0};
  largest(z, s->nv, error, most);
  if (rounding) largest(z, s->nv, rounding, allowed);
  for (int kind = 0; kind < HARD_KINDS; kind++) {
    for (int l = 0; l < z->count; l++) {
      /* below the square root of the smallest double, products of doubles underflow */
      long double bound = forward_tol * z->of[kind][l] + allowed[kind][l] + 0x1p-511L;
      double ratio = (double)(most[kind][l] / bound);
      if (ratio <= out->ratio) continue;
      out->ratio = ratio;
      out->error = (double)most[kind][l];
      out->relative = (double)(most[kind][l] / z->of[kind][l]);
      out->fault = ratio <= 1 ? FAULT_NONE : (hard_fault)(FAULT_ACCELERATION + kind);
      for (int i = 0; i < s->nv; i++) {
        if (z->label[i] == l && fabsl(error[kind][i]) == most[kind][l]) out->row = i;
      }
    }
  }
}

/* The first-order change at the accepted step, without what noise and jumps explain of r. */
static bool first_order(hard_step *s, hard_results error) {
  long double X[HARD_UNKNOWNS], noise[HARD_UNKNOWNS];
  hard_step_accepted(s, X);
  if (!hard_step_evaluate(s, X, true) || !hard_lu_factor(&s->lu)) return false;
  row_noise(s, noise);
  for (int i = 0; i < s->n; i++) {
    X[i] = copysignl(fmaxl(fabsl(s->r[i]) - noise[i], 0), s->r[i]);
  }
  hard_lu_solve(&s->lu, X);
  hard_step_first_order(s, X, error);
  return all_finite(s->n, X);
}

/* Does the step turn a body by half a turn or more on a way that the state before does not tell, or
 * so far that the roundings of the angle are felt? */
static bool turns_too_far(const hard_step *s) {
  const long double most_allowed = s->eta || s->weighted ? 3 : 100;
  for (int b = s->model->n_flat; b < s->nv; b += 3) {
    const long double *w = s->W + b, *v = s->before->v + b, *v1 = s->now->v + b;
    long double way = 0, most = 0;
    for (int a = 0; a < 3; a++) {
      way += w[a] * w[a];
      most += fmaxl(v[a] * v[a], v1[a] * v1[a]);
    }
    if (fmaxl(sqrtl(way), s->now->h * sqrtl(most)) > most_allowed) return true;
  }
  return false;
}

/* A root was found if another iteration changes less than a hundredth of the bound. */
static bool is_root(const hard_step *s, const scales *z, hard_results left, hard_results rounding) {
  hard_verdict v = {.row = -1};
  judge(s, z, left, rounding, &v);
  return v.ratio <= 0.01;
}

hard_verdict hard_check(const hard_model *m, const hard_state *now, const hard_state *before,
                        const hard_memory *a_0) {
  static hard_step s;
  hard_verdict out = {.row = -1};
  hard_results error = {0}, left, rounding;
  long double X[HARD_UNKNOWNS], push[HARD_NV];
  scales z;
  const hard_verdict bad = {.fault = FAULT_NOT_FINITE, .row = -1, .ratio = (double)INFINITY};
  if (!state_finite(m, now)) return bad;
  hard_step_open(&s, m, before, now, a_0);
  if (turns_too_far(&s)) return (hard_verdict){.row = -1, .skipped = true};
  hard_step_accepted(&s, X);
  if (!hard_step_evaluate(&s, X, false)) return bad;
  memcpy(push, s.b.push, sizeof push);
  find_scales(&s, error, &z);
  bool root = find_root(&s, &z, X, left);
  if (root) {
    hard_step_change(&s, X, push, error);
    find_scales(&s, error, &z);
    if (is_root(&s, &z, left, NULL)) {
      judge(&s, &z, error, NULL, &out);
      if (out.fault == FAULT_NONE) return out;
    }
    attainable(&s, rounding);
    root = is_root(&s, &z, left, rounding);
  }
  if (!root) {
    if (!first_order(&s, error)) return bad;
    attainable(&s, rounding);
  }
  out = (hard_verdict){.row = -1, .no_root = !root};
  judge(&s, &z, error, rounding, &out);
  out.rounded = out.fault == FAULT_NONE && root;
  return out;
}

/* ---- recursion ---------------------------------------------------------------------------- */

/* d <- what is left of d after its best approximation by G^T eta; size: what G^T eta is made of */
static void leave_normal_part(int nl, int nv, const long double *G, long double *d,
                              long double *size) {
  static hard_lu lu;
  long double eta[HARD_ROWS];
  if (nl == 0 || !hard_lu_open(&lu, nl)) return;
  for (int i = 0; i < nl; i++) {
    eta[i] = 0;
    for (int k = 0; k < nv; k++) eta[i] += G[i * nv + k] * d[k];
    for (int j = 0; j < nl; j++) {
      for (int k = 0; k < nv; k++) lu.A[i * nl + j] += G[i * nv + k] * G[j * nv + k];
    }
  }
  if (!hard_lu_factor(&lu)) return;
  hard_lu_solve(&lu, eta);
  for (int k = 0; k < nv; k++) {
    for (int i = 0; i < nl; i++) {
      d[k] -= G[i * nv + k] * eta[i];
      size[k] += fabsl(G[i * nv + k] * eta[i]);
    }
  }
}

static void assigned(hard_verdict *out, int row, long double error, long double size,
                     long double tol) {
  double ratio = (double)(error / (tol * size + 0x1p-511L));
  if (ratio <= 1 || out->fault != FAULT_NONE) return;
  *out = (hard_verdict){.fault = FAULT_RECURSION, .row = row, .error = (double)error};
  out->relative = (double)(error / size);
  out->ratio = ratio;
}

hard_verdict hard_check_recursion(const hard_model *m, const hard_state *now,
                                  const hard_state *before, const hard_memory *a_0,
                                  hard_verdict out) {
  const long double tol = assignments * eps;
  static hard_step s;
  bool weighted = strcmp(m->method, "soi2") == 0;
  hard_parameters p = hard_parameters_of(m);
  long double h = now->h, d[HARD_NV], size[HARD_NV];
  hard_step_open(&s, m, before, now, a_0);
  if (turns_too_far(&s)) return out;
  for (int i = 0; i < s.nv; i++) {
    long double a0 = a_0->a[i], a1 = now->a[i], v0 = before->v[i];
    long double sum = fabsl(a0) + fabsl(a1) + fabsl(now->vd[i]) + fabsl(before->vd[i]);
    long double dv = now->v[i] - v0 - h * ((1 - p.gamma) * a0 + p.gamma * a1);
    assigned(&out, i, fabsl(dv), fabsl(v0) + fabsl(now->v[i]) + h * sum, tol);
    d[i] = s.W[i] - h * v0 - h * h * ((0.5L - p.beta) * a0 + p.beta * a1);
    size[i] = s.q_size[i] + h * h * sum;
    long double da = (1 - p.am) * a1 + p.am * a0 - (1 - p.af) * now->vd[i] - p.af * before->vd[i];
    if (!weighted) assigned(&out, i, fabsl(da), sum, tol);
  }
  if (weighted) return out;
  long double before_eta[HARD_NV];
  memcpy(before_eta, d, sizeof d);
  if (s.eta) leave_normal_part(s.nl, s.nv, s.G0, d, size);
  long double all = 0; /* the projection mixes the roundings of all components */
  for (int i = 0; i < s.nv; i++) all += size[i];
  for (int i = 0; i < s.nv; i++) {
    long double blur = s.eta && !m->give_jacobian ? quotient_tol * fabsl(before_eta[i]) : 0;
    assigned(&out, i, fmaxl(fabsl(d[i]) - blur, 0), s.eta ? all : size[i], tol);
  }
  return out;
}
