/* SPDX-License-Identifier: MIT */
/* Patterns of M, Kt, Ct, G and H in joint coordinates, and the slot of every value. M has an entry
 * (i, k) if one freedom is above the other or both are of one node; Kt and Ct also for all pairs of
 * freedoms of one element. Matrices with all entries are full ones. */
#include <stdlib.h>
#include <string.h>

#include "mechanism/build/layout.h"
#include "mechanism/tree/tree.h"

/* Entries of a matrix while its pattern is made: mark[i nv + k]. */
typedef struct {
  int n;
  unsigned char *mark;
} marks;

/* list <- freedoms of the path of a node, from the root on; returns their number. stop: a node of
 * the path whose freedoms and those above do not count, -1: none. */
static int path_of(const ga_tree *tree, int node, int stop, int *list) {
  int n = 0;
  for (int i = node; i >= 0 && i != stop; i = tree->node[i].parent) {
    for (int k = tree->node[i].n - 1; k >= 0; k--) list[n++] = tree->node[i].v_at + k;
  }
  for (int i = 0; i < n / 2; i++) {
    const int swap = list[i];
    list[i] = list[n - 1 - i], list[n - 1 - i] = swap;
  }
  return n;
}

/* The lowest node on both paths, -1: the ground. Numbers fall along a path. */
static int common_node(const ga_tree *tree, int a, int b) {
  while (a != b) {
    if (a > b) {
      a = tree->node[a].parent;
    } else {
      b = tree->node[b].parent;
    }
  }
  return a;
}

/* ---- freedoms of elements ------------------------------------------------------------------- */

/* Set the freedoms of an element, and those of its reach. list: room for two paths. */
static bool find_freedoms(ga_mechanism *m, const ga_element *el, ga_spread *sp, int *list) {
  const ga_tree *tree = m->tree;
  const bool joint = el->type == &ga_element_tree_joint || el->type == &ga_element_tree_coordinate;
  int node[2], n[2] = {0, 0};
  for (int side = 0; side < 2; side++) {
    node[side] = el->body[side] > 0 ? tree->node_of_body[el->body[side]] : -1;
  }
  const int common = common_node(tree, node[0], node[1]);
  for (int side = 0; side < 2 && !joint; side++) {
    n[side] = path_of(tree, node[side], common, list + n[0]);
  }
  sp->n = n[0] + n[1];
  sp->freedom = ga_arena_ints(&m->arena, (size_t)sp->n);
  sp->side = ga_arena_take(&m->arena, (size_t)sp->n, 1);
  if (m->arena.failed) return false;
  for (int k = 0; k < sp->n; k++) sp->freedom[k] = list[k], sp->side[k] = k >= n[0];
  if (!el->reach) return true;
  for (int i = 0; i < el->reach->count; i++) {
    const int body = el->reach->block[i].body;
    sp->nreach += body < 0 ? 1 : path_of(tree, tree->node_of_body[body], -1, list);
  }
  sp->reach_freedom = ga_arena_ints(&m->arena, (size_t)sp->nreach);
  sp->reach_block = ga_arena_ints(&m->arena, (size_t)sp->nreach);
  if (m->arena.failed) return false;
  for (int i = 0, at = 0; i < el->reach->count; i++) {
    const ga_reach_block *b = &el->reach->block[i];
    int count = 1;
    list[0] = b->coordinate >= 0 ? m->coordinates.item[b->coordinate].v_at : -1;
    if (b->body >= 0) count = path_of(tree, tree->node_of_body[b->body], -1, list);
    for (int k = 0; k < count; k++, at++) {
      sp->reach_freedom[at] = list[k], sp->reach_block[at] = i;
    }
  }
  return true;
}

/* Number of rows of the reach of a force in K, and row i of them. */
static int reach_rows(const ga_element *el, const ga_spread *sp) {
  return el->ncoordinate > 0 ? 1 : sp->n;
}
static int reach_row(const ga_mechanism *m, const ga_element *el, const ga_spread *sp, int i) {
  return el->ncoordinate > 0 ? m->coordinates.item[el->coordinate[0]].v_at : sp->freedom[i];
}

/* ---- patterns ------------------------------------------------------------------------------- */

/* *A <- the pattern of the marks; *full: it has all entries. */
static bool pattern_of(const marks *s, int rows, ga_csr *A, bool *full, ga_arena *arena) {
  if (!ga_layout_start_csr(A, rows, s->n, arena)) return false;
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < s->n; k++) A->ptr[i + 1] += s->mark[(size_t)i * (size_t)s->n + (size_t)k];
  }
  if (!ga_layout_finish_csr(A, arena)) return false;
  for (int i = 0; i < rows; i++) {
    for (int k = 0, at = A->ptr[i]; k < s->n; k++) {
      if (s->mark[(size_t)i * (size_t)s->n + (size_t)k]) A->col[at++] = k;
    }
  }
  *full = A->ptr[rows] == rows * s->n;
  return true;
}

static void mark(marks *s, int row, int column) {
  s->mark[(size_t)row * (size_t)s->n + (size_t)column] = 1;
}

/* Mark what masses and rotors fill: M, and a part of Kt and Ct. */
static void mark_mass(const ga_mechanism *m, marks *s) {
  const ga_tree *tree = m->tree;
  for (int i = 0; i < tree->nfreedom; i++) {
    for (int k = i; k >= 0; k = tree->up[k]) mark(s, i, k), mark(s, k, i);
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    if (angle->inertia > 0 && angle->joint >= 0) mark(s, angle->v_at, angle->v_at);
  }
}

/* Mark what elements fill in Kt and Ct. */
static void mark_elements(const ga_mechanism *m, marks *s) {
  for (int e = 0; e < m->elements.count; e++) {
    const ga_element *el = &m->elements.item[e];
    const ga_spread *sp = &m->tree->spread[e];
    const ga_structure structure = ga_structure_of(m, el);
    for (int i = 0; i < sp->n; i++) {
      for (int k = 0; k < sp->n; k++) mark(s, sp->freedom[i], sp->freedom[k]);
    }
    const int n = structure.coordinate_block ? el->ncoordinate : 0;
    for (int c = 0; c < n * n; c++) {
      mark(s, m->coordinates.item[el->coordinate[c / n]].v_at,
           m->coordinates.item[el->coordinate[c % n]].v_at);
    }
    for (int i = 0; el->reach && el->npsi == 0 && i < reach_rows(el, sp); i++) {
      for (int j = 0; j < sp->nreach; j++) mark(s, reach_row(m, el, sp, i), sp->reach_freedom[j]);
    }
  }
}

/* *slots <- slots of all pairs on paths */
static bool find_pairs(ga_mechanism *m, const ga_csr *A, int **slots) {
  const ga_tree *tree = m->tree;
  size_t count = 0;
  for (int i = 0; i < tree->nfreedom; i++) {
    for (int k = i; k >= 0; k = tree->up[k]) count++;
  }
  int *at = *slots = ga_arena_ints(&m->arena, 2 * count);
  if (m->arena.failed) return false;
  for (int i = 0; i < tree->nfreedom; i++) {
    for (int k = i; k >= 0; k = tree->up[k]) {
      *at++ = ga_csr_find(A, i, k);
      *at++ = ga_csr_find(A, k, i);
    }
  }
  return true;
}

/* Slots of an element in Kt and Ct. */
static bool find_tangent_slots(ga_mechanism *m, ga_element *el, ga_spread *sp) {
  const ga_structure s = ga_structure_of(m, el);
  el->blocks = sp->n > 0 ? GA_ALL_BLOCKS : 0;
  if (!m->tree->full_K && sp->n > 0) {
    sp->K_at = ga_arena_ints(&m->arena, (size_t)sp->n * (size_t)sp->n);
    for (int i = 0; i < sp->n * sp->n && !m->arena.failed; i++) {
      sp->K_at[i] = ga_csr_find(&m->K, sp->freedom[i / sp->n], sp->freedom[i % sp->n]);
    }
  }
  const int n = s.coordinate_block ? el->ncoordinate : 0;
  for (int c = 0; c < n * n; c++) {
    el->coordinate_at[(el->nlam + el->npsi) * n + c] =
        ga_csr_find(&m->K, m->coordinates.item[el->coordinate[c / n]].v_at,
                    m->coordinates.item[el->coordinate[c % n]].v_at);
  }
  if (!el->reach || el->npsi > 0) return !m->arena.failed;
  const int rows = reach_rows(el, sp);
  sp->reach_at = ga_arena_ints(&m->arena, (size_t)(rows * sp->nreach));
  if (m->arena.failed) return false;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < sp->nreach; j++) {
      sp->reach_at[i * sp->nreach + j] =
          ga_csr_find(&m->K, reach_row(m, el, sp, i), sp->reach_freedom[j]);
    }
  }
  return true;
}

/* Patterns of M and K, and slots of masses and elements in them. */
static bool layout_square(ga_mechanism *m, ga_arena *scratch) {
  ga_tree *tree = m->tree;
  marks s = {m->nv, ga_arena_take(scratch, (size_t)m->nv * (size_t)m->nv, 1)};
  if (scratch->failed) return false;
  mark_mass(m, &s);
  if (!pattern_of(&s, m->nv, &m->M, &tree->full_M, &m->arena)) return false;
  mark_elements(m, &s);
  if (!pattern_of(&s, m->nv, &m->K, &tree->full_K, &m->arena)) return false;
  if (!find_pairs(m, &m->K, &tree->pair_K)) return false;
  tree->pair_M = tree->pair_K;
  if (m->M.ptr[m->nv] != m->K.ptr[m->nv] && !find_pairs(m, &m->M, &tree->pair_M)) return false;
  for (int c = 0; c < m->coordinates.count; c++) {
    ga_angle *angle = &m->coordinates.item[c];
    angle->M_at =
        angle->inertia > 0 && angle->joint >= 0 ? ga_csr_find(&m->M, angle->v_at, angle->v_at) : -1;
  }
  for (int e = 0; e < m->elements.count; e++) {
    if (!find_tangent_slots(m, &m->elements.item[e], &tree->spread[e])) return false;
  }
  return true;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* list <- the columns of a row of an element, sorted, each once; returns their number. */
static int row_columns(const ga_mechanism *m, const ga_element *el, const ga_spread *sp,
                       int *list) {
  const ga_structure s = ga_structure_of(m, el);
  int n = 0, kept = 0;
  for (int k = 0; k < sp->n; k++) list[n++] = sp->freedom[k];
  for (int c = 0; c < el->ncoordinate && s.coordinates; c++) {
    list[n++] = m->coordinates.item[el->coordinate[c]].v_at;
  }
  for (int j = 0; j < sp->nreach && el->npsi > 0; j++) list[n++] = sp->reach_freedom[j];
  for (int i = 1; i < n; i++) { /* by insertion: paths are sorted already */
    const int x = list[i];
    int k = i;
    for (; k > 0 && list[k - 1] > x; k--) list[k] = list[k - 1];
    list[k] = x;
  }
  for (int i = 0; i < n; i++) {
    if (kept == 0 || list[kept - 1] != list[i]) list[kept++] = list[i];
  }
  return kept;
}

/* Slots of one row of an element, whose columns are in A. */
static void find_row_slots(const ga_mechanism *m, ga_element *el, ga_spread *sp, int r,
                           const ga_csr *A, int row) {
  const ga_structure s = ga_structure_of(m, el);
  for (int k = 0; k < sp->n; k++) sp->row_at[r * sp->n + k] = ga_csr_find(A, row, sp->freedom[k]);
  for (int c = 0; c < el->ncoordinate && s.coordinates; c++) {
    const int at = m->coordinates.item[el->coordinate[c]].v_at;
    el->coordinate_at[r * el->ncoordinate + c] = ga_csr_find(A, row, at);
  }
  for (int j = 0; j < sp->nreach && el->npsi > 0; j++) {
    sp->reach_at[j] = ga_csr_find(A, row, sp->reach_freedom[j]);
  }
}

/* Patterns of G and H, slots of all rows. list: room for columns. */
static bool layout_rows(ga_mechanism *m, int *list) {
  ga_tree *tree = m->tree;
  if (!ga_layout_start_csr(&m->G, m->nlam, m->nv, &m->arena)) return false;
  if (!ga_layout_start_csr(&m->H, m->npsi, m->nv, &m->arena)) return false;
  for (int e = 0; e < m->elements.count; e++) {
    ga_element *el = &m->elements.item[e];
    ga_spread *sp = &tree->spread[e];
    const int rows = el->nlam + el->npsi, n = row_columns(m, el, sp, list);
    for (int r = 0; r < el->nlam; r++) m->G.ptr[el->lam_at + r + 1] = n;
    for (int r = 0; r < el->npsi; r++) m->H.ptr[el->psi_at + r + 1] = n;
    sp->row_at = ga_arena_ints(&m->arena, (size_t)(rows * sp->n));
    const int block = ga_structure_of(m, el).coordinate_block ? el->ncoordinate : 0;
    el->coordinate_at = ga_arena_ints(&m->arena, (size_t)(el->ncoordinate * (rows + block)) + 1);
    if (el->npsi > 0) sp->reach_at = ga_arena_ints(&m->arena, (size_t)sp->nreach);
  }
  if (!ga_layout_finish_csr(&m->G, &m->arena) || !ga_layout_finish_csr(&m->H, &m->arena)) {
    return false;
  }
  for (int e = 0; e < m->elements.count; e++) {
    ga_element *el = &m->elements.item[e];
    for (int r = 0; r < el->nlam + el->npsi; r++) {
      ga_csr *A = r < el->nlam ? &m->G : &m->H;
      const int row = r < el->nlam ? el->lam_at + r : el->psi_at + r - el->nlam;
      const int n = row_columns(m, el, &tree->spread[e], list);
      memcpy(A->col + A->ptr[row], list, (size_t)n * sizeof *list);
      find_row_slots(m, el, &tree->spread[e], r, A, row);
    }
  }
  return true;
}

/* Patterns and slots of m, whose unknowns and rows are numbered. */
ga_status ga_tree_layout(ga_mechanism *m, ga_error *err) {
  ga_arena scratch = {0};
  ga_tree *tree = m->tree;
  const size_t longest = (size_t)tree->longest + 1;
  int *list = ga_arena_ints(&scratch, (2 + GA_REACH_MAX) * longest + (size_t)m->coordinates.count);
  tree->spread = ga_arena_take(&m->arena, (size_t)m->elements.count + 1, sizeof *tree->spread);
  bool ok = !scratch.failed && !m->arena.failed;
  for (int e = 0; ok && e < m->elements.count; e++) {
    ok = find_freedoms(m, &m->elements.item[e], &tree->spread[e], list);
  }
  ok = ok && layout_rows(m, list) && layout_square(m, &scratch);
  ga_arena_free(&scratch);
  return ok ? GA_OK : ga_fail(err, GA_ERR_MEM, "no memory for joint coordinates");
}
