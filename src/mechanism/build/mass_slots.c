/* SPDX-License-Identifier: MIT */
/* The pattern of M and the slots of bodies, coordinates and elements in it.
 *
 * A body has a block of its own. The nodes of beams (`spread`) have blocks for each element between
 * two of them: a node has those of its neighbours, too. */
#include <stdlib.h>
#include <string.h>

#include "mechanism/build/layout.h"

/* Row i of a body's mass matrix: bits of the velocities in which it has entries; 0: no inertia. */
static unsigned mass_mask(const ga_solid *b, int i) {
  const bool turns = i >= b->kind->nx;
  if (!turns) return b->mass != 0 ? b->kind->M_mask[i] : 0;
  unsigned mask = b->diagonal || b->kind->nphi == 1 ? 1u << i : b->kind->M_mask[i];
  const int k = b->kind->phi_at + i - b->kind->nx;
  return b->diagonal && b->J[4 * k] == 0 ? 0 : mask;
}

/* Is there an inertia on the coordinate? In a subdomain it belongs to the joint. */
static bool has_inertia(const ga_angle *angle) {
  return angle->inertia > 0 && angle->joint >= 0;
}

/* Blocks of M between nodes, as pairs of bodies. */
typedef struct {
  int row, column; /* bodies */
} node_pair;

/* Order by row, then by the columns of the other body. */
static int compare_pairs(const void *a, const void *b) {
  const node_pair *x = a, *y = b;
  return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                          : (x->column > y->column) - (x->column < y->column);
}

/* The blocks of elements with mass; diagonal[i]: node i has entries on the diagonal only. */
typedef struct {
  node_pair *pair; /* sorted, each once */
  int npair;
  int *start; /* first pair of each body, bodies + 1 numbers */
  bool *diagonal;
} node_blocks;

/* Collect the pairs of all elements with mass. False: no memory. Bodies are numbered in the order of
 * their velocities, so that sorting by numbers sorts columns. */
static bool collect_pairs(ga_mechanism *m, ga_arena *scratch, node_blocks *p) {
  int n = 0;
  for (int i = 0; i < m->elements.count; i++) {
    n += ga_structure_of(m, &m->elements.item[i]).mass != GA_MASS_NONE;
  }
  m->spread = n > 0;
  p->pair = ga_arena_take(scratch, 4 * (size_t)n, sizeof *p->pair);
  p->start = ga_arena_ints(scratch, (size_t)m->bodies.count + 1);
  p->diagonal = ga_arena_take(scratch, (size_t)m->bodies.count, sizeof *p->diagonal);
  if (scratch->failed) return false;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    const ga_mass_structure mass = ga_structure_of(m, el).mass;
    for (int k = 0; k < 4 && mass != GA_MASS_NONE; k++) {
      const int row = el->body[k / 2], column = el->body[k % 2];
      p->diagonal[row] = mass == GA_MASS_DIAGONAL;
      if (mass == GA_MASS_FULL || row == column) p->pair[p->npair++] = (node_pair){row, column};
    }
  }
  if (p->npair) qsort(p->pair, (size_t)p->npair, sizeof *p->pair, compare_pairs);
  n = 0;
  for (int i = 0; i < p->npair; i++) {
    if (n == 0 || compare_pairs(&p->pair[n - 1], &p->pair[i]) != 0) p->pair[n++] = p->pair[i];
  }
  p->npair = n;
  for (int i = 0; i < n; i++) p->start[p->pair[i].row + 1]++;
  for (int i = 0; i < m->bodies.count; i++) p->start[i + 1] += p->start[i];
  return true;
}

/* Entries of each row of M of a node. */
static int node_entries(const ga_mechanism *m, const node_blocks *p, int body) {
  int n = 0;
  for (int k = p->start[body]; k < p->start[body + 1]; k++) {
    n += p->diagonal[body] ? 1 : m->bodies.item[p->pair[k].column].kind->nv;
  }
  return n;
}

/* Write the columns of row k of a node. */
static void fill_node_row(ga_mechanism *m, const node_blocks *p, int body, int k) {
  const ga_solid *b = &m->bodies.item[body];
  int at = m->M.ptr[b->v_at + k];
  for (int i = p->start[body]; i < p->start[body + 1]; i++) {
    const ga_solid *other = &m->bodies.item[p->pair[i].column];
    if (p->diagonal[body]) m->M.col[at++] = b->v_at + k;
    for (int j = 0; j < other->kind->nv && !p->diagonal[body]; j++) {
      m->M.col[at++] = other->v_at + j;
    }
  }
}

/* Set el->M_at: for each velocity of A, then of B, the slots of the first entries of A and of B. */
static bool find_element_slots(ga_mechanism *m, ga_element *el) {
  if (ga_structure_of(m, el).mass == GA_MASS_NONE) return true;
  const ga_solid *b[2] = {&m->bodies.item[el->body[0]], &m->bodies.item[el->body[1]]};
  const bool diagonal = ga_structure_of(m, el).mass == GA_MASS_DIAGONAL;
  const int na = b[0]->kind->nv, n = na + b[1]->kind->nv;
  el->M_at = ga_arena_ints(&m->arena, 2 * (size_t)n);
  if (!el->M_at) return false;
  for (int r = 0; r < n; r++) {
    const int own = r >= na, row = b[own]->v_at + r - own * na;
    for (int side = 0; side < 2; side++) {
      const int column = diagonal ? row : b[side]->v_at;
      el->M_at[2 * r + side] = ga_csr_find(&m->M, row, column);
    }
  }
  return true;
}

/* Set b->M_at of a body that has its own inertia, and the columns of its rows. */
static bool fill_own_rows(ga_mechanism *m, ga_solid *b) {
  b->M_at = ga_arena_ints(&m->arena, (size_t)b->kind->nv);
  if (!b->M_at) return false;
  for (int k = 0; k < b->kind->nv; k++) {
    const unsigned mask = mass_mask(b, k);
    int at = m->M.ptr[b->v_at + k];
    b->M_at[k] = mask ? at : -1;
    for (int j = 0; j < b->kind->nv; j++) {
      if (mask >> j & 1) m->M.col[at++] = b->v_at + j;
    }
  }
  return true;
}

/* Set m->spread, the pattern m->M and the slots of all bodies (-1: the row is empty), coordinates and
 * elements in it. */
ga_status ga_layout_masses(ga_mechanism *m, ga_arena *scratch) {
  node_blocks p = {0};
  if (!collect_pairs(m, scratch, &p)) return GA_ERR_MEM;
  if (!ga_layout_start_csr(&m->M, m->nv, m->nv, &m->arena)) return GA_ERR_MEM;
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    for (int k = 0; k < b->kind->nv; k++) {
      m->M.ptr[b->v_at + k + 1] =
          b->kind->spread ? node_entries(m, &p, i) : ga_count_bits(mass_mask(b, k));
    }
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    m->M.ptr[m->coordinates.item[c].v_at + 1] = has_inertia(&m->coordinates.item[c]);
  }
  if (!ga_layout_finish_csr(&m->M, &m->arena)) return GA_ERR_MEM;
  for (int i = 1; i < m->bodies.count; i++) {
    ga_solid *b = &m->bodies.item[i];
    if (!b->kind->spread && !fill_own_rows(m, b)) return GA_ERR_MEM;
    for (int k = 0; b->kind->spread && k < b->kind->nv; k++) fill_node_row(m, &p, i, k);
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    ga_angle *angle = &m->coordinates.item[c];
    angle->M_at = has_inertia(angle) ? m->M.ptr[angle->v_at] : -1;
    if (angle->M_at >= 0) m->M.col[angle->M_at] = angle->v_at;
  }
  for (int i = 0; i < m->elements.count; i++) {
    if (!find_element_slots(m, &m->elements.item[i])) return GA_ERR_MEM;
  }
  return GA_OK;
}
