/* SPDX-License-Identifier: MIT */
/* Random numbers of sweeps (tool/sweep/random.c): known answers, moments, independence, messages.
 */
#include "sweep/random.h"

#include "support.h"

/* the answers that come with the authors' own library, Random123 (kat_vectors, philox4x32 10) */
static void philox_known_answers(void **state) {
  (void)state;
  const struct {
    uint32_t counter[4], key[2], out[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
      {{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
       {0xffffffffu, 0xffffffffu},
       {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
      {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
       {0xa4093822u, 0x299f31d0u},
       {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
  };
  for (int k = 0; k < 3; k++) {
    uint32_t out[4];
    random_philox(known[k].counter, known[k].key, out);
    assert_memory_equal(out, known[k].out, sizeof out);
  }
}

static random_law law_of(const char *text) {
  random_law law;
  char why[200] = "";
  if (!random_read(text, &law, sizeof why, why)) fail_msg("%s: %s", text, why);
  return law;
}

enum { DRAWS = 200000 };

/* Mean, variance and skewness of many numbers, each within five standard errors: for n numbers
 * these are sd/sqrt(n), about var sqrt((kurtosis - 1)/n) and sqrt(6/n). */
static void moments(const char *text, bool logarithm, double mean, double var, double kurtosis) {
  const random_law law = law_of(text);
  double sum = 0, square = 0, cube = 0;
  for (uint64_t run = 0; run < DRAWS; run++) {
    double x = random_draw(&law, 42, run, 0);
    if (logarithm) x = log(x);
    sum += x;
    square += (x - mean) * (x - mean);
    cube += (x - mean) * (x - mean) * (x - mean);
  }
  const double n = DRAWS, sd = sqrt(var);
  assert_true(fabs(sum / n - mean) < 5 * sd / sqrt(n));
  assert_true(fabs(square / n - var) < 5 * var * sqrt((kurtosis - 1) / n));
  assert_true(fabs(cube / n / (sd * var)) < 5 * sqrt(15 / n));
}

static void moments_of_laws(void **state) {
  (void)state;
  moments("normal(3,0.5)", false, 3, 0.25, 3);
  moments("normal(-10, 2)", false, -10, 4, 3);
  moments("uniform(-1,3)", false, 1, 16.0 / 12, 1.8);
  moments("lognormal(0.5,0.25)", true, 0.5, 0.0625, 3);
}

/* how many are below a point: the tails are right, too */
static double part_below(const char *text, double point) {
  const random_law law = law_of(text);
  long below = 0;
  for (uint64_t run = 0; run < DRAWS; run++) below += random_draw(&law, 7, run, 3) < point;
  return (double)below / DRAWS;
}

static void tails(void **state) {
  (void)state;
  const double points[] = {-3, -1, 0, 0.5, 2};
  for (int i = 0; i < 5; i++) {
    const double p = 0.5 * erfc(-points[i] / sqrt(2));
    const double error = 5 * sqrt(p * (1 - p) / DRAWS);
    assert_true(fabs(part_below("normal(0,1)", points[i]) - p) < error);
    assert_true(fabs(part_below("lognormal(0,1)", exp(points[i])) - p) < error);
  }
  assert_true(fabs(part_below("uniform(0,4)", 1) - 0.25) < 5 * sqrt(0.1875 / DRAWS));
  assert_true(part_below("uniform(2,4)", 2) == 0 && part_below("uniform(2,4)", 4) == 1);
}

/* neighbouring runs, variables and seeds have nothing to do with each other */
static void independence(void **state) {
  (void)state;
  const random_law law = law_of("normal(0,1)");
  double runs = 0, variables = 0, seeds = 0;
  for (uint64_t run = 0; run < DRAWS; run++) {
    const double x = random_draw(&law, 5, run, 0);
    runs += x * random_draw(&law, 5, run + 1, 0);
    variables += x * random_draw(&law, 5, run, 1);
    seeds += x * random_draw(&law, 6, run, 0);
  }
  const double allowed = 5 * sqrt((double)DRAWS);
  assert_true(fabs(runs) < allowed && fabs(variables) < allowed && fabs(seeds) < allowed);
  /* all 64 bits of seed and run count */
  const double x = random_draw(&law, 5, 9, 0);
  assert_true(x != random_draw(&law, 5 + (1ull << 40), 9, 0));
  assert_true(x != random_draw(&law, 5, 9 + (1ull << 40), 0));
  assert_true(x == random_draw(&law, 5, 9, 0));
}

static void messages(void **state) {
  (void)state;
  const struct {
    const char *text, *word;
  } wrong[] = {{"normal(1,-2)", "greater than 0"},
               {"normal(1,0)", "greater than 0"},
               {"lognormal(1,0)", "greater than 0"},
               {"uniform(2,2)", "less than the second"},
               {"uniform(3,2)", "less than"},
               {"norml(1,2)", "did you mean 'normal'"},
               {"beta(1,2)", "known are normal"},
               {"normal(1)", "normal(mean,sd)"},
               {"normal(1,2", "normal(mean,sd)"},
               {"normal(1,2) ", "normal(mean,sd)"},
               {"normal", "normal(mean,sd)"},
               {"uniform(1,nan)", "uniform(a,b)"},
               {"uniform(,2)", "uniform(a,b)"},
               {"uniform(0,1e999)", "uniform(a,b)"},
               {"", "known are"}};
  for (int i = 0; i < (int)(sizeof wrong / sizeof wrong[0]); i++) {
    random_law law;
    char why[200] = "";
    assert_false(random_read(wrong[i].text, &law, sizeof why, why));
    if (!strstr(why, wrong[i].word)) fail_msg("'%s': %s", wrong[i].text, why);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(philox_known_answers),
                                     cmocka_unit_test(moments_of_laws), cmocka_unit_test(tails),
                                     cmocka_unit_test(independence), cmocka_unit_test(messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
