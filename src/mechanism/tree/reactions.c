/* SPDX-License-Identifier: MIT */
/* Columns in joint coordinates: orientations and accelerations of bodies, forces of joints in the tree.
 *
 * The wrench of a joint in the tree is the sum F over the subtree of its last node, from one recursion
 * at (q, v, v', lam) with all that elements exert. Its components along the joint's freedoms are
 * efforts of drives, springs and couplers, and reported as 0: what is left is what a joint with rows
 * has as its reaction. */
#include <math.h>
#include <string.h>

#include "mechanism/joint/joint.h"
#include "mechanism/tree/tree.h"

/* ---- bodies --------------------------------------------------------------------------------- */

/* Quaternions of all nodes: products along the tree, so that their signs are those of a body that was
 * turned without jumps from the start on. */
static void turn_nodes(ga_pass *pass) {
  const ga_tree *tree = pass->m->tree;
  if (pass->room->turned) return;
  pass->room->turned = true;
  for (int i = 0; i < tree->nnode; i++) {
    const ga_node *node = &tree->node[i];
    const double *q = pass->q + node->q_at;
    double *p = pass->room->node[i].turn, own[4] = {1, 0, 0, 0};
    const double none[4] = {1, 0, 0, 0};
    memcpy(p, node->parent < 0 ? none : pass->room->node[node->parent].turn, sizeof own);
    if (node->kind == GA_BALL) {
      ga_quat_mul(p, q, p);
    } else {
      ga_quat_mul(p, node->turn[0], p);
      if (node->kind == GA_HINGE) {
        own[0] = cos(0.5 * *q);
        own[1 + node->axis] = node->sign * sin(0.5 * *q);
        ga_quat_mul(p, own, p);
      }
      ga_quat_mul(p, node->turn[1], p);
    }
  }
}

/* Accelerations of all nodes for v' = vd, without gravity. */
static void accelerate_nodes(ga_pass *pass, const double *vd) {
  if (pass->room->accelerated == vd) return;
  pass->room->accelerated = vd;
  ga_tree_accelerate(pass, vd, false);
  for (int i = 0; i < pass->m->tree->nnode; i++) {
    ga_node_state *st = &pass->room->node[i];
    memcpy(st->acc, st->A, sizeof st->acc);
    ga_add_cross3(1, st->A, st->c, st->acc + 3);
    ga_add_cross3(1, st->V, st->frame.xd, st->acc + 3);
  }
}

void ga_tree_motion(ga_pass *pass, int body, const double *vd, ga_frame *frame, double *p,
                    double *xdd, double *wd) {
  ga_pass_frame(pass, body, frame);
  if (body == 0) {
    if (p) p[0] = 1, p[1] = p[2] = p[3] = 0;
    if (vd) ga_zero3(xdd), ga_zero3(wd);
    return;
  }
  const ga_node_state *st = ga_tree_state(pass, body);
  if (p) {
    turn_nodes(pass);
    const double flip = pass->m->tree->node[pass->m->tree->node_of_body[body]].flip;
    for (int k = 0; k < 4; k++) p[k] = flip * st->turn[k];
  }
  if (!vd) return;
  accelerate_nodes(pass, vd);
  ga_copy3(st->acc + 3, xdd);
  ga_copy3(st->acc, wd);
}

/* ---- joints --------------------------------------------------------------------------------- */

/* wrench of all nodes of pass->room, from a pass of its own that collects what elements exert. NaN if
 * an element cannot be evaluated. */
static void find_wrenches(ga_pass *pass, const ga_state *state) {
  const ga_mechanism *m = pass->m;
  const int n = m->tree->nnode;
  if (pass->room->wrenched) return;
  pass->room->wrenched = true;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 6; k++) pass->room->node[i].wrench[k] = NAN;
  }
  ga_evaluation out = {.lam = state->lam, .psi = state->psi, .u = state->u};
  out.F = out.R = pass->room->spare;
  ga_pass own;
  int code = 0;
  if (!ga_pass_begin(&own, m, state->t, state->q, state->v, &out)) return;
  own.room->collects = true;
  for (int i = 0; i < m->elements.count && code == 0; i++) {
    code = m->elements.item[i].type->evaluate(&own, &m->elements.item[i]);
  }
  ga_tree_move(&own);
  ga_tree_accelerate(&own, state->vd, true);
  ga_tree_sum_wrenches(&own, true);
  for (int i = 0; i < n && code == 0; i++) {
    memcpy(pass->room->node[i].wrench, own.room->node[i].F, sizeof own.room->node[i].F);
  }
  ga_pass_end(&own);
}

/* x -= (a.x) a */
static void remove_along(const double *a, double *x) {
  ga_plus3(x, -ga_dot3(a, x), a, x);
}

/* Force of a joint and its moment about p_b <- without the components along its freedoms. */
static void remove_freedoms(const ga_pass *pass, int last, double *force, double *moment) {
  const ga_tree *tree = pass->m->tree;
  const int joint = tree->node[last].joint;
  for (int i = last; i >= 0 && tree->node[i].joint == joint; i = tree->node[i].parent) {
    const ga_node *node = &tree->node[i];
    const ga_freedom_state *f = pass->room->freedom + node->v_at;
    if (node->kind == GA_HINGE) remove_along(f->S, moment);
    if (node->kind == GA_SLIDE) remove_along(f->S + 3, force);
    if (node->kind == GA_BALL) ga_zero3(moment);
    if (node->kind == GA_SHIFT) ga_zero3(force);
  }
}

/* Force (3) and moment about p_a (3) of the joint on B in joint axes of A, then the force in space
 * axes. */
static void joint_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  const ga_mechanism *m = pass->m;
  const ga_joint_data *data = el->data;
  const int last = m->tree->last_node[el - m->elements.item];
  const bool backward = m->tree->node[last].sign < 0;
  ga_pair p;
  ga_joint_pair(pass, el, data, &p);
  find_wrenches(pass, state);
  const ga_node_state *st = &pass->room->node[last];
  const double s = backward ? -1 : 1;
  double force[3], moment[3], pb[3];
  for (int k = 0; k < 3; k++) force[k] = s * st->wrench[3 + k], moment[k] = s * st->wrench[k];
  /* p_b from O: the point on the side of B, whichever of them is the child */
  const ga_node_state *b = el->body[1] > 0 ? ga_tree_state(pass, el->body[1]) : NULL;
  if (b) {
    ga_plus3(b->c, 1, p.rb, pb);
  } else { /* p_a + d */
    ga_plus3(ga_tree_state(pass, el->body[0])->c, 1, p.e, pb);
  }
  ga_add_cross3(-1, pb, force, moment);
  remove_freedoms(pass, last, force, moment);
  ga_add_cross3(1, p.d, force, moment); /* about p_a */
  ga_times_t3(p.Ua, force, values);
  ga_times_t3(p.Ua, moment, values + 3);
  ga_copy3(force, values + el->type->ncolumn);
}

/* theta and theta' */
static void coordinate_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                              double *values) {
  const ga_angle *c = &pass->m->coordinates.item[el->coordinate[0]];
  values[0] = state->q[c->q_at];
  values[1] = state->v[c->v_at];
}

/* no rows, no forces */
static void no_structure(const ga_mechanism *m, const ga_element *el, ga_structure *s) {
  (void)m, (void)el, (void)s;
}
static int no_rows(ga_pass *pass, const ga_element *el) {
  (void)pass, (void)el;
  return 0;
}

/* Joints of the tree and their coordinates: as elements they have columns alone. */
const ga_element_type ga_element_tree_joint = {.what = "joint",
                                               .order = GA_ORDER_JOINTS,
                                               .structure = no_structure,
                                               .evaluate = no_rows,
                                               .geometry = ga_joint_geometry,
                                               .columns = ga_joint_columns,
                                               .ncolumn = 6,
                                               .nextra = 3,
                                               .output = joint_output};
const ga_element_type ga_element_tree_coordinate = {.what = "coordinate",
                                                    .order = GA_ORDER_COORDINATES,
                                                    .structure = no_structure,
                                                    .evaluate = no_rows,
                                                    .columns = ga_coordinate_columns,
                                                    .ncolumn = 2,
                                                    .output = coordinate_output};
