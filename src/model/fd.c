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
/* second derivatives have more rounding to lose by a reduction; error about CURVED_SECOND^2/3 */
static const double CURVED_SECOND = 1e-4;
enum { REDUCTIONS = 5 }; /* by 8 each: down to SHARP/32768 */

double ga_eval_jacobian_noise(const ga_eval *e) {
  const ga_model_ops *ops = e->model->ops;
  bool given = (e->nlam == 0 || ops->holonomic_jac) && (e->npsi == 0 || ops->nonholonomic_jac);
  return given ? DBL_EPSILON : DBL_EPSILON / SHARP;
}

double ga_eval_drift_noise(const ga_eval *e) {
  const ga_model_ops *ops = e->model->ops;
  if (ops->holonomic_drift) return DBL_EPSILON;
  bool first = ops->holonomic_jac && (e->model->scleronomic || ops->holonomic_t);
  return first ? DBL_EPSILON / SHARP : 16 * DBL_EPSILON / (SECOND * SECOND);
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

/* f along a curve through p */
typedef struct {
  ga_point_fn fn;
  const ga_point *p;
  bool in_time, with_motion; /* t + s, and q o exp(s v) if with_motion; or else */
  ga_fd_kind kind;           /* all columns of a group, by s times their steps in fd->step */
  const int *column;
  int columns;
} curve;

/* the point at parameter s of the curve, its arrays in fd */
static ga_point point_at(ga_eval *e, struct ga_fd_level *fd, const curve *c, double s) {
  ga_point moved = *c->p;
  if (c->in_time) moved.t += s;
  if (!c->in_time && c->kind == GA_FD_V) {
    memcpy(fd->v, moved.v, (size_t)e->nv * sizeof(double));
    for (int k = 0; k < c->columns; k++) fd->v[c->column[k]] += s * fd->step[c->column[k]];
    moved.v = fd->v;
  }
  if (c->in_time ? !c->with_motion : c->kind == GA_FD_V) return moved;
  memset(fd->w, 0, (size_t)e->nv * sizeof(double));
  if (c->with_motion) {
    ga_axpy(e->nv, s, moved.v, fd->w);
  } else {
    for (int k = 0; k < c->columns; k++) fd->w[c->column[k]] = s * fd->step[c->column[k]];
  }
  ga_space_step(e->model->space, moved.q, fd->w, fd->q);
  moved.q = fd->q;
  return moved;
}

/* (f(s) - f(-s))/2 into out */
static ga_status half_difference(ga_eval *e, struct ga_fd_level *fd, const curve *c, double s,
                                 int n, double *out) {
  ga_point moved = point_at(e, fd, c, s);
  ga_status status = c->fn(e, &moved, fd->hi);
  if (status != GA_OK) return status;
  moved = point_at(e, fd, c, -s);
  status = c->fn(e, &moved, fd->lo);
  for (int i = 0; i < n; i++) out[i] = (fd->hi[i] - fd->lo[i]) / 2;
  return status;
}

/* What one function bends: largest |D1 - D2| over the rows given (all if NULL), in units of f; and
 * whether that is too much against |D1|. */
static double bend_of(const double *near, const double *far, const int *row, int n, double limit,
                      bool *curved) {
  double change = 0, size = 0;
  for (int k = 0; k < n; k++) {
    int i = row ? row[k] : k;
    change = fmax(change, fabs(near[i] - far[i]));
    size = fmax(size, fabs(near[i]));
  }
  if (change > limit * size) *curved = true;
  return change;
}

/* near <- (4 near - far)/3 */
static void extrapolate(int n, double *near, const double *far) {
  for (int i = 0; i < n; i++) near[i] = (4 * near[i] - far[i]) / 3;
}

/* Columns of one group: the derivative of f along each, times the column's step, into fd->near by
 * rows. Where a function bends too much the step is reduced by 8; if that does not reduce the bend
 * (64 times if it was one, not at all if it was rounding), the step before was the better one. */
static ga_status group_quotient(ga_eval *e, struct ga_fd_level *fd, const curve *c, bool sharp,
                                const ga_colours *colours, int n) {
  double s = 1, last = INFINITY;
  for (int reduction = 0;; reduction++, s /= 8) {
    ga_status status = half_difference(e, fd, c, s, n, fd->near);
    if (status != GA_OK || !sharp) return status;
    status = half_difference(e, fd, c, 2 * s, n, fd->far);
    if (status != GA_OK) return status;
    bool curved = false;
    double bend = 0;
    for (int i = 0; i < n; i++) fd->far[i] /= 2;
    for (int k = 0; k < c->columns; k++) {
      int j = c->column[k], from = colours->ptr[j], rows = colours->ptr[j + 1] - from;
      double change = bend_of(fd->near, fd->far, colours->row + from, rows, CURVED, &curved);
      bend = fmax(bend, change / (s * fd->step[j]));
    }
    bool worse = bend > last / 8;
    extrapolate(n, fd->near, fd->far);
    for (int i = 0; i < n; i++) fd->near[i] = worse ? fd->mid[i] : fd->near[i] / s;
    if (worse || !curved || reduction == REDUCTIONS) return GA_OK;
    memcpy(fd->mid, fd->near, (size_t)n * sizeof(double));
    last = bend;
  }
}

ga_status ga_fd_columns(ga_eval *e, ga_point_fn fn, const ga_point *p, ga_fd_kind kind, bool sharp,
                        const ga_colours *colours, ga_csr *A) {
  struct ga_fd_level *fd = &e->fd[e->fd_depth++];
  ga_status status = GA_OK;
  for (int j = 0; j < e->nv; j++) {
    fd->step[j] = (sharp ? SHARP : CENTRAL) * direction_scale(e, p, kind, j);
  }
  for (int g = 0; g < colours->count && status == GA_OK; g++) {
    curve c = {.fn = fn,
               .p = p,
               .kind = kind,
               .column = colours->column + colours->start[g],
               .columns = colours->start[g + 1] - colours->start[g]};
    status = group_quotient(e, fd, &c, sharp, colours, A->nrow);
    for (int k = 0; k < c.columns && status == GA_OK; k++) {
      int j = c.column[k];
      for (int at = colours->ptr[j]; at < colours->ptr[j + 1]; at++) {
        A->val[colours->place[at]] = fd->near[colours->row[at]] / fd->step[j];
      }
    }
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
  double d = exact_time_step(p->t, with_motion ? motion_limit(e, p, SHARP) : e->time_step);
  double last = INFINITY;
  ga_status status = GA_OK;
  for (int reduction = 0; reduction <= REDUCTIONS && status == GA_OK; reduction++, d /= 8) {
    bool curved = false;
    status = half_difference(e, fd, &c, d, n, fd->near);
    if (status == GA_OK) status = half_difference(e, fd, &c, 2 * d, n, fd->far);
    if (status != GA_OK) break;
    for (int i = 0; i < n; i++) fd->far[i] /= 2;
    double bend = bend_of(fd->near, fd->far, NULL, n, CURVED, &curved) / d;
    if (bend > last / 8) break; /* rounding: the step before was the better one */
    extrapolate(n, fd->near, fd->far);
    for (int i = 0; i < n; i++) out[i] = fd->near[i] / d;
    if (!curved) break;
    last = bend;
  }
  e->fd_depth--;
  return status;
}

/* f'' = (4 D1 - D2)/3 with D1 = (f(d) - 2 f(0) + f(-d))/d^2, D2 the same for 2d */
ga_status ga_fd_second(ga_eval *e, ga_point_fn fn, const ga_point *p, int n, double *out) {
  struct ga_fd_level *fd = &e->fd[e->fd_depth++];
  curve c = {.fn = fn, .p = p, .in_time = true, .with_motion = true};
  double d = exact_time_step(p->t, motion_limit(e, p, SECOND)), last = INFINITY;
  ga_status status = fn(e, p, fd->mid);
  for (int reduction = 0; reduction < 3 && status == GA_OK; reduction++, d /= 4) {
    bool curved = false;
    for (int twice = 0; twice < 2 && status == GA_OK; twice++) {
      double s = twice ? 2 * d : d, *to = twice ? fd->far : fd->near;
      ga_point moved = point_at(e, fd, &c, s);
      status = fn(e, &moved, fd->hi);
      if (status != GA_OK) break;
      moved = point_at(e, fd, &c, -s);
      status = fn(e, &moved, fd->lo);
      for (int i = 0; i < n; i++) to[i] = (fd->hi[i] - 2 * fd->mid[i] + fd->lo[i]) / (s * s);
    }
    if (status != GA_OK) break;
    double bend = bend_of(fd->near, fd->far, NULL, n, CURVED_SECOND, &curved);
    if (bend > last / 4) break;
    extrapolate(n, fd->near, fd->far);
    memcpy(out, fd->near, (size_t)n * sizeof(double));
    if (!curved) break;
    last = bend;
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

/* G x + Z v + G_t v + g_tt; the drift may use e->G, so it comes first */
ga_status ga_point_acceleration(ga_eval *e, const ga_point *p, double *out) {
  ga_status status = ga_eval_g_drift(e, p->t, p->q, p->v, out);
  if (status == GA_OK) status = ga_eval_G(e, p->t, p->q, &e->G);
  if (status == GA_OK) ga_csr_mul_add(&e->G, 1, p->x, out);
  return status;
}

/* -R at a point, with the work matrices of e */
static ga_status point_reaction(ga_eval *e, const ga_point *p, double *out) {
  ga_status status = GA_OK;
  if (!e->model->ops->reaction) {
    status = ga_eval_G(e, p->t, p->q, &e->G);
    if (status == GA_OK) status = ga_eval_H(e, p->t, p->q, p->v, &e->H);
  }
  return status != GA_OK ? status : ga_eval_reaction(e, p, &e->G, &e->H, out);
}

/* Row i of L or P is -dR/dmu_i by the fourth-order quotient; multipliers enter by low powers, so
 * the step may follow them. */
ga_status ga_fd_multipliers(ga_eval *e, const ga_point *p, ga_csr *L, ga_csr *P) {
  struct ga_fd_level *fd = &e->fd[e->fd_depth++];
  ga_status status = GA_OK;
  ga_point moved = *p;
  moved.lam = e->mult;
  moved.psi = e->mult + e->nlam;
  for (int i = 0; i < e->nlam; i++) e->mult[i] = p->lam[i];
  for (int i = 0; i < e->npsi; i++) e->mult[e->nlam + i] = p->psi[i];
  for (int i = 0; i < e->nlam + e->npsi && status == GA_OK; i++) {
    ga_csr *A = i < e->nlam ? L : P;
    int row = i < e->nlam ? i : i - e->nlam;
    double keep = e->mult[i], d = SHARP * fmax(1, fabs(keep));
    memset(fd->near, 0, (size_t)e->nv * sizeof(double));
    for (int k = 0; k < 4 && status == GA_OK; k++) {
      static const double place[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
      e->mult[i] = keep + place[k] * d;
      status = point_reaction(e, &moved, fd->hi);
      if (status == GA_OK) ga_axpy(e->nv, weight[k] / (12 * d), fd->hi, fd->near);
    }
    e->mult[i] = keep;
    for (int k = A->ptr[row]; k < A->ptr[row + 1]; k++) A->val[k] = fd->near[A->col[k]];
  }
  e->fd_depth--;
  return status;
}

/* -F - R */
ga_status ga_point_force(ga_eval *e, const ga_point *p, double *out) {
  struct ga_fd_level *fd = &e->fd[1]; /* quotients of this function run on level 0 */
  ga_status status = point_reaction(e, p, out);
  if (status == GA_OK) status = ga_eval_force(e, p->t, p->q, p->v, fd->mid);
  if (status == GA_OK) ga_axpy(e->nv, -1, fd->mid, out);
  return status;
}

/* M x - F - R */
ga_status ga_point_balance(ga_eval *e, const ga_point *p, double *out) {
  ga_status status = ga_point_force(e, p, out);
  if (status == GA_OK) status = ga_eval_mass(e, p->t, p->q, &e->M);
  if (status == GA_OK) ga_csr_mul_add(&e->M, 1, p->x, out);
  return status;
}
