/* SPDX-License-Identifier: MIT */
/* Random models without constraints: springs, contacts, friction, jumps, scales, noise. */
#include "families.h"

#include <math.h>

hard_element *hard_spring(hard_model *m, int i, int j, double k, double x0, double c) {
  hard_element *p = hard_add(m, SHAPE_LINE, LAW_spring, i, j);
  p->p[0] = k;
  p->p[1] = x0;
  p->p[2] = c;
  return p;
}

hard_element *hard_constant(hard_model *m, int i, double f) {
  hard_element *p = hard_add(m, SHAPE_LINE, LAW_constant, i, -1);
  p->p[0] = f;
  return p;
}

hard_element *hard_sine(hard_model *m, uint64_t *r, int i, double amplitude) {
  hard_element *p = hard_add(m, SHAPE_LINE, LAW_sine, i, -1);
  p->p[0] = amplitude;
  p->p[1] = hard_log_uniform(r, 0.1, 10) / (m->h * m->steps);
  p->p[2] = hard_uniform(r, 0, 6);
  return p;
}

double hard_signed(uint64_t *r, double low, double high) {
  double x = hard_log_uniform(r, low, high);
  return hard_pick(r, 2) ? x : -x;
}

/* n masses with random positions and velocities */
static void masses(hard_model *m, uint64_t *r, int n, double lightest, double heaviest) {
  m->n_flat = n;
  for (int i = 0; i < n; i++) {
    m->mass[i] = hard_log_uniform(r, lightest, heaviest);
    m->q0[i] = hard_signed(r, 1e-4, 1);
    m->v0[i] = hard_signed(r, 1e-2, 10);
  }
}

/* A chain, its stiffnesses from 1 to 1e13. */
void hard_family_springs(hard_model *m, uint64_t *r) {
  int n = 1 + hard_pick(r, 12);
  masses(m, r, n, 1e-3, 1e3);
  double strain = hard_log_uniform(r, 1e-6, 1);
  for (int i = 0; i < n; i++) {
    m->q0[i] *= strain;
    double k = hard_log_uniform(r, 1, 1e13), c = hard_pick(r, 3) ? 0 : sqrt(k) * 0.1;
    hard_spring(m, i, i - 1, k, 0, c);
  }
  if (hard_pick(r, 2)) hard_sine(m, r, n - 1, m->mass[n - 1] * 10);
}

/* One to three bobs on stiff springs, under gravity. */
void hard_family_spring_pendula(hard_model *m, uint64_t *r) {
  int bobs = 1 + hard_pick(r, 3);
  double x = 0, y = 0, k_most = hard_log_uniform(r, 1e3, 1e13);
  m->n_flat = 2 * bobs;
  for (int b = 0; b < bobs; b++) {
    double length = hard_log_uniform(r, 0.1, 10), angle = hard_uniform(r, 0, 6.28);
    double mass = hard_log_uniform(r, 0.01, 100);
    x += length * cos(angle);
    y += length * sin(angle);
    m->q0[2 * b] = x;
    m->q0[2 * b + 1] = y;
    for (int a = 0; a < 2; a++) {
      m->mass[2 * b + a] = mass;
      m->v0[2 * b + a] = hard_pick(r, 2) ? 0 : hard_signed(r, 0.01, 5);
    }
    hard_constant(m, 2 * b + 1, -9.81 * mass);
    hard_element *p = hard_add(m, SHAPE_PLANE, LAW_spring, 2 * b, 2 * b - 2);
    p->p[0] = k_most * hard_log_uniform(r, 1e-3, 1);
    p->p[1] = length;
    p->p[2] = hard_pick(r, 3) ? 0 : sqrt(p->p[0] * mass) * 0.1;
  }
}

static hard_element *wall(hard_model *m, uint64_t *r, int i, int j, double at) {
  static const hard_law kind[3] = {LAW_contact, LAW_stop, LAW_hertz};
  hard_element *p = hard_add(m, SHAPE_LINE, kind[hard_pick(r, 3)], i, j);
  p->p[0] = hard_log_uniform(r, 1e4, 1e13);
  p->p[1] = at;
  if (p->law == LAW_contact && hard_pick(r, 2)) p->p[2] = sqrt(p->p[0] * m->mass[i]) * 0.3;
  if (p->law == LAW_hertz) p->p[2] = hard_pick(r, 2) ? 0 : 0.1;
  return p;
}

/* Masses that fly, driven or not, against penalty walls which they reach within the run. */
void hard_family_contacts(hard_model *m, uint64_t *r) {
  int n = 1 + hard_pick(r, 4);
  masses(m, r, n, 1e-2, 1e2);
  for (int i = 0; i < n; i++) {
    m->q0[i] = 0;
    double way = fabs(m->v0[i]) * m->h * m->steps;
    wall(m, r, i, -1, way * hard_uniform(r, 0.05, 0.8));
    if (hard_pick(r, 2)) hard_constant(m, i, m->mass[i] * hard_signed(r, 1, 100));
  }
  if (n > 1) hard_spring(m, 0, 1, hard_log_uniform(r, 1, 1e6), 0, 0);
}

/* Balls in a row that hit each other: contact of differences. */
void hard_family_ball_row(hard_model *m, uint64_t *r) {
  int n = 2 + hard_pick(r, 6);
  masses(m, r, n, 1e-2, 1e2);
  double gap = hard_log_uniform(r, 1e-6, 1e-1);
  for (int i = 0; i < n; i++) {
    m->q0[i] = i * (1 + gap);
    m->v0[i] = i == 0 ? gap / (m->h * m->steps) * hard_log_uniform(r, 2, 20) : 0;
    if (i > 0) wall(m, r, i - 1, i, -1)->law = LAW_contact;
  }
}

/* Regularised friction on the ground and between masses, with springs and drives. */
void hard_family_friction(hard_model *m, uint64_t *r) {
  int n = 1 + hard_pick(r, 4);
  masses(m, r, n, 1e-2, 1e2);
  for (int i = 0; i < n; i++) {
    hard_element *p = hard_add(m, SHAPE_LINE, LAW_friction, i, hard_pick(r, 2) ? i - 1 : -1);
    p->p[0] = m->mass[i] * hard_log_uniform(r, 0.1, 10);
    p->p[1] = hard_log_uniform(r, 1e-6, 1e-1);
    p->p[2] = hard_pick(r, 3) ? 0 : hard_signed(r, 0.01, 1);
    hard_spring(m, i, i - 1, m->mass[i] * hard_log_uniform(r, 1, 1e6), 0, 0);
    if (hard_pick(r, 2)) hard_sine(m, r, i, m->mass[i] * hard_log_uniform(r, 0.1, 100));
  }
}

/* Friction that falls with speed. */
void hard_family_stribeck(hard_model *m, uint64_t *r) {
  hard_family_friction(m, r);
  for (int n = 0; n < m->n_element; n++) {
    hard_element *p = &m->element[n];
    if (p->law != LAW_friction) continue;
    p->law = LAW_stribeck;
    p->p[3] = p->p[0] * hard_uniform(r, 0.1, 2);
    p->p[4] = hard_log_uniform(r, 10, 1e4) * p->p[1];
  }
}

/* Forces that jump in q, v or t: some steps have no solution at all. */
void hard_family_discontinuous(hard_model *m, uint64_t *r) {
  static const hard_law kind[5] = {LAW_step_x, LAW_step_u, LAW_step_t, LAW_dry, LAW_stair};
  int n = 1 + hard_pick(r, 4);
  double t_end = m->h * m->steps;
  masses(m, r, n, 1e-2, 1e2);
  for (int i = 0; i < n; i++) {
    hard_element *p = hard_add(m, SHAPE_LINE, kind[hard_pick(r, 5)], i, -1);
    p->p[0] = m->mass[i] * hard_signed(r, 0.1, 1e4);
    p->p[1] = m->mass[i] * hard_signed(r, 0.1, 1e4);
    if (p->law == LAW_step_x) p->p[2] = m->q0[i] + m->v0[i] * t_end * hard_uniform(r, 0, 1);
    if (p->law == LAW_step_u) p->p[2] = m->v0[i] * hard_uniform(r, 0, 1);
    if (p->law == LAW_step_t) p->p[2] = t_end * hard_uniform(r, 0, 1);
    if (p->law == LAW_dry) p->p[0] = fabs(p->p[0]);
    if (p->law == LAW_dry) p->p[1] = hard_pick(r, 2) ? 0 : m->v0[i] * 0.7;
    if (p->law == LAW_stair) {
      p->p[0] = fabs(p->p[0]);
      p->p[1] = fabs(m->v0[i]) * t_end * hard_log_uniform(r, 1e-3, 1);
    }
    hard_spring(m, i, i - 1, m->mass[i] * hard_log_uniform(r, 1, 1e8), 0, 0);
  }
}

/* Oscillators that do not know of each other, each in its own units. */
void hard_family_scales(hard_model *m, uint64_t *r) {
  int n = 2 + hard_pick(r, 6);
  m->n_flat = n;
  for (int i = 0; i < n; i++) {
    double unit = hard_log_uniform(r, 1e-9, 1e7), omega = hard_log_uniform(r, 1e-2, 1e3) / m->h;
    m->mass[i] = hard_log_uniform(r, 1e-9, 1e6);
    m->q0[i] = unit * hard_signed(r, 0.1, 1);
    m->v0[i] = unit * omega * hard_signed(r, 0.01, 1);
    int kind = hard_pick(r, 4);
    if (kind == 3) {
      m->v0[i] = unit * hard_signed(r, 0.1, 1); /* it only flies */
      continue;
    }
    hard_element *p = hard_spring(m, i, -1, m->mass[i] * omega * omega, 0, 0);
    if (kind == 1) p->law = LAW_cubic;
    if (kind == 1) p->p[1] = p->p[0] / (unit * unit);
    if (kind == 2) p->law = LAW_ripple;
    if (kind == 2) p->p[0] *= unit;
    if (kind == 2) p->p[1] = unit;
  }
}

/* Small vibrations far from the origin: the rounding of q is all that is left. */
void hard_family_shifted(hard_model *m, uint64_t *r) {
  int n = 1 + hard_pick(r, 4);
  masses(m, r, n, 1e-2, 1e2);
  double far = hard_signed(r, 1, 7e6);
  for (int i = 0; i < n; i++) {
    double k = hard_log_uniform(r, 1, 1e12);
    m->v0[i] *= hard_log_uniform(r, 1e-6, 1);
    m->q0[i] = far + 1e-3 * m->v0[i];
    if (i == 0) {
      hard_spring(m, 0, -1, k, far, 0);
    } else {
      hard_spring(m, i, i - 1, k, 0, 0);
    }
  }
  if (hard_pick(r, 2)) m->q0[n++] = m->v0[m->n_flat] = 1e-3; /* a free one beside them */
  m->n_flat = n;
  if (m->mass[n - 1] == 0) m->mass[n - 1] = 1;
}

/* Gyroscopic couplings, quadratic drag, dampers. */
void hard_family_rates(hard_model *m, uint64_t *r) {
  int n = 2 + hard_pick(r, 5);
  masses(m, r, n, 1e-3, 1e3);
  for (int i = 0; i < n; i++) {
    double rate = hard_log_uniform(r, 1e-2, 1e4) / m->h;
    if (hard_pick(r, 2)) hard_add(m, SHAPE_LINE, LAW_drag, i, -1)->p[0] = m->mass[i] * rate;
    if (i > 0) hard_add(m, SHAPE_GYRO, LAW_spring, i, i - 1)->p[0] = m->mass[i] * rate;
    hard_spring(m, i, i - 1, hard_log_uniform(r, 1, 1e8), 0, hard_pick(r, 2) ? 0 : 10);
  }
  hard_sine(m, r, 0, m->mass[0] * 10);
}

/* Forces with many roots: ripples, snap-through, narrow hills. */
void hard_family_many_roots(hard_model *m, uint64_t *r) {
  int n = 1 + hard_pick(r, 4);
  masses(m, r, n, 1e-2, 1e2);
  for (int i = 0; i < n; i++) {
    int kind = hard_pick(r, 3);
    double way = fabs(m->v0[i]) * m->h * m->steps, width = way * hard_log_uniform(r, 1e-4, 1);
    double f = m->mass[i] * hard_log_uniform(r, 1, 1e6);
    hard_element *p = hard_add(m, SHAPE_LINE, LAW_ripple, i, kind == 0 ? i - 1 : -1);
    p->p[0] = f;
    p->p[1] = width;
    if (kind == 1) {
      p->law = LAW_cubic;
      p->p[0] = -f / width;
      p->p[1] = f / (width * width * width);
      m->q0[i] = width * hard_uniform(r, -1, 1);
    } else if (kind == 2) {
      p->law = LAW_spike;
      p->p[1] = m->q0[i] + m->v0[i] * m->h * m->steps * 0.5;
      p->p[2] = width;
    }
    hard_spring(m, i, i - 1, m->mass[i] * hard_log_uniform(r, 1, 1e4), 0, 0);
  }
}

/* Forces that overflow, or do not exist, on the other side of a wall. */
void hard_family_walls(hard_model *m, uint64_t *r) {
  int n = 1 + hard_pick(r, 3);
  masses(m, r, n, 1e-2, 1e2);
  for (int i = 0; i < n; i++) {
    double way = fabs(m->v0[i]) * m->h * m->steps;
    bool exists = hard_pick(r, 2);
    hard_element *p = hard_add(m, SHAPE_LINE, exists ? LAW_exponential : LAW_barrier, i, -1);
    p->p[0] = m->mass[i] * hard_log_uniform(r, 1, 1e4);
    p->p[1] = way * hard_log_uniform(r, 1e-3, 1);
    m->q0[i] = exists ? 0 : way * 0.5;
    m->v0[i] = exists ? fabs(m->v0[i]) : -fabs(m->v0[i]);
  }
}

/* Stiff springs whose force has wrong last digits. */
void hard_family_noisy(hard_model *m, uint64_t *r) {
  hard_family_springs(m, r);
  for (int n = 0; n < m->n_element; n++) {
    if (m->element[n].law != LAW_spring) continue;
    m->element[n].law = LAW_noisy;
    m->element[n].p[2] = hard_log_uniform(r, 1e-15, 1e-12);
  }
}

/* A chain of rods in angles: the mass depends on q. Stiff torsional springs between them. */
void hard_family_angles(hard_model *m, uint64_t *r) {
  int n = 2 + hard_pick(r, 3);
  double k = hard_log_uniform(r, 1, 1e12), length[8], point[8], below = 0;
  m->n_flat = n;
  for (int i = 0; i < n; i++) {
    length[i] = hard_log_uniform(r, 0.1, 10);
    point[i] = hard_log_uniform(r, 0.1, 10);
    m->q0[i] = hard_uniform(r, -3, 3);
    m->v0[i] = hard_pick(r, 2) ? 0 : hard_uniform(r, -5, 5);
  }
  for (int i = n - 1; i >= 0; i--) {
    below += point[i];
    m->mass[i] = below * length[i] * length[i];
    hard_element *p = hard_add(m, SHAPE_LINE, LAW_ripple, i, -1);
    p->p[0] = below * length[i] * 9.81;
    p->p[1] = 1;
    for (int j = 0; j < i; j++) {
      hard_add(m, SHAPE_COSINE_MASS, LAW_spring, j, i)->p[0] = below * length[i] * length[j];
    }
    if (i > 0) hard_spring(m, i, i - 1, k, m->q0[i] - m->q0[i - 1], 0);
  }
}

/* A mass on a stiff radial spring in polar coordinates. */
void hard_family_polar(hard_model *m, uint64_t *r) {
  double mass = hard_log_uniform(r, 0.01, 100), length = hard_log_uniform(r, 0.01, 100);
  m->n_flat = 2;
  m->mass[0] = mass;
  m->q0[0] = length;
  m->q0[1] = hard_uniform(r, -3, 3);
  m->v0[1] = hard_signed(r, 0.01, 100);
  hard_add(m, SHAPE_POLAR_MASS, LAW_spring, 0, 1)->p[0] = mass;
  hard_spring(m, 0, -1, hard_log_uniform(r, 1, 1e13), length, 0);
  hard_sine(m, r, 1, mass * length * length * hard_log_uniform(r, 0.1, 100));
}
