/* SPDX-License-Identifier: MIT */
/* Reading of results: columns by name, rows in pieces. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

struct ga_results {
  ga_store *store;
  const ga_store_info *info;
  double *block; /* some rows of all columns, column by column */
  long rows;     /* number of rows that fit into block */
  char *impacts; /* the records of /impacts read last */
};

/* as many rows of all columns as take about 1 MB, at least a few and at most a chunk */
enum { BLOCK_NUMBERS = 1 << 17, BLOCK_ROWS_MIN = 16 };

/* Public: open a complete or growing file (one that is being written). *out: the reader, to be
 * freed by ga_results_free; NULL after a failure, with the message in err. */
ga_status ga_results_open(const char *path, ga_results **out, ga_error *err) {
  *out = NULL;
  if (!path || !*path) return ga_store_fail(err, GA_ERR_ARG, "the file has no name");
  ga_results *r = calloc(1, sizeof *r);
  if (!r) return ga_store_fail(err, GA_ERR_MEM, "no memory for '%s'", path);
  ga_status status = ga_store_open(path, &r->store, err);
  if (status == GA_OK) {
    r->info = ga_store_look(r->store);
    r->rows = BLOCK_NUMBERS / r->info->ncolumn;
    if (r->rows < BLOCK_ROWS_MIN) r->rows = BLOCK_ROWS_MIN;
    if (r->rows > r->info->chunk.rows) r->rows = r->info->chunk.rows;
    r->block = calloc((size_t)r->rows * (size_t)r->info->ncolumn, sizeof *r->block);
    if (!r->block) status = ga_store_fail(err, GA_ERR_MEM, "no memory for rows of '%s'", path);
  }
  if (status != GA_OK) {
    ga_results_free(r);
    return status;
  }
  *out = r;
  return GA_OK;
}

/* Public: close the file and free r; NULL is allowed. */
void ga_results_free(ga_results *r) {
  if (!r) return;
  ga_store_close(r->store, NULL);
  free(r->block);
  free(r->impacts);
  free(r);
}

/* Public: number of columns of numbers. */
int ga_results_columns(const ga_results *r) {
  return r->info->ncolumn;
}

/* Public: how many of the columns, the first ones, the writer chose to show (`output` of the model
 * file); the others are stored in addition. At least 1. */
int ga_results_chosen(const ga_results *r) {
  return r->info->nchosen;
}

/* Public: number of rows that can be read; of a growing file, at the last refresh. */
long ga_results_rows(const ga_results *r) {
  return r->info->rows;
}

/* Public: the name of a column, owned by r; NULL if there is no such column. */
const char *ga_results_name(const ga_results *r, int column) {
  const bool inside = column >= 0 && column < r->info->ncolumn;
  return inside ? r->info->names + (size_t)column * r->info->name_size : NULL;
}

/* Public: the unit of a column, "" if it has none, owned by r; NULL if there is no such column. */
const char *ga_results_unit(const ga_results *r, int column) {
  const bool inside = column >= 0 && column < r->info->ncolumn;
  return inside ? r->info->units + (size_t)column * r->info->unit_size : NULL;
}

/* Public: the first column of this name, -1 if there is none. */
int ga_results_column_index(const ga_results *r, const char *name) {
  for (int i = 0; i < r->info->ncolumn; i++) {
    if (strcmp(ga_results_name(r, i), name) == 0) return i;
  }
  return -1;
}

/* Public: number of columns of texts. */
int ga_results_text_columns(const ga_results *r) {
  return r->info->ntext_column;
}

/* Public: the name of a column of texts, owned by r; NULL if there is no such column. */
const char *ga_results_text_name(const ga_results *r, int column) {
  const bool inside = column >= 0 && column < r->info->ntext_column;
  return inside ? r->info->text_column[column].name : NULL;
}

/* Public: the longest text in bytes, without its zero, that a column of texts can hold; 0 if there
 * is no such column. */
int ga_results_text_size(const ga_results *r, int column) {
  const bool inside = column >= 0 && column < r->info->ntext_column;
  return inside ? r->info->text_column[column].size : 0;
}

/* Public: a text of the head (title, model, ..), owned by r, may be ""; NULL for a wrong kind. */
const char *ga_results_text(const ga_results *r, ga_results_text_kind kind) {
  return (int)kind >= 0 && (int)kind < GA_STORE_TEXTS ? r->info->text[kind] : NULL;
}

/* Public: was a writer still at work on the file, at ga_results_open or the last refresh? */
bool ga_results_growing(const ga_results *r) {
  return r->info->growing;
}

/* Public: update the number of rows, the statistics and `growing` of a file that is being written;
 * GA_OK at once for others. On failure the message is in err. */
ga_status ga_results_refresh(ga_results *r, ga_error *err) {
  return r->info->growing ? ga_store_refresh(r->store, err) : GA_OK;
}

/* Are rows first .. first + count - 1 in the file? GA_OK, or GA_ERR_ARG with a message. */
static ga_status check_range(const ga_results *r, long first, long count, ga_error *err) {
  if (first >= 0 && count >= 0 && count <= r->info->rows && first <= r->info->rows - count) {
    return GA_OK;
  }
  return ga_store_fail(err, GA_ERR_ARG, "%ld rows from row %ld: the file has %ld rows", count,
                       first, r->info->rows);
}

/* Public: write `count` rows of one column from row `first` on to values. GA_ERR_ARG with a message
 * if the file does not have them. */
ga_status ga_results_read_column(ga_results *r, int column, long first, long count, double *values,
                                 ga_error *err) {
  const ga_status status = check_range(r, first, count, err);
  if (status != GA_OK || count == 0) return status;
  if (column < 0 || column >= r->info->ncolumn) {
    return ga_store_fail(err, GA_ERR_ARG, "column %d: the file has %d columns", column,
                         r->info->ncolumn);
  }
  return ga_store_read(r->store, column, 1, first, count, values, err);
}

/* Public: write `count` rows of all columns from row `first` on to values, row by row, count times
 * columns numbers; read in blocks and transposed, because the file stores columns. After a failure
 * values may have the first of them. */
ga_status ga_results_read_rows(ga_results *r, long first, long count, double *values,
                               ga_error *err) {
  ga_status status = check_range(r, first, count, err);
  const long n = r->info->ncolumn;
  for (long done = 0, piece; status == GA_OK && done < count; done += piece) {
    piece = count - done < r->rows ? count - done : r->rows;
    status = ga_store_read(r->store, 0, (int)n, first + done, piece, r->block, err);
    if (status != GA_OK) break;
    double *to = values + done * n;
    for (long j = 0; j < n; j++) {
      for (long i = 0; i < piece; i++) to[i * n + j] = r->block[j * piece + i];
    }
  }
  return status;
}

/* Public: write `count` texts of a column of texts from row `first` on to texts, each with its zero
 * in ga_results_text_size + 1 bytes. GA_ERR_ARG with a message if the file does not have them. */
ga_status ga_results_read_texts(ga_results *r, int column, long first, long count, char *texts,
                                ga_error *err) {
  const ga_status status = check_range(r, first, count, err);
  if (status != GA_OK || count == 0) return status;
  if (column < 0 || column >= r->info->ntext_column) {
    return ga_store_fail(err, GA_ERR_ARG, "column of texts %d: the file has %d of them", column,
                         r->info->ntext_column);
  }
  return ga_store_read_texts(r->store, column, first, count, texts, err);
}

/* Public: number of records of /impacts; of a growing file, at the last refresh. */
long ga_results_impacts(const ga_results *r) {
  return r->info->nimpact;
}

/* Public: records of /impacts from `first` on, with texts that r owns. GA_ERR_ARG with a message if
 * the file does not have them. */
ga_status ga_results_read_impacts(ga_results *r, long first, long count, ga_results_impact *impacts,
                                  ga_error *err) {
  const long all = r->info->nimpact;
  const size_t bytes = r->info->impact_bytes;
  if (first < 0 || count < 0 || count > all || first > all - count) {
    return ga_store_fail(err, GA_ERR_ARG, "%ld impacts from number %ld: the file has %ld", count,
                         first, all);
  }
  if (count == 0) return GA_OK;
  char *records = realloc(r->impacts, (size_t)count * bytes);
  if (!records) return ga_store_fail(err, GA_ERR_MEM, "no memory for %ld impacts", count);
  r->impacts = records;
  const ga_status status = ga_store_read_impacts(r->store, first, count, records, err);
  for (long i = 0; status == GA_OK && i < count; i++) {
    double x[GA_STORE_IMPACT_NUMBERS];
    char *const from = records + (size_t)i * bytes, *const kind = from + sizeof x;
    memcpy(x, from, sizeof x);
    kind[GA_STORE_KIND - 1] = from[bytes - 1] = '\0';
    impacts[i] = (ga_results_impact){.t = x[0],
                                     .kind = kind,
                                     .contact = kind + GA_STORE_KIND,
                                     .un_before = x[1],
                                     .un_after = x[2],
                                     .impulse_n = x[3],
                                     .impulse_t1 = x[4],
                                     .impulse_t2 = x[5],
                                     .energy = x[6]};
  }
  return status;
}
