/* SPDX-License-Identifier: MIT */
/* A checksum: FNV-1a with 64 bits (Fowler, Noll, Vo). */
#ifndef TOOL_SWEEP_CHECKSUM_H
#define TOOL_SWEEP_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define SWEEP_CHECKSUM_BEGIN 0xcbf29ce484222325u

/* Continues a checksum with more bytes; the first call takes SWEEP_CHECKSUM_BEGIN as hash. */
static inline uint64_t sweep_checksum(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
  return hash;
}

#endif
