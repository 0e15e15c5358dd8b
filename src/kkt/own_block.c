/* SPDX-License-Identifier: MIT */
/* Between a bordered matrix and the model's own solver. */
#include "kkt/own_block.h"

#include <stdio.h>
#include <string.h>

bool ga_own_block_wanted(const ga_eval *e, const ga_options *options) {
  const ga_model_solver *solver = e->model->ops->solver;
  if (!solver || options->linsol_ops || e->team || e->contacts) return false;
  if (ga_linsol_is_own(options->linsol)) return true;
  return strcmp(options->linsol, "auto") == 0 && e->nv >= solver->least;
}

/* > 0 asks for a smaller step */
ga_status ga_own_block_status(int code) {
  return code == 0 ? GA_OK : code > 0 ? GA_RETRY_SINGULAR : GA_ERR_MODEL;
}

/* Factor A at the present point; ga_leading. */
static ga_status factor_block(void *user, char *trouble, size_t room) {
  ga_own_block *b = user;
  const int code = b->ops->factor(b->eval->model->user, b->at, b->work, b->diagonal);
  if (code == 0) {
    return ga_first_nonfinite(b->eval->nv, b->diagonal) >= 0 ? GA_RETRY_NONFINITE : GA_OK;
  }
  snprintf(trouble, room, "the model's solver%s%s%s %s (%d)", b->ops->name ? " '" : "",
           b->ops->name ? b->ops->name : "", b->ops->name ? "'" : "",
           code > 0 ? "found no pivot" : "failed", code);
  return ga_own_block_status(code);
}

/* x <- A^-1 x; ga_leading. */
static ga_status solve_block(void *user, double *x) {
  ga_own_block *b = user;
  return ga_own_block_status(b->ops->solve(b->eval->model->user, b->work, x));
}

void ga_own_block_init(ga_own_block *b, const ga_eval *e, const ga_solver_point *at,
                       ga_arena *arena) {
  const ga_model_solver *ops = e->model->ops->solver;
  *b = (ga_own_block){.ops = ops, .eval = e, .at = at};
  b->lead = (ga_leading){.n = e->nv, .user = b, .factor = factor_block, .solve = solve_block};
  b->work = ga_arena_doubles(arena, ops->room ? ops->room(e->model->user) : 0);
  b->diagonal = ga_arena_doubles(arena, (size_t)e->nv);
}
