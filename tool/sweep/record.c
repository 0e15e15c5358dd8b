/* SPDX-License-Identifier: MIT */
/* Results of runs as bytes, and back. */
#include "sweep/record.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/checksum.h"

/* "gasweepr" as a number of this machine: a record is read where it was written */
static const uint64_t MARK = 0x7270656577736167u;

/* Numbers in a row of the history: t and the columns. */
static size_t row_width(const sweep_shape *s) {
  return (size_t)(1 + s->columns);
}

/* Bytes behind the head of a record: values, rows, message. */
static size_t body_size(const sweep_shape *s, const sweep_record *head) {
  const size_t numbers = (size_t)s->values + (size_t)head->rows * row_width(s);
  return numbers * sizeof(double) + (size_t)head->message;
}

/* Checksum of all bytes of the record behind the field `checksum`. */
static uint64_t record_checksum(const sweep_record *head, const char *body) {
  const char *behind = (const char *)&head->bytes;
  const size_t size = sizeof *head - (size_t)(behind - (const char *)head);
  return sweep_checksum(sweep_checksum(SWEEP_CHECKSUM_BEGIN, behind, size), body,
                        (size_t)head->bytes);
}

/* Packs a result into new memory, *size bytes: head, values, rows, message. The caller frees it;
 * NULL if memory is short. */
char *sweep_record_pack(const sweep_shape *s, const sweep_result *r, size_t *size) {
  sweep_record head = {.mark = MARK,
                       .run = r->run,
                       .status = (int64_t)r->status,
                       .rows = r->rows,
                       .seconds = r->seconds,
                       .message = (int64_t)strlen(r->message)};
  head.bytes = (int64_t)body_size(s, &head);
  *size = sizeof head + (size_t)head.bytes;
  char *all = malloc(*size);
  if (!all) return NULL;
  char *body = all + sizeof head;
  const size_t values = (size_t)s->values * sizeof(double);
  const size_t rows = (size_t)r->rows * row_width(s) * sizeof(double);
  memcpy(body, r->value, values);
  if (rows > 0) memcpy(body + values, r->row, rows);
  memcpy(body + values + rows, r->message, (size_t)head.message);
  head.checksum = record_checksum(&head, body);
  memcpy(all, &head, sizeof head);
  return all;
}

/* Can this be the head of a record of this sweep, of which `size` bytes are there? Checks all
 * numbers of the head before anything is allocated by them; the checksum is checked later. */
bool sweep_record_possible(const sweep_shape *s, const sweep_record *head, long runs,
                           int64_t size) {
  const int64_t most = size - (int64_t)sizeof *head;
  return most >= 0 && head->mark == MARK && head->run >= 0 && head->run < runs && head->rows >= 0 &&
         head->rows <= most / (int64_t)(row_width(s) * sizeof(double)) && head->message >= 0 &&
         head->message < SWEEP_MESSAGE && head->status >= 0 && head->status < SWEEP_MISSING &&
         head->bytes == (int64_t)body_size(s, head) && head->bytes <= most;
}

/* Room for `rows` rows of the history in r; false if memory is short. */
static bool make_room(const sweep_shape *s, sweep_result *r, long rows) {
  if (rows <= r->room) return true;
  double *row = realloc(r->row, (size_t)rows * row_width(s) * sizeof *row);
  if (!row) return false;
  r->row = row;
  r->room = rows;
  return true;
}

/* Checks the checksum and copies the record into r, which sweep_result_open has made. The head
 * must have passed sweep_record_possible. False, with the values and message of r unchanged, if
 * it is damaged or memory is short (errno is ENOMEM). */
bool sweep_record_unpack(const sweep_shape *s, const char *record, sweep_result *r) {
  sweep_record head;
  memcpy(&head, record, sizeof head);
  const char *body = record + sizeof head;
  if (record_checksum(&head, body) != head.checksum || !make_room(s, r, (long)head.rows))
    return false;
  const size_t values = (size_t)s->values * sizeof(double);
  const size_t rows = (size_t)head.rows * row_width(s) * sizeof(double);
  memcpy(r->value, body, values);
  if (rows > 0) memcpy(r->row, body + values, rows);
  memcpy(r->message, body + values + rows, (size_t)head.message);
  r->message[head.message] = '\0';
  r->run = (long)head.run;
  r->status = (sweep_status)head.status;
  r->rows = (long)head.rows;
  r->seconds = head.seconds;
  return true;
}
