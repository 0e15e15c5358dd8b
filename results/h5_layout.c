/* SPDX-License-Identifier: MIT */
/* The layout of a result file: all objects are created here, before the first row. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "h5.h"

/* A view of a column costs a kilobyte; tables with more columns than this have no views. */
enum { VIEWS_MAX = 4096 };

const h5_text_object ga_h5_text_objects[GA_STORE_TEXTS] = {
    {"title", true},      {"version", true},  {"model", false},
    {"model_name", true}, {"options", false}, {"statistics", false}};

/* A type, closed by the caller, for texts of up to `length` bytes that end with a zero byte. They
 * are UTF-8, but the type of data sets says ASCII: Octave refuses a file with UTF-8 types. */
hid_t ga_h5_text_type(size_t length) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length + 1);
  return type;
}

/* Create an attribute with a text in UTF-8; false if HDF5 fails. */
bool ga_h5_put_attribute(hid_t at, const char *name, const char *text) {
  hid_t type = ga_h5_text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
  H5Tset_cset(type, H5T_CSET_UTF8);
  hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  return ok;
}

/* Create and write a scalar, with its space allocated at once; returns the data set, or
 * negative. */
static hid_t put_scalar(hid_t at, const char *name, hid_t type, const void *data) {
  hid_t space = H5Screate(H5S_SCALAR), how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
  H5Pset_obj_track_times(how, 0);
  hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
    H5Dclose(set);
    set = -1;
  }
  H5Pclose(how);
  H5Sclose(space);
  return set;
}

/* Create a data set with one integer; false if HDF5 fails. */
static bool put_number(hid_t at, const char *name, int value) {
  return H5Dclose(put_scalar(at, name, H5T_NATIVE_INT, &value)) >= 0;
}

/* Create a data set with a text and room for a longer one of `room` bytes; returns it open, or
 * negative. */
static hid_t put_text(hid_t at, const char *name, const char *text, size_t room) {
  const size_t length = strlen(text), size = length > room ? length : room;
  char *padded = calloc(size + 1, 1);
  if (!padded) return -1;
  memcpy(padded, text, length);
  hid_t type = ga_h5_text_type(size), set = put_scalar(at, name, type, padded);
  H5Tclose(type);
  free(padded);
  return set;
}

/* The unit or the name of a column, "" if it has none. */
static const char *column_text(const ga_results_column *column, bool unit) {
  const char *text = unit ? column->unit : column->name;
  return text ? text : "";
}

/* Create /names, or /units if unit is true: the texts of all columns as one compressed array. False
 * if HDF5 or memory fails. */
static bool put_list(hid_t file, const ga_results_head *head, bool unit) {
  const hsize_t n = (hsize_t)head->ncolumn, piece = n < 1024 ? n : 1024;
  size_t longest = 0;
  for (int i = 0; i < head->ncolumn; i++) {
    const size_t length = strlen(column_text(&head->column[i], unit));
    if (length > longest) longest = length;
  }
  char *all = calloc(n, longest + 1);
  if (!all) return false;
  for (int i = 0; i < head->ncolumn; i++) {
    const char *text = column_text(&head->column[i], unit);
    memcpy(all + (size_t)i * (longest + 1), text, strlen(text));
  }
  hid_t type = ga_h5_text_type(longest), space = H5Screate_simple(1, &n, NULL);
  hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(how, 1, &piece);
  H5Pset_deflate(how, H5_DEFLATE_LEVEL);
  H5Pset_obj_track_times(how, 0);
  hid_t set =
      H5Dcreate2(file, unit ? "units" : "names", type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  bool ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
  H5Dclose(set);
  H5Pclose(how);
  H5Sclose(space);
  H5Tclose(type);
  free(all);
  return ok;
}

/* Access properties of /values, closed by the caller: no chunk cache, because whole chunks are
 * written at once. */
static hid_t values_access(void) {
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  H5Pset_chunk_cache(access, 1, 0, 1);
  return access;
}

/* Open /values without a chunk cache; the data set, or negative. */
hid_t ga_h5_open_values(hid_t file) {
  hid_t access = values_access(), set = H5Dopen2(file, "values", access);
  H5Pclose(access);
  return set;
}

/* Create the empty table /values: compressed chunks, unlimited rows, no chunk cache; returns it
 * open, or negative. */
static hid_t put_values(hid_t file, int ncolumn, ga_store_chunk chunk) {
  const hsize_t size[2] = {(hsize_t)ncolumn, 0}, limit[2] = {(hsize_t)ncolumn, H5S_UNLIMITED};
  const hsize_t piece[2] = {(hsize_t)chunk.columns, (hsize_t)chunk.rows};
  hid_t space = H5Screate_simple(2, size, limit);
  hid_t how = H5Pcreate(H5P_DATASET_CREATE), access = values_access();
  H5Pset_chunk(how, 2, piece);
  H5Pset_shuffle(how);
  H5Pset_deflate(how, H5_DEFLATE_LEVEL);
  H5Pset_obj_track_times(how, 0);
  hid_t set = H5Dcreate2(file, "values", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, access);
  H5Pclose(access);
  H5Pclose(how);
  H5Sclose(space);
  return set;
}

/* Write the name of a column, changed to a unique name of an HDF5 object in group, to link
 * (H5_LINK_MAX bytes): '/' becomes %2F, a second 'x' becomes 'x~2'. */
void ga_h5_link_name(hid_t group, const char *name, char *link) {
  size_t n = 0;
  for (; *name && n < H5_LINK_MAX - 20; name++) {
    n += (size_t)snprintf(link + n, H5_LINK_MAX - n, *name == '/' ? "%%2F" : "%c", *name);
  }
  link[n] = '\0';
  if (strcmp(link, ".") == 0) n = (size_t)snprintf(link, H5_LINK_MAX, "%%2E");
  for (int i = 2; H5Lexists(group, link, H5P_DEFAULT) > 0; i++) {
    snprintf(link + n, H5_LINK_MAX - n, "~%d", i);
  }
}

/* Create column i as a data set of its own in group: a view of row i of /values, which grows with
 * it and takes no space for its numbers. False if HDF5 fails. */
static bool put_view(hid_t group, hid_t values, int i, const ga_results_column *column) {
  const hsize_t none = 0, endless = H5S_UNLIMITED;
  const hsize_t start[2] = {(hsize_t)i, 0}, count[2] = {1, H5S_UNLIMITED};
  char link[H5_LINK_MAX];
  ga_h5_link_name(group, column->name, link);
  hid_t view = H5Screate_simple(1, &none, &endless), line = H5Dget_space(values);
  hid_t how = H5Pcreate(H5P_DATASET_CREATE), set = -1;
  H5Pset_obj_track_times(how, 0);
  if (H5Sselect_hyperslab(view, H5S_SELECT_SET, &none, NULL, &endless, NULL) >= 0 &&
      H5Sselect_hyperslab(line, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
      H5Pset_virtual(how, view, ".", "/values", line) >= 0) {
    set = H5Dcreate2(group, link, H5T_NATIVE_DOUBLE, view, H5P_DEFAULT, how, H5P_DEFAULT);
  }
  bool ok = set >= 0 && ga_h5_put_attribute(set, "name", column->name) &&
            ga_h5_put_attribute(set, "units", column_text(column, true /* unit */));
  H5Dclose(set);
  H5Pclose(how);
  H5Sclose(line);
  H5Sclose(view);
  return ok;
}

/* Create the group /columns with one view for each column, in their order; without views if there
 * are more than VIEWS_MAX columns. s->values must be open. False if HDF5 fails. */
static bool put_views(const ga_store *s, const ga_results_head *head) {
  hid_t how = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_link_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  hid_t group = H5Gcreate2(s->file, "columns", H5P_DEFAULT, how, H5P_DEFAULT);
  bool ok = group >= 0;
  const int n = head->ncolumn <= VIEWS_MAX ? head->ncolumn : 0;
  for (int i = 0; ok && i < n; i++) ok = put_view(group, s->values, i, &head->column[i]);
  H5Gclose(group);
  H5Pclose(how);
  return ok;
}

/* Create all objects of the new file s->file, with no rows; keeps /statistics, /rows, /values and
 * the columns of texts open in s. False if HDF5 fails; the file is then not usable. */
bool ga_h5_put_all(ga_store *s, const ga_results_head *head, ga_store_chunk chunk) {
  const char *texts[GA_STORE_TEXTS] = {head->title,      head->version, head->model,
                                       head->model_name, head->options, NULL};
  const uint64_t none = 0;
  const int version = H5_FORMAT_VERSION, chosen = head->nchosen ? head->nchosen : head->ncolumn;
  bool ok = ga_h5_put_attribute(s->file, "format", H5_FORMAT) &&
            put_number(s->file, "format_version", version) && put_number(s->file, "chosen", chosen);
  for (int i = 0; ok && i < GA_STORE_TEXTS; i++) {
    const char *text = texts[i] ? texts[i] : "";
    if (ga_h5_text_objects[i].attribute) {
      ok = ga_h5_put_attribute(s->file, ga_h5_text_objects[i].name, text);
      continue;
    }
    const bool last = i == GA_RESULTS_STATISTICS;
    hid_t set =
        put_text(s->file, ga_h5_text_objects[i].name, text, last ? GA_RESULTS_STATISTICS_MAX : 0);
    ok = set >= 0;
    if (last) {
      s->statistics = set;
    } else {
      H5Dclose(set);
    }
  }
  /* /names, then /units */
  if (!ok || !put_list(s->file, head, false) || !put_list(s->file, head, true)) return false;
  s->rows = put_scalar(s->file, "rows", H5T_NATIVE_UINT64, &none);
  s->values = put_values(s->file, head->ncolumn, chunk);
  return s->rows >= 0 && s->values >= 0 && put_views(s, head) && ga_h5_texts_put(s, head, chunk) &&
         ga_h5_impacts_put(s, head);
}
