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

double hard_uniform(uint64_t *seed, double low, double high) {
  return low + (high - low) * ((double)(next(seed) >> 11) * 0x1p-53);
}

double hard_log_uniform(uint64_t *seed, double low, double high) {
  return exp(hard_uniform(seed, log(low), log(high)));
}

int hard_pick(uint64_t *seed, int count) {
  return (int)(next(seed) % (uint64_t)count);
}

hard_element *hard_add(hard_model *m, hard_shape shape, hard_law law, int i, int j) {
  hard_element *element = &m->element[m->n_element++];
  *element = (hard_element){.shape = shape, .law = law, .i = i, .j = j};
  return element;
}

hard_row *hard_constrain(hard_model *m, hard_row_kind kind, int i, int j) {
  hard_row *row = &m->row[m->n_lam + m->n_psi];
  *row = (hard_row){.kind = kind, .i = i, .j = j};
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
bool hard_grid(hard_model *m, int index) {
  static const double rho[3] = {0.5, 0.7, 0.9};
  int at[5];
  if (!split(index, 5, (const int[]){9, 17, 3, 2, 2}, at)) return false;
  *m = (hard_model){.n_flat = 1, .mass = {1}, .v0 = {1}, .method = "stab2", .steps = 200};
  m->h = 1e-4 * pow(1.9, at[0]);
  m->rho = rho[at[2]];
  if (at[3]) {
    m->rtol = 1e-4;
    m->atol = 1e-6;
  }
  m->tangents = at[4] ? TANGENTS_NONE : TANGENTS_EXACT;
  hard_element *stop = hard_add(m, SHAPE_LINE, LAW_stop, 0, -1);
  stop->p[0] = 1e6 * pow(2.7, at[1]);
  stop->p[1] = 0.01;
  snprintf(m->name, sizeof m->name, "stops k %.3g", stop->p[0]);
  return true;
}

bool hard_pendulum(hard_model *m, int index) {
  static const double rho[4] = {0.9, 0.7, 0.5, 0};
  int at[4];
  if (!split(index, 4, (const int[]){5, 4, 2, 2}, at)) return false;
  double angle = 0.3 * at[0];
  *m = (hard_model){.n_flat = 2, .mass = {1, 1}, .q0 = {cos(angle), sin(angle)}, .h = 0.0125};
  m->method = at[3] ? "index3" : "stab2";
  m->steps = 400;
  m->rho = rho[at[1]];
  m->tangents = at[2] ? TANGENTS_NONE : TANGENTS_EXACT;
  m->energy_limit = 1e3;
  hard_element *p = hard_add(m, SHAPE_PLANE, LAW_spring, 0, -1);
  p->p[0] = 1e11;
  p->p[1] = 1;
  hard_add(m, SHAPE_LINE, LAW_constant, 1, -1)->p[0] = -9.81;
  snprintf(m->name, sizeof m->name, "spring pendulum from %.1f", angle);
  return true;
}

/* A friction force of the size of a weight between some coordinate and the ground or another. */
static hard_element *rub(hard_model *m, uint64_t *r, int i, int j, double belt) {
  hard_element *p = hard_add(m, SHAPE_LINE, LAW_friction, i, j);
  p->p[0] = hard_log_uniform(r, 0.05, 1) * 9.81 * m->mass[i];
  p->p[1] = hard_log_uniform(r, 1e-6, 1e-3);
  p->p[2] = belt;
  return p;
}

static void spring(hard_model *m, uint64_t *r, int i, int j, bool damped) {
  hard_element *p = hard_add(m, SHAPE_LINE, LAW_spring, i, j);
  p->p[0] = m->mass[i] * pow(hard_log_uniform(r, 1, 300), 2);
  if (damped) p->p[2] = 0.02 * sqrt(p->p[0] * m->mass[i]);
}

static void drive(hard_model *m, uint64_t *r, int i) {
  hard_element *p = hard_add(m, SHAPE_LINE, LAW_sine, i, -1);
  p->p[0] = m->mass[i] * hard_log_uniform(r, 0.3, 30);
  p->p[1] = hard_log_uniform(r, 1, 100);
  p->p[2] = hard_uniform(r, 0, 6);
}

/* A block on a belt, a driven oscillator, two blocks coupled, two blocks that rub each other, a
 * block thrown onto the ground. */
void hard_friction(hard_model *m, uint64_t seed, int index) {
  static const char *const name[5] = {"belt", "driven", "coupled", "stacked", "thrown"};
  uint64_t state = seed + 0x632be59bd9b4e019u * (uint64_t)(index + 1), *r = &state;
  int kind = hard_pick(r, 5);
  *m = (hard_model){.method = "stab2", .steps = 200};
  snprintf(m->name, sizeof m->name, "friction %s", name[kind]);
  m->n_flat = kind == 2 || kind == 3 ? 2 : 1;
  for (int i = 0; i < m->n_flat; i++) {
    m->mass[i] = hard_log_uniform(r, 1e-2, 1e2);
    m->q0[i] = hard_uniform(r, -0.1, 0.1);
    m->v0[i] = hard_uniform(r, -1, 1);
  }
  m->h = hard_log_uniform(r, 1e-4, 2e-2);
  m->rho = hard_uniform(r, 0, 0.95);
  m->tangents = hard_pick(r, 2) ? TANGENTS_EXACT : TANGENTS_NONE;
  if (kind == 0) {
    spring(m, r, 0, -1, hard_pick(r, 2));
    rub(m, r, 0, -1, hard_uniform(r, 0.1, 2));
  } else if (kind == 1) {
    spring(m, r, 0, -1, hard_pick(r, 2));
    drive(m, r, 0);
    rub(m, r, 0, -1, 0);
  } else if (kind == 4) {
    m->v0[0] = hard_log_uniform(r, 0.1, 10);
    rub(m, r, 0, -1, 0);
  } else {
    spring(m, r, 0, 1, hard_pick(r, 2));
    spring(m, r, 0, -1, false);
    drive(m, r, hard_pick(r, 2));
    rub(m, r, 0, kind == 3 ? 1 : -1, 0);
    rub(m, r, 1, -1, hard_pick(r, 2) ? 0 : 0.5);
  }
}
