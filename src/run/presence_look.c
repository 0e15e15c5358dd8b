/* SPDX-License-Identifier: MIT */
/* Which contacts are near, and are to be present.
 *
 * An open contact that is far from closing is absent: it has no rows in the systems of the run, and
 * costs nothing there. To close, its gap g must fall by g. Where positions move by at most room_j, it
 * falls by about sum_j |G_ij| room_j; G changes on the way, so that SAFE times that is taken. A look
 * sets
 *
 *     room_j = 2 (AHEAD h |v_j| + (AHEAD h)^2/2 |v'_j|)
 *
 * and lets those contacts be present that this room could close. The others stay absent, and nothing is
 * evaluated, until a position would leave its room within the next AHEAD steps, but not more than EVERY
 * steps. Room that is left is used: what remains of the gaps of absent contacts enlarges it, half of it
 * for all positions alike in the metric. Present contacts leave, late, if there are more than twice as
 * many as are near. A contact that is found closed though it was absent takes the step back, which is
 * made again with it.
 *
 * The last contacts of a model may wait (model/crowd.h): it knows itself which of them are near. */
#include <math.h>
#include <string.h>

#include "run/integrator.h"

static const double SAFE = 2;  /* how much faster a gap may close than its gradient says */
static const double AHEAD = 8; /* steps in which a near contact could close; */
static const double MANY = 2;  /* where contacts wait: a step costs more than a look */
static const double STAYS = 4; /* times the room: a present contact beyond may leave */
enum { EVERY = 16, FEW = 16 }; /* FEW: so many contacts are all present or all absent */

/* Gaps of all contacts at (t, q), into rows.g, and their gradients. */
static ga_status evaluate_gaps(ga_integrator *it, double t, const double *q) {
  ga_presence *p = &it->presence;
  const char *who;
  const ga_model *whole = p->whole;
  const ga_evaluation out = {.g = p->rows.g,
                             .G = &p->rows.G,
                             .u = ga_inputs_at(&it->eval.inputs, t),
                             .present = p->waiting > 0 ? p->listed : NULL};
  ga_adapter_zero(whole, &out);
  const int code = ga_adapter_ask(whole, ga_adapter_pass_fields(whole->ops), !it->eval.absent, t, q,
                                  it->eval.zero, &out, &who);
  if (code == 0) return GA_OK;
  return ga_fail(&it->error, code > 0 ? GA_RETRY_MODEL : GA_ERR_MODEL,
                 "t = %.9g: callback '%s' failed and returned %d", t, who, code);
}

/* What a look at all contacts finds. */
typedef struct {
  int near;
  bool changes; /* an absent contact is near */
  bool late;    /* one is closed */
  /* of those that stay absent: how often their gaps have place for the room, and for 1/sqrt(w) */
  double times, budget;
} findings;

/* Contact i, with a gap g that has place `ratio` times for the room. */
static bool judge(ga_integrator *it, int i, double g, double ratio, findings *f) {
  ga_presence *p = &it->presence;
  const int place = p->all ? i : p->rows.place[i];
  const bool closed = place >= 0 && it->contacts.state[place].state != GA_CONTACT_OPEN;
  p->next[i] = closed || ratio <= (place >= 0 ? STAYS : 1);
  f->near += p->next[i];
  f->changes |= p->next[i] && place < 0;
  f->late |= place < 0 && g < 0;
  return p->next[i] || place >= 0;
}

/* The contacts whose rows are in the patterns of the whole model. */
static ga_status judge_listed(ga_integrator *it, double t, const double *q, findings *f) {
  ga_presence *p = &it->presence;
  const double *root = it->eval.root_metric;
  const ga_csr *G = &p->rows.G;
  const ga_status status = p->n > p->waiting ? evaluate_gaps(it, t, q) : GA_OK;
  for (int i = 0; i < p->n - p->waiting && status == GA_OK; i++) {
    const int row = p->whole->contacts[i].gap;
    const double g = p->rows.g[row];
    double falls = 0, reach = 0;
    for (int e = G->ptr[row]; e < G->ptr[row + 1]; e++) {
      falls += SAFE * fabs(G->val[e]) * p->room[G->col[e]];
      reach += SAFE * fabs(G->val[e]) / root[G->col[e]];
    }
    const double ratio = g <= 0 ? 0 : falls > 0 ? g / falls : INFINITY;
    if (judge(it, i, g, ratio, f)) continue;
    f->times = fmin(f->times, ratio);
    f->budget = fmin(f->budget, reach > 0 ? g / reach : INFINITY);
  }
  return status;
}

/* Those that wait: the model lists the near ones; the others are farther. */
static ga_status judge_waiting(ga_integrator *it, const double *q, findings *f) {
  ga_presence *p = &it->presence;
  const int first = p->n - p->waiting;
  if (!p->whole->ops->crowd->near(p->whole->user, q, STAYS, p->room, &p->near)) {
    return ga_fail(&it->error, GA_ERR_MEM, "no memory for %d contacts", p->n);
  }
  memset(p->next + first, 0, (size_t)p->waiting * sizeof(bool));
  for (int k = 0; k < p->near.count; k++) {
    const ga_near_contact *c = &p->near.item[k];
    judge(it, c->contact, c->gap, c->ratio, f);
  }
  for (int k = 0; k < it->contacts.n; k++) { /* whatever the list says, closed ones stay */
    const int i = ga_presence_number(it, k);
    const bool closed = it->contacts.state[k].state != GA_CONTACT_OPEN;
    if (i < first || !closed || p->next[i]) continue;
    p->next[i] = true;
    f->near++;
  }
  f->times = fmin(f->times, 1);
  f->budget = 0;
  return GA_OK;
}

ga_status ga_presence_look(ga_integrator *it, double t, const double *q, const double *v,
                           const double *vd, bool *late) {
  ga_presence *p = &it->presence;
  findings f = {.times = INFINITY, .budget = INFINITY};
  const int present = it->contacts.n, nv = it->eval.nv;
  const double T = (p->waiting > 0 ? MANY : AHEAD) * p->h, least = ga_contacts_eps_position(it);
  for (int i = 0; i < nv; i++) { /* what touches is near, also at rest */
    p->room[i] = 2 * (T * fabs(v[i]) + (vd ? T * T / 2 * fabs(vd[i]) : 0));
    p->room[i] = fmax(p->room[i], least / it->eval.root_metric[i]);
    p->moved[i] = 0;
  }
  p->steps = 0;
  ga_status status = p->waiting > 0 ? judge_waiting(it, q, &f) : GA_OK;
  if (status == GA_OK) status = judge_listed(it, t, q, &f);
  if (status != GA_OK) return status;
  *late = f.late;
  for (int i = 0; i < nv && p->waiting == 0; i++) {
    const double own = p->room[i] > 0 ? f.times / 2 * p->room[i] : 0;
    p->room[i] = own + f.budget / 2 / it->eval.root_metric[i];
  }
  if (p->n <= FEW && f.near > 0) {
    for (int i = 0; i < p->n; i++) p->next[i] = true;
    f.near = p->n;
  }
  const bool many = present > FEW && present > 2 * f.near;
  for (int k = 0; k < present && !many; k++) p->next[ga_presence_number(it, k)] = true;
  p->change = f.changes || many;
  return GA_OK;
}

ga_contact_state ga_presence_absent(const ga_integrator *it, int i) {
  const ga_present_rows *rows = &it->presence.rows;
  ga_contact_state state = {.impulse = it->presence.kept[i].state.impulse, .gap = NAN};
  const int row = rows->whole->contacts[i].gap;
  ga_csr G = rows->G;
  const ga_evaluation out = {.g = rows->g, .G = &G};
  const ga_memory *mem = &it->mem;
  if (i >= it->presence.n - it->presence.waiting) {
    rows->whole->ops->crowd->gap(rows->whole->user, i, mem->q, mem->v, &state.gap, &state.rate);
    return state;
  }
  if (ga_model_evaluate(rows->whole, mem->t, mem->q, mem->v, &out) != 0) return state;
  state.gap = rows->g[row];
  for (int e = G.ptr[row]; e < G.ptr[row + 1]; e++) state.rate += G.val[e] * mem->v[G.col[e]];
  return state;
}

/* A step has moved the positions; will one of them leave its room soon? */
static bool leaves_room(ga_integrator *it) {
  ga_presence *p = &it->presence;
  const ga_memory *mem = &it->mem, *from = &it->last.mem;
  const double h = mem->t - from->t, T = (p->waiting > 0 ? MANY : AHEAD) * p->h;
  bool leaves = false;
  for (int i = 0; i < it->eval.nv; i++) {
    const double speed = fabs(mem->v[i]);
    p->moved[i] += h * fmax(speed, fabs(from->v[i]));
    leaves |= !(p->moved[i] + T * speed <= p->room[i]);
  }
  return leaves;
}

ga_status ga_presence_watch(ga_integrator *it, bool *late) {
  ga_presence *p = &it->presence;
  const ga_memory *mem = &it->mem;
  *late = false;
  if (!p->on || (p->all && p->n <= FEW)) return GA_OK;
  p->h = fmax(mem->t - it->last.mem.t, it->h);
  const bool leaves = leaves_room(it);
  if (++p->steps < EVERY && !leaves) return GA_OK;
  return ga_presence_look(it, mem->t, mem->q, mem->v, mem->vd, late);
}
