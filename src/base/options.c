/* SPDX-License-Identifier: MIT */
/* The option list expanded four times: defaults, rows for help, checks, and setting from text. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "genalpha/ga_options.h"

typedef enum { KIND_NAME, KIND_TEXT, KIND_REAL, KIND_INT, KIND_WORD, KIND_PARAMS } kind;

/* One row per key: at = offset of the field in ga_options; least, largest = range of a number (a
 * real number must be greater than least, an int may be equal). */
typedef struct {
  ga_option_info info;
  kind kind;
  size_t at;
  double least, largest;
} row;

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define ROW_NAME(field, def, key, help) \
  {{key, "NAME", help, def}, KIND_NAME, offsetof(ga_options, field), 0, 0},
#define ROW_TEXT(field, def, argument, key, help) \
  {{key, argument, help, def}, KIND_TEXT, offsetof(ga_options, field), 0, 0},
#define ROW_REAL(field, def, least, largest, key, help) \
  {{key, "X", help, TEXT(def)}, KIND_REAL, offsetof(ga_options, field), least, largest},
#define ROW_INT(field, def, least, largest, key, help) \
  {{key, "N", help, TEXT(def)}, KIND_INT, offsetof(ga_options, field), least, largest},
#define ROW_WORD(field, type, def, words, key, help) \
  {{key, words, help, NULL}, KIND_WORD, offsetof(ga_options, field), 0, 0},

/* the keys of the parameters come first; they have no fields of their own */
static const row rows[] = {
    {{"rho", "R", "spectral radius at infinity, 0 <= R <= 1 (Chung-Hulbert)", "0.9"},
     KIND_PARAMS,
     0,
     0,
     0},
    {{"alpha", "A", "HHT parameter, -1/3 <= A <= 0, instead of --rho", NULL}, KIND_PARAMS, 0, 0, 0},
    {{"b", "B", "weight b of the extended HHT method", "0"}, KIND_PARAMS, 0, 0, 0},
    {{"params", "AM,AF,BETA,GAMMA",
      "the four parameters one by one, or a name: newmark, trapezoidal, hht, chung-hulbert", NULL},
     KIND_PARAMS,
     0,
     0,
     0},
    GA_OPTION_LIST(ROW_NAME, ROW_TEXT, ROW_REAL, ROW_INT, ROW_WORD)};

enum { ROWS = (int)(sizeof rows / sizeof rows[0]) };

/* options of earlier versions; their values are not checked */
static const struct {
  const char *key, *sentence;
} removed[] = {
    {"system", "option 'system' is gone: systems are always solved as a whole; it is ignored"},
};

/* description of the i-th option for help texts, NULL past the end */
const ga_option_info *ga_option_at(int i) {
  return i >= 0 && i < ROWS ? &rows[i].info : NULL;
}

/* sentence about an option of earlier versions that is ignored now; NULL: not such an option */
const char *ga_option_removed(const char *key) {
  for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++) {
    if (strcmp(removed[i].key, key) == 0) return removed[i].sentence;
  }
  return NULL;
}

#define DEF_NAME(field, def, key, help) .field = (def),
#define DEF_TEXT(field, def, argument, key, help) .field = (def),
#define DEF_REAL(field, def, least, largest, key, help) .field = (def),
#define DEF_INT(field, def, least, largest, key, help) .field = (def),
#define DEF_WORD(field, type, def, words, key, help) .field = (def),

/* all options with their defaults from GA_OPTION_LIST */
ga_options ga_options_default(void) {
  return (ga_options){.par = ga_params_rho(0.9),
                      GA_OPTION_LIST(DEF_NAME, DEF_TEXT, DEF_REAL, DEF_INT, DEF_WORD)};
}

/* key of option i, NULL past the end; for ga_nearest_word */
static const char *key_of_row(int i) {
  return i < ROWS ? rows[i].info.key : NULL;
}

/* the row of an option's key, NULL if there is none */
static const row *find_row(const char *key) {
  for (int i = 0; i < ROWS; i++) {
    if (strcmp(rows[i].info.key, key) == 0) return &rows[i];
  }
  return NULL;
}

/* in messages: enough of a text to recognise it, short enough to leave room for what is allowed */
#define QUOTED "'%.80s'"

/* *value = the number in text, finite or, in an option without a largest value, infinite; false if
 * there is none or anything follows it */
static bool parse_number(const char *text, bool infinite, double *value) {
  char *end;
  errno = 0;
  *value = strtod(text, &end);
  return end != text && *end == '\0' && (isfinite(*value) || (infinite && isinf(*value)));
}

/* the same for finite numbers */
static bool parse_real(const char *text, double *value) {
  return parse_number(text, false, value);
}

/* An option whose default is 0 may be 0 ("not used") although this is outside its range. */
static bool zero_allowed(const row *r) {
  return strcmp(r->info.default_text, "0") == 0;
}

/* GA_ERR_ARG unless least < value <= largest, or value is an allowed 0 */
static ga_status check_real(const row *r, double value, ga_error *err) {
  if (value > r->least && value <= r->largest) return GA_OK;
  if (value == 0 && zero_allowed(r)) return GA_OK;
  return ga_fail(err, GA_ERR_ARG,
                 "%s = %g is out of range: it must be greater than %g, at most %g%s", r->info.key,
                 value, r->least, r->largest, zero_allowed(r) ? ", or 0" : "");
}

/* GA_ERR_ARG unless least <= value <= largest */
static ga_status check_int(const row *r, long value, ga_error *err) {
  if ((double)value >= r->least && (double)value <= r->largest) return GA_OK;
  return ga_fail(err, GA_ERR_ARG, "%s = %ld is out of range: it must be %.0f to %.0f", r->info.key,
                 value, r->least, r->largest);
}

/* position of a word in "one|two|three", -1 if it is not there */
static int word_index(const char *words, const char *text) {
  size_t n = strlen(text);
  int index = 0;
  for (const char *at = words; *at; index++) {
    size_t len = strcspn(at, "|");
    if (len == n && strncmp(at, text, n) == 0) return index;
    at += len + (at[len] == '|');
  }
  return -1;
}

/* number of words in "one|two|three" */
static int word_count(const char *words) {
  int count = 1;
  for (const char *at = words; *at; at++) count += *at == '|';
  return count;
}

/* Sets par to the parameters of a named method; par->b is an option of its own and stays.
 * GA_ERR_ARG for an unknown name. */
static ga_status set_params_name(ga_params *par, const char *name, ga_error *err) {
  double b = par->b;
  ga_status status = ga_params_named(name, par, err);
  par->b = b;
  return status;
}

/* sets par from "am,af,beta,gamma" or from the name of a method; b stays; GA_ERR_ARG if the text is
 * wrong */
static ga_status set_params_list(ga_params *par, const char *text, ga_error *err) {
  double value[4];
  const char *at = text;
  for (int i = 0; i < 4; i++) {
    char *end;
    value[i] = strtod(at, &end);
    bool last = i == 3;
    if (end == at || !isfinite(value[i]) || *end != (last ? '\0' : ',')) {
      if (i == 0 && end == at) return set_params_name(par, text, err);
      return ga_fail(err, GA_ERR_ARG,
                     "params = " QUOTED ": four numbers alpha_m,alpha_f,beta,gamma are needed",
                     text);
    }
    at = end + 1;
  }
  *par = (ga_params){value[0], value[1], value[2], value[3], par->b};
  return GA_OK;
}

/* Sets the parameters from one of the keys rho, alpha, b, params; par is unchanged if the text is
 * wrong. */
static ga_status set_params(ga_params *par, const char *key, const char *text, ga_error *err) {
  if (strcmp(key, "params") == 0) return set_params_list(par, text, err);
  double value;
  bool number = parse_real(text, &value);
  if (strcmp(key, "rho") == 0) {
    if (!number || !(value >= 0 && value <= 1)) {
      return ga_fail(err, GA_ERR_ARG, "rho = " QUOTED " is not a number with 0 <= rho <= 1", text);
    }
    double b = par->b;
    *par = ga_params_rho(value);
    par->b = b;
  } else if (strcmp(key, "alpha") == 0) {
    if (!number || !(value >= -1.0 / 3 && value <= 0)) {
      return ga_fail(err, GA_ERR_ARG, "alpha = " QUOTED " is not a number with -1/3 <= alpha <= 0",
                     text);
    }
    *par = ga_params_hht(value, par->b);
  } else {
    if (!number) return ga_fail(err, GA_ERR_ARG, "b = " QUOTED " is not a finite number", text);
    par->b = value;
  }
  return GA_OK;
}

/* Value of "a" or "a/b", greater than 0 and at most 1000; 0 if it is not. *end: the text behind. */
static double parse_fraction(const char *text, char **end) {
  double value = strtod(text, end);
  if (*end == text) return 0;
  if (**end == '/') {
    const char *below = *end + 1;
    value /= strtod(below, end);
    if (*end == below) return 0;
  }
  return value > 0 && value <= 1000 ? value : 0;
}

/* Number of fractions in text, such as "1/3,2/3"; the first `room` go to fraction (NULL if room is
 * 0). -1 and a message if the text is wrong. */
int ga_options_sequence(const char *text, double *fraction, int room, ga_error *err) {
  int count = 0;
  const char *at = text ? text : "";
  for (;; at++) {
    char *end = NULL;
    double value = parse_fraction(at, &end);
    if (value == 0 || (*end != ',' && *end != '\0')) break;
    if (count < room) fraction[count] = value;
    count++;
    at = end;
    if (*at == '\0') return count;
  }
  ga_fail(err, GA_ERR_ARG,
          "h-seq = " QUOTED
          ": fractions of h separated by commas are needed, each greater than 0 and at most 1000, "
          "such as 1/3,2/3",
          text ? text : "");
  return -1;
}

/* Sets the option `key` from text after a check; on failure it keeps its value. Texts are not
 * copied and must live as long as the options. A removed option gives GA_OK and a warning (log, and
 * the text of err); an unknown key GA_ERR_ARG with the nearest one that exists. */
ga_status ga_options_set(ga_options *options, const char *key, const char *text, ga_error *err) {
  const row *r = find_row(key);
  const char *ignored = r ? NULL : ga_option_removed(key);
  if (ignored) {
    if (options->log) options->log(options->log_context, GA_LOG_WARNING, ignored);
    return ga_fail(err, GA_OK, "%s", ignored);
  }
  if (!r) {
    const char *near = ga_nearest_word(key, key_of_row);
    return ga_fail(err, GA_ERR_ARG, "unknown option " QUOTED "%s%s%s", key,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  char *field = (char *)options + r->at;
  switch (r->kind) {
    case KIND_PARAMS:
      return set_params(&options->par, key, text, err);
    case KIND_TEXT:
      if (ga_options_sequence(text, NULL, 0, err) < 0) return GA_ERR_ARG;
      memcpy(field, &text, sizeof text);
      return GA_OK;
    case KIND_NAME:
      memcpy(field, &text, sizeof text);
      if (strcmp(key, "method") == 0)
        options->method_chosen = strcmp(text, r->info.default_text) != 0;
      return GA_OK;
    case KIND_REAL: {
      double value;
      if (!parse_number(text, isinf(r->largest), &value)) {
        return ga_fail(err, GA_ERR_ARG,
                       "%s = " QUOTED " is not a number greater than %g, at most %g%s", key, text,
                       r->least, r->largest, zero_allowed(r) ? ", or 0" : "");
      }
      ga_status status = check_real(r, value, err);
      if (status == GA_OK) memcpy(field, &value, sizeof value);
      return status;
    }
    case KIND_INT: {
      char *end;
      errno = 0;
      long value = strtol(text, &end, 10);
      if (end == text || *end || errno) {
        return ga_fail(err, GA_ERR_ARG, "%s = " QUOTED " is not a whole number from %.0f to %.0f",
                       key, text, r->least, r->largest);
      }
      ga_status status = check_int(r, value, err);
      int small = (int)value;
      if (status == GA_OK) memcpy(field, &small, sizeof small);
      return status;
    }
    case KIND_WORD: {
      int index = word_index(r->info.argument, text);
      if (index < 0) {
        return ga_fail(err, GA_ERR_ARG, "%s = " QUOTED " is not known; allowed: %s", key, text,
                       r->info.argument);
      }
      memcpy(field, &index, sizeof index);
      return GA_OK;
    }
  }
  return GA_ERR_ARG;
}

/* GA_ERR_ARG with a sentence if one field has a value that is not allowed. Checked again, because
 * programs may assign fields directly. */
static ga_status validate_row(const ga_options *options, const row *r, ga_error *err) {
  const char *field = (const char *)options + r->at;
  switch (r->kind) {
    case KIND_PARAMS:
      return GA_OK;
    case KIND_TEXT:
    case KIND_NAME: {
      const char *name;
      memcpy(&name, field, sizeof name);
      return name ? GA_OK : ga_fail(err, GA_ERR_ARG, "%s is NULL", r->info.key);
    }
    case KIND_REAL: {
      double value;
      memcpy(&value, field, sizeof value);
      return check_real(r, value, err);
    }
    case KIND_INT: {
      int value;
      memcpy(&value, field, sizeof value);
      return check_int(r, value, err);
    }
    case KIND_WORD: {
      int value;
      memcpy(&value, field, sizeof value);
      if (value >= 0 && value < word_count(r->info.argument)) return GA_OK;
      return ga_fail(err, GA_ERR_ARG, "%s = %d is not one of %s", r->info.key, value,
                     r->info.argument);
    }
  }
  return GA_ERR_ARG;
}

/* GA_ERR_ARG with a sentence if an option has a value that is not allowed, or if two contradict
 * each other. */
ga_status ga_options_validate(const ga_options *options, ga_error *err) {
  const ga_params *p = &options->par;
  const double all[] = {p->alpha_m, p->alpha_f, p->beta, p->gamma, p->b};
  if (ga_first_nonfinite(5, all) >= 0) {
    return ga_fail(err, GA_ERR_ARG,
                   "params: alpha_m = %g, alpha_f = %g, beta = %g, gamma = %g, b = %g must be "
                   "finite",
                   p->alpha_m, p->alpha_f, p->beta, p->gamma, p->b);
  }
  for (int i = 0; i < ROWS; i++) {
    ga_status status = validate_row(options, &rows[i], err);
    if (status != GA_OK) return status;
  }
  if (ga_options_sequence(options->h_seq, NULL, 0, err) < 0) return GA_ERR_ARG;
  if (options->h_max > 0 && options->h_min > options->h_max) {
    return ga_fail(err, GA_ERR_ARG, "h-min = %g is greater than h-max = %g", options->h_min,
                   options->h_max);
  }
  return GA_OK;
}
