/* SPDX-License-Identifier: MIT */
/* What is asked of a model before it is run: start values that fit, equilibrium, frequencies.
 *
 * All functions take a model (ga_model.h) and arrays of the caller; nothing is kept. Redundant rows
 * are allowed as long as they do not contradict each other. For mechanisms there are the same
 * functions with names in their messages, in ga_mechanism.h. */
#ifndef GA_STATICS_H
#define GA_STATICS_H

#include <genalpha/ga_model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- start values --------------------------------------------------------------------------- */

/* How a configuration or a velocity is moved onto the constraints. Zero is fine. All arrays belong
 * to the caller; NULL means the default, or not wanted. */
typedef struct ga_assembly {
  /* given, nv numbers each */
  const bool *hold;     /* components that stay as they are; default: none */
  const double *weight; /* resistance of a component to change, > 0; default: the diagonal of M, and
                           its least positive entry where there is no mass */
  const double *unit;   /* what counts as a large change of a component; default: the largest |q|
                           for lengths, 1 for angles */
  /* found */
  double *change;  /* nv: w with q_new = q_old o exp(w), or v_new - v_old */
  double *open;    /* nlam, for velocities nlam + npsi: rows of the constraints as they stay */
  int worst;       /* the row that is open most, -1 without rows */
  double openness; /* by what part of its unit */
  int iterations;
} ga_assembly;

/* The configuration nearest to q with g(t, q) = 0: the sum of weight_i change_i^2 is least. Damped
 * Gauss-Newton steps, bounded by a part of `unit`, so that no mirror image is jumped to; where the
 * last part of the way, along the constraints to the nearest point, does not converge (q far from
 * them), the point where they were reached stands. GA_ERR_INITIAL if the rows cannot be satisfied
 * together: q is then unchanged, `open` tells what stays open and err names the worst rows. */
GA_API ga_status ga_assemble_position(const ga_model *model, double t, double *q,
                                      ga_assembly *assembly, ga_error *err);
/* The velocity nearest to v with G v + g_t = 0 and k(t, q, v) = 0, likewise. A crank whose speed is
 * held keeps it exactly. */
GA_API ga_status ga_assemble_velocity(const ga_model *model, double t, const double *q, double *v,
                                      ga_assembly *assembly, ga_error *err);

#ifdef __cplusplus
}
#endif
#endif
