/* SPDX-License-Identifier: MIT */
/* Arnold, Brüls 2007: local truncation errors (3.1), effect of constraint residuals on the
 * multipliers (3.3), Lemma 3 (4). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/ab07.h"

enum { TWO = 2 };

/* Exact solution of the first test problem of JN07: component i of q, q' or q'' (derivative 0, 1,
 * 2) at time t. Long double, because third-order remainders of small steps need 18 digits. */
static long double motion(int derivative, int i, long double t) {
  if (i == 0) return expl(t);
  return (derivative == 0 ? 1 : derivative == 1 ? -2 : 4) * expl(-2 * t);
}

/* (25), (26), (27) */

/* Norms l[0..2] of the local errors (25), (26), (27): the two-step forms with coefficients of p
 * applied to the exact solution around t. */
static void truncation_errors(const ga_params *p, long double t, long double h, double l[3]) {
  ab07_coefficients w = ab07_two_step_of(p);
  long double sum[3][TWO] = {{0}};
  for (int i = 0; i < TWO; i++) {
    for (int k = 0; k < 3; k++) {
      long double at = t + (k - 1) * h, before = at - h;
      sum[0][i] += w.a[k] * motion(0, i, at) - h * h * w.b[k] * motion(2, i, at);
      if (k < 2) sum[0][i] += h * w.u[k] * motion(1, i, at);
      sum[1][i] += w.a[k] * motion(1, i, at) - h * w.c[k] * motion(2, i, at);
      sum[2][i] += w.a[k] * (motion(0, i, at) - motion(0, i, before)) / h;
    }
    for (int k = 0; k < 4; k++) sum[2][i] -= h * w.b1[k] * motion(2, i, t + (k - 2) * h);
  }
  for (int e = 0; e < 3; e++) l[e] = (double)hypotl(sum[e][0], sum[e][1]);
}

/* Largest violation of the consistency conditions by the coefficients of p: |sum a_k|, and the
 * difference of both sides for j = 1, 2. Zero, up to rounding, if (20) holds. */
static double inconsistency(const ga_params *p) {
  ab07_coefficients w = ab07_two_step_of(p);
  double worst = fabs(w.a[0] + w.a[1] + w.a[2]);
  for (int j = 1; j <= 2; j++) {
    double left = 0, right = 0;
    for (int k = 0; k < 3; k++) left += w.a[k] * (pow(k - 1, j + 1) - pow(k - 2, j + 1));
    for (int k = 0; k < 4; k++) right += w.b1[k] * (j == 1 ? 1 : k - 2);
    worst = fmax(worst, fabs(left / (j == 1 ? 2 : 6) - right));
  }
  return worst;
}

/* Item ab07-truncation, AB07 section 3.1: norms of the three local errors with (20) (columns
 * 1..3) and with gamma off by 0.05 (4..6), h = 0.1, halved; claims order 3, and (ours) order 2
 * of the last two where (20) is violated; then the consistency conditions for 1000 random sets
 * with (20). */
static void truncation(result *r) {
  static const char *const names[] = {"(25), positions", "(26), velocities",
                                      "(27), difference quotients"};
  ga_params p = ga_params_rho(0.7), off = p;
  off.gamma += 0.05;
  table_init(&r->data, "h,l_q,l_v,l_d,o_q,o_v,o_d");
  for (int i = 0; i < 8; i++) {
    double h = ldexp(0.1, -i), l[3], o[3];
    truncation_errors(&p, 0.5L, h, l);
    truncation_errors(&off, 0.5L, h, o);
    table_set(&r->data, i, 0, h);
    for (int e = 0; e < 3; e++) {
      table_set(&r->data, i, 1 + e, l[e]);
      table_set(&r->data, i, 4 + e, o[e]);
    }
  }
  for (int e = 0; e < 3; e++) {
    claim_near(r, 3, 0.05, lab_slope(&r->data, 0, 1 + e, 3), "order of the local error %s",
               names[e]);
  }
  for (int e = 1; e < 3; e++) {
    claim_addition(claim_near(r, 2, 0.05, lab_slope(&r->data, 0, 4 + e, 3),
                              "the same of %s with γ off the order condition (20) by 0.05",
                              names[e]));
  }
  uint64_t seed = 17;
  double worst = 0;
  for (int i = 0; i < 1000; i++) {
    ga_params random = {.alpha_m = lab_random(&seed, -1, 0.5),
                        .alpha_f = lab_random(&seed, -1, 0.5)};
    random.beta = lab_random(&seed, 0, 1);
    random.gamma = 0.5 + random.alpha_f - random.alpha_m;
    worst = fmax(worst, inconsistency(&random));
  }
  claim *c =
      claim_at_most(r, 0, worst,
                    "(20) implies the new consistency conditions: largest difference of their "
                    "sides, 1000 random sets with (20)");
  c->tolerance = 1e-13;
}

static const chart_curve truncation_curves[] = {{"h", "l_q", "(25)", CHART_MARKS},
                                                {"h", "l_v", "(26)", CHART_MARKS},
                                                {"h", "l_d", "(27)", CHART_MARKS},
                                                {"h", "o_v", "(26), γ off (20)", CHART_MARKS},
                                                {"h", "o_d", "(27), γ off (20)", CHART_MARKS},
                                                {.y = NULL}};
static const chart_panel truncation_panels[] = {{.xlabel = "h",
                                                 .ylabel = "local truncation error",
                                                 .log_x = true,
                                                 .log_y = true,
                                                 .slopes = {3, 2},
                                                 .curves = truncation_curves},
                                                {.curves = NULL}};
static const chart truncation_chart = {.panels = truncation_panels};

const item ab07_truncation = {
    "ab07-truncation",
    "Section 3.1: local truncation errors (25), (26), (27)",
    "With the order condition (20) all three are O(h³); (20) implies the new consistency "
    "conditions.",
    "The closed solution of the first test problem of JN07 put into the three formulas at t = 0.5, "
    "ρ∞ = 0.7.",
    truncation,
    &truncation_chart,
    0.1};

/* Section 3.3: a residual left in the constraints */

/* A wrapper of the model `of` that adds delta * (random number in [-1, 1], fixed for each step) to
 * each constraint, as if Newton's iteration had stopped with that residual. */
typedef struct off_model {
  const ga_model *of;
  ga_model_ops ops;
  double h, delta;
} off_model;

/* Callback of off_model: evaluates the wrapped model, then adds the error of this step to g. */
static int off_evaluate(void *user, double t, const double *q, const double *v,
                        const ga_evaluation *out) {
  const off_model *m = user;
  int code = ga_model_evaluate(m->of, t, q, v, out);
  uint64_t seed = (uint64_t)llround(t / m->h) * UINT64_C(2654435761) + 1;
  for (int i = 0; out->g && i < m->of->nlam; i++) {
    double x = lab_random(&seed, -1, 1);
    if (t > 0) out->g[i] += m->delta * x;
  }
  return code;
}

/* First run: keeps lambda (n numbers) of all steps in t. Second run (second = true): apart becomes
 * the largest |difference| from the kept values. */
typedef struct lam_log {
  table *t;
  int n;
  bool second;
  double apart;
} lam_log;

/* Observer: keeps lambda of step n >= 1 in row n of log->t, or in the second run raises
 * log->apart. Never stops the run (returns 0). The table has room for log->n columns. */
static int watch_lam(void *context, const ga_state *s, const ga_stats *stats) {
  lam_log *log = context;
  int row = (int)stats->steps;
  for (int i = 0; i < log->n && row > 0; i++) {
    if (log->second) log->apart = fmax(log->apart, fabs(s->lam[i] - table_at(log->t, row, i)));
    if (!log->second) table_set(log->t, row, i, s->lam[i]);
  }
  return 0;
}

/* Runs l's problem to t_end with the disturbed model m (its delta is set by the caller) and logs
 * lambda. False, with the reason in l->r, if the run failed. */
static bool run_off(lab *l, off_model *m, double t_end, lam_log *log) {
  const ga_problem *p = l->problem;
  ga_model model = p->model;
  ga_integrator *it = NULL;
  ga_error err;
  m->of = &p->model;
  m->h = l->o.h;
  m->ops = (ga_model_ops){.evaluate = off_evaluate, .gives = GA_GIVES_G | GA_GIVES_DRIFT};
  model.ops = &m->ops, model.user = m;
  bool good = ga_integrator_new(&model, &l->o, &it, &err) == GA_OK;
  if (good) {
    ga_integrator_observe(it, watch_lam, log);
    good = ga_integrator_start(it, p->t0, p->q0, p->v0) == GA_OK &&
           ga_integrator_run(it, t_end) == GA_OK;
  }
  if (!good)
    result_fail(l->r, "slider-crank, h = %g: %s", l->o.h,
                it ? ga_integrator_error(it)->text : err.text);
  ga_integrator_free(it);
  return good;
}

/* Largest change of lambda (N) up to 0.2 s when the constraints are off by delta (m) and
 * newton_tol is `tolerance`, compared with an undisturbed run with newton_tol 1e-12. NaN, with
 * the reason in l->r, if a run failed. Changes l->o.h and l->o.newton_tol; nlam must be 8. */
static double lam_moves(lab *l, double h, double delta, double tolerance) {
  table kept;
  off_model m = {.delta = 0};
  lam_log log = {.t = &kept, .n = l->problem->model.nlam};
  table_init(&kept, "l1,l2,l3,l4,l5,l6,l7,l8");
  l->o.h = h;
  l->o.newton_tol = 1e-12;
  bool good = run_off(l, &m, 0.2, &log);
  log.second = true;
  m.delta = delta;
  l->o.newton_tol = tolerance;
  good = good && run_off(l, &m, 0.2, &log);
  table_free(&kept);
  return good ? log.apart : NAN;
}

/* Item ab07-newton, AB07 section 3.3: change of lambda over h (columns 0, 1), over delta (2, 3)
 * and over newton_tol (4, 5); claims the exponents -2, 1 and (ours) 1. A failed run leaves no
 * claims. */
static void newton(result *r) {
  lab l;
  static const double deltas[] = {1e-12, 1e-11, 1e-10, 1e-9};
  table_init(&r->data, "h,residual,delta,by_delta,tolerance,by_tolerance");
  if (lab_open(&l, r, "slider-crank")) {
    for (int i = 0; i < 5; i++) {
      double h = ldexp(4e-3, -i);
      table_set(&r->data, i, 0, h);
      table_set(&r->data, i, 1, lam_moves(&l, h, 1e-9, 1e-12));
    }
    for (int i = 0; i < 4; i++) {
      table_set(&r->data, i, 2, deltas[i]);
      table_set(&r->data, i, 3, lam_moves(&l, 1e-3, deltas[i], 1e-12));
    }
    for (int i = 0; i < 6; i++) {
      double tolerance = pow(10, -3 - i);
      table_set(&r->data, i, 4, tolerance);
      table_set(&r->data, i, 5, lam_moves(&l, 1e-3, 0, tolerance));
    }
    if (!r->failure[0]) {
      claim_near(r, -2, 0.15, lab_slope(&r->data, 0, 1, 4),
                 "residuals of 1e-9 m left in the constraints: exponent p of the error of λ ~ hᵖ");
      claim_near(r, 1, 0.05, lab_slope(&r->data, 2, 3, 4),
                 "and of its dependence on the residual, h = 1e-3 s");
      claim_addition(claim_near(r, 1, 0.25, lab_slope(&r->data, 4, 5, 6),
                                "a loose newton_tol, h = 1e-3 s: exponent p of the error of λ ~ "
                                "newton_tolᵖ"));
    }
  }
  lab_close(&l);
}

static const chart_curve newton_h[] = {{"h", "residual", "residual of 1e-9 m", CHART_MARKS},
                                       {.y = NULL}};
static const chart_curve newton_delta[] = {{"tolerance", "by_tolerance", "newton_tol", CHART_MARKS},
                                           {.y = NULL}};
static const chart_panel newton_panels[] = {{.xlabel = "h (s)",
                                             .ylabel = "largest error of λ (N)",
                                             .log_x = true,
                                             .log_y = true,
                                             .slopes = {-2},
                                             .curves = newton_h},
                                            {.xlabel = "newton_tol",
                                             .ylabel = "largest error of λ (N), h = 1e-3 s",
                                             .log_x = true,
                                             .log_y = true,
                                             .curves = newton_delta},
                                            {.curves = NULL}};
static const chart newton_chart = {.panels = newton_panels};

const item ab07_newton = {"ab07-newton",
                          "Section 3.3: residuals left by the Newton iteration",
                          "Stopping the iteration with non-zero residuals may introduce small "
                          "errors in Φ that are amplified "
                          "by the large factor 1/h².",
                          "Method index3, slider-crank to t = 0.2 s, ρ∞ = 0.7: constraints off by "
                          "random numbers of at most "
                          "1e-9 m in each step, against the run without; and newton_tol itself.",
                          newton,
                          &newton_chart,
                          0.5};

/* Lemma 3: points near the solution, on the constraint or off it */

/* Draws y1 = e^t + h random, y2 with y1^2 y2 = 1 + violation random, at t - 2h .. t + h; e:
 * exact minus drawn, e': its difference quotients. Writes side[0] = |Phi_q (1/h) sum a_k
 * e'_{n+k-1}|, side[1] = the same along the tangent, side[2] = sum |e| + sum |e'|. Advances
 * *seed. */
static void lemma3_sides(uint64_t *seed, double t, double h, double violation, double side[3]) {
  ab07_coefficients w = ab07_two_step_of(&(ga_params){.alpha_m = 0.2, .alpha_f = 0.4});
  long double e[4][TWO], normal = 0, tangent = 0, bound = 0;
  for (int k = 0; k < 4; k++) {
    long double at = (long double)t + (k - 2) * (long double)h;
    long double y1 = motion(0, 0, at) + h * lab_random(seed, -1, 1);
    long double y2 = (1 + violation * lab_random(seed, -1, 1)) / (y1 * y1);
    e[k][0] = motion(0, 0, at) - y1, e[k][1] = motion(0, 1, at) - y2;
    bound += hypotl(e[k][0], e[k][1]);
  }
  const long double Phi[TWO] = {2 * motion(0, 0, t) * motion(0, 1, t),
                                motion(0, 0, t) * motion(0, 0, t)};
  for (int k = 0; k < 3; k++) {
    long double d[TWO];
    for (int i = 0; i < TWO; i++) d[i] = (e[k + 1][i] - e[k][i]) / h;
    bound += hypotl(d[0], d[1]);
    normal += w.a[k] / h * (Phi[0] * d[0] + Phi[1] * d[1]);
    tangent += w.a[k] / h * (-Phi[1] * d[0] + Phi[0] * d[1]);
  }
  side[0] = (double)fabsl(normal), side[1] = (double)fabsl(tangent), side[2] = (double)bound;
}

/* Item ab07-lemma3: how the left side of (48) compares with its right side, for h = 0.02, halved.
 * lemma3_sides gives side = |left side normal to the constraint|, |left side along it|, |right
 * side|, for points near the motion at t = 0.5. Columns 1 and 2 have the largest side[0]/side[2] and
 * side[1]/side[2] of 200 random sets of points with Phi = 0; column 3 the largest side[0]/h with
 * |Phi| up to h. Fills r->data and adds claims on the exponents of h to r. */
static void lemma3(result *r) {
  enum { DRAWS = 200, LEVELS = 8 };
  table_init(&r->data, "h,normal,tangent,off");
  for (int i = 0; i < LEVELS; i++) {
    uint64_t seed = 31;
    double h = ldexp(0.02, -i), largest[3] = {0, 0, 0};
    for (int k = 0; k < DRAWS; k++) {
      double side[3];
      lemma3_sides(&seed, 0.5, h, 0, side);
      largest[0] = fmax(largest[0], side[0] / side[2]);
      largest[1] = fmax(largest[1], side[1] / side[2]);
      lemma3_sides(&seed, 0.5, h, h, side);
      largest[2] = fmax(largest[2], side[0] / h);
    }
    table_set(&r->data, i, 0, h);
    for (int j = 0; j < 3; j++) table_set(&r->data, i, 1 + j, largest[j]);
  }
  claim_at_least(
      r, 0, lab_slope(&r->data, 0, 1, 4),
      "(48) with Φ = 0: exponent p ≥ 0 of left side over Σ‖e‖ + Σ‖e'‖ ~ hᵖ, largest of %d "
      "random sets of points at distances up to h",
      DRAWS)
      ->tolerance = 0.05;
  claim_near(r, -2, 0.05, lab_slope(&r->data, 0, 3, 4),
             "(48) off the constraints: exponent of left side over ‖Φ‖, Φ up to h");
  claim_addition(
      claim_near(r, -1, 0.05, lab_slope(&r->data, 0, 2, 4),
                 "the same as the first along the constraint: it is the multiplication by "
                 "Φ_q that makes it bounded"));
}

static const chart_curve lemma3_curves[] = {{"h", "normal", "with Φ_q, Φ = 0", CHART_MARKS},
                                            {"h", "tangent", "along the constraint", CHART_MARKS},
                                            {"h", "off", "with Φ_q, over ‖Φ‖", CHART_MARKS},
                                            {.y = NULL}};
static const chart_panel lemma3_panels[] = {{.xlabel = "h",
                                             .ylabel = "left side of (48) over its bound",
                                             .log_x = true,
                                             .log_y = true,
                                             .slopes = {-1, -2},
                                             .curves = lemma3_curves},
                                            {.curves = NULL}};
static const chart lemma3_chart = {.panels = lemma3_panels};

const item ab07_lemma3 = {"ab07-lemma3",
                          "Lemma 3: differences of errors normal to the constraints",
                          "Φ_q (1/h) Σ a_k e' is O(1/h²) Σ‖Φ‖ + O(1)(Σ‖e‖ + Σ‖e'‖).",
                          "Random points at a distance up to h from the closed solution of the "
                          "first test problem of JN07, on "
                          "its constraint and off it by up to h, α_m = 0.2.",
                          lemma3,
                          &lemma3_chart,
                          0.1};
