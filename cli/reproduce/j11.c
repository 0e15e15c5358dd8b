/* SPDX-License-Identifier: MIT */
#include "reproduce/lab.h"
static const item *const items[] = {NULL};
const paper paper_j11 = {"j11", "", items};
