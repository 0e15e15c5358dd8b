/* SPDX-License-Identifier: MIT */
/* The section `functions`: functions of shared objects, which files name and call like those of the
 * program (read_function.c). A shared object may do anything, so the caller must allow it
 * (ga_file_options.libraries). It stays in memory until the process ends. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file/private.h"

/* Target of the fields of a function. */
typedef struct {
  const ga_node *library;
  const char *symbol;
  bool derivatives;
} function_input;

/* Field reader: keep the node of a text. */
static bool keep_node(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  const char *text;
  (void)f;
  *(const ga_node **)out = node;
  return ga_read_text(r, node, &text);
}

#define AT(member) offsetof(function_input, member)
const ga_field ga_function_fields[] = {
    {"library", "text", "shared object, relative to this file", keep_node, AT(library), NULL, true,
     NULL},
    {"symbol", "text", "its name there; default: the key", ga_field_text, AT(symbol), NULL, false,
     NULL},
    {"derivatives", "flag",
     "true: it is a ga_function_fn and gives derivatives; default: by differences", ga_field_flag,
     AT(derivatives), NULL, false, NULL},
    {.key = NULL}};
#undef AT

/* The address of the symbol in the shared object; NULL after a failure at a node of the entry. */
static void *find_symbol(ga_reader *r, const ga_node *library, const ga_node *at,
                         const char *symbol) {
  char path[2048], own[2100];
  if (!ga_reader_path(r, library->file, library->text, sizeof path, path)) {
    ga_reader_fail(r, library, "the path of '%.60s' is too long", library->text);
    return NULL;
  }
  if (access(path, F_OK) != 0) {
    ga_reader_fail(r, library, "there is no file '%.200s'", path);
    return NULL;
  }
  /* a name without a slash would be sought among the system's libraries */
  snprintf(own, sizeof own, "%s%s", strchr(path, '/') ? "" : "./", path);
  void *handle = dlopen(own, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char *why = dlerror();
    ga_reader_fail(r, library, "it cannot be loaded: %.250s", why ? why : path);
    return NULL;
  }
  void *address = dlsym(handle, symbol);
  if (!address) ga_reader_fail(r, at, "'%.120s' has no symbol '%.80s'", library->text, symbol);
  dlclose(handle);
  if (!GA_GROW(r->objects)) {
    ga_reader_accept(r, library, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
    return NULL;
  }
  r->objects.item[r->objects.count++] = ga_reader_text(r, path);
  return address;
}

/* Read an entry of `functions` and add it to r->libraries under its full name. */
bool ga_read_library_function(ga_reader *r, const char *name, const ga_node *node) {
  function_input in = {.library = NULL};
  if (!ga_read_fields(r, node, ga_function_fields, &in)) return false;
  if (!r->options->libraries) {
    return ga_reader_fail(r, in.library,
                          "'%.120s' is a program, which may do anything; allow it by --libraries "
                          "(C: ga_file_options.libraries, Python: libraries=True)",
                          in.library->text);
  }
  const ga_node *at = ga_node_find(node, "symbol");
  void *address =
      find_symbol(r, in.library, at ? at : in.library, in.symbol ? in.symbol : node->key->text);
  if (!address) return false;
  if (!GA_GROW(r->libraries)) {
    return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  }
  ga_file_function *f = &r->libraries.item[r->libraries.count++];
  *f = (ga_file_function){.name = ga_reader_text(r, name)};
  /* POSIX: the address of a function from dlsym */
  if (in.derivatives) {
    memcpy(&f->fn, &address, sizeof address);
  } else {
    memcpy(&f->value, &address, sizeof address);
  }
  return true;
}
