/* SPDX-License-Identifier: MIT */
/* Jay 2011: figures 7.1 and 7.2, Theorems 4.1 and 6.1, the force of the rolling disk. */
#include <math.h>

#include "papers/j11.h"

/* Fields whose orders are claimed, as FIELD_.. of study.h, and their names in the paper. In a table
 * written by lab_ladder from column c on, field f is in column c + 1 + f (h is in column c). */
static const int fields[] = {FIELD_Q, FIELD_V, FIELD_A, FIELD_PSI};
static const char *const names[] = {"y", "z", "a", "ψ"};

/* lab_open, then method nonhol2 with shifted start (the first a is a(t0 + alpha h)) and rho_inf =
 * 0.2, as in the paper. False, with the reason in r; lab_close in any case. */
static bool open_nonhol2(lab *l, result *r, const char *problem) {
  if (!lab_open(l, r, problem)) return false;
  l->o.method = "nonhol2";
  l->o.start = GA_START_SHIFTED;
  l->o.par = ga_params_rho(0.2);
  return true;
}

/* Item j11-fig7.1, J11 Fig. 7.1: Euclidean errors at t = 1 on the test problem (7.1), h = 0.1,
 * halved 9 times (6 if quick), into r->data; claims that y, z, a, psi have order 2 (tolerance 0.1,
 * slope of the last 3 step sizes). A failed run leaves its reason in r and no claims. */
static void fig71(result *r) {
  lab l;
  table_init(&r->data, "h,y,z,a,zd,lam,psi");
  if (open_nonhol2(&l, r, "jay-nonholonomic")) {
    const lab_plan plan = {.t_end = 1};
    l.o.h = 0.1;
    if (lab_ladder(&l, &plan, r->quick ? 7 : 10, lab_euclid, FIELDS, 0)) {
      for (int i = 0; i < 4; i++) {
        claim_near(r, 2, 0.1, lab_slope(&r->data, 0, 1 + fields[i], 3), "order of %s", names[i]);
      }
    }
  }
  lab_close(&l);
}

/* Defines name_chart: errors over h, both axes logarithmic, with a guide of slope `order`; the
 * other arguments are the curves {x column, y column, title, style}. */
#define ERROR_CHART(name, label, order, ...)                             \
  static const chart_curve name##_curves[] = {__VA_ARGS__, {.y = NULL}}; \
  static const chart_panel name##_panels[] = {{.xlabel = "h",            \
                                               .ylabel = label,          \
                                               .log_x = true,            \
                                               .log_y = true,            \
                                               .slopes = {order},        \
                                               .curves = name##_curves}, \
                                              {.curves = NULL}};         \
  static const chart name##_chart = {.panels = name##_panels}

ERROR_CHART(fig71, "Euclidean error at t = 1", 2, {"h", "y", "y", CHART_MARKS},
            {"h", "z", "z", CHART_MARKS}, {"h", "a", "a", CHART_MARKS},
            {"h", "psi", "ψ", CHART_MARKS});

/* Fig. 7.2, with the force corrected and as printed */

/* Euclidean errors of the rolling disk `problem` at t = 10 for h = 0.004, halved 7 times (5 if
 * quick), into r->data; claims that y, z, psi have order 2 (tolerance 0.1, 0.2 if quick). A failed
 * run leaves its reason in r and no claims. */
static void study_disk(result *r, const char *problem) {
  static const int disk_fields[] = {FIELD_Q, FIELD_V, FIELD_PSI};
  static const char *const disk_names[] = {"y", "z", "ψ"};
  lab l;
  table_init(&r->data, "h,y,z,a,zd,lam,psi");
  if (open_nonhol2(&l, r, problem)) {
    const lab_plan plan = {.t_end = 10};
    l.o.h = 0.004;
    if (lab_ladder(&l, &plan, r->quick ? 6 : 8, lab_euclid, FIELDS, 0)) {
      for (int i = 0; i < 3; i++) {
        claim_near(r, 2, r->quick ? 0.2 : 0.1, lab_slope(&r->data, 0, 1 + disk_fields[i], 3),
                   "order of %s at t = 10", disk_names[i]);
      }
    }
  }
  lab_close(&l);
}

/* Item j11-fig7.2, J11 Fig. 7.2: order 2 on the rolling disk with f4 corrected, see study_disk. */
static void fig72(result *r) {
  study_disk(r, "rolling-disk");
}

/* Item j11-fig7.2-printed: the same with f4 of (7.2) as printed, which lacks a term. */
static void fig72_printed(result *r) {
  study_disk(r, "rolling-disk-printed");
}

ERROR_CHART(fig72, "Euclidean error at t = 10", 2, {"h", "y", "y", CHART_MARKS},
            {"h", "z", "z", CHART_MARKS}, {"h", "psi", "ψ", CHART_MARKS});

/* energy of both disks */

/* context of watch_energy: energies go into `column` of t, one row for every `every` steps */
typedef struct energy_log {
  table *t;
  const ga_model *model;
  int column;
  long every;
} energy_log;

/* A lab_watch: stores t in column 0 and the total energy in log->column of the table, row
 * steps/every, for every log->every-th step. A state without energy leaves its row empty (NaN). */
static void watch_energy(void *context, const ga_state *s, long steps) {
  energy_log *log = context;
  double kin, pot;
  if (steps % log->every != 0) return;
  if (log->model->ops->energy(log->model->user, s->t, s->q, s->v, &kin, &pot) != 0) return;
  table_set(log->t, (int)(steps / log->every), 0, s->t);
  table_set(log->t, (int)(steps / log->every), log->column, kin + pot);
}

/* Item j11-energy, J11 (7.2): energies over t of the rolling disk with f4 corrected (k = 0) and
 * as printed (k = 1) into r->data, a row every 0.02 s; claims that the change until t = 10 is 0
 * within 2e-4, for the printed f4 corrected to the known energies at both ends. */
static void energy(result *r) {
  static const char *const problems[] = {"rolling-disk", "rolling-disk-printed"};
  double change[2] = {NAN, NAN};
  table_init(&r->data, "t,corrected,printed");
  for (int k = 0; k < 2; k++) {
    lab l;
    if (open_nonhol2(&l, r, problems[k])) {
      const lab_plan plan = {.t_end = 10};
      l.o.h = r->quick ? 1e-3 : 2.5e-4;
      energy_log log = {.t = &r->data,
                        .model = &l.problem->model,
                        .column = k + 1,
                        .every = lround(0.02 / l.o.h)};
      if (lab_run(&l, &plan, watch_energy, &log)) {
        change[k] = table_at(&r->data, r->data.rows - 1, k + 1) - table_at(&r->data, 0, k + 1);
      }
    }
    lab_close(&l);
  }
  claim_near(r, 0, 2e-4, change[0],
             "change of the energy until t = 10 with the term − I2 z3 z5 cos(y3) in f4: a "
             "Lagrangian system keeps it");
  claim_corrected(
      claim_near(r, 0, 2e-4, change[1], "the same with f4 as printed"), 19.132814 - 19.127965,
      "f4 of (7.2) lacks the term − I2 z3 z5 cos(y3): it is not that of the Lagrangian given.");
}

static const chart_curve energy_curves[] = {{"t", "corrected", "f4 corrected", CHART_LINE},
                                            {"t", "printed", "f4 as printed", CHART_LINE},
                                            {.y = NULL}};
static const chart_panel energy_panels[] = {
    {.xlabel = "t", .ylabel = "energy", .curves = energy_curves}, {.curves = NULL}};
static const chart energy_chart = {.panels = energy_panels};

/* Theorem 4.1: errors after one step from consistent values, a_alpha of first or second order */

/* Item j11-theorem4.1: errors after one step of h = 0.02, halved 5 times, on (7.1), into r->data:
 * columns 0..6 with a_alpha of order q = 1 (plain start), 7..13 with q = 2 (shifted start). Claims
 * the orders 3, q + 1, q, q of y, z, a, psi. The loop's q counts from 0. */
static void local_orders(result *r) {
  static const double orders[][4] = {{3, 2, 1, 1}, {3, 3, 2, 2}};
  lab l;
  table_init(&r->data, "h,y_1,z_1,a_1,zd_1,lam_1,psi_1,h_2,y_2,z_2,a_2,zd_2,lam_2,psi_2");
  if (open_nonhol2(&l, r, "jay-nonholonomic")) {
    const lab_plan plan = {.steps = 1, .t_end = 1};
    l.o.h = 0.02;
    for (int q = 0; q < 2; q++) {
      l.o.start = q == 0 ? GA_START_PLAIN : GA_START_SHIFTED;
      if (!lab_ladder(&l, &plan, 6, lab_euclid, FIELDS, 7 * q)) break;
      for (int i = 0; i < 4; i++) {
        claim_near(r, orders[q][i], 0.1, lab_slope(&r->data, 7 * q, 7 * q + 1 + fields[i], 3),
                   "local order of %s for a_α − a(t0 + αh) = O(h%s)", names[i], q ? "²" : "");
      }
    }
  }
  lab_close(&l);
}

static const chart_curve local_1[] = {{"h", "y_1", "y", CHART_MARKS},
                                      {"h", "z_1", "z", CHART_MARKS},
                                      {"h", "a_1", "a", CHART_MARKS},
                                      {"h", "psi_1", "ψ", CHART_MARKS},
                                      {.y = NULL}};
static const chart_curve local_2[] = {{"h_2", "y_2", "y", CHART_MARKS},
                                      {"h_2", "z_2", "z", CHART_MARKS},
                                      {"h_2", "a_2", "a", CHART_MARKS},
                                      {"h_2", "psi_2", "ψ", CHART_MARKS},
                                      {.y = NULL}};
static const chart_panel local_panels[] = {{.title = "a_α of first order",
                                            .xlabel = "h",
                                            .ylabel = "error after one step",
                                            .log_x = true,
                                            .log_y = true,
                                            .slopes = {3, 1},
                                            .curves = local_1},
                                           {.title = "a_α of second order",
                                            .xlabel = "h",
                                            .ylabel = "error after one step",
                                            .log_x = true,
                                            .log_y = true,
                                            .slopes = {3, 2},
                                            .curves = local_2},
                                           {.curves = NULL}};
static const chart local_chart = {.panels = local_panels};

/* Theorem 6.1 */

/* Item j11-theorem6.1: decay per step of the error that a plain start leaves in a and psi (the
 * start layer), measured for three rho_inf; claims that it is at most the theorem's rate, or
 * else the corrected one. Its table is that of rates_measure. */
static void theorem61(result *r) {
  decay found[RATES];
  if (!rates_measure(r, "jay-nonholonomic", "nonhol2", found)) return;
  for (int k = 0; k < RATES; k++) {
    rates of = rates_of(rates_rho[k]);
    char what[60];
    snprintf(what, sizeof what, "layer in a, ρ∞ = %g", rates_rho[k]);
    rates_judge(r, of.gamma, fmax(of.m, of.gamma), found[k].a,
                "the part of a that the constraints leave free falls like r_αm = "
                "|α_m/(1−α_m)|, which the theorem does not name.",
                what);
    snprintf(what, sizeof what, "layer in ψ, ρ∞ = %g", rates_rho[k]);
    rates_judge(r, fmax(of.gamma, of.f), fmax(of.gamma, of.f), found[k].mult, "", what);
  }
}

/* Item j11-equal-rates, an addition to J11 Theorem 6.1: errors at t = 1 on (7.1), plain start, h =
 * 0.1, halved, at rho_inf = 3 - 2 sqrt 2, where r_gamma = r_alphaf, a case that the theorem
 * excludes; claims order 2 of y, z, a, psi all the same. */
static void equal_rates(result *r) {
  double rho = 3 - 2 * sqrt(2);
  rates of = rates_of(rho);
  lab l;
  table_init(&r->data, "h,y,z,a,zd,lam,psi");
  if (open_nonhol2(&l, r, "jay-nonholonomic")) {
    const lab_plan plan = {.t_end = 1};
    l.o.par = ga_params_rho(rho);
    l.o.start = GA_START_PLAIN;
    l.o.h = 0.1;
    if (lab_ladder(&l, &plan, r->quick ? 7 : 10, lab_euclid, FIELDS, 0)) {
      claim_addition(claim_source(
          claim_near(r, of.f, 1e-12, of.gamma, "r_γ = r_αf at ρ∞ = 3 − 2√2"), "formula"));
      for (int i = 0; i < 4; i++) {
        claim_addition(claim_source(claim_near(r, 2, 0.1, lab_slope(&r->data, 0, 1 + fields[i], 3),
                                               "order of %s there: no loss is seen", names[i]),
                                    "excluded in the paper"));
      }
    }
  }
  lab_close(&l);
}

static const item figures[] = {
    {"j11-fig7.1", "Fig. 7.1: test problem (7.1), nonlinear in ψ",
     "Global convergence of order 2 of y, z, a and ψ at t = 1, ρ∞ = 0.2.", "Method nonhol2.", fig71,
     &fig71_chart, 0.3},
    {"j11-fig7.2", "Fig. 7.2: rolling disk, force corrected",
     "Order 2 of y, z and ψ at t = 10, ρ∞ = 0.2.",
     "Method nonhol2 with the term − I2 z3 z5 cos(y3) added to f4, against a reference of 18 "
     "digits. "
     "The h³ term is large: slopes come down to 2 from above.",
     fig72, &fig72_chart, 5},
    {"j11-fig7.2-printed", "Fig. 7.2: rolling disk, force as printed",
     "Order 2 of y, z and ψ at t = 10, ρ∞ = 0.2.",
     "Method nonhol2 with f4 as printed, against a reference of the same equations.", fig72_printed,
     &fig72_chart, 5},
    {"j11-energy", "Equations (7.2): energy of the rolling disk",
     "The equations correspond to a Lagrangian system with the energy T + U.",
     "Method nonhol2, h = 2.5e-4, with f4 corrected and as printed.", energy, &energy_chart, 1},
    {"j11-theorem4.1", "Theorem 4.1: local orders",
     "After one step y is of order 3, z of order q + 1, a and ψ of order q if a_α is of order q = "
     "1 "
     "or 2.",
     "Method nonhol2, one step on the test problem (7.1), plain (q = 1) and shifted start (q = 2).",
     local_orders, &local_chart, 0.1},
    {"j11-theorem6.1", "Theorem 6.1: decay of a start layer",
     "With δ0 = a_α − a(t0 + αh) the errors are O(h² + r_γⁿ δ0) in a and O(h² + (r_γⁿ + r_αfⁿ) δ0) "
     "in ψ.",
     "Difference of two runs of nonhol2, plain and shifted start, h = 1e-5, 110 steps.", theorem61,
     &rates_chart, 0.1},
    {"j11-equal-rates", "Theorem 6.1: the case r_γ = r_αf", "The theorem demands r_γ ≠ r_αf.",
     "Method nonhol2 at ρ∞ = 3 − 2√2, plain start.", equal_rates, &fig71_chart, 0.3},
};

static const item *const items[] = {&figures[0],    &figures[1], &figures[2],  &figures[3],
                                    &j11_theorem31, &figures[4], &j11_lemma51, &j11_theorem52,
                                    &figures[5],    &figures[6], NULL};

const paper paper_j11 = {"j11",
                         "L. O. Jay: Convergence of the generalized-α method for systems with "
                         "nonconstant mass matrix and "
                         "nonholonomic constraints (2011)",
                         items};
