/* SPDX-License-Identifier: MIT */
/* Runs of stress models, see run.h. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pattern.h"

enum { HARD_CALLS = 400000, HARD_STEPS = 1000 }; /* a run ends there, whatever it does */

typedef struct watcher {
  const hard_model *model;
  hard_outcome *outcome;
  long double energy; /* at the start */
  hard_memory a_used; /* the memory that the last step began with */
} watcher;

static void note(hard_outcome *out, const hard_verdict *v, double t) {
  out->skipped += v->skipped;
  out->rounded += v->rounded;
  out->no_root += v->no_root;
  if (v->fault != FAULT_NONE && out->wrong++ == 0) {
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

/* Whether v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1) but for roundings. */
static bool leads_to(const hard_model *m, const hard_state *now, const hard_state *before,
                     const long double *a_0) {
  hard_parameters p = hard_parameters_of(m);
  long double h = now->h;
  for (int i = 0; i < hard_nv(m); i++) {
    long double d = now->v[i] - before->v[i] - h * ((1 - p.gamma) * a_0[i] + p.gamma * now->a[i]);
    long double size =
        fabsl(now->v[i]) + fabsl(before->v[i]) + h * (fabsl(a_0[i]) + fabsl(now->a[i]));
    size += h * (fabsl(now->vd[i]) + fabsl(before->vd[i]));
    if (!(fabsl(d) <= 0x1p-46L * size)) return false;
  }
  return true;
}

/* The memory that the step to `now` may have begun with:
 *   0  that of the state before;
 *   1  the same, corrected for a change of h: stab2, index3 a <- v' + (h/h_old)(a - v'), soi2
 *      a <- a + alpha (h/h_old - 1)(a - a_p) with a_p the memory that the last step began with;
 *   2  what leads to the accepted v_1: an integrator may have begun anew, as it does at a start.
 * False if that does not lead to v_1. */
static bool memory_of(const watcher *w, const hard_state *now, int choice, hard_memory *a_0) {
  const hard_model *m = w->model;
  const hard_state *before = &w->outcome->last;
  hard_parameters p = hard_parameters_of(m);
  long double ratio = before->h > 0 ? now->h / before->h : 1, by = (p.am - p.af) * (ratio - 1);
  bool soi2 = strcmp(m->method, "soi2") == 0;
  *a_0 = (hard_memory){0};
  memcpy(a_0->a, before->a, sizeof before->a);
  for (int i = 0; i < hard_nv(m) && choice == 1; i++) {
    long double a = before->a[i], base = soi2 ? w->a_used.a[i] : before->vd[i];
    a_0->a[i] = soi2 ? a + by * (a - base) : base + ratio * (a - base);
    a_0->error[i] = soi2 ? fabsl(by) * w->a_used.error[i] : 0;
    a_0->error[i] += 0x1p-50L * (1 + fabsl(ratio)) * (fabsl(a) + fabsl(base));
  }
  for (int i = 0; i < hard_nv(m) && choice == 2; i++) {
    long double part = 1 / (1 - p.gamma), v = fabsl(now->v[i]) + fabsl(before->v[i]);
    a_0->a[i] = ((now->v[i] - before->v[i]) / now->h - p.gamma * now->a[i]) * part;
    a_0->error[i] = 0x1p-50L * fabsl(part) * (v / now->h + fabsl(now->a[i]));
  }
  return leads_to(m, now, before, a_0->a);
}

/* The judgement of a step: with the memory of the state before if h is the same, otherwise with the
 * first choice of memory_of with which the step is right. Sets outcome->a_0. */
static hard_verdict judge(watcher *w, const hard_state *now) {
  const hard_model *m = w->model;
  const hard_state *before = &w->outcome->last;
  hard_memory *a_0 = &w->outcome->a_0;
  bool soi2 = strcmp(m->method, "soi2") == 0;
  hard_verdict v = {.row = -1, .fault = FAULT_RECURSION, .ratio = (double)INFINITY};
  if (before->h > 0 && fabsl(now->h / before->h - 1) <= 1e-12L) {
    memory_of(w, now, 0, a_0);
    v = hard_check(m, now, before, a_0);
    return v.fault == FAULT_NONE ? hard_check_recursion(m, now, before, a_0, v) : v;
  }
  /* a change of h by less than 1e-4 may be left uncorrected */
  bool corrected = before->h > 0 && fabsl(now->h / before->h - 1) > 1e-4L;
  for (int k = 0; k < 3; k++) {
    int choice = k < 2 && corrected ? 1 - k : k;
    if (!memory_of(w, now, choice, a_0)) continue;
    v = hard_check(m, now, before, a_0);
    if (v.fault == FAULT_NONE || !soi2) return v; /* the others' rows do not depend on a_0 */
  }
  return v.row < 0 && !soi2 ? hard_check(m, now, before, a_0) : v;
}

static int watch(void *context, const ga_state *state, const ga_stats *stats) {
  watcher *w = context;
  const hard_model *m = w->model;
  hard_state now = hard_state_of(m, state);
  const hard_state *before = &w->outcome->last;
  bool start = state->h == 0;
  hard_verdict v = {.row = -1};
  if (!start) {
    v = judge(w, &now);
    w->a_used = w->outcome->a_0;
  }
  if (m->energy_limit > 0) check_energy(w, &now, start, &v);
  note(w->outcome, &v, state->t);
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
  o.newton_tol = 1e-12; /* also with automatic steps: the promise is looked at */
  if (m->linsol) o.linsol = m->linsol;
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

ga_status hard_open(const hard_model *m, const ga_model_ops *ops, const hard_patterns *patterns,
                    hard_user *user, ga_space **space, ga_model *out) {
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
  if (patterns && m->patterns) {
    out->pat_M = &patterns->M.as_csr;
    out->pat_K = &patterns->K.as_csr;
    if (m->n_lam > 0) out->pat_G = &patterns->G.as_csr;
    if (m->n_psi > 0) out->pat_H = &patterns->H.as_csr;
  }
  return status;
}

hard_outcome hard_run(const hard_model *m) {
  hard_outcome out = {0};
  ga_error error = {0};
  ga_space *space = NULL;
  ga_model_ops ops = hard_ops(m);
  hard_user user;
  ga_model model;
  watcher w = {.model = m, .outcome = &out};
  static hard_patterns patterns;
  hard_patterns_of(m, &patterns);
  out.status = hard_open(m, &ops, &patterns, &user, &space, &model);
  if (out.status == GA_OK) out.status = integrate(&model, m, &w, &error);
  snprintf(out.text, sizeof out.text, "%.159s", error.text);
  ga_space_free(space);
  return out;
}

void hard_describe(const hard_model *m, char *text, size_t room) {
  static const char *const tangents[TANGENTS_COUNT] = {"exact",    "differences", "too stiff",
                                                       "too soft", "wrong sign",  "zero"};
  snprintf(text, room, "%s, %s, h %.6g%s%s, rho %.3g, rtol %g, tangents %s%s%s", m->name, m->method,
           m->h, m->h_seq ? " x " : "", m->h_seq ? m->h_seq : "", m->rho, m->rtol,
           tangents[m->tangents], m->n_lam + m->n_psi > 0 && !m->give_jacobian ? ", no G" : "",
           m->patterns ? ", patterns" : "");
}
