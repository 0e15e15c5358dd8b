/* SPDX-License-Identifier: MIT */
/* Rows and tangents of a force at a point that moves on both bodies (touch.h). */
#include "mechanism/contact/touch.h"

#include <string.h>

/* d <- t, fixed on A (side 0) or B (side 1): dt = dphi x t = -t~ dphi. */
void ga_moving_on(int side, const double *t, ga_moving *d) {
  double S[9];
  ga_copy3(t, d->t);
  memset(d->D, 0, sizeof d->D);
  ga_skew3(t, S);
  ga_add_block(d->D, 0, side ? GA_PB : GA_PA, -1, S);
}

/* sum += s X d; X by rows, NULL: the identity. */
void ga_moving_add(double s, const double *X, const ga_moving *d, ga_moving *sum) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      const double x = X ? s * X[3 * i + k] : i == k ? s : 0;
      if (x == 0) continue;
      sum->t[i] += x * d->t[k];
      for (int j = 0; j < GA_PAIR; j++) sum->D[i][j] += x * d->D[k][j];
    }
  }
}

/* D += the derivative of the arm r_b: dphi_b x r_b; of e = p_b - x_a: dx_b - dx_a besides. */
static void add_arm(const ga_pair *p, bool from_a, double (*D)[GA_PAIR]) {
  double S[9];
  ga_skew3(p->rb, S);
  ga_add_block(D, 0, GA_PB, -1, S);
  for (int i = 0; from_a && i < 3; i++) D[i][GA_XB + i] += 1, D[i][GA_XA + i] -= 1;
}

/* D <- derivative of p_b - p_a = e - r_a. */
void ga_moving_apart(const ga_pair *p, double (*D)[GA_PAIR]) {
  double S[9];
  memset(D, 0, 3 * sizeof *D);
  add_arm(p, true, D);
  ga_skew3(p->ra, S);
  ga_add_block(D, 0, GA_PA, 1, S);
}

/* U <- e' - omega_a x e + (omega_b - omega_a) x c. */
void ga_touch_velocity(const ga_pair *p, const double *c, double *U) {
  double w[3];
  ga_copy3(p->ed, U);
  ga_add_cross3(-1, p->a->w, p->e, U);
  ga_plus3(p->b->w, -1, p->a->w, w);
  ga_add_cross3(1, w, c, U);
}

/* The derivative of k = t.U by the configuration, w = omega_b - omega_a:
 * dk = dt.U + (t x omega_b).dr_b - (t x omega_a).de + (t x w).dc */
void ga_touch_row(const ga_pair *p, const ga_moving *c, const ga_moving *d, ga_row *row) {
  const double *t = d->t;
  double U[3], arm_a[3], arm_b[3], w[3], tw[3], ta[3];
  ga_touch_velocity(p, c->t, U);
  ga_plus3(p->e, 1, c->t, arm_a);
  ga_plus3(p->rb, 1, c->t, arm_b);
  ga_plus3(p->b->w, -1, p->a->w, w);
  ga_cross3(t, w, tw);
  ga_cross3(t, p->a->w, ta);
  row->value = ga_dot3(t, U);
  memset(row->J, 0, sizeof row->J);
  for (int i = 0; i < 3; i++) row->J[GA_XA + i] = -t[i], row->J[GA_XB + i] = t[i];
  ga_add_cross3(-1, arm_a, t, row->J + GA_PA);
  ga_add_cross3(1, arm_b, t, row->J + GA_PB);
  for (int j = 0; j < GA_PAIR; j++) {
    row->Z[j] = 0;
    for (int i = 0; i < 3; i++) row->Z[j] += d->D[i][j] * U[i] + c->D[i][j] * tw[i];
  }
  for (int i = 0; i < 3; i++) row->Z[GA_XA + i] += ta[i], row->Z[GA_XB + i] -= ta[i];
  ga_add_cross3(1, p->rb, tw, row->Z + GA_PB);
}

/* M(row) += s X D, with X = x~ and D 3 x 12. */
static void add_cross_rows(double (*M)[GA_PAIR], int row, double s, const double *x,
                           const double (*D)[GA_PAIR]) {
  for (int j = 0; j < GA_PAIR; j++) {
    const double column[3] = {D[0][j], D[1][j], D[2][j]};
    double y[3];
    ga_cross3(x, column, y);
    for (int i = 0; i < 3; i++) M[row + i][j] += s * y[i];
  }
}

/* d((e + c) x T) = (e + c) x dT - T x (de + dc), and the same with r_b. */
void ga_touch_tangent(const ga_pair *p, const ga_moving *c, const ga_moving *T, ga_tangent *t) {
  double arm_a[3], arm_b[3], Da[3][GA_PAIR], Db[3][GA_PAIR];
  ga_plus3(p->e, 1, c->t, arm_a);
  ga_plus3(p->rb, 1, c->t, arm_b);
  ga_plus3(t->f + GA_XA, -1, T->t, t->f + GA_XA);
  ga_plus3(t->f + GA_XB, 1, T->t, t->f + GA_XB);
  ga_add_cross3(-1, arm_a, T->t, t->f + GA_PA);
  ga_add_cross3(1, arm_b, T->t, t->f + GA_PB);
  memcpy(Da, c->D, sizeof Da);
  memcpy(Db, c->D, sizeof Db);
  add_arm(p, true, Da);
  add_arm(p, false, Db);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < GA_PAIR; j++) {
      t->A[GA_XA + i][j] -= T->D[i][j];
      t->A[GA_XB + i][j] += T->D[i][j];
    }
  }
  add_cross_rows(t->A, GA_PA, -1, arm_a, T->D);
  add_cross_rows(t->A, GA_PA, 1, T->t, Da);
  add_cross_rows(t->A, GA_PB, 1, arm_b, T->D);
  add_cross_rows(t->A, GA_PB, -1, T->t, Db);
}
