/* SPDX-License-Identifier: MIT */
/* Meshes: STL in text and binary, OBJ; damaged and hostile files end with a sentence, and 60,000 mutated
 * ones with a mesh whose indices and numbers are good, or with a sentence. */
#define _POSIX_C_SOURCE 200809L
#include "picture/mesh.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

/* a tetrahedron */
static const char stl_text[] =
    "solid name of it\n"
    "facet normal 0 0 -1\n outer loop\n  vertex 0 0 0\n  vertex 0 1 0\n  vertex 1 0 0\n endloop\n"
    "endfacet\n"
    "facet normal 0 -1 0\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 0 1\n endloop\n"
    "endfacet\n"
    "facet normal -1 0 0\n outer loop\n  vertex 0 0 0\n  vertex 0 0 1\n  vertex 0 1 0\n endloop\n"
    "endfacet\n"
    "FACET NORMAL 1 1 1\r\n outer loop\r\n  vertex 1 0 0\n  vertex 0 1 0\n  vertex 0 0 1\n "
    "endloop\n"
    "endfacet\n"
    "endsolid name of it\n";
static const char obj_text[] =
    "# a pyramid: a square and four triangles\n"
    "mtllib none.mtl\no pyramid\n"
    "v 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\n"
    "f 4 3 2 1\ng sides\ns off\n"
    "v 0.5 0.5 1\n"
    "f 1/1/1 2/1/1 5/1/1\nf 2//1 3//1 -1//1\nf -3 -2 -1\nf 4/1 1/1 5/1\n";

enum { BINARY = 84 + 4 * 50 };

/* the same tetrahedron in binary */
static void make_binary(unsigned char bytes[BINARY]) {
  static const float points[4][9] = {{0, 0, 0, 0, 1, 0, 1, 0, 0},
                                     {0, 0, 0, 1, 0, 0, 0, 0, 1},
                                     {0, 0, 0, 0, 0, 1, 0, 1, 0},
                                     {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  memset(bytes, 0, BINARY);
  memcpy(bytes, "solid, and yet binary", 21);
  bytes[80] = 4;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 9; k++) {
      uint32_t bits;
      memcpy(&bits, &points[i][k], 4);
      for (int b = 0; b < 4; b++) {
        bytes[84 + 50 * i + 12 + 4 * k + b] = (unsigned char)(bits >> 8 * b & 255);
      }
    }
  }
}

/* six times the volume inside, by the divergence theorem: sums x . (y x z) over triangles */
static double six_volumes(const mesh *m) {
  double sum = 0;
  for (int i = 0; i < m->ntriangle; i++) {
    const float *a = m->vertex + 3 * m->triangle[3 * i],
                *b = m->vertex + 3 * m->triangle[3 * i + 1];
    const float *c = m->vertex + 3 * m->triangle[3 * i + 2];
    sum += (double)a[0] * (b[1] * c[2] - b[2] * c[1]) + (double)a[1] * (b[2] * c[0] - b[0] * c[2]) +
           (double)a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum;
}

static void good_files(void **state) {
  (void)state;
  unsigned char binary[BINARY];
  char why[300] = "";
  mesh m;
  assert_true(mesh_parse("a.stl", stl_text, strlen(stl_text), &m, sizeof why, why));
  assert_true(m.nvertex == 4 && m.ntriangle == 4);
  assert_true(fabs(six_volumes(&m) - 1) < 1e-6);
  mesh_free(&m);
  make_binary(binary);
  assert_true(mesh_parse("A.STL", (const char *)binary, sizeof binary, &m, sizeof why, why));
  assert_true(m.nvertex == 4 && m.ntriangle == 4);
  assert_true(fabs(six_volumes(&m) - 1) < 1e-6);
  mesh_free(&m);
  assert_true(mesh_parse("a.obj", obj_text, strlen(obj_text), &m, sizeof why, why));
  assert_true(m.nvertex == 5 && m.ntriangle == 6);
  assert_true(fabs(six_volumes(&m) - 2) < 1e-6); /* a third of the box above the square */
  mesh_free(&m);
  /* equal vertices become one */
  static const char twice[] =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 4 5 6\n";
  assert_true(mesh_parse("a.obj", twice, strlen(twice), &m, sizeof why, why));
  assert_true(m.nvertex == 4 && m.triangle[0] == m.triangle[3] && m.triangle[2] == m.triangle[4]);
  mesh_free(&m);
}

static void wrong_files(void **state) {
  (void)state;
  static const struct {
    const char *name, *text, *says;
  } list[] = {
      {"a.dae", "<COLLADA/>", "meshes are STL or OBJ files"},
      {"a", "", "meshes are STL or OBJ files"},
      {"a.stl", "", "it has 0 bytes"},
      {"a.stl", "solid\nendsolid\n", "it has no triangles"},
      {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "line 5"},
      {"a.stl", "solid\nfacet\nvertex 0 0 nan\n", "line 3: 'nan' is no coordinate"},
      {"a.stl", "solid\nfacet\nvertex 0 0 1e400\n", "line 3: '1e400' is no coordinate"},
      {"a.stl", "solid\nfacet\nvertex 0 0\n", "line 3: '' where a coordinate is expected"},
      {"a.stl", "solid\nfacet\nvertex 0 0 x\n", "line 3: 'x' where a coordinate"},
      {"a.stl", "solid\nfacet\nfacet\n", "a facet inside a facet"},
      {"a.stl", "solid\nfacet\nendfacet\n", "a facet has three vertices"},
      {"a.stl", "solid\nvertex 0 0 0\n", "a facet has three vertices"},
      {"a.stl", "solid\nfacet\nendsolid\n", "'endsolid' inside a facet"},
      {"a.stl", "solid\nhello\n", "'hello' is no word of an STL file"},
      {"a.obj", "", "it has no triangles"},
      {"a.obj", "v 0 0 0\n", "it has no triangles"},
      {"a.obj", "v 0 0 inf\n", "line 1: 'inf' is no coordinate"},
      {"a.obj", "v 0 0\n", "line 1: '' where a coordinate"},
      {"a.obj", "v 0 0 0\nf 1 1 2\n", "line 2: a face has vertex 2, but there are 1 above it"},
      {"a.obj", "v 0 0 0\nf 1 1 -2\n", "a face has vertex -2"},
      {"a.obj", "v 0 0 0\nf 1 1 99999999999999999999\n", "a face has vertex 99999999999999999999"},
      {"a.obj", "v 0 0 0\nf 1 1 0\n", "'0' where the number of a vertex"},
      {"a.obj", "v 0 0 0\nf 1 1 1x\n", "'1x' where the number of a vertex"},
      {"a.obj", "v 0 0 0\nf 1 1\n", "a face has three vertices or more"},
  };
  for (int i = 0; i < (int)(sizeof list / sizeof list[0]); i++) {
    char why[300] = "";
    mesh m;
    assert_false(mesh_parse(list[i].name, list[i].text, strlen(list[i].text), &m, sizeof why, why));
    if (!strstr(why, list[i].says)) fail_msg("%d: '%s' lacks '%s'", i, why, list[i].says);
    assert_true(!m.vertex && !m.triangle);
  }
}

/* wrong counts, numbers that are none, cut files */
static void wrong_binaries(void **state) {
  (void)state;
  unsigned char binary[BINARY];
  char why[300];
  mesh m;
  for (size_t size = 0; size < BINARY; size++) {
    make_binary(binary);
    binary[0] = 'x';
    assert_false(mesh_parse("a.stl", (const char *)binary, size, &m, sizeof why, why));
    assert_non_null(strstr(why, "cut"));
  }
  binary[80] = 5;
  assert_false(mesh_parse("a.stl", (const char *)binary, BINARY, &m, sizeof why, why));
  assert_non_null(strstr(why, "it counts 5 triangles, which need 334 bytes, and has 284"));
  make_binary(binary);
  memset(binary + 84 + 50 + 12, 255, 4); /* a NaN */
  assert_false(mesh_parse("a.stl", (const char *)binary, BINARY, &m, sizeof why, why));
  assert_non_null(strstr(why, "triangle 2: a coordinate is"));
}

/* Ten million triangles: refused by their count, without reading them. The file is a hole on the disk. */
static void large_files(void **state) {
  (void)state;
  char folder[] = "large-XXXXXX", path[40], why[300] = "";
  mesh m;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.stl", folder);
  const int descriptor = open(path, O_RDWR | O_CREAT, 0600);
  assert_true(descriptor >= 0);
  unsigned char head[84] = {0};
  const uint32_t n = 10000000;
  for (int b = 0; b < 4; b++) head[80 + b] = (unsigned char)(n >> 8 * b & 255);
  assert_int_equal(write(descriptor, head, sizeof head), 84);
  assert_int_equal(ftruncate(descriptor, 84 + 50 * (off_t)n), 0);
  assert_false(mesh_read(path, &m, sizeof why, why));
  assert_non_null(strstr(why, "it has 10000000 triangles, a page takes 200000"));
  assert_int_equal(ftruncate(descriptor, 99 * 1000000 + 500 * 1000000), 0);
  assert_false(mesh_read(path, &m, sizeof why, why));
  assert_non_null(strstr(why, "it has 599 MB, at most 100 are read"));
  close(descriptor);
  unlink(path);
  rmdir(folder);
  /* in text: the reader stops at the limit */
  const size_t most = 4000000;
  char *text = malloc(most + 100);
  assert_non_null(text);
  size_t at = (size_t)sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  while (at + 20 < most) at += (size_t)sprintf(text + at, "f 1 2 3 1 2 3 1\n");
  assert_false(mesh_parse("a.obj", text, at, &m, sizeof why, why));
  assert_non_null(strstr(why, "more than 200000 triangles: make it coarser"));
  free(text);
}

/* what is not a file: nothing waits for it */
static void no_files(void **state) {
  (void)state;
  char why[300] = "", folder[] = "pipe-XXXXXX", path[40];
  mesh m;
  assert_false(mesh_read("no/such.stl", &m, sizeof why, why));
  assert_string_equal(why, "no such file");
  assert_false(mesh_read("package://robot/a.stl", &m, sizeof why, why));
  assert_non_null(strstr(why, "--package NAME=DIR"));
  assert_false(mesh_read("/", &m, sizeof why, why));
  assert_string_equal(why, "it is not a file");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.stl", folder);
  if (mkfifo(path, 0600) == 0) {
    assert_false(mesh_read(path, &m, sizeof why, why));
    assert_string_equal(why, "it is not a file");
    unlink(path);
  }
  rmdir(folder);
}

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t n) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % n;
}

/* change, drop, repeat or insert bytes at random */
static size_t mutate(char *bytes, size_t size, size_t room) {
  static const char *const words[] = {"nan",     "1e39",       "-1",    "f ",   "v ",
                                      "vertex ", "4294967295", "facet", "\n",   "///",
                                      "solid ",  "endsolid",   "0x1p9", "1e999"};
  for (uint32_t n = 1 + random_below(4); n > 0 && size > 0; n--) {
    const size_t at = random_below((uint32_t)size);
    const uint32_t how = random_below(4);
    if (how == 0) bytes[at] = (char)random_below(256);
    if (how == 1) size = at;
    if (how == 2) {
      const size_t length = 1 + random_below(20), end = at + length < size ? at + length : size;
      memmove(bytes + at, bytes + end, size - end);
      size -= end - at;
    }
    if (how == 3) {
      const char *word = words[random_below(sizeof words / sizeof words[0])];
      const size_t length = strlen(word);
      if (size + length > room) continue;
      memmove(bytes + at + length, bytes + at, size - at);
      memcpy(bytes + at, word, length);
      size += length;
    }
  }
  return size;
}

static void mutated_files(void **state) {
  (void)state;
  unsigned char binary[BINARY];
  make_binary(binary);
  const struct {
    const char *name, *bytes;
    size_t size;
  } seeds[] = {{"a.stl", stl_text, strlen(stl_text)},
               {"a.stl", (const char *)binary, BINARY},
               {"a.obj", obj_text, strlen(obj_text)}};
  int good = 0, bad = 0;
  for (int k = 0; k < 60000; k++) {
    const int seed = k % 3;
    const size_t room = seeds[seed].size + 200;
    /* exactly as long as its bytes, so that the sanitizer sees a read beyond them */
    char work[2000], why[300] = "";
    memcpy(work, seeds[seed].bytes, seeds[seed].size);
    const size_t size = mutate(work, seeds[seed].size, room);
    char *bytes = malloc(size ? size : 1);
    mesh m;
    assert_non_null(bytes);
    memcpy(bytes, work, size);
    if (mesh_parse(seeds[seed].name, bytes, size, &m, sizeof why, why)) {
      good++;
      assert_true(m.ntriangle > 0 && m.nvertex > 0);
      for (int i = 0; i < 3 * m.nvertex; i++) assert_true(fabsf(m.vertex[i]) < 1.1e15F);
      for (int i = 0; i < 3 * m.ntriangle; i++) {
        assert_true(m.triangle[i] >= 0 && m.triangle[i] < m.nvertex);
      }
    } else {
      bad++;
      assert_true(why[0] != '\0' && !m.vertex && !m.triangle);
    }
    mesh_free(&m);
    free(bytes);
  }
  assert_true(good > 1000 && bad > 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_files),     cmocka_unit_test(wrong_files),
      cmocka_unit_test(wrong_binaries), cmocka_unit_test(large_files),
      cmocka_unit_test(no_files),       cmocka_unit_test(mutated_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
