/* SPDX-License-Identifier: MIT */
/* A few modes of a large model. */
#include "statics/linearize.h"

ga_status ga_modes_few(const ga_linearization *lin, ga_modes *modes, ga_error *err) {
  (void)lin, (void)modes;
  return ga_fail(err, GA_ERR_BACKEND,
                 "a few modes of a large model need ARPACK, which this build "
                 "does not have");
}
