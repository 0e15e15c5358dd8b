/* SPDX-License-Identifier: MIT */
/* Jay, Negrut 2008: figures 1 and 2 with alternating steps, the remark of section 7, Theorem 1. */
#include <math.h>

#include "papers/jn08.h"

/* steps h/3, 2h/3, h/3, ..: fractions of h that are used in turn */
static const double ALTERNATING[] = {1.0 / 3, 2.0 / 3};

/* fields whose orders are claimed (FIELD_.. of study.h), and their names in the paper */
static const int fields[] = {FIELD_Q, FIELD_V, FIELD_A, FIELD_LAM, FIELD_PSI};
static const char *const names[] = {"y", "z", "a", "λ", "ψ"};

/* JN08 section 8: errors at t = 1 of method soi2 with steps alternating h/3, 2h/3 (h = 0.05,
 * halved 8 times, 5 if quick) into r->data; rescale: with or without the modifications (15),
 * (16). Claims that y, z, a, lambda, psi have the orders order[0..4]. A failed run leaves its
 * reason in r and no claims. */
static void study_alternating(result *r, ga_rescale rescale, const double *order) {
  lab l;
  table_init(&r->data, "h,y,z,a,zd,lam,psi");
  if (lab_open(&l, r, "jay-negrut-soi2")) {
    const lab_plan plan = {.t_end = 1};
    l.o.method = "soi2";
    l.o.h_fractions = ALTERNATING;
    l.o.h_fractions_n = 2;
    l.o.start = GA_START_SHIFTED;
    l.o.mass_at = GA_MASS_PREVIOUS;
    l.o.rescale = rescale;
    l.o.h = 0.05;
    if (lab_ladder(&l, &plan, r->quick ? 6 : 9, lab_euclid, FIELDS, 0)) {
      for (int i = 0; i < 5; i++) {
        claim_near(r, order[i], 0.1, lab_slope(&r->data, 0, 1 + fields[i], 3), "order of %s",
                   names[i]);
      }
    }
  }
  lab_close(&l);
}

/* Item jn08-fig1: with (15) and (16) all orders are 2. */
static void fig1(result *r) {
  study_alternating(r, GA_RESCALE_ALL, (const double[]){2, 2, 2, 2, 2});
}

/* Item jn08-fig2: without them a, lambda and psi have order 1. */
static void fig2(result *r) {
  study_alternating(r, GA_RESCALE_NONE, (const double[]){2, 2, 1, 1, 1});
}

static const chart_curve curves[] = {{"h", "y", "y", CHART_MARKS},   {"h", "z", "z", CHART_MARKS},
                                     {"h", "a", "a", CHART_MARKS},   {"h", "lam", "λ", CHART_MARKS},
                                     {"h", "psi", "ψ", CHART_MARKS}, {.y = NULL}};
#define PANEL(list, ...)                                                               \
  {                                                                                    \
    .xlabel = "average step h/2", .ylabel = "Euclidean error at t = 1", .log_x = true, \
    .log_y = true, .slopes = __VA_ARGS__, .curves = list                               \
  }
static const chart_panel fig1_panels[] = {PANEL(curves, {2}), {.curves = NULL}};
static const chart_panel fig2_panels[] = {PANEL(curves, {2, 1}), {.curves = NULL}};
static const chart fig1_chart = {.panels = fig1_panels};
static const chart fig2_chart = {.panels = fig2_panels};

/* section 7's remark on y, z: true where the constraints determine z, as in section 8; the heavy
 * top is free to move */

/* Item jn08-remark, JN08 section 7: errors at t = 0.2 s on the heavy top, whose constraints
 * leave z free, with alternating steps: columns 0..6 without (15), (16), columns 7..13 with
 * them. Claims on the orders of y and z, corrected to 1 without them, against the remark. */
static void remark(result *r) {
  static const char *const why =
      "the remark holds only where the constraints determine z fully, as in the test problem of "
      "section 8; with freedom left, a first-order a enters y and z.";
  lab l;
  table_init(&r->data, "h,y,z,a,zd,lam,psi,h_c,y_c,z_c,a_c,zd_c,lam_c,psi_c");
  if (lab_open(&l, r, "heavy-top")) {
    const lab_plan plan = {.t_end = 0.2};
    int levels = r->quick ? 5 : 6;
    l.o.method = "soi2";
    l.o.h_fractions = ALTERNATING;
    l.o.h_fractions_n = 2;
    l.o.start = GA_START_SHIFTED;
    l.o.par = ga_params_rho(0.2);
    l.o.h = 2e-3;
    bool good = lab_ladder(&l, &plan, levels, lab_euclid, FIELDS, 7);
    l.o.rescale = GA_RESCALE_NONE;
    good = good && lab_ladder(&l, &plan, levels, lab_euclid, FIELDS, 0);
    for (int i = 0; i < 2 && good; i++) {
      claim *c = claim_near(r, 2, 0.2, lab_slope(&r->data, 0, 1 + fields[i], 3),
                            "order of %s without the modifications (15), (16)", names[i]);
      claim_corrected(c, 1, why);
      claim_near(r, 2, 0.1, lab_slope(&r->data, 7, 8 + fields[i], 3), "order of %s with them",
                 names[i]);
    }
  }
  lab_close(&l);
}

static const chart_curve remark_curves[] = {{"h", "y", "y, unmodified", CHART_MARKS},
                                            {"h", "z", "z, unmodified", CHART_MARKS},
                                            {"h_c", "y_c", "y, modified", CHART_MARKS},
                                            {"h_c", "z_c", "z, modified", CHART_MARKS},
                                            {.y = NULL}};
static const chart_panel remark_panels[] = {{.xlabel = "average step h/2 (s)",
                                             .ylabel = "Euclidean error at t = 0.2 s",
                                             .log_x = true,
                                             .log_y = true,
                                             .slopes = {2, 1},
                                             .curves = remark_curves},
                                            {.curves = NULL}};
static const chart remark_chart = {.panels = remark_panels};

/* Theorem 1: the rate at which a start layer decays */

/* Item jn08-theorem1: decay per step of the error that a plain start leaves (the start layer)
 * for three rho_inf, where the constraints determine z (`fixed`) and where they leave one
 * freedom (`free`); claims that it is at most the theorem's rate, or else the corrected one. The
 * table is that of the second measurement. */
static void theorem1(result *r) {
  decay fixed[RATES], free[RATES];
  if (!rates_measure(r, "jay-negrut-soi2", "soi2", fixed)) return;
  if (!rates_measure(r, "pendulum-spring", "soi2", free)) return;
  for (int k = 0; k < RATES; k++) {
    char what[100];
    rates of = rates_of(rates_rho[k]);
    snprintf(what, sizeof what, "layer in λ, ψ of the test problem, ρ∞ = %g", rates_rho[k]);
    rates_judge(r, of.m, fmax(of.gamma, of.f), fixed[k].mult,
                "the theorem names r_αm = |α_m/(1−α_m)| alone; a layer also falls like r_γ and "
                "r_αf, the multipliers like the larger of these two.",
                what);
    snprintf(what, sizeof what, "layer in a of the pendulum, ρ∞ = %g", rates_rho[k]);
    rates_judge(r, of.m, fmax(of.m, of.gamma), free[k].a,
                "the part of a normal to the constraints falls like r_γ, which the theorem does "
                "not name.",
                what);
  }
}

static const item figures[] = {
    {"jn08-fig1", "Fig. 1: steps alternating h/3, 2h/3, with (15) and (16)",
     "Order 2 in y, z, a, λ and ψ at t = 1, ρ∞ = 0.2.",
     "Method soi2 with M_α kept from the step before, so that (16) is used too.", fig1, &fig1_chart,
     0.4},
    {"jn08-fig2", "Fig. 2: the same without (15) and (16)",
     "The order of a, λ, ψ falls to 1; y and z keep order 2.", "Method soi2, rescale none.", fig2,
     &fig2_chart, 0.4},
    {"jn08-remark", "Section 7: are the modifications needed for y and z?",
     "The modifications are not necessary to preserve the second order of y and z.",
     "Method soi2 on the heavy top, which is left three degrees of freedom, steps h/3, 2h/3, ρ∞ = "
     "0.2, at t = 0.2 s.",
     remark, &remark_chart, 2},
    {"jn08-theorem1", "Theorem 1: decay of a start layer",
     "With a_α = a_0 the errors of a, λ, ψ are O(h² + rⁿh) with r = |α_m/(1−α_m)|.",
     "Difference of two runs of soi2, plain and shifted start, h = 1e-5, 110 steps: on the test "
     "problem, whose constraints leave no freedom, and on the pendulum of JN07, which has one "
     "(picture).",
     theorem1, &rates_chart, 0.1},
};

static const item *const items[] = {&figures[0], &figures[1],  &figures[2], &jn08_notation,
                                    &figures[3], &jn08_alpham, NULL};

const paper paper_jn08 = {
    "jn08",
    "L. O. Jay, D. Negrut: A second order extension of the generalized-α method for constrained "
    "systems in mechanics. In: Multibody Dynamics, Computational Methods in Applied Sciences 12 "
    "(2008) 143–158",
    items};
