/* SPDX-License-Identifier: MIT */
/* One self-contained HTML page that shows a mechanism: our scripts (tool/picture/page), three.js
 * and dygraphs as they are installed, the model as JSON, the motion as compact numbers
 * (page_data.c).
 */
#ifndef TOOL_PICTURE_PAGE_H
#define TOOL_PICTURE_PAGE_H

#include "picture/film.h"
#include "picture/mesh_set.h"

/* A time with a name: an event, an impact. */
typedef struct webpage_mark {
  double t;
  const char *name;
} webpage_mark;

/* The frames between two times show one mode. */
typedef struct webpage_mode {
  double from, to;
  const char *name;
} webpage_mode;

typedef struct webpage {
  const ga_mechanism *mechanism;
  const film *film; /* NULL: the bodies where the description places them */
  const char *title, *description;
  const ga_file *file;         /* whose section `output` chooses the first plots; NULL: none */
  const char *const *messages; /* what a reader must know first; ends with NULL */
  const char *const *notes;    /* what else was found before the run; ends with NULL; NULL: none */
  const char *const *about;    /* how it was computed; ends with NULL */
  const webpage_mark *mark;    /* nmark of them, in order of time */
  int nmark;
  const webpage_mode *mode; /* nmode of them; none: the frames are a motion */
  int nmode;
  const mesh_set *meshes; /* set by webpage_write */
} webpage;

/* Are the JavaScript libraries there? Else a message says which file is missing and what to do. */
bool webpage_possible(void);

/* Write it; false after a message. */
bool webpage_write(const webpage *p, const char *path);

/* NAME.html in the current directory, for a model file DIR/NAME.yaml. */
void webpage_default_name(const char *model, size_t room, char *name);

/* Show a file in the browser: $BROWSER or xdg-open. False after a message. */
bool webpage_show(const char *path);

/* page_looks.c: pieces of JSON, and what the picture shows */
void webpage_put_text(FILE *to, const char *text); /* as JSON string, safe inside of HTML */
void webpage_put_numbers(FILE *to, const char *key, int n, const double *x);
void webpage_put_strings(FILE *to, const char *key, const char *const *list);
void webpage_put_messages(FILE *to, const webpage *p);
void webpage_put_body(FILE *to, const ga_body_info *b, const mesh_set *meshes);
void webpage_put_drawables(FILE *to, const ga_mechanism *m, const mesh_set *meshes);
void webpage_put_marks(FILE *to, const webpage *p);

/* page_data.c: the sections that depend on the model */
bool webpage_put_model(FILE *to, const webpage *p, const char *notice);
bool webpage_put_data(FILE *to, const webpage *p);
bool webpage_put_meshes(FILE *to, const webpage *p);

#endif
