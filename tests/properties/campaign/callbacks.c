/* SPDX-License-Identifier: MIT */
/* The models of model.h as the callbacks that an integrator sees, in double. */
#include "model.h"

#include <string.h>
#include <tgmath.h>

/* The last digits of a noisy force depend on all bits of x. */
static double bit_noise(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return hard_uniform(&bits, -1, 1);
}

#define REAL double
#define NOISE(x) bit_noise(x)
#include "formulas.h"
#include "rows.h"

static int done(void *user, bool bad) {
  hard_user *u = user;
  if (u->calls_left-- <= 0) return -1;
  return bad ? 1 : 0;
}

static const hard_model *model_of(void *user) {
  return ((const hard_user *)user)->model;
}

/* Write a full matrix of `rows` rows in the pattern that the library expects. */
static void put(const hard_model *m, int rows, const double *full, ga_csr *to) {
  int nv = hard_nv(m);
  if (!m->patterns) {
    memcpy(to->val, full, sizeof *full * (size_t)(rows * nv));
    return;
  }
  for (int i = 0; i < rows; i++) {
    for (int e = to->ptr[i]; e < to->ptr[i + 1]; e++) to->val[e] = full[i * nv + to->col[e]];
  }
}

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)t;
  const hard_model *m = model_of(user);
  double full[HARD_NV * HARD_NV];
  sum_mass(m, q, full);
  put(m, hard_nv(m), full, M);
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  const hard_model *m = model_of(user);
  force_sum sum;
  sum_forces(m, t, 0, q, v, &sum);
  memcpy(F, sum.F, sizeof *F * (size_t)hard_nv(m));
  return done(user, sum.bad);
}

static int holonomic(void *user, double t, const double *q, double *g) {
  const hard_model *m = model_of(user);
  row_values rows;
  all_rows(m, t, q, NULL, &rows);
  memcpy(g, rows.value, sizeof *g * (size_t)m->n_lam);
  return 0;
}

static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  const hard_model *m = model_of(user);
  row_values rows;
  all_rows(m, t, q, NULL, &rows);
  put(m, m->n_lam, rows.G, G);
  return 0;
}

static int holonomic_t(void *user, double t, const double *q, double *gt) {
  const hard_model *m = model_of(user);
  row_values rows;
  all_rows(m, t, q, NULL, &rows);
  memcpy(gt, rows.gt, sizeof *gt * (size_t)m->n_lam);
  return 0;
}

static int nonholonomic(void *user, double t, const double *q, const double *v, double *k) {
  const hard_model *m = model_of(user);
  row_values rows;
  all_rows(m, t, q, v, &rows);
  memcpy(k, rows.value + m->n_lam, sizeof *k * (size_t)m->n_psi);
  return 0;
}

static int nonholonomic_jac(void *user, double t, const double *q, const double *v, ga_csr *H) {
  const hard_model *m = model_of(user);
  row_values rows;
  all_rows(m, t, q, v, &rows);
  put(m, m->n_psi, rows.G + m->n_lam * hard_nv(m), H);
  return 0;
}

/* Right tangents times a factor, or none at all. */
static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  const hard_model *m = model_of(user);
  int nv = hard_nv(m);
  force_sum sum;
  sum_forces(m, t, 0, q, v, &sum);
  double factor = 1, K[HARD_NV * HARD_NV];
  if (m->tangents == TANGENTS_STIFF) factor = m->wrong_by;
  if (m->tangents == TANGENTS_SOFT) factor = 1 / m->wrong_by;
  if (m->tangents == TANGENTS_SIGN) factor = -1;
  if (m->tangents == TANGENTS_ZERO) factor = 0;
  for (int i = 0; i < nv * nv; i++) {
    K[i] = -sum.K[i];
    sum.C[i] *= -factor;
  }
  add_mass_tangent(m, q, x, K);
  add_rows_tangent(m, q, lam, psi, K);
  for (int i = 0; i < nv * nv; i++) K[i] *= factor;
  put(m, nv, K, Kt);
  put(m, nv, sum.C, Ct);
  return sum.bad ? 1 : 0;
}

static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  int status = 0;
  if (out->M) mass(user, t, q, out->M);
  if (out->g) holonomic(user, t, q, out->g);
  if (out->G) holonomic_jac(user, t, q, out->G);
  if (out->k) nonholonomic(user, t, q, v, out->k);
  if (out->H) nonholonomic_jac(user, t, q, v, out->H);
  if (out->F) status = force(user, t, q, v, out->F);
  if (out->Kt && status == 0) {
    status = force_tangents(user, t, q, v, out->x, out->lam, out->psi, out->Kt, out->Ct);
  }
  return status;
}

ga_model_ops hard_ops(const hard_model *m) {
  ga_model_ops ops = {.mass = mass, .force = force};
  if (m->tangents != TANGENTS_NONE) ops.force_tangents = force_tangents;
  if (m->one_pass) ops.evaluate = evaluate;
  if (m->n_lam > 0) ops.holonomic = holonomic;
  if (m->n_lam > 0 && m->give_jacobian) {
    ops.holonomic_jac = holonomic_jac;
    ops.holonomic_t = holonomic_t;
  }
  if (m->n_psi > 0) ops.nonholonomic = nonholonomic;
  if (m->n_psi > 0 && m->give_jacobian) ops.nonholonomic_jac = nonholonomic_jac;
  return ops;
}
