/* SPDX-License-Identifier: MIT */
/* G by differences at points close to each other, such as the Newton iterates of one step.
 *
 * At a reference point q_0, G_0 is the fourth-order quotient of derivatives.c: four values of g for
 * each group of columns. At a point q close to q_0 only the change of G is computed. The change is
 * small, so the central quotient with the same step d is accurate enough:
 *
 *     c(s)  = g(q o exp(s e_j)) - g(q_0 o exp(s e_j)),
 *     G e_j = G_0 e_j + (c(d) - c(-d))/(2 d).
 *
 * This takes two values of g for each group. keep_group in derivatives.c estimates, from |D1 - D2|
 * at q_0, how far q may be from q_0 so that the relative error stays below NEARBY (near->reach).
 * Within near->same, where q has moved by rounding only, G_0 itself is used. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "model/evaluation.h"

static const double ROUNDINGS = 4; /* a change of a coordinate below ROUNDINGS eps |q_i| is none */

/* There is no reference point any more: the next G is computed by fourth-order quotients. */
void ga_eval_forget_nearby(ga_eval *e) {
  e->near.valid = false;
}

/* May the reference point be used for p: is it allowed, valid, and at the same time? */
static bool has_reference(const ga_eval *e, const ga_eval_point *p) {
  const ga_nearby *near = &e->near;
  return near->on && near->valid && near->t == p->t;
}

/* Largest change of a coordinate from the reference point to p, beyond its rounding. An angle
 * changes by twice as much as its quaternion. */
static double distance_moved(const ga_eval *e, const ga_eval_point *p) {
  const ga_nearby *near = &e->near;
  double apart = 0;
  for (int i = 0; i < e->nq; i++) {
    double rounding = ROUNDINGS * DBL_EPSILON * fabs(p->q[i]);
    apart = ga_larger(apart, fabs(p->q[i] - near->q[i]) - rounding);
  }
  return e->model->space->commutative ? apart : 2 * apart;
}

/* values[g nlam + r] = g_r at q o exp(sign step) for all groups of columns; step: near.step, sign:
 * 1 or -1. Overwrites w and q of fd[0]; stops at the first status that is not GA_OK. */
static ga_status values_along_groups(ga_eval *e, const ga_eval_point *p, double sign,
                                     double *values) {
  const ga_colouring *c = &e->colouring_G;
  struct ga_difference_level *fd = e->fd;
  ga_status status = GA_OK;
  for (int g = 0; g < c->count && status == GA_OK; g++) {
    memset(fd->w, 0, (size_t)e->nv * sizeof(double));
    for (int k = c->start[g]; k < c->start[g + 1]; k++) {
      fd->w[c->column[k]] = sign * e->near.step[c->column[k]];
    }
    ga_space_step(e->model->space, p->q, fd->w, fd->q);
    status = ga_eval_g(e, p->t, fd->q, values + (size_t)g * (size_t)e->nlam);
  }
  return status;
}

/* G = G_0 + (c(d) - c(-d))/(2 d), see the head of this file: from near->up, down (values of g at
 * +-d from the reference point) and near->new_up, new_down (those from the new point). */
static void add_change(const ga_eval *e, ga_csr *G) {
  const ga_nearby *near = &e->near;
  const ga_colouring *c = &e->colouring_G;
  for (int g = 0; g < c->count; g++) {
    size_t at_g = (size_t)g * (size_t)e->nlam;
    for (int k = c->start[g]; k < c->start[g + 1]; k++) {
      int j = c->column[k];
      for (int at = c->ptr[j]; at < c->ptr[j + 1]; at++) {
        size_t r = at_g + (size_t)c->row[at];
        double up = near->new_up[r] - near->up[r], down = near->new_down[r] - near->down[r];
        double G_0 = near->G[c->slot[at]], entry = G_0 + (up - down) / (2 * near->step[j]);
        G->val[c->slot[at]] = entry == 0 && G_0 != 0 ? DBL_MIN : entry; /* 0: no dependence */
      }
    }
  }
}

/* p becomes the reference point, with G and without g_t; up and down must belong to p already. */
static void keep_reference(ga_eval *e, const ga_eval_point *p, const ga_csr *G) {
  ga_nearby *near = &e->near;
  near->t = p->t;
  near->valid = true;
  near->has_gt = false;
  memcpy(near->q, p->q, (size_t)e->nq * sizeof(double));
  memcpy(near->G, G->val, (size_t)ga_csr_nnz(G) * sizeof(double));
}

/* Exchange two pointers to arrays. */
static void swap_arrays(double **a, double **b) {
  double *kept = *a;
  *a = *b;
  *b = kept;
}

/* G at p from that at the reference point, by two values of g for each group of columns; then p
 * becomes the reference point. On failure neither G nor the reference point has changed. */
static ga_status update_from_reference(ga_eval *e, const ga_eval_point *p, ga_csr *G) {
  ga_nearby *near = &e->near;
  ga_status status = values_along_groups(e, p, 1, near->new_up);
  if (status == GA_OK) status = values_along_groups(e, p, -1, near->new_down);
  if (status != GA_OK) return status;
  add_change(e, G);
  swap_arrays(&near->up, &near->new_up);
  swap_arrays(&near->down, &near->new_down);
  keep_reference(e, p, G);
  return GA_OK;
}

/* G = D_q g at p: from the reference point if q is close enough to it, else by fourth-order
 * quotients; in both cases p becomes the reference point, unless q has moved by rounding only.
 * Inside other differences (fd_depth > 0), or with near.on false, always by quotients, and the
 * reference point stays. On failure of the quotients there is no reference point. */
ga_status ga_difference_G(ga_eval *e, const ga_eval_point *p, ga_csr *G) {
  ga_nearby *near = &e->near;
  if (!near->on || e->fd_depth > 0) {
    return ga_difference_columns(e, ga_eval_point_g, p, GA_DIFFERENCE_Q, true, &e->colouring_G, G);
  }
  if (has_reference(e, p)) {
    double apart = distance_moved(e, p);
    if (apart <= near->same) {
      memcpy(G->val, near->G, (size_t)ga_csr_nnz(G) * sizeof(double));
      return GA_OK;
    }
    if (apart <= near->reach) return update_from_reference(e, p, G);
  }
  near->valid = false;
  ga_status status = ga_difference_keep_G(e, p, G);
  if (status == GA_OK) keep_reference(e, p, G);
  return status;
}

/* gt = g_t at p by a difference in time, nlam numbers. If p is the reference point up to rounding,
 * gt is kept there and copied at the next call. */
ga_status ga_difference_gt(ga_eval *e, const ga_eval_point *p, double *gt) {
  ga_nearby *near = &e->near;
  bool same = e->fd_depth == 0 && (e->absent & GA_GIVES_G) && has_reference(e, p) &&
              distance_moved(e, p) <= near->same;
  size_t bytes = (size_t)e->nlam * sizeof(double);
  if (same && near->has_gt) {
    memcpy(gt, near->gt, bytes);
    return GA_OK;
  }
  ga_status status = ga_difference_time(e, ga_eval_point_g, p, false, e->nlam, gt);
  if (status == GA_OK && same) {
    memcpy(near->gt, gt, bytes);
    near->has_gt = true;
  }
  return status;
}
