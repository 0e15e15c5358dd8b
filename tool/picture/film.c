/* SPDX-License-Identifier: MIT */
/* Recording the frames of a run. */
#include "picture/film.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A page carries up to FRAMES frames; of large models fewer, so that they fit into NUMBERS. Further
 * columns are taken while there are fewer than WIDE, those of arrows while there are fewer than
 * DRAWN_COLUMNS. */
enum { FRAMES = 2000, FRAMES_LEAST = 64, NUMBERS = 24000000, WIDE = 600, DRAWN_COLUMNS = 5000 };

static const char *const residuals[] = {"residual.position", "residual.velocity",
                                        "residual.nonholonomic"};
enum { NRESIDUAL = 3 };

/* Endings of the column names that give the pose of a body of this type; ends with NULL. */
const char *const *film_pose_columns(ga_body_type type) {
  static const char *const rigid[] = {".x", ".y", ".z", ".e0", ".e1", ".e2", ".e3", NULL};
  static const char *const planar[] = {".x", ".y", ".angle", NULL};
  static const char *const point[] = {".x", ".y", ".z", NULL};
  return type == GA_BODY_RIGID ? rigid : type == GA_BODY_PLANAR ? planar : point;
}

/* ---- which columns -------------------------------------------------------------------------- */

/* Appends a column of the mechanism to the frames and advances f->rows.width, unless it is there
 * already (f->at) or is -1. The arrays have room for all columns. */
static void add_column(film *f, int column) {
  if (column < 0 || f->at[column] >= 0) return;
  f->at[column] = f->rows.width;
  f->column[f->rows.width] = column;
  f->name[f->rows.width++] = ga_mechanism_column_name(f->mechanism, column);
}

/* Marks the pose columns of all bodies with FILM_POSE in f->use; add: appends them to the frames
 * first, otherwise only those that are there are marked. */
static void mark_poses(film *f, bool add) {
  ga_body_info body;
  for (int i = 0; ga_mechanism_body_at(f->mechanism, i, &body); i++) {
    for (const char *const *end = film_pose_columns(body.type); *end; end++) {
      char name[256];
      snprintf(name, sizeof name, "%s%s", body.name, *end);
      const int column = ga_mechanism_column_index(f->mechanism, name);
      if (add) add_column(f, column);
      if (column >= 0 && f->at[column] >= 0) f->use[f->at[column]] |= FILM_POSE;
    }
  }
}

/* Appends the columns that pictures need for contacts, and for arrows of forces: those known by name
 * only. */
static void add_drawn_columns(film *f) {
  static const char *const of_contacts[] = {".state", ".Fx", ".Fy", ".Fz", ".n", ".impulse", NULL};
  static const char *const of_forces[] = {".fx", ".fy", ".fz", NULL};
  ga_contact_point contact;
  ga_drawable force;
  char name[256];
  for (int i = 0; ga_mechanism_contact_point(f->mechanism, i, &contact); i++) {
    for (const char *const *end = of_contacts; *end; end++) {
      snprintf(name, sizeof name, "%s%s", contact.name, *end);
      add_column(f, ga_mechanism_column_index(f->mechanism, name));
    }
  }
  for (int i = 0; ga_mechanism_drawable(f->mechanism, GA_DRAWABLE_FORCE, i, &force); i++) {
    if (f->rows.width > DRAWN_COLUMNS || strcmp(force.type, "force") != 0) continue;
    for (const char *const *end = of_forces; *end; end++) {
      snprintf(name, sizeof name, "%s%s", force.name, *end);
      add_column(f, ga_mechanism_column_index(f->mechanism, name));
    }
  }
}

/* Fills the list of columns of a recording: t, poses, those of `output` (marked FILM_WANTED),
 * energies and momenta (the last 9 of the usual columns), then usual ones while there are fewer
 * than WIDE beside poses, `output` and energies. The film is empty before. */
static void choose_columns(film *f, const ga_file *file) {
  const ga_mechanism *m = f->mechanism;
  add_column(f, 0);
  mark_poses(f, true /* append */);
  for (int i = 0; ga_file_output(file, i) >= 0; i++) {
    add_column(f, ga_file_output(file, i));
    f->use[f->at[ga_file_output(file, i)]] |= FILM_WANTED;
  }
  /* energies and momenta are the last of the usual ones */
  const int usual = ga_mechanism_default_columns(m);
  for (int i = usual - 9; i < usual; i++) add_column(f, i);
  const int poses = f->rows.width;
  add_drawn_columns(f);
  for (int i = 0; i < usual && f->rows.width - poses < WIDE; i++) add_column(f, i);
}

/* Appends the residual columns that the model has (column numbers -1, -2, -3) and allocates
 * f->g, f->g_t and the values of f->G to compute them; the pattern of G is borrowed from the
 * model. False if memory is short. */
static bool open_residuals(film *f, const ga_model *model) {
  const bool is[NRESIDUAL] = {model->nlam > 0, model->nlam > 0, model->npsi > 0};
  for (int i = 0; i < NRESIDUAL; i++) {
    if (!is[i]) continue;
    f->column[f->rows.width] = -1 - i;
    f->name[f->rows.width++] = residuals[i];
  }
  const size_t n = (size_t)(model->nlam + model->npsi) + 1;
  f->g = calloc(n, sizeof *f->g);
  f->g_t = calloc(n, sizeof *f->g_t);
  if (model->pat_G) f->G = *model->pat_G;
  f->G.val = model->pat_G ? calloc((size_t)f->G.ptr[f->G.nrow] + 1, sizeof *f->G.val) : NULL;
  return f->g && f->g_t && (!model->pat_G || f->G.val);
}

/* Initializes *f with room for `room` columns and none in use, f->at all -1; false if memory is
 * short. film_close in any case. */
static bool allocate(film *f, const ga_mechanism *m, size_t room) {
  const size_t all = (size_t)ga_mechanism_columns(m);
  *f = (film){.mechanism = m};
  f->name = calloc(room, sizeof *f->name);
  f->column = calloc(room, sizeof *f->column);
  f->use = calloc(room, sizeof *f->use);
  f->at = malloc((all + 1) * sizeof *f->at);
  f->values = calloc(all + 1, sizeof *f->values);
  for (size_t i = 0; f->at && i < all; i++) f->at[i] = -1;
  return f->name && f->column && f->use && f->at && f->values;
}

/* How many frames of this width (numbers) a page carries. */
static int most_frames(int width) {
  const int fit = NUMBERS / width;
  return fit > FRAMES ? FRAMES : fit < FRAMES_LEAST ? FRAMES_LEAST : fit;
}

/* Returns ok, after a message if it is false. */
static bool check_memory(bool ok) {
  if (!ok) tool_error("no memory for the frames of the page");
  return ok;
}

/* Fills *f, which need not be initialized: chooses the columns and allocates the rows of a
 * recording. False after a message; film_close in any case. */
bool film_open(film *f, const ga_problem *problem) {
  const ga_file *file = file_of(problem);
  const ga_mechanism *m = ga_file_mechanism(file);
  if (!allocate(f, m, (size_t)ga_mechanism_columns(m) + NRESIDUAL)) return check_memory(false);
  choose_columns(f, file);
  if (!open_residuals(f, &problem->model)) return check_memory(false);
  return check_memory(thinned_rows_open(&f->rows, f->rows.width, most_frames(f->rows.width)));
}

/* Fills *f, which need not be initialized, from a file of results, column by column; keeps every
 * stride-th row and the last one, so that at most most_frames + 1 remain. Borrows the names of
 * `results`. False after a message; film_close in any case. */
bool film_read(film *f, const ga_file *file, ga_results *results) {
  const ga_mechanism *m = ga_file_mechanism(file);
  const int width = ga_results_columns(results);
  const long rows = ga_results_rows(results);
  if (!allocate(f, m, (size_t)width + 1)) return check_memory(false);
  for (int i = 0; i < width; i++) {
    const int column = ga_mechanism_column_index(m, ga_results_name(results, i));
    f->name[i] = ga_results_name(results, i);
    f->column[i] = column;
    if (column >= 0) f->at[column] = i;
  }
  mark_poses(f, false /* those of the file only */);
  for (int i = 0; ga_file_output(file, i) >= 0; i++) {
    const int at = f->at[ga_file_output(file, i)];
    if (at >= 0) f->use[at] |= FILM_WANTED;
  }
  /* the least stride with at most `most` rows before the last one */
  const long most = most_frames(width), stride = rows > 1 ? (rows - 2) / (most - 1) + 1 : 1;
  double *column = malloc((size_t)(rows + 1) * sizeof *column);
  if (!column || !thinned_rows_open(&f->rows, width, (int)most + 1)) {
    free(column);
    return check_memory(false);
  }
  ga_error err = {GA_OK, ""};
  bool ok = true;
  for (int i = 0; ok && i < width; i++) {
    ok = ga_results_read_column(results, i, 0, rows, column, &err) == GA_OK;
    f->rows.count = 0;
    for (long k = 0; ok && k < rows; k += stride) {
      thinned_rows_at(&f->rows, f->rows.count++)[i] = column[k];
    }
    if ((rows - 1) % stride != 0) thinned_rows_at(&f->rows, f->rows.count++)[i] = column[rows - 1];
  }
  if (!ok) tool_error("%s", err.text);
  free(column);
  return ok;
}

/* Frees all; also after film_open or film_read has failed. */
void film_close(film *f) {
  free(f->name);
  free(f->column);
  free(f->use);
  free(f->at);
  free(f->values);
  free(f->g);
  free(f->g_t);
  free(f->G.val);
  thinned_rows_close(&f->rows);
  *f = (film){.mechanism = NULL};
}

/* ---- frames --------------------------------------------------------------------------------- */

/* max |x_i| */
static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* r = (|g|, |G v + g_t|, |k|) at the state s, the largest row of each; NaN where the model has
 * none or cannot evaluate it. Overwrites f->g, f->g_t and f->G, which open_residuals has
 * allocated. */
static void evaluate_residuals(film *f, const ga_state *s, double r[NRESIDUAL]) {
  const ga_model *model = ga_mechanism_model(f->mechanism);
  const ga_evaluation positions = {.g = f->g}, velocities = {.k = f->g};
  const ga_evaluation rates = {.G = &f->G, .gt = model->scleronomic ? NULL : f->g_t};
  r[0] = r[1] = r[2] = NAN;
  if (model->nlam > 0 && ga_model_evaluate(model, s->t, s->q, s->v, &positions) == 0) {
    r[0] = largest(model->nlam, f->g);
  }
  if (f->G.val) {
    memset(f->g_t, 0, (size_t)model->nlam * sizeof *f->g_t);
    const int code = ga_model_evaluate(model, s->t, s->q, s->v, &rates);
    for (int i = 0; i < f->G.nrow; i++) {
      for (int k = f->G.ptr[i]; k < f->G.ptr[i + 1]; k++) {
        f->g_t[i] += f->G.val[k] * s->v[f->G.col[k]];
      }
    }
    if (code == 0) r[1] = largest(model->nlam, f->g_t);
  }
  if (model->npsi > 0 && ga_model_evaluate(model, s->t, s->q, s->v, &velocities) == 0) {
    r[2] = largest(model->npsi, f->g);
  }
}

/* Evaluates all columns at the state and keeps them as a frame; when there are too many, the
 * frames are thinned (thinned_rows.h). For films of film_open only. */
void film_add(film *f, const ga_state *state) {
  double *row = thinned_rows_next(&f->rows), r[NRESIDUAL];
  ga_mechanism_outputs(f->mechanism, state, f->values);
  evaluate_residuals(f, state, r);
  for (int i = 0; i < f->rows.width; i++) {
    const int column = f->column[i];
    row[i] = column >= 0 ? f->values[column] : r[-1 - column];
  }
  thinned_rows_keep(&f->rows);
}

/* Number of frames, with the newest one. */
int film_frames(const film *f) {
  return thinned_rows_count(&f->rows);
}
