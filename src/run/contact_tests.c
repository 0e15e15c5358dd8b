/* SPDX-License-Identifier: MIT */
/* Tests of contacts at the end of a piece, with its states, and where they fail:
 *
 *     open   g < -eps_g/1000 and g' < 0     hit        value g
 *     open   g < -eps_g                     hit        value g
 *     open   g' < 0, then > 0: a dip below  hit        value g
 *     closed N < -eps_F                     lift       value N
 *     stick  |psi| > mu_s N + eps_F         slide      value mu_s N - |psi|
 *     slip   d_n . k < 0                    stop       value d_n . k
 *
 * The value of each test that fails is located on the dense output; the earliest counts. */
#include <math.h>
#include <string.h>

#include "run/integrator.h"

static const double CLOSING = 1e-3; /* of eps_g: a gap below zero that closes further */
static const double BESIDE = 4;     /* times the resolution of times: how exact a hit is */
static const double FAR = 1e4;      /* times that: values far enough from each other for a slope */
static const double SAME_TIME = 1e-12; /* of the piece: changes at the same time */

static const double LEAVES = 1e-6; /* of the piece: a gap that starts at 0 leaves before that */

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

bool ga_contacts_closes(const ga_integrator *it, int i, double gap, double rate) {
  const double below = -gap / ga_contacts_eps_gap(it, i);
  return below > 1 || (below > CLOSING && rate < 0);
}

/* The test of contact i that fails with these values; GA_CONTACT_NOTHING if none does. */
static int failed_test(const ga_integrator *it, int i, const double *g, const double *gv,
                       const double *k, const double *lam, const double *psi) {
  const ga_contacts *c = &it->contacts;
  const ga_contact *of = &c->rows.contact[i];
  const double N = -lam[of->gap], eps = ga_contacts_eps_force(it, i);
  switch (c->state[i].state) {
    case GA_CONTACT_OPEN:
      return ga_contacts_closes(it, i, g[of->gap], gv[of->gap]) ? GA_CONTACT_HIT
                                                                : GA_CONTACT_NOTHING;
    case GA_CONTACT_STICK:
      if (N < -eps) return c->kept[i] ? GA_CONTACT_NOTHING : GA_CONTACT_LIFT;
      return length(of, psi) > fmax(of->static_friction, of->friction) * N + eps
                 ? GA_CONTACT_SLIDE
                 : GA_CONTACT_NOTHING;
    default:
      if (N < -eps && !c->kept[i]) return GA_CONTACT_LIFT;
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
  double t_end; /* it fails there: the end of the piece, or the bottom of a dip */
  bool sharp;   /* a lift: N of the mass KKT system, not of dense output */
} test;

/* Its value at t inside the piece; overwrites events.at and contacts.g, k. */
static ga_status value_at(void *context, double t, double *value) {
  const test *x = context;
  ga_integrator *it = x->it;
  ga_contacts *c = &it->contacts;
  const ga_dense_output *at = &it->events.at;
  ga_contacts_between(it, t, at);
  if (x->sharp) {
    const ga_status status =
        ga_saddle_acceleration(&it->saddle, t, at->q, at->v, c->vd, c->lam, NULL);
    *value = -c->lam[c->rows.contact[x->contact].gap];
    return status;
  }
  ga_evaluation out = {.g = c->g};
  if (x->kind == GA_CONTACT_STOP) out = (ga_evaluation){.k = c->k};
  const bool asked = x->kind == GA_CONTACT_HIT || x->kind == GA_CONTACT_STOP;
  const ga_status status = asked ? ga_eval_all(&it->eval, t, at->q, at->v, &out) : GA_OK;
  if (x->kind == GA_CONTACT_HIT) c->t_gaps = t;
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

/* An open gap that closes and opens again inside the piece: the time where the cubic through both
 * ends has its minimum, if that is below zero. The end of the piece otherwise. */
static double dip_of(const ga_integrator *it, int i) {
  const ga_contacts *c = &it->contacts;
  const ga_contact_state *s = &c->state[i];
  const int row = c->rows.contact[i].gap;
  const double h = it->mem.t - it->last.mem.t, g1 = it->step.eq.g[row], v1 = it->step.eq.gv[row];
  if (s->state != GA_CONTACT_OPEN || !(s->rate < 0) || !(v1 > 0)) return it->mem.t;
  if (!(s->gap > ga_contacts_eps_gap(it, i))) return it->mem.t; /* just released */
  const double at = cubic_maximum(-s->gap, -g1, -h * s->rate, -h * v1);
  const double b = 3 * (g1 - s->gap) - h * (2 * s->rate + v1);
  const double a = 2 * (s->gap - g1) + h * (s->rate + v1);
  const double least = s->gap + at * (h * s->rate + at * (b + at * a));
  return at > 0 && least < -ga_contacts_eps_gap(it, i) ? it->last.mem.t + at * h : it->mem.t;
}

/* Does a gap that starts at 0 leave with at least half of its rate? Vibrations that h does not resolve may
 * hold it (ga_contacts_keep). Overwrites events.at and contacts.g, k. */
static ga_status does_leave(ga_integrator *it, test *x, bool *leaves) {
  const double way = LEAVES * (x->t_end - it->last.mem.t);
  const double rate = it->contacts.state[x->contact].rate;
  double after = 0;
  const ga_status status = value_at(x, it->last.mem.t + way, &after);
  *leaves = rate > 0 && after > way * rate / 2;
  return status;
}

/* The cubic with values f0, f1 and slopes d0, d1 (by s) at the ends of [0, 1], and its slope. */
static double cubic_at(double f0, double f1, double d0, double d1, double s, double *slope) {
  const double b = 3 * (f1 - f0) - 2 * d0 - d1, a = 2 * (f0 - f1) + d0 + d1;
  *slope = d0 + s * (2 * b + s * 3 * a);
  return f0 + s * (d0 + s * (b + s * a));
}

/* Where it is zero, for f0 > 0 > f1: by halving. */
static double cubic_zero(double f0, double f1, double d0, double d1, double *slope) {
  double lo = 0, hi = 1;
  for (int k = 0; k < 60; k++) {
    const double s = (lo + hi) / 2;
    if (cubic_at(f0, f1, d0, d1, s, slope) > 0) {
      lo = s;
    } else {
      hi = s;
    }
  }
  return hi;
}

/* A gap that closes between lo and hi: the cubic through both ends tells the time nearly, and where rotations
 * do not matter exactly; then secants, until the uncertainty of the slope moves the zero by no more than tol.
 * *t: the time, with the bracket and its values; *found = false if that fails. */
static ga_status approach(test *x, double tol, double *lo, double *first, double *hi, double *value,
                          double *t, bool *found) {
  enum { FEW = 5 };
  const ga_integrator *it = x->it;
  const int row = it->contacts.rows.contact[x->contact].gap;
  const double from = *lo, h = *hi - from, d0 = h * it->contacts.state[x->contact].rate;
  double slope, at = from + h * cubic_zero(*first, *value, d0, h * it->step.eq.gv[row], &slope);
  double before = 0, old = 0, unsure = 1;
  slope /= h;
  *found = false;
  for (int k = 0; k < FEW && slope < 0; k++) {
    double f;
    at = fmin(fmax(at, *lo + tol / 2), *hi - tol / 2);
    if (!(at > *lo && at < *hi)) return GA_OK;
    const ga_status status = value_at(x, at, &f);
    if (status != GA_OK) return status;
    if (k > 0 && fabs(at - before) > FAR * tol) { /* nearer, slopes are rounding */
      const double last = slope;
      slope = (f - old) / (at - before);
      unsure = fabs(slope - last) / fmax(fabs(slope), fabs(last));
    }
    if (f > 0) {
      *lo = at, *first = f;
    } else {
      *hi = at, *value = f;
    }
    *t = fmin(fmax(at - f / slope, *lo), *hi);
    *found = fabs(f) * unsure <= -BESIDE * tol * slope || *hi - *lo <= 2 * tol;
    if (*found) return GA_OK;
    before = at, old = f, at -= f / slope;
  }
  return GA_OK;
}

/* *t: where the test x goes through zero in the piece from last.mem on; it has this value at its
 * end. */
static ga_status locate(ga_integrator *it, test *x, double value, double *t) {
  const ga_contacts *c = &it->contacts;
  const ga_contact_state *s = &c->state[x->contact];
  double lo = it->last.mem.t, hi = x->t_end, first = s->gap;
  ga_status status = x->kind == GA_CONTACT_HIT ? GA_OK : value_at(x, lo, &first);
  if (x->kind == GA_CONTACT_HIT && status == GA_OK &&
      first <= ga_contacts_eps_gap(it, x->contact)) {
    /* a gap that starts at 0 and leaves: search after its maximum */
    const double h = hi - lo, rate = it->step.eq.gv[c->rows.contact[x->contact].gap];
    lo += h * cubic_maximum(first, value, h * s->rate, h * rate);
    status = value_at(x, lo, &first);
    bool leaves = true;
    if (status == GA_OK && !(first > 0)) status = does_leave(it, x, &leaves);
    if (!leaves) lo = it->last.mem.t;
  }
  const bool whole = lo == it->last.mem.t && hi == it->mem.t && value < 0;
  const double tol = ga_same_time(lo, hi);
  if (status == GA_OK && x->kind == GA_CONTACT_HIT && first > 0 && whole) {
    bool found;
    status = approach(x, tol, &lo, &first, &hi, &value, t, &found);
    *t = fmin(x->t_end,
              *t + tol / 2); /* a little later: events of the user see that the gap closes */
    if (status == GA_OK && found) return GA_OK;
  }
  *t = lo;
  if (status != GA_OK || !(first > 0)) return status;
  return ga_events_locate(value_at, x, tol, lo, first, hi, value, t);
}

/* Does a contact lift that hit where the piece began though it did not close (ga_contacts_keep)? Where a
 * surface bends at an edge, N jumps from positive to negative, and on dense output it is zero too early:
 * an open gap closes at once there. */
static bool jumps_off(const ga_integrator *it, const test *x) {
  const ga_contacts *c = &it->contacts;
  return x->kind == GA_CONTACT_LIFT && c->looked[x->contact] &&
         c->t_hit[x->contact] == it->last.mem.t;
}

/* N at both ends by the mass KKT system: if it changes its sign, that is where the contact lifts. If not,
 * vibrations that h does not resolve pull, and the contact stays closed to the end of the nominal step. */
static ga_status look_sharply(ga_integrator *it, test *x, double *value) {
  ga_contacts *c = &it->contacts;
  double first = 0;
  x->sharp = true;
  ga_status status = value_at(x, it->last.mem.t, &first);
  if (status == GA_OK) status = value_at(x, it->mem.t, value);
  if (status != GA_OK || (first > 0 && *value < 0)) return status;
  c->kept[x->contact] = c->keeps = true;
  c->t_keeps = it->last.mem.t;
  c->found[x->contact] = GA_CONTACT_NOTHING;
  return GA_OK;
}

/* A gap that closes in the piece, when another contact changes at `earliest`, before or after it: its value there
 * tells. *done: it is open then and counts no more, or closes at the same time, *t. Else it has closed, and
 * x->t_end and *value are those of that time. */
static ga_status compare(ga_integrator *it, test *x, double earliest, double *value, double *t,
                         bool *done) {
  ga_contacts *c = &it->contacts;
  const double same = SAME_TIME * (it->mem.t - it->last.mem.t);
  const int row = c->rows.contact[x->contact].gap;
  double f = c->g[row];
  *done = false;
  if (c->state[x->contact].gap <= ga_contacts_eps_gap(it, x->contact)) return GA_OK;
  const ga_status status = fabs(c->t_gaps - earliest) <= same ? GA_OK : value_at(x, earliest, &f);
  const double small = same * fabs(it->step.eq.gv[row]);
  *done = status == GA_OK && f >= -small;
  if (*done && f <= small) *t = earliest;
  x->t_end = earliest;
  *value = f;
  return status;
}

/* *t: when contact i changes, INFINITY if it does not, or later than others do. */
static ga_status find_one(ga_integrator *it, int i, double earliest, double *t) {
  ga_contacts *c = &it->contacts;
  const ga_equations *eq = &it->step.eq;
  test x = {it, i, c->found[i], dip_of(it, i), false};
  double value = test_value(c, i, c->found[i], eq->g, eq->k, it->mem.lam, it->mem.psi);
  ga_status status = GA_OK;
  bool done = false;
  *t = INFINITY;
  if (jumps_off(it, &x)) {
    status = look_sharply(it, &x, &value);
    if (status == GA_OK && c->kept[i]) return GA_OK;
  }
  if (x.t_end < it->mem.t) {
    status = value_at(&x, x.t_end, &value);
    if (status == GA_OK && !(value < 0)) { /* the cubic was wrong */
      x.t_end = it->mem.t;
      value = eq->g[c->rows.contact[i].gap];
      if (!(value < -ga_contacts_eps_gap(it, i))) return GA_OK;
    }
  } else if (x.kind == GA_CONTACT_HIT && isfinite(earliest)) {
    status = compare(it, &x, earliest, &value, t, &done);
  }
  return status == GA_OK && !done ? locate(it, &x, value, t) : status;
}

/* The earliest change of the piece: *t, and contacts.found. Tests that fail are marked in found on
 * entry, with their values at the end. */
ga_status ga_contacts_find_earliest(ga_integrator *it, double *t) {
  ga_contacts *c = &it->contacts;
  const double h = it->mem.t - it->last.mem.t;
  double *times = c->drift; /* at least as many rows as contacts */
  ga_status status = ga_contacts_bend(it);
  c->t_gaps = -INFINITY;
  *t = INFINITY;
  for (int i = 0; i < c->n && status == GA_OK; i++) {
    if (c->found[i] == GA_CONTACT_NOTHING) continue;
    status = find_one(it, i, *t, &times[i]);
    *t = fmin(*t, times[i]);
  }
  for (int i = 0; i < c->n && status == GA_OK; i++) {
    if (c->found[i] != GA_CONTACT_NOTHING && !(times[i] <= *t + SAME_TIME * h)) {
      c->found[i] = GA_CONTACT_NOTHING;
    }
  }
  return status;
}

/* Of redundant contacts psi is not unique: does slide count? *same: P4 at the end of the piece over all
 * closed contacts gives the states it had. N is that of equal compliances: what it would pull is
 * open. */
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
    if (c->found[i] == GA_CONTACT_NOTHING && dip_of(it, i) < it->mem.t)
      c->found[i] = GA_CONTACT_HIT;
    if (c->found[i] == GA_CONTACT_LIFT && c->redundant[i] && c->needed[i]) {
      c->found[i] = GA_CONTACT_NOTHING;
    }
    doubtful |= c->redundant[i] && c->found[i] == GA_CONTACT_SLIDE;
  }
  ga_status status = doubtful ? check_redundant(it, &same) : GA_OK;
  for (int i = 0; i < c->n; i++) {
    const bool unsure = c->redundant[i] && c->found[i] == GA_CONTACT_SLIDE;
    if (doubtful && same && unsure) c->found[i] = GA_CONTACT_NOTHING;
    *any |= c->found[i] != GA_CONTACT_NOTHING;
  }
  return status;
}
