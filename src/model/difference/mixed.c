/* SPDX-License-Identifier: MIT */
/* Second derivatives of g and k by differences, for the Newton matrix.
 *
 * D_q(G^T lam) has the entries sum_r lam_r D_j D_i g_r, Z = D_q(G v + g_t) the entries D_j of the
 * derivative of g_r along the motion t + s, q o exp(s v). With steps a along i and b along j,
 *
 *     S_ij = (F(a + b) - F(a) - F(b) + F(0))/(2 a b) + O(a^2 + b^2),
 *     F(w) = f(w) + f(-w),  f(w) = g(q o exp(w)),
 *
 * takes two values of g for each pair, besides those along single directions, which Kt and Z share.
 * Columns that share no row of G move together: every row then has one column of either group, so a
 * pair of groups gives the entries of all its rows. S is symmetric. So n groups take n (n + 3)
 * values for Kt, and 2 n + 2 more for Z.
 *
 * D_j D_i g is the derivative along q o exp(b e_j) o exp(a e_i), and by the formula of Baker,
 * Campbell and Hausdorff exp(b e_j) exp(a e_i) = exp(b e_j + a e_i + a b [e_j, e_i]/2 + ..). So
 * D_j D_i g = S_ij + G [e_j, e_i]/2, and likewise Z_j = S(e_j, v) + G [e_j, v]/2.
 *
 * The same of k: D_q(H^T psi) by pairs of q and v, d(H^T psi)/dv by pairs of v. */
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "model/evaluation.h"

/* as for the first derivative by fourth-order quotients: the error is about the square of the step,
 * and rounding, 1e-9, is far below it, also where g is made of large numbers */
static const double MIXED = 7.4e-4;

/* one function, its columns in groups, and its values F along single groups of q and of v */
typedef struct {
  ga_eval *e;
  const ga_eval_point *p;
  ga_eval_point_fn fn;
  const ga_colouring *colours;
  int rows;
  double *step[2]; /* of q and v */
  double *q, *v, *w;
  double *at_0, *value, *back;
} differences;

/* a group of columns of q (GA_DIFFERENCE_Q) or v; -1: none */
typedef struct {
  ga_difference_kind kind;
  int group;
} direction;

static const direction nowhere = {GA_DIFFERENCE_Q, -1};

/* for how long q moves with v, and the time itself */
typedef struct {
  double q, t;
} motion;

static const motion at_rest = {0, 0};

/* f at the point moved along two groups and along the motion; sign: -1 for all of it back */
static ga_status one_side(const differences *d, direction a, direction b, motion along, double sign,
                          double *value) {
  const ga_eval *e = d->e;
  const direction both[] = {a, b};
  ga_eval_point moved = *d->p;
  size_t bytes = (size_t)e->nv * sizeof(double);
  memset(d->w, 0, bytes);
  memcpy(d->v, moved.v, bytes);
  if (along.q > 0) ga_axpy(e->nv, sign * along.q, moved.v, d->w);
  for (int i = 0; i < 2; i++) {
    if (both[i].group < 0) continue;
    double *to = both[i].kind == GA_DIFFERENCE_Q ? d->w : d->v;
    const int *start = d->colours->start + both[i].group;
    for (int k = start[0]; k < start[1]; k++) {
      int j = d->colours->column[k];
      to[j] += sign * d->step[both[i].kind][j];
    }
  }
  ga_space_step(e->model->space, moved.q, d->w, d->q);
  moved.t += sign * along.t;
  moved.q = d->q;
  moved.v = d->v;
  return d->fn(d->e, &moved, value);
}

/* F there */
static ga_status value_at(const differences *d, direction a, direction b, motion along,
                          double *value) {
  ga_status status = one_side(d, a, b, along, 1, value);
  if (status == GA_OK) status = one_side(d, a, b, along, -1, d->back);
  for (int r = 0; r < d->rows; r++) value[r] += d->back[r];
  return status;
}

/* The values along single groups of one kind. */
static double *single(const differences *d, ga_difference_kind kind, int group) {
  return d->e->mixed[kind] + (size_t)group * (size_t)d->rows;
}

/* Where G was made of differences nearby, its steps tell over which lengths g bends. Half of their
 * reduction, on the scale of powers, is enough here, and a reduction by chance does little harm. */
static double step_along(const differences *d, ga_difference_kind kind, int j) {
  const ga_nearby *near = &d->e->near;
  bool known =
      kind == GA_DIFFERENCE_Q && d->fn == ga_eval_point_g && near->valid && near->t == d->p->t;
  double usual = MIXED * ga_difference_scale(d->e, d->p, kind, j);
  return known ? sqrt(usual * near->step[j]) : usual;
}

static ga_status singles(const differences *d, ga_difference_kind kind) {
  ga_status status = GA_OK;
  for (int j = 0; j < d->e->nv; j++) d->step[kind][j] = step_along(d, kind, j);
  for (int g = 0; g < d->colours->count && status == GA_OK; g++) {
    status = value_at(d, (direction){kind, g}, nowhere, at_rest, single(d, kind, g));
  }
  return status;
}

/* e->owner[r]: the column of a group that row r has, -1 if it has none */
static void own_rows(const differences *d, int group) {
  const ga_colouring *c = d->colours;
  for (int r = 0; r < d->rows; r++) d->e->owner[r] = -1;
  for (int k = c->start[group]; k < c->start[group + 1]; k++) {
    int j = c->column[k];
    for (int at = c->ptr[j]; at < c->ptr[j + 1]; at++) d->e->owner[c->row[at]] = j;
  }
}

static void add(ga_csr *A, int i, int j, double value) {
  int at = ga_csr_find(A, i, j);
  if (at >= 0) A->val[at] += value;
}

/* Entries of one pair of groups into A; with values: f there. Returns whether there are any. */
static bool pair(const differences *d, direction a, direction b, const double *mult,
                 const double *value, ga_csr *A) {
  const ga_colouring *c = d->colours;
  const double *at_a = single(d, a.kind, a.group), *at_b = single(d, b.kind, b.group);
  bool mirrored = a.kind == b.kind && a.group != b.group;
  for (int k = c->start[a.group]; k < c->start[a.group + 1]; k++) {
    int i = c->column[k];
    for (int at = c->ptr[i]; at < c->ptr[i + 1]; at++) {
      int r = c->row[at], j = d->e->owner[r];
      if (j < 0) continue;
      if (!value) return true;
      double s = mult[r] * ((value[r] - at_a[r]) - (at_b[r] - d->at_0[r])) /
                 (2 * d->step[a.kind][i] * d->step[b.kind][j]);
      add(A, i, j, s);
      if (mirrored) add(A, j, i, s);
    }
  }
  return false;
}

/* A_ij += sum_r mult_r S_ij of f_r, i of the kind `of`, j of the kind `by` */
static ga_status pairs(const differences *d, ga_difference_kind of, ga_difference_kind by,
                       const double *mult, ga_csr *A) {
  ga_status status = GA_OK;
  for (int b = 0; b < d->colours->count; b++) {
    own_rows(d, b);
    for (int a = 0; a < d->colours->count && status == GA_OK; a++) {
      const direction da = {of, a}, db = {by, b};
      if ((of == by && a > b) || !pair(d, da, db, mult, NULL, A)) continue;
      status = value_at(d, da, db, at_rest, d->value);
      if (status == GA_OK) pair(d, da, db, mult, d->value, A);
    }
  }
  return status;
}

/* How far to go along the motion: a time in which no velocity goes farther than its step; 0 at
 * rest. It follows v, so that Z is as accurate for small velocities as for large ones. */
static double motion_step(const differences *d) {
  double tau = INFINITY;
  for (int j = 0; j < d->e->nv; j++) {
    double speed = fabs(d->p->v[j]);
    if (speed > 0) tau = fmin(tau, d->step[GA_DIFFERENCE_Q][j] / speed);
  }
  return isfinite(tau) ? tau : 0;
}

/* Z_rj += S_r(e_j, v), or the same by time alone; tau: the step, along = the motion there */
static ga_status add_along(const differences *d, motion along, ga_csr *Z) {
  const ga_colouring *c = d->colours;
  double *rate = d->e->mixed_rate, tau = along.q + along.t;
  ga_status status = value_at(d, nowhere, nowhere, along, rate);
  bool still = along.t > 0 && memcmp(rate, d->at_0, (size_t)d->rows * sizeof(double)) == 0;
  if (still) return status; /* g does not depend on time */
  for (int g = 0; g < c->count && status == GA_OK; g++) {
    const double *at_g = single(d, GA_DIFFERENCE_Q, g);
    status = value_at(d, (direction){GA_DIFFERENCE_Q, g}, nowhere, along, d->value);
    for (int k = c->start[g]; k < c->start[g + 1] && status == GA_OK; k++) {
      int j = c->column[k];
      for (int at = c->ptr[j]; at < c->ptr[j + 1]; at++) {
        int r = c->row[at];
        Z->val[c->place[at]] += ((d->value[r] - at_g[r]) - (rate[r] - d->at_0[r])) /
                                (2 * d->step[GA_DIFFERENCE_Q][j] * tau);
      }
    }
  }
  return status;
}

/* Z_j = S(e_j, v) + D_j g_t */
static ga_status along_motion(const differences *d, ga_csr *Z) {
  double tau = motion_step(d);
  ga_status status = GA_OK;
  ga_csr_zero(Z);
  if (tau > 0) status = add_along(d, (motion){.q = tau}, Z);
  if (status != GA_OK || d->e->model->scleronomic) return status;
  return add_along(d, (motion){.t = ga_difference_time_step(d->p->t, d->e->time_step)}, Z);
}

/* The brackets of one copy of a group, whose columns begin at v_at: y^T [e_j, e_i]/2 to Kt_ij,
 * G_r [e_j, v]/2 to Z_rj. Rows list all columns of the copy, one after the other. */
static void add_brackets(const differences *d, const ga_group *group, int v_at, const double *y,
                         ga_csr *Kt, ga_csr *Z) {
  const ga_csr *G = &d->e->G;
  double basis[GA_GROUP_NV_MAX][GA_GROUP_NV_MAX] = {{0}}, c[GA_GROUP_NV_MAX];
  int m = group->nv;
  for (int j = 0; j < m; j++) basis[j][j] = 1;
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m && Kt; i++) {
      double sum = 0;
      group->bracket(1, basis[j], basis[i], c);
      for (int k = 0; k < m; k++) sum += y[v_at + k] * c[k];
      if (sum != 0) add(Kt, v_at + i, v_at + j, sum / 2);
    }
    if (!Z) continue;
    group->bracket(1, basis[j], d->p->v + v_at, c);
    for (int r = 0; r < d->rows; r++) {
      int at = ga_csr_find(G, r, v_at);
      for (int k = 0; k < m && at >= 0; k++) Z->val[at + j] += G->val[at + k] * c[k] / 2;
    }
  }
}

static ga_status all_brackets(const differences *d, ga_csr *Kt, ga_csr *Z) {
  const ga_space *space = d->e->model->space;
  double *y = d->w;
  if (space->commutative) return GA_OK;
  /* G is mostly there, nearby */
  const ga_nearby *near = &d->e->near;
  if (near->valid && near->t == d->p->t) {
    memcpy(d->e->G.val, near->G, (size_t)ga_csr_nnz(&d->e->G) * sizeof(double));
  } else {
    ga_status status = ga_difference_columns(d->e, ga_eval_point_g, d->p, GA_DIFFERENCE_Q, false,
                                             &d->e->colouring_G, &d->e->G);
    if (status != GA_OK) return status;
  }
  memset(y, 0, (size_t)d->e->nv * sizeof(double));
  if (Kt) ga_csr_mul_t_add(&d->e->G, 1, d->p->lam, y);
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f];
    if (factor->group->commutative) continue;
    for (int k = 0; k < factor->n; k++) {
      add_brackets(d, factor->group, factor->v_at + k * factor->group->nv, y, Kt, Z);
    }
  }
  return GA_OK;
}

/* ---- D_q(G^T lam), used again ---------------------------------------------------------------- */

/* It is one part of Kt, and h^2 Kt one part of the Newton matrix: mostly a small one, whose error
 * costs little. So it serves for up to a quarter of the matrices that there are groups of columns,
 * until q or lam have changed much; but for one matrix in a step only: if a matrix has to be
 * renewed a second time, this part may be to blame. */
static const double CHANGED = 0.5;

static bool usable(const ga_eval *e, const ga_eval_point *p) {
  const ga_bend *bend = &e->bend;
  if (!e->one_tangent || bend->uses == 0 || 4 * bend->uses > e->colouring_G.count) return false;
  if (bend->t == p->t) return false;
  double limit = CHANGED * fmin(ga_max_abs(e->nlam, p->lam), ga_max_abs(e->nlam, bend->lam));
  for (int i = 0; i < e->nq; i++) {
    if (!(fabs(p->q[i] - bend->q[i]) <= CHANGED)) return false;
  }
  for (int r = 0; r < e->nlam; r++) {
    if (!(fabs(p->lam[r] - bend->lam[r]) <= limit)) return false;
  }
  return true;
}

void ga_eval_begin(ga_eval *e) {
  e->bend_renewed = false;
  e->bend_uses = e->bend.uses;
}

void ga_eval_take_back(ga_eval *e) {
  if (e->bend_renewed) {
    ga_bend kept = e->bend;
    e->bend = e->bend_before;
    e->bend_before = kept;
  }
  e->bend_renewed = false;
  e->bend.uses = e->bend_uses;
}

void ga_eval_forget(ga_eval *e) {
  ga_eval_forget_nearby(e);
  e->bend.uses = 0;
}

/* Room for a new one; the one that the step found is kept. */
static ga_bend *renew_bend(ga_eval *e, const ga_eval_point *p) {
  if (!e->bend_renewed) {
    ga_bend kept = e->bend_before;
    e->bend_before = e->bend;
    e->bend = kept;
  }
  e->bend_renewed = true;
  ga_csr_zero(&e->bend.K);
  e->bend.uses = 0;
  e->bend.t = p->t;
  memcpy(e->bend.q, p->q, (size_t)e->nq * sizeof(double));
  memcpy(e->bend.lam, p->lam, (size_t)e->nlam * sizeof(double));
  return &e->bend;
}

static ga_status of_g(differences *d, ga_csr *Kt, ga_csr *Z) {
  ga_eval *e = d->e;
  bool again = Kt && usable(e, d->p);
  ga_csr *K = Kt && !again ? &renew_bend(e, d->p)->K : NULL;
  ga_status status = GA_OK;
  d->fn = ga_eval_point_g, d->colours = &e->colouring_G, d->rows = e->nlam;
  if (K || Z) {
    status = value_at(d, nowhere, nowhere, at_rest, d->at_0);
    if (status == GA_OK) status = singles(d, GA_DIFFERENCE_Q);
    if (status == GA_OK && K) status = pairs(d, GA_DIFFERENCE_Q, GA_DIFFERENCE_Q, d->p->lam, K);
    if (status == GA_OK && Z) status = along_motion(d, Z);
    if (status == GA_OK) status = all_brackets(d, K, Z);
  }
  if (status != GA_OK || !Kt) return status;
  e->bend.uses++;
  ga_axpy(ga_csr_nnz(Kt), 1, e->bend.K.val, Kt->val);
  return GA_OK;
}

static ga_status of_k(differences *d, ga_csr *Kt, ga_csr *Ct) {
  d->fn = ga_eval_point_k, d->colours = &d->e->colouring_H, d->rows = d->e->npsi;
  ga_status status = value_at(d, nowhere, nowhere, at_rest, d->at_0);
  if (status == GA_OK) status = singles(d, GA_DIFFERENCE_Q);
  if (status == GA_OK) status = singles(d, GA_DIFFERENCE_V);
  if (status == GA_OK) status = pairs(d, GA_DIFFERENCE_V, GA_DIFFERENCE_Q, d->p->psi, Kt);
  if (status == GA_OK) status = pairs(d, GA_DIFFERENCE_V, GA_DIFFERENCE_V, d->p->psi, Ct);
  return status;
}

ga_status ga_difference_mixed(ga_eval *e, const ga_eval_point *p, ga_csr *Kt, ga_csr *Ct,
                              ga_csr *Z) {
  /* g and k are not differences themselves: both levels of scratch are free */
  struct ga_difference_level *fd = e->fd;
  differences d = {.e = e,
                   .p = p,
                   .step = {fd[0].step, fd[1].step},
                   .q = fd[0].q,
                   .v = fd[0].v,
                   .w = fd[0].w,
                   .at_0 = fd[0].mid,
                   .value = fd[0].hi,
                   .back = fd[1].hi};
  ga_status status = GA_OK;
  if ((e->absent & GA_GIVES_G) && (Kt || Z)) status = of_g(&d, Kt, Z);
  if (status == GA_OK && (e->absent & GA_GIVES_H) && Kt) status = of_k(&d, Kt, Ct);
  return status;
}
