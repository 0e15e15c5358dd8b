/* SPDX-License-Identifier: MIT */
/* Stands for the files h5_*.c in a build without HDF5: every attempt says what is missing. */
#include "store.h"

struct ga_store {
  ga_store_info info;
};

/* The error of all functions: there is no HDF5. */
static ga_status fail_without_hdf5(const char *path, ga_error *err) {
  return ga_store_fail(
      err, GA_ERR_BACKEND,
      "'%s': genalpha was built without HDF5. Install it (Debian: libhdf5-dev) and "
      "build again, or use a name that ends in .csv",
      path);
}

/* Can files be written and read? Not in this build. */
bool ga_store_available(void) {
  return false;
}

/* Always fails: *out is NULL, err says what is missing. */
ga_status ga_store_create(const char *path, const ga_results_head *head, ga_store_chunk chunk,
                          ga_store **out, ga_error *err) {
  (void)head, (void)chunk;
  *out = NULL;
  return fail_without_hdf5(path, err);
}

/* Always fails: *out is NULL, err says what is missing. */
ga_status ga_store_open(const char *path, ga_store **out, ga_error *err) {
  *out = NULL;
  return fail_without_hdf5(path, err);
}

/* ---- there is no store that the functions below could be called with ------------------------ */

/* Always fails. */
ga_status ga_store_write(ga_store *s, long first, int count, const double *block, const char *texts,
                         bool final, ga_error *err) {
  (void)s, (void)first, (void)count, (void)block, (void)texts, (void) final;
  return fail_without_hdf5("", err);
}

/* Always fails. */
ga_status ga_store_write_impacts(ga_store *s, long first, int count, const char *records,
                                 ga_error *err) {
  (void)s, (void)first, (void)count, (void)records;
  return fail_without_hdf5("", err);
}

/* Can more be written after a failure? Never. */
bool ga_store_healthy(const ga_store *s) {
  (void)s;
  return false;
}

/* Always fails. */
ga_status ga_store_commit(ga_store *s, long rows, ga_error *err) {
  (void)s, (void)rows;
  return fail_without_hdf5("", err);
}

/* Always fails. */
ga_status ga_store_set_statistics(ga_store *s, const char *text, ga_error *err) {
  (void)s, (void)text;
  return fail_without_hdf5("", err);
}

/* What is known of the file; never called. */
const ga_store_info *ga_store_look(const ga_store *s) {
  return &s->info;
}

/* Always fails. */
ga_status ga_store_refresh(ga_store *s, ga_error *err) {
  (void)s;
  return fail_without_hdf5("", err);
}

/* Always fails; values are unchanged. */
ga_status ga_store_read(ga_store *s, int column, int columns, long first, long count,
                        double *values, ga_error *err) {
  (void)s, (void)column, (void)columns, (void)first, (void)count, (void)values;
  return fail_without_hdf5("", err);
}

/* Always fails; texts are unchanged. */
ga_status ga_store_read_texts(ga_store *s, int column, long first, long count, char *texts,
                              ga_error *err) {
  (void)s, (void)column, (void)first, (void)count, (void)texts;
  return fail_without_hdf5("", err);
}

/* Always fails; records are unchanged. */
ga_status ga_store_read_impacts(ga_store *s, long first, long count, char *records, ga_error *err) {
  (void)s, (void)first, (void)count, (void)records;
  return fail_without_hdf5("", err);
}

/* Nothing to close: GA_OK, also for NULL. */
ga_status ga_store_close(ga_store *s, ga_error *err) {
  (void)s, (void)err;
  return GA_OK;
}
