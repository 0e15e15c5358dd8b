/* SPDX-License-Identifier: MIT */
/* One self-contained HTML page that shows a mechanism: our scripts (tool/picture/page), three.js
 * and dygraphs as they are installed, the model as JSON, the motion as compact numbers
 * (page_data.c).
 */
#ifndef TOOL_PICTURE_PAGE_H
#define TOOL_PICTURE_PAGE_H

#include "picture/film.h"

typedef struct webpage {
  const ga_mechanism *mechanism;
  const film *film; /* NULL: the bodies where the description places them */
  const char *title, *description;
  const ga_file *file;         /* whose section `output` chooses the first plots; NULL: none */
  const char *const *messages; /* what a reader must know first; ends with NULL */
  const char *const *notes;    /* what else was found before the run; ends with NULL; NULL: none */
  const char *const *about;    /* how it was computed; ends with NULL */
} webpage;

/* Are the JavaScript libraries there? Else a message says which file is missing and what to do. */
bool webpage_possible(void);

/* Write it; false after a message. */
bool webpage_write(const webpage *p, const char *path);

/* NAME.html in the current directory, for a model file DIR/NAME.yaml. */
void webpage_default_name(const char *model, size_t room, char *name);

/* Show a file in the browser: $BROWSER or xdg-open. False after a message. */
bool webpage_show(const char *path);

/* page_data.c: the sections that depend on the model */
void webpage_put_text(FILE *to, const char *text); /* as JSON string, safe inside of HTML */
bool webpage_put_model(FILE *to, const webpage *p, const char *notice);
bool webpage_put_data(FILE *to, const webpage *p);

#endif
