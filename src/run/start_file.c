/* SPDX-License-Identifier: MIT */
/* Start values on disk: t, q and v of a state that no run has reached, such as an equilibrium. Any
 * run of the model can start there, whatever its method, its steps and its events are.
 *
 * Layout: a head (magic, version, byte order, sizes), the numbers t, q, v, and a checksum (FNV-1a)
 * over both. Numbers are stored as they are in memory. */
#include <stdint.h>
#include <string.h>

#include "genalpha/ga_integrator.h"
#include "run/start_file.h"
#include "run/state_file.h"

enum { START_VERSION = 1, START_ORDER = 0x01020304 };
static const char START_MAGIC[8] = "GASTART";

/* First bytes of the file. All members have 8 bytes, so that there is no padding. */
typedef struct {
  char magic[8];
  int64_t order, version;
  ga_start_sizes sizes;
} start_head;

/* FNV-1a hash of n bytes. */
static uint64_t hash_bytes(const unsigned char *bytes, size_t n) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

/* Save t, q and v as start values of runs of the model: ga_integrator_load starts there. GA_ERR_IO
 * if the system refuses, GA_ERR_MEM; the old file is then unchanged. */
ga_status ga_start_save(const char *path, const ga_model *model, double t, const double *q,
                        const double *v, ga_error *err) {
  const size_t nq = (size_t)ga_space_nq(model->space), nv = (size_t)ga_space_nv(model->space);
  const start_head head = {.order = START_ORDER,
                           .version = START_VERSION,
                           .sizes = {(int64_t)nq, (int64_t)nv, model->nlam, model->npsi}};
  const size_t n = sizeof head + (1 + nq + nv) * sizeof(double);
  unsigned char *bytes = ga_calloc(n + sizeof(uint64_t), 1);
  if (!bytes) return ga_fail(err, GA_ERR_MEM, "no memory to save start values");
  memcpy(bytes, &head, sizeof head);
  memcpy(bytes, START_MAGIC, sizeof START_MAGIC);
  unsigned char *at = bytes + sizeof head;
  memcpy(at, &t, sizeof t);
  memcpy(at + sizeof t, q, nq * sizeof(double));
  memcpy(at + sizeof t + nq * sizeof(double), v, nv * sizeof(double));
  const uint64_t sum = hash_bytes(bytes, n);
  memcpy(bytes + n, &sum, sizeof sum);
  const ga_status status = ga_file_replace(err, path, bytes, n + sizeof sum);
  ga_free(bytes);
  return status;
}

/* Does an open file begin as a file of start values? Its position is the beginning afterwards. */
bool ga_start_file_is(FILE *file) {
  char magic[sizeof START_MAGIC] = "";
  const bool is = fread(magic, 1, sizeof magic, file) == sizeof magic &&
                  memcmp(magic, START_MAGIC, sizeof magic) == 0;
  rewind(file);
  return is;
}

/* GA_ERR_FILE, with a message that says what differs, unless the head is that of a file for a model
 * of these sizes. */
static ga_status check_start_head(const start_head *head, const char *path,
                                  const ga_start_sizes *own, ga_error *err) {
  if (head->order != START_ORDER) {
    return ga_fail(err, GA_ERR_FILE, "state file '%s' comes from a machine of other byte order",
                   path);
  }
  if (head->version != START_VERSION) {
    return ga_fail(err, GA_ERR_FILE,
                   "state file '%s' has format %lld of start values, this library reads format %d",
                   path, (long long)head->version, START_VERSION);
  }
  const ga_start_sizes *s = &head->sizes;
  if (memcmp(s, own, sizeof *s) == 0) return GA_OK;
  return ga_fail(err, GA_ERR_FILE,
                 "state file '%s' is of another model: %lld coordinates, %lld velocities, %lld + "
                 "%lld constraints; this one has %lld, %lld, %lld + %lld",
                 path, (long long)s->nq, (long long)s->nv, (long long)s->nlam, (long long)s->npsi,
                 (long long)own->nq, (long long)own->nv, (long long)own->nlam,
                 (long long)own->npsi);
}

/* Read the n numbers after the head, which has been read, and compare the checksum. GA_ERR_FILE
 * if the file is damaged. */
static ga_status read_values(FILE *file, const char *path, const start_head *head, size_t n,
                             double *values, ga_error *err) {
  const size_t length = sizeof *head + n * sizeof(double);
  unsigned char *bytes = ga_calloc(length, 1);
  uint64_t sum = 0;
  if (!bytes) return ga_fail(err, GA_ERR_MEM, "no memory to load start values");
  memcpy(bytes, head, sizeof *head);
  const bool whole = fread(bytes + sizeof *head, sizeof(double), n, file) == n &&
                     fread(&sum, sizeof sum, 1, file) == 1 && fgetc(file) == EOF &&
                     sum == hash_bytes(bytes, length);
  memcpy(values, bytes + sizeof *head, n * sizeof(double));
  ga_free(bytes);
  if (whole) return GA_OK;
  return ga_fail(err, GA_ERR_FILE, "state file '%s' is torn or damaged", path);
}

/* Read an open file of start values: *values <- t, q, v (1 + nq + nv numbers), to be freed by
 * ga_free. GA_ERR_FILE if the file is damaged or of another model, GA_ERR_MEM; then *values is
 * NULL. */
ga_status ga_start_file_read(FILE *file, const char *path, const ga_start_sizes *sizes,
                             double **values, ga_error *err) {
  start_head head;
  *values = NULL;
  if (fread(&head, sizeof head, 1, file) != 1) {
    return ga_fail(err, GA_ERR_FILE, "state file '%s' is torn or damaged", path);
  }
  ga_status status = check_start_head(&head, path, sizes, err);
  if (status != GA_OK) return status;
  const size_t n = 1 + (size_t)sizes->nq + (size_t)sizes->nv;
  *values = ga_calloc(n, sizeof(double));
  if (!*values) return ga_fail(err, GA_ERR_MEM, "no memory to load start values");
  status = read_values(file, path, &head, n, *values, err);
  if (status == GA_OK) return GA_OK;
  ga_free(*values);
  *values = NULL;
  return status;
}
