/* SPDX-License-Identifier: MIT */
/* Newton's iteration with kept factors: dx = -A^-1 r(x), x <- x + dx, until acceptance.c accepts x.
 *
 *     evaluate r at the guess; loop:
 *       renew the factors of A if that pays
 *       dx = -A^-1 r;  error = |dx| relative to what is allowed
 *       x is accepted if error <= 1 and all rows are balanced, or if the error was not halved and
 *         rounding explains it
 *       x <- x + dx;  evaluate r
 *       x is accepted if all residuals are small
 *
 * Newton always takes at least one step, so that errors of the extrapolated guess cannot persist
 * from step to step. From the second increment on, constraints that hold up to rounding are not
 * changed: one rounding error would only be replaced by another, and its effect on the multipliers
 * would disturb the forces for ever. Factors are renewed by the rule of factors.h. The contraction
 * is the ratio of an increment to the one before.
 *
 * The way back. If the iteration fails from the extrapolated guess, it starts again from the
 * unknowns of the last step, and then once more from there with damping: fresh factors at each
 * iterate, and only a fraction of dx that does not make the residual grow.
 *
 * Far roots. Equations with very stiff forces may have other solutions far away, and an iteration
 * whose increments have once grown may end at one of them. Such a root, farther from where the
 * last accelerations would lead than FAR times the motion h |v| + h^2 (|a| + |p v'|), is not taken
 * unless the damped iteration finds it as well. All in the metric W. run/far_roots.c looks at the
 * solution once more. */
#include "step/newton.h"

#include <math.h>
#include <string.h>

static const double STALL = 0.5; /* an iteration that leaves more of the error is no progress */
/* Factors that left no more of an increment than this are those of the next iterate, too: had A changed by
 * powers of ten, about as much of it would be left. */
static const double ALIKE = 1e-3;
static const double ENOUGH = 0.25; /* line search ends if |work| has fallen to this fraction */
static const double FAR = 8;       /* a root beyond so many motions must be found twice */
static const double SAME = 1e-6;   /* two roots are one if they differ by less of their distance */
enum { HALVINGS = 40 };

/* The state of the iteration from one guess. */
typedef struct {
  int iteration, made; /* increments, and matrices made, so far */
  bool reused;         /* it began with factors of an earlier step */
  bool damped;
  bool again;         /* after another guess failed: its factors may be of an iterate far away */
  bool stuck;         /* no fraction of the last increment made the residual smaller */
  double slowest;     /* the largest contraction of an increment that was not yet accepted */
  bool wandered;      /* an increment was more than twice the one before */
  double error;       /* of this iterate: size of its increment relative to what is allowed */
  double contraction; /* size of its increment relative to that of the one before; 0: the first */
  bool moved;         /* since the factors were made, x has changed by a part of itself, and the
                       * increment after that does not show that they are as good as before */
  bool accepted, rounded; /* rounded: by the rounding of q_1 and v_1 */
  bool doubtful;          /* the iterate would be accepted if the factors were fresh */
} course;

/* Set *w and allocate its arrays from arena; the caller checks arena->failed and initializes the
 * acceptance test. eq, factors and stats are borrowed. */
void ga_newton_init(ga_newton *w, ga_equations *eq, ga_factors *factors, const ga_options *options,
                    ga_stats *stats, ga_arena *arena) {
  *w = (ga_newton){.eq = eq, .factors = factors, .most = options->newton_max, .stats = stats};
  double **const of_n[] = {&w->x, &w->r, &w->dx, &w->x_from, &w->far_x};
  for (int i = 0; i < 5; i++) *of_n[i] = ga_arena_doubles(arena, (size_t)eq->n);
  w->terms = ga_arena_doubles(arena, (size_t)eq->nx);
}

/* The current iterate: points to w->x, w->r and w->terms. */
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

/* max_i |r_i| / level_i over the rows of this process, levels as in w->acceptance; *row: where it
 * is. INFINITY if r is not finite. */
static double own_scaled_residual(const ga_newton *w, int *row) {
  double largest = 0;
  *row = 0;
  for (int i = 0; i < w->eq->n; i++) {
    double size = fabs(w->r[i]) / w->acceptance.level[i];
    if (size <= largest) continue;
    *row = i;
    if (!isfinite(size)) return INFINITY;
    largest = size;
  }
  return largest;
}

/* max_i |r_i| / level_i over all processes; INFINITY if r is not finite. */
static double scaled_residual(const ga_newton *w) {
  int row;
  return ga_team_max(w->eq->eval->team, own_scaled_residual(w, &row));
}

/* Returns GA_RETRY_NEWTON with a message in eq->err: why, iterations, the row with the largest
 * residual. In a team collective; the message is that of a process which has that row. */
static ga_status fail_newton(ga_newton *w, const course *c, const char *why) {
  const ga_equations *eq = w->eq;
  const ga_iterate at = iterate_of(w);
  char name[160];
  int row;
  ga_acceptance_levels(&w->acceptance, &at);
  const double own = own_scaled_residual(w, &row), all = ga_team_max(eq->eval->team, own);
  ga_fail(eq->err, GA_RETRY_NEWTON,
          "t = %.9g, h = %.3g: %s (%d iteration%s, last contraction %.2g); "
          "residual %.3g, %.2g times what is allowed, in the %s; try a smaller step",
          eq->t, eq->h, why, c->iteration, c->iteration == 1 ? "" : "s", c->contraction, w->r[row],
          own, ga_equations_row_name(eq, row, name, sizeof name));
  return ga_team_tell(eq->eval->team, GA_RETRY_NEWTON, own == all, eq->err);
}

/* ---- one iteration -------------------------------------------------------------------------- */

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

/* w->x = x_from + fraction dx, and w->r, w->terms there. x_from must be set. */
static ga_status evaluate_fraction(ga_newton *w, double fraction) {
  memcpy(w->x, w->x_from, (size_t)w->eq->n * sizeof(double));
  add_increment(w->eq->n, fraction, w->dx, w->x);
  return evaluate_residual(w, false /* no matrix follows */);
}

/* x = x_from + fraction dx, x_from the present x, with fraction = 1 if that reduces the scaled
 * residual; else by bisection until little work is left, which finds roots in thin layers, as of
 * regularised friction. Sets r, terms and x_from. *stuck: no fraction reduces the residual, and x
 * is x_from. */
static ga_status damped_step(ga_newton *w, bool *stuck) {
  const ga_iterate from = iterate_of(w);
  ga_acceptance_levels(&w->acceptance, &from);
  const double before = scaled_residual(w), work_before = work_along_dx(w);
  double near = 0, far = 1, fraction = 1, best = 0, least = before;
  memcpy(w->x_from, w->x, (size_t)w->eq->n * sizeof(double));
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

/* w->dx = -A^-1 r at the present iterate, with fresh factors or the present ones; c->error
 * and c->contraction. From the second increment on, constraints within rounding are not changed. */
static ga_status find_increment(ga_newton *w, course *c, bool fresh) {
  ga_status status = GA_OK;
  if (fresh) {
    bool found = c->reused && c->made == 0;
    status = (found ? ga_factors_replace : ga_factors_renew)(w->factors, w->eq, w->x);
    c->made++;
    c->moved = false;
    ga_acceptance_renew(&w->acceptance, w->factors);
  }
  if (status != GA_OK) return status;
  for (int i = 0; i < w->eq->n; i++) w->dx[i] = -w->r[i];
  if (c->iteration > 0) ga_acceptance_skip_closed(&w->acceptance, w->r, w->dx);
  status = ga_factors_solve(w->factors, w->eq, w->dx);
  if (status != GA_OK) return status;
  c->error = ga_acceptance_error(&w->acceptance, w->dx, &c->contraction);
  if (c->iteration == 0) c->contraction = 0;
  if (c->error > 1) c->slowest = ga_max(c->slowest, c->contraction);
  if (c->iteration > 0 && c->contraction <= ALIKE) c->moved = false;
  c->wandered |= c->error > 1 && STALL * c->contraction > 1;
  return GA_OK;
}

/* Was the increment not halved, or are no iterations left? */
static bool has_stalled(const ga_newton *w, const course *c) {
  return !(c->contraction < STALL) || c->iteration >= w->most;
}

/* c->accepted: is the present iterate accepted by its increment w->dx? If the iteration has stalled,
 * rounding is considered, which may cost some residuals. c->doubtful: it would be, but the factors
 * are of a point too far away to tell. */
static ga_status judge_increment(ga_newton *w, course *c, bool fresh) {
  const ga_iterate at = iterate_of(w);
  c->doubtful = false;
  if (c->iteration == 0) return GA_OK;
  if (c->error <= 1 && ga_acceptance_is_balanced(&w->acceptance, &at)) {
    c->accepted = fresh || !c->moved;
    c->doubtful = !c->accepted;
    return GA_OK;
  }
  bool settled, elsewhere;
  ga_status status = ga_acceptance_is_settled(&w->acceptance, w->factors, &at, &settled);
  if (status != GA_OK || !(settled || has_stalled(w, c))) return status;
  if (!ga_acceptance_may_be_rounding(&w->acceptance, &at)) return GA_OK;
  c->doubtful = !(fresh || (settled && !c->moved));
  if (c->doubtful) return GA_OK;
  const long before = w->eq->evaluations;
  status = ga_acceptance_is_rounding(&w->acceptance, w->factors, &at, &c->accepted, &elsewhere);
  c->rounded = c->accepted;
  w->stats->residuals += w->eq->evaluations - before;
  return status == GA_OK && elsewhere ? evaluate_residual(w, false) : status;
}

/* x <- x + dx (c->damped: a fraction of dx), r and terms there. */
static ga_status take_increment(ga_newton *w, course *c) {
  w->stats->newton_its++;
  c->iteration++;
  ga_acceptance_take(&w->acceptance);
  if (c->damped) return damped_step(w, &c->stuck);
  add_increment(w->eq->n, 1, w->dx, w->x);
  return evaluate_residual(w, false);
}

/* ---- from one guess -------------------------------------------------------------------------- */

/* Newton's iteration from one guess (n numbers, may be w->x) until the iterate w->x is accepted. *c
 * begins zero but for damped and again, and tells how it went. GA_RETRY_NEWTON if it does not
 * converge or a damped step is stuck; w->x is then the last iterate. */
static ga_status solve_from(ga_newton *w, const double *guess, course *c) {
  const bool ahead = !c->again && ga_factors_are_ahead(w->factors, w->eq->h);
  bool fresh = c->again || !(ahead || ga_factors_keep(w->factors, w->eq->h));
  c->reused = !fresh && !ahead;
  c->made = ahead; /* of this step, though made before it */
  if (guess != w->x) memcpy(w->x, guess, (size_t)w->eq->n * sizeof(double));
  ga_status status = evaluate_residual(w, fresh);
  const ga_iterate at = iterate_of(w);
  if (status == GA_OK) status = ga_acceptance_begin(&w->acceptance, w->factors, &at);
  if (ahead) ga_acceptance_renew(&w->acceptance, w->factors);
  while (status == GA_OK) {
    status = find_increment(w, c, fresh);
    if (status == GA_OK) status = judge_increment(w, c, fresh);
    if (status != GA_OK || c->accepted) return status;
    if (!fresh && c->iteration > 0 &&
        (c->doubtful || ga_factors_spent(w->factors, c->contraction * c->error, c->contraction))) {
      fresh = true; /* and another increment at the same iterate */
      continue;
    }
    if (c->stuck) return fail_newton(w, c, "damped Newton iteration could not reduce the residual");
    if (c->iteration >= w->most) return fail_newton(w, c, "Newton iteration did not converge");
    status = take_increment(w, c);
    c->accepted = status == GA_OK && ga_acceptance_is_small(&w->acceptance, &at);
    if (c->accepted) return GA_OK;
    c->moved |= ga_acceptance_has_moved(&w->acceptance);
    fresh = c->damped;
  }
  return status;
}

/* ---- the way back ---------------------------------------------------------------------------- */

/* Largest sqrt(w) |w_q(x) - w_q(from)| over all velocities and processes, without eta: the distance
 * of the positions that two sets of accelerations lead to. from: at least nx numbers. */
static double distance_to(const ga_newton *w, const double *from) {
  const ga_equations *eq = w->eq;
  double apart = 0;
  for (int i = 0; i < eq->nv; i++) {
    double move = 0;
    for (int b = 0, k = i; b < eq->method->nx; b++, k += eq->nv) {
      move += eq->tab.p[b] * (w->x[k] - from[k]);
    }
    apart = ga_max(apart, eq->eval->root_metric[i] * fabs(move));
  }
  return eq->h * eq->h * ga_team_max(eq->eval->team, apart);
}

/* Largest sqrt(w) (h |v| + h^2 (|a| + |p w|) + eps |q|) over all velocities and processes: the
 * motion of a step. w, the second variable of the method (v'), is included since stiff components
 * vibrate with alternating v', of which a shows little. */
static double expected_motion(const ga_newton *w) {
  const ga_equations *eq = w->eq;
  const double h = eq->h, *size_q = w->acceptance.size_q;
  double largest = 0;
  for (int i = 0; i < eq->nv; i++) {
    double move = h * fabs(eq->v[i]) + h * h * (fabs(eq->a[i]) + fabs(eq->tab.p[0] * eq->w[i]));
    largest = ga_max(largest, eq->eval->root_metric[i] * (move + DBL_EPSILON * size_q[i]));
  }
  return ga_team_max(eq->eval->team, largest);
}

/* Is the root w->x far from the last state, and not yet found twice? last: the unknowns of the last
 * step; far: such a root was found before, in w->far_x. Only asked if an increment has grown once or
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
      w->misled = extrapolated && way > 0;
      w->slowest = c.slowest;
      w->stats->roundoff += c.rounded;
      ga_factors_learn(w->factors, before, c.made, c.reused);
      return GA_OK;
    }
    if (!recoverable(status)) return status;
  }
  return status;
}
