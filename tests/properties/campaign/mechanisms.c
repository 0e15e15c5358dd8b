/* SPDX-License-Identifier: MIT */
/* Random models with rotations or constraints, and the settings of a run. */
#include <math.h>
#include <stdio.h>

#include "families.h"

static void turn(hard_model *m, uint64_t *r, int body) {
  double *q = m->q0 + m->n_flat + 4 * body, length = 0;
  for (int a = 0; a < 4; a++) {
    q[a] = hard_uniform(r, -1, 1);
    length += q[a] * q[a];
  }
  for (int a = 0; a < 4; a++) q[a] /= sqrt(length);
  double J = hard_log_uniform(r, 1e-3, 1e3);
  for (int a = 0; a < 3; a++) {
    m->mass[m->n_flat + 3 * body + a] = J * hard_uniform(r, 1, 1.9);
    m->v0[m->n_flat + 3 * body + a] = hard_signed(r, 0.01, 100);
  }
}

/* Bodies that turn against stiff torsional springs. */
void hard_family_torsion(hard_model *m, uint64_t *r) {
  m->n_rot = 1 + hard_pick(r, 3);
  for (int b = 0; b < m->n_rot; b++) {
    turn(m, r, b);
    hard_element *p = hard_add(m, SHAPE_TORSION, LAW_spring, b, -1);
    p->p[0] = m->mass[3 * b] * hard_log_uniform(r, 1, 1e10);
    p->p[1] = hard_pick(r, 2) ? 0 : 0.1 * sqrt(p->p[0] * m->mass[3 * b]);
  }
}

/* Points in the plane, each at its distance from the one before; lengths of unit size, row scales
 * of any size. */
static void point_chain(hard_model *m, uint64_t *r, int points, double unit) {
  double x = 0, y = 0;
  m->n_flat = 2 * points;
  m->project = true;
  for (int b = 0; b < points; b++) {
    double length = unit * hard_log_uniform(r, 0.1, 10), angle = hard_uniform(r, 0, 6.28);
    double mass = hard_log_uniform(r, 1e-2, 1e2);
    x += length * cos(angle);
    y += length * sin(angle);
    m->q0[2 * b] = x;
    m->q0[2 * b + 1] = y;
    hard_row *row = hard_constrain(m, ROW_DISTANCE, 2 * b, 2 * b - 2);
    row->p[0] = hard_pick(r, 2) ? 1 : hard_log_uniform(r, 1e-4, 1e4);
    row->p[1] = length * length;
    for (int a = 0; a < 2; a++) {
      m->mass[2 * b + a] = mass;
      m->v0[2 * b + a] = unit * hard_signed(r, 0.01, 3);
    }
    hard_constant(m, 2 * b + 1, -9.81 * mass * unit);
  }
}

/* Pendula of one to four points, in millimetres to kilometres. */
void hard_family_pendula(hard_model *m, uint64_t *r) {
  double unit = hard_pick(r, 2) ? 1 : hard_log_uniform(r, 1e-3, 1e3);
  point_chain(m, r, 1 + hard_pick(r, 4), unit);
  m->give_jacobian = m->give_jacobian || unit != 1;
}

/* Pendula with stiff springs, friction, or walls beside the constraints. */
void hard_family_pendula_springs(hard_model *m, uint64_t *r) {
  int points = 1 + hard_pick(r, 3), last = 2 * points - 2;
  point_chain(m, r, points, 1);
  double k = hard_log_uniform(r, 1e2, 1e12);
  int kind = hard_pick(r, 4);
  if (kind == 0) hard_spring(m, last, -1, k, m->q0[last], 0);
  if (kind == 1) {
    hard_element *p = hard_add(m, SHAPE_PLANE, LAW_spring, last, -1);
    p->anchor[0] = m->q0[last] + 3;
    p->anchor[1] = m->q0[last + 1] + 1;
    p->p[0] = k;
    p->p[1] = sqrt(10);
  }
  if (kind == 2) {
    hard_element *p = hard_add(m, SHAPE_LINE, LAW_friction, last, -1);
    p->p[0] = m->mass[last] * 10;
    p->p[1] = hard_log_uniform(r, 1e-6, 1e-1);
  }
  if (kind == 3) {
    hard_element *p = hard_add(m, SHAPE_LINE, LAW_stop, last + 1, -1);
    p->p[0] = k;
    p->p[1] = fabs(m->q0[last + 1]) * 0.999;
  }
}

/* Crank, rod and slider on a line, a stiff spring or stop at the slider. */
void hard_family_slider(hard_model *m, uint64_t *r) {
  double crank = hard_log_uniform(r, 0.1, 1), rod = crank * hard_uniform(r, 1.5, 4);
  double angle = hard_uniform(r, 0.2, 2.8);
  m->n_flat = 4;
  m->project = true;
  m->q0[0] = crank * cos(angle);
  m->q0[1] = crank * sin(angle);
  m->q0[2] = m->q0[0] + 0.8 * rod;
  m->q0[3] = m->q0[1] + 0.6 * rod;
  for (int i = 0; i < 4; i++) {
    m->mass[i] = hard_log_uniform(r, 0.01, 100);
    m->v0[i] = hard_signed(r, 0.01, 10);
  }
  hard_row *row = hard_constrain(m, ROW_DISTANCE, 0, -1);
  row->p[0] = 1;
  row->p[1] = crank * crank;
  row = hard_constrain(m, ROW_DISTANCE, 2, 0);
  row->p[0] = hard_log_uniform(r, 1e-3, 1e3);
  row->p[1] = rod * rod;
  row = hard_constrain(m, ROW_LINEAR, 3, 2);
  row->p[0] = hard_log_uniform(r, 1e-3, 1e3);
  row->p[1] = hard_uniform(r, -0.5, 0.5);
  row->p[2] = m->q0[3] - row->p[1] * m->q0[2];
  hard_element *p = hard_spring(m, 2, -1, hard_log_uniform(r, 1, 1e12), m->q0[2], 0);
  if (hard_pick(r, 2)) p->law = LAW_contact;
  hard_sine(m, r, 1, m->mass[1] * 30);
}

/* Coordinates without mass that a gear determines, with stiff springs on them. */
void hard_family_massless(hard_model *m, uint64_t *r) {
  int gears = 1 + hard_pick(r, 3);
  m->n_flat = 2 * gears;
  for (int b = 0; b < gears; b++) {
    int heavy = 2 * b, light = 2 * b + 1;
    double ratio = hard_signed(r, 1e-2, 1e2);
    m->mass[heavy] = hard_log_uniform(r, 1e-3, 1e3);
    m->q0[heavy] = hard_signed(r, 1e-3, 1);
    m->q0[light] = ratio * m->q0[heavy];
    m->v0[heavy] = hard_signed(r, 1e-2, 10);
    m->v0[light] = ratio * m->v0[heavy];
    hard_row *row = hard_constrain(m, ROW_LINEAR, light, heavy);
    row->p[0] = hard_log_uniform(r, 1e-3, 1e3);
    row->p[1] = ratio;
    hard_spring(m, light, -1, hard_log_uniform(r, 1, 1e12), 0, 0);
    if (hard_pick(r, 2)) {
      hard_element *p = hard_add(m, SHAPE_LINE, LAW_friction, light, -1);
      p->p[0] = hard_log_uniform(r, 0.1, 100);
      p->p[1] = hard_log_uniform(r, 1e-5, 1e-1);
    }
  }
}

/* A point mass on a massless crank, in x, y and the angle. */
void hard_family_massless_crank(hard_model *m, uint64_t *r) {
  double length = hard_log_uniform(r, 0.01, 100), angle = hard_uniform(r, -3, 3);
  double rate = hard_signed(r, 0.01, 30);
  m->n_flat = 3;
  m->mass[0] = m->mass[1] = hard_log_uniform(r, 1e-2, 1e2);
  m->q0[0] = length * cos(angle);
  m->q0[1] = length * sin(angle);
  m->q0[2] = angle;
  m->v0[0] = -rate * m->q0[1];
  m->v0[1] = rate * m->q0[0];
  m->v0[2] = rate;
  hard_constrain(m, ROW_CRANK_X, 0, 2)->p[0] = length;
  hard_constrain(m, ROW_CRANK_Y, 1, 2)->p[0] = length;
  hard_constant(m, 1, -9.81 * m->mass[1]);
  hard_spring(m, 2, -1, hard_log_uniform(r, 1e-2, 1e10), angle, 0);
}

/* A support that is moved, and masses on stiff springs behind it. */
void hard_family_driven(hard_model *m, uint64_t *r) {
  int n = 2 + hard_pick(r, 4);
  double t_end = m->h * m->steps, way = hard_log_uniform(r, 1e-4, 1);
  m->n_flat = n;
  m->t0 = 0; /* far from 0 the angle of the drive would lose its digits */
  for (int i = 0; i < n; i++) {
    m->mass[i] = hard_log_uniform(r, 1e-2, 1e2);
    if (i > 0) hard_spring(m, i, i - 1, hard_log_uniform(r, 1, 1e12), 0, 0);
  }
  hard_row *row = hard_constrain(m, ROW_DRIVEN, 0, -1);
  row->p[0] = hard_log_uniform(r, 1e-3, 1e3);
  row->p[1] = way;
  row->p[2] = hard_log_uniform(r, 0.1, 30) / t_end;
  for (int i = 0; i < n; i++) m->v0[i] = way * row->p[2];
}

/* A pendulum whose bob is rubbed along x and pushed by a force that jumps. */
void hard_family_rough_constraint(hard_model *m, uint64_t *r) {
  point_chain(m, r, 1 + hard_pick(r, 2), 1);
  hard_element *p = hard_add(m, SHAPE_LINE, LAW_step_t, 0, -1);
  p->p[1] = hard_signed(r, 1, 1e6);
  p->p[2] = m->h * m->steps * hard_uniform(r, 0.1, 0.9);
  p = hard_add(m, SHAPE_LINE, hard_pick(r, 2) ? LAW_dry : LAW_step_x, 1, -1);
  p->p[0] = m->mass[0] * hard_log_uniform(r, 0.1, 1e3);
  if (p->law == LAW_step_x) p->p[2] = m->q0[1] + m->v0[1] * m->h * m->steps * 0.4;
}

/* A body in a ball joint, on R^3 x SO(3), with a torsional spring. */
void hard_family_top(hard_model *m, uint64_t *r) {
  m->n_flat = 3;
  m->n_rot = 1;
  m->project = true;
  turn(m, r, 0);
  const double *w = m->q0 + 3, *x = w + 1;
  double X[3], twist[3], length = hard_log_uniform(r, 0.1, 10);
  for (int a = 0; a < 3; a++) X[a] = length * hard_uniform(r, -1, 1);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    twist[a] = 2 * (x[b] * X[c] - x[c] * X[b]);
  }
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    m->q0[a] = X[a] + w[0] * twist[a] + x[b] * twist[c] - x[c] * twist[b];
    m->mass[a] = hard_log_uniform(r, 0.1, 10);
    hard_row *row = hard_constrain(m, ROW_BALL, 0, 0);
    row->k = a;
    for (int d = 0; d < 3; d++) row->p[d] = X[d];
  }
  hard_constant(m, 2, -9.81 * m->mass[2]);
  hard_add(m, SHAPE_TORSION, LAW_spring, 0, -1)->p[0] = hard_log_uniform(r, 1e-2, 1e10);
}

/* A skate on the plane: a nonholonomic row, springs and a drive on its angle. */
void hard_family_skate(hard_model *m, uint64_t *r) {
  double speed = hard_signed(r, 0.01, 10), angle = hard_uniform(r, -3, 3);
  m->n_flat = 3;
  m->give_jacobian = true;
  m->mass[0] = m->mass[1] = hard_log_uniform(r, 1e-2, 1e2);
  m->mass[2] = hard_log_uniform(r, 1e-3, 1e1);
  m->q0[2] = angle;
  m->v0[0] = speed * cos(angle);
  m->v0[1] = speed * sin(angle);
  m->v0[2] = hard_signed(r, 0.01, 10);
  hard_constrain(m, ROW_SKATE, 0, 1)->k = 2;
  hard_spring(m, 0, -1, hard_log_uniform(r, 1, 1e10), 0, 0);
  hard_spring(m, 2, -1, hard_log_uniform(r, 1, 1e8), angle, 0);
  hard_sine(m, r, 2, m->mass[2] * 30);
}

typedef void (*family)(hard_model *m, uint64_t *r);

static const struct {
  const char *name;
  family fill;
} families[] = {
#define FAMILY_ENTRY(name) {#name, hard_family_##name},
    HARD_FAMILIES(FAMILY_ENTRY)
#undef FAMILY_ENTRY
};

/* How the run is made; drawn before the model, because the models know its length. */
static void settings(hard_model *m, uint64_t *r) {
  static const char *const method[6] = {"stab2", "stab2", "stab2", "index3", "index3", "soi2"};
  m->method = method[hard_pick(r, 6)];
  m->h = hard_log_uniform(r, 1e-7, 5e-2);
  m->steps = 20 + hard_pick(r, 100);
  m->rho = hard_pick(r, 8) ? hard_uniform(r, 0, 0.95) : 0;
  if (hard_pick(r, 4) == 0) {
    m->rtol = hard_log_uniform(r, 1e-8, 1e-3);
    m->atol = m->rtol * hard_log_uniform(r, 1e-4, 1);
  } else if (hard_pick(r, 8) == 0) {
    m->h_seq = hard_pick(r, 2) ? "1/3,2/3" : "1,0.1,1.9";
  }
  int tangents = hard_pick(r, 20);
  m->tangents = tangents < 9 ? TANGENTS_EXACT : TANGENTS_NONE;
  static const hard_tangents wrong[4] = {TANGENTS_STIFF, TANGENTS_SOFT, TANGENTS_SIGN,
                                         TANGENTS_ZERO};
  if (tangents >= 15) m->tangents = wrong[tangents % 4];
  m->wrong_by = hard_log_uniform(r, 3, 1e8);
  static const int newton_max[8] = {0, 0, 0, 0, 0, 2, 5, 100};
  m->newton_max = newton_max[hard_pick(r, 8)];
  m->matrix_every = hard_pick(r, 4) ? 0 : 1 + hard_pick(r, 20);
  m->give_jacobian = hard_pick(r, 4) != 0;
  m->one_pass = hard_pick(r, 4) == 0;
  m->t0 = hard_pick(r, 20) ? 0 : hard_log_uniform(r, 1, 1e5);
}

void hard_random(hard_model *m, uint64_t seed, int index) {
  uint64_t state = seed + 0x2545f4914f6cdd1du * (uint64_t)(index + 1), *r = &state;
  int which = hard_pick(r, (int)(sizeof families / sizeof families[0]));
  *m = (hard_model){0};
  settings(m, r);
  families[which].fill(m, r);
  m->patterns = index % 2 == 1; /* drawn from no stream: the models stay those of their seeds */
  snprintf(m->name, sizeof m->name, "%s", families[which].name);
}
