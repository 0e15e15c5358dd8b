/* SPDX-License-Identifier: MIT */
/* The equations of one step in long double, see step_root.h. */
#include "step_root.h"

#include <math.h>
#include <string.h>

hard_parameters hard_parameters_of(const hard_model *m) {
  long double rho = m->rho;
  hard_parameters p = {.am = (2 * rho - 1) / (1 + rho), .af = rho / (1 + rho)};
  long double alpha = p.am - p.af;
  p.gamma = 0.5L - alpha;
  p.beta = (1 - alpha) * (1 - alpha) / 4;
  return p;
}

/* y += by A x, A of n rows and nv columns */
static void add_product(int n, int nv, long double by, const long double *A, const long double *x,
                        long double *y) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < nv; j++) y[i] += by * A[i * nv + j] * x[j];
  }
}

/* y += by A^T x */
static void add_transposed(int n, int nv, long double by, const long double *A,
                           const long double *x, long double *y) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < nv; j++) y[j] += by * A[i * nv + j] * x[i];
  }
}

/* Magnitudes of the summands of q_1 and v_1; the three angles of a rotation share theirs. */
static void find_sizes(hard_step *s) {
  const hard_state *before = s->before, *now = s->now;
  long double h = now->h;
  int flat = s->model->n_flat;
  for (int i = 0; i < s->nv; i++) {
    long double a =
        fabsl(before->a[i]) + fabsl(now->a[i]) + fabsl(before->vd[i]) + fabsl(now->vd[i]);
    s->q_size[i] = i < flat ? fabsl(before->q[i]) + fabsl(now->q[i]) : 1;
    s->q_size[i] += h * fabsl(before->v[i]) + h * h * a / 2;
    s->v_size[i] = fabsl(before->v[i]) + fabsl(now->v[i]) + h * a;
  }
  for (int i = flat; i < s->nv; i += 3) {
    long double all = s->q_size[i] + s->q_size[i + 1] + s->q_size[i + 2];
    s->q_size[i] = s->q_size[i + 1] = s->q_size[i + 2] = all;
  }
}

static const long double eight = 8 * 0x1p-52L; /* eight roundings */

/* soi2: M_{1+alpha}, the terms alpha_m M_alpha a_0 - alpha_f f_0 over 1 - alpha_f, their magnitudes,
 * what noise and eight roundings of q_0, v_0 do to f_0, and a~ of the accepted q_1 */
static void find_old_terms(hard_step *s, const hard_parameters *p, const hard_memory *a_0) {
  static hard_balance b;
  const hard_model *m = s->model;
  const hard_state *before = s->before;
  long double h = s->now->h, alpha = p->am - p->af, M[HARD_NV * HARD_NV], w[HARD_NV], q[HARD_NQ];
  for (int i = 0; i < s->nv; i++) w[i] = (1 + alpha) * h * before->v[i];
  hard_move(m, before->q, w, q);
  hard_mass_at(m, q, s->M1);
  for (int i = 0; i < s->nv; i++) w[i] = alpha * h * before->v[i];
  hard_move(m, before->q, w, q);
  hard_mass_at(m, q, M);
  hard_evaluate(m, before, false, &b);
  for (int i = 0; i < s->nv; i++) {
    long double f = b.F[i] - b.push[i], inertia = 0, size = 0;
    for (int j = 0; j < s->nv; j++) {
      inertia += M[i * s->nv + j] * a_0->a[j];
      size += fabsl(M[i * s->nv + j] * a_0->a[j]);
    }
    s->old[i] = (p->am * inertia - p->af * f) / (1 - p->af);
    s->old_size[i] = (fabsl(p->am) * size + p->af * (b.size[i] + fabsl(b.push[i]))) / (1 - p->af);
    s->old_noise[i] = 2 * b.noise[i] + b.jump[i];
    for (int j = 0; j < s->nv; j++) {
      s->old_noise[i] +=
          eight * fabsl(b.K[i * s->nv + j]) * (j < m->n_flat ? fabsl(before->q[j]) : 1);
      s->old_noise[i] += eight * fabsl(b.C[i * s->nv + j] * before->v[j]);
    }
    s->old_noise[i] *= p->af / (1 - p->af);
    for (int j = 0; j < s->nv; j++) {
      s->old_noise[i] += fabsl(p->am * M[i * s->nv + j]) * a_0->error[j] / (1 - p->af);
    }
    s->tilde[i] = (s->W[i] - h * before->v[i] - h * h * (0.5L - p->beta) * a_0->a[i]) / s->by_q;
  }
}

void hard_step_open(hard_step *s, const hard_model *m, const hard_state *before,
                    const hard_state *now, const hard_memory *a_0) {
  hard_parameters p = hard_parameters_of(m);
  hard_lu lu = s->lu;
  long double h = now->h, near[HARD_NV];
  *s = (hard_step){.model = m, .before = before, .now = now, .lu = lu, .m1 = 1};
  s->nv = hard_nv(m);
  s->nl = m->n_lam;
  s->np = m->n_psi;
  s->weighted = strcmp(m->method, "soi2") == 0;
  s->eta = strcmp(m->method, "stab2") == 0 && s->nl > 0;
  long double unit = s->weighted ? 1 : (1 - p.af) / (1 - p.am);
  s->by_q = h * h * p.beta * unit;
  s->by_v = h * p.gamma * unit;
  if (s->weighted) s->m1 = (1 - p.am) / (1 - p.af);
  s->at_x = s->weighted ? s->nv + s->nl + s->np : 0;
  s->at_lam = s->at_x + s->nv;
  s->at_eta = s->at_lam + s->nl + s->np;
  s->n = s->at_eta + (s->eta ? s->nl : 0);
  for (int i = 0; i < s->nv; i++) {
    near[i] = h * before->v[i] + h * h * ((0.5L - p.beta) * before->a[i] + p.beta * now->a[i]);
  }
  hard_log(m, before->q, now->q, near, s->W);
  find_sizes(s);
  static hard_balance b;
  hard_evaluate(m, before, false, &b);
  memcpy(s->G0, b.G, sizeof s->G0);
  if (s->weighted) find_old_terms(s, &p, a_0);
}

void hard_step_close(hard_step *s) {
  hard_lu_close(&s->lu);
}

void hard_step_accepted(const hard_step *s, long double *X) {
  memset(X, 0, sizeof *X * (size_t)s->n);
  for (int i = 0; i < s->nl; i++) X[s->at_lam + i] = s->now->lam[i];
  for (int i = 0; i < s->np; i++) X[s->at_lam + s->nl + i] = s->now->psi[i];
  for (int i = 0; s->weighted && i < s->nl + s->np; i++) X[s->nv + i] = X[s->at_lam + i];
}

/* The increment of position that dX makes, before exp. */
static void increment(const hard_step *s, const long double *dX, long double *w) {
  for (int i = 0; i < s->nv; i++) w[i] = s->by_q * dX[s->at_pos + i];
  if (s->eta) add_transposed(s->nl, s->nv, -s->now->h, s->G0, dX + s->at_eta, w);
}

/* A <- A T in place, for rows of nv entries; T at W */
static void times_tangent(const hard_step *s, const long double *w, int rows, long double *A) {
  for (int b = s->model->n_flat; b < s->nv; b += 3) {
    long double T[9];
    hard_tangent(w + b, T);
    for (int i = 0; i < rows; i++) {
      long double *a = A + i * s->nv + b, old[3] = {a[0], a[1], a[2]};
      for (int c = 0; c < 3; c++) a[c] = old[0] * T[c] + old[1] * T[3 + c] + old[2] * T[6 + c];
    }
  }
}

/* Rows of r from `row` on whose derivative by the increment is P (with T) and by v is V; v moves
 * with the unknowns at `at`. */
static void put_rows(hard_step *s, int row, int rows, int at, const long double *P,
                     const long double *V) {
  int n = s->n, nv = s->nv;
  for (int i = 0; i < rows; i++) {
    long double *J = s->lu.A + (size_t)(row + i) * (size_t)n;
    for (int j = 0; j < nv; j++) {
      J[s->at_pos + j] += s->by_q * P[i * nv + j];
      if (V) J[at + j] += s->by_v * V[i * nv + j];
    }
    if (s->eta) add_product(s->nl, nv, -s->now->h, s->G0, P + i * nv, J + s->at_eta);
  }
}

/* Force rows from `row` on: inertia at the unknowns `at`, multipliers at `mult`. */
static void put_forces(hard_step *s, int row, int at, int mult, const long double *M,
                       const long double *K, int multipliers) {
  int n = s->n, nv = s->nv;
  put_rows(s, row, nv, s->at_x, K, s->b.C);
  for (int i = 0; i < nv; i++) {
    long double *J = s->lu.A + (size_t)(row + i) * (size_t)n;
    for (int j = 0; j < nv; j++) J[at + j] += s->m1 * M[i * nv + j];
    for (int k = 0; k < multipliers; k++) J[mult + k] += s->b.G[k * nv + i];
  }
}

/* The state at X, and the increment w of its position. */
static void state_at(const hard_step *s, const long double *X, hard_state *to, long double *w) {
  long double d[HARD_NV];
  increment(s, X, d);
  *to = *s->now;
  for (int i = 0; i < s->nv; i++) w[i] = s->W[i] + d[i];
  hard_move(s->model, s->before->q, w, to->q);
  for (int i = 0; i < s->model->n_flat; i++) to->q[i] = s->now->q[i] + d[i];
  for (int i = 0; i < s->nv; i++) {
    to->v[i] += s->by_v * X[s->at_x + i];
    to->vd[i] += X[s->at_x + i];
  }
  for (int i = 0; i < s->nl; i++) to->lam[i] = X[s->at_lam + i];
  for (int i = 0; i < s->np; i++) to->psi[i] = X[s->at_lam + s->nl + i];
}

/* r of weighted rows; the multipliers' forces are `push` */
static void weighted_rows(const hard_step *s, const long double *x0, const long double *dx,
                          const long double *push, long double *r) {
  for (int i = 0; i < s->nv; i++) {
    r[i] = s->old[i] - s->b.F[i] + push[i];
    for (int j = 0; j < s->nv; j++) r[i] += s->m1 * s->M1[i * s->nv + j] * (x0[j] + dx[j]);
  }
}

/* soi2: the rows with the multipliers lam~, psi~, and k at v~; `other` has their derivatives. */
static void tilde_rows(hard_step *s, const long double *X, const hard_state *here, int at_k,
                       hard_balance *other) {
  hard_state tilde = *here;
  int nv = s->nv, nl = s->nl, np = s->np;
  memcpy(tilde.lam, X + nv, sizeof *X * (size_t)nl);
  memcpy(tilde.psi, X + nv + nl, sizeof *X * (size_t)np);
  hard_evaluate(s->model, &tilde, false, other);
  weighted_rows(s, s->tilde, X, other->push, s->r);
  if (np == 0) return;
  static hard_balance at_tilde;
  for (int i = 0; i < nv; i++) {
    tilde.v[i] += s->by_v * (s->tilde[i] + X[i] - s->now->a[i] - X[s->at_x + i]);
  }
  hard_evaluate(s->model, &tilde, false, &at_tilde);
  memcpy(s->r + at_k, at_tilde.value + nl, sizeof *X * (size_t)np);
  memcpy(other->Z, at_tilde.Z, sizeof other->Z);
}

/* The derivative of r from what the balances say; w is the increment of the position. */
static void derive(hard_step *s, const long double *w, hard_balance *other) {
  int nv = s->nv, nl = s->nl, np = s->np, at = s->weighted ? nv : 0, row = at + nv;
  long double K[HARD_NV * HARD_NV], G[HARD_ROWS * HARD_NV], Z[HARD_ROWS * HARD_NV];
  memcpy(K, s->b.K, sizeof K);
  memcpy(G, s->b.G, sizeof G);
  memcpy(Z, s->b.Z, sizeof Z);
  times_tangent(s, w, nv, K);
  times_tangent(s, w, nl + np, G);
  times_tangent(s, w, nl + np, Z);
  put_forces(s, at, s->at_x, s->at_lam, s->weighted ? s->M1 : s->b.M, K, nl + np);
  put_rows(s, row, nl, s->at_x, G, NULL);
  put_rows(s, row + nl, np, s->at_x, Z + nl * nv, s->b.G + nl * nv);
  if (s->eta || s->weighted) put_rows(s, row + nl + np, nl, s->at_x, Z, s->b.G);
  if (!s->weighted) return;
  times_tangent(s, w, nv, other->K);
  times_tangent(s, w, nl + np, other->Z);
  put_forces(s, 0, s->at_pos, nv, s->M1, other->K, nl + np);
  put_rows(s, row + 2 * nl + np, np, s->at_pos, other->Z + nl * nv, s->b.G + nl * nv);
}

bool hard_step_evaluate(hard_step *s, const long double *X, bool derivative) {
  static hard_balance other;
  int nv = s->nv, nl = s->nl, np = s->np, at = s->weighted ? nv : 0, row = at + nv;
  hard_state here;
  long double w[HARD_NV];
  state_at(s, X, &here, w);
  hard_evaluate(s->model, &here, !s->weighted, &s->b);
  memcpy(s->r + at, s->b.r, sizeof *s->r * (size_t)nv);
  memcpy(s->r + row, s->b.value, sizeof *s->r * (size_t)(nl + np));
  if (s->eta || s->weighted) memcpy(s->r + row + nl + np, s->b.rate, sizeof *s->r * (size_t)nl);
  if (s->weighted) {
    weighted_rows(s, s->now->a, X + s->at_x, s->b.push, s->r + at);
    tilde_rows(s, X, &here, row + 2 * nl + np, &other);
  }
  for (int i = 0; i < s->n; i++) {
    if (!isfinite(s->r[i])) return false;
  }
  if (!derivative) return true;
  if (!hard_lu_open(&s->lu, s->n)) return false;
  derive(s, w, &other);
  return true;
}

void hard_step_first_order(const hard_step *s, const long double *dX, hard_results out) {
  memset(out, 0, sizeof(hard_results));
  increment(s, dX, out[HARD_POSITION]);
  for (int i = 0; i < s->nv; i++) {
    out[HARD_ACCELERATION][i] = dX[s->at_x + i];
    out[HARD_VELOCITY][i] = s->by_v * dX[s->at_x + i];
  }
  add_transposed(s->nl + s->np, s->nv, 1, s->b.G, dX + s->at_lam, out[HARD_FORCE]);
}

void hard_step_change(const hard_step *s, const long double *X, const long double *push,
                      hard_results out) {
  hard_step_first_order(s, X, out);
  for (int i = 0; i < s->nv; i++) out[HARD_FORCE][i] = s->b.push[i] - push[i];
}

void hard_step_column(const hard_step *s, int j, bool of_q, long double *out) {
  int nv = s->nv, nl = s->nl, np = s->np, row = 0;
  const hard_balance *b = &s->b;
  memset(out, 0, sizeof *out * (size_t)s->n);
  for (int half = 0; half < (s->weighted ? 2 : 1); half++) {
    for (int i = 0; i < nv; i++) out[row++] = of_q ? b->K[i * nv + j] : b->C[i * nv + j];
  }
  for (int i = 0; i < nl; i++) out[row++] = of_q ? b->G[i * nv + j] : 0;
  for (int i = nl; i < nl + np; i++) out[row++] = of_q ? b->Z[i * nv + j] : b->G[i * nv + j];
  for (int i = 0; i < nl && (s->eta || s->weighted); i++) {
    out[row++] = of_q ? b->Z[i * nv + j] : b->G[i * nv + j];
  }
  for (int i = nl; i < nl + np && s->weighted; i++) {
    out[row++] = of_q ? b->Z[i * nv + j] : b->G[i * nv + j];
  }
}
