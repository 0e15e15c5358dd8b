/* SPDX-License-Identifier: MIT */
/* Options: every key from its text form and back, ranges, messages, directly assigned fields. */
#include <stdlib.h>

#include "support.h"

/* what the option list says, one row per key, to be compared with what the library does */
typedef enum { NAME, REAL, INT, WORD } kind;
typedef struct {
  kind kind;
  const char *key;
  double least, largest;
  const char *words;
  size_t at;
} row;

#define ROW_NAME(field, def, key, help) {NAME, key, 0, 0, NULL, offsetof(ga_options, field)},
#define ROW_TEXT(field, def, argument, key, help) ROW_NAME(field, def, key, help)
#define ROW_REAL(field, def, least, largest, key, help) \
  {REAL, key, least, largest, NULL, offsetof(ga_options, field)},
#define ROW_INT(field, def, least, largest, key, help) \
  {INT, key, least, largest, NULL, offsetof(ga_options, field)},
#define ROW_WORD(field, type, def, words, key, help) \
  {WORD, key, 0, 0, words, offsetof(ga_options, field)},
static const row rows[] = {GA_OPTION_LIST(ROW_NAME, ROW_TEXT, ROW_REAL, ROW_INT, ROW_WORD)};
enum { ROWS = sizeof rows / sizeof *rows };

static const void *field_of(const ga_options *o, const row *r) {
  return (const char *)o + r->at;
}

static bool same_value(const ga_options *a, const ga_options *b, const row *r) {
  const void *x = field_of(a, r), *y = field_of(b, r);
  if (r->kind == NAME) return strcmp(*(const char *const *)x, *(const char *const *)y) == 0;
  return memcmp(x, y, r->kind == REAL ? sizeof(double) : sizeof(int)) == 0;
}

/* the value of a number or word */
static double value_of(const ga_options *o, const row *r) {
  const void *field = field_of(o, r);
  return r->kind == REAL ? *(const double *)field : *(const int *)field;
}

static void assert_same(const ga_options *a, const ga_options *b) {
  assert_memory_equal(&a->par, &b->par, sizeof a->par);
  for (int i = 0; i < ROWS; i++) assert_true(same_value(a, b, &rows[i]));
}

/* the text is refused with both words in the message, and nothing has changed */
static void refuse(const char *key, const char *text, const char *word, const char *second) {
  ga_options o = ga_options_default();
  const ga_options before = o;
  ga_error err = {0};
  assert_refused(ga_options_set(&o, key, text, &err), &err, GA_ERR_ARG, word, second);
  assert_same(&o, &before);
  assert_int_equal(ga_options_set(&o, key, text, NULL), GA_ERR_ARG);
}

static ga_options accept(const char *key, const char *text) {
  ga_options o = ga_options_default();
  ga_error err = {0};
  must(ga_options_set(&o, key, text, &err), &err);
  must(ga_options_validate(&o, &err), &err);
  return o;
}

static void test_defaults(void **state) {
  (void)state;
  ga_options o = ga_options_default();
  ga_error err = {0};
  const ga_params rho9 = ga_params_rho(0.9);
  assert_memory_equal(&o.par, &rho9, sizeof rho9);
  assert_string_equal(o.method, "stab2");
  assert_string_equal(o.variant, "");
  assert_string_equal(o.linsol, "auto");
  assert_int_equal(o.start, GA_START_BEST);
  assert_int_equal(o.mass_at, GA_MASS_EVALUATED);
  assert_int_equal(o.rescale, GA_RESCALE_ALL);
  assert_int_equal(o.initial, GA_INITIAL_CHECK);
  assert_true(o.h == 1e-3 && o.newton_tol == 0 && o.initial_tol == 1e-9);
  assert_int_equal(o.newton_max, 20);
  assert_int_equal(o.matrix_every, 0);
  assert_true(!o.linsol_ops && !o.linsol_context && !o.log && !o.log_context);
  must(ga_options_validate(&o, &err), &err);
}

/* default_text of each key, set over other values, gives the default */
static void test_default_texts(void **state) {
  (void)state;
  const ga_options def = ga_options_default();
  ga_error err = {0};
  int keys = 0;
  for (int i = 0; ga_option_at(i); i++, keys++) {
    const ga_option_info *info = ga_option_at(i);
    assert_true(strlen(info->key) > 0 && strlen(info->argument) > 0 && strlen(info->help) > 0);
    for (int j = 0; j < i; j++) assert_string_not_equal(info->key, ga_option_at(j)->key);
    /* of words the first is the default; alpha and params have none, rho stands for them */
    char first[32] = "";
    sscanf(info->argument, "%31[^|]", first);
    bool words = strchr(info->argument, '|') != NULL;
    const char *text = words ? first : info->default_text;
    if (!text) {
      assert_true(strcmp(info->key, "alpha") == 0 || strcmp(info->key, "params") == 0);
      continue;
    }
    ga_options o = {.par = ga_params_rho(0.2),
                    .method = "x",
                    .variant = "x",
                    .linsol = "x",
                    .h = 7,
                    .h_seq = "x",
                    .rtol = 0.7,
                    .atol = 7,
                    .accuracy = 0.7,
                    .accuracy_of = GA_ACCURACY_OF_QV_LAM,
                    .accuracy_steps = 7,
                    .h_min = 7,
                    .h_max = 7,
                    .cut_at_corners = GA_CUT_YES,
                    .contact = GA_CONTACT_STEP,
                    .rest_time = 7,
                    .start = GA_START_PLAIN,
                    .mass_at = GA_MASS_PREVIOUS,
                    .rescale = GA_RESCALE_NONE,
                    .initial = GA_INITIAL_PROJECT,
                    .initial_tol = 0.7,
                    .redundant = GA_REDUNDANT_ALLOW,
                    .newton_tol = 7e-3,
                    .newton_max = 7,
                    .matrix_every = 7,
                    .project_every = 7};
    o.par.b = 7;
    must(ga_options_set(&o, info->key, text, &err), &err);
    int same = 0;
    for (int r = 0; r < ROWS; r++) {
      bool equal = same_value(&o, &def, &rows[r]);
      if (strcmp(rows[r].key, info->key) == 0) assert_true(equal);
      same += equal;
    }
    same += o.par.b == def.par.b;
    same += o.par.beta == def.par.beta && o.par.gamma == def.par.gamma;
    assert_int_equal(same, 1);
  }
  assert_int_equal(keys, ROWS + 4);
  assert_null(ga_option_at(-1));
  assert_null(ga_option_at(keys + 10));
}

static void test_reals(void **state) {
  (void)state;
  static const char *const bad[] = {"1x",   "",      " ",   "x",   "nan", "NaN", "inf",
                                    "-inf", "1e999", "1,5", "--1", "1 2", "0.5e"};
  for (int i = 0; i < ROWS; i++) {
    const row *r = &rows[i];
    if (r->kind != REAL) continue;
    char text[64], least[64], largest[64];
    snprintf(least, sizeof least, "than %g", r->least);
    snprintf(largest, sizeof largest, "at most %g", r->largest);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
      if (isinf(r->largest) && isinf(strtod(bad[k], NULL)) && bad[k][0] != '-') continue;
      refuse(r->key, bad[k], r->key, least);
      refuse(r->key, bad[k], bad[k], largest);
    }
    /* least is excluded, largest is not; 0 is allowed where it is the default */
    const ga_options def = ga_options_default();
    bool zero = value_of(&def, r) == 0;
    if (zero) {
      ga_options o = accept(r->key, "0");
      assert_true(value_of(&o, r) == 0);
    }
    const double outside[] = {zero && r->least == 0 ? -1e-300 : r->least, -1, -INFINITY,
                              r->largest * 1.000001};
    for (int k = 0; k < (isinf(r->largest) ? 3 : 4); k++) {
      snprintf(text, sizeof text, "%.17g", outside[k]);
      refuse(r->key, text, r->key, least);
      refuse(r->key, text, r->key, largest);
    }
    const double inside[] = {r->least > 0 ? 1.01 * r->least : 1e-200, 0.37 * r->largest,
                             r->largest};
    for (int k = 0; k < 3; k++) {
      snprintf(text, sizeof text, "%.17g", inside[k]);
      ga_options o = accept(r->key, text);
      assert_true(value_of(&o, r) == inside[k]);
    }
  }
  ga_options o = accept("h", "2.5e-3");
  assert_true(o.h == 2.5e-3);
}

static void test_ints(void **state) {
  (void)state;
  static const char *const bad[] = {"1x", "", " ", "1.0", "1e3", "nan", "99999999999999999999999"};
  for (int i = 0; i < ROWS; i++) {
    const row *r = &rows[i];
    if (r->kind != INT) continue;
    char text[64], range[64];
    snprintf(range, sizeof range, "%.0f to %.0f", r->least, r->largest);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) refuse(r->key, bad[k], r->key, range);
    const double outside[] = {r->least - 1, r->largest + 1, -2147483649.0, 4294967296.0 + r->least};
    for (int k = 0; k < 4; k++) {
      snprintf(text, sizeof text, "%.0f", outside[k]);
      refuse(r->key, text, r->key, range);
      refuse(r->key, text, r->key, text);
    }
    const double inside[] = {r->least, r->least + 5, r->largest};
    for (int k = 0; k < 3; k++) {
      snprintf(text, sizeof text, "%.0f", inside[k]);
      ga_options o = accept(r->key, text);
      assert_true(value_of(&o, r) == inside[k]);
    }
  }
}

static void test_sequences(void **state) {
  (void)state;
  static const char *const bad[] = {"",      ",",    "1,",   ",1",    "1,,2", "1/0",
                                    "0",     "-1/3", "1/-3", "1/3/4", "1001", "nan",
                                    "inf/2", "a",    "1;2",  "1/x",   "1 2"};
  static const struct {
    const char *text;
    int n;
    double fraction[4];
  } good[] = {{"1", 1, {1}},
              {"1/3,2/3", 2, {1.0 / 3, 2.0 / 3}},
              {"0.5,1,1.5,2", 4, {0.5, 1, 1.5, 2}},
              {"1e-3/2", 1, {0.5e-3}}};
  ga_error err = {0};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    refuse("h-seq", bad[i], "fractions", "1/3,2/3");
    assert_int_equal(ga_options_sequence(bad[i], NULL, 0, &err), -1);
  }
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    double fraction[4] = {0};
    assert_string_equal(accept("h-seq", good[i].text).h_seq, good[i].text);
    assert_int_equal(ga_options_sequence(good[i].text, fraction, 4, &err), good[i].n);
    assert_memory_equal(fraction, good[i].fraction, (size_t)good[i].n * sizeof(double));
  }
  ga_options o = ga_options_default();
  o.h_seq = NULL;
  assert_refused(ga_options_validate(&o, &err), &err, GA_ERR_ARG, "h-seq", NULL);
  o.h_seq = "1,0";
  assert_refused(ga_options_validate(&o, &err), &err, GA_ERR_ARG, "h-seq", "1,0");
  o.h_seq = "1";
  o.h_min = 2;
  o.h_max = 1;
  assert_refused(ga_options_validate(&o, &err), &err, GA_ERR_ARG, "h-min", "h-max");
}

static void test_words(void **state) {
  (void)state;
  static const char *const bad[] = {"", "bes", "bestt", "best|plain", "|", "Best", "1"};
  for (int i = 0; i < ROWS; i++) {
    const row *r = &rows[i];
    if (r->kind != WORD) continue;
    char list[128];
    snprintf(list, sizeof list, "%s", r->words);
    int index = 0;
    for (char *word = strtok(list, "|"); word; word = strtok(NULL, "|"), index++) {
      ga_options o = accept(r->key, word);
      assert_true(value_of(&o, r) == index);
    }
    assert_true(index >= 2);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) refuse(r->key, bad[k], r->key, r->words);
  }
  assert_int_equal(accept("start", "best").start, GA_START_BEST);
  assert_int_equal(accept("start", "plain").start, GA_START_PLAIN);
  assert_int_equal(accept("start", "shifted").start, GA_START_SHIFTED);
  assert_int_equal(accept("start", "perturbed").start, GA_START_PERTURBED);
  assert_int_equal(accept("initial", "project").initial, GA_INITIAL_PROJECT);
}

static void test_keys(void **state) {
  (void)state;
  refuse("newton_tol", "1e-9", "unknown option 'newton_tol'", "did you mean 'newton-tol'?");
  refuse("metod", "stab2", "unknown option 'metod'", "did you mean 'method'?");
  refuse("new", "1", "unknown option 'new'", "did you mean 'newton-");
  refuse("quaternions", "1", "unknown option 'quaternions'", NULL);
  ga_error err = {0};
  ga_options o = ga_options_default();
  ga_options_set(&o, "quaternions", "1", &err);
  assert_null(strstr(err.text, "did you mean"));
  /* what is allowed stays readable behind any text */
  static char longer[1000];
  memset(longer, '9', sizeof longer - 1);
  refuse("h", longer, "h = '999", "at most");
  refuse("newton-max", longer, "newton-max = '999", "1 to 1000");
  refuse("start", longer, "start = '999", "best|plain|shifted|perturbed");
  refuse("rho", longer, "rho = '999", "0 <= rho <= 1");
  refuse("params", longer, "params = '999", "alpha_m,alpha_f,beta,gamma");
  refuse(longer, "1", "unknown option '999", NULL);
  memset(longer, 'z', sizeof longer - 1);
  refuse("params", longer, "params = 'zzz", "newmark, trapezoidal, hht, chung-hulbert");
  /* names are borrowed and looked up when an integrator is made */
  const char *name = "no such thing";
  assert_ptr_equal(accept("method", name).method, name);
  assert_ptr_equal(accept("linsol", name).linsol, name);
}

/* the parameters: rho, alpha, b and a list or a name */
static void test_params(void **state) {
  (void)state;
  static const char *const bad[] = {"1x", "", "nan", "inf", "one"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    refuse("rho", bad[k], "rho", "0 <= rho <= 1");
    refuse("alpha", bad[k], "alpha", "-1/3 <= alpha <= 0");
    refuse("b", bad[k], "b = ", "number");
    refuse("params", bad[k], "params = ", "alpha_m,alpha_f,beta,gamma");
  }
  refuse("rho", "-1e-9", "rho", "0 <= rho <= 1");
  refuse("rho", "1.000001", "1.000001", "0 <= rho <= 1");
  refuse("alpha", "0.001", "alpha", "-1/3 <= alpha <= 0");
  refuse("alpha", "-0.3334", "-0.3334", "-1/3 <= alpha <= 0");
  static const char *const lists[] = {"0,0,0.25",      "0,0,0.25,0.5,1", "0,0,,0.5",
                                      "0,0,0.25,0.5,", "0,0,0.25,inf",   "0 0 0.25 0.5",
                                      "nan,0,1,1",     "0,x,1,1"};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    refuse("params", lists[k], lists[k], "alpha_m,alpha_f,beta,gamma");
  }
  ga_params p = accept("rho", "0.3").par, expected = ga_params_rho(0.3);
  assert_memory_equal(&p, &expected, sizeof p);
  p = accept("rho", "0").par, expected = ga_params_rho(0);
  assert_memory_equal(&p, &expected, sizeof p);
  p = accept("rho", "1").par, expected = ga_params_rho(1);
  assert_memory_equal(&p, &expected, sizeof p);
  p = accept("alpha", "-0.2").par, expected = ga_params_hht(-0.2, 0);
  assert_memory_equal(&p, &expected, sizeof p);
  p = accept("params", "0.1,0.2,0.3,0.4").par, expected = (ga_params){0.1, 0.2, 0.3, 0.4, 0};
  assert_memory_equal(&p, &expected, sizeof p);
  for (int i = 0; ga_params_name(i); i++) {
    p = accept("params", ga_params_name(i)).par;
    ga_params_named(ga_params_name(i), &expected, NULL);
    assert_memory_equal(&p, &expected, sizeof p);
  }
}

/* b is an option of its own: no other key changes it, and it changes nothing else */
static void test_b_stays(void **state) {
  (void)state;
  static const char *const sets[][2] = {
      {"rho", "0.4"}, {"alpha", "-0.1"},          {"params", "hht"},
      {"rho", "0.9"}, {"params", "0,0,0.25,0.5"}, {"params", "no"},
      {"rho", "2"}};
  ga_options o = ga_options_default();
  ga_error err = {0};
  must(ga_options_set(&o, "b", "-0.75", &err), &err);
  assert_true(o.par.b == -0.75 && o.par.beta == ga_params_rho(0.9).beta);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    ga_options_set(&o, sets[i][0], sets[i][1], &err);
    assert_true(o.par.b == -0.75);
  }
  assert_true(o.par.alpha_m == 0 && o.par.alpha_f == 0 && o.par.beta == 0.25 && o.par.gamma == 0.5);
}

/* fields assigned directly are checked as if they had come from text */
static void test_validate(void **state) {
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    const row *r = &rows[i];
    const ga_options def = ga_options_default();
    bool zero = r->kind == REAL && value_of(&def, r) == 0;
    const double reals[] = {zero ? -1e-300 : r->least, -1, r->largest * 1.01, NAN, INFINITY};
    for (int k = 0; k < 5; k++) {
      if (r->kind == REAL && isinf(r->largest) && isinf(reals[k])) continue;
      ga_options o = ga_options_default();
      ga_error err = {0};
      char *field = (char *)&o + r->at;
      if (r->kind == REAL) {
        memcpy(field, &reals[k], sizeof *reals);
      } else if (r->kind == NAME) {
        const char *none = NULL;
        memcpy(field, &none, sizeof none);
      } else {
        int low = (int)r->least - 1 - k, high = (r->kind == INT ? (int)r->largest + 1 : 4) + k;
        memcpy(field, k % 2 ? &high : &low, sizeof low);
      }
      assert_refused(ga_options_validate(&o, &err), &err, GA_ERR_ARG, r->key, NULL);
      assert_int_equal(ga_options_validate(&o, NULL), GA_ERR_ARG);
    }
  }
  for (int i = 0; i < 5; i++) {
    ga_options o = ga_options_default();
    ga_error err = {0};
    double *all[] = {&o.par.alpha_m, &o.par.alpha_f, &o.par.beta, &o.par.gamma, &o.par.b};
    *all[i] = i % 2 ? NAN : -INFINITY;
    assert_refused(ga_options_validate(&o, &err), &err, GA_ERR_ARG, "params", "finite");
  }
}

static void note_warning(void *context, ga_log_level level, const char *text) {
  assert_int_equal(level, GA_LOG_WARNING);
  snprintf(context, 256, "%s", text);
}

/* options of earlier versions, with any value: a sentence, and nothing changes */
static void test_removed(void **state) {
  (void)state;
  static const char *const values[] = {"split", "full", "auto", "7", ""};
  static const char sentence[] =
      "option 'system' is gone: systems are always solved as a whole; it is ignored";
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char logged[256] = "";
    ga_options o = ga_options_default();
    const ga_options before = o;
    ga_error err = {0};
    must(ga_options_set(&o, "system", values[i], &err), &err);
    assert_string_equal(err.text, sentence);
    assert_same(&o, &before);
    assert_int_equal(ga_options_set(&o, "system", values[i], NULL), GA_OK);
    o.log = note_warning, o.log_context = logged;
    must(ga_options_set(&o, "system", values[i], &err), &err);
    assert_string_equal(logged, sentence);
  }
  assert_string_equal(ga_option_removed("system"), sentence);
  assert_null(ga_option_removed("systems"));
  for (int i = 0; ga_option_at(i); i++) assert_null(ga_option_removed(ga_option_at(i)->key));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults), cmocka_unit_test(test_default_texts),
      cmocka_unit_test(test_reals),    cmocka_unit_test(test_ints),
      cmocka_unit_test(test_words),    cmocka_unit_test(test_sequences),
      cmocka_unit_test(test_keys),     cmocka_unit_test(test_params),
      cmocka_unit_test(test_b_stays),  cmocka_unit_test(test_validate),
      cmocka_unit_test(test_removed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
