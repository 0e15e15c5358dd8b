/* SPDX-License-Identifier: MIT */
/* Random numbers of a sweep: those of a run depend on the seed, the run's number and the variable's
 * number alone, never on who computes the run or when. */
#ifndef TOOL_SWEEP_RANDOM_H
#define TOOL_SWEEP_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Philox4x32-10: four random words from a counter of four words and a key of two. */
void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* A distribution with two numbers; it has been checked that they are allowed. */
typedef struct random_law {
  const struct random_kind *kind;
  double a, b;
} random_law;

/* Read "normal(mean,sd)" and its like. False, with what is wrong and what is allowed in why. */
bool random_read(const char *text, random_law *law, size_t size, char *why);

/* The number of variable `variable` in run `run`. */
double random_draw(const random_law *law, uint64_t seed, uint64_t run, uint32_t variable);

#endif
