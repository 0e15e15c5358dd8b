/* SPDX-License-Identifier: MIT */
/* Arnold, Cardona, Brüls 2015, section 4: the form with M*, the index of example (11), Lemma 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/acb15.h"

/* (9) with M and g, and with M* = M + B^T B and g* = g + B^T Z */

enum { NQ = 10, NLAM = 8, N = NQ + NLAM };

/* matrices and vectors of (9), dense, by rows */
typedef struct saddle {
  double M[NQ * NQ], B[NLAM * NQ], g[NQ], Z[NLAM];
} saddle;

/* Fills b with M, B, g, Z (dense, by rows) of the slider-crank at s. False if the model is another
 * one or its evaluation failed. */
static bool evaluate_saddle(const ga_model *model, const ga_state *s, saddle *b) {
  memset(b, 0, sizeof *b);
  ga_csr M = {.nrow = NQ, .ncol = NQ, .val = b->M}, G = {.nrow = NLAM, .ncol = NQ, .val = b->B};
  const ga_evaluation ask = {.M = &M, .F = b->g, .G = &G, .drift = b->Z};
  if (model->nlam != NLAM || model->pat_M || model->pat_G ||
      ga_model_evaluate(model, s->t, s->q, s->v, &ask) != 0) {
    return false;
  }
  for (int i = 0; i < NQ; i++) b->g[i] = -b->g[i]; /* ACB15 writes the force as -g */
  return true;
}

/* Copy of b with M* = M + B^T B and g* = g + B^T Z. */
static saddle add_constraint_rows(const saddle *b) {
  saddle s = *b;
  for (int k = 0; k < NLAM; k++) {
    for (int i = 0; i < NQ; i++) {
      s.g[i] += b->B[k * NQ + i] * b->Z[k];
      for (int j = 0; j < NQ; j++) s.M[i * NQ + j] += b->B[k * NQ + i] * b->B[k * NQ + j];
    }
  }
  return s;
}

/* Solves (9) for x = (v', lambda). False if the matrix is singular. */
static bool solve_saddle(const saddle *b, double x[N]) {
  double A[N * N] = {0}, R[N * N] = {0}, X[N * N];
  for (int i = 0; i < NQ; i++) {
    for (int j = 0; j < NQ; j++) A[i * N + j] = b->M[i * NQ + j];
    for (int k = 0; k < NLAM; k++) A[i * N + NQ + k] = A[(NQ + k) * N + i] = b->B[k * NQ + i];
    R[i * N] = -b->g[i];
  }
  for (int k = 0; k < NLAM; k++) R[(NQ + k) * N] = -b->Z[k];
  if (!lab_solve_columns(N, A, R, X)) return false;
  for (int i = 0; i < N; i++) x[i] = X[i * N];
  return true;
}

/* Least eigenvalue of the symmetric NQ x NQ matrix M. */
static double least_eigenvalue(const double *M) {
  double value[NQ], V[NQ * NQ];
  lab_eigen(NQ, M, value, V);
  return value[0];
}

/* context of watch_star: largest and least values so far */
typedef struct star_log {
  table *t;
  const ga_model *model;
  double apart, largest, most; /* apart: largest relative difference of both solutions */
  double least; /* least eigenvalue of M* over the run; most: the largest |least one| of M */
  bool good;
} star_log;

/* A lab_watch, every 4th step: solves (9) with M and with M*; raises log->apart to their
 * relative difference and log->most to |least eigenvalue of M|, lowers log->least to the least
 * eigenvalue of M*, and stores t, that eigenvalue and the difference in row n/4. After a failure
 * log->good is false and nothing more is done. */
static void watch_star(void *context, const ga_state *s, long n) {
  star_log *log = context;
  saddle plain;
  double x[N], y[N];
  if (n % 4 != 0 || !log->good) return;
  log->good = evaluate_saddle(log->model, s, &plain);
  saddle star = add_constraint_rows(&plain);
  log->good = log->good && solve_saddle(&plain, x) && solve_saddle(&star, y);
  if (!log->good) return;
  double size = lab_norm(N, x, NULL), apart = lab_norm(N, x, y) / size;
  double least = least_eigenvalue(star.M);
  log->apart = fmax(log->apart, apart);
  log->least = fmin(log->least, least);
  log->most = fmax(log->most, fabs(least_eigenvalue(plain.M)));
  table_set(log->t, (int)(n / 4), 0, s->t);
  table_set(log->t, (int)(n / 4), 1, least);
  table_set(log->t, (int)(n / 4), 2, fmax(apart, 1e-18));
}

/* Number of `draws` random cases in which "M* = M + B^T B is definite" and "M is definite on ker
 * B" disagree. M has rank 3 in four dimensions, B one row; in every second case B is made
 * orthogonal to ker M, so that ker M lies in ker B and M* is singular (least eigenvalue below
 * 1e-14). */
static int disagreements(int draws) {
  enum { D = 4 };
  uint64_t seed = 9;
  int wrong = 0;
  for (int k = 0; k < draws; k++) {
    double L[D][D - 1], M[D * D], V[D * D], value[D], B[D], along = 0;
    for (int i = 0; i < D; i++) {
      for (int j = 0; j < D - 1; j++) L[i][j] = lab_random(&seed, -1, 1);
      B[i] = lab_random(&seed, -1, 1);
    }
    for (int i = 0; i < D; i++) {
      for (int j = 0; j < D; j++) {
        M[i * D + j] = 0;
        for (int c = 0; c < D - 1; c++) M[i * D + j] += L[i][c] * L[j][c];
      }
    }
    lab_eigen(D, M, value, V);
    for (int i = 0; i < D; i++) along += B[i] * V[i * D];
    bool singular = k % 2 == 1; /* every second time: ker M lies in ker B */
    for (int i = 0; i < D && singular; i++) B[i] -= along * V[i * D];
    for (int i = 0; i < D; i++) {
      for (int j = 0; j < D; j++) M[i * D + j] += B[i] * B[j];
    }
    lab_eigen(D, M, value, V);
    wrong += (value[0] < 1e-14) != singular;
  }
  return wrong;
}

/* Item acb15-mstar, ACB15 section 4: both forms of (9) along a run of the slider-crank to 1 s,
 * into the table; claims that they have the same solution, that M is singular and M* definite.
 * Then claims no disagreement among random matrices. */
static void star(result *r) {
  lab l;
  table_init(&r->data, "t,eigenvalue,difference");
  if (lab_open(&l, r, "slider-crank")) {
    star_log log = {.t = &r->data, .model = &l.problem->model, .least = INFINITY, .good = true};
    const lab_plan plan = {.t_end = 1};
    if (lab_run(&l, &plan, watch_star, &log) && log.good) {
      claim *c = claim_at_most(r, 0, log.apart,
                               "(9) with M*, g* has the solution v', λ of (9) with M, g: largest "
                               "relative difference along the motion");
      c->tolerance = 1e-12;
      c = claim_at_most(r, 0, log.most, "least eigenvalue of M of the slider-crank: singular");
      c->tolerance = 1e-15;
      claim_threshold(claim_at_least(r, 1e-4, log.least, "least eigenvalue of M*: positive"));
    } else {
      result_fail(r, "the matrices of the slider-crank could not be evaluated");
    }
    int draws = r->quick ? 200 : 2000;
    claim_near(r, 0, 0, disagreements(draws),
               "M* is positive definite if and only if M is so on the null space of B: exceptions "
               "among %d random matrices",
               draws);
  }
  lab_close(&l);
}

static const chart_curve star_curves[] = {{"t", "eigenvalue", "least eigenvalue of M*", CHART_LINE},
                                          {.y = NULL}};
static const chart_curve star_apart[] = {{"t", "difference", "v', λ by M* − by M", CHART_POINTS},
                                         {.y = NULL}};
static const chart_panel star_panels[] = {
    {.xlabel = "t (s)", .ylabel = "eigenvalue (mixed units)", .curves = star_curves},
    {.xlabel = "t (s)", .ylabel = "relative difference", .log_y = true, .curves = star_apart},
    {.curves = NULL}};
static const chart star_chart = {.panels = star_panels, .panel_height = 260};

const item acb15_star = {"acb15-mstar",
                         "Section 4: the equivalent form with M* = M + BᵀB",
                         "Adding Bᵀ times the second row of (9) to the first replaces M, g by M*, "
                         "g*; M* is positive definite "
                         "if and only if M is positive definite at the null space of B.",
                         "Slider-crank (M of rank 8 in 10 coordinates) along its motion, (9) "
                         "solved both ways in extended "
                         "precision; random matrices for the equivalence.",
                         star,
                         &star_chart,
                         0.3};

/* Example (11) */

enum { D2 = 2, N6 = 3 * D2 };

/* Index of the pencil E x' + A x = 0, x = (q, v, lambda), of q' = v, M v' = -B^T lambda, B q =
 * 0, with M and B 2 x 2 by rows: the least k at which the rank of ((A + s E)^-1 E)^k no longer
 * falls, s = 0.7 (any s that makes A + s E regular). -1 if that is singular or k is not found. */
static int pencil_index(const double *M, const double *B) {
  double E[N6 * N6] = {0}, A[N6 * N6] = {0}, S[N6 * N6], X[N6 * N6], P[N6 * N6], Q[N6 * N6];
  for (int i = 0; i < D2; i++) {
    E[i * N6 + i] = 1, A[i * N6 + D2 + i] = -1;
    for (int j = 0; j < D2; j++) {
      E[(D2 + i) * N6 + D2 + j] = M[i * D2 + j];
      A[(D2 + i) * N6 + 2 * D2 + j] = B[j * D2 + i];
      A[(2 * D2 + i) * N6 + j] = B[i * D2 + j];
    }
  }
  for (int i = 0; i < N6 * N6; i++) S[i] = A[i] + 0.7 * E[i];
  if (!lab_solve_columns(N6, S, E, X)) return -1;
  memcpy(P, X, sizeof P);
  int rank = N6;
  for (int k = 0; k <= N6; k++) {
    int next = lab_rank(N6, P, 1e-10);
    if (next == rank) return k;
    rank = next;
    lab_multiply(N6, P, X, Q);
    memcpy(P, Q, sizeof P);
  }
  return -1;
}

/* the same as a model for a run, with M = mass I: nothing may move */
typedef struct example11 {
  double mass;
} example11;

static const double B11[] = {1, 2, -1, 3};

/* Callback: M = mass I (2 x 2). */
static int mass11(void *user, double t, const double *q, ga_csr *M) {
  const example11 *e = user;
  (void)t, (void)q;
  for (int i = 0; i < D2; i++) M->val[i * D2 + i] = e->mass;
  return 0;
}

/* Callback: F = 0. */
static int force11(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = F[1] = 0;
  return 0;
}

/* Callback: g = B11 q. */
static int holonomic11(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  for (int i = 0; i < D2; i++) g[i] = B11[i * D2] * q[0] + B11[i * D2 + 1] * q[1];
  return 0;
}

/* |q| + |v| + |lambda| (Euclidean norms) at t = 1 of index3, h = 0.01, on example (11) with M =
 * 0, from rest; 0 is exact. NaN if the run failed, with the reason in r unless memory was short. */
static double run11(result *r) {
  example11 e = {0};
  const ga_model_ops ops = {.mass = mass11, .force = force11, .holonomic = holonomic11};
  ga_space *space = NULL;
  if (ga_space_rn(D2, &space) != GA_OK) return NAN;
  const ga_model model = {.ops = &ops, .user = &e, .space = space, .nlam = D2, .scleronomic = true};
  const double zero[D2] = {0, 0};
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err;
  double largest = NAN;
  o.method = "index3";
  o.h = 0.01;
  if (ga_integrator_new(&model, &o, &it, &err) != GA_OK) {
    result_fail(r, "example (11): %s", err.text);
  } else if (ga_integrator_start(it, 0, zero, zero) != GA_OK || ga_integrator_run(it, 1) != GA_OK) {
    result_fail(r, "example (11): %s", ga_integrator_error(it)->text);
  } else {
    const ga_state *s = ga_integrator_state(it);
    largest = lab_norm(D2, s->q, NULL) + lab_norm(D2, s->v, NULL) + lab_norm(D2, s->lam, NULL);
  }
  ga_integrator_free(it);
  ga_space_free(space);
  return largest;
}

/* Item acb15-index, ACB15 example (11): index of the pencil for M of rank 0, 1, 2 into the
 * table; claims 2, 3, 3 (the second is ours), and that index3 steps over M = 0 all the same. */
static void index11(result *r) {
  static const double none[] = {0, 0, 0, 0}, full[] = {2, 0.5, 0.5, 1}, half[] = {1, 0, 0, 0};
  const double *const all[] = {none, half, full};
  static const char *const names[] = {"M = 0", "M of rank 1", "M of rank 2"};
  static const double expected[] = {2, 3, 3};
  table_init(&r->data, "rank,index");
  for (int k = 0; k < 3; k++) {
    int index = pencil_index(all[k], B11);
    table_set(&r->data, k, 0, k);
    table_set(&r->data, k, 1, index);
    claim *c = claim_near(r, expected[k], 0, index,
                          "differentiation index of (11), two coordinates, %s", names[k]);
    if (k == 1) claim_addition(c);
  }
  claim *c = claim_addition(claim_at_most(
      r, 0, run11(r), "index3 steps over (11) all the same: largest |q|, |v|, |λ| at t = 1"));
  c->tolerance = 1e-12;
}

static const chart_curve index_curves[] = {{"rank", "index", "", CHART_MARKS}, {.y = NULL}};
static const chart_panel index_panels[] = {{.xlabel = "rank of M",
                                            .ylabel = "index",
                                            .x = {-0.3, 2.3},
                                            .y = {1, 4},
                                            .tic = 1,
                                            .curves = index_curves},
                                           {.curves = NULL}};
static const chart index_chart = {.panels = index_panels, .panel_height = 240};

const item acb15_index = {
    "acb15-index",
    "Section 4, example (11): an index below three",
    "If M and g vanish and B is square and non-singular, the differentiation index is two.",
    "The index of the matrix pencil from ranks of powers, for M = 0 and for M of rank 1 and 2; and "
    "method index3 on (11) itself.",
    index11,
    &index_chart,
    0.1};

/* Lemma 1, by the construction of its proof */

enum { K = 6, R1 = 4, M1 = 3, NULLS = K - R1 }; /* coordinates, rank of M, constraints */

/* A = Q (R; 0) of the M1 x NULLS matrix A by Gram-Schmidt, applied twice for accuracy. Writes R,
 * NULLS x NULLS, and Q, orthogonal M1 x M1, whose last columns are filled up from unit vectors;
 * all by rows. A column that depends on those before (what is left is below 1e-8) gives no
 * column of Q. */
static void factor_qr(const double *A, double *Q, double *R) {
  double basis[M1 * M1] = {0};
  int have = 0;
  memset(R, 0, NULLS * NULLS * sizeof *R);
  for (int c = 0; c < NULLS + M1 && have < M1; c++) { /* then unit vectors fill up */
    double v[M1];
    for (int i = 0; i < M1; i++) v[i] = c < NULLS ? A[i * NULLS + c] : c - NULLS == i;
    for (int pass = 0; pass < 2; pass++) {
      for (int b = 0; b < have; b++) {
        double dot = 0;
        for (int i = 0; i < M1; i++) dot += v[i] * basis[b * M1 + i];
        for (int i = 0; i < M1; i++) v[i] -= dot * basis[b * M1 + i];
        if (c < NULLS) R[b * NULLS + c] += dot;
      }
    }
    double size = lab_norm(M1, v, NULL);
    if (size < 1e-8) continue;
    for (int i = 0; i < M1; i++) basis[have * M1 + i] = v[i] / size;
    if (c < NULLS) R[have * NULLS + c] = size;
    have++;
  }
  for (int i = 0; i < M1; i++) {
    for (int b = 0; b < M1; b++) Q[i * M1 + b] = basis[b * M1 + i];
  }
}

/* C = A B by rows, A n x m, B m x l. */
static void product(int n, int m, int l, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < l; j++) {
      double sum = 0;
      for (int k = 0; k < m; k++) sum += A[i * m + k] * B[k * l + j];
      C[i * l + j] = sum;
    }
  }
}

/* Random M of rank R1 (positive semidefinite, K x K) and B (M1 x K, full rank with probability 1).
 * Advances *seed. */
static void draw_matrices(uint64_t *seed, double *M, double *B) {
  double L[K * R1];
  for (int i = 0; i < K * R1; i++) L[i] = lab_random(seed, -1, 1);
  for (int i = 0; i < M1 * K; i++) B[i] = lab_random(seed, -1, 1);
  for (int i = 0; i < K; i++) {
    for (int j = 0; j < K; j++) {
      M[i * K + j] = 0;
      for (int c = 0; c < R1; c++) M[i * K + j] += L[i * R1 + c] * L[j * R1 + c];
    }
  }
}

/* Q of the lemma, (14): Qbar [[0, Rbar], [I, 0]]; all matrices are dense, by rows. */
static void left_factor(const double *Qbar, const double *Rbar, double *Q) {
  double T[M1 * M1] = {0};
  for (int i = 0; i < NULLS; i++) {
    for (int j = 0; j < NULLS; j++) T[i * M1 + M1 - NULLS + j] = Rbar[i * NULLS + j];
  }
  for (int i = 0; i < M1 - NULLS; i++) T[(NULLS + i) * M1 + i] = 1;
  product(M1, M1, M1, Qbar, T, Q);
}

/* Lemma 1 by its proof: eigenvectors V of M (K x K, rank R1), QR of B on the null space, then
 * the factors of (13), which are multiplied out again. Writes *off, the largest entry of the
 * difference of (13)'s two sides, and *least, the least singular value of the reduced constraint
 * matrix Bbar (one row: its length). False if Q is singular; then neither is written. */
static bool decompose(const double *M, const double *B, double *off, double *least) {
  double value[K], V[K * K], BU[M1 * NULLS], BV[M1 * K], Q[M1 * M1], Qbar[M1 * M1];
  double Rbar[NULLS * NULLS], X[M1 * M1], one[M1 * M1] = {0}, C[M1 * K];
  lab_eigen(K, M, value, V); /* the null space first */
  product(M1, K, K, B, V, BV);
  for (int i = 0; i < M1; i++) {
    for (int j = 0; j < NULLS; j++) BU[i * NULLS + j] = BV[i * K + j];
    one[i * M1 + i] = 1;
  }
  factor_qr(BU, Qbar, Rbar);
  left_factor(Qbar, Rbar, Q);
  if (!lab_solve_columns(M1, Q, one, X)) return false;
  product(M1, M1, K, X, BV, C); /* rows: (0, Bbar), (I, Bbarbar) */
  /* U^T = [[I, Bbarbar], [0, I]] V^T; then M = U diag(0, Lambda) U^T, B = Q [[0, Bbar], [I, 0]] U^T
   */
  double Ut[K * K], core[M1 * K] = {0}, QC[M1 * K], Bnew[M1 * K], mid[K * K] = {0}, MU[K * K];
  for (int i = 0; i < K; i++) {
    for (int j = 0; j < K; j++) {
      Ut[i * K + j] = V[j * K + i];
      for (int c = NULLS; c < K && i < NULLS; c++) {
        Ut[i * K + j] += C[(M1 - NULLS + i) * K + c] * V[j * K + c];
      }
    }
  }
  *least = 0;
  for (int i = 0; i < M1; i++) {
    for (int c = 0; c < K; c++) {
      bool bar = i < M1 - NULLS && c >= NULLS, unit = i >= M1 - NULLS && c == i - (M1 - NULLS);
      core[i * K + c] = bar ? C[i * K + c] : unit ? 1 : 0;
      if (bar) *least += C[i * K + c] * C[i * K + c]; /* one row: its length */
    }
  }
  *least = sqrt(*least);
  product(M1, M1, K, Q, core, QC);
  product(M1, K, K, QC, Ut, Bnew);
  for (int i = NULLS; i < K; i++) {
    for (int j = 0; j < K; j++) mid[i * K + j] = value[i] * Ut[i * K + j];
  }
  *off = 0;
  for (int i = 0; i < K; i++) {
    for (int j = 0; j < K; j++) {
      MU[i * K + j] = 0;
      for (int c = 0; c < K; c++) MU[i * K + j] += Ut[c * K + i] * mid[c * K + j];
      *off = fmax(*off, fabs(MU[i * K + j] - M[i * K + j]));
    }
  }
  for (int i = 0; i < M1 * K; i++) *off = fmax(*off, fabs(Bnew[i] - B[i]));
  return true;
}

/* Item acb15-lemma1: decomposes 2000 (200 if quick) random M and B; claims that (13) holds and
 * Bbar has full rank. The first 400 go into the table. A singular Q ends it with the reason in r
 * and no claims. */
static void lemma1(result *r) {
  uint64_t seed = 21;
  int draws = r->quick ? 200 : 2000;
  double largest = 0, smallest = INFINITY;
  table_init(&r->data, "n,difference,singular");
  for (int k = 0; k < draws; k++) {
    double M[K * K], B[M1 * K], off, least;
    draw_matrices(&seed, M, B);
    if (!decompose(M, B, &off, &least)) {
      result_fail(r, "Q is singular in draw %d", k);
      return;
    }
    largest = fmax(largest, off), smallest = fmin(smallest, least);
    if (k < 400) {
      table_set(&r->data, k, 0, k + 1);
      table_set(&r->data, k, 1, fmax(off, 1e-18)), table_set(&r->data, k, 2, least);
    }
  }
  claim *c =
      claim_at_most(r, 0, largest,
                    "(13): largest difference of both sides, %d random M (rank 4 of 6) and B "
                    "(3 rows)",
                    draws);
  c->tolerance = 1e-10;
  claim_threshold(claim_at_least(
      r, 1e-6, smallest, "the reduced constraint matrix has full rank: least singular value"));
}

static const chart_curve lemma1_curves[] = {
    {"n", "difference", "both sides of (13)", CHART_POINTS},
    {"n", "singular", "least singular value of the reduced B", CHART_POINTS},
    {.y = NULL}};
static const chart_panel lemma1_panels[] = {{.xlabel = "random set",
                                             .ylabel = "difference, singular value",
                                             .log_y = true,
                                             .curves = lemma1_curves},
                                            {.curves = NULL}};
static const chart lemma1_chart = {.panels = lemma1_panels};

const item acb15_lemma1 = {
    "acb15-lemma1",
    "Lemma 1: decomposition of M and B",
    "For constant M, positive semi-definite and definite on the null space of B, the saddle matrix "
    "is "
    "brought to the form (13), with a reduced constraint matrix of full rank.",
    "The construction of the proof (eigenvectors, QR factorization) with random matrices, "
    "multiplied "
    "out again.",
    lemma1,
    &lemma1_chart,
    0.1};
