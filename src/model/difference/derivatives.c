/* SPDX-License-Identifier: MIT */
/* Finite differences for derivatives that a model does not give.
 *
 *   derivative                          quotient                              step        error
 *   G, g_t, H, drifts                   fourth order (quotient.c)             eps^(1/5)   3e-13
 *   drift of g'' from g alone           second derivative, fourth order       eps^(1/6)   1e-9
 *   Y, forces in Kt and Ct              central                               eps^(1/3)   4e-11
 *   second derivatives of g, k in       pairs of directions (mixed.c)
 *   Z, Kt and Ct
 *
 * Errors are relative to the size of the function. Accuracy matters for the first two rows: they
 * enter residuals, and their steps are reduced where the function is strongly curved. The other
 * derivatives enter the Newton matrix only.
 *
 * A derivative with respect to q in direction j is taken along q o exp(d e_j), so that quotients
 * are trivialised derivatives on every group. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "model/difference/quotient.h"

static const double SHARP = 7.4e-4;   /* eps^(1/5) */
static const double CENTRAL = 6.1e-6; /* eps^(1/3) */
static const double SECOND = 2.5e-3;  /* eps^(1/6), for second derivatives */
static const double CURVED = 1e-5;    /* largest |D1 - D2|/|D1|; error about CURVED^2 */
/* The same for second derivatives, which lose more digits by a reduction; error about
 * CURVED_SECOND^2/3. */
static const double CURVED_SECOND = 1e-4;
static const double NEARBY = 1e-13; /* relative error allowed in nearby.c */
static const double SAME = 3e-14;   /* relative change of G that nearby.c neglects */
enum { REDUCTIONS = 5 };            /* by 8 each: down to SHARP/32768 */

/* Does the model give both terms of G v + g_t? */
static bool hidden_given(const ga_eval *e) {
  return !(e->absent & (GA_GIVES_G | GA_GIVES_GT));
}

/* Relative rounding error of G and H: eps if the model gives both, else that of the quotient. */
double ga_eval_jacobian_noise(const ga_eval *e) {
  bool absent = e->absent & (GA_GIVES_G | GA_GIVES_H);
  return absent ? DBL_EPSILON / SHARP : DBL_EPSILON;
}

/* Relative rounding error of the drift of g'': given, a first or a second difference. */
double ga_eval_drift_noise(const ga_eval *e) {
  if (!(e->absent & GA_GIVES_DRIFT)) return DBL_EPSILON;
  return hidden_given(e) ? DBL_EPSILON / SHARP : 16 * DBL_EPSILON / (SECOND * SECOND);
}

/* Set e->time_step, the step of differences in time, for a run with steps h: ten steps, at most
 * SHARP, at least the shortest step that REDUCTIONS of SHARP reach: quotients over an even shorter
 * time would be rounding errors only. */
void ga_eval_set_step(ga_eval *e, double h) {
  e->time_step = fmax(fmin(10 * h, SHARP), ldexp(SHARP, -3 * REDUCTIONS));
}

/* A coordinate of size x has rounding errors of eps x, but functions of it are curved over a length
 * of about 1 (an angle) whatever x is. The best step is then (eps x)^(1/5). */
static double position_scale(double size) {
  return size > 1 ? pow(size, 0.2) : 1;
}

/* Scale of column j of q or v for difference steps: 1 for rotations, |v_j| or |q_j|^(1/5) where
 * these are above 1. */
double ga_difference_scale(const ga_eval *e, const ga_eval_point *p, ga_difference_kind kind,
                           int j) {
  /* velocities enter by low powers: their step is proportional to them */
  if (kind == GA_DIFFERENCE_V) return fmax(1, fabs(p->v[j]));
  const ga_space *space = e->model->space;
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f];
    int nv = factor->group->nv, at = j - factor->v_at;
    if (at < 0 || at >= nv * factor->n) continue;
    if (factor->group->commutative) return position_scale(fabs(p->q[factor->q_at + at]));
    /* positions of SE(3) come first in their copy; rotations have scale 1 */
    int positions = factor->group->nq - 4;
    if (at % nv >= positions) return 1;
    return position_scale(ga_max_abs(positions, p->q + factor->q_at + at / nv * factor->group->nq));
  }
  return 1;
}

/* The largest power of two up to max(d, 256 eps |t|): then t + d and t + 2 d have no rounding
 * error. */
double ga_difference_time_step(double t, double d) {
  int exponent;
  frexp(fmax(d, 256 * DBL_EPSILON * fabs(t)), &exponent);
  return ldexp(1, exponent - 1);
}

/* Keep the values of g at +-s (taken.s) of a group of columns in e->near (up, down, step), for
 * nearby.c, and lower near->same and near->reach, the distances at which they may be used. With d
 * the step, l <= 1 the length over which g is curved and x = d/l: at a distance delta G has changed
 * by delta/l, and the central quotient of that change has the error x^2 delta/(6 l). */
static void keep_group(ga_eval *e, const struct ga_difference_level *fd, const ga_quotient_curve *c,
                       int group, ga_quotient_sample taken) {
  ga_nearby *near = &e->near;
  size_t at = (size_t)group * (size_t)e->nlam, bytes = (size_t)e->nlam * sizeof(double);
  memcpy(near->up + at, fd->up[taken.which], bytes);
  memcpy(near->down + at, fd->down[taken.which], bytes);
  for (int k = 0; k < c->columns; k++) {
    int j = c->column[k];
    double d = near->step[j] = taken.s * fd->step[j], x = fmax(d, sqrt(2 * taken.relative));
    near->same = fmin(near->same, SAME * d / x);
    near->reach = fmin(near->reach, 6 * NEARBY * d / (x * x * x));
  }
}

/* The search for a first derivative of `rows` functions. s: the longest step; sure: a step that
 * resolves the motion. The shortest step is REDUCTIONS reductions by 8 below s, or two below sure
 * if that is less. */
static ga_quotient_search first_derivative(int rows, double s, double sure) {
  double least = fmin(ldexp(s, -3 * REDUCTIONS), ldexp(sure, -3 * 2));
  return (ga_quotient_search){
      .order = 1, .rows = rows, .s = s, .sure = sure, .least = least, .ratio = 8, .curved = CURVED};
}

/* The derivative of n rows along all columns of a group, times the column's step, into fd->mid.
 * sharp: fourth order, else central. keep: the group's number if its values are to be kept for
 * nearby.c, else -1. */
static ga_status group_quotient(ga_eval *e, struct ga_difference_level *fd,
                                const ga_quotient_curve *c, bool sharp, int keep, int n) {
  if (!sharp) return ga_quotient_central(e, fd, c, 1, n, fd->mid);
  /* steps in units of fd->step, which resolves everything: both 1 */
  const ga_quotient_search how = first_derivative(n, 1, 1);
  ga_quotient_sample last = {.s = 1};
  ga_status status = ga_quotient(e, fd, c, &how, fd->mid, &last);
  if (status == GA_OK && keep >= 0) keep_group(e, fd, c, keep, last);
  return status;
}

/* A->val = derivative of fn by q or v at p (kind), group by group of columns, in the pattern of A.
 * sharp: fourth order, else central. keep: store the values of g in e->near (fn must be
 * ga_eval_point_g). Uses one level of scratch, e->fd[e->fd_depth]; at most two are there. On
 * failure A is incomplete. */
static ga_status column_quotients(ga_eval *e, ga_eval_point_fn fn, const ga_eval_point *p,
                                  ga_difference_kind kind, bool sharp, bool keep,
                                  const ga_colouring *colours, ga_csr *A) {
  struct ga_difference_level *fd = &e->fd[e->fd_depth++];
  ga_status status = GA_OK;
  for (int j = 0; j < e->nv; j++) {
    fd->step[j] = (sharp ? SHARP : CENTRAL) * ga_difference_scale(e, p, kind, j);
  }
  for (int g = 0; g < colours->count && status == GA_OK; g++) {
    const ga_quotient_curve c = {.fn = fn,
                                 .p = p,
                                 .kind = kind,
                                 .column = colours->column + colours->start[g],
                                 .columns = colours->start[g + 1] - colours->start[g]};
    status = group_quotient(e, fd, &c, sharp, keep ? g : -1, A->nrow);
    for (int k = 0; k < c.columns && status == GA_OK; k++) {
      int j = c.column[k];
      for (int at = colours->ptr[j]; at < colours->ptr[j + 1]; at++) {
        A->val[colours->slot[at]] = fd->mid[colours->row[at]] / fd->step[j];
      }
    }
  }
  e->fd_depth--;
  return status;
}

/* A = derivative of fn by q (trivialised) or v at p, in the pattern of A, which has these colours.
 * sharp: fourth-order quotient, else central. */
ga_status ga_difference_columns(ga_eval *e, ga_eval_point_fn fn, const ga_eval_point *p,
                                ga_difference_kind kind, bool sharp, const ga_colouring *colours,
                                ga_csr *A) {
  return column_quotients(e, fn, p, kind, sharp, false, colours, A);
}

/* G = D_q g; the values of g and the limits same and reach go to e->near. */
ga_status ga_difference_keep_G(ga_eval *e, const ga_eval_point *p, ga_csr *G) {
  e->near.same = e->near.reach = INFINITY;
  return column_quotients(e, ga_eval_point_g, p, GA_DIFFERENCE_Q, true, true, &e->colouring_G, G);
}

/* The longest time, at most d, in which no coordinate moves by more than d times its scale. */
static double motion_limit(const ga_eval *e, const ga_eval_point *p, double d) {
  double limit = d;
  for (int j = 0; j < e->nv; j++) {
    double way = d * ga_difference_scale(e, p, GA_DIFFERENCE_Q, j), speed = fabs(p->v[j]);
    if (way < limit * speed) limit = way / speed;
  }
  return limit;
}

/* out = d fn/ds at s = 0, n numbers, along t + s (with_motion: and q o exp(s v)) by the
 * fourth-order quotient. Uses one level of scratch (e->fd_depth). */
ga_status ga_difference_time(ga_eval *e, ga_eval_point_fn fn, const ga_eval_point *p,
                             bool with_motion, int n, double *out) {
  struct ga_difference_level *fd = &e->fd[e->fd_depth++];
  const ga_quotient_curve c = {.fn = fn, .p = p, .in_time = true, .with_motion = with_motion};
  double d = ga_difference_time_step(p->t, with_motion ? SHARP : e->time_step);
  double sure = with_motion ? ga_difference_time_step(p->t, motion_limit(e, p, SHARP)) : d;
  const ga_quotient_search how = first_derivative(n, d, sure);
  ga_quotient_sample last = {.s = 0};
  ga_status status = ga_quotient(e, fd, &c, &how, out, &last);
  e->fd_depth--;
  return status;
}

/* out = d^2 fn/ds^2 at s = 0, n numbers, along t + s, q o exp(s v). Uses one level of scratch
 * (e->fd_depth). The shortest step resolves what the steps h of the run resolve: with ten steps in
 * a period of an oscillation, time_step is at most that period. */
ga_status ga_difference_second(ga_eval *e, ga_eval_point_fn fn, const ga_eval_point *p, int n,
                               double *out) {
  struct ga_difference_level *fd = &e->fd[e->fd_depth++];
  const ga_quotient_curve c = {.fn = fn, .p = p, .in_time = true, .with_motion = true};
  double d = ga_difference_time_step(p->t, SECOND), least = d;
  double sure = ga_difference_time_step(p->t, motion_limit(e, p, SECOND));
  /* three more reductions by 4 */
  while (least > fmin(sure, e->time_step) / 64) least /= 4;
  const ga_quotient_search how = {.order = 2,
                                  .rows = n,
                                  .s = d,
                                  .sure = sure,
                                  .least = least,
                                  .ratio = 4,
                                  .curved = CURVED_SECOND};
  ga_quotient_sample last = {.s = 0};
  ga_status status = ga_quotient(e, fd, &c, &how, out, &last);
  e->fd_depth--;
  return status;
}

/* out = g at p */
ga_status ga_eval_point_g(ga_eval *e, const ga_eval_point *p, double *out) {
  return ga_eval_g(e, p->t, p->q, out);
}

/* out = k at p */
ga_status ga_eval_point_k(ga_eval *e, const ga_eval_point *p, double *out) {
  return ga_eval_k(e, p->t, p->q, p->v, out);
}

/* out = G v + g_t at p; e->G is overwritten */
ga_status ga_eval_point_hidden(ga_eval *e, const ga_eval_point *p, double *out) {
  ga_status status = ga_eval_G(e, p->t, p->q, &e->G);
  return status != GA_OK ? status : ga_eval_hidden(e, p->t, p->q, p->v, &e->G, out);
}

/* G x + Z v + G_t v + g_tt; the drift may use e->G, so it comes first */
ga_status ga_eval_point_acceleration(ga_eval *e, const ga_eval_point *p, double *out) {
  ga_status status = ga_eval_g_drift(e, p->t, p->q, p->v, out);
  if (status == GA_OK) status = ga_eval_G(e, p->t, p->q, &e->G);
  if (status == GA_OK) ga_csr_mul_add(&e->G, 1, p->x, out);
  return status;
}

/* out = -R at p, nv numbers; overwrites the scratch matrices e->G and e->H. all = false: without
 * the terms G^T lam and H^T psi whose matrix the model does not give (ga_difference_mixed adds
 * their derivatives); of no effect if the model has a reaction of its own. */
static ga_status point_reaction(ga_eval *e, const ga_eval_point *p, bool all, double *out) {
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

/* Row i of L (for lam) or P (for psi) = -dR/dmu_i, mu = (lam, psi), by the fourth-order quotient (8
 * (f(d) - f(-d)) - (f(2 d) - f(-2 d)))/(12 d). Multipliers enter by low powers, so the step d is
 * proportional to them. Overwrites e->mult, e->G, e->H and one level of scratch. */
ga_status ga_difference_multipliers(ga_eval *e, const ga_eval_point *p, ga_csr *L, ga_csr *P) {
  struct ga_difference_level *fd = &e->fd[e->fd_depth++];
  ga_status status = GA_OK;
  ga_eval_point moved = *p;
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
      static const double offset[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
      e->mult[i] = keep + offset[k] * d;
      status = point_reaction(e, &moved, true, fd->hi);
      if (status == GA_OK) ga_axpy(e->nv, weight[k] / (12 * d), fd->hi, fd->near);
    }
    e->mult[i] = keep;
    for (int k = A->ptr[row]; k < A->ptr[row + 1]; k++) A->val[k] = fd->near[A->col[k]];
  }
  e->fd_depth--;
  return status;
}

/* out = -F - R at p; with `mass` also + M x, without constant rows of M, whose derivative is zero.
 * all: see point_reaction. Overwrites e->M, e->G, e->H and mid, near of scratch level 1, so at most
 * one quotient may be under way. */
static ga_status force_balance(ga_eval *e, const ga_eval_point *p, bool all, bool mass,
                               double *out) {
  struct ga_difference_level *fd = &e->fd[1]; /* quotients of this function run on level 0 */
  ga_status status = point_reaction(e, p, all, out);
  const bool product = mass && ga_eval_gives_product(e);
  ga_evaluation ask = {.F = fd->mid, .x = p->x};
  if (product) ask.Mx = fd->near;
  if (mass && !product) ask.M = &e->M;
  if (status == GA_OK) status = ga_eval_all(e, p->t, p->q, p->v, &ask);
  if (status != GA_OK) return status;
  ga_axpy(e->nv, -1, fd->mid, out);
  if (mass && !product) ga_csr_mul(&e->M, 1, p->x, fd->near);
  for (int i = 0; i < e->nv && mass; i++) {
    if (!ga_adapter_mass_row_constant(e->model, i)) out[i] += fd->near[i];
  }
  return GA_OK;
}

/* out = -F - R at p */
ga_status ga_eval_point_force(ga_eval *e, const ga_eval_point *p, double *out) {
  return force_balance(e, p, true /* all terms */, false /* no M x */, out);
}

/* out = M x - F - R at p, without constant rows of M */
ga_status ga_eval_point_balance(ga_eval *e, const ga_eval_point *p, double *out) {
  return force_balance(e, p, true /* all terms */, true /* with M x */, out);
}

/* the same without the terms that ga_difference_mixed adds */
static ga_status given_force(ga_eval *e, const ga_eval_point *p, double *out) {
  return force_balance(e, p, false /* given terms */, false /* no M x */, out);
}

/* The same for M x - F - R; M x only if M may vary. */
static ga_status given_balance(ga_eval *e, const ga_eval_point *p, double *out) {
  return force_balance(e, p, false /* given terms */, !e->const_mass, out);
}

/* H = dk/dv by the fourth-order quotient */
ga_status ga_difference_H(ga_eval *e, const ga_eval_point *p, ga_csr *H) {
  return ga_difference_columns(e, ga_eval_point_k, p, GA_DIFFERENCE_V, true, &e->colouring_H, H);
}

/* Z = D_q(G v + g_t): by second differences of g, or by central quotients if the model gives G. */
ga_status ga_difference_Z(ga_eval *e, const ga_eval_point *p, ga_csr *Z) {
  if (e->absent & GA_GIVES_G) return ga_difference_mixed(e, p, NULL, NULL, Z);
  return ga_difference_columns(e, ga_eval_point_hidden, p, GA_DIFFERENCE_Q, false, &e->colouring_G,
                               Z);
}

/* Y = D_q k by the central quotient */
ga_status ga_difference_Y(ga_eval *e, const ga_eval_point *p, ga_csr *Y) {
  return ga_difference_columns(e, ga_eval_point_k, p, GA_DIFFERENCE_Q, false, &e->colouring_H, Y);
}

/* Along t + s, q o exp(s v), G v + g_t is the first derivative of g and the drift the second. It is
 * a first difference of G v + g_t if the model gives both terms, else a second difference of g. It
 * is not computed from Z v: so a wrong Z costs Newton iterations, but the solution stays right. */
ga_status ga_difference_drift(ga_eval *e, const ga_eval_point *p, double *drift) {
  return hidden_given(e) ? ga_difference_time(e, ga_eval_point_hidden, p, true, e->nlam, drift)
                         : ga_difference_second(e, ga_eval_point_g, p, e->nlam, drift);
}

/* Kt = D_q(M x - F - R), Ct = d/dv(-F - R), by central quotients of the terms that the model gives,
 * plus the second derivatives of g and k that it does not give. Z, unless NULL, is set as well
 * (only if the model does not give G). */
ga_status ga_difference_tangents(ga_eval *e, const ga_eval_point *p, ga_csr *Kt, ga_csr *Ct,
                                 ga_csr *Z) {
  ga_status status =
      ga_difference_columns(e, given_balance, p, GA_DIFFERENCE_Q, false, &e->colouring_K, Kt);
  if (status == GA_OK) {
    status = ga_difference_columns(e, given_force, p, GA_DIFFERENCE_V, false, &e->colouring_C, Ct);
  }
  if (status != GA_OK) return status;
  return ga_eval_own_reaction(e) ? ga_difference_mixed(e, p, NULL, NULL, Z)
                                 : ga_difference_mixed(e, p, Kt, Ct, Z);
}
