/* SPDX-License-Identifier: MIT */
/* What the files h5_*.c share. This is the one place that includes HDF5. docs/guide/results.md
 * describes the layout of a file.
 *
 * Files are written in HDF5's mode "single writer, multiple readers" (SWMR). A file is readable at
 * any moment up to the number in /rows, because everything else reaches the file before that number
 * does (ga_store_commit). All objects exist before the mode begins, as it demands; afterwards
 * /values grows, and /rows and /statistics are overwritten in place. */
#ifndef GA_RESULTS_H5_H
#define GA_RESULTS_H5_H

#include <hdf5.h>

#include "store.h"

enum { H5_FORMAT_VERSION = 1, H5_DEFLATE_LEVEL = 4 };
#define H5_FORMAT "genalpha results"

struct ga_store {
  hid_t file, values, rows, statistics;
  hid_t *texts; /* the columns of texts, as many as the info says */
  ga_results_text_column *text_column;
  int lock;    /* a descriptor of the file; a living writer holds a shared lock by it; -1: none */
  bool failed; /* HDF5 has failed, nothing more may be written */
  long long reserved; /* bytes of the file that have room on the disk */
  char *path;
  ga_store_info info;
  char *names, *units, *text[GA_STORE_TEXTS]; /* what the info points to */
};

/* Where the texts are, in the order of ga_results_text_kind; short ones are attributes of the root.
 */
typedef struct h5_place {
  const char *name;
  bool attribute;
} h5_place;
extern const h5_place ga_h5_places[GA_STORE_TEXTS];

/* HDF5 prints its errors unless told otherwise. A listener takes them instead, from `listen` until
 * `leave`, which puts the program's own setting back; it keeps the reason of the first. After a
 * failure printing stays off: HDF5 may keep parts of a damaged file, and complains of that when the
 * program ends. */
typedef struct h5_listener {
  H5E_auto2_t function;
  void *data;
  char reason[256];
} h5_listener;
void ga_h5_listen(h5_listener *l);
ga_status ga_h5_leave(h5_listener *l, ga_status status);
/* Forget what went wrong so far: a failure that had been expected. */
void ga_h5_forget(void);
/* "cannot DOING 'PATH': reason" */
ga_status ga_h5_fail(ga_error *err, ga_status status, const char *doing, const char *path);

/* All objects of a new file; s->file is open. */
bool ga_h5_put_all(ga_store *s, const ga_results_head *head, ga_store_chunk chunk);

/* A text of fixed length; the name of a column as that of an object, with room for as many bytes.
 */
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
size_t ga_h5_texts_bytes(const ga_store *s); /* of a chunk of all of them */
bool ga_h5_texts_close(ga_store *s);
void ga_h5_texts_cut(hid_t file, hsize_t rows); /* to so many rows, where there are more */

/* Bits of the filters of columns, shuffle and deflate, for chunks that pass by them. */
enum { H5_NO_FILTERS = 3 };

/* The table of a file that exists; negative after a failure. */
hid_t ga_h5_open_values(hid_t file);

/* A store without a file, NULL without memory. */
ga_store *ga_h5_new(const char *path);
/* A new file; one to read, mode 0 or H5F_ACC_SWMR_READ. Negative after a failure. */
hid_t ga_h5_create(const char *path);
hid_t ga_h5_open(const char *path, unsigned mode);
/* Remove the mark of a writer that is dead, and rows that are not counted in /rows. False if that
 * cannot be done; the file can then still be read as beside a writer. */
bool ga_h5_repair(const char *path);

#endif
