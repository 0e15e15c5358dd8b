/* SPDX-License-Identifier: MIT */
/* The adapter between the library and a model's functions. Only this file calls them. The rest of
 * the library asks for any subset of the fields of a ga_evaluation; the adapter gets these fields
 * from `evaluate` or from the single callbacks (`mass`, `force`, ..). */
#ifndef GA_SRC_ADAPTER_H
#define GA_SRC_ADAPTER_H

#include "genalpha/ga_model.h"

/* Fields that have no public bit, because every model gives them. */
enum {
  GA_GIVES_M = 1 << 16,
  GA_GIVES_F = 1 << 17,
  GA_GIVES_g = 1 << 18,
  GA_GIVES_k = 1 << 19,
  GA_GIVES_ESSENTIALS = GA_GIVES_M | GA_GIVES_F | GA_GIVES_g | GA_GIVES_k,
};

/* The fields that are asked of evaluate, and those that single callbacks can give; a field may be
 * in both. */
unsigned ga_adapter_pass_fields(const ga_model_ops *ops);
unsigned ga_adapter_callback_fields(const ga_model_ops *ops);

/* The bits of the fields that are wanted: those that are not NULL. */
unsigned ga_adapter_wanted(const ga_evaluation *ask);

/* Set the fields of a mask to NULL: they are not wanted. */
void ga_adapter_remove(ga_evaluation *ask, unsigned fields);

/* Set the wanted matrices to zero, except for constant rows of M. */
void ga_adapter_zero(const ga_model *model, const ga_evaluation *ask);

/* Write the constant rows of M. M->ptr may be NULL: a plain full matrix. */
void ga_adapter_put_constant_mass(const ga_model *model, ga_csr *M);

/* All rows of M are constant and given in const_M: the model need not be asked for M. */
bool ga_adapter_mass_given(const ga_model *model);

/* Row i of M is constant and given in const_M. */
static inline bool ga_adapter_mass_row_constant(const ga_model *model, int i) {
  const ga_csr *C = model->const_M;
  return C && C->ptr[i + 1] > C->ptr[i];
}

/* Get all wanted fields: those in `pass` from evaluate, the others from single callbacks. alone:
 * evaluate gives everything. Stops at the first nonzero code and returns it; *who is the name of
 * the function that returned it. */
int ga_adapter_ask(const ga_model *model, unsigned pass, bool alone, double t, const double *q,
                   const double *v, const ga_evaluation *ask, const char **who);

/* One row for each field of a ga_evaluation. */
typedef enum {
  GA_MODEL_FIELD_OF_NV,
  GA_MODEL_FIELD_OF_NLAM,
  GA_MODEL_FIELD_OF_NPSI,
  GA_MODEL_FIELD_MATRIX
} ga_model_field_kind;
typedef struct ga_model_field {
  unsigned bit;             /* GA_GIVES_.. */
  const char *symbol;       /* "G" */
  const char *callback;     /* "holonomic_jac" */
  size_t at;                /* its offset in ga_evaluation */
  ga_model_field_kind kind; /* a matrix, or a vector of this length */
} ga_model_field;
enum { GA_MODEL_FIELDS = 17 };
extern const ga_model_field ga_model_field_list[GA_MODEL_FIELDS];

static inline void *ga_model_field_value(const ga_evaluation *ask, const ga_model_field *field) {
  return *(void *const *)((const char *)ask + field->at);
}

#endif
