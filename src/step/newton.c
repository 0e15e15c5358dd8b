/* SPDX-License-Identifier: MIT */
/* Modified Newton iteration on a step: A dx = -r, x <- x + dx.
 *
 * Stopping. With e_k the largest relative increment of accelerations and of multipliers and
 * theta = e_k/e_{k-1}, the error left after iteration k is about e_k theta/(1 - theta). When that
 * (or e_k itself, or e_k times ten times the fall of the residual by the last iteration, which
 * contracts as the increments do) is below newton_tol, the residual is evaluated at the new
 * iterate, every force balance must hold against its own terms, and the constraints as well:
 * increments formed with old factors may be small although a light or suddenly changed coordinate
 * has not moved yet. If it does not, the matrix is renewed and the iteration goes on.
 *
 * Accelerations cannot be better than the rounding of g allows, about eps |q|/(beta h^2). When
 * increments stop shrinking, the iterate is accepted, and counted in stats.roundoff, if every row
 * of the residual is at the rounding level of its own terms; or, as the size of terms inside a
 * callback is not known, if two iterations with fresh matrices did not help, forces balance, and
 * constraints hold to a level no discretization notices. Otherwise the step fails.
 *
 * Matrix. The factors of an earlier step are used as long as the contraction is good; they are
 * renewed at the current iterate when theta exceeds SLOW, when h changes, and at the start of a
 * step if the last step contracted slower than REUSE. If old factors had to be renewed inside a
 * step, or took more iterations than fresh ones by more than a matrix is worth, trying them was a
 * mistake: the next 1, 3, 7, .. PAUSE_MAX steps begin with fresh ones (1, 7, 31, .. if they had to
 * be renewed), until old ones save more than CLEAR iterations again. Where old factors need two
 * iterations and more, fresh ones are tried every PROBE steps: the guess may have become so good
 * that one is enough. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/rounding.h"

static const double MOVED = 0.1;      /* changes that make sizes measured before useless */
static const double SLOW = 0.1;       /* renew the matrix inside a step */
static const double REUSE = 0.02;     /* take the old matrix into the next step */
static const double DIVERGED = 2;     /* growth of the increments with a fresh matrix: give up */
static const double MARGIN = 0.1;     /* of newton_tol for an error that is only estimated */
static const double FALL_SAFETY = 10; /* residuals fall as increments do, but for this factor */
static const double CLEAN_FORCE = 16; /* roundings of a force balance no iteration can improve, */
static const double NEARLY = 0.005;   /* or part of newton_tol, if they have fallen, too */
/* An error that no rounding of the forces explains, and none of the constraints either. */
static const double HOPELESS = 1e-6, HOPELESS_AT_ALL = 1e-3;
/* By how much an error estimated from the fall must be below what rounding does; what is left of
 * the memory of that from step to step. */
static const double NOISE_SAFETY = 3, FORGET = 0.9;
static const double BALANCE = 1e3; /* force balance, in units of newton_tol times the terms */
static const double CLEAR = 0.25;  /* iterations saved that make old factors a success */
enum { PAUSE_MAX = 63, PROBE = 8, GAIN_STEPS = 64 };

/* the course of one iteration */
typedef struct {
  int iteration;
  double e, e_last, theta, theta_last, worst_theta;
  double size_x, size_mult; /* largest accelerations and multipliers met in this step, */
  double by_x, by_mult;     /* and how much the last iteration changed them */
  bool fresh, fresh_last;   /* the matrix belongs to the iterate the last increments started from */
  bool renewed;             /* the matrix was evaluated anew after the first iteration */
  bool small_last;          /* the increment before was below the tolerance, with a fresh matrix */
  int fresh_failures;       /* iterations without contraction although the matrix was fresh */
  double r[GA_MAX_CON + 1]; /* largest residuals: of the dynamic rows, of each kind of constraint */
} course;

static double ratio(double change, double size) {
  return change > 0 ? change / size : 0;
}

/* largest |x| and multipliers of the current iterate into the course */
static void measure(const ga_step *s, course *c) {
  c->size_x = ga_max(c->size_x, ga_max_abs(s->method->nx * s->nv, s->x));
  for (int k = 0; k < s->method->ncon; k++) {
    if (s->method->mult[k] == GA_BLOCK_ETA) continue;
    int n = ga_step_mult_size(s, s->method->mult[k]);
    c->size_mult = ga_max(c->size_mult, ga_max_abs(n, s->x + s->mult_at[k]));
  }
}

/* What multipliers are measured against: their size, or what the forces could make of them, if that
 * is more: a multiplier may be zero. The first large entry of a gradient tells that it is not. */
static double multiplier_scale(const ga_step *s, double size) {
  const ga_csr *const gradients[] = {&s->site->G, &s->site->H};
  double force = 1e-4 * s->force_size, largest = 0;
  for (int k = 0; k < 2; k++) {
    const ga_csr *D = gradients[k];
    for (int e = 0; e < ga_csr_nnz(D); e++) {
      largest = ga_max(largest, fabs(D->val[e]));
      if (largest * size >= force) return size;
    }
  }
  return largest > 0 ? force / largest : size;
}

/* Largest relative change dx of accelerations and multipliers; NaN if something is not finite. */
static double relative_change(const ga_step *s, course *c) {
  const ga_method *method = s->method;
  double by_x = ga_max_abs(method->nx * s->nv, s->dx), change = 0, all = by_x;
  for (int k = 0; k < method->ncon; k++) {
    double size = ga_max_abs(ga_step_mult_size(s, method->mult[k]), s->dx + s->mult_at[k]);
    all += size;
    if (method->mult[k] != GA_BLOCK_ETA) change = ga_max(change, size);
  }
  if (!isfinite(all)) return NAN;
  c->by_x = by_x, c->by_mult = change;
  if (by_x > MOVED * c->size_x || change > MOVED * c->size_mult) measure(s, c);
  double e = ratio(by_x, c->size_x);
  if (change <= s->options->newton_tol * c->size_mult) return e;
  return ga_max(e, ratio(change, multiplier_scale(s, c->size_mult)));
}

/* the same of the last iteration, and of eta in position units: against h^2 |x|, what the
 * accelerations move them by */
static double increment(const ga_step *s, course *c) {
  double e = relative_change(s, c), change = 0;
  if (s->eta < 0 || isnan(e)) return e;
  for (int i = 0; i < s->nv; i++) change = ga_max(change, fabs(s->wq[i] - s->wq_last[i]));
  return ga_max(e, ratio(change, s->h * s->h * c->size_x));
}

/* What a rounding of the constraints does to the unknowns: A dx = (0, r of the constraints); for
 * each part of the system that moves by itself the largest change of its accelerations, and the
 * largest of a multiplier, in units of what is left in the constraints. False if it cannot be told.
 */
static bool measure_gain(ga_step *s, double left) {
  course made = {0};
  memset(s->dx, 0, (size_t)s->nv * sizeof(double));
  memset(s->gain, 0, (size_t)s->ncomponent * sizeof(double));
  memcpy(s->dx + s->nv, s->r + s->nv, (size_t)(s->n - s->nv) * sizeof(double));
  if (ga_split_solve(s, s->dx) != GA_OK || isnan(relative_change(s, &made))) return false;
  for (int i = 0; i < s->nv; i++) {
    double *gain = &s->gain[s->component[i]];
    *gain = ga_max(*gain, fabs(s->dx[i]) / left);
  }
  s->gain_mult = made.by_mult / left;
  return true;
}

/* Whether the force balances leave well less than the rounding of the constraints does: by what the
 * last iteration changed and how far they fell, in accelerations and in multipliers, if all belongs
 * together; or row by row, r against the mass and what the rounding makes of the accelerations
 * around. Measured when it matters, it then serves for some steps in proportion to what is left. */
static bool below_noise(ga_step *s, const course *c, double fall, double left) {
  if (s->gain_age == 0) {
    if (!measure_gain(s, left)) return false;
    s->gain_age = GAIN_STEPS;
    s->left = 0;
  }
  left = s->left = ga_max(left, FORGET * s->left); /* by chance it is small now and then */
  double x = s->gain[0] * left, mult = s->gain_mult * left, part = fall * NOISE_SAFETY;
  if (s->ncomponent == 1 && c->by_x * part <= x && c->by_mult * part <= mult) return true;
  return ga_forces_below(s, left);
}

/* What the residual after an iteration tells, without another one. Residuals fall as increments do:
 * a group of rows that fell by f leaves an error of about e f, ten times that for safety. Every
 * group must have fallen enough, or be clean. Force balances may also be nearly clean, if they have
 * nearly fallen enough, or if the rounding of the constraints alone leaves more than newton_tol;
 * or, with a fresh matrix, what they leave is well below what that rounding does. Not asked where G
 * has the roundings of difference quotients, or where there are several x. */
static bool settled(ga_step *s, course *c, bool *rounding) {
  double tol = s->options->newton_tol, left = 0;
  bool all = s->method->nx == 1 && ga_eval_jacobian_noise(s->eval) <= DBL_EPSILON;
  *rounding = false;
  for (int k = s->method->ncon; k >= 0; k--) {
    double size = s->r_size[k], error = size > 0 ? c->e * size / c->r[k] : 0;
    c->r[k] = size;
    if (!all || error * FALL_SAFETY <= tol) continue;
    *rounding = true;
    if (k > 0) {
      all = ga_constraint_clean(s, k - 1, &left);
      continue;
    }
    bool nearly = error <= tol || left >= tol * c->size_x;
    double level = ga_max(CLEAN_FORCE * DBL_EPSILON, nearly ? NEARLY * tol : 0);
    all =
        (error <= HOPELESS && ga_forces_clean(s, level, c->size_x)) ||
        (c->fresh && error <= HOPELESS_AT_ALL && left > 0 && below_noise(s, c, error / c->e, left));
  }
  return all;
}

/* The other way to see rounding: fresh matrices twice did not help, and nothing is left to gain. */
static bool at_standstill(const ga_step *s, const course *c) {
  if (!c->fresh || !c->fresh_last || c->theta * c->theta_last < 0.5) return false;
  double change = 0;
  for (int i = 0; i < s->nv; i++) change = ga_max(change, fabs(s->wq[i] - s->wq_last[i]));
  return change <= 10 * GA_UNSEEN * (1 + ga_max_abs(s->nq, s->site->q)) &&
         ga_balanced(s, BALANCE * s->options->newton_tol) && ga_constraints_unseen(s);
}

/* the row that is worst against its own scale, for the message */
static int worst_row(const ga_step *s) {
  int worst = 0;
  double largest = -1;
  for (int i = 0; i < s->n; i++) {
    double size = i < s->method->nx * s->nv ? s->row_size[i] : 1;
    double value = fabs(s->r[i]) / (size > 0 ? size : 1);
    if (!(value <= largest)) {
      largest = value;
      worst = i;
    }
  }
  return worst;
}

static ga_status give_up(ga_step *s, const course *c, const char *why) {
  char name[160];
  int row = worst_row(s);
  return ga_fail(s->err, GA_RETRY_NEWTON,
                 "t = %.9g, h = %.3g: Newton %s after %d iterations (last relative increment %.2g, "
                 "factor %.2g); largest residual %.3g in the %s; try a smaller step",
                 s->t, s->h, why, c->iteration, c->e, c->theta, s->r[row],
                 ga_step_row_name(s, row, name, sizeof name));
}

/* dx = -A^-1 r, x += dx, new site */
static ga_status iterate(ga_step *s) {
  for (int i = 0; i < s->n; i++) s->dx[i] = -s->r[i];
  ga_status status = ga_split_solve(s, s->dx);
  if (status != GA_OK) {
    return ga_fail(s->err, status < 0 ? status : GA_ERR_BACKEND,
                   "t = %.9g: linear solver failed to solve", s->t);
  }
  s->stats->newton_its++;
  ga_axpy(s->n, 1, s->dx, s->x);
  ga_step_update(s);
  return GA_OK;
}

/* is the old matrix good enough to begin with? */
static bool matrix_usable(const ga_step *s) {
  int every = s->options->matrix_every;
  return s->factored && fabs(s->h / s->factored_h - 1) <= 1e-4 && s->rate <= REUSE &&
         s->pause == 0 && (every == 0 || s->factored_age < every) &&
         (s->last_its < 2 || s->factored_age < PROBE);
}

/* How many iterations a matrix is worth. Besides factor or solve, its assembly costs about as much
 * as 1.5 solves, and an iteration's residual as 2.5. */
static double worth(const ga_step *s) {
  double factor = s->ls.factor_cost > 0 ? s->ls.factor_cost : 3;
  return (factor + 1.5) / 3.5;
}

/* remember for the next steps how this one went; old: it began with factors of an earlier step */
static void learn(ga_step *s, const course *c, bool old) {
  double gain = worth(s) - (c->iteration - s->fresh_its);
  bool slow = c->renewed || gain < 0;
  s->rate = c->worst_theta;
  s->last_its = c->iteration;
  if (s->gain_age > 0) s->gain_age--;
  if (!old) s->fresh_its = c->iteration;
  if (old && slow) {
    s->pause = s->pause_next;
    s->pause_next = 2 * s->pause_next + 1;
    if (c->renewed) s->pause_next = 2 * s->pause_next + 1;
    if (s->pause_next > PAUSE_MAX) s->pause_next = PAUSE_MAX;
  } else if (old && gain > CLEAR) {
    s->pause_next = 1;
  } else if (s->pause > 0) {
    s->pause--;
  }
}

typedef enum { GO_ON, RENEW, CANDIDATE, ROUNDOFF, FAILED } verdict;

/* what the last increment means */
static verdict judge(ga_step *s, course *c) {
  double tol = s->options->newton_tol;
  if (!isfinite(c->e)) return FAILED;
  if (c->e <= tol) return CANDIDATE;
  if (c->iteration == 1) return GO_ON;
  /* no longer contracting although every row is as small as rounding lets it be (r belongs to the
   * iterate before) */
  if (c->theta > 0.5 && (ga_at_rounding_level(s) || at_standstill(s, c))) return ROUNDOFF;
  c->worst_theta = ga_max(c->worst_theta, c->theta);
  if (c->theta < 0.5 && c->e * c->theta / (1 - c->theta) <= MARGIN * tol) return CANDIDATE;
  if (c->theta < SLOW) return GO_ON;
  if (!c->fresh) return RENEW;
  if (c->theta >= 1) c->fresh_failures++;
  return c->theta >= DIVERGED && c->fresh_failures >= 3 ? FAILED : RENEW;
}

/* A candidate must balance the forces and meet the constraints at the new iterate, where r is now;
 * increments that were negligible twice with fresh matrices cannot be improved. */
static bool confirmed(const ga_step *s, course *c) {
  bool small = c->fresh && c->e <= s->options->newton_tol;
  if (ga_balanced(s, BALANCE * s->options->newton_tol) && ga_constraints_unseen(s)) return true;
  bool twice = small && c->small_last;
  c->small_last = small;
  return twice;
}

static ga_status solve_from_guess(ga_step *s) {
  bool old = matrix_usable(s);
  course c = {.fresh = !old, .size_x = ga_max_abs(s->nv, s->a)};
  measure(s, &c);
  ga_step_update(s);
  ga_status status = ga_step_residual(s, c.fresh);
  memcpy(c.r, s->r_size, sizeof c.r);
  if (status == GA_OK && c.fresh) status = ga_step_matrix(s);
  while (status == GA_OK) {
    c.iteration++;
    status = iterate(s);
    if (status != GA_OK) break;
    c.e_last = c.e;
    c.theta_last = c.theta;
    c.e = increment(s, &c);
    c.theta = c.iteration > 1 ? c.e / c.e_last : 0;
    verdict v = judge(s, &c);
    if (v == FAILED) return give_up(s, &c, "diverged");
    status = ga_step_residual(s, v == RENEW);
    if (status != GA_OK) break;
    bool rounding;
    if (settled(s, &c, &rounding) && v != CANDIDATE) v = rounding ? ROUNDOFF : CANDIDATE;
    if (v == ROUNDOFF || (v == CANDIDATE && confirmed(s, &c))) {
      learn(s, &c, old);
      s->stats->roundoff += v == ROUNDOFF;
      return GA_OK;
    }
    if (c.iteration >= s->options->newton_max) return give_up(s, &c, "did not converge");
    c.fresh_last = c.fresh;
    c.fresh = v == RENEW || v == CANDIDATE;
    c.renewed |= c.fresh;
    /* a fresh matrix did not help: the next ones of this step are not factored in parts */
    if (c.fresh && c.fresh_last && s->split.pause == 0) s->split.pause = 1;
    if (c.fresh) status = ga_step_matrix(s);
  }
  return status;
}

/* An extrapolated guess may lead astray where the last steps followed another branch or were too
 * large: once more from the unknowns of the last step. */
ga_status ga_newton(ga_step *s) {
  ga_status status = solve_from_guess(s);
  if (status != GA_RETRY_NEWTON || s->past.order == 0) return status;
  ga_predictor_forget(&s->past);
  ga_predict(&s->past, s->t, s->t1, s->x);
  s->factored = false;
  return solve_from_guess(s);
}
