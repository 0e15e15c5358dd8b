/* SPDX-License-Identifier: MIT */
/* Modified Newton iteration on a step: A dx = -r, x <- x + dx.
 *
 * Stopping. With e_k the largest relative increment of accelerations and of multipliers and
 * theta = e_k/e_{k-1}, the error left after iteration k is about e_k theta/(1 - theta). The
 * iteration ends when that (or e_k itself) is below newton_tol. Accelerations cannot be better than
 * the rounding of g allows, about eps |q|/(beta h^2); when increments stop shrinking, the iterate
 * is accepted if every row of the residual is at its own rounding level, counted in stats.roundoff,
 * and refused otherwise.
 *
 * Matrix. The factors of an earlier step are used as long as the contraction is good; they are
 * renewed at the current iterate when theta exceeds SLOW, when h changes, and at the start of a
 * step if the last step contracted slower than REUSE. If old factors turn out slow inside a step,
 * trying them was a mistake: the next 1, 3, 7, .. PAUSE_MAX steps begin with fresh ones. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/step.h"

static const double SLOW = 0.1;   /* renew the matrix inside a step */
static const double REUSE = 0.02; /* take the old matrix into the next step */
static const double DIVERGED = 2; /* growth of the increments with a fresh matrix: give up */
static const double NOISE = 200;  /* rounding level, in units of eps times the size of the terms */
enum { PAUSE_MAX = 63 };

/* the course of one iteration */
typedef struct {
  int iteration;
  double e, e_last, theta, worst_theta;
  bool renewed;       /* the matrix was evaluated anew after the first iteration */
  int fresh_failures; /* iterations without contraction although the matrix was fresh */
} course;

static double ratio(double change, double size) {
  return change > 0 ? change / size : 0;
}

/* largest relative change of accelerations, of multipliers, and of eta in position units */
static double increment(const ga_step *s) {
  const ga_method *method = s->method;
  int nx = method->nx * s->nv;
  double size_x = fmax(ga_max_abs(nx, s->x), ga_max_abs(s->nv, s->a));
  double e = ratio(ga_max_abs(nx, s->dx), size_x);
  double size_mult = 0, change_mult = 0;
  for (int c = 0; c < method->ncon; c++) {
    int n = ga_step_mult_size(s, method->mult[c]);
    if (n == 0 || method->mult[c] == GA_BLOCK_ETA) continue;
    size_mult = fmax(size_mult, ga_max_abs(n, s->x + s->mult_at[c]));
    change_mult = fmax(change_mult, ga_max_abs(n, s->dx + s->mult_at[c]));
  }
  e = fmax(e, ratio(change_mult, size_mult));
  if (s->eta >= 0) {
    /* eta moves positions: against h^2 |x|, what the accelerations move them by */
    double change = 0;
    for (int i = 0; i < s->nv; i++) change = fmax(change, fabs(s->wq[i] - s->wq_last[i]));
    e = fmax(e, ratio(change, s->h * s->h * size_x));
  }
  return isnan(ga_max_abs(s->n, s->dx)) ? NAN : e;
}

/* rounding level of a constraint row of unit gradient */
static double row_noise(const ga_step *s, ga_con_kind kind) {
  double position = ga_max_abs(s->nq, s->q1) + ga_max_abs(s->nv, s->wq);
  double velocity = ga_max_abs(s->nv, s->v1) + s->h * ga_max_abs(s->nv, s->x);
  double h = s->h;
  return kind == GA_ROW_POS ? position / (h * h) : velocity / h;
}

/* Size of the terms of the force balance; a stiff spring between two points is the difference of
 * terms as large as stiffness times position, a damper likewise. */
static double force_terms(const ga_step *s) {
  double stiffness = 0, damping = 0;
  for (int j = 0; j < s->method->nx; j++) {
    stiffness = fmax(stiffness, ga_max_abs(ga_csr_nnz(&s->Kt[j]), s->Kt[j].val));
    damping = fmax(damping, ga_max_abs(ga_csr_nnz(&s->Ct[j]), s->Ct[j].val));
  }
  return s->force_size + stiffness * ga_max_abs(s->nq, s->q1) + damping * ga_max_abs(s->nv, s->v1);
}

/* every row of the residual within NOISE roundings of the terms it is the sum of */
static bool at_rounding_level(const ga_step *s) {
  const ga_method *method = s->method;
  double level = NOISE * DBL_EPSILON;
  /* G and H by differences carry their own, larger rounding into forces and velocities */
  double rough = fmax(level, 10 * ga_eval_jacobian_noise(s->eval));
  double force = level * force_terms(s) + rough * s->force_size;
  if (!(ga_max_abs(method->nx * s->nv, s->r) <= force)) return false;
  for (int c = 0; c < method->ncon; c++) {
    ga_con_kind kind = method->con[c];
    int n = ga_step_con_size(s, kind);
    const ga_csr *D = kind == GA_ROW_NONHOL ? &s->H : &s->G;
    double gradient = ga_max_abs(ga_csr_nnz(D), D->val);
    double residual = ga_max_abs(n, s->r + s->con_at[c]);
    double unit = kind == GA_ROW_VEL ? rough : level;
    if (!(residual <= unit * gradient * row_noise(s, kind))) return false;
  }
  return true;
}

/* the row that is worst against its own scale, for the message */
static int worst_row(const ga_step *s) {
  int worst = 0;
  double largest = -1;
  for (int i = 0; i < s->n; i++) {
    double size = i < s->method->nx * s->nv ? s->force_size : 1;
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
  ga_status status = s->ls.ops->solve(&s->ls, s->dx);
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
  return s->factored && s->factored_h == s->h && s->rate <= REUSE && s->pause == 0 &&
         (every == 0 || s->factored_age < every);
}

/* remember for the next steps how this one went; old: it began with factors of an earlier step */
static void learn(ga_step *s, const course *c, bool old) {
  s->rate = c->worst_theta;
  if (old && c->renewed) {
    s->pause = s->pause_next;
    s->pause_next = s->pause_next < PAUSE_MAX ? 2 * s->pause_next + 1 : PAUSE_MAX;
  } else if (old) {
    s->pause_next = 1;
  } else if (s->pause > 0) {
    s->pause--;
  }
}

typedef enum { GO_ON, RENEW, CONVERGED, ROUNDOFF, FAILED } verdict;

/* what the last increment means; fresh: the matrix was evaluated at the iterate before */
static verdict judge(ga_step *s, course *c, bool fresh) {
  double tol = s->options->newton_tol;
  if (!isfinite(c->e)) return FAILED;
  if (c->e <= tol) return CONVERGED;
  if (c->iteration == 1) return GO_ON;
  /* no longer contracting although every row is as small as rounding lets it be (r belongs to the
   * iterate before) */
  if (c->theta > 0.5 && at_rounding_level(s)) return ROUNDOFF;
  c->worst_theta = fmax(c->worst_theta, c->theta);
  if (c->theta < 0.5 && c->e * c->theta / (1 - c->theta) <= tol) return CONVERGED;
  if (c->theta < SLOW) return GO_ON;
  if (!fresh) return RENEW;
  if (c->theta >= 1) c->fresh_failures++;
  return c->theta >= DIVERGED && c->fresh_failures >= 2 ? FAILED : RENEW;
}

ga_status ga_newton(ga_step *s) {
  course c = {.theta = 0};
  bool old = matrix_usable(s), fresh = !old;
  ga_step_update(s);
  ga_status status = ga_step_residual(s);
  if (status == GA_OK && fresh) status = ga_step_matrix(s);
  while (status == GA_OK) {
    c.iteration++;
    status = iterate(s);
    if (status != GA_OK) break;
    c.e_last = c.e;
    c.e = increment(s);
    c.theta = c.iteration > 1 ? c.e / c.e_last : 0;
    verdict v = judge(s, &c, fresh);
    if (v == CONVERGED || v == ROUNDOFF) {
      learn(s, &c, old);
      s->stats->roundoff += v == ROUNDOFF;
      return GA_OK;
    }
    if (v == FAILED) return give_up(s, &c, "diverged");
    if (c.iteration >= s->options->newton_max) return give_up(s, &c, "did not converge");
    status = ga_step_residual(s);
    fresh = v == RENEW;
    c.renewed |= fresh;
    if (status == GA_OK && fresh) status = ga_step_matrix(s);
  }
  return status;
}
