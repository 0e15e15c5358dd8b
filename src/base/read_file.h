/* SPDX-License-Identifier: MIT */
/* A whole file in memory. */
#ifndef GA_SRC_READ_FILE_H
#define GA_SRC_READ_FILE_H

#include "base/base.h"

/* *text <- the bytes of a regular file and a zero byte behind them, in the arena; *length <- how
 * many. Fails on directories, devices and files of more than `most` bytes. what: "a model file", for
 * messages. */
ga_status ga_read_file(const char *path, const char *what, long most, ga_arena *arena, char **text,
                       size_t *length, ga_error *err);

#endif
