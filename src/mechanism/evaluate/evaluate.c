/* SPDX-License-Identifier: MIT */
/* The mechanism as a model: any subset of what a model is asked for, in one pass over bodies and
 * elements. */
#include <string.h>

#include "mechanism/mechanism.h"

int ga_mechanism_evaluate(const ga_mechanism *m, double t, const double *q, const double *v,
                          const ga_evaluation *out) {
  ga_pass pass;
  ga_pass_begin(&pass, m, t, q, v, out);
  if (out->F) memset(out->F, 0, (size_t)m->nv * sizeof(double));
  if (out->gt) memset(out->gt, 0, (size_t)m->nlam * sizeof(double));
  if (out->M || out->F || pass.tangents) {
    for (int i = 1; i < m->bodies.count; i++) {
      const ga_solid *b = &m->bodies.item[i];
      b->kind->inertia(&pass, b);
    }
  }
  if (!out->F && !pass.tangents && !pass.holonomic && !pass.nonholonomic) return 0;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    const int code = el->type->evaluate(&pass, el);
    if (code != 0) return code;
  }
  return 0;
}

static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  return ga_mechanism_evaluate(user, t, q, v, out);
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
  const ga_evaluation nothing = {0};
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

const ga_model_ops ga_mechanism_ops = {.evaluate = evaluate,
                                       .explain = explain,
                                       .energy = energy,
                                       .gives = GA_GIVES_G | GA_GIVES_H | GA_GIVES_TANGENTS |
                                                GA_GIVES_Z | GA_GIVES_Y | GA_GIVES_GT |
                                                GA_GIVES_DRIFT | GA_GIVES_K_DRIFT};
