/* SPDX-License-Identifier: MIT */
/* The rope of examples/rope.c, over the processes that mpiexec starts: process r has some
 * of the rods, each with the mass at its end, and the mass before its first rod, which is shared
 * with the process before it.
 *
 *     mpiexec -n 2 team_rope
 *     cc rope.c -o team_rope $(pkg-config --cflags --libs genalpha-mpi) -lm */
#include <genalpha/ga_mpi.h>
#include <genalpha/genalpha.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };
static const double m = 0.01, l = 0.005, gravity = 9.81;

/* The rods from <= i < to of this process, and its masses: first, first + 1, .., to - 1. */
typedef struct {
  int from, to, first;
} rope;

/* Index of mass i in this process's vectors. */
static int index_of(const rope *s, int i) {
  return 2 * (i - s->first);
}
static double along(const rope *s, const double *p, int i, int r) {
  return p[index_of(s, i) + r] - (i > 0 ? p[index_of(s, i - 1) + r] : 0);
}
static void add_row(const rope *s, ga_csr *A, int i, int r, double y) {
  ga_csr_add(A, i - s->from, index_of(s, i) + r, y);
  if (i > 0) ga_csr_add(A, i - s->from, index_of(s, i - 1) + r, -y);
}
static void add_tangent(const rope *s, ga_csr *Kt, int i, int r, double y) {
  const int b = index_of(s, i) + r, a = b - 2;
  ga_csr_add(Kt, b, b, y);
  if (i > 0) ga_csr_add(Kt, a, a, y), ga_csr_add(Kt, a, b, -y), ga_csr_add(Kt, b, a, -y);
}

/* Contributions of this process's rods: M and F of a shared mass come from the process before. */
static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  const rope *s = user;
  (void)t;
  if (out->F) out->F[0] = out->F[1] = 0; /* of the shared mass; vectors do not arrive zeroed */
  for (int i = s->from; i < s->to; i++) {
    const int row = i - s->from, at = index_of(s, i);
    const double d[2] = {along(s, q, i, 0), along(s, q, i, 1)};
    const double w[2] = {along(s, v, i, 0), along(s, v, i, 1)};
    if (out->F) out->F[at] = 0, out->F[at + 1] = -m * gravity;
    if (out->g) out->g[row] = (d[0] * d[0] + d[1] * d[1] - l * l) / (2 * l);
    if (out->drift) out->drift[row] = (w[0] * w[0] + w[1] * w[1]) / l;
    for (int r = 0; r < 2; r++) {
      if (out->M) ga_csr_add(out->M, at + r, at + r, m);
      if (out->G) add_row(s, out->G, i, r, d[r] / l);
      if (out->Z) add_row(s, out->Z, i, r, w[r] / l);
      if (out->Kt) add_tangent(s, out->Kt, i, r, out->lam[row] / l);
    }
  }
  return 0;
}

/* Patterns of M, Kt, Ct, G, in this order. */
static bool build(const rope *s, ga_pattern *p[4], ga_model *model, ga_error *err) {
  const int nv = 2 * (s->to - s->first);
  for (int k = 0; k < 4; k++) {
    if (ga_pattern_new(k < 3 ? nv : s->to - s->from, nv, &p[k]) != GA_OK) return false;
  }
  for (int i = 0; i < nv; i++) ga_pattern_add(p[0], i, i), ga_pattern_add(p[1], i, i);
  for (int i = 2; i < nv; i++) ga_pattern_add(p[1], i, i - 2), ga_pattern_add(p[1], i - 2, i);
  for (int i = s->from; i < s->to; i++) {
    ga_pattern_add_block(p[3], i - s->from, index_of(s, i > 0 ? i - 1 : 0), 1, i > 0 ? 4 : 2);
  }
  return ga_pattern_finish(p[0], &model->pat_M, err) == GA_OK &&
         ga_pattern_finish(p[1], &model->pat_K, err) == GA_OK &&
         ga_pattern_finish(p[2], &model->pat_C, err) == GA_OK &&
         ga_pattern_finish(p[3], &model->pat_G, err) == GA_OK;
}

/* Energy of all processes: each adds the masses at the ends of its own rods. */
static double energy(const rope *s, ga_team *team, const ga_state *state) {
  double sum = 0;
  for (int i = s->from; i < s->to; i++) {
    const double *q = state->q + index_of(s, i), *v = state->v + index_of(s, i);
    sum += m * (v[0] * v[0] + v[1] * v[1]) / 2 + m * gravity * q[1];
  }
  return team->ops->reduce(team, GA_TEAM_SUM, 1, &sum) == GA_OK ? sum : NAN;
}

int main(void) {
  const ga_model_ops ops = {.evaluate = evaluate,
                            .gives = GA_GIVES_G | GA_GIVES_Z | GA_GIVES_TANGENTS | GA_GIVES_DRIFT};
  ga_error err = {0};
  int process, processes;
  if (ga_mpi_begin(&process, &processes, &err) != GA_OK) return puts(err.text), 1;
  rope s = {.from = N * process / processes, .to = N * (process + 1) / processes};
  s.first = s.from > 0 ? s.from - 1 : 0;
  const int nv = 2 * (s.to - s.first);
  double *q0 = calloc((size_t)nv, sizeof *q0), *v0 = calloc((size_t)nv, sizeof *v0), change = NAN;
  long *velocity = calloc((size_t)nv, sizeof *velocity); /* numbers in the whole rope */
  ga_pattern *p[4] = {NULL};
  ga_space *space = NULL;
  ga_team *team = NULL;
  ga_integrator *it = NULL;
  ga_model model = {
      .ops = &ops, .user = &s, .nlam = s.to - s.from, .const_mass = true, .scleronomic = true};
  for (int i = 0; i < nv; i++) velocity[i] = 2 * s.first + i;
  for (int i = s.first; i < s.to; i++) q0[index_of(&s, i)] = l * (i + 1); /* horizontal, at rest */
  bool ok = ga_space_rn(nv, &space) == GA_OK && build(&s, p, &model, &err) &&
            ga_mpi_team_world(nv, velocity, &team, &err) == GA_OK;
  model.space = space;
  ga_options options = ga_options_default();
  options.team = team;
  ok = ok && ga_integrator_new(&model, &options, &it, &err) == GA_OK &&
       ga_integrator_start(it, 0, q0, v0) == GA_OK;
  double start = ok ? energy(&s, team, ga_integrator_state(it)) : NAN;
  ok = ok && ga_integrator_run(it, 0.1) == GA_OK;
  if (ok) {
    long shared;
    const int neighbours = ga_mpi_team_neighbours(team, &shared);
    const ga_mpi_counts sent = ga_mpi_team_counts(team);
    const ga_stats *stats = ga_integrator_stats(it);
    change = energy(&s, team, ga_integrator_state(it)) - start;
    printf(
        "process %d of %d: rods %d to %d, %ld velocities shared with %d neighbours; %ld steps, %ld "
        "messages, %ld bytes\n",
        process, processes, s.from, s.to - 1, shared, neighbours, stats->steps, sent.messages,
        sent.bytes);
    if (process == 0) {
      printf("t = 0.1: energy changed by %.1e J, force in the first rod %.6f N\n", change,
             ga_integrator_state(it)->lam[0]);
    }
  } else {
    printf("process %d: %s\n", process, it ? ga_integrator_error(it)->text : err.text);
  }
  ga_integrator_free(it);
  ga_mpi_team_free(team);
  ga_space_free(space);
  for (int k = 0; k < 4; k++) ga_pattern_free(p[k]);
  free(q0), free(v0), free(velocity);
  ga_mpi_end();
  return fabs(change) < 1e-3 ? 0 : 1;
}
