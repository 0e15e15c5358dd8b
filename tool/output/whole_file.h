/* SPDX-License-Identifier: MIT */
/* Files that are written at once: they are complete, or they are not there. */
#ifndef TOOL_OUTPUT_WHOLE_FILE_H
#define TOOL_OUTPUT_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Open a file for writing, over an old one; NULL and "-": standard output. NULL after a message. */
FILE *whole_file_open(const char *path);

/* Close what whole_file_open has opened. False after a message if not all was written, as on a full
 * disk; a regular file is then removed. Standard output stays open; the end of the program checks it. */
bool whole_file_close(FILE *to, const char *path);

/* Close and remove a file whose contents could not be made; nothing is said. */
void whole_file_discard(FILE *to, const char *path);

#endif
