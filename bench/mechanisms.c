/* SPDX-License-Identifier: MIT */
/* Mechanisms against Simbody and MuJoCo: CPU time at equal error of the positions.
 *
 * All codes start from the same state; their accelerations there are compared first. The error is
 * the largest distance of a mass centre from the reference at eight times, over the longest way
 * that one of them is away from its start. The reference is genalpha's, of order 5, halved until
 * it stays; how far a peer's most accurate run is from it is reported. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "multibody.h"
#include "ways.h"

#ifndef BENCH_MODELS
#define BENCH_MODELS "models"
#endif

enum { TIMES = 8, TARGETS = 3, MOST_POINTS = 40, MOST_BODIES = 16 };
static const double targets[TARGETS] = {1e-2, 1e-4, 1e-6};

typedef struct {
  const char *name, *path; /* below BENCH_MODELS */
  const char *bodies;      /* in the order of simbody.cpp; link1 .. N if there are none */
  double limit[TARGETS];   /* of genalpha's time over Simbody's */
} mechanism;

enum { SIMBODY, MUJOCO, PEERS };
static const bench_multibody *const peers[PEERS] = {&bench_simbody, &bench_mujoco};
static const double mujoco_limit = 4; /* of genalpha's time over MuJoCo's, for all errors */

static const mechanism mechanisms[] = {
    {"four-bar", "../bench/simbody/four_bar.yaml", "crank coupler rocker", {0.5, 0.3, 0.2}},
    {"slider-crank", "../bench/simbody/slider_crank.yaml", "crank rod slider", {0.5, 0.3, 0.2}},
    {"stewart",
     "../bench/solvers/sprung_stewart.yaml",
     "tube1 rod1 tube2 rod2 tube3 rod3 tube4 rod4 tube5 rod5 tube6 rod6 plate",
     {2, 0.8, 0.5}},
    {"balls", "../bench/solvers/balls.yaml", NULL, {3, 1, 0.8}},
    {"hinges", "../bench/solvers/hinges.yaml", NULL, {1.5, 0.8, 0.6}},
    {"arm", "../bench/simbody/arm.yaml", NULL, {1.5, 0.8, 0.6}},
};
enum { MECHANISMS = (int)(sizeof mechanisms / sizeof mechanisms[0]) };

/* A mechanism in all codes, with the columns of genalpha that are compared. */
typedef struct {
  const mechanism *what;
  measured_case *c;
  void *peer[PEERS];      /* NULL: it does not have this mechanism */
  int n;                  /* bodies */
  int x[3 * MOST_BODIES]; /* columns of positions, -1: zero */
  int a[3 * MOST_BODIES]; /* of accelerations */
  trajectory reference;
  double *positions, length; /* of the reference; its unit of length */
  double *columns, *zero, *scratch;
} pair;

/* Column BODY.NAME, -1 if there is none. */
static int column(const ga_mechanism *m, const char *body, const char *name) {
  char text[96];
  snprintf(text, sizeof text, "%s.%s", body, name);
  return ga_mechanism_column_index(m, text);
}

static void find_columns(pair *p) {
  static const char *const x[3] = {"x", "y", "z"}, *const a[3] = {"ax", "ay", "az"};
  const ga_mechanism *m = ga_file_mechanism(p->c->file);
  char names[256], *next = names;
  snprintf(names, sizeof names, "%s", p->what->bodies ? p->what->bodies : "");
  for (int i = 0; i < p->n; i++) {
    char body[32];
    snprintf(body, sizeof body, "link%d", i + 1);
    const size_t length = strcspn(next, " ");
    if (p->what->bodies) {
      snprintf(body, sizeof body, "%.*s", (int)length, next);
      next += length + (next[length] == ' ');
    }
    for (int k = 0; k < 3; k++) {
      p->x[3 * i + k] = column(m, body, x[k]);
      p->a[3 * i + k] = column(m, body, a[k]);
    }
  }
}

/* Columns `which` of a state into out. */
static void outputs(pair *p, const ga_state *state, const int *which, double *out) {
  ga_mechanism_outputs(ga_file_mechanism(p->c->file), state, p->columns);
  for (int i = 0; i < 3 * p->n; i++) out[i] = which[i] < 0 ? 0 : p->columns[which[i]];
}

/* Positions at row i of a trajectory. */
static void positions_at(pair *p, const trajectory *x, int i, double *out) {
  const ga_state state = {.t = common_time(p->c, TIMES, i),
                          .q = x->q + i * p->c->nq,
                          .v = x->v + i * p->c->nv,
                          .vd = p->zero,
                          .lam = p->zero,
                          .psi = p->zero};
  outputs(p, &state, p->x, out);
}

/* Error of positions at the times 1 .. TIMES. */
static double position_error(const pair *p, const double *x) {
  double most = 0;
  for (int i = 0; i < TIMES * p->n; i++) {
    const double *a = x + 3 * i, *b = p->positions + 3 * (p->n + i);
    const double distance = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
    most = distance <= most ? most : distance; /* a NaN stays */
  }
  return most / p->length;
}

static double trajectory_error(pair *p, const trajectory *x) {
  for (int i = 1; i <= TIMES; i++) positions_at(p, x, i, p->scratch + 3 * p->n * (i - 1));
  return position_error(p, p->scratch);
}

/* Largest difference of the accelerations at the start, relative to the largest, and of positions. */
static double acceleration_difference(pair *p, int peer) {
  double x[3 * MOST_BODIES], theirs[3 * MOST_BODIES], ours[3 * MOST_BODIES];
  ga_integrator *it = NULL;
  ga_error err;
  double difference = NAN;
  if (ga_integrator_new(p->c->model, &p->c->options, &it, &err) == GA_OK &&
      ga_integrator_start(it, 0, p->c->q0, p->c->v0) == GA_OK &&
      peers[peer]->start(p->peer[peer], x, theirs) == 0) {
    outputs(p, ga_integrator_state(it), p->a, ours);
    difference = bench_max_difference(3 * p->n, 1, ours, theirs) / bench_max_abs(3 * p->n, ours);
    outputs(p, ga_integrator_state(it), p->x, ours);
    difference = fmax(difference, bench_max_difference(3 * p->n, 1, ours, x));
  }
  ga_integrator_free(it);
  return difference;
}

static void close_pair(pair *p) {
  if (p->reference.q) trajectory_free(&p->reference);
  free(p->positions);
  free(p->columns);
  free(p->zero);
  free(p->scratch);
  for (int k = 0; k < PEERS; k++) {
    if (p->peer[k]) peers[k]->discard(p->peer[k]);
  }
  case_close(p->c);
}

/* Makes the mechanism in all codes and the reference. False after a message, or if no peer has it. */
static bool open_pair(pair *p, const mechanism *what, const char *references) {
  char path[1024];
  errors accuracy;
  snprintf(path, sizeof path, "%s/%s", BENCH_MODELS, what->path);
  *p = (pair){.what = what, .c = case_open_file(path)};
  for (int k = 0; k < PEERS; k++) {
    p->peer[k] = peers[k]->version ? peers[k]->make(what->name) : NULL;
    if (p->peer[k]) p->n = peers[k]->bodies(p->peer[k]);
  }
  if (!p->c || !p->n || !reference_get(p->c, references, TIMES, &p->reference, &accuracy)) {
    return false;
  }
  p->columns = bench_doubles(ga_mechanism_columns(ga_file_mechanism(p->c->file)));
  p->zero = bench_doubles(p->c->nv + p->c->model->nlam + p->c->model->npsi);
  p->positions = bench_doubles(3 * p->n * (TIMES + 1));
  p->scratch = bench_doubles(3 * p->n * TIMES);
  find_columns(p);
  for (int i = 0; i <= TIMES; i++) {
    positions_at(p, &p->reference, i, p->positions + 3 * p->n * i);
    for (int k = 0; k < p->n; k++) {
      const double *a = p->positions + 3 * (i * p->n + k), *b = p->positions + 3 * k;
      p->length =
          fmax(p->length, sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2)));
    }
  }
  return true;
}

/* The ladder of a peer. Returns the number of points. */
static int peer_ladder(pair *p, int peer, int repeats, bench_point *points) {
  const bench_multibody *of = peers[peer];
  double setting = of->first;
  int n = 0;
  for (int i = 0; i < of->points && n < MOST_POINTS; i++, setting *= of->factor) {
    bench_point *at = &points[n];
    *at = (bench_point){setting, NAN, INFINITY};
    for (int r = 0; r < repeats; r++) {
      double seconds;
      if (of->run(p->peer[peer], setting, p->c->span, TIMES, p->scratch, &seconds)) break;
      at->seconds = fmin(at->seconds, seconds);
      at->error = position_error(p, p->scratch);
    }
    if (isfinite(at->seconds)) n++;
  }
  return n;
}

/* The ladder of a way by hand: steps by the factor sqrt(2), to an error of 1e-7. */
static int way_ladder(pair *p, const bench_way *way, int repeats, bench_point *points) {
  trajectory x = trajectory_new(p->c, TIMES);
  int n = 0;
  for (double per_time = 1; n < MOST_POINTS; per_time *= sqrt(2)) {
    const long steps = TIMES * lround(per_time);
    const bench_way_run run = bench_way_go(p->c, way, 1e-9, steps, repeats, &x);
    if (run.good) points[n++] = (bench_point){(double)steps, trajectory_error(p, &x), run.seconds};
    if (run.good && (points[n - 1].error < 1e-7 || run.seconds > 1)) break;
    if (steps > 1000000) break;
  }
  trajectory_free(&x);
  return n;
}

/* The ladder of what a user types, `--accuracy`: 0.95 to 1e-9, by sqrt(10), as that of Simbody. */
static int accuracy_ladder(pair *p, int repeats, bench_point *points) {
  trajectory x = trajectory_new(p->c, TIMES);
  int n = 0;
  for (double accuracy = 0.3 * sqrt(10); accuracy > 0.5e-9 && n < MOST_POINTS;
       accuracy /= sqrt(10)) {
    ga_accuracy told;
    const bench_way_run run = bench_accuracy_go(p->c, accuracy, repeats, &x, &told);
    if (run.good) points[n++] = (bench_point){accuracy, trajectory_error(p, &x), run.seconds};
  }
  trajectory_free(&x);
  return n;
}

/* Seconds at the targets, and for each the fastest of several ladders. */
typedef struct {
  double seconds[TARGETS];
  const char *name[TARGETS];
} fastest;

static void keep_faster(const bench_point *points, int n, const char *name, fastest *f) {
  for (int k = 0; k < TARGETS; k++) {
    const double seconds = bench_seconds_at(points, n, targets[k]);
    if (!(seconds < f->seconds[k])) continue;
    f->seconds[k] = seconds;
    f->name[k] = name;
  }
}

static const fastest none = {{INFINITY, INFINITY, INFINITY}, {"-", "-", "-"}};

/* What is measured of one mechanism; start, apart: of each peer. */
typedef struct {
  double start[PEERS], apart[PEERS];
  fastest theirs[PEERS], hand, asked;
} measured;

static void measure_peers(pair *p, measured *to) {
  bench_point points[MOST_POINTS];
  for (int k = 0; k < PEERS; k++) {
    to->start[k] = to->apart[k] = NAN;
    to->theirs[k] = none;
    if (!p->peer[k]) continue;
    to->start[k] = acceleration_difference(p, k);
    const int n = peer_ladder(p, k, 5, points);
    if (n) to->apart[k] = points[n - 1].error;
    keep_faster(points, n, peers[k]->name, &to->theirs[k]);
  }
}

static void measure_genalpha(pair *p, measured *to) {
  bench_point points[MOST_POINTS];
  to->hand = to->asked = none;
  for (int i = 0; bench_way_at(i); i++) {
    const int n = way_ladder(p, bench_way_at(i), 5, points);
    keep_faster(points, n, bench_way_at(i)->name, &to->hand);
  }
  keep_faster(points, accuracy_ladder(p, 5, points), "accuracy", &to->asked);
}

static void report_mechanism(bench_report *report, const pair *p, const measured *m) {
  const mechanism *what = p->what;
  for (int k = 0; k < TARGETS; k++) {
    char key[64];
    const double asked = m->asked.seconds[k];
    const bench_field fields[] = {BENCH_TEXT("mechanism", what->name),
                                  BENCH_NUMBER("start", fmax(m->start[SIMBODY], m->start[MUJOCO])),
                                  BENCH_NUMBER("apart", fmax(m->apart[SIMBODY], m->apart[MUJOCO])),
                                  BENCH_NUMBER("error", targets[k]),
                                  BENCH_NUMBER("Simbody ms", 1e3 * m->theirs[SIMBODY].seconds[k]),
                                  BENCH_NUMBER("MuJoCo ms", 1e3 * m->theirs[MUJOCO].seconds[k]),
                                  BENCH_NUMBER("accuracy ms", 1e3 * asked),
                                  BENCH_NUMBER("by hand ms", 1e3 * m->hand.seconds[k]),
                                  BENCH_TEXT("by hand", m->hand.name[k]),
                                  BENCH_END};
    bench_report_row(report, "mechanisms", fields);
    if (p->peer[SIMBODY]) {
      snprintf(key, sizeof key, "%s_over_simbody_%.0e", what->name, targets[k]);
      bench_report_ratio(report, key, asked / m->theirs[SIMBODY].seconds[k], what->limit[k]);
    }
    if (p->peer[MUJOCO]) {
      snprintf(key, sizeof key, "%s_over_mujoco_%.0e", what->name, targets[k]);
      bench_report_ratio(report, key, asked / m->theirs[MUJOCO].seconds[k], mujoco_limit);
    }
  }
}

void bench_part_mechanisms(bench_report *report) {
  static const char *const packages[PEERS] = {"libsimbody-dev", "libmujoco-dev"};
  char references[4096];
  for (int k = 0; k < PEERS; k++) {
    if (peers[k]->version) continue;
    printf("bench: %s is not installed (Debian: %s); install it and configure anew\n",
           peers[k]->name, packages[k]);
  }
  reference_directory(references, sizeof references);
  for (int i = 0; i < MECHANISMS; i++) {
    pair p;
    measured m;
    if (open_pair(&p, &mechanisms[i], references)) {
      measure_peers(&p, &m);
      measure_genalpha(&p, &m);
      report_mechanism(report, &p, &m);
    }
    close_pair(&p);
  }
}
