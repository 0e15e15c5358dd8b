/* SPDX-License-Identifier: MIT */
/* Open and close files; repair a file whose writer was killed. */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "h5.h"

/* Was this library built with HDF5? Yes (none.c is the file that says no). */
bool ga_store_available(void) {
  return true;
}

/* Access properties for all files, to be closed by the caller: the format of HDF5 1.10, and closing
 * a file closes all its objects. */
static hid_t file_access(void) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  return access;
}

/* Create a file; an old one of this name is lost. Negative after a failure. */
hid_t ga_h5_create(const char *path) {
  hid_t how = file_access(), file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, how);
  H5Pclose(how);
  return file;
}

/* Open a file to read; mode: 0, or H5F_ACC_SWMR_READ for a file that is being written, with many
 * attempts at metadata that the writer is changing. Negative after a failure. */
hid_t ga_h5_open(const char *path, unsigned mode) {
  hid_t access = file_access();
  /* HDF5 waits 2^i ns before it reads metadata that is being written for the i-th time */
  if (mode == H5F_ACC_SWMR_READ) H5Pset_metadata_read_attempts(access, 28);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY | mode, access);
  H5Pclose(access);
  return file;
}

/* A store with nothing open; NULL if memory runs out. */
ga_store *ga_h5_new(const char *path) {
  ga_store *s = calloc(1, sizeof *s);
  const size_t length = strlen(path) + 1;
  if (!s) return NULL;
  s->file = s->values = s->rows = s->statistics = s->impacts = s->lock = -1;
  s->path = malloc(length);
  if (s->path) {
    memcpy(s->path, path, length);
    return s;
  }
  free(s);
  return NULL;
}

/* Close all data sets and the file; false if one of them fails. */
static bool close_objects(ga_store *s) {
  bool ok = true;
  const hid_t sets[] = {s->values, s->rows, s->statistics, s->impacts};
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
    if (sets[i] >= 0) ok = H5Dclose(sets[i]) >= 0 && ok;
  }
  ok = ga_h5_texts_close(s) && ok;
  if (s->file >= 0) ok = H5Fclose(s->file) >= 0 && ok;
  return ok;
}

/* Extend the file to the size that its superblock (HDF5's head of the file) states. A killed writer
 * may have allocated blocks there without writing them; HDF5 refuses such a file, except in SWMR
 * mode. False if the size is not known or the file cannot be extended. */
static bool extend_to_stated_size(const char *path) {
  struct stat file;
  hsize_t size = 0;
  hid_t read = ga_h5_open(path, H5F_ACC_SWMR_READ);
  const bool known = read >= 0 && H5Fget_filesize(read, &size) >= 0;
  if (read >= 0) H5Fclose(read);
  if (!known || stat(path, &file) != 0) return false;
  return (hsize_t)file.st_size >= size || truncate(path, (off_t)size) == 0;
}

/* Cut /values and /texts to the number of rows in /rows, if they have more. Failures are
 * ignored. */
static void cut_rows(hid_t file) {
  hid_t values = H5Dopen2(file, "values", H5P_DEFAULT), rows = H5Dopen2(file, "rows", H5P_DEFAULT);
  hid_t space = H5Dget_space(values);
  uint64_t count = 0;
  hsize_t size[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space) == 2 &&
      H5Dread(rows, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count) >= 0 &&
      H5Sget_simple_extent_dims(space, size, NULL) == 2 && size[1] > count) {
    size[1] = count;
    H5Dset_extent(values, size);
    ga_h5_texts_cut(file, count);
  }
  H5Sclose(space);
  H5Dclose(values);
  H5Dclose(rows);
}

/* Clear the mark of a killed writer in the file and cut rows that are not counted. No process may
 * have it open for writing. False if the file cannot be changed. */
bool ga_h5_repair(const char *path) {
  if (access(path, W_OK) != 0 || !extend_to_stated_size(path)) return false;
  const hbool_t yes = true;
  hid_t how = file_access();
  H5Pset(how, "clear_status_flags", &yes); /* as h5clear does it */
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, how);
  H5Pclose(how);
  if (file < 0) return false;
  /* data after the last flush may lie beyond the end that the superblock states */
  H5Fincrement_filesize(file, 0);
  cut_rows(file);
  return H5Fclose(file) >= 0;
}

/* Give reserved but unused disk space of the file s->lock back; failures are ignored. */
static void release_reserved(const ga_store *s) {
  struct stat file;
  if (s->reserved > 0 && fstat(s->lock, &file) == 0 && ftruncate(s->lock, file.st_size) != 0) {
    return; /* the file only takes more space than it needs */
  }
}

/* Close the file, give back unused disk space, and free s, in any case; NULL is allowed. GA_OK, or
 * GA_ERR_IO with a message. HDF5 1.10 crashes if closing a file fails. After a failed write the
 * file that it closes is one in memory (write_failed), and the file on disk is repaired. */
ga_status ga_store_close(ga_store *s, ga_error *err) {
  if (!s) return GA_OK;
  h5_listener l;
  ga_h5_listen(&l);
  ga_status status = GA_OK;
  if (!close_objects(s) && !s->failed) status = ga_h5_fail(err, GA_ERR_IO, "close", s->path);
  if (s->lock >= 0) {
    release_reserved(s);
    close(s->lock);
  }
  if (s->failed) ga_h5_repair(s->path);
  for (int i = 0; i < GA_STORE_TEXTS; i++) free(s->text[i]);
  free(s->names);
  free(s->units);
  free(s->path);
  free(s);
  return ga_h5_leave(&l, status);
}
