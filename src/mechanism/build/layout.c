/* SPDX-License-Identifier: MIT */
/* Order of unknowns and rows, patterns of all matrices, and the slot of every value in them.
 *
 * Unknowns: bodies as they were added, each followed by the coordinates of joints whose later body
 * it is, so that the matrix of a chain is banded. Rows: joint by joint, each followed by those of
 * its coordinates, then drives and couplers. A slot is an index into col and val of a ga_csr; false
 * or GA_ERR_MEM always means no memory (m is then half filled); arena memory is zeroed. */
#include <stdlib.h>
#include <string.h>

#include "mechanism/mechanism.h"

/* ---- unknowns ------------------------------------------------------------------------------- */

/* A space that is being built, its first error, and the dimensions of R^n not yet added to it. */
typedef struct {
  ga_space *space;
  int waiting;
  ga_status status;
} space_builder;

/* Append the waiting dimensions, if any, as one factor R^n; sets s->waiting to 0, s->status. */
static void flush_rn(space_builder *s) {
  if (s->waiting > 0 && s->status == GA_OK) {
    s->status = ga_space_add(s->space, &ga_group_rn, s->waiting, NULL, NULL);
  }
  s->waiting = 0;
}

/* Append n copies of a group to the space; factors R^n wait, to be merged with the next. */
static void add_factor(space_builder *s, const ga_group *group, int n) {
  if (group == &ga_group_rn) {
    s->waiting += n;
    return;
  }
  flush_rn(s);
  if (s->status == GA_OK) s->status = ga_space_add(s->space, group, n, NULL, NULL);
}

/* Higher body number of a coordinate's joint; 0 if the joint is in another subdomain. */
static int later_body(const ga_mechanism *m, int coordinate) {
  if (m->coordinates.item[coordinate].joint < 0) return 0;
  const ga_element *joint = &m->joints.item[m->coordinates.item[coordinate].joint];
  return joint->body[0] > joint->body[1] ? joint->body[0] : joint->body[1];
}

/* *first, *next <- lists of coordinates by later body: first[b], then next[c] after c; -1: end. */
static bool chain_coordinates(ga_mechanism *m, ga_arena *scratch, int **first, int **next) {
  const int nb = m->bodies.count, nc = m->coordinates.count;
  *first = ga_arena_ints(scratch, (size_t)nb);
  *next = ga_arena_ints(scratch, (size_t)nc);
  if (scratch->failed) return false;
  for (int b = 0; b < nb; b++) (*first)[b] = -1;
  for (int c = nc - 1; c >= 0; c--) {
    const int b = later_body(m, c);
    (*next)[c] = (*first)[b];
    (*first)[b] = c;
  }
  return true;
}

/* Set q_at, v_at of all bodies and coordinates, m->nq, m->nv and m->space, which is created. */
static ga_status number_unknowns(ga_mechanism *m, ga_arena *scratch) {
  int *first, *next;
  ga_status status = ga_space_new(&m->space);
  if (status != GA_OK || !chain_coordinates(m, scratch, &first, &next)) return GA_ERR_MEM;
  space_builder s = {.space = m->space};
  int q_at = 0, v_at = 0;
  for (int i = 0; i < m->bodies.count; i++) {
    ga_solid *b = &m->bodies.item[i];
    b->q_at = q_at, b->v_at = v_at;
    q_at += b->kind->nq, v_at += b->kind->nv;
    for (int k = 0; k < 2 && b->kind->group[k]; k++) {
      add_factor(&s, b->kind->group[k], b->kind->copies[k]);
    }
    for (int c = first[i]; c >= 0; c = next[c]) {
      m->coordinates.item[c].q_at = q_at++;
      m->coordinates.item[c].v_at = v_at++;
      add_factor(&s, &ga_group_rn, 1);
    }
  }
  flush_rn(&s);
  m->nq = q_at, m->nv = v_at;
  return s.status;
}

/* ---- elements and rows ---------------------------------------------------------------------- */

/* Copy el to m->elements and give it the next multipliers: sets lam_at, psi_at, m->nlam, npsi. */
static bool append_element(ga_mechanism *m, const ga_element *el) {
  if (!GA_GROW(m->elements)) return false;
  ga_element *own = &m->elements.item[m->elements.count++];
  *own = *el;
  own->lam_at = m->nlam, own->psi_at = m->npsi;
  m->nlam += el->nlam, m->npsi += el->npsi;
  return true;
}

/* Append the element of coordinate c, a row that ties its unknown to the joint's bodies; sets its
 * member `element`. */
static bool append_coordinate(ga_mechanism *m, int c) {
  ga_angle *angle = &m->coordinates.item[c];
  const ga_element *joint = &m->joints.item[angle->joint];
  const ga_joint_data *jd = joint->data;
  ga_coordinate_data *data = ga_arena_take(&m->arena, 1, sizeof *data);
  int *number = ga_arena_ints(&m->arena, 1);
  if (!data || !number) return false;
  *data = (ga_coordinate_data){&jd->type->coordinate[angle->which], jd};
  *number = c;
  angle->element = m->elements.count;
  const ga_element el = {.type = &ga_element_coordinate,
                         .name = angle->name,
                         .body = {joint->body[0], joint->body[1]},
                         .nlam = 1,
                         .ncoordinate = 1,
                         .coordinate = number,
                         .data = data};
  return append_element(m, &el);
}

/* Fill m->elements in the order of rows; this also counts m->nlam and m->npsi. */
static ga_status number_rows(ga_mechanism *m) {
  for (int i = 0; i < m->joints.count; i++) {
    const ga_element *joint = &m->joints.item[i];
    const ga_joint_data *data = joint->data;
    if (!append_element(m, joint)) return GA_ERR_MEM;
    for (int k = 0; k < GA_COORDINATES_MAX; k++) {
      if (data->coordinate[k] >= 0 && !append_coordinate(m, data->coordinate[k])) return GA_ERR_MEM;
    }
  }
  for (int i = 0; i < m->others.count; i++) {
    if (!append_element(m, &m->others.item[i])) return GA_ERR_MEM;
  }
  return GA_OK;
}

/* ---- G and H -------------------------------------------------------------------------------- */

/* Bits of a body's velocities in a row. touches: 1 x, 2 phi, on SE(3) all; axis 1 + k: x_k only. */
static unsigned own_mask(const ga_body_kind *kind, unsigned touches, int axis) {
  const unsigned x = (1u << kind->nx) - 1, all = (1u << kind->nv) - 1;
  const unsigned some = axis ? 1u << (axis - 1) : x;
  if (kind->turn_x) return touches ? all : 0;
  return (touches & 1 ? x & some : 0) | (touches & 2 ? all & ~x : 0);
}

static int count_bits(unsigned mask) { /* number of bits that are 1 */
  int n = 0;
  for (; mask; mask &= mask - 1) n++;
  return n;
}

static int row_entries(const ga_element *el, const ga_row_slots *slots, const ga_structure *s) {
  return count_bits(slots->own[0]) + count_bits(slots->own[1]) +
         (s->coordinates ? el->ncoordinate : 0);
}

static int compare_ints(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

/* Write the sorted columns of one row to A->col from slot `at` on. slots->own is given; sets
 * slots->at (first slot of each body) and coordinate_at[c] (slot of each coordinate). */
static void fill_row_pattern(const ga_mechanism *m, const ga_element *el, const ga_structure *s,
                             ga_csr *A, int at, ga_row_slots *slots, int *coordinate_at) {
  int *col = A->col + at, n = 0;
  for (int side = 0; side < 2; side++) {
    const ga_solid *b = &m->bodies.item[el->body[side]];
    for (int k = 0; k < b->kind->nv; k++) {
      if (slots->own[side] >> k & 1) col[n++] = b->v_at + k;
    }
  }
  for (int k = 0; s->coordinates && k < el->ncoordinate; k++) {
    col[n++] = m->coordinates.item[el->coordinate[k]].v_at;
  }
  qsort(col, (size_t)n, sizeof *col, compare_ints);
  for (int side = 0; side < 2; side++) {
    const ga_solid *b = &m->bodies.item[el->body[side]];
    int first = 0;
    while (slots->own[side] && !(slots->own[side] >> first & 1)) first++;
    for (int k = 0; k < n; k++) {
      if (slots->own[side] && col[k] == b->v_at + first) slots->at[side] = at + k;
    }
  }
  for (int c = 0; s->coordinates && c < el->ncoordinate; c++) {
    const int wanted = m->coordinates.item[el->coordinate[c]].v_at;
    const int *found = bsearch(&wanted, col, (size_t)n, sizeof *col, compare_ints);
    coordinate_at[c] = at + (int)(found - col);
  }
}

/* *A <- empty pattern; the caller sets A->ptr[i + 1] to the length of row i, calls finish_csr. */
static bool start_csr(ga_csr *A, int nrow, int ncol, ga_arena *arena) {
  *A = (ga_csr){.nrow = nrow, .ncol = ncol, .ptr = ga_arena_ints(arena, (size_t)nrow + 1)};
  return !arena->failed;
}

/* Turn the counts in A->ptr into offsets and allocate A->col, which the caller fills; no A->val. */
static bool finish_csr(ga_csr *A, ga_arena *arena) {
  for (int i = 0; i < A->nrow; i++) A->ptr[i + 1] += A->ptr[i];
  A->col = ga_arena_ints(arena, (size_t)A->ptr[A->nrow]);
  return !arena->failed;
}

/* Allocate el->row and el->coordinate_at, set the masks `own`, count entries in ptr of G and H. */
static bool prepare_rows(ga_mechanism *m, ga_element *el, const ga_structure *s) {
  const int rows = el->nlam + el->npsi;
  ga_row_slots *slots = ga_arena_take(&m->arena, (size_t)rows, sizeof *slots);
  const size_t coordinates = (size_t)(el->ncoordinate * (rows + 1));
  int *coordinate_at = coordinates ? ga_arena_ints(&m->arena, coordinates) : NULL;
  if (m->arena.failed) return false;
  for (int i = 0; i < rows; i++) {
    for (int side = 0; side < 2; side++) {
      const ga_body_kind *kind = m->bodies.item[el->body[side]].kind;
      slots[i].own[side] =
          (unsigned char)own_mask(kind, s->touches[i] >> (2 * side) & 3, s->axis[i]);
    }
    const bool holonomic = i < el->nlam;
    int *ptr = holonomic ? m->G.ptr + el->lam_at + i : m->H.ptr + el->psi_at + i - el->nlam;
    ptr[1] = row_entries(el, &slots[i], s);
  }
  el->row = slots;
  el->coordinate_at = coordinate_at;
  return true;
}

static ga_structure structure_of(const ga_mechanism *m, const ga_element *el) {
  ga_structure s = {0}; /* the type sets what is not zero */
  el->type->structure(m, el, &s);
  return s;
}

/* Set the patterns m->G, m->H and the slots of every element (el->row, el->coordinate_at). */
static ga_status find_row_slots(ga_mechanism *m) {
  if (!start_csr(&m->G, m->nlam, m->nv, &m->arena) ||
      !start_csr(&m->H, m->npsi, m->nv, &m->arena)) {
    return GA_ERR_MEM;
  }
  for (int i = 0; i < m->elements.count; i++) {
    ga_element *el = &m->elements.item[i];
    const ga_structure s = structure_of(m, el);
    if (!prepare_rows(m, el, &s)) return GA_ERR_MEM;
  }
  if (!finish_csr(&m->G, &m->arena) || !finish_csr(&m->H, &m->arena)) return GA_ERR_MEM;
  for (int i = 0; i < m->elements.count; i++) {
    ga_element *el = &m->elements.item[i];
    const ga_structure s = structure_of(m, el);
    for (int r = 0; r < el->nlam + el->npsi; r++) {
      ga_csr *A = r < el->nlam ? &m->G : &m->H;
      const int at = A->ptr[r < el->nlam ? el->lam_at + r : el->psi_at + r - el->nlam];
      int *coordinate_at = el->coordinate_at;
      fill_row_pattern(m, el, &s, A, at, &el->row[r],
                       coordinate_at ? coordinate_at + r * el->ncoordinate : NULL);
    }
  }
  return GA_OK;
}

/* ---- M -------------------------------------------------------------------------------------- */

/* Row i of a body's mass matrix: bits of the velocities in which it has entries; 0: no inertia. */
static unsigned mass_mask(const ga_solid *b, int i) {
  const bool turns = i >= b->kind->nx;
  if (!turns) return b->mass != 0 ? b->kind->M_mask[i] : 0;
  unsigned mask = b->diagonal || b->kind->nphi == 1 ? 1u << i : b->kind->M_mask[i];
  const int k = b->kind->phi_at + i - b->kind->nx;
  return b->diagonal && b->J[4 * k] == 0 ? 0 : mask;
}

/* Set the pattern m->M and the slots b->M_at of every body in it (-1: the row is empty). */
static ga_status find_mass_slots(ga_mechanism *m) {
  if (!start_csr(&m->M, m->nv, m->nv, &m->arena)) return GA_ERR_MEM;
  for (int i = 1; i < m->bodies.count; i++) {
    ga_solid *b = &m->bodies.item[i];
    for (int k = 0; k < b->kind->nv; k++) m->M.ptr[b->v_at + k + 1] = count_bits(mass_mask(b, k));
  }
  if (!finish_csr(&m->M, &m->arena)) return GA_ERR_MEM;
  for (int i = 1; i < m->bodies.count; i++) {
    ga_solid *b = &m->bodies.item[i];
    b->M_at = ga_arena_ints(&m->arena, (size_t)b->kind->nv);
    if (!b->M_at) return GA_ERR_MEM;
    for (int k = 0; k < b->kind->nv; k++) {
      const unsigned mask = mass_mask(b, k);
      int at = m->M.ptr[b->v_at + k];
      b->M_at[k] = mask ? at : -1;
      for (int j = 0; j < b->kind->nv; j++) {
        if (mask >> j & 1) m->M.col[at++] = b->v_at + j;
      }
    }
  }
  return GA_OK;
}

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
  for (int i = 0; i < m->elements.count && ok; i++) {
    ga_element *el = &m->elements.item[i];
    const ga_structure s = structure_of(m, el);
    el->blocks = ga_pass_blocks(m, el, &s);
    for (int k = 0; k < 16 && ok; k++) {
      if (!(el->blocks >> k & 1)) continue;
      ok = add_pair(p, block_of_variation(p, el, k / 4), block_of_variation(p, el, k % 4));
    }
    for (int c = 0; c < el->ncoordinate && s.coordinate_block && ok; c++) {
      ok = add_pair(p, p->of_coordinate[el->coordinate[c]], p->of_coordinate[el->coordinate[c]]);
    }
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
  if (!start_csr(K, m->nv, m->nv, &m->arena)) return false;
  for (int r = 0; r < p->count; r++) {
    int entries = 0;
    for (int k = p->start[r]; k < p->start[r + 1]; k++) {
      entries += p->width[p->pair[k] % p->count];
    }
    for (int i = 0; i < p->width[r]; i++) K->ptr[p->column[r] + i + 1] = entries;
  }
  if (!finish_csr(K, &m->arena)) return false;
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
 * the diagonal slots of its coordinates (the end of el->coordinate_at). */
static bool find_element_slots(ga_mechanism *m, const velocity_blocks *p, ga_element *el) {
  const ga_structure s = structure_of(m, el);
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
  for (int c = 0; c < el->ncoordinate && s.coordinate_block; c++) {
    const int block = p->of_coordinate[el->coordinate[c]];
    int *diagonal = el->coordinate_at + (el->nlam + el->npsi) * el->ncoordinate;
    diagonal[c] = K_slot(&m->K, p, block, 0, block);
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
static ga_status find_tangent_slots(ga_mechanism *m, ga_arena *scratch) {
  velocity_blocks p = {0};
  bool ok = number_blocks(m, scratch, &p) && collect_pairs(m, &p) && sort_pairs(&p, scratch) &&
            fill_K_pattern(m, &p);
  for (int i = 0; ok && i < m->elements.count; i++) {
    ok = find_element_slots(m, &p, &m->elements.item[i]);
  }
  for (int i = 1; ok && i < m->bodies.count; i++) ok = find_body_slots(m, &p, i);
  ga_free(p.pair);
  return ok ? GA_OK : GA_ERR_MEM;
}

/* Number unknowns and rows, then set up the patterns M, K, G, H of m and all slots; once only. */
ga_status ga_mechanism_layout(ga_mechanism *m, ga_error *err) {
  ga_arena scratch = {0};
  ga_status status = number_unknowns(m, &scratch);
  if (status == GA_OK) status = number_rows(m);
  if (status == GA_OK) status = find_row_slots(m);
  if (status == GA_OK) status = find_mass_slots(m);
  if (status == GA_OK) status = find_tangent_slots(m, &scratch);
  ga_arena_free(&scratch);
  return status == GA_OK ? GA_OK : ga_fail(err, status, "no memory for the mechanism");
}
