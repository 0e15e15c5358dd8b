/* SPDX-License-Identifier: MIT */
/* The pilot: a run with automatic steps and a coarse tolerance. It tells how many equal steps the
 * motion needs in each piece of time.
 *
 * The pilot chooses its sizes h_i so that c_i h_i^3 is the same for all steps, where c h^2 is the
 * error that a second-order method makes per time. n such steps have the error n c h^3 in all. Equal
 * steps H have H^2 sum c_i h_i, the same if
 *
 *   T/H = n gain,   gain = mean(h) rms(1/h) >= 1
 *
 * The error is relative to the speeds so far; at a start from rest it counts less: 1/h^2 is multiplied
 * by the largest speed so far over the largest of all.
 *
 * The error of the pilot is about its rtol, which is A, between 0.1 and 0.2: a coarser one finds so few steps
 * that runs fail, which costs more than it saves. The coarsest run may have twice that error, with
 *
 *   N = n gain sqrt(1/2)
 *
 * at which the series in the step size just begins to hold: runs with 2, 3, 4, .. times its steps
 * follow anyway. Below A = dense_enough N grows as A^(-1/12), since between the nodes the solution is
 * a polynomial of degree 11 (between.c). The pilot has the method of the runs, whose steps are the cheapest. */
#include <string.h>

#include "accuracy/solution.h"
/* Least steps of the pilot; up to the second number where forces change with time, as these may come
 * between two steps. */
static const double least_steps = 16, least_steps_of_time = 100;
static const double steps_unknown = 100; /* of the coarsest run, if no pilot comes to the end */
static const double dense_enough = 1e-5; /* accuracy to which its nodes are dense in any case */
static const double rtol_least = 0.1, rtol_largest = 0.2; /* of the pilot */
static const double rtol_later[] = {1e-2, 1e-3};          /* the next one if it fails */
static const double shortest = 1e-12;                     /* piece, of the run: less is rounding */
static const double gain_largest = 1.6; /* sharper changes are left to the runs that follow */

/* What the observer of the pilot gathers; one set of sums for each piece. */
typedef struct {
  ga_solution *of;
  int now;                       /* the piece it is in */
  bool stopped;                  /* by the user */
  bool known;                    /* it came to the end */
  double least;                  /* steps that it makes */
  double *count, *sum, *inverse; /* of steps, of h, of speed/h^2 */
  double speed;                  /* the largest one so far */
} gathered;

/* Add the step that led to this state to the sums of its piece. */
static int gather_step(void *context, const ga_state *state, const ga_stats *stats) {
  gathered *g = context;
  const ga_solution *s = g->of;
  g->stopped = s->stop && s->stop(s->stop_context);
  if (g->stopped) return 1;
  if ((double)(stats->steps + stats->rejected + stats->failed) > s->options.accuracy_steps / 10) {
    return 1; /* it finds no end, as where dry friction comes to rest */
  }
  if (!(state->h > 0)) return 0;
  double middle = state->t - state->h / 2;
  while (g->now + 1 < s->pieces && middle > s->piece[g->now].to) g->now++;
  double speed = 0;
  for (int i = 0; i < ga_space_nv(s->model->space); i++) {
    speed = fmax(speed, s->root_metric[i] * fabs(state->v[i]));
  }
  g->speed = fmax(g->speed, speed);
  g->count[g->now] += 1;
  g->sum[g->now] += state->h;
  g->inverse[g->now] += g->speed / (state->h * state->h);
  return 0;
}

/* Least steps of a run in which forces or constraints depend on time, by what these are at the start
 * values and at the times t0 + i d, d = (t_end - t0)/TIMES: as many that a cubic in each interval H
 * misses y(t), by 3/128 H^4 |d4y/dt4|, by at most `missed` of its range,
 *
 *   n = TIMES (3/128 max |fourth difference of y|/(missed range))^(1/4),
 *
 * where y is F, the second difference of g, or the first of k: what acts as a force. What is narrower
 * than the steps of the first runs, a fiftieth of the time, changes v by at most a fiftieth of
 * `missed`; this may be A. Differences over corners, where y may jump, do not count. n is between
 * least_steps and least_steps_of_time; it is the latter, too, where the model cannot tell. An autonomous
 * model needs no more than least_steps. */
static double steps_of_time(ga_solution *s) {
  enum { TIMES = 200, FOURTH = 4 };
  static const double rounding = 1e-12; /* range that is none, relative to the largest value */
  static const int order[] = {0, 2, 1}; /* of the differences of F, g and k that are y */
  ga_eval *e = &s->runner[0]->eval;
  int nv = e->nv, end_of_g = nv + e->nlam, n = end_of_g + e->npsi, piece = 0, since = 0;
  if (s->model->autonomous) return least_steps;
  double *now = ga_arena_doubles(&s->work, (size_t)n), *last[2 + FOURTH], *of[4];
  for (int k = 0; k < 2 + FOURTH; k++) last[k] = ga_arena_doubles(&s->work, (size_t)n);
  for (int k = 0; k < 4; k++) of[k] = ga_arena_doubles(&s->work, (size_t)n);
  if (s->work.failed) return least_steps_of_time;
  double *low = of[0], *high = of[1], *size = of[2], *bend = of[3], needed = 0;
  for (int k = 0; k < n; k++) low[k] = INFINITY, high[k] = -INFINITY;
  bool at_rest = s->model->scleronomic; /* g does not depend on time */
  ga_evaluation out = {.F = now, .g = at_rest ? NULL : now + nv, .k = now + end_of_g};
  for (int i = 0; i < TIMES; i++) {
    double t = s->t0 + (s->t_end - s->t0) * i / TIMES;
    if (ga_eval_all(e, t, s->q0, s->v0, &out) != GA_OK) return least_steps_of_time;
    for (; piece + 1 < s->pieces && t >= s->piece[piece].to; piece++) since = i;
    for (int k = 0; k < n; k++) {
      int y = order[(k >= nv) + (k >= end_of_g)];
      double d = now[k]; /* difference of order j; it needs values at j + 1 times */
      size[k] = fmax(size[k], fabs(d));
      for (int j = 0; j <= i - since; j++) {
        if (j == y) low[k] = fmin(low[k], d), high[k] = fmax(high[k], d);
        if (j == y + FOURTH) {
          bend[k] = fmax(bend[k], fabs(d));
          break;
        }
        double next = d - last[j][k];
        last[j][k] = d;
        d = next;
      }
    }
  }
  for (int k = 0; k < n; k++) {
    double range = high[k] - low[k];
    if (range > rounding * size[k]) needed = fmax(needed, bend[k] / range);
  }
  double missed = fmin(50 * s->accuracy.asked, 0.05);
  needed = TIMES * sqrt(sqrt(3.0 / 128 * needed / missed));
  return fmin(fmax(needed, least_steps), least_steps_of_time);
}

/* Let the pilot end at the terminal events; nobody is told of them. */
static ga_status watch_events(const ga_solution *s, ga_integrator *it) {
  ga_status status = GA_OK;
  for (int i = 0; i < s->events && status == GA_OK; i++) {
    if (!s->event[i].terminal) continue;
    ga_event event = s->event[i];
    event.handler = NULL;
    status = ga_integrator_add_event(it, &event);
  }
  return status;
}

/* The pilot has met a terminal event: the solution goes to shortly after, as its event is not at the
 * same time. */
static void end_after(ga_solution *s, const ga_state *state) {
  double t_end = state->t + 0.02 * (state->t - s->t0) + 2 * state->h;
  if (!(t_end < s->t_end)) return;
  s->t_end = t_end;
  while (s->pieces > 1 && s->piece[s->pieces - 1].from >= t_end) s->pieces--;
  ga_piece *last = &s->piece[s->pieces - 1];
  last->to = last->before = fmin(last->to, t_end);
}

/* A pilot of this tolerance to the end or to a terminal event; its steps end at corners.
 * GA_ERR_STEP if it started but did not come there; other failures are those of the model, such as a
 * drive that jumps, or of the start. The message is in s->error. */
static ga_status make_pilot(ga_solution *s, double rtol, bool with_events, gathered *g) {
  ga_options o = s->options;
  o.rtol = rtol;
  /* redundant rows would be violated too much by a larger one */
  o.newton_tol = s->model->nlam + s->model->npsi > 0 ? 1e-8 : 1e-5;
  o.h_max = (s->t_end - s->t0) / g->least;
  o.h = o.h_max / 16;
  ga_integrator *it = s->runner[0];
  ga_status status = ga_check_step_size(o.h, &s->error);
  if (status != GA_OK) return status;
  ga_solution_leave_nodes(s);
  ga_integrator_control_steps(it, &o);
  for (int i = 0; i < s->pieces; i++) g->count[i] = g->sum[i] = g->inverse[i] = 0;
  g->now = 0, g->speed = 0;
  ga_integrator_observe(it, gather_step, g);
  status = ga_integrator_start(it, s->t0, s->q0, s->v0);
  bool started = status == GA_OK;
  if (started && with_events) status = watch_events(s, it);
  if (status == GA_OK) status = ga_integrator_run(it, s->t_end);
  ga_layout_pack(&s->layout, ga_integrator_state(it), s->pilot_end);
  ga_stats_add(&s->stats, ga_integrator_stats(it));
  s->accuracy.steps += ga_integrator_stats(it)->steps;
  if (status == GA_EVENT) {
    end_after(s, ga_integrator_state(it));
    s->pilot_end = NULL; /* it is not that of the solution */
    status = GA_OK;
  }
  if (status != GA_OK) s->error = *ga_integrator_error(it);
  ga_integrator_observe(it, NULL, NULL);
  ga_integrator_clear_events(it);
  o = ga_solution_run_options(s);
  ga_integrator_control_steps(it, &o);
  bool final = status == GA_ERR_MODEL || status == GA_ERR_MEM || g->stopped;
  return started && status != GA_OK && !final ? GA_ERR_STEP : status;
}

/* Steps of the coarsest run in piece i, and the numbers of the nodes. */
static void set_steps(ga_solution *s, const gathered *g) {
  double dense = fmin(1, pow(s->accuracy.asked / dense_enough, 1.0 / 6)); /* N ~ A^(-1/12) */
  double factor = sqrt(0.5 / dense);
  s->nodes = s->steps = 0;
  s->pilot_steps = 0;
  for (int i = 0; i < s->pieces; i++) {
    ga_piece *p = &s->piece[i];
    double n = g->count[i], gain = 1;
    if (n > 0 && g->speed > 0) gain = fmax(g->sum[i] / n * sqrt(g->inverse[i] / n / g->speed), 1);
    s->pilot_steps += n * gain;
    p->steps = (long)ceil(fmax(n, 1) * fmin(gain, gain_largest) * (g->known ? factor : 1));
    if (p->steps < 2) p->steps = 2;
    if (s->pieces == 1) p->steps = 8 * ((p->steps + 7) / 8); /* eighths of the time are nodes */
    p->first = s->nodes;
    s->nodes += p->steps + 1;
    s->steps += p->steps;
  }
}

/* The first jump of a curve after `from` and before `told`, a corner that is known: *told becomes it. It is
 * sought in windows of time (ga_model_ops.surprise); what begins smoothly there is passed. */
static void find_jump(const ga_solution *s, double from, ga_corner *told) {
  enum { WINDOWS = 1000, PASSED = 20 };
  const double end = fmin(told->before, s->t_end), width = (s->t_end - s->t0) / WINDOWS;
  const double near = shortest * (s->t_end - s->t0);
  for (double t = from; t < end;) {
    const double to = fmin(t + width, end);
    for (int i = 0; i < PASSED && t < to; i++) {
      ga_corner c = {.before = INFINITY, .t = INFINITY};
      s->model->ops->surprise(s->model->user, from, t, to - t, &c);
      if (!(c.before < to)) break;
      if (c.t > c.before && c.t - from > near) {
        *told = c;
        return;
      }
      t = c.t;
    }
    t = to;
  }
}

/* The next corner at which a piece that begins at `from` may end; later than s->t_end if there is none.
 * max(0, t) has a corner at the first number above 0: a run that begins at 0 begins there. */
static ga_corner next_cut(const ga_solution *s, double from) {
  ga_corner corner = ga_model_next_corner(s->model, from);
  while (corner.t - from <= shortest * (s->t_end - s->t0)) {
    corner = ga_model_next_corner(s->model, corner.t);
  }
  if (corner.hidden && s->model->ops->surprise) find_jump(s, from, &corner);
  return corner;
}

/* The pieces of [t0, t_end] between the corners of the model, in s->work. If there are more than
 * MOST, they are not cut; the estimates then tell what the corners cost. */
static void cut(ga_solution *s) {
  enum { MOST = 20000 };
  int count = 1;
  ga_corner corner = next_cut(s, s->t0);
  for (; corner.t < s->t_end && count <= MOST; count++) corner = next_cut(s, corner.t);
  s->piece = ga_arena_take(&s->work, (size_t)count, sizeof *s->piece);
  if (!s->piece) return;
  s->pieces = 0;
  double from = s->t0;
  corner = next_cut(s, from);
  while (count <= MOST && corner.t < s->t_end) {
    s->piece[s->pieces++] = (ga_piece){.from = from, .to = corner.t, .before = corner.before};
    from = corner.t;
    corner = next_cut(s, from);
  }
  s->piece[s->pieces++] = (ga_piece){.from = from, .to = s->t_end, .before = s->t_end};
}

/* Cut the time into pieces and run the pilot, with smaller tolerances if it fails; a start that
 * fails is final. If no pilot comes to the end, there are steps_unknown steps, and s->pilot_end is
 * NULL. */
ga_status ga_solution_pilot(ga_solution *s, bool with_events) {
  cut(s);
  size_t n = (size_t)s->pieces;
  gathered g = {.of = s,
                .count = ga_arena_doubles(&s->work, n),
                .sum = ga_arena_doubles(&s->work, n),
                .inverse = ga_arena_doubles(&s->work, n)};
  if (s->work.failed) return ga_fail(&s->error, GA_ERR_MEM, "no memory for the pieces of a run");
  g.least = steps_of_time(s);
  double rtol = fmin(fmax(s->accuracy.asked, rtol_least), rtol_largest);
  ga_status status = make_pilot(s, rtol, with_events, &g);
  for (int i = 0; i < 2 && status == GA_ERR_STEP; i++) {
    status = make_pilot(s, rtol_later[i], with_events, &g);
  }
  g.known = status == GA_OK;
  if (status == GA_ERR_STEP) {
    s->pilot_end = NULL;
    for (int i = 0; i < s->pieces; i++) {
      double span = s->piece[i].to - s->piece[i].from;
      g.count[i] = steps_unknown * span / (s->t_end - s->t0);
      g.speed = 1;
      g.sum[i] = span, g.inverse[i] = pow(g.count[i], 3) / (span * span);
    }
  }
  if (status != GA_OK && status != GA_ERR_STEP) return status;
  set_steps(s, &g);
  return GA_OK;
}

/* Another pilot, for its end alone. */
ga_status ga_solution_second_pilot(ga_solution *s, double rtol) {
  double sums[3];
  gathered g = {
      .of = s, .least = least_steps_of_time, .count = sums, .sum = sums + 1, .inverse = sums + 2};
  int pieces = s->pieces;
  s->pieces = 1; /* one set of sums */
  ga_status status = make_pilot(s, rtol, false, &g);
  s->pieces = pieces;
  return status;
}
