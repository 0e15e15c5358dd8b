/* SPDX-License-Identifier: MIT */
/* Models whose rows wait (crowd.h), for those who need all rows. */
#include "model/crowd.h"

const ga_model *ga_model_complete(const ga_model *model, ga_arena *arena) {
  if (ga_model_waiting(model) == 0) return model;
  ga_arena scratch = {0};
  int *all = ga_arena_ints(&scratch, (size_t)model->ncontacts);
  for (int i = 0; all && i < model->ncontacts; i++) all[i] = i;
  const ga_model *complete =
      all ? model->ops->crowd->select(model->user, model->ncontacts, all, arena) : NULL;
  ga_arena_free(&scratch);
  return complete;
}
