/* SPDX-License-Identifier: MIT */
/* Projections of the accepted state: as calls of the user, and after steps. */
#include "run/integrator.h"

/* Allocate the work arrays of this file from it->arena; the caller checks arena.failed. */
void ga_project_init(ga_integrator *it) {
  it->project_work.vdd = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  it->project_work.target = ga_arena_doubles(&it->arena, (size_t)it->eval.nlam);
}

/* Project the accepted q onto g = 0; v and the memory stay. *moved (may be NULL): largest change of
 * an entry. On failure q does not change. Collective. */
ga_status ga_integrator_project_position(ga_integrator *it, double *moved) {
  ga_error_clear(&it->error);
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  ga_memory *mem = &it->mem;
  ga_status status = ga_project_position(&it->projector, mem->t, mem->q, mem->v, moved);
  ga_integrator_count_repivots(it);
  if (it->presence.on) ga_presence_show(it);
  return status;
}

/* Project the accepted v onto G v + g_t = 0, k does not change (H dv = 0). GA_PROJECT_KEEP_ORDER,
 * for a method that leaves this constraint free: onto G v + g_t = h^2 G r, the residual that the
 * method tends to. *moved (may be NULL): largest change of an entry. On failure v does not change.
 * Collective. */
ga_status ga_integrator_project_velocity(ga_integrator *it, ga_projection kind, double *moved) {
  ga_error_clear(&it->error);
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  ga_memory *mem = &it->mem;
  double *vdd = it->project_work.vdd, *target = NULL;
  ga_status status = GA_OK;
  if (kind == GA_PROJECT_KEEP_ORDER && it->method->hidden_free && it->eval.nlam_all > 0) {
    target = it->project_work.target;
    ga_start_guess(it);
    status = ga_start_vdd(it, mem->t, mem->q, mem->v, mem->vd, mem->h, vdd, NULL);
    if (status == GA_OK)
      status = ga_start_hidden_target(it, mem->t, mem->q, mem->v, mem->vd, vdd, mem->h, target);
  }
  if (status == GA_OK) {
    /* false: H dv = 0 instead of k = 0 */
    status = ga_project_velocity(&it->projector, mem->t, mem->q, mem->v, target, false, moved);
  }
  ga_integrator_count_repivots(it);
  if (it->presence.on) ga_presence_show(it);
  return status;
}

/* Project q and v of it->mem if option project_every says so for this step (0: never), and compute
 * v' there again if they moved. If the projection fails, so does the step; the caller undoes it. */
ga_status ga_project_if_due(ga_integrator *it) {
  int every = it->options.project_every;
  double moved_q = 0, moved_v = 0;
  if (every == 0 || (it->stats.steps + 1) % every != 0) return GA_OK;
  ga_status status = ga_integrator_project_position(it, &moved_q);
  if (status == GA_OK) status = ga_integrator_project_velocity(it, GA_PROJECT_PLAIN, &moved_v);
  if (status == GA_OK && moved_q + moved_v > 0) status = ga_loop_report_again(it);
  if (status != GA_OK) ga_error_prefix(&it->error, "projection of a step");
  return status;
}
