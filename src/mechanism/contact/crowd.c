/* SPDX-License-Identifier: MIT */
/* Pairs of bodies of `all`, whose rows wait (model/crowd.h).
 *
 * Near pairs. Each body of the list has a ball: its own sphere, or the one about its box. If its positions
 * move by at most room_j, the centre of the ball moves by at most
 *
 *     a = |room_x| + |arm| |room_phi|,    arm: of the centre from the centre of mass
 *
 * so that the gap of balls i and k falls by a_i + a_k at most: ratio = (|x_k - x_i| - r_i - r_k)/(a_i + a_k).
 * Boxes about the balls, grown by most times a, are sorted along the axis along which the centres are
 * spread most, and swept. */
#include <stdlib.h>
#include <string.h>

#include "mechanism/build/layout.h"
#include "mechanism/contact/contact.h"
#include "model/crowd.h"

/* The last elements, of which the layout knows nothing, are those that wait. */
static int waiting(void *user) {
  const ga_mechanism *m = user;
  return m->elements.count - m->nlaid;
}

/* ---- the model of some contacts ---------------------------------------------------------------- */

/* m <- whole with these contacts; all but the patterns and slots. False: no memory. */
static bool copy_lists(ga_mechanism *m, const ga_mechanism *whole, int n, const int *contact) {
  const size_t nb = (size_t)whole->bodies.count, ne = (size_t)whole->nfree + (size_t)n;
  m->bodies.item = ga_arena_take(&m->arena, nb, sizeof *m->bodies.item);
  m->elements.item = ga_arena_take(&m->arena, ne + 1, sizeof *m->elements.item);
  if (m->arena.failed) return false;
  memcpy(m->bodies.item, whole->bodies.item, nb * sizeof *m->bodies.item);
  if (whole->nfree > 0) {
    memcpy(m->elements.item, whole->elements.item, (size_t)whole->nfree * sizeof *m->elements.item);
  }
  m->elements.count = m->nlaid = (int)ne;
  m->nlam = m->npsi = 0;
  for (int i = 0; i < m->elements.count; i++) {
    ga_element *el = &m->elements.item[i];
    if (i >= m->nfree) *el = whole->elements.item[m->nfree + contact[i - m->nfree]];
    el->lam_at = m->nlam, el->psi_at = m->npsi;
    m->nlam += el->nlam, m->npsi += el->npsi;
    if (!el->reach) continue; /* it has slots in K */
    ga_reach *reach = ga_arena_take(&m->arena, 1, sizeof *reach);
    if (!reach) return false;
    *reach = *el->reach;
    reach->row_at = ga_arena_ints(&m->arena, (size_t)reach->count);
    el->reach = reach;
  }
  return !m->arena.failed;
}

/* Contacts and names of rows of m->model. */
static void name_contacts(ga_mechanism *m, const ga_mechanism *whole, int n, const int *contact) {
  ga_contact *contacts = ga_arena_take(&m->arena, (size_t)n, sizeof *contacts);
  const char **lam = ga_arena_take(&m->arena, (size_t)m->nlam, sizeof *lam);
  const char **psi = ga_arena_take(&m->arena, (size_t)m->npsi, sizeof *psi);
  if (m->arena.failed) return;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    const int k = i - m->nfree;
    const ga_element *of = &whole->elements.item[k < 0 ? i : m->nfree + contact[k]];
    for (int r = 0; r < el->nlam; r++) lam[el->lam_at + r] = whole->model.lam_names[of->lam_at + r];
    for (int r = 0; r < el->npsi; r++) psi[el->psi_at + r] = whole->model.psi_names[of->psi_at + r];
    if (k < 0) continue;
    contacts[k] = whole->model.contacts[contact[k]];
    contacts[k].gap = el->lam_at;
    contacts[k].slip = el->psi_at;
  }
  m->model.contacts = n > 0 ? contacts : NULL;
  m->model.lam_names = lam;
  m->model.psi_names = psi;
}

static const ga_model *select_contacts(void *user, int n, const int *contact, ga_arena *arena) {
  const ga_mechanism *whole = user;
  ga_mechanism *m = ga_arena_take(arena, 1, sizeof *m);
  if (!m) return NULL;
  *m = *whole;
  m->arena = *arena; /* until it is complete */
  bool ok = copy_lists(m, whole, n, contact) && ga_layout_selected(m) == GA_OK;
  if (ok) {
    m->model.user = m;
    m->model.nlam = m->nlam, m->model.npsi = m->npsi;
    m->model.pat_K = &m->K, m->model.pat_G = &m->G, m->model.pat_H = &m->H;
    m->model.ncontacts = n;
    name_contacts(m, whole, n, contact);
  }
  *arena = m->arena;
  return ok && !arena->failed ? &m->model : NULL;
}

/* ---- which are near ---------------------------------------------------------------------------- */

/* A ball and what is needed to sort it. */
typedef struct {
  int number;                      /* in the list of its group */
  double x[3], radius, reach, low; /* reach: how far its centre may move */
} ball;

static int compare_balls(const void *a, const void *b) {
  const ball *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static int compare_contacts(const void *a, const void *b) {
  const ga_near_contact *x = a, *y = b;
  return (x->contact > y->contact) - (x->contact < y->contact);
}

/* The pair of balls i < k of a group of n, in the order of their pairs. */
static int pair_number(int n, int i, int k) {
  return i * (2 * n - i - 1) / 2 + k - i - 1;
}

/* Room is not less than this part of the ball, so that bodies at rest are looked at once. */
static const double LOOK = 0.01;

/* Enlarge the room of the bodies of a group. */
static void enlarge_room(const ga_mechanism *m, const ga_contact_group *group, double *room) {
  for (int i = 0; i < group->nball; i++) {
    const ga_solid *b = &m->bodies.item[group->ball[i].body];
    const double least = LOOK * group->ball[i].radius;
    for (int k = 0; k < b->kind->nv; k++) {
      const double own = k < b->kind->nx ? least : LOOK;
      room[b->v_at + k] = fmax(room[b->v_at + k], own);
    }
  }
}

/* Balls at the state of the pass; returns the axis of the largest spread. */
static int place_balls(ga_pass *pass, const ga_contact_group *group, const double *room,
                       ball *all) {
  const ga_mechanism *m = pass->m;
  double sum[3] = {0, 0, 0}, square[3] = {0, 0, 0};
  for (int i = 0; i < group->nball; i++) {
    const ga_ball *from = &group->ball[i];
    const ga_solid *b = &m->bodies.item[from->body];
    ball *to = &all[i];
    ga_frame frame;
    double arm[3], shift = 0, turn = 0;
    ga_pass_frame(pass, from->body, &frame);
    ga_times3(frame.R, from->s, arm);
    ga_plus3(frame.x, 1, arm, to->x);
    to->number = i;
    to->radius = from->radius;
    for (int k = 0; k < b->kind->nv; k++) {
      const double x = room[b->v_at + k];
      *(k < b->kind->nx ? &shift : &turn) += x * x;
    }
    to->reach = sqrt(shift) + ga_norm3(arm) * sqrt(turn);
    for (int k = 0; k < 3; k++) sum[k] += to->x[k], square[k] += to->x[k] * to->x[k];
  }
  int axis = 0;
  double widest = -INFINITY;
  for (int k = 0; k < 3; k++) {
    const double spread = square[k] - sum[k] * sum[k] / group->nball;
    if (spread > widest) widest = spread, axis = k;
  }
  return axis;
}

/* Append the pair of balls i and k. Boxes: their own gap where the balls overlap. */
static bool add_near(ga_pass *pass, const ga_contact_group *group, int i, int k, double gap,
                     double reach, ga_near_list *list) {
  const ga_mechanism *m = pass->m;
  const int touch = group->first + pair_number(group->nball, i < k ? i : k, i < k ? k : i);
  const ga_element *el = ga_mechanism_touch(m, touch);
  const double ratio = gap <= 0 ? 0 : reach > 0 ? gap / reach : INFINITY;
  if (((const ga_contact_data *)el->data)->shape.kind == GA_SURFACES_BLOCK && gap <= 0) {
    ga_touch_point at;
    if (ga_contact_here(pass, el, &at)) gap = at.g;
  }
  if (!GA_GROW(*list)) return false;
  list->item[list->count++] = (ga_near_contact){m->touch_at[touch] - m->nfree, gap, ratio};
  return true;
}

/* Sweep the sorted boxes of one group. */
static bool sweep(ga_pass *pass, const ga_contact_group *group, ball *all, double most,
                  const double *room, ga_near_list *list) {
  const int axis = place_balls(pass, group, room, all), n = group->nball;
  for (int i = 0; i < n; i++) all[i].low = all[i].x[axis] - all[i].radius - most * all[i].reach;
  qsort(all, (size_t)n, sizeof *all, compare_balls);
  for (int i = 0; i < n; i++) {
    const ball *a = &all[i];
    const double high = a->x[axis] + a->radius + most * a->reach;
    for (int k = i + 1; k < n && all[k].low <= high; k++) {
      const ball *b = &all[k];
      const double reach = a->reach + b->reach, touch = a->radius + b->radius;
      double d[3];
      ga_plus3(a->x, -1, b->x, d);
      const double square = ga_dot3(d, d), far = touch + most * reach;
      if (square > far * far) continue;
      if (!add_near(pass, group, a->number, b->number, sqrt(square) - touch, reach, list)) {
        return false;
      }
    }
  }
  return true;
}

static bool near(void *user, const double *q, double most, double *room, ga_near_list *list) {
  const ga_mechanism *m = user;
  const ga_evaluation nothing = {0};
  ga_arena scratch = {0};
  ga_pass pass;
  int largest = 0;
  list->count = 0;
  for (int i = 0; i < m->groups.count; i++) {
    const ga_contact_group *group = m->groups.item[i].data;
    if (group->nball > largest) largest = group->nball;
    enlarge_room(m, group, room);
  }
  ball *all = ga_arena_take(&scratch, (size_t)largest, sizeof *all);
  bool ok = all && ga_pass_begin(&pass, m, 0, q, m->v0, &nothing);
  if (ok) {
    for (int i = 0; ok && i < m->groups.count; i++) {
      const ga_contact_group *group = m->groups.item[i].data;
      if (group->nball == 0 || m->touch_at[group->first] < m->nlaid) continue;
      ok = sweep(&pass, group, all, most, room, list);
    }
    ga_pass_end(&pass);
  }
  ga_arena_free(&scratch);
  if (list->count > 1) {
    qsort(list->item, (size_t)list->count, sizeof *list->item, compare_contacts);
  }
  return ok;
}

/* g and g' = n.U of one contact. */
static void gap_of(void *user, int i, const double *q, const double *v, double *gap, double *rate) {
  const ga_mechanism *m = user;
  const ga_evaluation nothing = {0};
  ga_pass pass;
  ga_touch_point at;
  double U[3];
  *gap = *rate = NAN;
  if (!ga_pass_begin(&pass, m, 0, q, v, &nothing)) return;
  if (ga_contact_here(&pass, &m->elements.item[m->nfree + i], &at)) {
    ga_touch_velocity(&at.pair, at.c.t, U);
    *gap = at.g;
    *rate = ga_dot3(at.t[0].t, U);
  }
  ga_pass_end(&pass);
}

const ga_model_crowd ga_mechanism_crowd = {
    .waiting = waiting, .select = select_contacts, .near = near, .gap = gap_of};
