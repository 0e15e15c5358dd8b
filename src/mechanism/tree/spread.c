/* SPDX-License-Identifier: MIT */
/* From the frames of elements to the freedoms of a tree: the carrier of joint coordinates.
 *
 * An element gives rows J, Z and covectors f with plain derivatives A, B by (x, phi) of its bodies.
 * With the corrections of absolute.c as for SE(3) on both sides, w = (f_phi + c x f_x, f_x) of each
 * side, X_k = (u_k + omega_k x c, omega_k) on the side whose path holds k, Psi_k the same of psi_k,
 * and k below the lowest common node (a common freedom moves both sides as one body):
 *
 *     G_k, H_k = J.X_k     Z_k, Y_k = Z.X_k + J.Psi_k     F_k += X_k.f
 *     Kt_ik += X_i^T (A X_k + B Psi_k) + [i, k on one side, i's node above k's] S_i.(S_k x* w)
 *     Ct_ik += X_i^T B X_k
 *
 * X.f = S.w, so that wrenches are formed once and each product has six terms. Forces are added to the
 * wrenches of their bodies, which are summed over subtrees anyway. */
#include <math.h>
#include <string.h>

#include "mechanism/tree/tree.h"

static void tree_frames(ga_pass *pass, const ga_element *el, const ga_frame **a,
                        const ga_frame **b) {
  static const ga_frame ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  ga_tree_move(pass);
  for (int side = 0; side < 2; side++) {
    const int body = el->body[side];
    pass->frame[side] = body > 0 ? &ga_tree_state(pass, body)->frame : &ground;
  }
  *a = pass->frame[0], *b = pass->frame[1];
}

static void tree_frame(ga_pass *pass, int body, ga_frame *frame) {
  ga_tree_move(pass);
  if (body > 0) {
    *frame = ga_tree_state(pass, body)->frame;
  } else {
    *frame = (ga_frame){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  }
}

static const ga_spread *spread_of(const ga_pass *pass, const ga_element *el) {
  return &pass->m->tree->spread[el - pass->m->elements.item];
}

/* held <- Z with v held instead of x' and omega, as on SE(3) */
static void hold_velocities(const ga_frame *f, const double *J, const double *Z, double *held) {
  memcpy(held, Z, 6 * sizeof *held);
  ga_add_cross3(1, f->w, J + 3, held + 3);
  ga_add_cross3(1, f->xd, J, held + 3);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* G_ik of row r, freedom k, zero if it is rounding: where a tree holds what a row compares, as two of the
 * five rows of the hinge that closes a plane linkage, G is zero, and its rounding errors would pass for a
 * direction. */
static inline double without_rounding(const ga_mechanism *m, int r, int k, double x) {
  if (!m->model.row_reach) return x;
  return fabs(x) <= m->model.row_reach[r] * m->tree->rounding[k] ? 0 : x;
}

/* Where the numbers of row i of an element go. */
typedef struct {
  const ga_spread *sp;
  const int *at;
  int r, number; /* in g or k, in both */
  double *value, *drift, multiplier;
  ga_csr *first, *second, *react;
} row_place;

static row_place place_of_row(const ga_pass *pass, const ga_element *el, int i) {
  const ga_evaluation *out = pass->out;
  const ga_spread *sp = spread_of(pass, el);
  row_place p = {.sp = sp, .at = sp->row_at + i * sp->n};
  if (i < el->nlam) {
    p.r = p.number = el->lam_at + i;
    p.value = out->g, p.drift = out->drift;
    p.first = out->G, p.second = out->Z, p.react = out->L;
    p.multiplier = out->R ? out->lam[p.r] : 0;
  } else {
    p.r = el->psi_at + i - el->nlam;
    p.number = pass->m->nlam + p.r;
    p.value = out->k, p.drift = out->k_drift;
    p.first = out->H, p.second = out->Y, p.react = out->P;
    p.multiplier = out->R ? out->psi[p.r] : 0;
  }
  return p;
}

/* Write a row from wrenches about O of both sides, of J and, if they are wanted, of Z. */
static void put_row(ga_pass *pass, const row_place *p, double wJ[2][6], double wZ[2][6]) {
  const bool curved = p->second || p->drift;
  double sum = 0;
  for (int k = 0; k < p->sp->n; k++) {
    const int freedom = p->sp->freedom[k], side = p->sp->side[k];
    const ga_freedom_state *f = &pass->room->freedom[freedom];
    const double x = without_rounding(pass->m, p->number, freedom, ga_dot6(wJ[side], f->S));
    if (p->first) p->first->val[p->at[k]] = x;
    if (p->react) p->react->val[p->at[k]] = x;
    if (pass->out->R) pass->out->R[freedom] -= p->multiplier * x;
    if (!curved) continue;
    const double y = ga_dot6(wZ[side], f->S) + ga_dot6(wJ[side], f->psi);
    if (p->second) p->second->val[p->at[k]] = y;
    sum += y * pass->v[freedom];
  }
  if (p->drift) p->drift[p->r] = sum;
}

static void tree_row(ga_pass *pass, const ga_element *el, int i, const ga_row *row) {
  const row_place p = place_of_row(pass, el, i);
  double wJ[2][6], wZ[2][6];
  if (p.value) p.value[p.r] = row->value;
  for (int side = 0; side < 2; side++) {
    if (el->body[side] == 0) continue;
    ga_node_state *st = ga_tree_state(pass, el->body[side]);
    const double *J = row->J + 6 * side;
    double held[6];
    ga_wrench6(J, st->c, wJ[side]);
    if (pass->room->collects) ga_add6(p.multiplier, wJ[side], st->W);
    if (!p.second && !p.drift) continue;
    hold_velocities(&st->frame, J, row->Z + 6 * side, held);
    ga_wrench6(held, st->c, wZ[side]);
  }
  put_row(pass, &p, wJ, wZ);
}

/* w <- (x, 0) x s e_k: moment of s e_k at x, or with the velocity of x */
static void cross_unit(const double *x, double s, int k, double *w) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  w[i] = s * x[j], w[j] = -s * x[i], w[k] = 0;
}

/* g = component k of p_b - p_a, s = 1 and -1: J is the wrench of s e_k at the point P, whose velocity is
 * P'; the row's rate is s e_k.P', and D_k of P' = u_k + omega_k x P on the freedom k (v held) is
 *     omega_k x P' + psi_k at P,   so that Z has the wrench (P' x s e_k, 0). */
static void tree_point_row(ga_pass *pass, const ga_element *el, int i, int k, const ga_pair *pair) {
  const row_place p = place_of_row(pass, el, i);
  double wJ[2][6], wZ[2][6];
  if (p.value) p.value[p.r] = pair->d[k];
  for (int side = 0; side < 2; side++) {
    if (el->body[side] == 0) continue;
    ga_node_state *st = ga_tree_state(pass, el->body[side]);
    const double *arm = side ? pair->rb : pair->ra, s = side ? 1 : -1;
    double P[3], rate[3];
    ga_plus3(st->c, 1, arm, P);
    cross_unit(P, s, k, wJ[side]);
    ga_zero3(wJ[side] + 3);
    wJ[side][3 + k] = s;
    if (pass->room->collects) ga_add6(p.multiplier, wJ[side], st->W);
    if (!p.second && !p.drift) continue;
    ga_copy3(st->frame.xd, rate);
    ga_add_cross3(1, st->frame.w, arm, rate);
    cross_unit(rate, s, k, wZ[side]);
    ga_zero3(wZ[side] + 3);
  }
  put_row(pass, &p, wJ, wZ);
}

/* ---- forces --------------------------------------------------------------------------------- */

static void tree_force(ga_pass *pass, const ga_element *el, const double *f) {
  for (int side = 0; side < 2; side++) {
    if (el->body[side] == 0) continue;
    ga_node_state *st = ga_tree_state(pass, el->body[side]);
    double w[6];
    ga_wrench6(f + 6 * side, st->c, w);
    ga_add6(-1, w, st->W);
  }
}

/* X <- T^T A T of one 6 x 6 block: rows and columns (x, phi) of frames at c and d become (omega, u). */
static void about_origin(double (*A)[GA_PAIR], const double *c, const double *d, double X[6][6]) {
  double Y[6][6];
  for (int i = 0; i < 6; i++) { /* columns: omega gets A(., phi) + d x A(., x), u gets A(., x) */
    ga_copy3(A[i] + 3, Y[i]);
    ga_add_cross3(1, d, A[i], Y[i]);
    ga_copy3(A[i], Y[i] + 3);
  }
  for (int j = 0; j < 6; j++) {
    const double x[3] = {Y[0][j], Y[1][j], Y[2][j]};
    double n[3] = {Y[3][j], Y[4][j], Y[5][j]};
    ga_add_cross3(1, c, x, n);
    for (int i = 0; i < 3; i++) X[i][j] = n[i], X[3 + i][j] = x[i];
  }
}

/* y += X s */
static void add_product6(double X[6][6], const double *s, double *y) {
  for (int i = 0; i < 6; i++) y[i] += ga_dot6(X[i], s);
}

/* What the wrenches y, z of both sides change by freedom k, kept for the own solver. */
static void keep_column(const ga_pass *pass, int k, const double *y, const double *z) {
  double *by_q = pass->room->by_q + GA_PAIR * k, *by_v = pass->room->by_v + GA_PAIR * k;
  for (int e = 0; e < GA_PAIR; e++) by_q[e] += y[e];
  for (int e = 0; e < GA_PAIR && z; e++) by_v[e] += z[e];
}

/* Kt and Ct of the columns of one freedom k of the element; A, B: blocks about O by sides. */
static void put_tangent_column(const ga_pass *pass, const ga_spread *sp, int k,
                               double A[2][2][6][6], double B[2][2][6][6], bool damped,
                               double w[2][6]) {
  const ga_tree *tree = pass->m->tree;
  const int side = sp->side[k], freedom = sp->freedom[k];
  const ga_freedom_state *f = &pass->room->freedom[freedom];
  double y[2][6] = {{0}}, z[2][6] = {{0}}, turn[6];
  for (int other = 0; other < 2; other++) {
    add_product6(A[other][side], f->S, y[other]);
    if (!damped) continue;
    add_product6(B[other][side], f->psi, y[other]);
    add_product6(B[other][side], f->S, z[other]);
  }
  if (pass->room->by_q) {
    keep_column(pass, k, y[0], damped ? z[0] : NULL);
    return;
  }
  ga_cross_wrench6(f->S, w[side], turn);
  for (int i = 0; i < sp->n; i++) {
    const int row = sp->freedom[i], s = sp->side[i];
    const int at = sp->K_at ? sp->K_at[i * sp->n + k] : row * pass->m->nv + freedom;
    const double *S = pass->room->freedom[row].S;
    double x = ga_dot6(S, y[s]);
    if (s == side && tree->node_of[row] < tree->node_of[freedom]) x += ga_dot6(S, turn);
    pass->out->Kt->val[at] += x;
    if (damped) pass->out->Ct->val[at] += ga_dot6(S, z[s]);
  }
}

static void tree_tangent(ga_pass *pass, const ga_element *el, ga_tangent *t) {
  const ga_spread *sp = spread_of(pass, el);
  double A[2][2][6][6], B[2][2][6][6], w[2][6], c[2][3] = {{0}};
  for (int side = 0; side < 2; side++) {
    ga_tangent_turn(t, side, true, pass->frame[side]);
    if (el->body[side] > 0) ga_copy3(ga_tree_state(pass, el->body[side])->c, c[side]);
    ga_wrench6(t->f + 6 * side, c[side], w[side]);
    if (pass->room->by_q && el->body[side] > 0) {
      ga_add6(1, w[side], ga_tree_state(pass, el->body[side])->W);
    }
  }
  for (int row = 0; row < 2; row++) {
    for (int column = 0; column < 2; column++) {
      double a[6][GA_PAIR], b[6][GA_PAIR];
      if (el->body[row] == 0 || el->body[column] == 0) continue;
      for (int i = 0; i < 6; i++) {
        memcpy(a[i], &t->A[6 * row + i][6 * column], 6 * sizeof(double));
        if (t->damped) memcpy(b[i], &t->B[6 * row + i][6 * column], 6 * sizeof(double));
      }
      about_origin(a, c[row], c[column], A[row][column]);
      if (t->damped) about_origin(b, c[row], c[column], B[row][column]);
    }
  }
  for (int side = 0; side < 2; side++) { /* the ground: no freedoms, and nothing to multiply */
    if (el->body[side] > 0) continue;
    for (int other = 0; other < 2; other++) {
      memset(A[side][other], 0, sizeof A[side][other]);
      memset(A[other][side], 0, sizeof A[other][side]);
      memset(B[side][other], 0, sizeof B[side][other]);
      memset(B[other][side], 0, sizeof B[other][side]);
    }
  }
  for (int k = 0; k < sp->n; k++) put_tangent_column(pass, sp, k, A, B, t->damped, w);
}

/* A constant force f = +-phi at the point P of each side, w its wrench. A freedom k of that side turns the
 * columns of those i at or beyond it, so that they see f change by -omega_k x f at P; those above k see
 * P move by u_k + omega_k x P. Each side acts on its own freedoms. */
static void tree_point_tangent(ga_pass *pass, const ga_element *el, const double *phi,
                               const ga_pair *p) {
  const ga_spread *sp = spread_of(pass, el);
  const ga_tree *tree = pass->m->tree;
  double f[2][3], P[2][3];
  for (int side = 0; side < 2; side++) {
    if (el->body[side] == 0) continue;
    ga_plus3(ga_tree_state(pass, el->body[side])->c, 1, side ? p->rb : p->ra, P[side]);
    for (int i = 0; i < 3; i++) f[side][i] = side ? phi[i] : -phi[i];
    if (pass->room->by_q) {
      double *W = ga_tree_state(pass, el->body[side])->W;
      ga_add_cross3(1, P[side], f[side], W);
      for (int i = 0; i < 3; i++) W[3 + i] += f[side][i];
    }
  }
  for (int k = 0; k < sp->n; k++) {
    const int side = sp->side[k], freedom = sp->freedom[k];
    const double *S = pass->room->freedom[freedom].S;
    double turned[6], moved[3], moment[3];
    ga_cross3(f[side], S, turned + 3);
    ga_cross3(P[side], turned + 3, turned);
    ga_copy3(S + 3, moved);
    ga_add_cross3(1, S, P[side], moved);
    ga_cross3(moved, f[side], moment);
    if (pass->room->by_q) {
      double y[2][6] = {{0}};
      memcpy(y[side], turned, sizeof turned);
      keep_column(pass, k, y[0], NULL);
      continue;
    }
    for (int i = 0; i < sp->n; i++) {
      const int row = sp->freedom[i];
      if (sp->side[i] != side) continue;
      const double *Si = pass->room->freedom[row].S;
      const int at = sp->K_at ? sp->K_at[i * sp->n + k] : row * pass->m->nv + freedom;
      pass->out->Kt->val[at] +=
          tree->node_of[row] < tree->node_of[freedom] ? ga_dot3(Si, moment) : ga_dot6(Si, turned);
    }
  }
}

/* ---- signals -------------------------------------------------------------------------------- */

/* The block of a body in a gradient has derivatives by (x, phi) of its frame, v held as on SE(3). */
static void tree_gradient(const ga_pass *pass, int body, const ga_frame *frame, const double *plain,
                          const double *rate, double *by_q, double *by_v) {
  (void)pass, (void)body;
  hold_velocities(frame, rate, plain, by_q);
  memcpy(by_v, rate, 6 * sizeof *by_v);
}

/* *by_q, *by_v <- derivatives of a number with gradient g by freedom j of the reach. */
static void reach_derivatives(ga_pass *pass, const ga_spread *sp, const ga_gradient *g, int j,
                              double *by_q, double *by_v) {
  const ga_reach_block *b = &g->reach->block[sp->reach_block[j]];
  if (b->body < 0) {
    *by_q = g->q[b->first], *by_v = g->v[b->first];
    return;
  }
  const ga_freedom_state *f = &pass->room->freedom[sp->reach_freedom[j]];
  const double *c = ga_tree_state(pass, b->body)->c;
  double wq[6], wv[6];
  ga_wrench6(g->q + b->first, c, wq);
  ga_wrench6(g->v + b->first, c, wv);
  *by_q = ga_dot6(wq, f->S) + ga_dot6(wv, f->psi);
  *by_v = ga_dot6(wv, f->S);
}

static void tree_reach(ga_pass *pass, const ga_element *el, const ga_gradient *g, const double *f) {
  const ga_spread *sp = spread_of(pass, el);
  double w[2][6], by_q, by_v;
  ga_tree_move(pass);
  for (int side = 0; f && side < 2; side++) {
    if (el->body[side] > 0) {
      ga_wrench6(f + 6 * side, ga_tree_state(pass, el->body[side])->c, w[side]);
    }
  }
  const int rows = f ? sp->n : 1;
  for (int j = 0; j < sp->nreach; j++) {
    reach_derivatives(pass, sp, g, j, &by_q, &by_v);
    for (int i = 0; i < rows; i++) {
      const int at = sp->reach_at[i * sp->nreach + j];
      const double own = f ? ga_dot6(w[sp->side[i]], pass->room->freedom[sp->freedom[i]].S) : 1;
      pass->out->Kt->val[at] -= own * by_q;
      pass->out->Ct->val[at] -= own * by_v;
    }
  }
}

static void tree_row_reach(ga_pass *pass, const ga_element *el, const ga_gradient *g,
                           double *drift) {
  const ga_evaluation *out = pass->out;
  const ga_spread *sp = spread_of(pass, el);
  double by_q, by_v;
  ga_tree_move(pass);
  for (int j = 0; j < sp->nreach; j++) {
    reach_derivatives(pass, sp, g, j, &by_q, &by_v);
    if (out->H) out->H->val[sp->reach_at[j]] -= by_v;
    if (out->Y) out->Y->val[sp->reach_at[j]] -= by_q;
    if (out->k_drift) *drift -= by_q * pass->v[sp->reach_freedom[j]];
  }
}

/* ---- table ---------------------------------------------------------------------------------- */

/* Masses come after the elements, whose wrenches they add up. */
static void tree_nothing(ga_pass *pass) {
  (void)pass;
}

const ga_carrier ga_carrier_tree = {.begin = ga_tree_take_room,
                                    .end = ga_tree_return_room,
                                    .frames = tree_frames,
                                    .frame = tree_frame,
                                    .row = tree_row,
                                    .point_row = tree_point_row,
                                    .force = tree_force,
                                    .tangent = tree_tangent,
                                    .point_tangent = tree_point_tangent,
                                    .reach = tree_reach,
                                    .row_reach = tree_row_reach,
                                    .gradient = tree_gradient,
                                    .inertia = tree_nothing,
                                    .finish = ga_tree_inertia,
                                    .motion = ga_tree_motion};
