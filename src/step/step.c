/* SPDX-License-Identifier: MIT */
/* Life of a step: equations, factors and Newton iteration are made and closed together. */
#include "step/step.h"

/* Make equations, factors, Newton iteration and acceptance test of *s; factors must be zero before. Arrays
 * from arena. On failure a message in eval->err. In a team collective, and all processes return
 * failure. */
ga_status ga_step_init(ga_step *s, const ga_method *method, const ga_options *options,
                       double loose_tol, bool may_drop, ga_eval *eval, ga_stats *stats,
                       ga_arena *arena) {
  ga_status status = ga_equations_init(&s->eq, method, options, may_drop, eval, arena);
  status = ga_team_agree(eval->team, status, eval->err);
  if (status == GA_OK) status = ga_factors_init(&s->factors, &s->eq, options, stats, arena);
  if (status != GA_OK) return status;
  ga_newton_init(&s->newton, &s->eq, &s->factors, options, stats, arena);
  if (arena->failed) {
    status = ga_fail(eval->err, GA_ERR_MEM, "no memory for a step with %d unknowns", s->eq.n);
  }
  status = ga_team_agree(eval->team, status, eval->err);
  if (status != GA_OK) return status;
  status = ga_acceptance_init(&s->newton.acceptance, &s->eq, options->newton_tol, arena);
  if (status != GA_OK) return status;
  ga_acceptance_set_tolerances(&s->newton.acceptance, options->newton_tol, loose_tol);
  return ga_acceptance_find_diagonals(&s->newton.acceptance, &s->factors, arena);
}

/* Close the linear solver; arrays belong to the arena. */
void ga_step_close(ga_step *s) {
  ga_factors_close(&s->factors);
}

/* Forget everything that influences later steps, so that a run can be repeated exactly. */
void ga_step_reset(ga_step *s) {
  ga_equations_reset(&s->eq);
  ga_factors_reset(&s->factors);
}
