/* SPDX-License-Identifier: MIT */
/* Forces at a configuration: their multipliers, what is left of them, how large that is. */
#include "statics/seeking.h"

#include <math.h>
#include <string.h>

static const double STILL = 1e-12; /* a slower motion is rounding, see rounding_speed */

/* Opens p->s, sets its W, and allocates the arrays of p: q a copy, unit filled, the others zero. e
 * and err are borrowed as long as p lives. tau is left to the caller, the other numbers to the
 * iteration. The caller closes p->s and frees the arena, also on failure. */
ga_status ga_seeking_open(ga_seeking *p, const ga_model *model, double t, const double *q,
                          ga_equilibrium *e, ga_arena *arena, ga_error *err) {
  ga_status status = ga_model_validate(model, err);
  if (status == GA_OK) status = ga_fixed_contacts_open(&p->contacts, model, arena, err);
  if (status == GA_OK) status = ga_static_system_open(&p->s, &p->contacts.model, true, err);
  if (status != GA_OK) return status;
  ga_static_system *s = &p->s;
  const size_t nq = (size_t)s->eval.nq, nv = (size_t)s->nv;
  double **const arrays[] = {&p->v0, &p->F, &p->rest, &p->rest_try, &p->w, &p->unit};
  p->e = e;
  p->t = t;
  p->q = ga_arena_doubles(&s->arena, nq);
  p->q_try = ga_arena_doubles(&s->arena, nq);
  p->q_best = ga_arena_doubles(&s->arena, nq);
  for (int i = 0; i < 6; i++) *arrays[i] = ga_arena_doubles(&s->arena, nv);
  p->g = ga_arena_doubles(&s->arena, (size_t)s->nlam + (size_t)s->npsi);
  p->lam = ga_arena_doubles(&s->arena, (size_t)s->nlam);
  p->psi = ga_arena_doubles(&s->arena, (size_t)s->npsi);
  p->gap = ga_arena_doubles(&s->arena, (size_t)s->nlam);
  p->gap_try = ga_arena_doubles(&s->arena, (size_t)s->nlam);
  p->given = ga_arena_doubles(&s->arena, (size_t)s->n);
  p->reach = ga_arena_doubles(&s->arena, (size_t)p->contacts.n + 1);
  if (s->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory to seek an equilibrium");
  memcpy(p->q, q, nq * sizeof(double));
  ga_static_system_units(model, q, e->unit, p->unit);
  return ga_static_system_set_weights(s, t, q, e->weight);
}

/* the largest |w_i| in units, states of controllers left out: they may be as large as they need */
double ga_seeking_largest(const ga_seeking *p, const double *w) {
  const bool *states = p->e->states;
  double largest = 0;
  for (int i = 0; i < p->s.nv; i++) {
    if (!states || !states[i]) largest = fmax(largest, fabs(w[i]) / p->unit[i]);
  }
  return largest;
}

/* sqrt(f^T W^-1 f) */
double ga_seeking_norm(const ga_seeking *p, const double *f) {
  double sum = 0;
  for (int i = 0; i < p->s.nv; i++) sum += f[i] * f[i] / p->s.W.val[i];
  return sqrt(sum);
}

/* Largest speed, in units, that is rounding beside the motion that the forces would cause: STILL of
 * units per time T, where T = sqrt(W_i unit_i/|F_i|) is the least time in which a force moves a unit;
 * 0 without forces. Sets p->F. */
static ga_status rounding_speed(ga_seeking *p, double *speed) {
  const ga_static_system *s = &p->s;
  double fastest = 0;
  const ga_status status = ga_eval_force(&p->s.eval, p->t, p->q, p->v0, p->F);
  for (int i = 0; i < s->nv; i++) {
    fastest = fmax(fastest, fabs(p->F[i]) / (s->W.val[i] * p->unit[i]));
  }
  *speed = STILL * sqrt(fastest);
  return status;
}

/* GA_ERR_INITIAL if a nonholonomic row asks for a motion (k is not 0 at v = 0): then there is no
 * rest. Overwrites p->g, p->F and H. */
ga_status ga_seeking_check_rest(ga_seeking *p) {
  ga_static_system *s = &p->s;
  double speed;
  ga_status status = ga_eval_k(&s->eval, p->t, p->q, p->v0, p->g);
  if (status == GA_OK) status = ga_eval_H(&s->eval, p->t, p->q, p->v0, &s->H);
  if (status == GA_OK) status = rounding_speed(p, &speed);
  for (int i = 0; i < s->npsi && status == GA_OK; i++) {
    char name[96];
    if (fabs(p->g[i]) <= speed * ga_static_system_reach(&s->H, i, p->unit)) continue;
    ga_eval_entry_name(name, sizeof name, "k", i, s->model->psi_names);
    return ga_fail(s->eval.err, GA_ERR_INITIAL,
                   "there is no rest at t = %.9g: %s asks for a motion (by %.3g)", p->t, name,
                   p->g[i]);
  }
  return status;
}

/* ---- forces --------------------------------------------------------------------------------- */

/* Sets, at q: forces p->F, rows G, H and D of p->s, multipliers p->lam and p->psi, and the
 * unbalanced forces rest = F - G^T lam - H^T psi (nv numbers). Uses W; factors the matrix and
 * overwrites s->rhs. */
ga_status ga_seeking_balance(ga_seeking *p, const double *q, double *rest) {
  ga_static_system *s = &p->s;
  ga_status status = ga_eval_force(&s->eval, p->t, q, p->v0, p->F);
  if (status == GA_OK) status = ga_eval_G(&s->eval, p->t, q, &s->G);
  if (status == GA_OK) status = ga_eval_H(&s->eval, p->t, q, p->v0, &s->H);
  if (status != GA_OK) return status;
  ga_static_system_set_scales(s);
  return ga_static_system_multipliers(s, p->F, p->lam, p->psi, rest);
}

/* Sets p->norm (unbalanced forces), p->acting (F, and K times 1e-3 units for springs near their
 * free length) and the results worst and unbalanced of p->e. Needs F, rest and K at one q. */
void ga_seeking_measure(ga_seeking *p) {
  const ga_csr *K = &p->s.K;
  double stiff = 0;
  for (int i = 0; i < p->s.nv; i++) {
    const double sum = ga_static_system_reach(K, i, p->unit);
    stiff += sum * sum / p->s.W.val[i];
  }
  p->acting = ga_seeking_norm(p, p->F) + 1e-3 * sqrt(stiff);
  p->norm = ga_seeking_norm(p, p->rest);
  p->e->worst = 0;
  double most = 0;
  for (int i = 0; i < p->s.nv; i++) {
    const double size_i = fabs(p->rest[i]) / sqrt(p->s.W.val[i]);
    if (size_i > most) most = size_i, p->e->worst = i;
  }
  p->e->unbalanced = p->acting > 0 ? p->norm / p->acting : 0;
}

/* The multipliers of least norm that balance p->rest, added to p->lam and p->psi; p->rest is what
 * is left. Overwrites p->given. */
ga_status ga_seeking_balance_rest(ga_seeking *p) {
  ga_static_system *s = &p->s;
  double *lam = p->given, *psi = p->given + s->nlam;
  const ga_status status = ga_static_system_multipliers(s, p->rest, lam, psi, p->rest_try);
  if (status != GA_OK) return status;
  if (s->nlam) ga_axpy(s->nlam, 1, lam, p->lam);
  if (s->npsi) ga_axpy(s->npsi, 1, psi, p->psi);
  memcpy(p->rest, p->rest_try, (size_t)s->nv * sizeof(double));
  return GA_OK;
}

/* sets K and C of p->s at p->q, v = 0, with the present multipliers */
ga_status ga_seeking_tangents(ga_seeking *p) {
  ga_static_system *s = &p->s;
  const ga_eval_point at = {p->t, p->q, p->v0, p->v0, p->lam, p->psi};
  return ga_eval_tangents(&s->eval, &at, &s->K, &s->C);
}

/* The state of a controller whose rate is farthest from 0, if it is; -1: none. A controller that cannot
 * reach its target drives a mechanism on and on, so that it is to blame before all forces. */
static int restless_state(const ga_seeking *p, double balanced) {
  const bool *states = p->e->states;
  double most = balanced;
  int worst = -1;
  for (int i = 0; states && i < p->s.nv; i++) {
    const double size = fabs(p->rest[i]) / sqrt(p->s.W.val[i]);
    if (states[i] && size > most) most = size, worst = i;
  }
  return worst;
}

/* sets the error to GA_ERR_INITIAL, which is returned, with the name of the velocity on which the
 * largest force is left (e->worst); balanced: the norm of forces that count as zero */
ga_status ga_seeking_not_found(const ga_seeking *p, double balanced) {
  char name[96];
  const int z = restless_state(p, balanced);
  if (z >= 0) {
    ga_eval_entry_name(name, sizeof name, "v", z, p->s.model->v_names);
    return ga_fail(p->s.eval.err, GA_ERR_INITIAL,
                   "t = %.9g: no equilibrium was found; after %d steps the controller is not at "
                   "rest: %s is not 0. Can it reach what it is asked for?",
                   p->t, p->e->iterations, name);
  }
  ga_eval_entry_name(name, sizeof name, "v", p->e->worst, p->s.model->v_names);
  return ga_fail(p->s.eval.err, GA_ERR_INITIAL,
                 "t = %.9g: no equilibrium was found; after %d steps a force of %.3g is left that "
                 "would move %s. Does something hold the mechanism?",
                 p->t, p->e->iterations, p->rest[p->e->worst], name);
}
