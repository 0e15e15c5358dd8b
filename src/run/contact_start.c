/* SPDX-License-Identifier: MIT */
/* Contacts at a start, where forces may have jumped, and the axes of their slip velocities. */
#include <math.h>

#include "kkt/measure.h"
#include "run/integrator.h"

static const double START_CLOSED = 1e-6; /* of the size: gaps that a start may close */

/* Axes of the contacts that hit anew; the others keep theirs unless the model says otherwise. True if
 * one has changed. */
bool ga_contacts_choose_axes(ga_integrator *it, double t, const double *q, bool fresh) {
  ga_contacts *c = &it->contacts;
  bool changed = false;
  if (!it->model->ops->contact_axis) return false;
  for (int i = 0; i < c->n; i++) {
    const bool anew = fresh || c->found[i] == GA_CONTACT_HIT;
    int *own = &c->axes[ga_presence_number(it, i)];
    const int axis = it->model->ops->contact_axis(it->model->user, t, q, ga_presence_number(it, i),
                                                  anew ? -1 : *own);
    changed |= axis != *own;
    *own = axis;
  }
  return changed;
}

bool ga_contacts_turn_axes(ga_integrator *it, bool fresh) {
  return ga_contacts_choose_axes(it, it->mem.t, it->mem.q, fresh);
}

/* GA_ERR_INITIAL if a gap is closed at a start by more than START_CLOSED. */
static ga_status check_gaps(ga_integrator *it) {
  const ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    const double gap = c->g[c->rows.contact[i].gap];
    if (gap >= -START_CLOSED * c->size * c->reach[i]) continue;
    return ga_fail(&it->error, GA_ERR_INITIAL,
                   "contact '%s' starts closed by %.3g: move what it touches apart by that much",
                   c->rows.contact[i].name, -gap);
  }
  return GA_OK;
}

/* The first automatic step at a start in contact: that of the motion with the forces of the contacts, at
 * mem.q, v with their rows on. The start itself has found one without them. Where none is found, h
 * stays what it is. */
ga_status ga_contacts_first_size(ga_integrator *it) {
  ga_memory *mem = &it->mem, *at = &it->start_work.next;
  ga_start_guess(it);
  ga_status status =
      ga_saddle_acceleration(&it->saddle, mem->t, mem->q, mem->v, mem->vd, mem->lam, mem->psi);
  if (status != GA_OK) return status;
  ga_memory_copy(at, mem, &it->eval);
  at->h = it->options.h;
  status = ga_step_size_start(it, at);
  if (status > 0) ga_error_clear(&it->error);
  if (status != GA_OK) return status < 0 ? status : GA_OK;
  it->h = at->h;
  ga_step_size_begin(it);
  return GA_OK;
}

ga_status ga_contacts_start(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  c->size = fmax(c->size, ga_measure_position(&it->eval, it->mem.q, c->vd));
  c->t_rest = -INFINITY;
  ga_contacts_choose_axes(it, it->mem.t, it->mem.q, true);
  ga_status status = ga_contacts_evaluate(it, it->mem.t, it->mem.q, it->mem.v);
  if (status == GA_OK) status = check_gaps(it);
  if (status != GA_OK) return status;
  bool touches = false;
  for (int i = 0; i < c->n; i++) {
    const double gap = c->g[c->rows.contact[i].gap];
    c->found[i] = gap <= 0 ? GA_CONTACT_HIT : GA_CONTACT_NOTHING;
    touches |= gap <= ga_contacts_eps_gap(it, i);
    c->speed = fmax(c->speed, fabs(c->gv[c->rows.contact[i].gap]) / c->reach[i]);
  }
  c->starting = true;
  if (touches && it->step_size.on) it->h = it->options.h;
  status = touches ? ga_contacts_change(it) : ga_contacts_refresh(it);
  c->starting = false;
  return status;
}

ga_status ga_contacts_settle(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  c->keeps = c->stuck = false;
  bool touches = false;
  ga_status status = ga_contacts_evaluate(it, it->mem.t, it->mem.q, it->mem.v);
  for (int i = 0; i < c->n && status == GA_OK; i++) {
    c->found[i] = GA_CONTACT_NOTHING;
    c->kept[i] = false;
    touches |= c->g[c->rows.contact[i].gap] <= ga_contacts_eps_gap(it, i);
  }
  return status == GA_OK && touches ? ga_contacts_change(it) : status;
}
