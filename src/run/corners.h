/* SPDX-License-Identifier: MIT */
/* Corners of the model in time: where steps end, where the memory is built anew (corners.c). */
#ifndef GA_SRC_CORNERS_H
#define GA_SRC_CORNERS_H

#include "genalpha/ga_model.h"
#include "step/memory.h"

/* Residuals of constraints at a time: g, G v + g_t, its drift; k, its drift. */
typedef struct ga_corner_rows {
  double *g, *gv, *drift, *k, *k_drift;
} ga_corner_rows;

typedef struct ga_corners {
  bool known;            /* `next` has been found */
  ga_corner next;        /* the first corner after the accepted time that has not been dealt with */
  bool warned;           /* about a jump inside a step; once in a run */
  double h_largest;      /* largest automatic step: a fraction of the first run; 0: no run yet */
  bool behind;           /* the next step is the first one behind a corner or a start, */
  double since;          /* and the time of that; of the last one, if it is not */
  bool passed;           /* the last step ended at a corner, and `left` is its end */
  ga_memory left;        /* the state before that corner; dense output uses it */
  double *old_F, *new_F; /* nv: forces before and behind a corner */
  double *size_q, *size_v; /* nv: sizes that a start would forget */
  ga_corner_rows old, new; /* constraints before and behind a corner */
} ga_corners;

struct ga_integrator;
struct ga_plan;

/* Allocate the work arrays; the caller checks arena.failed. */
void ga_corners_init(struct ga_integrator *it);

/* A run starts (again false), or the model may have changed: search for the next corner anew. */
void ga_corners_begin(struct ga_integrator *it, bool again);

/* A run to t_end begins: the largest automatic step, if the user gives none, and it->h within it. */
void ga_corners_limit_step(struct ga_integrator *it, double t_end);
/* How long the first run is; INFINITY: it has not begun. */
double ga_corners_span(const struct ga_integrator *it);
/* The largest automatic step; INFINITY: no limit. */
double ga_corners_largest_step(const struct ga_integrator *it);

/* Is there a corner of forces between t - h and t + h? *way: from t to the first one behind t; INFINITY:
 * there is none up to t + h. Collective. */
bool ga_corners_beside(const struct ga_integrator *it, double t, double h, double *way);

/* If the accepted time is that of a corner, up to rounding, and the corner is not after t_end: pass
 * it. The state is then the one behind the corner. GA_ERR_MODEL if a constraint jumps. Collective. */
ga_status ga_corners_pass(struct ga_integrator *it, double t_end);

/* Where an automatic step must end: t_end, the time before the next corner, or that at which something
 * begins after a rest (ga_model_ops.calm). */
ga_status ga_corners_end(struct ga_integrator *it, double t_end, double *end);

/* Let a given step, on the way to t_end, meet the corners in it: it is cut at the first one if the
 * options say so; one at its end is met. A jump inside is warned about; GA_ERR_MODEL if a constraint
 * jumps. Collective. */
ga_status ga_corners_meet(struct ga_integrator *it, double t_end, struct ga_plan *plan);

#endif
