/* SPDX-License-Identifier: MIT */
/* One owner for all memory of an object: chunks of zeroed, aligned memory, freed together. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/redzone.h"

enum { ALIGN = 64, CHUNK = 1 << 14 }; /* bytes: alignment of blocks, least size of a chunk */
_Static_assert(GA_ZONE == 0 || (int)GA_ZONE == (int)ALIGN,
               "blocks and red zones are aligned alike");

/* The payload follows the header; both are aligned by over-allocating. */
struct ga_chunk {
  struct ga_chunk *next;
  char *at;    /* the first free byte */
  size_t left; /* free bytes from there */
  bool used;   /* rewound: its bytes are no longer zero */
};

/* the library's only variables outside its objects */
static void *(*allocate_fn)(size_t count, size_t size) = calloc;
static void (*release_fn)(void *block) = free;

/* Replaces calloc and free for the whole library; NULL restores them. Call it before any other
 * function. */
void ga_set_allocator(void *(*allocate)(size_t count, size_t size), void (*release)(void *block)) {
  allocate_fn = allocate ? allocate : calloc;
  release_fn = release ? release : free;
}

/* zeroed memory for count items, at least one byte; NULL without memory */
void *ga_calloc(size_t count, size_t size) {
  return allocate_fn(count ? count : 1, size ? size : 1);
}

/* frees memory of ga_calloc; NULL is allowed */
void ga_free(void *block) {
  if (block) release_fn(block);
}

/* the first aligned address behind the header and its red zone */
static char *first_block(struct ga_chunk *chunk) {
  uintptr_t start = (uintptr_t)(chunk + 1) + GA_ZONE;
  return (char *)((start + ALIGN - 1) / ALIGN * ALIGN);
}

/* a chunk with `bytes` of zeroed memory for blocks; NULL without memory */
static struct ga_chunk *chunk_new(size_t bytes) {
  struct ga_chunk *chunk = ga_calloc(1, sizeof *chunk + ALIGN + GA_ZONE + bytes);
  if (!chunk) return NULL;
  chunk->at = first_block(chunk);
  chunk->left = bytes;
  ga_zones_begin(chunk->at, bytes);
  return chunk;
}

/* Zeroed, 64-byte aligned memory for count items. NULL and arena->failed = true without memory or
 * if count * size overflows; the flag stays until ga_arena_free. An arena begins as all zero. */
void *ga_arena_take(ga_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 2) / size) {
    arena->failed = true;
    return NULL;
  }
  size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN + GA_ZONE;
  if (bytes == 0) bytes = ALIGN;
  if (!arena->chunks || arena->chunks->left < bytes) {
    struct ga_chunk *chunk = chunk_new(bytes > CHUNK ? bytes : CHUNK);
    if (!chunk) {
      arena->failed = true;
      return NULL;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
  }
  char *block = arena->chunks->at;
  ga_zones_open(block, count * size, bytes);
  if (arena->chunks->used) memset(block, 0, count * size);
  arena->chunks->at += bytes;
  arena->chunks->left -= bytes;
  return block;
}

/* zeroed memory for count numbers; NULL and arena->failed without memory */
double *ga_arena_doubles(ga_arena *arena, size_t count) {
  return ga_arena_take(arena, count, sizeof(double));
}

/* zeroed memory for count integers; NULL and arena->failed without memory */
int *ga_arena_ints(ga_arena *arena, size_t count) {
  return ga_arena_take(arena, count, sizeof(int));
}

/* Blocks of the next round have the place of all chunks of this one. */
void ga_arena_rewind(ga_arena *arena) {
  struct ga_chunk *only = arena->chunks;
  if (!only) {
    arena->failed = false;
    return;
  }
  if (!only->next) {
    char *first = first_block(only);
    ga_zones_end(first, only->at, only->left);
    only->left += (size_t)(only->at - first);
    only->at = first;
    only->used = true;
    ga_zones_begin(first, only->left);
    arena->failed = false;
    return;
  }
  size_t bytes = 0;
  for (struct ga_chunk *c = only; c; c = c->next)
    bytes += c->left + (size_t)(c->at - first_block(c));
  ga_arena_free(arena);
  arena->chunks = chunk_new(bytes); /* NULL: the next request tries again */
}

/* Frees all memory of the arena, which can be used again. Debug builds check the red zones here. */
void ga_arena_free(ga_arena *arena) {
  while (arena->chunks) {
    struct ga_chunk *chunk = arena->chunks, *next = chunk->next;
    ga_zones_end(first_block(chunk), chunk->at, chunk->left);
    ga_free(chunk);
    arena->chunks = next;
  }
  arena->failed = false;
}
