/* SPDX-License-Identifier: MIT */
/* The one place where a model's functions are called. Everywhere else a model is something that
 * gives any subset of a ga_evaluation; here that subset is asked of `evaluate` or of the callbacks
 * of their own. */
#ifndef GA_SRC_ADAPTER_H
#define GA_SRC_ADAPTER_H

#include "genalpha/ga_model.h"

/* Parts that have no public bit, because every model gives them. */
enum {
  GA_GIVES_M = 1 << 16,
  GA_GIVES_F = 1 << 17,
  GA_GIVES_g = 1 << 18,
  GA_GIVES_k = 1 << 19,
  GA_GIVES_ESSENTIALS = GA_GIVES_M | GA_GIVES_F | GA_GIVES_g | GA_GIVES_k,
};

/* The parts of an evaluation that are asked of evaluate, and those that callbacks of their own can
 * give; some may be both. */
unsigned ga_adapter_pass_fields(const ga_model_ops *ops);
unsigned ga_adapter_callback_fields(const ga_model_ops *ops);

/* The parts that are not NULL. */
unsigned ga_adapter_wanted(const ga_evaluation *ask);

/* Forget the parts of a mask: they are not wanted. */
void ga_adapter_remove(ga_evaluation *ask, unsigned parts);

/* The matrices that are wanted, zeroed, but for constant rows of M. */
void ga_adapter_zero(const ga_model *model, const ga_evaluation *ask);

/* The constant rows of M in their places. M may have no ptr, like a plain full matrix. */
void ga_adapter_put_constant_mass(const ga_model *model, ga_csr *M);

/* M is known without asking for it: all its rows are constant and named. */
bool ga_adapter_mass_given(const ga_model *model);

/* Row i of M is constant and named. */
static inline bool ga_adapter_mass_row_constant(const ga_model *model, int i) {
  const ga_csr *C = model->const_M;
  return C && C->ptr[i + 1] > C->ptr[i];
}

/* All that is wanted, the parts in `pass` by evaluate and the others by callbacks. alone: evaluate
 * gives everything. The first nonzero code ends it; who is the function that returned it. */
int ga_adapter_ask(const ga_model *model, unsigned pass, bool alone, double t, const double *q,
                   const double *v, const ga_evaluation *ask, const char **who);

/* One part for tables: its bit, its symbol, the callback of its own, its place in the evaluation
 * and what it is. */
typedef enum {
  GA_MODEL_FIELD_OF_NV,
  GA_MODEL_FIELD_OF_NLAM,
  GA_MODEL_FIELD_OF_NPSI,
  GA_MODEL_FIELD_MATRIX
} ga_model_field_kind;
typedef struct ga_model_field {
  unsigned bit;
  const char *symbol, *callback;
  size_t at;
  ga_model_field_kind kind;
} ga_model_field;
enum { GA_MODEL_FIELDS = 16 };
extern const ga_model_field ga_model_field_list[GA_MODEL_FIELDS];

static inline void *ga_model_field_value(const ga_evaluation *ask, const ga_model_field *part) {
  return *(void *const *)((const char *)ask + part->at);
}

#endif
