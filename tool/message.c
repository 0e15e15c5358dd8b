/* SPDX-License-Identifier: MIT */
/* Messages on stderr. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

enum { LINE_WIDTH = 98 };

/* the text that collects the messages of this thread; NULL: they are printed */
static _Thread_local struct {
  char *text;
  size_t size;
} collected;

/* Collect the messages of this thread in text (size bytes, borrowed, emptied here) from now on,
 * instead of printing them; NULL: print again. */
void tool_collect_messages(char *text, size_t size) {
  collected.text = text;
  collected.size = size;
  if (text) text[0] = '\0';
}

/* Append a message to the collected text of this thread, after "; " if it is not the first. A
 * message that does not fit is cut. */
static void append_message(const char *format, va_list args) {
  size_t used = strlen(collected.text);
  if (used > 0 && used + 3 < collected.size) {
    memcpy(collected.text + used, "; ", 3);
    used += 2;
  }
  vsnprintf(collected.text + used, collected.size - used, format, args);
}

static FILE *discarded; /* /dev/null if another process prints the messages, else NULL */

/* Where messages go: standard error, or /dev/null after tool_mute. */
FILE *tool_messages(void) {
  return discarded ? discarded : stderr;
}

static char unsaid[2000]; /* messages of this process since tool_mute that were not printed */
static bool joined;       /* this process and process 0 agree on failures */

/* For all processes but the first: discard standard output, and keep messages for
 * tool_speak_alone. */
void tool_mute(void) {
  discarded = fopen("/dev/null", "w");
  if (!freopen("/dev/null", "w", stdout)) fclose(stdout);
}

static int warnings; /* messages so far that begin with "warning: " and were printed */

/* Number of warnings that were printed. */
int tool_warnings(void) {
  return warnings;
}

/* Print a message as one line "genalpha: ...", or append it to the collected text. One write per
 * line, so that lines of several processes do not mix. */
void tool_error(const char *format, ...) {
  FILE *to = tool_messages();
  va_list args;
  if (collected.text) {
    va_start(args, format);
    append_message(format, args);
    va_end(args);
    return;
  }
  char text[8192]; /* written by one call, so that lines of several processes do not mix */
  fflush(stdout);
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(to, "genalpha: %s\n", text);
  if (strncmp(text, "warning: ", 9) == 0) warnings++;
  if (discarded) {
    const size_t used = strlen(unsaid) < sizeof unsaid / 2 ? strlen(unsaid) : 0;
    snprintf(unsaid + used, sizeof unsaid - used, "%s%.900s", used ? "; " : "", text);
  }
}

/* Print a line that says what was decided; nothing while messages are collected. */
void tool_note(const char *format, ...) {
  va_list args;
  if (collected.text) return;
  char text[1024];
  fflush(stdout);
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(tool_messages(), "genalpha: %s\n", text);
}

/* From now on process 0 speaks for this one, too: failures are agreed upon. Forget what was not
 * printed. */
void tool_join(void) {
  joined = true;
  unsaid[0] = '\0';
}

/* Has tool_join been called? */
bool tool_joined(void) {
  return joined;
}

/* Print what a muted process has not said, as "genalpha: process N: ..", on standard error: it
 * failed and process 0 did not. Nothing if there is nothing to say. */
void tool_speak_alone(int process) {
  if (unsaid[0]) fprintf(stderr, "genalpha: process %d: %s\n", process, unsaid);
  unsaid[0] = '\0';
}

/* Print "NAME: SUMMARY", or NAME alone if the summary is empty or NULL. */
void tool_print_title(FILE *to, const char *name, const char *summary) {
  const bool more = summary && *summary;
  fprintf(to, "%s%s%s\n", name, more ? ": " : "", more ? summary : "");
}

/* Print text broken at blanks to lines of LINE_WIDTH. The cursor must be in `column`, where
 * further lines begin, too. */
void tool_print_wrapped(FILE *to, const char *text, int column) {
  int at = column;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (at > column && at + 1 + length > LINE_WIDTH) {
      fprintf(to, "\n%*s", column, "");
      at = column;
    } else if (at > column) {
      fputc(' ', to);
      at++;
    }
    fprintf(to, "%.*s", length, text);
    at += length;
    text += length + (text[length] == ' ');
  }
  fputc('\n', to);
}

/* Report an unknown word with the nearest one of the list, or else with all of them. Returns
 * TOOL_USAGE. */
int tool_unknown(const char *what, const char *typed, tool_word word, const void *list) {
  const char *nearest = ga_nearest_in(typed, word, list);
  if (nearest) {
    tool_error("unknown %s '%s'; did you mean '%s'?", what, typed, nearest);
    return TOOL_USAGE;
  }
  char all[512] = "";
  size_t used = 0;
  for (int i = 0; word(list, i) && used < sizeof all; i++) {
    int n = snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", word(list, i));
    used += n > 0 ? (size_t)n : 0;
  }
  tool_error("unknown %s '%s'; allowed: %s", what, typed, all);
  return TOOL_USAGE;
}
