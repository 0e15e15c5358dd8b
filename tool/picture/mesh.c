/* SPDX-License-Identifier: MIT */
/* Reading meshes.
 *
 *   STL, text:    solid NAME { facet normal n n n  outer loop  3 x (vertex x y z)  endloop  endfacet }
 *                 endsolid
 *   STL, binary:  80 bytes, a count n of 4 bytes, n times 50 bytes: normal, three points (12 floats),
 *                 2 bytes; all little-endian. The file has 84 + 50 n bytes, by which it is told from
 *                 text: some programs write "solid" at the beginning of both.
 *   OBJ:          lines `v x y z` and `f a b c ..`, where a is a number of a vertex from 1 on, or
 *                 from the end if negative, perhaps followed by /texture/normal. Polygons are cut
 *                 into triangles around their first vertex; all other lines are skipped.
 *
 * Normals of the file are not used: the page computes them. */
#define _POSIX_C_SOURCE 200809L
#include "picture/mesh.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* coordinates beyond this are nonsense in any unit, and squares of them would not be floats */
static const double COORDINATE_MAX = 1e15;
enum { WORD_MAX = 200 };

typedef struct reader {
  const char *at, *end; /* what is left of the bytes */
  long line;
  mesh *m;
  int vertex_room, triangle_room;
  /* hash table of vertices: their numbers + 1, 0: free; NULL: vertices are not joined */
  int *slot;
  size_t slots; /* a power of two */
  char *why;
  size_t room;
} reader;

/* ---- messages and arrays --------------------------------------------------------------------- */

/* Write the reason; returns false. */
static bool fail(reader *r, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(r->why, r->room, format, list);
  va_end(list);
  return false;
}

/* Room for one more item of an array of `size` bytes each; false without memory. */
static bool grow(void **array, int count, int *room, size_t size) {
  if (count < *room) return true;
  const int wider = *room > 0 ? 2 * *room : 1024;
  void *moved = realloc(*array, (size_t)wider * size);
  if (!moved) return false;
  *array = moved;
  *room = wider;
  return true;
}

/* Append a vertex; false after a message. */
static bool add_vertex(reader *r, const double x[3]) {
  mesh *m = r->m;
  for (int i = 0; i < 3; i++) {
    if (!(fabs(x[i]) <= COORDINATE_MAX)) {
      return fail(r, "a coordinate is %g: it must be a number, and not beyond 1e15", x[i]);
    }
  }
  if (m->nvertex >= 3 * MESH_TRIANGLES) {
    return fail(r, "it has more than %d vertices", 3 * MESH_TRIANGLES);
  }
  if (!grow((void **)&m->vertex, m->nvertex, &r->vertex_room, 3 * sizeof(float))) {
    return fail(r, "no memory");
  }
  float *to = m->vertex + 3 * (size_t)m->nvertex++;
  for (int i = 0; i < 3; i++) to[i] = (float)x[i] + 0.0F; /* -0 becomes 0 */
  return true;
}

/* Append a triangle of three known vertices; false after a message. */
static bool add_triangle(reader *r, int a, int b, int c) {
  mesh *m = r->m;
  if (m->ntriangle >= MESH_TRIANGLES) {
    return fail(r, "it has more than %d triangles: make it coarser", MESH_TRIANGLES);
  }
  if (!grow((void **)&m->triangle, m->ntriangle, &r->triangle_room, 3 * sizeof(int))) {
    return fail(r, "no memory");
  }
  int *to = m->triangle + 3 * (size_t)m->ntriangle++;
  to[0] = a;
  to[1] = b;
  to[2] = c;
  return true;
}

/* A hash of three floats: their bits, mixed by multiplications (Knuth). */
static size_t hash_of(const float *x) {
  uint32_t bits[3];
  memcpy(bits, x, sizeof bits);
  uint64_t h = 0;
  for (int i = 0; i < 3; i++) h = (h ^ bits[i]) * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(h ^ h >> 29);
}

/* The slot of a point, or the free one where it belongs. */
static size_t find_slot(const reader *r, const float *x) {
  size_t at = hash_of(x) & (r->slots - 1);
  while (r->slot[at] && memcmp(r->m->vertex + 3 * (size_t)(r->slot[at] - 1), x, 12) != 0) {
    at = (at + 1) & (r->slots - 1);
  }
  return at;
}

/* Make the table twice as large once half of it is used; false after a message. */
static bool widen_slots(reader *r) {
  if (r->slot && (size_t)r->m->nvertex < r->slots / 2) return true;
  free(r->slot);
  r->slots = r->slots > 0 ? 2 * r->slots : 1024;
  r->slot = calloc(r->slots, sizeof *r->slot);
  if (!r->slot) return fail(r, "no memory");
  for (int i = 0; i < r->m->nvertex; i++) {
    r->slot[find_slot(r, r->m->vertex + 3 * (size_t)i)] = i + 1;
  }
  return true;
}

/* *index <- the vertex of this point, a new one if there is none; false after a message. */
static bool find_vertex(reader *r, const double x[3], int *index) {
  mesh *m = r->m;
  if (!widen_slots(r) || !add_vertex(r, x)) return false;
  const size_t at = find_slot(r, m->vertex + 3 * (size_t)(m->nvertex - 1));
  if (r->slot[at]) {
    m->nvertex--;
  } else {
    r->slot[at] = m->nvertex;
  }
  *index = r->slot[at] - 1;
  return true;
}

/* A triangle of three points; false after a message. */
static bool add_points(reader *r, double x[3][3]) {
  int index[3];
  for (int i = 0; i < 3; i++) {
    if (!find_vertex(r, x[i], &index[i])) return false;
  }
  return add_triangle(r, index[0], index[1], index[2]);
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Copy the next word of the line to word (WORD_MAX bytes, longer ones are cut); false at its end. */
static bool next_word(reader *r, char *word) {
  size_t n = 0;
  while (r->at < r->end && is_space(*r->at)) r->at++;
  while (r->at < r->end && !is_space(*r->at) && *r->at != '\n') {
    if (n + 1 < WORD_MAX) word[n++] = *r->at;
    r->at++;
  }
  word[n] = '\0';
  return n > 0;
}

/* Go to the next line; false at the end of the file. */
static bool next_line(reader *r) {
  if (r->at == r->end) return false;
  const char *at = memchr(r->at, '\n', (size_t)(r->end - r->at));
  r->at = at ? at + 1 : r->end;
  r->line++;
  return r->at < r->end;
}

/* Copy the next word of the file; false at its end. */
static bool any_word(reader *r, char *word) {
  while (!next_word(r, word)) {
    if (!next_line(r)) return false;
  }
  return true;
}

/* x <- three numbers of the line; false after a message. */
static bool read_point(reader *r, double x[3]) {
  char word[WORD_MAX];
  for (int i = 0; i < 3; i++) {
    char *end = word;
    if (next_word(r, word)) x[i] = strtod(word, &end);
    if (end == word || *end) {
      return fail(r, "line %ld: '%.40s' where a coordinate is expected", r->line, word);
    }
    if (!(fabs(x[i]) <= COORDINATE_MAX)) {
      return fail(r, "line %ld: '%.40s' is no coordinate: it must be a number, and not beyond 1e15",
                  r->line, word);
    }
  }
  return true;
}

/* Read an STL file in text; false after a message. */
static bool read_stl_text(reader *r) {
  char word[WORD_MAX];
  double x[3][3];
  int n = -1; /* points of the facet so far; -1: outside of one */
  bool ended = false;
  while (any_word(r, word)) {
    ended = strcasecmp(word, "endsolid") == 0;
    if (strcasecmp(word, "facet") == 0) {
      if (n >= 0) return fail(r, "line %ld: a facet inside a facet", r->line);
      n = 0;
      next_line(r);
    } else if (strcasecmp(word, "vertex") == 0) {
      if (n < 0 || n > 2) return fail(r, "line %ld: a facet has three vertices", r->line);
      if (!read_point(r, x[n++])) return false;
    } else if (strcasecmp(word, "endfacet") == 0) {
      if (n != 3) return fail(r, "line %ld: a facet has three vertices", r->line);
      if (!add_points(r, x)) return false;
      n = -1;
    } else if (ended || strcasecmp(word, "solid") == 0) {
      if (n >= 0) return fail(r, "line %ld: '%s' inside a facet", r->line, word);
      next_line(r); /* a name follows */
    } else if (strcasecmp(word, "outer") != 0 && strcasecmp(word, "loop") != 0 &&
               strcasecmp(word, "endloop") != 0) {
      return fail(r, "line %ld: '%.40s' is no word of an STL file", r->line, word);
    }
  }
  return ended || fail(r, "it ends in line %ld without 'endsolid': it is cut", r->line);
}

/* *index <- the vertex that a word of a face names: its number before the first '/'. */
static bool read_index(reader *r, const char *word, int *index) {
  char *end;
  errno = 0;
  const long n = strtol(word, &end, 10);
  if (end == word || (*end && *end != '/') || n == 0) {
    return fail(r, "line %ld: '%.40s' where the number of a vertex is expected", r->line, word);
  }
  if (errno || n > r->m->nvertex || n < -(long)r->m->nvertex) {
    return fail(r, "line %ld: a face has vertex %.40s, but there are %d above it", r->line, word,
                r->m->nvertex);
  }
  *index = n > 0 ? (int)n - 1 : r->m->nvertex + (int)n;
  return true;
}

/* Read the vertices of a face as triangles around the first; false after a message. */
static bool read_face(reader *r) {
  char word[WORD_MAX];
  int corner[3], n = 0;
  while (next_word(r, word)) {
    if (!read_index(r, word, &corner[n < 2 ? n : 2])) return false;
    if (++n < 3) continue;
    if (!add_triangle(r, corner[0], corner[1], corner[2])) return false;
    corner[1] = corner[2];
  }
  return n >= 3 || fail(r, "line %ld: a face has three vertices or more", r->line);
}

/* Make equal vertices one, so that normals are smooth across the edges of faces; false after a
 * message. */
static bool join_vertices(reader *r) {
  mesh *m = r->m, old = *m;
  int *joined = malloc(((size_t)old.nvertex + 1) * sizeof *joined);
  m->vertex = NULL;
  m->nvertex = r->vertex_room = 0;
  bool ok = joined || fail(r, "no memory");
  for (int i = 0; ok && i < old.nvertex; i++) {
    const float *x = old.vertex + 3 * (size_t)i;
    ok = find_vertex(r, (const double[3]){x[0], x[1], x[2]}, &joined[i]);
  }
  for (int i = 0; ok && i < 3 * m->ntriangle; i++) m->triangle[i] = joined[m->triangle[i]];
  free(joined);
  free(old.vertex);
  return ok;
}

/* Read an OBJ file; false after a message. */
static bool read_obj(reader *r) {
  char word[WORD_MAX];
  double x[3];
  do {
    if (!next_word(r, word)) continue;
    if (strcmp(word, "v") == 0 && !(read_point(r, x) && add_vertex(r, x))) return false;
    if (strcmp(word, "f") == 0 && !read_face(r)) return false;
  } while (next_line(r));
  return join_vertices(r);
}

/* ---- binary ---------------------------------------------------------------------------------- */

/* The float at these four bytes, whatever the byte order of the machine. */
static float float_at(const unsigned char *b) {
  const uint32_t bits =
      (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* The count of triangles in a binary STL file of 84 bytes or more. */
static uint32_t count_of(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes + 80;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Is this the size of a binary STL file with the count it has? */
static bool is_binary(const char *bytes, uint64_t size) {
  return size >= 84 && size == 84 + 50 * (uint64_t)count_of(bytes);
}

/* Read a binary STL file, whose size is that of its count; false after a message. */
static bool read_stl_binary(reader *r) {
  const uint32_t n = count_of(r->at);
  if (n > MESH_TRIANGLES) {
    return fail(r, "it has %lu triangles, a page takes %d of a mesh: make it coarser",
                (unsigned long)n, MESH_TRIANGLES);
  }
  const unsigned char *at = (const unsigned char *)r->at + 84;
  for (uint32_t k = 0; k < n; k++, at += 50) {
    double x[3][3];
    for (int i = 0; i < 9; i++) {
      x[i / 3][i % 3] = float_at(at + 12 + 4 * i);
      if (!(fabs(x[i / 3][i % 3]) <= COORDINATE_MAX)) {
        return fail(r, "triangle %lu: a coordinate is %g, it must be a number, and not beyond 1e15",
                    (unsigned long)k + 1, x[i / 3][i % 3]);
      }
    }
    if (!add_points(r, x)) return false;
  }
  return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Does the name end so? */
static bool ends_in(const char *name, const char *ending) {
  const size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcasecmp(name + n - m, ending) == 0;
}

/* Is it an STL file in text: does it begin with "solid"? */
static bool is_text(const char *bytes, size_t size) {
  while (size > 0 && (is_space(*bytes) || *bytes == '\n')) bytes++, size--;
  return size >= 5 && strncasecmp(bytes, "solid", 5) == 0;
}

/* Read the bytes by their kind; false after a message. */
static bool read_kind(reader *r, const char *name) {
  const size_t size = (size_t)(r->end - r->at);
  if (ends_in(name, ".obj")) return read_obj(r);
  if (!ends_in(name, ".stl")) return fail(r, "meshes are STL or OBJ files: convert it");
  if (is_binary(r->at, size)) return read_stl_binary(r);
  if (is_text(r->at, size)) return read_stl_text(r);
  if (size < 84) return fail(r, "it has %zu bytes: it is no STL file, or cut", size);
  const uint64_t n = count_of(r->at);
  return fail(r,
              "it counts %llu triangles, which need %llu bytes, and has %zu: it is cut or no STL",
              (unsigned long long)n, (unsigned long long)(84 + 50 * n), size);
}

bool mesh_parse(const char *name, const char *bytes, size_t size, mesh *m, size_t room, char *why) {
  *m = (mesh){.nvertex = 0};
  reader r = {.at = bytes, .end = bytes + size, .line = 1, .m = m, .why = why, .room = room};
  const bool ok = (read_kind(&r, name) && (m->ntriangle > 0 || fail(&r, "it has no triangles")));
  free(r.slot);
  if (!ok) mesh_free(m);
  return ok;
}

/* Fail for a file that is too large: by its triangles, if it tells them, else by its bytes. */
static bool fail_size(reader *r, FILE *file, uint64_t size) {
  char head[84];
  if (fread(head, 1, sizeof head, file) == sizeof head && is_binary(head, size)) {
    return fail(r, "it has %lu triangles, a page takes %d of a mesh: make it coarser",
                (unsigned long)count_of(head), MESH_TRIANGLES);
  }
  return fail(r, "it has %llu MB, at most %d are read: make it coarser",
              (unsigned long long)(size / 1000000), MESH_BYTES / 1000000);
}

bool mesh_read(const char *path, mesh *m, size_t room, char *why) {
  reader r = {.why = why, .room = room};
  struct stat info;
  *m = (mesh){.nvertex = 0};
  if (strncmp(path, "file://", 7) == 0) path += 7;
  if (strstr(path, "://")) {
    return fail(&r, "no such file (genalpha import --package NAME=DIR tells where a package is)");
  }
  /* without O_NONBLOCK a pipe without a writer would never open */
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK);
  if (descriptor < 0) return fail(&r, "%s", errno == ENOENT ? "no such file" : strerror(errno));
  FILE *file = fdopen(descriptor, "rb");
  char *bytes = NULL;
  bool ok = false;
  if (!file || fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    fail(&r, "it is not a file");
  } else if (info.st_size > MESH_BYTES) {
    fail_size(&r, file, (uint64_t)info.st_size);
  } else if (!(bytes = malloc((size_t)info.st_size + 1))) {
    fail(&r, "no memory");
  } else {
    const size_t size = fread(bytes, 1, (size_t)info.st_size, file);
    ok = ferror(file) ? fail(&r, "it cannot be read") : mesh_parse(path, bytes, size, m, room, why);
  }
  free(bytes);
  if (file) {
    fclose(file);
  } else {
    close(descriptor);
  }
  return ok;
}

void mesh_free(mesh *m) {
  free(m->vertex);
  free(m->triangle);
  *m = (mesh){.nvertex = 0};
}
