/* SPDX-License-Identifier: MIT */
/* Results do not depend on the axes of the nodes. All frames R of a beam become R A with a constant
 * rotation A, its section K becomes D^T K D with D = diag(A, A), rhoI the inertia A^T J A; velocities
 * become A^T u, A^T omega, and positions, multipliers and energies stay. */
#include <float.h>

#include "beams.h"

enum { N = 3, NODES = 2 * (N + 1), NV = 6 * NODES, NLAM = 13, STEPS = 40 };

/* Results of a run: q, v, v', lam and both energies at its end. */
struct result {
  double q[7 * NODES], v[NV], vd[NV], lam[NLAM], energy[2];
};

/* out <- A^T x for n vectors of three numbers; p: the quaternion of A */
static void turn_back(const double *p, int n, const double *x, double *out) {
  for (int k = 0; k < n; k++) ga_quat_unrotate(p, x + 3 * k, out + 3 * k);
}

/* K <- D^T S D for 6 x 6 matrices by rows */
static void turn_stiffness(const double *p, const double *S, double *K) {
  double half[36], column[6], turned[6];
  for (int i = 0; i < 6; i++) turn_back(p, 2, S + 6 * i, half + 6 * i); /* S D */
  for (int j = 0; j < 6; j++) {
    for (int i = 0; i < 6; i++) column[i] = half[6 * i + j];
    turn_back(p, 2, column, turned);
    for (int i = 0; i < 6; i++) K[6 * i + j] = turned[i];
  }
}

/* Add a beam whose frames are turned by the quaternion p. */
static void add_turned(ga_mechanism *m, const char *name, ga_beam_node *nodes, const double *rhoI,
                       const double *p, ga_formulation formulation) {
  static const double S[36] = {90,  5,   1,  0,   0.3, 0.2, 5,   40, 2,   0,   0.1, 0,
                               1,   2,   50, 0.4, 0,   0,   0,   0,  0.4, 6,   0,   0.1,
                               0.3, 0.1, 0,  0,   8,   0,   0.2, 0,  0,   0.1, 0,   9};
  double K[36];
  ga_error err = {0};
  turn_stiffness(p, S, K);
  for (int k = 0; k <= N; k++) {
    double turned[4];
    ga_quat_mul(nodes[k].orientation, p, turned);
    memcpy(nodes[k].orientation, turned, sizeof turned);
  }
  const ga_beam beam = {.name = name,
                        .elements = N,
                        .nodes = nodes,
                        .section = {.K = K, .rhoA = 1.3, .rhoI = {rhoI[0], rhoI[1], rhoI[2]}},
                        .damping = {0.01, 0.01, 0.01, 0.01, 0.01, 0.01},
                        .load = {0.3, -0.2, 0.1},
                        .formulation = formulation};
  must(ga_mechanism_beam(m, &beam, &err), &err);
}

/* Two beams, an arc and a line: clamped, hinged, and held by a ball. */
static void run(const double *rhoI, const double *p, ga_formulation formulation, const char *method,
                struct result *out) {
  ga_mechanism *m = mechanism_new((double[3]){0, -3, 1});
  ga_beam_node arc[N + 1], line[N + 1];
  ga_error err = {0};
  must(ga_beam_arc((double[3]){0, 0, 0}, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, 1, 1.5, NULL,
                   N, arc, &err),
       &err);
  must(ga_beam_line(arc[N].position, (double[3]){1, 2, 0.5}, NULL, N, line, &err), &err);
  add_turned(m, "one", arc, rhoI, p, formulation);
  add_turned(m, "two", line, rhoI, p, formulation);
  ADD(joint, m, .name = "clamp", .type = "fixed", .between = {"ground", "one.start"});
  ADD(joint, m, .name = "hinge", .type = "revolute", .between = {"two.start", "one.end"},
      .axis = GA_IN_SPACE(0, 0.3, 1));
  ADD(joint, m, .name = "rail", .type = "point_on_line", .between = {"ground", "two.end"},
      .axis = GA_IN_SPACE(0.2, 1, 0), .at = GA_IN_SPACE(1, 2, 0.5));
  build(m);
  ga_options o = ga_options_default();
  o.h = 1e-2; /* roundings of positions, eps, are eps/h^2 in accelerations */
  o.method = method;
  o.par = ga_params_rho(0.5);
  ga_integrator *it = mechanism_started(m, &o);
  for (int i = 0; i < STEPS; i++) must(ga_integrator_step(it), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  const ga_model *model = ga_mechanism_model(m);
  assert_int_equal(ga_space_nv(model->space), NV);
  assert_int_equal(model->nlam, NLAM);
  memcpy(out->q, s->q, sizeof out->q);
  memcpy(out->v, s->v, sizeof out->v);
  memcpy(out->vd, s->vd, sizeof out->vd);
  memcpy(out->lam, s->lam, sizeof out->lam);
  assert_int_equal(
      model->ops->energy(model->user, s->t, s->q, s->v, &out->energy[0], &out->energy[1]), 0);
  ga_integrator_free(it);
  ga_mechanism_free(m);
}

/* Largest difference of n numbers relative to the largest of them. */
static double apart(int n, const double *a, const double *b) {
  double most = 0, size = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(a[i]));
  }
  assert_true(size > 1e-3);
  return most / size;
}

/* Velocities of a node in the axes turned by p: (u, omega) or, with R^3 x SO(3), (x', omega). */
static void velocities(const double *p, ga_formulation formulation, const double *v, double *out) {
  turn_back(p, 2 * NODES, v, out);
  if (formulation == GA_FORMULATION_SE3) return;
  for (int k = 0; k < NODES; k++) memcpy(out + 6 * k, v + 6 * k, 3 * sizeof *v);
}

/* Largest difference of the frames, positions relative to the length of a beam, about 1. */
static double frames_apart(const double *p, const double *old, const double *new) {
  double most = 0;
  for (int i = 0; i < NODES; i++, old += 7, new += 7) {
    double turned[4], product = 0;
    for (int c = 0; c < 3; c++) most = fmax(most, fabs(old[c] - new[c]));
    ga_quat_mul(old + 3, p, turned);
    for (int c = 0; c < 4; c++) product += turned[c] * new[3 + c];
    for (int c = 0; c < 4; c++) {
      most = fmax(most, fabs(turned[c] - copysign(1, product) * new[3 + c]));
    }
  }
  return most;
}

static void axes(void **state) {
  (void)state;
  /* any rotation with the inertia of a ball; x -> y -> z -> x, a turn of 120 degrees, with any */
  static const double vector[3] = {0.7, -1.1, 0.4}, identity[4] = {1, 0, 0, 0};
  static const double rhoI[2][3] = {{0.2, 0.2, 0.2}, {0.3, 0.2, 0.15}};
  static const char *const methods[] = {"stab2", "index3"};
  for (int k = 0; k < 8; k++) {
    const ga_formulation formulation = k & 2 ? GA_FORMULATION_R3SO3 : GA_FORMULATION_SE3;
    double p[4] = {0.5, 0.5, 0.5, 0.5}, J[3] = {0.2, 0.2, 0.2}, v[NV], apart_by[5];
    struct result old, new;
    if (k & 1) {
      turn_back(p, 1, rhoI[1], J);
    } else {
      ga_quat_exp(vector, p);
    }
    run(rhoI[k & 1], identity, formulation, methods[k / 4], &old);
    run(J, p, formulation, methods[k / 4], &new);
    apart_by[0] = frames_apart(p, old.q, new.q);
    velocities(p, formulation, old.v, v);
    apart_by[1] = apart(NV, v, new.v);
    velocities(p, formulation, old.vd, v);
    apart_by[2] = apart(NV, v, new.vd);
    apart_by[3] = apart(NLAM, old.lam, new.lam);
    apart_by[4] = apart(2, old.energy, new.energy);
    print_message("%s, %s, rotation %d: q %.1e, v %.1e, v' %.1e, lam %.1e, energy %.1e\n",
                  methods[k / 4], k & 2 ? "R^3 x SO(3)" : "SE(3)", k & 1, apart_by[0], apart_by[1],
                  apart_by[2], apart_by[3], apart_by[4]);
    /* index3 sums up the roundings of positions, 8 eps, in v' and lam: 1/(beta h^2 (1 - rho)^2) */
    const double summed = 2 * 8 * DBL_EPSILON / (0.25 * 1e-4 * 0.25);
    for (int f = 0; f < 5; f++) {
      assert_true(apart_by[f] < (k >= 4 && (f == 2 || f == 3) ? summed : 1e-12));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(axes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
