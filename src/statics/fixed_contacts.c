/* SPDX-License-Identifier: MIT */
/* Contacts with fixed states (fixed_contacts.h). */
#include "statics/fixed_contacts.h"

#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "model/crowd.h"

/* ---- the model ------------------------------------------------------------------------------ */

/* Row i of A <- 0. A may be NULL; a full matrix needs no ptr. */
static void clear_row(ga_csr *A, int i) {
  if (!A) return;
  const int from = A->ptr ? A->ptr[i] : i * A->ncol, to = A->ptr ? A->ptr[i + 1] : from + A->ncol;
  for (int e = from; e < to; e++) A->val[e] = 0;
}

/* x_i <- 0, if x is wanted. */
static void clear(double *x, int i) {
  if (x) x[i] = 0;
}

/* the whole model, with rows that are off set to zero */
static int evaluate_fixed(void *user, double t, const double *q, const double *v,
                          const ga_evaluation *out) {
  const ga_fixed_contacts *f = user;
  const int code = ga_model_evaluate(f->whole, t, q, v, out);
  for (int i = 0; i < f->n; i++) {
    const ga_contact *c = &f->whole->contacts[i];
    if (f->state[i] == GA_CONTACT_OPEN) {
      clear(out->g, c->gap), clear(out->gt, c->gap), clear(out->drift, c->gap);
      clear_row(out->G, c->gap), clear_row(out->Z, c->gap);
    }
    for (int k = c->slip; f->state[i] != GA_CONTACT_STICK && k < c->slip + c->nslip; k++) {
      clear(out->k, k), clear(out->k_drift, k);
      clear_row(out->H, k), clear_row(out->Y, k);
    }
  }
  return code;
}

ga_status ga_fixed_contacts_open(ga_fixed_contacts *f, const ga_model *given, ga_arena *arena,
                                 ga_error *err) {
  const ga_model *whole = ga_model_complete(given, arena);
  if (!whole) return ga_fail(err, GA_ERR_MEM, "no memory for %d contacts", given->ncontacts);
  *f = (ga_fixed_contacts){.whole = whole, .model = *whole, .n = whole->ncontacts};
  if (f->n == 0) return GA_OK;
  f->state = ga_arena_ints(arena, (size_t)f->n);
  f->ops = (ga_model_ops){.evaluate = evaluate_fixed,
                          .explain = whole->ops->explain,
                          .explain_nonfinite = whole->ops->explain_nonfinite,
                          .gives = ga_model_gives(whole)};
  f->model.ops = &f->ops;
  f->model.user = f;
  f->model.contacts = NULL;
  f->model.ncontacts = 0;
  if (!arena->failed) return GA_OK;
  return ga_fail(err, GA_ERR_MEM, "no memory for %d contacts", f->n);
}

void ga_fixed_contacts_close(ga_fixed_contacts *f, int i) {
  f->state[i] = f->whole->contacts[i].friction > 0 ? GA_CONTACT_STICK : GA_CONTACT_SLIP;
}

ga_status ga_fixed_contacts_gaps(const ga_fixed_contacts *f, double t, const double *q, double *g,
                                 ga_error *err) {
  const double *const v = q; /* not used */
  const int code = ga_model_evaluate(f->whole, t, q, v, &(ga_evaluation){.g = g});
  if (code == 0) return GA_OK;
  return ga_fail(err, code > 0 ? GA_RETRY_MODEL : GA_ERR_MODEL,
                 "the gaps of the contacts cannot be evaluated at t = %.9g", t);
}

ga_status ga_fixed_contacts_reach(ga_fixed_contacts *f, ga_static_system *s, double t,
                                  const double *q, const double *unit, double *reach) {
  /* with all rows on; the states are kept in `reach` meanwhile */
  for (int i = 0; i < f->n; i++) {
    reach[i] = f->state[i];
    f->state[i] = GA_CONTACT_STICK;
  }
  const ga_status status = ga_eval_G(&s->eval, t, q, &s->G);
  for (int i = 0; i < f->n; i++) {
    f->state[i] = (int)reach[i];
    reach[i] = ga_static_system_reach(&s->G, f->whole->contacts[i].gap, unit);
  }
  return status;
}

static const double CLOSED =
    1e-9; /* of its reach: a gap that touches, or one that is not violated */

bool ga_fixed_contacts_touch(ga_fixed_contacts *f, const double *g, const double *reach) {
  bool any = false;
  for (int i = 0; i < f->n; i++) {
    const bool touches = g[f->whole->contacts[i].gap] <= CLOSED * reach[i];
    if (!touches || f->state[i] != GA_CONTACT_OPEN) continue;
    ga_fixed_contacts_close(f, i);
    any = true;
  }
  for (int i = 0; i < f->n && any; i++) {
    if (f->state[i] != GA_CONTACT_OPEN) ga_fixed_contacts_close(f, i);
  }
  return any;
}

bool ga_fixed_contacts_hit(ga_fixed_contacts *f, const double *g, const double *g_try,
                           const double *reach, double *part) {
  int hit = -1;
  *part = 1;
  for (int i = 0; i < f->n; i++) {
    const int row = f->whole->contacts[i].gap;
    if (f->state[i] != GA_CONTACT_OPEN || g_try[row] >= -CLOSED * reach[i]) continue;
    const double from = fmax(g[row], 0), s = from / (from - g_try[row]);
    if (hit < 0 || s < *part) hit = i, *part = s;
  }
  if (hit >= 0) ga_fixed_contacts_close(f, hit);
  return hit >= 0;
}

/* ---- states --------------------------------------------------------------------------------- */

bool ga_fixed_contacts_fit(const ga_fixed_contacts *f, const double *lam, const double *psi,
                           const double *D, double eps) {
  for (int i = 0; i < f->n; i++) {
    const ga_contact *c = &f->whole->contacts[i];
    const double root = sqrt(D[c->gap]), N = -lam[c->gap];
    if (f->state[i] == GA_CONTACT_OPEN) continue;
    if (N * root < -eps) return false;
    double size = 0;
    for (int k = c->slip; k < c->slip + c->nslip; k++) size = hypot(size, psi[k]);
    const double mu = fmax(c->friction, c->static_friction);
    if (f->state[i] == GA_CONTACT_STICK && (size - mu * fmax(N, 0)) * root > eps) return false;
  }
  return true;
}

/* sum_j A_ij x_j; *size: sum_j |A_ij x_j| */
static double row_times(const ga_csr *A, int i, const double *x, double *size) {
  double sum = 0;
  *size = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    sum += A->val[e] * x[A->col[e]];
    *size += fabs(A->val[e] * x[A->col[e]]);
  }
  return sum;
}

static const double TOUCHES =
    1e-6; /* of the size of positions: gaps that count as closed, as at a start */
static const double STILL = 1e-6;   /* of its terms: velocities that count as zero */
static const double PRESSES = 1e-9; /* of the largest force: what counts as none */

/* Closes the contacts that touch at (t, q) and whose gaps do not change. */
static ga_status close_touching(ga_fixed_contacts *f, ga_static_system *s, double t,
                                const double *q, const double *v, double *scratch, double *g) {
  const double length = ga_measure_position(&s->eval, q, scratch);
  double size;
  ga_status status = ga_static_system_set_weights(s, t, q, NULL);
  if (status == GA_OK) status = ga_eval_force(&s->eval, t, q, v, scratch);
  for (int i = 0; i < s->nv && status == GA_OK; i++) {
    const double unit = length / s->eval.root_metric[i];
    f->load = fmax(f->load, fabs(scratch[i]) / (s->W.val[i] * unit));
  }
  if (status == GA_OK) status = ga_fixed_contacts_gaps(f, t, q, g, s->eval.err);
  for (int i = 0; i < f->n; i++) ga_fixed_contacts_close(f, i);
  if (status == GA_OK) status = ga_eval_G(&s->eval, t, q, &s->G);
  if (status == GA_OK) status = ga_eval_H(&s->eval, t, q, v, &s->H);
  for (int i = 0; i < f->n && status == GA_OK; i++) {
    const ga_contact *c = &f->whole->contacts[i];
    const double reach = length * ga_measure_reach(&s->eval, &s->G, c->gap);
    const double rate = fabs(row_times(&s->G, c->gap, v, &size));
    if (g[c->gap] > TOUCHES * reach || rate > STILL * size) f->state[i] = GA_CONTACT_OPEN;
    for (int k = c->slip; k < c->slip + c->nslip && f->state[i] == GA_CONTACT_STICK; k++) {
      const double slip = fabs(row_times(&s->H, k, v, &size));
      if (slip <= STILL * size) continue;
      return ga_fail(s->eval.err, GA_ERR_INITIAL,
                     "contact '%s' slides with %.3g: a state to linearise at has contacts that "
                     "stick, or have no friction",
                     c->name, slip);
    }
  }
  return status;
}

/* Forces that fit at (t, q, v), and their states: *changed. GA_ERR_INITIAL if a contact would slide. */
static ga_status find_forces(ga_fixed_contacts *f, ga_static_system *s, double t, const double *q,
                             const double *v, double *given, double *vd, double *lam, double *psi,
                             bool *changed) {
  ga_eval *e = &s->eval;
  ga_status status = ga_eval_force(e, t, q, v, given);
  if (status == GA_OK) status = ga_eval_g_drift(e, t, q, v, given + s->nv);
  if (status == GA_OK) status = ga_eval_k_drift(e, t, q, v, given + s->nv + s->nlam);
  for (int i = s->nv; i < s->n; i++) given[i] = -given[i];
  const ga_static_system_weights by_mass = {.m = 1, .e = 1e-11};
  if (status == GA_OK) {
    status = ga_fixed_contacts_balance(f, s, &by_mass, given, vd, lam, psi, changed);
  }
  for (int i = 0; i < f->n && status == GA_OK; i++) {
    const ga_contact *c = &f->whole->contacts[i];
    if (f->state[i] != GA_CONTACT_SLIP || !(c->friction > 0)) continue;
    return ga_fail(e->err, GA_ERR_INITIAL,
                   "contact '%s' would slide: its friction %g does not hold it", c->name,
                   c->friction);
  }
  return status;
}

ga_status ga_fixed_contacts_find(ga_fixed_contacts *f, ga_static_system *s, double t,
                                 const double *q, const double *v) {
  if (f->n == 0) return GA_OK;
  ga_arena arena = {0};
  double *vd = ga_arena_doubles(&arena, (size_t)s->nv);
  double *lam = ga_arena_doubles(&arena, (size_t)s->nlam);
  double *psi = ga_arena_doubles(&arena, (size_t)s->npsi + 1);
  double *g = ga_arena_doubles(&arena, (size_t)s->nlam);
  double *given = ga_arena_doubles(&arena, (size_t)s->n);
  ga_status status = arena.failed
                         ? ga_fail(s->eval.err, GA_ERR_MEM, "no memory for %d contacts", f->n)
                         : close_touching(f, s, t, q, v, vd, g);
  for (bool changed = true; status == GA_OK && changed;) {
    double force = 0;
    status = ga_static_system_accelerate(s, t, q, v, vd, lam, psi);
    for (int k = 0; k < s->nlam; k++) force = fmax(force, fabs(lam[k]) * sqrt(s->D.val[k]));
    changed = false;
    if (status != GA_OK || ga_fixed_contacts_fit(f, lam, psi, s->D.val, PRESSES * force)) break;
    status = find_forces(f, s, t, q, v, given, vd, lam, psi, &changed);
  }
  ga_arena_free(&arena);
  return status;
}
