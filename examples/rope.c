/* SPDX-License-Identifier: MIT */
/* A rope of N masses on rods, as one function `evaluate` with sparse matrices:
 *     m p_i'' = m gamma + .., 0 = g_i = (d^T d - l^2)/(2 l), d = p_i - p_{i-1}, p_{-1} = 0
 * Patterns are built entry by entry, values are added by row and column. M is said once and for
 * all; forces do not depend on velocities. The multiplier lam_i is the force in rod i. */
#include <genalpha/genalpha.h>
#include <math.h>
#include <stdio.h>

enum { N = 200, NV = 2 * N };
static const double m = 0.01, l = 0.005, gravity = 9.81;

/* Rod i joins mass i - 1, none for i = 0, and mass i: component r of d, or of its rate. */
static double along(const double *p, int i, int r) {
  return p[2 * i + r] - (i > 0 ? p[2 * i - 2 + r] : 0);
}
/* A row of G or Z: y by mass i, -y by mass i - 1. */
static void add_row(ga_csr *A, int i, int r, double y) {
  ga_csr_add(A, i, 2 * i + r, y);
  if (i > 0) ga_csr_add(A, i, 2 * i - 2 + r, -y);
}
/* D_q(g_i lam_i) is lam_i/l for both masses, -lam_i/l between them. */
static void add_tangent(ga_csr *Kt, int i, int r, double y) {
  const int b = 2 * i + r, a = b - 2;
  ga_csr_add(Kt, b, b, y);
  if (i > 0) ga_csr_add(Kt, a, a, y), ga_csr_add(Kt, a, b, -y), ga_csr_add(Kt, b, a, -y);
}

/* Whatever is wanted at (q, v). M is not: const_M has all of it. Ct has no entries. */
static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  (void)user, (void)t;
  for (int i = 0; i < N; i++) {
    const double d[2] = {along(q, i, 0), along(q, i, 1)};
    const double w[2] = {along(v, i, 0), along(v, i, 1)};
    if (out->F) out->F[2 * i] = 0, out->F[2 * i + 1] = -m * gravity;
    if (out->g) out->g[i] = (d[0] * d[0] + d[1] * d[1] - l * l) / (2 * l);
    if (out->drift) out->drift[i] = (w[0] * w[0] + w[1] * w[1]) / l;
    for (int r = 0; r < 2; r++) {
      if (out->G) add_row(out->G, i, r, d[r] / l);
      if (out->Z) add_row(out->Z, i, r, w[r] / l);
      if (out->Kt) add_tangent(out->Kt, i, r, out->lam[i] / l);
    }
  }
  return 0;
}

/* Patterns of M, Kt, Ct, G, in this order. */
static bool build(ga_pattern *p[4], ga_model *model, ga_error *err) {
  for (int k = 0; k < 4; k++) {
    if (ga_pattern_new(k < 3 ? NV : N, NV, &p[k]) != GA_OK) return false;
  }
  for (int i = 0; i < NV; i++) ga_pattern_add(p[0], i, i), ga_pattern_add(p[1], i, i);
  for (int i = 2; i < NV; i++) ga_pattern_add(p[1], i, i - 2), ga_pattern_add(p[1], i - 2, i);
  for (int i = 0; i < N; i++)
    ga_pattern_add_block(p[3], i, i > 0 ? 2 * i - 2 : 0, 1, i > 0 ? 4 : 2);
  return ga_pattern_finish(p[0], &model->pat_M, err) == GA_OK &&
         ga_pattern_finish(p[1], &model->pat_K, err) == GA_OK &&
         ga_pattern_finish(p[2], &model->pat_C, err) == GA_OK &&
         ga_pattern_finish(p[3], &model->pat_G, err) == GA_OK;
}

static double energy(const ga_state *s) {
  double sum = 0;
  for (int i = 0; i < N; i++) {
    const double *v = s->v + 2 * i;
    sum += m * (v[0] * v[0] + v[1] * v[1]) / 2 + m * gravity * s->q[2 * i + 1];
  }
  return sum;
}

int main(void) {
  const ga_model_ops ops = {.evaluate = evaluate,
                            .gives = GA_GIVES_G | GA_GIVES_Z | GA_GIVES_TANGENTS | GA_GIVES_DRIFT};
  double q0[NV] = {0}, v0[NV] = {0}, some_v[NV], masses[NV], start = 0, change = NAN;
  ga_pattern *p[4] = {NULL};
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};
  ga_csr M;
  ga_model rope = {.ops = &ops, .nlam = N, .const_M = &M, .scleronomic = true};
  for (int i = 0; i < N; i++) q0[2 * i] = l * (i + 1); /* horizontal, at rest */
  for (int i = 0; i < NV; i++) masses[i] = m, some_v[i] = i % 3 - 1;
  bool ok = ga_space_rn(NV, &space) == GA_OK && build(p, &rope, &err);
  rope.space = space;
  if (ok) M = *rope.pat_M, M.val = masses;
  ok = ok && ga_model_check_derivatives(&rope, 0, q0, some_v, stdout, &err) == GA_OK &&
       ga_integrator_new(&rope, NULL, &it, &err) == GA_OK &&
       ga_integrator_start(it, 0, q0, v0) == GA_OK;
  if (ok) start = energy(ga_integrator_state(it));
  ok = ok && ga_integrator_run(it, 0.3) == GA_OK;
  if (ok) change = energy(ga_integrator_state(it)) - start;
  printf("t = 0.3: energy changed by %.1e J, force in the first rod %.3f N %s\n", change,
         ok ? ga_integrator_state(it)->lam[0] : NAN,
         ok   ? ""
         : it ? ga_integrator_error(it)->text
              : err.text);
  ga_integrator_free(it);
  ga_space_free(space);
  for (int k = 0; k < 4; k++) ga_pattern_free(p[k]);
  return fabs(change) < 1e-3 ? 0 : 1;
}
