/* SPDX-License-Identifier: MIT */
/* Read a file that is complete, that is being written, or whose writer was killed. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "h5.h"

/* Does no process hold a lock on the file? */
static bool is_unlocked(int descriptor) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return false;
  flock(descriptor, LOCK_UN);
  return true;
}

/* Is the file without a running writer? (On a file system without locks the answer is always no.) A
 * writer that has just started takes its lock right after HDF5 has released its own; therefore the
 * lock is checked twice. */
static bool nobody_writes(int descriptor) {
  const struct timespec moment = {0, 20000000};
  return is_unlocked(descriptor) && nanosleep(&moment, NULL) == 0 && is_unlocked(descriptor);
}

/* Does the file have the mark of a writer? In our files (superblock version 3) byte 11 has the
 * consistency flags: a writer sets bit 0, a writer in SWMR mode bit 2. */
static bool is_marked(int descriptor) {
  unsigned char head[12];
  return pread(descriptor, head, sizeof head, 0) == (ssize_t)sizeof head && head[8] == 3 &&
         (head[11] & 5) != 0;
}

/* Open s->path and set s->file and s->info.growing: normally if it was closed, in SWMR mode (HDF5's
 * single writer, multiple readers) if a writer is running. If the writer was killed, its mark is
 * removed first, if the file may be changed. GA_OK, or an error with a message. */
static ga_status open_file(ga_store *s, ga_error *err) {
  const int descriptor = open(s->path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return ga_store_fail(err, GA_ERR_IO, "cannot read '%s': %s", s->path, strerror(errno));
  }
  const bool marked = is_marked(descriptor), dead = marked && nobody_writes(descriptor);
  close(descriptor);
  if (H5Fis_hdf5(s->path) <= 0) {
    return ga_store_fail(err, GA_ERR_FILE, "'%s' is not an HDF5 file", s->path);
  }
  const bool repaired = dead && ga_h5_repair(s->path);
  ga_h5_forget();
  s->file = ga_h5_open(s->path, marked && !repaired ? H5F_ACC_SWMR_READ : 0);
  s->info.growing = marked && !dead;
  return s->file >= 0 ? GA_OK : ga_h5_fail(err, GA_ERR_FILE, "read", s->path);
}

/* Read a text of fixed length from an attribute (attribute true) or a data set, with a zero byte
 * appended, to be freed; NULL if the object has another type, or reading or memory fails. */
static char *read_fixed_text(hid_t type, hid_t object, bool attribute) {
  const size_t size = H5Tget_size(type);
  char *text = NULL;
  if (size > 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
    text = calloc(size + 1, 1);
  }
  if (!text) return NULL;
  const herr_t status = attribute ? H5Aread(object, type, text)
                                  : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
  if (status >= 0) return text;
  free(text);
  return NULL;
}

/* Does a data space have exactly one element? */
static bool is_scalar(hid_t space) {
  return H5Sget_simple_extent_npoints(space) == 1;
}

/* The text of an attribute or scalar data set, to be freed; NULL if there is none. */
static char *read_text(hid_t file, const h5_text_object *where) {
  const bool attribute = where->attribute;
  hid_t object = attribute ? H5Aopen(file, where->name, H5P_DEFAULT)
                           : H5Dopen2(file, where->name, H5P_DEFAULT);
  if (object < 0) return NULL;
  hid_t type = attribute ? H5Aget_type(object) : H5Dget_type(object);
  hid_t space = attribute ? H5Aget_space(object) : H5Dget_space(object);
  char *text = is_scalar(space) ? read_fixed_text(type, object, attribute) : NULL;
  H5Sclose(space);
  H5Tclose(type);
  if (attribute) {
    H5Aclose(object);
  } else {
    H5Dclose(object);
  }
  return text;
}

/* The text of attribute `name` of the object `at`, to be freed; NULL if there is none. */
char *ga_h5_read_attribute(hid_t at, const char *name) {
  const h5_text_object where = {name, true};
  return read_text(at, &where);
}

/* Read the n names or units, to be freed: text i is at i * *stride and ends with a zero. NULL if
 * the data set does not fit. */
static char *read_list(hid_t file, const char *name, int n, size_t *stride) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) return NULL;
  hid_t stored = H5Dget_type(set), space = H5Dget_space(set), type = H5Tcopy(stored);
  char *list = NULL;
  *stride = H5Tget_size(stored) + 1;
  if (H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0 &&
      H5Sget_simple_extent_npoints(space) == n && H5Tset_size(type, *stride) >= 0) {
    list = calloc((size_t)n, *stride);
  }
  if (list && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, list) < 0) {
    free(list);
    list = NULL;
  }
  H5Tclose(type);
  H5Sclose(space);
  H5Tclose(stored);
  H5Dclose(set);
  return list;
}

/* Set s->info.ncolumn and .chunk from /values, which is open; false if it is not a chunked table of
 * numbers. */
static bool read_shape(ga_store *s) {
  hid_t space = H5Dget_space(s->values), how = H5Dget_create_plist(s->values);
  hid_t type = H5Dget_type(s->values);
  hsize_t size[2] = {0, 0}, piece[2] = {0, 0};
  const bool ok = H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_ndims(space) == 2 &&
                  H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
                  H5Pget_layout(how) == H5D_CHUNKED && H5Pget_chunk(how, 2, piece) == 2 &&
                  size[0] > 0 && size[0] <= INT_MAX && piece[0] <= size[0] && piece[1] > 0 &&
                  piece[1] <= INT_MAX;
  H5Tclose(type);
  H5Pclose(how);
  H5Sclose(space);
  if (!ok) return false;
  s->info.ncolumn = (int)size[0];
  s->info.chunk = (ga_store_chunk){.rows = (int)piece[1], .columns = (int)piece[0]};
  return true;
}

/* Set info.rows from /rows, at most the length of /values; false if HDF5 fails. */
static bool read_rows(ga_store *s) {
  uint64_t count = 0;
  hsize_t size[2] = {0, 0};
  hid_t counted = H5Dget_space(s->rows), space = H5Dget_space(s->values);
  const bool ok = is_scalar(counted) && H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
                  H5Dread(s->rows, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count) >= 0;
  H5Sclose(space);
  H5Sclose(counted);
  if (ok) s->info.rows = (long)(count < size[1] ? count : size[1]);
  return ok;
}

/* The whole number in the scalar data set `name`, 0 if there is none. */
static int read_number(hid_t file, const char *name) {
  int value = 0;
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
  if (is_scalar(space)) H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
  H5Sclose(space);
  H5Dclose(set);
  return value;
}

/* Is it a result file of a known version? GA_ERR_FILE if not. */
static ga_status check_format(const ga_store *s, ga_error *err) {
  const h5_text_object format = {"format", true};
  char *text = read_text(s->file, &format);
  const bool ours = text && strcmp(text, H5_FORMAT) == 0;
  free(text);
  if (!ours) {
    return ga_store_fail(err, GA_ERR_FILE,
                         "'%s' is an HDF5 file, but not one of genalpha's results", s->path);
  }
  const int version = read_number(s->file, "format_version");
  if (version == H5_FORMAT_VERSION) return GA_OK;
  return ga_store_fail(err, GA_ERR_FILE,
                       "'%s' has version %d of the format, this program knows version %d", s->path,
                       version, H5_FORMAT_VERSION);
}

/* Open the data sets of s->file and fill s->info, whose texts s owns. GA_OK, or GA_ERR_FILE with a
 * message if an object is missing or has a wrong shape; ga_store_close frees what there is. */
static ga_status read_head(ga_store *s, ga_error *err) {
  ga_status status = check_format(s, err);
  if (status != GA_OK) return status;
  ga_store_info *info = &s->info;
  s->values = ga_h5_open_values(s->file);
  s->rows = H5Dopen2(s->file, "rows", H5P_DEFAULT);
  bool ok = s->values >= 0 && s->rows >= 0 && read_shape(s) && read_rows(s);
  if (ok) {
    info->nchosen = read_number(s->file, "chosen");
    if (info->nchosen < 1 || info->nchosen > info->ncolumn) info->nchosen = info->ncolumn;
    s->names = read_list(s->file, "names", info->ncolumn, &info->name_size);
    s->units = read_list(s->file, "units", info->ncolumn, &info->unit_size);
    ok = s->names && s->units;
  }
  for (int i = 0; ok && i < GA_STORE_TEXTS; i++) {
    info->text[i] = s->text[i] = read_text(s->file, &ga_h5_text_objects[i]);
    ok = s->text[i] != NULL;
  }
  info->names = s->names;
  info->units = s->units;
  ok = ok && ga_h5_texts_find(s) && ga_h5_impacts_find(s);
  return ok ? GA_OK : ga_h5_fail(err, GA_ERR_FILE, "read", s->path);
}

/* Open a file to read, after a repair if its writer was killed. *out: the store, for
 * ga_store_close; NULL on failure, with a message in err. */
ga_status ga_store_open(const char *path, ga_store **out, ga_error *err) {
  h5_listener l;
  ga_h5_listen(&l);
  ga_store *s = ga_h5_new(path);
  ga_status status =
      s ? open_file(s, err) : ga_store_fail(err, GA_ERR_MEM, "no memory for the file '%s'", path);
  if (status == GA_OK) {
    ga_h5_forget();
    status = read_head(s, err);
  }
  if (status != GA_OK) ga_store_close(s, NULL);
  *out = status == GA_OK ? s : NULL;
  return ga_h5_leave(&l, status);
}

/* What is known of the file: columns, rows, texts; owned by s, and changed by ga_store_refresh. */
const ga_store_info *ga_store_look(const ga_store *s) {
  return &s->info;
}

/* Update rows, statistics and growing in s->info of a file that is being written; the old text of
 * the statistics is freed. GA_OK, or GA_ERR_IO with a message. The writer's state is checked before
 * the number of rows, so that no row is missed that it wrote before it ended. */
ga_status ga_store_refresh(ga_store *s, ga_error *err) {
  h5_listener l;
  ga_h5_listen(&l);
  const int descriptor = open(s->path, O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    s->info.growing = is_marked(descriptor) && !nobody_writes(descriptor);
    close(descriptor);
  }
  bool ok = H5Drefresh(s->rows) >= 0 && H5Drefresh(s->values) >= 0 && read_rows(s) &&
            ga_h5_impacts_count(s);
  char *statistics = ok ? read_text(s->file, &ga_h5_text_objects[GA_RESULTS_STATISTICS]) : NULL;
  if (statistics) {
    free(s->text[GA_RESULTS_STATISTICS]);
    s->info.text[GA_RESULTS_STATISTICS] = s->text[GA_RESULTS_STATISTICS] = statistics;
  }
  return ga_h5_leave(&l, ok ? GA_OK : ga_h5_fail(err, GA_ERR_IO, "read", s->path));
}

/* Read rows first .. first + count - 1 of `columns` columns from `column` on, which must exist:
 * values gets columns * count numbers, column by column. GA_OK, or GA_ERR_FILE with a message. */
ga_status ga_store_read(ga_store *s, int column, int columns, long first, long count,
                        double *values, ga_error *err) {
  h5_listener l;
  ga_h5_listen(&l);
  const hsize_t start[2] = {(hsize_t)column, (hsize_t)first};
  const hsize_t size[2] = {(hsize_t)columns, (hsize_t)count};
  hid_t space = H5Dget_space(s->values), memory = H5Screate_simple(2, size, NULL);
  const bool ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                  H5Dread(s->values, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
  H5Sclose(memory);
  H5Sclose(space);
  return ga_h5_leave(&l, ok ? GA_OK : ga_h5_fail(err, GA_ERR_FILE, "read", s->path));
}
