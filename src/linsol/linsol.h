/* SPDX-License-Identifier: MIT */
/* Private: the registry of linear solvers and the opening of one. */
#ifndef GA_SRC_LINSOL_H
#define GA_SRC_LINSOL_H

#include "base/base.h"
#include "genalpha/ga_options.h"

extern const ga_linsol_ops ga_linsol_dense, ga_linsol_klu;

/* The solver the options ask for: the user's own functions, a built-in one by name, or the one that
 * "auto" picks for this pattern. */
ga_status ga_linsol_choose(const ga_options *options, const ga_csr *A, const ga_linsol_ops **out,
                           ga_error *err);

/* Attach a solver to a pattern and analyze it. */
ga_status ga_linsol_open(ga_linsol *ls, const ga_options *options, const ga_csr *A, ga_error *err);
void ga_linsol_close(ga_linsol *ls);
void ga_linsol_reset(ga_linsol *ls);

#endif
