/* SPDX-License-Identifier: MIT */
/* genalpha export: a file of results as CSV. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "args/paths.h"
#include "output/csv.h"
#include "output/impacts.h"
#include "output/output.h"
#include "output/whole_file.h"

typedef struct settings {
  bool all, model, impacts;
} settings;

#define FIELD(name) offsetof(settings, name)
static const arg_spec specs[] = {
    {"all", NULL, "all columns, not only those that `output` of the model file chose",
     arg_read_flag, FIELD(all), 0, 0},
    {"model", NULL, "print the text of the model file instead", arg_read_flag, FIELD(model), 0, 0},
    {"impacts", NULL, "write the changes of contacts instead, as `run --impacts`", arg_read_flag,
     FIELD(impacts), 0, 0},
    {.key = NULL}};
#undef FIELD

static const arg_command command = {
    .name = "export",
    .operand = "FILE.h5 [FILE.csv]",
    .needs_operand = true,
    .two_operands = true,
    .summary =
        "Write a file of results (`run --out FILE.h5`) as CSV, the same that `run --out FILE.csv`\n"
        "would have written. Without a second name it goes to standard output.",
    .specs = specs};

/* some rows at a time, so that files of any length take the same memory */
enum { ROWS = 256 };

/* ROWS rows of results in memory */
typedef struct piece {
  double *rows;      /* ROWS x columns */
  char **texts;      /* of each text column: ROWS texts of equal size */
  const char **text; /* the texts of one row, pointing into texts */
  int ntext;         /* number of text columns */
} piece;

/* Allocate a piece for ROWS rows of these results. False without memory; piece_close in any
 * case. */
static bool piece_open(piece *p, const ga_results *r) {
  p->ntext = ga_results_text_columns(r);
  const size_t n = (size_t)ga_results_columns(r), m = (size_t)p->ntext + 1;
  p->rows = malloc(ROWS * n * sizeof *p->rows);
  p->texts = calloc(m, sizeof *p->texts);
  p->text = calloc(m, sizeof *p->text);
  bool ok = p->rows && p->texts && p->text;
  for (int j = 0; ok && j < p->ntext; j++) {
    p->texts[j] = malloc(ROWS * ((size_t)ga_results_text_size(r, j) + 1));
    ok = p->texts[j] != NULL;
  }
  return ok;
}

/* Free all memory of the piece, also after a failed piece_open. */
static void piece_close(piece *p) {
  for (int j = 0; p->texts && j < p->ntext; j++) free(p->texts[j]);
  free(p->rows);
  free(p->texts);
  free(p->text);
}

/* Read rows first .. first + count - 1 into the piece, count <= ROWS. False with the reason in
 * err. */
static bool piece_read(piece *p, ga_results *r, long first, long count, ga_error *err) {
  bool ok = ga_results_read_rows(r, first, count, p->rows, err) == GA_OK;
  for (int j = 0; ok && j < p->ntext; j++) {
    ok = ga_results_read_texts(r, j, first, count, p->texts[j], err) == GA_OK;
  }
  return ok;
}

/* Write all rows as CSV, the first `columns` numbers of each and all its texts. False after a
 * message if the results cannot be read; the caller checks the stream for write errors. */
static bool write_rows(ga_results *r, FILE *to, int columns) {
  const long n = ga_results_columns(r), all = ga_results_rows(r);
  ga_error err = {GA_ERR_MEM, "no memory for the rows"};
  piece p = {.rows = NULL};
  bool ok = piece_open(&p, r), written = true;
  for (long first = 0, count; ok && written && first < all; first += count) {
    count = all - first < ROWS ? all - first : ROWS;
    ok = piece_read(&p, r, first, count, &err);
    for (long i = 0; ok && written && i < count; i++) {
      for (int j = 0; j < p.ntext; j++) {
        p.text[j] = p.texts[j] + (size_t)i * ((size_t)ga_results_text_size(r, j) + 1);
      }
      /* the caller reports a write error, by ferror(to) */
      written = csv_row_texts(to, columns, p.rows + i * n, p.ntext, p.text);
    }
  }
  piece_close(&p);
  if (!ok) tool_error("%s", err.text);
  return ok;
}

/* Write all changes of contacts as CSV. False after a message if they cannot be read. */
static bool write_impacts(ga_results *r, FILE *to) {
  const long all = ga_results_impacts(r);
  ga_results_impact one[ROWS];
  ga_error err;
  impacts_head(to);
  for (long first = 0, count; first < all; first += count) {
    count = all - first < ROWS ? all - first : ROWS;
    if (ga_results_read_impacts(r, first, count, one, &err) != GA_OK) {
      tool_error("%s", err.text);
      return false;
    }
    for (long i = 0; i < count; i++) impacts_line(to, &one[i]);
  }
  return true;
}

/* Write the results as CSV, the changes of contacts (--impacts), or the model's text (--model), to the path; NULL or "-": standard
 * output. Returns the exit code. */
static int write_file(ga_results *r, const settings *set, const char *path) {
  FILE *to = whole_file_open(path);
  bool read = true;
  if (!to) return TOOL_FAILED;
  if (set->model) {
    fputs(ga_results_text(r, GA_RESULTS_MODEL), to);
  } else if (set->impacts) {
    read = write_impacts(r, to);
  } else {
    const int columns = set->all ? ga_results_columns(r) : ga_results_chosen(r);
    for (int i = 0; i < columns; i++) csv_head(to, i, ga_results_name(r, i));
    for (int i = 0; i < ga_results_text_columns(r); i++)
      csv_head(to, 1 /* not the first column */, ga_results_text_name(r, i));
    fputc('\n', to);
    read = write_rows(r, to, columns);
  }
  const bool good = whole_file_close(to, path);
  return good && read ? TOOL_OK : TOOL_FAILED;
}

/* `genalpha export`: warns if the run that wrote the results has not ended. Returns the exit
 * code. */
int command_export(int argc, char **argv) {
  settings set = {false, false, false};
  args a = {.command = &command, .settings = &set};
  int code = args_parse(&a, argc, argv);
  if (code != ARGS_GO_ON) return code;
  const char *to = a.noperands == 2 ? a.operands[1] : NULL;
  const path_use use[] = {{"the file of results", a.operand, NULL, false},
                          {"the output", to, NULL, true}};
  code = paths_check(2, use);
  if (code != ARGS_GO_ON) return code;
  ga_error err = {GA_OK, ""};
  ga_results *r = NULL;
  if (ga_results_open(a.operand, &r, &err) != GA_OK) {
    tool_error("%s", err.text);
    return TOOL_FAILED;
  }
  code = write_file(r, &set, to);
  if (code == TOOL_OK && !*ga_results_text(r, GA_RESULTS_STATISTICS)) {
    tool_error("the run of '%s' %s: these are its first %ld rows", a.operand,
               ga_results_growing(r) ? "goes on" : "was killed", ga_results_rows(r));
  }
  ga_results_free(r);
  return code;
}
