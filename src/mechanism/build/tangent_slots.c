/* SPDX-License-Identifier: MIT */
/* The pattern of Kt and Ct, block by block, and the slots of bodies and elements in it. */
#include <stdlib.h>
#include <string.h>

#include "mechanism/build/layout.h"

/* ---- K -------------------------------------------------------------------------------------- */

/* The velocities in blocks: x of a body, phi of a body, one coordinate; numbered in the order of
 * their columns. K consists of blocks (row block, column block). */
typedef struct {
  int count;
  int *of_body, *of_coordinate; /* first block of a body, block of a coordinate */
  int *column, *width;          /* of each block: its first column, its number of columns */
  long long *pair;              /* row block times count plus column block; sorted, each once */
  int npair, room;
  int *start; /* first pair of each row block */
} velocity_blocks;

/* Number the velocity blocks by columns: all members of *p (zero on entry) but pairs and start. */
static bool number_blocks(const ga_mechanism *m, ga_arena *scratch, velocity_blocks *p) {
  const size_t most = 2 * (size_t)m->bodies.count + (size_t)m->coordinates.count;
  int *of_column = ga_arena_ints(scratch, (size_t)m->nv + 1);
  p->of_body = ga_arena_ints(scratch, (size_t)m->bodies.count);
  p->of_coordinate = ga_arena_ints(scratch, (size_t)m->coordinates.count);
  p->column = ga_arena_ints(scratch, most);
  p->width = ga_arena_ints(scratch, most);
  if (scratch->failed) return false;
  /* widths at the first column of each block, then numbers */
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    of_column[b->v_at] = b->kind->nx;
    if (b->kind->nphi) of_column[b->v_at + b->kind->nx] = b->kind->nphi;
  }
  for (int c = 0; c < m->coordinates.count; c++) of_column[m->coordinates.item[c].v_at] = 1;
  for (int j = 0; j < m->nv; j++) {
    const int width = of_column[j];
    of_column[j] = p->count;
    if (width == 0) continue;
    p->column[p->count] = j;
    p->width[p->count++] = width;
  }
  for (int i = 1; i < m->bodies.count; i++) p->of_body[i] = of_column[m->bodies.item[i].v_at];
  for (int c = 0; c < m->coordinates.count; c++) {
    p->of_coordinate[c] = of_column[m->coordinates.item[c].v_at];
  }
  return true;
}

/* Append block (row, column) of K to p->pair, a heap block; sort_pairs removes duplicates. */
static bool add_pair(velocity_blocks *p, int row, int column) {
  if (p->npair == p->room) {
    const int room = 2 * p->room + 64;
    long long *more = ga_calloc((size_t)room, sizeof *more);
    if (!more) return false;
    if (p->npair) memcpy(more, p->pair, (size_t)p->npair * sizeof *more);
    ga_free(p->pair);
    p->pair = more, p->room = room;
  }
  p->pair[p->npair++] = (long long)row * p->count + column;
  return true;
}

/* Block number of a variation of el: 0 .. 3 are x and phi of side A, x and phi of side B. */
static int block_of_variation(const velocity_blocks *p, const ga_element *el, int variation) {
  return p->of_body[el->body[variation / 2]] + variation % 2;
}

/* First velocity block of a block of a reach, and how many there are: x and phi of a body, or a
 * coordinate. */
static int block_of_reach(const ga_mechanism *m, const velocity_blocks *p, const ga_reach_block *b,
                          int *n) {
  *n = b->body >= 0 && m->bodies.item[b->body].kind->nphi > 0 ? 2 : 1;
  return b->body >= 0 ? p->of_body[b->body] : p->of_coordinate[b->coordinate];
}

/* Append the blocks of K that the signals of a force fill: rows are those of its bodies, or of its
 * coordinate. */
static bool collect_reach(const ga_mechanism *m, velocity_blocks *p, const ga_element *el) {
  int rows[4], nrow = 0, n;
  for (int side = 0; side < 2 && el->ncoordinate == 0; side++) {
    const int body = el->body[side];
    for (int k = 0; body > 0 && k < (m->bodies.item[body].kind->nphi ? 2 : 1); k++) {
      rows[nrow++] = p->of_body[body] + k;
    }
  }
  if (el->ncoordinate > 0) rows[nrow++] = p->of_coordinate[el->coordinate[0]];
  bool ok = true;
  for (int i = 0; i < el->reach->count; i++) {
    const int first = block_of_reach(m, p, &el->reach->block[i], &n);
    for (int k = 0; k < n; k++) {
      for (int r = 0; r < nrow && ok; r++) ok = add_pair(p, rows[r], first + k);
    }
  }
  return ok;
}

/* Append all blocks of K that bodies and elements fill to p->pair; sets el->blocks. */
static bool collect_pairs(ga_mechanism *m, velocity_blocks *p) {
  bool ok = true;
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    const unsigned mask = b->round ? b->kind->K_mask_round : b->kind->K_mask;
    for (int k = 0; k < 4 && ok; k++) {
      if (mask >> k & 1) {
        ok = add_pair(p, p->of_body[i] + k / 2, p->of_body[i] + k % 2);
      }
    }
  }
  for (int i = 0; i < m->nlaid && ok; i++) {
    ga_element *el = &m->elements.item[i];
    const ga_structure s = ga_structure_of(m, el);
    el->blocks = ga_pass_blocks(m, el, &s);
    for (int k = 0; k < 16 && ok; k++) {
      if (!(el->blocks >> k & 1)) continue;
      ok = add_pair(p, block_of_variation(p, el, k / 4), block_of_variation(p, el, k % 4));
    }
    const int n = s.coordinate_block ? el->ncoordinate : 0;
    for (int c = 0; c < n * n && ok; c++) {
      ok = add_pair(p, p->of_coordinate[el->coordinate[c / n]],
                    p->of_coordinate[el->coordinate[c % n]]);
    }
    if (ok && el->reach && el->npsi == 0) ok = collect_reach(m, p, el);
  }
  return ok;
}

static int compare_pairs(const void *a, const void *b) {
  const long long x = *(const long long *)a, y = *(const long long *)b;
  return (x > y) - (x < y);
}

/* Sort p->pair, remove duplicates and set p->start. */
static bool sort_pairs(velocity_blocks *p, ga_arena *scratch) {
  int n = 0;
  if (p->npair) qsort(p->pair, (size_t)p->npair, sizeof *p->pair, compare_pairs);
  for (int i = 0; i < p->npair; i++) {
    if (n == 0 || p->pair[n - 1] != p->pair[i]) p->pair[n++] = p->pair[i];
  }
  p->npair = n;
  p->start = ga_arena_ints(scratch, (size_t)p->count + 1);
  if (scratch->failed) return false;
  for (int i = 0; i < n; i++) p->start[p->pair[i] / p->count + 1]++;
  for (int i = 0; i < p->count; i++) p->start[i + 1] += p->start[i];
  return true;
}

/* slot of the first entry of column block c in row i of row block r; -1 if it is not there */
static int K_slot(const ga_csr *K, const velocity_blocks *p, int r, int i, int c) {
  int at = K->ptr[p->column[r] + i];
  for (int k = p->start[r]; k < p->start[r + 1]; k++) {
    const int column = (int)(p->pair[k] % p->count);
    if (column == c) return at;
    at += p->width[column];
  }
  return -1;
}

/* Set the pattern m->K from the sorted pairs. */
static bool fill_K_pattern(ga_mechanism *m, const velocity_blocks *p) {
  ga_csr *K = &m->K;
  if (!ga_layout_start_csr(K, m->nv, m->nv, &m->arena)) return false;
  for (int r = 0; r < p->count; r++) {
    int entries = 0;
    for (int k = p->start[r]; k < p->start[r + 1]; k++) {
      entries += p->width[p->pair[k] % p->count];
    }
    for (int i = 0; i < p->width[r]; i++) K->ptr[p->column[r] + i + 1] = entries;
  }
  if (!ga_layout_finish_csr(K, &m->arena)) return false;
  for (int r = 0; r < p->count; r++) {
    for (int i = 0; i < p->width[r]; i++) {
      int at = K->ptr[p->column[r] + i];
      for (int k = p->start[r]; k < p->start[r + 1]; k++) {
        const int c = (int)(p->pair[k] % p->count);
        for (int j = 0; j < p->width[c]; j++) K->col[at++] = p->column[c] + j;
      }
    }
  }
  return true;
}

/* Set el->K_at (only where el->blocks has the block; the rest is 0, unused; NULL: no blocks) and
 * the slots of its coordinates (the end of el->coordinate_at). */
static bool find_element_slots(ga_mechanism *m, const velocity_blocks *p, ga_element *el) {
  const ga_structure s = ga_structure_of(m, el);
  const int na = m->bodies.item[el->body[0]].kind->nv, nb = m->bodies.item[el->body[1]].kind->nv;
  int *at = el->blocks ? ga_arena_ints(&m->arena, 4 * (size_t)(na + nb)) : NULL;
  if (m->arena.failed) return false;
  for (int k = 0; k < 16; k++) {
    if (!(el->blocks >> k & 1)) continue;
    const int row = k / 4, r = block_of_variation(p, el, row), c = block_of_variation(p, el, k % 4);
    const int nx = m->bodies.item[el->body[row / 2]].kind->nx;
    const int first = (row / 2 ? na : 0) + (row % 2 ? nx : 0);
    for (int i = 0; i < p->width[r]; i++) at[4 * (first + i) + k % 4] = K_slot(&m->K, p, r, i, c);
  }
  el->K_at = at;
  const int n = s.coordinate_block ? el->ncoordinate : 0;
  for (int c = 0; c < n * n; c++) {
    int *slots = el->coordinate_at + (el->nlam + el->npsi) * n;
    slots[c] = K_slot(&m->K, p, p->of_coordinate[el->coordinate[c / n]], 0,
                      p->of_coordinate[el->coordinate[c % n]]);
  }
  return true;
}

/* Set K_at of the reach of a force: for each of its velocities (of A, then of B, or its coordinate)
 * the slots of all blocks. */
static bool find_reach_slots(ga_mechanism *m, const velocity_blocks *p, const ga_element *el) {
  ga_reach *reach = (ga_reach *)el->reach;
  const int na = m->bodies.item[el->body[0]].kind->nv, nb = m->bodies.item[el->body[1]].kind->nv;
  const int rows = el->ncoordinate > 0 ? 1 : na + nb;
  int n;
  reach->K_at = ga_arena_ints(&m->arena, (size_t)(rows * reach->count));
  if (m->arena.failed) return false;
  for (int r = 0; r < rows; r++) {
    const int side = r >= na, own = r - side * na;
    const ga_solid *body = &m->bodies.item[el->body[side]];
    const bool turns = el->ncoordinate == 0 && own >= body->kind->nx;
    const int row = el->ncoordinate > 0 ? p->of_coordinate[el->coordinate[0]]
                                        : p->of_body[el->body[side]] + turns;
    const int within = el->ncoordinate > 0 ? 0 : turns ? own - body->kind->nx : own;
    for (int i = 0; i < reach->count; i++) {
      const int first = block_of_reach(m, p, &reach->block[i], &n);
      reach->K_at[r * reach->count + i] = K_slot(&m->K, p, row, within, first);
    }
  }
  return true;
}

/* Set b->K_at of body i: slots of its own blocks in K. */
static bool find_body_slots(ga_mechanism *m, const velocity_blocks *p, int i) {
  ga_solid *b = &m->bodies.item[i];
  b->K_at = ga_arena_ints(&m->arena, 2 * (size_t)b->kind->nv);
  if (!b->K_at) return false;
  for (int k = 0; k < b->kind->nv; k++) {
    const int turning = k >= b->kind->nx, row = p->of_body[i] + turning;
    for (int block = 0; block < (b->kind->nphi ? 2 : 1); block++) {
      b->K_at[2 * k + block] =
          K_slot(&m->K, p, row, turning ? k - b->kind->nx : k, p->of_body[i] + block);
    }
  }
  return true;
}

/* Set the pattern m->K and the slots of all elements and bodies in it; needs m->nv, el->row. */
ga_status ga_layout_tangents(ga_mechanism *m, ga_arena *scratch) {
  velocity_blocks p = {0};
  bool ok = number_blocks(m, scratch, &p) && collect_pairs(m, &p) && sort_pairs(&p, scratch) &&
            fill_K_pattern(m, &p);
  for (int i = 0; ok && i < m->nlaid; i++) {
    const ga_element *el = &m->elements.item[i];
    ok = find_element_slots(m, &p, &m->elements.item[i]);
    if (ok && el->reach && el->npsi == 0) ok = find_reach_slots(m, &p, el);
  }
  for (int i = 1; ok && i < m->bodies.count; i++) ok = find_body_slots(m, &p, i);
  ga_free(p.pair);
  return ok ? GA_OK : GA_ERR_MEM;
}
