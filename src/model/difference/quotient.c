/* SPDX-License-Identifier: MIT */
/* Difference quotients along a curve.
 *
 *     first derivative    D1 = (f(s) - f(-s))/(2 s),
 *     second derivative   D1 = (f(s) - 2 f(0) + f(-s))/s^2,
 *     D2 the same with 2 s,   result (4 D1 - D2)/3, off by O(s^4).
 *
 * D1 and D2 differ by c s^2, the bend. If it is more than `curved` of the derivative, s is too long
 * for this function (a mechanism of millimetres, a fast drive), or it is rounding. A shorter step
 * tells: a bend falls with the square of s, rounding grows. Then the step before was the better
 * one.
 *
 * But a wave A sin(w s) with w s > 2 is not seen as a bend: D1 and D2 are of the size A/s, and
 * nothing falls before w s is small, exactly as with rounding. So a row that did not improve is
 * looked at once more with the shortest of all steps. There a wave has a derivative that D1 and D2
 * agree on and that is not the one that was found, while for rounding D1 and D2 differ by as much
 * as from anything else. By chance they agree now and then: so one longer step must find the same
 * derivative before it is believed. Rows of rounding keep the longest step.
 *
 * Along the motion a step may be too long because of one fast rotor that most rows do not depend
 * on. So the longest step is tried, and compared with one that resolves the motion in the same way:
 * rows for which that proves another derivative are those that are fast. */
#include "model/difference/quotient.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"

/* A correction is proven if |D1 - D2| and the differences between steps are at most this part of
 * it.
 */
static const double PROVEN = 0.05;
/* Steps that prove something are this part of a power of the ratio: whole numbers of roundings that
 * belong together would agree too often. It has few bits, so that t + s is exact. */
static const double ODD = 0.8125;
/* a change of f that is certainly rounding, in units of eps |f|; it may be more where f is a sum of
 * larger numbers */
static const double ROUNDINGS = 8;

/* the point at parameter s of the curve, its arrays in fd */
static ga_eval_point point_at(ga_eval *e, struct ga_difference_level *fd,
                              const ga_quotient_curve *c, double s) {
  ga_eval_point moved = *c->p;
  if (c->in_time) moved.t += s;
  if (!c->in_time && c->kind == GA_DIFFERENCE_V) {
    memcpy(fd->v, moved.v, (size_t)e->nv * sizeof(double));
    for (int k = 0; k < c->columns; k++) fd->v[c->column[k]] += s * fd->step[c->column[k]];
    moved.v = fd->v;
  }
  if (c->in_time ? !c->with_motion : c->kind == GA_DIFFERENCE_V) return moved;
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

/* f(s) and f(-s) into fd->hi and fd->lo */
static ga_status both_sides(ga_eval *e, struct ga_difference_level *fd, const ga_quotient_curve *c,
                            double s) {
  ga_eval_point moved = point_at(e, fd, c, s);
  ga_status status = c->fn(e, &moved, fd->hi);
  if (status != GA_OK) return status;
  moved = point_at(e, fd, c, -s);
  return c->fn(e, &moved, fd->lo);
}

ga_status ga_quotient_central(ga_eval *e, struct ga_difference_level *fd,
                              const ga_quotient_curve *c, double s, int n, double *out) {
  ga_status status = both_sides(e, fd, c, s);
  for (int i = 0; i < n && status == GA_OK; i++) out[i] = (fd->hi[i] - fd->lo[i]) / 2;
  return status;
}

/* s^order D1 into out, of the values of both sides; f(0) is in fd->mid for second derivatives */
static void difference(const struct ga_difference_level *fd, const ga_quotient_search *how,
                       double *out) {
  for (int i = 0; i < how->rows; i++) {
    out[i] = how->order == 1 ? (fd->hi[i] - fd->lo[i]) / 2 : fd->hi[i] - 2 * fd->mid[i] + fd->lo[i];
  }
}

/* s^order D1 and D2 into fd->near and fd->far; f(s) and f(-s) into fd->up and fd->down, f(2s) and
 * f(-2s) remain in fd->hi and fd->lo. */
static ga_status differences(ga_eval *e, struct ga_difference_level *fd, const ga_quotient_curve *c,
                             const ga_quotient_search *how, double s, int which) {
  size_t bytes = (size_t)how->rows * sizeof(double);
  ga_status status = both_sides(e, fd, c, s);
  if (status != GA_OK) return status;
  difference(fd, how, fd->near);
  memcpy(fd->up[which], fd->hi, bytes);
  memcpy(fd->down[which], fd->lo, bytes);
  status = both_sides(e, fd, c, 2 * s);
  if (status != GA_OK) return status;
  difference(fd, how, fd->far);
  for (int i = 0; i < how->rows; i++) fd->far[i] /= how->order == 1 ? 2 : 4;
  return GA_OK;
}

/* A quotient is zero only where f does not change at all along the curve: what belongs together is
 * told by entries that are not zero. At the lowest point of a pendulum f changes, but f(s) =
 * f(-s). */
static double marked(double quotient, bool changes) {
  return quotient == 0 && changes ? DBL_MIN : quotient;
}

static double power(const ga_quotient_search *how, double s) {
  return how->order == 1 ? s : s * s;
}

/* the largest value of row i in a sample */
static double largest(const struct ga_difference_level *fd, int which, int i) {
  double at_s = fmax(fabs(fd->up[which][i]), fabs(fd->down[which][i]));
  return fmax(at_s, fmax(fabs(fd->hi[i]), fabs(fd->lo[i])));
}

/* What is known of a row: fd->bend, its |D1 - D2| at the step that it took last, 0 if that is good;
 * and fd->wave: */
static const double UNKNOWN = 0; /* nothing, or no wave */
static const double ASKED = -1;  /* a short step is to tell if it is one */
static const double FOUND = -2;  /* it was, and is resolved: what does not fall now is rounding */
/* Positive: how wrong the row is, if a step longer than fd->proof finds the derivative fd->truth.
 */

static bool done(const struct ga_difference_level *fd, int i) {
  return fd->bend[i] == 0 && !(fd->wave[i] > 0);
}

static double extrapolated(const struct ga_difference_level *fd, int i) {
  return (4 * fd->near[i] - fd->far[i]) / 3;
}

/* Does row i take the step of this sample? If not, why not goes to fd->bend and fd->wave. */
static bool takes(struct ga_difference_level *fd, int i, const ga_quotient_search *how,
                  ga_quotient_sample now) {
  double unit = power(how, now.s), change = fabs(fd->near[i] - fd->far[i]);
  if (fd->wave[i] > 0) {
    double wrong = fd->wave[i], off = fabs(extrapolated(fd, i) / unit - fd->truth[i]);
    bool found = change <= PROVEN * wrong * unit && off <= PROVEN * wrong && now.s > fd->proof[i];
    if (found) fd->wave[i] = FOUND;
    if (now.s <= fd->proof[i]) fd->wave[i] = UNKNOWN; /* no longer step has found it */
    return found;
  }
  if (!(change / unit > fd->bend[i] / how->ratio)) return true;
  bool rounding =
      fd->wave[i] == FOUND || change <= ROUNDINGS * DBL_EPSILON * largest(fd, now.which, i);
  if (rounding) fd->bend[i] = 0;
  if (!rounding) fd->wave[i] = ASKED;
  return false;
}

/* Rows are searched in two rounds: waves that a step is sure of, then the others. */
static bool turn(const struct ga_difference_level *fd, int i, bool waves) {
  return !done(fd, i) && (!waves || fd->wave[i] != UNKNOWN);
}

static bool all_done(const struct ga_difference_level *fd, int rows, bool waves) {
  for (int i = 0; i < rows; i++) {
    if (turn(fd, i, waves)) return false;
  }
  return true;
}

/* One sample for the rows that are not done. Returns whether one of them asks. */
static bool settle(struct ga_difference_level *fd, const ga_quotient_search *how,
                   ga_quotient_sample now, bool waves, double *out, ga_quotient_sample *last) {
  const double *at_s = fd->down[now.which], *at_2s = fd->lo;
  double unit = power(how, now.s);
  bool taken = false, asks = false;
  for (int i = 0; i < how->rows; i++) {
    if (!turn(fd, i, waves)) continue;
    if (!takes(fd, i, how, now)) {
      asks = asks || fd->wave[i] == ASKED;
      continue;
    }
    double near = fd->near[i], far = fd->far[i], change = fabs(near - far);
    bool bends = change > how->curved * fabs(near);
    out[i] = marked(extrapolated(fd, i) / unit, how->order == 1 && at_s[i] != at_2s[i]);
    fd->bend[i] = bends ? change / unit : 0;
    if (bends) now.relative = fmax(now.relative, change / fabs(near));
    taken = true;
  }
  if (taken) *last = now;
  return asks;
}

/* The rows that ask, looked at with the step s: waves get their derivative. Values that do not
 * change at all prove nothing: the step may be too short for them. If it is the shortest of all,
 * rows that are no waves keep what they have; else those that are wrong by less than they bend are
 * left to shorter steps. */
static ga_status answer(ga_eval *e, struct ga_difference_level *fd, const ga_quotient_curve *c,
                        const ga_quotient_search *how, double s, const double *out,
                        const ga_quotient_sample *last) {
  double unit = power(how, ODD * s), claimed = how->curved * how->curved;
  bool shortest = s <= how->least;
  ga_status status = differences(e, fd, c, how, ODD * s, 1 - last->which);
  for (int i = 0; i < how->rows && status == GA_OK; i++) {
    if (fd->wave[i] != ASKED) continue;
    fd->proof[i] = shortest ? s : s * how->ratio;
    fd->truth[i] = extrapolated(fd, i) / unit;
    double wrong = fabs(fd->truth[i] - out[i]), bend = fabs(fd->near[i] - fd->far[i]) / unit;
    bool wave = fd->near[i] != 0 && wrong > claimed * fabs(fd->truth[i]);
    wave = wave && (shortest || wrong > fd->bend[i]) && bend < PROVEN * wrong;
    fd->wave[i] = wave ? wrong : UNKNOWN;
    if (shortest && !wave) fd->bend[i] = 0;
  }
  return status;
}

/* Steps from s on, each shorter than the one before by the ratio, until all rows are done. */
static ga_status descend(ga_eval *e, struct ga_difference_level *fd, const ga_quotient_curve *c,
                         const ga_quotient_search *how, double s, bool waves, double *out,
                         ga_quotient_sample *last) {
  ga_status status = GA_OK;
  for (; s >= how->least && !all_done(fd, how->rows, waves); s /= how->ratio) {
    const ga_quotient_sample now = {s, 0, 1 - last->which};
    status = differences(e, fd, c, how, s, now.which);
    if (status != GA_OK) break;
    bool asks = settle(fd, how, now, waves, out, last);
    if (asks && s > how->least) status = answer(e, fd, c, how, how->least, out, last);
    if (status != GA_OK) break;
  }
  return status;
}

/* Can all rows be used? Far away f may not exist: no number, or a callback that refuses. */
static bool usable(const struct ga_difference_level *fd, int rows, ga_status status) {
  for (int i = 0; i < rows && status == GA_OK; i++) {
    if (!isfinite(fd->near[i]) || !isfinite(fd->far[i])) return false;
  }
  return status == GA_OK;
}

/* The first step is how->s, or the one that is sure if that is not much shorter, or if f does not
 * exist so far away. Of rows that are compared, those that are fast take steps near to the sure
 * one; a step that confirms is longer than the proof by the square of the ratio, so that what
 * rounding may pretend is small. */
ga_status ga_quotient(ga_eval *e, struct ga_difference_level *fd, const ga_quotient_curve *c,
                      const ga_quotient_search *how, double *out, ga_quotient_sample *last) {
  bool compare = how->s > how->ratio * how->sure;
  ga_quotient_sample now = {compare ? how->s : how->sure, 0, 0};
  ga_status status = how->order == 2 ? c->fn(e, c->p, fd->mid) : GA_OK;
  if (status != GA_OK) return status;
  for (int i = 0; i < how->rows; i++) fd->bend[i] = INFINITY, fd->wave[i] = UNKNOWN;
  status = differences(e, fd, c, how, now.s, now.which);
  if (compare && status >= 0 && !usable(fd, how->rows, status)) {
    compare = false;
    now.s = how->sure;
    status = differences(e, fd, c, how, now.s, now.which);
  }
  if (status != GA_OK) return status;
  settle(fd, how, now, false, out, last);
  double next = now.s / how->ratio;
  if (compare) {
    for (int i = 0; i < how->rows; i++) fd->wave[i] = ASKED;
    double ratio2 = how->ratio * how->ratio, sure = fmin(how->sure, next / ratio2);
    status = answer(e, fd, c, how, sure, out, last);
    if (status == GA_OK) status = descend(e, fd, c, how, sure * ratio2, true, out, last);
  }
  return status == GA_OK ? descend(e, fd, c, how, next, false, out, last) : status;
}
