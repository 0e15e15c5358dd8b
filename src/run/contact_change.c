/* SPDX-License-Identifier: MIT */
/* A change of contacts at the accepted time.
 *
 *     P2  least motion in the M-norm onto the rows that are on, the contact that was located, and g >= 0
 *     P3  impulses, if something hits (contact_impact.c); its rule of rest
 *     P4  forces, new states (contact_forces.c)
 *     then the memory of the method as at any jump of the accelerations (restart.c)
 *
 * Rest. b: accelerations of the gaps in the states before the change. A contact rests, its e counts as
 * 0, if b < 0 and its next flight would be shorter than rest_time: e |u_c| <= |b| rest_time/2, u_c its
 * velocity when it closes. If all that touch and approach rest, those that would close within rest_time
 * and rest join: P2 brings them to g = 0. So infinite series of bounces end. What joins must be slow by
 * itself, |u_c| <= 2 |b| rest_time, whatever e: g <= u_c^2/(2 |b|) <= 2 |b| rest_time^2 is then all
 * that P2 moves. With e = 0 any speed would rest, and P2 would move by u_c rest_time. */
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

static const double STOPPED = 1e3;     /* times eps_v: a slip velocity that is zero at a stop */
static const double JOINS = 0.25;      /* least e in e |u_c| <= |b| rest_time/2 of one that joins */
static const double SHORTEST = 1e-6;   /* of h: a piece that has a memory of its own */
static const double PENETRATES = 1e-8; /* of accelerations: that of a gap which closes */

/* Work of one change. */
typedef struct {
  double t, *q, *v;
  bool *equal;    /* n: gaps that P2 brings to 0, */
  bool *held;     /* whatever their multipliers */
  bool *touching; /* n: contacts of P3 and P4 */
  bool *slide, *without, *jam;
  bool hit, impact;
  int *states, *old;     /* n */
  int *states_before;    /* n: work */
  double *e, *un;        /* n: restitutions; rates before */
  double *ut, *ut_after; /* 2 n: slip velocities before, after */
  double *un_after;
  double *impulse;       /* 3 n */
  double *accelerations; /* n: b of the rule of rest */
  unsigned char *mode;   /* rows before the change, */
  double *split, *d;     /* and their values */
  double energy, factor;
  ga_arena *arena;
  ga_touching problem;
} change;

static ga_status open_change(ga_integrator *it, change *x) {
  ga_contacts *c = &it->contacts;
  const ga_contact_rows *rows = &c->rows;
  const size_t n = (size_t)c->n, all = (size_t)(rows->nlam + rows->npsi);
  ga_arena *a = &c->of_change;
  *x = (change){.t = it->mem.t, .factor = 1, .arena = a};
  bool **const marks[] = {&x->equal, &x->held, &x->touching, &x->slide, &x->without, &x->jam};
  for (int i = 0; i < 6; i++) *marks[i] = ga_arena_take(a, n, sizeof(bool));
  x->states = ga_arena_ints(a, n);
  x->old = ga_arena_ints(a, n);
  x->states_before = ga_arena_ints(a, n);
  double **const numbers[] = {&x->e, &x->un, &x->un_after, &x->accelerations};
  for (int i = 0; i < 4; i++) *numbers[i] = ga_arena_doubles(a, n);
  x->ut = ga_arena_doubles(a, 2 * n);
  x->ut_after = ga_arena_doubles(a, 2 * n);
  x->impulse = ga_arena_doubles(a, 3 * n);
  x->q = ga_arena_doubles(a, (size_t)it->eval.nq);
  x->v = ga_arena_doubles(a, (size_t)it->eval.nv);
  x->mode = ga_arena_take(a, all, 1);
  x->split = ga_arena_doubles(a, (size_t)ga_csr_nnz(&rows->split));
  x->d = ga_arena_doubles(a, (size_t)rows->npsi);
  if (a->failed) {
    ga_arena_rewind(a);
    return ga_fail(&it->error, GA_ERR_MEM, "no memory for a change of %d contacts", c->n);
  }
  memcpy(x->q, it->mem.q, (size_t)it->eval.nq * sizeof(double));
  memcpy(x->v, it->mem.v, (size_t)it->eval.nv * sizeof(double));
  memcpy(x->mode, rows->mode, all);
  memcpy(x->split, rows->split.val, (size_t)ga_csr_nnz(&rows->split) * sizeof(double));
  if (rows->npsi) memcpy(x->d, rows->d, (size_t)rows->npsi * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    x->old[i] = c->state[i].state;
    x->e[i] = rows->contact[i].restitution;
  }
  return GA_OK;
}

static void close_change(change *x) {
  ga_touching_free(&x->problem);
  ga_arena_rewind(x->arena);
}

/* The states and rows before the change. */
static void put_back(ga_integrator *it, const change *x) {
  ga_contacts *c = &it->contacts;
  ga_contact_rows *rows = &c->rows;
  for (int i = 0; i < c->n; i++) c->state[i].state = x->old[i];
  memcpy(rows->mode, x->mode, (size_t)(rows->nlam + rows->npsi));
  memcpy(rows->split.val, x->split, (size_t)ga_csr_nnz(&rows->split) * sizeof(double));
  if (rows->npsi) memcpy(rows->d, x->d, (size_t)rows->npsi * sizeof(double));
  ga_contacts_tell_step(it);
}

/* P2: x->q, with gaps `equal` closed and no other below 0. Where steps are not cut, what has hit in the
 * step need not be closed. */
static ga_status project_position(ga_integrator *it, change *x) {
  const bool uncut = ga_contacts_uncut(it) && !it->contacts.starting;
  for (int i = 0; i < it->contacts.n; i++) {
    x->held[i] = x->equal[i] && !(uncut && x->old[i] == GA_CONTACT_OPEN);
  }
  const bool before = it->projector.near_enough;
  it->projector.near_enough |=
      uncut; /* the nearest point differs by the square of what it penetrates, O(h^4) */
  const ga_status status = ga_contacts_close_gaps(it, x->t, x->q, x->v, x->equal, x->held);
  it->projector.near_enough = before;
  put_back(it, x);
  return status;
}

/* Is some row on? */
static bool some_row_is_on(const ga_integrator *it) {
  const ga_contact_rows *rows = &it->contacts.rows;
  for (int i = 0; i < rows->nlam + rows->npsi; i++) {
    if (rows->mode[i] == GA_ROW_IS_ON) return true;
  }
  return false;
}

/* Is the slip velocity of contact i zero, as far as a stop is concerned? */
static bool stopped(const ga_integrator *it, int i) {
  const ga_contacts *c = &it->contacts;
  const ga_contact *of = &c->rows.contact[i];
  double speed = 0;
  for (int k = 0; k < of->nslip; k++) speed = hypot(speed, c->k[of->slip + k]);
  return speed <= STOPPED * ga_contacts_eps_speed(it, i);
}

/* Does contact i slip, with two rows, slower and slower: k . k' < 0? */
static bool slows_down(const ga_integrator *it, int i) {
  const ga_contacts *c = &it->contacts;
  const ga_contact *of = &c->rows.contact[i];
  if (c->state[i].state != GA_CONTACT_SLIP || of->nslip < 2 || !(of->friction > 0)) return false;
  return c->k[of->slip] * c->turn[of->slip] + c->k[of->slip + 1] * c->turn[of->slip + 1] < 0;
}

/* Is contact i kept closed though v opens it? */
static bool leaves(const ga_integrator *it, int i) {
  const ga_contacts *c = &it->contacts;
  return c->kept[i] && c->state[i].state == GA_CONTACT_OPEN &&
         c->gv[c->rows.contact[i].gap] > ga_contacts_eps_speed(it, i);
}

/* Rows of velocities: those that were on before the change, and the slip velocities of contacts that
 * stop, with those that come to rest at the same time: the corners of a box that slides and spins. */
static ga_status set_velocity_rows(ga_integrator *it, change *x) {
  ga_contacts *c = &it->contacts;
  ga_touching p = {0};
  bool any = false;
  for (int i = 0; i < c->n; i++) {
    x->touching[i] = c->state[i].state != GA_CONTACT_OPEN;
    any |= c->found[i] == GA_CONTACT_STOP && stopped(it, i);
    if (!leaves(it, i)) continue;
    x->touching[i] = any = true;
    c->state[i].state = GA_CONTACT_SLIP;
  }
  if (!any) return GA_OK;
  for (int i = 0; i < c->n; i++) {
    const bool stops = c->found[i] == GA_CONTACT_STOP || slows_down(it, i);
    if (stops && stopped(it, i)) c->state[i].state = GA_CONTACT_STICK;
  }
  ga_status status = ga_touching_init(it, x->touching, x->t, x->q, x->v, &p);
  if (status == GA_OK) status = ga_contacts_set_rows(it, &p);
  ga_touching_free(&p);
  return status;
}

/* x->v onto these rows. */
static ga_status project_velocity(ga_integrator *it, change *x) {
  ga_status status = set_velocity_rows(it, x);
  const bool moves = some_row_is_on(it);
  if (status == GA_OK && moves) {
    /* NULL, true: onto G v + g_t = 0 and k = 0 */
    status = ga_project_velocity(&it->projector, x->t, x->q, x->v, NULL, true, NULL);
  }
  put_back(it, x);
  return status == GA_OK && moves ? ga_contacts_evaluate(it, x->t, x->q, x->v) : status;
}

/* x->accelerations of all gaps in the states before the change. */
static ga_status find_accelerations(ga_integrator *it, change *x) {
  ga_contacts *c = &it->contacts;
  ga_saddle *s = &it->saddle;
  ga_status status = ga_saddle_acceleration(s, x->t, x->q, x->v, c->vd, NULL, NULL);
  if (status == GA_OK) status = ga_eval_g_drift(&it->eval, x->t, x->q, x->v, c->drift);
  for (int i = 0; i < c->n && status == GA_OK; i++) {
    const int row = c->rows.contact[i].gap;
    double sum = c->drift[row];
    for (int e = s->G.ptr[row]; e < s->G.ptr[row + 1]; e++) sum += s->G.val[e] * c->vd[s->G.col[e]];
    x->accelerations[i] = sum;
  }
  return status;
}

/* rest_time in use. */
static double rest_time(const ga_integrator *it) {
  if (it->options.rest_time > 0) return it->options.rest_time;
  return it->step_size.on && it->contacts.h_series > 0 ? it->contacts.h_series : it->h;
}

/* Would the next flight of contact i, with this restitution, be shorter than rest_time? */
static bool rests(const ga_integrator *it, const change *x, int i, double restitution) {
  const ga_contacts *c = &it->contacts;
  const ga_contact *of = &c->rows.contact[i];
  const double b = x->accelerations[i], g = fmax(c->g[of->gap], 0), u = c->gv[of->gap];
  const double closing = sqrt(fmax(u * u - 2 * b * g, 0));
  return b < 0 && restitution * closing <= -b * rest_time(it) / 2;
}

/* The rule of rest: x->e, and contacts that join. *joined: P2 is needed once more. */
static ga_status apply_rest(ga_integrator *it, change *x, bool *joined) {
  ga_contacts *c = &it->contacts;
  bool all = true, any = false;
  *joined = false;
  const ga_status status = find_accelerations(it, x);
  if (status != GA_OK) return status;
  for (int i = 0; i < c->n; i++) {
    const int row = c->rows.contact[i].gap;
    const bool approaches = x->touching[i] && c->gv[row] < -ga_contacts_eps_speed(it, i);
    if (!approaches) continue;
    any = true;
    if (rests(it, x, i, c->rows.contact[i].restitution)) {
      x->e[i] = 0;
    } else {
      all = false;
    }
  }
  const double T = rest_time(it);
  for (int i = 0; i < c->n && any && all; i++) {
    const int row = c->rows.contact[i].gap;
    const double at_end = c->g[row] + c->gv[row] * T + x->accelerations[i] * T * T / 2;
    const double e = fmax(c->rows.contact[i].restitution, JOINS);
    if (x->touching[i] || !rests(it, x, i, e) || !(at_end <= 0)) continue;
    x->equal[i] = *joined = true;
    x->e[i] = 0;
  }
  return GA_OK;
}

/* Contacts with g <= eps_g, but those that lift. */
static void find_touching(const ga_integrator *it, change *x) {
  const ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    x->touching[i] = x->equal[i] || c->g[c->rows.contact[i].gap] <= ga_contacts_eps_gap(it, i);
  }
}

/* P2, then rest, for something that hits. */
static ga_status prepare_hit(ga_integrator *it, change *x) {
  bool joined = false;
  find_touching(it, x);
  ga_status status = apply_rest(it, x, &joined);
  if (status != GA_OK || !joined) return status;
  status = project_position(it, x);
  find_touching(it, x);
  return status;
}

/* Rates and slip velocities now, into un (n) and ut (2 n). */
static void note_velocities(const ga_integrator *it, double *un, double *ut) {
  const ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    const ga_contact *of = &c->rows.contact[i];
    un[i] = c->gv[of->gap];
    for (int k = 0; k < of->nslip; k++) ut[2 * i + k] = c->k[of->slip + k];
  }
}

/* P3 and P4 at x->q, x->v. */
static ga_status solve_change(ga_integrator *it, change *x, const double *un_begin) {
  ga_contacts *c = &it->contacts;
  ga_status status = ga_touching_init(it, x->touching, x->t, x->q, x->v, &x->problem);
  if (status != GA_OK) return status;
  const double before = ga_contacts_kinetic(it, x->v);
  note_velocities(it, x->un, x->ut);
  if (x->hit) {
    status =
        ga_contacts_impact(it, &x->problem, x->t, x->v, un_begin, x->e, &x->factor, &x->impact);
  }
  if (status == GA_OK && x->impact) status = ga_contacts_evaluate(it, x->t, x->q, x->v);
  for (int i = 0; i < x->problem.n && x->impact && status == GA_OK; i++) {
    const int contact = x->problem.contact[i];
    for (int k = 0; k <= x->problem.nt[i]; k++) {
      x->impulse[3 * contact + k] = x->problem.r[x->problem.at[i] + k];
    }
    c->state[contact].impulse += x->problem.r[x->problem.at[i]];
  }
  if (status == GA_OK) {
    status = ga_contacts_forces(it, &x->problem, x->t, x->q, x->v, x->slide, x->without, x->jam,
                                x->impulse, x->states);
  }
  if (status != GA_OK) return status;
  x->energy = before - ga_contacts_kinetic(it, x->v);
  for (int i = 0; i < c->n && x->impact; i++)
    c->kept[i] &= c->t_hit[i] == x->t; /* P4 decides anew */
  note_velocities(it, x->un_after, x->ut_after);
  ga_contacts_close_kept(it, x->ut_after, x->states);
  return GA_OK;
}

/* Accept x->q, v and the new states; build the memory. On failure everything is as in
 * contacts.before. */
static ga_status accept_change(ga_integrator *it, change *x) {
  ga_contacts *c = &it->contacts;
  ga_memory *mem = &it->mem;
  for (int i = 0; i < c->n; i++) {
    c->state[i].state = x->states[i];
    memcpy(c->state[i].slip, x->ut_after + 2 * i, 2 * sizeof(double)); /* for ga_contacts_hold */
  }
  c->changing = false;
  ga_status status = ga_contacts_set_rows(it, &x->problem);
  memcpy(mem->q, x->q, (size_t)it->eval.nq * sizeof(double));
  memcpy(mem->v, x->v, (size_t)it->eval.nv * sizeof(double));
  ga_contacts_hold(it, 0);
  if (status == GA_OK && c->starting && it->step_size.on) status = ga_contacts_first_size(it);
  double h = c->t_rest - mem->t;
  if (!(h > SHORTEST * it->h) || it->step_size.on) h = it->h;
  if (status == GA_OK) status = ga_restart_at_corner(it, h);
  if (status == GA_OK) status = ga_contacts_read(it); /* contacts.g, gv, k are of x->q, v */
  if (status == GA_OK) ga_contacts_hold(it, h);
  if (status == GA_OK) status = ga_restart_damp(it, h);
  if (status == GA_OK) return GA_OK;
  ga_memory_copy(mem, &c->before, &it->eval);
  put_back(it, x);
  return status;
}

/* The redundant contact that equal compliances would let pull most, -1: none. */
static int most_pulled(const ga_integrator *it) {
  const ga_contacts *c = &it->contacts;
  int worst = -1;
  double least = 0;
  for (int i = 0; i < c->n; i++) {
    const double N = c->state[i].normal / ga_contacts_eps_force(it, i);
    if (!c->redundant[i] || c->needed[i] || !(N < -1) || !(N < least)) continue;
    least = N;
    worst = i;
  }
  return worst;
}

/* The acceleration of the gap of contact i with the forces of P4, relative to that without forces. */
static double gap_acceleration(const ga_touching *p, int i) {
  double largest = 0, sum = 0;
  for (int k = 0; k < p->m; k++) largest = fmax(largest, fabs(p->b[k]));
  for (int k = 0; k < p->n; k++) {
    if (p->contact[k] != i) continue;
    sum = p->b[p->at[k]] + ga_touching_gain(p, p->at[k]);
  }
  return largest > 0 ? sum / largest : 0;
}

/* P4 says which contacts can be closed, with some forces. Those that would pull with the forces of
 * equal compliances (N of redundant contacts) open, one after the other: such supports push only.
 * Unless the others do not hold then (contacts.needed): friction has made them unequal. */
static ga_status open_pulled(ga_integrator *it, change *x) {
  ga_contacts *c = &it->contacts;
  ga_status status = GA_OK;
  for (int i = most_pulled(it); i >= 0 && status == GA_OK; i = most_pulled(it)) {
    const ga_error told = it->error;
    if (c->rows.npsi) memcpy(x->d, c->rows.d, (size_t)c->rows.npsi * sizeof(double));
    memcpy(x->states_before, x->states, (size_t)c->n * sizeof(int));
    x->without[i] = true;
    ga_touching_free(&x->problem); /* its factors are gone */
    status = ga_touching_init(it, x->touching, x->t, x->q, x->v, &x->problem);
    if (status == GA_OK) {
      status = ga_contacts_forces(it, &x->problem, x->t, x->q, x->v, x->slide, x->without, NULL,
                                  x->impulse, x->states);
    }
    const bool holds = status == GA_OK && gap_acceleration(&x->problem, i) > -PENETRATES;
    if (status < 0 && status != GA_ERR_CONTACT) return status;
    if (!holds) {
      it->error = told;
      x->without[i] = false;
      c->needed[i] = true;
      if (c->rows.npsi) memcpy(c->rows.d, x->d, (size_t)c->rows.npsi * sizeof(double));
      memcpy(x->states, x->states_before, (size_t)c->n * sizeof(int));
    }
    status = holds ? accept_change(it, x) : GA_OK;
  }
  return status;
}

/* Tell the observer of all contacts that took part. */
static void tell_changes(ga_integrator *it, const change *x) {
  ga_contacts *c = &it->contacts;
  double energy = x->energy;
  /* in a step that is not cut, states have changed before its end */
  const int *old = ga_contacts_uncut(it) && !c->starting ? c->state_begin : x->old;
  for (int i = 0; i < c->n; i++) {
    const double *r = x->impulse + 3 * i;
    const bool pushed = r[0] != 0 || r[1] != 0 || r[2] != 0;
    const int after = c->state[i].state;
    if (!pushed && old[i] == after && c->found[i] == GA_CONTACT_NOTHING) continue;
    if (!pushed && c->starting) continue; /* it begins closed */
    c->stats.changes++;
    int kind = c->found[i];
    if (x->jam[i]) kind = GA_CONTACT_JAM;
    if (kind == GA_CONTACT_NOTHING) {
      kind = pushed || old[i] == GA_CONTACT_OPEN ? GA_CONTACT_HIT
             : after == GA_CONTACT_OPEN          ? GA_CONTACT_LIFT
             : after == GA_CONTACT_STICK         ? GA_CONTACT_STOP
                                                 : GA_CONTACT_SLIDE;
    }
    const ga_contact_change told = {.kind = (ga_contact_kind)kind,
                                    .contact = ga_presence_number(it, i),
                                    .t = x->t,
                                    .before = old[i],
                                    .after = after,
                                    .un_before = x->un[i],
                                    .un_after = x->un_after[i],
                                    .ut_before = {x->ut[2 * i], x->ut[2 * i + 1]},
                                    .ut_after = {x->ut_after[2 * i], x->ut_after[2 * i + 1]},
                                    .impulse_n = r[0],
                                    .impulse_t1 = r[1],
                                    .impulse_t2 = r[2],
                                    .energy = energy,
                                    .restitution = x->factor * x->e[i]};
    energy = 0;
    if (c->observer) c->observer(c->observer_context, &told);
  }
}

/* The whole change, for contacts.found. */
static ga_status make_change(ga_integrator *it, change *x) {
  ga_contacts *c = &it->contacts;
  for (int i = 0; i < c->n; i++) {
    const ga_contact *of = &c->rows.contact[i];
    x->equal[i] = x->old[i] != GA_CONTACT_OPEN || c->found[i] == GA_CONTACT_HIT;
    x->hit |= c->found[i] == GA_CONTACT_HIT;
    c->needed[i] = false;
    x->without[i] = c->found[i] == GA_CONTACT_LIFT && !c->redundant[i]; /* see open_pulled */
    x->slide[i] = c->found[i] == GA_CONTACT_SLIDE;
    if (!x->slide[i]) continue;
    /* if it stays on the edge, it slides against the friction it had */
    double size = 0;
    for (int k = 0; k < of->nslip; k++) size = hypot(size, it->mem.psi[of->slip + k]);
    for (int k = 0; k < of->nslip && size > 0; k++) {
      c->rows.d[of->slip + k] = x->d[of->slip + k] = it->mem.psi[of->slip + k] / size;
    }
  }
  ga_contacts_choose_axes(it, x->t, x->q, false);
  ga_status status = GA_OK;
  if (c->stuck && x->hit) {
    status = ga_contacts_evaluate(it, x->t, x->q, x->v);
    if (status == GA_OK) status = ga_contacts_keep(it, x->t, x->q, x->v, x->e);
  }
  c->stuck = false;
  for (int i = 0; i < c->n; i++) {
    if (c->found[i] == GA_CONTACT_HIT) c->t_hit[i] = x->t;
  }
  if (status == GA_OK) status = project_position(it, x);
  if (status == GA_OK) status = project_velocity(it, x);
  find_touching(it, x);
  const bool uncut = ga_contacts_uncut(it) && !c->starting;
  if (status == GA_OK && x->hit && !uncut) status = prepare_hit(it, x);
  if (status == GA_OK) status = solve_change(it, x, uncut ? c->un_begin : NULL);
  if (status != GA_OK) return status;
  ga_memory_copy(&c->before, &it->mem, &it->eval);
  status = accept_change(it, x);
  return status == GA_OK ? open_pulled(it, x) : status;
}

ga_status ga_contacts_change(ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  change x;
  c->pending = false;
  ga_status status = open_change(it, &x);
  if (status != GA_OK) return status;
  ga_recall_set(&it->eval, true); /* few states, many fields */
  c->changing = true;
  status = make_change(it, &x);
  if (c->changing) { /* without success */
    c->changing = false;
    ga_contacts_tell_step(it);
  }
  ga_recall_set(&it->eval, false);
  if (status == GA_OK) {
    for (int i = 0; i < c->n; i++) c->count[i] += c->found[i] != GA_CONTACT_NOTHING;
    if (x.impact) c->stats.energy_impacts += x.energy;
    it->state.energy_impacts = c->stats.energy_impacts;
    tell_changes(it, &x);
    for (int i = 0; i < c->n; i++) c->state_begin[i] = c->state[i].state;
  }
  close_change(&x);
  return status;
}
