/* SPDX-License-Identifier: MIT */
/* Arnold, Brüls 2007, section 2.3: variable steps and the update of gamma, with and without
 * constraints. */
#include <math.h>

#include "papers/ab07.h"

static const double ALTERNATING[] = {2.0 / 3, 1.0 / 3};

/* A lab_error: Euclidean errors of v into error[0], of lambda into error[1]. */
static void errors_v_lam(const lab *l, const ga_state *x, const ga_state *exact, double *error) {
  double all[FIELDS] = {0};
  lab_euclid(l, x, exact, all);
  error[0] = fmax(error[0], all[FIELD_V]);
  error[1] = fmax(error[1], all[FIELD_LAM]);
}

enum { WIDTH = 3 }; /* h, v, lambda */

/* One study: errors at t_end for steps alternating 2h/3, h/3, with h halved four times, into the
 * table from `column` on. False, with the reason in r, if a run failed. */
static bool run_alternating(result *r, const char *problem, const char *method, ga_rescale rescale,
                            double h, double t_end, int column) {
  lab l;
  bool good = lab_open(&l, r, problem);
  if (good) {
    const lab_plan plan = {.t_end = t_end};
    if (l.problem->model.nlam == 0) l.o.par = ga_params_rho(0.2);
    l.o.method = method;
    l.o.h_fractions = ALTERNATING;
    l.o.h_fractions_n = 2;
    l.o.rescale = rescale;
    l.o.h = h;
    good = lab_ladder(&l, &plan, 5, errors_v_lam, 2, column);
  }
  lab_close(&l);
  return good;
}

enum { ODE_NONE, ODE_GAMMA, STAB2_NONE, STAB2_GAMMA, INDEX3_GAMMA, INDEX3_ALL, STUDIES };

/* Order of the error of v (field 1) or lambda (field 2) in study study_at. */
static double study_order(const result *r, int study_at, int field) {
  return lab_slope(&r->data, WIDTH * study_at, WIDTH * study_at + field, 3);
}

/* Adds all claims from the finished table. known: errors of lambda of an independent computation
 * at the five step sizes, of which the first and the last are compared. */
static void claim_orders(result *r) {
  static const double known[] = {6.6, 2.3, 0.49, 0.086, 0.016};
  claim_near(
      r, 1, 0.1, study_order(r, ODE_NONE, 1),
      "order of v, oscillator, γ by (20): the condition is no more valid for variable steps");
  claim_near(r, 2, 0.1, study_order(r, ODE_GAMMA, 1),
             "order of v, oscillator, γ updated in each step");
  claim_addition(claim_at_most(r, 1.5, study_order(r, STAB2_NONE, 2),
                               "order of λ, heavy top, stab2, no update: on its way down to 1"));
  claim_addition(claim_near(r, 2, 0.1, study_order(r, STAB2_GAMMA, 2),
                            "order of λ, heavy top, stab2, γ updated: it suffices"));
  claim_addition(claim_at_most(r, 1.5, study_order(r, INDEX3_GAMMA, 2),
                               "order of λ, heavy top, index3, γ updated: it does not suffice"));
  /* at the smallest h the rounding of λ, about 2 % of its error, is seen */
  const double tolerance[] = {0.03, 0.03, 0.03, 0.03, 0.08};
  for (int i = 0; i < 5; i += 4) {
    claim_addition(
        claim_source(claim_near(r, known[i], tolerance[i] * known[i],
                                table_at(&r->data, i, WIDTH * INDEX3_ALL + 2),
                                "error of λ, index3, a and the hidden residual rescaled, h = %g s",
                                2 * table_at(&r->data, i, WIDTH * INDEX3_ALL)),
                     "independent computation"));
  }
}

/* Item ab07-variable, AB07 section 2.3: errors of v and lambda over h of the six studies, study
 * k in columns 3k (h) to 3k + 2, then the claims; none if a run failed. */
static void variable(result *r) {
  static const struct {
    const char *problem, *method;
    ga_rescale rescale;
    double h, t_end;
  } all[STUDIES] = {
      {"oscillator", "index3", GA_RESCALE_NONE, 0.02, 0.7},
      {"oscillator", "index3", GA_RESCALE_GAMMA, 0.02, 0.7},
      {"heavy-top", "stab2", GA_RESCALE_NONE, 2e-3, 0.2},
      {"heavy-top", "stab2", GA_RESCALE_GAMMA, 2e-3, 0.2},
      {"heavy-top", "index3", GA_RESCALE_GAMMA, 2e-3, 0.2},
      {"heavy-top", "index3", GA_RESCALE_ALL, 2e-3, 0.2},
  };
  table_init(&r->data,
             "h_on,v_on,lam_on,h_og,v_og,lam_og,h_sn,v_sn,lam_sn,h_sg,v_sg,lam_sg,"
             "h_3g,v_3g,lam_3g,h_3a,v_3a,lam_3a");
  bool good = true;
  for (int k = 0; k < STUDIES && good; k++) {
    good = run_alternating(r, all[k].problem, all[k].method, all[k].rescale, all[k].h, all[k].t_end,
                           WIDTH * k);
  }
  if (good) claim_orders(r);
}

static const chart_curve ode[] = {{"h_on", "v_on", "γ by (20)", CHART_MARKS},
                                  {"h_og", "v_og", "γ updated", CHART_MARKS},
                                  {.y = NULL}};
static const chart_curve top[] = {{"h_sn", "lam_sn", "stab2, no update", CHART_MARKS},
                                  {"h_sg", "lam_sg", "stab2, γ updated", CHART_MARKS},
                                  {"h_3g", "lam_3g", "index3, γ updated", CHART_MARKS},
                                  {"h_3a", "lam_3a", "index3, a and v", CHART_MARKS},
                                  {.y = NULL}};
static const chart_panel panels[] = {{.title = "oscillator",
                                      .xlabel = "average step h/2 (s)",
                                      .ylabel = "error of v (m/s)",
                                      .log_x = true,
                                      .log_y = true,
                                      .slopes = {2, 1},
                                      .curves = ode},
                                     {.title = "heavy top",
                                      .xlabel = "average step h/2 (s)",
                                      .ylabel = "error of λ (N)",
                                      .log_x = true,
                                      .log_y = true,
                                      .slopes = {2},
                                      .curves = top},
                                     {.curves = NULL}};
static const chart variable_chart = {.panels = panels};

const item ab07_variable = {
    "ab07-variable",
    "Section 2.3: variable steps, update of γ",
    "For variable steps (20) is no more valid and should be replaced by an update of γ in each "
    "step "
    "to guarantee second-order accuracy.",
    "Steps alternating 2h/3, h/3, plain start. Oscillator (ω = 2π, ρ∞ = 0.2) at t = 0.7 s; heavy "
    "top "
    "at t = 0.2 s, where constraints come in: stab2 with the update, index3 with it, and index3 "
    "with "
    "a and the residual of the hidden constraint rescaled instead.",
    variable,
    &variable_chart,
    1};
