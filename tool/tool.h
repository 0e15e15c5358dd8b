/* SPDX-License-Identifier: MIT */
/* What all parts of the tool share: exit codes, messages, "did you mean", the commands. */
#ifndef CLI_H
#define CLI_H

#include <genalpha/genalpha.h>
#include <stdio.h>

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_INTERRUPTED = 130 };

/* Where messages go: stderr. Of several processes one prints them, the others are mute: their
 * messages and their standard output go nowhere. */
FILE *cli_messages(void);
void cli_mute(void);

/* One line there, "genalpha: " in front. */
void cli_error(const char *format, ...) GA_PRINTF(1, 2);

/* From now on the messages of this thread are collected in the text, "; " between two of them, and
 * nothing is printed; what has no room is cut. NULL: print again. */
void cli_collect(char *text, size_t size);

/* "NAME: SUMMARY", or NAME alone where there is none */
void cli_title(FILE *to, const char *name, const char *summary);

/* Text that begins in the given column, broken at blanks to lines of at most 98 characters. */
void cli_wrapped(FILE *to, const char *text, int column);

/* The i-th word of a list, NULL past its end. */
typedef const char *(*cli_word)(const void *list, int i);

/* The word nearest to a mistyped one, NULL if none is near. */
const char *cli_nearest(const char *typed, cli_word word, const void *list);

/* "unknown WHAT 'TYPED'; did you mean ...?", or all allowed words; returns CLI_USAGE. */
int cli_unknown(const char *what, const char *typed, cli_word word, const void *list);

/* argv[0] is the command's name; the exit code is returned. */
int cmd_check(int argc, char **argv);
int cmd_converge(int argc, char **argv);
int cmd_equilibrium(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_modes(int argc, char **argv);
int cmd_params(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_view(int argc, char **argv);

#endif
