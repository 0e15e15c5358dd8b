/* SPDX-License-Identifier: MIT */
/* Any subset of an evaluation, from evaluate or from single callbacks. */
#include "model/adapter.h"

#include <math.h>
#include <stddef.h>

#include "base/csr.h"

#define FIELD(bit, member, callback, kind) \
  { bit, #member, callback, offsetof(ga_evaluation, member), kind }

const ga_model_field ga_model_field_list[GA_MODEL_FIELDS] = {
    FIELD(GA_GIVES_F, F, "force", GA_MODEL_FIELD_OF_NV),
    FIELD(GA_GIVES_g, g, "holonomic", GA_MODEL_FIELD_OF_NLAM),
    FIELD(GA_GIVES_k, k, "nonholonomic", GA_MODEL_FIELD_OF_NPSI),
    FIELD(GA_GIVES_GT, gt, "holonomic_t", GA_MODEL_FIELD_OF_NLAM),
    FIELD(GA_GIVES_DRIFT, drift, "holonomic_drift", GA_MODEL_FIELD_OF_NLAM),
    FIELD(GA_GIVES_K_DRIFT, k_drift, "nonholonomic_drift", GA_MODEL_FIELD_OF_NPSI),
    FIELD(GA_GIVES_R, R, "reaction", GA_MODEL_FIELD_OF_NV),
    FIELD(GA_GIVES_MX, Mx, "evaluate", GA_MODEL_FIELD_OF_NV),
    FIELD(GA_GIVES_M, M, "mass", GA_MODEL_FIELD_MATRIX),
    FIELD(GA_GIVES_G, G, "holonomic_jac", GA_MODEL_FIELD_MATRIX),
    FIELD(GA_GIVES_H, H, "nonholonomic_jac", GA_MODEL_FIELD_MATRIX),
    FIELD(GA_GIVES_TANGENTS, Kt, "force_tangents", GA_MODEL_FIELD_MATRIX),
    FIELD(GA_GIVES_TANGENTS, Ct, "force_tangents", GA_MODEL_FIELD_MATRIX),
    FIELD(GA_GIVES_Z, Z, "holonomic_curv", GA_MODEL_FIELD_MATRIX),
    FIELD(GA_GIVES_Y, Y, "nonholonomic_dq", GA_MODEL_FIELD_MATRIX),
    FIELD(GA_GIVES_DR, L, "reaction_dmult", GA_MODEL_FIELD_MATRIX),
    FIELD(GA_GIVES_DR, P, "reaction_dmult", GA_MODEL_FIELD_MATRIX),
};

/* If one of these fields has a callback, evaluate must be able to give it too, and is asked for
 * it. */
enum {
  ALSO_BY_EVALUATE = GA_GIVES_G | GA_GIVES_H | GA_GIVES_TANGENTS | GA_GIVES_Z | GA_GIVES_Y,
};

/* One bit for each callback that is not NULL. */
unsigned ga_adapter_callback_fields(const ga_model_ops *o) {
  return (o->mass ? GA_GIVES_M : 0u) | (o->force ? GA_GIVES_F : 0u) |
         (o->holonomic ? GA_GIVES_g : 0u) | (o->nonholonomic ? GA_GIVES_k : 0u) |
         (o->holonomic_jac ? GA_GIVES_G : 0u) | (o->nonholonomic_jac ? GA_GIVES_H : 0u) |
         (o->force_tangents ? GA_GIVES_TANGENTS : 0u) | (o->holonomic_curv ? GA_GIVES_Z : 0u) |
         (o->nonholonomic_dq ? GA_GIVES_Y : 0u) | (o->holonomic_t ? GA_GIVES_GT : 0u) |
         (o->holonomic_drift ? GA_GIVES_DRIFT : 0u) |
         (o->nonholonomic_drift ? GA_GIVES_K_DRIFT : 0u) | (o->reaction ? GA_GIVES_R : 0u) |
         (o->reaction_dmult ? GA_GIVES_DR : 0u);
}

/* All fields that evaluate gives; 0 without evaluate. */
unsigned ga_adapter_pass_fields(const ga_model_ops *o) {
  if (!o->evaluate) return 0;
  return GA_GIVES_ESSENTIALS | o->gives | (ga_adapter_callback_fields(o) & ALSO_BY_EVALUATE);
}

/* Public: the fields beyond M, F, g and k that the model gives. */
unsigned ga_model_gives(const ga_model *model) {
  unsigned all = ga_adapter_pass_fields(model->ops) | ga_adapter_callback_fields(model->ops);
  return all & ~(unsigned)GA_GIVES_ESSENTIALS;
}

/* Set the fields in this mask to NULL in ask. */
void ga_adapter_remove(ga_evaluation *ask, unsigned fields) {
  if (fields & GA_GIVES_M) ask->M = NULL;
  if (fields & GA_GIVES_F) ask->F = NULL;
  if (fields & GA_GIVES_g) ask->g = NULL;
  if (fields & GA_GIVES_k) ask->k = NULL;
  if (fields & GA_GIVES_G) ask->G = NULL;
  if (fields & GA_GIVES_H) ask->H = NULL;
  if (fields & GA_GIVES_TANGENTS) ask->Kt = ask->Ct = NULL;
  if (fields & GA_GIVES_Z) ask->Z = NULL;
  if (fields & GA_GIVES_Y) ask->Y = NULL;
  if (fields & GA_GIVES_GT) ask->gt = NULL;
  if (fields & GA_GIVES_DRIFT) ask->drift = NULL;
  if (fields & GA_GIVES_K_DRIFT) ask->k_drift = NULL;
  if (fields & GA_GIVES_R) ask->R = NULL;
  if (fields & GA_GIVES_MX) ask->Mx = NULL;
  if (fields & GA_GIVES_DR) ask->L = ask->P = NULL;
}

/* Copy the rows of const_M into M; its empty rows stay as they are. The columns of a row are those
 * of M (ga_model_validate). */
void ga_adapter_put_constant_mass(const ga_model *model, ga_csr *M) {
  const ga_csr *C = model->const_M;
  for (int i = 0; C && i < C->nrow; i++) {
    double *row = M->val + (M->ptr ? M->ptr[i] : i * M->ncol);
    for (int e = C->ptr[i]; e < C->ptr[i + 1]; e++) *row++ = C->val[e];
  }
}

/* const_M has as many entries as M: every row is given. */
bool ga_adapter_mass_given(const ga_model *model) {
  if (!model->const_M) return false;
  const int nv = ga_space_nv(model->space);
  return ga_csr_nnz(model->const_M) == (model->pat_M ? ga_csr_nnz(model->pat_M) : nv * nv);
}

/* Models add to matrices: set the wanted ones to zero; constant rows of M get their values. */
void ga_adapter_zero(const ga_model *model, const ga_evaluation *ask) {
  if (ask->M) ga_csr_zero(ask->M), ga_adapter_put_constant_mass(model, ask->M);
  if (ask->G) ga_csr_zero(ask->G);
  if (ask->H) ga_csr_zero(ask->H);
  if (ask->Kt) ga_csr_zero(ask->Kt);
  if (ask->Ct) ga_csr_zero(ask->Ct);
  if (ask->Z) ga_csr_zero(ask->Z);
  if (ask->Y) ga_csr_zero(ask->Y);
  if (ask->L) ga_csr_zero(ask->L);
  if (ask->P) ga_csr_zero(ask->P);
}

/* The bits of all fields that are not NULL. */
unsigned ga_adapter_wanted(const ga_evaluation *ask) {
  unsigned fields = 0;
  for (int i = 0; i < GA_MODEL_FIELDS; i++) {
    if (ga_model_field_value(ask, &ga_model_field_list[i])) fields |= ga_model_field_list[i].bit;
  }
  return fields;
}

/* Call the single callback of each wanted field of a (not NULL), in turn; each must exist. Returns
 * 0 or the first nonzero code, after which nothing more is called; *who is the name of the callback
 * called last. */
static int ask_callbacks(const ga_model *m, double t, const double *q, const double *v,
                         const ga_evaluation *a, const char **who) {
  const ga_model_ops *o = m->ops;
  void *u = m->user;
  int code = 0;
#define CALL(wanted, callback, ...) \
  if (code == 0 && (wanted)) *who = #callback, code = o->callback(u, t, __VA_ARGS__)
  CALL(a->M, mass, q, a->M);
  CALL(a->F, force, q, v, a->F);
  CALL(a->G, holonomic_jac, q, a->G);
  CALL(a->g, holonomic, q, a->g);
  CALL(a->H, nonholonomic_jac, q, v, a->H);
  CALL(a->k, nonholonomic, q, v, a->k);
  CALL(a->Kt, force_tangents, q, v, a->x, a->lam, a->psi, a->Kt, a->Ct);
  CALL(a->Z, holonomic_curv, q, v, a->Z);
  CALL(a->Y, nonholonomic_dq, q, v, a->Y);
  CALL(a->gt, holonomic_t, q, a->gt);
  CALL(a->drift, holonomic_drift, q, v, a->drift);
  CALL(a->k_drift, nonholonomic_drift, q, v, a->k_drift);
  CALL(a->R, reaction, q, v, a->lam, a->psi, a->R);
  CALL(a->L, reaction_dmult, q, v, a->lam, a->psi, a->L, a->P);
#undef CALL
  return code;
}

/* Get all wanted fields (not NULL in ask): those in `pass` from evaluate, the others from
 * callbacks; alone: evaluate gives all. Matrices must have been cleared by ga_adapter_zero: models
 * add to them. Returns 0 or the first nonzero code; *who is the name of the function that returned
 * it. */
int ga_adapter_ask(const ga_model *m, unsigned pass, bool alone, double t, const double *q,
                   const double *v, const ga_evaluation *ask, const char **who) {
  *who = "evaluate";
  if (alone) return m->ops->evaluate(m->user, t, q, v, ask);
  if (!pass) return ask_callbacks(m, t, q, v, ask, who);
  ga_evaluation of_pass = *ask, rest = *ask;
  ga_adapter_remove(&of_pass, ~pass);
  ga_adapter_remove(&rest, pass);
  if (ga_adapter_wanted(&of_pass)) {
    int code = m->ops->evaluate(m->user, t, q, v, &of_pass);
    if (code != 0) return code;
  }
  return ask_callbacks(m, t, q, v, &rest, who);
}

/* Set all values to zero. A may be NULL; A->ptr may be NULL: a plain full matrix. */
static void zero_matrix(const ga_csr *A) {
  if (!A) return;
  int n = A->ptr ? ga_csr_nnz(A) : A->nrow * A->ncol;
  for (int e = 0; e < n; e++) A->val[e] = 0;
}

/* Public: compute all fields that are not NULL in out, without difference quotients; matrices are
 * cleared first. Returns 0, GA_ERR_ARG if the model does not give one of them (nothing is changed
 * then), or the nonzero code of a callback. */
int ga_model_evaluate(const ga_model *model, double t, const double *q, const double *v,
                      const ga_evaluation *out) {
  const char *who;
  unsigned pass = ga_adapter_pass_fields(model->ops);
  ga_evaluation ask = *out;
  if (ga_adapter_mass_given(model)) ask.M = NULL;
  if (ga_adapter_wanted(&ask) & ~(pass | ga_adapter_callback_fields(model->ops))) return GA_ERR_ARG;
  for (int i = 0; i < GA_MODEL_FIELDS; i++) {
    if (ga_model_field_list[i].kind == GA_MODEL_FIELD_MATRIX)
      zero_matrix(ga_model_field_value(out, &ga_model_field_list[i]));
  }
  if (out->M) ga_adapter_put_constant_mass(model, out->M);
  return ga_adapter_ask(model, pass, false, t, q, v, &ask, &who);
}

/* The first corner after t: by the callback, else the first larger time of the list, found by
 * bisection. */
ga_corner ga_model_next_corner(const ga_model *model, double t) {
  ga_corner corner = {.before = INFINITY, .t = INFINITY}; /* anything may jump */
  if (model->ops->next_corner) {
    model->ops->next_corner(model->user, t, &corner);
    return corner;
  }
  int lo = -1, hi = model->ncorners; /* corners[lo] <= t < corners[hi] */
  while (hi - lo > 1) {
    const int middle = (lo + hi) / 2;
    if (model->corners[middle] <= t) {
      lo = middle;
    } else {
      hi = middle;
    }
  }
  if (hi == model->ncorners) return corner;
  corner.t = model->corners[hi];
  corner.before = nextafter(corner.t, -INFINITY);
  return corner;
}
