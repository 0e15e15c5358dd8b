/* SPDX-License-Identifier: MIT */
/* Corners of closed loops and the angles by which they are bent.
 *
 * Two neighbouring edges of a closed loop of joints make a triangle of three joint points. An edge
 * is fixed on a body, the ground included, or it is the rod that a distance joint stands for. About
 * the axis of a hinge between the edges the angle from one to the other has a sign. At a ball
 * the axis of the next hinge serves, as the singular positions of the loop are where the one edge
 * lies in the plane of that axis and the other edge; and the normal of the triangle has a
 * direction. All change only where the corner is straight or folded. Beside a slider the third
 * point of the triangle is at infinity, normal to the slideway. */
#include <math.h>

#include "mechanism/assembly/corners.h"

/* Joints that are farther apart than this in the list of a body are not compared. It bounds the
 * work for a body with very many joints (the ground). */
enum { NEIGHBOURS = 32 };

/* ---- loops ---------------------------------------------------------------------------------- */

/* the data of an element that is a joint */
static const ga_joint_data *data_of(const ga_element *joint) {
  return joint->data;
}

/* the body of a joint that is not `body` */
static int other_body(const ga_element *joint, int body) {
  return joint->body[0] == body ? joint->body[1] : joint->body[0];
}

/* 0: `body` is side A of the joint, 1: side B */
static int side_of(const ga_element *joint, int body) {
  return joint->body[0] == body ? 0 : 1;
}

/* Lists the joints of each body by a counting sort into s->first (zero before), s->joint and
 * s->slot, counts them in degree (one number per body, zero before), and sets s->in_loop of all
 * joints: find_loops clears it where it is wrong. */
static void list_joints(ga_corners *s, int *degree) {
  const ga_mechanism *m = s->m;
  int *next = s->first + 1;
  for (int i = 0; i < m->joints.count; i++) {
    s->in_loop[i] = true;
    for (int side = 0; side < 2; side++) {
      next[m->joints.item[i].body[side] + 1]++;
      degree[m->joints.item[i].body[side]]++;
    }
  }
  for (int b = 0; b < m->bodies.count; b++) next[b + 1] += next[b];
  for (int i = 0; i < m->joints.count; i++) {
    for (int side = 0; side < 2; side++) {
      const int at = next[m->joints.item[i].body[side]]++;
      s->joint[at] = i;
      s->slot[2 * i + side] = at;
    }
  }
}

/* Clears in_loop of all joints outside loops: removes bodies with one joint left, one after the
 * other; the joints that remain form the loops. The ground (body 0) is never removed. degree: the
 * number of joints of each body, changed to the number of those left. Overwrites s->queue. */
static void find_loops(ga_corners *s, int *degree) {
  int end = 0;
  for (int b = 1; b < s->m->bodies.count; b++) {
    if (degree[b] == 1) s->queue[end++] = b;
  }
  for (int at = 0; at < end; at++) {
    const int b = s->queue[at];
    for (int k = s->first[b]; k < s->first[b + 1]; k++) {
      const int i = s->joint[k], other = other_body(&s->m->joints.item[i], b);
      if (!s->in_loop[i]) continue;
      s->in_loop[i] = false;
      degree[b]--;
      if (--degree[other] == 1 && other > 0) s->queue[end++] = other;
    }
  }
}

/* Allocates first, joint, slot, seen, queue, in_loop and known of s in its arena and fills first,
 * joint, slot and in_loop; the others are zero. s->m must be set; false without memory. */
bool ga_corners_open(ga_corners *s) {
  const size_t bodies = (size_t)s->m->bodies.count, joints = (size_t)s->m->joints.count;
  s->first = ga_arena_ints(&s->arena, bodies + 2);
  s->joint = ga_arena_ints(&s->arena, 2 * joints + 1);
  s->slot = ga_arena_ints(&s->arena, 2 * joints + 1);
  s->seen = ga_arena_ints(&s->arena, bodies);
  s->queue = ga_arena_ints(&s->arena, bodies);
  s->in_loop = ga_arena_take(&s->arena, joints + 1, sizeof *s->in_loop);
  s->known = ga_arena_take(&s->arena, joints + 1, sizeof *s->known);
  int *degree = ga_arena_ints(&s->arena, bodies);
  if (s->arena.failed) return false;
  list_joints(s, degree);
  find_loops(s, degree);
  return true;
}

/* Is there a path of loop joints from one body to another that touches neither body of `without`?
 * Neither end may be one of these. Breadth-first search; advances s->search and overwrites s->seen
 * and s->queue. */
static bool connected(ga_corners *s, int from, int to, const int without[2]) {
  int end = 0;
  s->search++;
  s->queue[end++] = from;
  s->seen[from] = s->search;
  for (int k = 0; k < 2; k++) s->seen[without[k]] = s->search;
  for (int at = 0; at < end && s->seen[to] != s->search; at++) {
    const int b = s->queue[at];
    for (int k = s->first[b]; k < s->first[b + 1]; k++) {
      const int other = other_body(&s->m->joints.item[s->joint[k]], b);
      if (!s->in_loop[s->joint[k]] || s->seen[other] == s->search) continue;
      s->seen[other] = s->search;
      s->queue[end++] = other;
    }
  }
  return s->seen[to] == s->search;
}

/* ---- joints --------------------------------------------------------------------------------- */

/* the joint keeps the distance of two points */
static bool is_rod(const ga_element *joint) {
  return data_of(joint)->type->uses & GA_JOINT_LENGTH;
}

/* the joint makes its two points coincide */
static bool is_pinned(const ga_element *joint) {
  const ga_row_list *rows = data_of(joint)->rows;
  return rows->count > 0 && rows->row[0].primitive == &ga_primitive_coincide;
}

/* the joint allows rotation about its z axis alone */
static bool is_hinge(const ga_element *joint) {
  const ga_joint_type *type = data_of(joint)->type;
  return type->aligned == 1u << 2 && type->coordinate[0].name && type->coordinate[0].angle;
}

/* the joint fixes one point and leaves all rotations free */
static bool is_ball(const ga_element *joint) {
  return is_pinned(joint) && data_of(joint)->type->aligned == 0;
}

/* the joint keeps a point of B on a line of A */
static bool is_slider(const ga_element *joint) {
  const ga_joint_data *data = data_of(joint);
  int planes = 0;
  for (int i = 0; i < data->rows->count; i++) {
    planes += data->rows->row[i].primitive == &ga_primitive_plane;
  }
  return planes == (data->rows == &data->type->plane ? 1 : 2);
}

/* ---- edges and angles ----------------------------------------------------------------------- */

/* An edge (see the head of this file) as a vector in space axes, before (u[0]) and after (u[1]) the
 * assembly; doubt: variance of its direction, in units of the variance of a start value. */
typedef struct edge {
  double u[2][3], doubt;
} edge;

/* e = edge from joint `from` to joint `to` of a body (doubt 0 if the body does not move, else 1);
 * false if both are at the same point: e is then of no use */
static bool edge_of_body(const ga_corners *s, int body, int from, int to, edge *e) {
  const ga_element *a = &s->m->joints.item[from], *b = &s->m->joints.item[to];
  double d[3];
  ga_plus3(data_of(b)->side[side_of(b, body)].s, -1, data_of(a)->side[side_of(a, body)].s, d);
  for (int k = 0; k < 2; k++) ga_times3(s->frame[k][body].R, d, e->u[k]);
  e->doubt = s->sure[body] ? 0 : 1;
  return ga_norm3(d) > 1e-6 * s->m->length;
}

/* e = edge along a rod (distance joint), away from its end 0 or 1; the shorter the rod is against
 * the mechanism, the larger the doubt */
static void edge_of_rod(const ga_corners *s, const ga_element *rod, int end, edge *e) {
  double p[2][3];
  for (int k = 0; k < 2; k++) {
    for (int side = 0; side < 2; side++) {
      const ga_frame *f = &s->frame[k][rod->body[side]];
      ga_times3(f->R, data_of(rod)->side[side].s, p[side]);
      ga_plus3(p[side], 1, f->x, p[side]);
    }
    ga_plus3(p[1 - end], -1, p[end], e->u[k]);
  }
  const double l = s->m->length / data_of(rod)->length;
  e->doubt = l * l * (!s->sure[rod->body[0]] + !s->sure[rod->body[1]]);
}

/* angle = angles (rad) from edge a to edge b about the z axis of a hinge of `body`, before and
 * after; false if an edge is parallel to the axis: then angle and *doubt are of no use. *doubt is
 * the variance of the angle after: the nearer b is to the axis, the more a small change turns
 * it. */
static bool angles_about(const ga_corners *s, const ga_element *hinge, int body, const edge *a,
                         const edge *b, double angle[2], double *doubt) {
  double own[3];
  ga_column3(data_of(hinge)->side[side_of(hinge, body)].E, 2, own);
  for (int k = 0; k < 2; k++) {
    double z[3], u[3], w[3], n[3];
    ga_times3(s->frame[k][body].R, own, z);
    ga_plus3(a->u[k], -ga_dot3(a->u[k], z), z, u);
    ga_plus3(b->u[k], -ga_dot3(b->u[k], z), z, w);
    if (fmin(ga_norm3(u), ga_norm3(w)) < 1e-6 * s->m->length) return false;
    ga_cross3(u, w, n);
    angle[k] = atan2(ga_dot3(n, z), ga_dot3(u, w));
    *doubt = a->doubt + b->doubt * ga_dot3(b->u[k], b->u[k]) / ga_dot3(w, w);
  }
  return true;
}

/* angle = angles (rad) between edges a and b, before and after, without an axis: angle[0] >= 0;
 * angle[1] < 0 if the normals of the two triangles point to opposite sides. */
static void angles_between(const edge *a, const edge *b, double angle[2]) {
  double n[2][3];
  for (int k = 0; k < 2; k++) {
    ga_cross3(a->u[k], b->u[k], n[k]);
    angle[k] = atan2(ga_norm3(n[k]), ga_dot3(a->u[k], b->u[k]));
  }
  if (ga_dot3(n[0], n[1]) < 0) angle[1] = -angle[1];
}

/* ---- corners -------------------------------------------------------------------------------- */

/* Can `candidate`, a joint of the same body, follow `joint` in a loop of three or more joints? It
 * must be in a loop, lead to another body than `joint`, and be pinned, a rod or a slider. */
static bool may_be_neighbours(const ga_corners *s, int body, int joint, int candidate) {
  const ga_element *a = &s->m->joints.item[joint], *b = &s->m->joints.item[candidate];
  return candidate != joint && s->in_loop[candidate] &&
         other_body(b, body) != other_body(a, body) && (is_pinned(b) || is_rod(b) || is_slider(b));
}

/* range = positions in the body's list of joints that are compared with `joint`: from range[0] to
 * before range[1], at most NEIGHBOURS to either side of it */
static void list_range(const ga_corners *s, int body, int joint, int range[2]) {
  const int at = s->slot[2 * joint + side_of(&s->m->joints.item[joint], body)];
  range[0] = at - NEIGHBOURS > s->first[body] ? at - NEIGHBOURS : s->first[body];
  range[1] = at + NEIGHBOURS < s->first[body + 1] ? at + NEIGHBOURS : s->first[body + 1];
}

/* Judges a free corner: `joint` is a ball or the end of a rod, which has no axis of its own. Edge a
 * is fixed on `body` and leads from `joint` to the joint `next`; edge b leads on to `after`. If
 * `next` is a hinge, its axis gives the angle from a to b a sign, and the corner is passed to
 * ga_corners_judge, which may record it in s; else nothing is done. */
static void judge_free_corner(ga_corners *s, int body, const edge *a, const edge *b, int joint,
                              int next, int after) {
  const ga_element *hinge = &s->m->joints.item[next];
  double angle[2], doubt;
  if (is_hinge(hinge) && angles_about(s, hinge, body, a, b, angle, &doubt)) {
    ga_corners_judge(s, angle, doubt, joint, next, after);
  }
}

/* Passes the corner at a hinge or ball to ga_corners_judge (is it clear to which side it is bent?).
 * Its edges lead to `before` on body 0 of the joint and to `after` on body 1. A ball is judged
 * three times: about the hinges beside it, if there are any, and by the normal of the triangle. */
static void judge_corner(ga_corners *s, int joint, int before, int after) {
  const ga_element *el = &s->m->joints.item[joint];
  double angle[2], doubt;
  edge a, b;
  if (!edge_of_body(s, el->body[0], joint, before, &a)) return;
  if (!edge_of_body(s, el->body[1], joint, after, &b)) return;
  if (is_hinge(el)) {
    if (!angles_about(s, el, el->body[0], &a, &b, angle, &doubt)) return;
  } else {
    judge_free_corner(s, el->body[0], &a, &b, joint, before, after);
    judge_free_corner(s, el->body[1], &b, &a, joint, after, before);
    angles_between(&a, &b, angle);
  }
  ga_corners_judge(s, angle, a.doubt + b.doubt, joint, before, after);
}

/* Passes the angle by which an edge of a body, `joint` to `after`, rises above the plane normal
 * to the slideway `slide` to ga_corners_judge. The slideway is on the carrier, the body on side
 * `on` of the joint; the edge is on the other body. Skipped if `slide` is no slider or known (held
 * or driven), if a body is the ground (that is a motion, not another way to close), and for balls
 * on a body with more than two joints. */
static void judge_slide(ga_corners *s, int joint, int on, int slide, int after) {
  const ga_element *el = &s->m->joints.item[joint], *way = &s->m->joints.item[slide];
  const int carrier = el->body[on], body = el->body[1 - on];
  double own[3], angle[2];
  edge e;
  if (carrier == 0 || body == 0 || s->known[slide] || !is_slider(way)) return;
  if (is_ball(el) && s->first[body + 1] - s->first[body] > 2) return;
  if (!edge_of_body(s, body, joint, after, &e)) return;
  ga_column3(data_of(way)->side[side_of(way, carrier)].E, 2, own);
  for (int k = 0; k < 2; k++) {
    double axis[3];
    ga_times3(s->frame[k][carrier].R, own, axis);
    angle[k] = asin(fmax(-1, fmin(1, ga_dot3(axis, e.u[k]) / ga_norm3(e.u[k]))));
  }
  ga_corners_judge(s, angle, e.doubt + (s->sure[carrier] ? 0 : 1), joint, slide, after);
}

/* Passes all corners at a hinge or ball to ga_corners_judge: one for each pair of neighbouring
 * joints on its two bodies that a loop connects. Of a known joint (its angle is held or driven)
 * only the slideways beside it are judged. */
static void judge_joint(ga_corners *s, int joint) {
  const ga_element *item = s->m->joints.item, *el = &item[joint];
  int a[2], b[2];
  list_range(s, el->body[0], joint, a);
  list_range(s, el->body[1], joint, b);
  for (int i = a[0]; i < a[1]; i++) {
    const int before = s->joint[i];
    for (int j = b[0]; j < b[1] && may_be_neighbours(s, el->body[0], joint, before); j++) {
      const int after = s->joint[j];
      if (!may_be_neighbours(s, el->body[1], joint, after)) continue;
      const int ends[2] = {other_body(&item[before], el->body[0]),
                           other_body(&item[after], el->body[1])};
      if (!connected(s, ends[0], ends[1], el->body)) continue;
      if (!s->known[joint]) judge_corner(s, joint, before, after);
      judge_slide(s, joint, /* side: */ 0, before, after);
      judge_slide(s, joint, /* side: */ 1, after, before);
    }
  }
}

/* Passes the corners of a rod with the edges of the bodies at its two ends to ga_corners_judge: one
 * for each neighbouring joint there, about its axis if it is a hinge, and by the normal. */
static void judge_rod(ga_corners *s, int joint) {
  const ga_element *rod = &s->m->joints.item[joint];
  for (int end = 0; end < 2; end++) {
    const int body = rod->body[end];
    int range[2];
    list_range(s, body, joint, range);
    for (int i = range[0]; i < range[1]; i++) {
      const int next = s->joint[i];
      double angle[2];
      edge a, b;
      if (!may_be_neighbours(s, body, joint, next) || !edge_of_body(s, body, joint, next, &a))
        continue;
      edge_of_rod(s, rod, end, &b);
      judge_free_corner(s, body, &a, &b, joint, next, joint);
      angles_between(&a, &b, angle);
      ga_corners_judge(s, angle, a.doubt + b.doubt, joint, next, joint);
    }
  }
}

/* Does at least one rod connect bodies a and b? At most one of them is the ground. */
static bool joined_by_rod(const ga_corners *s, int a, int b) {
  const int from = a > 0 ? a : b, to = a > 0 ? b : a;
  for (int k = s->first[from]; k < s->first[from + 1]; k++) {
    const ga_element *joint = &s->m->joints.item[s->joint[k]];
    if (is_rod(joint) && other_body(joint, from) == to) return true;
  }
  return false;
}

/* Do two rods of a body belong to a triangle? They start at one point and lead to the same body, or
 * they lead to two bodies that a third rod joins. */
static bool make_triangle(const ga_corners *s, int body, const ga_element *rod,
                          const ga_element *other) {
  const int a = other_body(rod, body), b = other_body(other, body);
  double d[3];
  if (!is_rod(rod) || !is_rod(other)) return false;
  ga_plus3(data_of(rod)->side[side_of(rod, body)].s, -1,
           data_of(other)->side[side_of(other, body)].s, d);
  return a == b ? ga_norm3(d) <= 1e-6 * s->m->length : joined_by_rod(s, a, b);
}

/* Passes the corners between the rods of a body that form triangles to ga_corners_judge; rods that
 * are NEIGHBOURS or more apart in its list of joints are not compared. */
static void judge_triangles(ga_corners *s, int body) {
  for (int i = s->first[body]; i < s->first[body + 1]; i++) {
    const int rod = s->joint[i];
    for (int j = i + 1; j < s->first[body + 1] && j < i + NEIGHBOURS; j++) {
      const ga_element *const pair[2] = {&s->m->joints.item[rod], &s->m->joints.item[s->joint[j]]};
      double angle[2];
      edge e[2];
      if (!make_triangle(s, body, pair[0], pair[1])) continue;
      for (int k = 0; k < 2; k++) edge_of_rod(s, pair[k], side_of(pair[k], body), &e[k]);
      angles_between(&e[0], &e[1], angle);
      ga_corners_judge(s, angle, e[0].doubt + e[1].doubt, rod, s->joint[j], rod);
    }
  }
}

/* Passes all corners of all loops to ga_corners_judge, until one is not clear (s->name[0] is set
 * then). s must be filled by prepare_corners (sides.c). */
void ga_corners_check(ga_corners *s) {
  for (int i = 0; i < s->m->joints.count && !s->name[0]; i++) {
    const ga_element *joint = &s->m->joints.item[i];
    if (!s->in_loop[i]) continue;
    if (is_hinge(joint) || is_ball(joint)) judge_joint(s, i);
    if (is_rod(joint)) judge_rod(s, i);
  }
  for (int b = 0; b < s->m->bodies.count && !s->name[0]; b++) judge_triangles(s, b);
}
