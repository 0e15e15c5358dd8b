/* SPDX-License-Identifier: MIT */
/* Order of unknowns and rows, patterns of all matrices, and the slot of every value in them.
 *
 * Unknowns: bodies as they were added, each followed by the coordinates of joints whose later body
 * it is, so that the matrix of a chain is banded. Rows: joint by joint, each followed by those of
 * its coordinates, then drives and couplers, then contacts. A slot is an index into col and val of a ga_csr; false
 * or GA_ERR_MEM always means no memory (m is then half filled); arena memory is zeroed. */
#include <stdlib.h>
#include <string.h>

#include "mechanism/build/layout.h"
#include "mechanism/contact/contact.h"

/* ---- unknowns ------------------------------------------------------------------------------- */

/* Append the waiting dimensions, if any, as one factor R^n; sets s->waiting to 0, s->status. */
void ga_layout_flush_rn(ga_space_builder *s) {
  if (s->waiting > 0 && s->status == GA_OK) {
    s->status = ga_space_add(s->space, &ga_group_rn, s->waiting, NULL, NULL);
  }
  s->waiting = 0;
}

/* Append n copies of a group to the space; factors R^n wait, to be merged with the next. */
void ga_layout_add_factor(ga_space_builder *s, const ga_group *group, int n) {
  if (group == &ga_group_rn) {
    s->waiting += n;
    return;
  }
  ga_layout_flush_rn(s);
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
  ga_space_builder s = {.space = m->space};
  int q_at = 0, v_at = 0;
  for (int i = 0; i < m->bodies.count; i++) {
    ga_solid *b = &m->bodies.item[i];
    b->q_at = q_at, b->v_at = v_at;
    q_at += b->kind->nq, v_at += b->kind->nv;
    for (int k = 0; k < 2 && b->kind->group[k]; k++) {
      ga_layout_add_factor(&s, b->kind->group[k], b->kind->copies[k]);
    }
    for (int c = first[i]; c >= 0; c = next[c]) {
      m->coordinates.item[c].q_at = q_at++;
      m->coordinates.item[c].v_at = v_at++;
      ga_layout_add_factor(&s, &ga_group_rn, 1);
    }
  }
  ga_layout_flush_rn(&s);
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
  const bool own_row = !data->spec->parameter;
  const ga_element el = {.type = own_row ? &ga_element_coordinate : &ga_element_parameter,
                         .name = angle->name,
                         .body = {joint->body[0], joint->body[1]},
                         .nlam = own_row,
                         .ncoordinate = 1,
                         .coordinate = number,
                         .data = data};
  return append_element(m, &el);
}

/* May rows of pairs of `all` wait until they are near (contact/crowd.c)? Not where joint coordinates may
 * be taken, whose patterns the whole tree shares. */
static bool rows_may_wait(const ga_mechanism *m) {
  const bool free = m->joints.count == 0 && m->coordinates_asked == GA_COORDINATES_AUTO;
  return !m->tree && (free || m->coordinates_asked == GA_COORDINATES_ABSOLUTE);
}

/* Is a hard contact one of the pairs of a list of bodies? */
static bool is_pair(const ga_element *el) {
  const bool contact = el->type == &ga_element_contact || el->type == &ga_element_contact_planar;
  return contact && ((const ga_contact_data *)el->data)->sparse;
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
  m->touch_at = ga_arena_ints(&m->arena, (size_t)m->touches.count);
  if (!m->touch_at) return GA_ERR_MEM;
  const bool may_wait = rows_may_wait(m);
  for (int pass = 0; pass < 3; pass++) { /* soft contacts are forces */
    if (pass == 1) m->nfree = m->elements.count;
    if (pass == 2) m->nlaid = m->elements.count;
    for (int i = 0; i < m->touches.count; i++) {
      const ga_element *el = &m->touches.item[i];
      const int own = el->nlam == 0 ? 0 : may_wait && is_pair(el) ? 2 : 1;
      if (own != pass) continue;
      m->touch_at[i] = m->elements.count;
      if (!append_element(m, el)) return GA_ERR_MEM;
    }
  }
  return GA_OK;
}

/* ---- signals of functions ------------------------------------------------------------------- */

/* Set el->reach: all that the signals of the element's functions depend on. GA_ERR_ARG if these are
 * too many bodies. */
static ga_status find_reach(ga_mechanism *m, ga_element *el, ga_error *err) {
  ga_reach reach = {.count = 0};
  const ga_law *law;
  el->reach = NULL;
  for (int i = 0; el->type->law && (law = el->type->law(el, i)); i++) {
    for (int k = 0; law->uses && k < law->uses->count; k++) {
      if (ga_signal_reach(m, law->uses->signal[k], &reach)) continue;
      return ga_fail(err, GA_ERR_ARG,
                     "%s '%s': its functions depend on more than %d bodies and coordinates",
                     el->type->what, el->name, GA_REACH_MAX);
    }
  }
  if (reach.count == 0) return GA_OK;
  ga_reach *own = ga_arena_take(&m->arena, 1, sizeof *own);
  reach.row_at = ga_arena_ints(&m->arena, (size_t)reach.count);
  if (m->arena.failed) return GA_ERR_MEM;
  *own = reach;
  el->reach = own;
  return GA_OK;
}

/* find_reach of all elements */
static ga_status find_reaches(ga_mechanism *m, ga_error *err) {
  ga_status status = GA_OK;
  for (int i = 0; i < m->elements.count && status == GA_OK; i++) {
    status = find_reach(m, &m->elements.item[i], err);
  }
  return status;
}

/* ---- G and H -------------------------------------------------------------------------------- */

/* Bits of a body's velocities in a row. touches: 1 x, 2 phi, on SE(3) all; axis 1 + k: x_k only. */
static unsigned own_mask(const ga_body_kind *kind, unsigned touches, int axis) {
  const unsigned x = (1u << kind->nx) - 1, all = (1u << kind->nv) - 1;
  const unsigned some = axis ? 1u << (axis - 1) : x;
  if (kind->turn_x) return touches ? all : 0;
  return (touches & 1 ? x & some : 0) | (touches & 2 ? all & ~x : 0);
}

/* Does the row of el depend on its own coordinate through its signals, too? */
static bool reaches_itself(const ga_element *el) {
  for (int i = 0; el->reach && i < el->reach->count; i++) {
    if (el->reach->block[i].coordinate == el->coordinate[0]) return true;
  }
  return false;
}

/* Number of entries of a row of el; signals: of the one row of a rate. */
static int row_entries(const ga_element *el, const ga_row_slots *slots, const ga_structure *s) {
  const int signals = el->reach ? el->reach->n - reaches_itself(el) : 0;
  return ga_count_bits(slots->own[0]) + ga_count_bits(slots->own[1]) +
         (s->coordinates ? el->ncoordinate : 0) + signals;
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
  for (int i = 0; el->reach && i < el->reach->count; i++) {
    const ga_reach_block *b = &el->reach->block[i];
    if (b->coordinate >= 0 && b->coordinate == el->coordinate[0]) continue; /* is there */
    for (int k = 0; k < b->n; k++) col[n++] = b->v_at + k;
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
  for (int i = 0; el->reach && i < el->reach->count; i++) {
    const int *found =
        bsearch(&el->reach->block[i].v_at, col, (size_t)n, sizeof *col, compare_ints);
    el->reach->row_at[i] = at + (int)(found - col);
  }
}

/* *A <- empty pattern; the caller sets A->ptr[i + 1] to the length of row i, calls ga_layout_finish_csr. */
bool ga_layout_start_csr(ga_csr *A, int nrow, int ncol, ga_arena *arena) {
  *A = (ga_csr){.nrow = nrow, .ncol = ncol, .ptr = ga_arena_ints(arena, (size_t)nrow + 1)};
  return !arena->failed;
}

/* Turn the counts in A->ptr into offsets and allocate A->col, which the caller fills; no A->val. */
bool ga_layout_finish_csr(ga_csr *A, ga_arena *arena) {
  for (int i = 0; i < A->nrow; i++) A->ptr[i + 1] += A->ptr[i];
  A->col = ga_arena_ints(arena, (size_t)A->ptr[A->nrow]);
  return !arena->failed;
}

/* Allocate el->row and el->coordinate_at, set the masks `own`, count entries in ptr of G and H. */
static bool prepare_rows(ga_mechanism *m, ga_element *el, const ga_structure *s) {
  const int rows = el->nlam + el->npsi;
  ga_row_slots *slots = ga_arena_take(&m->arena, (size_t)rows, sizeof *slots);
  const int block = s->coordinate_block ? el->ncoordinate : 0; /* rows of Kt */
  const size_t coordinates = (size_t)el->ncoordinate * (size_t)(rows + block);
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

ga_structure ga_structure_of(const ga_mechanism *m, const ga_element *el) {
  ga_structure s = {0}; /* the type sets what is not zero */
  el->type->structure(m, el, &s);
  return s;
}

/* Set the patterns m->G, m->H and the slots of every element (el->row, el->coordinate_at). */
static ga_status find_row_slots(ga_mechanism *m) {
  if (!ga_layout_start_csr(&m->G, m->nlam, m->nv, &m->arena) ||
      !ga_layout_start_csr(&m->H, m->npsi, m->nv, &m->arena)) {
    return GA_ERR_MEM;
  }
  for (int i = 0; i < m->nlaid; i++) {
    ga_element *el = &m->elements.item[i];
    const ga_structure s = ga_structure_of(m, el);
    if (!prepare_rows(m, el, &s)) return GA_ERR_MEM;
  }
  if (!ga_layout_finish_csr(&m->G, &m->arena) || !ga_layout_finish_csr(&m->H, &m->arena))
    return GA_ERR_MEM;
  for (int i = 0; i < m->nlaid; i++) {
    ga_element *el = &m->elements.item[i];
    const ga_structure s = ga_structure_of(m, el);
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

/* ---- all ------------------------------------------------------------------------------------- */

/* Number unknowns and rows, then set up the patterns M, K, G, H of m and all slots; once only. */
ga_status ga_mechanism_layout(ga_mechanism *m, ga_error *err) {
  ga_arena scratch = {0};
  ga_status status = number_unknowns(m, &scratch);
  if (status == GA_OK) status = number_rows(m);
  if (status == GA_OK) status = find_reaches(m, err);
  if (status == GA_OK) status = find_row_slots(m);
  if (status == GA_OK) status = ga_layout_masses(m, &scratch);
  if (status == GA_OK) status = ga_layout_tangents(m, &scratch);
  ga_arena_free(&scratch);
  if (status == GA_OK || status == GA_ERR_ARG) return status;
  return ga_fail(err, status, "no memory for the mechanism");
}

ga_status ga_layout_selected(ga_mechanism *m) {
  ga_arena scratch = {0};
  ga_status status = find_row_slots(m);
  if (status == GA_OK) status = ga_layout_tangents(m, &scratch);
  ga_arena_free(&scratch);
  return status;
}
