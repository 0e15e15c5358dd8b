/* SPDX-License-Identifier: MIT */
/* Opening shared objects that export a problem. */
#include "source/shared_object.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"

/* Does the operand name a shared object, .so or .dylib? */
bool object_named(const char *operand) {
  const char *end = strrchr(operand, '.');
  return end && (strcmp(end, ".so") == 0 || strcmp(end, ".dylib") == 0);
}

/* dlopen a file; a name without a slash means the current directory, not the system's libraries.
 * NULL on failure. */
static void *open_object(const char *path) {
  if (strchr(path, '/')) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  size_t size = strlen(path) + 3;
  char *here = malloc(size);
  if (!here) return NULL;
  snprintf(here, size, "./%s", path);
  void *handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
  free(here);
  return handle;
}

/* Was the object compiled for this major.minor version? Structs of the interface do not change
 * within it. */
static bool same_interface(const char *version) {
  size_t n = (size_t)(strrchr(GA_VERSION, '.') - GA_VERSION) + 1;
  return version && strncmp(version, GA_VERSION, n) == 0;
}

/* Says what a problem lacks that the library needs; NULL if it is complete. */
static const char *missing_field(const ga_problem *p) {
  if (!p) return "it made no problem";
  if (!p->model.space) return "its problem has no model.space";
  if (!p->model.ops) return "its problem has no model.ops";
  if (!p->q0 || !p->v0) return "its problem has no start values q0, v0";
  return NULL;
}

/* Report an error of the shared object and close it. Returns TOOL_FAILED. */
static int close_with_error(const char *path, const char *why, object_problem *o) {
  tool_error("%s: %s", path, why);
  object_close(o);
  return TOOL_FAILED;
}

/* Load the shared object and let it make its problem, o->made. ARGS_GO_ON, or TOOL_FAILED after a
 * message; then o is closed. */
int object_open(const char *path, const ga_problem_options *options, object_problem *o) {
  ga_error err = {GA_OK, ""};
  *o = (object_problem){.handle = open_object(path)};
  if (!o->handle) {
    const char *why = dlerror();
    tool_error("%s", why ? why : "no memory");
    return TOOL_FAILED;
  }
  o->module = dlsym(o->handle, GA_PROBLEM_SYMBOL);
  if (!o->module) {
    return close_with_error(
        path,
        "it exports no problem; write GA_PROBLEM_MODULE(open, close) at the end of "
        "one of its sources (ga_problem.h)",
        o);
  }
  if (!same_interface(o->module->version)) {
    char why[160];
    snprintf(why, sizeof why, "it was compiled for genalpha %.40s, this is %s; compile it again",
             o->module->version ? o->module->version : "of unknown version", GA_VERSION);
    o->module = NULL;
    return close_with_error(path, why, o);
  }
  ga_status status = o->module->open(options, &o->made, &err);
  if (status != GA_OK)
    return close_with_error(path, err.text[0] ? err.text : ga_status_text(status), o);
  const char *lacks = missing_field(o->made);
  return lacks ? close_with_error(path, lacks, o) : ARGS_GO_ON;
}

/* Let the object free its problem, unload it, and clear o. */
void object_close(object_problem *o) {
  if (o->made && o->module->close) o->module->close(o->made);
  if (o->handle) dlclose(o->handle);
  *o = (object_problem){.handle = NULL};
}
