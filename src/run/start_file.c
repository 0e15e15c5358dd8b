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
enum { IN_JOINTS = 256 }; /* added to the version: coordinates of joints */

/* Are these coordinates those of joints? Others are told apart by name only in saved states. */
static int kind_bit(const char *coordinates) {
  return coordinates && strcmp(coordinates, "joint") == 0 ? IN_JOINTS : 0;
}

ga_status ga_state_other_coordinates(const char *name, const char *its, const char *own,
                                     ga_error *err) {
  const char *saved = its && *its ? its : "absolute", *here = own && *own ? own : "absolute";
  return ga_fail(err, GA_ERR_FILE,
                 "%s is in %s coordinates, this run in %s ones; run with --coordinates %s", name,
                 saved, here, saved);
}

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
                           .version = START_VERSION + kind_bit(model->coordinates),
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

/* Do the n bytes begin as a file of start values? */
bool ga_start_file_is(const void *bytes, size_t n) {
  return n >= sizeof START_MAGIC && memcmp(bytes, START_MAGIC, sizeof START_MAGIC) == 0;
}

/* GA_ERR_FILE, with a message that says what differs, unless the head is that of a file for a model
 * of these sizes. */
static ga_status check_start_head(const start_head *head, const char *name,
                                  const ga_start_sizes *own, const char *coordinates,
                                  ga_error *err) {
  if (head->order != START_ORDER) {
    return ga_fail(err, GA_ERR_FILE, "%s comes from a machine of other byte order", name);
  }
  const int64_t version = head->version & ~(int64_t)IN_JOINTS;
  if (version != START_VERSION) {
    return ga_fail(err, GA_ERR_FILE,
                   "%s has format %lld of start values, this library reads format %d", name,
                   (long long)version, START_VERSION);
  }
  if (head->version != START_VERSION + kind_bit(coordinates)) {
    return ga_state_other_coordinates(name, head->version > version ? "joint" : NULL, coordinates,
                                      err);
  }
  const ga_start_sizes *s = &head->sizes;
  if (memcmp(s, own, sizeof *s) == 0) return GA_OK;
  return ga_fail(err, GA_ERR_FILE,
                 "%s is of another model: %lld coordinates, %lld velocities, %lld + "
                 "%lld constraints; this one has %lld, %lld, %lld + %lld",
                 name, (long long)s->nq, (long long)s->nv, (long long)s->nlam, (long long)s->npsi,
                 (long long)own->nq, (long long)own->nv, (long long)own->nlam,
                 (long long)own->npsi);
}

/* *values <- where t, q and v (1 + nq + nv numbers) are in the n bytes of a file of start values.
 * GA_ERR_FILE if it is damaged or of another model; name: how messages call it. */
ga_status ga_start_file_values(const unsigned char *bytes, size_t n, const char *name,
                               const ga_start_sizes *sizes, const char *coordinates,
                               unsigned char **values, ga_error *err) {
  start_head head;
  uint64_t sum;
  if (n < sizeof head) return ga_fail(err, GA_ERR_FILE, "%s is torn or damaged", name);
  memcpy(&head, bytes, sizeof head);
  const ga_status status = check_start_head(&head, name, sizes, coordinates, err);
  if (status != GA_OK) return status;
  const size_t length = sizeof head + (1 + (size_t)sizes->nq + (size_t)sizes->nv) * sizeof(double);
  bool whole = n == length + sizeof sum;
  if (whole) memcpy(&sum, bytes + length, sizeof sum);
  whole = whole && sum == hash_bytes(bytes, length);
  if (!whole) return ga_fail(err, GA_ERR_FILE, "%s is torn or damaged", name);
  *values = (unsigned char *)bytes + sizeof head; /* they are only read */
  return GA_OK;
}
