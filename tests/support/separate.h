/* SPDX-License-Identifier: MIT */
/* Callbacks of their own for a model, whatever it is written as: tests replace single ones. */
#ifndef GA_TESTS_SEPARATE_H
#define GA_TESTS_SEPARATE_H

#include "genalpha/ga_model.h"

/* the model behind the callbacks below, which leave their own user aside */
static ga_model separate_of;

#define SEPARATE(name, parameters, v, ...)                                                \
  static inline int separate_##name parameters {                                          \
    (void)user;                                                                           \
    return ga_model_evaluate(&separate_of, t, q, v, &(const ga_evaluation){__VA_ARGS__}); \
  }
SEPARATE(mass, (void *user, double t, const double *q, ga_csr *M), NULL, .M = M)
SEPARATE(force, (void *user, double t, const double *q, const double *v, double *F), v, .F = F)
SEPARATE(holonomic, (void *user, double t, const double *q, double *g), NULL, .g = g)
SEPARATE(nonholonomic, (void *user, double t, const double *q, const double *v, double *k), v,
         .k = k)
SEPARATE(holonomic_jac, (void *user, double t, const double *q, ga_csr *G), NULL, .G = G)
SEPARATE(holonomic_t, (void *user, double t, const double *q, double *gt), NULL, .gt = gt)
SEPARATE(holonomic_curv, (void *user, double t, const double *q, const double *v, ga_csr *Z), v,
         .Z = Z)
SEPARATE(holonomic_drift, (void *user, double t, const double *q, const double *v, double *drift),
         v, .drift = drift)
SEPARATE(nonholonomic_jac, (void *user, double t, const double *q, const double *v, ga_csr *H), v,
         .H = H)
SEPARATE(nonholonomic_dq, (void *user, double t, const double *q, const double *v, ga_csr *Y), v,
         .Y = Y)
SEPARATE(nonholonomic_drift,
         (void *user, double t, const double *q, const double *v, double *drift), v,
         .k_drift = drift)
SEPARATE(force_tangents,
         (void *user, double t, const double *q, const double *v, const double *x,
          const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct),
         v, .x = x, .lam = lam, .psi = psi, .Kt = Kt, .Ct = Ct)
SEPARATE(reaction,
         (void *user, double t, const double *q, const double *v, const double *lam,
          const double *psi, double *R),
         v, .lam = lam, .psi = psi, .R = R)
SEPARATE(reaction_dmult,
         (void *user, double t, const double *q, const double *v, const double *lam,
          const double *psi, ga_csr *L, ga_csr *P),
         v, .lam = lam, .psi = psi, .L = L, .P = P)
#undef SEPARATE

/* What the model gives, one callback for each field. The model is copied. */
static inline ga_model_ops separate_ops(const ga_model *model) {
  unsigned gives = ga_model_gives(model);
  ga_model_ops ops = {.mass = separate_mass,
                      .force = separate_force,
                      .explain = model->ops->explain,
                      .energy = model->ops->energy};
  separate_of = *model;
  if (model->nlam > 0) ops.holonomic = separate_holonomic;
  if (model->npsi > 0) ops.nonholonomic = separate_nonholonomic;
  if (gives & GA_GIVES_G) ops.holonomic_jac = separate_holonomic_jac;
  if (gives & GA_GIVES_GT) ops.holonomic_t = separate_holonomic_t;
  if (gives & GA_GIVES_Z) ops.holonomic_curv = separate_holonomic_curv;
  if (gives & GA_GIVES_DRIFT) ops.holonomic_drift = separate_holonomic_drift;
  if (gives & GA_GIVES_H) ops.nonholonomic_jac = separate_nonholonomic_jac;
  if (gives & GA_GIVES_Y) ops.nonholonomic_dq = separate_nonholonomic_dq;
  if (gives & GA_GIVES_K_DRIFT) ops.nonholonomic_drift = separate_nonholonomic_drift;
  if (gives & GA_GIVES_TANGENTS) ops.force_tangents = separate_force_tangents;
  if (gives & GA_GIVES_R) ops.reaction = separate_reaction;
  if (gives & GA_GIVES_DR) ops.reaction_dmult = separate_reaction_dmult;
  return ops;
}

#endif
