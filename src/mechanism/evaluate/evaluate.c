/* SPDX-License-Identifier: MIT */
/* The mechanism as a ga_model: computes any subset of the terms of the equations of motion in one
 * pass over bodies and elements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/contact/contact.h"
#include "mechanism/evaluate/time_corners.h"
#include "mechanism/tree/tree.h"

/* Compute all members of *out that are not NULL at (t, q, v); v may be NULL if only M, g, G, gt are
 * wanted. Vectors are written whole (F and gt are cleared here). Matrices must come zeroed from the
 * caller (ga_adapter_zero, or a new ga_csr): M, G, H, Z, Y are written, Kt and Ct added to.
 *
 * Returns 0, or the code of the first element that failed (ga_element_code; > 0: a smaller step may
 * help, < 0: failed). Then out is filled in part (bodies, elements before it): not to be used. */
int ga_mechanism_evaluate(const ga_mechanism *m, double t, const double *q, const double *v,
                          const ga_evaluation *out) {
  ga_pass pass;
  int code = 0;
  if (!ga_pass_begin(&pass, m, t, q, v, out)) return GA_PASS_MEMORY;
  if (out->F) memset(out->F, 0, (size_t)m->nv * sizeof(double));
  if (out->gt) memset(out->gt, 0, (size_t)m->nlam * sizeof(double));
  if (out->R) memset(out->R, 0, (size_t)m->nv * sizeof(double));
  m->carrier->inertia(&pass);
  /* M alone: only elements with mass add to it */
  const bool all = ((out->M || out->Mx) && m->spread) || out->F || pass.tangents ||
                   pass.holonomic || pass.nonholonomic;
  const ga_evaluation vectors = {.g = out->g,
                                 .gt = out->gt,
                                 .drift = out->drift,
                                 .k = out->k,
                                 .k_drift = out->k_drift,
                                 .u = out->u};
  for (int i = 0; all && i < m->elements.count && code == 0; i++) {
    const ga_element *el = &m->elements.item[i];
    if (i >= m->nfree && out->present && !out->present[i - m->nfree]) continue;
    if (i >= m->nlaid && pass.out == out) { /* these rows have no entries in matrices */
      if (!(out->g || out->k || out->drift || out->k_drift)) break;
      pass.out = &vectors, pass.tangents = false;
    }
    code = el->type->evaluate(&pass, el);
  }
  pass.out = out;
  if (code == 0) m->carrier->finish(&pass);
  ga_pass_end(&pass);
  return code;
}

/* ga_model_ops.evaluate; user is the mechanism. Fills *out; returns 0 or the code of an element. */
static int model_evaluate(void *user, double t, const double *q, const double *v,
                          const ga_evaluation *out) {
  return ga_mechanism_evaluate(user, t, q, v, out);
}

/* *kin += (m |x'|^2 + Omega.J Omega)/2, *pot -= m gravity.x, for one body with frame f. Omega: the
 * angular velocity in body axes; x: the centre of mass, so the potential is 0 at the origin. */
static void body_energy(const ga_mechanism *m, const ga_solid *b, const ga_frame *f, double *kin,
                        double *pot) {
  double Omega[3], JOmega[3];
  ga_times_t3(f->R, f->w, Omega);
  ga_times3(b->J, Omega, JOmega);
  *kin += 0.5 * (b->mass * ga_dot3(f->xd, f->xd) + ga_dot3(Omega, JOmega));
  *pot -= b->mass * ga_dot3(m->gravity, f->x);
}

/* ga_model_ops.energy: *kin, *pot <- kinetic and potential energy in J of all bodies and elements;
 * forces without a potential count 0. user is the mechanism, v is not NULL. Returns 0, or < 0 without
 * memory. */
static int model_energy(void *user, double t, const double *q, const double *v, double *kin,
                        double *pot) {
  const ga_mechanism *m = user;
  const ga_evaluation nothing = {0};
  ga_pass pass;
  *kin = *pot = NAN;
  if (!ga_pass_begin(&pass, m, t, q, v, &nothing)) return GA_PASS_MEMORY;
  *kin = *pot = 0;
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    ga_frame f;
    if (b->kind->spread) continue;
    ga_pass_frame(&pass, i, &f);
    body_energy(m, b, &f, kin, pot);
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    if (angle->M_at >= 0) *kin += 0.5 * angle->inertia * v[angle->v_at] * v[angle->v_at];
  }
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    double p[3] = {0}, L[3] = {0}; /* not wanted */
    if (el->type->energy) *pot += el->type->energy(&pass, el);
    if (el->type->motion) el->type->motion(&pass, el, kin, p, L);
  }
  ga_pass_end(&pass);
  return 0;
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Find a value of the call's function that is not finite: returns 0 for f itself, 1 or 2 for that
 * derivative by variable number *along; *bad <- the value. -1: all that the element uses are
 * finite, or the function itself failed; *along and *bad mean nothing then. */
static int find_nonfinite(const ga_call *c, int *along, double *bad) {
  const int own = ga_call_own(c), all = ga_call_variables(c);
  for (*along = 0; *along < all; (*along)++) {
    const bool time = *along < own && c->variables[*along].time;
    const int order = time ? c->time_derivatives : 1; /* highest derivative the element uses */
    double jet[3] = {0, 0, 0};                        /* f, f', f'' along this variable */
    if (ga_law_jet(c->law, c->value, *along, jet) != 0) return -1;
    for (int k = 0; k <= order; k++) {
      *bad = jet[k];
      if (!isfinite(jet[k])) return k;
    }
  }
  return -1;
}

/* Write into text (room bytes; cut off if it is longer) which function (derivative 0), or which
 * derivative (1, 2) by variable `along`, has the value `bad`, infinite or NaN, and at which values
 * of its variables. */
static void describe_call(const ga_element *el, const ga_call *c, int derivative, int along,
                          double bad, char *text, size_t room) {
  static const char *const order[] = {"", "first", "second"};
  const char *word = isnan(bad) ? "not a number" : "infinite";
  int used = derivative == 0
                 ? snprintf(text, room, "%s '%.80s': its %s is %s at ", el->type->what, el->name,
                            c->field, word)
                 : snprintf(text, room, "%s '%.80s': the %s derivative of its %s by %s is %s at ",
                            el->type->what, el->name, order[derivative], c->field,
                            ga_call_variable(c, along), word);
  for (int i = 0; i < ga_call_variables(c) && used >= 0 && (size_t)used < room; i++) {
    used += snprintf(text + used, room - (size_t)used, "%s%s = %.6g", i ? ", " : "",
                     ga_call_variable(c, i), c->value[i]);
  }
}

/* Write into text (room bytes) a sentence about the first function of an element that is infinite
 * or NaN at (t, q, v), or has such a derivative; "" if there is none. Returns text. */
const char *ga_mechanism_explain_nonfinite(const ga_mechanism *m, double t, const double *q,
                                           const double *v, const double *u, char *text,
                                           size_t room) {
  const ga_evaluation nothing = {.u = u};
  ga_pass pass;
  if (room > 0) text[0] = '\0';
  if (!ga_pass_begin(&pass, m, t, q, v, &nothing)) return text;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    ga_call call;
    for (int k = 0; el->type->function && el->type->function(&pass, el, k, &call); k++) {
      int along;
      double bad;
      /* skip functions whose arguments are not finite already */
      if (ga_pass_fill_call(&pass, &call) != 0) continue;
      if (!ga_finite(ga_call_variables(&call), call.value)) continue;
      const int derivative = find_nonfinite(&call, &along, &bad);
      if (derivative < 0) continue;
      describe_call(el, &call, derivative, along, bad, text, room);
      ga_pass_end(&pass);
      return text;
    }
  }
  ga_pass_end(&pass);
  return text;
}

/* ga_model_ops.explain_nonfinite: as above; user is the mechanism. */
static const char *model_explain_nonfinite(void *user, double t, const double *q, const double *v,
                                           const double *u, char *text, size_t room) {
  return ga_mechanism_explain_nonfinite(user, t, q, v, u, text, room);
}

/* ga_model_ops.explain: text <- which element returned `code`, and why. Returns text. */
static const char *model_explain(void *user, int code, char *text, size_t room) {
  return ga_mechanism_explain(user, code, text, room);
}

/* ga_model_ops.next_sample and sample: states that are sampled */
static double model_next_sample(void *user, double t) {
  return ga_mechanism_next_sample(user, t);
}
static int model_sample(void *user, double t, const double *q, const double *v, bool first,
                        double *u) {
  return ga_mechanism_sample(user, t, q, v, first, u);
}

/* The callbacks of a mechanism's model, whose user pointer is the mechanism. With a reaction of its
 * own if the rate of a drive or a state is a function of signals: such a row reacts on its own
 * coordinate only, not along its gradient. */
#define OPS(more, own_solver)                                                                      \
  {                                                                                                \
    .evaluate = model_evaluate, .explain = model_explain,                                          \
    .explain_nonfinite = model_explain_nonfinite, .energy = model_energy,                          \
    .next_sample = model_next_sample, .sample = model_sample,                                      \
    .next_corner = ga_mechanism_next_corner, .surprise = ga_mechanism_surprise,                    \
    .crowd = &ga_mechanism_crowd,                                                                  \
    .gives = GA_GIVES_G | GA_GIVES_H | GA_GIVES_TANGENTS | GA_GIVES_Z | GA_GIVES_Y | GA_GIVES_GT | \
             GA_GIVES_DRIFT | GA_GIVES_K_DRIFT | (more),                                           \
    .solver = own_solver                                                                           \
  }
enum { REACTS = GA_GIVES_R | GA_GIVES_DR };
const ga_model_ops ga_mechanism_ops = OPS(0, NULL), ga_mechanism_ops_reacting = OPS(REACTS, NULL),
                   ga_mechanism_ops_tree = OPS(GA_GIVES_MX, NULL),
                   ga_mechanism_ops_tree_reacting = OPS(GA_GIVES_MX | REACTS, NULL),
                   ga_mechanism_ops_tree_solving = OPS(GA_GIVES_MX, &ga_tree_solver);
static const ga_model_ops ops_tree_solving_if_asked = OPS(GA_GIVES_MX, &ga_tree_solver_if_asked);

/* with beams whose mass varies with their rotations: M x is cheaper than M */
static const ga_model_ops ops_spread = OPS(GA_GIVES_MX, NULL),
                          ops_spread_reacting = OPS(GA_GIVES_MX | REACTS, NULL);

/* Those of a mechanism; reacts: a row reacts on its own coordinate only. */
const ga_model_ops *ga_mechanism_ops_of(const ga_mechanism *m, bool reacts) {
  if (!m->tree && !m->model.const_mass) {
    return reacts ? &ops_spread_reacting : &ops_spread;
  }
  if (!m->tree) return reacts ? &ga_mechanism_ops_reacting : &ga_mechanism_ops;
  if (reacts) return &ga_mechanism_ops_tree_reacting;
  if (!m->tree->solves) return &ga_mechanism_ops_tree;
  return m->tree->pays ? &ga_mechanism_ops_tree_solving : &ops_tree_solving_if_asked;
}

/* Write into text (room bytes) which element returned this code from an evaluation, and why; "" for
 * an unknown code. |code| is 1 + the number of the element (ga_element_code). Returns text. */
const char *ga_mechanism_explain(const ga_mechanism *m, int code, char *text, size_t room) {
  const int i = abs(code) - 1;
  if (room > 0) text[0] = '\0';
  if (code == GA_PASS_MEMORY) snprintf(text, room, "no memory for an evaluation");
  if (i < 0 || i >= m->elements.count) return text;
  const ga_element *el = &m->elements.item[i];
  snprintf(text, room, "%s '%s': %s", el->type->what, el->name,
           code < 0            ? "its function failed"
           : el->type->trouble ? el->type->trouble
                               : "it cannot be evaluated here");
  return text;
}
