/* SPDX-License-Identifier: MIT */
/* States of the solution at its nodes, with v', lam, psi by the equations of motion there. */
#include <string.h>

#include "accuracy/solution.h"

/* The piece of a node. */
static const ga_piece *piece_of(const ga_solution *s, long node) {
  int low = 0, high = s->pieces - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (s->piece[middle].first <= node)
      low = middle;
    else
      high = middle - 1;
  }
  return &s->piece[low];
}

/* The time of a node. */
double ga_solution_time(const ga_solution *s, long node) {
  const ga_piece *p = piece_of(s, node);
  long i = node - p->first;
  if (i == p->steps) return p->to;
  return p->from + (p->to - p->from) * (double)i / (double)p->steps;
}

/* The integrator that solves the equations of motion at single states; it makes no steps. It starts
 * with what is cheap, and puts each state onto the constraints. */
static ga_status open_equations(ga_solution *s) {
  if (s->equations) return GA_OK;
  ga_options o = s->options;
  o.method = "stab2", o.variant = "";
  o.start = GA_START_PLAIN;
  o.initial = GA_INITIAL_PROJECT;
  o.newton_tol = 1e-12;
  o.log = NULL;
  o.h = s->t_end > s->t0 ? s->t_end - s->t0 : 1;
  return ga_integrator_new(s->model, &o, &s->equations, &s->error);
}

/* The consistent state at t from q, v packed in x; it belongs to s->equations. */
static ga_status make_consistent(ga_solution *s, double t, const double *x) {
  ga_status status = open_equations(s);
  if (status != GA_OK) return status;
  status = ga_integrator_start(s->equations, t, x, x + s->layout.at[1]);
  if (status != GA_OK) s->error = *ga_integrator_error(s->equations);
  return status;
}

/* Number of nodes, 0 without a solution. */
long ga_solution_nodes(const ga_solution *s) {
  return s->accuracy.verdict == GA_VERDICT_NONE ? 0 : s->nodes;
}

/* The state of a node: put onto the constraints, v', lam, psi consistent, or NaN if that fails. */
ga_state ga_solution_node(ga_solution *s, long i) {
  ga_state out = {.t = NAN};
  if (i < 0 || i >= ga_solution_nodes(s)) return out;
  const ga_layout layout = ga_layout_of(s->model);
  const double *x = ga_solution_column(s, 0, s->K, i);
  double t = ga_solution_time(s, i);
  for (int k = 0; k < layout.at[GA_VARIABLES]; k++) s->state[k] = k < s->size ? x[k] : NAN;
  if (make_consistent(s, t, x) == GA_OK) {
    ga_layout_pack(&layout, ga_integrator_state(s->equations), s->state);
  }
  ga_layout_unpack(&layout, s->state, &out);
  out.t = t;
  out.h = i > 0 ? t - ga_solution_time(s, i - 1) : 0;
  return out;
}

/* The last node. */
ga_state ga_solution_end(ga_solution *s) {
  return ga_solution_node(s, ga_solution_nodes(s) - 1);
}
