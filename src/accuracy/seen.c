/* SPDX-License-Identifier: MIT */
/* Runs agree also where none of them sees what happens: a pulse after a rest, between two of their
 * times. The model tells of it where automatic steps would pass over it (ga_model_ops.surprise). A
 * result counts as reached only if the steps of the finest run pass over nothing. */
#include "accuracy/solution.h"

/* The first time at which a run of m times the coarsest steps passes over something that the ends of its
 * steps do not show; NaN: nowhere. */
double ga_solution_passed_over(const ga_solution *s, double m) {
  if (!s->model->ops->surprise) return NAN;
  for (int i = 0; i < s->pieces; i++) {
    const ga_piece *p = &s->piece[i];
    const double h = (p->to - p->from) / ((double)p->steps * m);
    for (long n = 0; (double)n < (double)p->steps * m; n++) {
      const double t = p->from + (double)n * h, way = fmin(h, p->before - t);
      ga_corner c = {.before = INFINITY, .t = INFINITY};
      if (way > 0) s->model->ops->surprise(s->model->user, p->from, t, way, &c);
      if (c.before < t + way && c.hidden) return c.before;
    }
  }
  return NAN;
}
