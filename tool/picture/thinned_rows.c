/* SPDX-License-Identifier: MIT */
/* Rows that are thinned as they come. */
#include "picture/thinned_rows.h"

#include <stdlib.h>
#include <string.h>

/* Fills *r, which need not be initialized: room + 1 zeroed rows of `width` numbers, the last one
 * for the newest row. False if memory is short. */
bool thinned_rows_open(thinned_rows *r, int width, int room) {
  *r = (thinned_rows){.width = width, .room = room, .stride = 1};
  r->data = calloc((size_t)(room + 1) * (size_t)width, sizeof *r->data);
  return r->data != NULL;
}

/* Frees the rows; *r is empty then. */
void thinned_rows_close(thinned_rows *r) {
  free(r->data);
  *r = (thinned_rows){.width = 0};
}

/* Row i, 0 <= i < thinned_rows_count(). */
double *thinned_rows_at(const thinned_rows *r, int i) {
  return r->data + (size_t)i * (size_t)r->width;
}

/* Where the next row is written; it overwrites a pending one. */
double *thinned_rows_next(const thinned_rows *r) {
  return thinned_rows_at(r, r->count);
}

/* Rows kept, and the pending one if there is one. */
int thinned_rows_count(const thinned_rows *r) {
  return r->count + r->pending;
}

/* Keeps the row just written at thinned_rows_next() if it is a stride-th one, else leaves it
 * pending: there, but overwritten by the next. When `room` rows are kept, drops every second
 * one, doubles the stride, and leaves the newest pending. */
void thinned_rows_keep(thinned_rows *r) {
  const size_t size = (size_t)r->width * sizeof *r->data;
  r->pending = r->seen++ % r->stride != 0;
  if (r->pending) return;
  r->count++;
  if (r->count < r->room) return;
  /* full: drop every second row, the newest stays pending, keep half as many from now on */
  for (int i = 1; 2 * i < r->room; i++)
    memcpy(thinned_rows_at(r, i), thinned_rows_at(r, 2 * i), size);
  memcpy(thinned_rows_at(r, r->room / 2), thinned_rows_at(r, r->room - 1), size);
  r->count = r->room / 2;
  r->pending = true;
  r->stride *= 2;
}
