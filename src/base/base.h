/* SPDX-License-Identifier: MIT */
/* Private basics: error texts, the arena, small vector loops. */
#ifndef GA_SRC_BASE_H
#define GA_SRC_BASE_H

#include <genalpha/ga_base.h>
#include <math.h>

/* Put "format: " in front of the text already there. */
void ga_error_prefix(ga_error *err, const char *format, ...) GA_PRINTF(2, 3) GA_RARE;
/* no error, empty text; err may be NULL */
void ga_error_clear(ga_error *err);

/* Allocation: zeroed, counted memory; every heap request of the library goes through these. */
void *ga_calloc(size_t count, size_t size);
void ga_free(void *block);

/* An arena owns all memory of an object. Requests are zeroed and 64-byte aligned; freeing the arena
 * frees everything. A failed request returns NULL and sets `failed`, so that a constructor may
 * allocate everything and test arena.failed once. */
typedef struct ga_arena {
  struct ga_chunk *chunks;
  bool failed;
} ga_arena;

void *ga_arena_take(ga_arena *arena, size_t count, size_t size);
double *ga_arena_doubles(ga_arena *arena, size_t count);
int *ga_arena_ints(ga_arena *arena, size_t count);
void ga_arena_free(ga_arena *arena);
/* Give back all blocks, but keep the memory, in one piece, for the next ones: work that comes again and
 * again does not allocate. Clears `failed`. */
void ga_arena_rewind(ga_arena *arena);

/* ga_nearest_in (ga_base.h) for a list that needs no context. */
const char *ga_nearest_word(const char *word, const char *(*candidate)(int i));

/* the larger of two numbers; NaN may be dropped. Faster than fmax, which is a function call. */
static inline double ga_max(double a, double b) {
  return a > b ? a : b;
}

/* the larger of two numbers, NaN if one is NaN (fmax and ga_max may drop it) */
static inline double ga_larger(double a, double b) {
  return a >= b || isnan(a) ? a : b;
}

/* y += c x;  z = y + c x;  largest |x_i|, NaN if any is NaN */
void ga_axpy(int n, double c, const double *restrict x, double *restrict y);
void ga_add_scaled(int n, double c, const double *restrict x, const double *restrict y,
                   double *restrict z);
double ga_max_abs(int n, const double *x);
/* the largest of all |x_i| and of a number `known` >= 0; NaN if any is NaN */
double ga_max_abs_from(double known, int n, const double *x);
/* the least |x_i| that is a number, infinite if there is none */
double ga_min_abs(int n, const double *x);
/* whether some |x_i| > limit >= 0, or NaN */
bool ga_any_above(int n, const double *x, double limit);
/* index of the first entry that is not finite, -1 if all are */
int ga_first_nonfinite(int n, const double *x);

#endif
