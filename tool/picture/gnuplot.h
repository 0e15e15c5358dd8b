/* SPDX-License-Identifier: MIT */
/* Pictures by gnuplot: open, write commands and data to the script, close. */
#ifndef TOOL_PICTURE_GNUPLOT_H
#define TOOL_PICTURE_GNUPLOT_H

#include "args/args.h"

typedef struct gnuplot {
  const char *path; /* borrowed */
  int fd;           /* the picture, opened early so that a long run does not end in a surprise */
  FILE *script;     /* what gnuplot will read; write to it between open and close */
} gnuplot;

/* An arg_read for file names: they must end in .svg or .png. */
bool gnuplot_read_name(const arg_spec *spec, const char *text, void *field);

/* Is it installed? False after a message. */
bool gnuplot_found(void);

/* Size in pixels. False after a message if gnuplot is missing or the file cannot be written. */
bool gnuplot_open(gnuplot *plot, const char *path, int width, int height);

/* Check before a long computation that gnuplot_open will succeed; false after a message. */
bool gnuplot_check(const char *path);

/* Run gnuplot on the script; false after a message. */
bool gnuplot_close(gnuplot *plot);

/* Instead of close: no picture; an old file of that name stays as it was. */
void gnuplot_discard(gnuplot *plot);

/* Colours that differ for colour-blind eyes, too; from the start again after the last. */
enum { GNUPLOT_COLORS = 7 };
const char *gnuplot_color(int i);

/* A text in quotes, for titles and labels. */
void gnuplot_quote(FILE *to, const char *text);

#endif
