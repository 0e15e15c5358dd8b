/* SPDX-License-Identifier: MIT */
/* Slips that begin slowly. Two rows k, friction -mu N d with d = k/|k|: where |k| is so small that h mu N A/|k|
 * is large, d is stiff, and methods with rho_inf near 1 hold an error of it as a vibration; a first step from
 * rest does not know at all how d turns, because k is of O(h^2) there, and so is what turns it. So where d turns
 * by more than TURN in a step from k_n, the step is made again with the d at its end that P4 gives there for
 *
 *     u = A r + b + k_n/h,   |r_T| = mu r_N,   r_T = -mu r_N u_T/|u_T|,   d = u_T/|u_T|
 *
 * which is the direction of the implicit Euler method: right by O(h^2), and stable however stiff d is. */
#include <math.h>
#include <string.h>

#include "run/integrator.h"

static const double TURN = 0.1;  /* tangent of the angle by which d turns */
static const double ALONG = 0.5; /* of that between k and the d that was held for it */

/* Does d turn in the piece that was solved, of a contact that slips faster and faster? */
static bool turns_fast(const ga_integrator *it, int i) {
  const ga_contacts *c = &it->contacts;
  const ga_contact *of = &c->rows.contact[i];
  if (c->state[i].state != GA_CONTACT_SLIP || of->nslip < 2 || !(of->friction > 0)) return false;
  const double *d = c->d_begin + of->slip, *k = it->step.eq.k + of->slip;
  const double along = d[0] * k[0] + d[1] * k[1], across = d[0] * k[1] - d[1] * k[0];
  const double before = hypot(c->state[i].slip[0], c->state[i].slip[1]);
  return !c->kept[i] && along > 0 && fabs(across) > TURN * along && hypot(along, across) > before;
}

/* P4 at the end of the piece: directions of the contacts c->aimed into d; false in c->aimed if it has none. */
static ga_status find_directions(ga_integrator *it, double *d) {
  ga_contacts *c = &it->contacts;
  const ga_memory *mem = &it->mem;
  ga_touching p = {0};
  bool *closed = ga_arena_take(&c->of_change, (size_t)c->n, sizeof(bool));
  int *states = ga_arena_ints(&c->of_change, (size_t)c->n);
  double *before = ga_arena_doubles(&c->of_change, (size_t)c->rows.npsi);
  if (c->of_change.failed) return ga_fail(&it->error, GA_ERR_MEM, "no memory for contacts");
  memcpy(before, c->rows.d, (size_t)c->rows.npsi * sizeof(double));
  for (int i = 0; i < c->n; i++) closed[i] = c->state[i].state != GA_CONTACT_OPEN;
  memcpy(c->v, mem->v, (size_t)it->eval.nv * sizeof(double));
  ga_status status = ga_contacts_evaluate(it, mem->t, mem->q, mem->v);
  if (status == GA_OK) status = ga_touching_init(it, closed, mem->t, mem->q, c->v, &p);
  c->aim_h = mem->t - it->last.mem.t;
  if (status == GA_OK) {
    status = ga_contacts_forces(it, &p, mem->t, mem->q, c->v, NULL, NULL, NULL, NULL, states);
  }
  c->aim_h = 0;
  memcpy(d, c->rows.d, (size_t)c->rows.npsi * sizeof(double));
  memcpy(c->rows.d, before, (size_t)c->rows.npsi * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    c->aimed[i] &= status == GA_OK && states[i] == GA_CONTACT_SLIP;
  }
  ga_touching_free(&p);
  return status == GA_ERR_CONTACT ? GA_OK : status;
}

/* Do the aimed contacts slip at the end of the piece along the directions they had there? */
static bool is_along(const ga_integrator *it) {
  const ga_contacts *c = &it->contacts;
  bool all = true;
  for (int i = 0; i < c->n; i++) {
    const int row = c->rows.contact[i].slip;
    if (!c->aimed[i]) continue;
    const double *d = c->rows.d + row, *k = it->step.eq.k + row;
    all &= fabs(d[0] * k[1] - d[1] * k[0]) <= ALONG * (d[0] * k[0] + d[1] * k[1]);
  }
  return all;
}

ga_status ga_contacts_aim(ga_integrator *it, const ga_plan *plan) {
  ga_contacts *c = &it->contacts;
  bool any = false;
  if (it->step_size.on || c->hold_all || it->options.contact == GA_CONTACT_STEP) return GA_OK;
  for (int i = 0; i < c->n; i++) any |= c->aimed[i] = turns_fast(it, i);
  if (!any) return GA_OK;
  double *d = ga_arena_doubles(&c->of_change, (size_t)c->rows.npsi);
  ga_status status = d ? find_directions(it, d) : ga_fail(&it->error, GA_ERR_MEM, "no memory");
  any = false;
  for (int i = 0; i < c->n && status == GA_OK; i++) {
    const ga_contact *of = &c->rows.contact[i];
    if (!c->aimed[i]) continue;
    memcpy(c->rows.d + of->slip, d + of->slip, 2 * sizeof(double));
    any = true;
  }
  ga_arena_rewind(&c->of_change);
  if (status != GA_OK || !any) return status;
  const double t1 = it->mem.t, h = t1 == plan->t1 ? plan->h : t1 - it->last.mem.t;
  ga_loop_undo(it);
  status = ga_loop_attempt(it, h, t1);
  const bool good = status == GA_OK && is_along(it);
  for (int i = 0; i < c->n; i++) c->aimed[i] = false;
  if (good || status < 0) return status;
  if (status == GA_OK) ga_loop_undo(it);
  return ga_loop_attempt(it, h, t1);
}
