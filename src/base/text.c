/* SPDX-License-Identifier: MIT */
/* Nearest words for "did you mean". */
#include <string.h>

#include "base/base.h"

enum { WORD_MAX = 48 };

/* Levenshtein distance, two rows of the table. */
static int distance(const char *a, const char *b) {
  int row[WORD_MAX + 1];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > WORD_MAX || nb > WORD_MAX) return WORD_MAX;
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int above = row[j];
      int best = diagonal + (a[i - 1] != b[j - 1]);
      if (above + 1 < best) best = above + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best;
      diagonal = above;
    }
  }
  return row[nb];
}

const char *ga_nearest_word(const char *word, const char *(*candidate)(int i)) {
  const char *best = NULL;
  int least = WORD_MAX;
  for (int i = 0; candidate(i); i++) {
    const char *c = candidate(i);
    int d = distance(word, c);
    /* a beginning of a longer name counts as near */
    if (strlen(word) >= 3 && strncmp(word, c, strlen(word)) == 0) d = 1;
    if (d < least) {
      least = d;
      best = c;
    }
  }
  int allowed = strlen(word) <= 4 ? 1 : (int)strlen(word) / 3 + 1;
  return least <= allowed ? best : NULL;
}
