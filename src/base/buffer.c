/* SPDX-License-Identifier: MIT */
/* A text that grows at its end, by the allocator of the library. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` further bytes and the zero byte behind them. False without memory. */
static bool make_room(ga_buffer *b, size_t more) {
  if (b->failed) return false;
  if (b->length + more < b->room) return true;
  const size_t room = 2 * (b->length + more) + 256;
  char *text = ga_calloc(room, 1);
  b->failed = text == NULL;
  if (!text) return false;
  if (b->length) memcpy(text, b->text, b->length);
  ga_free(b->text);
  b->text = text;
  b->room = room;
  return true;
}

/* Append `length` bytes. */
void ga_buffer_append(ga_buffer *b, const char *piece, size_t length) {
  if (!make_room(b, length)) return;
  memcpy(b->text + b->length, piece, length);
  b->length += length;
  b->text[b->length] = '\0';
}

/* Append by a format. */
void ga_buffer_add(ga_buffer *b, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (length < 0 || !make_room(b, (size_t)length)) return;
  va_start(list, format);
  vsnprintf(b->text + b->length, (size_t)length + 1, format, list);
  va_end(list);
  b->length += (size_t)length;
}

/* Append a number with 15, 16 or 17 digits, the first that gives it back. */
void ga_buffer_number(ga_buffer *b, double x) {
  char text[32];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  ga_buffer_add(b, "%s", text);
}

/* Append n numbers as a list in brackets. */
void ga_buffer_numbers(ga_buffer *b, int n, const double *x) {
  for (int i = 0; i < n; i++) {
    ga_buffer_add(b, i ? ", " : "[");
    ga_buffer_number(b, x[i]);
  }
  ga_buffer_add(b, "]");
}

/* Free the text. */
void ga_buffer_free(ga_buffer *b) {
  ga_free(b->text);
  *b = (ga_buffer){.text = NULL};
}
