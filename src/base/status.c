/* SPDX-License-Identifier: MIT */
/* Status names and texts, expanded from the one list, and the composing of error messages. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "genalpha/genalpha.h"

/* sentence for people about a status; "unknown status" for other numbers */
const char *ga_status_text(ga_status status) {
  switch (status) {
#define GA_STATUS_TEXT(name, value, text) \
  case name:                              \
    return text;
    GA_STATUS_LIST(GA_STATUS_TEXT)
#undef GA_STATUS_TEXT
  }
  return "unknown status";
}

/* name of the constant, such as "GA_ERR_ARG" */
const char *ga_status_name(ga_status status) {
  switch (status) {
#define GA_STATUS_NAME(name, value, text) \
  case name:                              \
    return #name;
    GA_STATUS_LIST(GA_STATUS_NAME)
#undef GA_STATUS_NAME
  }
  return "unknown status";
}

/* Writes code and message into err (may be NULL) and returns status, so that callers can write
 * `return ga_fail(..)`. */
ga_status ga_fail(ga_error *err, ga_status status, const char *format, ...) {
  if (err) {
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->code = status;
  }
  return status;
}

/* Puts "format: " in front of the message in err; a text that becomes too long is cut at its
 * end. */
void ga_error_prefix(ga_error *err, const char *format, ...) {
  if (!err) return;
  char old[sizeof err->text];
  memcpy(old, err->text, sizeof old);
  va_list args;
  va_start(args, format);
  int n = vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  if (n >= 0 && (size_t)n < sizeof err->text) {
    int room = (int)(sizeof err->text) - n - 3;
    if (room > 0) snprintf(err->text + n, sizeof err->text - (size_t)n, ": %.*s", room, old);
  }
}

/* no error, empty message; err may be NULL */
void ga_error_clear(ga_error *err) {
  if (!err) return;
  err->code = GA_OK;
  err->text[0] = 0;
}

/* version of the library, such as "1.2.3" */
const char *ga_version(void) {
  return GA_VERSION;
}
