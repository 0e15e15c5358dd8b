/* SPDX-License-Identifier: MIT */
/* Runs of stress models, see run.h. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HARD_CALLS = 400000, HARD_STEPS = 1000 }; /* a run ends there, whatever it does */

typedef struct watcher {
  const hard_model *model;
  hard_outcome *outcome;
  long double energy; /* at the start */
  bool fixed;
} watcher;

static void note(hard_outcome *out, const hard_verdict *v, double t, bool start) {
  if (v->position > out->position) out->position = v->position;
  if (v->strict_ratio > 1 || isnan(v->strict_ratio)) out->strict++;
  if (v->fault == FAULT_NONE) return;
  if (!start && (v->fault != FAULT_FORCE || !(v->gross_ratio <= 1))) out->gross++;
  if (start) {
    out->wrong_start = true;
    out->start = *v;
  } else if (out->wrong++ == 0) {
    out->worst = *v;
    out->t_wrong = t;
  }
}

static void check_energy(watcher *w, const hard_state *now, bool start, hard_verdict *v) {
  long double energy = hard_energy(w->model, now);
  if (start) w->energy = energy;
  double gain = (double)(energy - w->energy);
  if (v->fault == FAULT_NONE && !(gain <= w->model->energy_limit)) {
    *v = (hard_verdict){.fault = FAULT_ENERGY, .row = -1, .error = gain};
    v->ratio = gain / w->model->energy_limit;
  }
}

static int watch(void *context, const ga_state *state, const ga_stats *stats) {
  watcher *w = context;
  const hard_model *m = w->model;
  hard_state now = hard_state_of(m, state);
  const hard_state *before = &w->outcome->last;
  bool start = state->h == 0;
  hard_verdict v = hard_check(m, &now, start ? NULL : before);
  /* the first step may have moved a_0 or v_0, a change of h moves a */
  if (v.fault == FAULT_NONE && w->fixed && stats->steps > 1 &&
      fabsl(now.h - before->h) <= 1e-12L * now.h) {
    hard_verdict r = hard_check_recursion(m, &now, before);
    if (r.fault != FAULT_NONE) v = r;
  }
  if (m->energy_limit > 0) check_energy(w, &now, start, &v);
  note(w->outcome, &v, state->t, start);
  if (!start && !(v.strict_ratio <= 1)) {
    bool solution;
    w->outcome->reach[hard_reach_of(m, &now, before, &solution)]++;
    w->outcome->solvable += solution;
  }
  w->outcome->before = *before;
  w->outcome->last = now;
  w->outcome->steps = stats->steps;
  return stats->steps >= HARD_STEPS;
}

static ga_options options_of(const hard_model *m) {
  ga_options o = ga_options_default();
  o.method = m->method;
  o.par = ga_params_rho(m->rho);
  o.h = m->h;
  o.rtol = m->rtol;
  o.atol = m->atol;
  if (m->h_seq) o.h_seq = m->h_seq;
  if (m->newton_max > 0) o.newton_max = m->newton_max;
  o.matrix_every = m->matrix_every;
  if (m->project) o.initial = GA_INITIAL_PROJECT;
  return o;
}

static ga_status integrate(const ga_model *model, const hard_model *m, watcher *w,
                           ga_error *error) {
  ga_options o = options_of(m);
  ga_integrator *it = NULL;
  ga_status status = ga_integrator_new(model, &o, &it, error);
  if (status != GA_OK) return status;
  ga_integrator_observe(it, watch, w);
  status = ga_integrator_start(it, m->t0, m->q0, m->v0);
  if (status == GA_OK) status = ga_integrator_run(it, m->t0 + m->steps * m->h);
  if (status != GA_OK) *error = *ga_integrator_error(it);
  ga_integrator_free(it);
  return status == GA_STOPPED ? GA_OK : status;
}

ga_status hard_open(const hard_model *m, const ga_model_ops *ops, hard_user *user, ga_space **space,
                    ga_model *out) {
  ga_status status = ga_space_new(space);
  if (status == GA_OK && m->n_flat > 0) {
    status = ga_space_add(*space, &ga_group_rn, m->n_flat, NULL, NULL);
  }
  if (status == GA_OK && m->n_rot > 0) {
    status = ga_space_add(*space, &ga_group_so3, m->n_rot, NULL, NULL);
  }
  *user = (hard_user){.model = m, .calls_left = HARD_CALLS};
  *out = (ga_model){.ops = ops, .user = user, .nlam = m->n_lam, .npsi = m->n_psi};
  out->space = *space;
  return status;
}

hard_outcome hard_run(const hard_model *m) {
  hard_outcome out = {0};
  ga_error error = {0};
  ga_space *space = NULL;
  ga_model_ops ops = hard_ops(m);
  hard_user user;
  ga_model model;
  watcher w = {.model = m, .outcome = &out, .fixed = m->rtol == 0 && m->atol == 0};
  out.status = hard_open(m, &ops, &user, &space, &model);
  if (out.status == GA_OK) out.status = integrate(&model, m, &w, &error);
  snprintf(out.text, sizeof out.text, "%.159s", error.text);
  ga_space_free(space);
  return out;
}

void hard_describe(const hard_model *m, char *text, size_t room) {
  static const char *const tangents[TANGENTS_COUNT] = {"exact",    "differences", "too stiff",
                                                       "too soft", "wrong sign",  "zero"};
  snprintf(text, room, "%s, %s, h %.6g%s%s, rho %.3g, rtol %g, tangents %s%s", m->name, m->method,
           m->h, m->h_seq ? " x " : "", m->h_seq ? m->h_seq : "", m->rho, m->rtol,
           tangents[m->tangents], m->n_lam + m->n_psi > 0 && !m->give_jacobian ? ", no G" : "");
}
