/* SPDX-License-Identifier: MIT */
/* A state on disk or in memory: everything that influences later steps, so that a loaded run goes
 * on bit by bit like the run that saved it.
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

enum { ORDER = 0x01020304 };
static const char MAGIC[8] = "GASTATE";

/* First bytes of the file. All members have 8 bytes or multiples, so that there is no padding. */
typedef struct {
  char magic[8];
  int64_t order, version;
  int64_t nq, nv, nlam, npsi, unknowns;
  int64_t fractions, automatic, events; /* how steps are chosen, how many events there are */
  int64_t rows_inputs; /* rows may be left out, 0 or 1, plus twice the number of inputs */
  char method[32], variant[16], coordinates[16];
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
            .version = GA_STATE_VERSION,
            .nq = ga_state_whole_size(it, whole, GA_ENTRY_Q),
            .nv = ga_state_whole_size(it, whole, GA_ENTRY_V),
            .nlam = ga_state_whole_size(it, whole, GA_ENTRY_LAM),
            .npsi = ga_state_whole_size(it, whole, GA_ENTRY_PSI),
            .unknowns = whole_unknowns(it, whole),
            .fractions = it->sequence.n,
            .automatic = it->step_size.on,
            .events = it->events.n,
            .rows_inputs = it->redundancy.on + 2 * (int64_t)it->eval.inputs.n,
            .par = {par->alpha_m, par->alpha_f, par->beta, par->gamma, par->b}};
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  strncpy(h.method, it->method->name, sizeof h.method - 1);
  if (it->method->variant) strncpy(h.variant, it->method->variant, sizeof h.variant - 1);
  const char *kind = it->eval.model->coordinates;
  if (kind) strncpy(h.coordinates, kind, sizeof h.coordinates - 1);
  return h;
}

/* FNV-1a hash of n bytes. */
static uint64_t checksum(const unsigned char *bytes, size_t n) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

/* Length of the whole file of that format in bytes. rows: the file lists the rows that are left
 * out; *rows_at (may be NULL) is where in the body. */
static size_t file_size(ga_integrator *it, const ga_collector *whole, int version, bool rows,
                        size_t *rows_at) {
  ga_state_walk w = {.mode = GA_WALK_MEASURE, .whole = whole, .version = version, .rows = rows};
  ga_state_walk_body(&w, it);
  if (rows_at) *rows_at = w.rows_at;
  return sizeof(head) + w.bytes + sizeof(uint64_t);
}

/* The next step begins without factors, guesses and error estimates of earlier ones, after saving as
 * after loading. */
static void forget_factors_and_guesses(ga_integrator *it) {
  ga_step_reset(&it->step);
  ga_predictor_forget(&it->predictor);
  it->step_size.full.known = false; /* the weights of rough estimates are not saved */
  it->corners.known = it->restart.line_known = false;
  const ga_error before = it->error;
  const ga_evaluation rows = {.G = &it->saddle.G, .H = &it->saddle.H};
  if (it->predictor.weight &&
      ga_eval_all(&it->eval, it->mem.t, it->mem.q, it->mem.v, &rows) == GA_OK) {
    ga_start_weigh(it, it->predictor.weight);
  }
  it->error = before;
  ga_kkt_reset(&it->saddle.kkt);
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

/* bytes (n of them, n = file_size) <- the whole file. In a team all processes gather, and bytes is
 * NULL but on the root. The integrator does not change. */
static ga_status write_bytes(ga_integrator *it, const ga_collector *whole, unsigned char *bytes,
                             size_t n) {
  ga_state_walk w = {.mode = GA_WALK_WRITE,
                     .at = bytes ? bytes + sizeof(head) : NULL,
                     .whole = whole,
                     .version = GA_STATE_VERSION,
                     .rows = it->redundancy.on};
  ga_state_walk_body(&w, it);
  if (w.status != GA_OK)
    return ga_fail(&it->error, w.status, "the ranks' states could not be gathered");
  if (!bytes) return GA_OK;
  const head h = make_head(it, whole);
  memcpy(bytes, &h, sizeof h);
  const uint64_t sum = checksum(bytes, n - sizeof sum);
  memcpy(bytes + n - sizeof sum, &sum, sizeof sum);
  return GA_OK;
}

/* GA_ERR_ARG before the first start. Inputs that were set are applied, so that the state is that of
 * the motion from now on. */
static ga_status check_started(ga_integrator *it) {
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  const ga_status status = ga_presence_all(it); /* the file has all contacts */
  return status == GA_OK ? ga_integrator_apply_inputs(it) : status;
}

/* Write the file; in a team all processes gather and the root writes. The integrator does not
 * change. */
static ga_status save_state(ga_integrator *it, const char *path, const ga_collector *whole) {
  if (!path) return ga_fail(&it->error, GA_ERR_ARG, "path is NULL");
  ga_status status = check_started(it);
  if (status != GA_OK) return status;
  const bool root = !whole || whole->root;
  const size_t n = file_size(it, whole, GA_STATE_VERSION, it->redundancy.on, NULL);
  unsigned char *bytes = root ? ga_calloc(n, 1) : NULL;
  if (root && !bytes) status = ga_fail(&it->error, GA_ERR_MEM, "no memory to save the state");
  status = share_root_status(it, whole, status);
  if (status == GA_OK) status = write_bytes(it, whole, bytes, n);
  if (status == GA_OK && root) status = ga_file_replace(&it->error, path, bytes, n);
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

/* The bytes of the file into memory of the caller, without a file and without allocation. */
ga_status ga_integrator_save_memory(ga_integrator *it, void *bytes, size_t *size) {
  ga_error_clear(&it->error);
  const ga_status status = check_started(it);
  if (status != GA_OK) return status;
  const size_t room = *size;
  *size = file_size(it, NULL, GA_STATE_VERSION, it->redundancy.on, NULL);
  if (!bytes) return GA_OK;
  if (room < *size) {
    return ga_fail(&it->error, GA_ERR_ARG, "a state has %zu bytes, the memory given for it %zu",
                   *size, room);
  }
  write_bytes(it, NULL, bytes, *size);
  forget_factors_and_guesses(it);
  return GA_OK;
}

/* Words for the choice of step sizes in a head; text is used for what is not constant. */
static const char *describe_steps(const head *h, char *text, size_t room) {
  if (h->automatic) return "automatic steps";
  if (h->fractions == 1) return "steps of one size";
  snprintf(text, room, "steps of %lld sizes in turn", (long long)h->fractions);
  return text;
}

/* GA_ERR_FILE unless the state is for this integrator; the message says what differs. name: how
 * messages call the state. */
static ga_status check_head(ga_integrator *it, const char *name, const head *h,
                            const ga_collector *whole) {
  ga_error *err = &it->error;
  head own = make_head(it, whole);
  if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0) {
    return ga_fail(err, GA_ERR_FILE, "%s is not a state file of genalpha", name);
  }
  if (h->order != ORDER) {
    return ga_fail(err, GA_ERR_FILE, "%s comes from a machine of other byte order", name);
  }
  if (h->version < GA_STATE_OLDEST || h->version > GA_STATE_VERSION) {
    return ga_fail(err, GA_ERR_FILE,
                   "%s has format %lld, this library reads format %d: it was written "
                   "by a %s version",
                   name, (long long)h->version, GA_STATE_VERSION,
                   h->version > GA_STATE_VERSION ? "newer" : "older");
  }
  if (!memchr(h->method, '\0', sizeof h->method) || !memchr(h->variant, '\0', sizeof h->variant) ||
      !memchr(h->coordinates, '\0', sizeof h->coordinates)) {
    return ga_fail(err, GA_ERR_FILE, "%s is damaged", name);
  }
  if (strcmp(h->method, own.method) != 0 || strcmp(h->variant, own.variant) != 0) {
    return ga_fail(err, GA_ERR_FILE, "%s is of method '%s%s%s', this run uses '%s%s%s'", name,
                   h->method, h->variant[0] ? " " : "", h->variant, own.method,
                   own.variant[0] ? " " : "", own.variant);
  }
  if (h->automatic && (h->version < 5 || (h->version < 6 && it->method->hidden_free))) {
    return ga_fail(err, GA_ERR_FILE,
                   "%s was saved with automatic steps by an older version, whose error estimates "
                   "were others: start anew, or go on with the version that saved it",
                   name);
  }
  if (strcmp(h->coordinates, own.coordinates) != 0) {
    return ga_state_other_coordinates(name, h->coordinates, own.coordinates, err);
  }
  if (memcmp(&h->nq, &own.nq, 5 * sizeof h->nq) != 0) {
    return ga_fail(err, GA_ERR_FILE,
                   "%s is of another model: %lld coordinates, %lld velocities, %lld + "
                   "%lld constraints; this one has %lld, %lld, %lld + %lld",
                   name, (long long)h->nq, (long long)h->nv, (long long)h->nlam, (long long)h->npsi,
                   (long long)own.nq, (long long)own.nv, (long long)own.nlam, (long long)own.npsi);
  }
  if (h->automatic != own.automatic || h->fractions != own.fractions) {
    char made[64], here[64];
    return ga_fail(err, GA_ERR_FILE, "%s is of a run with %s, this one has %s", name,
                   describe_steps(h, made, sizeof made), describe_steps(&own, here, sizeof here));
  }
  if (h->events != own.events) {
    return ga_fail(err, GA_ERR_FILE, "%s has %lld events, this run %lld: add the same events first",
                   name, (long long)h->events, (long long)own.events);
  }
  if (h->rows_inputs / 2 != own.rows_inputs / 2) {
    return ga_fail(err, GA_ERR_FILE, "%s has %lld inputs, this model has %lld", name,
                   (long long)(h->rows_inputs / 2), (long long)(own.rows_inputs / 2));
  }
  if (memcmp(h->par, own.par, sizeof own.par) != 0) {
    return ga_fail(err, GA_ERR_FILE,
                   "%s has other parameters: alpha_m %.10g, alpha_f %.10g, beta "
                   "%.10g, gamma %.10g, b %.10g",
                   name, h->par[0], h->par[1], h->par[2], h->par[3], h->par[4]);
  }
  return GA_OK;
}

/* GA_ERR_FILE: the state is incomplete or damaged. */
static ga_status fail_damaged(ga_integrator *it, const char *name) {
  return ga_fail(&it->error, GA_ERR_FILE, "%s is torn or damaged; take an older one or start anew",
                 name);
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
static ga_status check_rows(ga_integrator *it, const char *name, const unsigned char *rows) {
  int64_t number[4]; /* rank, rows left out, calm, singular: see transfer_rows */
  memcpy(number, rows, sizeof number);
  if (it->redundancy.on || (number[1] == 0 && number[3] == 0)) return GA_OK;
  return ga_fail(&it->error, GA_ERR_FILE,
                 "%s is of a run that leaves out %lld redundant constraints: it can "
                 "go on with redundant = allow only",
                 name, (long long)number[1]);
}

/* A state in memory, read and checked. */
typedef struct {
  unsigned char *bytes; /* the whole file, or t, q and v of start values */
  size_t n;
  bool rows;  /* it lists the rows that are left out */
  bool start; /* it has start values only: t, q, v (start_file.h) */
} contents;

/* Check the n bytes of a state: *c <- what is in them, whose c->bytes points into them. */
static ga_status check_bytes(ga_integrator *it, const char *name, const unsigned char *bytes,
                             size_t n, const ga_collector *whole, contents *c) {
  head h;
  uint64_t sum;
  size_t rows_at;
  if (ga_start_file_is(bytes, n)) {
    const ga_start_sizes sizes = {
        ga_state_whole_size(it, whole, GA_ENTRY_Q), ga_state_whole_size(it, whole, GA_ENTRY_V),
        ga_state_whole_size(it, whole, GA_ENTRY_LAM), ga_state_whole_size(it, whole, GA_ENTRY_PSI)};
    c->start = true;
    c->n = (size_t)(1 + sizes.nq + sizes.nv) * sizeof(double);
    return ga_start_file_values(bytes, n, name, &sizes, it->eval.model->coordinates, &c->bytes,
                                &it->error);
  }
  if (n < sizeof h && memcmp(bytes, MAGIC, n < sizeof MAGIC ? n : sizeof MAGIC) == 0) {
    return fail_damaged(it, name);
  }
  memset(&h, 0, sizeof h);
  memcpy(&h, bytes, n < sizeof h ? n : sizeof h);
  const ga_status status = check_head(it, name, &h, whole);
  if (status != GA_OK) return status;
  c->rows = h.rows_inputs % 2 != 0;
  c->n = file_size(it, whole, (int)h.version, c->rows, &rows_at);
  c->bytes = (unsigned char *)bytes; /* they are only read */
  if (n != c->n) return fail_damaged(it, name);
  memcpy(&sum, bytes + n - sizeof sum, sizeof sum);
  const unsigned char *body = bytes + sizeof h;
  if (sum != checksum(bytes, n - sizeof sum) || !times_make_sense(body)) {
    return fail_damaged(it, name);
  }
  return c->rows ? check_rows(it, name, body + rows_at) : GA_OK;
}

/* Read the file into *bytes, which the caller frees, and check it. What is longer than any state
 * of this integrator is not read to its end. */
static ga_status read_file(ga_integrator *it, const char *path, const ga_collector *whole,
                           unsigned char **bytes, contents *c) {
  char name[sizeof it->error.text];
  const size_t most = file_size(it, whole, GA_STATE_VERSION, true, NULL) + 1;
  *bytes = ga_calloc(most, 1);
  if (!*bytes) return ga_fail(&it->error, GA_ERR_MEM, "no memory to load a state");
  FILE *file = fopen(path, "rb");
  if (!file) return ga_file_error(&it->error, path, "opened");
  const size_t got = fread(*bytes, 1, most, file);
  const ga_status status = ferror(file) ? ga_file_error(&it->error, path, "read") : GA_OK;
  fclose(file);
  if (status != GA_OK) return status;
  snprintf(name, sizeof name, "state file '%s'", path);
  return check_bytes(it, name, *bytes, got, whole, c);
}

/* Copy the state that the root has read to all processes. On the others c->bytes = *bytes, which the
 * caller frees. */
static ga_status spread_file(ga_integrator *it, const ga_collector *whole, unsigned char **bytes,
                             contents *c) {
  int64_t told[3] = {(int64_t)c->n, c->rows, c->start};
  if (!whole) return GA_OK;
  ga_status status = whole->spread(whole->context, told, sizeof told);
  if (status != GA_OK) return status;
  c->n = (size_t)told[0], c->rows = told[1] != 0, c->start = told[2] != 0;
  if (!whole->root) c->bytes = *bytes = ga_calloc(c->n, 1);
  if (!c->bytes) status = ga_fail(&it->error, GA_ERR_MEM, "no memory to load a state");
  status = ga_team_agree(it->eval.team, status, &it->error);
  return status == GA_OK ? whole->spread(whole->context, c->bytes, c->n) : status;
}

/* Set the integrator to the state that was read and checked. If the rows of redundant constraints
 * cannot be set up, this fails with the state changed already. */
static ga_status restore_from_contents(ga_integrator *it, const ga_collector *whole,
                                       const contents *c) {
  head h;
  memcpy(&h, c->bytes, sizeof h);
  ga_state_walk_body(&(ga_state_walk){.mode = GA_WALK_READ,
                                      .at = c->bytes + sizeof h,
                                      .whole = whole,
                                      .version = (int)h.version,
                                      .rows = c->rows},
                     it);
  it->state.t = it->mem.t;
  if (!it->step_size.on) it->options.h = it->h;
  it->started = true;
  it->input_changed = false;
  ga_integrator_inputs_show(it);
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
  ga_presence_show(it);
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

/* Set the integrator to a state that was checked, or start it there. */
static ga_status load_contents(ga_integrator *it, const ga_collector *whole, const contents *c) {
  return c->start ? start_from_contents(it, whole, c) : restore_from_contents(it, whole, c);
}

/* Read the file (in a team the root does) and set the integrator to its state. If reading or
 * checking fails, the integrator does not change. */
static ga_status load_state(ga_integrator *it, const char *path, const ga_collector *whole) {
  if (!path) return ga_fail(&it->error, GA_ERR_ARG, "path is NULL");
  contents c = {0};
  unsigned char *bytes = NULL;
  ga_status status = GA_OK;
  if (!whole || whole->root) status = read_file(it, path, whole, &bytes, &c);
  status = share_root_status(it, whole, status);
  if (status == GA_OK) status = spread_file(it, whole, &bytes, &c);
  if (status == GA_OK) status = load_contents(it, whole, &c);
  ga_free(bytes);
  return status;
}

/* Load a state that ga_integrator_save_whole wrote; whole as there. If one fails, all fail. */
ga_status ga_integrator_load_whole(ga_integrator *it, const char *path, const ga_collector *whole) {
  ga_error_clear(&it->error);
  ga_status status = ga_presence_all(it);
  if (status == GA_OK) status = load_state(it, path, whole);
  return ga_team_agree(it->eval.team, status, &it->error);
}

/* Load a state that ga_integrator_save wrote; GA_ERR_FILE if it does not fit this run. */
ga_status ga_integrator_load(ga_integrator *it, const char *path) {
  return ga_integrator_load_whole(it, path, NULL);
}

/* Load a state that ga_integrator_save_memory wrote, or the content of a file. */
ga_status ga_integrator_load_memory(ga_integrator *it, const void *bytes, size_t size) {
  contents c = {0};
  ga_error_clear(&it->error);
  if (!bytes) return ga_fail(&it->error, GA_ERR_ARG, "the state is NULL");
  ga_status status = ga_presence_all(it);
  if (status == GA_OK) status = check_bytes(it, "the state in memory", bytes, size, NULL, &c);
  return status == GA_OK ? load_contents(it, NULL, &c) : status;
}
