/* SPDX-License-Identifier: MIT */
/* Harmonic oscillator q'' + omega^2 q = 0, for spectral radius and period error; AB07 (14)-(22). */
#include <math.h>

#include "problems/problem.h"

typedef struct oscillator {
  double omega;
} oscillator;

/* M = 1. */
static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  ga_put(M, 0, 0, 1);
  return 0;
}

/* F = -omega^2 q */
static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)t, (void)v;
  const oscillator *o = user;
  F[0] = -o->omega * o->omega * q[0];
  return 0;
}

/* Kt = -dF/dq = omega^2; Ct = -dF/dv = 0 is not written, as matrices arrive zeroed. */
static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)t, (void)q, (void)v, (void)x, (void)lam, (void)psi, (void)Ct;
  const oscillator *o = user;
  ga_put(Kt, 0, 0, o->omega * o->omega);
  return 0;
}

/* v^2/2 and omega^2 q^2/2. */
static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  (void)t;
  const oscillator *o = user;
  *kin = 0.5 * v[0] * v[0];
  *pot = 0.5 * o->omega * o->omega * q[0] * q[0];
  return 0;
}

/* q = cos(omega t), v = q', vd = q''; outputs may be NULL. */
static void exact(const void *user, double t, double *q, double *v, double *vd, double *lam,
                  double *psi) {
  (void)lam, (void)psi;
  const double omega = ((const oscillator *)user)->omega;
  const double c = cos(omega * t), s = sin(omega * t);
  if (q) q[0] = c;
  if (v) v[0] = -omega * s;
  if (vd) vd[0] = -omega * omega * c;
}

static const ga_model_ops ops = {
    .mass = mass, .force = force, .force_tangents = force_tangents, .energy = energy};

/* Sets up the oscillator with options->omega (rad/s), q = 1, v = 0 at the start. */
static ga_status build(ga_problem *problem, const ga_problem_options *options, ga_error *err) {
  static const char *const q_names[] = {"q"}, *const v_names[] = {"v"};
  const ga_model model = {
      .ops = &ops, .const_mass = true, .scleronomic = true, .q_names = q_names, .v_names = v_names};
  const ga_problem_factor factors[] = {{&ga_group_rn, 1}, {NULL, 0}};
  ga_status status = ga_problem_setup(problem, &model, factors, err);
  if (status != GA_OK) return status;
  oscillator *o = ga_problem_take(problem, 1, sizeof *o);
  if (!o) return GA_ERR_MEM;
  o->omega = options->omega;
  problem->model.user = o;
  problem->rho_inf = 0.9, problem->h = 0.01, problem->t_end = 10;
  problem->q0[0] = 1;
  return GA_OK;
}

const ga_problem_entry ga_entry_oscillator = {
    .name = "oscillator",
    .summary = "harmonic oscillator q'' + omega^2 q = 0 with closed solution",
    .cite = "Arnold and Brüls, Multibody System Dynamics 18 (2007), section 2",
    .takes = GA_TAKES_OMEGA,
    .build = build,
    .exact = exact};
