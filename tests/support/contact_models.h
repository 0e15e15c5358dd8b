/* SPDX-License-Identifier: MIT */
/* Small models with contacts, each with all quantities in one function, and their runs. */
#ifndef GA_TESTS_CONTACT_MODELS_H
#define GA_TESTS_CONTACT_MODELS_H

#include <math.h>
#include <string.h>

#include "genalpha/genalpha.h"
#include "support.h"

enum { MOST_V = 12, MOST_ROWS = 16 };

/* A model on R^n: full matrices by rows. What is not set is 0. */
typedef struct point {
  double t;
  const double *q, *v;
  double M[MOST_V][MOST_V], F[MOST_V];
  double g[MOST_ROWS], G[MOST_ROWS][MOST_V], drift[MOST_ROWS], gt[MOST_ROWS];
  double k[MOST_ROWS], H[MOST_ROWS][MOST_V], k_drift[MOST_ROWS];
} point;

typedef struct scene {
  const char *name;
  int n, nlam, npsi, ncontacts;
  ga_contact contact[MOST_ROWS];
  void (*at)(const struct scene *s, point *p);
  bool linear; /* G, H are constant */
  double t_end, h;
  double q0[MOST_V], v0[MOST_V];
  double number[4]; /* of the model */
} scene;

static void copy_rows(const point *p, int nrow, int n, const double A[][MOST_V], ga_csr *out) {
  (void)p;
  for (int i = 0; out && i < nrow; i++) {
    for (int j = 0; j < n; j++) out->val[i * n + j] = A[i][j];
  }
}

static int evaluate_scene(void *user, double t, const double *q, const double *v,
                          const ga_evaluation *out) {
  const scene *s = user;
  point p = {.t = t, .q = q, .v = v};
  s->at(s, &p);
  copy_rows(&p, s->n, s->n, p.M, out->M);
  copy_rows(&p, s->nlam, s->n, p.G, out->G);
  copy_rows(&p, s->npsi, s->n, p.H, out->H);
  if (out->F) memcpy(out->F, p.F, (size_t)s->n * sizeof(double));
  if (out->g) memcpy(out->g, p.g, (size_t)s->nlam * sizeof(double));
  if (out->k) memcpy(out->k, p.k, (size_t)s->npsi * sizeof(double));
  if (out->gt) memcpy(out->gt, p.gt, (size_t)s->nlam * sizeof(double));
  if (out->drift) memcpy(out->drift, p.drift, (size_t)s->nlam * sizeof(double));
  if (out->k_drift) memcpy(out->k_drift, p.k_drift, (size_t)s->npsi * sizeof(double));
  return 0;
}

static const ga_model_ops scene_ops = {
    .evaluate = evaluate_scene,
    .gives = GA_GIVES_G | GA_GIVES_H | GA_GIVES_GT | GA_GIVES_DRIFT | GA_GIVES_K_DRIFT};
static const ga_model_ops linear_ops = {.evaluate = evaluate_scene,
                                        .gives = GA_GIVES_G | GA_GIVES_H | GA_GIVES_GT |
                                                 GA_GIVES_DRIFT | GA_GIVES_K_DRIFT | GA_GIVES_Z |
                                                 GA_GIVES_Y};

/* A run: its integrator, what its contacts did. */
typedef struct run {
  ga_space *space;
  ga_model model;
  ga_integrator *it;
  int nchange;
  ga_contact_change change[400];
  ga_status status;
} run;

static inline void note_change(void *context, const ga_contact_change *change) {
  run *r = context;
  if (r->nchange < 400) r->change[r->nchange++] = *change;
}

static inline ga_options scene_options(const scene *s, const char *method, double rho, double h) {
  ga_options o = ga_options_default();
  o.method = method;
  o.par = ga_params_rho(rho);
  o.h = h > 0 ? h : s->h;
  return o;
}

/* start a run of a scene; the caller closes it */
static inline void open_run(run *r, const scene *s, const ga_options *o) {
  ga_error err;
  memset(r, 0, sizeof *r);
  must(ga_space_rn(s->n, &r->space), NULL);
  r->model = (ga_model){.ops = s->linear ? &linear_ops : &scene_ops,
                        .user = (void *)(size_t)s,
                        .space = r->space,
                        .nlam = s->nlam,
                        .npsi = s->npsi,
                        .contacts = s->contact,
                        .ncontacts = s->ncontacts};
  must(ga_integrator_new(&r->model, o, &r->it, &err), &err);
  ga_integrator_observe_contacts(r->it, note_change, r);
  must(ga_integrator_start(r->it, 0, s->q0, s->v0), ga_integrator_error(r->it));
}

static inline void close_run(run *r) {
  ga_integrator_free(r->it);
  ga_space_free(r->space);
}

/* the whole run of a scene */
static inline void run_scene(run *r, const scene *s, const ga_options *o) {
  open_run(r, s, o);
  must(ga_integrator_run(r->it, s->t_end), ga_integrator_error(r->it));
}

/* the times of changes of a kind, of contact i (-1: all), one for each time; returns their number */
static inline int times_of(const run *r, int kind, int contact, double *t, int room) {
  int n = 0;
  for (int i = 0; i < r->nchange; i++) {
    const ga_contact_change *c = &r->change[i];
    if ((int)c->kind != kind || (contact >= 0 && c->contact != contact)) continue;
    if (n > 0 && c->t == t[n - 1]) continue;
    if (n < room) t[n++] = c->t;
  }
  return n;
}

#endif
