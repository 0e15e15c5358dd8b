/* SPDX-License-Identifier: MIT */
/* Files of start values: t, q and v, without anything of a run. */
#ifndef GA_SRC_START_FILE_H
#define GA_SRC_START_FILE_H

#include "base/base.h"

/* Sizes of a model, by which a file is compared with it. */
typedef struct ga_start_sizes {
  int64_t nq, nv, nlam, npsi;
} ga_start_sizes;

/* Do the n bytes begin as a file of start values? */
bool ga_start_file_is(const void *bytes, size_t n);

/* *values <- where t, q and v (1 + nq + nv numbers) are in the n bytes of a file of start values.
 * GA_ERR_FILE if it is damaged, of another model or in other coordinates; name: how messages call
 * it. */
ga_status ga_start_file_values(const unsigned char *bytes, size_t n, const char *name,
                               const ga_start_sizes *sizes, const char *coordinates,
                               unsigned char **values, ga_error *err);
/* GA_ERR_FILE: the state is in other coordinates (ga_model.coordinates, "" or NULL: absolute). */
ga_status ga_state_other_coordinates(const char *name, const char *its, const char *own,
                                     ga_error *err);

#endif
