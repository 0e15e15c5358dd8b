/* SPDX-License-Identifier: MIT */
/* Contacts: pieces of steps, tests at their ends, location of changes; what a user can ask for.
 *
 * At the end of a piece, with its states:
 *
 *     open   g < -eps_g/1000 and g' < 0     hit        value g
 *     closed N < -eps_F                     lift       value N
 *     stick  |psi| > mu_s N + eps_F         slide      value mu_s N - |psi|
 *     slip   d_n . k < 0                    stop       value d_n . k
 *
 * The value of each test that fails is located on the dense output; the earliest counts. The piece
 * then ends there. */
#include "run/contact.h"

#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

static const double SAME_TIME = 1e-12; /* of the piece: changes at the same time */
static const double SHORT = 0.1;       /* of h: a piece that leaves no usable memory */
enum { CHANGES = 30 };                 /* of one contact in a nominal step */

void ga_contacts_init(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  const ga_eval *e = &it->eval;
  ga_arena *a = &it->arena;
  const size_t n = (size_t)it->model->ncontacts, rows = (size_t)(e->nlam + e->npsi);
  if (n == 0) return;
  c->n = it->model->ncontacts;
  ga_contact_rows_init(&c->rows, it->model, a);
  c->state = ga_arena_take(a, n, sizeof *c->state);
  c->redundant = ga_arena_take(a, n, sizeof(bool));
  c->axes = ga_arena_ints(a, n);
  c->found = ga_arena_ints(a, n);
  c->count = ga_arena_ints(a, n);
  c->reach = ga_arena_doubles(a, n);
  c->turn = ga_arena_doubles(a, (size_t)e->npsi);
  c->d_begin = ga_arena_doubles(a, (size_t)e->npsi);
  c->g = ga_arena_doubles(a, (size_t)e->nlam);
  c->gv = ga_arena_doubles(a, (size_t)e->nlam);
  c->k = ga_arena_doubles(a, (size_t)e->npsi);
  c->q = ga_arena_doubles(a, (size_t)e->nq);
  c->v = ga_arena_doubles(a, (size_t)e->nv);
  c->vd = ga_arena_doubles(a, (size_t)e->nv);
  c->drift = ga_arena_doubles(a, rows);
  c->mode = ga_arena_take(a, rows, 1);
  c->tried = ga_arena_take(a, n, 1);
  c->un_begin = ga_arena_doubles(a, n);
  c->psi_end = ga_arena_doubles(a, (size_t)e->npsi);
  ga_memory_carve(&c->before, e, a);
  it->eval.contacts = &c->rows;
  it->eval.axes = c->axes;
}

void ga_contacts_free(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  ga_arena *const all[] = {&c->of_change, &c->of_problem, &c->of_cone[0], &c->of_cone[1],
                           &c->of_rows};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) ga_arena_free(all[i]);
}

/* Before a start: all contacts open, nothing known. again: statistics and sizes go on. */
void ga_contacts_reset(ga_integrator *it, bool again) {
  ga_contacts *c = &it->contacts;
  if (c->n == 0) return;
  for (int i = 0; i < c->n; i++) {
    c->state[i].state = GA_CONTACT_OPEN;
    c->reach[i] = c->reach[i] > 0 ? c->reach[i] : 1; /* stays 1 without a metric */
    c->found[i] = GA_CONTACT_NOTHING;
    c->count[i] = 0;
    if (!again) c->state[i] = (ga_contact_state){0};
  }
  c->pending = c->short_piece = false;
  c->t_rest = c->t_nominal = -INFINITY;
  if (!again) {
    c->stats = (ga_contact_stats){0};
    it->state.energy_impacts = it->state.energy_friction = 0;
    c->speed = c->force = c->h_series = 0;
    c->size = it->model->metric ? 0 : 1; /* without a metric lengths are about 1 */
    c->told_reduced = c->told_uncut = false;
  }
  ga_contacts_set_rows(it, NULL);
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
static ga_status read_states(ga_integrator *it) {
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
  return status == GA_OK ? read_states(it) : status;
}

/* Directions of slip that are held in a piece of h: of one row; where slip may end in the piece,
 * |k| <= 1.5 h |k'|. */
void ga_contacts_hold(ga_integrator *it, double h) {
  ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    const ga_contact *of = &c->rows.contact[i];
    c->rows.held[i] = true;
    if (c->state[i].state != GA_CONTACT_SLIP || of->nslip < 2 || !(of->friction > 0)) continue;
    const double *k = c->state[i].slip, speed = hypot(k[0], k[1]);
    const double turn = hypot(c->turn[of->slip], c->turn[of->slip + 1]);
    const bool still = !(speed > ga_contacts_eps_speed(it, i));
    c->rows.held[i] = still || speed <= 1.5 * h * turn;
    for (int a = 0; a < 2 && !still; a++) c->rows.d[of->slip + a] = k[a] / speed;
  }
  if (c->rows.npsi) memcpy(c->d_begin, c->rows.d, (size_t)c->rows.npsi * sizeof(double));
}

/* Work of friction over the piece that ends with the accepted state: power before and after. */
static double friction_power(const ga_contacts *c) {
  double power = 0;
  for (int i = 0; i < c->n; i++) {
    const ga_contact_state *s = &c->state[i];
    if (s->state == GA_CONTACT_SLIP) {
      power += s->friction[0] * s->slip[0] + s->friction[1] * s->slip[1];
    }
  }
  return power;
}

/* The accepted state is the end of the step solved last, whose equations know g, G v + g_t, k and G there:
 * take them into contacts.g, gv, k and reach, with no evaluation. False if it is another state. */
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
  if (status == GA_OK) status = read_states(it);
  c->stats.energy_friction += h / 2 * (before + friction_power(c));
  it->state.energy_friction = c->stats.energy_friction;
  it->state.energy_impacts = c->stats.energy_impacts;
  c->short_piece = !c->pending && h < SHORT * it->h;
  return status;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* Length of the rows k of a contact in x. */
static double length(const ga_contact *of, const double *x) {
  return of->nslip == 0   ? 0
         : of->nslip == 1 ? fabs(x[of->slip])
                          : hypot(x[of->slip], x[of->slip + 1]);
}

/* d_n . k */
static double along(const ga_contacts *c, int i, const double *k) {
  const ga_contact *of = &c->rows.contact[i];
  double sum = 0;
  for (int a = 0; a < of->nslip; a++) sum += c->d_begin[of->slip + a] * k[of->slip + a];
  return sum;
}

/* The test of contact i that fails with these values; GA_CONTACT_NOTHING if none does. */
static int failed_test(const ga_integrator *it, int i, const double *g, const double *gv,
                       const double *k, const double *lam, const double *psi) {
  const ga_contacts *c = &it->contacts;
  const ga_contact *of = &c->rows.contact[i];
  const double N = -lam[of->gap], eps = ga_contacts_eps_force(it, i);
  switch (c->state[i].state) {
    case GA_CONTACT_OPEN:
      return g[of->gap] < -ga_contacts_eps_gap(it, i) / 1000 && gv[of->gap] < 0
                 ? GA_CONTACT_HIT
                 : GA_CONTACT_NOTHING;
    case GA_CONTACT_STICK:
      if (N < -eps) return GA_CONTACT_LIFT;
      return length(of, psi) > fmax(of->static_friction, of->friction) * N + eps
                 ? GA_CONTACT_SLIDE
                 : GA_CONTACT_NOTHING;
    default:
      if (N < -eps) return GA_CONTACT_LIFT;
      return of->friction > 0 && along(c, i, k) < 0 ? GA_CONTACT_STOP : GA_CONTACT_NOTHING;
  }
}

/* The value of a test at a state. */
static double test_value(const ga_contacts *c, int i, int kind, const double *g, const double *k,
                         const double *lam, const double *psi) {
  const ga_contact *of = &c->rows.contact[i];
  switch (kind) {
    case GA_CONTACT_HIT:
      return g[of->gap];
    case GA_CONTACT_LIFT:
      return -lam[of->gap];
    case GA_CONTACT_SLIDE:
      return -fmax(of->static_friction, of->friction) * lam[of->gap] - length(of, psi);
    default:
      return along(c, i, k);
  }
}

/* A test to locate. */
typedef struct {
  ga_integrator *it;
  int contact, kind;
} test;

/* Its value at t inside the piece; overwrites events.at and contacts.g, k. */
static ga_status value_at(void *context, double t, double *value) {
  const test *x = context;
  ga_integrator *it = x->it;
  ga_contacts *c = &it->contacts;
  const ga_dense_output *at = &it->events.at;
  ga_dense_output_state(it, t, at);
  ga_evaluation out = {.g = c->g};
  if (x->kind == GA_CONTACT_STOP) out = (ga_evaluation){.k = c->k};
  const bool asked = x->kind == GA_CONTACT_HIT || x->kind == GA_CONTACT_STOP;
  const ga_status status = asked ? ga_eval_all(&it->eval, t, at->q, at->v, &out) : GA_OK;
  *value = test_value(c, x->contact, x->kind, c->g, c->k, at->lam, at->psi);
  return status;
}

/* Where the cubic with values f0, f1 and slopes d0, d1 (by s) at the ends of [0, 1] has its maximum. */
static double cubic_maximum(double f0, double f1, double d0, double d1) {
  const double b = 3 * (f1 - f0) - 2 * d0 - d1, a = 2 * (f0 - f1) + d0 + d1;
  const double root = b * b - 3 * a * d0;
  if (root < 0) return 0;
  /* 3 a s^2 + 2 b s + d0 = 0 with 6 a s + 2 b <= 0 there */
  const double s = b < 0 ? d0 / (sqrt(root) - b) : (-b - sqrt(root)) / (3 * a);
  return s > 0 && s < 1 ? s : 0;
}

/* *t: where the test x goes through zero in the piece from last.mem to mem, whose end has this value. */
static ga_status locate(ga_integrator *it, test *x, double value, double *t) {
  const ga_contacts *c = &it->contacts;
  const ga_contact_state *s = &c->state[x->contact];
  double lo = it->last.mem.t, hi = it->mem.t, first;
  ga_status status = value_at(x, lo, &first);
  if (x->kind == GA_CONTACT_HIT && status == GA_OK &&
      first <= ga_contacts_eps_gap(it, x->contact)) {
    /* a gap that starts at 0 and leaves: search after its maximum */
    const double h = hi - lo, rate = it->step.eq.gv[c->rows.contact[x->contact].gap];
    lo += h * cubic_maximum(first, value, h * s->rate, h * rate);
    status = value_at(x, lo, &first);
  }
  *t = lo;
  if (status != GA_OK || !(first > 0)) return status;
  return ga_events_locate(value_at, x, ga_same_time(lo, hi), lo, first, hi, value, t);
}

/* The earliest change of the piece: *t, and contacts.found. Tests that fail are marked in found on
 * entry, with their values at the end. */
static ga_status find_earliest(ga_integrator *it, double *t) {
  ga_contacts *c = &it->contacts;
  const ga_equations *eq = &it->step.eq;
  const double h = it->mem.t - it->last.mem.t;
  double *times = c->drift; /* at least as many rows as contacts */
  ga_status status = GA_OK;
  *t = INFINITY;
  for (int i = 0; i < c->n && status == GA_OK; i++) {
    if (c->found[i] == GA_CONTACT_NOTHING) continue;
    test x = {it, i, c->found[i]};
    const double value = test_value(c, i, c->found[i], eq->g, eq->k, it->mem.lam, it->mem.psi);
    status = locate(it, &x, value, &times[i]);
    *t = fmin(*t, times[i]);
  }
  for (int i = 0; i < c->n && status == GA_OK; i++) {
    if (c->found[i] != GA_CONTACT_NOTHING && times[i] > *t + SAME_TIME * h) {
      c->found[i] = GA_CONTACT_NOTHING;
    }
  }
  return status;
}

/* Of redundant contacts N and psi are not unique: do lift and slide count? *same: P4 at the end of the
 * piece over all closed contacts gives the states it had. */
static ga_status check_redundant(ga_integrator *it, bool *same) {
  ga_contacts *c = &it->contacts;
  const ga_memory *mem = &it->mem;
  ga_touching p = {0};
  ga_arena *arena = &c->of_change;
  bool *closed = ga_arena_take(arena, (size_t)c->n, sizeof(bool));
  int *states = ga_arena_ints(arena, (size_t)c->n);
  double *d = ga_arena_doubles(arena, (size_t)c->rows.npsi);
  ga_status status =
      arena->failed ? ga_fail(&it->error, GA_ERR_MEM, "no memory for contacts") : GA_OK;
  *same = true;
  if (status == GA_OK) status = ga_contacts_evaluate(it, mem->t, mem->q, mem->v);
  if (status == GA_OK) {
    for (int i = 0; i < c->n; i++) closed[i] = c->state[i].state != GA_CONTACT_OPEN;
    if (c->rows.npsi) memcpy(d, c->rows.d, (size_t)c->rows.npsi * sizeof(double));
    memcpy(c->v, mem->v, (size_t)it->eval.nv * sizeof(double));
    status = ga_touching_init(it, closed, mem->t, mem->q, c->v, &p);
    if (status == GA_OK) {
      status = ga_contacts_forces(it, &p, mem->t, mem->q, c->v, NULL, NULL, NULL, NULL, states);
    }
    if (c->rows.npsi) memcpy(c->rows.d, d, (size_t)c->rows.npsi * sizeof(double));
    if (status == GA_ERR_CONTACT) status = GA_OK, states[0] = -1;
  }
  for (int i = 0; i < c->n && status == GA_OK; i++) *same &= states[i] == c->state[i].state;
  ga_touching_free(&p);
  ga_arena_rewind(arena);
  return status;
}

/* contacts.found: the tests that fail at the end of the piece; *any. */
ga_status ga_contacts_find_failed(ga_integrator *it, bool *any) {
  ga_contacts *c = &it->contacts;
  const ga_equations *eq = &it->step.eq;
  bool doubtful = false, same = false;
  *any = false;
  for (int i = 0; i < c->n; i++) {
    c->found[i] = failed_test(it, i, eq->g, eq->gv, eq->k, it->mem.lam, it->mem.psi);
    const bool unsure = c->found[i] == GA_CONTACT_LIFT || c->found[i] == GA_CONTACT_SLIDE;
    doubtful |= c->redundant[i] && unsure;
  }
  ga_status status = doubtful ? check_redundant(it, &same) : GA_OK;
  for (int i = 0; i < c->n; i++) {
    const bool unsure = c->found[i] == GA_CONTACT_LIFT || c->found[i] == GA_CONTACT_SLIDE;
    if (doubtful && same && c->redundant[i] && unsure) c->found[i] = GA_CONTACT_NOTHING;
    *any |= c->found[i] != GA_CONTACT_NOTHING;
  }
  return status;
}

/* Say once that a step is not cut any more. */
static void tell_uncut(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    if (c->count[i] != CHANGES) continue;
    c->count[i]++;
    c->stats.uncut++;
    if (c->told_uncut || !it->options.log) continue;
    char text[256];
    c->told_uncut = true;
    snprintf(
        text, sizeof text,
        "contact '%s': %d changes between t = %.9g and %.9g: that step is not cut; a smaller h "
        "would follow them",
        c->rows.contact[i].name, CHANGES, c->t_nominal, it->mem.t);
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
  ga_dense_output_state(it, t, at);
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
  status = find_earliest(it, &t);
  if (status != GA_OK) return status;
  c->t_rest = plan->rest > plan->t1 ? plan->rest : plan->t1;
  if (it->step_size.on) c->t_rest = -INFINITY;
  if (!it->step_size.on) plan->rest = c->t_rest;
  move_back(it, t);
  c->pending = *cut = true;
  c->t_change = it->mem.t;
  return GA_OK;
}

ga_status ga_contacts_pass(ga_integrator *it) {
  const ga_contacts *c = &it->contacts;
  bool hit = false;
  for (int i = 0; i < c->n; i++) hit |= c->found[i] == GA_CONTACT_HIT;
  const ga_status status = hit ? ga_loop_observe(it) : GA_OK;
  return status == GA_OK ? ga_contacts_change(it) : status;
}

ga_status ga_contacts_prepare(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  if (!(it->sequence.t_rest > it->mem.t)) { /* a nominal step begins */
    memset(c->count, 0, (size_t)c->n * sizeof(int));
    c->t_nominal = it->mem.t;
  }
  if (c->pending && c->t_change == it->mem.t) {
    const ga_status status = ga_contacts_change(it);
    if (status != GA_OK) return status;
  }
  c->pending = false;
  bool anew = c->short_piece;
  if (it->model->ops->contact_axis && ga_contacts_turn_axes(it, false)) anew = true;
  c->short_piece = false;
  if (!anew) return GA_OK;
  ga_contacts_hold(it, 0);
  const ga_status status = ga_restart_at_corner(it, it->h);
  return status == GA_OK ? ga_contacts_refresh(it) : status;
}

/* ---- the user ------------------------------------------------------------------------------- */

/* The word for a kind of change. */
const char *ga_contact_kind_name(ga_contact_kind kind) {
  static const char *const names[] = {"hit", "stop", "slide", "lift", "jam"};
  return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

/* Contact i at the accepted state; zeros for a wrong number. */
ga_contact_state ga_integrator_contact(const ga_integrator *it, int i) {
  if (i < 0 || i >= it->contacts.n) return (ga_contact_state){0};
  return it->contacts.state[i];
}

/* Are the forces of contact i not unique? */
bool ga_integrator_contact_redundant(const ga_integrator *it, int i) {
  return i >= 0 && i < it->contacts.n && it->contacts.redundant[i];
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
