/* SPDX-License-Identifier: MIT */
/* Jay, Negrut 2007, sections 2 and 3: the correction (2.3) on an ordinary differential equation,
 * and its special cases for alpha = 0: trapezoidal rule, Lobatto IIIA and IIIB. */
#include <math.h>

#include "papers/direct.h"
#include "papers/jn07.h"

static const double ALTERNATING[] = {1.0 / 3, 2.0 / 3};
static const double PI = 3.14159265358979323846;

/* (2.3) on the oscillator */

/* Item jn07-ode, JN07 section 2: errors at t = 0.6 s on the oscillator with alternating steps,
 * without (columns 0..6) and with (2.3) (7..13); claims the orders 1 and 2 of y, z, a. */
static void ode(result *r) {
  static const int fields[] = {FIELD_Q, FIELD_V, FIELD_A};
  static const char *const names[] = {"y", "z", "a"};
  lab l;
  table_init(&r->data, "h,y,z,a,zd,lam,psi,h_c,y_c,z_c,a_c,zd_c,lam_c,psi_c");
  if (lab_open(&l, r, "oscillator")) {
    const lab_plan plan = {.t_end = 0.6};
    l.o.method = "hht";
    l.o.par = ga_params_hht(-0.15, 0);
    l.o.h_fractions = ALTERNATING;
    l.o.h_fractions_n = 2;
    l.o.h = 0.02;
    for (int k = 0; k < 2; k++) {
      l.o.rescale = k == 0 ? GA_RESCALE_NONE : GA_RESCALE_ALL;
      if (!lab_ladder(&l, &plan, 9, lab_euclid, FIELDS, 7 * k)) break;
      for (int i = 0; i < 3; i++) {
        claim_near(r, k + 1, 0.1, lab_slope(&r->data, 7 * k, 7 * k + 1 + fields[i], 3),
                   "order of %s, %s (2.3)", names[i], k == 0 ? "without" : "with");
      }
    }
  }
  lab_close(&l);
}

static const chart_curve ode_curves[] = {{"h", "y", "y, without (2.3)", CHART_MARKS},
                                         {"h", "z", "z, without (2.3)", CHART_MARKS},
                                         {"h_c", "y_c", "y, with (2.3)", CHART_MARKS},
                                         {"h_c", "z_c", "z, with (2.3)", CHART_MARKS},
                                         {.y = NULL}};
static const chart_panel ode_panels[] = {{.xlabel = "average step h/2 (s)",
                                          .ylabel = "error at t = 0.6 s (m, m/s)",
                                          .log_x = true,
                                          .log_y = true,
                                          .slopes = {2, 1},
                                          .curves = ode_curves},
                                         {.curves = NULL}};
static const chart ode_chart = {.panels = ode_panels};

const item jn07_ode = {"jn07-ode",
                       "Section 2: variable steps on an ordinary differential equation",
                       "Without any modification the HHT method is of first order in all variables "
                       "when the step changes; (2.3) gives the second order back.",
                       "Method hht, α = −0.15, on the oscillator, steps alternating h/3, 2h/3.",
                       ode,
                       &ode_chart,
                       0.1};

/* identities */

/* context of watch_rule: step, last state and the largest residuals of y and z so far */
typedef struct trail {
  table *t;
  double h, y, z, f, largest[2];
  long last; /* steps after this one are ignored */
} trail;

/* Residuals of y1 = y0 + h/2 (z0 + z1), z1 = z0 + h/2 (f0 + f1) with f = -omega^2 y, omega = 2 pi,
 * for the steps 1 .. last; raises w->largest and stores them in w->t if there is one. */
static void watch_rule(void *context, const ga_state *s, long n) {
  trail *w = context;
  double f = -4 * PI * PI * s->q[0], h = w->h;
  if (n > 0 && n <= w->last) {
    double dy = fabs(s->q[0] - w->y - h / 2 * (w->z + s->v[0]));
    double dz = fabs(s->v[0] - w->z - h / 2 * (w->f + f)) / (2 * PI);
    w->largest[0] = fmax(w->largest[0], dy), w->largest[1] = fmax(w->largest[1], dz);
    if (w->t) {
      table_set(w->t, (int)n - 1, 0, s->t);
      table_set(w->t, (int)n - 1, 1, fmax(dy, 1e-18));
      table_set(w->t, (int)n - 1, 2, fmax(dz, 1e-18));
    }
  }
  w->y = s->q[0], w->z = s->v[0], w->f = f;
}

/* Claims that alpha = 0 is the trapezoidal rule in 100 steps on the oscillator, whose residuals
 * fill the table, and that for alpha = -0.3 with implicit start the first z is that of the rule,
 * too (1e-13). A failed run leaves its claim out. */
static void check_trapezoidal(result *r) {
  lab l;
  if (lab_open(&l, r, "oscillator")) {
    const lab_plan plan = {.t_end = 1};
    trail w = {.t = &r->data, .h = 0.01, .last = 100};
    l.o.method = "hht";
    l.o.h = w.h;
    l.o.par = ga_params_hht(0, 0);
    if (lab_run(&l, &plan, watch_rule, &w)) {
      claim *c =
          claim_at_most(r, 0, fmax(w.largest[0], w.largest[1]),
                        "α = 0 without constraints is the trapezoidal rule: largest residual "
                        "of the rule in 100 steps on the oscillator");
      c->tolerance = 1e-13;
    }
    trail first = {.h = 0.01, .last = 1};
    l.o.par = ga_params_hht(-0.3, 0);
    l.o.start = GA_START_IMPLICIT;
    if (lab_run(&l, &plan, watch_rule, &first)) {
      claim *c = claim_at_most(r, 0, first.largest[1],
                               "a0 = α f(t1,y1,z1) + (1 − α) f(t0,y0,z0) makes z1 that of the "
                               "trapezoidal rule whatever α is: its residual for α = −0.3");
      c->tolerance = 1e-13;
    }
  }
  lab_close(&l);
}

/* the state after one step; only y and z are set */
typedef struct ends {
  direct_state x;
} ends;

/* A lab_watch; context is an ends: keeps y and z after the first step. */
static void watch_ends(void *context, const ga_state *s, long n) {
  ends *e = context;
  if (n != 1) return;
  for (int i = 0; i < DIRECT_DIM; i++) e->x.y[i] = s->q[i], e->x.z[i] = s->v[i];
}

/* Largest |difference| of y and z. */
static double difference(const direct_state *a, const direct_state *b) {
  long double d = 0;
  for (int i = 0; i < DIRECT_DIM; i++) {
    d = fmaxl(d, fmaxl(fabsl(a->y[i] - b->y[i]), fabsl(a->z[i] - b->z[i])));
  }
  return (double)d;
}

/* Claims that one step of hht (alpha = 0, b = 0) equals one from the Butcher arrays of Lobatto
 * IIIA/IIIB and, as our addition, one of (3.4) written without the library, for four step sizes,
 * within 1e-12. */
static void compare_lobatto(result *r) {
  lab l;
  if (lab_open(&l, r, "jay-negrut-hht")) {
    const lab_plan plan = {.steps = 1, .t_end = 1};
    ga_params par = ga_params_hht(0, 0);
    double runge_kutta = 0, formulas = 0;
    l.o.method = "hht";
    for (int i = 0; i < 4; i++) {
      ends e;
      direct_state x0 = direct_exact_hht(0, 0), by_arrays, by_formulas;
      const long double guess[] = {1, 1};
      l.o.par = par;
      l.o.h = ldexp(0.05, -i);
      if (!lab_run(&l, &plan, watch_ends, &e)) break;
      if (!direct_lobatto(l.o.h, guess, &x0, &by_arrays) ||
          !direct_hht(&par, l.o.h, guess, &x0, &by_formulas)) {
        result_fail(r, "no solution, h = %g", l.o.h);
        break;
      }
      runge_kutta = fmax(runge_kutta, difference(&e.x, &by_arrays));
      formulas = fmax(formulas, difference(&e.x, &by_formulas));
    }
    claim *c =
        claim_at_most(r, 0, runge_kutta,
                      "α = 0, b = 0 is the combination of Lobatto IIIA and IIIB: a step of hht "
                      "against one of their Butcher arrays, test problem of section 5.1");
    c->tolerance = 1e-12;
    c = claim_addition(
        claim_at_most(r, 0, formulas, "the same against (3.4) written down without the library"));
    c->tolerance = 1e-12;
  }
  lab_close(&l);
}

/* Item jn07-identities: the claims of the two functions above; the table has the residuals of
 * the trapezoidal rule over t. */
static void identities(result *r) {
  table_init(&r->data, "t,residual_y,residual_z");
  check_trapezoidal(r);
  compare_lobatto(r);
}

static const chart_curve identities_curves[] = {{"t", "residual_y", "of y", CHART_POINTS},
                                                {"t", "residual_z", "of z, over ω", CHART_POINTS},
                                                {.y = NULL}};
static const chart_panel identities_panels[] = {{.xlabel = "t (s)",
                                                 .ylabel = "residual of the trapezoidal rule (m)",
                                                 .log_y = true,
                                                 .y = {1e-19, 1e-14},
                                                 .curves = identities_curves},
                                                {.curves = NULL}};
static const chart identities_chart = {.panels = identities_panels};

const item jn07_identities = {
    "jn07-identities",
    "Sections 2 and 3: trapezoidal rule and Lobatto methods",
    "Without constraints α = 0 gives the trapezoidal rule; so does the velocity if a0 is taken "
    "between the ends; with constraints α = 0, b = 0 combines the Lobatto IIIA and IIIB "
    "coefficients.",
    "Residuals of these rules in steps of method hht.",
    identities,
    &identities_chart,
    0.1};
