/* SPDX-License-Identifier: MIT */
/* Redundant constraints are accepted, contradictory ones are refused. Every generated model comes
 * in two versions: with redundant constraints that fit, and with one dimension or one function
 * wrong. Assembly: doors on several hinges, closed planar linkages in space, and trusses with more
 * bars than they need are assembled from perturbed starts; the wrong ones are refused with the gap
 * that stays. Runs: rows of random functions and doors run; the wrong ones are refused as
 * contradictory, at the start or as soon as the contradiction opens. */
#include "models_all.h"
#include "redundant_runs.h"

enum { MODELS = 40 };

/* ---- models to assemble --------------------------------------------------------------------- */

typedef struct {
  uint64_t seed;
  double wrong; /* what one dimension is off by; 0: nothing */
  double axis[3], across[3], up[3];
} maker;

static double between(maker *g, double low, double high) {
  return low + (high - low) * 0.5 * (1 + next_uniform(&g->seed));
}

static int pick(maker *g, int low, int high) {
  return low + (int)((high - low + 1) * 0.5 * (1 + next_uniform(&g->seed)));
}

/* three perpendicular directions, turned at random */
static void axes(maker *g) {
  double u[3], length = 0;
  for (int i = 0; i < 3; i++) g->axis[i] = next_uniform(&g->seed), u[i] = next_uniform(&g->seed);
  length = ga_norm3(g->axis);
  for (int i = 0; i < 3; i++) g->axis[i] /= length;
  ga_cross3(g->axis, u, g->across);
  length = ga_norm3(g->across);
  for (int i = 0; i < 3; i++) g->across[i] /= length;
  ga_cross3(g->axis, g->across, g->up);
}

/* along the axis, across and up */
static void combine(const maker *g, double a, double b, double c, double *x) {
  for (int i = 0; i < 3; i++) x[i] = a * g->axis[i] + b * g->across[i] + c * g->up[i];
}

/* A plate on two to four hinges of one axis; wrong: one hinge stands beside the others. */
static void door(maker *g, ga_mechanism *m) {
  const int hinges = pick(g, 2, 4);
  double centre[3];
  axes(g);
  combine(g, 1, 0.4, 0, centre);
  ADD(body, m, .name = "door", .mass = between(g, 1, 30), .inertia = {0.5, 0.7, 0.9},
      .position = {centre[0], centre[1], centre[2]});
  for (int i = 0; i < hinges; i++) {
    const double off = i == hinges - 1 ? g->wrong : 0;
    char name[20];
    double a[3], b[3];
    snprintf(name, sizeof name, "hinge_%d", i + 1);
    combine(g, 2.0 * i / (hinges - 1), off, 0, a);
    combine(g, 2.0 * i / (hinges - 1) - 1, -0.4, 0, b);
    ADD(joint, m, .name = name, .type = "revolute", .between = {"ground", "door"},
        .at = GA_ON_BOTH(a[0], a[1], a[2], b[0], b[1], b[2]),
        .axis = GA_IN_SPACE(g->axis[0], g->axis[1], g->axis[2]));
  }
}

/* A polygon of four to six bars, one of them the ground, hinges parallel; wrong: one of them is
 * shifted along its axis. */
static void polygon(maker *g, ga_mechanism *m) {
  const int bars = pick(g, 4, 6);
  double p[8][3];
  axes(g);
  for (int i = 0; i < bars; i++) {
    const double phi = 2 * pi_ * i / bars + between(g, -0.2, 0.2), r = between(g, 0.6, 1);
    combine(g, 0, r * cos(phi), r * sin(phi), p[i]);
  }
  ga_copy3(p[0], p[bars]);
  for (int i = 1; i <= bars; i++) {
    char name[20], before[20], pin[20];
    double middle[3], a[3], b[3];
    snprintf(before, sizeof before, i > 1 ? "bar%d" : "ground", i - 1);
    snprintf(name, sizeof name, i < bars ? "bar%d" : "ground", i);
    snprintf(pin, sizeof pin, "pin%d", i);
    for (int k = 0; k < 3; k++) middle[k] = i < bars ? 0.5 * (p[i - 1][k] + p[i][k]) : 0;
    if (i < bars) {
      ADD(body, m, .name = name, .mass = between(g, 0.5, 5), .inertia = {0.1, 0.2, 0.15},
          .position = {middle[0], middle[1], middle[2]});
    }
    ga_plus3(p[i - 1], -1, middle, b);
    if (i == 1) {
      ga_copy3(p[0], a);
    } else {
      for (int k = 0; k < 3; k++) a[k] = 0.5 * (p[i - 1][k] - p[i - 2][k]);
    }
    if (i == bars) ga_plus3(b, g->wrong, g->axis, b);
    ADD(joint, m, .name = pin, .type = "revolute", .between = {before, name},
        .at = GA_ON_BOTH(a[0], a[1], a[2], b[0], b[1], b[2]),
        .axis = GA_IN_SPACE(g->axis[0], g->axis[1], g->axis[2]));
  }
}

/* Five or six points, all distances: one or three bars more than a rigid body needs; wrong: one of
 * them is too long. */
static void truss(maker *g, ga_mechanism *m) {
  const int n = pick(g, 5, 6);
  double p[6][3];
  for (int i = 0; i < n; i++) {
    char name[20];
    for (int k = 0; k < 3; k++) p[i][k] = (k == i % 3) * (i < 3 ? 1.0 : -1.0) + between(g, 0, 0.3);
    snprintf(name, sizeof name, "node%d", i);
    ADD(body, m, .name = name, .type = GA_BODY_POINT, .mass = between(g, 0.5, 2),
        .position = {p[i][0], p[i][1], p[i][2]});
  }
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      char name[32], a[20], b[20];
      double d[3];
      snprintf(name, sizeof name, "bar%d_%d", i, j);
      snprintf(a, sizeof a, "node%d", i);
      snprintf(b, sizeof b, "node%d", j);
      ga_plus3(p[j], -1, p[i], d);
      ADD(joint, m, .name = name, .type = "distance", .between = {a, b},
          .length = {ga_norm3(d) + (i == 0 && j == 1 ? g->wrong : 0), true});
    }
  }
}

static void (*const makers[])(maker *, ga_mechanism *) = {door, polygon, truss};

static ga_mechanism *made(int number, double wrong) {
  maker g = {.seed = (uint64_t)number, .wrong = wrong};
  ga_mechanism *m = mechanism_new(down_z);
  makers[number % 3](&g, m);
  return m;
}

/* ---- assembly ------------------------------------------------------------------------------- */

static void redundant_is_assembled(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    ga_mechanism *m = made(i, 0);
    build(m);
    double *q = calloc((size_t)m->nq, sizeof(double)), *g = calloc((size_t)m->nlam, sizeof(double));
    ga_error err = {0};
    perturbed(m, m->q0, 0.02, (uint64_t)i, q);
    must(ga_mechanism_assemble(m, 0, q, NULL, NULL, NULL, NULL, &err), &err);
    assert_int_equal(ga_mechanism_evaluate(m, 0, q, NULL, &(ga_evaluation){.g = g}), 0);
    assert_true(ga_max_abs(m->nlam, g) < 1e-10 * m->length);
    free(q);
    free(g);
    ga_mechanism_free(m);
  }
}

/* the number behind the first "(by " of a message */
static double named_gap(const char *text) {
  const char *by = strstr(text, "(by ");
  return by ? strtod(by + 4, NULL) : 0;
}

static void contradictory_is_refused(void **state) {
  (void)state;
  static const double wrongs[] = {1e-3, 1e-2, 3e-6};
  for (int i = 0; i < MODELS; i++) {
    const double wrong = wrongs[i / 3 % 3];
    ga_mechanism *m = made(i, wrong);
    ga_error err = {0};
    ga_mechanism_set_assemble(m, true);
    const ga_status status = ga_mechanism_build(m, 0, &err);
    if (status != GA_ERR_INITIAL) fail_msg("model %d: %s", i, ga_status_name(status));
    if (!strstr(err.text, "cannot be closed together")) fail_msg("model %d: %s", i, err.text);
    assert_between("gap over what is wrong", named_gap(err.text) / wrong, 0.02, 1);
    ga_mechanism_free(m);
  }
}

/* the same mechanisms build with assembly on when nothing is wrong, and nothing moves */
static void fitting_starts_stay(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    ga_mechanism *m = made(i, 0);
    ga_mechanism_set_assemble(m, true);
    build(m);
    for (int b = 0; b < ga_mechanism_bodies(m); b++) {
      double moved[2];
      ga_mechanism_moved(m, b, moved);
      assert_true(moved[0] < 1e-12 && moved[1] < 1e-7);
    }
    ga_mechanism_free(m);
  }
}

/* ---- runs of random functions --------------------------------------------------------------- */

static uint32_t state_of_random;

static double uniform(void) {
  state_of_random = state_of_random * 1664525u + 1013904223u;
  return (double)(state_of_random >> 8) / 8388608.0 - 1;
}

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
static void random_functions_run_or_contradict(void **state) {
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

/* ---- runs of doors -------------------------------------------------------------------------- */

/* A door on two or three hinges along a random axis, driven in one hinge or in two. Contradictory:
 * a hinge of the door is off by less than what a file may be rough, or the drives differ. */
static void doors_run_or_contradict(void **state) {
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(redundant_is_assembled),
      cmocka_unit_test(contradictory_is_refused),
      cmocka_unit_test(fitting_starts_stay),
      cmocka_unit_test(random_functions_run_or_contradict),
      cmocka_unit_test(doors_run_or_contradict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
