/* SPDX-License-Identifier: MIT */
/* Records as lines "key value", the claims one after the other. */
#define _POSIX_C_SOURCE 200809L
#include "papers/record.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char FORMAT[] = "genalpha reproduce 2";

/* path = DIR/ID followed by ending, or DIR/.genalpha/ID if ending is NULL; path has PATH_LENGTH
 * characters. False if the name is too long. */
bool record_path(char *path, const char *dir, const char *id, const char *ending) {
  int n = ending ? snprintf(path, PATH_LENGTH, "%s/%s%s", dir, id, ending)
                 : snprintf(path, PATH_LENGTH, "%s/.genalpha/%s", dir, id);
  return n > 0 && n < PATH_LENGTH;
}

/* Creates dir and the directories above it; true if it exists already. False with errno set. */
static bool make_directory(const char *dir) {
  char path[PATH_LENGTH];
  struct stat info;
  snprintf(path, sizeof path, "%s", dir);
  for (char *at = path + 1; *at; at++) {
    if (*at != '/') continue;
    *at = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return false;
    *at = '/';
  }
  if (mkdir(path, 0777) == 0) return true;
  if (errno != EEXIST || stat(path, &info) != 0) return false;
  if (!S_ISDIR(info.st_mode)) errno = ENOTDIR;
  return S_ISDIR(info.st_mode);
}

/* Creates DIR and DIR/.genalpha. False, after a message, if they cannot be created or
 * written to. */
bool record_prepare(const char *dir) {
  char path[PATH_LENGTH];
  errno = 0;
  if (!record_path(path, dir, "index.html", "")) {
    tool_error("--out '%.60s...': the name is too long", dir);
    return false;
  }
  snprintf(path, sizeof path, "%s/.genalpha", dir);
  if (make_directory(dir) && make_directory(path) && access(dir, W_OK) == 0 &&
      access(path, W_OK) == 0) {
    return true;
  }
  tool_error("cannot write to the directory '%s': %s", dir, strerror(errno));
  return false;
}

/* FNV-1a, 64 bits */
static const uint64_t HASH_START = UINT64_C(14695981039346656037);

/* FNV-1a: continues `hash` over n bytes. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t n) {
  const unsigned char *c = data;
  for (size_t i = 0; i < n; i++) hash = (hash ^ c[i]) * UINT64_C(1099511628211);
  return hash;
}

/* FNV-1a hash of the file's bytes; 0 if it cannot be read. */
uint64_t record_hash_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  char block[16384];
  uint64_t hash = HASH_START;
  size_t n;
  while ((n = fread(block, 1, sizeof block, file)) > 0) hash = hash_bytes(hash, block, n);
  bool good = !ferror(file);
  fclose(file);
  return good ? hash : 0;
}

/* Hash of the program's own file where /proc shows it, so that a rebuilt program computes anew;
 * elsewhere of its version and capabilities. */
uint64_t record_program(void) {
  static uint64_t hash;
  if (!hash) hash = record_hash_file("/proc/self/exe");
  if (hash) return hash;
  hash = hash_bytes(HASH_START, ga_version(), strlen(ga_version()));
  hash = hash_bytes(hash, ga_capabilities(), strlen(ga_capabilities()));
  return hash;
}

/* one list of the fields of a claim and of a record, for writing and reading */
#define CLAIM_FIELDS(TEXT, REAL) \
  TEXT(source) REAL(paper) REAL(tolerance) REAL(ours) REAL(corrected) TEXT(because)

/* Writes one claim as lines "key value". */
static void write_claim(FILE *to, const claim *c) {
  fprintf(to, "claim %s\nrelation %d\naddition %d\n", c->text, (int)c->relation, c->addition);
#define TEXT(field) fprintf(to, #field " %s\n", c->field);
#define REAL(field) fprintf(to, #field " %.17g\n", c->field);
  CLAIM_FIELDS(TEXT, REAL)
#undef TEXT
#undef REAL
}

/* Writes the record to a new file and renames it, so that a reader never sees half of one. False
 * after a message (none if the path is too long). */
bool record_save(const char *dir, const item *it, const record *rec) {
  char path[PATH_LENGTH], aside[PATH_LENGTH + 8];
  errno = 0;
  if (!record_path(path, dir, it->id, NULL)) return false;
  snprintf(aside, sizeof aside, "%s.new", path);
  FILE *to = fopen(aside, "w");
  if (to) {
    fprintf(to, "%s\nprogram %016" PRIx64 "\nquick %d\nseconds %.3f\n", FORMAT, rec->program,
            rec->quick, rec->seconds);
    fprintf(to, "csv %016" PRIx64 "\nsvg %016" PRIx64 "\n", rec->csv, rec->svg);
    if (rec->failure[0]) fprintf(to, "failure %s\n", rec->failure);
    for (int i = 0; i < rec->claims; i++) write_claim(to, &rec->claim[i]);
    fputs("end\n", to);
    bool good = !ferror(to);
    if (fclose(to) == 0 && good && rename(aside, path) == 0) return true;
  }
  tool_error("cannot write '%s': %s", path, strerror(errno));
  return false;
}

/* Sets the field `key` of c; unknown keys are ignored. */
static void read_claim_line(claim *c, const char *key, const char *value) {
  if (strcmp(key, "relation") == 0) {
    int relation = atoi(value);
    bool known = relation >= 0 && relation < CLAIM_RELATIONS;
    c->relation = known ? (claim_relation)relation : CLAIM_NEAR;
  }
  if (strcmp(key, "addition") == 0) c->addition = atoi(value) != 0;
#define TEXT(field) \
  if (strcmp(key, #field) == 0) snprintf(c->field, sizeof c->field, "%s", value);
#define REAL(field) \
  if (strcmp(key, #field) == 0) c->field = strtod(value, NULL);
  CLAIM_FIELDS(TEXT, REAL)
#undef TEXT
#undef REAL
}

/* Sets the field `key` of rec; "claim" begins a new claim, to which the lines after it belong. */
static void read_line(record *rec, const char *key, const char *value) {
  if (strcmp(key, "program") == 0) rec->program = strtoull(value, NULL, 16);
  if (strcmp(key, "csv") == 0) rec->csv = strtoull(value, NULL, 16);
  if (strcmp(key, "svg") == 0) rec->svg = strtoull(value, NULL, 16);
  if (strcmp(key, "quick") == 0) rec->quick = atoi(value) != 0;
  if (strcmp(key, "seconds") == 0) rec->seconds = strtod(value, NULL);
  if (strcmp(key, "failure") == 0) snprintf(rec->failure, sizeof rec->failure, "%s", value);
  if (strcmp(key, "claim") == 0 && rec->claims < CLAIMS_MAX) {
    claim *c = &rec->claim[rec->claims++];
    *c = (claim){.corrected = NAN};
    snprintf(c->text, sizeof c->text, "%s", value);
  } else if (rec->claims > 0) {
    read_claim_line(&rec->claim[rec->claims - 1], key, value);
  }
}

/* Reads the record of an item into *rec, which need not be initialized. False if there is none,
 * of another format, or incomplete (no "end"); *rec may then be partly filled. */
bool record_load(const char *dir, const item *it, record *rec) {
  char path[PATH_LENGTH], line[1024];
  *rec = (record){.claims = 0};
  FILE *file = record_path(path, dir, it->id, NULL) ? fopen(path, "r") : NULL;
  if (!file) return false;
  bool known = fgets(line, sizeof line, file) && strncmp(line, FORMAT, strlen(FORMAT)) == 0;
  bool whole = false;
  while (known && !whole && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    char *value = line + strcspn(line, " ");
    if (*value) *value++ = '\0';
    whole = strcmp(line, "end") == 0;
    read_line(rec, line, value);
  }
  fclose(file);
  return known && whole;
}

/* True if the file of this item still has the hash of the record; false for hash 0. */
static bool untouched(const char *dir, const item *it, const char *ending, uint64_t hash) {
  char path[PATH_LENGTH];
  return hash && record_path(path, dir, it->id, ending) && record_hash_file(path) == hash;
}

/* True if this program made the record with the same sizes, without failure, and the CSV file is
 * unchanged. */
bool record_data_current(const char *dir, const item *it, const record *rec, bool quick) {
  return rec->program == record_program() && rec->quick == quick && !rec->failure[0] &&
         untouched(dir, it, ".csv", rec->csv);
}

/* True if the item has no chart, or its SVG file still has the hash of the record. */
bool record_picture_current(const char *dir, const item *it, const record *rec) {
  return !it->chart || untouched(dir, it, ".svg", rec->svg);
}
