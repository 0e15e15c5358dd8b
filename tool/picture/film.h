/* SPDX-License-Identifier: MIT */
/* The motion of a mechanism as frames in memory: some columns of it at some times. */
#ifndef TOOL_PICTURE_FILM_H
#define TOOL_PICTURE_FILM_H

#include <genalpha/ga_results.h>

#include "picture/thinned_rows.h"
#include "source/model_file.h"

/* FILM_POSE: it gives the position or orientation of a body; FILM_WANTED: `output` names it. */
enum { FILM_POSE = 1, FILM_WANTED = 2 };

typedef struct film {
  const ga_mechanism *mechanism; /* borrowed */
  const char **name;             /* of the columns of a frame, borrowed; the first is t */
  int *column;                   /* of the mechanism; -1: not one of its own */
  int *at;            /* back: for each of the mechanism's, its number in a frame, or -1 */
  unsigned char *use; /* FILM_POSE, FILM_WANTED of each column */
  thinned_rows rows;
  /* while a run is recorded: */
  double *values;  /* all columns of the mechanism */
  double *g, *g_t; /* residuals of the constraints */
  ga_csr G;        /* its pattern is borrowed */
} film;

/* Prepare the recording of a run of a mechanism. The columns of a frame: t, the poses (position and
 * orientation) of all bodies, those of `output`, energies, and as many others as a page can carry;
 * then the residuals of the constraints. False after a message; film_close in any case. */
bool film_open(film *f, const ga_problem *problem);
void film_close(film *f);

/* For the rows of a file of results, with the mechanism of the model in it: all columns, some
 * thousand rows. False after a message; film_close in any case. */
bool film_read(film *f, const ga_file *file, ga_results *results);

/* One more frame; thinned if there are many. */
void film_add(film *f, const ga_state *state);
int film_frames(const film *f);

/* Columns of the pose of a body, by its type: endings of their names, NULL past the last. */
const char *const *film_pose_columns(ga_body_type type);

#endif
