/* SPDX-License-Identifier: MIT */
/* From absolute coordinates to those of joints, and back. With d from the joint's point on A to that on
 * B, U the joint axes of both sides, and Rel = U_a^T U_b:
 *
 *     SLIDE, SHIFT    q_k = U_a,k . d,   v_k = U_a,k . (velocity of p_b seen from A)
 *     HINGE           about z atan2(Rel_21, Rel_11), about x atan2(Rel_32, Rel_33); v = axis . (w_b - w_a)
 *     BALL            the quaternion of R_p^T R, v = R^T (w - w_p)
 *
 * Coordinates that exist in absolute coordinates, too, are copied: they count turns. */
#include <math.h>
#include <string.h>

#include "mechanism/tree/tree.h"

static const double two_pi = 6.28318530717958647693;
/* Largest change of places, relative to the mechanism's length, and of angles when bodies are placed
 * anew from the coordinates of joints. */
static const double MOVED = 1e-9;

/* What is known of a joint in absolute coordinates. */
typedef struct {
  ga_frame frame[2];
  double U[2][9], Rel[9], d[3], dd[3], w[3]; /* d, its rate seen from A, w_b - w_a */
} joint_motion;

/* Frames of both bodies of a joint (el NULL: of the ground and a free body) and what follows. */
static void read_joint(const ga_mechanism *a, const ga_element *el, int body, const double *qa,
                       const double *va, joint_motion *j) {
  double r[2][3] = {{0}}, turn[3];
  for (int side = 0; side < 2; side++) {
    const int number = el ? el->body[side] : side ? body : 0;
    const ga_solid *b = &a->bodies.item[number];
    b->kind->frame(qa + b->q_at, va ? va + b->v_at : NULL, &j->frame[side]);
    ga_identity3(j->U[side]);
    if (!el) continue;
    const ga_joint_frame *f = &((const ga_joint_data *)el->data)->side[side];
    ga_times3(j->frame[side].R, f->s, r[side]);
    ga_product3(j->frame[side].R, f->E, j->U[side]);
  }
  ga_product_t3(j->U[0], j->U[1], j->Rel);
  ga_plus3(j->frame[1].x, -1, j->frame[0].x, j->d);
  ga_plus3(j->d, 1, r[1], j->d);
  ga_plus3(j->frame[1].xd, -1, j->frame[0].xd, j->dd);
  ga_add_cross3(1, j->frame[1].w, r[1], j->dd);
  ga_cross3(j->frame[0].w, j->d, turn); /* d is from x_a here: p_b - x_a */
  ga_plus3(j->dd, -1, turn, j->dd);
  ga_plus3(j->d, -1, r[0], j->d);
  ga_plus3(j->frame[1].w, -1, j->frame[0].w, j->w);
}

/* q and v of a HINGE. */
static void read_hinge(const joint_motion *j, const ga_node *node, int turns, double *q,
                       double *v) {
  const double *Rel = j->Rel;
  const bool about_z = node->axis == 2;
  double axis[3];
  *q = about_z ? atan2(Rel[3], Rel[0]) : atan2(Rel[7], Rel[8]);
  *q += two_pi * turns;
  ga_column3(about_z ? j->U[0] : j->U[1], node->axis, axis);
  if (v) *v = ga_dot3(axis, j->w);
}

/* q and v of a BALL from the frames of its sides; the node between elementary joints has joint axes. */
static void read_ball(const joint_motion *j, const ga_node *node, double *q, double *v) {
  const int child = node->sign > 0;
  const double *R = node->body > 0 ? j->frame[child].R : j->U[child];
  double X[9];
  ga_product_t3(node->inner ? j->U[1 - child] : j->frame[1 - child].R, R, X);
  ga_quat_of_matrix(X, q);
  if (!v) return;
  double w[3];
  for (int i = 0; i < 3; i++) w[i] = child ? j->w[i] : -j->w[i];
  ga_times_t3(R, w, v);
}

/* q and v of one node. */
static void read_node(const ga_mechanism *m, const joint_motion *j, const ga_node *node, double *q,
                      double *v) {
  const ga_joint_data *data = node->joint >= 0 ? m->joints.item[node->joint].data : NULL;
  double axis[3];
  q += node->q_at;
  if (v) v += node->v_at;
  if (node->kind == GA_HINGE) {
    const int which = data->type->tree.part[node->part].coordinate;
    read_hinge(j, node, which >= 0 ? data->turns[which] : 0, q, v);
  } else if (node->kind == GA_BALL) {
    read_ball(j, node, q, v);
  } else {
    for (int k = 0; k < node->n; k++) {
      ga_column3(j->U[0], node->kind == GA_SLIDE ? node->axis : k, axis);
      q[k] = ga_dot3(axis, j->d);
      if (v) v[k] = ga_dot3(axis, j->dd);
    }
  }
}

/* Do the bodies stand where they stood? An error names the joint of one that does not. */
static ga_status check_places(const ga_mechanism *m, const double *qa, const double *q,
                              ga_error *err) {
  const ga_evaluation nothing = {0};
  ga_status status = GA_OK;
  ga_pass pass;
  if (!ga_pass_begin(&pass, m, 0, q, NULL, &nothing)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
  }
  for (int i = 1; i < m->bodies.count && status == GA_OK; i++) {
    const ga_solid *b = &m->bodies.item[i];
    ga_frame was, is;
    double moved = 0;
    b->kind->frame(qa + b->q_at, NULL, &was);
    ga_pass_frame(&pass, i, &is);
    for (int k = 0; k < 3; k++) moved = fmax(moved, fabs(is.x[k] - was.x[k]) / m->length);
    for (int k = 0; k < 9; k++) moved = fmax(moved, fabs(is.R[k] - was.R[k]));
    /* rounding of places far from the origin */
    const double far = 1e-14 * ga_norm3(was.x) / m->length;
    if (moved <= MOVED + far) continue;
    const int joint = m->tree->node[m->tree->node_of_body[i]].joint;
    status =
        ga_fail(err, GA_ERR_INITIAL,
                "coordinates: joint: %s '%s' moves body '%s' by %.2g (relative to the length of "
                "the mechanism, or rad) when it is placed anew; use absolute",
                joint >= 0 ? "joint" : "the free joint of",
                joint >= 0 ? m->joints.item[joint].name : b->name, b->name, moved);
  }
  ga_pass_end(&pass);
  return status;
}

/* q, v of joints from those of bodies, qa, va; both velocities may be NULL. */
ga_status ga_tree_read(const ga_mechanism *m, const double *qa, const double *va, double *q,
                       double *v, ga_error *err) {
  const ga_tree *tree = m->tree;
  const ga_mechanism *a = m->absolute;
  joint_motion j;
  for (int i = 0; i < tree->nnode; i++) {
    const ga_node *node = &tree->node[i];
    if (node->parent < 0 || tree->node[i].joint != tree->node[node->parent].joint ||
        tree->node[node->parent].body >= 0) {
      int last = i;
      while (tree->node[last].body < 0) last++;
      const ga_element *el = node->joint >= 0 ? &m->joints.item[node->joint] : NULL;
      read_joint(a, el, tree->node[last].body, qa, va, &j);
    }
    read_node(m, &j, node, q, v);
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    q[m->coordinates.item[c].q_at] = qa[a->coordinates.item[c].q_at];
    if (v) v[m->coordinates.item[c].v_at] = va[a->coordinates.item[c].v_at];
  }
  return check_places(m, qa, q, err);
}

/* qa, va of bodies from those of joints; v and va may be NULL. GA_OK or GA_ERR_MEM. */
ga_status ga_tree_write(const ga_mechanism *m, const double *q, const double *v, double *qa,
                        double *va) {
  const ga_mechanism *a = m->absolute;
  const ga_evaluation nothing = {0};
  ga_pass pass;
  if (!ga_pass_begin(&pass, m, 0, q, v, &nothing)) return GA_ERR_MEM;
  for (int i = 1; i < m->bodies.count; i++) {
    ga_solid b = a->bodies.item[i];
    ga_frame f;
    double turn[4], own[6];
    ga_pass_motion(&pass, i, NULL, &f, turn, NULL, NULL);
    ga_copy3(f.x, b.x0);
    memcpy(b.p0, turn, sizeof b.p0);
    memcpy(b.R0, f.R, sizeof b.R0);
    ga_copy3(f.xd, b.xd0);
    ga_copy3(f.w, b.w0);
    b.kind->start(&b, qa + b.q_at, va ? va + b.v_at : own);
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    qa[a->coordinates.item[c].q_at] = q[m->coordinates.item[c].q_at];
    if (va) va[a->coordinates.item[c].v_at] = v[m->coordinates.item[c].v_at];
  }
  ga_pass_end(&pass);
  return GA_OK;
}

/* ga_mechanism_assemble: in absolute coordinates, where all joints have rows; held: flags are given. */
ga_status ga_tree_assemble(const ga_mechanism *m, double t, double *q, double *v, bool held,
                           double *moved, ga_error *err) {
  const ga_mechanism *a = m->absolute;
  if (held) {
    return ga_fail(err, GA_ERR_ARG,
                   "coordinates: joint: an assembly cannot hold single coordinates; use absolute");
  }
  double *qa = ga_calloc((size_t)(a->nq + a->nv), sizeof *qa), *va = v && qa ? qa + a->nq : NULL;
  ga_status status = qa ? ga_tree_write(m, q, v, qa, va) : GA_ERR_MEM;
  if (status != GA_OK) {
    ga_fail(err, status, "no memory to assemble the mechanism");
  } else {
    status = ga_mechanism_assemble(a, t, qa, va, NULL, NULL, moved, err);
  }
  if (status == GA_OK) status = ga_tree_read(m, qa, va, q, v, err);
  ga_free(qa);
  return status;
}
