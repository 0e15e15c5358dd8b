/* SPDX-License-Identifier: MIT */
/* Equilibrium and modes of a mechanism: weights by mass and size, names of what moves. */
#include <stdio.h>
#include <string.h>

#include "mechanism/assembly/states_at_rest.h"
#include "mechanism/mechanism.h"
#include "mechanism/tree/tree.h"

/* *model <- the model for statics: rows of states have no multipliers, so that they need no reaction of
 * their own. GA_ERR_ARG if a drive has one: its rate depends on the state. */
static ga_status static_model(const ga_mechanism *m, ga_model *model, ga_error *err) {
  *model = m->model;
  model->ops = m->tree ? &ga_mechanism_ops_tree : &ga_mechanism_ops;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    if (el->type == &ga_element_state || el->npsi == 0 || !el->reach) continue;
    return ga_fail(
        err, GA_ERR_ARG,
        "%s '%s': its rate depends on the state, so that it reacts on its own coordinate "
        "alone; equilibrium and modes need drives that are functions of t",
        el->type->what, el->name);
  }
  return GA_OK;
}

enum { NEGATIVES_MOST = 1500 }; /* velocities of a model whose dense matrices are not too large */

/* e->negative of a mechanism with beams at the equilibrium q; -1: not known */
static ga_status count_negatives(const ga_mechanism *m, const ga_model *model, double t,
                                 const double *q, ga_equilibrium *e, ga_error *err) {
  e->negative = -1;
  if (!m->spread || m->nv > NEGATIVES_MOST) return GA_OK;
  return ga_tangent_negatives(model, t, q, e->lam, e->psi, &e->negative, err);
}

/* ga_equilibrium_find for m; e has weights, units and room for multipliers. With states of
 * controllers in the model of states_at_rest.c. Relaxation has no meaning there: states have no
 * inertia. */
static ga_status find_rest(const ga_mechanism *m, const ga_model *model, double t, double *q,
                           ga_equilibrium *e, ga_error *err) {
  ga_states_at_rest *rest = NULL;
  ga_status status = ga_states_at_rest_new(m, model, t, q, e->weight, e->unit, &rest, err);
  if (status != GA_OK) return status;
  if (!rest) {
    status = ga_equilibrium_find(model, t, q, e, err);
    return status == GA_OK ? count_negatives(m, model, t, q, e, err) : status;
  }
  double *const all = e->psi, *psi = ga_calloc((size_t)m->npsi, sizeof *psi);
  const int relax = e->relax_steps;
  e->psi = psi;
  e->negative = -1; /* controllers have no potential */
  e->states = ga_states_at_rest_velocities(rest);
  e->relax_steps = -1;
  status = psi ? ga_equilibrium_find(ga_states_at_rest_model(rest), t, q, e, err)
               : ga_fail(err, GA_ERR_MEM, "no memory to seek an equilibrium");
  if (psi) ga_states_at_rest_psi(rest, psi, all);
  e->psi = all;
  e->states = NULL;
  e->relax_steps = relax;
  ga_free(psi);
  ga_states_at_rest_free(rest);
  return status;
}

/* Replaces q by an equilibrium at time t (see ga_equilibrium_find, also for what is left on
 * failure). `equilibrium` may be NULL. Weights and units that the
 * caller leaves NULL are those of the bodies' masses and sizes; they are NULL again on return. */
ga_status ga_mechanism_equilibrium(const ga_mechanism *m, double t, double *q,
                                   ga_equilibrium *equilibrium, ga_error *err) {
  ga_equilibrium none = {0}, *e = equilibrium ? equilibrium : &none;
  ga_arena arena = {0};
  ga_model model;
  if (!m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has not been built");
  ga_status status = static_model(m, &model, err);
  if (status != GA_OK) return status;
  double *weight = ga_arena_doubles(&arena, (size_t)m->nv);
  double *unit = ga_arena_doubles(&arena, (size_t)m->nv);
  double *lam = ga_arena_doubles(&arena, (size_t)m->nlam + 1);
  double *psi = ga_arena_doubles(&arena, (size_t)m->npsi + 1);
  double *const own_lam = e->lam, *const own_psi = e->psi;
  status = GA_ERR_MEM;
  if (arena.failed) {
    ga_fail(err, status, "no memory to seek an equilibrium");
  } else {
    ga_mechanism_weights(m, weight, unit);
    e->weight = e->weight ? e->weight : weight;
    e->unit = e->unit ? e->unit : unit;
    e->lam = own_lam ? own_lam : lam;
    e->psi = own_psi ? own_psi : psi;
    status = find_rest(m, &model, t, q, e, err);
    e->lam = own_lam, e->psi = own_psi;
    if (e->weight == weight) e->weight = NULL;
    if (e->unit == unit) e->unit = NULL;
  }
  ga_arena_free(&arena);
  return status;
}

/* ---- shapes --------------------------------------------------------------------------------- */

/* Writes the name of component i of a mode shape into text and returns text: "BODY.x" or
 * "JOINT.angle"; "" for an unknown i. room: bytes of text; a longer name is cut off. */
const char *ga_mechanism_shape_name(const ga_mechanism *m, int i, char *text, size_t room) {
  if (room > 0) text[0] = '\0';
  if (m->tree && i >= 0 && i < m->nv) snprintf(text, room, "%s", m->model.v_names[i]);
  for (int b = 1; !m->tree && b < m->bodies.count; b++) {
    const ga_solid *body = &m->bodies.item[b];
    const int k = i - body->v_at;
    if (k < 0 || k >= body->kind->nv) continue;
    snprintf(text, room, "%s%s", body->name, body->kind->shape_names[k]);
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    if (angle->v_at == i) snprintf(text, room, "%s", angle->name);
  }
  return text;
}

/* Changes y, a mode shape (space axes), from the displacement of each centre of mass to that of the
 * body's origin: dx - dphi x R com. */
static void shape_of_origins(const ga_mechanism *m, const double *q, double *y) {
  for (int b = 1; b < m->bodies.count; b++) {
    const ga_solid *body = &m->bodies.item[b];
    const ga_body_kind *kind = body->kind;
    double arm[3], turn[3] = {0, 0, 0}, shift[3];
    ga_frame f;
    if (kind->nphi == 0) continue;
    kind->frame(q + body->q_at, NULL, &f);
    for (int k = 0; k < kind->nphi; k++) turn[kind->phi_at + k] = y[body->v_at + kind->nx + k];
    ga_times3(f.R, body->com, arm);
    ga_cross3(turn, arm, shift);
    for (int k = 0; k < kind->nx; k++) y[body->v_at + k] -= shift[k];
  }
}

/* GA_OK if the linearization of a mechanism in joint coordinates does not change with time: in absolute
 * coordinates, where M is constant. */
static ga_status check_steady(const ga_mechanism *m, double t, const double *q, const double *v,
                              ga_error *err) {
  const ga_mechanism *a = m->absolute;
  ga_linearization *lin = NULL;
  double *qa = ga_calloc((size_t)(a->nq + a->nv), sizeof *qa), *va = qa ? qa + a->nq : NULL;
  ga_status status = qa ? ga_tree_write(m, q, v, qa, va) : GA_ERR_MEM;
  if (status != GA_OK) {
    ga_fail(err, status, "no memory for modes");
  } else {
    ga_model model;
    status = static_model(a, &model, err);
    if (status == GA_OK) status = ga_linearization_new(&model, t, qa, va, false, &lin, err);
  }
  ga_linearization_free(lin);
  ga_free(qa);
  return status;
}

/* Modes of the mechanism linearized at (t, q, v); shapes are displacements of the bodies' origins.
 * frozen: accept a state whose linearization changes with time. modes: settings, arrays of the
 * caller and results, as for ga_modes_find. */
ga_status ga_mechanism_modes(const ga_mechanism *m, double t, const double *q, const double *v,
                             bool frozen, ga_modes *modes, ga_error *err) {
  ga_linearization *lin = NULL;
  ga_model model;
  if (!m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has not been built");
  ga_status status = static_model(m, &model, err);
  if (status == GA_OK && m->tree && !frozen) status = check_steady(m, t, q, v, err);
  if (status == GA_OK) status = ga_linearization_new(&model, t, q, v, frozen, &lin, err);
  if (status == GA_OK) status = ga_modes_find(lin, modes, err);
  ga_linearization_free(lin);
  /* shapes in joint coordinates are changes of these */
  for (int k = 0; status == GA_OK && !m->tree && modes->shape_re && k < modes->count; k++) {
    shape_of_origins(m, q, modes->shape_re + (size_t)k * (size_t)m->nv);
    shape_of_origins(m, q, modes->shape_im + (size_t)k * (size_t)m->nv);
  }
  return status;
}
