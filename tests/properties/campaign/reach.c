/* SPDX-License-Identifier: MIT */
/* Could a step have met the first bound? See reach.h. */
#include "reach.h"

#include <math.h>
#include <string.h>

static const long double eps = 0x1p-52L;
static const long double fine = 0x1p-61L; /* eight roundings of long double */
enum { ITERATIONS = 8 };

static bool within(const hard_model *m, const long double *r, const long double *bound) {
  for (int i = 0; i < hard_nv(m); i++) {
    if (!(fabsl(r[i]) <= bound[i])) return false;
  }
  return true;
}

/* r with M and F as the callbacks give them in double; G is exact. */
static void called(const hard_model *m, const hard_state *s, const hard_forces *f, long double *r) {
  int nv = hard_nv(m);
  double q[HARD_NQ], v[HARD_NV], F[HARD_NV], M[HARD_NV * HARD_NV];
  hard_user user = {.model = m, .calls_left = 1};
  ga_model_ops ops = hard_ops(m);
  ga_csr matrix = {.nrow = nv, .ncol = nv, .val = M};
  for (int i = 0; i < hard_nq(m); i++) q[i] = (double)s->q[i];
  for (int i = 0; i < nv; i++) v[i] = (double)s->v[i];
  ops.force(&user, (double)s->t, q, v, F);
  ops.mass(&user, (double)s->t, q, &matrix);
  for (int i = 0; i < nv; i++) {
    r[i] = f->r[i] + (f->F[i] - F[i]);
    for (int j = 0; j < nv; j++) r[i] += (M[i * nv + j] - f->M[i * nv + j]) * s->vd[j];
  }
}

/* A step as a function of v': q_1 = q + hhp v', v_1 = v + hs v', and the summands' sizes */
typedef struct line {
  long double q[HARD_NV], v[HARD_NV], q_sum[HARD_NV], v_sum[HARD_NV], hhp, hs;
} line;

/* The line of a step from the state before; where h has changed, a is first moved to the new h:
 * a <- v' + (h/h_old) (a - v'). False if the accepted step is not on it. */
static bool line_of(const hard_model *m, const hard_state *s, const hard_state *before, line *out) {
  hard_parameters p = hard_parameters_of(m);
  long double h = s->h, ratio = before->h > 0 ? h / before->h : 1, new = (1 - p.af) / (1 - p.am);
  if (fabsl(ratio - 1) <= 1e-4L) ratio = 1;
  out->hhp = h * h * p.beta * new;
  out->hs = h * p.gamma * new;
  for (int i = 0; i < m->n_flat; i++) {
    long double x0 = before->vd[i], a0 = x0 + ratio * (before->a[i] - x0), v0 = before->v[i];
    if (ratio == 1) a0 = before->a[i];
    long double kept = (p.af * x0 - p.am * a0) / (1 - p.am), x = s->vd[i];
    out->q[i] = before->q[i] + h * v0 + h * h * ((0.5L - p.beta) * a0 + p.beta * kept);
    out->v[i] = v0 + h * ((1 - p.gamma) * a0 + p.gamma * kept);
    long double size = fabsl(a0) + fabsl(x0) + fabsl(x);
    out->q_sum[i] = fabsl(before->q[i]) + h * fabsl(v0) + h * h * size;
    out->v_sum[i] = fabsl(v0) + h * size;
    if (!(fabsl(out->q[i] + out->hhp * x - s->q[i]) <= 16 * eps * out->q_sum[i]) ||
        !(fabsl(out->v[i] + out->hs * x - s->v[i]) <= 16 * eps * out->v_sum[i])) {
      return false;
    }
  }
  return true;
}

/* The inverse of A, n x n by rows; A is lost. */
static bool invert(int n, long double *A, long double *inverse) {
  for (int i = 0; i < n * n; i++) inverse[i] = i / n == i % n;
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int i = c + 1; i < n; i++) {
      if (fabsl(A[i * n + c]) > fabsl(A[best * n + c])) best = i;
    }
    if (!(fabsl(A[best * n + c]) > 0)) return false;
    for (int j = 0; j < n; j++) {
      long double a = A[c * n + j], b = inverse[c * n + j];
      A[c * n + j] = A[best * n + j], A[best * n + j] = a;
      inverse[c * n + j] = inverse[best * n + j], inverse[best * n + j] = b;
    }
    for (int i = 0; i < n; i++) {
      long double factor = A[i * n + c] / A[c * n + c];
      for (int j = 0; j < n && i != c; j++) {
        A[i * n + j] -= factor * A[c * n + j];
        inverse[i * n + j] -= factor * inverse[c * n + j];
      }
    }
  }
  for (int i = 0; i < n * n; i++) inverse[i] /= A[i / n * n + i / n];
  return true;
}

static void matrix_of(int n, const line *l, const hard_forces *f, long double *A) {
  for (int i = 0; i < n * n; i++) A[i] = f->M[i] + l->hhp * f->Kt[i] + l->hs * f->Ct[i];
}

/* x* in s->vd with q_1 and v_1 there, the forces and A^-1 at x* */
static bool find_root(const hard_model *m, const line *l, hard_state *s, hard_forces *f,
                      long double *inverse) {
  int n = m->n_flat;
  long double A[HARD_NV * HARD_NV], small[HARD_NV];
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    for (int i = 0; i < n; i++) {
      s->q[i] = l->q[i] + l->hhp * s->vd[i];
      s->v[i] = l->v[i] + l->hs * s->vd[i];
    }
    hard_forces_of(m, s, f);
    matrix_of(n, l, f, A);
    if (!invert(n, A, inverse)) return false;
    for (int i = 0; i < n; i++) small[i] = f->first[i] / 100;
    if (within(m, f->r, small)) return true;
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < n; i++) s->vd[j] -= inverse[j * n + i] * f->r[i];
    }
  }
  return false;
}

/* A is the same at both states but for 1e-4 of each row: no kink lies between them. */
static bool straight(int n, const line *l, const hard_forces *f, const hard_forces *other) {
  long double A[HARD_NV * HARD_NV], B[HARD_NV * HARD_NV];
  matrix_of(n, l, f, A);
  matrix_of(n, l, other, B);
  for (int i = 0; i < n; i++) {
    long double size = 0, change = 0;
    for (int j = 0; j < n; j++) {
      size += fabsl(A[i * n + j]);
      change += fabsl(A[i * n + j] - B[i * n + j]);
    }
    if (!(change <= 1e-4L * size)) return false;
  }
  return true;
}

/* Is x*_j, for some j, farther from all doubles than the bounds allow? They are widened by what is
 * left of r, by the one rounding of q_1 and v_1, which is half a hundredth of the first bound at
 * most, and by the roundings of long double. */
static bool excluded(const hard_model *m, const line *l, const hard_state *root,
                     const hard_forces *f, const long double *inverse) {
  int n = m->n_flat;
  long double wide[HARD_NV];
  for (int i = 0; i < n; i++) {
    wide[i] = 1.01L * f->first[i] + fabsl(f->r[i]);
    for (int j = 0; j < n; j++) {
      int e = i * n + j;
      wide[i] += fine * (fabsl(f->Kt[e]) * l->q_sum[j] + fabsl(f->Ct[e]) * l->v_sum[j] +
                         fabsl(f->M[e] * root->vd[j]));
    }
  }
  for (int j = 0; j < n; j++) {
    long double reach = fine * fabsl(root->vd[j]);
    for (int i = 0; i < n; i++) reach += 1.001L * fabsl(inverse[j * n + i]) * wide[i];
    if (fabsl(root->vd[j] - (double)root->vd[j]) > reach) return true;
  }
  return false;
}

static bool rounded_within(const hard_model *m, const hard_state *root) {
  hard_state s = *root;
  hard_forces f;
  for (int i = 0; i < m->n_flat; i++) {
    s.q[i] = (double)s.q[i];
    s.v[i] = (double)s.v[i];
    s.vd[i] = (double)s.vd[i];
  }
  hard_forces_of(m, &s, &f);
  return within(m, f.r, f.first);
}

hard_reach hard_reach_of(const hard_model *m, const hard_state *s, const hard_state *before,
                         bool *solution) {
  static hard_forces here, there;
  long double r[HARD_NV], tiny[HARD_NV], inverse[HARD_NV * HARD_NV];
  *solution = false;
  hard_forces_of(m, s, &here);
  for (int i = 0; i < hard_nv(m); i++) tiny[i] = here.first[i] + 1e-280L;
  if (within(m, here.r, tiny)) return REACH_UNDERFLOW;
  called(m, s, &here, r);
  if (within(m, r, here.first)) return REACH_CALLBACK;
  bool plain = m->n_rot == 0 && m->n_lam + m->n_psi == 0 && strcmp(m->method, "soi2") != 0;
  line l;
  hard_state root = *s;
  if (!plain || !line_of(m, s, before, &l)) return REACH_UNKNOWN;
  if (!find_root(m, &l, &root, &there, inverse)) return REACH_UNKNOWN;
  if (!straight(m->n_flat, &l, &here, &there)) return REACH_UNKNOWN;
  *solution = rounded_within(m, &root);
  return excluded(m, &l, &root, &there, inverse) ? REACH_NONE : REACH_SOME;
}
