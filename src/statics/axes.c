/* SPDX-License-Identifier: MIT */
/* The axes of a linearization about a state that moves.
 *
 * A variation is eta in the trivialisation of the space, and dv that of the velocity:
 *
 *     M dv' + Ct dv + Kt eta + G^T dlam + H^T dpsi = 0,  G eta = 0,  H dv + Y eta = 0,
 *     eta' = dv - [v, eta]
 *
 * **Space axes.** eta = P y and dv = P y' + S y, where P = R^T on the rotations (and on the
 * displacements of SE(3)), so that P' = -Omega~ P. On R^3 x SO(3), S = 0. On SE(3), with u = R^T x'
 * and dx' in space axes, S = [0, u~; 0, 0] P. Inserted, and multiplied by P^T from the left:
 *
 *     P^T M P y'' + P^T (Ct + M (S - Omega~)) P y' + P^T (Kt + Ct S + M S') P y + ..,
 *     S' = [0, u'~ - u~ Omega~; 0, 0]
 *
 * Here S and S' are without their factor P. What is constant there: a rotor that looks the same from
 * all sides, in bearings that need not.
 *
 * **Axes that turn with the bodies.** eta = P y, P' = P Theta, dv = P (y' + S y), where on
 *
 *     SO(3)    P = I,  Theta = 0,       S = Omega~
 *     SE(3)    P = I,  Theta = 0,       S = [Omega~, u~; 0, Omega~]
 *     R^3      P = R,  Theta = Omega~,  S = Omega~,  with R, Omega of the SO(3) behind it
 *
 * In a steady rotation Omega and u do not change, and with m = P^T M P, c = P^T Ct P
 *
 *     m y'' + (c + m (Theta + S)) y' + (P^T Kt P + c S + m Theta S) y + ..,  H P y' + (Y P + H P S) y = 0.
 *
 * What is constant there: a structure of any shape that turns as a whole, as a blade on a hub. */
#include "statics/axes.h"

#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "statics/linearization.h"

/* ---- space axes ----------------------------------------------------------------------------- */

/* Three velocities that form a vector in body axes. */
typedef struct vector3 {
  int at;       /* where it begins in v */
  int shift_at; /* a rotation of SE(3): where its displacement begins in v; else -1 */
  double R[9];  /* from body to space axes, by rows */
} vector3;

/* R = rotation matrix, by rows, of the unit quaternion p */
static void matrix_of_quaternion(const double *p, double *R) {
  for (int j = 0; j < 3; j++) {
    const double e[3] = {j == 0, j == 1, j == 2};
    double column[3];
    ga_quat_rotate(p, e, column);
    for (int i = 0; i < 3; i++) R[3 * i + j] = column[i];
  }
}

/* number of 3-vectors in body axes among the velocities: one per SO(3), two per SE(3) */
static int count_vectors(const ga_space *space) {
  int count = 0;
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f];
    if (factor->group == &ga_group_so3) count += factor->n;
    if (factor->group == &ga_group_se3) count += 2 * factor->n;
  }
  return count;
}

/* Fills list with the 3-vectors in body axes among the velocities and their rotations at q; of
 * SE(3) first the displacement, then the rotation. list needs room for count_vectors(space). */
static void list_vectors(const ga_space *space, const double *q, vector3 *list) {
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f];
    const bool se3 = factor->group == &ga_group_se3;
    if (!se3 && factor->group != &ga_group_so3) continue;
    for (int i = 0; i < factor->n; i++) {
      const int v_at = factor->v_at + i * factor->group->nv;
      const double *own = q + factor->q_at + i * factor->group->nq;
      double R[9];
      matrix_of_quaternion(se3 ? own + 3 : own, R);
      for (int k = 0; k < (se3 ? 2 : 1); k++, list++) {
        list->at = v_at + 3 * k;
        list->shift_at = se3 && k == 1 ? v_at : -1;
        memcpy(list->R, R, sizeof R);
      }
    }
  }
}

/* y <- P^T y: turns a variation y (nv numbers) from body axes, as the model has it, to space axes
 * at q. */
void ga_linearization_to_space_axes(const ga_space *space, const double *q, double *y) {
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f];
    const bool se3 = factor->group == &ga_group_se3;
    if (!se3 && factor->group != &ga_group_so3) continue;
    for (int i = 0; i < factor->n; i++) {
      const double *p = q + factor->q_at + i * factor->group->nq + (se3 ? 3 : 0);
      double *own = y + factor->v_at + i * factor->group->nv;
      for (int k = 0; k < (se3 ? 2 : 1); k++) ga_quat_rotate(p, own + 3 * k, own + 3 * k);
    }
  }
}

/* A += B X for the 3 x 3 block X at (row, column); B and A are full, of n columns */
static void add_product(int rows, int n, const double *B, int row, int column, const double *X,
                        double *A) {
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += B[i * n + row + k] * X[3 * k + j];
      A[i * n + column + j] += sum;
    }
  }
}

/* X = w~ (w~ x = w x x), 3 x 3 by rows */
static void set_skew(const double *w, double *X) {
  const double S[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  memcpy(X, S, sizeof S);
}

/* A <- A R^T on the columns of each listed vector; both: A <- R A R^T. A is full, rows x n by
 * rows. */
static void rotate_matrix(int rows, int n, const vector3 *list, int count, bool both, double *A) {
  for (int c = 0; c < count; c++) {
    const double *R = list[c].R;
    const int at = list[c].at;
    for (int i = 0; i < rows; i++) {
      double *a = A + i * n + at, x[3];
      for (int j = 0; j < 3; j++) x[j] = ga_dot3(a, R + 3 * j);
      memcpy(a, x, sizeof x);
    }
    for (int j = 0; both && j < n; j++) {
      double x[3];
      for (int i = 0; i < 3; i++) {
        x[i] = 0;
        for (int k = 0; k < 3; k++) x[i] += R[3 * i + k] * A[(at + k) * n + j];
      }
      for (int i = 0; i < 3; i++) A[(at + i) * n + j] = x[i];
    }
  }
}

/* Adds the terms of S, S' and Omega (see the head of this file) to C, K and Y of lin (full
 * matrices, body axes), which hold those of the model; M and H are read. */
static void add_motion_terms(ga_linearization *lin, const vector3 *list, int count, const double *v,
                             const double *vd) {
  const int n = lin->nv;
  double X[9], Z[9];
  /* K needs the C of the model, so this comes first */
  for (int c = 0; c < count; c++) {
    if (list[c].shift_at < 0) continue;
    const int x = list[c].shift_at, phi = list[c].at;
    const double *Omega = v + phi, *u = v + x;
    set_skew(u, X);
    add_product(n, n, lin->C.val, x, phi, X, lin->K.val);
    if (lin->npsi) add_product(lin->npsi, n, lin->H.val, x, phi, X, lin->Y.val);
    /* u'~ - u~ Omega~ */
    set_skew(vd + x, Z);
    for (int j = 0; j < 3; j++) {
      const double e[3] = {j == 0, j == 1, j == 2};
      double Oe[3], uOe[3];
      ga_cross3(Omega, e, Oe);
      ga_cross3(u, Oe, uOe);
      for (int i = 0; i < 3; i++) Z[3 * i + j] -= uOe[i];
    }
    add_product(n, n, lin->M.val, x, phi, Z, lin->K.val);
  }
  for (int c = 0; c < count; c++) {
    const int at = list[c].at;
    if (list[c].shift_at >= 0) {
      set_skew(v + list[c].shift_at, X);
      add_product(n, n, lin->M.val, list[c].shift_at, at, X, lin->C.val);
    }
    /* the vector after a displacement of SE(3) is its rotation */
    const bool shift = c + 1 < count && list[c + 1].shift_at == at;
    const double *Omega = v + (shift ? at + 3 : at);
    const double minus[3] = {-Omega[0], -Omega[1], -Omega[2]};
    set_skew(minus, X);
    add_product(n, n, lin->M.val, at, at, X, lin->C.val);
  }
}

/* list of the vectors at q, in an array of ga_calloc; NULL without memory */
static vector3 *vectors_at(const ga_space *space, const double *q, int *count) {
  *count = count_vectors(space);
  vector3 *list = ga_calloc((size_t)*count + 1, sizeof *list);
  if (list) list_vectors(space, q, list);
  return list;
}

ga_status ga_axes_to_space(ga_linearization *lin, const double *q, const double *v,
                           const double *vd, ga_error *err) {
  int count;
  vector3 *list = vectors_at(lin->model->space, q, &count);
  if (!list) return ga_fail(err, GA_ERR_MEM, "no memory to linearise");
  add_motion_terms(lin, list, count, v, vd);
  /* true: rows and columns; false: columns only */
  rotate_matrix(lin->nv, lin->nv, list, count, true, lin->M.val);
  rotate_matrix(lin->nv, lin->nv, list, count, true, lin->C.val);
  rotate_matrix(lin->nv, lin->nv, list, count, true, lin->K.val);
  rotate_matrix(lin->nlam, lin->nv, list, count, false, lin->G.val);
  rotate_matrix(lin->npsi, lin->nv, list, count, false, lin->H.val);
  rotate_matrix(lin->npsi, lin->nv, list, count, false, lin->Y.val);
  ga_free(list);
  return GA_OK;
}

/* ---- axes that turn with the bodies --------------------------------------------------------- */

/* A rotation, with the displacement that is turned with it. */
typedef struct body3 {
  int phi_at, x_at; /* in v; x_at < 0: none */
  bool se3;         /* displacement and rotation are of one SE(3) */
  double R[9];      /* from body to space axes, by rows */
} body3;

/* Fills list with the rotations at q and their displacements: of SE(3) its own, of the first SO(3) of
 * a factor the last three of an R^n before it. Any such choice is right where the matrices are
 * constant. Returns their number; list needs room for count_vectors(space). */
static int list_bodies(const ga_space *space, const double *q, body3 *list) {
  int n = 0;
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f], *before = f > 0 ? factor - 1 : NULL;
    const bool se3 = factor->group == &ga_group_se3;
    if (!se3 && factor->group != &ga_group_so3) continue;
    for (int i = 0; i < factor->n; i++, n++) {
      const int v_at = factor->v_at + i * factor->group->nv;
      const bool pair = i == 0 && before && before->group == &ga_group_rn && before->n >= 3;
      list[n].se3 = se3;
      list[n].phi_at = se3 ? v_at + 3 : v_at;
      list[n].x_at = se3 ? v_at : pair ? v_at - 3 : -1;
      matrix_of_quaternion(q + factor->q_at + i * factor->group->nq + (se3 ? 3 : 0), list[n].R);
    }
  }
  return n;
}

/* the bodies at q, in an array of ga_calloc; NULL without memory */
static body3 *bodies_at(const ga_space *space, const double *q, int *count) {
  body3 *list = ga_calloc((size_t)count_vectors(space) + 1, sizeof *list);
  if (list) *count = list_bodies(space, q, list);
  return list;
}

/* A += B S: n columns, by rows */
static void add_times_S(int rows, int n, const double *B, const body3 *list, int count,
                        const double *v, double *A) {
  double X[9];
  for (int k = 0; k < count; k++) {
    const body3 *b = &list[k];
    set_skew(v + b->phi_at, X);
    add_product(rows, n, B, b->phi_at, b->phi_at, X, A);
    if (b->x_at < 0) continue;
    add_product(rows, n, B, b->x_at, b->x_at, X, A);
    if (!b->se3) continue;
    set_skew(v + b->x_at, X);
    add_product(rows, n, B, b->x_at, b->phi_at, X, A);
  }
}

/* A += B Theta; squared: A += B Theta S instead */
static void add_times_Theta(int n, const double *B, const body3 *list, int count, const double *v,
                            bool squared, double *A) {
  for (int k = 0; k < count; k++) {
    const body3 *b = &list[k];
    double X[9], square[9];
    if (b->se3 || b->x_at < 0) continue;
    set_skew(v + b->phi_at, X);
    for (int i = 0; i < 9; i++) {
      square[i] = 0;
      for (int j = 0; j < 3; j++) square[i] += X[i / 3 * 3 + j] * X[3 * j + i % 3];
    }
    add_product(n, n, B, b->x_at, b->x_at, squared ? square : X, A);
  }
}

ga_status ga_axes_to_bodies(ga_linearization *lin, const double *q, const double *v,
                            ga_error *err) {
  const int n = lin->nv;
  int count, turned = 0;
  body3 *list = bodies_at(lin->model->space, q, &count);
  vector3 *P = list ? ga_calloc((size_t)count + 1, sizeof *P) : NULL;
  if (!P) {
    ga_free(list);
    return ga_fail(err, GA_ERR_MEM, "no memory to linearise");
  }
  for (int k = 0; k < count; k++) {
    if (list[k].se3 || list[k].x_at < 0) continue;
    P[turned].at = list[k].x_at;
    for (int i = 0; i < 9; i++) P[turned].R[i] = list[k].R[3 * (i % 3) + i / 3];
    turned++;
  }
  rotate_matrix(n, n, P, turned, true, lin->M.val);
  rotate_matrix(n, n, P, turned, true, lin->C.val);
  rotate_matrix(n, n, P, turned, true, lin->K.val);
  rotate_matrix(lin->nlam, n, P, turned, false, lin->G.val);
  rotate_matrix(lin->npsi, n, P, turned, false, lin->H.val);
  rotate_matrix(lin->npsi, n, P, turned, false, lin->Y.val);
  add_times_S(n, n, lin->C.val, list, count, v, lin->K.val);
  add_times_Theta(n, lin->M.val, list, count, v, true, lin->K.val);
  add_times_S(n, n, lin->M.val, list, count, v, lin->C.val);
  add_times_Theta(n, lin->M.val, list, count, v, false, lin->C.val);
  add_times_S(lin->npsi, n, lin->H.val, list, count, v, lin->Y.val);
  ga_free(P);
  ga_free(list);
  return GA_OK;
}

void ga_axes_from_bodies(const ga_linearization *lin, double *y) {
  const ga_space *space = lin->model->space;
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f], *before = f > 0 ? factor - 1 : NULL;
    if (factor->group != &ga_group_so3 || !before || before->group != &ga_group_rn ||
        before->n < 3) {
      continue;
    }
    ga_quat_rotate(lin->q + factor->q_at, y + factor->v_at - 3, y + factor->v_at - 3);
  }
  ga_linearization_to_space_axes(space, lin->q, y);
}

/* A displacement x with x' = exp(s w~) v, w and v in the same axes, after s = 1:
 *   x = v + (1 - cos)/|w|^2 w x v + (|w| - sin)/|w|^3 w x (w x v);  *now: exp(w~) v */
static void turn_along(const double *w, const double *v, double *x, double *now) {
  const double size = sqrt(ga_dot3(w, w)), square = size * size;
  const double half = sin(0.5 * size);
  const double a = size > 1e-4 ? 2 * half * half / square : 0.5;
  const double b = size > 1e-4 ? (size - sin(size)) / (square * size) : 1.0 / 6;
  const double c = size > 1e-4 ? sin(size) / size : 1;
  double wv[3], wwv[3];
  ga_cross3(w, v, wv);
  ga_cross3(w, wv, wwv);
  for (int i = 0; i < 3; i++) {
    x[i] = v[i] + a * wv[i] + b * wwv[i];
    now[i] = v[i] + c * wv[i] + a * wwv[i];
  }
}

ga_status ga_axes_rotate_on(const ga_space *space, double dt, const double *q, const double *v,
                            double *way, double *later_q, double *later_v, ga_error *err) {
  int count;
  body3 *list = bodies_at(space, q, &count);
  if (!list) return ga_fail(err, GA_ERR_MEM, "no memory to linearise");
  for (int i = 0; i < space->nv; i++) way[i] = dt * v[i], later_v[i] = v[i];
  for (int k = 0; k < count; k++) {
    const body3 *b = &list[k];
    double w[3], x[3];
    if (b->se3 || b->x_at < 0) continue;
    for (int i = 0; i < 3; i++) w[i] = dt * ga_dot3(b->R + 3 * i, v + b->phi_at);
    turn_along(w, v + b->x_at, x, later_v + b->x_at);
    for (int i = 0; i < 3; i++) way[b->x_at + i] = dt * x[i];
  }
  ga_space_step(space, q, way, later_q);
  ga_free(list);
  return GA_OK;
}

ga_status ga_axes_unsteady(const ga_space *space, const double *q, const double *v,
                           const double *weight, double *vd, double *size, ga_error *err) {
  int count;
  body3 *list = bodies_at(space, q, &count);
  if (!list) return ga_fail(err, GA_ERR_MEM, "no memory to linearise");
  *size = 0;
  for (int k = 0; k < count; k++) {
    const body3 *b = &list[k];
    const double *Omega = v + b->phi_at;
    const double rate = sqrt(ga_dot3(Omega, Omega));
    double w[3], wv[3];
    *size = fmax(*size, rate * rate * sqrt(ga_max_abs(3, weight + b->phi_at)));
    if (b->x_at < 0) continue;
    *size = fmax(*size, rate * sqrt(ga_dot3(v + b->x_at, v + b->x_at)) *
                            sqrt(ga_max_abs(3, weight + b->x_at)));
    if (b->se3) continue;
    for (int i = 0; i < 3; i++) w[i] = ga_dot3(b->R + 3 * i, Omega);
    ga_cross3(w, v + b->x_at, wv);
    for (int i = 0; i < 3; i++) vd[b->x_at + i] -= wv[i];
  }
  ga_free(list);
  return GA_OK;
}
