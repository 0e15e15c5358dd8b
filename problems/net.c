/* SPDX-License-Identifier: MIT */
/* Net of N x N point masses, and lattice of N nets below each other, hanging from one corner.
 *
 *     q = (x, y, z) of mass after mass; mass (i, j, k), i along x, j along y, k downwards, has the
 *         number i + N j + N^2 k
 *     M = m I,   F = (0, 0, -m g, ..) and the springs
 *     g: a row for every bar, between neighbours along x and along y,
 *            (d^T d - L^2)/(2 L),   d = p_b - p_a,    so that lam is the force in the bar;
 *        then three rows that hold mass 0 at the origin: p_0
 *
 * The lattice has springs between neighbours along z: stiffness c, length L, force
 * c (|d| - L) d/|d|. Bars in all three directions would close cells of parallelograms in every
 * plane, which fold flat while they fall; the constraints then become dependent.
 *
 * Start: every layer flat, horizontal and square, layers L apart, at rest. There the gradients of
 * the bars along x have entries in x only, those along y in y only. Each row of masses with its N-1
 * bars is a chain, so the constraints are independent at the start. Values at the end:
 * docs/reference/problems.md. */
#include <math.h>
#include <string.h>

#include "problems/problem.h"

enum { NET_DEFAULT = 3, NET_MAX = 1000, LATTICE_DEFAULT = 2, LATTICE_MAX = 100 };
enum { NAMED_MASSES = 10000 }; /* larger nets have no names */
enum { DIM = 3, HELD = 3 };    /* rows that hold mass 0 */

static const double m = 1, L = 1, gravity = 9.81, c = 1000;

/* a bar or a spring between masses a < b */
typedef struct edge {
  int a, b;
} edge;

/* n masses; slots in the values of Kt: bar e, coordinate r has (a,a), (a,b), (b,a), (b,b) at
 * bar_at[12 e + 4 r ..], spring e with coordinates r, s at spring_at[36 e + 12 r + 4 s ..]. */
typedef struct net {
  int n, nbar, nspring;
  edge *bar, *spring;
  int *bar_at, *spring_at;
  ga_csr M, K, G;
} net;

/* d = p_b - p_a for the edge e, with positions (or velocities) q; returns d^T d. */
static double distance(const double *q, const edge *e, double d[DIM]) {
  double square = 0;
  for (int r = 0; r < DIM; r++) {
    d[r] = q[DIM * e->b + r] - q[DIM * e->a + r];
    square += d[r] * d[r];
  }
  return square;
}

/* M = m I. */
static void fill_mass(const net *w, ga_csr *M) {
  for (int i = 0; i < DIM * w->n; i++) M->val[i] = m;
}

/* F: the weight of each mass, and the pull c (|d| - L) d/|d| of each spring on both its masses. */
static void fill_force(const net *w, const double *q, double *F) {
  for (int i = 0; i < w->n; i++) {
    F[DIM * i] = F[DIM * i + 1] = 0;
    F[DIM * i + 2] = -m * gravity;
  }
  for (int e = 0; e < w->nspring; e++) {
    const edge *spring = &w->spring[e];
    double d[DIM], length = sqrt(distance(q, spring, d));
    double pull = c * (length - L) / length;
    for (int r = 0; r < DIM; r++) {
      F[DIM * spring->a + r] += pull * d[r];
      F[DIM * spring->b + r] -= pull * d[r];
    }
  }
}

/* g: (d^T d - L^2)/(2 L) for each bar, then the position of mass 0. */
static void fill_constraints(const net *w, const double *q, double *g) {
  for (int e = 0; e < w->nbar; e++) {
    double d[DIM];
    g[e] = (distance(q, &w->bar[e], d) - L * L) / (2 * L);
  }
  for (int r = 0; r < HELD; r++) g[w->nbar + r] = q[r];
}

/* Writes all values of G or Z: -d/L, d/L for each bar, then `held` in the last three rows. G: q
 * are positions, held = 1; Z: q are velocities, held = 0. */
static void fill_rows(const net *w, const double *q, double held, ga_csr *G) {
  double *row = G->val;
  for (int e = 0; e < w->nbar; e++, row += 2 * DIM) {
    double d[DIM];
    distance(q, &w->bar[e], d);
    for (int r = 0; r < DIM; r++) {
      row[r] = -d[r] / L;
      row[DIM + r] = d[r] / L;
    }
  }
  for (int r = 0; r < HELD; r++) row[r] = held;
}

/* Adds value [[1, -1], [-1, 1]] to K; at: the four slots in its values, row by row. */
static void add_pair(const int at[4], double value, ga_csr *K) {
  K->val[at[0]] += value;
  K->val[at[1]] -= value;
  K->val[at[2]] -= value;
  K->val[at[3]] += value;
}

/* Adds to the zeroed K = D_q(-F + G^T lam): for bars lam/L I; for springs, with u = d/|d|, c u
 * u^T + c (1 - L/|d|) (I - u u^T), each as the four blocks of both masses. */
static void fill_tangent(const net *w, const double *q, const double *lam, ga_csr *K) {
  for (int e = 0; e < w->nbar; e++) {
    for (int r = 0; r < DIM; r++) add_pair(&w->bar_at[12 * e + 4 * r], lam[e] / L, K);
  }
  for (int e = 0; e < w->nspring; e++) {
    double d[DIM], square = distance(q, &w->spring[e], d);
    double across = c * (1 - L / sqrt(square)), along = (c - across) / square;
    for (int r = 0; r < DIM; r++) {
      for (int s = 0; s < DIM; s++) {
        double value = along * d[r] * d[s] + (r == s ? across : 0);
        add_pair(&w->spring_at[36 * e + 12 * r + 4 * s], value, K);
      }
    }
  }
}

/* drift = Z v, so that g'' = G v' + drift: |v_b - v_a|^2/L for bars, 0 for the held mass. */
static void fill_drift(const net *w, const double *v, double *drift) {
  double d[DIM];
  for (int e = 0; e < w->nbar; e++) drift[e] = distance(v, &w->bar[e], d) / L;
  for (int r = 0; r < HELD; r++) drift[w->nbar + r] = 0;
}

/* Writes all fields of `out` that are not NULL, see ga_model.h; Ct = 0 is left, as matrices
 * arrive zeroed. Always 0 (no failure). */
static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  (void)t;
  const net *w = user;
  if (out->M) fill_mass(w, out->M);
  if (out->F) fill_force(w, q, out->F);
  if (out->g) fill_constraints(w, q, out->g);
  if (out->G) fill_rows(w, q, 1, out->G);
  if (out->Z) fill_rows(w, v, 0, out->Z);
  if (out->Kt) fill_tangent(w, q, out->lam, out->Kt);
  if (out->drift) fill_drift(w, v, out->drift);
  return 0;
}

/* Kinetic energy; potential of weight (height 0 is the origin) and springs. */
static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)t;
  const net *w = user;
  *kin = *pot = 0;
  for (int i = 0; i < DIM * w->n; i++) *kin += 0.5 * m * v[i] * v[i];
  for (int i = 0; i < w->n; i++) *pot += m * gravity * q[DIM * i + 2];
  for (int e = 0; e < w->nspring; e++) {
    double d[DIM], stretch = sqrt(distance(q, &w->spring[e], d)) - L;
    *pot += 0.5 * c * stretch * stretch;
  }
  return 0;
}

static const ga_model_ops ops = {
    .evaluate = evaluate,
    .energy = energy,
    .gives = GA_GIVES_G | GA_GIVES_Z | GA_GIVES_TANGENTS | GA_GIVES_DRIFT};

/* Appends to w the bars to the next mass along x and y and the spring to the next along z. `size`
 * masses along each edge, `layers` along z; the arrays are large enough. */
static void connect(net *w, int size, int layers) {
  for (int a = 0; a < w->n; a++) {
    int i = a % size, j = a / size % size, k = a / (size * size);
    if (i + 1 < size) w->bar[w->nbar++] = (edge){a, a + 1};
    if (j + 1 < size) w->bar[w->nbar++] = (edge){a, a + size};
    if (k + 1 < layers) w->spring[w->nspring++] = (edge){a, a + size * size};
  }
}

/* Writes the columns of row (mass a, coordinate r) of K from col[*at] on, in increasing order,
 * and the end of the row in ptr; advances *at. Neighbours by a spring have all three
 * coordinates, neighbours by a bar only r; a mass itself has all three where there are springs. */
static void fill_row(int size, int layers, int a, int r, ga_csr *K, int *at) {
  int i = a % size, j = a / size % size, k = a / (size * size), layer = size * size;
  const struct {
    bool there, spring;
    int mass;
  } near[] = {{k > 0, true, a - layer},
              {j > 0, false, a - size},
              {i > 0, false, a - 1},
              {true, layers > 1, a},
              {i + 1 < size, false, a + 1},
              {j + 1 < size, false, a + size},
              {k + 1 < layers, true, a + layer}};
  for (int e = 0; e < 7; e++) {
    if (!near[e].there) continue;
    int first = near[e].spring ? 0 : r, last = near[e].spring ? DIM - 1 : r;
    for (int s = first; s <= last; s++) K->col[(*at)++] = DIM * near[e].mass + s;
  }
  K->ptr[DIM * a + r + 1] = *at;
}

/* Finds the slots of K for edge e and the coordinates (r, s): (a,a), (a,b), (b,a), (b,b). */
static void find_slots(net *w, const edge *e, int r, int s, int at[4]) {
  const int mass[2] = {e->a, e->b};
  for (int k = 0; k < 4; k++) {
    at[k] = ga_csr_find(&w->K, DIM * mass[k / 2] + r, DIM * mass[k % 2] + s);
  }
}

/* Fills the patterns of M, K, G (allocated, rows empty) and the slots bar_at, spring_at of all
 * edges; connect() comes first. */
static void fill_patterns(net *w, int size, int layers) {
  int at = 0, nv = DIM * w->n;
  for (int i = 0; i < nv; i++) {
    w->M.col[i] = i;
    w->M.ptr[i + 1] = i + 1;
    fill_row(size, layers, i / DIM, i % DIM, &w->K, &at);
  }
  for (int e = 0; e < w->nbar; e++) {
    for (int r = 0; r < DIM; r++) {
      w->G.col[2 * DIM * e + r] = DIM * w->bar[e].a + r;
      w->G.col[2 * DIM * e + DIM + r] = DIM * w->bar[e].b + r;
      find_slots(w, &w->bar[e], r, r, &w->bar_at[12 * e + 4 * r]);
    }
    w->G.ptr[e + 1] = 2 * DIM * (e + 1);
  }
  for (int r = 0; r < HELD; r++) {
    w->G.col[2 * DIM * w->nbar + r] = r;
    w->G.ptr[w->nbar + r + 1] = 2 * DIM * w->nbar + r + 1;
  }
  for (int e = 0; e < w->nspring; e++) {
    for (int r = 0; r < DIM * DIM; r++) {
      find_slots(w, &w->spring[e], r / DIM, r % DIM, &w->spring_at[36 * e + 4 * r]);
    }
  }
}

/* Allocates and fills the net: masses, edges, patterns; `layers` nets of size x size masses. It
 * lives as long as the problem. NULL if memory is short. */
static net *make_net(ga_problem *problem, int size, int layers) {
  net *w = ga_problem_take(problem, 1, sizeof *w);
  int n = size * size * layers, bars = 2 * size * (size - 1) * layers;
  int springs = size * size * (layers - 1);
  if (!w) return NULL;
  w->n = n;
  w->bar = ga_problem_take(problem, (size_t)bars, sizeof *w->bar);
  w->spring = ga_problem_take(problem, (size_t)springs, sizeof *w->spring);
  w->bar_at = ga_problem_take(problem, (size_t)bars, 12 * sizeof(int));
  w->spring_at = ga_problem_take(problem, (size_t)springs, 36 * sizeof(int));
  /* own 3 x 3 blocks are full where there are springs; beside them a bar has two diagonal blocks
   * (2 DIM entries), a spring two full ones (18) */
  int own = layers > 1 ? DIM * DIM : DIM, nnz_K = own * n + 2 * DIM * bars + 18 * springs;
  if (!ga_problem_pattern(problem, DIM * n, DIM * n, DIM * n, &w->M) ||
      !ga_problem_pattern(problem, DIM * n, DIM * n, nnz_K, &w->K) ||
      !ga_problem_pattern(problem, bars + HELD, DIM * n, 2 * DIM * bars + HELD, &w->G) || !w->bar ||
      !w->spring || !w->bar_at || !w->spring_at) {
    return NULL;
  }
  connect(w, size, layers);
  fill_patterns(w, size, layers);
  return w;
}

/* Names all numbers x1, y1, z1, x2, ..; each pair of strings stands before and after the number. */
static void name_all(ga_problem *problem, int n) {
  static const char *const q[] = {"x", "", "y", "", "z", ""};
  static const char *const v[] = {"x", "_dot", "y", "_dot", "z", "_dot"};
  static const char *const lam[] = {"lam", ""};
  problem->model.q_names = ga_problem_names(problem, n, DIM, q);
  problem->model.v_names = ga_problem_names(problem, n, DIM, v);
  problem->model.lam_names = ga_problem_names(problem, problem->model.nlam, 1, lam);
}

/* Sets up a net (layers = 1) or a lattice: flat horizontal layers of size x size masses, at
 * rest. */
static ga_status build(ga_problem *problem, int size, int layers, ga_error *err) {
  const int bars = 2 * size * (size - 1) * layers, n = size * size * layers;
  const ga_model model = {
      .ops = &ops, .nlam = bars + HELD, .const_mass = true, .scleronomic = true};
  const ga_problem_factor factors[] = {{&ga_group_rn, DIM * n}, {NULL, 0}};
  ga_status status = ga_problem_setup(problem, &model, factors, err);
  if (status != GA_OK) return status;
  net *w = make_net(problem, size, layers);
  if (!w) return GA_ERR_MEM;
  problem->model.user = w;
  problem->model.pat_M = &w->M, problem->model.pat_K = &w->K, problem->model.pat_G = &w->G;
  if (n <= NAMED_MASSES) name_all(problem, n);
  problem->rho_inf = 0.9, problem->h = 1e-3, problem->t_end = 1;
  for (int a = 0; a < n; a++) {
    problem->q0[DIM * a] = L * (a % size);
    problem->q0[DIM * a + 1] = L * (a / size % size);
    problem->q0[DIM * a + 2] = -L * (a / (size * size));
  }
  return GA_OK;
}

/* Reports a size out of range; always GA_ERR_ARG. */
static ga_status refuse_size(const ga_problem *problem, int size, int most, ga_error *err) {
  return ga_fail(err, GA_ERR_ARG, "problem '%s', size %d: 2 to %d masses along each edge",
                 problem->name, size, most);
}

/* options->size masses along each edge, 0: the default. */
static ga_status build_net(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  const int size = options->size ? options->size : NET_DEFAULT;
  if (size < 2 || size > NET_MAX) return refuse_size(problem, size, NET_MAX, err);
  return build(problem, size, 1, err);
}

/* options->size masses along each of the three edges, 0: the default. */
static ga_status build_lattice(ga_problem *problem, const ga_problem_options *options,
                               ga_error *err) {
  const int size = options->size ? options->size : LATTICE_DEFAULT;
  if (size < 2 || size > LATTICE_MAX) return refuse_size(problem, size, LATTICE_MAX, err);
  return build(problem, size, size, err);
}

const ga_problem_entry ga_entry_net = {
    .name = "net",
    .summary = "net of N x N masses and bars (--size N, default 3), hung by a corner, t_end 1",
    .cite = "genalpha, a sparse problem of any size, two-dimensional",
    .takes = GA_TAKES_SIZE,
    .build = build_net};

const ga_problem_entry ga_entry_lattice = {
    .name = "lattice",
    .summary = "N nets with springs between (--size N, default 2), hung by a corner, t_end 1",
    .cite = "genalpha, a sparse problem of any size, three-dimensional",
    .takes = GA_TAKES_SIZE,
    .build = build_lattice};
