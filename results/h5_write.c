/* SPDX-License-Identifier: MIT */
/* Write rows as chunks, then their number. */
#define _GNU_SOURCE /* fallocate, memfd_create */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "h5.h"

/* Disk space that HDF5 may need besides the numbers: SPARE bytes, 1/SPARE_FRACTION of the file, and
 * SPARE_COLUMN bytes for each column. */
enum { SPARE = 1 << 18, SPARE_FRACTION = 8, SPARE_COLUMN = 256 };

/* Set the error and s->failed; returns GA_ERR_IO. After a failed write HDF5 would still write
 * smaller pieces that fit, and leave a superblock that does not match the data. It also crashes if
 * closing the file fails. So its file descriptor is redirected to a file in memory, which is
 * discarded in the end. The file on disk stays as it is. */
static ga_status write_failed(ga_store *s, ga_error *err) {
  ga_status status = ga_h5_fail(err, GA_ERR_IO, "write", s->path);
  void *handle = NULL;
  const int memory = memfd_create("results", MFD_CLOEXEC);
  if (memory >= 0 && H5Fget_vfd_handle(s->file, H5P_DEFAULT, &handle) >= 0) {
    dup2(memory, *(int *)handle);
  }
  if (memory >= 0) close(memory);
  s->failed = true;
  return status;
}

/* Reserve disk blocks from s->reserved up to `end` without changing the size of the file. Returns
 * 0, also if the file system cannot reserve, or the errno that says why there is no space. */
static int reserve_blocks(const ga_store *s, off_t end) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      (rlim_t)end > limit.rlim_cur) {
    return EFBIG;
  }
  if (fallocate(s->lock, FALLOC_FL_KEEP_SIZE, s->reserved, end - s->reserved) == 0) return 0;
  /* other errors: this file system cannot reserve blocks */
  return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? errno : 0;
}

/* Reserve disk space for `need` bytes beyond the present `size` of the file, and some to spare, so
 * that a full disk is found here and not inside HDF5. Sets s->reserved. GA_OK, or GA_ERR_IO with a
 * message. */
static ga_status reserve_space(ga_store *s, off_t size, size_t need, ga_error *err) {
  const off_t spare = SPARE + size / SPARE_FRACTION + (off_t)SPARE_COLUMN * s->info.ncolumn;
  const off_t end = size + (off_t)need + spare;
  if (end <= s->reserved) return GA_OK;
  /* reserve more than needed, if available, because a request takes time */
  off_t enough = end + spare;
  int code = reserve_blocks(s, enough);
  if (code != 0) code = reserve_blocks(s, enough = end);
  if (code != 0) {
    return ga_store_fail(err, GA_ERR_IO, "cannot write '%s': %s", s->path, strerror(code));
  }
  s->reserved = enough;
  return GA_OK;
}

/* Size of the file in bytes, as HDF5 counts it. */
static off_t file_size(const ga_store *s) {
  hsize_t size = 0;
  H5Fget_filesize(s->file, &size);
  return (off_t)size;
}

/* Reopen /values and the columns of texts: HDF5 forgets their access properties when SWMR mode
 * begins (one writer, several readers at the same time). False if HDF5 fails. */
static bool open_values(ga_store *s) {
  H5Dclose(s->values);
  s->values = ga_h5_open_values(s->file);
  return s->values >= 0 && ga_h5_texts_open_anew(s);
}

/* Create the file s->path with all objects and begin SWMR mode; sets s->info, file, lock and the
 * data sets. A shared lock tells readers that the writer lives. Disk space is reserved first.
 * GA_OK, or an error with a message; ga_store_close frees what there is. */
static ga_status create_file(ga_store *s, const ga_results_head *head, ga_store_chunk chunk,
                             ga_error *err) {
  s->info = (ga_store_info){.ncolumn = head->ncolumn, .chunk = chunk};
  s->lock = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (s->lock < 0) {
    return ga_store_fail(err, GA_ERR_IO, "cannot write '%s': %s", s->path, strerror(errno));
  }
  if (flock(s->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return ga_store_fail(err, GA_ERR_IO,
                         "cannot write '%s': another program is writing or reading it", s->path);
  }
  flock(s->lock, LOCK_UN);
  /* The blocks reserved get lost when the file is created, but it is known then that there are as
   * many. A view takes about a kilobyte. */
  const char *model = head->model ? head->model : "", *options = head->options ? head->options : "";
  const size_t need =
      strlen(model) + strlen(options) + GA_RESULTS_STATISTICS_MAX + 2048 * (size_t)head->ncolumn;
  ga_status status = reserve_space(s, 0, need, err);
  if (status != GA_OK) return status;
  s->file = ga_h5_create(s->path);
  s->reserved = 0;
  if (s->file < 0) return ga_h5_fail(err, GA_ERR_IO, "write", s->path);
  status = reserve_space(s, file_size(s), need, err);
  if (status != GA_OK) return status;
  if (!ga_h5_put_all(s, head, chunk) || H5Fstart_swmr_write(s->file) < 0 || !open_values(s)) {
    return write_failed(s, err);
  }
  flock(s->lock, LOCK_SH); /* waits at most for a reader that checks this lock */
  return GA_OK;
}

/* Has no write failed so far? After a failed one nothing more can be written. */
bool ga_store_healthy(const ga_store *s) {
  return !s->failed;
}

/* A new file, which replaces an old one of the same name. *out: the store, for ga_store_close; NULL
 * on failure, with a message in err. */
ga_status ga_store_create(const char *path, const ga_results_head *head, ga_store_chunk chunk,
                          ga_store **out, ga_error *err) {
  h5_listener l;
  ga_h5_listen(&l);
  ga_store *s = ga_h5_new(path);
  ga_status status = s ? create_file(s, head, chunk, err)
                       : ga_store_fail(err, GA_ERR_MEM, "no memory for the file '%s'", path);
  if (status != GA_OK) ga_store_close(s, NULL);
  *out = status == GA_OK ? s : NULL;
  return ga_h5_leave(&l, status);
}

/* Write `count` rows from `first` on, the last of their chunk, compressed. False if HDF5 fails.
 * HDF5 remembers for the chunk it used last that it was compressed, even if write_uncompressed
 * wrote it; for a chunk that is not full the data set is reopened, so that HDF5 reads the chunk's
 * actual state. */
static bool write_compressed(ga_store *s, long first, int count, const double *block) {
  if (count < s->info.chunk.rows && !open_values(s)) return false;
  const hsize_t start[2] = {0, (hsize_t)first}, origin[2] = {0, 0};
  const hsize_t size[2] = {(hsize_t)s->info.ncolumn, (hsize_t)count};
  const hsize_t room[2] = {(hsize_t)s->info.ncolumn, (hsize_t)s->info.chunk.rows};
  hid_t space = H5Dget_space(s->values), memory = H5Screate_simple(2, room, NULL);
  bool ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
            H5Sselect_hyperslab(memory, H5S_SELECT_SET, origin, NULL, size, NULL) >= 0 &&
            H5Dwrite(s->values, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, block) >= 0;
  H5Sclose(memory);
  H5Sclose(space);
  return ok;
}

/* Write the chunk that begins with row `first` and is not full, without compression; block has room
 * for whole chunks. False if HDF5 fails. A compressed chunk moves when it grows, and in SWMR mode
 * its old space is lost. An uncompressed one stays where it is. */
static bool write_uncompressed(ga_store *s, long first, const double *block) {
  const size_t rows = (size_t)s->info.chunk.rows, columns = (size_t)s->info.chunk.columns;
  for (size_t j = 0; j < (size_t)s->info.ncolumn; j += columns) {
    const hsize_t start[2] = {j, (hsize_t)first};
    if (H5Dwrite_chunk(s->values, H5P_DEFAULT, H5_NO_FILTERS, start, rows * columns * sizeof *block,
                       block + j * rows) < 0) {
      return false;
    }
  }
  return true;
}

/* Write `count` rows from row `first` on, the begin of a chunk; block and texts as in store.h.
 * final: no more rows of this chunk follow, compress them. GA_OK, or an error with a message: if
 * the disk space cannot be reserved, the file is unchanged; after other failures s is not healthy.
 * Readers see the rows after ga_store_commit only. */
ga_status ga_store_write(ga_store *s, long first, int count, const double *block, const char *texts,
                         bool final, ga_error *err) {
  h5_listener l;
  ga_h5_listen(&l);
  const hsize_t size[2] = {(hsize_t)s->info.ncolumn, (hsize_t)(first + count)};
  const size_t chunks = (size_t)(s->info.ncolumn / s->info.chunk.columns + 1);
  const size_t numbers = chunks * (size_t)s->info.chunk.columns * (size_t)s->info.chunk.rows;
  const size_t need = numbers * sizeof *block + ga_h5_texts_bytes(s);
  const ga_status status = reserve_space(s, file_size(s), need, err);
  if (status != GA_OK) return ga_h5_leave(&l, status);
  const bool ok =
      H5Dset_extent(s->values, size) >= 0 &&
      (final ? write_compressed(s, first, count, block) : write_uncompressed(s, first, block)) &&
      ga_h5_texts_write(s, first, count, texts, final);
  return ga_h5_leave(&l, ok ? GA_OK : write_failed(s, err));
}

/* Write `count` records of /impacts from record `first` on. GA_OK, or an error as in ga_store_write. */
ga_status ga_store_write_impacts(ga_store *s, long first, int count, const char *records,
                                 ga_error *err) {
  h5_listener l;
  ga_h5_listen(&l);
  const size_t need = (size_t)count * s->info.impact_bytes;
  const ga_status status = reserve_space(s, file_size(s), need, err);
  if (status != GA_OK) return ga_h5_leave(&l, status);
  const bool ok = ga_h5_impacts_write(s, first, count, records);
  return ga_h5_leave(&l, ok ? GA_OK : write_failed(s, err));
}

/* Flush all data, then write and flush the number of rows, all of which were written: a reader
 * never sees rows that are not complete. GA_OK, or GA_ERR_IO; s is then not healthy. */
ga_status ga_store_commit(ga_store *s, long rows, ga_error *err) {
  h5_listener l;
  ga_h5_listen(&l);
  const uint64_t count = (uint64_t)rows;
  const bool ok =
      H5Fflush(s->file, H5F_SCOPE_LOCAL) >= 0 &&
      H5Dwrite(s->rows, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count) >= 0 &&
      H5Dflush(s->rows) >= 0;
  return ga_h5_leave(&l, ok ? GA_OK : write_failed(s, err));
}

/* Overwrite /statistics; text has at most GA_RESULTS_STATISTICS_MAX bytes. GA_OK, or GA_ERR_IO; s
 * is then not healthy. */
ga_status ga_store_set_statistics(ga_store *s, const char *text, ga_error *err) {
  h5_listener l;
  ga_h5_listen(&l);
  char padded[GA_RESULTS_STATISTICS_MAX + 1] = "";
  memcpy(padded, text, strlen(text));
  hid_t type = H5Dget_type(s->statistics);
  const bool ok = H5Dwrite(s->statistics, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) >= 0 &&
                  H5Dflush(s->statistics) >= 0;
  H5Tclose(type);
  return ga_h5_leave(&l, ok ? GA_OK : write_failed(s, err));
}
