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
 * The error of the pilot is about its rtol. The coarsest run may have another one, e0, with
 *
 *   N = n gain sqrt(rtol/e0),   e0 = 2 A, between 0.2 and 0.6
 *
 * at which the series in the step size just begins to hold: runs with 2, 3, 4, .. times its steps
 * follow anyway. Below A = dense_enough N grows as A^(-1/12), since between the nodes the solution is
 * a polynomial of degree 11 (between.c). The pilot has the method of the runs, whose steps are the cheapest. */
#include <string.h>

#include "accuracy/solution.h"

/* Least steps of the pilot. A force of time may come between two steps, so it has more of them. */
static const double least_steps = 50, least_steps_of_time = 100;
static const double steps_unknown = 100; /* of the coarsest run, if no pilot comes to the end */
static const double dense_enough = 1e-5; /* accuracy to which its nodes are dense in any case */
static const double pilot_rtol[] = {0.1, 1e-2, 1e-3}; /* the next one if it fails */
static const double shortest = 1e-12;                 /* piece, of the run: less is rounding */
static const double gain_largest = 1.6; /* sharper changes are left to the runs that follow */

/* What the observer of the pilot gathers; one set of sums for each piece. */
typedef struct {
  ga_solution *of;
  int now;                       /* the piece it is in */
  bool stopped;                  /* by the user */
  bool known;                    /* it came to the end */
  bool of_time;                  /* the model depends on time */
  double *count, *sum, *inverse; /* of steps, of h, of 1/h^2 */
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
  g->count[g->now] += 1;
  g->sum[g->now] += state->h;
  g->inverse[g->now] += 1 / (state->h * state->h);
  return 0;
}

/* Do forces or constraints at the start values change over the time from t0 to t_end? It is asked at
 * many times; where the model cannot tell, the answer is yes. */
static bool depends_on_time(ga_solution *s) {
  enum { TIMES = 200 };
  ga_eval *e = &s->runner[0]->eval;
  size_t n = (size_t)e->nv + (size_t)e->nlam + (size_t)e->npsi;
  double *now = ga_arena_doubles(&s->work, n), *first = ga_arena_doubles(&s->work, n);
  if (s->work.failed) return true;
  ga_evaluation out = {.F = now, .g = now + e->nv, .k = now + e->nv + e->nlam};
  bool depends = false;
  for (int i = 0; i < TIMES && !depends; i++) {
    double t = s->t0 + (s->t_end - s->t0) * i / TIMES;
    if (ga_eval_all(e, t, s->q0, s->v0, &out) != GA_OK) return true;
    if (i == 0) memcpy(first, now, n * sizeof *now);
    depends = memcmp(first, now, n * sizeof *now) != 0;
  }
  return depends;
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
  ga_integrator *it = NULL;
  ga_options o = s->options;
  o.rtol = rtol;
  o.log = NULL;
  o.newton_tol = 1e-8; /* redundant rows would be violated too much by a larger one */
  o.h_max = (s->t_end - s->t0) / (g->of_time ? least_steps_of_time : least_steps);
  o.h = o.h_max / 16;
  ga_status status = ga_integrator_new(s->model, &o, &it, &s->error);
  if (status != GA_OK) return status;
  for (int i = 0; i < s->pieces; i++) g->count[i] = g->sum[i] = g->inverse[i] = 0;
  g->now = 0;
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
  ga_integrator_free(it);
  bool final = status == GA_ERR_MODEL || status == GA_ERR_MEM || g->stopped;
  return started && status != GA_OK && !final ? GA_ERR_STEP : status;
}

/* Steps of the coarsest run in piece i, and the numbers of the nodes. */
static void set_steps(ga_solution *s, const gathered *g) {
  double A = s->accuracy.asked, e0 = fmin(fmax(2 * A, 0.2), 0.6);
  double dense = fmin(1, pow(A / dense_enough, 1.0 / 6)); /* N ~ A^(-1/12) */
  double factor = sqrt(pilot_rtol[0] / (e0 * dense));
  s->nodes = s->steps = 0;
  for (int i = 0; i < s->pieces; i++) {
    ga_piece *p = &s->piece[i];
    double n = g->count[i], gain = 1;
    if (n > 0) gain = g->sum[i] / n * sqrt(g->inverse[i] / n);
    p->steps = (long)ceil(fmax(n, 1) * fmin(gain, gain_largest) * (g->known ? factor : 1));
    if (p->steps < 2) p->steps = 2;
    if (s->pieces == 1) p->steps = 8 * ((p->steps + 7) / 8); /* eighths of the time are nodes */
    p->first = s->nodes;
    s->nodes += p->steps + 1;
    s->steps += p->steps;
  }
}

/* The next corner at which a piece that begins at `from` may end; later than s->t_end if there is none.
 * max(0, t) has a corner at the first number above 0: a run that begins at 0 begins there. */
static ga_corner next_cut(const ga_solution *s, double from) {
  ga_corner corner = ga_model_next_corner(s->model, from);
  while (corner.t - from <= shortest * (s->t_end - s->t0)) {
    corner = ga_model_next_corner(s->model, corner.t);
  }
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
  g.of_time = depends_on_time(s);
  ga_status status = GA_ERR_STEP;
  for (int i = 0; i < 3 && status == GA_ERR_STEP; i++) {
    status = make_pilot(s, pilot_rtol[i], with_events, &g);
  }
  g.known = status == GA_OK;
  if (status == GA_ERR_STEP) {
    s->pilot_end = NULL;
    for (int i = 0; i < s->pieces; i++) {
      double span = s->piece[i].to - s->piece[i].from;
      g.count[i] = steps_unknown * span / (s->t_end - s->t0);
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
  gathered g = {.of = s, .of_time = true, .count = sums, .sum = sums + 1, .inverse = sums + 2};
  int pieces = s->pieces;
  s->pieces = 1; /* one set of sums */
  ga_status status = make_pilot(s, rtol, false, &g);
  s->pieces = pieces;
  return status;
}
