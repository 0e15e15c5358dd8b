/* SPDX-License-Identifier: MIT */
/* Assembly: the consistent configuration and velocity nearest to those given.
 *
 * Positions. Sought is d with g(t, q o exp(d)) = 0 and d^T W d least. With G, g at q o exp(d),
 * A = G T(d) (T of ga_space.h) and e >= 0,
 *
 *     [ W   A^T  ] [ x  ]   [ b ]     reach:    b = 0,     d <- d + alpha x
 *     [ A  -e D  ] [ mu ] = [ -g ]    approach: b = -W d,  d <- d + alpha x, then reach
 *
 * "Reach" satisfies the constraints. Its step is that of Levenberg and Marquardt for |g|^2 in the
 * norms of D and W, with a parameter e of the size of |g|^2. This keeps quadratic convergence, also
 * for redundant rows (Yamashita, Fukushima 2001). alpha < 1 if the step would move a velocity
 * coordinate by more than a fraction of its unit, or if |g| does not decrease. "Approach" goes
 * along the constraints to the nearest point, where W d + A^T mu = 0.
 *
 * Velocities. The same with the rows G v + g_t and k, which need one step if k is linear in v. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lie/lie.h"
#include "statics/statics.h"

enum { REACH_STEPS = 300, APPROACH_STEPS = 40, VELOCITY_STEPS = 40 }; /* most steps of each */
enum { ROWS_REPORTED = 4 };                            /* most rows named in a message */
static const double BOUND = 0.1;                       /* largest step, in units */
static const double E_LEAST = 1e-13, E_LARGEST = 1e-2; /* bounds of e */
static const double CLOSED = 1e-9;                     /* largest violation of a closed row */
static const double ROUNDING = 2 * DBL_EPSILON;        /* violation that no step can reduce */

/* The letters are those of the head of this file. */
typedef struct assembling {
  ga_static_system s; /* the matrix above: W, G (holds A), H, D, right-hand side */
  ga_assembly *a;     /* the caller's settings and results */
  double t;
  const double *q0, *v;           /* q0: the given configuration, borrowed; v: not used */
  double *d;                      /* nv: the change, or the velocity */
  double *d_try, *d_kept, *d_way; /* nv: on trial, before the step, direction of the step */
  double *q;                      /* q0 o exp(d) */
  double *g;                      /* nlam + npsi: residuals of the rows */
  double *unit;                   /* nv: size of a large change of each velocity */
  double *reach;                  /* of each row: sum of |A_ij| unit_j, held columns included */
  double merit;                   /* sum of g_i^2 / D_i */
  double size;                    /* sum of W_i unit_i^2: the merit of a large step */
  double damping;                 /* factor of e */
  double pace;                    /* fraction of an approach step that was accepted last */
} assembling;

/* Opens p->s and sets all members of p (zeroed by the caller) except v, merit and pace: W of p->s,
 * unit, size and damping; d, the trial arrays, g and reach are zero, p->q is a copy of q. q, a and
 * err are borrowed as long as p lives. The caller closes p->s, also on failure. */
static ga_status open_assembly(assembling *p, const ga_model *model, double t, const double *q,
                               ga_assembly *a, ga_error *err) {
  ga_status status = ga_static_system_open(&p->s, model, /* K and M: */ false, err);
  if (status != GA_OK) return status;
  ga_static_system *s = &p->s;
  ga_arena *arena = &s->arena;
  p->a = a;
  p->t = t;
  p->q0 = q;
  p->damping = 1;
  p->d = ga_arena_doubles(arena, (size_t)s->nv);
  p->d_try = ga_arena_doubles(arena, (size_t)s->nv);
  p->d_kept = ga_arena_doubles(arena, (size_t)s->nv);
  p->d_way = ga_arena_doubles(arena, (size_t)s->nv);
  p->q = ga_arena_doubles(arena, (size_t)s->eval.nq);
  p->g = ga_arena_doubles(arena, (size_t)s->nlam + (size_t)s->npsi);
  p->unit = ga_arena_doubles(arena, (size_t)s->nv);
  p->reach = ga_arena_doubles(arena, (size_t)s->nlam + (size_t)s->npsi);
  if (arena->failed) return ga_fail(err, GA_ERR_MEM, "no memory to assemble");
  memcpy(p->q, q, (size_t)s->eval.nq * sizeof(double));
  ga_static_system_units(model, q, a->unit, p->unit);
  status = ga_static_system_set_weights(s, t, q, a->weight);
  for (int i = 0; i < s->nv; i++) p->size += s->W.val[i] * p->unit[i] * p->unit[i];
  return status;
}

/* p->reach = change of each row of G, then of H, caused by one unit of all velocities, at least that of
 * the model's row_reach. Needs G, H
 * and unit; must precede ga_static_system_hold, which sets columns to zero. */
static void set_reach(assembling *p) {
  const ga_static_system *s = &p->s;
  for (int i = 0; i < s->nlam; i++) p->reach[i] = ga_static_system_reach(&s->G, i, p->unit);
  for (int i = 0; i < s->npsi; i++)
    p->reach[s->nlam + i] = ga_static_system_reach(&s->H, i, p->unit);
  if (!s->eval.model->row_reach) return;
  double most = 0; /* one unit of the velocities in the metric */
  for (int j = 0; j < s->nv; j++) {
    if (isfinite(p->unit[j])) most = fmax(most, p->unit[j] * s->eval.root_metric[j]);
  }
  for (int i = 0; i < s->nlam + s->npsi; i++) {
    p->reach[i] = fmax(p->reach[i], most * s->eval.model->row_reach[i]);
  }
}

/* ---- violated rows -------------------------------------------------------------------------- */

/* |g_i|/reach_i of row i */
static double violation_of(const assembling *p, int i) {
  return p->g[i] == 0 ? 0 : fabs(p->g[i]) / p->reach[i];
}

/* Sets the results in p->a from p->g and p->reach, the first `rows` of each: openness = largest
 * |g_i|/reach_i, worst = its row (-1 without rows), and a copy of the residuals in `open` unless
 * that is NULL. */
static void measure_violation(assembling *p, int rows) {
  ga_assembly *a = p->a;
  a->worst = -1;
  a->openness = 0;
  for (int i = 0; i < rows; i++) {
    const double open = violation_of(p, i);
    if (a->worst < 0 || open > a->openness) a->worst = i, a->openness = open;
  }
  if (a->open) memcpy(a->open, p->g, (size_t)rows * sizeof(double));
}

/* Sets the error to GA_ERR_INITIAL, which is returned, with the names of the most violated of the
 * first `rows` rows, relative to their reach: at most ROWS_REPORTED, none below 1e-3 of the worst. what: "configuration" or
 * "velocity". */
static ga_status report_violated(assembling *p, int rows, const char *what) {
  const ga_static_system *s = &p->s;
  const ga_model *model = s->model;
  char text[360] = "";
  size_t used = 0;
  double last = INFINITY;
  for (int k = 0; k < ROWS_REPORTED; k++) {
    int worst = -1;
    for (int i = 0; i < rows; i++) {
      const double x = violation_of(p, i);
      if (x < last && (worst < 0 || x > violation_of(p, worst))) worst = i;
    }
    if (worst < 0 || violation_of(p, worst) < 1e-3 * p->a->openness) break;
    char name[96];
    const bool holonomic = worst < s->nlam;
    ga_eval_entry_name(name, sizeof name, holonomic ? "g" : "k",
                       holonomic ? worst : worst - s->nlam,
                       holonomic ? model->lam_names : model->psi_names);
    const int n = snprintf(text + used, sizeof text - used, "%s%.80s by %.3g", k ? ", " : "", name,
                           fabs(p->g[worst]));
    if (n < 0 || (size_t)n >= sizeof text - used) break;
    used += (size_t)n;
    last = violation_of(p, worst);
  }
  return ga_fail(s->eval.err, GA_ERR_INITIAL,
                 "t = %.9g: the constraints contradict each other, or the start is too far from "
                 "satisfying them: the nearest %s leaves open %s",
                 p->t, what, text);
}

/* ---- positions ------------------------------------------------------------------------------ */

/* sum of g_i^2/D_i over the holonomic rows */
static double merit_of(const assembling *p) {
  double sum = 0;
  for (int i = 0; i < p->s.nlam; i++) sum += p->g[i] * p->g[i] / p->s.D.val[i];
  return sum;
}

/* Sets p->q = q0 o exp(d), g and the merit there; the merit is infinite where g cannot be
 * evaluated. Status > 0: the model asks for another point; < 0: an error. */
static ga_status evaluate_residual(assembling *p, const double *d) {
  ga_space_step(p->s.model->space, p->q0, d, p->q);
  const ga_status status = ga_eval_g(&p->s.eval, p->t, p->q, p->g);
  p->merit = status == GA_OK ? merit_of(p) : INFINITY;
  return status;
}

/* Sets the rows A = G T(d), kept in s->G, at q0 o exp(d) (p->q must be that), and p->reach; the
 * columns of held velocities are zero afterwards. */
static ga_status evaluate_rows(assembling *p, const double *d) {
  ga_static_system *s = &p->s;
  const ga_space *space = s->model->space;
  const ga_status status = ga_eval_G(&s->eval, p->t, p->q, &s->G);
  if (status != GA_OK) return status;
  if (!space->commutative) {
    ga_space_tangent_rows(space, d, s->T);
    ga_space_apply_tangent(space, s->T, &s->G);
  }
  set_reach(p);
  ga_static_system_hold(s, p->a->hold);
  return GA_OK;
}

/* Factors the matrix with e and solves for b = -pull W d (pull = 0: reach, 1: approach), refined
 * for e_exact. s->rhs = (x, mu); *largest = the largest |x_i| in units. Needs p->d, g and the
 * rows; both outputs are valid only with GA_OK. */
static ga_status solve_direction(assembling *p, double pull, double e, double e_exact,
                                 double *largest) {
  ga_static_system *s = &p->s;
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  for (int i = 0; i < s->nv; i++) s->rhs[i] = -pull * s->W.val[i] * p->d[i];
  for (int i = 0; i < s->nlam; i++) s->rhs[s->nv + i] = -p->g[i];
  ga_status status = ga_static_system_factor(s, &(ga_static_system_weights){.w = 1, .e = e});
  if (status == GA_OK) status = ga_static_system_solve(s, e_exact);
  *largest = 0;
  for (int i = 0; i < s->nv; i++) *largest = fmax(*largest, fabs(s->rhs[i]) / p->unit[i]);
  return status;
}

/* One damped step towards the constraints: changes p->d, and sets q, g, merit and rows there and
 * the damping for the next step. *moved: its length in units; 0 if no step reduces the merit: then
 * d is as before and the rest is evaluated there again. Needs g, merit and rows at d. */
static ga_status reach_step(assembling *p, double *moved) {
  ga_static_system *s = &p->s;
  double e = fmin(E_LARGEST, p->damping * fmax(E_LEAST, p->merit / p->size)), largest;
  const double merit = p->merit;
  ga_status status = solve_direction(p, /* no pull: */ 0, e, e, &largest);
  *moved = 0;
  if (status != GA_OK) return status;
  double alpha = largest > BOUND ? BOUND / largest : 1;
  for (int tries = 0; tries < 12; tries++, alpha *= 0.5) {
    for (int i = 0; i < s->nv; i++) p->d_try[i] = p->d[i] + alpha * s->rhs[i];
    status = evaluate_residual(p, p->d_try);
    if (status < 0) return status;
    if (status != GA_OK || !(p->merit <= (1 - 1e-4 * alpha) * merit)) continue;
    p->damping = tries == 0 ? fmax(1e-3, 0.3 * p->damping) : fmin(1e6, 4 * p->damping);
    memcpy(p->d, p->d_try, (size_t)s->nv * sizeof(double));
    *moved = alpha * largest;
    return evaluate_rows(p, p->d);
  }
  status = evaluate_residual(p, p->d);
  return status == GA_OK ? evaluate_rows(p, p->d) : status;
}

/* Moves d to the constraints by damped steps, until the merit does not decrease any more; sets
 * p->q, g, merit, the rows and the results of p->a (openness, worst, open; iterations grows). GA_OK
 * does not mean that the rows are closed: the caller decides that by openness. */
static ga_status reach(assembling *p) {
  double merit_before = INFINITY;
  int slow = 0;
  ga_status status = evaluate_residual(p, p->d);
  if (status == GA_OK) status = evaluate_rows(p, p->d);
  for (int k = 0; k < REACH_STEPS && status == GA_OK; k++) {
    double moved;
    measure_violation(p, p->s.nlam);
    if (p->a->openness <= ROUNDING) break;
    status = reach_step(p, &moved);
    p->a->iterations++;
    if (moved == 0 && (p->a->openness <= CLOSED || p->damping >= 1e6)) break;
    if (moved == 0) p->damping = fmin(1e6, 100 * p->damping);
    slow = p->merit > 0.999 * merit_before ? slow + 1 : 0;
    if (slow > 12 || (moved > 0 && moved < DBL_EPSILON)) break;
    merit_before = p->merit;
  }
  if (status == GA_OK) measure_violation(p, p->s.nlam);
  return status;
}

/* d^T W d */
static double weighted_square(const assembling *p, const double *d) {
  double sum = 0;
  for (int i = 0; i < p->s.nv; i++) sum += p->s.W.val[i] * d[i] * d[i];
  return sum;
}

/* One step along the constraints. x is the direction of descent of d^T W d that the constraints
 * allow. Taken is the largest alpha of a, a/2, a/4, .. (8 tries; a = pace, less if x is longer than
 * BOUND) for which reaching from d + alpha x gives closed rows and a d that is not longer. Changes
 * d, pace and all that reach sets. *moved: alpha x in units; 0: no alpha fits, d is as before up
 * to a repeated reach. */
static ga_status approach_step(assembling *p, double *moved) {
  const int nv = p->s.nv;
  const double before = weighted_square(p, p->d);
  double largest, *x = p->d_way;
  ga_status status = solve_direction(p, 1, 1e-11, 0, &largest);
  *moved = 0;
  if (status != GA_OK) return status;
  memcpy(x, p->s.rhs, (size_t)nv * sizeof(double));
  memcpy(p->d_kept, p->d, (size_t)nv * sizeof(double));
  double alpha = p->pace * (largest > BOUND ? BOUND / largest : 1);
  for (int tries = 0; tries < 8; tries++, alpha *= 0.5) {
    for (int i = 0; i < nv; i++) p->d[i] = p->d_kept[i] + alpha * x[i];
    status = reach(p);
    if (status < 0) return status;
    if (status != GA_OK || p->a->openness > CLOSED || weighted_square(p, p->d) > before) continue;
    p->pace = tries == 0 ? p->pace : 0.7 * alpha;
    *moved = alpha * largest;
    return GA_OK;
  }
  memcpy(p->d, p->d_kept, (size_t)nv * sizeof(double));
  return reach(p);
}

/* Moves d along the constraints to the least d^T W d, in at most APPROACH_STEPS steps. Needs closed
 * rows at d; sets what reach sets. */
static ga_status approach(assembling *p) {
  p->pace = 1;
  for (int k = 0; k < APPROACH_STEPS; k++) {
    double moved;
    const ga_status status = approach_step(p, &moved);
    if (status != GA_OK) return status;
    if (moved < 1e-11) break;
  }
  return GA_OK;
}

/* Reaches the constraints from d = 0, then approaches the start value unless one step sufficed or
 * the caller accepts any solution (a->any). Writes q and a->change (unless NULL); on failure both
 * are unchanged. GA_ERR_INITIAL if rows stay open. */
static ga_status solve_position(assembling *p, double *q) {
  ga_static_system *s = &p->s;
  ga_status status = evaluate_residual(p, p->d);
  if (status == GA_OK) status = evaluate_rows(p, p->d);
  if (status != GA_OK) return status;
  ga_static_system_set_scales(s);
  status = reach(p);
  if (status != GA_OK) return status;
  if (p->a->openness > CLOSED) return report_violated(p, s->nlam, "configuration");
  if (p->a->iterations > 1 && !p->a->any) status = approach(p);
  if (status != GA_OK) return status;
  memcpy(q, p->q, (size_t)s->eval.nq * sizeof(double));
  if (p->a->change) memcpy(p->a->change, p->d, (size_t)s->nv * sizeof(double));
  return GA_OK;
}

/* Replaces q by the nearest configuration with g(t, q) = 0. assembly: what is held, weights,
 * results (worst, openness, iterations, open, change); may be NULL. GA_ERR_INITIAL if rows stay
 * violated; on failure q is unchanged. */
ga_status ga_assemble_position(const ga_model *model, double t, double *q, ga_assembly *assembly,
                               ga_error *err) {
  assembling p = {0};
  ga_error own;
  ga_assembly none = {0};
  if (!assembly) assembly = &none;
  assembly->worst = -1;
  assembly->openness = 0;
  assembly->iterations = 0;
  ga_status status = open_assembly(&p, model, t, q, assembly, err ? err : &own);
  if (status == GA_OK && assembly->change) {
    memset(assembly->change, 0, (size_t)p.s.nv * sizeof(double));
  }
  if (status == GA_OK && model->nlam > 0) status = solve_position(&p, q);
  ga_static_system_close(&p.s);
  return status;
}

/* ---- velocities ----------------------------------------------------------------------------- */

/* Sets G, H, the residuals p->g = (G v + g_t, k) and p->reach at (t, q0, v); the columns of held
 * velocities are zero afterwards. */
static ga_status velocity_rows(assembling *p, const double *v) {
  ga_static_system *s = &p->s;
  ga_status status = ga_eval_G(&s->eval, p->t, p->q0, &s->G);
  if (status == GA_OK) status = ga_eval_H(&s->eval, p->t, p->q0, v, &s->H);
  if (status == GA_OK) status = ga_eval_hidden(&s->eval, p->t, p->q0, v, &s->G, p->g);
  if (status == GA_OK) status = ga_eval_k(&s->eval, p->t, p->q0, v, p->g + s->nlam);
  if (status != GA_OK) return status;
  set_reach(p);
  ga_static_system_hold(s, p->a->hold);
  return GA_OK;
}

/* the largest |v_i| in units */
static double speed_of(const assembling *p, const double *v) {
  double size = 0;
  for (int i = 0; i < p->s.nv; i++) size = fmax(size, fabs(v[i]) / p->unit[i]);
  return size;
}

/* Multiplies reach by the largest |v_i| in units, so that violations are relative to the effect of
 * the motion. To be called once after velocity_rows. */
static void velocity_reach(assembling *p, const double *v) {
  const double size = speed_of(p, v);
  for (int i = 0; i < p->s.nlam + p->s.npsi; i++) p->reach[i] *= size;
}

/* Newton's method for the nearest velocity that satisfies all rows, beginning with p->d = v. Writes
 * v, the results of p->a and a->change (unless NULL); on failure v and change are unchanged.
 * GA_ERR_INITIAL if rows stay violated. */
static ga_status solve_velocity(assembling *p, double *v) {
  ga_static_system *s = &p->s;
  const int rows = s->nlam + s->npsi;
  double last = INFINITY;
  ga_status status = velocity_rows(p, p->d);
  ga_static_system_set_scales(s);
  for (int k = 0; k < VELOCITY_STEPS && status == GA_OK; k++) {
    memset(s->rhs, 0, (size_t)s->n * sizeof(double));
    for (int i = 0; i < rows; i++) s->rhs[s->nv + i] = -p->g[i];
    status = ga_static_system_factor(s, &(ga_static_system_weights){.w = 1, .e = 1e-11});
    /* contradictory rows have a least-squares solution for e > 0 only */
    if (status == GA_OK) status = ga_static_system_solve(s, 1e-11);
    if (status != GA_OK) return status;
    const double change = speed_of(p, s->rhs);
    ga_axpy(s->nv, 1, s->rhs, p->d);
    status = velocity_rows(p, p->d);
    p->a->iterations++;
    if (change <= DBL_EPSILON * speed_of(p, p->d) || (k > 2 && change >= 0.5 * last)) break;
    last = change;
  }
  if (status != GA_OK) return status;
  velocity_reach(p, p->d);
  measure_violation(p, rows);
  if (p->a->openness > CLOSED) return report_violated(p, rows, "velocity");
  for (int i = 0; p->a->change && i < s->nv; i++) p->a->change[i] = p->d[i] - v[i];
  memcpy(v, p->d, (size_t)s->nv * sizeof(double));
  return GA_OK;
}

/* Replaces v by the nearest velocity that satisfies all rows at (t, q), which must be assembled.
 * assembly: settings and results as for positions, may be NULL. GA_ERR_INITIAL if rows stay
 * violated; on failure v is unchanged. */
ga_status ga_assemble_velocity(const ga_model *model, double t, const double *q, double *v,
                               ga_assembly *assembly, ga_error *err) {
  assembling p = {0};
  ga_error own;
  ga_assembly none = {0};
  if (!assembly) assembly = &none;
  assembly->worst = -1;
  assembly->openness = 0;
  assembly->iterations = 0;
  ga_status status = open_assembly(&p, model, t, q, assembly, err ? err : &own);
  if (status == GA_OK) {
    memcpy(p.d, v, (size_t)p.s.nv * sizeof(double));
    if (assembly->change) memset(assembly->change, 0, (size_t)p.s.nv * sizeof(double));
  }
  if (status == GA_OK && model->nlam + model->npsi > 0) status = solve_velocity(&p, v);
  ga_static_system_close(&p.s);
  return status;
}
