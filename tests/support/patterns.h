/* SPDX-License-Identifier: MIT */
/* Patterns of a model's matrices against their entries at a point. */
#ifndef GA_TESTS_PATTERNS_H
#define GA_TESTS_PATTERNS_H

#include "lie/lie.h"
#include "model_point.h"

/* Does row i list, beside column j, another of the same rotation, and that not zero? A row has to
 * list all columns of a rotation it touches. */
static inline bool in_a_rotation(const ga_space *space, const full *A, int i, int j) {
  const ga_csr *B = &A->a;
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f];
    int nv = factor->group->nv, from = factor->v_at;
    if (factor->group->commutative || j < from || j >= from + factor->n * nv) continue;
    from = j - (j - from) % nv;
    for (int e = B->ptr[i]; e < B->ptr[i + 1]; e++) {
      if (B->col[e] >= from && B->col[e] < from + nv && A->entry[e] != 0) return true;
    }
  }
  return false;
}

static inline void assert_no_zero(const ga_problem *p, const char *what, const ga_csr *pattern,
                                  const full *A) {
  for (int i = 0; pattern && i < pattern->nrow; i++) {
    for (int e = pattern->ptr[i]; e < pattern->ptr[i + 1]; e++) {
      if (A->entry[e] != 0 || in_a_rotation(p->model.space, A, i, pattern->col[e])) continue;
      fail_msg("%s: entry %d of the pattern of %s is zero", p->name, e, what);
    }
  }
}

/* A pattern that a problem names has no entry too many; check_derivatives finds one too few. */
#endif
