/* SPDX-License-Identifier: MIT */
/* Recording the frames of a run. */
#include "film.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A page carries up to FRAMES frames; of large models fewer, so that they fit into NUMBERS. Further
 * columns are taken while there are fewer than WIDE. */
enum { FRAMES = 2000, FRAMES_LEAST = 64, NUMBERS = 24000000, WIDE = 4000 };

static const char *const residuals[] = {"residual.position", "residual.velocity",
                                        "residual.nonholonomic"};
enum { NRESIDUAL = 3 };

const char *const *film_place_columns(ga_body_type type) {
  static const char *const rigid[] = {".x", ".y", ".z", ".e0", ".e1", ".e2", ".e3", NULL};
  static const char *const planar[] = {".x", ".y", ".angle", NULL};
  static const char *const point[] = {".x", ".y", ".z", NULL};
  return type == GA_BODY_RIGID ? rigid : type == GA_BODY_PLANAR ? planar : point;
}

/* ---- which columns -------------------------------------------------------------------------- */

static void take(film *f, int column) {
  if (column < 0 || f->at[column] >= 0) return;
  f->at[column] = f->rows.width;
  f->column[f->rows.width] = column;
  f->name[f->rows.width++] = ga_mechanism_column_name(f->mechanism, column);
}

static void take_places(film *f) {
  ga_body_info body;
  for (int i = 0; ga_mechanism_body_at(f->mechanism, i, &body); i++) {
    for (const char *const *end = film_place_columns(body.type); *end; end++) {
      char name[256];
      snprintf(name, sizeof name, "%s%s", body.name, *end);
      take(f, ga_mechanism_column_index(f->mechanism, name));
    }
  }
}

static void choose(film *f, const ga_file *file) {
  const ga_mechanism *m = f->mechanism;
  take(f, 0);
  take_places(f);
  f->places_end = f->rows.width;
  for (int i = 0; ga_file_output(file, i) >= 0; i++) {
    take(f, ga_file_output(file, i));
    f->wanted[f->at[ga_file_output(file, i)]] = true;
  }
  /* energies and momenta are the last of the usual ones */
  const int usual = ga_mechanism_default_columns(m);
  for (int i = usual - 9; i < usual; i++) take(f, i);
  const int places = f->rows.width;
  for (int i = 0; i < usual && f->rows.width - places < WIDE; i++) take(f, i);
}

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

bool film_open(film *f, const ga_problem *problem) {
  const ga_file *file = file_of(problem);
  *f = (film){.mechanism = ga_file_mechanism(file)};
  const size_t all = (size_t)ga_mechanism_columns(f->mechanism);
  f->name = calloc(all + NRESIDUAL, sizeof *f->name);
  f->column = calloc(all + NRESIDUAL, sizeof *f->column);
  f->wanted = calloc(all + NRESIDUAL, sizeof *f->wanted);
  f->at = malloc((all + 1) * sizeof *f->at);
  f->values = calloc(all + 1, sizeof *f->values);
  bool ok = f->name && f->column && f->wanted && f->at && f->values;
  if (ok) {
    for (size_t i = 0; i < all; i++) f->at[i] = -1;
    choose(f, file);
    ok = open_residuals(f, &problem->model);
  }
  if (ok) {
    const int fit = NUMBERS / f->rows.width;
    const int room = fit > FRAMES ? FRAMES : fit < FRAMES_LEAST ? FRAMES_LEAST : fit;
    ok = rows_open(&f->rows, f->rows.width, room);
  }
  if (!ok) cli_error("no memory for the frames of the page");
  return ok;
}

void film_close(film *f) {
  free(f->name);
  free(f->column);
  free(f->wanted);
  free(f->at);
  free(f->values);
  free(f->g);
  free(f->g_t);
  free(f->G.val);
  rows_close(&f->rows);
  *f = (film){.mechanism = NULL};
}

/* ---- frames --------------------------------------------------------------------------------- */

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* |g|, |G v + g_t|, |k|, the largest of the rows; NaN where they cannot be evaluated */
static void evaluate_residuals(film *f, const ga_state *s, double r[NRESIDUAL]) {
  const ga_model *model = ga_mechanism_model(f->mechanism);
  const ga_model_ops *ops = model->ops;
  r[0] = r[1] = r[2] = NAN;
  if (model->nlam > 0 && ops->holonomic(model->user, s->t, s->q, f->g) == 0) {
    r[0] = largest(model->nlam, f->g);
  }
  if (f->G.val) {
    memset(f->G.val, 0, (size_t)f->G.ptr[f->G.nrow] * sizeof *f->G.val);
    memset(f->g_t, 0, (size_t)model->nlam * sizeof *f->g_t);
    int code = ops->holonomic_jac(model->user, s->t, s->q, &f->G);
    if (!model->scleronomic) code |= ops->holonomic_t(model->user, s->t, s->q, f->g_t);
    for (int i = 0; i < f->G.nrow; i++) {
      for (int k = f->G.ptr[i]; k < f->G.ptr[i + 1]; k++) {
        f->g_t[i] += f->G.val[k] * s->v[f->G.col[k]];
      }
    }
    if (code == 0) r[1] = largest(model->nlam, f->g_t);
  }
  if (model->npsi > 0 && ops->nonholonomic(model->user, s->t, s->q, s->v, f->g) == 0) {
    r[2] = largest(model->npsi, f->g);
  }
}

void film_add(film *f, const ga_state *state) {
  double *row = rows_next(&f->rows), r[NRESIDUAL];
  ga_mechanism_outputs(f->mechanism, state, f->values);
  evaluate_residuals(f, state, r);
  for (int i = 0; i < f->rows.width; i++) {
    const int column = f->column[i];
    row[i] = column >= 0 ? f->values[column] : r[-1 - column];
  }
  rows_keep(&f->rows);
}

int film_frames(const film *f) {
  return rows_count(&f->rows);
}
