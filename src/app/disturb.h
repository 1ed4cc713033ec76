/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A hook for tests: hpgmg-gpu-disturbed has this function (tests/disturbed.c), hpgmg-gpu has not.
 * Called on all ranks: with NULL before nodes are counted, and with the hierarchy before the first
 * solve. */
#include "solvers/hierarchy.h"

void disturb(struct hierarchy *h) __attribute__((weak));
