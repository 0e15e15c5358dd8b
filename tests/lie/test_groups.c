/* SPDX-License-Identifier: MIT */
/* One suite for all groups: the same identities on R^n, SO(3), SE(3) and on products of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "genalpha/genalpha.h"
#include "lie/lie.h"

enum { NMAX = 32, FACTORS = 4 };

typedef struct factor_spec {
  const ga_group *group;
  int n;
} factor_spec;

/* a group or product under test; the space lives during one test */
typedef struct test_case {
  const char *name;
  factor_spec spec[FACTORS];
  ga_space *space;
  uint64_t seed;
} test_case;

static test_case cases[] = {
    {.name = "R^3", .spec = {{&ga_group_rn, 3}}},
    {.name = "SO(3)", .spec = {{&ga_group_so3, 1}}},
    {.name = "SE(3)", .spec = {{&ga_group_se3, 1}}},
    {.name = "product",
     .spec = {{&ga_group_rn, 2}, {&ga_group_so3, 1}, {&ga_group_se3, 1}, {&ga_group_rn, 1}}},
    {.name = "copies", .spec = {{&ga_group_so3, 2}, {&ga_group_rn, 1}, {&ga_group_se3, 2}}},
};

/* |w| of the rotations: tiny, moderate, around the switches of the series, near pi */
static const double angles[] = {0,          1e-12, 1e-9,      1e-6,       1e-3,
                                0.1,        1,     2 - 1e-9,  2 + 1e-9,   2.5 - 1e-9,
                                2.5 + 1e-9, 3.0,   3.1405927, 3.14159165, 3.1415926535};
enum { ANGLES = sizeof angles / sizeof *angles };

static int setup(void **state) {
  test_case *c = *state;
  c->seed = 20240607;
  if (ga_space_new(&c->space)) return -1;
  for (int i = 0; i < FACTORS && c->spec[i].group; i++) {
    if (ga_space_add(c->space, c->spec[i].group, c->spec[i].n, NULL, NULL)) return -1;
  }
  return 0;
}

static int teardown(void **state) {
  test_case *c = *state;
  ga_space_free(c->space);
  c->space = NULL;
  return 0;
}

/* uniform in (-1, 1): the splitmix64 generator */
static double uniform(test_case *c) {
  uint64_t z = c->seed += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1;
}

static void random_vector(test_case *c, double *w) {
  for (int i = 0; i < ga_space_nv(c->space); i++) w[i] = uniform(c);
}

/* The rotational part of copy k of a factor is at the end of its velocity, its quaternion at the
 * end of its configuration. */
static double *rotation_part(const ga_factor *f, int k, double *w) {
  return w + f->v_at + (k + 1) * f->group->nv - 3;
}

static double *quaternion(const ga_factor *f, int k, double *q) {
  return q + f->q_at + (k + 1) * f->group->nq - 4;
}

/* a random vector whose rotations all have the given angle */
static void random_rotation(test_case *c, double angle, double *w) {
  random_vector(c, w);
  for (int i = 0; i < c->space->nfactor; i++) {
    const ga_factor *f = &c->space->factor[i];
    for (int k = 0; k < f->n && !f->group->commutative; k++) {
      double *r = rotation_part(f, k, w), length = sqrt(ga_dot3(r, r));
      for (int j = 0; j < 3; j++) r[j] *= angle / length;
    }
  }
}

static void random_point(test_case *c, double *q) {
  for (int i = 0; i < ga_space_nq(c->space); i++) q[i] = uniform(c);
  ga_space_clean(c->space, q);
}

/* the other quaternions of the same rotations */
static void flip(test_case *c, double *q) {
  for (int i = 0; i < c->space->nfactor; i++) {
    const ga_factor *f = &c->space->factor[i];
    for (int k = 0; k < f->n && !f->group->commutative; k++) {
      for (int j = 0; j < 4; j++) quaternion(f, k, q)[j] *= -1;
    }
  }
}

static void compose(test_case *c, const double *qa, const double *qb, double *qc) {
  for (int i = 0; i < c->space->nfactor; i++) {
    const ga_factor *f = &c->space->factor[i];
    f->group->compose(f->n, qa + f->q_at, qb + f->q_at, qc + f->q_at);
  }
}

static void exponential(test_case *c, const double *w, double *q) {
  double e[NMAX];
  ga_space_identity(c->space, e);
  ga_space_step(c->space, e, w, q);
}

static void near(const char *what, int n, const double *a, const double *b, double tolerance) {
  for (int i = 0; i < n; i++) {
    if (!(fabs(a[i] - b[i]) <= tolerance)) {
      fail_msg("%s, entry %d: %.17g and %.17g", what, i, a[i], b[i]);
    }
  }
}

/* The matrix [R x; 0 1] of copy k, by the textbook formula for R in Euler parameters. */
static void matrix_of(const ga_factor *f, int k, double *q, double A[4][4]) {
  const double *p = quaternion(f, k, q);
  double a = p[0], b = p[1], c = p[2], d = p[3];
  double R[3][3] = {{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
                    {2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)},
                    {2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d}};
  memset(A, 0, 16 * sizeof(double));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) A[i][j] = R[i][j];
    A[i][3] = f->group->nq == 7 ? p[i - 3] : 0;
  }
  A[3][3] = 1;
}

/* The matrix w~ = [Omega~ u; 0 0] of copy k. */
static void hat(const ga_factor *f, int k, double *w, double A[4][4]) {
  const double *r = rotation_part(f, k, w);
  double W[3][3] = {{0, -r[2], r[1]}, {r[2], 0, -r[0]}, {-r[1], r[0], 0}};
  memset(A, 0, 16 * sizeof(double));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) A[i][j] = W[i][j];
    A[i][3] = f->group->nv == 6 ? r[i - 3] : 0;
  }
}

static void product(const double A[4][4], const double B[4][4], double C[4][4]) {
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      C[i][j] = 0;
      for (int l = 0; l < 4; l++) C[i][j] += A[i][l] * B[l][j];
    }
  }
}

/* E = exp(A), the power series of A/16 and four squarings */
static void matrix_exponential(const double A[4][4], double E[4][4]) {
  double B[4][4], P[4][4], Q[4][4];
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      B[i][j] = A[i][j] / 16;
      P[i][j] = E[i][j] = i == j;
    }
  }
  for (int k = 1; k < 20; k++) {
    product(P, B, Q);
    for (int i = 0; i < 16; i++) {
      P[i / 4][i % 4] = Q[i / 4][i % 4] / k;
      E[i / 4][i % 4] += P[i / 4][i % 4];
    }
  }
  for (int k = 0; k < 4; k++) {
    product(E, E, Q);
    memcpy(E, Q, sizeof Q);
  }
}

/* exp against the exponential of the matrix, which fixes all signs and conventions; R^n: q + w */
static void exp_is_matrix_exponential(void **state) {
  test_case *c = *state;
  double w[NMAX], q[NMAX], W[4][4], E[4][4], A[4][4];
  for (int a = 0; a < ANGLES; a++) {
    random_rotation(c, angles[a], w);
    exponential(c, w, q);
    for (int i = 0; i < c->space->nfactor; i++) {
      const ga_factor *f = &c->space->factor[i];
      if (f->group->commutative) near("sum", f->n, q + f->q_at, w + f->v_at, 0);
      for (int k = 0; k < f->n && !f->group->commutative; k++) {
        hat(f, k, w, W);
        matrix_exponential(W, E);
        matrix_of(f, k, q, A);
        near("exp", 16, A[0], E[0], 1e-14);
      }
    }
  }
}

/* compose against the product of matrices; R^n: the sum */
static void compose_is_matrix_product(void **state) {
  test_case *c = *state;
  double qa[NMAX], qb[NMAX], qc[NMAX], A[4][4], B[4][4], C[4][4], AB[4][4];
  random_point(c, qa);
  random_point(c, qb);
  compose(c, qa, qb, qc);
  for (int i = 0; i < c->space->nfactor; i++) {
    const ga_factor *f = &c->space->factor[i];
    for (int k = 0; k < f->n; k++) {
      if (f->group->commutative) {
        double sum = qa[f->q_at + k] + qb[f->q_at + k];
        near("sum", 1, &qc[f->q_at + k], &sum, 0);
        continue;
      }
      matrix_of(f, k, qa, A);
      matrix_of(f, k, qb, B);
      matrix_of(f, k, qc, C);
      product(A, B, AB);
      near("product", 16, C[0], AB[0], 4e-15);
    }
  }
}

/* diff(q, q o exp(w)) = w: absolutely from any point and for either sign of the quaternion, and
 * relatively to the smallest w from the identity, where nothing is lost in the composition */
static void log_inverts_exp(void **state) {
  test_case *c = *state;
  int nv = ga_space_nv(c->space);
  double w[NMAX], q[NMAX], q1[NMAX], back[NMAX], zero[NMAX] = {0};
  for (int trial = 0; trial < 20 * ANGLES; trial++) {
    double angle = angles[trial % ANGLES];
    random_rotation(c, angle, w);
    random_point(c, q);
    ga_space_step(c->space, q, w, q1);
    ga_space_diff(c->space, q, q1, back);
    near("log exp", nv, back, w, 2e-14);
    flip(c, q1);
    ga_space_diff(c->space, q, q1, back);
    near("log exp, other sign", nv, back, w, 2e-14);
    ga_space_diff(c->space, q, q, back);
    near("log of identity", nv, back, zero, 1e-15);

    exponential(c, w, q1);
    ga_space_identity(c->space, q);
    ga_space_diff(c->space, q, q1, back);
    for (int i = 0; i < c->space->nfactor; i++) {
      const ga_factor *f = &c->space->factor[i];
      for (int k = 0; k < f->n && !f->group->commutative; k++) {
        near("small", 3, rotation_part(f, k, back), rotation_part(f, k, w), 1e-15 * angle);
      }
    }
  }
}

/* qa o exp(diff(qa, qb)) = qb up to the sign of quaternions, with rotations not beyond pi */
static void exp_inverts_log(void **state) {
  test_case *c = *state;
  double qa[NMAX], qb[NMAX], q[NMAX], w[NMAX];
  for (int trial = 0; trial < 500; trial++) {
    random_point(c, qa);
    random_point(c, qb);
    ga_space_diff(c->space, qa, qb, w);
    ga_space_step(c->space, qa, w, q);
    for (int i = 0; i < c->space->nfactor; i++) {
      const ga_factor *f = &c->space->factor[i];
      for (int k = 0; k < f->n && !f->group->commutative; k++) {
        double *r = rotation_part(f, k, w), *p = quaternion(f, k, q), *pb = quaternion(f, k, qb);
        assert_true(sqrt(ga_dot3(r, r)) <= acos(-1.0) * (1 + 1e-15));
        bool opposite = p[0] * pb[0] + ga_dot3(p + 1, pb + 1) < 0;
        for (int j = 0; j < 4 && opposite; j++) p[j] *= -1;
      }
    }
    near("exp log", ga_space_nq(c->space), q, qb, 1e-14);
  }
}

static void dense_tangent(test_case *c, const double *w, double *T) {
  double rows[36 * FACTORS];
  int nv = ga_space_nv(c->space);
  assert_true(ga_space_tangent_size(c->space) <= 36 * FACTORS);
  ga_space_tangent_rows(c->space, w, rows);
  for (int i = 0; i < nv * nv; i++) T[i] = i % (nv + 1) == 0;
  const double *block = rows;
  for (int i = 0; i < c->space->nfactor; i++) {
    const ga_factor *f = &c->space->factor[i];
    int m = f->group->nv;
    for (int k = 0; k < f->n && !f->group->commutative; k++) {
      for (int e = 0; e < m * m; e++) {
        int at = f->v_at + k * m;
        T[(at + e / m) * nv + at + e % m] = *block++;
      }
    }
  }
  assert_int_equal(block - rows, ga_space_tangent_size(c->space));
}

/* column j of T by the central quotient of log(exp(w)^-1 exp(w + s e_j)) in s */
static void quotient(test_case *c, const double *w, int j, double s, double *column) {
  double wp[NMAX], wm[NMAX], q[NMAX], qp[NMAX], qm[NMAX], plus[NMAX], minus[NMAX];
  int nv = ga_space_nv(c->space);
  memcpy(wp, w, sizeof wp);
  memcpy(wm, w, sizeof wm);
  wp[j] += s;
  wm[j] -= s;
  exponential(c, w, q);
  exponential(c, wp, qp);
  exponential(c, wm, qm);
  ga_space_diff(c->space, q, qp, plus);
  ga_space_diff(c->space, q, qm, minus);
  for (int i = 0; i < nv; i++) column[i] = (plus[i] - minus[i]) / (wp[j] - wm[j]);
}

/* T against quotients with s and s/2, extrapolated: error s^4 = 4e-12 times a small factor */
static void tangent_is_derivative(void **state) {
  test_case *c = *state;
  int nv = ga_space_nv(c->space);
  double w[NMAX] = {0}, T[NMAX * NMAX], one[NMAX], two[NMAX], column[NMAX];
  for (int a = 0; a < ANGLES; a++) {
    random_rotation(c, angles[a], w);
    dense_tangent(c, w, T);
    for (int j = 0; j < nv; j++) {
      quotient(c, w, j, 2e-3, two);
      quotient(c, w, j, 1e-3, one);
      for (int i = 0; i < nv; i++) {
        column[i] = T[i * nv + j];
        one[i] = (4 * one[i] - two[i]) / 3;
      }
      near("tangent", nv, column, one, 1e-11);
    }
  }
}

/* the group's own tangent of R^n is the identity matrix, though the space never needs it */
static void tangent_of_commutative(void **state) {
  test_case *c = *state;
  for (int i = 0; i < c->space->nfactor; i++) {
    const ga_factor *f = &c->space->factor[i];
    double w[NMAX] = {1, 2, 3}, T[NMAX * NMAX];
    if (!f->group->commutative) continue;
    f->group->tangent(f->n, w, T);
    for (int e = 0; e < f->n * f->n; e++) assert_true(T[e] == (e % (f->n + 1) == 0));
  }
}

/* q o exp(w) = step(q, w), also in place; (a b) c = a (b c); the identity on either side */
static void composition(void **state) {
  test_case *c = *state;
  int nq = ga_space_nq(c->space);
  double w[NMAX], qa[NMAX], qb[NMAX], qc[NMAX], x[NMAX], y[NMAX], z[NMAX];
  for (int a = 0; a < ANGLES; a++) {
    random_rotation(c, angles[a], w);
    random_point(c, qa);
    random_point(c, qb);
    random_point(c, qc);
    exponential(c, w, x);
    compose(c, qa, x, y);
    ga_space_step(c->space, qa, w, z);
    near("step", nq, y, z, 2e-15);
    memcpy(x, qa, sizeof x);
    ga_space_step(c->space, x, w, x);
    near("step in place", nq, x, z, 0);

    compose(c, qa, qb, x);
    compose(c, x, qc, y);
    compose(c, qb, qc, x);
    compose(c, qa, x, z);
    near("associativity", nq, y, z, 4e-15);

    ga_space_identity(c->space, x);
    compose(c, qa, x, y);
    compose(c, x, qa, z);
    near("right identity", nq, y, qa, 0);
    near("left identity", nq, z, qa, 0);
  }
}

/* The even part of log(exp(sa) exp(sb) exp(-sa) exp(-sb)) is s^2 [a, b] + O(s^4). */
static void commutator(test_case *c, const double *a, const double *b, double s, double *out) {
  int nv = ga_space_nv(c->space);
  double q[NMAX], e[NMAX], w[NMAX], loop[NMAX];
  ga_space_identity(c->space, e);
  for (int i = 0; i < nv; i++) out[i] = 0;
  for (int sign = -1; sign <= 1; sign += 2) {
    memcpy(q, e, sizeof q);
    for (int leg = 0; leg < 4; leg++) {
      for (int i = 0; i < nv; i++) w[i] = (leg < 2 ? s : -s) * sign * (leg % 2 ? b[i] : a[i]);
      ga_space_step(c->space, q, w, q);
    }
    ga_space_diff(c->space, e, q, loop);
    for (int i = 0; i < nv; i++) out[i] += loop[i] / (2 * s * s);
  }
}

/* the bracket against commutators with s and s/2, extrapolated; antisymmetry; Jacobi's identity */
static void bracket(void **state) {
  test_case *c = *state;
  int nv = ga_space_nv(c->space);
  double a[NMAX], b[NMAX], d[NMAX], ab[NMAX], ba[NMAX], one[NMAX], two[NMAX], zero[NMAX] = {0};
  double bd[NMAX], da[NMAX], j1[NMAX], j2[NMAX], j3[NMAX];
  for (int trial = 0; trial < 20; trial++) {
    random_vector(c, a);
    random_vector(c, b);
    random_vector(c, d);
    ga_space_bracket(c->space, a, b, ab);
    ga_space_bracket(c->space, b, a, ba);
    commutator(c, a, b, 1e-2, two);
    commutator(c, a, b, 5e-3, one);
    for (int i = 0; i < nv; i++) {
      one[i] = (4 * one[i] - two[i]) / 3;
      ba[i] = -ba[i];
    }
    near("commutator", nv, ab, one, 1e-8);
    near("antisymmetry", nv, ab, ba, 1e-15);
    ga_space_bracket(c->space, b, d, bd);
    ga_space_bracket(c->space, d, a, da);
    ga_space_bracket(c->space, a, bd, j1);
    ga_space_bracket(c->space, b, da, j2);
    ga_space_bracket(c->space, d, ab, j3);
    for (int i = 0; i < nv; i++) j1[i] += j2[i] + j3[i];
    near("Jacobi", nv, j1, zero, 4e-15);
  }
}

/* lengths after 10000 steps that are never renormalised; clean repairs what a user disturbed */
static void quaternion_length(void **state) {
  test_case *c = *state;
  double q[NMAX], w[NMAX], kept[NMAX];
  random_point(c, q);
  for (int step = 0; step < 10000; step++) {
    random_vector(c, w);
    for (int i = 0; i < ga_space_nv(c->space); i++) w[i] *= 0.1;
    ga_space_step(c->space, q, w, q);
  }
  memcpy(kept, q, sizeof kept);
  for (int i = 0; i < c->space->nfactor; i++) {
    const ga_factor *f = &c->space->factor[i];
    for (int k = 0; k < f->n && !f->group->commutative; k++) {
      double *p = quaternion(f, k, q);
      assert_true(fabs(sqrt(p[0] * p[0] + ga_dot3(p + 1, p + 1)) - 1) <= 1e-13);
      for (int j = 0; j < 4; j++) p[j] *= 1 + 0.1 * (k + 1);
    }
  }
  ga_space_clean(c->space, q);
  near("clean", ga_space_nq(c->space), q, kept, 1e-13);
}

static const struct {
  const char *name;
  CMUnitTestFunction run;
} properties[] = {
    {"exp is the matrix exponential", exp_is_matrix_exponential},
    {"compose is the matrix product", compose_is_matrix_product},
    {"log inverts exp", log_inverts_exp},
    {"exp inverts log", exp_inverts_log},
    {"tangent is the derivative of exp", tangent_is_derivative},
    {"tangent of a commutative group", tangent_of_commutative},
    {"composition", composition},
    {"bracket", bracket},
    {"quaternion length", quaternion_length},
};

/* every property for every case */
int main(void) {
  enum { CASES = sizeof cases / sizeof *cases, TESTS = sizeof properties / sizeof *properties };
  static char name[CASES * TESTS][64];
  struct CMUnitTest tests[CASES * TESTS];
  for (int i = 0; i < CASES * TESTS; i++) {
    test_case *c = &cases[i / TESTS];
    snprintf(name[i], sizeof name[i], "%s: %s", c->name, properties[i % TESTS].name);
    tests[i] = (struct CMUnitTest){name[i], properties[i % TESTS].run, setup, teardown, c};
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
