/* SPDX-License-Identifier: MIT */
/* Frames and velocities of all nodes of a spanning tree, and the scratch memory of a pass.
 *
 *     HINGE(a)   S = (a, P x a)        BALL    S_k = (R e_k, P x R e_k), axes of the node
 *     SLIDE(a)   S = (0, a)            SHIFT   S_k = (0, U e_k), axes U of the joint in the parent
 *
 *     V = V_p + sum S_k v_k,   psi_k = V_p x S_k */
#include <stdatomic.h>
#include <string.h>

#include "mechanism/tree/tree.h"

/* ---- scratch memory ------------------------------------------------------------------------- */

/* Rooms that no pass uses. Each slot is taken and given back by one atomic exchange, so that several
 * threads may evaluate a mechanism without a lock. */
struct ga_tree_pool {
  _Atomic(ga_tree_room *) slot[GA_ROOMS_KEPT];
};

/* A new room, one block of memory; NULL without memory. */
static ga_tree_room *new_room(const ga_mechanism *m) {
  const ga_tree *tree = m->tree;
  const size_t nodes = (size_t)tree->nnode * sizeof(ga_node_state);
  const size_t freedoms = (size_t)tree->nfreedom * sizeof(ga_freedom_state);
  const size_t numbers = (size_t)m->nq + 2 * (size_t)m->nv;
  char *block = ga_calloc(1, sizeof(ga_tree_room) + nodes + freedoms + numbers * sizeof(double));
  if (!block) return NULL;
  ga_tree_room *room = (ga_tree_room *)(void *)block;
  room->node = (ga_node_state *)(void *)(block + sizeof *room);
  room->freedom = (ga_freedom_state *)(void *)(block + sizeof *room + nodes);
  room->spare = (double *)(void *)(block + sizeof *room + nodes + freedoms);
  room->state = room->spare + m->nv;
  return room;
}

/* Give a room back to the pool; it is freed if the pool is full. */
static void return_room(const ga_tree *tree, ga_tree_room *room) {
  for (int i = 0; i < GA_ROOMS_KEPT; i++) {
    ga_tree_room *none = NULL;
    if (atomic_compare_exchange_strong(&tree->pool->slot[i], &none, room)) return;
  }
  ga_free(room);
}

/* A pool with one room, so that a single thread never asks for memory in a step. */
bool ga_tree_new_pool(ga_mechanism *m) {
  m->tree->pool = ga_calloc(1, sizeof *m->tree->pool);
  ga_tree_room *room = m->tree->pool ? new_room(m) : NULL;
  if (room) return_room(m->tree, room);
  return room != NULL;
}

void ga_tree_free_pool(ga_tree *tree) {
  if (!tree || !tree->pool) return;
  for (int i = 0; i < GA_ROOMS_KEPT; i++) ga_free(atomic_load(&tree->pool->slot[i]));
  ga_free(tree->pool);
  tree->pool = NULL;
}

/* pass->room <- a room of its own; false: no memory. */
bool ga_tree_take_room(ga_pass *pass) {
  const ga_tree *tree = pass->m->tree;
  ga_tree_room *room = NULL;
  for (int i = 0; i < GA_ROOMS_KEPT && !room; i++) {
    room = atomic_exchange(&tree->pool->slot[i], NULL);
  }
  if (!room) room = new_room(pass->m);
  pass->room = room;
  if (!room) return false;
  room->framed = room->collects = room->turned = room->wrenched = false;
  room->accelerated = NULL;
  room->by_q = room->by_v = NULL;
  return true;
}

void ga_tree_return_room(ga_pass *pass) {
  return_room(pass->m->tree, pass->room);
}

/* ---- frames --------------------------------------------------------------------------------- */

/* a <- axis k of the node's joint frame in space, with the sign of the joint; Rp: of the parent */
static void axis_of(const ga_node *node, const double *Rp, int k, double *a) {
  double own[3];
  ga_column3(node->E, k, own);
  for (int i = 0; i < 3; i++) own[i] *= node->sign;
  ga_times3(Rp, own, a);
}

/* R of the node from that of its parent; sin q and 1 - cos q from those of q/2. */
static void turn_node(const ga_node *node, const double *q, const double *Rp, double *R) {
  double X[9];
  if (node->kind == GA_BALL) {
    ga_rotation3(q + node->q_at, X);
    ga_product3(Rp, X, R);
    return;
  }
  if (node->kind != GA_HINGE) {
    ga_product3(Rp, node->Q[0], R);
    return;
  }
  const double half = sin(0.5 * q[node->q_at]), s = 2 * half * cos(0.5 * q[node->q_at]),
               c = 2 * half * half;
  for (int i = 0; i < 9; i++) X[i] = node->Q[0][i] + s * node->Q[1][i] + c * node->Q[2][i];
  ga_product3(Rp, X, R);
}

/* d <- how far the node's joint shifts its point. */
static void shift_of(const ga_node *node, const double *q, const double *Rp, double *d) {
  double a[3];
  ga_zero3(d);
  if (node->kind == GA_SLIDE) {
    axis_of(node, Rp, node->axis, a);
    ga_plus3(d, q[node->q_at], a, d);
  } else if (node->kind == GA_SHIFT) {
    for (int k = 0; k < 3; k++) {
      axis_of(node, Rp, k, a);
      ga_plus3(d, q[node->q_at + k], a, d);
    }
  }
}

/* S of a node's freedoms; P and R are there. */
static void columns_of(const ga_node *node, const ga_node_state *st, const double *Rp,
                       ga_freedom_state *f) {
  for (int k = 0; k < node->n; k++) {
    double *S = f[k].S, a[3];
    if (node->kind == GA_BALL) {
      ga_column3(st->frame.R, k, a);
    } else {
      axis_of(node, Rp, node->n == 1 ? node->axis : k, a);
    }
    if (node->kind == GA_BALL || node->kind == GA_HINGE) {
      ga_copy3(a, S);
      ga_cross3(st->P, a, S + 3);
    } else {
      ga_zero3(S);
      ga_copy3(a, S + 3);
    }
  }
}

/* Rotations, P and c of the nodes first .. last of a joint on the ground; O <- the point of the last
 * one, in space. Points are found from O on, so that they are as accurate far from the origin of space. */
static void place_base(ga_pass *pass, int first, int last, double *O) {
  const ga_tree *tree = pass->m->tree;
  ga_node_state *state = pass->room->node;
  double ground[9], d[3], arm[3];
  ga_identity3(ground);
  ga_zero3(O);
  for (int i = first; i <= last; i++) {
    const ga_node *node = &tree->node[i];
    const double *Rp = i == first ? ground : state[i - 1].frame.R;
    turn_node(node, pass->q, Rp, state[i].frame.R);
    shift_of(node, pass->q, Rp, d);
    ga_copy3(d, state[i].P); /* for the way back */
    ga_times3(Rp, node->s, arm);
    ga_plus3(O, 1, arm, O);
    ga_plus3(O, 1, d, O);
  }
  double P[3] = {0, 0, 0};
  for (int i = last; i >= first; i--) {
    ga_copy3(state[i].P, d);
    ga_copy3(P, state[i].P);
    ga_plus3(P, -1, d, P); /* between elementary joints all points are one */
  }
}

/* Frames, P and S of all nodes. */
static void place_nodes(ga_pass *pass) {
  const ga_tree *tree = pass->m->tree;
  ga_node_state *state = pass->room->node;
  double ground[9], arm[3];
  ga_identity3(ground);
  for (int i = 0; i < tree->nnode; i++) {
    const ga_node *node = &tree->node[i];
    ga_node_state *st = &state[i];
    const double *Rp = node->parent < 0 ? ground : state[node->parent].frame.R;
    if (node->base && node->parent < 0) {
      int last = i;
      while (!tree->node[last].origin) last++;
      place_base(pass, i, last, st->O);
    }
    if (!node->base) {
      turn_node(node, pass->q, Rp, st->frame.R);
      shift_of(node, pass->q, Rp, st->P);
      ga_times3(Rp, node->s, arm);
      ga_plus3(st->P, 1, arm, st->P);
      ga_plus3(st->P, 1, state[node->parent].c, st->P);
    }
    ga_times3(st->frame.R, node->s_out, arm);
    ga_plus3(st->P, -1, arm, st->c);
    ga_plus3(state[node->root].O, 1, st->c, st->frame.x);
    columns_of(node, st, Rp, pass->room->freedom + node->v_at);
  }
}

/* V and psi of all nodes, velocities of their frames; zero if the pass has no velocities. */
static void move_nodes(ga_pass *pass) {
  const ga_tree *tree = pass->m->tree;
  ga_node_state *state = pass->room->node;
  for (int i = 0; i < tree->nnode; i++) {
    const ga_node *node = &tree->node[i];
    ga_node_state *st = &state[i];
    ga_freedom_state *f = pass->room->freedom + node->v_at;
    if (node->parent < 0 || !pass->v) {
      memset(st->V, 0, sizeof st->V);
      for (int k = 0; k < node->n; k++) memset(f[k].psi, 0, sizeof f[k].psi);
    } else {
      memcpy(st->V, state[node->parent].V, sizeof st->V);
      for (int k = 0; k < node->n; k++) ga_cross6(st->V, f[k].S, f[k].psi);
    }
    for (int k = 0; pass->v && k < node->n; k++) ga_add6(pass->v[node->v_at + k], f[k].S, st->V);
    ga_copy3(st->V, st->frame.w);
    ga_copy3(st->V + 3, st->frame.xd);
    ga_add_cross3(1, st->V, st->c, st->frame.xd);
  }
}

/* Does the room have the motion of this state from an earlier pass? A matrix follows its residual, and
 * columns follow each other, at one state. All bits are compared: a pass gives the same numbers, whichever
 * room it takes. */
static bool has_motion(const ga_pass *pass) {
  const ga_tree_room *room = pass->room;
  const size_t nq = (size_t)pass->m->nq, nv = (size_t)pass->m->nv;
  if (!room->known || room->moves != (pass->v != NULL)) return false;
  if (memcmp(room->state, pass->q, nq * sizeof(double)) != 0) return false;
  return !pass->v || memcmp(room->state + nq, pass->v, nv * sizeof(double)) == 0;
}

/* All of the motion, if it is not there yet. */
void ga_tree_move(ga_pass *pass) {
  ga_tree_room *room = pass->room;
  if (room->framed) return;
  room->framed = true;
  if (!has_motion(pass)) {
    const size_t nq = (size_t)pass->m->nq, nv = (size_t)pass->m->nv;
    place_nodes(pass);
    move_nodes(pass);
    room->known = true, room->moves = pass->v;
    memcpy(room->state, pass->q, nq * sizeof(double));
    if (pass->v) memcpy(room->state + nq, pass->v, nv * sizeof(double));
  }
  const bool loads = pass->out->F || room->collects;
  for (int i = 0; loads && i < pass->m->tree->nnode; i++) {
    memset(room->node[i].W, 0, sizeof room->node[i].W);
  }
}
