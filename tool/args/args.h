/* SPDX-License-Identifier: MIT */
/* The one option parser: a command gives a table, library options come from the library's list. */
#ifndef TOOL_ARGS_ARGS_H
#define TOOL_ARGS_ARGS_H

#include <stddef.h>

#include "tool.h"

typedef struct arg_spec arg_spec;

/* Reads text into the field; false after a message that says what is wrong and what is allowed. */
typedef bool (*arg_read)(const arg_spec *spec, const char *text, void *field);

struct arg_spec {
  const char *key, *argument; /* argument NULL: a flag without value */
  const char *help;
  arg_read read;
  size_t at;             /* offset of the field in the command's settings */
  double least, largest; /* for numbers; least itself is allowed for whole numbers only */
};

bool arg_read_flag(const arg_spec *spec, const char *text, void *field); /* bool */
bool arg_read_text(const arg_spec *spec, const char *text,
                   void *field); /* const char *, borrowed */
/* A file name, borrowed. A known ending that spec->argument does not list is refused. */
bool arg_read_file(const arg_spec *spec, const char *text, void *field);
bool arg_read_real(const arg_spec *spec, const char *text, void *field); /* double */
bool arg_read_int(const arg_spec *spec, const char *text, void *field);  /* int */
bool arg_read_word(const arg_spec *spec, const char *text,
                   void *field); /* int: index of the word in argument */

typedef struct arg_command {
  const char *name, *summary;
  const char *operand;                    /* as in the usage line, NULL if it takes none */
  bool needs_operand;                     /* else it may be left out */
  bool many_operands;                     /* any number of them */
  bool two_operands;                      /* a second one, which may be left out */
  const arg_spec *specs;                  /* ends with key NULL */
  bool (*takes_library)(const char *key); /* which library options, NULL: none */
  /* a default other than the library's, for the help text; NULL, or returning NULL: none */
  const char *(*library_default)(const char *key);
  bool runs_nothing; /* takes only the library options of a model file's section `run` */
} arg_command;

/* An option as it was given. own: its row in the command's table, NULL for a library option. */
typedef struct arg_given {
  const arg_spec *own;
  const char *key, *value; /* value NULL: a flag */
} arg_given;

typedef struct args {
  const arg_command *command;
  void *settings;      /* the struct in which spec.at is an offset */
  ga_options *options; /* receives library options */
  const char *operand; /* the first; NULL if none was given */
  char **operands;     /* all of them, moved to the front of argv */
  int noperands;
  unsigned long given;            /* bit i: ga_option_at(i) was given */
  unsigned long own;              /* bit i: specs[i] was given */
  unsigned long typed, own_typed; /* the same, on the command line alone */
  arg_given *list; /* receives all options in order, with room for argc of them; NULL: no */
  int nlist;
} args;

/* Returned in place of an exit code: no error so far, the command continues. */
enum { ARGS_GO_ON = -1 };

/* Parse argv[1..]; ARGS_GO_ON, or the exit code after a message or the help text. */
int args_parse(args *a, int argc, char **argv);

/* Set an option that comes from a model file; it is ignored if the command line gave it. Returns as
 * args_parse. */
int args_apply(args *a, const char *key, const char *value);

/* Was this library option given, on the command line or in a model file? */
bool args_given(const args *a, const char *key);
/* Was this option, of the library or of the command, given on the command line? */
bool args_typed(const args *a, const char *key);

/* --rho, --alpha and --params exclude each other: TOOL_USAGE after a message, else ARGS_GO_ON. */
int args_check_params(const args *a);

#endif
