/* SPDX-License-Identifier: MIT */
/* Arnold, Cardona, Brüls 2015: the figures of the heavy top with and without
 * velocity projection. */
#include "papers/acb15.h"

#include <math.h>

static const double T_STAR = 0.7; /* t* of the paper, the time of the velocity projection, in s */

/* Fig. 1: first component of B v over t, projected at t* */

/* context of watch_residual: t into `column`, B v into column + 1, the next in `row` */
typedef struct residual_log {
  table *t;
  const ga_model *model;
  int column, row;
} residual_log;

/* A lab_watch: appends t and the first component of B v (residual of the hidden constraints) as
 * the next row and advances log->row; rows are counted here because the state after the
 * projection has the same step number. A failed evaluation adds no row. */
static void watch_residual(void *context, const ga_state *s, long steps) {
  residual_log *log = context;
  double Bv[3];
  (void)steps;
  if (!lab_hidden(log->model, s, Bv)) return;
  table_set(log->t, log->row, log->column, s->t);
  table_set(log->t, log->row, log->column + 1, Bv[0]);
  log->row++;
}

/* Largest |x| of column j + 1 over the rows with from <= t <= to; t is in column j. */
static double largest(const table *t, int j, double from, double to) {
  double x = 0;
  for (int i = 0; i < t->rows; i++) {
    double time = table_at(t, i, j);
    if (time >= from && time <= to) x = fmax(x, fabs(table_at(t, i, j + 1)));
  }
  return x;
}

/* Largest alternating component |x_{n+1} - 2 x_n + x_{n-1}|/4 of column j + 1 over the rows with
 * from < t < to, t in column j: it is |c| for x_n = (-1)^n c, and O(h^2) for a smooth x. */
static double alternation(const table *t, int j, double from, double to) {
  double x = 0;
  for (int i = 1; i + 1 < t->rows; i++) {
    if (!(table_at(t, i - 1, j) > from && table_at(t, i + 1, j) < to)) continue;
    double d = table_at(t, i + 1, j + 1) - 2 * table_at(t, i, j + 1) + table_at(t, i - 1, j + 1);
    x = fmax(x, fabs(d) / 4);
  }
  return x;
}

/* Item acb15-fig1, ACB15 Fig. 1: B v over t for h = 1e-3 s (columns 0, 1) and 5e-4 s (2, 3),
 * perturbed start, velocity projection at T_STAR. Claims the factor 4 between both amplitudes,
 * oscillation from step to step after T_STAR, and that it dies out. A failed run leaves no
 * claims. */
static void fig1(result *r) {
  lab l;
  table_init(&r->data, "t_a,Bv_a,t_b,Bv_b");
  if (lab_open(&l, r, "heavy-top")) {
    const lab_plan plan = {.t_end = 1, .project_at = T_STAR};
    bool good = true;
    l.o.start = GA_START_PERTURBED;
    for (int k = 0; k < 2 && good; k++) {
      residual_log log = {.t = &r->data, .model = &l.problem->model, .column = 2 * k};
      l.o.h = k == 0 ? 1e-3 : 5e-4;
      good = lab_run(&l, &plan, watch_residual, &log);
    }
    if (good) {
      const table *t = &r->data;
      claim_near(r, 4, 0.1, largest(t, 0, 0.05, T_STAR) / largest(t, 2, 0.05, T_STAR),
                 "amplitude of B v before t* for h = 1e-3 s over that for h/2");
      claim_threshold(claim_at_least(
          r, 10, alternation(t, 0, T_STAR, 0.75) / alternation(t, 0, 0.6, T_STAR - 2e-3),
          "after the projection the residual oscillates: alternating part in [0.7, "
          "0.75] over that in [0.6, 0.7)"));
      claim_threshold(claim_at_most(
          r, 0.02, alternation(t, 0, 0.85, 0.95) / alternation(t, 0, T_STAR, 0.75),
          "and settles again: alternating part in [0.85, 0.95] over that in [0.7, 0.75]"));
    }
  }
  lab_close(&l);
}

static const chart_curve fig1_a[] = {{"t_a", "Bv_a", "h = 1e-3 s", CHART_LINE}, {.y = NULL}};
static const chart_curve fig1_b[] = {{"t_b", "Bv_b", "h = 5e-4 s", CHART_LINE}, {.y = NULL}};
static const chart_panel fig1_panels[] = {
    {.xlabel = "t (s)", .ylabel = "first component of B v (m/s)", .curves = fig1_a},
    {.xlabel = "t (s)", .ylabel = "first component of B v (m/s)", .curves = fig1_b},
    {.curves = NULL}};
static const chart fig1_chart = {.panels = fig1_panels, .panel_height = 270};

/* Fig. 2: lambda around t*, and the maximum of its relative error before t* and over [0, 1] */

/* context of watch_forces: lambda into the three columns from `column` on, the next in `row` */
typedef struct force_log {
  table *t;
  int column, row;
} force_log;

/* A lab_watch: appends t (column 0) and lambda for 0.65 <= t <= 0.85 as the next row and
 * advances log->row; skips the second report of T_STAR, after the projection. */
static void watch_forces(void *context, const ga_state *s, long steps) {
  force_log *log = context;
  (void)steps;
  if (s->t < 0.65 - 1e-9 || s->t > 0.85 + 1e-9) return;
  if (log->row > 0 && s->t <= table_at(log->t, log->row - 1, 0)) return; /* again, projected */
  table_set(log->t, log->row, 0, s->t);
  for (int i = 0; i < 3; i++) table_set(log->t, log->row, log->column + i, s->lam[i]);
  log->row++;
}

/* A lab_error: raises error[0] to |lambda - exact|/|lambda| (Euclidean norms). */
static void relative_force(const lab *l, const ga_state *x, const ga_state *exact, double *error) {
  int nlam = l->problem->model.nlam;
  double e = lab_norm(nlam, x->lam, exact->lam) / lab_norm(nlam, x->lam, NULL);
  error[0] = fmax(error[0], e);
}

/* Number of steps after T_STAR until the difference of lambda between both runs (columns 1..3
 * and 4..6, largest component) stays below 1/100 of its peak so far. t is in column 0, rising. */
static double settling_steps(const table *t) {
  double peak = 0;
  int last = 0, first = -1;
  for (int i = 0; i < t->rows; i++) {
    double d = 0;
    for (int k = 1; k <= 3; k++) d = fmax(d, fabs(table_at(t, i, k) - table_at(t, i, k + 3)));
    if (table_at(t, i, 0) < T_STAR + 1e-9) first = i;
    peak = fmax(peak, d);
    if (d > peak / 100) last = i;
  }
  return last - first;
}

/* Lambda over t with projection at T_STAR (columns 1..3) and without (4..6), t in column 0, step
 * l->o.h. False, with the reason in r, if a run failed. */
static bool fig2_histories(result *r, lab *l) {
  bool good = true;
  for (int k = 0; k < 2 && good; k++) {
    force_log log = {.t = &r->data, .column = 1 + 3 * k};
    const lab_plan plan = {.t_end = 0.85, .project_at = k == 0 ? T_STAR : 0};
    good = lab_run(l, &plan, watch_forces, &log);
  }
  return good;
}

/* Item acb15-fig2, ACB15 Fig. 2: histories of lambda around T_STAR (columns 0..6) and its
 * largest relative errors over h in [0, t*] (columns 7, 8) and in [0, 1] with the projection (9,
 * 10). Claims about 100 steps of settling and the orders 2 and 1. After a failed run the later
 * claims are missing. */
static void fig2(result *r) {
  lab l;
  table_init(&r->data,
             "t,lam1,lam2,lam3,lam1_free,lam2_free,lam3_free,h,error_before,h_all,error_all");
  if (lab_open(&l, r, "heavy-top")) {
    l.o.start = GA_START_PERTURBED;
    l.o.h = 1e-3;
    bool good = fig2_histories(r, &l);
    if (good) {
      claim_near(r, 100, 30, settling_steps(&r->data),
                 "the oscillations are damped out after about 100 steps: steps until they are "
                 "below 1/100 of their peak, h = 1e-3 s");
    }
    int levels = r->quick ? 4 : 6;
    const lab_plan before = {.t_end = T_STAR, .from = 0, .to = T_STAR};
    const lab_plan all = {.t_end = 1, .project_at = T_STAR, .from = 0, .to = 1};
    l.o.h = 2e-3;
    good = good && lab_ladder(&l, &before, levels, relative_force, 1, 7) &&
           lab_ladder(&l, &all, levels, relative_force, 1, 9);
    if (good) {
      claim_near(r, 2, 0.1, lab_slope(&r->data, 7, 8, 3), "order of λ in [0, t*]");
      claim_near(r, 1, 0.1, lab_slope(&r->data, 9, 10, 3),
                 "order of λ in [0, 1], with the projection at t*");
    }
  }
  lab_close(&l);
}

static const chart_curve fig2_left[] = {{"t", "lam1", "λ1", CHART_LINE},
                                        {"t", "lam2", "λ2", CHART_LINE},
                                        {"t", "lam3", "λ3", CHART_LINE},
                                        {.y = NULL}};
static const chart_curve fig2_right[] = {
    {"h_all", "error_all", "[0, 1], with projection", CHART_MARKS},
    {"h", "error_before", "[0, t*]", CHART_MARKS},
    {.y = NULL}};
static const chart_panel fig2_panels[] = {
    {.xlabel = "t (s)", .ylabel = "λ (N), h = 1e-3 s", .x = {0.65, 0.8}, .curves = fig2_left},
    {.xlabel = "h (s)",
     .ylabel = "largest relative error of λ",
     .log_x = true,
     .log_y = true,
     .slopes = {2, 1},
     .curves = fig2_right},
    {.curves = NULL}};
static const chart fig2_chart = {.panels = fig2_panels, .panel_height = 300};

/* Fig. 4: the reference solution */

/* A lab_watch; context is a table: stores t, x3 and lambda of every 20th step in row steps/20. */
static void watch_reference(void *context, const ga_state *s, long steps) {
  const double row[] = {s->t, s->q[2], s->lam[0], s->lam[1], s->lam[2]};
  if (steps % 20 != 0) return;
  for (int j = 0; j < 5; j++) table_set(context, (int)(steps / 20), j, row[j]);
}

/* Item acb15-fig4, ACB15 Fig. 4: x3 and lambda over t by stab2 with h = 2.5e-5 s (2e-4 s if
 * quick); claims that they agree with the reference solution `expected` at t = 1 s, within a
 * relative 3e-5 (2e-3 if quick). */
static void fig4(result *r) {
  static const double expected[] = {-0.74849079113, -517.60073947690, -396.84310148955,
                                    404.57492516288};
  static const char *const names[] = {"x3", "λ1", "λ2", "λ3"};
  lab l;
  table_init(&r->data, "t,x3,lam1,lam2,lam3");
  if (lab_open(&l, r, "heavy-top")) {
    const lab_plan plan = {.t_end = 1};
    l.o.method = "stab2";
    l.o.start = GA_START_SHIFTED;
    l.o.h = r->quick ? 2e-4 : 2.5e-5;
    double tolerance = r->quick ? 2e-3 : 3e-5;
    if (lab_run(&l, &plan, watch_reference, &r->data)) {
      for (int k = 0; k < 4; k++) {
        double x = table_at(&r->data, r->data.rows - 1, k + 1);
        claim_source(claim_near(r, expected[k], tolerance * fabs(expected[k]), x,
                                "%s at t = 1 s with h = %g s", names[k], l.o.h),
                     "reference solution");
      }
    }
  }
  lab_close(&l);
}

static const chart_curve fig4_x[] = {{"t", "x3", "x3", CHART_LINE}, {.y = NULL}};
static const chart_curve fig4_l[] = {{"t", "lam1", "λ1", CHART_LINE},
                                     {"t", "lam2", "λ2", CHART_LINE},
                                     {"t", "lam3", "λ3", CHART_LINE},
                                     {.y = NULL}};
static const chart_panel fig4_panels[] = {{.xlabel = "t (s)", .ylabel = "x3 (m)", .curves = fig4_x},
                                          {.xlabel = "t (s)", .ylabel = "λ (N)", .curves = fig4_l},
                                          {.curves = NULL}};
static const chart fig4_chart = {.panels = fig4_panels, .panel_height = 260};

static const item acb15_fig1 = {
    "acb15-fig1",
    "Fig. 1: heavy top, residual of the hidden constraints",
    "The residual B v oscillates smoothly with an amplitude that falls by a factor 4 when h is "
    "halved; after a velocity projection at t* = 0.7 s it oscillates from step to step.",
    "Method index3, perturbed start, ρ∞ = 0.9, h = 1e-3 and 5e-4 s.",
    fig1,
    &fig1_chart,
    0.5};
static const item acb15_fig2 = {
    "acb15-fig2",
    "Fig. 2: heavy top, multipliers after a velocity projection",
    "Spurious oscillations of large amplitude that are damped out after about 100 steps; the "
    "largest relative error of λ falls with order 2 before t*, with order 1 if the time after the "
    "projection is counted.",
    "Method index3, perturbed start, ρ∞ = 0.9; the reference is computed by stab2 with far smaller "
    "steps and an extrapolation.",
    fig2,
    &fig2_chart,
    4};
static const item acb15_fig4 = {"acb15-fig4",
                                "Fig. 4: heavy top, reference solution",
                                "x3 and λ of the reference solution, computed by the stabilized "
                                "index-2 form with h = 2.5e-5 s.",
                                "Method stab2, ρ∞ = 0.9, the same step.",
                                fig4,
                                &fig4_chart,
                                0.6};

static const item *const items[] = {
    &acb15_fig1,   &acb15_fig2,   &acb15_fig3,      &acb15_fig4,      &acb15_recursion,
    &acb15_sign,   &acb15_starts, &acb15_stab2,     &acb15_rheonomic, &acb15_drift,
    &acb15_cure,   &acb15_rank,   &acb15_nullspace, &acb15_star,      &acb15_index,
    &acb15_lemma1, NULL};

const paper paper_acb15 = {
    "acb15",
    "M. Arnold, A. Cardona, O. Brüls: Order reduction in time integration caused by velocity "
    "projection. Report 02 (2015), Martin-Luther-Universität Halle-Wittenberg",
    items};
