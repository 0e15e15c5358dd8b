/* SPDX-License-Identifier: MIT */
/* Tables of expressions. With m_i = (y_i+1 - y_i)/(x_i+1 - x_i), the slope of piece i, and s_i, the
 * slope at point i, a piece is the cubic polynomial with y and s given at both ends (Hermite):
 *
 *     b = s_i,  c = (3 m_i - 2 s_i - s_i+1)/w,  d = (s_i + s_i+1 - 2 m_i)/w^2,  w = x_i+1 - x_i
 *
 * Akima (1970), with the weights of the modified method, which do not vanish together:
 *
 *     s_i = (w1 m_i-1 + w2 m_i)/(w1 + w2),  w1 = |m_i+1 - m_i| + |m_i+1 + m_i|/2,
 *                                           w2 = |m_i-1 - m_i-2| + |m_i-1 + m_i-2|/2
 *
 * and s_i = 0 if m_i-1 or m_i is 0, so that a flat piece stays flat and a step does not overshoot.
 *
 * Natural cubic spline: w_i-1 y''_i-1 + 2 (w_i-1 + w_i) y''_i + w_i y''_i+1 = 6 (m_i - m_i-1), with
 * y'' = 0 at the ends. */
#include "base/expr_table.h"

#include <math.h>
#include <string.h>

static const char *const kind_names[] = {"akima", "linear", "cubic", "hold"};

/* The kind of that name; -1: there is none. */
int ga_table_kind_named(const char *name) {
  for (int i = 0; i < 4; i++) {
    if (strcmp(kind_names[i], name) == 0) return i;
  }
  return -1;
}

/* Slope of piece i of t, also for i = -2, -1 and n - 1, n: continued with equal differences, or
 * periodically. */
static double piece_slope(const ga_table *t, int i) {
  const int pieces = t->n - 1;
  if (t->periodic) i = (i % pieces + pieces) % pieces;
  if (i < 0)
    return pieces > 1 ? (1 - i) * piece_slope(t, 0) + i * piece_slope(t, 1) : piece_slope(t, 0);
  if (i >= pieces) {
    const int over = i - pieces + 1;
    return pieces > 1 ? (1 + over) * piece_slope(t, pieces - 1) - over * piece_slope(t, pieces - 2)
                      : piece_slope(t, 0);
  }
  return (t->y[i + 1] - t->y[i]) / (t->x[i + 1] - t->x[i]);
}

/* Akima's slope at point i. */
static double akima_slope(const ga_table *t, int i) {
  const double m0 = piece_slope(t, i - 2), m1 = piece_slope(t, i - 1), m2 = piece_slope(t, i),
               m3 = piece_slope(t, i + 1);
  const double w1 = fabs(m3 - m2) + fabs(m3 + m2) / 2, w2 = fabs(m1 - m0) + fabs(m1 + m0) / 2;
  const bool first = i == 0 && !t->periodic, last = i == t->n - 1 && !t->periodic;
  /* the pieces beyond the ends do not exist */
  if ((m1 == 0 && !first) || (m2 == 0 && !last) || w1 + w2 == 0) return 0;
  return (w1 * m1 + w2 * m2) / (w1 + w2);
}

/* The slopes s (n numbers) of the natural cubic spline; c: n numbers of scratch. */
static void natural_slopes(const ga_table *t, double *s, double *c) {
  const int n = t->n;
  const double *x = t->x;
  s[0] = c[0] = s[n - 1] = 0; /* s holds y'' first, found by elimination */
  for (int i = 1; i + 1 < n; i++) {
    const double w0 = x[i] - x[i - 1], w1 = x[i + 1] - x[i];
    const double pivot = 2 * (w0 + w1) - w0 * c[i - 1];
    c[i] = w1 / pivot;
    s[i] = (6 * (piece_slope(t, i) - piece_slope(t, i - 1)) - w0 * s[i - 1]) / pivot;
  }
  for (int i = n - 2; i > 0; i--) s[i] -= c[i] * s[i + 1];
  /* from y'' to slopes: y'_i = m_i - w_i (2 y''_i + y''_i+1)/6, at the last point from the left */
  const double w = x[n - 1] - x[n - 2];
  const double last = piece_slope(t, n - 2) + w * (s[n - 2] + 2 * s[n - 1]) / 6;
  for (int i = 0; i + 1 < n; i++) {
    s[i] = piece_slope(t, i) - (x[i + 1] - x[i]) * (2 * s[i] + s[i + 1]) / 6;
  }
  s[n - 1] = last;
}

/* Compute b, c and d of t, whose other members are set, n >= 2. False without memory. */
bool ga_table_fit(ga_table *t) {
  const size_t n = (size_t)t->n;
  double *s = ga_calloc(2 * n, sizeof(double)); /* slopes, and scratch */
  t->b = ga_calloc(n, sizeof(double));
  t->c = ga_calloc(n, sizeof(double));
  t->d = ga_calloc(n, sizeof(double));
  const bool ok = s && t->b && t->c && t->d;
  if (ok && t->kind == GA_TABLE_CUBIC) natural_slopes(t, s, s + n);
  for (int i = 0; ok && i < t->n && t->kind == GA_TABLE_AKIMA; i++) s[i] = akima_slope(t, i);
  for (int i = 0; ok && i + 1 < t->n && t->kind != GA_TABLE_HOLD; i++) {
    const double w = t->x[i + 1] - t->x[i], m = piece_slope(t, i);
    const bool straight = t->kind == GA_TABLE_LINEAR;
    t->b[i] = straight ? m : s[i];
    t->c[i] = straight ? 0 : (3 * m - 2 * s[i] - s[i + 1]) / w;
    t->d[i] = straight ? 0 : (s[i] + s[i + 1] - 2 * m) / (w * w);
  }
  ga_free(s);
  return ok;
}

/* The piece of x: the last i with x_i <= x, at least 0 and at most n - 2. */
static int find_piece(const ga_table *t, double x) {
  int lo = 0, hi = t->n - 1;
  while (hi - lo > 1) {
    const int mid = (lo + hi) / 2;
    if (t->x[mid] <= x) {
      lo = mid;
    } else {
      hi = mid;
    }
  }
  return lo;
}

/* value[0..2] <- y, y' and y'' at x. Beyond the ends of a table that is not periodic: the straight
 * line with the slope of the end; for GA_TABLE_HOLD, the value of the end. */
void ga_table_value(const ga_table *t, double x, double value[3]) {
  const double first = t->x[0], last = t->x[t->n - 1];
  if (t->periodic) x -= (last - first) * floor((x - first) / (last - first));
  const int i = find_piece(t, x);
  const bool before = x<first, after = x> last || (t->kind == GA_TABLE_HOLD && x == last);
  const double h = before ? 0 : (after ? t->x[i + 1] : x) - t->x[i];
  value[0] = t->y[i] + h * (t->b[i] + h * (t->c[i] + h * t->d[i]));
  value[1] = t->b[i] + h * (2 * t->c[i] + 3 * h * t->d[i]);
  value[2] = before || after ? 0 : 2 * t->c[i] + 6 * h * t->d[i];
  if (before) value[0] += value[1] * (x - first);
  if (after && t->kind == GA_TABLE_HOLD) value[0] = t->y[i + 1];
  if (after && t->kind != GA_TABLE_HOLD) value[0] += value[1] * (x - last);
}

/* Free the arrays of t. */
void ga_table_free(ga_table *t) {
  ga_free(t->x), ga_free(t->y), ga_free(t->b), ga_free(t->c), ga_free(t->d);
  *t = (ga_table){0};
}
