/* SPDX-License-Identifier: MIT */
/* The body of a state on disk, see state_walk.h. */
#include "run/state_walk.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Number of entries of this kind in the model of this process. */
static int own_size(const ga_integrator *it, ga_entry kind) {
  const int n[GA_ENTRIES] = {it->eval.nq, it->eval.nv, it->eval.nlam, it->eval.npsi};
  return n[kind];
}

/* Number of entries of this kind in the whole model; whole is NULL if this process has all of
 * it. */
long ga_state_whole_size(const ga_integrator *it, const ga_collector *whole, ga_entry kind) {
  return whole ? whole->n[kind] : own_size(it, kind);
}

/* The kind of the multipliers of block c. */
ga_entry ga_state_mult_entry(const ga_integrator *it, int c) {
  return it->method->mult[c] == GA_BLOCK_PSI ? GA_ENTRY_PSI : GA_ENTRY_LAM;
}

/* Advance by so many bytes without a transfer. */
static void skip_bytes(ga_state_walk *w, size_t bytes) {
  if (w->mode != GA_WALK_MEASURE && w->at) w->at += bytes;
  w->bytes += bytes;
}

/* Copy bytes from data to the file or back, as the mode says, and advance. */
static void transfer_bytes(ga_state_walk *w, void *data, size_t bytes) {
  if (bytes == 0) return;
  if (w->mode == GA_WALK_WRITE && w->at) memcpy(w->at, data, bytes);
  if (w->mode == GA_WALK_READ) memcpy(data, w->at, bytes);
  skip_bytes(w, bytes);
}

/* transfer_bytes for n numbers; used also for one scalar. */
void ga_state_transfer_doubles(ga_state_walk *w, double *x, int n) {
  transfer_bytes(w, x, (size_t)n * sizeof(double));
}

/* Transfer an array x with an entry for each of q, v, lam or psi. In a team: gather it on the
 * root, or pick this process's entries from the whole. */
void ga_state_transfer_entries(ga_state_walk *w, const ga_integrator *it, ga_entry kind,
                               double *x) {
  const int n = own_size(it, kind);
  if (!w->whole) {
    ga_state_transfer_doubles(w, x, n);
    return;
  }
  double *all = (double *)(void *)w->at; /* everything before has multiples of 8 bytes */
  if (w->mode == GA_WALK_WRITE && w->status == GA_OK) {
    w->status = w->whole->gather(w->whole->context, kind, x, all);
  }
  for (int i = 0; w->mode == GA_WALK_READ && i < n; i++) x[i] = all[w->whole->number[kind][i]];
  skip_bytes(w, (size_t)w->whole->n[kind] * sizeof(double));
}

/* Transfer an array x with an entry for each unknown of a step. */
static void transfer_unknowns(ga_state_walk *w, const ga_integrator *it, double *x) {
  for (int b = 0; b < it->method->nx; b++)
    ga_state_transfer_entries(w, it, GA_ENTRY_V, x + b * it->eval.nv);
  for (int c = 0; c < it->method->ncon; c++) {
    ga_state_transfer_entries(w, it, ga_state_mult_entry(it, c), x + it->step.eq.mult_at[c]);
  }
}

/* transfer_bytes for a long, which has 8 bytes in the file. */
static void transfer_long(ga_state_walk *w, long *value) {
  int64_t wide = *value;
  transfer_bytes(w, &wide, sizeof wide);
  *value = (long)wide;
}

/* transfer_bytes for a bool, 0 or 1 as a long in the file. */
static void transfer_bool(ga_state_walk *w, bool *value) {
  long wide = *value;
  transfer_long(w, &wide);
  *value = wide != 0;
}

/* Transfer the state of redundancy: rank, rows left out, reference growth. Skipped if the file has
 * none; read over if this run does not use it. */
static void transfer_rows(ga_state_walk *w, ga_integrator *it) {
  ga_equations *eq = &it->step.eq;
  ga_redundancy *r = &it->redundancy;
  long rank = r->rank, dropped = eq->ndropped;
  w->rows_at = w->bytes;
  if (!w->rows) return;
  if (!r->on) { /* no row is left out, see check_rows */
    const long n = ga_state_whole_size(it, w->whole, GA_ENTRY_LAM) +
                   ga_state_whole_size(it, w->whole, GA_ENTRY_PSI);
    skip_bytes(w, (4 + 2 + 2 * (size_t)n) * sizeof(int64_t));
    return;
  }
  transfer_long(w, &rank);
  transfer_long(w, &dropped);
  transfer_long(w, &r->calm);
  transfer_bool(w, &r->singular);
  ga_state_transfer_doubles(w, r->reference, 2);
  ga_state_transfer_doubles(w, eq->unit, eq->nlam + eq->npsi);
  for (int i = 0; i < eq->nlam + eq->npsi; i++) transfer_bool(w, &eq->dropped[i]);
  r->rank = (int)rank;
  eq->ndropped = (int)dropped;
}

/* Transfer the contacts: states, rows, directions, a change that is pending, statistics. */
static void transfer_contacts(ga_state_walk *w, ga_integrator *it) {
  ga_contacts *c = &it->contacts;
  ga_contact_rows *rows = &c->rows;
  double *const numbers[] = {&c->size,   &c->speed,     &c->force,    &c->t_change,
                             &c->t_rest, &c->t_nominal, &c->h_series, &c->t_keeps};
  bool *const marks[] = {&c->pending, &c->short_piece, &c->told_reduced, &c->told_uncut,
                         &c->stuck,   &c->keeps,       &c->pieces};
  if (c->n == 0) return;
  for (int i = 0; i < 8; i++) ga_state_transfer_doubles(w, numbers[i], 1);
  for (int i = 0; i < 7; i++) transfer_bool(w, marks[i]);
  for (int i = 0; i < c->n; i++) {
    ga_contact_state *s = &c->state[i];
    int *const ints[] = {&s->state, &c->axes[i], &c->found[i], &c->count[i]};
    double *const values[] = {&s->gap,         &s->rate,    &s->normal,  &s->friction[0],
                              &s->friction[1], &s->slip[0], &s->slip[1], &s->impulse,
                              &c->reach[i],    &c->t_hit[i]};
    for (int k = 0; k < 4; k++) {
      long wide = *ints[k];
      transfer_long(w, &wide);
      *ints[k] = (int)wide;
    }
    for (int k = 0; k < 10; k++) ga_state_transfer_doubles(w, values[k], 1);
    transfer_bool(w, &c->redundant[i]);
    transfer_bool(w, &c->needed[i]);
    transfer_bool(w, &c->kept[i]);
    transfer_bool(w, &rows->held[i]);
  }
  for (int i = 0; i < rows->nlam + rows->npsi; i++) {
    long mode = rows->mode[i];
    transfer_long(w, &mode);
    rows->mode[i] = (unsigned char)mode;
  }
  ga_state_transfer_doubles(w, rows->split.val, ga_csr_nnz(&rows->split));
  ga_state_transfer_doubles(w, rows->d, rows->npsi);
  ga_state_transfer_doubles(w, c->turn, rows->npsi);
#define PASS_LONG(name, text) transfer_long(w, &c->stats.name);
#define PASS_NUMBER(name, text) ga_state_transfer_doubles(w, &c->stats.name, 1);
  GA_CONTACT_STAT_LIST(PASS_LONG, PASS_NUMBER)
#undef PASS_LONG
#undef PASS_NUMBER
  c->told = false; /* the factors are forgotten */
  if (w->mode != GA_WALK_READ) return;
  it->state.energy_impacts = c->stats.energy_impacts;
  it->state.energy_friction = c->stats.energy_friction;
  ga_contacts_tell_step(it);
  c->told = false;
}

/* Transfer everything that influences later steps, head excluded; GA_WALK_READ changes *it. The order
 * defines the format: change GA_STATE_VERSION if you change it. */
void ga_state_walk_body(ga_state_walk *w, ga_integrator *it) {
  ga_memory *mem = &it->mem;
  ga_state_transfer_doubles(w, &mem->t, 1);
  ga_state_transfer_doubles(w, &mem->h, 1);
  ga_state_transfer_doubles(w, &it->h, 1);
  ga_state_transfer_doubles(w, &it->state.h, 1);
  ga_state_transfer_doubles(w, &it->sequence.t_base, 1);
  ga_state_transfer_doubles(w, &it->t_memory, 1);
  transfer_long(w, &it->sequence.n_base);
  transfer_long(w, &it->sequence.first);
  if (w->version > 4) {
    ga_state_transfer_doubles(w, &it->sequence.t_rest, 1);
    ga_state_transfer_doubles(w, &it->corners.h_largest, 1);
    transfer_bool(w, &it->corners.behind);
  } else if (w->mode == GA_WALK_READ) {
    it->sequence.t_rest = -INFINITY;
    ga_corners_begin(it, false); /* false: not a continuation */
  }
/* singular_passages is younger than the format: a resumed run counts them anew */
#define PASS_COUNTER(name, text) \
  if (&it->stats.name != &it->stats.singular_passages) transfer_long(w, &it->stats.name);
#define PASS_EXTREME(name, text) ga_state_transfer_doubles(w, &it->stats.name, 1);
  GA_STAT_LIST(PASS_COUNTER, PASS_EXTREME)
#undef PASS_COUNTER
#undef PASS_EXTREME
  ga_state_transfer_doubles(w, &mem->delta, 1);
  ga_state_transfer_doubles(w, &mem->growth, 1);
  transfer_bool(w, &mem->first);
#define ENTRY_nq GA_ENTRY_Q
#define ENTRY_nv GA_ENTRY_V
#define ENTRY_nlam GA_ENTRY_LAM
#define ENTRY_npsi GA_ENTRY_PSI
#define PASS_ARRAY(name, size) ga_state_transfer_entries(w, it, ENTRY_##size, mem->name);
  GA_MEMORY_LIST(PASS_ARRAY)
#undef PASS_ARRAY
  transfer_unknowns(w, it, it->predictor.phi[0]);
  ga_state_transfer_doubles(w, it->eval.inputs.value, it->eval.inputs.n);
  if (it->eval.inputs.n > 0) ga_state_transfer_doubles(w, &it->next_sample, 1);
  for (int i = 0; i < it->events.n; i++) {
    ga_state_transfer_doubles(w, &it->events.item[i].value, 1);
    ga_state_transfer_doubles(w, &it->events.item[i].t_last, 1);
  }
  transfer_rows(w, it);
  transfer_contacts(w, it);
  ga_step_size *c = &it->step_size;
  if (!c->on) return;
  ga_state_transfer_doubles(w, &c->err_last, 1);
  ga_state_transfer_doubles(w, &c->t_vdd, 1);
  ga_state_transfer_entries(w, it, GA_ENTRY_V, c->vdd);
  ga_state_transfer_entries(w, it, GA_ENTRY_V, c->size_q);
  ga_state_transfer_entries(w, it, GA_ENTRY_V, c->size_v);
  ga_state_transfer_entries(w, it, GA_ENTRY_V, c->force);
  transfer_long(w, &c->rough);
  transfer_long(w, &c->rough_allowed);
  double none[4] = {0, 0, 0, 0}; /* of the last full estimate: none, the next one is full */
  double *const numbers[] = {&c->t_start, &none[0],      &none[1],    &none[2],
                             &none[3],    &c->force_err, &c->force_h, &c->acceleration};
  for (int i = 0; i < 8; i++) ga_state_transfer_doubles(w, numbers[i], 1);
  if (it->method->hidden_free) ga_state_transfer_entries(w, it, GA_ENTRY_V, c->vd);
  if (w->mode == GA_WALK_READ) it->corners.since = c->t_start;
  if (w->version > 6) ga_state_transfer_doubles(w, &it->corners.since, 1);
}
