/* SPDX-License-Identifier: MIT */
/* Stands for simbody.cpp where Simbody is not installed. */
#include "../multibody.h"

const bench_multibody bench_simbody = {.name = "Simbody"};
