/* SPDX-License-Identifier: MIT */
/* One run of a subdomain, or of the whole without a team, and comparisons of their results. */
#ifndef TEAM_RUN_H
#define TEAM_RUN_H

#include "subdomain_model.h"

typedef struct {
  ga_options options;
  double t_end;
  double level; /* an event: coordinate `watched` passes this level; NAN: none */
  long watched;
  bool terminal;
} run_case;

typedef struct {
  ga_status status;
  ga_error error;
  ga_stats stats;
  double t;
  int nv, nlam;
  double *q, *v, *lam; /* of the subdomain */
} run_result;

/* the coordinate that an event watches, in this subdomain */
typedef struct {
  int at; /* -1: not here */
  double level;
} run_watch;

static inline double run_value(void *context, const ga_state *state) {
  const run_watch *w = context;
  return w->at < 0 ? 1 : state->q[w->at] - w->level;
}

static inline run_watch run_watched(const subdomain_model *p, const run_case *c) {
  run_watch w = {-1, c->level};
  for (int i = 0; i < PER * p->nbody; i++) {
    if (p->velocity[i] == c->watched) w.at = i;
  }
  return w;
}

/* start, run, and the state */
static inline ga_status run_it(subdomain_model *p, const run_case *c, ga_integrator *it,
                               run_watch *watch) {
  int nv = PER * p->nbody;
  double *q0 = malloc((size_t)nv * sizeof(double)), *v0 = calloc((size_t)nv, sizeof(double));
  subdomain_take(p, p->whole->q0, q0);
  ga_status status = GA_OK;
  *watch = run_watched(p, c);
  if (!isnan(c->level)) {
    status = ga_integrator_add_event(
        it, &(ga_event){.value = run_value, .context = watch, .terminal = c->terminal});
  }
  if (status == GA_OK) status = ga_integrator_start(it, 0, q0, v0);
  if (status == GA_OK) status = ga_integrator_run(it, c->t_end);
  free(q0);
  free(v0);
  return status;
}

static inline double *run_copy(const double *x, int n) {
  double *out = malloc(((size_t)n + 1) * sizeof(double));
  if (n > 0) memcpy(out, x, (size_t)n * sizeof(double));
  return out;
}

static inline run_result run_subdomain(subdomain_model *p, const run_case *c, ga_team *team) {
  run_result out = {.nv = PER * p->nbody, .nlam = p->model.nlam};
  ga_options o = c->options;
  ga_integrator *it = NULL;
  run_watch watch;
  o.team = team;
  out.status = ga_integrator_new(&p->model, &o, &it, &out.error);
  if (out.status != GA_OK) return out;
  out.status = run_it(p, c, it, &watch);
  out.error = *ga_integrator_error(it);
  out.stats = *ga_integrator_stats(it);
  const ga_state *s = ga_integrator_state(it);
  out.t = s->t;
  out.q = run_copy(s->q, out.nv);
  out.v = run_copy(s->v, out.nv);
  out.lam = run_copy(s->lam, out.nlam);
  ga_integrator_free(it);
  return out;
}

static inline void run_free(run_result *r) {
  free(r->q);
  free(r->v);
  free(r->lam);
}

/* Largest differences of a subdomain from the run of the whole: q, v, and lam relative to the
 * largest of all; the multipliers of a process follow those of the processes before it. */
typedef struct {
  double q, v, lam;
} subdomain_errors;

static inline subdomain_errors run_compare(const subdomain_model *p, const run_result *subdomain,
                                           const run_result *whole, int lam_before) {
  subdomain_errors e = {0, 0, 0};
  double largest = 0;
  for (int i = 0; i < subdomain->nv; i++) {
    long k = p->velocity[i];
    e.q = fmax(e.q, fabs(subdomain->q[i] - whole->q[k]));
    e.v = fmax(e.v, fabs(subdomain->v[i] - whole->v[k]));
  }
  for (int i = 0; i < whole->nlam; i++) largest = fmax(largest, fabs(whole->lam[i]));
  for (int i = 0; i < subdomain->nlam; i++) {
    e.lam = fmax(e.lam, fabs(subdomain->lam[i] - whole->lam[lam_before + i]) / largest);
  }
  return e;
}

#endif
