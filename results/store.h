/* SPDX-License-Identifier: MIT */
/* The file behind results: a table of columns in chunks, texts, the number of complete rows. The
 * implementation with HDF5 is in h5_*.c; none.c replaces it in a build without HDF5. */
#ifndef GA_RESULTS_STORE_H
#define GA_RESULTS_STORE_H

#include <genalpha/ga_results.h>

typedef struct ga_store ga_store;

/* The shape of the chunks: `rows` rows of `columns` neighbouring columns are compressed together.
 */
typedef struct ga_store_chunk {
  int rows, columns;
} ga_store_chunk;

/* Texts of fixed length in the file, in the order of ga_results_text_kind. */
enum { GA_STORE_TEXTS = GA_RESULTS_STATISTICS + 1 };

/* As ga_fail of libgenalpha, which this library does not need. */
ga_status ga_store_fail(ga_error *err, ga_status status, const char *format, ...) GA_PRINTF(3, 4);

bool ga_store_available(void);

/* ---- writing -------------------------------------------------------------------------------- */

ga_status ga_store_create(const char *path, const ga_results_head *head, ga_store_chunk chunk,
                          ga_store **out, ga_error *err);
/* `count` rows from row `first`, the beginning of a chunk, of all columns. Column j stands at
 * block + j chunk.rows; the block has room for whole chunks. Columns of texts stand one behind the
 * other in `texts`, chunk.rows texts of size + 1 bytes each. `final`: these rows are complete, and
 * are compressed. Other rows are written again later, and are not compressed until then. */
ga_status ga_store_write(ga_store *s, long first, int count, const double *block, const char *texts,
                         bool final, ga_error *err);
/* Records of /impacts from `first` on, info.impact_bytes each: the numbers of a ga_results_impact in
 * their order, the kind, the contact. */
enum { GA_STORE_IMPACT_NUMBERS = 7, GA_STORE_KIND = 8 };
ga_status ga_store_write_impacts(ga_store *s, long first, int count, const char *records,
                                 ga_error *err);
/* After a failure: is the file as before the call, as there was no room on the disk? Then the rows
 * before can still be committed. Otherwise only ga_store_close may follow. */
bool ga_store_healthy(const ga_store *s);
/* Everything written so far reaches the file, then the number of rows. */
ga_status ga_store_commit(ga_store *s, long rows, ga_error *err);
ga_status ga_store_set_statistics(ga_store *s, const char *text, ga_error *err);

/* ---- reading -------------------------------------------------------------------------------- */

/* What is known after opening; the store owns the texts. */
typedef struct ga_store_info {
  int ncolumn, nchosen;
  long rows;
  ga_store_chunk chunk;
  bool growing;
  size_t name_size, unit_size; /* bytes from one name (unit) to the next */
  const char *names, *units;
  const char *text[GA_STORE_TEXTS];
  int ntext_column;
  const ga_results_text_column *text_column;
  long nimpact;        /* records of /impacts */
  size_t impact_bytes; /* of one of them; 0: there is no /impacts */
} ga_store_info;

ga_status ga_store_open(const char *path, ga_store **out, ga_error *err);
const ga_store_info *ga_store_look(const ga_store *s);
ga_status ga_store_refresh(ga_store *s, ga_error *err);
/* Rows first .. first + count - 1 of `columns` neighbouring columns, column by column. */
ga_status ga_store_read(ga_store *s, int column, int columns, long first, long count,
                        double *values, ga_error *err);

/* Rows of a column of texts, size + 1 bytes each. */
ga_status ga_store_read_texts(ga_store *s, int column, long first, long count, char *texts,
                              ga_error *err);

ga_status ga_store_read_impacts(ga_store *s, long first, long count, char *records, ga_error *err);

/* Of both kinds; NULL is allowed. */
ga_status ga_store_close(ga_store *s, ga_error *err);

#endif
