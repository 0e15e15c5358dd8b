/* SPDX-License-Identifier: MIT */
#include "reproduce/lab.h"
static const item *const items[] = {NULL};
const paper paper_jn08 = {"jn08", "", items};
