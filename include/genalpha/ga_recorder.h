/* SPDX-License-Identifier: MIT */
/* The states of a run kept in memory, one array for each part of a state.
 *
 *     ga_recorder *recorder;
 *     ga_recorder_new(&model, &recorder);
 *     ga_integrator_observe(it, ga_recorder_observe, recorder);
 *     ga_integrator_run(it, t_end);
 *     const double *q = ga_recorder_field(recorder, GA_STATE_Q);  // rows x nq numbers, row by row
 *     printf("q after the first step: %g\n", q[0]);
 *     ga_recorder_free(recorder);
 *
 * A record belongs to one integrator and one thread at a time. */
#ifndef GA_RECORDER_H
#define GA_RECORDER_H

#include <genalpha/ga_integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ga_state_field {
  GA_STATE_T,
  GA_STATE_Q,
  GA_STATE_V,
  GA_STATE_VD,
  GA_STATE_LAM,
  GA_STATE_PSI,
  GA_STATE_U,
  GA_STATE_FIELDS
} ga_state_field;

typedef struct ga_recorder ga_recorder;

/* The model gives the sizes; it is not used after the call. */
GA_API ga_status ga_recorder_new(const ga_model *model, ga_recorder **out);
GA_API void ga_recorder_free(ga_recorder *record);

/* Room for so many rows in all, so that the arrays need not grow on the way. */
GA_API ga_status ga_recorder_reserve(ga_recorder *record, long rows);

/* Which states ga_recorder_observe keeps: every N-th step (1 at first), or the states at given
 * times, by dense output of the integrator. The times ascend, and are copied; those before the
 * start of the run are skipped. */
GA_API ga_status ga_recorder_every(ga_recorder *record, long steps);
GA_API ga_status ga_recorder_times(ga_recorder *record, ga_integrator *it, const double *times,
                                   long count);

/* A ga_observer; the context is the record. It ends the run if there is no memory left or the dense
 * output failed; ga_recorder_status tells. */
GA_API int ga_recorder_observe(void *record, const ga_state *state, const ga_stats *stats);
GA_API ga_status ga_recorder_status(const ga_recorder *record);

/* Keep this state, whatever the choice of rows says, unless the last row has its time. */
GA_API ga_status ga_recorder_add(ga_recorder *record, const ga_state *state);

/* The rows kept; row i of a part begins at i times its width. The arrays stay where they are as
 * long as nothing is kept or reserved. */
GA_API long ga_recorder_rows(const ga_recorder *record);
GA_API int ga_recorder_width(const ga_recorder *record, ga_state_field part);
GA_API const double *ga_recorder_field(const ga_recorder *record, ga_state_field part);
/* Row i as a state, whose a is NULL and whose h is the distance to the row before. */
GA_API ga_state ga_recorder_state(const ga_recorder *record, long i);

#ifdef __cplusplus
}
#endif
#endif
