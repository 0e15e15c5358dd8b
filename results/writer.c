/* SPDX-License-Identifier: MIT */
/* Collects rows until they fill a chunk of the file, or until it is time to flush. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store.h"

/* Chunks have 1024 rows; wide tables have chunks of fewer rows, so that the rows collected take at
 * most about 8 MB. A chunk of few rows has several columns, because each chunk costs an entry
 * of the index. */
enum {
  ROWS_MAX = 1024,
  ROWS_MIN = 32,
  BUFFER_NUMBERS = 1 << 20,
  CHUNK_NUMBERS = 512,
  TEXT_MAX = 65535,
  IMPACTS = 256 /* records of /impacts collected */
};

/* Largest fraction of the time that flushes may take: slow flushes become rare. */
static const double FLUSH_FRACTION = 0.05;
static const double FLUSH_SECONDS = 1;

struct ga_results_writer {
  ga_store *store;
  ga_store_chunk chunk;
  int ncolumn;
  double *block;  /* the rows of the chunk that is not full: column j at block + j chunk.rows */
  int count;      /* number of rows in block */
  char *texts;    /* the texts of these rows, column by column */
  int *text_size; /* bytes of a text of each column, with its zero; ends with 0 */
  char *impacts;  /* records of /impacts that are not in the file */
  size_t impact_bytes;
  int impact_count;  /* of these records */
  long impact_first; /* number in the file of the first of them */
  long first;        /* number in the file of the first row in block */
  long written;      /* rows that the file counts */
  double every;      /* seconds between flushes */
  double soon, next; /* times when a full chunk may be flushed, and when any rows must be */
  ga_error err;
};

/* Write the message to err, if that is not NULL; returns status. */
ga_status ga_store_fail(ga_error *err, ga_status status, const char *format, ...) {
  if (!err) return status;
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  err->code = status;
  return status;
}

/* Public: was this library built with HDF5, so that files can be written and read? */
bool ga_results_available(void) {
  return ga_store_available();
}

/* Seconds of a clock that never jumps. */
static double now(void) {
  struct timespec ts = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Fewer rows per chunk for wide tables, and then several columns; see ROWS_MAX. */
static ga_store_chunk choose_chunk(int ncolumn) {
  int rows = ROWS_MAX;
  while (rows > ROWS_MIN && (long)rows * ncolumn > BUFFER_NUMBERS) rows /= 2;
  int columns = rows < CHUNK_NUMBERS ? CHUNK_NUMBERS / rows : 1;
  return (ga_store_chunk){.rows = rows, .columns = columns < ncolumn ? columns : ncolumn};
}

/* Columns with names, sizes of texts, flush_seconds: GA_ERR_ARG with a message if one is wrong. */
static ga_status check_head(const char *path, const ga_results_head *head, ga_error *err) {
  if (!path || !*path) return ga_store_fail(err, GA_ERR_ARG, "the file has no name");
  if (!head || head->ncolumn < 1 || !head->column) {
    return ga_store_fail(err, GA_ERR_ARG, "'%s': there must be at least one column", path);
  }
  if (head->nchosen < 0 || head->nchosen > head->ncolumn) {
    return ga_store_fail(err, GA_ERR_ARG, "'%s': %d columns chosen of %d", path, head->nchosen,
                         head->ncolumn);
  }
  for (int i = 0; i < head->ncolumn; i++) {
    if (head->column[i].name && *head->column[i].name) continue;
    return ga_store_fail(err, GA_ERR_ARG, "'%s': column %d has no name", path, i);
  }
  for (int i = 0; i < head->ntext_column; i++) {
    const ga_results_text_column *text = &head->text_column[i];
    if (text->name && *text->name && text->size > 0 && text->size <= TEXT_MAX) continue;
    return ga_store_fail(err, GA_ERR_ARG, "'%s': column of texts %d: no name, or a wrong size",
                         path, i);
  }
  if (head->contact_size < 0 || head->contact_size > TEXT_MAX) {
    return ga_store_fail(err, GA_ERR_ARG, "'%s': contact_size = %d must be from 0 to %d", path,
                         head->contact_size, TEXT_MAX);
  }
  if (head->flush_seconds >= 0) return GA_OK; /* false for NaN, too */
  return ga_store_fail(err, GA_ERR_ARG, "'%s': flush_seconds = %g must not be negative", path,
                       head->flush_seconds);
}

/* Free w and its memory, without its file; NULL is allowed. */
static void free_writer(ga_results_writer *w) {
  if (!w) return;
  free(w->block);
  free(w->texts);
  free(w->text_size);
  free(w->impacts);
  free(w);
}

/* A writer with memory for the rows of one chunk, without a file; NULL if memory runs out. */
static ga_results_writer *new_writer(const ga_results_head *head, ga_store_chunk chunk) {
  /* whole chunks, also of the last columns */
  const int width = (head->ncolumn + chunk.columns - 1) / chunk.columns * chunk.columns;
  const size_t rows = (size_t)chunk.rows;
  size_t bytes = 0;
  for (int i = 0; i < head->ntext_column; i++) bytes += (size_t)head->text_column[i].size + 1;
  ga_results_writer *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  *w = (ga_results_writer){.chunk = chunk, .ncolumn = head->ncolumn};
  w->block = calloc((size_t)width * rows, sizeof *w->block);
  w->texts = calloc(bytes * rows + 1, 1);
  w->text_size = calloc((size_t)head->ntext_column + 1, sizeof *w->text_size);
  w->impact_bytes =
      GA_STORE_IMPACT_NUMBERS * sizeof(double) + GA_STORE_KIND + (size_t)head->contact_size + 1;
  w->impacts = head->contact_size > 0 ? calloc(IMPACTS, w->impact_bytes) : NULL;
  if (w->block && w->texts && w->text_size && (w->impacts || head->contact_size == 0)) {
    for (int i = 0; i < head->ntext_column; i++) w->text_size[i] = head->text_column[i].size + 1;
    return w;
  }
  free_writer(w);
  return NULL;
}

/* Public: create the file with its head, no rows yet; an old file of that name is replaced. *out:
 * the writer, to be ended by ga_results_close; NULL after a failure, with the message in err. */
ga_status ga_results_create(const char *path, const ga_results_head *head, ga_results_writer **out,
                            ga_error *err) {
  *out = NULL;
  ga_status status = check_head(path, head, err);
  if (status != GA_OK) return status;
  const ga_store_chunk chunk = choose_chunk(head->ncolumn);
  ga_results_writer *w = new_writer(head, chunk);
  if (!w) return ga_store_fail(err, GA_ERR_MEM, "no memory for the rows of '%s'", path);
  w->every = head->flush_seconds > 0 ? head->flush_seconds : FLUSH_SECONDS;
  status = ga_store_create(path, head, chunk, &w->store, err);
  if (status != GA_OK) {
    free_writer(w);
    return status;
  }
  w->soon = now();
  w->next = w->soon + w->every;
  *out = w;
  return GA_OK;
}

/* Make the file count this many rows, all of which were written before; sets w->written if that
 * succeeds. Returns the status, message in err. */
static ga_status commit_rows(ga_results_writer *w, long rows, ga_error *err) {
  const ga_status status = ga_store_commit(w->store, rows, err);
  if (status == GA_OK) w->written = rows;
  return status;
}

/* Write the collected rows (w->block) to the file, without counting them; a full chunk is then
 * removed from memory (w->first, w->count). final: no row will be added to this chunk. On failure
 * w->err is set, and the file counts at least the rows before this chunk if it can. */
static ga_status write_block(ga_results_writer *w, bool final) {
  if (w->count == 0) return GA_OK;
  const ga_status status =
      ga_store_write(w->store, w->first, w->count, w->block, w->texts, final, &w->err);
  if (status != GA_OK) {
    if (ga_store_healthy(w->store) && w->first > w->written) commit_rows(w, w->first, NULL);
    return status;
  }
  if (w->count == w->chunk.rows) {
    w->first += w->count;
    w->count = 0;
  }
  return GA_OK;
}

/* Write the collected records of /impacts. On failure w->err is set. */
static ga_status write_impacts(ga_results_writer *w) {
  if (w->impact_count == 0) return GA_OK;
  const ga_status status =
      ga_store_write_impacts(w->store, w->impact_first, w->impact_count, w->impacts, &w->err);
  if (status != GA_OK) return status;
  w->impact_first += w->impact_count;
  w->impact_count = 0;
  return GA_OK;
}

/* Write the collected rows and let the file count them. final: no more rows follow. Sets w->soon
 * and w->next, the times of the next flush, from the duration of this one. On failure w->err is
 * set. */
static ga_status flush_rows(ga_results_writer *w, bool final) {
  const double began = now();
  const long rows = w->first + w->count;
  ga_status status = write_block(w, final || w->count == w->chunk.rows);
  if (status == GA_OK) status = write_impacts(w);
  if (status == GA_OK) status = commit_rows(w, rows, &w->err);
  if (status != GA_OK) return status;
  const double end = now();
  w->soon = end + (end - began) / FLUSH_FRACTION;
  w->next = fmax(w->soon, end + w->every);
  return GA_OK;
}

/* Copy the texts of the next row, number w->count, to w->texts, each cut to its size and padded
 * with zeros. text, or a text in it, may be NULL: "". */
static void put_texts(ga_results_writer *w, const char *const *text) {
  char *column = w->texts;
  for (int i = 0; w->text_size[i] > 0; i++) {
    const size_t size = (size_t)w->text_size[i];
    const char *from = text && text[i] ? text[i] : "";
    const size_t length = strnlen(from, size - 1);
    char *to = column + (size_t)w->count * size;
    memcpy(to, from, length);
    memset(to + length, 0, size - length);
    column += (size_t)w->chunk.rows * size;
  }
}

/* Public: add a row of numbers, with all texts empty. The status, as ga_results_append_texts. */
ga_status ga_results_append(ga_results_writer *w, const double *row) {
  return ga_results_append_texts(w, row, NULL);
}

/* Public: add a row (ncolumn numbers, one text per column of texts; text NULL: all "") to the chunk
 * in memory; write the chunk if it is full or if a flush is due. After an error, every call returns
 * that error and adds nothing. */
ga_status ga_results_append_texts(ga_results_writer *w, const double *row,
                                  const char *const *text) {
  if (w->err.code != GA_OK) return w->err.code;
  put_texts(w, text);
  double *to = w->block + w->count;
  for (int j = 0; j < w->ncolumn; j++) to[(size_t)j * (size_t)w->chunk.rows] = row[j];
  w->count++;
  const bool full = w->count == w->chunk.rows;
  const double clock = now();
  if (clock >= w->next || (full && clock >= w->soon)) return flush_rows(w, false);
  return full ? write_block(w, true) : GA_OK;
}

/* Public: add a record of /impacts to those in memory; its names are cut to their sizes. GA_ERR_ARG
 * without contact_size in the head; else as ga_results_append_texts. */
ga_status ga_results_append_impact(ga_results_writer *w, const ga_results_impact *impact) {
  if (w->err.code != GA_OK) return w->err.code;
  if (!w->impacts) {
    return ga_store_fail(&w->err, GA_ERR_ARG, "the head of the file has no contact_size");
  }
  if (w->impact_count == IMPACTS && write_impacts(w) != GA_OK) return w->err.code;
  char *to = w->impacts + (size_t)w->impact_count++ * w->impact_bytes;
  const double number[GA_STORE_IMPACT_NUMBERS] = {
      impact->t,          impact->un_before,  impact->un_after, impact->impulse_n,
      impact->impulse_t1, impact->impulse_t2, impact->energy};
  memset(to, 0, w->impact_bytes);
  memcpy(to, number, sizeof number);
  to += sizeof number;
  memcpy(to, impact->kind, strnlen(impact->kind, GA_STORE_KIND - 1));
  to += GA_STORE_KIND;
  const size_t room = w->impact_bytes - sizeof number - GA_STORE_KIND - 1;
  memcpy(to, impact->contact, strnlen(impact->contact, room));
  return GA_OK;
}

/* Public: write all rows added so far and let the file count them; the first error, if any. */
ga_status ga_results_flush(ga_results_writer *w) {
  return w->err.code != GA_OK ? w->err.code : flush_rows(w, false);
}

/* Public: overwrite the statistics (JSON). Their space in the file was allocated at the beginning,
 * so this works on a full disk too. GA_ERR_ARG if the text is empty or longer than
 * GA_RESULTS_STATISTICS_MAX; after other failures w has the error. */
ga_status ga_results_set_statistics(ga_results_writer *w, const char *json) {
  if (w->err.code != GA_OK && !ga_store_healthy(w->store)) return w->err.code;
  const size_t length = json ? strlen(json) : 0;
  if (length > 0 && length <= GA_RESULTS_STATISTICS_MAX) {
    return ga_store_set_statistics(w->store, json, w->err.code == GA_OK ? &w->err : NULL);
  }
  return GA_ERR_ARG;
}

/* Public: number of rows that the file counts: a reader finds them even if this process dies. */
long ga_results_written(const ga_results_writer *w) {
  return w->written;
}

/* Public: the first error of w, GA_OK if there was none; owned by w. */
const ga_error *ga_results_writer_error(const ga_results_writer *w) {
  return &w->err;
}

/* Public: write the last rows, close the file and free w, also after errors; NULL is allowed.
 * Returns the first error of the whole life of w, which err (may be NULL) receives. */
ga_status ga_results_close(ga_results_writer *w, ga_error *err) {
  if (!w) return GA_OK;
  if (w->err.code == GA_OK) flush_rows(w, true);
  ga_error closing = {GA_OK, ""};
  ga_store_close(w->store, &closing);
  const ga_error first = w->err.code != GA_OK ? w->err : closing;
  free_writer(w);
  if (err) *err = first;
  return first.code;
}
