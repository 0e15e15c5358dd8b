/* SPDX-License-Identifier: MIT */
/* Random numbers, the building of models, and the two campaigns that need no families: the grid
 * and the runs with regularised friction. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

static uint64_t next(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double stress_uniform(uint64_t *seed, double low, double high) {
  return low + (high - low) * ((double)(next(seed) >> 11) * 0x1p-53);
}

double stress_log_uniform(uint64_t *seed, double low, double high) {
  return exp(stress_uniform(seed, log(low), log(high)));
}

int stress_pick(uint64_t *seed, int count) {
  return (int)(next(seed) % (uint64_t)count);
}

stress_part *stress_add(stress_model *m, stress_shape shape, stress_law law, int i, int j) {
  stress_part *part = &m->part[m->n_part++];
  *part = (stress_part){.shape = shape, .law = law, .i = i, .j = j};
  return part;
}

stress_row *stress_constrain(stress_model *m, stress_row_kind kind, int i, int j) {
  stress_row *row = &m->row[m->n_lam + m->n_psi];
  *row = (stress_row){.kind = kind, .i = i, .j = j};
  if (kind == ROW_SKATE) {
    m->n_psi++;
  } else {
    m->n_lam++;
  }
  return row;
}

/* the digits of an index in a system of mixed radices, last one fastest; false past the end */
static bool split(int index, int n, const int *radix, int *digit) {
  while (n-- > 0) {
    digit[n] = index % radix[n];
    index /= radix[n];
  }
  return index == 0;
}

/* Mass 1 between two stops at 0.01 and -0.01: h = 1e-4 1.9^i < 2e-2, k = 1e6 2.7^j < 1e13, three
 * values of rho, fixed or automatic steps, tangents or none, over 200 h. */
bool stress_grid(stress_model *m, int index) {
  static const double rho[3] = {0.5, 0.7, 0.9};
  int at[5];
  if (!split(index, 5, (const int[]){9, 17, 3, 2, 2}, at)) return false;
  *m = (stress_model){.n_flat = 1, .mass = {1}, .v0 = {1}, .method = "stab2", .steps = 200};
  m->h = 1e-4 * pow(1.9, at[0]);
  m->rho = rho[at[2]];
  if (at[3]) {
    m->rtol = 1e-4;
    m->atol = 1e-6;
  }
  m->tangents = at[4] ? TANGENTS_NONE : TANGENTS_EXACT;
  stress_part *stop = stress_add(m, SHAPE_LINE, LAW_stop, 0, -1);
  stop->p[0] = 1e6 * pow(2.7, at[1]);
  stop->p[1] = 0.01;
  snprintf(m->name, sizeof m->name, "stops k %.3g", stop->p[0]);
  return true;
}

bool stress_pendulum(stress_model *m, int index) {
  static const double rho[4] = {0.9, 0.7, 0.5, 0};
  int at[4];
  if (!split(index, 4, (const int[]){5, 4, 2, 2}, at)) return false;
  double angle = 0.3 * at[0];
  *m = (stress_model){.n_flat = 2, .mass = {1, 1}, .q0 = {cos(angle), sin(angle)}, .h = 0.0125};
  m->method = at[3] ? "index3" : "stab2";
  m->steps = 400;
  m->rho = rho[at[1]];
  m->tangents = at[2] ? TANGENTS_NONE : TANGENTS_EXACT;
  m->energy_limit = 1e3;
  stress_part *p = stress_add(m, SHAPE_PLANE, LAW_spring, 0, -1);
  p->p[0] = 1e11;
  p->p[1] = 1;
  stress_add(m, SHAPE_LINE, LAW_constant, 1, -1)->p[0] = -9.81;
  snprintf(m->name, sizeof m->name, "spring pendulum from %.1f", angle);
  return true;
}

/* A friction force of the size of a weight between some coordinate and the ground or another. */
static stress_part *rub(stress_model *m, uint64_t *r, int i, int j, double belt) {
  stress_part *p = stress_add(m, SHAPE_LINE, LAW_friction, i, j);
  p->p[0] = stress_log_uniform(r, 0.05, 1) * 9.81 * m->mass[i];
  p->p[1] = stress_log_uniform(r, 1e-6, 1e-3);
  p->p[2] = belt;
  return p;
}

static void spring(stress_model *m, uint64_t *r, int i, int j, bool damped) {
  stress_part *p = stress_add(m, SHAPE_LINE, LAW_spring, i, j);
  p->p[0] = m->mass[i] * pow(stress_log_uniform(r, 1, 300), 2);
  if (damped) p->p[2] = 0.02 * sqrt(p->p[0] * m->mass[i]);
}

static void drive(stress_model *m, uint64_t *r, int i) {
  stress_part *p = stress_add(m, SHAPE_LINE, LAW_sine, i, -1);
  p->p[0] = m->mass[i] * stress_log_uniform(r, 0.3, 30);
  p->p[1] = stress_log_uniform(r, 1, 100);
  p->p[2] = stress_uniform(r, 0, 6);
}

/* A block on a belt, a driven oscillator, two blocks coupled, two blocks that rub each other, a
 * block thrown onto the ground. */
void stress_friction(stress_model *m, uint64_t seed, int index) {
  static const char *const name[5] = {"belt", "driven", "coupled", "stacked", "thrown"};
  uint64_t state = seed + 0x632be59bd9b4e019u * (uint64_t)(index + 1), *r = &state;
  int kind = stress_pick(r, 5);
  *m = (stress_model){.method = "stab2", .steps = 200};
  snprintf(m->name, sizeof m->name, "friction %s", name[kind]);
  m->n_flat = kind == 2 || kind == 3 ? 2 : 1;
  for (int i = 0; i < m->n_flat; i++) {
    m->mass[i] = stress_log_uniform(r, 1e-2, 1e2);
    m->q0[i] = stress_uniform(r, -0.1, 0.1);
    m->v0[i] = stress_uniform(r, -1, 1);
  }
  m->h = stress_log_uniform(r, 1e-4, 2e-2);
  m->rho = stress_uniform(r, 0, 0.95);
  m->tangents = stress_pick(r, 2) ? TANGENTS_EXACT : TANGENTS_NONE;
  if (kind == 0) {
    spring(m, r, 0, -1, stress_pick(r, 2));
    rub(m, r, 0, -1, stress_uniform(r, 0.1, 2));
  } else if (kind == 1) {
    spring(m, r, 0, -1, stress_pick(r, 2));
    drive(m, r, 0);
    rub(m, r, 0, -1, 0);
  } else if (kind == 4) {
    m->v0[0] = stress_log_uniform(r, 0.1, 10);
    rub(m, r, 0, -1, 0);
  } else {
    spring(m, r, 0, 1, stress_pick(r, 2));
    spring(m, r, 0, -1, false);
    drive(m, r, stress_pick(r, 2));
    rub(m, r, 0, kind == 3 ? 1 : -1, 0);
    rub(m, r, 1, -1, stress_pick(r, 2) ? 0 : 0.5);
  }
}
