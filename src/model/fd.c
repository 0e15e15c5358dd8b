/* SPDX-License-Identifier: MIT */
/* Finite differences for derivatives a model leaves out.
 *
 * Everything that enters a residual (G, g_t, H, the drifts) uses the fourth-order quotient
 *     f'(0) = [8 (f(d) - f(-d)) - (f(2d) - f(-2d))]/(12 d) + O(d^4),   d ~ eps^(1/5) scale,
 * good to about eps^(4/5) = 3e-13; what enters the Newton matrix only (Z, Y, Kt, Ct) the central
 * one, d ~ eps^(1/3) scale. Directions in q are q o exp(d e_j), so quotients are trivialised
 * derivatives on every group. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "model/eval.h"

static const double SHARP = 7.4e-4;   /* eps^(1/5) */
static const double CENTRAL = 6.1e-6; /* eps^(1/3) */

double ga_eval_jacobian_noise(const ga_eval *e) {
  const ga_model_ops *ops = e->model->ops;
  bool given = (e->nlam == 0 || ops->holonomic_jac) && (e->npsi == 0 || ops->nonholonomic_jac);
  return given ? DBL_EPSILON : DBL_EPSILON / SHARP;
}

void ga_eval_set_step(ga_eval *e, double h) {
  e->time_step = fmin(0.25 * h, SHARP);
}

/* Typical size of component j: its own, but not below a tenth of the largest of its kind. */
static double scale_of(const double *x, int j, double all) {
  double scale = fmax(fabs(x[j]), 0.1 * all);
  return scale > 0 ? scale : 1;
}

/* Largest position coordinate that is not a quaternion entry; rotations have scale 1. */
static double direction_scale(const ga_eval *e, const ga_point *p, ga_fd_kind kind, int j) {
  if (kind == GA_FD_V) return scale_of(p->v, j, ga_max_abs(e->nv, p->v));
  const ga_space *space = e->model->space;
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f];
    int nv = factor->group->nv * factor->n;
    if (j < factor->v_at || j >= factor->v_at + nv) continue;
    if (!factor->group->commutative) return 1;
    return scale_of(p->q + factor->q_at, j - factor->v_at,
                    ga_max_abs(factor->n, p->q + factor->q_at));
  }
  return 1;
}

/* f at the point moved by s along component j of q or v */
static ga_status shifted(ga_eval *e, struct ga_fd_level *fd, ga_point_fn fn, const ga_point *p,
                         ga_fd_kind kind, int j, double s, double *out) {
  ga_point moved = *p;
  if (kind == GA_FD_Q) {
    fd->w[j] = s;
    ga_space_step(e->model->space, p->q, fd->w, fd->q);
    fd->w[j] = 0;
    moved.q = fd->q;
  } else {
    memcpy(fd->v, p->v, (size_t)e->nv * sizeof(double));
    fd->v[j] += s;
    moved.v = fd->v;
  }
  return fn(e, &moved, out);
}

/* write vector column j of A inside its pattern */
static void put_column(ga_csr *A, int j, const double *column) {
  for (int i = 0; i < A->nrow; i++) {
    int lo = A->ptr[i], hi = A->ptr[i + 1] - 1;
    while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (A->col[mid] < j) {
        lo = mid + 1;
      } else {
        hi = mid;
      }
    }
    if (lo <= hi && A->col[lo] == j) A->val[lo] = column[i];
  }
}

/* sum += weight (f(+s) - f(-s)) */
static void add_pair(int n, double weight, const double *hi, const double *lo, double *sum) {
  for (int i = 0; i < n; i++) sum[i] += weight * (hi[i] - lo[i]);
}

ga_status ga_fd_columns(ga_eval *e, ga_point_fn fn, const ga_point *p, ga_fd_kind kind, bool sharp,
                        ga_csr *A) {
  struct ga_fd_level *fd = &e->fd[e->fd_depth++];
  ga_status status = GA_OK;
  memset(fd->w, 0, (size_t)e->nv * sizeof(double));
  ga_csr_zero(A);
  for (int j = 0; j < e->nv && status == GA_OK; j++) {
    double d = (sharp ? SHARP : CENTRAL) * direction_scale(e, p, kind, j);
    memset(fd->sum, 0, (size_t)A->nrow * sizeof(double));
    for (int far = 0; far <= (sharp ? 1 : 0) && status == GA_OK; far++) {
      double s = far ? 2 * d : d;
      double weight = !sharp ? 0.5 / d : far ? -1 / (12 * d) : 8 / (12 * d);
      status = shifted(e, fd, fn, p, kind, j, s, fd->hi);
      if (status == GA_OK) status = shifted(e, fd, fn, p, kind, j, -s, fd->lo);
      if (status == GA_OK) add_pair(A->nrow, weight, fd->hi, fd->lo, fd->sum);
    }
    put_column(A, j, fd->sum);
  }
  e->fd_depth--;
  return status;
}

ga_status ga_fd_time(ga_eval *e, ga_point_fn fn, const ga_point *p, bool with_motion, int n,
                     double *out) {
  struct ga_fd_level *fd = &e->fd[e->fd_depth++];
  ga_status status = GA_OK;
  double d = e->time_step;
  if (with_motion) {
    /* motion must stay within the scale of positions and angles as well */
    double speed = ga_max_abs(e->nv, p->v);
    if (speed * d > SHARP) d = SHARP / speed;
  }
  memset(out, 0, (size_t)n * sizeof(double));
  for (int far = 0; far <= 1 && status == GA_OK; far++) {
    double weight = far ? -1 / (12 * d) : 8 / (12 * d);
    for (int side = 0; side < 2 && status == GA_OK; side++) {
      double s = (side ? -d : d) * (far ? 2 : 1);
      ga_point moved = *p;
      moved.t = p->t + s;
      if (with_motion) {
        for (int i = 0; i < e->nv; i++) fd->w[i] = s * p->v[i];
        ga_space_step(e->model->space, p->q, fd->w, fd->q);
        moved.q = fd->q;
      }
      status = fn(e, &moved, side ? fd->lo : fd->hi);
    }
    if (status == GA_OK) add_pair(n, weight, fd->hi, fd->lo, out);
  }
  e->fd_depth--;
  return status;
}

ga_status ga_point_g(ga_eval *e, const ga_point *p, double *out) {
  return ga_eval_g(e, p->t, p->q, out);
}

ga_status ga_point_k(ga_eval *e, const ga_point *p, double *out) {
  return ga_eval_k(e, p->t, p->q, p->v, out);
}

ga_status ga_point_hidden(ga_eval *e, const ga_point *p, double *out) {
  ga_status status = ga_eval_G(e, p->t, p->q, &e->G);
  return status != GA_OK ? status : ga_eval_hidden(e, p->t, p->q, p->v, &e->G, out);
}

/* -F + H^T psi */
ga_status ga_point_force(ga_eval *e, const ga_point *p, double *out) {
  ga_status status = ga_eval_force(e, p->t, p->q, p->v, out);
  if (status != GA_OK) return status;
  for (int i = 0; i < e->nv; i++) out[i] = -out[i];
  if (e->npsi > 0) {
    status = ga_eval_H(e, p->t, p->q, p->v, &e->H);
    if (status == GA_OK) ga_csr_mul_t_add(&e->H, 1, p->psi, out);
  }
  return status;
}

/* M x - F + G^T lam + H^T psi */
ga_status ga_point_balance(ga_eval *e, const ga_point *p, double *out) {
  ga_status status = ga_point_force(e, p, out);
  if (status == GA_OK) status = ga_eval_mass(e, p->t, p->q, &e->M);
  if (status == GA_OK) ga_csr_mul_add(&e->M, 1, p->x, out);
  if (status == GA_OK && e->nlam > 0) {
    status = ga_eval_G(e, p->t, p->q, &e->G);
    if (status == GA_OK) ga_csr_mul_t_add(&e->G, 1, p->lam, out);
  }
  return status;
}
