/* SPDX-License-Identifier: MIT */
/* The equations of a model in long double, see balance.h. */
#include "balance.h"

#include <string.h>
#include <tgmath.h>

#define REAL long double
#define NOISE(x) ((void)(x), 0.0L)
#include "formulas.h"
#include "rows.h"

static const long double rounding = 0x1p-52L;

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

static long double multiplier(const hard_model *m, const hard_state *s, int n) {
  return n < m->n_lam ? s->lam[n] : s->psi[n - m->n_lam];
}

/* The constraint rows: values, rates, G, Z, and the sizes of their summands. */
static void evaluate_rows(const hard_model *m, const hard_state *s, hard_balance *b) {
  int nv = hard_nv(m);
  row_values rows;
  all_rows(m, s->t, s->q, s->v, &rows);
  memcpy(b->G, rows.G, sizeof rows.G);
  for (int n = 0; n < m->n_lam + m->n_psi; n++) {
    const hard_row *row = &m->row[n];
    b->value[n] = rows.value[n];
    b->rate[n] = rows.gt[n];
    b->value_size[n] = row_constant(row);
    b->rate_size[n] = fabs(rows.gt[n]);
    rate_tangent(m, row, s->q, s->v, b->Z + n * nv);
    for (int j = 0; j < nv; j++) {
      long double G = b->G[n * nv + j];
      b->rate[n] += G * s->v[j];
      b->rate_size[n] += fabs(G * s->v[j]);
      b->value_size[n] += fabs(G) * (j < m->n_flat ? fabs(s->q[j]) : 1);
    }
  }
}

void hard_evaluate(const hard_model *m, const hard_state *s, bool inertia, hard_balance *b) {
  int nv = hard_nv(m);
  force_sum force;
  sum_forces(m, s->t, 4 * rounding, s->q, s->v, &force);
  sum_mass(m, s->q, b->M);
  evaluate_rows(m, s, b);
  for (int i = 0; i < nv * nv; i++) {
    b->K[i] = -force.K[i];
    b->C[i] = -force.C[i];
  }
  if (inertia) add_mass_tangent(m, s->q, s->vd, b->K);
  add_rows_tangent(m, s->q, s->lam, s->psi, b->K);
  for (int i = 0; i < nv; i++) {
    b->F[i] = force.F[i];
    b->size[i] = force.size[i];
    b->jump[i] = force.jump[i];
    b->noise[i] = force.noise[i];
    b->push[i] = 0;
    for (int n = 0; n < m->n_lam + m->n_psi; n++) {
      b->push[i] += b->G[n * nv + i] * multiplier(m, s, n);
    }
    b->r[i] = b->push[i] - b->F[i];
    for (int j = 0; j < nv; j++) b->r[i] += b->M[i * nv + j] * s->vd[j];
  }
}

void hard_mass_at(const hard_model *m, const long double *q, long double *M) {
  sum_mass(m, q, M);
}

/* ---- rotations --------------------------------------------------------------------------- */

/* to = p times the quaternion (c, s) */
static void multiply(const long double p[4], long double c, const long double s[3],
                     long double to[4]) {
  long double old[4];
  memcpy(old, p, sizeof old);
  to[0] = old[0] * c - old[1] * s[0] - old[2] * s[1] - old[3] * s[2];
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    to[1 + a] = old[0] * s[a] + old[1 + a] * c + old[1 + b] * s[d] - old[1 + d] * s[b];
  }
}

static long double length(const long double w[3]) {
  return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

void hard_move(const hard_model *m, const long double *from, const long double *w,
               long double *to) {
  for (int i = 0; i < m->n_flat; i++) to[i] = from[i] + w[i];
  for (int b = 0; b < m->n_rot; b++) {
    const long double *turn = w + m->n_flat + 3 * b;
    long double angle = length(turn), s[3];
    long double by = angle > 0 ? sin(angle / 2) / angle : 0.5L;
    for (int a = 0; a < 3; a++) s[a] = by * turn[a];
    multiply(from + m->n_flat + 4 * b, cos(angle / 2), s, to + m->n_flat + 4 * b);
  }
}

void hard_log(const hard_model *m, const long double *from, const long double *to,
              const long double *near, long double *w) {
  const long double whole = 2 * acos(-1.0L);
  for (int i = 0; i < m->n_flat; i++) w[i] = to[i] - from[i];
  for (int b = 0; b < m->n_rot; b++) {
    int at = m->n_flat + 3 * b;
    const long double *p = from + m->n_flat + 4 * b, *r = to + m->n_flat + 4 * b;
    const long double back[4] = {p[0], -p[1], -p[2], -p[3]};
    long double d[4];
    multiply(back, r[0], r + 1, d);
    long double s = length(d + 1), angle = 2 * atan2(s, d[0]), along = 0;
    long double unit = s > 0 ? 1 / s : 2, e[3];
    for (int a = 0; a < 3; a++) {
      e[a] = d[1 + a] * unit;
      along += e[a] * near[at + a];
    }
    if (s > 0) angle += whole * round((along - angle) / whole);
    for (int a = 0; a < 3; a++) w[at + a] = s > 0 ? angle * e[a] : e[a];
  }
}

void hard_tangent(const long double w[3], long double T[9]) {
  long double angle = length(w), x = angle * angle;
  /* (1 - cos)/angle^2 and (angle - sin)/angle^3; series near 0 */
  long double by = 0.5L - x / 24 + x * x / 720, square = 1.0L / 6 - x / 120 + x * x / 5040;
  if (angle > 1e-3L) {
    by = (1 - cos(angle)) / x;
    square = (angle - sin(angle)) / (x * angle);
  }
  const long double hat[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      long double twice = 0;
      for (int k = 0; k < 3; k++) twice += hat[3 * i + k] * hat[3 * k + j];
      T[3 * i + j] = (i == j) - by * hat[3 * i + j] + square * twice;
    }
  }
}

/* ---- energy and derivatives --------------------------------------------------------------- */

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

static double larger(double worst, long double value, long double exact, long double size) {
  double error = (double)(fabs(value - exact) / (fabs(exact) + size));
  return error <= worst ? worst : error;
}

/* Differences between `up` and `down`, 2 w apart in direction j, against the exact derivatives: of
 * r and of the rows from `first` to `end`, whose values are g or k. */
static double compare(const hard_model *m, const hard_balance *here, const hard_balance *up,
                      const hard_balance *down, int j, long double w, bool of_q, double worst) {
  int nv = hard_nv(m), rows = m->n_lam + m->n_psi;
  const long double *exact = of_q ? here->K : here->C;
  for (int i = 0; i < nv; i++) {
    long double size = 1e-3L * (fabs(up->F[i]) + fabs(up->push[i]) + here->size[i]);
    for (int k = 0; k < nv; k++) size += 1e-2L * fabs(here->M[i * nv + k]);
    worst = larger(worst, (up->r[i] - down->r[i]) / (2 * w), exact[i * nv + j], size);
  }
  for (int n = of_q ? 0 : m->n_lam; n < (of_q ? m->n_lam : rows); n++) {
    long double G = (up->value[n] - down->value[n]) / (2 * w);
    worst = larger(worst, G, here->G[n * nv + j], 1e-3L);
  }
  for (int n = 0; of_q && n < rows; n++) {
    long double Z = (up->rate[n] - down->rate[n]) / (2 * w);
    worst = larger(worst, Z, here->Z[n * nv + j], 1e-3L * (1 + here->rate_size[n]));
  }
  return worst;
}

double hard_derivative_error(const hard_model *m, const hard_state *s) {
  int nv = hard_nv(m);
  static hard_balance here, up, down;
  double worst = 0;
  hard_evaluate(m, s, true, &here);
  for (int j = 0; j < nv; j++) {
    hard_state high = *s, low = *s;
    long double w = 1e-9L * (j < m->n_flat ? fabs(s->q[j]) + 1e-3L : 1), d[HARD_NV] = {0};
    d[j] = w;
    hard_move(m, s->q, d, high.q);
    d[j] = -w;
    hard_move(m, s->q, d, low.q);
    hard_evaluate(m, &high, true, &up);
    hard_evaluate(m, &low, true, &down);
    worst = compare(m, &here, &up, &down, j, w, true, worst);
    high = low = *s;
    w = 1e-9L * (fabs(s->v[j]) + 1e-3L);
    high.v[j] += w;
    low.v[j] -= w;
    hard_evaluate(m, &high, true, &up);
    hard_evaluate(m, &low, true, &down);
    worst = compare(m, &here, &up, &down, j, w, false, worst);
  }
  return worst;
}
