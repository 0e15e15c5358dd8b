/* SPDX-License-Identifier: MIT */
/* Writes the files of a sweep, run by run, so that memory is needed for one run only. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/table_files.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/csv.h"
#include "output/output.h"

/* ---- a file being written ------------------------------------------------------------------- */

/* a table on its way to a file, CSV or HDF5 */
typedef struct sheet {
  const char *path; /* its name when it is complete */
  char *temporary;  /* its name until then */
  FILE *csv;        /* or */
  ga_results_writer *results;
  int columns, chosen, texts;
} sheet;

/* a name with a suffix, such as ".min" */
typedef struct sheet_name {
  char text[NAME_MAX_LENGTH + 8];
} sheet_name;

/* what a sheet is made of */
typedef struct heading {
  ga_results_column *column;
  sheet_name *name;
  ga_results_text_column text[SWEEP_VARIABLES + 1];
  int columns, chosen, texts;
} heading;

/* Reports why writing the sheet failed; always false. */
static bool report_failure(const sheet *t) {
  if (t->results) {
    tool_error("%s", ga_results_writer_error(t->results)->text);
  } else {
    tool_error("cannot write '%s': %s", t->temporary, errno ? strerror(errno) : "write error");
  }
  return false;
}

/* Creates the temporary HDF5 file of a sheet (t->results), with the columns of h, the model and
 * the identity of the sweep in it. False after a message. */
static bool open_results(sheet *t, const heading *h, const sweep_tables *f) {
  char title[200];
  char *model = output_model(f->problem);
  ga_error err = {GA_OK, ""};
  snprintf(title, sizeof title, "sweep of %.150s", f->problem->name);
  const ga_results_head head = {
      .column = h->column,
      .ncolumn = h->columns,
      .nchosen = h->chosen,
      .text_column = h->text,
      .ntext_column = h->texts,
      .title = title,
      .version = ga_version(),
      .model = model,
      .model_name = file_of(f->problem) ? f->problem->cite : f->problem->name,
      .options = f->about};
  if (model && ga_results_create(t->temporary, &head, &t->results, &err) != GA_OK) {
    tool_error("%s", err.text);
  }
  free(model);
  return t->results != NULL;
}

/* Fills *t, which need not be initialized: creates the temporary file PATH.part, HDF5 or CSV by
 * the ending of path, and writes its head. Borrows path. False after a message; sheet_close in
 * any case. */
static bool sheet_open(sheet *t, const char *path, const heading *h, const sweep_tables *f) {
  const size_t size = strlen(path) + 6;
  *t = (sheet){.path = path, .columns = h->columns, .chosen = h->chosen, .texts = h->texts};
  t->temporary = malloc(size);
  if (!t->temporary) {
    tool_error("no memory for '%s'", path);
    return false;
  }
  snprintf(t->temporary, size, "%s.part", path);
  if (results_named(path)) return open_results(t, h, f);
  errno = 0;
  t->csv = fopen(t->temporary, "w");
  if (!t->csv) return report_failure(t);
  for (int i = 0; i < h->chosen; i++) csv_head(t->csv, i, h->column[i].name);
  for (int i = 0; i < h->texts; i++) csv_head(t->csv, 1, h->text[i].name);
  fputc('\n', t->csv);
  return true;
}

/* Appends a row: h->columns numbers, then h->texts texts (a CSV file takes the first `chosen`
 * numbers only). False after a message. */
static bool sheet_row(sheet *t, const double *row, const char *const *text) {
  errno = 0;
  const bool ok = t->results ? ga_results_append_texts(t->results, row, text) == GA_OK
                             : csv_row_texts(t->csv, t->chosen, row, t->texts, text);
  return ok ? true : report_failure(t);
}

/* Closes the file and gives it its name. statistics: JSON text of the counts for an HDF5 file;
 * NULL: the sheet is not complete and is removed. False after a message; a zeroed sheet that was
 * never opened is fine (true). */
static bool sheet_close(sheet *t, const char *statistics) {
  bool ok = true;
  if (t->results) {
    ga_error err = {GA_OK, ""};
    if (statistics) ga_results_set_statistics(t->results, statistics);
    ok = ga_results_close(t->results, &err) == GA_OK;
    if (!ok && statistics) tool_error("%s", err.text);
    t->results = NULL;
  } else if (t->csv) {
    errno = 0;
    ok = fclose(t->csv) == 0;
    if (!ok && statistics) report_failure(t);
  }
  t->csv = NULL;
  if (t->temporary && ok && statistics) {
    ok = rename(t->temporary, t->path) == 0;
    if (!ok) tool_error("cannot rename '%s': %s", t->temporary, strerror(errno));
  } else if (t->temporary) {
    remove(t->temporary);
  }
  free(t->temporary);
  t->temporary = NULL;
  return ok;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Appends a column name + suffix to the heading h (its arrays column, name and count columns);
 * the arrays must have room. */
static void add_column(heading *h, const char *name, const char *suffix, const char *unit) {
  sheet_name *to = &h->name[h->columns];
  snprintf(to->text, sizeof to->text, "%s%s", name, suffix);
  h->column[h->columns++] = (ga_results_column){to->text, unit};
}

/* Does a column of this name exist already? */
static bool is_taken(const heading *h, const char *name) {
  for (int i = 0; i < h->columns; i++) {
    if (strcmp(h->column[i].name, name) == 0) return true;
  }
  return false;
}

/* Appends the kept columns at the end, ".end" added to a name that a column before has, and if
 * extremes are kept NAME.min, NAME.max for each. */
static void add_ends(heading *h, const sweep_shape *s) {
  const int before = h->columns;
  for (int i = 0; i < s->columns; i++) {
    const heading others = {.column = h->column, .columns = before};
    const char *name = s->name[i].text;
    add_column(h, name, is_taken(&others, name) ? ".end" : "", s->unit[i]);
  }
  for (int i = 0; s->extremes && i < s->columns; i++) {
    add_column(h, s->name[i].text, ".min", s->unit[i]);
    add_column(h, s->name[i].text, ".max", s->unit[i]);
  }
}

/* Length of the longest word of a variable, between 1 and 65535. */
static int longest_word(const sweep_variable *v) {
  size_t longest = 1;
  for (long k = 0; v->word && k < v->count; k++) {
    if (strlen(v->word[k]) > longest) longest = strlen(v->word[k]);
  }
  return longest < 65535 ? (int)longest : 65535;
}

/* Fills the zeroed heading of the table: run, varied numbers, status, t, steps, error, kept columns
 * (all these are `chosen`: also in CSV files); texts (words of variables, message); then columns
 * that only HDF5 files have (history, counts). put_run writes in the same order. */
static void describe_runs(heading *h, const sweep_plan *p, const sweep_shape *s) {
  add_column(h, "run", "", "1");
  for (int i = 0; i < p->count; i++) {
    const sweep_variable *v = &p->variable[i];
    if (v->number) {
      add_column(h, v->name, "", "");
    } else {
      h->text[h->texts++] = (ga_results_text_column){v->name, longest_word(v)};
    }
  }
  add_column(h, "status", "", "1");
  add_column(h, "t", "", "s");
  add_column(h, "steps", "", "1");
  if (s->accuracy) add_column(h, "error", "", "1");
  add_ends(h, s);
  h->chosen = h->columns;
  h->text[h->texts++] = (ga_results_text_column){"message", SWEEP_MESSAGE - 1};
  if (s->history) {
    add_column(h, "history.first", "", "1");
    add_column(h, "history.rows", "", "1");
  }
  for (int i = 0; sweep_stat_name(i); i++) {
    column_name name;
    snprintf(name.text, sizeof name.text, "stats.%s", sweep_stat_name(i));
    add_column(h, name.text, "", "");
  }
}

/* Heading of the histories: run, t, kept columns; ".value" added to a name that is taken. */
static void describe_history(heading *h, const sweep_shape *s) {
  add_column(h, "run", "", "1");
  add_column(h, "t", "", "s");
  for (int i = 0; i < s->columns; i++) {
    const char *name = s->name[i].text;
    add_column(h, name, is_taken(h, name) ? ".value" : "", s->unit[i]);
  }
  h->chosen = h->columns;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* both sheets while all runs are written, and what they are made from */
typedef struct writing {
  const sweep_tables *files;
  const sweep_plan *plan;
  const sweep_shape *shape;
  sweep_ends *ends;
  sheet table, history;
  double *row; /* the longest of both */
  long rows;   /* of the history */
} writing;

/* Writes all rows of the history of a run. */
static bool put_history(writing *w, const sweep_result *r) {
  const size_t n = (size_t)(1 + w->shape->columns);
  bool ok = true;
  for (long i = 0; ok && i < r->rows; i++) {
    w->row[0] = (double)r->run;
    memcpy(w->row + 1, r->row + (size_t)i * n, n * sizeof *w->row);
    ok = sheet_row(&w->history, w->row, NULL);
  }
  return ok;
}

/* Writes the row of a run to w->table, in the order of describe_runs, and its history if it is
 * kept; uses w->row and counts w->rows. r->value has the order of sweep_shape (one_run.h). False
 * after a message. */
static bool put_run(writing *w, const sweep_result *r) {
  const sweep_plan *p = w->plan;
  const sweep_shape *s = w->shape;
  const char *text[SWEEP_VARIABLES + 1];
  sweep_value room[SWEEP_VARIABLES];
  int ntext = 0;
  double *row = w->row;
  *row++ = (double)r->run;
  for (int i = 0; i < p->count; i++) {
    if (p->variable[i].number) {
      *row++ = r->value[i];
    } else {
      text[ntext++] = sweep_plan_value(p, i, r->run, &room[i]);
    }
  }
  text[ntext++] = r->message;
  *row++ = (double)r->status;
  const int stats = sweep_shape_stats(s);
  for (int i = p->count; i < stats; i++) *row++ = r->value[i];
  if (s->history) {
    *row++ = (double)w->rows;
    *row++ = (double)r->rows;
  }
  for (int i = stats; i < s->values; i++) *row++ = r->value[i];
  const bool ok = sheet_row(&w->table, w->row, text) && (!s->history || put_history(w, r));
  w->rows += r->rows;
  return ok;
}

/* Counts the status of a run; remembers number and message of the first one that failed. */
static void count_end(sweep_ends *ends, const sweep_result *r) {
  ends->count[r->status]++;
  if (r->status != SWEEP_FAILED || ends->first_failed >= 0) return;
  ends->first_failed = r->run;
  memcpy(ends->message, r->message, sizeof ends->message);
}

/* Writes all runs in order from the journal and counts in w->ends how they ended. A run that the
 * journal lacks has the status SWEEP_MISSING, its varied numbers, and NaN elsewhere. False after
 * a message; the sheets are then incomplete. */
static bool put_all(writing *w, const sweep_journal *j) {
  sweep_result r;
  bool ok = sweep_result_open(&r, w->shape);
  if (!ok) tool_error("no memory for the results");
  for (long run = 0; ok && run < w->plan->runs; run++) {
    if (j->at[run] != 0) {
      ok = sweep_journal_read(j, w->shape, run, &r);
    } else {
      r.run = run, r.status = SWEEP_MISSING, r.rows = 0, r.message[0] = '\0';
      for (int i = 0; i < w->shape->values; i++) {
        r.value[i] = i < w->plan->count ? sweep_plan_number(w->plan, i, run) : NAN;
      }
    }
    if (ok) count_end(w->ends, &r);
    ok = ok && put_run(w, &r);
  }
  sweep_result_close(&r);
  return ok;
}

/* ---- both files ----------------------------------------------------------------------------- */

/* Writes the counts as a JSON object; for json_text. */
static void put_statistics(FILE *to, const void *ends_) {
  const sweep_ends *ends = ends_;
  const long *n = ends->count;
  fprintf(to,
          "{\"end\": \"%s\", \"runs\": %ld, \"complete\": %ld, \"event\": %ld, \"failed\": %ld, "
          "\"missing\": %ld}\n",
          n[SWEEP_MISSING] > 0 ? "incomplete" : "complete", n[0] + n[1] + n[2] + n[3], n[0], n[1],
          n[2], n[3]);
}

/* Opens w->table and, if wanted, w->history; h is scratch for their headings, zeroed but for its
 * arrays. False after a message; sheet_close for both in any case. */
static bool open_sheets(writing *w, heading *h) {
  const sweep_tables *f = w->files;
  describe_runs(h, w->plan, w->shape);
  if (!sheet_open(&w->table, f->out, h, f)) return false;
  if (!w->shape->history) return true;
  h->columns = h->texts = 0;
  describe_history(h, w->shape);
  return sheet_open(&w->history, f->history, h, f);
}

/* Writes the table and, if wanted, the histories, and fills *ends (counts by status, first
 * failed run). False after a message: if anything failed before the renaming, neither gets its
 * name; the history is renamed first. */
bool sweep_tables_write(const sweep_tables *f, const sweep_plan *p, const sweep_shape *s,
                        const sweep_journal *j, sweep_ends *ends) {
  const size_t most = (size_t)(s->values + p->count + 8);
  writing w = {.files = f, .plan = p, .shape = s, .ends = ends};
  heading h = {.column = calloc(most, sizeof *h.column), .name = calloc(most, sizeof *h.name)};
  w.row = calloc(most, sizeof *w.row);
  *ends = (sweep_ends){.first_failed = -1};
  bool ok = h.column && h.name && w.row;
  if (!ok) tool_error("no memory for the columns");
  ok = ok && open_sheets(&w, &h) && put_all(&w, j);
  char *statistics = ok ? json_text(put_statistics, ends) : NULL;
  if (ok && !statistics) tool_error("no memory for the counts");
  /* the table last: where it is, the history is, too */
  ok = sheet_close(&w.history, statistics) && statistics;
  ok = sheet_close(&w.table, ok ? statistics : NULL) && ok;
  free(statistics);
  free(h.column);
  free(h.name);
  free(w.row);
  return ok;
}

/* Is the table there, complete, and of this very sweep? Only HDF5 files say which sweep wrote
 * them: always false for CSV. */
bool sweep_tables_complete(const sweep_tables *f) {
  ga_results *r = NULL;
  if (!results_named(f->out) || ga_results_open(f->out, &r, NULL) != GA_OK) return false;
  const bool same =
      strcmp(ga_results_text(r, GA_RESULTS_OPTIONS), f->about) == 0 &&
      strstr(ga_results_text(r, GA_RESULTS_STATISTICS), "\"end\": \"complete\"") != NULL;
  ga_results_free(r);
  return same;
}
