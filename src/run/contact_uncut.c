/* SPDX-License-Identifier: MIT */
/* Steps that are not cut at changes (contact: step, for many contacts).
 *
 * A contact that lifts, slides or stops at the end of the step becomes open, slip (d = psi/|psi|) or
 * stick, and the step is solved again, each contact once for each kind. Then P2 lifts what has
 * penetrated, P3 acts on the velocities with e min(u_N, 0) of the beginning of the step (Moreau: a
 * flight that ends in the step in which it began ends in rest), P4 gives the new states. */
#include <math.h>
#include <string.h>

#include "run/integrator.h"

bool ga_contacts_uncut(const ga_integrator *it) {
  const ga_contacts *c = &it->contacts;
  if (it->options.contact == GA_CONTACT_STEP) return true;
  for (int i = 0; i < c->n; i++) {
    if (c->count[i] >= GA_CONTACT_CHANGES) return true;
  }
  return false;
}

void ga_contacts_begin_uncut(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  c->switched = false;
  memset(c->tried, 0, (size_t)c->n);
  for (int i = 0; i < c->n; i++) {
    c->un_begin[i] = c->state[i].rate;
    c->state_begin[i] = c->state[i].state;
  }
}

ga_status ga_contacts_find_switch(ga_integrator *it, bool *again) {
  ga_contacts *c = &it->contacts;
  bool any;
  *again = false;
  const ga_status status = ga_contacts_find_failed(it, &any);
  for (int i = 0; i < c->n && status == GA_OK; i++) {
    const int kind = c->found[i];
    if (kind == GA_CONTACT_NOTHING || kind == GA_CONTACT_HIT || (c->tried[i] & (1 << kind))) {
      c->found[i] = GA_CONTACT_NOTHING;
      continue;
    }
    c->tried[i] = (unsigned char)(c->tried[i] | (1 << kind));
    *again = true;
  }
  if (c->rows.npsi) memcpy(c->psi_end, it->mem.psi, (size_t)c->rows.npsi * sizeof(double));
  return status;
}

ga_status ga_contacts_switch(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  const ga_memory *mem = &it->mem;
  ga_touching p = {0};
  bool *closed = ga_arena_take(&c->of_change, (size_t)c->n, sizeof(bool));
  if (!closed) return ga_fail(&it->error, GA_ERR_MEM, "no memory for contacts");
  c->switched = true;
  for (int i = 0; i < c->n; i++) {
    const ga_contact *of = &c->rows.contact[i];
    const double *psi = c->psi_end + of->slip;
    if (c->found[i] == GA_CONTACT_LIFT) c->state[i].state = GA_CONTACT_OPEN;
    if (c->found[i] == GA_CONTACT_STOP) c->state[i].state = GA_CONTACT_STICK;
    if (c->found[i] == GA_CONTACT_SLIDE) {
      const double size = of->nslip == 2 ? hypot(psi[0], psi[1]) : fabs(psi[0]);
      c->state[i].state = GA_CONTACT_SLIP;
      for (int k = 0; k < of->nslip && size > 0; k++) c->rows.d[of->slip + k] = psi[k] / size;
    }
    closed[i] = c->state[i].state != GA_CONTACT_OPEN;
  }
  ga_status status = ga_contacts_evaluate(it, mem->t, mem->q, mem->v);
  if (status == GA_OK) status = ga_touching_init(it, closed, mem->t, mem->q, mem->v, &p);
  if (status == GA_OK) status = ga_contacts_set_rows(it, &p);
  ga_touching_free(&p);
  ga_arena_rewind(&c->of_change);
  return status;
}

ga_status ga_contacts_finish(ga_integrator *it, bool *cut) {
  ga_contacts *c = &it->contacts;
  const ga_equations *eq = &it->step.eq;
  bool hit = false;
  for (int i = 0; i < c->n; i++) {
    const int row = c->rows.contact[i].gap;
    const bool hits =
        c->state[i].state == GA_CONTACT_OPEN && ga_contacts_closes(it, i, eq->g[row], eq->gv[row]);
    c->found[i] = hits ? GA_CONTACT_HIT : GA_CONTACT_NOTHING;
    hit |= hits;
  }
  *cut = hit || c->switched;
  c->pending = *cut;
  c->t_change = it->mem.t;
  c->t_rest = -INFINITY;
  return GA_OK;
}

/* A direction of slip that turns fast leaves Newton's iteration without a solution, or leads it to one that
 * has nothing to do with the motion: the piece is made with directions that are held, else in parts. */
ga_status ga_contacts_retry(ga_integrator *it, ga_plan *plan, ga_status status) {
  static const double parts[] = {0.5, 0.25, 0.1};
  const double way = plan->t1 - it->mem.t, rest = fmax(plan->rest, plan->t1);
  if (it->step_size.on || status <= 0) return status;
  it->contacts.hold_all = true;
  status = ga_loop_attempt(it, plan->h, plan->t1);
  it->contacts.hold_all = false;
  for (int i = 0; i < 3 && status > 0; i++) {
    status = ga_loop_attempt(it, parts[i] * way, it->mem.t + parts[i] * way);
    if (status == GA_OK) plan->rest = rest;
  }
  return status;
}
