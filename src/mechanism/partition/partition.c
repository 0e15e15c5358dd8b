/* SPDX-License-Identifier: MIT */
/* Which subdomain owns which body and has which element.
 *
 * The graph has the bodies as vertices, weighted by their velocities, and an edge for every element
 * between two bodies; a coupler joins the bodies of its joints. METIS cuts it into subdomains of
 * equal weight with few edges between them. Without METIS the bodies are numbered by a walk,
 * breadth first from the far end of the graph, and cut into ranges: each range then touches little
 * more than its neighbours. */
#include <stdlib.h>
#include <string.h>

#include "genalpha/ga_partition.h"
#include "mechanism/mechanism.h"

#ifdef GA_HAVE_METIS
#include <metis.h>
#endif

/* Neighbours of body i, without the ground: adj[ptr[i]] .. adj[ptr[i + 1] - 1], in increasing order
 * and each once. n: number of bodies, which count from 0 here; weight: velocities of each. */
typedef struct {
  int n;
  int *ptr, *adj, *weight;
} graph;

/* ---- the graph ------------------------------------------------------------------------------ */

/* the body that represents a coordinate in the graph: side B of its joint, or side A if B is the
 * ground */
static int body_of_coordinate(const ga_mechanism *m, int coordinate) {
  const ga_element *joint = &m->joints.item[m->coordinates.item[coordinate].joint];
  return joint->body[1] > 0 ? joint->body[1] : joint->body[0];
}

/* Number of pairs of bodies (numbered from 1) that an element connects; the pairs are written into
 * edge, two numbers each, unless it is NULL (then the caller only counts the room it needs). */
static int edges_of(const ga_mechanism *m, const ga_element *el, int *edge) {
  int n = 0;
  if (el->body[0] > 0 && el->body[1] > 0) {
    if (edge) edge[0] = el->body[0], edge[1] = el->body[1];
    n++;
  }
  for (int k = 1; k < el->ncoordinate; k++) {
    const int a = body_of_coordinate(m, el->coordinate[k - 1]);
    const int b = body_of_coordinate(m, el->coordinate[k]);
    if (a == b) continue;
    if (edge) edge[2 * n] = a, edge[2 * n + 1] = b;
    n++;
  }
  return n;
}

/* order of qsort: increasing */
static int compare_ints(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

/* Sorts the neighbours of each body and removes duplicates; ptr and adj are compacted in place. */
static void merge_duplicates(graph *g) {
  int at = 0;
  for (int i = 0, begin = 0; i < g->n; i++) {
    const int end = g->ptr[i + 1], first = at;
    qsort(g->adj + begin, (size_t)(end - begin), sizeof *g->adj, compare_ints);
    for (int k = begin; k < end; k++) {
      if (at == first || g->adj[at - 1] != g->adj[k]) g->adj[at++] = g->adj[k];
    }
    begin = end;
    g->ptr[i + 1] = at;
  }
}

/* Fills all of g, in the arena: the graph of the bodies without the ground, weighted by their
 * velocities. False without memory. */
static bool build_graph(const ga_mechanism *m, ga_arena *arena, graph *g) {
  const int elements = m->joints.count + m->others.count;
  int count = 0;
  for (int i = 0; i < elements; i++) count += edges_of(m, ga_mechanism_element(m, i), NULL);
  g->n = m->bodies.count - 1;
  g->ptr = ga_arena_ints(arena, (size_t)g->n + 2);
  g->adj = ga_arena_ints(arena, 2 * (size_t)count + 1);
  g->weight = ga_arena_ints(arena, (size_t)g->n + 1);
  int *edge = ga_arena_ints(arena, 2 * (size_t)count + 1);
  if (arena->failed) return false;
  for (int i = 0, at = 0; i < elements; i++)
    at += edges_of(m, ga_mechanism_element(m, i), edge + 2 * at);
  /* ptr[i + 1] is where the next neighbour of i goes, in the end where its neighbours end */
  int *next = g->ptr + 1;
  for (int k = 0; k < 2 * count; k++) next[edge[k]]++;
  for (int i = 0; i < g->n; i++) next[i + 1] += next[i];
  /* k ^ 1: the other end of the same edge */
  for (int k = 0; k < 2 * count; k++) g->adj[next[edge[k] - 1]++] = edge[k ^ 1] - 1;
  for (int i = 0; i < g->n; i++) g->weight[i] = m->bodies.item[i + 1].kind->nv;
  merge_duplicates(g);
  return true;
}

/* ---- ranges --------------------------------------------------------------------------------- */

/* Appends to order[end..] all bodies that are connected with `from`, breadth first, and marks them
 * in seen (n flags; those of this piece must be false). order needs room for n. Returns the new end
 * of order. */
static int walk_piece(const graph *g, int from, bool *seen, int *order, int end) {
  int at = end;
  order[end++] = from;
  seen[from] = true;
  for (; at < end; at++) {
    for (int k = g->ptr[order[at]]; k < g->ptr[order[at] + 1]; k++) {
      if (seen[g->adj[k]]) continue;
      seen[g->adj[k]] = true;
      order[end++] = g->adj[k];
    }
  }
  return end;
}

/* order (n numbers) = all n bodies, one connected piece after the other. A piece begins at the body
 * that a first walk through it reached last, so that ranges of the order are compact. False without
 * memory. */
static bool walk_all(const graph *g, ga_arena *arena, int *order) {
  bool *seen = ga_arena_take(arena, (size_t)g->n, sizeof *seen);
  if (!seen) return false;
  for (int i = 0, end = 0; i < g->n; i++) {
    if (seen[i]) continue;
    const int stop = walk_piece(g, i, seen, order, end), last = order[stop - 1];
    for (int k = end; k < stop; k++) seen[order[k]] = false;
    end = walk_piece(g, last, seen, order, end);
  }
  return true;
}

/* body[b] = subdomain of body b: the order (NULL: 0, 1, ..) is cut into ranges of nearly equal
 * weight, none empty. Needs 1 <= subdomains <= g->n. */
static void cut_ranges(const graph *g, const int *order, int subdomains, int *body) {
  long long all = 0, sum = 0;
  for (int i = 0; i < g->n; i++) all += g->weight[i];
  int subdomain = 0;
  for (int i = 0, first = 0; i < g->n; i++) {
    const int b = order ? order[i] : i;
    /* full: the range has its share; must: each subdomain left gets just one body */
    const bool full = sum * subdomains >= all * (subdomain + 1) && i > first;
    const bool must = g->n - i == subdomains - 1 - subdomain && i > first;
    if (subdomain < subdomains - 1 && (full || must)) {
      subdomain++;
      first = i;
    }
    body[b] = subdomain;
    sum += g->weight[b];
  }
}

/* ---- METIS ---------------------------------------------------------------------------------- */

#ifdef GA_HAVE_METIS
/* Has each subdomain at least one body? False also without memory. */
static bool every_subdomain_used(const graph *g, int subdomains, const int *body, ga_arena *arena) {
  bool *used = ga_arena_take(arena, (size_t)subdomains, sizeof *used);
  if (!used) return false;
  for (int i = 0; i < g->n; i++) used[body[i]] = true;
  for (int p = 0; p < subdomains; p++) {
    if (!used[p]) return false;
  }
  return true;
}

/* body[i] = subdomain of body i, by METIS; false if METIS failed or left a subdomain empty: then
 * body is of no use, and the caller cuts ranges */
static bool cut_graph(graph *g, ga_arena *arena, int subdomains, int *body) {
  idx_t n = g->n, constraints = 1, nparts = subdomains, edges, options[METIS_NOPTIONS];
  if (sizeof(idx_t) != sizeof(int)) return false;
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1; /* the same result in each run */
  /* recursive bisection is better for few subdomains, as the manual of METIS says */
  const int code =
      subdomains <= 8 ? METIS_PartGraphRecursive(&n, &constraints, (idx_t *)g->ptr, (idx_t *)g->adj,
                                                 (idx_t *)g->weight, NULL, NULL, &nparts, NULL,
                                                 NULL, options, &edges, (idx_t *)body)
                      : METIS_PartGraphKway(&n, &constraints, (idx_t *)g->ptr, (idx_t *)g->adj,
                                            (idx_t *)g->weight, NULL, NULL, &nparts, NULL, NULL,
                                            options, &edges, (idx_t *)body);
  return code == METIS_OK && every_subdomain_used(g, subdomains, body, arena);
}

/* what cuts the graph in this build, for messages */
const char *ga_partitioner_name(void) {
  return "METIS";
}
#else
/* without METIS: always false, and the caller cuts ranges */
static bool cut_graph(graph *g, ga_arena *arena, int subdomains, int *body) {
  (void)g, (void)arena, (void)subdomains, (void)body;
  return false;
}

/* what cuts the graph in this build, for messages */
const char *ga_partitioner_name(void) {
  return "breadth-first ranges";
}
#endif

/* ---- elements ------------------------------------------------------------------------------- */

/* Subdomain of an element: the lower one of its two bodies; that of its first joint if it acts on
 * coordinates; 0 if only the ground is concerned. Needs s->body. */
static int subdomain_of(const ga_mechanism *m, const ga_partition *s, const ga_element *el) {
  const int *body = el->body;
  if (el->ncoordinate > 0) body = m->joints.item[m->coordinates.item[el->coordinate[0]].joint].body;
  if (body[0] == 0) return body[1] == 0 ? 0 : s->body[body[1] - 1];
  if (body[1] == 0) return s->body[body[0] - 1];
  const int a = s->body[body[0] - 1], b = s->body[body[1] - 1];
  return a < b ? a : b;
}

/* Fills s->body and s->element, which are allocated. how: by the graph, or ranges of the walk or of
 * the bodies' numbers (GA_PARTITION_RANGES). Without METIS, or if METIS fails, the walk is cut into
 * ranges. The arena gets scratch. GA_OK or GA_ERR_MEM, without a message. */
static ga_status assign_subdomains(const ga_mechanism *m, ga_partition_method how, ga_partition *s,
                                   ga_arena *arena) {
  graph g = {0};
  if (!build_graph(m, arena, &g)) return GA_ERR_MEM;
  const bool whole = s->subdomains == 1;
  if (whole || how != GA_PARTITION_GRAPH || !cut_graph(&g, arena, s->subdomains, s->body)) {
    int *order = how == GA_PARTITION_RANGES ? NULL : ga_arena_ints(arena, (size_t)g.n);
    if (order && !walk_all(&g, arena, order)) return GA_ERR_MEM;
    if (arena->failed) return GA_ERR_MEM;
    cut_ranges(&g, order, s->subdomains, s->body);
  }
  for (int i = 0; i < s->elements; i++)
    s->element[i] = subdomain_of(m, s, ga_mechanism_element(m, i));
  return GA_OK;
}

/* The first element that needs the whole mechanism: a state, an input, or a function of signals;
 * NULL: none. */
static const ga_element *needs_whole(const ga_mechanism *m) {
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    const ga_law *law;
    if (el->type == &ga_element_state) return el;
    if (el->type->relation && ((const ga_relation *)el->data)->law.uses) return el;
    for (int k = 0; el->type->law && (law = el->type->law(el, k)); k++) {
      if (law->uses) return el;
    }
  }
  return NULL;
}

/* *out: a new partition of a built mechanism into `subdomains` (at most one per body), freed by
 * ga_partition_free; NULL on failure. */
ga_status ga_partition_new(const ga_mechanism *m, int subdomains, ga_partition_method how,
                           ga_partition **out, ga_error *err) {
  *out = NULL;
  if (!m->built)
    return ga_fail(err, GA_ERR_ARG, "a partition needs a mechanism that has been built");
  const int bodies = m->bodies.count - 1, elements = m->joints.count + m->others.count;
  const ga_element *alone = needs_whole(m);
  if (m->groups.count > 0) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s '%s' cannot be divided: a model with contacts needs one process",
                   m->groups.item[0].type->what, m->groups.item[0].name);
  }
  if (alone) {
    return ga_fail(
        err, GA_ERR_ARG,
        "%s '%s' cannot be divided: functions of coordinates, bodies and sensors, states "
        "and inputs need one process",
        alone->type->what, alone->name);
  }
  if (m->tree) {
    return ga_fail(err, GA_ERR_ARG,
                   "a mechanism in joint coordinates cannot be divided; build it with coordinates: "
                   "absolute");
  }
  if (m->spread && subdomains > 1) {
    return ga_fail(err, GA_ERR_ARG,
                   "a mechanism with beams cannot be divided: the mass of a beam element spans two "
                   "nodes; run it in one process");
  }
  if (subdomains < 1)
    return ga_fail(err, GA_ERR_ARG, "%d subdomains: at least one is needed", subdomains);
  if (subdomains > bodies) {
    return ga_fail(err, GA_ERR_ARG,
                   "%d bodies cannot be divided into %d subdomains: each needs one", bodies,
                   subdomains);
  }
  ga_arena arena = {0};
  ga_partition *s = ga_calloc(1, sizeof *s);
  if (s) {
    *s = (ga_partition){.subdomains = subdomains, .bodies = bodies, .elements = elements};
    s->body = ga_calloc((size_t)bodies, sizeof *s->body);
    s->element = ga_calloc((size_t)elements + 1, sizeof *s->element);
  }
  const bool room = s && s->body && s->element;
  if (room && assign_subdomains(m, how, s, &arena) == GA_OK) {
    ga_arena_free(&arena);
    *out = s;
    return GA_OK;
  }
  ga_arena_free(&arena);
  ga_partition_free(s);
  return ga_fail(err, GA_ERR_MEM, "no memory to divide the mechanism");
}

/* frees a partition; NULL is allowed */
void ga_partition_free(ga_partition *partition) {
  if (!partition) return;
  ga_free(partition->body);
  ga_free(partition->element);
  ga_free(partition);
}
