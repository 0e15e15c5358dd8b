/* SPDX-License-Identifier: MIT */
/* P2: positions at a change of contacts.
 *
 *     min w^T M w/2,  g(q o exp(w)) = 0 of joints and of contacts that are held, g >= 0 of the others
 *
 * by active sets. Gaps below zero are closed, too, w is found anew from q, until none is left. Then
 *
 *     M w + G^T mu = 0
 *
 * gives the multipliers: -mu >= 0 pushes. A gap that is closed but not held, and that would pull, is
 * left open, the one that pulls most first, each once: so this ends. */
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

static const double ROUNDING = 1e-5; /* of eps_g: what the place of a change leaves */
static const double PULLS = 1e-8;    /* of the largest multiplier */

/* Rows of positions: the gaps `equal` alone, without dependent ones. */
static ga_status set_equal_rows(ga_integrator *it, double t, const double *q, const double *v,
                                const bool *equal) {
  ga_contacts *c = &it->contacts;
  ga_touching p = {0};
  int count = 0;
  for (int i = 0; i < c->n; i++) {
    c->state[i].state = equal[i] ? GA_CONTACT_SLIP : GA_CONTACT_OPEN;
    count += equal[i];
  }
  ga_status status = GA_OK;
  if (count > 1) status = ga_touching_init(it, equal, t, q, v, &p);
  if (status == GA_OK) status = ga_contacts_set_rows(it, count > 1 ? &p : NULL);
  ga_touching_free(&p);
  return status;
}

/* Do all rows hold to rounding already, and no gap is below 0? contacts.g is that of q. */
static bool all_hold(const ga_integrator *it, const bool *equal) {
  const ga_contacts *c = &it->contacts;
  const double least = ROUNDING * ga_contacts_eps_position(it);
  for (int i = 0; i < c->n; i++) {
    const double gap = c->g[c->rows.contact[i].gap], eps = ga_contacts_eps_gap(it, i);
    if (equal[i] ? fabs(gap) > ROUNDING * eps : gap < -eps) return false;
  }
  for (int i = 0, k = 0; i < it->eval.nlam; i++) {
    if (k < c->n && c->rows.contact[k].gap == i) {
      k++; /* rows of gaps are in the order of the contacts */
    } else if (fabs(c->g[i]) > least * ga_measure_reach(&it->eval, &it->saddle.G, i)) {
      return false;
    }
  }
  return true;
}

/* The contact that pulls most of those that are closed, not held and not yet left, -1: none. The rows are
 * those of `equal`, from -> q the motion w. */
static ga_status find_pulled(ga_integrator *it, double t, const double *from, const double *q,
                             const double *v, const bool *equal, const bool *held, int *pulled) {
  const ga_contacts *c = &it->contacts;
  ga_saddle *s = &it->saddle;
  double *w = c->vd, most = 0, worst = 0;
  *pulled = -1;
  ga_space_diff(it->model->space, from, q, w);
  const ga_status status = ga_saddle_factor(s, t, q, v);
  if (status != GA_OK) return status;
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  ga_csr_mul_add(&s->M, 1, w, s->rhs);
  const ga_status solved = ga_saddle_solve(s);
  const double *push = s->rhs + it->eval.nv; /* -mu */
  for (int i = 0; i < it->eval.nlam; i++) most = fmax(most, fabs(push[i]));
  for (int i = 0; i < c->n; i++) {
    const double of = push[c->rows.contact[i].gap];
    if (!equal[i] || held[i] || !(of < -PULLS * most) || !(of < worst)) continue;
    worst = of;
    *pulled = i;
  }
  return solved;
}

ga_status ga_contacts_close_gaps(ga_integrator *it, double t, double *q, const double *v,
                                 bool *equal, const bool *held) {
  ga_contacts *c = &it->contacts;
  const size_t bytes = (size_t)it->eval.nq * sizeof *q;
  ga_status status = GA_OK;
  int pulled = -1;
  bool again = true, some = false, free_ones = false;
  status = ga_contacts_evaluate(it, t, q, v);
  if (status != GA_OK || all_hold(it, equal)) return status;
  memcpy(c->q, q, bytes);
  memset(c->left, 0, (size_t)c->n * sizeof(bool));
  while (again && status == GA_OK) {
    again = false;
    if (some) memcpy(q, c->q, bytes);
    status = set_equal_rows(it, t, q, v, equal);
    if (status == GA_OK) status = ga_project_position(&it->projector, t, q, v, NULL);
    if (status == GA_OK) status = ga_contacts_evaluate(it, t, q, v);
    free_ones = false;
    for (int i = 0; i < c->n && status == GA_OK; i++) {
      free_ones |= equal[i] && !held[i] && !c->left[i];
      if (equal[i] || !(c->g[c->rows.contact[i].gap] < -ga_contacts_eps_gap(it, i))) continue;
      equal[i] = again = some = true;
    }
    if (again || !free_ones || status != GA_OK) continue;
    status = find_pulled(it, t, c->q, q, v, equal, held, &pulled);
    if (status != GA_OK || pulled < 0 || c->left[pulled]) continue;
    c->left[pulled] = again = some = true;
    equal[pulled] = false;
  }
  return status;
}
