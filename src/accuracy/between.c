/* SPDX-License-Identifier: MIT */
/* The solution between its nodes.
 *
 * v(t) is the polynomial with the values v and the slopes v' of the six nodes nearby (of all nodes of
 * a piece that has fewer). q(t) = q_n o exp(..) solves q' = DL_q(e) v~ by Magnus' series of order 6
 * with Gauss' three points in eighths of the interval:
 *
 *   a1 = h v_2,  a2 = sqrt(15)/3 h (v_3 - v_1),  a3 = 10/3 h (v_3 - 2 v_2 + v_1)
 *   c1 = -[a1, a2],  c2 = [a1, 2 a3 + c1]/60
 *   w  = a1 + a3/12 - [c1 - 20 a1 - a3, a2 + c2]/240,   q <- q o exp(w~)
 *
 * (Blanes, Casas, Oteo, Ros 2009, section 5.4, for Y' = A Y; here Y' = Y A, so that brackets change
 * their sign.) What is left at the next node is distributed over the interval.
 *
 * Where something is stiff, v' = M^-1 F makes K/m of a small error of q, and this polynomial P is off by
 * H K/m of it, while that of the values v alone, p, follows the motion. If p is wrong by e, its integrals over
 * the intervals between its nodes miss q of the next ones by 2/3 H e or more. So if P and p differ by D, more
 * than a quarter of the accuracy, and p misses none by H D/3, then e < D/2: p is the better one, and v(t) is
 * p. (In a single interval the error of an odd function would not show, nor that of P where all v' are off by
 * the same.) */
#include <string.h>

#include "accuracy/solution.h"

enum { WINDOW = 6, SUBSTEPS = 8, SUBSTEPS_COARSE = 2, INSIDE = 3 };
static const double clearly = 0.25;     /* of what is allowed between the nodes */
static const double explains = 1.0 / 3; /* of |P - p|: p that misses less is better than P */

/* Allocate the arrays of this file from s->work; the caller checks whether it failed. */
void ga_between_init(ga_solution *s) {
  size_t nv = (size_t)ga_space_nv(s->model->space);
  ga_between *b = &s->between;
  b->node = -1;
  b->coef = ga_arena_doubles(&s->work, 2 * WINDOW * nv);
  b->miss = ga_arena_doubles(&s->work, nv);
  b->q = ga_arena_doubles(&s->work, (size_t)ga_space_nq(s->model->space));
  b->work = ga_arena_doubles(&s->work, 9 * nv);
  b->kept = ga_arena_doubles(&s->work, (2 * WINDOW + INSIDE) * nv);
}

/* v (nv numbers) at x intervals from the node: Newton's form by Horner's scheme. */
static void velocity_at(const ga_solution *s, double x, double *v) {
  const ga_between *b = &s->between;
  int nv = ga_space_nv(s->model->space);
  memcpy(v, b->coef + (b->points - 1) * nv, (size_t)nv * sizeof *v);
  for (int k = b->points - 2; k >= 0; k--) {
    for (int i = 0; i < nv; i++) v[i] = v[i] * (x - b->at[k]) + b->coef[k * nv + i];
  }
}

/* Move q from x0 to x1 (in intervals of the length H) along the velocities, in so many steps for a whole
 * interval. */
static void move(const ga_solution *s, double x0, double x1, int substeps, double H, double *q) {
  const ga_space *space = s->model->space;
  int nv = ga_space_nv(space), n = (int)ceil(substeps * (x1 - x0));
  if (n < 1) n = 1;
  double *at[9], length = (x1 - x0) / n, h = length * H, gauss = sqrt(15) / 10;
  for (int i = 0; i < 9; i++) at[i] = s->between.work + i * nv;
  double *v1 = at[0], *v2 = at[1], *v3 = at[2], *a1 = at[3], *a2 = at[4], *a3 = at[5];
  double *c1 = at[6], *c2 = at[7], *w = at[8];
  for (int k = 0; k < n; k++) {
    double middle = x0 + (k + 0.5) * length;
    velocity_at(s, middle - gauss * length, v1);
    velocity_at(s, middle, v2);
    velocity_at(s, middle + gauss * length, v3);
    for (int i = 0; i < nv; i++) {
      a1[i] = h * v2[i];
      a2[i] = sqrt(15) / 3 * h * (v3[i] - v1[i]);
      a3[i] = h * 10 / 3 * (v3[i] - 2 * v2[i] + v1[i]);
    }
    ga_space_bracket(space, a1, a2, c1);
    for (int i = 0; i < nv; i++) c1[i] = -c1[i], v1[i] = 2 * a3[i] + c1[i];
    ga_space_bracket(space, a1, v1, c2);
    for (int i = 0; i < nv; i++) {
      v1[i] = c1[i] - 20 * a1[i] - a3[i];
      v2[i] = a2[i] + c2[i] / 60;
    }
    ga_space_bracket(space, v1, v2, w);
    for (int i = 0; i < nv; i++) w[i] = a1[i] + a3[i] / 12 - w[i] / 240;
    ga_space_step(space, q, w, q);
  }
}

/* The first node of the window of an interval, and how many it has. */
static long window_of(const ga_piece *p, long node, int *count) {
  *count = p->steps + 1 < WINDOW ? (int)p->steps + 1 : WINDOW;
  long first = node - *count / 2 + 1;
  if (first < p->first) first = p->first;
  if (first + *count > p->first + p->steps + 1) first = p->first + p->steps + 1 - *count;
  return first;
}

/* The polynomial of v at the nodes of the window as they are, without v', of degree 5, and what q lacks at
 * the end of the interval: nothing is evaluated. It is not kept. Gauss' points integrate this degree
 * exactly, so that steps are for groups alone; where they are too coarse, fit() follows. */
static void fit_coarsely(ga_solution *s, const ga_piece *p, long node) {
  ga_between *b = &s->between;
  int nv = ga_space_nv(s->model->space), at_v = s->layout.at[1], count;
  long first = window_of(p, node, &count);
  double H = (p->to - p->from) / (double)p->steps;
  b->node = -1;
  b->points = count;
  for (int k = 0; k < count; k++) {
    b->at[k] = (double)(first + k - node);
    memcpy(b->coef + k * nv, ga_solution_column(s, 0, s->K, first + k) + at_v,
           (size_t)nv * sizeof *b->coef);
  }
  for (int j = 1; j < count; j++) {
    for (int k = count - 1; k >= j; k--) {
      double *c = b->coef + k * nv;
      for (int i = 0; i < nv; i++) c[i] = (c[i] - c[i - nv]) / j;
    }
  }
  memcpy(b->q, ga_solution_column(s, 0, s->K, node), (size_t)at_v * sizeof *b->q);
  move(s, 0, 1, SUBSTEPS_COARSE, H, b->q);
  ga_space_diff(s->model->space, b->q, ga_solution_column(s, 0, s->K, node + 1), b->miss);
}

/* The polynomial of v and v' in the interval that begins at a node of piece p: divided differences, each node
 * twice. */
static void fit_slopes(ga_solution *s, const ga_piece *p, long node) {
  ga_between *b = &s->between;
  int nv = ga_space_nv(s->model->space), count;
  long first = window_of(p, node, &count);
  double H = (p->to - p->from) / (double)p->steps;
  b->points = 2 * count;
  for (int k = 0; k < b->points; k++) {
    ga_state of = ga_solution_node(s, first + k / 2);
    b->at[k] = (double)(first + k / 2 - node);
    memcpy(b->coef + k * nv, of.v, (size_t)nv * sizeof *b->coef);
  }
  for (int j = 1; j < b->points; j++) {
    for (int k = b->points - 1; k >= j; k--) {
      double *c = b->coef + k * nv, *before = c - nv;
      double dx = b->at[k] - b->at[k - j];
      const double *vd = dx == 0 ? ga_solution_node(s, first + k / 2).vd : NULL;
      for (int i = 0; i < nv; i++) c[i] = vd ? H * vd[i] : (c[i] - before[i]) / dx;
    }
  }
}

/* The largest of what q misses at the ends of the intervals of the window, over H size_v: about the error
 * of v. */
static double missed_in_window(ga_solution *s, const ga_piece *p, long node) {
  const ga_space *space = s->model->space;
  ga_between *b = &s->between;
  const double H = (p->to - p->from) / (double)p->steps;
  double missed = 0;
  int count;
  const long first = window_of(p, node, &count);
  for (long i = first; i + 1 < first + count; i++) {
    memcpy(b->q, ga_solution_node(s, i).q, (size_t)ga_space_nq(space) * sizeof *b->q);
    move(s, (double)(i - node), (double)(i - node + 1), SUBSTEPS_COARSE, H, b->q);
    ga_space_diff(space, b->q, ga_solution_node(s, i + 1).q, b->miss);
    for (int k = 0; k < ga_space_nv(space); k++) {
      missed = fmax(missed, fabs(b->miss[k]) / (H * s->size_v[k]));
    }
  }
  return missed;
}

/* Are the v' wrong of which the polynomial is made whose values inside the interval are these? That of v alone
 * was fitted last; see the head of this file. */
static bool slopes_are_wrong(ga_solution *s, const ga_piece *p, long node, const double *values) {
  const int nv = ga_space_nv(s->model->space);
  double apart = 0;
  for (int k = 0; k < INSIDE; k++) {
    velocity_at(s, (k + 1.0) / (INSIDE + 1), s->v);
    for (int i = 0; i < nv; i++) {
      apart = fmax(apart, fabs(values[k * nv + i] - s->v[i]) / s->size_v[i]);
    }
  }
  return apart > clearly * s->accuracy.asked && p->steps > 1 &&
         missed_in_window(s, p, node) < explains * apart;
}

/* The polynomial of the interval that begins at a node of piece p, and what q lacks at its end. */
static void fit(ga_solution *s, const ga_piece *p, long node) {
  ga_between *b = &s->between;
  const int nv = ga_space_nv(s->model->space);
  const double H = (p->to - p->from) / (double)p->steps;
  double *values = b->kept + 2 * WINDOW * nv;
  fit_slopes(s, p, node);
  const ga_between with = *b;
  for (int k = 0; k < INSIDE; k++) velocity_at(s, (k + 1.0) / (INSIDE + 1), values + k * nv);
  memcpy(b->kept, b->coef, 2 * WINDOW * (size_t)nv * sizeof *b->coef);
  fit_coarsely(s, p, node);
  if (!slopes_are_wrong(s, p, node, values)) {
    *b = with;
    memcpy(b->coef, b->kept, 2 * WINDOW * (size_t)nv * sizeof *b->coef);
  }
  b->node = node;
  memcpy(b->q, ga_solution_node(s, node).q, (size_t)ga_space_nq(s->model->space) * sizeof *b->q);
  move(s, 0, 1, SUBSTEPS, H, b->q);
  ga_space_diff(s->model->space, b->q, ga_solution_node(s, node + 1).q, b->miss);
}

/* The increment `miss` of q in an interval of length H, in size_q + H size_v/2: errors of A in q and v at
 * the nodes, and of A in v between them, make about A. */
static double relative_miss(const ga_solution *s, double H, const double *miss) {
  double largest = 0;
  for (int k = 0; k < ga_space_nv(s->model->space); k++) {
    largest = fmax(largest, fabs(miss[k]) / (s->size_q[k] + H * s->size_v[k] / 2));
  }
  return largest;
}

/* The same of the interval that was fitted last, less what the constraints at its end repair: rows of
 * the solution are put onto them. */
static double repaired_miss(ga_solution *s, double H) {
  ga_between *b = &s->between;
  const ga_state end = ga_solution_node(s, b->node + 1);
  double *x = s->state + s->nodes * s->whole.at[GA_VARIABLES];
  const double t = ga_solution_model_time(s, b->node + 1);
  if (ga_solution_complete(s, t, b->q, end.v, x) != GA_OK) return NAN;
  ga_space_diff(s->model->space, x, end.q, s->v);
  return relative_miss(s, H, s->v);
}

/* About the largest error between the nodes above `least`; *t: the middle of its interval. If the
 * polynomial of v follows the motion, its integral over an interval ends at q of the next node; what it
 * misses tells of motions that are faster than the nodes are apart, however good these are: a filter
 * with a short time constant, a stiff damper. Where a polynomial of degree 5 misses clearly less, the
 * accelerations at the nodes are not needed. */
double ga_solution_miss(ga_solution *s, double least, double *t) {
  double largest = least;
  *t = NAN;
  if (ga_solution_prepare_states(s) != GA_OK) return NAN;
  for (int i = 0; i < s->pieces; i++) {
    const ga_piece *p = &s->piece[i];
    const double H = (p->to - p->from) / (double)p->steps;
    for (long node = p->first; node < p->first + p->steps; node++) {
      fit_coarsely(s, p, node);
      if (relative_miss(s, H, s->between.miss) < clearly * least) continue;
      fit(s, p, node);
      if (!(relative_miss(s, H, s->between.miss) > largest)) continue;
      const double now = repaired_miss(s, H);
      if (!(now > largest)) continue;
      largest = now;
      *t = ga_solution_time(s, node) + H / 2;
    }
  }
  return largest;
}

/* The node at which the interval of t begins, inside its piece. */
static long node_before(const ga_solution *s, double t) {
  int i = 0;
  while (i + 1 < s->pieces && t > s->piece[i].to) i++;
  const ga_piece *p = &s->piece[i];
  long n = (long)floor((t - p->from) / (p->to - p->from) * (double)p->steps);
  if (n > p->steps - 1) n = p->steps - 1;
  return p->first + (n < 0 ? 0 : n);
}

/* The whole state at t. */
ga_state ga_solution_at(ga_solution *s, double t) {
  ga_state out = {.t = NAN};
  if (s->accuracy.verdict == GA_VERDICT_NONE || !(t >= s->t0 && t <= s->t_end)) return out;
  if (ga_solution_prepare_states(s) != GA_OK) return out;
  long node = node_before(s, t), shown = s->shown;
  double from = ga_solution_time(s, node), to = ga_solution_time(s, node + 1);
  ga_between *b = &s->between;
  s->shown = s->nodes; /* the nodes beyond a terminal event are needed, too */
  double *x = s->state + s->nodes * s->whole.at[GA_VARIABLES];
  if (t == from || t == to) {
    out = ga_solution_node(s, t == from ? node : node + 1);
  } else {
    if (b->node != node) fit(s, ga_solution_piece(s, node), node);
    double theta = (t - from) / (to - from);
    memcpy(b->q, ga_solution_node(s, node).q, (size_t)s->whole.at[1] * sizeof *b->q);
    move(s, 0, theta, SUBSTEPS, to - from, b->q);
    for (int i = 0; i < ga_space_nv(s->model->space); i++) s->v[i] = theta * b->miss[i];
    ga_space_step(s->model->space, b->q, s->v, b->q);
    velocity_at(s, theta, s->v);
    ga_solution_complete(s, t, b->q, s->v, x);
    ga_layout_unpack(&s->whole, x, &out);
    out.t = t;
  }
  s->shown = shown;
  out.h = t - from;
  return out;
}
