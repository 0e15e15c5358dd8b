/* SPDX-License-Identifier: MIT */
/* Stands for mujoco.c where MuJoCo is not installed. */
#include "../multibody.h"

const bench_multibody bench_mujoco = {.name = "MuJoCo"};
