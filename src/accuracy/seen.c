/* SPDX-License-Identifier: MIT */
/* Runs agree also where none of them sees what happens: a pulse after a rest, between two of their
 * times. The model tells of it where automatic steps would pass over it (ga_model_ops.surprise). A
 * result counts as reached only if the steps of the finest run pass over nothing. */
#include "accuracy/solution.h"

/* What a step from t to t_end passes over, in a motion that is smooth since `since`. */
static ga_corner surprise_in(const ga_solution *s, double since, double t, double t_end) {
  ga_corner c = {.before = INFINITY, .t = INFINITY};
  s->model->ops->surprise(s->model->user, since, t, t_end - t, &c);
  return c;
}

/* The first time at which a run of m times the coarsest steps passes over something; NaN: nowhere. A
 * single jump in a step is seen, as what is behind it lasts; two are not. */
double ga_solution_passed_over(const ga_solution *s, double m) {
  if (!s->model->ops->surprise) return NAN;
  for (int i = 0; i < s->pieces; i++) {
    const ga_piece *p = &s->piece[i];
    const double h = (p->to - p->from) / ((double)p->steps * m);
    double since = p->from;
    for (long n = 0; (double)n < (double)p->steps * m; n++) {
      const double t = p->from + (double)n * h, end = fmin(t + h, p->before);
      if (!(end > t)) break;
      ga_corner c = surprise_in(s, since, t, end);
      if (c.t < end && c.t > c.before) { /* a jump */
        since = c.t;
        c = surprise_in(s, since, since, end);
      }
      if (c.before < end) return c.before;
    }
  }
  return NAN;
}
