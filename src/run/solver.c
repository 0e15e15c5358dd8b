/* SPDX-License-Identifier: MIT */
/* Which linear solver the steps of an integrator use, for reports. */
#include "run/integrator.h"

const char *ga_integrator_linsol(const ga_integrator *it) {
  const ga_linsol_ops *ops = it->step.factors.ls.ops;
  return ops->name ? ops->name : "";
}

const char *ga_integrator_linsol_why(const ga_integrator *it) {
  return it->step.factors.ls.why;
}
