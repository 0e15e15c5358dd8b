/* SPDX-License-Identifier: MIT */
/* Contacts: their states, pieces of steps, what a user can ask for. A piece ends where the first of
 * the tests of contact_tests.c fails. */
#include "run/contact.h"

#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

static const double NO_PROGRESS = 1e-9; /* of a piece: what hits there does so at its beginning */
static const double SHORT = 0.1;        /* of h: a piece that leaves no usable memory */

void ga_contacts_init(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  const ga_eval *e = &it->eval;
  ga_arena *a = &it->system;
  const size_t n = (size_t)it->model->ncontacts, rows = (size_t)(e->nlam + e->npsi);
  if (n == 0) return;
  c->n = it->model->ncontacts;
  ga_contact_rows_init(&c->rows, it->model, a);
  c->state = ga_arena_take(a, n, sizeof *c->state);
  c->redundant = ga_arena_take(a, n, sizeof(bool));
  c->needed = ga_arena_take(a, n, sizeof(bool));
  c->t_hit = ga_arena_doubles(a, n);
  c->kept = ga_arena_take(a, n, sizeof(bool));
  c->looked = ga_arena_take(a, n, sizeof(bool));
  c->aimed = ga_arena_take(a, n, sizeof(bool));
  c->axes = it->presence.on ? it->presence.axes : ga_arena_ints(a, n);
  c->found = ga_arena_ints(a, n);
  c->count = ga_arena_ints(a, n);
  c->reach = ga_arena_doubles(a, n);
  c->turn = ga_arena_doubles(a, (size_t)e->npsi);
  c->d_begin = ga_arena_doubles(a, (size_t)e->npsi);
  c->lam = ga_arena_doubles(a, (size_t)e->nlam);
  c->g = ga_arena_doubles(a, (size_t)e->nlam);
  c->gv = ga_arena_doubles(a, (size_t)e->nlam);
  c->k = ga_arena_doubles(a, (size_t)e->npsi);
  c->q = ga_arena_doubles(a, (size_t)e->nq);
  c->v = ga_arena_doubles(a, (size_t)e->nv);
  c->vd = ga_arena_doubles(a, (size_t)e->nv);
  c->drift = ga_arena_doubles(a, rows);
  c->mode = ga_arena_take(a, rows, 1);
  c->told_mode = ga_arena_take(a, rows, 1);
  c->told = c->changing = false;
  c->tried = ga_arena_take(a, n, 1);
  c->un_begin = ga_arena_doubles(a, n);
  c->state_begin = ga_arena_ints(a, n);
  c->left = ga_arena_take(a, n, sizeof(bool));
  c->psi_end = ga_arena_doubles(a, (size_t)e->npsi);
  ga_memory_carve(&c->before, e, a);
  ga_contacts_init_bends(it);
  ga_recall_init(&it->eval, a);
  it->eval.contacts = &c->rows;
  it->eval.axes = c->axes;
}

void ga_contacts_free(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  ga_arena *const all[] = {&c->of_change,  &c->of_problem, &c->of_coupling,
                           &c->of_cone[0], &c->of_cone[1], &c->of_rows};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) ga_arena_free(all[i]);
}

/* Before a start: all contacts open, nothing known. again: statistics and sizes go on. */
void ga_contacts_reset(ga_integrator *it, bool again) {
  ga_contacts *c = &it->contacts;
  if (ga_presence_whole(it)->ncontacts == 0) return;
  for (int i = 0; i < c->n; i++) {
    c->state[i].state = GA_CONTACT_OPEN;
    c->reach[i] = c->reach[i] > 0 ? c->reach[i] : 1; /* stays 1 without a metric */
    c->found[i] = GA_CONTACT_NOTHING;
    c->t_hit[i] = -INFINITY;
    c->count[i] = 0;
    c->needed[i] = c->kept[i] = c->looked[i] = false;
    if (!again) c->state[i] = (ga_contact_state){0};
  }
  c->pending = c->short_piece = c->stuck = c->keeps = c->pieces = false;
  c->t_rest = c->t_nominal = -INFINITY;
  if (!again) {
    c->stats = (ga_contact_stats){0};
    it->state.energy_impacts = it->state.energy_friction = 0;
    c->speed = c->force = c->h_series = 0;
    c->size = it->model->metric ? 0 : 1; /* without a metric lengths are about 1 */
    c->told_reduced = c->told_uncut = false;
    ga_presence_forget(it);
  }
  c->told = false;
  if (c->n > 0) ga_contacts_set_rows(it, NULL);
}

/* ---- states --------------------------------------------------------------------------------- */

/* k' of contacts that slip with two rows: H v' + drift, at the accepted state. */
static ga_status find_turns(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  const ga_memory *mem = &it->mem;
  bool any = false;
  for (int i = 0; i < c->n; i++) {
    any |= c->rows.contact[i].nslip == 2 && c->state[i].state == GA_CONTACT_SLIP &&
           c->rows.contact[i].friction > 0;
  }
  if (!any) return GA_OK;
  const ga_evaluation out = {.H = &it->saddle.H, .k_drift = c->turn};
  const ga_status status = ga_eval_all(&it->eval, mem->t, mem->q, mem->v, &out);
  if (status == GA_OK) ga_csr_mul_add(&it->saddle.H, 1, mem->vd, c->turn);
  return status;
}

/* The states from contacts.g, gv, k and the accepted multipliers; largest sizes; contacts.turn. */
ga_status ga_contacts_read(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  const ga_memory *mem = &it->mem;
  c->size = fmax(c->size, ga_measure_position(&it->eval, mem->q, c->vd));
  for (int i = 0; i < c->n; i++) {
    const ga_contact *of = &c->rows.contact[i];
    ga_contact_state *s = &c->state[i];
    const bool open = s->state == GA_CONTACT_OPEN;
    s->gap = c->g[of->gap];
    s->rate = c->gv[of->gap];
    s->normal = open ? 0 : -mem->lam[of->gap];
    double slip = 0;
    for (int k = 0; k < of->nslip; k++) {
      s->slip[k] = c->k[of->slip + k];
      s->friction[k] = open ? 0 : -mem->psi[of->slip + k];
      slip = hypot(slip, s->slip[k]);
    }
    c->speed = fmax(c->speed, fabs(s->rate) / c->reach[i]);
    if (!open) c->speed = fmax(c->speed, slip / c->reach[i]);
    c->force = fmax(c->force, fabs(s->normal) * c->reach[i]);
  }
  return find_turns(it);
}

ga_status ga_contacts_refresh(ga_integrator *it) {
  const ga_status status = ga_contacts_evaluate(it, it->mem.t, it->mem.q, it->mem.v);
  return status == GA_OK ? ga_contacts_read(it) : status;
}

/* Is contact i kept closed against P4, slipping without friction (ga_contacts_close_kept)? */
static bool slips_freely(const ga_contacts *c, int i) {
  const ga_contact *of = &c->rows.contact[i];
  bool any = false;
  for (int k = 0; k < of->nslip; k++) any |= c->rows.d[of->slip + k] != 0;
  return c->kept[i] && !any;
}

/* Directions of slip that are held in a piece of h: of one row; where slip may end in the piece,
 * |k| <= 1.5 h |k'|; all where steps are not cut: many contacts turn one another, and Newton's iteration
 * found no solution. */
void ga_contacts_hold(ga_integrator *it, double h) {
  ga_contacts *c = &it->contacts;
  const bool hold = c->hold_all || it->options.contact == GA_CONTACT_STEP;
  for (int i = 0; i < c->n; i++) {
    const ga_contact *of = &c->rows.contact[i];
    c->rows.held[i] = true;
    if (c->state[i].state != GA_CONTACT_SLIP || of->nslip < 2 || !(of->friction > 0)) continue;
    if (slips_freely(c, i)) continue;
    const double *k = c->state[i].slip, speed = hypot(k[0], k[1]);
    const double turn = hypot(c->turn[of->slip], c->turn[of->slip + 1]);
    const bool still = !(speed > ga_contacts_eps_speed(it, i));
    c->rows.held[i] = still || hold || speed <= 1.5 * h * turn;
    c->rows.held[i] |= c->aimed[i];
    for (int a = 0; a < 2 && !still && !c->aimed[i]; a++) c->rows.d[of->slip + a] = k[a] / speed;
  }
  for (int i = 0; i < c->n; i++) {
    const ga_contact *of = &c->rows.contact[i];
    for (int a = 0; a < of->nslip && !c->aimed[i]; a++) {
      c->d_begin[of->slip + a] = c->rows.d[of->slip + a];
    }
  }
}

/* The power of friction at the accepted state. Inside a cut piece psi are those of dense output: there it is that of
 * Coulomb's law, -mu N |k|. */
static double friction_power(const ga_contacts *c) {
  double power = 0;
  for (int i = 0; i < c->n; i++) {
    const ga_contact_state *s = &c->state[i];
    if (s->state != GA_CONTACT_SLIP) continue;
    if (c->pending) {
      power -= c->rows.contact[i].friction * fmax(s->normal, 0) * hypot(s->slip[0], s->slip[1]);
    } else {
      power += s->friction[0] * s->slip[0] + s->friction[1] * s->slip[1];
    }
  }
  return power;
}

/* The accepted state is the end of the step solved last, whose equations know g, G v + g_t, k and G
 * there: take them into contacts.g, gv, k and reach, with no evaluation. False if it is another
 * state. */
static bool take_from_step(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  const ga_equations *eq = &it->step.eq;
  const ga_site *end = &eq->site[GA_SITE_NEW];
  const ga_memory *mem = &it->mem;
  if (eq->t1 != mem->t || memcmp(end->q, mem->q, (size_t)eq->nq * sizeof(double)) != 0 ||
      memcmp(end->v, mem->v, (size_t)eq->nv * sizeof(double)) != 0) {
    return false;
  }
  memcpy(c->g, eq->g, (size_t)eq->nlam * sizeof(double));
  memcpy(c->gv, eq->gv, (size_t)eq->nlam * sizeof(double));
  if (eq->npsi) memcpy(c->k, eq->k, (size_t)eq->npsi * sizeof(double));
  ga_contacts_measure_reach(it, &end->G);
  return true;
}

ga_status ga_contacts_accept(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  const double h = it->last.valid ? it->mem.t - it->last.mem.t : 0, before = friction_power(c);
  ga_status status = GA_OK;
  if (!take_from_step(it)) status = ga_contacts_evaluate(it, it->mem.t, it->mem.q, it->mem.v);
  if (status == GA_OK) status = ga_contacts_read(it);
  c->stats.energy_friction += h / 2 * (before + friction_power(c));
  it->state.energy_friction = c->stats.energy_friction;
  it->state.energy_impacts = c->stats.energy_impacts;
  c->short_piece = !c->pending && h < SHORT * it->h;
  return status;
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* Say once that a step is not cut any more. */
static void tell_uncut(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    if (c->count[i] != GA_CONTACT_CHANGES) continue;
    c->count[i]++;
    c->stats.uncut++;
    if (c->told_uncut || !it->options.log) continue;
    char text[256];
    c->told_uncut = true;
    snprintf(
        text, sizeof text,
        "contact '%s': %d changes between t = %.9g and %.9g: that step is not cut; a smaller h "
        "would follow them",
        c->rows.contact[i].name, GA_CONTACT_CHANGES, c->t_nominal, it->mem.t);
    it->options.log(it->options.log_context, GA_LOG_WARNING, text);
  }
}

/* it->mem becomes the state of the dense output at t, inside the last step; t at its beginning: the
 * step is taken back. */
static void move_back(ga_integrator *it, double t) {
  const ga_dense_output *at = &it->events.at;
  const ga_eval *e = &it->eval;
  ga_memory *mem = &it->mem;
  if (t - it->last.mem.t <= ga_same_time(t, mem->t)) {
    ga_memory_copy(mem, &it->last.mem, e);
    it->last.valid = false;
    return;
  }
  ga_contacts_between(it, t, at);
  memcpy(mem->q, at->q, (size_t)e->nq * sizeof(double));
  memcpy(mem->v, at->v, (size_t)e->nv * sizeof(double));
  memcpy(mem->vd, at->vd, (size_t)e->nv * sizeof(double));
  if (e->nlam) memcpy(mem->lam, at->lam, (size_t)e->nlam * sizeof(double));
  if (e->npsi) memcpy(mem->psi, at->psi, (size_t)e->npsi * sizeof(double));
  mem->t = t;
}

ga_status ga_contacts_examine(ga_integrator *it, ga_plan *plan, bool *cut) {
  ga_contacts *c = &it->contacts;
  bool any;
  double t;
  *cut = false;
  if (ga_contacts_uncut(it)) {
    tell_uncut(it);
    return ga_contacts_finish(it, cut);
  }
  ga_status status = ga_contacts_find_failed(it, &any);
  if (status != GA_OK || !any) return status;
  status = ga_contacts_find_earliest(it, &t);
  if (status != GA_OK || !isfinite(t)) return status;
  c->t_rest = plan->rest > plan->t1 ? plan->rest : plan->t1;
  if (it->step_size.on) c->t_rest = -INFINITY;
  if (!it->step_size.on) plan->rest = c->t_rest;
  c->stuck = t - it->last.mem.t <= NO_PROGRESS * (it->mem.t - it->last.mem.t);
  if (c->stuck) t = it->last.mem.t;
  move_back(it, t);
  c->pending = *cut = true;
  c->t_change = it->mem.t;
  return GA_OK;
}

ga_status ga_contacts_pass(ga_integrator *it) {
  const ga_contacts *c = &it->contacts;
  bool hit = false;
  for (int i = 0; i < c->n; i++) hit |= c->found[i] == GA_CONTACT_HIT;
  /* a step that is not cut penetrates until P2: its end before that is no state of the motion */
  const ga_status status = hit && !ga_contacts_uncut(it) ? ga_loop_observe(it) : GA_OK;
  return status == GA_OK ? ga_contacts_change(it) : status;
}

ga_status ga_contacts_prepare(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  const double since = it->mem.t - c->t_nominal;
  if (it->step_size.on ? !(since < it->h) : !(it->sequence.t_rest > it->mem.t)) {
    memset(c->count, 0, (size_t)c->n * sizeof(int)); /* a nominal step begins */
    memset(c->looked, 0, (size_t)c->n * sizeof(bool));
    c->t_nominal = it->mem.t;
    if (c->keeps && it->mem.t > c->t_keeps) {
      const ga_status status = ga_contacts_settle(it);
      if (status != GA_OK) return status;
    }
  }
  if (c->pending && c->t_change == it->mem.t) {
    const ga_status status = ga_contacts_change(it);
    if (status != GA_OK) return status;
  }
  c->pending = false;
  bool anew = c->short_piece;
  if (it->model->ops->contact_axis && ga_contacts_turn_axes(it, false)) anew = true;
  c->short_piece = false;
  /* a step of the usual size after pieces: */
  const bool longer = !it->step_size.on && !(it->sequence.t_rest > it->mem.t) && c->pieces;
  c->pieces = it->sequence.t_rest > it->mem.t;
  if (!anew) return longer ? ga_restart_resize(it, it->h) : GA_OK;
  ga_contacts_hold(it, 0);
  ga_status status = ga_restart_at_corner(it, it->h);
  if (status == GA_OK) status = ga_contacts_refresh(it);
  if (status == GA_OK) ga_contacts_hold(it, it->h);
  return status == GA_OK ? ga_restart_damp(it, it->h) : status;
}

/* ---- the user ------------------------------------------------------------------------------- */

/* The word for a kind of change. */
const char *ga_contact_kind_name(ga_contact_kind kind) {
  static const char *const names[] = {"hit", "stop", "slide", "lift", "jam"};
  return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

/* Contact i at the accepted state; zeros for a wrong number. */
ga_contact_state ga_integrator_contact(const ga_integrator *it, int i) {
  if (i < 0 || i >= ga_presence_whole(it)->ncontacts) return (ga_contact_state){0};
  const int place = ga_presence_place(it, i);
  return place < 0 ? ga_presence_absent(it, i) : it->contacts.state[place];
}

/* Are the forces of contact i not unique? */
bool ga_integrator_contact_redundant(const ga_integrator *it, int i) {
  if (i < 0 || i >= ga_presence_whole(it)->ncontacts) return false;
  const int place = ga_presence_place(it, i);
  return place >= 0 && it->contacts.redundant[place];
}

/* Counters and energies since the last start. */
ga_contact_stats ga_integrator_contact_stats(const ga_integrator *it) {
  return it->contacts.stats;
}

/* Who is told of changes; NULL: nobody. */
void ga_integrator_observe_contacts(ga_integrator *it, ga_contact_observer observer,
                                    void *context) {
  it->contacts.observer = observer;
  it->contacts.observer_context = context;
}
