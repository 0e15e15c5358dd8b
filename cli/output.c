/* SPDX-License-Identifier: MIT */
/* The trajectory: t, the columns of a model file, or q, v, vd, lam, psi and, where the model has
 * them, the energies. A row is collected first, then written as CSV or appended to results. */
#define _POSIX_C_SOURCE 200809L
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

bool results_named(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

static bool fail(trajectory *out) {
  if (!out->failed && out->results) {
    const long rows = ga_results_written(out->results);
    cli_error("%s; the file keeps the first %ld rows", ga_results_writer_error(out->results)->text,
              rows);
  } else if (!out->failed) {
    cli_error("cannot write '%s': %s", out->path, errno ? strerror(errno) : "write error");
  }
  out->failed = true;
  return false;
}

/* ---- columns -------------------------------------------------------------------------------- */

static int count_columns(const trajectory *out) {
  int n = 1 + out->named.count;
  if (out->named.count > 0) return n;
  for (int part = 0; part < PARTS; part++) n += part_size(out->model, part);
  return n + (out->model->ops->energy ? 2 : 0);
}

/* name and unit of every column; units of a problem's own coordinates are not known */
static void name_columns(const trajectory *out, column_name *name, const char **unit) {
  int n = 0;
  snprintf(name[n++].text, sizeof name->text, "t");
  for (int i = 0; i < out->width; i++) unit[i] = "";
  for (int i = 0; i < out->named.count; i++) {
    unit[n] = named_unit(&out->named, i);
    snprintf(name[n++].text, sizeof name->text, "%s", named_name(&out->named, i));
  }
  if (out->named.count > 0) unit[0] = "s";
  for (int part = 0; n < out->width && part < PARTS; part++) {
    for (int i = 0; i < part_size(out->model, part); i++)
      name[n++] = part_name(out->model, part, i);
  }
  for (int i = 0; n < out->width; i++) {
    snprintf(name[n++].text, sizeof name->text, i ? "E_pot" : "E_kin");
  }
}

static void fill_row(trajectory *out, const ga_state *state) {
  const ga_model *model = out->model;
  double *row = out->row;
  *row++ = state->t;
  if (out->named.count > 0) {
    named_update(&out->named, state);
    for (int i = 0; i < out->named.count; i++) *row++ = named_value(&out->named, i);
    return;
  }
  for (int part = 0; part < PARTS; part++) {
    const int n = part_size(model, part);
    if (n > 0) memcpy(row, part_values(state, part), (size_t)n * sizeof *row);
    row += n;
  }
  if (!model->ops->energy) return;
  if (model->ops->energy(model->user, state->t, state->q, state->v, &row[0], &row[1]) != 0) {
    row[0] = row[1] = NAN;
  }
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool open_csv(trajectory *out, const column_name *name) {
  errno = 0;
  out->file = strcmp(out->path, "-") == 0 ? stdout : fopen(out->path, "w");
  if (!out->file) return fail(out);
  for (int i = 0; i < out->width; i++) csv_head(out->file, i, name[i].text);
  fputc('\n', out->file);
  /* now, so that a full disk is noticed before a long run */
  return fflush(out->file) == 0 && !ferror(out->file) ? true : fail(out);
}

/* the whole text of a file; "" for problems of the library, which have none; NULL after a message
 */
static char *model_text(const ga_problem *problem) {
  const char *path = problem->cite;
  char *text = NULL;
  size_t length = 0;
  FILE *file = file_of(problem) ? fopen(path, "r") : NULL;
  FILE *to = open_memstream(&text, &length);
  for (int c; file && to && (c = getc(file)) != EOF;) putc(c, to);
  const bool good = to && (file || !file_of(problem)) && !(file && ferror(file));
  if (file) fclose(file);
  if (to && fclose(to) == 0 && good) return text;
  free(text);
  cli_error("cannot read '%s' once more for the file of results", path);
  return NULL;
}

static bool open_results(trajectory *out, const ga_problem *problem, const column_name *name,
                         const char *const *unit, int chosen, const trajectory_texts *texts) {
  ga_results_column *column = calloc((size_t)out->width, sizeof *column);
  char *model = model_text(problem);
  ga_error err = {GA_ERR_MEM, "no memory for the columns"};
  if (column && model) {
    for (int i = 0; i < out->width; i++) column[i] = (ga_results_column){name[i].text, unit[i]};
    const ga_results_head head = {.column = column,
                                  .ncolumn = out->width,
                                  .nchosen = chosen,
                                  .title = problem->name,
                                  .version = ga_version(),
                                  .model = model,
                                  .model_name = texts->model_name,
                                  .options = texts->options};
    ga_results_create(out->path, &head, &out->results, &err);
  }
  if (model && !out->results) cli_error("%s", err.text);
  free(model);
  free(column);
  return out->results != NULL;
}

bool trajectory_open(trajectory *out, const char *path, const ga_problem *problem,
                     const trajectory_texts *texts) {
  *out = (trajectory){.path = path, .model = &problem->model};
  if (!named_open(&out->named, problem)) return false;
  const bool results = results_named(path);
  const int chosen = count_columns(out);
  bool ok = !results || named_add_rest(&out->named);
  out->width = count_columns(out);
  column_name *name = calloc((size_t)out->width, sizeof *name);
  const char **unit = calloc((size_t)out->width, sizeof *unit);
  out->row = calloc((size_t)out->width, sizeof *out->row);
  if (!ok || !name || !unit || !out->row) {
    cli_error("no memory for the columns");
    ok = false;
  } else {
    name_columns(out, name, unit);
    ok = results ? open_results(out, problem, name, unit, chosen, texts) : open_csv(out, name);
  }
  free(name);
  free(unit);
  if (!ok) trajectory_close(out, NULL);
  return ok;
}

bool trajectory_row(trajectory *out, const ga_state *state) {
  fill_row(out, state);
  if (out->results) {
    return ga_results_append(out->results, out->row) == GA_OK ? true : fail(out);
  }
  errno = 0;
  return csv_row(out->file, out->width, out->row) ? true : fail(out);
}

static bool close_results(trajectory *out, const char *statistics) {
  ga_error err = {GA_OK, ""};
  if (statistics && ga_results_set_statistics(out->results, statistics) != GA_OK && !out->failed) {
    fail(out);
  }
  const long rows = ga_results_written(out->results);
  const ga_status status = ga_results_close(out->results, &err);
  out->results = NULL;
  if (status != GA_OK && !out->failed) {
    cli_error("%s; the file keeps the first %ld rows", err.text, rows);
    out->failed = true;
  }
  return !out->failed;
}

bool trajectory_close(trajectory *out, const char *statistics) {
  FILE *file = out->file;
  out->file = NULL;
  named_close(&out->named);
  free(out->row);
  out->row = NULL;
  if (out->results) return close_results(out, statistics);
  if (!file) return !out->failed;
  errno = 0;
  int status = file == stdout ? fflush(file) : fclose(file);
  return status == 0 && !out->failed ? true : fail(out);
}
