/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_IDLE_OPTIONS_H
#define APP_IDLE_OPTIONS_H
#include "app/benchmark.h"

/* Lists in b->idle the options that are not at their defaults and changed nothing in this run,
 * after its solves: what they choose did not occur. */
void unused_options(const struct hierarchy *h, struct benchmark *b, const struct options *options);

#endif
