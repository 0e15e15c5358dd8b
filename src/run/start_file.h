/* SPDX-License-Identifier: MIT */
/* Files of start values: t, q and v, without anything of a run. */
#ifndef GA_SRC_START_FILE_H
#define GA_SRC_START_FILE_H

#include <stdio.h>

#include "base/base.h"

/* Sizes of a model, by which a file is compared with it. */
typedef struct ga_start_sizes {
  int64_t nq, nv, nlam, npsi;
} ga_start_sizes;

/* Does an open file begin as a file of start values? Its position is the beginning afterwards. */
bool ga_start_file_is(FILE *file);

/* Read an open file of start values: *values <- t, q, v (1 + nq + nv numbers), to be freed by
 * ga_free. GA_ERR_FILE if the file is damaged or of another model, GA_ERR_MEM; then *values is
 * NULL. */
ga_status ga_start_file_read(FILE *file, const char *path, const ga_start_sizes *sizes,
                             double **values, ga_error *err);

#endif
