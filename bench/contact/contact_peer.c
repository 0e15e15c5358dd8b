/* SPDX-License-Identifier: MIT */
/* Contacts beside MuJoCo: the same scenes, error against the exact motion and CPU time.
 *
 *   ball    a ball of radius 0.1 falls by 1 m, restitution 0.8: state at t = 2, closed form
 *   skid    a ball with backspin skids, then rolls: state at t = 0.8, closed form
 *   block   a block rocks on two edges, no restitution: state at t = 1.2, value of an integration of the
 *           pieces to 1e-12
 *
 * MuJoCo (Apache 2.0) has soft contacts. For the bouncing ball they are springs and dampers that
 * give the restitution (solref < 0), as stiff as the step allows: omega h = 0.2. For the others its
 * defaults are taken, but the time constant of contacts is the least it allows, 2 h, with an
 * elliptic cone. */
#define _POSIX_C_SOURCE 200809L
#include <genalpha/genalpha.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A scene for both. `ours` is a model file; `theirs` a MuJoCo model with the step h and two numbers of
 * solref to be filled in. Position and velocity that are compared: a column of ours, an entry of
 * theirs. */
typedef struct {
  const char *name, *ours, *theirs;
  const char *columns[2];
  int entry;
  double t_end, exact[2];
  double restitution; /* 0: the defaults of MuJoCo */
  double start[2]; /* of a hinge or slide of MuJoCo: velocities of entries 0 and 4 of a free ball */
} scene;

#define BALL                                                                                   \
  "<mujoco><option timestep='%.9g' gravity='0 0 -9.81' integrator='%s' cone='elliptic' "       \
  "iterations='100' tolerance='1e-12'/>"                                                       \
  "<worldbody><geom type='plane' size='9 9 1' friction='%s' solref='%.9g %.9g' "               \
  "solimp='0.99 0.99 0.001' priority='1'/><body pos='0 0 %s'><freejoint/><geom type='sphere' " \
  "size='0.1' mass='1' condim='3'/></body></worldbody></mujoco>"
#define ROLLS (10. / 7 / (0.2 * 9.81))
static const scene scenes[] = {
    {.name = "ball",
     .ours =
         "genalpha: 1\ngravity: [0, 0, -9.81]\n"
         "bodies: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 1.1]}}\n"
         "contacts: {floor: {between: [ground, ball], sphere: {radius: 0.1}, restitution: 0.8}}\n",
     .theirs = "1.1",
     .columns = {"ball.z", "ball.vz"},
     .entry = 2,
     .t_end = 2,
     .exact = {0.1 + 0.260741728327, -0.165869135836},
     .restitution = 0.8},
    {.name = "skid",
     .ours = "genalpha: 1\ngravity: [0, 0, -9.81]\n"
             "bodies: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 0.1],\n"
             "    velocity: [2, 0, 0], angular_velocity: [0, -30, 0]}}\n"
             "contacts: {floor: {between: [ground, ball], sphere: {radius: 0.1}, friction: 0.2}}\n",
     .theirs = "0.1",
     .columns = {"ball.x", "ball.vx"},
     .entry = 0,
     .t_end = 0.8,
     /* rolls from t = (2/7) 5/(mu g) on, at 4/7 m/s */
     .exact = {2 * ROLLS - 0.1 * 9.81 * ROLLS * ROLLS + 4. / 7 * (0.8 - ROLLS), 4. / 7},
     .start = {2, -30}},
    {.name = "block",
     .ours = "genalpha: 1\ngravity: [0, -9.81, 0]\n"
             "parameters: {phi: -0.15, cx: 0.2 - 0.2*cos(phi) - 0.6*sin(phi),\n"
             "    cy: -0.2*sin(phi) + 0.6*cos(phi)}\n"
             "bodies: {block: {kind: planar, mass: 1, inertia: 0.4/3, position: [cx, cy],\n"
             "    orientation: phi}}\n"
             "contacts: {feet: {between: [ground, block], points: [[-0.2, -0.6], [0.2, -0.6]],\n"
             "    friction: 2}}\n",
     .columns = {"block.angle", "block.rate"},
     .entry = 2,
     .t_end = 1.2,
     .exact = {-0.05501878906, 0.2708583668}},
};
enum { SCENES = (int)(sizeof scenes / sizeof scenes[0]) };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
  double value[2], cpu;
} result;

/* ---- genalpha ------------------------------------------------------------------------------- */

static bool run_ours(const scene *s, double h, result *out) {
  ga_file *file = NULL;
  ga_integrator *it = NULL;
  ga_error err = {GA_OK, ""};
  ga_options o = ga_options_default();
  o.h = h;
  ga_status status = ga_file_parse(s->name, s->ours, strlen(s->ours), NULL, &file, &err);
  const ga_mechanism *m = status == GA_OK ? ga_file_mechanism(file) : NULL;
  if (m) status = ga_integrator_new(ga_mechanism_model(m), &o, &it, &err);
  if (status == GA_OK) {
    const double before = seconds();
    status = ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m));
    if (status == GA_OK) status = ga_integrator_run(it, s->t_end);
    out->cpu = seconds() - before;
    for (int i = 0; i < 2; i++) {
      const int column = ga_mechanism_column_index(m, s->columns[i]);
      out->value[i] = ga_mechanism_output(m, ga_integrator_state(it), column);
    }
  }
  if (status != GA_OK)
    fprintf(stderr, "%s: %s\n", s->name, it ? ga_integrator_error(it)->text : err.text);
  ga_integrator_free(it);
  ga_file_free(file);
  return status == GA_OK;
}

/* ---- MuJoCo --------------------------------------------------------------------------------- */

static const char block_text[] =
    "<mujoco><option timestep='%.9g' gravity='0 0 -9.81' integrator='%s' cone='elliptic' "
    "iterations='100' tolerance='1e-12'/>"
    "<worldbody><geom type='plane' size='9 9 1' friction='2 0 0' solref='%.9g %.9g' priority='1'/>"
    "<body pos='%.17g 0 %.17g'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
    "<joint type='hinge' axis='0 -1 0'/><inertial pos='0 0 0' mass='1' diaginertia='1 %.17g 1'/>"
    "<geom type='box' size='0.2 0.3 0.6' mass='0' condim='3'/></body></worldbody></mujoco>";

/* The text of a scene: a time constant 2 h, damping ratio 1; or stiffness and damping for a
 * restitution. */
static void describe(const scene *s, double h, const char *integrator, char *text, size_t room) {
  double reference[2] = {2 * h, 1};
  if (s->restitution > 0) {
    const double omega = 0.2 / h, l = log(s->restitution);
    reference[0] = -omega * omega;
    reference[1] = 2 * omega * l / sqrt(9.8696044 + l * l); /* negative */
  }
  if (s->theirs) {
    snprintf(text, room, BALL, h, integrator, s->restitution > 0 ? "0 0 0" : "0.2 0 0",
             reference[0], reference[1], s->theirs);
    return;
  }
  const double phi = -0.15; /* turned about the right edge, at (0.2, 0) */
  snprintf(text, room, block_text, h, integrator, reference[0], reference[1],
           0.2 - 0.2 * cos(phi) - 0.6 * sin(phi), -0.2 * sin(phi) + 0.6 * cos(phi), 0.4 / 3);
}

static bool run_theirs(const scene *s, double h, const char *integrator, result *out) {
  char text[2000], error[500] = "", path[] = "/tmp/contact_peer_XXXXXX";
  const int steps = (int)lround(s->t_end / h);
  describe(s, h, integrator, text, sizeof text);
  const int to = mkstemp(path);
  const size_t size = strlen(text);
  const bool written = to >= 0 && write(to, text, size) == (ssize_t)size;
  if (to >= 0) close(to);
  mjModel *m = written ? mj_loadXML(path, NULL, error, sizeof error) : NULL;
  unlink(path);
  if (!m) {
    fprintf(stderr, "%s: MuJoCo: %s\n", s->name, error);
    return false;
  }
  mjData *d = mj_makeData(m);
  d->qvel[0] = s->start[0];
  if (m->nv == 6) d->qvel[4] = s->start[1];
  if (!s->theirs) d->qpos[2] = -0.15;
  const double before = seconds();
  for (int i = 0; i < steps; i++) mj_step(m, d);
  out->cpu = seconds() - before;
  out->value[0] = d->qpos[s->entry];
  out->value[1] = d->qvel[s->entry];
  mj_deleteData(d);
  mj_deleteModel(m);
  return true;
}

int main(void) {
  static const double steps[] = {1e-2, 2e-3, 4e-4, 8e-5};
  printf(
      "| scene | code | h | error of position | of velocity | CPU, ms per s "
      "|\n|---|---|---|---|---|---|\n");
  for (int i = 0; i < SCENES; i++) {
    const scene *s = &scenes[i];
    for (int code = 0; code < 2; code++) {
      for (int k = 0; k < 4; k++) {
        result r = {{0, 0}, 0};
        double least = INFINITY;
        for (int again = 0; again < 3; again++) {
          if (!(code ? run_theirs(s, steps[k], "Euler", &r) : run_ours(s, steps[k], &r))) return 1;
          least = fmin(least, r.cpu);
        }
        printf("| %s | %s | %g | %.1e | %.1e | %.3g |\n", s->name, code ? "MuJoCo" : "genalpha",
               steps[k], fabs(r.value[0] - s->exact[0]), fabs(r.value[1] - s->exact[1]),
               1e3 * least / s->t_end);
      }
    }
  }
  return 0;
}
