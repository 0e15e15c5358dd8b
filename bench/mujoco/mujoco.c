/* SPDX-License-Identifier: MIT */
/* bench/solvers/hinges.yaml and bench/simbody/arm.yaml in MuJoCo: chains of hinges, without geometry,
 * hence without contacts. All frames are parallel to that of space at the start; that of a body is at
 * its hinge. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../bench.h"
#include "../multibody.h"

/* Link i = 1 .. n of a chain: its mass, inertia and hinge, the mass centre as seen from the hinge. */
typedef struct {
  double mass, inertia[3], axis[3], centre[3];
} part;

static part hinges_part(int i) {
  return (part){1, {0.01, 0.03, 0.03}, {0, cos(i), sin(i)}, {0.25, 0, 0}};
}

static part arm_part(int i) {
  const bool odd = i % 2 == 1;
  return (part){5.0 / i,
                {0.02 / i, 0.05 / i, 0.04 / i},
                {odd ? 0 : 1, odd ? 1 : 0, 0},
                {0.15, odd ? -0.05 : 0.05, 0.02}};
}

static const struct {
  const char *name;
  int n;
  double length; /* from hinge to hinge, along x */
  part (*part)(int i);
} chains[] = {{"hinges", 10, 0.5, hinges_part}, {"arm", 7, 0.3, arm_part}};
enum { CHAINS = (int)(sizeof chains / sizeof chains[0]) };

typedef struct {
  mjModel *model;
  mjData *data;
} mechanism;

/* MuJoCo's text of chain k. */
static void write_chain(FILE *to, int k) {
  fputs(
      "<mujoco><compiler angle='radian'/><option integrator='RK4' gravity='0 0 -9.81'/>"
      "<worldbody>\n",
      to);
  for (int i = 1; i <= chains[k].n; i++) {
    const part l = chains[k].part(i);
    fprintf(to,
            "<body pos='%.17g 0 0'><joint type='hinge' axis='%.17g %.17g %.17g'/><inertial "
            "pos='%.17g %.17g %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
            i > 1 ? chains[k].length : 0, l.axis[0], l.axis[1], l.axis[2], l.centre[0], l.centre[1],
            l.centre[2], l.mass, l.inertia[0], l.inertia[1], l.inertia[2]);
  }
  for (int i = 0; i < chains[k].n; i++) fputs("</body>", to);
  fputs("</worldbody></mujoco>\n", to);
}

static const char *version(void) {
  return mj_versionString();
}

static void discard(void *of) {
  mechanism *m = of;
  if (!m) return;
  if (m->data) mj_deleteData(m->data);
  if (m->model) mj_deleteModel(m->model);
  free(m);
}

/* Steps that are too large are told by the result of run(), not by MuJoCo's file of warnings. */
static void ignore_warning(const char *text) {
  (void)text;
}

/* It reads files alone: the text goes through one. */
static void *make(const char *name) {
  int k = 0;
  while (k < CHAINS && strcmp(chains[k].name, name) != 0) k++;
  if (k == CHAINS) return NULL;
  mju_user_warning = ignore_warning;
  char error[500] = "the file was not written", path[] = "/tmp/bench_mujoco_XXXXXX";
  const int descriptor = mkstemp(path);
  FILE *to = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  mechanism *m = bench_take(1, sizeof *m);
  if (to) {
    write_chain(to, k);
    if (fclose(to) == 0) m->model = mj_loadXML(path, NULL, error, sizeof error);
  }
  if (descriptor >= 0) unlink(path);
  if (m->model) m->data = mj_makeData(m->model);
  if (m->data) return m;
  fprintf(stderr, "bench: MuJoCo, %s: %s\n", name, error);
  discard(m);
  return NULL;
}

static int bodies(const void *of) {
  const mechanism *m = of;
  return m->model->nbody - 1;
}

static void put_positions(const mechanism *m, double *x) {
  memcpy(x, m->data->xipos + 3, 3 * (size_t)bodies(m) * sizeof *x);
}

/* MuJoCo's accelerations are those seen from free fall. */
static int start(void *of, double *x, double *a) {
  mechanism *m = of;
  mj_resetData(m->model, m->data);
  mj_forward(m->model, m->data);
  mj_rnePostConstraint(m->model, m->data);
  put_positions(m, x);
  for (int i = 0; i < bodies(m); i++) {
    mjtNum of_body[6];
    mj_objectAcceleration(m->model, m->data, mjOBJ_BODY, i + 1, of_body, 0);
    for (int k = 0; k < 3; k++) a[3 * i + k] = of_body[3 + k] + m->model->opt.gravity[k];
  }
  return 0;
}

static int run(void *of, double setting, double t_end, int n, double *x, double *seconds) {
  mechanism *m = of;
  const long steps = lround(setting);
  *seconds = -bench_clock();
  m->model->opt.timestep = t_end / ((double)steps * n);
  mj_resetData(m->model, m->data);
  for (int i = 0; i < n; i++) {
    for (long k = 0; k < steps; k++) mj_step(m->model, m->data);
    mj_kinematics(m->model, m->data); /* positions of bodies: a step leaves those of its begin */
    put_positions(m, x + 3 * i * bodies(m));
  }
  *seconds += bench_clock();
  const mjWarningStat *warning = m->data->warning;
  return warning[mjWARN_BADQPOS].number + warning[mjWARN_BADQVEL].number +
         warning[mjWARN_BADQACC].number;
}

const bench_multibody bench_mujoco = {.name = "MuJoCo",
                                      .version = version,
                                      .make = make,
                                      .discard = discard,
                                      .bodies = bodies,
                                      .start = start,
                                      .run = run,
                                      .first = 1,
                                      .factor = 1.4142135623730951,
                                      .points = 21};
