/* SPDX-License-Identifier: MIT */
/* The checker of accepted steps, see checker.h. */
#include "checker.h"

#include <string.h>
#include <tgmath.h>

#define REAL long double
#define NOISE(x) ((void)(x), 0.0L)
#include "formulas.h"
#include "rows.h"

static const long double rounding = 0x1p-52L;
static const long double balance_tol = 1e-8L;    /* of the terms of a force row */
static const long double constraint_tol = 1e-8L; /* of the terms of a constraint row */
static const long double quotient_tol = 1e-7L;   /* of G^T lam where G is a difference quotient, */
static const long double quotient_step = 7e-4L;  /* eps^(1/5), a usual step for it */
static const long double generous = 100;         /* roundings of q and v in the first bound */
static const long double summands = 32;          /* roundings of each summand of q, v, v', F */

const char *hard_fault_name(hard_fault fault) {
  static const char *const name[FAULT_COUNT] = {"none",      "force",      "position", "velocity",
                                                "recursion", "not finite", "energy"};
  return name[fault];
}

static void widen(int n, const double *from, long double *to) {
  for (int i = 0; i < n; i++) to[i] = from[i];
}

hard_state hard_state_of(const hard_model *m, const ga_state *s) {
  hard_state out = {.t = s->t, .h = s->h};
  widen(hard_nq(m), s->q, out.q);
  widen(hard_nv(m), s->v, out.v);
  widen(hard_nv(m), s->vd, out.vd);
  if (s->a) widen(hard_nv(m), s->a, out.a);
  widen(m->n_lam, s->lam, out.lam);
  widen(m->n_psi, s->psi, out.psi);
  return out;
}

/* All that belongs to the force balance at a state. Matrices by rows. */
typedef struct balance {
  force_sum force;
  row_values rows;
  long double M[HARD_NV * HARD_NV], Kt[HARD_NV * HARD_NV];
  long double r[HARD_NV], terms[HARD_NV], reaction[HARD_NV];
  long double blur[HARD_NV]; /* what a rounding of G does to G^T lam, if G is a quotient */
} balance;

static long double multiplier(const hard_model *m, const hard_state *s, int n) {
  return n < m->n_lam ? s->lam[n] : s->psi[n - m->n_lam];
}

/* The rounding of row n of G, if that is a difference quotient: four of g, whose values are made of
 * |G||q|. */
static long double row_blur(const hard_model *m, const hard_state *s, const balance *b, int n) {
  int nv = hard_nv(m);
  long double size = 0;
  for (int j = 0; j < nv; j++) {
    size += fabs(b->rows.G[n * nv + j]) * (j < m->n_flat ? fabs(s->q[j]) : 1);
  }
  return 4 * rounding / quotient_step * size;
}

static void evaluate(const hard_model *m, const hard_state *s, balance *b) {
  int nv = hard_nv(m);
  sum_forces(m, s->t, 4 * rounding, s->q, s->v, &b->force);
  sum_mass(m, s->q, b->M);
  all_rows(m, s->t, s->q, s->v, &b->rows);
  for (int i = 0; i < nv * nv; i++) b->Kt[i] = -b->force.K[i];
  add_mass_tangent(m, s->q, s->vd, b->Kt);
  add_rows_tangent(m, s->q, s->lam, s->psi, b->Kt);
  for (int i = 0; i < nv; i++) {
    b->r[i] = -b->force.F[i];
    b->terms[i] = fabs(b->force.F[i]);
    b->reaction[i] = b->blur[i] = 0;
    for (int j = 0; j < nv; j++) {
      b->r[i] += b->M[i * nv + j] * s->vd[j];
      b->terms[i] += fabs(b->M[i * nv + j] * s->vd[j]);
    }
    for (int n = 0; n < m->n_lam + m->n_psi; n++) {
      long double reaction = b->rows.G[n * nv + i] * multiplier(m, s, n);
      b->r[i] += reaction;
      b->reaction[i] += fabs(reaction);
      if (reaction != 0) b->blur[i] += fabs(multiplier(m, s, n)) * row_blur(m, s, b, n);
    }
    b->terms[i] += b->reaction[i];
  }
}

/* Sizes of what is rounded: |q_i|, 1 for angles; |v_i|; and of the summands that q, v and v' come
 * from in the step. */
typedef struct sizes {
  long double q[HARD_NV], v[HARD_NV], q_sum[HARD_NV], v_sum[HARD_NV], vd_sum[HARD_NV];
} sizes;

static void sizes_of(const hard_model *m, const hard_state *s, const hard_state *before, sizes *z) {
  for (int i = 0; i < hard_nv(m); i++) {
    bool flat = i < m->n_flat;
    z->q[i] = z->q_sum[i] = flat ? fabs(s->q[i]) : 1;
    z->v[i] = z->v_sum[i] = fabs(s->v[i]);
    z->vd_sum[i] = fabs(s->vd[i]);
    if (!before) continue;
    long double h = s->h, vd = fabs(before->vd[i]) + fabs(s->vd[i]);
    long double a = fabs(before->a[i]) + fabs(s->a[i]) + vd;
    z->q_sum[i] += (flat ? fabs(before->q[i]) : 1) + h * fabs(before->v[i]) + h * h * a / 2;
    z->v_sum[i] += fabs(before->v[i]) + h * a;
    z->vd_sum[i] += a;
  }
  /* the three angles of a rotation share their rounding */
  for (int i = m->n_flat; i < hard_nv(m); i += 3) {
    long double all = z->q_sum[i] + z->q_sum[i + 1] + z->q_sum[i + 2];
    z->q_sum[i] = z->q_sum[i + 1] = z->q_sum[i + 2] = all;
  }
}

/* error above bound? A NaN is. Numbers below the square root of the smallest one underflow in the
 * products of double. */
static void judge(hard_verdict *out, hard_fault fault, int row, long double error,
                  long double terms, long double bound) {
  bound += 1e-280L;
  double ratio = (double)(error / (bound > 0 ? bound : 0x1p-1000L));
  if (error == 0) ratio = 0;
  if (!(ratio <= out->ratio)) out->ratio = ratio;
  if (!(error <= bound) && out->fault == FAULT_NONE) {
    out->fault = fault;
    out->row = row;
    out->error = (double)error;
    out->imbalance = (double)(error / terms);
  }
}

static void check_forces(const hard_model *m, const hard_state *s, const hard_state *before,
                         const balance *b, hard_verdict *out) {
  int nv = hard_nv(m);
  sizes z;
  sizes_of(m, s, before, &z);
  for (int i = 0; i < nv; i++) {
    long double change = 0, summed = b->force.size[i], inertia = 0;
    for (int j = 0; j < nv; j++) {
      long double K = fabs(b->Kt[i * nv + j]), C = fabs(b->force.C[i * nv + j]);
      change += K * z.q[j] + C * z.v[j];
      summed += K * z.q_sum[j] + C * z.v_sum[j];
      inertia += fabs(b->M[i * nv + j]) * z.vd_sum[j];
    }
    long double error = fabs(b->r[i]);
    long double first = balance_tol * b->terms[i] + generous * rounding * change;
    long double bound =
        first + summands * rounding * (summed + inertia) + 2 * b->force.noise[i] + b->force.jump[i];
    if (!m->give_jacobian) bound += quotient_tol * b->reaction[i] + b->blur[i];
    if (error > 0) {
      double ratio = (double)(error / (first > 0 ? first : 0x1p-1000L));
      double gross = (double)(error / (bound + balance_tol * (inertia + b->force.size[i])));
      if (!(ratio <= out->strict_ratio)) out->strict_ratio = ratio;
      if (!(gross <= out->gross_ratio)) out->gross_ratio = gross;
    }
    judge(out, FAULT_FORCE, i, error, b->terms[i], bound);
  }
}

void hard_forces_of(const hard_model *m, const hard_state *s, hard_forces *out) {
  int nv = hard_nv(m);
  balance b;
  sizes z;
  evaluate(m, s, &b);
  sizes_of(m, s, NULL, &z);
  memcpy(out->r, b.r, sizeof b.r);
  memcpy(out->F, b.force.F, sizeof b.force.F);
  memcpy(out->M, b.M, sizeof b.M);
  memcpy(out->Kt, b.Kt, sizeof b.Kt);
  for (int i = 0; i < nv * nv; i++) out->Ct[i] = -b.force.C[i];
  for (int i = 0; i < nv; i++) {
    long double change = 0;
    for (int j = 0; j < nv; j++) {
      change += fabs(b.Kt[i * nv + j]) * z.q[j] + fabs(b.force.C[i * nv + j]) * z.v[j];
    }
    out->first[i] = balance_tol * b.terms[i] + generous * rounding * change;
  }
}

/* Positions for the methods that solve g = 0, velocities for those that keep the hidden constraint
 * (all here but index3), and k = 0. The sizes are those of the summands of q and v, because a row
 * and all its terms may pass through zero; a rounding of q turns G, and quotients are blurred. */
static void check_rows(const hard_model *m, const hard_state *s, const hard_state *before,
                       const balance *b, hard_verdict *out) {
  int nv = hard_nv(m);
  bool hidden = strcmp(m->method, "index3") != 0;
  sizes z;
  sizes_of(m, s, before, &z);
  for (int n = 0; n < m->n_lam + m->n_psi; n++) {
    const long double *G = b->rows.G + n * nv;
    long double rate = b->rows.gt[n], size_q = 0, size_v = fabs(rate), turned = 0, Z[HARD_NV];
    long double blur = m->give_jacobian ? 0 : row_blur(m, s, b, n), blurred = 0;
    rate_tangent(m, &m->row[n], s->q, s->v, Z);
    for (int j = 0; j < nv; j++) {
      if (G[j] != 0) blurred += blur * fabs(s->v[j]);
      turned += fabs(Z[j]) * z.q_sum[j];
      size_q += fabs(G[j]) * z.q_sum[j];
      size_v += fabs(G[j]) * z.v_sum[j];
      rate += G[j] * s->v[j];
    }
    if (n < m->n_lam) {
      double g = (double)(fabs(b->rows.value[n]) / size_q);
      if (!(g <= out->position)) out->position = g;
      judge(out, FAULT_POSITION, n, fabs(b->rows.value[n]), size_q, constraint_tol * size_q);
    }
    /* what is slower than a rounding of q in the step is rounded like that */
    long double slow = s->h > 0 ? rounding * size_q / s->h : 0;
    long double bound = summands * rounding * (turned + slow) + blurred;
    if (hidden || n >= m->n_lam)
      judge(out, FAULT_VELOCITY, n, fabs(rate), size_v, constraint_tol * size_v + bound);
  }
}

static bool all_finite(int n, const long double *x) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

/* The reported v' and multipliers balance the forces, but for two cases. soi2 reports the
 * multipliers of its step and v' of the equations of motion; hard_check_recursion judges it.
 * index3 moves v_0 at the start, after v'_0 and lam_0 were found. */
static bool balanced_by_itself(const hard_model *m, const hard_state *s) {
  if (m->n_lam + m->n_psi == 0) return true;
  if (strcmp(m->method, "soi2") == 0) return false;
  return s->h > 0 || strcmp(m->method, "index3") != 0;
}

hard_verdict hard_check(const hard_model *m, const hard_state *s, const hard_state *before) {
  hard_verdict out = {.row = -1};
  int nv = hard_nv(m);
  if (!all_finite(hard_nq(m), s->q) || !all_finite(nv, s->v) || !all_finite(nv, s->vd) ||
      !all_finite(nv, s->a) || !all_finite(m->n_lam, s->lam) || !all_finite(m->n_psi, s->psi)) {
    return (hard_verdict){.fault = FAULT_NOT_FINITE, .row = -1, .ratio = (double)INFINITY};
  }
  balance b;
  evaluate(m, s, &b);
  if (balanced_by_itself(m, s)) check_forces(m, s, before, &b, &out);
  check_rows(m, s, before, &b, &out);
  return out;
}

static bool constant_mass(const hard_model *m) {
  for (int n = 0; n < m->n_element; n++) {
    if (m->element[n].shape == SHAPE_COSINE_MASS || m->element[n].shape == SHAPE_POLAR_MASS)
      return false;
  }
  return true;
}

hard_parameters hard_parameters_of(const hard_model *m) {
  long double rho = m->rho;
  hard_parameters p = {.am = (2 * rho - 1) / (1 + rho), .af = rho / (1 + rho)};
  long double alpha = p.am - p.af;
  p.gamma = 0.5L - alpha;
  p.beta = (1 - alpha) * (1 - alpha) / 4;
  return p;
}

/* What rounding and noise may do to row i of the forces at a state. */
static long double row_noise(const hard_model *m, const balance *b, const sizes *z, int i) {
  int nv = hard_nv(m);
  long double change = b->force.size[i];
  for (int j = 0; j < nv; j++) {
    change += fabs(b->Kt[i * nv + j]) * z->q_sum[j] + fabs(b->force.C[i * nv + j]) * z->v_sum[j];
  }
  return generous * rounding * change + 2 * b->force.noise[i] + b->force.jump[i];
}

/* soi2 with a constant mass: M ((1 - alpha_m) a_1 + alpha_m a_0) is the weighted sum of the forces
 * F - G^T lam - H^T psi at both ends, as balanced as the other methods' forces are. */
static void check_weighted(const hard_model *m, const hard_state *s, const hard_state *before,
                           hard_parameters p, hard_verdict *out) {
  if (!constant_mass(m)) return;
  int nv = hard_nv(m);
  balance b[2];
  const hard_state *end[2] = {before, s};
  const long double weight[2] = {p.af, 1 - p.af};
  sizes z;
  sizes_of(m, s, before, &z);
  for (int e = 0; e < 2; e++) evaluate(m, end[e], &b[e]);
  for (int i = 0; i < nv; i++) {
    long double M = m->mass[i], r = M * ((1 - p.am) * s->a[i] + p.am * before->a[i]);
    long double terms = M * (fabs(s->a[i]) + fabs(before->a[i])), noise = 0;
    for (int e = 0; e < 2; e++) {
      long double inertia = M * end[e]->vd[i];
      r -= weight[e] * (inertia - b[e].r[i]);
      terms += b[e].terms[i] - fabs(inertia);
      noise += row_noise(m, &b[e], &z, i);
    }
    judge(out, FAULT_RECURSION, i, fabs(r), terms, balance_tol * terms + noise);
  }
}

/* The formulas of the methods with fixed steps:
 *     v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1)
 *     q_1 = q_0 + h v_0 + h^2 ((1/2 - beta) a_0 + beta a_1)       without eta
 *     (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) v'_1 + alpha_f v'_0 */
hard_verdict hard_check_recursion(const hard_model *m, const hard_state *s,
                                  const hard_state *before) {
  hard_verdict out = {.row = -1};
  const long double tol = 1e-11L; /* these are assignments: rounding, and room for other orders */
  bool weighted = strcmp(m->method, "soi2") == 0;
  bool plain_q = !weighted && (m->n_lam == 0 || strcmp(m->method, "index3") == 0);
  hard_parameters p = hard_parameters_of(m);
  long double h = s->h;
  for (int i = 0; i < hard_nv(m); i++) {
    long double a0 = before->a[i], a1 = s->a[i], v0 = before->v[i];
    long double size = fabs(a0) + fabs(a1);
    long double dv = s->v[i] - v0 - h * ((1 - p.gamma) * a0 + p.gamma * a1);
    /* the library may sum v' instead of a, which can be far smaller */
    long double speed = fabs(v0) + fabs(s->v[i]) + h * size;
    long double unsummed = summands * rounding * h * (fabs(s->vd[i]) + fabs(before->vd[i]));
    judge(&out, FAULT_RECURSION, i, fabs(dv), speed, tol * speed + unsummed);
    if (plain_q && i < m->n_flat) {
      long double w = h * v0 + h * h * ((0.5L - p.beta) * a0 + p.beta * a1);
      long double bound = fabs(before->q[i]) + fabs(s->q[i]) + h * fabs(v0) + h * h * size;
      judge(&out, FAULT_RECURSION, i, fabs(s->q[i] - before->q[i] - w), bound,
            tol * bound + h * unsummed);
    }
    if (weighted) continue;
    long double da = (1 - p.am) * a1 + p.am * a0 - (1 - p.af) * s->vd[i] - p.af * before->vd[i];
    size += fabs(s->vd[i]) + fabs(before->vd[i]);
    judge(&out, FAULT_RECURSION, i, fabs(da), size, tol * size);
  }
  if (weighted) check_weighted(m, s, before, p, &out);
  return out;
}

long double hard_energy(const hard_model *m, const hard_state *s) {
  long double energy = 0;
  for (int i = 0; i < hard_nv(m); i++) energy += m->mass[i] * s->v[i] * s->v[i] / 2;
  for (int n = 0; n < m->n_element; n++) {
    const hard_element *element = &m->element[n];
    const long double *q = s->q + element->i, *other = element->j < 0 ? NULL : s->q + element->j;
    long double x = q[0] - (other ? other[0] : 0);
    if (element->shape == SHAPE_PLANE) {
      x = hypot(q[0] - (other ? other[0] : element->anchor[0]),
                q[1] - (other ? other[1] : element->anchor[1]));
    }
    long double stretch = x - element->p[1];
    energy +=
        element->law == LAW_constant ? -element->p[0] * x : element->p[0] * stretch * stretch / 2;
  }
  return energy;
}

/* q o exp(w e_j) to first order, symmetric in w */
static void moved(const hard_model *m, hard_state *s, int j, long double w) {
  if (j < m->n_flat) {
    s->q[j] += w;
    return;
  }
  int turn = (j - m->n_flat) / 3, a = (j - m->n_flat) % 3, b = (a + 1) % 3, c = (a + 2) % 3;
  long double *x = s->q + m->n_flat + 4 * turn, old[4];
  memcpy(old, x, sizeof old);
  x[0] -= old[1 + a] * w / 2;
  x[1 + a] += old[0] * w / 2;
  x[1 + b] += old[1 + c] * w / 2;
  x[1 + c] -= old[1 + b] * w / 2;
}

static double larger(double worst, long double value, long double exact, long double size) {
  double error = (double)(fabs(value - exact) / (fabs(exact) + size));
  return error <= worst ? worst : error;
}

double hard_derivative_error(const hard_model *m, const hard_state *s) {
  int nv = hard_nv(m), rows = m->n_lam + m->n_psi;
  static balance here, up, down;
  double worst = 0;
  evaluate(m, s, &here);
  for (int j = 0; j < nv; j++) {
    hard_state high = *s, low = *s;
    long double w = 1e-9L * (j < m->n_flat ? fabs(s->q[j]) + 1e-3L : 1);
    moved(m, &high, j, w);
    moved(m, &low, j, -w);
    evaluate(m, &high, &up);
    evaluate(m, &low, &down);
    for (int i = 0; i < nv; i++) {
      long double size = 1e-3L * (up.terms[i] + here.force.size[i]);
      worst = larger(worst, (up.r[i] - down.r[i]) / (2 * w), here.Kt[i * nv + j], size);
    }
    for (int n = 0; n < m->n_lam; n++) {
      long double G = (up.rows.value[n] - down.rows.value[n]) / (2 * w);
      worst = larger(worst, G, here.rows.G[n * nv + j], 1e-3L);
    }
    high = low = *s;
    w = 1e-9L * (fabs(s->v[j]) + 1e-3L);
    high.v[j] += w;
    low.v[j] -= w;
    evaluate(m, &high, &up);
    evaluate(m, &low, &down);
    for (int i = 0; i < nv; i++) {
      long double size = 1e-3L * (up.terms[i] + here.force.size[i]);
      worst = larger(worst, (up.r[i] - down.r[i]) / (2 * w), -here.force.C[i * nv + j], size);
    }
    for (int n = m->n_lam; n < rows; n++) {
      long double H = (up.rows.value[n] - down.rows.value[n]) / (2 * w);
      worst = larger(worst, H, here.rows.G[n * nv + j], 1e-3L);
    }
  }
  return worst;
}
