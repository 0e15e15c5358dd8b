/* SPDX-License-Identifier: MIT */
/* Red zones of the arena, in builds with assertions or the address sanitizer (redzone.h). */
#include "base/redzone.h"

#ifdef GA_RED_ZONES
#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* hide: the tool reports every access; show: the bytes may be used, with the values they have */
#if defined(GA_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#define HIDE(at, bytes) __asan_poison_memory_region(at, bytes)
#define SHOW(at, bytes) __asan_unpoison_memory_region(at, bytes)
#elif defined(GA_HAVE_MEMCHECK)
#include <valgrind/memcheck.h>
#define HIDE(at, bytes) (void)VALGRIND_MAKE_MEM_NOACCESS(at, bytes)
#define SHOW(at, bytes) (void)VALGRIND_MAKE_MEM_DEFINED(at, bytes)
#else
#define HIDE(at, bytes) (void)(at), (void)(bytes)
#define SHOW(at, bytes) (void)(at), (void)(bytes)
#endif

/* neither a small integer nor, eight times, a number anyone computes */
enum { UNTOUCHED = 0xa5 };

/* the red zone in front of a block */
static ga_zone *zone_before(char *block) {
  return (ga_zone *)(void *)(block - GA_ZONE);
}

/* fills the first zone of a new chunk and hides it and all bytes behind it */
void ga_zones_begin(char *first, size_t bytes) {
  memset(first - GA_ZONE, UNTOUCHED, GA_ZONE);
  HIDE(first - GA_ZONE, GA_ZONE + bytes);
}

/* Makes `length` bytes at block usable and records the length in the zone before; the rest up to
 * `bytes`, tail and next zone, is filled and hidden. */
void ga_zones_open(char *block, size_t length, size_t bytes) {
  ga_zone *zone = zone_before(block);
  SHOW(zone, GA_ZONE + bytes);
  zone->length = length;
  memset(block + length, UNTOUCHED, bytes - length);
  HIDE(zone, GA_ZONE);
  HIDE(block + length, bytes - length);
}

/* Do all bytes still have the value UNTOUCHED? */
static bool bytes_untouched(const void *from, size_t bytes) {
  const unsigned char *at = from;
  for (size_t i = 0; i < bytes; i++) {
    if (at[i] != UNTOUCHED) return false;
  }
  return true;
}

/* Has the zone kept its content (all but the recorded length)? */
static bool zone_untouched(const ga_zone *zone) {
  return bytes_untouched(zone->front, sizeof zone->front) &&
         bytes_untouched(zone->back, sizeof zone->back);
}

/* Aborts if something was overwritten. Builds without assertions rely on the address sanitizer,
 * which has reported the access already. */
static void assert_intact(bool intact) {
  assert(intact && "something wrote outside a block of the arena");
  (void)intact;
}

/* Checks the zone in front of a block and the tail behind it; returns the next block, NULL if the
 * recorded length is impossible. */
static char *check_block(char *block, const char *end) {
  const ga_zone *zone = zone_before(block);
  uint64_t length = zone->length;
  bool fits = length < (uint64_t)(end - block);
  assert_intact(fits && zone_untouched(zone));
  if (!fits) return NULL;
  char *tail = block + length, *tail_end = block + (length + GA_ZONE - 1) / GA_ZONE * GA_ZONE;
  assert_intact(bytes_untouched(tail, (size_t)(tail_end - tail)));
  return tail_end + GA_ZONE;
}

/* Checks all zones of a chunk before it is freed. Its blocks end at `at`; `left` bytes behind were
 * never used. */
void ga_zones_end(char *first, char *at, size_t left) {
  SHOW(first - GA_ZONE, (size_t)(at - first) + GA_ZONE + left);
  char *block = first;
  while (block && block < at) block = check_block(block, at);
  assert_intact(zone_untouched(zone_before(at)));
}
#endif
