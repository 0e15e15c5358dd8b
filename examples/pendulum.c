/* SPDX-License-Identifier: MIT */
/* A pendulum from three callbacks: mass, force, constraint. All derivatives by finite differences.
 *
 * A point (x, y) of mass m on a circle of radius l; the multiplier gives the tension of the rod. */
#include <genalpha/genalpha.h>
#include <math.h>
#include <stdio.h>

typedef struct {
  double m, l, g;
} pendulum;

static int mass(void *user, double t, const double *q, ga_csr *M) {
  const pendulum *p = user;
  (void)t, (void)q;
  M->val[0] = M->val[3] = p->m; /* 2 x 2 by rows; zero elsewhere */
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  const pendulum *p = user;
  (void)t, (void)q, (void)v;
  F[0] = 0;
  F[1] = -p->m * p->g;
  return 0;
}

static int constraint(void *user, double t, const double *q, double *g) {
  const pendulum *p = user;
  (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - p->l * p->l) / 2;
  return 0;
}

/* print ten times a second; the rod's tension is |G^T lam| = lam l */
static int report(void *context, const ga_state *s, const ga_stats *stats) {
  const pendulum *p = context;
  if (stats->steps % 100 == 0) {
    printf("%6.2f  %9.6f %9.6f  %10.6f\n", s->t, s->q[0], s->q[1], s->lam[0] * p->l);
  }
  return 0;
}

int main(void) {
  pendulum p = {.m = 1, .l = 2, .g = 9.81};
  const ga_model_ops ops = {.mass = mass, .force = force, .holonomic = constraint};
  const double q0[] = {2, 0}, v0[] = {0, 0}; /* horizontal, at rest */
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};

  if (ga_space_rn(2, &space) != GA_OK) return 1;
  ga_model model = {.ops = &ops, .user = &p, .space = space, .nlam = 1};
  ga_options options = ga_options_default(); /* stab2, rho_inf = 0.9 */
  options.h = 1e-3;
  if (ga_integrator_new(&model, &options, &it, &err) != GA_OK) {
    fprintf(stderr, "pendulum: %s\n", err.text);
    ga_space_free(space);
    return 1;
  }
  ga_integrator_observe(it, report, &p);
  printf("     t          x         y     tension\n");
  ga_status status = ga_integrator_start(it, 0, q0, v0);
  if (status == GA_OK) status = ga_integrator_run(it, 2);
  if (status != GA_OK) fprintf(stderr, "pendulum: %s\n", ga_integrator_error(it)->text);

  /* energy: m v^2/2 + m g y stays at its start value 0, up to the method's error */
  const ga_state *s = ga_integrator_state(it);
  double energy = p.m * (s->v[0] * s->v[0] + s->v[1] * s->v[1]) / 2 + p.m * p.g * s->q[1];
  printf("energy at the end %.2e (start 0)\n", energy);
  int failed = status != GA_OK || fabs(energy) > 1e-3;
  ga_integrator_free(it);
  ga_space_free(space);
  return failed;
}
