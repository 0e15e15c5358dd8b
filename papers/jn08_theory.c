/* SPDX-License-Identifier: MIT */
/* Jay, Negrut 2008: what a_alpha approximates, (5), (9), (10), and the case alpha_m = 0 of
 * Theorem 1. */
#include <math.h>

#include "papers/jn08.h"

static const double OMEGA = 2 * 3.14159265358979323846; /* of the oscillator, q(0) = 1, v(0) = 0 */

/* Exact acceleration of the oscillator at time t (s). */
static double acceleration(double t) {
  return -OMEGA * OMEGA * cos(OMEGA * t);
}

/* a_alpha and a_{1+alpha} of a first step from t_0 = 0 */
typedef struct first_step {
  double a[2];
} first_step;

/* Keeps a_alpha (n = 0) and a_{1+alpha} (n = 1). */
static void watch_first(void *context, const ga_state *s, long n) {
  first_step *f = context;
  if (n <= 1) f->a[n] = s->a[0];
}

/* The oscillator starts where a' = 0; the step is taken from the state at t = 0.1 instead. */
static const double T0 = 0.1;

/* One step of size h from the exact state at T0, because the oscillator starts where a' = 0;
 * fills *f. Changes the problem's start and l->o. False, with the reason in the result. */
static bool take_step(lab *l, double h, ga_start start, first_step *f) {
  const lab_plan plan = {.steps = 1};
  l->problem->t0 = T0;
  l->problem->q0[0] = cos(OMEGA * T0);
  l->problem->v0[0] = -OMEGA * sin(OMEGA * T0);
  l->o.h = h;
  l->o.start = start;
  return lab_run(l, &plan, watch_first, f);
}

enum { LEVELS = 8 };

/* columns of the table: h, then of the shifted start the errors of a_{1+alpha} at t_1 + alpha h and
 * at t_1, of the plain start that at t_1 + alpha h, of the implicit one those of a_alpha and
 * a_{1+alpha}, then the remainder of (9), and its coefficient for times shifted by less than alpha
 * h */
enum { H, SHIFTED, AT_T1, PLAIN, IMPLICIT_0, IMPLICIT, REST, COEFFICIENT, WIDTH };

/* Left side of (9), times shifted by x h: (1 - alpha_m)(a_{1+alpha} - a(t_1 + x h)) + alpha_m
 * (a_alpha - a(t_0 + x h)). */
static double weighted(const ga_params *p, const first_step *f, double h, double x) {
  return (1 - p->alpha_m) * (f->a[1] - acceleration(T0 + h + x * h)) +
         p->alpha_m * (f->a[0] - acceleration(T0 + x * h));
}

/* Row i of the table, in the columns of the enum above: errors for h = 0.01/2^i with shifted,
 * plain and implicit start, l->o.par as it is. Changes the problem's start and l->o. False, with
 * the reason in the result, if a step failed. */
static bool fill_row(lab *l, int i) {
  const ga_params *p = &l->o.par;
  double h = ldexp(0.01, -i), alpha = p->alpha_m - p->alpha_f;
  first_step shifted, plain, implicit;
  if (!take_step(l, h, GA_START_SHIFTED, &shifted) || !take_step(l, h, GA_START_PLAIN, &plain) ||
      !take_step(l, h, GA_START_IMPLICIT, &implicit)) {
    return false;
  }
  double slope = OMEGA * OMEGA * OMEGA * sin(OMEGA * T0); /* a'(t_0) */
  const double row[WIDTH] = {[H] = h,
                             [SHIFTED] = fabs(shifted.a[1] - acceleration(T0 + h + alpha * h)),
                             [AT_T1] = fabs(shifted.a[1] - acceleration(T0 + h)),
                             [PLAIN] = fabs(plain.a[1] - acceleration(T0 + h + alpha * h)),
                             [IMPLICIT_0] = fabs(implicit.a[0] - acceleration(T0 + alpha * h)),
                             [IMPLICIT] = fabs(implicit.a[1] - acceleration(T0 + h + alpha * h)),
                             [REST] = fabs(weighted(p, &shifted, h, alpha)),
                             [COEFFICIENT] = weighted(p, &shifted, h, alpha / 2) / (h * slope)};
  for (int j = 0; j < WIDTH; j++) table_set(&l->r->data, i, j, row[j]);
  return true;
}

/* Item jn08-notation, JN08 section 2: claims on the orders of a_alpha and a_{1+alpha} after one
 * step on the oscillator, for rho_inf = 0.2, then for 0.5 (alpha_m = 0). At the end the table is
 * filled once more for 0.2, for the picture. A failed step leaves the claims after it out. */
static void notation(result *r) {
  lab l;
  table_init(&r->data, "h,shifted,at_t1,plain,implicit_0,implicit,rest,coefficient");
  if (lab_open(&l, r, "oscillator")) {
    l.o.method = "soi2";
    l.o.par = ga_params_rho(0.2);
    double alpha = l.o.par.alpha_m - l.o.par.alpha_f;
    bool good = true;
    for (int i = 0; i < LEVELS && good; i++) good = fill_row(&l, i);
    const table *t = &r->data;
    if (good) {
      claim_near(r, 2, 0.1, lab_slope(t, H, SHIFTED, 4),
                 "(5): order of a_{1+α} − a(t1 + αh) when a_α − a(t0 + αh) = O(h²)");
      claim_near(r, 1, 0.1, lab_slope(t, H, AT_T1, 4), "order of a_{1+α} − a(t1): one less");
      claim_near(r, 2, 0.1, lab_slope(t, H, REST, 4),
                 "(9): order of its left side when times are shifted by αh, α = α_m − α_f");
      claim_near(r, alpha / 2, 0.01, table_at(t, LEVELS - 1, COEFFICIENT),
                 "(9): the coefficient of h a'(t0) when they are shifted by αh/2 instead, which is "
                 "α_m − α_f − α/2");
      claim_near(r, 2, 0.1, lab_slope(t, H, IMPLICIT_0, 4),
                 "(10), implicit start: order of a_α − a(t0 + αh)");
      claim_near(r, 2, 0.1, lab_slope(t, H, IMPLICIT, 4),
                 "(10), implicit start: order of a_{1+α} − a(t1 + αh)");
      claim_near(r, 1, 0.1, lab_slope(t, H, PLAIN, 4),
                 "the same with a_α = a0, α_m ≠ 0: one less after the first step");
    }
    l.o.par = ga_params_rho(0.5); /* alpha_m = 0 */
    for (int i = 0; i < LEVELS && good; i++) good = fill_row(&l, i);
    if (good) {
      claim_near(r, 2, 0.1, lab_slope(t, H, PLAIN, 4),
                 "section 2.1: the same with a_α = a0 and α_m = 0");
    }
    l.o.par = ga_params_rho(0.2);
    for (int i = 0; i < LEVELS && good; i++) good = fill_row(&l, i);
  }
  lab_close(&l);
}

static const chart_curve notation_curves[] = {
    {"h", "shifted", "to a(t1 + αh), shifted start", CHART_MARKS},
    {"h", "implicit", "to a(t1 + αh), implicit start", CHART_MARKS},
    {"h", "plain", "to a(t1 + αh), plain start", CHART_MARKS},
    {"h", "at_t1", "to a(t1), shifted start", CHART_MARKS},
    {.y = NULL}};
static const chart_panel notation_panels[] = {{.xlabel = "h (s)",
                                               .ylabel = "distance of a_{1+α} (m/s²)",
                                               .log_x = true,
                                               .log_y = true,
                                               .slopes = {2, 1},
                                               .curves = notation_curves},
                                              {.curves = NULL}};
static const chart notation_chart = {.panels = notation_panels};

const item jn08_notation = {
    "jn08-notation",
    "Section 2: what a_α and a_{1+α} approximate, (5), (9), (10)",
    "a_{1+α} is a second-order approximation of a(t1 + αh) for α = α_m − α_f, and of first order "
    "only "
    "of a(t1); the implicit definition (10) of the first a_α keeps that; with α_m = 0 so does "
    "a_α = a0.",
    "Method soi2, one step on the oscillator (ω = 2π, from t0 = 0.1), ρ∞ = 0.2; ρ∞ = 0.5 for "
    "α_m = 0.",
    notation,
    &notation_chart,
    0.1};

/* Theorem 1, "if alpha_m = 0": largest errors over all steps, plain start */

enum { STUDY = FIELDS + 1 }; /* columns of one study: h and the errors of all fields */

/* one study of soi2 with plain start: problem, rho_inf, first step, end */
typedef struct study_of {
  const char *problem;
  double rho, h, t_end;
  bool all;  /* the largest error of all steps; else that at the end */
  bool rest; /* pendulum: starts at rest, deflected */
} study_of;

static const study_of studies[] = {
    {"jay-negrut-soi2", 0.5, 0.05, 1, true, false},
    {"jay-negrut-soi2", 0.5, 0.05, 1, false, false},
    {"pendulum-spring", 0.5, 2e-3, 0.1, true, false},
    {"pendulum-spring", 0.5, 2e-3, 0.1, true, true},
    {"pendulum-spring", 0.2, 2e-3, 0.1, true, true},
};
enum { STUDIES = (int)(sizeof studies / sizeof studies[0]) };

/* Start values of the pendulum (length 2) at rest, turned by 0.6 rad from its spring's rest
 * position. */
static void let_go(ga_problem *p) {
  double angle = 1.5 * 3.14159265358979323846 + 0.6;
  p->q0[0] = 2 * cos(angle), p->q0[1] = 2 * sin(angle), p->q0[2] = angle;
  for (int i = 0; i < 3; i++) p->v0[i] = 0;
}

/* a of the first steps, and how far a second run is from it after the start */
enum { FIRST = 30, PENDULUM_NV = 3 };

/* context of watch_a: the a kept so far, and the largest difference of the second run */
typedef struct a_log {
  double a[FIRST + 1][PENDULUM_NV], apart;
  bool second;
} a_log;

/* Keeps a of the steps 1 .. FIRST; in the second run first raises log->apart to the difference. */
static void watch_a(void *context, const ga_state *s, long n) {
  a_log *log = context;
  if (n < 1 || n > FIRST) return;
  if (log->second) log->apart = fmax(log->apart, lab_norm(PENDULUM_NV, s->a, log->a[n]));
  for (int i = 0; i < PENDULUM_NV; i++) log->a[n][i] = s->a[i];
}

/* Error of a over the first FIRST steps, taken against a run with shifted start, whose error is
 * O(h^2): the exact a(t + alpha h) is not known for this start. Row i of `column` gets that for
 * h = l->o.h/2^i. Changes l->o.h and l->o.start. False, with the reason in the result. */
static bool measure_a(lab *l, int levels, int column) {
  const lab_plan plan = {.steps = FIRST};
  double h = l->o.h;
  bool good = true;
  for (int i = 0; i < levels && good; i++) {
    a_log log = {.second = false};
    l->o.h = ldexp(h, -i);
    l->o.start = GA_START_SHIFTED;
    good = lab_run(l, &plan, watch_a, &log);
    log.second = true;
    l->o.start = GA_START_PLAIN;
    good = good && lab_run(l, &plan, watch_a, &log);
    table_set(&l->r->data, i, column, log.apart);
  }
  return good;
}

/* Errors over h of study k into its STUDY columns of the table, from k STUDY on; those of a by
 * measure_a if it starts at rest. False, with the reason in r, if a run failed. */
static bool measure_study(result *r, int k) {
  lab l;
  const study_of *s = &studies[k];
  bool good = lab_open(&l, r, s->problem);
  if (good) {
    lab_plan plan = {.t_end = s->t_end};
    if (s->all) plan.to = s->t_end;
    if (s->rest) let_go(l.problem);
    l.o.method = "soi2";
    l.o.start = GA_START_PLAIN;
    l.o.par = ga_params_rho(s->rho);
    l.o.h = s->h;
    int levels = r->quick ? 5 : 6;
    good = lab_ladder(&l, &plan, levels, lab_euclid, FIELDS, k * STUDY);
    if (s->rest) good = good && measure_a(&l, levels, k * STUDY + 1 + FIELD_A);
  }
  lab_close(&l);
  return good;
}

/* Order of `field` in study k. */
static double study_order(const result *r, int k, int field) {
  return lab_slope(&r->data, k * STUDY, k * STUDY + 1 + field, 3);
}

/* Item jn08-alpham, JN08 Theorem 1 with alpha_m = 0 and a_alpha = a_0: errors of the five
 * studies above into the table; claims order 2 of a, lambda, psi over all steps, corrected to 1
 * where a_alpha is wrong normal to the constraints, and order 2 at the end. Nothing is claimed
 * if a run fails. */
static void alpham(result *r) {
  static const char *const why =
      "with α_m = 0 an error of a_α along the free directions is gone after one step, one normal "
      "to the "
      "constraints falls like r_γⁿ and goes on into λ, ψ: beside α_m = 0 the theorem needs that "
      "the "
      "part of a_α − a(t0 + αh) normal to the constraints is O(h²).";
  table_init(&r->data,
             "h,q0,v0,a0,vd0,lam0,psi0,h1,q1,v1,a1,vd1,lam1,psi1,h2,q2,v2,a2,vd2,lam2,psi2,"
             "h3,q3,v3,a3,vd3,lam3,psi3,h4,q4,v4,a4,vd4,lam4,psi4");
  for (int k = 0; k < STUDIES; k++) {
    if (!measure_study(r, k)) return;
  }
  static const struct {
    int study, field;
    const char *name;
  } broken[] = {{0, FIELD_A, "a, test problem"},
                {0, FIELD_LAM, "λ, test problem"},
                {0, FIELD_PSI, "ψ, test problem"},
                {2, FIELD_LAM, "λ, swinging pendulum"}};
  for (int i = 0; i < 4; i++) {
    claim *c = claim_near(r, 2, 0.2, study_order(r, broken[i].study, broken[i].field),
                          "α_m = 0, a_α = a0: order of the largest error over all n ≥ 1 of %s",
                          broken[i].name);
    claim_corrected(c, 1, why);
  }
  claim_near(r, 2, 0.1, study_order(r, 1, FIELD_LAM),
             "order of λ at t = 1, where the layer is gone");
  claim_near(r, 2, 0.1, study_order(r, 1, FIELD_PSI), "order of ψ at t = 1");
  claim_near(r, 2, 0.1, study_order(r, 3, FIELD_LAM),
             "the pendulum let go at rest, where a' has no normal part: order of λ over all n ≥ 1");
  claim_at_least(r, 2, study_order(r, 3, FIELD_A), "and of a, against a run with shifted start")
      ->tolerance = 0.1;
  claim_addition(
      claim_near(r, 1, 0.15, study_order(r, 4, FIELD_A),
                 "the same start with ρ∞ = 0.2, α_m ≠ 0: order of a, whose error along the "
                 "free directions now stays"));
  claim_addition(
      claim_near(r, 2, 0.1, study_order(r, 4, FIELD_LAM), "and of λ, which it does not enter"));
}

static const chart_curve alpham_curves[] = {{"h", "lam0", "test problem, n ≥ 1", CHART_MARKS},
                                            {"h1", "lam1", "test problem, t = 1", CHART_MARKS},
                                            {.y = NULL}};
static const chart_curve alpham_pendulum[] = {{"h2", "lam2", "swinging start", CHART_MARKS},
                                              {"h3", "lam3", "start at rest", CHART_MARKS},
                                              {.y = NULL}};
#define ALPHAM_PANEL(x, y, list) \
  { .xlabel = x, .ylabel = y, .log_x = true, .log_y = true, .slopes = {2, 1}, .curves = list }
static const chart_panel alpham_panels[] = {
    ALPHAM_PANEL("h", "error of λ, α_m = 0", alpham_curves),
    ALPHAM_PANEL("h (s)", "largest error of λ, pendulum (N)", alpham_pendulum),
    {.curves = NULL}};
static const chart alpham_chart = {.panels = alpham_panels};

const item jn08_alpham = {
    "jn08-alpham",
    "Theorem 1: the case α_m = 0",
    "If α_m = 0, a, λ and ψ are O(h²) also with a_α = a0.",
    "Method soi2, plain start, ρ∞ = 0.5 (α_m = 0): largest error over all steps n ≥ 1 on the test "
    "problem of section 8 and on the pendulum of JN07, swinging and let go at rest.",
    alpham,
    &alpham_chart,
    0.5};
