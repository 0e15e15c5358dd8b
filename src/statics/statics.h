/* SPDX-License-Identifier: MIT */
/* Private side of ga_statics.h. */
#ifndef GA_SRC_STATICS_H
#define GA_SRC_STATICS_H

#include "genalpha/ga_statics.h"
#include "kkt/static_system.h"

/* v', lam, psi of the equations of motion; of least norm if rows are redundant. Afterwards s has M,
 * G, H and the factors of their saddle-point system. */
ga_status ga_static_system_accelerate(ga_static_system *s, double t, const double *q,
                                      const double *v, double *vd, double *lam, double *psi);
/* The largest modulus of the eigenvalues of the system linearized at a state, to a few digits. */
ga_status ga_fastest_mode(const ga_model *model, double t, const double *q, const double *v,
                          double *fastest, ga_error *err);

/* Dynamic relaxation of q, which is changed, in at most `steps` steps; *taken is their number. */
ga_status ga_relaxation_run(const ga_model *model, double t, double *q, int steps, int *taken,
                            ga_error *err);

#endif
