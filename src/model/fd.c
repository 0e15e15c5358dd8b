/* SPDX-License-Identifier: MIT */
/* Finite differences for derivatives a model leaves out.
 *
 * Everything that enters a residual (G, g_t, H, the drifts) uses the fourth-order quotient
 *     f'(0) = (4 D1 - D2)/3 + O(d^4),   D1 = (f(d) - f(-d))/(2d),  D2 = (f(2d) - f(-2d))/(4d),
 * d ~ eps^(1/5), good to about eps^(4/5) = 3e-13. D1 and D2 differ by d^2 f'''/2: if that is more
 * than CURVED of the derivative, d is too large for this function (a mechanism of millimetres, a
 * fast drive) and is reduced. What enters the Newton matrix only (Y, forces in Kt and Ct)
 * uses D1, d ~ eps^(1/3); second derivatives of g and k in Z, Kt and Ct see mixed.c. Directions in
 * q are q o exp(d e_j), so quotients are trivialised derivatives on every group. */
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
static const double NEARBY = 1e-13; /* error of a G made of one nearby */
static const double SAME = 3e-14;   /* relative change of G that is left out */
enum { REDUCTIONS = 5 };            /* by 8 each: down to SHARP/32768 */

/* Is G v + g_t made of parts that the model gives? */
static bool hidden_given(const ga_eval *e) {
  return !(e->absent & (GA_GIVES_G | GA_GIVES_GT));
}

double ga_eval_jacobian_noise(const ga_eval *e) {
  bool absent = e->absent & (GA_GIVES_G | GA_GIVES_H);
  return absent ? DBL_EPSILON / SHARP : DBL_EPSILON;
}

double ga_eval_drift_noise(const ga_eval *e) {
  if (!(e->absent & GA_GIVES_DRIFT)) return DBL_EPSILON;
  return hidden_given(e) ? DBL_EPSILON / SHARP : 16 * DBL_EPSILON / (SECOND * SECOND);
}

/* Some steps, but no shorter time than the reductions of SHARP find: they start from there again,
 * and quotients over no time at all would be nothing but rounding. */
void ga_eval_set_step(ga_eval *e, double h) {
  e->time_step = fmax(fmin(10 * h, SHARP), ldexp(SHARP, -3 * REDUCTIONS));
}

/* Values as large as x are rounded by eps x, but bend over a length of about 1 (an angle) whatever
 * their size: the best d then is (eps x)^(1/5). Velocities enter by low powers: d may follow them.
 */
static double position_scale(double size) {
  return size > 1 ? pow(size, 0.2) : 1;
}

double ga_fd_scale(const ga_eval *e, const ga_point *p, ga_fd_kind kind, int j) {
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

double ga_fd_time_step(double t, double d) {
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
  int keep; /* the group of columns whose values are kept in e->near; -1: none */
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

/* A quotient is zero only where f does not change at all along the curve: what belongs together is
 * told by entries that are not zero. At the lowest point of a pendulum f changes, but f(s) =
 * f(-s). */
static double marked(double quotient, bool changes) {
  return quotient == 0 && changes ? DBL_MIN : quotient;
}

/* a reduction whose quotients were taken: its parameter, where its values are in fd->up and down,
 * and the largest |D1 - D2|/|D1| of the rows that took it */
typedef struct {
  double s, relative;
  int which;
} sample;

/* The quotients of one reduction for the rows that are not settled. fd->bend has their |D1 - D2| of
 * the reduction before. If that is not reduced (64 times if it was a bend, not at all if it was
 * rounding), the step before was the better one. A row is settled, its bend 0, when it bends by no
 * more than CURVED. True if no row is left. */
static bool settle(struct ga_fd_level *fd, int n, sample now, double *out, sample *last) {
  const double *at_s = fd->down[now.which], *at_2s = fd->lo;
  bool all = true, taken = false;
  for (int i = 0; i < n; i++) {
    if (fd->bend[i] == 0) continue;
    double near = fd->near[i], far = fd->far[i] / 2, change = fabs(near - far);
    bool worse = change / now.s > fd->bend[i] / 8, bends = change > CURVED * fabs(near);
    fd->bend[i] = bends && !worse ? change / now.s : 0;
    all = all && fd->bend[i] == 0;
    if (worse) continue;
    out[i] = marked((4 * near - far) / 3 / now.s, at_s[i] != at_2s[i]);
    taken = true;
    if (bends) now.relative = fmax(now.relative, change / fabs(near));
  }
  if (taken) *last = now;
  return all;
}

/* The derivative of f along the curve, row by row, into out; s: the step to begin with, reduced by
 * 8 while a row bends too much. Rows may have units of their own: each is judged by itself, and its
 * step does not depend on other rows. */
static ga_status sharp_quotient(ga_eval *e, struct ga_fd_level *fd, const curve *c, double s, int n,
                                double *out, sample *last) {
  size_t bytes = (size_t)n * sizeof(double);
  for (int i = 0; i < n; i++) fd->bend[i] = INFINITY;
  for (int reduction = 0; reduction <= REDUCTIONS; reduction++, s /= 8) {
    const sample now = {s, 0, reduction % 2};
    ga_status status = half_difference(e, fd, c, s, n, fd->near);
    if (status != GA_OK) return status;
    memcpy(fd->up[now.which], fd->hi, bytes);
    memcpy(fd->down[now.which], fd->lo, bytes);
    status = half_difference(e, fd, c, 2 * s, n, fd->far);
    if (status != GA_OK) return status;
    if (settle(fd, n, now, out, last)) break;
  }
  return GA_OK;
}

/* Values at +-s along the columns of a group, which its quotient was made of, into e->near; and how
 * near a point must be. With x = d/l, l the length over which g bends (at most 1), G has changed by
 * delta/l at a distance delta, and the error of a central quotient of the change is
 * x^2 delta/(6 l). */
static void keep_group(ga_eval *e, const struct ga_fd_level *fd, const curve *c, sample taken) {
  ga_nearby *near = &e->near;
  size_t at = (size_t)c->keep * (size_t)e->nlam, bytes = (size_t)e->nlam * sizeof(double);
  memcpy(near->up + at, fd->up[taken.which], bytes);
  memcpy(near->down + at, fd->down[taken.which], bytes);
  for (int k = 0; k < c->columns; k++) {
    int j = c->column[k];
    double d = near->step[j] = taken.s * fd->step[j], x = fmax(d, sqrt(2 * taken.relative));
    near->same = fmin(near->same, SAME * d / x);
    near->reach = fmin(near->reach, 6 * NEARBY * d / (x * x * x));
  }
}

/* Columns of one group: the derivative of f along each, times the column's step, into fd->mid by
 * rows. */
static ga_status group_quotient(ga_eval *e, struct ga_fd_level *fd, const curve *c, bool sharp,
                                int n) {
  if (!sharp) return half_difference(e, fd, c, 1, n, fd->mid);
  sample last = {.s = 1};
  ga_status status = sharp_quotient(e, fd, c, 1, n, fd->mid, &last);
  if (status == GA_OK && c->keep >= 0) keep_group(e, fd, c, last);
  return status;
}

static ga_status quotients(ga_eval *e, ga_point_fn fn, const ga_point *p, ga_fd_kind kind,
                           bool sharp, bool keep, const ga_colours *colours, ga_csr *A) {
  struct ga_fd_level *fd = &e->fd[e->fd_depth++];
  ga_status status = GA_OK;
  for (int j = 0; j < e->nv; j++) {
    fd->step[j] = (sharp ? SHARP : CENTRAL) * ga_fd_scale(e, p, kind, j);
  }
  for (int g = 0; g < colours->count && status == GA_OK; g++) {
    curve c = {.fn = fn,
               .p = p,
               .kind = kind,
               .column = colours->column + colours->start[g],
               .columns = colours->start[g + 1] - colours->start[g],
               .keep = keep ? g : -1};
    status = group_quotient(e, fd, &c, sharp, A->nrow);
    for (int k = 0; k < c.columns && status == GA_OK; k++) {
      int j = c.column[k];
      for (int at = colours->ptr[j]; at < colours->ptr[j + 1]; at++) {
        A->val[colours->place[at]] = fd->mid[colours->row[at]] / fd->step[j];
      }
    }
  }
  e->fd_depth--;
  return status;
}

ga_status ga_fd_columns(ga_eval *e, ga_point_fn fn, const ga_point *p, ga_fd_kind kind, bool sharp,
                        const ga_colours *colours, ga_csr *A) {
  return quotients(e, fn, p, kind, sharp, false, colours, A);
}

ga_status ga_fd_keep_G(ga_eval *e, const ga_point *p, ga_csr *G) {
  e->near.same = e->near.reach = INFINITY;
  return quotients(e, ga_point_g, p, GA_FD_Q, true, true, &e->colours_G, G);
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
  sample last = {.s = 0};
  double d = ga_fd_time_step(p->t, with_motion ? motion_limit(e, p, SHARP) : e->time_step);
  ga_status status = sharp_quotient(e, fd, &c, d, n, out, &last);
  e->fd_depth--;
  return status;
}

/* (f(s) - 2 f(0) + f(-s))/s^2 into out; f(0) is in fd->mid */
static ga_status second_difference(ga_eval *e, struct ga_fd_level *fd, const curve *c, double s,
                                   int n, double *out) {
  ga_point moved = point_at(e, fd, c, s);
  ga_status status = c->fn(e, &moved, fd->hi);
  if (status != GA_OK) return status;
  moved = point_at(e, fd, c, -s);
  status = c->fn(e, &moved, fd->lo);
  for (int i = 0; i < n; i++) out[i] = (fd->hi[i] - 2 * fd->mid[i] + fd->lo[i]) / (s * s);
  return status;
}

/* f'' = (4 D1 - D2)/3 with D1 = (f(d) - 2 f(0) + f(-d))/d^2, D2 the same for 2d; rows as above */
ga_status ga_fd_second(ga_eval *e, ga_point_fn fn, const ga_point *p, int n, double *out) {
  struct ga_fd_level *fd = &e->fd[e->fd_depth++];
  curve c = {.fn = fn, .p = p, .in_time = true, .with_motion = true};
  double d = ga_fd_time_step(p->t, motion_limit(e, p, SECOND));
  bool all = false;
  ga_status status = fn(e, p, fd->mid);
  for (int i = 0; i < n; i++) fd->bend[i] = INFINITY;
  for (int reduction = 0; reduction < 3 && status == GA_OK && !all; reduction++, d /= 4) {
    status = second_difference(e, fd, &c, d, n, fd->near);
    if (status == GA_OK) status = second_difference(e, fd, &c, 2 * d, n, fd->far);
    if (status != GA_OK) break;
    all = true;
    for (int i = 0; i < n; i++) {
      if (fd->bend[i] == 0) continue;
      double near = fd->near[i], far = fd->far[i], change = fabs(near - far);
      bool worse = change > fd->bend[i] / 4, bends = change > CURVED_SECOND * fabs(near);
      if (!worse) out[i] = (4 * near - far) / 3;
      fd->bend[i] = bends && !worse ? change : 0;
      all = all && fd->bend[i] == 0;
    }
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

/* -R at a point, with the work matrices of e: all of it, or without those of G^T lam and H^T psi
 * whose matrices are not given */
static ga_status point_reaction(ga_eval *e, const ga_point *p, bool all, double *out) {
  if (ga_eval_own_reaction(e)) return ga_eval_reaction(e, p, NULL, NULL, out);
  bool lam = e->nlam > 0 && (all || !(e->absent & GA_GIVES_G));
  bool psi = e->npsi > 0 && (all || !(e->absent & GA_GIVES_H));
  const ga_evaluation ask = {.G = lam ? &e->G : NULL, .H = psi ? &e->H : NULL};
  ga_status status = lam || psi ? ga_eval_all(e, p->t, p->q, p->v, &ask) : GA_OK;
  memset(out, 0, (size_t)e->nv * sizeof(double));
  if (status == GA_OK && lam) ga_csr_mul_t_add(&e->G, 1, p->lam, out);
  if (status == GA_OK && psi) ga_csr_mul_t_add(&e->H, 1, p->psi, out);
  return status;
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
      status = point_reaction(e, &moved, true, fd->hi);
      if (status == GA_OK) ga_axpy(e->nv, weight[k] / (12 * d), fd->hi, fd->near);
    }
    e->mult[i] = keep;
    for (int k = A->ptr[row]; k < A->ptr[row + 1]; k++) A->val[k] = fd->near[A->col[k]];
  }
  e->fd_depth--;
  return status;
}

/* -F - R, and M x, if it is wanted, but for constant rows of M: they have no derivative */
static ga_status balance(ga_eval *e, const ga_point *p, bool all, bool mass, double *out) {
  struct ga_fd_level *fd = &e->fd[1]; /* quotients of this function run on level 0 */
  ga_status status = point_reaction(e, p, all, out);
  const ga_evaluation ask = {.F = fd->mid, .M = mass ? &e->M : NULL};
  if (status == GA_OK) status = ga_eval_all(e, p->t, p->q, p->v, &ask);
  if (status != GA_OK) return status;
  ga_axpy(e->nv, -1, fd->mid, out);
  for (int i = 0; i < e->nv && mass; i++) {
    if (ga_mass_row_constant(e->model, i)) continue;
    double sum = 0;
    for (int k = e->M.ptr[i]; k < e->M.ptr[i + 1]; k++) sum += e->M.val[k] * p->x[e->M.col[k]];
    out[i] += sum;
  }
  return GA_OK;
}

ga_status ga_point_force(ga_eval *e, const ga_point *p, double *out) {
  return balance(e, p, true, false, out);
}

ga_status ga_point_balance(ga_eval *e, const ga_point *p, double *out) {
  return balance(e, p, true, true, out);
}

/* the same without what ga_fd_mixed adds; M x has no derivative where M is constant */
static ga_status given_force(ga_eval *e, const ga_point *p, double *out) {
  return balance(e, p, false, false, out);
}

static ga_status given_balance(ga_eval *e, const ga_point *p, double *out) {
  return balance(e, p, false, !e->const_mass, out);
}

ga_status ga_fd_H(ga_eval *e, const ga_point *p, ga_csr *H) {
  return ga_fd_columns(e, ga_point_k, p, GA_FD_V, true, &e->colours_H, H);
}

ga_status ga_fd_Z(ga_eval *e, const ga_point *p, ga_csr *Z) {
  if (e->absent & GA_GIVES_G) return ga_fd_mixed(e, p, NULL, NULL, Z);
  return ga_fd_columns(e, ga_point_hidden, p, GA_FD_Q, false, &e->colours_G, Z);
}

ga_status ga_fd_Y(ga_eval *e, const ga_point *p, ga_csr *Y) {
  return ga_fd_columns(e, ga_point_k, p, GA_FD_Q, false, &e->colours_H, Y);
}

/* G v + g_t is the derivative of g along t + s, q o exp(s v), the drift its second derivative: one
 * difference of G v + g_t where both are given, a second difference of g where not. Not by Z v: a
 * wrong Z then costs iterations, not the solution. */
ga_status ga_fd_drift(ga_eval *e, const ga_point *p, double *drift) {
  return hidden_given(e) ? ga_fd_time(e, ga_point_hidden, p, true, e->nlam, drift)
                         : ga_fd_second(e, ga_point_g, p, e->nlam, drift);
}

ga_status ga_fd_tangents(ga_eval *e, const ga_point *p, ga_csr *Kt, ga_csr *Ct, ga_csr *Z) {
  ga_status status = ga_fd_columns(e, given_balance, p, GA_FD_Q, false, &e->colours_K, Kt);
  if (status == GA_OK) {
    status = ga_fd_columns(e, given_force, p, GA_FD_V, false, &e->colours_C, Ct);
  }
  if (status != GA_OK) return status;
  return ga_eval_own_reaction(e) ? ga_fd_mixed(e, p, NULL, NULL, Z) : ga_fd_mixed(e, p, Kt, Ct, Z);
}
