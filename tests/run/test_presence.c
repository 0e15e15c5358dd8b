/* SPDX-License-Identifier: MIT */
/* Contacts that are far have no rows in the systems of a run, and nobody sees it. */
#include <math.h>
#include <string.h>

#include "genalpha/genalpha.h"
#include "support.h"

/* ---- a pendulum with limits that are never near ------------------------------------------------ */

static int pendulum(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  const int *limits = user;
  (void)t, (void)v;
  if (out->M) out->M->val[0] = 1;
  if (out->F) out->F[0] = -9.81 * sin(q[0]);
  if (out->Kt) out->Kt->val[0] += 9.81 * cos(q[0]);
  for (int i = 0; i < *limits; i++) {
    if (out->g) out->g[i] = i ? 10 - q[0] : 10 + q[0];
    if (out->G) out->G->val[i] = i ? -1 : 1;
    if (out->drift) out->drift[i] = 0;
  }
  return 0;
}

static const ga_model_ops pendulum_ops = {
    .evaluate = pendulum, .gives = GA_GIVES_G | GA_GIVES_Z | GA_GIVES_DRIFT | GA_GIVES_TANGENTS};
static const ga_contact ends[] = {{.name = "lower", .gap = 0}, {.name = "upper", .gap = 1}};

static void swing(int limits, const char *method, double rtol, double *end) {
  ga_space *space;
  ga_integrator *it;
  ga_error err;
  const double q0 = 1, v0 = 0;
  must(ga_space_rn(1, &space), NULL);
  const ga_model model = {.ops = &pendulum_ops,
                          .user = &limits,
                          .space = space,
                          .nlam = limits,
                          .scleronomic = true,
                          .contacts = ends,
                          .ncontacts = limits};
  ga_options o = ga_options_default();
  o.method = method;
  o.h = 0.01;
  o.rtol = rtol;
  must(ga_integrator_new(&model, &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, &q0, &v0), ga_integrator_error(it));
  must(ga_integrator_run(it, 3), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  end[0] = s->q[0], end[1] = s->v[0], end[2] = s->vd[0];
  for (int i = 0; i < limits; i++) {
    assert_true(s->lam[i] == 0);
    const ga_contact_state c = ga_integrator_contact(it, i);
    assert_true(fabs(c.gap - (i ? 10 - s->q[0] : 10 + s->q[0])) <= 1e-15);
    assert_true(fabs(c.rate - (i ? -s->v[0] : s->v[0])) <= 1e-15);
  }
  ga_integrator_free(it);
  ga_space_free(space);
}

/* The steps are bit by bit those of the model without limits. */
static void far_limits_change_nothing(void **state) {
  (void)state;
  const char *const methods[] = {"stab2", "index3"};
  const double rtols[] = {0, 1e-4};
  for (int k = 0; k < 4; k++) {
    double with[3], without[3];
    swing(0, methods[k % 2], rtols[k / 2], without);
    swing(2, methods[k % 2], rtols[k / 2], with);
    assert_memory_equal(with, without, sizeof with);
  }
}

/* ---- points between walls ---------------------------------------------------------------------- */

/* Points of mass 1 on a line, each between walls at 0 and 1, with e = 1; the last velocity is driven,
 * q = sin t, by row 0. Row 1 + 2 i + k: wall k of point i. After `kick` a force pushes point 0. */
enum { POINTS = 10, ROWS = 1 + 2 * POINTS };
static const double KICK = 0.5, PUSH = 1e5;

static int walls(void *user, double t, const double *q, const double *v, const ga_evaluation *out) {
  const bool *pushed = user;
  (void)v;
  if (out->M) {
    for (int i = 0; i <= POINTS; i++) out->M->val[i * (POINTS + 1) + i] = 1;
  }
  if (out->F) {
    memset(out->F, 0, (POINTS + 1) * sizeof(double));
    if (*pushed && t > KICK) out->F[0] = PUSH;
  }
  for (int i = 0; i < POINTS; i++) {
    for (int k = 0; k < 2; k++) {
      const int row = 1 + 2 * i + k;
      if (out->g) out->g[row] = k ? 1 - q[i] : q[i];
      if (out->G) out->G->val[row * (POINTS + 1) + i] = k ? -1 : 1;
    }
  }
  if (out->gt) memset(out->gt, 0, ROWS * sizeof(double));
  if (out->drift) memset(out->drift, 0, ROWS * sizeof(double));
  if (out->g) out->g[0] = q[POINTS] - sin(t);
  if (out->G) out->G->val[POINTS] = 1;
  if (out->gt) out->gt[0] = -cos(t);
  if (out->drift) out->drift[0] = sin(t);
  return 0;
}

static const ga_model_ops wall_ops = {
    .evaluate = walls,
    .gives = GA_GIVES_G | GA_GIVES_Z | GA_GIVES_GT | GA_GIVES_DRIFT | GA_GIVES_TANGENTS};

/* a run of the points; the caller frees all */
typedef struct {
  ga_space *space;
  ga_contact contact[2 * POINTS];
  ga_model model;
  ga_integrator *it;
  bool pushed;
  int hits[2 * POINTS];
  double first; /* time of the first hit */
} line;

static void note_hit(void *context, const ga_contact_change *change) {
  line *r = context;
  if (r->first < 0) r->first = change->t;
  r->hits[change->contact]++;
}

static void open_line(line *r, const double *q0, const double *v0) {
  ga_error err;
  r->first = -1;
  must(ga_space_rn(POINTS + 1, &r->space), NULL);
  for (int i = 0; i < 2 * POINTS; i++) {
    r->contact[i] = (ga_contact){.name = "wall", .gap = 1 + i, .restitution = 1};
  }
  r->model = (ga_model){.ops = &wall_ops,
                        .user = &r->pushed,
                        .space = r->space,
                        .nlam = ROWS,
                        .const_mass = true,
                        .still_gaps = true,
                        .contacts = r->contact,
                        .ncontacts = 2 * POINTS};
  ga_options o = ga_options_default();
  o.h = 0.01;
  o.initial = GA_INITIAL_PROJECT;
  must(ga_integrator_new(&r->model, &o, &r->it, &err), &err);
  ga_integrator_observe_contacts(r->it, note_hit, r);
  must(ga_integrator_start(r->it, 0, q0, v0), ga_integrator_error(r->it));
}

static void close_line(line *r) {
  ga_integrator_free(r->it);
  ga_space_free(r->space);
}

/* where a point from x with velocity v is at t, and how often it has hit the walls 0 and 1 */
static double reflected(double x, double v, double t, int *hits) {
  const double y = x + v * t;
  const int n = (int)floor(y);
  hits[0] = v > 0 ? n / 2 : (1 - n) / 2;
  hits[1] = v > 0 ? (n + 1) / 2 : -n / 2;
  return n % 2 == 0 ? y - n : 1 - (y - n);
}

static void start_values(double *q, double *v) {
  for (int i = 0; i < POINTS; i++) {
    q[i] = 0.3 + 0.04 * i;
    v[i] = 0.05 * (i + 1) * (i + 1) * (i % 3 == 0 ? -1 : 1) / 2;
  }
  q[POINTS] = 0, v[POINTS] = 1;
}

/* Points become present and absent as they come and go: positions, hits, multipliers, numbers. */
static void points_come_and_go(void **state) {
  (void)state;
  line r = {.pushed = false};
  double q0[POINTS + 1], v0[POINTS + 1];
  const double t = 4.9;
  start_values(q0, v0);
  open_line(&r, q0, v0);
  must(ga_integrator_run(r.it, t), ga_integrator_error(r.it));
  const ga_state *s = ga_integrator_state(r.it);
  for (int i = 0; i < POINTS; i++) {
    int hits[2];
    const double x = reflected(q0[i], v0[i], t, hits);
    assert_true(fabs(s->q[i] - x) <= 1e-11);
    assert_int_equal(r.hits[2 * i], hits[0]);
    assert_int_equal(r.hits[2 * i + 1], hits[1]);
    assert_true(fabs(s->contacts[2 * i].impulse - 2 * fabs(v0[i]) * hits[0]) <= 1e-10);
    assert_true(fabs(ga_integrator_contact(r.it, 2 * i).gap - x) <= 1e-11);
    assert_true(s->lam[1 + 2 * i] == 0);
  }
  /* -lam = m q'' = -sin t */
  assert_true(fabs(s->lam[0] - sin(t)) <= 1e-3);
  close_line(&r);
}

/* A saved run goes on bit by bit. */
static void saved_runs_go_on(void **state) {
  (void)state;
  line a = {.pushed = false}, b = {.pushed = false};
  double q0[POINTS + 1], v0[POINTS + 1];
  static unsigned char bytes[200000];
  size_t size = sizeof bytes;
  start_values(q0, v0);
  open_line(&a, q0, v0);
  open_line(&b, q0, v0);
  must(ga_integrator_run(a.it, 1), ga_integrator_error(a.it));
  must(ga_integrator_save_memory(a.it, bytes, &size), ga_integrator_error(a.it));
  must(ga_integrator_run(a.it, 3), ga_integrator_error(a.it));
  must(ga_integrator_load_memory(b.it, bytes, size), ga_integrator_error(b.it));
  must(ga_integrator_run(b.it, 3), ga_integrator_error(b.it));
  const ga_state *s = ga_integrator_state(a.it), *u = ga_integrator_state(b.it);
  assert_memory_equal(s->q, u->q, (POINTS + 1) * sizeof(double));
  assert_memory_equal(s->v, u->v, (POINTS + 1) * sizeof(double));
  close_line(&a);
  close_line(&b);
}

/* A point at rest, 0.4 from its wall, is pushed with 1e5 m/s^2: it would pass the wall within a step. */
static void nothing_passes_in_a_step(void **state) {
  (void)state;
  line r = {.pushed = true};
  double q0[POINTS + 1], v0[POINTS + 1] = {0};
  for (int i = 0; i < POINTS; i++) q0[i] = 0.6;
  q0[POINTS] = 0, v0[POINTS] = 1;
  open_line(&r, q0, v0);
  must(ga_integrator_run(r.it, KICK + 0.02), ga_integrator_error(r.it));
  const double x = ga_integrator_state(r.it)->q[0];
  assert_true(r.hits[1] > 0 && r.first > KICK && r.first < KICK + 0.01);
  assert_true(x <= 1 + 1e-8 && x >= 0);
  close_line(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(far_limits_change_nothing),
      cmocka_unit_test(points_come_and_go),
      cmocka_unit_test(saved_runs_go_on),
      cmocka_unit_test(nothing_passes_in_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
