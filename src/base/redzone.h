/* SPDX-License-Identifier: MIT */
/* Red zones: bytes before and behind every block of an arena that nobody may touch. Builds with
 * assertions or with the address sanitizer have them; in all others the functions below are empty.
 *
 * A chunk of an arena is a zone, a block, its tail up to the alignment, a zone, a block, .. The
 * zone in front of a block holds its length. Zones and tails have a known content, which is checked
 * when the chunk is freed. They are also hidden from the address sanitizer or from valgrind, where
 * these are there, and a first wrong access is reported at once. */
#ifndef GA_SRC_REDZONE_H
#define GA_SRC_REDZONE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define GA_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GA_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(GA_ADDRESS_SANITIZER) || !defined(NDEBUG)
#define GA_RED_ZONES 1

/* The length lies in the middle, where the first bytes that are wrong do not change it. */
typedef struct ga_zone {
  unsigned char front[24];
  uint64_t length; /* of the block behind the zone */
  unsigned char back[32];
} ga_zone;
enum { GA_ZONE = sizeof(ga_zone) };

/* A new chunk: `bytes` from its first block on, with a zone in front of that. All is hidden. */
void ga_zones_begin(char *first, size_t bytes);
/* A block of this length may be used from now on. It ends with a zone after `bytes`. */
void ga_zones_open(char *block, size_t length, size_t bytes);
/* The chunk will be freed: its blocks end at `at`, `left` bytes were never used. */
void ga_zones_end(char *first, char *at, size_t left);

#else
enum { GA_ZONE = 0 };

/* without red zones there is nothing to fill, hide or check */
static inline void ga_zones_begin(char *first, size_t bytes) {
  (void)first, (void)bytes;
}

/* nothing to do without red zones */
static inline void ga_zones_open(char *block, size_t length, size_t bytes) {
  (void)block, (void)length, (void)bytes;
}

/* nothing to do without red zones */
static inline void ga_zones_end(char *first, char *at, size_t left) {
  (void)first, (void)at, (void)left;
}
#endif

#endif
