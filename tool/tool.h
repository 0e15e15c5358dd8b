/* SPDX-License-Identifier: MIT */
/* Shared by all files of the tool: exit codes, messages, the commands. */
#ifndef TOOL_H
#define TOOL_H

#include <genalpha/genalpha.h>
#include <stdio.h>

/* TOOL_NOT_REACHED: the run is complete, but has not the accuracy that was asked for. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2, TOOL_NOT_REACHED = 3, TOOL_INTERRUPTED = 130 };

/* Stream of the messages: stderr. Of several processes only the first one prints. The others call
 * tool_mute: their standard output is discarded, and their messages are kept for
 * tool_speak_alone. */
FILE *tool_messages(void);
void tool_mute(void);

/* tool_join: processes agree on failures from now on, so that process 0 speaks for all.
 * tool_speak_alone prints what a muted process has not said, because it failed alone. */
void tool_join(void);
bool tool_joined(void);
void tool_speak_alone(int process);

/* Number of messages printed so far that begin with "warning: ". */
int tool_warnings(void);

/* Print one line on that stream, with "genalpha: " before the text. */
void tool_error(const char *format, ...) GA_PRINTF(1, 2);

/* The same of a line that says what was decided: no failure, no warning. It is not collected. */
void tool_note(const char *format, ...) GA_PRINTF(1, 2);

/* From now on the messages of this thread are appended to the text, separated by "; ", and nothing
 * is printed. A message that does not fit is cut. NULL: print again. */
void tool_collect_messages(char *text, size_t size);

/* Print "NAME: SUMMARY", or NAME alone if there is no summary. */
void tool_print_title(FILE *to, const char *name, const char *summary);

/* Print a text that begins in the given column, broken at blanks to lines of at most 98
 * characters. */
void tool_print_wrapped(FILE *to, const char *text, int column);

/* The i-th word of a list, NULL past its end. */
typedef const char *(*tool_word)(const void *list, int i);

/* Report "unknown WHAT 'TYPED'; did you mean ..?", or list all words. Returns TOOL_USAGE. */
int tool_unknown(const char *what, const char *typed, tool_word word, const void *list);

/* The commands, one file each in tool/commands. argv[0] is the name of the command; each returns
 * the exit code. */
int command_check(int argc, char **argv);
int command_converge(int argc, char **argv);
int command_equilibrium(int argc, char **argv);
int command_export(int argc, char **argv);
int command_import(int argc, char **argv);
int command_list(int argc, char **argv);
int command_modes(int argc, char **argv);
int command_params(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_reproduce(int argc, char **argv);
int command_run(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_view(int argc, char **argv);

#endif
