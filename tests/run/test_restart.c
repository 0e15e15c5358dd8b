/* SPDX-License-Identifier: MIT */
/* A restart: at another place it is a start; where the run is, it keeps order 2 after jumps of
 * forces and inputs and costs little. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"
#include "own_solver.h"
#include "trajectory.h"

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

/* With a q, nothing of the steps before is left: neither sizes of components, differences of v',
 * the last error of the controller, nor factors, pivots and the polynomial of the first guess. What
 * goes on is the step size and the statistics. */
static void test_elsewhere_equals_start(void **state) {
  (void)state;
  for (int n_kind = 0; n_kind < KINDS; n_kind++) {
    const kind *c = &kinds[n_kind];
    ga_problem *p = open_subject(&(subject){c->problem, 0});
    int nq = ga_space_nq(p->model.space), nv = ga_space_nv(p->model.space);
    char what[96];
    snprintf(what, sizeof what, "%s, %s", p->name, c->method);
    ga_options o = options_of(p, ga_method_find(c->method, "", NULL), c->solver);
    o.rtol = c->rtol;
    o.h_max = INFINITY;
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
    for (int i = 0; i < nv; i++) v[i] = 0.7 * s->v[i];
    if (p->model.nlam) memcpy(mult, s->lam, (size_t)p->model.nlam * sizeof *mult);
    if (p->model.npsi) {
      memcpy(mult + p->model.nlam, s->psi, (size_t)p->model.npsi * sizeof *mult);
    }
    double t = s->t;
    ga_stats before = *ga_integrator_stats(it);
    must(ga_integrator_restart(it, q, v), ga_integrator_error(it));

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

/* ---- where the run is ----------------------------------------------------------------------- */

/* a problem with a force that jumps, added to its own */
typedef struct {
  ga_problem *p;
  ga_model model;
  ga_model_ops ops;
  const ga_model_ops *own;
  double level, force[SUPPORT_MAX];
  long evaluations; /* of forces */
} jumping;
static jumping *now; /* the callbacks get the user pointer of the problem */

static void add_force(double *F) {
  now->evaluations++;
  for (int i = 0; F && i < ga_space_nv(now->model.space); i++) F[i] += now->level * now->force[i];
}

static int force_with_jump(void *user, double t, const double *q, const double *v, double *F) {
  int code = now->own->force(user, t, q, v, F);
  add_force(F);
  return code;
}

static int evaluate_with_jump(void *user, double t, const double *q, const double *v,
                              const ga_evaluation *out) {
  int code = now->own->evaluate(user, t, q, v, out);
  add_force(out->F);
  return code;
}

/* the jumping force is `size` in every component, of the size of the applied forces at the start */
static void open_jumping(jumping *j, const char *problem, double size) {
  *j = (jumping){.p = problem_named(problem)};
  now = j;
  j->model = j->p->model;
  j->own = j->model.ops;
  j->ops = *j->own;
  if (j->ops.force) j->ops.force = force_with_jump;
  if (j->ops.evaluate) j->ops.evaluate = evaluate_with_jump;
  j->model.ops = &j->ops;
  uint64_t seed = 7;
  for (int i = 0; i < ga_space_nv(j->model.space); i++) {
    j->force[i] = size * (1 + 0.5 * next_uniform(&seed));
  }
}

static ga_integrator *start_jumping(jumping *j, const ga_options *o) {
  ga_error err;
  ga_integrator *it = NULL;
  ga_options with = *o;
  with.multiplier_guess = j->p->mult0;
  j->level = 0;
  must(ga_integrator_new(&j->model, &with, &it, &err), &err);
  must(ga_integrator_start(it, j->p->t0, j->p->q0, j->p->v0), ga_integrator_error(it));
  return it;
}

/* The force jumps after every STEPS steps of the largest size h; runs with h, h/2, h/4 and one with
 * h/FINE are compared at multiples of h/GRID, as far as their steps meet them. */
enum {
  JUMPS = 4,
  STEPS = 10,
  GRID = 4,
  FINE = 128,
  POINTS = JUMPS * (STEPS * GRID + 1),
  FIELDS = 5
};
typedef struct {
  bool known[POINTS];
  double x[POINTS][FIELDS][SUPPORT_MAX];
} record;

static void keep_state(const jumping *j, const ga_integrator *it, int point, record *r) {
  const ga_state *s = ga_integrator_state(it);
  const ga_model *m = &j->model;
  int nq = ga_space_nq(m->space), nv = ga_space_nv(m->space);
  const double *from[FIELDS] = {s->q, s->v, s->vd, s->lam, s->psi};
  const int size[FIELDS] = {nq, nv, nv, m->nlam, m->npsi};
  r->known[point] = true;
  for (int f = 0; f < FIELDS; f++) {
    for (int i = 0; i < size[f]; i++) r->x[point][f][i] = from[f][i];
  }
}

/* Run with steps of o->h, `fine` for each of size h. Kept are the states on the grid, and those
 * after every restart. */
static void run_with_jumps(jumping *j, const ga_options *o, int fine, record *r) {
  ga_integrator *it = start_jumping(j, o);
  memset(r, 0, sizeof *r);
  for (int n = 1; n <= JUMPS * STEPS * fine; n++) {
    int jumps = (n - 1) / (STEPS * fine);
    must(ga_integrator_step(it), ga_integrator_error(it));
    if (n * GRID % fine == 0) keep_state(j, it, n * GRID / fine - 1 + jumps, r);
    if (n % (STEPS * fine) != 0) continue;
    j->level = jumps % 2 ? -0.5 : 1;
    must(ga_integrator_restart(it, NULL, NULL), ga_integrator_error(it));
    keep_state(j, it, n * GRID / fine + jumps, r);
  }
  ga_integrator_free(it);
}

static double largest_difference(const record *a, const record *b, int field) {
  double largest = 0;
  for (int k = 0; k < POINTS; k++) {
    for (int i = 0; i < SUPPORT_MAX && a->known[k] && b->known[k]; i++) {
      largest = fmax(largest, fabs(a->x[k][field][i] - b->x[k][field][i]));
    }
  }
  return largest;
}

/* a problem, the size of the jump, the largest step and rho_inf */
typedef struct {
  const char *problem;
  double size, h, rho;
} jump_case;
static const jump_case jump_cases[] = {
    {"heavy-top", 20, 5e-4, 0.8},       {"heavy-top-se3", 20, 5e-4, 0.8},
    {"pendulum-spring", 20, 2e-3, 0.8}, {"rolling-disk", 2, 4e-3, 0.8},
    {"jay-negrut-soi2", 1, 4e-3, 0.5},  {"slider-crank", 0.5, 5e-4, 0.7},
};

/* The largest error in q, v, v', lam, psi, each by itself, also in the first steps after a jump,
 * falls with h^2; every method. */
static void test_order_after_jumps(void **state) {
  (void)state;
  static record run, truth_of_jumps;
  for (size_t c = 0; c < sizeof jump_cases / sizeof jump_cases[0]; c++) {
    const jump_case *jc = &jump_cases[c];
    jumping j;
    ga_options o = ga_options_default();
    o.par = ga_params_rho(jc->rho);
    o.h = jc->h / FINE;
    open_jumping(&j, jc->problem, jc->size);
    run_with_jumps(&j, &o, FINE, &truth_of_jumps);
    for (const ga_method *m = NULL; (m = next_method(m, &j.model, j.p->q0));) {
      double error[3][FIELDS];
      use_method(&o, m);
      for (int level = 0; level < 3; level++) {
        o.h = jc->h / (1 << level);
        run_with_jumps(&j, &o, 1 << level, &run);
        for (int f = 0; f < FIELDS; f++) {
          error[level][f] = largest_difference(&run, &truth_of_jumps, f);
        }
      }
      for (int f = 0; f < FIELDS; f++) {
        char what[128];
        snprintf(what, sizeof what, "%s, %s %s, %s", jc->problem, m->name,
                 m->variant ? m->variant : "", var_name[f]);
        if (error[0][f] > 0) {
          assert_between(what, slope(error[1][f], error[2][f]), 1.9, 2.15);
        }
      }
    }
    ga_problem_free(j.p);
  }
}

/* ---- the integrator's own state ------------------------------------------------------------- */

static const char *const places[] = {"heavy-top", "rolling-disk", "jay-negrut-soi2", "andrews",
                                     "rheonomic"};
enum { PLACES = (int)(sizeof places / sizeof places[0]) };

/* Every method accepts its own states, also where it leaves constraints free, with given and with
 * automatic sizes. Where nothing has jumped, the run goes on as without the restart: q, v and a
 * stay, and later steps differ by rounding. */
static void test_own_state(void **state) {
  (void)state;
  for (int n_place = 0; n_place < 2 * PLACES; n_place++) {
    bool automatic = n_place % 2;
    ga_problem *p = problem_named(places[n_place / 2]);
    int nq = ga_space_nq(p->model.space), nv = ga_space_nv(p->model.space);
    for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0));) {
      ga_options o = ga_options_default();
      use_method(&o, m);
      o.par = ga_params_rho(0.8);
      o.h = 0.1 * p->h;
      if (automatic) o.rtol = 1e-4;
      ga_integrator *it = started(p, &o), *other = started(p, &o);
      for (int n = 0; n < 40; n++) {
        must(ga_integrator_step(it), ga_integrator_error(it));
        must(ga_integrator_step(other), ga_integrator_error(other));
        if (n % 10 != 9) continue;
        must(ga_integrator_restart(it, NULL, NULL), ga_integrator_error(it));
        if (automatic) continue;
        const ga_state *a = ga_integrator_state(it), *b = ga_integrator_state(other);
        double size_q = vector_error(nq, b->q, (double[SUPPORT_MAX]){0});
        double size_v = vector_error(nv, b->v, (double[SUPPORT_MAX]){0});
        double size_a = vector_error(nv, b->a, (double[SUPPORT_MAX]){0});
        assert_between(places[n_place / 2], vector_error(nq, a->q, b->q), 0, 1e-12 * size_q);
        assert_between(places[n_place / 2], vector_error(nv, a->v, b->v), 0, 1e-9 * size_v);
        assert_between(places[n_place / 2], vector_error(nv, a->a, b->a), 0, 1e-5 * size_a);
      }
      ga_integrator_free(it);
      ga_integrator_free(other);
    }
    ga_problem_free(p);
  }
}

/* A velocity that the user makes of the integrator's own may violate G v + g_t as that does, if the
 * method leaves this constraint free. Others are refused, and the state is as before. */
static void test_given_velocity(void **state) {
  (void)state;
  static const char *const names[] = {"index3", "stab2", "index2", "index1"};
  ga_problem *p = problem_named("heavy-top");
  int nv = ga_space_nv(p->model.space);
  for (int k = 0; k < 4; k++) {
    ga_options o = ga_options_default();
    o.method = names[k];
    o.h = p->h;
    ga_integrator *it = started(p, &o);
    for (int n = 0; n < 20; n++) must(ga_integrator_step(it), ga_integrator_error(it));
    double v[SUPPORT_MAX];
    for (int i = 0; i < nv; i++) v[i] = -ga_integrator_state(it)->v[i];
    must(ga_integrator_restart(it, NULL, v), ga_integrator_error(it));
    must(ga_integrator_step(it), ga_integrator_error(it));
    double before = ga_integrator_state(it)->v[0];
    v[0] += 1;
    assert_refused(ga_integrator_restart(it, NULL, v), ga_integrator_error(it), GA_ERR_INITIAL,
                   "hidden velocity", "start at t");
    assert_true(ga_integrator_state(it)->v[0] == before);
    must(ga_integrator_step(it), ga_integrator_error(it));
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

/* ---- cost ----------------------------------------------------------------------------------- */

/* A restart after a jump: one factorization, at most four solves, at most four evaluations of the
 * model, no new pivots; the factors of the steps are kept. The steps after it need no more than five
 * further Newton iterations in ten steps. */
static void test_cost(void **state) {
  (void)state;
  static const char *const names[] = {"stab2", "index3"};
  for (int k = 0; k < 4; k++) {
    jumping j;
    own_counts counts = {0};
    ga_options o = ga_options_default();
    o.method = names[k % 2];
    o.par = ga_params_rho(0.8);
    open_jumping(&j, k < 2 ? "pendulum-spring" : "heavy-top", 20);
    o.h = k < 2 ? 2e-3 : 2e-4;
    o.linsol_ops = &own_solver;
    o.linsol_context = &counts;
    ga_integrator *it = start_jumping(&j, &o);
    long its[2] = {0, 0};
    for (int n = 0; n < 40; n++) {
      long before = ga_integrator_stats(it)->newton_its;
      must(ga_integrator_step(it), ga_integrator_error(it));
      its[n >= 20] += n < 10 ? 0 : ga_integrator_stats(it)->newton_its - before;
      if (n != 19 && n != 29) continue;
      own_counts at = counts;
      long evaluations = j.evaluations;
      j.level = n == 19 ? 1 : -1;
      must(ga_integrator_restart(it, NULL, NULL), ga_integrator_error(it));
      assert_int_equal(counts.factored - at.factored, 1);
      assert_int_equal(counts.analyzed, at.analyzed);
      assert_in_range(counts.solved - at.solved, 3, 4);
      assert_in_range(j.evaluations - evaluations, 2, 4);
    }
    assert_in_range(its[1], 20, 2 * its[0] + 2 * 5);
    ga_integrator_free(it);
    ga_problem_free(j.p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elsewhere_equals_start),
      cmocka_unit_test(test_order_after_jumps),
      cmocka_unit_test(test_own_state),
      cmocka_unit_test(test_given_velocity),
      cmocka_unit_test(test_cost),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
