/* SPDX-License-Identifier: MIT */
/* Rows of numbers, some thousand of them however many come: when the room is full every second row
 * is dropped, and only half as many are kept from then on. The newest is always there. */
#ifndef TOOL_PICTURE_THINNED_ROWS_H
#define TOOL_PICTURE_THINNED_ROWS_H

#include <stdbool.h>

typedef struct thinned_rows {
  int width, room;
  int count;         /* rows kept */
  bool pending;      /* row [count] holds the newest, not kept so far */
  long seen, stride; /* every stride-th row is kept */
  double *data;      /* (room + 1) x width */
} thinned_rows;

/* false: no memory */
bool thinned_rows_open(thinned_rows *r, int width, int room);
void thinned_rows_close(thinned_rows *r);

double *thinned_rows_at(const thinned_rows *r, int i);
/* Where the next row goes; thinned_rows_keep after it has been written. */
double *thinned_rows_next(const thinned_rows *r);
void thinned_rows_keep(thinned_rows *r);
/* How many rows there are, with the newest. */
int thinned_rows_count(const thinned_rows *r);

#endif
