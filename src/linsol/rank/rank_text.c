/* SPDX-License-Identifier: MIT */
/* Sentences on dependent rows. */
#include <stdio.h>
#include <string.h>

#include "linsol/rank/rank.h"

/* the result, and the names of its rows: nlam rows of G, then those of H */
typedef struct {
  const ga_rank *rank;
  int nlam;
  const char *const *lam_names, *const *psi_names;
} names;

/* The name of a row, NULL if it has none. */
static const char *name_of(const names *n, int row) {
  bool holonomic = row < n->nlam;
  const char *const *list = holonomic ? n->lam_names : n->psi_names;
  return list ? list[holonomic ? row : row - n->nlam] : NULL;
}

/* Length of the name of the owner: "joint hinge" in "joint hinge, row 1". */
static size_t owner_length(const char *name) {
  const char *end = strstr(name, ", row ");
  return end ? (size_t)(end - name) : strlen(name);
}

/* Do rows a and b have the same owner? Rows without ", row " in their name own themselves. */
static bool same_owner(const names *n, int a, int b) {
  if (a == b) return true;
  const char *x = name_of(n, a), *y = name_of(n, b);
  if (!x || !y || !strstr(x, ", row ")) return false;
  size_t length = owner_length(x);
  return owner_length(y) == length && strncmp(x, y, length) == 0;
}

/* Print the owner of a row to text: "joint 'hinge'", or without `kind` only "'hinge'"; a row
 * without name is g[3] or k[3]. Returns what snprintf returns. */
static int print_owner(const names *n, int row, bool kind, char *text, size_t room) {
  const char *name = name_of(n, row);
  if (!name) {
    bool holonomic = row < n->nlam;
    return snprintf(text, room, "%s[%d]", holonomic ? "g" : "k", holonomic ? row : row - n->nlam);
  }
  size_t length = owner_length(name);
  const char *space = memchr(name, ' ', length);
  size_t before = space ? (size_t)(space - name) + 1 : 0;
  return snprintf(text, room, "%.*s'%.*s'", kind ? (int)before : 0, name, (int)(length - before),
                  name + before);
}

/* Position after printing, at most room - 1: snprintf returns the length it would have needed. */
static size_t advance(size_t at, int printed, size_t room) {
  size_t next = at + (printed > 0 ? (size_t)printed : 0);
  return next < room ? next : room - 1;
}

/* Number of rows, dependent or not, that belong to the owner of this row. */
static int count_rows_of_owner(const names *n, int row) {
  int count = 0;
  int from = row < n->nlam ? 0 : n->nlam, to = row < n->nlam ? n->nlam : n->rank->rows;
  for (int i = from; i < to; i++) count += same_owner(n, row, i);
  return count;
}

/* Is the d-th dependent row the first one of its owner? The rows of an owner follow one another. */
static bool first_of_owner(const names *n, int d) {
  return d == 0 || !same_owner(n, n->rank->dependent[d - 1], n->rank->dependent[d]);
}

/* Print " from 'a', 'b'": the owners, at most MOST, of the rows from which the dependent rows of
 * the owner of `row` follow, without this owner. Writes at text + at; returns the new position. */
static size_t print_sources(const names *n, int row, char *text, size_t at, size_t room) {
  enum { MOST = 8 };
  const ga_rank *r = n->rank;
  int said[MOST], count = 0;
  bool itself = false, more = false;
  for (int d = 0; d < r->ndependent; d++) {
    if (!same_owner(n, r->dependent[d], row)) continue;
    for (int k = r->start[d]; k < r->start[d + 1]; k++) {
      bool known = same_owner(n, r->from[k], row);
      itself |= known;
      for (int s = 0; s < count && !known; s++) known = same_owner(n, said[s], r->from[k]);
      more |= !known && count == MOST;
      if (known || count == MOST) continue;
      int index = count++;
      for (; index > 0 && said[index - 1] > r->from[k]; index--) {
        said[index] = said[index - 1];
      }
      said[index] = r->from[k];
    }
  }
  for (int s = 0; s < count; s++) {
    at = advance(at, snprintf(text + at, room - at, s ? ", " : " from "), room);
    at = advance(at, print_owner(n, said[s], false, text + at, room - at), room);
  }
  if (more) at = advance(at, snprintf(text + at, room - at, " and others"), room);
  if (count == 0 && itself) at = advance(at, snprintf(text + at, room - at, " from its own"), room);
  return at;
}

/* Write sentence i (from 0) about the dependent rows to text, one for each owner, such as "joint
 * 'a': 3 of its 5 rows follow from 'b'"; false, with text unchanged, past the last one. Names of
 * the rows of G (nlam of them) and H may be NULL. */
bool ga_rank_sentence(const ga_rank *rank, int nlam, const char *const *lam_names,
                      const char *const *psi_names, int i, char *text, size_t room) {
  const names n = {rank, nlam, lam_names, psi_names};
  int d = 0;
  for (; d < rank->ndependent; d++) {
    if (first_of_owner(&n, d) && i-- == 0) break;
  }
  if (d == rank->ndependent) return false;
  int row = rank->dependent[d], dependent = 0, all = count_rows_of_owner(&n, row);
  for (int e = 0; e < rank->ndependent; e++) dependent += same_owner(&n, rank->dependent[e], row);
  size_t at = advance(0, print_owner(&n, row, true, text, room), room);
  if (all == 1) {
    at = advance(at, snprintf(text + at, room - at, " follows"), room);
  } else {
    at = advance(at,
                 snprintf(text + at, room - at, ": %d of its %d rows follow%s", dependent, all,
                          dependent == 1 ? "s" : ""),
                 room);
  }
  if (print_sources(&n, row, text, at, room) > at) return true;
  snprintf(text + at, room - at, "%s",
           dependent == 1 ? " from nothing: its gradient is zero" : "; their gradients are zero");
  return true;
}
