/* SPDX-License-Identifier: MIT */
/* Changes of contacts: /impacts, one record of numbers and texts of fixed length for each contact of
 * a change. A file without contacts has no /impacts. Records are not compressed, so that a chunk
 * that is not full stays where it is. */
#include <string.h>

#include "h5.h"

static const char NAME[] = "impacts";
enum { CHUNK = 256 };

/* The type of a record, packed, to be closed by the caller: as in store.h. Its fields have the names
 * and the order of the columns of `run --impacts`. */
static hid_t record_type(size_t bytes) {
  static const char *const after[] = {"un_before",  "un_after",   "impulse_n",
                                      "impulse_t1", "impulse_t2", "energy"};
  const size_t texts = GA_STORE_IMPACT_NUMBERS * sizeof(double);
  hid_t record = H5Tcreate(H5T_COMPOUND, bytes), kind = ga_h5_text_type(GA_STORE_KIND - 1);
  hid_t contact = ga_h5_text_type(bytes - texts - GA_STORE_KIND - 1);
  bool ok = H5Tinsert(record, "t", 0, H5T_NATIVE_DOUBLE) >= 0 &&
            H5Tinsert(record, "kind", texts, kind) >= 0 &&
            H5Tinsert(record, "contact", texts + GA_STORE_KIND, contact) >= 0;
  for (size_t i = 0; ok && i < sizeof after / sizeof after[0]; i++) {
    ok = H5Tinsert(record, after[i], (i + 1) * sizeof(double), H5T_NATIVE_DOUBLE) >= 0;
  }
  H5Tclose(contact);
  H5Tclose(kind);
  if (ok) return record;
  H5Tclose(record);
  return -1;
}

/* Create /impacts without records, open in s; nothing if the head asks for none. */
bool ga_h5_impacts_put(ga_store *s, const ga_results_head *head) {
  if (head->contact_size == 0) return true;
  const hsize_t none = 0, endless = H5S_UNLIMITED, piece = CHUNK;
  s->info.impact_bytes =
      GA_STORE_IMPACT_NUMBERS * sizeof(double) + GA_STORE_KIND + (size_t)head->contact_size + 1;
  hid_t type = record_type(s->info.impact_bytes), how = H5Pcreate(H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple(1, &none, &endless);
  H5Pset_chunk(how, 1, &piece);
  H5Pset_obj_track_times(how, 0);
  s->impacts = H5Dcreate2(s->file, NAME, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  H5Sclose(space);
  H5Pclose(how);
  H5Tclose(type);
  return s->impacts >= 0;
}

/* Write records, or read them to `to` if `from` is NULL. The data set must be long enough. */
static bool transfer(const ga_store *s, long first, long count, const char *from, char *to) {
  const hsize_t start = (hsize_t)first, n = (hsize_t)count;
  hid_t type = record_type(s->info.impact_bytes), space = H5Dget_space(s->impacts);
  hid_t memory = H5Screate_simple(1, &n, NULL);
  bool ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &n, NULL) >= 0;
  ok = ok && (from ? H5Dwrite(s->impacts, type, memory, space, H5P_DEFAULT, from)
                   : H5Dread(s->impacts, type, memory, space, H5P_DEFAULT, to)) >= 0;
  H5Sclose(memory);
  H5Sclose(space);
  H5Tclose(type);
  return ok;
}

/* Append records; those before are in the file. */
bool ga_h5_impacts_write(ga_store *s, long first, int count, const char *records) {
  const hsize_t size = (hsize_t)first + (hsize_t)count;
  return H5Dset_extent(s->impacts, &size) >= 0 && transfer(s, first, count, records, NULL);
}

/* Set info.nimpact. The length of the data set reaches the file before its records may: a record
 * without a kind, and those behind it, are not there yet, or never will be after a kill. */
bool ga_h5_impacts_count(ga_store *s) {
  if (s->impacts < 0) return true;
  hsize_t size = 0;
  if (s->info.growing) H5Drefresh(s->impacts);
  hid_t space = H5Dget_space(s->impacts);
  bool ok = H5Sget_simple_extent_dims(space, &size, NULL) == 1;
  H5Sclose(space);
  char record[GA_STORE_IMPACT_NUMBERS * sizeof(double) + GA_STORE_KIND + 65536];
  ok = ok && s->info.impact_bytes <= sizeof record;
  for (s->info.nimpact = (long)size; ok && s->info.nimpact > 0; s->info.nimpact--) {
    ok = transfer(s, s->info.nimpact - 1, 1, NULL, record);
    if (record[GA_STORE_IMPACT_NUMBERS * sizeof(double)]) break;
  }
  return ok;
}

/* Open /impacts of a file that has it. False if it is not as it should be. */
bool ga_h5_impacts_find(ga_store *s) {
  if (H5Lexists(s->file, NAME, H5P_DEFAULT) <= 0) return true;
  s->impacts = H5Dopen2(s->file, NAME, H5P_DEFAULT);
  hid_t type = H5Dget_type(s->impacts), space = H5Dget_space(s->impacts);
  s->info.impact_bytes = H5Tget_size(type);
  bool ok = H5Tget_class(type) == H5T_COMPOUND && H5Sget_simple_extent_ndims(space) == 1 &&
            s->info.impact_bytes > GA_STORE_IMPACT_NUMBERS * sizeof(double) + GA_STORE_KIND + 1;
  if (ok) {
    hid_t ours = record_type(s->info.impact_bytes);
    ok = ours >= 0 && H5Tequal(ours, type) > 0;
    H5Tclose(ours);
  }
  H5Sclose(space);
  H5Tclose(type);
  return ok && ga_h5_impacts_count(s);
}

/* Read records from `first` on, which must exist. GA_OK, or GA_ERR_FILE with a message. */
ga_status ga_store_read_impacts(ga_store *s, long first, long count, char *records, ga_error *err) {
  h5_listener l;
  ga_h5_listen(&l);
  const bool ok = transfer(s, first, count, NULL, records);
  return ga_h5_leave(&l, ok ? GA_OK : ga_h5_fail(err, GA_ERR_FILE, "read", s->path));
}
