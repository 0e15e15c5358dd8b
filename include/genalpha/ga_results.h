/* SPDX-License-Identifier: MIT */
/* Results of a run in an HDF5 file: columns of numbers over time, with names, units and texts.
 *
 * A library of its own, libgenalpha_results (pkg-config genalpha-results, CMake target
 * genalpha::results), which does not need libgenalpha. docs/guide/results.md describes the file. A
 * build without HDF5 has all of these functions, too; create and open then return GA_ERR_BACKEND
 * and say what is missing.
 *
 * A writer or a reader belongs to one thread at a time, and Debian's HDF5 is not made for threads:
 * a program uses this library from one thread at a time. */
#ifndef GA_RESULTS_H
#define GA_RESULTS_H

#include <genalpha/ga_base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Was the library built with HDF5? */
GA_API bool ga_results_available(void);

/* ---- writing -------------------------------------------------------------------------------- */

typedef struct ga_results_column {
  const char *name; /* not empty; names should differ */
  const char *unit; /* "m/s", "rad", "1" for a pure number; NULL or "" if it is not known */
} ga_results_column;

/* A column of texts beside those of numbers: /texts/NAME in the file. */
typedef struct ga_results_text_column {
  const char *name; /* not empty; names should differ */
  int size;         /* of the longest text in bytes, from 1 to 65535; longer ones are cut */
} ga_results_text_column;

/* One contact that takes part in a change of contacts (ga_contact.h): a record of /impacts. */
typedef struct ga_results_impact {
  double t;
  const char *kind; /* "hit", "stop", "slide", "lift", "jam"; at most 7 bytes */
  const char *contact;
  double un_before, un_after; /* velocity of the gap */
  double impulse_n, impulse_t1, impulse_t2;
  double energy; /* lost by the whole impact, in its first record */
} ga_results_impact;

/* What a file holds besides the rows. All pointers are borrowed during ga_results_create only; a
 * text that is NULL is stored as "". Texts are UTF-8. */
typedef struct ga_results_head {
  const ga_results_column *column; /* the first one is the time, by convention "t" in seconds */
  int ncolumn;                     /* at least 1 */
  int nchosen; /* the first ones are those a person chose to look at; 0: all are */
  const char *title;
  const char *version;                       /* of the program that computed the rows */
  const char *model;                         /* the whole text of the model file */
  const char *model_name;                    /* the path or the name of the problem */
  const char *options;                       /* a JSON object */
  const ga_results_text_column *text_column; /* NULL: none */
  int ntext_column;
  int contact_size; /* of the longest name of a contact in bytes, at most 65535; 0: no /impacts */
  double flush_seconds; /* rows reach the file at the latest after so long; 0: one second */
} ga_results_head;

/* The longest text of ga_results_set_statistics, in bytes. */
#define GA_RESULTS_STATISTICS_MAX 8191

typedef struct ga_results_writer ga_results_writer;

/* Create a file, or replace the one of that name. It can be read by others from now on
 * (single writer, multiple readers). GA_ERR_IO if the file cannot be written. */
GA_API ga_status ga_results_create(const char *path, const ga_results_head *head,
                                   ga_results_writer **out, ga_error *err);

/* Append one row of ncolumn numbers. Rows are collected in memory that create has allocated; they
 * are written when there are enough of them, or when flush_seconds have passed since the last time
 * (a row that comes late is written at once). After a failure every further call returns the same
 * status, and the file keeps the rows of the last flush. */
GA_API ga_status ga_results_append(ga_results_writer *w, const double *row);
/* The same with one text for each column of texts; NULL stands for "", as all do without it. */
GA_API ga_status ga_results_append_texts(ga_results_writer *w, const double *row,
                                         const char *const *text);
/* Append a record of /impacts, with a contact_size in the head; it reaches the file with the rows. */
GA_API ga_status ga_results_append_impact(ga_results_writer *w, const ga_results_impact *impact);
/* Write all rows appended so far: they survive the end of the process, in whatever way it ends. */
GA_API ga_status ga_results_flush(ga_results_writer *w);
/* The counts of a run that has ended, a JSON object. A file without it is one of a run that goes on
 * or was killed. */
GA_API ga_status ga_results_set_statistics(ga_results_writer *w, const char *json);

GA_API long ga_results_written(const ga_results_writer *w); /* rows that are safe in the file */
GA_API const ga_error *ga_results_writer_error(const ga_results_writer *w);

/* Flush, close the file and release the writer; the status of the first failure. NULL is allowed.
 */
GA_API ga_status ga_results_close(ga_results_writer *w, ga_error *err);

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct ga_results ga_results;

/* Open a file, also one that is being written. A writer that was killed leaves a mark that keeps
 * other programs from opening the file; if it is dead and the file may be written, the mark is
 * removed (as `h5clear -s` does), and columns are cut to the rows of the last flush.
 * GA_ERR_IO: no such file; GA_ERR_FILE: not a file of results, damaged or newer. */
GA_API ga_status ga_results_open(const char *path, ga_results **out, ga_error *err);
GA_API void ga_results_free(ga_results *r);

GA_API int ga_results_columns(const ga_results *r);
GA_API long ga_results_rows(const ga_results *r);
GA_API int ga_results_chosen(const ga_results *r); /* nchosen, or all */
/* Valid until ga_results_free; NULL outside of the columns. */
GA_API const char *ga_results_name(const ga_results *r, int column);
GA_API const char *ga_results_unit(const ga_results *r, int column);
/* The index of a column, -1 if there is none of that name. */
GA_API int ga_results_column_index(const ga_results *r, const char *name);

/* The texts of the head, "" for those not given, and of ga_results_set_statistics, "" if the run
 * goes on or was killed. Valid until ga_results_free. */
typedef enum ga_results_text_kind {
  GA_RESULTS_TITLE,
  GA_RESULTS_VERSION,
  GA_RESULTS_MODEL,
  GA_RESULTS_MODEL_NAME,
  GA_RESULTS_OPTIONS,
  GA_RESULTS_STATISTICS
} ga_results_text_kind;
GA_API const char *ga_results_text(const ga_results *r, ga_results_text_kind kind);

/* Is a living writer at work on the file? Then ga_results_refresh looks for further rows, for the
 * statistics (the text of before is no longer valid), and whether the writer has ended. */
GA_API bool ga_results_growing(const ga_results *r);
GA_API ga_status ga_results_refresh(ga_results *r, ga_error *err);

/* Rows first to first + count - 1 of one column, or of all of them (count x columns numbers, row by
 * row). Only these are read, in pieces; no memory is allocated. */
GA_API ga_status ga_results_read_column(ga_results *r, int column, long first, long count,
                                        double *values, ga_error *err);
GA_API ga_status ga_results_read_rows(ga_results *r, long first, long count, double *values,
                                      ga_error *err);

/* Columns of texts: how many, the name (NULL outside of them), the bytes of the longest text. */
GA_API int ga_results_text_columns(const ga_results *r);
GA_API const char *ga_results_text_name(const ga_results *r, int column);
GA_API int ga_results_text_size(const ga_results *r, int column);
/* The texts of some rows, each in size + 1 bytes that end with a zero. */
GA_API ga_status ga_results_read_texts(ga_results *r, int column, long first, long count,
                                       char *texts, ga_error *err);

/* Records of /impacts: how many, 0 without them; some of them. Their texts are valid until the next
 * call and ga_results_free. */
GA_API long ga_results_impacts(const ga_results *r);
GA_API ga_status ga_results_read_impacts(ga_results *r, long first, long count,
                                         ga_results_impact *impacts, ga_error *err);

#ifdef __cplusplus
}
#endif
#endif
