/* SPDX-License-Identifier: MIT */
/* One run of a model, every accepted step judged by the checker. */
#ifndef GA_CAMPAIGN_RUN_H
#define GA_CAMPAIGN_RUN_H

#include "checker.h"
#include "pattern.h"

typedef struct hard_outcome {
  ga_status status;
  char text[160];     /* the library's sentence, if it failed */
  long steps;         /* accepted */
  long wrong;         /* forward-wrong, or not the method's */
  long rounded;       /* above 1e-8 of a scale, within the attainable rounding */
  long no_root;       /* judged to first order, as no root was found next to the step */
  long skipped;       /* not judged: half a turn and more in a step */
  hard_verdict worst; /* the first wrong step */
  double t_wrong;
  hard_state last, before; /* the last accepted states, */
  hard_memory a_0;         /* and the memory that the step between them began with */
} hard_outcome;

/* Whether the run came to its end and every accepted step is right. */
static inline bool hard_passed(const hard_outcome *o) {
  return o->status == GA_OK && o->wrong == 0;
}

hard_outcome hard_run(const hard_model *m);

/* The model as the library sees it, for any user data; the caller frees the space. patterns may be
 * NULL if the model names none. */
ga_status hard_open(const hard_model *m, const ga_model_ops *ops, const hard_patterns *patterns,
                    hard_user *user, ga_space **space, ga_model *out);

/* A line that names the model and its settings. */
void hard_describe(const hard_model *m, char *text, size_t room);

#endif
