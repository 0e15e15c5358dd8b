/* SPDX-License-Identifier: MIT */
/* Private: modules of the library, opened at run time. */
#ifndef GA_SRC_MODULE_H
#define GA_SRC_MODULE_H

#include <stddef.h>

/* The address of a symbol of a module, NULL if it cannot be had; `trouble` then says why. A module
 * once open stays so until the process ends; its symbols are seen through this function only.
 *
 * A module is looked for beside the file that holds this function, the library or a program it is
 * linked into (so it is in a build tree); where `make install` puts it, relative to that file; and
 * in the directory the library was configured for. */
void *ga_module_symbol(const char *module, const char *symbol, char *trouble, size_t room);

#endif
