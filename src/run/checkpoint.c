/* SPDX-License-Identifier: MIT */
/* A state on disk: everything that influences later steps, so that a loaded run goes on bit by bit
 * like the run that saved it.
 *
 * Layout: a head (magic, version, byte order, sizes, method, parameters), a body (times,
 * statistics, arrays) and a checksum (FNV-1a) over both. Numbers are stored as they are in memory.
 * Saving forgets factors and pivots, as loading must: both runs then renew them in the next step.
 *
 * The processes of a team write one file of the whole model: sizes and arrays are those of the
 * whole, gathered on the process that writes (the root). */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "genalpha/ga_partition.h"
#include "run/integrator.h"
#include "run/start_file.h"
#include "run/state_file.h"
#include "run/state_walk.h"

enum { VERSION = 5, ORDER = 0x01020304 };
static const char MAGIC[8] = "GASTATE";

/* First bytes of the file. All members have 8 bytes or multiples, so that there is no padding. */
typedef struct {
  char magic[8];
  int64_t order, version;
  int64_t nq, nv, nlam, npsi, unknowns;
  int64_t fractions, automatic, events; /* how steps are chosen, how many events there are */
  int64_t redundant;                    /* rows may be left out */
  char method[32], variant[32];
  double par[5];
} head;

/* Number of unknowns of a step of the whole model. */
static int64_t whole_unknowns(const ga_integrator *it, const ga_collector *whole) {
  int64_t n = it->method->nx * (int64_t)ga_state_whole_size(it, whole, GA_ENTRY_V);
  for (int c = 0; c < it->method->ncon; c++)
    n += ga_state_whole_size(it, whole, ga_state_mult_entry(it, c));
  return n;
}

/* The head that this integrator writes, and expects when it loads. */
static head make_head(const ga_integrator *it, const ga_collector *whole) {
  const ga_params *par = &it->options.par;
  head h = {.order = ORDER,
            .version = VERSION,
            .nq = ga_state_whole_size(it, whole, GA_ENTRY_Q),
            .nv = ga_state_whole_size(it, whole, GA_ENTRY_V),
            .nlam = ga_state_whole_size(it, whole, GA_ENTRY_LAM),
            .npsi = ga_state_whole_size(it, whole, GA_ENTRY_PSI),
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

/* FNV-1a hash of n bytes. */
static uint64_t checksum(const unsigned char *bytes, size_t n) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

/* Length of the whole file in bytes. rows: the file lists the rows that are left out; *rows_at
 * (may be NULL) is where in the body. */
static size_t file_size(ga_integrator *it, const ga_collector *whole, bool rows, size_t *rows_at) {
  ga_state_walk w = {.mode = GA_WALK_MEASURE, .whole = whole, .rows = rows};
  ga_state_walk_body(&w, it);
  if (rows_at) *rows_at = w.rows_at;
  return sizeof(head) + w.bytes + sizeof(uint64_t);
}

/* The next step begins without factors and guesses of earlier ones, after saving as after
 * loading. */
static void forget_factors_and_guesses(ga_integrator *it) {
  ga_step_reset(&it->step);
  ga_predictor_forget(&it->predictor);
  it->corners.known = false;
  const ga_error before = it->error;
  const ga_evaluation rows = {.G = &it->saddle.G, .H = &it->saddle.H};
  if (it->predictor.weight &&
      ga_eval_all(&it->eval, it->mem.t, it->mem.q, it->mem.v, &rows) == GA_OK) {
    ga_start_weigh(it, it->predictor.weight);
  }
  it->error = before;
  ga_linsol_reset(&it->saddle.kkt.ls);
}

/* Give the status and message of the root to all processes and return it; collective. whole NULL:
 * return status. */
static ga_status share_root_status(ga_integrator *it, const ga_collector *whole, ga_status status) {
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

/* Write the file; in a team all processes gather and the root writes. The integrator does not
 * change. */
static ga_status save_state(ga_integrator *it, const char *path, const ga_collector *whole) {
  if (!path) return ga_fail(&it->error, GA_ERR_ARG, "path is NULL");
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  const bool root = !whole || whole->root, rows = it->redundancy.on;
  const size_t n = file_size(it, whole, rows, NULL);
  unsigned char *bytes = root ? ga_calloc(n, 1) : NULL;
  ga_status status = GA_OK;
  if (root && !bytes) status = ga_fail(&it->error, GA_ERR_MEM, "no memory to save the state");
  status = share_root_status(it, whole, status);
  if (status == GA_OK) {
    ga_state_walk w = {.mode = GA_WALK_WRITE,
                       .at = root ? bytes + sizeof(head) : NULL,
                       .whole = whole,
                       .rows = rows};
    ga_state_walk_body(&w, it);
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
  return share_root_status(it, whole, status);
}

/* Save the state; whole NULL: each process writes its own part. The next step forgets factors, see
 * the head. If one process fails, all fail and nothing is forgotten. */
ga_status ga_integrator_save_whole(ga_integrator *it, const char *path, const ga_collector *whole) {
  ga_error_clear(&it->error);
  const ga_status status = ga_team_agree(it->eval.team, save_state(it, path, whole), &it->error);
  if (status == GA_OK) forget_factors_and_guesses(it);
  return status;
}

/* Without a collector each process of a team writes a file of its own; if one fails, all fail. */
ga_status ga_integrator_save(ga_integrator *it, const char *path) {
  return ga_integrator_save_whole(it, path, NULL);
}

/* Words for the choice of step sizes in a head; text is used for what is not constant. */
static const char *describe_steps(const head *h, char *text, size_t room) {
  if (h->automatic) return "automatic steps";
  if (h->fractions == 1) return "steps of one size";
  snprintf(text, room, "steps of %lld sizes in turn", (long long)h->fractions);
  return text;
}

/* GA_ERR_FILE unless the file is for this integrator; the message says what differs. */
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
                   "by a %s version; make it anew with this one",
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

/* GA_ERR_FILE: the file is incomplete or damaged. */
static ga_status fail_damaged(ga_integrator *it, const char *path) {
  return ga_fail(&it->error, GA_ERR_FILE,
                 "state file '%s' is torn or damaged; take an older one or start anew", path);
}

/* Plausibility of the first six numbers of the body: t, h of the memory, next h, last h (0 after a
 * start), t_base, t_memory. */
static bool times_make_sense(const unsigned char *body) {
  double t[6];
  memcpy(t, body, sizeof t);
  return ga_first_nonfinite(6, t) < 0 && t[1] > 0 && t[2] > 0 && t[3] >= 0 && t[5] <= t[0];
}

/* GA_ERR_FILE if the file has rows left out and this run has redundant = refuse. Without such rows
 * both settings may continue the run. rows: where transfer_rows begins. */
static ga_status check_rows(ga_integrator *it, const char *path, const unsigned char *rows) {
  int64_t number[4]; /* rank, rows left out, calm, singular: see transfer_rows */
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
  bool rows;  /* it lists the rows that are left out */
  bool start; /* it has start values only: t, q, v (start_file.h) */
} contents;

/* Read a file of start values into *c. The caller frees c->bytes. */
static ga_status read_start_file(ga_integrator *it, const char *path, FILE *file,
                                 const ga_collector *whole, contents *c) {
  const ga_start_sizes sizes = {
      ga_state_whole_size(it, whole, GA_ENTRY_Q), ga_state_whole_size(it, whole, GA_ENTRY_V),
      ga_state_whole_size(it, whole, GA_ENTRY_LAM), ga_state_whole_size(it, whole, GA_ENTRY_PSI)};
  double *values = NULL;
  const ga_status status = ga_start_file_read(file, path, &sizes, &values, &it->error);
  c->start = true;
  c->n = (size_t)(1 + sizes.nq + sizes.nv) * sizeof(double);
  c->bytes = (unsigned char *)values;
  return status;
}

/* Read and check the head. */
static ga_status read_head(ga_integrator *it, const char *path, FILE *file,
                           const ga_collector *whole, head *h) {
  unsigned char bytes[sizeof *h] = {0};
  const size_t got = fread(bytes, 1, sizeof bytes, file);
  if (ferror(file)) return ga_file_error(&it->error, path, "read");
  if (got < sizeof bytes && memcmp(bytes, MAGIC, got < sizeof MAGIC ? got : sizeof MAGIC) == 0) {
    return fail_damaged(it, path);
  }
  memcpy(h, bytes, sizeof *h);
  return check_head(it, path, h, whole);
}

/* Read the whole file into *c: exactly the expected length, with the right checksum. The caller
 * frees c->bytes, also after a failure. */
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
    return fail_damaged(it, path);
  }
  return c->rows ? check_rows(it, path, body + rows_at) : GA_OK;
}

/* Copy the file that the root has read to all processes; each allocates c->bytes. */
static ga_status spread_file(ga_integrator *it, const ga_collector *whole, contents *c) {
  int64_t told[3] = {(int64_t)c->n, c->rows, c->start};
  if (!whole) return GA_OK;
  ga_status status = whole->spread(whole->context, told, sizeof told);
  if (status != GA_OK) return status;
  c->n = (size_t)told[0], c->rows = told[1] != 0, c->start = told[2] != 0;
  if (!whole->root) c->bytes = ga_calloc(c->n, 1);
  if (!c->bytes) status = ga_fail(&it->error, GA_ERR_MEM, "no memory to load a state");
  status = ga_team_agree(it->eval.team, status, &it->error);
  return status == GA_OK ? whole->spread(whole->context, c->bytes, c->n) : status;
}

/* Set the integrator to the state that was read and checked. If the rows of redundant constraints
 * cannot be set up, this fails with the state changed already. */
static ga_status restore_from_contents(ga_integrator *it, const ga_collector *whole,
                                       const contents *c) {
  ga_state_walk_body(
      &(ga_state_walk){
          .mode = GA_WALK_READ, .at = c->bytes + sizeof(head), .whole = whole, .rows = c->rows},
      it);
  it->state.t = it->mem.t;
  if (!it->step_size.on) it->options.h = it->h;
  it->started = true;
  it->repivots_base = ga_integrator_repivots(it) - it->stats.repivots;
  ga_eval_set_step(&it->eval, it->step_size.on ? it->mem.h : it->h);
  it->last.valid = false;
  it->corners.passed = it->corners.warned = false;
  it->events.stopped_by = -1;
  ga_passages_reset(it);
  ga_status status = GA_OK;
  if (it->redundancy.on && !c->rows) {
    status = ga_redundancy_start(it, it->mem.t, it->mem.q, it->mem.v);
  } else if (it->step.eq.ndropped > 0) {
    status = ga_redundancy_make_slots(it);
  }
  forget_factors_and_guesses(it);
  return status == GA_OK ? ga_redundancy_find_names(it) : status;
}

/* Start the run at the t, q and v of a file of start values. The observer is not called, as after
 * loading a state. */
static ga_status start_from_contents(ga_integrator *it, const ga_collector *whole,
                                     const contents *c) {
  const ga_observer observer = it->observer;
  double *q = ga_calloc((size_t)(it->eval.nq + it->eval.nv + 1), sizeof(double)), t = 0;
  ga_status status = q ? GA_OK : ga_fail(&it->error, GA_ERR_MEM, "no memory to load a state");
  status = ga_team_agree(it->eval.team, status, &it->error);
  if (status == GA_OK) {
    ga_state_walk w = {.mode = GA_WALK_READ, .at = c->bytes, .whole = whole};
    ga_state_transfer_doubles(&w, &t, 1);
    ga_state_transfer_entries(&w, it, GA_ENTRY_Q, q);
    ga_state_transfer_entries(&w, it, GA_ENTRY_V, q + it->eval.nq);
    it->observer = NULL;
    status = ga_integrator_start(it, t, q, q + it->eval.nq);
    it->observer = observer;
  }
  ga_free(q);
  return status;
}

/* Read the file (in a team the root does) and set the integrator to its state. If reading or
 * checking fails, the integrator does not change. */
static ga_status load_state(ga_integrator *it, const char *path, const ga_collector *whole) {
  if (!path) return ga_fail(&it->error, GA_ERR_ARG, "path is NULL");
  contents c = {0};
  ga_status status = GA_OK;
  if (!whole || whole->root) {
    FILE *file = fopen(path, "rb");
    status = !file                    ? ga_file_error(&it->error, path, "opened")
             : ga_start_file_is(file) ? read_start_file(it, path, file, whole, &c)
                                      : read_file(it, path, file, whole, &c);
    if (file) fclose(file);
  }
  status = share_root_status(it, whole, status);
  if (status == GA_OK) status = spread_file(it, whole, &c);
  if (status == GA_OK) {
    status = c.start ? start_from_contents(it, whole, &c) : restore_from_contents(it, whole, &c);
  }
  ga_free(c.bytes);
  return status;
}

/* Load a state that ga_integrator_save_whole wrote; whole as there. If one fails, all fail. */
ga_status ga_integrator_load_whole(ga_integrator *it, const char *path, const ga_collector *whole) {
  ga_error_clear(&it->error);
  return ga_team_agree(it->eval.team, load_state(it, path, whole), &it->error);
}

/* Load a state that ga_integrator_save wrote; GA_ERR_FILE if it does not fit this run. */
ga_status ga_integrator_load(ga_integrator *it, const char *path) {
  return ga_integrator_load_whole(it, path, NULL);
}
