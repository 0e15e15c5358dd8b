/* SPDX-License-Identifier: MIT */
/* Newton's iteration with kept factors: A dx = -r(x), x <- x + dx, until judge.c accepts x.
 *
 * Newton always takes at least one step, so that errors of the extrapolated guess cannot persist
 * from step to step. From the second step on, constraints that hold up to rounding are not changed:
 * one rounding error would only be replaced by another, and its effect on the multipliers would
 * disturb the forces for ever. Factors are renewed by the rule of factors.h. The excess of an
 * iterate is its largest residual relative to what is allowed; the contraction is the ratio of the
 * excess after and before an iteration.
 *
 * The way back. If the iteration fails from the extrapolated guess, it starts again from the
 * unknowns of the last step, and then once more from there with damping: fresh factors at each
 * iterate, and only a fraction of dx that does not make the residual grow.
 *
 * Far roots. Equations with very stiff forces may have other solutions far away, and an iteration
 * that has once increased the residual may end at one of them. Such a root, farther from where the
 * last accelerations would lead than FAR times the motion h |v| + h^2 (|a| + |p v'|), is not taken
 * unless the damped iteration finds it as well. */
#include "step/newton.h"

#include <math.h>
#include <string.h>

#include "step/acceptance/fine.h"

static const double STALL = 0.5;   /* an iteration that leaves more of the excess is no progress */
static const double ENOUGH = 0.25; /* line search ends if |work| has fallen to this fraction */
static const double FAR = 8;       /* a root beyond so many motions must be found twice */
static const double SAME = 1e-6;   /* two roots are one if they differ by less of their distance */
enum { STALLS = 2, PROBES = 4, HALVINGS = 40 };
enum { COARSE = 2 }; /* iterations before fine.h is used; most steps have no more */

/* The state of the iteration from one guess. */
typedef struct {
  int iteration, made; /* iterations, and matrices made, so far */
  bool reused;         /* it began with factors of an earlier step */
  bool damped;
  bool again;    /* after another guess failed: its factors may be of an iterate far away */
  bool stuck;    /* no fraction of the last increment made the residual smaller */
  bool wandered; /* the excess has grown once */
  int stalls; /* iterations with fresh factors that did not halve the excess, since one that did */
  double contraction;
  ga_verdict now;
} course;

/* Set *w and its judge and allocate their arrays from arena; the caller checks arena->failed. eq,
 * factors and stats are borrowed. */
void ga_newton_init(ga_newton *w, ga_equations *eq, ga_factors *factors, const ga_options *options,
                    ga_stats *stats, ga_arena *arena) {
  *w = (ga_newton){.eq = eq, .factors = factors, .most = options->newton_max, .stats = stats};
  double **const of_n[] = {&w->x, &w->r, &w->dx, &w->x_from, &w->allowed, &w->far_x};
  for (int i = 0; i < 6; i++) *of_n[i] = ga_arena_doubles(arena, (size_t)eq->n);
  w->terms = ga_arena_doubles(arena, (size_t)eq->nx);
  ga_judge_init(&w->judge, eq, factors, options->newton_tol, arena);
}

/* The current iterate, as the judge takes it: points to w->x, w->r and w->terms. */
static ga_iterate iterate_of(const ga_newton *w) {
  return (ga_iterate){w->x, w->r, w->terms};
}

/* Residual w->r and sizes of terms w->terms at w->x; the sites of w->eq move there. matrix_follows:
 * also the tangents that the model gives in the same pass, into w->factors->matrix. In a team
 * collective. */
static ga_status evaluate_residual(ga_newton *w, bool matrix_follows) {
  w->stats->residuals++;
  ga_tangents *tangents = matrix_follows ? &w->factors->matrix.tangents : NULL;
  return ga_equations_evaluate(w->eq, w->x, NULL, tangents, w->r, w->terms);
}

/* Returns GA_RETRY_NEWTON with a message in eq->err: why, iterations, the row with the largest
 * residual. In a team collective; the message is that of a process which has that row. */
static ga_status fail_newton(const ga_newton *w, const course *c, const char *why) {
  const ga_equations *eq = w->eq;
  char name[160];
  ga_fail(eq->err, GA_RETRY_NEWTON,
          "t = %.9g, h = %.3g: %s (%d iteration%s, last contraction %.2g); "
          "residual %.3g, %.2g times what is allowed, in the %s; try a smaller step",
          eq->t, eq->h, why, c->iteration, c->iteration == 1 ? "" : "s", c->contraction,
          w->r[c->now.row], c->now.excess,
          ga_equations_row_name(eq, c->now.row, name, sizeof name));
  return ga_team_tell(eq->eval->team, GA_RETRY_NEWTON, !c->now.elsewhere, eq->err);
}

/* ---- one iteration -------------------------------------------------------------------------- */

/* max_i |r_i| / allowed_i over the rows of this process; INFINITY if r is not finite. */
static double own_scaled_residual(const ga_newton *w) {
  double largest = 0;
  for (int i = 0; i < w->eq->n; i++) {
    double size = fabs(w->r[i]);
    if (size == 0) continue;
    if (!isfinite(size)) return INFINITY;
    largest = ga_max(largest, size / w->allowed[i]);
  }
  return largest;
}

/* max_i |r_i| / w->allowed_i over all processes; INFINITY if r is not finite. */
static double scaled_residual(const ga_newton *w) {
  return ga_team_max(w->eq->eval->team, own_scaled_residual(w));
}

/* sum_i r_i dx_i of the force rows, over all processes. It changes its sign where a root on the way
 * along dx is passed. */
static double work_along_dx(const ga_newton *w) {
  const ga_equations *eq = w->eq;
  ga_team *team = eq->eval->team;
  double sum = 0;
  for (int i = 0; i < eq->nx; i++) {
    if (!team || team->owned[i % eq->nv]) sum += w->r[i] * w->dx[i];
  }
  return ga_team_sum(team, sum);
}

/* x <- x + fraction dx, n numbers; results so small that products with them underflow become 0. */
static void add_increment(int n, double fraction, const double *restrict dx, double *restrict x) {
  for (int i = 0; i < n; i++) {
    double moved = x[i] + fraction * dx[i];
    x[i] = fabs(moved) < GA_UNDERFLOW ? 0 : moved;
  }
}

/* The same for w->x and w->dx, n numbers, with the nx first of x as a sum of two numbers where that
 * is needed (fine.h). */
static void add_increment_finely(ga_newton *w, double fraction) {
  ga_equations *eq = w->eq;
  const double *size_q = w->judge.size_q, *size_v = w->judge.size_v;
  if (!ga_fine_wanted(eq, fraction, w->dx, size_q, size_v, w->x)) {
    add_increment(eq->n, fraction, w->dx, w->x);
    return;
  }
  ga_fine_add(eq, fraction, w->dx, size_q, size_v, w->x);
  add_increment(eq->n - eq->nx, fraction, w->dx + eq->nx, w->x + eq->nx);
}

/* w->x = x_from + fraction dx, and w->r, w->terms there. x_from and ga_fine_keep must be set. */
static ga_status evaluate_fraction(ga_newton *w, double fraction) {
  memcpy(w->x, w->x_from, (size_t)w->eq->n * sizeof(double));
  ga_fine_return(w->eq);
  add_increment_finely(w, fraction);
  return evaluate_residual(w, false /* no matrix follows */);
}

/* x = x_from + fraction dx, x_from the present x, with fraction = 1 if that reduces the scaled
 * residual; else by bisection until little work is left, which finds roots in thin layers, as of
 * regularised friction. Sets r, terms, x_from and allowed. *stuck: no fraction reduces the
 * residual, and x is x_from. */
static ga_status damped_step(ga_newton *w, bool *stuck) {
  const ga_iterate from = iterate_of(w);
  ga_judge_allowed(&w->judge, &from, w->allowed);
  const double before = scaled_residual(w), work_before = work_along_dx(w);
  double near = 0, far = 1, fraction = 1, best = 0, least = before;
  memcpy(w->x_from, w->x, (size_t)w->eq->n * sizeof(double));
  ga_fine_keep(w->eq, w->x);
  for (int k = 0; k < HALVINGS; k++, fraction = (near + far) / 2) {
    ga_status status = evaluate_fraction(w, fraction);
    if (status != GA_OK && status != GA_RETRY_NONFINITE) return status;
    double now = status == GA_OK ? scaled_residual(w) : INFINITY,
           left = work_along_dx(w) / work_before;
    if (now < least) least = now, best = fraction;
    if (now < before && (k == 0 || fabs(left) <= ENOUGH)) break;
    /* towards x_from if the residual grew or the work changed its sign, else away from it */
    if (now < before && left > 0) {
      near = fraction;
    } else {
      far = fraction;
    }
  }
  *stuck = best == 0;
  return best == fraction ? GA_OK : evaluate_fraction(w, best);
}

/* One Newton iteration: dx = -A^-1 r, x <- x + dx (c->damped: a fraction of dx), r and terms there;
 * counts it in c->iteration and the statistics. From the second iteration on, constraints within
 * rounding are not changed. The judge forgets what it measured. */
static ga_status iterate_once(ga_newton *w, course *c) {
  const ga_iterate from = iterate_of(w);
  for (int i = 0; i < w->eq->n; i++) w->dx[i] = -w->r[i];
  if (c->iteration > 0) ga_judge_skip_closed(&w->judge, &from, w->dx);
  ga_status status = ga_factors_solve(w->factors, w->eq, w->dx);
  if (status != GA_OK) return status;
  w->stats->newton_its++;
  c->iteration++;
  if (c->damped) {
    status = damped_step(w, &c->stuck);
    if (c->stuck) c->stalls = STALLS;
  } else {
    if (c->iteration > COARSE) {
      add_increment_finely(w, 1);
    } else {
      add_increment(w->eq->n, 1, w->dx, w->x);
    }
    status = evaluate_residual(w, false);
  }
  ga_judge_move(&w->judge);
  return status;
}

/* The verdict *v on the current iterate; always set. If only force rows are too large, one solve
 * computes the effect of constraint rounding on accelerations (shake). If rounding is suspected
 * (doubtful) and the last iteration has not halved the excess `before`, rounding is measured by two
 * residuals, and a third one leads back to x. */
static ga_status judge_iterate(ga_newton *w, const course *c, ga_look look, double before,
                               ga_verdict *v) {
  ga_judge *j = &w->judge;
  const ga_iterate at = iterate_of(w);
  *v = ga_judge_look(j, &at, look);
  if (v->accepted) return GA_OK;
  if (v->shakable && !j->shaken && w->eq->constrained) {
    ga_status status = ga_judge_shake(j, &at);
    if (status != GA_OK) return status;
    *v = ga_judge_look_again(j, &at, look);
  }
  bool halved = v->excess < STALL * before && c->iteration < w->most;
  bool suspected = v->doubtful && (look == GA_LOOK_STALLED || !halved);
  if (v->accepted || !suspected || j->probes >= PROBES) return GA_OK;
  ga_status status = ga_judge_measure(j, &at);
  w->stats->residuals += 2;
  if (status == GA_OK) status = evaluate_residual(w, false); /* back at x */
  if (status == GA_OK) *v = ga_judge_look(j, &at, look);
  return status;
}

/* Judge the iterate into c->now, update contraction, wandered and stalls; fresh: the iteration used
 * factors made for it. After STALLS iterations with fresh matrices that did not halve the excess,
 * judge once more with the wider limits of a stalled iteration, which count only if they accept. */
static ga_status assess_progress(ga_newton *w, course *c, bool fresh) {
  double before = c->now.excess;
  ga_status status = judge_iterate(w, c, GA_LOOK_CLOSELY, before, &c->now);
  if (status != GA_OK || c->now.accepted) return status;
  c->contraction = c->now.excess / before;
  c->wandered |= !(c->contraction < 1);
  if (isfinite(before) && (fresh || c->contraction < STALL)) {
    c->stalls = c->contraction < STALL ? 0 : c->stalls + 1;
  }
  if (c->stalls < STALLS) return GA_OK;
  ga_verdict stalled;
  status = judge_iterate(w, c, GA_LOOK_STALLED, before, &stalled);
  if (stalled.accepted) c->now = stalled;
  return status;
}

/* ---- from one guess -------------------------------------------------------------------------- */

/* Newton's iteration from one guess (n numbers, may be w->x) until the iterate w->x is accepted. *c
 * begins zero but for damped and again, and tells how it went. GA_RETRY_NEWTON if it does not
 * converge or a damped step is stuck; w->x is then the last iterate. */
static ga_status solve_from(ga_newton *w, const double *guess, course *c) {
  bool fresh = c->again || !ga_factors_keep(w->factors, w->eq->h);
  c->reused = !fresh;
  ga_judge_begin(&w->judge);
  if (guess != w->x) memcpy(w->x, guess, (size_t)w->eq->n * sizeof(double));
  w->eq->fine.used = false;
  ga_status status = evaluate_residual(w, fresh);
  c->now.excess = INFINITY; /* of the guess: not known, and not needed for fresh factors */
  if (status == GA_OK && !fresh) {
    const ga_iterate at = iterate_of(w);
    c->now = ga_judge_look(&w->judge, &at, GA_LOOK_ROUGHLY);
  }
  while (status == GA_OK) {
    if (fresh) {
      bool found = c->reused && c->made == 0;
      status = (found ? ga_factors_replace : ga_factors_renew)(w->factors, w->eq, w->x);
      c->made++;
    }
    if (status == GA_OK) status = iterate_once(w, c);
    if (status == GA_OK) status = assess_progress(w, c, fresh);
    if (status != GA_OK || c->now.accepted) return status;
    if (c->stuck) return fail_newton(w, c, "damped Newton iteration could not reduce the residual");
    if (c->iteration >= w->most) return fail_newton(w, c, "Newton iteration did not converge");
    fresh = c->damped || ga_factors_spent(w->factors, c->now.excess, c->contraction);
  }
  return status;
}

/* ---- the way back ---------------------------------------------------------------------------- */

/* Largest |w_q(x) - w_q(from)| over all velocities and processes, without eta: the distance of the
 * positions that two sets of accelerations lead to. from: at least nx numbers. */
static double distance_to(const ga_newton *w, const double *from) {
  const ga_equations *eq = w->eq;
  double apart = 0;
  for (int i = 0; i < eq->nv; i++) {
    double move = 0;
    for (int b = 0, k = i; b < eq->method->nx; b++, k += eq->nv) {
      move += eq->tab.p[b] * (w->x[k] - from[k]);
    }
    apart = ga_max(apart, fabs(move));
  }
  return eq->h * eq->h * ga_team_max(eq->eval->team, apart);
}

/* Largest h |v| + h^2 (|a| + |p w|) + eps |q| over all velocities and processes: the motion of a
 * step. w, the second variable of the method (v'), is included since stiff components vibrate with
 * alternating v', of which a shows little. */
static double expected_motion(const ga_newton *w) {
  const ga_equations *eq = w->eq;
  const double h = eq->h, *size_q = w->judge.size_q;
  double largest = 0;
  for (int i = 0; i < eq->nv; i++) {
    double move = h * fabs(eq->v[i]) + h * h * (fabs(eq->a[i]) + fabs(eq->tab.p[0] * eq->w[i]));
    largest = ga_max(largest, move + DBL_EPSILON * size_q[i]);
  }
  return ga_team_max(eq->eval->team, largest);
}

/* Is the root w->x far from the last state, and not yet found twice? last: the unknowns of the last
 * step; far: such a root was found before, in w->far_x. Only asked if the excess has grown once or
 * far is set. In a team collective. */
static bool too_far(ga_newton *w, const course *c, const double *last, bool far) {
  if (!(c->wandered || far)) return false;
  double from_last = distance_to(w, last);
  if (!(from_last > FAR * expected_motion(w))) return false;
  return !(far && c->damped && distance_to(w, w->far_x) <= SAME * from_last);
}

/* May another guess or damping help after this status? */
static bool recoverable(ga_status status) {
  return status == GA_RETRY_NEWTON || status == GA_RETRY_NONFINITE;
}

/* Solve in up to three ways: from the extrapolated guess (NULL: none), from the last unknowns, and
 * from these with damping. GA_OK: the root is in w->x, the sites are there, w->misled says whether
 * the first guess failed, and the factors learn the cost. Otherwise the status and message of the
 * last way. */
ga_status ga_newton_solve(ga_newton *w, const double *extrapolated, const double *last) {
  const double *const guess[] = {extrapolated, last, last};
  ga_status status = GA_RETRY_NEWTON;
  bool far = false, tried = false;
  for (int way = extrapolated ? 0 : 1; way < 3; way++) {
    course c = {.damped = way == 2, .again = tried};
    const ga_effort before = ga_factors_effort(w->factors);
    tried = true;
    status = solve_from(w, guess[way], &c);
    if (status == GA_OK && too_far(w, &c, last, far)) {
      far = true;
      memcpy(w->far_x, w->x, (size_t)w->eq->n * sizeof(double));
      status = fail_newton(w, &c, "Newton iteration ended at a solution far from the last state");
    }
    if (status == GA_OK) {
      const ga_iterate root = iterate_of(w);
      w->misled = extrapolated && way > 0;
      w->stats->roundoff += ga_judge_rounding(&w->judge, &root);
      ga_factors_learn(w->factors, before, c.made, c.reused);
      return GA_OK;
    }
    if (!recoverable(status)) return status;
  }
  return status;
}
