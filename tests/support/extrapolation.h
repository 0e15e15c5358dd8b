/* SPDX-License-Identifier: MIT */
/* An extrapolated run to a known end: its errors, and what it says of them. */
#ifndef GA_TESTS_EXTRAPOLATION_H
#define GA_TESTS_EXTRAPOLATION_H

#include "support.h"

static const char *const variable[ERR_COUNT] = {"q", "v", "v'", "lam"};

typedef struct {
  errors error, estimate, finest;
  long steps;
} outcome;

static inline errors errors_from(const ga_errors *e) {
  return (errors){{e->q, e->v, e->vd, e->lam}};
}

/* how runs are combined */
typedef struct {
  ga_extrapolate_steps steps;
  ga_extrapolate_multipliers multipliers;
} mode;

static const mode usual = {GA_STEPS_HALVED, GA_MULTIPLIERS_EXTRAPOLATED};
static const mode harmonic = {GA_STEPS_HARMONIC, GA_MULTIPLIERS_EXTRAPOLATED};
static const mode consistent = {GA_STEPS_HARMONIC, GA_MULTIPLIERS_CONSISTENT};

static inline ga_extrapolator *extrapolator(const ga_problem *p, const ga_options *o, int K) {
  ga_options own = *o;
  own.multiplier_guess = p->mult0;
  ga_extrapolator *x = NULL;
  ga_error err = {0};
  must(ga_extrapolator_new(&p->model, &own, K, &x, &err), &err);
  return x;
}

static inline void set_mode(ga_extrapolator *x, mode m) {
  ga_extrapolator_set_steps(x, m.steps);
  ga_extrapolator_set_multipliers(x, m.multipliers);
}

static inline outcome extrapolate(const ga_problem *p, const ga_options *o, int K, mode m,
                                  const truth *ref) {
  ga_extrapolator *x = extrapolator(p, o, K);
  set_mode(x, m);
  must(ga_extrapolator_start(x, p->t0, p->q0, p->v0), ga_extrapolator_error(x));
  must(ga_extrapolator_run(x, ref->t), ga_extrapolator_error(x));
  const ga_extrapolated *end = ga_extrapolator_state(x);
  assert_true(end->state.t == ref->t);
  outcome out = {.error = errors_of(p, &end->state, ref),
                 .estimate = errors_from(&end->error),
                 .finest = errors_from(&end->finest),
                 .steps = ga_extrapolator_stats(x)->steps};
  ga_extrapolator_free(x);
  return out;
}

#endif
