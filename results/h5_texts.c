/* SPDX-License-Identifier: MIT */
/* Columns of texts: /texts/NAME, texts of fixed length, chunked like /values. A file without them
 * has no group /texts. */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "h5.h"

static const char GROUP[] = "texts";

/* Bytes of a text of column i, with its zero. */
static size_t text_bytes(const ga_store *s, int i) {
  return (size_t)s->text_column[i].size + 1;
}

/* Allocate n columns of texts in s, not open yet (handles -1), and show them in s->info. False if
 * memory runs out. */
static bool allocate_columns(ga_store *s, int n) {
  s->texts = calloc((size_t)n, sizeof *s->texts);
  s->text_column = calloc((size_t)n, sizeof *s->text_column);
  if (!s->texts || !s->text_column) return false;
  for (int i = 0; i < n; i++) s->texts[i] = -1;
  s->info.ntext_column = n;
  s->info.text_column = s->text_column;
  return true;
}

/* Create an empty, unlimited, compressed column of texts; returns the data set, or negative. */
static hid_t put_column(hid_t group, const ga_results_text_column *column, ga_store_chunk chunk) {
  const hsize_t none = 0, endless = H5S_UNLIMITED, piece = (hsize_t)chunk.rows;
  char link[H5_LINK_MAX];
  ga_h5_link_name(group, column->name, link);
  hid_t type = ga_h5_text_type((size_t)column->size), how = H5Pcreate(H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple(1, &none, &endless);
  H5Pset_chunk(how, 1, &piece);
  H5Pset_shuffle(how);
  H5Pset_deflate(how, H5_DEFLATE_LEVEL);
  H5Pset_obj_track_times(how, 0);
  hid_t set = H5Dcreate2(group, link, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (set >= 0 && !ga_h5_put_attribute(set, "name", column->name)) {
    H5Dclose(set);
    set = -1;
  }
  H5Sclose(space);
  H5Pclose(how);
  H5Tclose(type);
  return set;
}

/* Create the group /texts and its columns, which stay open in s with copies of their names; nothing
 * if the head has none. False if HDF5 or memory fails. */
bool ga_h5_texts_put(ga_store *s, const ga_results_head *head, ga_store_chunk chunk) {
  const int n = head->ntext_column;
  if (n == 0) return true;
  if (!allocate_columns(s, n)) return false;
  hid_t how = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_link_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  hid_t group = H5Gcreate2(s->file, GROUP, H5P_DEFAULT, how, H5P_DEFAULT);
  bool ok = group >= 0;
  for (int i = 0; ok && i < n; i++) {
    s->text_column[i].size = head->text_column[i].size;
    s->text_column[i].name = strdup(head->text_column[i].name);
    s->texts[i] = put_column(group, &head->text_column[i], chunk);
    ok = s->texts[i] >= 0 && s->text_column[i].name;
  }
  H5Gclose(group);
  H5Pclose(how);
  return ok;
}

/* Close and open all columns of texts again, so that HDF5 reads the actual state of their chunks.
 * False if HDF5 fails. */
bool ga_h5_texts_open_anew(ga_store *s) {
  if (s->info.ntext_column == 0) return true;
  bool ok = true;
  for (int i = 0; ok && i < s->info.ntext_column; i++) {
    char path[H5_LINK_MAX + 16];
    const ssize_t length = H5Iget_name(s->texts[i], path, sizeof path);
    ok = length > 0 && length < (ssize_t)sizeof path;
    if (!ok) break;
    H5Dclose(s->texts[i]);
    s->texts[i] = H5Dopen2(s->file, path, H5P_DEFAULT);
    ok = s->texts[i] >= 0;
  }
  return ok;
}

/* Bytes of one chunk of every column of texts, not compressed. */
size_t ga_h5_texts_bytes(const ga_store *s) {
  size_t bytes = 0;
  for (int i = 0; i < s->info.ntext_column; i++) bytes += text_bytes(s, i);
  return bytes * (size_t)s->info.chunk.rows;
}

/* Write `count` rows of a column from row `first` on, or read them to `to` if `from` is NULL. The
 * data set must be long enough. False if HDF5 fails. */
static bool transfer_rows(hid_t set, hsize_t first, hsize_t count, const char *from, char *to) {
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  hid_t memory = H5Screate_simple(1, &count, NULL);
  bool ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0;
  ok = ok && (from ? H5Dwrite(set, type, memory, space, H5P_DEFAULT, from)
                   : H5Dread(set, type, memory, space, H5P_DEFAULT, to)) >= 0;
  H5Sclose(memory);
  H5Sclose(space);
  H5Tclose(type);
  return ok;
}

/* Write rows of all columns of texts; arguments as in ga_store_write. As for /values: chunks that
 * get no more rows (final) are compressed, others are not, so that they need not move when they
 * grow. The caller reopens the data sets when that is needed (h5_write.c). False if HDF5 fails. */
bool ga_h5_texts_write(ga_store *s, long first, int count, const char *texts, bool final) {
  const size_t rows = (size_t)s->info.chunk.rows;
  const hsize_t start = (hsize_t)first, end = start + (hsize_t)count;
  bool ok = true;
  for (int i = 0; ok && i < s->info.ntext_column; i++) {
    const size_t bytes = text_bytes(s, i);
    ok = H5Dset_extent(s->texts[i], &end) >= 0 &&
         (final ? transfer_rows(s->texts[i], start, (hsize_t)count, texts, NULL)
                : H5Dwrite_chunk(s->texts[i], H5P_DEFAULT, H5_NO_FILTERS, &start, rows * bytes,
                                 texts) >= 0);
    texts += rows * bytes;
  }
  return ok;
}

/* Cut all columns of texts of a file to so many rows; shorter ones stay. Failures are ignored. */
void ga_h5_texts_cut(hid_t file, hsize_t rows) {
  if (H5Lexists(file, GROUP, H5P_DEFAULT) <= 0) return;
  hid_t group = H5Gopen2(file, GROUP, H5P_DEFAULT);
  H5G_info_t about = {.nlinks = 0};
  H5Gget_info(group, &about);
  for (hsize_t i = 0; i < about.nlinks; i++) {
    hid_t set = H5Oopen_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    hsize_t size = 0;
    if (H5Sget_simple_extent_ndims(space) == 1 &&
        H5Sget_simple_extent_dims(space, &size, NULL) == 1 && size > rows) {
      H5Dset_extent(set, &rows);
    }
    H5Sclose(space);
    H5Oclose(set);
  }
  H5Gclose(group);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Open column i of the group, in the order of creation, into s->texts[i], and set s->text_column[i]
 * (its name is a copy). False if it has no texts of fixed length, or no name. */
static bool find_column(ga_store *s, hid_t group, int i) {
  char link[H5_LINK_MAX + 16], path[H5_LINK_MAX + 32];
  if (H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, (hsize_t)i, link, sizeof link,
                         H5P_DEFAULT) < 0) {
    return false;
  }
  s->texts[i] = H5Dopen2(group, link, H5P_DEFAULT);
  if (s->texts[i] < 0 || H5Iget_name(s->texts[i], path, sizeof path) < 0) return false;
  hid_t type = H5Dget_type(s->texts[i]), space = H5Dget_space(s->texts[i]);
  const size_t size = H5Tget_size(type);
  const bool ok = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && size >= 2 &&
                  size <= INT_MAX && H5Sget_simple_extent_ndims(space) == 1;
  H5Sclose(space);
  H5Tclose(type);
  if (!ok) return false;
  s->text_column[i] =
      (ga_results_text_column){ga_h5_read_attribute(s->texts[i], "name"), (int)size - 1};
  return s->text_column[i].name != NULL;
}

/* Open all columns of texts of a file, in the order of their creation. True also if there are none;
 * false if the group is not as it should be, or memory runs out. */
bool ga_h5_texts_find(ga_store *s) {
  if (H5Lexists(s->file, GROUP, H5P_DEFAULT) <= 0) return true;
  hid_t group = H5Gopen2(s->file, GROUP, H5P_DEFAULT);
  H5G_info_t about;
  bool ok = group >= 0 && H5Gget_info(group, &about) >= 0 && about.nlinks > 0 &&
            about.nlinks < 4096 && allocate_columns(s, (int)about.nlinks);
  for (int i = 0; ok && i < s->info.ntext_column; i++) ok = find_column(s, group, i);
  H5Gclose(group);
  return ok;
}

/* Read `count` texts of a column from row `first` on, which must exist, to texts: size + 1 bytes
 * each, with a zero. GA_OK, or GA_ERR_FILE with a message. */
ga_status ga_store_read_texts(ga_store *s, int column, long first, long count, char *texts,
                              ga_error *err) {
  h5_listener l;
  ga_h5_listen(&l);
  hid_t set = s->texts[column];
  if (s->info.growing) H5Drefresh(set);
  const bool ok = transfer_rows(set, (hsize_t)first, (hsize_t)count, NULL, texts);
  return ga_h5_leave(&l, ok ? GA_OK : ga_h5_fail(err, GA_ERR_FILE, "read", s->path));
}

/* Close all columns of texts and free their lists, also if some were never opened; false if HDF5
 * fails. A second call does nothing. */
bool ga_h5_texts_close(ga_store *s) {
  bool ok = true;
  for (int i = 0; i < s->info.ntext_column; i++) {
    if (s->texts[i] >= 0) ok = H5Dclose(s->texts[i]) >= 0 && ok;
    free((char *)s->text_column[i].name);
  }
  free(s->texts);
  free(s->text_column);
  s->texts = NULL;
  s->text_column = NULL;
  s->info.ntext_column = 0;
  return ok;
}
