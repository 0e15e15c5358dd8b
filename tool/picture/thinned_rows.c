/* SPDX-License-Identifier: MIT */
/* Rows that are thinned as they come. */
#include "picture/thinned_rows.h"

#include <stdlib.h>
#include <string.h>

bool rows_open(thin_rows *r, int width, int room) {
  *r = (thin_rows){.width = width, .room = room, .stride = 1};
  r->data = calloc((size_t)(room + 1) * (size_t)width, sizeof *r->data);
  return r->data != NULL;
}

void rows_close(thin_rows *r) {
  free(r->data);
  *r = (thin_rows){.width = 0};
}

double *rows_at(const thin_rows *r, int i) {
  return r->data + (size_t)i * (size_t)r->width;
}

double *rows_next(const thin_rows *r) {
  return rows_at(r, r->count);
}

int rows_count(const thin_rows *r) {
  return r->count + r->pending;
}

void rows_keep(thin_rows *r) {
  const size_t size = (size_t)r->width * sizeof *r->data;
  r->pending = r->seen++ % r->stride != 0;
  if (r->pending) return;
  r->count++;
  if (r->count < r->room) return;
  /* full: drop every second row, the newest stays pending, keep half as many from now on */
  for (int i = 1; 2 * i < r->room; i++) memcpy(rows_at(r, i), rows_at(r, 2 * i), size);
  memcpy(rows_at(r, r->room / 2), rows_at(r, r->room - 1), size);
  r->count = r->room / 2;
  r->pending = true;
  r->stride *= 2;
}
