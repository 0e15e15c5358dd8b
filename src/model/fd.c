/* SPDX-License-Identifier: MIT */
/* Finite differences for derivatives a model leaves out.
 *
 * Everything that enters a residual (G, g_t, H, the drifts) uses the fourth-order quotient
 *     f'(0) = (4 D1 - D2)/3 + O(d^4),   D1 = (f(d) - f(-d))/(2d),  D2 = (f(2d) - f(-2d))/(4d),
 * d ~ eps^(1/5), good to about eps^(4/5) = 3e-13. D1 and D2 differ by d^2 f'''/2: if that is more
 * than CURVED of the derivative, d is too large for this function (a mechanism of millimetres, a
 * fast drive) and is reduced. What enters the Newton matrix only (Z, Y, Kt, Ct) uses D1, d ~
 * eps^(1/3). Directions in q are q o exp(d e_j), so quotients are trivialised derivatives on every
 * group. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "model/eval.h"

static const double SHARP = 7.4e-4;   /* eps^(1/5) */
static const double CENTRAL = 6.1e-6; /* eps^(1/3) */
static const double SECOND = 2.5e-3;  /* eps^(1/6), for second derivatives */
static const double CURVED = 1e-5;    /* then the error of the quotient is about CURVED^2 */
enum { REDUCTIONS = 5 };              /* by 8 each: down to SHARP/32768 */

double ga_eval_jacobian_noise(const ga_eval *e) {
  const ga_model_ops *ops = e->model->ops;
  bool given = (e->nlam == 0 || ops->holonomic_jac) && (e->npsi == 0 || ops->nonholonomic_jac);
  return given ? DBL_EPSILON : DBL_EPSILON / SHARP;
}

void ga_eval_set_step(ga_eval *e, double h) {
  e->time_step = fmin(10 * h, SHARP);
}

/* Values as large as x are rounded by eps x, but bend over a length of about 1 (an angle) whatever
 * their size: the best d then is (eps x)^(1/5). Velocities enter by low powers: d may follow them.
 */
static double position_scale(double size) {
  return size > 1 ? pow(size, 0.2) : 1;
}

static double direction_scale(const ga_eval *e, const ga_point *p, ga_fd_kind kind, int j) {
  if (kind == GA_FD_V) return fmax(1, fabs(p->v[j]));
  const ga_space *space = e->model->space;
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f];
    int nv = factor->group->nv, at = j - factor->v_at;
    if (at < 0 || at >= nv * factor->n) continue;
    if (factor->group->commutative) return position_scale(fabs(p->q[factor->q_at + at]));
    /* positions of SE(3) stand first in their copy; rotations have scale 1 */
    int positions = factor->group->nq - 4;
    if (at % nv >= positions) return 1;
    return position_scale(ga_max_abs(positions, p->q + factor->q_at + at / nv * factor->group->nq));
  }
  return 1;
}

/* the power of two below d, and not below some roundings of t: t + d and t + 2d are then exact */
static double exact_time_step(double t, double d) {
  int exponent;
  frexp(fmax(d, 256 * DBL_EPSILON * fabs(t)), &exponent);
  return ldexp(1, exponent - 1);
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
    int at = ga_csr_find(A, i, j);
    if (at >= 0) A->val[at] = column[i];
  }
}

/* out = (a - b)/width */
static void quotient(int n, const double *a, const double *b, double width, double *out) {
  for (int i = 0; i < n; i++) out[i] = (a[i] - b[i]) / width;
}

/* near <- (4 near - far)/3; false if they differ too much for that to be good */
static bool extrapolate(int n, double *near, const double *far) {
  double change = 0, size = 0;
  for (int i = 0; i < n; i++) {
    change = fmax(change, fabs(near[i] - far[i]));
    size = fmax(size, fabs(near[i]));
    near[i] = (4 * near[i] - far[i]) / 3;
  }
  return change <= CURVED * size;
}

/* f along a curve: the point at parameter s, set up by the caller in `curve` */
typedef struct {
  ga_point_fn fn;
  const ga_point *p;
  ga_fd_kind kind; /* direction j of q or v, or */
  int j;
  bool in_time, with_motion; /* t + s, q o exp(s v) */
} curve;

static ga_status along(ga_eval *e, struct ga_fd_level *fd, const curve *c, double s, double *out) {
  if (!c->in_time) return shifted(e, fd, c->fn, c->p, c->kind, c->j, s, out);
  ga_point moved = *c->p;
  moved.t += s;
  if (c->with_motion) {
    for (int i = 0; i < e->nv; i++) fd->w[i] = s * c->p->v[i];
    ga_space_step(e->model->space, c->p->q, fd->w, fd->q);
    memset(fd->w, 0, (size_t)e->nv * sizeof(double));
    moved.q = fd->q;
  }
  return c->fn(e, &moved, out);
}

/* (f(s) - f(-s))/(2s) into out */
static ga_status central(ga_eval *e, struct ga_fd_level *fd, const curve *c, double s, int n,
                         double *out) {
  ga_status status = along(e, fd, c, s, fd->hi);
  if (status == GA_OK) status = along(e, fd, c, -s, fd->lo);
  if (status == GA_OK) quotient(n, fd->hi, fd->lo, 2 * s, out);
  return status;
}

/* the fourth-order quotient into fd->sum, with d reduced as far as the function demands */
static ga_status fourth_order(ga_eval *e, struct ga_fd_level *fd, const curve *c, double d, int n) {
  for (int k = 0; k <= REDUCTIONS; k++, d /= 8) {
    ga_status status = central(e, fd, c, 2 * d, n, fd->far);
    if (status == GA_OK) status = central(e, fd, c, d, n, fd->sum);
    if (status != GA_OK) return status;
    if (extrapolate(n, fd->sum, fd->far)) break;
  }
  return GA_OK;
}

ga_status ga_fd_columns(ga_eval *e, ga_point_fn fn, const ga_point *p, ga_fd_kind kind, bool sharp,
                        ga_csr *A) {
  struct ga_fd_level *fd = &e->fd[e->fd_depth++];
  ga_status status = GA_OK;
  memset(fd->w, 0, (size_t)e->nv * sizeof(double));
  ga_csr_zero(A);
  for (int j = 0; j < e->nv && status == GA_OK; j++) {
    curve c = {.fn = fn, .p = p, .kind = kind, .j = j};
    double scale = direction_scale(e, p, kind, j);
    status = sharp ? fourth_order(e, fd, &c, SHARP * scale, A->nrow)
                   : central(e, fd, &c, CENTRAL * scale, A->nrow, fd->sum);
    if (status == GA_OK) put_column(A, j, fd->sum);
  }
  e->fd_depth--;
  return status;
}

/* the motion must stay within the scale of positions and angles as well */
static double motion_limit(const ga_eval *e, const ga_point *p, double d) {
  double speed = ga_max_abs(e->nv, p->v);
  return speed > 1 ? d / speed : d;
}

ga_status ga_fd_time(ga_eval *e, ga_point_fn fn, const ga_point *p, bool with_motion, int n,
                     double *out) {
  struct ga_fd_level *fd = &e->fd[e->fd_depth++];
  curve c = {.fn = fn, .p = p, .in_time = true, .with_motion = with_motion};
  double d = with_motion ? motion_limit(e, p, SHARP) : e->time_step;
  memset(fd->w, 0, (size_t)e->nv * sizeof(double));
  ga_status status = fourth_order(e, fd, &c, exact_time_step(p->t, d), n);
  if (status == GA_OK) memcpy(out, fd->sum, (size_t)n * sizeof(double));
  e->fd_depth--;
  return status;
}

/* f'' = (4 D1 - D2)/3 with D1 = (f(d) - 2 f(0) + f(-d))/d^2, D2 the same for 2d */
ga_status ga_fd_second(ga_eval *e, ga_point_fn fn, const ga_point *p, int n, double *out) {
  struct ga_fd_level *fd = &e->fd[e->fd_depth++];
  curve c = {.fn = fn, .p = p, .in_time = true, .with_motion = true};
  double d = exact_time_step(p->t, motion_limit(e, p, SECOND));
  memset(fd->w, 0, (size_t)e->nv * sizeof(double));
  ga_status status = along(e, fd, &c, 0, out);
  for (int k = 0; k < 3 && status == GA_OK; k++, d /= 4) {
    for (int far = 1; far >= 0 && status == GA_OK; far--) {
      double s = far ? 2 * d : d, *to = far ? fd->far : fd->sum;
      status = along(e, fd, &c, s, fd->hi);
      if (status == GA_OK) status = along(e, fd, &c, -s, fd->lo);
      for (int i = 0; i < n; i++) to[i] = (fd->hi[i] - 2 * out[i] + fd->lo[i]) / (s * s);
    }
    if (status == GA_OK && extrapolate(n, fd->sum, fd->far)) break;
  }
  if (status == GA_OK) memcpy(out, fd->sum, (size_t)n * sizeof(double));
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
