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
 * mistake: the next 1, 3, 7, .. PAUSE_MAX steps begin with fresh ones, until old ones save more
 * than CLEAR iterations again. Where old factors need two iterations and more, fresh ones are tried
 * every PROBE steps: the guess may have become so good that one is enough. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/step.h"

static const double MOVED = 0.1;  /* changes that make sizes measured before useless */
static const double SLOW = 0.1;   /* renew the matrix inside a step */
static const double REUSE = 0.02; /* take the old matrix into the next step */
static const double DIVERGED = 2; /* growth of the increments with a fresh matrix: give up */
static const double NOISE = 200;  /* rounding level, in units of eps times the size of the terms */
static const double MARGIN = 0.1; /* of newton_tol for an error that is only estimated */
static const double FALL_SAFETY = 10; /* residuals fall as increments do, but for this factor */
static const double CLEAN = 4; /* what no iteration can improve, in the same units: constraints, */
static const double CLEAN_FORCE = 16; /* force balances */
static const double HOPELESS = 1e-6;  /* an error that no rounding of forces explains */
static const double NEARLY = 0.005; /* the same in units of newton_tol, if they have fallen, too */
static const double PART = 0.2; /* of what the rounding of the constraints makes of accelerations */
static const double PART_SQUARED = 0.25; /* of the sum of squares of that */
static const double BALANCE = 1e3;       /* force balance, in units of newton_tol times the terms */
static const double UNSEEN = 1e-11;      /* constraint residual nobody notices, against 1 + |q| */
static const double CLEAR = 0.25;        /* iterations saved that make old factors a success */
enum { PAUSE_MAX = 63, PROBE = 8 };

/* the course of one iteration */
typedef struct {
  int iteration;
  double e, e_last, theta, theta_last, worst_theta;
  double size_x, size_mult; /* largest accelerations and multipliers met in this step */
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

/* Largest relative change of accelerations, of multipliers, and of eta in position units; NaN if
 * something is not finite. */
static double increment(const ga_step *s, course *c) {
  const ga_method *method = s->method;
  double by_x = ga_max_abs(method->nx * s->nv, s->dx), change = 0, all = by_x;
  for (int k = 0; k < method->ncon; k++) {
    double size = ga_max_abs(ga_step_mult_size(s, method->mult[k]), s->dx + s->mult_at[k]);
    all += size;
    if (method->mult[k] != GA_BLOCK_ETA) change = ga_max(change, size);
  }
  if (!isfinite(all)) return NAN;
  if (by_x > MOVED * c->size_x || change > MOVED * c->size_mult) measure(s, c);
  double e = ratio(by_x, c->size_x);
  if (change > s->options->newton_tol * c->size_mult) {
    e = ga_max(e, ratio(change, multiplier_scale(s, c->size_mult)));
  }
  if (s->eta >= 0) {
    /* eta moves positions: against h^2 |x|, what the accelerations move them by */
    change = 0;
    for (int i = 0; i < s->nv; i++) change = ga_max(change, fabs(s->wq[i] - s->wq_last[i]));
    e = ga_max(e, ratio(change, s->h * s->h * c->size_x));
  }
  return e;
}

static double row_sum(const ga_csr *A, int i) {
  double sum = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) sum += fabs(A->val[e]);
  return sum;
}

/* What the reactions contribute to each velocity's row: gradient times multiplier of each
 * constraint that acts there at all. An entry of G is rounded against the largest of its row. */
static void reaction_sizes(const ga_step *s, double *sum) {
  const ga_method *method = s->method;
  memset(sum, 0, (size_t)s->nv * sizeof(double));
  for (int c = 0; c < method->ncon; c++) {
    if (method->mult[c] == GA_BLOCK_ETA) continue;
    const ga_csr *D = method->mult[c] == GA_BLOCK_PSI ? &s->site->H : &s->site->G;
    for (int k = 0; k < D->nrow; k++) {
      double gradient = 0;
      for (int e = D->ptr[k]; e < D->ptr[k + 1]; e++) {
        double entry = fabs(D->val[e]);
        gradient = entry > gradient ? entry : gradient;
      }
      double size = gradient * fabs(s->x[s->mult_at[c] + k]);
      for (int e = D->ptr[k]; e < D->ptr[k + 1]; e++) sum[D->col[e]] += D->val[e] != 0 ? size : 0;
    }
  }
}

/* what the rounding of a row depends on besides the row; measured once, when a row asks for it */
typedef struct {
  double Q, V, size_x; /* largest position, velocity, acceleration */
  double rough;        /* relative rounding of G and H */
} noise;

static void measure_noise(const ga_step *s, noise *n) {
  n->Q = ga_max_abs(s->nq, s->site->q);
  n->V = ga_max_abs(s->nv, s->site->v);
  n->size_x = ga_max_abs(s->method->nx * s->nv, s->x);
  n->rough = ga_max(NOISE * DBL_EPSILON, 10 * ga_eval_jacobian_noise(s->eval));
  reaction_sizes(s, s->reaction_size);
}

static double diagonal_mass(const ga_step *s, const ga_site *site, int i) {
  int place = s->mass_diagonal[i];
  return place >= 0 ? fabs(site->M.val[place]) : 0;
}

/* Rounding of a force balance: a stiff spring between two points is the difference of terms as
 * large as stiffness times position, a damper likewise; G by differences has its own, larger
 * rounding. */
static bool at_row_noise(const ga_step *s, int i, const noise *n) {
  int j = i / s->nv, row = i % s->nv;
  double mass = diagonal_mass(s, &s->site[s->method->dyn[j].site], row);
  double terms = s->row_size[i] + row_sum(&s->Kt[j], row) * n->Q + row_sum(&s->Ct[j], row) * n->V;
  double level = NOISE * DBL_EPSILON * (terms + mass * n->size_x);
  return fabs(s->r[i]) <= level + n->rough * s->reaction_size[row];
}

/* Every force balance within `part` of its own terms, or within rounding. */
static bool balanced(const ga_step *s, double part) {
  noise n;
  bool measured = false;
  for (int i = 0; i < s->method->nx * s->nv; i++) {
    if (fabs(s->r[i]) <= part * s->row_size[i]) continue;
    if (!measured) measure_noise(s, &n);
    measured = true;
    if (!at_row_noise(s, i, &n)) return false;
  }
  return true;
}

/* Every constraint row below `level` times what its gradient makes of positions of size Q and
 * velocities of size V. */
static bool constraints_below(const ga_step *s, double level, double Q, double V) {
  const ga_method *method = s->method;
  for (int c = 0; c < method->ncon; c++) {
    ga_con_kind kind = method->con[c];
    const ga_csr *D = kind == GA_ROW_NONHOL ? &s->site->H : &s->site->G;
    double scale = kind == GA_ROW_POS ? Q / (s->h * s->h) : V / s->h;
    double part = level;
    if (kind == GA_ROW_ACC) {
      scale = Q + ga_max_abs(s->method->nx * s->nv, s->x) + V * V;
      part = ga_max(level, 20 * ga_eval_drift_noise(s->eval));
    }
    for (int i = 0; i < ga_step_con_size(s, kind); i++) {
      if (!(fabs(s->r[s->con_at[c] + i]) <= part * scale * row_sum(D, i))) return false;
    }
  }
  return true;
}

/* every row of the residual within NOISE roundings of the terms it is the sum of; G and H by
 * differences carry their own, larger rounding into forces and velocities */
static bool at_rounding_level(const ga_step *s) {
  double level = NOISE * DBL_EPSILON;
  double rough = ga_max(level, 10 * ga_eval_jacobian_noise(s->eval));
  double Q = ga_max_abs(s->nq, s->site->q) + ga_max_abs(s->nv, s->wq);
  double V = ga_max_abs(s->nv, s->site->v) + s->h * ga_max_abs(s->nv, s->x);
  return balanced(s, rough) && constraints_below(s, level, Q, V * rough / level);
}

/* size of the terms of a row: sum_j |A_ij|, and that times the largest |x_j| that it meets */
static double row_terms(const ga_csr *A, int i, const double *x, double *row) {
  double sum = 0, largest = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    double size = fabs(x[A->col[e]]);
    sum += fabs(A->val[e]);
    largest = size > largest ? size : largest;
  }
  if (row) *row = sum;
  return sum * largest;
}

/* What the rounding of the constraints leaves, in units of accelerations: the largest row, and the
 * sum of squares of all. */
typedef struct {
  double most, squares;
} leftover;

/* Nothing left to gain in constraint rows c: each is as small as the rounding of q or v makes it,
 * CLEAN roundings of its own terms, or a part of what those of others are, which move all
 * accelerations and multipliers. Unlike NOISE this is no excuse for a row that stays large: one
 * more iteration would only exchange one rounding for another, whatever the matrix. */
static bool constraint_clean(const ga_step *s, int c, leftover *left) {
  const ga_site *at = s->site;
  ga_con_kind kind = s->method->con[c];
  if (kind == GA_ROW_ACC) return false;
  const ga_csr *D = kind == GA_ROW_NONHOL ? &at->H : &at->G;
  const double *r = s->r + s->con_at[c], *size = at->v;
  double level = CLEAN * DBL_EPSILON / s->h, row, over = 0;
  if (kind == GA_ROW_POS) {
    ga_space_size(s->eval->model->space, at->q, s->size_q);
    size = s->size_q;
    level /= s->h;
  }
  for (int i = 0; i < D->nrow; i++) {
    bool clean = fabs(r[i]) <= level * row_terms(D, i, size, &row);
    double part = ratio(fabs(r[i]), row);
    if (!clean) {
      over = ga_max(over, part);
      continue;
    }
    left->most = ga_max(left->most, part);
    left->squares += part * part;
  }
  return over <= PART * left->most;
}

/* The same of the force balances, whose roundings are not divided by h: up to `level` of the terms
 * may be left, or of what the mass makes of the accelerations around (and not more than of the
 * largest force: multipliers). */
static bool force_clean(const ga_step *s, int i, double level, double size_x) {
  double r = fabs(s->r[i]), mass = diagonal_mass(s, s->site, i);
  return r <= level * s->row_size[i] || r <= level * fmin(mass * size_x, s->force_size);
}

/* The other rows together: a residual r moves accelerations and multipliers as the residual
 * G M^-1 r of the constraints does; it may be a part of what the rounding of these is. */
static bool forces_below(const ga_step *s, double level, double size_x, double squares) {
  double sum = 0;
  for (int i = 0; i < s->nv; i++) {
    if (force_clean(s, i, level, size_x)) continue;
    double part = s->r[i] / diagonal_mass(s, s->site, i);
    sum += part * part;
    if (!(sum <= PART_SQUARED * squares)) return false;
  }
  return true;
}

/* or each against all of its terms */
static bool forces_clean(const ga_step *s, double level, double size_x) {
  const ga_site *at = s->site;
  bool measured = false;
  for (int i = 0; i < s->nv; i++) {
    if (force_clean(s, i, level, size_x)) continue;
    if (!measured) {
      ga_space_size(s->eval->model->space, at->q, s->size_q);
      reaction_sizes(s, s->reaction_size);
      measured = true;
    }
    double terms = s->row_size[i] + s->reaction_size[i] + row_terms(&s->Kt[0], i, s->size_q, NULL) +
                   row_terms(&s->Ct[0], i, at->v, NULL);
    if (!(fabs(s->r[i]) <= level * terms)) return false;
  }
  return true;
}

/* What the residual after an iteration tells, without another one. Residuals fall as increments do:
 * a group of rows that fell by f leaves an error of about e f, ten times that for safety. Every
 * group must have fallen enough, or be clean. Force balances may also be nearly clean, if they have
 * nearly fallen enough, or if the rounding of the constraints alone leaves more than newton_tol.
 * Not asked where G has the roundings of difference quotients, or where there are several x. */
static bool settled(const ga_step *s, course *c, bool *rounding) {
  double tol = s->options->newton_tol;
  leftover left = {0, 0};
  bool all = s->method->nx == 1 && ga_eval_jacobian_noise(s->eval) <= DBL_EPSILON;
  *rounding = false;
  for (int k = s->method->ncon; k >= 0; k--) {
    double size = s->r_size[k], error = size > 0 ? c->e * size / c->r[k] : 0;
    c->r[k] = size;
    if (!all || error * FALL_SAFETY <= tol) continue;
    *rounding = true;
    if (k > 0) {
      all = constraint_clean(s, k - 1, &left);
      continue;
    }
    bool nearly = error <= tol || left.most >= tol * c->size_x;
    double level = ga_max(CLEAN_FORCE * DBL_EPSILON, nearly ? NEARLY * tol : 0);
    all = forces_below(s, level, c->size_x, left.squares) ||
          (error <= HOPELESS && forces_clean(s, level, c->size_x));
  }
  return all;
}

/* Constraints hold to a level that no discretization notices. */
static bool constraints_unseen(const ga_step *s) {
  if (constraints_below(s, UNSEEN, 1, 1 / s->h)) return true;
  double Q = 1 + ga_max_abs(s->nq, s->site->q), V = ga_max_abs(s->nv, s->site->v) + Q / s->h;
  return constraints_below(s, UNSEEN, Q, V);
}

/* The other way to see rounding: fresh matrices twice did not help, and nothing is left to gain. */
static bool at_standstill(const ga_step *s, const course *c) {
  if (!c->fresh || !c->fresh_last || c->theta * c->theta_last < 0.5) return false;
  double change = 0;
  for (int i = 0; i < s->nv; i++) change = ga_max(change, fabs(s->wq[i] - s->wq_last[i]));
  return change <= 10 * UNSEEN * (1 + ga_max_abs(s->nq, s->site->q)) &&
         balanced(s, BALANCE * s->options->newton_tol) && constraints_unseen(s);
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
  if (!old) s->fresh_its = c->iteration;
  if (old && slow) {
    s->pause = s->pause_next;
    s->pause_next = s->pause_next < PAUSE_MAX ? 2 * s->pause_next + 1 : PAUSE_MAX;
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
  if (c->theta > 0.5 && (at_rounding_level(s) || at_standstill(s, c))) return ROUNDOFF;
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
  if (balanced(s, BALANCE * s->options->newton_tol) && constraints_unseen(s)) return true;
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
