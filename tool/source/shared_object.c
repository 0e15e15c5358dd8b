/* SPDX-License-Identifier: MIT */
/* Opening shared objects that export a problem. */
#include "source/shared_object.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "args/args.h"

bool object_named(const char *operand) {
  const char *end = strrchr(operand, '.');
  return end && (strcmp(end, ".so") == 0 || strcmp(end, ".dylib") == 0);
}

/* dlopen looks for names without a slash among the system's libraries */
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

/* Structs of the interface stay the same as long as major and minor version do. */
static bool same_interface(const char *version) {
  size_t n = (size_t)(strrchr(GA_VERSION, '.') - GA_VERSION) + 1;
  return version && strncmp(version, GA_VERSION, n) == 0;
}

/* what a problem needs before the library looks at it */
static const char *missing(const ga_problem *p) {
  if (!p) return "it made no problem";
  if (!p->model.space) return "its problem has no model.space";
  if (!p->model.ops) return "its problem has no model.ops";
  if (!p->q0 || !p->v0) return "its problem has no start values q0, v0";
  return NULL;
}

static int refuse(const char *path, const char *why, object_problem *o) {
  tool_error("%s: %s", path, why);
  object_close(o);
  return TOOL_FAILED;
}

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
    return refuse(path,
                  "it exports no problem; write GA_PROBLEM_MODULE(open, close) at the end of "
                  "one of its sources (ga_problem.h)",
                  o);
  }
  if (!same_interface(o->module->version)) {
    char why[160];
    snprintf(why, sizeof why, "it was compiled for genalpha %.40s, this is %s; compile it again",
             o->module->version ? o->module->version : "of unknown version", GA_VERSION);
    o->module = NULL;
    return refuse(path, why, o);
  }
  ga_status status = o->module->open(options, &o->made, &err);
  if (status != GA_OK) return refuse(path, err.text[0] ? err.text : ga_status_text(status), o);
  const char *lacks = missing(o->made);
  return lacks ? refuse(path, lacks, o) : ARGS_GO_ON;
}

void object_close(object_problem *o) {
  if (o->made && o->module->close) o->module->close(o->made);
  if (o->handle) dlclose(o->handle);
  *o = (object_problem){.handle = NULL};
}
