/* SPDX-License-Identifier: MIT */
/* Misprints and slips of the papers. */
#include "reproduce/item.h"

const misprint misprints[] = {{.where = NULL}};
