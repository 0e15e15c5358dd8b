/* SPDX-License-Identifier: MIT */
/* The word nearest to a mistyped one, for "did you mean". */
#include <string.h>

#include "base/base.h"

enum { WORD_MAX = 48 }; /* longest word that is compared */

/* the smaller of two numbers */
static int smaller(int a, int b) {
  return a < b ? a : b;
}

/* Number of insertions, deletions, replacements and exchanges of neighbouring letters that turn a
 * into b (Damerau and Levenshtein); WORD_MAX if a word is longer than that. Only the last three
 * rows of the table are kept. */
static int edit_distance(const char *a, const char *b) {
  int table[3][WORD_MAX + 1];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > WORD_MAX || nb > WORD_MAX) return WORD_MAX;
  for (int i = 0; i <= na; i++) {
    int *row = table[i % 3], *above = table[(i + 2) % 3], *second = table[(i + 1) % 3];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      if (i == 0) {
        row[j] = j;
        continue;
      }
      row[j] = smaller(above[j - 1] + (a[i - 1] != b[j - 1]), smaller(above[j], row[j - 1]) + 1);
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = smaller(row[j], second[j - 2] + 1);
    }
  }
  return table[na % 3][nb];
}

/* The candidate (candidate(context, 0), 1, .. until NULL) that a mistyped word probably means; NULL
 * if none is near: one edit for up to four letters, else a third of the letters and one more. A
 * word of three or more letters that begins a candidate counts as near. */
const char *ga_nearest_in(const char *word, const char *(*candidate)(const void *context, int i),
                          const void *context) {
  const char *best = NULL;
  int nearest = WORD_MAX;
  for (int i = 0; candidate(context, i); i++) {
    const char *c = candidate(context, i);
    int d = edit_distance(word, c);
    /* the beginning of a longer word counts as near */
    if (strlen(word) >= 3 && strncmp(word, c, strlen(word)) == 0) d = 1;
    if (d < nearest) {
      nearest = d;
      best = c;
    }
  }
  /* any single letter is one edit from any other: no suggestion for it */
  int allowed = strlen(word) <= 1 ? 0 : strlen(word) <= 4 ? 1 : (int)strlen(word) / 3 + 1;
  return nearest <= allowed ? best : NULL;
}

typedef struct {
  const char *(*candidate)(int i);
} plain_list;

/* candidate i of a list without context, for ga_nearest_in */
static const char *plain_candidate(const void *context, int i) {
  return ((const plain_list *)context)->candidate(i);
}

/* ga_nearest_in for a list without context: the nearest candidate, or NULL */
const char *ga_nearest_word(const char *word, const char *(*candidate)(int i)) {
  const plain_list list = {candidate};
  return ga_nearest_in(word, plain_candidate, &list);
}
