/* SPDX-License-Identifier: MIT */
/* The runs of a sweep. Every combination of the values of --vary is a point; a point has one run,
 * or as many as --samples says. Run numbers go through the samples of a point first, then through
 * the values of the last --vary, and through those of the first one last. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args/run_settings.h"
#include "source/model_file.h"

/* Sets p->runs = samples (or 1) times the product of the numbers of values; checks --samples,
 * --random and --seed against each other. ARGS_GO_ON, or TOOL_USAGE after a message. */
int sweep_plan_count(sweep_plan *p) {
  int nrandom = 0;
  const char *missing = NULL;
  p->runs = p->samples > 0 ? p->samples : 1;
  for (int i = 0; i < p->count; i++) {
    if (p->variable[i].law.kind) nrandom++;
    if (p->runs > SWEEP_RUNS_MAX / p->variable[i].count) {
      tool_error("the sweep has more than %d runs", SWEEP_RUNS_MAX);
      return TOOL_USAGE;
    }
    p->runs *= p->variable[i].count;
  }
  if (p->count == 0) missing = "nothing is varied: --vary NAME=V1,V2,.. or NAME=A:B:N, --random";
  if (nrandom > 0 && p->samples == 0) missing = "--random needs --samples N, how many runs to draw";
  if (nrandom == 0 && p->samples > 0) {
    missing = "--samples needs --random NAME=LAW: without it all samples would be the same";
  }
  if (nrandom == 0 && p->seeded) missing = "--seed needs --random NAME=LAW, whose numbers it sets";
  if (!missing) return ARGS_GO_ON;
  tool_error("%s", missing);
  return TOOL_USAGE;
}

/* Frees the words of all variables; the plan has none then. */
void sweep_plan_close(sweep_plan *p) {
  for (int i = 0; i < p->count; i++) {
    sweep_variable *v = &p->variable[i];
    for (long k = 0; v->word && k < v->count; k++) free(v->word[k]);
    free(v->word);
  }
  p->count = 0;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Writes x with the fewest digits that read back as the same number, and the unit behind it. */
static void format_number(double x, const char *unit, sweep_value *to) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(to->text, sizeof to->text, "%.*g", digits, x);
    if (strtod(to->text, NULL) == x) break;
  }
  const size_t used = strlen(to->text);
  snprintf(to->text + used, sizeof to->text - used, "%s", unit);
}

/* Value k of a range, 0 <= k < count. Both ends are met exactly; a logarithmic range uses powers
 * of ten, so that whole decades are exact, too. */
static double range_value(const sweep_variable *v, long k) {
  const double fraction = (double)k / (double)(v->count - 1);
  if (k == 0) return v->from;
  if (k == v->count - 1) return v->to;
  if (!v->logarithmic) return v->from + (v->to - v->from) * fraction;
  const double first = log10(fabs(v->from)), last = log10(fabs(v->to));
  return copysign(pow(10, first + (last - first) * fraction), v->from);
}

/* The value of a variable (its index) in a run as a text: a word of its list, or a number
 * written to *room. Run numbers count samples fastest, then the last variable, the first one
 * slowest. sweep_plan_count comes first. */
const char *sweep_plan_value(const sweep_plan *p, int variable, long run, sweep_value *room) {
  const sweep_variable *v = &p->variable[variable];
  uint32_t among = 0; /* its number among the random ones */
  for (int i = 0; i < variable; i++) among += p->variable[i].law.kind != NULL;
  if (v->law.kind) {
    format_number(random_draw(&v->law, p->seed, (uint64_t)run, among), "", room);
    return room->text;
  }
  long point = p->samples > 0 ? run / p->samples : run;
  for (int i = p->count - 1; i > variable; i--) point /= p->variable[i].count;
  const long k = point % v->count;
  if (v->word) return v->word[k];
  format_number(range_value(v, k), v->unit, room);
  return room->text;
}

/* The same as a number; NaN if the text is not a plain number (a word, or a number with a unit). */
double sweep_plan_number(const sweep_plan *p, int variable, long run) {
  sweep_value room;
  char *end;
  const char *text = sweep_plan_value(p, variable, run, &room);
  const double value = strtod(text, &end);
  return end == text || *end ? NAN : value;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* May this option of `run` be varied? Not those that only say which rows are written or how many
 * threads work, nor --set, which is written NAME=.. here. */
static bool is_variable(const char *key) {
  static const char *const others[] = {"set", "every", "out-dt", "threads"};
  for (int i = 0; i < 4; i++) {
    if (strcmp(key, others[i]) == 0) return false;
  }
  return true;
}

/* Name i of all that can be varied, NULL past the end: parameters of the file (list, may be NULL),
 * options of `run`, options of the library. */
static const char *name_at(const void *list, int i) {
  const ga_file *file = list;
  const char *name;
  double value;
  for (int k = 0; file && file_number_at(file, k, &name, &value); k++) {
    if (i-- == 0) return name;
  }
  for (int k = 0; k < run_shared; k++) {
    if (is_variable(run_command.specs[k].key) && i-- == 0) return run_command.specs[k].key;
  }
  return ga_option_at(i) ? ga_option_at(i)->key : NULL;
}

/* Does the model file (NULL: none) have a parameter of this name? */
static bool is_parameter(const ga_file *file, const char *name) {
  const char *known;
  double value;
  for (int k = 0; file && file_number_at(file, k, &known, &value); k++) {
    if (strcmp(known, name) == 0) return true;
  }
  return false;
}

/* Is it one of the names of name_at? */
static bool is_known(const ga_file *file, const char *name) {
  for (int i = 0; name_at(file, i); i++) {
    if (strcmp(name_at(file, i), name) == 0) return true;
  }
  return false;
}

/* Reports an unknown name, with a similar one if there is one; always TOOL_USAGE. */
static int unknown_name(const sweep_plan *p, const ga_file *file, const char *name) {
  const char *near = ga_nearest_in(name, name_at, file);
  if (near) {
    tool_error("'%s': neither a parameter of '%s' nor an option of `run`; did you mean '%s'?", name,
               p->operand, near);
  } else if (file) {
    tool_error("'%s': neither a parameter of '%s' nor an option of `run`", name, p->operand);
  } else {
    tool_error("'%s': '%s' is no model file with parameters, and no option of `run` has this name",
               name, p->operand);
  }
  return TOOL_USAGE;
}

/* Is the variable also given for all runs, as --NAME VALUE or, for a parameter, --set
 * NAME=VALUE? */
static bool is_given(const sweep_plan *p, const sweep_variable *v) {
  const size_t length = strlen(v->name);
  for (int i = 0; i < p->ngiven; i++) {
    const arg_given *g = &p->given[i];
    const bool set = strcmp(g->key, "set") == 0;
    if (v->parameter ? set && strncmp(g->value, v->name, length) == 0 && g->value[length] == '='
                     : strcmp(g->key, v->name) == 0) {
      return true;
    }
  }
  return false;
}

/* Names of methods and solvers are known before any run. */
typedef struct known_names {
  const char *(*name)(int i); /* NULL: any text may be right */
} known_names;

/* Name i of a known_names, for tool_unknown. */
static const char *known_at(const void *list, int i) {
  const known_names *known = list;
  return known->name(i);
}

/* Checks one value of the option --key: parses `run heavy-top --key word` (any problem does) and
 * looks up names of methods and solvers. ARGS_GO_ON, or TOOL_USAGE after a message. */
static int check_word(const char *key, const char *word) {
  const known_names known = {strcmp(key, "method") == 0   ? ga_method_name
                             : strcmp(key, "linsol") == 0 ? ga_linsol_name
                                                          : NULL};
  char flag[NAME_MAX_LENGTH + 2], value[SWEEP_VALUE_MAX], run[] = "run", operand[] = "heavy-top";
  snprintf(flag, sizeof flag, "--%s", key);
  snprintf(value, sizeof value, "%s", word);
  char *argv[] = {run, operand, flag, value};
  run_settings set = RUN_SETTINGS_NONE;
  ga_options options = ga_options_default();
  args a = {.command = &run_command, .settings = &set, .options = &options};
  const int code = args_parse(&a, 4, argv);
  if (code != ARGS_GO_ON || !known.name) return code;
  if (known.name == ga_linsol_name && ga_linsol_known(word)) return code;
  for (int i = 0; known.name(i); i++) {
    if (strcmp(known.name(i), word) == 0) return code;
  }
  return tool_unknown(key, word, known_at, &known);
}

/* Checks the values of an option that are written as words; those drawn or computed are checked by
 * each run, those of parameters by the model file. Returns as check_word. */
static int check_values(const sweep_variable *v) {
  int code = ARGS_GO_ON;
  if (v->parameter) return code; /* of any kind: the file says what is wrong */
  for (long k = 0; v->word && code == ARGS_GO_ON && k < v->count; k++) {
    code = check_word(v->name, v->word[k]);
  }
  if (!v->word && !v->law.kind && v->unit[0]) {
    tool_error("--vary '%s': an option takes numbers without a unit", v->text);
    return TOOL_USAGE;
  }
  return code;
}

/* Checks the shared options and all names; sets `parameter` and `number` of all variables and
 * removes the prefix "run." from names, which says that an option is meant and not a parameter.
 * ARGS_GO_ON, or TOOL_USAGE after a message. */
int sweep_plan_resolve(sweep_plan *p, const ga_problem *problem) {
  const ga_file *file = file_of(problem);
  for (int i = 0; i < p->ngiven; i++) {
    if (p->given[i].own) continue;
    const int code = check_word(p->given[i].key, p->given[i].value);
    if (code != ARGS_GO_ON) return code;
  }
  for (int i = 0; i < p->count; i++) {
    sweep_variable *v = &p->variable[i];
    const bool option = strncmp(v->name, "run.", 4) == 0;
    if (option) memmove(v->name, v->name + 4, strlen(v->name + 4) + 1);
    v->parameter = !option && is_parameter(file, v->name);
    if (!v->parameter && !is_known(option ? NULL : file, v->name)) {
      return unknown_name(p, option ? NULL : file, v->name);
    }
    if (is_given(p, v)) {
      tool_error("'%s' is varied and given by --%s%s as well; give only one of them", v->name,
                 v->parameter ? "set " : "", v->name);
      return TOOL_USAGE;
    }
    for (int k = 0; k < i; k++) { /* h and run.h may be the same */
      if (p->variable[k].parameter != v->parameter || strcmp(p->variable[k].name, v->name) != 0) {
        continue;
      }
      tool_error("--vary '%s': '%s' is varied twice", v->text, v->name);
      return TOOL_USAGE;
    }
    v->number = v->number || v->parameter;
    const int code = check_values(v);
    if (code != ARGS_GO_ON) return code;
  }
  return ARGS_GO_ON;
}

/* ---- command lines -------------------------------------------------------------------------- */

/* Appends a copy of `before` + `text` to the words, whose room grows as needed; false if memory
 * is short, and the words are unchanged. */
static bool add_word(sweep_words *w, const char *before, const char *text) {
  if (w->count == w->room) {
    const int room = w->room ? 2 * w->room : 16;
    char **word = realloc(w->word, (size_t)room * sizeof *word);
    if (!word) return false;
    w->word = word;
    w->room = room;
  }
  const size_t size = strlen(before) + strlen(text) + 1;
  char *both = malloc(size);
  if (!both) return false;
  snprintf(both, size, "%s%s", before, text);
  w->word[w->count++] = both;
  return true;
}

/* Fills *w, which need not be initialized, with the words of a run: run OPERAND, the shared
 * options, then --NAME VALUE or --set NAME=VALUE of each variable. False if memory is short;
 * sweep_words_free in any case. */
bool sweep_words_make(sweep_words *w, const sweep_plan *p, long run) {
  *w = (sweep_words){.count = 0};
  bool ok = add_word(w, "", "run") && add_word(w, "", p->operand);
  for (int i = 0; ok && i < p->ngiven; i++) {
    ok = add_word(w, "--", p->given[i].key) &&
         (!p->given[i].value || add_word(w, "", p->given[i].value));
  }
  for (int i = 0; ok && i < p->count; i++) {
    const sweep_variable *v = &p->variable[i];
    sweep_value room;
    char name[NAME_MAX_LENGTH + 2] = "";
    if (v->parameter) snprintf(name, sizeof name, "%s=", v->name);
    ok = add_word(w, "--", v->parameter ? "set" : v->name) &&
         add_word(w, name, sweep_plan_value(p, i, run, &room));
  }
  return ok;
}

/* Frees all words; the struct is empty then. */
void sweep_words_free(sweep_words *w) {
  for (int i = 0; i < w->count; i++) free(w->word[i]);
  free(w->word);
  *w = (sweep_words){.count = 0};
}

/* Writes a word for a shell, in single quotes only where it needs them. */
static void put_shell_word(FILE *to, const char *word) {
  static const char plain[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (*word && strspn(word, plain) == strlen(word)) {
    fputs(word, to);
    return;
  }
  fputc('\'', to);
  for (; *word; word++) {
    if (*word == '\'') {
      fputs("'\\''", to);
    } else {
      fputc(*word, to);
    }
  }
  fputc('\'', to);
}

/* Writes one command line for each run, with --final added; TOOL_OK, or TOOL_FAILED after a
 * message. The caller looks at ferror(to). */
int sweep_plan_list(const sweep_plan *p, FILE *to) {
  for (long run = 0; run < p->runs && !ferror(to); run++) {
    sweep_words w;
    const bool ok = sweep_words_make(&w, p, run);
    fputs("genalpha", to);
    for (int i = 0; ok && i < w.count; i++) {
      fputc(' ', to);
      put_shell_word(to, w.word[i]);
    }
    fputs(" --final\n", to);
    sweep_words_free(&w);
    if (ok) continue;
    tool_error("no memory for the list");
    return TOOL_FAILED;
  }
  return TOOL_OK;
}
