/* SPDX-License-Identifier: MIT */
/* Unknowns finer than a double, see fine.h. */
#include "step/fine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "step/judge.h"

void ga_fine_init(ga_equations *s, ga_arena *arena) {
  ga_fine *fine = &s->fine;
  double **const of_nx[] = {&fine->base, &fine->rest, &fine->kept_base, &fine->kept_rest};
  for (int i = 0; i < 4; i++) *of_nx[i] = ga_arena_doubles(arena, (size_t)s->nx);
}

/* from now on x is kept in two parts */
static void begin(ga_equations *s, const double *x) {
  if (s->fine.used) return;
  memcpy(s->fine.base, x, (size_t)s->nx * sizeof(double));
  memset(s->fine.rest, 0, (size_t)s->nx * sizeof(double));
  s->fine.used = true;
}

void ga_fine_keep(ga_equations *s, const double *x) {
  size_t bytes = (size_t)s->nx * sizeof(double);
  begin(s, x);
  memcpy(s->fine.kept_base, s->fine.base, bytes);
  memcpy(s->fine.kept_rest, s->fine.rest, bytes);
}

void ga_fine_return(ga_equations *s) {
  size_t bytes = (size_t)s->nx * sizeof(double);
  memcpy(s->fine.base, s->fine.kept_base, bytes);
  memcpy(s->fine.rest, s->fine.kept_rest, bytes);
}

/* A sum of summands whose sizes are `size` and factor |x|. Is it so much smaller than these that x
 * should be finer, and is factor |d| within some of its roundings? */
static bool unseen(double sum, double size, double factor, double x, double d) {
  const double all = size + factor * fabs(x);
  return factor > 0 && all > GA_ROUND * fabs(sum) &&
         factor * fabs(d) <= GA_ROUND * DBL_EPSILON * all;
}

/* the unknowns of block b that belong to one flat factor of the space */
static void add_flat(ga_equations *s, int b, const ga_factor *factor, double part, const double *dx,
                     const double *size_q, const double *size_v) {
  const double by_q = s->h * s->h * fabs(s->tab.p[b]), by_v = s->h * fabs(s->tab.r[b]);
  const double *q = s->site[GA_SITE_NEW].q + factor->q_at - factor->v_at;
  const double *v = s->site[GA_SITE_NEW].v;
  double *base = s->fine.base, *rest = s->fine.rest;
  for (int k = factor->v_at; k < factor->v_at + factor->n; k++) {
    const int i = b * s->nv + k;
    const double d = part * dx[i] + rest[i];
    if (unseen(q[k], size_q[k], by_q, base[i], d) || unseen(v[k], size_v[k], by_v, base[i], d)) {
      rest[i] = d;
    } else {
      base[i] += d;
      rest[i] = 0;
    }
  }
}

static void add_curved(ga_equations *s, int b, const ga_factor *factor, double part,
                       const double *dx) {
  const int from = b * s->nv + factor->v_at;
  ga_axpy(factor->n * factor->group->nv, part, dx + from, s->fine.base + from);
}

void ga_fine_add(ga_equations *s, double part, const double *dx, const double *size_q,
                 const double *size_v, double *x) {
  const ga_space *space = s->eval->model->space;
  begin(s, x);
  for (int b = 0; b < s->method->nx; b++) {
    for (int f = 0; f < space->nfactor; f++) {
      if (space->factor[f].group->commutative) {
        add_flat(s, b, &space->factor[f], part, dx, size_q, size_v);
      } else {
        add_curved(s, b, &space->factor[f], part, dx);
      }
    }
  }
  for (int i = 0; i < s->nx; i++) {
    x[i] = s->fine.base[i] + s->fine.rest[i];
    if (fabs(x[i]) < GA_UNDERFLOW) x[i] = s->fine.base[i] = s->fine.rest[i] = 0;
  }
}

void ga_fine_move(ga_equations *s) {
  const ga_space *space = s->eval->model->space;
  const ga_site *at = &s->site[GA_SITE_NEW];
  const double h = s->h;
  for (int b = 0; b < s->method->nx; b++) {
    const double *rest = s->fine.rest + b * s->nv;
    ga_axpy(s->nv, h * s->tab.r[b], rest, at->v);
    if (s->has_hat) ga_axpy(s->nv, h * s->tab.rh[b], rest, s->vh);
    for (int f = 0; f < space->nfactor; f++) {
      const ga_factor *factor = &space->factor[f];
      if (!factor->group->commutative) continue;
      ga_axpy(factor->n, h * h * s->tab.p[b], rest + factor->v_at, at->q + factor->q_at);
    }
  }
}
