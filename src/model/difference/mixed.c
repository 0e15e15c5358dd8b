/* SPDX-License-Identifier: MIT */
/* Second derivatives of g and k by differences, for the Newton matrix.
 *
 *     D_q(G^T lam)         entry (i, j): sum over r of lam_r D_j D_i g_r
 *     Z = D_q(G v + g_t)   entry (r, j): D_j of the derivative of g_r along t + s, q o exp(s v)
 *
 * With a step a along direction i and a step b along direction j, the symmetric second difference
 * is
 *
 *     S_ij = (F(a + b) - F(a) - F(b) + F(0))/(2 a b) + O(a^2 + b^2),
 *     F(w) = f(w) + f(-w),   f(w) = g(q o exp(w)).
 *
 * F(a + b) takes two values of g for each pair. Kt and Z share the values along single directions.
 * Columns without a common row of G are moved together as a group. A row then has at most one
 * column of each group, so that a pair of groups gives the entries of all rows. As S is symmetric,
 * n groups take n (n + 3) values of g for Kt, and 2 n + 2 more for Z.
 *
 * On a group, D_j D_i g is the derivative along q o exp(b e_j) o exp(a e_i). By the formula of
 * Baker, Campbell and Hausdorff exp(b e_j) exp(a e_i) = exp(b e_j + a e_i + a b [e_j, e_i]/2 + ..),
 * therefore
 *
 *     D_j D_i g = S_ij + G [e_j, e_i]/2,     Z_j = S(e_j, v) + G [e_j, v]/2.
 *
 * The same for k: D_q(H^T psi) by pairs of q and v, d(H^T psi)/dv by pairs of v. */
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "model/evaluation.h"

/* Step, eps^(1/5). The truncation error is about its square, 5e-7. The rounding error, 1e-9, is far
 * below that, also if g is a sum of large numbers. */
static const double MIXED = 7.4e-4;

/* one function f, its columns in groups, and scratch */
typedef struct {
  ga_eval *e;
  const ga_eval_point *p;
  ga_eval_point_fn fn;
  const ga_colouring *colours;
  int rows;
  double *step[2];   /* nv: steps along q and along v */
  double *q, *v, *w; /* the moved point, and the increment of q */
  double *at_0;      /* F(0) */
  double *value;     /* F at a pair */
  double *back;      /* f(-w) */
} differences;

/* a group of columns of q (GA_DIFFERENCE_Q) or v; -1: none */
typedef struct {
  ga_difference_kind kind;
  int group;
} direction;

static const direction nowhere = {GA_DIFFERENCE_Q, -1};

/* a step along the motion: time for which q moves with v, and change of t */
typedef struct {
  double q, t;
} motion;

static const motion at_rest = {0, 0};

/* value = f(w) for d->rows rows, w = sign times (a step along group a + a step along group b + the
 * motion); sign is 1 or -1. Overwrites d->q, d->v and d->w; d->step must be set. */
static ga_status value_one_side(const differences *d, direction a, direction b, motion along,
                                double sign, double *value) {
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

/* value = F(w) = f(w) + f(-w) for d->rows rows, w as in value_one_side; d->back is overwritten. If
 * the status is not GA_OK, value is not to be used. */
static ga_status value_at(const differences *d, direction a, direction b, motion along,
                          double *value) {
  ga_status status = value_one_side(d, a, b, along, 1, value);
  if (status == GA_OK) status = value_one_side(d, a, b, along, -1, d->back);
  for (int r = 0; r < d->rows; r++) value[r] += d->back[r];
  return status;
}

/* Where F along one group of columns is stored: d->rows numbers of e->mixed[kind]. */
static double *single_value(const differences *d, ga_difference_kind kind, int group) {
  return d->e->mixed[kind] + (size_t)group * (size_t)d->rows;
}

/* Step for column j of this kind. If G was computed by differences, its reduced steps show over
 * which length g is curved. The geometric mean of the usual and the reduced step is short enough
 * here, and a step reduced without need does little harm. */
static double step_along(const differences *d, ga_difference_kind kind, int j) {
  const ga_nearby *near = &d->e->near;
  bool known =
      kind == GA_DIFFERENCE_Q && d->fn == ga_eval_point_g && near->valid && near->t == d->p->t;
  double usual = MIXED * ga_difference_scale(d->e, d->p, kind, j);
  return known ? sqrt(usual * near->step[j]) : usual;
}

/* Set the steps of this kind, and store F along each single group (single_value). */
static ga_status values_along_single(const differences *d, ga_difference_kind kind) {
  ga_status status = GA_OK;
  for (int j = 0; j < d->e->nv; j++) d->step[kind][j] = step_along(d, kind, j);
  for (int g = 0; g < d->colours->count && status == GA_OK; g++) {
    status = value_at(d, (direction){kind, g}, nowhere, at_rest, single_value(d, kind, g));
  }
  return status;
}

/* e->owner[r]: the column of this group that has an entry in row r, -1 if there is none */
static void find_owners(const differences *d, int group) {
  const ga_colouring *c = d->colours;
  for (int r = 0; r < d->rows; r++) d->e->owner[r] = -1;
  for (int k = c->start[group]; k < c->start[group + 1]; k++) {
    int j = c->column[k];
    for (int at = c->ptr[j]; at < c->ptr[j + 1]; at++) d->e->owner[c->row[at]] = j;
  }
}

/* A_ij += value; entries outside the pattern are dropped. */
static void add_entry(ga_csr *A, int i, int j, double value) {
  int at = ga_csr_find(A, i, j);
  if (at >= 0) A->val[at] += value;
}

/* Add mult_r S_ij (head of this file) of all rows r to A, for the columns i of group a and j of
 * group b; `value` is F at that pair. Of two groups of one kind A_ji gets the same. e->owner must
 * be that of group b (find_owners). Returns false then. value NULL: add nothing, only return
 * whether the pair has any entry. */
static bool add_pair(const differences *d, direction a, direction b, const double *mult,
                     const double *value, ga_csr *A) {
  const ga_colouring *c = d->colours;
  const double *at_a = single_value(d, a.kind, a.group), *at_b = single_value(d, b.kind, b.group);
  bool mirrored = a.kind == b.kind && a.group != b.group;
  for (int k = c->start[a.group]; k < c->start[a.group + 1]; k++) {
    int i = c->column[k];
    for (int at = c->ptr[i]; at < c->ptr[i + 1]; at++) {
      int r = c->row[at], j = d->e->owner[r];
      if (j < 0) continue;
      if (!value) return true;
      double s = mult[r] * ((value[r] - at_a[r]) - (at_b[r] - d->at_0[r])) /
                 (2 * d->step[a.kind][i] * d->step[b.kind][j]);
      add_entry(A, i, j, s);
      if (mirrored) add_entry(A, j, i, s);
    }
  }
  return false;
}

/* A_ij += sum_r mult_r S_ij of f_r for all pairs of groups; direction i is of the kind `of`, j of
 * the kind `by`. Needs d->at_0 and the values along single groups; overwrites e->owner and
 * d->value. */
static ga_status add_all_pairs(const differences *d, ga_difference_kind of, ga_difference_kind by,
                               const double *mult, ga_csr *A) {
  ga_status status = GA_OK;
  for (int b = 0; b < d->colours->count; b++) {
    find_owners(d, b);
    for (int a = 0; a < d->colours->count && status == GA_OK; a++) {
      const direction da = {of, a}, db = {by, b};
      if ((of == by && a > b) || !add_pair(d, da, db, mult, NULL, A)) continue;
      status = value_at(d, da, db, at_rest, d->value);
      if (status == GA_OK) add_pair(d, da, db, mult, d->value, A);
    }
  }
  return status;
}

/* Step tau along the motion: the time in which no coordinate moves farther than its step (d->step
 * must be set); 0 if v = 0. It is inversely proportional to v, so that Z is as accurate for small
 * velocities as for large ones. */
static double motion_step(const differences *d) {
  double tau = INFINITY;
  for (int j = 0; j < d->e->nv; j++) {
    double speed = fabs(d->p->v[j]);
    if (speed > 0) tau = fmin(tau, d->step[GA_DIFFERENCE_Q][j] / speed);
  }
  return isfinite(tau) ? tau : 0;
}

/* Z_rj += S_r(e_j, v) if along.q is the step of the motion; the same with t instead of v if along.t
 * is the step. The other one must be zero. Needs d->at_0 and the values along single groups;
 * overwrites e->mixed_rate and d->value. */
static ga_status add_along(const differences *d, motion along, ga_csr *Z) {
  const ga_colouring *c = d->colours;
  double *rate = d->e->mixed_rate, tau = along.q + along.t;
  ga_status status = value_at(d, nowhere, nowhere, along, rate);
  bool still = along.t > 0 && memcmp(rate, d->at_0, (size_t)d->rows * sizeof(double)) == 0;
  if (still) return status; /* g does not depend on time */
  for (int g = 0; g < c->count && status == GA_OK; g++) {
    const double *at_g = single_value(d, GA_DIFFERENCE_Q, g);
    status = value_at(d, (direction){GA_DIFFERENCE_Q, g}, nowhere, along, d->value);
    for (int k = c->start[g]; k < c->start[g + 1] && status == GA_OK; k++) {
      int j = c->column[k];
      for (int at = c->ptr[j]; at < c->ptr[j + 1]; at++) {
        int r = c->row[at];
        Z->val[c->slot[at]] += ((d->value[r] - at_g[r]) - (rate[r] - d->at_0[r])) /
                               (2 * d->step[GA_DIFFERENCE_Q][j] * tau);
      }
    }
  }
  return status;
}

/* Z_j = S(e_j, v) + D_j g_t, without the brackets: Z is cleared, then both terms are added (the
 * second only if g depends on t). */
static ga_status differentiate_along_motion(const differences *d, ga_csr *Z) {
  double tau = motion_step(d);
  ga_status status = GA_OK;
  ga_csr_zero(Z);
  if (tau > 0) status = add_along(d, (motion){.q = tau}, Z);
  if (status != GA_OK || d->e->model->scleronomic) return status;
  return add_along(d, (motion){.t = ga_difference_time_step(d->p->t, d->e->time_step)}, Z);
}

/* The brackets of one copy of a group, whose columns begin at v_at: y^T [e_j, e_i]/2 to Kt_ij,
 * G_r [e_j, v]/2 to Z_rj. In a row of G all columns of the copy are listed one after the other. */
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
      if (sum != 0) add_entry(Kt, v_at + i, v_at + j, sum / 2);
    }
    if (!Z) continue;
    group->bracket(1, basis[j], d->p->v + v_at, c);
    for (int r = 0; r < d->rows; r++) {
      int at = ga_csr_find(G, r, v_at);
      for (int k = 0; k < m && at >= 0; k++) Z->val[at + j] += G->val[at + k] * c[k] / 2;
    }
  }
}

/* Add the terms with brackets of all factors of the space that are not commutative: y^T [e_j,
 * e_i]/2 with y = G^T lam to Kt, G [e_j, v]/2 to Z; both may be NULL. Overwrites e->G and d->w. */
static ga_status add_all_brackets(const differences *d, ga_csr *Kt, ga_csr *Z) {
  const ga_space *space = d->e->model->space;
  double *y = d->w;
  if (space->commutative) return GA_OK;
  /* G is mostly known from the reference point of nearby.c */
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

/* D_q(G^T lam) is one term of Kt, and h^2 Kt is mostly a small term of the Newton matrix: its error
 * costs little. So it is used for n/4 matrices, n the number of groups of columns, as long as q and
 * lam change by less than CHANGED (q in its units, lam relative to the largest multiplier). It is
 * used once in a step only: if the matrix has to be renewed a second time, this term may be the
 * reason. */
static const double CHANGED = 0.5;

/* May the stored D_q(G^T lam) be used at p? See CHANGED. Not if it was used in more than a quarter
 * as many matrices as there are groups, and never at the time where it was computed. */
static bool can_reuse_curvature(const ga_eval *e, const ga_eval_point *p) {
  const ga_curvature *kept = &e->curvature;
  if (!e->one_tangent || kept->uses == 0 || 4 * kept->uses > e->colouring_G.count) return false;
  if (kept->t == p->t) return false;
  double limit = CHANGED * fmin(ga_max_abs(e->nlam, p->lam), ga_max_abs(e->nlam, kept->lam));
  for (int i = 0; i < e->nq; i++) {
    if (!(fabs(p->q[i] - kept->q[i]) <= CHANGED)) return false;
  }
  for (int r = 0; r < e->nlam; r++) {
    if (!(fabs(p->lam[r] - kept->lam[r]) <= limit)) return false;
  }
  return true;
}

/* A step begins: remember how often the stored D_q(G^T lam) was used, for ga_eval_take_back. */
void ga_eval_begin(ga_eval *e) {
  e->curvature_renewed = false;
  e->curvature_uses = e->curvature.uses;
}

/* A step is repeated: restore D_q(G^T lam) and its uses as ga_eval_begin found them. */
void ga_eval_take_back(ga_eval *e) {
  if (e->curvature_renewed) {
    ga_curvature kept = e->curvature;
    e->curvature = e->curvature_before;
    e->curvature_before = kept;
  }
  e->curvature_renewed = false;
  e->curvature.uses = e->curvature_uses;
}

/* Forget everything that influences later quotients, so that a run can be repeated exactly. */
void ga_eval_forget(ga_eval *e) {
  ga_eval_forget_nearby(e);
  e->curvature.uses = 0;
}

/* Start a new D_q(G^T lam) at p in e->curvature, which is returned: K zero, uses 0. The one from
 * the begin of the step is kept in e->curvature_before for ga_eval_take_back. */
static ga_curvature *renew_curvature(ga_eval *e, const ga_eval_point *p) {
  if (!e->curvature_renewed) {
    ga_curvature kept = e->curvature_before;
    e->curvature_before = e->curvature;
    e->curvature = kept;
  }
  e->curvature_renewed = true;
  ga_csr_zero(&e->curvature.K);
  e->curvature.uses = 0;
  e->curvature.t = p->t;
  memcpy(e->curvature.q, p->q, (size_t)e->nq * sizeof(double));
  memcpy(e->curvature.lam, p->lam, (size_t)e->nlam * sizeof(double));
  return &e->curvature;
}

/* Kt += D_q(G^T lam), computed or reused (then e->curvature.uses grows); Z is overwritten by D_q(G
 * v + g_t). Either may be NULL. Sets fn, colours and rows of *d; on failure Kt is unchanged. */
static ga_status differentiate_g(differences *d, ga_csr *Kt, ga_csr *Z) {
  ga_eval *e = d->e;
  bool again = Kt && can_reuse_curvature(e, d->p);
  ga_csr *K = Kt && !again ? &renew_curvature(e, d->p)->K : NULL;
  ga_status status = GA_OK;
  d->fn = ga_eval_point_g, d->colours = &e->colouring_G, d->rows = e->nlam;
  if (K || Z) {
    status = value_at(d, nowhere, nowhere, at_rest, d->at_0);
    if (status == GA_OK) status = values_along_single(d, GA_DIFFERENCE_Q);
    if (status == GA_OK && K)
      status = add_all_pairs(d, GA_DIFFERENCE_Q, GA_DIFFERENCE_Q, d->p->lam, K);
    if (status == GA_OK && Z) status = differentiate_along_motion(d, Z);
    if (status == GA_OK) status = add_all_brackets(d, K, Z);
  }
  if (status != GA_OK || !Kt) return status;
  e->curvature.uses++;
  ga_axpy(ga_csr_nnz(Kt), 1, e->curvature.K.val, Kt->val);
  return GA_OK;
}

/* Kt += D_q(H^T psi), Ct += d(H^T psi)/dv; neither may be NULL. Sets fn, colours and rows of *d. On
 * failure both may be incomplete. */
static ga_status differentiate_k(differences *d, ga_csr *Kt, ga_csr *Ct) {
  d->fn = ga_eval_point_k, d->colours = &d->e->colouring_H, d->rows = d->e->npsi;
  ga_status status = value_at(d, nowhere, nowhere, at_rest, d->at_0);
  if (status == GA_OK) status = values_along_single(d, GA_DIFFERENCE_Q);
  if (status == GA_OK) status = values_along_single(d, GA_DIFFERENCE_V);
  if (status == GA_OK) status = add_all_pairs(d, GA_DIFFERENCE_V, GA_DIFFERENCE_Q, d->p->psi, Kt);
  if (status == GA_OK) status = add_all_pairs(d, GA_DIFFERENCE_V, GA_DIFFERENCE_V, d->p->psi, Ct);
  return status;
}

/* Add D_q(G^T lam), D_q(H^T psi) and d(H^T psi)/dv to Kt and Ct, and overwrite Z; Z may be NULL,
 * and Kt together with Ct. Terms of g only if the model does not give G, terms of k only if it does
 * not give H. Overwrites both levels of scratch, e->mixed, e->owner and e->G. */
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
  if ((e->absent & GA_GIVES_G) && (Kt || Z)) status = differentiate_g(&d, Kt, Z);
  if (status == GA_OK && (e->absent & GA_GIVES_H) && Kt) status = differentiate_k(&d, Kt, Ct);
  return status;
}
