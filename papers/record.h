/* SPDX-License-Identifier: MIT */
/* The record of an item in DIR/.genalpha: its claims, the time it took, and hashes of program and
 * files, by which a later run decides whether to compute it again. */
#ifndef PAPERS_RECORD_H
#define PAPERS_RECORD_H

#include <stdint.h>

#include "papers/item.h"

enum { PATH_LENGTH = 4096 };

typedef struct record {
  uint64_t program; /* hash of the program that made it */
  bool quick;
  double seconds;
  uint64_t csv, svg; /* hashes of the files; 0: there is none */
  int claims;
  claim claim[CLAIMS_MAX];
  char failure[500];
} record;

/* "DIR/ID.ending", "DIR/.genalpha/ID"; false if the name is too long. */
bool record_path(char *path, const char *dir, const char *id, const char *ending);

/* Creates DIR and DIR/.genalpha; false, after a message, if they cannot be written to. */
bool record_prepare(const char *dir);

uint64_t record_program(void);               /* of the running program */
uint64_t record_hash_file(const char *path); /* 0: it cannot be read */

/* Writes a new file and renames it. Call after all other files of the item are written. False after
 * a message. */
bool record_save(const char *dir, const item *it, const record *rec);
/* False if there is none or it cannot be read. */
bool record_load(const char *dir, const item *it, record *rec);

/* True if the running program would compute the same data (picture) and its file is unchanged. */
bool record_data_current(const char *dir, const item *it, const record *rec, bool quick);
bool record_picture_current(const char *dir, const item *it, const record *rec);

#endif
