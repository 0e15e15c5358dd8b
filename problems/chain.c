/* SPDX-License-Identifier: MIT */
/* Chain of N uniform planar rods, hanging from the origin, in absolute coordinates.
 *
 *     q = (x1, y1, theta1, x2, y2, theta2, ..): centre and angle of each rod, rod after rod
 *     M = diag(m, m, J, ..),   J = m L^2/12,   F = (0, -m g, 0, ..)
 *     g: rows 2i-1, 2i: start of rod i minus end of rod i-1 (the origin for i = 1),
 *        (x_i, y_i) - L/2 e(theta_i) - (x_i-1, y_i-1) - L/2 e(theta_i-1),  e(a) = (cos a, sin a)
 *
 * Start horizontal, along +x, at rest. All matrices are sparse and every function takes time
 * proportional to N. Values at t = 1 docs/reference/problems.md. */
#include <math.h>
#include <string.h>

#include "problems/problem.h"

enum { SIZE_DEFAULT = 10, SIZE_MAX_RODS = 1000000 };
enum { NAMED_RODS = 10000 }; /* longer chains have no names */
enum { X, Y, TH, PER_ROD };  /* coordinates of a rod */

static const double m = 1, L = 1, gravity = 9.81;
static const double J = 1. / 12; /* m L^2/12 */

/* number of rods, patterns */
typedef struct chain {
  int n;
  ga_csr M, K, C, G;
} chain;

/* Layout of the values of G and Z. Rows 2i and 2i+1 (joint between rods i-1 and i) have four
 * entries each: (x or y, theta) of rod i-1, then of rod i. The first rod has no rod before it: two.
 */

/* The entries of rod i in row 2i, the joint at its start; those of row 2i+1 follow 4 (i = 0: 2)
 * later. */
static double *own_entries(ga_csr *A, int i) {
  return A->val + (i > 0 ? 8 * i - 2 : 0);
}

/* The entries of rod i in row 2i+2, the joint at its end; those of row 2i+3 follow 4 later. */
static double *next_entries(ga_csr *A, int i) {
  return A->val + 8 * i + 4;
}

/* M = diag(m, m, J, ..), one entry in every row. */
static void fill_mass(int n, ga_csr *M) {
  for (int i = 0; i < n; i++) {
    double *diagonal = M->val + PER_ROD * i;
    diagonal[X] = diagonal[Y] = m;
    diagonal[TH] = J;
  }
}

/* F: the weight of each rod, along -y. */
static void fill_force(int n, double *F) {
  for (int i = 0; i < n; i++, F += PER_ROD) {
    F[X] = F[TH] = 0;
    F[Y] = -m * gravity;
  }
}

/* Writes the entries of rod i of n in the joints at its start and its end (the last rod has none
 * at its end) into the values of A, G or Z: `at` in the column of x or y (-at at its end),
 * turn[0] and turn[1] in that of theta, for the rows of x and of y. */
static inline void put_rod(int n, int i, double at, const double turn[2], ga_csr *A) {
  const int apart = i > 0 ? 4 : 2; /* from row x to row y */
  double *entry = own_entries(A, i);
  for (int k = 0; k < 2; k++) {
    entry[k * apart] = at;
    entry[k * apart + 1] = turn[k];
  }
  if (i + 1 == n) return;
  entry = next_entries(A, i);
  for (int k = 0; k < 2; k++) {
    entry[4 * k] = -at;
    entry[4 * k + 1] = turn[k];
  }
}

/* Writes drift = Z v (2 n numbers): L/2 e(theta) theta'^2 of both rods of each joint. */
static void fill_drift(int n, const double *q, const double *v, double *drift) {
  double last[2] = {0, 0};
  for (int i = 0; i < n; i++, q += PER_ROD, v += PER_ROD, drift += 2) {
    const double c = L / 2 * v[TH] * v[TH];
    const double bend[2] = {c * cos(q[TH]), c * sin(q[TH])};
    for (int k = 0; k < 2; k++) {
      drift[k] = last[k] + bend[k];
      last[k] = bend[k];
    }
  }
}

/* Writes all fields of `out` that are not NULL, see ga_model.h. With (c, s) = L/2 e(theta):
 *   g    rod i begins where rod i-1 ends
 *   G    (-1, -L/2 e'(theta_i-1), 1, -L/2 e'(theta_i)),  e' = (-sin, cos)
 *   Z    L/2 e(theta) theta' in the columns of both angles
 *   Kt   the entries (theta_i, theta_i) alone: L/2 e(theta_i)^T (lam of start + lam of end); Ct = 0
 */
static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  (void)t;
  const int n = ((const chain *)user)->n;
  double before[2] = {0, 0}, half[2] = {0, 0}; /* centre of the rod before, from there to its end */
  if (out->M) fill_mass(n, out->M);
  if (out->F) fill_force(n, out->F);
  if (out->drift) fill_drift(n, q, v, out->drift);
  if (!out->g && !out->G && !out->Z && !out->Kt) return 0;
  for (int i = 0; i < n; i++, q += PER_ROD) {
    const double c = L / 2 * cos(q[TH]), s = L / 2 * sin(q[TH]);
    if (out->g) {
      /* centres first: their difference is exact, however far they are from the origin */
      out->g[2 * i] = q[X] - before[0] - (c + half[0]);
      out->g[2 * i + 1] = q[Y] - before[1] - (s + half[1]);
      before[0] = q[X], before[1] = q[Y];
      half[0] = c, half[1] = s;
    }
    if (out->G) put_rod(n, i, 1, (const double[2]){s, -c}, out->G);
    if (out->Z) {
      const double rate = v[PER_ROD * i + TH];
      put_rod(n, i, 0, (const double[2]){c * rate, s * rate}, out->Z);
    }
    if (out->Kt) {
      const double *lam = out->lam + 2 * i;
      const bool last = i + 1 == n;
      out->Kt->val[i] = c * (lam[0] + (last ? 0 : lam[2])) + s * (lam[1] + (last ? 0 : lam[3]));
    }
  }
  return 0;
}

/* Kinetic and potential energy of all rods; height 0 is that of the origin. */
static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)t;
  const int n = ((const chain *)user)->n;
  *kin = *pot = 0;
  for (int i = 0; i < n; i++, q += PER_ROD, v += PER_ROD) {
    *kin += 0.5 * (m * (v[X] * v[X] + v[Y] * v[Y]) + J * v[TH] * v[TH]);
    *pot += m * gravity * q[Y];
  }
  return 0;
}

static const ga_model_ops ops = {
    .evaluate = evaluate,
    .energy = energy,
    .gives = GA_GIVES_G | GA_GIVES_Z | GA_GIVES_TANGENTS | GA_GIVES_DRIFT};

/* Allocates and fills the patterns, false if memory is short: M the diagonal, K the diagonal at
 * the angles, C empty, G as described above own_entries. */
static bool fill_patterns(ga_problem *problem, chain *c) {
  const int n = c->n, nq = PER_ROD * n;
  if (!ga_problem_pattern(problem, nq, nq, nq, &c->M) ||
      !ga_problem_pattern(problem, nq, nq, n, &c->K) ||
      !ga_problem_pattern(problem, nq, nq, 0, &c->C) ||
      !ga_problem_pattern(problem, 2 * n, nq, 8 * n - 4, &c->G)) {
    return false;
  }
  for (int j = 0; j < nq; j++) {
    c->M.col[j] = j;
    c->M.ptr[j + 1] = j + 1;
    c->K.ptr[j + 1] = (j + 1) / PER_ROD;
  }
  int at = 0;
  for (int i = 0; i < n; i++) {
    c->K.col[i] = PER_ROD * i + TH;
    for (int k = 0; k < 2; k++) {
      for (int rod = i > 0 ? i - 1 : i; rod <= i; rod++) {
        c->G.col[at++] = PER_ROD * rod + k;
        c->G.col[at++] = PER_ROD * rod + TH;
      }
      c->G.ptr[2 * i + k + 1] = at;
    }
  }
  return true;
}

/* Names all numbers x1, y1, theta1, x2, ..; each pair of strings stands before and after the
 * number. */
static void name_all(ga_problem *problem, int n) {
  static const char *const q[] = {"x", "", "y", "", "theta", ""};
  static const char *const v[] = {"x", "_dot", "y", "_dot", "theta", "_dot"};
  static const char *const lam[] = {"lam_x", "", "lam_y", ""};
  problem->model.q_names = ga_problem_names(problem, n, PER_ROD, q);
  problem->model.v_names = ga_problem_names(problem, n, PER_ROD, v);
  problem->model.lam_names = ga_problem_names(problem, n, 2, lam);
}

/* Sets up a chain of options->size rods, horizontal and at rest; GA_ERR_ARG if there are too
 * many. */
static ga_status build(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  const int n = options->size ? options->size : SIZE_DEFAULT;
  if (n > SIZE_MAX_RODS) {
    return ga_fail(err, GA_ERR_ARG, "problem '%s', size %d: 1 to %d rods are allowed",
                   problem->name, n, SIZE_MAX_RODS);
  }
  const ga_model model = {.ops = &ops, .nlam = 2 * n, .const_mass = true, .scleronomic = true};
  const ga_problem_factor factors[] = {{&ga_group_rn, PER_ROD * n}, {NULL, 0}};
  ga_status status = ga_problem_setup(problem, &model, factors, err);
  if (status != GA_OK) return status;
  chain *c = ga_problem_take(problem, 1, sizeof *c);
  if (!c) return GA_ERR_MEM;
  c->n = n;
  if (!fill_patterns(problem, c)) return GA_ERR_MEM;
  problem->model.user = c;
  problem->model.pat_M = &c->M, problem->model.pat_K = &c->K, problem->model.pat_G = &c->G;
  problem->model.pat_C = &c->C;
  if (n <= NAMED_RODS) name_all(problem, n);
  problem->rho_inf = 0.9, problem->h = 1e-3, problem->t_end = 1;
  for (int i = 0; i < n; i++) problem->q0[PER_ROD * i + X] = L * (i + 0.5);
  return GA_OK;
}

const ga_problem_entry ga_entry_chain = {
    .name = "chain",
    .summary = "chain of N rods (--size N, default 10), 3N coordinates, 2N constraints, t_end 1",
    .cite = "genalpha, a sparse problem of any size",
    .takes = GA_TAKES_SIZE,
    .build = build};
