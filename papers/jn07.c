/* SPDX-License-Identifier: MIT */
/* Jay, Negrut 2007: figures 5.1 to 5.8 of the extended HHT method, and the order of
 * its variants. */
#include <math.h>

#include "papers/jn07.h"

/* steps h/3, 2h/3, h/3, ..: fractions of h that are used in turn */
static const double ALTERNATING[] = {1.0 / 3, 2.0 / 3};

/* JN07 section 5.1: errors of y, z, a at t = 1 on the first test problem (alpha = -0.15, b =
 * 0.3, h = 0.1, halved 9 times, 6 if quick) into r->data, with constant or alternating steps
 * h/3, 2h/3; claims that all have the given order (tolerance 0.1). a is the applied term
 * f(t,y,z) alone. A failed run leaves its reason in r and no claims. */
static void first_test(result *r, const char *variant, bool alternating, ga_rescale rescale,
                       double order) {
  static const int fields[] = {FIELD_Q, FIELD_V, FIELD_A};
  static const char *const names[] = {"y", "z", "a"};
  lab l;
  table_init(&r->data, "h,y,z,a,zd,lam,psi");
  if (lab_open(&l, r, "jay-negrut-hht")) {
    const lab_plan plan = {.t_end = 1};
    l.o.method = "hht";
    l.o.variant = variant;
    l.o.rescale = rescale;
    l.o.h_fractions = alternating ? ALTERNATING : NULL;
    l.o.h_fractions_n = alternating ? 2 : 0;
    l.o.par = ga_params_hht(-0.15, 0.3);
    l.o.h = 0.1;
    if (lab_ladder(&l, &plan, r->quick ? 7 : 10, lab_euclid, FIELDS, 0)) {
      for (int i = 0; i < 3; i++) {
        claim_near(r, order, 0.1, lab_slope(&r->data, 0, 1 + fields[i], 3), "order of %s",
                   names[i]);
      }
    }
  }
  lab_close(&l);
}

/* Item jn07-fig5.1: method (3.4), constant steps, order 2. */
static void fig51(result *r) {
  first_test(r, "3.4", false /* constant steps */, GA_RESCALE_ALL, 2);
}

/* Item jn07-fig5.2: method (3.5), R1 at the predicted point, constant steps, order 2. */
static void fig52(result *r) {
  first_test(r, "3.5", false /* constant steps */, GA_RESCALE_ALL, 2);
}

/* Item jn07-fig5.3: alternating steps without the correction (2.3) of a_n, order 1. */
static void fig53(result *r) {
  first_test(r, "3.4", true /* alternating */, GA_RESCALE_NONE, 1);
}

/* Item jn07-fig5.4: alternating steps with the correction (2.3), order 2 again. */
static void fig54(result *r) {
  first_test(r, "3.4", true /* alternating */, GA_RESCALE_ALL, 2);
}

static const chart_curve first_curves[] = {{"h", "y", "y", CHART_MARKS},
                                           {"h", "z", "z", CHART_MARKS},
                                           {"h", "a", "a", CHART_MARKS},
                                           {.y = NULL}};
#define FIRST_CHART(name, label, order)                                           \
  static const chart_panel name##_panels[] = {{.xlabel = label,                   \
                                               .ylabel = "global error at t = 1", \
                                               .log_x = true,                     \
                                               .log_y = true,                     \
                                               .slopes = {order},                 \
                                               .curves = first_curves},           \
                                              {.curves = NULL}};                  \
  static const chart name##_chart = {.panels = name##_panels}
FIRST_CHART(constant, "h", 2);
FIRST_CHART(reduced, "average step h/2", 1);
FIRST_CHART(average, "average step h/2", 2);

/* Fig. 5.6: the pendulum's angle */

enum { THETA = 2 }; /* index of theta in q = (x, y, theta), of theta' in v */

/* A lab_watch; context is a table: stores t and theta (rad) of this step in row `steps`, columns 0
 * and 1. */
static void watch_angle(void *context, const ga_state *s, long steps) {
  table_set(context, (int)steps, 0, s->t);
  table_set(context, (int)steps, 1, s->q[THETA]);
}

/* Item jn07-fig5.6: theta over t on [0, 4 s] with h = 2e-3 s into r->data; claims theta at 2 s (row
 * 1000) and 4 s (row 2000) against the reference solution, within 2e-3 rad. */
static void fig56(result *r) {
  lab l;
  table_init(&r->data, "t,theta");
  if (lab_open(&l, r, "pendulum-spring")) {
    const lab_plan plan = {.t_end = 4};
    l.o.method = "hht";
    l.o.par = ga_params_hht(0, 0);
    l.o.h = 2e-3;
    if (lab_run(&l, &plan, watch_angle, &r->data)) {
      claim_source(claim_near(r, 4.7277786999, 2e-3, table_at(&r->data, 1000, 1),
                              "θ at t = 2 s with h = 2e-3 s, in rad"),
                   "reference solution");
      claim_source(
          claim_near(r, 4.7118681159, 2e-3, table_at(&r->data, 2000, 1), "θ at t = 4 s, in rad"),
          "reference solution");
    }
  }
  lab_close(&l);
}

static const chart_curve fig56_curves[] = {{"t", "theta", "y3 = θ", CHART_LINE}, {.y = NULL}};
static const chart_panel fig56_panels[] = {
    {.xlabel = "t (s)", .ylabel = "pendulum angle (rad)", .curves = fig56_curves},
    {.curves = NULL}};
static const chart fig56_chart = {.panels = fig56_panels};

/* Figs. 5.7, 5.8: errors of theta (rad) and theta' (rad/s) at t = 2 s */

/* A lab_error: raises error[0] to |error| of theta, error[1] to that of theta'. */
static void errors_pendulum(const lab *l, const ga_state *x, const ga_state *exact, double *error) {
  (void)l;
  error[0] = fmax(error[0], fabs(x->q[THETA] - exact->q[THETA]));
  error[1] = fmax(error[1], fabs(x->v[THETA] - exact->v[THETA]));
}

/* JN07 section 5.2, method hht with parameter alpha, b = 0: errors of theta (y3) and theta' (z3)
 * at t = 2 s for h = 2^-6 s, halved 9 times (7 if quick), into columns 1 and 2 of r->data, h in
 * column 0; claims that both orders are 2 (tolerance 0.1, slope of the last 3 step sizes). A
 * failed run leaves its reason in r and no claims. */
static void pendulum(result *r, double alpha) {
  lab l;
  table_init(&r->data, "h,y3,z3");
  if (lab_open(&l, r, "pendulum-spring")) {
    const lab_plan plan = {.t_end = 2};
    l.o.method = "hht";
    l.o.par = ga_params_hht(alpha, 0);
    l.o.h = 0.015625;
    if (lab_ladder(&l, &plan, r->quick ? 8 : 10, errors_pendulum, 2, 0)) {
      claim_near(r, 2, 0.1, lab_slope(&r->data, 0, 1, 3), "order of y3 = θ");
      claim_near(r, 2, 0.1, lab_slope(&r->data, 0, 2, 3),
                 "order of z3, after its error has changed its sign");
    }
  }
  lab_close(&l);
}

/* Item jn07-fig5.7: alpha = 0. */
static void fig57(result *r) {
  pendulum(r, 0);
}

/* Item jn07-fig5.8: alpha = -0.3. */
static void fig58(result *r) {
  pendulum(r, -0.3);
}

static const chart_curve pendulum_curves[] = {
    {"h", "y3", "y3", CHART_MARKS}, {"h", "z3", "z3", CHART_MARKS}, {.y = NULL}};
static const chart_panel pendulum_panels[] = {{.xlabel = "h (s)",
                                               .ylabel = "global error at t = 2 s",
                                               .log_x = true,
                                               .log_y = true,
                                               .slopes = {2},
                                               .curves = pendulum_curves},
                                              {.curves = NULL}};
static const chart pendulum_chart = {.panels = pendulum_panels};

/* variants */

enum { VARIANTS = 6, WIDTH = FIELDS + 1 }; /* columns of one variant: h and the errors */

/* Item jn07-variants, JN07 sections 3, 6, 7: errors at t = 1 for h = 0.05, halved, of six
 * variants of method hht, variant k into the WIDTH columns from k WIDTH on; claims that y, z and
 * the multiplier have order 2. The multiplier is lambda, for the last variant (index2) psi. A
 * variant whose run failed has no claims. */
static void variants(result *r) {
  static const struct {
    const char *name, *problem;
    double b;
  } all[VARIANTS] = {{"3.4", "jay-negrut-hht", 0.3},       {"3.5", "jay-negrut-hht", 0.3},
                     {"mid", "jay-negrut-hht", 0},         {"mid3.5", "jay-negrut-hht", 0},
                     {"lunk-simeon", "jay-negrut-hht", 0}, {"index2", "jay-nonholonomic", 0}};
  static const int fields[] = {FIELD_Q, FIELD_V, FIELD_LAM};
  static const char *const names[] = {"y", "z", "λ"};
  table_init(&r->data,
             "h,q_34,v_34,a_34,vd_34,lam_34,psi_34,h2,q_35,v_35,a_35,vd_35,lam_35,psi_35,"
             "h3,q_mid,v_mid,a_mid,vd_mid,lam_mid,psi_mid,"
             "h4,q_mid35,v_mid35,a_mid35,vd_mid35,lam_mid35,psi_mid35,"
             "h5,q_ls,v_ls,a_ls,vd_ls,lam_ls,psi_ls,h6,q_index2,v_index2,a_index2,vd_index2,"
             "lam_index2,psi_index2");
  for (int k = 0; k < VARIANTS; k++) {
    lab l;
    if (lab_open(&l, r, all[k].problem)) {
      const lab_plan plan = {.t_end = 1};
      l.o.method = "hht";
      l.o.variant = all[k].name;
      l.o.par = ga_params_hht(-0.15, all[k].b);
      l.o.h = 0.05;
      bool last = k == VARIANTS - 1;
      if (lab_ladder(&l, &plan, r->quick ? 7 : 9, lab_euclid, FIELDS, k * WIDTH)) {
        for (int i = 0; i < 3; i++) {
          int field = last && fields[i] == FIELD_LAM ? FIELD_PSI : fields[i];
          claim_near(r, 2, 0.1, lab_slope(&r->data, k * WIDTH, k * WIDTH + 1 + field, 3),
                     "order of %s, variant %s", field == FIELD_PSI ? "ψ" : names[i], all[k].name);
        }
      }
    }
    lab_close(&l);
  }
}

#define VARIANT_CURVES(name, part)                                                     \
  static const chart_curve name[] = {{"h", part "_34", "(3.4)", CHART_MARKS},          \
                                     {"h2", part "_35", "(3.5)", CHART_MARKS},         \
                                     {"h3", part "_mid", "mid", CHART_MARKS},          \
                                     {"h4", part "_mid35", "mid, (3.5)", CHART_MARKS}, \
                                     {"h5", part "_ls", "Lunk, Simeon", CHART_MARKS},  \
                                     {.y = NULL}}
VARIANT_CURVES(variants_v, "v");
VARIANT_CURVES(variants_lam, "lam");
#define VARIANT_PANEL(label, list) \
  { .xlabel = "h", .ylabel = label, .log_x = true, .log_y = true, .slopes = {2}, .curves = list }
static const chart_panel variants_panels[] = {VARIANT_PANEL("error of z at t = 1", variants_v),
                                              VARIANT_PANEL("error of λ at t = 1", variants_lam),
                                              {.curves = NULL}};
static const chart variants_chart = {.panels = variants_panels};

static const item figures[] = {
    {"jn07-fig5.1", "Fig. 5.1: first test problem, extended HHT method (3.4)",
     "Global convergence of order 2 in y, z and a at t = 1, α = −0.15, b = 0.3.",
     "Method hht, h = 0.1, halved again and again; a is compared with f(t + αh, y, z).", fig51,
     &constant_chart, 0.2},
    {"jn07-fig5.2", "Fig. 5.2: the same with R1 at the predicted point (3.5)", "Still order 2.",
     "Method hht, variant 3.5.", fig52, &constant_chart, 0.2},
    {"jn07-fig5.3", "Fig. 5.3: steps alternating h/3, 2h/3, a_n unmodified",
     "A reduction to order 1.", "Method hht without any correction (rescale none).", fig53,
     &reduced_chart, 0.3},
    {"jn07-fig5.4", "Fig. 5.4: steps alternating h/3, 2h/3, a_n modified by (2.3)",
     "Second order again.", "Method hht with the correction (2.3).", fig54, &average_chart, 0.3},
    {"jn07-fig5.6", "Fig. 5.6: pendulum with spring and damper, its angle",
     "The angle y3 on [0, 4]. No numbers are given.", "Method hht, α = 0, b = 0, h = 2e-3 s.",
     fig56, &fig56_chart, 0.1},
    {"jn07-fig5.7", "Fig. 5.7: pendulum, convergence for α = 0, b = 0",
     "The errors of y3 and z3 at t = 2 are of order two.",
     "Method hht, h from 2⁻⁶ s in halvings, against a reference of 20 digits.", fig57,
     &pendulum_chart, 0.3},
    {"jn07-fig5.8", "Fig. 5.8: pendulum, convergence for α = −0.3, b = 0",
     "The errors of y3 and z3 at t = 2 are of order two.", "As Fig. 5.7 with α = −0.3.", fig58,
     &pendulum_chart, 0.3},
    {"jn07-variants", "Sections 3, 6, 7: the variants",
     "Second order also with (3.5), with the midpoint, for index-2 constraints, and for the form "
     "of "
     "Lunk and Simeon.",
     "Method hht, all variants, α = −0.15; the multiplier reported is that of the "
     "acceleration-level equations at t_n. Index-2 form on the problem of J11 (7.1).",
     variants, &variants_chart, 1},
};

static const item *const items[] = {
    &figures[0],     &figures[1],     &figures[2],      &figures[3],
    &jn07_fig55,     &figures[4],     &figures[5],      &figures[6],
    &figures[7],     &jn07_ode,       &jn07_identities, &jn07_theorem41,
    &jn07_theorem43, &jn07_theorem44, &jn07_theorem45,  NULL};

const paper paper_jn07 = {
    "jn07",
    "L. O. Jay, D. Negrut: Extensions of the HHT-method to differential-algebraic equations in "
    "mechanics. Electronic Transactions on Numerical Analysis 26 (2007) 190–208",
    items};
