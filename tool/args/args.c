/* SPDX-License-Identifier: MIT */
/* Option parsing by table: --key value and --key=value, strict numbers, help texts. */
#include "args/args.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 28, KEY_MAX = 40 };

static const arg_spec help_spec = {.key = "help", .help = "print this text"};

/* readers */

/* Report "--KEY 'TEXT': WHAT IS ALLOWED" and return false, as the readers below do. */
static bool report_wrong_value(const arg_spec *spec, const char *text, const char *allowed) {
  tool_error("--%s '%s': %s", spec->key, text, allowed);
  return false;
}

/* The readers below set *field from the text of an option and return true, or false after a
 * message. This one sets the bool *field to true: a flag has no text. */
bool arg_read_flag(const arg_spec *spec, const char *text, void *field) {
  (void)spec, (void)text;
  *(bool *)field = true;
  return true;
}

/* Store the text, which must not be empty, in the const char **field; it is borrowed. False after a
 * message. */
bool arg_read_text(const arg_spec *spec, const char *text, void *field) {
  if (!*text) return report_wrong_value(spec, text, "is empty");
  *(const char **)field = text;
  return true;
}

/* known endings of files */
static const char *const endings[] = {
    ".csv", ".h5",   ".svg", ".png", ".html", ".yaml", ".yml", ".json", ".pdf", ".jpg",  ".gif",
    ".xls", ".xlsx", ".ods", ".mat", ".npz",  ".npy",  ".so",  ".c",    ".py",  ".urdf", ".xml"};

/* Like arg_read_text, but refuse a name with a known ending that spec->argument, such as
 * "FILE.csv|FILE.h5", does not list. Unknown endings are accepted. */
bool arg_read_file(const arg_spec *spec, const char *text, void *field) {
  const char *dot = strrchr(text, '.');
  for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
    if (strcmp(dot, endings[i]) != 0) continue;
    const char *own = strstr(spec->argument, dot);
    const char after = own ? own[strlen(dot)] : 'x';
    if (after == '\0' || after == '|') break;
    tool_error("--%s '%s': the name of a %s is wanted here", spec->key, text, spec->argument);
    return false;
  }
  return arg_read_text(spec, text, field);
}

/* A finite number x with spec->least < x <= spec->largest, written to the double *field. False
 * after a message, *field then stays. */
bool arg_read_real(const arg_spec *spec, const char *text, void *field) {
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (end == text || *end || !isfinite(value))
    return report_wrong_value(spec, text, "is not a number");
  if (!(value > spec->least && value <= spec->largest)) {
    char allowed[96];
    if (spec->largest < 1e300) {
      snprintf(allowed, sizeof allowed, "must be greater than %g and at most %g", spec->least,
               spec->largest);
    } else {
      snprintf(allowed, sizeof allowed, "must be greater than %g", spec->least);
    }
    return report_wrong_value(spec, text, allowed);
  }
  *(double *)field = value;
  return true;
}

/* A whole number with spec->least <= x <= spec->largest, written to the int *field. False after a
 * message, *field then stays. */
bool arg_read_int(const arg_spec *spec, const char *text, void *field) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (end == text || *end) return report_wrong_value(spec, text, "is not a whole number");
  if (errno || (double)value < spec->least || (double)value > spec->largest) {
    char allowed[96];
    snprintf(allowed, sizeof allowed, "must be between %.0f and %.0f", spec->least, spec->largest);
    return report_wrong_value(spec, text, allowed);
  }
  *(int *)field = (int)value;
  return true;
}

/* Find the text among the words of spec->argument, "a|b|c", and write its index, from 0 on, to the
 * int *field. False after a message. */
bool arg_read_word(const arg_spec *spec, const char *text, void *field) {
  const char *word = spec->argument;
  for (int i = 0; *word; i++) {
    size_t length = strcspn(word, "|");
    if (strlen(text) == length && strncmp(word, text, length) == 0) {
      *(int *)field = i;
      return true;
    }
    word += length + (word[length] == '|');
  }
  char allowed[96];
  snprintf(allowed, sizeof allowed, "is not known; allowed: %s", spec->argument);
  return report_wrong_value(spec, text, allowed);
}

/* the options of a command: its own, --help, then those of the library */

/* Number of the command's own options, without --help. */
static int count_own_options(const arg_command *command) {
  int n = 0;
  while (command->specs[n].key) n++;
  return n;
}

/* The i-th option of the library that the command takes, NULL past the last one. */
static const ga_option_info *library_option_at(const arg_command *command, int i) {
  const ga_option_info *info = NULL;
  for (int j = 0; command->takes_library && (info = ga_option_at(j)) != NULL; j++) {
    if (command->takes_library(info->key) && i-- == 0) return info;
  }
  return NULL;
}

/* A tool_word over all options of a command: its own, then --help, then those of the library. */
static const char *key_at(const void *list, int i) {
  const arg_command *command = list;
  int own = count_own_options(command);
  if (i < own) return command->specs[i].key;
  if (i == own) return help_spec.key;
  const ga_option_info *info = library_option_at(command, i - own - 1);
  return info ? info->key : NULL;
}

/* help */

/* One option in a help text: "--key argument" at the left, its help and default from column
 * HELP_COLUMN on. argument and default_text may be NULL. */
static void print_option(const char *key, const char *argument, const char *help,
                         const char *default_text) {
  char left[96], right[400];
  snprintf(left, sizeof left, "  --%s%s%s", key, argument ? " " : "", argument ? argument : "");
  if (default_text && *default_text) {
    snprintf(right, sizeof right, "%s (default %s)", help, default_text);
  } else {
    snprintf(right, sizeof right, "%s", help);
  }
  int used = printf("%s", left);
  if (used > HELP_COLUMN - 2) {
    putchar('\n');
    used = 0;
  }
  printf("%*s", HELP_COLUMN - used, "");
  tool_print_wrapped(stdout, right, HELP_COLUMN);
}

/* The line "usage: genalpha NAME [OPERAND] [options]". */
static void print_usage(FILE *to, const arg_command *command) {
  const char *operand = command->operand;
  bool optional = operand && !command->needs_operand;
  fprintf(to, "usage: genalpha %s%s%s%s%s [options]\n", command->name,
          operand ? (optional ? " [" : " ") : "", operand ? operand : "",
          command->many_operands ? "..." : "", optional ? "]" : "");
}

/* The help text of a command, with all its options and their defaults. Returns TOOL_OK. */
static int print_help(const arg_command *command) {
  print_usage(stdout, command);
  printf("%s\n\noptions:\n", command->summary);
  for (const arg_spec *spec = command->specs; spec->key; spec++) {
    print_option(spec->key, spec->argument, spec->help, NULL);
  }
  print_option(help_spec.key, NULL, help_spec.help, NULL);
  const ga_option_info *info = library_option_at(command, 0);
  if (info) printf("\noptions of the method:\n");
  for (int i = 0; (info = library_option_at(command, i)) != NULL; i++) {
    const char *usual = command->library_default ? command->library_default(info->key) : NULL;
    print_option(info->key, info->argument, info->help, usual ? usual : info->default_text);
  }
  return TOOL_OK;
}

/* Print "Try 'genalpha NAME --help'." and return TOOL_USAGE. */
static int suggest_help(const arg_command *command) {
  fprintf(tool_messages(), "Try 'genalpha %s --help'.\n", command->name);
  return TOOL_USAGE;
}

/* parsing */

/* Report an unknown option as it was typed ("--key=value" without the value), with the nearest
 * known key. Returns TOOL_USAGE. */
static int unknown_option(const arg_command *command, const char *typed) {
  char key[KEY_MAX];
  const char *bare = typed + strspn(typed, "-");
  snprintf(key, sizeof key, "%.*s", (int)strcspn(bare, "="), bare);
  const char *nearest = ga_nearest_in(key, key_at, command);
  char shown[KEY_MAX + 4];
  snprintf(shown, sizeof shown, "%.*s", (int)strcspn(typed, "="), typed);
  if (nearest) {
    tool_error("unknown option '%s'; did you mean '--%s'?", shown, nearest);
  } else {
    tool_error("unknown option '%s'", shown);
  }
  return suggest_help(command);
}

/* Set an option of the library in a->options and note in a->given that it was given. ARGS_GO_ON,
 * or TOOL_USAGE after a message. */
static int set_library_option(args *a, const char *key, const char *value) {
  ga_error err = {GA_OK, ""};
  if (ga_options_set(a->options, key, value, &err) != GA_OK) {
    /* the library's text begins with "key = 'value' ..": add the dashes */
    bool named = strncmp(err.text, key, strlen(key)) == 0;
    tool_error(named ? "--%s" : "%s", err.text);
    return TOOL_USAGE;
  }
  for (int i = 0; ga_option_at(i); i++) {
    if (strcmp(ga_option_at(i)->key, key) == 0) a->given |= 1UL << i;
  }
  return ARGS_GO_ON;
}

/* Read a value into the field of the command's settings (a->settings) and note in a->own, bit i for
 * option i, that it was given; --help prints the help text and returns TOOL_OK. ARGS_GO_ON, or
 * TOOL_USAGE after a message. */
static int set_own_option(args *a, const arg_spec *spec, const char *value) {
  if (spec == &help_spec) return print_help(a->command);
  bool ok = spec->read(spec, value, (char *)a->settings + spec->at);
  a->own |= 1UL << (spec - a->command->specs);
  return ok ? ARGS_GO_ON : TOOL_USAGE;
}

/* The command's own option of that key, &help_spec for "help", or NULL. */
static const arg_spec *find_own_option(const arg_command *command, const char *key) {
  for (const arg_spec *spec = command->specs; spec->key; spec++) {
    if (strcmp(spec->key, key) == 0) return spec;
  }
  return strcmp(help_spec.key, key) == 0 ? &help_spec : NULL;
}

/* The library option of that key if the command takes it, else NULL. */
static const ga_option_info *find_library_option(const arg_command *command, const char *key) {
  const ga_option_info *info;
  for (int i = 0; (info = library_option_at(command, i)) != NULL; i++) {
    if (strcmp(info->key, key) == 0) return info;
  }
  return NULL;
}

/* If the key is an option of an earlier version and the command takes library options, print a
 * warning and return true: the option is ignored. */
static bool warn_if_removed(const arg_command *command, const char *key) {
  const char *sentence = ga_option_removed(key);
  if (!sentence || !command->takes_library || !command->takes_library(key)) return false;
  tool_error("warning: %s", sentence);
  return true;
}

/* Set an option as a model file says, in a->settings or a->options, unless it was given before (on
 * the command line, or by an earlier call). Flags are set by the value "true" only. ARGS_GO_ON, or
 * TOOL_USAGE after a message. */
int args_apply(args *a, const char *key, const char *value) {
  const arg_spec *own = find_own_option(a->command, key);
  const ga_option_info *library = own ? NULL : find_library_option(a->command, key);
  if (!own && !library && warn_if_removed(a->command, key)) return ARGS_GO_ON;
  if (own == &help_spec || (!own && !library)) {
    char typed[KEY_MAX + 2];
    snprintf(typed, sizeof typed, "--%.*s", KEY_MAX - 1, key);
    return unknown_option(a->command, typed);
  }
  if (library) return args_given(a, key) ? ARGS_GO_ON : set_library_option(a, key, value);
  if (a->own >> (own - a->command->specs) & 1UL) return ARGS_GO_ON;
  if (!own->argument && strcmp(value, "true") != 0) return ARGS_GO_ON;
  return set_own_option(a, own, value);
}

/* Parse and set the option in argv[*i]; *i moves on if its value is the next argument. Also appends
 * it to a->list, if that is not NULL; it has room for argc options. ARGS_GO_ON, or the exit code
 * after a message or the help text. */
static int parse_option(args *a, int argc, char **argv, int *i) {
  const char *typed = argv[*i];
  char key[KEY_MAX];
  size_t length = strcspn(typed + 2, "=");
  if (typed[1] != '-' || length == 0 || length >= sizeof key) {
    return unknown_option(a->command, typed);
  }
  memcpy(key, typed + 2, length);
  key[length] = '\0';
  const char *value = typed[2 + length] == '=' ? typed + 3 + length : NULL;

  const arg_spec *own = find_own_option(a->command, key);
  const ga_option_info *library = own ? NULL : find_library_option(a->command, key);
  if (!own && !library) {
    if (!warn_if_removed(a->command, key)) return unknown_option(a->command, typed);
    /* skip its value, too */
    if (!value && *i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0) ++*i;
    return ARGS_GO_ON;
  }
  const char *argument = own ? own->argument : library->argument;
  if (!argument && value) {
    tool_error("--%s takes no value, '%s' was given", key, value);
    return TOOL_USAGE;
  }
  if (argument && !value) {
    bool is_option = *i + 1 < argc && strncmp(argv[*i + 1], "--", 2) == 0;
    bool answer = strcmp(argument, "no|yes") == 0;
    if (answer && (*i + 1 >= argc || (strcmp(argv[*i + 1], "no") && strcmp(argv[*i + 1], "yes")))) {
      value = "yes"; /* --key alone */
    } else if (*i + 1 >= argc || is_option) {
      tool_error("--%s needs a value: --%s %s", key, key, argument);
      return TOOL_USAGE;
    }
    if (!value) value = argv[++*i];
  }
  if (a->list) {
    a->list[a->nlist++] = (arg_given){own, own ? own->key : library->key, value};
  }
  return own ? set_own_option(a, own, value) : set_library_option(a, key, value);
}

/* Parse argv[1..] into a, whose command, settings and options are set: options go to a->settings
 * and a->options, operands to the front of argv (a->operands, noperands, operand). ARGS_GO_ON, or
 * the exit code after a message or the help text. */
int args_parse(args *a, int argc, char **argv) {
  const arg_command *command = a->command;
  const int most = !command->operand        ? 0
                   : command->many_operands ? INT_MAX
                   : command->two_operands  ? 2
                                            : 1;
  a->operands = argv + 1;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-' && argv[i][1]) {
      int code = parse_option(a, argc, argv, &i);
      if (code != ARGS_GO_ON) return code;
    } else if (a->noperands >= most) {
      tool_error("unexpected argument '%s'", argv[i]);
      return suggest_help(command);
    } else {
      a->operands[a->noperands++] = argv[i];
      a->operand = a->operands[0];
    }
  }
  if (command->needs_operand && !a->operand) {
    tool_error("%s: %s is missing", command->name, command->operand);
    print_usage(tool_messages(), command);
    return suggest_help(command);
  }
  a->typed = a->given;
  a->own_typed = a->own;
  return ARGS_GO_ON;
}

/* Was this library option given, on the command line or by args_apply? */
bool args_given(const args *a, const char *key) {
  for (int i = 0; ga_option_at(i); i++) {
    if (strcmp(ga_option_at(i)->key, key) == 0) return (a->given >> i & 1UL) != 0;
  }
  return false;
}

/* Was this option given on the command line? */
bool args_typed(const args *a, const char *key) {
  for (int i = 0; ga_option_at(i); i++) {
    if (strcmp(ga_option_at(i)->key, key) == 0) return (a->typed >> i & 1UL) != 0;
  }
  for (int i = 0; a->command->specs[i].key; i++) {
    if (strcmp(a->command->specs[i].key, key) == 0) return (a->own_typed >> i & 1UL) != 0;
  }
  return false;
}

/* --rho, --alpha and --params exclude each other: TOOL_USAGE after a message, else ARGS_GO_ON. */
int args_check_params(const args *a) {
  static const char *const keys[] = {"rho", "alpha", "params"};
  const char *first = NULL;
  for (int i = 0; i < 3; i++) {
    if (!args_given(a, keys[i])) continue;
    if (first) {
      tool_error("--%s and --%s both set the parameters; give only one of them", first, keys[i]);
      return TOOL_USAGE;
    }
    first = keys[i];
  }
  return ARGS_GO_ON;
}
