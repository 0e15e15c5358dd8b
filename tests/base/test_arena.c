/* SPDX-License-Identifier: MIT */
/* The arena: its blocks, requests that fail, and the red zones of builds that look for errors. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/redzone.h"
#include "support.h"

/* a request that cannot be met returns NULL under the address sanitizer too */
GA_API const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1";
}

/* blocks of many sizes: aligned, zeroed, apart from one another */
static void test_arena_blocks(void **state) {
  (void)state;
  enum { BLOCKS = 300 };
  static unsigned char *block[BLOCKS];
  static size_t size[BLOCKS];
  ga_arena arena = {0};
  uint64_t seed = 3;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < BLOCKS; i++) {
      double u = 0.5 * (next_uniform(&seed) + 1);
      size[i] = i % 50 == 49 ? (size_t)(300000 * u) + 65536 : (size_t)(2000 * u * u * u);
      block[i] = ga_arena_take(&arena, size[i], 1);
      assert_non_null(block[i]);
      assert_int_equal((uintptr_t)block[i] % 64, 0);
      for (size_t k = 0; k < size[i]; k++) assert_int_equal(block[i][k], 0);
      memset(block[i], i % 251 + 1, size[i]);
    }
    for (int i = 0; i < BLOCKS; i++) {
      for (size_t k = 0; k < size[i]; k++) assert_int_equal(block[i][k], i % 251 + 1);
    }
    assert_false(arena.failed);
    ga_arena_free(&arena);
    assert_null(arena.chunks);
  }
  ga_arena_free(&arena);
}

/* blocks of a second round are zero again, in one piece of memory that then stays */
static void test_arena_rewind(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_arena_rewind(&arena);
  struct ga_chunk *kept = NULL;
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 40; i++) {
      unsigned char *block = ga_arena_take(&arena, 1000, 1);
      assert_non_null(block);
      for (int k = 0; k < 1000; k++) assert_int_equal(block[k], 0);
      memset(block, 0xff, 1000);
    }
    if (round > 1) assert_ptr_equal(arena.chunks, kept);
    ga_arena_rewind(&arena);
    if (round > 0) kept = arena.chunks;
  }
  assert_null(ga_arena_take(&arena, SIZE_MAX, 1));
  ga_arena_rewind(&arena);
  assert_false(arena.failed);
  ga_arena_free(&arena);
}

static void test_arena_typed(void **state) {
  (void)state;
  ga_arena arena = {0};
  double *x = ga_arena_doubles(&arena, 100);
  int *i = ga_arena_ints(&arena, 100);
  void *empty = ga_arena_take(&arena, 0, 8), *other = ga_arena_take(&arena, 8, 0);
  assert_non_null(empty);
  assert_non_null(other);
  assert_ptr_not_equal(empty, other);
  for (int k = 0; k < 100; k++) x[k] = k + 0.5, i[k] = -k;
  for (int k = 0; k < 100; k++) assert_true(x[k] == k + 0.5 && i[k] == -k);
  ga_arena_free(&arena);
  void *nothing = ga_calloc(0, 0);
  assert_non_null(nothing);
  ga_free(nothing);
  ga_free(NULL);
}

/* a request that cannot be met is remembered; what was carved before stays */
static void test_arena_failure(void **state) {
  (void)state;
  const struct {
    size_t count, size;
  } impossible[] = {{SIZE_MAX, 1}, {SIZE_MAX / 2, 8}, {SIZE_MAX / 8 + 2, 8}, {(size_t)1 << 59, 8}};
  for (size_t k = 0; k < sizeof impossible / sizeof *impossible; k++) {
    ga_arena arena = {0};
    int *kept = ga_arena_ints(&arena, 10);
    kept[9] = 9;
    assert_false(arena.failed);
    assert_null(ga_arena_take(&arena, impossible[k].count, impossible[k].size));
    assert_true(arena.failed);
    assert_non_null(ga_arena_doubles(&arena, 4));
    assert_true(arena.failed);
    assert_int_equal(kept[9], 9);
    ga_arena_free(&arena);
    assert_false(arena.failed);
  }
}

/* ---- red zones --------------------------------------------------------------------------- */

/* A block of an arena, and a wrong access to it: the byte at `offset` from the block's beginning.
 * Two more blocks follow it in the same chunk, unless it is the last. */
typedef struct {
  size_t count, size;
  ptrdiff_t offset;
  bool last;
} slip;

static const slip slips[] = {
    {3, sizeof(double), 3 * sizeof(double), false},          /* x[3] of x[3]: in the tail */
    {3, sizeof(double), 4 * sizeof(double) - 1, true},       /* its last byte */
    {5, sizeof(int), 5 * sizeof(int), false},                /* half a word behind the end */
    {7, 1, 7, true},                                         /* one byte */
    {8, sizeof(double), 8 * sizeof(double), false},          /* no tail: in the zone */
    {8, sizeof(double), 8 * sizeof(double), true},           /* the last zone of a chunk */
    {16, sizeof(double), -(ptrdiff_t)sizeof(double), false}, /* x[-1] */
    {0, sizeof(double), 0, false},                           /* a block without entries */
    {4000, sizeof(double), 4000 * sizeof(double), false},    /* a block with a chunk of its own */
};
enum { SLIPS = sizeof slips / sizeof *slips };

/* The access, in a child process without a voice; returns whether the child was stopped. */
static bool stopped(const slip *s, bool reads) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);
    ga_arena arena = {0};
    ga_arena_doubles(&arena, 5);
    volatile unsigned char *block = ga_arena_take(&arena, s->count, s->size);
    if (!s->last) ga_arena_doubles(&arena, 5), ga_arena_ints(&arena, 1);
    if (reads) {
      (void)block[s->offset];
    } else {
      block[s->offset] = 0;
    }
    ga_arena_free(&arena);
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* every write outside a block is seen, at once or when the arena is freed */
static void test_stray_writes(void **state) {
  (void)state;
  if (GA_ZONE == 0) skip();
  for (int i = 0; i < SLIPS; i++) {
    if (!stopped(&slips[i], false)) fail_msg("slip %d was not seen", i);
  }
}

/* the address sanitizer sees those that only read */
static void test_stray_reads(void **state) {
  (void)state;
#ifdef GA_ADDRESS_SANITIZER
  for (int i = 0; i < SLIPS; i++) {
    if (!stopped(&slips[i], true)) fail_msg("slip %d was not seen", i);
  }
#else
  skip();
#endif
}

/* the first and the last byte of a block are not taken for stray ones */
static void test_rightful_writes(void **state) {
  (void)state;
  for (int i = 0; i < SLIPS; i++) {
    slip right = slips[i];
    if (right.count == 0) continue;
    right.offset = (ptrdiff_t)(right.count * right.size) - 1;
    assert_false(stopped(&right, false));
    right.offset = 0;
    assert_false(stopped(&right, true));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arena_blocks),    cmocka_unit_test(test_arena_rewind),
      cmocka_unit_test(test_arena_typed),     cmocka_unit_test(test_arena_failure),
      cmocka_unit_test(test_stray_writes),    cmocka_unit_test(test_stray_reads),
      cmocka_unit_test(test_rightful_writes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
