/* SPDX-License-Identifier: MIT */
/* The triangles of a mechanism's loops, found from its joints alone: a second opinion on
 * src/mechanism/assembly/corners.c.
 *
 * Bodies and the rods of distance joints are nodes, points where they meet are links. Three links
 * j, k, l with j and k on node b, k and l on node c are a triangle of a loop if b and c are joined
 * by other nodes, too, from the far side of j to that of l. */
#ifndef GA_TESTS_LOOP_TRIANGLES_H
#define GA_TESTS_LOOP_TRIANGLES_H

#include "mechanism/mechanism.h"
#include "mechanisms.h"

typedef struct loop_link {
  int node[2];
  const ga_element *joint;
  int end; /* of a rod; -1: a joint that is no rod */
} loop_link;

typedef struct loop_triangle {
  int j, k, l;
} loop_triangle;

typedef struct loop_triangles {
  const ga_mechanism *m;
  int nodes, links, count, room;
  loop_link *link;
  loop_triangle *item;
  bool *seen;
} loop_triangles;

static inline const char *loop_type(const loop_link *link) {
  return ((const ga_joint_data *)link->joint->data)->type->name;
}

static inline bool loop_has_point(const loop_link *link) {
  static const char *const types[] = {"distance", "revolute",    "spherical",     "universal",
                                      "fixed",    "cylindrical", "point_on_line", "prismatic"};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (strcmp(loop_type(link), types[i]) == 0) return true;
  }
  return false;
}

static inline int loop_other(const loop_link *link, int node) {
  return link->node[0] == node ? link->node[1] : link->node[0];
}

/* marks everything that can be reached from a node; those marked before are walls */
static inline void loop_flood(loop_triangles *t, int node) {
  if (t->seen[node]) return;
  t->seen[node] = true;
  for (int i = 0; i < t->links; i++) {
    const loop_link *link = &t->link[i];
    if (link->node[0] == node || link->node[1] == node) loop_flood(t, loop_other(link, node));
  }
}

static inline bool loop_closes(loop_triangles *t, int from, int to, const int walls[2]) {
  if (from == walls[0] || from == walls[1] || to == walls[0] || to == walls[1]) return false;
  memset(t->seen, 0, (size_t)t->nodes * sizeof(bool));
  t->seen[walls[0]] = t->seen[walls[1]] = true;
  loop_flood(t, from);
  return t->seen[to];
}

static inline void loop_add(loop_triangles *t, int j, int k, int l) {
  if (t->count == t->room) {
    t->room = t->room ? 2 * t->room : 64;
    t->item = realloc(t->item, (size_t)t->room * sizeof *t->item);
    assert_non_null(t->item);
  }
  t->item[t->count++] = (loop_triangle){j, k, l};
}

static inline void loop_triangles_at(loop_triangles *t, int k) {
  const loop_link *link = &t->link[k];
  if (!loop_has_point(link) || strcmp(loop_type(link), "prismatic") == 0) return;
  for (int j = 0; j < t->links; j++) {
    const loop_link *a = &t->link[j];
    if (j == k || (a->node[0] != link->node[0] && a->node[1] != link->node[0])) continue;
    for (int l = 0; l < t->links && loop_has_point(a); l++) {
      const loop_link *b = &t->link[l];
      if (l == k || l == j || !loop_has_point(b)) continue;
      if (b->node[0] != link->node[1] && b->node[1] != link->node[1]) continue;
      if (!loop_closes(t, loop_other(a, link->node[0]), loop_other(b, link->node[1]), link->node)) {
        continue;
      }
      loop_add(t, j, k, l);
    }
  }
}

static inline loop_triangles loop_triangles_of(const ga_mechanism *m) {
  loop_triangles t = {.m = m, .nodes = m->bodies.count};
  t.link = calloc(2 * (size_t)m->joints.count + 1, sizeof *t.link);
  for (int i = 0; i < m->joints.count; i++) {
    const ga_element *joint = &m->joints.item[i];
    const ga_joint_data *data = joint->data;
    const bool rod = data->type->uses & GA_JOINT_LENGTH;
    for (int end = 0; end < 1 + rod; end++) {
      t.link[t.links++] = (loop_link){.node = {joint->body[end], rod ? t.nodes : joint->body[1]},
                                      .joint = joint,
                                      .end = rod ? end : -1};
    }
    t.nodes += rod;
  }
  t.seen = calloc((size_t)t.nodes, sizeof(bool));
  for (int k = 0; k < t.links; k++) loop_triangles_at(&t, k);
  return t;
}

static inline void loop_triangles_free(loop_triangles *t) {
  free(t->link);
  free(t->item);
  free(t->seen);
}

static inline void loop_point(const loop_triangles *t, const double *q, const loop_link *link,
                              int node, double *p) {
  const int side = link->end >= 0 ? link->end : link->joint->body[0] == node ? 0 : 1;
  const ga_solid *b = &t->m->bodies.item[link->joint->body[side]];
  ga_frame f;
  b->kind->frame(q + b->q_at, NULL, &f);
  ga_times3(f.R, ((const ga_joint_data *)link->joint->data)->side[side].s, p);
  ga_plus3(p, 1, f.x, p);
}

/* The sine of a triangle's angle at k as a vector: along the hinge's axis if k is a hinge, else
 * normal to the triangle. Zero if two of its points are one. */
static inline void loop_sine(const loop_triangles *t, const double *q, const loop_triangle *item,
                             double *n) {
  const loop_link *k = &t->link[item->k];
  double at[2][3], edge[2][3];
  for (int side = 0; side < 2; side++) {
    loop_point(t, q, k, k->node[side], at[side]);
    loop_point(t, q, &t->link[side == 0 ? item->j : item->l], k->node[side], edge[side]);
    ga_plus3(edge[side], -1, at[side], edge[side]);
    if (ga_norm3(edge[side]) < 1e-6 * t->m->length) {
      ga_zero3(n);
      return;
    }
  }
  ga_cross3(edge[0], edge[1], n);
  for (int i = 0; i < 3; i++) n[i] /= ga_norm3(edge[0]) * ga_norm3(edge[1]);
  if (strcmp(loop_type(k), "revolute") != 0) return;
  const ga_solid *b = &t->m->bodies.item[k->joint->body[0]];
  ga_frame f;
  double own[3], z[3];
  b->kind->frame(q + b->q_at, NULL, &f);
  ga_column3(((const ga_joint_data *)k->joint->data)->side[0].E, 2, own);
  ga_times3(f.R, own, z);
  const double along = ga_dot3(n, z);
  for (int i = 0; i < 3; i++) n[i] = along * z[i];
}

/* The joint of a triangle that is turned over at q against q0; NULL: none is. Triangles with a sine
 * below `least` at q0 have no side. */
static inline const char *loop_turned_over(const loop_triangles *t, const double *q0,
                                           const double *q, double least) {
  for (int i = 0; i < t->count; i++) {
    double before[3], after[3];
    loop_sine(t, q0, &t->item[i], before);
    loop_sine(t, q, &t->item[i], after);
    if (ga_norm3(before) < least || ga_dot3(before, after) > 0) continue;
    return t->link[t->item[i].k].joint->name;
  }
  return NULL;
}

#endif
