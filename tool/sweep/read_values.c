/* SPDX-License-Identifier: MIT */
/* Reads what --vary and --random say: NAME=1,2,3, NAME=0:1:11, NAME=normal(0,1). */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan.h"

/* Reports what is wrong with the text of an option; always false. */
static bool report_wrong(const arg_spec *spec, const char *text, const char *why) {
  tool_error("--%s '%s': %s", spec->key, text, why);
  return false;
}

/* Appends a variable with the name before "=" to the plan and counts it; *values points behind
 * the "=". The variable borrows text. NULL after a message. */
static sweep_variable *add_variable(const arg_spec *spec, const char *text, sweep_plan *p,
                                    const char **values) {
  const char *equals = strchr(text, '=');
  const size_t length = equals ? (size_t)(equals - text) : 0;
  if (length == 0 || !equals[1]) {
    char why[128];
    snprintf(why, sizeof why, "write %s", spec->argument);
    report_wrong(spec, text, why);
    return NULL;
  }
  if (p->count == SWEEP_VARIABLES || length >= NAME_MAX_LENGTH) {
    report_wrong(spec, text,
                 length >= NAME_MAX_LENGTH ? "the name is too long" : "too many variables");
    return NULL;
  }
  sweep_variable *v = &p->variable[p->count];
  *v = (sweep_variable){.text = text, .count = 1};
  memcpy(v->name, text, length);
  for (int i = 0; i < p->count; i++) {
    if (strcmp(p->variable[i].name, v->name) != 0) continue;
    report_wrong(spec, text, "this name is varied twice");
    return NULL;
  }
  p->count++;
  *values = equals + 1;
  return v;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* The end of the value at `at`: the next comma outside of parentheses, or the end of the text. */
static const char *value_end(const char *at) {
  for (int depth = 0; *at && (depth > 0 || *at != ','); at++) {
    depth += (*at == '(') - (*at == ')');
  }
  return at;
}

/* Is the whole text one finite number? */
static bool is_number(const char *text) {
  char *end;
  const double value = strtod(text, &end);
  return end != text && !*end && isfinite(value);
}

/* Reads "a,b,c" into v->word (new memory, freed by sweep_plan_close) and v->count; v->number is
 * set if all are numbers. spec and text are for messages. False after a message. */
static bool read_list(const arg_spec *spec, const char *text, const char *values,
                      sweep_variable *v) {
  long count = 1;
  for (const char *at = values; *(at = value_end(at)); at++) count++;
  v->word = calloc((size_t)count, sizeof *v->word);
  if (!v->word) return report_wrong(spec, text, "no memory");
  v->count = count;
  v->number = true;
  for (long i = 0; i < count; i++) {
    const char *end = value_end(values);
    if (end == values)
      return report_wrong(spec, text, "nothing between two commas, or after the last");
    v->word[i] = strndup(values, (size_t)(end - values));
    if (!v->word[i]) return report_wrong(spec, text, "no memory");
    v->number = v->number && is_number(v->word[i]);
    values = end + 1;
  }
  return true;
}

/* ---- ranges --------------------------------------------------------------------------------- */

/* Reads "0.5 mm:" at *at: the number and its unit (size bytes, may be empty); moves *at behind
 * the colon. False, with *at unchanged, if it is not of this form. */
static bool read_bound(const char **at, double *number, char *unit, size_t size) {
  char *end;
  *number = strtod(*at, &end);
  const size_t length = strcspn(end, ":");
  if (end == *at || !isfinite(*number) || end[length] != ':' || length >= size) return false;
  memcpy(unit, end, length);
  unit[length] = '\0';
  *at = end + length + 1;
  return true;
}

/* Reads "A:B:N" or "A:B:N:log" into v (from, to, unit, count, logarithmic, number); A and B may
 * have one unit, the same. False after a message. */
static bool read_range(const arg_spec *spec, const char *text, const char *values,
                       sweep_variable *v) {
  char unit[sizeof v->unit], *end;
  if (!read_bound(&values, &v->from, v->unit, sizeof v->unit) ||
      !read_bound(&values, &v->to, unit, sizeof unit)) {
    return report_wrong(spec, text, "a range is A:B:N or A:B:N:log, N values from A to B");
  }
  if (strcmp(unit, v->unit) != 0)
    return report_wrong(spec, text, "both ends must have the same unit");
  errno = 0;
  v->count = strtol(values, &end, 10);
  v->logarithmic = strcmp(end, ":log") == 0;
  v->number = !*v->unit;
  if (end == values || (*end && !v->logarithmic)) {
    return report_wrong(spec, text, "a range is A:B:N or A:B:N:log, N values from A to B");
  }
  if (errno || v->count < 2 || v->count > SWEEP_RUNS_MAX) {
    return report_wrong(spec, text, "a range has at least 2 values and at most 100000000");
  }
  if (v->from == v->to)
    return report_wrong(spec, text, "the range is empty: both ends are the same");
  if (v->logarithmic && !(v->from * v->to > 0)) {
    return report_wrong(spec, text, "logarithmic: both ends must be greater than 0, or both less");
  }
  return true;
}

/* ---- options -------------------------------------------------------------------------------- */

/* Reader of --vary: adds to the plan (field) a variable with a range, if there is a colon, or a
 * list of values. False after a message. */
bool sweep_read_vary(const arg_spec *spec, const char *text, void *field) {
  sweep_plan *p = field;
  const char *values = NULL;
  sweep_variable *v = add_variable(spec, text, p, &values);
  if (!v) return false;
  return strchr(values, ':') ? read_range(spec, text, values, v) : read_list(spec, text, values, v);
}

/* Reader of --random: adds to the plan (field) a random variable with its distribution. False
 * after a message. */
bool sweep_read_random(const arg_spec *spec, const char *text, void *field) {
  sweep_plan *p = field;
  const char *values = NULL;
  char why[200];
  sweep_variable *v = add_variable(spec, text, p, &values);
  if (!v) return false;
  v->number = true;
  return random_read(values, &v->law, sizeof why, why) ? true : report_wrong(spec, text, why);
}

/* Reader of --seed: a whole number of 64 bits without sign, into the plan (field), whose
 * `seeded` is set. False after a message. */
bool sweep_read_seed(const arg_spec *spec, const char *text, void *field) {
  char *end;
  errno = 0;
  const unsigned long long seed = strtoull(text, &end, 10);
  if (!isdigit((unsigned char)*text) || *end || errno) {
    return report_wrong(spec, text, "is not a whole number from 0 to 18446744073709551615");
  }
  sweep_plan *p = field;
  p->seed = seed;
  p->seeded = true;
  return true;
}
