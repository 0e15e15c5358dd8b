/* SPDX-License-Identifier: MIT */
/* M, F, Kt and Ct of masses and gravity on a spanning tree. With p the parent of a node, k one of its
 * freedoms, x the accelerations given, A_ground = (0, -gravity), c = x from O, J = R J_b R^T:
 *
 *     A = A_p + sum (S_k x_k + psi_k v_k)       phi_k = psi_k + V x S_k,  chi_k = A_p x S_k + V_p x psi_k
 *     body:  v_c = u + omega x c,  f = m (a + alpha x c + omega x v_c),
 *            n = J alpha + omega x J omega + c x f
 *     sums over the subtree:  F = (n, f);  m, mc, J_O = J + m (c.c 1 - c c^T);  p = m v_c,
 *            N = -2 (omega~ E + m (v_c c^T - (c.v_c) 1)),  E = tr(J)/2 1 - J
 *     I s = (J_O omega_s + mc x u_s, m u_s - mc x omega_s),   B s = (N omega_s, -2 p x omega_s)
 *
 * F_k = -S_k.F with x = 0. For Kt and Ct with the given x: U = I S, w = N^T omega + 2 p x u,
 * c = S x* F + I chi + B psi, d = I phi + B S of each freedom, and
 *
 *     k above i or of one node:  M_ik = U_i.S_k,  Kt_ik = U_i.chi_k + w_i.omega(psi_k),
 *                                Ct_ik = U_i.phi_k + w_i.omega_k
 *     i above k:                 M_ik = S_i.U_k,  Kt_ik = S_i.c_k,  Ct_ik = S_i.d_k
 *
 * These are D_q(M x - F) and -dF/dv exactly: columns fixed to a node move with all freedoms at or
 * above it; the term of a varying S_i and that of S_k x* F cancel where k is above i. */
#include <string.h>

#include "mechanism/tree/tree.h"

/* A of all nodes for the accelerations x (NULL: zero), with or without gravity. */
void ga_tree_accelerate(ga_pass *pass, const double *x, bool gravity) {
  const ga_mechanism *m = pass->m;
  ga_node_state *state = pass->room->node;
  double ground[6] = {0};
  for (int i = 0; i < 3 && gravity; i++) ground[3 + i] = -m->gravity[i];
  for (int i = 0; i < m->tree->nnode; i++) {
    const ga_node *node = &m->tree->node[i];
    const ga_freedom_state *f = pass->room->freedom + node->v_at;
    double *A = state[i].A;
    memcpy(A, node->parent < 0 ? ground : state[node->parent].A, sizeof state[i].A);
    for (int k = 0; k < node->n; k++) {
      if (pass->v) ga_add6(pass->v[node->v_at + k], f[k].psi, A);
      if (x) ga_add6(x[node->v_at + k], f[k].S, A);
    }
  }
}

/* y = R J_b R^T w */
static void times_inertia(const ga_solid *b, const double *R, const double *w, double *y) {
  double own[3], J[3];
  ga_times_t3(R, w, own);
  ga_times3(b->J, own, J);
  ga_times3(R, J, y);
}

/* F <- wrench of a body's inertia; A, V and its frame are there. Its moment is found in the axes of the
 * body, which the inertia is fixed to. */
static void body_wrench(const ga_solid *b, const ga_node_state *st, double *restrict F) {
  const double *omega = st->V, *alpha = st->A, *R = st->frame.R;
  double a[3], own[3], spin[3], n[3];
  ga_copy3(st->A + 3, a);
  ga_add_cross3(1, alpha, st->c, a);
  ga_add_cross3(1, omega, st->frame.xd, a);
  for (int i = 0; i < 3; i++) F[3 + i] = b->mass * a[i];
  ga_times_t3(R, omega, own);
  ga_times3(b->J, own, spin);
  ga_cross3(own, spin, n);
  ga_times_t3(R, alpha, own);
  for (int i = 0; i < 3; i++) n[i] += ga_dot3(b->J + 3 * i, own);
  ga_times3(R, n, F);
  ga_add_cross3(1, st->c, F + 3, F);
}

/* F of all nodes: inertia for the A that is there and, if loaded, what elements exert. */
void ga_tree_sum_wrenches(ga_pass *pass, bool loaded) {
  const ga_mechanism *m = pass->m;
  const ga_tree *tree = m->tree;
  ga_node_state *state = pass->room->node;
  for (int i = 0; i < tree->nnode; i++) {
    ga_node_state *st = &state[i];
    const ga_solid *b = tree->node[i].body > 0 ? &m->bodies.item[tree->node[i].body] : NULL;
    if (b) {
      body_wrench(b, st, st->F);
    } else {
      memset(st->F, 0, sizeof st->F);
    }
    if (loaded) ga_add6(1, st->W, st->F);
  }
  for (int i = tree->nnode - 1; i >= 0; i--) {
    if (tree->node[i].parent >= 0) ga_add6(1, state[i].F, state[tree->node[i].parent].F);
  }
}

/* J <- inertia of a body about its centre of mass in space axes, xx yy zz xy xz yz */
static void space_inertia(const ga_solid *b, const double *R, double *J) {
  double X[9];
  if (b->diagonal) {
    for (int i = 0; i < 9; i++) X[i] = R[i] * b->J[i % 3 * 4];
  } else {
    ga_product3(R, b->J, X);
  }
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int e = 0; e < 6; e++) J[e] = ga_dot3(X + 3 * row[e], R + 3 * column[e]);
}

/* N <- -2 (omega~ E + m (v_c c^T - (c.v_c) 1)) of one body, J about its centre of mass; E is symmetric,
 * so that its rows are its columns */
static void velocity_terms(const ga_solid *b, const ga_node_state *st, const double *J,
                           double *restrict N) {
  const double half = 0.5 * (J[0] + J[1] + J[2]), *w = st->V, *v = st->frame.xd, *c = st->c;
  const double E[3][3] = {
      {half - J[0], -J[3], -J[4]}, {-J[3], half - J[1], -J[5]}, {-J[4], -J[5], half - J[2]}};
  const double m = -2 * b->mass, along = m * ga_dot3(c, v);
  for (int j = 0; j < 3; j++) {
    double x[3];
    ga_cross3(w, E[j], x);
    for (int i = 0; i < 3; i++) N[3 * i + j] = m * v[i] * c[j] - 2 * x[i];
    N[4 * j] -= along;
  }
}

enum { INERTIA_NUMBERS = 10, ALL_NUMBERS = 22 }; /* m, mc, J; with p and N behind them */

/* m, mc, J and, with tangents, p and N of the body of each node. */
void ga_tree_body_inertias(ga_pass *pass) {
  const ga_mechanism *m = pass->m;
  const ga_tree *tree = m->tree;
  for (int i = 0; i < tree->nnode; i++) {
    ga_node_state *st = &pass->room->node[i];
    if (tree->node[i].body <= 0) {
      memset(&st->m, 0, ALL_NUMBERS * sizeof(double));
      continue;
    }
    const ga_solid *b = &m->bodies.item[tree->node[i].body];
    const double *c = st->c, cc = ga_dot3(c, c);
    double J[6];
    space_inertia(b, st->frame.R, J);
    st->m = b->mass;
    for (int k = 0; k < 3; k++) {
      st->mc[k] = b->mass * c[k];
      st->J[k] = J[k] + b->mass * (cc - c[k] * c[k]);
    }
    st->J[3] = J[3] - b->mass * c[0] * c[1];
    st->J[4] = J[4] - b->mass * c[0] * c[2];
    st->J[5] = J[5] - b->mass * c[1] * c[2];
    if (!pass->tangents) continue;
    for (int k = 0; k < 3; k++) st->p[k] = b->mass * st->frame.xd[k];
    velocity_terms(b, st, J, st->N);
  }
}

/* These summed over subtrees; all: p and N, too. */
void ga_tree_sum_inertias(ga_pass *pass, bool all) {
  const ga_tree *tree = pass->m->tree;
  ga_node_state *state = pass->room->node;
  const int n = all ? ALL_NUMBERS : INERTIA_NUMBERS;
  for (int i = tree->nnode - 1; i >= 0; i--) {
    if (tree->node[i].parent < 0) continue;
    const double *from = &state[i].m;
    double *to = &state[tree->node[i].parent].m;
    for (int k = 0; k < n; k++) to[k] += from[k];
  }
}
_Static_assert(offsetof(ga_node_state, acc) - offsetof(ga_node_state, m) ==
                   ALL_NUMBERS * sizeof(double),
               "m, mc, J, p, N stand in one piece");

/* y = I s */
static void times_sum(const ga_node_state *st, const double *s, double *y) {
  const double *J = st->J;
  y[0] = J[0] * s[0] + J[3] * s[1] + J[4] * s[2];
  y[1] = J[3] * s[0] + J[1] * s[1] + J[5] * s[2];
  y[2] = J[4] * s[0] + J[5] * s[1] + J[2] * s[2];
  for (int i = 0; i < 3; i++) y[3 + i] = st->m * s[3 + i];
  ga_add_cross3(1, st->mc, s + 3, y);
  ga_add_cross3(-1, st->mc, s, y + 3);
}

/* y += B s */
static void add_velocity_terms(const ga_node_state *st, const double *s, double *y) {
  for (int i = 0; i < 3; i++) y[i] += ga_dot3(st->N + 3 * i, s);
  ga_add_cross3(-2, st->p, s, y + 3);
}

/* S.I S of a freedom, I: the sum over its subtree */
double ga_tree_own_inertia(const ga_pass *pass, int k) {
  double y[6];
  const double *S = pass->room->freedom[k].S;
  times_sum(&pass->room->node[pass->m->tree->node_of[k]], S, y);
  return ga_dot6(S, y);
}

/* phi and chi of all freedoms; A is there. */
void ga_tree_changes(ga_pass *pass) {
  const ga_tree *tree = pass->m->tree;
  const ga_node_state *state = pass->room->node;
  ga_node_state ground = {.m = 0};
  for (int i = 0; i < 3; i++) ground.A[3 + i] = -pass->m->gravity[i];
  for (int k = 0; k < tree->nfreedom; k++) {
    const ga_node *node = &tree->node[tree->node_of[k]];
    const ga_node_state *parent = node->parent < 0 ? &ground : &state[node->parent];
    ga_freedom_state *f = &pass->room->freedom[k];
    double x[6];
    ga_cross6(state[tree->node_of[k]].V, f->S, f->phi);
    ga_add6(1, f->psi, f->phi);
    ga_cross6(parent->A, f->S, f->chi);
    ga_cross6(parent->V, f->psi, x);
    ga_add6(1, x, f->chi);
  }
}

/* c, d and w of all freedoms; phi, chi, F, I, B are there. */
static void tangent_columns(ga_pass *pass) {
  const ga_tree *tree = pass->m->tree;
  for (int k = 0; k < tree->nfreedom; k++) {
    const ga_node_state *st = &pass->room->node[tree->node_of[k]];
    ga_freedom_state *f = &pass->room->freedom[k];
    double x[6];
    ga_times_t3(st->N, f->S, f->w);
    ga_add_cross3(2, st->p, f->S + 3, f->w);
    ga_cross_wrench6(f->S, st->F, f->c);
    times_sum(st, f->chi, x);
    add_velocity_terms(st, f->psi, x);
    ga_add6(1, x, f->c);
    times_sum(st, f->phi, f->d);
    add_velocity_terms(st, f->S, f->d);
  }
}

/* Mx <- M x: accelerations from x alone, their wrenches summed over subtrees, S.F. */
static void put_product(ga_pass *pass, const double *x, double *Mx) {
  const ga_mechanism *m = pass->m;
  const ga_tree *tree = m->tree;
  ga_node_state *state = pass->room->node;
  for (int i = 0; i < tree->nnode; i++) {
    const ga_node *node = &tree->node[i];
    ga_node_state *st = &state[i];
    const ga_freedom_state *f = pass->room->freedom + node->v_at;
    if (node->parent < 0) {
      memset(st->A, 0, sizeof st->A);
    } else {
      memcpy(st->A, state[node->parent].A, sizeof st->A);
    }
    for (int k = 0; k < node->n; k++) ga_add6(x[node->v_at + k], f[k].S, st->A);
    memset(st->F, 0, sizeof st->F);
    if (node->body <= 0) continue;
    const ga_solid *b = &m->bodies.item[node->body];
    double a[3];
    ga_copy3(st->A + 3, a);
    ga_add_cross3(1, st->A, st->c, a);
    times_inertia(b, st->frame.R, st->A, st->F);
    for (int k = 0; k < 3; k++) st->F[3 + k] = b->mass * a[k];
    ga_add_cross3(1, st->c, st->F + 3, st->F);
  }
  for (int i = tree->nnode - 1; i >= 0; i--) {
    const ga_node *node = &tree->node[i];
    const ga_freedom_state *f = pass->room->freedom + node->v_at;
    for (int k = 0; k < node->n; k++) Mx[node->v_at + k] = ga_dot6(f[k].S, state[i].F);
    if (node->parent >= 0) ga_add6(1, state[i].F, state[node->parent].F);
  }
  for (int i = tree->nfreedom; i < m->nv; i++) Mx[i] = 0;
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    if (angle->M_at >= 0) Mx[angle->v_at] += angle->inertia * x[angle->v_at];
  }
}

/* M, by pairs on paths. */
static void put_mass(const ga_pass *pass, double *M) {
  const ga_tree *tree = pass->m->tree;
  const ga_freedom_state *f = pass->room->freedom;
  const int *at = tree->pair_M;
  for (int i = 0; i < tree->nfreedom; i++) {
    for (int k = i; k >= 0; k = tree->up[k], at += 2) {
      M[at[0]] = M[at[1]] = ga_dot6(f[i].U, f[k].S);
    }
  }
}

/* Kt and Ct, by pairs on paths. */
static void add_tangents(const ga_pass *pass, double *Kt, double *Ct) {
  const ga_tree *tree = pass->m->tree;
  const ga_freedom_state *f = pass->room->freedom;
  const int *at = tree->pair_K;
  for (int i = 0; i < tree->nfreedom; i++) {
    for (int k = i; k >= 0; k = tree->up[k], at += 2) {
      Kt[at[0]] += ga_dot6(f[i].U, f[k].chi) + ga_dot3(f[i].w, f[k].psi);
      Ct[at[0]] += ga_dot6(f[i].U, f[k].phi) + ga_dot3(f[i].w, f[k].S);
      if (k == i) continue;
      if (tree->node_of[k] == tree->node_of[i]) {
        Kt[at[1]] += ga_dot6(f[k].U, f[i].chi) + ga_dot3(f[k].w, f[i].psi);
        Ct[at[1]] += ga_dot6(f[k].U, f[i].phi) + ga_dot3(f[k].w, f[i].S);
      } else {
        Kt[at[1]] += ga_dot6(f[k].S, f[i].c);
        Ct[at[1]] += ga_dot6(f[k].S, f[i].d);
      }
    }
  }
}

/* The carrier's `finish`: after the elements, whose wrenches are in W. */
void ga_tree_inertia(ga_pass *pass) {
  const ga_mechanism *m = pass->m;
  const ga_tree *tree = m->tree;
  const ga_evaluation *out = pass->out;
  if (!out->F && !out->M && !out->Mx && !pass->tangents) return;
  ga_tree_move(pass);
  ga_freedom_state *f = pass->room->freedom;
  if (out->Mx) put_product(pass, out->x, out->Mx);
  if (out->F) {
    ga_tree_accelerate(pass, NULL, true);
    ga_tree_sum_wrenches(pass, true);
    for (int k = 0; k < tree->nfreedom; k++) {
      out->F[k] -= ga_dot6(f[k].S, pass->room->node[tree->node_of[k]].F);
    }
  }
  if (!out->M && !pass->tangents) return;
  ga_tree_body_inertias(pass);
  ga_tree_sum_inertias(pass, pass->tangents);
  for (int k = 0; k < tree->nfreedom; k++) {
    times_sum(&pass->room->node[tree->node_of[k]], f[k].S, f[k].U);
  }
  if (out->M) put_mass(pass, out->M->val);
  for (int c = 0; out->M && c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    if (angle->M_at >= 0) out->M->val[angle->M_at] += angle->inertia;
  }
  if (!pass->tangents) return;
  ga_tree_accelerate(pass, out->x, true);
  ga_tree_sum_wrenches(pass, false);
  ga_tree_changes(pass);
  tangent_columns(pass);
  add_tangents(pass, out->Kt->val, out->Ct->val);
}
