/* SPDX-License-Identifier: MIT */
/* Named outputs: which columns there are, and their values at a state. The state of a body is at
 * its centre of mass, columns are those of its frame: they are converted here and nowhere else. */
#include <math.h>
#include <string.h>

#include "mechanism/mechanism.h"

/* Columns of the whole mechanism. Usual columns are in every table; further (extra) ones of
 * elements come after them and are known by name only. VALUES_MAX: most columns of one element. */
static const ga_column time_column = {"t", "s", NULL};
static const ga_column whole_columns[] = {{"energy.kinetic", "J", NULL},
                                          {"energy.potential", "J", NULL},
                                          {"energy.total", "J", NULL},
                                          {"momentum.x", "kg m/s", NULL},
                                          {"momentum.y", "kg m/s", NULL},
                                          {"momentum.z", "kg m/s", NULL},
                                          {"angular_momentum.x", "kg m^2/s", NULL},
                                          {"angular_momentum.y", "kg m^2/s", NULL},
                                          {"angular_momentum.z", "kg m^2/s", NULL}};
enum { NWHOLE = (int)(sizeof whole_columns / sizeof whole_columns[0]), VALUES_MAX = 24 };
/* further ones of a mechanism with contacts: energy lost at impacts and by friction since the start */
static const ga_column contact_columns[] = {{"energy.impacts", "J", NULL},
                                            {"energy.friction", "J", NULL}};

/* Number of columns of the whole mechanism. */
static int count_whole(const ga_mechanism *m) {
  return NWHOLE + (m->touches.count > 0 ? 2 : 0);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Number of all columns, usual and further ones. */
static int count_columns(const ga_mechanism *m) {
  int n = 1 + count_whole(m);
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    n += ((b->quiet ? 0 : 1) + (b->node_name ? 1 : 0)) * b->kind->ncolumn;
  }
  for (int i = 0; i < m->elements.count; i++) {
    n += m->elements.item[i].type->ncolumn + m->elements.item[i].type->nextra;
  }
  for (int i = 0; i < m->groups.count; i++) {
    n += m->groups.item[i].type->ncolumn + m->groups.item[i].type->nextra;
  }
  for (int i = 0; i < m->sensors.count; i++) n += m->sensors.item[i].type->ncolumn;
  return n;
}

/* Append n column names owner + columns[i].end to m->columns, which must have room; counts
 * m->ncolumn. False: no memory. */
static bool add_names(ga_mechanism *m, const char *owner, const ga_column *columns, int n) {
  for (int i = 0; i < n; i++) {
    const char *name = ga_mechanism_text(m, owner, columns[i].end);
    if (!name) return false;
    m->columns[m->ncolumn++] = name;
  }
  return true;
}

/* Append the usual columns of one body (its number, el NULL) or element (body -1): a block to
 * m->blocks, n names to m->columns. n = 0 without further columns adds nothing. False: no memory. */
static bool add_block(ga_mechanism *m, int body, const ga_element *el, const char *owner,
                      const ga_column *columns, int n) {
  const bool more = el ? el->type->nextra > 0 : m->bodies.item[body].node_name != NULL;
  if (n == 0 && !more) return true;
  if (!GA_GROW(m->blocks)) return false;
  m->blocks.item[m->blocks.count++] = (ga_column_block){body, el, m->ncolumn, -1, n};
  return add_names(m, owner, columns, n);
}

/* Append the usual columns in order: t, bodies, elements by ga_column_order, contacts, sensors, whole
 * mechanism. m->columns has room for all; sets m->blocks, m->ncolumn and m->ndefault. False: no
 * memory. */
static bool name_usual_columns(ga_mechanism *m) {
  m->columns[m->ncolumn++] = time_column.end;
  bool ok = true;
  for (int i = 1; ok && i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    ok = add_block(m, i, NULL, b->name, b->kind->columns, b->quiet ? 0 : b->kind->ncolumn);
  }
  for (int order = 0; order < GA_ORDERS; order++) {
    for (int i = 0; ok && i < m->elements.count; i++) {
      const ga_element *el = &m->elements.item[i];
      if ((int)el->type->order != order) continue;
      ok = add_block(m, -1, el, el->name, el->type->columns, el->type->ncolumn);
    }
  }
  for (int i = 0; ok && i < m->groups.count + m->sensors.count; i++) {
    const ga_element *el =
        i < m->groups.count ? &m->groups.item[i] : &m->sensors.item[i - m->groups.count];
    ok = add_block(m, -1, el, el->name, el->type->columns, el->type->ncolumn);
  }
  for (int i = 0; i < count_whole(m); i++) {
    m->columns[m->ncolumn++] = i < NWHOLE ? whole_columns[i].end : contact_columns[i - NWHOLE].end;
  }
  m->ndefault = m->ncolumn;
  return ok;
}

/* Set m->column_slot, a hash table of column names of m->column_slots (a power of two) entries: [k]
 * is 1 + the number of a column, 0: free. False: no memory. */
static bool hash_columns(ga_mechanism *m) {
  m->column_slots = 16;
  while (m->column_slots < 2 * m->ncolumn) m->column_slots *= 2;
  m->column_slot = ga_arena_ints(&m->arena, (size_t)m->column_slots);
  if (!m->column_slot) return false;
  const unsigned mask = (unsigned)m->column_slots - 1;
  for (int i = 0; i < m->ncolumn; i++) {
    unsigned k = ga_hash(m->columns[i]) & mask;
    while (m->column_slot[k]) k = (k + 1) & mask;
    m->column_slot[k] = i + 1;
  }
  return true;
}

/* Name all columns of m: the usual ones, then the further columns of elements and of nodes of beams
 * (BEAM.nK.x, ..), known by name only;
 * sets columns, ncolumn, ndefault, blocks and the hash table. Once, after the layout; fails only
 * without memory. */
ga_status ga_mechanism_name_columns(ga_mechanism *m, ga_error *err) {
  m->columns = ga_arena_take(&m->arena, (size_t)count_columns(m), sizeof *m->columns);
  bool ok = m->columns && name_usual_columns(m);
  for (int i = 0; ok && i < m->blocks.count; i++) {
    ga_column_block *block = &m->blocks.item[i];
    const ga_element *el = block->element;
    const ga_solid *b = el ? NULL : &m->bodies.item[block->body];
    if (el ? el->type->nextra == 0 : !b->node_name) continue;
    block->extra = m->ncolumn;
    ok = el ? add_names(m, el->name, el->type->columns + el->type->ncolumn, el->type->nextra)
            : add_names(m, b->node_name, b->kind->columns, b->kind->ncolumn);
  }
  if (ok && hash_columns(m)) return GA_OK;
  return ga_fail(err, GA_ERR_MEM, "no memory for the names of columns");
}

/* Number of all columns; 0 before the build. */
int ga_mechanism_columns(const ga_mechanism *m) {
  return m->ncolumn;
}

/* Number of usual columns, which come first. */
int ga_mechanism_default_columns(const ga_mechanism *m) {
  return m->ndefault;
}

/* Name of column i, owned by m; NULL: there is no such column. */
const char *ga_mechanism_column_name(const ga_mechanism *m, int i) {
  return i >= 0 && i < m->ncolumn ? m->columns[i] : NULL;
}

/* Number of the column of this name, -1: there is none. */
int ga_mechanism_column_index(const ga_mechanism *m, const char *name) {
  if (!m->column_slot) return -1;
  const unsigned mask = (unsigned)m->column_slots - 1;
  for (unsigned k = ga_hash(name) & mask; m->column_slot[k]; k = (k + 1) & mask) {
    const int i = m->column_slot[k] - 1;
    if (strcmp(m->columns[i], name) == 0) return i;
  }
  return -1;
}

/* Table entry of column i if it is t, an energy or a momentum; NULL: it is of a body or element. */
const ga_column *ga_mechanism_own_column(const ga_mechanism *m, int i) {
  const int k = i - (m->ndefault - count_whole(m));
  if (i == 0) return &time_column;
  if (k < 0 || k >= count_whole(m)) return NULL;
  return k < NWHOLE ? &whole_columns[k] : &contact_columns[k - NWHOLE];
}

/* ---- values --------------------------------------------------------------------------------- */

/* x, xd, a <- position, velocity and acceleration of the point s (from the centre of mass, body
 * axes) in space axes; xdd, wd: accelerations x'' and omega' of frame f. */
void ga_point_motion(const ga_frame *f, const double *xdd, const double *wd, const double *s,
                     double *x, double *xd, double *a) {
  double r[3], wr[3];
  ga_times3(f->R, s, r);
  ga_cross3(f->w, r, wr);
  ga_plus3(f->x, 1, r, x);
  ga_plus3(f->xd, 1, wr, xd);
  ga_copy3(xdd, a);
  ga_add_cross3(1, wd, r, a);
  ga_add_cross3(1, f->w, wr, a);
}

/* values <- columns of one body, as many as its kind has: x y z, quaternion or angle, velocities,
 * accelerations. They belong to the origin of the body frame, in space axes. pass and state are at
 * the same (t, q, v), v not NULL; state->vd are the accelerations. */
void ga_body_columns(ga_pass *pass, const ga_state *state, const ga_solid *b, double *values) {
  const ga_body_kind *kind = b->kind;
  const double origin[3] = {-b->com[0], -b->com[1], -b->com[2]};
  const int nx = kind->nx, nw = kind->nphi;
  double x[3], xd[3], a[3], xdd[3], wd[3], turn[4];
  ga_frame f;
  ga_pass_motion(pass, (int)(b - pass->m->bodies.item), state->vd, &f, turn, xdd, wd);
  ga_point_motion(&f, xdd, wd, origin, x, xd, a);
  for (int i = 0; i < nx; i++) *values++ = x[i];
  for (int i = nx; i < kind->nq; i++) *values++ = turn[i - nx];
  for (int i = 0; i < nx; i++) *values++ = xd[i];
  for (int i = 0; i < nw; i++) *values++ = f.w[kind->phi_at + i];
  for (int i = 0; i < nx; i++) *values++ = a[i];
  for (int i = 0; i < nw; i++) *values++ = wd[kind->phi_at + i];
}

/* p, L <- linear momentum, sum of m x', and angular momentum, sum of x cross m x' + R J Omega
 * (about the origin of space), of all bodies and elements. */
static void sum_momenta(ga_pass *pass, double *p, double *L) {
  double kinetic = 0; /* not wanted */
  ga_zero3(p);
  ga_zero3(L);
  for (int i = 1; i < pass->m->bodies.count; i++) {
    const ga_solid *b = &pass->m->bodies.item[i];
    double Omega[3], JOmega[3], spin[3];
    ga_frame f;
    if (b->kind->spread) continue;
    ga_pass_frame(pass, i, &f);
    ga_plus3(p, b->mass, f.xd, p);
    ga_add_cross3(b->mass, f.x, f.xd, L);
    ga_times_t3(f.R, f.w, Omega);
    ga_times3(b->J, Omega, JOmega);
    ga_times3(f.R, JOmega, spin);
    ga_plus3(L, 1, spin, L);
  }
  for (int i = 0; i < pass->m->elements.count && pass->m->spread; i++) {
    const ga_element *el = &pass->m->elements.item[i];
    if (el->type->motion) el->type->motion(pass, el, &kinetic, p, L);
  }
}

/* values <- the columns of the whole mechanism, count_whole numbers; pass is at the state. */
static void whole_values(ga_pass *pass, const ga_state *state, double *values) {
  const ga_model *model = &pass->m->model;
  model->ops->energy(model->user, state->t, state->q, state->v, &values[0], &values[1]);
  values[2] = values[0] + values[1];
  sum_momenta(pass, values + 3, values + 6);
  if (count_whole(pass->m) == NWHOLE) return;
  values[NWHOLE] = state->energy_impacts;
  values[NWHOLE + 1] = state->energy_friction;
}

/* values <- all columns (ga_mechanism_columns numbers) at a state, which has q, v, vd and the
 * multipliers; GA_ERR_ARG before the build: values is unchanged. */
ga_status ga_mechanism_outputs(const ga_mechanism *m, const ga_state *state, double *values) {
  const ga_evaluation nothing = {.u = state->u};
  ga_pass pass;
  if (!m->built) return GA_ERR_ARG;
  if (!ga_pass_begin(&pass, m, state->t, state->q, state->v, &nothing)) return GA_ERR_MEM;
  values[0] = state->t;
  for (int i = 0; i < m->blocks.count; i++) {
    const ga_column_block *block = &m->blocks.item[i];
    double own[VALUES_MAX]; /* usual columns, then further ones */
    if (!block->element) {
      const ga_solid *b = &m->bodies.item[block->body];
      const size_t size = (size_t)b->kind->ncolumn * sizeof *own;
      ga_body_columns(&pass, state, b, own);
      if (block->usual) memcpy(values + block->first, own, size);
      if (block->extra >= 0) memcpy(values + block->extra, own, size);
      continue;
    }
    const ga_element_type *type = block->element->type;
    type->output(&pass, state, block->element, own);
    memcpy(values + block->first, own, (size_t)type->ncolumn * sizeof *own);
    if (block->extra < 0) continue;
    memcpy(values + block->extra, own + type->ncolumn, (size_t)type->nextra * sizeof *own);
  }
  whole_values(&pass, state, values + m->ndefault - count_whole(m));
  ga_pass_end(&pass);
  return GA_OK;
}

/* The block of column i, which is neither t nor of the whole mechanism: blocks are in the order of
 * their first columns, and those that have further columns in the order of these. */
static const ga_column_block *block_of_column(const ga_mechanism *m, int i) {
  const ga_column_block *found = NULL;
  int lo = 0, hi = m->blocks.count;
  if (i < m->ndefault) {
    while (hi - lo > 1) {
      const int mid = (lo + hi) / 2;
      if (m->blocks.item[mid].first <= i) {
        lo = mid;
      } else {
        hi = mid;
      }
    }
    return &m->blocks.item[lo];
  }
  for (; lo < hi; lo++) {
    const ga_column_block *block = &m->blocks.item[lo];
    if (block->extra > i) break;
    if (block->extra >= 0) found = block;
  }
  return found;
}

/* Column i at a state; NaN if there is no such column. */
double ga_mechanism_output(const ga_mechanism *m, const ga_state *state, int column) {
  const ga_evaluation nothing = {.u = state->u};
  double values[VALUES_MAX];
  ga_pass pass;
  if (!m->built || column < 0 || column >= m->ncolumn) return NAN;
  if (column == 0) return state->t;
  if (!ga_pass_begin(&pass, m, state->t, state->q, state->v, &nothing)) return NAN;
  const int whole = column - (m->ndefault - count_whole(m));
  int at = whole;
  if (whole >= 0 && whole < count_whole(m)) {
    whole_values(&pass, state, values);
  } else {
    const ga_column_block *block = block_of_column(m, column);
    at = column - block->first;
    if (!block->element) {
      ga_body_columns(&pass, state, &m->bodies.item[block->body], values);
      if (column >= m->ndefault) at = column - block->extra;
    } else {
      const ga_element_type *type = block->element->type;
      type->output(&pass, state, block->element, values);
      if (column >= m->ndefault) at = type->ncolumn + column - block->extra;
    }
  }
  ga_pass_end(&pass);
  return values[at];
}
