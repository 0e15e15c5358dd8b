/* SPDX-License-Identifier: MIT */
/* The identity of a sweep: two sweeps with the same text have the same results. */
#include "sweep/identity.h"

#include <inttypes.h>
#include <string.h>

#include "sweep/checksum.h"

/* Checksum of the contents of a file; 0 if it cannot be read. */
static uint64_t hash_file(const char *path) {
  unsigned char piece[4096];
  uint64_t hash = SWEEP_CHECKSUM_BEGIN;
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
    hash = sweep_checksum(hash, piece, n);
  fclose(file);
  return hash;
}

/* Writes the list "vary" (or "random"): the texts of these variables, as on the command line. */
static void put_variables(FILE *to, const sweep_plan *p, bool random) {
  fprintf(to, ",\n  \"%s\": [", random ? "random" : "vary");
  for (int i = 0, n = 0; i < p->count; i++) {
    if ((p->variable[i].law.kind != NULL) != random) continue;
    if (n++) fputs(", ", to);
    json_string(to, p->variable[i].text);
  }
  fputc(']', to);
}

/* Writes the list "run": the options that all runs share, with their values. */
static void put_options(FILE *to, const sweep_plan *p) {
  fputs(",\n  \"run\": [", to);
  for (int i = 0; i < p->ngiven; i++) {
    char key[64];
    snprintf(key, sizeof key, "--%s", p->given[i].key);
    if (i) fputs(", ", to);
    json_string(to, key);
    fputs(", ", to);
    json_string(to, p->given[i].value ? p->given[i].value : "");
  }
  fputc(']', to);
}

/* Writes all that the results depend on as JSON, one key in a line, so that a difference can be
 * shown; for json_text, whose argument is a sweep_identity. */
void sweep_identity_write(FILE *to, const void *sweep_about_) {
  const sweep_identity *about = sweep_about_;
  const sweep_plan *p = about->plan;
  const sweep_shape *s = about->shape;
  fprintf(to, "{\n  \"sweep\": 1, \"genalpha\": \"%s\",\n  \"problem\": ", ga_version());
  json_string(to, p->operand);
  if (about->file) fprintf(to, ",\n  \"file_hash\": \"%016" PRIx64 "\"", hash_file(p->operand));
  put_options(to, p);
  put_variables(to, p, false);
  put_variables(to, p, true);
  fprintf(to, ",\n  \"samples\": %d, \"seed\": %" PRIu64, p->samples, p->seed);
  fputs(",\n  \"columns\": [", to);
  for (int i = 0; i < s->columns; i++) {
    if (i) fputs(", ", to);
    json_string(to, s->name[i].text);
  }
  fprintf(to, "],\n  \"extremes\": %s, \"history\": %s\n}\n", s->extremes ? "true" : "false",
          s->history ? "true" : "false");
}
