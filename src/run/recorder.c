/* SPDX-License-Identifier: MIT */
/* States kept in memory: one growing array for each field of a state. */
#include "genalpha/ga_recorder.h"

#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "genalpha/ga_events.h"

struct ga_recorder {
  int width[GA_STATE_FIELDS];     /* numbers per row of t, q, v, v', lam, psi, u */
  double *field[GA_STATE_FIELDS]; /* rows one after the other */
  int ncontact;                   /* contacts of the model, and for each row */
  ga_contact_state *contact;      /* their states, and the energies lost at */
  double (*energy)[2];            /* impacts and by friction; NULL: the model has no contacts */
  long rows, room;                /* states kept, and how many there is memory for */
  long every;                     /* keep every so many steps, if there are no times */
  ga_integrator *it;              /* asked for dense output, if there are times */
  double *times;                  /* wanted times, rising; NULL: none */
  long ntimes, next;              /* their number, and the first that is not recorded yet */
  ga_status status;               /* of the last observation: why it stopped the run */
};

/* *out: an empty recorder for states of this model, every step; NULL and GA_ERR_MEM without
 * memory. */
ga_status ga_recorder_new(const ga_model *model, ga_recorder **out) {
  ga_recorder *r = ga_calloc(1, sizeof *r);
  *out = r;
  if (!r) return GA_ERR_MEM;
  const int nq = ga_space_nq(model->space), nv = ga_space_nv(model->space);
  const int width[GA_STATE_FIELDS] = {1, nq, nv, nv, model->nlam, model->npsi, model->ninput};
  memcpy(r->width, width, sizeof width);
  r->ncontact = model->ncontacts;
  r->every = 1;
  return GA_OK;
}

/* Free the recorder and all rows; NULL is allowed. */
void ga_recorder_free(ga_recorder *recorder) {
  if (!recorder) return;
  for (int p = 0; p < GA_STATE_FIELDS; p++) ga_free(recorder->field[p]);
  ga_free(recorder->contact);
  ga_free(recorder->energy);
  ga_free(recorder->times);
  ga_free(recorder);
}

/* Enlarge the arrays of contacts to so many rows, which are kept. False without memory: they stay as
 * they are, or are too large, which does no harm. */
static bool reserve_contacts(ga_recorder *r, long rows) {
  const size_t n = (size_t)r->ncontact, count = (size_t)rows;
  if (n == 0) return true;
  if (count > SIZE_MAX / sizeof *r->contact / n) return false;
  ga_contact_state *contact = ga_calloc(count * n, sizeof *contact);
  double(*energy)[2] = ga_calloc(count, sizeof *energy);
  if (contact && energy && r->rows > 0) {
    memcpy(contact, r->contact, (size_t)r->rows * n * sizeof *contact);
    memcpy(energy, r->energy, (size_t)r->rows * sizeof *energy);
  }
  const bool ok = contact && energy;
  ga_free(ok ? r->contact : contact);
  ga_free(ok ? r->energy : energy);
  if (ok) r->contact = contact, r->energy = energy;
  return ok;
}

/* Enlarge all arrays to so many rows, which are kept; GA_ERR_MEM: none of them becomes smaller. Never
 * shrinks. Pointers from ga_recorder_field become invalid. */
ga_status ga_recorder_reserve(ga_recorder *r, long rows) {
  double *field[GA_STATE_FIELDS] = {NULL};
  if (rows <= r->room) return GA_OK;
  bool ok = reserve_contacts(r, rows);
  for (int p = 0; p < GA_STATE_FIELDS; p++) {
    const size_t width = (size_t)r->width[p];
    ok = ok && (size_t)rows <= SIZE_MAX / sizeof(double) / (width + 1);
    if (ok) field[p] = ga_calloc((size_t)rows * width + 1, sizeof(double));
    ok = ok && field[p];
  }
  for (int p = 0; p < GA_STATE_FIELDS; p++) {
    if (ok && r->rows > 0) {
      memcpy(field[p], r->field[p], (size_t)r->rows * (size_t)r->width[p] * sizeof(double));
    }
    ga_free(ok ? r->field[p] : field[p]);
    if (ok) r->field[p] = field[p];
  }
  if (ok) r->room = rows;
  return ok ? GA_OK : GA_ERR_MEM;
}

/* Keep the states after every so many steps; GA_ERR_ARG if steps < 1. */
ga_status ga_recorder_every(ga_recorder *recorder, long steps) {
  if (steps < 1) return GA_ERR_ARG;
  recorder->every = steps;
  return GA_OK;
}

/* Copy the times to record, which must be finite and must not fall (GA_ERR_ARG); dense output of
 * `it`, which must outlive the recording, gives the states. Times set before are replaced. */
ga_status ga_recorder_times(ga_recorder *recorder, ga_integrator *it, const double *times,
                            long count) {
  for (long i = 0; i < count; i++) {
    if (!isfinite(times[i]) || (i > 0 && times[i] < times[i - 1])) return GA_ERR_ARG;
  }
  double *own = ga_calloc((size_t)count + 1, sizeof *own);
  if (!own) return GA_ERR_MEM;
  memcpy(own, times, (size_t)count * sizeof *own);
  ga_free(recorder->times);
  recorder->times = own;
  recorder->ntimes = count;
  recorder->next = 0;
  recorder->it = it;
  return ga_recorder_reserve(recorder, recorder->rows + count);
}

/* row[p]: where the fields of the next row begin; the arrays grow if they are full. false and
 * r->status if there is no memory. */
static bool next_row(ga_recorder *r, double *row[GA_STATE_FIELDS]) {
  enum { FIRST_ROOM = 64 };
  if (r->rows == r->room) {
    const long more = r->room / 2 > FIRST_ROOM ? r->room / 2 : FIRST_ROOM;
    r->status = ga_recorder_reserve(r, r->room + more);
    if (r->status != GA_OK) return false;
  }
  for (int p = 0; p < GA_STATE_FIELDS; p++) row[p] = r->field[p] + r->rows * r->width[p];
  return true;
}

/* The contacts of the next row are those of a state of the same piece of a step. */
static void put_contacts(ga_recorder *r, const ga_state *state) {
  if (r->ncontact == 0 || !state->contacts) return;
  memcpy(r->contact + r->rows * r->ncontact, state->contacts,
         (size_t)r->ncontact * sizeof *r->contact);
  r->energy[r->rows][0] = state->energy_impacts;
  r->energy[r->rows][1] = state->energy_friction;
}

/* Append a copy of the state as a new row; without memory r->status is set and returned. */
static ga_status append_state(ga_recorder *r, const ga_state *state) {
  const double *const from[GA_STATE_FIELDS] = {&state->t,  state->q,   state->v, state->vd,
                                               state->lam, state->psi, state->u};
  double *row[GA_STATE_FIELDS];
  if (!next_row(r, row)) return r->status;
  for (int p = 0; p < GA_STATE_FIELDS; p++) {
    if (r->width[p] > 0 && from[p]) memcpy(row[p], from[p], (size_t)r->width[p] * sizeof(double));
  }
  put_contacts(r, state);
  r->rows++;
  return GA_OK;
}

/* Append the states at the wanted times inside the last step, by dense output, and advance r->next.
 * Times that differ from its ends by rounding count as these; earlier ones are skipped. A failure
 * is returned and kept in r->status. */
static ga_status append_wanted_times(ga_recorder *r, const ga_state *state) {
  const double slack = 1e-9 * state->h, first = state->t - state->h;
  for (; r->next < r->ntimes && r->times[r->next] <= state->t + slack; r->next++) {
    const double t = fmin(r->times[r->next], state->t);
    double *row[GA_STATE_FIELDS];
    if (t < first - slack) continue;
    if (!next_row(r, row)) return r->status;
    r->status = ga_integrator_dense_output(r->it, fmax(t, first), row[GA_STATE_Q], row[GA_STATE_V],
                                           row[GA_STATE_VD], row[GA_STATE_LAM], row[GA_STATE_PSI]);
    if (r->status != GA_OK) return r->status;
    ga_integrator_inputs(r->it, t, row[GA_STATE_U]);
    row[GA_STATE_T][0] = r->times[r->next];
    put_contacts(r, state);
    r->rows++;
  }
  return GA_OK;
}

/* An observer (context: the recorder): keep the state if it is wanted; nonzero, which stops the
 * run, if that fails. */
int ga_recorder_observe(void *recorder, const ga_state *state, const ga_stats *stats) {
  ga_recorder *r = recorder;
  if (r->times) return append_wanted_times(r, state) != GA_OK;
  return stats->steps % r->every == 0 && append_state(r, state) != GA_OK;
}

/* GA_OK, or why an observation failed. */
ga_status ga_recorder_status(const ga_recorder *recorder) {
  return recorder->status;
}

/* Append this state, unless the last row has the same time; GA_ERR_MEM without memory. */
ga_status ga_recorder_add(ga_recorder *recorder, const ga_state *state) {
  if (recorder->rows > 0 && recorder->field[GA_STATE_T][recorder->rows - 1] == state->t)
    return GA_OK;
  return append_state(recorder, state);
}

/* Number of states kept. */
long ga_recorder_rows(const ga_recorder *recorder) {
  return recorder->rows;
}

/* Numbers per row of this field. */
int ga_recorder_width(const ga_recorder *recorder, ga_state_field field) {
  return recorder->width[field];
}

/* All rows of this field, one after the other; valid until the next row is added. */
const double *ga_recorder_field(const ga_recorder *recorder, ga_state_field field) {
  return recorder->field[field];
}

/* Row i, 0 <= i < rows, as a state that points into the recorder; h is the distance to the row
 * before, a is NULL. */
ga_state ga_recorder_state(const ga_recorder *recorder, long i) {
  const double *row[GA_STATE_FIELDS];
  for (int p = 0; p < GA_STATE_FIELDS; p++) row[p] = recorder->field[p] + i * recorder->width[p];
  const double *t = row[GA_STATE_T];
  const int n = recorder->ncontact;
  return (ga_state){.t = t[0],
                    .h = i > 0 ? t[0] - t[-1] : 0,
                    .q = row[GA_STATE_Q],
                    .v = row[GA_STATE_V],
                    .vd = row[GA_STATE_VD],
                    .lam = row[GA_STATE_LAM],
                    .psi = row[GA_STATE_PSI],
                    .u = recorder->width[GA_STATE_U] > 0 ? row[GA_STATE_U] : NULL,
                    .contacts = n > 0 ? recorder->contact + i * n : NULL,
                    .energy_impacts = n > 0 ? recorder->energy[i][0] : 0,
                    .energy_friction = n > 0 ? recorder->energy[i][1] : 0};
}
