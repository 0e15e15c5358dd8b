/* SPDX-License-Identifier: MIT */
/* Validation of a model before anything is computed with it. */
#include <math.h>
#include <string.h>

#include "base/csr.h"
#include "genalpha/ga_model.h"
#include "lie/lie.h"
#include "model/adapter.h"

/* Check a pattern given by the user; NULL is allowed. closed: each row has all columns of an SO(3)
 * or SE(3) factor or none, because the matrix is multiplied by a tangent T. */
static ga_status check_pattern(const ga_model *model, const ga_csr *A, int nrow, const char *what,
                               bool closed, ga_error *err) {
  if (!A) return GA_OK;
  int nv = ga_space_nv(model->space);
  ga_status status = ga_csr_validate(A, nrow, nv, what, err);
  if (status != GA_OK) return status;
  int row, col;
  if (!closed || ga_space_pattern_closed(model->space, A, &row, &col)) return GA_OK;
  return ga_fail(err, GA_ERR_ARG,
                 "pattern of %s, row %d: column %d belongs to a rotation whose other columns are "
                 "missing; list all columns of that SO(3) or SE(3) factor",
                 what, row, col);
}

/* Check const_M: each row is empty or has the columns of that row of M, and finite values. */
static ga_status check_constant_rows(const ga_model *model, int nv, ga_error *err) {
  const ga_csr *C = model->const_M, *M = model->pat_M;
  if (!C) return GA_OK;
  ga_status status = ga_csr_validate(C, nv, nv, "const_M", err);
  if (status != GA_OK) return status;
  for (int i = 0; i < nv; i++) {
    const int n = C->ptr[i + 1] - C->ptr[i], from = M ? M->ptr[i] : 0;
    bool same = n == (M ? M->ptr[i + 1] - from : nv);
    for (int k = 0; k < n && same; k++) same = C->col[C->ptr[i] + k] == (M ? M->col[from + k] : k);
    if (n > 0 && !same) {
      return ga_fail(
          err, GA_ERR_ARG,
          "const_M, row %d: its columns are not those of M; give the whole row, or leave "
          "it empty",
          i);
    }
  }
  if (ga_csr_nnz(C) > 0 && !C->val) {
    return ga_fail(err, GA_ERR_ARG, "const_M has no values; its val is NULL");
  }
  const int bad = ga_first_nonfinite(ga_csr_nnz(C), C->val);
  if (bad < 0) return GA_OK;
  return ga_fail(err, GA_ERR_ARG, "const_M: entry %d is %g", bad, C->val[bad]);
}

/* No row of g or k belongs to two contacts. */
static ga_status check_owners(const ga_model *model, ga_error *err) {
  ga_arena scratch = {0};
  int *owner = ga_arena_ints(&scratch, (size_t)model->nlam + (size_t)model->npsi);
  ga_status status = owner ? GA_OK : ga_fail(err, GA_ERR_MEM, "no memory to check contacts");
  for (int i = 0; i < model->ncontacts && status == GA_OK; i++) {
    const ga_contact *c = &model->contacts[i];
    for (int r = 0; r <= c->nslip && status == GA_OK; r++) { /* 1 + the owner */
      int *own = &owner[r == 0 ? c->gap : model->nlam + c->slip + r - 1];
      if (*own > 0) {
        status = ga_fail(err, GA_ERR_ARG, "contacts '%s' and '%s' share a row",
                         model->contacts[*own - 1].name, c->name);
      }
      *own = i + 1;
    }
  }
  ga_arena_free(&scratch);
  return status;
}

/* Check the contacts: rows that exist and belong to one contact, coefficients in their ranges. */
static ga_status check_contacts(const ga_model *model, ga_error *err) {
  const ga_contact *all = model->contacts;
  if (model->ncontacts < 0 || (model->ncontacts > 0 && !all)) {
    return ga_fail(err, GA_ERR_ARG, "ncontacts = %d, but there is no such list", model->ncontacts);
  }
  for (int i = 0; i < model->ncontacts; i++) {
    const ga_contact *c = &all[i];
    const char *wrong = NULL;
    if (!c->name) return ga_fail(err, GA_ERR_ARG, "contacts[%d] has no name", i);
    if (c->gap < 0 || c->gap >= model->nlam) wrong = "its gap is not a row of g";
    if (c->nslip < 0 || c->nslip > 2) wrong = "nslip must be 0, 1 or 2";
    if (c->nslip > 0 && (c->slip < 0 || c->slip + c->nslip > model->npsi)) {
      wrong = "its slip velocities are not rows of k";
    }
    if (!(c->restitution >= 0 && c->restitution <= 1)) wrong = "restitution must be 0 to 1";
    if (!(c->friction >= 0) || !isfinite(c->friction)) wrong = "friction must not be negative";
    if (c->friction > 0 && c->nslip == 0) wrong = "friction needs slip velocities";
    if (!isfinite(c->static_friction) ||
        (c->static_friction != 0 && !(c->static_friction >= c->friction))) {
      wrong = "static_friction must be at least friction";
    }
    if (wrong) return ga_fail(err, GA_ERR_ARG, "contact '%s': %s", c->name, wrong);
  }
  return check_owners(model, err);
}

/* Public: check sizes, callbacks and patterns; calls nothing of the model. GA_ERR_ARG with a
 * message for the first fault. */
ga_status ga_model_validate(const ga_model *model, ga_error *err) {
  if (!model || !model->ops) return ga_fail(err, GA_ERR_ARG, "model or model->ops is NULL");
  if (!model->space || ga_space_nv(model->space) < 1) {
    return ga_fail(err, GA_ERR_ARG, "model->space is NULL or empty; see ga_space_new, ga_space_rn");
  }
  if (model->nlam < 0 || model->npsi < 0) {
    return ga_fail(err, GA_ERR_ARG, "nlam = %d, npsi = %d: neither may be negative", model->nlam,
                   model->npsi);
  }
  if (model->ninput < 0) {
    return ga_fail(err, GA_ERR_ARG, "ninput = %d: it must not be negative", model->ninput);
  }
  for (int i = 0; i < model->ninput && model->input; i++) {
    if (isfinite(model->input[i])) continue;
    return ga_fail(err, GA_ERR_ARG, "input[%d] = %g: inputs are finite numbers", i,
                   model->input[i]);
  }
  int nv = ga_space_nv(model->space);
  const ga_model_ops *ops = model->ops;
  const double *const sizes[] = {model->q_size, model->q_least};
  for (int i = 0; i < 2 * nv; i++) {
    const double *size = sizes[i / nv];
    if (!size || (size[i % nv] >= 0 && isfinite(size[i % nv]))) continue;
    return ga_fail(err, GA_ERR_ARG, "%s[%d] = %g: sizes are finite and not negative",
                   i < nv ? "q_size" : "q_least", i % nv, size[i % nv]);
  }
  for (int i = 0; i < model->nlam + model->npsi && model->row_reach; i++) {
    if (model->row_reach[i] >= 0 && isfinite(model->row_reach[i])) continue;
    return ga_fail(err, GA_ERR_ARG, "row_reach[%d] = %g: sizes are finite and not negative", i,
                   model->row_reach[i]);
  }
  for (int i = 0; i < nv && model->metric; i++) {
    if (model->metric[i] > 0 && isfinite(model->metric[i])) continue;
    return ga_fail(err, GA_ERR_ARG, "metric[%d] = %g: weights are finite and positive", i,
                   model->metric[i]);
  }
  for (int i = 0; i < model->ncorners; i++) {
    if (model->corners && isfinite(model->corners[i]) &&
        (i == 0 || model->corners[i] > model->corners[i - 1]))
      continue;
    return ga_fail(err, GA_ERR_ARG,
                   "corners[%d]: a list of ncorners finite, increasing times is needed", i);
  }
  if (ops->gives && !ops->evaluate) {
    return ga_fail(err, GA_ERR_ARG, "ops->gives says what 'evaluate' gives, but that is missing");
  }
  ga_status status = check_pattern(model, model->pat_M, nv, "M", false, err);
  if (status == GA_OK) status = check_constant_rows(model, nv, err);
  if (status != GA_OK) return status;
  unsigned gives = ga_model_gives(model);
  const char *missing = !ops->mass && !ga_adapter_mass_given(model) ? "mass"
                        : !ops->force                               ? "force"
                        : model->nlam > 0 && !ops->holonomic        ? "holonomic"
                        : model->npsi > 0 && !ops->nonholonomic     ? "nonholonomic"
                                                                    : NULL;
  if ((gives & GA_GIVES_DR) && !(gives & GA_GIVES_R)) {
    return ga_fail(err, GA_ERR_ARG, "callback 'reaction_dmult' without 'reaction'");
  }
  const ga_model_solver *solver = ops->solver;
  if (solver && !(gives & GA_GIVES_MX)) {
    return ga_fail(err, GA_ERR_ARG, "the model's solver needs M x as a vector (GA_GIVES_MX)");
  }
  if (solver && (!solver->factor || !solver->solve || !solver->multiply)) {
    return ga_fail(err, GA_ERR_ARG, "the model's solver lacks factor, solve or multiply");
  }
  if (missing && !ops->evaluate) {
    return ga_fail(err, GA_ERR_ARG, "callback '%s' is missing; or give 'evaluate' alone", missing);
  }
  status = check_pattern(model, model->pat_K, nv, "K", true, err);
  if (status == GA_OK) status = check_pattern(model, model->pat_C, nv, "C", false, err);
  if (status == GA_OK) status = check_pattern(model, model->pat_G, model->nlam, "G", true, err);
  if (status == GA_OK) status = check_pattern(model, model->pat_H, model->npsi, "H", true, err);
  if (status == GA_OK) status = check_contacts(model, err);
  return status;
}

/* The number of the input of this name; -1: there is none. */
int ga_model_input(const ga_model *model, const char *name) {
  for (int i = 0; i < model->ninput && model->input_names; i++) {
    if (strcmp(model->input_names[i], name) == 0) return i;
  }
  return -1;
}
