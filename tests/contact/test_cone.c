/* SPDX-License-Identifier: MIT */
/* The cone problem: known impacts; the laws hold for random impacts of boxes on redundant corners; results
 * depend neither on the order of contacts nor on units. */
#include <math.h>
#include <string.h>

#include "contact/cone.h"
#include "support.h"

enum { MOST = 12 };

/* a number in [-1, 1) */
static double next_random(unsigned long *seed) {
  *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* An impact of a box with n corners on a floor: A = J M^-1 J^T, b = u- + e min(u_N-, 0). */
typedef struct {
  int n, nt[4];
  double A[MOST * MOST], b[MOST], mu[4], before[MOST];
} impact;

static void random_impact(unsigned long *seed, impact *p, double mu_most) {
  double half[3] = {0.1 + 0.05 * next_random(seed), 0.15 + 0.05 * next_random(seed),
                    0.05 + 0.02 * next_random(seed)};
  double J[MOST][6], inertia[3], v[6], e = 0.5 + 0.5 * next_random(seed);
  double mu = mu_most * (1 + next_random(seed)) / 2;
  for (int k = 0; k < 3; k++) {
    const double a = half[(k + 1) % 3], b = half[(k + 2) % 3];
    inertia[k] = (a * a + b * b) / 3;
    v[k] = next_random(seed), v[3 + k] = 10 * next_random(seed);
  }
  v[2] -= 1.5;
  p->n = 4;
  for (int c = 0; c < 4; c++) {
    const double x[3] = {c & 2 ? half[0] : -half[0], c & 1 ? half[1] : -half[1], -half[2]};
    p->nt[c] = 2;
    p->mu[c] = mu;
    for (int k = 0; k < 3; k++) { /* rows: normal z, tangents x and y */
      double *row = J[3 * c + k];
      const int axis = k == 0 ? 2 : k - 1;
      memset(row, 0, sizeof J[0]);
      row[axis] = 1;
      /* e_axis . (w x x) */
      row[3 + (axis + 1) % 3] = x[(axis + 2) % 3];
      row[3 + (axis + 2) % 3] = -x[(axis + 1) % 3];
    }
  }
  for (int i = 0; i < MOST; i++) {
    p->before[i] = 0;
    for (int k = 0; k < 6; k++) p->before[i] += J[i][k] * v[k];
    p->b[i] = p->before[i] + (i % 3 == 0 ? e * fmin(p->before[i], 0) : 0);
    for (int j = 0; j < MOST; j++) {
      p->A[i * MOST + j] = 0;
      for (int k = 0; k < 6; k++) {
        p->A[i * MOST + j] += J[i][k] * J[j][k] / (k < 3 ? 1 : inertia[k - 3]);
      }
    }
  }
}

typedef struct {
  double r[MOST], u[MOST];
  int status[4], island[4];
  ga_cone_solution s;
} answer;

static ga_status solve(const impact *p, answer *a) {
  ga_error err;
  ga_arena arena = {0};
  ga_csr A;
  assert_int_equal(ga_csr_init(&A, MOST, MOST, NULL, &arena), GA_OK);
  memcpy(A.val, p->A, sizeof p->A);
  const ga_cone cone = {.n = p->n, .nt = p->nt, .mu = p->mu, .A = &A, .b = p->b, .symmetric = true};
  a->s = (ga_cone_solution){.r = a->r, .u = a->u, .status = a->status, .island = a->island};
  const ga_status status = ga_cone_solve(&cone, &a->s, &err);
  ga_arena_free(&arena);
  return status;
}

/* the laws, in the problem's own units: forces about 1, velocities about 1 */
static void check_laws(const impact *p, const answer *a, double tol) {
  for (int c = 0; c < p->n; c++) {
    const double *r = a->r + 3 * c, *u = a->u + 3 * c;
    const double rt = hypot(r[1], r[2]), ut = hypot(u[1], u[2]);
    assert_true(r[0] >= -tol && u[0] >= -tol);
    assert_true(fabs(r[0] * u[0]) <= 10 * tol);
    assert_true(rt <= p->mu[c] * r[0] + tol);
    if (ut > 1e-5 && r[0] > 1e-5) {
      for (int k = 1; k < 3; k++) assert_true(fabs(r[k] + p->mu[c] * r[0] * u[k] / ut) <= 1e-5);
    }
  }
  for (int i = 0; i < MOST; i++) {
    double u = p->b[i];
    for (int j = 0; j < MOST; j++) u += p->A[i * MOST + j] * a->r[j];
    assert_true(fabs(u - a->u[i]) <= 1e-10 * (1 + fabs(u)));
  }
}

static void test_random_impacts(void **state) {
  (void)state;
  unsigned long seed = 7;
  int solved = 0, by_sets = 0, coarse = 0;
  for (int n = 0; n < 1000; n++) {
    impact p;
    answer a;
    random_impact(&seed, &p, 1.2);
    if (solve(&p, &a) != GA_OK) continue;
    solved++;
    by_sets += a.s.sweeps == 0;
    coarse += a.s.coarse;
    check_laws(&p, &a, a.s.coarse ? 2e-6 : 1e-9);
  }
  print_message("solved %d, by sets %d, coarse %d\n", solved, by_sets, coarse);
  assert_int_equal(solved, 1000);
  assert_true(coarse <= 20);
}

static void test_order_and_units(void **state) {
  (void)state;
  static const int order[4] = {2, 0, 3, 1};
  unsigned long seed = 11;
  for (int n = 0; n < 60; n++) {
    impact p, other;
    answer a, b;
    random_impact(&seed, &p, 0.6);
    other = p;
    for (int i = 0; i < MOST; i++) {
      const int from = 3 * order[i / 3] + i % 3;
      other.b[i] = 1024 * p.b[from];
      for (int j = 0; j < MOST; j++) {
        other.A[i * MOST + j] = p.A[from * MOST + 3 * order[j / 3] + j % 3] / 4096;
      }
    }
    assert_int_equal(solve(&p, &a), GA_OK);
    assert_int_equal(solve(&other, &b), GA_OK);
    if (a.s.coarse || b.s.coarse) continue;
    for (int i = 0; i < MOST; i++) {
      const int from = 3 * order[i / 3] + i % 3;
      assert_true(fabs(b.u[i] / 1024 - a.u[from]) <= 1e-7);
    }
  }
}

/* a box that slides on four corners, pushed down evenly: each corner has the same share, and friction
 * mu N against the motion; dependent normals */
static void test_equal_shares(void **state) {
  (void)state;
  unsigned long seed = 3;
  impact p;
  answer a;
  random_impact(&seed, &p, 1.2);
  for (int i = 0; i < MOST; i++) p.b[i] = i % 3 == 0 ? -1 : 0;
  assert_int_equal(solve(&p, &a), GA_OK);
  for (int c = 0; c < 4; c++) assert_true(fabs(a.r[3 * c] - 0.25) <= 1e-12);
}

/* ---- a pile ------------------------------------------------------------------------------------- */

/* Spheres of mass 1, radius 1 on a lattice of side^3 with contacts between neighbours and with the floor:
 * one large island, with more rows than velocities. */
enum { SIDE = 5, SPHERES = SIDE * SIDE * SIDE, CONTACTS = 3 * SPHERES, PILE_ROWS = 3 * CONTACTS };

typedef struct {
  int n;
  int body[CONTACTS][2]; /* -1: the floor */
  double J[CONTACTS][3][2][6];
} pile;

/* The row of direction t at a contact with normal `axis`, for the sphere on side `side`. */
static void pile_row(int axis, int t, int side, double *J) {
  const double sign = side ? 1 : -1;
  memset(J, 0, 6 * sizeof *J);
  J[t] = sign;
  if (t == axis) return;
  /* omega x arm along t, the arm +e_axis of the first sphere, -e_axis of the second one */
  const int other = 3 - axis - t;
  J[3 + other] = (t - axis + 3) % 3 == 1 ? -1 : 1; /* e_other x e_axis = e_t, or -e_t */
}

static void make_pile(pile *p) {
  p->n = 0;
  for (int i = 0; i < SPHERES; i++) {
    const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    const int step[3] = {1, SIDE, SIDE * SIDE};
    for (int axis = 0; axis < 3; axis++) {
      if (at[axis] == 0 && axis != 2) continue;
      const int c = p->n++;
      p->body[c][0] = at[axis] == 0 ? -1 : i - step[axis];
      p->body[c][1] = i;
      for (int k = 0; k < 3; k++) {
        for (int side = 0; side < 2; side++) {
          pile_row(axis, (axis + k) % 3, side, p->J[c][k][side]);
        }
      }
    }
  }
}

/* A = J M^-1 J^T with inertia 0.4 */
static void pile_matrix(const pile *p, ga_csr *A, ga_arena *arena) {
  const int m = 3 * p->n;
  int *ptr = ga_arena_ints(arena, (size_t)m + 1), *col = ga_arena_ints(arena, (size_t)m * 36);
  double *val = ga_arena_doubles(arena, (size_t)m * 36);
  int n = 0;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) {
      double sum = 0;
      bool coupled = false;
      for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
          const int body = p->body[i / 3][a];
          if (body < 0 || body != p->body[j / 3][b]) continue;
          coupled = true;
          for (int k = 0; k < 6; k++) {
            sum += p->J[i / 3][i % 3][a][k] * p->J[j / 3][j % 3][b][k] / (k < 3 ? 1 : 0.4);
          }
        }
      }
      if (!coupled) continue;
      col[n] = j;
      val[n++] = sum;
    }
    ptr[i + 1] = n;
  }
  *A = (ga_csr){.nrow = m, .ncol = m, .ptr = ptr, .col = col, .val = val};
}

/* Random velocities, all spheres falling: the laws hold, and A is semidefinite. */
static void test_pile(void **state) {
  (void)state;
  static pile p;
  static double b[PILE_ROWS], r[PILE_ROWS], u[PILE_ROWS], mu[CONTACTS];
  static int nt[CONTACTS], status[CONTACTS], island[CONTACTS];
  ga_arena arena = {0};
  ga_csr A;
  ga_error err;
  uint64_t seed = 5;
  make_pile(&p);
  pile_matrix(&p, &A, &arena);
  assert_true(!arena.failed && ga_csr_nnz(&A) <= 36 * A.nrow);
  for (int trial = 0; trial < 6; trial++) {
    double v[SPHERES][6];
    for (int i = 0; i < SPHERES; i++) {
      for (int k = 0; k < 6; k++) v[i][k] = 0.3 * next_uniform(&seed) - (k == 2);
    }
    for (int c = 0; c < p.n; c++) {
      nt[c] = trial % 3 ? 2 : 0;
      mu[c] = trial % 3 ? 0.2 * trial : 0;
    }
    /* without friction: normals alone */
    const int rows = trial % 3 ? 3 : 1;
    ga_arena own = {0};
    ga_csr part = A;
    if (rows == 1) {
      int *ptr = ga_arena_ints(&own, (size_t)p.n + 1), n = 0;
      int *col = ga_arena_ints(&own, (size_t)p.n * 12);
      double *val = ga_arena_doubles(&own, (size_t)p.n * 12);
      for (int c = 0; c < p.n; c++) {
        for (int e = A.ptr[3 * c]; e < A.ptr[3 * c + 1]; e++) {
          if (A.col[e] % 3) continue;
          col[n] = A.col[e] / 3;
          val[n++] = A.val[e];
        }
        ptr[c + 1] = n;
      }
      part = (ga_csr){.nrow = p.n, .ncol = p.n, .ptr = ptr, .col = col, .val = val};
    }
    for (int i = 0; i < part.nrow; i++) {
      const int c = i / rows, k = i % rows;
      b[i] = 0;
      for (int side = 0; side < 2; side++) {
        for (int l = 0; l < 6 && p.body[c][side] >= 0; l++) {
          b[i] += p.J[c][k][side][l] * v[p.body[c][side]][l];
        }
      }
    }
    const ga_cone cone = {.n = p.n, .nt = nt, .mu = mu, .A = &part, .b = b, .symmetric = true};
    ga_cone_solution s = {.r = r, .u = u, .status = status, .island = island};
    assert_int_equal(ga_cone_solve(&cone, &s, &err), GA_OK);
    const double tol = s.coarse ? 2e-5 : 1e-8; /* forces are up to 20, velocities 2 */
    for (int c = 0; c < p.n; c++) {
      const double *rc = r + rows * c, *uc = u + rows * c;
      assert_true(rows == 1 || island[c] == 0);
      assert_true(rc[0] >= -tol && uc[0] >= -tol && fabs(rc[0] * uc[0]) <= 20 * tol);
      if (rows == 1) continue;
      const double rt = hypot(rc[1], rc[2]), ut = hypot(uc[1], uc[2]);
      assert_true(rt <= mu[c] * rc[0] + tol);
      if (ut <= 100 * tol) continue; /* friction is against the slip, and full */
      for (int k = 1; k < 3; k++) assert_true(fabs(rc[k] * ut + mu[c] * rc[0] * uc[k]) <= 20 * tol);
    }
    for (int i = 0; i < part.nrow; i++) {
      double sum = b[i];
      for (int e = part.ptr[i]; e < part.ptr[i + 1]; e++) sum += part.val[e] * r[part.col[e]];
      assert_true(fabs(sum - u[i]) <= 1e-7);
    }
    ga_arena_free(&own);
  }
  ga_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pile), cmocka_unit_test(test_random_impacts),
      cmocka_unit_test(test_order_and_units), cmocka_unit_test(test_equal_shares)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
