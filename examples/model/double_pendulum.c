/* SPDX-License-Identifier: MIT */
/* A model of one's own for the tool: two points (x1, y1), (x2, y2) on rods,
 *
 *   |p1|^2 = l1^2,  |p2 - p1|^2 = l2^2
 *
 *     cmake -B build && cmake --build build
 *     genalpha run build/double_pendulum.so --plot double.svg
 *     genalpha converge build/double_pendulum.so --t-end 0.5 */
#include <genalpha/genalpha.h>
#include <stdlib.h>

typedef struct {
  ga_problem problem;
  ga_space *space;
  double q0[4], v0[4];
} double_pendulum;

static const double m1 = 1, m2 = 2, l1 = 1, l2 = 0.5, gravity = 9.81;

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[5] = m1; /* 4 x 4 by rows; zero elsewhere */
  M->val[10] = M->val[15] = m2;
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = F[2] = 0;
  F[1] = -m1 * gravity;
  F[3] = -m2 * gravity;
  return 0;
}

static int constraints(void *user, double t, const double *q, double *g) {
  const double dx = q[2] - q[0], dy = q[3] - q[1];
  (void)user, (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - l1 * l1) / 2;
  g[1] = (dx * dx + dy * dy - l2 * l2) / 2;
  return 0;
}

static int gradients(void *user, double t, const double *q, ga_csr *G) {
  const double dx = q[2] - q[0], dy = q[3] - q[1];
  const double rows[] = {q[0], q[1], 0, 0, -dx, -dy, dx, dy};
  (void)user, (void)t;
  for (int i = 0; i < 8; i++) G->val[i] = rows[i];
  return 0;
}

static const ga_model_ops ops = {
    .mass = mass, .force = force, .holonomic = constraints, .holonomic_jac = gradients};

static void close_problem(ga_problem *problem) {
  double_pendulum *d = (double_pendulum *)problem;
  ga_space_free(d->space);
  free(d);
}

static ga_status open_problem(const ga_problem_options *options, ga_problem **out, ga_error *err) {
  double_pendulum *d = calloc(1, sizeof *d);
  (void)options, (void)err;
  if (!d || ga_space_rn(4, &d->space) != GA_OK) {
    free(d);
    return GA_ERR_MEM;
  }
  d->q0[0] = l1; /* horizontal, at rest */
  d->q0[2] = l1 + l2;
  d->problem = (ga_problem){
      .name = "double pendulum",
      .summary = "two points on rods, let go horizontally",
      .model = {.ops = &ops, .space = d->space, .nlam = 2, .const_mass = true, .scleronomic = true},
      .q0 = d->q0,
      .v0 = d->v0,
      .h = 1e-3,
      .t_end = 2};
  *out = &d->problem;
  return GA_OK;
}

GA_PROBLEM_MODULE(open_problem, close_problem)
