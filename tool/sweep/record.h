/* SPDX-License-Identifier: MIT */
/* The result of a run as bytes, with its length and a checksum: a record of the journal, and what
 * workers in other processes send. */
#ifndef TOOL_SWEEP_RECORD_H
#define TOOL_SWEEP_RECORD_H

#include "sweep/one_run.h"

typedef struct sweep_record {
  uint64_t mark, checksum; /* the checksum is that of all behind it */
  int64_t bytes;           /* of what follows this head: values, rows, message */
  int64_t run, status, rows;
  double seconds;
  int64_t message; /* bytes */
} sweep_record;

/* The whole record, to be freed; NULL without memory. */
char *sweep_record_pack(const sweep_shape *s, const sweep_result *r, size_t *size);

/* Can this be the head of a record of a sweep with so many runs, of at most `size` bytes in all? */
bool sweep_record_possible(const sweep_shape *s, const sweep_record *head, long runs, int64_t size);
/* The record back as a result. False, with nothing said, if it is damaged or there is no memory. */
bool sweep_record_unpack(const sweep_shape *s, const char *record, sweep_result *r);

#endif
