/* SPDX-License-Identifier: MIT */
/* Which step comes next: a multiple of h, one of a sequence, one a function gives, one of automatic
 * size; and how t_end is met.
 *
 * Times of given steps are t_base + S h with S the sum of the fractions since t_base, formed from
 * whole periods, so that t after a million steps has one rounding error only. If the steps do not
 * meet t_end, the last two share what is left, as evenly as their sizes allow: no step is tiny, and
 * none is larger than planned. */
#include <float.h>
#include <math.h>

#include "run/integrator.h"

static const double SLACK = 1e-8; /* of a step by which an end may be missed and still be met */

/* Four roundings of the larger of |t|, |t1|: times nearer to each other count as equal. */
double ga_same_time(double t, double t1) {
  return 4 * DBL_EPSILON * fmax(fabs(t), fabs(t1));
}

/* Read the fractions of h from option h_fractions or from the text h_seq, check them, sum them up:
 * sets n, fraction, until of it->sequence, which was zeroed. it->step_size.on must be set.
 * GA_ERR_ARG or GA_ERR_MEM on failure. */
ga_status ga_plan_init(ga_integrator *it) {
  ga_sequence *s = &it->sequence;
  const ga_options *o = &it->options;
  bool numbers = o->h_fractions != NULL;
  s->n = numbers ? o->h_fractions_n : ga_options_sequence(o->h_seq, NULL, 0, &it->error);
  if (s->n < 0) return it->error.code;
  if (s->n == 0) return ga_fail(&it->error, GA_ERR_ARG, "h_fractions_n = 0: no step sizes");
  s->fraction = ga_arena_doubles(&it->arena, (size_t)s->n);
  s->until = ga_arena_doubles(&it->arena, (size_t)s->n + 1);
  if (it->arena.failed) return ga_fail(&it->error, GA_ERR_MEM, "no memory for %d sizes", s->n);
  if (!numbers) ga_options_sequence(o->h_seq, s->fraction, s->n, NULL);
  for (int i = 0; i < s->n; i++) {
    if (numbers) s->fraction[i] = o->h_fractions[i];
    if (!(s->fraction[i] > 0 && s->fraction[i] <= 1000)) {
      return ga_fail(&it->error, GA_ERR_ARG,
                     "h_fractions[%d] = %g must be greater than 0 and at most 1000", i,
                     s->fraction[i]);
    }
    s->until[i + 1] = s->until[i] + s->fraction[i];
  }
  if (it->step_size.on && (s->n > 1 || o->step_size)) {
    return ga_fail(&it->error, GA_ERR_ARG,
                   "step sizes are either given (h-seq, step_size) or automatic (rtol, atol)");
  }
  return GA_OK;
}

/* Index, in the endless sequence of fractions, of the i-th step from now (i = 0: the next one). */
static long sequence_index(const ga_sequence *s, long i) {
  return s->first + s->n_base + i;
}

/* Size of the i-th step from now, relative to h. */
static double fraction_of_step(const ga_sequence *s, long i) {
  return s->fraction[sequence_index(s, i) % s->n];
}

/* The time after the next step of the sequence: t_base + S h, see the head of this file. */
static double next_time(const ga_integrator *it) {
  const ga_sequence *s = &it->sequence;
  long at = sequence_index(s, 1);
  double sum = (double)(at / s->n) * s->until[s->n] + s->until[at % s->n] - s->until[s->first];
  return s->t_base + sum * it->h;
}

/* *h of step n at time t by the user's function; GA_ERR_STEP if it is not positive and finite, or
 * differs between processes. */
static ga_status ask_user_for_size(ga_integrator *it, long n, double t, double *h) {
  *h = it->options.step_size(it->options.step_context, n, t);
  if (!ga_team_same(it->eval.team, 1, h)) {
    return ga_fail(&it->error, GA_ERR_STEP,
                   "t = %.9g: step_size gave different sizes on the ranks of the team for step %ld",
                   t, n);
  }
  if (*h > 0 && isfinite(*h)) return GA_OK;
  return ga_fail(&it->error, GA_ERR_STEP,
                 "t = %.9g: step_size gave %g for step %ld; it must be positive and finite", t, *h,
                 n);
}

/* The larger of the next and the last size of the sequence: a step that goes on from a shortened
 * one is not longer. */
static double largest_size(const ga_integrator *it) {
  const ga_sequence *s = &it->sequence;
  double next = fraction_of_step(s, 0);
  return it->h * (s->n_base > 0 ? fmax(next, fraction_of_step(s, -1)) : next);
}

/* *plan: the next step, of a given size h or to the end of what was cut, not yet reduced to meet
 * t_end. If the last step was shortened, the way to the next time of the sequence is longer than h;
 * it is made in equal pieces that are not, and plan->rest is its end. The first piece ends behind
 * the time that the shortened step had failed to reach: that is f of its size, 0 < f < 1, and the
 * first of two pieces ends at f + (2 - f)/2 = 1 + f/2. */
static void next_given_size(const ga_integrator *it, ga_plan *plan) {
  const bool rest = it->sequence.t_rest > it->mem.t;
  const double t = it->mem.t, end = rest ? it->sequence.t_rest : next_time(it), way = end - t;
  const double most = it->options.step_size ? way : largest_size(it);
  const double size = rest ? way : it->h * fraction_of_step(&it->sequence, 0);
  const double slack = SLACK * most + ga_same_time(t, end);
  *plan = (ga_plan){size, end, size, true, -INFINITY}; /* h, t1, whole, regular, rest */
  if (fabs(way - size) > slack) plan->h = plan->whole = way;
  if (way > most + slack) {
    plan->h = plan->whole = way / ceil(way / most);
    plan->t1 = t + plan->h;
    plan->rest = end;
  }
}

/* *plan: the next step, not yet reduced to meet t_end. Fails only if the user's function gives no
 * usable size. */
static ga_status next_size(ga_integrator *it, ga_plan *plan) {
  const double t = it->mem.t;
  double h = it->h;
  ga_status status = GA_OK;
  if (it->sequence.t_rest > t || !(it->options.step_size || it->step_size.on)) {
    next_given_size(it, plan);
    return GA_OK;
  }
  if (it->options.step_size) status = ask_user_for_size(it, it->stats.steps, t, &h);
  *plan = (ga_plan){h, t + h, h, true, -INFINITY};
  return status;
}

/* *h: size of the step after the next one, which begins at t1. it->sequence does not change. */
static ga_status size_after(ga_integrator *it, double t1, double *h) {
  if (it->options.step_size) return ask_user_for_size(it, it->stats.steps + 1, t1, h);
  *h = it->step_size.on ? it->h : it->h * fraction_of_step(&it->sequence, 1);
  return GA_OK;
}

/* Plan the next step from it->mem.t: *plan. If two steps would pass t_end, the rest is shared
 * between them; a last step that would pass it ends there. The size of the second is asked for only
 * if the first does not reach t_end. On failure it->error is set and *plan is not to be used. t_end
 * INFINITY: no end. Collective if the user gives step sizes. */
ga_status ga_plan_next(ga_integrator *it, double t_end, ga_plan *plan) {
  double after, t = it->mem.t, left = t_end - t;
  ga_status status = next_size(it, plan);
  const double h = plan->h;
  if (status != GA_OK || !isfinite(t_end)) return status;
  double slack = SLACK * h + ga_same_time(t, t_end);
  if (left > h + slack) {
    status = size_after(it, plan->t1, &after);
    if (status != GA_OK || left >= h + after - slack) return status;
    double first = fmin(h, fmax(left - after, left / 2));
    *plan = (ga_plan){first, t + first, h, false, -INFINITY};
  } else {
    /* the last step: a full one that ends at t_end but for rounding, or a shorter one */
    bool full = fabs(left - h) <= slack;
    *plan = (ga_plan){full ? h : left, t_end, h, full, -INFINITY};
  }
  return GA_OK;
}

/* The planned step has been made: count it in the sequence, unless it was cut or is a piece. After
 * an end (meets_end), or a step that was not of the sequence, times are computed from it->mem.t on. */
void ga_plan_advance(ga_integrator *it, const ga_plan *plan, bool meets_end) {
  const bool rest = plan->rest > it->mem.t;
  it->sequence.t_rest = rest ? plan->rest : -INFINITY;
  if (rest) return;
  it->sequence.n_base++;
  if (meets_end || !plan->regular) ga_plan_rebase(it, plan->regular || !meets_end);
}

/* Compute times from it->mem.t on; keep_phase: with the next fraction, otherwise the first. */
void ga_plan_rebase(ga_integrator *it, bool keep_phase) {
  ga_sequence *s = &it->sequence;
  s->first = keep_phase ? sequence_index(s, 0) % s->n : 0;
  s->t_base = it->mem.t;
  s->t_rest = -INFINITY;
  s->n_base = 0;
}
