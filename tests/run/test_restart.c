/* SPDX-License-Identifier: MIT */
/* A restart equals a start of a new integrator at the same place, bit by bit. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

typedef struct {
  const char *problem, *method, *solver;
  double rtol;
} kind;
static const kind kinds[] = {
    {"heavy-top", "stab2", "dense", 1e-3},   {"heavy-top", "index3", "klu", 1e-4},
    {"andrews", "stab2", "dense", 1e-2},     {"rheonomic", "soi2", "dense", 1e-4},
    {"rolling-disk", "nonhol2", "dense", 0}, {"manufactured", "stab2", "klu", 1e-3},
    {"reaction", "soi2", "dense", 1e-3},     {"andrews-absolute", "index3", "klu", 1e-3},
    {"chain", "hht", "dense", 1e-3},         {"heavy-top", "index3", "dense", 0},
    {"rheonomic", "soi2", "dense", 0},
};
enum { KINDS = (int)(sizeof kinds / sizeof kinds[0]) };

/* counters of a run since `from` */
static ga_stats since(const ga_stats *now, const ga_stats *from) {
  ga_stats d = *now;
#define MINUS(name, text) d.name -= from->name;
#define LEAVE(name, text) d.name = 0;
  GA_STAT_LIST(MINUS, LEAVE)
#undef MINUS
#undef LEAVE
  return d;
}

/* one step; given sizes grow by 1.6 in the first of them, as they did before the restart */
static void step(ga_integrator *it, bool automatic, int n, double h) {
  if (!automatic && n < 4) {
    must(ga_integrator_set_step(it, h * pow(1.6, n)), ga_integrator_error(it));
  }
  must(ga_integrator_step(it), ga_integrator_error(it));
}

/* Nothing of the steps before is left: neither sizes of components, differences of v', the last
 * error of the controller, nor factors, pivots and the polynomial of the first guess. What goes on
 * is the step size and the statistics. */
static void test_equals_start(void **state) {
  (void)state;
  for (int k = 0; k < KINDS * 2; k++) {
    const kind *c = &kinds[k / 2];
    bool moved = k % 2; /* to another place, or where the run is */
    ga_problem *p = open_subject(&(subject){c->problem, 0});
    int nq = ga_space_nq(p->model.space), nv = ga_space_nv(p->model.space);
    char what[96];
    snprintf(what, sizeof what, "%s, %s%s", p->name, c->method, moved ? ", moved" : "");
    ga_options o = options_of(p, ga_method_find(c->method, "", NULL), c->solver);
    o.rtol = c->rtol;
    o.initial = GA_INITIAL_PROJECT;
    if (strcmp(c->method, "soi2") == 0 && !(o.rtol > 0)) o.mass_at = GA_MASS_PREVIOUS;
    bool automatic = o.rtol > 0;
    if (!automatic) o.h = 0.1 * p->h;
    ga_integrator *it = started(p, &o);
    must(ga_integrator_run(it, p->t0 + 30.3 * o.h), ga_integrator_error(it));
    for (int n = 0; n < 4; n++) step(it, automatic, n, 1.6 * o.h);
    double h = 1.3 * ga_integrator_state(it)->h;
    must(ga_integrator_set_step(it, h), ga_integrator_error(it));

    double q[SUPPORT_MAX], v[SUPPORT_MAX], mult[2 * SUPPORT_MAX];
    const ga_state *s = ga_integrator_state(it);
    memcpy(q, s->q, (size_t)nq * sizeof *q);
    for (int i = 0; i < nv; i++) v[i] = (moved ? 0.7 : 1) * s->v[i];
    if (p->model.nlam) memcpy(mult, s->lam, (size_t)p->model.nlam * sizeof *mult);
    if (p->model.npsi) {
      memcpy(mult + p->model.nlam, s->psi, (size_t)p->model.npsi * sizeof *mult);
    }
    double t = s->t;
    ga_stats before = *ga_integrator_stats(it);
    must(ga_integrator_restart(it, moved ? q : NULL, moved ? v : NULL), ga_integrator_error(it));

    o.h = h;
    o.multiplier_guess = mult;
    ga_integrator *other = fresh(p, &o);
    must(ga_integrator_start(other, t, q, v), ga_integrator_error(other));
    for (int n = 0; n < 25; n++) {
      view a = view_of(it, &p->model), b = view_of(other, &p->model);
      a.stats = since(&a.stats, &before);
      b.stats = since(&b.stats, &(ga_stats){0});
      assert_same(what, &b, &a);
      step(it, automatic, n, h);
      step(other, automatic, n, h);
    }
    ga_integrator_free(it);
    ga_integrator_free(other);
    close_subject(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equals_start),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
