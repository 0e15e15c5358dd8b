/* SPDX-License-Identifier: MIT */
/* What is kept of an item in DIR/.genalpha: claims, the time it took, and a stamp of program, size
 * and files, by which a later run knows whether it has to be computed again. */
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

/* DIR and DIR/.genalpha are there and can be written to; false after a message. */
bool record_prepare(const char *dir);

uint64_t record_program(void);               /* of the running program */
uint64_t record_hash_file(const char *path); /* 0: it cannot be read */

/* Written aside and renamed, after all other files of the item. False after a message. */
bool record_save(const char *dir, const item *it, const record *rec);
/* False if there is none or it cannot be read. */
bool record_load(const char *dir, const item *it, record *rec);

/* Does it stand for what the running program would compute, and are its files untouched? */
bool record_data_current(const char *dir, const item *it, const record *rec, bool quick);
bool record_picture_current(const char *dir, const item *it, const record *rec);

#endif
