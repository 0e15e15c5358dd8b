/* SPDX-License-Identifier: MIT */
/* Arnold, Brüls 2007: conditioning (2.1), two-step forms (2.2), roots and Lemma 1 (2.3, 4). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "papers/ab07.h"
#include "problems/problems.h"

/* S_t = [[ M beta' + C_t gamma' + K_t, G^T ], [ G, 0 ]] at a state, and D_L S_t D_R, (10) */

enum { NQ = 10, NLAM = 8, N = NQ + NLAM };

/* the blocks of S_t of the slider-crank, dense, by rows */
typedef struct blocks {
  double M[NQ * NQ], K[NQ * NQ], C[NQ * NQ], G[NLAM * NQ];
} blocks;

/* Fills b with M, K_t, C_t and G (dense, by rows) of the slider-crank at state s. False if the
 * model is another one or its evaluation failed. */
static bool evaluate_blocks(const ga_model *model, const ga_state *s, blocks *b) {
  memset(b, 0, sizeof *b);
  ga_csr M = {.nrow = NQ, .ncol = NQ, .val = b->M}, K = M, C = M;
  ga_csr G = {.nrow = NLAM, .ncol = NQ, .val = b->G};
  K.val = b->K, C.val = b->C;
  const ga_evaluation out = {
      .M = &M, .G = &G, .x = s->vd, .lam = s->lam, .psi = s->psi, .Kt = &K, .Ct = &C};
  return model->nlam == NLAM && !model->pat_M && !model->pat_G && !model->pat_K &&
         ga_model_evaluate(model, s->t, s->q, s->v, &out) == 0;
}

/* Condition number (1-norm) of S_t built from b for step h (s); scaled: of D_L S_t D_R, (10),
 * with D_L = beta h^2 on the force rows and D_R = 1/(beta h^2) on the multiplier columns. NaN if
 * S_t is singular. */
static long double condition_of(const blocks *b, const ga_params *par, double h, bool scaled) {
  long double S[N * N] = {0}, bh2 = (long double)par->beta * h * h;
  long double beta1 = (1 - par->alpha_m) / (bh2 * (1 - par->alpha_f)),
              gamma1 = par->gamma * h / bh2;
  for (int i = 0; i < NQ; i++) {
    for (int j = 0; j < NQ; j++) {
      S[i * N + j] = b->M[i * NQ + j] * beta1 + b->C[i * NQ + j] * gamma1 + b->K[i * NQ + j];
    }
    for (int k = 0; k < NLAM; k++) S[i * N + NQ + k] = S[(NQ + k) * N + i] = b->G[k * NQ + i];
  }
  for (int i = 0; scaled && i < NQ; i++) {
    for (int j = 0; j < N; j++) S[i * N + j] *= bh2;         /* D_L */
    for (int k = 0; k < NLAM; k++) S[i * N + NQ + k] /= bh2; /* D_R */
  }
  return lab_condition(N, S);
}

/* context of watch_start */
typedef struct start_state {
  const ga_model *model;
  blocks b;
  bool good;
} start_state;

/* Evaluates the blocks at the initial state only. */
static void watch_start(void *context, const ga_state *s, long steps) {
  start_state *at = context;
  if (steps == 0) at->good = evaluate_blocks(at->model, s, &at->b);
}

/* Item ab07-conditioning, AB07 section 2.1: condition numbers for 17 values of h from 1e-2 to
 * 1e-4 s, without (column 1) and with the scaling (10) (column 2); claims the exponents -4 and 0
 * of h, and less than 1e4 scaled. */
static void conditioning(result *r) {
  lab l;
  start_state at = {.good = false};
  table_init(&r->data, "h,condition,condition_scaled");
  if (lab_open(&l, r, "slider-crank")) {
    const lab_plan plan = {.t_end = l.o.h};
    at.model = &l.problem->model;
    if (lab_run(&l, &plan, watch_start, &at) && at.good) {
      for (int i = 0; i <= 16; i++) {
        double h = 1e-2 * pow(10, -i / 8.0);
        table_set(&r->data, i, 0, h);
        table_set(&r->data, i, 1, (double)condition_of(&at.b, &l.o.par, h, false));
        table_set(&r->data, i, 2, (double)condition_of(&at.b, &l.o.par, h, true));
      }
      claim_source(claim_near(r, -4, 0.1, lab_slope(&r->data, 0, 1, 9),
                              "exponent p of cond(S_t) ~ h^p without scaling"),
                   "analysis");
      claim_source(claim_near(r, 0, 0.1, lab_slope(&r->data, 0, 2, 9), "the same with (10)"),
                   "analysis");
      claim_threshold(claim_at_most(r, 1e4, table_at(&r->data, 16, 2), "scaled, at h = 1e-4 s"));
    } else {
      result_fail(r, "the matrices of the slider-crank could not be evaluated");
    }
  }
  lab_close(&l);
}

static const chart_curve conditioning_curves[] = {{"h", "condition", "S_t", CHART_MARKS},
                                                  {"h", "condition_scaled", "scaled", CHART_MARKS},
                                                  {.y = NULL}};
static const chart_panel conditioning_panels[] = {{.xlabel = "h (s)",
                                                   .ylabel = "condition number",
                                                   .log_x = true,
                                                   .log_y = true,
                                                   .slopes = {0, -4},
                                                   .y = {1, 1e20},
                                                   .curves = conditioning_curves},
                                                  {.curves = NULL}};
static const chart conditioning_chart = {.panels = conditioning_panels};

const item ab07_conditioning = {
    "ab07-conditioning",
    "Section 2.1: conditioning of the iteration matrix",
    "For small h the matrix S_t becomes severely ill conditioned; the scaling (10) makes its "
    "conditioning optimal.",
    "Condition number of S_t in the 1-norm, by its inverse in extended precision, for the "
    "slider-crank at its start, h = 1e-2 … 1e-4 s, ρ∞ = 0.7. The blocks of S_t say: h⁻⁴ without, "
    "O(1) with the scaling.",
    conditioning,
    &conditioning_chart,
    0.1};

/* (14), (15), (18) along a trajectory: the last four states are kept */

enum { DOF = 7, KEEP = 4 };

/* context of watch_trail: the last KEEP states and the coefficients of the recursions */
typedef struct trail {
  table *t;
  double h;
  ab07_coefficients c;
  double q[KEEP][DOF], v[KEEP][DOF], vd[KEEP][DOF]; /* the newest last */
} trail;

/* Coefficients of the two-step forms for alpha_m, alpha_f, beta, gamma of p. */
ab07_coefficients ab07_two_step_of(const ga_params *p) {
  double am = p->alpha_m, af = p->alpha_f, beta = p->beta, gamma = p->gamma;
  return (ab07_coefficients){
      .a = {-am, -1 + 2 * am, 1 - am},
      .u = {-am, -1 + am},
      .b = {af * (0.5 - beta), (1 - af) * (0.5 - beta) + af * beta, (1 - af) * beta},
      .c = {af * (1 - gamma), (1 - af) * (1 - gamma) + af * gamma, (1 - af) * gamma},
      .b1 = {af * (0.5 + beta - gamma),
             (1 - af) * (0.5 + beta - gamma) + af * (0.5 - 2 * beta + gamma),
             (1 - af) * (0.5 - 2 * beta + gamma) + af * beta, (1 - af) * beta}};
}

/* sum and sum of moduli of terms */
typedef struct balance {
  double sum, size;
} balance;

/* Adds a term to the sum and its modulus to the size. */
static void add_term(balance *b, double term) {
  b->sum += term;
  b->size += fabs(term);
}

/* For component i of the states in w: residuals of (14), (15), (18), each over the sum of its
 * |terms|; raises largest[0..2] to them. */
static void two_step_residuals(const trail *w, int i, double *largest) {
  balance r14 = {0, 0}, r15 = {0, 0}, r18 = {0, 0};
  double h = w->h;
  for (int k = 0; k < 3; k++) {
    add_term(&r14, w->c.a[k] * w->q[k + 1][i]);
    if (k < 2) add_term(&r14, h * w->c.u[k] * w->v[k + 1][i]);
    add_term(&r14, -h * h * w->c.b[k] * w->vd[k + 1][i]);
    add_term(&r15, w->c.a[k] * w->v[k + 1][i]);
    add_term(&r15, -h * w->c.c[k] * w->vd[k + 1][i]);
    add_term(&r18, w->c.a[k] * w->q[k + 1][i] / h);
    add_term(&r18, -w->c.a[k] * w->q[k][i] / h);
  }
  for (int k = 0; k < 4; k++) add_term(&r18, -h * w->c.b1[k] * w->vd[k][i]);
  const balance *const all[] = {&r14, &r15, &r18};
  for (int k = 0; k < 3; k++) largest[k] = fmax(largest[k], fabs(all[k]->sum) / all[k]->size);
}

/* A lab_watch: shifts the last KEEP states in *w by one and appends s. From step KEEP on it
 * stores t and the largest relative residuals of (14), (15), (18) in row steps - KEEP, columns
 * 0..3. The model has DOF coordinates. */
static void watch_trail(void *context, const ga_state *s, long steps) {
  trail *w = context;
  double largest[3] = {0, 0, 0};
  for (int k = 0; k + 1 < KEEP; k++) {
    memcpy(w->q[k], w->q[k + 1], sizeof w->q[k]);
    memcpy(w->v[k], w->v[k + 1], sizeof w->v[k]);
    memcpy(w->vd[k], w->vd[k + 1], sizeof w->vd[k]);
  }
  memcpy(w->q[KEEP - 1], s->q, sizeof w->q[0]);
  memcpy(w->v[KEEP - 1], s->v, sizeof w->v[0]);
  memcpy(w->vd[KEEP - 1], s->vd, sizeof w->vd[0]);
  if (steps < KEEP) return;
  for (int i = 0; i < DOF; i++) two_step_residuals(w, i, largest);
  int row = (int)steps - KEEP;
  table_set(w->t, row, 0, s->t);
  for (int k = 0; k < 3; k++) table_set(w->t, row, k + 1, largest[k]);
}

/* Largest number of column j; NaN entries are ignored, NaN if there are no others. */
static double column_max(const table *t, int j) {
  double largest = NAN;
  for (int i = 0; i < t->rows; i++) largest = fmax(largest, table_at(t, i, j));
  return largest;
}

/* Item ab07-twostep, AB07 section 2.2: residuals of the three recursions along a run of Andrews'
 * mechanism (7 angles) into the table; claims that the largest is 0 within 1e-12. */
static void two_step(result *r) {
  static const char *const names[] = {"(14), positions", "(15), velocities",
                                      "(18), difference quotients of the positions"};
  lab l;
  trail w = {.t = &r->data};
  table_init(&r->data, "t,r14,r15,r18");
  if (lab_open(&l, r, "andrews")) {
    const lab_plan plan = {.t_end = 0.03};
    l.o.h = w.h = 1e-4;
    w.c = ab07_two_step_of(&l.o.par);
    if (lab_run(&l, &plan, watch_trail, &w)) {
      for (int k = 0; k < 3; k++) {
        claim *c = claim_at_most(r, 0, column_max(&r->data, k + 1),
                                 "largest residual of %s, relative to its terms", names[k]);
        c->tolerance = 1e-12;
      }
    }
  }
  lab_close(&l);
}

static const chart_curve two_step_curves[] = {{"t", "r14", "(14)", CHART_POINTS},
                                              {"t", "r15", "(15)", CHART_POINTS},
                                              {"t", "r18", "(18)", CHART_POINTS},
                                              {.y = NULL}};
static const chart_panel two_step_panels[] = {
    {.xlabel = "t (s)", .ylabel = "relative residual", .log_y = true, .curves = two_step_curves},
    {.curves = NULL}};
static const chart two_step_chart = {.panels = two_step_panels};

const item ab07_two_step = {
    "ab07-twostep",
    "Section 2.2: the two-step forms (14), (15) and (18)",
    "Eliminating a_n gives two-step recursions for q and v, and a three-step one for the "
    "difference quotients of q.",
    "Residuals of the three recursions along a computed trajectory of Andrews' mechanism in "
    "relative coordinates, where M varies, over the sum of the moduli of their terms.",
    two_step,
    &two_step_chart,
    0.2};

/* roots */

/* Largest modulus of the roots of sigma, (22), whose coefficients are b1. */
static double sigma_root(const ga_params *p) {
  ab07_coefficients w = ab07_two_step_of(p);
  return lab_largest_root(3, w.b1, NULL);
}

/* Item ab07-roots, AB07 section 2.3: roots of the polynomials (21), (22) over rho_inf = 0 .. 1
 * into the table; claims that the second root of (21) is |alpha_m/(1 - alpha_m)| and the largest
 * of (22) rho_inf, below 1 up to rho_inf = 0.99. Of the two roots of (21) the one nearer to 1 is
 * left out. */
static void roots(result *r) {
  double off_sigma = 0, off_rho = 0, largest = 0;
  table_init(&r->data, "rho_inf,root_sigma,root_rho,formula_rho");
  for (int i = 0; i <= 100; i++) {
    double rho = i / 100.0, roots[4];
    ga_params p = ga_params_rho(rho);
    ab07_coefficients w = ab07_two_step_of(&p);
    double formula = fabs(p.alpha_m / (1 - p.alpha_m));
    lab_largest_root(2, w.a, roots);
    /* one of them is 1 */
    double m0 = hypot(roots[0], roots[1]), m1 = hypot(roots[2], roots[3]);
    bool first = hypot(roots[0] - 1, roots[1]) < hypot(roots[2] - 1, roots[3]);
    double second = first ? m1 : m0, sigma = sigma_root(&p);
    const double row[] = {rho, sigma, second, formula};
    for (int j = 0; j < 4; j++) table_set(&r->data, i, j, row[j]);
    off_sigma = fmax(off_sigma, fabs(sigma - rho));
    off_rho = fmax(off_rho, fabs(second - formula));
    if (i < 100) largest = fmax(largest, sigma);
  }
  claim *c = claim_at_most(r, 0, off_rho,
                           "second root of ϱ: largest difference from |α_m/(1−α_m)| over ρ∞");
  c->tolerance = 1e-6;
  claim_at_most(r, 1, largest, "largest modulus of a root of σ for ρ∞ = 0 … 0.99: below 1");
  c = claim_at_most(r, 0, off_sigma,
                    "largest modulus of the roots of σ is ρ∞: largest difference (a threefold "
                    "root is found to a third of the digits)");
  c->tolerance = 1e-4;
}

static const chart_curve roots_curves[] = {
    {"rho_inf", "root_sigma", "σ, largest", CHART_LINE},
    {"rho_inf", "root_rho", "ϱ, second", CHART_LINE},
    {"rho_inf", "formula_rho", "|α_m/(1−α_m)|", CHART_DASHED},
    {.y = NULL}};
static const chart_panel roots_panels[] = {
    {.xlabel = "ρ∞", .ylabel = "modulus of the root", .curves = roots_curves}, {.curves = NULL}};
static const chart roots_chart = {.panels = roots_panels};

const item ab07_roots = {
    "ab07-roots",
    "Section 2.3: roots of ϱ and σ",
    "ϱ has the roots 1 and −α_m/(1−α_m); with Chung and Hulbert's parameters (24) the method is "
    "zero-stable and strictly stable at infinity for ρ∞ < 1.",
    "Roots of the polynomials (21) and (22) by simultaneous iteration for ρ∞ = 0 … 1.",
    roots,
    &roots_chart,
    0.2};

/* Lemma 1 by chance */

/* Random parameters with (20), alpha_m < alpha_f < 1/2 and beta = its bound (23) + excess; excess <
 * 0 violates (23). Advances *seed. */
static ga_params draw_parameters(uint64_t *seed, double excess) {
  ga_params p = {.alpha_f = lab_random(seed, -1, 0.5)};
  p.alpha_m = p.alpha_f - lab_random(seed, 1e-3, 1.5);
  p.gamma = 0.5 + p.alpha_f - p.alpha_m;
  p.beta = 0.25 + (p.alpha_f - p.alpha_m) / 2 + excess;
  return p;
}

/* Item ab07-lemma1: largest root of sigma over random sets that satisfy (23), claimed below 1;
 * and, as our addition, that all sets that violate it have a root outside the unit circle. The
 * first 400 of each go into the table. */
static void lemma1(result *r) {
  uint64_t seed = 1;
  int draws = r->quick ? 4000 : 40000, shown = 400, escaped = 0, broken = 0;
  double largest = 0;
  table_init(&r->data, "excess,root,excess_broken,root_broken");
  for (int i = 0; i < draws; i++) {
    double excess = lab_random(&seed, 1e-3, 1);
    ga_params p = draw_parameters(&seed, excess);
    double root = sigma_root(&p);
    largest = fmax(largest, root);
    if (i < shown) table_set(&r->data, i, 0, excess), table_set(&r->data, i, 1, root);
    excess = lab_random(&seed, -0.2, -1e-3);
    p = draw_parameters(&seed, excess);
    root = sigma_root(&p);
    broken++;
    escaped += root > 1;
    if (i < shown) table_set(&r->data, i, 2, excess), table_set(&r->data, i, 3, root);
  }
  claim_at_most(r, 1, largest, "largest root of σ among %d random sets with (20) and (23)", draws);
  claim_addition(claim_near(r, 1, 0, (double)escaped / broken,
                            "share of %d sets with β below its bound that have a root outside: the "
                            "condition cannot be weakened",
                            broken));
}

static const chart_curve lemma1_curves[] = {
    {"excess", "root", "(20) and (23)", CHART_POINTS},
    {"excess_broken", "root_broken", "β below its bound", CHART_POINTS},
    {.y = NULL}};
static const chart_panel lemma1_panels[] = {{.xlabel = "β − ¼ − (α_f − α_m)/2",
                                             .ylabel = "largest modulus of a root of σ",
                                             .curves = lemma1_curves},
                                            {.curves = NULL}};
static const chart lemma1_chart = {.panels = lemma1_panels};

const item ab07_lemma1 = {"ab07-lemma1",
                          "Lemma 1: strict stability at infinity",
                          "If (20) and (23) hold, all roots of σ are inside the unit circle.",
                          "Random parameters: with (20) and (23), and with the condition on β "
                          "broken; roots by simultaneous iteration.",
                          lemma1,
                          &lemma1_chart,
                          1};

/* Lemma 2, (42), k = 2: with e_n = q(t_n) - q_n and e'_{n+1} = (e_{n+1} - e_n)/h
 *   Phi_q(q(t_n)) e'_{n+1} = -d/dq(Phi_q(q) e_n) q'(t_n) + O(h) (|e_{n+1}| + |e_n| + |e'_{n+1}|),
 * Phi = 0 at both ends. All errors are O(h^2), the remainder is O(h^3). */

enum { TWO = 2 };

typedef struct lemma2_log {
  const ga_problem *problem;
  double t, h;
  double e[2][TWO]; /* at t_n, t_{n+1} */
} lemma2_log;

/* Stores the errors e = q(t) - q of the steps at log->t and log->t + h; ignores all other steps. */
static void watch_lemma2(void *context, const ga_state *s, long steps) {
  lemma2_log *log = context;
  double q[TWO], v[TWO];
  (void)steps;
  long at = lround((s->t - log->t) / log->h);
  if (at < 0 || at > 1 || !ga_problem_reference(log->problem, s->t, q, v, NULL, NULL, NULL)) return;
  for (int i = 0; i < TWO; i++) log->e[at][i] = q[i] - s->q[i];
}

/* |left - right| of (42): *remainder with e'_{n+1} on the left, *printed with e_{n+1}, as in the
 * text we have. False if the model could not be evaluated. */
static bool lemma2_remainders(const lemma2_log *log, double *remainder, double *printed) {
  const ga_model *model = &log->problem->model;
  double q[TWO], v[TWO], g[TWO] = {0, 0}, z[TWO] = {0, 0};
  ga_csr G = {.nrow = 1, .ncol = TWO, .val = g}, Z = {.nrow = 1, .ncol = TWO, .val = z};
  if (!ga_problem_reference(log->problem, log->t, q, v, NULL, NULL, NULL) ||
      ga_model_evaluate(model, log->t, q, v, &(ga_evaluation){.G = &G, .Z = &Z}) != 0) {
    return false;
  }
  double left = 0, left_printed = 0, right = 0;
  for (int i = 0; i < TWO; i++) {
    left += g[i] * (log->e[1][i] - log->e[0][i]) / log->h;
    left_printed += g[i] * log->e[1][i];
    right -= z[i] * log->e[0][i];
  }
  *remainder = fabs(left - right);
  *printed = fabs(left_printed - right);
  return true;
}

/* Item ab07-lemma2: remainder of (42) for h, h/2, ..; claims that its order is 3. */
static void lemma2(result *r) {
  lab l;
  table_init(&r->data, "h,remainder,printed");
  if (lab_open(&l, r, "jay-negrut-hht")) {
    for (int i = 0; i < 6; i++) {
      double remainder, printed;
      l.o.h = ldexp(0.02, -i);
      lemma2_log log = {.problem = l.problem, .t = 0.5, .h = l.o.h};
      const lab_plan plan = {.t_end = log.t + 2 * l.o.h};
      if (!lab_run(&l, &plan, watch_lemma2, &log)) break;
      if (!lemma2_remainders(&log, &remainder, &printed)) break;
      const double row[] = {l.o.h, remainder, printed};
      for (int j = 0; j < 3; j++) table_set(&r->data, i, j, row[j]);
    }
    claim_near(r, 3, 0.15, lab_slope(&r->data, 0, 1, 3),
               "order of the remainder in (42), read with the difference quotient e' on the left");
    claim_addition(claim_near(r, 2, 0.15, lab_slope(&r->data, 0, 2, 3),
                              "the same with e in place of e', as the text we have reads: one "
                              "order less"));
  }
  lab_close(&l);
}

static const chart_curve lemma2_curves[] = {{"h", "remainder", "with e'", CHART_MARKS},
                                            {"h", "printed", "with e", CHART_MARKS},
                                            {.y = NULL}};
static const chart_panel lemma2_panels[] = {{.xlabel = "h",
                                             .ylabel = "remainder of (42) at t = 0.5",
                                             .log_x = true,
                                             .log_y = true,
                                             .slopes = {3, 2},
                                             .curves = lemma2_curves},
                                            {.curves = NULL}};
static const chart lemma2_chart = {.panels = lemma2_panels};

const item ab07_lemma2 = {
    "ab07-lemma2",
    "Lemma 2: errors normal to the constraints",
    "Φ_q e' is, up to O(h)(‖e_n‖ + ‖e_{n+1}‖ + ‖e'‖), the curvature term of e_n.",
    "Both sides of (42) along a trajectory of index3 on the first test problem of JN07, whose "
    "closed solution gives the errors e_n; they are O(h²), the remainder must be O(h³).",
    lemma2,
    &lemma2_chart,
    0.1};
