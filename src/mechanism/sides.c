/* SPDX-License-Identifier: MIT */
/* The side on which a joint bends: an assembly must not turn a linkage over.
 *
 * A hinge between two bodies has two legs: from it to the farthest other joint of each body, fixed
 * on that body. The sine of the angle between them, about the hinge's axis, tells to which side it
 * is bent; it depends on how the bodies are turned alone, not on how far apart their joints are.
 * The assembled linkage must be bent to the same side. A hinge that is nearly straight before may
 * go to either side, unless some joint is so far open (FAR of the mechanism's length) that nobody
 * can tell to which side it should bend. Only hinges of closed loops count, and not those of the
 * ground: to turn about these is a motion, not another way to close. The rod that a distance joint
 * stands for is bent likewise against the leg to a hinge of its body, about that hinge's axis; and
 * of three bodies joined by three such rods the normal of the triangle counts. */
#include <math.h>
#include <string.h>

#include "mechanism/mechanism.h"

/* Part of the mechanism's length above which a gap is large; sine below which a hinge is straight.
 */
static const double FAR = 0.18, STRAIGHT = 0.1;

/* Joints of each body, and how many of them belong to loops. */
typedef struct joint_lists {
  int *first, *joint, *degree, *queue;
  bool *in_loop; /* of each joint */
} joint_lists;

static bool list_joints(const ga_mechanism *m, ga_arena *arena, joint_lists *l) {
  l->first = ga_arena_ints(arena, (size_t)m->bodies.count + 2);
  l->joint = ga_arena_ints(arena, 2 * (size_t)m->joints.count + 1);
  l->degree = ga_arena_ints(arena, (size_t)m->bodies.count);
  l->queue = ga_arena_ints(arena, (size_t)m->bodies.count);
  l->in_loop = ga_arena_take(arena, (size_t)m->joints.count + 1, sizeof *l->in_loop);
  if (arena->failed) return false;
  int *next = l->first + 1;
  for (int i = 0; i < m->joints.count; i++) {
    l->in_loop[i] = true;
    for (int side = 0; side < 2; side++) {
      next[m->joints.item[i].body[side] + 1]++;
      l->degree[m->joints.item[i].body[side]]++;
    }
  }
  for (int b = 0; b < m->bodies.count; b++) next[b + 1] += next[b];
  for (int i = 0; i < m->joints.count; i++) {
    for (int side = 0; side < 2; side++) l->joint[next[m->joints.item[i].body[side]]++] = i;
  }
  return true;
}

/* Bodies with one joint left are taken away one after the other: what remains are the loops. */
static void find_loops(const ga_mechanism *m, joint_lists *l) {
  int end = 0;
  for (int b = 1; b < m->bodies.count; b++) {
    if (l->degree[b] == 1) l->queue[end++] = b;
  }
  for (int at = 0; at < end; at++) {
    const int b = l->queue[at];
    for (int k = l->first[b]; k < l->first[b + 1]; k++) {
      const int i = l->joint[k];
      if (!l->in_loop[i]) continue;
      const int *body = m->joints.item[i].body, other = body[0] == b ? body[1] : body[0];
      l->in_loop[i] = false;
      l->degree[b]--;
      if (--l->degree[other] == 1 && other > 0) l->queue[end++] = other;
    }
  }
}

static const ga_joint_frame *side_of(const ga_element *joint, int body) {
  return &((const ga_joint_data *)joint->data)->side[joint->body[0] == body ? 0 : 1];
}

/* The leg of a body from one of its joints to the farthest other one, in body axes; false: none. */
static bool leg_of(const ga_mechanism *m, const joint_lists *l, int body, int from, double *leg) {
  double most = 1e-9 * m->length;
  bool found = false;
  for (int k = l->first[body]; k < l->first[body + 1]; k++) {
    double d[3];
    if (!l->in_loop[l->joint[k]]) continue;
    ga_plus3(side_of(&m->joints.item[l->joint[k]], body)->s, -1,
             side_of(&m->joints.item[from], body)->s, d);
    if (ga_norm3(d) <= most) continue;
    most = ga_norm3(d);
    found = true;
    ga_copy3(d, leg);
  }
  return found;
}

/* the sine of the angle from leg A to leg B about the axis */
static double bend(const ga_mechanism *m, const ga_element *hinge, double legs[2][3],
                   const double *q) {
  double u[2][3], axis[3], n[3], own[3];
  for (int side = 0; side < 2; side++) {
    const ga_solid *b = &m->bodies.item[hinge->body[side]];
    ga_frame f;
    b->kind->frame(q + b->q_at, NULL, &f);
    ga_times3(f.R, legs[side], u[side]);
    if (side > 0) continue;
    ga_column3(((const ga_joint_data *)hinge->data)->side[0].E, 2, own);
    ga_times3(f.R, own, axis);
  }
  ga_cross3(u[0], u[1], n);
  return ga_dot3(n, axis) / (ga_norm3(u[0]) * ga_norm3(u[1]));
}

/* an axis and a point that closes */
static bool has_hinge(const ga_element *joint) {
  const ga_joint_data *data = joint->data;
  const bool closes =
      data->rows->count > 0 && data->rows->row[0].primitive == &ga_primitive_coincide;
  return data->type->aligned == 1u << 2 && closes;
}

static void rod_ends(const ga_mechanism *m, const ga_element *joint, const double *q,
                     double end[2][3]) {
  for (int k = 0; k < 2; k++) {
    const ga_solid *b = &m->bodies.item[joint->body[k]];
    ga_frame f;
    b->kind->frame(q + b->q_at, NULL, &f);
    ga_times3(f.R, ((const ga_joint_data *)joint->data)->side[k].s, end[k]);
    ga_plus3(end[k], 1, f.x, end[k]);
  }
}

/* the largest gap of a joint that closes two points or keeps their distance */
static double largest_gap(const ga_mechanism *m, const double *q) {
  double largest = 0;
  for (int i = 0; i < m->joints.count; i++) {
    const ga_element *joint = &m->joints.item[i];
    const ga_joint_data *data = joint->data;
    double end[2][3], d[3];
    if (data->rows->count == 0 || (data->rows->row[0].primitive != &ga_primitive_coincide &&
                                   data->rows->row[0].primitive != &ga_primitive_distance)) {
      continue;
    }
    rod_ends(m, joint, q, end);
    ga_plus3(end[1], -1, end[0], d);
    largest = fmax(largest, fabs(ga_norm3(d) - data->length));
  }
  return largest;
}

/* the same between the rod of a distance joint and the leg from it to hinge `h` of its body */
static double rod_bend(const ga_mechanism *m, const ga_element *rod, int side, const ga_element *h,
                       const double *q) {
  const ga_joint_frame *own = side_of(h, rod->body[side]);
  const ga_solid *b = &m->bodies.item[rod->body[side]];
  double end[2][3], leg[3], u[3], w[3], axis[3], n[3], z[3];
  ga_frame f;
  rod_ends(m, rod, q, end);
  b->kind->frame(q + b->q_at, NULL, &f);
  ga_plus3(own->s, -1, ((const ga_joint_data *)rod->data)->side[side].s, leg);
  ga_times3(f.R, leg, u);
  ga_plus3(end[1 - side], -1, end[side], w);
  ga_column3(own->E, 2, z);
  ga_times3(f.R, z, axis);
  ga_cross3(u, w, n);
  const double size = ga_norm3(u) * ga_norm3(w);
  return size > 0 ? ga_dot3(n, axis) / size : 0;
}

/* The normal of the triangle of two rods that begin at one body, its length the sine of the angle
 * between them. */
static void rods_normal(const ga_mechanism *m, const ga_element *const rod[2], int body,
                        const double *q, double *n) {
  double u[2][3];
  for (int k = 0; k < 2; k++) {
    double end[2][3];
    const int here = rod[k]->body[0] == body ? 0 : 1;
    rod_ends(m, rod[k], q, end);
    ga_plus3(end[1 - here], -1, end[here], u[k]);
  }
  ga_cross3(u[0], u[1], n);
  const double size = ga_norm3(u[0]) * ga_norm3(u[1]);
  for (int i = 0; i < 3; i++) n[i] = size > 0 ? n[i] / size : 0;
}

/* What is compared: sines before and after. */
typedef struct comparison {
  bool far;
  const char *name; /* of the joint that went to the other side */
} comparison;

static void compare(comparison *c, const char *name, double s0, double s1) {
  const bool other = (s0 > 0) != (s1 > 0) || fabs(s1) < 1e-9, straight = fabs(s0) < STRAIGHT;
  if (!c->name && (c->far ? other || straight : other && !straight)) c->name = name;
}

static void compare_hinge(comparison *c, const ga_mechanism *m, const joint_lists *l, int i,
                          const double *before, const double *after) {
  const ga_element *hinge = &m->joints.item[i];
  double legs[2][3];
  if (hinge->body[0] == 0 || hinge->body[1] == 0) return;
  for (int side = 0; side < 2; side++) {
    if (!leg_of(m, l, hinge->body[side], i, legs[side])) return;
  }
  compare(c, hinge->name, bend(m, hinge, legs, before), bend(m, hinge, legs, after));
}

static void compare_rod(comparison *c, const ga_mechanism *m, const joint_lists *l,
                        const ga_element *rod, const double *before, const double *after) {
  for (int side = 0; side < 2; side++) {
    const int body = rod->body[side];
    for (int k = l->first[body]; body > 0 && k < l->first[body + 1]; k++) {
      const ga_element *h = &m->joints.item[l->joint[k]];
      if (!l->in_loop[l->joint[k]] || !has_hinge(h)) continue;
      compare(c, rod->name, rod_bend(m, rod, side, h, before), rod_bend(m, rod, side, h, after));
    }
  }
}

static int other_body(const ga_element *joint, int body) {
  return joint->body[0] == body ? joint->body[1] : joint->body[0];
}

static bool joined_by_rod(const ga_mechanism *m, const joint_lists *l, int a, int b) {
  for (int k = l->first[a]; k < l->first[a + 1]; k++) {
    const ga_element *joint = &m->joints.item[l->joint[k]];
    if (joint->type == &ga_element_distance && other_body(joint, a) == b) return true;
  }
  return false;
}

/* three bodies, each pair joined by a rod: their normal must not turn round */
static void compare_triangles(comparison *c, const ga_mechanism *m, const joint_lists *l, int body,
                              const double *before, const double *after) {
  for (int i = l->first[body]; i < l->first[body + 1]; i++) {
    for (int j = i + 1; j < l->first[body + 1]; j++) {
      const ga_element *const rod[2] = {&m->joints.item[l->joint[i]], &m->joints.item[l->joint[j]]};
      if (rod[0]->type != &ga_element_distance || rod[1]->type != &ga_element_distance) continue;
      const int a = other_body(rod[0], body), b = other_body(rod[1], body);
      if (a <= body || b <= body || a == b || !joined_by_rod(m, l, a, b)) continue;
      double n0[3], n1[3];
      rods_normal(m, rod, body, before, n0);
      rods_normal(m, rod, body, after, n1);
      compare(c, rod[0]->name, ga_norm3(n0), copysign(ga_norm3(n1), ga_dot3(n0, n1)));
    }
  }
}

ga_status ga_mechanism_check_sides(const ga_mechanism *m, const double *before, const double *after,
                                   ga_error *err) {
  ga_arena arena = {0};
  joint_lists l;
  const double gap = largest_gap(m, before);
  comparison c = {.far = gap > FAR * m->length};
  if (!list_joints(m, &arena, &l)) {
    ga_arena_free(&arena);
    return ga_fail(err, GA_ERR_MEM, "no memory to assemble");
  }
  find_loops(m, &l);
  for (int i = 0; i < m->joints.count && !c.name; i++) {
    const ga_element *joint = &m->joints.item[i];
    if (!l.in_loop[i]) continue;
    if (has_hinge(joint)) compare_hinge(&c, m, &l, i, before, after);
    if (joint->type == &ga_element_distance) compare_rod(&c, m, &l, joint, before, after);
  }
  for (int b = 0; b < m->bodies.count && !c.name; b++) {
    compare_triangles(&c, m, &l, b, before, after);
  }
  ga_arena_free(&arena);
  if (!c.name) return GA_OK;
  return ga_fail(err, GA_ERR_INITIAL,
                 "joint '%s' would close bent to the other side, or it cannot be told to which: "
                 "the start values are too far from fitting (a gap of %.3g in a mechanism of size "
                 "%.3g); give better ones, or fix a body",
                 c.name, gap, m->length);
}
