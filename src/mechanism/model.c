/* SPDX-License-Identifier: MIT */
/* The mechanism as a model: any subset of what a model is asked for, in one pass over bodies and
 * elements, and the callbacks of ga_model.h over that. */
#include <string.h>

#include "mechanism/mechanism.h"

int ga_mechanism_evaluate(const ga_mechanism *m, double t, const double *q, const double *v,
                          const ga_wanted *out) {
  ga_pass pass;
  ga_pass_begin(&pass, m, t, q, v, out);
  if (out->e.F) memset(out->e.F, 0, (size_t)m->nv * sizeof(double));
  if (out->gt) memset(out->gt, 0, (size_t)m->nlam * sizeof(double));
  if (out->e.M || out->e.F || pass.tangents) {
    for (int i = 1; i < m->bodies.count; i++) {
      const ga_solid *b = &m->bodies.item[i];
      b->kind->inertia(&pass, b);
    }
  }
  if (!out->e.F && !pass.tangents && !pass.holonomic && !pass.nonholonomic) return 0;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    const int code = el->type->evaluate(&pass, el);
    if (code != 0) return code;
  }
  return 0;
}

static int mass(void *user, double t, const double *q, ga_csr *M) {
  return ga_mechanism_evaluate(user, t, q, NULL, &(ga_wanted){.e.M = M});
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  return ga_mechanism_evaluate(user, t, q, v, &(ga_wanted){.e.F = F});
}

static int holonomic(void *user, double t, const double *q, double *g) {
  return ga_mechanism_evaluate(user, t, q, NULL, &(ga_wanted){.e.g = g});
}

static int nonholonomic(void *user, double t, const double *q, const double *v, double *k) {
  return ga_mechanism_evaluate(user, t, q, v, &(ga_wanted){.e.k = k});
}

static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  return ga_mechanism_evaluate(user, t, q, NULL, &(ga_wanted){.e.G = G});
}

static int holonomic_t(void *user, double t, const double *q, double *gt) {
  return ga_mechanism_evaluate(user, t, q, NULL, &(ga_wanted){.gt = gt});
}

static int holonomic_curv(void *user, double t, const double *q, const double *v, ga_csr *Z) {
  return ga_mechanism_evaluate(user, t, q, v, &(ga_wanted){.e.Z = Z});
}

static int holonomic_drift(void *user, double t, const double *q, const double *v, double *drift) {
  return ga_mechanism_evaluate(user, t, q, v, &(ga_wanted){.drift = drift});
}

static int nonholonomic_jac(void *user, double t, const double *q, const double *v, ga_csr *H) {
  return ga_mechanism_evaluate(user, t, q, v, &(ga_wanted){.e.H = H});
}

static int nonholonomic_dq(void *user, double t, const double *q, const double *v, ga_csr *Y) {
  return ga_mechanism_evaluate(user, t, q, v, &(ga_wanted){.e.Y = Y});
}

static int nonholonomic_drift(void *user, double t, const double *q, const double *v,
                              double *drift) {
  return ga_mechanism_evaluate(user, t, q, v, &(ga_wanted){.k_drift = drift});
}

static int force_tangents(void *user, double t, const double *q, const double *v, const double *x,
                          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  return ga_mechanism_evaluate(
      user, t, q, v, &(ga_wanted){.e = {.x = x, .lam = lam, .psi = psi, .Kt = Kt, .Ct = Ct}});
}

static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  return ga_mechanism_evaluate(user, t, q, v, &(ga_wanted){.e = *out});
}

/* x of a centre of mass and its velocity, in the order of the kinds' own numbers */
static void body_energy(const ga_mechanism *m, const ga_solid *b, const ga_frame *f, double *kin,
                        double *pot) {
  double Omega[3], JOmega[3];
  ga_times_t3(f->R, f->w, Omega);
  ga_times3(b->J, Omega, JOmega);
  *kin += 0.5 * (b->mass * ga_dot3(f->xd, f->xd) + ga_dot3(Omega, JOmega));
  *pot -= b->mass * ga_dot3(m->gravity, f->x);
}

static int energy(void *user, double t, const double *q, const double *v, double *kin,
                  double *pot) {
  const ga_mechanism *m = user;
  const ga_wanted nothing = {0};
  ga_pass pass;
  ga_pass_begin(&pass, m, t, q, v, &nothing);
  *kin = *pot = 0;
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    ga_frame f;
    b->kind->frame(q + b->q_at, v + b->v_at, &f);
    body_energy(m, b, &f, kin, pot);
  }
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    if (el->type->potential) *pot += el->type->potential(&pass, el);
  }
  return 0;
}

static const char *explain(void *user, int code, char *text, size_t room) {
  return ga_mechanism_explain(user, code, text, room);
}

const ga_model_ops ga_mechanism_ops = {.mass = mass,
                                       .force = force,
                                       .holonomic = holonomic,
                                       .nonholonomic = nonholonomic,
                                       .holonomic_jac = holonomic_jac,
                                       .holonomic_t = holonomic_t,
                                       .holonomic_curv = holonomic_curv,
                                       .holonomic_drift = holonomic_drift,
                                       .nonholonomic_jac = nonholonomic_jac,
                                       .nonholonomic_dq = nonholonomic_dq,
                                       .nonholonomic_drift = nonholonomic_drift,
                                       .force_tangents = force_tangents,
                                       .evaluate = evaluate,
                                       .explain = explain,
                                       .energy = energy};
