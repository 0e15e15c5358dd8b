/* SPDX-License-Identifier: MIT */
/* A state on disk: everything that influences later steps, so that a loaded run goes on bit by bit
 * like the run that saved it.
 *
 * Layout: a head (magic, version, byte order, sizes, method, parameters), a body (times,
 * statistics, arrays) and a checksum (FNV-1a) over both. Numbers are stored as they are in memory.
 * Saving forgets factors and pivots, as loading must: both runs then renew them in the next step.
 *
 * A part of a team's model writes the file of the whole: sizes and arrays are those of the whole,
 * brought together on the rank that writes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "genalpha/ga_partition.h"
#include "run/integrator.h"
#include "run/state_file.h"

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

/* entries of the integrator's own model */
static int own_size(const ga_integrator *it, ga_entry kind) {
  const int n[GA_ENTRIES] = {it->eval.nq, it->eval.nv, it->eval.nlam, it->eval.npsi};
  return n[kind];
}

/* those of the whole; NULL: the model is the whole */
static long whole_size(const ga_integrator *it, const ga_collector *whole, ga_entry kind) {
  return whole ? whole->n[kind] : own_size(it, kind);
}

static ga_entry mult_entry(const ga_integrator *it, int c) {
  return it->method->mult[c] == GA_BLOCK_PSI ? GA_ENTRY_PSI : GA_ENTRY_LAM;
}

static int64_t whole_unknowns(const ga_integrator *it, const ga_collector *whole) {
  int64_t n = it->method->nx * (int64_t)whole_size(it, whole, GA_ENTRY_V);
  for (int c = 0; c < it->method->ncon; c++) n += whole_size(it, whole, mult_entry(it, c));
  return n;
}

static head make_head(const ga_integrator *it, const ga_collector *whole) {
  const ga_params *par = &it->options.par;
  head h = {.order = ORDER,
            .version = VERSION,
            .nq = whole_size(it, whole, GA_ENTRY_Q),
            .nv = whole_size(it, whole, GA_ENTRY_V),
            .nlam = whole_size(it, whole, GA_ENTRY_LAM),
            .npsi = whole_size(it, whole, GA_ENTRY_PSI),
            .unknowns = whole_unknowns(it, whole),
            .fractions = it->sequence.n,
            .automatic = it->step_size.on,
            .events = it->events.n,
            .redundant = it->redundancy.on,
            .par = {par->alpha_m, par->alpha_f, par->beta, par->gamma, par->b}};
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  strncpy(h.method, it->method->name, sizeof h.method - 1);
  if (it->method->variant) strncpy(h.variant, it->method->variant, sizeof h.variant - 1);
  return h;
}

/* One walk over the body for all purposes: how long it is, writing, reading. */
typedef struct {
  enum { MEASURE, WRITE, READ } mode;
  unsigned char *at; /* NULL where this rank does not write */
  size_t bytes;
  const ga_collector *whole; /* NULL: the model is the whole */
  bool rows;                 /* the file tells which rows are left out, */
  size_t rows_at;            /* here */
  ga_status status;          /* of the ranks' work together */
} walk;

static void move_on(walk *w, size_t bytes) {
  if (w->mode != MEASURE && w->at) w->at += bytes;
  w->bytes += bytes;
}

static void pass(walk *w, void *data, size_t bytes) {
  if (bytes == 0) return;
  if (w->mode == WRITE && w->at) memcpy(w->at, data, bytes);
  if (w->mode == READ) memcpy(data, w->at, bytes);
  move_on(w, bytes);
}

static void pass_doubles(walk *w, double *x, int n) {
  pass(w, x, (size_t)n * sizeof(double));
}

/* an array with an entry for each of q, v, lam or psi */
static void pass_entries(walk *w, const ga_integrator *it, ga_entry kind, double *x) {
  const int n = own_size(it, kind);
  if (!w->whole) {
    pass_doubles(w, x, n);
    return;
  }
  double *all = (double *)(void *)w->at; /* everything before has multiples of 8 bytes */
  if (w->mode == WRITE && w->status == GA_OK) {
    w->status = w->whole->gather(w->whole->context, kind, x, all);
  }
  for (int i = 0; w->mode == READ && i < n; i++) x[i] = all[w->whole->number[kind][i]];
  move_on(w, (size_t)w->whole->n[kind] * sizeof(double));
}

/* an array with an entry for each unknown of a step */
static void pass_unknowns(walk *w, const ga_integrator *it, double *x) {
  for (int b = 0; b < it->method->nx; b++) pass_entries(w, it, GA_ENTRY_V, x + b * it->eval.nv);
  for (int c = 0; c < it->method->ncon; c++) {
    pass_entries(w, it, mult_entry(it, c), x + it->step.eq.mult_at[c]);
  }
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
  ga_redundancy *r = &it->redundancy;
  long rank = r->rank, dropped = eq->ndropped;
  w->rows_at = w->bytes;
  if (!w->rows) return;
  if (!r->on) { /* none is, see check_rows */
    const long n = whole_size(it, w->whole, GA_ENTRY_LAM) + whole_size(it, w->whole, GA_ENTRY_PSI);
    move_on(w, (4 + 2 + 2 * (size_t)n) * sizeof(int64_t));
    return;
  }
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
#define ENTRY_nq GA_ENTRY_Q
#define ENTRY_nv GA_ENTRY_V
#define ENTRY_nlam GA_ENTRY_LAM
#define ENTRY_npsi GA_ENTRY_PSI
#define PASS_ARRAY(name, size) pass_entries(w, it, ENTRY_##size, mem->name);
  GA_MEMORY_LIST(PASS_ARRAY)
#undef PASS_ARRAY
  pass_unknowns(w, it, it->predictor.phi[0]);
  for (int i = 0; i < it->events.n; i++) {
    pass_doubles(w, &it->events.item[i].value, 1);
    pass_doubles(w, &it->events.item[i].t_last, 1);
  }
  pass_rows(w, it);
  ga_step_size *c = &it->step_size;
  if (!c->on) return;
  pass_doubles(w, &c->err_last, 1);
  pass_doubles(w, &c->t_vdd, 1);
  pass_entries(w, it, GA_ENTRY_V, c->vdd);
  pass_entries(w, it, GA_ENTRY_V, c->size_q);
  pass_entries(w, it, GA_ENTRY_V, c->size_v);
}

static uint64_t checksum(const unsigned char *bytes, size_t n) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

/* rows: the file tells which rows are left out; where it does, in rows_at, from the body on */
static size_t file_size(ga_integrator *it, const ga_collector *whole, bool rows, size_t *rows_at) {
  walk w = {.mode = MEASURE, .whole = whole, .rows = rows};
  pass_body(&w, it);
  if (rows_at) *rows_at = w.rows_at;
  return sizeof(head) + w.bytes + sizeof(uint64_t);
}

/* the next step begins without a past, in a run that saved and in one that loaded */
static void forget(ga_integrator *it) {
  ga_step_reset(&it->step);
  ga_predictor_forget(&it->predictor);
  ga_linsol_reset(&it->saddle.ls);
}

/* The root's status and message, on all ranks. */
static ga_status tell_ranks(ga_integrator *it, const ga_collector *whole, ga_status status) {
  struct {
    int64_t status;
    char text[sizeof it->error.text];
  } told = {.status = status};
  if (!whole) return status;
  memcpy(told.text, it->error.text, sizeof told.text);
  const ga_status sent = whole->spread(whole->context, &told, sizeof told);
  if (sent != GA_OK || whole->root || told.status == GA_OK)
    return sent == GA_OK ? (ga_status)told.status : sent;
  return ga_fail(&it->error, (ga_status)told.status, "%s", told.text);
}

static ga_status save(ga_integrator *it, const char *path, const ga_collector *whole) {
  if (!path) return ga_fail(&it->error, GA_ERR_ARG, "path is NULL");
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  const bool root = !whole || whole->root, rows = it->redundancy.on;
  const size_t n = file_size(it, whole, rows, NULL);
  unsigned char *bytes = root ? ga_calloc(n, 1) : NULL;
  ga_status status = GA_OK;
  if (root && !bytes) status = ga_fail(&it->error, GA_ERR_MEM, "no memory to save the state");
  status = tell_ranks(it, whole, status);
  if (status == GA_OK) {
    walk w = {
        .mode = WRITE, .at = root ? bytes + sizeof(head) : NULL, .whole = whole, .rows = rows};
    pass_body(&w, it);
    status = w.status;
    if (status != GA_OK) ga_fail(&it->error, status, "the ranks' states could not be gathered");
  }
  if (status == GA_OK && root) {
    const head h = make_head(it, whole);
    memcpy(bytes, &h, sizeof h);
    const uint64_t sum = checksum(bytes, n - sizeof sum);
    memcpy(bytes + n - sizeof sum, &sum, sizeof sum);
    status = ga_file_replace(&it->error, path, bytes, n);
  }
  ga_free(bytes);
  return tell_ranks(it, whole, status);
}

ga_status ga_integrator_save_whole(ga_integrator *it, const char *path, const ga_collector *whole) {
  ga_error_clear(&it->error);
  const ga_status status = ga_team_agree(it->eval.team, save(it, path, whole), &it->error);
  if (status == GA_OK) forget(it);
  return status;
}

/* each rank of a team has a file of its own; if one fails, all say so */
ga_status ga_integrator_save(ga_integrator *it, const char *path) {
  return ga_integrator_save_whole(it, path, NULL);
}

static const char *describe_steps(const head *h, char *text, size_t room) {
  if (h->automatic) return "automatic steps";
  if (h->fractions == 1) return "steps of one size";
  snprintf(text, room, "steps of %lld sizes in turn", (long long)h->fractions);
  return text;
}

/* Is this file for this integrator? If not, say what differs. */
static ga_status check_head(ga_integrator *it, const char *path, const head *h,
                            const ga_collector *whole) {
  ga_error *err = &it->error;
  head own = make_head(it, whole);
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
                   "%lld constraints; this one has %lld, %lld, %lld + %lld",
                   path, (long long)h->nq, (long long)h->nv, (long long)h->nlam, (long long)h->npsi,
                   (long long)own.nq, (long long)own.nv, (long long)own.nlam, (long long)own.npsi);
  }
  if (h->automatic != own.automatic || h->fractions != own.fractions) {
    char made[64], here[64];
    return ga_fail(err, GA_ERR_FILE, "state file '%s' is of a run with %s, this one has %s", path,
                   describe_steps(h, made, sizeof made), describe_steps(&own, here, sizeof here));
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

/* A run without rows left out may go on with redundant = refuse, and the other way round. */
static ga_status check_rows(ga_integrator *it, const char *path, const unsigned char *rows) {
  int64_t number[4]; /* rank, rows left out, calm, singular: see pass_rows */
  memcpy(number, rows, sizeof number);
  if (it->redundancy.on || (number[1] == 0 && number[3] == 0)) return GA_OK;
  return ga_fail(&it->error, GA_ERR_FILE,
                 "state file '%s' is of a run that leaves out %lld redundant constraints: it can "
                 "go on with redundant = allow only",
                 path, (long long)number[1]);
}

/* A file in memory. */
typedef struct {
  unsigned char *bytes;
  size_t n;
  bool rows; /* it tells which rows are left out */
} contents;

/* the head, if it is for this run */
static ga_status read_head(ga_integrator *it, const char *path, FILE *file,
                           const ga_collector *whole, head *h) {
  unsigned char bytes[sizeof *h] = {0};
  const size_t got = fread(bytes, 1, sizeof bytes, file);
  if (ferror(file)) return ga_file_error(&it->error, path, "read");
  if (got < sizeof bytes && memcmp(bytes, MAGIC, got < sizeof MAGIC ? got : sizeof MAGIC) == 0) {
    return torn(it, path);
  }
  memcpy(h, bytes, sizeof *h);
  return check_head(it, path, h, whole);
}

/* the whole file, of exactly the expected length, sum right */
static ga_status read_file(ga_integrator *it, const char *path, FILE *file,
                           const ga_collector *whole, contents *c) {
  head h;
  uint64_t sum;
  size_t rows_at;
  ga_status status = read_head(it, path, file, whole, &h);
  if (status != GA_OK) return status;
  c->rows = h.redundant != 0;
  c->n = file_size(it, whole, c->rows, &rows_at);
  c->bytes = ga_calloc(c->n, 1);
  if (!c->bytes) return ga_fail(&it->error, GA_ERR_MEM, "no memory to load a state");
  memcpy(c->bytes, &h, sizeof h);
  const unsigned char *body = c->bytes + sizeof h;
  const size_t got = fread(c->bytes + sizeof h, 1, c->n - sizeof h, file);
  if (ferror(file)) return ga_file_error(&it->error, path, "read");
  memcpy(&sum, c->bytes + c->n - sizeof sum, sizeof sum);
  const bool complete = got == c->n - sizeof h && fgetc(file) == EOF;
  if (!complete || sum != checksum(c->bytes, c->n - sizeof sum) || !times_make_sense(body)) {
    return torn(it, path);
  }
  return c->rows ? check_rows(it, path, body + rows_at) : GA_OK;
}

/* The root's file, to all ranks; every one of them needs memory for it. */
static ga_status spread_file(ga_integrator *it, const ga_collector *whole, contents *c) {
  int64_t told[2] = {(int64_t)c->n, c->rows};
  if (!whole) return GA_OK;
  ga_status status = whole->spread(whole->context, told, sizeof told);
  if (status != GA_OK) return status;
  c->n = (size_t)told[0], c->rows = told[1] != 0;
  if (!whole->root) c->bytes = ga_calloc(c->n, 1);
  if (!c->bytes) status = ga_fail(&it->error, GA_ERR_MEM, "no memory to load a state");
  status = ga_team_agree(it->eval.team, status, &it->error);
  return status == GA_OK ? whole->spread(whole->context, c->bytes, c->n) : status;
}

/* the integrator goes on from what was read */
static ga_status take(ga_integrator *it, const ga_collector *whole, const contents *c) {
  pass_body(&(walk){.mode = READ, .at = c->bytes + sizeof(head), .whole = whole, .rows = c->rows},
            it);
  it->state.t = it->mem.t;
  if (!it->step_size.on) it->options.h = it->h;
  it->started = true;
  it->repivots_base = ga_integrator_repivots(it) - it->stats.repivots;
  ga_eval_set_step(&it->eval, it->step_size.on ? it->mem.h : it->h);
  it->last.valid = false;
  it->events.stopped_by = -1;
  ga_status status = GA_OK;
  if (it->redundancy.on && !c->rows) {
    memcpy(it->q, it->mem.q, (size_t)it->eval.nq * sizeof(double));
    memcpy(it->v, it->mem.v, (size_t)it->eval.nv * sizeof(double));
    status = ga_redundancy_start(it, it->mem.t);
  } else if (it->step.eq.ndropped > 0) {
    status = ga_redundancy_make_slots(it);
  }
  forget(it);
  return status == GA_OK ? ga_redundancy_find_names(it) : status;
}

static ga_status load(ga_integrator *it, const char *path, const ga_collector *whole) {
  if (!path) return ga_fail(&it->error, GA_ERR_ARG, "path is NULL");
  contents c = {0};
  ga_status status = GA_OK;
  if (!whole || whole->root) {
    FILE *file = fopen(path, "rb");
    status =
        file ? read_file(it, path, file, whole, &c) : ga_file_error(&it->error, path, "opened");
    if (file) fclose(file);
  }
  status = tell_ranks(it, whole, status);
  if (status == GA_OK) status = spread_file(it, whole, &c);
  if (status == GA_OK) status = take(it, whole, &c);
  ga_free(c.bytes);
  return status;
}

ga_status ga_integrator_load_whole(ga_integrator *it, const char *path, const ga_collector *whole) {
  ga_error_clear(&it->error);
  return ga_team_agree(it->eval.team, load(it, path, whole), &it->error);
}

ga_status ga_integrator_load(ga_integrator *it, const char *path) {
  return ga_integrator_load_whole(it, path, NULL);
}
