/* SPDX-License-Identifier: MIT */
/* Rows of numbers, some thousand of them however many come: when the room is full every second row
 * is dropped, and only half as many are kept from then on. The newest is always there. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include <stdbool.h>

typedef struct thin_rows {
  int width, room;
  int count;         /* rows kept */
  bool pending;      /* row [count] holds the newest, not kept so far */
  long seen, stride; /* every stride-th row is kept */
  double *data;      /* (room + 1) x width */
} thin_rows;

/* false: no memory */
bool rows_open(thin_rows *r, int width, int room);
void rows_close(thin_rows *r);

double *rows_at(const thin_rows *r, int i);
/* Where the next row goes; rows_keep after it has been written. */
double *rows_next(const thin_rows *r);
void rows_keep(thin_rows *r);
/* How many rows there are, with the newest. */
int rows_count(const thin_rows *r);

#endif
