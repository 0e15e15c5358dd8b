/* SPDX-License-Identifier: MIT */
/* Save and resume under automatic steps: a run of a model file that is saved and goes on, and another
 * integrator that resumes from the saved bytes, have the same bits and the same counters. */
#include <stdlib.h>

#include "mechanisms.h"

/* Models of all kinds: open, loops, redundant, driven, rolling, beams, gears, contacts, controllers. */
static const char *const models[] = {
    "andrews",
    "bouncing-balls",
    "bricard",
    "cart",
    "double-pendulum",
    "driven-crank",
    "elastic-pendulum",
    "fan",
    "four-bar",
    "gear-train",
    "governor",
    "heavy-top",
    "hoist",
    "pendulum",
    "right-angle",
    "robot-arm",
    "rocking-block",
    "rolling-disk",
    "skid",
    "slider-crank-3d",
    "slider-crank",
    "stewart",
    "universal-shaft",
    "valve-train",
    "wishbone",
    "woodpecker",
};
enum { MODELS = (int)(sizeof models / sizeof models[0]) };

static ga_integrator *made(const ga_model *model, const char *method, double rtol) {
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  o.method = method;
  o.rtol = rtol;
  o.h = 1e-3;
  o.h_max = 0.05;
  o.redundant = GA_REDUNDANT_ALLOW;
  must(ga_integrator_new(model, &o, &it, &err), &err);
  return it;
}

/* Numbers of two arrays that differ in a bit. */
static long different(size_t n, const double *a, const double *b) {
  long count = 0;
  for (size_t i = 0; i < n; i++) count += memcmp(&a[i], &b[i], sizeof a[i]) != 0;
  return count;
}

/* Everything that differs between the two at the same time: state and counters. */
static long differences(const ga_model *m, const ga_integrator *a, const ga_integrator *b) {
  const ga_state *s = ga_integrator_state(a), *r = ga_integrator_state(b);
  const size_t nv = (size_t)ga_space_nv(m->space);
  long n = different(1, &s->t, &r->t) + different(1, &s->h, &r->h);
  n += different((size_t)ga_space_nq(m->space), s->q, r->q);
  n += different(nv, s->v, r->v) + different(nv, s->vd, r->vd);
  n += different((size_t)m->nlam, s->lam, r->lam) + different((size_t)m->npsi, s->psi, r->psi);
  const ga_stats *x = ga_integrator_stats(a), *y = ga_integrator_stats(b);
  return n + (x->steps != y->steps) + (x->rejected != y->rejected) + (x->failed != y->failed);
}

/* One model with one method: saved at three times, each resumed and followed for a while. */
static long try_model(const char *name, const char *method, double rtol) {
  ga_file *file = model_loaded(name, NULL, 0);
  long wrong = 0;
  const ga_mechanism *mech = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(mech);
  ga_integrator *it = made(model, method, rtol);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(mech), ga_mechanism_v0(mech)),
       ga_integrator_error(it));
  for (int k = 1; k <= 3; k++) {
    size_t size;
    must(ga_integrator_run(it, 0.0271 * k), ga_integrator_error(it));
    must(ga_integrator_save_memory(it, NULL, &size), ga_integrator_error(it));
    unsigned char *bytes = malloc(size);
    must(ga_integrator_save_memory(it, bytes, &size), ga_integrator_error(it));
    ga_integrator *other = made(model, method, rtol);
    must(ga_integrator_load_memory(other, bytes, size), ga_integrator_error(other));
    for (int n = 0; n < 3; n++) {
      const double t = 0.0271 * k + 0.0061 * (n + 1);
      must(ga_integrator_run(other, t), ga_integrator_error(other));
      must(ga_integrator_run(it, t), ga_integrator_error(it));
      const long d = differences(model, it, other);
      if (d > 0)
        print_message("%s %s %g, saved at %g: %ld numbers differ at %g\n", name, method, rtol,
                      0.0271 * k, d, t);
      wrong += d > 0;
    }
    ga_integrator_free(other);
    free(bytes);
  }
  ga_integrator_free(it);
  ga_file_free(file);
  return wrong;
}

static void models_resume_bit_by_bit(void **state) {
  (void)state;
  long wrong = 0;
  for (int i = 0; i < MODELS; i++) {
    wrong += try_model(models[i], "stab2", i % 2 ? 1e-3 : 1e-5);
    wrong += try_model(models[i], "index3", i % 2 ? 1e-4 : 1e-2);
  }
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(models_resume_bit_by_bit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
