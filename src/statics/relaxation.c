/* SPDX-License-Identifier: MIT */
/* Dynamic relaxation: the motion of the model with its time stopped and rho_inf = 0, and all
 * velocities set to zero whenever the kinetic energy begins to fall (Cundall 1976). */
#include <math.h>
#include <string.h>

#include "genalpha/ga_integrator.h"
#include "statics/statics.h"

/* ---- a model whose time stands still -------------------------------------------------------- */

/* the user data of the stopped model: the model itself, and its only time */
typedef struct frozen {
  const ga_model *model;
  double t;
} frozen;

/* the model's evaluation at the time of `user`, whatever t is */
static int evaluate_frozen(void *user, double t, const double *q, const double *v,
                           const ga_evaluation *out) {
  const frozen *f = user;
  (void)t;
  return ga_model_evaluate(f->model, f->t, q, v, out);
}

/* Fields that do not change when the time is stopped. Z and the drifts contain derivatives with
 * respect to time, which are zero here. */
enum { WITHOUT_TIME = GA_GIVES_G | GA_GIVES_H | GA_GIVES_TANGENTS | GA_GIVES_MX };

/* ---- the motion ----------------------------------------------------------------------------- */

/* *energy = v^T M v, twice the kinetic energy, at s->q, s->v; M is overwritten by the mass matrix
 * there; 0 on failure */
static ga_status kinetic_energy(ga_eval *eval, ga_csr *M, const ga_state *s, double *energy) {
  const ga_status status = ga_eval_mass(eval, s->t, s->q, M);
  *energy = 0;
  for (int i = 0; i < M->nrow && status == GA_OK; i++) {
    for (int e = M->ptr[i]; e < M->ptr[i + 1]; e++) {
      *energy += s->v[i] * M->val[e] * s->v[M->col[e]];
    }
  }
  return status;
}

typedef struct relaxing {
  ga_arena arena;
  ga_eval eval;
  ga_csr M;
  double *rest; /* nv zeros: velocities */
  double peak;  /* largest kinetic energy since the last time at rest */
  double top;   /* largest kinetic energy so far */
} relaxing;

/* One time step. If the kinetic energy decreased, the velocities are set to zero. *still: the last
 * peak of the energy was at most 1e-12 of the highest, so the model is at rest; not set on failure.
 * Changes r->M, peak and top. */
static ga_status relaxation_step(relaxing *r, ga_integrator *it, bool *still) {
  double energy;
  ga_status status = ga_integrator_step(it);
  const ga_state *s = ga_integrator_state(it);
  if (status == GA_OK) status = kinetic_energy(&r->eval, &r->M, s, &energy);
  if (status != GA_OK) return status;
  *still = false;
  if (energy >= r->peak) {
    r->peak = energy;
    r->top = fmax(r->top, energy);
    return GA_OK;
  }
  *still = r->peak <= 1e-12 * r->top;
  r->peak = 0;
  return ga_integrator_restart(it, s->q, r->rest);
}

/* At most `steps` steps from (t, q) with v = 0, until the model is still; q is replaced by the last
 * configuration, also on failure. *taken: number of steps, a failed last one included; 0: q is
 * unchanged. */
static ga_status relax_until_still(relaxing *r, ga_integrator *it, double t, double *q, int steps,
                                   int *taken) {
  bool still = false;
  ga_status status = ga_integrator_start(it, t, q, r->rest);
  for (*taken = 0; *taken < steps && status == GA_OK && !still; (*taken)++) {
    status = relaxation_step(r, it, &still);
  }
  if (*taken > 0) memcpy(q, ga_integrator_state(it)->q, (size_t)r->eval.nq * sizeof(double));
  return status;
}

/* Moves q towards an equilibrium at time t by dynamic relaxation, *taken <= steps. If the
 * integration fails, q is the last state reached, and GA_OK is returned (GA_ERR_MEM if memory was
 * short): Newton's method continues from there. Other failures are those of its preparation. */
ga_status ga_relaxation_run(const ga_model *model, double t, double *q, int steps, int *taken,
                            ga_error *err) {
  relaxing r = {.peak = 0};
  frozen own = {model, t};
  const ga_model_ops ops = {.evaluate = evaluate_frozen,
                            .gives = ga_model_gives(model) & WITHOUT_TIME};
  ga_model still = *model;
  still.ops = &ops;
  still.user = &own;
  still.scleronomic = true;
  ga_options o = ga_options_default();
  o.par = ga_params_rho(0);
  o.rtol = 1e-3; /* no atol, which would be a length, an angle and a speed */
  o.start = GA_START_PLAIN;
  o.initial = GA_INITIAL_PROJECT;
  o.redundant = GA_REDUNDANT_ALLOW;
  ga_integrator *it = NULL;
  *taken = 0;
  ga_status status = ga_eval_init(&r.eval, &still, &r.arena, err);
  if (status == GA_OK) {
    ga_csr_init(&r.M, r.eval.nv, r.eval.nv, model->pat_M, &r.arena);
    r.rest = ga_arena_doubles(&r.arena, (size_t)r.eval.nv);
    if (r.arena.failed) status = ga_fail(err, GA_ERR_MEM, "no memory for dynamic relaxation");
  }
  if (status == GA_OK) status = ga_integrator_new(&still, &o, &it, err);
  if (status == GA_OK) {
    status = relax_until_still(&r, it, t, q, steps, taken);
    /* on failure Newton's method continues from the state reached */
    if (status == GA_ERR_MEM) ga_fail(err, status, "dynamic relaxation: no memory");
    if (status != GA_ERR_MEM) status = GA_OK;
  }
  ga_integrator_free(it);
  ga_arena_free(&r.arena);
  return status;
}
