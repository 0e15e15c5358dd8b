/* SPDX-License-Identifier: MIT */
/* The tableau over the nodes, row by row, and the estimated errors of its columns.
 *
 * Runs j = 0, 1, .. make m_j N steps. T_{j,K} has the order K + 2 (tableau.c). It and T_{j-1,K} differ
 * by dist; their leading errors are as 1 to falls, so the error of T_{j,K} is
 *
 *   est_K = dist/max(falls - 1, 0.3)
 *
 * For K >= 3 rounding may count, which does not fall: est_K >= dist/4, unless dist has just fallen by at
 * least a 2.5th of `falls`; and est_K = dist where dist is no more than what roundings of one eps in each
 * step of the last run make, by the weights of the tableau.
 *
 * This is theory for a smooth motion and small steps. Whether it holds is seen from the second-order
 * differences: D_j, between runs with m_j and m_j/2, falls by 4 from D_{j-2} to D_j. (Among the first
 * runs, which are not doubled exactly, it falls by another number, and is scaled to 4.) Where it falls
 * by less than 2.4, by rho, column 0 alone is used, and the geometric series of such differences
 * gives its error, D_j/(rho - 1). A column K >= 1 is to fall by 2^(K+2) from j - 2 to j; if it falls by
 * less than a 2.5th of that, its error is as large as dist. Two rows may agree by chance, where the
 * leading error passes through zero: dist counts as at least a third of what the row before lets
 * expect; and where D_j falls by more than 6.4, as if it fell by that. */
#include <float.h>
#include <string.h>

#include "accuracy/solution.h"

static const double floor_of_sizes = 1e-3; /* of the largest component, in the metric */
static const double fall_largest = 6.4;    /* of a smooth motion, whose differences fall by 4 */
static const double largest_weights = 16;  /* sum of |w| of the tableau's last column */
static const double floor_of_speed = 1e-9; /* of size/time: what is slower counts as rest */

/* The node's state in a column of the last row, or of the one before. */
double *ga_solution_column(const ga_solution *s, int which, int K, long node) {
  return s->row[which].x[K] + node * s->size;
}

/* size[i] >= at_least/sqrt(w_i), where at_least is a size in the metric. */
static void raise_sizes(const ga_solution *s, double at_least, double *size) {
  int nv = ga_space_nv(s->model->space);
  for (int i = 0; i < nv; i++) size[i] = fmax(size[i], at_least / s->root_metric[i]);
}

/* Largest size in the metric. */
static double largest_size(const ga_solution *s, const double *size) {
  int nv = ga_space_nv(s->model->space);
  double largest = 0;
  for (int i = 0; i < nv; i++) largest = fmax(largest, s->root_metric[i] * size[i]);
  return largest;
}

/* size_q, size_v: the largest values of the components over the nodes of the run x. */
static void measure_sizes(ga_solution *s, const double *x) {
  int nv = ga_space_nv(s->model->space);
  memset(s->size_q, 0, (size_t)nv * sizeof *s->size_q);
  memset(s->size_v, 0, (size_t)nv * sizeof *s->size_v);
  for (long n = 0; n < s->nodes; n++, x += s->size) {
    const double *v = x + s->layout.at[1];
    ga_model_tolerance_sizes(s->model, x, s->w);
    for (int i = 0; i < nv; i++) {
      s->size_q[i] = fmax(s->size_q[i], s->w[i]);
      s->size_v[i] = fmax(s->size_v[i], fabs(v[i]));
    }
  }
  double q = largest_size(s, s->size_q), v = largest_size(s, s->size_v);
  raise_sizes(s, fmax(floor_of_sizes * q, DBL_MIN), s->size_q);
  raise_sizes(s, fmax(floor_of_sizes * v, floor_of_speed * q / (s->t_end - s->t0)), s->size_v);
  raise_sizes(s, DBL_MIN, s->size_v);
}

/* Largest |w_i|/size_i; NaN if one is. */
static double relative(int n, const double *w, const double *size) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = ga_larger(largest, fabs(w[i]) / size[i]);
  return largest;
}

/* Distance of two states in q (along the group) and in v. */
void ga_solution_distance(ga_solution *s, const double *a, const double *b, double of[2]) {
  int nv = ga_space_nv(s->model->space);
  ga_space_diff(s->model->space, a, b, s->w);
  of[0] = relative(nv, s->w, s->size_q);
  for (int i = 0; i < nv; i++) s->w[i] = b[s->layout.at[1] + i] - a[s->layout.at[1] + i];
  of[1] = relative(nv, s->w, s->size_v);
}

/* Fill the new row at all nodes from its column 0 and the row before. dist[K]: largest distance of
 * T_{j,K} from T_{j-1,K}, of q and v. The distances of the runs themselves go to s->apart and, if
 * two runs were before, to s->twice[0]. */
static void fill_row(ga_solution *s, const ga_tableau_row *coef, double dist[GA_COLUMNS][2]) {
  int last = s->rows < GA_COLUMNS ? s->rows : GA_COLUMNS - 1; /* s->rows: without the new one */
  size_t bytes = (size_t)s->size * sizeof(double);
  memset(dist, 0, sizeof(double) * 2 * GA_COLUMNS);
  for (long n = 0; n < s->nodes; n++) {
    double of[2];
    for (int k = 0; k <= last; k++) {
      double *x = ga_solution_column(s, 0, k, n);
      if (k > 0) {
        memcpy(x, ga_solution_column(s, 0, k - 1, n), bytes);
        ga_layout_extrapolate(&s->layout, coef->f[k], ga_solution_column(s, 1, k - 1, n), x, s->v);
      }
      if (k >= s->rows) continue; /* the row before does not have this column */
      ga_solution_distance(s, ga_solution_column(s, 1, k, n), x, of);
      for (int i = 0; i < 2; i++) dist[k][i] = ga_larger(dist[k][i], of[i]);
      if (k == 0) s->apart[n] = ga_larger(of[0], of[1]);
    }
    if (s->rows < 2) continue;
    ga_solution_distance(s, s->before + n * s->size, ga_solution_column(s, 0, 0, n), of);
    s->twice[0][n] = ga_larger(of[0], of[1]);
  }
}

/* Largest of the numbers; NaN if one is. */
static double largest_of(long n, const double *x) {
  double largest = 0;
  for (long i = 0; i < n; i++) largest = ga_larger(largest, x[i]);
  return largest;
}

/* Differences of runs j - 2 and j are to fall by this from those of runs j - 4 and j - 2, over 4. */
double ga_solution_fall_scale(const ga_solution *s) {
  const double *m = s->m_of + s->rows - 1;
  double a = 1 / (m[-4] * m[-4]), b = 1 / (m[-2] * m[-2]), c = 1 / (m[0] * m[0]);
  return (a - b) / (b - c) / 4;
}

/* Does the last row show the differences of a smooth motion? Sets e->fall and e->regular; *rough:
 * error of column 0 if not. */
static void check_fall(const ga_solution *s, const double dist[2], ga_estimate *e, double *rough) {
  int j = s->rows - 1;
  e->fall = NAN;
  e->regular = true;
  *rough = ga_larger(dist[0], dist[1]);
  if (j < 4) return; /* D_j and D_{j-2} need runs j - 4 to j */
  double now = largest_of(s->nodes, s->twice[0]), then = largest_of(s->nodes, s->twice[2]);
  if (now == 0) return;
  e->fall = then / now / ga_solution_fall_scale(s);
  e->regular = e->fall > 2.4 && e->fall < fall_largest;
  *rough = 2 * now / fmin(fmax(e->fall - 1, 0.3), 3); /* 2: kinks are met at random */
}

/* With three or four runs: the last two differences over their theory, outside (0.6, 1.6)? */
static bool is_early_irregular(const ga_solution *s) {
  int j = s->rows - 1;
  if (j < 2 || j >= 4) return false;
  const double *m = s->m_of + j - 2;
  double a = 1 / (m[0] * m[0]), b = 1 / (m[1] * m[1]), c = 1 / (m[2] * m[2]);
  double now = largest_of(s->nodes, s->apart), then = s->made[j - 1].largest_apart;
  double ratio = then / now / ((a - b) / (b - c));
  return now > 0 && !(ratio > 0.6 && ratio < 1.6);
}

/* Does column K fall too slowly for its order? Not known before it has two distances, two rows
 * apart. */
static bool is_slow_column(const ga_solution *s, int K, const double dist[2]) {
  int j = s->rows - 1;
  if (K < 1 || j - 2 < K + 1) return false;
  double now = ga_larger(dist[0], dist[1]), then = s->made[j - 2].dist[K];
  return now > 0 && then / now < ldexp(1, K + 2) / 2.5;
}

/* The divisor of column K >= 3, where rounding may count: 1 where its distance, `now`, is within one eps
 * in each step of the last run; at most 4 unless it has fallen from the row before to this one by about
 * what it should, `falls`, which is not known before it has two distances. */
static double careful_divisor(const ga_solution *s, int K, double falls, double now) {
  int j = s->rows - 1;
  double roundings = largest_weights * s->m_of[j] * (double)s->steps * DBL_EPSILON;
  if (now <= roundings) return 1;
  bool fallen = j - 1 >= K + 1 && s->made[j - 1].dist[K] > falls / 2.5 * now;
  return fallen ? falls - 1 : fmin(falls - 1, 4);
}

/* By how much a distance of column K is too small to be more than chance, at least 1: it falls by
 * `falls` from one row to the next, and thrice as much where a leading error passes through zero. Not
 * known before the column has two distances besides. */
static double chance(const ga_solution *s, int K, double falls, double now) {
  int j = s->rows - 1;
  if (K < 1 || j - 1 < K + 2 || !(now > 0)) return 1;
  return fmax(s->made[j - 1].dist[K] / (3 * falls) / now, 1);
}

/* The estimates of all columns from their distances; the least counts. */
static ga_estimate choose_column(const ga_solution *s, const ga_tableau_row *coef,
                                 double dist[GA_COLUMNS][2]) {
  ga_estimate best = {.largest = INFINITY,
                      .fall = NAN,
                      .forces = NAN,
                      .vd = NAN,
                      .lam = NAN,
                      .divisor = 1,
                      .regular = true};
  double rough;
  check_fall(s, dist[0], &best, &rough);
  best.largest_apart = largest_of(s->nodes, s->apart);
  bool early = is_early_irregular(s), slow = !best.regular && best.fall < 4;
  for (int K = 0; K < GA_COLUMNS && K <= s->rows - 2; K++) {
    double divisor = fmax(coef->falls[K] - 1, 0.3), error[2];
    best.dist[K] = ga_larger(dist[K][0], dist[K][1]);
    if (K >= 3) divisor = careful_divisor(s, K, coef->falls[K], best.dist[K]);
    if (K >= 1 && (early || !best.regular || is_slow_column(s, K, dist[K]))) divisor = 1;
    divisor /= chance(s, K, coef->falls[K], best.dist[K]);
    if (best.fall > fall_largest) divisor *= fall_largest / best.fall;
    for (int i = 0; i < 2; i++) error[i] = dist[K][i] / divisor;
    double largest = ga_larger(error[0], error[1]);
    if (slow && K > 0) break;
    if (slow) { /* the same factor for both variables */
      double factor = largest > 0 ? fmax(rough / largest, 1) : 1;
      for (int i = 0; i < 2; i++) error[i] *= factor;
      largest *= factor;
    }
    if (!(largest < best.largest)) continue;
    best.K = K;
    best.divisor = largest > 0 ? ga_larger(dist[K][0], dist[K][1]) / largest : 1;
    best.largest = largest;
    for (int i = 0; i < 2; i++) best.error[i] = error[i];
  }
  if (!isfinite(best.largest)) best.error[0] = best.error[1] = best.largest;
  return best;
}

/* Append the run x as a row. The columns of the row before the last become free for the new one; so
 * does column 0 of three rows before, which is returned. */
double *ga_solution_add_row(ga_solution *s, int m, double *x) {
  ga_row old = s->row[1];
  s->row[1] = s->row[0];
  s->row[0] = old;
  double *freed = s->before;
  s->before = s->row[0].x[0]; /* column 0 of two rows before */
  s->row[0].x[0] = x;
  double *last = s->twice[2];
  s->twice[2] = s->twice[1], s->twice[1] = s->twice[0], s->twice[0] = last;
  measure_sizes(s, x);

  s->m_of[s->rows] = m;
  int rows = s->rows + 1 < GA_TABLEAU_ROWS_MAX ? s->rows + 1 : GA_TABLEAU_ROWS_MAX;
  ga_tableau_row coef = ga_tableau_last_row(rows, s->m_of + s->rows + 1 - rows);
  double dist[GA_COLUMNS][2];
  fill_row(s, &coef, dist);
  s->rows++;
  s->made[s->rows - 1] = choose_column(s, &coef, dist);
  return freed;
}
