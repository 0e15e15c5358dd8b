/* SPDX-License-Identifier: MIT */
/* Putting the page together: the template of tool/picture/page with its marks filled in. */
#define _POSIX_C_SOURCE 200809L
#include "picture/page.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/whole_file.h"
#include "picture/page_assets.h"

extern char **environ;

/* ---- the JavaScript libraries, as Debian installs them --------------------------------------- */

static const char *const scripts[] = {"three/three.min.js",
                                      "three/examples/js/controls/OrbitControls.js",
                                      "dygraphs/dygraph.min.js", NULL};
static const char library_style[] = "dygraphs/dygraph.min.css";

/* Writes the path of a file of a JavaScript library to path (room bytes), in the directory
 * $GENALPHA_JS, or where Debian installs it; returns path. */
static const char *library_path(const char *name, size_t room, char *path) {
  const char *directory = getenv("GENALPHA_JS");
  snprintf(path, room, "%s/%s", directory && *directory ? directory : VIEW_JS_DIR, name);
  return path;
}

/* Can the library file be read? False after a message that says what to install. */
static bool check_library(const char *name) {
  char path[4096];
  if (access(library_path(name, sizeof path, path), R_OK) == 0) return true;
  tool_error(
      "a page needs three.js and dygraphs, and '%s' is missing; install the Debian packages "
      "libjs-three and libjs-dygraphs (apt-get install libjs-three libjs-dygraphs), or set "
      "GENALPHA_JS to the directory that has three/ and dygraphs/",
      path);
  return false;
}

/* Are all libraries there? False after a message about the first that is missing. */
bool webpage_possible(void) {
  for (int i = 0; scripts[i]; i++) {
    if (!check_library(scripts[i])) return false;
  }
  return check_library(library_style);
}

/* Copies one line of a library into the page. A "\" is put after "<" in </script, </style and
 * <!--, which would end the surrounding element; references to source maps are left out. */
static void put_line(FILE *to, const char *line) {
  if (strncmp(line, "//# sourceMappingURL", 20) == 0) return;
  if (strncmp(line, "/*# sourceMappingURL", 20) == 0) return;
  for (const char *at; (at = strpbrk(line, "<")) != NULL; line = at + 1) {
    fwrite(line, 1, (size_t)(at - line) + 1, to);
    if (strncasecmp(at, "</script", 8) == 0 || strncasecmp(at, "</style", 7) == 0 ||
        strncmp(at, "<!--", 4) == 0) {
      fputc('\\', to);
    }
  }
  fputs(line, to);
}

/* Copies a library file into the page; false after a message. */
static bool put_library(FILE *to, const char *name) {
  char path[4096], *line = NULL;
  size_t room = 0;
  errno = 0;
  FILE *file = fopen(library_path(name, sizeof path, path), "r");
  if (!file) {
    tool_error("cannot read '%s': %s", path, strerror(errno));
    return false;
  }
  while (getline(&line, &room, file) > 0) put_line(to, line);
  free(line);
  const bool ok = !ferror(file);
  fclose(file);
  if (!ok) tool_error("cannot read '%s': read error", path);
  return ok;
}

/* ---- the marks of the template --------------------------------------------------------------- */

/* Writes text with the special characters of HTML escaped; always true. */
static bool put_html(FILE *to, const char *text) {
  for (; *text; text++) {
    const char *name = *text == '<'   ? "&lt;"
                       : *text == '>' ? "&gt;"
                       : *text == '&' ? "&amp;"
                       : *text == '"' ? "&quot;"
                                      : NULL;
    if (name) {
      fputs(name, to);
    } else {
      fputc(*text, to);
    }
  }
  return true;
}

/* The title of the page, escaped. */
static bool put_title(FILE *to, const webpage *p) {
  return put_html(to, p->title);
}

/* The licence notice. */
static bool put_notice(FILE *to, const webpage *p) {
  (void)p;
  return fputs(view_notice, to) >= 0;
}

/* The style sheets of dygraphs and of the page; false after a message if the former cannot be
 * read. */
static bool put_style(FILE *to, const webpage *p) {
  (void)p;
  return put_library(to, library_style) && fputs(view_style, to) >= 0;
}

/* The model as JSON, with the licence notice in it; false if memory is short. */
static bool put_model(FILE *to, const webpage *p) {
  return webpage_put_model(to, p, view_notice);
}

/* Writes a script element for each library and one for our own script; false after a message if
 * a library cannot be read. */
static bool put_scripts(FILE *to, const webpage *p) {
  (void)p;
  for (int i = 0; scripts[i]; i++) {
    fputs("<script>\n", to);
    if (!put_library(to, scripts[i])) return false;
    fputs("\n</script>\n", to);
  }
  fputs("<script>\n(() => {\n\"use strict\";\n", to);
  fputs(view_script, to);
  return fputs("})();\n</script>", to) >= 0;
}

static const struct {
  const char *mark;
  bool (*put)(FILE *to, const webpage *p);
} marks[] = {{"@TITLE@", put_title},       {"@NOTICE@", put_notice},
             {"@STYLE@", put_style},       {"@MODEL@", put_model},
             {"@DATA@", webpage_put_data}, {"@MESHES@", webpage_put_meshes},
             {"@SCRIPTS@", put_scripts}};

/* Copies the template and replaces its marks, all of which stand there in the order of the
 * table; false if one of them fails, and the page is then incomplete. */
static bool put_page(FILE *to, const webpage *p) {
  const char *at = view_page;
  for (int i = 0; i < (int)(sizeof marks / sizeof marks[0]); i++) {
    const char *mark = strstr(at, marks[i].mark);
    fwrite(at, 1, (size_t)(mark - at), to);
    if (!marks[i].put(to, p)) return false;
    at = mark + strlen(marks[i].mark);
  }
  return fputs(at, to) >= 0;
}

/* Reads the meshes and writes the page to path, over an old file; an incomplete one is removed. What is
 * wrong with a mesh is a warning. False after a message: the write failed, or memory is short (also
 * said, as a second message, where a library file could not be read). */
bool webpage_write(const webpage *p, const char *path) {
  mesh_set meshes;
  webpage whole = *p;
  FILE *to = webpage_possible() ? whole_file_open(path) : NULL;
  if (!to) return false;
  if (!mesh_set_open(&meshes, p->mechanism)) tool_error("warning: no memory for all meshes");
  for (int i = 0; i < meshes.nmessage; i++) tool_error("warning: %s", meshes.message[i]);
  whole.meshes = &meshes;
  errno = 0;
  const bool put = put_page(to, &whole);
  bool ok = put || ferror(to);
  if (ok) {
    ok = whole_file_close(to, path);
  } else {
    tool_error("no memory for the page '%s'", path);
    whole_file_discard(to, path);
  }
  mesh_set_close(&meshes);
  return ok;
}

/* Writes to name (room bytes): the base name of model with its ending replaced by .html, cut
 * after 200 characters. */
void webpage_default_name(const char *model, size_t room, char *name) {
  const char *slash = strrchr(model, '/'), *base = slash ? slash + 1 : model;
  const char *dot = strrchr(base, '.');
  const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  snprintf(name, room, "%.*s.html", (int)(length < 200 ? length : 200), base);
}

/* Starts $BROWSER or xdg-open with the file and waits until that program has ended. False after
 * a message if it cannot be started or ends with an error. */
bool webpage_show(const char *path) {
  const char *browser = getenv("BROWSER");
  char program[4096], file[4096];
  snprintf(program, sizeof program, "%s", browser && *browser ? browser : "xdg-open");
  snprintf(file, sizeof file, "%s", path);
  char *arguments[] = {program, file, NULL};
  pid_t child;
  const int code = posix_spawnp(&child, program, NULL, NULL, arguments, environ);
  int status = 0;
  if (code == 0 && waitpid(child, &status, 0) == child && status == 0) return true;
  tool_error("cannot open '%s' with '%s'%s%s; open it in a browser yourself", path, program,
             code ? ": " : "", code ? strerror(code) : "");
  return false;
}
