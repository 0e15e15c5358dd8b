/* SPDX-License-Identifier: MIT */
/* A subdomain of a mechanism: its bodies, coordinates and elements as a mechanism of its own, and
 * the numbers that its entries have in the whole.
 *
 * The data of elements are borrowed from the whole. A body that another subdomain owns has neither
 * mass nor inertia here. A coordinate may be here without its joint, because a coupler needs it:
 * the rows that tie it to the bodies are then in another subdomain. */
#include <string.h>

#include "genalpha/ga_partition.h"
#include "mechanism/mechanism.h"

/* m: the mechanism of its own; info: sizes, numbers in the whole, model, for ga_subdomain_view */
struct ga_subdomain {
  ga_mechanism *m;
  ga_subdomain_info info;
};

/* The work of cutting out one subdomain ("here") of the whole mechanism: numbers in the whole and
 * here; -1: not in this subdomain. Until number_marked, body and coordinate are marks (1:
 * needed). */
typedef struct {
  const ga_mechanism *whole;
  const ga_partition *partition;
  int subdomain;
  ga_mechanism *own;
  ga_arena scratch;
  int *body, *coordinate;        /* of the whole: number here */
  int *whole_body, *whole_angle; /* of this subdomain: number in the whole */
  int *whole_element;            /* of this subdomain's elements: number in the whole */
  int *element_at;               /* of joints and others of the whole: see find_elements */
  bool *elsewhere;               /* of the whole's bodies: another subdomain has it, too */
} cut;

/* Allocates the lists of c in c->scratch, all zero; false without memory. */
static bool allocate_cut(cut *c) {
  const ga_mechanism *w = c->whole;
  const size_t nb = (size_t)w->bodies.count, nc = (size_t)w->coordinates.count;
  const size_t ne = (size_t)(w->joints.count + w->others.count);
  c->body = ga_arena_ints(&c->scratch, nb);
  c->whole_body = ga_arena_ints(&c->scratch, nb);
  c->coordinate = ga_arena_ints(&c->scratch, nc + 1);
  c->whole_angle = ga_arena_ints(&c->scratch, nc + 1);
  c->element_at = ga_arena_ints(&c->scratch, ne + 1);
  c->whole_element = ga_arena_ints(&c->scratch, (size_t)w->elements.count + 1);
  c->elsewhere = ga_arena_take(&c->scratch, nb, sizeof *c->elsewhere);
  return !c->scratch.failed;
}

/* ---- bodies and coordinates of the subdomain ------------------------------------------------ */

/* Marks the bodies and coordinates of an element as needed here (body, coordinate = 1), or its
 * bodies as used elsewhere if the element belongs to another subdomain. subdomain: that of el. */
static void mark_element(cut *c, const ga_element *el, int subdomain) {
  for (int side = 0; side < 2; side++) {
    const int b = el->body[side];
    if (subdomain != c->subdomain) {
      c->elsewhere[b] = true;
    } else {
      c->body[b] = 1;
    }
  }
  if (subdomain != c->subdomain) return;
  for (int k = 0; k < el->ncoordinate; k++) c->coordinate[el->coordinate[k]] = 1;
}

/* Marks all bodies and coordinates that this subdomain needs (body, coordinate = 1), and the bodies
 * that others own or use (elsewhere). All marks must be zero before. */
static void mark_all(cut *c) {
  const ga_mechanism *w = c->whole;
  for (int i = 0; i < c->partition->elements; i++)
    mark_element(c, ga_mechanism_element(w, i), c->partition->element[i]);
  for (int i = 1; i < w->bodies.count; i++) {
    if (c->partition->body[i - 1] == c->subdomain) {
      c->body[i] = 1;
    } else {
      c->elsewhere[i] = true;
    }
  }
  for (int k = 0; k < w->coordinates.count; k++) {
    if (c->partition->element[w->coordinates.item[k].joint] == c->subdomain) c->coordinate[k] = 1;
  }
}

/* Numbers the marked items (here[i] != 0) in their order: here[i] = number or -1, whole[number] =
 * i. Both have n entries. Returns the count of marked items. */
static int number_marked(int n, int *here, int *whole) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (!here[i]) {
      here[i] = -1;
      continue;
    }
    whole[count] = i;
    here[i] = count++;
  }
  return count;
}

/* ---- bodies, coordinates, elements ---------------------------------------------------------- */

/* Numbers the marked bodies, copies them into c->own, which has the ground already, and adds to the
 * counts bodies, owned, shared and lent of info. Bodies owned by another subdomain get no mass and
 * no inertia here. False without memory. */
static bool copy_bodies(cut *c, ga_subdomain_info *info) {
  ga_mechanism *m = c->own;
  c->body[0] = 1; /* the ground */
  const int count = number_marked(c->whole->bodies.count, c->body, c->whole_body);
  for (int i = 1; i < count; i++) {
    const int from = c->whole_body[i];
    if (!GA_GROW(m->bodies)) return false;
    ga_solid *b = &m->bodies.item[m->bodies.count++];
    *b = c->whole->bodies.item[from];
    b->M_at = b->K_at = NULL;
    info->bodies++;
    info->shared += c->elsewhere[from];
    if (c->partition->body[from - 1] == c->subdomain) {
      info->owned++;
      info->lent += c->elsewhere[from];
      continue;
    }
    b->mass = 0;
    memset(b->J, 0, sizeof b->J);
    b->round = b->diagonal = true;
  }
  return true;
}

/* Numbers the marked coordinates and copies them into c->own, without joints yet; false without
 * memory. */
static bool copy_coordinates(cut *c) {
  ga_mechanism *m = c->own;
  const int count = number_marked(c->whole->coordinates.count, c->coordinate, c->whole_angle);
  for (int i = 0; i < count; i++) {
    if (!GA_GROW(m->coordinates)) return false;
    ga_angle *angle = &m->coordinates.item[m->coordinates.count++];
    *angle = c->whole->coordinates.item[c->whole_angle[i]];
    angle->joint = -1; /* until its joint comes */
    angle->element = -1;
  }
  return true;
}

/* Replaces the body numbers of a copied element by those of this subdomain, and clears its slots,
 * which the layout sets anew. */
static void renumber_sides(const cut *c, ga_element *el) {
  for (int side = 0; side < 2; side++) el->body[side] = c->body[el->body[side]];
  el->row = NULL;
  el->coordinate_at = el->K_at = NULL;
}

/* Copies joint i of the whole into c->own, with its own data, and connects its coordinates with it.
 * Needs bodies and coordinates first; false without memory. */
static bool copy_joint(cut *c, int i) {
  ga_mechanism *m = c->own;
  ga_element el = c->whole->joints.item[i];
  ga_joint_data *data = ga_arena_take(&m->arena, 1, sizeof *data);
  if (!data || !GA_GROW(m->joints)) return false;
  *data = *(const ga_joint_data *)el.data;
  for (int k = 0; k < GA_COORDINATES_MAX; k++) {
    if (data->coordinate[k] < 0) continue;
    data->coordinate[k] = c->coordinate[data->coordinate[k]];
    m->coordinates.item[data->coordinate[k]].joint = m->joints.count;
  }
  el.data = data;
  if (el.ncoordinate > 0) el.coordinate = data->coordinate;
  renumber_sides(c, &el);
  m->joints.item[m->joints.count++] = el;
  return true;
}

/* Copies drive, coupler or force i of the whole into c->own; its data stay shared. False without
 * memory. */
static bool copy_other(cut *c, int i) {
  ga_mechanism *m = c->own;
  ga_element el = c->whole->others.item[i];
  if (!GA_GROW(m->others)) return false;
  renumber_sides(c, &el);
  if (el.ncoordinate > 0) {
    int *own = ga_arena_ints(&m->arena, (size_t)el.ncoordinate);
    if (!own) return false;
    for (int k = 0; k < el.ncoordinate; k++) own[k] = c->coordinate[el.coordinate[k]];
    el.coordinate = own;
  }
  m->others.item[m->others.count++] = el;
  return true;
}

/* element_at[i] = position of joint or other i in the whole's list of elements, in which each joint
 * is followed by its coordinates. */
static void find_elements(cut *c) {
  const ga_mechanism *w = c->whole;
  int at = 0;
  for (int i = 0; i < c->partition->elements; i++) {
    c->element_at[i] = at++;
    if (i >= w->joints.count) continue;
    const ga_joint_data *data = w->joints.item[i].data;
    for (int k = 0; k < GA_COORDINATES_MAX; k++) at += data->coordinate[k] >= 0;
  }
}

/* Copies all elements of this subdomain, counts them in info->elements and records their numbers in
 * the whole (whole_element, in the order that the layout gives them here). Needs bodies and
 * coordinates first; false without memory. */
static bool copy_elements(cut *c, ga_subdomain_info *info) {
  const int joints = c->whole->joints.count;
  int here = 0;
  find_elements(c);
  for (int i = 0; i < c->partition->elements; i++) {
    if (c->partition->element[i] != c->subdomain) continue;
    info->elements++;
    if (i < joints ? !copy_joint(c, i) : !copy_other(c, i - joints)) return false;
    /* a joint's coordinates follow it in both lists */
    const int from = c->element_at[i];
    const int end =
        i + 1 < c->partition->elements ? c->element_at[i + 1] : c->whole->elements.count;
    for (int k = from; k < end; k++) c->whole_element[here++] = k;
  }
  return true;
}

/* ---- numbers of the whole ------------------------------------------------------------------- */

/* q[i], v[i] = number in the whole of the subdomain's i-th entry of q and v; needs the layout of
 * c->own */
static void map_unknowns(const cut *c, long *q, long *v) {
  const ga_mechanism *w = c->whole, *m = c->own;
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i], *from = &w->bodies.item[c->whole_body[i]];
    for (int k = 0; k < b->kind->nq; k++) q[b->q_at + k] = from->q_at + k;
    for (int k = 0; k < b->kind->nv; k++) v[b->v_at + k] = from->v_at + k;
  }
  for (int i = 0; i < m->coordinates.count; i++) {
    const ga_angle *from = &w->coordinates.item[c->whole_angle[i]];
    q[m->coordinates.item[i].q_at] = from->q_at;
    v[m->coordinates.item[i].v_at] = from->v_at;
  }
}

/* lam[i], psi[i] = number in the whole of the subdomain's i-th holonomic and nonholonomic row */
static void map_rows(const cut *c, long *lam, long *psi) {
  const ga_mechanism *w = c->whole, *m = c->own;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i], *from = &w->elements.item[c->whole_element[i]];
    for (int k = 0; k < el->nlam; k++) lam[el->lam_at + k] = from->lam_at + k;
    for (int k = 0; k < el->npsi; k++) psi[el->psi_at + k] = from->psi_at + k;
  }
}

/* Fills info: sizes, numbers in the whole, start values, model. Needs the layout of c->own; its
 * arrays live in the arena of c->own. Sets q0, v0, model.q_size and model.metric of c->own, too. GA_OK or
 * GA_ERR_MEM, without a message. */
static ga_status fill_info(cut *c, ga_subdomain_info *info) {
  ga_mechanism *m = c->own;
  const ga_mechanism *w = c->whole;
  info->nq = m->nq, info->nv = m->nv, info->nlam = m->nlam, info->npsi = m->npsi;
  info->nq_all = w->nq, info->nv_all = w->nv, info->nlam_all = w->nlam, info->npsi_all = w->npsi;
  long *q = ga_arena_take(&m->arena, (size_t)m->nq + 1, sizeof *q);
  long *v = ga_arena_take(&m->arena, (size_t)m->nv + 1, sizeof *v);
  long *lam = ga_arena_take(&m->arena, (size_t)m->nlam + 1, sizeof *lam);
  long *psi = ga_arena_take(&m->arena, (size_t)m->npsi + 1, sizeof *psi);
  m->q0 = ga_arena_doubles(&m->arena, (size_t)m->nq);
  m->v0 = ga_arena_doubles(&m->arena, (size_t)m->nv);
  double *size = ga_arena_doubles(&m->arena, (size_t)m->nv);
  double *metric = ga_arena_doubles(&m->arena, (size_t)m->nv);
  if (m->arena.failed) return GA_ERR_MEM;
  map_unknowns(c, q, v);
  map_rows(c, lam, psi);
  for (int i = 0; i < m->nq; i++) m->q0[i] = w->q0[q[i]];
  for (int i = 0; i < m->nv; i++) m->v0[i] = w->v0[v[i]];
  for (int i = 0; i < m->nv; i++) size[i] = w->model.q_size[v[i]];
  for (int i = 0; i < m->nv; i++) metric[i] = w->model.metric[v[i]];
  m->model.q_size = size;
  m->model.metric = metric;
  info->q = q, info->v = v, info->lam = lam, info->psi = psi;
  info->q0 = m->q0, info->v0 = m->v0;
  info->model = &m->model;
  return GA_OK;
}

/* ---- the calls ------------------------------------------------------------------------------ */

/* GA_ERR_ARG if the mechanism is not built, the subdomain does not exist, or the partition does not
 * fit. */
static ga_status check_arguments(const ga_mechanism *m, const ga_partition *s, int subdomain,
                                 ga_error *err) {
  if (!m->built || !m->v0)
    return ga_fail(err, GA_ERR_ARG, "a subdomain needs a mechanism that has been built");
  if (subdomain < 0 || subdomain >= s->subdomains) {
    return ga_fail(err, GA_ERR_ARG, "there is no subdomain %d of %d", subdomain, s->subdomains);
  }
  if (s->bodies != m->bodies.count - 1 || s->elements != m->joints.count + m->others.count) {
    return ga_fail(err, GA_ERR_ARG, "the partition is of another mechanism");
  }
  const int *const list[2] = {s->body, s->element}, n[2] = {s->bodies, s->elements};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < n[k]; i++) {
      if (list[k][i] >= 0 && list[k][i] < s->subdomains) continue;
      return ga_fail(err, GA_ERR_ARG, "%s %d is given to subdomain %d of %d",
                     k ? "element" : "body", i, list[k][i], s->subdomains);
    }
  }
  return GA_OK;
}

/* Builds the mechanism c->own (new and empty) of one subdomain and fills info (zero before). The
 * caller frees c->scratch and c->own, also on failure; GA_ERR_MEM may come without a message. */
static ga_status build_subdomain(cut *c, ga_subdomain_info *info, ga_error *err) {
  ga_mechanism *m = c->own;
  if (!allocate_cut(c)) return GA_ERR_MEM;
  mark_all(c);
  if (!copy_bodies(c, info) || !copy_coordinates(c) || !copy_elements(c, info)) return GA_ERR_MEM;
  if (info->bodies == 0) {
    return ga_fail(err, GA_ERR_ARG, "subdomain %d of %d has no bodies", c->subdomain,
                   c->partition->subdomains);
  }
  ga_copy3(c->whole->gravity, m->gravity);
  m->length = c->whole->length;
  m->built = true;
  ga_status status = ga_mechanism_layout(m, err);
  if (status == GA_OK) status = ga_mechanism_make_model(m, err);
  /* all subdomains take the same way through a step */
  m->model.scleronomic = c->whole->model.scleronomic;
  return status == GA_OK ? fill_info(c, info) : status;
}

/* *out: a new subdomain, freed by ga_subdomain_free; NULL on failure. It borrows data of m, which
 * must live longer. */
ga_status ga_mechanism_subdomain(const ga_mechanism *m, const ga_partition *partition,
                                 int subdomain, ga_subdomain **out, ga_error *err) {
  *out = NULL;
  ga_error_clear(err);
  ga_status status = check_arguments(m, partition, subdomain, err);
  if (status != GA_OK) return status;
  ga_subdomain *p = ga_calloc(1, sizeof *p);
  cut c = {.whole = m, .partition = partition, .subdomain = subdomain};
  status = p ? ga_mechanism_new(&p->m) : GA_ERR_MEM;
  if (status == GA_OK) {
    c.own = p->m;
    status = build_subdomain(&c, &p->info, err);
  }
  ga_arena_free(&c.scratch);
  if (status == GA_OK) {
    *out = p;
    return GA_OK;
  }
  ga_subdomain_free(p);
  if (err && err->text[0]) return status;
  return ga_fail(err, status, "no memory for a subdomain of the mechanism");
}

/* frees a subdomain with its mechanism; NULL is allowed */
void ga_subdomain_free(ga_subdomain *portion) {
  if (!portion) return;
  ga_mechanism_free(portion->m);
  ga_free(portion);
}

/* sizes, numbers and model of a subdomain; its pointers are valid until it is freed */
ga_subdomain_info ga_subdomain_view(const ga_subdomain *portion) {
  return portion->info;
}
