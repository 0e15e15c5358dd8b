/* SPDX-License-Identifier: MIT */
/* Far roots. The equations of a step with stiff forces or large h may have several solutions, and
 * Newton's iteration may end at one that has nothing to do with the motion. A step is looked at
 * twice if
 *
 *     |q_1 - q_n|  >  FAR (h |v_n| + h^2 |v'_n| + NEAR |q_n|)     in the metric W,
 *
 * and if Newton's iteration was slow: an increment was more than SLOW of the one before. (A fast
 * iteration ends at the one solution near its guess, by the theorem of Newton and Kantorovich. Linear
 * systems, which have one solution, are fast: loads that jump and unresolved vibrations are no
 * reason to refuse a step.)
 * Then the same step is solved as two halves from the same state. The solution is right if
 *
 *     |q_1 - q_1 of the halves|  <=  AGREE |q_1 - q_n|;
 *
 * else the step fails, and a smaller one may succeed. Nothing of the halves is kept. */
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

static const double FAR = 1;     /* a smooth motion is within h |v| + h^2/2 |v'| */
static const double NEAR = 1e-8; /* a smaller motion is rounding, or leads to no other branch */
static const double SLOW = 0.1;  /* slower than this, tangents change much on the way */
static const double AGREE = 0.5; /* two solutions of one motion differ by less of their way */

/* Allocate the work arrays of this file from it->arena; the caller checks arena.failed. */
void ga_far_roots_init(ga_integrator *it) {
  ga_far_roots *w = &it->far_roots;
  ga_memory_carve(&w->begin, &it->eval, &it->system);
  ga_memory_carve(&w->before, &it->eval, &it->system);
  w->q = ga_arena_doubles(&it->system, (size_t)it->eval.nq);
  w->d = ga_arena_doubles(&it->system, (size_t)it->eval.nv);
  w->size = ga_arena_doubles(&it->system, (size_t)it->eval.nv);
  w->x = ga_arena_doubles(&it->system, (size_t)it->step.eq.n);
  w->last = ga_arena_doubles(&it->system, (size_t)it->step.eq.n);
}

/* The distance of two positions in the metric W. Collective. */
static double distance(ga_integrator *it, const double *from, const double *to) {
  ga_space_diff(it->model->space, from, to, it->far_roots.d);
  return ga_measure(&it->eval, it->far_roots.d);
}

/* Is the solved step to be looked at twice? *moved = |q_1 - q_n|. Collective. */
static bool is_suspect(ga_integrator *it, double h, double *moved) {
  const ga_memory *mem = &it->mem;
  const ga_eval *e = &it->eval;
  *moved = 0;
  if (!(it->step.newton.slowest > SLOW)) return false;
  *moved = distance(it, mem->q, it->step.eq.site[GA_SITE_NEW].q);
  const double motion = h * ga_measure(e, mem->v) + h * h * ga_measure(e, mem->vd) +
                        NEAR * ga_measure_position(e, mem->q, it->far_roots.size);
  return *moved > FAR * motion;
}

/* Solve a step from it->mem to t1, from the guess `last` (n numbers), and take it into it->mem.
 * Values that are no unknowns of the step are not computed. Collective. */
static ga_status solve_half(ga_integrator *it, double h, double t1, const double *last) {
  ga_past past;
  double worst[3];
  ga_status status = ga_memory_correct(it, h, &past);
  if (status == GA_OK) status = ga_equations_begin(&it->step.eq, &it->mem, &past, h, t1);
  if (status == GA_OK) status = ga_newton_solve(&it->step.newton, NULL, last);
  if (status != GA_OK) return status;
  return ga_equations_end(&it->step.eq, it->step.newton.x, &it->loop_work.values, &it->mem,
                          &it->far_roots.before, worst);
}

/* Solve the step of h to t1 as two halves into far_roots.q; it->mem is as before afterwards.
 * Collective. */
static ga_status solve_halves(ga_integrator *it, double h, double t1) {
  ga_far_roots *w = &it->far_roots;
  const size_t bytes = (size_t)it->step.eq.n * sizeof(double);
  ga_memory_copy(&w->begin, &it->mem, &it->eval);
  ga_status status = solve_half(it, h / 2, it->mem.t + h / 2, it->predictor.phi[0]);
  if (status == GA_OK) {
    it->mem.growth = it->growth;
    it->mem.delta = it->delta;
    memcpy(w->last, it->step.newton.x, bytes);
    status = solve_half(it, h / 2, t1, w->last);
  }
  if (status == GA_OK) memcpy(w->q, it->mem.q, (size_t)it->eval.nq * sizeof(double));
  ga_memory_copy(&it->mem, &w->begin, &it->eval);
  return status;
}

/* Evaluate the step of h to t1 again at its solution far_roots.x, as after it was solved; the
 * factors are those of the halves. Collective. */
static ga_status return_to_solution(ga_integrator *it, double h, double t1) {
  ga_far_roots *w = &it->far_roots;
  ga_newton *newton = &it->step.newton;
  ga_past past;
  ga_status status = ga_memory_correct(it, h, &past);
  if (status == GA_OK) status = ga_equations_begin(&it->step.eq, &it->mem, &past, h, t1);
  if (status != GA_OK) return status;
  memcpy(newton->x, w->x, (size_t)it->step.eq.n * sizeof(double));
  return ga_equations_evaluate(&it->step.eq, newton->x, NULL, NULL, newton->r, newton->terms);
}

/* After the step of h to t1 is solved: GA_RETRY_NEWTON, with a message, if it has another solution
 * than two halves; far_roots.refused tells so. it->mem does not change. Collective. */
ga_status ga_far_roots_check(ga_integrator *it, double h, double t1) {
  ga_far_roots *w = &it->far_roots;
  const bool misled = it->step.newton.misled;
  double moved;
  if ((it->mem.first && it->options.start == GA_START_IMPLICIT) || !is_suspect(it, h, &moved)) {
    return GA_OK;
  }
  memcpy(w->x, it->step.newton.x, (size_t)it->step.eq.n * sizeof(double));
  ga_status status = solve_halves(it, h, t1), again = return_to_solution(it, h, t1);
  if (status < 0 || again != GA_OK) return status < 0 ? status : again;
  it->step.newton.misled = misled;
  const bool found = status == GA_OK;
  const double apart = found ? distance(it, w->q, it->step.eq.site[GA_SITE_NEW].q) : 0;
  if (found && apart <= AGREE * moved) return GA_OK;
  w->refused = true;
  char other[120] = "two steps of h/2 are not solved at all";
  if (found) {
    snprintf(other, sizeof other, "two steps of h/2 end at a distance of %.3g from there", apart);
  }
  return ga_fail(&it->error, GA_RETRY_NEWTON,
                 "t = %.9g, h = %.3g: the step moves by %.3g, more than velocity and acceleration "
                 "explain, and %s; its equations may have several solutions: try a smaller step",
                 it->mem.t, h, moved, other);
}
