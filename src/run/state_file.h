/* SPDX-License-Identifier: MIT */
/* Files of states: written whole or not at all. */
#ifndef GA_SRC_STATE_FILE_H
#define GA_SRC_STATE_FILE_H

#include "base/base.h"

/* GA_ERR_IO with the message "state file PATH cannot be WHAT: " and the text of errno. */
ga_status ga_file_error(ga_error *err, const char *path, const char *what);

/* Write n bytes aside, then rename: a crash leaves the old file or the new one, with the old one's
 * permissions. What is not a plain file (a pipe, a device, a link to something) is written
 * directly. */
ga_status ga_file_replace(ga_error *err, const char *path, const void *bytes, size_t n);

#endif
