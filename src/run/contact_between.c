/* SPDX-License-Identifier: MIT */
/* Pieces that are cut at a change of contacts: the state inside them, and contacts that cannot open.
 *
 * Dense output (dense_output.c) writes q and v as chords with corrections, s = (t - t_n)/h:
 *
 *   w(s) = s w1 + s (1 - s) ((1 - s) a - s b),  a = h v_n - w1, b = h T^-1 v_1 - w1
 *   v(s) = v_n + s dv + s (1 - s) ((1 - s) c - s d),  c = h v'_n - dv, d = h v'_1 - dv
 *
 * For a vibration of frequency omega that h does not resolve, a, b are about h v and c, d about
 * (h omega)^2 q/h: at s = 1/2 its energy would be (h omega)^2/64 times that of the ends, and a run that
 * begins there keeps it. Energies of linear vibrations are convex, so that the chord has no more than
 * the larger one of the ends. a to d are O(h^2) for what h resolves. So they pass the filter of the
 * step's own matrix, C = (1 + c (h omega)^2)^-1: this changes the state by O(h^4), with damping by
 * O(h^3), and leaves of an unresolved vibration its chord. What the rows of constraints ask for is not
 * filtered (error_filter.c). */
#include <math.h>

#include "kkt/measure.h"
#include "run/integrator.h"

void ga_contacts_init_bends(ga_integrator *it) {
  for (int i = 0; i < 4; i++) {
    it->contacts.bend[i] = ga_arena_doubles(&it->system, (size_t)it->eval.nv);
  }
}

/* Does a direction of slip turn with the velocity? Its derivative mu lam/|k| in the matrix is as stiff as
 * a vibration that h does not resolve, but none, and the filter would take it for one. */
bool ga_contacts_slip_turns(const ga_integrator *it) {
  const ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    const ga_contact *of = &c->rows.contact[i];
    const bool slips = c->state[i].state == GA_CONTACT_SLIP && of->friction > 0;
    if (slips && of->nslip == 2 && !c->rows.held[i]) return true;
  }
  return false;
}

/* contacts.bend = a, b, c, d, filtered, for the piece from it->last.mem to it->mem, with the matrix
 * of the step solved last. */
ga_status ga_contacts_bend(ga_integrator *it) {
  const ga_memory *from = &it->last.mem, *to = &it->mem;
  const ga_space *space = it->model->space;
  const int nv = it->eval.nv;
  const double h = to->t - from->t;
  double *const *bend = it->contacts.bend, *w = it->dense_work.w;
  ga_space_diff(space, from->q, to->q, w);
  ga_space_bracket(space, w, to->v, it->dense_work.bracket);
  ga_space_bracket(space, w, it->dense_work.bracket, it->dense_work.twice);
  for (int i = 0; i < nv; i++) {
    const double slope = to->v[i] + it->dense_work.bracket[i] / 2 + it->dense_work.twice[i] / 12;
    const double dv = to->v[i] - from->v[i];
    bend[0][i] = h * from->v[i] - w[i];
    bend[1][i] = h * slope - w[i];
    bend[2][i] = h * from->vd[i] - dv;
    bend[3][i] = h * to->vd[i] - dv;
  }
  const double way = ga_measure(&it->eval, w);
  const double change = h * fmax(ga_measure(&it->eval, from->vd), ga_measure(&it->eval, to->vd));
  ga_status status = GA_OK;
  for (int k = 0; k < 4 && status == GA_OK && !ga_contacts_slip_turns(it); k++) {
    status = ga_restart_filter(it, k < 2 ? way : change, bend[k]);
  }
  return status;
}

/* State at t in the piece: q, v as above; v', lam, psi of dense output. */
void ga_contacts_between(const ga_integrator *it, double t, const ga_dense_output *out) {
  const ga_memory *from = &it->last.mem, *to = &it->mem;
  double *const *bend = it->contacts.bend, *w = it->dense_work.w;
  const double s = (t - from->t) / (to->t - from->t);
  ga_dense_output_state(it, t, out);
  if (!(s > 0 && s < 1)) return;
  const double begin = s * (1 - s) * (1 - s), end = -s * s * (1 - s);
  ga_space_diff(it->model->space, from->q, to->q, w);
  for (int i = 0; i < it->eval.nv; i++) {
    w[i] = s * w[i] + begin * bend[0][i] + end * bend[1][i];
    out->v[i] = (1 - s) * from->v[i] + s * to->v[i] + begin * bend[2][i] + end * bend[3][i];
  }
  ga_space_step(it->model->space, from->q, w, out->q);
}

/* ---- contacts that cannot open -------------------------------------------------------------- */

/* The contacts of contacts.found hit at the very beginning of the piece, at t and q. If P4 has opened
 * them and v does not close them, P4 decides once more in a nominal step (contacts.looked). Then vibrations
 * that h does not resolve hold them. P4 has the force of these at one time, the step has its mean. Without them in v the contacts hit
 * in truth, and rest: so does in Moreau's scheme a flight that ends in the step in which it began.
 * They stay closed to the end of the nominal step or the next impact, whatever N. Fixed rows do no work;
 * those that P4 would open slip without friction. contacts.gv is that of v; e: restitutions. */
ga_status ga_contacts_keep(ga_integrator *it, double t, const double *q, double *v, double *e) {
  ga_contacts *c = &it->contacts;
  bool any = false;
  for (int i = 0; i < c->n; i++) {
    const double rate = c->gv[c->rows.contact[i].gap];
    const bool again = c->t_hit[i] == t, leaves = rate >= -ga_contacts_eps_speed(it, i);
    c->tried[i] = c->found[i] == GA_CONTACT_HIT && (again || (leaves && c->looked[i]));
    c->looked[i] |= c->found[i] == GA_CONTACT_HIT && leaves;
    any |= c->tried[i];
  }
  if (!any) return GA_OK;
  ga_status status = ga_restart_filter_velocity(it, v, &any);
  if (status == GA_OK) status = ga_contacts_evaluate(it, t, q, v);
  for (int i = 0; i < c->n && status == GA_OK; i++) {
    if (!c->tried[i]) continue;
    c->kept[i] = c->keeps = true;
    e[i] = 0;
  }
  c->t_keeps = t;
  return status;
}

/* The states that kept contacts have in place of open; ut: slip velocities (2 n). */
void ga_contacts_close_kept(ga_integrator *it, const double *ut, int *states) {
  ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    const ga_contact *of = &c->rows.contact[i];
    if (!c->kept[i] || states[i] != GA_CONTACT_OPEN) continue;
    double slip = 0;
    for (int k = 0; k < of->nslip; k++) {
      slip = hypot(slip, ut[2 * i + k]);
      c->rows.d[of->slip + k] = 0;
    }
    const bool sticks = of->friction > 0 && of->nslip > 0 && slip <= ga_contacts_eps_speed(it, i);
    states[i] = sticks ? GA_CONTACT_STICK : GA_CONTACT_SLIP;
  }
}
