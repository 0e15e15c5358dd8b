/* SPDX-License-Identifier: MIT */
/* Static equilibrium with constraints.
 *
 * Find q with g(t, q) = 0 and F(t, q, 0) = G^T lam + H^T psi. The method follows the flow
 *
 *     W q' = F - G^T lam - H^T psi,   g = 0,   H q' = 0.
 *
 * If the forces have a potential, the flow goes downhill and ends in a minimum. It is integrated by
 * linearly implicit Euler steps of a pseudo-time step tau (Kelley, Keyes 1998), with
 * K = D_q(-F + G^T lam + H^T psi):
 *
 *     [ W/tau + K   G^T  H^T ] [ w   ]   [ F  ]
 *     [ G           -e D     ] [ lam ] = [ -g ]        q <- q o exp(w)
 *     [ H                -e D] [ psi ]   [ 0  ]
 *
 * For tau -> infinity this is Newton's method, for small tau a step along the forces. The linear
 * model predicts the unbalanced force W w/tau after the step. tau grows if the prediction was good
 * and is reduced if not. A step against the forces is not taken: it would lead to a saddle.
 *
 * Where some forces are much stiffer than others, as the stretching of a thin beam beside its bending,
 * - a small error of a step is a large force. Then the implicit Euler step is solved by Newton's method,
 *   W w/tau = F - G^T lam - H^T psi at q o exp(w), as long as its corrections become shorter;
 * - tau must go beyond the time in which the stiff forces act, or soft directions hardly move;
 * - small unbalanced forces may leave a large error of the configuration. So it is no equilibrium before
 *   a step of Newton's method without W/tau is short, and the end is that method, as long as it
 *   reduces the unbalanced forces.
 *
 * Contacts have states that are fixed during a step (fixed_contacts.h). A step that closes a gap ends
 * there, and the contact is closed from then on; one that pulls opens. So the flow goes downhill on
 * g >= 0. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "statics/seeking.h"

enum { NEWTON_STEPS = 4000, RELAX_STEPS = 4000 }; /* most steps by default */
static const double BOUND = 0.2;                  /* largest step, in units */
/* Error of the prediction, relative to it: below GOOD tau grows, above BAD the step is rejected. */
static const double GOOD = 0.3, BAD = 1.5;
enum { CORRECTIONS = 10 };         /* most corrections of a step */
static const double SHORTER = 0.5; /* than the last one: a correction that counts */
/* Bounds of tau at first, for looking ahead, and at last, times W/K of the stiffest direction: W/tau is
 * visible beside K to the last, so that directions without forces do not make the matrix singular. */
static const double TAU_FIRST = 1e10, TAU_AHEAD = 1e12, TAU_LAST = 1e14;
/* A longer step, in units, is a motion, and not only rounding; a Newton step longer than FAR from a
 * configuration says that it is no equilibrium. */
static const double MOVES = 1e-4, FAR = 1e-2;
enum { LOOKS = 40 }; /* Newton steps between MOVES and FAR, before they are taken for rounding */
/* Unbalanced forces below this, relative to the acting forces, count as zero. */
static const double BALANCED = 1e-9;
/* Unbalanced forces below this, relative to the same, are rounding. */
static const double ROUNDING = 3e-14;

/* ---- contacts ------------------------------------------------------------------------------- */

/* Closes the contacts that touch at p->q: *any. Those with friction stick, at first. */
static ga_status close_touching(ga_seeking *p, bool *any) {
  ga_fixed_contacts *c = &p->contacts;
  *any = false;
  if (c->n == 0) return GA_OK;
  ga_status status = ga_fixed_contacts_gaps(c, p->t, p->q, p->gap, p->s.eval.err);
  if (status == GA_OK) status = ga_fixed_contacts_reach(c, &p->s, p->t, p->q, p->unit, p->reach);
  if (status == GA_OK) *any = ga_fixed_contacts_touch(c, p->gap, p->reach);
  return status;
}

/* Contacts that would pull open, those that friction does not hold slide; forces are balanced at
 * p->q. */
static ga_status release_contacts(ga_seeking *p) {
  ga_static_system *s = &p->s;
  ga_status status = GA_OK;
  for (bool changed = p->contacts.n > 0; changed && status == GA_OK;) {
    const double eps = BALANCED * ga_seeking_norm(p, p->F);
    if (ga_fixed_contacts_fit(&p->contacts, p->lam, p->psi, s->D.val, eps)) break;
    const ga_static_system_weights by_weight = {.w = 1, .e = 1e-10};
    memset(p->given, 0, (size_t)s->n * sizeof(double));
    memcpy(p->given, p->F, (size_t)s->nv * sizeof(double));
    status = ga_fixed_contacts_balance(&p->contacts, s, &by_weight, p->given, p->rest, p->lam,
                                       p->psi, &changed);
    for (int i = 0; i < s->nv; i++) p->rest[i] *= s->W.val[i];
    if (status != GA_OK) return status;
    status = changed ? ga_seeking_balance(p, p->q, p->rest) : ga_seeking_balance_rest(p);
  }
  return status;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* p->q_try = q o exp(w), projected onto the constraints; not projected if that fails */
static ga_status move_along(ga_seeking *p) {
  ga_assembly how = {.weight = p->s.W.val, .unit = p->unit, .any = true};
  ga_space_step(p->s.model->space, p->q, p->w, p->q_try);
  return ga_assemble_position(p->s.model, p->t, p->q_try, &how, NULL);
}

/* s->rhs <- solution of the system at the head of this file, with s->rhs as its right-hand side. */
static ga_status solve_with_tau(ga_static_system *s, double tau, double stiff) {
  const double e = 1e-11 / (1 / tau + stiff);
  const ga_status status =
      ga_static_system_factor(s, &(ga_static_system_weights){.w = 1 / tau, .k = 1, .e = e});
  return status == GA_OK ? ga_static_system_solve(s, 0) : status;
}

/* Solves for the step p->w with the present tau; reduces tau until w is within BOUND and does not
 * go against the forces. *largest: the largest |w_i| in units. Needs F, rest, norm, rows and K at
 * q. GA_RETRY_SINGULAR if 60 values of tau do not help; then w is unchanged. */
static ga_status solve_direction(ga_seeking *p, double *largest) {
  ga_static_system *s = &p->s;
  const int nv = s->nv;
  for (int tries = 0; tries < 60; tries++) {
    memset(s->rhs, 0, (size_t)s->n * sizeof(double));
    memcpy(s->rhs, p->F, (size_t)nv * sizeof(double));
    const ga_status status = solve_with_tau(s, p->tau, p->stiff);
    if (status < 0) return status;
    double power = 0;
    *largest = ga_seeking_largest(p, s->rhs);
    for (int i = 0; i < nv; i++) power += s->rhs[i] * p->rest[i];
    /* power: of the unbalanced forces along the step */
    const bool downhill = power >= -1e-14 * p->norm * p->norm * p->tau;
    if (status == GA_OK && *largest <= BOUND && (downhill || *largest < 1e-12)) {
      memcpy(p->w, s->rhs, (size_t)nv * sizeof(double));
      return GA_OK;
    }
    p->tau *= status == GA_OK && downhill ? fmax(0.1, 0.8 * BOUND / *largest) : 0.2;
  }
  return ga_fail(s->eval.err, GA_RETRY_SINGULAR, "no direction to move in");
}

/* The step p->w up to the contact that it closes first, if it closes one: then *hit, q is there,
 * and forces are balanced. */
static ga_status stop_at_contact(ga_seeking *p, bool *hit) {
  ga_fixed_contacts *c = &p->contacts;
  ga_error *err = p->s.eval.err;
  bool any;
  double part;
  *hit = false;
  if (c->n == 0) return GA_OK;
  ga_status status = ga_fixed_contacts_gaps(c, p->t, p->q, p->gap, err);
  if (status == GA_OK) status = ga_fixed_contacts_gaps(c, p->t, p->q_try, p->gap_try, err);
  if (status != GA_OK || !ga_fixed_contacts_hit(c, p->gap, p->gap_try, p->reach, &part)) {
    return status;
  }
  for (int i = 0; i < p->s.nv; i++) p->w[i] *= part;
  status = move_along(p);
  if (status != GA_OK) return status;
  *hit = true;
  memcpy(p->q, p->q_try, (size_t)p->s.eval.nq * sizeof(double));
  status = close_touching(p, &any);
  return status == GA_OK ? ga_seeking_balance(p, p->q, p->rest) : status;
}

/* s->rhs <- rest_try - W w/tau, the error of the prediction; its norm relative to the force before the
 * step. */
static double prediction_error(ga_seeking *p) {
  ga_static_system *s = &p->s;
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  for (int i = 0; i < s->nv; i++) s->rhs[i] = p->rest_try[i] - s->W.val[i] * p->w[i] / p->tau;
  return p->norm > 0 ? ga_seeking_norm(p, s->rhs) / p->norm : 0;
}

/* s->rhs, the error of the prediction <- the correction of w that removes it, with K at q_try. */
static ga_status solve_correction(ga_seeking *p) {
  double *q = p->q;
  p->q = p->q_try;
  ga_status status = ga_seeking_tangents(p);
  p->q = q;
  return status == GA_OK ? solve_with_tau(&p->s, p->tau, p->stiff) : status;
}

/* Solve the implicit Euler step by Newton's method, from p->w, q_try and the error of the prediction,
 * *broken, in s->rhs. *broken <- the error that is left, above BAD if corrections do not become shorter;
 * *largest: that of w, in units. */
static ga_status correct_step(ga_seeking *p, double *largest, double *broken) {
  ga_static_system *s = &p->s;
  ga_assembly how = {.weight = s->W.val, .unit = p->unit, .any = true};
  double last = *largest;
  for (int k = 0; k<CORRECTIONS && * broken> 0.1 * GOOD; k++) {
    ga_status status = solve_correction(p);
    if (status != GA_OK) return status;
    const double by = ga_seeking_largest(p, s->rhs);
    if (!(by <= SHORTER * last)) break;
    last = by;
    ga_axpy(s->nv, 1, s->rhs, p->w);
    ga_space_step(s->model->space, p->q_try, s->rhs, p->q_try);
    status = ga_assemble_position(s->model, p->t, p->q_try, &how, NULL);
    if (status == GA_OK) status = ga_seeking_balance(p, p->q_try, p->rest_try);
    if (status != GA_OK) return status;
    *largest = ga_seeking_largest(p, p->w);
    *broken = prediction_error(p);
  }
  return GA_OK;
}

/* Larger tau after a step whose prediction was good, a smaller one after one that was not. *largest of
 * the step, in units. A step at the bound of tau that moves far, and leaves much of the forces, raises it. */
static void adapt_tau(ga_seeking *p, double largest, double broken) {
  const double norm = ga_seeking_norm(p, p->rest);
  const bool slow = p->tau == p->tau_most && largest > MOVES && norm > 0.25 * p->norm &&
                    norm > ROUNDING * p->acting;
  if (broken < GOOD && slow) {
    p->tau_most = fmin(10 * p->tau_most, TAU_LAST / TAU_FIRST * p->tau_first);
  }
  if (broken < GOOD) p->tau = fmin(p->tau_most, p->tau * (broken < 0.1 * GOOD ? 10 : 3));
  if (broken > 2 * GOOD) p->tau *= 0.5;
}

/* One step of the flow: changes q, rest, tau, and what ga_seeking_balance sets. If the force after the
 * step is far from the prediction, the step is rejected: only tau is reduced, and the forces are
 * balanced at q again. *moved: the largest |w_i| in units, also if it is rejected. A tiny step is
 * rejected only if it could not be made. */
static ga_status flow_step(ga_seeking *p, double *moved) {
  ga_static_system *s = &p->s;
  *moved = 0;
  ga_status status = solve_direction(p, moved);
  if (status != GA_OK) return status;
  bool hit = false;
  status = move_along(p);
  if (status == GA_OK) status = stop_at_contact(p, &hit);
  if (hit && status == GA_OK) return GA_OK;
  if (status == GA_OK) status = ga_seeking_balance(p, p->q_try, p->rest_try);
  if (status < 0 && status != GA_ERR_INITIAL) return status;
  double broken = status == GA_OK ? prediction_error(p) : INFINITY;
  const bool tiny = *moved < 1e-10;
  if (status == GA_OK && broken > BAD && !tiny && p->contacts.n == 0) {
    status = correct_step(p, moved, &broken);
    if (status < 0 && status != GA_ERR_INITIAL) return status;
  }
  if (status != GA_OK || (broken > BAD && !tiny)) {
    p->tau *= 0.2;
    ga_error_clear(s->eval.err);
    return ga_seeking_balance(p, p->q, p->rest);
  }
  memcpy(p->q, p->q_try, (size_t)s->eval.nq * sizeof(double));
  memcpy(p->rest, p->rest_try, (size_t)s->nv * sizeof(double));
  adapt_tau(p, *moved, broken);
  return GA_OK;
}

/* Sets tau so that a first step moves a fiftieth of a unit along the forces, and its upper bounds
 * tau_first and tau_most. Sets p->stiff, too. Needs rest and K. */
static void choose_first_tau(ga_seeking *p) {
  double fastest = 0;
  p->stiff = 0;
  for (int i = 0; i < p->s.nv; i++) {
    const int e = ga_csr_find(&p->s.K, i, i);
    fastest = fmax(fastest, fabs(p->rest[i]) / (p->s.W.val[i] * p->unit[i]));
    p->stiff = fmax(p->stiff, e < 0 ? 0 : fabs(p->s.K.val[e]) / p->s.W.val[i]);
  }
  p->tau = fastest > 0 ? 0.02 / fastest : 1;
  p->tau_first = TAU_FIRST / fmax(p->stiff, 1e-3 * fastest);
  if (!isfinite(p->tau_first)) p->tau_first = TAU_FIRST;
  p->tau_most = p->tau_first;
  p->tau = fmin(p->tau, p->tau_most);
}

/* p->w <- a Newton step, with W/tau of this tau. *largest: the largest |w_i| in units. */
static ga_status newton_direction(ga_seeking *p, double tau, double *largest) {
  ga_static_system *s = &p->s;
  *largest = INFINITY;
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  memcpy(s->rhs, p->F, (size_t)s->nv * sizeof(double));
  const ga_status status = solve_with_tau(s, tau, p->stiff);
  if (status != GA_OK) return status;
  memcpy(p->w, s->rhs, (size_t)s->nv * sizeof(double));
  *largest = ga_seeking_largest(p, p->w);
  return GA_OK;
}

/* *at_rest <- would a Newton step from q move at most `most` units? Forces that are small beside stiff
 * springs may still move soft ones far. Overwrites p->w. */
static ga_status look_ahead(ga_seeking *p, double most, double ahead, bool *at_rest) {
  double largest = 0;
  *at_rest = p->norm <= ROUNDING * p->acting;
  if (*at_rest) return GA_OK;
  const ga_status status = newton_direction(p, ahead / TAU_FIRST * p->tau_first, &largest);
  *at_rest = largest <= most;
  return status < 0 ? status : GA_OK;
}

/* Follows the flow from p->q for at most `steps` steps; changes q, the forces there and the results
 * of p->e (iterations grows). *found: the unbalanced forces are below BALANCED of the acting ones,
 * and a Newton step is short; the iteration goes on until steps do not reduce them further. Status > 0: the model could not be
 * evaluated or no step was possible. */
static ga_status follow_flow(ga_seeking *p, int steps, bool *found) {
  double last = INFINITY, moved = 0;
  int idle = 0, looks = 0;
  bool closed, last_look = false;
  *found = false;
  ga_status status = close_touching(p, &closed);
  if (status == GA_OK) status = ga_seeking_balance(p, p->q, p->rest);
  for (int k = 0; k < steps && status == GA_OK; k++) {
    status = release_contacts(p);
    if (status == GA_OK) status = ga_seeking_tangents(p);
    if (status != GA_OK) break;
    if (k == 0) choose_first_tau(p);
    ga_seeking_measure(p);
    const bool balanced = p->norm <= BALANCED * p->acting;
    const bool still = !(moved > MOVES) || p->norm <= ROUNDING * p->acting;
    idle = balanced && still && p->norm > 0.25 * last ? idle + 1 : 0;
    *found = balanced && p->norm == 0;
    if (idle > 1) {
      status = looks++ < LOOKS ? look_ahead(p, MOVES, TAU_AHEAD, found)
                               : look_ahead(p, FAR, TAU_LAST, found);
      if (!*found) idle = 0;
    }
    if (status != GA_OK) break;
    if (*found && !last_look) { /* contacts that touch, but were not needed, share the load */
      status = close_touching(p, &closed);
      last_look = true;
      if (closed && status == GA_OK) status = ga_seeking_balance(p, p->q, p->rest);
      if (closed || status != GA_OK) continue;
    }
    if (*found) return GA_OK;
    last = p->norm;
    status = flow_step(p, &moved);
    p->e->iterations++;
  }
  if (status == GA_OK) status = ga_seeking_tangents(p);
  if (status == GA_OK) ga_seeking_measure(p);
  *found = status == GA_OK && p->norm <= BALANCED * p->acting;
  if (*found) status = look_ahead(p, FAR, TAU_LAST, found);
  return status;
}

enum { POLISH_STEPS = 30 }; /* most of the last Newton steps */

/* Newton steps from the equilibrium that was found, until they do not become shorter. A step along soft
 * directions may load stiff ones for a while, so the forces may grow on the way. The result is the
 * last configuration whose unbalanced forces are rounding, or that with the smallest ones. Failures end it: q is good already. */
static ga_status polish(ga_seeking *p) {
  ga_static_system *s = &p->s;
  const size_t size = (size_t)s->eval.nq * sizeof(double);
  double last = INFINITY, best = p->norm, largest;
  ga_status status = GA_OK;
  memcpy(p->q_best, p->q, size);
  for (int k = 0; k < POLISH_STEPS && status == GA_OK; k++) {
    status = newton_direction(p, p->tau_most, &largest);
    if (status != GA_OK || !(largest <= BOUND) || (k > 2 && largest > 0.5 * last)) break;
    last = largest;
    status = move_along(p);
    if (status == GA_OK) status = ga_seeking_balance(p, p->q_try, p->rest);
    if (status != GA_OK) break;
    memcpy(p->q, p->q_try, size);
    status = ga_seeking_tangents(p);
    if (status == GA_OK) ga_seeking_measure(p);
    p->e->iterations++;
    if (status != GA_OK || !(p->norm < best || p->norm <= ROUNDING * p->acting)) continue;
    best = p->norm;
    memcpy(p->q_best, p->q, size);
  }
  if (status < 0 && status != GA_ERR_INITIAL) return status;
  ga_error_clear(s->eval.err);
  memcpy(p->q, p->q_best, size);
  status = ga_seeking_balance(p, p->q, p->rest);
  if (status == GA_OK) status = release_contacts(p);
  if (status == GA_OK) status = ga_seeking_tangents(p);
  if (status == GA_OK) ga_seeking_measure(p);
  return status;
}

/* ---- controllers ---------------------------------------------------------------------------- */

enum { DIRECT_STEPS = 100, HALVINGS = 12 }; /* most steps of Newton's method, and of one step */

/* Newton's method from p->q, with steps of at most BOUND that are halved until they reduce the
 * unbalanced forces: for controllers, which hold a mechanism where the flow would leave it. If it
 * does not end, *found is false and q is as it was. Status < 0: failed. */
static ga_status newton_directly(ga_seeking *p, bool *found) {
  ga_static_system *s = &p->s;
  const size_t size = (size_t)s->eval.nq * sizeof(double);
  *found = false;
  memcpy(p->q_best, p->q, size);
  ga_status status = ga_seeking_balance(p, p->q, p->rest);
  for (int k = 0; k < DIRECT_STEPS && status == GA_OK; k++) {
    double largest;
    status = ga_seeking_tangents(p);
    if (status != GA_OK) break;
    if (k == 0) choose_first_tau(p);
    ga_seeking_measure(p);
    *found = p->norm <= BALANCED * p->acting;
    if (*found) return GA_OK;
    status = newton_direction(p, p->tau_most, &largest);
    if (status != GA_OK) break;
    double part = largest > BOUND ? BOUND / largest : 1;
    for (int i = 0; i < s->nv; i++) p->w[i] *= part;
    status = GA_RETRY_SINGULAR;
    for (int half = 0; half < HALVINGS && status > 0; half++) {
      status = move_along(p);
      if (status == GA_OK) status = ga_seeking_balance(p, p->q_try, p->rest_try);
      const bool less =
          status == GA_OK && ga_seeking_norm(p, p->rest_try) < (1 - 0.1 * part) * p->norm;
      if (status < 0 && status != GA_ERR_INITIAL) return status;
      if (!less) status = GA_RETRY_SINGULAR;
      for (int i = 0; i < s->nv && !less; i++) p->w[i] *= 0.5;
      if (!less) part *= 0.5;
    }
    p->e->iterations++;
    memcpy(p->q, p->q_try, size);
    memcpy(p->rest, p->rest_try, (size_t)s->nv * sizeof(double));
  }
  memcpy(p->q, p->q_best, size);
  ga_error_clear(s->eval.err);
  return status < 0 && status != GA_ERR_INITIAL ? status : GA_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Projects q onto the constraints and follows the flow; if that fails, relaxes dynamically and
 * tries again. Changes p->q in any case, and the results of p->e. GA_ERR_INITIAL if there is no
 * equilibrium to be found. */
static ga_status seek_equilibrium(ga_seeking *p) {
  ga_static_system *s = &p->s;
  ga_equilibrium *e = p->e;
  const int steps = e->steps == 0 ? NEWTON_STEPS : e->steps;
  const int relax = e->relax_steps == 0 ? RELAX_STEPS : e->relax_steps;
  ga_assembly how = {.weight = s->W.val, .unit = p->unit};
  bool found = false;
  ga_status status = ga_assemble_position(s->model, p->t, p->q, &how, s->eval.err);
  if (status == GA_OK) status = ga_seeking_check_rest(p);
  if (status != GA_OK) return status;
  if (e->states && p->contacts.n == 0) status = newton_directly(p, &found);
  if (status == GA_OK && !found && steps > 0) status = follow_flow(p, steps, &found);
  if (status < 0) return status;
  if (!found && relax > 0) {
    status = ga_relaxation_run(p->contacts.whole, p->t, p->q, relax, &e->relaxations, s->eval.err);
    if (status == GA_OK) status = follow_flow(p, NEWTON_STEPS, &found);
    if (status < 0) return status;
  }
  if (found) ga_error_clear(s->eval.err);
  if (found) return polish(p);
  /* a model that cannot be evaluated where the forces lead says so itself */
  if (status == GA_OK) return ga_seeking_not_found(p, BALANCED * p->acting);
  ga_error_prefix(s->eval.err, "no equilibrium was found, on the way");
  return s->eval.err->code = GA_ERR_INITIAL;
}

/* The states of the contacts: closed ones with friction are at rest, so that they stick. */
static void tell_contacts(ga_seeking *p, ga_equilibrium *e) {
  for (int i = 0; i < p->contacts.n; i++) {
    const bool open = p->contacts.state[i] == GA_CONTACT_OPEN;
    if (!open) ga_fixed_contacts_close(&p->contacts, i);
    e->closed += !open;
    if (e->contacts) e->contacts[i] = p->contacts.state[i];
  }
}

/* Replaces q by an equilibrium near it at time t. equilibrium: settings and results, may be NULL.
 * If none is found (GA_ERR_INITIAL), q is the last point reached. lam and psi of `equilibrium`,
 * unless NULL, get the multipliers there. */
ga_status ga_equilibrium_find(const ga_model *model, double t, double *q,
                              ga_equilibrium *equilibrium, ga_error *err) {
  ga_seeking p = {.tau = 1};
  ga_arena arena = {0};
  ga_error own;
  ga_equilibrium none = {0};
  ga_equilibrium *e = equilibrium ? equilibrium : &none;
  e->unbalanced = 0;
  e->worst = e->iterations = e->relaxations = e->closed = 0;
  if (model && model->ops && (ga_model_gives(model) & GA_GIVES_R)) {
    return ga_fail(err, GA_ERR_ARG, "an equilibrium of a model with a reaction of its own");
  }
  ga_status status = ga_seeking_open(&p, model, t, q, e, &arena, err ? err : &own);
  if (status == GA_OK) {
    status = seek_equilibrium(&p);
    memcpy(q, p.q, (size_t)p.s.eval.nq * sizeof(double));
    if (e->lam && p.s.nlam) memcpy(e->lam, p.lam, (size_t)p.s.nlam * sizeof(double));
    if (e->psi && p.s.npsi) memcpy(e->psi, p.psi, (size_t)p.s.npsi * sizeof(double));
    tell_contacts(&p, e);
  }
  ga_static_system_close(&p.s);
  ga_arena_free(&arena);
  return status;
}
