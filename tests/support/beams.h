/* SPDX-License-Identifier: MIT */
/* Beams for tests: a soft section, a free beam, states in which it is bent, accelerations. */
#ifndef GA_TESTS_BEAMS_H
#define GA_TESTS_BEAMS_H

#include <genalpha/ga_beam.h>

#include "lie/lie.h"
#include "mechanisms.h"
#include "model_point.h"

static const ga_beam_section soft = {
    .EA = 90, .GA = {40, 50}, .GJ = 6, .EI = {8, 9}, .rhoA = 1.3, .rhoI = {0.3, 0.2, 0.15}};

/* a free beam of n elements, 0.8 n long, without gravity */
static inline ga_mechanism *free_beam(bool r3so3, int mass, int n) {
  ga_mechanism *m = mechanism_new(NULL);
  ga_beam_node nodes[20];
  ga_error err = {0};
  must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){0.8 * n, 0, 0}, NULL, n, nodes, &err), &err);
  const ga_beam beam = {.name = "arm",
                        .elements = n,
                        .nodes = nodes,
                        .section = soft,
                        .mass = mass ? GA_BEAM_LUMPED : GA_BEAM_CONSISTENT,
                        .formulation = r3so3 ? GA_FORMULATION_R3SO3 : GA_FORMULATION_SE3};
  must(ga_mechanism_beam(m, &beam, &err), &err);
  build(m);
  return m;
}

/* q, v: a chain of n + 1 frames, each turned against the one before by `turn` pi about a random axis */
static inline void bent_state(unsigned *seed, int n, double turn, double *q, double *v) {
  random_vector(seed, 6 * (n + 1), 1, v);
  ga_group_se3.identity(1, q);
  for (int i = 0; i < n; i++) {
    double d[6], length = 0;
    random_vector(seed, 6, 0.3, d);
    d[0] += 0.8;
    for (int k = 3; k < 6; k++) length += d[k] * d[k];
    for (int k = 3; k < 6; k++) d[k] *= turn * pi_ / sqrt(length);
    ga_group_se3.step(1, q + 7 * i, d, q + 7 * (i + 1));
  }
}

/* vd <- M^-1 F, of a model without constraints and with at most 60 velocities */
static inline void acceleration(const ga_model *model, const double *q, const double *v,
                                double *vd) {
  enum { MOST = 60 };
  const int n = ga_space_nv(model->space);
  double A[MOST][MOST] = {{0}};
  assert_true(n <= MOST);
  ga_csr M = *model->pat_M;
  M.val = calloc((size_t)M.ptr[n], sizeof(double));
  assert_int_equal(ga_model_evaluate(model, 0, q, v, &(ga_evaluation){.M = &M, .F = vd}), 0);
  for (int i = 0; i < n; i++) {
    for (int e = M.ptr[i]; e < M.ptr[i + 1]; e++) A[i][M.col[e]] = M.val[e];
  }
  free(M.val);
  for (int k = 0; k < n; k++) { /* M is positive definite: no pivots */
    assert_true(A[k][k] > 0);
    for (int i = k + 1; i < n; i++) {
      const double f = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= f * A[k][j];
      vd[i] -= f * vd[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) vd[k] -= A[k][j] * vd[j];
    vd[k] /= A[k][k];
  }
}

#endif
