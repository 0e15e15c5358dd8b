/* SPDX-License-Identifier: MIT */
/* Difference quotients along a curve, with a step of its own for each row.
 *
 * Let f(s) be one row of the function at the parameter s of the curve.
 *
 *     first derivative    D1 = (f(s) - f(-s))/(2 s)
 *     second derivative   D1 = (f(s) - 2 f(0) + f(-s))/s^2
 *     D2                  the same with 2 s instead of s
 *     result              (4 D1 - D2)/3, error O(s^4) (Richardson extrapolation)
 *
 * The step is good if |D1 - D2| <= curved |D1|. A larger difference has one of three causes:
 *
 *   1. Truncation. |D1 - D2| = c s^2: the step is too long for this row (a mechanism of
 *      millimetres, a fast drive). A shorter step reduces the difference.
 *   2. Rounding. |D1 - D2| is about eps |f|/s, or eps |f|/s^2 for second derivatives. A shorter
 *      step increases it, so the row keeps the step before.
 *   3. An unresolved oscillation A sin(w s) with w s > 2. D1 and D2 are then of the size A/s for
 *      any s. Nothing improves until w s is small, exactly as with rounding.
 *
 * A row that did not improve is therefore tested with the shortest of all steps, to separate 3 from
 * 2. With an oscillation D1 and D2 agree there, on another derivative than the one found before.
 * With rounding they differ from each other by as much as from anything else. They may agree by
 * chance; so a longer step must find the same derivative before it is accepted. A row that shows
 * rounding only keeps the longest step.
 *
 * Along the motion t + s, q o exp(s v), a long step may be wrong for a few rows only, those that
 * depend on one fast rotor. So the longest step is tried first. The same test then compares it with
 * a step that resolves the motion (`sure`). Rows for which this test proves another derivative
 * continue with short steps; the others keep the long one. */
#include "model/difference/quotient.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"

/* The test proves a correction if |D1 - D2|, and the difference to the longer step, are at most
 * this fraction of the correction. */
static const double PROVEN = 0.05;
/* Steps of the test are multiplied by this factor. Otherwise all steps have the ratio of powers of
 * two, and their rounding errors would agree by chance too often. It has few bits, so that t + s is
 * exact. */
static const double ODD = 0.8125;
/* A |D1 - D2| below this, in units of eps |f|, is certainly rounding. Rounding may cause more where
 * f is a sum of larger numbers. */
static const double ROUNDINGS = 8;

/* The point at parameter s of the curve c: t, q or v moved as c says, the rest as in c->p. Moved
 * arrays lie in fd->q and fd->v (fd->w is scratch), so the next call overwrites them. */
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

/* f(s) into fd->hi and f(-s) into fd->lo; overwrites fd->q, v and w. Returns the status of the
 * callback; on failure hi and lo are not to be used. */
static ga_status both_sides(ga_eval *e, struct ga_difference_level *fd, const ga_quotient_curve *c,
                            double s) {
  ga_eval_point moved = point_at(e, fd, c, s);
  ga_status status = c->fn(e, &moved, fd->hi);
  if (status != GA_OK) return status;
  moved = point_at(e, fd, c, -s);
  return c->fn(e, &moved, fd->lo);
}

/* out[i] = (f(s) - f(-s))/2 for n rows, not divided by s. f(s) stays in fd->hi, f(-s) in fd->lo.
 * out is not written if the status is not GA_OK. */
ga_status ga_quotient_central(ga_eval *e, struct ga_difference_level *fd,
                              const ga_quotient_curve *c, double s, int n, double *out) {
  ga_status status = both_sides(e, fd, c, s);
  for (int i = 0; i < n && status == GA_OK; i++) out[i] = (fd->hi[i] - fd->lo[i]) / 2;
  return status;
}

/* out[i] = s^order D1 of each row (order: of the derivative, 1 or 2; D1: see the head of this
 * file), from f(s) in fd->hi, f(-s) in fd->lo, and f(0) in fd->mid if order is 2. */
static void central_difference(const struct ga_difference_level *fd, const ga_quotient_search *how,
                               double *out) {
  for (int i = 0; i < how->rows; i++) {
    out[i] = how->order == 1 ? (fd->hi[i] - fd->lo[i]) / 2 : fd->hi[i] - 2 * fd->mid[i] + fd->lo[i];
  }
}

/* One step s: s^order D1 into fd->near, s^order D2 into fd->far, f(s) into fd->up[which], f(-s)
 * into fd->down[which] (which: 0 or 1, the pair that is not to be kept). f(2 s) and f(-2 s) remain
 * in fd->hi and fd->lo. For order 2 fd->mid must hold f(0). */
static ga_status evaluate_step(ga_eval *e, struct ga_difference_level *fd,
                               const ga_quotient_curve *c, const ga_quotient_search *how, double s,
                               int which) {
  size_t bytes = (size_t)how->rows * sizeof(double);
  ga_status status = both_sides(e, fd, c, s);
  if (status != GA_OK) return status;
  central_difference(fd, how, fd->near);
  memcpy(fd->up[which], fd->hi, bytes);
  memcpy(fd->down[which], fd->lo, bytes);
  status = both_sides(e, fd, c, 2 * s);
  if (status != GA_OK) return status;
  central_difference(fd, how, fd->far);
  for (int i = 0; i < how->rows; i++) fd->far[i] /= how->order == 1 ? 2 : 4;
  return GA_OK;
}

/* s^order, by which fd->near and fd->far must be divided to get derivatives. */
static double power_of_step(const ga_quotient_search *how, double s) {
  return how->order == 1 ? s : s * s;
}

/* the largest |f| of row i at s, -s, 2 s and -2 s */
static double largest_value(const struct ga_difference_level *fd, int which, int i) {
  double at_s = fmax(fabs(fd->up[which][i]), fabs(fd->down[which][i]));
  return fmax(at_s, fmax(fabs(fd->hi[i]), fabs(fd->lo[i])));
}

/* The state of row i:
 *
 *   fd->truncation[i]   |D1 - D2| at the step that it took last; 0: that step is good
 *   fd->wave[i]         whether the row has an unresolved oscillation: one of the constants below.
 *                       Positive: the test step found the derivative fd->truth[i], and the value
 *                       is |truth - result|; a step longer than fd->proof[i] must confirm it. */
static const double UNKNOWN = 0; /* not tested, or no oscillation */
static const double ASKED = -1;  /* the row is to be tested */
static const double FOUND = -2;  /* it had one, now resolved: what does not improve is rounding */

/* Row i has its derivative: the last step was good (truncation 0), and no oscillation that a test
 * has found waits for confirmation (wave not positive); see the table above. */
static bool row_done(const struct ga_difference_level *fd, int i) {
  return fd->truncation[i] == 0 && !(fd->wave[i] > 0);
}

/* s^order times the Richardson result (4 D1 - D2)/3 of row i, from fd->near = s^order D1 and
 * fd->far = s^order D2 of the step evaluated last; see the head of this file. */
static double extrapolated(const struct ga_difference_level *fd, int i) {
  return (4 * fd->near[i] - fd->far[i]) / 3;
}

/* Does row i take the derivative of the step `now`, which evaluate_step has just evaluated? If the
 * row has a found oscillation (wave > 0), only a step that confirms it; else only one whose |D1 -
 * D2| has fallen by the ratio. If not, fd->truncation = 0 (rounding, done) or fd->wave = ASKED (to
 * be tested) is set; a wave becomes FOUND or UNKNOWN. */
static bool row_takes_step(struct ga_difference_level *fd, int i, const ga_quotient_search *how,
                           ga_quotient_sample now) {
  double unit = power_of_step(how, now.s), change = fabs(fd->near[i] - fd->far[i]);
  if (fd->wave[i] > 0) {
    double wrong = fd->wave[i], off = fabs(extrapolated(fd, i) / unit - fd->truth[i]);
    bool found = change <= PROVEN * wrong * unit && off <= PROVEN * wrong && now.s > fd->proof[i];
    if (found) fd->wave[i] = FOUND;
    if (now.s <= fd->proof[i]) fd->wave[i] = UNKNOWN; /* no longer step has found it */
    return found;
  }
  if (!(change / unit > fd->truncation[i] / how->ratio)) return true;
  bool rounding =
      fd->wave[i] == FOUND || change <= ROUNDINGS * DBL_EPSILON * largest_value(fd, now.which, i);
  if (rounding) fd->truncation[i] = 0;
  if (!rounding) fd->wave[i] = ASKED;
  return false;
}

/* Is row i still open in this round? There are two rounds: waves = true takes only rows whose
 * fd->wave is not UNKNOWN (an oscillation is suspected or found), waves = false all that are not
 * done. */
static bool row_open(const struct ga_difference_level *fd, int i, bool waves) {
  return !row_done(fd, i) && (!waves || fd->wave[i] != UNKNOWN);
}

/* Is no row left for this round? rows: their number; waves: see row_open. */
static bool all_done(const struct ga_difference_level *fd, int rows, bool waves) {
  for (int i = 0; i < rows; i++) {
    if (row_open(fd, i, waves)) return false;
  }
  return true;
}

/* Write the derivative of the step `now` to out for every open row that takes it (row_takes_step),
 * and its |D1 - D2| to fd->truncation (0 if the step is good). *last = now if a row took it, with
 * the largest |D1 - D2|/|D1| of rows that are not good yet. Returns whether some row is ASKED: to
 * be tested for an oscillation. waves: see row_open. */
static bool take_step(struct ga_difference_level *fd, const ga_quotient_search *how,
                      ga_quotient_sample now, bool waves, double *out, ga_quotient_sample *last) {
  const double *at_s = fd->down[now.which], *at_2s = fd->lo;
  double unit = power_of_step(how, now.s);
  bool taken = false, asks = false;
  for (int i = 0; i < how->rows; i++) {
    if (!row_open(fd, i, waves)) continue;
    if (!row_takes_step(fd, i, how, now)) {
      asks = asks || fd->wave[i] == ASKED;
      continue;
    }
    double near = fd->near[i], far = fd->far[i], change = fabs(near - far);
    bool truncated = change > how->curved * fabs(near);
    out[i] = extrapolated(fd, i) / unit;
    /* Exactly zero means that f does not depend on the direction at all: later code finds
     * coupled variables by nonzero entries. At the lowest point of a pendulum f(s) = f(-s), but
     * f depends. */
    if (out[i] == 0 && how->order == 1 && at_s[i] != at_2s[i]) out[i] = DBL_MIN;
    fd->truncation[i] = truncated ? change / unit : 0;
    if (truncated) now.relative = fmax(now.relative, change / fabs(near));
    taken = true;
  }
  if (taken) *last = now;
  return asks;
}

/* Test the rows that are ASKED with the step ODD s, against their results in out. A row with an
 * oscillation gets fd->truth, wave > 0, and fd->proof, which a confirming step must exceed; any
 * other becomes UNKNOWN. Values that do not change at all prove nothing. Overwrites near, far and
 * the pair up, down that *last does not use. */
static ga_status test_for_oscillation(ga_eval *e, struct ga_difference_level *fd,
                                      const ga_quotient_curve *c, const ga_quotient_search *how,
                                      double s, const double *out, const ga_quotient_sample *last) {
  double unit = power_of_step(how, ODD * s), claimed = how->curved * how->curved;
  bool shortest = s <= how->least;
  ga_status status = evaluate_step(e, fd, c, how, ODD * s, 1 - last->which);
  for (int i = 0; i < how->rows && status == GA_OK; i++) {
    if (fd->wave[i] != ASKED) continue;
    fd->proof[i] = shortest ? s : s * how->ratio;
    fd->truth[i] = extrapolated(fd, i) / unit;
    double wrong = fabs(fd->truth[i] - out[i]), change = fabs(fd->near[i] - fd->far[i]) / unit;
    bool wave = fd->near[i] != 0 && wrong > claimed * fabs(fd->truth[i]);
    wave = wave && (shortest || wrong > fd->truncation[i]) && change < PROVEN * wrong;
    fd->wave[i] = wave ? wrong : UNKNOWN;
    /* with the shortest step a row without oscillation keeps its result: what is left is rounding;
     * otherwise a correction below the truncation error is left to shorter steps */
    if (shortest && !wave) fd->truncation[i] = 0;
  }
  return status;
}

/* Take steps from s on, each shorter than the one before by how->ratio, down to how->least, until
 * no row is open in this round (waves: see row_open). Writes out, *last and the state of the rows
 * as take_step does; rows that ask are tested with the shortest step. */
static ga_status reduce_steps(ga_eval *e, struct ga_difference_level *fd,
                              const ga_quotient_curve *c, const ga_quotient_search *how, double s,
                              bool waves, double *out, ga_quotient_sample *last) {
  ga_status status = GA_OK;
  for (; s >= how->least && !all_done(fd, how->rows, waves); s /= how->ratio) {
    const ga_quotient_sample now = {s, 0, 1 - last->which};
    status = evaluate_step(e, fd, c, how, s, now.which);
    if (status != GA_OK) break;
    bool asks = take_step(fd, how, now, waves, out, last);
    if (asks && s > how->least) status = test_for_oscillation(e, fd, c, how, how->least, out, last);
    if (status != GA_OK) break;
  }
  return status;
}

/* Does f exist at all points of the step just evaluated with this status? Checks fd->near and
 * fd->far. With a long step a callback may refuse (status not GA_OK) or return NaN. */
static bool all_finite(const struct ga_difference_level *fd, int rows, ga_status status) {
  for (int i = 0; i < rows && status == GA_OK; i++) {
    if (!isfinite(fd->near[i]) || !isfinite(fd->far[i])) return false;
  }
  return status == GA_OK;
}

/* out[i] = derivative of order how->order of row i of f along c, how->rows rows; *last = the last
 * step that a row took. If how->s is much longer than how->sure, which resolves the motion, both
 * are compared as the head of this file says; else all rows begin with how->sure. Overwrites all
 * arrays of fd but step; out may be fd->mid if order is 1. On failure out is incomplete. */
ga_status ga_quotient(ga_eval *e, struct ga_difference_level *fd, const ga_quotient_curve *c,
                      const ga_quotient_search *how, double *out, ga_quotient_sample *last) {
  bool compare = how->s > how->ratio * how->sure;
  ga_quotient_sample now = {compare ? how->s : how->sure, 0, 0};
  ga_status status = how->order == 2 ? c->fn(e, c->p, fd->mid) : GA_OK;
  if (status != GA_OK) return status;
  for (int i = 0; i < how->rows; i++) fd->truncation[i] = INFINITY, fd->wave[i] = UNKNOWN;
  status = evaluate_step(e, fd, c, how, now.s, now.which);
  /* f does not exist so far away (a status above 0: a callback refused): begin with sure */
  if (compare && status >= 0 && !all_finite(fd, how->rows, status)) {
    compare = false;
    now.s = how->sure;
    status = evaluate_step(e, fd, c, how, now.s, now.which);
  }
  if (status != GA_OK) return status;
  take_step(fd, how, now, false /* all rows */, out, last);
  double next = now.s / how->ratio;
  if (compare) {
    /* test all rows near `sure`; fast ones continue from a step longer by ratio^2, so that rounding
     * errors, which may imitate a correction, are small in the step that confirms */
    for (int i = 0; i < how->rows; i++) fd->wave[i] = ASKED;
    double ratio2 = how->ratio * how->ratio, sure = fmin(how->sure, next / ratio2);
    status = test_for_oscillation(e, fd, c, how, sure, out, last);
    if (status == GA_OK) status = reduce_steps(e, fd, c, how, sure * ratio2, true, out, last);
  }
  return status == GA_OK ? reduce_steps(e, fd, c, how, next, false, out, last) : status;
}
