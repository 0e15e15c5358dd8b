/* SPDX-License-Identifier: MIT */
/* Unknowns and rows of a mechanism in joint coordinates: freedoms of the tree by nodes, then
 * coordinates of cut joints and states of controllers, which have no mass. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/build/layout.h"
#include "mechanism/contact/contact.h"
#include "mechanism/joint/joint.h"
#include "mechanism/tree/tree.h"

/* Rounding errors of an entry of G, relative. */
static const double ENTRY = 64 * DBL_EPSILON;

/* The node whose freedom is coordinate `which` of a joint in the tree; -1: there is none. */
static int node_of_coordinate(const ga_mechanism *m, int joint, int which) {
  const ga_tree *tree = m->tree;
  if (joint < 0 || tree->node_of_joint[joint] < 0) return -1;
  const ga_joint_data *data = m->joints.item[joint].data;
  for (int i = tree->node_of_joint[joint]; i >= 0 && tree->node[i].joint == joint; i--) {
    const int part = tree->node[i].part;
    if (part >= 0 && data->type->tree.part[part].coordinate == which) return i;
  }
  return -1;
}

/* Set q_at, v_at of all coordinates, m->nq, m->nv and m->space, which is created. */
static ga_status number_unknowns(ga_mechanism *m) {
  const ga_tree *tree = m->tree;
  m->space = NULL;
  if (ga_space_new(&m->space) != GA_OK) return GA_ERR_MEM;
  ga_space_builder s = {.space = m->space};
  int q_at = 0, v_at = 0;
  for (int i = 0; i < tree->nnode; i++) {
    const ga_node *node = &tree->node[i];
    if (node->n == 0) continue;
    const bool ball = node->kind == GA_BALL;
    ga_layout_add_factor(&s, ball ? &ga_group_so3 : &ga_group_rn, ball ? 1 : node->n);
    q_at += ball ? 4 : node->n, v_at += node->n;
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    ga_angle *angle = &m->coordinates.item[c];
    const int node = node_of_coordinate(m, angle->joint, angle->which);
    angle->q_at = node >= 0 ? tree->node[node].q_at : q_at++;
    angle->v_at = node >= 0 ? tree->node[node].v_at : v_at++;
    if (node < 0) ga_layout_add_factor(&s, &ga_group_rn, 1);
  }
  ga_layout_flush_rn(&s);
  m->nq = q_at, m->nv = v_at;
  return s.status;
}

/* Element i, a joint of the tree (coordinate false) or one of its coordinates: it has columns alone. */
static void take_element(ga_mechanism *m, int i, int joint, bool coordinate) {
  ga_element *el = &m->elements.item[i];
  m->tree->last_node[i] = m->tree->node_of_joint[joint];
  el->type = coordinate ? &ga_element_tree_coordinate : &ga_element_tree_joint;
  el->nlam = el->npsi = 0;
}

/* Does a freedom move both bodies? Parents have smaller numbers than their children; the ground is -1. */
static bool are_carried(const ga_mechanism *m, const int body[2]) {
  const ga_tree *tree = m->tree;
  int a = body[0] > 0 ? tree->node_of_body[body[0]] : -1;
  int b = body[1] > 0 ? tree->node_of_body[body[1]] : -1;
  while (a != b) {
    if (a > b) {
      a = tree->node[a].parent;
    } else {
      b = tree->node[b].parent;
    }
  }
  return a >= 0;
}

/* Rows d_k = 0 of a cut joint, in space axes, become rows a.d = 0 in axes of A where a common node carries
 * both bodies. Its freedoms turn d, so that rows in space axes would depend on them where d is not zero;
 * G, Z and Kt have freedoms below the common node only (spread.c). The element gets a copy of its data. */
static void turn_rows(ga_mechanism *m, ga_element *el) {
  const ga_joint_data *data = el->data;
  const ga_row_list *rows = data->rows;
  bool component = false;
  for (int i = 0; i < rows->count; i++) component |= rows->row[i].primitive->component;
  if (!component || !are_carried(m, el->body)) return;
  ga_joint_data *own = ga_arena_take(&m->arena, 1, sizeof *own);
  ga_row_list *turned = ga_arena_take(&m->arena, 1, sizeof *turned);
  if (m->arena.failed) return;
  *own = *data, *turned = *rows;
  for (int i = 0; i < rows->count; i++) {
    if (rows->row[i].primitive->component) turned->row[i].primitive = &ga_primitive_plane;
  }
  ga_joint_set_rows(own, turned);
  el->data = own;
}

/* Number the rows: joints of the tree and their coordinates have none. m->elements has the elements
 * of absolute coordinates, each joint before its coordinates. Memory that is missing is in m->arena. */
static void number_rows(ga_mechanism *m) {
  for (int joint = 0, i = 0; joint < m->joints.count; joint++) {
    const ga_joint_data *data = m->joints.item[joint].data;
    const bool taken = m->tree->node_of_joint[joint] >= 0;
    if (taken) {
      take_element(m, i, joint, false);
    } else {
      turn_rows(m, &m->elements.item[i]);
    }
    i++;
    for (int k = 0; k < GA_COORDINATES_MAX; k++) {
      if (data->coordinate[k] < 0) continue;
      if (taken) take_element(m, i, joint, true);
      i++;
    }
  }
  m->nlam = m->npsi = 0;
  for (int i = 0; i < m->elements.count; i++) {
    ga_element *el = &m->elements.item[i];
    el->lam_at = m->nlam, el->psi_at = m->npsi;
    m->nlam += el->nlam, m->npsi += el->npsi;
  }
}

ga_status ga_tree_number(ga_mechanism *m, ga_error *err) {
  const ga_status status = number_unknowns(m);
  m->tree->last_node = ga_arena_ints(&m->arena, (size_t)m->elements.count + 1);
  if (status != GA_OK || m->arena.failed)
    return ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
  number_rows(m);
  if (m->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
  return GA_OK;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Names of the unknowns of a node: of a joint's coordinate JOINT.angle, of others JOINT.e0 or BODY.x;
 * part of a rate: of velocities. */
static void name_node(ga_mechanism *m, const ga_node *node, const char **q, const char **v) {
  static const char *const turn_q[] = {".e0", ".e1", ".e2", ".e3"};
  static const char *const turn_v[] = {".Omega1", ".Omega2", ".Omega3"};
  static const char *const shift_q[] = {".x", ".y", ".z"}, *const shift_v[] = {".vx", ".vy", ".vz"};
  const bool ball = node->kind == GA_BALL;
  const ga_element *joint = node->joint >= 0 ? &m->joints.item[node->joint] : NULL;
  const ga_joint_data *data = joint ? joint->data : NULL;
  const int which = joint && node->part >= 0 ? data->type->tree.part[node->part].coordinate : -1;
  const int body = joint            ? -1
                   : node->body > 0 ? node->body
                                    : m->tree->node[node - m->tree->node + 1].body;
  const char *owner = joint ? joint->name : m->bodies.item[body].name;
  if (node->n == 1) {
    char end[80];
    snprintf(end, sizeof end, ".%s",
             which >= 0               ? data->type->coordinate[which].name
             : node->kind == GA_HINGE ? "angle"
                                      : shift_q[node->axis] + 1);
    q[node->q_at] = ga_mechanism_text(m, owner, end);
    v[node->v_at] = q[node->q_at];
    return;
  }
  for (int k = 0; k < (ball ? 4 : node->n); k++) {
    q[node->q_at + k] = ga_mechanism_text(m, owner, ball ? turn_q[k] : shift_q[k]);
  }
  for (int k = 0; k < node->n; k++) {
    v[node->v_at + k] = ga_mechanism_text(m, owner, ball ? turn_v[k] : shift_v[k]);
  }
}

/* Names of the unknowns of all nodes; without memory m->arena.failed is set. */
void ga_tree_name_unknowns(ga_mechanism *m, const char **q, const char **v) {
  for (int i = 0; i < m->tree->nnode; i++) {
    if (m->tree->node[i].n > 0) name_node(m, &m->tree->node[i], q, v);
  }
}

/* ---- scales --------------------------------------------------------------------------------- */

/* The body that a node moves: its own, or that of the node behind it in the same joint. */
static int body_moved(const ga_tree *tree, int i) {
  while (tree->node[i].body < 0) i++;
  return tree->node[i].body;
}

/* Does a row compare places of bodies? All but limits, which compare a coordinate with a number, count: so
 * limits that never come near change nothing. */
static bool compares_places(const ga_mechanism *m) {
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    if (el->nlam > 0 && el->type != &ga_element_limit) return true;
  }
  return false;
}

/* Set m->model.metric and q_size from those of absolute coordinates: an angle has the metric of the
 * rotations of the body it moves, a shift the size of its largest place, at least the length that
 * makes its rotations comparable. q_least: an angle counts as 1
 * in relative tolerances, as rotations do in absolute coordinates. tree->rounding: an entry of G has rounding
 * errors of row_reach sqrt(w) times those of places and directions, eps Q/l, in sums of some terms. */
ga_status ga_tree_scales(ga_mechanism *m, ga_error *err) {
  ga_tree *tree = m->tree;
  const ga_model *a = &m->absolute->model;
  const bool compares = compares_places(m);
  double *w = ga_arena_doubles(&m->arena, (size_t)m->nv);
  double *size = ga_arena_doubles(&m->arena, (size_t)m->nv);
  double *least = ga_arena_doubles(&m->arena, (size_t)m->nv);
  tree->rounding = ga_arena_doubles(&m->arena, (size_t)m->nv);
  if (m->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
  for (int c = 0; c < m->coordinates.count; c++) {
    const int from = m->absolute->coordinates.item[c].v_at, to = m->coordinates.item[c].v_at;
    w[to] = a->metric[from], size[to] = a->q_size[from];
  }
  for (int k = 0; k < tree->nfreedom; k++) {
    const ga_node *node = &tree->node[tree->node_of[k]];
    const ga_solid *b = &m->bodies.item[body_moved(tree, tree->node_of[k])];
    const bool turns = node->kind == GA_HINGE || node->kind == GA_BALL;
    w[k] = turns ? a->metric[b->v_at + b->kind->nx] : 1;
    least[k] = turns ? 1 : 0;
    const double length = sqrt(a->metric[b->v_at + b->kind->nx]);
    const double place = ga_max_abs(b->kind->nx, a->q_size + b->v_at);
    size[k] = turns ? 1 : fmax(place, length);
    /* rows of cut joints are differences of places, rounded like these */
    if (turns && compares) size[k] = fmax(1, place / length);
    tree->rounding[k] = ENTRY * sqrt(w[k]) * fmax(1, place / length);
  }
  m->model.metric = w;
  m->model.q_size = size;
  m->model.q_least = least;
  return GA_OK;
}

/* weight and unit of all freedoms, see set_weights in assemble.c: M_kk at the start; the mechanism's
 * length or 1 rad. */
void ga_tree_weights(const ga_mechanism *m, double *weight, double *unit) {
  const ga_tree *tree = m->tree;
  double least = INFINITY;
  for (int k = 0; k < tree->nfreedom; k++) {
    const ga_elementary kind = tree->node[tree->node_of[k]].kind;
    weight[k] = tree->start_mass[k];
    unit[k] = kind == GA_HINGE || kind == GA_BALL ? 1 : m->length;
    least = fmin(least, weight[k] * (unit[k] * unit[k]));
  }
  for (int c = 0; c < m->coordinates.count; c++) { /* without mass: as in absolute coordinates */
    const ga_angle *angle = &m->coordinates.item[c];
    if (angle->v_at < tree->nfreedom) continue;
    const ga_coordinate_kind kind = ga_kind_of_coordinate(m, c);
    const double size = kind == GA_COORDINATE_STATE    ? angle->size
                        : kind == GA_COORDINATE_LENGTH ? m->length
                                                       : 1;
    unit[angle->v_at] = size;
    weight[angle->v_at] = 1e-3 * (isfinite(least) ? least : 1) / (size * size);
  }
}
