/* SPDX-License-Identifier: MIT */
/* States of controllers at rest. A state has the row
 *
 *     k = z' - f(t, q, v, z) = 0
 *
 * and at an equilibrium z' = v = 0, so that f(t, q, 0, z) = 0: one equation for each z, as the balance
 * of forces is one for each velocity of a body. So statics see a model in which f is the force on z,
 *
 *     F_z = -c k = c f,   Kt_z = c Y = -c D_q f,   Ct_z = c H      at v = 0,
 *
 * and the row is gone. An integrator's f is an error that shall vanish: its equation makes the steady
 * state exact, and z is whatever holds the load.
 *
 * c = W_z/T makes rates comparable to forces: W_z is the weight of z in the search, T the least time in
 * which a force moves a body by its unit, or the shortest period of a spring over 2 pi. */
#include "mechanism/assembly/states_at_rest.h"

#include <math.h>
#include <string.h>

struct ga_states_at_rest {
  ga_arena arena;
  const ga_model *inner;
  ga_model model;
  ga_model_ops ops;
  int nv, npsi;      /* of the inner model: velocities, rows of k */
  int *velocity;     /* of each of its rows: the velocity of its state; -1: another row */
  bool *is_state;    /* of each velocity */
  double *c;         /* of each row: see the head of this file */
  double *k, *psi;   /* of the inner model */
  ga_csr H, Y, K, C; /* of the inner model */
  ga_csr pat_H;      /* patterns of the model at rest */
  ga_csr pat_K;
  int *K_to, *Y_to; /* slots of the inner Kt and of Y and H in the model's Kt; -1: none */
};

/* rows of a matrix that are kept, one after the other: to <- those of from */
static void keep_rows(const ga_states_at_rest *r, const ga_csr *from, ga_csr *to) {
  int at = 0;
  for (int row = 0; row < r->npsi; row++) {
    if (r->velocity[row] >= 0) continue;
    for (int e = from->ptr[row]; e < from->ptr[row + 1]; e++) to->val[at++] = from->val[e];
  }
}

/* The multipliers of all rows: those of states have none. */
void ga_states_at_rest_psi(const ga_states_at_rest *r, const double *psi, double *all) {
  for (int row = 0, at = 0; row < r->npsi; row++) all[row] = r->velocity[row] < 0 ? psi[at++] : 0;
}

/* out of the model at rest, all of it from one evaluation of the inner one */
static void put_results(const ga_states_at_rest *r, const ga_evaluation *out) {
  for (int row = 0, at = 0; row < r->npsi; row++) {
    const int z = r->velocity[row];
    if (out->k && z < 0) out->k[at++] = r->k[row];
    if (out->F && z >= 0) out->F[z] -= r->c[row] * r->k[row];
    for (int e = r->Y.ptr[row]; out->Kt && z >= 0 && e < r->Y.ptr[row + 1]; e++) {
      out->Kt->val[r->Y_to[e]] += r->c[row] * r->Y.val[e];
      out->Ct->val[r->Y_to[e]] += r->c[row] * r->H.val[e];
    }
  }
  if (out->H) keep_rows(r, &r->H, out->H);
  if (out->Y) keep_rows(r, &r->Y, out->Y);
  for (int e = 0; out->Kt && e < r->K.ptr[r->nv]; e++) {
    out->Kt->val[r->K_to[e]] += r->K.val[e];
    out->Ct->val[r->K_to[e]] += r->C.val[e];
  }
}

/* ga_model_ops.evaluate of the model at rest */
static int evaluate_at_rest(void *user, double t, const double *q, const double *v,
                            const ga_evaluation *out) {
  ga_states_at_rest *r = user;
  ga_evaluation in = *out;
  in.k = out->k || out->F ? r->k : NULL;
  in.H = out->H || out->Kt ? &r->H : NULL;
  in.Y = out->Y || out->Kt ? &r->Y : NULL;
  in.Kt = out->Kt ? &r->K : NULL;
  in.Ct = out->Kt ? &r->C : NULL;
  in.psi = NULL;
  if (out->psi || out->Kt) {
    ga_states_at_rest_psi(r, out->psi, r->psi);
    in.psi = r->psi;
  }
  ga_csr *const own[] = {in.H, in.Y, in.Kt, in.Ct};
  for (int i = 0; i < 4; i++) {
    if (own[i]) ga_csr_zero(own[i]);
  }
  const int code = r->inner->ops->evaluate(r->inner->user, t, q, v, &in);
  if (code == 0) put_results(r, out);
  return code;
}

/* the sentence of the inner model */
static const char *explain_at_rest(void *user, int code, char *text, size_t room) {
  const ga_states_at_rest *r = user;
  return r->inner->ops->explain(r->inner->user, code, text, room);
}

/* the choice of the inner model */
static int axis_at_rest(void *user, double t, const double *q, int contact, int axis) {
  const ga_states_at_rest *r = user;
  return r->inner->ops->contact_axis(r->inner->user, t, q, contact, axis);
}

/* r->model.contacts <- those of the inner model, with the numbers of the rows that are kept */
static void keep_contacts(ga_states_at_rest *r) {
  const size_t n = (size_t)r->inner->ncontacts;
  ga_contact *contacts = ga_arena_take(&r->arena, n + 1, sizeof *contacts);
  for (size_t i = 0; contacts && i < n; i++) {
    contacts[i] = r->inner->contacts[i];
    for (int row = 0; row < r->inner->contacts[i].slip; row++) {
      contacts[i].slip -= r->velocity[row] >= 0;
    }
  }
  r->model.contacts = n > 0 ? contacts : NULL;
  if (r->inner->ops->contact_axis) r->ops.contact_axis = axis_at_rest;
}

/* ---- patterns ------------------------------------------------------------------------------- */

/* marks[j] <- mark for the columns j of row i of A */
static void mark_row(const ga_csr *A, int i, int mark, int *marks) {
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) marks[A->col[e]] = mark;
}

/* row of k whose state has velocity i, -1: none */
static int row_of(const ga_states_at_rest *r, int i) {
  for (int row = 0; r->is_state[i] && row < r->npsi; row++) {
    if (r->velocity[row] == i) return row;
  }
  return -1;
}

/* r->pat_K <- the pattern of the inner Kt and, in the rows of states, of Y; marks: nv numbers, zero */
static void unite_patterns(ga_states_at_rest *r, int *marks) {
  ga_csr *P = &r->pat_K;
  const int most = r->K.ptr[r->nv] + r->Y.ptr[r->npsi];
  int at = 0;
  *P = (ga_csr){.nrow = r->nv,
                .ncol = r->nv,
                .ptr = ga_arena_ints(&r->arena, (size_t)r->nv + 1),
                .col = ga_arena_ints(&r->arena, (size_t)most + 1)};
  if (r->arena.failed) return;
  for (int i = 0; i < r->nv; i++) {
    const int row = row_of(r, i);
    P->ptr[i] = at;
    for (int e = r->K.ptr[i]; row < 0 && e < r->K.ptr[i + 1]; e++) P->col[at++] = r->K.col[e];
    if (row < 0) continue;
    mark_row(&r->K, i, i + 1, marks);
    mark_row(&r->Y, row, i + 1, marks);
    for (int j = 0; j < r->nv; j++) {
      if (marks[j] == i + 1) P->col[at++] = j;
    }
  }
  P->ptr[r->nv] = at;
}

/* r->pat_H and the names of rows <- those of the inner H that are kept */
static void kept_pattern(ga_states_at_rest *r) {
  const char *const *all = r->inner->psi_names;
  const char **names = ga_arena_take(&r->arena, (size_t)r->npsi + 1, sizeof *names);
  ga_csr *P = &r->pat_H;
  *P = (ga_csr){.nrow = r->model.npsi,
                .ncol = r->nv,
                .ptr = ga_arena_ints(&r->arena, (size_t)r->npsi + 1),
                .col = ga_arena_ints(&r->arena, (size_t)r->H.ptr[r->npsi] + 1)};
  if (r->arena.failed) return;
  int at = 0, kept = 0;
  for (int row = 0; row < r->npsi; row++) {
    if (r->velocity[row] >= 0) continue;
    for (int e = r->H.ptr[row]; e < r->H.ptr[row + 1]; e++) P->col[at++] = r->H.col[e];
    names[kept] = all ? all[row] : NULL;
    P->ptr[++kept] = at;
  }
  r->model.psi_names = all ? names : NULL;
}

/* slots of the inner Kt and Y in that of the model at rest */
static void find_slots(ga_states_at_rest *r) {
  r->K_to = ga_arena_ints(&r->arena, (size_t)r->K.ptr[r->nv] + 1);
  r->Y_to = ga_arena_ints(&r->arena, (size_t)r->Y.ptr[r->npsi] + 1);
  if (r->arena.failed) return;
  for (int i = 0; i < r->nv; i++) {
    for (int e = r->K.ptr[i]; e < r->K.ptr[i + 1]; e++) {
      r->K_to[e] = ga_csr_find(&r->pat_K, i, r->K.col[e]);
    }
  }
  for (int row = 0; row < r->npsi; row++) {
    for (int e = r->Y.ptr[row]; e < r->Y.ptr[row + 1]; e++) {
      r->Y_to[e] =
          r->velocity[row] < 0 ? -1 : ga_csr_find(&r->pat_K, r->velocity[row], r->Y.col[e]);
    }
  }
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* r->c, see the head of this file. GA_ERR_INITIAL if the model has no forces there. */
static ga_status choose_scales(ga_states_at_rest *r, double t, const double *q,
                               const double *weight, const double *unit, ga_error *err) {
  double *F = ga_arena_doubles(&r->arena, (size_t)r->nv);
  double *none = ga_arena_doubles(&r->arena, (size_t)r->nv);
  double *lam = ga_arena_doubles(&r->arena, (size_t)r->inner->nlam + 1), fastest = 0;
  if (r->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory to seek an equilibrium");
  const ga_evaluation out = {
      .F = F, .Kt = &r->K, .Ct = &r->C, .x = none, .lam = lam, .psi = r->psi};
  const int code = ga_model_evaluate(r->inner, t, q, none, &out);
  if (code != 0) {
    char text[200] = "";
    return ga_fail(err, GA_ERR_INITIAL, "the forces at t = %.9g have no value: %s", t,
                   explain_at_rest(r, code, text, sizeof text));
  }
  for (int i = 0; i < r->nv; i++) {
    const int e = ga_csr_find(&r->K, i, i);
    fastest = fmax(fastest, fabs(F[i]) / (weight[i] * unit[i]));
    if (e >= 0) fastest = fmax(fastest, fabs(r->K.val[e]) / weight[i]);
  }
  const double rate = fastest > 0 ? sqrt(fastest) : 1; /* 1/T */
  for (int row = 0; row < r->npsi; row++) {
    if (r->velocity[row] >= 0) r->c[row] = weight[r->velocity[row]] * rate;
  }
  return GA_OK;
}

/* Allocates r for the rows of m, which are found. */
static ga_status open_at_rest(ga_states_at_rest *r, const ga_mechanism *m, ga_error *err) {
  const ga_model *inner = r->inner;
  ga_arena *arena = &r->arena;
  const size_t rows = (size_t)r->npsi, nv = (size_t)r->nv;
  r->velocity = ga_arena_ints(arena, rows);
  r->c = ga_arena_doubles(arena, rows);
  r->k = ga_arena_doubles(arena, rows);
  r->psi = ga_arena_doubles(arena, rows);
  r->is_state = ga_arena_take(arena, nv, sizeof *r->is_state);
  int *marks = ga_arena_ints(arena, nv);
  ga_csr_init(&r->H, r->npsi, r->nv, inner->pat_H, arena);
  ga_csr_init(&r->Y, r->npsi, r->nv, inner->pat_H, arena);
  ga_csr_init(&r->K, r->nv, r->nv, inner->pat_K, arena);
  ga_csr_init(&r->C, r->nv, r->nv, inner->pat_K, arena);
  if (arena->failed) return ga_fail(err, GA_ERR_MEM, "no memory to seek an equilibrium");
  for (int row = 0; row < r->npsi; row++) r->velocity[row] = -1;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    if (el->type != &ga_element_state) continue;
    const int z = m->coordinates.item[el->coordinate[0]].v_at;
    r->velocity[el->psi_at] = z;
    r->is_state[z] = true;
    r->model.npsi--;
  }
  unite_patterns(r, marks);
  kept_pattern(r);
  keep_contacts(r);
  if (!arena->failed) find_slots(r);
  return arena->failed ? ga_fail(err, GA_ERR_MEM, "no memory to seek an equilibrium") : GA_OK;
}

/* A model for the search of an equilibrium with states, see states_at_rest.h. */
ga_status ga_states_at_rest_new(const ga_mechanism *m, const ga_model *model, double t,
                                const double *q, const double *weight, const double *unit,
                                ga_states_at_rest **out, ga_error *err) {
  int states = 0;
  *out = NULL;
  for (int i = 0; i < m->elements.count; i++) {
    states += m->elements.item[i].type == &ga_element_state;
  }
  if (states == 0) return GA_OK;
  ga_states_at_rest *r = ga_calloc(1, sizeof *r);
  if (!r) return ga_fail(err, GA_ERR_MEM, "no memory to seek an equilibrium");
  r->inner = model;
  r->model = *model;
  r->ops = (ga_model_ops){.evaluate = evaluate_at_rest,
                          .explain = explain_at_rest,
                          .gives = model->ops->gives & ~(unsigned)GA_GIVES_K_DRIFT};
  r->model.ops = &r->ops;
  r->model.user = r;
  r->nv = m->nv;
  r->npsi = model->npsi;
  ga_status status = open_at_rest(r, m, err);
  r->model.pat_K = &r->pat_K;
  r->model.pat_H = &r->pat_H;
  if (status == GA_OK) status = choose_scales(r, t, q, weight, unit, err);
  if (status != GA_OK) {
    ga_states_at_rest_free(r);
    return status;
  }
  *out = r;
  return GA_OK;
}

/* Frees r and its model. */
void ga_states_at_rest_free(ga_states_at_rest *r) {
  if (!r) return;
  ga_arena_free(&r->arena);
  ga_free(r);
}

/* The model at rest. */
const ga_model *ga_states_at_rest_model(const ga_states_at_rest *r) {
  return &r->model;
}

/* Which velocities are those of states. */
const bool *ga_states_at_rest_velocities(const ga_states_at_rest *r) {
  return r->is_state;
}
