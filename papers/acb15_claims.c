/* SPDX-License-Identifier: MIT */
/* Arnold, Cardona, Brüls 2015: order 2 of the stabilized index-2 formulation in all components, and
 * constraints that depend on time. */
#include <math.h>

#include "papers/acb15.h"

/* stab2: largest errors over all steps */

enum { LAST = FIELDS, STAB_ERRORS };

/* A lab_error: those of lab_euclid, and error[LAST] is raised to |B v| (three constraints).
 * error must have room for STAB_ERRORS numbers. */
static void stab_errors(const lab *l, const ga_state *x, const ga_state *exact, double *error) {
  lab_euclid(l, x, exact, error);
  double Bv[3] = {0};
  if (lab_hidden(&l->problem->model, x, Bv)) {
    error[LAST] = fmax(error[LAST], lab_norm(3, Bv, NULL));
  }
}

/* Item acb15-stab2: largest errors of stab2 over 0 < t <= 0.5 s, h = 2e-3 s, halved, on the
 * heavy top into the table; claims order 2 of q, v, v', lambda and that B v stays zero (1e-10
 * m/s). */
static void stab2(result *r) {
  static const int fields[] = {FIELD_Q, FIELD_V, FIELD_VD, FIELD_LAM};
  static const char *const names[] = {"q", "v", "v'", "λ"};
  lab l;
  table_init(&r->data, "h,q,v,a,vd,lam,psi,Bv");
  if (lab_open(&l, r, "heavy-top")) {
    const lab_plan plan = {.t_end = 0.5, .from = 0, .to = 0.5};
    l.o.method = "stab2";
    l.o.start = GA_START_SHIFTED;
    l.o.h = 2e-3;
    if (lab_ladder(&l, &plan, r->quick ? 4 : 5, stab_errors, STAB_ERRORS, 0)) {
      for (int i = 0; i < 4; i++) {
        claim_near(r, 2, 0.1, lab_slope(&r->data, 0, 1 + fields[i], 3),
                   "order of the largest error of %s in [0, 0.5 s]", names[i]);
      }
      claim *c =
          claim_at_most(r, 0, table_at(&r->data, 0, 1 + LAST),
                        "largest |B v| in m/s, h = 2e-3 s: the hidden constraints hold, too");
      c->tolerance = 1e-10;
    }
  }
  lab_close(&l);
}

static const chart_curve stab2_curves[] = {{"h", "q", "q", CHART_MARKS},
                                           {"h", "v", "v", CHART_MARKS},
                                           {"h", "vd", "v'", CHART_MARKS},
                                           {"h", "lam", "λ", CHART_MARKS},
                                           {.y = NULL}};
static const chart_panel stab2_panels[] = {{.xlabel = "h (s)",
                                            .ylabel = "largest error in [0, 0.5 s]",
                                            .log_x = true,
                                            .log_y = true,
                                            .slopes = {2},
                                            .curves = stab2_curves},
                                           {.curves = NULL}};
static const chart stab2_chart = {.panels = stab2_panels};

const item acb15_stab2 = {
    "acb15-stab2",
    "Abstract: the stabilized index-2 formulation",
    "A generalized-α Lie group method for the stabilized index-2 formulation achieves second-order "
    "convergence for all solution components.",
    "Method stab2, heavy top, ρ∞ = 0.9, consistent starting values, largest error over all steps.",
    stab2,
    &stab2_chart,
    1};

/* rheonomic: a mass on a circle of driven radius */

enum { RHEO_PLAIN, RHEO_PERTURBED, RHEO_BEFORE, RHEO_PROJECTED, RHEO_STAB2, RHEOS };

/* A lab_error: |error of the first multiplier| into error[0]. */
static void force_error(const lab *l, const ga_state *x, const ga_state *exact, double *error) {
  (void)l;
  error[0] = fmax(error[0], fabs(x->lam[0] - exact->lam[0]));
}

/* Runs to t with step h, then returns (G v + g_t) of the run over h^2 G r. The denominator is the
 * residual that GA_PROJECT_KEEP_ORDER leaves after a plain projection. NaN if it failed; sets
 * l->o.h. */
static double settled_quotient(lab *l, double t, double h) {
  double now[1], target[1], quotient = NAN;
  l->o.h = h;
  ga_integrator *it = lab_start(l);
  const ga_state *s = it ? ga_integrator_state(it) : NULL;
  if (it && ga_integrator_run(it, t) == GA_OK && lab_hidden(&l->problem->model, s, now) &&
      ga_integrator_project_velocity(it, GA_PROJECT_PLAIN, NULL) == GA_OK &&
      ga_integrator_project_velocity(it, GA_PROJECT_KEEP_ORDER, NULL) == GA_OK &&
      lab_hidden(&l->problem->model, s, target)) {
    quotient = now[0] / target[0];
  } else {
    result_fail(l->r, "the driven circle with h = %g did not arrive at t = %g", h, t);
  }
  ga_integrator_free(it);
  return quotient;
}

/* Item acb15-rheonomic: largest errors of lambda for five combinations of method, start and
 * projection, combination k in columns 2k (h) and 2k + 1; claims their orders, then (ours) that
 * G v + g_t settles at h^2 G r. A failed combination ends the five. */
static void rheonomic(result *r) {
  static const struct {
    const char *method, *what;
    ga_start start;
    double to, project_at, order;
  } all[RHEOS] = {
      {"index3", "consistent starting values", GA_START_PLAIN, 1, 0, 1},
      {"index3", "perturbed starting values", GA_START_PERTURBED, 1, 0, 2},
      {"index3", "[0, t*], perturbed starting values", GA_START_PERTURBED, 0.5, 0, 2},
      {"index3", "[0, 1] with a velocity projection at t* = 0.5", GA_START_PERTURBED, 1, 0.5, 1},
      {"stab2", "stab2, consistent starting values", GA_START_SHIFTED, 1, 0, 2}};
  lab l;
  table_init(&r->data, "h,plain,h1,perturbed,h2,before,h3,projected,h4,stab2");
  if (lab_open(&l, r, "rheonomic")) {
    l.o.par = ga_params_rho(0.9);
    for (int k = 0; k < RHEOS; k++) {
      const lab_plan plan = {.t_end = all[k].to, .project_at = all[k].project_at, .to = all[k].to};
      l.o.method = all[k].method;
      l.o.start = all[k].start;
      l.o.h = 0.02; /* below 1e-3 rounding is seen in the smallest errors of λ */
      if (!lab_ladder(&l, &plan, 5, force_error, 1, 2 * k)) break;
      claim_near(r, all[k].order, 0.15, lab_slope(&r->data, 2 * k, 2 * k + 1, 3),
                 "order of the largest error of λ, %s", all[k].what);
    }
    l.o.method = "index3";
    l.o.start = GA_START_PLAIN;
    claim_addition(
        claim_near(r, 1, 0.02, settled_quotient(&l, 0.9, 1e-3),
                   "G v + g_t of a run over h² G r at t = 0.9, h = 1e-3: the same r as for "
                   "constraints without t"));
  }
  lab_close(&l);
}

static const chart_curve rheonomic_curves[] = {{"h", "plain", "consistent start", CHART_MARKS},
                                               {"h1", "perturbed", "perturbed start", CHART_MARKS},
                                               {"h3", "projected", "projected at t*", CHART_MARKS},
                                               {"h4", "stab2", "stab2", CHART_MARKS},
                                               {.y = NULL}};
static const chart_panel rheonomic_panels[] = {{.xlabel = "h",
                                                .ylabel = "largest error of λ in (0, 1]",
                                                .log_x = true,
                                                .log_y = true,
                                                .slopes = {2, 1},
                                                .curves = rheonomic_curves},
                                               {.curves = NULL}};
static const chart rheonomic_chart = {.panels = rheonomic_panels};

const item acb15_rheonomic = {
    "acb15-rheonomic",
    "Section 2: rheonomic constraints",
    "All results remain valid for constraints Φ(q, t) = 0 that depend explicitly on time.",
    "A mass on a circle whose radius is driven, closed solution, ρ∞ = 0.9: order reduction by "
    "consistent "
    "starting values and by a velocity projection, order 2 with perturbed values and with stab2.",
    rheonomic,
    &rheonomic_chart,
    0.3};
