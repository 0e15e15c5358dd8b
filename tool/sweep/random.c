/* SPDX-License-Identifier: MIT */
/* Counter-based random numbers and the distributions made of them.
 *
 * Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3", SC'11, section 3.3: ten rounds of
 *
 *   (c0, c1, c2, c3) -> (hi(M1 c2) ^ c1 ^ k0, lo(M1 c2), hi(M0 c0) ^ c3 ^ k1, lo(M0 c0)),
 *
 * where hi and lo are the halves of the 64-bit product, and (k0, k1) grows by (W0, W1) from round
 * to round. */
#include "sweep/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { ROUNDS = 10, WORD = 32 };
static const uint32_t M0 = 0xD2511F53u, M1 = 0xCD9E8D57u, W0 = 0x9E3779B9u, W1 = 0xBB67AE85u;

/* Ten rounds of Philox4x32; out may be counter. */
void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < ROUNDS; round++, k0 += W0, k1 += W1) {
    const uint64_t p0 = (uint64_t)M0 * c[0], p1 = (uint64_t)M1 * c[2];
    c[0] = (uint32_t)(p1 >> WORD) ^ c[1] ^ k0;
    c[2] = (uint32_t)(p0 >> WORD) ^ c[3] ^ k1;
    c[1] = (uint32_t)p1;
    c[3] = (uint32_t)p0;
  }
  memcpy(out, c, sizeof c);
}

/* A number in (0, 1) from 52 of the 64 bits: the middle of one of 2^52 equal intervals, so never 0
 * or 1, and 1 - u is exact. */
static double uniform_from(uint32_t high, uint32_t low) {
  const uint64_t bits = ((uint64_t)high << 20) | (low >> 12);
  return ((double)bits + 0.5) * 0x1p-52;
}

/* ---- distributions -------------------------------------------------------------------------- */

/* Box and Muller (1958): sqrt(-2 ln u1) cos(2 pi u2) is normal with mean 0 and variance 1. */
static double standard_normal(const double u[2]) {
  const double pi = 3.14159265358979323846;
  return sqrt(-2 * log(u[0])) * cos(2 * pi * u[1]);
}

/* Normal with mean a and standard deviation b. */
static double draw_normal(const random_law *law, const double u[2]) {
  return law->a + law->b * standard_normal(u);
}

/* Uniform between a and b. */
static double draw_uniform(const random_law *law, const double u[2]) {
  return law->a + (law->b - law->a) * u[0];
}

/* exp of a normal number with mean a and standard deviation b. */
static double draw_lognormal(const random_law *law, const double u[2]) {
  return exp(draw_normal(law, u));
}

/* What is wrong with the numbers of normal(a, b) or lognormal(a, b); NULL: nothing. */
static const char *check_deviation(double a, double b) {
  (void)a;
  return b > 0 ? NULL : "the standard deviation, the second number, must be greater than 0";
}

/* What is wrong with the numbers of uniform(a, b); NULL: nothing. */
static const char *check_ends(double a, double b) {
  return a < b ? NULL : "the first number must be less than the second";
}

/* a distribution with two parameters; draw makes a number from two uniform ones in (0, 1) */
typedef struct random_kind {
  const char *name, *arguments;
  const char *(*check)(double a, double b); /* what is wrong, NULL: nothing */
  double (*draw)(const random_law *law, const double u[2]);
} random_kind;

static const random_kind kinds[] = {
    {"normal", "mean,sd", check_deviation, draw_normal},
    {"uniform", "a,b", check_ends, draw_uniform},
    {"lognormal", "mu,sigma", check_deviation, draw_lognormal},
};
enum { NKINDS = (int)(sizeof kinds / sizeof kinds[0]) };

/* The number of a variable in a run, by the law: made from the words of Philox with (run,
 * variable) as the counter and the seed as the key, so the same arguments always give the same
 * number. */
double random_draw(const random_law *law, uint64_t seed, uint64_t run, uint32_t variable) {
  const uint32_t counter[4] = {(uint32_t)run, (uint32_t)(run >> WORD), variable, 0};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> WORD)};
  uint32_t word[4];
  random_philox(counter, key, word);
  const double u[2] = {uniform_from(word[0], word[1]), uniform_from(word[2], word[3])};
  return law->kind->draw(law, u);
}

/* Name of distribution i, NULL past the end; for ga_nearest_in. */
static const char *kind_at(const void *list, int i) {
  (void)list;
  return i < NKINDS ? kinds[i].name : NULL;
}

/* Writes a message about an unknown distribution to why (size bytes); always false. */
static bool unknown_kind(const char *typed, size_t size, char *why) {
  const char *near = ga_nearest_in(typed, kind_at, NULL);
  if (near) {
    snprintf(why, size, "there is no distribution '%s'; did you mean '%s'?", typed, near);
  } else {
    snprintf(why, size,
             "there is no distribution '%s'; known are normal(mean,sd), uniform(a,b), "
             "lognormal(mu,sigma)",
             typed);
  }
  return false;
}

/* Reads "1.5, 0.2)" into *a and *b: two finite numbers and the closing parenthesis at the end of
 * the text. False if it is anything else; *a and *b may then be written. */
static bool read_pair(const char *text, double *a, double *b) {
  char *end;
  *a = strtod(text, &end);
  end += strspn(end, " ");
  if (end == text || *end != ',') return false;
  const char *second = end + 1;
  *b = strtod(second, &end);
  end += strspn(end, " ");
  return end != second && strcmp(end, ")") == 0 && isfinite(*a) && isfinite(*b);
}

/* Reads NAME(a,b) into *law and checks the two numbers; false with a message in why (size
 * bytes), and *law may then be partly written. */
bool random_read(const char *text, random_law *law, size_t size, char *why) {
  char name[24];
  const size_t length = strcspn(text, "(");
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  int i = 0;
  while (i < NKINDS && strcmp(kinds[i].name, name) != 0) i++;
  if (i == NKINDS) return unknown_kind(name, size, why);
  law->kind = &kinds[i];
  if (text[length] != '(' || !read_pair(text + length + 1, &law->a, &law->b)) {
    snprintf(why, size, "write %s(%s), two numbers", name, kinds[i].arguments);
    return false;
  }
  const char *wrong = kinds[i].check(law->a, law->b);
  if (wrong) snprintf(why, size, "%s", wrong);
  return !wrong;
}
