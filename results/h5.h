/* SPDX-License-Identifier: MIT */
/* Types and functions common to the files h5_*.c. Only this header includes HDF5.
 * docs/guide/results.md describes the layout of a file.
 *
 * Files are written in HDF5's mode "single writer, multiple readers" (SWMR). The number of complete
 * rows is in /rows. ga_store_commit writes it after all data of these rows, so a reader may read
 * the first /rows rows at any moment. SWMR requires that all objects exist before the mode begins.
 * Afterwards only /values, /texts and /impacts grow, and /rows and /statistics are overwritten. */
#ifndef GA_RESULTS_H5_H
#define GA_RESULTS_H5_H

#include <hdf5.h>

#include "store.h"

enum { H5_FORMAT_VERSION = 1, H5_DEFLATE_LEVEL = 4 };
#define H5_FORMAT "genalpha results"

struct ga_store {
  hid_t file, values, rows, statistics, impacts;
  hid_t *texts; /* the columns of texts; their number is in the info */
  ga_results_text_column *text_column;
  int lock;           /* file descriptor by which a running writer holds a shared lock; -1: none */
  bool failed;        /* HDF5 has failed; nothing more may be written */
  long long reserved; /* bytes of the file for which disk space is reserved */
  char *path;
  ga_store_info info;
  char *names, *units, *text[GA_STORE_TEXTS]; /* owned; the info points to them */
};

/* Names of the objects with the texts, in the order of ga_results_text_kind; short texts are
 * attributes of the root group. */
typedef struct h5_text_object {
  const char *name;
  bool attribute;
} h5_text_object;
extern const h5_text_object ga_h5_text_objects[GA_STORE_TEXTS];

/* HDF5 prints its errors by default. A listener receives them instead, from ga_h5_listen until
 * ga_h5_leave, which restores the program's own setting. It keeps the reason of the first error.
 * After a failure printing stays off: HDF5 may keep objects of a damaged file open and would print
 * messages about them when the program ends. */
typedef struct h5_listener {
  H5E_auto2_t function;
  void *data;
  char reason[256];
} h5_listener;
void ga_h5_listen(h5_listener *l);
ga_status ga_h5_leave(h5_listener *l, ga_status status);
/* Forget the errors so far: they were expected. */
void ga_h5_forget(void);
/* "cannot DOING 'PATH': reason" */
ga_status ga_h5_fail(ga_error *err, ga_status status, const char *doing, const char *path);

/* All objects of a new file; s->file is open. */
bool ga_h5_put_all(ga_store *s, const ga_results_head *head, ga_store_chunk chunk);

/* A type for texts of fixed length; the name of a column as the name of an HDF5 object, into an
 * array of the same size. */
enum { H5_LINK_MAX = 300 };
hid_t ga_h5_text_type(size_t length);
void ga_h5_link_name(hid_t group, const char *name, char *link);
bool ga_h5_put_attribute(hid_t at, const char *name, const char *text);

/* The text of an attribute, to be freed; NULL if there is none. */
char *ga_h5_read_attribute(hid_t at, const char *name);

/* Columns of texts (h5_texts.c): made, found in a file, written, closed. Each is false after a
 * failure of HDF5; without such columns nothing is done. */
bool ga_h5_texts_put(ga_store *s, const ga_results_head *head, ga_store_chunk chunk);
bool ga_h5_texts_find(ga_store *s);
bool ga_h5_texts_write(ga_store *s, long first, int count, const char *texts, bool final);
bool ga_h5_texts_open_anew(ga_store *s);
size_t ga_h5_texts_bytes(const ga_store *s); /* bytes of one chunk of each column together */
bool ga_h5_texts_close(ga_store *s);
void ga_h5_texts_cut(hid_t file, hsize_t rows); /* cut longer columns to so many rows */

/* /impacts (h5_impacts.c): made, found in a file, counted anew, written. Each is false after a failure of
 * HDF5; without impacts nothing is done. */
bool ga_h5_impacts_put(ga_store *s, const ga_results_head *head);
bool ga_h5_impacts_find(ga_store *s);
bool ga_h5_impacts_count(ga_store *s);
bool ga_h5_impacts_write(ga_store *s, long first, int count, const char *records);

/* Filter mask of a chunk that is written without the filters shuffle and deflate. */
enum { H5_NO_FILTERS = 3 };

/* The table of a file that exists; negative after a failure. */
hid_t ga_h5_open_values(hid_t file);

/* A store without a file, NULL without memory. */
ga_store *ga_h5_new(const char *path);
/* A new file; one to read, mode 0 or H5F_ACC_SWMR_READ. Negative after a failure. */
hid_t ga_h5_create(const char *path);
hid_t ga_h5_open(const char *path, unsigned mode);
/* After a writer was killed: remove its mark from the file, and rows beyond /rows. False if that
 * cannot be done; the file can then still be read in SWMR mode. */
bool ga_h5_repair(const char *path);

#endif
