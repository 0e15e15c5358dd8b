/* SPDX-License-Identifier: MIT */
/* The spanning tree of a mechanism. Bodies and ground are its nodes, joints with a list of elementary
 * joints are edges of weight 6 - freedoms. It grows from the ground: of all edges between a reached and
 * an unreached body it takes the one of the largest weight; then the one with the fewest freedoms on
 * the path of its reached body; then the first in the order of the joints. When none is left, the
 * unreached body of largest mass (the first of them) becomes a root with a free joint. Joints that are
 * not taken are cut: they keep their rows. So a loop is cut at its weakest joint, a ring of equal
 * joints opposite to the ground. */
#include <string.h>

#include "mechanism/tree/tree.h"

/* An edge from a reached body. */
typedef struct {
  int joint, to;
  int weight, path; /* freedoms of the path to the reached body */
} edge;

typedef struct {
  ga_mechanism *m;
  ga_arena scratch;
  edge *heap; /* the best edge first */
  int count;
  int *first, *next; /* joints of each body: first[b], next[2 joint + side]; -1: end */
  bool *reached;
  int *path; /* of reached bodies: freedoms of their paths */
} spanning;

static bool better(const edge *a, const edge *b) {
  if (a->weight != b->weight) return a->weight > b->weight;
  if (a->path != b->path) return a->path < b->path;
  return a->joint < b->joint;
}

static void push(spanning *s, edge e) {
  int i = s->count++;
  for (; i > 0 && better(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2) {
    s->heap[i] = s->heap[(i - 1) / 2];
  }
  s->heap[i] = e;
}

static edge pop(spanning *s) {
  const edge top = s->heap[0], last = s->heap[--s->count];
  int i = 0;
  for (int child = 1; child < s->count; child = 2 * i + 1) {
    if (child + 1 < s->count && better(&s->heap[child + 1], &s->heap[child])) child++;
    if (!better(&s->heap[child], &last)) break;
    s->heap[i] = s->heap[child];
    i = child;
  }
  s->heap[i] = last;
  return top;
}

static const int freedoms[] = {
    [GA_NO_FREEDOM] = 0, [GA_HINGE] = 1, [GA_SLIDE] = 1, [GA_BALL] = 3, [GA_SHIFT] = 3};

/* Freedoms of a type's list; -1: it has none. */
static int freedoms_of(const ga_joint_type *type) {
  int n = 0;
  for (int i = 0; i < type->tree.count; i++) n += freedoms[type->tree.part[i].kind];
  return type->tree.given ? n : -1;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Set what follows from the joint frames of a node. */
static void finish_node(ga_node *node) {
  double S[9], X[9], transposed[9];
  for (int i = 0; i < 9; i++) transposed[i] = node->E_out[3 * (i % 3) + i / 3];
  ga_product3(node->E, transposed, node->Q[0]);
  double axis[3] = {0, 0, 0};
  axis[node->axis] = node->sign;
  ga_skew3(axis, S);
  ga_product3(node->E, S, X);
  ga_product3(X, transposed, node->Q[1]);
  ga_product3(X, S, node->Q[2]); /* E a~ a~, then E_out^T */
  memcpy(X, node->Q[2], sizeof X);
  ga_product3(X, transposed, node->Q[2]);
  ga_quat_of_matrix(node->E, node->turn[0]);
  ga_quat_of_matrix(transposed, node->turn[1]);
  node->n = freedoms[node->kind];
  node->flip = 1;
}

/* Append a node behind `parent`; its joint frames are those of space. */
static ga_node *append_node(ga_tree *tree, int parent, ga_elementary kind) {
  ga_node *node = &tree->node[tree->nnode++];
  *node = (ga_node){.parent = parent, .body = -1, .joint = -1, .part = -1, .kind = kind, .sign = 1};
  ga_identity3(node->E);
  ga_identity3(node->E_out);
  node->root = parent < 0 ? tree->nnode - 1 : tree->node[parent].root;
  node->inner = parent >= 0 && tree->node[parent].body < 0;
  node->base = parent < 0 || (tree->node[parent].base && tree->node[parent].body < 0);
  return node;
}

/* The nodes of a joint from a reached body to another; the last one is that of the body. */
static void append_joint(ga_mechanism *m, int joint, int to) {
  ga_tree *tree = m->tree;
  const ga_element *el = &m->joints.item[joint];
  const ga_joint_data *data = el->data;
  const bool backward = el->body[0] == to;
  const ga_joint_frame *near = &data->side[backward], *far = &data->side[!backward];
  const int n = data->type->tree.count, from = el->body[backward];
  int parent = from > 0 ? tree->node_of_body[from] : -1;
  for (int i = 0; i < (n > 0 ? n : 1); i++) {
    const int part = n == 0 ? -1 : backward ? n - 1 - i : i;
    const ga_elementary_joint *own = n > 0 ? &data->type->tree.part[part] : NULL;
    ga_node *node = append_node(tree, parent, own ? own->kind : GA_NO_FREEDOM);
    node->joint = joint;
    node->part = part;
    node->axis = own ? own->axis : 0;
    node->sign = backward ? -1 : 1;
    if (i == 0) {
      ga_copy3(near->s, node->s);
      memcpy(node->E, near->E, sizeof near->E);
    }
    if (i == n - 1 || n == 0) {
      ga_copy3(far->s, node->s_out);
      memcpy(node->E_out, far->E, sizeof far->E);
      node->body = to;
      node->origin = node->base;
    }
    finish_node(node);
    parent = tree->nnode - 1;
  }
  tree->node_of_body[to] = tree->node_of_joint[joint] = parent;
}

/* The nodes of a body with a free joint at its centre of mass. */
static void append_root(ga_mechanism *m, int body) {
  ga_tree *tree = m->tree;
  finish_node(append_node(tree, -1, GA_SHIFT));
  ga_node *ball = append_node(tree, tree->nnode - 1, GA_BALL);
  ball->body = body;
  ball->origin = true;
  finish_node(ball);
  tree->node_of_body[body] = tree->nnode - 1;
}

/* ---- growth --------------------------------------------------------------------------------- */

/* Mark a body as reached and enter the edges that lead on from it. */
static void reach_body(spanning *s, int body, int path) {
  s->reached[body] = true;
  s->path[body] = path;
  for (int e = s->first[body]; e >= 0; e = s->next[e]) {
    const ga_element *el = &s->m->joints.item[e / 2];
    const int n = freedoms_of(((const ga_joint_data *)el->data)->type), to = el->body[1 - e % 2];
    if (n >= 0 && !s->reached[to]) push(s, (edge){e / 2, to, 6 - n, path});
  }
}

/* Take edges until none is left. */
static void grow(spanning *s) {
  while (s->count > 0) {
    const edge e = pop(s);
    if (s->reached[e.to]) continue;
    append_joint(s->m, e.joint, e.to);
    reach_body(s, e.to, e.path + 6 - e.weight);
  }
}

/* Unreached body of the largest mass, 0: all are reached. */
static int heaviest_left(const spanning *s) {
  int best = 0;
  for (int i = 1; i < s->m->bodies.count; i++) {
    if (s->reached[i]) continue;
    if (best == 0 || s->m->bodies.item[i].mass > s->m->bodies.item[best].mass) best = i;
  }
  return best;
}

/* Number the freedoms and set the paths up; counts the longest path and the most balls on one. */
static bool number_freedoms(ga_mechanism *m, ga_arena *scratch) {
  ga_tree *tree = m->tree;
  int *last = ga_arena_ints(scratch, (size_t)tree->nnode);  /* freedom of the path, -1 */
  int *balls = ga_arena_ints(scratch, (size_t)tree->nnode); /* on the path */
  int *length = ga_arena_ints(scratch, (size_t)tree->nnode);
  for (int i = 0; i < tree->nnode; i++) tree->nfreedom += tree->node[i].n;
  tree->up = ga_arena_ints(&m->arena, (size_t)tree->nfreedom + 1);
  tree->node_of = ga_arena_ints(&m->arena, (size_t)tree->nfreedom + 1);
  if (scratch->failed || m->arena.failed) return false;
  int q_at = 0, v_at = 0;
  for (int i = 0; i < tree->nnode; i++) {
    ga_node *node = &tree->node[i];
    const int p = node->parent;
    int before = p < 0 ? -1 : last[p];
    node->q_at = q_at, node->v_at = v_at;
    balls[i] = (p < 0 ? 0 : balls[p]) + (node->kind == GA_BALL && node->joint >= 0);
    length[i] = (p < 0 ? 0 : length[p]) + node->n;
    for (int k = 0; k < node->n; k++, before = v_at++) {
      tree->up[v_at] = before;
      tree->node_of[v_at] = i;
    }
    last[i] = before;
    q_at += node->kind == GA_BALL ? 4 : node->n;
    if (balls[i] > tree->most_balls) tree->most_balls = balls[i];
    if (length[i] > tree->longest) tree->longest = length[i];
  }
  return true;
}

static bool allocate(spanning *s) {
  ga_mechanism *m = s->m;
  const size_t nb = (size_t)m->bodies.count, nj = (size_t)m->joints.count;
  m->tree = ga_arena_take(&m->arena, 1, sizeof *m->tree);
  s->heap = ga_arena_take(&s->scratch, 2 * nj + 1, sizeof *s->heap);
  s->first = ga_arena_ints(&s->scratch, nb);
  s->next = ga_arena_ints(&s->scratch, 2 * nj + 1);
  s->reached = ga_arena_take(&s->scratch, nb, sizeof *s->reached);
  s->path = ga_arena_ints(&s->scratch, nb);
  if (s->scratch.failed || m->arena.failed) return false;
  m->tree->node = ga_arena_take(&m->arena, 3 * nb, sizeof *m->tree->node);
  m->tree->node_of_body = ga_arena_ints(&m->arena, nb);
  m->tree->node_of_joint = ga_arena_ints(&m->arena, nj + 1);
  return !m->arena.failed;
}

ga_status ga_tree_span(ga_mechanism *m, ga_error *err) {
  spanning s = {.m = m};
  bool ok = allocate(&s);
  if (ok) {
    for (int i = 0; i < m->bodies.count; i++) s.first[i] = m->tree->node_of_body[i] = -1;
    for (int j = 0; j < m->joints.count; j++) m->tree->node_of_joint[j] = -1;
    for (int e = 2 * m->joints.count - 1; e >= 0; e--) {
      int *first = &s.first[m->joints.item[e / 2].body[e % 2]];
      s.next[e] = *first;
      *first = e;
    }
    reach_body(&s, 0, 0);
    grow(&s);
    for (int body = heaviest_left(&s); body > 0; body = heaviest_left(&s)) {
      append_root(m, body);
      reach_body(&s, body, 6);
      grow(&s);
    }
    ok = number_freedoms(m, &s.scratch);
  }
  ga_arena_free(&s.scratch);
  return ok ? GA_OK : ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
}
