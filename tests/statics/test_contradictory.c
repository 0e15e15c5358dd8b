/* SPDX-License-Identifier: MIT */
/* Forty generated models whose constraints are redundant, and the same forty with a constraint that
 * contradicts the others: the first run, the second are refused as contradictory, at the start or
 * as soon as the contradiction opens. */
#include "redundant_runs.h"

static uint32_t state_of_random;

static double uniform(void) {
  state_of_random = state_of_random * 1664525u + 1013904223u;
  return (double)(state_of_random >> 8) / 8388608.0 - 1;
}

/* ---- functions ------------------------------------------------------------------------------ */

enum { MOST = 10 };

/* rows f_i = a_i q + 0.3 sin(b_i q) - its value at q0, and rows that follow from them:
 * (1 + f_k) (c f_k + d f_l); one of these may have something added */
typedef struct {
  int n, independent, rows, power; /* of t in what is added */
  double a[MOST][MOST], b[MOST][MOST], zero[MOST], c[MOST][2];
  int from[MOST][2];
  double added;
  ga_space *space;
} generated;

static double base(const generated *g, int i, const double *q) {
  double sum = 0, turn = 0;
  for (int j = 0; j < g->n; j++) sum += g->a[i][j] * q[j], turn += g->b[i][j] * q[j];
  return sum + 0.3 * sin(turn);
}

static int holonomic(void *user, double t, const double *q, double *out) {
  const generated *g = user;
  for (int i = 0; i < g->independent; i++) out[i] = base(g, i, q) - g->zero[i];
  for (int i = g->independent; i < g->rows; i++) {
    const double x = out[g->from[i][0]], y = out[g->from[i][1]];
    out[i] = (1 + x) * (g->c[i][0] * x + g->c[i][1] * y);
  }
  out[g->rows - 1] += g->added * pow(t, g->power);
  return 0;
}

static int mass(void *user, double t, const double *q, ga_csr *M) {
  const generated *g = user;
  (void)t, (void)q;
  for (int i = 0; i < g->n; i++) M->val[i * g->n + i] = 1 + 0.5 * i;
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  const generated *g = user;
  (void)t, (void)v;
  for (int i = 0; i < g->n; i++) F[i] = (i % 2 ? 2 : -1) - q[i];
  return 0;
}

static const ga_model_ops ops = {.mass = mass, .force = force, .holonomic = holonomic};

static void generate(generated *g, double *q0) {
  *g = (generated){.n = 4 + (int)(3 * (1 + uniform()))};
  g->independent = 2 + (int)((1 + uniform()) / 2 * (g->n - 3));
  g->rows = g->independent + 1 + (int)(1.49 * (1 + uniform()));
  if (g->rows > MOST) g->rows = MOST;
  for (int j = 0; j < g->n; j++) q0[j] = uniform();
  for (int i = 0; i < g->independent; i++) {
    for (int j = 0; j < g->n; j++) {
      g->a[i][j] = 0.5 * uniform() + 2 * (i == j);
      g->b[i][j] = 0.5 * uniform();
    }
    g->zero[i] = base(g, i, q0);
  }
  for (int i = g->independent; i < g->rows; i++) {
    for (int k = 0; k < 2; k++) {
      g->from[i][k] = (int)((1 + uniform()) / 2 * g->independent) % g->independent;
      g->c[i][k] = (uniform() > 0 ? 1 : -1) * (1 + 0.5 * uniform());
    }
    g->from[i][1] = (g->from[i][0] + 1) % g->independent;
  }
}

/* from q0 at rest for 60 steps; the first status that is not GA_OK, with its text */
static ga_status run_model(const ga_model *model, const ga_options *o, const double *q0,
                           const double *v0, ga_stats *stats, char *text, size_t room) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(model, o, &it, &err), &err);
  ga_status status = ga_integrator_start(it, 0, q0, v0);
  for (int i = 0; i < 60 && status == GA_OK; i++) status = ga_integrator_step(it);
  snprintf(text, room, "%s", ga_integrator_error(it)->text);
  *stats = *ga_integrator_stats(it);
  ga_integrator_free(it);
  return status;
}

static void assert_contradictory(int trial, ga_status status, const char *text) {
  if (status < 0 && strstr(text, "contradict")) return;
  fail_msg("model %d: status %d, %s", trial, (int)status, text);
}

/* What is added is 1e-6 to 0.1 from the start on, or grows from zero like t or t^2. */
static void functions(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3", "soi2", "hht"};
  for (int trial = 0; trial < 30; trial++) {
    generated g;
    double q0[MOST] = {0}, v0[MOST] = {0};
    char text[600];
    ga_stats stats;
    state_of_random = 77u + (unsigned)trial;
    generate(&g, q0);
    must(ga_space_rn(g.n, &g.space), NULL);
    const ga_model model = {.ops = &ops, .user = &g, .space = g.space, .nlam = g.rows};
    ga_options o = allowing(methods[trial % 4], 1e-2);
    o.linsol = trial % 2 ? "klu" : "dense";
    ga_status status = run_model(&model, &o, q0, v0, &stats, text, sizeof text);
    if (status != GA_OK || stats.dependent != g.rows - g.independent) {
      fail_msg("model %d: status %d, %ld rows of %d: %s", trial, (int)status, stats.dependent,
               g.rows - g.independent, text);
    }
    g.power = trial % 3;
    g.added = g.power ? 0.01 : pow(10, -6 + trial / 6);
    o.initial = trial % 2 ? GA_INITIAL_PROJECT : GA_INITIAL_CHECK;
    assert_contradictory(trial, run_model(&model, &o, q0, v0, &stats, text, sizeof text), text);
    ga_space_free(g.space);
  }
}

/* ---- mechanisms ----------------------------------------------------------------------------- */

/* A door on two or three hinges along a random axis, driven in one hinge or in two. Contradictory:
 * a hinge of the door is off by less than what a file may be rough, or the drives differ. */
static void doors(void **state) {
  (void)state;
  for (int trial = 0; trial < 10; trial++) {
    char file_text[2000], text[600];
    ga_stats stats;
    state_of_random = 991u + (unsigned)trial;
    double x = uniform(), y = uniform(), z = 1.5 + uniform();
    for (int wrong = 0; wrong < 2; wrong++) {
      bool drives = trial % 2 != 0;
      double off = wrong && !drives ? 2e-7 * (1 + 0.3 * trial) : 0;
      double rate = wrong && drives ? 1.001 : 1;
      int used = snprintf(
          file_text, sizeof file_text,
          "genalpha: 1\n"
          "parameters: {x: %.17g, y: %.17g, z: %.17g}\n"
          "gravity: [0, 0, -9.81]\n"
          "bodies: {door: {mass: 3, inertia: [1, 2, 3], position: [1, 0, 0]}}\n"
          "joints:\n"
          "  a: {type: revolute, between: [ground, door], at: [0, 0, 0], axis: [x, y, z]}\n"
          "  b: {type: revolute, between: [ground, door], at: {ground: [x, y, z],\n"
          "      door: [x - 1, y + %.3g, z]}, axis: [x, y, z]}\n",
          x, y, z, off);
      if (drives) {
        snprintf(file_text + used, sizeof file_text - (size_t)used,
                 "drives:\n"
                 "  first: {coordinate: a.angle, position: \"0.5*t^2\"}\n"
                 "  second: {coordinate: b.angle, position: \"0.5*%.17g*t^2\"}\n",
                 rate);
      }
      ga_file *file = text_parsed(file_text);
      const ga_mechanism *m = ga_file_mechanism(file);
      ga_options o = allowing(trial % 4 < 2 ? "stab2" : "index3", 1e-2);
      ga_status status = run_model(ga_mechanism_model(m), &o, ga_mechanism_q0(m),
                                   ga_mechanism_v0(m), &stats, text, sizeof text);
      if (wrong) assert_contradictory(30 + trial, status, text);
      if (!wrong && (status != GA_OK || stats.dependent < 5)) {
        fail_msg("door %d: status %d, %ld rows: %s", trial, (int)status, stats.dependent, text);
      }
      ga_file_free(file);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(functions), cmocka_unit_test(doors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
