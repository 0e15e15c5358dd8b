/* SPDX-License-Identifier: MIT */
/* Arnold, Brüls 2007: the figures of section 5, slider-crank and Andrews' squeezing mechanism. */
#include <math.h>

#include "papers/ab07.h"

/* indices into q of "slider-crank", and into q of "andrews-absolute" */
enum { THETA1 = 4, X4 = 7 };
enum { BETA = 0, X_J1 = 21, X_P = 23, X_H = 25, X_G = 27, X_D = 29 };

/* Fig. 2 */

/* A lab_watch; context is a table: stores t, theta1 (rad) and x4 (m) of this step in row
 * `steps`, columns 0..2. */
static void watch_crank(void *context, const ga_state *s, long steps) {
  table *t = context;
  table_set(t, (int)steps, 0, s->t);
  table_set(t, (int)steps, 1, s->q[THETA1]);
  table_set(t, (int)steps, 2, s->q[X4]);
}

/* The same for the run with h/64: every 64th step goes into columns 3 and 4 of the row of the same
 * t. */
static void watch_crank_fine(void *context, const ga_state *s, long steps) {
  table *t = context;
  if (steps % 64 != 0) return;
  table_set(t, (int)(steps / 64), 3, s->q[THETA1]);
  table_set(t, (int)(steps / 64), 4, s->q[X4]);
}

/* Item ab07-fig2, AB07 Fig. 2: theta1 and x4 over t with h = 5e-3 s (columns 1, 2) and h/64 (3,
 * 4); claims both values of the first run at t = 1 s against the reference solution. */
static void fig2(result *r) {
  lab l;
  table_init(&r->data, "t,theta1,x4,theta1_fine,x4_fine");
  if (lab_open(&l, r, "slider-crank")) {
    const lab_plan plan = {.t_end = 1};
    if (lab_run(&l, &plan, watch_crank, &r->data)) {
      int last = r->data.rows - 1;
      claim_source(claim_near(r, 7.41462, 0.05, table_at(&r->data, last, 1),
                              "crank angle θ1 at t = 1 s with h = 5e-3 s, in rad"),
                   "reference solution");
      claim_source(claim_near(r, 0.600443, 0.01, table_at(&r->data, last, 2),
                              "position x4 of the additional mass at t = 1 s, in m"),
                   "reference solution");
    }
    l.o.h /= 64;
    lab_run(&l, &plan, watch_crank_fine, &r->data);
  }
  lab_close(&l);
}

static const chart_curve fig2_theta[] = {{"t", "theta1", "h = 5e-3 s", CHART_LINE},
                                         {"t", "theta1_fine", "h/64", CHART_DASHED},
                                         {.y = NULL}};
static const chart_curve fig2_x4[] = {
    {"t", "x4", "h = 5e-3 s", CHART_LINE}, {"t", "x4_fine", "h/64", CHART_DASHED}, {.y = NULL}};
static const chart_panel fig2_panels[] = {
    {.xlabel = "t (s)", .ylabel = "θ1 (rad)", .curves = fig2_theta},
    {.xlabel = "t (s)", .ylabel = "x4 (m)", .curves = fig2_x4},
    {.curves = NULL}};
static const chart fig2_chart = {.panels = fig2_panels, .panel_height = 260};

/* Figs. 3 and 9: relative errors of one coordinate and of the first multiplier */

/* *error = max(*error, |x/exact - 1|). */
static void raise_relative_error(double x, double exact, double *error) {
  *error = fmax(*error, fabs(x / exact - 1));
}

/* A lab_error: raises error[0] to the relative error of theta1, error[1] to that of lambda_1. */
static void errors_crank(const lab *l, const ga_state *x, const ga_state *exact, double *error) {
  (void)l;
  raise_relative_error(x->q[THETA1], exact->q[THETA1], &error[0]);
  raise_relative_error(x->lam[0], exact->lam[0], &error[1]);
}

/* Item ab07-fig3, AB07 Fig. 3: relative errors of theta1 and lambda_1 at t = 1 s of the
 * slider-crank, h = 5e-3 s, halved 8 times (6 if quick), into r->data; claims that both orders
 * are 2 (slope of the last 4 step sizes). A failed run leaves its reason in r and no claims. */
static void fig3(result *r) {
  lab l;
  table_init(&r->data, "h,theta1,lam1");
  if (lab_open(&l, r, "slider-crank")) {
    const lab_plan plan = {.t_end = 1};
    int levels = r->quick ? 7 : 9;
    if (lab_ladder(&l, &plan, levels, errors_crank, 2, 0)) {
      claim_near(r, 2, 0.1, lab_slope(&r->data, 0, 1, 4), "order of the crank angle θ1");
      claim_near(r, 2, 0.1, lab_slope(&r->data, 0, 2, 4), "order of the multiplier λ1");
    }
  }
  lab_close(&l);
}

#define CONVERGENCE(name, q, lam, label_q, label_lam)                                        \
  static const chart_curve name##_curves[] = {                                               \
      {"h", q, label_q, CHART_MARKS}, {"h", lam, label_lam, CHART_MARKS}, {.y = NULL}};      \
  static const chart_panel name##_panels[] = {{.xlabel = "h (s)",                            \
                                               .ylabel = "relative error at the final time", \
                                               .log_x = true,                                \
                                               .log_y = true,                                \
                                               .slopes = {2},                                \
                                               .curves = name##_curves},                     \
                                              {.curves = NULL}};                             \
  static const chart name##_chart = {.panels = name##_panels}

CONVERGENCE(fig3, "theta1", "lam1", "crank angle θ1", "multiplier λ1");

/* A lab_error: raises error[0] to the relative error of beta, error[1] to that of lambda_1. */
static void errors_squeezer(const lab *l, const ga_state *x, const ga_state *exact, double *error) {
  (void)l;
  raise_relative_error(x->q[BETA], exact->q[BETA], &error[0]);
  raise_relative_error(x->lam[0], exact->lam[0], &error[1]);
}

/* Item ab07-fig9, AB07 Fig. 9: relative errors of beta and lambda_1 at t = 0.03 s. Orders from
 * the first SMOOTH step sizes (`smooth`: r->data with fewer rows); then, unless quick, the error
 * at the smallest h over the line of slope 2 continued (4^-k after k halvings): 1 as long as
 * rounding is negligible. */
static void fig9(result *r) {
  lab l;
  const lab_plan plan = {.t_end = 0.03};
  enum { SMOOTH = 7 };
  table_init(&r->data, "h,beta,lam1");
  if (lab_open(&l, r, "andrews-absolute")) {
    table smooth;
    bool good = lab_ladder(&l, &plan, r->quick ? 8 : 12, errors_squeezer, 2, 0);
    smooth = r->data;
    if (smooth.rows > SMOOTH) smooth.rows = SMOOTH;
    if (good) {
      claim_near(r, 2, 0.1, lab_slope(&smooth, 0, 1, 4), "order of the angle β");
      claim_near(r, 2, 0.1, lab_slope(&smooth, 0, 2, 4), "order of the multiplier λ1");
    }
    if (good && !r->quick) {
      int last = r->data.rows - 1;
      double line = pow(4, -(last - SMOOTH + 1));
      claim_threshold(claim_at_least(
          r, 2, table_at(&r->data, last, 2) / (line * table_at(&smooth, SMOOTH - 1, 2)),
          "error of λ1 at the smallest h over the straight line of order 2: the "
          "multipliers are more sensitive to numerical errors for very small h"));
      claim_addition(claim_near(
          r, 1, 0.5, table_at(&r->data, last, 1) / (line * table_at(&smooth, SMOOTH - 1, 1)),
          "the same for β, which stays on its line"));
    }
  }
  lab_close(&l);
}

CONVERGENCE(fig9, "beta", "lam1", "angle β", "multiplier λ1");

/* Fig. 5: the mechanism at some times, as lines through its points, cut by empty rows */

enum { SNAPSHOTS = 6 };

/* context of watch_mechanism; shot: the next snapshot */
typedef struct camera {
  table *t;
  int shot;
} camera;

/* A lab_watch: every 20th step (6 ms), SNAPSHOTS times, writes the points of the mechanism, in
 * drawing order, into the columns 2 shot (x) and 2 shot + 1 (y), and advances c->shot. A row of
 * NaN (NULL in `lines`) lifts the pen. */
static void watch_mechanism(void *context, const ga_state *s, long steps) {
  static const double A[] = {-.06934, -.00227}, B[] = {-.03635, .03273}, C[] = {.014, .072},
                      O[] = {0, 0};
  const double *q = s->q;
  const double *const J1 = q + X_J1, *const P = q + X_P, *const H = q + X_H, *const G = q + X_G,
                      *const D = q + X_D;
  /* crank, coupler, K3 with its spring arm, K4 and K5, K6 and K7; then the spring */
  const double *const lines[] = {O, J1, P, B, D, P, NULL, P, H, A, NULL, P, G, A, NULL, D, C};
  static const long every = 20;
  camera *c = context;
  if (steps % every != 0 || c->shot == SNAPSHOTS) return;
  for (int i = 0; i < (int)(sizeof lines / sizeof lines[0]); i++) {
    for (int k = 0; k < 2; k++) {
      table_set(c->t, i, 2 * c->shot + k, lines[i] ? lines[i][k] : NAN);
    }
  }
  c->shot++;
}

/* Item ab07-fig5, AB07 Fig. 5: six snapshots of Andrews' mechanism from 0 to 30 ms; claims that
 * the coupler J1-P (rows 1 and 2) keeps its length of 28 mm in all of them, within a relative
 * 1e-12. */
static void fig5(result *r) {
  lab l;
  table_init(&r->data, "x0,y0,x1,y1,x2,y2,x3,y3,x4,y4,x5,y5");
  if (lab_open(&l, r, "andrews-absolute")) {
    camera c = {.t = &r->data};
    const lab_plan plan = {.t_end = 0.03};
    double reach = 0;
    if (lab_run(&l, &plan, watch_mechanism, &c)) {
      for (int k = 0; k < SNAPSHOTS; k++) {
        /* the coupler from J1 to P keeps its length, row 1 to row 2 */
        double d = hypot(table_at(&r->data, 2, 2 * k) - table_at(&r->data, 1, 2 * k),
                         table_at(&r->data, 2, 2 * k + 1) - table_at(&r->data, 1, 2 * k + 1));
        reach = fmax(reach, fabs(d / 0.028 - 1));
      }
      claim_addition(
          claim_source(claim_at_most(r, 1e-12, reach,
                                     "relative change of the coupler's length d = 28 mm over the "
                                     "snapshots: positions stay on the constraints"),
                       "model"));
    }
  }
  lab_close(&l);
}

#define SNAPSHOT(k) \
  static const chart_curve fig5_##k[] = {{"x" #k, "y" #k, "", CHART_MARKS}, {.y = NULL}}
SNAPSHOT(0);
SNAPSHOT(1);
SNAPSHOT(2);
SNAPSHOT(3);
SNAPSHOT(4);
SNAPSHOT(5);
static const char *const fig5_names[] = {"O", "J", "P", "B", "D", "", "", "",  "H",
                                         "A", "",  "",  "G", "",  "", "", "C", NULL};
#define SHOT(k, time)                                                                   \
  {                                                                                     \
    .title = "t = " time " ms", .xlabel = "x (m)", .ylabel = "y (m)", .equal = true,    \
    .x = {-0.085, 0.03}, .y = {-0.03, 0.09}, .tic = 0.05, .names_at = {"x" #k, "y" #k}, \
    .names = fig5_names, .curves = fig5_##k                                             \
  }
static const chart_panel fig5_panels[] = {SHOT(0, "0"),    SHOT(1, "6"),  SHOT(2, "12"),
                                          SHOT(3, "18"),   SHOT(4, "24"), SHOT(5, "30"),
                                          {.curves = NULL}};
static const chart fig5_chart = {.panels = fig5_panels, .across = 2, .panel_height = 270};

/* Figs. 6, 7 and 8 */

/* A lab_watch; context is a table: stores t, x and y of P, beta, x'' and y'' of P, lambda_1 and
 * lambda_2 in the columns 0..7 of row `steps`. */
static void watch_squeezer(void *context, const ga_state *s, long steps) {
  const double row[] = {s->t,       s->q[X_P],      s->q[X_P + 1], s->q[BETA],
                        s->vd[X_P], s->vd[X_P + 1], s->lam[0],     s->lam[1]};
  for (int j = 0; j < 8; j++) table_set(context, (int)steps, j, row[j]);
}

/* Runs Andrews' mechanism to 0.03 s with the given rho_inf and step h (s); its history replaces
 * r->data. False, with the reason in r, if the run failed. */
static bool run_squeezer(result *r, double rho, double h) {
  lab l;
  table_init(&r->data, "t,x_P,y_P,beta,x_P_dd,y_P_dd,lam1,lam2");
  bool good = lab_open(&l, r, "andrews-absolute");
  if (good) {
    const lab_plan plan = {.t_end = 0.03};
    l.o.par = ga_params_rho(rho);
    l.o.h = h;
    good = lab_run(&l, &plan, watch_squeezer, &r->data);
  }
  lab_close(&l);
  return good;
}

/* Item ab07-fig6, AB07 Fig. 6: P and beta over t with h = 3e-4 s, rho_inf = 0.7; claims beta at
 * t = 0.03 s (column 3) and its error against relative coordinates. */
static void fig6(result *r) {
  if (!run_squeezer(r, 0.7, 3e-4)) return;
  int last = r->data.rows - 1;
  claim_source(claim_near(r, 15.8108, 0.15, table_at(&r->data, last, 3),
                          "β at t = 0.03 s with h = 3e-4 s, in rad"),
               "published benchmark");
  claim_addition(
      claim_source(claim_near(r, 1.068e-1, 1e-3, fabs(table_at(&r->data, last, 3) - 15.810771195),
                              "its error, the same in relative and in absolute coordinates"),
                   "relative coordinates"));
}

static const chart_curve fig6_p[] = {
    {"t", "x_P", "x of P", CHART_LINE}, {"t", "y_P", "y of P", CHART_LINE}, {.y = NULL}};
static const chart_curve fig6_beta[] = {{"t", "beta", "β", CHART_LINE}, {.y = NULL}};
static const chart_panel fig6_panels[] = {
    {.xlabel = "t (s)", .ylabel = "position of P (m)", .curves = fig6_p},
    {.xlabel = "t (s)", .ylabel = "β (rad)", .curves = fig6_beta},
    {.curves = NULL}};
static const chart fig6_chart = {.panels = fig6_panels, .panel_height = 260};

/* Fraction of column j that changes its sign from step to step: root mean square of (x_{n+1} - 2
 * x_n + x_{n-1})/4 over that of x_n; 1 for x_n = (-1)^n c, O(h^2) for a smooth x. */
static double sawtooth(const table *t, int j) {
  double saw = 0, size = 0;
  for (int i = 1; i + 1 < t->rows; i++) {
    double x = table_at(t, i, j);
    double d = (table_at(t, i + 1, j) - 2 * x + table_at(t, i - 1, j)) / 4;
    saw += d * d;
    size += x * x;
  }
  return sqrt(saw / size);
}

/* Item ab07-fig7, AB07 Fig. 7: with damping (rho_inf = 0.7) less than a tenth of the
 * acceleration of P (column 4) and of lambda_1 (column 6) alternates, as sawtooth() measures it. */
static void fig7(result *r) {
  if (!run_squeezer(r, 0.7, 3e-4)) return;
  claim_threshold(claim_at_most(r, 0.1, sawtooth(&r->data, 4),
                                "part of the acceleration of P that alternates from step to step"));
  claim_threshold(claim_at_most(r, 0.1, sawtooth(&r->data, 6), "the same for λ1"));
}

/* Item ab07-fig8, AB07 Fig. 8: without damping (rho_inf = 1) they alternate at least 5 times as
 * much as with rho_inf = 0.7. r->data keeps the undamped run; the damped one is temporary, and
 * its failure becomes that of r. */
static void fig8(result *r) {
  if (!run_squeezer(r, 1, 3e-4)) return;
  double undamped_a = sawtooth(&r->data, 4), undamped_l = sawtooth(&r->data, 6);
  result damped = {.quick = r->quick};
  if (run_squeezer(&damped, 0.7, 3e-4)) {
    claim_threshold(
        claim_at_least(r, 5, undamped_a / sawtooth(&damped.data, 4),
                       "alternating part of the acceleration of P, ρ∞ = 1 over ρ∞ = 0.7: strongly "
                       "affected by numerical oscillations"));
    claim_threshold(claim_at_least(r, 5, undamped_l / sawtooth(&damped.data, 6),
                                   "the same for λ1, the force inside body 1"));
  } else {
    result_fail(r, "%s", damped.failure);
  }
  table_free(&damped.data);
}

static const chart_curve fig7_a[] = {
    {"t", "x_P_dd", "x of P", CHART_LINE}, {"t", "y_P_dd", "y of P", CHART_LINE}, {.y = NULL}};
static const chart_curve fig7_l[] = {
    {"t", "lam1", "λ1 (x)", CHART_LINE}, {"t", "lam2", "λ2 (y)", CHART_LINE}, {.y = NULL}};
static const chart_panel fig7_panels[] = {
    {.xlabel = "t (s)", .ylabel = "acceleration of P (m/s²)", .curves = fig7_a},
    {.xlabel = "t (s)", .ylabel = "force in body 1 (N)", .curves = fig7_l},
    {.curves = NULL}};
static const chart fig7_chart = {.panels = fig7_panels, .panel_height = 260};

static const item figures[] = {
    {"ab07-fig2", "Fig. 2: slider-crank, crank angle and position of the additional mass",
     "Time histories of θ1 and x4 over one second for h = 5e-3 s, ρ∞ = 0.7. No numbers are given.",
     "Method index3 (Algorithm 1), uniform rods, no gravity (the paper leaves inertias and "
     "constraints open); beside it the same with h/64.",
     fig2, &fig2_chart, 0.3},
    {"ab07-fig3", "Fig. 3: slider-crank, convergence at t = 1 s",
     "Second-order convergence of the relative errors of θ1 and λ1.",
     "Method index3, ρ∞ = 0.7, h = 5e-3 s, halved again and again, against reference values of 17 "
     "digits.",
     fig3, &fig3_chart, 1},
    {"ab07-fig5", "Fig. 5: snapshots of Andrews' squeezing mechanism",
     "Motion snapshots for h = 3e-4 s, ρ∞ = 0.7.",
     "Method index3 in 31 absolute coordinates with 30 constraints, as in the paper.", fig5,
     &fig5_chart, 0.2},
    {"ab07-fig6", "Fig. 6: Andrews' mechanism, position of P and angle β",
     "Time histories for h = 3e-4 s, ρ∞ = 0.7.", "Method index3, 31 absolute coordinates.", fig6,
     &fig6_chart, 0.2},
    {"ab07-fig7", "Fig. 7: Andrews' mechanism, accelerations of P and multipliers",
     "Smooth curves with numerical damping, ρ∞ = 0.7, h = 3e-4 s.",
     "Method index3; the multipliers of the crank pin carry the force in body 1.", fig7,
     &fig7_chart, 0.2},
    {"ab07-fig8", "Fig. 8: the same without numerical damping",
     "With ρ∞ = 1 accelerations and multipliers are strongly affected by numerical oscillations.",
     "As Fig. 7 with ρ∞ = 1; the alternating part is the second difference over 4, as a root mean "
     "square.",
     fig8, &fig7_chart, 0.3},
    {"ab07-fig9", "Fig. 9: Andrews' mechanism, convergence at t = 0.03 s",
     "Second-order convergence of β and λ1; for very small h the multipliers are more sensitive to "
     "numerical errors.",
     "Method index3, ρ∞ = 0.7, h from 3e-4 s down to 1.5e-7 s in halvings.", fig9, &fig9_chart, 8},
};

static const item *const items[] = {
    &ab07_fig1,     &figures[0],  &figures[1],      &ab07_fig4,   &figures[2],
    &figures[3],    &figures[4],  &figures[5],      &figures[6],  &ab07_conditioning,
    &ab07_two_step, &ab07_roots,  &ab07_truncation, &ab07_newton, &ab07_lemma1,
    &ab07_lemma2,   &ab07_lemma3, &ab07_variable,   NULL};

const paper paper_ab07 = {
    "ab07",
    "M. Arnold, O. Brüls: Convergence of the generalized-α scheme for constrained mechanical "
    "systems. Multibody System Dynamics 18 (2007) 185–202",
    items};
