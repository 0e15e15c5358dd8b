/* SPDX-License-Identifier: MIT */
/* Unknowns finer than a double, see fine.h. */
#include "step/acceptance/fine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "step/acceptance/judge.h"

/* Allocate base, rest and their kept copies, nx numbers each; the caller checks arena->failed. */
void ga_fine_init(ga_equations *s, ga_arena *arena) {
  ga_fine *fine = &s->fine;
  double **const of_nx[] = {&fine->base, &fine->rest, &fine->kept_base, &fine->kept_rest};
  for (int i = 0; i < 4; i++) *of_nx[i] = ga_arena_doubles(arena, (size_t)s->nx);
}

/* From now on x is the sum base + rest (fine.used); at first base = x, rest = 0. Nothing to do if
 * it is one already. */
static void start_two_parts(ga_equations *s, const double *x) {
  if (s->fine.used) return;
  memcpy(s->fine.base, x, (size_t)s->nx * sizeof(double));
  memset(s->fine.rest, 0, (size_t)s->nx * sizeof(double));
  s->fine.used = true;
}

/* Store base and rest of the iterate x for ga_fine_return; x becomes a sum of two parts if it is
 * not one yet. */
void ga_fine_keep(ga_equations *s, const double *x) {
  size_t bytes = (size_t)s->nx * sizeof(double);
  start_two_parts(s, x);
  memcpy(s->fine.kept_base, s->fine.base, bytes);
  memcpy(s->fine.kept_rest, s->fine.rest, bytes);
}

/* Restore base and rest as ga_fine_keep stored them; x itself is not changed. */
void ga_fine_return(ga_equations *s) {
  size_t bytes = (size_t)s->nx * sizeof(double);
  memcpy(s->fine.base, s->fine.kept_base, bytes);
  memcpy(s->fine.rest, s->fine.kept_rest, bytes);
}

/* 1 if both hold, else 0: the sum of terms of sizes `size` and factor |x| is so much smaller than
 * these that x should be finer, and factor |d| is within a few of its roundings. Then adding d to x
 * would be lost. Without branches, so that loops are fast. */
static inline int unseen(double sum, double size, double factor, double x, double d) {
  const double all = size + factor * fabs(x);
  return (factor > 0) & (all > GA_ROUND * fabs(sum)) &
         (factor * fabs(d) <= GA_ROUND * DBL_EPSILON * all);
}

/* The unknowns of one block in one flat factor of the space, and the q_1, v_1 that they move. */
typedef struct {
  int at, n; /* where they begin among all unknowns */
  double by_q, by_v;
  const double *q, *v, *size_q, *size_v;
} flat;

/* The unknowns of block b that belong to this commutative factor of the space, with the factors h^2
 * |p_b|, h |r_b| by which they enter q_1, v_1. size_q, size_v: for each velocity. */
static flat flat_of(const ga_equations *s, int b, const ga_factor *factor, const double *size_q,
                    const double *size_v) {
  const ga_site *now = &s->site[GA_SITE_NEW];
  return (flat){.at = b * s->nv + factor->v_at,
                .n = factor->n,
                .by_q = s->h * s->h * fabs(s->tab.p[b]),
                .by_v = s->h * fabs(s->tab.r[b]),
                .q = now->q + factor->q_at,
                .v = now->v + factor->v_at,
                .size_q = size_q + factor->v_at,
                .size_v = size_v + factor->v_at};
}

/* Would an increment d of the k-th unknown, now x, be lost in q_1 or in v_1? */
static inline int is_unseen(const flat *f, int k, double x, double d) {
  return unseen(f->q[k], f->size_q[k], f->by_q, x, d) |
         unseen(f->v[k], f->size_v[k], f->by_v, x, d);
}

/* For the unknowns of f: base += part dx + rest and rest = 0, or, where that would be lost, rest =
 * part dx + rest. The arrays begin at f's first unknown; part: fraction of dx. */
static void add_flat(const flat *f, double part, const double *dx, double *base, double *rest) {
  for (int k = 0; k < f->n; k++) {
    const double d = part * dx[k] + rest[k];
    if (is_unseen(f, k, base[k], d)) {
      rest[k] = d;
    } else {
      base[k] += d;
      rest[k] = 0;
    }
  }
}

/* Is x a sum of two parts already, or would some part of x + part dx be lost in q_1 or v_1? If
 * false, a plain sum is good enough. part: fraction of dx; sizes: of the summands of q_1, v_1. */
bool ga_fine_wanted(const ga_equations *s, double part, const double *dx, const double *size_q,
                    const double *size_v, const double *x) {
  const ga_space *space = s->eval->model->space;
  int any = s->fine.used;
  for (int b = 0; b < s->method->nx && !any; b++) {
    for (int i = 0; i < space->nfactor; i++) {
      if (!space->factor[i].group->commutative) continue;
      const flat f = flat_of(s, b, &space->factor[i], size_q, size_v);
      for (int k = 0; k < f.n; k++) any |= is_unseen(&f, k, x[f.at + k], part * dx[f.at + k]);
    }
  }
  return any;
}

/* base += part dx in block b for a factor of the space with rotations, which has no rest. */
static void add_curved(ga_equations *s, int b, const ga_factor *factor, double part,
                       const double *dx) {
  const int from = b * s->nv + factor->v_at;
  ga_axpy(factor->n * factor->group->nv, part, dx + from, s->fine.base + from);
}

/* x <- x + part dx for the accelerations x, a plain sum (0 < part <= 1), kept as base + rest
 * (fine.h). size_q, size_v: sizes of the summands of q_1 and v_1; what is below their rounding goes
 * to rest. On SO(3) and SE(3) all goes to base. Sums below GA_UNDERFLOW become zero. Sets
 * fine.used. */
void ga_fine_add(ga_equations *s, double part, const double *dx, const double *size_q,
                 const double *size_v, double *x) {
  const ga_space *space = s->eval->model->space;
  start_two_parts(s, x);
  for (int b = 0; b < s->method->nx; b++) {
    for (int f = 0; f < space->nfactor; f++) {
      if (space->factor[f].group->commutative) {
        const flat own = flat_of(s, b, &space->factor[f], size_q, size_v);
        add_flat(&own, part, dx + own.at, s->fine.base + own.at, s->fine.rest + own.at);
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

/* Move q_1, v_1 of the new site, and v^_1 if there is one, by the rest; they must have been
 * computed with x = base. */
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
