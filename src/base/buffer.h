/* SPDX-License-Identifier: MIT */
/* A text that grows at its end. */
#ifndef GA_SRC_BUFFER_H
#define GA_SRC_BUFFER_H

#include "base/base.h"

/* Begins as all zero. Without memory `failed` is set and what is added later is dropped, so that a
 * writer tests it once, at its end. */
typedef struct ga_buffer {
  char *text; /* owned, ends with a zero byte; NULL: empty */
  size_t length, room;
  bool failed;
} ga_buffer;

/* Append by a format, or a piece of `length` bytes. */
void ga_buffer_add(ga_buffer *b, const char *format, ...) GA_PRINTF(2, 3);
void ga_buffer_append(ga_buffer *b, const char *piece, size_t length);
/* Append a number with the fewest digits that give it back: 0.1, 1e-05, 0.30000000000000004. */
void ga_buffer_number(ga_buffer *b, double x);
/* Append "[x, y, z]" with n numbers. */
void ga_buffer_numbers(ga_buffer *b, int n, const double *x);
/* Frees the text; the buffer is empty then. */
void ga_buffer_free(ga_buffer *b);

#endif
