/* SPDX-License-Identifier: MIT */
/* The files of a command: no file is written over another one that the same command reads or
 * writes. */
#ifndef TOOL_ARGS_PATHS_H
#define TOOL_ARGS_PATHS_H

#include "tool.h"

/* A file that a command reads or writes. */
typedef struct path_use {
  const char *what;   /* for messages: "--out", or "the model" for an operand */
  const char *path;   /* NULL: not given; "-": a standard stream. Both are ignored */
  const char *suffix; /* of a further file that is written beside it, PATH.tmp; NULL: none */
  bool written;
} path_use;

/* Do both paths name the same file? */
bool paths_same(const char *a, const char *b);

/* Refuse a pair of paths that name the same file if at least one of them is written, also by
 * another name of that file. n: number of uses. ARGS_GO_ON, or TOOL_USAGE after a message. */
int paths_check(int n, const path_use *use);

/* Refuse a file that is read if the last paths_check had it among those that are written. what: for
 * messages. */
int paths_check_read(const char *what, const char *path);

#endif
