/* SPDX-License-Identifier: MIT */
/* Finding and opening a module. GA_MODULE_DIR, GA_MODULE_FROM_LIB and GA_MODULE_FROM_BIN come from
 * the build: the directory of modules, and the way to it from the library and from the tool. */
#define _GNU_SOURCE /* dladdr */
#include "linsol/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* an address in the file that holds this function */
static const char own_directory_anchor[] = "";

/* Directory, with the last slash, of the file that contains this function (library or program).
 * dladdr names a program as it was called, perhaps without a path; then /proc is used. */
static bool own_directory(char *path, size_t room) {
  Dl_info info;
  path[0] = '\0';
  if (dladdr((const void *)own_directory_anchor, &info) && info.dli_fname) {
    snprintf(path, room, "%s", info.dli_fname);
  }
  if (!strchr(path, '/')) {
    ssize_t length = readlink("/proc/self/exe", path, room - 1);
    if (length <= 0) return false;
    path[length] = '\0';
  }
  char *slash = strrchr(path, '/');
  if (slash) slash[1] = '\0';
  return slash != NULL;
}

/* Handle of the module in the directory own + way; NULL if there is none or it cannot be loaded. */
static void *open_in(const char *own, const char *way, const char *module) {
  char path[2 * PATH_MAX];
  if (snprintf(path, sizeof path, "%s%s%s", own, way, module) >= (int)sizeof path) return NULL;
  if (access(path, R_OK) != 0) return NULL;
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Address of a symbol of a module, searched next to the library, then in the install directories.
 * NULL with a reason in trouble. The module stays open until the process ends. */
void *ga_module_symbol(const char *module, const char *symbol, char *trouble, size_t room) {
  static const char *const ways[] = {"", GA_MODULE_FROM_LIB "/", GA_MODULE_FROM_BIN "/"};
  char own[PATH_MAX];
  void *handle = NULL;
  bool known = own_directory(own, sizeof own);
  dlerror();
  for (int i = 0; known && i < 3 && !handle; i++) handle = open_in(own, ways[i], module);
  if (!handle) handle = open_in("", GA_MODULE_DIR "/", module);
  void *address = handle ? dlsym(handle, symbol) : NULL;
  if (address) return address;
  const char *why = dlerror();
  snprintf(trouble, room, "module %s %s%s", module, why ? "cannot be used: " : "is not installed",
           why ? why : "");
  return NULL;
}
