/* SPDX-License-Identifier: MIT */
/* A state on disk: everything that influences later steps, so that a loaded run goes on bit by bit
 * like the run that saved it.
 *
 * Layout: a head (magic, version, byte order, sizes, method, parameters), a body (times,
 * statistics, arrays) and a checksum (FNV-1a) over both. Numbers are stored as they are in memory.
 * Saving forgets factors and pivots, as loading must: both runs then renew them in the next step.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/integrator.h"

enum { VERSION = 4, ORDER = 0x01020304 };
static const char MAGIC[8] = "GASTATE";

/* who wrote it; members of 8 bytes or multiples, so that there is no padding */
typedef struct {
  char magic[8];
  int64_t order, version;
  int64_t nq, nv, nlam, npsi, unknowns;
  int64_t fractions, automatic, events; /* how steps are chosen, how many events there are */
  int64_t redundant;                    /* rows may be left out */
  char method[32], variant[32];
  double par[5];
} head;

static head make_head(const ga_integrator *it) {
  const ga_params *par = &it->options.par;
  head h = {.order = ORDER,
            .version = VERSION,
            .nq = it->eval.nq,
            .nv = it->eval.nv,
            .nlam = it->eval.nlam,
            .npsi = it->eval.npsi,
            .unknowns = it->step.eq.n,
            .fractions = it->sequence.n,
            .automatic = it->control.on,
            .events = it->events.n,
            .redundant = it->redundant.on,
            .par = {par->alpha_m, par->alpha_f, par->beta, par->gamma, par->b}};
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  strncpy(h.method, it->method->name, sizeof h.method - 1);
  if (it->method->variant) strncpy(h.variant, it->method->variant, sizeof h.variant - 1);
  return h;
}

/* One walk over the body for all purposes: how long it is, writing, reading. */
typedef struct {
  enum { MEASURE, WRITE, READ } mode;
  unsigned char *at;
  size_t bytes;
} walk;

static void pass(walk *w, void *data, size_t bytes) {
  if (bytes == 0) return;
  if (w->mode == WRITE) memcpy(w->at, data, bytes);
  if (w->mode == READ) memcpy(data, w->at, bytes);
  if (w->mode != MEASURE) w->at += bytes;
  w->bytes += bytes;
}

static void pass_doubles(walk *w, double *x, int n) {
  pass(w, x, (size_t)n * sizeof(double));
}

static void pass_long(walk *w, long *value) {
  int64_t wide = *value;
  pass(w, &wide, sizeof wide);
  *value = (long)wide;
}

static void pass_bool(walk *w, bool *value) {
  long wide = *value;
  pass_long(w, &wide);
  *value = wide != 0;
}

/* which rows are left out, and what their choice is judged by */
static void pass_rows(walk *w, ga_integrator *it) {
  ga_equations *eq = &it->step.eq;
  ga_redundancy *r = &it->redundant;
  long rank = r->rank, dropped = eq->ndropped;
  if (!r->on) return;
  pass_long(w, &rank);
  pass_long(w, &dropped);
  pass_long(w, &r->calm);
  pass_bool(w, &r->singular);
  pass_doubles(w, r->reference, 2);
  pass_doubles(w, eq->unit, eq->nlam + eq->npsi);
  for (int i = 0; i < eq->nlam + eq->npsi; i++) pass_bool(w, &eq->dropped[i]);
  r->rank = (int)rank;
  eq->ndropped = (int)dropped;
}

static void pass_body(walk *w, ga_integrator *it) {
  ga_memory *mem = &it->mem;
  const ga_eval *e = &it->eval;
  pass_doubles(w, &mem->t, 1);
  pass_doubles(w, &mem->h, 1);
  pass_doubles(w, &it->h, 1);
  pass_doubles(w, &it->state.h, 1);
  pass_doubles(w, &it->sequence.t_base, 1);
  pass_doubles(w, &it->t_memory, 1);
  pass_long(w, &it->sequence.n_base);
  pass_long(w, &it->sequence.first);
#define PASS_COUNTER(name, text) pass_long(w, &it->stats.name);
#define PASS_EXTREME(name, text) pass_doubles(w, &it->stats.name, 1);
  GA_STAT_LIST(PASS_COUNTER, PASS_EXTREME)
#undef PASS_COUNTER
#undef PASS_EXTREME
  pass_doubles(w, &mem->delta, 1);
  pass_doubles(w, &mem->growth, 1);
  pass_bool(w, &mem->first);
#define PASS_ARRAY(name, size) pass_doubles(w, mem->name, e->size);
  GA_MEMORY_LIST(PASS_ARRAY)
#undef PASS_ARRAY
  pass_doubles(w, it->predictor.phi[0], it->step.eq.n);
  for (int i = 0; i < it->events.n; i++) {
    pass_doubles(w, &it->events.record[i].value, 1);
    pass_doubles(w, &it->events.record[i].t_last, 1);
  }
  pass_rows(w, it);
  ga_control *c = &it->control;
  if (!c->on) return;
  pass_doubles(w, &c->err_last, 1);
  pass_doubles(w, &c->t_vdd, 1);
  pass_doubles(w, c->vdd, e->nv);
  pass_doubles(w, c->size_q, e->nv);
  pass_doubles(w, c->size_v, e->nv);
}

static uint64_t checksum(const unsigned char *bytes, size_t n) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

static size_t file_size(ga_integrator *it) {
  walk w = {.mode = MEASURE};
  pass_body(&w, it);
  return sizeof(head) + w.bytes + sizeof(uint64_t);
}

static ga_status io_error(ga_integrator *it, const char *path, const char *what) {
  return ga_fail(&it->error, GA_ERR_IO, "state file '%s' cannot be %s: %s", path, what,
                 strerror(errno));
}

/* all bytes on the disk, or an error */
static ga_status write_file(ga_integrator *it, const char *path, const void *bytes, size_t n) {
  FILE *file = fopen(path, "wb");
  if (!file) return io_error(it, path, "created");
  bool good = fwrite(bytes, 1, n, file) == n && fflush(file) == 0;
  if (good) good = fsync(fileno(file)) == 0 || errno == EINVAL || errno == EROFS;
  int reason = errno;
  if (fclose(file) != 0 && good) {
    good = false;
    reason = errno;
  }
  errno = reason;
  return good ? GA_OK : io_error(it, path, "written");
}

/* Aside, then renamed: a crash leaves the old file or the new one, with the old one's permissions.
 * What is not a plain file (a pipe, a device, a link to something) is written directly. */
static ga_status replace_file(ga_integrator *it, const char *path, const void *bytes, size_t n) {
  struct stat there;
  bool exists = lstat(path, &there) == 0;
  if (exists && !S_ISREG(there.st_mode)) return write_file(it, path, bytes, n);
  size_t length = strlen(path) + 5;
  char *aside = ga_calloc(length, 1);
  if (!aside) return ga_fail(&it->error, GA_ERR_MEM, "no memory to save the state");
  snprintf(aside, length, "%s.tmp", path);
  ga_status status = write_file(it, aside, bytes, n);
  if (status == GA_OK && exists) chmod(aside, there.st_mode & 07777);
  if (status == GA_OK && rename(aside, path) != 0) status = io_error(it, path, "replaced");
  if (status != GA_OK) remove(aside);
  ga_free(aside);
  return status;
}

/* the next step begins without a past, in a run that saved and in one that loaded */
static void forget(ga_integrator *it) {
  ga_step_reset(&it->step);
  ga_predictor_forget(&it->predictor);
  ga_linsol_reset(&it->saddle.ls);
}

static ga_status save(ga_integrator *it, const char *path) {
  if (!path) return ga_fail(&it->error, GA_ERR_ARG, "path is NULL");
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  size_t n = file_size(it);
  unsigned char *bytes = ga_calloc(n, 1);
  if (!bytes) return ga_fail(&it->error, GA_ERR_MEM, "no memory to save the state");
  head h = make_head(it);
  memcpy(bytes, &h, sizeof h);
  pass_body(&(walk){.mode = WRITE, .at = bytes + sizeof h}, it);
  uint64_t sum = checksum(bytes, n - sizeof sum);
  memcpy(bytes + n - sizeof sum, &sum, sizeof sum);
  ga_status status = replace_file(it, path, bytes, n);
  ga_free(bytes);
  return status;
}

/* each rank of a team has a file of its own; if one fails, all say so */
ga_status ga_integrator_save(ga_integrator *it, const char *path) {
  ga_error_clear(&it->error);
  ga_status status = ga_team_agree(it->eval.team, save(it, path), &it->error);
  if (status == GA_OK) forget(it);
  return status;
}

static const char *describe_steps(const head *h, char *text, size_t room) {
  if (h->automatic) return "automatic steps";
  if (h->fractions == 1) return "steps of one size";
  snprintf(text, room, "steps of %lld sizes in turn", (long long)h->fractions);
  return text;
}

/* Is this file for this integrator? If not, say what differs. */
static ga_status check_head(ga_integrator *it, const char *path, const head *h) {
  ga_error *err = &it->error;
  head own = make_head(it);
  if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0) {
    return ga_fail(err, GA_ERR_FILE, "'%s' is not a state file of genalpha", path);
  }
  if (h->order != ORDER) {
    return ga_fail(err, GA_ERR_FILE, "state file '%s' comes from a machine of other byte order",
                   path);
  }
  if (h->version != VERSION) {
    return ga_fail(err, GA_ERR_FILE,
                   "state file '%s' has format %lld, this library reads format %d: it was written "
                   "by a %s version",
                   path, (long long)h->version, VERSION, h->version > VERSION ? "newer" : "older");
  }
  if (!memchr(h->method, '\0', sizeof h->method) || !memchr(h->variant, '\0', sizeof h->variant)) {
    return ga_fail(err, GA_ERR_FILE, "state file '%s' is damaged", path);
  }
  if (strcmp(h->method, own.method) != 0 || strcmp(h->variant, own.variant) != 0) {
    return ga_fail(err, GA_ERR_FILE,
                   "state file '%s' is of method '%s%s%s', this run uses '%s%s%s'", path, h->method,
                   h->variant[0] ? " " : "", h->variant, own.method, own.variant[0] ? " " : "",
                   own.variant);
  }
  if (memcmp(&h->nq, &own.nq, 5 * sizeof h->nq) != 0) {
    return ga_fail(err, GA_ERR_FILE,
                   "state file '%s' is of another model: %lld coordinates, %lld velocities, %lld + "
                   "%lld constraints; this one has %d, %d, %d + %d",
                   path, (long long)h->nq, (long long)h->nv, (long long)h->nlam, (long long)h->npsi,
                   it->eval.nq, it->eval.nv, it->eval.nlam, it->eval.npsi);
  }
  if (h->automatic != own.automatic || h->fractions != own.fractions) {
    char made[64], here[64];
    return ga_fail(err, GA_ERR_FILE, "state file '%s' is of a run with %s, this one has %s", path,
                   describe_steps(h, made, sizeof made), describe_steps(&own, here, sizeof here));
  }
  if (h->redundant != own.redundant) {
    return ga_fail(err, GA_ERR_FILE,
                   "state file '%s' is of a run with redundant = %s, this one has redundant = %s",
                   path, h->redundant ? "allow" : "refuse", own.redundant ? "allow" : "refuse");
  }
  if (h->events != own.events) {
    return ga_fail(err, GA_ERR_FILE,
                   "state file '%s' has %lld events, this run %lld: add the same events first",
                   path, (long long)h->events, (long long)own.events);
  }
  if (memcmp(h->par, own.par, sizeof own.par) != 0) {
    return ga_fail(err, GA_ERR_FILE,
                   "state file '%s' has other parameters: alpha_m %.10g, alpha_f %.10g, beta "
                   "%.10g, gamma %.10g, b %.10g",
                   path, h->par[0], h->par[1], h->par[2], h->par[3], h->par[4]);
  }
  return GA_OK;
}

static ga_status torn(ga_integrator *it, const char *path) {
  return ga_fail(&it->error, GA_ERR_FILE,
                 "state file '%s' is torn or damaged; take an older one or start anew", path);
}

/* t, h of the history, next h, last h (0 after a start), t_base, t_memory: the body begins so */
static bool times_make_sense(const unsigned char *body) {
  double t[6];
  memcpy(t, body, sizeof t);
  return ga_first_nonfinite(6, t) < 0 && t[1] > 0 && t[2] > 0 && t[3] >= 0 && t[5] <= t[0];
}

/* the whole file, of exactly the expected length, sum right */
static ga_status read_file(ga_integrator *it, const char *path, FILE *file, unsigned char *bytes,
                           size_t n) {
  head h;
  uint64_t sum;
  size_t got = fread(bytes, 1, sizeof h, file);
  if (ferror(file)) return io_error(it, path, "read");
  if (got < sizeof h) {
    size_t begun = got < sizeof MAGIC ? got : sizeof MAGIC;
    if (memcmp(bytes, MAGIC, begun) == 0) return torn(it, path);
    memset(bytes + got, 0, sizeof h - got);
  }
  memcpy(&h, bytes, sizeof h);
  ga_status status = check_head(it, path, &h);
  if (status != GA_OK) return status;
  got = fread(bytes + sizeof h, 1, n - sizeof h, file);
  if (ferror(file)) return io_error(it, path, "read");
  memcpy(&sum, bytes + n - sizeof sum, sizeof sum);
  bool whole = got == n - sizeof h && fgetc(file) == EOF;
  bool good = whole && sum == checksum(bytes, n - sizeof sum) && times_make_sense(bytes + sizeof h);
  return good ? GA_OK : torn(it, path);
}

static ga_status load(ga_integrator *it, const char *path) {
  if (!path) return ga_fail(&it->error, GA_ERR_ARG, "path is NULL");
  size_t n = file_size(it);
  unsigned char *bytes = ga_calloc(n, 1);
  if (!bytes) return ga_fail(&it->error, GA_ERR_MEM, "no memory to load a state");
  FILE *file = fopen(path, "rb");
  ga_status status = file ? read_file(it, path, file, bytes, n) : io_error(it, path, "opened");
  if (file) fclose(file);
  if (status == GA_OK) {
    pass_body(&(walk){.mode = READ, .at = bytes + sizeof(head)}, it);
    it->state.t = it->mem.t;
    if (!it->control.on) it->options.h = it->h;
    it->started = true;
    it->repivots_base = ga_integrator_repivots(it) - it->stats.repivots;
    ga_eval_set_step(&it->eval, it->control.on ? it->mem.h : it->h);
    it->last.valid = false;
    it->events.stopped_by = -1;
    status = it->step.eq.ndropped > 0 ? ga_redundant_make_places(it) : GA_OK;
    forget(it);
    if (status == GA_OK) status = ga_redundant_look(it);
  }
  ga_free(bytes);
  return status;
}

ga_status ga_integrator_load(ga_integrator *it, const char *path) {
  ga_error_clear(&it->error);
  return ga_team_agree(it->eval.team, load(it, path), &it->error);
}
