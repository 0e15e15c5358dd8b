/* SPDX-License-Identifier: MIT */
/* The trajectory: a row is collected first, then written as CSV or appended to results. */
#define _POSIX_C_SOURCE 200809L
#include "output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/csv.h"

/* Does the file name ask for results in HDF5? */
bool results_named(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

/* Can files be created in the directory of this path? False after a message. */
bool output_place(const char *path) {
  char directory[4096];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (length >= sizeof directory) return true; /* saving reports it */
  memcpy(directory, path, length);
  directory[length] = '\0';
  const char *name = length ? directory : slash ? "/" : ".";
  if (access(name, W_OK | X_OK) == 0) return true;
  tool_error("cannot save '%s': directory '%s': %s", path, name, strerror(errno));
  return false;
}

/* Report the first failed write, set out->failed and return false. errno must be that of the
 * write. */
static bool report_failure(trajectory *out) {
  if (!out->failed && out->results) {
    const long rows = ga_results_written(out->results);
    tool_error("%s; the file keeps the first %ld rows", ga_results_writer_error(out->results)->text,
               rows);
  } else if (!out->failed) {
    tool_error("cannot write '%s': %s", out->path, errno ? strerror(errno) : "write error");
  }
  out->failed = true;
  return false;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Create the CSV file and write its head line at once, so that a full disk is noticed before a
 * long run. False after a message. */
static bool open_csv(trajectory *out) {
  errno = 0;
  out->file = strcmp(out->path, "-") == 0 ? stdout : fopen(out->path, "w");
  if (!out->file) return report_failure(out);
  for (int i = 0; i < out->columns.count; i++) csv_head(out->file, i, out->columns.name[i].text);
  fputc('\n', out->file);
  /* now, so that a full disk is noticed before a long run */
  return fflush(out->file) == 0 && !ferror(out->file) ? true : report_failure(out);
}

/* Copy a file; `indent` before each line. False: it cannot be read. */
static bool copy_file(FILE *to, const char *path, const char *indent) {
  FILE *file = fopen(path, "r");
  int last = '\n';
  for (int c; file && (c = getc(file)) != EOF; last = c) {
    if (last == '\n') fputs(indent, to);
    putc(c, to);
  }
  if (last != '\n') putc('\n', to);
  const bool good = file && !ferror(file);
  if (file) fclose(file);
  return good;
}

/* The text of the model file, to be freed; "" for problems without one; NULL after a message. CSV
 * files that it reads follow as the section `files`, so that the text stands for itself; not behind
 * JSON, which has one value. */
char *output_model(const ga_problem *problem) {
  const ga_file *file = file_of(problem);
  const char *model = file ? ga_file_text(file) : "", *path = problem->cite, *name, *table;
  const size_t n = strlen(model);
  /* it is JSON, or has the section */
  const bool whole = model[strspn(model, " \t\r\n")] == '{' || strstr(model, "\nfiles:");
  char *text = NULL;
  size_t length = 0;
  FILE *to = open_memstream(&text, &length);
  bool good = to && fputs(model, to) >= 0;
  if (good && n > 0 && model[n - 1] != '\n') putc('\n', to);
  for (int i = 0; good && file && !whole && ga_file_table(file, i, &name, &table); i++) {
    if (i == 0) fputs("files:\n", to);
    fputs("  ", to);
    json_string(to, name);
    fputs(": |2\n", to);
    path = table;
    good = copy_file(to, table, "    ");
  }
  if (to && fclose(to) == 0 && good) return text;
  free(text);
  tool_error("cannot read '%s' for the file of results", path);
  return NULL;
}

/* Bytes of the longest name of a contact, 0 without contacts. */
static int longest_contact(const ga_model *model) {
  size_t longest = 0;
  for (int i = 0; i < model->ncontacts; i++) {
    const size_t length = strlen(model->contacts[i].name);
    if (length > longest) longest = length;
  }
  return (int)longest;
}

/* Create the result file with names and units of the columns, the text of the model and the run's
 * options. False after a message. */
static bool open_results(trajectory *out, const ga_problem *problem,
                         const trajectory_texts *texts) {
  const column_set *c = &out->columns;
  ga_results_column *column = calloc((size_t)c->count, sizeof *column);
  char *model = output_model(problem);
  ga_error err = {GA_ERR_MEM, "no memory for the columns"};
  if (column && model) {
    for (int i = 0; i < c->count; i++) {
      column[i] = (ga_results_column){c->name[i].text, c->unit[i]};
    }
    const ga_results_head head = {.column = column,
                                  .ncolumn = c->count,
                                  .nchosen = c->chosen,
                                  .title = problem->name,
                                  .version = ga_version(),
                                  .model = model,
                                  .model_name = texts->model_name,
                                  .options = texts->options,
                                  .contact_size = longest_contact(&problem->model)};
    ga_results_create(out->path, &head, &out->results, &err);
  }
  if (model && !out->results) tool_error("%s", err.text);
  free(model);
  free(column);
  return out->results != NULL;
}

/* Open a CSV or HDF5 file, by its ending ("-": standard output), with the columns of the problem,
 * which out borrows, and no rows; sets all of *out. False after a message; then it is closed. */
bool trajectory_open(trajectory *out, const char *path, const ga_problem *problem,
                     const trajectory_texts *texts) {
  *out = (trajectory){.path = path};
  const bool results = results_named(path);
  bool ok = columns_open(&out->columns, problem, results ? COLUMNS_USUAL : COLUMNS_CHOSEN);
  if (ok) {
    out->row = calloc((size_t)out->columns.count, sizeof *out->row);
    if (!out->row) tool_error("no memory for the columns");
    ok = out->row && (results ? open_results(out, problem, texts) : open_csv(out));
  }
  if (!ok) trajectory_close(out, NULL);
  return ok;
}

/* Write the columns at a state as a row, or, if out->take is set, pass the state to that function
 * instead. False after a failure, with out->failed set; only the first one is reported. */
bool trajectory_row(trajectory *out, const ga_state *state) {
  if (out->take) {
    out->failed = out->failed || !out->take(out->take_context, state);
    return !out->failed;
  }
  columns_evaluate(&out->columns, state, out->row);
  if (out->results) {
    return ga_results_append(out->results, out->row) == GA_OK ? true : report_failure(out);
  }
  errno = 0;
  return csv_row(out->file, out->columns.count, out->row) ? true : report_failure(out);
}

/* Write the statistics (may be NULL) and close the result file. False if that or an earlier write
 * failed; only the first failure is reported. */
static bool close_results(trajectory *out, const char *statistics) {
  ga_error err = {GA_OK, ""};
  if (statistics && ga_results_set_statistics(out->results, statistics) != GA_OK && !out->failed) {
    report_failure(out);
  }
  const long rows = ga_results_written(out->results);
  const ga_status status = ga_results_close(out->results, &err);
  out->results = NULL;
  if (status != GA_OK && !out->failed) {
    tool_error("%s; the file keeps the first %ld rows", err.text, rows);
    out->failed = true;
  }
  return !out->failed;
}

/* Close the file and free everything. False if any write failed. statistics: for a result file, or
 * NULL. A second call does nothing. */
bool trajectory_close(trajectory *out, const char *statistics) {
  FILE *file = out->file;
  out->file = NULL;
  columns_close(&out->columns);
  free(out->row);
  out->row = NULL;
  if (out->results) return close_results(out, statistics);
  if (!file) return !out->failed;
  errno = 0;
  int status = file == stdout ? fflush(file) : fclose(file);
  return status == 0 && !out->failed ? true : report_failure(out);
}
