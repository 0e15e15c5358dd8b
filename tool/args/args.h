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
/* a name of a file, borrowed: an ending that says another kind than the argument is refused */
bool arg_read_file(const arg_spec *spec, const char *text, void *field);
bool arg_read_real(const arg_spec *spec, const char *text, void *field); /* double */
bool arg_read_int(const arg_spec *spec, const char *text, void *field);  /* int */
bool arg_read_word(const arg_spec *spec, const char *text,
                   void *field); /* int: number of the word in argument */

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
  bool runs_nothing; /* of a model file's section `run` it takes library options only */
} arg_command;

/* An option as it was given; own NULL: one of the library. */
typedef struct arg_given {
  const arg_spec *own;
  const char *key, *value; /* value NULL: a flag */
} arg_given;

typedef struct args {
  const arg_command *command;
  void *settings;      /* what spec.at points into */
  ga_options *options; /* receives library options */
  const char *operand; /* the first; NULL if none was given */
  char **operands;     /* all of them, moved to the front of argv */
  int noperands;
  unsigned long given; /* bit i: ga_option_at(i) was given */
  unsigned long own;   /* bit i: specs[i] was given */
  arg_given *list;     /* receives all options in order, with room for argc of them; NULL: no */
  int nlist;
} args;

/* Parse argv[1..]; ARGS_GO_ON, or the exit code after a message or the help text. */
enum { ARGS_GO_ON = -1 };
int args_parse(args *a, int argc, char **argv);

/* An option that does not come from the command line: ignored if that gave it, too. */
int args_apply(args *a, const char *key, const char *value);

/* Was this library option given? */
bool args_given(const args *a, const char *key);

/* --rho, --alpha and --params exclude each other: TOOL_USAGE after a message, else ARGS_GO_ON. */
int args_check_params(const args *a);

#endif
