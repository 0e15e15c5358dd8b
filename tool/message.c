/* SPDX-License-Identifier: MIT */
/* Messages on stderr and the nearest word to a mistyped one. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

enum { LINE_WIDTH = 98, WORD_MAX = 40 };

/* where this thread's messages go, NULL: to stderr */
static _Thread_local struct {
  char *text;
  size_t size;
} collected;

void cli_collect(char *text, size_t size) {
  collected.text = text;
  collected.size = size;
  if (text) text[0] = '\0';
}

static void collect(const char *format, va_list args) {
  size_t used = strlen(collected.text);
  if (used > 0 && used + 3 < collected.size) {
    memcpy(collected.text + used, "; ", 3);
    used += 2;
  }
  vsnprintf(collected.text + used, collected.size - used, format, args);
}

static FILE *nowhere; /* where messages go if another process prints them */

FILE *cli_messages(void) {
  return nowhere ? nowhere : stderr;
}

void cli_mute(void) {
  nowhere = fopen("/dev/null", "w");
  if (!freopen("/dev/null", "w", stdout)) fclose(stdout);
}

void cli_error(const char *format, ...) {
  FILE *to = cli_messages();
  va_list args;
  if (collected.text) {
    va_start(args, format);
    collect(format, args);
    va_end(args);
    return;
  }
  char text[8192]; /* written at once: what other processes say does not come between */
  fflush(stdout);
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(to, "genalpha: %s\n", text);
}

void cli_title(FILE *to, const char *name, const char *summary) {
  const bool more = summary && *summary;
  fprintf(to, "%s%s%s\n", name, more ? ": " : "", more ? summary : "");
}

void cli_wrapped(FILE *to, const char *text, int column) {
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

static int least(int a, int b) {
  return a < b ? a : b;
}

/* Edits that turn a into b, an exchange of neighbours counted as one; three rows of the table. */
static int distance(const char *a, const char *b) {
  int rows[3][WORD_MAX + 1] = {{0}};
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > WORD_MAX || nb > WORD_MAX) return WORD_MAX;
  for (int j = 0; j <= nb; j++) rows[0][j] = j;
  for (int i = 1; i <= na; i++) {
    int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = least(now[j], before[j - 2] + 1);
      }
    }
  }
  return rows[na % 3][nb];
}

const char *cli_nearest(const char *typed, cli_word word, const void *list) {
  const char *nearest = NULL, *candidate;
  /* a single letter is one edit from every other */
  int allowed = strlen(typed) <= 1 ? 0 : strlen(typed) <= 4 ? 1 : (int)strlen(typed) / 3 + 1;
  for (int i = 0; (candidate = word(list, i)) != NULL; i++) {
    int d = distance(typed, candidate);
    /* the beginning of a longer word is near, too */
    if (strlen(typed) >= 3 && strncmp(typed, candidate, strlen(typed)) == 0) d = least(d, 1);
    if (d <= allowed) {
      nearest = candidate;
      allowed = d - 1;
    }
  }
  return nearest;
}

int cli_unknown(const char *what, const char *typed, cli_word word, const void *list) {
  const char *nearest = cli_nearest(typed, word, list);
  if (nearest) {
    cli_error("unknown %s '%s'; did you mean '%s'?", what, typed, nearest);
    return CLI_USAGE;
  }
  char all[512] = "";
  size_t used = 0;
  for (int i = 0; word(list, i) && used < sizeof all; i++) {
    int n = snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", word(list, i));
    used += n > 0 ? (size_t)n : 0;
  }
  cli_error("unknown %s '%s'; allowed: %s", what, typed, all);
  return CLI_USAGE;
}
